#include "kfd/engine.hpp"

#include "exec/level_choice.hpp"

namespace bz::kfd {
Expected<gpu::EngineFactory> engine_factory() {
  BZ_TRY(exec::check_engine_environment());
  return gpu::EngineFactory([](const exec::EngineConfig& config) { return exec::Engine::create(config); });
}
} // namespace bz::kfd
