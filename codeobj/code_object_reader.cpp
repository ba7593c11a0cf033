// CodeObject::parse: one pass per part of the file, each checking what it reads before the next one relies on it.
// ELF-64: System V gABI; AMDGPU values: LLVM AMDGPU usage document.
#include "codeobj/code_object.hpp"

#include <algorithm>
#include <bit>
#include <elf.h>
#include <iterator>
#include <tuple>
#include <unordered_map>
#include <utility>

namespace bz::codeobj {
namespace {

constexpr uint8_t kOsAbiAmdgpuHsa = 64;
constexpr uint8_t kAbiVersionV4 = 2, kAbiVersionV6 = 4;
constexpr uint16_t kMachineAmdgpu = 224;
constexpr uint32_t kNoteAmdgpuMetadata = 32;
constexpr uint64_t kPage = 4096;
constexpr uint64_t kLargestAlignment = uint64_t{1} << 30;
constexpr uint64_t kLargestLayout = uint64_t{1} << 40; // far beyond any device's memory, far below wrapping
constexpr uint64_t kEntryAlignment = 256;              // the hardware drops the low 8 bits of the entry address
constexpr uint32_t kMostSegments = 1024; // linkers write about ten; bounds the work that crafted headers can ask for
constexpr std::string_view kDescriptorSuffix = ".kd";

template <class... Args> Status bad(FormatAt format, const Args&... args) {
  return error(Code::invalid_image, format, args...);
}

} // namespace

Expected<ElfIdentity> read_elf_identity(Bytes image) {
  std::optional<Elf64_Ehdr> header = read<Elf64_Ehdr>(image, 0);
  if (!header) return bad("ELF header: {} bytes, {} are needed", image.size(), sizeof(Elf64_Ehdr));
  const unsigned char* ident = header->e_ident;
  if (std::memcmp(ident, ELFMAG, SELFMAG) != 0) return bad("not an ELF file: wrong magic number");
  if (ident[EI_CLASS] != ELFCLASS64 || ident[EI_DATA] != ELFDATA2LSB || ident[EI_VERSION] != EV_CURRENT)
    return bad("ELF header: not a 64-bit little-endian file of version 1");
  if (header->e_machine != kMachineAmdgpu)
    return bad("ELF header: machine {} is not AMDGPU ({})", header->e_machine, kMachineAmdgpu);
  if (ident[EI_OSABI] != kOsAbiAmdgpuHsa)
    return bad("ELF header: OS/ABI {} is not AMDGPU HSA ({})", ident[EI_OSABI], kOsAbiAmdgpuHsa);
  uint8_t abi = ident[EI_ABIVERSION];
  if (abi < kAbiVersionV4)
    return error(Code::unsupported, "code object v{} is too old: build with -mcode-object-version=4 or newer", abi + 2);
  if (abi > kAbiVersionV6)
    return error(Code::unsupported, "code object v{} is not known here: build with -mcode-object-version=6 or older",
                 abi + 2);
  if (header->e_type == ET_REL)
    return error(Code::unsupported, "a relocatable object (ET_REL) can't be loaded: link it with ld.lld -shared");
  if (header->e_type != ET_DYN) return bad("ELF header: type {} is not a shared object (ET_DYN)", header->e_type);
  if (header->e_version != EV_CURRENT) return bad("ELF header: version {}", header->e_version);
  if (header->e_ehsize < sizeof(Elf64_Ehdr)) return bad("ELF header: states a size of {}", header->e_ehsize);
  ElfIdentity identity;
  BZ_TRY_ASSIGN(identity.target, TargetId::from_elf_flags(header->e_flags, abi));
  identity.version = abi + 2u;
  identity.flags = header->e_flags;
  return identity;
}

class CodeObjectReader {
public:
  explicit CodeObjectReader(Bytes image) { object_.image_ = image; }

  Expected<CodeObject> run() {
    BZ_TRY(read_header());
    BZ_TRY(read_segments());
    BZ_TRY(lay_out());
    BZ_TRY(read_sections());
    BZ_TRY(read_dynamic());
    BZ_TRY(read_dynamic_symbols());
    BZ_TRY(read_static_symbols());
    BZ_TRY(read_relocations());
    BZ_TRY(read_notes());
    BZ_TRY(read_kernels());
    index();
    return std::move(object_);
  }

private:
  Status read_header() {
    BZ_TRY_ASSIGN(object_.identity_, read_elf_identity(image()));
    ehdr_ = *read<Elf64_Ehdr>(image(), 0);
    return {};
  }

