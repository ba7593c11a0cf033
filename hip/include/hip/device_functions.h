// Device functions by the name that CUDA programs include.
#ifndef BZ_HIP_DEVICE_FUNCTIONS_H
#define BZ_HIP_DEVICE_FUNCTIONS_H
#include <hip/amd_detail/amd_device_functions.h>
#endif
