// Attributes of the program's own memory (AMDKFD_IOC_SVM): where a page should be, who may use it, how. They are kept and
// answered as the kernel does. This device reaches all memory of the process in place, so that none of them moves a page.
// Knows no device, only how many there are.
#pragma once
#include "abi/kfd_ioctl.hpp"
#include "base/status.hpp"

#include <cstdint>
#include <map>
#include <mutex>
#include <span>
#include <vector>

namespace bz::kfd {

class Svm {
public:
  /// gpu_ids: of the devices, by which attributes name them.
  explicit Svm(std::vector<uint32_t> gpu_ids) : gpu_ids_(std::move(gpu_ids)) {}

  /// invalid_argument: bad range, attribute, flag or GPU; fault: part of the range isn't mapped.
  Status set(uint64_t begin, uint64_t size, std::span<const kfd_ioctl_svm_attribute> attributes);
  /// Fills the values in, and for ACCESS the type. `everywhere`: XNACK is on, so that every GPU may use what nobody named.
  Status get(uint64_t begin, uint64_t size, std::span<kfd_ioctl_svm_attribute> attributes, bool everywhere) const;
  void clear();

private:
  struct Attributes {
    uint32_t preferred = KFD_IOCTL_SVM_LOCATION_UNDEFINED, prefetch = KFD_IOCTL_SVM_LOCATION_UNDEFINED;
    uint32_t flags = kDefaultFlags;
    uint8_t granularity = kDefaultGranularity; ///< log2 of pages
    std::map<uint32_t, uint32_t> access;       ///< GPU -> KFD_IOCTL_SVM_ATTR_ACCESS and the like
  };
  struct Range {
    uint64_t end = 0;
    Attributes attributes;
  };
  static constexpr uint32_t kDefaultFlags = 0x3; ///< HOST_ACCESS | COHERENT
  static constexpr uint8_t kDefaultGranularity = 9;

  Status check(std::span<const kfd_ioctl_svm_attribute> attributes) const;
  static Status check_range(uint64_t begin, uint64_t size);
  bool is_gpu(uint32_t id) const;
  void split(uint64_t at);

  std::vector<uint32_t> gpu_ids_;
  mutable std::mutex mutex_;
  std::map<uint64_t, Range> ranges_; ///< by begin; they don't overlap
};

} // namespace bz::kfd