  Status read_segments() {
    if (ehdr_.e_phnum == 0) return bad("no program headers: nothing to load");
    if (ehdr_.e_phentsize != sizeof(Elf64_Phdr)) return bad("program header entries of {} bytes", ehdr_.e_phentsize);
    if (ehdr_.e_phnum > kMostSegments) return bad("{} program headers", ehdr_.e_phnum);
    std::optional<Bytes> table = slice(image(), ehdr_.e_phoff, uint64_t{ehdr_.e_phnum} * sizeof(Elf64_Phdr));
    if (!table)
      return bad("{} program headers at offset {} leave the file of {} bytes", ehdr_.e_phnum, ehdr_.e_phoff,
                 image().size());
    for (uint32_t i = 0; i < ehdr_.e_phnum; ++i) {
      Elf64_Phdr p = *read<Elf64_Phdr>(*table, i * sizeof(Elf64_Phdr));
      if (!in_range(p.p_offset, p.p_filesz, image().size()))
        return bad("program header {}: file range [{}, +{}) leaves the file of {} bytes", i, p.p_offset, p.p_filesz,
                   image().size());
      if (p.p_memsz > UINT64_MAX - p.p_vaddr)
        return bad("program header {}: address range [0x{:x}, +0x{:x}) wraps", i, p.p_vaddr, p.p_memsz);
      object_.segments_.push_back(Segment{.type = p.p_type,
                                          .flags = p.p_flags,
                                          .offset = p.p_offset,
                                          .address = p.p_vaddr,
                                          .file_size = p.p_filesz,
                                          .memory_size = p.p_memsz,
                                          .alignment = p.p_align});
      if (p.p_type == PT_LOAD && p.p_memsz != 0) BZ_TRY(add_load(i));
    }
    if (object_.loads_.empty()) return bad("no PT_LOAD segment: nothing to load");
    return {};
  }

  Status add_load(uint32_t i) {
    const Segment& s = object_.segments_[i];
    if (s.file_size > s.memory_size)
      return bad("PT_LOAD {}: {} bytes of file for {} bytes of memory", i, s.file_size, s.memory_size);
    if (s.alignment > 1) {
      if (!std::has_single_bit(s.alignment) || s.alignment > kLargestAlignment)
        return bad("PT_LOAD {}: alignment {}", i, s.alignment);
      if ((s.address - s.offset) % s.alignment != 0)
        return bad("PT_LOAD {}: address 0x{:x} and offset 0x{:x} differ modulo the alignment {}", i, s.address,
                   s.offset, s.alignment);
    }
    if (!object_.loads_.empty()) {
      const Segment& before = object_.segments_[object_.loads_.back()];
      if (s.address < before.address + before.memory_size)
        return bad("PT_LOAD {} at 0x{:x} overlaps or precedes PT_LOAD {}", i, s.address, object_.loads_.back());
    }
    object_.loads_.push_back(i);
    return {};
  }

  Status lay_out() {
    LoadLayout& l = object_.layout_;
    l.alignment = kPage;
    for (uint32_t i : object_.loads_) l.alignment = std::max(l.alignment, object_.segments_[i].alignment);
    const Segment& first = object_.segments_[object_.loads_.front()];
    const Segment& last = object_.segments_[object_.loads_.back()];
    l.first_address = first.address & ~(l.alignment - 1);
    l.size = last.address + last.memory_size - l.first_address;
    if (l.size > kLargestLayout) return bad("PT_LOAD segments span 0x{:x} bytes", l.size);
    return {};
  }

  /// The NUL-terminated string at `offset`; the NUL must be in the table.
  static std::optional<std::string_view> string_at(Bytes table, uint64_t offset) {
    if (offset >= table.size()) return std::nullopt;
    std::string_view rest = as_text(table).substr(offset);
    size_t end = rest.find('\0');
    if (end == rest.npos) return std::nullopt;
    return rest.substr(0, end);
  }

