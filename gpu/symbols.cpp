#include "gpu/symbols.hpp"

#include "gpu/guard.hpp"

#include <atomic>
#include <charconv>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <cxxabi.h>
#include <dlfcn.h>
#include <elf.h>
#include <fmt/format.h>
#include <link.h>
#include <optional>
#include <string_view>
#include <vector>

namespace bz::gpu {
namespace {

std::atomic<uint64_t> g_loader_list{0};

using Bytes = std::vector<uint8_t>;
constexpr uint64_t kMaxCodeObject = 1ull << 32;

struct LoadedObject {
  uint64_t load_address = 0; // added to ELF addresses
  std::string uri;
};

bool read_string(std::string& out, uint64_t at) {
  constexpr size_t kMax = 4096;
  for (char c; out.size() < kMax; out.push_back(c), ++at)
    if (!read_memory(&c, at, 1))
      return false;
    else if (c == 0)
      return true;
  return false;
}

std::vector<LoadedObject> loaded_objects() {
  std::vector<LoadedObject> objects;
  uint64_t list = g_loader_list.load();
  if (!list) list = reinterpret_cast<uint64_t>(dlsym(RTLD_DEFAULT, "_amdgpu_r_debug"));
  r_debug head{};
  if (!list || !read_memory(&head, list, sizeof head)) return objects;
  constexpr size_t kMax = 100'000; // a broken list must end
  uint64_t at = reinterpret_cast<uint64_t>(head.r_map);
  while (at && objects.size() < kMax) {
    link_map entry{};
    if (!read_memory(&entry, at, sizeof entry)) break;
    LoadedObject object;
    object.load_address = entry.l_addr;
    if (entry.l_name && read_string(object.uri, reinterpret_cast<uint64_t>(entry.l_name)))
      objects.push_back(std::move(object));
    at = reinterpret_cast<uint64_t>(entry.l_next);
  }
  return objects;
}

std::string percent_decode(std::string_view text) {
  std::string out;
  for (size_t i = 0; i < text.size(); ++i) {
    unsigned value = 0;
    if (text[i] == '%' && i + 2 < text.size() &&
        std::from_chars(&text[i + 1], &text[i + 1] + 2, value, 16).ptr == &text[i + 1] + 2) {
      out.push_back(static_cast<char>(value));
      i += 2;
    } else {
      out.push_back(text[i]);
    }
  }
  return out;
}

/// offset= and size= of the fragment; decimal or 0x.
uint64_t fragment_number(std::string_view uri, std::string_view key) {
  size_t at = uri.find_first_of("#?");
  at = at == std::string_view::npos ? at : uri.find(key, at);
  if (at == std::string_view::npos) return 0;
  return std::strtoull(std::string(uri.substr(at + key.size())).c_str(), nullptr, 0);
}

bool read_object(Bytes& out, const std::string& uri) {
  uint64_t offset = fragment_number(uri, "offset="), size = fragment_number(uri, "size=");
  if (size > kMaxCodeObject) return false;
  if (uri.starts_with("memory://")) {
    out.resize(size);
    return size != 0 && read_memory(out.data(), offset, size);
  }
  constexpr std::string_view kFile = "file://";
  if (!uri.starts_with(kFile)) return false;
  std::string path = percent_decode(std::string_view(uri).substr(kFile.size(), uri.find_first_of("#?") - kFile.size()));
  std::FILE* file = std::fopen(path.c_str(), "rbe");
  if (!file) return false;
  if (size == 0 && std::fseek(file, 0, SEEK_END) == 0) size = static_cast<uint64_t>(std::ftell(file)) - offset;
  bool ok = size != 0 && size <= kMaxCodeObject && std::fseek(file, static_cast<long>(offset), SEEK_SET) == 0;
  if (ok) {
    out.resize(size);
    ok = std::fread(out.data(), 1, size, file) == size;
  }
  std::fclose(file);
  return ok;
}

/// Bounds-checked view of the parts of an ELF file that are needed here.
class Elf {
public:
  explicit Elf(const Bytes& bytes) : bytes_(bytes) {
    valid_ = get(header_, 0) && std::memcmp(header_.e_ident, ELFMAG, SELFMAG) == 0 &&
             header_.e_ident[EI_CLASS] == ELFCLASS64;
  }
  bool valid() const { return valid_; }

