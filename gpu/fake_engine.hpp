// An engine for tests of the layers above exec/: a "kernel" is a C++ function that runs once per workgroup and says
// what becomes of the group. Test-only; it decodes nothing.
#pragma once
#include "abi/test_kernel.hpp"
#include "exec/engine.hpp"
#include "gpu/guard.hpp"

#include <atomic>
#include <functional>

namespace bz::gpu::fake {

struct Outcome {
  enum class Kind { finish, park, halt } kind = Kind::finish;
  exec::Halt halt;
};
inline Outcome finish() { return {}; }
inline Outcome park() { return {Outcome::Kind::park, {}}; }

/// What kernel_object points to.
struct Kernel {
  static constexpr uint64_t kMagic = 0x6b65726e656c2121;
  alignas(64) uint64_t magic = kMagic;
  std::function<Outcome(const exec::DispatchInfo&, uint64_t group)> body;
  uint32_t groups_per_cu = 8;
  uint64_t object() const { return reinterpret_cast<uint64_t>(this); }
};

struct Dispatch : exec::Dispatch {
  exec::DispatchInfo info;
  std::function<Outcome(const exec::DispatchInfo&, uint64_t group)> body;
  uint32_t per_cu = 1;
  uint64_t group_count() const override {
    uint64_t n = 1;
    for (int i = 0; i < 3; ++i) n *= (info.grid_size[i] + info.group_size[i] - 1) / info.group_size[i];
    return n;
  }
  uint32_t groups_per_cu() const override { return per_cu; }
};

struct Parked : exec::ParkedGroup {
  std::shared_ptr<exec::Dispatch> owner;
  uint64_t group = 0;
  const std::shared_ptr<exec::Dispatch>& dispatch() const override { return owner; }
};

struct Worker : exec::Worker {
  bool one(exec::RunResult& result, const std::shared_ptr<exec::Dispatch>& owner, uint64_t group) {
    auto& d = static_cast<Dispatch&>(*owner);
    Outcome outcome = d.body(d.info, group);
    ++result.instructions;
    if (outcome.kind == Outcome::Kind::finish) return true;
    if (outcome.kind == Outcome::Kind::park) {
      auto parked = std::make_unique<Parked>();
      parked->owner = owner;
      parked->group = group;
      result.state = exec::RunResult::State::parked;
      result.parked = std::move(parked);
      return false;
    }
    result.state = exec::RunResult::State::halted;
    result.halt = std::make_unique<exec::Halt>(outcome.halt);
    result.halt->group = {static_cast<uint32_t>(group), 0, 0};
    return false;
  }
  exec::RunResult run(const std::shared_ptr<exec::Dispatch>& owner, uint64_t first, uint64_t count) override {
    exec::RunResult result;
    for (uint64_t g = first; g < first + count; ++g) {
      result.next = g + 1;
      if (!one(result, owner, g)) return result;
    }
    result.next = first + count;
    return result;
  }
  exec::RunResult resume(std::unique_ptr<exec::ParkedGroup> group) override {
    exec::RunResult result;
    auto& parked = static_cast<Parked&>(*group);
    one(result, parked.owner, parked.group);
    return result;
  }
};

/// A kernel of a test that knows only the layout (abi/test_kernel.hpp).
inline Outcome plain(const abi::test_kernel& kernel, uint64_t group) {
  abi::test_outcome out;
  kernel.body(kernel.context, group, &out);
  Outcome outcome;
  switch (out.kind) {
  case abi::test_outcome::finish:
    break;
  case abi::test_outcome::park:
    outcome.kind = Outcome::Kind::park;
    break;
  case abi::test_outcome::memory_fault:
    outcome.kind = Outcome::Kind::halt;
    outcome.halt.reason = exec::Halt::Reason::memory_fault;
    outcome.halt.address = out.address;
    outcome.halt.is_write = out.is_write != 0;
    break;
  }
  return outcome;
}

struct Engine : exec::Engine {
  exec::EngineConfig config;
  std::atomic<uint64_t>* forgotten = nullptr;
  Expected<std::shared_ptr<exec::Dispatch>> prepare(const exec::DispatchInfo& info) override {
    uint64_t magic = 0;
    auto d = std::make_shared<Dispatch>();
    d->info = info;
    bool readable = read_memory(&magic, info.kernel_object, sizeof magic);
    if (readable && magic == Kernel::kMagic) {
      const auto* kernel = reinterpret_cast<const Kernel*>(info.kernel_object);
      d->body = kernel->body;
      d->per_cu = kernel->groups_per_cu;
    } else if (readable && magic == abi::test_kernel::kMagic) {
      const auto* kernel = reinterpret_cast<const abi::test_kernel*>(info.kernel_object);
      d->body = [kernel](auto&, uint64_t group) { return plain(*kernel, group); };
      d->per_cu = kernel->groups_per_cu;
    } else {
      return error(Code::invalid_image, "no kernel at {:#x}", info.kernel_object);
    }
    return std::shared_ptr<exec::Dispatch>(d);
  }
  std::unique_ptr<exec::Worker> make_worker() override { return std::make_unique<Worker>(); }
  void forget_code(uint64_t, uint64_t) override {
    if (forgotten) forgotten->fetch_add(1);
  }
  std::string description() const override { return "fake"; }
};

inline Expected<std::unique_ptr<exec::Engine>> make(const exec::EngineConfig& config) {
  auto engine = std::make_unique<Engine>();
  engine->config = config;
  return std::unique_ptr<exec::Engine>(std::move(engine));
}

} // namespace bz::gpu::fake
