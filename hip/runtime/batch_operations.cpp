#include "hip/runtime/batch_operations.hpp"
#include "hip/runtime/capture.hpp"
#include "hip/runtime/impl.hpp"
#include "hip/runtime/memory.hpp"

#include <algorithm>
#include <chrono>
#include <thread>

namespace bz::hip {
namespace {

template <class T> bool met(const void* address, T value, unsigned flags, T mask) {
  const T now = __atomic_load_n(static_cast<const T*>(address), __ATOMIC_ACQUIRE) & mask;
  switch (flags) {
  case hipStreamWaitValueGte:
    return static_cast<std::make_signed_t<T>>(now - (value & mask)) >= 0;
  case hipStreamWaitValueEq:
    return now == (value & mask);
  case hipStreamWaitValueAnd:
    return (now & value) != 0;
  default:
    return T(~(now | value) & mask) != 0;
  }
}

bool is_wait(const hipStreamBatchMemOpParams& op) {
  return op.operation == hipStreamMemOpWaitValue32 || op.operation == hipStreamMemOpWaitValue64;
}

bool met(const hipStreamBatchMemOpParams& op, uint64_t mask) {
  const auto& w = op.waitValue;
  return op.operation == hipStreamMemOpWaitValue32 ? met<uint32_t>(w.address, w.value, w.flags, uint32_t(mask))
                                                   : met<uint64_t>(w.address, w.value64, w.flags, mask);
}

void run_operation(const hipStreamBatchMemOpParams& op, uint64_t mask) {
  switch (op.operation) {
  case hipStreamMemOpWaitValue32:
  case hipStreamMemOpWaitValue64: // on the stream's own thread: memory that another agent changes has no signal
    for (int spins = 0; !met(op, mask); ++spins)
      if (spins > 1000) std::this_thread::sleep_for(std::chrono::microseconds(20));
    return;
  case hipStreamMemOpWriteValue32:
    return __atomic_store_n(static_cast<uint32_t*>(op.writeValue.address), op.writeValue.value, __ATOMIC_RELEASE);
  case hipStreamMemOpWriteValue64:
    return __atomic_store_n(static_cast<uint64_t*>(op.writeValue.address), op.writeValue.value64, __ATOMIC_RELEASE);
  case hipStreamMemOpBarrier:
  case hipStreamMemOpFlushRemoteWrites: // the operations of a batch are in order and see each other's memory anyway
    return __atomic_thread_fence(__ATOMIC_SEQ_CST);
  }
}

template <class T> Result check_word(const char* what, void* address) {
  if (!address) return fail(hipErrorInvalidValue, "{}: the address is null", what);
  if (reinterpret_cast<uintptr_t>(address) % sizeof(T) != 0)
    return fail(hipErrorInvalidValue, "{}: {} is not aligned to {} bytes", what, address, sizeof(T));
  return as_result(check_range(what, address, sizeof(T)));
}

Result check_wait_flags(unsigned flags) {
  if (flags > hipStreamWaitValueNor) return fail(hipErrorInvalidValue, "wait flags {:#x} don't exist", flags);
  return {};
}

Result check_write_flags(unsigned flags) {
  if (flags != 0) return fail(hipErrorInvalidValue, "write flags {:#x} don't exist", flags);
  return {};
}

Result submit(hipStream_t stream, const hipStreamBatchMemOpParams* operations, unsigned count, unsigned flags,
              uint64_t mask = UINT64_MAX) {
  HIP_TRY(check_batch(operations, count, flags));
  HIP_TRY_ASSIGN(StreamPtr s, Runtime::get().stream(stream, StreamUse::enqueue));
  return run_batch({{operations, operations + count}, mask}, s);
}

Result wait_value(hipStream_t stream, hipStreamBatchMemOpType type, void* ptr, uint64_t value, unsigned flags,
                  uint64_t mask) {
  hipStreamBatchMemOpParams op{};
  op.waitValue.operation = type;
  op.waitValue.address = ptr;
  op.waitValue.value64 = value;
  op.waitValue.flags = flags;
  return submit(stream, &op, 1, 0, mask);
}

Result write_value(hipStream_t stream, hipStreamBatchMemOpType type, void* ptr, uint64_t value, unsigned flags) {
  hipStreamBatchMemOpParams op{};
  op.writeValue.operation = type;
  op.writeValue.address = ptr;
  op.writeValue.value64 = value;
  op.writeValue.flags = flags;
  return submit(stream, &op, 1, 0);
}

} // namespace

Result check_batch(const hipStreamBatchMemOpParams* operations, unsigned count, unsigned flags) {
  HIP_NONNULL_AS(operations, "paramArray");
  if (count == 0 || count > 256)
    return fail(hipErrorInvalidValue, "a batch of {} operations: 1 to 256 are possible", count);
  if (flags != 0) return fail(hipErrorInvalidValue, "batch flags {:#x} don't exist", flags);
  for (unsigned i = 0; i < count; ++i) {
    const auto& op = operations[i];
    switch (op.operation) {
    case hipStreamMemOpWaitValue32:
      HIP_TRY(check_wait_flags(op.waitValue.flags));
      HIP_TRY(check_word<uint32_t>("wait", op.waitValue.address));
      continue;
    case hipStreamMemOpWaitValue64:
      HIP_TRY(check_wait_flags(op.waitValue.flags));
      HIP_TRY(check_word<uint64_t>("wait", op.waitValue.address));
      continue;
    case hipStreamMemOpWriteValue32:
      HIP_TRY(check_write_flags(op.writeValue.flags));
      HIP_TRY(check_word<uint32_t>("write", op.writeValue.address));
      continue;
    case hipStreamMemOpWriteValue64:
      HIP_TRY(check_write_flags(op.writeValue.flags));
      HIP_TRY(check_word<uint64_t>("write", op.writeValue.address));
      continue;
    case hipStreamMemOpBarrier:
    case hipStreamMemOpFlushRemoteWrites:
      if (op.memoryBarrier.flags != 0)
        return fail(hipErrorInvalidValue, "barrier flags {:#x} don't exist", op.memoryBarrier.flags);
      continue;
    }
    return fail(hipErrorInvalidValue, "operation {}: type {} doesn't exist", i, static_cast<int>(op.operation));
  }
  return {};
}

Result run_batch(const MemoryOperations& operations, const StreamPtr& stream) {
  if (stream->capturing()) return capture(stream, WorkPtr(std::make_shared<const Work>(BatchWork{operations})));
  auto all = [operations] {
    for (auto& op : operations.list) run_operation(op, operations.mask);
  };
  // Without a wait there is no need for a thread if the stream is idle.
  if (std::any_of(operations.list.begin(), operations.list.end(), is_wait)) return as_result(stream->host(all));
  return stream->host_or_now([all] {
    all();
    return Status();
  });
}

namespace impl {

Result hipStreamBatchMemOp(hipStream_t stream, unsigned int count, hipStreamBatchMemOpParams* paramArray,
                           unsigned int flags) {
  return submit(stream, paramArray, count, flags);
}

Result hipStreamWaitValue32(hipStream_t stream, void* ptr, uint32_t value, unsigned int flags, uint32_t mask) {
  return wait_value(stream, hipStreamMemOpWaitValue32, ptr, value, flags, mask);
}
Result hipStreamWaitValue64(hipStream_t stream, void* ptr, uint64_t value, unsigned int flags, uint64_t mask) {
  return wait_value(stream, hipStreamMemOpWaitValue64, ptr, value, flags, mask);
}
Result hipStreamWriteValue32(hipStream_t stream, void* ptr, uint32_t value, unsigned int flags) {
  return write_value(stream, hipStreamMemOpWriteValue32, ptr, value, flags);
}
Result hipStreamWriteValue64(hipStream_t stream, void* ptr, uint64_t value, unsigned int flags) {
  return write_value(stream, hipStreamMemOpWriteValue64, ptr, value, flags);
}

} // namespace impl
} // namespace bz::hip
