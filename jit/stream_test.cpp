// Random streams of instructions on the interpreter and natively, from the same state: registers, SCC, VCC, EXEC and memories
// must be the same afterwards. NaN payloads are excepted where several NaNs meet. A stream that shows a difference is made
// smaller for as long as it still shows one.
//   BZ_STREAM_SEED=7 BZ_STREAM_COUNT=1000 BZ_JIT_OFF=loops jit_stream_test --gtest_filter=*gfx942*
#include "base/environment.hpp"
#include "exec/judge/random.hpp"
#include "exec/testing/machine.hpp"
#include "isa/decode.hpp"
#include "jit/testing/stream.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <cstring>
#include <memory>

namespace {

using namespace bz;
using bz::exec::judge::Random;
using bz::exec::testing::Machine;
using isa::Target;
using namespace bz::jit::testing;

constexpr size_t kVgprs = 512;
constexpr uint32_t kLdsLimit = 20480;

/// Host memory that global accesses stay in: 4,096 bytes before the middle and some 7,000 behind it.
struct Arena {
  static constexpr size_t kBytes = 16384, kMiddle = 4096 + 512;
  alignas(64) uint8_t bytes[kBytes];
};

struct State {
  uint32_t sgpr[128];
  uint32_t scc = 0, mode = 0x3f0;
  uint32_t vgpr[kVgprs][64];
  uint8_t lds[Machine::kLdsBytes];
  uint32_t scratch[Machine::kScratchBytes / 4 * 64];
  Arena arena;
};

unsigned number(const char* name, unsigned otherwise) { return static_cast<unsigned>(environment_number("stream_test", name, otherwise, 0, 1'000'000'000)); }

/// What a mode of running leaves to be compared.
enum class Look { everything, memory };

class StreamTest : public ::testing::TestWithParam<Target> {
protected:
  StreamTest() {
    unsetenv("BZ_EXEC");
    const std::string level = environment("BZ_STREAM_LEVEL"), off = environment("BZ_JIT_OFF");
    interpreter_ = std::make_unique<Machine>(GetParam(), level);
    plain_ = std::make_unique<Machine>(GetParam(), level, 1, "jit");
    setenv("BZ_JIT_OFF", off.empty() ? "dead" : (off + ",dead").c_str(), 1);
    keeping_ = std::make_unique<Machine>(GetParam(), level, 1, "jit");
    setenv("BZ_JIT_OFF", off.c_str(), 1);
    for (auto& s : {&before_, &want_, &got_}) *s = std::make_unique<State>();
  }

  std::unique_ptr<Machine> interpreter_, plain_, keeping_;
  std::unique_ptr<State> before_, want_, got_;
  Arena arena_;
  std::string error_want_, error_got_;

  // ------------------------------------------------------------ state

  static uint32_t tame(Random& r, unsigned kind) {
    switch (kind) {
    case 0: return (r.word() & 0x807fffff) | (127 - 8 + r.below(16)) << 23;
    case 1: return ((r.word() & 0x83ff83ff) | (11 + r.below(8)) << 10 | (11 + r.below(8)) << 26);
    case 2: return r.below(256);
    case 3: return r.word();
    case 4: return static_cast<uint32_t>(exec::judge::random_value(r, isa::Type::b32));
    default: return static_cast<uint32_t>(exec::judge::random_value(r, isa::Type::f32));
    }
  }
  void pose(Random& r) {
    State& s = *before_;
    for (auto& x : s.sgpr) x = tame(r, r.below(6));
    for (unsigned n = 0; n < kVgprs; ++n) {
      const unsigned kind = r.chance(15) ? 5 : r.below(5);
      const bool few = r.chance(20);
      const uint32_t some[3] = {tame(r, kind), tame(r, kind), tame(r, kind)};
      for (auto& x : s.vgpr[n]) x = few ? r.pick(some) : tame(r, kind);
      // High halves of numbers of 64 bits.
      if (n % 2 && r.chance(30))
        for (auto& x : s.vgpr[n]) x = (r.word() & 0x800fffff) | (1023 - 8 + r.below(16)) << 20;
    }
    for (uint32_t l = 0; l < 64; ++l) s.vgpr[kLaneNumber][l] = l;
    auto fill = [&](void* p, size_t bytes) {
      auto* w = static_cast<uint32_t*>(p);
      unsigned kind = 0;
      for (size_t i = 0; i < bytes / 4; ++i) {
        if (i % 64 == 0) kind = r.below(5);
        w[i] = tame(r, kind);
      }
    };
    fill(s.lds, kLdsLimit), fill(s.scratch, 2304 * 64), fill(s.arena.bytes, Arena::kBytes);
    auto set64 = [&](unsigned n, uint64_t x) { std::memcpy(&s.sgpr[n], &x, 8); };
    const uint64_t middle = reinterpret_cast<uint64_t>(arena_.bytes) + Arena::kMiddle;
    set64(106, exec::judge::random_mask(r)), set64(126, exec::judge::random_mask(r));
    set64(kArena, middle);
    set64(kRawBuffer, middle), s.sgpr[kRawBuffer + 2] = 2048 + r.below(512) * 4, s.sgpr[kRawBuffer + 3] = 0x24000;
    set64(kStridedBuffer, middle | uint64_t{16} << 48), s.sgpr[kStridedBuffer + 2] = 50 + r.below(40), s.sgpr[kStridedBuffer + 3] = 0x24000;
    s.sgpr[kSmall] = r.below(64) * 4;
    for (unsigned n = 102; n < 106; ++n) s.sgpr[n] = 0;
    for (unsigned n = 108; n < 124; ++n) s.sgpr[n] = 0;
    s.sgpr[125] = 0;
    s.scc = r.below(2);
    const uint32_t round = r.chance(50) ? 0 : r.below(4), denorm = r.chance(60) ? 3 : r.below(4);
    s.mode = round * 5 | denorm * 0x50 | (r.chance(70) ? 0x300 : r.below(4) << 8);
  }

  std::string run(Machine& m, const std::vector<uint32_t>& words, State& after) {
    const State& s = *before_;
    for (unsigned n = 0; n < 128; ++n) m.sgpr(n) = s.sgpr[n];
    m.set_scc(s.scc != 0), m.set_mode(s.mode);
    m.lds_limit = kLdsLimit;
    for (unsigned n = 0; n < kVgprs; ++n) std::memcpy(m.vgpr(n), s.vgpr[n], 256);
    std::memcpy(m.lds(), s.lds, sizeof s.lds), std::memcpy(m.scratch(), s.scratch, sizeof s.scratch), std::memcpy(arena_.bytes, s.arena.bytes, Arena::kBytes);
    const Status status = m.run(words);
    for (unsigned n = 0; n < 128; ++n) after.sgpr[n] = m.sgpr(n);
    after.scc = m.scc(), after.mode = m.mode();
    for (unsigned n = 0; n < kVgprs; ++n) std::memcpy(after.vgpr[n], m.vgpr(n), 256);
    std::memcpy(after.lds, m.lds(), sizeof s.lds), std::memcpy(after.scratch, m.scratch(), sizeof s.scratch), std::memcpy(after.arena.bytes, arena_.bytes, Arena::kBytes);
    return status.ok() ? "" : status.message();
  }

  /// Runs on both; empty if nothing differs.
  std::string difference(const std::vector<uint32_t>& words, Look look, size_t most = 8) {
    error_want_ = run(*interpreter_, words, *want_);
    error_got_ = run(look == Look::everything ? *keeping_ : *plain_, words, *got_);
    if (error_want_.empty() != error_got_.empty()) return fmt::format("interpreter: {}\nnative: {}\n", error_want_, error_got_);
    if (!error_want_.empty()) return "";
    std::string text;
    size_t count = 0;
    auto differ = [&](std::string what, uint64_t was, uint64_t want, uint64_t got) {
      if (++count <= most) text += fmt::format("  {}: 0x{:08x} before, interpreter 0x{:08x}, native 0x{:08x}\n", what, was, want, got);
    };
    const State &b = *before_, &w = *want_, &g = *got_;
    if (look == Look::everything) {
      for (unsigned n = 0; n < 128; ++n)
        if (w.sgpr[n] != g.sgpr[n]) differ(fmt::format("s{}", n), b.sgpr[n], w.sgpr[n], g.sgpr[n]);
      if (w.scc != g.scc) differ("scc", b.scc, w.scc, g.scc);
      for (unsigned n = 0; n < kVgprs; ++n)
        for (unsigned l = 0; l < 64; ++l)
          if (w.vgpr[n][l] != g.vgpr[n][l]) differ(fmt::format("{}{} lane {}", n < 256 ? 'v' : 'a', n & 255, l), b.vgpr[n][l], w.vgpr[n][l], g.vgpr[n][l]);
    }
    auto memory = [&](const char* name, const void* was, const void* want, const void* got, size_t bytes) {
      if (std::memcmp(want, got, bytes) == 0) return;
      auto at = [](const void* p, size_t i) { return static_cast<const uint32_t*>(p)[i]; };
      for (size_t i = 0; i < bytes / 4; ++i)
        if (at(want, i) != at(got, i)) differ(fmt::format("{}[{}]", name, 4 * i), at(was, i), at(want, i), at(got, i));
    };
    memory("lds", b.lds, w.lds, g.lds, sizeof b.lds), memory("scratch", b.scratch, w.scratch, g.scratch, sizeof b.scratch);
    memory("arena", b.arena.bytes, w.arena.bytes, g.arena.bytes, Arena::kBytes);
    if (count > most) text += fmt::format("  and {} more\n", count - most);
    return text;
  }

  // ------------------------------------------------------------ NaNs

  static unsigned nans(uint64_t x, isa::Type t) {
    auto f32 = [](uint64_t y) { return (y & 0x7fffffff) > 0x7f800000; };
    auto f16 = [](uint64_t y) { return (y & 0x7fff) > 0x7c00; };
    auto bf16 = [](uint64_t y) { return (y & 0x7fff) > 0x7f80; };
    switch (t) {
    case isa::Type::f32: return f32(x);
    case isa::Type::f64: return (x & 0x7fffffffffffffff) > 0x7ff0000000000000;
    case isa::Type::pk_f32: return f32(x) + f32(x >> 32);
    case isa::Type::f16: case isa::Type::pk_f16: return f16(x) + f16(x >> 16);
    case isa::Type::bf16: case isa::Type::pk_bf16: return bf16(x) + bf16(x >> 16);
    case isa::Type::mix: return f32(x) + f16(x) + f16(x >> 16);
    default: return 0;
    }
  }
  static uint64_t value(const State& s, const isa::Operand& o, unsigned lane, unsigned dword = 0) {
    auto reg = [&](unsigned n) -> uint32_t {
      if (o.kind == isa::Operand::Kind::sgpr) return s.sgpr[(o.number + n) & 127];
      return s.vgpr[((o.kind == isa::Operand::Kind::agpr ? 256u : 0u) + o.number + n) & 511][lane];
    };
    if (!o.is_reg()) return o.value;
    return reg(dword) | (o.dwords > dword + 1 ? uint64_t{reg(dword + 1)} << 32 : 0);
  }
  /// The last instruction of these words met several NaNs in some lane: results that differ may be one or the other.
  bool several_nans(const std::vector<uint32_t>& words, const State& s) {
    size_t at = 0;
    std::optional<isa::Inst> i;
    while (at < words.size()) {
      i = isa::decode(GetParam(), words.data() + at, words.size() - at);
      if (!i) return false;
      at += i->size / 4u;
    }
    if (!i) return false;
    const std::string_view name = isa::row_meta(i->row).name;
    if (name.find("atomic") != name.npos || name.starts_with("ds_"))   // of floats: values are looked at instead
      return has(isa::row_meta(i->row).flags, isa::Atomic) && all_nans(name.ends_with("f64") ? isa::Type::f64 : name.ends_with("bf16") ? isa::Type::pk_bf16 : name.ends_with("f16") ? isa::Type::pk_f16 : isa::Type::f32);
    const bool shared = i->format == isa::MAI || i->form == isa::Form::dpp;
    unsigned all = 0;
    for (unsigned lane = 0; lane < 64; ++lane) {
      unsigned n = 0;
      for (int k = 0; k < i->source_count; ++k)
        for (unsigned d = 0; d < std::max<unsigned>(1, i->source(k).dwords); ++d) n += nans(value(s, i->source(k), lane, d), i->source(k).type);
      all += n;
      if (!shared && n > 1) return true;
    }
    return shared && all > 1;
  }

  // ------------------------------------------------------------ smaller

  bool fails(const Stream& s, Look look) { return !difference(flatten(GetParam(), s), look).empty(); }

  /// The shortest beginning that shows a difference.
  Stream beginning(const Stream& s, Look look) {
    size_t good = 0, bad = s.size();
    while (bad - good > 1) {
      const size_t middle = (good + bad) / 2;
      (fails(Stream(s.begin(), s.begin() + static_cast<std::ptrdiff_t>(middle)), look) ? bad : good) = middle;
    }
    return Stream(s.begin(), s.begin() + static_cast<std::ptrdiff_t>(bad));
  }
  Stream smaller(Stream s, Look look) {
    for (bool changed = true; changed;) {
      changed = false;
      for (size_t n = nodes(s); n-- > 0;)
        for (bool inner : {false, true}) {
          Stream t = s;
          if (!leave_out(t, n, inner) || !fails(t, look)) continue;
          s = std::move(t);
          changed = true;
          break;
        }
    }
    return s;
  }
  /// Whether the last node of the stream is one instruction whose NaNs explain the difference.
  bool nan_explains(const Stream& s, Look look) {
    if (s.empty() || s.back().kind != Node::Kind::plain) return false;
    auto words = flatten(GetParam(), s);
    // Before the last instruction.
    size_t at = 0, last = 0;
    while (at < words.size()) {
      last = at;
      auto i = isa::decode(GetParam(), words.data() + at, words.size() - at);
      if (!i) return false;
      at += i->size / 4u;
    }
    difference(words, look);
    auto middle = std::make_unique<State>();
    run(*interpreter_, {words.begin(), words.begin() + static_cast<std::ptrdiff_t>(last)}, *middle);
    return several_nans(words, *middle);
  }

  /// In all that differs of the last results there are NaNs of the type on both sides.
  bool all_nans(isa::Type type) {
    // A register, or dword of memory, with the one before and behind it, `step` dwords away.
    auto excused = [&](const uint32_t* want, const uint32_t* got, size_t i, size_t count, size_t step) {
      if (want[i] == got[i] || (type != isa::Type::f64 && nans(want[i], type) && nans(got[i], type))) return true;
      auto pair = [&](const uint32_t* p, size_t low) { return nans(p[low] | uint64_t{p[low + step]} << 32, type) != 0; };
      if (type != isa::Type::f64 && type != isa::Type::pk_f32) return false;
      return (i + step < count && pair(want, i) && pair(got, i)) || (i >= step && pair(want, i - step) && pair(got, i - step));
    };
    auto all = [&](const void* want, const void* got, size_t bytes, size_t step) {
      auto *w = static_cast<const uint32_t*>(want), *g = static_cast<const uint32_t*>(got);
      for (size_t i = 0; i < bytes / 4; ++i)
        if (!excused(w, g, i, bytes / 4, step)) return false;
      return true;
    };
    const State &w = *want_, &g = *got_;
    return all(w.vgpr, g.vgpr, sizeof w.vgpr, 64) && all(w.lds, g.lds, sizeof w.lds, 1) && all(w.scratch, g.scratch, sizeof w.scratch, 64) &&
           all(w.arena.bytes, g.arena.bytes, Arena::kBytes, 1) && std::memcmp(w.sgpr, g.sgpr, sizeof w.sgpr) == 0 && w.scc == g.scc;
  }
  /// Every difference is one NaN against another, and the stream has but one instruction of floats, under some control.
  bool only_nans(const Stream& s, Look look) {
    const auto words = flatten(GetParam(), s);
    isa::Type type = isa::Type::none;
    for (size_t at = 0; at < words.size();) {
      auto i = isa::decode(GetParam(), words.data() + at, words.size() - at);
      if (!i) return false;
      at += i->size / 4u;
      if (!i->dest_count || !(is_float(i->dest().type) || nans(~uint64_t{0}, i->dest().type))) continue;
      if (type != isa::Type::none) return false;
      type = i->dest().type;
    }
    if (type == isa::Type::none || look != Look::everything || difference(words, look).empty()) return false;
    return all_nans(type);
  }

  uint64_t executed() {
    uint64_t n = 0;
    for (isa::RowId row = 0; row < isa::row_count(); ++row) n += interpreter_->executions(row);
    return n;
  }

  void sweep(uint64_t seed, unsigned streams, unsigned runs) {
    using Clock = std::chrono::steady_clock;
    const auto begin = Clock::now();
    unsigned nan = 0, halts = 0, total = 0, failed = 0;
    const bool verbose = !environment("BZ_STREAM_VERBOSE").empty();
    for (unsigned n = number("BZ_STREAM_FIRST", 0); n < streams && failed < 5; ++n) {
      const uint64_t own = seed * 1'000'003 + n;
      Random r(own);
      const Stream stream = random_stream(r, GetParam(), 20 + r.below(40));
      const Look look = n % 3 == 2 ? Look::memory : Look::everything;
      Stream whole = stream;
      const auto words = flatten(GetParam(), whole);
      if (verbose) std::fprintf(stderr, "stream %u\n%s", n, listing(GetParam(), words).c_str());
      uint32_t mode = 0;
      for (unsigned k = 0; k < runs; ++k, ++total) {
        pose(r);
        if (k == 0) mode = before_->mode;
        before_->mode = mode;   // a MODE is a compilation
        std::string what = difference(words, look);
        halts += !error_want_.empty();
        if (verbose && !error_want_.empty()) std::fprintf(stderr, "%s\n", error_want_.c_str());
        if (what.empty()) continue;
        Stream s = beginning(whole, look);
        if (nan_explains(s, look)) {
          ++nan;
          continue;
        }
        s = smaller(std::move(s), look);
        if (nan_explains(s, look) || only_nans(s, look)) {
          ++nan;
          continue;
        }
        ++failed;
        const auto less = flatten(GetParam(), s);
        what = difference(less, look);
        ADD_FAILURE() << fmt::format("{}, seed {}, stream {}, run {}: MODE 0x{:x}, EXEC 0x{:016x}, VCC 0x{:016x}, SCC {}{}\n{}{}", isa::target_name(GetParam()), seed, n, k,
                                     before_->mode, value64(*before_, 126), value64(*before_, 106), before_->scc, look == Look::memory ? ", only memory is compared" : "",
                                     listing(GetParam(), less), what);
        break;
      }
    }
    std::printf("%s: seed %llu, %u runs, %llu wave-instructions, %u with several NaNs, %u halts, %.1f s\n", std::string(isa::target_name(GetParam())).c_str(),
                static_cast<unsigned long long>(seed), total, static_cast<unsigned long long>(executed()), nan, halts,
                std::chrono::duration<double>(Clock::now() - begin).count());
    EXPECT_LT(halts * 20, total) << "too many runs end in a halt";
    EXPECT_LT(nan * 5, total) << "too many runs are excused";
  }
  static uint64_t value64(const State& s, unsigned n) { return s.sgpr[n] | uint64_t{s.sgpr[n + 1]} << 32; }
};

TEST_P(StreamTest, InterpreterAndNativeCodeAgree) {
  const unsigned count = number("BZ_STREAM_COUNT", GetParam() == Target::gfx942 ? 200 : 40);
  sweep(number("BZ_STREAM_SEED", 1), count, number("BZ_STREAM_RUNS", 10));
}

INSTANTIATE_TEST_SUITE_P(Targets, StreamTest, ::testing::Values(Target::gfx942, Target::gfx90a, Target::gfx950, Target::gfx908, Target::gfx906, Target::gfx900),
                         [](auto& info) { return std::string(isa::target_name(info.param)); });

} // namespace
