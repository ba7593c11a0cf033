// Matrix semantics: shape and types of a row, read off its name. Owns no row; must not know any engine.
#pragma once
#include "isa/builder.hpp"
#include "isa/row.hpp"

#include <string_view>

namespace bz::isa {

struct Matrix {
  int m, n, k, blocks;
  Num a, b, acc;
};

/// "v_mfma_f32_32x32x4f16", "v_smfmac_f32_16x16x64_bf8_fp8": M x N x K, then the types of A and B (one name for both where
/// they agree). Blocks follow from the accumulator's `dwords` registers: dwords * 64 elements of 32 bits.
consteval Matrix matrix_named(std::string_view name, std::string_view acc, int dwords) {
  size_t i = name.find("x") - 1;
  while (name[i - 1] != '_') --i;
  auto number = [&] {
    int x = 0;
    while (i < name.size() && name[i] >= '0' && name[i] <= '9') x = 10 * x + (name[i++] - '0');
    return x;
  };
  Matrix r{};
  r.m = number(), ++i, r.n = number(), ++i, r.k = number();
  auto type = [](std::string_view w) {
    return w == "f64" ? Num::f64 : w == "f32" ? Num::f32 : w == "xf32" ? Num::xf32 : w == "f16" ? Num::f16
         : w == "bf16" || w == "bf16_1k" ? Num::bf16 : w == "fp8" ? Num::fp8 : w == "bf8" ? Num::bf8
         : w == "i8" ? Num::i8 : Num::i32;
  };
  std::string_view rest = name.substr(i);
  if (rest[0] == '_') rest.remove_prefix(1);
  bool two = rest.size() == 7;  // fp8_bf8 and the like; bf16_1k has seven letters too, and one type
  if (rest == "bf16_1k") two = false;
  r.a = type(two ? rest.substr(0, 3) : rest);
  r.b = type(two ? rest.substr(4) : rest);
  r.acc = acc == "f64" ? Num::f64 : acc == "i32" ? Num::i32 : Num::f32;
  r.blocks = dwords * 64 / (r.acc == Num::f64 ? 2 : 1) / (r.m * r.n);
  return r;
}
static_assert(matrix_named("v_mfma_f32_32x32x4f16", "f32", 32).blocks == 2);
static_assert(matrix_named("v_mfma_f32_4x4x4bf16_1k", "f32", 4).a == Num::bf16);
static_assert(matrix_named("v_mfma_f32_16x16x32_bf8_fp8", "f32", 4).b == Num::fp8);

template <Matrix X> inline constexpr auto kMfma = [](auto& b) { b.template mfma<Tile{X.m, X.n, X.k, X.blocks}, X.a, X.b, X.acc>(); };
template <Matrix X> inline constexpr auto kSmfmac = [](auto& b) { b.template smfmac<Tile{X.m, X.n, X.k, X.blocks}, X.a, X.b, X.acc>(); };

} // namespace bz::isa
