// Stream capture, graphs and virtual memory. A graph, node or executable that doesn't exist is hipErrorInvalidValue.
// A prototype without a description is not implemented yet.
#ifndef BZ_HIP_HOST_GRAPH_H
#define BZ_HIP_HOST_GRAPH_H

#include <hip/host/prologue.h>

#ifdef __cplusplus
extern "C" {
#endif

/// Calls on the stream become nodes of a new graph from now on. hipErrorStreamCaptureUnsupported for the null stream,
/// hipErrorIllegalState if it is capturing.
hipError_t hipStreamBeginCapture(hipStream_t stream, hipStreamCaptureMode mode);
/// The same into an existing graph, after these nodes; dependencyData must be null.
hipError_t hipStreamBeginCaptureToGraph(
    hipStream_t stream, hipGraph_t graph, const hipGraphNode_t* dependencies, const hipGraphEdgeData*
    dependencyData, size_t numDependencies, hipStreamCaptureMode mode);
/// Ends the capture on the stream where it began and gives its graph; null with hipErrorStreamCaptureInvalidated or
/// hipErrorStreamCaptureUnjoined.
hipError_t hipStreamEndCapture(hipStream_t stream, hipGraph_t* pGraph);
/// Whether the stream is capturing, and the number of the capture.
hipError_t hipStreamGetCaptureInfo(hipStream_t stream, hipStreamCaptureStatus* pCaptureStatus, unsigned long long* pId);
/// The same, with the graph and the nodes that the next one depends on; the array is valid until the thread asks again.
hipError_t hipStreamGetCaptureInfo_v2(
    hipStream_t stream, hipStreamCaptureStatus* captureStatus_out, unsigned long long* id_out __dparm(0),
    hipGraph_t* graph_out __dparm(0), const hipGraphNode_t** dependencies_out __dparm(0), size_t*
    numDependencies_out __dparm(0));
/// Whether the stream is capturing, not, or in a capture that a forbidden call broke.
hipError_t hipStreamIsCapturing(hipStream_t stream, hipStreamCaptureStatus* pCaptureStatus);
/// Adds to or replaces the nodes that the next captured node depends on.
hipError_t hipStreamUpdateCaptureDependencies(
    hipStream_t stream, hipGraphNode_t* dependencies, size_t numDependencies, unsigned int flags __dparm(0));
/// Exchanges the thread's capture mode.
hipError_t hipThreadExchangeStreamCaptureMode(hipStreamCaptureMode* mode);
/// New empty graph; flags must be 0.
hipError_t hipGraphCreate(hipGraph_t* pGraph, unsigned int flags);
/// Destroys a graph and its nodes; executable graphs made from it stay.
hipError_t hipGraphDestroy(hipGraph_t graph);
/// Edges from[i] to to[i]; hipErrorInvalidValue if one exists.
hipError_t hipGraphAddDependencies(
    hipGraph_t graph, const hipGraphNode_t* from, const hipGraphNode_t* to, size_t numDependencies);
/// Removes edges; hipErrorInvalidValue if one doesn't exist.
hipError_t hipGraphRemoveDependencies(
    hipGraph_t graph, const hipGraphNode_t* from, const hipGraphNode_t* to, size_t numDependencies);
/// The edges of a graph, or with null arrays their number.
hipError_t hipGraphGetEdges(hipGraph_t graph, hipGraphNode_t* from, hipGraphNode_t* to, size_t* numEdges);
/// The nodes of a graph in the order of their making, or with a null array their number.
hipError_t hipGraphGetNodes(hipGraph_t graph, hipGraphNode_t* nodes, size_t* numNodes);
/// The nodes without dependencies.
hipError_t hipGraphGetRootNodes(hipGraph_t graph, hipGraphNode_t* pRootNodes, size_t* pNumRootNodes);
/// The nodes that a node depends on.
hipError_t hipGraphNodeGetDependencies(hipGraphNode_t node, hipGraphNode_t* pDependencies, size_t* pNumDependencies);
/// The nodes that depend on a node.
hipError_t hipGraphNodeGetDependentNodes(
    hipGraphNode_t node, hipGraphNode_t* pDependentNodes, size_t* pNumDependentNodes);
/// The type of a node.
hipError_t hipGraphNodeGetType(hipGraphNode_t node, hipGraphNodeType* pType);
/// Takes a node out of its graph, with its edges.
hipError_t hipGraphDestroyNode(hipGraphNode_t node);
/// A copy of a graph; hipErrorNotSupported with allocation or free nodes.
hipError_t hipGraphClone(hipGraph_t* pGraphClone, hipGraph_t originalGraph);
/// The node of a clone that was copied from this one.
hipError_t hipGraphNodeFindInClone(hipGraphNode_t* pNode, hipGraphNode_t originalNode, hipGraph_t clonedGraph);
/// Makes a graph executable; hipErrorInvalidValue for a cycle, with the reason in the log buffer.
hipError_t hipGraphInstantiate(
    hipGraphExec_t* pGraphExec, hipGraph_t graph, hipGraphNode_t* pErrorNode, char* pLogBuffer, size_t bufferSize);
/// The same with flags (hipGraphInstantiateFlags); launches by kernels are not supported.
hipError_t hipGraphInstantiateWithFlags(hipGraphExec_t* pGraphExec, hipGraph_t graph, unsigned long long flags);
/// The same with the flags, the upload stream and the outcome in a structure.
hipError_t hipGraphInstantiateWithParams(
    hipGraphExec_t* pGraphExec, hipGraph_t graph, hipGraphInstantiateParams* instantiateParams);
/// Runs an executable graph in stream order; launches of the same one follow each other. In a capture it becomes a child
/// graph node.
hipError_t hipGraphLaunch(hipGraphExec_t graphExec, hipStream_t stream);
/// Makes now what the first launch on this stream would have to make.
hipError_t hipGraphUpload(hipGraphExec_t graphExec, hipStream_t stream);
/// Adds a node of the type that the parameter structure names.
hipError_t hipGraphAddNode(
    hipGraphNode_t* pGraphNode, hipGraph_t graph, const hipGraphNode_t* pDependencies, size_t numDependencies,
    hipGraphNodeParams* nodeParams);
/// The flags of the instantiation.
hipError_t hipGraphExecGetFlags(hipGraphExec_t graphExec, unsigned long long* flags);
/// New parameters for a node; their type must be the node's.
hipError_t hipGraphNodeSetParams(hipGraphNode_t node, hipGraphNodeParams* nodeParams);
/// The same for the next launches of an executable graph.
hipError_t hipGraphExecNodeSetParams(hipGraphExec_t graphExec, hipGraphNode_t node, hipGraphNodeParams* nodeParams);
/// Destroys an executable graph; launches under way complete.
hipError_t hipGraphExecDestroy(hipGraphExec_t graphExec);
/// Takes the parameters of a graph of the same shape; hipErrorGraphExecUpdateFailure, with the reason and the node.
hipError_t hipGraphExecUpdate(
    hipGraphExec_t hGraphExec, hipGraph_t hGraph, hipGraphNode_t* hErrorNode_out, hipGraphExecUpdateResult*
    updateResult_out);
/// Adds a kernel launch; the arguments are copied.
hipError_t hipGraphAddKernelNode(
    hipGraphNode_t* pGraphNode, hipGraph_t graph, const hipGraphNode_t* pDependencies, size_t numDependencies, const
    hipKernelNodeParams* pNodeParams);
/// Parameters of a kernel node; the arrays are the node's own, until it gets others.
hipError_t hipGraphKernelNodeGetParams(hipGraphNode_t node, hipKernelNodeParams* pNodeParams);
/// New parameters for a kernel node.
hipError_t hipGraphKernelNodeSetParams(hipGraphNode_t node, const hipKernelNodeParams* pNodeParams);
/// New parameters for the next launches of an executable graph.
hipError_t hipGraphExecKernelNodeSetParams(
    hipGraphExec_t hGraphExec, hipGraphNode_t node, const hipKernelNodeParams* pNodeParams);
/// Adds a copy, described as for hipDrvMemcpy3D.
hipError_t hipDrvGraphAddMemcpyNode(
    hipGraphNode_t* phGraphNode, hipGraph_t hGraph, const hipGraphNode_t* dependencies, size_t numDependencies,
    const HIP_MEMCPY3D* copyParams, hipCtx_t ctx);
/// Adds a copy, described as for hipMemcpy3D.
hipError_t hipGraphAddMemcpyNode(
    hipGraphNode_t* pGraphNode, hipGraph_t graph, const hipGraphNode_t* pDependencies, size_t numDependencies, const
    hipMemcpy3DParms* pCopyParams);
/// Parameters of a copy node.
hipError_t hipGraphMemcpyNodeGetParams(hipGraphNode_t node, hipMemcpy3DParms* pNodeParams);
/// New parameters for a copy node.
hipError_t hipGraphMemcpyNodeSetParams(hipGraphNode_t node, const hipMemcpy3DParms* pNodeParams);
/// Sets a launch attribute of a kernel node.
hipError_t hipGraphKernelNodeSetAttribute(
    hipGraphNode_t hNode, hipLaunchAttributeID attr, const hipLaunchAttributeValue* value);
/// A launch attribute of a kernel node.
hipError_t hipGraphKernelNodeGetAttribute(
    hipGraphNode_t hNode, hipLaunchAttributeID attr, hipLaunchAttributeValue* value);
/// New parameters for the next launches; between host and device memory a copy can't change.
hipError_t hipGraphExecMemcpyNodeSetParams(
    hipGraphExec_t hGraphExec, hipGraphNode_t node, hipMemcpy3DParms* pNodeParams);
/// Adds a copy of bytes.
hipError_t hipGraphAddMemcpyNode1D(
    hipGraphNode_t* pGraphNode, hipGraph_t graph, const hipGraphNode_t* pDependencies, size_t numDependencies, void*
    dst, const void* src, size_t count, hipMemcpyKind kind);
/// New parameters for a copy node.
hipError_t hipGraphMemcpyNodeSetParams1D(
    hipGraphNode_t node, void* dst, const void* src, size_t count, hipMemcpyKind kind);
/// New parameters for the next launches.
hipError_t hipGraphExecMemcpyNodeSetParams1D(
    hipGraphExec_t hGraphExec, hipGraphNode_t node, void* dst, const void* src, size_t count, hipMemcpyKind kind);
/// Adds a copy from a device variable.
hipError_t hipGraphAddMemcpyNodeFromSymbol(
    hipGraphNode_t* pGraphNode, hipGraph_t graph, const hipGraphNode_t* pDependencies, size_t numDependencies, void*
    dst, const void* symbol, size_t count, size_t offset, hipMemcpyKind kind);
/// Makes a copy node copy from a device variable.
hipError_t hipGraphMemcpyNodeSetParamsFromSymbol(
    hipGraphNode_t node, void* dst, const void* symbol, size_t count, size_t offset, hipMemcpyKind kind);
/// The same for the next launches.
hipError_t hipGraphExecMemcpyNodeSetParamsFromSymbol(
    hipGraphExec_t hGraphExec, hipGraphNode_t node, void* dst, const void* symbol, size_t count, size_t offset,
    hipMemcpyKind kind);
/// Adds a copy to a device variable.
hipError_t hipGraphAddMemcpyNodeToSymbol(
    hipGraphNode_t* pGraphNode, hipGraph_t graph, const hipGraphNode_t* pDependencies, size_t numDependencies, const
    void* symbol, const void* src, size_t count, size_t offset, hipMemcpyKind kind);
/// Makes a copy node copy to a device variable.
hipError_t hipGraphMemcpyNodeSetParamsToSymbol(
    hipGraphNode_t node, const void* symbol, const void* src, size_t count, size_t offset, hipMemcpyKind kind);
/// The same for the next launches.
hipError_t hipGraphExecMemcpyNodeSetParamsToSymbol(
    hipGraphExec_t hGraphExec, hipGraphNode_t node, const void* symbol, const void* src, size_t count, size_t
    offset, hipMemcpyKind kind);
/// Adds a fill: rows of `width` elements of 1, 2 or 4 bytes, `pitch` bytes apart.
hipError_t hipGraphAddMemsetNode(
    hipGraphNode_t* pGraphNode, hipGraph_t graph, const hipGraphNode_t* pDependencies, size_t numDependencies, const
    hipMemsetParams* pMemsetParams);
/// Parameters of a fill node.
hipError_t hipGraphMemsetNodeGetParams(hipGraphNode_t node, hipMemsetParams* pNodeParams);
/// New parameters for a fill node.
hipError_t hipGraphMemsetNodeSetParams(hipGraphNode_t node, const hipMemsetParams* pNodeParams);
/// New parameters for the next launches.
hipError_t hipGraphExecMemsetNodeSetParams(
    hipGraphExec_t hGraphExec, hipGraphNode_t node, const hipMemsetParams* pNodeParams);
/// Adds a call of a host function.
hipError_t hipGraphAddHostNode(
    hipGraphNode_t* pGraphNode, hipGraph_t graph, const hipGraphNode_t* pDependencies, size_t numDependencies, const
    hipHostNodeParams* pNodeParams);
/// Function and argument of a host node.
hipError_t hipGraphHostNodeGetParams(hipGraphNode_t node, hipHostNodeParams* pNodeParams);
/// Another function for a host node.
hipError_t hipGraphHostNodeSetParams(hipGraphNode_t node, const hipHostNodeParams* pNodeParams);
/// Another function for the next launches.
hipError_t hipGraphExecHostNodeSetParams(
    hipGraphExec_t hGraphExec, hipGraphNode_t node, const hipHostNodeParams* pNodeParams);
/// Adds a copy of a graph as one node.
hipError_t hipGraphAddChildGraphNode(
    hipGraphNode_t* pGraphNode, hipGraph_t graph, const hipGraphNode_t* pDependencies, size_t numDependencies,
    hipGraph_t childGraph);
/// The copy that a child graph node owns.
hipError_t hipGraphChildGraphNodeGetGraph(hipGraphNode_t node, hipGraph_t* pGraph);
/// Takes the parameters of a graph of the same shape for a child graph.
hipError_t hipGraphExecChildGraphNodeSetParams(hipGraphExec_t hGraphExec, hipGraphNode_t node, hipGraph_t childGraph);
/// Adds a node that does nothing: it joins others.
hipError_t hipGraphAddEmptyNode(
    hipGraphNode_t* pGraphNode, hipGraph_t graph, const hipGraphNode_t* pDependencies, size_t numDependencies);
/// Adds the record of an event.
hipError_t hipGraphAddEventRecordNode(
    hipGraphNode_t* pGraphNode, hipGraph_t graph, const hipGraphNode_t* pDependencies, size_t numDependencies,
    hipEvent_t event);
/// The event of a record node.
hipError_t hipGraphEventRecordNodeGetEvent(hipGraphNode_t node, hipEvent_t* event_out);
/// Another event for a record node.
hipError_t hipGraphEventRecordNodeSetEvent(hipGraphNode_t node, hipEvent_t event);
/// Another event for the next launches.
hipError_t hipGraphExecEventRecordNodeSetEvent(hipGraphExec_t hGraphExec, hipGraphNode_t hNode, hipEvent_t event);
/// Adds a wait for what the event stands for at the launch.
hipError_t hipGraphAddEventWaitNode(
    hipGraphNode_t* pGraphNode, hipGraph_t graph, const hipGraphNode_t* pDependencies, size_t numDependencies,
    hipEvent_t event);
/// The event of a wait node.
hipError_t hipGraphEventWaitNodeGetEvent(hipGraphNode_t node, hipEvent_t* event_out);
/// Another event for a wait node.
hipError_t hipGraphEventWaitNodeSetEvent(hipGraphNode_t node, hipEvent_t event);
/// Another event for the next launches.
hipError_t hipGraphExecEventWaitNodeSetEvent(hipGraphExec_t hGraphExec, hipGraphNode_t hNode, hipEvent_t event);
/// Adds an allocation of device memory; its address, the same at each launch, comes back in the parameters.
hipError_t hipGraphAddMemAllocNode(
    hipGraphNode_t* pGraphNode, hipGraph_t graph, const hipGraphNode_t* pDependencies, size_t numDependencies,
    hipMemAllocNodeParams* pNodeParams);
/// Parameters of an allocation node.
hipError_t hipGraphMemAllocNodeGetParams(hipGraphNode_t node, hipMemAllocNodeParams* pNodeParams);
/// Adds the end of memory of an allocation node.
hipError_t hipGraphAddMemFreeNode(
    hipGraphNode_t* pGraphNode, hipGraph_t graph, const hipGraphNode_t* pDependencies, size_t numDependencies, void*
    dev_ptr);
/// The address that a free node frees, stored through the pointer.
hipError_t hipGraphMemFreeNodeGetParams(hipGraphNode_t node, void* dev_ptr);
/// Bytes of graph memory in use or reserved, now or at most.
hipError_t hipDeviceGetGraphMemAttribute(int device, hipGraphMemAttributeType attr, void* value);
/// Sets one of the highest amounts back; the value must be 0.
hipError_t hipDeviceSetGraphMemAttribute(int device, hipGraphMemAttributeType attr, void* value);
/// Gives unused graph memory back. Nodes and executables hold what they have, so nothing is ever unused.
hipError_t hipDeviceGraphMemTrim(int device);
/// A resource with a reference count; `destroy` runs with the last reference. Flags: hipUserObjectNoDestructorSync.
hipError_t hipUserObjectCreate(
    hipUserObject_t* object_out, void* ptr, hipHostFn_t destroy, unsigned int initialRefcount, unsigned int flags);
/// Gives references back.
hipError_t hipUserObjectRelease(hipUserObject_t object, unsigned int count __dparm(1));
/// Takes more references.
hipError_t hipUserObjectRetain(hipUserObject_t object, unsigned int count __dparm(1));
/// The graph holds references: new ones, or with hipGraphUserObjectMove the caller's.
hipError_t hipGraphRetainUserObject(
    hipGraph_t graph, hipUserObject_t object, unsigned int count __dparm(1), unsigned int flags __dparm(0));
/// The graph gives references back.
hipError_t hipGraphReleaseUserObject(hipGraph_t graph, hipUserObject_t object, unsigned int count __dparm(1));
/// Writes a graph as text for Graphviz; hipGraphDebugDotFlags say how much of the parameters.
hipError_t hipGraphDebugDotPrint(hipGraph_t graph, const char* path, unsigned int flags);
/// Copies the launch attributes of a kernel node to another.
hipError_t hipGraphKernelNodeCopyAttributes(hipGraphNode_t hSrc, hipGraphNode_t hDst);
/// Switches a kernel, copy or fill node of an executable graph off or on.
hipError_t hipGraphNodeSetEnabled(hipGraphExec_t hGraphExec, hipGraphNode_t hNode, unsigned int isEnabled);
/// Whether a node is on.
hipError_t hipGraphNodeGetEnabled(hipGraphExec_t hGraphExec, hipGraphNode_t hNode, unsigned int* isEnabled);
hipError_t hipGraphAddExternalSemaphoresWaitNode(
    hipGraphNode_t* pGraphNode, hipGraph_t graph, const hipGraphNode_t* pDependencies, size_t numDependencies, const
    hipExternalSemaphoreWaitNodeParams* nodeParams);
hipError_t hipGraphAddExternalSemaphoresSignalNode(
    hipGraphNode_t* pGraphNode, hipGraph_t graph, const hipGraphNode_t* pDependencies, size_t numDependencies, const
    hipExternalSemaphoreSignalNodeParams* nodeParams);
hipError_t hipGraphExternalSemaphoresSignalNodeSetParams(
    hipGraphNode_t hNode, const hipExternalSemaphoreSignalNodeParams* nodeParams);
hipError_t hipGraphExternalSemaphoresWaitNodeSetParams(
    hipGraphNode_t hNode, const hipExternalSemaphoreWaitNodeParams* nodeParams);
hipError_t hipGraphExternalSemaphoresSignalNodeGetParams(
    hipGraphNode_t hNode, hipExternalSemaphoreSignalNodeParams* params_out);
hipError_t hipGraphExternalSemaphoresWaitNodeGetParams(
    hipGraphNode_t hNode, hipExternalSemaphoreWaitNodeParams* params_out);
hipError_t hipGraphExecExternalSemaphoresSignalNodeSetParams(
    hipGraphExec_t hGraphExec, hipGraphNode_t hNode, const hipExternalSemaphoreSignalNodeParams* nodeParams);
hipError_t hipGraphExecExternalSemaphoresWaitNodeSetParams(
    hipGraphExec_t hGraphExec, hipGraphNode_t hNode, const hipExternalSemaphoreWaitNodeParams* nodeParams);
/// Parameters of a copy node in the form of hipDrvMemcpy3D.
hipError_t hipDrvGraphMemcpyNodeGetParams(hipGraphNode_t hNode, HIP_MEMCPY3D* nodeParams);
/// New parameters for a copy node.
hipError_t hipDrvGraphMemcpyNodeSetParams(hipGraphNode_t hNode, const HIP_MEMCPY3D* nodeParams);
/// Adds a fill.
hipError_t hipDrvGraphAddMemsetNode(
    hipGraphNode_t* phGraphNode, hipGraph_t hGraph, const hipGraphNode_t* dependencies, size_t numDependencies,
    const hipMemsetParams* memsetParams, hipCtx_t ctx);
/// Adds the end of memory of an allocation node.
hipError_t hipDrvGraphAddMemFreeNode(
    hipGraphNode_t* phGraphNode, hipGraph_t hGraph, const hipGraphNode_t* dependencies, size_t numDependencies,
    hipDeviceptr_t dptr);
/// New parameters for the next launches.
hipError_t hipDrvGraphExecMemcpyNodeSetParams(
    hipGraphExec_t hGraphExec, hipGraphNode_t hNode, const HIP_MEMCPY3D* copyParams, hipCtx_t ctx);
/// New parameters for the next launches.
hipError_t hipDrvGraphExecMemsetNodeSetParams(
    hipGraphExec_t hGraphExec, hipGraphNode_t hNode, const hipMemsetParams* memsetParams, hipCtx_t ctx);
/// Gives back a range of reserved addresses in which nothing is mapped.
hipError_t hipMemAddressFree(void* devPtr, size_t size);
/// Reserves a range of addresses for hipMemMap; sizes are multiples of the granularity.
hipError_t hipMemAddressReserve(void** ptr, size_t size, size_t alignment, void* addr, unsigned long long flags);
/// Allocates physical memory of a device, which has no address yet.
hipError_t hipMemCreate(
    hipMemGenericAllocationHandle_t* handle, size_t size, const hipMemAllocationProp* prop, unsigned long long flags);
/// Makes a file descriptor for physical memory that another process can import.
hipError_t hipMemExportToShareableHandle(
    void* shareableHandle, hipMemGenericAllocationHandle_t handle, hipMemAllocationHandleType handleType, unsigned
    long long flags);
/// What a location may do with mapped memory.
hipError_t hipMemGetAccess(unsigned long long* flags, const hipMemLocation* location, void* ptr);
/// Smallest or recommended unit of sizes of physical memory, in bytes.
hipError_t hipMemGetAllocationGranularity(
    size_t* granularity, const hipMemAllocationProp* prop, hipMemAllocationGranularity_flags option);
/// Properties that physical memory was created with.
hipError_t hipMemGetAllocationPropertiesFromHandle(hipMemAllocationProp* prop, hipMemGenericAllocationHandle_t handle);
/// Opens physical memory that was exported as a file descriptor.
hipError_t hipMemImportFromShareableHandle(
    hipMemGenericAllocationHandle_t* handle, void* osHandle, hipMemAllocationHandleType shHandleType);
/// Puts physical memory at reserved addresses; nobody may use it before hipMemSetAccess.
hipError_t hipMemMap(
    void* ptr, size_t size, size_t offset, hipMemGenericAllocationHandle_t handle, unsigned long long flags);
hipError_t hipMemMapArrayAsync(hipArrayMapInfo* mapInfoList, unsigned int count, hipStream_t stream);
/// Drops a reference to physical memory; mapped memory stays until it is unmapped.
hipError_t hipMemRelease(hipMemGenericAllocationHandle_t handle);
/// The physical memory behind a mapped address, with one more reference.
hipError_t hipMemRetainAllocationHandle(hipMemGenericAllocationHandle_t* handle, void* addr);
/// Says what devices may do with a range of mapped memory.
hipError_t hipMemSetAccess(void* ptr, size_t size, const hipMemAccessDesc* desc, size_t count);
/// Takes physical memory away from its addresses.
hipError_t hipMemUnmap(void* ptr, size_t size);

#ifdef __cplusplus
}
#endif
#endif
