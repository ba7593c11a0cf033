#include "hip/runtime/hsa.hpp"

#include <atomic>

namespace bz::hip {
namespace {

Code code_of(hsa_status_t status) {
  // HSA statuses are an open set (extensions add numbers), so this can't be a total switch over an enumeration.
  switch (static_cast<int>(status)) {
  case HSA_STATUS_SUCCESS:
  case HSA_STATUS_INFO_BREAK:
    return Code::ok;
  case HSA_STATUS_ERROR_INVALID_ARGUMENT:
  case HSA_STATUS_ERROR_INVALID_ALLOCATION:
  case HSA_STATUS_ERROR_INVALID_SYMBOL_NAME:
    return Code::invalid_argument;
  case HSA_STATUS_ERROR_INVALID_AGENT:
  case HSA_STATUS_ERROR_INVALID_QUEUE:
  case HSA_STATUS_ERROR_INVALID_SIGNAL:
  case HSA_STATUS_ERROR_INVALID_REGION:
  case HSA_STATUS_ERROR_INVALID_EXECUTABLE:
    return Code::invalid_handle;
  case HSA_STATUS_ERROR_OUT_OF_RESOURCES:
    return Code::out_of_memory;
  case HSA_STATUS_ERROR_INVALID_CODE_OBJECT:
    return Code::invalid_image;
  case HSA_STATUS_ERROR_INCOMPATIBLE_ARGUMENTS:
  case HSA_STATUS_ERROR_INVALID_ISA:
    return Code::wrong_target;
  case HSA_STATUS_ERROR_VARIABLE_UNDEFINED:
    return Code::not_found;
  case HSA_STATUS_ERROR_NOT_SUPPORTED:
    return Code::unsupported;
  default:
    return Code::internal;
  }
}

} // namespace

Status hsa_check(hsa_status_t status, const char* doing) {
  if (status == HSA_STATUS_SUCCESS || status == HSA_STATUS_INFO_BREAK) return {};
  const char* text = nullptr;
  if (hsa_status_string(status, &text) != HSA_STATUS_SUCCESS || !text) text = "unknown HSA status";
  return error(code_of(status), "{}: {} (HSA status {:#x})", doing, text, static_cast<unsigned>(status));
}

bool can_access(hsa_agent_t agent, hsa_amd_memory_pool_t pool) {
  hsa_amd_memory_pool_access_t access = HSA_AMD_MEMORY_POOL_ACCESS_NEVER_ALLOWED;
  (void)hsa_amd_agent_memory_pool_get_info(agent, pool, HSA_AMD_AGENT_MEMORY_POOL_INFO_ACCESS, &access);
  return access != HSA_AMD_MEMORY_POOL_ACCESS_NEVER_ALLOWED;
}

uint64_t system_ticks() {
  uint64_t ticks = 0;
  (void)hsa_system_get_info(HSA_SYSTEM_INFO_TIMESTAMP, &ticks);
  return ticks;
}

uint64_t system_frequency() {
  static std::atomic<uint64_t> known{0}; // an answer before hsa_init doesn't count
  if (uint64_t hz = known.load(std::memory_order_relaxed)) return hz;
  uint64_t hz = 0;
  if (hsa_system_get_info(HSA_SYSTEM_INFO_TIMESTAMP_FREQUENCY, &hz) != HSA_STATUS_SUCCESS || hz == 0) return 1;
  known = hz;
  return hz;
}

} // namespace bz::hip
