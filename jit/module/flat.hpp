// An object file of one function becomes a flat image: code and constants side by side, references between them resolved.
#pragma once
#include "base/status.hpp"
#include "exec/native/abi.hpp"

#include <string_view>

namespace bz::jit {

/// Fills text, start, places and stack_bytes. Fails if the object refers to anything outside.
Status flatten(std::string_view object, std::string_view function, exec::NativeImage& image);

} // namespace bz::jit
