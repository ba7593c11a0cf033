// What a call means in another thread than the one that it was meant for. Most of the interface is the process's: an
// object that one thread destroys is gone for all, whatever they do with it at that moment. A thread's own are its errors,
// contexts, launch configurations, default stream, current device and what it may do while a capture goes on.
#include "api/testing/bad_input.hpp"
#include "hip/runtime/behaviour/support.hpp"

#include <chrono>
#include <cstring>
#include <functional>
#include <string>
#include <thread>

namespace {

using namespace std::chrono_literals;
using bz::bad_input::Kind;

// ---- What belongs to the process ------------------------------------------------------------------------------------

template <class T> uint64_t word(T handle) { return reinterpret_cast<uint64_t>(handle); }
template <class T> T as(uint64_t word) { return reinterpret_cast<T>(word); }

/// The first that fails of several calls.
int first_failure(std::initializer_list<hipError_t> results) {
  for (hipError_t r : results)
    if (r != hipSuccess) return r;
  return 0;
}

constexpr size_t kBytes = 4096;
alignas(kBytes) char own_memory[kBytes];

std::string code_object() {
  hipDeviceProp_t properties{};
  EXPECT_OK(hipGetDeviceProperties(&properties, 0));
  const std::string name = properties.gcnArchName;
  return std::string(BZ_HIP_TESTDATA) + "/kernels." + name.substr(0, name.find(':')) + ".co";
}

hipGraph_t graph_of_fill() {
  static void* memory = [] {
    void* p = nullptr;
    EXPECT_OK(hipMalloc(&p, kBytes));
    return p;
  }();
  hipGraph_t graph = nullptr;
  EXPECT_OK(hipGraphCreate(&graph, 0));
  hipMemsetParams fill{};
  fill.dst = memory;
  fill.elementSize = 4;
  fill.width = kBytes / 4;
  fill.height = 1;
  fill.pitch = kBytes;
  hipGraphNode_t node;
  EXPECT_OK(hipGraphAddMemsetNode(&node, graph, nullptr, 0, &fill));
  return graph;
}

/// Makes an object by a function whose first parameter is where the handle goes.
template <class T, class F> uint64_t made(F f) {
  T handle{};
  EXPECT_OK(f(&handle));
  return word(handle);
}

const std::vector<Kind>& kinds() {
  static char host[kBytes];
  static const std::vector<Kind> all = {
      {"memory of the device", [] { return made<void*>([](void** p) { return hipMalloc(p, kBytes); }); },
       [](uint64_t h) { return hipFree(as<void*>(h)); },
       [](uint64_t h) {
         char bytes[64];
         return first_failure({hipMemset(as<void*>(h), 1, kBytes), hipMemcpy(bytes, as<void*>(h), 64, hipMemcpyDeviceToHost)});
       }},
      {"pinned memory", [] { return made<void*>([](void** p) { return hipHostMalloc(p, kBytes, 0); }); },
       [](uint64_t h) { return hipHostFree(as<void*>(h)); },
       [](uint64_t h) {
         void* p = nullptr;
         return first_failure({hipHostGetDevicePointer(&p, as<void*>(h), 0)});
       }},
      {"registered memory",
       [] {
         EXPECT_OK(hipHostRegister(own_memory, kBytes, 0));
         return word(own_memory);
       },
       [](uint64_t h) { return hipHostUnregister(as<void*>(h)); },
       [](uint64_t h) {
         void* p = nullptr;
         return first_failure({hipHostGetDevicePointer(&p, as<void*>(h), 0)});
       }},
      {"memory of a pool", [] { return made<void*>([](void** p) { return hipMallocAsync(p, kBytes, nullptr); }); },
       [](uint64_t h) { return hipFreeAsync(as<void*>(h), nullptr); },
       [](uint64_t h) { return hipMemset(as<void*>(h), 1, kBytes); }},
      {"stream", [] { return made<hipStream_t>([](hipStream_t* s) { return hipStreamCreate(s); }); },
       [](uint64_t h) { return hipStreamDestroy(as<hipStream_t>(h)); },
       [](uint64_t h) {
         static PinnedBuffer<int>& out = *new PinnedBuffer<int>(64);
         return first_failure({launch(kernels::fill, 1, 64, 0, as<hipStream_t>(h), out.get(), 1, 64),
                               hipMemcpyAsync(host, out, 64, hipMemcpyDefault, as<hipStream_t>(h)),
                               hipStreamSynchronize(as<hipStream_t>(h))});
       }},
      {"event", [] { return made<hipEvent_t>([](hipEvent_t* e) { return hipEventCreate(e); }); },
       [](uint64_t h) { return hipEventDestroy(as<hipEvent_t>(h)); },
       [](uint64_t h) {
         float ms = 0;
         const auto e = as<hipEvent_t>(h);
         return first_failure({hipEventRecord(e, nullptr), hipStreamWaitEvent(hipStreamPerThread, e, 0),
                               hipEventSynchronize(e), hipEventElapsedTime(&ms, e, e)});
       }},
      {"module", [] { return made<hipModule_t>([](hipModule_t* m) { return hipModuleLoad(m, code_object().c_str()); }); },
       [](uint64_t h) { return hipModuleUnload(as<hipModule_t>(h)); },
       [](uint64_t h) {
         static PinnedBuffer<int>& out = *new PinnedBuffer<int>(64);
         hipFunction_t f = nullptr;
         if (hipError_t r = hipModuleGetFunction(&f, as<hipModule_t>(h), "k_fill")) return int(r);
         int *p = out, value = 1, n = 64;
         void* arguments[] = {&p, &value, &n};
         return int(hipModuleLaunchKernel(f, 1, 1, 1, 64, 1, 1, 0, nullptr, arguments, nullptr));
       }},
      {"library",
       [] {
         return made<hipLibrary_t>([](hipLibrary_t* l) {
           return hipLibraryLoadFromFile(l, code_object().c_str(), nullptr, nullptr, 0, nullptr, nullptr, 0);
         });
       },
       [](uint64_t h) { return hipLibraryUnload(as<hipLibrary_t>(h)); },
       [](uint64_t h) {
         hipKernel_t kernel = nullptr;
         unsigned count = 0;
         return first_failure({hipLibraryGetKernelCount(&count, as<hipLibrary_t>(h)),
                               hipLibraryGetKernel(&kernel, as<hipLibrary_t>(h), "k_fill")});
       }},
      {"graph", [] { return word(graph_of_fill()); }, [](uint64_t h) { return hipGraphDestroy(as<hipGraph_t>(h)); },
       [](uint64_t h) {
         size_t nodes = 0;
         hipGraphExec_t exec = nullptr;
         return first_failure({hipGraphGetNodes(as<hipGraph_t>(h), nullptr, &nodes),
                               hipGraphInstantiate(&exec, as<hipGraph_t>(h), nullptr, nullptr, 0),
                               exec ? hipGraphExecDestroy(exec) : hipSuccess});
       }},
      {"executable graph",
       [] {
         const hipGraph_t graph = graph_of_fill();
         const uint64_t exec = made<hipGraphExec_t>(
             [&](hipGraphExec_t* e) { return hipGraphInstantiate(e, graph, nullptr, nullptr, 0); });
         EXPECT_OK(hipGraphDestroy(graph));
         return exec;
       },
       [](uint64_t h) { return hipGraphExecDestroy(as<hipGraphExec_t>(h)); },
       [](uint64_t h) { return hipGraphLaunch(as<hipGraphExec_t>(h), hipStreamPerThread); }},
      {"user object",
       [] {
         return made<hipUserObject_t>([](hipUserObject_t* o) {
           return hipUserObjectCreate(o, host, [](void*) {}, 1, hipUserObjectNoDestructorSync);
         });
       },
       [](uint64_t h) { return hipUserObjectRelease(as<hipUserObject_t>(h), 1); },
       [](uint64_t h) {
         // What a thread has retained keeps the object: released again, it is as it was.
         const auto o = as<hipUserObject_t>(h);
         if (hipError_t r = hipUserObjectRetain(o, 1)) return int(r);
         return int(hipUserObjectRelease(o, 1));
       }},
      {"memory pool",
       [] {
         hipMemPoolProps properties{};
         properties.allocType = hipMemAllocationTypePinned;
         properties.location = {hipMemLocationTypeDevice, 0};
         return made<hipMemPool_t>([&](hipMemPool_t* p) { return hipMemPoolCreate(p, &properties); });
       },
       [](uint64_t h) { return hipMemPoolDestroy(as<hipMemPool_t>(h)); },
       [](uint64_t h) {
         void* p = nullptr;
         if (hipError_t r = hipMallocFromPoolAsync(&p, kBytes, as<hipMemPool_t>(h), hipStreamPerThread)) return int(r);
         return int(hipFreeAsync(p, hipStreamPerThread));
       }},
      {"array",
       [] {
         const hipChannelFormatDesc format{32, 0, 0, 0, hipChannelFormatKindFloat};
         return made<hipArray_t>([&](hipArray_t* a) { return hipMallocArray(a, &format, 16, 16, 0); });
       },
       [](uint64_t h) { return hipFreeArray(as<hipArray_t>(h)); },
       [](uint64_t h) {
         return hipMemcpy2DToArray(as<hipArray_t>(h), 0, 0, own_memory, 64, 64, 16, hipMemcpyHostToDevice);
       }},
  };
  return all;
}

class SharedObjects : public testing::TestWithParam<Kind> {
  void TearDown() override {
    EXPECT_OK(hipDeviceSynchronize());
    (void)hipGetLastError();
  }
};
TEST_P(SharedObjects, AreGoneForAll) { bz::bad_input::expect_gone_for_all(GetParam()); }
TEST_P(SharedObjects, HaveOneDestroyer) { bz::bad_input::expect_one_destroyer(GetParam()); }
TEST_P(SharedObjects, OutliveTheirUses) { bz::bad_input::expect_uses_outlived(GetParam()); }
INSTANTIATE_TEST_SUITE_P(Kinds, SharedObjects, testing::ValuesIn(kinds()));

// ---- What belongs to a thread ---------------------------------------------------------------------------------------

/// `ours` is done by one thread, then `theirs` by another, then `after` by the first: all must give what they shall.
struct Own {
  const char* name;
  std::function<hipError_t()> ours, theirs;
  hipError_t theirs_gives;
  std::function<hipError_t()> after;
  hipError_t after_gives = hipSuccess;
};

hipError_t pop_configuration() {
  dim3 grid, block;
  size_t shared = 0;
  hipStream_t stream = nullptr;
  return __hipPopCallConfiguration(&grid, &block, &shared, &stream);
}


TEST(WrongThread, AThreadsOwnState) {
  PinnedBuffer<int> flags(2);
  int value = 0;
  hipCtx_t context = nullptr;
  ASSERT_OK(hipDevicePrimaryCtxRetain(&context, 0));
  const auto success = [] { return hipSuccess; };
  const Own rows[] = {
      {"a context that another thread pushed can't be popped", [&] { return hipCtxPushCurrent(context); },
       [] { return hipCtxPopCurrent(nullptr); }, hipErrorInvalidContext, [] { return hipCtxPopCurrent(nullptr); }},
      {"and its own was popped", success, success, hipSuccess, [] { return hipCtxPopCurrent(nullptr); }, hipErrorInvalidContext},
      {"the failure of another thread is not this one's", [] { return hipMalloc(static_cast<void**>(nullptr), 8); },
       [] { return hipGetLastError(); }, hipSuccess, [] { return hipGetLastError(); }, hipErrorInvalidValue},
      {"<<<>>> of another thread launches nothing",
       [] { return __hipPushCallConfiguration(dim3(1), dim3(1), 0, nullptr); }, pop_configuration,
       hipErrorMissingConfiguration, pop_configuration},
      {"hipConfigureCall of another thread neither", [] { return hipConfigureCall(dim3(1), dim3(1), 0, nullptr); },
       [&] { return hipSetupArgument(&value, sizeof value, 0); }, hipErrorMissingConfiguration, success},
      {"nor is it launched", success, [] { return hipLaunchByPtr(kernels::bump_counter); }, hipErrorMissingConfiguration,
       [&] {
         if (hipError_t r = hipSetupArgument(&value, sizeof value, 0)) return r;
         return hipLaunchByPtr(kernels::bump_counter); // by 0
       }},
      {"hipStreamPerThread is each thread's own",
       [&] { return launch(kernels::spin, 1, 1, 0, hipStreamPerThread, flags.get(), flags.get() + 1); },
       [] {
         if (hipError_t r = hipStreamQuery(hipStreamPerThread)) return r;
         return hipStreamSynchronize(hipStreamPerThread);
       },
       hipSuccess, [] { return hipStreamQuery(hipStreamPerThread); }, hipErrorNotReady},
      {"its work goes on when the program lets it", [&] {
         flags.store(0, 1);
         return hipSuccess;
       }, success, hipSuccess, [] { return hipStreamSynchronize(hipStreamPerThread); }},
      {"hipStreamPerThread can't be destroyed, by nobody", success, [] { return hipStreamDestroy(hipStreamPerThread); },
       hipErrorInvalidResourceHandle, success},
      {"the devices that a thread may use are its own",
       [] {
         int none[] = {0};
         return hipSetValidDevices(none, 1);
       },
       [] {
         int device = -1;
         return hipGetDevice(&device);
       },
       hipSuccess, success},
  };
  for (const Own& row : rows) {
    (void)row.ours();
    std::thread([&] { EXPECT_HIP(row.theirs_gives, row.theirs()) << row.name; }).join();
    EXPECT_HIP(row.after_gives, row.after()) << row.name;
  }
  ASSERT_OK(hipDevicePrimaryCtxRelease(0));
  (void)hipGetLastError();
}

TEST(WrongThread, WorkOfAThreadThatHasEndedIsDone) {
  PinnedBuffer<int> flags(2);
  std::thread([&] { EXPECT_OK(launch(kernels::spin, 1, 1, 0, hipStreamPerThread, flags.get(), flags.get() + 1)); }).join();
  EXPECT_EQ(flags.load(1), 0);
  flags.store(0, 1);
  EXPECT_OK(hipDeviceSynchronize());
  EXPECT_EQ(flags.load(1), 1);
}

// ---- Captures -------------------------------------------------------------------------------------------------------

/// A call in another thread while this one captures in a mode, and what it does to the capture.
struct Meanwhile {
  const char* name;
  hipStreamCaptureMode capture, theirs;
  std::function<hipError_t(hipStream_t)> call;
  hipError_t gives, end_gives;
};

TEST(WrongThread, CallsOfOthersWhileACaptureGoesOn) {
  constexpr auto global = hipStreamCaptureModeGlobal, local = hipStreamCaptureModeThreadLocal, relaxed = hipStreamCaptureModeRelaxed;
  const auto allocate = [](hipStream_t) {
    void* p = nullptr;
    const hipError_t r = hipMalloc(&p, kBytes);
    return r ? r : hipFree(p);
  };
  const auto end = [](hipStream_t s) {
    hipGraph_t graph = nullptr;
    const hipError_t r = hipStreamEndCapture(s, &graph);
    if (graph) EXPECT_OK(hipGraphDestroy(graph));
    return r;
  };
  const auto enqueue = [](hipStream_t s) {
    static DeviceBuffer<char>& memory = *new DeviceBuffer<char>(kBytes);
    return hipMemsetAsync(memory, 0, kBytes, s);
  };
  const auto exchange = [](hipStream_t) {
    auto mode = relaxed;
    return hipThreadExchangeStreamCaptureMode(&mode);
  };
  const Meanwhile rows[] = {
      {"an unsafe call", global, global, allocate, hipErrorStreamCaptureUnsupported, hipErrorStreamCaptureInvalidated},
      {"an unsafe call of a thread that said so", global, relaxed, allocate, hipSuccess, hipSuccess},
      {"an unsafe call of a thread that minds its own captures", global, local, allocate, hipSuccess, hipSuccess},
      {"an unsafe call during a capture of one thread", local, global, allocate, hipSuccess, hipSuccess},
      {"an unsafe call during a relaxed capture", relaxed, global, allocate, hipSuccess, hipSuccess},
      {"the end", global, global, end, hipErrorStreamCaptureWrongThread, hipSuccess},
      {"the end of a capture of one thread", local, global, end, hipErrorStreamCaptureWrongThread, hipSuccess},
      {"the end by a thread that said so", global, relaxed, end, hipErrorStreamCaptureWrongThread, hipSuccess},
      {"the end of a relaxed capture", relaxed, global, end, hipSuccess, hipErrorIllegalState},
      {"another mode", global, global, exchange, hipSuccess, hipSuccess},
      {"work for the stream", local, global, enqueue, hipSuccess, hipSuccess},
      {"a second beginning", local, global,
       [](hipStream_t s) { return hipStreamBeginCapture(s, hipStreamCaptureModeThreadLocal); }, hipErrorIllegalState, hipSuccess},
      {"a wait for the stream", local, global, [](hipStream_t s) { return hipStreamSynchronize(s); },
       hipErrorStreamCaptureUnsupported, hipErrorStreamCaptureInvalidated},
  };
  for (const Meanwhile& row : rows) {
    hipStream_t s = nullptr;
    ASSERT_OK(hipStreamCreateWithFlags(&s, hipStreamNonBlocking));
    if (row.name == std::string("work for the stream")) EXPECT_OK(enqueue(s)); // its memory is there before
    ASSERT_OK(hipStreamBeginCapture(s, row.capture)) << row.name;
    std::thread([&] {
      auto mode = row.theirs;
      EXPECT_OK(hipThreadExchangeStreamCaptureMode(&mode));
      EXPECT_HIP(row.gives, row.call(s)) << row.name;
    }).join();
    hipStreamCaptureMode own = global;
    EXPECT_OK(hipThreadExchangeStreamCaptureMode(&own));
    EXPECT_EQ(own, global) << row.name << ": the mode of another thread became this one's";
    EXPECT_HIP(row.end_gives, end(s)) << row.name;
    EXPECT_OK(hipStreamDestroy(s));
  }
  (void)hipGetLastError();
}

TEST(WrongThread, AStreamThatAnotherThreadDestroysTakesItsCaptureWithIt) {
  hipStream_t s = nullptr;
  ASSERT_OK(hipStreamCreateWithFlags(&s, hipStreamNonBlocking));
  ASSERT_OK(hipStreamBeginCapture(s, hipStreamCaptureModeThreadLocal));
  std::thread([&] { EXPECT_OK(hipStreamDestroy(s)); }).join();
  hipGraph_t graph = nullptr;
  EXPECT_NE(hipStreamEndCapture(s, &graph), hipSuccess);
  EXPECT_EQ(graph, nullptr);
  void* p = nullptr;
  EXPECT_OK(hipMalloc(&p, kBytes)) << "no capture goes on";
  EXPECT_OK(hipFree(p));
  (void)hipGetLastError();
}

} // namespace
