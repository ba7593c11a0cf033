#include "exec/native/compiler.hpp"
#include "base/environment.hpp"
#include "base/fork.hpp"
#include "base/log.hpp"
#include "exec/native/exit.hpp"

#include <chrono>
#include <csignal>
#include <cstdlib>
#include <dlfcn.h>
#include <pthread.h>
#include <sys/resource.h>
#include <unistd.h>

namespace bz::exec {

Expected<ExecMode> choose_exec_mode(std::string_view asked) {
  const std::string named = environment("BZ_EXEC");
  std::string_view mode = named.empty() ? asked : named;
  if (mode == "auto") return ExecMode::automatic;
  if (mode.empty() || mode == "interp") return ExecMode::interpreter;
  if (mode == "jit") return ExecMode::jit;
  return error(bz::Code::invalid_argument, "BZ_EXEC is interp, jit or auto, or empty for interp, not \"{}\"", mode);
}

Expected<std::shared_ptr<const NativeSettings>> native_settings(bool avx512, bool count) {
  auto s = std::make_shared<NativeSettings>();
  if (!avx512) s->cpu = "x86-64-v3";
  const std::string numerics = environment("BZ_NUMERICS");
  if (!numerics.empty() && numerics != "exact" && numerics != "fast")
    return error(bz::Code::invalid_argument, "BZ_NUMERICS is exact or fast, or empty for exact, not \"{}\"", numerics);
  s->fast_numerics = numerics == "fast";
  s->count = count;
  s->level = static_cast<int>(environment_number("exec", "BZ_JIT_LEVEL", 2, 0, 2));
  s->off = environment("BZ_JIT_OFF");
  return std::shared_ptr<const NativeSettings>(std::move(s));
}

/// Never destroyed: workers may run until the process is gone.
NativeCompiler& NativeCompiler::instance() {
  static auto* compiler = [] {
    watch_forks();
    return new NativeCompiler;
  }();
  return *compiler;
}

// ---------------------------------------------------------------- module

namespace {

constexpr const char* kModule = "libbz-jit.so";

/// The module beside the library that this code is in (or where a program of the same installation finds it), or wherever the
/// loader looks.
std::string module_path() {
  if (std::string named = environment("BZ_JIT_LIBRARY"); !named.empty()) return named;
  Dl_info self{};
  if (dladdr(reinterpret_cast<void*>(&choose_exec_mode), &self) && self.dli_fname)
    if (std::string file = self.dli_fname; file.find('/') != std::string::npos) {
      file.erase(file.rfind('/') + 1);
      for (const char* folder : {"", "../lib/", "../rocm/lib/"})
        if (std::string there = file + folder + kModule; ::access(there.c_str(), F_OK) == 0) return there;
    }
  return kModule;
}

} // namespace

/// Of the module, which need not be opened for it.
const std::string& NativeCompiler::build() {
  static const std::string build = [] {
    const std::string path = module_path();
    return path.find('/') == std::string::npos ? std::string() : build_of(path);
  }();
  return build;
}

Status NativeCompiler::open() {
  std::lock_guard lock(module_mutex_);
  if (!opened_) module_status_ = open_locked();
  opened_ = true;
  return module_status_;
}

Status NativeCompiler::open_locked() {
  const std::string path = module_path();
  void* handle = dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (!handle) {
    const char* why = dlerror();
    return error(bz::Code::unsupported, "the compiler of kernels can't be opened: {}", why ? why : path.c_str());
  }
  module_ = reinterpret_cast<NativeCompileFn>(dlsym(handle, kNativeCompileSymbol));
  if (!module_) return error(bz::Code::unsupported, "the compiler of kernels, {}, has no {}", path, kNativeCompileSymbol);
  // When the process ends its thread is quiet before anything is destroyed: after what the module and LLVM registered when they were
  // loaded, and what they make from now on stays.
  leave_statics("libLLVM");
  leave_statics(path.c_str());
  std::atexit([] { instance().stop(); });
  log("exec", bz::Level::info, "kernels are compiled by {}", path);
  return {};
}

// ---------------------------------------------------------------- compiling

Expected<std::unique_ptr<const NativeCode>> NativeCompiler::make(const NativeUnit& unit, const Code& code) {
  const NativeRequest request = native_request(unit, code);
  const bool keep = cache_.on() && !build().empty();
  ImageIdentity identity;
  if (keep) {
    identity = image_identity(request, build());
    if (auto kept = cache_.load(identity))
      if (auto native = NativeCode::map(std::move(*kept), code); native.ok()) return native;
  }
  BZ_TRY(open());
  NativeImage image;
  if (const char* why = module_(&request, &image)) return error(bz::Code::unsupported, "{}", why);
  ++compiled_;
  if (keep) cache_.store(identity, image);
  return NativeCode::map(std::move(image), code);
}

void NativeCompiler::recall(NativeUnit& unit) {
  auto code = unit.code.lock();
  if (!code || unit.recalled_.exchange(true) || !cache_.on() || build().empty()) return;
  auto image = cache_.load(image_identity(native_request(unit, *code), build()));
  if (!image) return;
  auto native = NativeCode::map(std::move(*image), *code);
  std::lock_guard lock(mutex_);
  if (!native.ok() || unit.state() != NativeUnit::State::interpreted) return;
  unit.native_ = std::move(native).value();
  unit.state_.store(NativeUnit::State::ready, std::memory_order_release);
}

void NativeCompiler::carry_out(NativeUnit& unit) {
  auto code = unit.code.lock();
  const auto began = std::chrono::steady_clock::now();
  Expected<std::unique_ptr<const NativeCode>> native = error(bz::Code::unsupported, "its code is gone");
  if (code) native = make(unit, *code);
  if (native.ok())
    log("exec", bz::Level::debug, "native code for 0x{:x}: {} instructions, {} of them the interpreter's, {} entries, in {:.1f} ms", unit.key.entry,
        (*native)->image().instructions, (*native)->image().outcalls.size(), (*native)->image().entries.size(),
        std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - began).count());
  else
    log("exec", bz::Level::debug, "no native code for 0x{:x}: {}", unit.key.entry, native.status().message());
  std::lock_guard lock(mutex_);
  if (native.ok()) unit.native_ = std::move(native).value();
  else unit.failure_ = native.status();
  unit.state_.store(unit.native_ ? NativeUnit::State::ready : NativeUnit::State::failed, std::memory_order_release);
  changed_.notify_all();
}

