#include "exec/native/group.hpp"
#include "exec/interp/control_ops.hpp"
#include "exec/native/entry.hpp"
#include "exec/native/matrix.hpp"
#include "exec/schedule.hpp"

#include <algorithm>
#include <cstring>
#include <utility>
#include <immintrin.h>

namespace bz::exec {
namespace {

/// TSC ticks between two looks, and of one wave's turn among others: these may wait for each other.
constexpr uint64_t kLook = 50'000, kTurn = 4'000;
constexpr int64_t kLeastQuota = 4, kMostQuota = 1 << 20;
/// For helpers, the interpreter's operations in outcalls, and a signal's frame with all registers.
constexpr size_t kStackRest = 48 * 1024;

/// Everybody has arrived.
void release(Group& g) {
  g.arrived = 0;
  Wave* first = g.current;
  Wave* w = first;
  do {
    w->state = WaveState::running;
    w = w->next;
  } while (w != first);
}

/// The operation went as far as it could: true if the instruction is done, false if it is still waiting.
enum class Outcome { done, waits, halts };
Outcome outcome(const Group& g) {
  switch (g.exit) {
  case Exit::none: case Exit::mode_split: return Outcome::done;   // what comes next is decoded for the new MODE anyway
  case Exit::yield: case Exit::lookup: case Exit::finished: return Outcome::waits;
  case Exit::halt: break;
  }
  return Outcome::halts;
}

} // namespace

} // namespace bz::exec

// NativeHelpers::yield: native code's own registers go onto the stack, and where they are is the fifth argument of
// bz_native_yield. So what the code holds, and only that, lies from there to the stack's top.
extern "C" {
__attribute__((visibility("hidden"))) void bz_native_yield_entry(bz::exec::NativeContext*, bz::exec::Wave*, bz::exec::YieldReason, uint32_t);
__attribute__((visibility("hidden"), used)) void bz_native_yield(bz::exec::NativeContext*, bz::exec::Wave*, bz::exec::YieldReason, uint32_t, const char* live);
}
asm(R"(
  .text
  .p2align 4
  .hidden bz_native_yield_entry
  .globl bz_native_yield_entry
  .type bz_native_yield_entry,@function
bz_native_yield_entry:
  pushq %rbp
  pushq %rbx
  pushq %r12
  pushq %r13
  pushq %r14
  pushq %r15
  movq %rsp, %r8
  subq $8, %rsp
  callq bz_native_yield
  addq $8, %rsp
  popq %r15
  popq %r14
  popq %r13
  popq %r12
  popq %rbx
  popq %rbp
  retq
  .size bz_native_yield_entry, .-bz_native_yield_entry
)");

namespace bz::exec {

// ---------------------------------------------------------------- what native code calls

struct NativeCalls {
  static NativeGroup& group_of(NativeContext* x) { return *static_cast<NativeGroup*>(x->runner); }

  static void yield(NativeContext* x, Wave* w, YieldReason why, const char* live) {
    NativeGroup& n = group_of(x);
    Group& g = *n.group_;
    n.waves_[w->index].live = live;
    if (why == YieldReason::barrier) {
      if (++g.arrived == g.alive) return release(g);   // and goes on itself
      w->state = WaveState::at_barrier;
      return n.pass(w, next_runnable(w));
    }
    if (why == YieldReason::sleep) g.slept = true;
    const uint64_t now = __builtin_ia32_rdtsc(), took = now - n.turned_, want = g.alive == 1 ? kLook : kTurn;
    if (why == YieldReason::back_edge && n.turned_) {
      if (took < want / 2) n.quota_ = std::min(2 * n.quota_, kMostQuota);
      else if (took > 2 * want) n.quota_ = std::max(n.quota_ / 2, kLeastQuota);
    }
    n.turned_ = now;
    x->budget = n.quota_;
    if (n.due(now)) {
      g.current = next_runnable(w);
      n.to_worker(w, NativeGroup::Stop::look);
    } else if (Wave* next = next_runnable(w); next != w) {
      n.pass(w, next);
    } else {
      return;
    }
    n.turned_ = __builtin_ia32_rdtsc();   // what the others did, and the switch, is not this wave's
  }

