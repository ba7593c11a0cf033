// The report that a user reads when a kernel stops: what happened, in which kernel and source line, which workgroup,
// wave and lane, at which address, what memory is near, and what to do. It knows no queue; all facts come in.
#pragma once
#include "exec/engine.hpp"

#include <cstdint>
#include <string>

namespace bz::gpu {

struct FaultContext {
  uint32_t device = 0;
  std::string device_title;
  isa::Target target = isa::Target::gfx942;
  uint32_t queue = 0;
  const exec::DispatchInfo* info = nullptr;
  const exec::Halt* halt = nullptr;
  std::string nearest; ///< memory faults: what Memory::describe says
};

std::string format_fault_report(const FaultContext& fault);
/// To stderr in one write; after some reports only a line that more were left out.
void print_fault_report(const FaultContext& fault);

} // namespace bz::gpu
