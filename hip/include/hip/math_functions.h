// Device mathematics. clang's HIP headers, included before every HIP source, hold the functions of <cmath>.
#ifndef BZ_HIP_MATH_FUNCTIONS_H
#define BZ_HIP_MATH_FUNCTIONS_H
#include <hip/amd_detail/amd_math_functions.h>
#endif
