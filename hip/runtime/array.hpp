// Arrays: device memory with a channel format, as rows of equal distance. What textures and surfaces read, and a copy's
// side. Must not know textures.
#pragma once
#include "hip/runtime/memory.hpp"

namespace bz::hip {

/// How the elements of an array look: 1, 2 or 4 channels of one format.
struct ElementFormat {
  hipArray_Format format = HIP_AD_FORMAT_UNSIGNED_INT8;
  unsigned channels = 1;

  size_t channel_bytes() const;
  size_t bytes() const { return channel_bytes() * channels; }
  hipChannelFormatDesc desc() const;
  static Outcome<ElementFormat> of(const hipChannelFormatDesc& desc);
  static Outcome<ElementFormat> of(hipArray_Format format, unsigned channels);
};

class Array {
public:
  struct Shape {
    size_t width = 0, height = 0, depth = 0; ///< elements; 0: the array has fewer dimensions
    unsigned flags = 0;                      ///< hipArrayLayered, ...: depth counts layers or faces
  };
  static Outcome<std::shared_ptr<Array>> create(Device& device, ElementFormat element, Shape shape);
  ~Array();
  Array(const Array&) = delete;

  Device& device() const { return device_; }
  const ElementFormat& element() const { return element_; }
  const Shape& shape() const { return shape_; }
  size_t rows() const { return std::max<size_t>(shape_.height, 1); }
  size_t slices() const { return std::max<size_t>(shape_.depth, 1); }
  size_t row_bytes() const { return shape_.width * element_.bytes(); }
  size_t pitch() const { return pitch_; }          ///< bytes from row to row
  size_t slice() const { return pitch_ * rows(); } ///< bytes from slice to slice
  char* base() const { return static_cast<char*>(base_); }
  /// Part of a mipmapped array, which frees it.
  bool is_level = false;

  /// Where a box of the array begins; refuses one that doesn't lie inside. x and width are bytes.
  Outcome<char*> part(const char* what, size_t x, size_t y, size_t z, size_t width, size_t height, size_t depth) const;

private:
  Array(Device& device, ElementFormat element, Shape shape) : device_(device), element_(element), shape_(shape) {}
  Device& device_;
  ElementFormat element_;
  Shape shape_;
  size_t pitch_ = 0;
  void* base_ = nullptr;
};

/// Levels of halved size; the program sees the public structure, which the handle points to.
class MipmappedArray {
public:
  static Outcome<std::shared_ptr<MipmappedArray>> create(Device& device, ElementFormat element, Array::Shape shape,
                                                         unsigned levels);
  ::hipMipmappedArray& seen() { return seen_; }
  const std::vector<std::shared_ptr<Array>>& levels() const { return levels_; }
  Device& device() const { return levels_.front()->device(); }

private:
  ::hipMipmappedArray seen_{}; ///< first: the handle is its address
  std::vector<std::shared_ptr<Array>> levels_;
};

/// The array of a handle; `wrong` is the code for one that isn't live.
Outcome<std::shared_ptr<Array>> find_array(hipArray_const_t handle, hipError_t wrong = hipErrorInvalidValue);

} // namespace bz::hip
