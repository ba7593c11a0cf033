#include "exec/launch.hpp"
#include "exec/fault.hpp"
#include "exec/interp/control.hpp"

#include <algorithm>
#include <cstring>

namespace bz::exec {
namespace {

constexpr uint32_t bits(uint32_t x, int at, int n) { return x >> at & ((1u << n) - 1); }
bool unified_registers(isa::Target t) { return t == isa::Target::gfx90a || t == isa::Target::gfx942 || t == isa::Target::gfx950; }
bool architected_flat_scratch(isa::Target t) { return t == isa::Target::gfx942 || t == isa::Target::gfx950; }

// compute_pgm_rsrc1 and 2.
namespace rsrc1 {
uint32_t vgpr_blocks(uint32_t r) { return bits(r, 0, 6); }
/// FLOAT_MODE is MODE[7:0]; DX10_CLAMP, IEEE and FP16_OVFL are MODE[8], [9] and [23].
uint32_t mode(uint32_t r) { return bits(r, 12, 8) | bits(r, 21, 1) << 8 | bits(r, 23, 1) << 9 | bits(r, 26, 1) << 23; }
} // namespace rsrc1
namespace rsrc2 {
bool private_segment(uint32_t r) { return bits(r, 0, 1); }
uint32_t user_sgprs(uint32_t r) { return bits(r, 1, 5); }
bool group_id(uint32_t r, int dim) { return bits(r, 7 + dim, 1); }
bool group_info(uint32_t r) { return bits(r, 10, 1); }
int id_vgprs(uint32_t r) { return static_cast<int>(bits(r, 11, 2)) + 1; }
} // namespace rsrc2

void push64(std::vector<uint32_t>& v, uint64_t x) {
  v.push_back(static_cast<uint32_t>(x));
  v.push_back(static_cast<uint32_t>(x >> 32));
}

void fill_ids(const Launch& l, const std::array<uint32_t, 3>& extent, uint32_t first, uint32_t count, uint32_t* row, size_t stride) {
  uint32_t x = first % extent[0], y = first / extent[0] % extent[1], z = first / extent[0] / extent[1];
  for (uint32_t i = 0; i < count; ++i) {
    if (l.packed_ids) {
      row[i] = x | y << 10 | z << 20;
    } else {
      row[i] = x;
      if (l.id_vgprs > 1) row[stride + i] = y;
      if (l.id_vgprs > 2) row[2 * stride + i] = z;
    }
    if (++x == extent[0]) {
      x = 0;
      if (++y == extent[1]) y = 0, ++z;
    }
  }
}

/// Four SIMDs share a unit's wave slots; registers limit the waves of each.
uint32_t waves_per_cu(const EngineConfig& config, const Launch& l) {
  uint32_t file = unified_registers(l.target) ? 512 : 256;
  return std::min(config.max_waves_per_cu, 4 * std::max(1u, file / l.vgprs));
}

/// The V# of private memory: swizzled, one dword of a lane every 256 bytes, lane number added.
std::array<uint32_t, 4> scratch_resource(uint64_t base, uint64_t bytes) {
  constexpr uint32_t kSwizzle = 1u << 31, kIndexStride64 = 3u << 21, kAddTid = 1u << 23;
  return {static_cast<uint32_t>(base), (static_cast<uint32_t>(base >> 32) & 0xffff) | kSwizzle,
          static_cast<uint32_t>(std::min<uint64_t>(bytes, 0xffffffff)), kIndexStride64 | kAddTid};
}

} // namespace

Expected<Launch> make_launch(const EngineConfig& config, const DispatchInfo& info) {
  Launch l;
  l.info = info;
  l.target = config.target;
  uint64_t lanes = 1;
  for (int d = 0; d < 3; ++d) {
    auto i = static_cast<size_t>(d);
    if (info.group_size[i] == 0 || info.grid_size[i] == 0)
      return error(bz::Code::invalid_argument, "dispatch with a size of 0 in dimension {}", d);
    lanes *= info.group_size[i];
    l.groups[i] = (uint64_t{info.grid_size[i]} + info.group_size[i] - 1) / info.group_size[i];
    l.ragged |= info.grid_size[i] % info.group_size[i] != 0;
  }
  if (lanes > 1024) return error(bz::Code::invalid_argument, "workgroup of {} work-items; the limit is 1024", lanes);
  if (info.group_bytes > config.lds_bytes)
    return error(bz::Code::out_of_resources, "workgroup needs {} bytes of LDS; a compute unit has {}", info.group_bytes, config.lds_bytes);
  constexpr uint32_t kScratchLimit = 4u << 20;
  if (info.private_bytes > kScratchLimit)
    return error(bz::Code::out_of_resources, "work-items need {} bytes of private memory; the limit is {}", info.private_bytes, kScratchLimit);
  if (info.kernel_object == 0 || info.kernel_object % 64 || !read_guest(&l.descriptor, info.kernel_object, sizeof l.descriptor))
    return error(bz::Code::invalid_image, "no readable kernel descriptor at 0x{:x}", info.kernel_object);

  const auto& kd = l.descriptor;
  uint32_t r1 = kd.compute_pgm_rsrc1, r2 = kd.compute_pgm_rsrc2;
  if (kd.kernel_code_properties & abi::ENABLE_WAVEFRONT_SIZE32)
    return error(bz::Code::invalid_image, "kernel for waves of 32 lanes on {}", isa::target_name(config.target));
  l.lanes = static_cast<uint32_t>(lanes);
  l.waves = (l.lanes + 63) / 64;
  l.scratch_bytes = (info.private_bytes + 3) / 4 * 4;
  const uint32_t mode = rsrc1::mode(r1);
  l.entry = info.kernel_object + static_cast<uint64_t>(kd.kernel_code_entry_byte_offset);
  l.packed_ids = unified_registers(config.target);
  l.id_vgprs = rsrc2::id_vgprs(r2);
  l.architected_scratch = architected_flat_scratch(config.target);
  uint32_t granule = unified_registers(config.target) ? 8 : 4;
  l.vgprs = (rsrc1::vgpr_blocks(r1) + 1) * granule;
  if (uint32_t most = waves_per_cu(config, l); l.waves > most)
    return error(bz::Code::unsupported, "workgroup of {} waves with {} vector registers each; a compute unit has room for {} such waves",
                 l.waves, l.vgprs, most);
  l.traits.target = config.target;
  l.traits.count_rows = config.count_rows;
  l.traits.accum_offset = unified_registers(config.target) ? (bits(kd.compute_pgm_rsrc3, 0, 6) + 1) * 4 : 256;
  l.flags.mode = mode;
  l.flags.mxcsr32 = mxcsr_of_mode(mode, false);
  l.flags.mxcsr64 = mxcsr_of_mode(mode, true);
  l.traits.split_mode = l.flags.mxcsr32 != l.flags.mxcsr64;

  // User SGPRs, in the order of the ABI.
  std::vector<uint32_t> s;
  uint16_t p = kd.kernel_code_properties;
  if (p & abi::ENABLE_SGPR_PRIVATE_SEGMENT_BUFFER) l.buffer_at = static_cast<int>(s.size()), s.resize(s.size() + 4);
  if (p & abi::ENABLE_SGPR_DISPATCH_PTR) push64(s, info.packet_address);
  if (p & abi::ENABLE_SGPR_QUEUE_PTR) push64(s, info.queue_address);
  if (p & abi::ENABLE_SGPR_KERNARG_SEGMENT_PTR) push64(s, info.kernarg);
  if (p & abi::ENABLE_SGPR_DISPATCH_ID) push64(s, info.dispatch_id);
  if (p & abi::ENABLE_SGPR_FLAT_SCRATCH_INIT) l.flat_init_at = static_cast<int>(s.size()), push64(s, 0);
  if (p & abi::ENABLE_SGPR_PRIVATE_SEGMENT_SIZE) s.push_back(l.scratch_bytes);
  uint32_t preload = kd.kernarg_preload & 127, preload_at = kd.kernarg_preload >> 7;
  if (preload) {
    if (!unified_registers(config.target)) return error(bz::Code::invalid_image, "kernel arguments preloaded into SGPRs, which {} can't", isa::target_name(config.target));
    size_t old = s.size();
    s.resize(old + preload);
    if (!read_guest(s.data() + old, info.kernarg + 4 * uint64_t{preload_at}, 4 * size_t{preload}))
      return error(bz::Code::fault, "kernel arguments at 0x{:x} can't be read", info.kernarg);
    l.entry += 256;   // behind the loads for hardware that doesn't preload
  }
  if (s.size() > rsrc2::user_sgprs(r2) || s.size() > 32)
    return error(bz::Code::invalid_image, "kernel descriptor enables {} user SGPRs but counts {}", s.size(), rsrc2::user_sgprs(r2));
  std::copy(s.begin(), s.end(), l.user_sgprs.begin());
  l.user_count = rsrc2::user_sgprs(r2);

  int rows = l.packed_ids ? 1 : l.id_vgprs;
  size_t stride = size_t{l.waves} * 64;
  l.ids.assign(static_cast<size_t>(rows) * stride, 0);
  std::array<uint32_t, 3> extent{info.group_size[0], info.group_size[1], info.group_size[2]};
  fill_ids(l, extent, 0, l.lanes, l.ids.data(), stride);
  return l;
}

uint32_t groups_per_cu(const EngineConfig& config, const Launch& l) {
  uint32_t groups = std::max(1u, waves_per_cu(config, l) / l.waves);
  if (l.info.group_bytes) groups = std::min(groups, std::max(1u, config.lds_bytes / l.info.group_bytes));
  return groups;
}

std::array<uint32_t, 3> group_extent(const Launch& l, const std::array<uint32_t, 3>& id) {
  std::array<uint32_t, 3> e{};
  for (size_t d = 0; d < 3; ++d)
    e[d] = static_cast<uint32_t>(std::min<uint64_t>(l.info.group_size[d], l.info.grid_size[d] - uint64_t{id[d]} * l.info.group_size[d]));
  return e;
}

bool numbered_as_whole(const Launch& l, const std::array<uint32_t, 3>& e) {
  const auto& size = l.info.group_size;
  return (e[0] == size[0] || (e[1] == 1 && e[2] == 1)) && (e[1] == size[1] || e[2] == 1);
}

void place_wave(const Launch& l, Group& g, Wave* w, uint32_t index, char* scratch) {
  w->group = &g;
  w->index = index;
  w->accum_offset = l.traits.accum_offset;
  w->scratch = scratch + uint64_t{l.scratch_bytes} * 64 * index;
  w->scratch_bytes = l.scratch_bytes;
}

void init_wave(const Launch& l, const Group& g, Wave* w, const std::array<uint32_t, 3>& extent) {
  const uint32_t index = w->index, first = 64 * index;
  static_cast<WaveFlags&>(*w) = l.flags;
  w->sgpr[layout::kM0] = 0;

  uint32_t* s = w->sgpr;
  std::memcpy(s, l.user_sgprs.data(), sizeof l.user_sgprs);
  const uint64_t wave_bytes = uint64_t{l.scratch_bytes} * 64, own = reinterpret_cast<uint64_t>(w->scratch), base = own - wave_bytes * index;
  if (l.buffer_at >= 0) {
    auto v = scratch_resource(base, wave_bytes * l.waves);
    std::memcpy(s + l.buffer_at, v.data(), 16);
  }
  if (l.flat_init_at >= 0) std::memcpy(s + l.flat_init_at, &base, 8);
  size_t n = l.user_count;
  uint32_t r2 = l.descriptor.compute_pgm_rsrc2;
  for (int d = 0; d < 3; ++d)
    if (rsrc2::group_id(r2, d)) s[n++] = g.id[static_cast<size_t>(d)];
  if (rsrc2::group_info(r2)) s[n++] = g.wave_count | (index == 0) << 31;
  if (l.architected_scratch) std::memcpy(s + layout::kFlatScratch, &own, 8);
  else if (rsrc2::private_segment(r2)) s[n++] = static_cast<uint32_t>(own - base);

  const uint32_t total = l.ragged ? extent[0] * extent[1] * extent[2] : l.lanes;
  if (__builtin_expect(!l.ragged || numbered_as_whole(l, extent), 1)) {
    w->set_exec(first + 64 <= total ? ~uint64_t{0} : (uint64_t{1} << (total - first)) - 1);
    const size_t stride = size_t{l.waves} * 64;
    const unsigned rows = l.packed_ids ? 1 : static_cast<unsigned>(l.id_vgprs);
    const uint32_t* ids = l.ids.data() + first;
    for (unsigned r = 0; r < rows; ++r, ids += stride) std::memcpy(w->row(r), ids, 256);
  } else {
    const uint32_t count = std::min(64u, total - first);
    w->set_exec(count == 64 ? ~uint64_t{0} : (uint64_t{1} << count) - 1);
    fill_ids(l, extent, first, count, w->row(0), 64);
  }
}

} // namespace bz::exec
