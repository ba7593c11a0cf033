// C++ forms of the API: typed pointers instead of void**, functions and variables by themselves instead of by address.
// Each is a thin wrapper around the C function of the same name.
#ifndef BZ_HIP_HOST_TEMPLATES_H
#define BZ_HIP_HOST_TEMPLATES_H

#include <hip/host/device.h>
#include <hip/host/memory.h>
#include <hip/host/module.h>
#include <hip/host/per_thread.h>
#include <hip/host/stream.h>
#include <hip/host/texture.h>

// ---- Symbols --------------------------------------------------------------------------------------------------------

template <typename T> inline hipError_t hipGetSymbolAddress(void** devPtr, const T& symbol) {
  return hipGetSymbolAddress(devPtr, (const void*)&symbol);
}
template <typename T> inline hipError_t hipGetSymbolSize(size_t* size, const T& symbol) {
  return hipGetSymbolSize(size, (const void*)&symbol);
}
template <typename T>
inline hipError_t hipMemcpyToSymbol(const T& symbol, const void* src, size_t sizeBytes, size_t offset = 0,
                                    hipMemcpyKind kind = hipMemcpyHostToDevice) {
  return hipMemcpyToSymbol((const void*)&symbol, src, sizeBytes, offset, kind);
}
template <typename T>
inline hipError_t hipMemcpyToSymbolAsync(const T& symbol, const void* src, size_t sizeBytes, size_t offset,
                                         hipMemcpyKind kind, hipStream_t stream = 0) {
  return hipMemcpyToSymbolAsync((const void*)&symbol, src, sizeBytes, offset, kind, stream);
}
template <typename T>
inline hipError_t hipMemcpyFromSymbol(void* dst, const T& symbol, size_t sizeBytes, size_t offset = 0,
                                      hipMemcpyKind kind = hipMemcpyDeviceToHost) {
  return hipMemcpyFromSymbol(dst, (const void*)&symbol, sizeBytes, offset, kind);
}
template <typename T>
inline hipError_t hipMemcpyFromSymbolAsync(void* dst, const T& symbol, size_t sizeBytes, size_t offset,
                                           hipMemcpyKind kind, hipStream_t stream = 0) {
  return hipMemcpyFromSymbolAsync(dst, (const void*)&symbol, sizeBytes, offset, kind, stream);
}

// ---- Allocation -----------------------------------------------------------------------------------------------------

template <class T> inline hipError_t hipMalloc(T** devPtr, size_t size) { return hipMalloc((void**)devPtr, size); }
template <class T> inline hipError_t hipMallocPitch(T** devPtr, size_t* pitch, size_t width, size_t height) {
  return hipMallocPitch((void**)devPtr, pitch, width, height);
}
template <class T>
inline hipError_t hipHostMalloc(T** ptr, size_t size, unsigned int flags = hipHostMallocDefault) {
  return hipHostMalloc((void**)ptr, size, flags);
}
template <class T> inline hipError_t hipHostAlloc(T** ptr, size_t size, unsigned int flags = hipHostAllocDefault) {
  return hipHostAlloc((void**)ptr, size, flags);
}
template <class T>
inline hipError_t hipMallocManaged(T** devPtr, size_t size, unsigned int flags = hipMemAttachGlobal) {
  return hipMallocManaged((void**)devPtr, size, flags);
}
static inline hipError_t hipMallocAsync(void** dev_ptr, size_t size, hipMemPool_t mem_pool, hipStream_t stream) {
  return hipMallocFromPoolAsync(dev_ptr, size, mem_pool, stream);
}
template <class T>
inline hipError_t hipMallocAsync(T** dev_ptr, size_t size, hipMemPool_t mem_pool, hipStream_t stream) {
  return hipMallocFromPoolAsync((void**)dev_ptr, size, mem_pool, stream);
}
template <class T> inline hipError_t hipMallocAsync(T** dev_ptr, size_t size, hipStream_t stream) {
  return hipMallocAsync((void**)dev_ptr, size, stream);
}
template <class T>
inline hipError_t hipMallocFromPoolAsync(T** dev_ptr, size_t size, hipMemPool_t mem_pool, hipStream_t stream) {
  return hipMallocFromPoolAsync((void**)dev_ptr, size, mem_pool, stream);
}

// ---- Functions ------------------------------------------------------------------------------------------------------

