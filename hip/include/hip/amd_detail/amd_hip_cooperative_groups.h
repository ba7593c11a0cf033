// Cooperative groups: multi-grid, grid, block, tiles of a power of two lanes, and coalesced groups of the lanes that
// happen to be active. The layout of thread_group is fixed: programs may pass groups between files.
#ifndef BZ_HIP_AMD_COOPERATIVE_GROUPS_H
#define BZ_HIP_AMD_COOPERATIVE_GROUPS_H

#include <hip/amd_detail/amd_warp_sync_functions.h>
#include <hip/hip_runtime.h>

#if __cplusplus && __HIP_CLANG_ONLY__

typedef unsigned long long lane_mask;

namespace cooperative_groups {

#define BZ_CG __device__ inline __attribute__((always_inline, convergent))
#define BZ_CG_STATIC static __device__ inline __attribute__((always_inline, convergent))

namespace internal {
typedef enum group_type {
  cg_invalid,
  cg_multi_grid,
  cg_grid,
  cg_workgroup,
  cg_tiled_group,
  cg_coalesced_group
} group_type;

BZ_CG_STATIC uint32_t block_threads() { return blockDim.x * blockDim.y * blockDim.z; }
BZ_CG_STATIC uint32_t rank_in_block() {
  return (threadIdx.z * blockDim.y + threadIdx.y) * blockDim.x + threadIdx.x;
}
BZ_CG_STATIC uint32_t grid_blocks() { return gridDim.x * gridDim.y * gridDim.z; }
BZ_CG_STATIC uint32_t rank_of_block() { return (blockIdx.z * gridDim.y + blockIdx.y) * gridDim.x + blockIdx.x; }
/// How many lanes of the mask are below this one.
BZ_CG_STATIC uint32_t lanes_below(lane_mask mask) { return (uint32_t)__builtin_popcountll(mask & __lanemask_lt()); }
/// The lane that is the n-th of the mask (modulo its size).
BZ_CG_STATIC int nth_lane(lane_mask mask, uint32_t n) {
  n %= (uint32_t)__builtin_popcountll(mask);
  for (; n > 0; --n) mask &= mask - 1;
  return (int)__builtin_ctzll(mask);
}
/// Bits of `wide` at the places of `mask`, packed towards bit 0.
BZ_CG_STATIC lane_mask packed(lane_mask wide, lane_mask mask) {
  lane_mask result = 0;
  for (uint32_t i = 0; mask; ++i, mask &= mask - 1)
    if (wide & mask & -mask) result |= 1ull << i;
  return result;
}
} // namespace internal

class thread_group;
class tiled_group;
class coalesced_group;
class thread_block;
BZ_CG thread_group tiled_partition(const thread_group& parent, unsigned int tile_size);
BZ_CG thread_group tiled_partition(const thread_block& parent, unsigned int tile_size);
BZ_CG tiled_group tiled_partition(const tiled_group& parent, unsigned int tile_size);
BZ_CG coalesced_group tiled_partition(const coalesced_group& parent, unsigned int tile_size);

/// Any group, its kind known at run time.
class thread_group {
protected:
  uint32_t _type;
  uint32_t _size;
  uint64_t _mask;
  struct _coalesced_info {
    lane_mask member_mask;
    uint32_t size;
    struct _tiled_info {
      bool is_tiled;
      uint32_t size;
      uint32_t meta_group_rank;
      uint32_t meta_group_size;
    } tiled_info;
  } coalesced_info;

  BZ_CG thread_group(internal::group_type type, uint32_t size = 0, uint64_t mask = 0)
      : _type(type), _size(size), _mask(mask), coalesced_info{0, 0, {false, 0, 0, 0}} {}