  bool holds(uint64_t address) const {
    for (unsigned i = 0; i < header_.e_phnum; ++i) {
      Elf64_Phdr p{};
      if (!get(p, header_.e_phoff + uint64_t{i} * sizeof p)) return false;
      if (p.p_type == PT_LOAD && address >= p.p_vaddr && address - p.p_vaddr < p.p_memsz) return true;
    }
    return false;
  }

  /// visit(name, symbol) over .symtab, or .dynsym if there is none.
  template <class F> void each_symbol(F visit) const {
    for (uint32_t wanted : {SHT_SYMTAB, SHT_DYNSYM}) {
      bool any = false;
      for (unsigned i = 0; i < header_.e_shnum; ++i) {
        Elf64_Shdr table{}, strings{};
        if (!section(table, i) || table.sh_type != wanted || !section(strings, table.sh_link)) continue;
        for (uint64_t at = 0; at + sizeof(Elf64_Sym) <= table.sh_size; at += sizeof(Elf64_Sym)) {
          Elf64_Sym symbol{};
          if (!get(symbol, table.sh_offset + at)) break;
          std::string_view name = text(strings, symbol.st_name);
          if (name.empty()) continue;
          any = true;
          visit(name, symbol);
        }
      }
      if (any) return;
    }
  }

private:
  template <class T> bool get(T& out, uint64_t at) const {
    if (at > bytes_.size() || bytes_.size() - at < sizeof(T)) return false;
    std::memcpy(&out, bytes_.data() + at, sizeof(T));
    return true;
  }
  bool section(Elf64_Shdr& out, unsigned index) const {
    return index < header_.e_shnum && get(out, header_.e_shoff + uint64_t{index} * sizeof out);
  }
  std::string_view text(const Elf64_Shdr& strings, uint64_t offset) const {
    if (offset >= strings.sh_size || strings.sh_offset > bytes_.size() ||
        strings.sh_size > bytes_.size() - strings.sh_offset)
      return {};
    const char* begin = reinterpret_cast<const char*>(bytes_.data()) + strings.sh_offset + offset;
    return {begin, strnlen(begin, strings.sh_size - offset)};
  }

  const Bytes& bytes_;
  Elf64_Ehdr header_{};
  bool valid_ = false;
};

std::string demangle(std::string_view name) {
  std::string text(name);
  int status = 0;
  char* plain = abi::__cxa_demangle(text.c_str(), nullptr, nullptr, &status);
  if (status == 0 && plain) text = plain;
  std::free(plain);
  return text;
}

/// libdw by hand: its interface is stable, and the library is wanted for reports only.
struct Libdw {
  struct Die {
    void *addr, *cu, *abbrev;
    long padding;
  };
  void* (*elf_memory)(char*, size_t) = nullptr;
  unsigned (*elf_version)(unsigned) = nullptr;
  int (*elf_end)(void*) = nullptr;
  void* (*begin_elf)(void*, int, void*) = nullptr;
  int (*end)(void*) = nullptr;
  int (*nextcu)(void*, uint64_t, uint64_t*, size_t*, uint64_t*, uint8_t*, uint8_t*) = nullptr;
  Die* (*offdie)(void*, uint64_t, Die*) = nullptr;
  int (*haspc)(Die*, uint64_t) = nullptr;
  void* (*getsrc_die)(Die*, uint64_t) = nullptr;
  const char* (*linesrc)(void*, uint64_t*, uint64_t*) = nullptr;
  int (*lineno)(void*, int*) = nullptr;
  bool loaded = false;

