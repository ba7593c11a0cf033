// The range of addresses that the thunk reserves for GPU memory, and which parts of it are free. Host and GPU use the
// same addresses. Knows no driver.
#pragma once
#include <cstdint>
#include <map>

namespace bz::thunk {

/// Neighbours of one kind: what runs past its end, or is off by much, meets its like and not code or kernel arguments.
enum class Zone { device, host, code };

class AddressSpace {
public:
  ~AddressSpace();
  /// Reserves (PROT_NONE) as much as wanted, or less if the limits of the process are lower; false if nothing can be
  /// had.
  bool reserve(uint64_t bytes);
  bool reserved() const { return end_ != 0; }
  bool contains(uint64_t address) const { return address >= begin_ && address < end_; }
  /// 0 if there is no room. alignment is a power of two. A full zone takes from the others.
  uint64_t take(uint64_t bytes, uint64_t alignment, Zone zone);
  /// A certain range; false unless all of it is free.
  bool take_at(uint64_t address, uint64_t bytes);
  void give_back(uint64_t address, uint64_t bytes);

private:
  void carve(std::map<uint64_t, uint64_t>::iterator hole, uint64_t address, uint64_t bytes);
  uint64_t begin_ = 0, end_ = 0;
  struct Place {
    uint64_t begin = 0, end = 0;
    uint64_t next = 0; ///< where the last allocation ended
  };
  Place zones_[3];
  std::map<uint64_t, uint64_t> free_; ///< begin -> end, never adjacent
};

} // namespace bz::thunk