  friend BZ_CG thread_group tiled_partition(const thread_group& parent, unsigned int tile_size);
  friend BZ_CG coalesced_group tiled_partition(const coalesced_group& parent, unsigned int tile_size);
  friend BZ_CG thread_group this_thread();
  friend class thread_block;

public:
  BZ_CG uint32_t size() const { return _size; }
  BZ_CG uint32_t num_threads() const { return _size; }
  BZ_CG unsigned int cg_type() const { return _type; }
  BZ_CG uint32_t thread_rank() const;
  BZ_CG bool is_valid() const;
  BZ_CG void sync() const;
};
static_assert(sizeof(thread_group) == 48, "the layout of a group is part of the ABI");

class multi_grid_group : public thread_group {
  friend BZ_CG multi_grid_group this_multi_grid();
  explicit BZ_CG multi_grid_group(uint32_t size) : thread_group(internal::cg_multi_grid, size) {}

public:
  BZ_CG uint32_t num_grids() { return __ockl_multi_grid_num_grids(); }
  BZ_CG uint32_t grid_rank() { return __ockl_multi_grid_grid_rank(); }
  BZ_CG uint32_t thread_rank() const { return __ockl_multi_grid_thread_rank(); }
  BZ_CG bool is_valid() const { return __ockl_multi_grid_is_valid(); }
  BZ_CG void sync() const { __ockl_multi_grid_sync(); }
};
BZ_CG multi_grid_group this_multi_grid() { return multi_grid_group(__ockl_multi_grid_size()); }

class grid_group : public thread_group {
  friend BZ_CG grid_group this_grid();
  explicit BZ_CG grid_group(uint32_t size) : thread_group(internal::cg_grid, size) {}

public:
  BZ_CG uint32_t thread_rank() const {
    return internal::rank_of_block() * internal::block_threads() + internal::rank_in_block();
  }
  BZ_CG bool is_valid() const { return __ockl_grid_is_valid(); }
  /// Needs a cooperative launch (hipLaunchCooperativeKernel).
  BZ_CG void sync() const { __ockl_grid_sync(); }
  BZ_CG dim3 group_dim() const { return gridDim; }
  BZ_CG dim3 grid_dim() const { return gridDim; }
  BZ_CG dim3 block_index() const { return blockIdx; }
  BZ_CG uint32_t block_rank() const { return internal::rank_of_block(); }
  BZ_CG uint32_t num_blocks() const { return internal::grid_blocks(); }
};
BZ_CG grid_group this_grid() { return grid_group(internal::grid_blocks() * internal::block_threads()); }

class thread_block : public thread_group {
  friend BZ_CG thread_block this_thread_block();
  friend BZ_CG thread_group tiled_partition(const thread_group& parent, unsigned int tile_size);
  friend BZ_CG thread_group tiled_partition(const thread_block& parent, unsigned int tile_size);
  explicit BZ_CG thread_block(uint32_t size) : thread_group(internal::cg_workgroup, size) {}

  BZ_CG thread_group new_tiled_group(unsigned int tile_size) const {
    bool power_of_two = tile_size != 0 && (tile_size & (tile_size - 1)) == 0;
    if (!power_of_two || tile_size > (unsigned int)warpSize) __builtin_trap(); // as an assertion would
    thread_group tile(internal::cg_tiled_group, tile_size);
    tile.coalesced_info.tiled_info = {true, tile_size, internal::rank_in_block() / tile_size,
                                      (internal::block_threads() + tile_size - 1) / tile_size};
    return tile;
  }

public:
  BZ_CG_STATIC dim3 group_index() { return blockIdx; }
  BZ_CG_STATIC dim3 thread_index() { return threadIdx; }
  BZ_CG_STATIC uint32_t thread_rank() { return internal::rank_in_block(); }
  BZ_CG_STATIC uint32_t size() { return internal::block_threads(); }
  BZ_CG_STATIC uint32_t num_threads() { return internal::block_threads(); }
  BZ_CG_STATIC bool is_valid() { return true; }
  BZ_CG_STATIC void sync() { __syncthreads(); }
  BZ_CG dim3 group_dim() { return blockDim; }
  BZ_CG dim3 dim_threads() { return blockDim; }
};
BZ_CG thread_block this_thread_block() { return thread_block(internal::block_threads()); }

class tiled_group : public thread_group {
  friend BZ_CG tiled_group tiled_partition(const tiled_group& parent, unsigned int tile_size);
  friend BZ_CG thread_group tiled_partition(const thread_group& parent, unsigned int tile_size);

protected:
  explicit BZ_CG tiled_group(unsigned int tile_size) : thread_group(internal::cg_tiled_group, tile_size) {
    coalesced_info.tiled_info.size = tile_size;
    coalesced_info.tiled_info.is_tiled = true;
  }

public:
  BZ_CG unsigned int size() const { return coalesced_info.tiled_info.size; }
  BZ_CG unsigned int thread_rank() const { return internal::rank_in_block() & (size() - 1); }
  BZ_CG void sync() const { __syncwarp(); }
};

template <unsigned int size, class ParentCGTy> class thread_block_tile;

/// The lanes that were active together when coalesced_threads() was called, or a part of them.
class coalesced_group : public thread_group {
  friend BZ_CG coalesced_group coalesced_threads();
  friend BZ_CG thread_group tiled_partition(const thread_group& parent, unsigned int tile_size);
  friend BZ_CG coalesced_group tiled_partition(const coalesced_group& parent, unsigned int tile_size);
  friend BZ_CG coalesced_group binary_partition(const coalesced_group& group, bool pred);
  template <unsigned int size, class parent>
  friend BZ_CG coalesced_group binary_partition(const thread_block_tile<size, parent>& tile, bool pred);

