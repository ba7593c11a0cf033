// Launches: checks against the limits of kernel and device, packs arguments, fills the hidden ones from the metadata
// and submits the dispatch. Must not know host stubs.
#pragma once
#include "hip/runtime/module.hpp"
#include "hip/runtime/stream.hpp"

#include <array>
#include <optional>

namespace bz::hip {

/// The explicit arguments: an array of pointers, one per argument, or one packed buffer.
struct Arguments {
  void** pointers = nullptr;
  const void* packed = nullptr;
  size_t packed_size = 0;
};

/// Reads HIP_LAUNCH_PARAM_BUFFER_POINTER, _SIZE, _END; pointers win over them.
Outcome<Arguments> launch_arguments(void** pointers, void** extra);

struct LaunchShape {
  std::array<uint64_t, 3> threads{1, 1, 1}; ///< of the whole grid
  std::array<uint32_t, 3> block{1, 1, 1};
  size_t dynamic_lds = 0;
  static LaunchShape blocks(dim3 grid, dim3 block, size_t dynamic_lds);
  bool empty_block() const { return block[0] == 0 || block[1] == 0 || block[2] == 0; }
  uint64_t block_threads() const { return uint64_t(block[0]) * block[1] * block[2]; }
  std::array<uint64_t, 3> block_counts() const;
};

struct LaunchOptions {
  hipError_t shape_error = hipErrorInvalidConfiguration; ///< the code that the entry point documents for a bad shape
  bool cooperative = false;
  std::shared_ptr<class Event> start, stop;
};

Result launch(const std::shared_ptr<Kernel>& kernel, const LaunchShape& shape, const Arguments& arguments,
              const StreamPtr& stream, const LaunchOptions& options);

/// Writes the arguments as the kernel reads them; `segment` has kernel.kernarg_size zeroed bytes.
Result pack_arguments(const Kernel& kernel, const LaunchShape& shape, const Arguments& arguments, std::byte* segment);

/// How many blocks of a kernel a compute unit holds at once.
Outcome<int> blocks_per_cu(const Kernel& kernel, uint32_t block_threads, size_t dynamic_lds);

} // namespace bz::hip
