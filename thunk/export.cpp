// The exported functions of libhsakmt.so.1: from each row of api/hsakmt.def the C symbol with its entry wrapper (open
// channel, forked child, exceptions) around the implementation. A type that differs from hsakmt.h does not compile.
#include "abi/help.hpp"
#include "hsakmt/boltzmann.h"
#include "thunk/impl.hpp"
#include "thunk/layout.hpp"

#include <memory>
#include <mutex>
#include <new>
#include <unistd.h>

namespace bz::thunk {

/// Function-local and never destroyed: destructors of the program may still call us.
State& state() {
  static State* const s = new State;
  return *s;
}

namespace {

template <class F> HSAKMT_STATUS no_exceptions(const char* name, F body) {
  try {
    return body();
  } catch (const std::bad_alloc&) {
    return fail(HSAKMT_STATUS_NO_MEMORY, "{}: out of host memory", name);
  } catch (const std::exception& e) {
    log("thunk", Level::error, "{}: internal error: {}", name, e.what());
    return HSAKMT_STATUS_ERROR;
  }
}

struct Anytime {
  template <class F> static HSAKMT_STATUS enter(const char* name, F body) {
    return no_exceptions(name, [&] { return body(state()); });
  }
};
struct Opened {
  template <class F> static HSAKMT_STATUS enter(const char* name, F body) {
    return no_exceptions(name, [&] {
      std::shared_ptr<Library> library;
      pid_t pid = 0;
      {
        State& s = state();
        std::lock_guard lock(s.mutex);
        library = s.library;
        pid = s.pid;
      }
      if (!library) return fail(HSAKMT_STATUS_KERNEL_IO_CHANNEL_NOT_OPENED, "{}: hsaKmtOpenKFD was not called", name);
      if (pid != getpid())
        return fail(HSAKMT_STATUS_KERNEL_IO_CHANNEL_NOT_OPENED, "{}: called in a forked child", name);
      return body(*library);
    });
  }
};

HSAKMT_STATUS missing(const char* name) {
  log("thunk", Level::warn, "{} is not implemented", name);
  return HSAKMT_STATUS_NOT_IMPLEMENTED;
}

} // namespace
} // namespace bz::thunk

using namespace bz::thunk;

extern "C" {
#define HSAKMT_API(name, trait, ...)                                                                                   \
  static_assert(std::is_same_v<decltype(&::name), HSAKMT_STATUS (*)(BZ_TYPES(__VA_ARGS__))>,                           \
                #name " differs from hsakmt.h");                                                                       \
  HSAKMT_STATUS HSAKMTAPI name(BZ_PARAMS(__VA_ARGS__)) {                                                               \
    return trait::enter(#name,                                                                                         \
                        [&](auto& context) { return impl::name(context __VA_OPT__(, ) BZ_NAMES(__VA_ARGS__)); });      \
  }
#define HSAKMT_MISSING(name, trait, ...)                                                                               \
  static_assert(std::is_same_v<decltype(&::name), HSAKMT_STATUS (*)(BZ_TYPES(__VA_ARGS__))>,                           \
                #name " differs from hsakmt.h");                                                                       \
  HSAKMT_STATUS HSAKMTAPI name(BZ_TYPES(__VA_ARGS__)) {                                                                \
    return trait::enter(#name, [&](auto&) { return missing(#name); });                                                 \
  }
#include "api/hsakmt.def"
#undef HSAKMT_API
#undef HSAKMT_MISSING

HSAKMT_STATUS HSAKMTAPI bzHsaKmtHelp(const volatile int64_t* value, HSAuint32 condition, int64_t compare,
                                     HSAuint32 timeout_us, HSAuint32* result) {
  static_assert(BZ_HELP_UNTIL_GTE == static_cast<int>(bz::abi::HelpCondition::greater_equal));
  static_assert(BZ_HELP_TIMED_OUT == static_cast<int>(bz::abi::HelpResult::timed_out));
  if (!result || (condition == BZ_HELP_UNTIL_NONE) != (value == nullptr)) return HSAKMT_STATUS_INVALID_PARAMETER;
  return Opened::enter("bzHsaKmtHelp",
                       [&](Library& l) { return l.events.help(value, condition, compare, 0, timeout_us, *result); });
}

HSAKMT_STATUS HSAKMTAPI bzHsaKmtWakeDoorbell(const volatile HSAuint64* doorbell, const volatile HSAuint8** awake) {
  if (!doorbell || !awake) return HSAKMT_STATUS_INVALID_PARAMETER;
  return Opened::enter("bzHsaKmtWakeDoorbell", [&](Library& l) {
    bz::abi::bz_kfd_wake_args args{reinterpret_cast<uint64_t>(doorbell), 0};
    const int r = l.channel->ioctl_errno(bz::abi::BZ_KFD_IOC_WAKE, &args);
    if (r == -ENOTTY) return HSAKMT_STATUS_NOT_SUPPORTED;
    if (r != 0) return HSAKMT_STATUS_INVALID_PARAMETER;
    *awake = reinterpret_cast<const volatile HSAuint8*>(args.awake_address);
    return HSAKMT_STATUS_SUCCESS;
  });
}

HSAKMT_STATUS HSAKMTAPI bzHsaKmtPlaceMemory(void* address, HSAuint64 memory_size, void* memory) {
  return Opened::enter("bzHsaKmtPlaceMemory", [&](Library& l) { return l.memory.place(address, memory_size, memory); });
}

HSAKMT_STATUS HSAKMTAPI bzHsaKmtUnplaceMemory(void* address) {
  return Opened::enter("bzHsaKmtUnplaceMemory", [&](Library& l) { return l.memory.unplace(address); });
}
}