  /// Section headers are optional: the loader lives by segments and the dynamic table.
  Status read_sections() {
    if (ehdr_.e_shnum == 0) return {};
    if (ehdr_.e_shentsize != sizeof(Elf64_Shdr)) return bad("section header entries of {} bytes", ehdr_.e_shentsize);
    std::optional<Bytes> table = slice(image(), ehdr_.e_shoff, uint64_t{ehdr_.e_shnum} * sizeof(Elf64_Shdr));
    if (!table)
      return bad("{} section headers at offset {} leave the file of {} bytes", ehdr_.e_shnum, ehdr_.e_shoff,
                 image().size());
    if (ehdr_.e_shstrndx >= ehdr_.e_shnum)
      return bad("section name table {} of {} sections", ehdr_.e_shstrndx, ehdr_.e_shnum);
    auto header = [&](uint32_t i) { return *read<Elf64_Shdr>(*table, i * sizeof(Elf64_Shdr)); };
    Elf64_Shdr names_header = header(ehdr_.e_shstrndx);
    std::optional<Bytes> names = slice(image(), names_header.sh_offset, names_header.sh_size);
    if (names_header.sh_type != SHT_STRTAB || !names) return bad("section {} is no name table", ehdr_.e_shstrndx);
    for (uint32_t i = 0; i < ehdr_.e_shnum; ++i) {
      Elf64_Shdr h = header(i);
      std::optional<std::string_view> name = string_at(*names, h.sh_name);
      if (!name) return bad("section {}: name at {} leaves the name table", i, h.sh_name);
      bool in_file = h.sh_type != SHT_NULL && h.sh_type != SHT_NOBITS;
      if (in_file && !in_range(h.sh_offset, h.sh_size, image().size()))
        return bad("section {} '{}': range [{}, +{}) leaves the file of {} bytes", i, *name, h.sh_offset, h.sh_size,
                   image().size());
      object_.sections_.push_back(Section{.name = *name,
                                          .type = h.sh_type,
                                          .flags = h.sh_flags,
                                          .address = h.sh_addr,
                                          .offset = h.sh_offset,
                                          .size = h.sh_size,
                                          .entry_size = h.sh_entsize,
                                          .link = h.sh_link,
                                          .info = h.sh_info});
    }
    return {};
  }

  Status read_dynamic() {
    auto it = std::ranges::find(object_.segments_, uint32_t{PT_DYNAMIC}, &Segment::type);
    if (it == object_.segments_.end()) return bad("no PT_DYNAMIC segment: not a shared object");
    Bytes table = *slice(image(), it->offset, it->file_size); // checked in read_segments
    for (uint64_t at = 0;; at += sizeof(Elf64_Dyn)) {
      std::optional<Elf64_Dyn> entry = read<Elf64_Dyn>(table, at);
      if (!entry) return bad("dynamic table: no DT_NULL in its {} bytes", table.size());
      uint64_t value = entry->d_un.d_val;
      switch (entry->d_tag) {
      case DT_NULL:
        return {};
      case DT_SYMTAB:
        symtab_ = value;
        break;
      case DT_STRTAB:
        strtab_ = value;
        break;
      case DT_STRSZ:
        strtab_size_ = value;
        break;
      case DT_HASH:
        hash_ = value;
        break;
      case DT_RELA:
        rela_ = value;
        break;
      case DT_RELASZ:
        rela_size_ = value;
        break;
      case DT_JMPREL:
        plt_rela_ = value;
        break;
      case DT_PLTRELSZ:
        plt_rela_size_ = value;
        break;
      case DT_SYMENT:
        if (value != sizeof(Elf64_Sym)) return bad("dynamic table: symbol entries of {} bytes", value);
        break;
      case DT_RELAENT:
        if (value != sizeof(Elf64_Rela)) return bad("dynamic table: relocation entries of {} bytes", value);
        break;
      case DT_PLTREL:
        if (value != DT_RELA) return error(Code::unsupported, "dynamic table: PLT relocations without addends");
        break;
      case DT_REL:
        return error(Code::unsupported, "dynamic table: relocations without addends (DT_REL)");
      case DT_RELR:
        return error(Code::unsupported, "packed relative relocations (DT_RELR): link without -z pack-relative-relocs");
      }
    }
  }

