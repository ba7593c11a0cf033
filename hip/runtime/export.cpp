// The exported C symbols. Each is redeclared here from its row, so that a type that differs from the public header does
// not compile, and goes through the dispatch table, so that a profiler sees every call.
#include "hip/runtime/dispatch_table.hpp"
#include "hip/runtime/entry.hpp"

#include <cstdint>

#pragma GCC visibility push(default)
extern "C" {

#define API(slot, name, version, trait, ...)                                                                           \
  hipError_t name(BZ_PARAMS(__VA_ARGS__)) { return bz::hip::runtime_table().name##_fn(BZ_NAMES(__VA_ARGS__)); }
#define VALUE(slot, name, version, type, ...)                                                                          \
  type name(BZ_PARAMS(__VA_ARGS__)) { return bz::hip::runtime_table().name##_fn(BZ_NAMES(__VA_ARGS__)); }
#define SPT(slot, name, base, version, ...) API(slot, name, version, Spt, __VA_ARGS__)
#include "api/hip_runtime.def"
#undef API
#undef VALUE

#define API(slot, name, version, trait, ...)                                                                           \
  hipError_t name(BZ_PARAMS(__VA_ARGS__)) { return bz::hip::compiler_table().name##_fn(BZ_NAMES(__VA_ARGS__)); }
#define VALUE(slot, name, version, type, ...)                                                                          \
  type name(BZ_PARAMS(__VA_ARGS__)) { return bz::hip::compiler_table().name##_fn(BZ_NAMES(__VA_ARGS__)); }
#include "api/hip_compiler.def"
#undef API
#undef VALUE
#undef SPT

// ---- Symbols outside the tables: api/hip_extra.def ------------------------------------------------------------------

// As programs built before HIP 6 call them: today's headers redirect these names to the R0600 functions.
hipError_t hipGetDeviceProperties(hipDeviceProp_tR0000* prop, int device) {
  return hipGetDevicePropertiesR0000(prop, device);
}
hipError_t hipChooseDevice(int* device, const hipDeviceProp_tR0000* prop) { return hipChooseDeviceR0000(device, prop); }

// What profilers before rocprofiler-register called. Names are served; callbacks are not.
const char* hipGetCmdName(unsigned id) { return hipApiName(id); }
void hipRegisterTracerCallback(void*) { (void)bz::hip::unsupported("hipRegisterTracerCallback"); }

// There is no precompiled header: __HIP_HAS_GET_PCH is 0.
void __hipGetPCH(const char** pch, unsigned int* size) {
  if (pch) *pch = nullptr;
  if (size) *size = 0;
}

// Debuggers ask which build of the runtime this is.
const char* amd_dbgapi_get_build_name(void) { return HIP_VERSION_BUILD_NAME; }
const char* amd_dbgapi_get_git_hash(void) { return HIP_VERSION_GITHASH; }
size_t amd_dbgapi_get_build_id(void) { return HIP_VERSION_BUILD_ID; }

// Half conversions that host code of old compilers calls.
float __gnu_h2f_ieee(unsigned short h) { return static_cast<float>(__builtin_bit_cast(_Float16, h)); }
unsigned short __gnu_f2h_ieee(float f) { return __builtin_bit_cast(unsigned short, static_cast<_Float16>(f)); }

} // extern "C"
#pragma GCC visibility pop
