// How a GPU failure is named on the way up: trap ids of s_trap, the 64-bit exception mask that the driver stores
// through a queue's err_payload_addr, and the apertures that no allocation can get. Numbers only; gpu/ raises, rocr/
// translates.
#pragma once
#include "abi/kfd_debug.hpp"

#include <cstdint>

namespace bz::abi {

/// s_trap operands of the amdhsa ABI: 2 is llvm.trap (abort), 3 is llvm.debugtrap.
inline constexpr uint32_t kTrapAbort = 2;
inline constexpr uint32_t kTrapDebug = 3;

/// Bit of exception code EC_* in a queue's exception mask: code n is bit n - 1.
constexpr uint64_t exception_bit(kfd_dbg_trap_exception_code code) { return KFD_EC_MASK(code); }

/// KFD's gfx9 apertures. They are non-canonical x86-64 addresses (48-bit), so that they can't collide with host memory.
inline constexpr uint64_t kLdsApertureBase = 1ull << 48;
inline constexpr uint64_t kScratchApertureBase = 2ull << 48;
inline constexpr uint64_t kApertureSize = 1ull << 32;

/// Ticks per second of the GPU clock counter (signal timestamps, s_memrealtime): CLOCK_BOOTTIME in steps of 10 ns.
inline constexpr uint64_t kGpuClockHz = 100'000'000;

} // namespace bz::abi
