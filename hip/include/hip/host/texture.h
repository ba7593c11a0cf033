// Texture and surface objects and references. A prototype without a description is not implemented yet.
#ifndef BZ_HIP_HOST_TEXTURE_H
#define BZ_HIP_HOST_TEXTURE_H

#include <hip/host/prologue.h>

#ifdef __cplusplus
extern "C" {
#endif

/// Makes a texture object from an array, linear or pitched memory; needs a device with image instructions.
hipError_t hipCreateTextureObject(
    hipTextureObject_t* pTexObject, const hipResourceDesc* pResDesc, const hipTextureDesc* pTexDesc, const struct
    hipResourceViewDesc* pResViewDesc);
/// Frees a texture object.
hipError_t hipDestroyTextureObject(hipTextureObject_t textureObject);
/// Channel format of an array.
hipError_t hipGetChannelDesc(hipChannelFormatDesc* desc, hipArray_const_t array);
/// The resource that a texture object was made from.
hipError_t hipGetTextureObjectResourceDesc(hipResourceDesc* pResDesc, hipTextureObject_t textureObject);
/// The view that a texture object was made with; without one hipErrorInvalidValue.
hipError_t hipGetTextureObjectResourceViewDesc(
    struct hipResourceViewDesc* pResViewDesc, hipTextureObject_t textureObject);
/// Addressing, filtering and reading modes of a texture object.
hipError_t hipGetTextureObjectTextureDesc(hipTextureDesc* pTexDesc, hipTextureObject_t textureObject);
/// hipCreateTextureObject with descriptors of the driver interface.
hipError_t hipTexObjectCreate(
    hipTextureObject_t* pTexObject, const HIP_RESOURCE_DESC* pResDesc, const HIP_TEXTURE_DESC* pTexDesc, const
    HIP_RESOURCE_VIEW_DESC* pResViewDesc);
/// Frees a texture object.
hipError_t hipTexObjectDestroy(hipTextureObject_t texObject);
/// The resource that a texture object was made from.
hipError_t hipTexObjectGetResourceDesc(HIP_RESOURCE_DESC* pResDesc, hipTextureObject_t texObject);
/// The view that a texture object was made with.
hipError_t hipTexObjectGetResourceViewDesc(HIP_RESOURCE_VIEW_DESC* pResViewDesc, hipTextureObject_t texObject);
/// Addressing, filtering and reading modes of a texture object.
hipError_t hipTexObjectGetTextureDesc(HIP_TEXTURE_DESC* pTexDesc, hipTextureObject_t texObject);
/// Allocates an array with levels, each half the size of the one before.
hipError_t hipMallocMipmappedArray(
    hipMipmappedArray_t* mipmappedArray, const struct hipChannelFormatDesc* desc, struct hipExtent extent, unsigned
    int numLevels, unsigned int flags __dparm(0));
/// Frees a mipmapped array and its levels.
hipError_t hipFreeMipmappedArray(hipMipmappedArray_t mipmappedArray);
/// One level of a mipmapped array, as an array that the whole owns.
hipError_t hipGetMipmappedArrayLevel(
    hipArray_t* levelArray, hipMipmappedArray_const_t mipmappedArray, unsigned int level);
/// hipMallocMipmappedArray with a descriptor.
hipError_t hipMipmappedArrayCreate(
    hipMipmappedArray_t* pHandle, HIP_ARRAY3D_DESCRIPTOR* pMipmappedArrayDesc, unsigned int numMipmapLevels);
/// Frees a mipmapped array and its levels.
hipError_t hipMipmappedArrayDestroy(hipMipmappedArray_t hMipmappedArray);
/// One level of a mipmapped array.
hipError_t hipMipmappedArrayGetLevel(hipArray_t* pLevelArray, hipMipmappedArray_t hMipMappedArray, unsigned int level);
HIP_DEPRECATED("deprecated since HIP 6 or earlier")
hipError_t hipBindTextureToMipmappedArray(
    const textureReference* tex, hipMipmappedArray_const_t mipmappedArray, const hipChannelFormatDesc* desc);
HIP_DEPRECATED("deprecated since HIP 6 or earlier")
hipError_t hipGetTextureReference(const textureReference** texref, const void* symbol);
HIP_DEPRECATED("deprecated since HIP 6 or earlier")
hipError_t hipTexRefGetBorderColor(float* pBorderColor, const textureReference* texRef);
HIP_DEPRECATED("deprecated since HIP 6 or earlier")
hipError_t hipTexRefGetArray(hipArray_t* pArray, const textureReference* texRef);
HIP_DEPRECATED("deprecated since HIP 6 or earlier")
hipError_t hipTexRefSetAddressMode(textureReference* texRef, int dim, enum hipTextureAddressMode am);
HIP_DEPRECATED("deprecated since HIP 6 or earlier")
hipError_t hipTexRefSetArray(textureReference* tex, hipArray_const_t array, unsigned int flags);
HIP_DEPRECATED("deprecated since HIP 6 or earlier")
hipError_t hipTexRefSetFilterMode(textureReference* texRef, enum hipTextureFilterMode fm);
HIP_DEPRECATED("deprecated since HIP 6 or earlier")
hipError_t hipTexRefSetFlags(textureReference* texRef, unsigned int Flags);
HIP_DEPRECATED("deprecated since HIP 6 or earlier")
hipError_t hipTexRefSetFormat(textureReference* texRef, hipArray_Format fmt, int NumPackedComponents);
HIP_DEPRECATED("deprecated since HIP 6 or earlier")
hipError_t hipBindTexture(
    size_t* offset, const textureReference* tex, const void* devPtr, const hipChannelFormatDesc* desc, size_t size
    __dparm(UINT_MAX));
HIP_DEPRECATED("deprecated since HIP 6 or earlier")
hipError_t hipBindTexture2D(
    size_t* offset, const textureReference* tex, const void* devPtr, const hipChannelFormatDesc* desc, size_t width,
    size_t height, size_t pitch);
HIP_DEPRECATED("deprecated since HIP 6 or earlier")
hipError_t hipBindTextureToArray(const textureReference* tex, hipArray_const_t array, const hipChannelFormatDesc* desc);
HIP_DEPRECATED("deprecated since HIP 6 or earlier")
hipError_t hipGetTextureAlignmentOffset(size_t* offset, const textureReference* texref);
HIP_DEPRECATED("deprecated since HIP 6 or earlier")
hipError_t hipUnbindTexture(const textureReference* tex);
HIP_DEPRECATED("deprecated since HIP 6 or earlier")
hipError_t hipTexRefGetAddress(hipDeviceptr_t* dev_ptr, const textureReference* texRef);
HIP_DEPRECATED("deprecated since HIP 6 or earlier")
hipError_t hipTexRefGetAddressMode(enum hipTextureAddressMode* pam, const textureReference* texRef, int dim);
HIP_DEPRECATED("deprecated since HIP 6 or earlier")
hipError_t hipTexRefGetFilterMode(enum hipTextureFilterMode* pfm, const textureReference* texRef);
HIP_DEPRECATED("deprecated since HIP 6 or earlier")
hipError_t hipTexRefGetFlags(unsigned int* pFlags, const textureReference* texRef);
HIP_DEPRECATED("deprecated since HIP 6 or earlier")
hipError_t hipTexRefGetFormat(hipArray_Format* pFormat, int* pNumChannels, const textureReference* texRef);
HIP_DEPRECATED("deprecated since HIP 6 or earlier")
hipError_t hipTexRefGetMaxAnisotropy(int* pmaxAnsio, const textureReference* texRef);
HIP_DEPRECATED("deprecated since HIP 6 or earlier")
hipError_t hipTexRefGetMipmapFilterMode(enum hipTextureFilterMode* pfm, const textureReference* texRef);
HIP_DEPRECATED("deprecated since HIP 6 or earlier")
hipError_t hipTexRefGetMipmapLevelBias(float* pbias, const textureReference* texRef);
HIP_DEPRECATED("deprecated since HIP 6 or earlier")
hipError_t hipTexRefGetMipmapLevelClamp(
    float* pminMipmapLevelClamp, float* pmaxMipmapLevelClamp, const textureReference* texRef);
HIP_DEPRECATED("deprecated since HIP 6 or earlier")
hipError_t hipTexRefGetMipMappedArray(hipMipmappedArray_t* pArray, const textureReference* texRef);
HIP_DEPRECATED("deprecated since HIP 6 or earlier")
hipError_t hipTexRefSetAddress(size_t* ByteOffset, textureReference* texRef, hipDeviceptr_t dptr, size_t bytes);
HIP_DEPRECATED("deprecated since HIP 6 or earlier")
hipError_t hipTexRefSetAddress2D(
    textureReference* texRef, const HIP_ARRAY_DESCRIPTOR* desc, hipDeviceptr_t dptr, size_t Pitch);
HIP_DEPRECATED("deprecated since HIP 6 or earlier")
hipError_t hipTexRefSetMaxAnisotropy(textureReference* texRef, unsigned int maxAniso);
HIP_DEPRECATED("deprecated since HIP 6 or earlier")
hipError_t hipTexRefSetBorderColor(textureReference* texRef, float* pBorderColor);
HIP_DEPRECATED("deprecated since HIP 6 or earlier")
hipError_t hipTexRefSetMipmapFilterMode(textureReference* texRef, enum hipTextureFilterMode fm);
HIP_DEPRECATED("deprecated since HIP 6 or earlier")
hipError_t hipTexRefSetMipmapLevelBias(textureReference* texRef, float bias);
HIP_DEPRECATED("deprecated since HIP 6 or earlier")
hipError_t hipTexRefSetMipmapLevelClamp(textureReference* texRef, float minMipMapLevelClamp, float maxMipMapLevelClamp);
HIP_DEPRECATED("deprecated since HIP 6 or earlier")
hipError_t hipTexRefSetMipmappedArray(
    textureReference* texRef, struct hipMipmappedArray* mipmappedArray, unsigned int Flags);
/// Name of the API function with this id.
const char* hipApiName(uint32_t id);
/// Name of a kernel of a module.
const char* hipKernelNameRef(const hipFunction_t f);
/// Name of the kernel behind a host stub.
const char* hipKernelNameRefByPtr(const void* hostFunction, hipStream_t stream);
/// Device of the stream, -1 if there is no such stream.
int hipGetStreamDeviceId(hipStream_t stream);
hipError_t hipGraphicsMapResources(int count, hipGraphicsResource_t* resources, hipStream_t stream __dparm(0));
hipError_t hipGraphicsSubResourceGetMappedArray(
    hipArray_t* array, hipGraphicsResource_t resource, unsigned int arrayIndex, unsigned int mipLevel);
hipError_t hipGraphicsResourceGetMappedPointer(void** devPtr, size_t* size, hipGraphicsResource_t resource);
hipError_t hipGraphicsUnmapResources(int count, hipGraphicsResource_t* resources, hipStream_t stream __dparm(0));
hipError_t hipGraphicsUnregisterResource(hipGraphicsResource_t resource);
/// Makes a surface object that kernels store to and load from; needs an array and a device with image instructions.
hipError_t hipCreateSurfaceObject(hipSurfaceObject_t* pSurfObject, const hipResourceDesc* pResDesc);
/// Frees a surface object.
hipError_t hipDestroySurfaceObject(hipSurfaceObject_t surfaceObject);

#ifdef __cplusplus
}
#endif
#endif
