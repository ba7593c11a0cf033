// What the driver shows in /dev and /sys: the topology, device nodes, and what clients look up about a render node. Texts
// only; who opens what is process.hpp's.
#pragma once
#include "kfd/topology.hpp"

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace bz::kfd {

// Device numbers: DRM's major is the kernel's constant, KFD's is a dynamic one (here: of the range for local use).
inline constexpr uint32_t kDrmMajor = 226, kKfdMajor = 241;

class Files {
public:
  Files(std::vector<gpu::Product> gpus, gpu::Machine machine);
  std::optional<std::string> file(std::string_view path) const;
  /// The list that entry.h describes.
  std::string list() const;
  const std::vector<gpu::Product>& gpus() const { return gpus_; }

private:
  std::optional<std::string> render_file(uint32_t index, std::string_view name) const;

  std::vector<gpu::Product> gpus_;
  Topology topology_;
};

} // namespace bz::kfd
