#include "hip/runtime/texture.hpp"
#include "hip/runtime/impl.hpp"

#include <algorithm>
#include <cstring>

namespace bz::hip {
namespace {

constexpr size_t kWords = HIP_TEXTURE_OBJECT_SIZE_DWORD * sizeof(uint32_t);

bool is_float(const ElementFormat& e) { return e.format == HIP_AD_FORMAT_HALF || e.format == HIP_AD_FORMAT_FLOAT; }

hsa_ext_image_channel_type_t channel_type(hipArray_Format format, bool normalized) {
  switch (format) {
  case HIP_AD_FORMAT_UNSIGNED_INT8:
    return normalized ? HSA_EXT_IMAGE_CHANNEL_TYPE_UNORM_INT8 : HSA_EXT_IMAGE_CHANNEL_TYPE_UNSIGNED_INT8;
  case HIP_AD_FORMAT_UNSIGNED_INT16:
    return normalized ? HSA_EXT_IMAGE_CHANNEL_TYPE_UNORM_INT16 : HSA_EXT_IMAGE_CHANNEL_TYPE_UNSIGNED_INT16;
  case HIP_AD_FORMAT_SIGNED_INT8:
    return normalized ? HSA_EXT_IMAGE_CHANNEL_TYPE_SNORM_INT8 : HSA_EXT_IMAGE_CHANNEL_TYPE_SIGNED_INT8;
  case HIP_AD_FORMAT_SIGNED_INT16:
    return normalized ? HSA_EXT_IMAGE_CHANNEL_TYPE_SNORM_INT16 : HSA_EXT_IMAGE_CHANNEL_TYPE_SIGNED_INT16;
  case HIP_AD_FORMAT_UNSIGNED_INT32:
    return HSA_EXT_IMAGE_CHANNEL_TYPE_UNSIGNED_INT32;
  case HIP_AD_FORMAT_SIGNED_INT32:
    return HSA_EXT_IMAGE_CHANNEL_TYPE_SIGNED_INT32;
  case HIP_AD_FORMAT_HALF:
    return HSA_EXT_IMAGE_CHANNEL_TYPE_HALF_FLOAT;
  case HIP_AD_FORMAT_FLOAT:
    break;
  }
  return HSA_EXT_IMAGE_CHANNEL_TYPE_FLOAT;
}

/// The element that a view format names: kinds in the order of the enumeration, with 1, 2 and 4 channels each.
Outcome<ElementFormat> view_element(hipResourceViewFormat format) {
  constexpr hipArray_Format kKinds[] = {HIP_AD_FORMAT_UNSIGNED_INT8,  HIP_AD_FORMAT_SIGNED_INT8,
                                        HIP_AD_FORMAT_UNSIGNED_INT16, HIP_AD_FORMAT_SIGNED_INT16,
                                        HIP_AD_FORMAT_UNSIGNED_INT32, HIP_AD_FORMAT_SIGNED_INT32,
                                        HIP_AD_FORMAT_HALF,           HIP_AD_FORMAT_FLOAT};
  const int n = format - hipResViewFormatUnsignedChar1;
  if (n < 0 || format > hipResViewFormatFloat4)
    return fail(hipErrorNotSupported, "view format {} is not supported: no blocks of compressed texels",
                static_cast<int>(format));
  constexpr unsigned kChannels[] = {1, 2, 4};
  return ElementFormat{kKinds[n / 3], kChannels[n % 3]};
}

} // namespace

bool has_images(const Device& device) {
  uint32_t most[2] = {};
  return hsa_agent_get_info(device.agent(), static_cast<hsa_agent_info_t>(HSA_EXT_AGENT_INFO_IMAGE_2D_MAX_ELEMENTS),
                            most) == HSA_STATUS_SUCCESS &&
         most[0] != 0;
}

/// Where the texels are and how they look.
struct TextureObject::Source {
  hsa_ext_image_descriptor_t image{};
  ElementFormat element;
  const char* data = nullptr;
  size_t pitch = 0;
};

Outcome<TextureObject::Source> TextureObject::source() {
  const auto& r = description_.resource;
  Source s;
  s.image.width = s.image.height = s.image.depth = s.image.array_size = 1;
  size_t slice = 0;
  switch (r.resType) {
  case hipResourceTypeArray: {
    auto found = find_array(r.res.array.array);
    if (!found.ok()) return found.result();
    array_ = *found;
    if (&array_->device() != &device_)
      return fail(hipErrorInvalidValue, "the array is on device {}, device {} is current", array_->device().ordinal(),
                  device_.ordinal());
    const auto& shape = array_->shape();
    if (shape.flags & hipArrayCubemap) return Result(hipErrorNotSupported, "textures of cube maps are not implemented");
    const bool layered = shape.flags & hipArrayLayered;
    s.image.geometry = layered        ? shape.height ? HSA_EXT_IMAGE_GEOMETRY_2DA : HSA_EXT_IMAGE_GEOMETRY_1DA
                       : shape.depth  ? HSA_EXT_IMAGE_GEOMETRY_3D
                       : shape.height ? HSA_EXT_IMAGE_GEOMETRY_2D
                                      : HSA_EXT_IMAGE_GEOMETRY_1D;
    s.image.width = shape.width;
    s.image.height = array_->rows();
    (layered ? s.image.array_size : s.image.depth) = array_->slices();
    s.element = array_->element();
    s.data = array_->base();
    s.pitch = array_->pitch();
    slice = array_->slice();
    break;
  }
  case hipResourceTypeMipmappedArray:
    return Result(hipErrorNotSupported, "textures of mipmapped arrays are not implemented: take one level's array");
  case hipResourceTypeLinear:
  case hipResourceTypePitch2D: {
    const bool linear = r.resType == hipResourceTypeLinear;
    const void* pointer = linear ? r.res.linear.devPtr : r.res.pitch2D.devPtr;
    if (!pointer) return Result(hipErrorInvalidValue, "the resource's devPtr is null");
    auto element = ElementFormat::of(linear ? r.res.linear.desc : r.res.pitch2D.desc);
    if (!element.ok()) return element.result();
    s.element = *element;
    s.data = static_cast<const char*>(pointer);
    size_t bytes = 0;
    if (linear) {
      s.image.geometry = HSA_EXT_IMAGE_GEOMETRY_1DB;
      bytes = r.res.linear.sizeInBytes;
      s.image.width = bytes / s.element.bytes();
      if (s.image.width == 0) return fail(hipErrorInvalidValue, "{} bytes hold no element", bytes);
    } else {
      s.image.geometry = HSA_EXT_IMAGE_GEOMETRY_2D;
      s.image.width = r.res.pitch2D.width;
      s.image.height = r.res.pitch2D.height;
      s.pitch = r.res.pitch2D.pitchInBytes;
      if (s.image.width == 0 || s.image.height == 0 || s.pitch < s.image.width * s.element.bytes())
        return fail(hipErrorInvalidValue, "{} x {} elements of {} bytes with a pitch of {}", s.image.width,
                    s.image.height, s.element.bytes(), s.pitch);
      bytes = s.pitch * (s.image.height - 1) + s.image.width * s.element.bytes();
    }
    auto a = check_range("devPtr", pointer, bytes);
    if (!a.ok()) return a.result();
    if (!*a) return fail(hipErrorInvalidValue, "{} was not allocated by HIP", pointer);
    break;
  }
  default:
    return fail(hipErrorInvalidValue, "resource type {} doesn't exist", static_cast<int>(r.resType));
  }
  if (const auto& v = description_.view) {
    if (!array_) return Result(hipErrorInvalidValue, "only an array's texture can have a view");
    if (v->format != hipResViewFormatNone) {
      auto element = view_element(v->format);
      if (!element.ok()) return element.result();
      if (element->bytes() != s.element.bytes())
        return fail(hipErrorInvalidValue, "a view with elements of {} bytes of an array with {}", element->bytes(),
                    s.element.bytes());
      s.element = *element;
    }
    const auto& shape = array_->shape();
    auto same = [](size_t view, size_t array) { return view == 0 || view == array; };
    if (!same(v->width, shape.width) || !same(v->height, shape.height) || !same(v->depth, shape.depth) ||
        v->firstMipmapLevel != 0 || v->lastMipmapLevel != 0)
      return Result(hipErrorInvalidValue, "a view has the extent and the one level of its array");
    if (v->firstLayer != 0 || v->lastLayer != 0) {
      if (!(shape.flags & hipArrayLayered) || v->lastLayer < v->firstLayer || v->lastLayer >= shape.depth)
        return fail(hipErrorInvalidValue, "layers {} to {} of {}", v->firstLayer, v->lastLayer, shape.depth);
      s.data += v->firstLayer * slice;
      s.image.array_size = v->lastLayer - v->firstLayer + 1;
    }
  }
  return s;
}

Result TextureObject::make(const Source& s, hsa_ext_image_channel_type_t type, bool srgb,
                           hsa_access_permission_t access) {
  auto image = s.image;
  constexpr hsa_ext_image_channel_order_t kOrders[] = {HSA_EXT_IMAGE_CHANNEL_ORDER_R, HSA_EXT_IMAGE_CHANNEL_ORDER_RG,
                                                       HSA_EXT_IMAGE_CHANNEL_ORDER_RGBA,
                                                       HSA_EXT_IMAGE_CHANNEL_ORDER_RGBA};
  image.format = {uint32_t(type), uint32_t(srgb ? HSA_EXT_IMAGE_CHANNEL_ORDER_SRGBA : kOrders[s.element.channels - 1])};
  const hsa_status_t status = hsa_ext_image_create_with_layout(device_.agent(), &image, s.data, access,
                                                               HSA_EXT_IMAGE_DATA_LAYOUT_LINEAR, s.pitch, 0, &image_);
  if (status == HSA_STATUS_SUCCESS) return {};
  return fail(hipErrorInvalidValue, "{}", hsa_check(status, "making an image").message());
}

Result TextureObject::make_sampler() {
  const auto& t = description_.texture;
  hsa_ext_sampler_descriptor_v2_t d{};
  d.coordinate_mode =
      t.normalizedCoords ? HSA_EXT_SAMPLER_COORDINATE_MODE_NORMALIZED : HSA_EXT_SAMPLER_COORDINATE_MODE_UNNORMALIZED;
  d.filter_mode =
      t.filterMode == hipFilterModeLinear ? HSA_EXT_SAMPLER_FILTER_MODE_LINEAR : HSA_EXT_SAMPLER_FILTER_MODE_NEAREST;
  for (int k = 0; k < 3; ++k) {
    switch (t.addressMode[k]) {
    case hipAddressModeWrap: // repetition needs normalized coordinates, else it is clamping
      d.address_modes[k] =
          t.normalizedCoords ? HSA_EXT_SAMPLER_ADDRESSING_MODE_REPEAT : HSA_EXT_SAMPLER_ADDRESSING_MODE_CLAMP_TO_EDGE;
      break;
    case hipAddressModeMirror:
      d.address_modes[k] = t.normalizedCoords ? HSA_EXT_SAMPLER_ADDRESSING_MODE_MIRRORED_REPEAT
                                              : HSA_EXT_SAMPLER_ADDRESSING_MODE_CLAMP_TO_EDGE;
      break;
    case hipAddressModeClamp:
      d.address_modes[k] = HSA_EXT_SAMPLER_ADDRESSING_MODE_CLAMP_TO_EDGE;
      break;
    case hipAddressModeBorder:
      d.address_modes[k] = HSA_EXT_SAMPLER_ADDRESSING_MODE_CLAMP_TO_BORDER;
      if (std::any_of(std::begin(t.borderColor), std::end(t.borderColor), [](float c) { return c != 0; }))
        return Result(hipErrorNotSupported, "a border colour other than 0 is not supported");
      break;
    default:
      return fail(hipErrorInvalidValue, "address mode {} doesn't exist", static_cast<int>(t.addressMode[k]));
    }
  }
  return Result(hsa_check(hsa_ext_sampler_create_v2(device_.agent(), &d, &sampler_), "making a sampler"));
}

Result TextureObject::finish() {
  HIP_TRY_ASSIGN(words_, device_.kernargs().take(kWords));
  auto* words = static_cast<char*>(words_);
  std::memset(words, 0, kWords);
  std::memcpy(words, reinterpret_cast<const void*>(image_.handle), HIP_IMAGE_OBJECT_SIZE_DWORD * 4);
  if (sampler_.handle)
    std::memcpy(words + HIP_SAMPLER_OBJECT_OFFSET_DWORD * 4, reinterpret_cast<const void*>(sampler_.handle),
                HIP_SAMPLER_OBJECT_SIZE_DWORD * 4);
  return {};
}

Outcome<std::shared_ptr<TextureObject>> TextureObject::texture(Device& device, Description description) {
  if (!has_images(device)) return fail(hipErrorNotSupported, "device {} has no image instructions", device.ordinal());
  std::shared_ptr<TextureObject> object(new TextureObject(device, std::move(description)));
  const auto& t = object->description_.texture;
  if (t.filterMode != hipFilterModePoint && t.filterMode != hipFilterModeLinear)
    return fail(hipErrorInvalidValue, "filter mode {} doesn't exist", static_cast<int>(t.filterMode));
  if (t.readMode != hipReadModeElementType && t.readMode != hipReadModeNormalizedFloat)
    return fail(hipErrorInvalidValue, "read mode {} doesn't exist", static_cast<int>(t.readMode));
  auto s = object->source();
  if (!s.ok()) return s.result();
  const auto& e = s->element;
  const bool normalized = t.readMode == hipReadModeNormalizedFloat && !is_float(e);
  if (normalized && e.channel_bytes() == 4)
    return Result(hipErrorInvalidValue, "32-bit integers can't be read as normalized floats");
  if (t.filterMode == hipFilterModeLinear && !normalized && !is_float(e))
    return Result(hipErrorInvalidValue, "a linear filter needs floats: read the integers as normalized floats");
  if (t.sRGB && (!normalized || e.format != HIP_AD_FORMAT_UNSIGNED_INT8 || e.channels != 4))
    return Result(hipErrorInvalidValue, "sRGB needs four 8-bit channels that are read as normalized floats");
  if (Result r = object->make(*s, channel_type(e.format, normalized), t.sRGB != 0, HSA_ACCESS_PERMISSION_RO); !r.ok())
    return r;
  if (Result r = object->make_sampler(); !r.ok()) return r;
  if (Result r = object->finish(); !r.ok()) return r;
  return object;
}

Outcome<std::shared_ptr<TextureObject>> TextureObject::surface(Device& device, const hipResourceDesc& resource) {
  if (!has_images(device)) return fail(hipErrorNotSupported, "device {} has no image instructions", device.ordinal());
  if (resource.resType != hipResourceTypeArray)
    return Result(hipErrorInvalidValue, "a surface needs a resource of type hipResourceTypeArray");
  Description description;
  description.resource = resource;
  std::shared_ptr<TextureObject> object(new TextureObject(device, std::move(description)));
  auto s = object->source();
  if (!s.ok()) return s.result();
  if (Result r = object->make(*s, channel_type(s->element.format, false), false, HSA_ACCESS_PERMISSION_RW); !r.ok())
    return r;
  if (Result r = object->finish(); !r.ok()) return r;
  return object;
}

TextureObject::~TextureObject() {
  if (words_) device_.kernargs().give(words_, kWords);
  if (image_.handle) (void)hsa_ext_image_destroy(device_.agent(), image_);
  if (sampler_.handle) (void)hsa_ext_sampler_destroy(device_.agent(), sampler_);
}

// ---- Handles --------------------------------------------------------------------------------------------------------

void* TextureObjects::add(std::shared_ptr<TextureObject> object) {
  std::lock_guard lock(mutex_);
  void* handle = object->words();
  objects_[handle] = std::move(object);
  return handle;
}

std::shared_ptr<TextureObject> TextureObjects::find(const void* handle, bool surface) const {
  std::lock_guard lock(mutex_);
  const auto at = objects_.find(handle);
  return at == objects_.end() || at->second->is_surface() != surface ? nullptr : at->second;
}

std::shared_ptr<TextureObject> TextureObjects::remove(const void* handle, bool surface) {
  std::lock_guard lock(mutex_);
  const auto at = objects_.find(handle);
  if (at == objects_.end() || at->second->is_surface() != surface) return nullptr;
  auto object = std::move(at->second);
  objects_.erase(at);
  return object;
}

void TextureObjects::reset(Device& device) {
  std::lock_guard lock(mutex_);
  std::erase_if(objects_, [&](auto& entry) { return &entry.second->device() == &device; });
}

namespace impl {
namespace {

Outcome<std::shared_ptr<TextureObject>> find(hipTextureObject_t handle) {
  if (auto t = Runtime::get().textures().find(handle, false)) return t;
  return fail(hipErrorInvalidValue, "texture object {} was never created or is destroyed", static_cast<void*>(handle));
}

Result destroy(const void* handle, bool surface) {
  const char* what = surface ? "surface" : "texture";
  if (!handle) return fail(hipErrorInvalidValue, "the {} object is null", what);
  auto& textures = Runtime::get().textures();
  auto object = textures.find(handle, surface);
  if (object) object->device().synchronize(); // kernels read its words
  if (!object || !textures.remove(handle, surface))
    return fail(hipErrorInvalidValue, "{} object {} was never created or is destroyed", what, handle);
  return {};
}

Result make_texture(hipTextureObject_t* out, TextureObject::Description description) {
  auto& runtime = Runtime::get();
  HIP_TRY_ASSIGN(auto object, TextureObject::texture(runtime.current(), std::move(description)));
  *out = static_cast<hipTextureObject_t>(runtime.textures().add(std::move(object)));
  return {};
}

/// The runtime API's words for the driver API's.
Outcome<TextureObject::Description> description_of(const HIP_RESOURCE_DESC& r, const HIP_TEXTURE_DESC& t,
                                                   const HIP_RESOURCE_VIEW_DESC* v) {
  TextureObject::Description d;
  d.driver_resource = r;
  d.driver_texture = t;
  ElementFormat element;
  auto take = [&](hipArray_Format format, unsigned channels) -> Result {
    HIP_TRY_ASSIGN(element, ElementFormat::of(format, channels));
    return {};
  };
  switch (r.resType) {
  case HIP_RESOURCE_TYPE_ARRAY: {
    d.resource.resType = hipResourceTypeArray;
    d.resource.res.array.array = r.res.array.hArray;
    auto array = find_array(r.res.array.hArray);
    if (!array.ok()) return array.result();
    element = (*array)->element();
    break;
  }
  case HIP_RESOURCE_TYPE_MIPMAPPED_ARRAY:
    d.resource.resType = hipResourceTypeMipmappedArray;
    d.resource.res.mipmap.mipmap = r.res.mipmap.hMipmappedArray;
    break;
  case HIP_RESOURCE_TYPE_LINEAR:
    if (Result e = take(r.res.linear.format, r.res.linear.numChannels); !e.ok()) return e;
    d.resource.resType = hipResourceTypeLinear;
    d.resource.res.linear = {r.res.linear.devPtr, element.desc(), r.res.linear.sizeInBytes};
    break;
  case HIP_RESOURCE_TYPE_PITCH2D:
    if (Result e = take(r.res.pitch2D.format, r.res.pitch2D.numChannels); !e.ok()) return e;
    d.resource.resType = hipResourceTypePitch2D;
    d.resource.res.pitch2D = {r.res.pitch2D.devPtr, element.desc(), r.res.pitch2D.width, r.res.pitch2D.height,
                              r.res.pitch2D.pitchInBytes};
    break;
  default:
    return fail(hipErrorInvalidValue, "resource type {} doesn't exist", static_cast<int>(r.resType));
  }
  constexpr unsigned kFlags = HIP_TRSF_READ_AS_INTEGER | HIP_TRSF_NORMALIZED_COORDINATES | HIP_TRSF_SRGB;
  if (t.flags & ~kFlags) return fail(hipErrorInvalidValue, "texture flags {:#x} don't exist", t.flags);
  for (int k = 0; k < 3; ++k) d.texture.addressMode[k] = static_cast<hipTextureAddressMode>(t.addressMode[k]);
  d.texture.filterMode = static_cast<hipTextureFilterMode>(t.filterMode);
  const bool integers = t.flags & HIP_TRSF_READ_AS_INTEGER || is_float(element) || element.channel_bytes() == 4;
  d.texture.readMode = integers ? hipReadModeElementType : hipReadModeNormalizedFloat;
  d.texture.normalizedCoords = (t.flags & HIP_TRSF_NORMALIZED_COORDINATES) != 0;
  d.texture.sRGB = (t.flags & HIP_TRSF_SRGB) != 0;
  std::memcpy(d.texture.borderColor, t.borderColor, sizeof t.borderColor);
  d.texture.maxAnisotropy = t.maxAnisotropy;
  d.texture.mipmapFilterMode = static_cast<hipTextureFilterMode>(t.mipmapFilterMode);
  d.texture.mipmapLevelBias = t.mipmapLevelBias;
  d.texture.minMipmapLevelClamp = t.minMipmapLevelClamp;
  d.texture.maxMipmapLevelClamp = t.maxMipmapLevelClamp;
  if (v) {
    d.driver_view = *v;
    d.view = hipResourceViewDesc{static_cast<hipResourceViewFormat>(v->format),
                                 v->width,
                                 v->height,
                                 v->depth,
                                 v->firstMipmapLevel,
                                 v->lastMipmapLevel,
                                 v->firstLayer,
                                 v->lastLayer};
  }
  return d;
}

/// A part of what a texture was made from; `name` is the argument's.
template <class T>
Result get(T* out, const char* name, hipTextureObject_t texture, T TextureObject::Description::*part) {
  HIP_NONNULL_AS(out, name);
  HIP_TRY_ASSIGN(auto t, find(texture));
  *out = t->description().*part;
  return {};
}

/// The same, as the driver API gave it.
template <class T>
Result get(T* out, const char* name, hipTextureObject_t texture, std::optional<T> TextureObject::Description::*part) {
  HIP_NONNULL_AS(out, name);
  HIP_TRY_ASSIGN(auto t, find(texture));
  const auto& given = t->description().*part;
  if (!given)
    return fail(hipErrorInvalidValue, "texture object {} was made without it, or by hipCreateTextureObject", static_cast<void*>(texture));
  *out = *given;
  return {};
}

} // namespace

Result hipCreateTextureObject(hipTextureObject_t* texture, const hipResourceDesc* resource,
                              const hipTextureDesc* description, const struct hipResourceViewDesc* view) {
  HIP_NONNULL_AS(texture, "pTexObject");
  HIP_NONNULL_AS(resource, "pResDesc");
  HIP_NONNULL_AS(description, "pTexDesc");
  TextureObject::Description d;
  d.resource = *resource;
  d.texture = *description;
  if (view) d.view = *view;
  return make_texture(texture, std::move(d));
}

Result hipDestroyTextureObject(hipTextureObject_t texture) { return destroy(texture, false); }

Result hipGetTextureObjectResourceDesc(hipResourceDesc* out, hipTextureObject_t texture) {
  return get(out, "pResDesc", texture, &TextureObject::Description::resource);
}

Result hipGetTextureObjectTextureDesc(hipTextureDesc* out, hipTextureObject_t texture) {
  return get(out, "pTexDesc", texture, &TextureObject::Description::texture);
}

Result hipGetTextureObjectResourceViewDesc(struct hipResourceViewDesc* out, hipTextureObject_t texture) {
  HIP_NONNULL_AS(out, "pResViewDesc");
  HIP_TRY_ASSIGN(auto t, find(texture));
  if (!t->description().view) return Result(hipErrorInvalidValue, "the texture was created without a view");
  *out = *t->description().view;
  return {};
}

Result hipTexObjectCreate(hipTextureObject_t* texture, const HIP_RESOURCE_DESC* resource,
                          const HIP_TEXTURE_DESC* description, const HIP_RESOURCE_VIEW_DESC* view) {
  HIP_NONNULL_AS(texture, "pTexObject");
  HIP_NONNULL_AS(resource, "pResDesc");
  HIP_NONNULL_AS(description, "pTexDesc");
  HIP_TRY_ASSIGN(auto d, description_of(*resource, *description, view));
  return make_texture(texture, std::move(d));
}

Result hipTexObjectDestroy(hipTextureObject_t texture) { return destroy(texture, false); }

Result hipTexObjectGetResourceDesc(HIP_RESOURCE_DESC* out, hipTextureObject_t texture) {
  return get(out, "pResDesc", texture, &TextureObject::Description::driver_resource);
}

Result hipTexObjectGetTextureDesc(HIP_TEXTURE_DESC* out, hipTextureObject_t texture) {
  return get(out, "pTexDesc", texture, &TextureObject::Description::driver_texture);
}

Result hipTexObjectGetResourceViewDesc(HIP_RESOURCE_VIEW_DESC* out, hipTextureObject_t texture) {
  return get(out, "pResViewDesc", texture, &TextureObject::Description::driver_view);
}

Result hipCreateSurfaceObject(hipSurfaceObject_t* surface, const hipResourceDesc* resource) {
  HIP_NONNULL_AS(surface, "pSurfObject");
  HIP_NONNULL_AS(resource, "pResDesc");
  auto& runtime = Runtime::get();
  HIP_TRY_ASSIGN(auto object, TextureObject::surface(runtime.current(), *resource));
  *surface = static_cast<hipSurfaceObject_t>(runtime.textures().add(std::move(object)));
  return {};
}

Result hipDestroySurfaceObject(hipSurfaceObject_t surface) { return destroy(surface, true); }

} // namespace impl
} // namespace bz::hip
