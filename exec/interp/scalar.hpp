// The scalar builder: what `sem` of SALU, SOPP and SMEM rows sees, once per wave. Owns SGPR access, scalar memory and the
// requests (branch, barrier, ...) that the handler carries out; must not know rows.
#pragma once
#include "exec/interp/atomics.hpp"
#include "exec/interp/vec.hpp"
#include "exec/interp/control.hpp"
#include "exec/wave.hpp"
#include "isa/builder.hpp"

namespace bz::exec::BZ_LEVEL_NS {

/// Lit: some source is the literal in the operation.
template <bool Lit> struct ScalarB : ScalarMathOps {
  using S32 = BZ_LEVEL_NS::S32;
  using SI32 = BZ_LEVEL_NS::SI32;
  using S64 = BZ_LEVEL_NS::S64;
  using SI64 = BZ_LEVEL_NS::SI64;
  using SBool = BZ_LEVEL_NS::SBool;

  const Op* o;
  char* w;
  Request request = Request::none;
  uint64_t argument = 0;
  bool is_branch = false, taken = false, wrote_exec = false;

  BZ_AI ScalarB(const Op* op, char* wv) : o(op), w(wv) {}
  BZ_AI Wave* wave() const { return reinterpret_cast<Wave*>(w); }
  BZ_AI void note_access() const {
    wave()->cur = o;
    wave()->group->memory_wave = wave();
  }

  BZ_AI int64_t imm() const { return o->imm; }
  BZ_AI int64_t imm2() const { return o->aux; }
  BZ_AI bool clamp() const { return false; }
  BZ_AI bool op_sel(int) const { return false; }
  BZ_AI bool op_sel_hi(int) const { return false; }
  BZ_AI isa::Target target() const { return wave()->group->target; }
  BZ_AI void not_implemented(const char* why) { ask(Request::not_implemented, reinterpret_cast<uint64_t>(why)); }
  BZ_AI void nop(const char*) {}

  template <class T> BZ_AI static T get(const void* p) { T x; __builtin_memcpy(&x, p, sizeof x); return x; }
  template <class T> BZ_AI static void put(void* p, T x) { __builtin_memcpy(p, &x, sizeof x); }
  BZ_AI const char* src(int k) const {
    if constexpr (Lit) {
      if (o->mods & mods::literal(k)) return reinterpret_cast<const char*>(&o->lit);
    }
    return w + o->s[k];
  }
  BZ_AI S32 s32(int k) const { return S32(get<uint32_t>(src(k))); }
  BZ_AI SI32 si32(int k) const { return SI32(get<int32_t>(src(k))); }
  BZ_AI S64 s64(int k) const { return S64(get<uint64_t>(src(k))); }
  BZ_AI SI64 si64(int k) const { return SI64(get<int64_t>(src(k))); }
  template <class T> BZ_AI void sdst(Scalar<T> x) { put(w + o->d, x.v); }
  BZ_AI S32 dst_s32() const { return S32(get<uint32_t>(w + o->d)); }
  BZ_AI S64 dst_s64() const { return S64(get<uint64_t>(w + o->d)); }
  BZ_AI SBool scc() const { return {wave()->scc != 0}; }
  BZ_AI void set_scc(SBool c) { wave()->scc = c.v; }
  BZ_AI S64 exec() const { return S64(wave()->exec()); }
  BZ_AI void set_exec(S64 x) { wave()->set_exec(x.v); wrote_exec = true; }
  BZ_AI S64 vcc() const { return S64(wave()->vcc()); }
  BZ_AI S32 m0() const { return S32(wave()->sgpr[layout::kM0]); }
  BZ_AI void set_m0(S32 x) { wave()->sgpr[layout::kM0] = x.v; }

  BZ_AI uint32_t relative(uint32_t off) const { return (off + 4 * wave()->sgpr[layout::kM0]) & 511u & ~3u; }
  BZ_AI S32 rel_s32(int k) const { return S32(get<uint32_t>(w + relative(o->s[k]))); }
  BZ_AI S64 rel_s64(int k) const { uint32_t r = relative(o->s[k]); return S64(get<uint64_t>(w + (r > 504 ? 504 : r))); }
  template <class T> BZ_AI void sdst_rel(Scalar<T> x) {
    uint32_t r = relative(o->d);
    put(w + (r > 512 - sizeof(T) ? 512 - static_cast<uint32_t>(sizeof(T)) : r), x.v);
  }

  BZ_AI void ask(Request r, uint64_t arg = 0) { request = r; argument = arg; }
  BZ_AI void branch() { is_branch = taken = true; }
  BZ_AI void branch_if(SBool c) { is_branch = true; taken = c.v; }
  BZ_AI void jump(S64 x) { ask(Request::jump, x.v & ~uint64_t{3}); }
  BZ_AI S64 pc_next() const { return S64(o->s[4] | static_cast<uint64_t>(o->s[5]) << 32); }
  BZ_AI void end_program() { ask(Request::end); }
  BZ_AI void barrier() { ask(Request::barrier); }
  BZ_AI void halt() {
    if (request == Request::message) argument |= kMessageThenHalt;
    else ask(Request::halt);
  }
  /// The stack of conditional branches: CSP (MODE bits 31:29) counts entries of four SGPRs, EXEC below the address.
  BZ_AI void fork(S64 mask, S64 target) {
    uint64_t e = wave()->exec(), pass = mask.v & e, fail = ~mask.v & e, next = pc_next().v;
    if (pass == e) return jump(target);
    if (fail == e) return jump(S64(next));
    bool fail_first = __builtin_popcountll(fail) < __builtin_popcountll(pass);
    uint32_t csp = wave()->mode >> mode::kCspShift;
    put(w + layout::sgpr(4 * csp), fail_first ? pass : fail);
    put(w + layout::sgpr(4 * csp + 2), fail_first ? target.v : next);
    set_csp(csp + 1);
    set_exec(S64(fail_first ? fail : pass));
    jump(fail_first ? S64(next) : target);
  }
  BZ_AI void join(S32 outermost) {
    uint32_t csp = wave()->mode >> mode::kCspShift;
    if (csp == outermost.v) return jump(pc_next());
    csp = (csp - 1) & 7;
    set_csp(csp);
    set_exec(S64(get<uint64_t>(w + layout::sgpr(4 * csp))));
    jump(S64(get<uint64_t>(w + layout::sgpr(4 * csp + 2))));
  }
  BZ_AI void set_csp(uint32_t csp) { wave()->mode = (wave()->mode & ~(7u << mode::kCspShift)) | csp << mode::kCspShift; }
  BZ_AI void sleep(int n) { ask(Request::sleep, static_cast<uint64_t>(n)); }
  BZ_AI void trap(int n) { ask(Request::trap, static_cast<uint64_t>(n)); }
  BZ_AI void send_message(int n, S32 m) { ask(Request::message, (static_cast<uint32_t>(n) & 0xffff) | static_cast<uint64_t>(m.v) << 32); }

  // Indexing of VGPR operands by M0; the decoder wraps the rows between on and off.
  BZ_AI void gpr_index_on(S32 x, int n) {
    set_m0(S32((m0().v & 0xffff0f00u) | (x.v & 255u) | static_cast<uint32_t>(n & 15) << 12));
    wave()->gpr_index = 1;
    wave()->mode |= mode::kGprIndex;
  }
  BZ_AI void gpr_index_off() {
    wave()->gpr_index = 0;
    wave()->mode &= ~mode::kGprIndex;
  }
  BZ_AI void gpr_index_mode(int n) { set_m0(S32((m0().v & 0xffff0fffu) | static_cast<uint32_t>(n & 15) << 12)); }
  BZ_AI void gpr_index_idx(S32 x) { set_m0(S32((m0().v & 0xffffff00u) | (x.v & 255u))); }

  BZ_AI S32 get_reg(int n) {
    uint32_t value = 0;
    if (!read_hwreg(wave(), static_cast<unsigned>(n) & 63, value)) ask(Request::not_implemented, reinterpret_cast<uint64_t>("this hardware register"));
    uint32_t size = (static_cast<uint32_t>(n) >> 11 & 31) + 1, at = static_cast<uint32_t>(n) >> 6 & 31;
    value >>= at;
    return S32(size == 32 ? value : value & ((1u << size) - 1));
  }
  BZ_AI void set_reg(int n, S32 x) {
    uint32_t id = static_cast<uint32_t>(n) & 63, size = (static_cast<uint32_t>(n) >> 11 & 31) + 1, at = static_cast<uint32_t>(n) >> 6 & 31;
    uint32_t mask = (size == 32 ? ~0u : (1u << size) - 1) << at;
    if (id == 1) ask(Request::set_mode, (wave()->mode & ~mask) | ((x.v << at) & mask));
    else if (!write_hwreg(wave(), id, (x.v << at) & mask, mask)) ask(Request::not_implemented, reinterpret_cast<uint64_t>("writing this hardware register"));
  }
  BZ_AI void set_vskip(S32 x) { ask(Request::set_mode, (wave()->mode & ~mode::kVskip) | (x.v ? mode::kVskip : 0)); }
  BZ_AI S64 clock() const { return S64(__builtin_ia32_rdtsc()); }
  BZ_AI S64 realtime() const { return S64(clock_100mhz()); }

  // Memory. The low two bits of every component of an address are ignored.
  BZ_AI uint64_t smem_offset() const {
    uint64_t off = static_cast<uint64_t>(static_cast<int64_t>(o->imm) & ~int64_t{3});
    if (o->mods & mods::kSoffset) off += get<uint32_t>(w + o->s[1]) & ~3u;
    return off;
  }
  BZ_AI char* smem_address() const {
    note_access();
    return reinterpret_cast<char*>((get<uint64_t>(w + o->s[0]) & ~uint64_t{3}) + smem_offset());
  }
  BZ_AI void load_scalars(const char* p, int n) {
    uint32_t x[16];   // all is read before anything is written
    __builtin_memcpy(x, p, 4 * n);
    __builtin_memcpy(w + o->d, x, 4 * n);
  }
  BZ_AI void s_load(int n) { load_scalars(smem_address(), n); }
  BZ_AI void s_store(int n) { __builtin_memcpy(smem_address(), w + o->d, 4 * n); }
  BZ_AI char* scratch_address() const {
    char* p = smem_address();
    if (o->mods & mods::kSoffset) {   // counts 64 bytes; its low bits count too
      uint64_t units = get<uint32_t>(w + o->s[1]);
      p += 64 * units - (units & ~uint64_t{3});
    }
    return p;
  }
  BZ_AI void s_scratch_load(int n) { load_scalars(scratch_address(), n); }
  BZ_AI void s_scratch_store(int n) { __builtin_memcpy(scratch_address(), w + o->d, 4 * n); }
  struct Resource { uint64_t base; uint64_t bytes; };
  BZ_AI Resource resource() const {
    uint64_t lo = get<uint64_t>(w + o->s[0]);
    uint32_t records = get<uint32_t>(w + o->s[0] + 8), stride = static_cast<uint32_t>(lo >> 48) & 0x3fff;
    return {lo & 0xfffffffffffc, stride ? static_cast<uint64_t>(records) * stride : records};
  }
  BZ_AI void s_buffer_load(int n) {
    note_access();
    Resource r = resource();
    uint64_t off = smem_offset();
    uint32_t x[16];
    for (int i = 0; i < n; ++i) {
      uint64_t at = off + 4 * static_cast<unsigned>(i);
      x[i] = at + 4 <= r.bytes ? get<uint32_t>(reinterpret_cast<const char*>(r.base + at)) : 0;
    }
    __builtin_memcpy(w + o->d, x, 4 * n);
  }
  BZ_AI void s_buffer_store(int n) {
    note_access();
    Resource r = resource();
    uint64_t off = smem_offset();
    for (int i = 0; i < n; ++i) {
      uint64_t at = off + 4 * static_cast<unsigned>(i);
      if (at + 4 <= r.bytes) put(reinterpret_cast<char*>(r.base + at), get<uint32_t>(w + o->d + 4 * i));
    }
  }
  BZ_AI void s_atomic(isa::AtomicOp op, isa::AtomicType t) { atomic_at(smem_address(), op, t); }
  BZ_AI void s_buffer_atomic(isa::AtomicOp op, isa::AtomicType t) {
    note_access();
    Resource r = resource();
    uint64_t off = smem_offset();
    if (off + (is64(t) ? 8 : 4) <= r.bytes) atomic_at(reinterpret_cast<char*>(r.base + off), op, t);
  }
  BZ_AI void atomic_at(char* p, isa::AtomicOp op, isa::AtomicType t) {
    unsigned bytes = is64(t) ? 8 : 4;
    uint64_t data = 0, compare = 0;
    // cmpswap: data in the lower registers, the compare value behind it.
    __builtin_memcpy(&data, w + o->d, bytes);
    __builtin_memcpy(&compare, w + o->d + bytes, bytes);
    uint64_t old = atomic_cell(p, op, t, data, compare, true);
    if (o->mods & mods::kReturns) __builtin_memcpy(w + o->d, &old, bytes);
  }
};

static_assert(isa::ScalarBuilder<ScalarB<false>>);

} // namespace bz::exec::BZ_LEVEL_NS
