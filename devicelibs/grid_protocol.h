// What hidden_multigrid_sync_arg (implicit argument at offset 88) points at in a cooperative launch: the barrier of one
// grid and of several grids. Shared by the device library and the runtime; knows nothing of queues.
//
// The runtime fills one bz_grid_info per device and launch (counters zero) in memory that the device can write, and one
// bz_grid_counters in fine-grained host memory for all devices of a hipLaunchCooperativeKernelMultiDevice. A barrier
// leaves `arrived` at zero and adds one to `phase`, so the same memory serves any number of barriers.
#ifndef BZ_DEVICELIBS_GRID_PROTOCOL_H
#define BZ_DEVICELIBS_GRID_PROTOCOL_H

#include "printf_protocol.h"

struct bz_grid_counters {
  bz_u32 arrived;
  bz_u32 phase;
};

struct bz_grid_info {
  BZ_HOSTCALL_GLOBAL struct bz_grid_counters* all; // null in a launch on one device
  bz_u32 grid_id;                                  // rank of this grid in a multi-device launch, else 0
  bz_u32 num_grids;                                // 1 in a launch on one device
  bz_u64 prev_sum;                                 // work items in the grids of lower rank
  bz_u64 all_sum;                                  // work items in all grids
  struct bz_grid_counters own;
  bz_u32 num_wg; // workgroups of this grid
};

#endif
