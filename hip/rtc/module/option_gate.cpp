#include "hip/rtc/module/option_gate.hpp"

#include <llvm/Support/CommandLine.h>
#include <llvm/Support/raw_ostream.h>

#include <condition_variable>
#include <mutex>

namespace bz::rtc {
namespace {

std::mutex mutex;
std::condition_variable changed;
std::vector<std::string> active; ///< what LLVM's variables are set to
int users = 0;
bool alone = false;
int waiting = 0; ///< for other options than the active ones: nobody new joins these meanwhile

Status apply(const std::vector<std::string>& options) {
  llvm::cl::ResetAllOptionOccurrences();
  active.clear();
  if (options.empty()) return {};
  std::vector<const char*> words = {"hiprtc"};
  for (const auto& option : options) words.push_back(option.c_str());
  std::string text;
  llvm::raw_string_ostream out(text);
  if (!llvm::cl::ParseCommandLineOptions(static_cast<int>(words.size()), words.data(), "", &out)) {
    llvm::cl::ResetAllOptionOccurrences();
    return error(Code::invalid_argument, "{}", text);
  }
  active = options;
  return {};
}

} // namespace

Status OptionGate::enter(const std::vector<std::string>& options) {
  std::unique_lock lock(mutex);
  auto free = [&] { return !alone && (users == 0 || (waiting == 0 && active == options)); };
  if (!free()) {
    ++waiting;
    changed.wait(lock, [&] { return !alone && (users == 0 || active == options); });
    --waiting;
  }
  if (active != options)
    if (Status s = apply(options); !s.ok()) {
      changed.notify_all();
      return s;
    }
  ++users;
  changed.notify_all();
  return {};
}

void OptionGate::leave() {
  std::lock_guard lock(mutex);
  --users;
  changed.notify_all();
}

void OptionGate::enter_alone() {
  std::unique_lock lock(mutex);
  ++waiting;
  changed.wait(lock, [] { return !alone && users == 0; });
  --waiting;
  alone = true;
  (void)apply({}); // no options: can't fail
}

void OptionGate::leave_alone() {
  std::lock_guard lock(mutex);
  (void)apply({});
  alone = false;
  changed.notify_all();
}

} // namespace bz::rtc
