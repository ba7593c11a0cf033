// Waits for memory words and writes of them in stream order (hipStreamWaitValue, hipStreamWriteValue,
// hipStreamBatchMemOp). Must not know graphs.
#pragma once
#include "hip/runtime/stream.hpp"

#include <vector>

namespace bz::hip {

/// Operations, flags and addresses; hipErrorInvalidValue.
Result check_batch(const hipStreamBatchMemOpParams* operations, unsigned count, unsigned flags);
struct MemoryOperations {
  std::vector<hipStreamBatchMemOpParams> list;
  uint64_t mask = UINT64_MAX; ///< of the words that are waited for
};

/// Gives checked operations to a stream: in order, after the work before them.
Result run_batch(const MemoryOperations& operations, const StreamPtr& stream);

} // namespace bz::hip
