// References of the matrix rows: plain products over the register layouts of AMD's matrix instruction calculator. AMD publishes no
// order of accumulation; docs/fidelity.md has ours: k ascending, each step fused and rounded once in the accumulator's type.
#include "isa/ref/families.hpp"
#include "isa/ref/machine.hpp"

#include <cmath>
#include <cstring>
#include <string>
#include <vector>

namespace bz::isa::ref {
namespace {

enum class T { f64, f32, xf32, f16, bf16, fp8, bf8, i8, i32 };
int bits_of(T t) {
  switch (t) {
  case T::f64: return 64;
  case T::f32: case T::xf32: case T::i32: return 32;
  case T::f16: case T::bf16: return 16;
  default: return 8;
  }
}

struct Shape {
  const char* name;
  int m, n, k, blocks;
  T a, b, acc;
  bool sparse = false;
};

/// 8-bit floats: fp8 has 4 exponent bits, bf8 5. gfx942's are FNUZ (no infinities, no negative zero, 0x80 is NaN, exponent bias
/// 8 or 16), gfx950's are OCP (bias 7 or 15, signed zeros; fp8 has NaN at 0x7f only, bf8 infinities and NaNs at exponent 31).
double small_float(uint8_t x, int exponent_bits, Target target) {
  bool fnuz = target != Target::gfx950;
  int bias = (1 << (exponent_bits - 1)) - !fnuz;
  if (fnuz && x == 0x80) return NAN;
  int mantissa_bits = 7 - exponent_bits;
  int e = x >> mantissa_bits & ((1 << exponent_bits) - 1), f = x & ((1 << mantissa_bits) - 1);
  double v = e ? std::ldexp(1.0 + std::ldexp(f, -mantissa_bits), e - bias) : std::ldexp(f, 1 - bias - mantissa_bits);
  if (!fnuz && exponent_bits == 4 && (x & 0x7f) == 0x7f) v = NAN;
  if (!fnuz && exponent_bits == 5 && e == 31) v = f ? NAN : INFINITY;
  return x & 0x80 ? -v : v;
}

class Registers {
public:
  Registers(const Machine& m, const Operand& o) : m_(m), o_(o) {}
  uint32_t dword(int n, int lane) const {
    switch (o_.kind) {
    case Operand::Kind::vgpr: return m_.vgpr[(o_.number + static_cast<unsigned>(n)) & 255][static_cast<size_t>(lane)];
    case Operand::Kind::agpr: return m_.agpr[(o_.number + static_cast<unsigned>(n)) & 255][static_cast<size_t>(lane)];
    default: return o_.type == Type::f64 ? static_cast<uint32_t>(o_.value >> (32 * (n & 1))) : static_cast<uint32_t>(o_.value);
    }
  }
  double element(T t, int e, int lane) const {
    int bits = bits_of(t);
    if (t == T::f64) {
      uint64_t x = dword(2 * e, lane) | uint64_t{dword(2 * e + 1, lane)} << 32;
      return std::bit_cast<double>(x);
    }
    uint32_t x = dword(e * bits / 32, lane) >> (e * bits % 32);
    switch (t) {
    case T::f32: return std::bit_cast<float>(x);
    case T::xf32: return std::bit_cast<float>(x & ~0x1fffu);   // ten digits after the leading one
    case T::f16: return flushed(static_cast<double>(std::bit_cast<_Float16>(static_cast<uint16_t>(x))), 0x1p-14);
    case T::bf16: return flushed(std::bit_cast<float>(x << 16), 0x1p-126);
    case T::fp8: return small_float(static_cast<uint8_t>(x), 4, m_.target);
    case T::bf8: return small_float(static_cast<uint8_t>(x), 5, m_.target);
    case T::i8: return static_cast<int8_t>(x);
    default: return static_cast<int32_t>(x);
    }
  }

