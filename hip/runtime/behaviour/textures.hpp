// The kernels of textures.hip.
#pragma once

namespace textures {

extern const void* const fetch;        ///< (texture, float4* out, int n): tex1Dfetch
extern const void* const fetch_int;    ///< (texture, int* out, int n)
extern const void* const line;         ///< (texture, float* out, float first, float step): tex1D
extern const void* const plane;        ///< (texture, float* out, int width, float dx, float dy): tex2D at (x + dx, y + dy)
extern const void* const plane_scaled; ///< (texture, float* out, float scale): tex2D at (x * scale, 0.5)
extern const void* const bytes;        ///< (texture, uchar4* out, int width)
extern const void* const normalized;   ///< (texture, float4* out)
extern const void* const layers;       ///< (texture, float* out, int width): tex2DLayered
extern const void* const volume;       ///< (texture, float* out): tex3D
extern const void* const surface;      ///< (surface from, surface to, int width): mirrored and doubled
extern const void* const surface_ints; ///< (surface to): int2(x, -x)
extern const void* const lod;          ///< (texture, float* out): tex2DLod; not on gfx90a
extern const void* const gather;       ///< (texture, float4* out): tex2Dgather at (1, 1); not on gfx90a

} // namespace textures
