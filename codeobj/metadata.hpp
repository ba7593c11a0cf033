// The AMDGPU metadata note (NT_AMDGPU_METADATA, msgpack): what the compiler tells the runtime about kernels and their
// arguments. Must not know ELF or how arguments are filled in.
#pragma once
#include "base/status.hpp"
#include "codeobj/bytes.hpp"

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace bz::codeobj {

enum class ArgKind : uint8_t {
  by_value,
  global_buffer,
  dynamic_shared_pointer,
  sampler,
  image,
  pipe,
  queue,
  hidden_global_offset_x,
  hidden_global_offset_y,
  hidden_global_offset_z,
  hidden_none,
  hidden_printf_buffer,
  hidden_hostcall_buffer,
  hidden_default_queue,
  hidden_completion_action,
  hidden_multigrid_sync_arg,
  hidden_block_count_x,
  hidden_block_count_y,
  hidden_block_count_z,
  hidden_group_size_x,
  hidden_group_size_y,
  hidden_group_size_z,
  hidden_remainder_x,
  hidden_remainder_y,
  hidden_remainder_z,
  hidden_grid_dims,
  hidden_heap_v1,
  hidden_dynamic_lds_size,
  hidden_private_base,
  hidden_shared_base,
  hidden_queue_ptr,
  unknown_hidden, ///< a hidden argument of a newer compiler; its name is in KernelArg::kind_name
};
std::string_view arg_kind_name(ArgKind);
constexpr bool is_hidden(ArgKind k) { return k >= ArgKind::hidden_global_offset_x; }

enum class AddressSpace : uint8_t { none, private_, global, constant, local, generic, region };
enum class Access : uint8_t { none, read_only, write_only, read_write };
enum class KernelKind : uint8_t { normal, init, fini };

struct KernelArg {
  ArgKind kind = ArgKind::by_value;
  std::string kind_name; ///< as written
  std::string name;      ///< often absent
  std::string type_name;
  uint32_t offset = 0; ///< in the kernarg segment
  uint32_t size = 0;
  uint32_t pointee_align = 0; ///< dynamic_shared_pointer only; 0 = not stated
  AddressSpace address_space = AddressSpace::none;
  Access access = Access::none;
  Access actual_access = Access::none;
  bool is_const = false;
  bool is_restrict = false;
  bool is_volatile = false;
  bool is_pipe = false;
};

struct KernelMetadata {
  std::string name;   ///< "saxpy"
  std::string symbol; ///< "saxpy.kd"
  KernelKind kind = KernelKind::normal;
  std::string language;
  std::string vec_type_hint;
  std::string device_enqueue_symbol;
  std::vector<KernelArg> args; ///< explicit and hidden, in the order of the note
  uint32_t kernarg_segment_size = 0;
  uint32_t kernarg_segment_align = 0;
  uint32_t group_segment_fixed_size = 0;
  uint32_t private_segment_fixed_size = 0;
  uint32_t wavefront_size = 0;
  uint32_t sgpr_count = 0;
  uint32_t vgpr_count = 0;
  uint32_t agpr_count = 0;
  uint32_t sgpr_spill_count = 0;
  uint32_t vgpr_spill_count = 0;
  uint32_t max_flat_workgroup_size = 0;
  std::optional<std::array<uint32_t, 3>> reqd_workgroup_size;
  std::optional<std::array<uint32_t, 3>> workgroup_size_hint;
  std::array<uint32_t, 3> max_num_work_groups{}; ///< 0 = not stated
  bool uses_dynamic_stack = false;
  bool uniform_work_group_size = false;
  bool workgroup_processor_mode = false;

  /// End of the explicit arguments in the kernarg segment: what the launcher's argument buffer has to cover.
  uint32_t explicit_size() const;
  size_t explicit_count() const;
  /// The argument of this kind, or nullptr.
  const KernelArg* find(ArgKind kind) const;
};

/// "ID:N:S[0]:..:S[N-1]:FormatString", taken apart.
struct PrintfFormat {
  uint32_t id = 0;
  std::vector<uint32_t> arg_sizes;
  std::string format;
};

struct Metadata {
  uint32_t version_major = 0;
  uint32_t version_minor = 0;
  std::string target; ///< "amdgcn-amd-amdhsa--gfx942", or empty
  std::vector<KernelMetadata> kernels;
  std::vector<PrintfFormat> printf_formats;

  const KernelMetadata* find_kernel(std::string_view name) const;   ///< by source name
  const KernelMetadata* find_symbol(std::string_view symbol) const; ///< by NAME.kd
};

/// The descriptor part of the note. invalid_image names the kernel and key that are wrong; unknown keys are skipped.
Expected<Metadata> parse_metadata(Bytes note);

} // namespace bz::codeobj
