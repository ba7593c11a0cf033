/* What Boltzmann's libhsakmt has beyond HSAKMT_1 (version node BOLTZMANN_1). The functions are declared weak: a caller tests
 * the address first and does without, so that it also runs on another libhsakmt. */
#ifndef HSAKMT_BOLTZMANN_H
#define HSAKMT_BOLTZMANN_H

#include "hsakmttypes.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Conditions between *value and compare. */
enum { BZ_HELP_UNTIL_NONE = 0, BZ_HELP_UNTIL_EQ = 1, BZ_HELP_UNTIL_NE = 2, BZ_HELP_UNTIL_LT = 3, BZ_HELP_UNTIL_GTE = 4 };
/* Results: nothing to run (go to sleep) / the condition holds / time used up and there is more to run. */
enum { BZ_HELP_IDLE = 0, BZ_HELP_SATISFIED = 1, BZ_HELP_TIMED_OUT = 2 };

/* The calling thread, which would otherwise wait, runs queue work of this process until *value meets the condition, nothing is
 * left to run, or timeout_us passed. value may be NULL with BZ_HELP_UNTIL_NONE. HSAKMT_STATUS_NOT_SUPPORTED: this driver has
 * no helping (the kernel's, or BZ_HELP=0); then never ask again. */
HSAKMT_STATUS HSAKMTAPI bzHsaKmtHelp(const volatile int64_t* value, HSAuint32 condition, int64_t compare,
                                     HSAuint32 timeout_us, HSAuint32* result) __attribute__((weak));

/* Before a store to a doorbell whose *awake is 0: makes the store pass without a fault that a signal handler would have to
 * take. awake is the same for all doorbells of a GPU and valid as long as one of its queues; *awake is read with acquire
 * order. HSAKMT_STATUS_NOT_SUPPORTED: this driver's doorbells never sleep. */
HSAKMT_STATUS HSAKMTAPI bzHsaKmtWakeDoorbell(const volatile HSAuint64* doorbell, const volatile HSAuint8** awake)
    __attribute__((weak));

/* Memory that was allocated with NoAddress, or imported, as a whole at page-aligned addresses inside a reservation
 * (OnlyAddress); memory_size is that of the memory. It is mapped to GPUs there by hsaKmtMapMemoryToGPUNodes, lives on when
 * Memory is freed, and may be placed more than once. Unplace unmaps it. */
HSAKMT_STATUS HSAKMTAPI bzHsaKmtPlaceMemory(void* address, HSAuint64 memory_size, void* memory) __attribute__((weak));
HSAKMT_STATUS HSAKMTAPI bzHsaKmtUnplaceMemory(void* address) __attribute__((weak));

#ifdef __cplusplus
} /* extern "C" */
#endif

#endif
