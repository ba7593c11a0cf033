// What a wave finds in its registers when it starts, for every enable bit of the kernel descriptor (LLVM AMDGPU usage,
// "Initial Kernel Execution State"). A kernel stores everything it starts with; expectations walk the ABI's order.
#include "exec/testing/case.hpp"

#include <cstring>
#include <map>
#include <random>

namespace {
using namespace bz::exec;
using namespace bz::exec::testing;
using bz::isa::Target;
namespace abi = bz::abi;

// ---------------------------------------------------------------- the kernel

constexpr uint32_t kSgprs = 40;
struct Record {
  uint64_t exec;
  uint32_t mode, m0, reserved[12];
  uint32_t s[kSgprs], pad[256 / 4 - 16 - kSgprs];
  uint32_t v[3][64];
};
static_assert(sizeof(Record) == 1024);
struct Log {
  uint32_t count = 0, pad[63]{};
  Record record[64]{};
};

constexpr uint32_t kLow = 0x5a5a0001, kHigh = 0x5a5a0002;   ///< stand for the address of the log

std::string store_everything(Target t) {
  const char* returns = bz::isa::bit(t) & bz::isa::kGfx940 ? " sc0" : " glc";
  std::string text = R"(
    s_mov_b64 s[80:81], exec
    s_getreg_b32 s82, hwreg(HW_REG_MODE)
    s_mov_b32 s92, 0x5a5a0001
    s_mov_b32 s93, 0x5a5a0002
    v_mbcnt_lo_u32_b32 v20, -1, 0
    v_mbcnt_hi_u32_b32 v20, -1, v20
    v_lshlrev_b32 v20, 2, v20
    s_mov_b64 exec, 1
    v_mov_b32 v21, 1
    v_mov_b32 v22, 0
    global_atomic_add v23, v22, v21, s[92:93])" + std::string(returns) + R"(
    s_waitcnt vmcnt(0)
    v_readfirstlane_b32 s94, v23
    s_lshl_b32 s94, s94, 10
    s_add_u32 s92, s92, s94
    s_addc_u32 s93, s93, 0
    s_add_u32 s92, s92, 256
    s_addc_u32 s93, s93, 0
)";
  auto dword = [&](const std::string& reg, uint32_t at) {
    text += "v_mov_b32 v24, " + reg + "\n global_store_dword v22, v24, s[92:93] offset:" + std::to_string(at) + "\n";
  };
  dword("s80", 0);
  dword("s81", 4);
  dword("s82", 8);
  dword("m0", 12);
  for (uint32_t i = 0; i < kSgprs; ++i) dword("s" + std::to_string(i), 64 + 4 * i);
  text += "s_mov_b64 exec, s[80:81]\n";
  for (int i = 0; i < 3; ++i) text += "global_store_dword v20, v" + std::to_string(i) + ", s[92:93] offset:" + std::to_string(256 + 256 * i) + "\n";
  return text + "s_endpgm\n";
}

/// The kernel's words with the log's address in place.
std::vector<uint32_t> words_for(Target t, const Log& log) {
  static std::map<Target, std::vector<uint32_t>> assembled;
  auto& base = assembled[t];
  if (base.empty()) {
    auto w = assemble(t, store_everything(t));
    EXPECT_TRUE(w.ok()) << w.status().message();
    if (w) base = *w;
  }
  auto words = base;
  auto address = reinterpret_cast<uint64_t>(&log);
  for (auto& w : words) {
    if (w == kLow) w = static_cast<uint32_t>(address);
    if (w == kHigh) w = static_cast<uint32_t>(address >> 32);
  }
  return words;
}

// ---------------------------------------------------------------- what the ABI says

/// User SGPRs in the order of the ABI.
struct UserField {
  uint16_t enable;
  const char* name;
  uint32_t dwords;
};
constexpr UserField kUser[] = {
    {abi::ENABLE_SGPR_PRIVATE_SEGMENT_BUFFER, "private_segment_buffer", 4},
    {abi::ENABLE_SGPR_DISPATCH_PTR, "dispatch_ptr", 2},
    {abi::ENABLE_SGPR_QUEUE_PTR, "queue_ptr", 2},
    {abi::ENABLE_SGPR_KERNARG_SEGMENT_PTR, "kernarg_segment_ptr", 2},
    {abi::ENABLE_SGPR_DISPATCH_ID, "dispatch_id", 2},
    {abi::ENABLE_SGPR_FLAT_SCRATCH_INIT, "flat_scratch_init", 2},
    {abi::ENABLE_SGPR_PRIVATE_SEGMENT_SIZE, "private_segment_size", 1},
};

