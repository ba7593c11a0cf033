// The host side of device printf, assert and malloc: one buffer and one service thread per device, and the formatter.
// The layout and the order of steps are devicelibs/printf_protocol.h. Must not know launches.
#pragma once
#include "base/status.hpp"
#include "devicelibs/printf_protocol.h"

#include <hsa/hsa.h>

#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

namespace bz::hip {

class Device;

/// Messages that grow over many packets, and printing them. Pure data: tested without a device.
class PrintfMessages {
public:
  /// One lane's part of a printf packet; slot 0 (and 1) receive the answer. Returns text to print when a message is
  /// done.
  struct Finished {
    std::string text;
    bool to_stderr = false;
  };
  bool part(uint64_t* slots, Finished& finished);
  size_t open_messages() const { return messages_.size(); }

private:
  std::map<uint64_t, std::vector<uint64_t>> messages_;
  uint64_t next_id_ = 1;
};

/// Formats the qwords of a finished message (flags, format, arguments). What the format asks for and the message
/// doesn't have prints as nothing.
PrintfMessages::Finished format_message(const std::vector<uint64_t>& qwords);

class HostcallService {
public:
  static Expected<std::unique_ptr<HostcallService>> start(Device& device);
  ~HostcallService();

  /// What hidden_hostcall_buffer points at.
  bz_hostcall_buffer* buffer() const { return buffer_; }
  /// Serves what waits now, on the calling thread.
  void drain();

private:
  explicit HostcallService(Device& device) : device_(device) {}
  void serve(bz_hostcall_header& header, bz_hostcall_payload& payload);
  void run();

  Device& device_;
  bz_hostcall_buffer* buffer_ = nullptr;
  hsa_signal_t doorbell_{};
  std::mutex mutex_; ///< one server at a time
  PrintfMessages messages_;
};

} // namespace bz::hip
