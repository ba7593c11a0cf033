// Kernels of device_test.cpp, in OpenCL C without any library and without implicit arguments.
#define GROUP_SIZE 64
#define KERNEL __attribute__((reqd_work_group_size(GROUP_SIZE, 1, 1))) kernel void
#define ID (__builtin_amdgcn_workgroup_id_x() * GROUP_SIZE + __builtin_amdgcn_workitem_id_x())

KERNEL add_one(global uint* p) { p[ID] += 1; }

/// Waits for the host, then answers.
KERNEL spin(global volatile uint* flag, global volatile uint* answer) {
  while (__scoped_atomic_load_n(flag, __ATOMIC_ACQUIRE, __MEMORY_SCOPE_SYSTEM) == 0) __builtin_amdgcn_s_sleep(1);
  __scoped_atomic_store_n(answer, 7u, __ATOMIC_RELEASE, __MEMORY_SCOPE_SYSTEM);
}

KERNEL store_to(global uint* p) { p[ID] = 5; }

KERNEL trap(void) { __builtin_trap(); }

/// The word is no instruction on any target.
KERNEL illegal(global uint* p) {
  p[ID] = 1;
  __asm__ volatile(".long 0xbf7f0000");
}

/// Every workgroup adds to a round's sum and waits for all: p[0] the rounds, p[1] the groups, sums behind. Resource 3.
KERNEL meet(global uint* p) {
  uint rounds = p[0], groups = p[1];
  if (__builtin_amdgcn_workitem_id_x() == 0) {
    for (uint r = 0; r < rounds; ++r) {
      uint before = __scoped_atomic_fetch_add(&p[2 + r], 1u, __ATOMIC_ACQ_REL, __MEMORY_SCOPE_DEVICE);
      (void)before;
      __builtin_amdgcn_ds_gws_barrier(groups - 1, 3);
      // After the barrier everybody has been there.
      if (__scoped_atomic_load_n(&p[2 + r], __ATOMIC_ACQUIRE, __MEMORY_SCOPE_DEVICE) != groups) p[20] = r + 1;
    }
  }
}
KERNEL meet_init(global uint* p) {
  if (ID == 0) __builtin_amdgcn_ds_gws_init(p[1] - 1, 3);
}

/// A variable that the host can find.
__attribute__((visibility("protected"))) global uint counter = 40;
KERNEL bump(void) {
  if (ID == 0) counter += 2;
}
