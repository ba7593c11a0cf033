// tex* and surf*: image instructions through texture and surface objects. An object points to a resource (8 dwords) and,
// from dword HIP_SAMPLER_OBJECT_OFFSET_DWORD on, a sampler. gfx942 and gfx950 have no image instructions at all
// (__HIP_NO_IMAGE_SUPPORT): a use fails to compile with that reason, instead of as an unknown name.
#ifndef BZ_HIP_AMD_TEXTURE_FUNCTIONS_H
#define BZ_HIP_AMD_TEXTURE_FUNCTIONS_H

#include <hip/amd_detail/amd_hip_vector_types.h>
#include <hip/amd_detail/host_defines.h>
#include <hip/surface_types.h>
#include <hip/texture_types.h>

#if __HIP_CLANG_ONLY__
#if defined(__HIP_NO_IMAGE_SUPPORT)
namespace bz_hip_detail {
template <class...> struct never {
  static const bool value = false;
};
} // namespace bz_hip_detail
// Both forms of use: tex2D<float>(object, x, y) and tex2D(&value, object, x, y).
#define BZ_HIP_NO_IMAGE(name)                                                                                          \
  template <typename T, typename... Args> static __device__ inline T name(Args...) {                                   \
    static_assert(bz_hip_detail::never<T, Args...>::value,                                                             \
                  #name ": this GPU target has no image instructions: read from a buffer instead of a texture");       \
  }                                                                                                                    \
  template <typename... Args> static __device__ inline void name(Args...) {                                            \
    static_assert(bz_hip_detail::never<Args...>::value,                                                                \
                  #name ": this GPU target has no image instructions: read from a buffer instead of a texture");       \
  }
#define BZ_HIP_TEXTURE(name, parameters, expression) BZ_HIP_NO_IMAGE(name)
#define BZ_HIP_SURFACE(name, parameters, suffix, coordinates)                                                          \
  BZ_HIP_NO_IMAGE(name##read)                                                                                          \
  BZ_HIP_NO_IMAGE(name##write)
#define BZ_HIP_GATHER(name) BZ_HIP_NO_IMAGE(name)
#else
namespace bz_hip_detail {
typedef float image_float2 __attribute__((ext_vector_type(2)));
typedef float image_float4 __attribute__((ext_vector_type(4)));
typedef int image_int2 __attribute__((ext_vector_type(2)));
typedef int image_int4 __attribute__((ext_vector_type(4)));
typedef const unsigned int __attribute__((address_space(4)))* image_words;
} // namespace bz_hip_detail

#define BZ_HIP_OCKL_IMAGE(suffix, coordinates)                                                                         \
  __device__ bz_hip_detail::image_float4 __ockl_image_load_##suffix(bz_hip_detail::image_words,                        \
                                                                    bz_hip_detail::coordinates);                       \
  __device__ void __ockl_image_store_##suffix(bz_hip_detail::image_words, bz_hip_detail::coordinates,                  \
                                              bz_hip_detail::image_float4);
#define BZ_HIP_OCKL_SAMPLE(suffix, coordinates, slope)                                                                 \
  __device__ bz_hip_detail::image_float4 __ockl_image_sample_##suffix(bz_hip_detail::image_words,                      \
                                                                      bz_hip_detail::image_words, coordinates);        \
  __device__ bz_hip_detail::image_float4 __ockl_image_sample_lod_##suffix(                                             \
      bz_hip_detail::image_words, bz_hip_detail::image_words, coordinates, float);                                     \
  __device__ bz_hip_detail::image_float4 __ockl_image_sample_grad_##suffix(                                            \
      bz_hip_detail::image_words, bz_hip_detail::image_words, coordinates, slope, slope);
