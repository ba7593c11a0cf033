// Ioctls that no sane client sends, on descriptors of the driver interface as a process sees it (run it under the shim).
// Usage: ioctl_fuzz SEED COUNT. Each call is drawn from what the driver knows and from what it doesn't, with structures of
// plausible and hostile words. Passes if the process lives, every answer is one of the kernel's, and a sane client still
// gets what it asks for afterwards. The last calls are in the file ioctl_fuzz.SEED of the working directory meanwhile.
#include "abi/amdgpu_drm.hpp"
#include "abi/kfd_ioctl.hpp"

#include <array>
#include <cerrno>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fcntl.h>
#include <iterator>
#include <random>
#include <string>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>
#include <vector>

namespace {

constexpr uint64_t kMiB = 1 << 20;

constexpr uint32_t kKnown[] = {
    AMDKFD_IOC_GET_VERSION, AMDKFD_IOC_CREATE_QUEUE, AMDKFD_IOC_DESTROY_QUEUE, AMDKFD_IOC_SET_MEMORY_POLICY,
    AMDKFD_IOC_GET_CLOCK_COUNTERS, AMDKFD_IOC_GET_PROCESS_APERTURES, AMDKFD_IOC_UPDATE_QUEUE, AMDKFD_IOC_CREATE_EVENT,
    AMDKFD_IOC_DESTROY_EVENT, AMDKFD_IOC_SET_EVENT, AMDKFD_IOC_RESET_EVENT, AMDKFD_IOC_WAIT_EVENTS,
    AMDKFD_IOC_SET_SCRATCH_BACKING_VA, AMDKFD_IOC_GET_TILE_CONFIG, AMDKFD_IOC_SET_TRAP_HANDLER,
    AMDKFD_IOC_GET_PROCESS_APERTURES_NEW, AMDKFD_IOC_ACQUIRE_VM, AMDKFD_IOC_ALLOC_MEMORY_OF_GPU,
    AMDKFD_IOC_FREE_MEMORY_OF_GPU, AMDKFD_IOC_MAP_MEMORY_TO_GPU, AMDKFD_IOC_UNMAP_MEMORY_FROM_GPU, AMDKFD_IOC_SET_CU_MASK,
    AMDKFD_IOC_GET_QUEUE_WAVE_STATE, AMDKFD_IOC_GET_DMABUF_INFO, AMDKFD_IOC_IMPORT_DMABUF, AMDKFD_IOC_ALLOC_QUEUE_GWS,
    AMDKFD_IOC_SMI_EVENTS, AMDKFD_IOC_SVM, AMDKFD_IOC_SET_XNACK_MODE, AMDKFD_IOC_CRIU_OP, AMDKFD_IOC_AVAILABLE_MEMORY,
    AMDKFD_IOC_EXPORT_DMABUF, AMDKFD_IOC_RUNTIME_ENABLE, AMDKFD_IOC_DBG_TRAP, AMDKFD_IOC_IPC_IMPORT_HANDLE,
    AMDKFD_IOC_IPC_EXPORT_HANDLE, AMDKFD_IOC_CROSS_MEMORY_COPY, AMDKFD_IOC_RLC_SPM, AMDKFD_IOC_PC_SAMPLE,
    bz::abi::DRM_IOCTL_VERSION, bz::abi::DRM_IOCTL_GET_CAP, bz::abi::DRM_IOCTL_AMDGPU_INFO,
};

/// What the kernel's driver answers with; anything else is a fault of ours (EIO among them: "internal error").
constexpr int kErrors[] = {EPERM, ENOENT, EINTR, EBADF, EAGAIN, ENOMEM, EACCES, EFAULT, EBUSY, ENODEV, EINVAL,
                           EMFILE, ENOTTY, ENOSPC, ESRCH, ETIME, EOPNOTSUPP};

[[noreturn]] void fail(const std::string& what) {
  std::printf("%s\n", what.c_str());
  std::exit(1);
}

class Fuzzer {
public:
  explicit Fuzzer(unsigned seed) : random_(seed), trace_(std::fopen(("ioctl_fuzz." + std::to_string(seed)).c_str(), "w+")) {
    heap_.resize(64 * 1024);
    space_ = reinterpret_cast<uint64_t>(
        mmap(nullptr, 64 * kMiB, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0));
    own_ = reinterpret_cast<uint64_t>(mmap(nullptr, kMiB, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0));
    open_all();
  }

  void run(unsigned count) {
    for (unsigned i = 0; i < count; ++i) {
      switch (pick(40)) {
      case 0:
        map_something();
        break;
      case 1:
        if (pick(20) == 0) reopen();
        break;
      default:
        one();
      }
    }
  }

