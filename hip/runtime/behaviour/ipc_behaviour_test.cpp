// Memory, events and pools of two processes. The other process is this program again, in a role of its own.
#include "hip/runtime/behaviour/support.hpp"

#include <fcntl.h>
#include <spawn.h>
#include <string>
#include <sys/wait.h>
#include <unistd.h>

extern char** environ;

namespace {

constexpr int kInts = 1024;
constexpr size_t kBytes = kInts * sizeof(int);

/// This program as a child with a role; messages go through two pipes.
class Peer {
public:
  explicit Peer(const char* role, int extra_fd = -1) {
    int down[2], up[2];
    EXPECT_EQ(pipe2(down, O_CLOEXEC) | pipe2(up, O_CLOEXEC), 0);
    posix_spawn_file_actions_t actions;
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_adddup2(&actions, down[0], 100);
    posix_spawn_file_actions_adddup2(&actions, up[1], 101);
    if (extra_fd >= 0) posix_spawn_file_actions_adddup2(&actions, extra_fd, 102);
    const std::string variable = std::string("BZ_TEST_ROLE=") + role;
    std::vector<char*> environment;
    for (char** e = environ; *e; ++e) environment.push_back(*e);
    environment.push_back(const_cast<char*>(variable.c_str()));
    environment.push_back(nullptr);
    char program[] = "/proc/self/exe", filter[] = "--gtest_filter=IpcPeer.DISABLED_Role",
         also[] = "--gtest_also_run_disabled_tests";
    char* arguments[] = {program, filter, also, nullptr};
    EXPECT_EQ(posix_spawn(&pid_, "/proc/self/exe", &actions, nullptr, arguments, environment.data()), 0);
    posix_spawn_file_actions_destroy(&actions);
    close(down[0]);
    close(up[1]);
    to_ = down[1];
    from_ = up[0];
  }
  ~Peer() {
    close(to_);
    close(from_);
    if (pid_ > 0) finish();
  }
  template <class T> void send(const T& message) {
    EXPECT_EQ(write(to_, &message, sizeof message), ssize_t(sizeof message));
  }
  template <class T> T receive() {
    T message{};
    EXPECT_EQ(read(from_, &message, sizeof message), ssize_t(sizeof message)) << "the other process ended";
    return message;
  }
  void kill() {
    ::kill(pid_, SIGKILL);
    finish();
  }
  /// The exit code, or -signal.
  int finish() {
    int status = 0;
    waitpid(std::exchange(pid_, 0), &status, 0);
    return WIFEXITED(status) ? WEXITSTATUS(status) : -WTERMSIG(status);
  }

private:
  pid_t pid_ = 0;
  int to_ = -1, from_ = -1;
};

template <class T> T from_parent() {
  T message{};
  EXPECT_EQ(read(100, &message, sizeof message), ssize_t(sizeof message));
  return message;
}
template <class T> void to_parent(const T& message) {
  EXPECT_EQ(write(101, &message, sizeof message), ssize_t(sizeof message));
}

std::vector<int> read_ints(const int* p) {
  std::vector<int> out(kInts);
  EXPECT_OK(hipMemcpy(out.data(), p, kBytes, hipMemcpyDeviceToHost));
  return out;
}

// ---- The other process's roles --------------------------------------------------------------------------------------

void role_user() {
  const auto handle = from_parent<hipIpcMemHandle_t>();
  int* p = nullptr;
  ASSERT_OK(hipIpcOpenMemHandle(reinterpret_cast<void**>(&p), handle, hipIpcMemLazyEnablePeerAccess));
  EXPECT_EQ(read_ints(p), std::vector<int>(kInts, 5));
  void* again = nullptr;
  ASSERT_OK(hipIpcOpenMemHandle(&again, handle, hipIpcMemLazyEnablePeerAccess));
  EXPECT_EQ(again, p) << "opened twice, mapped once";
  EXPECT_OK(hipIpcCloseMemHandle(again));
  EXPECT_HIP(hipErrorInvalidValue, hipFree(p)) << "not ours";
  EXPECT_HIP(hipErrorInvalidValue, hipMemset(p + kInts, 0, 4)) << "beyond the end";
  ASSERT_OK(launch(kernels::fill, 4, 256, 0, nullptr, p, 9, kInts));
  ASSERT_OK(hipDeviceSynchronize());
  EXPECT_OK(hipIpcCloseMemHandle(p));
  EXPECT_HIP(hipErrorInvalidValue, hipIpcCloseMemHandle(p)) << "closed";
  EXPECT_HIP(hipErrorInvalidValue, hipMemset(p, 0, 4)) << "closed";
}

void role_setter() { // writes 1 with a kernel, while a kernel of the other process waits for it
  int* p = nullptr;
  ASSERT_OK(hipIpcOpenMemHandle(reinterpret_cast<void**>(&p), from_parent<hipIpcMemHandle_t>(),
                                hipIpcMemLazyEnablePeerAccess));
  ASSERT_OK(launch(kernels::fill, 1, 1, 0, nullptr, p, 1, 1));
  ASSERT_OK(hipDeviceSynchronize());
}

void role_owner() {
  int* p = nullptr;
  ASSERT_OK(hipMalloc(&p, kBytes));
  ASSERT_OK(launch(kernels::fill, 4, 256, 0, nullptr, p, 6, kInts));
  ASSERT_OK(hipDeviceSynchronize());
  hipIpcMemHandle_t handle;
  ASSERT_OK(hipIpcGetMemHandle(&handle, p));
  to_parent(handle);
  (void)from_parent<int>(); // until killed
}

void role_waiter() {
  hipEvent_t event = nullptr;
  ASSERT_OK(hipIpcOpenEventHandle(&event, from_parent<hipIpcEventHandle_t>()));
  EXPECT_HIP(hipErrorNotReady, hipEventQuery(event));
  hipStream_t s;
  ASSERT_OK(hipStreamCreate(&s));
  ASSERT_OK(hipStreamWaitEvent(s, event, 0));
  EXPECT_HIP(hipErrorNotReady, hipStreamQuery(s));
  to_parent(1);
  EXPECT_OK(hipEventSynchronize(event));
  EXPECT_OK(hipEventQuery(event));
  EXPECT_OK(hipStreamSynchronize(s));
  EXPECT_OK(hipEventRecord(event, s)); // either process may
  EXPECT_OK(hipEventSynchronize(event));
  EXPECT_OK(hipEventDestroy(event));
}

/// Records an event that is never reached, and waits to be killed.
void record_for_ever(hipEvent_t event) {
  hipStream_t s;
  ASSERT_OK(hipStreamCreate(&s));
  PinnedBuffer<int> flag(1), out(1);
  ASSERT_OK(launch(kernels::spin, 1, 1, 0, s, flag.get(), out.get()));
  ASSERT_OK(hipEventRecord(event, s));
  ASSERT_OK(hipEventRecord(event, s));
  to_parent(1);
  (void)from_parent<int>();
}
void role_recorder() {
  hipEvent_t event = nullptr;
  ASSERT_OK(hipIpcOpenEventHandle(&event, from_parent<hipIpcEventHandle_t>()));
  record_for_ever(event);
}
void role_creator() {
  hipEvent_t event = nullptr;
  ASSERT_OK(hipEventCreateWithFlags(&event, hipEventInterprocess | hipEventDisableTiming));
  hipIpcEventHandle_t handle;
  ASSERT_OK(hipIpcGetEventHandle(&handle, event));
  to_parent(handle);
  (void)from_parent<int>();
  record_for_ever(event);
}

void role_pool() {
  hipMemPool_t pool = nullptr;
  ASSERT_OK(
      hipMemPoolImportFromShareableHandle(&pool, reinterpret_cast<void*>(102), hipMemHandleTypePosixFileDescriptor, 0));
  auto data = from_parent<hipMemPoolPtrExportData>();
  int* p = nullptr;
  ASSERT_OK(hipMemPoolImportPointer(reinterpret_cast<void**>(&p), pool, &data));
  EXPECT_EQ(read_ints(p), std::vector<int>(kInts, 3));
  void* more = nullptr;
  EXPECT_HIP(hipErrorInvalidValue, hipMallocFromPoolAsync(&more, 64, pool, nullptr)) << "imported";
  hipStream_t s;
  ASSERT_OK(hipStreamCreate(&s));
  ASSERT_OK(launch(kernels::fill, 4, 256, 0, s, p, 4, kInts));
  EXPECT_OK(hipFreeAsync(p, s));
  EXPECT_OK(hipStreamSynchronize(s));
  EXPECT_HIP(hipErrorInvalidValue, hipMemset(p, 0, 4)) << "freed here";
  data.reserved[3] ^= 1;
  EXPECT_HIP(hipErrorInvalidValue, hipMemPoolImportPointer(&more, pool, &data));
  EXPECT_OK(hipMemPoolDestroy(pool));
}

void role_vmm() {
  hipMemGenericAllocationHandle_t handle = nullptr;
  ASSERT_OK(
      hipMemImportFromShareableHandle(&handle, reinterpret_cast<void*>(102), hipMemHandleTypePosixFileDescriptor));
  hipMemAllocationProp prop{};
  ASSERT_OK(hipMemGetAllocationPropertiesFromHandle(&prop, handle));
  EXPECT_EQ(prop.location.type, hipMemLocationTypeDevice);
  const size_t size = 2 << 20;
  int* p = nullptr;
  ASSERT_OK(hipMemAddressReserve(reinterpret_cast<void**>(&p), size, 0, nullptr, 0));
  ASSERT_OK(hipMemMap(p, size, 0, handle, 0));
  hipMemAccessDesc access{{hipMemLocationTypeDevice, 0}, hipMemAccessFlagsProtReadWrite};
  ASSERT_OK(hipMemSetAccess(p, size, &access, 1));
  EXPECT_EQ(read_ints(p), std::vector<int>(kInts, 8));
  ASSERT_OK(launch(kernels::fill, 4, 256, 0, nullptr, p, 11, kInts));
  ASSERT_OK(hipDeviceSynchronize());
  EXPECT_OK(hipMemUnmap(p, size));
  EXPECT_OK(hipMemRelease(handle));
  EXPECT_OK(hipMemAddressFree(p, size));
}

TEST(IpcPeer, DISABLED_Role) {
  const char* name = getenv("BZ_TEST_ROLE");
  const std::string role = name ? name : "";
  if (role == "user")
    role_user();
  else if (role == "setter")
    role_setter();
  else if (role == "owner")
    role_owner();
  else if (role == "waiter")
    role_waiter();
  else if (role == "recorder")
    role_recorder();
  else if (role == "creator")
    role_creator();
  else if (role == "pool")
    role_pool();
  else if (role == "vmm")
    role_vmm();
  else
    FAIL() << "no role";
}

// ---- This process ---------------------------------------------------------------------------------------------------

uint64_t free_memory() {
  size_t free = 0, total = 0;
  EXPECT_OK(hipMemGetInfo(&free, &total));
  return free;
}

TEST(Ipc, KernelsOfBothProcessesUseTheMemory) {
  int* p = nullptr;
  ASSERT_OK(hipMalloc(&p, kBytes));
  ASSERT_OK(launch(kernels::fill, 1, 64, 0, nullptr, p, 1, 64)); // the first launch loads the kernels, which stay
  ASSERT_OK(hipFree(p));
  const uint64_t before = free_memory();
  ASSERT_OK(hipMalloc(&p, kBytes));
  ASSERT_OK(launch(kernels::fill, 4, 256, 0, nullptr, p, 5, kInts));
  ASSERT_OK(hipDeviceSynchronize());
  hipIpcMemHandle_t handle;
  ASSERT_OK(hipIpcGetMemHandle(&handle, p));
  Peer peer("user");
  peer.send(handle);
  EXPECT_EQ(peer.finish(), 0);
  EXPECT_EQ(read_ints(p), std::vector<int>(kInts, 9));
  EXPECT_OK(hipFree(p));
  EXPECT_EQ(free_memory(), before);
}

TEST(Ipc, AKernelSeesTheOtherProcessesKernel) {
  PinnedBuffer<int> out(1);
  int* flag = nullptr;
  ASSERT_OK(hipMalloc(&flag, 4));
  ASSERT_OK(hipMemset(flag, 0, 4));
  ASSERT_OK(launch(kernels::spin, 1, 1, 0, nullptr, flag, out.get()));
  hipIpcMemHandle_t handle;
  ASSERT_OK(hipIpcGetMemHandle(&handle, flag)); // while the kernel reads it
  Peer peer("setter");
  peer.send(handle);
  EXPECT_OK(hipDeviceSynchronize());
  EXPECT_EQ(out.load(0), 1);
  EXPECT_EQ(peer.finish(), 0);
  EXPECT_OK(hipFree(flag));
}

TEST(Ipc, MemoryOutlivesAKilledOwner) {
  Peer peer("owner");
  const auto handle = peer.receive<hipIpcMemHandle_t>();
  int* p = nullptr;
  ASSERT_OK(hipIpcOpenMemHandle(reinterpret_cast<void**>(&p), handle, hipIpcMemLazyEnablePeerAccess));
  EXPECT_EQ(read_ints(p), std::vector<int>(kInts, 6));
  peer.kill();
  EXPECT_EQ(read_ints(p), std::vector<int>(kInts, 6));
  ASSERT_OK(launch(kernels::fill, 4, 256, 0, nullptr, p, 7, kInts));
  EXPECT_EQ(read_ints(p), std::vector<int>(kInts, 7));
  EXPECT_OK(hipIpcCloseMemHandle(p));
  void* again = nullptr;
  EXPECT_HIP(hipErrorInvalidValue, hipIpcOpenMemHandle(&again, handle, hipIpcMemLazyEnablePeerAccess)) << "gone";
  (void)hipGetLastError();
}

TEST(Ipc, AKilledUserTakesNothingAway) {
  const uint64_t before = free_memory();
  int* p = nullptr;
  ASSERT_OK(hipMalloc(&p, kBytes));
  ASSERT_OK(launch(kernels::fill, 4, 256, 0, nullptr, p, 5, kInts));
  hipIpcMemHandle_t handle;
  ASSERT_OK(hipIpcGetMemHandle(&handle, p));
  {
    Peer peer("setter");
    peer.send(handle);
    peer.kill();
  }
  ASSERT_OK(launch(kernels::fill, 4, 256, 0, nullptr, p, 2, kInts));
  EXPECT_EQ(read_ints(p), std::vector<int>(kInts, 2));
  EXPECT_OK(hipFree(p));
  EXPECT_EQ(free_memory(), before);
}

TEST(Ipc, WrongArguments) {
  hipIpcMemHandle_t handle;
  int* p = nullptr;
  ASSERT_OK(hipMalloc(&p, kBytes));
  EXPECT_HIP(hipErrorInvalidValue, hipIpcGetMemHandle(nullptr, p));
  EXPECT_HIP(hipErrorInvalidValue, hipIpcGetMemHandle(&handle, nullptr));
  EXPECT_HIP(hipErrorInvalidValue, hipIpcGetMemHandle(&handle, &handle)) << "no device memory";
  PinnedBuffer<int> host(4);
  EXPECT_HIP(hipErrorInvalidValue, hipIpcGetMemHandle(&handle, host.get())) << "host memory";
  ASSERT_OK(hipIpcGetMemHandle(&handle, p));
  void* opened = nullptr;
  EXPECT_HIP(hipErrorInvalidContext, hipIpcOpenMemHandle(&opened, handle, hipIpcMemLazyEnablePeerAccess)) << "our own";
  EXPECT_HIP(hipErrorInvalidValue, hipIpcOpenMemHandle(&opened, handle, 0));
  EXPECT_HIP(hipErrorInvalidValue, hipIpcOpenMemHandle(nullptr, handle, hipIpcMemLazyEnablePeerAccess));
  handle = {};
  EXPECT_HIP(hipErrorInvalidValue, hipIpcOpenMemHandle(&opened, handle, hipIpcMemLazyEnablePeerAccess)) << "no handle";
  EXPECT_HIP(hipErrorInvalidValue, hipIpcCloseMemHandle(p)) << "not opened";
  EXPECT_HIP(hipErrorInvalidValue, hipIpcCloseMemHandle(nullptr));
  bool capable = false;
  EXPECT_OK(hipPointerGetAttribute(&capable, HIP_POINTER_ATTRIBUTE_IS_LEGACY_HIP_IPC_CAPABLE, p));
  EXPECT_TRUE(capable);
  EXPECT_OK(hipFree(p));
  EXPECT_HIP(hipErrorInvalidValue, hipIpcGetMemHandle(&handle, p)) << "freed";
  (void)hipGetLastError();
}

TEST(IpcEvent, TheOtherProcessWaits) {
  hipEvent_t event = nullptr;
  hipStream_t s;
  ASSERT_OK(hipStreamCreate(&s));
  ASSERT_OK(hipEventCreateWithFlags(&event, hipEventInterprocess | hipEventDisableTiming));
  EXPECT_OK(hipEventQuery(event)) << "never recorded";
  PinnedBuffer<int> flag(1), out(1);
  ASSERT_OK(launch(kernels::spin, 1, 1, 0, s, flag.get(), out.get()));
  ASSERT_OK(hipEventRecord(event, s));
  hipIpcEventHandle_t handle;
  ASSERT_OK(hipIpcGetEventHandle(&handle, event));
  Peer peer("waiter");
  peer.send(handle);
  EXPECT_EQ(peer.receive<int>(), 1);
  EXPECT_HIP(hipErrorNotReady, hipEventQuery(event));
  flag.store(0, 1);
  EXPECT_OK(hipEventSynchronize(event));
  EXPECT_EQ(peer.finish(), 0);
  EXPECT_OK(hipEventQuery(event));
  EXPECT_OK(hipEventDestroy(event));
  EXPECT_OK(hipStreamDestroy(s));
}

/// The host and a stream wait, the recorder is killed: both go on, and the event can be used again.
void ends_with_the_recorder(Peer& peer, hipEvent_t event) {
  EXPECT_HIP(hipErrorNotReady, hipEventQuery(event));
  hipStream_t s;
  ASSERT_OK(hipStreamCreate(&s));
  ASSERT_OK(hipStreamWaitEvent(s, event, 0));
  EXPECT_HIP(hipErrorNotReady, hipStreamQuery(s));
  peer.kill();
  EXPECT_OK(hipEventSynchronize(event));
  EXPECT_OK(hipStreamSynchronize(s));
  EXPECT_OK(hipEventQuery(event));
  EXPECT_OK(hipEventRecord(event, s));
  EXPECT_OK(hipEventSynchronize(event));
  EXPECT_OK(hipEventDestroy(event));
  EXPECT_OK(hipStreamDestroy(s));
}

TEST(IpcEvent, EndsWithTheProcessThatRecordedIt) {
  for (int round = 0; round < 3; ++round) {
    hipEvent_t event = nullptr;
    ASSERT_OK(hipEventCreateWithFlags(&event, hipEventInterprocess | hipEventDisableTiming));
    hipIpcEventHandle_t handle;
    ASSERT_OK(hipIpcGetEventHandle(&handle, event));
    Peer recorder("recorder");
    recorder.send(handle);
    ASSERT_EQ(recorder.receive<int>(), 1);
    ends_with_the_recorder(recorder, event);

    Peer creator("creator");
    ASSERT_OK(hipIpcOpenEventHandle(&event, creator.receive<hipIpcEventHandle_t>()));
    creator.send(1);
    ASSERT_EQ(creator.receive<int>(), 1);
    ends_with_the_recorder(creator, event);
  }
}

TEST(IpcEvent, AnEventIsWaitedForByQuery) {
  hipEvent_t event = nullptr;
  ASSERT_OK(hipEventCreateWithFlags(&event, hipEventInterprocess | hipEventDisableTiming));
  hipIpcEventHandle_t handle;
  ASSERT_OK(hipIpcGetEventHandle(&handle, event));
  Peer peer("recorder");
  peer.send(handle);
  ASSERT_EQ(peer.receive<int>(), 1);
  EXPECT_HIP(hipErrorNotReady, hipEventQuery(event));
  peer.kill();
  hipError_t e;
  while ((e = hipEventQuery(event)) == hipErrorNotReady) usleep(1000); // the test's own limit ends it
  EXPECT_OK(e);
  EXPECT_OK(hipEventDestroy(event));
}

TEST(IpcEvent, WrongArguments) {
  hipEvent_t event = nullptr, plain = nullptr;
  EXPECT_HIP(hipErrorInvalidValue, hipEventCreateWithFlags(&event, hipEventInterprocess)) << "has a time";
  ASSERT_OK(hipEventCreateWithFlags(&event, hipEventInterprocess | hipEventDisableTiming));
  ASSERT_OK(hipEventCreate(&plain));
  hipIpcEventHandle_t handle{};
  EXPECT_HIP(hipErrorInvalidHandle, hipIpcGetEventHandle(&handle, plain));
  EXPECT_HIP(hipErrorInvalidHandle, hipIpcGetEventHandle(&handle, nullptr));
  EXPECT_HIP(hipErrorInvalidValue, hipIpcGetEventHandle(nullptr, event));
  hipEvent_t opened = nullptr;
  EXPECT_HIP(hipErrorInvalidValue, hipIpcOpenEventHandle(&opened, handle)) << "no handle";
  ASSERT_OK(hipIpcGetEventHandle(&handle, event));
  EXPECT_HIP(hipErrorInvalidContext, hipIpcOpenEventHandle(&opened, handle)) << "our own";
  EXPECT_HIP(hipErrorInvalidValue, hipIpcOpenEventHandle(nullptr, handle));
  EXPECT_OK(hipEventDestroy(event));
  EXPECT_HIP(hipErrorInvalidHandle, hipIpcGetEventHandle(&handle, event)) << "destroyed";
  EXPECT_OK(hipEventDestroy(plain));
  (void)hipGetLastError();
}

TEST(IpcPool, PointersOfAPool) {
  hipMemPoolProps props{};
  props.allocType = hipMemAllocationTypePinned;
  props.location = {hipMemLocationTypeDevice, 0};
  hipMemPool_t plain = nullptr, pool = nullptr;
  ASSERT_OK(hipMemPoolCreate(&plain, &props));
  props.handleTypes = hipMemHandleTypePosixFileDescriptor;
  ASSERT_OK(hipMemPoolCreate(&pool, &props));
  hipStream_t s;
  ASSERT_OK(hipStreamCreate(&s));
  int *p = nullptr, *q = nullptr;
  ASSERT_OK(hipMallocFromPoolAsync(reinterpret_cast<void**>(&p), kBytes, pool, s));
  ASSERT_OK(hipMallocFromPoolAsync(reinterpret_cast<void**>(&q), kBytes, plain, s));
  ASSERT_OK(launch(kernels::fill, 4, 256, 0, s, p, 3, kInts));
  ASSERT_OK(hipStreamSynchronize(s));
  int fd = -1;
  hipMemPoolPtrExportData data{};
  EXPECT_HIP(hipErrorInvalidValue,
             hipMemPoolExportToShareableHandle(&fd, plain, hipMemHandleTypePosixFileDescriptor, 0));
  EXPECT_HIP(hipErrorInvalidValue, hipMemPoolExportToShareableHandle(&fd, pool, hipMemHandleTypeNone, 0));
  EXPECT_HIP(hipErrorInvalidValue,
             hipMemPoolExportToShareableHandle(nullptr, pool, hipMemHandleTypePosixFileDescriptor, 0));
  EXPECT_HIP(hipErrorInvalidValue, hipMemPoolExportPointer(&data, q)) << "a pool without handles";
  EXPECT_HIP(hipErrorInvalidValue, hipMemPoolExportPointer(&data, nullptr));
  EXPECT_HIP(hipErrorInvalidValue, hipMemPoolExportPointer(nullptr, p));
  ASSERT_OK(hipMemPoolExportToShareableHandle(&fd, pool, hipMemHandleTypePosixFileDescriptor, 0));
  ASSERT_OK(hipMemPoolExportPointer(&data, p));
  hipMemPool_t imported = nullptr;
  void* here = nullptr;
  EXPECT_HIP(hipErrorInvalidValue,
             hipMemPoolImportFromShareableHandle(&imported, nullptr, hipMemHandleTypePosixFileDescriptor, 0));
  int wrong = 0;
  EXPECT_HIP(hipErrorInvalidValue,
             hipMemPoolImportFromShareableHandle(&imported, &wrong, hipMemHandleTypePosixFileDescriptor, 0));
  EXPECT_HIP(hipErrorInvalidValue, hipMemPoolImportPointer(&here, pool, &data)) << "not imported";
  Peer peer("pool", fd);
  peer.send(data);
  EXPECT_EQ(peer.finish(), 0);
  EXPECT_EQ(read_ints(p), std::vector<int>(kInts, 4));
  close(fd);
  EXPECT_OK(hipFreeAsync(p, s));
  EXPECT_OK(hipFreeAsync(q, s));
  EXPECT_OK(hipStreamDestroy(s));
  EXPECT_OK(hipMemPoolDestroy(pool));
  EXPECT_OK(hipMemPoolDestroy(plain));
  (void)hipGetLastError();
}

TEST(IpcVmm, TheDescriptorIsTheMemory) {
  const uint64_t before = free_memory();
  const size_t size = 2 << 20;
  hipMemAllocationProp prop{};
  prop.type = hipMemAllocationTypePinned;
  prop.location = {hipMemLocationTypeDevice, 0};
  hipMemGenericAllocationHandle_t plain = nullptr, handle = nullptr;
  ASSERT_OK(hipMemCreate(&plain, size, &prop, 0));
  prop.requestedHandleType = hipMemHandleTypePosixFileDescriptor;
  ASSERT_OK(hipMemCreate(&handle, size, &prop, 0));
  int* p = nullptr;
  ASSERT_OK(hipMemAddressReserve(reinterpret_cast<void**>(&p), size, 0, nullptr, 0));
  ASSERT_OK(hipMemMap(p, size, 0, handle, 0));
  hipMemAccessDesc access{{hipMemLocationTypeDevice, 0}, hipMemAccessFlagsProtReadWrite};
  ASSERT_OK(hipMemSetAccess(p, size, &access, 1));
  ASSERT_OK(launch(kernels::fill, 4, 256, 0, nullptr, p, 8, kInts));
  ASSERT_OK(hipDeviceSynchronize());
  int fd = -1;
  EXPECT_HIP(hipErrorInvalidValue, hipMemExportToShareableHandle(&fd, plain, hipMemHandleTypePosixFileDescriptor, 0));
  EXPECT_HIP(hipErrorInvalidValue, hipMemExportToShareableHandle(&fd, handle, hipMemHandleTypeWin32, 0));
  EXPECT_HIP(hipErrorInvalidValue,
             hipMemExportToShareableHandle(nullptr, handle, hipMemHandleTypePosixFileDescriptor, 0));
  ASSERT_OK(hipMemExportToShareableHandle(&fd, handle, hipMemHandleTypePosixFileDescriptor, 0));
  Peer peer("vmm", fd);
  EXPECT_EQ(peer.finish(), 0);
  EXPECT_EQ(read_ints(p), std::vector<int>(kInts, 11));
  hipMemGenericAllocationHandle_t wrong = nullptr;
  int no_memory = 0;
  EXPECT_HIP(hipErrorInvalidValue,
             hipMemImportFromShareableHandle(&wrong, &no_memory, hipMemHandleTypePosixFileDescriptor));
  EXPECT_HIP(hipErrorInvalidValue,
             hipMemImportFromShareableHandle(&wrong, nullptr, hipMemHandleTypePosixFileDescriptor));
  close(fd);
  EXPECT_OK(hipMemUnmap(p, size));
  EXPECT_OK(hipMemRelease(handle));
  EXPECT_OK(hipMemRelease(plain));
  EXPECT_OK(hipMemAddressFree(p, size));
  EXPECT_EQ(free_memory(), before);
  (void)hipGetLastError();
}

} // namespace
