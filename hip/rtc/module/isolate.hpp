// Runs compiler work so that its end is always a return: on a thread with a stack that deep templates fit into, and with
// LLVM's ways to end the process (fatal errors, the linker's exit) turned into a failure. Must not know what the work is.
#pragma once
#include "base/status.hpp"

#include <functional>

namespace bz::rtc {

/// Runs `work` and waits. internal: the work was cut short by a fatal error of LLVM, whose text is the message; what it
/// had allocated is lost. out_of_memory: no thread could be made.
Status isolated(const std::function<void()>& work);

/// Makes LLVM's fatal errors come here. Once per process.
void install_fatal_handler();

} // namespace bz::rtc
