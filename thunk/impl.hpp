// The implementations behind the exports: one object that is the open library, and one function per row of
// api/hsakmt.def.
#pragma once
#include "thunk/channel.hpp"
#include "thunk/events.hpp"
#include "thunk/memory.hpp"
#include "thunk/queues.hpp"
#include "thunk/row.hpp"

#include <memory>
#include <mutex>

namespace bz::thunk {

/// Everything between OpenKFD and the last CloseKFD. Members go in reverse order: queues before events before memory.
struct Library {
  explicit Library(std::unique_ptr<Channel> c)
      : channel(std::move(c)), memory(*channel), events(*channel, memory), queues(*channel, memory) {}
  std::unique_ptr<Channel> channel;
  MemoryManager memory;
  EventManager events;
  QueueManager queues;
};

/// The process's one library object, owned by the exports. A call holds a reference and no lock: it may wait for ever.
struct State {
  std::mutex mutex;
  std::shared_ptr<Library> library;
  unsigned opened = 0;
  pid_t pid = 0;
};
State& state();

namespace impl {
#define HSAKMT_API(name, trait, ...) HSAKMT_STATUS name(BZ_ROW_IMPL_PARAMS(trait __VA_OPT__(, ) __VA_ARGS__));
#define HSAKMT_MISSING(name, trait, ...)
#include "api/hsakmt.def"
#undef HSAKMT_API
#undef HSAKMT_MISSING
} // namespace impl

} // namespace bz::thunk
