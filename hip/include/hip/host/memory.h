// Allocation, copies, fills, pools, arrays, peers. A prototype without a description is not implemented yet.
#ifndef BZ_HIP_HOST_MEMORY_H
#define BZ_HIP_HOST_MEMORY_H

#include <hip/host/prologue.h>

#ifdef __cplusplus
extern "C" {
#endif

/// Allocates device memory; size 0 gives a null pointer.
hipError_t hipMalloc(void** ptr, size_t size);
/// Allocates device memory: coarse or fine grained, uncached, contiguous or signal memory.
hipError_t hipExtMallocWithFlags(void** ptr, size_t sizeBytes, unsigned int flags);
/// Allocates pinned host memory.
HIP_DEPRECATED("deprecated since HIP 6 or earlier")
hipError_t hipMallocHost(void** ptr, size_t size);
/// Allocates pinned host memory.
HIP_DEPRECATED("deprecated since HIP 6 or earlier")
hipError_t hipMemAllocHost(void** ptr, size_t size);
/// Allocates pinned host memory that kernels can use.
hipError_t hipHostMalloc(void** ptr, size_t size, unsigned int flags);
/// Allocates memory that host and devices use through one pointer.
hipError_t hipMallocManaged(void** dev_ptr, size_t size, unsigned int flags __dparm(hipMemAttachGlobal));
/// Accepts a hint where managed memory will be used next; checks pointer, range and device.
hipError_t hipMemPrefetchAsync(const void* dev_ptr, size_t count, int device, hipStream_t stream __dparm(0));
/// hipMemPrefetchAsync with a location instead of a device number.
hipError_t hipMemPrefetchAsync_v2(
    const void* dev_ptr, size_t count, hipMemLocation location, unsigned int flags, hipStream_t stream __dparm(0));
/// Accepts a hint how managed memory will be used and remembers it for hipMemRangeGetAttribute.
hipError_t hipMemAdvise(const void* dev_ptr, size_t count, hipMemoryAdvise advice, int device);
/// hipMemAdvise with a location instead of a device number.
hipError_t hipMemAdvise_v2(const void* dev_ptr, size_t count, hipMemoryAdvise advice, hipMemLocation location);
/// A hint or the coherency mode of a range of managed memory.
hipError_t hipMemRangeGetAttribute(
    void* data, size_t data_size, hipMemRangeAttribute attribute, const void* dev_ptr, size_t count);
/// Several hints of a range of managed memory.
hipError_t hipMemRangeGetAttributes(
    void** data, size_t* data_sizes, hipMemRangeAttribute* attributes, size_t num_attributes, const void* dev_ptr,
    size_t count);
/// Accepts the association of managed memory with a stream; memory is visible everywhere as it is.
hipError_t hipStreamAttachMemAsync(
    hipStream_t stream, void* dev_ptr, size_t length __dparm(0), unsigned int flags __dparm(hipMemAttachSingle));
/// Allocates device memory in stream order.
hipError_t hipMallocAsync(void** dev_ptr, size_t size, hipStream_t stream);
/// Frees device memory once the stream's work is done.
hipError_t hipFreeAsync(void* dev_ptr, hipStream_t stream);
/// Gives unused memory of a pool back to the device until at least so many bytes remain.
hipError_t hipMemPoolTrimTo(hipMemPool_t mem_pool, size_t min_bytes_to_hold);
/// Sets a pool's policy: reuse, release threshold in bytes, high-water marks (to 0 only).
hipError_t hipMemPoolSetAttribute(hipMemPool_t mem_pool, hipMemPoolAttr attr, void* value);
/// Reads a pool's policy or statistics.
hipError_t hipMemPoolGetAttribute(hipMemPool_t mem_pool, hipMemPoolAttr attr, void* value);
/// Lets other devices use a pool's memory, or forbids it.
hipError_t hipMemPoolSetAccess(hipMemPool_t mem_pool, const hipMemAccessDesc* desc_list, size_t count);
/// What a location may do with a pool's memory.
hipError_t hipMemPoolGetAccess(hipMemAccessFlags* flags, hipMemPool_t mem_pool, hipMemLocation* location);
/// Makes a pool on a device.
hipError_t hipMemPoolCreate(hipMemPool_t* mem_pool, const hipMemPoolProps* pool_props);
/// Gives a pool up; its memory goes when the last allocation is freed.
hipError_t hipMemPoolDestroy(hipMemPool_t mem_pool);
/// Allocates from a given pool in stream order.
hipError_t hipMallocFromPoolAsync(void** dev_ptr, size_t size, hipMemPool_t mem_pool, hipStream_t stream);
/// Makes a file descriptor for a pool that another process can import.
hipError_t hipMemPoolExportToShareableHandle(
    void* shared_handle, hipMemPool_t mem_pool, hipMemAllocationHandleType handle_type, unsigned int flags);
/// Opens a pool that was exported as a file descriptor.
hipError_t hipMemPoolImportFromShareableHandle(
    hipMemPool_t* mem_pool, void* shared_handle, hipMemAllocationHandleType handle_type, unsigned int flags);
/// Names an allocation of an exported pool for other processes.
hipError_t hipMemPoolExportPointer(hipMemPoolPtrExportData* export_data, void* dev_ptr);
/// Address here of an allocation of an imported pool.
hipError_t hipMemPoolImportPointer(void** dev_ptr, hipMemPool_t mem_pool, hipMemPoolPtrExportData* export_data);
/// Allocates pinned host memory that kernels can use.
hipError_t hipHostAlloc(void** ptr, size_t size, unsigned int flags);
/// Address under which kernels see pinned host memory.
hipError_t hipHostGetDevicePointer(void** devPtr, void* hstPtr, unsigned int flags);
/// Flags that pinned host memory was allocated with.
hipError_t hipHostGetFlags(unsigned int* flagsPtr, void* hostPtr);
/// Pins host memory of the program so that kernels and asynchronous copies can use it.
hipError_t hipHostRegister(void* hostPtr, size_t sizeBytes, unsigned int flags);
/// Undoes hipHostRegister.
hipError_t hipHostUnregister(void* hostPtr);
/// Allocates a two-dimensional array in device memory with rows aligned for the device.
hipError_t hipMallocPitch(void** ptr, size_t* pitch, size_t width, size_t height);
/// Like hipMallocPitch, for elements of 4, 8 or 16 bytes.
hipError_t hipMemAllocPitch(
    hipDeviceptr_t* dptr, size_t* pitch, size_t widthInBytes, size_t height, unsigned int elementSizeBytes);
/// Waits for the device and frees memory of hipMalloc and its kin; a null pointer is fine.
hipError_t hipFree(void* ptr);
/// Frees pinned host memory.
hipError_t hipFreeHost(void* ptr);
/// Frees pinned host memory.
hipError_t hipHostFree(void* ptr);
/// Copies bytes and returns when they are there.
hipError_t hipMemcpy(void* dst, const void* src, size_t sizeBytes, hipMemcpyKind kind);
/// Copies bytes in the order of a stream and returns when they are there.
hipError_t hipMemcpyWithStream(void* dst, const void* src, size_t sizeBytes, hipMemcpyKind kind, hipStream_t stream);
/// Copies bytes from host to device.
hipError_t hipMemcpyHtoD(hipDeviceptr_t dst, const void* src, size_t sizeBytes);
/// Copies bytes from device to host.
hipError_t hipMemcpyDtoH(void* dst, hipDeviceptr_t src, size_t sizeBytes);
/// Copies bytes from device to device.
hipError_t hipMemcpyDtoD(hipDeviceptr_t dst, hipDeviceptr_t src, size_t sizeBytes);
/// Copies bytes of a one-dimensional array to device memory.
hipError_t hipMemcpyAtoD(hipDeviceptr_t dstDevice, hipArray_t srcArray, size_t srcOffset, size_t ByteCount);
/// Copies bytes of device memory to a one-dimensional array.
hipError_t hipMemcpyDtoA(hipArray_t dstArray, size_t dstOffset, hipDeviceptr_t srcDevice, size_t ByteCount);
/// Copies bytes between one-dimensional arrays.
hipError_t hipMemcpyAtoA(
    hipArray_t dstArray, size_t dstOffset, hipArray_t srcArray, size_t srcOffset, size_t ByteCount);
/// Copies bytes from host to device in stream order.
hipError_t hipMemcpyHtoDAsync(hipDeviceptr_t dst, const void* src, size_t sizeBytes, hipStream_t stream);
/// Copies bytes from device to host in stream order.
hipError_t hipMemcpyDtoHAsync(void* dst, hipDeviceptr_t src, size_t sizeBytes, hipStream_t stream);
/// Copies bytes from device to device in stream order.
hipError_t hipMemcpyDtoDAsync(hipDeviceptr_t dst, hipDeviceptr_t src, size_t sizeBytes, hipStream_t stream);
/// hipMemcpyAtoH in stream order.
hipError_t hipMemcpyAtoHAsync(
    void* dstHost, hipArray_t srcArray, size_t srcOffset, size_t ByteCount, hipStream_t stream);
/// hipMemcpyHtoA in stream order.
hipError_t hipMemcpyHtoAAsync(
    hipArray_t dstArray, size_t dstOffset, const void* srcHost, size_t ByteCount, hipStream_t stream);
/// Address and size of a variable of a module.
hipError_t hipModuleGetGlobal(hipDeviceptr_t* dptr, size_t* bytes, hipModule_t hmod, const char* name);
/// Device address of a __device__ or __constant__ variable.
hipError_t hipGetSymbolAddress(void** devPtr, const void* symbol);
/// Size of a __device__ or __constant__ variable.
hipError_t hipGetSymbolSize(size_t* size, const void* symbol);
/// Address of an API function by name.
hipError_t hipGetProcAddress(
    const char* symbol, void** pfn, int hipVersion, uint64_t flags, hipDriverProcAddressQueryResult* symbolStatus);
/// Copies bytes to a device variable.
hipError_t hipMemcpyToSymbol(
    const void* symbol, const void* src, size_t sizeBytes, size_t offset __dparm(0), hipMemcpyKind kind
    __dparm(hipMemcpyHostToDevice));
/// Copies bytes to a device variable in stream order.
hipError_t hipMemcpyToSymbolAsync(
    const void* symbol, const void* src, size_t sizeBytes, size_t offset, hipMemcpyKind kind, hipStream_t stream
    __dparm(0));
/// Copies bytes from a device variable.
hipError_t hipMemcpyFromSymbol(
    void* dst, const void* symbol, size_t sizeBytes, size_t offset __dparm(0), hipMemcpyKind kind
    __dparm(hipMemcpyDeviceToHost));
/// Copies bytes from a device variable in stream order.
hipError_t hipMemcpyFromSymbolAsync(
    void* dst, const void* symbol, size_t sizeBytes, size_t offset, hipMemcpyKind kind, hipStream_t stream
    __dparm(0));
/// Copies bytes in stream order; pageable host memory makes it wait.
hipError_t hipMemcpyAsync(
    void* dst, const void* src, size_t sizeBytes, hipMemcpyKind kind, hipStream_t stream __dparm(0));
/// Fills bytes.
hipError_t hipMemset(void* dst, int value, size_t sizeBytes);
/// Fills bytes.
hipError_t hipMemsetD8(hipDeviceptr_t dest, unsigned char value, size_t count);
/// Fills bytes in stream order.
hipError_t hipMemsetD8Async(hipDeviceptr_t dest, unsigned char value, size_t count, hipStream_t stream __dparm(0));
/// Fills 16-bit words.
hipError_t hipMemsetD16(hipDeviceptr_t dest, unsigned short value, size_t count);
/// Fills 16-bit words in stream order.
hipError_t hipMemsetD16Async(hipDeviceptr_t dest, unsigned short value, size_t count, hipStream_t stream __dparm(0));
/// Fills 32-bit words.
hipError_t hipMemsetD32(hipDeviceptr_t dest, int value, size_t count);
/// Fills bytes in stream order.
hipError_t hipMemsetAsync(void* dst, int value, size_t sizeBytes, hipStream_t stream __dparm(0));
/// Fills 32-bit words in stream order.
hipError_t hipMemsetD32Async(hipDeviceptr_t dst, int value, size_t count, hipStream_t stream __dparm(0));
/// Fills the bytes of a rectangle.
hipError_t hipMemset2D(void* dst, size_t pitch, int value, size_t width, size_t height);
/// Fills the bytes of a rectangle in stream order.
hipError_t hipMemset2DAsync(
    void* dst, size_t pitch, int value, size_t width, size_t height, hipStream_t stream __dparm(0));
/// Fills the bytes of a box.
hipError_t hipMemset3D(hipPitchedPtr pitchedDevPtr, int value, hipExtent extent);
/// Fills the bytes of a box in stream order.
hipError_t hipMemset3DAsync(hipPitchedPtr pitchedDevPtr, int value, hipExtent extent, hipStream_t stream __dparm(0));
/// Fills a rectangle of bytes.
hipError_t hipMemsetD2D8(hipDeviceptr_t dst, size_t dstPitch, unsigned char value, size_t width, size_t height);
/// Fills a rectangle of bytes in stream order.
hipError_t hipMemsetD2D8Async(
    hipDeviceptr_t dst, size_t dstPitch, unsigned char value, size_t width, size_t height, hipStream_t stream
    __dparm(0));
/// Fills a rectangle of 16-bit words.
hipError_t hipMemsetD2D16(hipDeviceptr_t dst, size_t dstPitch, unsigned short value, size_t width, size_t height);
/// Fills a rectangle of 16-bit words in stream order.
hipError_t hipMemsetD2D16Async(
    hipDeviceptr_t dst, size_t dstPitch, unsigned short value, size_t width, size_t height, hipStream_t stream
    __dparm(0));
/// Fills a rectangle of 32-bit words.
hipError_t hipMemsetD2D32(hipDeviceptr_t dst, size_t dstPitch, unsigned int value, size_t width, size_t height);
/// Fills a rectangle of 32-bit words in stream order.
hipError_t hipMemsetD2D32Async(
    hipDeviceptr_t dst, size_t dstPitch, unsigned int value, size_t width, size_t height, hipStream_t stream
    __dparm(0));
/// Free and total bytes of the current device's memory.
hipError_t hipMemGetInfo(size_t* free, size_t* total);
/// Size of the allocation that a pointer points to the start of.
hipError_t hipMemPtrGetInfo(void* ptr, size_t* size);
/// Allocates an array of one or two dimensions.
hipError_t hipMallocArray(
    hipArray_t* array, const hipChannelFormatDesc* desc, size_t width, size_t height __dparm(0), unsigned int flags
    __dparm(hipArrayDefault));
/// Allocates a one- or two-dimensional array of 1, 2 or 4 channels.
hipError_t hipArrayCreate(hipArray_t* pHandle, const HIP_ARRAY_DESCRIPTOR* pAllocateArray);
/// Frees an array; one that is not (or no longer) there: hipErrorInvalidHandle.
hipError_t hipArrayDestroy(hipArray_t array);
/// Allocates a three-dimensional (or layered) array; null or impossible sizes and formats: hipErrorInvalidValue.
hipError_t hipArray3DCreate(hipArray_t* array, const HIP_ARRAY3D_DESCRIPTOR* pAllocateArray);
/// Allocates a three-dimensional array in device memory with aligned rows.
hipError_t hipMalloc3D(hipPitchedPtr* pitchedDevPtr, hipExtent extent);
/// Frees an array; null is no error.
hipError_t hipFreeArray(hipArray_t array);
/// Allocates an array of up to three dimensions, or of layers.
hipError_t hipMalloc3DArray(
    hipArray_t* array, const struct hipChannelFormatDesc* desc, struct hipExtent extent, unsigned int flags);
/// Channels, extent and flags of an array; each pointer may be null.
hipError_t hipArrayGetInfo(hipChannelFormatDesc* desc, hipExtent* extent, unsigned int* flags, hipArray_t array);
/// Width, height and format of a one- or two-dimensional array.
hipError_t hipArrayGetDescriptor(HIP_ARRAY_DESCRIPTOR* pArrayDescriptor, hipArray_t array);
/// Extent, format and flags of any array.
hipError_t hipArray3DGetDescriptor(HIP_ARRAY3D_DESCRIPTOR* pArrayDescriptor, hipArray_t array);
/// Copies a rectangle.
hipError_t hipMemcpy2D(
    void* dst, size_t dpitch, const void* src, size_t spitch, size_t width, size_t height, hipMemcpyKind kind);
/// Copies a rectangle that a structure describes.
hipError_t hipMemcpyParam2D(const hip_Memcpy2D* pCopy);
/// Copies a rectangle that a structure describes, in stream order.
hipError_t hipMemcpyParam2DAsync(const hip_Memcpy2D* pCopy, hipStream_t stream __dparm(0));
/// Copies a rectangle in stream order.
hipError_t hipMemcpy2DAsync(
    void* dst, size_t dpitch, const void* src, size_t spitch, size_t width, size_t height, hipMemcpyKind kind,
    hipStream_t stream __dparm(0));
/// Copies memory to a rectangle of an array; width in bytes.
hipError_t hipMemcpy2DToArray(
    hipArray_t dst, size_t wOffset, size_t hOffset, const void* src, size_t spitch, size_t width, size_t height,
    hipMemcpyKind kind);
/// hipMemcpy2DToArray in stream order.
hipError_t hipMemcpy2DToArrayAsync(
    hipArray_t dst, size_t wOffset, size_t hOffset, const void* src, size_t spitch, size_t width, size_t height,
    hipMemcpyKind kind, hipStream_t stream __dparm(0));
/// Copies a rectangle between arrays; width in bytes.
hipError_t hipMemcpy2DArrayToArray(
    hipArray_t dst, size_t wOffsetDst, size_t hOffsetDst, hipArray_const_t src, size_t wOffsetSrc, size_t
    hOffsetSrc, size_t width, size_t height, hipMemcpyKind kind);
/// Copies bytes of memory to an array, row after row from an offset on.
HIP_DEPRECATED("deprecated since HIP 6 or earlier")
hipError_t hipMemcpyToArray(
    hipArray_t dst, size_t wOffset, size_t hOffset, const void* src, size_t count, hipMemcpyKind kind);
/// Copies bytes of an array to memory, row after row from an offset on.
HIP_DEPRECATED("deprecated since HIP 6 or earlier")
hipError_t hipMemcpyFromArray(
    void* dst, hipArray_const_t srcArray, size_t wOffset, size_t hOffset, size_t count, hipMemcpyKind kind);
/// Copies a rectangle of an array to memory; width in bytes.
hipError_t hipMemcpy2DFromArray(
    void* dst, size_t dpitch, hipArray_const_t src, size_t wOffset, size_t hOffset, size_t width, size_t height,
    hipMemcpyKind kind);
/// hipMemcpy2DFromArray in stream order.
hipError_t hipMemcpy2DFromArrayAsync(
    void* dst, size_t dpitch, hipArray_const_t src, size_t wOffset, size_t hOffset, size_t width, size_t height,
    hipMemcpyKind kind, hipStream_t stream __dparm(0));
/// Copies bytes of a one-dimensional array to the host; the offset is in bytes.
hipError_t hipMemcpyAtoH(void* dst, hipArray_t srcArray, size_t srcOffset, size_t count);
/// Copies bytes of the host to a one-dimensional array; the offset is in bytes.
hipError_t hipMemcpyHtoA(hipArray_t dstArray, size_t dstOffset, const void* srcHost, size_t count);
/// Copies a box between pitched pointers.
hipError_t hipMemcpy3D(const struct hipMemcpy3DParms* p);
/// Copies a box between pitched pointers in stream order.
hipError_t hipMemcpy3DAsync(const struct hipMemcpy3DParms* p, hipStream_t stream __dparm(0));
/// Copies a box that a structure describes.
hipError_t hipDrvMemcpy3D(const HIP_MEMCPY3D* pCopy);
/// Copies a box that a structure describes, in stream order.
hipError_t hipDrvMemcpy3DAsync(const HIP_MEMCPY3D* pCopy, hipStream_t stream);
/// Base and size of the allocation that a pointer points into.
hipError_t hipMemGetAddressRange(hipDeviceptr_t* pbase, size_t* psize, hipDeviceptr_t dptr);
/// Several copies in stream order; the first that fails is named by index.
hipError_t hipMemcpyBatchAsync(
    void** dsts, void** srcs, size_t* sizes, size_t count, hipMemcpyAttributes* attrs, size_t* attrsIdxs, size_t
    numAttrs, size_t* failIdx, hipStream_t stream __dparm(0));
/// Several copies of boxes in stream order; the first that fails is named by index.
hipError_t hipMemcpy3DBatchAsync(
    size_t numOps, struct hipMemcpy3DBatchOp* opList, size_t* failIdx, unsigned long long flags, hipStream_t stream
    __dparm(0));
/// Copies a box between pitched pointers of two devices.
hipError_t hipMemcpy3DPeer(hipMemcpy3DPeerParms* p);
/// Copies a box between pitched pointers of two devices in stream order.
hipError_t hipMemcpy3DPeerAsync(hipMemcpy3DPeerParms* p, hipStream_t stream __dparm(0));
/// 1 if the first device can use the second one's memory.
hipError_t hipDeviceCanAccessPeer(int* canAccessPeer, int deviceId, int peerDeviceId);
/// Lets the current device use another one's memory.
hipError_t hipDeviceEnablePeerAccess(int peerDeviceId, unsigned int flags);
/// Ends what hipDeviceEnablePeerAccess began.
hipError_t hipDeviceDisablePeerAccess(int peerDeviceId);
/// Copies bytes between devices.
hipError_t hipMemcpyPeer(void* dst, int dstDeviceId, const void* src, int srcDeviceId, size_t sizeBytes);
/// Copies bytes between devices in stream order.
hipError_t hipMemcpyPeerAsync(
    void* dst, int dstDeviceId, const void* src, int srcDevice, size_t sizeBytes, hipStream_t stream __dparm(0));

#ifdef __cplusplus
}
#endif
#endif
