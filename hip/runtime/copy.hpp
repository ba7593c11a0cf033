// Copies and fills as descriptions: what a stream does at once and what a graph keeps for later. Must not know graphs.
#pragma once
#include "hip/runtime/memory.hpp"

namespace bz::hip {

enum class When {
  strict,   ///< done when the call returns
  sync,     ///< the same, but what happens in device memory happens in stream order: no host waits for it
  async,    ///< in stream order; memory that HIP doesn't know may change after the call, so it is read before
  deferred, ///< in stream order, all of it: a graph's node, whose memory has to stay
};

/// A box of rows; a plain copy is one row.
struct Box {
  char* dst;
  const char* src;
  size_t width, height = 1, depth = 1;
  size_t dst_pitch = 0, src_pitch = 0; ///< from row to row
  size_t dst_slice = 0, src_slice = 0; ///< from slice to slice

  bool empty() const { return width == 0 || height == 0 || depth == 0; }
  /// SIZE_MAX if they are more than that.
  size_t bytes() const {
    size_t n;
    return __builtin_mul_overflow(width, height, &n) || __builtin_mul_overflow(n, depth, &n) ? SIZE_MAX : n;
  }
  /// Bytes from the first to the end of the last row; SIZE_MAX, which no allocation holds, if they are more than that.
  static size_t span(size_t width, size_t height, size_t depth, size_t pitch, size_t slice) {
    size_t slices, rows, sum;
    if (__builtin_mul_overflow(depth - 1, slice, &slices) || __builtin_mul_overflow(height - 1, pitch, &rows) ||
        __builtin_add_overflow(slices, rows, &sum) || __builtin_add_overflow(sum, width, &sum))
      return SIZE_MAX;
    return sum;
  }
  size_t dst_span() const { return span(width, height, depth, dst_pitch, dst_slice); }
  size_t src_span() const { return span(width, height, depth, src_pitch, src_slice); }
  /// Rows that follow each other without gaps are one row.
  Box merged() const {
    Box b = *this;
    if (b.height > 1 && b.dst_pitch == b.width && b.src_pitch == b.width) {
      b.width *= b.height;
      b.height = 1;
    }
    if (b.depth > 1 && b.height == 1 && b.dst_slice == b.width && b.src_slice == b.width) {
      b.width *= b.depth;
      b.depth = 1;
    }
    return b;
  }
};

/// A value of 1, 2 or 4 bytes, repeated over a box.
struct Fill {
  char* dst;
  uint32_t value;
  unsigned element; ///< bytes
  size_t width;     ///< bytes of a row
  size_t height = 1, depth = 1, pitch = 0, slice = 0;
  bool device = true; ///< not memory of the host; set by check_fill
  bool synchronous = false; ///< over when the call returns; set by check_fill
  bool empty() const { return width == 0 || height == 0 || depth == 0; }
};

Outcome<Box> box_of(const hipMemcpy3DParms* parameters);
Outcome<hipMemcpy3DParms> parameters_of(const HIP_MEMCPY3D* parameters);
/// The part of a device variable that a copy names.
Outcome<char*> symbol_part(const void* symbol, size_t size, size_t offset);
/// The directions that a copy to or from a variable can't have.
Result check_symbol_kind(hipMemcpyKind kind, bool to_symbol);

/// What can be said before the copy begins: kind, null pointers, ranges.
Result check_copy(const Box& box, hipMemcpyKind kind);
Result copy_box(const Box& box, hipMemcpyKind kind, const StreamPtr& stream, When when);
Result check_fill(Fill& fill);
Result fill_box(Fill fill, const StreamPtr& stream, When when);

} // namespace bz::hip
