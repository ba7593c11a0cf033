// FLAT, GLOBAL and SCRATCH: loads, stores and atomics with per-lane addresses. The three segments share opcodes, so each
// macro makes one row for each of them. `addr` is the operand text of the address, `space` names the segment.
#pragma once
#include "isa/rows/memory_sem.hpp"

namespace bz::isa {

consteval Space space_of(Formats f) {
  return f == FLAT ? Space::flat : f == SCRATCH ? Space::scratch : Space::global;
}

#define BZ_LOAD(prefix, fmt, addr, fl, name, op, elem, dwords)                                                         \
  {{prefix "_load_" name, fmt, {op}, "vdst:" #dwords ", " addr " offset", Load | fl},                                  \
   kLoad<space_of(fmt), Elem::elem, dwords>}
#define BZ_LOAD_D16(prefix, fmt, addr, fl, name, op, elem, hi)                                                         \
  {{prefix "_load_" name, fmt, {op}, "vdst:rw, " addr " offset", Load | fl | hi}, kLoad<space_of(fmt), Elem::elem>}
#define BZ_STORE(prefix, fmt, addr, data, fl, name, op, elem, dwords)                                                  \
  {{prefix "_store_" name, fmt, {op}, addr data " offset", Store | fl}, kStore<space_of(fmt), Elem::elem, dwords>}

#define BZ_FLAT_LOADS_STORES(prefix, fmt, base, saddr, fl)                                                             \
  BZ_LOAD(prefix, fmt, base saddr, fl, "ubyte", 16, u8, 1),                                                            \
      BZ_LOAD(prefix, fmt, base saddr, fl, "sbyte", 17, i8, 1),                                                        \
      BZ_LOAD(prefix, fmt, base saddr, fl, "ushort", 18, u16, 1),                                                      \
      BZ_LOAD(prefix, fmt, base saddr, fl, "sshort", 19, i16, 1),                                                      \
      BZ_LOAD(prefix, fmt, base saddr, fl, "dword", 20, u32, 1),                                                       \
      BZ_LOAD(prefix, fmt, base saddr, fl, "dwordx2", 21, u32, 2),                                                     \
      BZ_LOAD(prefix, fmt, base saddr, fl, "dwordx3", 22, u32, 3),                                                     \
      BZ_LOAD(prefix, fmt, base saddr, fl, "dwordx4", 23, u32, 4),                                                     \
      BZ_STORE(prefix, fmt, base, ", data" saddr, fl, "byte", 24, u8, 1),                                              \
      BZ_STORE(prefix, fmt, base, ", data" saddr, fl | D16Hi, "byte_d16_hi", 25, u8_hi, 1),                            \
      BZ_STORE(prefix, fmt, base, ", data" saddr, fl, "short", 26, u16, 1),                                            \
      BZ_STORE(prefix, fmt, base, ", data" saddr, fl | D16Hi, "short_d16_hi", 27, u16_hi, 1),                          \
      BZ_STORE(prefix, fmt, base, ", data" saddr, fl, "dword", 28, u32, 1),                                            \
      BZ_STORE(prefix, fmt, base, ", data:2" saddr, fl, "dwordx2", 29, u32, 2),                                        \
      BZ_STORE(prefix, fmt, base, ", data:3" saddr, fl, "dwordx3", 30, u32, 3),                                        \
      BZ_STORE(prefix, fmt, base, ", data:4" saddr, fl, "dwordx4", 31, u32, 4),                                        \
      BZ_LOAD_D16(prefix, fmt, base saddr, fl, "ubyte_d16", 32, u8_d16, None),                                         \
      BZ_LOAD_D16(prefix, fmt, base saddr, fl, "ubyte_d16_hi", 33, u8_d16_hi, D16Hi),                                  \
      BZ_LOAD_D16(prefix, fmt, base saddr, fl, "sbyte_d16", 34, i8_d16, None),                                         \
      BZ_LOAD_D16(prefix, fmt, base saddr, fl, "sbyte_d16_hi", 35, i8_d16_hi, D16Hi),                                  \
      BZ_LOAD_D16(prefix, fmt, base saddr, fl, "short_d16", 36, u16_d16, None),                                        \
      BZ_LOAD_D16(prefix, fmt, base saddr, fl, "short_d16_hi", 37, u16_d16_hi, D16Hi)

// Data goes to LDS at M0[15:0] + instruction offset + 4 * lane.
#define BZ_LOADS_TO_LDS(prefix, fmt, addr, fl)                                                                         \
  {{prefix "_load_lds_ubyte", fmt, {38}, addr " offset", Load | Store | LdsOnly | ReadsM0 | fl, kGfx940}, kLoadToLds<space_of(fmt), Elem::u8>},\
      {{prefix "_load_lds_sbyte", fmt, {39}, addr " offset", Load | Store | LdsOnly | ReadsM0 | fl, kGfx940}, kLoadToLds<space_of(fmt), Elem::i8>},\
      {{prefix "_load_lds_ushort", fmt, {40}, addr " offset", Load | Store | LdsOnly | ReadsM0 | fl, kGfx940}, kLoadToLds<space_of(fmt), Elem::u16>},\
      {{prefix "_load_lds_sshort", fmt, {41}, addr " offset", Load | Store | LdsOnly | ReadsM0 | fl, kGfx940}, kLoadToLds<space_of(fmt), Elem::i16>},\
      {{prefix "_load_lds_dword", fmt, {42}, addr " offset", Load | Store | LdsOnly | ReadsM0 | fl, kGfx940}, kLoadToLds<space_of(fmt), Elem::u32>}

// Atomics return the old value when glc (sc0) is set.
#define BZ_ATOMIC(prefix, fmt, saddr, fl, name, what, op, data, targets)                                               \
  {{prefix "_atomic_" name, fmt, {op}, "vdst:" data ":rtn, addr:2, data:" data saddr " offset",                        \
    Load | Store | Atomic | fl, targets},                                                                              \
   kAtomic<space_of(fmt), AtomicOp::what, atomic_cell(first_type("vdst:" data)), Return::by_bit>}
#define BZ_CMPSWAP(prefix, fmt, saddr, fl, name, op, dst, data)                                                        \
  {{prefix "_atomic_" name, fmt, {op}, "vdst:" dst ":rtn, addr:2, data:" data saddr " offset",                         \
    Load | Store | Atomic | fl},                                                                                       \
   kAtomic<space_of(fmt), AtomicOp::cmpswap, atomic_cell(first_type("vdst:" dst)), Return::by_bit>}

#define BZ_FLAT_ATOMICS(prefix, fmt, saddr, fl, f32_targets)                                                           \
  BZ_ATOMIC(prefix, fmt, saddr, fl, "swap", swap, 64, "b32", kGfx9),                                                   \
      BZ_CMPSWAP(prefix, fmt, saddr, fl, "cmpswap", 65, "b32", "2"),                                                   \
      BZ_ATOMIC(prefix, fmt, saddr, fl, "add", add, 66, "u32", kGfx9),                                                 \
      BZ_ATOMIC(prefix, fmt, saddr, fl, "sub", sub, 67, "u32", kGfx9),                                                 \
      BZ_ATOMIC(prefix, fmt, saddr, fl, "smin", smin, 68, "i32", kGfx9),                                               \
      BZ_ATOMIC(prefix, fmt, saddr, fl, "umin", umin, 69, "u32", kGfx9),                                               \
      BZ_ATOMIC(prefix, fmt, saddr, fl, "smax", smax, 70, "i32", kGfx9),                                               \
      BZ_ATOMIC(prefix, fmt, saddr, fl, "umax", umax, 71, "u32", kGfx9),                                               \
      BZ_ATOMIC(prefix, fmt, saddr, fl, "and", and_, 72, "b32", kGfx9),                                                \
      BZ_ATOMIC(prefix, fmt, saddr, fl, "or", or_, 73, "b32", kGfx9),                                                  \
      BZ_ATOMIC(prefix, fmt, saddr, fl, "xor", xor_, 74, "b32", kGfx9),                                                \
      BZ_ATOMIC(prefix, fmt, saddr, fl, "inc", inc, 75, "u32", kGfx9),                                                 \
      BZ_ATOMIC(prefix, fmt, saddr, fl, "dec", dec, 76, "u32", kGfx9),                                                 \
      BZ_ATOMIC(prefix, fmt, saddr, fl, "add_f32", fadd, 77, "f32", f32_targets),                                      \
      BZ_ATOMIC(prefix, fmt, saddr, fl, "pk_add_f16", fadd, 78, "pk_f16", f32_targets),                                \
      BZ_ATOMIC(prefix, fmt, saddr, fl, "add_f64", fadd, 79, "f64", kGfx90aUp),                                        \
      BZ_ATOMIC(prefix, fmt, saddr, fl, "min_f64", fmin, 80, "f64", kGfx90aUp),                                        \
      BZ_ATOMIC(prefix, fmt, saddr, fl, "max_f64", fmax, 81, "f64", kGfx90aUp),                                        \
      BZ_ATOMIC(prefix, fmt, saddr, fl, "pk_add_bf16", fadd, 82, "pk_bf16", kGfx940),                                  \
      BZ_ATOMIC(prefix, fmt, saddr, fl, "swap_x2", swap, 96, "b64", kGfx9),                                            \
      BZ_CMPSWAP(prefix, fmt, saddr, fl, "cmpswap_x2", 97, "b64", "4"),                                                \
      BZ_ATOMIC(prefix, fmt, saddr, fl, "add_x2", add, 98, "u64", kGfx9),                                              \
      BZ_ATOMIC(prefix, fmt, saddr, fl, "sub_x2", sub, 99, "u64", kGfx9),                                              \
      BZ_ATOMIC(prefix, fmt, saddr, fl, "smin_x2", smin, 100, "i64", kGfx9),                                           \
      BZ_ATOMIC(prefix, fmt, saddr, fl, "umin_x2", umin, 101, "u64", kGfx9),                                           \
      BZ_ATOMIC(prefix, fmt, saddr, fl, "smax_x2", smax, 102, "i64", kGfx9),                                           \
      BZ_ATOMIC(prefix, fmt, saddr, fl, "umax_x2", umax, 103, "u64", kGfx9),                                           \
      BZ_ATOMIC(prefix, fmt, saddr, fl, "and_x2", and_, 104, "b64", kGfx9),                                            \
      BZ_ATOMIC(prefix, fmt, saddr, fl, "or_x2", or_, 105, "b64", kGfx9),                                              \
      BZ_ATOMIC(prefix, fmt, saddr, fl, "xor_x2", xor_, 106, "b64", kGfx9),                                            \
      BZ_ATOMIC(prefix, fmt, saddr, fl, "inc_x2", inc, 107, "u64", kGfx9),                                             \
      BZ_ATOMIC(prefix, fmt, saddr, fl, "dec_x2", dec, 108, "u64", kGfx9)

template <class B> inline constexpr Row<B> kFlat[] = {
    BZ_FLAT_LOADS_STORES("flat", FLAT, "addr:2", "", ReadsFlatScratch),
    BZ_FLAT_LOADS_STORES("global", GLOBAL, "addr:2", ", saddr:2", None),
    BZ_FLAT_LOADS_STORES("scratch", SCRATCH, "addr", ", saddr", ReadsFlatScratch),
    BZ_LOADS_TO_LDS("global", GLOBAL, "addr:2, saddr:2", None),
    {{"global_load_lds_dwordx4", GLOBAL, {125}, "addr:2, saddr:2 offset", Load | Store | LdsOnly | ReadsM0, kGfx950}},
    {{"global_load_lds_dwordx3", GLOBAL, {126}, "addr:2, saddr:2 offset", Load | Store | LdsOnly | ReadsM0, kGfx950}},
    BZ_LOADS_TO_LDS("scratch", SCRATCH, "addr, saddr", ReadsFlatScratch),
    BZ_FLAT_ATOMICS("flat", FLAT, "", ReadsFlatScratch, kGfx940),
    BZ_FLAT_ATOMICS("global", GLOBAL, ", saddr:2", None, kGfx908Up),
};

#undef BZ_LOAD
#undef BZ_LOAD_D16
#undef BZ_STORE
#undef BZ_FLAT_LOADS_STORES
#undef BZ_LOADS_TO_LDS
#undef BZ_ATOMIC
#undef BZ_CMPSWAP
#undef BZ_FLAT_ATOMICS

} // namespace bz::isa