extern "C" {
namespace bz_hip_detail {
typedef int image_int;
}
BZ_HIP_OCKL_IMAGE(1Db, image_int)
BZ_HIP_OCKL_IMAGE(1D, image_int)
BZ_HIP_OCKL_IMAGE(1Da, image_int2)
BZ_HIP_OCKL_IMAGE(2D, image_int2)
BZ_HIP_OCKL_IMAGE(2Da, image_int4)
BZ_HIP_OCKL_IMAGE(3D, image_int4)
BZ_HIP_OCKL_SAMPLE(1D, float, float)
BZ_HIP_OCKL_SAMPLE(1Da, bz_hip_detail::image_float2, float)
BZ_HIP_OCKL_SAMPLE(2D, bz_hip_detail::image_float2, bz_hip_detail::image_float2)
BZ_HIP_OCKL_SAMPLE(2Da, bz_hip_detail::image_float4, bz_hip_detail::image_float2)
BZ_HIP_OCKL_SAMPLE(3D, bz_hip_detail::image_float4, bz_hip_detail::image_float4)
__device__ bz_hip_detail::image_float4 __ockl_image_gather4r_2D(bz_hip_detail::image_words, bz_hip_detail::image_words,
                                                                bz_hip_detail::image_float2);
__device__ bz_hip_detail::image_float4 __ockl_image_gather4g_2D(bz_hip_detail::image_words, bz_hip_detail::image_words,
                                                                bz_hip_detail::image_float2);
__device__ bz_hip_detail::image_float4 __ockl_image_gather4b_2D(bz_hip_detail::image_words, bz_hip_detail::image_words,
                                                                bz_hip_detail::image_float2);
__device__ bz_hip_detail::image_float4 __ockl_image_gather4a_2D(bz_hip_detail::image_words, bz_hip_detail::image_words,
                                                                bz_hip_detail::image_float2);
}
#undef BZ_HIP_OCKL_IMAGE
#undef BZ_HIP_OCKL_SAMPLE

namespace bz_hip_detail {
// Registers hold floats, or integers where the format has integers; narrower types hold what fits.
template <class C> struct texel_component {
  static_assert(__is_integral(C) && sizeof(C) <= 4, "textures and surfaces hold 8, 16 and 32-bit integers and floats");
  static __device__ C from(float f) { return (C)__builtin_bit_cast(int, f); }
  static __device__ float to(C c) { return __builtin_bit_cast(float, (int)c); }
};
template <> struct texel_component<unsigned int> {
  static __device__ unsigned int from(float f) { return __builtin_bit_cast(unsigned int, f); }
  static __device__ float to(unsigned int c) { return __builtin_bit_cast(float, c); }
};
template <> struct texel_component<float> {
  static __device__ float from(float f) { return f; }
  static __device__ float to(float f) { return f; }
};
template <class T> struct texel {
  static __device__ T from(image_float4 f) { return texel_component<T>::from(f.x); }
  static __device__ image_float4 to(T v) { return image_float4{texel_component<T>::to(v), 0.0f, 0.0f, 0.0f}; }
};
template <class C> struct texel<HIP_vector_type<C, 1>> {
  static __device__ HIP_vector_type<C, 1> from(image_float4 f) {
    HIP_vector_type<C, 1> v;
    v.x = texel_component<C>::from(f.x);
    return v;
  }
  static __device__ image_float4 to(HIP_vector_type<C, 1> v) {
    return image_float4{texel_component<C>::to(v.x), 0.0f, 0.0f, 0.0f};
  }
};
template <class C> struct texel<HIP_vector_type<C, 2>> {
  static __device__ HIP_vector_type<C, 2> from(image_float4 f) {
    HIP_vector_type<C, 2> v;
    v.x = texel_component<C>::from(f.x);
    v.y = texel_component<C>::from(f.y);
    return v;
  }
  static __device__ image_float4 to(HIP_vector_type<C, 2> v) {
    return image_float4{texel_component<C>::to(v.x), texel_component<C>::to(v.y), 0.0f, 0.0f};
  }
};
template <class C> struct texel<HIP_vector_type<C, 4>> {
  static __device__ HIP_vector_type<C, 4> from(image_float4 f) {
    HIP_vector_type<C, 4> v;
    v.x = texel_component<C>::from(f.x);
    v.y = texel_component<C>::from(f.y);
    v.z = texel_component<C>::from(f.z);
    v.w = texel_component<C>::from(f.w);
    return v;
  }
  static __device__ image_float4 to(HIP_vector_type<C, 4> v) {
    return image_float4{texel_component<C>::to(v.x), texel_component<C>::to(v.y), texel_component<C>::to(v.z),
                        texel_component<C>::to(v.w)};
  }
};
} // namespace bz_hip_detail

