// From a request to a flat image: analysis, IR, a few passes, code generation, and the object's sections laid side by side.
#pragma once
#include "base/status.hpp"
#include "exec/native/abi.hpp"

#include <map>
#include <set>
#include <string>

namespace bz::jit {

/// What happened on the way, for reports and benches. Milliseconds.
struct CompileReport {
  double analysis_ms = 0, emit_ms = 0, passes_ms = 0, codegen_ms = 0;
  uint32_t attempts = 0;
  std::map<uint32_t, std::set<std::string>> notes;   ///< by dword of the request's code: what was decided about an instruction
  std::string ir;         ///< if wanted: after the passes
  std::string assembly;
};

/// `report` may be null; with `want_text` it gets IR and assembly.
Status compile(const exec::NativeRequest& request, exec::NativeImage& image, CompileReport* report = nullptr, bool want_text = false);

} // namespace bz::jit