  BZ_CG coalesced_group new_tiled_group(unsigned int tile_size) const {
    bool power_of_two = tile_size != 0 && (tile_size & (tile_size - 1)) == 0;
    if (!power_of_two) __builtin_trap();
    // Members of ranks [first, first + tile_size) of this group.
    unsigned int first = thread_rank() & ~(tile_size - 1);
    lane_mask rest = coalesced_info.member_mask, tile = 0;
    for (unsigned int i = 0; i < first; ++i) rest &= rest - 1;
    for (unsigned int i = 0; i < tile_size && rest; ++i, rest &= rest - 1) tile |= rest & -rest;
    coalesced_group group(tile);
    group.coalesced_info.tiled_info = {true, (unsigned int)__builtin_popcountll(tile), first / tile_size,
                                       (size() + tile_size - 1) / tile_size};
    return group;
  }

protected:
  explicit BZ_CG coalesced_group(lane_mask member_mask)
      : thread_group(internal::cg_coalesced_group, (uint32_t)__builtin_popcountll(member_mask), member_mask) {
    coalesced_info.member_mask = member_mask;
    coalesced_info.size = (uint32_t)__builtin_popcountll(member_mask);
    coalesced_info.tiled_info = {false, 0, 0, 1};
  }

public:
  BZ_CG unsigned int size() const { return coalesced_info.size; }
  BZ_CG unsigned int num_threads() const { return coalesced_info.size; }
  BZ_CG unsigned int thread_rank() const { return internal::lanes_below(coalesced_info.member_mask); }
  BZ_CG void sync() const { __syncwarp(); }
  BZ_CG unsigned int meta_group_rank() const { return coalesced_info.tiled_info.meta_group_rank; }
  BZ_CG unsigned int meta_group_size() const { return coalesced_info.tiled_info.meta_group_size; }

