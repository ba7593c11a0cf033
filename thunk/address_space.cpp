#include "thunk/address_space.hpp"

#include <algorithm>
#include <cstddef>
#include <iterator>
#include <sys/mman.h>

namespace bz::thunk {

AddressSpace::~AddressSpace() {
  if (end_) munmap(reinterpret_cast<void*>(begin_), end_ - begin_);
}

bool AddressSpace::reserve(uint64_t bytes) {
  constexpr uint64_t kLeast = 256ull << 20, kHugePage = 2ull << 20;
  for (; bytes >= kLeast; bytes /= 2) {
    void* p = mmap(nullptr, bytes, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (p == MAP_FAILED) continue;
    begin_ = reinterpret_cast<uint64_t>(p);
    end_ = begin_ + bytes;
    uint64_t first = (begin_ + kHugePage - 1) / kHugePage * kHugePage;
    free_[first] = end_;
    // Device memory gets three quarters, host memory and code an eighth each.
    uint64_t eighth = (end_ - first) / 8 / kHugePage * kHugePage;
    zones_[0] = {first, end_ - 2 * eighth, first};
    zones_[1] = {end_ - 2 * eighth, end_ - eighth, end_ - 2 * eighth};
    zones_[2] = {end_ - eighth, end_, end_ - eighth};
    return true;
  }
  return false;
}

void AddressSpace::carve(std::map<uint64_t, uint64_t>::iterator hole, uint64_t address, uint64_t bytes) {
  auto [begin, end] = *hole;
  free_.erase(hole);
  if (address > begin) free_[begin] = address;
  if (address + bytes < end) free_[address + bytes] = end;
}

uint64_t AddressSpace::take(uint64_t bytes, uint64_t alignment, Zone zone) {
  auto fits = [&](std::map<uint64_t, uint64_t>::iterator hole, uint64_t from, uint64_t to) -> uint64_t {
    uint64_t address = (std::max(hole->first, from) + alignment - 1) & ~(alignment - 1), end = std::min(hole->second, to);
    return address < end && end - address >= bytes ? address : 0;
  };
  auto take_from = [&](uint64_t from, uint64_t to) -> uint64_t {
    auto hole = free_.upper_bound(from);
    if (hole != free_.begin() && std::prev(hole)->second > from) --hole;
    for (; hole != free_.end() && hole->first < to; ++hole)
      if (uint64_t address = fits(hole, from, to)) {
        carve(hole, address, bytes);
        return address;
      }
    return 0;
  };
  // Onwards from the last one: a freed address stays unused as long as possible, so that a use after free faults.
  Place& place = zones_[static_cast<size_t>(zone)];
  uint64_t address = take_from(place.next, place.end);
  if (!address) address = take_from(place.begin, place.end);
  if (address) place.next = address + bytes;
  else address = take_from(begin_, end_);
  return address;
}

bool AddressSpace::take_at(uint64_t address, uint64_t bytes) {
  auto hole = free_.upper_bound(address);
  if (hole == free_.begin()) return false;
  --hole;
  if (hole->second <= address || hole->second - address < bytes) return false;
  carve(hole, address, bytes);
  return true;
}

void AddressSpace::give_back(uint64_t address, uint64_t bytes) {
  uint64_t end = address + bytes;
  auto after = free_.lower_bound(address);
  if (after != free_.begin()) {
    auto before = std::prev(after);
    if (before->second == address) {
      address = before->first;
      free_.erase(before);
    }
  }
  if (after != free_.end() && after->first == end) {
    end = after->second;
    free_.erase(after);
  }
  free_[address] = end;
}

} // namespace bz::thunk
