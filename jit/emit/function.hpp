// IR of a unit: one function that runs one wave. Each guest block is made twice where it can be reached both ways: for EXEC all
// ones, without masks, and in general. Owns control flow, operands and the calls to the host; memory.cpp and cross.cpp have the
// instructions that take their operands by themselves. Must not know passes or object files.
#pragma once
#include "exec/native/abi.hpp"
#include "jit/emit/registers.hpp"
#include "jit/flow/loops.hpp"
#include "jit/flow/pieces.hpp"

#include <llvm/IR/DIBuilder.h>
#include <llvm/IR/Module.h>

#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>

namespace bz::jit {

/// What came out besides the IR.
struct FunctionFacts {
  std::vector<uint32_t> outcalls;   ///< dwords from the request's begin
  bool switches = false;
  std::map<uint32_t, std::set<std::string>> notes;   ///< by dword: what was decided about an instruction, for people
  uint32_t attempts = 0;            ///< how often the function was made until all guesses about loops were right
};

class FunctionEmitter {
public:
  FunctionEmitter(llvm::Module& module, const Unit& unit, const exec::NativeRequest& request, const MathTraits& traits);

  /// Makes `name` (a NativeFn). Once per emitter.
  FunctionFacts emit(const char* name);

private:
  using Chunks = std::array<Value, kChunks>;

  // function.cpp: versions and control
  void plan();
  std::vector<Version::Edge> unchanged_from(const Version& v, Reg r, bool wide) const;
  bool attempt(const char* name);
  void emit_version(Version& v);
  void emit_end(Version& v, const Block& b);
  llvm::BasicBlock* edge(Version& from, uint32_t guest, bool full);
  void go(Version& from, uint32_t guest, const Block& b);
  void split_by_exec(Version& from, uint32_t guest);
  void back_edge();
  void leave(exec::NativeExit why, llvm::Value* target);
  void store_everything();
  void send_home(Reg r, unsigned chunk);
  llvm::Value* address_of(uint64_t pc);
  bool on(std::string_view optimisation) const;
  bool starts_full(uint32_t entry) const;

  // function.cpp: calls and the context
  llvm::Value* context_field(size_t offset, llvm::Type* type);
  llvm::Value* wave_field(size_t offset);
  void call_helper(size_t offset, std::initializer_list<llvm::Value*> args, bool keeps_registers = false);
  void yield(exec::YieldReason why, uint32_t argument);

  // instruction.cpp: one instruction
  void instruction(const Instruction& x);
  void lane_nodes(const Instruction& x);
  Value low_half(const Instruction& x, NodeId id, const std::vector<Value>& values, unsigned chunk);
  Value source(const Instruction& x, const Node& n, unsigned chunk);
  Value operand_value(const isa::Operand& o, Kind kind, unsigned dword, unsigned chunk, bool packed);
  Value node_value(const Instruction& x, const Node& n, const std::vector<Value>& values, unsigned chunk);
  void outcall(const Instruction& x);
  void call_out(const Instruction& x);
  void note(const Instruction& x, std::string text);
  Value from_home(Reg r, unsigned chunk);
  Value lanes_in(const Instruction& x, unsigned chunk);
  /// A mask of the wave from the flags of its chunks, and back.
  llvm::Value* wave_mask(const Chunks& flags);
  Value mask_chunk(llvm::Value* mask, unsigned chunk);
  /// EXEC of a chunk; null in versions for full waves.
  llvm::Value* exec_mask(unsigned chunk);
  /// Result of a lane: merged with what was there where lanes that are off are still wanted. `mask`: of this instruction.
  void put(const Instruction& x, Reg r, unsigned chunk, const Value& v, llvm::Value* mask, bool always);

