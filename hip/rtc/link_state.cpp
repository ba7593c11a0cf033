#include "hip/rtc/link_state.hpp"

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstring>

namespace bz::rtc {
namespace {

/// What an option is to us.
enum class Meaning {
  followed,  ///< set_options does it
  no_effect, ///< tunes code for CUDA devices or says what is so anyway: a note in the info log
  refused,   ///< would change what the code does, and can't be followed
};
struct OptionFact {
  hipJitOption option;
  const char* name;
  Meaning meaning;
};
constexpr OptionFact kOptions[] = {
    {hipJitOptionMaxRegisters, "MaxRegisters", Meaning::no_effect},
    {hipJitOptionThreadsPerBlock, "ThreadsPerBlock", Meaning::no_effect},
    {hipJitOptionWallTime, "WallTime", Meaning::followed},
    {hipJitOptionInfoLogBuffer, "InfoLogBuffer", Meaning::followed},
    {hipJitOptionInfoLogBufferSizeBytes, "InfoLogBufferSizeBytes", Meaning::followed},
    {hipJitOptionErrorLogBuffer, "ErrorLogBuffer", Meaning::followed},
    {hipJitOptionErrorLogBufferSizeBytes, "ErrorLogBufferSizeBytes", Meaning::followed},
    {hipJitOptionOptimizationLevel, "OptimizationLevel", Meaning::followed},
    {hipJitOptionTargetFromContext, "TargetFromContext", Meaning::followed},
    {hipJitOptionTarget, "Target", Meaning::refused},
    {hipJitOptionFallbackStrategy, "FallbackStrategy", Meaning::no_effect},
    {hipJitOptionGenerateDebugInfo, "GenerateDebugInfo", Meaning::no_effect},
    {hipJitOptionLogVerbose, "LogVerbose", Meaning::followed},
    {hipJitOptionGenerateLineInfo, "GenerateLineInfo", Meaning::no_effect},
    {hipJitOptionCacheMode, "CacheMode", Meaning::no_effect},
    {hipJitOptionSm3xOpt, "Sm3xOpt", Meaning::no_effect},
    {hipJitOptionFastCompile, "FastCompile", Meaning::no_effect},
    {hipJitOptionGlobalSymbolNames, "GlobalSymbolNames", Meaning::refused},
    {hipJitOptionGlobalSymbolAddresses, "GlobalSymbolAddresses", Meaning::refused},
    {hipJitOptionGlobalSymbolCount, "GlobalSymbolCount", Meaning::refused},
    {hipJitOptionLto, "Lto", Meaning::no_effect},
    {hipJitOptionFtz, "Ftz", Meaning::no_effect},
    {hipJitOptionPrecDiv, "PrecDiv", Meaning::no_effect},
    {hipJitOptionPrecSqrt, "PrecSqrt", Meaning::no_effect},
    {hipJitOptionFma, "Fma", Meaning::no_effect},
    {hipJitOptionPositionIndependentCode, "PositionIndependentCode", Meaning::no_effect},
    {hipJitOptionMinCTAPerSM, "MinCTAPerSM", Meaning::no_effect},
    {hipJitOptionMaxThreadsPerBlock, "MaxThreadsPerBlock", Meaning::no_effect},
    {hipJitOptionOverrideDirectiveValues, "OverrideDirectiveValues", Meaning::no_effect},
    {hipJitOptionIRtoISAOptExt, "IRtoISAOptExt", Meaning::followed},
    {hipJitOptionIRtoISAOptCountExt, "IRtoISAOptCountExt", Meaning::followed},
};

Expected<const OptionFact*> find_option(hipJitOption option) {
  for (const OptionFact& fact : kOptions)
    if (fact.option == option) return &fact;
  return error(Code::invalid_argument, "option {} doesn't exist", static_cast<int>(option));
}

uint64_t number(void* value) { return reinterpret_cast<uintptr_t>(value); }

/// What IRtoISAOptExt may hold: -mllvm and its option, and an optimisation level.
Status take_code_options(const char* const* words, size_t count, LinkRequest& request) {
  for (size_t i = 0; i < count; ++i) {
    if (!words[i]) return error(Code::invalid_argument, "option {} of IRtoISAOptExt is null", i);
    const std::string word = words[i];
    if (word == "-mllvm") {
      if (++i == count || !words[i]) return error(Code::invalid_argument, "-mllvm needs an option behind it");
      request.llvm_options.emplace_back(words[i]);
    } else if (word.size() == 3 && word.starts_with("-O") && word[2] >= '0' && word[2] <= '3') {
      request.optimisation = word[2] - '0';
    } else {
      return error(Code::invalid_argument, "\"{}\" in IRtoISAOptExt: what is taken there is -mllvm OPTION and -O0 to -O3", word);
    }
  }
  return {};
}

} // namespace

void LinkState::Log::fill(const std::string& text) const {
  const size_t room = size ? number(*size) : 0;
  const size_t used = buffer && room ? std::min(text.size(), room - 1) : 0;
  if (buffer && room) {
    std::memcpy(buffer, text.data(), used);
    buffer[used] = '\0';
  }
  if (size) *size = reinterpret_cast<void*>(used);
}

Status LinkState::set_options(JitOptions in) {
  const char* const* words = nullptr;
  size_t word_count = 0;
  for (unsigned i = 0; i < in.count; ++i) {
    BZ_TRY_ASSIGN(const OptionFact* fact, find_option(in.options[i]));
    if (fact->meaning == Meaning::refused)
      return error(Code::unsupported, "option {} is for CUDA devices and can't be followed here", fact->name);
    if (fact->meaning == Meaning::no_effect)
      notes_ += fmt::format("option {} has no effect on the code of an AMD GPU\n", fact->name);
    switch (fact->option) {
    case hipJitOptionWallTime: wall_time_ = &in.values[i]; break;
    case hipJitOptionInfoLogBuffer: info_.buffer = static_cast<char*>(in.values[i]); break;
    case hipJitOptionInfoLogBufferSizeBytes: info_.size = &in.values[i]; break;
    case hipJitOptionErrorLogBuffer: error_.buffer = static_cast<char*>(in.values[i]); break;
    case hipJitOptionErrorLogBufferSizeBytes: error_.size = &in.values[i]; break;
    case hipJitOptionOptimizationLevel:
      if (number(in.values[i]) > 4)
        return error(Code::invalid_argument, "OptimizationLevel is 0 to 4, not {}", number(in.values[i]));
      request_.optimisation = static_cast<int>(std::min<uint64_t>(number(in.values[i]), 3));
      break;
    case hipJitOptionLogVerbose: verbose_ = number(in.values[i]) != 0; break;
    case hipJitOptionIRtoISAOptExt: words = static_cast<const char* const*>(in.values[i]); break;
    case hipJitOptionIRtoISAOptCountExt: word_count = number(in.values[i]); break;
    default: break; // TargetFromContext is how it is
    }
  }
  if (word_count && !words) return error(Code::invalid_argument, "IRtoISAOptCountExt without IRtoISAOptExt");
  return take_code_options(words, word_count, request_);
}

Status LinkState::add_kind(hipJitInputType kind, const std::string& name, JitOptions options, InputKind& out) {
  for (unsigned i = 0; i < options.count; ++i) {
    BZ_TRY_ASSIGN(const OptionFact* fact, find_option(options.options[i]));
    if (fact->meaning != Meaning::no_effect)
      return error(Code::invalid_argument, "option {} is one of the whole link, not of the input {}", fact->name, name);
    notes_ += fmt::format("option {} of {} has no effect on the code of an AMD GPU\n", fact->name, name);
  }
  auto refused = [&](const char* what) { return error(Code::unsupported, "input {}: {} can't be linked", name, what); };
  switch (kind) {
  case hipJitInputLLVMBitcode: out = InputKind::ir; return {};
  case hipJitInputLLVMBundledBitcode: out = InputKind::bundle; return {};
  case hipJitInputLLVMArchivesOfBundledBitcode: out = InputKind::bundle_archive; return {};
  case hipJitInputObject: out = InputKind::object; return {};
  case hipJitInputLibrary: out = InputKind::object_archive; return {};
  case hipJitInputCubin: return refused("a cubin (finished code, for CUDA devices)");
  case hipJitInputPtx: return refused("PTX (for CUDA devices)");
  case hipJitInputNvvm: return refused("NVVM (for CUDA devices)");
  case hipJitInputFatBinary: return refused("a fat binary (finished code)");
  case hipJitInputSpirv: return refused("SPIR-V (this LLVM has no reader for it)");
  default: return error(Code::invalid_argument, "input {}: there is no kind {}", name, static_cast<int>(kind));
  }
}

Status LinkState::add(hipJitInputType kind, const void* bytes, size_t size, const char* name, JitOptions options) {
  std::lock_guard lock(mutex_);
  const std::string text = name && *name ? name : fmt::format("input {}", request_.inputs.size() + 1);
  InputKind taken;
  BZ_TRY(add_kind(kind, text, options, taken));
  request_.inputs.push_back({taken, text, std::string(static_cast<const char*>(bytes), size)});
  done_ = false;
  return {};
}

Status LinkState::add_file(hipJitInputType kind, const char* path, JitOptions options) {
  {
    std::lock_guard lock(mutex_);
    InputKind unused;
    BZ_TRY(add_kind(kind, path, {}, unused)); // a wrong kind is wrong before the file is
  }
  std::string bytes;
  std::FILE* file = std::fopen(path, "rb");
  char part[1 << 14];
  while (size_t n = file ? std::fread(part, 1, sizeof part, file) : 0) bytes.append(part, n);
  const bool failed = !file || std::ferror(file); // a folder can be opened, but not read
  if (file) std::fclose(file);
  if (failed || bytes.empty()) return error(Code::not_found, "the file {} can't be read, or is empty", path);
  return add(kind, bytes.data(), bytes.size(), path, options);
}

Status LinkState::complete(const std::string& target) {
  std::lock_guard lock(mutex_);
  if (done_ && request_.target == target) return {};
  if (request_.inputs.empty()) return error(Code::invalid_argument, "nothing was added to the link");
  BZ_TRY_ASSIGN(const Compiler* compiler, rtc::compiler());
  request_.target = target;
  const auto begin = std::chrono::steady_clock::now();
  LinkResult result = compiler->link(request_);
  const float milliseconds = std::chrono::duration<float, std::milli>(std::chrono::steady_clock::now() - begin).count();
  if (wall_time_) std::memcpy(wall_time_, &milliseconds, sizeof milliseconds);
  std::string notes = notes_;
  if (verbose_) {
    notes += fmt::format("linked for {} with -O{} in {:.1f} ms:\n", target, request_.optimisation, milliseconds);
    for (const auto& input : request_.inputs) notes += fmt::format("  {}, {} bytes\n", input.name, input.bytes.size());
  }
  if (result.status.ok()) notes += result.log; // warnings
  info_.fill(notes);
  error_.fill(result.status.ok() ? "" : result.log);
  if (!result.status.ok()) return error(result.status.code(), "{}: {}", result.status.message(), result.log);
  code_ = std::move(result.output);
  done_ = true;
  return {};
}

} // namespace bz::rtc
