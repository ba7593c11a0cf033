// The process's memory mappings, as the kernel lists them. Knows nothing of what is there.
#pragma once
#include <cstdint>

namespace bz {

struct Mapping {
  uint64_t begin = 0, end = 0;
  bool readable = false, writable = false, executable = false, shared = false;
  bool file = false;   ///< of a file; else anonymous
  uint64_t inode = 0;  ///< the file's
  /// Address space alone: nothing there can be accessed or is backed by a file.
  bool reserved() const { return !readable && !writable && !executable && !shared && !file; }
};

/// Walks /proc/self/maps in the order of addresses: a snapshot, line by line, while other threads go on.
class Mappings {
public:
  Mappings();
  ~Mappings();
  Mappings(const Mappings&) = delete;
  Mappings& operator=(const Mappings&) = delete;
  bool ok() const { return file_ != nullptr; }
  bool next(Mapping& out);

private:
  void* file_;
};

} // namespace bz
