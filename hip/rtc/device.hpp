// Which GPU a compilation without a target is for. Must not load the HIP runtime before somebody asks.
#pragma once
#include "base/status.hpp"

#include <string>

namespace bz::rtc {

/// The target of the calling thread's current device, "gfx942:sramecc+:xnack-", from libamdhip64. not_found: there is no
/// runtime or no GPU; name one with --offload-arch.
Expected<std::string> current_target();

} // namespace bz::rtc
