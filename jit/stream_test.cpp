// Random streams of instructions on the interpreter and natively, from the same state: registers, SCC, VCC, EXEC and memories
// must be the same afterwards. Which of several NaNs is an operation's result is not promised: a run that shows a difference is
// done again instruction by instruction, and does not count if several met. A stream that shows a difference is made smaller for as
// long as it still shows one.
//   BZ_STREAM_SEED=7 BZ_STREAM_INSTRUCTIONS=1000000 BZ_JIT_OFF=loops jit_stream_test --gtest_filter=*gfx942*
// With BZ_STREAM_FORK it goes on where the process would be gone, and makes that stream smaller too. A long run says now and then from
// which stream on it can be taken up again (BZ_STREAM_FIRST).
#include "base/environment.hpp"
#include "exec/judge/random.hpp"
#include "exec/native/compiler.hpp"
#include "exec/testing/machine.hpp"
#include "isa/decode.hpp"
#include "jit/testing/stream.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <cstring>
#include <functional>
#include <memory>
#include <span>
#include <sys/wait.h>
#include <unistd.h>

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

/// What is compared, and after which native code.
enum class Look {
  everything,   ///< code that stores registers at the end
  memory,       ///< code as kernels have it
  quick,        ///< everything, after code that was made fast
};

class StreamTest : public ::testing::TestWithParam<Target> {
protected:
  StreamTest() {
    unsetenv("BZ_EXEC");
    const std::string level = environment("BZ_STREAM_LEVEL"), off = environment("BZ_JIT_OFF");
    interpreter_ = std::make_unique<Machine>(GetParam(), level);
    plain_ = std::make_unique<Machine>(GetParam(), level, 1, "jit");
    setenv("BZ_JIT_OFF", off.empty() ? "dead" : (off + ",dead").c_str(), 1);
    keeping_ = std::make_unique<Machine>(GetParam(), level, 1, "jit");
    const std::string quality = environment("BZ_JIT_LEVEL");
    setenv("BZ_JIT_LEVEL", "0", 1);
    quick_ = std::make_unique<Machine>(GetParam(), level, 1, "jit");
    setenv("BZ_JIT_OFF", off.c_str(), 1);
    if (quality.empty()) unsetenv("BZ_JIT_LEVEL");
    else setenv("BZ_JIT_LEVEL", quality.c_str(), 1);
    for (auto& s : {&before_, &want_, &got_}) *s = std::make_unique<State>();
  }