  template <class T> BZ_CG T shfl(T var, int srcRank) const {
    return bz_hip_detail::take_from(var, internal::nth_lane(coalesced_info.member_mask, (uint32_t)srcRank));
  }
  template <class T> BZ_CG T shfl_down(T var, unsigned int lane_delta) const {
    unsigned int from = thread_rank() + lane_delta;
    return shfl(var, (int)(from < size() ? from : thread_rank()));
  }
  template <class T> BZ_CG T shfl_up(T var, unsigned int lane_delta) const {
    unsigned int self = thread_rank();
    return shfl(var, (int)(self >= lane_delta ? self - lane_delta : self));
  }
  BZ_CG unsigned long long ballot(int pred) const {
    return internal::packed(__ballot(pred), coalesced_info.member_mask);
  }
  BZ_CG int any(int pred) const { return (__ballot(pred) & coalesced_info.member_mask) != 0; }
  BZ_CG int all(int pred) const { return (__ballot(pred == 0) & coalesced_info.member_mask) == 0; }
  template <typename T> BZ_CG unsigned long long match_any(T value) const {
    return internal::packed(__match_any_sync(coalesced_info.member_mask, value), coalesced_info.member_mask);
  }
  template <typename T> BZ_CG unsigned long long match_all(T value, int& pred) const {
    return internal::packed(__match_all_sync(coalesced_info.member_mask, value, &pred), coalesced_info.member_mask);
  }
};
BZ_CG coalesced_group coalesced_threads() { return coalesced_group(__activemask()); }

BZ_CG uint32_t thread_group::thread_rank() const {
  switch (_type) {
  case internal::cg_multi_grid: return static_cast<const multi_grid_group*>(this)->thread_rank();
  case internal::cg_grid: return static_cast<const grid_group*>(this)->thread_rank();
  case internal::cg_workgroup: return thread_block::thread_rank();
  case internal::cg_tiled_group: return internal::rank_in_block() & (_size - 1);
  case internal::cg_coalesced_group: return static_cast<const coalesced_group*>(this)->thread_rank();
  default: return 0;
  }
}
BZ_CG bool thread_group::is_valid() const {
  switch (_type) {
  case internal::cg_multi_grid: return __ockl_multi_grid_is_valid();
  case internal::cg_grid: return __ockl_grid_is_valid();
  case internal::cg_workgroup:
  case internal::cg_tiled_group:
  case internal::cg_coalesced_group: return true;
  default: return false;
  }
}
BZ_CG void thread_group::sync() const {
  switch (_type) {
  case internal::cg_multi_grid: __ockl_multi_grid_sync(); break;
  case internal::cg_grid: __ockl_grid_sync(); break;
  case internal::cg_workgroup: __syncthreads(); break;
  default: __syncwarp(); break;
  }
}

/// The group of this thread alone.
BZ_CG thread_group this_thread() { return thread_group(internal::cg_tiled_group, 1); }

template <class CGTy> BZ_CG uint32_t group_size(const CGTy& g) { return g.size(); }
template <class CGTy> BZ_CG uint32_t thread_rank(const CGTy& g) { return g.thread_rank(); }
template <class CGTy> BZ_CG bool is_valid(const CGTy& g) { return g.is_valid(); }
template <class CGTy> BZ_CG void sync(const CGTy& g) { g.sync(); }

// ---- Tiles whose size is a constant ---------------------------------------------------------------------------------

/// `tile_size` neighbouring lanes, a power of two no larger than a wave.
template <unsigned int tile_size> class tile_base {
  static_assert(tile_size != 0 && (tile_size & (tile_size - 1)) == 0 && tile_size <= 64,
                "a tile's size is a power of two and at most a wave");

public:
  BZ_CG_STATIC unsigned int thread_rank() { return internal::rank_in_block() & (tile_size - 1); }
  BZ_CG_STATIC unsigned int size() { return tile_size; }
  BZ_CG_STATIC unsigned int num_threads() { return tile_size; }
};

template <unsigned int tile_size> class thread_block_tile_base : public tile_base<tile_size> {
  /// This tile's lanes of a wave-wide mask, from bit 0.
  BZ_CG_STATIC unsigned long long own(unsigned long long wide) {
    unsigned int first = __lane_id() & ~(tile_size - 1);
    return (wide >> first) & (~0ull >> (64 - tile_size));
  }
  BZ_CG_STATIC unsigned long long own_mask() {
    return (~0ull >> (64 - tile_size)) << (__lane_id() & ~(tile_size - 1));
  }

public:
  BZ_CG_STATIC void sync() { __syncwarp(); }
  template <class T> BZ_CG T shfl(T var, int srcRank) const { return __shfl(var, srcRank, tile_size); }
  template <class T> BZ_CG T shfl_down(T var, unsigned int lane_delta) const {
    return __shfl_down(var, lane_delta, tile_size);
  }
  template <class T> BZ_CG T shfl_up(T var, unsigned int lane_delta) const { return __shfl_up(var, lane_delta, tile_size); }
  template <class T> BZ_CG T shfl_xor(T var, unsigned int laneMask) const { return __shfl_xor(var, laneMask, tile_size); }
  BZ_CG unsigned long long ballot(int pred) const { return own(__ballot(pred)); }
  BZ_CG int any(int pred) const { return own(__ballot(pred)) != 0; }
  BZ_CG int all(int pred) const { return own(__ballot(pred == 0)) == 0; }
  template <typename T> BZ_CG unsigned long long match_any(T value) const {
    return own(__match_any_sync(own_mask(), value));
  }
  template <typename T> BZ_CG unsigned long long match_all(T value, int& pred) const {
    return own(__match_all_sync(own_mask(), value, &pred));
  }
};

template <unsigned int tile_size, class ParentCGTy = void>
class thread_block_tile : public thread_block_tile_base<tile_size>, public tiled_group {
  template <unsigned int size, class Parent> friend BZ_CG thread_block_tile<size, Parent> tiled_partition(const Parent& g);

protected:
  BZ_CG thread_block_tile(unsigned int rank, unsigned int count) : tiled_group(tile_size) {
    coalesced_info.tiled_info.meta_group_rank = rank;
    coalesced_info.tiled_info.meta_group_size = count;
  }

public:
  /// A tile is a tile, whatever it was cut from.
  BZ_CG operator thread_block_tile<tile_size, void>() const {
    return thread_block_tile<tile_size, void>(meta_group_rank(), meta_group_size());
  }
  template <unsigned int, class> friend class thread_block_tile;

