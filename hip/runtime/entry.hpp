// What surrounds every API call: start of the runtime, trace of arguments and result, error recording, messages.
// entry.cpp derives one entry per row; export.cpp the exported symbols. Must not know what a function does.
#pragma once
#include "hip/runtime/api_headers.hpp"
#include "hip/runtime/error.hpp"
#include "hip/runtime/result.hpp"
#include "hip/runtime/wait_for_oneself.hpp"

#include <cstdint>
#include <initializer_list>
#include <new>
#include <string>
#include <string_view>

namespace bz::hip {

/// AMD_LOG_LEVEL >= 3: every call with its arguments, then its result.
bool trace_enabled();
void trace_line(std::string_view text);

/// Records the outcome for hipGetLastError and hipExtGetLastError, prints a message once per cause, traces.
hipError_t finish(const char* name, const Result& result, bool record);

/// hipErrorNotSupported for a row without a body; names the function once.
hipError_t unsupported(const char* name);

/// Starts the runtime if it doesn't run yet.
Result start_runtime();

// ---- Argument printer, by overload per type -------------------------------------------------------------------------

inline std::string print_argument(const char* text) { return text ? fmt::format("\"{}\"", text) : "null"; }
inline std::string print_argument(dim3 d) { return fmt::format("{{{},{},{}}}", d.x, d.y, d.z); }
inline std::string print_argument(const hipExtent& e) {
  return fmt::format("{{{},{},{}}}", e.width, e.height, e.depth);
}
inline std::string print_argument(const hipPitchedPtr& p) {
  return fmt::format("{{{},pitch {},{}x{}}}", p.ptr, p.pitch, p.xsize, p.ysize);
}
inline std::string print_argument(const hipMemLocation& l) { return fmt::format("{{type {},{}}}", int(l.type), l.id); }
inline std::string print_argument(const hipIpcMemHandle_t&) { return "{ipc memory}"; }
inline std::string print_argument(const hipIpcEventHandle_t&) { return "{ipc event}"; }
inline std::string print_argument(hipError_t e) {
  const char* name = error_name(e);
  return name ? name : std::to_string(int(e));
}
template <class T> std::string print_argument(T* pointer) {
  return pointer ? fmt::format("{}", reinterpret_cast<const void*>(pointer)) : "null";
}
template <class T>
  requires std::is_arithmetic_v<T>
std::string print_argument(T number) {
  return fmt::format("{}", number);
}
template <class T>
  requires std::is_enum_v<T>
std::string print_argument(T number) {
  return fmt::format("{}", static_cast<long long>(number));
}

template <class... Args>
std::string print_call(const char* name, std::initializer_list<const char*> names, const Args&... args) {
  std::string text = name;
  text += '(';
  [[maybe_unused]] auto it = names.begin();
  [[maybe_unused]] bool first = true;
  ((text += first ? "" : ", ", first = false, text += *it++, text += '=', text += print_argument(args)), ...);
  text += ')';
  return text;
}

// ---- The entry ------------------------------------------------------------------------------------------------------

struct CallTraits {
  bool start;  ///< start the runtime first
  bool record; ///< record the outcome as last error
};
inline constexpr CallTraits kImpl{true, true}, kNoInit{false, true}, kSilent{false, false};

/// What api/hip_capture.def says of a function.
enum class CaptureRule { none, unsafe, device_wait };
constexpr CaptureRule capture_rule(std::string_view name) {
#define UNSAFE(row)                                                                                                    \
  if (name == #row) return CaptureRule::unsafe;
#define DEVICE_WAIT(row)                                                                                               \
  if (name == #row) return CaptureRule::device_wait;
#include "api/hip_capture.def"
#undef UNSAFE
#undef DEVICE_WAIT
  return CaptureRule::none;
}
Result check_capture(CaptureRule rule, const char* name); // capture.cpp

/// A null stream means hipStreamPerThread while this lives (functions with the suffix _spt).
class PerThreadNullStream {
public:
  PerThreadNullStream();
  ~PerThreadNullStream();
  PerThreadNullStream(const PerThreadNullStream&) = delete;
  PerThreadNullStream& operator=(const PerThreadNullStream&) = delete;
};

template <CallTraits Traits, CaptureRule Rule, class F, class... Args>
hipError_t call(const char* name, std::initializer_list<const char*> names, F function, const Args&... args) {
  if (trace_enabled()) trace_line(print_call(name, names, args...));
  Result result;
  try {
    if constexpr (Traits.start) result = start_runtime();
    if constexpr (Rule != CaptureRule::none)
      if (result.ok()) result = check_capture(Rule, name);
    if (result.ok()) result = function(args...);
  } catch (const std::bad_alloc&) {
    result = Result(hipErrorOutOfMemory, "host memory is used up");
  } catch (const WaitForOneself&) {
    result = Result(hipErrorIllegalState, "a host function can't wait for the stream that it runs in: that would never end");
  }
  return finish(name, result, Traits.record);
}

} // namespace bz::hip
