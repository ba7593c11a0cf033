// OpenGL interoperation. A prototype without a description is not implemented yet.
#ifndef BZ_HIP_HOST_GL_INTEROP_H
#define BZ_HIP_HOST_GL_INTEROP_H

#include <hip/host/prologue.h>

typedef unsigned int GLuint;
typedef unsigned int GLenum;

typedef enum hipGLDeviceList {
  hipGLDeviceListAll = 1,
  hipGLDeviceListCurrentFrame = 2,
  hipGLDeviceListNextFrame = 3,
} hipGLDeviceList;

#ifdef __cplusplus
extern "C" {
#endif
hipError_t hipGLGetDevices(unsigned int* pHipDeviceCount, int* pHipDevices, unsigned int hipDeviceCount,
                           hipGLDeviceList deviceList);
hipError_t hipGraphicsGLRegisterBuffer(hipGraphicsResource** resource, GLuint buffer, unsigned int flags);
hipError_t hipGraphicsGLRegisterImage(hipGraphicsResource** resource, GLuint image, GLenum target, unsigned int flags);
#ifdef __cplusplus
}
#endif

#endif
