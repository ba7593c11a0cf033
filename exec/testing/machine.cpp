#include "exec/testing/machine.hpp"

#include "base/segv.hpp"
#include "exec/engine_impl.hpp"
#include "exec/interp/control.hpp"

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <stdexcept>
#include <sys/mman.h>

namespace bz::exec::testing {

std::vector<std::string> engine_levels() {
  std::vector<std::string> levels;
  const char* forced = std::getenv("BZ_SIMD");
  if (forced && *forced) return {forced};
  __builtin_cpu_init();
  if (__builtin_cpu_supports("x86-64-v4")) {
    levels.push_back("avx512");
  } else {
    static bool said = (std::fprintf(stderr, "this machine has no AVX-512: engine level avx512 is not tested\n"), true);
    (void)said;
  }
  levels.push_back("avx2");
  return levels;
}

struct Machine::Impl {
  static constexpr size_t kCodeBytes = 1 << 20;
  std::unique_ptr<EngineImpl> engine;
  std::unique_ptr<WorkerImpl> worker;
  std::unique_ptr<GroupContext> context;
  std::shared_ptr<DispatchImpl> dispatch;
  uint32_t* code = nullptr;
  uint32_t mode = 0x3f0;
  std::unique_ptr<Halt> halt;
  bool mode_set = false;

