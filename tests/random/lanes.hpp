// What a lane of a generated kernel knows and the operations between lanes. On the device they are instructions; on the
// host every lane is a fiber that stops at each of them until emulator.cpp has seen all lanes that take part.
#pragma once

/// One place in a program as its text orders them: numbers that grow along the text, each loop's number followed by the
/// iteration. Of several lanes that wait in one wave, those at the lowest place go on: they are the active ones.
struct Place {
  static constexpr int kDepth = 8;
  u32 at[kDepth];
};

enum class Between : u32 { Barrier, Ballot, First, Read, Shuffle, Push, Dpp, Swizzle, Sum, Highest };

struct Lanes;
struct Request {
  Between kind;
  Place place;
  u32 value, extra;                       // extra: a lane, or what stays
  u32 control, row_mask, bank_mask, bound; // of DPP; control also of swizzle
};

struct Lanes {
  u32 thread, group, size, lane, wave;
  u32 global; // thread of the grid
#ifndef __AMDGCN__
  unsigned char* lds;
  u64 (*meet)(Lanes&, const Request&);
#endif
};

#ifdef __AMDGCN__

#define AT(...) 0
#define KERNEL(NAME, GROUPS, SIZE)                                                                                     \
  extern "C" __attribute__((global, amdgpu_flat_work_group_size(1, 256))) void NAME(Args A)
#define LDS(T, NAME, COUNT, OFFSET) static __attribute__((shared)) T NAME[COUNT]
#define START Lanes L = start(A.size)
#define LANE DEVICE __attribute__((always_inline)) inline

LANE Lanes start(u32 size) {
  Lanes l;
  l.thread = __builtin_amdgcn_workitem_id_x();
  l.group = __builtin_amdgcn_workgroup_id_x();
  l.size = size;
  l.lane = __builtin_amdgcn_mbcnt_hi(~0u, __builtin_amdgcn_mbcnt_lo(~0u, 0));
  l.wave = l.thread / 64;
  l.global = l.group * size + l.thread;
  return l;
}
LANE void barrier(Lanes&, int) {
  __builtin_amdgcn_fence(__ATOMIC_RELEASE, "workgroup");
  __builtin_amdgcn_s_barrier();
  __builtin_amdgcn_fence(__ATOMIC_ACQUIRE, "workgroup");
}
LANE u64 ballot(Lanes&, int, bool v) { return __builtin_amdgcn_ballot_w64(v); }
LANE u32 first(Lanes&, int, u32 v) { return __builtin_amdgcn_readfirstlane(v); }
LANE u32 read(Lanes&, int, u32 v, u32 lane) { // of the first active lane if that one is off
  u64 on = __builtin_amdgcn_ballot_w64(true);
  lane &= 63;
  return __builtin_amdgcn_readlane(v, (on >> lane) & 1 ? lane : u32(__builtin_ctzll(on)));
}
LANE u32 shuffle(Lanes&, int, u32 v, u32 from) {
  asm("" : "+v"(from)); // README.md: uniform-lane
  return __builtin_amdgcn_ds_bpermute(int(from * 4), int(v));
}
LANE u32 push(Lanes&, int, u32 v, u32 to) { return __builtin_amdgcn_ds_permute(int(to * 4), int(v)); }
template <int Control, int RowMask, int BankMask, bool Bound> LANE u32 dpp(Lanes&, int, u32 stays, u32 v) {
  return __builtin_amdgcn_update_dpp(int(stays), int(v), Control, RowMask, BankMask, Bound);
}
template <int Control> LANE u32 swizzle(Lanes&, int, u32 v) { return __builtin_amdgcn_ds_swizzle(int(v), Control); }
LANE u32 sum(Lanes&, int, u32 v) {
  if (__builtin_constant_p(v)) asm("" : "+v"(v));   // README.md: constant-sum
  return __builtin_amdgcn_wave_reduce_add_u32(v, 0);
}
LANE u32 highest(Lanes&, int, u32 v) { return __builtin_amdgcn_wave_reduce_max_u32(v, 0); }
LANE u32 below(Lanes&, u64 mask) { return __builtin_amdgcn_mbcnt_hi(u32(mask >> 32), __builtin_amdgcn_mbcnt_lo(u32(mask), 0)); }

#else

#define AT(...) Place{{__VA_ARGS__}}
#define KERNEL(NAME, GROUPS, SIZE) static void NAME([[maybe_unused]] const Args& A, [[maybe_unused]] Lanes& L)
#define LDS(T, NAME, COUNT, OFFSET) T* const NAME = reinterpret_cast<T*>(L.lds + OFFSET)
#define START

inline void barrier(Lanes& l, Place p) { l.meet(l, {Between::Barrier, p, 0, 0, 0, 0, 0, 0}); }
inline u64 ballot(Lanes& l, Place p, bool v) { return l.meet(l, {Between::Ballot, p, v, 0, 0, 0, 0, 0}); }
inline u32 first(Lanes& l, Place p, u32 v) { return u32(l.meet(l, {Between::First, p, v, 0, 0, 0, 0, 0})); }
inline u32 read(Lanes& l, Place p, u32 v, u32 lane) { return u32(l.meet(l, {Between::Read, p, v, lane, 0, 0, 0, 0})); }
inline u32 shuffle(Lanes& l, Place p, u32 v, u32 from) { return u32(l.meet(l, {Between::Shuffle, p, v, from, 0, 0, 0, 0})); }
inline u32 push(Lanes& l, Place p, u32 v, u32 to) { return u32(l.meet(l, {Between::Push, p, v, to, 0, 0, 0, 0})); }
template <int Control, int RowMask, int BankMask, bool Bound> u32 dpp(Lanes& l, Place p, u32 stays, u32 v) {
  return u32(l.meet(l, {Between::Dpp, p, v, stays, Control, RowMask, BankMask, Bound}));
}
template <int Control> u32 swizzle(Lanes& l, Place p, u32 v) {
  return u32(l.meet(l, {Between::Swizzle, p, v, 0, Control, 0, 0, 0}));
}
inline u32 sum(Lanes& l, Place p, u32 v) { return u32(l.meet(l, {Between::Sum, p, v, 0, 0, 0, 0, 0})); }
inline u32 highest(Lanes& l, Place p, u32 v) { return u32(l.meet(l, {Between::Highest, p, v, 0, 0, 0, 0, 0})); }
inline u32 below(Lanes& l, u64 mask) { return u32(__builtin_popcountll(mask & ((u64(1) << l.lane) - 1))); }

/// A kernel as the host runs it.
struct HostKernel {
  const char* name;
  void (*body)(const Args&, Lanes&);
  u32 groups, size;
  bool meets; // lanes meet: fibers are needed
};

#endif
