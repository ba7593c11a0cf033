#include "jit/module/flat.hpp"

#include <llvm/DebugInfo/DWARF/DWARFContext.h>
#include <llvm/Object/ELFObjectFile.h>
#include <llvm/Support/DataExtractor.h>

#include <algorithm>
#include <cstring>
#include <map>

namespace bz::jit {
namespace {

constexpr uint64_t kAlign = 64;
std::string text_of_error(llvm::Error e) { return llvm::toString(std::move(e)); }

} // namespace

Status flatten(std::string_view object, std::string_view function, exec::NativeImage& image) {
  auto file = llvm::object::ObjectFile::createELFObjectFile(llvm::MemoryBufferRef({object.data(), object.size()}, "kernel.o"));
  if (!file) return error(Code::internal, "LLVM's object can't be read: {}", text_of_error(file.takeError()));
  auto* elf = llvm::dyn_cast<llvm::object::ELF64LEObjectFile>(file->get());
  if (!elf) return error(Code::internal, "LLVM's object is no 64-bit ELF file");

  std::map<llvm::object::SectionRef, uint64_t> place;
  image.text.clear();
  for (auto section : elf->sections()) {
    llvm::object::ELFSectionRef s(section);
    if (!(s.getFlags() & llvm::ELF::SHF_ALLOC) || section.getSize() == 0) continue;
    auto name = section.getName();
    if (name && *name == ".eh_frame") continue;
    if (s.getFlags() & llvm::ELF::SHF_WRITE) return error(Code::internal, "compiled code has data that is written: {}", name ? name->str() : "?");
    auto contents = section.getContents();
    if (!contents) return error(Code::internal, "LLVM's object can't be read: {}", text_of_error(contents.takeError()));
    const uint64_t align = std::max<uint64_t>(kAlign, section.getAlignment().value());
    image.text.resize((image.text.size() + align - 1) / align * align, 0xcc);
    place[section] = image.text.size();
    image.text.insert(image.text.end(), contents->begin(), contents->end());
  }
  auto address_of = [&](const llvm::object::SymbolRef& symbol, uint64_t& out) {
    auto section = symbol.getSection();
    auto value = symbol.getValue();
    if (!section || *section == elf->section_end() || !value) {
      llvm::consumeError(section.takeError());
      llvm::consumeError(value.takeError());
      return false;
    }
    auto it = place.find(**section);
    if (it == place.end()) return false;
    out = it->second + *value;
    return true;
  };
  bool found = false;
  uint64_t code_base = 0;   // lines count from the beginning of the function's section
  for (auto symbol : elf->symbols()) {
    auto name = symbol.getName();
    uint64_t at;
    if (name && *name == llvm::StringRef(function.data(), function.size()) && address_of(symbol, at)) {
      image.start = static_cast<uint32_t>(at);
      code_base = at - llvm::cantFail(symbol.getValue());
      found = true;
    }
  }
  if (!found) return error(Code::internal, "compiled code has no function {}", function);

  for (auto section : elf->sections()) {
    auto target = section.getRelocatedSection();
    if (!target || *target == elf->section_end()) continue;
    auto it = place.find(**target);
    if (it == place.end()) continue;
    for (const llvm::object::ELFRelocationRef r : section.relocations()) {
      auto symbol = r.getSymbol();
      uint64_t to = 0;
      if (symbol == elf->symbol_end() || !address_of(*symbol, to)) {
        auto name = symbol == elf->symbol_end() ? llvm::Expected<llvm::StringRef>("?") : symbol->getName();
        return error(Code::unsupported, "compiled code refers to {}, which is not in it", name ? name->str() : "?");
      }
      auto addend = r.getAddend();
      const uint64_t at = it->second + r.getOffset();
      const int64_t value = static_cast<int64_t>(to) + (addend ? *addend : 0) - static_cast<int64_t>(at);
      switch (r.getType()) {
      case llvm::ELF::R_X86_64_PC32: case llvm::ELF::R_X86_64_PLT32: {
        const auto v = static_cast<int32_t>(value);
        std::memcpy(image.text.data() + at, &v, 4);
        break;
      }
      case llvm::ELF::R_X86_64_PC64: std::memcpy(image.text.data() + at, &value, 8); break;
      default: return error(Code::internal, "compiled code has a relocation of kind {}", static_cast<uint64_t>(r.getType()));
      }
    }
  }

  // Frames of the function and of what it calls, with their return addresses: pairs of address and ULEB128.
  image.stack_bytes = 0;
  for (auto section : elf->sections()) {
    auto name = section.getName();
    auto contents = section.getContents();
    if (!name || !contents || *name != ".stack_sizes") continue;
    llvm::DataExtractor data(*contents, true, 8);
    for (uint64_t at = 8; at < contents->size(); at += 8) image.stack_bytes += static_cast<uint32_t>(data.getULEB128(&at)) + 8;
  }

  image.places.clear();
  auto dwarf = llvm::DWARFContext::create(*elf);
  for (auto& cu : dwarf->compile_units()) {
    auto* table = dwarf->getLineTableForUnit(cu.get());
    if (!table) continue;
    for (auto& row : table->Rows)
      if (!row.EndSequence && row.Line) image.places.push_back({static_cast<uint32_t>(row.Address.Address + code_base), row.Line - 1});
  }
  std::stable_sort(image.places.begin(), image.places.end(), [](auto& x, auto& y) { return x.host < y.host; });
  return {};
}

} // namespace bz::jit
