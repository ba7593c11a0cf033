#include "codeobj/target_id.hpp"

#include <algorithm>
#include <iterator>

namespace bz::codeobj {
namespace {

using G = Generation;

// ELF machine values and features: LLVM AMDGPU usage document; target_id_test.cpp has them as clang-22 writes them.
constexpr Processor kProcessors[] = {
    {"gfx600", 0x20, G::gfx6, false, false, ""},
    {"gfx601", 0x21, G::gfx6, false, false, ""},
    {"gfx602", 0x3a, G::gfx6, false, false, ""},
    {"gfx700", 0x22, G::gfx7, false, false, ""},
    {"gfx701", 0x23, G::gfx7, false, false, ""},
    {"gfx702", 0x24, G::gfx7, false, false, ""},
    {"gfx703", 0x25, G::gfx7, false, false, ""},
    {"gfx704", 0x26, G::gfx7, false, false, ""},
    {"gfx705", 0x3b, G::gfx7, false, false, ""},
    {"gfx801", 0x28, G::gfx8, true, false, ""},
    {"gfx802", 0x29, G::gfx8, false, false, ""},
    {"gfx803", 0x2a, G::gfx8, false, false, ""},
    {"gfx805", 0x3c, G::gfx8, false, false, ""},
    {"gfx810", 0x2b, G::gfx8, true, false, ""},
    {"gfx900", 0x2c, G::gfx9, true, false, "gfx9-generic"},
    {"gfx902", 0x2d, G::gfx9, true, false, "gfx9-generic"},
    {"gfx904", 0x2e, G::gfx9, true, false, "gfx9-generic"},
    {"gfx906", 0x2f, G::gfx9, true, true, "gfx9-generic"},
    {"gfx908", 0x30, G::gfx9, true, true, ""},
    {"gfx909", 0x31, G::gfx9, true, false, "gfx9-generic"},
    {"gfx90a", 0x3f, G::gfx90a, true, true, ""},
    {"gfx90c", 0x32, G::gfx9, true, false, "gfx9-generic"},
    {"gfx942", 0x4c, G::gfx940, true, true, "gfx9-4-generic"},
    {"gfx950", 0x4f, G::gfx940, true, true, "gfx9-4-generic"},
    {"gfx1010", 0x33, G::gfx10, true, false, "gfx10-1-generic"},
    {"gfx1011", 0x34, G::gfx10, true, false, "gfx10-1-generic"},
    {"gfx1012", 0x35, G::gfx10, true, false, "gfx10-1-generic"},
    {"gfx1013", 0x42, G::gfx10, true, false, "gfx10-1-generic"},
    {"gfx1030", 0x36, G::gfx10, false, false, "gfx10-3-generic"},
    {"gfx1031", 0x37, G::gfx10, false, false, "gfx10-3-generic"},
    {"gfx1032", 0x38, G::gfx10, false, false, "gfx10-3-generic"},
    {"gfx1033", 0x39, G::gfx10, false, false, "gfx10-3-generic"},
    {"gfx1034", 0x3e, G::gfx10, false, false, "gfx10-3-generic"},
    {"gfx1035", 0x3d, G::gfx10, false, false, "gfx10-3-generic"},
    {"gfx1036", 0x45, G::gfx10, false, false, "gfx10-3-generic"},
    {"gfx1100", 0x41, G::gfx11, false, false, "gfx11-generic"},
    {"gfx1101", 0x46, G::gfx11, false, false, "gfx11-generic"},
    {"gfx1102", 0x47, G::gfx11, false, false, "gfx11-generic"},
    {"gfx1103", 0x44, G::gfx11, false, false, "gfx11-generic"},
    {"gfx1150", 0x43, G::gfx11, false, false, "gfx11-generic"},
    {"gfx1151", 0x4a, G::gfx11, false, false, "gfx11-generic"},
    {"gfx1152", 0x55, G::gfx11, false, false, "gfx11-generic"},
    {"gfx1153", 0x58, G::gfx11, false, false, "gfx11-generic"},
    {"gfx1200", 0x48, G::gfx12, false, false, "gfx12-generic"},
    {"gfx1201", 0x4e, G::gfx12, false, false, "gfx12-generic"},
    {"gfx1250", 0x49, G::gfx125, true, true, ""},
    {"gfx1251", 0x5a, G::gfx125, true, true, ""},
    {"gfx9-generic", 0x51, G::gfx9, true, false, ""},
    {"gfx9-4-generic", 0x5f, G::gfx940, true, true, ""},
    {"gfx10-1-generic", 0x52, G::gfx10, true, false, ""},
    {"gfx10-3-generic", 0x53, G::gfx10, false, false, ""},
    {"gfx11-generic", 0x54, G::gfx11, false, false, ""},
    {"gfx12-generic", 0x59, G::gfx12, false, false, ""},
};

constexpr std::string_view kTriple = "amdgcn-amd-amdhsa-";

// e_flags, code object v4 and later.
constexpr uint32_t kMachMask = 0xff;
constexpr int kXnackShift = 8, kSrameccShift = 10, kGenericVersionShift = 24;
constexpr uint8_t kAbiVersionV4 = 2, kAbiVersionV6 = 4;

void append_feature(std::string& text, const char* name, Feature f) {
  if (f == Feature::on || f == Feature::off) text += fmt::format(":{}{}", name, f == Feature::on ? '+' : '-');
}

/// 0 = conflict, 1 = no statement on either side, 2 = the same mode stated by both.
int feature_fit(Feature code, Feature device) {
  auto stated = [](Feature f) { return f == Feature::on || f == Feature::off; };
  if (!stated(code) || !stated(device)) return 1;
  return code == device ? 2 : 0;
}

} // namespace

std::span<const Processor> processors() { return kProcessors; }

const Processor* find_processor(std::string_view name) {
  auto it = std::ranges::find(kProcessors, name, &Processor::name);
  return it == std::end(kProcessors) ? nullptr : &*it;
}

const Processor* find_processor_by_mach(uint32_t mach) {
  auto it = std::ranges::find(kProcessors, mach, &Processor::mach);
  return it == std::end(kProcessors) ? nullptr : &*it;
}

Expected<TargetId> TargetId::parse(std::string_view text) {
  std::string_view rest = text;
  if (rest.starts_with(kTriple)) {
    rest.remove_prefix(kTriple.size());
    // The environment part of the triple is empty ("--gfx942"); some writers spell it out, the oldest leave it away.
    for (std::string_view environment : {"-", "unknown-"})
      if (rest.starts_with(environment)) {
        rest.remove_prefix(environment.size());
        break;
      }
  }
  size_t colon = rest.find(':');
  TargetId id;
  std::string_view name = rest.substr(0, colon);
  id.processor = find_processor(name);
  if (!id.processor) return error(Code::invalid_argument, "unknown processor '{}' in target id '{}'", name, text);
  if (id.processor->has_xnack) id.xnack = Feature::any;
  if (id.processor->has_sramecc) id.sramecc = Feature::any;
  while (colon != rest.npos) {
    rest.remove_prefix(colon + 1);
    colon = rest.find(':');
    std::string_view feature = rest.substr(0, colon);
    char sign = feature.empty() ? '\0' : feature.back();
    if (sign != '+' && sign != '-')
      return error(Code::invalid_argument, "feature '{}' in target id '{}' does not end in + or -", feature, text);
    feature.remove_suffix(1);
    Feature* slot = feature == "xnack" ? &id.xnack : feature == "sramecc" ? &id.sramecc : nullptr;
    if (!slot) return error(Code::invalid_argument, "unknown feature '{}' in target id '{}'", feature, text);
    if (*slot == Feature::unsupported)
      return error(Code::invalid_argument, "{} has no feature '{}' (target id '{}')", name, feature, text);
    if (*slot != Feature::any)
      return error(Code::invalid_argument, "feature '{}' appears twice in target id '{}'", feature, text);
    *slot = sign == '+' ? Feature::on : Feature::off;
  }
  return id;
}

Expected<TargetId> TargetId::from_elf_flags(uint32_t e_flags, uint8_t abi_version) {
  if (abi_version < kAbiVersionV4 || abi_version > kAbiVersionV6)
    return error(Code::unsupported, "ABI version {} is not that of code object v4, v5 or v6", abi_version);
  TargetId id;
  id.processor = find_processor_by_mach(e_flags & kMachMask);
  if (!id.processor)
    return error(Code::invalid_image, "unknown machine 0x{:x} in e_flags 0x{:x}", e_flags & kMachMask, e_flags);
  id.xnack = Feature((e_flags >> kXnackShift) & 3);
  id.sramecc = Feature((e_flags >> kSrameccShift) & 3);
  uint32_t version = e_flags >> kGenericVersionShift;
  if (abi_version < kAbiVersionV6 && (version || id.processor->is_generic()))
    return error(Code::invalid_image, "e_flags 0x{:x} name a generic target, which code object v{} can't", e_flags,
                 abi_version + 2);
  if (id.processor->is_generic() != (version != 0))
    return error(Code::invalid_image, "e_flags 0x{:x}: {} with generic version {}", e_flags, id.processor->name,
                 version);
  id.generic_version = version;
  return id;
}

std::string TargetId::str() const {
  std::string text(processor ? processor->name : "(no processor)");
  append_feature(text, "sramecc", sramecc); // features in alphabetic order
  append_feature(text, "xnack", xnack);
  return text;
}

std::string TargetId::isa_name() const { return fmt::format("{}-{}", kTriple, str()); }

int fitness(const TargetId& code, const TargetId& device) {
  if (!code.processor || !device.processor) return 0;
  bool exact = code.processor == device.processor;
  if (!exact && (device.processor->generic.empty() || code.processor->name != device.processor->generic)) return 0;
  int xnack = feature_fit(code.xnack, device.xnack), sramecc = feature_fit(code.sramecc, device.sramecc);
  if (!xnack || !sramecc) return 0;
  return (exact ? 10 : 0) + xnack + sramecc;
}

Status check_compatible(const TargetId& code, const TargetId& device) {
  if (fitness(code, device) > 0) return {};
  if (!code.processor || !device.processor) return error(Code::invalid_argument, "a target id without a processor");
  bool same = code.processor == device.processor || code.processor->name == device.processor->generic;
  const char* why = !same                                        ? "another processor"
                    : feature_fit(code.xnack, device.xnack) == 0 ? "built for another xnack mode"
                                                                 : "built for another sramecc mode";
  return error(Code::wrong_target, "code for {} can't run on this device, which is {}: {}", code.str(), device.str(),
               why);
}

} // namespace bz::codeobj
