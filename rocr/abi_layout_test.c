/* Layouts and values of the public headers against the published interface, at compile time, as C and as C++
 * (abi_layout_cpp_test.cpp includes this file). The numbers come from the ABI, not from our headers. */
#ifndef __cplusplus
#define static_assert _Static_assert
#endif
#define HSA_NO_DEPRECATION_WARNINGS
#include <hsa/amd_hsa_common.h>
#include <hsa/amd_hsa_kernel_code.h>
#include <hsa/amd_hsa_queue.h>
#include <hsa/amd_hsa_signal.h>
#include <hsa/hsa.h>
#include <hsa/hsa_amd_tool.h>
#include <hsa/hsa_ext_amd.h>
#include <hsa/hsa_ext_finalize.h>
#include <hsa/hsa_ext_image.h>
#include <hsa/hsa_ven_amd_loader.h>
#include <hsa/hsa_ven_amd_pc_sampling.h>

#define SIZE(type, bytes) static_assert(sizeof(type) == (bytes), #type)
#define FIELD(type, field, at, bytes) static_assert(offsetof(type, field) == (at) && sizeof(((type*)0)->field) == (bytes), #type "." #field)
#define VALUE(name, number) static_assert((long long)(name) == (number), #name)

#include "abi_layout_core.h"
#include "abi_layout_device.h"
#include "abi_layout_ext.h"

#ifndef __cplusplus
int main(void) { return 0; }
#endif
