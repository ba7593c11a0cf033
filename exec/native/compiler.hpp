// Turns units into native code: opens the compiler module when it is first wanted, compiles in one thread behind the others, or
// at once for those who wait. Owns the module and that thread; must not know LLVM, nor who runs the code.
#pragma once
#include "exec/native/cache.hpp"
#include "exec/native/unit.hpp"

#include <condition_variable>
#include <deque>
#include <mutex>
#include <string>
#include <thread>

namespace bz::exec {

/// How kernels are run.
enum class ExecMode {
  interpreter,
  jit,         ///< natively, or not at all
  automatic,   ///< natively after a while
};

/// BZ_EXEC, or else `asked`: interp, jit, auto; empty is interp.
Expected<ExecMode> choose_exec_mode(std::string_view asked);
/// The settings of BZ_NUMERICS (exact, fast), BZ_JIT_OFF and BZ_JIT_LEVEL for an engine level.
Expected<std::shared_ptr<const NativeSettings>> native_settings(bool avx512, bool count);

/// One per process.
class NativeCompiler {
public:
  static NativeCompiler& instance();

  /// Opens the module: BZ_JIT_LIBRARY, or libbz-jit.so beside this library. The first answer stays.
  Status open();
  /// Fails if there is no module, as far as that can be told without opening it.
  Status available() { return build().empty() ? open() : Status(); }
  /// Has the unit compiled by the thread behind, `soon`: before others. Without a module nothing happens, which is said once.
  void enqueue(const std::shared_ptr<NativeUnit>& unit, bool soon = false);
  /// Compiles it in the calling thread, or waits for who does; the unit's failure, if it fails.
  Status compile(NativeUnit& unit);
  /// Makes the unit ready if its image is in the cache on disk. The module is not opened for that.
  void recall(NativeUnit& unit);
  /// How many units have been compiled by the module so far.
  uint64_t compiled() const { return compiled_; }

private:
  NativeCompiler() = default;
  void work();
  static void say_interpreted(const Status& why);
  void stop();
  /// Whoever calls has moved the state to `compiling`.
  void carry_out(NativeUnit& unit);
  Expected<std::unique_ptr<const NativeCode>> make(const NativeUnit& unit, const Code& code);
  Status open_locked();
  const std::string& build();

  std::mutex mutex_;                   ///< state changes of units, the queue
  std::condition_variable changed_;
  std::deque<std::shared_ptr<NativeUnit>> queue_;
  std::thread thread_;
  bool stopping_ = false;
  std::atomic<uint64_t> compiled_{0};

  std::mutex module_mutex_;
  bool opened_ = false;
  Status module_status_;
  NativeCompileFn module_ = nullptr;
  KernelCache cache_ = KernelCache::from_environment();
};

} // namespace bz::exec
