#include "codeobj/loader.hpp"

#include <algorithm>
#include <cstring>
#include <elf.h>

namespace bz::codeobj {
namespace {

class SpanTarget final : public LoadTarget {
public:
  explicit SpanTarget(std::span<std::byte> memory) : memory_(memory) {}
  Status write(uint64_t offset, Bytes bytes) override {
    if (!in_range(offset, bytes.size(), memory_.size()))
      return error(Code::internal, "the loader writes {} bytes at {} of {}", bytes.size(), offset, memory_.size());
    if (!bytes.empty()) std::memcpy(memory_.data() + offset, bytes.data(), bytes.size());
    return {};
  }
  Status fill_zero(uint64_t offset, uint64_t size) override {
    if (!in_range(offset, size, memory_.size()))
      return error(Code::internal, "the loader clears {} bytes at {} of {}", size, offset, memory_.size());
    if (size != 0) std::memset(memory_.data() + offset, 0, size);
    return {};
  }

private:
  std::span<std::byte> memory_;
};

class Load {
public:
  Load(const CodeObject& object, LoadTarget& target, uint64_t device_address, const SymbolResolver& resolver)
      : object_(object), target_(target), resolver_(resolver), bias_(device_address - object.layout().first_address),
        device_address_(device_address), resolved_(object.dynamic_symbols().size()) {}

  Status run() {
    BZ_TRY(copy_segments());
    BZ_TRY(fill_got());
    for (const Relocation& r : object_.relocations()) BZ_TRY(relocate(r));
    return {};
  }

private:
  uint64_t offset_of(uint64_t address) const { return address - object_.layout().first_address; }

  Status copy_segments() {
    uint64_t done = 0;
    for (const Segment& s : object_.segments()) {
      if (s.type != PT_LOAD || s.memory_size == 0) continue;
      uint64_t start = offset_of(s.address); // ascending and disjoint: checked by the reader
      if (start > done) BZ_TRY(target_.fill_zero(done, start - done));
      BZ_TRY(target_.write(start, object_.image().subspan(s.offset, s.file_size)));
      done = start + s.memory_size;
      if (s.memory_size > s.file_size) BZ_TRY(target_.fill_zero(start + s.file_size, s.memory_size - s.file_size));
    }
    if (object_.layout().size > done) return target_.fill_zero(done, object_.layout().size - done);
    return {};
  }

  Status fill_got() {
    const std::vector<uint32_t>& symbols = object_.got_symbols();
    for (size_t i = 0; i < symbols.size(); ++i) {
      BZ_TRY_ASSIGN(uint64_t value, resolve(symbols[i]));
      BZ_TRY(target_.write(object_.layout().got_offset + 8 * i, as_bytes(&value, 8)));
    }
    return {};
  }

  Expected<uint64_t> resolve(uint32_t index) {
    if (index == 0) return uint64_t{0};
    std::optional<uint64_t>& known = resolved_[index];
    if (!known) {
      const Symbol& s = object_.dynamic_symbols()[index];
      if (s.is_absolute())
        known = s.value;
      else if (s.is_defined())
        known = s.value + bias_;
      else if (resolver_)
        known = resolver_(s.name);
      if (!known && s.binding == SymbolBinding::weak) known = 0;
      if (!known)
        return error(Code::not_found, "undefined symbol '{}': no loaded code or host variable defines it", s.name);
    }
    return *known;
  }

  uint64_t got_slot(uint32_t symbol) const {
    const std::vector<uint32_t>& got = object_.got_symbols();
    uint64_t slot = static_cast<uint64_t>(std::ranges::lower_bound(got, symbol) - got.begin());
    return device_address_ + object_.layout().got_offset + 8 * slot;
  }

  Status relocate(const Relocation& r) {
    const RelocationFacts& facts = *relocation_facts(static_cast<uint32_t>(r.kind));
    if (r.kind == RelocationKind::none) return {};
    BZ_TRY_ASSIGN(const uint64_t symbol, resolve(r.symbol));
    // Unsigned arithmetic modulo 2^64, as the ELF formulas have it: S symbol, A addend, P place, G slot, B bias.
    const uint64_t addend = static_cast<uint64_t>(r.addend), place = r.address + bias_;
    const uint64_t absolute = symbol + addend, relative = absolute - place;
    const uint64_t via_got = facts.via_got ? got_slot(r.symbol) + addend - place : 0;
    auto fits_signed = [](uint64_t v, int width) {
      auto s = static_cast<int64_t>(v);
      return s >= -(int64_t{1} << (width - 1)) && s < (int64_t{1} << (width - 1));
    };
    uint64_t value = 0;
    bool fits = true;
    switch (r.kind) {
    case RelocationKind::none:
      break;
    case RelocationKind::abs32_lo:
      value = absolute & UINT32_MAX;
      break;
    case RelocationKind::abs32_hi:
      value = absolute >> 32;
      break;
    case RelocationKind::abs64:
      value = absolute;
      break;
    case RelocationKind::rel32:
      value = relative, fits = fits_signed(relative, 32);
      break;
    case RelocationKind::rel64:
      value = relative;
      break;
    case RelocationKind::abs32:
      value = absolute, fits = absolute <= UINT32_MAX;
      break;
    case RelocationKind::gotpcrel:
      value = via_got, fits = fits_signed(via_got, 32);
      break;
    case RelocationKind::gotpcrel32_lo:
      value = via_got & UINT32_MAX;
      break;
    case RelocationKind::gotpcrel32_hi:
      value = via_got >> 32;
      break;
    case RelocationKind::rel32_lo:
      value = relative & UINT32_MAX;
      break;
    case RelocationKind::rel32_hi:
      value = relative >> 32;
      break;
    case RelocationKind::relative64:
      value = bias_ + addend;
      break;
    case RelocationKind::rel16: { // a branch distance in dwords, counted from the next instruction
      auto distance = static_cast<int64_t>(relative - 4);
      value = static_cast<uint64_t>(distance / 4);
      fits = distance % 4 == 0 && fits_signed(value, 16);
      break;
    }
    }
    if (!fits)
      return error(Code::invalid_image, "relocation {} at 0x{:x} against '{}': the value 0x{:x} does not fit {} bytes",
                   facts.name, r.address, object_.dynamic_symbols()[r.symbol].name, value, facts.width);
    return target_.write(offset_of(r.address), as_bytes(&value, facts.width)); // little-endian: the low bytes
  }

  const CodeObject& object_;
  LoadTarget& target_;
  const SymbolResolver& resolver_;
  const uint64_t bias_;
  const uint64_t device_address_;
  std::vector<std::optional<uint64_t>> resolved_;
};

} // namespace

Status load(const CodeObject& object, LoadTarget& target, uint64_t device_address, const SymbolResolver& resolver) {
  const LoadLayout& layout = object.layout();
  if (device_address % layout.alignment != 0)
    return error(Code::invalid_argument, "device address 0x{:x} is not aligned to {} bytes", device_address,
                 layout.alignment);
  if (layout.size > UINT64_MAX - device_address)
    return error(Code::invalid_argument, "0x{:x} bytes at device address 0x{:x} wrap", layout.size, device_address);
  return Load(object, target, device_address, resolver).run();
}

Status load(const CodeObject& object, std::span<std::byte> memory, uint64_t device_address,
            const SymbolResolver& resolver) {
  if (memory.size() < object.layout().size)
    return error(Code::invalid_argument, "{} bytes of memory for a code object of {}", memory.size(),
                 object.layout().size);
  SpanTarget target(memory);
  return load(object, target, device_address, resolver);
}

} // namespace bz::codeobj
