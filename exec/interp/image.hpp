// Image instructions: one plain implementation, lane by lane, compiled once for the floor. Owns what an instruction's modifiers
// look like in an operation; must not know rows or engine levels.
#pragma once
#include "exec/op.hpp"
#include "isa/builder.hpp"

namespace bz::exec {

/// Bits of Op::imm of an image operation. s[0] address rows, s[1] and d data rows, s[2] resource, s[4] sampler; kReturns is glc.
namespace image_mods {
inline constexpr int32_t kDmask = 0xf;
inline constexpr int32_t kUnnormalized = 1 << 4;
inline constexpr int32_t kArray = 1 << 5;    ///< da: the address has a layer
inline constexpr int32_t kA16 = 1 << 6;
inline constexpr int32_t kTfe = 1 << 7;
inline constexpr int32_t kLwe = 1 << 8;
inline constexpr int32_t kD16 = 1 << 9;
} // namespace image_mods

/// Runs the operation for one wave, whatever its MODE. Null, or what is not implemented (lives as long as the process).
const char* run_image(const Op* o, char* w, isa::ImageOp op);

} // namespace bz::exec
