// The C prototypes that the rows are checked against, without the C++ conveniences and without the macros that redirect
// names for programs. Included by the files that expand api/hip_*.def.
#pragma once
#include <hip/hip_deprecated.h>
#include <hip/host/device.h>
#include <hip/host/graph.h>
#include <hip/host/memory.h>
#include <hip/host/module.h>
#include <hip/host/per_thread.h>
#include <hip/host/stream.h>
#include <hip/host/texture.h>

#include <hip/host/gl_interop.h>

// The library has symbols of these names for programs built before HIP 6.
#undef hipChooseDevice
#undef hipGetDeviceProperties
