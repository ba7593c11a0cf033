#include "gpu/fault_report.hpp"
#include "gpu/symbols.hpp"

#include <gtest/gtest.h>

namespace {
using namespace bz;
using namespace bz::gpu;

TEST(FaultReport, NamesEverythingThatIsKnown) {
  exec::Halt halt;
  halt.reason = exec::Halt::Reason::memory_fault;
  halt.pc = 0x7000;
  halt.address = 0x7f0000001000;
  halt.is_write = true;
  halt.lane = 5;
  halt.wave = 1;
  halt.group = {12, 0, 0};
  halt.text = "global_store_dword v[0:1], v2, off";
  exec::DispatchInfo info;
  info.group_size = {256, 1, 1};
  info.grid_size = {4096, 1, 1};
  info.kernel_object = 0x6000;
  FaultContext fault;
  fault.device_title = "AMD Instinct MI300X";
  fault.info = &info;
  fault.halt = &halt;
  fault.nearest = "12 bytes after the end of 4 KiB of device memory at 0x7f0000000000..0x7f0000000ff4";
  std::string text = format_fault_report(fault);
  for (const char* part :
       {"beyond an allocation", "0x7f0000001000 (write)", "12 bytes after the end", "(12, 0, 0), wave 1, lane 5",
        "thread (69, 0, 0)", "global_store_dword", "0x6000", "gfx942", "to do"})
    EXPECT_NE(text.find(part), std::string::npos) << part << "\n" << text;
}

TEST(FaultReport, EveryReasonHasWordsAndARemedy) {
  using R = exec::Halt::Reason;
  for (R reason :
       {R::memory_fault, R::illegal_instruction, R::not_implemented, R::trap, R::lds_out_of_range, R::stack_overflow}) {
    exec::Halt halt;
    halt.reason = reason;
    halt.address = 0x100000;
    FaultContext fault;
    fault.halt = &halt;
    std::string text = format_fault_report(fault);
    EXPECT_NE(text.find("to do"), std::string::npos) << text;
  }
}

TEST(Symbols, NoLoaderListIsSaidSo) {
  CodePlace place = find_code(0x1000, 0x2000);
  EXPECT_TRUE(place.kernel.empty());
  EXPECT_FALSE(place.missing.empty());
}

TEST(Symbols, BrokenLoaderListsEnd) {
  set_loader_list(0x10);
  EXPECT_FALSE(find_code(0x1000, 0x2000).missing.empty());
  set_loader_list(0);
}

} // namespace
