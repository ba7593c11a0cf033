// Code that a GPU can't run: the exception, where, and what it says. One row a case.
#include "exec/testing/case.hpp"

#include <cstring>
#include <sys/mman.h>

namespace {
using namespace bz::exec;
using namespace bz::exec::testing;
using bz::isa::Target;
using Reason = Halt::Reason;

struct Bad {
  const char* name;
  const char* text;              ///< ends in s_endpgm if it can
  Reason reason;
  int pc;                        ///< bytes from the first instruction, -1: somewhere else
  std::vector<const char*> says;
  std::vector<Target> targets = kernel_targets();
};
const Target k942[] = {Target::gfx942};
const std::vector<Target> kOnly942(std::begin(k942), std::end(k942));

const std::vector<Bad>& bad_code() {
  static const std::vector<Bad> cases{
      {"illegal_first", ".long 0xbf7f0000\n s_endpgm", Reason::illegal_instruction, 0, {"illegal instruction", "bf7f0000"}},
      {"illegal_later", "s_nop 0\n v_mov_b32 v1, v2\n .long 0xbf7f0000, 0x12345678\n s_endpgm", Reason::illegal_instruction, 8, {"bf7f0000 12345678"}},
      {"illegal_behind_a_branch", "s_branch over\n s_nop 0\n over: .long 0xbf7f0000\n s_endpgm", Reason::illegal_instruction, 8, {"bf7f0000"}},
      {"illegal_register_tuple", "s_nop 0\n .long 0xdc548000, 0xff7f0000\n s_endpgm", Reason::illegal_instruction, 4, {"dc548000 ff7f0000"}, kOnly942},
      {"not_of_this_target", "s_nop 0\n .long 0xd3c00000, 0x04020300\n s_endpgm", Reason::illegal_instruction, 4, {"d3c00000"}, {Target::gfx906, Target::gfx900}},
      {"export", "s_nop 0\n .long 0xc400000f, 0x03020100\n s_endpgm", Reason::illegal_instruction, 4, {"c400000f 03020100"}, {Target::gfx90a, Target::gfx942}},
      {"jump_to_nowhere", "s_mov_b64 s[2:3], 0x1000\n s_setpc_b64 s[2:3]", Reason::memory_fault, -1, {"instruction fetch from 0x1000"}},
      {"jump_to_null", "s_getpc_b64 s[4:5]\n v_mov_b32 v2, s4\n v_mov_b32 v3, s5\n global_load_dword v1, v[2:3], off\n s_mov_b64 s[2:3], 0\n s_setpc_b64 s[2:3]",
       Reason::memory_fault, -1, {"instruction fetch from 0x0"}},
      {"call_to_nowhere", "s_mov_b64 s[2:3], 0x1000\n s_swappc_b64 s[4:5], s[2:3]", Reason::memory_fault, -1, {"instruction fetch from 0x1000"}},
      {"jump_to_a_non_canonical_address", "s_mov_b32 s2, 0\n s_mov_b32 s3, 0xdead0000\n s_setpc_b64 s[2:3]", Reason::memory_fault, -1,
       {"instruction fetch from 0xdead000000000000"}},
      {"branch_to_nowhere", "s_nop 0\n .long 0xbf828000\n s_endpgm", Reason::memory_fault, -1, {"instruction fetch"}},
      {"branch_ahead_to_nowhere", "s_nop 0\n .long 0xbf827fff\n s_endpgm", Reason::memory_fault, -1, {"instruction fetch"}},
      {"no_end", "v_mov_b32 v1, v2", Reason::memory_fault, -1, {"instruction fetch"}},
      {"trap_of_an_abort", "s_nop 0\n s_trap 2\n s_endpgm", Reason::trap, 4, {"s_trap 2"}},
      {"other_trap", "s_nop 0\n s_trap 5\n s_endpgm", Reason::trap, 4, {"s_trap 5"}},
      {"no_semantics", "s_nop 0\n s_sethalt 1\n s_endpgm", Reason::not_implemented, 4, {"not implemented", "s_sethalt"}},
      {"null_load", "v_mov_b32 v2, 0\n v_mov_b32 v3, 0\n flat_load_dword v1, v[2:3]\n s_endpgm", Reason::memory_fault, 8, {"flat_load_dword reads 0x0"}},
      {"null_atomic", "v_mov_b32 v2, 16\n v_mov_b32 v3, 0\n global_atomic_add v[2:3], v1, off\n s_endpgm", Reason::memory_fault, 8, {"global_atomic_add", "0x10"}},
      {"null_buffer",
       "s_mov_b32 s4, 0x40\n s_mov_b32 s5, 0\n s_mov_b32 s6, -1\n s_mov_b32 s7, 0x27000\n buffer_load_dword v1, off, s[4:7], 0 offset:8\n s_endpgm",
       Reason::memory_fault, 20, {"buffer_load_dword", "0x48"}},
      {"null_scalar_load", "s_mov_b64 s[2:3], 0x40\n s_load_dwordx2 s[4:5], s[2:3], 0x10\n s_endpgm", Reason::memory_fault, 4, {"s_load_dwordx2", "0x50"}},
      {"private_memory_beyond_the_end", "s_mov_b64 s[22:23], src_private_base\n v_mov_b32 v2, 0x10000\n v_mov_b32 v3, s23\n flat_load_dword v1, v[2:3]\n s_endpgm",
       Reason::stack_overflow, 16, {"private memory"}},
  };
  return cases;
}

/// The kernel at the end of a page that nothing readable follows, nor stands before, as far as branches reach.
struct AtTheEdge {
  static constexpr size_t kVoid = 160 * 1024, kUsed = 8192;
  char* memory;
  uint64_t object, code;
  explicit AtTheEdge(Target t, const std::vector<uint32_t>& words) {
    memory = static_cast<char*>(mmap(nullptr, 2 * kVoid + kUsed, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0));
    mprotect(memory + kVoid, kUsed, PROT_READ | PROT_WRITE);
    object = reinterpret_cast<uint64_t>(memory + kVoid);
    code = object + kUsed - 4 * words.size();
    auto kd = RawKernel::plain_descriptor(t);
    kd.kernel_code_entry_byte_offset = static_cast<int64_t>(code - object);
    std::memcpy(reinterpret_cast<void*>(object), &kd, sizeof kd);
    std::memcpy(reinterpret_cast<void*>(code), words.data(), 4 * words.size());
  }
  ~AtTheEdge() { munmap(memory, 2 * kVoid + kUsed); }
};

std::unique_ptr<Halt> run(Target t, const std::string& level, uint64_t object) {
  DispatchInfo d;
  d.group_size = {64, 1, 1};
  d.grid_size = {64, 1, 1};
  d.kernel_object = object;
  auto r = run_dispatch(*engine(t, level), d);
  EXPECT_TRUE(r.ok()) << r.status().to_string();
  return r ? std::move(r->halt) : nullptr;
}

TEST(BadCode, IsReportedWhereItIs) {
  for (auto& bad : bad_code())
    for (Target t : bad.targets) {
      auto words = assemble(t, bad.text);
      ASSERT_TRUE(words.ok()) << bad.name << ": " << words.status().message();
      AtTheEdge kernel(t, *words);
      for (auto& level : engine_levels()) {
        SCOPED_TRACE(std::string(bad.name) + " " + std::string(bz::isa::target_name(t)) + " " + level);
        auto h = run(t, level, kernel.object);
        ASSERT_TRUE(h);
        EXPECT_EQ(h->reason, bad.reason) << h->text;
        if (bad.pc >= 0) EXPECT_EQ(h->pc, kernel.code + static_cast<uint64_t>(bad.pc)) << h->text;
        for (auto* text : bad.says) EXPECT_NE(h->text.find(text), std::string::npos) << h->text << " lacks " << text;
        EXPECT_NE(h->text.find("0x"), std::string::npos) << h->text;
      }
    }
}

// Each of these is odd but fine.
TEST(BadCode, ThatIsNotBad) {
  const std::pair<const char*, const char*> fine[] = {
      {"debug trap without a debugger", "s_trap 3\n s_endpgm"},
      {"illegal words that nobody reaches", "s_branch over\n .long 0xbf7f0000, 0xc7ffffff\n over: s_endpgm\n .long 0xbf7f0000"},
      {"a jump into the middle of an instruction", "s_getpc_b64 s[2:3]\n s_add_u32 s2, s2, 12\n s_setpc_b64 s[2:3]\n s_mov_b32 s9, 0xbf810000\n .long 0xbf7f0000"},
      {"a jump to a misaligned address: its low bits are ignored", "s_getpc_b64 s[2:3]\n s_add_u32 s2, s2, 15\n s_setpc_b64 s[2:3]\n s_endpgm\n s_endpgm\n .long 0xbf7f0000"},
      {"no lane touches the bad address", "v_mov_b32 v2, 0\n v_mov_b32 v3, 0\n s_mov_b64 exec, 0\n flat_load_dword v1, v[2:3]\n global_store_dword v[2:3], v1, off\n s_endpgm"},
  };
  for (auto& [name, text] : fine)
    for (Target t : kernel_targets()) {
      auto words = assemble(t, text);
      ASSERT_TRUE(words.ok()) << name << ": " << words.status().message();
      AtTheEdge kernel(t, *words);
      for (auto& level : engine_levels()) {
        SCOPED_TRACE(std::string(name) + " " + std::string(bz::isa::target_name(t)) + " " + level);
        auto h = run(t, level, kernel.object);
        EXPECT_FALSE(h) << h->text;
      }
    }
}

// An instruction whose second half lies on a page that can't be read is a fetch that fails, not an illegal instruction.
TEST(BadCode, CutInTwo) {
  for (Target t : kernel_targets())
    for (const char* text : {"s_nop 0\n global_load_dword v1, v[2:3], off", "s_nop 0\n s_mov_b32 s4, 0x12345678", "s_nop 0\n v_fma_f32 v1, v2, v3, v4"}) {
      auto words = assemble(t, text);
      ASSERT_TRUE(words.ok());
      words->pop_back();
      AtTheEdge kernel(t, *words);
      auto h = run(t, "", kernel.object);
      ASSERT_TRUE(h);
      EXPECT_EQ(h->reason, Reason::memory_fault) << h->text;
      EXPECT_EQ(h->pc, kernel.code + 4);
      EXPECT_EQ(h->address, kernel.code + 8);
    }
}

// Zeroes are instructions (v_cndmask_b32 v0, s0, v0): who falls out of the code into a large cleared allocation must not
// decode all of it.
TEST(BadCode, FallsThroughIntoMuchMemory) {
  constexpr size_t kBytes = size_t{1} << 36;
  auto* memory = static_cast<char*>(mmap(nullptr, kBytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0));
  ASSERT_NE(memory, MAP_FAILED);
  auto kd = RawKernel::plain_descriptor(Target::gfx942);
  kd.kernel_code_entry_byte_offset = 256;
  std::memcpy(memory, &kd, sizeof kd);
  auto h = run(Target::gfx942, "", reinterpret_cast<uint64_t>(memory));
  ASSERT_TRUE(h);
  EXPECT_EQ(h->reason, Reason::illegal_instruction);
  EXPECT_NE(h->text.find("no end"), std::string::npos) << h->text;
  munmap(memory, kBytes);
}

// What prepare refuses before anything runs.
TEST(BadCode, Refused) {
  std::vector<uint32_t> end{0xbf810000};
  auto code = [&](auto change) {
    auto kd = RawKernel::plain_descriptor(Target::gfx942);
    RawKernel kernel(kd, end);
    auto* there = reinterpret_cast<bz::abi::kernel_descriptor_t*>(kernel.object());
    DispatchInfo d;
    d.group_size = {64, 1, 1};
    d.grid_size = {64, 1, 1};
    d.kernel_object = kernel.object();
    change(*there, d);
    auto r = engine(Target::gfx942, "")->prepare(d);
    return r.ok() ? bz::Code::ok : r.status().code();
  };
  EXPECT_EQ(code([](auto&, auto&) {}), bz::Code::ok);
  EXPECT_EQ(code([](auto& kd, auto&) { kd.kernel_code_entry_byte_offset = 258; }), bz::Code::invalid_image);
  EXPECT_EQ(code([](auto& kd, auto&) { kd.kernel_code_entry_byte_offset = int64_t{1} << 44; }), bz::Code::invalid_image);
  EXPECT_EQ(code([](auto& kd, auto&) { kd.kernel_code_properties |= bz::abi::ENABLE_WAVEFRONT_SIZE32; }), bz::Code::invalid_image);
  EXPECT_EQ(code([](auto& kd, auto&) { kd.kernel_code_properties |= 0x7f; }), bz::Code::invalid_image);   // 15 user SGPRs, 2 counted
  EXPECT_EQ(code([](auto&, auto& d) { d.kernel_object += 4; }), bz::Code::invalid_image);
  EXPECT_EQ(code([](auto&, auto& d) { d.private_bytes = 5u << 20; }), bz::Code::out_of_resources);
}

} // namespace
