// One entry per row of api/hip_*.def, and the tables of them.
#include "hip/runtime/entry.hpp"
#include "hip/runtime/dispatch_table.hpp"
#include "hip/runtime/impl.hpp"

namespace bz::hip {
namespace entries {

#define BZ_CALL(traits, name, ...)                                                                                     \
  hipError_t name(BZ_PARAMS(__VA_ARGS__)) {                                                                            \
    return call<traits, capture_rule(#name)>(#name, {BZ_TEXTS(__VA_ARGS__)}, impl::name __VA_OPT__(, ) BZ_NAMES(__VA_ARGS__));              \
  }
#define BZ_ENTRY_Impl(name, ...) BZ_CALL(kImpl, name, __VA_ARGS__)
#define BZ_ENTRY_NoInit(name, ...) BZ_CALL(kNoInit, name, __VA_ARGS__)
#define BZ_ENTRY_Silent(name, ...) BZ_CALL(kSilent, name, __VA_ARGS__)
#define BZ_ENTRY_Todo(name, ...)                                                                                       \
  hipError_t name(BZ_TYPES(__VA_ARGS__)) { return unsupported(#name); }
#define API(slot, name, version, trait, ...) BZ_ENTRY_##trait(name, __VA_ARGS__)
#define VALUE(slot, name, version, type, ...)                                                                          \
  type name(BZ_PARAMS(__VA_ARGS__)) { return impl::name(BZ_NAMES(__VA_ARGS__)); }
#define SPT(slot, name, base, version, ...)                                                                            \
  hipError_t name(BZ_PARAMS(__VA_ARGS__)) {                                                                            \
    PerThreadNullStream redirect;                                                                                      \
    return call<kImpl, capture_rule(#base)>(#name, {BZ_TEXTS(__VA_ARGS__)}, impl::base __VA_OPT__(, ) BZ_NAMES(__VA_ARGS__));               \
  }
#include "api/hip_compiler.def"
#include "api/hip_runtime.def"
#undef API
#undef VALUE
#undef SPT

} // namespace entries

namespace {

constexpr bool is_row(std::string_view wanted) {
#define API(slot, name, ...)                                                                                           \
  if (wanted == #name) return true;
#define VALUE(...)
#define SPT(...)
#include "api/hip_runtime.def"
#undef API
#undef VALUE
#undef SPT
  return false;
}
#define UNSAFE(name) static_assert(is_row(#name), "hip_capture.def names a function that has no row");
#define DEVICE_WAIT(name) UNSAFE(name)
#include "api/hip_capture.def"
#undef UNSAFE
#undef DEVICE_WAIT

} // namespace

HipDispatchTable& runtime_table() {
  static HipDispatchTable table = [] {
    HipDispatchTable t{};
    t.size = sizeof t;
#define API(slot, name, ...) t.name##_fn = entries::name;
#define VALUE(slot, name, ...) t.name##_fn = entries::name;
#define SPT(slot, name, ...) t.name##_fn = entries::name;
#include "api/hip_runtime.def"
#undef API
#undef VALUE
#undef SPT
    return t;
  }();
  return table;
}

HipCompilerDispatchTable& compiler_table() {
  static HipCompilerDispatchTable table = [] {
    HipCompilerDispatchTable t{};
    t.size = sizeof t;
#define API(slot, name, ...) t.name##_fn = entries::name;
#define VALUE(slot, name, ...) t.name##_fn = entries::name;
#define SPT(slot, name, ...) t.name##_fn = entries::name;
#include "api/hip_compiler.def"
#undef API
#undef VALUE
#undef SPT
    return t;
  }();
  return table;
}

} // namespace bz::hip
