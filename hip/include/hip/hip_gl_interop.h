// OpenGL interoperation, under the name that programs include.
#ifndef BZ_HIP_HIP_GL_INTEROP_H
#define BZ_HIP_HIP_GL_INTEROP_H

#include <hip/hip_runtime_api.h>
#include <hip/host/gl_interop.h>

#endif