  /// What a sane client does, after all that.
  void sanity() {
    for (int fd : {kfd_, render_}) close(fd);
    open_all();
    kfd_ioctl_get_version_args v{};
    if (ioctl(kfd_, AMDKFD_IOC_GET_VERSION, &v) != 0 || v.major_version != 1) fail("GET_VERSION fails afterwards");
    kfd_ioctl_acquire_vm_args vm{static_cast<uint32_t>(render_), gpu_id_};
    if (ioctl(kfd_, AMDKFD_IOC_ACQUIRE_VM, &vm) != 0) fail("ACQUIRE_VM fails afterwards: " + std::string(strerror(errno)));
    void* fresh = mmap(nullptr, 4 * kMiB, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    kfd_ioctl_alloc_memory_of_gpu_args a{};
    a.va_addr = reinterpret_cast<uint64_t>(fresh);
    a.size = kMiB;
    a.gpu_id = gpu_id_;
    a.flags = KFD_IOC_ALLOC_MEM_FLAGS_VRAM;
    if (ioctl(kfd_, AMDKFD_IOC_ALLOC_MEMORY_OF_GPU, &a) != 0) fail("no memory afterwards: " + std::string(strerror(errno)));
    kfd_ioctl_map_memory_to_gpu_args m{a.handle, reinterpret_cast<uint64_t>(&gpu_id_), 1, 0};
    if (ioctl(kfd_, AMDKFD_IOC_MAP_MEMORY_TO_GPU, &m) != 0) fail("no mapping afterwards");
    auto* words = static_cast<volatile uint32_t*>(fresh);
    words[5] = 77;
    if (words[5] != 77 || words[6] != 0) fail("the memory is no memory");
    for (uint64_t i = 0; i < heap_.size(); ++i)
      if (heap_[i] != 0 && i >= kScratchBytes) fail("memory that no ioctl named has changed");
  }
  unsigned succeeded = 0, refused = 0;
  unsigned kinds() const {
    unsigned n = 0;
    for (bool done : done_) n += done;
    return n;
  }

private:
  static constexpr uint64_t kScratchBytes = 32 * 1024; ///< the part of the heap that ioctls may write to

  uint32_t pick(uint32_t n) { return static_cast<uint32_t>(random_() % n); }

  void open_all() {
    kfd_ = open("/dev/kfd", O_RDWR | O_CLOEXEC);
    render_ = open("/dev/dri/renderD128", O_RDWR | O_CLOEXEC);
    struct stat s{};
    if (kfd_ < 0 || render_ < 0) fail("no device: " + std::string(strerror(errno)));
    if (fstat(render_, &s) != 0 || !S_ISCHR(s.st_mode)) fail("the render node is no character device");
    std::FILE* f = std::fopen("/sys/class/kfd/kfd/topology/nodes/1/gpu_id", "r");
    if (!f || std::fscanf(f, "%u", &gpu_id_) != 1) fail("no gpu_id");
    std::fclose(f);
  }

  void reopen() {
    int again = pick(2) ? dup(kfd_) : -1;
    close(kfd_);
    if (again >= 0) close(again);
    close(render_);
    open_all();
  }

  /// A word as a client may send it, or an enemy.
  uint64_t word() {
    switch (pick(16)) {
    case 0:
      return 0;
    case 1:
      return 1 + pick(8);
    case 2:
      return ~uint64_t{0} - pick(4096);
    case 3:
      return uint64_t{1} << pick(64);
    case 4:
      return gpu_id_;
    case 5:
      return uint64_t{gpu_id_} << 32 | gpu_id_;
    case 6:
      return space_ + pick(64) * kMiB;
    case 7:
      return space_ + pick(16 * 1024) * 4096ull;
    case 8:
      return own_ + pick(64) * 4096ull;
    case 9:
      return reinterpret_cast<uint64_t>(heap_.data()) + pick(static_cast<uint32_t>(kScratchBytes / 2));
    case 10:
      return pick(2) ? 0xffff800000000000ull + pick(4096) : 0x8000000000000000ull;
    case 11:
      return pick(2) ? static_cast<uint64_t>(kfd_) : static_cast<uint64_t>(render_);
    case 12:
      return handles_[pick(static_cast<uint32_t>(handles_.size()))];
    case 13:
      return ids_[pick(static_cast<uint32_t>(ids_.size()))];
    case 14:
      return 4096ull << pick(12);
    default:
      return random_();
    }
  }

  void one() {
    uint32_t request = kKnown[pick(std::size(kKnown))];
    bool drm = _IOC_TYPE(request) != AMDKFD_IOCTL_BASE;
    if (pick(30) == 0) request = static_cast<uint32_t>(_IOC(pick(4), pick(2) ? 'K' : 'd', pick(256), pick(600)));
    if (pick(20) == 0) request = (request & ~(0x3fffu << 16)) | pick(600) << 16; // of another size
    int fd = pick(50) == 0 ? static_cast<int>(pick(64)) : (drm == (pick(30) != 0)) ? render_ : kfd_;
    if (fd < 3) fd = kfd_;
    alignas(16) std::array<uint64_t, 80> args;
    for (uint64_t& w : args) w = pick(3) == 0 ? word() : (word() & 0xffffffff) | word() << 32;
    if (pick(2)) shape(request, args.data());
    if (request == AMDKFD_IOC_SVM && pick(2)) request += 8u << 16;
    if (pick(4) == 0) args[pick(12)] = word();
    limit(request, args.data());
    void* argument = args.data();
    if (pick(40) == 0) argument = reinterpret_cast<void*>(pick(2) ? 16 : 0xffff800000000000ull);
    std::rewind(trace_);
    std::fprintf(trace_, "fd %d (kfd %d, render %d) request %#010x arguments", fd, kfd_, render_, request);
    for (int i = 0; i < 12; ++i) std::fprintf(trace_, " %#llx", static_cast<unsigned long long>(args[static_cast<size_t>(i)]));
    std::fprintf(trace_, "\n");
    std::fflush(trace_);
    errno = 0;
    int result = ioctl(fd, request, argument);
    if (result == 0) {
      ++succeeded;
      done_[_IOC_NR(request) % done_.size()] = true;
      keep(request, args.data());
      return;
    }
    ++refused;
    bool known = false;
    for (int e : kErrors) known |= errno == e;
    if (result != -1 || !known)
      fail("request " + std::to_string(_IOC_NR(request)) + " answers " + std::to_string(result) + ", " + strerror(errno));
  }

  /// A structure that could well be right, so that calls get past the first checks; a word of it may still be replaced.
  void shape(uint32_t request, uint64_t* args) {
    auto as = [&](auto value) { std::memcpy(args, &value, sizeof value); };
    uint64_t handle = handles_[pick(static_cast<uint32_t>(handles_.size()))];
    auto id = static_cast<uint32_t>(ids_[pick(static_cast<uint32_t>(ids_.size()))]);
    switch (request) {
    case AMDKFD_IOC_ACQUIRE_VM:
      return as(kfd_ioctl_acquire_vm_args{static_cast<uint32_t>(render_), gpu_id_});
    case AMDKFD_IOC_ALLOC_MEMORY_OF_GPU: {
      kfd_ioctl_alloc_memory_of_gpu_args a{};
      a.va_addr = space_ + pick(60) * kMiB;
      a.size = 4096ull << pick(12);
      a.gpu_id = gpu_id_;
      a.flags = 1u << pick(5);
      if (a.flags == KFD_IOC_ALLOC_MEM_FLAGS_USERPTR) a.mmap_offset = pick(2) ? own_ + pick(64) * 4096 : a.va_addr;
      return as(a);
    }
    case AMDKFD_IOC_FREE_MEMORY_OF_GPU:
      return as(kfd_ioctl_free_memory_of_gpu_args{handle});
    case AMDKFD_IOC_MAP_MEMORY_TO_GPU:
      return as(kfd_ioctl_map_memory_to_gpu_args{handle, reinterpret_cast<uint64_t>(&gpu_id_), 1, 0});
    case AMDKFD_IOC_UNMAP_MEMORY_FROM_GPU:
      return as(kfd_ioctl_unmap_memory_from_gpu_args{handle, reinterpret_cast<uint64_t>(&gpu_id_), 1, 0});
    case AMDKFD_IOC_CREATE_QUEUE: {
      kfd_ioctl_create_queue_args q{};
      q.ring_base_address = own_;
      q.ring_size = 4096;
      q.read_pointer_address = own_ + 8192;
      q.write_pointer_address = own_ + 8192 + 64;
      q.gpu_id = gpu_id_;
      q.queue_type = pick(5);
      q.queue_percentage = 100;
      q.queue_priority = pick(16);
      return as(q);
    }
    case AMDKFD_IOC_SVM: { // without room for attributes unless the request's size says so
      kfd_ioctl_svm_attribute attribute{pick(9), pick(2) ? gpu_id_ : pick(64)};
      struct {
        uint64_t begin, size;
        uint32_t op, count;
      } a{own_ + pick(200) * 4096, (1 + pick(40)) * 4096ull, pick(3), pick(3)};
      as(a);
      std::memcpy(args + 3, &attribute, sizeof attribute);
      return;
    }
    case AMDKFD_IOC_DESTROY_QUEUE:
      return as(kfd_ioctl_destroy_queue_args{id, 0});
    case AMDKFD_IOC_CREATE_EVENT: {
      kfd_ioctl_create_event_args e{};
      e.event_type = pick(9);
      e.auto_reset = pick(2);
      return as(e);
    }
    case AMDKFD_IOC_SET_EVENT:
    case AMDKFD_IOC_RESET_EVENT:
    case AMDKFD_IOC_DESTROY_EVENT:
      return as(kfd_ioctl_destroy_event_args{id, 0});
    case AMDKFD_IOC_WAIT_EVENTS: {
      auto* data = reinterpret_cast<kfd_event_data*>(heap_.data());
      std::memset(static_cast<void*>(data), 0, 4 * sizeof *data);
      for (int i = 0; i < 4; ++i) data[i].event_id = static_cast<uint32_t>(ids_[pick(static_cast<uint32_t>(ids_.size()))]);
      kfd_ioctl_wait_events_args w{};
      w.events_ptr = reinterpret_cast<uint64_t>(data);
      w.num_events = pick(5);
      w.wait_for_all = pick(2);
      return as(w);
    }
    default:
      return;
    }
  }

  /// A test may not wait for ever, and may not give the device a ring of what is no queue of its own.
  void limit(uint32_t request, uint64_t* args) {
    if (_IOC_TYPE(request) != AMDKFD_IOCTL_BASE) return;
    constexpr uint32_t kHelp = 0xf0;
    if (_IOC_NR(request) == _IOC_NR(AMDKFD_IOC_WAIT_EVENTS)) {
      auto* a = reinterpret_cast<kfd_ioctl_wait_events_args*>(args);
      a->timeout = pick(3);
      if (pick(2)) a->num_events = pick(4);
      if (pick(2)) a->events_ptr = reinterpret_cast<uint64_t>(heap_.data());
    } else if (_IOC_NR(request) == kHelp) {
      args[3] = (args[3] & ~0xffffffffull) | pick(1000);
    }
  }

  void keep(uint32_t request, const uint64_t* args) {
    if (request == AMDKFD_IOC_ALLOC_MEMORY_OF_GPU)
      handles_[pick(static_cast<uint32_t>(handles_.size()))] = reinterpret_cast<const kfd_ioctl_alloc_memory_of_gpu_args*>(args)->handle;
    if (request == AMDKFD_IOC_CREATE_EVENT)
      ids_[pick(static_cast<uint32_t>(ids_.size()))] = reinterpret_cast<const kfd_ioctl_create_event_args*>(args)->event_id;
    if (request == AMDKFD_IOC_CREATE_QUEUE)
      ids_[pick(static_cast<uint32_t>(ids_.size()))] = reinterpret_cast<const kfd_ioctl_create_queue_args*>(args)->queue_id;
  }

  /// Mappings of the descriptors at strange offsets; fixed ones only in the reservation, which is ours.
  void map_something() {
    int fd = pick(2) ? kfd_ : render_;
    uint64_t length = pick(4) ? 4096ull << pick(3) : word() % (64 * kMiB), offset = pick(2) ? word() & ~4095ull : uint64_t{pick(4)} << 62 | uint64_t{gpu_id_} << 46;
    bool fixed = pick(3) == 0;
    uint64_t at = space_ + pick(8 * 1024) * 4096ull;
    void* p = mmap(fixed ? reinterpret_cast<void*>(at) : nullptr, fixed ? std::min<uint64_t>(length, 16 * kMiB) : length,
                   PROT_READ | PROT_WRITE, MAP_SHARED | (fixed ? MAP_FIXED : 0), fd, static_cast<off_t>(offset));
    if (p != MAP_FAILED && pick(2) && fixed) munmap(p, length);
  }

  std::mt19937_64 random_;
  std::FILE* trace_;
  std::vector<char> heap_;
  uint64_t space_ = 0, own_ = 0;
  int kfd_ = -1, render_ = -1;
  uint32_t gpu_id_ = 0;
  std::array<uint64_t, 16> handles_{}, ids_{};
  std::array<bool, 256> done_{};
};

} // namespace

int main(int argc, char** argv) {
  if (argc != 3) {
    std::puts("usage: ioctl_fuzz SEED COUNT");
    return 2;
  }
  Fuzzer fuzzer(static_cast<unsigned>(std::atoi(argv[1])));
  fuzzer.run(static_cast<unsigned>(std::atoi(argv[2])));
  fuzzer.sanity();
  std::printf("%u calls of %u kinds did something, %u were refused\n", fuzzer.succeeded, fuzzer.kinds(), fuzzer.refused);
  if (fuzzer.kinds() < 20) fail("hardly a call did anything: the draw is no good");
  std::puts("PASSED");
  return 0;
}