struct Start {
  Target target = Target::gfx942;
  uint16_t user = 0;            ///< ENABLE_SGPR_*
  uint32_t system = 0;          ///< bit 0 private segment, 1..3 workgroup id x y z, 4 workgroup info
  uint32_t ids = 0;             ///< ENABLE_VGPR_WORKITEM_ID
  uint32_t mode = 0x3f0;        ///< FLOAT_MODE in 7:0, DX10_CLAMP 8, IEEE 9
  uint32_t preload = 0, preload_at = 0;
  std::array<uint16_t, 3> group{64, 1, 1};
  std::array<uint32_t, 3> grid{64, 1, 1};
};

bool packed_ids(Target t) { return bz::isa::bit(t) & bz::isa::kGfx90aUp; }
bool architected_scratch(Target t) { return bz::isa::bit(t) & bz::isa::kGfx940; }

abi::kernel_descriptor_t descriptor_for(const Start& s) {
  uint32_t user = 0;
  for (auto& f : kUser)
    if (s.user & f.enable) user += f.dwords;
  auto kd = RawKernel::plain_descriptor(s.target);
  // All registers, or as many as 16 waves leave to each.
  const uint32_t blocks = s.group[0] * s.group[1] * s.group[2] <= 256 ? 63 : 15;
  kd.compute_pgm_rsrc1 = blocks | (s.mode & 255) << 12 | (s.mode >> 8 & 1) << 21 | (s.mode >> 9 & 1) << 23;
  kd.compute_pgm_rsrc2 = (s.system & 1) | (user + s.preload) << 1 | (s.system >> 1) << 7 | s.ids << 11;
  kd.kernel_code_properties = s.user;
  kd.kernarg_preload = static_cast<uint16_t>(s.preload | s.preload_at << 7);
  return kd;
}

void check(const Start& s, const std::string& level) {
  static Log log;
  log = Log{};
  auto words = words_for(s.target, log);
  if (s.preload) words.insert(words.begin(), 64, 0xbf7f0000u);   // nobody may come here
  RawKernel kernel(descriptor_for(s), words);
  auto e = engine(s.target, level);
  ASSERT_TRUE(e);
  std::vector<uint32_t> arguments(64);
  for (uint32_t i = 0; i < 64; ++i) arguments[i] = 0xa0000000 + 0x1111 * i;
  DispatchInfo d;
  d.group_size = s.group;
  d.grid_size = s.grid;
  d.private_bytes = 52;
  d.kernel_object = kernel.object();
  d.kernarg = reinterpret_cast<uint64_t>(arguments.data());
  d.packet_address = 0x1112131415161718;
  d.queue_address = 0x2122232425262728;
  d.dispatch_id = 0x3132333435363738;
  launch(*e, d);
  if (::testing::Test::HasFailure()) return;

  uint32_t at = 0;
  uint64_t scratch_base = 0;
  std::array<uint32_t, 3> groups{};
  for (size_t i = 0; i < 3; ++i) groups[i] = (s.grid[i] + s.group[i] - 1) / s.group[i];
  for (uint32_t gz = 0; gz < groups[2]; ++gz)
    for (uint32_t gy = 0; gy < groups[1]; ++gy)
      for (uint32_t gx = 0; gx < groups[0]; ++gx) {
        std::array<uint32_t, 3> id{gx, gy, gz}, extent{};
        for (size_t i = 0; i < 3; ++i) extent[i] = std::min<uint32_t>(s.group[i], s.grid[i] - id[i] * s.group[i]);
        uint32_t lanes = extent[0] * extent[1] * extent[2], waves = (lanes + 63) / 64;
        for (uint32_t w = 0; w < waves; ++w) {
          ASSERT_LT(at, log.count);
          const Record& r = log.record[at++];
          SCOPED_TRACE("group " + std::to_string(gx) + "," + std::to_string(gy) + "," + std::to_string(gz) + " wave " + std::to_string(w));
          uint32_t active = std::min(64u, lanes - 64 * w);
          EXPECT_EQ(r.exec, active == 64 ? ~uint64_t{0} : (uint64_t{1} << active) - 1);
          EXPECT_EQ(r.mode & 0x3ff, s.mode);
          // Private memory of a wave: 52 bytes for each of 64 lanes.
          uint32_t n = 0, wave_offset = w * 52 * 64;
          auto pair = [&](uint32_t k) { return r.s[k] | static_cast<uint64_t>(r.s[k + 1]) << 32; };
          uint64_t base = 0;
          for (auto& f : kUser) {
            if (!(s.user & f.enable)) continue;
            SCOPED_TRACE(f.name);
            switch (f.enable) {
            case abi::ENABLE_SGPR_PRIVATE_SEGMENT_BUFFER: base = pair(n) & 0xffffffffffff; break;
            case abi::ENABLE_SGPR_DISPATCH_PTR: EXPECT_EQ(pair(n), d.packet_address); break;
            case abi::ENABLE_SGPR_QUEUE_PTR: EXPECT_EQ(pair(n), d.queue_address); break;
            case abi::ENABLE_SGPR_KERNARG_SEGMENT_PTR: EXPECT_EQ(pair(n), d.kernarg); break;
            case abi::ENABLE_SGPR_DISPATCH_ID: EXPECT_EQ(pair(n), d.dispatch_id); break;
            case abi::ENABLE_SGPR_FLAT_SCRATCH_INIT:
              if (base) EXPECT_EQ(pair(n), base);   // both see the same memory
              base = pair(n);
              break;
            case abi::ENABLE_SGPR_PRIVATE_SEGMENT_SIZE: EXPECT_EQ(r.s[n], 52u); break;
            }
            n += f.dwords;
          }
          if (base) {
            if (scratch_base) EXPECT_EQ(base, scratch_base);   // one worker, one group at a time
            scratch_base = base;
          }
          for (uint32_t i = 0; i < s.preload; ++i) EXPECT_EQ(r.s[n++], arguments[s.preload_at + i]) << "preloaded " << i;
          for (size_t i = 0; i < 3; ++i)
            if (s.system >> (1 + i) & 1) EXPECT_EQ(r.s[n++], id[i]) << "workgroup id " << i;
          if (s.system >> 4 & 1) EXPECT_EQ(r.s[n++], waves | (w == 0) << 31) << "workgroup info";
          if ((s.system & 1) && !architected_scratch(s.target)) EXPECT_EQ(r.s[n++], wave_offset) << "wave offset";
          for (uint32_t i = 0; i < active; ++i) {
            uint32_t lane = 64 * w + i, x = lane % extent[0], y = lane / extent[0] % extent[1], z = lane / extent[0] / extent[1];
            if (packed_ids(s.target)) {
              ASSERT_EQ(r.v[0][i], x | y << 10 | z << 20) << "lane " << i;
            } else {
              ASSERT_EQ(r.v[0][i], x) << "lane " << i;
              if (s.ids > 0) ASSERT_EQ(r.v[1][i], y) << "lane " << i;
              if (s.ids > 1) ASSERT_EQ(r.v[2][i], z) << "lane " << i;
            }
          }
        }
      }
  EXPECT_EQ(at, log.count);
}

