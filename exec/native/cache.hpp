// Native code on disk, so that a kernel is compiled once per machine and not once per process. One file per image, named by a hash
// of what it was made from; the whole of that stands in the file and is compared. Files are written aside and renamed, so that any
// number of processes may read and write; what is damaged is removed. Must not know the compiler.
//
// BZ_CACHE=0 turns it off; BZ_CACHE_DIR names the folder (default: boltzmann/kernels in XDG_CACHE_HOME or ~/.cache);
// BZ_CACHE_MB limits it (512): what was used longest ago goes.
#pragma once
#include "base/status.hpp"
#include "exec/native/abi.hpp"

#include <atomic>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace bz::exec {

/// Everything that an image depends on: the request without its address, the compiler's build, the processor.
using ImageIdentity = std::vector<uint8_t>;
ImageIdentity image_identity(const NativeRequest& request, const std::string& build);

/// What tells one build of a shared object from another: its build id or, without one, size and time; empty if there is no such file.
std::string build_of(const std::string& path);

class KernelCache {
public:
  /// As the environment has it. A folder that can't be used, or is open to others, is named in a warning, and nothing is kept.
  static KernelCache from_environment();
  KernelCache(std::string folder, uint64_t limit_bytes) : folder_(std::move(folder)), limit_(limit_bytes) {}
  KernelCache(KernelCache&& other) noexcept : folder_(std::move(other.folder_)), limit_(other.limit_) {}

  bool on() const { return !folder_.empty(); }
  /// The image with this identity, if it is there.
  std::optional<NativeImage> load(const ImageIdentity& identity) const;
  void store(const ImageIdentity& identity, const NativeImage& image);
  /// Removes what was used longest ago until the limit holds, and what writers left behind.
  void trim() const;

private:
  std::string file_of(const ImageIdentity& identity) const;
  std::string folder_;       ///< empty: off
  uint64_t limit_ = 0;
  std::atomic<uint32_t> stored_{0};
};

} // namespace bz::exec