template <class T> inline hipError_t hipFuncSetAttribute(T* func, hipFuncAttribute attr, int value) {
  return hipFuncSetAttribute((const void*)func, attr, value);
}
template <class T> inline hipError_t hipFuncSetCacheConfig(T* func, hipFuncCache_t config) {
  return hipFuncSetCacheConfig((const void*)func, config);
}
template <class T> inline hipError_t hipFuncGetAttributes(struct hipFuncAttributes* attr, T* func) {
  return hipFuncGetAttributes(attr, (const void*)func);
}
template <class T>
inline hipError_t hipLaunchCooperativeKernel(T f, dim3 gridDim, dim3 blockDim, void** kernelParams,
                                             unsigned int sharedMemBytes, hipStream_t stream) {
  return hipLaunchCooperativeKernel((const void*)f, gridDim, blockDim, kernelParams, sharedMemBytes, stream);
}
template <class T>
inline hipError_t hipLaunchCooperativeKernelMultiDevice(hipLaunchParams* launchParamsList, unsigned int numDevices,
                                                        unsigned int flags = 0) {
  return hipLaunchCooperativeKernelMultiDevice(launchParamsList, (int)numDevices, flags);
}
template <class T>
inline hipError_t hipExtLaunchMultiKernelMultiDevice(hipLaunchParams* launchParamsList, unsigned int numDevices,
                                                     unsigned int flags = 0) {
  return hipExtLaunchMultiKernelMultiDevice(launchParamsList, (int)numDevices, flags);
}

namespace bz_hip_detail {
// Converts each argument to the type of the kernel's parameter and hands an array of their addresses to `call`.
template <class... Parameters, class Call> inline hipError_t launch_converted(Call call, Parameters... converted) {
  void* pointers[sizeof...(Parameters) + 1] = {(void*)&converted..., nullptr};
  return call(pointers);
}
template <class... Parameters, class Call, class... Args>
inline hipError_t launch_with_converted(void (*)(Parameters...), Call call, Args&&... args) {
  static_assert(sizeof...(Parameters) == sizeof...(Args), "the kernel takes another number of arguments");
  return launch_converted<Parameters...>(call, static_cast<Args&&>(args)...);
}
} // namespace bz_hip_detail

/// Launches a kernel with attributes; arguments are converted to the kernel's parameter types.
template <typename... KernelArgs, typename... Params>
inline hipError_t hipLaunchKernelEx(const hipLaunchConfig_t* config, void (*kernel)(KernelArgs...), Params&&... args) {
  return bz_hip_detail::launch_with_converted(
      kernel, [&](void** pointers) { return hipLaunchKernelExC(config, (const void*)kernel, pointers); },
      static_cast<Params&&>(args)...);
}

// ---- Occupancy ------------------------------------------------------------------------------------------------------

template <class T>
inline hipError_t hipOccupancyMaxActiveBlocksPerMultiprocessor(int* numBlocks, T f, int blockSize,
                                                               size_t dynSharedMemPerBlk) {
  return hipOccupancyMaxActiveBlocksPerMultiprocessor(numBlocks, (const void*)f, blockSize, dynSharedMemPerBlk);
}
template <class T>
inline hipError_t hipOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(int* numBlocks, T f, int blockSize,
                                                                        size_t dynSharedMemPerBlk, unsigned int flags) {
  return hipOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(numBlocks, (const void*)f, blockSize, dynSharedMemPerBlk,
                                                               flags);
}
template <typename F>
inline hipError_t hipOccupancyMaxPotentialBlockSize(int* gridSize, int* blockSize, F kernel,
                                                    size_t dynSharedMemPerBlk = 0, uint32_t blockSizeLimit = 0) {
  return hipOccupancyMaxPotentialBlockSize(gridSize, blockSize, (const void*)kernel, dynSharedMemPerBlk,
                                           (int)blockSizeLimit);
}

/// Block size that fills the device best, where shared memory depends on the block size.
template <typename UnaryFunction, class T>
inline hipError_t hipOccupancyMaxPotentialBlockSizeVariableSMemWithFlags(int* min_grid_size, int* block_size, T func,
                                                                         UnaryFunction block_size_to_dynamic_smem_size,
                                                                         int block_size_limit = 0,
                                                                         unsigned int flags = 0) {
  if (!min_grid_size || !block_size || !reinterpret_cast<const void*>(func)) return hipErrorInvalidValue;
  int device = 0, units = 0, warp = 0;
  hipFuncAttributes attributes;
  hipError_t e = hipGetDevice(&device);
  if (e == hipSuccess) e = hipDeviceGetAttribute(&units, hipDeviceAttributeMultiprocessorCount, device);
  if (e == hipSuccess) e = hipDeviceGetAttribute(&warp, hipDeviceAttributeWarpSize, device);
  if (e == hipSuccess) e = hipFuncGetAttributes(&attributes, reinterpret_cast<const void*>(func));
  if (e != hipSuccess) return e;
  int limit = attributes.maxThreadsPerBlock;
  if (block_size_limit > 0 && block_size_limit < limit) limit = block_size_limit;
  int best_threads = 0, best_size = 0, best_blocks = 0;
  // From the largest size down, in whole warps; a limit that isn't a whole number of warps is tried as it is.
  for (int size = limit; size > 0; size = size % warp ? size - size % warp : size - warp) {
    int blocks = 0;
    e = hipOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(&blocks, reinterpret_cast<const void*>(func), size,
                                                              (size_t)block_size_to_dynamic_smem_size(size), flags);
    if (e != hipSuccess) return e;
    if (blocks * size > best_threads) {
      best_threads = blocks * size;
      best_size = size;
      best_blocks = blocks;
    }
  }
  *min_grid_size = best_blocks * units;
  *block_size = best_size;
  return hipSuccess;
}
template <typename UnaryFunction, class T>
inline hipError_t hipOccupancyMaxPotentialBlockSizeVariableSMem(int* min_grid_size, int* block_size, T func,
                                                                UnaryFunction block_size_to_dynamic_smem_size,
                                                                int block_size_limit = 0) {
  return hipOccupancyMaxPotentialBlockSizeVariableSMemWithFlags(min_grid_size, block_size, func,
                                                                block_size_to_dynamic_smem_size, block_size_limit);
}

