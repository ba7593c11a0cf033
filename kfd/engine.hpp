// Which engine the devices of a library run: exec's in the product, a fake one in tests (each library links one
// definition).
#pragma once
#include "gpu/device.hpp"

namespace bz::kfd {
/// Fails if the environment or the CPU rules the engine out, so that opening the device fails and not its first kernel.
Expected<gpu::EngineFactory> engine_factory();
}
