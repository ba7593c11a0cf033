// Writes the checked-in sample of LLVM's text: one legal random word per row and form.  isa_sample gfx942 > vectors_gfx942.txt
#include "isa/decode.hpp"
#include "isa/formats.hpp"
#include "isa/llvm_mc.hpp"
#include "isa/random_words.hpp"

#include <cstdio>
#include <map>

using namespace bz::isa;

namespace {

class Sample {
public:
  explicit Sample(Target target) : target_(target), llvm_(target) {}

  void take(const uint32_t* w, size_t count) {
    auto inst = decode(target_, w, count);
    if (!inst || (!inst->legal && !row_absent(inst->row))) return;
    auto key = std::pair(inst->row, static_cast<int>(inst->form));
    if (lines_.count(key)) return;
    auto judge = llvm_.disassemble(w, count);
    if (judge.verdict != LlvmMc::Verdict::accepted) return;
    std::string hex;
    for (size_t b = 0; b < judge.size; ++b) {
      char two[3];
      std::snprintf(two, sizeof two, "%02x", w[b / 4] >> (b % 4 * 8) & 0xff);
      hex += two;
    }
    lines_[key] = " " + hex + " | " + judge.text;
  }

  bool has(RowId row) const {
    auto it = lines_.lower_bound({row, 0});
    return it != lines_.end() && it->first.first == row;
  }
  void print() const {
    for (auto& [key, line] : lines_) std::printf("%s\n", line.c_str());
  }

private:
  Target target_;
  LlvmMc llvm_;
  std::map<std::pair<RowId, int>, std::string> lines_;
};

/// Words of one row: its opcode, and ever fewer other bits, for rows that leave most of them reserved.
void look_closer(Sample& sample, Target target, RowId row, RandomWords& random) {
  auto& m = row_meta(row);
  bool scaled = m.formats & VOP3PX;
  const Layout& l = m.formats & DS ? kDS : scaled ? kMAI : kVOP3;
  auto opcode = l.fields[static_cast<size_t>('O')];
  for (int i = 0; i < 40000 && !sample.has(row); ++i) {
    auto w = random.next(), fewer = random.next(), fewest = random.next();
    for (size_t k = 0; k < w.size(); ++k) w[k] &= i < 10000 ? ~0u : i < 20000 ? fewer[k] : i < 39999 ? fewer[k] & fewest[k] : 0;
    uint32_t* at = w.data() + (scaled ? 2 : 0);
    if (scaled) w[0] = 0xd3ac0000, at[0] = (at[0] & 0x87ff) | 1 << 11;
    else at[0] &= 0xff, at[1] &= 0x07ffffff;   // no modifiers
    at[0] = (at[0] & ~l.fixed_mask & ~(((1u << opcode.width) - 1) << opcode.low)) | l.fixed_value | static_cast<uint32_t>(m.op.of(target)) << opcode.low;
    sample.take(w.data(), w.size());
  }
}

} // namespace

int main(int argc, char** argv) {
  auto target = argc > 1 ? target_from_name(argv[1]) : std::nullopt;
  if (!target) return std::fprintf(stderr, "usage: isa_sample <target>\n"), 2;
  Sample sample(*target);
  RandomWords random(42);
  for (long i = 0; i < 8000000; ++i) {
    auto w = random.next();
    sample.take(w.data(), w.size());
    if ((w[0] & 0x800001ff) != 250) continue;
    w[1] = (w[1] & ~0x1ff00u) | 0x15500;   // DPP: row_newbcast, all that double precision has
    sample.take(w.data(), w.size());
  }
  for (RowId row = 0; row < row_count(); ++row) {
    auto& m = row_meta(row);
    if ((m.targets & bit(*target)) && m.op.of(*target) >= 0 && !sample.has(row)) look_closer(sample, *target, row, random);
    if ((m.targets & bit(*target)) && m.op.of(*target) >= 0 && !sample.has(row)) std::fprintf(stderr, "no word of %s\n", m.name);
  }
  std::printf("# Text by LLVM 22's disassembler for %s, one word per row and form. Made by isa_sample.\n", argv[1]);
  sample.print();
}