// ---- Texture references (deprecated) --------------------------------------------------------------------------------

#if defined(__clang__) || defined(__GNUC__)
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wdeprecated-declarations"
#endif
template <class T, int dim, enum hipTextureReadMode readMode>
HIP_DEPRECATED("use texture objects")
inline hipError_t hipBindTexture(size_t* offset, const struct texture<T, dim, readMode>& tex, const void* devPtr,
                                 const struct hipChannelFormatDesc& desc, size_t size = UINT_MAX) {
  return hipBindTexture(offset, &tex, devPtr, &desc, size);
}
template <class T, int dim, enum hipTextureReadMode readMode>
HIP_DEPRECATED("use texture objects")
inline hipError_t hipBindTexture(size_t* offset, const struct texture<T, dim, readMode>& tex, const void* devPtr,
                                 size_t size = UINT_MAX) {
  return hipBindTexture(offset, &tex, devPtr, &tex.channelDesc, size);
}
template <class T, int dim, enum hipTextureReadMode readMode>
HIP_DEPRECATED("use texture objects")
inline hipError_t hipBindTexture2D(size_t* offset, const struct texture<T, dim, readMode>& tex, const void* devPtr,
                                   const struct hipChannelFormatDesc& desc, size_t width, size_t height, size_t pitch) {
  return hipBindTexture2D(offset, &tex, devPtr, &desc, width, height, pitch);
}
template <class T, int dim, enum hipTextureReadMode readMode>
HIP_DEPRECATED("use texture objects")
inline hipError_t hipBindTexture2D(size_t* offset, const struct texture<T, dim, readMode>& tex, const void* devPtr,
                                   size_t width, size_t height, size_t pitch) {
  return hipBindTexture2D(offset, &tex, devPtr, &tex.channelDesc, width, height, pitch);
}
template <class T, int dim, enum hipTextureReadMode readMode>
HIP_DEPRECATED("use texture objects")
inline hipError_t hipBindTextureToArray(const struct texture<T, dim, readMode>& tex, hipArray_const_t array,
                                        const struct hipChannelFormatDesc& desc) {
  return hipBindTextureToArray(&tex, array, &desc);
}
template <class T, int dim, enum hipTextureReadMode readMode>
HIP_DEPRECATED("use texture objects")
inline hipError_t hipBindTextureToArray(const struct texture<T, dim, readMode>& tex, hipArray_const_t array) {
  struct hipChannelFormatDesc desc;
  hipError_t e = hipGetChannelDesc(&desc, array);
  return e == hipSuccess ? hipBindTextureToArray(&tex, array, &desc) : e;
}
template <class T, int dim, enum hipTextureReadMode readMode>
HIP_DEPRECATED("use texture objects")
inline hipError_t hipBindTextureToMipmappedArray(const struct texture<T, dim, readMode>& tex,
                                                 hipMipmappedArray_const_t mipmappedArray,
                                                 const struct hipChannelFormatDesc& desc) {
  return hipBindTextureToMipmappedArray(&tex, mipmappedArray, &desc);
}
template <class T, int dim, enum hipTextureReadMode readMode>
HIP_DEPRECATED("use texture objects")
inline hipError_t hipBindTextureToMipmappedArray(const struct texture<T, dim, readMode>& tex,
                                                 hipMipmappedArray_const_t mipmappedArray) {
  return hipBindTextureToMipmappedArray(&tex, mipmappedArray, &tex.channelDesc);
}
template <class T, int dim, enum hipTextureReadMode readMode>
HIP_DEPRECATED("use texture objects")
inline hipError_t hipUnbindTexture(const struct texture<T, dim, readMode>& tex) {
  return hipUnbindTexture(&tex);
}
#if defined(__clang__) || defined(__GNUC__)
#pragma GCC diagnostic pop
#endif

#endif
