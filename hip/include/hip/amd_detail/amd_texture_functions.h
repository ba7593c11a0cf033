// tex* and surf*: image instructions through texture and surface objects. The device library has no image functions yet,
// and gfx942 and gfx950 have no image instructions at all (__HIP_NO_IMAGE_SUPPORT): a use fails to compile with that
// reason, instead of as an unknown name.
#ifndef BZ_HIP_AMD_TEXTURE_FUNCTIONS_H
#define BZ_HIP_AMD_TEXTURE_FUNCTIONS_H

#include <hip/amd_detail/host_defines.h>

#if __HIP_CLANG_ONLY__
namespace bz_hip_detail {
template <class...> struct never {
  static const bool value = false;
};
} // namespace bz_hip_detail

#if defined(__HIP_NO_IMAGE_SUPPORT)
#define BZ_HIP_NO_IMAGES "this GPU target has no image instructions: read from a buffer instead of a texture"
#else
#define BZ_HIP_NO_IMAGES "textures and surfaces are not supported in device code yet: read from a buffer instead"
#endif
// Both forms of use: tex2D<float>(object, x, y) and tex2D(&value, object, x, y).
#define BZ_HIP_IMAGE_FUNCTION(name)                                                                                    \
  template <typename T, typename... Args> static __device__ inline T name(Args...) {                                   \
    static_assert(bz_hip_detail::never<T, Args...>::value, #name ": " BZ_HIP_NO_IMAGES);                               \
  }                                                                                                                    \
  template <typename... Args> static __device__ inline void name(Args...) {                                            \
    static_assert(bz_hip_detail::never<Args...>::value, #name ": " BZ_HIP_NO_IMAGES);                                  \
  }
BZ_HIP_IMAGE_FUNCTION(tex1Dfetch)
BZ_HIP_IMAGE_FUNCTION(tex1D)
BZ_HIP_IMAGE_FUNCTION(tex1DLod)
BZ_HIP_IMAGE_FUNCTION(tex1DGrad)
BZ_HIP_IMAGE_FUNCTION(tex1DLayered)
BZ_HIP_IMAGE_FUNCTION(tex1DLayeredLod)
BZ_HIP_IMAGE_FUNCTION(tex1DLayeredGrad)
BZ_HIP_IMAGE_FUNCTION(tex2D)
BZ_HIP_IMAGE_FUNCTION(tex2DLod)
BZ_HIP_IMAGE_FUNCTION(tex2DGrad)
BZ_HIP_IMAGE_FUNCTION(tex2Dgather)
BZ_HIP_IMAGE_FUNCTION(tex2DLayered)
BZ_HIP_IMAGE_FUNCTION(tex2DLayeredLod)
BZ_HIP_IMAGE_FUNCTION(tex2DLayeredGrad)
BZ_HIP_IMAGE_FUNCTION(tex3D)
BZ_HIP_IMAGE_FUNCTION(tex3DLod)
BZ_HIP_IMAGE_FUNCTION(tex3DGrad)
BZ_HIP_IMAGE_FUNCTION(texCubemap)
BZ_HIP_IMAGE_FUNCTION(texCubemapLod)
BZ_HIP_IMAGE_FUNCTION(texCubemapGrad)
BZ_HIP_IMAGE_FUNCTION(texCubemapLayered)
BZ_HIP_IMAGE_FUNCTION(texCubemapLayeredLod)
BZ_HIP_IMAGE_FUNCTION(texCubemapLayeredGrad)
BZ_HIP_IMAGE_FUNCTION(surf1Dread)
BZ_HIP_IMAGE_FUNCTION(surf1Dwrite)
BZ_HIP_IMAGE_FUNCTION(surf1DLayeredread)
BZ_HIP_IMAGE_FUNCTION(surf1DLayeredwrite)
BZ_HIP_IMAGE_FUNCTION(surf2Dread)
BZ_HIP_IMAGE_FUNCTION(surf2Dwrite)
BZ_HIP_IMAGE_FUNCTION(surf2DLayeredread)
BZ_HIP_IMAGE_FUNCTION(surf2DLayeredwrite)
BZ_HIP_IMAGE_FUNCTION(surf3Dread)
BZ_HIP_IMAGE_FUNCTION(surf3Dwrite)
BZ_HIP_IMAGE_FUNCTION(surfCubemapread)
BZ_HIP_IMAGE_FUNCTION(surfCubemapwrite)
BZ_HIP_IMAGE_FUNCTION(surfCubemapLayeredread)
BZ_HIP_IMAGE_FUNCTION(surfCubemapLayeredwrite)
#undef BZ_HIP_IMAGE_FUNCTION
#undef BZ_HIP_NO_IMAGES
#endif

#endif
