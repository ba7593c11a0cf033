// The loader core: puts a parsed code object's segments into memory that somebody else owns and applies relocations.
// Must not know allocators, agents, executables or symbols of other objects (they come through the resolver).
#pragma once
#include "base/status.hpp"
#include "codeobj/code_object.hpp"

#include <functional>
#include <optional>
#include <span>
#include <string_view>

namespace bz::codeobj {

/// The device address of a symbol that the object doesn't define, or nothing.
using SymbolResolver = std::function<std::optional<uint64_t>(std::string_view name)>;

/// Where the loaded bytes go; offsets count from the start of the memory and never leave layout().size.
class LoadTarget {
public:
  virtual ~LoadTarget() = default;
  virtual Status write(uint64_t offset, Bytes bytes) = 0;
  virtual Status fill_zero(uint64_t offset, uint64_t size) = 0;
};

/// Loads `object` for the device address `device_address` (where offset 0 of the target is seen by the GPU).
/// All of [0, layout().size) is written: gaps and .bss with zeros. `resolver` may be empty.
/// not_found: an external symbol that the resolver doesn't know (a weak one becomes 0);
/// invalid_image: a relocation that doesn't fit; invalid_argument: a misaligned device address.
Status load(const CodeObject& object, LoadTarget& target, uint64_t device_address, const SymbolResolver& resolver);

/// The same into host-visible memory. invalid_argument if `memory` is smaller than layout().size.
Status load(const CodeObject& object, std::span<std::byte> memory, uint64_t device_address,
            const SymbolResolver& resolver);

/// Address on the device of an address in the object's own numbering.
inline uint64_t device_address_of(const CodeObject& object, uint64_t device_address, uint64_t own_address) {
  return device_address + (own_address - object.layout().first_address);
}

} // namespace bz::codeobj
