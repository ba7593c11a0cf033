// SMEM: scalar loads, stores and atomics through the scalar cache, clocks and cache maintenance.
#pragma once
#include "isa/row.hpp"
#include "isa/rows/scalar_sem.hpp"

namespace bz::isa {

// Atomics return the old value into sdata when glc is set. cmpswap: the value, then the comparand.
#define BZ_SMEM_ATOMIC(name, code, dwords, base, buffer, type)                                                         \
  {{name, SMEM, {code}, "sdata" dwords ":rw, sbase:" base ", smem_offset", Load | Store | Atomic},                     \
   kScalarAtomic<buffer, scalar_atomic(name), AtomicType::type>}
#define BZ_SMEM_ATOMICS(prefix, base, buffer, op, x2)                                                                  \
  BZ_SMEM_ATOMIC(prefix "_swap", op + 0, "", base, buffer, b32),                                                       \
  BZ_SMEM_ATOMIC(prefix "_cmpswap", op + 1, ":2", base, buffer, b32),                                                  \
  BZ_SMEM_ATOMIC(prefix "_add", op + 2, "", base, buffer, b32),                                                        \
  BZ_SMEM_ATOMIC(prefix "_sub", op + 3, "", base, buffer, b32),                                                        \
  BZ_SMEM_ATOMIC(prefix "_smin", op + 4, "", base, buffer, b32),                                                       \
  BZ_SMEM_ATOMIC(prefix "_umin", op + 5, "", base, buffer, b32),                                                       \
  BZ_SMEM_ATOMIC(prefix "_smax", op + 6, "", base, buffer, b32),                                                       \
  BZ_SMEM_ATOMIC(prefix "_umax", op + 7, "", base, buffer, b32),                                                       \
  BZ_SMEM_ATOMIC(prefix "_and", op + 8, "", base, buffer, b32),                                                        \
  BZ_SMEM_ATOMIC(prefix "_or", op + 9, "", base, buffer, b32),                                                         \
  BZ_SMEM_ATOMIC(prefix "_xor", op + 10, "", base, buffer, b32),                                                       \
  BZ_SMEM_ATOMIC(prefix "_inc", op + 11, "", base, buffer, b32),                                                       \
  BZ_SMEM_ATOMIC(prefix "_dec", op + 12, "", base, buffer, b32),                                                       \
  BZ_SMEM_ATOMIC(prefix "_swap_x2", x2 + 0, ":2", base, buffer, b64),                                                  \
  BZ_SMEM_ATOMIC(prefix "_cmpswap_x2", x2 + 1, ":4", base, buffer, b64),                                               \
  BZ_SMEM_ATOMIC(prefix "_add_x2", x2 + 2, ":2", base, buffer, b64),                                                   \
  BZ_SMEM_ATOMIC(prefix "_sub_x2", x2 + 3, ":2", base, buffer, b64),                                                   \
  BZ_SMEM_ATOMIC(prefix "_smin_x2", x2 + 4, ":2", base, buffer, b64),                                                  \
  BZ_SMEM_ATOMIC(prefix "_umin_x2", x2 + 5, ":2", base, buffer, b64),                                                  \
  BZ_SMEM_ATOMIC(prefix "_smax_x2", x2 + 6, ":2", base, buffer, b64),                                                  \
  BZ_SMEM_ATOMIC(prefix "_umax_x2", x2 + 7, ":2", base, buffer, b64),                                                  \
  BZ_SMEM_ATOMIC(prefix "_and_x2", x2 + 8, ":2", base, buffer, b64),                                                   \
  BZ_SMEM_ATOMIC(prefix "_or_x2", x2 + 9, ":2", base, buffer, b64),                                                    \
  BZ_SMEM_ATOMIC(prefix "_xor_x2", x2 + 10, ":2", base, buffer, b64),                                                  \
  BZ_SMEM_ATOMIC(prefix "_inc_x2", x2 + 11, ":2", base, buffer, b64),                                                  \
  BZ_SMEM_ATOMIC(prefix "_dec_x2", x2 + 12, ":2", base, buffer, b64)

template <class B> inline constexpr Row<B> kSmem[] = {
    {{"s_load_dword", SMEM, {0}, "sdata:dst, sbase:2, smem_offset", Load}, [](auto& b) { b.s_load(1); }},
    {{"s_load_dwordx2", SMEM, {1}, "sdata:2:dst, sbase:2, smem_offset", Load}, [](auto& b) { b.s_load(2); }},
    {{"s_load_dwordx4", SMEM, {2}, "sdata:4:dst, sbase:2, smem_offset", Load}, [](auto& b) { b.s_load(4); }},
    {{"s_load_dwordx8", SMEM, {3}, "sdata:8:dst, sbase:2, smem_offset", Load}, [](auto& b) { b.s_load(8); }},
    {{"s_load_dwordx16", SMEM, {4}, "sdata:16:dst, sbase:2, smem_offset", Load}, [](auto& b) { b.s_load(16); }},
    {{"s_scratch_load_dword", SMEM, {5}, "sdata:dst, sbase:2, smem_offset", Load | ReadsFlatScratch}, [](auto& b) { b.s_scratch_load(1); }},
    {{"s_scratch_load_dwordx2", SMEM, {6}, "sdata:2:dst, sbase:2, smem_offset", Load | ReadsFlatScratch}, [](auto& b) { b.s_scratch_load(2); }},
    {{"s_scratch_load_dwordx4", SMEM, {7}, "sdata:4:dst, sbase:2, smem_offset", Load | ReadsFlatScratch}, [](auto& b) { b.s_scratch_load(4); }},
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
    {{"s_scratch_store_dword", SMEM, {21}, "sdata, sbase:2, smem_offset", Store | ReadsFlatScratch}, [](auto& b) { b.s_scratch_store(1); }},
    {{"s_scratch_store_dwordx2", SMEM, {22}, "sdata:2, sbase:2, smem_offset", Store | ReadsFlatScratch}, [](auto& b) { b.s_scratch_store(2); }},
    {{"s_scratch_store_dwordx4", SMEM, {23}, "sdata:4, sbase:2, smem_offset", Store | ReadsFlatScratch}, [](auto& b) { b.s_scratch_store(4); }},
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
    {{"s_atc_probe", SMEM, {38}, "simm7, sbase:2, smem_offset"}, [](auto& b) { b.nop("addresses need no translation"); }},
    {{"s_atc_probe_buffer", SMEM, {39}, "simm7, sbase:4, smem_offset"}, [](auto& b) { b.nop("addresses need no translation"); }},
    {{"s_dcache_discard", SMEM, {40}, "sbase:2, smem_offset"}, [](auto& b) { b.nop("scalar stores have written memory already: nothing is left to discard"); }},
    {{"s_dcache_discard_x2", SMEM, {41}, "sbase:2, smem_offset"}, [](auto& b) { b.nop("scalar stores have written memory already: nothing is left to discard"); }},
    BZ_SMEM_ATOMICS("s_buffer_atomic", "4", true, 64, 96),
    BZ_SMEM_ATOMICS("s_atomic", "2", false, 128, 160),
};

#undef BZ_SMEM_ATOMICS
#undef BZ_SMEM_ATOMIC

} // namespace bz::isa
