#include "rocr/image.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>
#include <optional>

namespace bz::rocr {
namespace {

// IMG_DATA_FORMAT and IMG_NUM_FORMAT of gfx9; buffers number the ones used here the same way.
enum Data : uint8_t {
  k8 = 1,
  k16,
  k8_8,
  k32,
  k16_16,
  k8_8_8_8 = 10,
  k32_32,
  k16_16_16_16,
  k32_32_32_32 = 14,
  k5_6_5 = 16,
  k1_5_5_5
};
enum Number : uint8_t { unorm = 0, snorm = 1, uint = 4, sint = 5, floating = 7, srgb = 9 };
constexpr uint8_t kZero = 0, kOne = 1, kR = 4, kG = 5, kB = 6, kA = 7;

hsa_status_t status(int code) { return static_cast<hsa_status_t>(code); }

struct Channel {
  Number number;
  uint8_t bytes;
};
std::optional<Channel> channel(uint32_t type) {
  switch (type) {
  case HSA_EXT_IMAGE_CHANNEL_TYPE_SNORM_INT8:
    return Channel{snorm, 1};
  case HSA_EXT_IMAGE_CHANNEL_TYPE_SNORM_INT16:
    return Channel{snorm, 2};
  case HSA_EXT_IMAGE_CHANNEL_TYPE_UNORM_INT8:
    return Channel{unorm, 1};
  case HSA_EXT_IMAGE_CHANNEL_TYPE_UNORM_INT16:
    return Channel{unorm, 2};
  case HSA_EXT_IMAGE_CHANNEL_TYPE_SIGNED_INT8:
    return Channel{sint, 1};
  case HSA_EXT_IMAGE_CHANNEL_TYPE_SIGNED_INT16:
    return Channel{sint, 2};
  case HSA_EXT_IMAGE_CHANNEL_TYPE_SIGNED_INT32:
    return Channel{sint, 4};
  case HSA_EXT_IMAGE_CHANNEL_TYPE_UNSIGNED_INT8:
    return Channel{uint, 1};
  case HSA_EXT_IMAGE_CHANNEL_TYPE_UNSIGNED_INT16:
    return Channel{uint, 2};
  case HSA_EXT_IMAGE_CHANNEL_TYPE_UNSIGNED_INT32:
    return Channel{uint, 4};
  case HSA_EXT_IMAGE_CHANNEL_TYPE_HALF_FLOAT:
    return Channel{floating, 2};
  case HSA_EXT_IMAGE_CHANNEL_TYPE_FLOAT:
    return Channel{floating, 4};
  default:
    return std::nullopt; // packed formats and 24 bits
  }
}

/// How many components an order has in memory, and where each register comes from.
struct Order {
  uint8_t components;
  uint8_t select[4];
  bool srgb = false;
};
std::optional<Order> order(uint32_t o) {
  switch (o) {
  case HSA_EXT_IMAGE_CHANNEL_ORDER_A:
    return Order{1, {kZero, kZero, kZero, kR}};
  case HSA_EXT_IMAGE_CHANNEL_ORDER_R:
  case HSA_EXT_IMAGE_CHANNEL_ORDER_RX:
  case HSA_EXT_IMAGE_CHANNEL_ORDER_DEPTH:
    return Order{1, {kR, kZero, kZero, kOne}};
  case HSA_EXT_IMAGE_CHANNEL_ORDER_RG:
  case HSA_EXT_IMAGE_CHANNEL_ORDER_RGX:
    return Order{2, {kR, kG, kZero, kOne}};
  case HSA_EXT_IMAGE_CHANNEL_ORDER_RA:
    return Order{2, {kR, kZero, kZero, kG}};
  case HSA_EXT_IMAGE_CHANNEL_ORDER_RGBA:
    return Order{4, {kR, kG, kB, kA}};
  case HSA_EXT_IMAGE_CHANNEL_ORDER_BGRA:
    return Order{4, {kB, kG, kR, kA}};
  case HSA_EXT_IMAGE_CHANNEL_ORDER_ARGB:
    return Order{4, {kG, kB, kA, kR}};
  case HSA_EXT_IMAGE_CHANNEL_ORDER_ABGR:
    return Order{4, {kA, kB, kG, kR}};
  case HSA_EXT_IMAGE_CHANNEL_ORDER_SRGBA:
    return Order{4, {kR, kG, kB, kA}, true};
  case HSA_EXT_IMAGE_CHANNEL_ORDER_SBGRA:
    return Order{4, {kB, kG, kR, kA}, true};
  case HSA_EXT_IMAGE_CHANNEL_ORDER_INTENSITY:
    return Order{1, {kR, kR, kR, kR}};
  case HSA_EXT_IMAGE_CHANNEL_ORDER_LUMINANCE:
    return Order{1, {kR, kR, kR, kOne}};
  default:
    return std::nullopt; // three components in memory, or two planes
  }
}

size_t up(size_t n, size_t step) { return (n + step - 1) / step * step; }

} // namespace

ImageLimits ImageLimits::of(const Agent& agent) {
  ImageLimits limits;
  // gfx940 and its successors in the data centre have no image instructions.
  limits.images = agent.is_gpu() && agent.isa()->target.processor->generation < codeobj::Generation::gfx940;
  return limits;
}

std::optional<ImageFormat> image_format(const hsa_ext_image_format_t& format) {
  const auto c = channel(format.channel_type);
  const auto o = order(format.channel_order);
  if (!c || !o || (o->srgb && (c->number != unorm || c->bytes != 1))) return std::nullopt;
  constexpr uint8_t kData[3][5] = {
      {0, k8, k8_8, 0, k8_8_8_8}, {0, k16, k16_16, 0, k16_16_16_16}, {0, k32, k32_32, 0, k32_32_32_32}};
  ImageFormat f;
  f.data = kData[c->bytes / 2][o->components];
  f.number = o->srgb ? srgb : c->number;
  std::memcpy(f.select, o->select, sizeof f.select);
  f.bytes = static_cast<uint8_t>(c->bytes * o->components);
  f.writable = !o->srgb;
  return f;
}

namespace {

uint32_t component(uint8_t number, size_t bytes, const void* value) {
  float f;
  int32_t i;
  uint32_t u;
  std::memcpy(&f, value, 4);
  std::memcpy(&i, value, 4);
  std::memcpy(&u, value, 4);
  const uint64_t most = (uint64_t(1) << (8 * bytes)) - 1, half = most / 2;
  switch (number) {
  case unorm:
    return f > 0 ? uint32_t(std::nearbyint(std::min(f, 1.0f) * double(most))) : 0; // NaN: 0
  case snorm:
    return f == f ? uint32_t(int32_t(std::nearbyint(std::clamp(f, -1.0f, 1.0f) * double(half)))) : 0;
  case uint:
    return uint32_t(std::min<uint64_t>(u, most));
  case sint:
    return uint32_t(std::clamp<int64_t>(i, -int64_t(half) - 1, int64_t(half)));
  default:
    return bytes == 4 ? u : std::bit_cast<uint16_t>(_Float16(f));
  }
}

} // namespace

std::array<uint8_t, 16> texel(const ImageFormat& format, const void* colour) {
  constexpr size_t kBytes[] = {0, 1, 2, 1, 4, 2}; // of a component, by data format
  const size_t bytes = format.data == k8_8_8_8                                ? 1
                       : format.data == k16_16_16_16                          ? 2
                       : format.data == k32_32 || format.data == k32_32_32_32 ? 4
                                                                              : kBytes[format.data];
  std::array<uint8_t, 16> out{};
  for (size_t k = 0; k < format.bytes / bytes; ++k)
    for (size_t channel = 4; channel-- > 0;) // the first one that reads it: red for luminance
      if (format.select[channel] == kR + k) {
        const uint32_t c = component(format.number, bytes, static_cast<const char*>(colour) + 4 * channel);
        std::memcpy(&out[k * bytes], &c, bytes);
      }
  return out;
}

Result<ImageShape> image_shape(const Agent& agent, const hsa_ext_image_descriptor_t& d, size_t row_pitch,
                               size_t slice_pitch) {
  const ImageLimits limits = ImageLimits::of(agent);
  if (!limits.images)
    return fail(status(HSA_EXT_STATUS_ERROR_IMAGE_FORMAT_UNSUPPORTED), "{} has no image instructions", agent.name());
  const auto format = image_format(d.format);
  if (!format)
    return fail(status(HSA_EXT_STATUS_ERROR_IMAGE_FORMAT_UNSUPPORTED), "channel type {} with order {}",
                d.format.channel_type, d.format.channel_order);
  ImageShape s;
  s.format = *format;
  s.geometry = d.geometry;
  s.width = d.width;
  bool layered = false;
  uint64_t most = limits.extent;
  switch (d.geometry) {
  case HSA_EXT_IMAGE_GEOMETRY_1DB:
    most = limits.buffer - 1;
    break;
  case HSA_EXT_IMAGE_GEOMETRY_1D:
    break;
  case HSA_EXT_IMAGE_GEOMETRY_1DA:
    layered = true;
    break;
  case HSA_EXT_IMAGE_GEOMETRY_2DADEPTH:
  case HSA_EXT_IMAGE_GEOMETRY_2DA:
    layered = true;
    [[fallthrough]];
  case HSA_EXT_IMAGE_GEOMETRY_2DDEPTH:
  case HSA_EXT_IMAGE_GEOMETRY_2D:
    s.height = d.height;
    break;
  case HSA_EXT_IMAGE_GEOMETRY_3D:
    s.height = d.height;
    s.depth = d.depth;
    break;
  default:
    return fail(HSA_STATUS_ERROR_INVALID_ARGUMENT, "image geometry {} doesn't exist", int(d.geometry));
  }
  if (layered) s.layers = d.array_size;
  if (s.width == 0 || s.height == 0 || s.depth == 0 || s.layers == 0)
    return fail(HSA_STATUS_ERROR_INVALID_ARGUMENT, "an image of {} x {} x {} texels in {} layers", s.width, s.height,
                s.depth, s.layers);
  if (s.width > most || s.height > limits.extent || s.depth > limits.planes || s.layers > limits.layers)
    return fail(status(HSA_EXT_STATUS_ERROR_IMAGE_SIZE_UNSUPPORTED), "{} x {} x {} texels in {} layers", s.width,
                s.height, s.depth, s.layers);
  const size_t row = s.width * s.format.bytes;
  s.row_pitch = row_pitch                                  ? row_pitch
                : d.geometry == HSA_EXT_IMAGE_GEOMETRY_1DB ? row
                                                           : up(row, limits.kPitchAlignment);
  const bool rows = s.height > 1;
  if (s.row_pitch < row || s.row_pitch % s.format.bytes != 0 || (rows && s.row_pitch % limits.kPitchAlignment != 0) ||
      s.row_pitch / s.format.bytes > 65536 + uint64_t(d.geometry == HSA_EXT_IMAGE_GEOMETRY_1DB) * limits.buffer)
    return fail(status(HSA_EXT_STATUS_ERROR_IMAGE_PITCH_UNSUPPORTED), "rows of {} bytes, {} apart", row, s.row_pitch);
  s.slice_pitch = slice_pitch ? slice_pitch : s.row_pitch * s.height;
  if (s.slice_pitch != s.row_pitch * s.height && (s.depth > 1 || s.layers > 1))
    return fail(status(HSA_EXT_STATUS_ERROR_IMAGE_PITCH_UNSUPPORTED), "slices {} bytes apart, {} are possible",
                s.slice_pitch, s.row_pitch * s.height);
  return s;
}

Result<uint64_t> Images::take(const void* words, size_t bytes) {
  if (free_.empty()) {
    constexpr size_t kPage = 4096;
    auto* page = static_cast<char*>(allocate_());
    if (!page) return fail(HSA_STATUS_ERROR_OUT_OF_RESOURCES, "no memory for image descriptors");
    for (size_t at = kPage; at >= kSlot; at -= kSlot) free_.push_back(page + at - kSlot);
  }
  void* slot = free_.back();
  free_.pop_back();
  std::memset(slot, 0, kSlot);
  std::memcpy(slot, words, bytes);
  return reinterpret_cast<uint64_t>(slot);
}

Result<uint64_t> Images::create(Agent& agent, const ImageShape& s, const void* data) {
  namespace f = abi::image;
  const auto address = reinterpret_cast<uint64_t>(data);
  abi::ImageResource r;
  if (s.geometry == HSA_EXT_IMAGE_GEOMETRY_1DB) {
    // A buffer resource: typed loads and stores take an index. Base, stride, records, selection, formats.
    if (address % s.format.bytes != 0 && address % 4 != 0)
      return fail(HSA_STATUS_ERROR_INVALID_ARGUMENT, "{} is not aligned for elements of {} bytes", data,
                  s.format.bytes);
    r.set({0, 48}, address);
    r.set({48, 14}, s.format.bytes);
    r.set({64, 32}, s.width);
    for (uint16_t k = 0; k < 4; ++k) r.set({static_cast<uint16_t>(96 + 3 * k), 3}, s.format.select[k]);
    r.set({108, 3}, s.format.number);
    r.set({111, 4}, s.format.data);
  } else {
    if (address % ImageLimits::kPitchAlignment != 0)
      return fail(HSA_STATUS_ERROR_INVALID_ARGUMENT, "{} is not aligned to {} bytes", data,
                  ImageLimits::kPitchAlignment);
    f::Type type = f::Type::d2;
    switch (s.geometry) {
    case HSA_EXT_IMAGE_GEOMETRY_1D:
      type = f::Type::d1;
      break;
    case HSA_EXT_IMAGE_GEOMETRY_1DA:
      type = f::Type::d1_array;
      break;
    case HSA_EXT_IMAGE_GEOMETRY_2DA:
    case HSA_EXT_IMAGE_GEOMETRY_2DADEPTH:
      type = f::Type::d2_array;
      break;
    case HSA_EXT_IMAGE_GEOMETRY_3D:
      type = f::Type::d3;
      break;
    default:
      break;
    }
    r.set(f::kBase, address >> 8);
    r.set(f::kDataFormat, s.format.data);
    r.set(f::kNumFormat, s.format.number);
    r.set(f::kWidth, s.width - 1);
    r.set(f::kHeight, s.height - 1);
    for (int k = 0; k < 4; ++k) r.set(f::kDstSel[k], s.format.select[k]);
    r.set(f::kType, static_cast<uint64_t>(type));
    r.set(f::kDepth, (type == f::Type::d3 ? s.depth : s.layers) - 1);
    r.set(f::kPitch, s.row_pitch / s.format.bytes - 1);
  }
  std::lock_guard lock(mutex_);
  ROCR_TRY_ASSIGN(const uint64_t handle, take(r.word.data(), sizeof r.word));
  images_.emplace(handle, Image{&agent, s, static_cast<char*>(const_cast<void*>(data))});
  return handle;
}

Result<Images::Image> Images::find(uint64_t handle) const {
  std::lock_guard lock(mutex_);
  const auto at = images_.find(handle);
  if (at == images_.end()) return fail(HSA_STATUS_ERROR_INVALID_ARGUMENT, "{:#x} is no live image", handle);
  return at->second;
}

Outcome Images::destroy(uint64_t handle) {
  std::lock_guard lock(mutex_);
  if (images_.erase(handle) == 0) return fail(HSA_STATUS_ERROR_INVALID_ARGUMENT, "{:#x} is no live image", handle);
  free_.push_back(reinterpret_cast<void*>(handle));
  return {};
}

Result<uint64_t> Images::create_sampler(Agent& agent, const hsa_ext_sampler_descriptor_v2_t& d) {
  namespace f = abi::sampler;
  if (!ImageLimits::of(agent).images)
    return fail(status(HSA_EXT_STATUS_ERROR_SAMPLER_DESCRIPTOR_UNSUPPORTED), "{} has no image instructions",
                agent.name());
  if (d.coordinate_mode > HSA_EXT_SAMPLER_COORDINATE_MODE_NORMALIZED ||
      d.filter_mode > HSA_EXT_SAMPLER_FILTER_MODE_LINEAR)
    return fail(HSA_STATUS_ERROR_INVALID_ARGUMENT, "coordinate mode {} or filter mode {} doesn't exist",
                d.coordinate_mode, d.filter_mode);
  const bool normalized = d.coordinate_mode == HSA_EXT_SAMPLER_COORDINATE_MODE_NORMALIZED;
  abi::ImageSampler s;
  for (int k = 0; k < 3; ++k) {
    f::Clamp clamp = f::Clamp::edge;
    switch (d.address_modes[k]) {
    case HSA_EXT_SAMPLER_ADDRESSING_MODE_UNDEFINED:
    case HSA_EXT_SAMPLER_ADDRESSING_MODE_CLAMP_TO_EDGE:
      break;
    case HSA_EXT_SAMPLER_ADDRESSING_MODE_CLAMP_TO_BORDER:
      clamp = f::Clamp::border;
      break;
    case HSA_EXT_SAMPLER_ADDRESSING_MODE_REPEAT:
      clamp = f::Clamp::wrap;
      break;
    case HSA_EXT_SAMPLER_ADDRESSING_MODE_MIRRORED_REPEAT:
      clamp = f::Clamp::mirror;
      break;
    default:
      return fail(HSA_STATUS_ERROR_INVALID_ARGUMENT, "addressing mode {} doesn't exist", d.address_modes[k]);
    }
    if (!normalized && (clamp == f::Clamp::wrap || clamp == f::Clamp::mirror))
      return fail(status(HSA_EXT_STATUS_ERROR_SAMPLER_DESCRIPTOR_UNSUPPORTED),
                  "repetition needs normalized coordinates");
    s.set(f::kClamp[k], static_cast<uint64_t>(clamp));
  }
  const bool linear = d.filter_mode == HSA_EXT_SAMPLER_FILTER_MODE_LINEAR;
  s.set(f::kUnnormalized, !normalized);
  s.set(f::kMagFilter, linear);
  s.set(f::kMinFilter, linear);
  s.set(f::kMaxLod, 0xfff);
  s.set(f::kNoCubeWrap, 1);
  std::lock_guard lock(mutex_);
  ROCR_TRY_ASSIGN(const uint64_t handle, take(s.word.data(), sizeof s.word));
  samplers_.emplace(handle, &agent);
  return handle;
}

Outcome Images::destroy_sampler(uint64_t handle) {
  std::lock_guard lock(mutex_);
  if (samplers_.erase(handle) == 0) return fail(HSA_STATUS_ERROR_INVALID_ARGUMENT, "{:#x} is no live sampler", handle);
  free_.push_back(reinterpret_cast<void*>(handle));
  return {};
}

} // namespace bz::rocr
