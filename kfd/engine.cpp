#include "kfd/engine.hpp"

namespace bz::kfd {
gpu::EngineFactory engine_factory() {
  return [](const exec::EngineConfig& config) { return exec::Engine::create(config); };
}
} // namespace bz::kfd
