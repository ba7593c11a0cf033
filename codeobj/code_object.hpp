// AMDGPU code objects: an ELF64 reader that trusts nothing. Header, segments, sections, symbols, relocations, kernels,
// metadata. Must not know where code is loaded (loader.hpp) or how it came packed (bundle.hpp).
#pragma once
#include "base/status.hpp"
#include "codeobj/bytes.hpp"
#include "codeobj/kernel_descriptor.hpp"
#include "codeobj/metadata.hpp"
#include "codeobj/target_id.hpp"

#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

namespace bz::codeobj {

struct Segment { ///< a program header
  uint32_t type = 0, flags = 0;
  uint64_t offset = 0, address = 0, file_size = 0, memory_size = 0, alignment = 0;
  bool readable() const { return flags & 4; }
  bool writable() const { return flags & 2; }
  bool executable() const { return flags & 1; }
};

struct Section {
  std::string_view name;
  uint32_t type = 0;
  uint64_t flags = 0, address = 0, offset = 0, size = 0, entry_size = 0;
  uint32_t link = 0, info = 0;
};

enum class SymbolType : uint8_t {
  none = 0,
  object = 1,
  function = 2,
  section = 3,
  file = 4,
  common = 5,
  tls = 6,
  ifunc = 10
};
enum class SymbolBinding : uint8_t { local = 0, global = 1, weak = 2 };
enum class SymbolVisibility : uint8_t { default_ = 0, internal = 1, hidden = 2, protected_ = 3 };

struct Symbol {
  std::string_view name;
  uint64_t value = 0; ///< address in the object's own numbering (add the load bias), or the value if is_absolute()
  uint64_t size = 0;
  SymbolType type = SymbolType::none;
  SymbolBinding binding = SymbolBinding::local;
  SymbolVisibility visibility = SymbolVisibility::default_;
  uint16_t section_index = 0;
  bool is_defined() const { return section_index != 0; }
  bool is_absolute() const { return section_index == 0xfff1; }
};

/// R_AMDGPU_*; the numbers are the ELF file's.
enum class RelocationKind : uint32_t {
  none = 0,
  abs32_lo = 1,
  abs32_hi = 2,
  abs64 = 3,
  rel32 = 4,
  rel64 = 5,
  abs32 = 6,
  gotpcrel = 7,
  gotpcrel32_lo = 8,
  gotpcrel32_hi = 9,
  rel32_lo = 10,
  rel32_hi = 11,
  relative64 = 13,
  rel16 = 14,
};
struct RelocationFacts {
  RelocationKind kind;
  std::string_view name; ///< "R_AMDGPU_ABS64"
  uint8_t width;         ///< bytes patched
  bool via_got;
};
/// nullptr for a kind that doesn't exist.
const RelocationFacts* relocation_facts(uint32_t kind);

struct Relocation {
  uint64_t address = 0; ///< what is patched, in the object's own numbering
  RelocationKind kind = RelocationKind::none;
  uint32_t symbol = 0; ///< index into dynamic_symbols(); 0 = none
  int64_t addend = 0;
};

struct Kernel {
  std::string_view name;           ///< without ".kd"
  std::string_view symbol;         ///< NAME.kd
  uint64_t descriptor_address = 0; ///< in the object's own numbering
  uint64_t entry_address = 0;
  uint64_t code_size = 0; ///< of the function symbol NAME; 0 if there is none
  KernelDescriptor descriptor;
  const KernelMetadata* metadata = nullptr; ///< nullptr if the note says nothing about it
};

/// Size and alignment of the memory that a loaded object wants; see loader.hpp.
struct LoadLayout {
  uint64_t first_address = 0; ///< the object's own address that lands at the start of the memory
  uint64_t size = 0;
  uint64_t alignment = 0;  ///< a power of two, at least 4096
  uint64_t got_offset = 0; ///< offset of the slots for GOTPCREL relocations, if any
};

/// What the ELF header alone says.
struct ElfIdentity {
  uint32_t version = 0; ///< code object version: 4, 5 or 6
  uint32_t flags = 0;   ///< e_flags
  TargetId target;
};
/// invalid_image: not a linked AMDGPU HSA code object; unsupported: of a version or kind that isn't loaded here.
Expected<ElfIdentity> read_elf_identity(Bytes image);

/// A parsed view: the image must outlive it. Movable; copies share nothing mutable.
class CodeObject {
public:
  /// invalid_image: what is wrong; unsupported: a code object version or file kind that isn't loaded here.
  static Expected<CodeObject> parse(Bytes image);

