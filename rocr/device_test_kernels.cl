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

/// A variable that the host can find.
__attribute__((visibility("protected"))) global uint counter = 40;
KERNEL bump(void) {
  if (ID == 0) counter += 2;
}
