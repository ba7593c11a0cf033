// The host API of HIP 7.1, for C and C++: everything a program can call without device code.
// Device functions and kernel launch syntax come with <hip/hip_runtime.h>, which includes this file.
#ifndef BZ_HIP_HIP_RUNTIME_API_H
#define BZ_HIP_HIP_RUNTIME_API_H

#include <hip/host/prologue.h>

// Programs that are compiled at run time have no host side: the types are enough.
#if !defined(__HIPCC_RTC__)
#include <hip/host/device.h>
#include <hip/host/stream.h>
#include <hip/host/memory.h>
#include <hip/host/module.h>
#include <hip/host/texture.h>
#include <hip/host/graph.h>
#include <hip/host/per_thread.h>
#ifdef __cplusplus
#include <hip/host/templates.h>
#endif
#endif

#endif
