// Signals: creation, atomic operations, waits, groups, handlers.
#include "base/log.hpp"
#include "rocr/impl.hpp"
#include "rocr/runtime.hpp"

#include <cstdlib>

namespace bz::rocr::impl {

namespace {

/// The operations have no status: a handle that can't be one is a bug of the program, told before the process ends.
[[noreturn, gnu::cold]] void die(const char* call, hsa_signal_t signal, const char* why) {
  fmt::print(stderr, "{}: signal {:#x} {}\n", call, signal.handle, why);
  std::abort();
}

/// A signal with a value; `call` names the caller for the message.
inline amd_signal_t& value_signal(hsa_signal_t signal, const char* call) {
  amd_signal_t* s = signal_of(signal);
  if (!s) [[unlikely]]
    die(call, signal, "is null");
  if (s->kind != AMD_SIGNAL_KIND_USER) [[unlikely]]
    die(call, signal,
        s->kind == AMD_SIGNAL_KIND_INVALID ? "was destroyed" : "is a doorbell, which can only be stored to");
  return *s;
}

/// Store to a value or ring a doorbell.
inline void store(hsa_signal_t signal, hsa_signal_value_t value, bool wake, const char* call) {
  amd_signal_t* s = signal_of(signal);
  if (!s) [[unlikely]]
    die(call, signal, "is null");
  if (s->kind == AMD_SIGNAL_KIND_DOORBELL) {
    if (!s->hardware_doorbell_ptr) return host_of(s).ring(host_of(s).ring_data, value); // an intercepting queue
    return ring_doorbell(s, static_cast<uint64_t>(value));
  }
  if (s->kind != AMD_SIGNAL_KIND_USER) [[unlikely]]
    die(call, signal, "was destroyed");
  // Sequentially consistent whatever was asked for: the look at the sleepers after it must not move up (signal.cpp).
  __atomic_store_n(&s->value, value, __ATOMIC_SEQ_CST);
  if (wake) wake_sleepers(s);
}

} // namespace

// x86-64 atomics are sequentially consistent at the price of the weakest, so that one body serves every order.
#define LOAD(order)                                                                                                    \
  hsa_signal_value_t hsa_signal_load_##order(hsa_signal_t signal) {                                                    \
    return __atomic_load_n(&value_signal(signal, "hsa_signal_load_" #order).value, __ATOMIC_SEQ_CST);                  \
  }
#define STORE(name, wake)                                                                                              \
  void name(hsa_signal_t signal, hsa_signal_value_t value) { store(signal, value, wake, #name); }
#define MODIFY(operation, builtin, order)                                                                              \
  void hsa_signal_##operation##_##order(hsa_signal_t signal, hsa_signal_value_t value) {                               \
    amd_signal_t& s = value_signal(signal, "hsa_signal_" #operation "_" #order);                                       \
    builtin(&s.value, value, __ATOMIC_SEQ_CST);                                                                        \
    wake_sleepers(&s);                                                                                                 \
  }
#define EXCHANGE(order)                                                                                                \
  hsa_signal_value_t hsa_signal_exchange_##order(hsa_signal_t signal, hsa_signal_value_t value) {                      \
    amd_signal_t& s = value_signal(signal, "hsa_signal_exchange_" #order);                                             \
    const hsa_signal_value_t before = __atomic_exchange_n(&s.value, value, __ATOMIC_SEQ_CST);                          \
    wake_sleepers(&s);                                                                                                 \
    return before;                                                                                                     \
  }
#define CAS(order)                                                                                                     \
  hsa_signal_value_t hsa_signal_cas_##order(hsa_signal_t signal, hsa_signal_value_t expected,                          \
                                            hsa_signal_value_t value) {                                                \
    amd_signal_t& s = value_signal(signal, "hsa_signal_cas_" #order);                                                  \
    if (__atomic_compare_exchange_n(&s.value, &expected, value, false, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST))            \
      wake_sleepers(&s);                                                                                               \
    return expected; /* the value before, in both cases */                                                             \
  }
#define ALL_ORDERS(M, ...)                                                                                             \
  M(__VA_ARGS__ __VA_OPT__(, ) relaxed)                                                                                \
  M(__VA_ARGS__ __VA_OPT__(, ) scacquire)                                                                              \
  M(__VA_ARGS__ __VA_OPT__(, ) screlease)                                                                              \
  M(__VA_ARGS__ __VA_OPT__(, ) scacq_screl)
LOAD(relaxed)
LOAD(scacquire)
STORE(hsa_signal_store_relaxed, true)
STORE(hsa_signal_store_screlease, true)
STORE(hsa_signal_silent_store_relaxed, false)
STORE(hsa_signal_silent_store_screlease, false)
ALL_ORDERS(MODIFY, add, __atomic_fetch_add)
ALL_ORDERS(MODIFY, subtract, __atomic_fetch_sub)
ALL_ORDERS(MODIFY, and, __atomic_fetch_and)
ALL_ORDERS(MODIFY, or, __atomic_fetch_or)
ALL_ORDERS(MODIFY, xor, __atomic_fetch_xor)
ALL_ORDERS(EXCHANGE)
ALL_ORDERS(CAS)
#undef LOAD
#undef STORE
#undef MODIFY
#undef EXCHANGE
#undef CAS
#undef ALL_ORDERS

namespace {

hsa_signal_value_t wait(hsa_signal_t signal, hsa_signal_condition_t condition, hsa_signal_value_t compare,
                        uint64_t timeout, hsa_wait_state_t state, const char* call) {
  amd_signal_t& s = value_signal(signal, call);
  if (!is_condition(condition)) die(call, signal, "is waited for with an unknown condition");
  return wait_one({&s, condition, compare}, timeout, state);
}

Result<SignalPool::Kind> kind_for(Runtime& runtime, uint32_t count, const hsa_agent_t* consumers) {
  if (count == 0) return SignalPool::Kind::interrupt;
  if (!consumers) return null_argument("consumers");
  bool host = false;
  for (uint32_t i = 0; i < count; ++i) {
    ROCR_TRY_ASSIGN(const Agent* a, runtime.agent(consumers[i]));
    host = host || !a->is_gpu();
    for (uint32_t j = 0; j < i; ++j)
      if (consumers[j].handle == consumers[i].handle)
        return fail(HSA_STATUS_ERROR_INVALID_ARGUMENT, "a consumer is named twice");
  }
  return host ? SignalPool::Kind::interrupt : SignalPool::Kind::polled;
}

/// The waits of parallel arrays; INVALID_ARGUMENT for null arrays and unknown conditions.
Result<std::vector<Wait>> waits_of(Runtime* runtime, uint32_t count, const hsa_signal_t* signals,
                                   const hsa_signal_condition_t* conditions, const hsa_signal_value_t* values) {
  if (count == 0) return fail(HSA_STATUS_ERROR_INVALID_ARGUMENT, "there are no signals to wait for");
  if (!signals) return null_argument("signals");
  if (!conditions) return null_argument("conds");
  if (!values) return null_argument("values");
  std::vector<Wait> waits;
  for (uint32_t i = 0; i < count; ++i) {
    ROCR_TRY_ASSIGN(amd_signal_t * s, runtime->signals().find(signals[i]));
    if (!is_condition(conditions[i]))
      return fail(HSA_STATUS_ERROR_INVALID_ARGUMENT, "{} is no condition", int(conditions[i]));
    waits.push_back({s, conditions[i], values[i]});
  }
  return waits;
}

[[noreturn, gnu::cold]] void die_waiting(const char* call, const Outcome& why) {
  fmt::print(stderr, "{}: {}\n", call, why.message());
  std::abort();
}

} // namespace

hsa_signal_value_t hsa_signal_wait_scacquire(hsa_signal_t signal, hsa_signal_condition_t condition,
                                             hsa_signal_value_t compare, uint64_t timeout, hsa_wait_state_t state) {
  return wait(signal, condition, compare, timeout, state, "hsa_signal_wait_scacquire");
}

hsa_signal_value_t hsa_signal_wait_relaxed(hsa_signal_t signal, hsa_signal_condition_t condition,
                                           hsa_signal_value_t compare, uint64_t timeout, hsa_wait_state_t state) {
  return wait(signal, condition, compare, timeout, state, "hsa_signal_wait_relaxed");
}

uint32_t hsa_amd_signal_wait_any(uint32_t count, hsa_signal_t* signals, hsa_signal_condition_t* conditions,
                                 hsa_signal_value_t* values, uint64_t timeout, hsa_wait_state_t state,
                                 hsa_signal_value_t* satisfying_value) {
  Runtime* runtime = Runtime::current();
  if (!runtime) return kTimedOut;
  auto waits = waits_of(runtime, count, signals, conditions, values);
  if (!waits.ok()) die_waiting("hsa_amd_signal_wait_any", waits.outcome());
  return wait_any(*waits, timeout, state, satisfying_value);
}

uint32_t hsa_amd_signal_wait_all(uint32_t count, hsa_signal_t* signals, hsa_signal_condition_t* conditions,
                                 hsa_signal_value_t* values, uint64_t timeout, hsa_wait_state_t state,
                                 hsa_signal_value_t* satisfying_values) {
  Runtime* runtime = Runtime::current();
  if (!runtime) return kTimedOut;
  auto waits = waits_of(runtime, count, signals, conditions, values);
  if (!waits.ok()) die_waiting("hsa_amd_signal_wait_all", waits.outcome());
  return wait_all(*waits, timeout, state, satisfying_values) ? 0 : kTimedOut;
}

Outcome hsa_signal_create(Runtime& runtime, hsa_signal_value_t initial, uint32_t count, const hsa_agent_t* consumers,
                          hsa_signal_t* signal) {
  return hsa_amd_signal_create(runtime, initial, count, consumers, 0, signal);
}

Outcome hsa_amd_signal_create(Runtime& runtime, hsa_signal_value_t initial, uint32_t count,
                              const hsa_agent_t* consumers, uint64_t attributes, hsa_signal_t* signal) {
  if (!signal) return null_argument("signal");
  if (attributes & ~uint64_t(HSA_AMD_SIGNAL_AMD_GPU_ONLY | HSA_AMD_SIGNAL_IPC))
    return fail(HSA_STATUS_ERROR_INVALID_ARGUMENT, "attributes {:#x} have unknown bits", attributes);
  ROCR_TRY_ASSIGN(auto kind, kind_for(runtime, count, consumers));
  if (attributes & HSA_AMD_SIGNAL_IPC) {
    ROCR_TRY_ASSIGN(amd_signal_t * shared, runtime.signals().create_shared(initial));
    *signal = handle_of(shared);
    return {};
  }
  if (attributes & HSA_AMD_SIGNAL_AMD_GPU_ONLY) kind = SignalPool::Kind::polled;
  ROCR_TRY_ASSIGN(amd_signal_t * s, runtime.signals().create(initial, kind));
  *signal = handle_of(s);
  return {};
}

Outcome hsa_signal_destroy(Runtime& runtime, hsa_signal_t signal) {
  ROCR_TRY_ASSIGN(amd_signal_t * s, runtime.signals().find(signal));
  if (s->kind == AMD_SIGNAL_KIND_DOORBELL)
    return fail(HSA_STATUS_ERROR_INVALID_SIGNAL, "a doorbell goes with its queue");
  runtime.user_loop().drop(s);
  if (!runtime.signals().destroy(s)) return fail(HSA_STATUS_ERROR_INVALID_SIGNAL, "another thread destroyed it");
  return {};
}

Outcome hsa_amd_signal_value_pointer(Runtime& runtime, hsa_signal_t signal, volatile hsa_signal_value_t** value_ptr) {
  if (!value_ptr) return null_argument("value_ptr");
  ROCR_TRY_ASSIGN(amd_signal_t * s, runtime.signals().find(signal));
  if (s->kind != AMD_SIGNAL_KIND_USER) return fail(HSA_STATUS_ERROR_INVALID_SIGNAL, "a doorbell has no value");
  *value_ptr = &s->value;
  return {};
}

Outcome hsa_amd_signal_async_handler(Runtime& runtime, hsa_signal_t signal, hsa_signal_condition_t condition,
                                     hsa_signal_value_t value, hsa_amd_signal_handler handler, void* arg) {
  if (!handler) return null_argument("handler");
  if (signal.handle == 0) { // documented: no signal means "call it once, soon"
    return runtime.user_loop().call([handler, arg] { handler(0, arg); });
  }
  if (!is_condition(condition)) return fail(HSA_STATUS_ERROR_INVALID_ARGUMENT, "{} is no condition", int(condition));
  ROCR_TRY_ASSIGN(amd_signal_t * s, runtime.signals().find(signal));
  if (s->kind != AMD_SIGNAL_KIND_USER) return fail(HSA_STATUS_ERROR_INVALID_SIGNAL, "a doorbell can't be waited for");
  return runtime.user_loop().watch({s, condition, value},
                                   [handler, arg](hsa_signal_value_t seen) { return handler(seen, arg); });
}

Outcome hsa_amd_async_function(Runtime& runtime, AsyncFunction callback, void* arg) {
  if (!callback) return null_argument("callback");
  return runtime.user_loop().call([callback, arg] { callback(arg); });
}

Outcome hsa_signal_group_create(Runtime& runtime, uint32_t count, const hsa_signal_t* signals, uint32_t num_consumers,
                                const hsa_agent_t* consumers, hsa_signal_group_t* group) {
  if (!group) return null_argument("signal_group");
  if (count == 0) return fail(HSA_STATUS_ERROR_INVALID_ARGUMENT, "a group has at least one signal");
  if (!signals) return null_argument("signals");
  ROCR_TRY(kind_for(runtime, num_consumers, consumers));
  auto g = std::make_shared<SignalGroup>();
  for (uint32_t i = 0; i < count; ++i) {
    ROCR_TRY_ASSIGN(amd_signal_t * s, runtime.signals().find(signals[i]));
    g->signals.push_back(s);
  }
  group->handle = runtime.signal_groups().add(std::move(g));
  return {};
}

Outcome hsa_signal_group_destroy(Runtime& runtime, hsa_signal_group_t group) {
  if (!runtime.signal_groups().remove(group.handle))
    return fail(HSA_STATUS_ERROR_INVALID_SIGNAL_GROUP, "{:#x} is no signal group", group.handle);
  return {};
}

Outcome hsa_signal_group_wait_any_scacquire(Runtime& runtime, hsa_signal_group_t group,
                                            const hsa_signal_condition_t* conditions,
                                            const hsa_signal_value_t* compare_values, hsa_wait_state_t state,
                                            hsa_signal_t* signal, hsa_signal_value_t* value) {
  if (!signal) return null_argument("signal");
  if (!value) return null_argument("value");
  const auto g = runtime.signal_groups().find(group.handle);
  if (!g) return fail(HSA_STATUS_ERROR_INVALID_SIGNAL_GROUP, "{:#x} is no signal group", group.handle);
  std::vector<hsa_signal_t> handles;
  for (amd_signal_t* s : g->signals) handles.push_back(handle_of(s));
  ROCR_TRY_ASSIGN(const auto waits, waits_of(&runtime, static_cast<uint32_t>(handles.size()), handles.data(),
                                             conditions, compare_values));
  const uint32_t index = wait_any(waits, UINT64_MAX, state, value);
  *signal = handles[index];
  return {};
}

Outcome hsa_signal_group_wait_any_relaxed(Runtime& runtime, hsa_signal_group_t group,
                                          const hsa_signal_condition_t* conditions,
                                          const hsa_signal_value_t* compare_values, hsa_wait_state_t state,
                                          hsa_signal_t* signal, hsa_signal_value_t* value) {
  return hsa_signal_group_wait_any_scacquire(runtime, group, conditions, compare_values, state, signal, value);
}

} // namespace bz::rocr::impl
