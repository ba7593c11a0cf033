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

/// What the grids of one launch on several devices share.
struct MultiGrid {
  std::shared_ptr<void> counters; ///< of the barrier over all: bz_grid_counters
  uint32_t grids = 0;
  uint64_t threads = 0; ///< of all grids
};

struct LaunchOptions {
  hipError_t shape_error = hipErrorInvalidConfiguration; ///< the code that the entry point documents for a bad shape
  hipError_t lds_error = hipErrorOutOfMemory;            ///< the same for too much shared memory
  bool limited_grid = false;                             ///< the grid keeps to the device's limits of blocks
  /// What the launches of module kernels have in common.
  static LaunchOptions module() {
    LaunchOptions o;
    o.shape_error = o.lds_error = hipErrorInvalidValue;
    o.limited_grid = true;
    return o;
  }
  bool cooperative = false;
  std::shared_ptr<MultiGrid> multi; ///< cooperative, one of several grids
  uint32_t grid = 0;                ///< its rank
  uint64_t threads_before = 0;      ///< of the grids of lower rank
  std::shared_ptr<class Event> start, stop;
  void* function = nullptr; ///< how the program named the kernel: a captured node shows it
};

/// What a launch checks first: limits of the kernel and of its device.
Result check_launch(const Kernel& kernel, const LaunchShape& shape, const LaunchOptions& options);

/// A launch whose arguments are written: only queue and completion signal are missing.
class PreparedLaunch {
public:
  static Outcome<PreparedLaunch> make(const std::shared_ptr<Kernel>& kernel, const LaunchShape& shape,
                                      const Arguments& arguments, const LaunchOptions& options);
  ~PreparedLaunch();
  PreparedLaunch(PreparedLaunch&& other) noexcept;
  PreparedLaunch& operator=(PreparedLaunch&&) = delete;

  const hsa_kernel_dispatch_packet_t& packet() const { return packet_; }
  Device& device() const { return *device_; }
  /// Arguments that name the queue are written here: such a launch can be in one queue at a time.
  bool names_queue() const { return names_queue_; }
  void bind(hsa_queue_t* queue);
  /// Gives the argument block away: the work frees it.
  DispatchWork release();

private:
  PreparedLaunch() = default;
  Device* device_ = nullptr;
  std::shared_ptr<Kernel> kernel_;
  std::shared_ptr<MultiGrid> multi_;
  std::byte* segment_ = nullptr;
  size_t size_ = 0;
  bool names_queue_ = false;
  hsa_kernel_dispatch_packet_t packet_{};
};

Result launch(const std::shared_ptr<Kernel>& kernel, const LaunchShape& shape, const Arguments& arguments,
              const StreamPtr& stream, const LaunchOptions& options);

/// Writes the arguments as the kernel reads them; `segment` has kernel.kernarg_size zeroed bytes.
Result pack_arguments(const Kernel& kernel, const LaunchShape& shape, const Arguments& arguments, std::byte* segment);

/// How many blocks of a kernel a compute unit holds at once.
Outcome<int> blocks_per_cu(const Kernel& kernel, uint32_t block_threads, size_t dynamic_lds);

} // namespace bz::hip