  static const Libdw& get() {
    static const Libdw* library = new Libdw;
    return *library;
  }

private:
  Libdw() {
    void* dw = dlopen("libdw.so.1", RTLD_NOW | RTLD_LOCAL);
    void* elf = dlopen("libelf.so.1", RTLD_NOW | RTLD_LOCAL);
    if (!dw || !elf) return;
    loaded = load(elf_memory, elf, "elf_memory") && load(elf_version, elf, "elf_version") &&
             load(elf_end, elf, "elf_end") && load(begin_elf, dw, "dwarf_begin_elf") && load(end, dw, "dwarf_end") &&
             load(nextcu, dw, "dwarf_nextcu") && load(offdie, dw, "dwarf_offdie") && load(haspc, dw, "dwarf_haspc") &&
             load(getsrc_die, dw, "dwarf_getsrc_die") && load(linesrc, dw, "dwarf_linesrc") &&
             load(lineno, dw, "dwarf_lineno");
  }
  template <class F> static bool load(F& function, void* library, const char* name) {
    function = reinterpret_cast<F>(dlsym(library, name));
    return function != nullptr;
  }
};

std::string source_line(Bytes& bytes, uint64_t address, std::string& missing) {
  const Libdw& dw = Libdw::get();
  if (!dw.loaded) {
    missing = "no source line: libdw.so.1 is not installed (apt install libdw1)";
    return {};
  }
  constexpr unsigned kElfCurrentVersion = 1;
  constexpr int kDwarfRead = 0;
  dw.elf_version(kElfCurrentVersion);
  void* elf = dw.elf_memory(reinterpret_cast<char*>(bytes.data()), bytes.size());
  void* dwarf = elf ? dw.begin_elf(elf, kDwarfRead, nullptr) : nullptr;
  std::string result;
  if (dwarf) {
    uint64_t at = 0, next = 0;
    size_t header = 0;
    while (result.empty() && dw.nextcu(dwarf, at, &next, &header, nullptr, nullptr, nullptr) == 0) {
      Libdw::Die die{};
      if (dw.offdie(dwarf, at + header, &die) && dw.haspc(&die, address) > 0)
        if (void* line = dw.getsrc_die(&die, address)) {
          int number = 0;
          const char* file = dw.linesrc(line, nullptr, nullptr);
          if (file && dw.lineno(line, &number) == 0 && number > 0) result = fmt::format("{}:{}", file, number);
        }
      at = next;
    }
    dw.end(dwarf);
  }
  if (elf) dw.elf_end(elf);
  if (result.empty()) missing = "no source line: the kernel was compiled without -g (or -gline-tables-only)";
  return result;
}

} // namespace

void set_loader_list(uint64_t r_debug) { g_loader_list.store(r_debug); }

CodePlace find_code(uint64_t pc, uint64_t kernel_object) {
  CodePlace place;
  auto objects = loaded_objects();
  place.missing = objects.empty() ? "no names: the loader published no list of code objects"
                                  : "no names: no loaded code object holds this address";
  for (const LoadedObject& object : objects) {
    if (kernel_object < object.load_address && pc < object.load_address) continue;
    Bytes bytes;
    if (!read_object(bytes, object.uri)) continue;
    Elf elf(bytes);
    uint64_t descriptor = kernel_object - object.load_address, address = pc - object.load_address;
    if (!elf.valid() || (!elf.holds(descriptor) && !elf.holds(address))) continue;
    place.missing.clear();
    place.uri = object.uri;
    constexpr std::string_view kSuffix = ".kd";
    elf.each_symbol([&](std::string_view name, const Elf64_Sym& symbol) {
      if (symbol.st_value == descriptor && name.ends_with(kSuffix))
        place.kernel = demangle(name.substr(0, name.size() - kSuffix.size()));
      if (ELF64_ST_TYPE(symbol.st_info) == STT_FUNC && address >= symbol.st_value &&
          address - symbol.st_value < symbol.st_size) {
        place.symbol = demangle(name);
        place.offset = address - symbol.st_value;
      }
    });
    if (pc) place.source = source_line(bytes, address, place.missing);
    return place;
  }
  return place;
}

} // namespace bz::gpu
