// Source to code object or bitcode, inside the process. Must not know the API's handles.
#pragma once
#include "hip/rtc/compiler.hpp"

namespace bz::rtc {

CompileResult compile(const CompileRequest& request);

/// LLVM's AMDGPU back end registered, fatal errors caught. Once per process, before anything else here.
void initialise();

} // namespace bz::rtc
