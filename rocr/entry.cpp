#include "rocr/entry.hpp"

#include "base/log.hpp"
#include "rocr/impl.hpp"
#include "rocr/logging.hpp"
#include "rocr/runtime.hpp"

#include <algorithm>
#include <atomic>
#include <cstring>
#include <new>

namespace bz::rocr {

namespace {

/// Failures that a user can do something about are shown without asking for them.
bool worth_a_warning(hsa_status_t code) {
  return code == HSA_STATUS_ERROR_INVALID_CODE_OBJECT || code == HSA_STATUS_ERROR_INCOMPATIBLE_ARGUMENTS ||
         code == HSA_STATUS_ERROR_OUT_OF_RESOURCES || code == HSA_STATUS_ERROR_VARIABLE_UNDEFINED;
}

hsa_status_t finish(const char* name, const Outcome& outcome) {
  if (outcome.message().empty()) return outcome.code();
  if (logs(HSA_AMD_LOG_FLAG_INFO))
    log_for_program(fmt::format("{}: {}: {}", name, status_name(outcome.code()), outcome.message()));
  const Level level = worth_a_warning(outcome.code()) ? Level::warn : Level::info;
  log("rocr", level, "{}: {}: {}", name, status_name(outcome.code()), outcome.message());
  return outcome.code();
}

template <class F> hsa_status_t guarded(const char* name, F f) {
  try {
    return finish(name, f());
  } catch (const std::bad_alloc&) {
    log("rocr", Level::error, "{}: host memory is used up", name);
    return HSA_STATUS_ERROR_OUT_OF_RESOURCES;
  }
}

template <class F> hsa_status_t with_runtime(const char* name, F f) {
  Runtime* runtime = Runtime::current();
  if (!runtime) {
    log("rocr", Level::info, "{}: the runtime is not open, call hsa_init first", name);
    return HSA_STATUS_ERROR_NOT_INITIALIZED;
  }
  if (in_forked_child()) return HSA_STATUS_ERROR_NOT_INITIALIZED;
  return guarded(name, [&] { return f(*runtime); });
}

hsa_status_t not_done(const char* name, std::atomic<bool>& said) {
  if (!Runtime::current()) return HSA_STATUS_ERROR_NOT_INITIALIZED;
  if (!said.exchange(true)) log("rocr", Level::warn, "{} is not implemented: HSA_STATUS_ERROR_NOT_SUPPORTED", name);
  return static_cast<hsa_status_t>(HSA_STATUS_ERROR_NOT_SUPPORTED);
}

} // namespace

// What the tables point to.
namespace entry {

#define ROCR_BODY_Impl(name, ...)                                                                                      \
  return with_runtime(#name, [&](Runtime& runtime) { return impl::name(runtime ROCR_ARGS_AFTER(__VA_ARGS__)); });
#define ROCR_BODY_NoInit(name, ...) return guarded(#name, [&] { return impl::name(ROCR_ARGS(__VA_ARGS__)); });
#define ROCR_BODY_Todo(name, ...)                                                                                      \
  static std::atomic<bool> said;                                                                                       \
  return not_done(#name, said);
#define API(table, slot, name, trait, ...)                                                                             \
  hsa_status_t name(ROCR_PARAMS(__VA_ARGS__)) { ROCR_BODY_##trait(name __VA_OPT__(, ) __VA_ARGS__) }
#define VALUE(table, slot, type, name, ...)                                                                            \
  type name(ROCR_PARAMS(__VA_ARGS__)) { return impl::name(ROCR_ARGS(__VA_ARGS__)); }
#define ALIAS(...)
#pragma clang diagnostic push
#pragma clang diagnostic ignored "-Wunused-parameter" // of Todo rows
#include "api/hsa.def"
#pragma clang diagnostic pop
#undef API
#undef VALUE
#undef ALIAS

} // namespace entry

namespace {

// A slot that moves breaks every tool: rows and structures must agree.
#define SLOT_Core(name, slot) static_assert(offsetof(CoreApiTable, name##_fn) == (slot) * 8);
#define SLOT_Amd(name, slot) static_assert(offsetof(AmdExtTable, name##_fn) == (slot) * 8);
#define SLOT_Hidden(name, slot) SLOT_Amd(name, slot)
#define SLOT_Finalizer(name, slot) static_assert(offsetof(FinalizerExtTable, name##_fn) == (slot) * 8);
#define SLOT_Image(name, slot) static_assert(offsetof(ImageExtTable, name##_fn) == (slot) * 8);
#define SLOT_PcSampling(name, slot) static_assert(offsetof(PcSamplingExtTable, name##_fn) == (slot) * 8);
#define SLOT_Loader(name, slot) static_assert(offsetof(hsa_ven_amd_loader_1_03_pfn_t, name) == (slot) * 8);
#define SLOT_None(name, slot) static_assert((slot) == 0);
#define API(table, slot, name, trait, ...) SLOT_##table(name, slot)
#define VALUE(table, slot, type, name, ...) SLOT_##table(name, slot)
#define ALIAS(...)
#include "api/hsa.def"
#undef API
#undef VALUE
#undef ALIAS

#define IN_Core(x)
#define IN_Amd(x)
#define IN_Hidden(x)
#define IN_Finalizer(x)
#define IN_Image(x)
#define IN_PcSampling(x)
#define IN_Loader(x)
#define IN_None(x)
#define API(table, slot, name, trait, ...) IN_##table(name)
#define VALUE(table, slot, type, name, ...) IN_##table(name)
#define ALIAS(...)
#define OWN(name) .name##_fn = &entry::name,

#undef IN_Core
#define IN_Core(name) OWN(name)
constexpr CoreApiTable kCore = {
    .version = {HSA_CORE_API_TABLE_MAJOR_VERSION, sizeof(CoreApiTable), HSA_CORE_API_TABLE_STEP_VERSION, 0},
#include "api/hsa.def"
};
#undef IN_Core
#define IN_Core(x)
#undef IN_Amd
#undef IN_Hidden
#define IN_Amd(name) OWN(name)
#define IN_Hidden(name) OWN(name)
constexpr AmdExtTable kAmd = {
    .version = {HSA_AMD_EXT_API_TABLE_MAJOR_VERSION, sizeof(AmdExtTable), HSA_AMD_EXT_API_TABLE_STEP_VERSION, 0},
#include "api/hsa.def"
};
#undef IN_Amd
#undef IN_Hidden
#define IN_Amd(x)
#define IN_Hidden(x)
#undef IN_Finalizer
#define IN_Finalizer(name) OWN(name)
constexpr FinalizerExtTable kFinalizer = {
    .version = {HSA_FINALIZER_API_TABLE_MAJOR_VERSION, sizeof(FinalizerExtTable), HSA_FINALIZER_API_TABLE_STEP_VERSION,
                0},
#include "api/hsa.def"
};
#undef IN_Finalizer
#define IN_Finalizer(x)
#undef IN_Image
#define IN_Image(name) OWN(name)
constexpr ImageExtTable kImage = {
    .version = {HSA_IMAGE_API_TABLE_MAJOR_VERSION, sizeof(ImageExtTable), HSA_IMAGE_API_TABLE_STEP_VERSION, 0},
#include "api/hsa.def"
};
#undef IN_Image
#define IN_Image(x)
#undef IN_PcSampling
#define IN_PcSampling(name) OWN(name)
constexpr PcSamplingExtTable kPcSampling = {
    .version = {HSA_PC_SAMPLING_API_TABLE_MAJOR_VERSION, sizeof(PcSamplingExtTable),
                HSA_PC_SAMPLING_API_TABLE_STEP_VERSION, 0},
#include "api/hsa.def"
};
#undef IN_PcSampling
#define IN_PcSampling(x)
#undef OWN
#undef IN_Loader
#define IN_Loader(name) .name = &entry::name,
constexpr hsa_ven_amd_loader_1_03_pfn_t kLoader = {
#include "api/hsa.def"
};
#undef API
#undef VALUE
#undef ALIAS

// The tables in use. Constant initialization: callers may run before our constructors would.
constinit CoreApiTable core_table = kCore;
constinit AmdExtTable amd_table = kAmd;
constinit FinalizerExtTable finalizer_table = kFinalizer;
constinit ImageExtTable image_table = kImage;
constinit PcSamplingExtTable pc_sampling_table = kPcSampling;
constinit ToolsApiTable tools_table = {
    {HSA_TOOLS_API_TABLE_MAJOR_VERSION, sizeof(ToolsApiTable), HSA_TOOLS_API_TABLE_STEP_VERSION, 0},
    nullptr,
    nullptr,
    nullptr,
    nullptr,
    nullptr,
    nullptr};
constinit HsaApiTable root = {
    .version = {HSA_API_TABLE_MAJOR_VERSION, sizeof(HsaApiTable), HSA_API_TABLE_STEP_VERSION, 0},
    .core_ = &core_table,
    .amd_ext_ = &amd_table,
    .finalizer_ext_ = &finalizer_table,
    .image_ext_ = &image_table,
    .tools_ = &tools_table,
    .pc_sampling_ext_ = &pc_sampling_table};

} // namespace

HsaApiTable& api_table() { return root; }

void reset_api_table() {
  core_table = kCore;
  amd_table = kAmd;
  finalizer_table = kFinalizer;
  image_table = kImage;
  pc_sampling_table = kPcSampling;
}

void fill_loader_table(void* table, size_t bytes) { std::memcpy(table, &kLoader, std::min(bytes, sizeof(kLoader))); }

void fill_image_table(void* table, size_t bytes) {
  static constexpr hsa_ext_images_1_pfn_t kImages{
      .hsa_ext_image_get_capability = ::hsa_ext_image_get_capability,
      .hsa_ext_image_data_get_info = ::hsa_ext_image_data_get_info,
      .hsa_ext_image_create = ::hsa_ext_image_create,
      .hsa_ext_image_destroy = ::hsa_ext_image_destroy,
      .hsa_ext_image_copy = ::hsa_ext_image_copy,
      .hsa_ext_image_import = ::hsa_ext_image_import,
      .hsa_ext_image_export = ::hsa_ext_image_export,
      .hsa_ext_image_clear = ::hsa_ext_image_clear,
      .hsa_ext_sampler_create = ::hsa_ext_sampler_create,
      .hsa_ext_sampler_destroy = ::hsa_ext_sampler_destroy,
      .hsa_ext_image_get_capability_with_layout = ::hsa_ext_image_get_capability_with_layout,
      .hsa_ext_image_data_get_info_with_layout = ::hsa_ext_image_data_get_info_with_layout,
      .hsa_ext_image_create_with_layout = ::hsa_ext_image_create_with_layout,
      .hsa_ext_sampler_create_v2 = ::hsa_ext_sampler_create_v2};
  std::memcpy(table, &kImages, std::min(bytes, sizeof kImages));
}

} // namespace bz::rocr

// The exported symbols. A type that differs from the public header is a compile error here: the export redeclares it.
using namespace bz::rocr;
#define ROCR_EXPORT extern "C" __attribute__((visibility("default")))
#define THROUGH_Core(name) core_table.name##_fn
#define THROUGH_Amd(name) amd_table.name##_fn
#define THROUGH_Finalizer(name) finalizer_table.name##_fn
#define THROUGH_Image(name) image_table.name##_fn
#define THROUGH_PcSampling(name) pc_sampling_table.name##_fn
#define THROUGH_None(name) entry::name
#define EXPORT_Core(type, table, name, ...)                                                                            \
  ROCR_EXPORT type name(ROCR_PARAMS(__VA_ARGS__)) { return THROUGH_##table(name)(ROCR_ARGS(__VA_ARGS__)); }
#define EXPORT_Amd(...) EXPORT_Core(__VA_ARGS__)
#define EXPORT_Finalizer(...) EXPORT_Core(__VA_ARGS__)
#define EXPORT_Image(...) EXPORT_Core(__VA_ARGS__)
#define EXPORT_PcSampling(...) EXPORT_Core(__VA_ARGS__)
#define EXPORT_None(...) EXPORT_Core(__VA_ARGS__)
#define EXPORT_Hidden(...)
#define EXPORT_Loader(...)
#define API(table, slot, name, trait, ...) EXPORT_##table(hsa_status_t, table, name __VA_OPT__(, ) __VA_ARGS__)
#define VALUE(table, slot, type, name, ...) EXPORT_##table(type, table, name __VA_OPT__(, ) __VA_ARGS__)
#define ALIAS(type, name, successor, ...)                                                                              \
  ROCR_EXPORT type name(ROCR_PARAMS(__VA_ARGS__)) { return ::successor(ROCR_ARGS(__VA_ARGS__)); }
#include "api/hsa.def"
