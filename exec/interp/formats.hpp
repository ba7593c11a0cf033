// Texels: how components of a buffer or image element lie in memory and what they are in registers. Owns data formats,
// number formats and the conversions between them; must not know resources, addresses or rows. Compiled once for the floor,
// with whole numbers only: results do not depend on MODE.
#pragma once
#include <cstdint>

namespace bz::exec {

/// Number formats of buffer and image resources (Vega ISA, tables of the buffer and image resource descriptors).
enum class NumFormat : uint8_t { unorm, snorm, uscaled, sscaled, uint, sint, reserved6, floating, metadata, srgb };

/// One element in memory: where each component lies, and what kind of number it is. Component 0 (X, R) has the lowest
/// bits: the names of data formats list widths from the highest bit down.
struct TexelFormat {
  struct Component {
    uint8_t at = 0, bits = 0;        ///< position from the first byte's bit 0, and width
    NumFormat num = NumFormat::unorm;
  };
  Component c[4];
  uint8_t bytes = 0;                 ///< 0: the invalid format, an unbound resource: reads give 0, stores do nothing
  uint8_t components = 0;
  bool shared_exponent = false;      ///< 5_9_9_9

  /// Registers hold integers, not floats.
  bool integer() const { return c[0].num == NumFormat::uint || c[0].num == NumFormat::sint; }
  /// 1 in a register, or in half of one.
  uint32_t one() const { return integer() ? 1u : 0x3f800000u; }
  uint32_t one_d16() const { return integer() ? 1u : 0x3c00u; }
};

/// BUF_DATA_FORMAT (0 to 15) or IMG_DATA_FORMAT with its number format. False: reserved, block-compressed, or a combination
/// that does not exist (an 8-bit float); nothing may be done with it.
bool texel_format(unsigned data, unsigned num, TexelFormat& f);
/// For people: "8_8_8_8 unorm" and the like; lives as long as the process.
const char* texel_format_name(unsigned data, unsigned num);

/// The element's components as 32-bit registers. Components that the format lacks are 0; `raw`: f.bytes bytes.
void read_texel(const TexelFormat& f, const void* raw, uint32_t out[4]);
/// As 16-bit ones (d16): halves, rounded once, or integers that saturate.
void read_texel_d16(const TexelFormat& f, const void* raw, uint32_t out[4]);
/// The other way: saturates, rounds to nearest even, NaN gives 0 where there are no NaNs. Writes all f.bytes bytes.
void write_texel(const TexelFormat& f, const uint32_t in[4], void* raw);

/// Between 32-bit components and 16-bit ones. Floats are rounded to nearest even, integers saturate.
uint32_t component_to_d16(const TexelFormat& f, uint32_t x);
uint32_t component_from_d16(const TexelFormat& f, uint32_t x);

} // namespace bz::exec
