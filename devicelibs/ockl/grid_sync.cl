// Barriers over a whole grid and over several grids, on the counters of devicelibs/grid_protocol.h. All workgroups are
// resident at once: that is what a cooperative launch promises.
#include "ockl.h"

#include "../grid_protocol.h"

typedef const __constant struct bz_grid_info* info_t;

static info_t grid_info(void) {
  return (info_t)(__oclc_ABI_version < 500 ? IMPLICIT(ulong, ARG4_MULTIGRID) : IMPLICIT(ulong, ARG_MULTIGRID));
}

#define LOAD(p, order, scope) __scoped_atomic_load_n(p, order, scope)
#define ARRIVE(name, scope)                                                                                            \
  /* Waits until `count` callers have arrived; true for the one that came last. */                                     \
  static bool name(__global struct bz_grid_counters* c, uint count, bool release) {                                    \
    uint phase = LOAD(&c->phase, __ATOMIC_RELAXED, scope);                                                             \
    uint before = __scoped_atomic_fetch_add(&c->arrived, 1, __ATOMIC_ACQ_REL, scope);                                  \
    if (before + 1 == count) {                                                                                         \
      __scoped_atomic_store_n(&c->arrived, 0, __ATOMIC_RELAXED, scope);                                                \
      if (release) __scoped_atomic_store_n(&c->phase, phase + 1, __ATOMIC_RELEASE, scope);                             \
      return true;                                                                                                     \
    }                                                                                                                  \
    while (LOAD(&c->phase, __ATOMIC_RELAXED, scope) == phase) __builtin_amdgcn_s_sleep(2);                             \
    __builtin_amdgcn_fence(__ATOMIC_ACQUIRE, "");                                                                      \
    return false;                                                                                                      \
  }
ARRIVE(arrive_grid, __MEMORY_SCOPE_DEVICE)
ARRIVE(arrive_all, __MEMORY_SCOPE_SYSTEM)

static bool first_of_group(void) {
  return (__builtin_amdgcn_workitem_id_x() | __builtin_amdgcn_workitem_id_y() | __builtin_amdgcn_workitem_id_z()) == 0;
}
static __global struct bz_grid_counters* own_counters(info_t info) {
  return (__global struct bz_grid_counters*)((ulong)info + 32);
}

CONVERGENT static void sync(bool all) {
  info_t info = grid_info();
  __builtin_amdgcn_fence(__ATOMIC_SEQ_CST, "");
  __builtin_amdgcn_s_barrier();
  if (first_of_group()) {
    __global struct bz_grid_counters* own = own_counters(info);
    bool last = arrive_grid(own, info->num_wg, !all);
    if (all && last) {
      arrive_all(info->all, info->num_grids, true);
      __scoped_atomic_fetch_add(&own->phase, 1, __ATOMIC_RELEASE, __MEMORY_SCOPE_DEVICE);
    }
  }
  __builtin_amdgcn_s_barrier();
  __builtin_amdgcn_fence(__ATOMIC_SEQ_CST, "");
}

CONVERGENT void OCKL(grid_sync)(void) { sync(false); }
CONVERGENT void OCKL(multi_grid_sync)(void) { sync(true); }
bool OCKL(grid_is_valid)(void) { return grid_info() != 0; }
bool OCKL(multi_grid_is_valid)(void) { return grid_info() != 0 && grid_info()->all != 0; }
uint OCKL(multi_grid_num_grids)(void) { return grid_info()->num_grids; }
uint OCKL(multi_grid_grid_rank)(void) { return grid_info()->grid_id; }
uint OCKL(multi_grid_size)(void) { return (uint)grid_info()->all_sum; }

CONST ulong OCKL(get_global_linear_id)(void);
uint OCKL(multi_grid_thread_rank)(void) { return (uint)(grid_info()->prev_sum + OCKL(get_global_linear_id)()); }