std::string describe(const Start& s) {
  std::string text = std::string(bz::isa::target_name(s.target)) + ":";
  for (auto& f : kUser)
    if (s.user & f.enable) text += std::string(" ") + f.name;
  return text + " system " + std::to_string(s.system) + " ids " + std::to_string(s.ids) + " preload " + std::to_string(s.preload) + "@" +
         std::to_string(s.preload_at);
}

// ---------------------------------------------------------------- cases

const std::vector<Target>& all_targets() {
  static const std::vector<Target> targets{Target::gfx900, Target::gfx906, Target::gfx908, Target::gfx90a, Target::gfx942, Target::gfx950};
  return targets;
}

TEST(State, EveryEnableBit) {
  std::vector<std::pair<uint16_t, uint32_t>> bits{{0, 0}, {0x7f, 0x1f}};
  for (auto& f : kUser) bits.push_back({f.enable, 0}), bits.push_back({f.enable, 0x1f}), bits.push_back({0x7f & ~f.enable, 0x1f});
  for (uint32_t i = 0; i < 5; ++i) bits.push_back({0x7f, 1u << i}), bits.push_back({abi::ENABLE_SGPR_KERNARG_SEGMENT_PTR, 0x1fu & ~(1u << i)});
  std::mt19937 random(4);
  for (int i = 0; i < 30; ++i) bits.push_back({static_cast<uint16_t>(random() & 0x7f), random() & 0x1f});
  for (Target t : all_targets())
    for (auto& level : engine_levels())
      for (auto [user, system] : bits) {
        Start s{.target = t, .user = user, .system = system, .ids = static_cast<uint32_t>(random() % 3), .group = {128, 1, 1}, .grid = {256, 2, 1}};
        SCOPED_TRACE(describe(s) + " " + level);
        check(s, level);
        if (HasFailure()) return;
      }
}

