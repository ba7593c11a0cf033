#include "exec/judge/random.hpp"

#include <bit>
#include <cmath>

namespace bz::exec::judge {
namespace {

using isa::Type;

constexpr uint32_t kInt32[] = {0, 1, 2, 3, 7, 8, 15, 16, 24, 31, 32, 33, 63, 64, 127, 128, 255, 256, 0x7fff, 0x8000, 0xffff, 0x10000,
                               0x7fffff, 0x800000, 0xffffff, 0x1000000, 0x7ffffffe, 0x7fffffff, 0x80000000, 0x80000001, 0xaaaaaaaa,
                               0x55555555, 0xff00ff00, 0xfffffff0, 0xfffffffe, 0xffffffff, 0x80008000, 0x7fff7fff, 0x00010001, 0xffff8000};
constexpr uint16_t kInt16[] = {0, 1, 2, 3, 7, 8, 15, 16, 17, 127, 128, 255, 256, 0x7f, 0x7ffe, 0x7fff, 0x8000, 0x8001, 0xff80, 0xfffe, 0xffff, 0xaaaa};
constexpr uint64_t kInt64[] = {0, 1, 2, 31, 32, 63, 64, 0x7fffffff, 0x80000000, 0xffffffff, 0x100000000, 0x7fffffffffffffff,
                               0x8000000000000000, 0x8000000000000001, 0xfffffffffffffffe, 0xffffffffffffffff, 0xaaaaaaaaaaaaaaaa, 0xffffffff80000000};
// Zeros, denormals smallest and largest, smallest normal, near 1, halves, integers' ends, largest, infinities, NaNs both kinds.
constexpr uint32_t kFloat32[] = {0, 0x80000000, 1, 0x80000001, 0x007fffff, 0x807fffff, 0x00800000, 0x80800000, 0x00800001, 0x33800000,
                                 0x3effffff, 0x3f000000, 0xbf000000, 0x3f7fffff, 0x3f800000, 0xbf800000, 0x3f800001, 0x3fc00000, 0xbfc00000,
                                 0x40000000, 0xc0000000, 0x40200000, 0x40400000, 0x40490fdb, 0x42800000, 0x437f0000, 0x437f8000, 0x43800000, 0x46fffe00,
                                 0x477fe000, 0x477ff000, 0x477fefff, 0x477fffff, 0x47800000, 0x4affffff, 0x4b000000, 0x4b7fffff, 0x4b800000,
                                 0x4effffff, 0x4f000000, 0xcf000000, 0xcf000001, 0x4f7fffff, 0x4f800000, 0x5f000000, 0x7e800000, 0x7f000000, 0x7f7fffff, 0xff7fffff,
                                 0x7f800000, 0xff800000, 0x7fc00000, 0xffc00000, 0x7fc12345, 0x7f800001, 0xff800001, 0x7fa00000, 0x7fffffff, 0x387fc000,
                                 0x38800000, 0x33000000, 0x32ffffff, 0x33000001};
constexpr uint16_t kFloat16[] = {0, 0x8000, 1, 0x8001, 0x3ff, 0x83ff, 0x400, 0x8400, 0x401, 0x1400, 0x37ff, 0x3800, 0xb800, 0x3bff, 0x3c00, 0xbc00, 0x3c01,
                                 0x3e00, 0x4000, 0xc000, 0x4100, 0x4248, 0x5bf8, 0x5c00, 0x63ff, 0x6400, 0x6800, 0x77ff, 0x7800, 0x7bfe, 0x7bff, 0xfbff, 0x7c00,
                                 0xfc00, 0x7e00, 0xfe00, 0x7e55, 0x7c01, 0xfc01, 0x7d00, 0x7fff};
constexpr uint16_t kBfloat16[] = {0, 0x8000, 1, 0x8001, 0x7f, 0x80, 0x8080, 0x3f00, 0x3f7f, 0x3f80, 0xbf80, 0x3f81, 0x4000, 0x4049, 0x7f7f, 0xff7f,
                                  0x7f80, 0xff80, 0x7fc0, 0x7f81, 0xff81, 0x7fff};
constexpr uint64_t kFloat64[] = {0, 0x8000000000000000, 1, 0x8000000000000001, 0x000fffffffffffff, 0x0010000000000000, 0x8010000000000000,
                                 0x3fdfffffffffffff, 0x3fe0000000000000, 0xbfe0000000000000, 0x3fefffffffffffff, 0x3ff0000000000000, 0xbff0000000000000,
                                 0x3ff0000000000001, 0x3ff8000000000000, 0x4000000000000000, 0x4004000000000000, 0x400921fb54442d18, 0x41dfffffffc00000,
                                 0x41e0000000000000, 0xc1e0000000000000, 0xc1e0000000200000, 0x41efffffffe00000, 0x41f0000000000000, 0x4330000000000000,
                                 0x4340000000000000, 0x36a0000000000000, 0x3690000000000000, 0x3810000000000000, 0x380fffffe0000000, 0x47efffffe0000000,
                                 0x47effffff0000000, 0x47f0000000000000, 0x7fe0000000000000, 0x7fefffffffffffff, 0xffefffffffffffff, 0x7ff0000000000000,
                                 0xfff0000000000000, 0x7ff8000000000000, 0xfff8000000012345, 0x7ff0000000000001, 0xfff0000000000001, 0x7fffffffffffffff};

uint32_t float32(Random& r) {
  switch (r.below(8)) {
  case 0: case 1: case 2: return r.pick(kFloat32);
  case 3: return r.word();
  case 4: return std::bit_cast<uint32_t>(static_cast<float>(static_cast<int>(r.below(2001)) - 1000) / 4);
  case 5: return r.pick(kFloat32) + r.below(5) - 2;
  default: return (r.word() & 0x807fffff) | (127 - 24 + r.below(48)) << 23;  // near enough to each other for cancellation
  }
}
uint32_t float16(Random& r) {
  switch (r.below(6)) {
  case 0: case 1: return r.pick(kFloat16);
  case 2: return r.word() & 0xffff;
  case 3: return (r.pick(kFloat16) + r.below(5) - 2) & 0xffff;
  default: return (r.word() & 0x83ff) | (15 - 8 + r.below(16)) << 10;
  }
}
uint32_t bfloat16(Random& r) {
  switch (r.below(4)) {
  case 0: return r.pick(kBfloat16);
  case 1: return r.word() & 0xffff;
  default: return (r.word() & 0x807f) | (127 - 12 + r.below(24)) << 7;
  }
}
uint64_t float64(Random& r) {
  switch (r.below(8)) {
  case 0: case 1: case 2: return r.pick(kFloat64);
  case 3: return r.bits();
  case 4: return std::bit_cast<uint64_t>((static_cast<int>(r.below(2001)) - 1000) / 4.0);
  case 5: return r.pick(kFloat64) + r.below(5) - 2;
  default: return (r.bits() & 0x800fffffffffffff) | uint64_t{1023 - 53 + r.below(106)} << 52;
  }
}
uint32_t int32(Random& r) {
  switch (r.below(6)) {
  case 0: case 1: return r.pick(kInt32);
  case 2: return r.below(64);
  case 3: return r.pick(kInt32) + r.below(5) - 2;
  default: return r.word() >> (r.chance(30) ? r.below(32) : 0);
  }
}
uint32_t int16(Random& r) { return r.chance(50) ? r.pick(kInt16) : r.word() & 0xffff; }
uint64_t int64(Random& r) {
  switch (r.below(4)) {
  case 0: return r.pick(kInt64);
  case 1: return uint64_t{int32(r)} << 32 | int32(r);
  case 2: return r.pick(kInt64) + r.below(5) - 2;
  default: return r.bits() >> (r.chance(30) ? r.below(64) : 0);
  }
}

} // namespace

uint64_t random_value(Random& r, Type type) {
  switch (type) {
  case Type::f32: return float32(r);
  case Type::f64: return float64(r);
  case Type::f16: case Type::pk_f16: return float16(r) | float16(r) << 16;
  case Type::bf16: case Type::pk_bf16: return bfloat16(r) | bfloat16(r) << 16;
  case Type::mix: return r.chance(50) ? float32(r) : float16(r) | float16(r) << 16;
  case Type::b16: case Type::i16: case Type::u16: case Type::pk_i16: case Type::pk_u16: return int16(r) | int16(r) << 16;
  case Type::pk_f32: return uint64_t{float32(r)} << 32 | float32(r);
  case Type::b64: case Type::i64: case Type::u64: return int64(r);
  case Type::pk_b32: return uint64_t{int32(r)} << 32 | int32(r);
  default: return int32(r);
  }
}

int element_bits(Element e) {
  switch (e) {
  case Element::i8: case Element::fp8: case Element::bf8: return 8;
  case Element::f16: case Element::bf16: return 16;
  case Element::i32: case Element::f32: return 32;
  case Element::i64: case Element::f64: return 64;
  }
  return 32;
}

namespace {
/// FNUZ 8-bit floats: sign, exponent, mantissa of a small whole number that fits.
uint64_t float8(int value, int exponent_bits, int bias) {
  if (value == 0) return 0;
  int mantissa_bits = 7 - exponent_bits, magnitude = value < 0 ? -value : value;
  int exponent = std::bit_width(static_cast<unsigned>(magnitude)) - 1;
  unsigned fraction = static_cast<unsigned>(magnitude) << 8 >> exponent & 0xff;
  return (value < 0 ? 0x80u : 0u) | static_cast<unsigned>(exponent + bias) << mantissa_bits | fraction >> (8 - mantissa_bits);
}
} // namespace

uint64_t small_number(Element e, int value) {
  switch (e) {
  case Element::i8: return static_cast<uint8_t>(value);
  case Element::i32: return static_cast<uint32_t>(value);
  case Element::i64: return static_cast<uint64_t>(int64_t{value});
  case Element::f16: return std::bit_cast<uint16_t>(static_cast<_Float16>(value));
  case Element::bf16: return std::bit_cast<uint32_t>(static_cast<float>(value)) >> 16;
  case Element::f32: return std::bit_cast<uint32_t>(static_cast<float>(value));
  case Element::f64: return std::bit_cast<uint64_t>(static_cast<double>(value));
  case Element::fp8: return float8(value, 4, 8);
  case Element::bf8: return float8(value, 5, 16);
  }
  return 0;
}

uint64_t random_small(Random& r, Element e) {
  uint64_t x = 0;
  for (int at = 0; at < 64; at += element_bits(e)) x |= small_number(e, static_cast<int>(r.below(17)) - 8) << at;
  return x;
}

uint64_t random_mask(Random& r) {
  switch (r.below(12)) {
  case 0: case 1: case 2: case 3: return ~uint64_t{0};
  case 4: return 0;
  case 5: return uint64_t{1} << r.below(64);
  case 6: return r.bits() & r.bits() & r.bits() & r.bits();
  case 7: return uint64_t{0xffff} << (16 * r.below(4));
  case 8: return ~uint64_t{0} >> r.below(64);
  case 9: return ~uint64_t{0} << r.below(64);
  default: return r.bits();
  }
}

} // namespace bz::exec::judge
