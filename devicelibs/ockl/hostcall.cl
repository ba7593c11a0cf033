// The wave's side of devicelibs/printf_protocol.h, and the services on it that are one call each.
#include "ockl.h"

#include "../printf_protocol.h"

typedef __global struct bz_hostcall_buffer hostcall_buffer;
typedef __global struct bz_hostcall_header hostcall_header;

#define LOAD(p, order) __scoped_atomic_load_n(p, order, __MEMORY_SCOPE_SYSTEM)
#define STORE(p, v, order) __scoped_atomic_store_n(p, v, order, __MEMORY_SCOPE_SYSTEM)
#define CAS(p, e, v) \
  __scoped_atomic_compare_exchange_n(p, e, v, false, __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE, __MEMORY_SCOPE_SYSTEM)

static hostcall_header* header_of(hostcall_buffer* b, ulong tagged) {
  return b->headers + (tagged & ((1ul << b->index_size) - 1));
}

// Takes a packet; a wave that finds none waits for the host and for other waves to give theirs back.
static ulong pop_free(hostcall_buffer* b) {
  ulong top = LOAD(&b->free_stack, __ATOMIC_ACQUIRE);
  for (;;) {
    if (top == 0) {
      __builtin_amdgcn_s_sleep(1);
      top = LOAD(&b->free_stack, __ATOMIC_ACQUIRE);
      continue;
    }
    ulong below = LOAD(&header_of(b, top)->next, __ATOMIC_RELAXED);
    if (CAS(&b->free_stack, &top, below)) return top;
  }
}

static void push(hostcall_buffer* b, __global ulong* stack, ulong tagged) {
  ulong top = LOAD(stack, __ATOMIC_RELAXED);
  do STORE(&header_of(b, tagged)->next, top, __ATOMIC_RELAXED);
  while (!CAS(stack, &top, tagged));
}

static ulong next_tag(ulong tagged, uint index_size) {
  tagged += 1ul << index_size;
  return tagged == 0 ? 1ul << index_size : tagged; // 0 means an empty stack
}

static ulong broadcast(ulong v) {
  uint lo = __builtin_amdgcn_readfirstlane((uint)v);
  uint hi = __builtin_amdgcn_readfirstlane((uint)(v >> 32));
  return (ulong)hi << 32 | lo;
}

// One call of the active lanes. The buffer is the same for all of them.
CONVERGENT __attribute__((noinline)) long2 OCKL(hostcall_internal)(void* buffer, uint service, ulong a0, ulong a1, ulong a2,
                                                                   ulong a3, ulong a4, ulong a5, ulong a6, ulong a7) {
  hostcall_buffer* b = (hostcall_buffer*)buffer;
  uint lane = OCKL(lane_u32)();
  bool leader = lane == (uint)__builtin_amdgcn_readfirstlane(lane);
  ulong active = __builtin_amdgcn_read_exec();

  ulong packet = 0;
  if (leader) packet = pop_free(b);
  packet = broadcast(packet);
  hostcall_header* header = header_of(b, packet);
  __global ulong* slot = b->payloads[packet & ((1ul << b->index_size) - 1)].slots[lane];

  slot[0] = a0;
  slot[1] = a1;
  slot[2] = a2;
  slot[3] = a3;
  slot[4] = a4;
  slot[5] = a5;
  slot[6] = a6;
  slot[7] = a7;
  if (leader) {
    header->activemask = active;
    header->service = service;
    STORE(&header->control, BZ_HOSTCALL_READY, __ATOMIC_RELAXED);
  }
  FENCE_SYSTEM(__ATOMIC_RELEASE); // by every lane: the push below publishes the slots of all of them
  if (leader) {
    push(b, &b->ready_stack, packet);
    OCKL(hsa_signal_add)(b->doorbell, 1, __ATOMIC_RELEASE);
  }

  // Lanes ask together and leave together: the answer of one load is the answer of all.
  while (LOAD(&header->control, __ATOMIC_RELAXED) & BZ_HOSTCALL_READY) __builtin_amdgcn_s_sleep(1);
  FENCE_SYSTEM(__ATOMIC_ACQUIRE);
  long2 result = {(long)slot[0], (long)slot[1]};
  FENCE_SYSTEM(__ATOMIC_RELEASE); // the slots are read before the packet is another wave's
  if (leader) push(b, &b->free_stack, next_tag(packet, b->index_size));
  return result;
}

CONVERGENT long2 OCKL(hostcall_preview)(uint service, ulong a0, ulong a1, ulong a2, ulong a3, ulong a4, ulong a5, ulong a6,
                                        ulong a7) {
  ulong buffer = __oclc_ABI_version < 500 ? IMPLICIT(ulong, ARG4_HOSTCALL) : IMPLICIT(ulong, ARG_HOSTCALL);
  return OCKL(hostcall_internal)((void*)buffer, service, a0, a1, a2, a3, a4, a5, a6, a7);
}

CONVERGENT long2 OCKL(call_host_function)(ulong fptr, ulong a0, ulong a1, ulong a2, ulong a3, ulong a4, ulong a5, ulong a6) {
  return OCKL(hostcall_preview)(BZ_SERVICE_CALL, fptr, a0, a1, a2, a3, a4, a5, a6);
}

CONVERGENT ulong OCKL(devmem_request)(ulong address, ulong size) {
  return OCKL(hostcall_preview)(BZ_SERVICE_DEVMEM, address, size, 0, 0, 0, 0, 0, 0).x;
}

// Device malloc and free. Every request goes to the host, whose allocator knows limits and addresses.
CONVERGENT __attribute__((noinline)) ulong OCKL(dm_alloc)(ulong size) {
  return size == 0 ? 0 : OCKL(devmem_request)(0, size);
}
CONVERGENT __attribute__((noinline)) void OCKL(dm_dealloc)(ulong address) {
  if (address != 0) OCKL(devmem_request)(address, 0);
}
