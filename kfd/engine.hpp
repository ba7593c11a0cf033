// Which engine the devices of a library run: exec's in the product, a fake one in tests (each library links one
// definition).
#pragma once
#include "gpu/device.hpp"

namespace bz::kfd {
gpu::EngineFactory engine_factory();
}
