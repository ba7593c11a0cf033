// Checks of launch attribute values that streams and kernel nodes share. Must not know either.
#pragma once
#include "hip/runtime/result.hpp"

namespace bz::hip {

class Device;

/// An access policy window within the limits of the device; hipErrorInvalidValue.
Result check_window(const hipAccessPolicyWindow& window, const Device& device);

} // namespace bz::hip
