#include "kfd/ioctls.hpp"

#include "abi/exceptions.hpp"
#include "abi/help.hpp"
#include "abi/kfd_debug.hpp"
#include "abi/kfd_layout.hpp"
#include "abi/queue.hpp"
#include "base/log.hpp"
#include "gpu/guard.hpp"
#include "gpu/queue.hpp"
#include "kfd/process.hpp"
#include "kfd/topology.hpp"

#include <algorithm>
#include <bit>
#include <cerrno>
#include <ctime>
#include <span>
#include <sys/ioctl.h>

namespace bz::kfd {
namespace {

/// A failure inside becomes errno here; its message, which the errno loses, goes to the log.
int result(const Status& status) {
  if (status.ok()) return 0;
  log("kfd", Level::debug, "{}", status.message());
  return -errno_of(status.code());
}

constexpr uint64_t kPageBytes = 4096;

int refuse(int error_number, const char* why) {
  log("kfd", Level::debug, "{}", why);
  return -error_number;
}

template <class T> bool copy_in(std::vector<T>& to, uint64_t from) {
  return gpu::read_memory(to.data(), from, to.size() * sizeof(T));
}
template <class T> bool copy_out(uint64_t to, const std::vector<T>& from) {
  return gpu::write_memory(to, from.data(), from.size() * sizeof(T));
}

uint64_t clock_ns(clockid_t clock) {
  timespec t{};
  clock_gettime(clock, &t);
  return static_cast<uint64_t>(t.tv_sec) * 1'000'000'000 + static_cast<uint64_t>(t.tv_nsec);
}

// ---- process and device
// --------------------------------------------------------------------------------------------------

int get_version(Process&, kfd_ioctl_get_version_args& a) {
  a.major_version = KFD_IOCTL_MAJOR_VERSION;
  a.minor_version = KFD_IOCTL_MINOR_VERSION;
  return 0;
}

int get_clock_counters(Process& p, kfd_ioctl_get_clock_counters_args& a) {
  a.gpu_clock_counter = p.device_of(a.gpu_id) < 0 ? 0 : gpu::gpu_clock();
  a.cpu_clock_counter = clock_ns(CLOCK_MONOTONIC_RAW);
  a.system_clock_counter = clock_ns(CLOCK_BOOTTIME);
  a.system_clock_freq = 1'000'000'000;
  return 0;
}

kfd_process_device_apertures apertures_of(uint32_t device) {
  constexpr uint64_t kGpuVmBase = 0x4000, kGpuVmLimit = (1ull << 47) - 1;
  kfd_process_device_apertures a{};
  a.lds_base = abi::kLdsApertureBase;
  a.lds_limit = a.lds_base + abi::kApertureSize - 1;
  a.scratch_base = abi::kScratchApertureBase;
  a.scratch_limit = a.scratch_base + abi::kApertureSize - 1;
  a.gpuvm_base = kGpuVmBase;
  a.gpuvm_limit = kGpuVmLimit;
  a.gpu_id = gpu_id_of(device);
  return a;
}

int get_process_apertures(Process& p, kfd_ioctl_get_process_apertures_args& a) {
  a.num_of_nodes = static_cast<uint32_t>(std::min(p.devices().size(), std::size(a.process_apertures)));
  for (uint32_t i = 0; i < a.num_of_nodes; ++i) a.process_apertures[i] = apertures_of(i);
  return 0;
}

int get_process_apertures_new(Process& p, kfd_ioctl_get_process_apertures_new_args& a) {
  auto count = static_cast<uint32_t>(p.devices().size());
  if (a.num_of_nodes == 0) { // the caller asks for the number first
    a.num_of_nodes = count;
    return 0;
  }
  std::vector<kfd_process_device_apertures> out(std::min(a.num_of_nodes, count));
  for (uint32_t i = 0; i < out.size(); ++i) out[i] = apertures_of(i);
  a.num_of_nodes = static_cast<uint32_t>(out.size());
  return copy_out(a.kfd_process_device_apertures_ptr, out) ? 0 : -EFAULT;
}

int acquire_vm(Process& p, kfd_ioctl_acquire_vm_args& a) {
  int device = p.device_of(a.gpu_id);
  if (device < 0) return -EINVAL;
  return result(p.acquire_vm(static_cast<uint32_t>(device), static_cast<int>(a.drm_fd)));
}

int set_memory_policy(Process& p, kfd_ioctl_set_memory_policy_args& a) {
  if (a.default_policy > KFD_IOC_CACHE_POLICY_NONCOHERENT || a.alternate_policy > KFD_IOC_CACHE_POLICY_NONCOHERENT)
    return refuse(EINVAL, "cache policies are 0 (coherent) and 1 (non-coherent)");
  // Every access of the software device is coherent, which both policies allow: nothing is to be set.
  return p.device_of(a.gpu_id) < 0 ? -EINVAL : 0;
}

int set_scratch_backing_va(Process& p, kfd_ioctl_set_scratch_backing_va_args& a) {
  int device = p.device_of(a.gpu_id);
  if (device < 0) return -EINVAL;
  p.record_scratch(static_cast<uint32_t>(device), a.va_addr);
  return 0;
}

int set_trap_handler(Process& p, kfd_ioctl_set_trap_handler_args& a) {
  int device = p.device_of(a.gpu_id);
  if (device < 0) return -EINVAL;
  if (!p.has_vm(static_cast<uint32_t>(device))) return -ESRCH;
  p.record_trap_handler(static_cast<uint32_t>(device), a.tba_addr, a.tma_addr);
  return 0;
}

int get_tile_config(Process& p, kfd_ioctl_get_tile_config_args& a) {
  if (p.device_of(a.gpu_id) < 0) return -EINVAL;
  constexpr uint32_t kTiles = 32, kMacroTiles = 16; // gfx9 has none, the tables are zero
  std::vector<uint32_t> tiles(std::min(a.num_tile_configs, kTiles)),
      macro(std::min(a.num_macro_tile_configs, kMacroTiles));
  a.gb_addr_config = kGbAddrConfig;
  a.num_banks = 0;
  a.num_ranks = 0;
  a.num_tile_configs = static_cast<uint32_t>(tiles.size());
  a.num_macro_tile_configs = static_cast<uint32_t>(macro.size());
  return copy_out(a.tile_config_ptr, tiles) && copy_out(a.macro_tile_config_ptr, macro) ? 0 : -EFAULT;
}

int set_xnack_mode(Process& p, kfd_ioctl_set_xnack_mode_args& a) {
  if (a.xnack_enabled < 0) {
    a.xnack_enabled = p.devices().xnack();
    return 0;
  }
  if (a.xnack_enabled > 0)
    for (uint32_t i = 0; i < p.devices().size(); ++i) {
      auto target = p.devices().device(i).product().target;
      if (target != isa::Target::gfx90a && target != isa::Target::gfx942 && target != isa::Target::gfx950)
        return refuse(EPERM, "XNACK per process needs gfx90a or later on every GPU");
    }
  return result(p.devices().set_xnack(a.xnack_enabled > 0));
}

int runtime_enable(Process& p, kfd_ioctl_runtime_enable_args& a) { return result(p.runtime_enable(a)); }

int deprecated_debugger(Process&, void*, size_t) { return -EPERM; } // as the kernel since 5.15

// ---- memory
// ----------------------------------------------------------------------------------------------------------------

int alloc_memory(Process& p, kfd_ioctl_alloc_memory_of_gpu_args& a) {
  int device = p.device_of(a.gpu_id);
  if (device < 0) return -EINVAL;
  if (!p.has_vm(static_cast<uint32_t>(device))) return refuse(ENODEV, "no VM was acquired for this GPU");
  constexpr uint32_t kTypes = KFD_IOC_ALLOC_MEM_FLAGS_VRAM | KFD_IOC_ALLOC_MEM_FLAGS_GTT |
                              KFD_IOC_ALLOC_MEM_FLAGS_USERPTR | KFD_IOC_ALLOC_MEM_FLAGS_DOORBELL |
                              KFD_IOC_ALLOC_MEM_FLAGS_MMIO_REMAP;
  uint32_t type = a.flags & kTypes;
  if (std::popcount(type) != 1) return refuse(EINVAL, "exactly one memory type must be asked for");
  gpu::MemoryKind kind{};
  switch (type) {
  case KFD_IOC_ALLOC_MEM_FLAGS_VRAM:
    kind = gpu::MemoryKind::vram;
    break;
  case KFD_IOC_ALLOC_MEM_FLAGS_GTT:
    kind = gpu::MemoryKind::gtt;
    break;
  case KFD_IOC_ALLOC_MEM_FLAGS_USERPTR:
    kind = gpu::MemoryKind::userptr;
    break;
  case KFD_IOC_ALLOC_MEM_FLAGS_DOORBELL:
    kind = gpu::MemoryKind::doorbell;
    break;
  default:
    // A page of flush registers. Nothing has to be flushed here, so that a page of memory does what they do.
    if (a.size != kPageBytes) return refuse(EINVAL, "the registers are one page");
    kind = gpu::MemoryKind::gtt;
    break;
  }
  auto on = static_cast<uint32_t>(device);
  auto id = kind == gpu::MemoryKind::userptr && a.mmap_offset != a.va_addr
                ? p.memory().allocate_alias(on, a.va_addr, a.mmap_offset, a.size, a.flags)
                : p.memory().allocate(on, kind, a.va_addr, a.size, a.flags);
  if (!id.ok()) return result(id.status());
  a.handle = make_handle(a.gpu_id, *id);
  if (kind == gpu::MemoryKind::doorbell)
    a.mmap_offset = doorbell_mmap_offset(a.gpu_id);
  else if (type == KFD_IOC_ALLOC_MEM_FLAGS_MMIO_REMAP) {
    a.mmap_offset = mmio_mmap_offset(a.gpu_id);
    p.record_registers(on, *id);
  } else if (kind != gpu::MemoryKind::userptr)
    a.mmap_offset = kRenderOffsetBase + (*id << kRenderOffsetShift);
  return 0;
}

bool handle_ok(Process& p, uint64_t handle) {
  auto a = p.memory().find(handle_id(handle));
  return a.ok() && gpu_id_of(a->device) == handle_gpu(handle);
}

int free_memory(Process& p, kfd_ioctl_free_memory_of_gpu_args& a) {
  if (!handle_ok(p, a.handle)) return -EINVAL;
  return result(p.memory().free(handle_id(a.handle)));
}

/// MAP and UNMAP go over an array of GPUs and can be continued after a failure: n_success counts.
template <class Args, class F> int each_device(Process& p, Args& a, F action) {
  if (!handle_ok(p, a.handle)) return -EINVAL;
  if (a.n_devices == 0 || a.n_success > a.n_devices) return refuse(EINVAL, "no GPUs, or more successes than GPUs");
  constexpr uint32_t kMaxDevices = 4096;
  if (a.n_devices > kMaxDevices) return -EINVAL;
  std::vector<uint32_t> ids(a.n_devices);
  if (!copy_in(ids, a.device_ids_array_ptr)) return -EFAULT;
  for (; a.n_success < a.n_devices; ++a.n_success) {
    int device = p.device_of(ids[a.n_success]);
    if (device < 0 || !p.has_vm(static_cast<uint32_t>(device))) return -EINVAL;
    if (int r = result(action(static_cast<uint32_t>(device)))) return r;
  }
  return 0;
}

int map_memory(Process& p, kfd_ioctl_map_memory_to_gpu_args& a) {
  return each_device(p, a, [&](uint32_t device) { return p.memory().map(handle_id(a.handle), device); });
}
int unmap_memory(Process& p, kfd_ioctl_unmap_memory_from_gpu_args& a) {
  return each_device(p, a, [&](uint32_t device) { return p.memory().unmap(handle_id(a.handle), device); });
}

int available_memory(Process& p, kfd_ioctl_get_available_memory_args& a) {
  int device = p.device_of(a.gpu_id);
  if (device < 0) return -EINVAL;
  a.available = p.memory().vram_available(static_cast<uint32_t>(device));
  return 0;
}

// ---- memory of more than one process
// ----------------------------------------------------------------------------------------

int export_dmabuf(Process& p, kfd_ioctl_export_dmabuf_args& a) {
  if (!handle_ok(p, a.handle)) return -EINVAL;
  auto backing = p.memory().share(handle_id(a.handle));
  if (!backing.ok()) return result(backing.status());
  auto fd = (*backing)->duplicate();
  if (!fd.ok()) return result(fd.status());
  a.dmabuf_fd = static_cast<uint32_t>(*fd);
  return 0;
}

uint32_t memory_type(const gpu::SharedFacts& facts) {
  return facts.vram ? KFD_IOC_ALLOC_MEM_FLAGS_VRAM : KFD_IOC_ALLOC_MEM_FLAGS_GTT;
}

int get_dmabuf_info(Process& p, kfd_ioctl_get_dmabuf_info_args& a) {
  auto backing = gpu::Backing::from_descriptor(static_cast<int>(a.dmabuf_fd));
  if (!backing.ok()) return result(backing.status());
  const auto& facts = (*backing)->facts();
  if (facts.device >= p.devices().size()) return refuse(EINVAL, "the memory is on a GPU that this process hasn't");
  a.size = facts.size;
  a.gpu_id = gpu_id_of(facts.device);
  a.flags = memory_type(facts);
  a.metadata_size = 0; // what a graphics driver would add
  return 0;
}

/// Enters memory that came from elsewhere and gives its handle. The GPU named is the one that asks.
int attach(Process& p, Expected<std::shared_ptr<gpu::Backing>> backing, uint32_t gpu_id, uint64_t va,
           uint64_t& handle) {
  int device = p.device_of(gpu_id);
  if (device < 0) return -EINVAL;
  if (!p.has_vm(static_cast<uint32_t>(device))) return refuse(ENODEV, "no VM was acquired for this GPU");
  if (!backing.ok()) return result(backing.status());
  const uint32_t owner = (*backing)->facts().device;
  auto id = p.memory().attach(std::move(*backing), va);
  if (!id.ok()) return result(id.status());
  handle = make_handle(gpu_id_of(owner), *id);
  return 0;
}

int import_dmabuf(Process& p, kfd_ioctl_import_dmabuf_args& a) {
  return attach(p, gpu::Backing::from_descriptor(static_cast<int>(a.dmabuf_fd)), a.gpu_id, a.va_addr, a.handle);
}

int ipc_export_handle(Process& p, kfd_ioctl_ipc_export_handle_args& a) {
  if (!handle_ok(p, a.handle)) return -EINVAL;
  auto backing = p.memory().share(handle_id(a.handle));
  if (!backing.ok()) return result(backing.status());
  const gpu::ShareHandle handle = (*backing)->handle();
  std::copy(handle.begin(), handle.end(), a.share_handle);
  a.flags = memory_type((*backing)->facts());
  return 0;
}

int ipc_import_handle(Process& p, kfd_ioctl_ipc_import_handle_args& a) {
  gpu::ShareHandle handle;
  std::copy(std::begin(a.share_handle), std::end(a.share_handle), handle.begin());
  auto backing = gpu::Backing::from_handle(handle);
  if (backing.ok()) a.flags = memory_type((*backing)->facts());
  if (int r = attach(p, std::move(backing), a.gpu_id, a.va_addr, a.handle)) return r;
  a.mmap_offset = kRenderOffsetBase + (handle_id(a.handle) << kRenderOffsetShift);
  return 0;
}

/// The attributes stand behind the structure, within the size that the ioctl's number tells.
int svm(Process& p, void* args, size_t size) {
  auto& a = *static_cast<kfd_ioctl_svm_args*>(args);
  if (a.nattr > (size - sizeof a) / sizeof(kfd_ioctl_svm_attribute))
    return refuse(EINVAL, "more attributes than the ioctl's size has room for");
  std::span attributes(a.attrs, a.nattr);
  switch (a.op) {
  case KFD_IOCTL_SVM_OP_SET_ATTR:
    return result(p.svm().set(a.start_addr, a.size, attributes));
  case KFD_IOCTL_SVM_OP_GET_ATTR:
    return result(p.svm().get(a.start_addr, a.size, attributes, p.devices().xnack()));
  default:
    return refuse(EINVAL, "no operation of shared memory");
  }
}

// ---- queues
// ----------------------------------------------------------------------------------------------------------------

int check_queue_numbers(uint32_t percentage, uint32_t priority, uint32_t ring_size) {
  constexpr uint32_t kPercentageMask = 0xff; // above it stands the XCC of a PM4 queue
  if ((percentage & kPercentageMask) > KFD_MAX_QUEUE_PERCENTAGE) return refuse(EINVAL, "queue percentage over 100");
  if (priority > KFD_MAX_QUEUE_PRIORITY) return refuse(EINVAL, "queue priority over 15");
  if (!std::has_single_bit(ring_size)) return refuse(EINVAL, "ring size is no power of two");
  return 0;
}

int create_queue(Process& p, kfd_ioctl_create_queue_args& a) {
  if (int r = check_queue_numbers(a.queue_percentage, a.queue_priority, a.ring_size)) return r;
  int device = p.device_of(a.gpu_id);
  if (device < 0) return -EINVAL;
  if (!p.has_vm(static_cast<uint32_t>(device))) return refuse(ENODEV, "no VM was acquired for this GPU");
  bool copies = false;
  uint32_t engine = gpu::Sdma::kAnyEngine;
  switch (a.queue_type) {
  case KFD_IOC_QUEUE_TYPE_COMPUTE_AQL:
    break;
  case KFD_IOC_QUEUE_TYPE_COMPUTE:
    log("kfd", Level::error, "PM4 compute queues are not implemented");
    return -EINVAL;
  case KFD_IOC_QUEUE_TYPE_SDMA_BY_ENG_ID:
    engine = a.sdma_engine_id;
    [[fallthrough]];
  case KFD_IOC_QUEUE_TYPE_SDMA:
    copies = true;
    break;
  case KFD_IOC_QUEUE_TYPE_SDMA_XGMI:
    log("kfd", Level::error, "no engine of this device is one for XGMI alone");
    return -ENOMEM;
  default:
    return refuse(EINVAL, "unknown queue type");
  }
  uint64_t area[5];
  if (a.ctx_save_restore_address && !gpu::read_memory(area, a.ctx_save_restore_address, sizeof area)) return -EFAULT;
  gpu::QueueConfig config;
  config.device = static_cast<uint32_t>(device);
  config.ring = a.ring_base_address;
  config.ring_bytes = a.ring_size;
  config.read_pointer = a.read_pointer_address;
  config.write_pointer = a.write_pointer_address;
  config.percentage = a.queue_percentage;
  config.priority = a.queue_priority;
  auto id = copies ? p.devices().create_copy_queue(config, engine) : p.devices().create_queue(config);
  if (!id.ok()) {
    log("kfd", Level::error, "no queue: {}", id.status().message());
    return result(id.status());
  }
  a.queue_id = *id;
  p.set_exception_area(*id, a.ctx_save_restore_address,
                       copies ? 0 : a.write_pointer_address - offsetof(abi::amd_queue_t, write_dispatch_id));
  auto slot = copies ? p.devices().sdma().doorbell_slot(*id) : p.devices().scheduler().doorbell_slot(*id);
  if (!slot.ok()) return result(slot.status());
  a.doorbell_offset = doorbell_mmap_offset(a.gpu_id) | uint64_t{*slot} * 8;
  return 0;
}

bool is_copy_queue(uint32_t id) { return id >= gpu::kFirstSdmaQueue; }

int destroy_queue(Process& p, kfd_ioctl_destroy_queue_args& a) {
  if (is_copy_queue(a.queue_id)) {
    int r = result(p.devices().sdma().destroy_queue(a.queue_id));
    if (r == 0) p.forget_exception_area(a.queue_id);
    return r;
  }
  int r = result(p.devices().scheduler().destroy_queue(a.queue_id));
  if (r == 0) {
    p.forget_exception_area(a.queue_id);
    (void)p.give_gws(a.queue_id); // if it had it
  }
  return r;
}

int update_queue(Process& p, kfd_ioctl_update_queue_args& a) {
  // As the kernel: no ring, or an empty one, makes the queue inactive.
  bool active = a.ring_base_address && a.ring_size != 0;
  if (!active && is_copy_queue(a.queue_id)) return result(p.devices().sdma().update_queue(a.queue_id, 0, 0, 0));
  if (!active) {
    auto config = p.devices().scheduler().queue_config(a.queue_id);
    if (!config.ok()) return result(config.status());
    return result(p.devices().scheduler().update_queue(a.queue_id, 0, 0, 0, config->priority));
  }
  if (int r = check_queue_numbers(a.queue_percentage, a.queue_priority, a.ring_size)) return r;
  uint8_t byte = 0;
  if (!gpu::read_memory(&byte, a.ring_base_address, 1) ||
      !gpu::read_memory(&byte, a.ring_base_address + a.ring_size - 1, 1))
    return -EFAULT;
  if (a.ring_base_address % abi::kAqlPacketBytes != 0 || a.ring_size < abi::kAqlPacketBytes) return -EINVAL;
  if (is_copy_queue(a.queue_id))
    return result(p.devices().sdma().update_queue(a.queue_id, a.ring_base_address, a.ring_size, a.queue_percentage));
  return result(p.devices().scheduler().update_queue(a.queue_id, a.ring_base_address, a.ring_size, a.queue_percentage,
                                                     a.queue_priority));
}

int set_cu_mask(Process& p, kfd_ioctl_set_cu_mask_args& a) {
  constexpr uint32_t kMaxBits = 1024;
  if (a.num_cu_mask == 0 || a.num_cu_mask % 32 != 0) return refuse(EINVAL, "a CU mask has a multiple of 32 bits");
  std::vector<uint32_t> words(std::min(a.num_cu_mask, kMaxBits) / 32);
  if (!copy_in(words, a.cu_mask_ptr)) return -EFAULT;
  uint32_t cus = 0;
  for (uint32_t w : words) cus += static_cast<uint32_t>(std::popcount(w));
  if (cus == 0) return refuse(EINVAL, "a CU mask without any unit");
  return result(p.devices().scheduler().limit_cus(a.queue_id, cus));
}

/// The engine has the 64 barriers and semaphores for every queue; the driver's rule is that one queue at a time uses them.
int alloc_queue_gws(Process& p, kfd_ioctl_alloc_queue_gws_args& a) {
  auto config = p.devices().scheduler().queue_config(a.queue_id);
  if (!config.ok()) return result(config.status());
  if (a.num_gws == 0) return p.give_gws(a.queue_id) ? 0 : refuse(EINVAL, "this queue has no global wave sync to give back");
  if (a.num_gws > kGlobalWaveSync) return refuse(EINVAL, "there are 64 resources of global wave sync");
  if (!p.take_gws(config->device, a.queue_id)) return refuse(EBUSY, "a queue of this GPU has the global wave sync already");
  a.first_gws = 0;
  return 0;
}

// ---- events
// ----------------------------------------------------------------------------------------------------------------

int create_event(Process& p, kfd_ioctl_create_event_args& a) {
  // The client may bring the page of mailboxes: a handle of its memory, with the first event.
  if (a.event_page_offset) {
    if (!handle_ok(p, a.event_page_offset)) return refuse(EINVAL, "the event page is no allocation");
    auto allocation = p.memory().find(handle_id(a.event_page_offset));
    if (!allocation.ok()) return result(allocation.status());
    if (int r = result(p.memory().host_map(allocation->id))) return r;
    if (int r = result(p.events().set_page(allocation->va, allocation->size))) return r;
    p.record_event_page(allocation->id);
  }
  if (int r = result(p.events().create(a))) return r;
  a.event_page_offset = kMmapEvents;
  return 0;
}
int destroy_event(Process& p, kfd_ioctl_destroy_event_args& a) { return result(p.events().destroy(a.event_id)); }
int set_event(Process& p, kfd_ioctl_set_event_args& a) { return result(p.events().set(a.event_id)); }
int reset_event(Process& p, kfd_ioctl_reset_event_args& a) { return result(p.events().reset(a.event_id)); }

int wait_events(Process& p, kfd_ioctl_wait_events_args& a) {
  constexpr uint32_t kMaxEvents = 2 * KFD_SIGNAL_EVENT_LIMIT;
  if (a.num_events > kMaxEvents) return refuse(EINVAL, "more events than can exist");
  std::vector<kfd_event_data> data(a.num_events);
  if (!copy_in(data, a.events_ptr)) return -EFAULT;
  Status status = p.events().wait(data, a.wait_for_all != 0, a.timeout, a.wait_result);
  if (!status.ok()) return status.code() == Code::fault ? -EIO : result(status);
  return copy_out(a.events_ptr, data) ? 0 : -EFAULT;
}

// ---- the private ones
// ---------------------------------------------------------------------------------------------------------

int help(Process& p, abi::bz_kfd_help_args& a) {
  if (!p.config().help) return -ENOTTY;
  if (a.condition > static_cast<uint32_t>(abi::HelpCondition::greater_equal)) return -EINVAL;
  auto condition = static_cast<abi::HelpCondition>(a.condition);
  if ((condition == abi::HelpCondition::none) != (a.value_address == 0) || a.value_address % 8 != 0) return -EINVAL;
  uint64_t readable = 0;
  if (a.value_address && !gpu::load_shared(readable, a.value_address)) return -EFAULT;
  auto* address = reinterpret_cast<const int64_t*>(a.value_address);
  auto done = [&] {
    if (a.event_id && p.events().is_set(a.event_id)) return true;
    if (condition == abi::HelpCondition::none) return false;
    int64_t now = __atomic_load_n(address, __ATOMIC_ACQUIRE);
    switch (condition) {
    case abi::HelpCondition::none:
      return false;
    case abi::HelpCondition::equal:
      return now == a.compare;
    case abi::HelpCondition::not_equal:
      return now != a.compare;
    case abi::HelpCondition::less:
      return now < a.compare;
    case abi::HelpCondition::greater_equal:
      return now >= a.compare;
    }
    return false;
  };
  a.result = static_cast<uint32_t>(p.devices().scheduler().help(done, a.timeout_us));
  return 0;
}

int wake(Process& p, abi::bz_kfd_wake_args& a) {
  for (uint32_t i = 0; i < p.devices().size(); ++i)
    if (const void* awake = p.devices().device(i).doorbells().wake(a.doorbell_address)) {
      a.awake_address = reinterpret_cast<uint64_t>(awake);
      return 0;
    }
  return refuse(EINVAL, "no doorbell is mapped there");
}

// ---- the table
// -------------------------------------------------------------------------------------------------------------

template <class Args, int (*function)(Process&, Args&)> int typed(Process& p, void* args, size_t) {
  return function(p, *static_cast<Args*>(args));
}
#define ROW(name, args, function)                                                                                      \
  IoctlRow { name, #name, typed<args, function> }
#define MISSING(name)                                                                                                  \
  IoctlRow { name, #name, nullptr }

constexpr IoctlRow kRows[] = {
    ROW(AMDKFD_IOC_GET_VERSION, kfd_ioctl_get_version_args, get_version),
    ROW(AMDKFD_IOC_CREATE_QUEUE, kfd_ioctl_create_queue_args, create_queue),
    ROW(AMDKFD_IOC_DESTROY_QUEUE, kfd_ioctl_destroy_queue_args, destroy_queue),
    ROW(AMDKFD_IOC_SET_MEMORY_POLICY, kfd_ioctl_set_memory_policy_args, set_memory_policy),
    ROW(AMDKFD_IOC_GET_CLOCK_COUNTERS, kfd_ioctl_get_clock_counters_args, get_clock_counters),
    ROW(AMDKFD_IOC_GET_PROCESS_APERTURES, kfd_ioctl_get_process_apertures_args, get_process_apertures),
    ROW(AMDKFD_IOC_UPDATE_QUEUE, kfd_ioctl_update_queue_args, update_queue),
    ROW(AMDKFD_IOC_CREATE_EVENT, kfd_ioctl_create_event_args, create_event),
    ROW(AMDKFD_IOC_DESTROY_EVENT, kfd_ioctl_destroy_event_args, destroy_event),
    ROW(AMDKFD_IOC_SET_EVENT, kfd_ioctl_set_event_args, set_event),
    ROW(AMDKFD_IOC_RESET_EVENT, kfd_ioctl_reset_event_args, reset_event),
    ROW(AMDKFD_IOC_WAIT_EVENTS, kfd_ioctl_wait_events_args, wait_events),
    IoctlRow{AMDKFD_IOC_DBG_REGISTER_DEPRECATED, "AMDKFD_IOC_DBG_REGISTER_DEPRECATED", deprecated_debugger},
    IoctlRow{AMDKFD_IOC_DBG_UNREGISTER_DEPRECATED, "AMDKFD_IOC_DBG_UNREGISTER_DEPRECATED", deprecated_debugger},
    IoctlRow{AMDKFD_IOC_DBG_ADDRESS_WATCH_DEPRECATED, "AMDKFD_IOC_DBG_ADDRESS_WATCH_DEPRECATED", deprecated_debugger},
    IoctlRow{AMDKFD_IOC_DBG_WAVE_CONTROL_DEPRECATED, "AMDKFD_IOC_DBG_WAVE_CONTROL_DEPRECATED", deprecated_debugger},
    ROW(AMDKFD_IOC_SET_SCRATCH_BACKING_VA, kfd_ioctl_set_scratch_backing_va_args, set_scratch_backing_va),
    ROW(AMDKFD_IOC_GET_TILE_CONFIG, kfd_ioctl_get_tile_config_args, get_tile_config),
    ROW(AMDKFD_IOC_SET_TRAP_HANDLER, kfd_ioctl_set_trap_handler_args, set_trap_handler),
    ROW(AMDKFD_IOC_GET_PROCESS_APERTURES_NEW, kfd_ioctl_get_process_apertures_new_args, get_process_apertures_new),
    ROW(AMDKFD_IOC_ACQUIRE_VM, kfd_ioctl_acquire_vm_args, acquire_vm),
    ROW(AMDKFD_IOC_ALLOC_MEMORY_OF_GPU, kfd_ioctl_alloc_memory_of_gpu_args, alloc_memory),
    ROW(AMDKFD_IOC_FREE_MEMORY_OF_GPU, kfd_ioctl_free_memory_of_gpu_args, free_memory),
    ROW(AMDKFD_IOC_MAP_MEMORY_TO_GPU, kfd_ioctl_map_memory_to_gpu_args, map_memory),
    ROW(AMDKFD_IOC_UNMAP_MEMORY_FROM_GPU, kfd_ioctl_unmap_memory_from_gpu_args, unmap_memory),
    ROW(AMDKFD_IOC_SET_CU_MASK, kfd_ioctl_set_cu_mask_args, set_cu_mask),
    MISSING(AMDKFD_IOC_GET_QUEUE_WAVE_STATE),
    ROW(AMDKFD_IOC_GET_DMABUF_INFO, kfd_ioctl_get_dmabuf_info_args, get_dmabuf_info),
    ROW(AMDKFD_IOC_IMPORT_DMABUF, kfd_ioctl_import_dmabuf_args, import_dmabuf),
    ROW(AMDKFD_IOC_ALLOC_QUEUE_GWS, kfd_ioctl_alloc_queue_gws_args, alloc_queue_gws),
    MISSING(AMDKFD_IOC_SMI_EVENTS),
    IoctlRow{AMDKFD_IOC_SVM, "AMDKFD_IOC_SVM", svm},
    ROW(AMDKFD_IOC_SET_XNACK_MODE, kfd_ioctl_set_xnack_mode_args, set_xnack_mode),
    MISSING(AMDKFD_IOC_CRIU_OP),
    ROW(AMDKFD_IOC_AVAILABLE_MEMORY, kfd_ioctl_get_available_memory_args, available_memory),
    ROW(AMDKFD_IOC_EXPORT_DMABUF, kfd_ioctl_export_dmabuf_args, export_dmabuf),
    ROW(AMDKFD_IOC_RUNTIME_ENABLE, kfd_ioctl_runtime_enable_args, runtime_enable),
    MISSING(AMDKFD_IOC_DBG_TRAP),
    ROW(AMDKFD_IOC_IPC_IMPORT_HANDLE, kfd_ioctl_ipc_import_handle_args, ipc_import_handle),
    ROW(AMDKFD_IOC_IPC_EXPORT_HANDLE, kfd_ioctl_ipc_export_handle_args, ipc_export_handle),
    MISSING(AMDKFD_IOC_CROSS_MEMORY_COPY),
    MISSING(AMDKFD_IOC_RLC_SPM),
    MISSING(AMDKFD_IOC_PC_SAMPLE),
    IoctlRow{abi::BZ_KFD_IOC_HELP, "BZ_KFD_IOC_HELP", typed<abi::bz_kfd_help_args, help>},
    IoctlRow{abi::BZ_KFD_IOC_WAKE, "BZ_KFD_IOC_WAKE", typed<abi::bz_kfd_wake_args, wake>},
};

} // namespace

const IoctlRow* find_ioctl(uint32_t request) {
  for (const IoctlRow& row : kRows)
    if (_IOC_NR(row.request) == _IOC_NR(request)) return &row;
  return nullptr;
}

const IoctlRow* ioctl_rows(size_t& count) {
  count = std::size(kRows);
  return kRows;
}

} // namespace bz::kfd
