// Declares the hand-written part of every API function, derived from api/hsa.def:
//   Outcome impl::name(Runtime&, arguments...)   rows with the trait Impl
//   Outcome impl::name(arguments...)             rows with the trait NoInit
//   type impl::name(arguments...)                VALUE rows (signal and queue-index operations: no check, no runtime)
// Owns nothing; the definitions stand in api_*.cpp by family.
#pragma once
#include "rocr/api_types.hpp"
#include "rocr/outcome.hpp"

namespace bz::rocr {

class Runtime;

namespace impl {

#define ROCR_DECLARE_Impl(name, ...) Outcome name(Runtime& runtime ROCR_PARAMS_AFTER(__VA_ARGS__));
#define ROCR_DECLARE_NoInit(name, ...) Outcome name(ROCR_PARAMS(__VA_ARGS__));
#define ROCR_DECLARE_Todo(name, ...)
#define API(table, slot, name, trait, ...) ROCR_DECLARE_##trait(name __VA_OPT__(, ) __VA_ARGS__)
#define VALUE(table, slot, type, name, ...) type name(ROCR_PARAMS(__VA_ARGS__));
#define ALIAS(...)
#include "api/hsa.def"
#undef API
#undef VALUE
#undef ALIAS

} // namespace impl
} // namespace bz::rocr
