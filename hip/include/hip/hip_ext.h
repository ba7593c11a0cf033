// AMD extensions of the host API: launches whose sizes are in threads and that record events around the kernel.
#ifndef BZ_HIP_HIP_EXT_H
#define BZ_HIP_HIP_EXT_H

#include <hip/hip_runtime_api.h>

#ifdef __cplusplus
extern "C" {
#endif
/// Launches a kernel of a module between two events; sizes are in threads, not in blocks.
hipError_t hipExtModuleLaunchKernel(hipFunction_t f, uint32_t globalWorkSizeX, uint32_t globalWorkSizeY,
                                    uint32_t globalWorkSizeZ, uint32_t localWorkSizeX, uint32_t localWorkSizeY,
                                    uint32_t localWorkSizeZ, size_t sharedMemBytes, hipStream_t hStream,
                                    void** kernelParams, void** extra, hipEvent_t startEvent __dparm(NULL),
                                    hipEvent_t stopEvent __dparm(NULL), uint32_t flags __dparm(0));
/// Like hipExtModuleLaunchKernel, the name before ROCm 3.
HIP_DEPRECATED("use hipExtModuleLaunchKernel instead")
hipError_t hipHccModuleLaunchKernel(hipFunction_t f, uint32_t globalWorkSizeX, uint32_t globalWorkSizeY,
                                    uint32_t globalWorkSizeZ, uint32_t localWorkSizeX, uint32_t localWorkSizeY,
                                    uint32_t localWorkSizeZ, size_t sharedMemBytes, hipStream_t hStream,
                                    void** kernelParams, void** extra, hipEvent_t startEvent __dparm(NULL),
                                    hipEvent_t stopEvent __dparm(NULL));
/// Allocates pinned host memory that kernels can use; the name that HIP 6.3 had for hipHostAlloc.
hipError_t hipExtHostAlloc(void** ptr, size_t size, unsigned int flags);
/// Dynamic shared memory that a block may use when numBlocks of blockSize threads share a compute unit (HIP 7.2).
hipError_t hipOccupancyAvailableDynamicSMemPerBlock(size_t* dynamicSmemSize, const void* f, int numBlocks,
                                                    int blockSize);
/// The kernels of a library, as many as there is room for (HIP 7.2).
hipError_t hipLibraryEnumerateKernels(hipKernel_t* kernels, unsigned int numKernels, hipLibrary_t library);
/// The library that a kernel belongs to (HIP 7.2).
hipError_t hipKernelGetLibrary(hipLibrary_t* library, hipKernel_t kernel);
/// Name of a kernel (HIP 7.2).
hipError_t hipKernelGetName(const char** name, hipKernel_t kernel);
#ifdef __cplusplus
}

/// Launches a __global__ function between two events; errors are found by hipGetLastError.
template <typename... Args, typename F = void (*)(Args...)>
inline void hipExtLaunchKernelGGL(F kernel, const dim3& numBlocks, const dim3& dimBlocks, uint32_t sharedMemBytes,
                                  hipStream_t stream, hipEvent_t startEvent, hipEvent_t stopEvent, uint32_t flags,
                                  Args... args) {
  (void)bz_hip_detail::launch_with_converted(
      kernel,
      [&](void** pointers) {
        return hipExtLaunchKernel(reinterpret_cast<const void*>(kernel), numBlocks, dimBlocks, pointers,
                                  sharedMemBytes, stream, startEvent, stopEvent, (int)flags);
      },
      args...);
}
#endif

#endif
