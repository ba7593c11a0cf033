// The exported functions of libhiprtc from the rows of api/hiprtc.def: trace, call, message, code. The bodies stand below.
#include "base/log.hpp"
#include "base/readable.hpp"
#include "hip/rtc/device.hpp"
#include "hip/rtc/link_state.hpp"
#include "hip/rtc/program.hpp"
#include "hip/runtime/entry.hpp"
#include "hip/runtime/handle_table.hpp"
#include "hip/runtime/row_macros.hpp"

#include <hip/hip_version.h>

namespace bz::rtc {

const char* result_name(hiprtcResult code) {
  switch (static_cast<int>(code)) {
#define RESULT(name) case name: return #name
    RESULT(HIPRTC_SUCCESS);
    RESULT(HIPRTC_ERROR_OUT_OF_MEMORY);
    RESULT(HIPRTC_ERROR_PROGRAM_CREATION_FAILURE);
    RESULT(HIPRTC_ERROR_INVALID_INPUT);
    RESULT(HIPRTC_ERROR_INVALID_PROGRAM);
    RESULT(HIPRTC_ERROR_INVALID_OPTION);
    RESULT(HIPRTC_ERROR_COMPILATION);
    RESULT(HIPRTC_ERROR_BUILTIN_OPERATION_FAILURE);
    RESULT(HIPRTC_ERROR_NO_NAME_EXPRESSIONS_AFTER_COMPILATION);
    RESULT(HIPRTC_ERROR_NO_LOWERED_NAMES_BEFORE_COMPILATION);
    RESULT(HIPRTC_ERROR_NAME_EXPRESSION_NOT_VALID);
    RESULT(HIPRTC_ERROR_INTERNAL_ERROR);
    RESULT(HIPRTC_ERROR_LINKING);
#undef RESULT
  }
  return nullptr;
}

namespace {

hip::HandleTable<Program>& programs() {
  static auto& table = *new hip::HandleTable<Program>; // never destroyed: destructors of the application may still call
  return table;
}
hip::HandleTable<LinkState>& links() {
  static auto& table = *new hip::HandleTable<LinkState>;
  return table;
}

/// Where a failure of a link becomes a code.
Result link_result(const Status& status, hiprtcResult for_options) {
  switch (status.code()) {
  case Code::ok: return {};
  case Code::invalid_argument: return Result(for_options, status.message());
  case Code::unsupported: return Result(for_options, status.message());
  case Code::not_found: return Result(HIPRTC_ERROR_PROGRAM_CREATION_FAILURE, status.message()); // a file
  case Code::out_of_memory: return Result(HIPRTC_ERROR_OUT_OF_MEMORY, status.message());
  case Code::invalid_image:
  case Code::wrong_target: return Result(HIPRTC_ERROR_LINKING, status.message());
  default: return Result(HIPRTC_ERROR_INTERNAL_ERROR, status.message());
  }
}

hiprtcResult finish(const char* name, const Result& result) {
  // A compilation's errors are in its log, which callers print.
  if (!result.ok() && !result.message().empty() && result.code() != HIPRTC_ERROR_COMPILATION)
    log("hiprtc", Level::warn, "{}: {}: {}", name, result_name(result.code()), result.message());
  if (hip::trace_enabled()) hip::trace_line(fmt::format("{} returned {}", name, result_name(result.code())));
  return result.code();
}

template <class F, class... Args>
hiprtcResult call(const char* name, std::initializer_list<const char*> names, F function, const Args&... args) {
  if (hip::trace_enabled()) hip::trace_line(hip::print_call(name, names, args...));
  Result result;
  try {
    result = function(args...);
  } catch (const std::bad_alloc&) { result = Result(HIPRTC_ERROR_OUT_OF_MEMORY, "host memory is used up"); }
  return finish(name, result);
}

/// The object of a handle. Null arguments are refused before.
#define RTC_PROGRAM(variable, handle)                                                                                  \
  auto variable = programs().find(handle);                                                                             \
  if (!variable)                                                                                                       \
  return fail(HIPRTC_ERROR_INVALID_PROGRAM, "{} is no program, or was destroyed", static_cast<const void*>(handle))
#define RTC_LINK(variable, handle)                                                                                     \
  auto variable = links().find(handle);                                                                                \
  if (!variable)                                                                                                       \
  return fail(HIPRTC_ERROR_INVALID_INPUT, "{} is no link, or was destroyed", static_cast<const void*>(handle))

Result copy_output(hiprtcProgram handle, bool relocatable, char* out) {
  RTC_NONNULL(out);
  RTC_PROGRAM(program, handle);
  std::string bytes;
  if (Result r = program->output(relocatable, bytes); !r.ok()) return r;
  std::memcpy(out, bytes.data(), bytes.size());
  return {};
}

Result output_size(hiprtcProgram handle, bool relocatable, size_t* out) {
  RTC_NONNULL(out);
  RTC_PROGRAM(program, handle);
  std::string bytes;
  if (Result r = program->output(relocatable, bytes); !r.ok()) return r;
  *out = bytes.size();
  return {};
}

Result check_options(unsigned count, const hipJitOption* options, void** values) {
  if (count == 0) return {};
  RTC_NONNULL(options);
  RTC_NONNULL(values);
  return {};
}

} // namespace

namespace impl {

Result hiprtcVersion(int* major, int* minor) {
  RTC_NONNULL(major);
  RTC_NONNULL(minor);
  *major = HIP_VERSION_MAJOR;
  *minor = HIP_VERSION_MINOR;
  return {};
}

Result hiprtcCreateProgram(hiprtcProgram* prog, const char* src, const char* name, int numHeaders, const char** headers,
                           const char** includeNames) {
  RTC_NONNULL(prog);
  *prog = nullptr;
  RTC_NONNULL(src);
  if (numHeaders < 0) return fail(HIPRTC_ERROR_INVALID_INPUT, "{} headers", numHeaders);
  if (numHeaders > 0 && (!headers || !includeNames))
    return fail(HIPRTC_ERROR_PROGRAM_CREATION_FAILURE, "{} headers, but no {}", numHeaders, headers ? "names" : "texts");
  std::vector<Text> texts;
  for (int i = 0; i < numHeaders; ++i) {
    if (!headers[i] || !includeNames[i] || !*includeNames[i])
      return fail(HIPRTC_ERROR_PROGRAM_CREATION_FAILURE, "header {} has no {}", i, headers[i] ? "name" : "text");
    texts.push_back({includeNames[i], headers[i]});
  }
  auto program = std::make_shared<Program>(Text{name ? name : "", src}, std::move(texts));
  *prog = reinterpret_cast<hiprtcProgram>(program.get());
  programs().add(std::move(program));
  return {};
}

Result hiprtcDestroyProgram(hiprtcProgram* prog) {
  RTC_NONNULL(prog);
  if (!programs().remove(*prog))
    return fail(HIPRTC_ERROR_INVALID_PROGRAM, "{} is no program, or was destroyed", static_cast<const void*>(*prog));
  *prog = nullptr;
  return {};
}

Result hiprtcAddNameExpression(hiprtcProgram prog, const char* name_expression) {
  RTC_NONNULL(name_expression);
  RTC_PROGRAM(program, prog);
  if (!*name_expression) return fail(HIPRTC_ERROR_INVALID_INPUT, "the name expression is empty");
  return program->add_name_expression(name_expression);
}

Result hiprtcCompileProgram(hiprtcProgram prog, int numOptions, const char** options) {
  RTC_PROGRAM(program, prog);
  if (numOptions < 0) return fail(HIPRTC_ERROR_INVALID_INPUT, "{} options", numOptions);
  if (numOptions > 0) RTC_NONNULL(options);
  std::vector<std::string> words;
  for (int i = 0; i < numOptions; ++i) {
    if (!options[i]) return fail(HIPRTC_ERROR_INVALID_INPUT, "option {} is null", i);
    words.emplace_back(options[i]);
  }
  return program->compile(words);
}

Result hiprtcGetLoweredName(hiprtcProgram prog, const char* name_expression, const char** lowered_name) {
  RTC_NONNULL(name_expression);
  RTC_NONNULL(lowered_name);
  RTC_PROGRAM(program, prog);
  return program->lowered_name(name_expression, lowered_name);
}

Result hiprtcGetProgramLogSize(hiprtcProgram prog, size_t* logSizeRet) {
  RTC_NONNULL(logSizeRet);
  RTC_PROGRAM(program, prog);
  const std::string text = program->log();
  *logSizeRet = text.empty() ? 0 : text.size() + 1;
  return {};
}

Result hiprtcGetProgramLog(hiprtcProgram prog, char* log) {
  RTC_NONNULL(log);
  RTC_PROGRAM(program, prog);
  const std::string text = program->log();
  if (!text.empty()) std::memcpy(log, text.c_str(), text.size() + 1);
  return {};
}

Result hiprtcGetCode(hiprtcProgram prog, char* code) { return copy_output(prog, false, code); }
Result hiprtcGetCodeSize(hiprtcProgram prog, size_t* codeSizeRet) { return output_size(prog, false, codeSizeRet); }
Result hiprtcGetBitcode(hiprtcProgram prog, char* bitcode) { return copy_output(prog, true, bitcode); }
Result hiprtcGetBitcodeSize(hiprtcProgram prog, size_t* bitcode_size) { return output_size(prog, true, bitcode_size); }

Result hiprtcLinkCreate(unsigned int num_options, hiprtcJIT_option* option_ptr, void** option_vals_pptr,
                        hiprtcLinkState* hip_link_state_ptr) {
  RTC_NONNULL(hip_link_state_ptr);
  *hip_link_state_ptr = nullptr;
  if (Result r = check_options(num_options, option_ptr, option_vals_pptr); !r.ok()) return r;
  auto state = std::make_shared<LinkState>();
  if (Status s = state->set_options({num_options, option_ptr, option_vals_pptr}); !s.ok())
    return link_result(s, HIPRTC_ERROR_INVALID_OPTION);
  *hip_link_state_ptr = reinterpret_cast<hiprtcLinkState>(state.get());
  links().add(std::move(state));
  return {};
}

Result hiprtcLinkAddFile(hiprtcLinkState hip_link_state, hiprtcJITInputType input_type, const char* file_path,
                         unsigned int num_options, hiprtcJIT_option* options_ptr, void** option_values) {
  RTC_LINK(state, hip_link_state);
  RTC_NONNULL(file_path);
  if (Result r = check_options(num_options, options_ptr, option_values); !r.ok()) return r;
  return link_result(state->add_file(input_type, file_path, {num_options, options_ptr, option_values}),
                     HIPRTC_ERROR_INVALID_INPUT);
}

Result hiprtcLinkAddData(hiprtcLinkState hip_link_state, hiprtcJITInputType input_type, void* image, size_t image_size,
                         const char* name, unsigned int num_options, hiprtcJIT_option* options_ptr,
                         void** option_values) {
  RTC_LINK(state, hip_link_state);
  RTC_NONNULL(image);
  if (image_size == 0) return fail(HIPRTC_ERROR_INVALID_INPUT, "the input has no bytes");
  if (const uint64_t readable = readable_bytes(image); readable < image_size)
    return fail(HIPRTC_ERROR_INVALID_INPUT, "{} bytes at {}: only {} can be read", image_size, image, readable);
  if (Result r = check_options(num_options, options_ptr, option_values); !r.ok()) return r;
  return link_result(state->add(input_type, image, image_size, name, {num_options, options_ptr, option_values}),
                     HIPRTC_ERROR_INVALID_INPUT);
}

Result hiprtcLinkComplete(hiprtcLinkState hip_link_state, void** bin_out, size_t* size_out) {
  RTC_LINK(state, hip_link_state);
  RTC_NONNULL(bin_out);
  auto target = current_target();
  if (!target) return fail(HIPRTC_ERROR_LINKING, "no target to link for: {}", target.status().message());
  if (Status s = state->complete(*target); !s.ok())
    return s.code() == Code::unsupported ? Result(HIPRTC_ERROR_INTERNAL_ERROR, s.message()) // no compiler here
                                         : link_result(s, HIPRTC_ERROR_INVALID_INPUT);
  *bin_out = const_cast<char*>(state->code().data());
  if (size_out) *size_out = state->code().size();
  return {};
}

Result hiprtcLinkDestroy(hiprtcLinkState hip_link_state) {
  if (!links().remove(hip_link_state))
    return fail(HIPRTC_ERROR_INVALID_INPUT, "{} is no link, or was destroyed", static_cast<const void*>(hip_link_state));
  return {};
}

} // namespace impl
} // namespace bz::rtc

#pragma GCC visibility push(default)
extern "C" {

#define TEXT(name, version, pair)
#define RTC(name, version, ...)                                                                                        \
  hiprtcResult name(BZ_PARAMS(__VA_ARGS__)) {                                                                          \
    return bz::rtc::call(#name, {BZ_TEXTS(__VA_ARGS__)}, bz::rtc::impl::name, BZ_NAMES(__VA_ARGS__));                  \
  }
#include "api/hiprtc.def"
#undef TEXT
#undef RTC

const char* hiprtcGetErrorString(hiprtcResult result) {
  const char* name = bz::rtc::result_name(result);
  return name ? name : "Invalid HIPRTC error code";
}

} // extern "C"
#pragma GCC visibility pop
