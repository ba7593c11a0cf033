#include "kfd/svm.hpp"

#include "base/mappings.hpp"

#include <algorithm>

namespace bz::kfd {
namespace {

constexpr uint64_t kPage = 4096;
constexpr uint32_t kMaxGranularity = 0x3f;

bool is_mapped(uint64_t begin, uint64_t end) {
  Mappings maps;
  for (Mapping m; begin < end && maps.next(m) && m.begin <= begin;)
    if (m.end > begin && !m.reserved()) begin = m.end;
  return begin >= end;
}

} // namespace

bool Svm::is_gpu(uint32_t id) const { return std::find(gpu_ids_.begin(), gpu_ids_.end(), id) != gpu_ids_.end(); }

Status Svm::check_range(uint64_t begin, uint64_t size) {
  if (begin == 0 || size == 0 || begin % kPage != 0 || size % kPage != 0 || begin + size < begin)
    return error(Code::invalid_argument, "{} bytes at {:#x} are no pages", size, begin);
  return {};
}

Status Svm::check(std::span<const kfd_ioctl_svm_attribute> attributes) const {
  for (const auto& a : attributes) switch (a.type) {
    case KFD_IOCTL_SVM_ATTR_PREFERRED_LOC:
    case KFD_IOCTL_SVM_ATTR_PREFETCH_LOC:
      if (a.value == KFD_IOCTL_SVM_LOCATION_SYSMEM || a.value == KFD_IOCTL_SVM_LOCATION_UNDEFINED || is_gpu(a.value)) break;
      return error(Code::invalid_argument, "{:#x} is no place for memory", a.value);
    case KFD_IOCTL_SVM_ATTR_ACCESS:
    case KFD_IOCTL_SVM_ATTR_ACCESS_IN_PLACE:
    case KFD_IOCTL_SVM_ATTR_NO_ACCESS:
      if (is_gpu(a.value)) break;
      return error(Code::invalid_argument, "there is no GPU {:#x}", a.value);
    case KFD_IOCTL_SVM_ATTR_SET_FLAGS:
    case KFD_IOCTL_SVM_ATTR_CLR_FLAGS:
    case KFD_IOCTL_SVM_ATTR_GRANULARITY:
      break;
    default:
      return error(Code::invalid_argument, "attribute {} of shared memory is not defined", a.type);
    }
  return {};
}

/// No range goes across `at` afterwards.
void Svm::split(uint64_t at) {
  auto it = ranges_.upper_bound(at);
  if (it == ranges_.begin()) return;
  --it;
  if (it->first == at || it->second.end <= at) return;
  ranges_[at] = it->second;
  it->second.end = at;
}

Status Svm::set(uint64_t begin, uint64_t size, std::span<const kfd_ioctl_svm_attribute> attributes) {
  BZ_TRY(check_range(begin, size));
  BZ_TRY(check(attributes));
  uint64_t end = begin + size;
  if (!is_mapped(begin, end)) return error(Code::fault, "{:#x}..{:#x} isn't mapped", begin, end);
  std::lock_guard lock(mutex_);
  split(begin);
  split(end);
  for (uint64_t at = begin; at < end;) { // what nobody named before gets the defaults
    auto it = ranges_.lower_bound(at);
    uint64_t stop = it == ranges_.end() ? end : std::min(end, it->first);
    if (stop > at) ranges_[at].end = stop;
    at = stop > at ? stop : it->second.end;
  }
  for (auto it = ranges_.lower_bound(begin); it != ranges_.end() && it->first < end; ++it) {
    Attributes& have = it->second.attributes;
    for (const auto& a : attributes) switch (a.type) {
      case KFD_IOCTL_SVM_ATTR_PREFERRED_LOC:
        have.preferred = a.value;
        break;
      case KFD_IOCTL_SVM_ATTR_PREFETCH_LOC:
        have.prefetch = a.value;
        break;
      case KFD_IOCTL_SVM_ATTR_SET_FLAGS:
        have.flags |= a.value;
        break;
      case KFD_IOCTL_SVM_ATTR_CLR_FLAGS:
        have.flags &= ~a.value;
        break;
      case KFD_IOCTL_SVM_ATTR_GRANULARITY:
        have.granularity = static_cast<uint8_t>(std::min(a.value, kMaxGranularity));
        break;
      default:
        have.access[a.value] = a.type;
      }
  }
  return {};
}

Status Svm::get(uint64_t begin, uint64_t size, std::span<kfd_ioctl_svm_attribute> attributes, bool everywhere) const {
  BZ_TRY(check_range(begin, size));
  for (auto& a : attributes) // the caller's value means something with ACCESS alone
    if (a.type != KFD_IOCTL_SVM_ATTR_ACCESS) a.value = 0;
  BZ_TRY(check(attributes));
  for (const auto& a : attributes)
    if (a.type == KFD_IOCTL_SVM_ATTR_ACCESS_IN_PLACE || a.type == KFD_IOCTL_SVM_ATTR_NO_ACCESS)
      return error(Code::invalid_argument, "access is asked for by the attribute ACCESS");
  uint64_t end = begin + size;
  if (!is_mapped(begin, end)) return error(Code::fault, "{:#x}..{:#x} isn't mapped", begin, end);
  std::lock_guard lock(mutex_);
  std::vector<const Attributes*> all;
  auto it = ranges_.upper_bound(begin);
  if (it != ranges_.begin() && std::prev(it)->second.end > begin) --it;
  for (; it != ranges_.end() && it->first < end; ++it) all.push_back(&it->second.attributes);
  const Attributes defaults;
  if (all.empty()) all.push_back(&defaults);
  // A location that isn't everybody's is none.
  auto common = [&](uint32_t Attributes::*which) {
    uint32_t first = all[0]->*which;
    bool same = std::all_of(all.begin(), all.end(), [&](const Attributes* a) { return a->*which == first; });
    return same ? first : uint32_t{KFD_IOCTL_SVM_LOCATION_UNDEFINED};
  };
  auto access_of = [&](const Attributes& a, uint32_t gpu) -> uint32_t {
    auto found = a.access.find(gpu);
    if (found != a.access.end()) return found->second;
    return everywhere ? KFD_IOCTL_SVM_ATTR_ACCESS : KFD_IOCTL_SVM_ATTR_NO_ACCESS;
  };
  for (auto& a : attributes) switch (a.type) {
    case KFD_IOCTL_SVM_ATTR_PREFERRED_LOC:
      a.value = common(&Attributes::preferred);
      break;
    case KFD_IOCTL_SVM_ATTR_PREFETCH_LOC:
      a.value = common(&Attributes::prefetch);
      break;
    case KFD_IOCTL_SVM_ATTR_SET_FLAGS: { // what is set everywhere
      uint32_t value = ~0u;
      for (const Attributes* r : all) value &= r->flags;
      a.value = value;
      break;
    }
    case KFD_IOCTL_SVM_ATTR_CLR_FLAGS: { // what is clear everywhere
      uint32_t value = 0;
      for (const Attributes* r : all) value |= r->flags;
      a.value = ~value;
      break;
    }
    case KFD_IOCTL_SVM_ATTR_GRANULARITY: {
      uint32_t value = kMaxGranularity;
      for (const Attributes* r : all) value = std::min<uint32_t>(value, r->granularity);
      a.value = value;
      break;
    }
    default: { // the least that every part has
      uint32_t least = KFD_IOCTL_SVM_ATTR_ACCESS;
      for (const Attributes* r : all) least = std::max(least, access_of(*r, a.value));
      a.type = least;
    }
    }
  return {};
}

void Svm::clear() {
  std::lock_guard lock(mutex_);
  ranges_.clear();
}

} // namespace bz::kfd
