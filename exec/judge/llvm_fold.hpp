// LLVM's constant folding of intrinsics, in process: what LLVM believes an instruction computes. For tests only: the one
// translation unit behind this links LLVM. Must not know the engines.
#pragma once
#include "base/status.hpp"
#include "isa/target.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace bz::exec::judge {

struct FoldArgument {
  std::string type;     ///< of IR: i32, float, <2 x half> ...
  uint64_t bits = 0;
};
struct FoldCall {
  std::string function;  ///< llvm.amdgcn.rcp.f32
  std::string result;    ///< IR type
  std::vector<FoldArgument> arguments;
};

/// The bits of each call's value (i1: 0 or 1), or nothing where LLVM leaves the call.
Expected<std::vector<std::optional<uint64_t>>> fold(isa::Target target, const std::vector<FoldCall>& calls);

} // namespace bz::exec::judge