#define BZ_HIP_UNPACK(...) __VA_ARGS__
#define BZ_HIP_TEXTURE(name, parameters, expression)                                                                   \
  template <typename T> static __device__ inline T name(hipTextureObject_t object, BZ_HIP_UNPACK parameters) {         \
    bz_hip_detail::image_words i = (bz_hip_detail::image_words)object, s = i + HIP_SAMPLER_OBJECT_OFFSET_DWORD;        \
    (void)s;                                                                                                           \
    return bz_hip_detail::texel<T>::from(expression);                                                                  \
  }                                                                                                                    \
  template <typename T>                                                                                                \
  static __device__ inline void name(T* value, hipTextureObject_t object, BZ_HIP_UNPACK parameters) {                  \
    bz_hip_detail::image_words i = (bz_hip_detail::image_words)object, s = i + HIP_SAMPLER_OBJECT_OFFSET_DWORD;        \
    (void)s;                                                                                                           \
    *value = bz_hip_detail::texel<T>::from(expression);                                                                \
  }
// x counts bytes. Outside of the surface reads give 0 and writes do nothing.
#define BZ_HIP_SURFACE(name, parameters, suffix, coordinates)                                                          \
  template <typename T>                                                                                                \
  static __device__ inline void name##read(T* value, hipSurfaceObject_t object, BZ_HIP_UNPACK parameters,              \
                                           int boundaryMode = hipBoundaryModeZero) {                                   \
    const int X = x / (int)sizeof(T);                                                                                  \
    *value = bz_hip_detail::texel<T>::from(                                                                            \
        __ockl_image_load_##suffix((bz_hip_detail::image_words)object, BZ_HIP_UNPACK coordinates));                    \
  }                                                                                                                    \
  template <typename T>                                                                                                \
  static __device__ inline void name##write(T value, hipSurfaceObject_t object, BZ_HIP_UNPACK parameters,              \
                                            int boundaryMode = hipBoundaryModeZero) {                                  \
    const int X = x / (int)sizeof(T);                                                                                  \
    __ockl_image_store_##suffix((bz_hip_detail::image_words)object, BZ_HIP_UNPACK coordinates,                         \
                                bz_hip_detail::texel<T>::to(value));                                                   \
  }
#define BZ_HIP_GATHER(name)                                                                                            \
  BZ_HIP_TEXTURE(name, (float x, float y, int component = 0),                                                          \
                 component == 1   ? __ockl_image_gather4g_2D(i, s, BZ_HIP_F2(x, y))                                    \
                 : component == 2 ? __ockl_image_gather4b_2D(i, s, BZ_HIP_F2(x, y))                                    \
                 : component == 3 ? __ockl_image_gather4a_2D(i, s, BZ_HIP_F2(x, y))                                    \
                                  : __ockl_image_gather4r_2D(i, s, BZ_HIP_F2(x, y)))
#define BZ_HIP_F2(a, b) (bz_hip_detail::image_float2{a, b})
#define BZ_HIP_F4(a, b, c) (bz_hip_detail::image_float4{a, b, c, 0.0f})
#endif

BZ_HIP_TEXTURE(tex1Dfetch, (int x), __ockl_image_load_1Db(i, x))
BZ_HIP_TEXTURE(tex1D, (float x), __ockl_image_sample_1D(i, s, x))
BZ_HIP_TEXTURE(tex1DLod, (float x, float level), __ockl_image_sample_lod_1D(i, s, x, level))
BZ_HIP_TEXTURE(tex1DGrad, (float x, float dx, float dy), __ockl_image_sample_grad_1D(i, s, x, dx, dy))
BZ_HIP_TEXTURE(tex1DLayered, (float x, int layer), __ockl_image_sample_1Da(i, s, BZ_HIP_F2(x, (float)layer)))
BZ_HIP_TEXTURE(tex1DLayeredLod, (float x, int layer, float level),
               __ockl_image_sample_lod_1Da(i, s, BZ_HIP_F2(x, (float)layer), level))
BZ_HIP_TEXTURE(tex1DLayeredGrad, (float x, int layer, float dx, float dy),
               __ockl_image_sample_grad_1Da(i, s, BZ_HIP_F2(x, (float)layer), dx, dy))
