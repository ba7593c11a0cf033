// Devices, IPC handles, function settings and errors. A prototype without a description is not implemented yet.
#ifndef BZ_HIP_HOST_DEVICE_H
#define BZ_HIP_HOST_DEVICE_H

#include <hip/host/prologue.h>

#ifdef __cplusplus
extern "C" {
#endif

void __hipGetPCH(const char** pch, unsigned int* size);
/// Starts the runtime; flags must be 0. Other calls do it by themselves.
hipError_t hipInit(unsigned int flags);
/// Version of the driver interface, as HIP_VERSION.
hipError_t hipDriverGetVersion(int* driverVersion);
/// Version of this runtime, as HIP_VERSION.
hipError_t hipRuntimeGetVersion(int* runtimeVersion);
/// Handle of the device with this ordinal.
hipError_t hipDeviceGet(hipDevice_t* device, int ordinal);
/// Major and minor number of the device's architecture: gfx942 is 9.4.
hipError_t hipDeviceComputeCapability(int* major, int* minor, hipDevice_t device);
/// Marketing name of the device, at most len bytes with the terminating zero.
hipError_t hipDeviceGetName(char* name, int len, hipDevice_t device);
/// 16 bytes that identify the device.
hipError_t hipDeviceGetUuid(hipUUID* uuid, hipDevice_t device);
/// What two devices can do with each other's memory.
hipError_t hipDeviceGetP2PAttribute(int* value, hipDeviceP2PAttr attr, int srcDevice, int dstDevice);
/// "domain:bus:device.function" of the device.
hipError_t hipDeviceGetPCIBusId(char* pciBusId, int len, int device);
/// The device at this PCI place, hipErrorInvalidValue if there is none.
hipError_t hipDeviceGetByPCIBusId(int* device, const char* pciBusId);
/// Bytes of device memory.
hipError_t hipDeviceTotalMem(size_t* bytes, hipDevice_t device);
/// Waits until all work of the current device is done and its printf output is written.
hipError_t hipDeviceSynchronize(void);
/// Waits for the current device, then frees what this process allocated, created and loaded on it.
hipError_t hipDeviceReset(void);
/// Makes a device current for the calling thread.
hipError_t hipSetDevice(int deviceId);
/// Restricts the devices that a thread takes when it hasn't chosen one; length 0 restores the default.
hipError_t hipSetValidDevices(int* device_arr, int len);
/// The calling thread's current device.
hipError_t hipGetDevice(int* deviceId);
/// Number of devices, after HIP_VISIBLE_DEVICES and ROCR_VISIBLE_DEVICES; hipErrorNoDevice if 0.
hipError_t hipGetDeviceCount(int* count);
/// One number about a device, see hipDeviceAttribute_t.
hipError_t hipDeviceGetAttribute(int* pi, hipDeviceAttribute_t attr, int deviceId);
/// The pool that a device has from the start.
hipError_t hipDeviceGetDefaultMemPool(hipMemPool_t* mem_pool, int device);
/// Chooses the pool that hipMallocAsync takes from.
hipError_t hipDeviceSetMemPool(int device, hipMemPool_t mem_pool);
/// The pool that hipMallocAsync takes from.
hipError_t hipDeviceGetMemPool(hipMemPool_t* mem_pool, int device);
/// Everything about a device at once; programs write hipGetDeviceProperties.
hipError_t hipGetDevicePropertiesR0600(hipDeviceProp_tR0600* prop, int deviceId);
/// Largest number of elements of a linear 1D texture with this channel format.
hipError_t hipDeviceGetTexture1DLinearMaxWidth(size_t* max_width, const hipChannelFormatDesc* desc, int device);
/// Accepts a cache preference; AMD hardware has no such switch, so it has no effect.
hipError_t hipDeviceSetCacheConfig(hipFuncCache_t cacheConfig);
/// Always hipFuncCachePreferNone.
hipError_t hipDeviceGetCacheConfig(hipFuncCache_t* cacheConfig);
/// Value of a limit of the current device.
hipError_t hipDeviceGetLimit(size_t* pValue, enum hipLimit_t limit);
/// Sets the stack size of kernels with dynamic stacks, or the heap and printf sizes.
hipError_t hipDeviceSetLimit(enum hipLimit_t limit, size_t value);
/// Always hipSharedMemBankSizeFourByte.
hipError_t hipDeviceGetSharedMemConfig(hipSharedMemConfig* pConfig);
/// Flags that hipSetDeviceFlags set.
hipError_t hipGetDeviceFlags(unsigned int* flags);
/// Accepts a bank size; AMD hardware has no such switch, so it has no effect.
hipError_t hipDeviceSetSharedMemConfig(hipSharedMemConfig config);
/// How host threads wait for the current device.
hipError_t hipSetDeviceFlags(unsigned int flags);
/// The device that matches the given properties best; programs write hipChooseDevice.
hipError_t hipChooseDeviceR0600(int* device, const hipDeviceProp_tR0600* prop);
/// Kind of link and number of hops between two devices.
hipError_t hipExtGetLinkTypeAndHopCount(int device1, int device2, uint32_t* linktype, uint32_t* hopcount);
/// Names an allocation of device memory for other processes.
hipError_t hipIpcGetMemHandle(hipIpcMemHandle_t* handle, void* devPtr);
/// Maps another process's allocation; the same handle may be opened again and is counted.
hipError_t hipIpcOpenMemHandle(void** devPtr, hipIpcMemHandle_t handle, unsigned int flags);
/// Gives back memory that hipIpcOpenMemHandle opened.
hipError_t hipIpcCloseMemHandle(void* devPtr);
/// Names an event of hipEventInterprocess for other processes.
hipError_t hipIpcGetEventHandle(hipIpcEventHandle_t* handle, hipEvent_t event);
/// Opens another process's event.
hipError_t hipIpcOpenEventHandle(hipEvent_t* event, hipIpcEventHandle_t handle);
/// Sets the largest dynamic shared memory size or the preferred carve-out of a kernel.
hipError_t hipFuncSetAttribute(const void* func, hipFuncAttribute attr, int value);
/// Accepts a cache preference of a kernel; has no effect on AMD hardware.
hipError_t hipFuncSetCacheConfig(const void* func, hipFuncCache_t config);
/// Accepts a bank size of a kernel; has no effect on AMD hardware.
hipError_t hipFuncSetSharedMemConfig(const void* func, hipSharedMemConfig config);
/// The last error of this thread, and clears it.
hipError_t hipGetLastError(void);
/// The error of the last call of this thread, successful calls included.
hipError_t hipExtGetLastError(void);
/// The last error of this thread, without clearing it.
hipError_t hipPeekAtLastError(void);
/// Name of an error code, "hipErrorUnknown" for a code that doesn't exist.
const char* hipGetErrorName(hipError_t hip_error);
/// Text of an error code.
const char* hipGetErrorString(hipError_t hipError);
/// Name of an error code; hipErrorInvalidValue for a code that doesn't exist.
hipError_t hipDrvGetErrorName(hipError_t hipError, const char** errorString);
/// Text of an error code; hipErrorInvalidValue for a code that doesn't exist.
hipError_t hipDrvGetErrorString(hipError_t hipError, const char** errorString);

#ifdef __cplusplus
}
#endif
#endif