  /// MI200 flushes denormals that come into and go out of products of halves and bfloat16; its other formats and other chips keep
  /// them (AMD's notes on the numerical behaviour of MI200, in MIOpen's and PyTorch's documentation).
  double flushed(double x, double least) const { return m_.target == Target::gfx90a && std::fabs(x) < least ? std::copysign(0.0, x) : x; }

private:
  const Machine& m_;
  const Operand& o_;
};

/// Where element (row, column) of block b of C and D sits: register (in elements) and lane.
struct Slot { int reg, lane; };
Slot result_slot(const Shape& s, int row, int column, int block) {
  if (s.acc == T::f64) {
    // One row a lane group: 16x16x4 has four doubles a lane, 4x4x4 one.
    if (s.m == 16) return {row / 4, column + 16 * (row % 4)};
    return {0, column + 4 * block + 16 * row};
  }
  switch (s.m) {
  case 32: return {16 * block + row % 4 + 4 * (row / 8), column + 32 * (row / 4 % 2)};
  case 16: return {4 * block + row % 4, column + 16 * (row / 4)};
  default: return {row, column + 4 * block};
  }
}

void multiply(const Shape& s, Machine& m, const Inst& i) {
  const Machine before = m;
  Registers a(before, i.source(0)), b(before, i.source(1));
  const Operand& c_operand = s.sparse ? i.dest() : i.source(2);
  Registers c(before, c_operand);
  // Elements of K that one lane holds: the rest of K is spread over lane groups (B's for the sparse forms).
  int per_lane = s.k * s.n * s.blocks / 64;
  bool f64 = s.acc == T::f64;
  auto lane_of = [&](int index, int size, int block, int k) { return index + size * (block + s.blocks * (k / per_lane)); };
  auto b_lane = [&](int lane) {
    if (f64) return lane;
    switch (i.blgp) {  // B lane-group patterns, MI100 ISA section 7
    case 1: return lane & 31;
    case 2: return (lane & 31) | 32;
    case 3: return (lane + 16) & 63;
    case 4: case 5: case 6: case 7: return (lane & 15) | (i.blgp - 4) << 4;
    default: return lane;
    }
  };
  double sign_a = f64 && (i.blgp & 1) ? -1 : 1, sign_b = f64 && (i.blgp & 2) ? -1 : 1, sign_c = f64 && (i.blgp & 4) ? -1 : 1;
  for (int block = 0; block < s.blocks; ++block) {
    int a_block = i.cbsz && !s.sparse ? (block & ~((1 << i.cbsz) - 1)) + i.abid : block;
    for (int row = 0; row < s.m; ++row)
      for (int column = 0; column < s.n; ++column) {
        Slot d = result_slot(s, row, column, block);
        double sum = sign_c * c.element(s.acc, d.reg, d.lane);
        bool halves = s.a == T::f16 || s.a == T::bf16;
        if (halves) sum = c.flushed(sum, 0x1p-126);
        int64_t isum = static_cast<int64_t>(sum);
        auto add = [&](double x, double y) {
          if (s.acc == T::i32) isum += static_cast<int64_t>(x) * static_cast<int64_t>(y);
          else if (f64) sum = std::fma(x, y, sum);
          else sum = double{std::fmaf(static_cast<float>(x), static_cast<float>(y), static_cast<float>(sum))};   // all exact but the result
        };
        if (!s.sparse) {
          for (int k = 0; k < s.k; ++k)
            add(sign_a * a.element(s.a, k % per_lane, lane_of(row, s.m, a_block, k)),
                sign_b * b.element(s.b, k % per_lane, b_lane(lane_of(column, s.n, block, k))));
        } else {
          // Two of four values of a row are stored; two index bits each, chosen among the sets by abid (cbsz 0).
          int stored = per_lane / 2, sets = 32 / (2 * stored);
          for (int group = 0; group < s.k / per_lane; ++group) {
            int lane = row + s.m * group;
            uint32_t index = Registers(before, i.source(2)).dword(0, lane) >> (i.cbsz ? 0 : 2 * stored * (i.abid % sets));
            for (int e = 0; e < stored; ++e) {
              int k = 4 * (e / 2) + static_cast<int>(index >> (2 * e) & 3);
              add(a.element(s.a, e, lane), b.element(s.b, k, column + s.n * group));
            }
          }
        }
        if (halves) sum = c.flushed(sum, 0x1p-126);
        auto& file = i.dest().kind == Operand::Kind::agpr ? m.agpr : m.vgpr;
        auto put = [&](int n, uint32_t x) { file[(i.dest().number + static_cast<unsigned>(n)) & 255][static_cast<size_t>(d.lane)] = x; };
        if (f64) {
          uint64_t x = std::bit_cast<uint64_t>(sum);
          put(2 * d.reg, static_cast<uint32_t>(x)), put(2 * d.reg + 1, static_cast<uint32_t>(x >> 32));
        } else if (s.acc == T::i32) {
          int64_t x = isum;
          if (i.clamp) x = x > INT32_MAX ? INT32_MAX : x < INT32_MIN ? INT32_MIN : x;
          put(d.reg, static_cast<uint32_t>(x));
        } else {
          put(d.reg, std::bit_cast<uint32_t>(static_cast<float>(sum)));
        }
      }
  }
}

constexpr Shape kShapes[] = {
    {"v_mfma_f32_16x16x8_xf32", 16, 16, 8, 1, T::xf32, T::xf32, T::f32},
    {"v_mfma_f32_32x32x4_xf32", 32, 32, 4, 1, T::xf32, T::xf32, T::f32},
    {"v_mfma_f32_32x32x1f32", 32, 32, 1, 2, T::f32, T::f32, T::f32},
    {"v_mfma_f32_16x16x1f32", 16, 16, 1, 4, T::f32, T::f32, T::f32},
    {"v_mfma_f32_4x4x1f32", 4, 4, 1, 16, T::f32, T::f32, T::f32},
    {"v_mfma_f32_32x32x2f32", 32, 32, 2, 1, T::f32, T::f32, T::f32},
    {"v_mfma_f32_16x16x4f32", 16, 16, 4, 1, T::f32, T::f32, T::f32},
    {"v_mfma_f32_32x32x4f16", 32, 32, 4, 2, T::f16, T::f16, T::f32},
    {"v_mfma_f32_16x16x4f16", 16, 16, 4, 4, T::f16, T::f16, T::f32},
    {"v_mfma_f32_4x4x4f16", 4, 4, 4, 16, T::f16, T::f16, T::f32},
    {"v_mfma_f32_32x32x8f16", 32, 32, 8, 1, T::f16, T::f16, T::f32},
    {"v_mfma_f32_16x16x16f16", 16, 16, 16, 1, T::f16, T::f16, T::f32},
    {"v_mfma_i32_32x32x4i8", 32, 32, 4, 2, T::i8, T::i8, T::i32},
    {"v_mfma_i32_16x16x4i8", 16, 16, 4, 4, T::i8, T::i8, T::i32},
    {"v_mfma_i32_4x4x4i8", 4, 4, 4, 16, T::i8, T::i8, T::i32},
    {"v_mfma_i32_32x32x8i8", 32, 32, 8, 1, T::i8, T::i8, T::i32},
    {"v_mfma_i32_16x16x16i8", 16, 16, 16, 1, T::i8, T::i8, T::i32},
    {"v_mfma_i32_32x32x16_i8", 32, 32, 16, 1, T::i8, T::i8, T::i32},
    {"v_mfma_i32_16x16x32_i8", 16, 16, 32, 1, T::i8, T::i8, T::i32},
    {"v_mfma_f32_32x32x4bf16_1k", 32, 32, 4, 2, T::bf16, T::bf16, T::f32},
    {"v_mfma_f32_16x16x4bf16_1k", 16, 16, 4, 4, T::bf16, T::bf16, T::f32},
    {"v_mfma_f32_4x4x4bf16_1k", 4, 4, 4, 16, T::bf16, T::bf16, T::f32},
    {"v_mfma_f32_32x32x8bf16_1k", 32, 32, 8, 1, T::bf16, T::bf16, T::f32},
    {"v_mfma_f32_16x16x16bf16_1k", 16, 16, 16, 1, T::bf16, T::bf16, T::f32},
    {"v_mfma_f32_32x32x2bf16", 32, 32, 2, 2, T::bf16, T::bf16, T::f32},
    {"v_mfma_f32_16x16x2bf16", 16, 16, 2, 4, T::bf16, T::bf16, T::f32},
    {"v_mfma_f32_4x4x2bf16", 4, 4, 2, 16, T::bf16, T::bf16, T::f32},
    {"v_mfma_f32_32x32x4bf16", 32, 32, 4, 1, T::bf16, T::bf16, T::f32},
    {"v_mfma_f32_16x16x8bf16", 16, 16, 8, 1, T::bf16, T::bf16, T::f32},
    {"v_mfma_f64_16x16x4f64", 16, 16, 4, 1, T::f64, T::f64, T::f64},
    {"v_mfma_f64_4x4x4f64", 4, 4, 4, 4, T::f64, T::f64, T::f64},
    {"v_mfma_f32_16x16x32_bf8_bf8", 16, 16, 32, 1, T::bf8, T::bf8, T::f32},
    {"v_mfma_f32_16x16x32_bf8_fp8", 16, 16, 32, 1, T::bf8, T::fp8, T::f32},
    {"v_mfma_f32_16x16x32_fp8_bf8", 16, 16, 32, 1, T::fp8, T::bf8, T::f32},
    {"v_mfma_f32_16x16x32_fp8_fp8", 16, 16, 32, 1, T::fp8, T::fp8, T::f32},
    {"v_mfma_f32_32x32x16_bf8_bf8", 32, 32, 16, 1, T::bf8, T::bf8, T::f32},
    {"v_mfma_f32_32x32x16_bf8_fp8", 32, 32, 16, 1, T::bf8, T::fp8, T::f32},
    {"v_mfma_f32_32x32x16_fp8_bf8", 32, 32, 16, 1, T::fp8, T::bf8, T::f32},
    {"v_mfma_f32_32x32x16_fp8_fp8", 32, 32, 16, 1, T::fp8, T::fp8, T::f32},
    {"v_smfmac_f32_16x16x32_f16", 16, 16, 32, 1, T::f16, T::f16, T::f32, true},
    {"v_smfmac_f32_32x32x16_f16", 32, 32, 16, 1, T::f16, T::f16, T::f32, true},
    {"v_smfmac_f32_16x16x32_bf16", 16, 16, 32, 1, T::bf16, T::bf16, T::f32, true},
    {"v_smfmac_f32_32x32x16_bf16", 32, 32, 16, 1, T::bf16, T::bf16, T::f32, true},
    {"v_smfmac_i32_16x16x64_i8", 16, 16, 64, 1, T::i8, T::i8, T::i32, true},
    {"v_smfmac_i32_32x32x32_i8", 32, 32, 32, 1, T::i8, T::i8, T::i32, true},
    {"v_smfmac_f32_16x16x64_bf8_bf8", 16, 16, 64, 1, T::bf8, T::bf8, T::f32, true},
    {"v_smfmac_f32_16x16x64_bf8_fp8", 16, 16, 64, 1, T::bf8, T::fp8, T::f32, true},
    {"v_smfmac_f32_16x16x64_fp8_bf8", 16, 16, 64, 1, T::fp8, T::bf8, T::f32, true},
    {"v_smfmac_f32_16x16x64_fp8_fp8", 16, 16, 64, 1, T::fp8, T::fp8, T::f32, true},
    {"v_smfmac_f32_32x32x32_bf8_bf8", 32, 32, 32, 1, T::bf8, T::bf8, T::f32, true},
    {"v_smfmac_f32_32x32x32_bf8_fp8", 32, 32, 32, 1, T::bf8, T::fp8, T::f32, true},
    {"v_smfmac_f32_32x32x32_fp8_bf8", 32, 32, 32, 1, T::fp8, T::bf8, T::f32, true},
    {"v_smfmac_f32_32x32x32_fp8_fp8", 32, 32, 32, 1, T::fp8, T::fp8, T::f32, true},
};

void run(Machine& m, const Inst& i) {
  for (auto& s : kShapes)
    if (row_name(i) == s.name) return multiply(s, m, i);
}

} // namespace

void register_matrix() {
  static const bool done = [] {
    auto* entries = new std::vector<Entry>;
    for (auto& s : kShapes) entries->push_back({s.name, nullptr, nullptr, run});
    add(entries->data(), entries->size());
    return true;
  }();
  (void)done;
}

} // namespace bz::isa::ref
