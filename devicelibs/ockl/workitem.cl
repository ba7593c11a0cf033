// Work item, group and grid geometry from the dispatch packet and the implicit arguments.
#include "ockl.h"

#define SMALL __attribute__((const, always_inline)) // one or two loads: not worth a call even at -O0

enum { PACKET_GRID_SIZE = 12, PACKET_GROUP_SIZE = 4, PACKET_SETUP = 2 };
#define PACKET(type, offset) (*(const __constant type*)((const __constant char*)__builtin_amdgcn_dispatch_ptr() + (offset)))

static uint local_id(uint d) {
  switch (d) {
  case 0: return __builtin_amdgcn_workitem_id_x();
  case 1: return __builtin_amdgcn_workitem_id_y();
  case 2: return __builtin_amdgcn_workitem_id_z();
  default: return 0;
  }
}
static uint group_id(uint d) {
  switch (d) {
  case 0: return __builtin_amdgcn_workgroup_id_x();
  case 1: return __builtin_amdgcn_workgroup_id_y();
  case 2: return __builtin_amdgcn_workgroup_id_z();
  default: return 0;
  }
}
static uint grid_size(uint d) { return d > 2 ? 1 : PACKET(uint, PACKET_GRID_SIZE + 4 * d); }
static uint whole_group(uint d) { return d > 2 ? 1 : PACKET(ushort, PACKET_GROUP_SIZE + 2 * d); }
// The last group of a dimension may be smaller than the others.
static uint this_group(uint d) {
  uint left = grid_size(d) - group_id(d) * whole_group(d);
  return left < whole_group(d) ? left : whole_group(d);
}

SMALL ulong OCKL(get_global_offset)(uint d) {
  if (d > 2) return 0;
  return IMPLICIT(ulong, (__oclc_ABI_version < 500 ? ARG4_GLOBAL_OFFSET : ARG_GLOBAL_OFFSET) + 8 * d);
}
SMALL ulong OCKL(get_local_id)(uint d) { return local_id(d); }
SMALL ulong OCKL(get_group_id)(uint d) { return group_id(d); }
SMALL ulong OCKL(get_global_id)(uint d) {
  return d > 2 ? 0 : (ulong)group_id(d) * whole_group(d) + local_id(d) + OCKL(get_global_offset)(d);
}
SMALL ulong OCKL(get_global_size)(uint d) { return grid_size(d); }
SMALL ulong OCKL(get_local_size)(uint d) { return this_group(d); }
SMALL ulong OCKL(get_enqueued_local_size)(uint d) { return whole_group(d); }
// The implicit arguments count whole groups; a smaller last group is one more.
SMALL ulong OCKL(get_num_groups)(uint d) {
  if (d > 2) return 1;
  if (__oclc_ABI_version < 500) return (grid_size(d) + (ulong)whole_group(d) - 1) / whole_group(d);
  return IMPLICIT(uint, ARG_BLOCK_COUNT + 4 * d) + (IMPLICIT(ushort, ARG_REMAINDER + 2 * d) != 0);
}
SMALL uint OCKL(get_work_dim)(void) { return PACKET(ushort, PACKET_SETUP) & 3; }
SMALL ulong OCKL(get_local_linear_id)(void) {
  return ((ulong)local_id(2) * this_group(1) + local_id(1)) * this_group(0) + local_id(0);
}
SMALL ulong OCKL(get_global_linear_id)(void) {
  ulong i[3];
  for (uint d = 0; d < 3; ++d) i[d] = (ulong)group_id(d) * whole_group(d) + local_id(d);
  return (i[2] * grid_size(1) + i[1]) * grid_size(0) + i[0];
}

CONST bool OCKL(is_local_addr)(const void* p) { return __builtin_amdgcn_is_shared((const __generic void*)p); }
CONST bool OCKL(is_private_addr)(const void* p) { return __builtin_amdgcn_is_private((const __generic void*)p); }
CONST __global void* OCKL(to_global)(void* p) {
  return OCKL(is_local_addr)(p) || OCKL(is_private_addr)(p) ? 0 : (__global void*)p;
}
CONST __local void* OCKL(to_local)(void* p) { return OCKL(is_local_addr)(p) ? (__local void*)p : 0; }
CONST __private void* OCKL(to_private)(void* p) { return OCKL(is_private_addr)(p) ? (__private void*)p : 0; }
