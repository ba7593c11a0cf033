// Copies and fills, their engines and times; times of dispatches.
#include "rocr/impl.hpp"
#include "rocr/logging.hpp"
#include "rocr/put.hpp"
#include "rocr/runtime.hpp"

#include <algorithm>

namespace bz::rocr::impl {

namespace {

Outcome check_agents(Runtime& runtime, hsa_agent_t dst, hsa_agent_t src) {
  ROCR_TRY(runtime.agent(dst));
  ROCR_TRY(runtime.agent(src));
  return {};
}

Outcome submit(Runtime& runtime, const CopyShape& shape, uint32_t count, const hsa_signal_t* dependencies,
               hsa_signal_t completion) {
  if (count && !dependencies) return null_argument("dep_signals");
  if (!count && dependencies) return fail(HSA_STATUS_ERROR_INVALID_ARGUMENT, "dep_signals without num_dep_signals");
  std::vector<amd_signal_t*> after;
  for (uint32_t i = 0; i < count; ++i) {
    ROCR_TRY_ASSIGN(amd_signal_t * s, runtime.signals().find(dependencies[i]));
    after.push_back(s);
  }
  ROCR_TRY_ASSIGN(amd_signal_t * done, runtime.signals().find(completion));
  if (done->kind != AMD_SIGNAL_KIND_USER)
    return fail(HSA_STATUS_ERROR_INVALID_SIGNAL, "a doorbell can't be a completion signal");
  if (logs(HSA_AMD_LOG_FLAG_SDMA))
    log_for_program(fmt::format("copy of {} x {} x {} bytes from {} to {} after {} signals, completes {:#x}", shape.row,
                                shape.rows, shape.slices, static_cast<const void*>(shape.src),
                                static_cast<void*>(shape.dst), count, completion.handle));
  return runtime.copies().submit(shape, after, done);
}

} // namespace

Outcome hsa_memory_copy(Runtime& runtime, void* dst, const void* src, size_t size) {
  if (!dst) return null_argument("dst");
  if (!src) return null_argument("src");
  if (!size) return {};
  ROCR_TRY(runtime.memory().check_range("destination", dst, size, true));
  ROCR_TRY(runtime.memory().check_range("source", src, size));
  std::memmove(dst, src, size);
  return {};
}

Outcome hsa_amd_memory_async_copy(Runtime& runtime, void* dst, hsa_agent_t dst_agent, const void* src,
                                  hsa_agent_t src_agent, size_t size, uint32_t count, const hsa_signal_t* dependencies,
                                  hsa_signal_t completion) {
  if (!dst) return null_argument("dst");
  if (!src) return null_argument("src");
  ROCR_TRY(check_agents(runtime, dst_agent, src_agent));
  ROCR_TRY(runtime.memory().check_range("destination", dst, size, true));
  ROCR_TRY(runtime.memory().check_range("source", src, size));
  return submit(runtime, {.dst = static_cast<char*>(dst), .src = static_cast<const char*>(src), .row = size}, count,
                dependencies, completion);
}

Outcome hsa_amd_memory_async_copy_on_engine(Runtime& runtime, void* dst, hsa_agent_t dst_agent, const void* src,
                                            hsa_agent_t src_agent, size_t size, uint32_t count,
                                            const hsa_signal_t* dependencies, hsa_signal_t completion,
                                            hsa_amd_sdma_engine_id_t engine, bool) {
  // Every engine is one of the host's threads, whichever is asked for.
  const auto id = static_cast<uint32_t>(engine);
  if (id == 0 || (id & (id - 1)) || id > HSA_AMD_SDMA_ENGINE_15)
    return fail(HSA_STATUS_ERROR_INVALID_ARGUMENT, "{:#x} is no copy engine", id);
  return hsa_amd_memory_async_copy(runtime, dst, dst_agent, src, src_agent, size, count, dependencies, completion);
}

Outcome hsa_amd_memory_copy_engine_status(Runtime& runtime, hsa_agent_t dst_agent, hsa_agent_t src_agent,
                                          uint32_t* mask) {
  if (!mask) return null_argument("engine_ids_mask");
  ROCR_TRY(check_agents(runtime, dst_agent, src_agent));
  *mask = runtime.copies().busy() ? 0 : (1u << CopyEngine::kThreads) - 1;
  return {};
}

Outcome hsa_amd_memory_get_preferred_copy_engine(Runtime& runtime, hsa_agent_t dst_agent, hsa_agent_t src_agent,
                                                 uint32_t* mask) {
  if (!mask) return null_argument("recommended_ids_mask");
  ROCR_TRY(check_agents(runtime, dst_agent, src_agent));
  *mask = (1u << CopyEngine::kThreads) - 1;
  return {};
}

Outcome hsa_amd_memory_async_copy_rect(Runtime& runtime, const hsa_pitched_ptr_t* dst, const hsa_dim3_t* dst_offset,
                                       const hsa_pitched_ptr_t* src, const hsa_dim3_t* src_offset,
                                       const hsa_dim3_t* range, hsa_agent_t copy_agent, hsa_amd_copy_direction_t dir,
                                       uint32_t count, const hsa_signal_t* dependencies, hsa_signal_t completion) {
  if (!dst || !dst->base) return null_argument("dst");
  if (!src || !src->base) return null_argument("src");
  if (!dst_offset) return null_argument("dst_offset");
  if (!src_offset) return null_argument("src_offset");
  if (!range) return null_argument("range");
  if (dir < hsaHostToHost || dir > hsaDeviceToDevice)
    return fail(HSA_STATUS_ERROR_INVALID_ARGUMENT, "{} is no direction", int(dir));
  ROCR_TRY(runtime.agent(copy_agent));
  const auto box = [&](const char* what, const hsa_pitched_ptr_t& p, const hsa_dim3_t& offset) -> Outcome {
    if (range->y > 1 && p.pitch < size_t(offset.x) + range->x)
      return fail(HSA_STATUS_ERROR_INVALID_ARGUMENT, "a row of the {} leaves its pitch of {}", what, p.pitch);
    if (range->z > 1 && p.slice < (size_t(offset.y) + range->y) * p.pitch)
      return fail(HSA_STATUS_ERROR_INVALID_ARGUMENT, "a slice of the {} leaves its size of {}", what, p.slice);
    return {};
  };
  ROCR_TRY(box("destination", *dst, *dst_offset));
  ROCR_TRY(box("source", *src, *src_offset));
  const auto begin = [](const hsa_pitched_ptr_t& p, const hsa_dim3_t& o) {
    return static_cast<char*>(p.base) + size_t(o.z) * p.slice + size_t(o.y) * p.pitch + o.x;
  };
  const auto span = [&](const hsa_pitched_ptr_t& p) {
    return (range->z - 1) * p.slice + (range->y - 1) * p.pitch + range->x;
  };
  if (!range->x || !range->y || !range->z)
    return submit(runtime, {.rows = 0}, count, dependencies, completion); // nothing to move, but signals count
  const CopyShape shape = {.dst = begin(*dst, *dst_offset),
                           .src = begin(*src, *src_offset),
                           .row = range->x,
                           .rows = range->y,
                           .slices = range->z,
                           .dst_pitch = dst->pitch,
                           .dst_slice = dst->slice,
                           .src_pitch = src->pitch,
                           .src_slice = src->slice};
  ROCR_TRY(runtime.memory().check_range("destination", shape.dst, span(*dst), true));
  ROCR_TRY(runtime.memory().check_range("source", shape.src, span(*src)));
  return submit(runtime, shape, count, dependencies, completion);
}

Outcome hsa_amd_memory_fill(Runtime& runtime, void* ptr, uint32_t value, size_t count) {
  if (!ptr) return null_argument("ptr");
  if (reinterpret_cast<uintptr_t>(ptr) % alignof(uint32_t))
    return fail(HSA_STATUS_ERROR_INVALID_ARGUMENT, "{} is not aligned to 4 bytes", ptr);
  if (count > SIZE_MAX / sizeof(uint32_t)) return fail(HSA_STATUS_ERROR_INVALID_ARGUMENT, "the count is too large");
  ROCR_TRY(runtime.memory().check_range("memory", ptr, count * sizeof(uint32_t), true));
  std::fill_n(static_cast<uint32_t*>(ptr), count, value);
  return {};
}

Outcome hsa_amd_memory_migrate(Runtime& runtime, const void* ptr, hsa_amd_memory_pool_t pool, uint32_t flags) {
  if (!ptr) return null_argument("ptr");
  if (flags) return fail(HSA_STATUS_ERROR_INVALID_ARGUMENT, "flags must be 0");
  ROCR_TRY_ASSIGN(const Pool* p, runtime.pool(pool.handle, HSA_STATUS_ERROR_INVALID_MEMORY_POOL));
  const auto found = runtime.memory().find(ptr);
  if (!found) return fail(HSA_STATUS_ERROR_INVALID_ARGUMENT, "{} is in no allocation", ptr);
  if (found->pool == p) return {};
  return fail(static_cast<hsa_status_t>(HSA_STATUS_ERROR_NOT_SUPPORTED), "an allocation stays in its pool");
}

// ---- Times

Outcome hsa_amd_profiling_async_copy_enable(Runtime& runtime, bool enable) {
  runtime.copies().set_timed(enable);
  return {};
}

Outcome hsa_amd_profiling_get_dispatch_time(Runtime& runtime, hsa_agent_t agent, hsa_signal_t signal,
                                            hsa_amd_profiling_dispatch_time_t* time) {
  if (!time) return null_argument("time");
  ROCR_TRY_ASSIGN(const Agent* a, runtime.gpu(agent));
  ROCR_TRY_ASSIGN(amd_signal_t * s, runtime.signals().find(signal));
  if (!s->start_ts || !s->end_ts) return fail(HSA_STATUS_ERROR, "no dispatch with profiling has completed this signal");
  ROCR_TRY_ASSIGN(time->start, a->to_system_time(s->start_ts));
  ROCR_TRY_ASSIGN(time->end, a->to_system_time(s->end_ts));
  return {};
}

Outcome hsa_amd_profiling_get_async_copy_time(Runtime& runtime, hsa_signal_t signal,
                                              hsa_amd_profiling_async_copy_time_t* time) {
  if (!time) return null_argument("time");
  ROCR_TRY_ASSIGN(amd_signal_t * s, runtime.signals().find(signal));
  const SignalHost& host = host_of(s);
  if (!host.copy_timed)
    return fail(HSA_STATUS_ERROR, "no copy with hsa_amd_profiling_async_copy_enable has completed this signal");
  *time = {host.copy_start, host.copy_end};
  return {};
}

Outcome hsa_amd_profiling_convert_tick_to_system_domain(Runtime& runtime, hsa_agent_t agent, uint64_t tick,
                                                        uint64_t* system_tick) {
  if (!system_tick) return null_argument("system_tick");
  ROCR_TRY_ASSIGN(const Agent* a, runtime.gpu(agent));
  ROCR_TRY_ASSIGN(*system_tick, a->to_system_time(tick));
  return {};
}

} // namespace bz::rocr::impl
