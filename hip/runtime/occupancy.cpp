// Kernel attributes and occupancy: how many blocks a compute unit holds, from registers, waves and LDS.
#include "hip/runtime/device.hpp"
#include "hip/runtime/impl.hpp"
#include "hip/runtime/launch.hpp"
#include "hip/runtime/registry.hpp"
#include "hip/runtime/runtime.hpp"

#include <climits>

namespace bz::hip {
namespace {

using codeobj::Generation;

/// Registers of one SIMD: vector registers per lane, scalar registers.
struct RegisterFile {
  uint32_t vgprs, sgprs;
};
RegisterFile register_file(const codeobj::Processor& p) {
  switch (p.generation) {
  case Generation::gfx6:
  case Generation::gfx7:
    return {256, 512};
  case Generation::gfx8:
  case Generation::gfx9:
    return {256, 800};
  case Generation::gfx90a:
  case Generation::gfx940:
    return {512, 800};
  case Generation::gfx10:
  case Generation::gfx11:
  case Generation::gfx12:
  case Generation::gfx125:
    return {1024, UINT32_MAX}; // scalar registers don't limit: 128 for every wave
  }
  return {256, 800};
}

constexpr uint32_t kLdsGranule = 512;

Outcome<std::shared_ptr<Kernel>> stub_kernel(const void* stub) {
  auto& runtime = Runtime::get();
  return runtime.registry().kernel(stub, runtime.current());
}

Result check_flags(unsigned flags) {
  if (flags != hipOccupancyDefault && flags != hipOccupancyDisableCachingOverride)
    return fail(hipErrorInvalidValue, "occupancy flags {:#x} don't exist", flags);
  return {};
}

Result active_blocks(int* out, Outcome<std::shared_ptr<Kernel>> kernel, int block, size_t lds, unsigned flags) {
  HIP_NONNULL_AS(out, "numBlocks");
  HIP_TRY(check_flags(flags));
  HIP_TRY(kernel);
  if (block <= 0) return fail(hipErrorInvalidValue, "a block of {} threads", block);
  HIP_TRY_ASSIGN(*out, blocks_per_cu(**kernel, uint32_t(block), lds));
  return {};
}

Result best_block(int* grid, int* block, Outcome<std::shared_ptr<Kernel>> kernel, size_t lds, int limit,
                  unsigned flags) {
  HIP_NONNULL_AS(grid, "gridSize");
  HIP_NONNULL_AS(block, "blockSize");
  HIP_TRY(check_flags(flags));
  HIP_TRY(kernel);
  if (limit < 0) return fail(hipErrorInvalidValue, "a block size limit of {}", limit);
  const Kernel& k = **kernel;
  Device& d = k.code->device();
  const int most = std::min<int>(int(k.max_threads()), limit ? limit : INT_MAX), wave = int(d.wavefront_size());
  int best_threads = 0, best_size = 0, best_blocks = 0;
  // From the largest block down: fewer, larger blocks win a draw.
  for (int size = most; size > 0; size = size % wave ? size - size % wave : size - wave) {
    HIP_TRY_ASSIGN(int blocks, blocks_per_cu(k, uint32_t(size), lds));
    if (blocks * size > best_threads) {
      best_threads = blocks * size;
      best_size = size;
      best_blocks = blocks;
    }
  }
  if (best_size == 0)
    return fail(hipErrorInvalidValue, "kernel {} can't run with {} bytes of dynamic shared memory", k.name, lds);
  *block = best_size;
  *grid = best_blocks * int(d.compute_units());
  return {};
}

Outcome<int> function_attribute(const Kernel& k, int which) {
  Device& d = k.code->device();
  const int left = int(d.lds_size() - std::min<size_t>(k.group_size, d.lds_size()));
  switch (which) {
  case HIP_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK:
    return int(k.max_threads());
  case HIP_FUNC_ATTRIBUTE_SHARED_SIZE_BYTES:
    return int(k.group_size);
  case HIP_FUNC_ATTRIBUTE_CONST_SIZE_BYTES:
    return 0; // constants are in global memory
  case HIP_FUNC_ATTRIBUTE_LOCAL_SIZE_BYTES:
    return int(k.private_size);
  case HIP_FUNC_ATTRIBUTE_NUM_REGS:
    return int(k.metadata->vgpr_count);
  case HIP_FUNC_ATTRIBUTE_PTX_VERSION:
  case HIP_FUNC_ATTRIBUTE_BINARY_VERSION:
    return d.properties().major * 10 + d.properties().minor;
  case HIP_FUNC_ATTRIBUTE_CACHE_MODE_CA:
    return 0;
  case HIP_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES: {
    const int set = k.max_dynamic_lds;
    return set >= 0 ? set : left;
  }
  case HIP_FUNC_ATTRIBUTE_PREFERRED_SHARED_MEMORY_CARVEOUT:
    return std::max(0, k.carveout.load());
  }
  return fail(hipErrorInvalidValue, "function attribute {} doesn't exist", which);
}

} // namespace

Outcome<int> blocks_per_cu(const Kernel& k, uint32_t block_threads, size_t dynamic_lds) {
  Device& d = k.code->device();
  if (block_threads > k.max_threads()) return 0;
  const auto file = register_file(*d.target().processor);
  const uint32_t wave = k.metadata->wavefront_size ? k.metadata->wavefront_size : d.wavefront_size();
  const uint32_t waves = (block_threads + wave - 1) / wave, simds = d.simds_per_cu();
  uint32_t per_simd = std::max(1u, d.waves_per_cu() / simds);
  per_simd = std::min(per_simd, file.vgprs / std::max(k.vgprs, 1u));
  per_simd = std::min(per_simd, file.sgprs / std::max(k.sgprs, 1u));
  uint64_t blocks = uint64_t(per_simd) * simds / std::max(waves, 1u);
  if (dynamic_lds > d.lds_size()) return 0; // and sums don't wrap below
  const uint64_t lds = (k.group_size + dynamic_lds + kLdsGranule - 1) / kLdsGranule * kLdsGranule;
  if (lds > d.lds_size()) return 0;
  if (lds) blocks = std::min<uint64_t>(blocks, d.lds_size() / lds);
  return int(blocks);
}

namespace impl {

Result hipOccupancyMaxActiveBlocksPerMultiprocessor(int* n, const void* f, int block, size_t lds) {
  return active_blocks(n, stub_kernel(f), block, lds, 0);
}
Result hipOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(int* n, const void* f, int block, size_t lds,
                                                             unsigned int flags) {
  return active_blocks(n, stub_kernel(f), block, lds, flags);
}
Result hipModuleOccupancyMaxActiveBlocksPerMultiprocessor(int* n, hipFunction_t f, int block, size_t lds) {
  return active_blocks(n, find_kernel(f), block, lds, 0);
}
Result hipModuleOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(int* n, hipFunction_t f, int block, size_t lds,
                                                                   unsigned int flags) {
  return active_blocks(n, find_kernel(f), block, lds, flags);
}
Result hipOccupancyMaxPotentialBlockSize(int* grid, int* block, const void* f, size_t lds, int limit) {
  return best_block(grid, block, stub_kernel(f), lds, limit, 0);
}
Result hipModuleOccupancyMaxPotentialBlockSize(int* grid, int* block, hipFunction_t f, size_t lds, int limit) {
  return best_block(grid, block, find_kernel(f), lds, limit, 0);
}
Result hipModuleOccupancyMaxPotentialBlockSizeWithFlags(int* grid, int* block, hipFunction_t f, size_t lds, int limit,
                                                        unsigned int flags) {
  return best_block(grid, block, find_kernel(f), lds, limit, flags);
}

Result hipOccupancyAvailableDynamicSMemPerBlock(size_t* dynamicSmemSize, const void* f, int blocks, int block) {
  HIP_NONNULL(dynamicSmemSize);
  if (blocks <= 0 || block <= 0) return fail(hipErrorInvalidValue, "{} blocks of {} threads", blocks, block);
  HIP_TRY_ASSIGN(auto k, stub_kernel(f));
  HIP_TRY_ASSIGN(int most, blocks_per_cu(*k, uint32_t(block), 0));
  if (blocks > most)
    return fail(hipErrorInvalidValue, "{} blocks of {} threads don't fit a compute unit, {} do", blocks, block, most);
  const size_t each = k->code->device().lds_size() / size_t(blocks) / kLdsGranule * kLdsGranule;
  *dynamicSmemSize = each > k->group_size ? each - k->group_size : 0;
  return {};
}

Result hipFuncGetAttributes(hipFuncAttributes* attr, const void* f) {
  HIP_NONNULL(attr);
  HIP_TRY_ASSIGN(auto k, stub_kernel(f));
  *attr = {};
  auto ask = [&](int which) { return *function_attribute(*k, which); };
  attr->binaryVersion = ask(HIP_FUNC_ATTRIBUTE_BINARY_VERSION);
  attr->localSizeBytes = size_t(ask(HIP_FUNC_ATTRIBUTE_LOCAL_SIZE_BYTES));
  attr->maxDynamicSharedSizeBytes = ask(HIP_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES);
  attr->maxThreadsPerBlock = ask(HIP_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK);
  attr->numRegs = ask(HIP_FUNC_ATTRIBUTE_NUM_REGS);
  attr->preferredShmemCarveout = ask(HIP_FUNC_ATTRIBUTE_PREFERRED_SHARED_MEMORY_CARVEOUT);
  attr->ptxVersion = ask(HIP_FUNC_ATTRIBUTE_PTX_VERSION);
  attr->sharedSizeBytes = size_t(ask(HIP_FUNC_ATTRIBUTE_SHARED_SIZE_BYTES));
  return {};
}

Result hipFuncGetAttribute(int* value, hipFunction_attribute which, hipFunction_t f) {
  HIP_NONNULL(value);
  HIP_TRY_ASSIGN(auto k, find_kernel(f));
  HIP_TRY_ASSIGN(*value, function_attribute(*k, which));
  return {};
}

Result hipFuncSetAttribute(const void* f, hipFuncAttribute which, int value) {
  HIP_TRY_ASSIGN(auto k, stub_kernel(f));
  Device& d = k->code->device();
  switch (which) {
  case hipFuncAttributeMaxDynamicSharedMemorySize:
    if (value < 0 || size_t(value) + k->group_size > d.lds_size())
      return fail(hipErrorInvalidValue,
                  "kernel {}: {} bytes of dynamic shared memory besides {} static ones, a block has {}", k->name, value,
                  k->group_size, d.lds_size());
    k->max_dynamic_lds = value;
    return {};
  case hipFuncAttributePreferredSharedMemoryCarveout:
    if (value < -1 || value > 100) return fail(hipErrorInvalidValue, "a carve-out of {} percent", value);
    k->carveout = value;
    return {};
  case hipFuncAttributeMax:
    break;
  }
  return fail(hipErrorInvalidValue, "function attribute {} can't be set", static_cast<int>(which));
}

Result hipGetFuncBySymbol(hipFunction_t* functionPtr, const void* symbol) {
  HIP_NONNULL(functionPtr);
  HIP_TRY_ASSIGN(auto k, stub_kernel(symbol));
  *functionPtr = k->handle();
  return {};
}

} // namespace impl
} // namespace bz::hip
