// DS: loads, stores and atomics on LDS (and GDS where the target has it). Permutes and swizzles are in cross.hpp.
#pragma once
#include "isa/rows/memory_sem.hpp"

namespace bz::isa {

template <AtomicOp Op, Type T, Return R> inline constexpr auto kDsAtomicSem = kAtomic<Space::lds, Op, atomic_cell(T), R>;

inline constexpr Flags kDsAtomic = Load | Store | Atomic;

// One atomic, without and with the old value: `data` is its operand text, `dst` the type of the result.
#define BZ_DS_ATOMIC(name, rtn_name, op, rtn_op, type, what)                                                           \
  {{name, DS, {op}, "addr, data0:" type " offset", kDsAtomic}, kDsAtomicSem<AtomicOp::what, first_type("vdst:" type), Return::no>},\
      {{rtn_name, DS, {rtn_op}, "vdst:" type ", addr, data0:" type " offset", kDsAtomic | Returns},                    \
       kDsAtomicSem<AtomicOp::what, first_type("vdst:" type), Return::yes>}
#define BZ_DS_ATOMIC2(name, rtn_name, op, rtn_op, type, what)                                                          \
  {{name, DS, {op}, "addr, data0:" type ", data1:" type " offset", kDsAtomic},                                         \
   kDsAtomicSem<AtomicOp::what, first_type("vdst:" type), Return::no>},                                                \
      {{rtn_name, DS, {rtn_op}, "vdst:" type ", addr, data0:" type ", data1:" type " offset", kDsAtomic | Returns},    \
       kDsAtomicSem<AtomicOp::what, first_type("vdst:" type), Return::yes>}
// The second value comes from LDS itself, at an address given by the offset.
#define BZ_DS_SRC2(name, op, what, type)                                                                               \
  {{name, DS, {op}, "addr offset", kDsAtomic, kBeforeGfx90a},                                                          \
   [](auto& b) { b.template ds_src2<AtomicOp::what, AtomicType::type>(); }}
// Global wave sync: barriers and semaphores of the device.
#define BZ_DS_GWS(what, op, operands)                                                                                  \
  {{"ds_gws_" #what, DS, {op}, operands, GdsOnly | ReadsM0}, [](auto& b) { b.gws(Gws::what); }}

template <class B> inline constexpr Row<B> kDs[] = {
    BZ_DS_ATOMIC("ds_add_u32", "ds_add_rtn_u32", 0, 32, "u32", add),
    BZ_DS_ATOMIC("ds_sub_u32", "ds_sub_rtn_u32", 1, 33, "u32", sub),
    BZ_DS_ATOMIC("ds_rsub_u32", "ds_rsub_rtn_u32", 2, 34, "u32", rsub),
    BZ_DS_ATOMIC("ds_inc_u32", "ds_inc_rtn_u32", 3, 35, "u32", inc),
    BZ_DS_ATOMIC("ds_dec_u32", "ds_dec_rtn_u32", 4, 36, "u32", dec),
    BZ_DS_ATOMIC("ds_min_i32", "ds_min_rtn_i32", 5, 37, "i32", smin),
    BZ_DS_ATOMIC("ds_max_i32", "ds_max_rtn_i32", 6, 38, "i32", smax),
    BZ_DS_ATOMIC("ds_min_u32", "ds_min_rtn_u32", 7, 39, "u32", umin),
    BZ_DS_ATOMIC("ds_max_u32", "ds_max_rtn_u32", 8, 40, "u32", umax),
    BZ_DS_ATOMIC("ds_and_b32", "ds_and_rtn_b32", 9, 41, "b32", and_),
    BZ_DS_ATOMIC("ds_or_b32", "ds_or_rtn_b32", 10, 42, "b32", or_),
    BZ_DS_ATOMIC("ds_xor_b32", "ds_xor_rtn_b32", 11, 43, "b32", xor_),
    BZ_DS_ATOMIC2("ds_mskor_b32", "ds_mskor_rtn_b32", 12, 44, "b32", mskor),
    {{"ds_write_b32", DS, {13}, "addr, data0 offset", Store}, kStore<Space::lds, Elem::u32>},
    {{"ds_write2_b32", DS, {14}, "addr, data0, data1 offset01", Store}, [](auto& b) { b.ds_write2(1, 4); }},
    {{"ds_write2st64_b32", DS, {15}, "addr, data0, data1 offset01", Store}, [](auto& b) { b.ds_write2(1, 256); }},
    BZ_DS_ATOMIC2("ds_cmpst_b32", "ds_cmpst_rtn_b32", 16, 48, "b32", cmpswap),
    BZ_DS_ATOMIC2("ds_cmpst_f32", "ds_cmpst_rtn_f32", 17, 49, "f32", fcmpswap),
    BZ_DS_ATOMIC("ds_min_f32", "ds_min_rtn_f32", 18, 50, "f32", fmin),
    BZ_DS_ATOMIC("ds_max_f32", "ds_max_rtn_f32", 19, 51, "f32", fmax),
    {{"ds_nop", DS, {20}, "", NoGds}, [](auto& b) { b.nop("as the name says"); }},
    BZ_DS_ATOMIC("ds_add_f32", "ds_add_rtn_f32", 21, 53, "f32", fadd),
    {{"ds_pk_add_f16", DS, {23}, "addr, data0:pk_f16 offset", kDsAtomic, kGfx940},
     kDsAtomicSem<AtomicOp::fadd, Type::pk_f16, Return::no>},
    {{"ds_pk_add_rtn_f16", DS, {183}, "vdst:pk_f16, addr, data0:pk_f16 offset", kDsAtomic | Returns, kGfx940},
     kDsAtomicSem<AtomicOp::fadd, Type::pk_f16, Return::yes>},
    {{"ds_pk_add_bf16", DS, {24}, "addr, data0:pk_bf16 offset", kDsAtomic, kGfx940},
     kDsAtomicSem<AtomicOp::fadd, Type::pk_bf16, Return::no>},
    {{"ds_pk_add_rtn_bf16", DS, {184}, "vdst:pk_bf16, addr, data0:pk_bf16 offset", kDsAtomic | Returns, kGfx940},
     kDsAtomicSem<AtomicOp::fadd, Type::pk_bf16, Return::yes>},
    {{"ds_write_addtid_b32", DS, {29}, "data0 offset", Store | ReadsM0}, [](auto& b) { b.ds_addtid_write(); }},
    {{"ds_write_b8", DS, {30}, "addr, data0 offset", Store}, kStore<Space::lds, Elem::u8>},
    {{"ds_write_b16", DS, {31}, "addr, data0 offset", Store}, kStore<Space::lds, Elem::u16>},
    {{"ds_wrxchg_rtn_b32", DS, {45}, "vdst, addr, data0 offset", kDsAtomic | Returns},
     kDsAtomicSem<AtomicOp::swap, Type::b32, Return::yes>},
    {{"ds_wrxchg2_rtn_b32", DS, {46}, "vdst:2, addr, data0, data1 offset01", kDsAtomic | Returns},
     [](auto& b) { b.ds_wrxchg2(1, 4); }},
    {{"ds_wrxchg2st64_rtn_b32", DS, {47}, "vdst:2, addr, data0, data1 offset01", kDsAtomic | Returns},
     [](auto& b) { b.ds_wrxchg2(1, 256); }},
    {{"ds_wrap_rtn_b32", DS, {52}, "vdst, addr, data0, data1 offset", kDsAtomic | Returns},
     kDsAtomicSem<AtomicOp::wrap, Type::b32, Return::yes>},
    {{"ds_read_b32", DS, {54}, "vdst, addr offset", Load}, kLoad<Space::lds, Elem::u32>},
    {{"ds_read2_b32", DS, {55}, "vdst:2, addr offset01", Load}, [](auto& b) { b.ds_read2(1, 4); }},
    {{"ds_read2st64_b32", DS, {56}, "vdst:2, addr offset01", Load}, [](auto& b) { b.ds_read2(1, 256); }},
    {{"ds_read_i8", DS, {57}, "vdst, addr offset", Load}, kLoad<Space::lds, Elem::i8>},
    {{"ds_read_u8", DS, {58}, "vdst, addr offset", Load}, kLoad<Space::lds, Elem::u8>},
    {{"ds_read_i16", DS, {59}, "vdst, addr offset", Load}, kLoad<Space::lds, Elem::i16>},
    {{"ds_read_u16", DS, {60}, "vdst, addr offset", Load}, kLoad<Space::lds, Elem::u16>},
    BZ_DS_ATOMIC("ds_add_u64", "ds_add_rtn_u64", 64, 96, "u64", add),
    BZ_DS_ATOMIC("ds_sub_u64", "ds_sub_rtn_u64", 65, 97, "u64", sub),
    BZ_DS_ATOMIC("ds_rsub_u64", "ds_rsub_rtn_u64", 66, 98, "u64", rsub),
    BZ_DS_ATOMIC("ds_inc_u64", "ds_inc_rtn_u64", 67, 99, "u64", inc),
    BZ_DS_ATOMIC("ds_dec_u64", "ds_dec_rtn_u64", 68, 100, "u64", dec),
    BZ_DS_ATOMIC("ds_min_i64", "ds_min_rtn_i64", 69, 101, "i64", smin),
    BZ_DS_ATOMIC("ds_max_i64", "ds_max_rtn_i64", 70, 102, "i64", smax),
    BZ_DS_ATOMIC("ds_min_u64", "ds_min_rtn_u64", 71, 103, "u64", umin),
    BZ_DS_ATOMIC("ds_max_u64", "ds_max_rtn_u64", 72, 104, "u64", umax),
    BZ_DS_ATOMIC("ds_and_b64", "ds_and_rtn_b64", 73, 105, "b64", and_),
    BZ_DS_ATOMIC("ds_or_b64", "ds_or_rtn_b64", 74, 106, "b64", or_),
    BZ_DS_ATOMIC("ds_xor_b64", "ds_xor_rtn_b64", 75, 107, "b64", xor_),
    BZ_DS_ATOMIC2("ds_mskor_b64", "ds_mskor_rtn_b64", 76, 108, "b64", mskor),
    {{"ds_write_b64", DS, {77}, "addr, data0:2 offset", Store}, kStore<Space::lds, Elem::u32, 2>},
    {{"ds_write2_b64", DS, {78}, "addr, data0:2, data1:2 offset01", Store}, [](auto& b) { b.ds_write2(2, 8); }},
    {{"ds_write2st64_b64", DS, {79}, "addr, data0:2, data1:2 offset01", Store}, [](auto& b) { b.ds_write2(2, 512); }},
    BZ_DS_ATOMIC2("ds_cmpst_b64", "ds_cmpst_rtn_b64", 80, 112, "b64", cmpswap),
    BZ_DS_ATOMIC2("ds_cmpst_f64", "ds_cmpst_rtn_f64", 81, 113, "f64", fcmpswap),
    BZ_DS_ATOMIC("ds_min_f64", "ds_min_rtn_f64", 82, 114, "f64", fmin),
    BZ_DS_ATOMIC("ds_max_f64", "ds_max_rtn_f64", 83, 115, "f64", fmax),
    {{"ds_write_b8_d16_hi", DS, {84}, "addr, data0 offset", Store | D16Hi}, kStore<Space::lds, Elem::u8_hi>},
    {{"ds_write_b16_d16_hi", DS, {85}, "addr, data0 offset", Store | D16Hi}, kStore<Space::lds, Elem::u16_hi>},
    {{"ds_read_u8_d16", DS, {86}, "vdst:rw, addr offset", Load}, kLoad<Space::lds, Elem::u8_d16>},
    {{"ds_read_u8_d16_hi", DS, {87}, "vdst:rw, addr offset", Load | D16Hi}, kLoad<Space::lds, Elem::u8_d16_hi>},
    {{"ds_read_i8_d16", DS, {88}, "vdst:rw, addr offset", Load}, kLoad<Space::lds, Elem::i8_d16>},
    {{"ds_read_i8_d16_hi", DS, {89}, "vdst:rw, addr offset", Load | D16Hi}, kLoad<Space::lds, Elem::i8_d16_hi>},
    {{"ds_read_u16_d16", DS, {90}, "vdst:rw, addr offset", Load}, kLoad<Space::lds, Elem::u16_d16>},
    {{"ds_read_u16_d16_hi", DS, {91}, "vdst:rw, addr offset", Load | D16Hi}, kLoad<Space::lds, Elem::u16_d16_hi>},
    {{"ds_add_f64", DS, {92}, "addr, data0:f64 offset", kDsAtomic, kGfx90aUp},
     kDsAtomicSem<AtomicOp::fadd, Type::f64, Return::no>},
    {{"ds_add_rtn_f64", DS, {124}, "vdst:f64, addr, data0:f64 offset", kDsAtomic | Returns, kGfx90aUp},
     kDsAtomicSem<AtomicOp::fadd, Type::f64, Return::yes>},
    {{"ds_wrxchg_rtn_b64", DS, {109}, "vdst:2, addr, data0:2 offset", kDsAtomic | Returns},
     kDsAtomicSem<AtomicOp::swap, Type::b64, Return::yes>},
    {{"ds_wrxchg2_rtn_b64", DS, {110}, "vdst:4, addr, data0:2, data1:2 offset01", kDsAtomic | Returns},
     [](auto& b) { b.ds_wrxchg2(2, 8); }},
    {{"ds_wrxchg2st64_rtn_b64", DS, {111}, "vdst:4, addr, data0:2, data1:2 offset01", kDsAtomic | Returns},
     [](auto& b) { b.ds_wrxchg2(2, 512); }},
    {{"ds_read_b64", DS, {118}, "vdst:2, addr offset", Load}, kLoad<Space::lds, Elem::u32, 2>},
    {{"ds_read2_b64", DS, {119}, "vdst:4, addr offset01", Load}, [](auto& b) { b.ds_read2(2, 8); }},
    {{"ds_read2st64_b64", DS, {120}, "vdst:4, addr offset01", Load}, [](auto& b) { b.ds_read2(2, 512); }},
    {{"ds_condxchg32_rtn_b64", DS, {126}, "vdst:2, addr, data0:2 offset", kDsAtomic | Returns},
     [](auto& b) { b.ds_condxchg(); }},
    BZ_DS_SRC2("ds_add_src2_u32", 128, add, b32),
    BZ_DS_SRC2("ds_sub_src2_u32", 129, sub, b32),
    BZ_DS_SRC2("ds_rsub_src2_u32", 130, rsub, b32),
    BZ_DS_SRC2("ds_inc_src2_u32", 131, inc, b32),
    BZ_DS_SRC2("ds_dec_src2_u32", 132, dec, b32),
    BZ_DS_SRC2("ds_min_src2_i32", 133, smin, b32),
    BZ_DS_SRC2("ds_max_src2_i32", 134, smax, b32),
    BZ_DS_SRC2("ds_min_src2_u32", 135, umin, b32),
    BZ_DS_SRC2("ds_max_src2_u32", 136, umax, b32),
    BZ_DS_SRC2("ds_and_src2_b32", 137, and_, b32),
    BZ_DS_SRC2("ds_or_src2_b32", 138, or_, b32),
    BZ_DS_SRC2("ds_xor_src2_b32", 139, xor_, b32),
    BZ_DS_SRC2("ds_write_src2_b32", 141, swap, b32),
    BZ_DS_SRC2("ds_min_src2_f32", 146, fmin, f32),
    BZ_DS_SRC2("ds_max_src2_f32", 147, fmax, f32),
    BZ_DS_SRC2("ds_add_src2_f32", 149, fadd, f32),
    BZ_DS_GWS(sema_release_all, 152, "offset"),
    BZ_DS_GWS(init, 153, "data0 offset"),
    BZ_DS_GWS(sema_v, 154, "offset"),
    BZ_DS_GWS(sema_br, 155, "data0 offset"),
    BZ_DS_GWS(sema_p, 156, "offset"),
    BZ_DS_GWS(barrier, 157, "data0 offset"),
    {{"ds_read_addtid_b32", DS, {182}, "vdst offset", Load | ReadsM0}, [](auto& b) { b.ds_addtid_read(); }},
    {{"ds_consume", DS, {189}, "vdst offset", kDsAtomic | Returns | ReadsM0 | WholeWave},
     [](auto& b) { b.template ds_append<AtomicOp::sub>(); }},
    {{"ds_append", DS, {190}, "vdst offset", kDsAtomic | Returns | ReadsM0 | WholeWave},
     [](auto& b) { b.template ds_append<AtomicOp::add>(); }},
    {{"ds_ordered_count", DS, {191}, "vdst, addr offset", GdsOnly | ReadsM0, kBeforeGfx90a},
     [](auto& b) { b.not_implemented("ds_ordered_count: waves have an order only in dispatches that ask for it, and AQL packets can't"); }},
    BZ_DS_SRC2("ds_add_src2_u64", 192, add, b64),
    BZ_DS_SRC2("ds_sub_src2_u64", 193, sub, b64),
    BZ_DS_SRC2("ds_rsub_src2_u64", 194, rsub, b64),
    BZ_DS_SRC2("ds_inc_src2_u64", 195, inc, b64),
    BZ_DS_SRC2("ds_dec_src2_u64", 196, dec, b64),
    BZ_DS_SRC2("ds_min_src2_i64", 197, smin, b64),
    BZ_DS_SRC2("ds_max_src2_i64", 198, smax, b64),
    BZ_DS_SRC2("ds_min_src2_u64", 199, umin, b64),
    BZ_DS_SRC2("ds_max_src2_u64", 200, umax, b64),
    BZ_DS_SRC2("ds_and_src2_b64", 201, and_, b64),
    BZ_DS_SRC2("ds_or_src2_b64", 202, or_, b64),
    BZ_DS_SRC2("ds_xor_src2_b64", 203, xor_, b64),
    BZ_DS_SRC2("ds_write_src2_b64", 205, swap, b64),
    BZ_DS_SRC2("ds_min_src2_f64", 210, fmin, f64),
    BZ_DS_SRC2("ds_max_src2_f64", 211, fmax, f64),
    {{"ds_write_b96", DS, {222}, "addr, data0:3 offset", Store}, kStore<Space::lds, Elem::u32, 3>},
    {{"ds_write_b128", DS, {223}, "addr, data0:4 offset", Store}, kStore<Space::lds, Elem::u32, 4>},
    {{"ds_read_b96", DS, {254}, "vdst:3, addr offset", Load}, kLoad<Space::lds, Elem::u32, 3>},
    {{"ds_read_b128", DS, {255}, "vdst:4, addr offset", Load}, kLoad<Space::lds, Elem::u32, 4>},
    // Loads that transpose small matrices over 16 lanes.
    {{"ds_read_b64_tr_b4", DS, {224}, "vdst:2, addr offset", Load, kGfx950}},
    {{"ds_read_b96_tr_b6", DS, {225}, "vdst:3, addr offset", Load | AnyTuple, kGfx950}},
    {{"ds_read_b64_tr_b8", DS, {226}, "vdst:2, addr offset", Load, kGfx950}},
    {{"ds_read_b64_tr_b16", DS, {227}, "vdst:2, addr offset", Load, kGfx950}},
};

#undef BZ_DS_ATOMIC
#undef BZ_DS_ATOMIC2
#undef BZ_DS_SRC2
#undef BZ_DS_GWS

} // namespace bz::isa
