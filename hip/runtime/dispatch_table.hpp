// The dispatch tables that every exported function goes through and that a profiler may replace entries of. Layout is
// frozen: a size, then one pointer per slot, in slot order. Must not know what the functions do.
#pragma once
#include "hip/runtime/api_headers.hpp"
#include "hip/runtime/row_macros.hpp"

#include <cstddef>

namespace bz::hip {

struct HipDispatchTable {
  size_t size;
#define API(slot, name, version, trait, ...) hipError_t (*name##_fn)(BZ_TYPES(__VA_ARGS__));
#define VALUE(slot, name, version, type, ...) type (*name##_fn)(BZ_TYPES(__VA_ARGS__));
#define SPT(slot, name, base, version, ...) hipError_t (*name##_fn)(BZ_TYPES(__VA_ARGS__));
#include "api/hip_runtime.def"
#undef API
#undef VALUE
#undef SPT
};

struct HipCompilerDispatchTable {
  size_t size;
#define API(slot, name, version, trait, ...) hipError_t (*name##_fn)(BZ_TYPES(__VA_ARGS__));
#define VALUE(slot, name, version, type, ...) type (*name##_fn)(BZ_TYPES(__VA_ARGS__));
#define SPT(slot, name, base, version, ...) hipError_t (*name##_fn)(BZ_TYPES(__VA_ARGS__));
#include "api/hip_compiler.def"
#undef API
#undef VALUE
#undef SPT
};

#define API(slot, name, ...) static_assert(offsetof(HipDispatchTable, name##_fn) == 8 + 8 * slot, #name);
#define VALUE(slot, name, ...) static_assert(offsetof(HipDispatchTable, name##_fn) == 8 + 8 * slot, #name);
#define SPT(slot, name, ...) static_assert(offsetof(HipDispatchTable, name##_fn) == 8 + 8 * slot, #name);
#include "api/hip_runtime.def"
#undef API
#undef VALUE
#undef SPT
#define API(slot, name, ...) static_assert(offsetof(HipCompilerDispatchTable, name##_fn) == 8 + 8 * slot, #name);
#define VALUE(slot, name, ...) static_assert(offsetof(HipCompilerDispatchTable, name##_fn) == 8 + 8 * slot, #name);
#define SPT(slot, name, ...) static_assert(offsetof(HipCompilerDispatchTable, name##_fn) == 8 + 8 * slot, #name);
#include "api/hip_compiler.def"
#undef API
#undef VALUE
#undef SPT

/// Filled with our own entries before the first exported call.
HipDispatchTable& runtime_table();
HipCompilerDispatchTable& compiler_table();

} // namespace bz::hip
