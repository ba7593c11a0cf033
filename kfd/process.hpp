// One process as the driver sees it: device set, events, file descriptors, queues' exception areas. The ioctl handlers
// (ioctls.cpp) work on it. It knows KFD's structures; what a queue does is gpu/'s.
#pragma once
#include "abi/kfd_ioctl.hpp"
#include "gpu/device.hpp"
#include "kfd/events.hpp"
#include "kfd/files.hpp"
#include "kfd/svm.hpp"

#include <atomic>
#include <cstdio>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>

namespace bz::kfd {

struct ProcessConfig {
  std::vector<gpu::Product> products;
  gpu::Machine machine;
  gpu::EngineFactory engine;
  unsigned workers = 0; ///< BZ_WORKERS
  bool help = true;     ///< BZ_HELP
  std::string log_file; ///< BZ_KFD_LOG
  /// From BZ_GPUS, BZ_WORKERS, BZ_HELP, BZ_KFD_LOG; invalid_argument names the variable.
  static Expected<ProcessConfig> from_environment(gpu::EngineFactory engine);
};

class Process final : public gpu::Sink {
public:
  static Expected<std::unique_ptr<Process>> create(ProcessConfig config);
  ~Process() override;

  // The entries: what entry.h says, as file descriptor, 0, address or -errno.
  int open(std::string_view path, int flags);
  int ioctl(int fd, unsigned long request, void* arg);
  void* mmap(void* addr, size_t length, int prot, int flags, int fd, off_t offset);
  int munmap(void* addr, size_t length);
  int close(int fd);

  // For the ioctl handlers.
  gpu::DeviceSet& devices() { return *set_; }
  gpu::Memory& memory() { return set_->memory(); }
  Events& events() { return events_; }
  Svm& svm() { return svm_; }
  const ProcessConfig& config() const { return config_; }
  /// Index of the device that ioctls call gpu_id, or -1.
  int device_of(uint32_t gpu_id) const;

  enum class FdKind { none, kfd, render };
  FdKind kind_of(int fd, uint32_t& device) const;

  Status acquire_vm(uint32_t device, int drm_fd);
  bool has_vm(uint32_t device) const;
  /// Where the driver reports exceptions of a queue (kfd_context_save_area_header), 0: nowhere.
  /// `amd_queue`: of an AQL queue, where older clients wait for its end (amd_queue_t::queue_inactive_signal); else 0.
  void set_exception_area(uint32_t queue, uint64_t header, uint64_t amd_queue);
  void forget_exception_area(uint32_t queue);
  /// Global wave sync belongs to one queue of a device. False: another one has it, or this one has none to give back.
  bool take_gws(uint32_t device, uint32_t queue);
  bool give_gws(uint32_t queue);
  Status runtime_enable(kfd_ioctl_runtime_enable_args& args);
  /// The allocation that stands for the device's page of flush registers.
  void record_registers(uint32_t device, uint64_t allocation);
  void record_event_page(uint64_t allocation) { event_page_ = allocation; }
  void record_scratch(uint32_t device, uint64_t va);
  void record_trap_handler(uint32_t device, uint64_t tba, uint64_t tma);

  // gpu::Sink
  void interrupt(uint32_t event) override { events_.interrupt(event); }
  bool memory_fault(uint32_t device, uint64_t address, bool is_write) override;
  void queue_exception(uint32_t queue, uint64_t mask) override;

private:
  /// An open file of the driver, named by its inode: descriptors are duplicated and closed past us.
  struct OpenFile {
    FdKind kind = FdKind::none;
    uint32_t device = 0;
  };
  struct DeviceState {
    int drm_fd = -1;
    uint64_t scratch_va = 0, tba = 0, tma = 0, registers = 0;
  };
  explicit Process(ProcessConfig config);
  int new_fd(const char* name, FdKind kind, uint32_t device);
  int text_fd(const std::string& text);
  bool forget_closed_files();
  void release_all();
  void trace(const char* name, unsigned long request, int result);
  template <class F> int call(const char* name, uint32_t request, uint32_t known, void* arg, F handler);

  ProcessConfig config_;
  pid_t pid_;
  Files files_;
  Events events_;
  Svm svm_;
  std::unique_ptr<gpu::DeviceSet> set_;
  mutable std::mutex mutex_;
  std::map<uint64_t, OpenFile> open_files_;
  std::vector<DeviceState> states_;
  bool runtime_enabled_ = false;
  std::atomic<uint64_t> event_page_{0}; ///< the client's allocation
  mutable std::mutex exceptions_mutex_; ///< taken from worker threads: nothing else is called under it
  struct ExceptionArea {
    uint64_t header = 0, amd_queue = 0;
  };
  bool report_by_signal(uint64_t amd_queue, uint64_t mask);
  std::map<uint32_t, ExceptionArea> exception_areas_;
  std::map<uint32_t, uint32_t> gws_owner_; ///< device -> queue; under mutex_
  std::FILE* log_ = nullptr;
};

/// The errno that the driver answers for a failure inside: the boundary's one translation.
int errno_of(Code code);

// mmap offsets on /dev/kfd, as the kernel encodes them.
inline constexpr int kMmapTypeShift = 62, kMmapGpuIdShift = 46;
inline constexpr uint64_t kMmapTypeMask = 3ull << kMmapTypeShift;
inline constexpr uint64_t kMmapDoorbell = 3ull << kMmapTypeShift, kMmapEvents = 2ull << kMmapTypeShift, kMmapMmio = 0;
constexpr uint64_t doorbell_mmap_offset(uint32_t gpu_id) {
  return kMmapDoorbell | (uint64_t{gpu_id} & 0xffff) << kMmapGpuIdShift;
}
constexpr uint64_t mmio_mmap_offset(uint32_t gpu_id) { return kMmapMmio | (uint64_t{gpu_id} & 0xffff) << kMmapGpuIdShift; }
/// mmap offsets on a render node: one huge page step per allocation, so that they never overlap.
inline constexpr int kRenderOffsetShift = 21;
inline constexpr uint64_t kRenderOffsetBase = 1ull << 40;

/// Handles of allocations: the GPU's id above, the allocation's below.
constexpr uint64_t make_handle(uint32_t gpu_id, uint64_t id) { return uint64_t{gpu_id} << 32 | id; }
constexpr uint64_t handle_id(uint64_t handle) { return handle & 0xffffffff; }
constexpr uint32_t handle_gpu(uint64_t handle) { return static_cast<uint32_t>(handle >> 32); }

} // namespace bz::kfd
