// The end of a process in which a thread compiles. exit() destroys the statics that a library has made last first, so those that
// LLVM makes while it compiles would go before the thread can be told to stop, under its hands.
#pragma once

namespace bz::exec {

/// From now on statics made by the loaded library, whose file name contains `name`, are not destroyed at the end of the process.
/// What it has registered before stays registered. False if there is no such library, or it can't be done.
bool leave_statics(const char* name);

} // namespace bz::exec
