// SOPP: branches, waits, barriers, messages and the end of the program.
#pragma once
#include "isa/row.hpp"
#include "isa/rows/scalar_sem.hpp"

namespace bz::isa {

template <class B> inline constexpr Row<B> kSopp[] = {
    {{"s_nop", SOPP, {0}, "simm16"}, [](auto& b) { b.nop("no pipeline to wait for"); }},
    {{"s_endpgm", SOPP, {1}, "simm16", EndProgram}, [](auto& b) { b.end_program(); }},
    {{"s_branch", SOPP, {2}, "label", Branch}, [](auto& b) { b.branch(); }},
    {{"s_wakeup", SOPP, {3}, ""}, [](auto& b) { b.nop("sleeping waves wake by themselves"); }},
    {{"s_cbranch_scc0", SOPP, {4}, "label", Branch | CondBranch | ReadsScc}, [](auto& b) { b.branch_if(~b.scc()); }},
    {{"s_cbranch_scc1", SOPP, {5}, "label", Branch | CondBranch | ReadsScc}, [](auto& b) { b.branch_if(b.scc()); }},
    {{"s_cbranch_vccz", SOPP, {6}, "label", Branch | CondBranch | ReadsVcc},
     [](auto& b) { b.branch_if(b.vcc() == 0u); }},
    {{"s_cbranch_vccnz", SOPP, {7}, "label", Branch | CondBranch | ReadsVcc},
     [](auto& b) { b.branch_if(b.vcc() != 0u); }},
    {{"s_cbranch_execz", SOPP, {8}, "label", Branch | CondBranch | ReadsExec},
     [](auto& b) { b.branch_if(b.exec() == 0u); }},
    {{"s_cbranch_execnz", SOPP, {9}, "label", Branch | CondBranch | ReadsExec},
     [](auto& b) { b.branch_if(b.exec() != 0u); }},
    {{"s_barrier", SOPP, {10}, "", Barrier}, [](auto& b) { b.barrier(); }},
    {{"s_setkill", SOPP, {11}, "simm16"},
     [](auto& b) {
           if (b.imm() & 1) b.end_program();
           else b.nop("the wave is not killed");
         }},
    {{"s_waitcnt", SOPP, {12}, "waitcnt"},
     [](auto& b) { b.nop("every access is complete when its instruction is"); }},
    {{"s_sethalt", SOPP, {13}, "simm16"},
     [](auto& b) {
           if (b.imm() & 1) b.halt();
           else b.nop("a wave that runs is not halted");
         }},
    {{"s_sleep", SOPP, {14}, "simm16"}, [](auto& b) { b.sleep(static_cast<int>(b.imm() & 127)); }},
    {{"s_setprio", SOPP, {15}, "simm16"}, [](auto& b) { b.nop("waves of a group have one priority"); }},
    {{"s_sendmsg", SOPP, {16}, "sendmsg", ReadsExec | ReadsM0},
     [](auto& b) { b.send_message(static_cast<int>(b.imm()), b.m0()); }},
    {{"s_sendmsghalt", SOPP, {17}, "sendmsg", ReadsExec | ReadsM0},
     [](auto& b) { b.send_message(static_cast<int>(b.imm()), b.m0()); b.halt(); }},
    {{"s_trap", SOPP, {18}, "simm16", Trap}, [](auto& b) { b.trap(static_cast<int>(b.imm() & 255)); }},
    {{"s_icache_inv", SOPP, {19}, ""},
     [](auto& b) { b.nop("code is re-read when its memory is freed or written by a copy"); }},
    {{"s_incperflevel", SOPP, {20}, "simm16"}, [](auto& b) { b.nop("no performance counter is attached"); }},
    {{"s_decperflevel", SOPP, {21}, "simm16"}, [](auto& b) { b.nop("no performance counter is attached"); }},
    {{"s_ttracedata", SOPP, {22}, "", ReadsM0}, [](auto& b) { b.nop("no thread trace is attached"); }},
    // The debug conditions are a debugger's to set.
    {{"s_cbranch_cdbgsys", SOPP, {23}, "label", Branch | CondBranch}, kBranchNever},
    {{"s_cbranch_cdbguser", SOPP, {24}, "label", Branch | CondBranch}, kBranchNever},
    {{"s_cbranch_cdbgsys_or_user", SOPP, {25}, "label", Branch | CondBranch}, kBranchNever},
    {{"s_cbranch_cdbgsys_and_user", SOPP, {26}, "label", Branch | CondBranch}, kBranchNever},
    {{"s_endpgm_saved", SOPP, {27}, "", EndProgram}, [](auto& b) { b.end_program(); }},
    {{"s_set_gpr_idx_off", SOPP, {28}, "", ReadsMode | WritesMode}, [](auto& b) { b.gpr_index_off(); }},
    {{"s_set_gpr_idx_mode", SOPP, {29}, "gpr_idx", ReadsMode | WritesMode | WritesM0},
     [](auto& b) { b.gpr_index_mode(static_cast<int>(b.imm())); }},
    {{"s_endpgm_ordered_ps_done", SOPP, {30}, "", EndProgram}, [](auto& b) { b.end_program(); }},
};

} // namespace bz::isa