  Expected<uint64_t> count_dynamic_symbols() {
    if (hash_) {
      std::optional<Bytes> head = object_.bytes_at(*hash_, 8); // nbucket, nchain; one chain entry per symbol
      if (!head) return bad("DT_HASH 0x{:x} lies in no loaded file bytes", *hash_);
      return uint64_t{*read<uint32_t>(*head, 4)};
    }
    for (const Section& s : object_.sections_)
      if (s.type == SHT_DYNSYM && s.address == *symtab_) return s.size / sizeof(Elf64_Sym);
    return bad("dynamic symbols can't be counted: neither DT_HASH nor a .dynsym section (link with --hash-style=both)");
  }

  Status read_dynamic_symbols() {
    if (!symtab_) return bad("dynamic table: no DT_SYMTAB");
    if (!strtab_) return bad("dynamic table: no DT_STRTAB");
    std::optional<Bytes> names = object_.bytes_at(*strtab_, strtab_size_);
    if (!names) return bad("dynamic string table [0x{:x}, +{}) lies in no loaded file bytes", *strtab_, strtab_size_);
    BZ_TRY_ASSIGN(uint64_t count, count_dynamic_symbols());
    std::optional<Bytes> table = object_.bytes_at(*symtab_, count * sizeof(Elf64_Sym)); // count < 2^60: no wrap
    if (!table) return bad("{} dynamic symbols at 0x{:x} lie in no loaded file bytes", count, *symtab_);
    BZ_TRY(read_symbols(*table, *names, "dynamic symbol", object_.dynamic_symbols_));
    for (size_t i = 1; i < object_.dynamic_symbols_.size(); ++i) {
      const Symbol& s = object_.dynamic_symbols_[i];
      if (s.type == SymbolType::tls || s.type == SymbolType::ifunc || s.type == SymbolType::common)
        return error(Code::unsupported, "symbol '{}': type {} can't be loaded", s.name, static_cast<int>(s.type));
      if (!s.is_defined() || s.is_absolute()) continue;
      bool has_place = s.type == SymbolType::object || s.type == SymbolType::function;
      if (has_place && s.size != 0 && !object_.segment_at(s.value, s.size))
        return bad("symbol '{}': [0x{:x}, +0x{:x}) lies in no PT_LOAD segment", s.name, s.value, s.size);
      const LoadLayout& l = object_.layout_;
      if (!in_range(s.value - l.first_address, 0, l.size)) // a value before the first wraps to a huge number
        return bad("symbol '{}': value 0x{:x} lies outside of the loaded range", s.name, s.value);
    }
    return {};
  }

  Status read_symbols(Bytes table, Bytes names, const char* what, std::vector<Symbol>& out) {
    uint64_t count = table.size() / sizeof(Elf64_Sym);
    out.reserve(count);
    for (uint64_t i = 0; i < count; ++i) {
      Elf64_Sym s = *read<Elf64_Sym>(table, i * sizeof(Elf64_Sym));
      std::optional<std::string_view> name = string_at(names, s.st_name);
      if (!name) return bad("{} {}: name at {} leaves the string table of {} bytes", what, i, s.st_name, names.size());
      bool special = s.st_shndx == SHN_UNDEF || s.st_shndx == SHN_ABS;
      if (!special && ehdr_.e_shnum != 0 && s.st_shndx >= ehdr_.e_shnum)
        return bad("{} {} '{}': section {} of {}", what, i, *name, s.st_shndx, ehdr_.e_shnum);
      uint8_t binding = ELF64_ST_BIND(s.st_info);
      if (binding > STB_WEAK) return bad("{} {} '{}': unknown binding {}", what, i, *name, binding);
      out.push_back(Symbol{.name = *name,
                           .value = s.st_value,
                           .size = s.st_size,
                           .type = static_cast<SymbolType>(ELF64_ST_TYPE(s.st_info)),
                           .binding = static_cast<SymbolBinding>(binding),
                           .visibility = static_cast<SymbolVisibility>(ELF64_ST_VISIBILITY(s.st_other)),
                           .section_index = s.st_shndx});
    }
    return {};
  }

