// Guest registers as SSA values: what a register holds at a place, with phis where ways meet. Built directly, block by block
// (Braun and others, "Simple and Efficient Construction of Static Single Assignment Form", 2013). A pair that is written and read
// as 64 bits stays one value; so do bases of address patterns through loops. Must not know instructions.
#pragma once
#include "jit/emit/values.hpp"
#include "jit/flow/unit.hpp"

#include <llvm/IR/BasicBlock.h>

#include <map>
#include <memory>
#include <set>
#include <unordered_map>

namespace bz::jit {

/// One version of a guest block (or an entry of the function): a straight path through one or more LLVM blocks.
struct Version {
  struct Edge {
    Version* from;
    llvm::BasicBlock* block;    ///< the LLVM block that the edge comes from
  };
  uint32_t guest = 0;
  bool full = false;            ///< EXEC is all ones at its start
  bool entry = false;           ///< registers come from the wave block
  bool kernel_start = false;    ///< ... and are as the launch has set them
  uint32_t name = 0;            ///< the same in each attempt at a function
  uint32_t order = 0;           ///< of being made
  llvm::BasicBlock* first = nullptr;
  llvm::BasicBlock* last = nullptr;   ///< with the terminator, once emitted
  std::vector<Edge> in;
  bool complete = false;        ///< all its ways in are known
  bool emitted = false;
  bool exec_grows = false;      ///< at its end lanes may come on

  struct Def {
    Value v32;                  ///< the register by itself
    Value v64;                  ///< a pair ...
    uint8_t part = 0;           ///< ... of which it is the first (1) or second (2) register
  };
  std::unordered_map<uint32_t, Def> defs;       ///< by place
  std::unordered_map<uint32_t, Value> arrived;  ///< by place and width: values at the start
};

/// Reads and writes of registers at the builder's place, inside the version being emitted.
class Registers {
public:
  Registers(Values& values, llvm::Value* wave) : values_(values), ir_(values.ir()), wave_(wave) {}

  Version* at = nullptr;     ///< where code is being made
  bool tests = true;         ///< patterns survive where ways meet, by a test at run time
  bool keep_parts = true;    ///< halves of pairs are made once; not on a way out, which leads nowhere else

  /// VGPRs that are in the wave block and nowhere else where code is being made; those that the instruction in progress leaves
  /// there; and those that ever are.
  RegSet resident;
  const RegSet* resident_writes = nullptr;
  const RegSet* resident_ever = nullptr;

  // Scalars: chunk kScalar. Flags: SCC is of 32 bits, 0 or 1.
  static constexpr unsigned kScalar = 4;
  Value read32(Reg r, unsigned chunk);
  Value read64(Reg r, unsigned chunk);
  void write32(Reg r, unsigned chunk, const Value& v);
  /// Kind u64, into r and r + 1. `low` and `high`: the same as two values, where there are any.
  void write64(Reg r, unsigned chunk, const Value& v, const Value& low = {}, const Value& high = {});

  llvm::Value* s32(Reg r) { return read32(r, kScalar).base; }
  llvm::Value* s64(Reg r) { return read64(r, kScalar).base; }
  void set_s32(Reg r, llvm::Value* v) { write32(r, kScalar, Values::scalar(Kind::u32, v)); }
  void set_s64(Reg r, llvm::Value* v) { write64(r, kScalar, Values::scalar(Kind::u64, v)); }

  /// The address of a register in the wave block.
  llvm::Value* home(Reg r, unsigned chunk);

  /// The value is what was loaded from there at the only entry, so it need not go back.
  bool from_home(Reg r, unsigned chunk, const Value& v) const;

  /// Fills the phis of versions whose ways in were not known. False if a guess about a loop turned out wrong: emit again.
  bool finish();
  /// Differences of lanes that registers have at entry (work-item numbers): from the launch.
  std::map<std::pair<Reg, unsigned>, std::pair<Pattern, uint64_t>> entry_patterns;   ///< pattern, bits that a base may have

  /// Asked before a phi is made in a loop: the ways from outside into a loop around the version that does not write r and begins
  /// nowhere else; else none. All of them are known then.
  llvm::function_ref<std::vector<Version::Edge>(const Version&, Reg, bool wide)> unchanged_from = nullptr;

  struct Guess { bool conditional = false, on_only = false, vector = false; };
  std::map<std::pair<uint32_t, uint32_t>, Guess>* guesses = nullptr;   ///< by version and key; kept from attempt to attempt

private:
  static uint32_t place(Reg r, unsigned chunk) { return static_cast<uint32_t>(r) << 3 | chunk; }
  Value pair_of(const Value (&parts)[2], unsigned chunk);
  Value read(Version* v, Reg r, unsigned chunk, bool wide);
  Value arrived(Version* v, Reg r, unsigned chunk, bool wide);
  Value load(Version* v, Reg r, unsigned chunk, bool wide);
  Value at_end(Version* v, Reg r, unsigned chunk, bool wide);
  Value merge(Version* v, Reg r, unsigned chunk, bool wide);
  Value promise(Version* v, Reg r, unsigned chunk, bool wide);
  llvm::PHINode* phi(Version* v, llvm::Type* type);
  struct Fitted { llvm::Value *base, *cond; };
  Fitted fit(Version* from, const Value& x, const Value& shape);
  llvm::Value* opaque(Version* v, llvm::Type* type);

  struct Promise {
    Version* version;
    Reg r;
    unsigned chunk;
    bool wide;
    Value value;    ///< of phis without arguments
  };
  std::vector<Promise> promises_;
  std::map<llvm::Type*, llvm::Function*> opaques_;
  std::map<std::pair<Reg, unsigned>, Value> loaded_;
  Values& values_;
  Ir& ir_;
  llvm::Value* wave_;
};

} // namespace bz::jit
