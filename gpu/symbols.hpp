// From a GPU address to names, as a debugger finds them: the loader's list of code objects (_amdgpu_r_debug, link_map
// with URIs), their ELF symbols, and source lines by libdw, which is loaded only here. It knows nothing of queues; used
// for reports.
#pragma once
#include <cstdint>
#include <string>

namespace bz::gpu {

struct CodePlace {
  std::string kernel;  ///< demangled; empty: not found
  std::string symbol;  ///< of the function that holds the pc, demangled; may differ from the kernel
  uint64_t offset = 0; ///< of the pc in that function
  std::string source;  ///< "file:line", empty without debug information
  std::string uri;     ///< of the code object
  std::string missing; ///< why a part above is empty, and the remedy
};

/// pc: of the faulting instruction, 0 if unknown; kernel_object: address of the kernel descriptor.
CodePlace find_code(uint64_t pc, uint64_t kernel_object);

/// Where the loader's r_debug is, if it told the driver (RUNTIME_ENABLE); otherwise the symbol _amdgpu_r_debug is
/// looked up.
void set_loader_list(uint64_t r_debug);

} // namespace bz::gpu
