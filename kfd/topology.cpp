#include "kfd/topology.hpp"

#include "gpu/sdma.hpp"

#include <algorithm>
#include <charconv>
#include <fmt/format.h>

namespace bz::kfd {
namespace {

// hsakmttypes.h: HSA_IOLINKTYPE
constexpr uint32_t kLinkPcie = 2, kLinkXgmi = 11;
constexpr uint32_t kWeightPcie = 20, kWeightXgmi = 15;
// Capability bits (HSA_CAPABILITY): doorbells of 64 bits, power-of-two queues, coherent host access, ASIC revision 1, and
// the error correction of SRAM that makes a product of this class gfx942:sramecc+, not sramecc-.
constexpr uint32_t kCapQueueSizePowerOfTwo = 1u << 3, kCapDoorbell64 = 2u << 12, kCapCoherentHostAccess = 1u << 28,
                   kCapAsicRevision1 = 1u << 22, kCapSramEcc = 1u << 26;
// Cache types (HsaCacheType): data, instruction, CPU, HSACU.
constexpr uint32_t kCacheData = 1, kCacheInstruction = 2, kCacheHsaCu = 8;
constexpr uint32_t kVendorAmd = 0x1002;

struct Text {
  std::string out;
  Text& operator()(std::string_view name, uint64_t value) {
    out += fmt::format("{} {}\n", name, value);
    return *this;
  }
};

/// Takes "nodes/", "3/" and the like off the front.
bool take(std::string_view& path, std::string_view prefix) {
  if (!path.starts_with(prefix)) return false;
  path.remove_prefix(prefix.size());
  return true;
}
std::optional<uint32_t> take_number(std::string_view& path) {
  uint32_t value = 0;
  auto [end, ec] = std::from_chars(path.data(), path.data() + path.size(), value);
  if (ec != std::errc() || end == path.data() + path.size() || *end != '/') return {};
  path.remove_prefix(static_cast<size_t>(end - path.data()) + 1);
  return value;
}

} // namespace

uint32_t gpu_id_of(uint32_t index) { return 0x6b00 + 0x11 * (index + 1); }
std::string pci_address_of(uint32_t index) { return fmt::format("0000:{:02x}:00.0", index + 1); }

std::vector<Topology::Link> Topology::links(uint32_t node) const {
  std::vector<Link> out;
  auto count = static_cast<uint32_t>(gpus_.size());
  if (node != 0) out.push_back({kLinkPcie, 0, kWeightPcie});
  for (uint32_t to = 1; to <= count; ++to) {
    if (to == node) continue;
    if (node == 0)
      out.push_back({kLinkPcie, to, kWeightPcie});
    else
      out.push_back({kLinkXgmi, to, kWeightXgmi});
  }
  return out;
}

size_t Topology::cache_count(const gpu::Product& p) const {
  size_t n = 0;
  for (const auto& c : p.caches) n += (p.cus + c.cus - 1) / c.cus;
  return n;
}

std::optional<std::string> Topology::cache(const gpu::Product& p, size_t index) const {
  for (const auto& c : p.caches) {
    size_t n = (p.cus + c.cus - 1) / c.cus;
    if (index >= n) {
      index -= n;
      continue;
    }
    Text t;
    uint32_t type = kCacheHsaCu | (c.type == 'i' ? kCacheInstruction : kCacheData);
    uint64_t sets = uint64_t{c.kilobytes} * 1024 / c.line_bytes / std::max(1u, c.ways);
    t("processor_id_low", 0x80000000u + index * c.cus * p.simds_per_cu)("level", c.level)("size", c.kilobytes);
    t("cache_line_size", c.line_bytes)("cache_lines_per_tag", 1)("association", sets ? c.ways : 0)("latency", 0)("type",
                                                                                                                 type);
    t.out += "sibling_map ";
    // One bit per SIMD of the CUs that share it, 32 bytes of bits as comma separated 0 and 1 (the kernel's form).
    constexpr uint32_t kBits = 256;
    uint32_t simds = std::min(c.cus * p.simds_per_cu, kBits);
    for (uint32_t i = 0; i < kBits; ++i) t.out += fmt::format("{}{}", i < simds ? 1 : 0, i + 1 < kBits ? "," : "\n");
    return t.out;
  }
  return {};
}

std::string Topology::node_properties(uint32_t node) const {
  Text t;
  if (node == 0) {
    t("cpu_cores_count", machine_.threads)("simd_count", 0)("mem_banks_count", 1)("caches_count", 0);
    t("io_links_count", links(0).size())("p2p_links_count", 0)("cpu_core_id_base", 0)("simd_id_base", 0);
    t("max_waves_per_simd", 0)("lds_size_in_kb", 0)("gds_size_in_kb", 0)("num_gws", 0)("wave_front_size", 0);
    t("array_count", 0)("simd_arrays_per_engine", 0)("cu_per_simd_array", 0)("simd_per_cu", 0)("max_slots_scratch_cu",
                                                                                               0);
    t("gfx_target_version", 0)("vendor_id", 0)("device_id", 0)("location_id", 0)("domain", 0)("drm_render_minor", 0);
    t("hive_id", 0)("num_sdma_engines", 0)("num_sdma_xgmi_engines", 0)("num_sdma_queues_per_engine", 0);
    t("num_cp_queues", 0)("max_engine_clk_ccompute", 0);
    return t.out;
  }
  uint32_t index = node - 1;
  const gpu::Product& p = gpus_[index];
  uint32_t arrays = p.xccs * p.engines_per_xcc * p.arrays_per_engine;
  bool hive = gpus_.size() > 1;
  constexpr uint32_t kQueues = 24, kMaxScratchSlots = 32, kFirmware = 1;
  t("cpu_cores_count", 0)("simd_count", uint64_t{p.cus} * p.simds_per_cu)("mem_banks_count", 1)("caches_count",
                                                                                                cache_count(p));
  t("io_links_count", links(node).size())("p2p_links_count", 0)("cpu_core_id_base", 0)("simd_id_base",
                                                                                       0x80000000u + index * 0x1000);
  t("max_waves_per_simd", p.waves_per_simd)("lds_size_in_kb", p.lds_kb)("gds_size_in_kb", 0);
  t("num_gws", kGlobalWaveSync)("wave_front_size", 64);
  t("array_count", arrays)("simd_arrays_per_engine", p.arrays_per_engine)("cu_per_simd_array",
                                                                          (p.cus + arrays - 1) / arrays);
  t("simd_per_cu", p.simds_per_cu)("max_slots_scratch_cu", kMaxScratchSlots)("gfx_target_version",
                                                                             p.gfx_target_version());
  t("vendor_id", kVendorAmd)("device_id", p.device_id)("location_id", uint64_t{index + 1} << 8)("domain", 0);
  t("drm_render_minor", kFirstRenderMinor + index)("hive_id", hive ? 0x626f6c747a6d616eull : 0);
  t("num_sdma_engines", gpu::kSdmaEngines)("num_sdma_xgmi_engines", 0);
  t("num_sdma_queues_per_engine", gpu::kSdmaQueuesPerEngine)("num_cp_queues", kQueues);
  t("max_engine_clk_fcompute", p.clock_mhz)("local_mem_size", p.memory_bytes)("fw_version", kFirmware);
  constexpr uint32_t kCapabilities =
      kCapQueueSizePowerOfTwo | kCapDoorbell64 | kCapCoherentHostAccess | kCapAsicRevision1 | kCapSramEcc;
  t("capability", kCapabilities)("capability2", 0);
  t("debug_prop", 0)("sdma_fw_version", 0)("unique_id", 0xb017000000000000ull + gpu_id_of(index))("num_xcc", p.xccs);
  t("family_id", p.family_id)("max_engine_clk_ccompute", 0);
  return t.out;
}

std::optional<std::string> Topology::file(std::string_view path) const {
  if (path == "generation_id") return "1\n";
  if (path == "system_properties") return Text{}("platform_oem", 0)("platform_id", 0)("platform_rev", 0).out;
  if (!take(path, "nodes/")) return {};
  auto node = take_number(path);
  if (!node || *node > gpus_.size()) return {};
  const gpu::Product* p = *node ? &gpus_[*node - 1] : nullptr;
  if (path == "gpu_id") return fmt::format("{}\n", p ? gpu_id_of(*node - 1) : 0);
  if (path == "name") return (p ? p->asic : std::string()) + "\n";
  if (path == "properties") return node_properties(*node);
  if (path == "mem_banks/0/properties") {
    // HSA_HEAPTYPE: 0 host, 1 frame buffer that the host can access (all of it).
    Text t;
    t("heap_type", p ? 1 : 0)("size_in_bytes", p ? p->memory_bytes : machine_.memory_bytes)("flags", 0);
    t("width", p ? p->memory_width : 64)("mem_clk_max", p ? p->memory_clock_mhz : 0);
    return t.out;
  }
  if (take(path, "caches/")) {
    auto index = take_number(path);
    if (!p || !index || path != "properties") return {};
    return cache(*p, *index);
  }
  if (take(path, "io_links/")) {
    auto index = take_number(path);
    auto all = links(*node);
    if (!index || path != "properties" || *index >= all.size()) return {};
    const Link& link = all[*index];
    Text t;
    t("type", link.type)("version_major", 0)("version_minor", 0)("node_from", *node)("node_to", link.to)("weight",
                                                                                                         link.weight);
    t("min_latency", 0)("max_latency", 0)("min_bandwidth", 0)("max_bandwidth", 0)("recommended_transfer_size", 0);
    t("recommended_sdma_engine_id_mask", 0)("flags", 1);
    return t.out;
  }
  return {};
}

std::vector<std::string> Topology::files() const {
  std::vector<std::string> out{"generation_id", "system_properties"};
  for (uint32_t node = 0; node <= gpus_.size(); ++node) {
    auto add = [&](const std::string& name) { out.push_back(fmt::format("nodes/{}/{}", node, name)); };
    for (const char* name : {"gpu_id", "name", "properties", "mem_banks/0/properties"}) add(name);
    size_t caches = node ? cache_count(gpus_[node - 1]) : 0, ends = links(node).size();
    for (size_t i = 0; i < caches; ++i) add(fmt::format("caches/{}/properties", i));
    for (size_t i = 0; i < ends; ++i) add(fmt::format("io_links/{}/properties", i));
  }
  return out;
}

} // namespace bz::kfd
