// Images and samplers: descriptors that kernels read, made from the extension's words. A handle is the address of the
// descriptor in memory that GPUs reach. Owns that memory. Must not know how texels are fetched.
#pragma once
#include "abi/image.hpp"
#include "hsa/hsa_ext_image.h"
#include "rocr/agent.hpp"

#include <array>
#include <functional>
#include <mutex>
#include <unordered_map>
#include <vector>

namespace bz::rocr {

/// What the image instructions of an agent have; nothing for one without them.
struct ImageLimits {
  bool images = false;
  uint32_t extent = 16384, planes = 8192, layers = 8192; ///< texels of an axis, of the third, layers
  uint64_t buffer = uint64_t(1) << 32;                   ///< elements of a 1DB image
  static constexpr uint32_t kPitchAlignment = 256;       ///< bytes
  static ImageLimits of(const Agent& agent);
};

/// An image format in the words of the descriptors.
struct ImageFormat {
  uint8_t data = 0, number = 0;
  uint8_t select[4] = {};
  uint8_t bytes = 0;
  bool writable = false;
};
/// One texel in memory of a colour: four floats, or four 32-bit integers for integer formats, of which values out of
/// range become the nearest. For writable formats.
std::array<uint8_t, 16> texel(const ImageFormat& format, const void* colour);
std::optional<ImageFormat> image_format(const hsa_ext_image_format_t& format);

/// Where an image's texels lie.
struct ImageShape {
  ImageFormat format;
  hsa_ext_image_geometry_t geometry = HSA_EXT_IMAGE_GEOMETRY_2D;
  size_t width = 1, height = 1, depth = 1, layers = 1;
  size_t row_pitch = 0, slice_pitch = 0; ///< bytes
  size_t bytes() const { return slice_pitch * (geometry == HSA_EXT_IMAGE_GEOMETRY_3D ? depth : layers); }
};
Result<ImageShape> image_shape(const Agent& agent, const hsa_ext_image_descriptor_t& descriptor, size_t row_pitch,
                               size_t slice_pitch);

class Images {
public:
  struct Image {
    Agent* agent = nullptr;
    ImageShape shape;
    char* data = nullptr;
    char* at(const hsa_dim3_t& p) const {
      return data + p.z * shape.slice_pitch + p.y * shape.row_pitch + p.x * shape.format.bytes;
    }
  };
  /// Gives a page that all GPUs can read.
  using PageAllocator = std::function<void*()>;
  explicit Images(PageAllocator allocate) : allocate_(std::move(allocate)) {}

  Result<uint64_t> create(Agent& agent, const ImageShape& shape, const void* data);
  Result<Image> find(uint64_t handle) const;
  Outcome destroy(uint64_t handle);
  Result<uint64_t> create_sampler(Agent& agent, const hsa_ext_sampler_descriptor_v2_t& descriptor);
  Outcome destroy_sampler(uint64_t handle);

private:
  /// Dwords of an image and of a sampler object: what programs copy from a handle.
  static constexpr size_t kSlot = 64;
  Result<uint64_t> take(const void* words, size_t bytes);

  PageAllocator allocate_;
  mutable std::mutex mutex_;
  std::vector<void*> free_;
  std::unordered_map<uint64_t, Image> images_;
  std::unordered_map<uint64_t, Agent*> samplers_;
};

} // namespace bz::rocr