Status NativeCompiler::compile(NativeUnit& unit) {
  {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [&] { return unit.state() != NativeUnit::State::compiling; });
    if (unit.ready()) return {};
    if (unit.state() == NativeUnit::State::failed) return unit.failure();
    unit.state_ = NativeUnit::State::compiling;   // if it waits in the queue, the thread will see that
  }
  carry_out(unit);
  return unit.ready() ? Status() : unit.failure();
}

void NativeCompiler::enqueue(const std::shared_ptr<NativeUnit>& unit, bool soon) {
  {
    std::lock_guard lock(mutex_);
    if (unit->state() != NativeUnit::State::interpreted || stopping_ || forked_child()) return;
    unit->state_ = NativeUnit::State::waiting;
  }
  if (auto s = available(); !s.ok()) return say_interpreted(s);   // it waits for ever, and nobody asks again
  std::lock_guard lock(mutex_);
  queue_.insert(soon ? queue_.begin() : queue_.end(), unit);
  if (!thread_.joinable() && !stopping_) {
    sigset_t all, before;   // the application's signals are not for this thread
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    thread_ = std::thread([this] { work(); });
    pthread_sigmask(SIG_SETMASK, &before, nullptr);
  }
  changed_.notify_all();
}

void NativeCompiler::say_interpreted(const Status& why) {
  static std::once_flag said;
  std::call_once(said, [&] { log("exec", bz::Level::info, "kernels are interpreted: {}", why.message()); });
}

void NativeCompiler::work() {
  pthread_setname_np(pthread_self(), "bz-jit");
  setpriority(PRIO_PROCESS, static_cast<id_t>(gettid()), 10);   // kernels first: this thread alone
  std::unique_lock lock(mutex_);
  for (;;) {
    changed_.wait(lock, [&] { return stopping_ || !queue_.empty(); });
    if (stopping_) return;
    auto unit = std::move(queue_.front());
    queue_.pop_front();
    if (unit->state() != NativeUnit::State::waiting) continue;
    unit->state_ = NativeUnit::State::compiling;
    lock.unlock();
    if (auto s = open(); !s.ok()) say_interpreted(s);   // here, since it takes long
    carry_out(*unit);
    unit.reset();
    lock.lock();
  }
}

void NativeCompiler::stop() {
  if (forked_child()) return;
  {
    std::lock_guard lock(mutex_);
    stopping_ = true;
    changed_.notify_all();
  }
  if (thread_.joinable()) thread_.join();
}

} // namespace bz::exec
