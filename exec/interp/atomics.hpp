// Read-modify-write of one memory cell: on host memory real atomics (several workers and the host share it), on LDS and
// scratch plain ones, since a workgroup runs on one worker.
#pragma once
#include "exec/interp/half.hpp"
#include "isa/builder.hpp"

namespace bz::exec::BZ_LEVEL_NS {

BZ_AI constexpr bool is64(isa::AtomicType t) { return t == isa::AtomicType::b64 || t == isa::AtomicType::f64; }

template <class T> BZ_AI T fmin_number(T a, T b) { return a != a ? b : b != b ? a : b < a ? b : a; }
template <class T> BZ_AI T fmax_number(T a, T b) { return a != a ? b : b != b ? a : b > a ? b : a; }

BZ_AI uint32_t half_add(uint32_t a, uint32_t b) {
  float x = _cvtsh_ss(static_cast<unsigned short>(a)), y = _cvtsh_ss(static_cast<unsigned short>(b));
  return static_cast<uint32_t>(_cvtss_sh(x + y, _MM_FROUND_CUR_DIRECTION)) & 0xffff;
}
BZ_AI uint32_t bf16_add(uint32_t a, uint32_t b) {
  float s = __builtin_bit_cast(float, a << 16) + __builtin_bit_cast(float, b << 16);
  uint32_t u = __builtin_bit_cast(uint32_t, s);
  if (s != s) return (u >> 16) | 0x40;
  return (u + 0x7fff + (u >> 16 & 1)) >> 16 & 0xffff;
}

/// The new value of a cell. cmpswap writes `data` if the cell equals `compare`; mskor: (mem & ~data) | compare.
template <class T> BZ_AI T atomic_new(T mem, isa::AtomicOp op, T data, T compare) {
  using S = std::make_signed_t<T>;
  using A = isa::AtomicOp;
  switch (op) {
  case A::swap: return data;
  case A::cmpswap: return mem == compare ? data : mem;
  case A::add: return mem + data;
  case A::sub: return mem - data;
  case A::rsub: return data - mem;
  case A::smin: return S(mem) < S(data) ? mem : data;
  case A::umin: return mem < data ? mem : data;
  case A::smax: return S(mem) > S(data) ? mem : data;
  case A::umax: return mem > data ? mem : data;
  case A::and_: return mem & data;
  case A::or_: return mem | data;
  case A::xor_: return mem ^ data;
  case A::inc: return mem >= data ? T(0) : T(mem + 1);
  case A::dec: return mem == 0 || mem > data ? data : T(mem - 1);
  case A::mskor: return (mem & ~data) | compare;
  case A::wrap: return mem >= data ? T(mem - data) : T(mem + compare);
  default: return mem;
  }
}
template <class F, class T> BZ_AI T atomic_new_float(T mem, isa::AtomicOp op, T data, T compare) {
  F m = __builtin_bit_cast(F, mem), d = __builtin_bit_cast(F, data), c = __builtin_bit_cast(F, compare);
  using A = isa::AtomicOp;
  switch (op) {
  case A::fadd: return __builtin_bit_cast(T, m + d);
  case A::fmin: return __builtin_bit_cast(T, fmin_number(m, d));
  case A::fmax: return __builtin_bit_cast(T, fmax_number(m, d));
  case A::fcmpswap: return m == c ? data : mem;
  default: return atomic_new<T>(mem, op, data, compare);
  }
}
BZ_AI uint32_t atomic_new32(uint32_t mem, isa::AtomicOp op, isa::AtomicType t, uint32_t data, uint32_t compare) {
  if (t == isa::AtomicType::f32) return atomic_new_float<float>(mem, op, data, compare);
  if (t == isa::AtomicType::pk_f16) return half_add(mem & 0xffff, data & 0xffff) | half_add(mem >> 16, data >> 16) << 16;
  if (t == isa::AtomicType::pk_bf16) return bf16_add(mem & 0xffff, data & 0xffff) | bf16_add(mem >> 16, data >> 16) << 16;
  return atomic_new<uint32_t>(mem, op, data, compare);
}
BZ_AI uint64_t atomic_new64(uint64_t mem, isa::AtomicOp op, isa::AtomicType t, uint64_t data, uint64_t compare) {
  if (t == isa::AtomicType::f64) return atomic_new_float<double>(mem, op, data, compare);
  return atomic_new<uint64_t>(mem, op, data, compare);
}

/// Applies the operation to the cell at p and gives its old value.
BZ_AI uint64_t atomic_cell(char* p, isa::AtomicOp op, isa::AtomicType t, uint64_t data, uint64_t compare, bool shared) {
  using A = isa::AtomicOp;
  auto run = [&](auto zero, auto next) -> uint64_t {
    using T = decltype(zero);
    auto* cell = reinterpret_cast<T*>(p);
    T d = static_cast<T>(data);
    if (!shared) {
      T old;
      __builtin_memcpy(&old, p, sizeof old);
      T now = next(old);
      __builtin_memcpy(p, &now, sizeof now);
      return old;
    }
    switch (op) {
    case A::swap: return __atomic_exchange_n(cell, d, __ATOMIC_SEQ_CST);
    case A::cmpswap: {
      T expected = static_cast<T>(compare);
      __atomic_compare_exchange_n(cell, &expected, d, false, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST);
      return expected;
    }
    case A::add: return __atomic_fetch_add(cell, d, __ATOMIC_SEQ_CST);
    case A::sub: return __atomic_fetch_sub(cell, d, __ATOMIC_SEQ_CST);
    default: break;
    }
    T old = __atomic_load_n(cell, __ATOMIC_RELAXED);
    while (!__atomic_compare_exchange_n(cell, &old, next(old), false, __ATOMIC_SEQ_CST, __ATOMIC_RELAXED)) {
    }
    return old;
  };
  if (is64(t)) return run(uint64_t{0}, [&](uint64_t m) { return atomic_new64(m, op, t, data, compare); });
  return run(uint32_t{0}, [&](uint32_t m) {
    return atomic_new32(m, op, t, static_cast<uint32_t>(data), static_cast<uint32_t>(compare));
  });
}

} // namespace bz::exec::BZ_LEVEL_NS