  ~Impl() {
    context.reset();
    worker.reset();
    if (code) munmap(code, kCodeBytes);
  }
};

Machine::Machine(isa::Target target, const std::string& level, uint32_t waves, const std::string& exec) : impl_(std::make_unique<Impl>()) {
  EngineConfig config;
  config.target = target;
  config.simd = level;
  config.exec = exec;
  config.count_rows = true;
  auto engine = Engine::create(config);
  if (!engine) throw std::runtime_error(engine.status().to_string());
  impl_->engine.reset(static_cast<EngineImpl*>(std::move(engine).value().release()));
  start(target, waves);
}
Machine::Machine(isa::Target target, const Level& level, uint32_t waves) : impl_(std::make_unique<Impl>()) {
  EngineConfig config;
  config.target = target;
  config.count_rows = true;
  impl_->engine = std::make_unique<EngineImpl>(config, level);
  start(target, waves);
}
void Machine::start(isa::Target target, uint32_t waves) {
  if (auto s = segv::install(); !s.ok()) throw std::runtime_error(s.to_string());
  impl_->worker = std::make_unique<WorkerImpl>(*impl_->engine);
  void* p = mmap(nullptr, Impl::kCodeBytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (p == MAP_FAILED) throw std::bad_alloc();
  impl_->code = static_cast<uint32_t*>(p);

  auto d = std::make_shared<DispatchImpl>();
  Launch& l = d->launch;
  l.info.group_size = {static_cast<uint16_t>(64 * waves), 1, 1};
  l.info.grid_size = {64 * waves, 1, 1};
  l.info.group_bytes = kLdsBytes;
  l.info.private_bytes = kScratchBytes;
  l.target = target;
  l.traits.target = target;
  l.traits.accum_offset = 256;
  l.traits.count_rows = true;
  l.flags.mode = impl_->mode;
  l.groups = {1, 1, 1};
  l.lanes = 64 * waves;
  l.waves = waves;
  l.scratch_bytes = kScratchBytes;
  l.packed_ids = true;
  l.architected_scratch = true;
  l.ids.assign(size_t{64} * waves, 0);
  impl_->dispatch = d;
  // A first program, so that the context exists before registers are set.
  impl_->code[0] = 0xbf810000;
  auto code = impl_->engine->code_at(reinterpret_cast<uint64_t>(impl_->code), l.traits);
  if (!code) throw std::runtime_error(code.status().to_string());
  d->code = *code;
  impl_->context = impl_->engine->take_context();
  GroupContext& c = *impl_->context;
  c.start(d, 0, impl_->worker->coverage());
}
Machine::~Machine() = default;

uint32_t* Machine::vgpr(unsigned n, uint32_t wave) { return impl_->context->wave(wave)->row(n); }
uint32_t& Machine::sgpr(unsigned n, uint32_t wave) { return impl_->context->wave(wave)->sgpr[n & 127]; }
uint64_t Machine::sgpr64(unsigned n, uint32_t wave) {
  uint64_t x;
  std::memcpy(&x, &sgpr(n, wave), 8);
  return x;
}
void Machine::set_sgpr64(unsigned n, uint64_t value, uint32_t wave) { std::memcpy(&sgpr(n, wave), &value, 8); }
void Machine::set_scc(bool value, uint32_t wave) { impl_->context->wave(wave)->scc = value; }
bool Machine::scc(uint32_t wave) { return impl_->context->wave(wave)->scc != 0; }
void Machine::set_mode(uint32_t mode) { impl_->mode = mode; }
uint32_t Machine::mode(uint32_t wave) { return impl_->context->wave(wave)->mode; }
uint8_t* Machine::lds() { return impl_->context->group.lds; }
uint32_t* Machine::scratch(uint32_t wave) { return reinterpret_cast<uint32_t*>(impl_->context->wave(wave)->scratch); }
const Halt* Machine::halt() const { return impl_->halt.get(); }
uint64_t Machine::code_address() const { return reinterpret_cast<uint64_t>(impl_->code); }
uint64_t Machine::executions(uint16_t row) const { return impl_->worker->coverage()[row]; }

Status Machine::run(std::span<const uint32_t> words) {
  Impl& m = *impl_;
  if ((words.size() + 1) * 4 > Impl::kCodeBytes) return error(bz::Code::invalid_argument, "{} words of code are too many", words.size());
  std::memcpy(m.code, words.data(), words.size_bytes());
  m.code[words.size()] = 0xbf810000;   // s_endpgm
  CodeTraits traits = m.dispatch->launch.traits;
  traits.split_mode = mxcsr_of_mode(m.mode, false) != mxcsr_of_mode(m.mode, true);
  // Only one stretch is kept: otherwise millions of small programs would pile up.
  if (m.dispatch->code->words.size() <= words.size() || !(m.dispatch->code->traits == traits) ||
      std::memcmp(m.dispatch->code->words.data(), m.code, 4 * (words.size() + 1)) != 0) {
    m.engine->forget_code(0, ~uint64_t{0});
    BZ_TRY_ASSIGN(m.dispatch->code, m.engine->code_at(code_address(), traits));
  }
  GroupContext& c = *m.context;
  Group& g = c.group;
  c.codes.clear();
  c.add_code(m.dispatch->code);
  std::memset(g.jumps, 0, sizeof g.jumps);
  uint32_t waves = m.dispatch->launch.waves;
  bool full = true;
  for (uint32_t i = 0; i < waves; ++i) {
    Wave* w = c.wave(i);
    set_wave_mode(w, m.mode);
    w->state = WaveState::running;
    w->gpr_index = 0;
    w->convoy = 1;
    w->span = layout::kStride;
    w->next = c.wave((i + 1) % waves);
    w->prev = c.wave((i + waves - 1) % waves);
    full &= w->exec() == ~uint64_t{0};
  }
  g.exit = Exit::none;
  g.alive = g.wave_count = waves;
  g.arrived = 0;
  g.split_mode = traits.split_mode;
  g.lds_bytes = lds_limit;
  g.head = g.current = c.wave(0);
  g.head->convoy = waves;
  g.head->span = uint64_t{layout::kStride} * waves;
  g.head->pc = full ? m.dispatch->code->full : m.dispatch->code->masked;
  g.halt_op = nullptr;
  g.halt_lane = -1;
  g.halt_text = nullptr;
  m.halt.reset();
  RunResult r = m.worker->run_context(m.context);
  switch (r.state) {
  case RunResult::State::finished: return {};
  case RunResult::State::parked: return error(bz::Code::timed_out, "the code went on for longer than a slice");
  case RunResult::State::halted: break;
  }
  m.halt = std::move(r.halt);
  return error(bz::Code::fault, "{}", m.halt->text);
}

} // namespace bz::exec::testing