  Status read_static_symbols() {
    for (const Section& s : object_.sections_) {
      if (s.type != SHT_SYMTAB) continue;
      if (s.entry_size != sizeof(Elf64_Sym) || s.link >= object_.sections_.size())
        return bad("section '{}': entries of {} bytes, string table {}", s.name, s.entry_size, s.link);
      return read_symbols(object_.contents(s), object_.contents(object_.sections_[s.link]), "symbol",
                          object_.static_symbols_);
    }
    return {};
  }

  Status read_relocations() {
    BZ_TRY(read_relocation_table(rela_, rela_size_, "DT_RELA"));
    BZ_TRY(read_relocation_table(plt_rela_, plt_rela_size_, "DT_JMPREL"));
    std::vector<uint32_t>& got = object_.got_symbols_;
    std::ranges::sort(got);
    got.erase(std::unique(got.begin(), got.end()), got.end());
    LoadLayout& l = object_.layout_;
    l.got_offset = got.empty() ? 0 : *align_up(l.size, 8); // at most kLargestLayout
    if (!got.empty()) l.size = l.got_offset + 8 * got.size();
    return {};
  }

  Status read_relocation_table(std::optional<uint64_t> address, uint64_t size, const char* what) {
    if (!address || size == 0) return {};
    std::optional<Bytes> table = object_.bytes_at(*address, size);
    if (!table || size % sizeof(Elf64_Rela) != 0)
      return bad("{} [0x{:x}, +{}) is no whole table in loaded file bytes", what, *address, size);
    for (uint64_t i = 0; i < size / sizeof(Elf64_Rela); ++i) {
      Elf64_Rela r = *read<Elf64_Rela>(*table, i * sizeof(Elf64_Rela));
      uint32_t kind = ELF64_R_TYPE(r.r_info), symbol = ELF64_R_SYM(r.r_info);
      const RelocationFacts* facts = relocation_facts(kind);
      if (!facts) return bad("{} entry {}: unknown relocation kind {}", what, i, kind);
      if (symbol >= object_.dynamic_symbols_.size())
        return bad("{} entry {}: symbol {} of {}", what, i, symbol, object_.dynamic_symbols_.size());
      if (facts->kind != RelocationKind::none && !object_.segment_at(r.r_offset, facts->width))
        return bad("{} entry {} ({}): address 0x{:x} lies in no PT_LOAD segment", what, i, facts->name, r.r_offset);
      if (facts->via_got) object_.got_symbols_.push_back(symbol);
      object_.relocations_.push_back(
          Relocation{.address = r.r_offset, .kind = facts->kind, .symbol = symbol, .addend = r.r_addend});
    }
    return {};
  }

  Status read_notes() {
    for (const Segment& s : object_.segments_)
      if (s.type == PT_NOTE) BZ_TRY(read_note_table(*slice(image(), s.offset, s.file_size)));
    return {};
  }

  /// The link of relocatable device code generates code in parts, and each part brings a note of its own kernels.
  Status add_metadata(Metadata part) {
    if (!object_.metadata_) {
      object_.metadata_ = std::move(part);
      return {};
    }
    Metadata& all = *object_.metadata_;
    if (part.version_major != all.version_major || part.version_minor != all.version_minor || part.target != all.target)
      return bad("metadata notes disagree: version {}.{} for \"{}\", version {}.{} for \"{}\"", all.version_major,
                 all.version_minor, all.target, part.version_major, part.version_minor, part.target);
    std::ranges::move(part.kernels, std::back_inserter(all.kernels));
    std::ranges::move(part.printf_formats, std::back_inserter(all.printf_formats));
    return {};
  }

  Status read_note_table(Bytes notes) {
    uint64_t at = 0;
    while (at < notes.size()) {
      std::optional<Elf64_Nhdr> header = read<Elf64_Nhdr>(notes, at);
      if (!header) return bad("note at {}: truncated header", at);
      uint64_t name_at = at + sizeof(Elf64_Nhdr);
      uint64_t descriptor_at = *align_up(name_at + header->n_namesz, 4); // sums of 32-bit sizes and a file offset
      std::optional<Bytes> name = slice(notes, name_at, header->n_namesz);
      std::optional<Bytes> descriptor = slice(notes, descriptor_at, header->n_descsz);
      if (!name || !descriptor)
        return bad("note at {}: name of {} and descriptor of {} bytes leave the {} bytes of notes", at,
                   header->n_namesz, header->n_descsz, notes.size());
      if (as_text(*name) == std::string_view("AMDGPU\0", 7) && header->n_type == kNoteAmdgpuMetadata) {
        BZ_TRY_ASSIGN(Metadata metadata, parse_metadata(*descriptor));
        BZ_TRY(add_metadata(std::move(metadata)));
      }
      at = *align_up(descriptor_at + header->n_descsz, 4);
    }
    return {};
  }

