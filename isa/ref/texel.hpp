// Texels: fields of memory to register values and back, for the references of formatted buffer rows and image rows. Rounding and
// saturation as docs/fidelity.md has them ("Texels"). Tests only.
#pragma once
#include <cstddef>
#include <cstdint>

namespace bz::isa::ref {

enum Number { unorm = 0, snorm = 1, uscaled = 2, sscaled = 3, uint = 4, sint = 5, real = 7, srgb = 9 };
inline bool is_integer(int number) { return number == uint || number == sint; }

/// Widths of the components from the lowest bit on; names of formats go the other way (2_10_10_10 has two bits on top).
struct TexelLayout {
  int count;
  int bits[4];
  size_t bytes() const {
    int sum = 0;
    for (int k = 0; k < count; ++k) sum += bits[k];
    return static_cast<size_t>(sum) / 8;
  }
};

/// Of a data format, as buffer resources (below 16) and image resources number them; no components: none that is known.
TexelLayout layout_of(unsigned data_format);

/// Bits [at, at + n) of up to 16 bytes.
uint32_t field(const uint8_t* raw, int at, int n);
void set_field(uint8_t* raw, int at, int n, uint32_t x);

/// A number in a small float of five bits of exponent and `mant` of fraction, rounded to the nearest even. `sign` = whether the
/// format has one: without, what is negative becomes 0.
uint32_t encode(double x, uint32_t nan_fraction, int mant, bool sign);
double decode(uint32_t x, int mant, bool sign);
/// The same number as a single; a NaN keeps its fraction.
uint32_t to_single(uint32_t x, int mant, bool sign);
/// A single in fewer digits. A NaN keeps its upper digits, and stays one.
uint32_t from_single(uint32_t x, int mant, bool sign);

/// What a load makes of a component; d16: for half a register.
uint32_t loaded(uint32_t raw, int bits, int number, bool d16);
/// What a store makes of a register (or half of one).
uint32_t stored(uint32_t x, int bits, int number, bool d16);

} // namespace bz::isa::ref
