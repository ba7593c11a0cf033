// Waves of a workgroup run in convoy: one handler call for all of them. Law: three waves together give what each gives alone,
// for every row that neither touches memory nor changes the program counter.
#include "exec/judge/prepare.hpp"
#include "exec/testing/machine.hpp"

#include <gtest/gtest.h>

#include <cstdlib>
#include <cstring>
#include <string_view>

using namespace bz;
using namespace bz::exec::judge;
namespace kit = bz::exec::testing;
using State = isa::ref::Machine;

namespace {

constexpr uint32_t kWaves = 3;
constexpr isa::Target kTarget = isa::Target::gfx942;

void load(kit::Machine& m, const State& s, uint32_t wave) {
  for (unsigned n = 0; n < 256; ++n) {
    std::memcpy(m.vgpr(n, wave), s.vgpr[n].data(), 256);
    std::memcpy(m.vgpr(256 + n, wave), s.agpr[n].data(), 256);
  }
  for (unsigned n = 0; n < 128; ++n) m.sgpr(n, wave) = s.sgpr[n];
  m.set_scc(s.scc, wave);
  m.set_mode(s.mode);
}

/// Of several NaNs that meet in an operation one goes on; which one may differ between copies of the same code (docs/fidelity.md).
bool both_nan(uint32_t a, uint32_t b) {
  auto single = [](uint32_t x) { return (x & 0x7fffffff) > 0x7f800000 || (x & 0x7ff00000) == 0x7ff00000; };   // also a double's high half
  auto half = [](uint32_t x) { return (x & 0x7fff) > 0x7c00; };
  if (single(a) && single(b)) return true;
  return ((a & 0xffff) == (b & 0xffff) || (half(a) && half(b))) && (a >> 16 == b >> 16 || (half(a >> 16) && half(b >> 16)));
}

/// Empty, or the first register that differs.
std::string compare(kit::Machine& together, uint32_t wave, kit::Machine& alone, bool is_float) {
  for (unsigned n = 0; n < 512; ++n)
    if (std::memcmp(together.vgpr(n, wave), alone.vgpr(n), 256) != 0)
      for (unsigned lane = 0; lane < 64; ++lane)
        if (uint32_t a = together.vgpr(n, wave)[lane], b = alone.vgpr(n)[lane]; a != b) {
          bool high_nan = n < 511 && ((together.vgpr(n + 1, wave)[lane] & alone.vgpr(n + 1)[lane] & 0x7ff00000) == 0x7ff00000);
          if (is_float && (both_nan(a, b) || high_nan)) continue;
          char text[128];
          std::snprintf(text, sizeof text, "%c%u lane %u: together %08x, alone %08x", n < 256 ? 'v' : 'a', n & 255, lane, a, b);
          return text;
        }
  for (unsigned n = 0; n < 128; ++n)
    if (together.sgpr(n, wave) != alone.sgpr(n)) {
      char text[96];
      std::snprintf(text, sizeof text, "s%u: together %08x, alone %08x", n, together.sgpr(n, wave), alone.sgpr(n));
      return text;
    }
  if (together.scc(wave) != alone.scc()) return "scc";
  if (together.mode(wave) != alone.mode()) return "mode";
  return {};
}

bool judged(isa::RowId row) {
  using namespace isa;
  const Meta& m = row_meta(row);
  return row_has_semantics(row) && !(m.formats & (SMEM | DS | FLAT | GLOBAL | SCRATCH | MUBUF | MTBUF | SOPP)) && !has(m.flags, Branch | Call | WritesMode) &&
         std::string_view(m.name) != "s_getpc_b64";
}

class Convoy : public testing::TestWithParam<std::string> {};

TEST_P(Convoy, WavesTogetherAndAlone) {
  const char* v = std::getenv("BZ_JUDGE_SEED");
  uint64_t seed = v && *v ? std::strtoull(v, nullptr, 0) : 1;
  kit::Machine together(kTarget, GetParam(), kWaves), alone(kTarget, GetParam());
  Arena arena;
  State states[kWaves];
  size_t rows = 0;
  for (isa::RowId row = 0; row < isa::row_count(); ++row) {
    if (!judged(row)) continue;
    auto forms = encodings(kTarget, row);
    if (forms.empty()) continue;
    ++rows;
    Random r(seed * 1000003 + row);
    bool failed = false;
    for (int n = 0, tries = 0; n < 20 && tries < 500 && !failed; ++tries) {
      auto d = draw(r, kTarget, row, forms[static_cast<size_t>(tries) % forms.size()]);
      if (!d) continue;
      Touches t;
      bool sensible = true;
      for (auto& s : states) sensible = sensible && prepare(r, *d, s, arena, t);
      if (!sensible) continue;
      bool all_full = n % 3 == 0;   // the stream for full EXEC needs all waves full
      for (uint32_t w = 0; w < kWaves; ++w) {
        states[w].mode = states[0].mode;
        if (all_full) states[w].set_sgpr64(isa::ref::kExec, ~uint64_t{0});
        load(together, states[w], w);
      }
      auto run = together.run(d->words);
      ASSERT_TRUE(run.ok()) << isa::disassemble(kTarget, d->inst) << ": " << run.to_string();
      for (uint32_t w = 0; w < kWaves && !failed; ++w) {
        load(alone, states[w], 0);
        ASSERT_TRUE(alone.run(d->words).ok());
        if (auto why = compare(together, w, alone, has(isa::row_meta(row).flags, isa::ReadsMode)); !why.empty()) {
          failed = true;
          ADD_FAILURE() << isa::disassemble(kTarget, d->inst) << "\n  wave " << w << ", mode " << std::hex << states[w].mode << ", exec " << states[w].exec() << ": " << why
                        << "\n  case " << std::dec << n << ", BZ_JUDGE_SEED=" << seed;
        }
      }
      ++n;
    }
  }
  EXPECT_GT(rows, 500u);
}

INSTANTIATE_TEST_SUITE_P(Levels, Convoy, testing::ValuesIn(kit::engine_levels()), [](auto& info) { return info.param; });

} // namespace
