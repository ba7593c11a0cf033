#include "rocr/fault_watch.hpp"

#include "base/log.hpp"
#include "rocr/runtime.hpp"

#include <pthread.h>

#include <array>
#include <cstdlib>

namespace bz::rocr {

uint32_t fault_reasons(const HsaAccessAttributeFailure& f) {
  uint32_t reasons = 0;
  if (f.NotPresent) reasons |= HSA_AMD_MEMORY_FAULT_PAGE_NOT_PRESENT;
  if (f.ReadOnly) reasons |= HSA_AMD_MEMORY_FAULT_READ_ONLY;
  if (f.NoExecute) reasons |= HSA_AMD_MEMORY_FAULT_NX;
  if (f.GpuAccess) reasons |= HSA_AMD_MEMORY_FAULT_HOST_ONLY;
  if (f.Imprecise) reasons |= HSA_AMD_MEMORY_FAULT_IMPRECISE;
  if (f.ECC) reasons |= HSA_AMD_MEMORY_FAULT_DRAMECC;
  if (f.ErrorType == 1) reasons |= HSA_AMD_MEMORY_FAULT_SRAMECC;
  if (f.ErrorType == 3) reasons |= static_cast<uint32_t>(HSA_AMD_MEMORY_FAULT_HANG);
  return reasons;
}

std::string fault_reason_text(uint32_t reasons) {
  constexpr std::pair<uint32_t, const char*> kTexts[] = {
      {HSA_AMD_MEMORY_FAULT_PAGE_NOT_PRESENT, "Page not present or supervisor privilege"},
      {HSA_AMD_MEMORY_FAULT_READ_ONLY, "Write access to a read-only page"},
      {HSA_AMD_MEMORY_FAULT_NX, "Execute access to a page marked NX"},
      {HSA_AMD_MEMORY_FAULT_HOST_ONLY, "Host access only"},
      {HSA_AMD_MEMORY_FAULT_DRAMECC, "ECC failure of device memory"},
      {HSA_AMD_MEMORY_FAULT_SRAMECC, "ECC failure of on-chip memory"},
      {static_cast<uint32_t>(HSA_AMD_MEMORY_FAULT_HANG), "The device hangs"},
  };
  std::string text;
  for (const auto& [bit, name] : kTexts)
    if (reasons & bit) text += (text.empty() ? "" : "; ") + std::string(name);
  return text.empty() ? "Unknown" : text;
}

FaultWatch::~FaultWatch() {
  stop_ = true;
  thunk::set_event(wake_);
  if (thread_.joinable()) thread_.join();
  for (thunk::Event* e : {&memory_, &hardware_, &wake_}) thunk::destroy_event(*e);
}

Outcome FaultWatch::start() {
  ROCR_TRY(thunk::create_event(wake_, HSA_EVENTTYPE_SIGNAL, 0, false));
  const uint32_t node = runtime_.gpus().empty() ? 0 : runtime_.gpus().front()->node();
  ROCR_TRY(thunk::create_event(memory_, HSA_EVENTTYPE_MEMORY, node, true));
  if (Status s = thunk::create_event(hardware_, HSA_EVENTTYPE_HW_EXCEPTION, node, true); !s.ok())
    log("rocr", Level::debug, "device resets are not watched: {}", s.message());
  thread_ = std::thread([this] { run(); });
  pthread_setname_np(thread_.native_handle(), "bz-faults");
  return {};
}

void FaultWatch::add_handler(hsa_amd_system_event_callback_t callback, void* data) {
  std::lock_guard lock(mutex_);
  handlers_.emplace_back(callback, data);
}

void FaultWatch::run() {
  // Memory and hardware events carry their facts in the event structure, which a wait fills.
  std::vector<thunk::Event*> events = {&wake_, &memory_};
  if (hardware_.handle) events.push_back(&hardware_);
  memory_.handle->EventData.EventData.MemoryAccessFault = {};
  while (!stop_) {
    thunk::wait_events(events, HSA_EVENTTIMEOUT_INFINITE - 1);
    const HsaMemoryAccessFault fault = memory_.handle->EventData.EventData.MemoryAccessFault;
    if (fault.VirtualAddress || fault_reasons(fault.Failure)) {
      memory_.handle->EventData.EventData.MemoryAccessFault = {};
      hsaKmtResetEvent(memory_.handle);
      on_memory_fault(fault);
    }
    if (!hardware_.handle) continue;
    const HsaHwException exception = hardware_.handle->EventData.EventData.HwException;
    if (exception.ResetType) {
      hardware_.handle->EventData.EventData.HwException = {};
      hsaKmtResetEvent(hardware_.handle);
      on_hardware_exception(exception);
    }
  }
}

bool FaultWatch::handled(const hsa_amd_event_t& event) {
  std::vector<std::pair<hsa_amd_system_event_callback_t, void*>> handlers;
  {
    std::lock_guard lock(mutex_);
    handlers = handlers_;
  }
  bool done = false;
  for (const auto& [callback, data] : handlers) done = callback(&event, data) == HSA_STATUS_SUCCESS || done;
  return done;
}

void FaultWatch::on_memory_fault(const HsaMemoryAccessFault& fault) {
  const uint32_t reasons = fault_reasons(fault.Failure);
  Agent* agent = runtime_.agent_of_node(fault.NodeId);
  hsa_amd_event_t event{};
  event.event_type = HSA_AMD_GPU_MEMORY_FAULT_EVENT;
  event.memory_fault.agent = agent ? agent->handle() : hsa_agent_t{0};
  event.memory_fault.virtual_address = fault.VirtualAddress;
  event.memory_fault.fault_reason_mask = reasons;
  if (handled(event)) return;
  if (messages_)
    fmt::print(stderr, "Memory access fault by GPU node-{} ({}) on address {:#x}. Reason: {}.\n",
               uint32_t(fault.NodeId), agent ? agent->name() : "unknown agent", uint64_t(fault.VirtualAddress),
               fault_reason_text(reasons));
  std::abort();
}

void FaultWatch::on_hardware_exception(const HsaHwException& exception) {
  Agent* agent = runtime_.agent_of_node(exception.NodeId);
  hsa_amd_event_t event{};
  event.event_type = HSA_AMD_GPU_HW_EXCEPTION_EVENT;
  event.hw_exception.agent = agent ? agent->handle() : hsa_agent_t{0};
  event.hw_exception.reset_type = HSA_AMD_HW_EXCEPTION_RESET_TYPE_OTHER;
  event.hw_exception.reset_cause = exception.ResetCause == HSA_EVENTID_HW_EXCEPTION_ECC
                                       ? HSA_AMD_HW_EXCEPTION_CAUSE_ECC
                                       : HSA_AMD_HW_EXCEPTION_CAUSE_GPU_HANG;
  if (handled(event)) return;
  if (messages_)
    fmt::print(stderr, "GPU node-{} was reset after {}.\n", uint32_t(exception.NodeId),
               exception.ResetCause == HSA_EVENTID_HW_EXCEPTION_ECC ? "an ECC failure" : "a hang");
  std::abort();
}

} // namespace bz::rocr
