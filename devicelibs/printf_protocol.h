// How a running wave calls the host: the buffer behind the implicit argument hidden_hostcall_buffer (offset 80), which
// device printf, assert and malloc go through. Plain C for the device library, C++ for the runtime's service thread.
// Owns the layout and the order of steps; knows nothing of threads, streams or how output is formatted.
//
// The layout is the one that ROCm's own binaries have inlined, so that they and ours are served by one buffer.
// clang lowers printf to __ockl_printf_* (module flag amdgpu_printf_kind = hostcall): hidden_printf_buffer (offset 72)
// stays unused in HIP.
//
// A packet carries one call of one wave: 64 lanes x 8 qwords and the mask of lanes that take part. Steps:
//   wave  pops a packet from free_stack (an empty stack means: spin; output is never dropped),
//         writes activemask, service, control = READY and the slots of its lanes, pushes the packet to ready_stack
//         (release), adds 1 to the doorbell signal, and spins until READY is clear (acquire).
//   host  waits on the doorbell signal, takes the whole ready_stack (exchange with 0, acquire), reverses it (a stack
//         returns the newest first), serves the lanes of each packet in ascending order, writes results into slots 0
//         and 1 of each lane and clears READY (release). It reads `next` before it clears READY: then the packet is the
//         wave's again.
//   wave  reads the results and pushes the packet to free_stack with the next tag.
//
// Both stacks hold tagged pointers: the low index_size bits are the packet's index, the rest is a tag that grows on each
// reuse (no ABA). 0 is the empty stack, therefore the host starts every packet with tag 1: (1 << index_size) | index.
// All memory is fine-grained host memory; all accesses to stacks and control are atomic at system scope.
#ifndef BZ_DEVICELIBS_PRINTF_PROTOCOL_H
#define BZ_DEVICELIBS_PRINTF_PROTOCOL_H

#ifdef __OPENCL_C_VERSION__
typedef ulong bz_u64;
typedef uint bz_u32;
#define BZ_HOSTCALL_GLOBAL __global
#else
#include <stdint.h>
typedef uint64_t bz_u64;
typedef uint32_t bz_u32;
#define BZ_HOSTCALL_GLOBAL
#endif

enum { BZ_HOSTCALL_LANES = 64, BZ_HOSTCALL_QWORDS = 8 };

struct bz_hostcall_header {
  bz_u64 next;       // tagged pointer to the packet below it on whichever stack it is
  bz_u64 activemask; // bit n: lane n takes part
  bz_u32 service;    // enum bz_hostcall_service
  bz_u32 control;    // BZ_HOSTCALL_READY while the packet belongs to the host
};

struct bz_hostcall_payload {
  bz_u64 slots[BZ_HOSTCALL_LANES][BZ_HOSTCALL_QWORDS];
};

struct bz_hostcall_buffer {
  BZ_HOSTCALL_GLOBAL struct bz_hostcall_header* headers;   // [1 << index_size] at most
  BZ_HOSTCALL_GLOBAL struct bz_hostcall_payload* payloads; // same count
  bz_u64 doorbell;                                         // hsa_signal_t.handle
  bz_u64 free_stack;
  bz_u64 ready_stack;
  bz_u32 index_size; // low bits of a tagged pointer that are the index; at least 1
  bz_u32 device_id;  // for the host only
};

enum { BZ_HOSTCALL_READY = 1 };

enum bz_hostcall_service {
  BZ_SERVICE_NONE = 0,
  BZ_SERVICE_CALL = 1,   // slots[0] is a host function void(uint64_t* out, const uint64_t* in): in = slots 1..7, out = slots 0..1
  BZ_SERVICE_PRINTF = 2, // a piece of a message, see below
  BZ_SERVICE_DEVMEM = 3, // slots[0] == 0: allocate slots[1] bytes of device memory, address (or 0) into slots[0];
                         // else free the address in slots[0]
  BZ_SERVICE_ASAN = 4    // an address sanitizer report; only instrumented ROCm binaries send it
};

// Messages of BZ_SERVICE_PRINTF. Slot 0 is a descriptor, slots 1..LEN are data. A message grows over many packets,
// per lane: BEGIN starts one, and the host answers in slot 0 with the descriptor that later pieces of this message carry
// (its id in the upper 56 bits, BEGIN, END and LEN zero). END finishes it: the host prints and answers in slot 0 with
// printf's result (an int, sign-extended), and forgets the id. BEGIN and END may stand in one packet.
//   data qword 0          flags: BZ_PRINTF_STDERR or 0
//   then                  the format: bytes with terminating NUL, padded with NULs to whole qwords
//   then, per argument    as the format asks: one qword (integers zero- or sign-extended, double bits, pointers),
//                         or for %s a string as the format is; a null string pointer is one qword, BZ_PRINTF_NULL_STRING from
//                         our device library and 0, the empty string, from ROCm's.
enum {
  BZ_MESSAGE_BEGIN = 1 << 0,
  BZ_MESSAGE_END = 1 << 1,
  BZ_MESSAGE_LEN_SHIFT = 5,
  BZ_MESSAGE_LEN_MASK = 7,
  BZ_MESSAGE_ID_SHIFT = 8
};
enum { BZ_PRINTF_STDERR = 1 };
enum { BZ_PRINTF_NULL_STRING = 0x0100 }; // an empty string with more behind its end: no string looks like this

#ifndef __OPENCL_C_VERSION__
#include <stddef.h>
#ifdef __cplusplus
#define BZ_HOSTCALL_ASSERT(...) static_assert(__VA_ARGS__, #__VA_ARGS__)
#else
#define BZ_HOSTCALL_ASSERT(...) _Static_assert(__VA_ARGS__, #__VA_ARGS__)
#endif
BZ_HOSTCALL_ASSERT(sizeof(struct bz_hostcall_header) == 24);
BZ_HOSTCALL_ASSERT(offsetof(struct bz_hostcall_header, control) == 20);
BZ_HOSTCALL_ASSERT(sizeof(struct bz_hostcall_payload) == 4096);
BZ_HOSTCALL_ASSERT(sizeof(struct bz_hostcall_buffer) == 48);
BZ_HOSTCALL_ASSERT(offsetof(struct bz_hostcall_buffer, doorbell) == 16);
BZ_HOSTCALL_ASSERT(offsetof(struct bz_hostcall_buffer, ready_stack) == 32);
BZ_HOSTCALL_ASSERT(offsetof(struct bz_hostcall_buffer, index_size) == 40);
#undef BZ_HOSTCALL_ASSERT
#endif

#endif
