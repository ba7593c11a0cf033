// Names and texts of the error codes. Must not know where errors come from.
#pragma once
#include <hip/host/error_codes.h>

namespace bz::hip {

/// "hipErrorInvalidValue", or nullptr for a number that is no error code.
const char* error_name(hipError_t code);
/// Our own text for a code, or nullptr.
const char* error_text(hipError_t code);

} // namespace bz::hip
