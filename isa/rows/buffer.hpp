// MUBUF and MTBUF: loads, stores and atomics through a buffer resource in four SGPRs.
#pragma once
#include "isa/row.hpp"

namespace bz::isa {

// With the lds bit, a load has no vdata and its data goes to LDS; only the rows with `lds` have that form.
#define BZ_BUFFER_LOAD(name, op, dwords, fl) {{name, MUBUF, {op}, "vdata:" #dwords ":dst, vaddr, srsrc:4, soffset offset", Load | fl}}
#define BZ_BUFFER_LOAD_D16(name, op, fl) {{name, MUBUF, {op}, "vdata:rw, vaddr, srsrc:4, soffset offset", Load | NoLds | fl}}
#define BZ_BUFFER_STORE(name, op, dwords, fl) {{name, MUBUF, {op}, "vdata:" #dwords ", vaddr, srsrc:4, soffset offset", Store | fl}}
// Atomics return the old value into vdata when glc (sc0) is set.
#define BZ_BUFFER_ATOMIC(name, op, type, targets)                                                                      \
  {{name, MUBUF, {op}, "vdata:" type ":rw, vaddr, srsrc:4, soffset offset", Load | Store | Atomic, targets}}

template <class B> inline constexpr Row<B> kMubuf[] = {
    BZ_BUFFER_LOAD("buffer_load_format_x", 0, 1, Typed),
    BZ_BUFFER_LOAD("buffer_load_format_xy", 1, 2, Typed | NoLds),
    BZ_BUFFER_LOAD("buffer_load_format_xyz", 2, 3, Typed | NoLds),
    BZ_BUFFER_LOAD("buffer_load_format_xyzw", 3, 4, Typed | NoLds),
    BZ_BUFFER_STORE("buffer_store_format_x", 4, 1, Typed),
    BZ_BUFFER_STORE("buffer_store_format_xy", 5, 2, Typed),
    BZ_BUFFER_STORE("buffer_store_format_xyz", 6, 3, Typed),
    BZ_BUFFER_STORE("buffer_store_format_xyzw", 7, 4, Typed),
    BZ_BUFFER_LOAD("buffer_load_format_d16_x", 8, 1, Typed | NoLds),
    BZ_BUFFER_LOAD("buffer_load_format_d16_xy", 9, 1, Typed | NoLds),
    BZ_BUFFER_LOAD("buffer_load_format_d16_xyz", 10, 2, Typed | NoLds),
    BZ_BUFFER_LOAD("buffer_load_format_d16_xyzw", 11, 2, Typed | NoLds),
    BZ_BUFFER_STORE("buffer_store_format_d16_x", 12, 1, Typed),
    BZ_BUFFER_STORE("buffer_store_format_d16_xy", 13, 1, Typed),
    BZ_BUFFER_STORE("buffer_store_format_d16_xyz", 14, 2, Typed),
    BZ_BUFFER_STORE("buffer_store_format_d16_xyzw", 15, 2, Typed),
    BZ_BUFFER_LOAD("buffer_load_ubyte", 16, 1, None),
    BZ_BUFFER_LOAD("buffer_load_sbyte", 17, 1, None),
    BZ_BUFFER_LOAD("buffer_load_ushort", 18, 1, None),
    BZ_BUFFER_LOAD("buffer_load_sshort", 19, 1, None),
    BZ_BUFFER_LOAD("buffer_load_dword", 20, 1, None),
    BZ_BUFFER_LOAD("buffer_load_dwordx2", 21, 2, NoLds),
    BZ_BUFFER_LOAD("buffer_load_dwordx3", 22, 3, NoLds),
    BZ_BUFFER_LOAD("buffer_load_dwordx4", 23, 4, NoLds),
    BZ_BUFFER_STORE("buffer_store_byte", 24, 1, None),
    BZ_BUFFER_STORE("buffer_store_byte_d16_hi", 25, 1, D16Hi),
    BZ_BUFFER_STORE("buffer_store_short", 26, 1, None),
    BZ_BUFFER_STORE("buffer_store_short_d16_hi", 27, 1, D16Hi),
    BZ_BUFFER_STORE("buffer_store_dword", 28, 1, None),
    BZ_BUFFER_STORE("buffer_store_dwordx2", 29, 2, None),
    BZ_BUFFER_STORE("buffer_store_dwordx3", 30, 3, None),
    BZ_BUFFER_STORE("buffer_store_dwordx4", 31, 4, None),
    BZ_BUFFER_LOAD_D16("buffer_load_ubyte_d16", 32, None),
    BZ_BUFFER_LOAD_D16("buffer_load_ubyte_d16_hi", 33, D16Hi),
    BZ_BUFFER_LOAD_D16("buffer_load_sbyte_d16", 34, None),
    BZ_BUFFER_LOAD_D16("buffer_load_sbyte_d16_hi", 35, D16Hi),
    BZ_BUFFER_LOAD_D16("buffer_load_short_d16", 36, None),
    BZ_BUFFER_LOAD_D16("buffer_load_short_d16_hi", 37, D16Hi),
    BZ_BUFFER_LOAD_D16("buffer_load_format_d16_hi_x", 38, Typed | D16Hi),
    BZ_BUFFER_STORE("buffer_store_format_d16_hi_x", 39, 1, Typed | D16Hi),
    {{"buffer_wbl2", MUBUF, {40}, "", None, kGfx90aUp}},
    {{"buffer_invl2", MUBUF, {41}, "", None, kGfx90a}},
    {{"buffer_inv", MUBUF, {41}, "", None, kGfx940}},
    {{"buffer_store_lds_dword", MUBUF, {61}, "srsrc:4, soffset offset", Load | Store | LdsOnly | ReadsM0, kBeforeGfx940}},
    {{"buffer_wbinvl1", MUBUF, {62}, "", None, kBeforeGfx940}},
    {{"buffer_wbinvl1_vol", MUBUF, {63}, "", None, kBeforeGfx940}},
    BZ_BUFFER_ATOMIC("buffer_atomic_swap", 64, "b32", kGfx9),
    BZ_BUFFER_ATOMIC("buffer_atomic_cmpswap", 65, "b32:2", kGfx9),
    BZ_BUFFER_ATOMIC("buffer_atomic_add", 66, "u32", kGfx9),
    BZ_BUFFER_ATOMIC("buffer_atomic_sub", 67, "u32", kGfx9),
    BZ_BUFFER_ATOMIC("buffer_atomic_smin", 68, "i32", kGfx9),
    BZ_BUFFER_ATOMIC("buffer_atomic_umin", 69, "u32", kGfx9),
    BZ_BUFFER_ATOMIC("buffer_atomic_smax", 70, "i32", kGfx9),
    BZ_BUFFER_ATOMIC("buffer_atomic_umax", 71, "u32", kGfx9),
    BZ_BUFFER_ATOMIC("buffer_atomic_and", 72, "b32", kGfx9),
    BZ_BUFFER_ATOMIC("buffer_atomic_or", 73, "b32", kGfx9),
    BZ_BUFFER_ATOMIC("buffer_atomic_xor", 74, "b32", kGfx9),
    BZ_BUFFER_ATOMIC("buffer_atomic_inc", 75, "u32", kGfx9),
    BZ_BUFFER_ATOMIC("buffer_atomic_dec", 76, "u32", kGfx9),
    BZ_BUFFER_ATOMIC("buffer_atomic_add_f32", 77, "f32", kGfx908Up),
    BZ_BUFFER_ATOMIC("buffer_atomic_pk_add_f16", 78, "pk_f16", kGfx908Up),
    BZ_BUFFER_ATOMIC("buffer_atomic_add_f64", 79, "f64", kGfx90aUp),
    BZ_BUFFER_ATOMIC("buffer_atomic_min_f64", 80, "f64", kGfx90aUp),
    BZ_BUFFER_ATOMIC("buffer_atomic_max_f64", 81, "f64", kGfx90aUp),
    BZ_BUFFER_ATOMIC("buffer_atomic_pk_add_bf16", 82, "pk_bf16", kGfx950),
    BZ_BUFFER_ATOMIC("buffer_atomic_swap_x2", 96, "b64", kGfx9),
    BZ_BUFFER_ATOMIC("buffer_atomic_cmpswap_x2", 97, "b64:4", kGfx9),
    BZ_BUFFER_ATOMIC("buffer_atomic_add_x2", 98, "u64", kGfx9),
    BZ_BUFFER_ATOMIC("buffer_atomic_sub_x2", 99, "u64", kGfx9),
    BZ_BUFFER_ATOMIC("buffer_atomic_smin_x2", 100, "i64", kGfx9),
    BZ_BUFFER_ATOMIC("buffer_atomic_umin_x2", 101, "u64", kGfx9),
    BZ_BUFFER_ATOMIC("buffer_atomic_smax_x2", 102, "i64", kGfx9),
    BZ_BUFFER_ATOMIC("buffer_atomic_umax_x2", 103, "u64", kGfx9),
    BZ_BUFFER_ATOMIC("buffer_atomic_and_x2", 104, "b64", kGfx9),
    BZ_BUFFER_ATOMIC("buffer_atomic_or_x2", 105, "b64", kGfx9),
    BZ_BUFFER_ATOMIC("buffer_atomic_xor_x2", 106, "b64", kGfx9),
    BZ_BUFFER_ATOMIC("buffer_atomic_inc_x2", 107, "u64", kGfx9),
    BZ_BUFFER_ATOMIC("buffer_atomic_dec_x2", 108, "u64", kGfx9),
};

#undef BZ_BUFFER_LOAD
#undef BZ_BUFFER_LOAD_D16
#undef BZ_BUFFER_STORE
#undef BZ_BUFFER_ATOMIC

#define BZ_TBUFFER_LOAD(name, op, dwords) {{name, MTBUF, {op}, "vdata:" #dwords ":dst, vaddr, srsrc:4, soffset offset", Load | Typed}}
#define BZ_TBUFFER_STORE(name, op, dwords) {{name, MTBUF, {op}, "vdata:" #dwords ", vaddr, srsrc:4, soffset offset", Store | Typed}}

template <class B> inline constexpr Row<B> kMtbuf[] = {
    BZ_TBUFFER_LOAD("tbuffer_load_format_x", 0, 1),
    BZ_TBUFFER_LOAD("tbuffer_load_format_xy", 1, 2),
    BZ_TBUFFER_LOAD("tbuffer_load_format_xyz", 2, 3),
    BZ_TBUFFER_LOAD("tbuffer_load_format_xyzw", 3, 4),
    BZ_TBUFFER_STORE("tbuffer_store_format_x", 4, 1),
    BZ_TBUFFER_STORE("tbuffer_store_format_xy", 5, 2),
    BZ_TBUFFER_STORE("tbuffer_store_format_xyz", 6, 3),
    BZ_TBUFFER_STORE("tbuffer_store_format_xyzw", 7, 4),
    BZ_TBUFFER_LOAD("tbuffer_load_format_d16_x", 8, 1),
    BZ_TBUFFER_LOAD("tbuffer_load_format_d16_xy", 9, 1),
    BZ_TBUFFER_LOAD("tbuffer_load_format_d16_xyz", 10, 2),
    BZ_TBUFFER_LOAD("tbuffer_load_format_d16_xyzw", 11, 2),
    BZ_TBUFFER_STORE("tbuffer_store_format_d16_x", 12, 1),
    BZ_TBUFFER_STORE("tbuffer_store_format_d16_xy", 13, 1),
    BZ_TBUFFER_STORE("tbuffer_store_format_d16_xyz", 14, 2),
    BZ_TBUFFER_STORE("tbuffer_store_format_d16_xyzw", 15, 2),
};

#undef BZ_TBUFFER_LOAD
#undef BZ_TBUFFER_STORE

} // namespace bz::isa
