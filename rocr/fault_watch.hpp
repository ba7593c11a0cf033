// Watches the driver's events that belong to no queue (memory faults, device resets) and tells the registered handlers;
// a memory fault that nobody handles is printed and ends the process, as in ROCm. Must not know what the device reports
// itself.
#pragma once
#include "rocr/outcome.hpp"
#include "rocr/thunk.hpp"

#include <atomic>
#include <mutex>
#include <thread>
#include <vector>

namespace bz::rocr {

class Runtime;

class FaultWatch {
public:
  FaultWatch(Runtime& runtime, bool messages) : runtime_(runtime), messages_(messages) {}
  ~FaultWatch();
  FaultWatch(const FaultWatch&) = delete;

  Outcome start();
  void add_handler(hsa_amd_system_event_callback_t callback, void* data);

private:
  void run();
  void on_memory_fault(const HsaMemoryAccessFault& fault);
  void on_hardware_exception(const HsaHwException& exception);
  bool handled(const hsa_amd_event_t& event);

  Runtime& runtime_;
  const bool messages_;
  std::mutex mutex_;
  std::vector<std::pair<hsa_amd_system_event_callback_t, void*>> handlers_;
  thunk::Event memory_, hardware_, wake_;
  std::atomic<bool> stop_{false};
  std::thread thread_;
};

/// Bits of hsa_amd_memory_fault_reason_t.
uint32_t fault_reasons(const HsaAccessAttributeFailure& failure);
/// "Page not present or supervisor privilege", for the message.
std::string fault_reason_text(uint32_t reasons);

} // namespace bz::rocr
