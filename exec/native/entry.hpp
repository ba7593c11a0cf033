// Entry points for native code that keep all registers, vector and mask registers too: calls on ways that are rarely gone must not
// cost the code around them anything. One pair for each engine level.
#pragma once
#include "exec/native/abi.hpp"

extern "C" {
__attribute__((visibility("hidden"))) void bz_native_outcall_512(bz::exec::NativeContext*, bz::exec::Wave*, uint32_t index);
__attribute__((visibility("hidden"))) void bz_native_outcall_256(bz::exec::NativeContext*, bz::exec::Wave*, uint32_t index);
__attribute__((visibility("hidden"))) void bz_native_turn_512(bz::exec::NativeContext*, bz::exec::Wave*);
__attribute__((visibility("hidden"))) void bz_native_turn_256(bz::exec::NativeContext*, bz::exec::Wave*);
/// Ordinary functions behind them (group.cpp).
__attribute__((visibility("hidden"))) void bz_native_outcall(bz::exec::NativeContext*, bz::exec::Wave*, uint32_t index);
__attribute__((visibility("hidden"))) void bz_native_turn(bz::exec::NativeContext*, bz::exec::Wave*);
}
