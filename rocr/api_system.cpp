// hsa_init, system information, extensions, tools.
#include "hsakmt/boltzmann.h"
#include "rocr/entry.hpp"
#include "rocr/image.hpp"
#include "rocr/impl.hpp"
#include "rocr/logging.hpp"
#include "rocr/put.hpp"
#include "rocr/runtime.hpp"

#include <array>
#include <cstring>

namespace bz::rocr::impl {

namespace {

/// Version of HSA that the release imitated reports (rocminfo: "Runtime Version").
constexpr uint16_t kVersionMajor = 1, kVersionMinor = 18;
constexpr const char* kBuildVersion = "Boltzmann 7.1.0";

struct Extension {
  hsa_extension_t number;
  const char* name;
  bool present;
  uint16_t major, minor;
};
constexpr Extension kExtensions[] = {
    {HSA_EXTENSION_FINALIZER, "HSA_EXTENSION_FINALIZER", false, 1, 0},
    {HSA_EXTENSION_IMAGES, "HSA_EXTENSION_IMAGES", true, 1, 0},
    {HSA_EXTENSION_PERFORMANCE_COUNTERS, "HSA_EXTENSION_PERFORMANCE_COUNTERS", false, 1, 0},
    {HSA_EXTENSION_PROFILING_EVENTS, "HSA_EXTENSION_PROFILING_EVENTS", false, 1, 0},
    {HSA_EXTENSION_AMD_PROFILER, "HSA_EXTENSION_AMD_PROFILER", true, 1, 0},
    {HSA_EXTENSION_AMD_LOADER, "HSA_EXTENSION_AMD_LOADER", true, 1, 3},
    {HSA_EXTENSION_AMD_AQLPROFILE, "HSA_EXTENSION_AMD_AQLPROFILE", false, 1, 0},
    {HSA_EXTENSION_AMD_PC_SAMPLING, "HSA_EXTENSION_AMD_PC_SAMPLING", false, 1, 0},
};

Result<const Extension*> extension(uint16_t number) {
  for (const Extension& e : kExtensions)
    if (e.number == number) return &e;
  return fail(HSA_STATUS_ERROR_INVALID_ARGUMENT, "there is no extension {}", number);
}

Outcome supported(uint16_t number, uint16_t major, uint16_t minor, bool* result) {
  if (!result) return null_argument("result");
  *result = false;
  ROCR_TRY_ASSIGN(const Extension* e, extension(number));
  *result = e->present && e->major == major && minor <= e->minor;
  return {};
}

bool has_extension(const Agent& agent, uint16_t number) {
  return agent.is_gpu() && (number != HSA_EXTENSION_IMAGES || ImageLimits::of(agent).images);
}

Outcome major_supported(uint16_t number, uint16_t major, uint16_t* minor, bool* result) {
  if (!result) return null_argument("result");
  if (!minor) return null_argument("version_minor");
  *result = false;
  *minor = 0;
  ROCR_TRY_ASSIGN(const Extension* e, extension(number));
  *result = e->present && e->major == major;
  if (*result) *minor = e->minor;
  return {};
}

} // namespace

std::array<uint8_t, 128> extension_bits() {
  std::array<uint8_t, 128> bits{};
  for (const Extension& e : kExtensions)
    if (e.present) bits[e.number / 8] |= static_cast<uint8_t>(1u << (e.number % 8));
  return bits;
}

Outcome hsa_init() { return Runtime::open(); }
Outcome hsa_shut_down() { return Runtime::close(); }

Outcome hsa_status_string(hsa_status_t status, const char** status_string) {
  if (!status_string) return null_argument("status_string");
  *status_string = status_text(status);
  if (!*status_string) return fail(HSA_STATUS_ERROR_INVALID_ARGUMENT, "{} is no status", static_cast<int>(status));
  return {};
}

Outcome hsa_system_get_info(Runtime& runtime, hsa_system_info_t attribute, void* value) {
  if (!value) return null_argument("value");
  switch (attribute) {
  case HSA_SYSTEM_INFO_VERSION_MAJOR:
    return put(value, kVersionMajor);
  case HSA_SYSTEM_INFO_VERSION_MINOR:
    return put(value, kVersionMinor);
  case HSA_SYSTEM_INFO_TIMESTAMP:
    return put(value, thunk::system_now());
  case HSA_SYSTEM_INFO_TIMESTAMP_FREQUENCY:
    return put(value, thunk::kSystemClockHz);
  case HSA_SYSTEM_INFO_SIGNAL_MAX_WAIT:
    return put(value, UINT64_MAX);
  case HSA_SYSTEM_INFO_ENDIANNESS:
    return put(value, HSA_ENDIANNESS_LITTLE);
  case HSA_SYSTEM_INFO_MACHINE_MODEL:
    return put(value, HSA_MACHINE_MODEL_LARGE);
  case HSA_SYSTEM_INFO_EXTENSIONS:
    return put(value, extension_bits());
  case HSA_AMD_SYSTEM_INFO_BUILD_VERSION:
    return put(value, kBuildVersion);
  case HSA_AMD_SYSTEM_INFO_SVM_SUPPORTED: {
    bool all = !runtime.gpus().empty();
    for (const Agent* a : runtime.gpus()) all = all && a->properties().Capability.ui32.SVMAPISupported;
    return put(value, all);
  }
  case HSA_AMD_SYSTEM_INFO_SVM_ACCESSIBLE_BY_DEFAULT:
  case HSA_AMD_SYSTEM_INFO_XNACK_ENABLED: {
    bool all = !runtime.gpus().empty();
    for (const Agent* a : runtime.gpus()) all = all && a->isa()->target.xnack == codeobj::Feature::on;
    return put(value, all);
  }
  case HSA_AMD_SYSTEM_INFO_MWAITX_ENABLED:
    return put(value, false);
  case HSA_AMD_SYSTEM_INFO_DMABUF_SUPPORTED:
    return put(value, true);
  case HSA_AMD_SYSTEM_INFO_VIRTUAL_MEM_API_SUPPORTED:
    return put(value, bzHsaKmtPlaceMemory != nullptr);
  case HSA_AMD_SYSTEM_INFO_EXT_VERSION_MAJOR:
    return put(value, uint16_t(HSA_AMD_INTERFACE_VERSION_MAJOR));
  case HSA_AMD_SYSTEM_INFO_EXT_VERSION_MINOR:
    return put(value, uint16_t(HSA_AMD_INTERFACE_VERSION_MINOR));
  }
  return bad_attribute(attribute);
}

Outcome hsa_extension_get_name(Runtime&, uint16_t number, const char** name) {
  if (!name) return null_argument("name");
  ROCR_TRY_ASSIGN(const Extension* e, extension(number));
  *name = e->name;
  return {};
}

Outcome hsa_system_extension_supported(Runtime&, uint16_t number, uint16_t major, uint16_t minor, bool* result) {
  return supported(number, major, minor, result);
}

Outcome hsa_system_major_extension_supported(Runtime&, uint16_t number, uint16_t major, uint16_t* minor, bool* result) {
  return major_supported(number, major, minor, result);
}

Outcome hsa_agent_extension_supported(Runtime& runtime, uint16_t number, hsa_agent_t agent, uint16_t major,
                                      uint16_t minor, bool* result) {
  if (!result) return null_argument("result");
  *result = false;
  ROCR_TRY_ASSIGN(const Agent* a, runtime.agent(agent));
  ROCR_TRY(supported(number, major, minor, result));
  *result = *result && has_extension(*a, number);
  return {};
}

Outcome hsa_agent_major_extension_supported(Runtime& runtime, uint16_t number, hsa_agent_t agent, uint16_t major,
                                            uint16_t* minor, bool* result) {
  if (!result) return null_argument("result");
  *result = false;
  ROCR_TRY_ASSIGN(const Agent* a, runtime.agent(agent));
  ROCR_TRY(major_supported(number, major, minor, result));
  *result = *result && has_extension(*a, number);
  return {};
}

Outcome hsa_system_get_major_extension_table(Runtime&, uint16_t number, uint16_t major, size_t bytes, void* table) {
  if (!table) return null_argument("table");
  if (bytes == 0) return fail(HSA_STATUS_ERROR_INVALID_ARGUMENT, "the table has no room");
  ROCR_TRY_ASSIGN(const Extension* e, extension(number));
  if (!e->present || e->major != major) return fail(HSA_STATUS_ERROR, "{} version {} is not here", e->name, major);
  if (e->number == HSA_EXTENSION_IMAGES)
    fill_image_table(table, bytes);
  else if (e->number == HSA_EXTENSION_AMD_LOADER)
    fill_loader_table(table, bytes);
  else
    return fail(HSA_STATUS_ERROR, "{} has no table: its functions are exported", e->name);
  return {};
}

Outcome hsa_system_get_extension_table(Runtime& runtime, uint16_t number, uint16_t major, uint16_t minor, void* table) {
  // The caller's table is that of the minor version it names.
  constexpr std::array<size_t, 4> kLoaderBytes = {
      sizeof(hsa_ven_amd_loader_1_00_pfn_t), sizeof(hsa_ven_amd_loader_1_01_pfn_t),
      sizeof(hsa_ven_amd_loader_1_02_pfn_t), sizeof(hsa_ven_amd_loader_1_03_pfn_t)};
  ROCR_TRY_ASSIGN(const Extension* e, extension(number));
  if (e->present && minor > e->minor) return fail(HSA_STATUS_ERROR, "{} {}.{} is not here", e->name, major, minor);
  size_t bytes = minor < kLoaderBytes.size() ? kLoaderBytes[minor] : sizeof(void*);
  if (number == HSA_EXTENSION_IMAGES) bytes = sizeof(hsa_ext_images_1_00_pfn_t);
  return hsa_system_get_major_extension_table(runtime, number, major, bytes, table);
}

Outcome hsa_amd_register_system_event_handler(Runtime& runtime, hsa_amd_system_event_callback_t callback, void* data) {
  if (!callback) return null_argument("callback");
  runtime.faults().add_handler(callback, data);
  return {};
}

Outcome hsa_amd_runtime_queue_create_register(Runtime& runtime, hsa_amd_runtime_queue_notifier callback, void* data) {
  if (!callback) return null_argument("callback");
  runtime.add_queue_notifier(callback, data);
  return {};
}

Outcome hsa_amd_enable_logging(Runtime&, uint8_t* flags, void* file) {
  if (!flags) return null_argument("flags");
  uint64_t wanted = 0;
  std::memcpy(&wanted, flags, sizeof wanted);
  // No kernel is the runtime's own: the flag of their packets is legal and shows nothing.
  constexpr uint64_t kKnown = 1u << HSA_AMD_LOG_FLAG_AQL | 1u << HSA_AMD_LOG_FLAG_SDMA | 1u << HSA_AMD_LOG_FLAG_INFO;
  if (wanted & ~kKnown) return fail(HSA_STATUS_ERROR_INVALID_ARGUMENT, "log flags {:#x} don't exist", wanted & ~kKnown);
  set_logging(wanted, static_cast<std::FILE*>(file));
  return {};
}

} // namespace bz::rocr::impl
