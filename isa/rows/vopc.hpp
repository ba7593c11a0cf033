// VOPC: vector compares, one macro per family of sixteen or eight relations. The result is VCC in the short form and an
// SGPR pair in VOP3 and SDWA; v_cmpx also writes EXEC.
#pragma once
#include "isa/rows/lane_sem.hpp"

namespace bz::isa {

#define BZ_CMP(name, op, flags, type, relation)                                                                        \
  {{name, VOPC | VOP3, {op}, "sdst:mask, src0:" type ", src1:" type, flags},                                           \
   kCompare<first_type("src0:" type), Relation::relation, has(flags, WritesExec)>}

// The float relations in opcode order: lo bit less, next equal, next greater, top bit unordered.
#define BZ_CMP_FLOAT(prefix, base, type, flags)                                                                        \
  BZ_CMP(prefix "_f_" type, base + 0, flags, type, never),                                                             \
      BZ_CMP(prefix "_lt_" type, base + 1, flags, type, lt),                                                           \
      BZ_CMP(prefix "_eq_" type, base + 2, flags, type, eq),                                                           \
      BZ_CMP(prefix "_le_" type, base + 3, flags, type, le),                                                           \
      BZ_CMP(prefix "_gt_" type, base + 4, flags, type, gt),                                                           \
      BZ_CMP(prefix "_lg_" type, base + 5, flags, type, lg),                                                           \
      BZ_CMP(prefix "_ge_" type, base + 6, flags, type, ge),                                                           \
      BZ_CMP(prefix "_o_" type, base + 7, flags, type, o),                                                             \
      BZ_CMP(prefix "_u_" type, base + 8, flags, type, u),                                                             \
      BZ_CMP(prefix "_nge_" type, base + 9, flags, type, nge),                                                         \
      BZ_CMP(prefix "_nlg_" type, base + 10, flags, type, nlg),                                                        \
      BZ_CMP(prefix "_ngt_" type, base + 11, flags, type, ngt),                                                        \
      BZ_CMP(prefix "_nle_" type, base + 12, flags, type, nle),                                                        \
      BZ_CMP(prefix "_neq_" type, base + 13, flags, type, neq),                                                        \
      BZ_CMP(prefix "_nlt_" type, base + 14, flags, type, nlt),                                                        \
      BZ_CMP(prefix "_tru_" type, base + 15, flags, type, always)

#define BZ_CMP_INT(prefix, base, type, flags)                                                                          \
  BZ_CMP(prefix "_f_" type, base + 0, flags, type, never),                                                             \
      BZ_CMP(prefix "_lt_" type, base + 1, flags, type, lt),                                                           \
      BZ_CMP(prefix "_eq_" type, base + 2, flags, type, eq),                                                           \
      BZ_CMP(prefix "_le_" type, base + 3, flags, type, le),                                                           \
      BZ_CMP(prefix "_gt_" type, base + 4, flags, type, gt),                                                           \
      BZ_CMP(prefix "_ne_" type, base + 5, flags, type, neq),                                                          \
      BZ_CMP(prefix "_ge_" type, base + 6, flags, type, ge),                                                           \
      BZ_CMP(prefix "_t_" type, base + 7, flags, type, always)

template <class B> inline constexpr Row<B> kVopc[] = {
    {{"v_cmp_class_f32", VOPC | VOP3, {0x10}, "sdst:mask, src0:f32, src1:u32", NoDpp}, kCompareClass<Type::f32, false>},
    {{"v_cmpx_class_f32", VOPC | VOP3, {0x11}, "sdst:mask, src0:f32, src1:u32", NoDpp | WritesExec}, kCompareClass<Type::f32, true>},
    {{"v_cmp_class_f64", VOPC | VOP3, {0x12}, "sdst:mask, src0:f64, src1:u32", NoDpp | NoSdwa}, kCompareClass<Type::f64, false>},
    {{"v_cmpx_class_f64", VOPC | VOP3, {0x13}, "sdst:mask, src0:f64, src1:u32", NoDpp | NoSdwa | WritesExec}, kCompareClass<Type::f64, true>},
    {{"v_cmp_class_f16", VOPC | VOP3, {0x14}, "sdst:mask, src0:f16, src1:u32", NoDpp}, kCompareClass<Type::f16, false>},
    {{"v_cmpx_class_f16", VOPC | VOP3, {0x15}, "sdst:mask, src0:f16, src1:u32", NoDpp | WritesExec}, kCompareClass<Type::f16, true>},
    BZ_CMP_FLOAT("v_cmp", 0x20, "f16", Clamp | ReadsMode | NoDpp),
    BZ_CMP_FLOAT("v_cmpx", 0x30, "f16", Clamp | ReadsMode | NoDpp | WritesExec),
    BZ_CMP_FLOAT("v_cmp", 0x40, "f32", Clamp | ReadsMode | NoDpp),
    BZ_CMP_FLOAT("v_cmpx", 0x50, "f32", Clamp | ReadsMode | NoDpp | WritesExec),
    BZ_CMP_FLOAT("v_cmp", 0x60, "f64", Clamp | ReadsMode | NoDpp | NoSdwa),
    BZ_CMP_FLOAT("v_cmpx", 0x70, "f64", Clamp | ReadsMode | NoDpp | NoSdwa | WritesExec),
    BZ_CMP_INT("v_cmp", 0xa0, "i16", NoDpp),
    BZ_CMP_INT("v_cmp", 0xa8, "u16", NoDpp),
    BZ_CMP_INT("v_cmpx", 0xb0, "i16", NoDpp | WritesExec),
    BZ_CMP_INT("v_cmpx", 0xb8, "u16", NoDpp | WritesExec),
    BZ_CMP_INT("v_cmp", 0xc0, "i32", NoDpp),
    BZ_CMP_INT("v_cmp", 0xc8, "u32", NoDpp),
    BZ_CMP_INT("v_cmpx", 0xd0, "i32", NoDpp | WritesExec),
    BZ_CMP_INT("v_cmpx", 0xd8, "u32", NoDpp | WritesExec),
    BZ_CMP_INT("v_cmp", 0xe0, "i64", NoDpp | NoSdwa),
    BZ_CMP_INT("v_cmp", 0xe8, "u64", NoDpp | NoSdwa),
    BZ_CMP_INT("v_cmpx", 0xf0, "i64", NoDpp | NoSdwa | WritesExec),
    BZ_CMP_INT("v_cmpx", 0xf8, "u64", NoDpp | NoSdwa | WritesExec),
};

#undef BZ_CMP
#undef BZ_CMP_FLOAT
#undef BZ_CMP_INT

} // namespace bz::isa
