// What a program can ask about a device: hipDeviceProp_t, the attributes, versions, identification.
#include "hip/runtime/device.hpp"
#include "hip/runtime/impl.hpp"
#include "hip/runtime/texture.hpp"
#include "hip/runtime/runtime.hpp"
#include "hip/runtime/thread_state.hpp"

#include <climits>
#include <cstring>

namespace bz::hip {

void Device::fill_properties() {
  auto u32 = [&](int attribute) { return agent_info<uint32_t>(agent_, attribute); };
  auto& p = properties_;
  char product[64] = {};
  (void)hsa_agent_get_info(agent_, static_cast<hsa_agent_info_t>(HSA_AMD_AGENT_INFO_PRODUCT_NAME), product);
  std::snprintf(p.name, sizeof p.name, "%.63s", product[0] ? product : target_.str().c_str());
  std::snprintf(p.gcnArchName, sizeof p.gcnArchName, "%s", target_.str().c_str());
  char uuid[24] = {}; // "GPU-" and 16 hex digits: those are the 16 bytes
  (void)hsa_agent_get_info(agent_, static_cast<hsa_agent_info_t>(HSA_AMD_AGENT_INFO_UUID), uuid);
  std::memcpy(p.uuid.bytes, std::strncmp(uuid, "GPU-", 4) == 0 ? uuid + 4 : uuid, sizeof p.uuid.bytes);

  // gfx942 is 9.4, gfx1100 is 11.0: the last two digits are minor number and stepping, in hexadecimal.
  std::string_view digits = target_.processor->name;
  digits.remove_prefix(3);
  if (digits.size() >= 3) {
    p.major = std::stoi(std::string(digits.substr(0, digits.size() - 2)));
    p.minor = std::stoi(std::string(digits.substr(digits.size() - 2, 1)), nullptr, 16);
  }

  const int waves = int(waves_per_cu_), wave = int(wavefront_size_);
  const uint32_t bdf = u32(HSA_AMD_AGENT_INFO_BDFID);
  p.totalGlobalMem = vram_size_;
  p.sharedMemPerBlock = p.sharedMemPerMultiprocessor = p.maxSharedMemoryPerMultiProcessor = lds_size_;
  p.sharedMemPerBlockOptin = lds_size_;
  p.regsPerBlock = p.regsPerMultiprocessor = 65536;
  p.warpSize = wave;
  p.memPitch = INT_MAX;
  p.maxThreadsPerBlock = 1024;
  p.maxThreadsDim[0] = p.maxThreadsDim[1] = p.maxThreadsDim[2] = 1024;
  p.maxGridSize[0] = INT_MAX;
  p.maxGridSize[1] = p.maxGridSize[2] = 65536;
  p.clockRate = int(u32(HSA_AMD_AGENT_INFO_MAX_CLOCK_FREQUENCY)) * 1000;
  p.totalConstMem = INT_MAX;
  p.textureAlignment = p.texturePitchAlignment = p.surfaceAlignment = 256;
  p.deviceOverlap = p.concurrentKernels = 1;
  p.multiProcessorCount = int(compute_units_);
  p.canMapHostMemory = 1;
  p.computeMode = hipComputeModeDefault;
  p.ECCEnabled = target_.sramecc == codeobj::Feature::on;
  p.pciBusID = int(bdf >> 8 & 0xff);
  p.pciDeviceID = int(bdf >> 3 & 0x1f);
  p.pciDomainID = int(u32(HSA_AMD_AGENT_INFO_DOMAIN));
  p.asyncEngineCount = std::max(1, int(u32(HSA_AMD_AGENT_INFO_NUM_SDMA_ENG)));
  p.unifiedAddressing = 1;
  p.memoryClockRate = int(u32(HSA_AMD_AGENT_INFO_MEMORY_MAX_FREQUENCY)) * 1000;
  p.memoryBusWidth = int(u32(HSA_AMD_AGENT_INFO_MEMORY_WIDTH));
  uint32_t caches[4] = {};
  (void)hsa_agent_get_info(agent_, HSA_AGENT_INFO_CACHE_SIZE, caches);
  p.l2CacheSize = int(caches[1]);
  p.maxThreadsPerMultiProcessor = waves * wave;
  p.maxBlocksPerMultiProcessor = waves; // blocks of one wave
  p.streamPrioritiesSupported = 1;
  p.globalL1CacheSupported = p.localL1CacheSupported = 1;
  p.managedMemory = p.concurrentManagedAccess = p.directManagedMemAccessFromHost = 1;
  p.pageableMemoryAccess = 1; // the program's heap is accessible to kernels
  p.pageableMemoryAccessUsesHostPageTables = 1;
  p.hostNativeAtomicSupported = 1;
  p.singleToDoublePrecisionPerfRatio = target_.processor->generation >= codeobj::Generation::gfx90a ? 1 : 2;
  p.canUseHostPointerForRegisteredMem = 1;
  p.cooperativeLaunch = 1;
  p.hostRegisterSupported = 1;
  p.unifiedFunctionPointers = 1;
  p.asicRevision = int(u32(HSA_AMD_AGENT_INFO_ASIC_REVISION));
  p.isLargeBar = 1;
  const uint64_t ticks = agent_info<uint64_t>(agent_, HSA_AMD_AGENT_INFO_TIMESTAMP_FREQUENCY);
  p.clockInstructionRate = int((ticks ? ticks : system_frequency()) / 1000);
  p.memoryPoolsSupported = p.ipcEventSupported = p.cooperativeMultiDeviceLaunch = 1;
  p.cooperativeMultiDeviceUnmatchedFunc = p.cooperativeMultiDeviceUnmatchedGridDim = 1;
  p.cooperativeMultiDeviceUnmatchedBlockDim = p.cooperativeMultiDeviceUnmatchedSharedMem = 1;
  p.memoryPoolSupportedHandleTypes = hipMemHandleTypePosixFileDescriptor;

  if (has_images(*this)) {
    uint32_t planes[3] = {};
    (void)hsa_agent_get_info(agent_, static_cast<hsa_agent_info_t>(HSA_EXT_AGENT_INFO_IMAGE_3D_MAX_ELEMENTS), planes);
    p.maxTexture1D = p.maxTexture2D[0] = p.maxTexture2D[1] = p.maxTexture3D[0] = p.maxTexture3D[1] = int(planes[0]);
    p.maxTexture3D[2] = int(planes[2]);
    p.maxTexture1DLinear = int(std::min<uint32_t>(u32(HSA_EXT_AGENT_INFO_IMAGE_1DB_MAX_ELEMENTS), INT_MAX));
  }

  auto& a = p.arch;
  a.hasGlobalInt32Atomics = a.hasGlobalFloatAtomicExch = a.hasSharedInt32Atomics = a.hasSharedFloatAtomicExch = 1;
  a.hasFloatAtomicAdd = a.hasGlobalInt64Atomics = a.hasSharedInt64Atomics = a.hasDoubles = 1;
  a.hasWarpVote = a.hasWarpBallot = a.hasWarpShuffle = a.hasThreadFenceSystem = a.has3dGrid = 1;
}

namespace {

/// An attribute is a number of hipDeviceProp_t or one of the few that stand nowhere else.
Expected<long long> attribute(Device& d, hipDeviceAttribute_t which) {
  const auto& p = d.properties();
  auto u32 = [&](int info) { return static_cast<long long>(agent_info<uint32_t>(d.agent(), info)); };
  switch (static_cast<int>(which)) {
  case hipDeviceAttributeEccEnabled:
    return p.ECCEnabled;
  case hipDeviceAttributeAccessPolicyMaxWindowSize:
    return p.accessPolicyMaxWindowSize;
  case hipDeviceAttributeAsyncEngineCount:
    return p.asyncEngineCount;
  case hipDeviceAttributeCanMapHostMemory:
    return p.canMapHostMemory;
  case hipDeviceAttributeCanUseHostPointerForRegisteredMem:
    return p.canUseHostPointerForRegisteredMem;
  case hipDeviceAttributeClockRate:
    return p.clockRate;
  case hipDeviceAttributeComputeMode:
    return p.computeMode;
  case hipDeviceAttributeComputePreemptionSupported:
    return p.computePreemptionSupported;
  case hipDeviceAttributeConcurrentKernels:
    return p.concurrentKernels;
  case hipDeviceAttributeConcurrentManagedAccess:
    return p.concurrentManagedAccess;
  case hipDeviceAttributeCooperativeLaunch:
    return p.cooperativeLaunch;
  case hipDeviceAttributeCooperativeMultiDeviceLaunch:
    return p.cooperativeMultiDeviceLaunch;
  case hipDeviceAttributeDeviceOverlap:
    return p.deviceOverlap;
  case hipDeviceAttributeDirectManagedMemAccessFromHost:
    return p.directManagedMemAccessFromHost;
  case hipDeviceAttributeGlobalL1CacheSupported:
    return p.globalL1CacheSupported;
  case hipDeviceAttributeHostNativeAtomicSupported:
    return p.hostNativeAtomicSupported;
  case hipDeviceAttributeIntegrated:
    return p.integrated;
  case hipDeviceAttributeIsMultiGpuBoard:
    return p.isMultiGpuBoard;
  case hipDeviceAttributeKernelExecTimeout:
    return p.kernelExecTimeoutEnabled;
  case hipDeviceAttributeL2CacheSize:
    return p.l2CacheSize;
  case hipDeviceAttributeLocalL1CacheSupported:
    return p.localL1CacheSupported;
  case hipDeviceAttributeLuidDeviceNodeMask:
    return p.luidDeviceNodeMask;
  case hipDeviceAttributeComputeCapabilityMajor:
    return p.major;
  case hipDeviceAttributeManagedMemory:
    return p.managedMemory;
  case hipDeviceAttributeMaxBlocksPerMultiProcessor:
    return p.maxBlocksPerMultiProcessor;
  case hipDeviceAttributeMaxBlockDimX:
    return p.maxThreadsDim[0];
  case hipDeviceAttributeMaxBlockDimY:
    return p.maxThreadsDim[1];
  case hipDeviceAttributeMaxBlockDimZ:
    return p.maxThreadsDim[2];
  case hipDeviceAttributeMaxGridDimX:
    return p.maxGridSize[0];
  case hipDeviceAttributeMaxGridDimY:
    return p.maxGridSize[1];
  case hipDeviceAttributeMaxGridDimZ:
    return p.maxGridSize[2];
  case hipDeviceAttributeMaxSurface1D:
    return p.maxSurface1D;
  case hipDeviceAttributeMaxSurface1DLayered:
    return p.maxSurface1DLayered[0];
  case hipDeviceAttributeMaxSurface2D:
    return p.maxSurface2D[0];
  case hipDeviceAttributeMaxSurface2DLayered:
    return p.maxSurface2DLayered[0];
  case hipDeviceAttributeMaxSurface3D:
    return p.maxSurface3D[0];
  case hipDeviceAttributeMaxSurfaceCubemap:
    return p.maxSurfaceCubemap;
  case hipDeviceAttributeMaxSurfaceCubemapLayered:
    return p.maxSurfaceCubemapLayered[0];
  case hipDeviceAttributeMaxTexture1DWidth:
    return p.maxTexture1D;
  case hipDeviceAttributeMaxTexture1DLayered:
    return p.maxTexture1DLayered[0];
  case hipDeviceAttributeMaxTexture1DLinear:
    return p.maxTexture1DLinear;
  case hipDeviceAttributeMaxTexture1DMipmap:
    return p.maxTexture1DMipmap;
  case hipDeviceAttributeMaxTexture2DWidth:
    return p.maxTexture2D[0];
  case hipDeviceAttributeMaxTexture2DHeight:
    return p.maxTexture2D[1];
  case hipDeviceAttributeMaxTexture2DGather:
    return p.maxTexture2DGather[0];
  case hipDeviceAttributeMaxTexture2DLayered:
    return p.maxTexture2DLayered[0];
  case hipDeviceAttributeMaxTexture2DLinear:
    return p.maxTexture2DLinear[0];
  case hipDeviceAttributeMaxTexture2DMipmap:
    return p.maxTexture2DMipmap[0];
  case hipDeviceAttributeMaxTexture3DWidth:
    return p.maxTexture3D[0];
  case hipDeviceAttributeMaxTexture3DHeight:
    return p.maxTexture3D[1];
  case hipDeviceAttributeMaxTexture3DDepth:
    return p.maxTexture3D[2];
  case hipDeviceAttributeMaxTexture3DAlt:
    return p.maxTexture3DAlt[0];
  case hipDeviceAttributeMaxTextureCubemap:
    return p.maxTextureCubemap;
  case hipDeviceAttributeMaxTextureCubemapLayered:
    return p.maxTextureCubemapLayered[0];
  case hipDeviceAttributeMaxThreadsDim:
    return p.maxThreadsDim[0];
  case hipDeviceAttributeMaxThreadsPerBlock:
    return p.maxThreadsPerBlock;
  case hipDeviceAttributeMaxThreadsPerMultiProcessor:
    return p.maxThreadsPerMultiProcessor;
  case hipDeviceAttributeMaxPitch:
    return static_cast<long long>(p.memPitch);
  case hipDeviceAttributeMemoryBusWidth:
    return p.memoryBusWidth;
  case hipDeviceAttributeMemoryClockRate:
    return p.memoryClockRate;
  case hipDeviceAttributeComputeCapabilityMinor:
    return p.minor;
  case hipDeviceAttributeMultiGpuBoardGroupID:
    return p.multiGpuBoardGroupID;
  case hipDeviceAttributeMultiprocessorCount:
    return p.multiProcessorCount;
  case hipDeviceAttributePageableMemoryAccess:
    return p.pageableMemoryAccess;
  case hipDeviceAttributePageableMemoryAccessUsesHostPageTables:
    return p.pageableMemoryAccessUsesHostPageTables;
  case hipDeviceAttributePciBusId:
    return p.pciBusID;
  case hipDeviceAttributePciDeviceId:
    return p.pciDeviceID;
  case hipDeviceAttributePciDomainId:
    return p.pciDomainID;
  case hipDeviceAttributePersistingL2CacheMaxSize:
    return p.persistingL2CacheMaxSize;
  case hipDeviceAttributeMaxRegistersPerBlock:
    return p.regsPerBlock;
  case hipDeviceAttributeMaxRegistersPerMultiprocessor:
    return p.regsPerMultiprocessor;
  case hipDeviceAttributeReservedSharedMemPerBlock:
    return static_cast<long long>(p.reservedSharedMemPerBlock);
  case hipDeviceAttributeMaxSharedMemoryPerBlock:
    return static_cast<long long>(p.sharedMemPerBlock);
  case hipDeviceAttributeSharedMemPerBlockOptin:
    return static_cast<long long>(p.sharedMemPerBlockOptin);
  case hipDeviceAttributeSharedMemPerMultiprocessor:
  case hipDeviceAttributeMaxSharedMemoryPerMultiprocessor:
    return static_cast<long long>(p.sharedMemPerMultiprocessor);
  case hipDeviceAttributeSingleToDoublePrecisionPerfRatio:
    return p.singleToDoublePrecisionPerfRatio;
  case hipDeviceAttributeStreamPrioritiesSupported:
    return p.streamPrioritiesSupported;
  case hipDeviceAttributeSurfaceAlignment:
    return static_cast<long long>(p.surfaceAlignment);
  case hipDeviceAttributeTccDriver:
    return p.tccDriver;
  case hipDeviceAttributeTextureAlignment:
    return static_cast<long long>(p.textureAlignment);
  case hipDeviceAttributeTexturePitchAlignment:
    return static_cast<long long>(p.texturePitchAlignment);
  case hipDeviceAttributeTotalConstantMemory:
    return static_cast<long long>(p.totalConstMem);
  case hipDeviceAttributeTotalGlobalMem:
    return static_cast<long long>(p.totalGlobalMem);
  case hipDeviceAttributeUnifiedAddressing:
    return p.unifiedAddressing;
  case hipDeviceAttributeWarpSize:
    return p.warpSize;
  case hipDeviceAttributeMemoryPoolsSupported:
    return p.memoryPoolsSupported;
  case hipDeviceAttributeVirtualMemoryManagementSupported:
    return 1;
  case hipDeviceAttributeHostRegisterSupported:
    return p.hostRegisterSupported;
  case hipDeviceAttributeMemoryPoolSupportedHandleTypes:
    return p.memoryPoolSupportedHandleTypes;
  case hipDeviceAttributeClockInstructionRate:
  case hipDeviceAttributeWallClockRate:
    return p.clockInstructionRate;
  case hipDeviceAttributeCooperativeMultiDeviceUnmatchedFunc:
    return p.cooperativeMultiDeviceUnmatchedFunc;
  case hipDeviceAttributeCooperativeMultiDeviceUnmatchedGridDim:
    return p.cooperativeMultiDeviceUnmatchedGridDim;
  case hipDeviceAttributeCooperativeMultiDeviceUnmatchedBlockDim:
    return p.cooperativeMultiDeviceUnmatchedBlockDim;
  case hipDeviceAttributeCooperativeMultiDeviceUnmatchedSharedMem:
    return p.cooperativeMultiDeviceUnmatchedSharedMem;
  case hipDeviceAttributeIsLargeBar:
    return p.isLargeBar;
  case hipDeviceAttributeAsicRevision:
    return p.asicRevision;
  case hipDeviceAttributeCanUseStreamWaitValue:
    return 1;
  case hipDeviceAttributeImageSupport:
    return p.maxTexture2D[0] != 0;
  case hipDeviceAttributePhysicalMultiProcessorCount:
    return d.compute_units();
  case hipDeviceAttributeFineGrainSupport:
    return 1;
  case hipDeviceAttributeNumberOfXccs:
    return std::max(1ll, u32(HSA_AMD_AGENT_INFO_NUM_XCC));
  case hipDeviceAttributeMaxAvailableVgprsPerThread:
    return d.target().processor->generation == codeobj::Generation::gfx90a ||
                   d.target().processor->generation == codeobj::Generation::gfx940
               ? 512
               : 256;
  case hipDeviceAttributePciChipId:
    return u32(HSA_AMD_AGENT_INFO_CHIP_ID);
  default:
    return error(Code::invalid_argument, "device attribute {} doesn't exist", static_cast<int>(which));
  }
}

void fill_old(const hipDeviceProp_tR0600& p, hipDeviceProp_tR0000& o) {
  o = {};
  std::memcpy(o.name, p.name, sizeof o.name);
  std::memcpy(o.gcnArchName, p.gcnArchName, sizeof o.gcnArchName);
#define SAME(field) o.field = p.field
  SAME(totalGlobalMem);
  SAME(sharedMemPerBlock);
  SAME(regsPerBlock);
  SAME(warpSize);
  SAME(maxThreadsPerBlock);
  SAME(clockRate);
  SAME(memoryClockRate);
  SAME(memoryBusWidth);
  SAME(totalConstMem);
  SAME(major);
  SAME(minor);
  SAME(multiProcessorCount);
  SAME(l2CacheSize);
  SAME(maxThreadsPerMultiProcessor);
  SAME(computeMode);
  SAME(clockInstructionRate);
  SAME(arch);
  SAME(concurrentKernels);
  SAME(pciDomainID);
  SAME(pciBusID);
  SAME(pciDeviceID);
  SAME(maxSharedMemoryPerMultiProcessor);
  SAME(isMultiGpuBoard);
  SAME(canMapHostMemory);
  SAME(integrated);
  SAME(cooperativeLaunch);
  SAME(cooperativeMultiDeviceLaunch);
  SAME(maxTexture1DLinear);
  SAME(maxTexture1D);
  SAME(memPitch);
  SAME(textureAlignment);
  SAME(texturePitchAlignment);
  SAME(kernelExecTimeoutEnabled);
  SAME(ECCEnabled);
  SAME(tccDriver);
  SAME(isLargeBar);
  SAME(asicRevision);
  SAME(managedMemory);
  SAME(directManagedMemAccessFromHost);
  SAME(concurrentManagedAccess);
  SAME(pageableMemoryAccess);
  SAME(pageableMemoryAccessUsesHostPageTables);
#undef SAME
  for (int i = 0; i < 3; ++i) {
    o.maxThreadsDim[i] = p.maxThreadsDim[i];
    o.maxGridSize[i] = p.maxGridSize[i];
    o.maxTexture3D[i] = p.maxTexture3D[i];
  }
  for (int i = 0; i < 2; ++i) o.maxTexture2D[i] = p.maxTexture2D[i];
  o.gcnArch = p.major * 100 + p.minor * 10; // 906 became gcnArchName long ago; the stepping isn't in the properties
}

/// How many of the fields that a caller set are met; the first device with the most wins.
template <class Prop> int choose(const Prop& want) {
  int best = 0, best_score = -1;
  for (auto& d : Runtime::get().devices()) {
    const auto& p = d->properties();
    int score = 0;
    if (want.major != 0 && want.major == p.major) score += 2;
    if (want.major == p.major && want.minor == p.minor) ++score;
    score += want.totalGlobalMem != 0 && want.totalGlobalMem <= p.totalGlobalMem;
    score += want.sharedMemPerBlock != 0 && want.sharedMemPerBlock <= p.sharedMemPerBlock;
    score += want.maxThreadsPerBlock != 0 && want.maxThreadsPerBlock <= p.maxThreadsPerBlock;
    score += want.regsPerBlock != 0 && want.regsPerBlock <= p.regsPerBlock;
    score += want.clockRate != 0 && want.clockRate <= p.clockRate;
    score += want.multiProcessorCount != 0 && want.multiProcessorCount <= p.multiProcessorCount;
    if (want.gcnArchName[0] && std::strncmp(want.gcnArchName, p.gcnArchName, sizeof p.gcnArchName) == 0) score += 4;
    if (score > best_score) {
      best_score = score;
      best = d->ordinal();
    }
  }
  return best;
}

} // namespace

namespace impl {

Result hipDriverGetVersion(int* driverVersion) {
  HIP_NONNULL(driverVersion);
  *driverVersion = HIP_VERSION;
  return {};
}

Result hipRuntimeGetVersion(int* runtimeVersion) {
  HIP_NONNULL(runtimeVersion);
  *runtimeVersion = HIP_VERSION;
  return {};
}

Result hipGetDevicePropertiesR0600(hipDeviceProp_tR0600* prop, int device) {
  HIP_NONNULL(prop);
  HIP_TRY_ASSIGN(Device * d, Runtime::get().device(device));
  *prop = d->properties();
  return {};
}

Result hipGetDevicePropertiesR0000(hipDeviceProp_tR0000* prop, int device) {
  HIP_NONNULL(prop);
  HIP_TRY_ASSIGN(Device * d, Runtime::get().device(device));
  fill_old(d->properties(), *prop);
  return {};
}

Result hipDeviceGetAttribute(int* pi, hipDeviceAttribute_t which, int device) {
  HIP_NONNULL(pi);
  HIP_TRY_ASSIGN(Device * d, Runtime::get().device(device));
  HIP_TRY_ASSIGN(long long number, attribute(*d, which));
  *pi = static_cast<int>(std::min<long long>(number, INT_MAX)); // sizes above 2 GiB don't fit the interface
  return {};
}

Result hipDeviceComputeCapability(int* major, int* minor, hipDevice_t device) {
  HIP_NONNULL(major);
  HIP_NONNULL(minor);
  HIP_TRY_ASSIGN(Device * d, Runtime::get().device(device));
  *major = d->properties().major;
  *minor = d->properties().minor;
  return {};
}

Result hipDeviceGetName(char* name, int length, hipDevice_t device) {
  HIP_NONNULL(name);
  if (length <= 0) return fail(hipErrorInvalidValue, "a name needs room: len is {}", length);
  HIP_TRY_ASSIGN(Device * d, Runtime::get().device(device));
  std::snprintf(name, static_cast<size_t>(length), "%s", d->properties().name);
  return {};
}

Result hipDeviceGetUuid(hipUUID* uuid, hipDevice_t device) {
  HIP_NONNULL(uuid);
  HIP_TRY_ASSIGN(Device * d, Runtime::get().device(device));
  *uuid = d->properties().uuid;
  return {};
}

Result hipDeviceTotalMem(size_t* bytes, hipDevice_t device) {
  HIP_NONNULL(bytes);
  HIP_TRY_ASSIGN(Device * d, Runtime::get().device(device));
  *bytes = d->vram_size();
  return {};
}

Result hipDeviceGetPCIBusId(char* pciBusId, int length, int device) {
  HIP_NONNULL(pciBusId);
  HIP_TRY_ASSIGN(Device * d, Runtime::get().device(device));
  const auto& p = d->properties();
  const std::string text = fmt::format("{:04x}:{:02x}:{:02x}.0", p.pciDomainID, p.pciBusID, p.pciDeviceID);
  if (length <= static_cast<int>(text.size())) { // what fits is there all the same
    if (length > 0) pciBusId[text.copy(pciBusId, static_cast<size_t>(length) - 1)] = '\0';
    return fail(hipErrorInvalidValue, "a PCI bus id needs {} bytes, len is {}", text.size() + 1, length);
  }
  std::memcpy(pciBusId, text.c_str(), text.size() + 1);
  return {};
}

Result hipDeviceGetByPCIBusId(int* device, const char* pciBusId) {
  HIP_NONNULL(device);
  HIP_NONNULL(pciBusId);
  unsigned domain = 0, bus = 0, slot = 0, function = 0;
  if (std::sscanf(pciBusId, "%x:%x:%x.%x", &domain, &bus, &slot, &function) < 3) {
    domain = 0; // the domain may be left out
    if (std::sscanf(pciBusId, "%x:%x.%x", &bus, &slot, &function) < 2)
      return fail(hipErrorInvalidValue, "\"{}\" is no PCI bus id (domain:bus:device.function)", pciBusId);
  }
  for (auto& d : Runtime::get().devices()) {
    const auto& p = d->properties();
    if (p.pciDomainID == int(domain) && p.pciBusID == int(bus) && p.pciDeviceID == int(slot)) {
      *device = d->ordinal();
      return {};
    }
  }
  return fail(hipErrorInvalidValue, "there is no GPU at \"{}\"", pciBusId);
}

Result hipChooseDeviceR0600(int* device, const hipDeviceProp_tR0600* prop) {
  HIP_NONNULL(device);
  HIP_NONNULL(prop);
  *device = choose(*prop);
  return {};
}

Result hipChooseDeviceR0000(int* device, const hipDeviceProp_tR0000* prop) {
  HIP_NONNULL(device);
  HIP_NONNULL(prop);
  *device = choose(*prop);
  return {};
}

Result hipDeviceGetTexture1DLinearMaxWidth(size_t* max_width, const hipChannelFormatDesc* desc, int device) {
  HIP_NONNULL(max_width);
  HIP_NONNULL(desc);
  HIP_TRY_ASSIGN(Device * d, Runtime::get().device(device));
  *max_width = static_cast<size_t>(d->properties().maxTexture1DLinear);
  return {};
}

} // namespace impl
} // namespace bz::hip
