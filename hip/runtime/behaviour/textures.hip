// Kernels of the texture tests, for targets with image instructions.
#include "hip/runtime/behaviour/textures.hpp"

#include <hip/hip_runtime.h>

namespace {

__global__ void k_fetch(hipTextureObject_t t, float4* out, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) out[i] = tex1Dfetch<float4>(t, i);
}
__global__ void k_fetch_int(hipTextureObject_t t, int* out, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) out[i] = tex1Dfetch<int>(t, i);
}
__global__ void k_line(hipTextureObject_t t, float* out, float first, float step) {
  out[threadIdx.x] = tex1D<float>(t, first + step * threadIdx.x);
}
__global__ void k_plane(hipTextureObject_t t, float* out, int width, float dx, float dy) {
  const int x = threadIdx.x, y = threadIdx.y;
  tex2D(&out[y * width + x], t, x + dx, y + dy);
}
__global__ void k_plane_scaled(hipTextureObject_t t, float* out, float scale) {
  out[threadIdx.x] = tex2D<float>(t, threadIdx.x * scale, 0.5f);
}
__global__ void k_bytes(hipTextureObject_t t, uchar4* out, int width) {
  const int x = threadIdx.x, y = threadIdx.y;
  out[y * width + x] = tex2D<uchar4>(t, x + 0.5f, y + 0.5f);
}
__global__ void k_normalized(hipTextureObject_t t, float4* out) { out[threadIdx.x] = tex2D<float4>(t, threadIdx.x + 0.5f, 0.5f); }
__global__ void k_layers(hipTextureObject_t t, float* out, int width) {
  const int x = threadIdx.x, y = threadIdx.y, z = threadIdx.z;
  out[(z * blockDim.y + y) * width + x] = tex2DLayered<float>(t, x + 0.5f, y + 0.5f, z);
}
__global__ void k_volume(hipTextureObject_t t, float* out) {
  const int x = threadIdx.x, y = threadIdx.y, z = threadIdx.z;
  out[(z * blockDim.y + y) * blockDim.x + x] = tex3D<float>(t, x + 0.5f, y + 0.5f, z + 0.5f);
}
__global__ void k_surface(hipSurfaceObject_t from, hipSurfaceObject_t to, int width) {
  const int x = threadIdx.x, y = threadIdx.y;
  float v = -1;
  surf2Dread(&v, from, x * 4, y);
  surf2Dwrite(2 * v, to, (width - 1 - x) * 4, y);
}
__global__ void k_surface_ints(hipSurfaceObject_t to) { surf1Dwrite(make_int2(int(threadIdx.x), -int(threadIdx.x)), to, threadIdx.x * 8); }
// gfx90a has the plain sample instruction alone.
__global__ void k_lod(hipTextureObject_t t, float* out) {
#if !defined(__gfx90a__)
  out[threadIdx.x] = tex2DLod<float>(t, threadIdx.x + 0.5f, 1.5f, 0.0f);
#endif
}
__global__ void k_gather(hipTextureObject_t t, float4* out) {
#if !defined(__gfx90a__)
  out[0] = tex2Dgather<float4>(t, 1.0f, 1.0f, 0);
#endif
}

} // namespace

namespace textures {
#define KERNEL(name) const void* const name = reinterpret_cast<const void*>(k_##name);
KERNEL(fetch)
KERNEL(fetch_int)
KERNEL(line)
KERNEL(plane)
KERNEL(plane_scaled)
KERNEL(bytes)
KERNEL(normalized)
KERNEL(layers)
KERNEL(volume)
KERNEL(surface)
KERNEL(surface_ints)
KERNEL(lod)
KERNEL(gather)
} // namespace textures
