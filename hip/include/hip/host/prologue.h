// Types and macros that every prototype of the HIP API needs. Declares no function.
#ifndef BZ_HIP_HOST_PROLOGUE_H
#define BZ_HIP_HOST_PROLOGUE_H

#include <limits.h>
#include <stddef.h>
#include <stdint.h>

#include <hip/hip_common.h>
#include <hip/hip_version.h>
#include <hip/host/error_codes.h>
#include <hip/host/flags.h>
#include <hip/host/handles.h>
#include <hip/driver_types.h>
#include <hip/linker_types.h>
#include <hip/surface_types.h>
#include <hip/texture_types.h>
#include <hip/host/attributes.h>
#include <hip/host/device_prop.h>
#include <hip/host/memory_types.h>
#include <hip/host/graph_types.h>

#ifdef __cplusplus
#define __dparm(x) = x
#else
#define __dparm(x)
#endif

#if defined(__GNUC__) || defined(__clang__)
#define HIP_DEPRECATED(msg) __attribute__((deprecated(msg)))
#else
#define HIP_DEPRECATED(msg)
#endif

#endif
