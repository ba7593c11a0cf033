// The exception between a wait that can never end and the call that reports it. Must not know either.
#pragma once

namespace bz::hip {

/// Thrown where a host function waits for work that comes after it in its own stream.
struct WaitForOneself {};

} // namespace bz::hip
