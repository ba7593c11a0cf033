// SMEM: scalar loads, stores and atomics through the scalar cache, clocks and cache maintenance.
#pragma once
#include "isa/row.hpp"

namespace bz::isa {

// Atomics return the old value into sdata when glc is set.
#define BZ_SMEM_ATOMICS(prefix, base, op, x2)                                                                          \
  {{prefix "_swap", SMEM, {op + 0}, "sdata:rw, sbase:" base ", smem_offset", Load | Store | Atomic}},                  \
      {{prefix "_cmpswap", SMEM, {op + 1}, "sdata:2:rw, sbase:" base ", smem_offset", Load | Store | Atomic}},         \
      {{prefix "_add", SMEM, {op + 2}, "sdata:rw, sbase:" base ", smem_offset", Load | Store | Atomic}},               \
      {{prefix "_sub", SMEM, {op + 3}, "sdata:rw, sbase:" base ", smem_offset", Load | Store | Atomic}},               \
      {{prefix "_smin", SMEM, {op + 4}, "sdata:rw, sbase:" base ", smem_offset", Load | Store | Atomic}},              \
      {{prefix "_umin", SMEM, {op + 5}, "sdata:rw, sbase:" base ", smem_offset", Load | Store | Atomic}},              \
      {{prefix "_smax", SMEM, {op + 6}, "sdata:rw, sbase:" base ", smem_offset", Load | Store | Atomic}},              \
      {{prefix "_umax", SMEM, {op + 7}, "sdata:rw, sbase:" base ", smem_offset", Load | Store | Atomic}},              \
      {{prefix "_and", SMEM, {op + 8}, "sdata:rw, sbase:" base ", smem_offset", Load | Store | Atomic}},               \
      {{prefix "_or", SMEM, {op + 9}, "sdata:rw, sbase:" base ", smem_offset", Load | Store | Atomic}},                \
      {{prefix "_xor", SMEM, {op + 10}, "sdata:rw, sbase:" base ", smem_offset", Load | Store | Atomic}},              \
      {{prefix "_inc", SMEM, {op + 11}, "sdata:rw, sbase:" base ", smem_offset", Load | Store | Atomic}},              \
      {{prefix "_dec", SMEM, {op + 12}, "sdata:rw, sbase:" base ", smem_offset", Load | Store | Atomic}},              \
      {{prefix "_swap_x2", SMEM, {x2 + 0}, "sdata:2:rw, sbase:" base ", smem_offset", Load | Store | Atomic}},         \
      {{prefix "_cmpswap_x2", SMEM, {x2 + 1}, "sdata:4:rw, sbase:" base ", smem_offset", Load | Store | Atomic}},      \
      {{prefix "_add_x2", SMEM, {x2 + 2}, "sdata:2:rw, sbase:" base ", smem_offset", Load | Store | Atomic}},          \
      {{prefix "_sub_x2", SMEM, {x2 + 3}, "sdata:2:rw, sbase:" base ", smem_offset", Load | Store | Atomic}},          \
      {{prefix "_smin_x2", SMEM, {x2 + 4}, "sdata:2:rw, sbase:" base ", smem_offset", Load | Store | Atomic}},         \
      {{prefix "_umin_x2", SMEM, {x2 + 5}, "sdata:2:rw, sbase:" base ", smem_offset", Load | Store | Atomic}},         \
      {{prefix "_smax_x2", SMEM, {x2 + 6}, "sdata:2:rw, sbase:" base ", smem_offset", Load | Store | Atomic}},         \
      {{prefix "_umax_x2", SMEM, {x2 + 7}, "sdata:2:rw, sbase:" base ", smem_offset", Load | Store | Atomic}},         \
      {{prefix "_and_x2", SMEM, {x2 + 8}, "sdata:2:rw, sbase:" base ", smem_offset", Load | Store | Atomic}},          \
      {{prefix "_or_x2", SMEM, {x2 + 9}, "sdata:2:rw, sbase:" base ", smem_offset", Load | Store | Atomic}},           \
      {{prefix "_xor_x2", SMEM, {x2 + 10}, "sdata:2:rw, sbase:" base ", smem_offset", Load | Store | Atomic}},         \
      {{prefix "_inc_x2", SMEM, {x2 + 11}, "sdata:2:rw, sbase:" base ", smem_offset", Load | Store | Atomic}},         \
      {{prefix "_dec_x2", SMEM, {x2 + 12}, "sdata:2:rw, sbase:" base ", smem_offset", Load | Store | Atomic}}

template <class B> inline constexpr Row<B> kSmem[] = {
    {{"s_load_dword", SMEM, {0}, "sdata:dst, sbase:2, smem_offset", Load}, [](auto& b) { b.s_load(1); }},
    {{"s_load_dwordx2", SMEM, {1}, "sdata:2:dst, sbase:2, smem_offset", Load}, [](auto& b) { b.s_load(2); }},
    {{"s_load_dwordx4", SMEM, {2}, "sdata:4:dst, sbase:2, smem_offset", Load}, [](auto& b) { b.s_load(4); }},
    {{"s_load_dwordx8", SMEM, {3}, "sdata:8:dst, sbase:2, smem_offset", Load}, [](auto& b) { b.s_load(8); }},
    {{"s_load_dwordx16", SMEM, {4}, "sdata:16:dst, sbase:2, smem_offset", Load}, [](auto& b) { b.s_load(16); }},
    {{"s_scratch_load_dword", SMEM, {5}, "sdata:dst, sbase:2, smem_offset", Load | ReadsFlatScratch}},
    {{"s_scratch_load_dwordx2", SMEM, {6}, "sdata:2:dst, sbase:2, smem_offset", Load | ReadsFlatScratch}},
    {{"s_scratch_load_dwordx4", SMEM, {7}, "sdata:4:dst, sbase:2, smem_offset", Load | ReadsFlatScratch}},
    {{"s_buffer_load_dword", SMEM, {8}, "sdata:dst, sbase:4, smem_offset", Load},
     [](auto& b) { b.s_buffer_load(1); }},
    {{"s_buffer_load_dwordx2", SMEM, {9}, "sdata:2:dst, sbase:4, smem_offset", Load},
     [](auto& b) { b.s_buffer_load(2); }},
    {{"s_buffer_load_dwordx4", SMEM, {10}, "sdata:4:dst, sbase:4, smem_offset", Load},
     [](auto& b) { b.s_buffer_load(4); }},
    {{"s_buffer_load_dwordx8", SMEM, {11}, "sdata:8:dst, sbase:4, smem_offset", Load},
     [](auto& b) { b.s_buffer_load(8); }},
    {{"s_buffer_load_dwordx16", SMEM, {12}, "sdata:16:dst, sbase:4, smem_offset", Load},
     [](auto& b) { b.s_buffer_load(16); }},
    {{"s_store_dword", SMEM, {16}, "sdata, sbase:2, smem_offset", Store}, [](auto& b) { b.s_store(1); }},
    {{"s_store_dwordx2", SMEM, {17}, "sdata:2, sbase:2, smem_offset", Store}, [](auto& b) { b.s_store(2); }},
    {{"s_store_dwordx4", SMEM, {18}, "sdata:4, sbase:2, smem_offset", Store}, [](auto& b) { b.s_store(4); }},
    {{"s_scratch_store_dword", SMEM, {21}, "sdata, sbase:2, smem_offset", Store | ReadsFlatScratch}},
    {{"s_scratch_store_dwordx2", SMEM, {22}, "sdata:2, sbase:2, smem_offset", Store | ReadsFlatScratch}},
    {{"s_scratch_store_dwordx4", SMEM, {23}, "sdata:4, sbase:2, smem_offset", Store | ReadsFlatScratch}},
    {{"s_buffer_store_dword", SMEM, {24}, "sdata, sbase:4, smem_offset", Store},
     [](auto& b) { b.s_buffer_store(1); }},
    {{"s_buffer_store_dwordx2", SMEM, {25}, "sdata:2, sbase:4, smem_offset", Store},
     [](auto& b) { b.s_buffer_store(2); }},
    {{"s_buffer_store_dwordx4", SMEM, {26}, "sdata:4, sbase:4, smem_offset", Store},
     [](auto& b) { b.s_buffer_store(4); }},
    {{"s_dcache_inv", SMEM, {32}, ""}, [](auto& b) { b.nop("scalar loads read memory itself"); }},
    {{"s_dcache_wb", SMEM, {33}, ""}, [](auto& b) { b.nop("scalar stores write memory itself"); }},
    {{"s_dcache_inv_vol", SMEM, {34}, ""}, [](auto& b) { b.nop("scalar loads read memory itself"); }},
    {{"s_dcache_wb_vol", SMEM, {35}, ""}, [](auto& b) { b.nop("scalar stores write memory itself"); }},
    {{"s_memtime", SMEM, {36}, "sdata:2:dst"}, [](auto& b) { b.sdst(b.clock()); }},
    {{"s_memrealtime", SMEM, {37}, "sdata:2:dst"}, [](auto& b) { b.sdst(b.realtime()); }},
    {{"s_atc_probe", SMEM, {38}, "simm7, sbase:2, smem_offset"}},
    {{"s_atc_probe_buffer", SMEM, {39}, "simm7, sbase:4, smem_offset"}},
    {{"s_dcache_discard", SMEM, {40}, "sbase:2, smem_offset"}},
    {{"s_dcache_discard_x2", SMEM, {41}, "sbase:2, smem_offset"}},
    BZ_SMEM_ATOMICS("s_buffer_atomic", "4", 64, 96),
    BZ_SMEM_ATOMICS("s_atomic", "2", 128, 160),
};

#undef BZ_SMEM_ATOMICS

} // namespace bz::isa
