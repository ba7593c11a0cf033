// Device code for the tests, compiled by plain clang without any HIP header or device library.
#define GLOBAL extern "C" __attribute__((global))
#define DEVICE __attribute__((device))
#define CONSTANT __attribute__((constant))
#define SHARED __attribute__((shared))

DEVICE int table[4] = {10, 20, 30, 40};
DEVICE int* middle = &table[2]; // one R_AMDGPU_RELATIVE64
CONSTANT int coefficients[16];
DEVICE double big_zeros[4096]; // .bss

struct Pair {
  int a;
  double b;
};

GLOBAL void saxpy(float a, const float* x, float* y, int n) {
  int i = __builtin_amdgcn_workgroup_id_x() * __builtin_amdgcn_workgroup_size_x() + __builtin_amdgcn_workitem_id_x();
  if (i < n) y[i] = a * x[i] + y[i];
}

GLOBAL void mixed(Pair pair, char c, int* __restrict__ const p) {
  SHARED static int tile[64];
  tile[__builtin_amdgcn_workitem_id_x()] = c;
  __builtin_amdgcn_s_barrier();
  p[0] = tile[5] + pair.a + coefficients[3] + *middle + (int)big_zeros[7];
}

__attribute__((amdgpu_flat_work_group_size(1, 256))) GLOBAL void empty() {}