  using thread_block_tile_base<tile_size>::thread_rank;
  using thread_block_tile_base<tile_size>::size;
  using thread_block_tile_base<tile_size>::num_threads;
  using thread_block_tile_base<tile_size>::sync;
  BZ_CG unsigned int meta_group_rank() const { return coalesced_info.tiled_info.meta_group_rank; }
  BZ_CG unsigned int meta_group_size() const { return coalesced_info.tiled_info.meta_group_size; }
};

/// Cuts a group into tiles; the group is a block or a larger tile.
template <unsigned int size, class ParentCGTy>
BZ_CG thread_block_tile<size, ParentCGTy> tiled_partition(const ParentCGTy& g) {
  return thread_block_tile<size, ParentCGTy>(g.thread_rank() / size, (g.size() + size - 1) / size);
}

BZ_CG thread_group tiled_partition(const thread_block& parent, unsigned int tile_size) {
  return parent.new_tiled_group(tile_size);
}
BZ_CG tiled_group tiled_partition(const tiled_group& parent, unsigned int tile_size) {
  if (tile_size == 0 || (tile_size & (tile_size - 1)) != 0 || tile_size > parent.size()) __builtin_trap();
  return tiled_group(tile_size);
}
BZ_CG coalesced_group tiled_partition(const coalesced_group& parent, unsigned int tile_size) {
  return parent.new_tiled_group(tile_size);
}
BZ_CG thread_group tiled_partition(const thread_group& parent, unsigned int tile_size) {
  if (parent.cg_type() == internal::cg_tiled_group) {
    if (tile_size == 0 || (tile_size & (tile_size - 1)) != 0 || tile_size > parent.size()) __builtin_trap();
    return tiled_group(tile_size);
  }
  if (parent.cg_type() == internal::cg_coalesced_group)
    return static_cast<const coalesced_group&>(parent).new_tiled_group(tile_size);
  return static_cast<const thread_block&>(parent).new_tiled_group(tile_size);
}

/// The members for which pred is what it is for this lane.
BZ_CG coalesced_group binary_partition(const coalesced_group& group, bool pred) {
  lane_mask yes = __ballot(pred) & group.coalesced_info.member_mask;
  return coalesced_group(pred ? yes : group.coalesced_info.member_mask & ~yes);
}
template <unsigned int size, class parent>
BZ_CG coalesced_group binary_partition(const thread_block_tile<size, parent>& tile, bool pred) {
  (void)tile;
  lane_mask own = (~0ull >> (64 - size)) << (__lane_id() & ~(size - 1)) & __activemask();
  lane_mask yes = __ballot(pred) & own;
  return coalesced_group(pred ? yes : own & ~yes);
}

#undef BZ_CG_STATIC
#undef BZ_CG

} // namespace cooperative_groups
#endif

#endif
