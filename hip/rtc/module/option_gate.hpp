// LLVM's command line options (-mllvm) are global variables. Whoever runs LLVM holds the gate with the options that it
// wants: users with equal options run side by side, others wait their turn. Must not know what is run.
#pragma once
#include "base/status.hpp"

#include <string>
#include <vector>

namespace bz::rtc {

class OptionGate {
public:
  /// Waits until nobody runs with other options, sets them. invalid_argument: LLVM doesn't know one; nothing is held.
  static Status enter(const std::vector<std::string>& options);
  static void leave();
  /// Waits until nobody runs at all; the options are LLVM's defaults, and what the holder makes of them ends with it.
  static void enter_alone();
  static void leave_alone();
};

} // namespace bz::rtc
