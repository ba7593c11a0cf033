#include "gpu/fault_report.hpp"

#include "abi/exceptions.hpp"
#include "gpu/symbols.hpp"

#include <atomic>
#include <fmt/format.h>
#include <unistd.h>

namespace bz::gpu {
namespace {

using Reason = exec::Halt::Reason;

struct Words {
  const char* title;
  const char* remedy;
};

Words words(const exec::Halt& halt, const std::string& nearest) {
  switch (halt.reason) {
  case Reason::memory_fault:
    if (halt.address < 4096)
      return {"memory fault: a null pointer",
              "check the pointers that this launch was given, and their initialisation"};
    if (nearest.find("FREED") != std::string::npos)
      return {"memory fault: freed memory",
              "synchronise before freeing, or keep the allocation until the kernel is done"};
    if (nearest.find("after the end") != std::string::npos)
      return {"memory fault: beyond an allocation", "compare the index with the element count before the access"};
    return {"memory fault", "check the pointer: it is in no allocation that the GPU can access"};
  case Reason::illegal_instruction:
    return {"illegal instruction",
            "check that the code object was built for this target, and that no jump left the kernel"};
  case Reason::not_implemented:
    return {"instruction not implemented",
            "this instruction is missing in the software device: please report its name"};
  case Reason::trap:
    return {halt.trap_id == abi::kTrapAbort ? "trap: the kernel aborted" : "trap",
            halt.trap_id == abi::kTrapAbort
                ? "an assert or __builtin_trap was reached (its message stands above, if it printed one)"
                : "traps other than 2 (an abort) and 3 (__builtin_debugtrap, which goes on) are for debuggers"};
  case Reason::lds_out_of_range:
    return {"LDS access out of range", "check the index, and the dynamic LDS size of the launch"};
  case Reason::stack_overflow:
    return {"stack overflow",
            "raise the limit (hipDeviceSetLimit(hipLimitStackSize)) or reduce recursion and local arrays"};
  }
  return {"exception", ""};
}

std::string triple(const std::array<uint32_t, 3>& v) { return fmt::format("({}, {}, {})", v[0], v[1], v[2]); }

} // namespace

std::string format_fault_report(const FaultContext& fault) {
  const exec::Halt& halt = *fault.halt;
  Words text = words(halt, fault.nearest);
  std::string out = fmt::format("boltzmann: GPU {}\n", text.title);
  auto line = [&](const char* name, const std::string& value) {
    if (!value.empty()) out += fmt::format("  {:<11}{}\n", name, value);
  };
  CodePlace place = find_code(halt.pc, fault.info ? fault.info->kernel_object : 0);
  line("kernel", place.kernel.empty() && fault.info ? fmt::format("descriptor at {:#x}", fault.info->kernel_object)
                                                    : place.kernel);
  std::string where = place.source;
  if (!place.symbol.empty() && place.symbol != place.kernel)
    where += fmt::format("{}in {}", where.empty() ? "" : " ", place.symbol);
  line("at", where);
  line("pc", halt.pc == 0
                 ? std::string("not known to the engine")
                 : fmt::format("{:#x}{}", halt.pc, place.symbol.empty() ? "" : fmt::format(" (+{:#x})", place.offset)));
  line("what", halt.text);
  if (halt.reason == Reason::memory_fault) {
    line("address", fmt::format("{:#x} ({})", halt.address, halt.is_write ? "write" : "read"));
    line("nearest", fault.nearest);
  }
  if (halt.reason == Reason::trap) line("trap id", fmt::format("{}", halt.trap_id));
  std::string lane;
  if (halt.lane >= 0) {
    lane = fmt::format(", lane {}", halt.lane);
    if (fault.info) {
      constexpr uint32_t kWave = 64; // every target here
      const auto& g = fault.info->group_size;
      uint32_t item = halt.wave * kWave + static_cast<uint32_t>(halt.lane);
      if (item < uint32_t{g[0]} * g[1] * g[2])
        lane += fmt::format(", thread {}", triple({item % g[0], item / g[0] % g[1], item / g[0] / g[1]}));
    }
  }
  line("workgroup", fmt::format("{}, wave {}{}", triple(halt.group), halt.wave, lane));
  if (fault.info) {
    const auto& g = fault.info->group_size;
    line("launch",
         fmt::format("grid {} work-items, workgroup {}, {} bytes LDS, kernarg {:#x}", triple(fault.info->grid_size),
                     triple({g[0], g[1], g[2]}), fault.info->group_bytes, fault.info->kernarg));
  }
  line("device", fmt::format("GPU {} ({}, {}), queue {}", fault.device, fault.device_title,
                             isa::target_name(fault.target), fault.queue));
  line("note", place.missing);
  line("to do", text.remedy);
  return out;
}

void print_fault_report(const FaultContext& fault) {
  static std::atomic<int> count{0};
  constexpr int kMax = 8;
  int n = count.fetch_add(1);
  if (n > kMax) return;
  std::string text = n == kMax ? "boltzmann: further GPU fault reports are left out\n" : format_fault_report(fault);
  // One write, so that reports of several threads don't mix. A closed stderr is no reason to stop.
  [[maybe_unused]] ssize_t written = write(STDERR_FILENO, text.data(), text.size());
}

} // namespace bz::gpu
