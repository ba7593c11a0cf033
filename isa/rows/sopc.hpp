// SOPC: scalar compares into SCC. SOPK: scalar operations with a 16-bit immediate.
#pragma once
#include "isa/row.hpp"
#include "isa/rows/scalar_sem.hpp"

namespace bz::isa {

template <class B> inline constexpr Row<B> kSopc[] = {
    {{"s_cmp_eq_i32", SOPC, {0}, "ssrc0:i32, ssrc1:i32", WritesScc},
     [](auto& b) { b.set_scc(b.si32(0) == b.si32(1)); }},
    {{"s_cmp_lg_i32", SOPC, {1}, "ssrc0:i32, ssrc1:i32", WritesScc},
     [](auto& b) { b.set_scc(b.si32(0) != b.si32(1)); }},
    {{"s_cmp_gt_i32", SOPC, {2}, "ssrc0:i32, ssrc1:i32", WritesScc},
     [](auto& b) { b.set_scc(b.si32(0) > b.si32(1)); }},
    {{"s_cmp_ge_i32", SOPC, {3}, "ssrc0:i32, ssrc1:i32", WritesScc},
     [](auto& b) { b.set_scc(b.si32(0) >= b.si32(1)); }},
    {{"s_cmp_lt_i32", SOPC, {4}, "ssrc0:i32, ssrc1:i32", WritesScc},
     [](auto& b) { b.set_scc(b.si32(0) < b.si32(1)); }},
    {{"s_cmp_le_i32", SOPC, {5}, "ssrc0:i32, ssrc1:i32", WritesScc},
     [](auto& b) { b.set_scc(b.si32(0) <= b.si32(1)); }},
    {{"s_cmp_eq_u32", SOPC, {6}, "ssrc0:u32, ssrc1:u32", WritesScc},
     [](auto& b) { b.set_scc(b.s32(0) == b.s32(1)); }},
    {{"s_cmp_lg_u32", SOPC, {7}, "ssrc0:u32, ssrc1:u32", WritesScc},
     [](auto& b) { b.set_scc(b.s32(0) != b.s32(1)); }},
    {{"s_cmp_gt_u32", SOPC, {8}, "ssrc0:u32, ssrc1:u32", WritesScc}, [](auto& b) { b.set_scc(b.s32(0) > b.s32(1)); }},
    {{"s_cmp_ge_u32", SOPC, {9}, "ssrc0:u32, ssrc1:u32", WritesScc},
     [](auto& b) { b.set_scc(b.s32(0) >= b.s32(1)); }},
    {{"s_cmp_lt_u32", SOPC, {10}, "ssrc0:u32, ssrc1:u32", WritesScc},
     [](auto& b) { b.set_scc(b.s32(0) < b.s32(1)); }},
    {{"s_cmp_le_u32", SOPC, {11}, "ssrc0:u32, ssrc1:u32", WritesScc},
     [](auto& b) { b.set_scc(b.s32(0) <= b.s32(1)); }},
    {{"s_bitcmp0_b32", SOPC, {12}, "ssrc0, ssrc1:u32", WritesScc},
     [](auto& b) { b.set_scc(((b.s32(0) >> (b.s32(1) & 31u)) & 1u) == 0u); }},
    {{"s_bitcmp1_b32", SOPC, {13}, "ssrc0, ssrc1:u32", WritesScc},
     [](auto& b) { b.set_scc(((b.s32(0) >> (b.s32(1) & 31u)) & 1u) != 0u); }},
    {{"s_bitcmp0_b64", SOPC, {14}, "ssrc0:b64, ssrc1:u32", WritesScc},
     [](auto& b) { b.set_scc(((b.s64(0) >> (b.s32(1) & 63u)) & 1u) == 0u); }},
    {{"s_bitcmp1_b64", SOPC, {15}, "ssrc0:b64, ssrc1:u32", WritesScc},
     [](auto& b) { b.set_scc(((b.s64(0) >> (b.s32(1) & 63u)) & 1u) != 0u); }},
    {{"s_setvskip", SOPC, {16}, "ssrc0, ssrc1", WritesScc}},
    {{"s_set_gpr_idx_on", SOPC, {17}, "ssrc0, gpr_idx", ReadsM0 | WritesM0 | ReadsMode | WritesMode},
     [](auto& b) { b.gpr_index_on(b.s32(0), static_cast<int>(b.imm())); }},
    {{"s_cmp_eq_u64", SOPC, {18}, "ssrc0:u64, ssrc1:u64", WritesScc},
     [](auto& b) { b.set_scc(b.s64(0) == b.s64(1)); }},
    {{"s_cmp_lg_u64", SOPC, {19}, "ssrc0:u64, ssrc1:u64", WritesScc},
     [](auto& b) { b.set_scc(b.s64(0) != b.s64(1)); }},
};

template <class B> inline constexpr Row<B> kSopk[] = {
    {{"s_movk_i32", SOPK, {0}, "sdst:i32, simm16"}, [](auto& b) { b.sdst(imm32(b)); }},
    {{"s_cmovk_i32", SOPK, {1}, "sdst:i32:rw, simm16", ReadsScc},
     [](auto& b) { b.sdst(b.select(b.scc(), imm32(b), b.as_i32(b.dst_s32()))); }},
    {{"s_cmpk_eq_i32", SOPK, {2}, "sdst:i32:src, simm16", WritesScc},
     [](auto& b) { b.set_scc(b.si32(0) == imm32(b)); }},
    {{"s_cmpk_lg_i32", SOPK, {3}, "sdst:i32:src, simm16", WritesScc},
     [](auto& b) { b.set_scc(b.si32(0) != imm32(b)); }},
    {{"s_cmpk_gt_i32", SOPK, {4}, "sdst:i32:src, simm16", WritesScc},
     [](auto& b) { b.set_scc(b.si32(0) > imm32(b)); }},
    {{"s_cmpk_ge_i32", SOPK, {5}, "sdst:i32:src, simm16", WritesScc},
     [](auto& b) { b.set_scc(b.si32(0) >= imm32(b)); }},
    {{"s_cmpk_lt_i32", SOPK, {6}, "sdst:i32:src, simm16", WritesScc},
     [](auto& b) { b.set_scc(b.si32(0) < imm32(b)); }},
    {{"s_cmpk_le_i32", SOPK, {7}, "sdst:i32:src, simm16", WritesScc},
     [](auto& b) { b.set_scc(b.si32(0) <= imm32(b)); }},
    {{"s_cmpk_eq_u32", SOPK, {8}, "sdst:u32:src, simm16", WritesScc},
     [](auto& b) { b.set_scc(b.s32(0) == imm16u(b)); }},
    {{"s_cmpk_lg_u32", SOPK, {9}, "sdst:u32:src, simm16", WritesScc},
     [](auto& b) { b.set_scc(b.s32(0) != imm16u(b)); }},
    {{"s_cmpk_gt_u32", SOPK, {10}, "sdst:u32:src, simm16", WritesScc},
     [](auto& b) { b.set_scc(b.s32(0) > imm16u(b)); }},
    {{"s_cmpk_ge_u32", SOPK, {11}, "sdst:u32:src, simm16", WritesScc},
     [](auto& b) { b.set_scc(b.s32(0) >= imm16u(b)); }},
    {{"s_cmpk_lt_u32", SOPK, {12}, "sdst:u32:src, simm16", WritesScc},
     [](auto& b) { b.set_scc(b.s32(0) < imm16u(b)); }},
    {{"s_cmpk_le_u32", SOPK, {13}, "sdst:u32:src, simm16", WritesScc},
     [](auto& b) { b.set_scc(b.s32(0) <= imm16u(b)); }},
    {{"s_addk_i32", SOPK, {14}, "sdst:i32:rw, simm16", WritesScc},
     [](auto& b) {
           auto x = b.dst_s32(), y = b.as_u32(imm32(b)), r = x + y;
           b.sdst(r);
           b.set_scc((((x ^ r) & (y ^ r)) >> 31) != 0u);
         }},
    {{"s_mulk_i32", SOPK, {15}, "sdst:i32:rw, simm16"}, [](auto& b) { b.sdst(b.dst_s32() * b.as_u32(imm32(b))); }},
    {{"s_cbranch_i_fork", SOPK, {16}, "sdst:b64:src, label", Branch | CondBranch}},
    {{"s_getreg_b32", SOPK, {17}, "sdst, hwreg", ReadsMode},
     [](auto& b) { b.sdst(b.get_reg(static_cast<int>(b.imm()))); }},
    {{"s_setreg_b32", SOPK, {18}, "hwreg, sdst:src", ReadsMode | WritesMode},
     [](auto& b) { b.set_reg(static_cast<int>(b.imm()), b.s32(0)); }},
    {{"s_setreg_imm32_b32", SOPK, {20}, "hwreg, k32", ReadsMode | WritesMode},
     [](auto& b) { b.set_reg(static_cast<int>(b.imm()), b.s32(0)); }},
    {{"s_call_b64", SOPK, {21}, "sdst:b64, label", Branch | Call}, [](auto& b) { b.sdst(b.pc_next()); b.branch(); }},
};

} // namespace bz::isa