  // memory.cpp
  void scalar_load(const Instruction& x, unsigned dwords);
  void scalar_buffer_load(const Instruction& x, unsigned dwords);
  struct Access;
  void load(const Instruction& x, MemoryImm m);
  void store(const Instruction& x, MemoryImm m);
  void two_cells(const Instruction& x, unsigned dwords, unsigned stride, bool is_load);
  Access access_of(const Instruction& x, MemoryImm m, bool is_load);
  void transfer(const Instruction& x, const Access& a);
  std::string describe(const Access& a, const Chunks& address) const;
  void atomic(const Instruction& x, AtomicImm m);
using Make = llvm::function_ref<void(std::vector<Chunks>&)>;
  void moves(const Instruction& x, const Access& a, const Chunks& address, const std::vector<Chunks>& data, std::vector<Chunks>& result);
  void either(llvm::Value* condition, std::vector<Chunks>& result, bool as_uniform, Make first, Make second);
  Value chunk_address(const Access& a, unsigned chunk);
  /// i1: the fast form may be used for the chunk; null: always.
  llvm::Value* fast_condition(const Access& a, const Value& address, unsigned chunk);
  llvm::Value* pointer_at(const Access& a, const Value& address, int64_t offset);
  llvm::Value* lane_pointers(const Access& a, const Value& address, int64_t offset);
  std::vector<Value> load_cell(const Access& a, const Value& address, unsigned chunk, int64_t offset);
  void store_cell(const Access& a, const Value& address, unsigned chunk, int64_t offset, const std::vector<Value>& data);
  std::vector<Value> load_private(const Access& a, const Value& address, unsigned chunk);
  void store_private(const Access& a, const Value& address, unsigned chunk, const std::vector<Value>& data);
  Value widen(isa::Elem e, llvm::Value* narrow);

  // pieces.cpp: lanes at constant distances, all on. None, false: not by a few plain accesses.
  struct Address { llvm::Value* pointer; Pattern pattern; llvm::Value* scale; Pattern steps; };   ///< of lane 0, and how the others differ
  std::optional<std::vector<Value>> load_pieces(const Address& at, unsigned dwords, bool ordered);
  llvm::Value* piece_pointer(const Address& at, const Piece& piece);
  bool store_pieces(const Address& at, const std::vector<llvm::Value*>& data, bool ordered);

  // matrix.cpp
  void matrix(const Instruction& x);
  uint32_t matrix_rows(const isa::Operand& o);
  void flush_matrix();

  // cross.cpp
  Value read_lane(const Instruction& x, const Node& n, const Value& lane);
  void write_lane(const Instruction& x, const Value& lane, const Value& v);
  Value first_active();
  Chunks dpp(const Instruction& x, const Node& n, std::array<llvm::Value*, kChunks>& keep);
  void swizzle(const Instruction& x);
  void bpermute(const Instruction& x);
  /// Lanes of a row of four chunks in another order; -1: 0.
  llvm::Value* gather_lanes(const std::array<llvm::Value*, kChunks>& row, const std::array<int, kLanes>& from);

  llvm::Module& module_;
  const Unit& unit_;
  const exec::NativeRequest& request_;
  MathTraits traits_;
  Ir ir_;
  Values values_;
  std::unique_ptr<Registers> regs_;
  llvm::Function* function_ = nullptr;
  llvm::Value *context_ = nullptr, *wave_ = nullptr, *code_ = nullptr, *lds_ = nullptr, *helpers_ = nullptr, *table_ = nullptr, *tables_ = nullptr, *matrix_rows_ = nullptr;
  std::vector<Version> versions_;                 ///< of blocks: 2 * guest + full; then entries
  std::vector<uint32_t> order_;                   ///< of making
  std::vector<std::vector<uint32_t>> before_;     ///< by version: those that may lead to it
  std::map<uint32_t, Loop> loops_;
  std::map<std::pair<uint32_t, uint32_t>, Registers::Guess> guesses_;
  struct MaskParts { Chunks flags; Version* at; };
  std::map<llvm::Value*, MaskParts> mask_parts_;
  std::array<llvm::Value*, kChunks> exec_masks_{};
  FunctionFacts facts_;
  // Lines are guest instructions: dwords from the request's begin, counted from 1.
  llvm::DIBuilder lines_;
  llvm::DICompileUnit* lines_unit_ = nullptr;
  llvm::DISubprogram* lines_function_ = nullptr;

  /// Matrix products that are still to be made. Offsets are bytes from matrix_rows_.
  struct MatrixQueue {
    struct Link { uint32_t left, right; };
    struct Sum { Reg first; unsigned dwords; uint64_t shape; std::vector<Link> links; };
    std::vector<Sum> sums;
    RegSet busy;                                               ///< registers of sums
    std::map<std::vector<llvm::Value*>, uint32_t> copies;      ///< of factors, by their values
    std::map<std::array<uint32_t, 5>, uint32_t> conversions;   ///< kind, side, depth, blocks and place; to where
    uint32_t bytes = 0;
    uint32_t converted(uint32_t raw, MatrixImm m);
  };
  MatrixQueue queue_;

  // Of the instruction in progress.
  struct Write { Reg r; unsigned chunk; Value value; };
  std::vector<Write> writes_;
  llvm::Value* branch_condition_ = nullptr;
  llvm::Value* jump_target_ = nullptr;
};

} // namespace bz::jit
