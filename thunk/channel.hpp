// The open channel to the driver: descriptors, nodes, and ioctls as HSAKMT statuses. One per process while it is open;
// the subsystems (memory, events, queues) hang on it. Knows no subsystem.
#pragma once
#include "base/log.hpp"
#include "hsakmt/hsakmt.h"
#include "thunk/driver.hpp"
#include "thunk/topology.hpp"

#include <memory>
#include <vector>

namespace bz::thunk {

/// A status other than success with a line for the log.
template <class... Args> HSAKMT_STATUS fail(HSAKMT_STATUS status, fmt::format_string<Args...> format, Args&&... args) {
  log("thunk", Level::debug, "status {}: {}", static_cast<int>(status),
      fmt::format(format, std::forward<Args>(args)...));
  return status;
}

class Channel {
public:
  static HSAKMT_STATUS open(std::unique_ptr<Channel>& out);
  ~Channel();
  Channel(const Channel&) = delete;
  Channel& operator=(const Channel&) = delete;

  const Driver& driver() const { return driver_; }
  const Topology& topology() const { return topology_; }
  int kfd() const { return kfd_; }
  int render(uint32_t node) const { return node < render_.size() ? render_[node] : -1; }
  /// Nodes that are GPUs, in order.
  const std::vector<uint32_t>& gpus() const { return gpus_; }
  /// The node if it is a GPU.
  const Node* gpu(uint32_t node) const {
    const Node* n = topology_.node(node);
    return n && n->gpu_id != 0 ? n : nullptr;
  }

  /// 0 or -errno.
  int ioctl_errno(unsigned long request, void* args) const { return driver_.ioctl(kfd_, request, args); }
  /// The usual translation; calls where an errno means something special look at it themselves.
  HSAKMT_STATUS ioctl(unsigned long request, void* args, const char* name) const;
  template <class Args> HSAKMT_STATUS call(unsigned long request, Args& args, const char* name) const {
    return ioctl(request, &args, name);
  }

private:
  Channel() = default;
  Driver driver_;
  Topology topology_;
  int kfd_ = -1;
  std::vector<int> render_;
  std::vector<uint32_t> gpus_;
};

/// errno (positive) of the driver as a status: the boundary's one translation.
HSAKMT_STATUS status_of(int error_number);

} // namespace bz::thunk
