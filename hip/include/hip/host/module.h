// Contexts, modules, libraries, launches, occupancy. A prototype without a description is not implemented yet.
#ifndef BZ_HIP_HOST_MODULE_H
#define BZ_HIP_HOST_MODULE_H

#include <hip/host/prologue.h>

#ifdef __cplusplus
extern "C" {
#endif

/// A context that stands for the device; it becomes current. HIP has one context per device.
HIP_DEPRECATED("deprecated since HIP 6 or earlier")
hipError_t hipCtxCreate(hipCtx_t* ctx, unsigned int flags, hipDevice_t device);
/// Drops a context.
HIP_DEPRECATED("deprecated since HIP 6 or earlier")
hipError_t hipCtxDestroy(hipCtx_t ctx);
/// Takes the current context from the thread's stack.
HIP_DEPRECATED("deprecated since HIP 6 or earlier")
hipError_t hipCtxPopCurrent(hipCtx_t* ctx);
/// Makes a context current and remembers the one before.
HIP_DEPRECATED("deprecated since HIP 6 or earlier")
hipError_t hipCtxPushCurrent(hipCtx_t ctx);
/// Makes a context current.
HIP_DEPRECATED("deprecated since HIP 6 or earlier")
hipError_t hipCtxSetCurrent(hipCtx_t ctx);
/// The thread's current context.
HIP_DEPRECATED("deprecated since HIP 6 or earlier")
hipError_t hipCtxGetCurrent(hipCtx_t* ctx);
/// The device of the current context.
HIP_DEPRECATED("deprecated since HIP 6 or earlier")
hipError_t hipCtxGetDevice(hipDevice_t* device);
/// Version of the context's API.
HIP_DEPRECATED("deprecated since HIP 6 or earlier")
hipError_t hipCtxGetApiVersion(hipCtx_t ctx, unsigned int* apiVersion);
/// Always hipFuncCachePreferNone.
HIP_DEPRECATED("deprecated since HIP 6 or earlier")
hipError_t hipCtxGetCacheConfig(hipFuncCache_t* cacheConfig);
/// Accepts a cache preference; has no effect on AMD hardware.
HIP_DEPRECATED("deprecated since HIP 6 or earlier")
hipError_t hipCtxSetCacheConfig(hipFuncCache_t cacheConfig);
/// Accepts a bank size; has no effect on AMD hardware.
HIP_DEPRECATED("deprecated since HIP 6 or earlier")
hipError_t hipCtxSetSharedMemConfig(hipSharedMemConfig config);
/// Always hipSharedMemBankSizeFourByte.
HIP_DEPRECATED("deprecated since HIP 6 or earlier")
hipError_t hipCtxGetSharedMemConfig(hipSharedMemConfig* pConfig);
/// Waits until all work of the current context's device is done.
HIP_DEPRECATED("deprecated since HIP 6 or earlier")
hipError_t hipCtxSynchronize(void);
/// Flags of the current context.
HIP_DEPRECATED("deprecated since HIP 6 or earlier")
hipError_t hipCtxGetFlags(unsigned int* flags);
/// hipDeviceEnablePeerAccess for the device of a context.
HIP_DEPRECATED("deprecated since HIP 6 or earlier")
hipError_t hipCtxEnablePeerAccess(hipCtx_t peerCtx, unsigned int flags);
/// hipDeviceDisablePeerAccess for the device of a context.
HIP_DEPRECATED("deprecated since HIP 6 or earlier")
hipError_t hipCtxDisablePeerAccess(hipCtx_t peerCtx);
/// Flags of the device's primary context and whether it is in use.
HIP_DEPRECATED("deprecated since HIP 6 or earlier")
hipError_t hipDevicePrimaryCtxGetState(hipDevice_t dev, unsigned int* flags, int* active);
/// Drops a reference to the primary context.
HIP_DEPRECATED("deprecated since HIP 6 or earlier")
hipError_t hipDevicePrimaryCtxRelease(hipDevice_t dev);
/// The primary context of a device.
HIP_DEPRECATED("deprecated since HIP 6 or earlier")
hipError_t hipDevicePrimaryCtxRetain(hipCtx_t* pctx, hipDevice_t dev);
/// Resets the primary context: see hipDeviceReset.
HIP_DEPRECATED("deprecated since HIP 6 or earlier")
hipError_t hipDevicePrimaryCtxReset(hipDevice_t dev);
/// Sets the flags of the primary context.
HIP_DEPRECATED("deprecated since HIP 6 or earlier")
hipError_t hipDevicePrimaryCtxSetFlags(hipDevice_t dev, unsigned int flags);
/// Loads the code that fits the current device from a fat binary in memory.
hipError_t hipModuleLoadFatBinary(hipModule_t* module, const void* fatbin);
/// Loads the code that fits the current device from a file.
hipError_t hipModuleLoad(hipModule_t* module, const char* fname);
/// Unloads a module; waits for its kernels.
hipError_t hipModuleUnload(hipModule_t module);
/// A kernel of a module by name.
hipError_t hipModuleGetFunction(hipFunction_t* function, hipModule_t module, const char* kname);
/// Number of kernels in a module.
hipError_t hipModuleGetFunctionCount(unsigned int* count, hipModule_t mod);
/// Loads the code that fits the current device from memory; options about compilation have no effect.
hipError_t hipLibraryLoadData(
    hipLibrary_t* library, const void* code, hipJitOption** jitOptions, void** jitOptionsValues, unsigned int
    numJitOptions, hipLibraryOption** libraryOptions, void** libraryOptionValues, unsigned int numLibraryOptions);
/// Loads the code that fits the current device from a file; options about compilation have no effect.
hipError_t hipLibraryLoadFromFile(
    hipLibrary_t* library, const char* fileName, hipJitOption** jitOptions, void** jitOptionsValues, unsigned int
    numJitOptions, hipLibraryOption** libraryOptions, void** libraryOptionValues, unsigned int numLibraryOptions);
/// Unloads a library; waits for its kernels.
hipError_t hipLibraryUnload(hipLibrary_t library);
/// A kernel of a library by name; it can be launched as a hipFunction_t.
hipError_t hipLibraryGetKernel(hipKernel_t* pKernel, hipLibrary_t library, const char* name);
/// Number of kernels in a library.
hipError_t hipLibraryGetKernelCount(unsigned int* count, hipLibrary_t library);
/// Registers, memory and limits of a kernel.
hipError_t hipFuncGetAttributes(struct hipFuncAttributes* attr, const void* func);
/// One fact of a kernel.
hipError_t hipFuncGetAttribute(int* value, hipFunction_attribute attrib, hipFunction_t hfunc);
/// The function handle of a __global__ function.
hipError_t hipGetFuncBySymbol(hipFunction_t* functionPtr, const void* symbolPtr);
/// Address of an API function by name.
hipError_t hipGetDriverEntryPoint(
    const char* symbol, void** funcPtr, unsigned long long flags, hipDriverEntryPointQueryResult* driverStatus);
hipError_t hipModuleGetTexRef(textureReference** texRef, hipModule_t hmod, const char* name);
/// Loads the code that fits the current device from memory.
hipError_t hipModuleLoadData(hipModule_t* module, const void* image);
/// Loads code from memory; options that concern compilation have no effect on machine code.
hipError_t hipModuleLoadDataEx(
    hipModule_t* module, const void* image, unsigned int numOptions, hipJitOption* options, void** optionValues);
/// Adds bitcode, a bundle or archive of bitcode, or AMDGPU object files from memory to a link.
hipError_t hipLinkAddData(
    hipLinkState_t state, hipJitInputType type, void* data, size_t size, const char* name, unsigned int numOptions,
    hipJitOption* options, void** optionValues);
/// Adds a file to a link.
hipError_t hipLinkAddFile(
    hipLinkState_t state, hipJitInputType type, const char* path, unsigned int numOptions, hipJitOption* options,
    void** optionValues);
/// Links for the current device; the code object belongs to the link and lives as long.
hipError_t hipLinkComplete(hipLinkState_t state, void** hipBinOut, size_t* sizeOut);
/// Begins a link of device code; log buffers among the options are filled by hipLinkComplete.
hipError_t hipLinkCreate(unsigned int numOptions, hipJitOption* options, void** optionValues, hipLinkState_t* stateOut);
/// Ends a link and its code object.
hipError_t hipLinkDestroy(hipLinkState_t state);
/// Launches a kernel of a module; arguments as pointers or as one packed buffer.
hipError_t hipModuleLaunchKernel(
    hipFunction_t f, unsigned int gridDimX, unsigned int gridDimY, unsigned int gridDimZ, unsigned int blockDimX,
    unsigned int blockDimY, unsigned int blockDimZ, unsigned int sharedMemBytes, hipStream_t stream, void**
    kernelParams, void** extra);
/// Launches a kernel whose blocks may wait for each other; all of them must fit the device at once.
hipError_t hipModuleLaunchCooperativeKernel(
    hipFunction_t f, unsigned int gridDimX, unsigned int gridDimY, unsigned int gridDimZ, unsigned int blockDimX,
    unsigned int blockDimY, unsigned int blockDimZ, unsigned int sharedMemBytes, hipStream_t stream, void**
    kernelParams);
/// Cooperative launch of functions of modules over several devices.
hipError_t hipModuleLaunchCooperativeKernelMultiDevice(
    hipFunctionLaunchParams* launchParamsList, unsigned int numDevices, unsigned int flags);
/// Launches a kernel whose blocks may wait for each other; all of them must fit the device at once.
hipError_t hipLaunchCooperativeKernel(
    const void* f, dim3 gridDim, dim3 blockDimX, void** kernelParams, unsigned int sharedMemBytes, hipStream_t
    stream);
/// Cooperative launch over several devices, whose grids can wait for each other.
hipError_t hipLaunchCooperativeKernelMultiDevice(hipLaunchParams* launchParamsList, int numDevices, unsigned int flags);
/// Launches one kernel on each of several devices, with all streams waiting for each other as the flags say.
hipError_t hipExtLaunchMultiKernelMultiDevice(hipLaunchParams* launchParamsList, int numDevices, unsigned int flags);
/// Launches a kernel with attributes.
hipError_t hipLaunchKernelExC(const hipLaunchConfig_t* config, const void* fPtr, void** args);
/// Launches a kernel of a module with attributes.
hipError_t hipDrvLaunchKernelEx(const HIP_LAUNCH_CONFIG* config, hipFunction_t f, void** params, void** extra);
/// Exports a range of device memory as a dma-buf descriptor.
hipError_t hipMemGetHandleForAddressRange(
    void* handle, hipDeviceptr_t dptr, size_t size, hipMemRangeHandleType handleType, unsigned long long flags);
/// Block size that fills the device best.
hipError_t hipModuleOccupancyMaxPotentialBlockSize(
    int* gridSize, int* blockSize, hipFunction_t f, size_t dynSharedMemPerBlk, int blockSizeLimit);
/// Block size that fills the device best.
hipError_t hipModuleOccupancyMaxPotentialBlockSizeWithFlags(
    int* gridSize, int* blockSize, hipFunction_t f, size_t dynSharedMemPerBlk, int blockSizeLimit, unsigned int
    flags);
/// Blocks of a kernel that fit a compute unit at once.
hipError_t hipModuleOccupancyMaxActiveBlocksPerMultiprocessor(
    int* numBlocks, hipFunction_t f, int blockSize, size_t dynSharedMemPerBlk);
/// Blocks of a kernel that fit a compute unit at once.
hipError_t hipModuleOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(
    int* numBlocks, hipFunction_t f, int blockSize, size_t dynSharedMemPerBlk, unsigned int flags);
/// Blocks of a kernel that fit a compute unit at once.
hipError_t hipOccupancyMaxActiveBlocksPerMultiprocessor(
    int* numBlocks, const void* f, int blockSize, size_t dynSharedMemPerBlk);
/// Blocks of a kernel that fit a compute unit at once.
hipError_t hipOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(
    int* numBlocks, const void* f, int blockSize, size_t dynSharedMemPerBlk, unsigned int flags
    __dparm(hipOccupancyDefault));
/// Block size that fills the device best.
hipError_t hipOccupancyMaxPotentialBlockSize(
    int* gridSize, int* blockSize, const void* f, size_t dynSharedMemPerBlk, int blockSizeLimit);
/// Deprecated: hipErrorNotSupported, as ROCm documents.
HIP_DEPRECATED("deprecated since HIP 6 or earlier")
hipError_t hipProfilerStart(void);
/// Deprecated: hipErrorNotSupported, as ROCm documents.
HIP_DEPRECATED("deprecated since HIP 6 or earlier")
hipError_t hipProfilerStop(void);
/// Old launch protocol, step 1: grid, block, shared memory and stream of the next launch.
hipError_t hipConfigureCall(dim3 gridDim, dim3 blockDim, size_t sharedMem __dparm(0), hipStream_t stream __dparm(0));
/// Old launch protocol, step 2: one argument.
hipError_t hipSetupArgument(const void* arg, size_t size, size_t offset);
/// Old launch protocol, step 3: launches the kernel.
hipError_t hipLaunchByPtr(const void* func);
/// Keeps the configuration of a <<<>>> launch; called by compiled code.
hipError_t __hipPushCallConfiguration(
    dim3 gridDim, dim3 blockDim, size_t sharedMem __dparm(0), hipStream_t stream __dparm(0));
/// Takes the configuration of a <<<>>> launch; called by compiled code.
hipError_t __hipPopCallConfiguration(dim3* gridDim, dim3* blockDim, size_t* sharedMem, hipStream_t* stream);
/// Launches a kernel by the address of its host stub.
hipError_t hipLaunchKernel(
    const void* function_address, dim3 numBlocks, dim3 dimBlocks, void** args, size_t sharedMemBytes __dparm(0),
    hipStream_t stream __dparm(0));
/// Calls a host function once the work given so far is done; later work waits for it.
hipError_t hipLaunchHostFunc(hipStream_t stream, hipHostFn_t fn, void* userData);
/// Copies a rectangle that a structure describes, with any alignment.
hipError_t hipDrvMemcpy2DUnaligned(const hip_Memcpy2D* pCopy);
/// Launches a kernel between two events.
hipError_t hipExtLaunchKernel(
    const void* function_address, dim3 numBlocks, dim3 dimBlocks, void** args, size_t sharedMemBytes, hipStream_t
    stream, hipEvent_t startEvent, hipEvent_t stopEvent, int flags);

#ifdef __cplusplus
}
#endif
#endif
