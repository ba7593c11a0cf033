// Texture and surface objects: what a kernel's image instructions read, made by the HSA image extension. A handle points to
// the words that the device functions load: the image at once, the sampler behind it. Must not know image instructions.
#pragma once
#include "hip/runtime/array.hpp"

#include <hsa/hsa_ext_image.h>

#include <optional>

namespace bz::hip {

class TextureObject {
public:
  struct Description {
    hipResourceDesc resource{};
    hipTextureDesc texture{};
    std::optional<hipResourceViewDesc> view;
    // As the driver API gave them, if it did.
    std::optional<HIP_RESOURCE_DESC> driver_resource;
    std::optional<HIP_TEXTURE_DESC> driver_texture;
    std::optional<HIP_RESOURCE_VIEW_DESC> driver_view;
  };
  static Outcome<std::shared_ptr<TextureObject>> texture(Device& device, Description description);
  static Outcome<std::shared_ptr<TextureObject>> surface(Device& device, const hipResourceDesc& resource);
  ~TextureObject();
  TextureObject(const TextureObject&) = delete;

  Device& device() const { return device_; }
  const Description& description() const { return description_; }
  bool is_surface() const { return sampler_.handle == 0; }
  void* words() const { return words_; }

private:
  TextureObject(Device& device, Description description) : device_(device), description_(std::move(description)) {}
  struct Source;
  Outcome<Source> source();
  Result make(const Source& source, hsa_ext_image_channel_type_t type, bool srgb, hsa_access_permission_t access);
  Result make_sampler();
  Result finish();

  Device& device_;
  Description description_;
  std::shared_ptr<Array> array_; ///< stays until the object goes
  hsa_ext_image_t image_{};
  hsa_ext_sampler_t sampler_{};
  void* words_ = nullptr;
};

/// All objects of the process, by handle.
class TextureObjects {
public:
  void* add(std::shared_ptr<TextureObject> object);
  std::shared_ptr<TextureObject> find(const void* handle, bool surface) const;
  std::shared_ptr<TextureObject> remove(const void* handle, bool surface);
  void reset(Device& device);

private:
  mutable std::mutex mutex_;
  std::map<const void*, std::shared_ptr<TextureObject>> objects_;
};

/// The device has image instructions.
bool has_images(const Device& device);

} // namespace bz::hip
