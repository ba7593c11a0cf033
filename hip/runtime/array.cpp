#include "hip/runtime/array.hpp"
#include "hip/runtime/impl.hpp"
#include "hip/runtime/memory_use.hpp"
#include "hip/runtime/pool.hpp"

#include <bit>

namespace bz::hip {

// ---- Formats --------------------------------------------------------------------------------------------------------

size_t ElementFormat::channel_bytes() const {
  switch (format) {
  case HIP_AD_FORMAT_UNSIGNED_INT8:
  case HIP_AD_FORMAT_SIGNED_INT8:
    return 1;
  case HIP_AD_FORMAT_UNSIGNED_INT16:
  case HIP_AD_FORMAT_SIGNED_INT16:
  case HIP_AD_FORMAT_HALF:
    return 2;
  case HIP_AD_FORMAT_UNSIGNED_INT32:
  case HIP_AD_FORMAT_SIGNED_INT32:
  case HIP_AD_FORMAT_FLOAT:
    return 4;
  }
  return 0;
}

hipChannelFormatDesc ElementFormat::desc() const {
  const int bits = int(channel_bytes() * 8);
  hipChannelFormatKind kind = hipChannelFormatKindUnsigned;
  if (format == HIP_AD_FORMAT_HALF || format == HIP_AD_FORMAT_FLOAT) kind = hipChannelFormatKindFloat;
  if (format == HIP_AD_FORMAT_SIGNED_INT8 || format == HIP_AD_FORMAT_SIGNED_INT16 ||
      format == HIP_AD_FORMAT_SIGNED_INT32)
    kind = hipChannelFormatKindSigned;
  return {bits, channels > 1 ? bits : 0, channels > 2 ? bits : 0, channels > 3 ? bits : 0, kind};
}

Outcome<ElementFormat> ElementFormat::of(hipArray_Format format, unsigned channels) {
  ElementFormat e{format, channels};
  if (e.channel_bytes() == 0)
    return fail(hipErrorInvalidValue, "array format {} doesn't exist", static_cast<int>(format));
  if (channels != 1 && channels != 2 && channels != 4)
    return fail(hipErrorInvalidValue, "elements of {} channels: only 1, 2 and 4 are possible", channels);
  return e;
}

Outcome<ElementFormat> ElementFormat::of(const hipChannelFormatDesc& d) {
  const int bits[] = {d.x, d.y, d.z, d.w};
  unsigned channels = 0;
  while (channels < 4 && bits[channels] != 0) ++channels;
  for (unsigned i = 0; i < 4; ++i)
    if (bits[i] != (i < channels ? d.x : 0))
      return fail(hipErrorInvalidValue, "channels of {}, {}, {} and {} bits: all used ones must be equal", d.x, d.y,
                  d.z, d.w);
  struct Known {
    hipChannelFormatKind kind;
    int bits;
    hipArray_Format format;
  };
  constexpr Known kKnown[] = {{hipChannelFormatKindSigned, 8, HIP_AD_FORMAT_SIGNED_INT8},
                              {hipChannelFormatKindSigned, 16, HIP_AD_FORMAT_SIGNED_INT16},
                              {hipChannelFormatKindSigned, 32, HIP_AD_FORMAT_SIGNED_INT32},
                              {hipChannelFormatKindUnsigned, 8, HIP_AD_FORMAT_UNSIGNED_INT8},
                              {hipChannelFormatKindUnsigned, 16, HIP_AD_FORMAT_UNSIGNED_INT16},
                              {hipChannelFormatKindUnsigned, 32, HIP_AD_FORMAT_UNSIGNED_INT32},
                              {hipChannelFormatKindFloat, 16, HIP_AD_FORMAT_HALF},
                              {hipChannelFormatKindFloat, 32, HIP_AD_FORMAT_FLOAT}};
  for (const Known& k : kKnown)
    if (k.kind == d.f && k.bits == d.x) return of(k.format, channels);
  return fail(hipErrorInvalidValue, "channels of {} bits and kind {} don't exist", d.x, static_cast<int>(d.f));
}

// ---- Arrays ---------------------------------------------------------------------------------------------------------

namespace {

constexpr unsigned kFlags = hipArrayLayered | hipArraySurfaceLoadStore | hipArrayCubemap | hipArrayTextureGather;

/// What image instructions can address: elements of a row, rows, and slices or layers. The same of every product.
constexpr size_t kMostElements = 16384, kMostSlices = 8192;

Result check_shape(const Array::Shape& s) {
  if (s.flags & ~kFlags) return fail(hipErrorInvalidValue, "array flags {:#x} don't exist", s.flags);
  if (s.width == 0) return Result(hipErrorInvalidValue, "an array without width");
  if (s.width > kMostElements || s.height > kMostElements || s.depth > kMostSlices)
    return fail(hipErrorInvalidValue, "{} x {} x {} elements: an array has at most {} x {} x {}", s.width, s.height,
                s.depth, kMostElements, kMostElements, kMostSlices);
  const bool layered = s.flags & hipArrayLayered, cube = s.flags & hipArrayCubemap;
  if (cube && (s.width != s.height || s.depth == 0 || s.depth % 6 != 0 || (!layered && s.depth != 6)))
    return fail(hipErrorInvalidValue, "{} x {} with {} faces is no cube map", s.width, s.height, s.depth);
  if (layered && s.depth == 0) return Result(hipErrorInvalidValue, "a layered array without layers");
  if (!layered && s.height == 0 && s.depth != 0)
    return fail(hipErrorInvalidValue, "an array of depth {} without height", s.depth);
  if (s.flags & hipArrayTextureGather && (s.height == 0 || s.depth != 0 || cube))
    return Result(hipErrorInvalidValue, "texture gather needs an array of two dimensions");
  return {};
}

Array::Shape shape_of(const HIP_ARRAY3D_DESCRIPTOR& d) { return {d.Width, d.Height, d.Depth, d.Flags}; }

} // namespace

Outcome<std::shared_ptr<Array>> Array::create(Device& device, ElementFormat element, Shape shape) {
  if (Result r = check_shape(shape); !r.ok()) return r;
  constexpr size_t kAlignment = 256; // rows and the beginning: what image instructions need of linear surfaces
  std::shared_ptr<Array> array(new Array(device, element, shape));
  array->pitch_ = (array->row_bytes() + kAlignment - 1) / kAlignment * kAlignment;
  auto memory = allocate_device(device, device.vram(), array->slice() * array->slices(), hipDeviceMallocDefault,
                                MemoryKind::array);
  if (!memory.ok()) return memory.result();
  array->base_ = *memory;
  return array;
}

Array::~Array() {
  auto taken = Runtime::get().memory.remove(base_);
  if (!taken) return; // a reset took it
  wait_for_memory_uses();
  (void)release_allocation(*taken);
}

Outcome<char*> Array::part(const char* what, size_t x, size_t y, size_t z, size_t width, size_t height,
                           size_t depth) const {
  auto inside = [](size_t at, size_t count, size_t all) { return at <= all && count <= all - at; };
  if (!inside(x, width, row_bytes()) || !inside(y, height, rows()) || !inside(z, depth, slices()))
    return fail(hipErrorInvalidValue,
                "{}: {} bytes x {} x {} at ({}, {}, {}) don't lie in the array of {} bytes x {} x {}", what, width,
                height, depth, x, y, z, row_bytes(), rows(), slices());
  return base() + z * slice() + y * pitch() + x;
}

Outcome<std::shared_ptr<MipmappedArray>> MipmappedArray::create(Device& device, ElementFormat element,
                                                                Array::Shape shape, unsigned levels) {
  const size_t longest = std::max({shape.width, shape.height, shape.flags & hipArrayLayered ? 0 : shape.depth});
  const unsigned most = longest ? unsigned(std::bit_width(longest)) : 0;
  if (levels == 0 || levels > std::max(most, 1u))
    return fail(hipErrorInvalidValue, "{} levels: an array of this size has 1 to {}", levels, most);
  auto mipmap = std::make_shared<MipmappedArray>();
  auto half = [](size_t n) { return n == 0 ? 0 : std::max<size_t>(n / 2, 1); };
  for (Array::Shape at = shape; mipmap->levels_.size() < levels;) {
    auto level = Array::create(device, element, at);
    if (!level.ok()) return level.result();
    (*level)->is_level = true;
    mipmap->levels_.push_back(*level);
    at.width = half(at.width);
    at.height = half(at.height);
    if (!(at.flags & (hipArrayLayered | hipArrayCubemap))) at.depth = half(at.depth);
  }
  auto& seen = mipmap->seen_;
  seen.data = mipmap->levels_.front()->base();
  seen.desc = element.desc();
  seen.type = hipResourceTypeMipmappedArray;
  seen.width = unsigned(shape.width);
  seen.height = unsigned(shape.height);
  seen.depth = unsigned(shape.depth);
  seen.max_mipmap_level = levels;
  seen.flags = shape.flags;
  seen.format = element.format;
  seen.num_channels = element.channels;
  return mipmap;
}

Outcome<std::shared_ptr<Array>> find_array(hipArray_const_t handle, hipError_t wrong) {
  if (!handle) return Result(wrong, "the array is null");
  if (auto array = Runtime::get().arrays.find(handle)) return array;
  return fail(wrong, "array {} was never created or is freed", static_cast<const void*>(handle));
}

namespace impl {
namespace {

hipArray_t enter(std::shared_ptr<Array> array) {
  auto handle = reinterpret_cast<hipArray_t>(array.get());
  Runtime::get().arrays.add(std::move(array));
  return handle;
}

Result make(hipArray_t* out, const Outcome<ElementFormat>& element, Array::Shape shape) {
  if (!element.ok()) return element.result();
  HIP_TRY_ASSIGN(auto array, Array::create(Runtime::get().current(), *Outcome<ElementFormat>(element), shape));
  *out = enter(std::move(array));
  return {};
}

Result free_array(hipArray_t array) {
  if (!array) return Result(hipErrorInvalidValue, "argument array is null");
  auto& arrays = Runtime::get().arrays;
  auto found = arrays.find(array);
  if (!found)
    return fail(hipErrorContextIsDestroyed, "array {} was never created or is freed", static_cast<void*>(array));
  if (found->is_level) return Result(hipErrorInvalidValue, "the array is a level: free the mipmapped array");
  Runtime::get().synchronize_devices(); // work that uses it must be over
  if (!arrays.remove(array))
    return fail(hipErrorContextIsDestroyed, "array {} was freed already", static_cast<void*>(array));
  return {};
}

Result make_mipmap(hipMipmappedArray_t* out, const Outcome<ElementFormat>& element, Array::Shape shape,
                   unsigned levels) {
  if (!element.ok()) return element.result();
  auto& runtime = Runtime::get();
  HIP_TRY_ASSIGN(auto mipmap,
                 MipmappedArray::create(runtime.current(), *Outcome<ElementFormat>(element), shape, levels));
  for (auto& level : mipmap->levels()) runtime.arrays.add(level);
  *out = &mipmap->seen();
  runtime.mipmaps.add(std::move(mipmap));
  return {};
}

Result free_mipmap(hipMipmappedArray_t mipmap) {
  if (!mipmap) return Result(hipErrorInvalidValue, "argument mipmappedArray is null");
  auto& runtime = Runtime::get();
  auto found = runtime.mipmaps.find(mipmap);
  if (found) Runtime::get().synchronize_devices();
  if (!found || !runtime.mipmaps.remove(mipmap))
    return fail(hipErrorContextIsDestroyed, "mipmapped array {} was never created or is freed",
                static_cast<void*>(mipmap));
  for (auto& level : found->levels()) (void)runtime.arrays.remove(level.get());
  return {};
}

Result level_of(hipArray_t* out, const void* mipmap, unsigned level) {
  HIP_NONNULL_AS(out, "levelArray");
  auto found = Runtime::get().mipmaps.find(mipmap);
  if (!found) return fail(hipErrorInvalidHandle, "mipmapped array {} was never created or is freed", mipmap);
  if (level >= found->levels().size())
    return fail(hipErrorInvalidValue, "level {} of {}", level, found->levels().size());
  *out = reinterpret_cast<hipArray_t>(found->levels()[level].get());
  return {};
}

} // namespace

Result hipMallocArray(hipArray_t* array, const hipChannelFormatDesc* desc, size_t width, size_t height,
                      unsigned int flags) {
  HIP_NONNULL(array);
  HIP_NONNULL(desc);
  if (flags & (hipArrayLayered | hipArrayCubemap))
    return fail(hipErrorInvalidValue, "array flags {:#x} need hipMalloc3DArray", flags);
  return make(array, ElementFormat::of(*desc), {width, height, 0, flags});
}

Result hipMalloc3DArray(hipArray_t* array, const struct hipChannelFormatDesc* desc, struct hipExtent extent,
                        unsigned int flags) {
  HIP_NONNULL(array);
  HIP_NONNULL(desc);
  return make(array, ElementFormat::of(*desc), {extent.width, extent.height, extent.depth, flags});
}

Result hipArrayCreate(hipArray_t* array, const HIP_ARRAY_DESCRIPTOR* d) {
  HIP_NONNULL_AS(array, "pHandle");
  HIP_NONNULL_AS(d, "pAllocateArray");
  return make(array, ElementFormat::of(d->Format, d->NumChannels), {d->Width, d->Height, 0, 0});
}

Result hipArray3DCreate(hipArray_t* array, const HIP_ARRAY3D_DESCRIPTOR* d) {
  HIP_NONNULL(array);
  HIP_NONNULL_AS(d, "pAllocateArray");
  return make(array, ElementFormat::of(d->Format, d->NumChannels), shape_of(*d));
}

Result hipFreeArray(hipArray_t array) { return free_array(array); }
Result hipArrayDestroy(hipArray_t array) { return free_array(array); }

Result hipArrayGetInfo(hipChannelFormatDesc* desc, hipExtent* extent, unsigned int* flags, hipArray_t array) {
  HIP_TRY_ASSIGN(auto a, find_array(array, hipErrorInvalidHandle));
  if (desc) *desc = a->element().desc();
  if (extent) *extent = {a->shape().width, a->shape().height, a->shape().depth};
  if (flags) *flags = a->shape().flags;
  return {};
}

Result hipArrayGetDescriptor(HIP_ARRAY_DESCRIPTOR* d, hipArray_t array) {
  HIP_NONNULL_AS(d, "pArrayDescriptor");
  HIP_TRY_ASSIGN(auto a, find_array(array, hipErrorInvalidHandle));
  *d = {a->shape().width, a->shape().height, a->element().format, a->element().channels};
  return {};
}

Result hipArray3DGetDescriptor(HIP_ARRAY3D_DESCRIPTOR* d, hipArray_t array) {
  HIP_NONNULL_AS(d, "pArrayDescriptor");
  HIP_TRY_ASSIGN(auto a, find_array(array, hipErrorInvalidHandle));
  const auto& s = a->shape();
  *d = {s.width, s.height, s.depth, a->element().format, a->element().channels, s.flags};
  return {};
}

Result hipGetChannelDesc(hipChannelFormatDesc* desc, hipArray_const_t array) {
  HIP_NONNULL(desc);
  HIP_TRY_ASSIGN(auto a, find_array(array, hipErrorInvalidHandle));
  *desc = a->element().desc();
  return {};
}

Result hipMallocMipmappedArray(hipMipmappedArray_t* mipmap, const struct hipChannelFormatDesc* desc,
                               struct hipExtent extent, unsigned int levels, unsigned int flags) {
  HIP_NONNULL_AS(mipmap, "mipmappedArray");
  HIP_NONNULL(desc);
  return make_mipmap(mipmap, ElementFormat::of(*desc), {extent.width, extent.height, extent.depth, flags}, levels);
}

Result hipMipmappedArrayCreate(hipMipmappedArray_t* mipmap, HIP_ARRAY3D_DESCRIPTOR* d, unsigned int levels) {
  HIP_NONNULL_AS(mipmap, "pHandle");
  HIP_NONNULL_AS(d, "pMipmappedArrayDesc");
  return make_mipmap(mipmap, ElementFormat::of(d->Format, d->NumChannels), shape_of(*d), levels);
}

Result hipFreeMipmappedArray(hipMipmappedArray_t mipmap) { return free_mipmap(mipmap); }
Result hipMipmappedArrayDestroy(hipMipmappedArray_t mipmap) { return free_mipmap(mipmap); }
Result hipGetMipmappedArrayLevel(hipArray_t* level_array, hipMipmappedArray_const_t mipmap, unsigned int level) {
  return level_of(level_array, mipmap, level);
}
Result hipMipmappedArrayGetLevel(hipArray_t* level_array, hipMipmappedArray_t mipmap, unsigned int level) {
  return level_of(level_array, mipmap, level);
}

} // namespace impl
} // namespace bz::hip