  Status read_kernels() {
    std::unordered_map<std::string_view, const KernelMetadata*> metadata;
    if (object_.metadata_)
      for (const KernelMetadata& k : object_.metadata_->kernels) metadata.emplace(k.symbol, &k);
    for (size_t i = 1; i < object_.dynamic_symbols_.size(); ++i) {
      const Symbol& s = object_.dynamic_symbols_[i];
      if (!s.is_defined() || s.is_absolute() || s.type != SymbolType::object) continue;
      if (!s.name.ends_with(kDescriptorSuffix)) {
        if (s.binding != SymbolBinding::local) object_.variables_.push_back(&s);
        continue;
      }
      Kernel k;
      k.symbol = s.name;
      k.name = s.name.substr(0, s.name.size() - kDescriptorSuffix.size());
      if (k.name.empty()) return bad("dynamic symbol {}: a kernel descriptor without a kernel name", i);
      k.descriptor_address = s.value;
      std::optional<Bytes> bytes = object_.bytes_at(s.value, KernelDescriptor::kSize);
      if (s.size != KernelDescriptor::kSize || s.value % KernelDescriptor::kSize != 0 || !bytes)
        return bad("kernel '{}': descriptor [0x{:x}, +{}) is not {} aligned bytes of the file", k.name, s.value, s.size,
                   KernelDescriptor::kSize);
      Expected<KernelDescriptor> descriptor = KernelDescriptor::decode(*bytes, *object_.identity_.target.processor);
      if (!descriptor) return bad("kernel '{}': {}", k.name, descriptor.status().message());
      k.descriptor = *descriptor;
      k.entry_address = s.value + static_cast<uint64_t>(k.descriptor.code_entry_offset()); // wrapping is caught below
      const Segment* code = object_.segment_at(k.entry_address, 4);
      if (!code || !code->executable() || k.entry_address % kEntryAlignment != 0)
        return bad("kernel '{}': entry 0x{:x} is no 256-aligned address of an executable segment", k.name,
                   k.entry_address);
      if (auto it = metadata.find(s.name); it != metadata.end()) k.metadata = it->second;
      object_.kernels_.push_back(k);
    }
    std::ranges::sort(object_.kernels_, {}, &Kernel::name);
    return {};
  }

  void index() {
    std::vector<Symbol>& dynamic = object_.dynamic_symbols_;
    for (uint32_t i = 1; i < dynamic.size(); ++i)
      if (dynamic[i].is_defined() && dynamic[i].binding != SymbolBinding::local) object_.by_name_.push_back(i);
    std::ranges::sort(object_.by_name_, {}, [&](uint32_t i) { return std::pair(dynamic[i].name, i); });
    for (const Symbol& s : object_.static_symbols_.empty() ? dynamic : object_.static_symbols_)
      if (s.type == SymbolType::function && s.is_defined() && s.size != 0) object_.functions_.push_back(&s);
    std::ranges::sort(object_.functions_, {}, [](const Symbol* s) { return std::tuple(s->value, s->size, s->name); });
    for (Kernel& k : object_.kernels_) {
      const Symbol* f = object_.function_at(k.entry_address);
      if (f && f->value == k.entry_address) k.code_size = f->size;
    }
  }

  Bytes image() const { return object_.image_; }

  CodeObject object_;
  Elf64_Ehdr ehdr_{};
  std::optional<uint64_t> symtab_, strtab_, hash_, rela_, plt_rela_;
  uint64_t strtab_size_ = 0, rela_size_ = 0, plt_rela_size_ = 0;
};

Expected<CodeObject> CodeObject::parse(Bytes image) { return CodeObjectReader(image).run(); }

} // namespace bz::codeobj
