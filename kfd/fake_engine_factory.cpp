// The engine of unit tests: kernels are C++ functions of the test (gpu/fake_engine.hpp).
#include "gpu/fake_engine.hpp"
#include "kfd/engine.hpp"

namespace bz::kfd {
gpu::EngineFactory engine_factory() { return gpu::fake::make; }
} // namespace bz::kfd
