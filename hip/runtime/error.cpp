#include "hip/runtime/error.hpp"
#include "hip/runtime/impl.hpp"
#include "hip/runtime/result.hpp"

namespace bz::hip {

const char* error_name(hipError_t code) {
  switch (static_cast<int>(code)) {
#define ERROR(name, text)                                                                                              \
  case name:                                                                                                           \
    return #name;
#define ALIAS(name, first) static_assert(name == first);
#include "api/hip_errors.def"
#undef ERROR
#undef ALIAS
  }
  return nullptr;
}

const char* error_text(hipError_t code) {
  switch (static_cast<int>(code)) {
#define ERROR(name, text)                                                                                              \
  case name:                                                                                                           \
    return text;
#define ALIAS(name, first)
#include "api/hip_errors.def"
#undef ERROR
#undef ALIAS
  }
  return nullptr;
}

hipError_t error_of(Code code) {
  switch (code) {
  case Code::ok:
    return hipSuccess;
  case Code::invalid_argument:
    return hipErrorInvalidValue;
  case Code::invalid_handle:
    return hipErrorInvalidHandle;
  case Code::not_found:
    return hipErrorNotFound;
  case Code::out_of_memory:
    return hipErrorOutOfMemory;
  case Code::out_of_resources:
    return hipErrorLaunchOutOfResources;
  case Code::invalid_image:
    return hipErrorInvalidImage;
  case Code::wrong_target:
    return hipErrorNoBinaryForGpu;
  case Code::unsupported:
    return hipErrorNotSupported;
  case Code::busy:
    return hipErrorNotReady;
  case Code::timed_out:
    return hipErrorLaunchTimeOut;
  case Code::fault:
    return hipErrorIllegalAddress;
  case Code::internal:
    return hipErrorUnknown;
  }
  return hipErrorUnknown;
}

namespace impl {

const char* hipGetErrorName(hipError_t code) {
  const char* name = error_name(code);
  return name ? name : "hipErrorUnknown";
}

const char* hipGetErrorString(hipError_t code) {
  const char* text = error_text(code);
  return text ? text : error_text(hipErrorUnknown);
}

Result hipDrvGetErrorName(hipError_t code, const char** errorString) {
  HIP_NONNULL(errorString);
  *errorString = error_name(code);
  if (!*errorString) return fail(hipErrorInvalidValue, "{} is no error code", static_cast<int>(code));
  return {};
}

Result hipDrvGetErrorString(hipError_t code, const char** errorString) {
  HIP_NONNULL(errorString);
  *errorString = error_text(code);
  if (!*errorString) return fail(hipErrorInvalidValue, "{} is no error code", static_cast<int>(code));
  return {};
}

} // namespace impl
} // namespace bz::hip
