// HSA signals and queue indices from the GPU: a wave writes amd_signal_t itself and wakes the host through the mailbox.
#include "ockl.h"

// The fields of amd_signal_t and amd_queue_t that are used here.
struct amd_signal {
  long kind;
  long value; // or, for a doorbell signal, the address of the doorbell
  ulong event_mailbox_ptr;
  uint event_id;
};
typedef __global struct amd_signal signal_t;
enum { SIGNAL_USER = 1, QUEUE_WRITE_INDEX = 56, QUEUE_READ_INDEX = 128 };

#define SIGNAL(handle) ((signal_t*)(handle))

static void wake_host(signal_t* s) {
  ulong mailbox = s->event_mailbox_ptr;
  if (mailbox == 0) return;
  uint id = s->event_id;
  __scoped_atomic_store_n((__global ulong*)mailbox, (ulong)id, __ATOMIC_RELEASE, __MEMORY_SCOPE_SYSTEM);
  __builtin_amdgcn_s_sendmsg(1, __builtin_amdgcn_readfirstlane(id) & 0xff); // MSG_INTERRUPT
}

// The order is a constant of the caller after inlining; an order that isn't a constant takes the strongest.
#define BY_ORDER(order, op)                                                                                            \
  switch (order) {                                                                                                     \
  case __ATOMIC_RELAXED: op(__ATOMIC_RELAXED); break;                                                                  \
  case __ATOMIC_ACQUIRE: op(__ATOMIC_ACQUIRE); break;                                                                  \
  case __ATOMIC_RELEASE: op(__ATOMIC_RELEASE); break;                                                                  \
  default: op(__ATOMIC_ACQ_REL); break;                                                                                \
  }

long OCKL(hsa_signal_load)(const ulong signal, int order) {
  if (order == __ATOMIC_RELAXED) return __scoped_atomic_load_n(&SIGNAL(signal)->value, __ATOMIC_RELAXED, __MEMORY_SCOPE_SYSTEM);
  return __scoped_atomic_load_n(&SIGNAL(signal)->value, __ATOMIC_ACQUIRE, __MEMORY_SCOPE_SYSTEM);
}

void OCKL(hsa_signal_store)(ulong signal, long value, int order) {
  signal_t* s = SIGNAL(signal);
  if (s->kind == SIGNAL_USER) {
    if (order == __ATOMIC_RELAXED)
      __scoped_atomic_store_n(&s->value, value, __ATOMIC_RELAXED, __MEMORY_SCOPE_SYSTEM);
    else
      __scoped_atomic_store_n(&s->value, value, __ATOMIC_RELEASE, __MEMORY_SCOPE_SYSTEM);
    wake_host(s);
  } else { // a queue's doorbell
    __scoped_atomic_store_n((__global ulong*)s->value, (ulong)value, __ATOMIC_RELEASE, __MEMORY_SCOPE_SYSTEM);
  }
}

#define SIGNAL_RMW(name, builtin)                                                                                      \
  void OCKL(hsa_signal_##name)(ulong signal, long value, int order) {                                                  \
    signal_t* s = SIGNAL(signal);                                                                                      \
    BY_ORDER(order, RMW_##name)                                                                                        \
    wake_host(s);                                                                                                      \
  }
#define RMW_add(o) (void)__scoped_atomic_fetch_add(&s->value, value, o, __MEMORY_SCOPE_SYSTEM)
#define RMW_subtract(o) (void)__scoped_atomic_fetch_sub(&s->value, value, o, __MEMORY_SCOPE_SYSTEM)
#define RMW_and(o) (void)__scoped_atomic_fetch_and(&s->value, value, o, __MEMORY_SCOPE_SYSTEM)
#define RMW_or(o) (void)__scoped_atomic_fetch_or(&s->value, value, o, __MEMORY_SCOPE_SYSTEM)
#define RMW_xor(o) (void)__scoped_atomic_fetch_xor(&s->value, value, o, __MEMORY_SCOPE_SYSTEM)
SIGNAL_RMW(add, add)
SIGNAL_RMW(subtract, sub)
SIGNAL_RMW(and, and)
SIGNAL_RMW(or, or)
SIGNAL_RMW(xor, xor)

long OCKL(hsa_signal_exchange)(ulong signal, long value, int order) {
  signal_t* s = SIGNAL(signal);
  long old;
#define EXCHANGE(o) old = __scoped_atomic_exchange_n(&s->value, value, o, __MEMORY_SCOPE_SYSTEM)
  BY_ORDER(order, EXCHANGE)
  wake_host(s);
  return old;
}

long OCKL(hsa_signal_cas)(ulong signal, long expected, long value, int order) {
  signal_t* s = SIGNAL(signal);
  long seen = expected;
  (void)order; // acq_rel holds every weaker promise
  if (__scoped_atomic_compare_exchange_n(&s->value, &seen, value, false, __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE,
                                         __MEMORY_SCOPE_SYSTEM))
    wake_host(s);
  return seen;
}

#define INDEX(queue, offset) ((__global ulong*)((__global char*)(queue) + (offset)))
ulong OCKL(hsa_queue_load_read_index)(const __global void* queue, int order) {
  (void)order;
  return __scoped_atomic_load_n(INDEX(queue, QUEUE_READ_INDEX), __ATOMIC_ACQUIRE, __MEMORY_SCOPE_SYSTEM);
}
ulong OCKL(hsa_queue_load_write_index)(const __global void* queue, int order) {
  (void)order;
  return __scoped_atomic_load_n(INDEX(queue, QUEUE_WRITE_INDEX), __ATOMIC_ACQUIRE, __MEMORY_SCOPE_SYSTEM);
}
ulong OCKL(hsa_queue_add_write_index)(__global void* queue, ulong value, int order) {
  (void)order;
  return __scoped_atomic_fetch_add(INDEX(queue, QUEUE_WRITE_INDEX), value, __ATOMIC_ACQ_REL, __MEMORY_SCOPE_SYSTEM);
}
ulong OCKL(hsa_queue_cas_write_index)(__global void* queue, ulong expected, ulong value, int order) {
  (void)order;
  ulong seen = expected;
  __scoped_atomic_compare_exchange_n(INDEX(queue, QUEUE_WRITE_INDEX), &seen, value, false, __ATOMIC_ACQ_REL,
                                     __ATOMIC_ACQUIRE, __MEMORY_SCOPE_SYSTEM);
  return seen;
}
void OCKL(hsa_queue_store_write_index)(__global void* queue, ulong value, int order) {
  (void)order;
  __scoped_atomic_store_n(INDEX(queue, QUEUE_WRITE_INDEX), value, __ATOMIC_RELEASE, __MEMORY_SCOPE_SYSTEM);
}