TEST(State, WorkItemIds) {
  struct Shape { std::array<uint16_t, 3> group; std::array<uint32_t, 3> grid; };
  const Shape shapes[] = {
      {{64, 1, 1}, {64, 1, 1}},  {{1, 1, 1}, {3, 2, 2}},    {{7, 5, 3}, {7, 5, 3}},      {{7, 5, 3}, {16, 11, 4}},
      {{1024, 1, 1}, {1500, 1, 1}}, {{1, 1024, 1}, {1, 1030, 1}}, {{2, 2, 256}, {3, 2, 300}}, {{16, 16, 4}, {17, 16, 4}}, {{33, 2, 1}, {50, 3, 2}},
  };
  for (Target t : all_targets())
    for (auto& level : engine_levels())
      for (auto& shape : shapes)
        for (uint32_t ids = 0; ids < 3; ++ids) {
          Start s{.target = t, .user = abi::ENABLE_SGPR_KERNARG_SEGMENT_PTR, .system = 0x1f, .ids = ids, .group = shape.group, .grid = shape.grid};
          SCOPED_TRACE(describe(s) + " " + level);
          check(s, level);
          if (HasFailure()) return;
        }
}

TEST(State, Mode) {
  for (Target t : all_targets())
    for (uint32_t mode : {0x3f0u, 0u, 0xffu, 0x1f0u, 0x2f0u, 0x3c0u, 0x330u, 0x3f5u}) {
      Start s{.target = t, .mode = mode};
      SCOPED_TRACE(describe(s) + " mode " + std::to_string(mode));
      check(s, "");
    }
}

TEST(State, PreloadedArguments) {
  for (Target t : all_targets())
    for (auto [length, at] : {std::pair{1u, 0u}, {14u, 0u}, {3u, 5u}, {8u, 20u}}) {
      Start s{.target = t, .user = abi::ENABLE_SGPR_KERNARG_SEGMENT_PTR, .system = 0xf, .preload = length, .preload_at = at};
      SCOPED_TRACE(describe(s));
      if (packed_ids(t)) {
        check(s, "");
        continue;
      }
      // Chips that can't are not asked to: the compiler refuses.
      std::vector<uint32_t> end{0xbf810000};
      RawKernel kernel(descriptor_for(s), end);
      DispatchInfo d;
      d.group_size = {64, 1, 1};
      d.grid_size = {64, 1, 1};
      d.kernel_object = kernel.object();
      d.kernarg = reinterpret_cast<uint64_t>(end.data());
      auto r = engine(t, "")->prepare(d);
      EXPECT_EQ(r.status().code(), bz::Code::invalid_image);
    }
}

// ---------------------------------------------------------------- private memory

// Every wave writes through the buffer resource (or scratch_*) and reads through the FLAT aperture, and the other way round.
TEST(State, PrivateMemoryIsOneMemory) {
  for (Target t : all_targets()) {
    bool architected = architected_scratch(t);
    std::string text = architected ? "" : "s_add_u32 flat_scratch_lo, s4, s7\n s_addc_u32 flat_scratch_hi, s5, 0\n";
    std::string to = architected ? "scratch_store_dword off, v11, off offset:" : "buffer_store_dword v11, off, s[0:3], s7 offset:";
    std::string from = architected ? "scratch_load_dword v13, off, off offset:" : "buffer_load_dword v13, off, s[0:3], s7 offset:";
    std::string group = architected ? "s2" : "s6";   // the kernarg pointer sits in s[0:1] there
    // Unique value: 65536 * group + 64 * wave + lane; the wave comes from the work-item id.
    text += "v_and_b32 v10, 0x3ff, v0\n s_lshl_b32 s20, " + group + ", 16\n v_add_u32 v11, s20, v10\n";
    text += to + "8\n v_add_u32 v12, 7, v11\n s_mov_b64 s[22:23], src_private_base\n v_mov_b32 v5, s23\n v_mov_b32 v4, 16\n"
            "flat_store_dword v[4:5], v12\n s_waitcnt vmcnt(0) lgkmcnt(0)\n s_barrier\n" +
            from + "16\n v_mov_b32 v4, 8\n flat_load_dword v14, v[4:5]\n s_waitcnt vmcnt(0) lgkmcnt(0)\n"
            "s_mov_b32 s92, 0x5a5a0001\n s_mov_b32 s93, 0x5a5a0002\n s_mul_i32 s20, " + group + ", 1536\n"
            "v_lshlrev_b32 v20, 3, v10\n v_add_u32 v20, s20, v20\n"
            "global_store_dword v20, v13, s[92:93]\n global_store_dword v20, v14, s[92:93] offset:4\n s_endpgm\n";
    auto words = assemble(t, text);
    ASSERT_TRUE(words.ok()) << words.status().message();
    for (auto& level : engine_levels()) {
      SCOPED_TRACE(std::string(bz::isa::target_name(t)) + " " + level);
      std::vector<uint32_t> out(3 * 192 * 2);
      auto own = *words;
      auto address = reinterpret_cast<uint64_t>(out.data());
      for (auto& w : own) {
        if (w == kLow) w = static_cast<uint32_t>(address);
        if (w == kHigh) w = static_cast<uint32_t>(address >> 32);
      }
      Start s{.target = t,
              .user = architected ? abi::ENABLE_SGPR_KERNARG_SEGMENT_PTR
                                  : static_cast<uint16_t>(abi::ENABLE_SGPR_PRIVATE_SEGMENT_BUFFER | abi::ENABLE_SGPR_FLAT_SCRATCH_INIT),
              .system = 3};
      RawKernel kernel(descriptor_for(s), own);
      auto e = engine(t, level);
      DispatchInfo d;
      d.group_size = {192, 1, 1};
      d.grid_size = {3 * 192, 1, 1};
      d.private_bytes = 20;
      d.kernel_object = kernel.object();
      launch(*e, d);
      for (uint32_t i = 0; i < 3 * 192; ++i) {
        uint32_t value = i / 192 * 65536 + i % 192;
        ASSERT_EQ(out[2 * i], value + 7) << i;
        ASSERT_EQ(out[2 * i + 1], value) << i;
      }
    }
  }
}

