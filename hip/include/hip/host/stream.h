// Streams, events, pointers and external objects. A prototype without a description is not implemented yet.
#ifndef BZ_HIP_HOST_STREAM_H
#define BZ_HIP_HOST_STREAM_H

#include <hip/host/prologue.h>

#ifdef __cplusplus
extern "C" {
#endif

/// New stream of the current device that is ordered with the null stream.
hipError_t hipStreamCreate(hipStream_t* stream);
/// New stream; hipStreamNonBlocking takes it out of the order with the null stream.
hipError_t hipStreamCreateWithFlags(hipStream_t* stream, unsigned int flags);
/// New stream with a priority; it is clamped to the range of the device.
hipError_t hipStreamCreateWithPriority(hipStream_t* stream, unsigned int flags, int priority);
/// Least and greatest priority; smaller numbers are more urgent.
hipError_t hipDeviceGetStreamPriorityRange(int* leastPriority, int* greatestPriority);
/// Destroys a stream; its work still completes.
hipError_t hipStreamDestroy(hipStream_t stream);
/// hipSuccess if all work of the stream is done, hipErrorNotReady if not.
hipError_t hipStreamQuery(hipStream_t stream);
/// Waits until all work of the stream is done.
hipError_t hipStreamSynchronize(hipStream_t stream);
/// Work given to the stream from now on waits for the event's last record.
hipError_t hipStreamWaitEvent(hipStream_t stream, hipEvent_t event, unsigned int flags __dparm(0));
/// Flags that the stream was created with.
hipError_t hipStreamGetFlags(hipStream_t stream, unsigned int* flags);
/// A number that no other stream of this process has.
hipError_t hipStreamGetId(hipStream_t stream, unsigned long long* streamId);
/// Priority of the stream.
hipError_t hipStreamGetPriority(hipStream_t stream, int* priority);
/// Device of the stream.
hipError_t hipStreamGetDevice(hipStream_t stream, hipDevice_t* device);
/// New stream whose kernels may only use the compute units of the mask.
hipError_t hipExtStreamCreateWithCUMask(hipStream_t* stream, uint32_t cuMaskSize, const uint32_t* cuMask);
/// Compute units that the stream's kernels may use.
hipError_t hipExtStreamGetCUMask(hipStream_t stream, uint32_t cuMaskSize, uint32_t* cuMask);
/// Calls a host function once the work given so far is done; later work waits for it.
hipError_t hipStreamAddCallback(hipStream_t stream, hipStreamCallback_t callback, void* userData, unsigned int flags);
/// Sets how the stream is waited for, or a hint. The priority can't be changed.
hipError_t hipStreamSetAttribute(hipStream_t stream, hipLaunchAttributeID attr, const hipLaunchAttributeValue* value);
/// An attribute of the stream.
hipError_t hipStreamGetAttribute(hipStream_t stream, hipLaunchAttributeID attr, hipLaunchAttributeValue* value_out);
/// Copies the attributes of a stream to another of the same device.
hipError_t hipStreamCopyAttributes(hipStream_t dst, hipStream_t src);
/// Later work of the stream waits until the 32-bit word compares true.
hipError_t hipStreamWaitValue32(
    hipStream_t stream, void* ptr, uint32_t value, unsigned int flags, uint32_t mask __dparm(0xFFFFFFFF));
/// Later work of the stream waits until the 64-bit word compares true.
hipError_t hipStreamWaitValue64(
    hipStream_t stream, void* ptr, uint64_t value, unsigned int flags, uint64_t mask __dparm(0xFFFFFFFFFFFFFFFF));
/// Writes a 32-bit word when the work given so far is done.
hipError_t hipStreamWriteValue32(hipStream_t stream, void* ptr, uint32_t value, unsigned int flags);
/// Writes a 64-bit word when the work given so far is done.
hipError_t hipStreamWriteValue64(hipStream_t stream, void* ptr, uint64_t value, unsigned int flags);
/// Waits for memory words and writes of them, in this order, as one piece of work.
hipError_t hipStreamBatchMemOp(
    hipStream_t stream, unsigned int count, hipStreamBatchMemOpParams* paramArray, unsigned int flags);
/// Adds what hipStreamBatchMemOp does.
hipError_t hipGraphAddBatchMemOpNode(
    hipGraphNode_t* phGraphNode, hipGraph_t hGraph, const hipGraphNode_t* dependencies, size_t numDependencies,
    const hipBatchMemOpNodeParams* nodeParams);
/// The operations of a node; the array is the node's own, until it gets others.
hipError_t hipGraphBatchMemOpNodeGetParams(hipGraphNode_t hNode, hipBatchMemOpNodeParams* nodeParams_out);
/// Other operations for a node.
hipError_t hipGraphBatchMemOpNodeSetParams(hipGraphNode_t hNode, hipBatchMemOpNodeParams* nodeParams);
/// Other operations for the next launches.
hipError_t hipGraphExecBatchMemOpNodeSetParams(
    hipGraphExec_t hGraphExec, hipGraphNode_t hNode, const hipBatchMemOpNodeParams* nodeParams);
/// New event of the current device.
hipError_t hipEventCreateWithFlags(hipEvent_t* event, unsigned int flags);
/// New event with timing.
hipError_t hipEventCreate(hipEvent_t* event);
/// Like hipEventRecord; flags must be hipEventRecordDefault or hipEventRecordExternal.
hipError_t hipEventRecordWithFlags(hipEvent_t event, hipStream_t stream __dparm(0), unsigned int flags __dparm(0));
/// Makes the event stand for the work that the stream holds now.
hipError_t hipEventRecord(hipEvent_t event, hipStream_t stream __dparm(NULL));
/// Destroys an event; recorded work still completes.
hipError_t hipEventDestroy(hipEvent_t event);
/// Waits until the event's last record is reached.
hipError_t hipEventSynchronize(hipEvent_t event);
/// Milliseconds between two recorded events of one device; hipErrorNotReady if one isn't reached yet.
hipError_t hipEventElapsedTime(float* ms, hipEvent_t start, hipEvent_t stop);
/// hipSuccess if the event's last record is reached, hipErrorNotReady if not.
hipError_t hipEventQuery(hipEvent_t event);
/// Sets an attribute of an allocation; only HIP_POINTER_ATTRIBUTE_SYNC_MEMOPS can be set.
hipError_t hipPointerSetAttribute(const void* value, hipPointer_attribute attribute, hipDeviceptr_t ptr);
/// What kind of memory a pointer points to; hipMemoryTypeUnregistered if HIP doesn't know it.
hipError_t hipPointerGetAttributes(hipPointerAttribute_t* attributes, const void* ptr);
/// One fact about a pointer.
hipError_t hipPointerGetAttribute(void* data, hipPointer_attribute attribute, hipDeviceptr_t ptr);
/// Several facts about a pointer; what isn't known is set to zero.
hipError_t hipDrvPointerGetAttributes(
    unsigned int numAttributes, hipPointer_attribute* attributes, void** data, hipDeviceptr_t ptr);
hipError_t hipImportExternalSemaphore(
    hipExternalSemaphore_t* extSem_out, const hipExternalSemaphoreHandleDesc* semHandleDesc);
hipError_t hipSignalExternalSemaphoresAsync(
    const hipExternalSemaphore_t* extSemArray, const hipExternalSemaphoreSignalParams* paramsArray, unsigned int
    numExtSems, hipStream_t stream);
hipError_t hipWaitExternalSemaphoresAsync(
    const hipExternalSemaphore_t* extSemArray, const hipExternalSemaphoreWaitParams* paramsArray, unsigned int
    numExtSems, hipStream_t stream);
hipError_t hipDestroyExternalSemaphore(hipExternalSemaphore_t extSem);
hipError_t hipImportExternalMemory(hipExternalMemory_t* extMem_out, const hipExternalMemoryHandleDesc* memHandleDesc);
hipError_t hipExternalMemoryGetMappedBuffer(
    void** devPtr, hipExternalMemory_t extMem, const hipExternalMemoryBufferDesc* bufferDesc);
hipError_t hipDestroyExternalMemory(hipExternalMemory_t extMem);
hipError_t hipExternalMemoryGetMappedMipmappedArray(
    hipMipmappedArray_t* mipmap, hipExternalMemory_t extMem, const hipExternalMemoryMipmappedArrayDesc* mipmapDesc);

#ifdef __cplusplus
}
#endif
#endif
