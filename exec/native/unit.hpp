// What may be compiled of a stretch of code: an entry under assumptions, and how far its compilation is. Owns identity and state;
// the compiler (compiler.hpp) moves it on, workers look.
#pragma once
#include "exec/native/code.hpp"

#include <atomic>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

namespace bz::exec {

struct Launch;

/// What all requests of an engine have in common.
struct NativeSettings {
  std::string cpu, features;
  bool fast_numerics = false;
  bool count = false;
  int level = 2;
  std::string off;
};

/// Entry and assumptions.
struct UnitKey {
  uint64_t entry = 0;            ///< guest address
  uint32_t mode = 0;
  bool kernel_start = false;
  uint32_t waves = 1;
  bool full_waves = false;
  uint32_t lds_bytes = 0;
  std::vector<uint32_t> ids;     ///< NativeRequest::ids
  uint32_t id_rows = 1;
  bool operator==(const UnitKey&) const = default;
};

class NativeUnit {
public:
  enum class State : uint8_t { interpreted, waiting, compiling, ready, failed };

  NativeUnit(UnitKey k, const std::shared_ptr<const Code>& c, std::shared_ptr<const NativeSettings> s) : key(std::move(k)), code(c), settings(std::move(s)) {}
  const UnitKey key;
  const std::weak_ptr<const Code> code;   ///< which owns this
  const std::shared_ptr<const NativeSettings> settings;

  State state() const { return state_.load(std::memory_order_acquire); }
  bool ready() const { return state() == State::ready; }
  const NativeCode& native() const { return *native_; }   ///< once ready
  const Status& failure() const { return failure_; }      ///< once failed
  /// Ticks that the interpreter has spent where this would have run.
  std::atomic<uint64_t> interpreted{0};

private:
  friend class NativeCompiler;
  std::atomic<State> state_{State::interpreted};
  std::unique_ptr<const NativeCode> native_;
  Status failure_;
  std::atomic<bool> recalled_{false};   ///< the cache was asked
};

/// The units of one Code.
class NativeUnits {
public:
  /// The unit with this key, made if there is none and not yet `most` of them; else null.
  std::shared_ptr<NativeUnit> get(const UnitKey& key, const std::shared_ptr<const Code>& code, const std::shared_ptr<const NativeSettings>& settings,
                                  size_t most = ~size_t{0});
  /// A unit that is compiled for the key's assumptions and can be entered at its entry, or null; `at` is the entry's index.
  std::shared_ptr<NativeUnit> entered(const UnitKey& key, uint64_t begin, uint32_t& at);
  size_t size() const {
    std::lock_guard lock(mutex_);
    return units_.size();
  }

private:
  mutable std::mutex mutex_;
  std::vector<std::shared_ptr<NativeUnit>> units_;
};

/// The key of a kernel's start. `whole`: what Launch::ids says holds for the workgroup.
UnitKey kernel_key(const Launch& launch, bool whole);
/// True for an instruction that nobody compiles: no code begins with it. It ends the wave, or what is known of the code behind it.
bool only_interpreted(const Code& code, uint32_t dword);
/// Code of a size that takes minutes to compile, data for instance that somebody runs: it is always interpreted.
bool too_large(const Code& code);
/// The request to the compiler; it points into `code`.
NativeRequest native_request(const NativeUnit& unit, const Code& code);
/// MODE whose parts differ, or by which rows are skipped or indexed: the interpreter's code must be decoded for it.
bool splits(uint32_t mode);

} // namespace bz::exec
