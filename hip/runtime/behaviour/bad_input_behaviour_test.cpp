// Every function of the runtime's table with arguments that are nothing, foreign or already destroyed: none may crash, and
// none may take a handle for good that isn't. What is called comes from api/hip_runtime.def, so that a new row is tested
// too. The calls are made in a child, which names each before it makes it.
#include "api/testing/bad_input.hpp"
#include "hip/runtime/api_headers.hpp"
#include "hip/runtime/row_macros.hpp"

#include <gtest/gtest.h>

#include <dlfcn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdio>
#include <map>
#include <set>
#include <string>
#include <type_traits>

namespace {

/// What stands for the arguments of a call.
enum class Supply {
  nothing,  ///< null and 0 everywhere
  foreign,  ///< handles that were never given out; other arguments that can be used
  destroyed ///< handles of objects that are gone; handles of kinds that aren't destroyed are foreign
};

constexpr uintptr_t kForeign = 0x7fff12345640; // looks like an address, and nothing is there
alignas(4096) char storage[1 << 16];

struct {
  hipStream_t stream;
  hipEvent_t event;
  hipGraph_t graph;
  hipGraphExec_t exec;
  hipMemPool_t pool;
  hipArray_t array;
} gone;

template <class T> concept Complete = requires { sizeof(T); };
template <class T, class = void> struct IsHandle : std::false_type {};
template <class T>
struct IsHandle<T*> : std::bool_constant<!std::is_void_v<T> && !std::is_function_v<T> && !Complete<std::remove_cv_t<T>>> {};
template <> struct IsHandle<hipArray_t> : std::true_type {};
template <> struct IsHandle<hipArray_const_t> : std::true_type {};
template <> struct IsHandle<hipMipmappedArray_t> : std::true_type {};
template <> struct IsHandle<hipMipmappedArray_const_t> : std::true_type {};
template <class T> constexpr bool kIsHandle = IsHandle<T>::value;

template <class T> T destroyed_handle() {
  if constexpr (std::is_same_v<T, hipStream_t>) return gone.stream;
  else if constexpr (std::is_same_v<T, hipEvent_t>) return gone.event;
  else if constexpr (std::is_same_v<T, hipGraph_t>) return gone.graph;
  else if constexpr (std::is_same_v<T, hipGraphExec_t>) return gone.exec;
  else if constexpr (std::is_same_v<T, hipMemPool_t>) return gone.pool;
  else if constexpr (std::is_same_v<T, hipArray_t> || std::is_same_v<T, hipArray_const_t>) return gone.array;
  else return reinterpret_cast<T>(kForeign);
}

template <class T> T supply(Supply how) {
  if (how == Supply::nothing) return T();
  if constexpr (kIsHandle<T>) {
    return how == Supply::destroyed ? destroyed_handle<T>() : reinterpret_cast<T>(kForeign);
  } else if constexpr (std::is_pointer_v<T> && std::is_function_v<std::remove_pointer_t<T>>) {
    return bz::bad_input::Callback<T>::call;
  } else if constexpr (std::is_pointer_v<T>) {
    return reinterpret_cast<T>(storage);
  } else if constexpr (std::is_class_v<T>) {
    return T{};
  } else {
    return static_cast<T>(1);
  }
}

template <class... Types> struct Row {
  using Function = hipError_t (*)(Types...);
  static constexpr bool kTakesHandle = (false || ... || kIsHandle<Types>);
};

void call_all(Supply how) {
  void* library = dlopen("libamdhip64.so.7", RTLD_NOW | RTLD_NOLOAD);
  ASSERT_NE(library, nullptr);
  const auto each = [&]<class... Types>(Row<Types...>, const char* name, std::string version) {
    if constexpr (sizeof...(Types) != 0) {
      if (how != Supply::nothing && !Row<Types...>::kTakesHandle) return;
      version[version.rfind('_')] = '.';
      const auto function = reinterpret_cast<Row<Types...>::Function>(dlvsym(library, name, version.c_str()));
      ASSERT_NE(function, nullptr) << name;
      std::fill(std::begin(storage), std::end(storage), 0);
      std::printf("\ncall %s ", name);
      std::fflush(stdout);
      const char* text = hipGetErrorName(function(supply<Types>(how)...));
      std::printf("%s\n", text);
      std::fflush(stdout);
    }
  };
#define API(slot, name, version, trait, ...) each(Row<BZ_TYPES(__VA_ARGS__)>(), #name, #version);
#define VALUE(...)
#define SPT(slot, name, base, version, ...) each(Row<BZ_TYPES(__VA_ARGS__)>(), #name, #version);
#include "api/hip_runtime.def"
#undef API
#undef VALUE
#undef SPT
}

TEST(BadInputChild, CallsAll) {
  const char* how = std::getenv("BZ_TEST_CHILD");
  if (!how) GTEST_SKIP() << "runs as a child only";
  ASSERT_EQ(hipStreamCreate(&gone.stream), hipSuccess);
  ASSERT_EQ(hipEventCreate(&gone.event), hipSuccess);
  ASSERT_EQ(hipGraphCreate(&gone.graph, 0), hipSuccess);
  ASSERT_EQ(hipGraphInstantiate(&gone.exec, gone.graph, nullptr, nullptr, 0), hipSuccess);
  hipMemPoolProps properties{};
  properties.allocType = hipMemAllocationTypePinned;
  properties.location = {hipMemLocationTypeDevice, 0};
  ASSERT_EQ(hipMemPoolCreate(&gone.pool, &properties), hipSuccess);
  hipChannelFormatDesc format{32, 0, 0, 0, hipChannelFormatKindFloat};
  ASSERT_EQ(hipMallocArray(&gone.array, &format, 16, 16, 0), hipSuccess);
  ASSERT_EQ(hipStreamDestroy(gone.stream), hipSuccess);
  ASSERT_EQ(hipEventDestroy(gone.event), hipSuccess);
  ASSERT_EQ(hipGraphExecDestroy(gone.exec), hipSuccess);
  ASSERT_EQ(hipGraphDestroy(gone.graph), hipSuccess);
  ASSERT_EQ(hipMemPoolDestroy(gone.pool), hipSuccess);
  ASSERT_EQ(hipFreeArray(gone.array), hipSuccess);
  call_all(static_cast<Supply>(std::atoi(how)));
  std::puts("\nall called");
  std::fflush(stdout);
}

/// The codes by function; fails where the child didn't come to the end.
std::map<std::string, std::string> codes(Supply how) {
  const std::string command = "BZ_TEST_CHILD=" + std::to_string(static_cast<int>(how)) + " $(readlink /proc/" +
                              std::to_string(getpid()) + "/exe) --gtest_filter=BadInputChild.CallsAll 2>/dev/null";
  std::map<std::string, std::string> found;
  std::FILE* pipe = popen(command.c_str(), "r");
  if (!pipe) return found;
  char line[512];
  std::string last, all;
  bool complete = false;
  while (std::fgets(line, sizeof line, pipe)) {
    char name[128] = "", code[128] = "";
    complete = complete || std::string(line) == "all called\n";
    if (std::sscanf(line, "call %127s %127s", name, code) < 1) continue;
    found[name] = code;
    last = name;
  }
  const int status = pclose(pipe);
  EXPECT_TRUE(complete && WIFEXITED(status) && WEXITSTATUS(status) == 0) << "it ended in " << last << ", status " << status;
  return found;
}

void expect_refusals(Supply how, const std::set<std::string>& fine) {
  const auto results = codes(how);
  EXPECT_GT(results.size(), 200u) << "the table has become short";
  for (const auto& [name, code] : results) EXPECT_EQ(code == "hipSuccess", fine.contains(name)) << name << ": " << code;
}

// The stream of this one is looked at by the launch that follows it.
const std::set<std::string> kLooksLater = {"hipConfigureCall"};

TEST(BadInput, ForeignHandles) { expect_refusals(Supply::foreign, kLooksLater); }

TEST(BadInput, HandlesOfDestroyedObjects) { expect_refusals(Supply::destroyed, kLooksLater); }

TEST(BadInput, NothingAtAll) {
  std::set<std::string> fine = kLooksLater;
  // No bytes to copy or to fill, wherever.
  for (const char* name : {"", "2D", "Async", "2DAsync"})
    for (const char* call : {"hipMemcpy", "hipMemset"})
      for (const char* suffix : {"", "_spt"}) fine.insert(std::string(call) + name + suffix);
  fine.insert({"hipMemcpyDtoD", "hipMemcpyDtoDAsync", "hipMemcpyDtoH", "hipMemcpyDtoHAsync", "hipMemcpyHtoD",
               "hipMemcpyHtoDAsync", "hipMemcpyPeer", "hipMemcpyPeerAsync", "hipMemcpyWithStream", "hipMemset3D",
               "hipMemset3DAsync", "hipMemset3D_spt", "hipMemset3DAsync_spt", "hipMemsetD8", "hipMemsetD8Async",
               "hipMemsetD16", "hipMemsetD16Async", "hipMemsetD32", "hipMemsetD32Async"});
  // Nothing to free.
  fine.insert({"hipFree", "hipFreeHost", "hipHostFree"});
  // A null stream is one, a null context is none, and no devices are any.
  fine.insert({"hipStreamQuery", "hipStreamQuery_spt", "hipStreamSynchronize", "hipStreamSynchronize_spt",
               "hipStreamBeginCapture_spt", "hipStreamCopyAttributes", "hipCtxSetCurrent", "hipSetValidDevices"});
  // Device 0, flags 0, a hint or limit of 0.
  fine.insert({"hipInit", "hipSetDevice", "hipSetDeviceFlags", "hipDevicePrimaryCtxRelease", "hipDevicePrimaryCtxReset",
               "hipDevicePrimaryCtxSetFlags", "hipDeviceGraphMemTrim", "hipDeviceSetLimit", "hipCtxSetCacheConfig",
               "hipCtxSetSharedMemConfig", "hipDeviceSetCacheConfig", "hipDeviceSetSharedMemConfig"});
  // Each of their two results may be left out.
  fine.insert({"hipDeviceGetStreamPriorityRange", "hipMemGetInfo"});
  expect_refusals(Supply::nothing, fine);
}

} // namespace
