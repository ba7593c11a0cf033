#include "gpu/sdma_packets.hpp"

#include "abi/sdma.hpp"
#include "gpu/device.hpp"
#include "gpu/guard.hpp"
#include "gpu/queue.hpp"

#include <algorithm>
#include <cstring>
#include <fmt/format.h>

namespace bz::gpu {
namespace {
using namespace abi;
using Outcome = SdmaEffect::Outcome;

constexpr uint64_t kPage = 4096;

uint64_t address_at(const uint32_t* p) { return uint64_t{p[1]} << 32 | p[0]; }

SdmaEffect refuse(std::string why) {
  SdmaEffect e;
  e.outcome = Outcome::refused;
  e.why = std::move(why);
  return e;
}
SdmaEffect fault(uint64_t address, bool is_write) {
  SdmaEffect e;
  e.outcome = Outcome::fault;
  e.address = address;
  e.is_write = is_write;
  return e;
}

/// The first byte of a range that can't be accessed, where one is known to be.
SdmaEffect find_fault(uint64_t at, uint64_t bytes, bool is_write) {
  for (uint64_t end = at + bytes; at < end; at = at / kPage * kPage + kPage) {
    uint8_t byte = 0;
    bool good = read_memory(&byte, at, 1);
    // A write that changes nothing; the compiler would take the atomic of C++ for a read.
    if (good && is_write) good = guarded([&] { asm volatile("lock orb $0, %0" : "+m"(*reinterpret_cast<uint8_t*>(at))); });
    if (!good) return fault(at, is_write);
  }
  return fault(at, is_write);
}

SdmaEffect copy_bytes(uint64_t to, uint64_t from, uint64_t bytes) {
  if (guarded([&] { std::memmove(reinterpret_cast<void*>(to), reinterpret_cast<const void*>(from), bytes); })) return {};
  SdmaEffect source = find_fault(from, bytes, false);
  return source.address < from + bytes ? source : find_fault(to, bytes, true);
}

SdmaEffect store(uint64_t to, const void* from, size_t bytes) {
  if (write_memory(to, from, bytes)) return {};
  return fault(to, true);
}

SdmaEffect nop(const uint32_t*, uint32_t, uint32_t, Sink&) { return {}; }

/// 22 bits of bytes less one; bit 27 of the header asks for a second destination.
SdmaEffect copy_linear(const uint32_t* p, uint32_t dwords, uint32_t, Sink&) {
  uint64_t bytes = (p[1] & 0x3fffff) + 1, from = address_at(p + 3);
  SdmaEffect e = copy_bytes(address_at(p + 5), from, bytes);
  if (e.outcome == Outcome::done && dwords == 9) e = copy_bytes(address_at(p + 7), from, bytes);
  return e;
}

/// A box out of one linear volume into another. Pitches and extents are less one, in elements of 1 << header[31:29] bytes.
SdmaEffect copy_rect(const uint32_t* p, uint32_t, uint32_t, Sink&) {
  struct Side {
    uint64_t base, x, y, z, pitch, slice;
    explicit Side(const uint32_t* s)
        : base(address_at(s)), x(s[2] & 0x3fff), y(s[2] >> 16 & 0x3fff), z(s[3] & 0x7ff), pitch((s[3] >> 13) + 1),
          slice((s[4] & 0xfffffff) + uint64_t{1}) {}
    uint64_t row(uint64_t dy, uint64_t dz, uint32_t shift) const {
      return base + ((x + (y + dy) * pitch + (z + dz) * slice) << shift);
    }
  };
  Side from(p + 1), to(p + 6);
  uint32_t shift = p[0] >> 29;
  if (shift > 4) return refuse(fmt::format("elements of {} bytes", 1u << shift));
  uint64_t width = ((p[11] & 0x3fff) + uint64_t{1}) << shift;
  uint32_t height = (p[11] >> 16 & 0x3fff) + 1, depth = (p[12] & 0x7ff) + 1;
  for (uint32_t z = 0; z < depth; ++z)
    for (uint32_t y = 0; y < height; ++y) {
      SdmaEffect e = copy_bytes(to.row(y, z, shift), from.row(y, z, shift), width);
      if (e.outcome != Outcome::done) return e;
    }
  return {};
}

SdmaEffect write_linear(const uint32_t* p, uint32_t dwords, uint32_t, Sink&) {
  uint64_t to = address_at(p + 1);
  return write_memory(to, p + 4, (dwords - 4) * 4) ? SdmaEffect{} : find_fault(to, (dwords - 4) * 4, true);
}

SdmaEffect indirect(const uint32_t* p, uint32_t, uint32_t, Sink&) {
  SdmaEffect e;
  e.buffer = address_at(p + 1) & ~uint64_t{31};
  e.buffer_dwords = p[3] & 0xfffff;
  return e;
}

SdmaEffect fence(const uint32_t* p, uint32_t, uint32_t, Sink&) {
  uint64_t to = address_at(p + 1) & ~uint64_t{3};
  if (guarded([&] { __atomic_store_n(reinterpret_cast<uint32_t*>(to), p[3], __ATOMIC_RELEASE); })) return {};
  return fault(to, true);
}

SdmaEffect trap(const uint32_t* p, uint32_t, uint32_t, Sink& sink) {
  sink.interrupt(p[1] & 0xfffffff);
  return {};
}

bool holds(uint32_t function, uint32_t value, uint32_t reference) {
  switch (function) {
  case 1:
    return value < reference;
  case 2:
    return value <= reference;
  case 3:
    return value == reference;
  case 4:
    return value != reference;
  case 5:
    return value >= reference;
  case 6:
    return value > reference;
  default:
    return true;
  }
}

/// Condition in 30:28, memory (not a register) in 31; how often to try in 27:16 of the last dword, all ones: for ever.
SdmaEffect poll(const uint32_t* p, uint32_t, uint32_t polls, Sink&) {
  uint32_t function = p[0] >> 28 & 7;
  if (function == 0) return {}; // a flush of the host data path alone
  if (!(p[0] >> 31)) return refuse("polling a register");
  uint64_t at = address_at(p + 1) & ~uint64_t{3};
  uint32_t value = 0;
  if (!guarded([&] { value = __atomic_load_n(reinterpret_cast<const uint32_t*>(at), __ATOMIC_ACQUIRE); }))
    return fault(at, false);
  if (holds(function, value & p[4], p[3])) return {};
  constexpr uint32_t kForEver = 0xfff;
  uint32_t retries = p[5] >> 16 & kForEver;
  SdmaEffect e;
  if (retries == kForEver || polls < retries) e.outcome = Outcome::waiting;
  return e;
}

SdmaEffect conditional(const uint32_t* p, uint32_t, uint32_t, Sink&) {
  uint32_t value = 0;
  uint64_t at = address_at(p + 1) & ~uint64_t{3};
  if (!read_memory(&value, at, sizeof value)) return fault(at, false);
  SdmaEffect e;
  if (value != p[3]) e.skip = p[4] & 0x3fff;
  return e;
}

template <class U> bool apply(uint8_t op, U& value, U data, U compare) {
  using S = std::make_signed_t<U>;
  switch (op) {
  case SDMA_ATOMIC_SWAP:
    value = data;
    return true;
  case SDMA_ATOMIC_CMPSWAP:
    if (value == compare) value = data;
    return true;
  case SDMA_ATOMIC_ADD:
    value += data;
    return true;
  case SDMA_ATOMIC_SUB:
    value -= data;
    return true;
  case SDMA_ATOMIC_SMIN:
    value = static_cast<U>(std::min(static_cast<S>(value), static_cast<S>(data)));
    return true;
  case SDMA_ATOMIC_UMIN:
    value = std::min(value, data);
    return true;
  case SDMA_ATOMIC_SMAX:
    value = static_cast<U>(std::max(static_cast<S>(value), static_cast<S>(data)));
    return true;
  case SDMA_ATOMIC_UMAX:
    value = std::max(value, data);
    return true;
  case SDMA_ATOMIC_AND:
    value &= data;
    return true;
  case SDMA_ATOMIC_OR:
    value |= data;
    return true;
  case SDMA_ATOMIC_XOR:
    value ^= data;
    return true;
  case SDMA_ATOMIC_INC:
    value = value >= data ? 0 : value + 1;
    return true;
  case SDMA_ATOMIC_DEC:
    value = value == 0 || value > data ? data : value - 1;
    return true;
  default:
    return false;
  }
}

/// Loops of the packet (bit 16: until a compare and swap succeeds) wait as a poll does.
template <class U> SdmaEffect atomic_of(const uint32_t* p, uint8_t op) {
  auto take = [&](const uint32_t* q) { return sizeof(U) == 8 ? static_cast<U>(address_at(q)) : static_cast<U>(q[0]); };
  uint64_t at = address_at(p + 1);
  U data = take(p + 3), compare = take(p + 5), trial = 0;
  if (at % sizeof(U) != 0) return fault(at, true);
  if (!apply(op, trial, data, compare)) return refuse(fmt::format("atomic operation {:#x}", p[0] >> 25));
  bool swapped = true;
  bool good = guarded([&] {
    auto* memory = reinterpret_cast<U*>(at);
    U before = __atomic_load_n(memory, __ATOMIC_ACQUIRE), after = 0;
    do {
      after = before;
      apply(op, after, data, compare);
    } while (!__atomic_compare_exchange_n(memory, &before, after, false, __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE));
    swapped = before == compare;
  });
  if (!good) return fault(at, true);
  SdmaEffect e;
  if (op == SDMA_ATOMIC_CMPSWAP && p[0] >> 16 & 1 && !swapped) e.outcome = Outcome::waiting;
  return e;
}

SdmaEffect atomic(const uint32_t* p, uint32_t, uint32_t, Sink&) {
  auto op = static_cast<uint8_t>(p[0] >> 25 & ~uint32_t{SDMA_ATOMIC_NO_RETURN});
  bool wide = op & SDMA_ATOMIC_64;
  op &= static_cast<uint8_t>(~SDMA_ATOMIC_64);
  return wide ? atomic_of<uint64_t>(p, op) : atomic_of<uint32_t>(p, op);
}

/// Elements of 1 << header[31:30] bytes; the count is of bytes, less one.
SdmaEffect const_fill(const uint32_t* p, uint32_t, uint32_t, Sink&) {
  uint32_t shift = p[0] >> 30;
  if (shift > 2) return refuse("a fill of elements of 8 bytes");
  uint64_t to = address_at(p + 1), count = ((p[4] & 0x3fffff) >> shift) + 1;
  bool good = guarded([&] {
    if (shift == 2)
      std::fill_n(reinterpret_cast<uint32_t*>(to), count, p[3]);
    else if (shift == 1)
      std::fill_n(reinterpret_cast<uint16_t*>(to), count, static_cast<uint16_t>(p[3]));
    else
      std::memset(reinterpret_cast<void*>(to), static_cast<int>(p[3] & 0xff), count);
  });
  return good ? SdmaEffect{} : find_fault(to, count << shift, true);
}

SdmaEffect timestamp(const uint32_t* p, uint32_t, uint32_t, Sink&) {
  if (sdma_subop_of(p[0]) == SDMA_SUBOP_TIMESTAMP_SET) return refuse("setting the clock");
  uint64_t now = gpu_clock();
  return store(address_at(p + 1) & ~uint64_t{7}, &now, sizeof now);
}

/// Runs the next dwords only on engines whose bit is set: this one has all bits.
SdmaEffect pre_execute(const uint32_t*, uint32_t, uint32_t, Sink&) { return {}; }

constexpr int kAnySub = -1;
struct Row {
  uint8_t op;
  int subop;
  const char* name;
  uint32_t dwords; ///< 0: told by the packet, see sdma_packet_dwords
  SdmaEffect (*run)(const uint32_t*, uint32_t dwords, uint32_t polls, Sink&);
};
constexpr Row kRows[] = {
    {SDMA_OP_NOP, kAnySub, "NOP", 0, nop},
    {SDMA_OP_COPY, SDMA_SUBOP_COPY_LINEAR, "COPY_LINEAR", 0, copy_linear},
    {SDMA_OP_COPY, SDMA_SUBOP_COPY_LINEAR_RECT, "COPY_LINEAR_SUB_WINDOW", 13, copy_rect},
    {SDMA_OP_WRITE, 0, "WRITE_LINEAR", 0, write_linear},
    {SDMA_OP_INDIRECT, kAnySub, "INDIRECT_BUFFER", 6, indirect},
    {SDMA_OP_FENCE, kAnySub, "FENCE", 4, fence},
    {SDMA_OP_TRAP, kAnySub, "TRAP", 2, trap},
    {SDMA_OP_POLL_REGMEM, kAnySub, "POLL_REGMEM", 6, poll},
    {SDMA_OP_COND_EXE, kAnySub, "COND_EXE", 5, conditional},
    {SDMA_OP_ATOMIC, kAnySub, "ATOMIC", 8, atomic},
    {SDMA_OP_CONST_FILL, 0, "CONST_FILL", 5, const_fill},
    {SDMA_OP_TIMESTAMP, kAnySub, "TIMESTAMP", 3, timestamp},
    {SDMA_OP_PRE_EXE, kAnySub, "PRE_EXE", 2, pre_execute},
};

const Row* find(uint32_t header) {
  for (const Row& row : kRows)
    if (row.op == sdma_op_of(header) && (row.subop == kAnySub || row.subop == sdma_subop_of(header))) return &row;
  return nullptr;
}

} // namespace

const char* sdma_packet_name(uint32_t header) {
  const Row* row = find(header);
  return row ? row->name : "unknown";
}

uint32_t sdma_packet_dwords(uint32_t header, uint32_t fourth) {
  const Row* row = find(header);
  if (!row || row->dwords) return row ? row->dwords : 0;
  switch (row->op) {
  case SDMA_OP_NOP:
    return 1 + (header >> 16 & 0x3fff); // so many dwords of no meaning follow
  case SDMA_OP_COPY:
    return header >> 27 & 1 ? 9 : 7;
  default:
    return 4 + (fourth & 0xfffff) + 1; // WRITE_LINEAR
  }
}

SdmaEffect run_sdma_packet(const uint32_t* packet, uint32_t dwords, uint32_t polls, Sink& sink) {
  return find(packet[0])->run(packet, dwords, polls, sink);
}

} // namespace bz::gpu
