#include "thunk/topology.hpp"

#include "base/log.hpp"

#include <algorithm>
#include <atomic>
#include <charconv>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <map>
#include <string_view>

namespace bz::thunk {
namespace {

const std::string kRoot = "/sys/devices/virtual/kfd/kfd/topology/";

using Values = std::map<std::string, uint64_t, std::less<>>;

/// Lines of "name value"; what isn't a number is left out.
Values parse(const std::string& text) {
  Values values;
  size_t at = 0;
  while (at < text.size()) {
    size_t end = std::min(text.find('\n', at), text.size());
    std::string_view line(text.data() + at, end - at);
    at = end + 1;
    size_t space = line.find(' ');
    if (space == std::string_view::npos) continue;
    uint64_t value = 0;
    auto number = line.substr(space + 1);
    if (std::from_chars(number.data(), number.data() + number.size(), value).ec == std::errc())
      values.emplace(line.substr(0, space), value);
  }
  return values;
}

/// values["x"] as the wanted type; 0 if there is none.
struct Get {
  const Values& values;
  uint64_t operator()(std::string_view name) const {
    auto it = values.find(name);
    return it == values.end() ? 0 : it->second;
  }
  uint32_t u32(std::string_view name) const { return static_cast<uint32_t>((*this)(name)); }
  uint8_t u8(std::string_view name) const { return static_cast<uint8_t>((*this)(name)); }
};

/// What libdrm's amdgpu.ids says for these devices.
struct MarketingName {
  uint32_t device_id;
  const char* name;
};
constexpr MarketingName kNames[] = {
    {0x6860, "AMD Radeon Instinct MI25"}, {0x687f, "AMD Radeon RX Vega 64"},
    {0x66a0, "AMD Instinct MI60"},   {0x66a1, "AMD Instinct MI50"},   {0x738c, "AMD Instinct MI100"},
    {0x7408, "AMD Instinct MI250X"}, {0x740c, "AMD Instinct MI250X"}, {0x740f, "AMD Instinct MI210"},
    {0x74a0, "AMD Instinct MI300A"}, {0x74a1, "AMD Instinct MI300X"}, {0x74a5, "AMD Instinct MI325X"},
};

void set_marketing_name(HsaNodeProperties& p, std::string_view name) {
  size_t n = std::min<size_t>(name.size(), HSA_PUBLIC_NAME_SIZE - 1);
  for (size_t i = 0; i < n; ++i) p.MarketingName[i] = static_cast<unsigned char>(name[i]);
}

std::string cpu_name() {
  std::ifstream in("/proc/cpuinfo");
  constexpr std::string_view kKey = "model name";
  for (std::string line; std::getline(in, line);)
    if (line.starts_with(kKey))
      if (size_t colon = line.find(": "); colon != std::string::npos) return line.substr(colon + 2);
  return "CPU";
}

HSA_ENGINE_ID engine_id(uint32_t gfx_target_version, uint32_t firmware) {
  HSA_ENGINE_ID id{};
  id.ui32.uCode = firmware & 0x3ff;
  id.ui32.Major = gfx_target_version / 10000 & 0x3f;
  id.ui32.Minor = gfx_target_version / 100 % 100 & 0xff;
  id.ui32.Stepping = gfx_target_version % 100 & 0xff;
  return id;
}

/// Bytes of vector registers in a CU: 512 KiB with accumulation registers (gfx908, gfx90a, gfx94x, gfx95x), else 256
/// KiB.
uint32_t vgpr_bytes_per_cu(uint32_t version) {
  bool large = version == 90008 || version == 90010 || version / 100 == 904 || version / 100 == 905;
  return large ? 0x80000 : 0x40000;
}

Node read_node(const std::string& text, uint32_t gpu_id, const std::string& name) {
  Values values = parse(text);
  Get get{values};
  Node node;
  node.gpu_id = gpu_id;
  HsaNodeProperties& p = node.properties;
  p.NumCPUCores = get.u32("cpu_cores_count");
  p.NumFComputeCores = get.u32("simd_count");
  p.NumMemoryBanks = get.u32("mem_banks_count");
  p.NumCaches = get.u32("caches_count");
  p.NumIOLinks = get.u32("io_links_count"); // p2p links are counted apart and have files of their own
  p.CComputeIdLo = get.u32("cpu_core_id_base");
  p.FComputeIdLo = get.u32("simd_id_base");
  p.Capability.Value = get.u32("capability");
  p.Capability2.Value = get.u32("capability2");
  p.DebugProperties.Value = get("debug_prop");
  p.MaxWavesPerSIMD = get.u32("max_waves_per_simd");
  p.LDSSizeInKB = get.u32("lds_size_in_kb");
  p.GDSSizeInKB = get.u32("gds_size_in_kb");
  p.WaveFrontSize = get.u32("wave_front_size");
  node.arrays_per_engine = std::max(1u, get.u32("simd_arrays_per_engine"));
  p.NumArrays = get.u32("simd_arrays_per_engine");
  p.NumShaderBanks = get.u32("array_count") / node.arrays_per_engine;
  p.NumCUPerArray = get.u32("cu_per_simd_array");
  p.NumSIMDPerCU = get.u32("simd_per_cu");
  p.MaxSlotsScratchCU = get.u32("max_slots_scratch_cu");
  p.VendorId = static_cast<HSAuint16>(get("vendor_id"));
  p.DeviceId = static_cast<HSAuint16>(get("device_id"));
  p.LocationId = get.u32("location_id");
  p.LocalMemSize = get("local_mem_size");
  p.MaxEngineClockMhzFCompute = get.u32("max_engine_clk_fcompute");
  p.MaxEngineClockMhzCCompute = get.u32("max_engine_clk_ccompute");
  p.DrmRenderMinor = static_cast<HSAint32>(get("drm_render_minor"));
  p.uCodeEngineVersions.uCodeSDMA = get.u32("sdma_fw_version") & 0x3ff;
  p.HiveID = get("hive_id");
  p.UniqueID = get("unique_id");
  p.NumSdmaEngines = get.u32("num_sdma_engines");
  p.NumSdmaXgmiEngines = get.u32("num_sdma_xgmi_engines");
  p.NumSdmaQueuesPerEngine = get.u8("num_sdma_queues_per_engine");
  p.NumCpQueues = get.u8("num_cp_queues");
  p.NumGws = get.u8("num_gws");
  p.Domain = get.u32("domain");
  p.NumXcc = get.u32("num_xcc");
  p.FamilyID = get.u32("family_id");
  p.KFDGpuID = gpu_id;
  p.Integrated = p.NumCPUCores != 0 && p.NumFComputeCores != 0;
  std::strncpy(reinterpret_cast<char*>(p.AMDName), name.c_str(), HSA_PUBLIC_NAME_SIZE - 1);
  if (gpu_id == 0) {
    set_marketing_name(p, cpu_name());
    return node;
  }
  node.gfx_target_version = get.u32("gfx_target_version");
  p.EngineId = engine_id(node.gfx_target_version, get.u32("fw_version"));
  p.OverrideEngineId = p.EngineId;
  if (const char* text_version = std::getenv("HSA_OVERRIDE_GFX_VERSION")) {
    unsigned major = 0, minor = 0, step = 0;
    int end = 0; // of what was read
    if (*text_version == 0) {
      // as if it weren't set
    } else if (std::sscanf(text_version, "%u.%u.%u%n", &major, &minor, &step, &end) != 3 || text_version[end] != 0) {
      static std::atomic<bool> said{false};
      if (!said.exchange(true))
        log("thunk", Level::warn, "HSA_OVERRIDE_GFX_VERSION=\"{}\" is ignored: it wants major.minor.stepping, for example 9.4.2",
            text_version);
    } else
      p.OverrideEngineId = engine_id(major * 10000 + minor * 100 + step, get.u32("fw_version"));
  }
  constexpr uint32_t kSgprBytesPerCu = 0x4000;
  p.VGPRSizePerCU = vgpr_bytes_per_cu(node.gfx_target_version);
  p.SGPRSizePerCU = kSgprBytesPerCu;
  const auto* known =
      std::find_if(std::begin(kNames), std::end(kNames), [&](auto& n) { return n.device_id == p.DeviceId; });
  set_marketing_name(p, known != std::end(kNames) ? std::string(known->name)
                                                  : fmt::format("AMD GPU {:#06x}", +p.DeviceId));
  return node;
}

std::string folder(uint32_t node) { return kRoot + fmt::format("nodes/{}/", node); }

} // namespace

Expected<Topology> Topology::read(const Driver& driver) {
  Topology topology;
  constexpr uint32_t kMaxNodes = 4096;
  for (uint32_t n = 0; n < kMaxNodes; ++n) {
    auto gpu_id = driver.read_file(folder(n) + "gpu_id");
    if (!gpu_id) break;
    auto text = driver.read_file(folder(n) + "properties");
    auto name = driver.read_file(folder(n) + "name").value_or("");
    while (!name.empty() && name.back() == '\n') name.pop_back();
    // A GPU that this user must not see shows empty properties: its number stays, without anything in it.
    topology.nodes_.push_back(
        read_node(text.value_or(""), static_cast<uint32_t>(std::strtoul(gpu_id->c_str(), nullptr, 10)), name));
  }
  if (topology.nodes_.empty()) return error(Code::not_found, "the driver shows no topology below {}", kRoot);
  return topology;
}

int Topology::node_of(uint32_t gpu_id) const {
  for (size_t i = 0; i < nodes_.size(); ++i)
    if (gpu_id != 0 && nodes_[i].gpu_id == gpu_id) return static_cast<int>(i);
  return -1;
}

HsaSystemProperties Topology::system(const Driver& driver) const {
  HsaSystemProperties s{};
  s.NumNodes = static_cast<HSAuint32>(nodes_.size());
  if (auto text = driver.read_file(kRoot + "system_properties")) {
    Values values = parse(*text);
    Get get{values};
    s.PlatformOem = get.u32("platform_oem");
    s.PlatformId = get.u32("platform_id");
    s.PlatformRev = get.u32("platform_rev");
  }
  return s;
}

bool Topology::memory(const Driver& driver, uint32_t node, uint32_t bank, HsaMemoryProperties& out) const {
  auto text = driver.read_file(folder(node) + fmt::format("mem_banks/{}/properties", bank));
  if (!text) return false;
  Values values = parse(*text);
  Get get{values};
  out = {};
  out.HeapType = static_cast<HSA_HEAPTYPE>(get("heap_type"));
  out.SizeInBytes = get("size_in_bytes");
  out.Flags.MemoryProperty = get.u32("flags");
  out.Width = get.u32("width");
  out.MemoryClockMax = get.u32("mem_clk_max");
  return true;
}

bool Topology::cache(const Driver& driver, uint32_t node, uint32_t index, HsaCacheProperties& out) const {
  auto text = driver.read_file(folder(node) + fmt::format("caches/{}/properties", index));
  if (!text) return false;
  Values values = parse(*text);
  Get get{values};
  out = {};
  out.ProcessorIdLow = get.u32("processor_id_low");
  out.CacheLevel = get.u32("level");
  out.CacheSize = get.u32("size");
  out.CacheLineSize = get.u32("cache_line_size");
  out.CacheLinesPerTag = get.u32("cache_lines_per_tag");
  out.CacheAssociativity = get.u32("association");
  out.CacheLatency = get.u32("latency");
  out.CacheType.Value = get.u32("type");
  constexpr std::string_view kMap = "sibling_map ";
  if (size_t at = text->find(kMap); at != std::string::npos) {
    at += kMap.size();
    for (HSAuint32& bit : out.SiblingMap) {
      if (at >= text->size() || (*text)[at] == '\n') break;
      bit = (*text)[at] == '1';
      at = text->find_first_of(",\n", at);
      if (at == std::string::npos || (*text)[at] == '\n') break;
      ++at;
    }
  }
  return true;
}

bool Topology::link(const Driver& driver, uint32_t node, uint32_t index, HsaIoLinkProperties& out) const {
  auto text = driver.read_file(folder(node) + fmt::format("io_links/{}/properties", index));
  if (!text) return false;
  Values values = parse(*text);
  Get get{values};
  out = {};
  out.IoLinkType = static_cast<HSA_IOLINKTYPE>(get("type"));
  out.VersionMajor = get.u32("version_major");
  out.VersionMinor = get.u32("version_minor");
  out.NodeFrom = get.u32("node_from");
  out.NodeTo = get.u32("node_to");
  out.Weight = get.u32("weight");
  out.MinimumLatency = get.u32("min_latency");
  out.MaximumLatency = get.u32("max_latency");
  out.MinimumBandwidth = get.u32("min_bandwidth");
  out.MaximumBandwidth = get.u32("max_bandwidth");
  out.RecTransferSize = get.u32("recommended_transfer_size");
  out.RecSdmaEngIdMask = get.u32("recommended_sdma_engine_id_mask");
  out.Flags.LinkProperty = get.u32("flags");
  return true;
}

} // namespace bz::thunk
