#include "base/status.hpp"

#include <cstring>

namespace bz {

const char* code_name(Code code) {
  switch (code) {
  case Code::ok: return "ok";
  case Code::invalid_argument: return "invalid_argument";
  case Code::invalid_handle: return "invalid_handle";
  case Code::not_found: return "not_found";
  case Code::out_of_memory: return "out_of_memory";
  case Code::out_of_resources: return "out_of_resources";
  case Code::invalid_image: return "invalid_image";
  case Code::wrong_target: return "wrong_target";
  case Code::unsupported: return "unsupported";
  case Code::busy: return "busy";
  case Code::timed_out: return "timed_out";
  case Code::fault: return "fault";
  case Code::internal: return "internal";
  }
  return "unknown";
}

std::string Status::to_string() const {
  if (ok()) return "ok";
  const char* file = std::strrchr(at_.file_name(), '/');
  return fmt::format("{}: {} ({}:{})", code_name(code_), message_, file ? file + 1 : at_.file_name(), at_.line());
}

} // namespace bz
