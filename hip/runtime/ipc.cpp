#include "hip/runtime/ipc.hpp"
#include "hip/runtime/event.hpp"
#include "hip/runtime/impl.hpp"
#include "hip/runtime/memory_use.hpp"
#include "hip/runtime/pool.hpp"

#include <chrono>
#include <csignal>
#include <cstdio>
#include <cstring>
#include <fcntl.h>
#include <optional>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

namespace bz::hip {

// ---- Signals and memory ---------------------------------------------------------------------------------------------

namespace {

// The signal's value: unfinished records in 16 bits, above them the process that they are of (22 bits of its id, 24 of the time when
// it began, because ids are used again), or 0: of several.
constexpr uint64_t kCount = 0xffff;
constexpr unsigned kOwnerShift = 16, kPidBits = 22, kStartBits = 24;
constexpr uint64_t kPid = (uint64_t{1} << kPidBits) - 1, kStart = (uint64_t{1} << kStartBits) - 1;

struct ProcessState {
  char state;     ///< of proc(5)
  uint64_t start; ///< clock ticks since the machine's start
};
std::optional<ProcessState> process_state(pid_t pid) {
  char path[32], text[1024];
  std::snprintf(path, sizeof path, "/proc/%d/stat", static_cast<int>(pid));
  const int fd = ::open(path, O_RDONLY | O_CLOEXEC);
  if (fd < 0) return std::nullopt;
  const ssize_t n = read(fd, text, sizeof text - 1);
  close(fd);
  if (n <= 0) return std::nullopt;
  text[n] = 0;
  const char* p = std::strrchr(text, ')'); // the name before it may hold anything
  ProcessState s{};
  if (!p || std::sscanf(p + 1, " %c %*d %*d %*d %*d %*d %*u %*u %*u %*u %*u %*u %*u %*d %*d %*d %*d %*d %*d %lu", &s.state, &s.start) != 2)
    return std::nullopt;
  return s;
}

uint64_t this_process() {
  static std::atomic<uint64_t> known{0};
  const auto pid = static_cast<uint64_t>(getpid()); // a forked child is another one
  uint64_t owner = known.load(std::memory_order_relaxed);
  if ((owner & kPid) == pid) return owner;
  const auto s = process_state(getpid());
  owner = (pid & kPid) | ((s ? s->start : 0) & kStart) << kPidBits;
  known.store(owner, std::memory_order_relaxed);
  return owner;
}

bool is_dead(uint64_t owner) {
  const auto pid = static_cast<pid_t>(owner & kPid);
  if (auto s = process_state(pid)) return s->state == 'Z' || s->state == 'X' || (s->start & kStart) != owner >> kPidBits;
  return kill(pid, 0) != 0 && errno == ESRCH; // /proc may hide what others run
}

int64_t now_ns() { return std::chrono::steady_clock::now().time_since_epoch().count(); }

} // namespace

void SharedSignal::begin() {
  for (auto seen = hsa_signal_load_scacquire(signal_);;) {
    const auto v = static_cast<uint64_t>(seen);
    uint64_t count = v & kCount, owner = v >> kOwnerShift;
    const uint64_t me = this_process();
    if (count && owner && owner != me && is_dead(owner)) count = 0;
    owner = !count || owner == me ? me : 0;
    const auto next = static_cast<hsa_signal_value_t>((count + 1) | owner << kOwnerShift);
    const auto was = hsa_signal_cas_scacq_screl(signal_, seen, next);
    if (was == seen) return;
    seen = was;
  }
}

void SharedSignal::end() {
  for (auto seen = hsa_signal_load_scacquire(signal_);;) {
    const auto v = static_cast<uint64_t>(seen);
    if (!(v & kCount)) return;
    const auto next = static_cast<hsa_signal_value_t>((v & kCount) == 1 ? 0 : v - 1);
    const auto was = hsa_signal_cas_scacq_screl(signal_, seen, next);
    if (was == seen) return;
    seen = was;
  }
}

/// True if nothing is outstanding any more. Whoever changes the value meanwhile is alive.
bool SharedSignal::forget_dead(hsa_signal_value_t seen) const {
  const uint64_t owner = static_cast<uint64_t>(seen) >> kOwnerShift;
  if (!owner || owner == this_process() || !is_dead(owner)) return false;
  return hsa_signal_cas_scacq_screl(signal_, seen, 0) == seen;
}

bool SharedSignal::idle() const {
  const auto seen = hsa_signal_load_scacquire(signal_);
  if (seen < 1) return true;
  constexpr int64_t kOften = 20'000'000;
  const int64_t now = now_ns();
  if (now - looked_.load(std::memory_order_relaxed) < kOften) return false;
  looked_.store(now, std::memory_order_relaxed);
  return forget_dead(seen);
}

void SharedSignal::wait(hsa_wait_state_t how) const {
  constexpr uint64_t kLook = 100'000'000; // ns
  for (;;) {
    const auto seen = hsa_signal_wait_scacquire(signal_, HSA_SIGNAL_CONDITION_LT, 1, kLook, how);
    if (seen < 1 || forget_dead(seen)) return;
  }
}

Outcome<std::shared_ptr<SharedSignal>> SharedSignal::create() {
  hsa_signal_t signal{};
  if (Status s = hsa_check(hsa_amd_signal_create(0, 0, nullptr, HSA_AMD_SIGNAL_IPC, &signal),
                           "creating a signal of several processes");
      !s.ok())
    return s;
  return std::shared_ptr<SharedSignal>(new SharedSignal(signal));
}

Outcome<std::shared_ptr<SharedSignal>> SharedSignal::open(const hsa_amd_ipc_signal_t& handle) {
  hsa_signal_t signal{};
  if (hsa_status_t s = hsa_amd_ipc_signal_attach(&handle, &signal); s != HSA_STATUS_SUCCESS)
    return fail(hipErrorInvalidValue, "the event of this handle is gone: {}",
                hsa_check(s, "opening a signal of another process").message());
  return std::shared_ptr<SharedSignal>(new SharedSignal(signal));
}

SharedSignal::~SharedSignal() { (void)hsa_signal_destroy(signal_); }

Result SharedSignal::export_to(hsa_amd_ipc_signal_t& handle) const {
  return Result(hsa_check(hsa_amd_ipc_signal_create(signal_, &handle), "sharing a signal"));
}

namespace {
int ordinal_of(hsa_agent_t agent) {
  for (auto& d : Runtime::get().devices())
    if (d->agent().handle == agent.handle) return d->ordinal();
  return Runtime::get().current().ordinal();
}
} // namespace

Outcome<void*> ImportedMemory::open(const hsa_amd_ipc_memory_t& handle, size_t size, const void* pool) {
  auto& runtime = Runtime::get();
  std::lock_guard lock(mutex_);
  for (auto& [base, entry] : entries_)
    if (std::memcmp(&entry.handle, &handle, sizeof handle) == 0) {
      ++entry.users;
      return base;
    }
  const auto agents = runtime.gpu_agents();
  void* base = nullptr;
  if (hsa_status_t s = hsa_amd_ipc_memory_attach(&handle, size, uint32_t(agents.size()), agents.data(), &base);
      s != HSA_STATUS_SUCCESS)
    return fail(hipErrorInvalidValue, "the memory of this handle is gone: {}",
                hsa_check(s, "opening memory of another process").message());
  hsa_amd_pointer_info_t info{};
  info.size = sizeof info;
  if (hsa_status_t s = hsa_amd_pointer_info(base, &info, nullptr, nullptr, nullptr); s != HSA_STATUS_SUCCESS) {
    (void)hsa_amd_ipc_memory_detach(base);
    return Result(hsa_check(s, "asking for imported memory"));
  }
  entries_.emplace(base, Entry{handle, 1});
  runtime.memory.add({.base = reinterpret_cast<uintptr_t>(base),
                      .size = size,
                      .kind = MemoryKind::imported,
                      .device = ordinal_of(info.agentOwner),
                      .device_base = reinterpret_cast<uintptr_t>(base),
                      .pool = pool});
  return base;
}

bool ImportedMemory::close(void* base) {
  {
    std::lock_guard lock(mutex_);
    const auto at = entries_.find(base);
    if (at == entries_.end()) return false;
    if (--at->second.users > 0) return true;
    (void)Runtime::get().memory.remove(base);
    wait_for_memory_uses();
  }
  return drop(base).ok();
}

Status ImportedMemory::drop(void* base) {
  std::lock_guard lock(mutex_);
  entries_.erase(base);
  return hsa_check(hsa_amd_ipc_memory_detach(base), "closing memory of another process");
}

int descriptor_of(const void* os_handle) {
  const auto value = reinterpret_cast<uintptr_t>(os_handle);
  constexpr uintptr_t kLowestObject = 65536; // vm.mmap_min_addr
  return value < kLowestObject ? static_cast<int>(value) : *static_cast<const int*>(os_handle);
}

namespace impl {
namespace {

/// The 64 bytes of the API, ours.
struct MemoryWords {
  hsa_amd_ipc_memory_t memory;
  uint64_t offset, size;
  uint32_t process, mark;
  uint64_t unused;
};
static_assert(sizeof(MemoryWords) == sizeof(hipIpcMemHandle_t));
struct EventWords {
  hsa_amd_ipc_signal_t signal;
  uint32_t process, mark, flags;
  uint32_t unused[5];
};
static_assert(sizeof(EventWords) == sizeof(hipIpcEventHandle_t));
struct PointerWords {
  hsa_amd_ipc_memory_t memory;
  uint64_t size, pool;
  uint32_t process, mark;
  uint64_t unused;
};
static_assert(sizeof(PointerWords) == sizeof(hipMemPoolPtrExportData));
/// What stands in the file that a pool's descriptor refers to.
struct PoolWords {
  uint64_t mark, pool;
  hipMemPoolProps props;
};
constexpr uint32_t kMemoryMark = 0x6d656d31, kEventMark = 0x65767431, kPointerMark = 0x70747231;
constexpr uint64_t kPoolMark = 0x627a2d706f6f6c31;

uint32_t this_process() { return static_cast<uint32_t>(getpid()); }
constexpr const char* kSameProcess = "the handle is of this process: it can be opened in others only";

template <class To, class From> To words_of(const From& from) {
  static_assert(sizeof(To) == sizeof(From));
  To to;
  std::memcpy(&to, &from, sizeof to);
  return to;
}

} // namespace

// ---- Memory ---------------------------------------------------------------------------------------------------------

Result hipIpcGetMemHandle(hipIpcMemHandle_t* handle, void* devPtr) {
  HIP_NONNULL(handle);
  HIP_NONNULL(devPtr);
  auto a = Runtime::get().memory.find(devPtr);
  if (!a || a->kind != MemoryKind::device)
    return fail(hipErrorInvalidValue, "{} is not memory of hipMalloc, which alone can be shared by handle", devPtr);
  MemoryWords words{};
  void* base = reinterpret_cast<void*>(a->base);
  HIP_TRY(hsa_check(hsa_amd_ipc_memory_create(base, a->size, &words.memory), "sharing memory"));
  words.offset = reinterpret_cast<uintptr_t>(devPtr) - a->base;
  words.size = a->size;
  words.process = this_process();
  words.mark = kMemoryMark;
  std::memcpy(handle, &words, sizeof words);
  return {};
}

Result hipIpcOpenMemHandle(void** devPtr, hipIpcMemHandle_t handle, unsigned int flags) {
  HIP_NONNULL(devPtr);
  *devPtr = nullptr;
  if (flags != hipIpcMemLazyEnablePeerAccess)
    return fail(hipErrorInvalidValue, "flags are {:#x} but must be hipIpcMemLazyEnablePeerAccess", flags);
  const auto words = words_of<MemoryWords>(handle);
  if (words.mark != kMemoryMark || words.offset >= words.size)
    return Result(hipErrorInvalidValue, "this is no handle of hipIpcGetMemHandle");
  if (words.process == this_process()) return Result(hipErrorInvalidContext, kSameProcess);
  HIP_TRY_ASSIGN(void* base, Runtime::get().imported().open(words.memory, words.size, nullptr));
  *devPtr = static_cast<char*>(base) + words.offset;
  return {};
}

Result hipIpcCloseMemHandle(void* devPtr) {
  HIP_NONNULL(devPtr);
  auto& runtime = Runtime::get();
  auto a = runtime.memory.find(devPtr);
  if (!a || a->kind != MemoryKind::imported || a->pool)
    return fail(hipErrorInvalidValue, "{} was not opened by hipIpcOpenMemHandle, or is closed", devPtr);
  runtime.synchronize_devices();
  if (!runtime.imported().close(reinterpret_cast<void*>(a->base)))
    return fail(hipErrorInvalidValue, "{} was closed already", devPtr);
  return {};
}

// ---- Events ---------------------------------------------------------------------------------------------------------

Result hipIpcGetEventHandle(hipIpcEventHandle_t* handle, hipEvent_t event) {
  HIP_NONNULL(handle);
  HIP_TRY_ASSIGN(auto e, Runtime::get().event(event, EventUse::inquire));
  if (!e->shared())
    return Result(hipErrorInvalidHandle, "the event was not created with hipEventInterprocess | hipEventDisableTiming");
  EventWords words{};
  HIP_TRY(e->shared()->export_to(words.signal));
  words.process = this_process();
  words.mark = kEventMark;
  words.flags = e->flags();
  std::memcpy(handle, &words, sizeof words);
  return {};
}

Result hipIpcOpenEventHandle(hipEvent_t* event, hipIpcEventHandle_t handle) {
  HIP_NONNULL(event);
  const auto words = words_of<EventWords>(handle);
  if (words.mark != kEventMark) return Result(hipErrorInvalidValue, "this is no handle of hipIpcGetEventHandle");
  if (words.process == this_process()) return Result(hipErrorInvalidContext, kSameProcess);
  HIP_TRY_ASSIGN(auto signal, SharedSignal::open(words.signal));
  auto& runtime = Runtime::get();
  auto e = std::make_shared<Event>(runtime.current(), words.flags);
  e->share(std::move(signal));
  *event = reinterpret_cast<hipEvent_t>(e.get());
  runtime.events.add(std::move(e));
  return {};
}

// ---- Memory pools: the pool as a descriptor, each pointer as 64 bytes -----------------------------------------------

Result hipMemPoolExportToShareableHandle(void* shared_handle, hipMemPool_t mem_pool,
                                         hipMemAllocationHandleType handle_type, unsigned int flags) {
  HIP_NONNULL(shared_handle);
  HIP_NONNULL(mem_pool);
  if (handle_type != hipMemHandleTypePosixFileDescriptor)
    return fail(hipErrorInvalidValue, "handle type {} is not hipMemHandleTypePosixFileDescriptor",
                static_cast<int>(handle_type));
  if (flags != 0) return fail(hipErrorInvalidValue, "flags are {:#x} but must be 0", flags);
  auto pool = Runtime::get().pools().find(mem_pool);
  if (!pool) return fail(hipErrorInvalidValue, "memory pool {} doesn't exist", static_cast<void*>(mem_pool));
  if (pool->props().handleTypes != handle_type || pool->imported())
    return Result(hipErrorInvalidValue, "the pool was not created with hipMemHandleTypePosixFileDescriptor");
  const PoolWords words{kPoolMark, pool->id(), pool->props()};
  const int fd = memfd_create("bz-memory-pool", MFD_CLOEXEC | MFD_ALLOW_SEALING);
  if (fd < 0) return fail(hipErrorOperatingSystem, "no descriptor for the pool: {}", std::strerror(errno));
  if (write(fd, &words, sizeof words) != ssize_t(sizeof words)) {
    ::close(fd);
    return fail(hipErrorOperatingSystem, "describing the pool: {}", std::strerror(errno));
  }
  std::memcpy(shared_handle, &fd, sizeof fd);
  return {};
}

Result hipMemPoolImportFromShareableHandle(hipMemPool_t* mem_pool, void* shared_handle,
                                           hipMemAllocationHandleType handle_type, unsigned int flags) {
  HIP_NONNULL(mem_pool);
  HIP_NONNULL(shared_handle);
  if (handle_type != hipMemHandleTypePosixFileDescriptor)
    return fail(hipErrorInvalidValue, "handle type {} is not hipMemHandleTypePosixFileDescriptor",
                static_cast<int>(handle_type));
  if (flags != 0) return fail(hipErrorInvalidValue, "flags are {:#x} but must be 0", flags);
  const int fd = descriptor_of(shared_handle);
  PoolWords words{};
  if (pread(fd, &words, sizeof words, 0) != ssize_t(sizeof words) || words.mark != kPoolMark)
    return fail(hipErrorInvalidValue, "descriptor {} is no memory pool", fd);
  auto device = Runtime::get().device(words.props.location.id);
  if (!device.ok()) return Result(hipErrorInvalidValue, device.result().message());
  auto pool = Runtime::get().pools().import(**device, words.props, words.pool);
  *mem_pool = reinterpret_cast<hipMemPool_t>(pool.get());
  return {};
}

Result hipMemPoolExportPointer(hipMemPoolPtrExportData* export_data, void* dev_ptr) {
  HIP_NONNULL(export_data);
  HIP_NONNULL(dev_ptr);
  auto a = Runtime::get().memory.find(dev_ptr);
  if (!a || a->kind != MemoryKind::pooled || a->base != reinterpret_cast<uintptr_t>(dev_ptr))
    return fail(hipErrorInvalidValue, "{} is not the start of memory of a pool", dev_ptr);
  auto pool = Runtime::get().pools().find(reinterpret_cast<hipMemPool_t>(const_cast<void*>(a->pool)));
  if (!pool || pool->props().handleTypes != hipMemHandleTypePosixFileDescriptor)
    return fail(hipErrorInvalidValue, "the pool of {} was not created with hipMemHandleTypePosixFileDescriptor",
                dev_ptr);
  PointerWords words{};
  HIP_TRY(hsa_check(hsa_amd_ipc_memory_create(dev_ptr, a->size, &words.memory), "sharing memory of a pool"));
  words.size = a->size;
  words.pool = pool->id();
  words.process = this_process();
  words.mark = kPointerMark;
  std::memcpy(export_data, &words, sizeof words);
  return {};
}

Result hipMemPoolImportPointer(void** dev_ptr, hipMemPool_t mem_pool, hipMemPoolPtrExportData* export_data) {
  HIP_NONNULL(dev_ptr);
  HIP_NONNULL(mem_pool);
  HIP_NONNULL(export_data);
  *dev_ptr = nullptr;
  auto pool = Runtime::get().pools().find(mem_pool);
  if (!pool || !pool->imported())
    return fail(hipErrorInvalidValue, "{} is no imported memory pool", static_cast<void*>(mem_pool));
  const auto words = words_of<PointerWords>(*export_data);
  if (words.mark != kPointerMark || words.pool != pool->id())
    return Result(hipErrorInvalidValue, "this is no pointer of the imported pool");
  HIP_TRY_ASSIGN(*dev_ptr, Runtime::get().imported().open(words.memory, words.size, pool.get()));
  return {};
}

} // namespace impl
} // namespace bz::hip
