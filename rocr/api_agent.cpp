// Agents, caches, instruction sets, wavefronts.
#include "rocr/impl.hpp"
#include "rocr/put.hpp"
#include "rocr/runtime.hpp"

#include <array>
#include <climits>

namespace bz::rocr::impl {

std::array<uint8_t, 128> extension_bits(); // api_system.cpp

namespace {

// What every GPU of the generations we know has; the same facts are asked of agents and of instruction sets.
constexpr std::array<uint16_t, 3> kWorkgroupMaxDim = {1024, 1024, 1024};
constexpr uint32_t kWorkgroupMaxSize = 1024;
constexpr hsa_dim3_t kGridMaxDim = {INT32_MAX, UINT16_MAX, UINT16_MAX};
constexpr uint32_t kGridMaxSize = UINT32_MAX;
constexpr uint32_t kFbarrierMax = 32;

bool is_profile(hsa_profile_t p) { return p == HSA_PROFILE_BASE || p == HSA_PROFILE_FULL; }

Outcome amd_info(Runtime& runtime, const Agent& a, hsa_amd_agent_info_t attribute, void* value) {
  const HsaNodeProperties& p = a.properties();
  switch (attribute) {
  case HSA_AMD_AGENT_INFO_CHIP_ID:
    return put(value, uint32_t(p.DeviceId));
  case HSA_AMD_AGENT_INFO_CACHELINE_SIZE:
    return put(value, a.cache_line());
  case HSA_AMD_AGENT_INFO_COMPUTE_UNIT_COUNT:
    return put(value, a.compute_units());
  case HSA_AMD_AGENT_INFO_MAX_CLOCK_FREQUENCY:
    return put(value, uint32_t(a.is_gpu() ? p.MaxEngineClockMhzFCompute : p.MaxEngineClockMhzCCompute));
  case HSA_AMD_AGENT_INFO_DRIVER_NODE_ID:
    return put(value, a.node());
  case HSA_AMD_AGENT_INFO_MAX_ADDRESS_WATCH_POINTS:
    return put(value, p.Capability.ui32.WatchPointsSupported ? 1u << p.Capability.ui32.WatchPointsTotalBits : 0u);
  case HSA_AMD_AGENT_INFO_BDFID:
    return put(value, uint32_t(p.LocationId));
  case HSA_AMD_AGENT_INFO_MEMORY_WIDTH:
    return put(value, a.default_pool()->width_bits);
  case HSA_AMD_AGENT_INFO_MEMORY_MAX_FREQUENCY:
    return put(value, a.default_pool()->max_clock_mhz);
  case HSA_AMD_AGENT_INFO_PRODUCT_NAME:
    return put_text(value, a.product(), 64);
  case HSA_AMD_AGENT_INFO_MAX_WAVES_PER_CU:
    return put(value, a.waves_per_cu());
  case HSA_AMD_AGENT_INFO_NUM_SIMDS_PER_CU:
    return put(value, uint32_t(p.NumSIMDPerCU));
  case HSA_AMD_AGENT_INFO_NUM_SHADER_ENGINES:
    return put(value, uint32_t(p.NumArrays ? p.NumShaderBanks / p.NumArrays : 0));
  case HSA_AMD_AGENT_INFO_NUM_SHADER_ARRAYS_PER_SE:
    return put(value, uint32_t(p.NumArrays));
  case HSA_AMD_AGENT_INFO_HDP_FLUSH:
    return put(value, hsa_amd_hdp_flush_t{nullptr, nullptr}); // nothing to flush
  case HSA_AMD_AGENT_INFO_DOMAIN:
    return put(value, uint32_t(p.Domain));
  case HSA_AMD_AGENT_INFO_COOPERATIVE_QUEUES:
    return put(value, p.NumGws != 0);
  case HSA_AMD_AGENT_INFO_UUID:
    return put_text(value, a.uuid(), 24);
  case HSA_AMD_AGENT_INFO_ASIC_REVISION:
    return put(value, uint32_t(p.Capability.ui32.ASICRevision));
  case HSA_AMD_AGENT_INFO_SVM_DIRECT_HOST_ACCESS:
    return put(value, p.Capability.ui32.CoherentHostAccess != 0);
  case HSA_AMD_AGENT_INFO_COOPERATIVE_COMPUTE_UNIT_COUNT:
    return put(value, a.is_gpu() ? a.compute_units() : 0u);
  case HSA_AMD_AGENT_INFO_MEMORY_AVAIL: {
    HSAuint64 bytes = 0;
    if (!a.is_gpu()) return fail(HSA_STATUS_ERROR_INVALID_ARGUMENT, "available memory is a question to a GPU");
    ROCR_TRY(thunk::check(hsaKmtAvailableMemory(a.node(), &bytes), "hsaKmtAvailableMemory"));
    return put(value, uint64_t(bytes));
  }
  case HSA_AMD_AGENT_INFO_TIMESTAMP_FREQUENCY:
    return put(value, a.is_gpu() ? Agent::kDeviceClockHz : thunk::kSystemClockHz);
  case HSA_AMD_AGENT_INFO_ASIC_FAMILY_ID:
    return put(value, uint32_t(p.FamilyID));
  case HSA_AMD_AGENT_INFO_UCODE_VERSION:
    return put(value, uint32_t(p.EngineId.ui32.uCode));
  case HSA_AMD_AGENT_INFO_SDMA_UCODE_VERSION:
    return put(value, uint32_t(p.uCodeEngineVersions.uCodeSDMA));
  case HSA_AMD_AGENT_INFO_NUM_SDMA_ENG:
    return put(value, uint32_t(p.NumSdmaEngines));
  case HSA_AMD_AGENT_INFO_NUM_SDMA_XGMI_ENG:
    return put(value, uint32_t(p.NumSdmaXgmiEngines));
  case HSA_AMD_AGENT_INFO_IOMMU_SUPPORT:
    return put(value, HSA_IOMMU_SUPPORT_NONE);
  case HSA_AMD_AGENT_INFO_NUM_XCC:
    return put(value, uint32_t(p.NumXcc));
  case HSA_AMD_AGENT_INFO_DRIVER_UID:
    return put(value, uint32_t(p.KFDGpuID));
  case HSA_AMD_AGENT_INFO_NEAREST_CPU:
    return put(value, a.is_gpu() ? runtime.nearest_cpu(a)->handle() : hsa_agent_t{0});
  case HSA_AMD_AGENT_INFO_MEMORY_PROPERTIES: {
    std::array<uint8_t, 8> bits{};
    if (p.Integrated) hsa_flag_set64(bits.data(), HSA_AMD_MEMORY_PROPERTY_AGENT_IS_APU);
    return put(value, bits);
  }
  case HSA_AMD_AGENT_INFO_AQL_EXTENSIONS:
    return put(value, std::array<uint8_t, 8>{});
  case HSA_AMD_AGENT_INFO_SCRATCH_LIMIT_MAX:
    return put(value, uint64_t(a.is_gpu() ? a.vram_size() : 0));
  case HSA_AMD_AGENT_INFO_SCRATCH_LIMIT_CURRENT:
    return put(value, a.scratch_limit());
  case HSA_AMD_AGENT_INFO_CLOCK_COUNTERS: {
    ROCR_TRY_ASSIGN(const thunk::Clocks c, thunk::clocks(a.node()));
    return put(value, hsa_amd_clock_counters_t{c.gpu, c.cpu, c.system, c.system_hz});
  }
  }
  return bad_attribute(attribute);
}

/// The image extension's limits, in as many numbers as the geometry has dimensions; 0 without image instructions.
Outcome image_info(const Agent& a, uint32_t attribute, void* value) {
  const ImageLimits limits = ImageLimits::of(a);
  auto one = [&](uint32_t n) { return limits.images ? n : 0; };
  const uint32_t extent = one(limits.extent);
  constexpr uint32_t kManyHandles = 1u << 20; // as many as memory holds; some number has to stand here
  switch (attribute) {
  case HSA_EXT_AGENT_INFO_IMAGE_2D_MAX_ELEMENTS:
  case HSA_EXT_AGENT_INFO_IMAGE_2DA_MAX_ELEMENTS:
  case HSA_EXT_AGENT_INFO_IMAGE_2DDEPTH_MAX_ELEMENTS:
  case HSA_EXT_AGENT_INFO_IMAGE_2DADEPTH_MAX_ELEMENTS:
    return put(value, std::array<uint32_t, 2>{extent, extent});
  case HSA_EXT_AGENT_INFO_IMAGE_3D_MAX_ELEMENTS:
    return put(value, std::array<uint32_t, 3>{extent, extent, one(limits.planes)});
  case HSA_EXT_AGENT_INFO_IMAGE_1DB_MAX_ELEMENTS:
    return put(value, one(static_cast<uint32_t>(limits.buffer - 1)));
  case HSA_EXT_AGENT_INFO_IMAGE_ARRAY_MAX_LAYERS:
    return put(value, one(limits.layers));
  case HSA_EXT_AGENT_INFO_MAX_IMAGE_RD_HANDLES:
  case HSA_EXT_AGENT_INFO_MAX_IMAGE_RORW_HANDLES:
  case HSA_EXT_AGENT_INFO_MAX_SAMPLER_HANDLERS:
    return put(value, one(kManyHandles));
  case HSA_EXT_AGENT_INFO_IMAGE_LINEAR_ROW_PITCH_ALIGNMENT:
    return put(value, one(ImageLimits::kPitchAlignment));
  default:
    return put(value, extent);
  }
}

} // namespace

Outcome hsa_iterate_agents(Runtime& runtime, AgentVisitor callback, void* data) {
  if (!callback) return null_argument("callback");
  for (const Agent* a : runtime.agents())
    if (const hsa_status_t s = callback(a->handle(), data); s != HSA_STATUS_SUCCESS) return s;
  return {};
}

Outcome hsa_agent_get_info(Runtime& runtime, hsa_agent_t agent, hsa_agent_info_t attribute, void* value) {
  if (!value) return null_argument("value");
  ROCR_TRY_ASSIGN(const Agent* found, runtime.agent(agent));
  const Agent& a = *found;
  const bool gpu = a.is_gpu();
  const int number = static_cast<int>(attribute);
  if (number >= HSA_AMD_AGENT_INFO_CHIP_ID && number < HSA_AMD_AGENT_INFO_CHIP_ID + 0x1000)
    return amd_info(runtime, a, static_cast<hsa_amd_agent_info_t>(number), value);
  if (number >= HSA_EXT_AGENT_INFO_IMAGE_1D_MAX_ELEMENTS &&
      number <= HSA_EXT_AGENT_INFO_IMAGE_LINEAR_ROW_PITCH_ALIGNMENT)
    return image_info(a, static_cast<uint32_t>(number), value);
  switch (attribute) {
  case HSA_AGENT_INFO_NAME:
    return put_text(value, a.name(), 64);
  case HSA_AGENT_INFO_VENDOR_NAME:
    return put_text(value, gpu ? "AMD" : "CPU", 64);
  case HSA_AGENT_INFO_FEATURE:
    return put(value, gpu ? HSA_AGENT_FEATURE_KERNEL_DISPATCH : hsa_agent_feature_t(0));
  case HSA_AGENT_INFO_MACHINE_MODEL:
    return put(value, HSA_MACHINE_MODEL_LARGE);
  case HSA_AGENT_INFO_PROFILE:
    return put(value, gpu ? HSA_PROFILE_BASE : HSA_PROFILE_FULL);
  case HSA_AGENT_INFO_DEFAULT_FLOAT_ROUNDING_MODE:
    return put(value, HSA_DEFAULT_FLOAT_ROUNDING_MODE_NEAR);
  case HSA_AGENT_INFO_BASE_PROFILE_DEFAULT_FLOAT_ROUNDING_MODES:
    return put(value, gpu ? hsa_default_float_rounding_mode_t(1u << HSA_DEFAULT_FLOAT_ROUNDING_MODE_NEAR)
                          : hsa_default_float_rounding_mode_t(0));
  case HSA_AGENT_INFO_FAST_F16_OPERATION:
    return put(value, gpu);
  case HSA_AGENT_INFO_WAVEFRONT_SIZE:
    return put(value, gpu ? a.wavefront_size() : 0u);
  case HSA_AGENT_INFO_WORKGROUP_MAX_DIM:
    return put(value, gpu ? kWorkgroupMaxDim : std::array<uint16_t, 3>{});
  case HSA_AGENT_INFO_WORKGROUP_MAX_SIZE:
    return put(value, gpu ? kWorkgroupMaxSize : 0u);
  case HSA_AGENT_INFO_GRID_MAX_DIM:
    return put(value, gpu ? kGridMaxDim : hsa_dim3_t{0, 0, 0});
  case HSA_AGENT_INFO_GRID_MAX_SIZE:
    return put(value, gpu ? kGridMaxSize : 0u);
  case HSA_AGENT_INFO_FBARRIER_MAX_SIZE:
    return put(value, gpu ? kFbarrierMax : 0u);
  case HSA_AGENT_INFO_QUEUES_MAX:
    return put(value, gpu ? Agent::kQueuesMax : 0u);
  case HSA_AGENT_INFO_QUEUE_MIN_SIZE:
    return put(value, gpu ? Agent::kQueueMinSize : 0u);
  case HSA_AGENT_INFO_QUEUE_MAX_SIZE:
    return put(value, gpu ? Agent::kQueueMaxSize : 0u);
  case HSA_AGENT_INFO_QUEUE_TYPE:
    return put(value, hsa_queue_type32_t(HSA_QUEUE_TYPE_MULTI));
  case HSA_AGENT_INFO_NODE:
    return put(value, a.node());
  case HSA_AGENT_INFO_DEVICE:
    return put(value, gpu ? HSA_DEVICE_TYPE_GPU : HSA_DEVICE_TYPE_CPU);
  case HSA_AGENT_INFO_CACHE_SIZE: {
    std::array<uint32_t, 4> sizes{};
    for (const auto& c : a.caches())
      if (c->level >= 1 && c->level <= sizes.size()) sizes[c->level - 1] = c->size;
    return put(value, sizes);
  }
  case HSA_AGENT_INFO_ISA:
    return put(value, a.isa() ? Runtime::handle_of(a.isa()) : hsa_isa_t{0});
  case HSA_AGENT_INFO_EXTENSIONS: {
    auto bits = gpu ? extension_bits() : std::array<uint8_t, 128>{};
    static_assert(HSA_EXTENSION_IMAGES < 8);
    if (!ImageLimits::of(a).images) bits[0] &= uint8_t(~(1u << HSA_EXTENSION_IMAGES));
    return put(value, bits);
  }
  case HSA_AGENT_INFO_VERSION_MAJOR:
    return put(value, uint16_t(1));
  case HSA_AGENT_INFO_VERSION_MINOR:
    return put(value, uint16_t(1));
  case HSA_AGENT_INFO_LAST:
    break;
  }
  return bad_attribute(attribute);
}

Outcome hsa_agent_get_exception_policies(Runtime& runtime, hsa_agent_t agent, hsa_profile_t profile, uint16_t* mask) {
  if (!mask) return null_argument("mask");
  if (!is_profile(profile)) return fail(HSA_STATUS_ERROR_INVALID_ARGUMENT, "{} is no profile", int(profile));
  ROCR_TRY(runtime.agent(agent));
  *mask = 0; // exceptions neither break nor are detected
  return {};
}

Outcome hsa_cache_get_info(Runtime& runtime, hsa_cache_t cache, hsa_cache_info_t attribute, void* value) {
  if (!value) return null_argument("value");
  ROCR_TRY_ASSIGN(const Cache* c, runtime.cache(cache));
  switch (attribute) {
  case HSA_CACHE_INFO_NAME_LENGTH:
    return put(value, static_cast<uint32_t>(c->name.size()));
  case HSA_CACHE_INFO_NAME:
    return put_text(value, c->name, c->name.size() + 1);
  case HSA_CACHE_INFO_LEVEL:
    return put(value, c->level);
  case HSA_CACHE_INFO_SIZE:
    return put(value, c->size);
  }
  return bad_attribute(attribute);
}

Outcome hsa_agent_iterate_caches(Runtime& runtime, hsa_agent_t agent, CacheVisitor callback, void* data) {
  if (!callback) return null_argument("callback");
  ROCR_TRY_ASSIGN(const Agent* a, runtime.agent(agent));
  for (const auto& c : a->caches())
    if (const hsa_status_t s = callback({reinterpret_cast<uint64_t>(c.get())}, data); s != HSA_STATUS_SUCCESS) return s;
  return {};
}

Outcome hsa_isa_from_name(Runtime& runtime, const char* name, hsa_isa_t* isa) {
  if (!name) return null_argument("name");
  if (!isa) return null_argument("isa");
  const std::string_view text = name;
  if (!text.starts_with("amdgcn-amd-amdhsa--"))
    return fail(HSA_STATUS_ERROR_INVALID_ISA_NAME, "{} doesn't begin with amdgcn-amd-amdhsa--", text);
  const auto target = codeobj::TargetId::parse(text);
  if (!target.ok()) return fail(HSA_STATUS_ERROR_INVALID_ISA_NAME, "{}", target.status().message());
  *isa = Runtime::handle_of(runtime.isa_of(*target));
  return {};
}

Outcome hsa_agent_iterate_isas(Runtime& runtime, hsa_agent_t agent, IsaVisitor callback, void* data) {
  if (!callback) return null_argument("callback");
  ROCR_TRY_ASSIGN(const Agent* a, runtime.agent(agent));
  if (!a->isa()) return fail(HSA_STATUS_ERROR_INVALID_AGENT, "{} has no instruction set of this kind", a->name());
  if (const hsa_status_t s = callback(Runtime::handle_of(a->isa()), data); s != HSA_STATUS_SUCCESS) return s;
  // Code of the generic target that covers the processor runs too.
  if (const std::string_view generic = a->isa()->target.processor->generic; !generic.empty()) {
    codeobj::TargetId target = a->isa()->target;
    target.processor = codeobj::find_processor(generic);
    if (target.processor) return callback(Runtime::handle_of(runtime.isa_of(target)), data);
  }
  return {};
}

Outcome hsa_isa_get_info_alt(Runtime& runtime, hsa_isa_t isa, hsa_isa_info_t attribute, void* value) {
  if (!value) return null_argument("value");
  ROCR_TRY_ASSIGN(const Isa* i, runtime.isa(isa));
  switch (attribute) {
  case HSA_ISA_INFO_NAME_LENGTH:
    return put(value, static_cast<uint32_t>(i->name.size() + 1));
  case HSA_ISA_INFO_NAME:
    return put_text(value, i->name, i->name.size() + 1);
  case HSA_ISA_INFO_CALL_CONVENTION_COUNT:
    return put(value, 1u);
  case HSA_ISA_INFO_CALL_CONVENTION_INFO_WAVEFRONT_SIZE:
    return put(value, i->wavefront_size);
  case HSA_ISA_INFO_CALL_CONVENTION_INFO_WAVEFRONTS_PER_COMPUTE_UNIT:
    return put(value, i->waves_per_cu);
  case HSA_ISA_INFO_MACHINE_MODELS:
    return put(value, std::array<bool, 2>{false, true});
  case HSA_ISA_INFO_PROFILES:
    return put(value, std::array<bool, 2>{true, false});
  case HSA_ISA_INFO_DEFAULT_FLOAT_ROUNDING_MODES:
  case HSA_ISA_INFO_BASE_PROFILE_DEFAULT_FLOAT_ROUNDING_MODES:
    return put(value, std::array<bool, 3>{false, false, true});
  case HSA_ISA_INFO_FAST_F16_OPERATION:
    return put(value, true);
  case HSA_ISA_INFO_WORKGROUP_MAX_DIM:
    return put(value, kWorkgroupMaxDim);
  case HSA_ISA_INFO_WORKGROUP_MAX_SIZE:
    return put(value, kWorkgroupMaxSize);
  case HSA_ISA_INFO_GRID_MAX_DIM:
    return put(value, kGridMaxDim);
  case HSA_ISA_INFO_GRID_MAX_SIZE:
    return put(value, uint64_t(kGridMaxSize));
  case HSA_ISA_INFO_FBARRIER_MAX_SIZE:
    return put(value, kFbarrierMax);
  }
  return bad_attribute(attribute);
}

Outcome hsa_isa_get_info(Runtime& runtime, hsa_isa_t isa, hsa_isa_info_t attribute, uint32_t index, void* value) {
  if (index != 0) return fail(HSA_STATUS_ERROR_INVALID_INDEX, "there is call convention 0 only, not {}", index);
  return hsa_isa_get_info_alt(runtime, isa, attribute, value);
}

Outcome hsa_isa_get_exception_policies(Runtime& runtime, hsa_isa_t isa, hsa_profile_t profile, uint16_t* mask) {
  if (!mask) return null_argument("mask");
  if (!is_profile(profile)) return fail(HSA_STATUS_ERROR_INVALID_ARGUMENT, "{} is no profile", int(profile));
  ROCR_TRY(runtime.isa(isa));
  *mask = 0;
  return {};
}

Outcome hsa_isa_get_round_method(Runtime& runtime, hsa_isa_t isa, hsa_fp_type_t fp_type, hsa_flush_mode_t flush_mode,
                                 hsa_round_method_t* round_method) {
  if (!round_method) return null_argument("round_method");
  if (fp_type != HSA_FP_TYPE_16 && fp_type != HSA_FP_TYPE_32 && fp_type != HSA_FP_TYPE_64)
    return fail(HSA_STATUS_ERROR_INVALID_ARGUMENT, "{} is no floating-point type", int(fp_type));
  if (flush_mode != HSA_FLUSH_MODE_FTZ && flush_mode != HSA_FLUSH_MODE_NON_FTZ)
    return fail(HSA_STATUS_ERROR_INVALID_ARGUMENT, "{} is no flush mode", int(flush_mode));
  ROCR_TRY(runtime.isa(isa));
  *round_method = HSA_ROUND_METHOD_SINGLE; // fused multiply-add rounds once
  return {};
}

Outcome hsa_wavefront_get_info(Runtime& runtime, hsa_wavefront_t wavefront, hsa_wavefront_info_t attribute,
                               void* value) {
  if (!value) return null_argument("value");
  ROCR_TRY_ASSIGN(const Wavefront* w, runtime.wavefront(wavefront));
  if (attribute == HSA_WAVEFRONT_INFO_SIZE) return put(value, w->size);
  return bad_attribute(attribute);
}

Outcome hsa_isa_iterate_wavefronts(Runtime& runtime, hsa_isa_t isa, WavefrontVisitor callback, void* data) {
  if (!callback) return null_argument("callback");
  ROCR_TRY_ASSIGN(const Isa* i, runtime.isa(isa));
  const auto visit = [&](uint32_t size) {
    return callback({reinterpret_cast<uint64_t>(runtime.wavefront_of(size))}, data);
  };
  if (const hsa_status_t s = visit(i->wavefront_size); s != HSA_STATUS_SUCCESS) return s;
  if (i->wavefront_size == 32) return visit(64); // gfx10 and later run both
  return {};
}

Outcome hsa_isa_compatible(Runtime& runtime, hsa_isa_t code_object_isa, hsa_isa_t agent_isa, bool* result) {
  if (!result) return null_argument("result");
  ROCR_TRY_ASSIGN(const Isa* code, runtime.isa(code_object_isa));
  ROCR_TRY_ASSIGN(const Isa* agent, runtime.isa(agent_isa));
  *result = codeobj::fitness(code->target, agent->target) > 0;
  return {};
}

Outcome hsa_amd_agent_set_async_scratch_limit(Runtime& runtime, hsa_agent_t agent, size_t threshold) {
  ROCR_TRY_ASSIGN(Agent * a, runtime.gpu(agent));
  if (threshold > a->vram_size())
    return fail(HSA_STATUS_ERROR_INVALID_ARGUMENT, "{} bytes are more than the agent's {}", threshold, a->vram_size());
  // An upper bound of what queues keep between dispatches. They keep nothing: scratch lives as long as its wave.
  a->set_scratch_limit(threshold);
  return {};
}

} // namespace bz::rocr::impl
