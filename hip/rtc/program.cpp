#include "hip/rtc/program.hpp"

#include "hip/rtc/device.hpp"

#include <algorithm>

namespace bz::rtc {

Expected<Options> parse_options(const std::vector<std::string>& words) {
  Options options;
  auto set_target = [&](const std::string& target) -> Status {
    if (target.empty()) return error(Code::invalid_argument, "an option names no target");
    const bool native = target == "native";
    const bool named = options.native || !options.target.empty();
    if (named && (native != options.native || (!native && target != options.target)))
      return error(Code::invalid_argument, "two targets are named, {} and {}: a program is compiled for one GPU",
                   options.native ? "native" : options.target, target);
    options.native = native;
    options.target = native ? "" : target;
    return {};
  };
  for (size_t i = 0; i < words.size(); ++i) {
    const std::string& word = words[i];
    if (word.empty()) continue;
    bool is_target = false;
    for (const std::string name : {"--offload-arch", "--gpu-architecture", "--amdgpu-target", "--cuda-gpu-arch"}) {
      if (word.starts_with(name + "=")) {
        BZ_TRY(set_target(word.substr(name.size() + 1)));
        is_target = true;
      } else if (word == name) {
        if (i + 1 == words.size()) return error(Code::invalid_argument, "{} needs a target", word);
        BZ_TRY(set_target(words[++i]));
        is_target = true;
      }
    }
    if (is_target) continue;
    if (word == "-fgpu-rdc" || word == "-fno-gpu-rdc") {
      options.relocatable = word == "-fgpu-rdc";
      continue;
    }
    // What would be overridden without a word. What else asks for other output is refused when clang has read it.
    if (word == "-c" || word == "-o" || (word.starts_with("-x") && !word.starts_with("-xnack")) || word == "--")
      return error(Code::invalid_argument, "option {}: the program is HIP, and it is compiled into memory", word);
    options.clang.push_back(word);
  }
  return options;
}

Program::Program(Text source, std::vector<Text> headers) {
  if (source.name.empty()) source.name = "hip_program";
  request_.source = std::move(source);
  request_.headers = std::move(headers);
}

Result Program::add_name_expression(const std::string& expression) {
  std::lock_guard lock(mutex_);
  if (compiled_)
    return fail(HIPRTC_ERROR_NO_NAME_EXPRESSIONS_AFTER_COMPILATION, "the program is compiled: add \"{}\" before", expression);
  auto& all = request_.name_expressions;
  if (std::find(all.begin(), all.end(), expression) == all.end()) all.push_back(expression);
  return {};
}

Result Program::refuse(hiprtcResult code, const std::string& message) {
  log_ += "error: " + message + "\n";
  return Result(code, message);
}

Result Program::compile(const std::vector<std::string>& words) {
  std::lock_guard lock(mutex_);
  compiled_ = false;
  log_.clear();
  output_.clear();
  lowered_.clear();
  auto options = parse_options(words);
  if (!options) return refuse(HIPRTC_ERROR_INVALID_OPTION, options.status().message());
  request_.options = options->clang;
  request_.relocatable = options->relocatable;
  request_.target = options->target;
  if (request_.target.empty()) {
    auto target = current_target();
    if (!target)
      return refuse(HIPRTC_ERROR_INVALID_OPTION, target.status().message() + "; name a target with --offload-arch=gfx942");
    request_.target = *target;
  }
  auto compiler = rtc::compiler();
  if (!compiler) return refuse(HIPRTC_ERROR_INTERNAL_ERROR, compiler.status().message());

  CompileResult result = (*compiler)->compile(request_);
  log_ = std::move(result.log);
  // Callers print the log; our log need not have it too.
  switch (result.status.code()) {
  case Code::ok: break;
  case Code::invalid_argument: return Result(HIPRTC_ERROR_INVALID_OPTION, result.status.message());
  case Code::invalid_image: return Result(HIPRTC_ERROR_COMPILATION, result.status.message());
  case Code::out_of_memory: return Result(HIPRTC_ERROR_OUT_OF_MEMORY, result.status.message());
  default: return Result(HIPRTC_ERROR_INTERNAL_ERROR, result.status.message());
  }
  output_ = std::move(result.output);
  lowered_ = std::move(result.lowered);
  compiled_ = true;
  return {};
}

Result Program::lowered_name(const std::string& expression, const char** out) {
  std::lock_guard lock(mutex_);
  if (!compiled_)
    return fail(HIPRTC_ERROR_NO_LOWERED_NAMES_BEFORE_COMPILATION, "the program is not compiled: \"{}\" has no symbol yet",
                expression);
  auto found = lowered_.find(expression);
  if (found == lowered_.end())
    return fail(HIPRTC_ERROR_NAME_EXPRESSION_NOT_VALID, "\"{}\" was not added before the compilation", expression);
  *out = names_.insert(found->second).first->c_str();
  return {};
}

std::string Program::log() const {
  std::lock_guard lock(mutex_);
  return log_;
}

Result Program::output(bool relocatable, std::string& out) const {
  std::lock_guard lock(mutex_);
  if (!compiled_) return fail(HIPRTC_ERROR_INVALID_PROGRAM, "the program is not compiled");
  if (request_.relocatable != relocatable)
    return fail(HIPRTC_ERROR_INVALID_PROGRAM, "the program was compiled {} -fgpu-rdc: it has {}",
                relocatable ? "without" : "with", relocatable ? "a code object, no bitcode" : "bitcode, no code object");
  out = output_;
  return {};
}

} // namespace bz::rtc
