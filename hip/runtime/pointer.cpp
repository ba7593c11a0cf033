// Facts about pointers, and hints about memory that host and devices share.
#include "base/readable.hpp"
#include "hip/runtime/array.hpp"
#include "hip/runtime/impl.hpp"
#include "hip/runtime/memory.hpp"

#include <algorithm>
#include <cstring>
#include <map>

namespace bz::hip::impl {
namespace {

uintptr_t number(const void* p) { return reinterpret_cast<uintptr_t>(p); }

hipMemoryType memory_type(const Allocation& a) {
  switch (a.kind) {
  case MemoryKind::device:
  case MemoryKind::graph:
  case MemoryKind::symbol:
  case MemoryKind::pooled:
  case MemoryKind::array:
  case MemoryKind::imported:
  case MemoryKind::mapped:
    return hipMemoryTypeDevice;
  case MemoryKind::host:
  case MemoryKind::registered:
    return hipMemoryTypeHost;
  case MemoryKind::managed:
    return hipMemoryTypeManaged;
  }
  return hipMemoryTypeUnregistered;
}

void* device_pointer(const Allocation& a, const void* ptr) {
  return reinterpret_cast<void*>(a.device_base + (number(ptr) - a.base));
}

template <class T> void store(void* data, T value) { std::memcpy(data, &value, sizeof value); }

/// Writes one attribute, or zeros if `a` is empty. hipErrorInvalidValue for an attribute that doesn't exist.
Result pointer_attribute(void* data, hipPointer_attribute which, const void* ptr, const std::optional<Allocation>& a) {
  switch (which) {
  case HIP_POINTER_ATTRIBUTE_CONTEXT:
    store<void*>(data, a ? Runtime::get().devices()[size_t(a->device)].get() : nullptr);
    return {};
  case HIP_POINTER_ATTRIBUTE_MEMORY_TYPE:
    store<unsigned>(data, a ? unsigned(a->kind == MemoryKind::managed ? hipMemoryTypeUnified : memory_type(*a)) : 0);
    return {};
  case HIP_POINTER_ATTRIBUTE_DEVICE_POINTER:
    store<void*>(data, a ? device_pointer(*a, ptr) : nullptr);
    return {};
  case HIP_POINTER_ATTRIBUTE_HOST_POINTER:
    if (a && a->on_device()) {
      store<void*>(data, nullptr);
      return fail(hipErrorInvalidValue, "{} is device memory: it has no host pointer", ptr);
    }
    store<void*>(data, a ? const_cast<void*>(ptr) : nullptr);
    return {};
  case HIP_POINTER_ATTRIBUTE_BUFFER_ID:
    store<unsigned long long>(data, a ? a->id : 0);
    return {};
  case HIP_POINTER_ATTRIBUTE_IS_MANAGED:
    store<bool>(data, a && a->kind == MemoryKind::managed);
    return {};
  case HIP_POINTER_ATTRIBUTE_DEVICE_ORDINAL:
    store<int>(data, a ? a->device : hipInvalidDeviceId);
    return {};
  case HIP_POINTER_ATTRIBUTE_RANGE_START_ADDR:
    store<void*>(data, a ? reinterpret_cast<void*>(a->device_base) : nullptr);
    return {};
  case HIP_POINTER_ATTRIBUTE_RANGE_SIZE:
    store<size_t>(data, a ? a->size : 0);
    return {};
  case HIP_POINTER_ATTRIBUTE_MAPPED:
    store<bool>(data, a.has_value());
    return {};
  case HIP_POINTER_ATTRIBUTE_ALLOWED_HANDLE_TYPES:
    store<unsigned long long>(data, a && a->kind == MemoryKind::mapped ? hipMemHandleTypePosixFileDescriptor : 0);
    return {};
  case HIP_POINTER_ATTRIBUTE_ACCESS_FLAGS:
    store<hipMemAccessFlags>(data, a ? hipMemAccessFlagsProtReadWrite : hipMemAccessFlagsProtNone);
    return {};
  case HIP_POINTER_ATTRIBUTE_MEMPOOL_HANDLE:
    store<const void*>(data, a ? a->pool : nullptr);
    return {};
  case HIP_POINTER_ATTRIBUTE_IS_GPU_DIRECT_RDMA_CAPABLE:
    store<bool>(data, false);
    return {};
  case HIP_POINTER_ATTRIBUTE_IS_LEGACY_HIP_IPC_CAPABLE:
    store<bool>(data, a && a->kind == MemoryKind::device);
    return {};
  case HIP_POINTER_ATTRIBUTE_SYNC_MEMOPS:
    store<bool>(data, a && a->synchronous);
    return {};
  case HIP_POINTER_ATTRIBUTE_P2P_TOKENS:
    return fail(hipErrorNotSupported, "pointer attribute {} is not supported", static_cast<int>(which));
  }
  return fail(hipErrorInvalidValue, "pointer attribute {} doesn't exist", static_cast<int>(which));
}

// ---- Hints: all memory is accessible everywhere, so they change nothing; they are kept for those who ask
// --------------

struct Hints {
  bool read_mostly = false;
  int preferred = hipInvalidDeviceId;
  int last_prefetch = hipInvalidDeviceId;
  hipMemRangeCoherencyMode coherency = hipMemRangeCoherencyModeFineGrain;
  std::vector<int> accessed_by; ///< ascending
  bool operator==(const Hints&) const = default;
};

/// The hints of one allocation by pages: each entry holds from its address to that of the next one.
class HintedPages {
public:
  template <class F> void change(uintptr_t begin, uintptr_t end, F change) {
    begin = begin / kPage * kPage;
    end = (end + kPage - 1) / kPage * kPage;
    auto stop = split(end);
    for (auto it = split(begin); it != stop; ++it) change(it->second);
  }
  /// What holds for all pages of a range; what doesn't is as if never said.
  Hints common(uintptr_t begin, uintptr_t end) const {
    auto it = std::prev(pages_.upper_bound(begin));
    Hints all = it->second;
    for (++it; it != pages_.end() && it->first < end; ++it) {
      const Hints& h = it->second;
      all.read_mostly &= h.read_mostly;
      if (h.preferred != all.preferred) all.preferred = hipInvalidDeviceId;
      if (h.last_prefetch != all.last_prefetch) all.last_prefetch = hipInvalidDeviceId;
      if (h.coherency != all.coherency) all.coherency = hipMemRangeCoherencyModeIndeterminate;
      std::erase_if(all.accessed_by,
                    [&](int d) { return !std::binary_search(h.accessed_by.begin(), h.accessed_by.end(), d); });
    }
    return all;
  }

private:
  static constexpr uintptr_t kPage = 4096;
  std::map<uintptr_t, Hints>::iterator split(uintptr_t at) {
    return pages_.try_emplace(at, std::prev(pages_.upper_bound(at))->second).first;
  }
  std::map<uintptr_t, Hints> pages_{{0, Hints{}}};
};

std::mutex hints_mutex;
std::map<uint64_t, HintedPages>& hints() { // by allocation id; 0: memory of the program
  static auto& map = *new std::map<uint64_t, HintedPages>;
  return map;
}

Outcome<Allocation> managed_range(const void* ptr, size_t count) {
  if (!ptr) return Result(hipErrorInvalidValue, "argument dev_ptr is null");
  if (count == 0) return Result(hipErrorInvalidValue, "a range of 0 bytes");
  auto a = check_range("dev_ptr", ptr, count);
  if (!a.ok()) return a.result();
  if (!*a || (*a)->kind != MemoryKind::managed) return fail(hipErrorInvalidValue, "{} is not managed memory", ptr);
  return **a;
}

/// The memory that a hint is about: managed, or the program's own, which kernels reach as well.
Outcome<Allocation> hinted_range(const void* ptr, size_t count) {
  if (ptr && count != 0)
    if (auto a = check_range("dev_ptr", ptr, count); a.ok() && !*a && readable(ptr, count)) return Allocation{};
  return managed_range(ptr, count);
}

Result check_location(int device) {
  if (device == hipCpuDeviceId) return {};
  auto d = Runtime::get().device(device);
  return d.ok() ? Result() : d.result();
}

} // namespace

Result hipPointerGetAttributes(hipPointerAttribute_t* attributes, const void* ptr) {
  HIP_NONNULL(attributes);
  HIP_NONNULL(ptr);
  *attributes = {};
  auto a = Runtime::get().memory.find(ptr);
  if (!a) {
    attributes->type = hipMemoryTypeUnregistered;
    attributes->device = hipInvalidDeviceId;
    return {};
  }
  attributes->type = memory_type(*a);
  attributes->device = a->device;
  attributes->devicePointer = device_pointer(*a, ptr);
  attributes->hostPointer = a->on_device() ? nullptr : const_cast<void*>(ptr);
  attributes->isManaged = a->kind == MemoryKind::managed;
  attributes->allocationFlags = a->flags;
  return {};
}

Result hipPointerGetAttribute(void* data, hipPointer_attribute which, hipDeviceptr_t ptr) {
  HIP_NONNULL(data);
  HIP_NONNULL(ptr);
  if (which == HIP_POINTER_ATTRIBUTE_MEMORY_TYPE && Runtime::get().arrays.find(ptr)) {
    store<unsigned>(data, hipMemoryTypeArray);
    return {};
  }
  auto a = Runtime::get().memory.find(ptr);
  if (!a) return fail(hipErrorInvalidValue, "{} points into no memory of HIP", ptr);
  return pointer_attribute(data, which, ptr, a);
}

Result hipPointerSetAttribute(const void* value, hipPointer_attribute which, hipDeviceptr_t ptr) {
  HIP_NONNULL(value);
  HIP_NONNULL(ptr);
  if (which < HIP_POINTER_ATTRIBUTE_CONTEXT || which > HIP_POINTER_ATTRIBUTE_MEMPOOL_HANDLE)
    return fail(hipErrorInvalidValue, "pointer attribute {} doesn't exist", static_cast<int>(which));
  if (which != HIP_POINTER_ATTRIBUTE_SYNC_MEMOPS)
    return fail(hipErrorInvalidValue, "pointer attribute {} can only be read", static_cast<int>(which));
  auto& memory = Runtime::get().memory;
  auto a = memory.find(ptr);
  if (!a || !a->on_device()) return fail(hipErrorInvalidDevicePointer, "{} is no device memory of HIP", ptr);
  if (!memory.set_synchronous(reinterpret_cast<void*>(a->base), *static_cast<const bool*>(value)))
    return fail(hipErrorInvalidDevicePointer, "{} was freed", ptr);
  return {};
}

Result hipDrvPointerGetAttributes(unsigned int count, hipPointer_attribute* which, void** data, hipDeviceptr_t ptr) {
  HIP_NONNULL_AS(which, "attributes");
  HIP_NONNULL(data);
  HIP_NONNULL(ptr);
  if (count == 0) return Result(hipErrorInvalidValue, "no attributes are asked for");
  auto a = Runtime::get().memory.find(ptr);
  for (unsigned i = 0; i < count; ++i) {
    HIP_NONNULL_AS(data[i], fmt::format("data[{}]", i));
    Result r = pointer_attribute(data[i], which[i], ptr, a);
    // What a pointer doesn't have is zero here; only an attribute that doesn't exist is an error.
    if (!r.ok() && which[i] != HIP_POINTER_ATTRIBUTE_HOST_POINTER) return r;
  }
  return {};
}

Result hipMemPrefetchAsync(const void* ptr, size_t count, int device, hipStream_t stream) {
  HIP_TRY_ASSIGN(StreamPtr s, Runtime::get().stream(stream));
  HIP_TRY(check_location(device));
  HIP_TRY_ASSIGN(Allocation a, managed_range(ptr, count));
  std::lock_guard lock(hints_mutex);
  hints()[a.id].change(number(ptr), number(ptr) + count, [&](Hints& h) { h.last_prefetch = device; });
  return {};
}

namespace {

bool coarse_advice(hipMemoryAdvise advice) {
  return advice == hipMemAdviseSetCoarseGrain || advice == hipMemAdviseUnsetCoarseGrain;
}

void follow(Hints& h, hipMemoryAdvise advice, int device) {
  auto at = std::lower_bound(h.accessed_by.begin(), h.accessed_by.end(), device);
  const bool accessed = at != h.accessed_by.end() && *at == device;
  switch (advice) {
  case hipMemAdviseSetReadMostly:
    h.read_mostly = true;
    break;
  case hipMemAdviseUnsetReadMostly:
    h.read_mostly = false;
    break;
  case hipMemAdviseSetPreferredLocation:
    h.preferred = device;
    break;
  case hipMemAdviseUnsetPreferredLocation:
    h.preferred = hipInvalidDeviceId;
    break;
  case hipMemAdviseSetAccessedBy:
    if (!accessed) h.accessed_by.insert(at, device);
    break;
  case hipMemAdviseUnsetAccessedBy:
    if (accessed) h.accessed_by.erase(at);
    break;
  case hipMemAdviseSetCoarseGrain:
    h.coherency = hipMemRangeCoherencyModeCoarseGrain;
    break;
  case hipMemAdviseUnsetCoarseGrain:
    h.coherency = hipMemRangeCoherencyModeFineGrain;
    break;
  }
}

} // namespace

Result hipMemAdvise(const void* ptr, size_t count, hipMemoryAdvise advice, int device) {
  HIP_TRY_ASSIGN(Allocation a, hinted_range(ptr, count));
  const bool takes_device = advice >= hipMemAdviseSetPreferredLocation && advice <= hipMemAdviseUnsetAccessedBy;
  if (takes_device) HIP_TRY(check_location(device));
  if (advice < hipMemAdviseSetReadMostly || (advice > hipMemAdviseUnsetAccessedBy && !coarse_advice(advice)))
    return fail(hipErrorInvalidValue, "memory advice {} doesn't exist", static_cast<int>(advice));
  std::lock_guard lock(hints_mutex);
  hints()[a.id].change(number(ptr), number(ptr) + count, [&](Hints& h) { follow(h, advice, device); });
  return {};
}

namespace {
/// The device number that the older functions take for a location.
Outcome<int> device_of(const hipMemLocation& location) {
  switch (location.type) {
  case hipMemLocationTypeDevice:
    return location.id;
  case hipMemLocationTypeHost:
  case hipMemLocationTypeHostNuma:
  case hipMemLocationTypeHostNumaCurrent:
    return int(hipCpuDeviceId);
  case hipMemLocationTypeInvalid:
    break;
  }
  return fail(hipErrorInvalidValue, "location type {} doesn't exist", static_cast<int>(location.type));
}
} // namespace

Result hipMemPrefetchAsync_v2(const void* ptr, size_t count, hipMemLocation location, unsigned int flags,
                              hipStream_t stream) {
  if (flags != 0) return fail(hipErrorInvalidValue, "flags are {:#x} but must be 0", flags);
  HIP_TRY_ASSIGN(int device, device_of(location));
  return impl::hipMemPrefetchAsync(ptr, count, device, stream);
}

Result hipMemAdvise_v2(const void* ptr, size_t count, hipMemoryAdvise advice, hipMemLocation location) {
  const bool takes_device = advice >= hipMemAdviseSetPreferredLocation && advice <= hipMemAdviseUnsetAccessedBy;
  int device = 0;
  if (takes_device) { HIP_TRY_ASSIGN(device, device_of(location)); }
  return impl::hipMemAdvise(ptr, count, advice, device);
}

Result hipMemRangeGetAttribute(void* data, size_t size, hipMemRangeAttribute which, const void* ptr, size_t count) {
  HIP_NONNULL(data);
  if (size == 0 || size % 4 != 0)
    return fail(hipErrorInvalidValue, "an attribute has 4-byte words, not {} bytes", size);
  auto one = [&](int value) {
    if (size != 4) return fail(hipErrorInvalidValue, "this attribute has 4 bytes, not {}", size);
    store<int>(data, value);
    return Result();
  };
  if (which == hipMemRangeAttributeCoherencyMode && ptr && count != 0) { // device memory has one as well
    HIP_TRY_ASSIGN(auto known, check_range("dev_ptr", ptr, count));
    if (known && known->on_device())
      return one(known->flags & hipDeviceMallocFinegrained ? hipMemRangeCoherencyModeFineGrain
                                                           : hipMemRangeCoherencyModeCoarseGrain);
  }
  HIP_TRY_ASSIGN(Allocation a, hinted_range(ptr, count));
  Hints h;
  {
    std::lock_guard lock(hints_mutex);
    if (auto it = hints().find(a.id); it != hints().end()) h = it->second.common(number(ptr), number(ptr) + count);
  }
  switch (which) {
  case hipMemRangeAttributeReadMostly:
    return one(h.read_mostly);
  case hipMemRangeAttributePreferredLocation:
    return one(h.preferred);
  case hipMemRangeAttributeLastPrefetchLocation:
    return one(h.last_prefetch);
  case hipMemRangeAttributeCoherencyMode:
    return one(h.coherency);
  case hipMemRangeAttributeAccessedBy: {
    auto* out = static_cast<int*>(data);
    for (size_t i = 0; i < size / 4; ++i) out[i] = i < h.accessed_by.size() ? h.accessed_by[i] : hipInvalidDeviceId;
    return {};
  }
  }
  return fail(hipErrorInvalidValue, "memory range attribute {} doesn't exist", static_cast<int>(which));
}

Result hipMemRangeGetAttributes(void** data, size_t* data_sizes, hipMemRangeAttribute* which, size_t number_of,
                                const void* ptr, size_t count) {
  HIP_NONNULL(data);
  HIP_NONNULL(data_sizes);
  HIP_NONNULL_AS(which, "attributes");
  if (number_of == 0) return Result(hipErrorInvalidValue, "no attributes are asked for");
  for (size_t i = 0; i < number_of; ++i)
    HIP_TRY(impl::hipMemRangeGetAttribute(data[i], data_sizes[i], which[i], ptr, count));
  return {};
}

Result hipStreamAttachMemAsync(hipStream_t stream, void* dev_ptr, size_t length, unsigned int flags) {
  HIP_TRY_ASSIGN(StreamPtr s, Runtime::get().stream(stream));
  HIP_NONNULL(dev_ptr);
  if (flags != hipMemAttachGlobal && flags != hipMemAttachHost && flags != hipMemAttachSingle)
    return fail(hipErrorInvalidValue, "attach flags {:#x} don't exist", flags);
  if (flags == hipMemAttachSingle && s->is_null())
    return Result(hipErrorInvalidValue, "memory can't be attached to the null stream alone");
  if (length != 0)
    if (auto found = check_range("dev_ptr", dev_ptr, length); found.ok() && !*found && readable(dev_ptr, length))
      return {}; // the program's own memory, which every stream may use
  HIP_TRY_ASSIGN(Allocation a, managed_range(dev_ptr, length ? length : 1));
  if (length != 0 && length != a.size)
    return fail(hipErrorInvalidValue, "length {} is neither 0 nor the {} bytes of the allocation", length, a.size);
  return {};
}

} // namespace bz::hip::impl
