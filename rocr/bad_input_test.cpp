// Every function of the table with arguments that are nothing, foreign, of another kind or already destroyed: none may
// crash, and none may take a handle for good that isn't. What is called comes from api/hsa.def, so that a new row is
// tested too.
#include "api/testing/bad_input.hpp"
#include "rocr/test_support.hpp"

#include <functional>
#include <map>
#include <string>
#include <type_traits>

namespace bz::rocr::test {
namespace {

/// What stands for the arguments of a call.
enum class Supply {
  nothing,    ///< null and 0 everywhere
  foreign,    ///< handles that were never given out; other arguments that can be used
  other_kind, ///< handles of live objects of another kind
  destroyed   ///< handles of objects that are gone; handles of kinds without destruction are foreign
};

struct Handles {
  uint64_t foreign = kForeign, live_signal = 0, live_agent = 0;
  uint64_t signal = 0, group = 0, executable = 0, reader = 0, queue = 0; ///< destroyed
};
Handles handles;
alignas(64) char storage[1 << 16];

template <class T> concept Handle = requires(T t) { { t.handle } -> std::convertible_to<uint64_t>; } && sizeof(T) == 8;

template <class T> uint64_t destroyed_handle() {
  if constexpr (std::is_same_v<T, hsa_signal_t>) return handles.signal;
  else if constexpr (std::is_same_v<T, hsa_signal_group_t>) return handles.group;
  else if constexpr (std::is_same_v<T, hsa_executable_t>) return handles.executable;
  else if constexpr (std::is_same_v<T, hsa_code_object_reader_t>) return handles.reader;
  else return handles.foreign;
}

template <class T> T supply(Supply how) {
  using Target = std::remove_cv_t<std::remove_pointer_t<T>>;
  if (how == Supply::nothing) return T();
  if constexpr (Handle<T>) {
    T t{};
    if (how == Supply::other_kind) t.handle = std::is_same_v<T, hsa_agent_t> ? handles.live_signal : handles.live_agent;
    else t.handle = how == Supply::destroyed ? destroyed_handle<T>() : handles.foreign;
    return t;
  } else if constexpr (std::is_pointer_v<T> && std::is_function_v<Target>) {
    return bad_input::Callback<T>::call;
  } else if constexpr (std::is_same_v<Target, hsa_queue_t>) { // a queue is known by its address
    return reinterpret_cast<T>(how == Supply::destroyed ? handles.queue
                               : how == Supply::other_kind ? handles.live_agent : handles.foreign);
  } else if constexpr (std::is_pointer_v<T>) {
    return reinterpret_cast<T>(storage);
  } else if constexpr (std::is_class_v<T>) {
    return T{};
  } else {
    return static_cast<T>(1);
  }
}

template <class T> constexpr bool kIsHandle =
    Handle<T> || std::is_same_v<T, hsa_queue_t*> || std::is_same_v<T, const hsa_queue_t*>;

struct Function {
  const char* name;
  bool takes_handle, takes_anything, needs_runtime;
  std::function<hsa_status_t(Supply)> call;
};

#define TYPE_OF(pair) TYPE_OF_ pair
#define TYPE_OF_(type, name) type
template <class... Types> struct Row {
  template <class F> static Function make(const char* name, bool needs_runtime, F f) {
    return {name, (false || ... || kIsHandle<Types>), sizeof...(Types) != 0, needs_runtime,
            [f](Supply how) { return f(supply<Types>(how)...); }};
  }
};

bool runtime_needed(std::string_view trait) { return trait != "NoInit"; }

// The functions of the exported tables. Those of the loader are reached another way and have a test of their own.
#define TYPES_1(a) TYPE_OF(a)
#define TYPES_2(a, ...) TYPE_OF(a), TYPES_1(__VA_ARGS__)
#define TYPES_3(a, ...) TYPE_OF(a), TYPES_2(__VA_ARGS__)
#define TYPES_4(a, ...) TYPE_OF(a), TYPES_3(__VA_ARGS__)
#define TYPES_5(a, ...) TYPE_OF(a), TYPES_4(__VA_ARGS__)
#define TYPES_6(a, ...) TYPE_OF(a), TYPES_5(__VA_ARGS__)
#define TYPES_7(a, ...) TYPE_OF(a), TYPES_6(__VA_ARGS__)
#define TYPES_8(a, ...) TYPE_OF(a), TYPES_7(__VA_ARGS__)
#define TYPES_9(a, ...) TYPE_OF(a), TYPES_8(__VA_ARGS__)
#define TYPES_10(a, ...) TYPE_OF(a), TYPES_9(__VA_ARGS__)
#define COUNT(_1, _2, _3, _4, _5, _6, _7, _8, _9, _10, n, ...) n
#define CAT(a, b) CAT_(a, b)
#define CAT_(a, b) a##b
#define TYPES(...) __VA_OPT__(CAT(TYPES_, COUNT(__VA_ARGS__, 10, 9, 8, 7, 6, 5, 4, 3, 2, 1))(__VA_ARGS__))

std::vector<Function> functions() {
  std::vector<Function> all;
#define ADD_Core(name, trait, ...) all.push_back(Row<TYPES(__VA_ARGS__)>::make(#name, runtime_needed(#trait), ::name));
#define ADD_Amd(...) ADD_Core(__VA_ARGS__)
#define ADD_Finalizer(...) ADD_Core(__VA_ARGS__)
#define ADD_Image(...) ADD_Core(__VA_ARGS__)
#define ADD_PcSampling(...) ADD_Core(__VA_ARGS__)
#define ADD_None(...)
#define ADD_Hidden(...)
#define ADD_Loader(...)
#define API(table, slot, name, trait, ...) ADD_##table(name, trait __VA_OPT__(, ) __VA_ARGS__)
#define VALUE(...)
#define ALIAS(...)
#include "api/hsa.def"
#undef API
#undef VALUE
#undef ALIAS
  return all;
}

TEST(BadInputClosed, WithoutARuntimeEverythingSaysSo) {
  for (const Function& f : functions())
    if (f.needs_runtime)
      for (const Supply how : {Supply::nothing, Supply::foreign})
        EXPECT_HSA(HSA_STATUS_ERROR_NOT_INITIALIZED, f.call(how)) << f.name;
}

class BadInput : public OpenRuntime {
protected:
  void SetUp() override {
    OpenRuntime::SetUp();
    live_ = signal(1);
    handles.live_signal = live_.handle;
    handles.live_agent = gpu.handle;
    const hsa_signal_t s = signal(1);
    handles.signal = s.handle;
    hsa_signal_group_t group{};
    ASSERT_HSA(HSA_STATUS_SUCCESS, hsa_signal_group_create(1, &s, 0, nullptr, &group));
    hsa_executable_t executable{};
    ASSERT_HSA(HSA_STATUS_SUCCESS, hsa_executable_create_alt(HSA_PROFILE_FULL, HSA_DEFAULT_FLOAT_ROUNDING_MODE_DEFAULT,
                                                             nullptr, &executable));
    hsa_code_object_reader_t reader{};
    ASSERT_HSA(HSA_STATUS_SUCCESS, hsa_code_object_reader_create_from_memory(storage, sizeof storage, &reader));
    hsa_queue_t* queue = nullptr;
    ASSERT_HSA(HSA_STATUS_SUCCESS, hsa_queue_create(gpu, 64, HSA_QUEUE_TYPE_MULTI, nullptr, nullptr, 0, 0, &queue));
    handles.group = group.handle;
    handles.executable = executable.handle;
    handles.reader = reader.handle;
    handles.queue = reinterpret_cast<uint64_t>(queue);
    ASSERT_HSA(HSA_STATUS_SUCCESS, hsa_signal_group_destroy(group));
    ASSERT_HSA(HSA_STATUS_SUCCESS, hsa_executable_destroy(executable));
    ASSERT_HSA(HSA_STATUS_SUCCESS, hsa_code_object_reader_destroy(reader));
    ASSERT_HSA(HSA_STATUS_SUCCESS, hsa_queue_destroy(queue));
    ASSERT_HSA(HSA_STATUS_SUCCESS, hsa_signal_destroy(s));
  }
  void TearDown() override {
    hsa_signal_destroy(live_);
    OpenRuntime::TearDown();
  }
  void expect_refusals(Supply how) {
    size_t called = 0;
    for (const Function& f : functions()) {
      if (!f.takes_anything || !f.takes_handle) continue;
      std::fill(std::begin(storage), std::end(storage), 0);
      EXPECT_NE(static_cast<int>(f.call(how)), static_cast<int>(HSA_STATUS_SUCCESS)) << f.name;
      ++called;
    }
    EXPECT_GT(called, 90u) << "the table has become short";
  }
  hsa_signal_t live_{0};
};

TEST_F(BadInput, NoHandle) { expect_refusals(Supply::nothing); }
TEST_F(BadInput, ForeignHandle) { expect_refusals(Supply::foreign); }
TEST_F(BadInput, HandleOfAnotherKind) { expect_refusals(Supply::other_kind); }
TEST_F(BadInput, HandleOfADestroyedObject) { expect_refusals(Supply::destroyed); }

TEST_F(BadInput, NullInPlaceOfEveryPointer) {
  // For these, nothing is something.
  const std::map<std::string, const char*> fine = {
      {"hsa_memory_free", "nothing to free"},
      {"hsa_amd_memory_pool_free", "nothing to free"},
      {"hsa_amd_profiling_async_copy_enable", "takes no pointer"},
      {"hsa_amd_portable_close_dmabuf", "descriptor 0 is one: this process does without it from here on"},
  };
  for (const Function& f : functions()) {
    if (!f.takes_anything) continue;
    const bool succeeded = f.call(Supply::nothing) == HSA_STATUS_SUCCESS;
    EXPECT_EQ(succeeded, fine.contains(f.name)) << f.name;
  }
}

} // namespace
} // namespace bz::rocr::test
