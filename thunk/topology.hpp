// The topology as libhsakmt's structures, read from the driver's sysfs files. Owns no descriptor but those it reads.
#pragma once
#include "hsakmt/hsakmttypes.h"
#include "thunk/driver.hpp"

#include <mutex>
#include <vector>

namespace bz::thunk {

struct Node {
  uint32_t gpu_id = 0; ///< 0: a CPU node
  HsaNodeProperties properties{};
  uint32_t gfx_target_version = 0;
  uint32_t arrays_per_engine = 1;
};

class Topology {
public:
  /// All nodes. not_found: the driver shows none.
  static Expected<Topology> read(const Driver& driver);

  const std::vector<Node>& nodes() const { return nodes_; }
  const Node* node(uint32_t id) const { return id < nodes_.size() ? &nodes_[id] : nullptr; }
  /// The node of a GPU id, or -1.
  int node_of(uint32_t gpu_id) const;
  HsaSystemProperties system(const Driver& driver) const;
  /// False if the file isn't there.
  bool memory(const Driver& driver, uint32_t node, uint32_t bank, HsaMemoryProperties& out) const;
  bool cache(const Driver& driver, uint32_t node, uint32_t index, HsaCacheProperties& out) const;
  bool link(const Driver& driver, uint32_t node, uint32_t index, HsaIoLinkProperties& out) const;

private:
  std::vector<Node> nodes_;
};

} // namespace bz::thunk
