// Kernels for a runtime that isn't ours: ordinary loads and stores, LDS with a barrier, scratch. Without a library: builtins.
int item() { return __builtin_amdgcn_workgroup_id_x() * __builtin_amdgcn_workgroup_size_x() + __builtin_amdgcn_workitem_id_x(); }
void group_barrier() {
  __builtin_amdgcn_fence(__ATOMIC_RELEASE, "workgroup");
  __builtin_amdgcn_s_barrier();
  __builtin_amdgcn_fence(__ATOMIC_ACQUIRE, "workgroup");
}

__kernel void saxpy(float a, __global const float* x, __global float* y, int n) {
  int i = item();
  if (i < n) y[i] = a * x[i] + y[i];
}

__kernel void block_sum(__global const int* in, __global int* sums, int n) {
  __local int part[256];
  int i = item(), t = __builtin_amdgcn_workitem_id_x();
  part[t] = i < n ? in[i] : 0;
  for (int half_of = 128; half_of > 0; half_of /= 2) {
    group_barrier();
    if (t < half_of) part[t] += part[t + half_of];
  }
  if (t == 0) sums[__builtin_amdgcn_workgroup_id_x()] = part[0];
}

// Indexed by data: the array can't be kept in registers.
__kernel void scratch(__global const int* in, __global int* out, int n) {
  int i = item();
  int own[64];
  for (int k = 0; k < 64; ++k) own[k] = k * i;
  for (int k = 0; k < 64; ++k) own[in[(i + k) % n] & 63] += k;
  int sum = 0;
  for (int k = 0; k < 64; ++k) sum += own[k] * (k + 1);
  if (i < n) out[i] = sum;
}

__kernel void stop_by_trap(void) { __builtin_trap(); }
