// GPU target names: processors and their features, target ids ("gfx90a:sramecc+:xnack-"), e_flags, and which code runs
// on which device. One row per processor in target_id.cpp; must not know file formats beyond e_flags.
#pragma once
#include "base/status.hpp"

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

namespace bz::codeobj {

/// What a generation's hardware does with a kernel descriptor; see kernel_descriptor.hpp.
enum class Generation : uint8_t { gfx6, gfx7, gfx8, gfx9, gfx90a, gfx940, gfx10, gfx11, gfx12, gfx125 };

/// One row: a name with its ELF machine value and facts of the LLVM AMDGPU usage document.
struct Processor {
  std::string_view name; ///< "gfx942", "gfx9-4-generic"
  uint8_t mach;          ///< EF_AMDGPU_MACH value
  Generation generation;
  bool has_xnack; ///< code can be built for xnack on, off or any
  bool has_sramecc;
  std::string_view generic; ///< the generic processor whose code runs here too, or ""
  bool is_generic() const { return name.ends_with("-generic"); }
};

std::span<const Processor> processors();
/// nullptr for an unknown name or machine value.
const Processor* find_processor(std::string_view name);
const Processor* find_processor_by_mach(uint32_t mach);

/// A target feature: `any` is code built without a choice, or a device that can run both.
enum class Feature : uint8_t { unsupported, any, off, on };

/// A processor with its features. On a device, `on`/`off` is the mode that it is in.
struct TargetId {
  const Processor* processor = nullptr; ///< never null after parse() or from_elf_flags()
  Feature xnack = Feature::unsupported;
  Feature sramecc = Feature::unsupported;
  uint32_t generic_version = 0; ///< of generic code, from e_flags of code object v6; 0 if not known

  /// "gfx942", "gfx90a:sramecc+:xnack-" (any order, each at most once), also with the prefix "amdgcn-amd-amdhsa--".
  /// invalid_argument names the part that is wrong.
  static Expected<TargetId> parse(std::string_view text);
  /// From ELF e_flags of code object v4 to v6 (ABI version 2 to 4).
  static Expected<TargetId> from_elf_flags(uint32_t e_flags, uint8_t abi_version);

  /// Canonical form: "gfx90a:sramecc+:xnack-"; features that are `any` or unsupported are left out.
  std::string str() const;
  /// "amdgcn-amd-amdhsa--gfx90a:sramecc+:xnack-": the ISA name of HSA.
  std::string isa_name() const;
};

/// How well code fits a device: 0 = can't run there, greater = better. Own processor before generic, stated features
/// before `any`.
int fitness(const TargetId& code, const TargetId& device);

/// ok, or wrong_target with a message that names both and what differs.
Status check_compatible(const TargetId& code, const TargetId& device);

} // namespace bz::codeobj
