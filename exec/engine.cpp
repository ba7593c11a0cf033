#include "exec/engine_impl.hpp"
#include "exec/fault.hpp"
#include "exec/interp/control_ops.hpp"
#include "exec/level_choice.hpp"
#include "exec/schedule.hpp"
#include "exec/trace.hpp"
#include "base/environment.hpp"
#include "base/log.hpp"

#include <immintrin.h>
#include <sys/mman.h>

#include <algorithm>
#include <cstdlib>
#include <cstring>

namespace bz::exec {
namespace {

/// Back edges between two looks: as many as kLook takes.
constexpr int64_t kLeastQuota = 4, kMostQuota = 4096;

} // namespace

// ---------------------------------------------------------------- workgroup context

GroupContext::GroupContext() {
  size_t bytes = size_t{kMaxWaves} * layout::kStride;
  void* p = mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (p == MAP_FAILED) throw std::bad_alloc();
  blocks_ = static_cast<char*>(p);
}
GroupContext::~GroupContext() {
  munmap(blocks_, size_t{kMaxWaves} * layout::kStride);
  if (scratch_) munmap(scratch_, scratch_size_);
}

void GroupContext::need_constants(uint32_t waves, const Code& code) {
  for (; scalars_ready_ < waves; ++scalars_ready_) {
    char* base = wave(scalars_ready_)->base() + layout::kConst;
    for (unsigned i = 0; i < layout::kConstCount; ++i) {
      uint64_t v = constant_value(i);
      std::memcpy(base + 8 * i, &v, 8);
    }
  }
  if (rows_waves_ < waves) rows_ready_.reset();   // new waves have none
  auto missing = code.const_rows & ~rows_ready_;
  if (missing.none() && rows_waves_ >= waves) return;
  rows_waves_ = std::max(rows_waves_, waves);
  for (uint32_t w = 0; w < rows_waves_; ++w)
    for (unsigned i = 0; i < layout::kConstCount; ++i)
      if (missing[i]) std::fill_n(reinterpret_cast<uint32_t*>(wave(w)->base() + layout::kConstRow + layout::kRow * i), 64, static_cast<uint32_t>(constant_value(i)));
  rows_ready_ |= missing;
}

void GroupContext::add_code(const std::shared_ptr<const Code>& code) {
  need_constants(std::max(group.wave_count, rows_waves_), *code);
  if (std::find(codes.begin(), codes.end(), code) == codes.end()) codes.push_back(code);
}
const Code* GroupContext::code_of(const Op* o) const {
  for (auto& c : codes)
    if (c->contains(o)) return c.get();
  return nullptr;
}

void GroupContext::use_coverage(uint64_t* coverage) {
  for (uint32_t i = 0; i < dispatch->launch.waves; ++i) wave(i)->coverage = coverage;
}

/// What all groups of a dispatch share.
void GroupContext::place(const std::shared_ptr<DispatchImpl>& d, uint64_t* coverage) {
  const Launch& l = d->launch;
  Group& g = group;
  quota = kFirstQuota;
  codes.assign(1, d->code);
  std::memset(g.jumps, 0, sizeof g.jumps);
  size_t scratch = size_t{l.scratch_bytes} * 64 * l.waves;
  if (scratch > scratch_size_) {
    if (scratch_) munmap(scratch_, scratch_size_);
    scratch_size_ = (scratch + 0xffff) & ~size_t{0xffff};
    void* p = mmap(nullptr, scratch_size_, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (p == MAP_FAILED) throw std::bad_alloc();
    scratch_ = static_cast<char*>(p);
  }
  // At a cache line: rows go by lines. And one line more, for loads of whole vectors at the end.
  lds_.resize(std::max<size_t>(lds_.size(), l.info.group_bytes / 64 + 2));
  g.lds = reinterpret_cast<uint8_t*>(lds_.data());
  g.lds_bytes = l.info.group_bytes;
  g.vgprs = l.vgprs;
  g.target = l.target;
  g.head = wave(0);
  need_constants(l.waves, *d->code);
  for (uint32_t i = 0; i < l.waves; ++i) place_wave(l, g, wave(i), i, scratch_);
  dispatch = d;
  use_coverage(coverage);
}

void GroupContext::start(const std::shared_ptr<DispatchImpl>& d, uint64_t index, uint64_t* coverage) {
  const Launch& l = d->launch;
  Group& g = group;
  const bool fresh = dispatch != d;
  if (fresh) place(d, coverage);
  if (fresh || index != index_ + 1) {
    g.id = {static_cast<uint32_t>(index % l.groups[0]), static_cast<uint32_t>(index / l.groups[0] % l.groups[1]),
            static_cast<uint32_t>(index / l.groups[0] / l.groups[1])};
  } else if (++g.id[0] == l.groups[0]) {   // the usual case, without divisions
    g.id[0] = 0;
    if (++g.id[1] == l.groups[1]) g.id[1] = 0, ++g.id[2];
  }
  index_ = index;
  std::array<uint32_t, 3> extent{};
  uint32_t total = l.lanes;
  whole_ids = true;
  if (__builtin_expect(l.ragged, 0)) {
    extent = group_extent(l, g.id);
    total = extent[0] * extent[1] * extent[2];
    whole_ids = numbered_as_whole(l, extent);
  }
  g.wave_count = g.alive = (total + 63) / 64;
  g.exit = Exit::none;
  g.arrived = 0;
  g.slept = false;
  g.refetch = false;
  g.split_mode = l.traits.split_mode;
  g.current = g.head;
  g.halt_op = nullptr;
  g.halt_lane = -1;
  g.halt_text = nullptr;
  spin.restart();
  waited = false;

  const uint32_t last = g.wave_count - 1;
  for (uint32_t i = 0; i <= last; ++i) {
    Wave* w = wave(i);
    init_wave(l, g, w, extent);
    w->next = wave(i == last ? 0 : i + 1);
    w->prev = wave(i == 0 ? last : i - 1);
    w->span = layout::kStride;
    w->convoy = 1;
  }
  Wave* head = g.head;
  head->span = uint64_t{layout::kStride} * g.wave_count;
  head->convoy = g.wave_count;
  head->pc = total % 64 == 0 ? d->code->full : d->code->masked;
}

// ---------------------------------------------------------------- worker

namespace {

struct ParkedImpl final : ParkedGroup {
  std::unique_ptr<GroupContext> context;
  std::shared_ptr<Dispatch> owner;
  uint64_t next = 0;
  const std::shared_ptr<Dispatch>& dispatch() const override { return owner; }
};

void enter(void* p) {
  auto* g = static_cast<Group*>(p);
  Wave* w = g->current;
  w->pc->fn(w->pc, w->base());
  _mm256_zeroupper();
}

} // namespace

WorkerImpl::WorkerImpl(EngineImpl& engine) : engine_(engine), coverage_(isa::row_count()) { engine_.rows().begin(coverage_); }
WorkerImpl::~WorkerImpl() {
  if (context_) engine_.give_context(std::move(context_));
  engine_.rows().end(coverage_);
}

namespace {

/// MXCSR is the host's again at the end; in between waves load theirs.
class HostMode {
public:
  explicit HostMode(Group& g) { g.loaded_mxcsr = 0; }   // not a value of ours: loaded at once
  ~HostMode() { _mm_setcsr(mxcsr_); }
  HostMode(const HostMode&) = delete;
  HostMode& operator=(const HostMode&) = delete;

private:
  uint32_t mxcsr_ = _mm_getcsr();
};

} // namespace

RunResult WorkerImpl::run(const std::shared_ptr<Dispatch>& dispatch, uint64_t first, uint64_t count) {
  auto d = std::static_pointer_cast<DispatchImpl>(dispatch);
  RunResult r;
  uint64_t before = executed();
  r.next = first;
  const bool may = d->native[0] || d->native[1];
  if (may) ticked_ = __builtin_ia32_rdtsc();
  if (!context_) context_ = engine_.take_context();
  GroupContext& c = *context_;
  HostMode host(c.group);
  for (uint64_t end = first + count; r.next < end;) {
    c.start(d, r.next++, coverage_.data());
    if (__builtin_expect(may, 0)) {
      if (auto& unit = d->native[c.whole_ids]; unit && (unit->ready() || engine_.mode() == ExecMode::jit)) {
        if (!begin_native(c, unit, r) || !execute_native(c, r)) break;
        continue;
      }
      if (r.next % 64 == 0) interpreted(c);   // there may be thousands
    }
    if (!execute(c, r)) break;
  }
  if (may && context_) interpreted(c);   // else the group went away, and said it itself
  account(r, before);
  return r;
}

RunResult WorkerImpl::resume(std::unique_ptr<ParkedGroup> group) {
  std::unique_ptr<ParkedImpl> parked(static_cast<ParkedImpl*>(group.release()));
  RunResult r;
  uint64_t before = executed();
  if (context_) engine_.give_context(std::move(context_));
  context_ = std::move(parked->context);
  r.next = parked->next;
  context_->use_coverage(coverage_.data());
  HostMode host(context_->group);
  if (context_->native.active()) {
    execute_native(*context_, r);
  } else {
    ticked_ = __builtin_ia32_rdtsc();
    execute(*context_, r);
  }
  account(r, before);
  return r;
}

/// What was executed since `before`, for the caller and the engine.
void WorkerImpl::account(RunResult& r, uint64_t before) {
  r.instructions = executed() - before;
  if (r.instructions || native_executed_) engine_.stats().add(native_executed_, r.instructions);
  r.instructions += std::exchange(native_executed_, 0);
}

uint64_t WorkerImpl::executed() const {
  uint64_t sum = 0;
  if (engine_.config().count_rows)
    for (uint64_t x : coverage_) sum += x;
  return sum;
}

namespace {

/// The unit for a group that somebody has set up in the middle of nowhere.
UnitKey machine_key(GroupContext& c) {
  UnitKey k;
  k.entry = c.dispatch->code->begin;
  k.mode = c.wave(0)->mode;
  k.waves = c.group.wave_count;
  k.lds_bytes = c.group.lds_bytes;
  return k;
}

} // namespace

RunResult WorkerImpl::run_context(std::unique_ptr<GroupContext>& context) {
  RunResult r;
  context_ = std::move(context);
  GroupContext& c = *context_;
  HostMode host(c.group);
  ticked_ = __builtin_ia32_rdtsc();
  uint64_t before = executed();
  if (auto unit = engine_.mode() == ExecMode::jit ? engine_.unit(machine_key(c), c.dispatch->code) : nullptr) {
    if (begin_native(c, unit, r)) execute_native(c, r);
  } else {
    execute(c, r);
  }
  account(r, before);
  context = r.parked ? std::move(static_cast<ParkedImpl&>(*r.parked).context) : std::move(context_);
  return r;
}

/// Runs the group on: true if it finished. Otherwise r says parked or halted.
bool WorkerImpl::execute(GroupContext& c, RunResult& r) {
  Group& g = c.group;
  uint64_t started = 0, looked = 0;   // reading the clock is dear: begins with the first look
  g.budget = c.quota;
  for (;;) {
    g.exit = Exit::none;
    load_mode(&g, g.current);
    g.memory_wave = nullptr;
    GuestFault fault = call_guarded(enter, &g);
    if (__builtin_expect(fault.happened, 0)) {
      r.state = RunResult::State::halted;
      r.halt = make_halt(c);
      locate_fault(c, fault.address, fault.address_known, fault.is_write, *r.halt);
      return false;
    }
    switch (g.exit) {
    case Exit::finished: r.state = RunResult::State::finished; return true;
    case Exit::yield: {
      uint64_t now = __builtin_ia32_rdtsc();
      if (!started) started = now;
      else if (now - looked < kLook) c.quota = std::min(2 * c.quota, kMostQuota);
      else if (now - looked > 4 * kLook) c.quota = std::max(c.quota / 4, kLeastQuota);
      looked = now;
      g.budget = c.quota;
      if (g.current->convoy != g.alive) g.current = next_runnable(g.current);
      bool waits = c.spin.unchanged(g, c.dispatch->launch.vgprs);
      if (c.waited && !waits) c.spin.restart();   // what it waited for has come: the next wait is another one
      c.waited = waits;
      if (c.dispatch->native[c.whole_ids] && !waits && hand_over(c)) return execute_native(c, r);
      if (!waits && now - started < (g.slept ? kSleepSlice : kWorkSlice)) break;
      if (waits) c.quota = kFirstQuota;
      if (c.dispatch->native[c.whole_ids]) interpreted(c);
      return park(c, r);
    }
    case Exit::lookup:
      if (!look_up(c)) return halted(c, r);
      break;
    case Exit::mode_split:
      if (!split_mode(c)) return halted(c, r);
      break;
    case Exit::halt: return halted(c, r);
    case Exit::none: return halted(c, r);   // a handler returned without saying why: halt_op is null
    }
  }
}
/// The group waits for its next turn, in any worker.
bool WorkerImpl::park(GroupContext& c, RunResult& r) {
  c.group.slept = false;
  auto parked = std::make_unique<ParkedImpl>();
  parked->owner = c.dispatch;
  parked->next = r.next;
  parked->context = std::move(context_);
  r.state = RunResult::State::parked;
  r.parked = std::move(parked);
  return false;
}

bool WorkerImpl::halted(GroupContext& c, RunResult& r) {
  r.state = RunResult::State::halted;
  r.halt = make_halt(c);
  return false;
}

/// Finds or decodes the code at the current wave's jump target and sends it there.
bool WorkerImpl::look_up(GroupContext& c) {
  Group& g = c.group;
  Wave* w = g.current;
  uint64_t pc = w->jump_target;
  const Op *full = nullptr, *masked = nullptr;
  CodeTraits traits = c.dispatch->launch.traits;
  traits.split_mode = g.split_mode;
  for (auto& code : c.codes) {
    if (!(code->traits == traits) || !code->at(pc, true)) continue;
    if (g.refetch && !same_code(code->begin, code->words)) continue;
    full = code->at(pc, true);
    masked = code->at(pc, false);
    break;
  }
  if (!full || !masked) {
    auto code = engine_.code_with(pc, traits);
    if (!code) {
      g.halt_reason = Halt::Reason::memory_fault;
      g.halt_op = w->pc;
      g.halt_text = "instruction fetch";
      return false;
    }
    c.add_code(*code);
    full = (*code)->at(pc, true);
    masked = (*code)->at(pc, false);
  }
  g.jumps[jump_slot(pc)] = {pc, full, masked};
  uint64_t all = ~uint64_t{0};
  for (char *b = w->base(), *end = b + w->span; b != end; b += layout::kStride) all &= reinterpret_cast<Wave*>(b)->exec();
  w->pc = all == ~uint64_t{0} ? full : masked;
  return true;
}

/// MODE has come to differ between its halves: every wave moves to code that is decoded for it.
bool WorkerImpl::split_mode(GroupContext& c) {
  Group& g = c.group;
  g.split_mode = true;
  std::memset(g.jumps, 0, sizeof g.jumps);
  CodeTraits traits = c.dispatch->launch.traits;
  traits.split_mode = true;
  for (uint32_t i = 0; i < g.wave_count; ++i) {
    Wave* w = c.wave(i);
    bool runs = w->state != WaveState::ended && (g.head->convoy == 1 || i == 0);
    if (!runs || w->pc == &kPendingOp) continue;
    const Code* old = c.code_of(w->pc);
    auto code = engine_.code_at(old->begin, traits);
    if (!code) return false;
    bool in_full = w->pc->twin > 0;
    uint64_t pc = old->pc(w->pc);
    c.add_code(*code);
    w->pc = (*code)->at(pc, in_full);
    if (!w->pc) return false;
  }
  return true;
}


// ---------------------------------------------------------------- engine

EngineImpl::EngineImpl(EngineConfig config, const Level& level, ExecMode mode, std::shared_ptr<const NativeSettings> settings)
    : config_(std::move(config)), level_(level), mode_(mode), settings_(std::move(settings)), share_(config_.target), rows_(config_.target) {}
EngineImpl::~EngineImpl() = default;

std::string EngineImpl::description() const {
  constexpr const char* kModes[] = {"interpreter, ", "native code, ", "interpreter and native code, "};
  return std::string(kModes[static_cast<int>(mode_)]) + level_.name;
}

std::unique_ptr<Worker> EngineImpl::make_worker() { return std::make_unique<WorkerImpl>(*this); }

std::shared_ptr<const Code> EngineImpl::known_code(uint64_t pc, const CodeTraits& traits, bool begins_there) {
  std::lock_guard lock(mutex_);
  for (auto it = codes_.upper_bound(pc); it != codes_.begin();) {
    --it;
    if (begins_there && it->first != pc) break;
    if (!(it->second->traits == traits) || !it->second->at(pc, true)) continue;
    if (same_code(it->second->begin, it->second->words)) return it->second;
    it = codes_.erase(it);   // rewritten in place
  }
  return nullptr;
}

Expected<std::shared_ptr<const Code>> EngineImpl::code_at(uint64_t entry, const CodeTraits& traits) {
  if (auto known = known_code(entry, traits, true)) return known;
  BZ_TRY_ASSIGN(auto code, decode_code(level_, traits, entry));
  log("exec", bz::Level::debug, "decoded code at 0x{:x}: {} bytes, {} operations", entry, code->end - code->begin, code->count);
  if (mode_ != ExecMode::interpreter) code->native = std::make_shared<NativeUnits>();
  std::lock_guard lock(mutex_);
  codes_.emplace(entry, code);
  return std::shared_ptr<const Code>(std::move(code));
}

Expected<std::shared_ptr<const Code>> EngineImpl::code_with(uint64_t pc, const CodeTraits& traits) {
  if (auto known = known_code(pc, traits, false)) return known;
  return code_at(pc, traits);
}

void EngineImpl::forget_code(uint64_t begin, uint64_t end) {
  std::lock_guard lock(mutex_);
  for (auto it = codes_.begin(); it != codes_.end();)
    it = it->second->begin < end && it->second->end > begin ? codes_.erase(it) : std::next(it);
}

std::unique_ptr<GroupContext> EngineImpl::take_context() {
  std::lock_guard lock(mutex_);
  if (contexts_.empty()) {
    auto fresh = std::make_unique<GroupContext>();
    fresh->group.share = &share_;
    fresh->group.hooks = config_.hooks;
    return fresh;
  }
  auto c = std::move(contexts_.back());
  contexts_.pop_back();
  return c;
}
void EngineImpl::give_context(std::unique_ptr<GroupContext> c) {
  c->native.end();
  c->dispatch.reset();
  c->codes.clear();
  std::lock_guard lock(mutex_);
  contexts_.push_back(std::move(c));
}

Expected<std::shared_ptr<Dispatch>> EngineImpl::prepare(const DispatchInfo& info) {
  auto d = std::make_shared<DispatchImpl>();
  BZ_TRY_ASSIGN(d->launch, make_launch(config_, info));
  BZ_TRY_ASSIGN(d->code, code_at(d->launch.entry, d->launch.traits));
  d->per_cu = exec::groups_per_cu(config_, d->launch);
  if (mode_ != ExecMode::interpreter) BZ_TRY(prepare_native(*d));
  return std::shared_ptr<Dispatch>(std::move(d));
}

Expected<bool> choose_avx512(std::string_view asked) {
  __builtin_cpu_init();
  if (!__builtin_cpu_supports("x86-64-v3"))
    return error(bz::Code::invalid_argument, "this CPU lacks x86-64-v3 (AVX2, FMA, BMI2); Boltzmann needs at least that");
  bool has512 = __builtin_cpu_supports("x86-64-v4");
  const std::string named = environment("BZ_SIMD");
  std::string_view simd = named.empty() ? asked : named;
  if (!simd.empty() && simd != "avx512" && simd != "avx2")
    return error(bz::Code::invalid_argument, "BZ_SIMD is avx512 or avx2, or empty for the best that the CPU has, not \"{}\"", simd);
  if (simd == "avx512" && !has512)
    return error(bz::Code::invalid_argument, "BZ_SIMD=avx512, but this CPU has no AVX-512 (x86-64-v4); avx2 is the other level");
  return has512 && simd != "avx2";
}

namespace {

/// What configuration and environment ask for.
struct Choice {
  bool avx512 = false;
  ExecMode mode = ExecMode::interpreter;
  std::shared_ptr<const NativeSettings> settings;
};

Expected<Choice> choose(const EngineConfig& config) {
  Choice c;
  BZ_TRY_ASSIGN(c.avx512, choose_avx512(config.simd));
  BZ_TRY_ASSIGN(c.mode, choose_exec_mode(config.exec));
  // These look at single operations.
  if (trace_wanted() || coverage_wanted()) {
    if (c.mode == ExecMode::jit)
      return error(bz::Code::invalid_argument, "BZ_EXEC=jit: {} shows what the interpreter does", trace_wanted() ? "BZ_TRACE" : "BZ_COVERAGE");
    c.mode = ExecMode::interpreter;
  }
  if (c.mode == ExecMode::jit)
    if (auto s = NativeCompiler::instance().available(); !s.ok()) return error(s.code(), "BZ_EXEC=jit: {}", s.message());
  BZ_TRY_ASSIGN(c.settings, native_settings(c.avx512, config.count_rows || coverage_wanted() || stats_wanted()));
  return c;
}

} // namespace

Status check_engine_environment() {
  BZ_TRY(choose({}));
  return {};
}

Expected<std::unique_ptr<Engine>> Engine::create(const EngineConfig& config) {
  BZ_TRY_ASSIGN(Choice choice, choose(config));
  EngineConfig c = config;
  c.count_rows = choice.settings->count;
  const exec::Level& level = choice.avx512 ? level_avx512() : level_avx2();
  return std::unique_ptr<Engine>(std::make_unique<EngineImpl>(std::move(c), level, choice.mode, std::move(choice.settings)));
}

} // namespace bz::exec
