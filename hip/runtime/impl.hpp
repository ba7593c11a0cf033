// Declarations of all hand-written functions, derived from the rows: a row with a body and no definition fails to link.
// Must not know how calls arrive (entry.cpp).
#pragma once
#include "hip/runtime/api_headers.hpp"
#include "hip/runtime/result.hpp"
#include "hip/runtime/row_macros.hpp"

namespace bz::hip::impl {

#define BZ_IMPL_Impl(name, ...) Result name(BZ_PARAMS(__VA_ARGS__));
#define BZ_IMPL_NoInit(name, ...) Result name(BZ_PARAMS(__VA_ARGS__));
#define BZ_IMPL_Silent(name, ...) Result name(BZ_PARAMS(__VA_ARGS__));
#define BZ_IMPL_Todo(name, ...)
#define API(slot, name, version, trait, ...) BZ_IMPL_##trait(name, __VA_ARGS__)
#define VALUE(slot, name, version, type, ...) type name(BZ_PARAMS(__VA_ARGS__));
#define SPT(...)
#include "api/hip_compiler.def"
#include "api/hip_runtime.def"
#undef API
#undef VALUE
#undef SPT

} // namespace bz::hip::impl
