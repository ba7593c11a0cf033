#include "hip/runtime/stream_attributes.hpp"
#include "hip/runtime/impl.hpp"
#include "hip/runtime/runtime.hpp"

namespace bz::hip {

Result check_window(const hipAccessPolicyWindow& w, const Device& device) {
  const int most = device.properties().accessPolicyMaxWindowSize;
  if (w.num_bytes > size_t(most))
    return fail(hipErrorInvalidValue, "an access policy window of {} bytes, the device has at most {}", w.num_bytes,
                most);
  if (!(w.hitRatio >= 0 && w.hitRatio <= 1))
    return fail(hipErrorInvalidValue, "a hit ratio of {}: it is from 0 to 1", w.hitRatio);
  if (w.missProp == hipAccessPropertyPersisting)
    return Result(hipErrorInvalidValue, "misses of an access policy window can't be persisting");
  return {};
}

namespace impl {

Result hipStreamGetAttribute(hipStream_t stream, hipLaunchAttributeID attr, hipLaunchAttributeValue* value_out) {
  HIP_NONNULL(value_out);
  HIP_TRY_ASSIGN(StreamPtr s, Runtime::get().stream(stream, StreamUse::inquire));
  const auto a = s->attributes();
  switch (int(attr)) {
  case hipLaunchAttributeSynchronizationPolicy:
    value_out->syncPolicy = a.sync_policy;
    return {};
  case hipLaunchAttributeAccessPolicyWindow:
    value_out->accessPolicyWindow = a.window;
    return {};
  case hipLaunchAttributeMemSyncDomain:
    value_out->memSyncDomain = a.domain;
    return {};
  case hipLaunchAttributeMemSyncDomainMap:
    value_out->memSyncDomainMap = a.domains;
    return {};
  case hipLaunchAttributePriority:
    value_out->priority = s->options().priority;
    return {};
  }
  return fail(hipErrorInvalidValue, "streams have no attribute {}", static_cast<int>(attr));
}

Result hipStreamSetAttribute(hipStream_t stream, hipLaunchAttributeID attr, const hipLaunchAttributeValue* value) {
  HIP_NONNULL(value);
  HIP_TRY_ASSIGN(StreamPtr s, Runtime::get().stream(stream, StreamUse::inquire));
  auto a = s->attributes();
  switch (int(attr)) {
  case hipLaunchAttributeSynchronizationPolicy:
    if (value->syncPolicy < hipSyncPolicyAuto || value->syncPolicy > hipSyncPolicyBlockingSync)
      return fail(hipErrorInvalidValue, "synchronization policy {} doesn't exist", static_cast<int>(value->syncPolicy));
    a.sync_policy = value->syncPolicy;
    break;
  case hipLaunchAttributeAccessPolicyWindow:
    HIP_TRY(check_window(value->accessPolicyWindow, s->device()));
    a.window = value->accessPolicyWindow;
    break;
  case hipLaunchAttributeMemSyncDomain:
    if (value->memSyncDomain != hipLaunchMemSyncDomainDefault && value->memSyncDomain != hipLaunchMemSyncDomainRemote)
      return fail(hipErrorInvalidValue, "memory sync domain {} doesn't exist", static_cast<int>(value->memSyncDomain));
    a.domain = value->memSyncDomain;
    break;
  case hipLaunchAttributeMemSyncDomainMap:
    a.domains = value->memSyncDomainMap;
    break;
  case hipLaunchAttributePriority:
    if (value->priority != s->options().priority)
      return Result(hipErrorNotSupported, "a stream keeps its priority: make one with hipStreamCreateWithPriority");
    return {};
  default:
    return fail(hipErrorInvalidValue, "streams have no attribute {}", static_cast<int>(attr));
  }
  s->set_attributes(a);
  return {};
}

Result hipStreamCopyAttributes(hipStream_t dst, hipStream_t src) {
  HIP_TRY_ASSIGN(StreamPtr to, Runtime::get().stream(dst, StreamUse::inquire));
  HIP_TRY_ASSIGN(StreamPtr from, Runtime::get().stream(src, StreamUse::inquire));
  if (&to->device() != &from->device())
    return Result(hipErrorInvalidValue, "attributes are copied between streams of one device");
  to->set_attributes(from->attributes());
  return {};
}

} // namespace impl
} // namespace bz::hip
