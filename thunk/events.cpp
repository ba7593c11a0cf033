#include "thunk/events.hpp"

#include "abi/help.hpp"
#include "abi/kfd_ioctl.hpp"

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cstring>

namespace bz::thunk {
namespace {

constexpr uint64_t kPageBytes = KFD_SIGNAL_EVENT_LIMIT * 8;

void take_memory_fault(HsaEvent& event, const kfd_hsa_memory_exception_data& data, const Topology& topology) {
  HsaMemoryAccessFault& fault = event.EventData.EventData.MemoryAccessFault;
  fault = {};
  int node = topology.node_of(data.gpu_id);
  fault.NodeId = node < 0 ? 0 : static_cast<HSAuint32>(node);
  fault.VirtualAddress = data.va;
  fault.Failure.NotPresent = data.failure.NotPresent != 0;
  fault.Failure.ReadOnly = data.failure.ReadOnly != 0;
  fault.Failure.NoExecute = data.failure.NoExecute != 0;
  fault.Failure.Imprecise = data.failure.imprecise != 0;
  fault.Failure.ErrorType = data.ErrorType & 7;
  fault.Failure.ECC = data.ErrorType == KFD_MEM_ERR_SRAM_ECC || data.ErrorType == KFD_MEM_ERR_POISON_CONSUMED;
  fault.Flags = HSA_EVENTID_MEMORY_FATAL_PROCESS;
}

} // namespace

void EventManager::destroy_all() {
  std::lock_guard lock(mutex_);
  for (HsaEvent* event : events_) {
    kfd_ioctl_destroy_event_args args{event->EventId, 0};
    (void)channel_.call(AMDKFD_IOC_DESTROY_EVENT, args, "DESTROY_EVENT");
    delete event;
  }
  events_.clear();
}

EventManager::~EventManager() {
  destroy_all();
  if (page_) {
    (void)memory_.unmap(reinterpret_cast<void*>(page_));
    (void)memory_.free(reinterpret_cast<void*>(page_));
  }
}

/// The mailboxes are memory that every GPU can write: one page of ours, which the driver is told with the first event.
HSAKMT_STATUS EventManager::make_page(uint64_t& handle) {
  handle = 0;
  if (channel_.gpus().empty()) return HSAKMT_STATUS_SUCCESS;
  if (!page_) {
    HsaMemFlags flags{};
    flags.ui32.NonPaged = 1;
    flags.ui32.HostAccess = 1;
    void* p = nullptr;
    if (auto s = memory_.allocate(0, kPageBytes, 0, flags, &p); s != HSAKMT_STATUS_SUCCESS) return s;
    page_ = reinterpret_cast<uint64_t>(p);
    if (auto s = memory_.map(p, kPageBytes, nullptr, nullptr); s != HSAKMT_STATUS_SUCCESS) return s;
  }
  if (!page_announced_) handle = memory_.handle_of(reinterpret_cast<void*>(page_));
  return HSAKMT_STATUS_SUCCESS;
}

HSAKMT_STATUS EventManager::create(const HsaEventDescriptor& descriptor, bool manual_reset, bool signaled,
                                   HsaEvent** out) {
  if (static_cast<uint32_t>(descriptor.EventType) >= HSA_EVENTTYPE_MAXID)
    return fail(HSAKMT_STATUS_INVALID_PARAMETER, "event type {} is not defined",
                static_cast<int>(descriptor.EventType));
  if (!channel_.topology().node(descriptor.NodeId))
    return fail(HSAKMT_STATUS_INVALID_NODE_UNIT, "there is no node {}", descriptor.NodeId);
  std::lock_guard lock(mutex_);
  kfd_ioctl_create_event_args args{};
  args.event_type = descriptor.EventType;
  args.node_id = descriptor.NodeId;
  args.auto_reset = !manual_reset;
  if (auto s = make_page(args.event_page_offset); s != HSAKMT_STATUS_SUCCESS) return s;
  bool announces = args.event_page_offset != 0;
  if (auto s = channel_.call(AMDKFD_IOC_CREATE_EVENT, args, "CREATE_EVENT"); s != HSAKMT_STATUS_SUCCESS) return s;
  if (announces) page_announced_ = true;
  auto* event = new HsaEvent{};
  event->EventId = args.event_id;
  event->EventData.EventType = descriptor.EventType;
  event->EventData.EventData.SyncVar = descriptor.SyncVar;
  event->EventData.HWData1 = args.event_id;
  event->EventData.HWData2 = page_ ? page_ + uint64_t{args.event_slot_index} * 8 : 0;
  event->EventData.HWData3 = args.event_trigger_data;
  events_.insert(event);
  if (signaled && descriptor.EventType == HSA_EVENTTYPE_SIGNAL) {
    kfd_ioctl_set_event_args set{args.event_id, 0};
    if (auto s = channel_.call(AMDKFD_IOC_SET_EVENT, set, "SET_EVENT"); s != HSAKMT_STATUS_SUCCESS) {
      kfd_ioctl_destroy_event_args destroy{args.event_id, 0};
      (void)channel_.call(AMDKFD_IOC_DESTROY_EVENT, destroy, "DESTROY_EVENT");
      events_.erase(event);
      delete event;
      return s;
    }
  }
  *out = event;
  return HSAKMT_STATUS_SUCCESS;
}

bool EventManager::known(HsaEvent* event) {
  std::lock_guard lock(mutex_);
  return events_.contains(event);
}

HSAKMT_STATUS EventManager::destroy(HsaEvent* event) {
  std::lock_guard lock(mutex_);
  if (!events_.contains(event)) return fail(HSAKMT_STATUS_INVALID_HANDLE, "no such event");
  kfd_ioctl_destroy_event_args args{event->EventId, 0};
  HSAKMT_STATUS s = channel_.call(AMDKFD_IOC_DESTROY_EVENT, args, "DESTROY_EVENT");
  if (s != HSAKMT_STATUS_SUCCESS) return s;
  events_.erase(event);
  delete event;
  return HSAKMT_STATUS_SUCCESS;
}

HSAKMT_STATUS EventManager::set(HsaEvent* event) {
  if (!known(event)) return fail(HSAKMT_STATUS_INVALID_HANDLE, "no such event");
  if (event->EventData.EventType != HSA_EVENTTYPE_SIGNAL)
    return fail(HSAKMT_STATUS_ERROR, "only signal events can be set");
  kfd_ioctl_set_event_args args{event->EventId, 0};
  return channel_.call(AMDKFD_IOC_SET_EVENT, args, "SET_EVENT");
}

HSAKMT_STATUS EventManager::reset(HsaEvent* event) {
  if (!known(event)) return fail(HSAKMT_STATUS_INVALID_HANDLE, "no such event");
  if (event->EventData.EventType != HSA_EVENTTYPE_SIGNAL)
    return fail(HSAKMT_STATUS_ERROR, "only signal events can be reset");
  kfd_ioctl_reset_event_args args{event->EventId, 0};
  return channel_.call(AMDKFD_IOC_RESET_EVENT, args, "RESET_EVENT");
}

HSAKMT_STATUS EventManager::query(HsaEvent* event) { return wait(&event, 1, false, 0, nullptr); }

HSAKMT_STATUS EventManager::help(const volatile int64_t* value, uint32_t condition, int64_t compare, uint32_t event_id,
                                 uint32_t timeout_us, uint32_t& result) {
  if (!can_help_.load(std::memory_order_relaxed)) return HSAKMT_STATUS_NOT_SUPPORTED;
  abi::bz_kfd_help_args args{};
  args.value_address = reinterpret_cast<uint64_t>(value);
  args.condition = condition;
  args.compare = compare;
  args.event_id = event_id;
  args.timeout_us = timeout_us;
  int r = channel_.ioctl_errno(abi::BZ_KFD_IOC_HELP, &args);
  if (r == -ENOTTY) {
    can_help_.store(false, std::memory_order_relaxed);
    return HSAKMT_STATUS_NOT_SUPPORTED;
  }
  if (r != 0) return fail(status_of(-r), "HELP: {}", std::strerror(-r));
  result = args.result;
  return HSAKMT_STATUS_SUCCESS;
}

HSAKMT_STATUS EventManager::wait(HsaEvent** events, uint32_t count, bool all, uint32_t milliseconds, uint64_t* ages) {
  if (!events || count == 0) return fail(HSAKMT_STATUS_INVALID_HANDLE, "no events to wait for");
  std::vector<kfd_event_data> data(count);
  for (uint32_t i = 0; i < count; ++i) {
    if (!events[i] || !known(events[i]))
      return fail(HSAKMT_STATUS_INVALID_HANDLE, "event {} of {} doesn't exist", i, count);
    data[i].event_id = events[i]->EventId;
    if (ages && events[i]->EventData.EventType == HSA_EVENTTYPE_SIGNAL)
      data[i].signal_event_data.last_event_age = ages[i];
  }
  // A thread that waits for one signal lends itself to the device first; who waits for several is a service thread.
  if (count == 1 && milliseconds != 0 && events[0]->EventData.EventType == HSA_EVENTTYPE_SIGNAL) {
    constexpr uint32_t kSliceUs = 10'000;
    using Clock = std::chrono::steady_clock;
    auto end = Clock::now() + std::chrono::milliseconds(milliseconds);
    bool infinite = milliseconds == HSA_EVENTTIMEOUT_INFINITE;
    uint32_t result = static_cast<uint32_t>(abi::HelpResult::timed_out);
    while (result == static_cast<uint32_t>(abi::HelpResult::timed_out)) {
      auto left = std::chrono::duration_cast<std::chrono::microseconds>(end - Clock::now()).count();
      if (!infinite && left <= 0) break;
      uint32_t slice = infinite ? kSliceUs : static_cast<uint32_t>(std::min<int64_t>(left, kSliceUs));
      if (help(nullptr, 0, 0, data[0].event_id, slice, result) != HSAKMT_STATUS_SUCCESS) break;
    }
    if (!infinite) {
      auto left = std::chrono::ceil<std::chrono::milliseconds>(end - Clock::now()).count();
      milliseconds = static_cast<uint32_t>(std::max<int64_t>(left, 0));
    }
  }
  kfd_ioctl_wait_events_args args{};
  args.events_ptr = reinterpret_cast<uint64_t>(data.data());
  args.num_events = count;
  args.wait_for_all = all;
  args.timeout = milliseconds;
  int r = channel_.ioctl_errno(AMDKFD_IOC_WAIT_EVENTS, &args);
  if (r != 0) return fail(HSAKMT_STATUS_WAIT_FAILURE, "WAIT_EVENTS: {}", std::strerror(-r));
  if (args.wait_result == KFD_IOC_WAIT_RESULT_TIMEOUT) return HSAKMT_STATUS_WAIT_TIMEOUT;
  if (args.wait_result != KFD_IOC_WAIT_RESULT_COMPLETE) return HSAKMT_STATUS_WAIT_FAILURE;
  for (uint32_t i = 0; i < count; ++i) {
    HsaEvent& event = *events[i];
    const kfd_event_data& d = data[i];
    if (event.EventData.EventType == HSA_EVENTTYPE_MEMORY && d.memory_exception_data.gpu_id != 0)
      take_memory_fault(event, d.memory_exception_data, channel_.topology());
    else if (event.EventData.EventType == HSA_EVENTTYPE_HW_EXCEPTION && d.hw_exception_data.gpu_id != 0) {
      HsaHwException& e = event.EventData.EventData.HwException;
      int node = channel_.topology().node_of(d.hw_exception_data.gpu_id);
      e.NodeId = node < 0 ? 0 : static_cast<HSAuint32>(node);
      e.ResetType = d.hw_exception_data.reset_type;
      e.MemoryLost = d.hw_exception_data.memory_lost;
      e.ResetCause = static_cast<HSA_EVENTID_HW_EXCEPTION_CAUSE>(d.hw_exception_data.reset_cause);
    } else if (ages && event.EventData.EventType == HSA_EVENTTYPE_SIGNAL)
      ages[i] = d.signal_event_data.last_event_age;
  }
  return HSAKMT_STATUS_SUCCESS;
}

} // namespace bz::thunk