  static void outcall(NativeContext* x, Wave* w, uint32_t index) {
    NativeGroup& n = group_of(x);
    Group& g = *n.group_;
    const Steps& steps = n.waves_[w->index].native->outcalls();
    const Op* o = steps.op(index, w->exec() == ~uint64_t{0});
    for (;;) {
      g.exit = Exit::none;
      g.budget = 0;   // an operation that waits stops at once
      o->fn(o, w->base());
      if (__builtin_expect(g.exit == Exit::none, 1)) return;
      switch (outcome(g)) {
      case Outcome::done: return;
      case Outcome::halts:
        n.stop_ = NativeGroup::Stop::halt;
        leave_guarded(n.guard_);
      case Outcome::waits:
        o = w->pc;
        bz_native_yield_entry(x, w, YieldReason::sleep, 0);
      }
    }
  }

};

} // namespace bz::exec

void bz_native_outcall(bz::exec::NativeContext* x, bz::exec::Wave* w, uint32_t index) { bz::exec::NativeCalls::outcall(x, w, index); }
void bz_native_turn(bz::exec::NativeContext* x, bz::exec::Wave* w) { bz_native_yield_entry(x, w, bz::exec::YieldReason::back_edge, 0); }
void bz_native_yield(bz::exec::NativeContext* x, bz::exec::Wave* w, bz::exec::YieldReason why, uint32_t, const char* live) {
  bz::exec::NativeCalls::yield(x, w, why, live);
}

