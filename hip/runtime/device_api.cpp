// Device selection, synchronisation, limits, peers, contexts and error queries.
#include "hip/runtime/array.hpp"
#include "hip/runtime/event.hpp"
#include "hip/runtime/impl.hpp"
#include "hip/runtime/memory.hpp"
#include "hip/runtime/module.hpp"
#include "hip/runtime/pool.hpp"
#include "hip/runtime/registry.hpp"
#include "hip/runtime/texture.hpp"
#include "hip/runtime/thread_state.hpp"

#include <utility>

namespace bz::hip::impl {
namespace {

/// A context stands for its device: the handle is the device's address.
hipCtx_t context_of(Device& d) { return reinterpret_cast<hipCtx_t>(&d); }
Outcome<Device*> device_of(hipCtx_t ctx) {
  for (auto& d : Runtime::get().devices())
    if (context_of(*d) == ctx) return d.get();
  return fail(hipErrorInvalidContext, "{} is no context", static_cast<void*>(ctx));
}

void make_current(Device& d) {
  auto& t = thread_state();
  t.device = d.ordinal();
  t.device_chosen = true;
}

Result reset(Device& d) {
  auto& runtime = Runtime::get();
  runtime.synchronize_devices();
  for (auto& s : runtime.streams.remove_if([&](Stream& s) { return &s.device() == &d; })) d.forget_stream(s);
  runtime.events.remove_if([&](Event& e) { return &e.device() == &d; });
  runtime.registry().unload(d);
  unload_modules(d);
  runtime.pools().reset(d);
  runtime.textures().reset(d);
  runtime.mipmaps.remove_if([&](MipmappedArray& m) { return &m.device() == &d; });
  runtime.arrays.remove_if([&](Array& a) { return &a.device() == &d; });
  Status first;
  const auto memory = runtime.memory.remove_device(d.ordinal());
  wait_for_memory_uses();
  for (auto& a : memory)
    if (Status s = release_allocation(a); !s.ok() && first.ok()) first = s;
  for (auto& other : runtime.devices())
    if (other.get() != &d) other->remove_accessor(d.agent());
  d.flags = 0;
  d.context_active = false;
  return Result(first);
}

constexpr unsigned kDeviceFlags = hipDeviceScheduleMask | hipDeviceMapHost | hipDeviceLmemResizeToMax;

Result check_device_flags(unsigned flags) {
  const unsigned schedule = flags & hipDeviceScheduleMask;
  if (flags & ~kDeviceFlags || (schedule & (schedule - 1)) != 0)
    return fail(hipErrorInvalidValue, "device flags {:#x} don't exist or contradict each other", flags);
  return {};
}

} // namespace

Result hipInit(unsigned int flags) {
  if (flags != 0) return fail(hipErrorInvalidValue, "flags are {:#x} but must be 0", flags);
  return {};
}

Result hipGetDeviceCount(int* count) {
  HIP_NONNULL(count);
  *count = 0;
  HIP_TRY(Runtime::get().start());
  *count = static_cast<int>(Runtime::get().devices().size());
  return {};
}

Result hipDeviceGet(hipDevice_t* device, int ordinal) {
  HIP_NONNULL(device);
  HIP_TRY_ASSIGN(Device * d, Runtime::get().device(ordinal));
  *device = d->ordinal();
  return {};
}

Result hipSetDevice(int ordinal) {
  HIP_TRY_ASSIGN(Device * d, Runtime::get().device(ordinal));
  make_current(*d);
  d->context_active = true;
  return {};
}

Result hipGetDevice(int* deviceId) {
  HIP_NONNULL(deviceId);
  *deviceId = Runtime::get().current().ordinal();
  return {};
}

Result hipSetValidDevices(int* device_arr, int length) {
  if (length < 0 || size_t(length) > Runtime::get().devices().size())
    return fail(hipErrorInvalidValue, "a list of {} devices, {} exist", length, Runtime::get().devices().size());
  if (length > 0) HIP_NONNULL(device_arr);
  for (int i = 0; i < length; ++i) HIP_TRY(Runtime::get().device(device_arr[i]));
  thread_state().valid_devices.assign(device_arr, device_arr + length);
  return {};
}

Result hipDeviceSynchronize() {
  Runtime::get().current().synchronize();
  Runtime::get().pools().after_synchronize();
  return {};
}

Result hipDeviceReset() { return reset(Runtime::get().current()); }

Result hipSetDeviceFlags(unsigned int flags) {
  HIP_TRY(check_device_flags(flags));
  // Host memory is always mapped and scratch isn't kept: only the scheduling flags say something.
  Runtime::get().current().flags = flags & hipDeviceScheduleMask;
  return {};
}

Result hipGetDeviceFlags(unsigned int* flags) {
  HIP_NONNULL(flags);
  *flags = Runtime::get().current().flags;
  return {};
}

// ---- Limits and settings --------------------------------------------------------------------------------------------

Result hipDeviceGetLimit(size_t* pValue, enum hipLimit_t limit) {
  HIP_NONNULL(pValue);
  Device& d = Runtime::get().current();
  switch (limit) {
  case hipLimitStackSize:
    *pValue = d.stack_limit;
    return {};
  case hipLimitPrintfFifoSize:
    *pValue = d.printf_limit;
    return {};
  case hipLimitMallocHeapSize:
    *pValue = d.heap_limit;
    return {};
  case hipExtLimitScratchMax:
    *pValue = agent_info<uint64_t>(d.agent(), HSA_AMD_AGENT_INFO_SCRATCH_LIMIT_MAX);
    return {};
  case hipExtLimitScratchCurrent:
    *pValue = agent_info<uint64_t>(d.agent(), HSA_AMD_AGENT_INFO_SCRATCH_LIMIT_CURRENT);
    return {};
  case hipExtLimitScratchMin:
    *pValue = 0;
    return {};
  case hipLimitRange:
    break;
  }
  return fail(hipErrorUnsupportedLimit, "limit {} doesn't exist", static_cast<int>(limit));
}

Result hipDeviceSetLimit(enum hipLimit_t limit, size_t value) {
  Device& d = Runtime::get().current();
  switch (limit) {
  case hipLimitStackSize: {
    constexpr size_t kMost = 131056; // per work-item: what the scratch descriptor can hold
    if (value > kMost) return fail(hipErrorInvalidValue, "a stack of {} bytes: at most {} are possible", value, kMost);
    d.stack_limit = (value + 15) / 16 * 16;
    return {};
  }
  // Device printf goes packet by packet to the host and device malloc takes device memory: both know no fixed size.
  case hipLimitPrintfFifoSize:
    d.printf_limit = value;
    return {};
  case hipLimitMallocHeapSize:
    d.heap_limit = value;
    return {};
  case hipExtLimitScratchCurrent:
  case hipExtLimitScratchMin:
  case hipExtLimitScratchMax:
    return fail(hipErrorNotSupported, "setting scratch limit {} is not implemented", static_cast<int>(limit));
  case hipLimitRange:
    break;
  }
  return fail(hipErrorUnsupportedLimit, "limit {} doesn't exist", static_cast<int>(limit));
}

namespace {
Result check_cache(hipFuncCache_t config) {
  if (config < hipFuncCachePreferNone || config > hipFuncCachePreferEqual)
    return fail(hipErrorInvalidValue, "cache preference {} doesn't exist", static_cast<int>(config));
  return {};
}
Result check_banks(hipSharedMemConfig config) {
  if (config < hipSharedMemBankSizeDefault || config > hipSharedMemBankSizeEightByte)
    return fail(hipErrorInvalidValue, "bank size {} doesn't exist", static_cast<int>(config));
  return {};
}
} // namespace

Result hipDeviceSetCacheConfig(hipFuncCache_t config) { return check_cache(config); }
Result hipDeviceGetCacheConfig(hipFuncCache_t* cacheConfig) {
  HIP_NONNULL(cacheConfig);
  *cacheConfig = hipFuncCachePreferNone;
  return {};
}
Result hipDeviceSetSharedMemConfig(hipSharedMemConfig config) { return check_banks(config); }
Result hipDeviceGetSharedMemConfig(hipSharedMemConfig* pConfig) {
  HIP_NONNULL(pConfig);
  *pConfig = hipSharedMemBankSizeFourByte;
  return {};
}
Result hipFuncSetCacheConfig(const void* func, hipFuncCache_t config) {
  HIP_TRY(check_cache(config));
  HIP_TRY(Runtime::get().registry().kernel(func, Runtime::get().current()));
  return {};
}
Result hipFuncSetSharedMemConfig(const void* func, hipSharedMemConfig config) {
  HIP_TRY(check_banks(config));
  HIP_TRY(Runtime::get().registry().kernel(func, Runtime::get().current()));
  return {};
}

// ---- Peers ----------------------------------------------------------------------------------------------------------

namespace {
Result check_pair(int a, int b) {
  HIP_TRY(Runtime::get().device(a));
  HIP_TRY(Runtime::get().device(b));
  return {};
}
bool can_access(Device& from, Device& to) {
  return hip::can_access(from.agent(), to.vram());
}
} // namespace

Result hipDeviceCanAccessPeer(int* canAccessPeer, int device, int peer) {
  HIP_NONNULL(canAccessPeer);
  HIP_TRY(check_pair(device, peer));
  auto& all = Runtime::get().devices();
  *canAccessPeer = device != peer && can_access(*all[size_t(device)], *all[size_t(peer)]);
  return {};
}

Result hipDeviceEnablePeerAccess(int peer, unsigned int flags) {
  if (flags != 0) return fail(hipErrorInvalidValue, "flags are {:#x} but must be 0", flags);
  Device& d = Runtime::get().current();
  HIP_TRY_ASSIGN(Device * other, Runtime::get().device(peer));
  if (other == &d) return Result(hipErrorInvalidDevice, "a device is no peer of itself");
  if (!can_access(d, *other))
    return fail(hipErrorPeerAccessUnsupported, "device {} can't access device {}", d.ordinal(), peer);
  if (!other->add_accessor(d.agent()))
    return fail(hipErrorPeerAccessAlreadyEnabled, "device {} has access to device {} already", d.ordinal(), peer);
  for (auto& a : Runtime::get().memory.on_device(peer))
    HIP_TRY(allow_access(other->accessors(), reinterpret_cast<void*>(a.base)));
  return {};
}

Result hipDeviceDisablePeerAccess(int peer) {
  Device& d = Runtime::get().current();
  HIP_TRY_ASSIGN(Device * other, Runtime::get().device(peer));
  if (other == &d || !other->remove_accessor(d.agent()))
    return fail(hipErrorPeerAccessNotEnabled, "device {} has no access to device {}", d.ordinal(), peer);
  for (auto& a : Runtime::get().memory.on_device(peer))
    HIP_TRY(allow_access(other->accessors(), reinterpret_cast<void*>(a.base)));
  return {};
}

Result hipCtxEnablePeerAccess(hipCtx_t peerCtx, unsigned int flags) {
  HIP_TRY_ASSIGN(Device * peer, device_of(peerCtx));
  return impl::hipDeviceEnablePeerAccess(peer->ordinal(), flags);
}

Result hipCtxDisablePeerAccess(hipCtx_t peerCtx) {
  HIP_TRY_ASSIGN(Device * peer, device_of(peerCtx));
  return impl::hipDeviceDisablePeerAccess(peer->ordinal());
}

Result hipDeviceGetP2PAttribute(int* value, hipDeviceP2PAttr attr, int from, int to) {
  HIP_NONNULL(value);
  HIP_TRY(check_pair(from, to));
  if (from == to) return fail(hipErrorInvalidDevice, "device {} is no peer of itself", from);
  auto& all = Runtime::get().devices();
  const bool access = can_access(*all[size_t(from)], *all[size_t(to)]);
  switch (attr) {
  case hipDevP2PAttrPerformanceRank:
    *value = 0;
    return {};
  case hipDevP2PAttrAccessSupported:
  case hipDevP2PAttrNativeAtomicSupported:
    *value = access;
    return {};
  case hipDevP2PAttrHipArrayAccessSupported:
    *value = 0;
    return {};
  }
  return fail(hipErrorInvalidValue, "peer attribute {} doesn't exist", static_cast<int>(attr));
}

Result hipExtGetLinkTypeAndHopCount(int a, int b, uint32_t* linktype, uint32_t* hopcount) {
  HIP_NONNULL(linktype);
  HIP_NONNULL(hopcount);
  if (a < 0 || b < 0) return fail(hipErrorInvalidValue, "devices {} and {}: a device is not negative", a, b);
  HIP_TRY(check_pair(a, b));
  if (a == b) return fail(hipErrorInvalidValue, "device {} has no link to itself", a);
  auto& all = Runtime::get().devices();
  uint32_t count = 0;
  HIP_TRY(hsa_check(hsa_amd_agent_memory_pool_get_info(all[size_t(a)]->agent(), all[size_t(b)]->vram(),
                                                       HSA_AMD_AGENT_MEMORY_POOL_INFO_NUM_LINK_HOPS, &count),
                    "asking for the links of two devices"));
  if (count == 0) return fail(hipErrorInvalidValue, "devices {} and {} have no link", a, b);
  std::vector<hsa_amd_memory_pool_link_info_t> links(count);
  HIP_TRY(hsa_check(hsa_amd_agent_memory_pool_get_info(all[size_t(a)]->agent(), all[size_t(b)]->vram(),
                                                       HSA_AMD_AGENT_MEMORY_POOL_INFO_LINK_INFO, links.data()),
                    "asking for the links of two devices"));
  *linktype = links[0].link_type;
  *hopcount = count;
  return {};
}

// ---- Contexts: one per device ---------------------------------------------------------------------------------------

Result hipCtxCreate(hipCtx_t* ctx, unsigned int flags, hipDevice_t device) {
  HIP_NONNULL(ctx);
  HIP_TRY(check_device_flags(flags));
  HIP_TRY_ASSIGN(Device * d, Runtime::get().device(device));
  d->flags = flags;
  d->context_active = true;
  *ctx = context_of(*d);
  thread_state().contexts.push_back(context_of(Runtime::get().current()));
  make_current(*d);
  return {};
}

Result hipCtxDestroy(hipCtx_t ctx) {
  HIP_NONNULL(ctx);
  HIP_TRY_ASSIGN(Device * d, device_of(ctx));
  d->synchronize();
  auto& t = thread_state();
  if (&Runtime::get().current() == d && !t.contexts.empty()) return impl::hipCtxPopCurrent(nullptr);
  return {};
}

Result hipCtxPushCurrent(hipCtx_t ctx) {
  HIP_NONNULL(ctx);
  HIP_TRY_ASSIGN(Device * d, device_of(ctx));
  thread_state().contexts.push_back(context_of(Runtime::get().current()));
  make_current(*d);
  return {};
}

Result hipCtxPopCurrent(hipCtx_t* ctx) {
  auto& t = thread_state();
  if (t.contexts.empty()) return Result(hipErrorInvalidContext, "no context was pushed");
  if (ctx) *ctx = context_of(Runtime::get().current());
  HIP_TRY_ASSIGN(Device * before, device_of(t.contexts.back()));
  t.contexts.pop_back();
  make_current(*before);
  return {};
}

Result hipCtxSetCurrent(hipCtx_t ctx) {
  if (!ctx) {
    thread_state().contexts.clear();
    return {};
  }
  HIP_TRY_ASSIGN(Device * d, device_of(ctx));
  make_current(*d);
  return {};
}

Result hipCtxGetCurrent(hipCtx_t* ctx) {
  HIP_NONNULL(ctx);
  *ctx = context_of(Runtime::get().current());
  return {};
}

Result hipCtxGetDevice(hipDevice_t* device) { return impl::hipGetDevice(device); }

Result hipCtxGetApiVersion(hipCtx_t ctx, unsigned int* apiVersion) {
  HIP_NONNULL(apiVersion);
  if (ctx) HIP_TRY(device_of(ctx));
  *apiVersion = 4;
  return {};
}

Result hipCtxGetCacheConfig(hipFuncCache_t* config) { return impl::hipDeviceGetCacheConfig(config); }
Result hipCtxSetCacheConfig(hipFuncCache_t config) { return impl::hipDeviceSetCacheConfig(config); }
Result hipCtxGetSharedMemConfig(hipSharedMemConfig* config) { return impl::hipDeviceGetSharedMemConfig(config); }
Result hipCtxSetSharedMemConfig(hipSharedMemConfig config) { return impl::hipDeviceSetSharedMemConfig(config); }
Result hipCtxSynchronize() { return impl::hipDeviceSynchronize(); }
Result hipCtxGetFlags(unsigned int* flags) { return impl::hipGetDeviceFlags(flags); }

Result hipDevicePrimaryCtxGetState(hipDevice_t device, unsigned int* flags, int* active) {
  HIP_NONNULL(flags);
  HIP_NONNULL(active);
  HIP_TRY_ASSIGN(Device * d, Runtime::get().device(device));
  *flags = d->flags;
  *active = d->context_active;
  return {};
}

Result hipDevicePrimaryCtxRetain(hipCtx_t* pctx, hipDevice_t device) {
  HIP_NONNULL(pctx);
  HIP_TRY_ASSIGN(Device * d, Runtime::get().device(device));
  d->context_active = true;
  *pctx = context_of(*d);
  return {};
}

Result hipDevicePrimaryCtxRelease(hipDevice_t device) {
  HIP_TRY(Runtime::get().device(device));
  return {};
}

Result hipDevicePrimaryCtxReset(hipDevice_t device) {
  HIP_TRY_ASSIGN(Device * d, Runtime::get().device(device));
  return reset(*d);
}

Result hipDevicePrimaryCtxSetFlags(hipDevice_t device, unsigned int flags) {
  HIP_TRY(check_device_flags(flags));
  HIP_TRY_ASSIGN(Device * d, Runtime::get().device(device));
  d->flags = flags;
  return {};
}

// ---- Errors ---------------------------------------------------------------------------------------------------------

Result hipGetLastError() {
  auto& t = thread_state();
  return std::exchange(t.last_error, hipSuccess);
}
Result hipPeekAtLastError() { return thread_state().last_error; }
Result hipExtGetLastError() { return std::exchange(thread_state().last_status, hipSuccess); }

} // namespace bz::hip::impl