  CodeObject(CodeObject&&) = default;
  CodeObject& operator=(CodeObject&&) = default;
  CodeObject(const CodeObject&) = delete;
  CodeObject& operator=(const CodeObject&) = delete;

  Bytes image() const { return image_; }
  const ElfIdentity& identity() const { return identity_; }
  const TargetId& target() const { return identity_.target; }

  const std::vector<Segment>& segments() const { return segments_; }
  const std::vector<Section>& sections() const { return sections_; }
  const Section* find_section(std::string_view name) const;
  /// File bytes of a section; empty for SHT_NOBITS.
  Bytes contents(const Section& section) const;

  const std::vector<Symbol>& dynamic_symbols() const { return dynamic_symbols_; } ///< [0] is the null symbol
  const std::vector<Symbol>& static_symbols() const { return static_symbols_; }   ///< .symtab; empty if stripped
  /// A defined, non-local dynamic symbol, or nullptr.
  const Symbol* find_symbol(std::string_view name) const;
  /// The function (of .symtab, else of .dynsym) whose code holds this address of the object's own numbering.
  const Symbol* function_at(uint64_t address) const;
  const std::vector<Relocation>& relocations() const { return relocations_; }
  /// Symbols that GOTPCREL relocations want a slot for, sorted; slot i lies at layout().got_offset + 8 * i.
  const std::vector<uint32_t>& got_symbols() const { return got_symbols_; }

  const std::vector<Kernel>& kernels() const { return kernels_; }
  const Kernel* find_kernel(std::string_view name_or_symbol) const; ///< "saxpy" or "saxpy.kd"
  /// Defined data objects a host may name: __device__, __constant__ and managed variables. No descriptors.
  const std::vector<const Symbol*>& variables() const { return variables_; }
  /// Undefined symbols that the loader's resolver has to supply.
  std::vector<const Symbol*> undefined_symbols() const;

  /// nullptr if the object has no metadata note.
  const Metadata* metadata() const { return metadata_ ? &*metadata_ : nullptr; }
  const LoadLayout& layout() const { return layout_; }

  /// File bytes behind [address, address + size) of the object's own numbering, or nothing if not all file-backed.
  std::optional<Bytes> bytes_at(uint64_t address, uint64_t size) const;
  /// The PT_LOAD segment that holds all of [address, address + size), or nullptr.
  const Segment* segment_at(uint64_t address, uint64_t size) const;

private:
  friend class CodeObjectReader;
  CodeObject() = default;

  Bytes image_;
  ElfIdentity identity_;
  std::vector<Segment> segments_;
  std::vector<Section> sections_;
  std::vector<Symbol> dynamic_symbols_, static_symbols_;
  std::vector<uint32_t> by_name_;        // defined non-local dynamic symbols, sorted by name
  std::vector<const Symbol*> functions_; // with a size, sorted by value
  std::vector<Relocation> relocations_;
  std::vector<uint32_t> got_symbols_;
  std::vector<uint32_t> loads_; // PT_LOAD segments, by ascending address
  std::vector<Kernel> kernels_; // sorted by name
  std::vector<const Symbol*> variables_;
  std::optional<Metadata> metadata_;
  LoadLayout layout_;
};

} // namespace bz::codeobj
