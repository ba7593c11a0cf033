#include "codeobj/fuzz/fuzz_one.hpp"

#include "codeobj/codeobj.hpp"

#include <cstdio>
#include <cstdlib>
#include <vector>

namespace bz::codeobj {
namespace {

constexpr uint64_t kLargestLoad = 1 << 20;

/// A promise of the interface that a hostile image must not break.
void check(bool ok, const char* what) {
  if (ok) return;
  std::fprintf(stderr, "codeobj: broken promise: %s\n", what);
  std::abort();
}

bool code_object(Bytes image) {
  Expected<CodeObject> parsed = CodeObject::parse(image);
  if (!parsed) {
    Code code = parsed.status().code();
    check(code == Code::invalid_image || code == Code::unsupported, "error code of a bad image");
    check(!parsed.status().message().empty(), "a failure has a message");
    return false;
  }
  CodeObject object = *std::move(parsed);
  for (const Kernel& k : object.kernels()) {
    check(object.find_kernel(k.name) != nullptr, "a kernel is found by its name");
    check(object.segment_at(k.entry_address, 4) != nullptr, "a kernel's entry is loaded");
    check(k.descriptor.vgpr_count() > 0 && k.descriptor.sgpr_layout().total < 256, "sane register counts");
    if (k.metadata)
      check(k.metadata->explicit_size() <= k.metadata->kernarg_segment_size, "arguments fit their segment");
  }
  for (const Symbol* s : object.variables())
    check(s->size == 0 || object.segment_at(s->value, s->size), "a variable lies in a segment");
  for (const Section& s : object.sections()) check(object.contents(s).size() <= image.size(), "section contents");
  for (const Symbol& s : object.static_symbols()) object.function_at(s.value);
  if (object.layout().size <= kLargestLoad) {
    std::vector<std::byte> memory(object.layout().size, std::byte{0xcc});
    uint64_t address = object.layout().alignment * 3;
    Status loaded = load(object, memory, address, [](std::string_view name) -> std::optional<uint64_t> {
      if (name.size() % 2) return std::nullopt;
      return 0x1000 + name.size();
    });
    check(loaded || loaded.code() == Code::invalid_image || loaded.code() == Code::not_found ||
              loaded.code() == Code::invalid_argument,
          "error code of a failed load");
  }
  return true;
}

} // namespace

bool fuzz_one(Bytes image) {
  static const TargetId devices[] = {*TargetId::parse("gfx942:sramecc+:xnack-"), *TargetId::parse("gfx906"),
                                     *TargetId::parse("gfx90a:xnack+")};
  bool accepted = false;
  switch (identify(image)) {
  case ImageKind::elf:
    accepted = code_object(image);
    break;
  case ImageKind::bundle:
  case ImageKind::compressed_bundle:
    if (Expected<Bundle> bundle = Bundle::parse(image)) {
      accepted = true;
      for (const BundleEntry& e : bundle->entries())
        if (identify(e.bytes) == ImageKind::elf) code_object(e.bytes);
    }
    break;
  case ImageKind::unknown:
    accepted = parse_metadata(image).ok();
    break; // a bare note, so that fuzzing gets deep in it
  }
  for (const TargetId& device : devices)
    if (Expected<PickedCodeObject> picked = pick_code_object(image, device))
      check(identify(picked->elf()) == ImageKind::elf, "what is picked is an ELF file");
  TargetId::parse(as_text(image.first(std::min<size_t>(image.size(), 64)))).ok();
  return accepted;
}

} // namespace bz::codeobj