// ---------------------------------------------------------------- accumulation registers

// gfx908 has two files; from gfx90a on AGPR n is VGPR accum_offset + n.
TEST(State, AccumulationRegisters) {
  for (Target t : {Target::gfx908, Target::gfx90a, Target::gfx942, Target::gfx950})
    for (uint32_t accum_offset : {4u, 32u, 128u, 256u}) {
      bool unified = t != Target::gfx908;
      if (!unified && accum_offset != 256) continue;
      uint32_t n = std::min(accum_offset, 252u);   // the VGPR that a0 might be
      std::string text = "v_and_b32 v20, 0x3ff, v0\n v_lshlrev_b32 v0, 4, v20\n v_mov_b32 v1, 111\n v_mov_b32 v2, 222\n"
                         "v_accvgpr_write_b32 a0, v20\n v_accvgpr_write_b32 a3, v2\n";
      if (accum_offset < 256) text += "v_mov_b32 v" + std::to_string(n + 1) + ", 77\n";
      else text += "v_accvgpr_write_b32 a1, 7\n v_accvgpr_write_b32 a255, v1\n v_mov_b32 v252, 5\n";
      text += "s_nop 7\n s_mov_b32 s92, 0x5a5a0001\n s_mov_b32 s93, 0x5a5a0002\n";
      for (int i : {0, 1, 3, accum_offset < 256 ? 0 : 255})
        text += "v_accvgpr_read_b32 v3, a" + std::to_string(i) + "\n s_nop 7\n global_store_dword v0, v3, s[92:93]\n s_add_u32 s92, s92, 4\n s_addc_u32 s93, s93, 0\n";
      auto words = assemble(t, text + "s_endpgm\n");
      ASSERT_TRUE(words.ok()) << words.status().message();
      for (auto& level : engine_levels()) {
        SCOPED_TRACE(std::string(bz::isa::target_name(t)) + " accum_offset " + std::to_string(accum_offset) + " " + level);
        std::vector<uint32_t> out(4 * 64);
        auto own = *words;
        auto address = reinterpret_cast<uint64_t>(out.data());
        for (auto& w : own) {
          if (w == kLow) w = static_cast<uint32_t>(address);
          if (w == kHigh) w = static_cast<uint32_t>(address >> 32);
        }
        auto kd = RawKernel::plain_descriptor(t);
        if (unified) kd.compute_pgm_rsrc3 = accum_offset / 4 - 1;
        RawKernel kernel(kd, own);
        DispatchInfo d;
        d.group_size = {64, 1, 1};
        d.grid_size = {64, 1, 1};
        d.kernel_object = kernel.object();
        launch(*engine(t, level), d);
        for (uint32_t i = 0; i < 64; ++i) {
          bool whole = accum_offset == 256;
          // v0..v3 are in use: with an offset of 4 nothing overlaps them.
          ASSERT_EQ(out[4 * i], i);
          ASSERT_EQ(out[4 * i + 1], whole ? 7u : 77u);
          ASSERT_EQ(out[4 * i + 2], 222u);
          ASSERT_EQ(out[4 * i + 3], whole ? 111u : i);
        }
      }
    }
}

} // namespace
