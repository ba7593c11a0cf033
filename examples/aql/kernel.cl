// The kernel of aql.c, in OpenCL C without any library:
//   clang-22 -x cl -cl-std=CL2.0 -target amdgcn-amd-amdhsa -mcpu=gfx942 -nogpulib -O3 kernel.cl -o kernel.co
// It asks for no implicit arguments: the group size is a constant that aql.c knows too.
#define GROUP_SIZE 64

__attribute__((reqd_work_group_size(GROUP_SIZE, 1, 1))) kernel void scale_add(float a, global const float* x,
                                                                             global float* y, uint n) {
  uint i = __builtin_amdgcn_workgroup_id_x() * GROUP_SIZE + __builtin_amdgcn_workitem_id_x();
  if (i < n) y[i] = a * x[i] + y[i];
}
