// The engine of unit tests: kernels are C++ functions of the test (gpu/fake_engine.hpp).
#include "gpu/fake_engine.hpp"
#include "kfd/engine.hpp"

namespace bz::kfd {
Expected<gpu::EngineFactory> engine_factory() { return gpu::EngineFactory(gpu::fake::make); }
} // namespace bz::kfd
