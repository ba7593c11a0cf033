#include "rocr/agent.hpp"

#include "base/log.hpp"

#include <algorithm>
#include <cstring>

namespace bz::rocr {

namespace {

std::string from_utf16(const HSAuint16* text, size_t count) {
  std::string s;
  for (size_t i = 0; i < count && text[i]; ++i) s += static_cast<char>(text[i] & 0x7f); // names are ASCII
  return s;
}

/// gfx942 is 9.4.2, gfx90a 9.0.10: minor and stepping are one hexadecimal digit each.
std::string gfx_name(const HSA_ENGINE_ID& id) {
  return fmt::format("gfx{}{:x}{:x}", uint32_t(id.ui32.Major), uint32_t(id.ui32.Minor), uint32_t(id.ui32.Stepping));
}

hsa_amd_link_info_type_t link_type(HSA_IOLINKTYPE type) {
  switch (type) {
  case HSA_IOLINKTYPE_PCIEXPRESS:
    return HSA_AMD_LINK_INFO_TYPE_PCIE;
  case HSA_IOLINK_TYPE_QPI_1_1:
    return HSA_AMD_LINK_INFO_TYPE_QPI;
  case HSA_IOLINK_TYPE_INFINIBAND:
    return HSA_AMD_LINK_INFO_TYPE_INFINBAND;
  case HSA_IOLINK_TYPE_XGMI:
    return HSA_AMD_LINK_INFO_TYPE_XGMI;
  default:
    return HSA_AMD_LINK_INFO_TYPE_HYPERTRANSPORT;
  }
}

} // namespace

HsaMemFlags Pool::memory_flags(bool executable) const {
  HsaMemFlags f{};
  f.ui32.HostAccess = host_access;
  f.ui32.CachePolicy = HSA_CACHING_CACHED;
  f.ui32.PageSize = HSA_PAGE_SIZE_4KB;
  f.ui32.NonPaged = !system;
  f.ui32.NoSubstitute = !system;
  f.ui32.CoarseGrain = coarse();
  f.ui32.ExtendedCoherent = extended();
  f.ui32.ExecuteAccess = executable;
  return f;
}

Result<std::unique_ptr<Agent>> Agent::create(uint32_t node, uint64_t system_memory) {
  std::unique_ptr<Agent> a(new Agent);
  a->node_ = node;
  ROCR_TRY(thunk::check(hsaKmtGetNodeProperties(node, &a->properties_), "hsaKmtGetNodeProperties"));
  const HsaNodeProperties& p = a->properties_;
  a->gpu_ = p.NumFComputeCores != 0;
  a->product_ = from_utf16(p.MarketingName, HSA_PUBLIC_NAME_SIZE);
  if (a->gpu_) {
    a->name_ = gfx_name(p.EngineId);
    const codeobj::Processor* processor = codeobj::find_processor(a->name_);
    if (!processor) return fail(HSA_STATUS_ERROR, "node {} is a {}, which this runtime doesn't know", node, a->name_);
    codeobj::TargetId target{.processor = processor};
    if (processor->has_sramecc) {
      const bool on = p.Capability.ui32.SRAM_EDCSupport == 1;
      target.sramecc = on ? codeobj::Feature::on : codeobj::Feature::off;
    }
    if (processor->has_xnack) {
      HSAint32 enabled = 0;
      const bool on = hsaKmtGetXNACKMode(&enabled) == HSAKMT_STATUS_SUCCESS && enabled;
      target.xnack = on ? codeobj::Feature::on : codeobj::Feature::off;
    }
    a->isa_ = std::make_unique<Isa>(Isa{target, target.isa_name(), p.WaveFrontSize, a->waves_per_cu()});
  } else {
    a->name_ = a->product_.empty() ? "CPU" : a->product_;
  }
  ROCR_TRY(a->read_pools(system_memory));
  ROCR_TRY(a->read_caches());
  ROCR_TRY(a->read_links());
  return a;
}

Outcome Agent::read_pools(uint64_t system_memory) {
  std::vector<HsaMemoryProperties> banks(properties_.NumMemoryBanks);
  if (!banks.empty())
    ROCR_TRY(thunk::check(hsaKmtGetNodeMemoryProperties(node_, properties_.NumMemoryBanks, banks.data()),
                          "hsaKmtGetNodeMemoryProperties"));
  const auto add = [&](hsa_amd_segment_t segment, uint32_t flags, size_t size, bool system, bool host_access,
                       const HsaMemoryProperties* bank) {
    pools_.push_back(std::make_unique<Pool>(Pool{.owner = this,
                                                 .segment = segment,
                                                 .global_flags = flags,
                                                 .size = size,
                                                 .allocates = segment == HSA_AMD_SEGMENT_GLOBAL,
                                                 .system = system,
                                                 .host_access = host_access,
                                                 .width_bits = bank ? bank->Width : 0,
                                                 .max_clock_mhz = bank ? bank->MemoryClockMax : 0}));
  };
  constexpr uint32_t fine = HSA_AMD_MEMORY_POOL_GLOBAL_FLAG_FINE_GRAINED;
  constexpr uint32_t coarse = HSA_AMD_MEMORY_POOL_GLOBAL_FLAG_COARSE_GRAINED;
  constexpr uint32_t extended = HSA_AMD_MEMORY_POOL_GLOBAL_FLAG_EXTENDED_SCOPE_FINE_GRAINED;
  constexpr uint32_t kernarg = HSA_AMD_MEMORY_POOL_GLOBAL_FLAG_KERNARG_INIT;
  if (!gpu_) {
    const HsaMemoryProperties* bank = nullptr;
    size_t size = system_memory;
    for (const auto& b : banks)
      if (b.HeapType == HSA_HEAPTYPE_SYSTEM) {
        bank = &b;
        if (b.SizeInBytes) size = b.SizeInBytes;
      }
    for (const uint32_t flags : {fine, extended, fine | kernarg, coarse})
      add(HSA_AMD_SEGMENT_GLOBAL, flags, size, true, true, bank);
    return {};
  }
  size_t lds = size_t(properties_.LDSSizeInKB) * 1024;
  const HsaMemoryProperties* vram = nullptr;
  for (const auto& b : banks) {
    if (b.HeapType == HSA_HEAPTYPE_FRAME_BUFFER_PUBLIC || b.HeapType == HSA_HEAPTYPE_FRAME_BUFFER_PRIVATE) {
      vram = &b;
      vram_ += b.SizeInBytes;
    }
    if (b.HeapType == HSA_HEAPTYPE_GPU_LDS && b.SizeInBytes) lds = b.SizeInBytes;
  }
  if (vram_) {
    scratch_limit_ = vram_;
    const bool host_access = vram->HeapType == HSA_HEAPTYPE_FRAME_BUFFER_PUBLIC;
    for (const uint32_t flags : {coarse, extended, fine})
      add(HSA_AMD_SEGMENT_GLOBAL, flags, vram_, false, host_access, vram);
  }
  add(HSA_AMD_SEGMENT_GROUP, 0, lds, false, false, nullptr);
  return {};
}

Outcome Agent::read_caches() {
  if (!properties_.NumCaches) return {};
  std::vector<HsaCacheProperties> caches(properties_.NumCaches);
  ROCR_TRY(
      thunk::check(hsaKmtGetNodeCacheProperties(node_, properties_.CComputeIdLo, properties_.NumCaches, caches.data()),
                   "hsaKmtGetNodeCacheProperties"));
  // One handle per level: the node lists one cache per core or compute unit.
  for (const auto& c : caches) {
    if (c.CacheType.ui32.Instruction && !c.CacheType.ui32.Data) continue;
    const auto known = std::ranges::find_if(caches_, [&](const auto& k) { return k->level == c.CacheLevel; });
    if (gpu_ && c.CacheLevel == 2) cache_line_ = std::max<uint32_t>(cache_line_, c.CacheLineSize);
    if (known != caches_.end()) continue;
    caches_.push_back(std::make_unique<Cache>(
        Cache{fmt::format("{} L{}", name_, uint32_t(c.CacheLevel)), uint8_t(c.CacheLevel), c.CacheSize * 1024}));
  }
  std::ranges::sort(caches_, {}, [](const auto& c) { return c->level; });
  return {};
}

Outcome Agent::read_links() {
  if (!properties_.NumIOLinks) return {};
  std::vector<HsaIoLinkProperties> links(properties_.NumIOLinks);
  ROCR_TRY(thunk::check(hsaKmtGetNodeIoLinkProperties(node_, properties_.NumIOLinks, links.data()),
                        "hsaKmtGetNodeIoLinkProperties"));
  for (const auto& l : links)
    links_.push_back({.to_node = l.NodeTo,
                      .info = {.min_latency = l.MinimumLatency,
                               .max_latency = l.MaximumLatency,
                               .min_bandwidth = l.MinimumBandwidth,
                               .max_bandwidth = l.MaximumBandwidth,
                               .atomic_support_32bit = !l.Flags.ui32.NoAtomics32bit,
                               .atomic_support_64bit = !l.Flags.ui32.NoAtomics64bit,
                               .coherent_support = !l.Flags.ui32.NonCoherent,
                               .link_type = link_type(l.IoLinkType),
                               .numa_distance = l.Weight}});
  return {};
}

uint32_t Agent::compute_units() const {
  if (!gpu_) return properties_.NumCPUCores;
  return properties_.NumSIMDPerCU ? properties_.NumFComputeCores / properties_.NumSIMDPerCU : 0;
}

Pool* Agent::find_pool(uint32_t flags) const {
  for (const auto& p : pools_)
    if (p->segment == HSA_AMD_SEGMENT_GLOBAL && (p->global_flags & flags) == flags) return p.get();
  return nullptr;
}

Result<uint64_t> Agent::to_system_time(uint64_t ticks) const {
  // Both clocks count the same time at fixed rates: the latest common reading and the ratio of the rates place a tick.
  ROCR_TRY_ASSIGN(const thunk::Clocks now, thunk::clocks(node_));
  const __int128 distance = static_cast<__int128>(static_cast<int64_t>(now.gpu - ticks));
  const __int128 hz = now.system_hz ? now.system_hz : thunk::kSystemClockHz;
  return static_cast<uint64_t>(static_cast<__int128>(now.system) - distance * hz / kDeviceClockHz);
}

std::string Agent::uuid() const {
  const char* kind = is_gpu() ? "GPU" : "CPU";
  if (const uint64_t id = properties().UniqueID) return fmt::format("{}-{:016x}", kind, id);
  return fmt::format("{}-XX", kind);
}

} // namespace bz::rocr
