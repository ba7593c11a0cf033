// Whether this process is a forked child of the one that opened a device. Threads, mappings and doorbells of a device don't
// survive fork(), so each library asks before it uses them. Knows no device; each library has its own copy of the state.
#pragma once

namespace bz {

/// For people, wherever a child tries.
inline constexpr const char* kForkedChild =
    "a forked child can't use the GPU of its parent; fork before the first GPU call, or let the child exec a program";

/// From now on children of fork() know that they are. Costs nothing after the first call.
void watch_forks();
/// True in a child forked after watch_forks(), and in the child's children.
bool forked_child();

} // namespace bz
