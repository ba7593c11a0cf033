// Workers and native code: when a kernel is worth compiling, workgroups that begin natively, and what to do when one stops.
#include "base/environment.hpp"
#include "base/log.hpp"
#include "exec/engine_impl.hpp"
#include "exec/interp/control_ops.hpp"
#include "exec/schedule.hpp"

#include <fmt/format.h>

#include <immintrin.h>

#include <algorithm>
#include <array>
#include <utility>

namespace bz::exec {
namespace {

/// TSC ticks of interpretation after which a kernel is compiled: a tenth to a fifth of what compiling takes, which is some 15 ms and
/// 0.25 ms for each instruction. Kernels that take that long once are likely to take it again.
/// BZ_JIT_AFTER says otherwise, in milliseconds.
uint64_t worth_compiling(const Code& code) {
  static const long asked = environment_number("exec", "BZ_JIT_AFTER", -1, 0, 1'000'000);
  return asked >= 0 ? 2'500'000 * static_cast<uint64_t>(asked) : 5'000'000 + 60'000 * uint64_t{code.words.size()};
}

/// Decoded code that holds an address, for a MODE; null if it can't be read.
std::shared_ptr<const Code> code_of(EngineImpl& engine, GroupContext& c, uint64_t pc, uint32_t mode) {
  CodeTraits traits = c.dispatch->launch.traits;
  traits.split_mode = splits(mode);
  for (auto& code : c.codes) {
    if (!(code->traits == traits) || !code->at(pc, true)) continue;
    if (c.group.refetch && !same_code(code->begin, code->words)) continue;
    return code;
  }
  auto code = engine.code_with(pc, traits);
  if (!code.ok()) return nullptr;
  c.add_code(*code);
  return *code;
}

std::string failure_text(const Status& s, uint64_t pc) { return fmt::format("no native code for 0x{:x}: {}", pc, s.message()); }

} // namespace

// ---------------------------------------------------------------- what is compiled

std::shared_ptr<NativeUnit> EngineImpl::unit(const UnitKey& key, const std::shared_ptr<const Code>& code) {
  // A kernel that is launched with ever other sizes is not compiled for each of them, unless it must be.
  constexpr size_t kMostUnits = 64;
  if (too_large(*code)) {
    log("exec", bz::Level::debug, "code at 0x{:x} is interpreted: {} bytes are too many to compile", key.entry, 4 * code->words.size());
    return nullptr;
  }
  return code->native ? code->native->get(key, code, settings_, mode_ == ExecMode::jit ? ~size_t{0} : kMostUnits) : nullptr;
}

Status EngineImpl::prepare_native(DispatchImpl& d) {
  const Launch& l = d.launch;
  if (only_interpreted(*d.code, 0)) return {};   // the kernel ends there
  d.native[true] = unit(kernel_key(l, true), d.code);
  // At the grid's edge groups may be numbered in their own way.
  std::array<uint32_t, 3> last{};
  for (size_t i = 0; i < 3; ++i) last[i] = static_cast<uint32_t>(l.groups[i] - 1);
  bool odd = false;
  for (unsigned corner = 0; l.ragged && corner < 8; ++corner)
    odd |= !numbered_as_whole(l, group_extent(l, {corner & 1 ? last[0] : 0, corner & 2 ? last[1] : 0, corner & 4 ? last[2] : 0}));
  if (odd) d.native[false] = unit(kernel_key(l, false), d.code);
  for (auto& u : d.native) {
    if (!u || u->ready()) continue;
    if (mode_ != ExecMode::jit) NativeCompiler::instance().recall(*u);
    else if (auto s = NativeCompiler::instance().compile(*u); !s.ok()) return error(s.code(), "BZ_EXEC=jit: {}", failure_text(s, l.entry));
  }
  return {};
}

void WorkerImpl::interpreted(GroupContext& c) {
  const uint64_t now = __builtin_ia32_rdtsc(), ticks = now - std::exchange(ticked_, now);
  auto& unit = c.dispatch->native[c.whole_ids];
  if (!unit || unit->state() != NativeUnit::State::interpreted) return;
  if (unit->interpreted.fetch_add(ticks, std::memory_order_relaxed) + ticks >= worth_compiling(*c.dispatch->code)) NativeCompiler::instance().enqueue(unit);
}

// ---------------------------------------------------------------- running

bool WorkerImpl::begin_native(GroupContext& c, const std::shared_ptr<NativeUnit>& unit, RunResult& r) {
  if (!unit->ready())
    if (auto s = NativeCompiler::instance().compile(*unit); !s.ok()) {
      auto h = std::make_unique<Halt>();
      h->reason = Halt::Reason::not_implemented;
      h->pc = unit->key.entry;
      h->group = c.group.id;
      h->text = "BZ_EXEC=jit: " + failure_text(s, h->pc);
      return halted(c, r, std::move(h));
    }
  c.native.level = &engine_.level();
  c.native.begin(c.group, unit, c.dispatch->code->begin);
  return true;
}

bool WorkerImpl::halted(GroupContext& c, RunResult& r, std::unique_ptr<Halt> halt) {
  c.native.end();
  r.state = RunResult::State::halted;
  r.halt = std::move(halt);
  return false;
}

bool WorkerImpl::execute_native(GroupContext& c, RunResult& r) {
  Group& g = c.group;
  NativeGroup& n = c.native;
  uint64_t started = 0;
  std::unique_ptr<Halt> halt;
  auto look = [&](bool waits) {   // true: it is time for others
    uint64_t now = __builtin_ia32_rdtsc();
    if (!started) started = now;
    if (c.waited && !waits) c.spin.restart();   // what it waited for has come: the next wait is another one
    c.waited = waits;
    if (waits) n.calm();
    return waits || now - started >= (g.slept ? kSleepSlice : kWorkSlice);
  };
  for (;;) {
    GuestFault fault = n.run();
    native_executed_ += std::exchange(n.context.instructions, 0);
    if (__builtin_expect(fault.happened, 0)) return halted(c, r, native_fault(c, fault));
    switch (n.stopped()) {
    case NativeGroup::Stop::finished:
      n.finish();
      r.state = RunResult::State::finished;
      return true;
    case NativeGroup::Stop::turn: break;
    case NativeGroup::Stop::look:
      if (look(c.spin.unchanged(g.wave_count, n))) return park(c, r);
      break;
    case NativeGroup::Stop::jump:
      if ((halt = native_jump(c))) return halted(c, r, std::move(halt));
      if (n.context.budget >= 0) break;   // only a place where it has not been
      g.current = next_runnable(g.current);
      if (n.due() && look(c.spin.unchanged(g.wave_count, n))) return park(c, r);
      break;
    case NativeGroup::Stop::interpret:
      if ((halt = native_interpret(c))) return halted(c, r, std::move(halt));
      break;
    case NativeGroup::Stop::interpreted:
      if ((halt = interpreted_turn(c))) return halted(c, r, std::move(halt));
      if (g.alive == 0) {
        n.finish();
        r.state = RunResult::State::finished;
        return true;
      }
      if (g.exit == Exit::yield && n.due() && look(c.spin.unchanged(g.wave_count, n))) return park(c, r);
      break;
    case NativeGroup::Stop::halt: return halted(c, r, native_halt(c));
    }
  }
}

// ---------------------------------------------------------------- in the middle of the work

namespace {

UnitKey key_at(const GroupContext& c, uint64_t pc, uint32_t mode) {
  UnitKey key;
  key.entry = pc;
  key.mode = mode;
  key.waves = c.dispatch->launch.waves;
  key.lds_bytes = c.group.lds_bytes;
  return key;
}

/// The guest address at which a wave stands between two instructions, or 0.
uint64_t standing_at(const GroupContext& c, const Wave* w) {
  if (w->pc == &kPendingOp) return w->jump_target;
  const Code* code = c.code_of(w->pc);
  if (!code) return 0;
  const uint64_t pc = code->pc(w->pc);
  return code->at(pc, true) == w->pc || code->at(pc, false) == w->pc ? pc : 0;
}

/// Loops in which groups of one kernel are met while they are interpreted; more are not worth a compilation each.
constexpr size_t kMostMeetings = 4;

} // namespace

bool WorkerImpl::hand_over(GroupContext& c) {
  interpreted(c);
  auto& start = c.dispatch->native[c.whole_ids];
  if (engine_.mode() != ExecMode::automatic || start->state() == NativeUnit::State::interpreted || start->state() == NativeUnit::State::failed) return false;
  Group& g = c.group;
  if (g.refetch || c.native.active()) return false;
  const bool together = g.current->convoy == g.alive;
  struct Place {
    uint64_t pc;
    uint32_t mode;
    std::shared_ptr<NativeUnit> unit;
    std::shared_ptr<const Code> code;
    uint32_t at;
  };
  std::vector<Place> places;
  std::array<uint8_t, kMaxWaves> which{};
  bool ready = true;
  for (uint32_t i = 0; i < g.wave_count; ++i) {
    Wave* w = c.wave(i);
    if (w->state == WaveState::ended) continue;
    const uint64_t pc = standing_at(c, together ? g.current : w);
    if (!pc) return false;
    auto known = std::find_if(places.begin(), places.end(), [&](const Place& p) { return p.pc == pc && p.mode == w->mode; });
    which[i] = static_cast<uint8_t>(known - places.begin());
    if (known != places.end()) continue;
    if (places.size() == kMostMeetings) return false;
    Place p{pc, w->mode, nullptr, nullptr, 0};
    p.code = code_of(engine_, c, pc, w->mode);
    if (!p.code) return false;
    const UnitKey key = key_at(c, pc, w->mode);
    p.unit = p.code->native->entered(key, p.code->begin, p.at);
    if (!p.unit) {
      ready = false;
      if (auto unit = p.code->native->size() > kMostMeetings + 2 ? nullptr : engine_.unit(key, p.code)) NativeCompiler::instance().enqueue(unit, true);
      else return false;
    }
    places.push_back(std::move(p));
  }
  if (!ready) return false;
  NativeGroup& n = c.native;
  n.end();
  n.level = &engine_.level();
  n.take_over(g);
  for (uint32_t i = 0; i < g.wave_count; ++i) {
    Wave* w = c.wave(i);
    const Place& p = places[which[i]];
    if (w->state != WaveState::ended) n.send(w, p.unit, p.code->begin, p.at);
  }
  if (g.current->state != WaveState::running) g.current = next_runnable(g.current);
  return true;
}

// ---------------------------------------------------------------- other code

namespace {

/// Where native code would go on that isn't there: as the interpreter reports it.
std::unique_ptr<Halt> fetch_halt(GroupContext& c) {
  c.group.halt_reason = Halt::Reason::memory_fault;
  c.group.halt_op = &kPendingOp;   // of no code: the wave's jump target is reported
  c.group.halt_text = "instruction fetch";
  return make_halt(c);
}

} // namespace

std::unique_ptr<Halt> WorkerImpl::native_jump(GroupContext& c) {
  Group& g = c.group;
  Wave* w = g.current;
  set_wave_mode(w, w->mode);
  auto code = code_of(engine_, c, w->jump_target, w->mode);
  if (!code) return fetch_halt(c);
  if (only_interpreted(*code, static_cast<uint32_t>((w->jump_target - code->begin) / 4))) return native_interpret(c);
  const UnitKey key = key_at(c, w->jump_target, w->mode);
  uint32_t at = 0;
  auto unit = code->native->entered(key, code->begin, at);
  if (!unit) {
    unit = engine_.unit(key, code);
    if (engine_.mode() == ExecMode::automatic || !unit) {
      if (unit) NativeCompiler::instance().enqueue(unit, true);
      w->pc = code->at(key.entry, w->exec() == ~uint64_t{0});
      c.native.send_to_interpreter(w);
      return nullptr;
    }
    if (auto s = NativeCompiler::instance().compile(*unit); !s.ok()) {
      auto h = std::make_unique<Halt>();
      h->reason = Halt::Reason::not_implemented;
      h->pc = key.entry;
      h->wave = w->index;
      h->group = g.id;
      h->text = failure_text(s, h->pc);
      return h;
    }
  }
  c.native.send(w, unit, code->begin, at);
  return nullptr;
}

std::unique_ptr<Halt> WorkerImpl::native_interpret(GroupContext& c) {
  Group& g = c.group;
  Wave* w = g.current;
  auto code = code_of(engine_, c, w->jump_target, w->mode);
  if (!code) return fetch_halt(c);
  const auto dword = static_cast<uint32_t>((w->jump_target - code->begin) / 4);
  auto inst = isa::decode(code->traits.target, code->words.data() + dword, code->words.size() - dword);
  const uint64_t next = w->jump_target + (inst ? inst->size : 4);
  if (inst && has(isa::row_meta(inst->row).flags, isa::Branch | isa::EndProgram | isa::Barrier)) {   // it goes where its operation goes
    w->pc = code->at(w->jump_target, w->exec() == ~uint64_t{0});
    c.native.send_to_interpreter(w);
    return nullptr;
  }
  w->pc = c.native.step(*code, dword).op(0, w->exec() == ~uint64_t{0});
  g.exit = Exit::none;
  g.budget = 0;
  g.memory_wave = nullptr;
  load_mode(&g, w);
  GuestFault fault = call_guarded([](void* p) {
    auto* wave = static_cast<Wave*>(p);
    wave->pc->fn(wave->pc, wave->base());
    _mm256_zeroupper();
  }, w);
  if (fault.happened) return native_fault(c, fault);
  if (g.exit == Exit::halt) return native_halt(c);
  const bool jumps = g.exit == Exit::lookup || (g.exit == Exit::yield && w->pc == &kPendingOp);
  if (g.refetch) c.native.forget_jumps();
  if (!jumps) w->jump_target = next;
  return native_jump(c);
}

/// One turn of a wave that is interpreted among others that need not be: their pc is an operation that only returns, so that the
/// interpreter's own turns come back here.
std::unique_ptr<Halt> WorkerImpl::interpreted_turn(GroupContext& c) {
  constexpr int64_t kBackEdges = 256;
  Group& g = c.group;
  g.exit = Exit::none;
  g.budget = kBackEdges;
  g.memory_wave = nullptr;
  load_mode(&g, g.current);
  GuestFault fault = call_guarded([](void* p) {
    auto* group = static_cast<Group*>(p);
    group->current->pc->fn(group->current->pc, group->current->base());
    _mm256_zeroupper();
  }, &g);
  if (fault.happened) return native_fault(c, fault);
  Wave* w = g.current;
  auto code_here = [&] {   // for its MODE, which has changed
    const Code* old = c.code_of(w->pc);
    return old ? code_of(engine_, c, old->pc(w->pc), w->mode) : nullptr;
  };
  auto alone = [&] {   // a barrier may have made a convoy of them, if none is native
    if (w->convoy == 1) return;
    for (uint32_t i = 0; i < g.wave_count; ++i) c.wave(i)->pc = w->pc == &kPendingOp ? &kPendingOp : stream_for(w->pc, c.wave(i));
    dissolve(&g);
  };
  switch (g.exit) {
  case Exit::none: case Exit::finished: break;
  case Exit::halt: return native_halt(c);
  case Exit::lookup:
    w->pc = &kPendingOp;
    alone();
    return native_jump(c);
  case Exit::mode_split: {
    alone();
    auto code = code_here();
    if (!code) return fetch_halt(c);
    const uint64_t pc = c.code_of(w->pc)->pc(w->pc);
    w->pc = code->at(pc, w->exec() == ~uint64_t{0});
    break;
  }
  case Exit::yield: {
    alone();
    uint32_t at = 0;
    const uint64_t pc = standing_at(c, w);
    auto code = pc ? code_of(engine_, c, pc, w->mode) : nullptr;
    auto unit = code ? code->native->entered(key_at(c, pc, w->mode), code->begin, at) : nullptr;
    if (unit) c.native.send(w, unit, code->begin, at);
    g.current = next_runnable(w);
    break;
  }
  }
  return nullptr;
}

// ---------------------------------------------------------------- reports

namespace {

/// Operations of single steps were copied: reports know the originals.
const Op* original(const NativeGroup& n, const Op* o) {
  const Steps* s = o ? n.steps_with(o) : nullptr;
  return s ? s->original(o) : o;
}

} // namespace

std::unique_ptr<Halt> WorkerImpl::native_halt(GroupContext& c) {
  c.group.halt_op = original(c.native, c.group.halt_op);
  return make_halt(c);
}

std::unique_ptr<Halt> WorkerImpl::native_fault(GroupContext& c, const GuestFault& fault) {
  Group& g = c.group;
  auto h = std::make_unique<Halt>();
  h->reason = Halt::Reason::memory_fault;
  h->group = g.id;
  h->wave = g.current->index;
  h->address = fault.address;
  h->is_write = fault.is_write;
  const NativeCode* native = c.native.code_at(fault.host_pc);
  if (fault.address_known && c.native.on_guard_page(fault.address)) {
    h->reason = Halt::Reason::stack_overflow;
    h->text = fmt::format("the stack of native code is too small (workgroup {},{},{}, wave {})", g.id[0], g.id[1], g.id[2], h->wave);
    return h;
  }
  if (!native) {   // in an operation of the interpreter
    if (Wave* w = g.memory_wave; w) w->cur = original(c.native, w->cur);
    locate_fault(c, fault.address, fault.address_known, fault.is_write, *h);
    return h;
  }
  int64_t dword = native->guest_of(fault.host_pc);
  h->pc = dword < 0 ? 0 : c.native.wave(h->wave).code + 4 * static_cast<uint64_t>(dword);
  std::string name = "native code";
  for (auto& code : c.codes) {
    if (!code->at(h->pc, true)) continue;
    const size_t at = (h->pc - code->begin) / 4;
    auto inst = isa::decode(code->traits.target, code->words.data() + at, code->words.size() - at);
    if (!inst) break;
    const isa::Meta& m = isa::row_meta(inst->row);
    name = m.name_on(g.target);
    if (!fault.address_known) h->is_write = has(m.flags, isa::Store) && !has(m.flags, isa::Load);
    break;
  }
  h->text = fmt::format("{} {} 0x{:x} at 0x{:x} (workgroup {},{},{}, wave {})", name, h->is_write ? "writes" : "reads", h->address, h->pc, g.id[0],
                        g.id[1], g.id[2], h->wave);
  return h;
}

} // namespace bz::exec
