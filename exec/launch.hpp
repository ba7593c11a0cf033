// From a dispatch packet and a kernel descriptor to the initial state of waves. Owns the ABI of registers at entry (LLVM
// AMDGPU usage, "Initial Kernel Execution State"); must not know rows or scheduling.
#pragma once
#include "abi/kernel_descriptor.hpp"
#include "exec/program.hpp"
#include "exec/wave.hpp"

#include <vector>

namespace bz::exec {

/// Everything about a dispatch that is the same for all its workgroups.
struct Launch {
  DispatchInfo info;
  abi::kernel_descriptor_t descriptor{};
  isa::Target target = isa::Target::gfx942;
  uint64_t entry = 0;
  CodeTraits traits;
  WaveFlags flags;                         ///< of a wave at its start
  std::array<uint64_t, 3> groups{};        ///< workgroups in each dimension
  bool ragged = false;                     ///< the grid ends inside workgroups
  uint32_t lanes = 0;                      ///< of a whole workgroup
  uint32_t waves = 0;
  uint32_t scratch_bytes = 0;              ///< per lane, a multiple of 4
  uint32_t vgprs = 0;                      ///< allocated to a wave
  bool packed_ids = false;                 ///< v0 = x | y << 10 | z << 20
  int id_vgprs = 1;                        ///< unpacked: how many of v0..v2
  bool architected_scratch = false;
  std::array<uint32_t, 32> user_sgprs{};   ///< initial SGPRs of every wave, patched per wave where noted; copied as a whole
  uint32_t user_count = 0;                 ///< how many of them the descriptor asks for
  int buffer_at = -1, flat_init_at = -1;   ///< user SGPRs that hold scratch addresses, -1: none
  std::vector<uint32_t> ids;               ///< v0 (v1, v2) of a whole workgroup, row after row
  uint64_t group_count() const { return groups[0] * groups[1] * groups[2]; }
};

/// Reads and checks; errors as in Engine::prepare.
Expected<Launch> make_launch(const EngineConfig& config, const DispatchInfo& info);
uint32_t groups_per_cu(const EngineConfig& config, const Launch& launch);

/// Work-items of group `id` (partial at the grid's edge).
std::array<uint32_t, 3> group_extent(const Launch& launch, const std::array<uint32_t, 3>& id);
/// True if the work-items of a group of this extent are numbered like the first ones of a whole group.
bool numbered_as_whole(const Launch& launch, const std::array<uint32_t, 3>& extent);
/// What is the same for wave `index` of every workgroup; `scratch` is the group's private memory.
void place_wave(const Launch& launch, Group& group, Wave* wave, uint32_t index, char* scratch);
/// Registers and state at entry of a wave that has its place, in a workgroup of `extent`.
void init_wave(const Launch& launch, const Group& group, Wave* wave, const std::array<uint32_t, 3>& extent);

} // namespace bz::exec