BZ_HIP_TEXTURE(tex2D, (float x, float y), __ockl_image_sample_2D(i, s, BZ_HIP_F2(x, y)))
BZ_HIP_TEXTURE(tex2DLod, (float x, float y, float level), __ockl_image_sample_lod_2D(i, s, BZ_HIP_F2(x, y), level))
BZ_HIP_TEXTURE(tex2DGrad, (float x, float y, float2 dx, float2 dy),
               __ockl_image_sample_grad_2D(i, s, BZ_HIP_F2(x, y), BZ_HIP_F2(dx.x, dx.y), BZ_HIP_F2(dy.x, dy.y)))
BZ_HIP_GATHER(tex2Dgather)
BZ_HIP_TEXTURE(tex2DLayered, (float x, float y, int layer), __ockl_image_sample_2Da(i, s, BZ_HIP_F4(x, y, (float)layer)))
BZ_HIP_TEXTURE(tex2DLayeredLod, (float x, float y, int layer, float level),
               __ockl_image_sample_lod_2Da(i, s, BZ_HIP_F4(x, y, (float)layer), level))
BZ_HIP_TEXTURE(tex2DLayeredGrad, (float x, float y, int layer, float2 dx, float2 dy),
               __ockl_image_sample_grad_2Da(i, s, BZ_HIP_F4(x, y, (float)layer), BZ_HIP_F2(dx.x, dx.y),
                                            BZ_HIP_F2(dy.x, dy.y)))
BZ_HIP_TEXTURE(tex3D, (float x, float y, float z), __ockl_image_sample_3D(i, s, BZ_HIP_F4(x, y, z)))
BZ_HIP_TEXTURE(tex3DLod, (float x, float y, float z, float level),
               __ockl_image_sample_lod_3D(i, s, BZ_HIP_F4(x, y, z), level))
BZ_HIP_TEXTURE(tex3DGrad, (float x, float y, float z, float4 dx, float4 dy),
               __ockl_image_sample_grad_3D(i, s, BZ_HIP_F4(x, y, z), BZ_HIP_F4(dx.x, dx.y, dx.z),
                                           BZ_HIP_F4(dy.x, dy.y, dy.z)))
BZ_HIP_SURFACE(surf1D, (int x), 1D, (X))
BZ_HIP_SURFACE(surf1DLayered, (int x, int layer), 1Da, (bz_hip_detail::image_int2{X, layer}))
BZ_HIP_SURFACE(surf2D, (int x, int y), 2D, (bz_hip_detail::image_int2{X, y}))
BZ_HIP_SURFACE(surf2DLayered, (int x, int y, int layer), 2Da, (bz_hip_detail::image_int4{X, y, layer, 0}))
BZ_HIP_SURFACE(surf3D, (int x, int y, int z), 3D, (bz_hip_detail::image_int4{X, y, z, 0}))

#if !defined(__HIP_NO_IMAGE_SUPPORT)
namespace bz_hip_detail {
template <class...> struct never {
  static const bool value = false;
};
} // namespace bz_hip_detail
#endif
#define BZ_HIP_NO_CUBE(name)                                                                                           \
  template <typename T, typename... Args> static __device__ inline T name(Args...) {                                   \
    static_assert(bz_hip_detail::never<T, Args...>::value, #name ": cube maps are not supported: use layers");         \
  }                                                                                                                    \
  template <typename... Args> static __device__ inline void name(Args...) {                                            \
    static_assert(bz_hip_detail::never<Args...>::value, #name ": cube maps are not supported: use layers");            \
  }
BZ_HIP_NO_CUBE(texCubemap)
BZ_HIP_NO_CUBE(texCubemapLod)
BZ_HIP_NO_CUBE(texCubemapGrad)
BZ_HIP_NO_CUBE(texCubemapLayered)
BZ_HIP_NO_CUBE(texCubemapLayeredLod)
BZ_HIP_NO_CUBE(texCubemapLayeredGrad)
BZ_HIP_NO_CUBE(surfCubemapread)
BZ_HIP_NO_CUBE(surfCubemapwrite)
BZ_HIP_NO_CUBE(surfCubemapLayeredread)
BZ_HIP_NO_CUBE(surfCubemapLayeredwrite)

#undef BZ_HIP_NO_CUBE
#undef BZ_HIP_NO_IMAGE
#undef BZ_HIP_TEXTURE
#undef BZ_HIP_SURFACE
#undef BZ_HIP_GATHER
#undef BZ_HIP_UNPACK
#undef BZ_HIP_F2
#undef BZ_HIP_F4
#endif

#endif
