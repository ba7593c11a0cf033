// Memory that more than one address range shows, here or in another process: a memfd that describes itself by its name.
// Whoever has a descriptor has the memory; when the last descriptor and mapping are gone, so is the memory, and nothing
// is left behind by a process that was killed. Must not know allocations or devices beyond their numbers.
//
// A handle of 128 bits names a memfd to another process of the same user: process, descriptor, and the random key that
// is in the memfd's name, so that a stale handle finds nothing instead of a stranger.
#pragma once
#include "base/status.hpp"

#include <array>
#include <cstdint>
#include <memory>

namespace bz::gpu {

/// What a memfd of ours says of itself.
struct SharedFacts {
  bool vram = true;    ///< else host memory
  uint32_t device = 0; ///< index of the device that it was allocated on
  uint32_t flags = 0;  ///< the client's at the allocation
  uint64_t size = 0;   ///< bytes, whole pages
  uint64_t key = 0;    ///< random
};

using ShareHandle = std::array<uint32_t, 4>;

class Backing {
public:
  /// New zeroed memory. `key` and nothing else of the facts is chosen here.
  static Expected<std::shared_ptr<Backing>> create(SharedFacts facts);
  /// Another descriptor of a Backing: duplicated, the caller keeps its own. invalid_handle if it is none of ours.
  static Expected<std::shared_ptr<Backing>> from_descriptor(int fd);
  /// not_found: the process or its memory is gone.
  static Expected<std::shared_ptr<Backing>> from_handle(const ShareHandle& handle);
  ~Backing();
  Backing(const Backing&) = delete;

  int fd() const { return fd_; }
  uint64_t inode() const;
  const SharedFacts& facts() const { return facts_; }
  /// Valid while this object lives.
  ShareHandle handle() const;
  /// A descriptor for the client, close-on-exec.
  Expected<int> duplicate() const;

  /// Copies [from, from + size) into the memory; pages of zeros stay without storage.
  Status fill(const void* from, uint64_t size) const;

private:
  Backing(int fd, SharedFacts facts) : fd_(fd), facts_(facts) {}
  int fd_;
  SharedFacts facts_;
};

/// Puts `backing` under a range of this process's private memory, whose content stays. Others may read and write there
/// meanwhile: they wait where they have to.
Status share_in_place(void* begin, const Backing& backing, int protection);
/// The way back: the pages of a shared mapping become private ones of this process, their content stays.
Status keep_to_oneself(void* begin, uint64_t size, int protection);

} // namespace bz::gpu
