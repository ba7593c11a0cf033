// FLAT, GLOBAL and SCRATCH: loads, stores and atomics with per-lane addresses. The three segments share opcodes, so each
// macro makes one row for each of them. `addr` is the operand text of the address, `space` names the segment.
#pragma once
#include "isa/row.hpp"

namespace bz::isa {

#define BZ_LOAD(prefix, fmt, addr, fl, name, op, dwords)                                                               \
  {{prefix "_load_" name, fmt, {op}, "vdst:" #dwords ", " addr " offset", Load | fl}}
#define BZ_LOAD_D16(prefix, fmt, addr, fl, name, op, hi)                                                               \
  {{prefix "_load_" name, fmt, {op}, "vdst:rw, " addr " offset", Load | fl | hi}}
#define BZ_STORE(prefix, fmt, addr, data, fl, name, op)                                                                \
  {{prefix "_store_" name, fmt, {op}, addr data " offset", Store | fl}}

#define BZ_FLAT_LOADS_STORES(prefix, fmt, base, saddr, fl)                                                             \
  BZ_LOAD(prefix, fmt, base saddr, fl, "ubyte", 16, 1),                                                                \
      BZ_LOAD(prefix, fmt, base saddr, fl, "sbyte", 17, 1),                                                            \
      BZ_LOAD(prefix, fmt, base saddr, fl, "ushort", 18, 1),                                                           \
      BZ_LOAD(prefix, fmt, base saddr, fl, "sshort", 19, 1),                                                           \
      BZ_LOAD(prefix, fmt, base saddr, fl, "dword", 20, 1),                                                            \
      BZ_LOAD(prefix, fmt, base saddr, fl, "dwordx2", 21, 2),                                                          \
      BZ_LOAD(prefix, fmt, base saddr, fl, "dwordx3", 22, 3),                                                          \
      BZ_LOAD(prefix, fmt, base saddr, fl, "dwordx4", 23, 4),                                                          \
      BZ_STORE(prefix, fmt, base, ", data" saddr, fl, "byte", 24),                                                     \
      BZ_STORE(prefix, fmt, base, ", data" saddr, fl | D16Hi, "byte_d16_hi", 25),                                      \
      BZ_STORE(prefix, fmt, base, ", data" saddr, fl, "short", 26),                                                    \
      BZ_STORE(prefix, fmt, base, ", data" saddr, fl | D16Hi, "short_d16_hi", 27),                                     \
      BZ_STORE(prefix, fmt, base, ", data" saddr, fl, "dword", 28),                                                    \
      BZ_STORE(prefix, fmt, base, ", data:2" saddr, fl, "dwordx2", 29),                                                \
      BZ_STORE(prefix, fmt, base, ", data:3" saddr, fl, "dwordx3", 30),                                                \
      BZ_STORE(prefix, fmt, base, ", data:4" saddr, fl, "dwordx4", 31),                                                \
      BZ_LOAD_D16(prefix, fmt, base saddr, fl, "ubyte_d16", 32, None),                                                 \
      BZ_LOAD_D16(prefix, fmt, base saddr, fl, "ubyte_d16_hi", 33, D16Hi),                                             \
      BZ_LOAD_D16(prefix, fmt, base saddr, fl, "sbyte_d16", 34, None),                                                 \
      BZ_LOAD_D16(prefix, fmt, base saddr, fl, "sbyte_d16_hi", 35, D16Hi),                                             \
      BZ_LOAD_D16(prefix, fmt, base saddr, fl, "short_d16", 36, None),                                                 \
      BZ_LOAD_D16(prefix, fmt, base saddr, fl, "short_d16_hi", 37, D16Hi)

// Data goes to LDS at M0[15:0] + instruction offset + 4 * lane.
#define BZ_LOADS_TO_LDS(prefix, fmt, addr, fl)                                                                         \
  {{prefix "_load_lds_ubyte", fmt, {38}, addr " offset", Load | Store | LdsOnly | ReadsM0 | fl, kGfx940}},             \
      {{prefix "_load_lds_sbyte", fmt, {39}, addr " offset", Load | Store | LdsOnly | ReadsM0 | fl, kGfx940}},         \
      {{prefix "_load_lds_ushort", fmt, {40}, addr " offset", Load | Store | LdsOnly | ReadsM0 | fl, kGfx940}},        \
      {{prefix "_load_lds_sshort", fmt, {41}, addr " offset", Load | Store | LdsOnly | ReadsM0 | fl, kGfx940}},        \
      {{prefix "_load_lds_dword", fmt, {42}, addr " offset", Load | Store | LdsOnly | ReadsM0 | fl, kGfx940}}

// Atomics return the old value when glc (sc0) is set.
#define BZ_ATOMIC(prefix, fmt, saddr, fl, name, op, data, targets)                                                     \
  {{prefix "_atomic_" name, fmt, {op}, "vdst:" data ":rtn, addr:2, data:" data saddr " offset",                        \
    Load | Store | Atomic | fl, targets}}
#define BZ_CMPSWAP(prefix, fmt, saddr, fl, name, op, dst, data)                                                        \
  {{prefix "_atomic_" name, fmt, {op}, "vdst:" dst ":rtn, addr:2, data:" data saddr " offset",                         \
    Load | Store | Atomic | fl}}

#define BZ_FLAT_ATOMICS(prefix, fmt, saddr, fl, f32_targets)                                                           \
  BZ_ATOMIC(prefix, fmt, saddr, fl, "swap", 64, "b32", kGfx9),                                                         \
      BZ_CMPSWAP(prefix, fmt, saddr, fl, "cmpswap", 65, "b32", "2"),                                                   \
      BZ_ATOMIC(prefix, fmt, saddr, fl, "add", 66, "u32", kGfx9),                                                      \
      BZ_ATOMIC(prefix, fmt, saddr, fl, "sub", 67, "u32", kGfx9),                                                      \
      BZ_ATOMIC(prefix, fmt, saddr, fl, "smin", 68, "i32", kGfx9),                                                     \
      BZ_ATOMIC(prefix, fmt, saddr, fl, "umin", 69, "u32", kGfx9),                                                     \
      BZ_ATOMIC(prefix, fmt, saddr, fl, "smax", 70, "i32", kGfx9),                                                     \
      BZ_ATOMIC(prefix, fmt, saddr, fl, "umax", 71, "u32", kGfx9),                                                     \
      BZ_ATOMIC(prefix, fmt, saddr, fl, "and", 72, "b32", kGfx9),                                                      \
      BZ_ATOMIC(prefix, fmt, saddr, fl, "or", 73, "b32", kGfx9),                                                       \
      BZ_ATOMIC(prefix, fmt, saddr, fl, "xor", 74, "b32", kGfx9),                                                      \
      BZ_ATOMIC(prefix, fmt, saddr, fl, "inc", 75, "u32", kGfx9),                                                      \
      BZ_ATOMIC(prefix, fmt, saddr, fl, "dec", 76, "u32", kGfx9),                                                      \
      BZ_ATOMIC(prefix, fmt, saddr, fl, "add_f32", 77, "f32", f32_targets),                                            \
      BZ_ATOMIC(prefix, fmt, saddr, fl, "pk_add_f16", 78, "pk_f16", f32_targets),                                      \
      BZ_ATOMIC(prefix, fmt, saddr, fl, "add_f64", 79, "f64", kGfx90aUp),                                              \
      BZ_ATOMIC(prefix, fmt, saddr, fl, "min_f64", 80, "f64", kGfx90aUp),                                              \
      BZ_ATOMIC(prefix, fmt, saddr, fl, "max_f64", 81, "f64", kGfx90aUp),                                              \
      BZ_ATOMIC(prefix, fmt, saddr, fl, "pk_add_bf16", 82, "pk_bf16", kGfx940),                                        \
      BZ_ATOMIC(prefix, fmt, saddr, fl, "swap_x2", 96, "b64", kGfx9),                                                  \
      BZ_CMPSWAP(prefix, fmt, saddr, fl, "cmpswap_x2", 97, "b64", "4"),                                                \
      BZ_ATOMIC(prefix, fmt, saddr, fl, "add_x2", 98, "u64", kGfx9),                                                   \
      BZ_ATOMIC(prefix, fmt, saddr, fl, "sub_x2", 99, "u64", kGfx9),                                                   \
      BZ_ATOMIC(prefix, fmt, saddr, fl, "smin_x2", 100, "i64", kGfx9),                                                 \
      BZ_ATOMIC(prefix, fmt, saddr, fl, "umin_x2", 101, "u64", kGfx9),                                                 \
      BZ_ATOMIC(prefix, fmt, saddr, fl, "smax_x2", 102, "i64", kGfx9),                                                 \
      BZ_ATOMIC(prefix, fmt, saddr, fl, "umax_x2", 103, "u64", kGfx9),                                                 \
      BZ_ATOMIC(prefix, fmt, saddr, fl, "and_x2", 104, "b64", kGfx9),                                                  \
      BZ_ATOMIC(prefix, fmt, saddr, fl, "or_x2", 105, "b64", kGfx9),                                                   \
      BZ_ATOMIC(prefix, fmt, saddr, fl, "xor_x2", 106, "b64", kGfx9),                                                  \
      BZ_ATOMIC(prefix, fmt, saddr, fl, "inc_x2", 107, "u64", kGfx9),                                                  \
      BZ_ATOMIC(prefix, fmt, saddr, fl, "dec_x2", 108, "u64", kGfx9)

template <class B> inline constexpr Row<B> kFlat[] = {
    BZ_FLAT_LOADS_STORES("flat", FLAT, "addr:2", "", ReadsFlatScratch),
    BZ_FLAT_LOADS_STORES("global", GLOBAL, "addr:2", ", saddr:2", None),
    BZ_FLAT_LOADS_STORES("scratch", SCRATCH, "addr", ", saddr", ReadsFlatScratch),
    BZ_LOADS_TO_LDS("global", GLOBAL, "addr:2, saddr:2", None),
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
