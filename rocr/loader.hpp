// Executables: code objects put into an agent's memory, their symbols, and what debuggers ask about them. Owns the
// readers, the executables and the bytes. Parsing and relocating is codeobj/'s work. Must not know queues or signals.
#pragma once
#include "codeobj/codeobj.hpp"
#include "rocr/agent.hpp"
#include "rocr/debug_map.hpp"
#include "rocr/handles.hpp"
#include "rocr/memory.hpp"

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace bz::rocr {

/// Bytes of a code object with where they came from.
struct CodeSource {
  std::vector<std::byte> owned; ///< of a file
  codeobj::Bytes bytes;         ///< what to load
  int file = -1;                ///< the caller's descriptor, or -1 for memory
  std::string path;             ///< of the file, if it has one
  uint64_t file_offset = 0;
};

struct LoadedCodeObject;
struct Executable;

/// A kernel or variable of a loaded code object, or a variable that the program defined.
struct Symbol {
  hsa_symbol_kind_t kind = HSA_SYMBOL_KIND_VARIABLE;
  std::string name; ///< a kernel's is that of its descriptor, "saxpy.kd"
  hsa_executable_t executable{};
  std::optional<hsa_agent_t> agent; ///< none for program allocation
  uint64_t address = 0;             ///< on the agent
  uint64_t size = 0;
  uint32_t alignment = 1;
  bool is_const = false, is_definition = true;
  bool module_linkage = false;
  // Kernels.
  uint32_t kernarg_size = 0, kernarg_align = 16, group_size = 0, private_size = 0, wavefront_size = 64;
  bool dynamic_stack = false;
};

struct LoadedCodeObject {
  hsa_executable_t executable{};
  uint64_t handle = 0;
  Agent* agent = nullptr;
  std::vector<std::byte> image; ///< our copy of the ELF: outlives the reader and is what URIs of memory name
  std::optional<codeobj::CodeObject> object; ///< a view of image
  int file = -1;
  std::string uri;
  std::byte* memory = nullptr; ///< where it is loaded
  uint64_t device_address = 0;
  int64_t delta = 0; ///< loaded address minus address in the file
  std::vector<std::pair<uint64_t, std::shared_ptr<Symbol>>> symbols;
  DebugMapEntry* debug = nullptr;

  uint64_t size() const { return object->layout().size; }
  bool contains(uint64_t address) const { return address >= device_address && address - device_address < size(); }
};

struct Executable {
  hsa_executable_t handle{};
  hsa_profile_t profile = HSA_PROFILE_BASE;
  hsa_default_float_rounding_mode_t rounding = HSA_DEFAULT_FLOAT_ROUNDING_MODE_DEFAULT;
  mutable std::shared_mutex mutex;
  bool frozen = false;
  std::vector<std::shared_ptr<LoadedCodeObject>> loaded;
  /// Variables that the program defined: by agent (nullptr: all) and name.
  std::map<std::pair<Agent*, std::string>, std::pair<uint64_t, std::shared_ptr<Symbol>>> defined;
};

/// The legacy code object: bytes with their parsed form.
struct CodeObjectFile {
  std::vector<std::byte> image;
  std::optional<codeobj::CodeObject> object;
  Isa* isa = nullptr;
  std::vector<std::pair<uint64_t, std::shared_ptr<Symbol>>> symbols;
};

class Loader {
public:
  explicit Loader(Memory& memory) : memory_(memory) {}
  ~Loader();
  Loader(const Loader&) = delete;

  Result<hsa_code_object_reader_t> create_reader(CodeSource source);
  Outcome destroy_reader(hsa_code_object_reader_t reader);
  Result<std::shared_ptr<CodeSource>> reader(hsa_code_object_reader_t handle) const;

  Result<hsa_executable_t> create(hsa_profile_t profile, hsa_default_float_rounding_mode_t rounding);
  Outcome destroy(hsa_executable_t handle);
  Result<std::shared_ptr<Executable>> executable(hsa_executable_t handle) const;
  Result<hsa_loaded_code_object_t> load(Executable& executable, Agent& agent, const CodeSource& source);
  Outcome freeze(Executable& executable);
  /// agent nullptr: program allocation.
  Outcome define(Executable& executable, Agent* agent, const char* name, void* address, bool read_only);

  /// The symbol of this name for an agent (nullptr: program allocation).
  Result<hsa_executable_symbol_t> find_symbol(const Executable& executable, std::string_view name, Agent* agent) const;
  Result<std::shared_ptr<Symbol>> symbol(hsa_executable_symbol_t handle) const;
  Result<std::shared_ptr<LoadedCodeObject>> loaded(hsa_loaded_code_object_t handle) const;
  std::vector<std::shared_ptr<Executable>> executables() const;
  /// The loaded code object that holds this device address, or nullptr.
  std::shared_ptr<LoadedCodeObject> at(uint64_t device_address) const;

  Result<hsa_code_object_t> parse(codeobj::Bytes bytes, Isa* (*find_isa)(void*, const codeobj::TargetId&),
                                  void* context);
  Result<std::shared_ptr<CodeObjectFile>> code_object(hsa_code_object_t handle) const;
  Outcome destroy_code_object(hsa_code_object_t handle);
  Result<std::shared_ptr<Symbol>> code_symbol(hsa_code_symbol_t handle) const;

private:
  void unload(LoadedCodeObject& object);

  Memory& memory_;
  HandleTable<CodeSource> readers_{HandleKind::reader};
  HandleTable<Executable> executables_{HandleKind::executable};
  HandleTable<LoadedCodeObject> loaded_{HandleKind::loaded};
  HandleTable<Symbol> symbols_{HandleKind::symbol};
  HandleTable<CodeObjectFile> code_objects_{HandleKind::code_object};
  HandleTable<Symbol> code_symbols_{HandleKind::code_symbol};
};

} // namespace bz::rocr
