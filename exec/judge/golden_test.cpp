// The golden vectors of isa/golden/ on every engine level and on the reference machine: the two are held against values of a
// third hand. Everything that a case does not name must stay as it was: registers, SCC, MODE, memory, LDS, private memory.
//   BZ_GOLDEN=dpp:120   only cases of files whose name has "dpp", here of line 120
#include "exec/judge/golden.hpp"
#include "exec/testing/kernel.hpp"
#include "exec/testing/machine.hpp"
#include "isa/decode.hpp"
#include "isa/ref/machine.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <map>

using namespace bz;
using namespace bz::exec::judge;
using bz::isa::Target;
namespace kit = bz::exec::testing;

namespace {

using State = isa::ref::Machine;   // a plain holder of all registers here
constexpr uint32_t kSeparator = 0xbf80face;   // s_nop 0xface: never in a case
constexpr size_t kMemory = 16384, kMiddle = 8192;
constexpr size_t kScratchDwords = kit::Machine::kScratchBytes / 4;

/// Memory of the cases: M is its middle, so that negative offsets stay inside.
uint8_t* memory() {
  static auto* p = static_cast<uint8_t*>(std::aligned_alloc(4096, kMemory));
  return p;
}
uint64_t middle() { return reinterpret_cast<uint64_t>(memory()) + kMiddle; }

/// What is in places that nobody has set: unlike each other, unlike small numbers.
uint32_t litter(uint32_t kind, uint32_t n, uint32_t lane) { return 0xa0000000u + (kind << 24) + (n << 8) + lane; }

struct World {
  State s;
  std::vector<uint8_t> mem = std::vector<uint8_t>(kMemory);
};

bool agprs(Target t) { return t >= Target::gfx908; }

World fresh(Target t, bool scratch) {
  World w;
  w.s.target = t;
  for (uint32_t n = 0; n < 256; ++n)
    for (uint32_t lane = 0; lane < 64; ++lane) w.s.vgpr[n][lane] = litter(1, n, lane), w.s.agpr[n][lane] = agprs(t) ? litter(2, n, lane) : 0;
  for (uint32_t n = 0; n < 102; ++n) w.s.sgpr[n] = litter(3, n, 0);
  w.s.set_sgpr64(isa::ref::kExec, ~uint64_t{0});
  for (uint32_t n = 0; n < kMemory / 4; ++n) {
    uint32_t x = litter(4, n, 0);
    std::memcpy(w.mem.data() + 4 * n, &x, 4);
  }
  w.s.lds.resize(kit::Machine::kLdsBytes);
  for (uint32_t n = 0; n < kit::Machine::kLdsBytes / 4; ++n) {
    uint32_t x = litter(5, n, 0);
    std::memcpy(w.s.lds.data() + 4 * n, &x, 4);
  }
  if (scratch)
    for (uint32_t n = 0; n < kScratchDwords * 64; ++n) w.s.scratch.push_back(litter(6, n / 64, n % 64));
  return w;
}

/// Makes an assignment true. `before` is what `old` and the memory functions of the expression see.
void assign(const Assignment& a, World& w, const World& before, bool result) {
  std::vector<uint8_t> visible(before.mem.begin() + kMiddle, before.mem.end());
  Scope scope{.memory = middle(), .mem = &visible, .lds = &before.s.lds};
  auto dword = [&](unsigned n) {
    if (is_tuple(a.value)) return static_cast<uint32_t>(evaluate(a.value, scope, n));
    if (a.width > 2) throw std::runtime_error("a value of more than 64 bits is written {dword dword ...}");
    return static_cast<uint32_t>(evaluate(a.value, scope) >> (32 * n));
  };
  auto registers = [&](auto& file, const auto& old) {
    for (unsigned lane = 0; lane < 64; ++lane) {
      if (result && !a.all_lanes && !before.s.active(static_cast<int>(lane))) continue;
      scope.lane = lane;
      for (unsigned n = 0; n < a.width; ++n) {
        scope.old = old[a.number + n][lane];
        if (a.width == 2 && !is_tuple(a.value)) scope.old = old[a.number][lane] | uint64_t{old[a.number + 1][lane]} << 32;
        file[a.number + n][lane] = dword(n);
      }
    }
  };
  auto bytes = [&](std::vector<uint8_t>& to, size_t base) {
    bool lanes = a.index.find("lane") != std::string::npos;
    for (unsigned lane = 0; lane < (lanes ? 64u : 1u); ++lane) {
      if (result && lanes && !before.s.active(static_cast<int>(lane))) continue;
      scope.lane = lane;
      size_t at = base + evaluate(a.index, scope);
      size_t count = 1;
      if (is_tuple(a.value)) count = static_cast<size_t>(std::count(a.value.begin(), a.value.end(), ' ')) + 1;
      if (at + count * a.width > to.size()) throw std::runtime_error("outside of memory");
      for (size_t n = 0; n < count; ++n) {
        scope.old = 0;
        std::memcpy(&scope.old, to.data() + at + n * a.width, a.width);
        uint64_t x = evaluate(a.value, scope, static_cast<unsigned>(n));
        std::memcpy(to.data() + at + n * a.width, &x, a.width);
      }
    }
  };
  using P = Assignment::Place;
  switch (a.place) {
  case P::sgpr:
    for (unsigned n = 0; n < a.width; ++n) {
      scope.old = a.width == 2 ? before.s.sgpr64(a.number) : before.s.sgpr[a.number + n];
      w.s.sgpr[a.number + n] = dword(n);
    }
    break;
  case P::vgpr: registers(w.s.vgpr, before.s.vgpr); break;
  case P::agpr: registers(w.s.agpr, before.s.agpr); break;
  case P::scc: w.s.scc = evaluate(a.value, scope) & 1; break;
  case P::mode: {
    uint32_t mask = a.width == 32 ? ~0u : ((1u << a.width) - 1) << a.number;
    w.s.mode = (w.s.mode & ~mask) | (static_cast<uint32_t>(evaluate(a.value, scope) << a.number) & mask);
    break;
  }
  case P::mem: bytes(w.mem, kMiddle); break;
  case P::lds: bytes(w.s.lds, 0); break;
  case P::lds_size: w.s.lds.resize(evaluate(a.value, scope)); break;
  case P::scratch:
    for (unsigned lane = 0; lane < 64; ++lane) {
      if (result && !before.s.active(static_cast<int>(lane))) continue;
      scope.lane = lane, scope.old = before.s.scratch[a.number * 64 + lane];
      w.s.scratch[a.number * 64 + lane] = static_cast<uint32_t>(evaluate(a.value, scope));
    }
    break;
  }
}

int64_t ordered(uint64_t bits, unsigned width) {
  uint64_t sign = uint64_t{1} << (width - 1);
  return bits & sign ? -static_cast<int64_t>(bits & (sign - 1)) : static_cast<int64_t>(bits);
}

/// Results with a tolerance: what is near enough becomes the wanted value, so that the comparison stays exact.
void round_to(const Assignment& a, const World& want, World& got) {
  if (!a.ulps || a.place != Assignment::Place::vgpr) return;
  for (size_t lane = 0; lane < 64; ++lane) {
    auto value = [&](const World& w) { return w.s.vgpr[a.number][lane] | (a.width == 2 ? uint64_t{w.s.vgpr[a.number + 1][lane]} << 32 : 0); };
    // A half is told by its empty upper part.
    unsigned width = a.width == 2 ? 64 : value(want) < 0x10000 && value(got) < 0x10000 && value(want) ? 16 : 32;
    int64_t d = ordered(value(want), width) - ordered(value(got), width);
    if (static_cast<uint64_t>(d < 0 ? -d : d) > a.ulps) continue;
    for (unsigned n = 0; n < a.width; ++n) got.s.vgpr[a.number + n][lane] = want.s.vgpr[a.number + n][lane];
  }
}

std::string difference(const World& before, const World& want, const World& got) {
  std::string text;
  int shown = 0;
  auto line = [&](const std::string& place, uint32_t w, uint32_t g, uint32_t b) {
    if (++shown <= 6) text += fmt::format("    {}: got {:08x}, golden {:08x} (before {:08x})\n", place, g, w, b);
  };
  for (size_t n = 0; n < 256; ++n)
    for (size_t lane = 0; lane < 64; ++lane) {
      if (want.s.vgpr[n][lane] != got.s.vgpr[n][lane])
        line(fmt::format("v{} lane {}", n, lane), want.s.vgpr[n][lane], got.s.vgpr[n][lane], before.s.vgpr[n][lane]);
      if (want.s.agpr[n][lane] != got.s.agpr[n][lane])
        line(fmt::format("a{} lane {}", n, lane), want.s.agpr[n][lane], got.s.agpr[n][lane], before.s.agpr[n][lane]);
    }
  for (size_t n = 0; n < 128; ++n)
    if (want.s.sgpr[n] != got.s.sgpr[n]) line(fmt::format("s{}", n), want.s.sgpr[n], got.s.sgpr[n], before.s.sgpr[n]);
  if (want.s.scc != got.s.scc) line("scc", want.s.scc, got.s.scc, before.s.scc);
  if (want.s.mode != got.s.mode) line("mode", want.s.mode, got.s.mode, before.s.mode);
  auto bytes = [&](const char* name, const std::vector<uint8_t>& w, const std::vector<uint8_t>& g, const std::vector<uint8_t>& b, size_t base) {
    for (size_t n = 0; n + 4 <= w.size(); n += 4) {
      uint32_t x, y, z;
      std::memcpy(&x, w.data() + n, 4), std::memcpy(&y, g.data() + n, 4), std::memcpy(&z, b.data() + n, 4);
      if (x != y) line(fmt::format("{}[{}]", name, static_cast<int64_t>(n) - static_cast<int64_t>(base)), x, y, z);
    }
  };
  if (want.mem != got.mem) bytes("mem", want.mem, got.mem, before.mem, kMiddle);
  if (want.s.lds != got.s.lds) bytes("lds", want.s.lds, got.s.lds, before.s.lds, 0);
  for (size_t n = 0; n < want.s.scratch.size(); ++n)
    if (want.s.scratch[n] != got.s.scratch[n])
      line(fmt::format("scr[{}] lane {}", n / 64, n % 64), want.s.scratch[n], got.s.scratch[n], before.s.scratch[n]);
  if (shown > 6) text += fmt::format("    ... {} differences\n", shown);
  return text;
}

/// Runs the words; a text says why it could not.
std::string run_reference(const std::vector<uint32_t>& words, uint64_t code, World& w) {
  std::memcpy(memory(), w.mem.data(), kMemory);
  w.s.pc = code;
  for (int steps = 0; w.s.pc != code + 4 * words.size(); ++steps) {
    size_t at = (w.s.pc - code) / 4;
    if (w.s.pc < code || at >= words.size() || steps > 1000) return "    it left the code\n";
    auto inst = isa::decode(w.s.target, words.data() + at, words.size() - at);
    if (!inst) return fmt::format("    {:08x} does not decode\n", words[at]);
    if (!isa::ref::step(w.s, *inst)) return fmt::format("    no reference for {}\n", isa::row_meta(inst->row).name);
  }
  std::memcpy(w.mem.data(), memory(), kMemory);
  return {};
}

std::string run_engine(kit::Machine& m, const std::vector<uint32_t>& words, World& w) {
  bool a = agprs(w.s.target);
  for (unsigned n = 0; n < 256; ++n) {
    std::memcpy(m.vgpr(n), w.s.vgpr[n].data(), 256);
    if (a) std::memcpy(m.vgpr(256 + n), w.s.agpr[n].data(), 256);
  }
  for (unsigned n = 0; n < 128; ++n) m.sgpr(n) = w.s.sgpr[n];
  m.set_scc(w.s.scc), m.set_mode(w.s.mode);
  m.lds_limit = static_cast<uint32_t>(w.s.lds.size());
  std::memcpy(m.lds(), w.s.lds.data(), w.s.lds.size());
  if (!w.s.scratch.empty()) std::memcpy(m.scratch(), w.s.scratch.data(), w.s.scratch.size() * 4);
  std::memcpy(memory(), w.mem.data(), kMemory);
  if (Status s = m.run(words); !s.ok()) return "    " + s.message() + "\n";
  for (unsigned n = 0; n < 256; ++n) {
    std::memcpy(w.s.vgpr[n].data(), m.vgpr(n), 256);
    if (a) std::memcpy(w.s.agpr[n].data(), m.vgpr(256 + n), 256);
  }
  for (unsigned n = 0; n < 128; ++n) w.s.sgpr[n] = m.sgpr(n);
  w.s.scc = m.scc(), w.s.mode = m.mode();
  std::memcpy(w.s.lds.data(), m.lds(), w.s.lds.size());
  if (!w.s.scratch.empty()) std::memcpy(w.s.scratch.data(), m.scratch(), w.s.scratch.size() * 4);
  std::memcpy(w.mem.data(), memory(), kMemory);
  return {};
}

kit::Machine& machine(Target t, const std::string& level) {
  static std::map<std::pair<Target, std::string>, std::unique_ptr<kit::Machine>> all;
  auto& m = all[{t, level}];
  if (!m) m = std::make_unique<kit::Machine>(t, level);
  return *m;
}

/// The words of each case: all assembled at once.
Expected<std::vector<std::vector<uint32_t>>> assemble(Target t, const std::vector<const GoldenCase*>& cases) {
  std::string text;
  for (auto* c : cases) text += c->text + "\ns_nop 0xface\n";
  auto words = kit::assemble(t, text);
  if (!words) return words.status();
  std::vector<std::vector<uint32_t>> all(1);
  for (uint32_t w : *words)
    if (w == kSeparator) all.emplace_back();
    else all.back().push_back(w);
  all.pop_back();
  if (all.size() != cases.size()) return error(Code::internal, "{} pieces of code for {} cases", all.size(), cases.size());
  return all;
}


std::vector<std::filesystem::path> files() {
  std::vector<std::filesystem::path> all;
  std::string filter = std::getenv("BZ_GOLDEN") ? std::getenv("BZ_GOLDEN") : "";
  filter = filter.substr(0, filter.find(':'));
  for (auto& entry : std::filesystem::directory_iterator(BZ_GOLDEN_DIR))
    if (entry.path().extension() == ".txt" && entry.path().stem().string().find(filter) != std::string::npos) all.push_back(entry.path());
  std::sort(all.begin(), all.end());
  return all;
}
int wanted_line() {
  std::string filter = std::getenv("BZ_GOLDEN") ? std::getenv("BZ_GOLDEN") : "";
  size_t colon = filter.find(':');
  return colon == std::string::npos ? 0 : std::atoi(filter.c_str() + colon + 1);
}

class GoldenTest : public ::testing::TestWithParam<std::filesystem::path> {
protected:
  static void SetUpTestSuite() { isa::ref::register_all(); }
};

TEST_P(GoldenTest, EnginesAndReferenceGiveTheManualsValues) {
  auto read = read_golden(GetParam().string());
  ASSERT_TRUE(read.ok()) << read.status().to_string();
  ASSERT_FALSE(read->empty());
  size_t vectors = 0, runs = 0, only = static_cast<size_t>(wanted_line());
  for (auto& c : *read) vectors += c.vectors;
  for (int index = 0; index < isa::kTargetCount; ++index) {
    Target t = static_cast<Target>(index);
    std::vector<const GoldenCase*> cases;
    for (auto& c : *read)
      if (c.targets & isa::bit(t) && (!only || c.line == static_cast<int>(only))) cases.push_back(&c);
    if (cases.empty()) continue;
    auto code = assemble(t, cases);
    ASSERT_TRUE(code.ok()) << GetParam().filename() << " on " << isa::target_name(t) << ": " << code.status().message();
    std::vector<std::string> runners = kit::engine_levels();
    uint64_t address = machine(t, runners[0]).code_address();
    runners.push_back("reference");
    for (size_t n = 0; n < cases.size(); ++n) {
      const GoldenCase& c = *cases[n];
      auto where = [&](const std::string& who) {
        return fmt::format("{}:{} {} {}\n  {}\n  {}\n", GetParam().filename().string(), c.line, isa::target_name(t), who, c.section, c.text);
      };
      World before, want;
      bool scratch = c.text.find("scratch") != std::string::npos || c.text.find("flat_") != std::string::npos;
      try {
        before = fresh(t, scratch);
        for (auto& a : c.inputs) assign(a, before, World(before), false);
        want = before;
        for (auto& a : c.results) assign(a, want, before, true);
      } catch (const std::exception& e) {
        ADD_FAILURE() << where("") << e.what();
        continue;
      }
      for (auto& who : runners) {
        if (who == "reference" && c.engines_only) continue;
        World got = before;
        std::string report = who == "reference" ? run_reference((*code)[n], address, got) : run_engine(machine(t, who), (*code)[n], got);
        ++runs;
        if (report.empty()) {
          for (auto& a : c.results) round_to(a, want, got);
          report = difference(before, want, got);
        }
        if (!report.empty()) ADD_FAILURE() << where(who) << report;
      }
    }
  }
  EXPECT_GT(runs, 0u);
  std::printf("%s: %zu cases, %zu vectors, %zu runs\n", GetParam().filename().c_str(), read->size(), vectors, runs);
}

INSTANTIATE_TEST_SUITE_P(Files, GoldenTest, ::testing::ValuesIn(files()), [](auto& info) { return info.param.stem().string(); });

} // namespace
