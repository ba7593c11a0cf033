#include "gpu/pm4.hpp"

#include "abi/pm4.hpp"
#include "gpu/guard.hpp"
#include "gpu/queue.hpp"

#include <array>
#include <vector>

namespace bz::gpu {
namespace {
using namespace abi;

constexpr int kDeepest = 4; // buffers within buffers
constexpr uint32_t kMostDwords = 0xfffff;

uint64_t address_of(uint32_t low, uint32_t high) { return uint64_t{high & 0xffff} << 32 | low; }

Status run_buffer(uint64_t at, uint32_t dwords, const Pm4Hooks& hooks, int depth);

Status run_indirect(const uint32_t* p, const Pm4Hooks& hooks, int depth) {
  if (depth == kDeepest) return error(Code::invalid_argument, "PM4 buffers within buffers more than {} deep", kDeepest);
  return run_buffer(address_of(p[1] & ~3u, p[2]), p[3] & kMostDwords, hooks, depth + 1);
}

Status put(uint64_t to, const void* from, size_t bytes, const char* what) {
  if (write_memory(to, from, bytes)) return {};
  return error(Code::fault, "PM4 {}: {:#x} can't be written", what, to);
}

/// Dword 1: destination in 11:8 (1 and 5 memory, 2 memory by way of the L2), one address for all dwords in 16.
Status write_data(const uint32_t* p, uint32_t dwords) {
  uint32_t to = p[1] >> 8 & 0xf;
  if (to != 1 && to != 2 && to != 5) return error(Code::unsupported, "PM4 WRITE_DATA to destination {} (no memory)", to);
  uint64_t address = address_of(p[2] & ~3u, p[3]);
  bool one_place = p[1] >> 16 & 1;
  for (uint32_t i = 4; i < dwords; ++i) BZ_TRY(put(address + (one_place ? 0 : (i - 4) * 4), &p[i], 4, "WRITE_DATA"));
  return {};
}

/// Dword 1: source in 3:0 (1 and 2 memory, 5 the value itself, 9 the GPU's clock), destination in 11:8, 64 bits in 16.
Status copy_data(const uint32_t* p) {
  uint32_t from = p[1] & 0xf, to = p[1] >> 8 & 0xf;
  size_t bytes = p[1] >> 16 & 1 ? 8 : 4;
  uint64_t value = 0;
  switch (from) {
  case 1:
  case 2:
    if (!read_memory(&value, address_of(p[2], p[3]), bytes))
      return error(Code::fault, "PM4 COPY_DATA: {:#x} can't be read", address_of(p[2], p[3]));
    break;
  case 5:
    value = uint64_t{p[3]} << 32 | p[2];
    break;
  case 9:
    value = gpu_clock();
    break;
  default:
    return error(Code::unsupported, "PM4 COPY_DATA from source {}", from);
  }
  if (to != 1 && to != 2 && to != 5) return error(Code::unsupported, "PM4 COPY_DATA to destination {}", to);
  return put(address_of(p[4], p[5]), &value, bytes, "COPY_DATA");
}

/// Dword 2: what is written in 31:29 (0 nothing, 1 and 2 the data's 32 or 64 bits, 3 the clock), interrupt in 26:24.
Status release_mem(const uint32_t* p, const Pm4Hooks& hooks) {
  uint64_t to = address_of(p[3], p[4]), value = uint64_t{p[6]} << 32 | p[5];
  uint32_t what = p[2] >> 29, interrupt = p[2] >> 24 & 7;
  if (what > 3) return error(Code::unsupported, "PM4 RELEASE_MEM with data selection {}", what);
  if (what == 3) value = gpu_clock();
  if (what != 0) BZ_TRY(put(to, &value, what == 1 ? 4 : 8, "RELEASE_MEM"));
  if (interrupt != 0) hooks.interrupt(hooks.context, p[7]);
  return {};
}

Status run_packet(const uint32_t* p, uint32_t dwords, const Pm4Hooks& hooks, int depth) {
  auto needs = [&](uint32_t least, const char* name) -> Status {
    if (dwords >= least) return {};
    return error(Code::invalid_argument, "PM4 {} has {} dwords, not {}", name, dwords, least);
  };
  switch (pm4_op(p[0])) {
  case PM4_NOP:
  case PM4_ACQUIRE_MEM:
  case PM4_EVENT_WRITE: // flushes, and counters that this device hasn't
    return {};
  case PM4_WRITE_DATA:
    BZ_TRY(needs(5, "WRITE_DATA"));
    return write_data(p, dwords);
  case PM4_COPY_DATA:
    BZ_TRY(needs(6, "COPY_DATA"));
    return copy_data(p);
  case PM4_RELEASE_MEM:
    BZ_TRY(needs(8, "RELEASE_MEM"));
    return release_mem(p, hooks);
  case PM4_INDIRECT_BUFFER:
    BZ_TRY(needs(4, "INDIRECT_BUFFER"));
    return run_indirect(p, hooks, depth);
  default:
    return error(Code::unsupported, "PM4 packet {:#04x} is not implemented on this device", pm4_op(p[0]));
  }
}

Status run_buffer(uint64_t at, uint32_t dwords, const Pm4Hooks& hooks, int depth) {
  std::vector<uint32_t> buffer(dwords);
  if (!read_memory(buffer.data(), at, buffer.size() * 4))
    return error(Code::fault, "the PM4 buffer of {} dwords at {:#x} can't be read", dwords, at);
  for (uint32_t i = 0; i < dwords;) {
    uint32_t header = buffer[i];
    if (pm4_type(header) == 2 || header == PM4_ONE_DWORD_NOP) {
      ++i;
      continue;
    }
    if (pm4_type(header) != 3)
      return error(Code::unsupported, "PM4 packets of type {} (at {:#x})", pm4_type(header), at + i * 4);
    uint32_t n = pm4_dwords(header);
    if (n > dwords - i)
      return error(Code::invalid_argument, "the PM4 packet at {:#x} goes beyond its buffer", at + i * 4);
    BZ_TRY(run_packet(&buffer[i], n, hooks, depth));
    i += n;
  }
  return {};
}

} // namespace

Status run_pm4(const uint32_t* p, const Pm4Hooks& hooks) {
  if (pm4_type(p[0]) != 3 || pm4_op(p[0]) != PM4_INDIRECT_BUFFER)
    return error(Code::invalid_argument, "the AQL packet's PM4 command {:#010x} is no INDIRECT_BUFFER", p[0]);
  return run_indirect(p, hooks, 0);
}

} // namespace bz::gpu