namespace bz::exec {

// ---------------------------------------------------------------- whose turn it is

/// Before native code there is nothing that a sanitizer could look at.
__attribute__((no_sanitize("function"))) NativeExit NativeGroup::enter(Wave* w) {
  NativeWave& n = waves_[w->index];
  context.code = n.code;
  return n.native->fn()(&context, w, n.entry);
}

void NativeGroup::take_stack(NativeWave& n) {
  if (free_.empty() || free_.back()->bytes() < stack_bytes_) {
    free_.clear();   // smaller ones are of no use for this group
    n.stack = std::make_unique<FiberStack>(stack_bytes_);
  } else {
    n.stack = std::move(free_.back());
    free_.pop_back();
  }
}
void NativeGroup::drop_stack(NativeWave& n) {
  if (n.stack) free_.push_back(std::move(n.stack));
}

/// `from`, which runs on a fiber, is suspended there; `to` has its turn.
void NativeGroup::pass(Wave* from, Wave* to) {
  Group& g = *group_;
  switch_to(&g, to);
  NativeWave &a = waves_[from->index], &b = waves_[to->index];
  if (b.stack) {
    fiber_switch(a.point, b.point);
  } else if (b.native) {
    take_stack(b);
    b.point = FiberPoint::on(*b.stack);
    fiber_start(a.point, b.point, [](void* p) { static_cast<NativeGroup*>(p)->fiber(); }, this);
  } else {
    to_worker(from, Stop::turn);
  }
}

void NativeGroup::to_worker(Wave* from, Stop why) {
  stop_ = why;
  fiber_switch(waves_[from->index].point, worker_);
}

/// The running fiber has nothing more to do: its stack is free from here on.
void NativeGroup::leave_to(Wave* next, Stop why) {
  stop_ = why;
  fiber_leave(next && waves_[next->index].stack ? waves_[next->index].point : worker_);
}

bool NativeGroup::ended(Wave* w) {
  Group& g = *group_;
  w->state = WaveState::ended;
  w->prev->next = w->next;
  w->next->prev = w->prev;
  if (--g.alive == 0) return false;
  g.current = w->next;
  if (g.arrived == g.alive) release(g);
  switch_to(&g, g.current->state == WaveState::running ? g.current : next_runnable(g.current));
  return true;
}

bool NativeGroup::due(uint64_t now) {
  if (!looked_) looked_ = now;
  // Everybody has had a turn.
  if (++turns_ < group_->alive || now - looked_ <= kLook) return false;
  looked_ = now;
  turns_ = 0;
  return true;
}

/// The wave goes on where such a jump went before, if it is no moment to look around.
bool NativeGroup::jumps(Wave* w) {
  const Jump& j = jumps_[jump_slot(w->jump_target)];
  if (j.pc != w->jump_target || j.mode != w->mode || !j.native || --context.budget < 0) return false;
  NativeWave& n = waves_[w->index];
  n.native = j.native;
  n.code = j.code;
  n.entry = j.entry;
  return true;
}

/// Runs at the bottom of each fiber: the current wave, then those that have not begun, on the same stack.
void NativeGroup::fiber() {
  Wave* w = group_->current;
  for (;;) {
    NativeExit exit = enter(w);
    if (exit == NativeExit::jump && jumps(w)) {
      if (waves_[w->index].stack->bytes() >= stack_bytes_) continue;
      drop_stack(waves_[w->index]);
      leave_to(nullptr, Stop::turn);
    }
    if (exit != NativeExit::ended) {
      drop_stack(waves_[w->index]);
      leave_to(nullptr, exit == NativeExit::jump ? Stop::jump : Stop::interpret);
    }
    auto stack = std::move(waves_[w->index].stack);
    bool more = ended(w);
    Wave* next = group_->current;
    if (more && !waves_[next->index].stack && waves_[next->index].native && stack->bytes() >= stack_bytes_) {
      waves_[next->index].stack = std::move(stack);
      waves_[next->index].point = waves_[w->index].point;
      w = next;
      continue;
    }
    free_.push_back(std::move(stack));
    leave_to(more ? next : nullptr, more ? Stop::turn : Stop::finished);
  }
}

/// On the worker's own stack: fibers, and the waves of code that never switches.
void NativeGroup::turns() {
  Group& g = *group_;
  do {
    stop_ = Stop::turn;
    Wave* w = g.current;
    load_mode(&g, w);
    NativeWave& n = waves_[w->index];
    if (!n.native) {
      stop_ = Stop::interpreted;
    } else if (n.stack) {
      on_fiber_ = true;
      fiber_switch(worker_, n.point);
      on_fiber_ = false;
    } else if (n.native->switches()) {
      take_stack(n);
      n.point = FiberPoint::on(*n.stack);
      on_fiber_ = true;
      fiber_start(worker_, n.point, [](void* p) { static_cast<NativeGroup*>(p)->fiber(); }, this);
      on_fiber_ = false;
    } else {
      NativeExit exit = enter(w);
      if (exit == NativeExit::jump && jumps(w)) continue;
      if (exit == NativeExit::ended) stop_ = ended(w) ? Stop::turn : Stop::finished;
      else stop_ = exit == NativeExit::jump ? Stop::jump : Stop::interpret;
    }
  } while (stop_ == Stop::turn);
}

GuestFault NativeGroup::run() {
  worker_ = FiberPoint::of_thread();
  context.budget = quota_;
  GuestFault fault = call_guarded(guard_, [](void* p) { static_cast<NativeGroup*>(p)->turns(); _mm256_zeroupper(); }, this);
  if (fault.happened || guard_.left) {
    if (std::exchange(on_fiber_, false)) fiber_landed(worker_);
    _mm256_zeroupper();
  }
  return fault;
}

// ---------------------------------------------------------------- beginning and end

void NativeGroup::need_stack(const NativeCode& native) { stack_bytes_ = std::max(stack_bytes_, native.image().stack_bytes + kStackRest); }

/// One table for each level, made when the program is built: groups begin often.
static const NativeHelpers& helpers_of(const Level& level) {
  static constexpr NativeHelpers k256{bz_native_yield_entry, bz_native_turn_256, bz_native_outcall_256, clock_100mhz, run_matrix_256};
  static constexpr NativeHelpers k512{bz_native_yield_entry, bz_native_turn_512, bz_native_outcall_512, clock_100mhz, run_matrix_512};
  return level.matrix == run_matrix_512 ? k512 : k256;
}

void NativeGroup::take_over(Group& g) {
  group_ = &g;
  active_ = true;
  looked_ = turned_ = 0;
  turns_ = 0;
  context.lds = g.lds;
  context.lds_bytes = g.lds_bytes;
  context.instructions = 0;
  context.helpers = &helpers_of(*level);
  context.group = &g;
  context.runner = this;
  std::memset(g.jumps, 0, sizeof g.jumps);   // interpreted waves look for native code at each jump
  dissolve(&g);
}

void NativeGroup::begin(Group& g, const std::shared_ptr<const NativeUnit>& unit, uint64_t code_begin) {
  if (unit != first_ || !others_.empty() || group_ != &g) {
    end();
    first_ = unit;
    need_stack(unit->native());
  }
  take_over(g);
  for (uint32_t i = 0; i < g.wave_count; ++i) {
    waves_[i].native = &unit->native();
    waves_[i].code = code_begin;
    waves_[i].entry = 0;
    reinterpret_cast<Wave*>(g.head->base() + size_t{i} * layout::kStride)->pc = &kReturnOp;
  }
}

void NativeGroup::send(Wave* w, const std::shared_ptr<const NativeUnit>& unit, uint64_t code_begin, uint32_t entry) {
  const NativeCode& native = unit->native();
  NativeWave& n = waves_[w->index];
  n.native = &native;
  n.code = code_begin;
  n.entry = entry;
  w->pc = &kReturnOp;
  if (unit != first_ && std::find(others_.begin(), others_.end(), unit) == others_.end()) others_.push_back(unit);
  need_stack(native);
  if (w->jump_target == code_begin + 4 * uint64_t{native.image().entries[entry]})
    jumps_[jump_slot(w->jump_target)] = {w->jump_target, w->mode, entry, &native, code_begin};
}

void NativeGroup::send_to_interpreter(Wave* w) { waves_[w->index].native = nullptr; }

void NativeGroup::end() {
  active_ = false;
  for (auto& n : waves_) {
    drop_stack(n);
    n.native = nullptr;
  }
  first_.reset();
  others_.clear();
  steps_.clear();
  jumps_ = {};
}

// ---------------------------------------------------------------- does it move

bool NativeGroup::runs(uint32_t i) const {
  return reinterpret_cast<const Wave*>(reinterpret_cast<const char*>(group_->head) + size_t{i} * layout::kStride)->state == WaveState::running;
}

uint64_t NativeGroup::place(uint32_t i) const {
  const NativeWave& n = waves_[i];
  auto* w = reinterpret_cast<const Wave*>(reinterpret_cast<const char*>(group_->head) + size_t{i} * layout::kStride);
  if (!n.stack) return mix(reinterpret_cast<uint64_t>(w->pc), w->sgpr, sizeof w->sgpr) | 1;   // has not begun, or is interpreted
  constexpr size_t kNear = 256;   // registers, the return address, the lower part of the frame
  return mix(1, n.live, std::min(kNear, static_cast<size_t>(n.stack->top() - n.live) & ~size_t{31})) | 1;
}

uint64_t NativeGroup::all(uint32_t i) const {
  const NativeWave& n = waves_[i];
  auto* w = reinterpret_cast<const Wave*>(reinterpret_cast<const char*>(group_->head) + size_t{i} * layout::kStride);
  uint64_t h = mix(w->scc, w->sgpr, sizeof w->sgpr);   // what outcalls leave there
  if (n.stack) h = mix(h, n.live, static_cast<size_t>(n.stack->top() - n.live) & ~size_t{31});
  return h | 1;
}

// ---------------------------------------------------------------- reports

const NativeCode* NativeGroup::code_at(uint64_t host_pc) const {
  if (first_ && first_->native().contains(host_pc)) return &first_->native();
  for (auto& u : others_)
    if (u->native().contains(host_pc)) return &u->native();
  return nullptr;
}

bool NativeGroup::on_guard_page(uint64_t address) const {
  return std::any_of(waves_.begin(), waves_.end(), [&](const NativeWave& n) { return n.stack && n.stack->guards(address); });
}

const Steps* NativeGroup::steps_with(const Op* o) const {
  if (first_ && first_->native().outcalls().contains(o)) return &first_->native().outcalls();
  for (auto& u : others_)
    if (u->native().outcalls().contains(o)) return &u->native().outcalls();
  for (auto& s : steps_)
    if (s->contains(o)) return s.get();
  return nullptr;
}

const Steps& NativeGroup::step(const Code& code, uint32_t dword) {
  return *steps_.emplace_back(std::make_unique<Steps>(code, std::span(&dword, 1)));
}

} // namespace bz::exec