  std::unique_ptr<Machine> interpreter_, plain_, keeping_, quick_;
  std::unique_ptr<State> before_, want_, got_;
  Arena arena_;
  const bool forks_ = !environment("BZ_STREAM_FORK").empty();
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
  /// Runs in which several NaNs meet may not count: in most there is but one, which as an integer is -1.
  static uint32_t calm(uint32_t x) {
    if ((x & 0x7fffffff) > 0x7f800000) return ~0u;
    for (unsigned at : {0u, 16u})
      if ((x >> at & 0x7fff) > 0x7c00) x |= 0xffffu << at;
    return (x & 0x7fffffff) > 0x7f800000 ? ~0u : x;
  }
  void pose(Random& r, bool wild) {
    State& s = *before_;
    auto tame = [wild](Random& random, unsigned kind) { return wild ? StreamTest::tame(random, kind) : calm(StreamTest::tame(random, kind)); };
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

  void begin(Machine& m) {
    const State& s = *before_;
    for (unsigned n = 0; n < 128; ++n) m.sgpr(n) = s.sgpr[n];
    m.set_scc(s.scc != 0), m.set_mode(s.mode);
    m.lds_limit = kLdsLimit;
    for (unsigned n = 0; n < kVgprs; ++n) std::memcpy(m.vgpr(n), s.vgpr[n], 256);
    std::memcpy(m.lds(), s.lds, sizeof s.lds), std::memcpy(m.scratch(), s.scratch, sizeof s.scratch), std::memcpy(arena_.bytes, s.arena.bytes, Arena::kBytes);
  }
  std::string run(Machine& m, const std::vector<uint32_t>& words, State& after) {
    begin(m);
    const Status status = m.run(words);
    for (unsigned n = 0; n < 128; ++n) after.sgpr[n] = m.sgpr(n);
    after.scc = m.scc(), after.mode = m.mode();
    for (unsigned n = 0; n < kVgprs; ++n) std::memcpy(after.vgpr[n], m.vgpr(n), 256);
    std::memcpy(after.lds, m.lds(), sizeof after.lds), std::memcpy(after.scratch, m.scratch(), sizeof after.scratch), std::memcpy(after.arena.bytes, arena_.bytes, Arena::kBytes);
    return status.ok() ? "" : status.message();
  }

  /// Runs on both; empty if nothing differs.
  std::string difference(const std::vector<uint32_t>& words, Look look, size_t most = 8) {
    error_want_ = run(*interpreter_, words, *want_);
    error_got_ = run(look == Look::everything ? *keeping_ : look == Look::memory ? *plain_ : *quick_, words, *got_);
    if (error_want_.empty() != error_got_.empty()) return fmt::format("interpreter: {}\nnative: {}\n", error_want_, error_got_);
    if (!error_want_.empty()) return "";
    std::string text;
    size_t count = 0;
    auto differ = [&](std::string what, uint64_t was, uint64_t want, uint64_t got) {
      if (++count <= most) text += fmt::format("  {}: 0x{:08x} before, interpreter 0x{:08x}, native 0x{:08x}\n", what, was, want, got);
    };
    const State &b = *before_, &w = *want_, &g = *got_;
    if (look != Look::memory) {
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

  /// The NaNs in a value, quiet.
  static void nans(uint64_t x, isa::Type t, std::vector<uint64_t>& list) {
    auto f32 = [&](uint64_t y) { if ((y & 0x7fffffff) > 0x7f800000) list.push_back((y & 0xffffffff) | 0x400000); };
    auto f16 = [&](uint64_t y) { if ((y & 0x7fff) > 0x7c00) list.push_back((y & 0xffff) | 0x200); };
    auto bf16 = [&](uint64_t y) { if ((y & 0x7fff) > 0x7f80) list.push_back((y & 0xffff) | 0x40); };
    switch (t) {
    case isa::Type::f32: f32(x); break;
    case isa::Type::f64: if ((x & 0x7fffffffffffffff) > 0x7ff0000000000000) list.push_back(x | uint64_t{1} << 51); break;
    case isa::Type::pk_f32: f32(x), f32(x >> 32); break;
    case isa::Type::f16: case isa::Type::pk_f16: f16(x), f16(x >> 16); break;
    case isa::Type::bf16: case isa::Type::pk_bf16: bf16(x), bf16(x >> 16); break;
    case isa::Type::mix: f32(x), f16(x), f16(x >> 16); break;
    default: break;
    }
  }
  static uint64_t value(Machine& m, const isa::Operand& o, unsigned lane, unsigned dword) {
    auto reg = [&](unsigned n) -> uint32_t {
      if (o.kind == isa::Operand::Kind::sgpr) return m.sgpr((o.number + n) & 127);
      return m.vgpr(((o.kind == isa::Operand::Kind::agpr ? 256u : 0u) + o.number + n) & 511)[lane];
    };
    if (!o.is_reg()) return o.value;
    return reg(dword) | (o.dwords > dword + 1 ? uint64_t{reg(dword + 1)} << 32 : 0);
  }
  /// Different NaNs meet in the instruction that the machine would run next, or one whose sign may change.
  static bool several_nans(const isa::Inst& i, Machine& m) {
    const isa::Flags f = isa::row_meta(i.row).flags;
    const std::string_view name = isa::row_meta(i.row).name;
    const bool matrix = i.format == isa::MAI, shared = matrix || i.form == isa::Form::dpp, atomic = has(f, isa::Atomic);
    // What becomes NaN within the instruction, or was one in memory, is not seen here.
    const bool one_is_enough = matrix || atomic || name.find("dot") != name.npos;
    bool modified = i.neg_lo || i.neg_hi;
    std::vector<uint64_t> list;
    for (unsigned lane = 0; lane < 64; ++lane) {
      if (!shared) list.clear();
      if (!(matrix || shared) && !(m.exec() >> lane & 1)) continue;
      for (int k = 0; k < i.source_count; ++k) {
        const isa::Operand& o = i.source(k);
        isa::Type t = o.type;
        if (atomic) {
          if (name.find("f64") == name.npos && name.find("f32") == name.npos && name.find("f16") == name.npos) continue;
          t = name.ends_with("f64") ? isa::Type::f64 : name.ends_with("bf16") ? isa::Type::pk_bf16 : name.ends_with("f16") ? isa::Type::pk_f16 : isa::Type::f32;
        }
        modified |= o.neg || o.abs;
        for (unsigned d = 0; d < std::max<unsigned>(1, o.dwords); ++d) nans(value(m, o, lane, d), t, list);
      }
      if (list.empty()) continue;
      // -x * -y is x * y, but for a NaN's sign.
      if (one_is_enough || modified || std::adjacent_find(list.begin(), list.end(), std::not_equal_to<>()) != list.end()) return true;
    }
    return false;
  }
  /// Runs the words on the interpreter, one by one.
  bool nans_met(const std::vector<uint32_t>& words) {
    Machine& m = *interpreter_;
    begin(m);
    for (size_t at = 0; at < words.size();) {
      auto i = isa::decode(GetParam(), words.data() + at, words.size() - at);
      if (!i) return false;
      const size_t next = at + i->size / 4u;
      const std::string_view name = isa::row_meta(i->row).name;
      if (has(isa::row_meta(i->row).flags, isa::Branch)) {
        const bool flag = name.find("scc") != name.npos ? m.scc() : name.find("vcc") != name.npos ? m.vcc() != 0 : name.find("exec") != name.npos ? m.exec() != 0 : true;
        const bool taken = name.ends_with("0") || name.ends_with("vccz") || name.ends_with("execz") ? !flag : flag;
        at = taken ? i->branch_target(4 * at) / 4 : next;
        continue;
      }
      if (several_nans(*i, m)) return true;
      if (!m.run(std::span(words).subspan(at, next - at)).ok()) return false;
      at = next;
    }
    return false;
  }

  // ------------------------------------------------------------ smaller

  bool fails(const Stream& s, Look look) {
    const auto words = flatten(GetParam(), s);
    auto here = [&] { return !difference(words, look).empty() && !nans_met(words); };
    return forks_ ? fate(here) != 0 : here();
  }
  /// Of a child that asks: 0 or 1, as it says, or the signal that it ended by.
  template <class F> static int fate(F ask) {
    std::fflush(nullptr);
    const pid_t child = fork();
    if (child == 0) _exit(ask());
    int status = 0;
    waitpid(child, &status, 0);
    return WIFSIGNALED(status) ? WTERMSIG(status) : WEXITSTATUS(status);
  }

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
  uint64_t executed() {
    uint64_t n = 0;
    for (isa::RowId row = 0; row < isa::row_count(); ++row) n += interpreter_->executions(row);
    return n;
  }

  /// Streams until so many wave-instructions have been executed, each with several states; one in eight of these has NaNs of all kinds.
  void sweep(uint64_t seed, uint64_t instructions, unsigned runs) {
    using Clock = std::chrono::steady_clock;
    const auto begin = Clock::now();
    const uint64_t compiled = exec::NativeCompiler::instance().compiled();
    auto seconds = [&] { return std::chrono::duration<double>(Clock::now() - begin).count(); };
    const std::string name(isa::target_name(GetParam()));
    unsigned nan = 0, halts = 0, total = 0, failed = 0, streams = 0;
    uint64_t done = 0, said = 0;
    const bool verbose = !environment("BZ_STREAM_VERBOSE").empty();
    for (unsigned n = number("BZ_STREAM_FIRST", 0); done < instructions && failed < 5; ++n, ++streams) {
      if (done >= said + 1'000'000) {
        said = done;
        std::printf("%s: seed %llu, streams below %u are done, %llu wave-instructions, %.0f s\n", name.c_str(), static_cast<unsigned long long>(seed), n,
                    static_cast<unsigned long long>(done), seconds());
        std::fflush(stdout);
      }
      const uint64_t own = seed * 1'000'003 + n;
      Random r(own);
      const Stream stream = random_stream(r, GetParam(), 20 + r.below(40));
      const Look look = n % 3 == 2 ? Look::memory : n % 4 == 1 ? Look::quick : Look::everything;
      const auto words = flatten(GetParam(), stream);
      if (verbose) std::fprintf(stderr, "stream %u\n%s", n, listing(GetParam(), words).c_str());
      uint32_t mode = 0;
      for (unsigned k = 0; k < runs; ++k, ++total) {
        pose(r, k % 8 == 7);
        if (k == 0) mode = before_->mode;
        before_->mode = mode;   // a MODE is a compilation
        if (forks_)
          if (int signal = fate([&] { difference(words, look); return 0; })) {
            const auto less = flatten(GetParam(), smaller(beginning(stream, look), look));
            ADD_FAILURE() << fmt::format("{}, seed {}, stream {}, run {}: signal {}\n{}", name, seed, n, k, signal, listing(GetParam(), less));
            ++failed;
            break;
          }
        const uint64_t sofar = executed();
        std::string what = difference(words, look);
        done += executed() - sofar;
        halts += !error_want_.empty();
        if (verbose && !error_want_.empty()) std::fprintf(stderr, "%s\n", error_want_.c_str());
        if (what.empty() && !error_want_.empty()) break;   // so would the others
        if (what.empty()) continue;
        if (nans_met(words)) {
          ++nan;
          continue;
        }
        ++failed;
        const Stream s = smaller(beginning(stream, look), look);
        const auto less = flatten(GetParam(), s);
        what = difference(less, look);
        const char* how = look == Look::memory ? ", only memory is compared" : look == Look::quick ? ", level 0" : "";
        ADD_FAILURE() << fmt::format("{}, seed {}, stream {}, run {}: MODE 0x{:x}, EXEC 0x{:016x}, VCC 0x{:016x}, SCC {}{}\n{}{}", name, seed, n, k, before_->mode,
                                     value64(*before_, 126), value64(*before_, 106), before_->scc, how, listing(GetParam(), less), what);
        break;
      }
    }
    std::printf("%s: seed %llu, %u streams, %u runs, %llu wave-instructions, %u with several NaNs, %u halts, %llu compilations, %.1f s\n", name.c_str(),
                static_cast<unsigned long long>(seed), streams, total, static_cast<unsigned long long>(done), nan, halts,
                static_cast<unsigned long long>(exec::NativeCompiler::instance().compiled() - compiled), seconds());
    EXPECT_LT(halts * 20, total) << "too many runs end in a halt";
    EXPECT_LT(nan * 20, total) << "too many runs are excused";
  }
  static uint64_t value64(const State& s, unsigned n) { return s.sgpr[n] | uint64_t{s.sgpr[n + 1]} << 32; }
};

// 200,000 for gfx900, gfx906, gfx90a and gfx942 together.
TEST_P(StreamTest, InterpreterAndNativeCodeAgree) {
  const Target t = GetParam();
  const unsigned much = t == Target::gfx942 ? 80'000 : t == Target::gfx950 || t == Target::gfx908 ? 10'000 : 40'000;
  sweep(number("BZ_STREAM_SEED", 1), number("BZ_STREAM_INSTRUCTIONS", much), number("BZ_STREAM_RUNS", 12));
}

// What showed something once, as small as it could be made.
struct Kept {
  const char* what;
  std::vector<uint32_t> words;
};
const Kept kKept[] = {
    {"two loops that lanes leave: code for some lanes on is entered in the middle of the outer one, before its head",
     {0x27e21483, 0xb0610005, 0xbed8017e, 0x27e3e081, 0xb0620001, 0xbeda017e, 0xbefe01c1, 0x69e3e2c1, 0x7d83e280, 0x86fe6a7e, 0xbf880003, 0x80e28162,
      0xbf078062, 0xbf85fff8, 0xbefe015a, 0x69e3e2c1, 0x7d83e280, 0x86fe6a7e, 0xbf880003, 0x80e18161, 0xbf078061, 0xbf85ffed, 0xbefe0158}},
};

TEST_P(StreamTest, WhatWasFoundOnce) {
  for (const Kept& k : kKept) {
    SCOPED_TRACE(k.what);
    Random r(1);
    for (int run = 0; run < 4; ++run) {
      pose(r, false);
      for (Look look : {Look::everything, Look::quick, Look::memory}) {
        const std::string what = difference(k.words, look);
        EXPECT_TRUE(what.empty() || nans_met(k.words)) << listing(GetParam(), k.words) << what;
        EXPECT_EQ(error_want_, "");
      }
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Targets, StreamTest, ::testing::Values(Target::gfx942, Target::gfx90a, Target::gfx950, Target::gfx908, Target::gfx906, Target::gfx900),
                         [](auto& info) { return std::string(isa::target_name(info.param)); });

} // namespace
