// The text of the topology files below /sys/devices/virtual/kfd/kfd/topology, as the kernel's driver would show them
// for the software devices. Node 0 is the host, node n + 1 is GPU n. Knows products, no queue and no memory.
#pragma once
#include "gpu/product.hpp"

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace bz::kfd {

inline constexpr std::string_view kTopologyRoot = "/sys/devices/virtual/kfd/kfd/topology";
inline constexpr uint32_t kFirstRenderMinor = 128;
inline constexpr uint32_t kGlobalWaveSync = 64; ///< barriers and semaphores of the whole device (ds_gws_*)

/// The id by which ioctls name GPU n; never 0, which is the host's.
uint32_t gpu_id_of(uint32_t index);
/// Where GPU n is on the bus: a bus of its own, as location_id says too.
std::string pci_address_of(uint32_t index);

class Topology {
public:
  Topology(std::vector<gpu::Product> gpus, gpu::Machine machine) : gpus_(std::move(gpus)), machine_(machine) {}
  /// The text of the file, or nothing if there is no such file. `path` is below kTopologyRoot, without a leading slash.
  std::optional<std::string> file(std::string_view path) const;
  /// The paths of all files, below kTopologyRoot too.
  std::vector<std::string> files() const;

private:
  struct Link {
    uint32_t type, to, weight;
  };
  std::string node_properties(uint32_t node) const;
  std::vector<Link> links(uint32_t node) const;
  size_t cache_count(const gpu::Product& p) const;
  std::optional<std::string> cache(const gpu::Product& p, size_t index) const;

  std::vector<gpu::Product> gpus_;
  gpu::Machine machine_;
};

} // namespace bz::kfd
