// The stream functions of the API.
#include "base/log.hpp"
#include "hip/runtime/capture.hpp"
#include "hip/runtime/impl.hpp"
#include "hip/runtime/ipc.hpp"
#include "hip/runtime/pool.hpp"
#include "hip/runtime/thread_state.hpp"

#include <algorithm>
#include <thread>

namespace bz::hip::impl {
namespace {

Result create(hipStream_t* stream, Stream::Options options) {
  HIP_NONNULL(stream);
  *stream = nullptr;
  if (options.flags != hipStreamDefault && options.flags != hipStreamNonBlocking)
    return fail(hipErrorInvalidValue, "stream flags {:#x} don't exist", options.flags);
  auto& runtime = Runtime::get();
  options.priority = std::clamp(options.priority, Device::kGreatestPriority, Device::kLeastPriority);
  auto made = runtime.current().create_stream(std::move(options));
  *stream = reinterpret_cast<hipStream_t>(made.get());
  runtime.streams.add(std::move(made));
  return {};
}

} // namespace

Result hipStreamCreate(hipStream_t* stream) { return create(stream, {}); }

Result hipStreamCreateWithFlags(hipStream_t* stream, unsigned int flags) {
  Stream::Options o;
  o.flags = flags;
  return create(stream, o);
}

Result hipStreamCreateWithPriority(hipStream_t* stream, unsigned int flags, int priority) {
  Stream::Options o;
  o.flags = flags;
  o.priority = priority;
  return create(stream, o);
}

Result hipExtStreamCreateWithCUMask(hipStream_t* stream, uint32_t words, const uint32_t* cuMask) {
  HIP_NONNULL(stream);
  HIP_NONNULL(cuMask);
  if (words == 0) return Result(hipErrorInvalidValue, "a mask of 0 words");
  Stream::Options o;
  o.cu_mask.assign(cuMask, cuMask + words);
  // A mask of nothing asks for nothing: the stream gets the default, all compute units.
  if (std::all_of(o.cu_mask.begin(), o.cu_mask.end(), [](uint32_t w) { return w == 0; })) o.cu_mask.clear();
  return create(stream, o);
}

Result hipExtStreamGetCUMask(hipStream_t stream, uint32_t words, uint32_t* cuMask) {
  HIP_NONNULL(cuMask);
  HIP_TRY_ASSIGN(StreamPtr s, Runtime::get().stream(stream, StreamUse::inquire));
  const uint32_t units = s->device().compute_units(), needed = (units + 31) / 32;
  if (words < needed)
    return fail(hipErrorInvalidValue, "a mask of {} compute units needs {} words, not {}", units, needed, words);
  for (uint32_t w = 0; w < words; ++w) {
    const uint32_t first = w * 32, here = units > first ? std::min(units - first, 32u) : 0;
    const uint32_t all = here == 32 ? ~0u : (1u << here) - 1;
    const auto& m = s->options().cu_mask;
    cuMask[w] = m.empty() ? all : w < m.size() ? m[w] & all : 0;
  }
  return {};
}

Result hipDeviceGetStreamPriorityRange(int* least, int* greatest) {
  if (least) *least = Device::kLeastPriority;
  if (greatest) *greatest = Device::kGreatestPriority;
  return {};
}

Result hipStreamDestroy(hipStream_t stream) {
  if (!stream || stream == hipStreamLegacy || stream == hipStreamPerThread)
    return Result(hipErrorInvalidHandle, "the null stream and the per-thread stream can't be destroyed");
  auto s = Runtime::get().streams.remove(stream);
  if (!s)
    return fail(hipErrorContextIsDestroyed, "stream {} was never created or is destroyed", static_cast<void*>(stream));
  capture_forget(s);
  s->device().forget_stream(s);
  return {};
}

Result hipStreamQuery(hipStream_t stream) {
  HIP_TRY_ASSIGN(StreamPtr s, Runtime::get().stream(stream));
  return s->idle() ? Result() : Result(hipErrorNotReady);
}

Result hipStreamSynchronize(hipStream_t stream) {
  HIP_TRY_ASSIGN(StreamPtr s, Runtime::get().stream(stream));
  s->synchronize();
  Runtime::get().pools().after_synchronize();
  return {};
}

Result hipStreamWaitEvent(hipStream_t stream, hipEvent_t event, unsigned int flags) {
  if (flags != hipEventWaitDefault && flags != hipEventWaitExternal)
    return fail(hipErrorInvalidValue, "wait flags {:#x} don't exist", flags);
  HIP_TRY_ASSIGN(auto e, Runtime::get().event(event, EventUse::record));
  HIP_TRY_ASSIGN(StreamPtr s, Runtime::get().stream(stream, StreamUse::enqueue, hipErrorInvalidHandle));
  if (s->capturing() && flags & hipEventWaitExternal) return capture(s, event_wait_work(event));
  if (s->capturing() || e->captured()) return capture_wait(*e, s);
  s->wait_for(e->markers()); // an event that was never recorded holds nothing up
  if (auto shared = e->shared(); shared && !shared->idle()) // another process's record
    HIP_TRY(s->host([shared] { shared->wait(HSA_WAIT_STATE_BLOCKED); }));
  return {};
}

Result hipStreamGetFlags(hipStream_t stream, unsigned int* flags) {
  HIP_NONNULL(flags);
  HIP_NONNULL(stream); // the null stream has none
  HIP_TRY_ASSIGN(StreamPtr s, Runtime::get().stream(stream, StreamUse::inquire));
  *flags = s->options().flags;
  return {};
}

Result hipStreamGetId(hipStream_t stream, unsigned long long* streamId) {
  HIP_NONNULL(streamId);
  HIP_TRY_ASSIGN(StreamPtr s, Runtime::get().stream(stream, StreamUse::inquire));
  *streamId = s->id();
  return {};
}

Result hipStreamGetPriority(hipStream_t stream, int* priority) {
  HIP_NONNULL(priority);
  HIP_TRY_ASSIGN(StreamPtr s, Runtime::get().stream(stream, StreamUse::inquire));
  *priority = s->options().priority;
  return {};
}

Result hipStreamGetDevice(hipStream_t stream, hipDevice_t* device) {
  HIP_NONNULL(device);
  HIP_TRY_ASSIGN(StreamPtr s, Runtime::get().stream(stream, StreamUse::inquire));
  *device = s->device().ordinal();
  return {};
}

int hipGetStreamDeviceId(hipStream_t stream) {
  if (!Runtime::get().start().ok()) return -1;
  auto s = Runtime::get().stream(stream, StreamUse::inquire);
  return s.ok() ? (*s)->device().ordinal() : -1;
}

Result hipStreamAddCallback(hipStream_t stream, hipStreamCallback_t callback, void* data, unsigned int flags) {
  HIP_NONNULL(callback);
  if (flags != 0) return fail(hipErrorInvalidValue, "callback flags {:#x} must be 0", flags);
  HIP_TRY_ASSIGN(StreamPtr s, Runtime::get().stream(stream));
  HIP_TRY(s->host([=] { callback(stream, hipSuccess, data); }));
  return {};
}

Result hipLaunchHostFunc(hipStream_t stream, hipHostFn_t fn, void* data) {
  HIP_NONNULL(fn);
  HIP_TRY_ASSIGN(StreamPtr s, Runtime::get().stream(stream, StreamUse::enqueue));
  if (s->capturing()) return capture(s, host_work({fn, data}));
  HIP_TRY(s->host([=] { fn(data); }));
  return {};
}

} // namespace bz::hip::impl
