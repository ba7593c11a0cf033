#include "kfd/process.hpp"

#include "abi/exceptions.hpp"
#include "abi/kfd_debug.hpp"
#include "abi/queue.hpp"
#include "abi/signal.hpp"
#include "base/environment.hpp"
#include "base/log.hpp"
#include "gpu/guard.hpp"
#include "gpu/symbols.hpp"
#include "kfd/ioctls.hpp"

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <dirent.h>
#include <fcntl.h>
#include <set>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

namespace bz::kfd {
namespace {

constexpr uint64_t kPage = 4096;

void* mmap_error(int error_number) { return reinterpret_cast<void*>(static_cast<intptr_t>(-error_number)); }

uint64_t inode_of(int fd) {
  struct stat s{};
  return fstat(fd, &s) == 0 ? s.st_ino : 0;
}

/// Calls f for each descriptor of this process. False if /proc can't be read.
template <class F> bool each_descriptor(F f) {
  DIR* folder = opendir("/proc/self/fd");
  if (!folder) return false;
  while (dirent* entry = readdir(folder))
    if (entry->d_name[0] != '.') f(std::atoi(entry->d_name));
  closedir(folder);
  return true;
}

} // namespace

int errno_of(Code code) {
  switch (code) {
  case Code::ok:
    return 0;
  case Code::invalid_argument:
  case Code::invalid_handle:
  case Code::invalid_image:
  case Code::wrong_target:
  case Code::unsupported:
    return EINVAL;
  case Code::not_found:
    return ENOENT;
  case Code::out_of_memory:
    return ENOMEM;
  case Code::out_of_resources:
    return ENOSPC;
  case Code::busy:
    return EBUSY;
  case Code::timed_out:
    return ETIME;
  case Code::fault:
    return EFAULT;
  case Code::internal:
    return EIO;
  }
  return EIO;
}

Expected<ProcessConfig> ProcessConfig::from_environment(gpu::EngineFactory engine) {
  ProcessConfig config;
  config.engine = std::move(engine);
  config.machine = gpu::Machine::here();
  BZ_TRY_ASSIGN(config.products, gpu::parse_gpus(environment("BZ_GPUS"), config.machine));
  if (std::string text = environment("BZ_WORKERS"); !text.empty()) {
    char* end = nullptr;
    long n = std::strtol(text.c_str(), &end, 10);
    constexpr long kMaxWorkers = 1024;
    if (*end != 0 || n < 1 || n > kMaxWorkers)
      return error(Code::invalid_argument, "BZ_WORKERS needs a number of threads from 1 to {}, not \"{}\"", kMaxWorkers,
                   text);
    config.workers = static_cast<unsigned>(n);
  }
  if (std::string text = environment("BZ_HELP"); !text.empty() && text != "1") {
    if (text != "0") return error(Code::invalid_argument, "BZ_HELP is 0 or 1, not \"{}\"", text);
    config.help = false;
  }
  config.log_file = environment("BZ_KFD_LOG");
  return config;
}

Process::Process(ProcessConfig config)
    : config_(std::move(config)), pid_(getpid()), files_(config_.products, config_.machine), svm_([&] {
        std::vector<uint32_t> ids;
        for (uint32_t i = 0; i < config_.products.size(); ++i) ids.push_back(gpu_id_of(i));
        return ids;
      }()),
      states_(config_.products.size()) {}

Expected<std::unique_ptr<Process>> Process::create(ProcessConfig config) {
  std::unique_ptr<Process> process(new Process(std::move(config)));
  if (!process->config_.log_file.empty()) {
    process->log_ = std::fopen(process->config_.log_file.c_str(), "ae");
    if (!process->log_)
      return error(Code::invalid_argument, "BZ_KFD_LOG: {} can't be written: {}", process->config_.log_file,
                   std::strerror(errno));
    std::setvbuf(process->log_, nullptr, _IOLBF, 0); // whole lines also after an abort
  }
  gpu::DeviceSetConfig set;
  set.products = process->config_.products;
  set.engine = process->config_.engine;
  // As the kernel: GTT may take most of the host's memory, not all.
  set.host_bytes = process->config_.machine.memory_bytes / 16 * 15 / kPage * kPage;
  set.workers = process->config_.workers;
  BZ_TRY_ASSIGN(process->set_, gpu::DeviceSet::create(std::move(set), *process));
  return process;
}

Process::~Process() {
  if (set_) release_all(); // not if create() failed
  each_descriptor([&](int fd) {
    if (open_files_.contains(inode_of(fd))) ::close(fd);
  });
  set_.reset();
  if (log_) std::fclose(log_);
}

// ---- file descriptors
// --------------------------------------------------------------------------------------------------------

int Process::new_fd(const char* name, FdKind kind, uint32_t device) {
  int fd = memfd_create(name, MFD_CLOEXEC);
  if (fd < 0) return -errno;
  (void)forget_closed_files(); // a last descriptor may have gone by close_range() or the like
  std::lock_guard lock(mutex_);
  open_files_[inode_of(fd)] = {kind, device};
  return fd;
}

/// Drops what no descriptor refers to any more. True if that was the last open /dev/kfd.
bool Process::forget_closed_files() {
  // Under the lock: what another thread opens meanwhile isn't entered yet. Twice: it may be moving a descriptor to a number
  // that was looked at already.
  std::lock_guard lock(mutex_);
  std::set<uint64_t> open;
  for (int look = 0; look < 2; ++look)
    if (!each_descriptor([&](int fd) { open.insert(inode_of(fd)); })) return false;
  auto is_kfd = [](const auto& entry) { return entry.second.kind == FdKind::kfd; };
  bool before = std::any_of(open_files_.begin(), open_files_.end(), is_kfd);
  std::erase_if(open_files_, [&](const auto& entry) { return !open.contains(entry.first); });
  return before && std::none_of(open_files_.begin(), open_files_.end(), is_kfd);
}

int Process::text_fd(const std::string& text) {
  int fd = memfd_create("bz-topology", MFD_CLOEXEC);
  if (fd < 0) return -errno;
  if (write(fd, text.data(), text.size()) != static_cast<ssize_t>(text.size()) || lseek(fd, 0, SEEK_SET) != 0) {
    ::close(fd);
    return -EIO;
  }
  return fd;
}

int Process::open(std::string_view path, int flags) {
  if (getpid() != pid_) return -EBADF; // a forked child has none of the device's threads
  if (path == "/" && flags & O_DIRECTORY) return text_fd(files_.list());
  if (path == "/dev/kfd") return new_fd("bz-kfd", FdKind::kfd, 0);
  constexpr std::string_view kRender = "/dev/dri/renderD";
  if (path.starts_with(kRender)) {
    std::string digits(path.substr(kRender.size()));
    char* end = nullptr;
    unsigned long minor = std::strtoul(digits.c_str(), &end, 10);
    if (digits.empty() || *end != 0 || minor < kFirstRenderMinor || minor - kFirstRenderMinor >= set_->size())
      return -ENOENT;
    return new_fd("bz-render", FdKind::render, static_cast<uint32_t>(minor - kFirstRenderMinor));
  }
  auto text = files_.file(path);
  return text ? text_fd(*text) : -ENOENT;
}

Process::FdKind Process::kind_of(int fd, uint32_t& device) const {
  if (getpid() != pid_) return FdKind::none; // and a thread of the parent may have had the lock when it forked
  uint64_t inode = inode_of(fd);
  std::lock_guard lock(mutex_);
  auto it = open_files_.find(inode);
  if (it == open_files_.end() || inode == 0) return FdKind::none;
  device = it->second.device;
  return it->second.kind;
}

int Process::close(int fd) {
  uint32_t device = 0;
  FdKind kind = kind_of(fd, device);
  if (::close(fd) != 0) return -errno;
  if (kind != FdKind::none && forget_closed_files()) release_all();
  return 0;
}

/// The kernel keeps all until the process ends. Here the rest goes with the last descriptor, but not a client's event page
/// that it didn't free: libhsakmt goes on with it when it opens the driver again.
void Process::release_all() {
  uint64_t page = event_page_;
  bool keep = page != 0 && memory().find(page).ok();
  set_->reset(keep ? page : 0);
  events_.clear(keep);
  svm_.clear();
  if (!keep) event_page_ = 0;
  gpu::set_loader_list(0);
  {
    std::lock_guard lock(exceptions_mutex_);
    exception_areas_.clear();
  }
  std::lock_guard lock(mutex_);
  for (auto& state : states_) state = {};
  gws_owner_.clear();
  runtime_enabled_ = false;
}

// ---- ioctl
// -------------------------------------------------------------------------------------------------------------------

void Process::trace(const char* name, unsigned long request, int result) {
  uint32_t size = _IOC_SIZE(request);
  if (log_) fmt::print(log_, "{} {:#010x} size={} result={}\n", name, request, size, result);
  log("kfd", Level::trace, "{} {:#010x} size={} -> {}", name, request, size, result);
}

int Process::ioctl(int fd, unsigned long request, void* arg) {
  uint32_t device = 0;
  FdKind kind = kind_of(fd, device);
  if (kind == FdKind::none) {
    trace(getpid() == pid_ ? "(not a descriptor of this driver)" : "(forked child)", request, -EBADF);
    return -EBADF;
  }
  auto number = static_cast<uint32_t>(request);
  if (kind == FdKind::render) {
    const DrmRow* row = find_drm_ioctl(number);
    if (!row) {
      log("kfd", Level::info, "DRM ioctl {:#x} is not implemented", number);
      trace("(DRM ioctl, not implemented)", request, -EINVAL);
      return -EINVAL;
    }
    return call(row->name, number, row->request, arg, [&](void* args, size_t) { return row->handler(*this, device, args); });
  }
  const IoctlRow* row = _IOC_TYPE(number) == AMDKFD_IOCTL_BASE ? find_ioctl(number) : nullptr;
  if (!row || !row->handler) {
    if (row) log("kfd", Level::info, "{} is not implemented", row->name);
    trace(row ? row->name : "(unknown ioctl)", request, -ENOTTY);
    return -ENOTTY;
  }
  return call(row->name, number, row->request, arg,
              [&](void* args, size_t size) { return row->handler(*this, args, size); });
}

/// As the kernel: callers built for a shorter structure pass that, the rest is zero.
template <class F> int Process::call(const char* name, uint32_t request, uint32_t known, void* arg, F handler) {
  constexpr size_t kUsualArgs = 512;
  alignas(16) uint8_t usual[kUsualArgs] = {};
  static_assert(sizeof(kfd_ioctl_get_process_apertures_args) <= kUsualArgs);
  size_t size = _IOC_SIZE(request), room = std::max<size_t>(size, _IOC_SIZE(known));
  std::vector<uint64_t> unusual(room > kUsualArgs ? room / 8 + 1 : 0);
  void* args = room > kUsualArgs ? static_cast<void*>(unusual.data()) : usual;
  int result = 0;
  if (size == 0 || !arg || !gpu::read_memory(args, reinterpret_cast<uint64_t>(arg), size)) result = -EFAULT;
  if (result == 0) {
    result = handler(args, room);
    bool returns = _IOC_DIR(known) & _IOC_READ;
    if (returns && !gpu::write_memory(reinterpret_cast<uint64_t>(arg), args, size)) result = -EFAULT;
  }
  trace(name, request, result);
  return result;
}

// ---- mmap
// --------------------------------------------------------------------------------------------------------------------

void* Process::mmap(void* addr, size_t length, int prot, int flags, int fd, off_t offset) {
  uint32_t device = 0;
  FdKind kind = kind_of(fd, device);
  if (kind == FdKind::none) return mmap_error(EBADF);
  auto at = static_cast<uint64_t>(offset);
  bool fixed = flags & MAP_FIXED;
  auto answer = [](const Expected<void*>& mapped) {
    if (mapped.ok()) return *mapped;
    log("kfd", Level::error, "mmap: {}", mapped.status().message());
    return mmap_error(errno_of(mapped.status().code()));
  };
  if (kind == FdKind::render) {
    if (at < kRenderOffsetBase) return mmap_error(EINVAL);
    auto allocation = memory().find((at - kRenderOffsetBase) >> kRenderOffsetShift);
    if (!allocation.ok() || allocation->device != device) return mmap_error(EINVAL);
    return answer(memory().host_map(allocation->id, addr, length, prot, fixed));
  }
  int which = device_of(static_cast<uint32_t>(at >> kMmapGpuIdShift & 0xffff));
  if ((at & kMmapTypeMask) == kMmapMmio && which >= 0) {
    uint64_t id = 0;
    {
      std::lock_guard lock(mutex_);
      id = states_[static_cast<size_t>(which)].registers;
    }
    return answer(memory().host_map(id, addr, length, prot, fixed));
  }
  if ((at & kMmapTypeMask) == kMmapDoorbell) {
    if (which < 0) return mmap_error(EINVAL);
    return answer(set_->device(static_cast<uint32_t>(which)).doorbells().map(addr, length, fixed));
  }
  if ((at & kMmapTypeMask) == kMmapEvents) {
    if (length == 0 || length > Events::kPageBytes || fixed) return mmap_error(EINVAL);
    auto page = events_.driver_page();
    if (!page.ok()) return mmap_error(errno_of(page.status().code()));
    return reinterpret_cast<void*>(*page);
  }
  return mmap_error(EINVAL);
}

int Process::munmap(void* addr, size_t length) {
  if (getpid() != pid_) return 0;
  for (uint32_t i = 0; i < set_->size(); ++i) set_->device(i).doorbells().forget_views(addr, length);
  return 0;
}

// ---- state that ioctls keep
// ------------------------------------------------------------------------------------------------------

int Process::device_of(uint32_t gpu_id) const {
  for (uint32_t i = 0; i < config_.products.size(); ++i)
    if (gpu_id_of(i) == gpu_id) return static_cast<int>(i);
  return -1;
}

Status Process::acquire_vm(uint32_t device, int drm_fd) {
  uint32_t of = 0;
  if (kind_of(drm_fd, of) != FdKind::render || of != device)
    return error(Code::invalid_argument, "descriptor {} is not the render node of GPU {}", drm_fd, device);
  std::lock_guard lock(mutex_);
  int& have = states_[device].drm_fd;
  if (have >= 0 && have != drm_fd) return error(Code::busy, "GPU {} has a VM already", device);
  have = drm_fd;
  return {};
}

bool Process::has_vm(uint32_t device) const {
  std::lock_guard lock(mutex_);
  return states_[device].drm_fd >= 0;
}

void Process::set_exception_area(uint32_t queue, uint64_t header, uint64_t amd_queue) {
  std::lock_guard lock(exceptions_mutex_);
  exception_areas_[queue] = {header, amd_queue};
}
void Process::forget_exception_area(uint32_t queue) {
  std::lock_guard lock(exceptions_mutex_);
  exception_areas_.erase(queue);
}

bool Process::take_gws(uint32_t device, uint32_t queue) {
  std::lock_guard lock(mutex_);
  return gws_owner_.emplace(device, queue).second;
}
bool Process::give_gws(uint32_t queue) {
  std::lock_guard lock(mutex_);
  return std::erase_if(gws_owner_, [&](auto& owner) { return owner.second == queue; }) > 0;
}

Status Process::runtime_enable(kfd_ioctl_runtime_enable_args& args) {
  std::lock_guard lock(mutex_);
  bool on = args.mode_mask & KFD_RUNTIME_ENABLE_MODE_ENABLE_MASK;
  if (on && runtime_enabled_) return error(Code::busy, "the runtime is enabled already");
  if (!on && !runtime_enabled_) return error(Code::invalid_argument, "the runtime isn't enabled");
  runtime_enabled_ = on;
  args.capabilities_mask = 0;
  gpu::set_loader_list(on ? args.r_debug : 0);
  return {};
}

void Process::record_registers(uint32_t device, uint64_t allocation) {
  std::lock_guard lock(mutex_);
  states_[device].registers = allocation;
}
void Process::record_scratch(uint32_t device, uint64_t va) {
  std::lock_guard lock(mutex_);
  states_[device].scratch_va = va; // the engine has scratch of its own
}
void Process::record_trap_handler(uint32_t device, uint64_t tba, uint64_t tma) {
  std::lock_guard lock(mutex_);
  states_[device].tba = tba; // traps are delivered by the engine; a debugger will want these
  states_[device].tma = tma;
}

// ---- what the device tells
// -------------------------------------------------------------------------------------------------------

bool Process::memory_fault(uint32_t device, uint64_t address, bool is_write) {
  kfd_hsa_memory_exception_data data{};
  data.va = address / kPage * kPage; // page faults know pages
  data.gpu_id = gpu_id_of(device);
  gpu::Allocation allocation;
  bool mapped = memory().containing(address, allocation) && allocation.backed;
  data.failure.NotPresent = !mapped;
  data.failure.ReadOnly = mapped && is_write;
  data.ErrorType = KFD_MEM_ERR_NO_RAS;
  return events_.memory_exception(data);
}

/// Runtimes before exception areas have the signal of the queue's end set, by firmware and trap handler, to one of these.
/// What each value means is what Debian's ROCr 5.2 makes of it.
bool Process::report_by_signal(uint64_t amd_queue, uint64_t mask) {
  struct {
    kfd_dbg_trap_exception_code code;
    int64_t value;
  } constexpr kValues[] = {
      {EC_QUEUE_PACKET_DISPATCH_DIM_INVALID, 2},
      {EC_QUEUE_PACKET_DISPATCH_GROUP_SEGMENT_SIZE_INVALID, 4},
      {EC_QUEUE_PACKET_DISPATCH_CODE_INVALID, 8},
      {EC_QUEUE_PACKET_RESERVED, 32},
      {EC_QUEUE_PACKET_UNSUPPORTED, 32},
      {EC_QUEUE_PACKET_DISPATCH_WORK_GROUP_SIZE_INVALID, 64},
      {EC_QUEUE_PACKET_DISPATCH_REGISTER_INVALID, 128},
      {EC_QUEUE_PACKET_VENDOR_UNSUPPORTED, 256},
      {EC_QUEUE_WAVE_APERTURE_VIOLATION, 0x20000000},
      {EC_QUEUE_WAVE_MEMORY_VIOLATION, 0x20000000},
      {EC_QUEUE_WAVE_ILLEGAL_INSTRUCTION, 0x40000000},
      {EC_QUEUE_WAVE_ABORT, 0x80000000},
      {EC_QUEUE_WAVE_TRAP, 0x80000000},
  };
  int64_t value = 0;
  for (auto& known : kValues)
    if (mask & abi::exception_bit(known.code)) value = known.value;
  uint64_t handle = 0, mailbox = 0;
  uint32_t event = 0;
  if (!amd_queue || value == 0 ||
      !gpu::read_memory(&handle, amd_queue + offsetof(abi::amd_queue_t, queue_inactive_signal), sizeof handle) || !handle)
    return false;
  bool set = gpu::guarded([&] {
    auto* signal = reinterpret_cast<abi::amd_signal_t*>(handle);
    mailbox = signal->event_mailbox_ptr;
    event = signal->event_id;
    __atomic_store_n(&signal->value, value, __ATOMIC_SEQ_CST);
    if (mailbox) __atomic_store_n(reinterpret_cast<uint64_t*>(mailbox), uint64_t{event}, __ATOMIC_RELEASE);
  });
  if (set && mailbox) events_.interrupt(event);
  return set;
}

void Process::queue_exception(uint32_t queue, uint64_t mask) {
  ExceptionArea area;
  {
    std::lock_guard lock(exceptions_mutex_);
    auto it = exception_areas_.find(queue);
    if (it != exception_areas_.end()) area = it->second;
  }
  kfd_context_save_area_header header{};
  uint64_t payload = 0;
  if (!area.header || !gpu::read_memory(&header, area.header, sizeof header) || !header.err_payload_addr ||
      !gpu::load_shared(payload, header.err_payload_addr)) {
    if (report_by_signal(area.amd_queue, mask)) return;
    log("kfd", Level::error, "queue {} stopped with exceptions {:#x}, and the client left no place to report them",
        queue, mask);
    return;
  }
  payload |= mask;
  if (!gpu::store_shared(header.err_payload_addr, payload)) return;
  events_.interrupt(header.err_event_id);
}

} // namespace bz::kfd
