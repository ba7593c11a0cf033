// MUBUF and MTBUF: loads, stores and atomics through a buffer resource in four SGPRs.
#pragma once
#include "isa/rows/memory_sem.hpp"

namespace bz::isa {

// With the lds bit, a load has no vdata and its data goes to LDS; only the rows with `lds` have that form.
#define BZ_BUFFER_LOAD(name, op, dwords, fl, elem)                                                                     \
  {{name, MUBUF, {op}, "vdata:" #dwords ":dst, vaddr, srsrc:4, soffset offset", Load | fl},                            \
   kLoad<Space::buffer, Elem::elem, dwords>}
#define BZ_BUFFER_LOAD_D16(name, op, fl, elem)                                                                         \
  {{name, MUBUF, {op}, "vdata:rw, vaddr, srsrc:4, soffset offset", Load | NoLds | fl},                                 \
   kLoad<Space::buffer, Elem::elem>}
#define BZ_BUFFER_STORE(name, op, dwords, fl, elem)                                                                    \
  {{name, MUBUF, {op}, "vdata:" #dwords ", vaddr, srsrc:4, soffset offset", Store | fl},                               \
   kStore<Space::buffer, Elem::elem, dwords>}
// n components in the resource's format.
#define BZ_BUFFER_LOAD_FORMAT(name, op, n, dwords, d16, fl)                                                            \
  {{name, MUBUF, {op}, "vdata:" #dwords ":dst, vaddr, srsrc:4, soffset offset", Load | Typed | fl},                    \
   kLoadFormat<n, d16, TexelFrom::resource>}
#define BZ_BUFFER_STORE_FORMAT(name, op, n, dwords, d16, fl)                                                           \
  {{name, MUBUF, {op}, "vdata:" #dwords ", vaddr, srsrc:4, soffset offset", Store | Typed | fl},                       \
   kStoreFormat<n, d16, TexelFrom::resource>}
// Atomics return the old value into vdata when glc (sc0) is set.
#define BZ_BUFFER_ATOMIC(name, what, op, type, targets)                                                                \
  {{name, MUBUF, {op}, "vdata:" type ":rw, vaddr, srsrc:4, soffset offset", Load | Store | Atomic, targets},           \
   kAtomic<Space::buffer, AtomicOp::what, atomic_cell(first_type("vdata:" type)), Return::by_bit>}

template <class B> inline constexpr Row<B> kMubuf[] = {
    BZ_BUFFER_LOAD_FORMAT("buffer_load_format_x", 0, 1, 1, Narrow::no, None),
    BZ_BUFFER_LOAD_FORMAT("buffer_load_format_xy", 1, 2, 2, Narrow::no, NoLds),
    BZ_BUFFER_LOAD_FORMAT("buffer_load_format_xyz", 2, 3, 3, Narrow::no, NoLds),
    BZ_BUFFER_LOAD_FORMAT("buffer_load_format_xyzw", 3, 4, 4, Narrow::no, NoLds),
    BZ_BUFFER_STORE_FORMAT("buffer_store_format_x", 4, 1, 1, Narrow::no, None),
    BZ_BUFFER_STORE_FORMAT("buffer_store_format_xy", 5, 2, 2, Narrow::no, None),
    BZ_BUFFER_STORE_FORMAT("buffer_store_format_xyz", 6, 3, 3, Narrow::no, None),
    BZ_BUFFER_STORE_FORMAT("buffer_store_format_xyzw", 7, 4, 4, Narrow::no, None),
    BZ_BUFFER_LOAD_FORMAT("buffer_load_format_d16_x", 8, 1, 1, Narrow::packed, NoLds),
    BZ_BUFFER_LOAD_FORMAT("buffer_load_format_d16_xy", 9, 2, 1, Narrow::packed, NoLds),
    BZ_BUFFER_LOAD_FORMAT("buffer_load_format_d16_xyz", 10, 3, 2, Narrow::packed, NoLds),
    BZ_BUFFER_LOAD_FORMAT("buffer_load_format_d16_xyzw", 11, 4, 2, Narrow::packed, NoLds),
    BZ_BUFFER_STORE_FORMAT("buffer_store_format_d16_x", 12, 1, 1, Narrow::packed, None),
    BZ_BUFFER_STORE_FORMAT("buffer_store_format_d16_xy", 13, 2, 1, Narrow::packed, None),
    BZ_BUFFER_STORE_FORMAT("buffer_store_format_d16_xyz", 14, 3, 2, Narrow::packed, None),
    BZ_BUFFER_STORE_FORMAT("buffer_store_format_d16_xyzw", 15, 4, 2, Narrow::packed, None),
    BZ_BUFFER_LOAD("buffer_load_ubyte", 16, 1, None, u8),
    BZ_BUFFER_LOAD("buffer_load_sbyte", 17, 1, None, i8),
    BZ_BUFFER_LOAD("buffer_load_ushort", 18, 1, None, u16),
    BZ_BUFFER_LOAD("buffer_load_sshort", 19, 1, None, i16),
    BZ_BUFFER_LOAD("buffer_load_dword", 20, 1, None, u32),
    BZ_BUFFER_LOAD("buffer_load_dwordx2", 21, 2, NoLds, u32),
    BZ_BUFFER_LOAD("buffer_load_dwordx3", 22, 3, NoLds | WideLds, u32),
    BZ_BUFFER_LOAD("buffer_load_dwordx4", 23, 4, NoLds | WideLds, u32),
    BZ_BUFFER_STORE("buffer_store_byte", 24, 1, None, u8),
    BZ_BUFFER_STORE("buffer_store_byte_d16_hi", 25, 1, D16Hi, u8_hi),
    BZ_BUFFER_STORE("buffer_store_short", 26, 1, None, u16),
    BZ_BUFFER_STORE("buffer_store_short_d16_hi", 27, 1, D16Hi, u16_hi),
    BZ_BUFFER_STORE("buffer_store_dword", 28, 1, None, u32),
    BZ_BUFFER_STORE("buffer_store_dwordx2", 29, 2, None, u32),
    BZ_BUFFER_STORE("buffer_store_dwordx3", 30, 3, None, u32),
    BZ_BUFFER_STORE("buffer_store_dwordx4", 31, 4, None, u32),
    BZ_BUFFER_LOAD_D16("buffer_load_ubyte_d16", 32, None, u8_d16),
    BZ_BUFFER_LOAD_D16("buffer_load_ubyte_d16_hi", 33, D16Hi, u8_d16_hi),
    BZ_BUFFER_LOAD_D16("buffer_load_sbyte_d16", 34, None, i8_d16),
    BZ_BUFFER_LOAD_D16("buffer_load_sbyte_d16_hi", 35, D16Hi, i8_d16_hi),
    BZ_BUFFER_LOAD_D16("buffer_load_short_d16", 36, None, u16_d16),
    BZ_BUFFER_LOAD_D16("buffer_load_short_d16_hi", 37, D16Hi, u16_d16_hi),
    {{"buffer_load_format_d16_hi_x", MUBUF, {38}, "vdata:rw, vaddr, srsrc:4, soffset offset", Load | NoLds | Typed | D16Hi},
     kLoadFormat<1, Narrow::high, TexelFrom::resource>},
    {{"buffer_store_format_d16_hi_x", MUBUF, {39}, "vdata, vaddr, srsrc:4, soffset offset", Store | Typed | D16Hi},
     kStoreFormat<1, Narrow::high, TexelFrom::resource>},
    {{"buffer_wbl2", MUBUF, {40}, "", None, kGfx90aUp}, [](auto& b) { b.nop("host memory is coherent"); }},
    {{"buffer_invl2", MUBUF, {41}, "", None, kGfx90a}, [](auto& b) { b.nop("host memory is coherent"); }},
    {{"buffer_inv", MUBUF, {41}, "", None, kGfx940}, [](auto& b) { b.nop("host memory is coherent"); }},
    {{"buffer_store_lds_dword", MUBUF, {61}, "srsrc:4, soffset offset", Load | Store | LdsOnly | ReadsM0, kBeforeGfx940},
     [](auto& b) { b.store_lds(); }},
    {{"buffer_wbinvl1", MUBUF, {62}, "", None, kBeforeGfx940}, [](auto& b) { b.nop("host memory is coherent"); }},
    {{"buffer_wbinvl1_vol", MUBUF, {63}, "", None, kBeforeGfx940}, [](auto& b) { b.nop("host memory is coherent"); }},
    BZ_BUFFER_ATOMIC("buffer_atomic_swap", swap, 64, "b32", kGfx9),
    BZ_BUFFER_ATOMIC("buffer_atomic_cmpswap", cmpswap, 65, "b32:2", kGfx9),
    BZ_BUFFER_ATOMIC("buffer_atomic_add", add, 66, "u32", kGfx9),
    BZ_BUFFER_ATOMIC("buffer_atomic_sub", sub, 67, "u32", kGfx9),
    BZ_BUFFER_ATOMIC("buffer_atomic_smin", smin, 68, "i32", kGfx9),
    BZ_BUFFER_ATOMIC("buffer_atomic_umin", umin, 69, "u32", kGfx9),
    BZ_BUFFER_ATOMIC("buffer_atomic_smax", smax, 70, "i32", kGfx9),
    BZ_BUFFER_ATOMIC("buffer_atomic_umax", umax, 71, "u32", kGfx9),
    BZ_BUFFER_ATOMIC("buffer_atomic_and", and_, 72, "b32", kGfx9),
    BZ_BUFFER_ATOMIC("buffer_atomic_or", or_, 73, "b32", kGfx9),
    BZ_BUFFER_ATOMIC("buffer_atomic_xor", xor_, 74, "b32", kGfx9),
    BZ_BUFFER_ATOMIC("buffer_atomic_inc", inc, 75, "u32", kGfx9),
    BZ_BUFFER_ATOMIC("buffer_atomic_dec", dec, 76, "u32", kGfx9),
    BZ_BUFFER_ATOMIC("buffer_atomic_add_f32", fadd, 77, "f32", kGfx908Up),
    BZ_BUFFER_ATOMIC("buffer_atomic_pk_add_f16", fadd, 78, "pk_f16", kGfx908Up),
    BZ_BUFFER_ATOMIC("buffer_atomic_add_f64", fadd, 79, "f64", kGfx90aUp),
    BZ_BUFFER_ATOMIC("buffer_atomic_min_f64", fmin, 80, "f64", kGfx90aUp),
    BZ_BUFFER_ATOMIC("buffer_atomic_max_f64", fmax, 81, "f64", kGfx90aUp),
    BZ_BUFFER_ATOMIC("buffer_atomic_pk_add_bf16", fadd, 82, "pk_bf16", kGfx950),
    BZ_BUFFER_ATOMIC("buffer_atomic_swap_x2", swap, 96, "b64", kGfx9),
    BZ_BUFFER_ATOMIC("buffer_atomic_cmpswap_x2", cmpswap, 97, "b64:4", kGfx9),
    BZ_BUFFER_ATOMIC("buffer_atomic_add_x2", add, 98, "u64", kGfx9),
    BZ_BUFFER_ATOMIC("buffer_atomic_sub_x2", sub, 99, "u64", kGfx9),
    BZ_BUFFER_ATOMIC("buffer_atomic_smin_x2", smin, 100, "i64", kGfx9),
    BZ_BUFFER_ATOMIC("buffer_atomic_umin_x2", umin, 101, "u64", kGfx9),
    BZ_BUFFER_ATOMIC("buffer_atomic_smax_x2", smax, 102, "i64", kGfx9),
    BZ_BUFFER_ATOMIC("buffer_atomic_umax_x2", umax, 103, "u64", kGfx9),
    BZ_BUFFER_ATOMIC("buffer_atomic_and_x2", and_, 104, "b64", kGfx9),
    BZ_BUFFER_ATOMIC("buffer_atomic_or_x2", or_, 105, "b64", kGfx9),
    BZ_BUFFER_ATOMIC("buffer_atomic_xor_x2", xor_, 106, "b64", kGfx9),
    BZ_BUFFER_ATOMIC("buffer_atomic_inc_x2", inc, 107, "u64", kGfx9),
    BZ_BUFFER_ATOMIC("buffer_atomic_dec_x2", dec, 108, "u64", kGfx9),
};

#undef BZ_BUFFER_LOAD
#undef BZ_BUFFER_LOAD_FORMAT
#undef BZ_BUFFER_STORE_FORMAT
#undef BZ_BUFFER_LOAD_D16
#undef BZ_BUFFER_STORE
#undef BZ_BUFFER_ATOMIC

// n components in the instruction's format.
#define BZ_TBUFFER_LOAD(name, op, n, dwords, d16)                                                                      \
  {{name, MTBUF, {op}, "vdata:" #dwords ":dst, vaddr, srsrc:4, soffset offset", Load | Typed},                         \
   kLoadFormat<n, d16, TexelFrom::instruction>}
#define BZ_TBUFFER_STORE(name, op, n, dwords, d16)                                                                     \
  {{name, MTBUF, {op}, "vdata:" #dwords ", vaddr, srsrc:4, soffset offset", Store | Typed},                            \
   kStoreFormat<n, d16, TexelFrom::instruction>}

template <class B> inline constexpr Row<B> kMtbuf[] = {
    BZ_TBUFFER_LOAD("tbuffer_load_format_x", 0, 1, 1, Narrow::no),
    BZ_TBUFFER_LOAD("tbuffer_load_format_xy", 1, 2, 2, Narrow::no),
    BZ_TBUFFER_LOAD("tbuffer_load_format_xyz", 2, 3, 3, Narrow::no),
    BZ_TBUFFER_LOAD("tbuffer_load_format_xyzw", 3, 4, 4, Narrow::no),
    BZ_TBUFFER_STORE("tbuffer_store_format_x", 4, 1, 1, Narrow::no),
    BZ_TBUFFER_STORE("tbuffer_store_format_xy", 5, 2, 2, Narrow::no),
    BZ_TBUFFER_STORE("tbuffer_store_format_xyz", 6, 3, 3, Narrow::no),
    BZ_TBUFFER_STORE("tbuffer_store_format_xyzw", 7, 4, 4, Narrow::no),
    BZ_TBUFFER_LOAD("tbuffer_load_format_d16_x", 8, 1, 1, Narrow::packed),
    BZ_TBUFFER_LOAD("tbuffer_load_format_d16_xy", 9, 2, 1, Narrow::packed),
    BZ_TBUFFER_LOAD("tbuffer_load_format_d16_xyz", 10, 3, 2, Narrow::packed),
    BZ_TBUFFER_LOAD("tbuffer_load_format_d16_xyzw", 11, 4, 2, Narrow::packed),
    BZ_TBUFFER_STORE("tbuffer_store_format_d16_x", 12, 1, 1, Narrow::packed),
    BZ_TBUFFER_STORE("tbuffer_store_format_d16_xy", 13, 2, 1, Narrow::packed),
    BZ_TBUFFER_STORE("tbuffer_store_format_d16_xyz", 14, 3, 2, Narrow::packed),
    BZ_TBUFFER_STORE("tbuffer_store_format_d16_xyzw", 15, 4, 2, Narrow::packed),
};

#undef BZ_TBUFFER_LOAD
#undef BZ_TBUFFER_STORE

} // namespace bz::isa
