/* amd_hsa_common.h: helpers that the amd_hsa_*.h headers share.
 * Names, values and layouts are those of the published interface; the words are Boltzmann's. C and C++.
 */
#ifndef AMD_HSA_COMMON_H
#define AMD_HSA_COMMON_H

#include <stddef.h>
#include <stdint.h>

#define AMD_HSA_ABI_VERSION "AMD GPU Architecture v0.35 (June 25, 2015)"

#ifndef __ALIGNED__
#define __ALIGNED__(x) __attribute__((aligned(x)))
#endif

/** Three enumerators per bit-field: NAME_SHIFT, NAME_WIDTH and NAME, its mask. */
#define AMD_HSA_BITS_CREATE_ENUM_ENTRIES(name, shift, width)                                                           \
  name##_SHIFT = (shift), name##_WIDTH = (width), name = (((1 << (width)) - 1) << (shift))
/** The field that mask names. */
#define AMD_HSA_BITS_GET(src, mask) (((src) & (mask)) >> mask##_SHIFT)
/** Sets the field that mask names. */
#define AMD_HSA_BITS_SET(dst, mask, val) ((dst) = ((dst) & ~(mask)) | (((val) << mask##_SHIFT) & (mask)))

#endif /* AMD_HSA_COMMON_H */
