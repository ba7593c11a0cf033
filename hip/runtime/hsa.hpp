// Small helpers over the public HSA interface: status translation, typed queries. Must not know HIP.
#pragma once
#include "base/status.hpp"

#include <hsa/hsa.h>
#include <hsa/hsa_ext_amd.h>

namespace bz::hip {

/// ok, or the failure with HSA's own text and what was being done.
Status hsa_check(hsa_status_t status, const char* doing);

/// One number or string of an agent; value-initialised if the runtime below doesn't know the question.
template <class T> T agent_info(hsa_agent_t agent, int attribute) {
  T value{};
  if (hsa_agent_get_info(agent, static_cast<hsa_agent_info_t>(attribute), &value) != HSA_STATUS_SUCCESS) value = T{};
  return value;
}

template <class T> T pool_info(hsa_amd_memory_pool_t pool, hsa_amd_memory_pool_info_t attribute) {
  T value{};
  if (hsa_amd_memory_pool_get_info(pool, attribute, &value) != HSA_STATUS_SUCCESS) value = T{};
  return value;
}

/// Whether the agent can ever reach memory of the pool.
bool can_access(hsa_agent_t agent, hsa_amd_memory_pool_t pool);

/// Now, in ticks of the HSA system clock, and its frequency in Hz.
uint64_t system_ticks();
uint64_t system_frequency();

} // namespace bz::hip
