#include "gpu/pm4.hpp"

#include "abi/pm4.hpp"

#include <cstring>
#include <gtest/gtest.h>
#include <vector>

namespace {
using namespace bz;
using namespace bz::gpu;
using namespace bz::abi;

uint32_t low(const void* p) { return static_cast<uint32_t>(reinterpret_cast<uint64_t>(p)); }
uint32_t high(const void* p) { return static_cast<uint32_t>(reinterpret_cast<uint64_t>(p) >> 32); }

Status run(const std::vector<uint32_t>& buffer, std::vector<uint32_t>* interrupts = nullptr) {
  uint32_t jump[4] = {pm4_header(PM4_INDIRECT_BUFFER, 4), low(buffer.data()), high(buffer.data()),
                      static_cast<uint32_t>(buffer.size())};
  Pm4Hooks hooks{interrupts, [](void* list, uint32_t event) {
                   if (list) static_cast<std::vector<uint32_t>*>(list)->push_back(event);
                 }};
  return run_pm4(jump, hooks);
}

TEST(Pm4, WritesCopiesAndReleases) {
  uint32_t data[3] = {}, copied = 0;
  alignas(8) uint64_t value = 0, clock = 0, released = 0;
  std::vector<uint32_t> interrupts, inner = {pm4_header(PM4_COPY_DATA, 6), 1 | 5 << 8, low(&data[1]), high(&data[1]),
                                             low(&copied), high(&copied)};
  Status done = run({pm4_header(PM4_ACQUIRE_MEM, 7), 0, 0, 0, 0, 0, 0, // nothing to do: all is coherent
                     0x80000000, PM4_ONE_DWORD_NOP,                     //
                     pm4_header(PM4_WRITE_DATA, 6), 5 << 8, low(data), high(data), 7, 8, //
                     pm4_header(PM4_INDIRECT_BUFFER, 4), low(inner.data()), high(inner.data()), 6, //
                     pm4_header(PM4_COPY_DATA, 6), 5 | 5 << 8 | 1 << 16, 1, 2, low(&value), high(&value),
                     pm4_header(PM4_COPY_DATA, 6), 9 | 5 << 8 | 1 << 16, 0, 0, low(&clock), high(&clock),
                     pm4_header(PM4_RELEASE_MEM, 8), 0, 2u << 29 | 2u << 24, low(&released), high(&released), 5, 6, 33},
                    &interrupts);
  ASSERT_TRUE(done.ok()) << done.message();
  EXPECT_EQ(data[0], 7u);
  EXPECT_EQ(data[1], 8u);
  EXPECT_EQ(data[2], 0u);
  EXPECT_EQ(copied, 8u);
  EXPECT_EQ(value, (uint64_t{2} << 32) + 1);
  EXPECT_NE(clock, 0u);
  EXPECT_EQ(released, (uint64_t{6} << 32) + 5);
  EXPECT_EQ(interrupts, std::vector<uint32_t>{33});
}

TEST(Pm4, NamesWhatItCantDo) {
  uint32_t word = 0;
  EXPECT_EQ(run({pm4_header(static_cast<pm4_opcode>(0x15), 2), 0}).code(), Code::unsupported); // DISPATCH_DIRECT
  EXPECT_NE(run({pm4_header(static_cast<pm4_opcode>(0x15), 2), 0}).message().find("0x15"), std::string::npos);
  EXPECT_EQ(run({pm4_header(PM4_COPY_DATA, 6), 0 | 5 << 8, 0, 0, low(&word), high(&word)}).code(), Code::unsupported);
  EXPECT_EQ(run({pm4_header(PM4_WRITE_DATA, 5), 0, 0, 0, 1}).code(), Code::unsupported); // a register
  EXPECT_EQ(run({0x1234}).code(), Code::unsupported);                                    // type 0
}

TEST(Pm4, BadBuffersAreErrors) {
  EXPECT_EQ(run({pm4_header(PM4_WRITE_DATA, 5), 5 << 8, 16, 0, 1}).code(), Code::fault);
  EXPECT_EQ(run({pm4_header(PM4_WRITE_DATA, 100), 5 << 8, 0, 0}).code(), Code::invalid_argument); // beyond the buffer
  EXPECT_EQ(run({pm4_header(PM4_WRITE_DATA, 4), 5 << 8, 0, 0}).code(), Code::invalid_argument);   // too short
  uint32_t nowhere[4] = {pm4_header(PM4_INDIRECT_BUFFER, 4), 64, 0, 16}, no_jump[4] = {};
  EXPECT_EQ(run_pm4(nowhere, {}).code(), Code::fault);
  EXPECT_EQ(run_pm4(no_jump, {}).code(), Code::invalid_argument);
  std::vector<uint32_t> self(4);
  self = {pm4_header(PM4_INDIRECT_BUFFER, 4), low(self.data()), high(self.data()), 4};
  std::vector<uint32_t> loop = {pm4_header(PM4_INDIRECT_BUFFER, 4), low(self.data()), high(self.data()), 4};
  self[1] = low(loop.data());
  self[2] = high(loop.data());
  EXPECT_EQ(run(loop).code(), Code::invalid_argument); // endless
}

} // namespace
