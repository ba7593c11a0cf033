#include "expectations.hpp"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <functional>

namespace bz::builtins {
namespace {

using Bits = std::function<uint64_t(const Values&, int lane)>;
using Number = std::function<double(const Values&, int lane)>;

uint32_t u(const Values& v, int p, int lane) { return static_cast<uint32_t>(v.bits(p, lane)); }
int32_t s(const Values& v, int p, int lane) { return static_cast<int32_t>(v.bits(p, lane)); }
uint32_t byte(uint64_t w, int n) { return static_cast<uint32_t>(w >> (8 * n)) & 255; }
uint32_t sad(uint32_t a, uint32_t b, uint32_t start, bool masked) {
  for (int n = 0; n < 4; ++n)
    if (!masked || byte(b, n)) start += static_cast<uint32_t>(std::abs(static_cast<int>(byte(a, n)) - static_cast<int>(byte(b, n))));
  return start;
}
uint64_t quad_sad(uint64_t a, uint32_t b, uint64_t start, bool masked) {
  uint64_t r = 0;
  for (int n = 0; n < 4; ++n) {
    const uint32_t sum = sad(static_cast<uint32_t>(a >> (8 * n)), b, static_cast<uint32_t>(start >> (16 * n)) & 0xffff, masked);
    r |= static_cast<uint64_t>(sum & 0xffff) << (16 * n);
  }
  return r;
}
int64_t dot(const Values& v, int lane, int width, bool sign) {
  int64_t sum = sign ? int64_t{s(v, 2, lane)} : int64_t{u(v, 2, lane)};
  auto part = [&](int p, int n) {
    const uint64_t bits = v.builtin().parameters[static_cast<size_t>(p)].type.count > 1 ? v.bits(p, lane, n) : v.bits(p, lane) >> (width * n);
    const auto value = static_cast<int64_t>(bits & ((1u << width) - 1));
    return sign && value >> (width - 1) ? value - (int64_t{1} << width) : value;
  };
  for (int n = 0; n < 32 / width; ++n) sum += part(0, n) * part(1, n);
  return sum;
}
uint64_t reduce(const Values& v, uint64_t start, uint64_t (*step)(uint64_t, uint64_t)) {
  for (int l = 0; l < kLanes; ++l) start = step(start, v.bits(0, l));
  return start;
}

/// Exact results. A second operand `lane` reads lanes of the same call.
const std::map<std::string, Bits>& exact() {
  static const std::map<std::string, Bits> table = {
      {"alignbit", [](auto& v, int l) { return (((uint64_t{u(v, 0, l)} << 32) | u(v, 1, l)) >> (u(v, 2, l) & 31)) & 0xffffffff; }},
      {"alignbyte", [](auto& v, int l) { return (((uint64_t{u(v, 0, l)} << 32) | u(v, 1, l)) >> (8 * (u(v, 2, l) & 3))) & 0xffffffff; }},
      {"perm", [](auto& v, int l) {
         const uint64_t both = uint64_t{u(v, 0, l)} << 32 | u(v, 1, l);
         uint64_t r = 0;
         for (int n = 0; n < 4; ++n) {
           const uint32_t select = byte(u(v, 2, l), n);
           uint32_t b = 0;
           if (select >= 13) b = 255;
           else if (select == 12) b = 0;
           else if (select >= 8) b = both >> ((select - 8) * 16 + 15) & 1 ? 255 : 0;
           else b = byte(both, static_cast<int>(select));
           r |= uint64_t{b} << (8 * n);
         }
         return r;
       }},
      {"ubfe", [](auto& v, int l) { return (uint64_t{u(v, 0, l)} >> (u(v, 1, l) & 31)) & ((uint64_t{1} << (u(v, 2, l) & 31)) - 1); }},
      {"sbfe", [](auto& v, int l) {
         const uint32_t offset = u(v, 1, l) & 31, width = u(v, 2, l) & 31;
         if (width == 0) return uint64_t{0};
         const int64_t field = int64_t{s(v, 0, l)} >> offset; // its sign goes on beyond the top
         return static_cast<uint64_t>(static_cast<uint32_t>(field << (64 - width) >> (64 - width)));
       }},
      {"lerp", [](auto& v, int l) {
         uint64_t r = 0;
         for (int n = 0; n < 4; ++n) r |= uint64_t{(byte(u(v, 0, l), n) + byte(u(v, 1, l), n) + (byte(u(v, 2, l), n) & 1)) >> 1} << (8 * n);
         return r;
       }},
      {"sad_u8", [](auto& v, int l) { return uint64_t{sad(u(v, 0, l), u(v, 1, l), u(v, 2, l), false)}; }},
      {"msad_u8", [](auto& v, int l) { return uint64_t{sad(u(v, 0, l), u(v, 1, l), u(v, 2, l), true)}; }},
      {"sad_hi_u8", [](auto& v, int l) { return uint64_t{(sad(u(v, 0, l), u(v, 1, l), 0, false) << 16) + u(v, 2, l)}; }},
      {"sad_u16", [](auto& v, int l) {
         const uint32_t a = u(v, 0, l), b = u(v, 1, l);
         return uint64_t{u(v, 2, l) + static_cast<uint32_t>(std::abs(int(a & 0xffff) - int(b & 0xffff)) + std::abs(int(a >> 16) - int(b >> 16)))};
       }},
      {"qsad_pk_u16_u8", [](auto& v, int l) { return quad_sad(v.bits(0, l), u(v, 1, l), v.bits(2, l), false); }},
      {"mqsad_pk_u16_u8", [](auto& v, int l) { return quad_sad(v.bits(0, l), u(v, 1, l), v.bits(2, l), true); }},
      {"sdot2", [](auto& v, int l) { return uint64_t{static_cast<uint32_t>(dot(v, l, 16, true))}; }},
      {"udot2", [](auto& v, int l) { return uint64_t{static_cast<uint32_t>(dot(v, l, 16, false))}; }},
      {"sdot4", [](auto& v, int l) { return uint64_t{static_cast<uint32_t>(dot(v, l, 8, true))}; }},
      {"udot4", [](auto& v, int l) { return uint64_t{static_cast<uint32_t>(dot(v, l, 8, false))}; }},
      {"sdot8", [](auto& v, int l) { return uint64_t{static_cast<uint32_t>(dot(v, l, 4, true))}; }},
      {"udot8", [](auto& v, int l) { return uint64_t{static_cast<uint32_t>(dot(v, l, 4, false))}; }},
      {"cvt_pk_u16", [](auto& v, int l) { return uint64_t{std::min(u(v, 0, l), 0xffffu) | std::min(u(v, 1, l), 0xffffu) << 16}; }},
      {"cvt_pk_i16", [](auto& v, int l) {
         auto clamp = [](int32_t x) { return static_cast<uint32_t>(std::clamp(x, -32768, 32767)) & 0xffff; };
         return uint64_t{clamp(s(v, 0, l)) | clamp(s(v, 1, l)) << 16};
       }},
      {"readfirstlane", [](auto& v, int) { return v.bits(0, 0); }},
      {"readlane", [](auto& v, int) { return v.bits(0, 5); }},
      {"ds_bpermute", [](auto& v, int l) { return v.bits(1, static_cast<int>(u(v, 0, l) >> 2 & 63)); }},
      {"ds_swizzle", [](auto& v, int l) { return v.bits(0, l ^ 1); }},
      {"mov_dpp", [](auto& v, int l) { return l % 16 ? v.bits(0, l - 1) : 0; }},
      {"update_dpp", [](auto& v, int l) { return l % 16 ? v.bits(1, l - 1) : v.bits(0, l); }},
      {"mbcnt_lo", [](auto& v, int l) { return uint64_t{u(v, 1, l) + static_cast<uint32_t>(std::popcount(l < 32 ? u(v, 0, l) & ((1u << l) - 1) : u(v, 0, l)))}; }},
      {"mbcnt_hi", [](auto& v, int l) { return uint64_t{u(v, 1, l) + static_cast<uint32_t>(l < 33 ? 0 : std::popcount(u(v, 0, l) & ((1u << (l - 32)) - 1)))}; }},
      {"ballot_w64", [](auto& v, int) {
         uint64_t r = 0;
         for (int l = 0; l < kLanes; ++l) r |= v.bits(0, l) << l;
         return r;
       }},
      {"read_exec", [](auto&, int) { return ~uint64_t{0}; }},
      {"read_exec_lo", [](auto&, int) { return uint64_t{0xffffffff}; }},
      {"read_exec_hi", [](auto&, int) { return uint64_t{0xffffffff}; }},
      {"wavefrontsize", [](auto&, int) { return uint64_t{64}; }},
      {"workitem_id_x", [](auto&, int l) { return static_cast<uint64_t>(l); }},
      {"workgroup_size_x", [](auto&, int) { return uint64_t{64}; }},
      {"grid_size_x", [](auto&, int) { return uint64_t{64}; }},
      {"wave_reduce_add_u32", [](auto& v, int) { return reduce(v, 0, [](uint64_t a, uint64_t b) { return (a + b) & 0xffffffff; }); }},
      {"wave_reduce_add_u64", [](auto& v, int) { return reduce(v, 0, [](uint64_t a, uint64_t b) { return a + b; }); }},
      {"wave_reduce_and_b32", [](auto& v, int) { return reduce(v, 0xffffffff, [](uint64_t a, uint64_t b) { return a & b; }); }},
      {"wave_reduce_or_b32", [](auto& v, int) { return reduce(v, 0, [](uint64_t a, uint64_t b) { return a | b; }); }},
      {"wave_reduce_xor_b32", [](auto& v, int) { return reduce(v, 0, [](uint64_t a, uint64_t b) { return a ^ b; }); }},
      {"wave_reduce_and_b64", [](auto& v, int) { return reduce(v, ~uint64_t{0}, [](uint64_t a, uint64_t b) { return a & b; }); }},
      {"wave_reduce_or_b64", [](auto& v, int) { return reduce(v, 0, [](uint64_t a, uint64_t b) { return a | b; }); }},
      {"wave_reduce_xor_b64", [](auto& v, int) { return reduce(v, 0, [](uint64_t a, uint64_t b) { return a ^ b; }); }},
      {"wave_reduce_max_u32", [](auto& v, int) { return reduce(v, 0, [](uint64_t a, uint64_t b) { return std::max(a, b); }); }},
      {"wave_reduce_max_u64", [](auto& v, int) { return reduce(v, 0, [](uint64_t a, uint64_t b) { return std::max(a, b); }); }},
      {"wave_reduce_min_u32", [](auto& v, int) { return reduce(v, ~uint64_t{0}, [](uint64_t a, uint64_t b) { return std::min(a, b); }); }},
      {"wave_reduce_min_u64", [](auto& v, int) { return reduce(v, ~uint64_t{0}, [](uint64_t a, uint64_t b) { return std::min(a, b); }); }},
  };
  return table;
}

double fraction(double x) { return x - std::floor(x); }

struct Approximate {
  Number value;
  double relative, absolute; // what the manuals allow, with room for the rounding of the result
};
const std::map<std::string, Approximate>& approximate() {
  auto one = [](double (*f)(double)) -> Number { return [f](const Values& v, int l) { return f(v.number(0, l)); }; };
  static const std::map<std::string, Approximate> table = {
      {"rcpf", {one([](double x) { return 1 / x; }), 2e-7, 1e-37}},
      {"rcp", {one([](double x) { return 1 / x; }), 1e-7, 1e-300}},
      {"rcph", {one([](double x) { return 1 / x; }), 2e-3, 1e-7}},
      {"rsqf", {one([](double x) { return 1 / std::sqrt(x); }), 2e-7, 0}},
      {"rsq", {one([](double x) { return 1 / std::sqrt(x); }), 1e-7, 0}},
      {"rsqh", {one([](double x) { return 1 / std::sqrt(x); }), 2e-3, 0}},
      {"sqrtf", {one([](double x) { return std::sqrt(x); }), 2e-7, 0}},
      {"sqrt", {one([](double x) { return std::sqrt(x); }), 1e-7, 0}},
      {"sqrth", {one([](double x) { return std::sqrt(x); }), 2e-3, 0}},
      {"logf", {one([](double x) { return std::log2(x); }), 3e-7, 3e-7}},
      {"exp2f", {one([](double x) { return std::exp2(x); }), 3e-7, 0}},
      {"sinf", {one([](double x) { return std::sin(2 * M_PI * x); }), 0, 3e-6}},
      {"cosf", {one([](double x) { return std::cos(2 * M_PI * x); }), 0, 3e-6}},
      {"sinh", {one([](double x) { return std::sin(2 * M_PI * x); }), 0, 2e-3}},
      {"cosh", {one([](double x) { return std::cos(2 * M_PI * x); }), 0, 2e-3}},
      {"fract", {one(fraction), 0, 1e-15}},
      {"fractf", {one(fraction), 0, 1e-7}},
      {"fracth", {one(fraction), 0, 1e-3}},
      {"ldexp", {[](auto& v, int l) { return std::ldexp(v.number(0, l), s(v, 1, l)); }, 0, 0}},
      {"ldexpf", {[](auto& v, int l) { return static_cast<double>(std::ldexp(static_cast<float>(v.number(0, l)), s(v, 1, l))); }, 0, 0}},
      {"frexp_mant", {[](auto& v, int l) { int e; return std::frexp(v.number(0, l), &e); }, 0, 0}},
      {"frexp_mantf", {[](auto& v, int l) { int e; return std::frexp(v.number(0, l), &e); }, 0, 0}},
      {"frexp_exp", {[](auto& v, int l) { int e; std::frexp(v.number(0, l), &e); return double(e); }, 0, 0}},
      {"frexp_expf", {[](auto& v, int l) { int e; std::frexp(v.number(0, l), &e); return double(e); }, 0, 0}},
      {"frexp_exph", {[](auto& v, int l) { int e; std::frexp(v.number(0, l), &e); return double(e); }, 0, 0}},
      {"fmed3f", {[](auto& v, int l) { double a[3] = {v.number(0, l), v.number(1, l), v.number(2, l)}; std::sort(a, a + 3); return a[1]; }, 0, 0}},
      {"fmed3h", {[](auto& v, int l) { double a[3] = {v.number(0, l), v.number(1, l), v.number(2, l)}; std::sort(a, a + 3); return a[1]; }, 0, 0}},
      {"fdot2", {[](auto& v, int l) { return v.number(0, l, 0) * v.number(1, l, 0) + v.number(0, l, 1) * v.number(1, l, 1) + v.number(2, l); }, 1e-6, 1e-5}},
      {"wave_reduce_fmax_f32", {[](auto& v, int) { double r = v.number(0, 0); for (int l = 1; l < kLanes; ++l) r = std::max(r, v.number(0, l)); return r; }, 0, 0}},
      {"wave_reduce_fmin_f32", {[](auto& v, int) { double r = v.number(0, 0); for (int l = 1; l < kLanes; ++l) r = std::min(r, v.number(0, l)); return r; }, 0, 0}},
  };
  return table;
}

/// Dense matrix products: mfma_<out>_<M>x<N>x<K><in>. Small whole numbers, so that no order of additions matters.
struct Matrix {
  int m, k, blocks, per_lane; // m rows and columns; elements of A in a lane
  bool f64;
};
std::optional<Matrix> matrix_of(const Builtin& b) {
  int n = 0;
  Matrix x{};
  if (std::sscanf(b.name.c_str(), "mfma_%*3[fi0-9]_%dx%dx%d", &x.m, &n, &x.k) != 3 && std::sscanf(b.name.c_str() + 9, "%dx%dx%d", &x.m, &n, &x.k) != 3) return {};
  if (b.name.find("fp8") != std::string::npos || b.name.find("bf8") != std::string::npos) return {};
  x.f64 = b.result.element == "f64";
  x.blocks = kLanes * b.result.count / (x.m * x.m);
  x.per_lane = x.m * x.k * x.blocks / kLanes;
  return x;
}
double element_of(const Values& v, int parameter, int lane, int element) {
  const Type& t = v.builtin().parameters[static_cast<size_t>(parameter)].type;
  if (parameter < 2 && v.builtin().name.ends_with("i8")) return static_cast<int8_t>(v.bits(parameter, lane) >> (8 * element));
  return t.count > 1 ? v.number(parameter, lane, element) : v.number(parameter, lane);
}
double product(const Values& v, const Matrix& x, int lane, int element) {
  // Where D (and C) has row i and column j of which block.
  const int per_block = x.m * x.m / kLanes ? x.m * x.m / kLanes : 1;
  int i = 0, j = lane % x.m, block = 0;
  if (x.f64) {
    if (x.m == 4) block = lane / 4 % 4, i = lane / 16;
    else i = 4 * element + lane / 16;
  } else if (x.m == 4) {
    block = lane / 4, i = element;
  } else {
    const int r = element % per_block, group = lane / x.m;
    block = element / per_block;
    i = x.m == 32 ? 8 * (r / 4) + 4 * group + r % 4 : 4 * group + r;
  }
  double sum = element_of(v, 2, lane, element);
  for (int k = 0; k < x.k; ++k) {
    auto from = [&](int row) { // the lane that has A's row or B's column, at k
      if (x.f64 && x.m == 4) return 16 * k + 4 * block + row;
      const int group = x.blocks > 1 ? block : k / x.per_lane;
      return group * x.m + row;
    };
    const int e = x.f64 ? 0 : k % x.per_lane;
    sum += element_of(v, 0, from(i), e) * element_of(v, 1, from(j), e);
  }
  return sum;
}

/// Atomics on a cell a lane: the old value comes back, the new one is in memory.
Verdict judge_atomic(const Values& v, std::string& what) {
  const Builtin& b = v.builtin();
  const bool adds = b.name.find("fadd") != std::string::npos || b.name.find("add_i32") != std::string::npos;
  const bool takes_max = b.name.find("fmax") != std::string::npos, takes_min = b.name.find("fmin") != std::string::npos;
  const bool in_lds = b.name.starts_with("ds_");
  if ((b.name.find("atomic_") == std::string::npos && !in_lds) || !(adds || takes_max || takes_min)) return Verdict::none;
  int value = 0;
  while (b.parameters[static_cast<size_t>(value)].type.bits() == 0) ++value;
  const int width = b.result.bits();
  for (int l = 0; l < kLanes; ++l)
    for (int e = 0; e < b.result.count; ++e) {
      auto cell = [&](const std::vector<uint32_t>& memory) {
        uint64_t bits = memory[static_cast<size_t>(l) * kMemoryWords];
        if (width == 64) bits |= static_cast<uint64_t>(memory[static_cast<size_t>(l) * kMemoryWords + 1]) << 32;
        else if (width == 16) bits = bits >> (16 * e) & 0xffff;
        return as_number(b.result.element, bits);
      };
      const double old = cell(v.run().memory_before), x = v.number(value, l, e);
      const double sum = b.result.element == "i32" ? static_cast<double>(static_cast<int32_t>(static_cast<int64_t>(old) + static_cast<int64_t>(x))) : old + x;
      const double want = adds ? sum : takes_max ? std::max(old, x) : std::min(old, x);
      const double got = cell(in_lds ? v.run().lds_after : v.run().memory_after);
      if (got == want && v.result(l, e) == old) continue;
      char text[160];
      std::snprintf(text, sizeof text, "lane %d: %g and %g gave %g, expected %g; returned %g", l, old, x, got, want, v.result(l, e));
      what = text;
      return Verdict::wrong;
    }
  return Verdict::right;
}

} // namespace

Verdict judge(const Values& v, std::string& what) {
  char text[160];
  const std::string& name = v.builtin().name;
  if (auto e = exact().find(name); e != exact().end()) {
    const int width = v.builtin().result.bits() * v.builtin().result.count;
    for (int l = 0; l < kLanes; ++l) {
      const uint64_t want = e->second(v, l);
      uint64_t got = v.run().out[static_cast<size_t>(l) * kOutWords];
      if (width == 64) got |= static_cast<uint64_t>(v.run().out[static_cast<size_t>(l) * kOutWords + 1]) << 32;
      else if (width < 32) got &= (1u << width) - 1;
      if (got == want) continue;
      std::snprintf(text, sizeof text, "lane %d: 0x%lx, expected 0x%lx", l, got, want);
      what = text;
      return Verdict::wrong;
    }
    return Verdict::right;
  }
  if (auto a = approximate().find(name); a != approximate().end()) {
    for (int l = 0; l < kLanes; ++l) {
      const double want = a->second.value(v, l), got = v.result(l);
      if (got == want || (got != got && want != want)) continue;
      if (std::abs(got - want) <= a->second.absolute + a->second.relative * std::abs(want)) continue;
      std::snprintf(text, sizeof text, "lane %d: %.17g, expected %.17g", l, got, want);
      what = text;
      return Verdict::wrong;
    }
    return Verdict::right;
  }
  if (name.starts_with("mfma_")) {
    if (const auto x = matrix_of(v.builtin())) {
      for (int l = 0; l < kLanes; ++l)
        for (int e = 0; e < v.builtin().result.count; ++e) {
          const double want = product(v, *x, l, e), got = v.result(l, e);
          if (got == want) continue;
          std::snprintf(text, sizeof text, "lane %d element %d: %.17g, expected %.17g", l, e, got, want);
          what = text;
          return Verdict::wrong;
        }
      return Verdict::right;
    }
  }
  return judge_atomic(v, what);
}

} // namespace bz::builtins
