// Lookups over a parsed code object. The reader is code_object_reader.cpp.
#include "codeobj/code_object.hpp"

#include <algorithm>
#include <elf.h>
#include <iterator>

namespace bz::codeobj {
namespace {

constexpr RelocationFacts kRelocations[] = {
    {RelocationKind::none, "R_AMDGPU_NONE", 0, false},
    {RelocationKind::abs32_lo, "R_AMDGPU_ABS32_LO", 4, false},
    {RelocationKind::abs32_hi, "R_AMDGPU_ABS32_HI", 4, false},
    {RelocationKind::abs64, "R_AMDGPU_ABS64", 8, false},
    {RelocationKind::rel32, "R_AMDGPU_REL32", 4, false},
    {RelocationKind::rel64, "R_AMDGPU_REL64", 8, false},
    {RelocationKind::abs32, "R_AMDGPU_ABS32", 4, false},
    {RelocationKind::gotpcrel, "R_AMDGPU_GOTPCREL", 4, true},
    {RelocationKind::gotpcrel32_lo, "R_AMDGPU_GOTPCREL32_LO", 4, true},
    {RelocationKind::gotpcrel32_hi, "R_AMDGPU_GOTPCREL32_HI", 4, true},
    {RelocationKind::rel32_lo, "R_AMDGPU_REL32_LO", 4, false},
    {RelocationKind::rel32_hi, "R_AMDGPU_REL32_HI", 4, false},
    {RelocationKind::relative64, "R_AMDGPU_RELATIVE64", 8, false},
    {RelocationKind::rel16, "R_AMDGPU_REL16", 2, false},
};

} // namespace

const RelocationFacts* relocation_facts(uint32_t kind) {
  auto it = std::ranges::find(kRelocations, static_cast<RelocationKind>(kind), &RelocationFacts::kind);
  return it == std::end(kRelocations) ? nullptr : &*it;
}

const Section* CodeObject::find_section(std::string_view name) const {
  auto it = std::ranges::find(sections_, name, &Section::name);
  return it == sections_.end() ? nullptr : &*it;
}

Bytes CodeObject::contents(const Section& section) const {
  if (section.type == SHT_NOBITS || section.type == SHT_NULL) return {};
  return slice(image_, section.offset, section.size).value_or(Bytes());
}

const Symbol* CodeObject::find_symbol(std::string_view name) const {
  auto name_of = [&](uint32_t index) { return dynamic_symbols_[index].name; };
  auto it = std::ranges::lower_bound(by_name_, name, {}, name_of);
  return it == by_name_.end() || name_of(*it) != name ? nullptr : &dynamic_symbols_[*it];
}

const Symbol* CodeObject::function_at(uint64_t address) const {
  auto it = std::ranges::upper_bound(functions_, address, {}, [](const Symbol* s) { return s->value; });
  if (it == functions_.begin()) return nullptr;
  const Symbol* candidate = *std::prev(it);
  return address - candidate->value < candidate->size ? candidate : nullptr;
}

const Kernel* CodeObject::find_kernel(std::string_view name) const {
  auto find = [&](std::string_view key) -> const Kernel* {
    auto it = std::ranges::lower_bound(kernels_, key, {}, &Kernel::name);
    return it == kernels_.end() || it->name != key ? nullptr : &*it;
  };
  const Kernel* kernel = find(name); // first as it stands: a kernel may itself be called "x.kd"
  if (!kernel && name.ends_with(".kd")) kernel = find(name.substr(0, name.size() - 3));
  return kernel;
}

std::vector<const Symbol*> CodeObject::undefined_symbols() const {
  std::vector<const Symbol*> found;
  for (size_t i = 1; i < dynamic_symbols_.size(); ++i)
    if (!dynamic_symbols_[i].is_defined()) found.push_back(&dynamic_symbols_[i]);
  return found;
}

const Segment* CodeObject::segment_at(uint64_t address, uint64_t size) const {
  auto it = std::ranges::upper_bound(loads_, address, {}, [&](uint32_t i) { return segments_[i].address; });
  if (it == loads_.begin()) return nullptr;
  const Segment& s = segments_[*std::prev(it)];
  return in_range(address - s.address, size, s.memory_size) ? &s : nullptr;
}

std::optional<Bytes> CodeObject::bytes_at(uint64_t address, uint64_t size) const {
  const Segment* s = segment_at(address, size);
  if (!s || !in_range(address - s->address, size, s->file_size)) return std::nullopt;
  return slice(image_, s->offset + (address - s->address), size);
}

} // namespace bz::codeobj
