// Where the lanes of a memory operation go: the address forms of every space, bounds, buffer resources, private memory and
// its interleaving. Base of the wave builder; must not know what is done with the memory, nor rows.
#pragma once
#include "exec/interp/control.hpp"
#include "exec/interp/global_share.hpp"
#include "exec/interp/transfer.hpp"
#include "exec/wave.hpp"

namespace bz::exec::BZ_LEVEL_NS {

/// Memory of one lane: ordinary, or dwords at a distance (swizzled buffers; private memory).
struct LanePtr {
  char* p = nullptr;        ///< of the first byte; null: out of bounds, reads 0 and drops writes
  uint32_t pitch = 0;       ///< bytes from one dword of the lane to the next; 0: ordinary
  uint32_t offset = 0;      ///< with a pitch: byte offset of the access, p = the lane's dword 0
  uint32_t bytes = 0;       ///< bytes in bounds from here
  BZ_AI char* at(uint32_t i) const { return pitch ? p + static_cast<uint64_t>((offset + i) / 4) * pitch + (offset + i) % 4 : p + i; }
  BZ_AI bool holds(uint32_t n) const { return p != nullptr && n <= bytes; }
  BZ_AI bool straddles(uint32_t i, uint32_t size) const { return pitch && (offset + i) % 4 + size > 4; }
  BZ_AI uint32_t read(uint32_t i, uint32_t size) const {
    if (!holds(i + size)) return 0;
    uint32_t x = 0;
    if (__builtin_expect(straddles(i, size), 0)) {
      for (uint32_t k = 0; k < size; ++k) x |= static_cast<uint32_t>(static_cast<uint8_t>(*at(i + k))) << (8 * k);
      return x;
    }
    __builtin_memcpy(&x, at(i), size);
    return x;
  }
  BZ_AI void write(uint32_t i, uint32_t size, uint32_t x) const {
    if (!holds(i + size)) return;
    if (__builtin_expect(straddles(i, size), 0)) {
      for (uint32_t k = 0; k < size; ++k) *at(i + k) = static_cast<char>(x >> (8 * k));
      return;
    }
    __builtin_memcpy(at(i), &x, size);
  }
};

/// A buffer resource (V#) and the instruction's addressing, taken apart once per wave. Vega ISA 8.1.5.
struct BufferForm {
  char* base = nullptr;     ///< with the scalar offset
  uint32_t stride = 0, records = 0, index_stride = 0;
  bool swizzle = false, add_tid = false, idxen = false, offen = false;
  bool own = false;         ///< this wave's private memory, in the layout that all private memory has
  /// Bytes from the descriptor's base that every lane may touch are counted, not elements.
  BZ_AI bool raw() const { return !swizzle && !add_tid && !idxen; }
};

/// Saddr: FLAT family with a scalar base (variant of the handler).
template <bool Full, bool Saddr> struct AddressB {
  const Op* o;
  char* w;
  bool halted = false;
  // Copied: stores to registers and memory might alias the operation.
  uint32_t d, s[6], aux;
  int32_t im;
  char* lds;               ///< LDS, or the part of the global data share that M0 names
  uint64_t lds_limit;
  bool gds = false;
  BufferForm buffer;

  BZ_AI AddressB(const Op* op, char* wv) : o(op), w(wv), d(op->d), aux(op->aux), im(op->imm) {
    for (int i = 0; i < 6; ++i) s[i] = op->s[i];
    const Group* g = wave()->group;
    lds = reinterpret_cast<char*>(g->lds);
    lds_limit = g->lds_bytes;
  }
  BZ_AI Wave* wave() const { return reinterpret_cast<Wave*>(w); }
  template <class T> BZ_AI static T get(const void* p) { T x; __builtin_memcpy(&x, p, sizeof x); return x; }
  BZ_AI VU row(uint32_t off, int q) const { return *reinterpret_cast<const VRow*>(w + off + 4 * kLanes * q); }
  BZ_AI VRow& row_at(uint32_t off, int q) const { return *reinterpret_cast<VRow*>(w + off + 4 * kLanes * q); }
  BZ_AI uint32_t& cell(uint32_t off, int lane) const { return *reinterpret_cast<uint32_t*>(w + off + 4 * lane); }
  BZ_AI Bits exec_bits(int q) const {
    if constexpr (Full) return kAllLanes;
    Bits b;
    __builtin_memcpy(&b, w + layout::sgpr(layout::kExec) + q * (kLanes / 8), sizeof b);
    return b;
  }
  template <class F> BZ_AI void for_lanes(F f) {
    uint64_t e = Full ? ~uint64_t{0} : wave()->exec();
#pragma clang loop unroll(disable)
    for (; e; e &= e - 1) {
      f(__builtin_ctzll(e));
      if (halted) return;
    }
  }
  BZ_AI void stop(Halt::Reason why, int lane, const char* text) {
    Group* g = wave()->group;
    if (halted) return;
    g->halt_reason = why;
    g->halt_lane = lane;
    g->halt_text = text;
    halted = true;
  }

  /// A fault from here on is this operation's.
  BZ_AI void note_access() const {
    wave()->cur = o;
    wave()->group->memory_wave = wave();
  }
  /// Before the first access: what all lanes share is read. Slow forms, which
  /// are functions of their own with a builder of their own, call it again. False: halted.
  template <Space S> BZ_AI bool open() {
    note_access();
    if constexpr (S == Space::lds) {
      if (__builtin_expect(o->mods & mods::kGds, 0)) open_gds();
    } else if constexpr (S == Space::buffer) {
      open_buffer();
    }
    return !halted;
  }
  struct Window { char* p; uint64_t bytes; };
  /// M0: base in 31:16, size in 15:0. Not a member: `this` would no longer fit into registers.
  __attribute__((noinline)) static Window gds_window(char* w) {
    auto* v = reinterpret_cast<Wave*>(w);
    GlobalShare* share = v->group->share;
    uint32_t m0 = v->sgpr[layout::kM0], base = m0 >> 16, size = m0 & 0xffff;
    if (share->bytes == 0) return {nullptr, 0};
    return {reinterpret_cast<char*>(share->data) + base, base >= share->bytes ? 0 : size < share->bytes - base ? size : share->bytes - base};
  }
  BZ_AI void open_gds() {
    Window window = gds_window(w);
    if (!window.p) return stop(Halt::Reason::not_implemented, -1, "global data share: this target has no such memory");
    gds = true;
    lds = window.p;
    lds_limit = window.bytes;
  }
  BZ_AI void open_buffer() {
    uint64_t lo = get<uint64_t>(w + s[2]);
    uint32_t word3 = get<uint32_t>(w + s[2] + 12);
    buffer.base = reinterpret_cast<char*>((lo & 0xffffffffffff) + get<uint32_t>(w + s[4]));
    buffer.records = get<uint32_t>(w + s[2] + 8);
    buffer.stride = static_cast<uint32_t>(lo >> 48) & 0x3fff;
    buffer.index_stride = 8u << (word3 >> 21 & 3);
    buffer.swizzle = lo >> 63;
    buffer.add_tid = word3 >> 23 & 1;
    buffer.offen = o->mods & mods::kSaddr;
    buffer.idxen = o->mods & mods::kVaddr;
    if (buffer.add_tid) buffer.stride |= (word3 >> 15 & 15) << 14;   // the data format's bits
    // The descriptor that kernels get for private memory, perhaps moved to the wave's part of it.
    const Group* g = wave()->group;
    uint64_t in_group = (lo & 0xffffffffffff) - reinterpret_cast<uint64_t>(g->head->scratch);
    buffer.own = buffer.swizzle && buffer.add_tid && !buffer.idxen && buffer.stride == 0 && buffer.index_stride == 64 &&
                 in_group < uint64_t{wave()->scratch_bytes} * 64 * g->wave_count && (buffer.base - g->head->scratch) % 256 == 0;
  }

  // ------------------------------------------------------------ one lane

  /// 64-bit address of one lane (global and flat).
  BZ_AI uint64_t address64(int lane) const {
    uint64_t a = cell(s[0], lane);
    if (Saddr) a += get<uint64_t>(w + s[2]);
    else a |= static_cast<uint64_t>(cell(s[3], lane)) << 32;
    return a + static_cast<uint64_t>(static_cast<int64_t>(im));
  }
  BZ_AI LanePtr lds_ptr(uint64_t at) const {
    if (at >= lds_limit) return {};
    return {lds + at, 0, 0, static_cast<uint32_t>(lds_limit - at)};
  }
  BZ_AI LanePtr scratch_ptr(uint64_t at, int lane, uint32_t bytes) {
    Wave* v = wave();
    if (at >= v->scratch_bytes || bytes > v->scratch_bytes - at) {
      stop(Halt::Reason::stack_overflow, lane, "private memory beyond what the dispatch asked for");
      return {};
    }
    return {v->scratch + 4 * lane, 256, static_cast<uint32_t>(at), v->scratch_bytes - static_cast<uint32_t>(at)};
  }
  /// Offset in private memory of lane offset `offset` through the wave's own descriptor: the base counts swizzled bytes.
  BZ_AI uint64_t own_offset(uint64_t offset) const { return offset + static_cast<uint64_t>(buffer.base - wave()->scratch) / 64; }
  BZ_AI LanePtr buffer_ptr(int lane, uint32_t bytes) {
    const BufferForm& b = buffer;
    uint32_t index = (b.idxen ? cell(s[0], lane) : 0) + (b.add_tid ? static_cast<uint32_t>(lane) : 0);
    // A sum of 32 bits: compilers leave a negative register with an instruction offset that brings it above zero.
    uint64_t offset = static_cast<uint32_t>(im) + (b.offen ? cell(b.idxen ? s[3] : s[0], lane) : 0);
    if (b.own) return scratch_ptr(own_offset(offset), lane, bytes);
    // Range check: none without an index but with the lane's number; the index against records if there are records; else
    // bytes. The scalar offset has no part in it. Each dword is checked by itself: the caller sees how many bytes fit.
    uint64_t fits = bytes;
    if (b.idxen && b.stride) {
      if (index >= b.records) return {};
    } else if (!b.add_tid || b.idxen) {
      if (offset >= b.records) return {};
      fits = b.records - offset;
    }
    uint32_t in_bounds = fits < bytes ? static_cast<uint32_t>(fits) : bytes;
    if (!b.swizzle) return {b.base + static_cast<uint64_t>(index) * b.stride + offset, 0, 0, in_bounds};
    uint64_t block = static_cast<uint64_t>(index / b.index_stride) * b.stride * b.index_stride;
    uint64_t whole = offset / 4 * 4 * b.index_stride;
    return {b.base + block + whole + index % b.index_stride * 4, 4 * b.index_stride, static_cast<uint32_t>(offset % 4), in_bounds};
  }
  /// General form, any space: where lane's bytes are.
  template <Space S> BZ_AI LanePtr pointer(int lane, uint32_t bytes) {
    if constexpr (S == Space::lds) {
      return lds_ptr(static_cast<uint32_t>(cell(s[0], lane) + static_cast<uint32_t>(im))); // a sum of 32 bits
    } else if constexpr (S == Space::scratch) {
      uint32_t at = static_cast<uint32_t>(im);
      if (o->mods & mods::kVaddr) at += cell(s[0], lane);
      if (o->mods & mods::kSaddr) at += get<uint32_t>(w + s[2]);
      return scratch_ptr(at, lane, bytes);
    } else if constexpr (S == Space::buffer) {
      return buffer_ptr(lane, bytes);
    } else {
      uint64_t a = address64(lane);
      if constexpr (S == Space::flat) {
        if (__builtin_expect(a >> 48 == 1, 0)) return lds_ptr(a & 0xffffffffffff);
        if (__builtin_expect(a >> 48 == 2, 0)) return scratch_ptr(a & 0xffffffffffff, lane, bytes);
      }
      return {reinterpret_cast<char*>(a), 0, 0, bytes};
    }
  }
  /// LDS place of the rows that take no address: M0[15:0] (GDS: M0's base) + instruction offset + 4 * lane.
  BZ_AI LanePtr m0_ptr(uint32_t lane) const {
    uint64_t base = gds ? 0 : wave()->sgpr[layout::kM0] & 0xffffu;
    return lds_ptr(base + static_cast<uint64_t>(static_cast<int64_t>(im)) + 4 * lane);
  }
  /// Real atomics are needed only where others can see the cell.
  template <Space S> BZ_AI bool shared(const LanePtr& p) const {
    if constexpr (S == Space::lds) return gds;
    if constexpr (S == Space::scratch) return false;
    if (p.pitch) return false;
    return !(p.p >= lds && p.p < lds + lds_limit);
  }

  // ------------------------------------------------------------ a chunk of lanes

  enum class Pattern { other, contiguous, uniform, scattered };   ///< scattered: LDS, but all in bounds
  struct Chunk { Pattern pattern; char* p; };   ///< p: first active lane's address
  /// Spaces whose lanes may lie side by side.
  template <Space S> static constexpr bool kPatterned = S == Space::global || S == Space::flat || S == Space::lds || S == Space::buffer;

  /// Looks at the addresses of a chunk's active lanes; `step` is the distance that counts as contiguous.
  template <Space S> BZ_AI Chunk chunk(int q, Bits em, uint32_t step, uint32_t bytes) const {
    static_assert(kPatterned<S>);
    if constexpr (S == Space::buffer)
      if (!buffer.raw() || !buffer.offen) return {Pattern::other, nullptr};
    int f = Full ? 0 : __builtin_ctz(em);
    VU lo = row(s[0], q);
    uint32_t l0 = Full ? lo[0] : cell(s[0], q * kLanes + f);
    VU delta = lo - l0;
    Bits cont = ballot(delta == (iota() - static_cast<uint32_t>(f)) * step), same = ballot(delta == 0u);
    char* p;
    if constexpr (S == Space::lds || S == Space::buffer) {
      // All lanes in bounds, or the slow form looks at each.
      uint64_t limit = S == Space::lds ? lds_limit : buffer.records, need = static_cast<uint64_t>(static_cast<uint32_t>(im)) + bytes;
      if (limit < need) return {Pattern::other, nullptr};
      if (static_cast<Bits>(ballot(lo <= static_cast<uint32_t>(limit - need)) | ~em) != kAllLanes) return {Pattern::other, nullptr};
      p = (S == Space::lds ? lds : buffer.base) + l0 + static_cast<uint32_t>(im);
    } else if constexpr (Saddr) {
      p = reinterpret_cast<char*>(get<uint64_t>(w + s[2]) + l0 + static_cast<uint64_t>(static_cast<int64_t>(im)));
    } else {
      VU hi = row(s[3], q);
      uint32_t h0 = Full ? hi[0] : cell(s[3], q * kLanes + f);
      Bits high = ballot(hi == h0);
      cont &= high;
      same &= high;
      p = reinterpret_cast<char*>((l0 | static_cast<uint64_t>(h0) << 32) + static_cast<uint64_t>(static_cast<int64_t>(im)));
    }
    if (S == Space::flat && reinterpret_cast<uint64_t>(p) >> 48) return {Pattern::other, nullptr};
    if (static_cast<Bits>(cont | ~em) == kAllLanes) return {Pattern::contiguous, p};
    if (static_cast<Bits>(same | ~em) == kAllLanes) return {Pattern::uniform, p};
    return {Pattern::other, p};
  }

  /// Addresses of a chunk whose active lanes are all in bounds of ordinary memory. False: some are not, or it can't be told.
  template <Space S> BZ_AI bool plain_addresses(int q, Bits em, uint32_t bytes, uint64_t* a) const {
    if constexpr (S == Space::scratch) return false;
    if constexpr (S == Space::buffer)
      if (!buffer.raw() || !buffer.offen) return false;
    VU lo = row(s[0], q);
    VL x = __builtin_convertvector(lo, VL);
    if constexpr (S == Space::lds || S == Space::buffer) {
      uint64_t limit = S == Space::lds ? lds_limit : buffer.records, need = static_cast<uint64_t>(static_cast<uint32_t>(im)) + bytes;
      if (limit < need || static_cast<Bits>(ballot(lo <= static_cast<uint32_t>(limit - need)) | ~em) != kAllLanes) return false;
      x += reinterpret_cast<uint64_t>(S == Space::lds ? lds : buffer.base) + static_cast<uint32_t>(im);
    } else {
      if constexpr (Saddr) x += get<uint64_t>(w + s[2]);
      else x |= __builtin_convertvector(row(s[3], q), VL) << 32;
      x += static_cast<uint64_t>(static_cast<int64_t>(im));
      if constexpr (S == Space::flat) {
        VU apertures = __builtin_convertvector(x >> 48, VU);
        if (static_cast<Bits>(ballot(apertures == 0u) | ~em) != kAllLanes) return false;
      }
    }
    __builtin_memcpy(a, &x, sizeof x);
    return true;
  }

  /// The same for a whole wave with all lanes on, with few branches: every chunk contiguous, or every chunk uniform; only
  /// here LDS may be called scattered.
  /// `need`: LDS bytes beyond the lane's own address that must be in bounds.
  template <Space S> BZ_AI Pattern wave_pattern(uint32_t step, uint64_t need) const {
    VU not_contiguous(0u), not_uniform(0u), other(0u), top(0u), steps = iota() * step;
    for (int q = 0; q < kChunks; ++q) {
      VU lo = row(s[0], q), delta = lo - VU(cell(s[0], q * kLanes));
      not_uniform |= delta;
      not_contiguous |= delta ^ steps;
      if constexpr (S == Space::lds) {
        top = __builtin_elementwise_max(top, lo);
      } else if constexpr (!Saddr) {
        VU hi = row(s[3], q);
        other |= hi ^ VU(cell(s[3], q * kLanes));
        if constexpr (S == Space::flat) other |= hi & 0xffff0000u;   // apertures
      }
    }
    if constexpr (S == Space::lds) {
      if (lds_limit < need || ballot(top > static_cast<uint32_t>(lds_limit - need))) return Pattern::other;
    } else if constexpr (!Saddr) {
      if (ballot(other != 0u)) return Pattern::other;
    }
    if (ballot(not_contiguous != 0u) == 0) return Pattern::contiguous;
    if (ballot(not_uniform != 0u) == 0) return Pattern::uniform;
    return S == Space::lds ? Pattern::scattered : Pattern::other;
  }
  /// Address of a chunk's first lane.
  template <Space S> BZ_AI char* chunk_address(int q) const {
    if constexpr (S == Space::lds) return lds + cell(s[0], q * kLanes) + static_cast<uint32_t>(im);
    else return reinterpret_cast<char*>(address64(q * kLanes));
  }
  /// Private memory at one offset in every active lane: whole rows of the interleaved layout. Null: something else.
  template <Space S> BZ_AI char* private_rows(int q, Bits em, uint32_t bytes) const {
    uint64_t at = static_cast<uint32_t>(im);
    if constexpr (S == Space::buffer)
      if (!buffer.own) return nullptr;
    if (o->mods & (S == Space::buffer ? mods::kSaddr : mods::kVaddr)) {
      uint32_t first = cell(s[0], q * kLanes + __builtin_ctz(em));
      if (static_cast<Bits>(ballot(row(s[0], q) == first) | ~em) != kAllLanes) return nullptr;
      at += first;
    }
    if constexpr (S == Space::buffer) {
      at = own_offset(static_cast<uint32_t>(at));
    } else {
      if (o->mods & mods::kSaddr) at += get<uint32_t>(w + s[2]);
      at = static_cast<uint32_t>(at);
    }
    Wave* v = wave();
    if (at % 4 || at >= v->scratch_bytes || bytes > v->scratch_bytes - at) return nullptr;
    return v->scratch + at / 4 * 256 + q * 4 * kLanes;
  }
};

} // namespace bz::exec::BZ_LEVEL_NS
