// The image extension. Layouts are linear: what a program lays out itself and what is laid out for it look the same.
#include "rocr/impl.hpp"
#include "rocr/runtime.hpp"

#include <cstring>

namespace bz::rocr::impl {
namespace {

Outcome check_layout(hsa_ext_image_data_layout_t layout) {
  if (layout != HSA_EXT_IMAGE_DATA_LAYOUT_OPAQUE && layout != HSA_EXT_IMAGE_DATA_LAYOUT_LINEAR)
    return fail(HSA_STATUS_ERROR_INVALID_ARGUMENT, "image data layout {} doesn't exist", int(layout));
  return {};
}

Outcome check_permission(hsa_access_permission_t p) {
  if (p < HSA_ACCESS_PERMISSION_RO || p > HSA_ACCESS_PERMISSION_RW)
    return fail(HSA_STATUS_ERROR_INVALID_ARGUMENT, "{} is no access permission", int(p));
  return {};
}

Outcome data_info(Runtime& runtime, hsa_agent_t agent, const hsa_ext_image_descriptor_t* d,
                  hsa_access_permission_t permission, size_t row_pitch, size_t slice_pitch,
                  hsa_ext_image_data_info_t* info) {
  if (!d) return null_argument("image_descriptor");
  if (!info) return null_argument("image_data_info");
  ROCR_TRY(check_permission(permission));
  ROCR_TRY_ASSIGN(Agent * a, runtime.gpu(agent));
  ROCR_TRY_ASSIGN(const ImageShape s, image_shape(*a, *d, row_pitch, slice_pitch));
  info->size = s.bytes();
  info->alignment = s.geometry == HSA_EXT_IMAGE_GEOMETRY_1DB ? s.format.bytes : ImageLimits::kPitchAlignment;
  return {};
}

Outcome make_image(Runtime& runtime, hsa_agent_t agent, const hsa_ext_image_descriptor_t* d, const void* data,
                   hsa_access_permission_t permission, size_t row_pitch, size_t slice_pitch, hsa_ext_image_t* image) {
  if (!d) return null_argument("image_descriptor");
  if (!data) return null_argument("image_data");
  if (!image) return null_argument("image");
  ROCR_TRY(check_permission(permission));
  ROCR_TRY_ASSIGN(Agent * a, runtime.gpu(agent));
  ROCR_TRY_ASSIGN(const ImageShape s, image_shape(*a, *d, row_pitch, slice_pitch));
  if (permission != HSA_ACCESS_PERMISSION_RO && !s.format.writable)
    return fail(static_cast<hsa_status_t>(HSA_EXT_STATUS_ERROR_IMAGE_FORMAT_UNSUPPORTED),
                "an sRGB image can only be read");
  ROCR_TRY(runtime.memory().check_range("image data", data, s.bytes()));
  ROCR_TRY_ASSIGN(image->handle, runtime.images().create(*a, s, data));
  return {};
}

/// A range of an image whose texels exist; the unused dimensions are 1.
Outcome check_region(const Images::Image& i, const hsa_dim3_t& at, const hsa_dim3_t& range) {
  const auto& s = i.shape;
  const size_t slices = s.geometry == HSA_EXT_IMAGE_GEOMETRY_3D ? s.depth : s.layers;
  auto inside = [](size_t from, size_t count, size_t all) { return from <= all && count <= all - from; };
  if (!inside(at.x, range.x, s.width) || !inside(at.y, range.y, s.height) || !inside(at.z, range.z, slices))
    return fail(HSA_STATUS_ERROR_INVALID_ARGUMENT, "{} x {} x {} texels at ({}, {}, {}) of an image of {} x {} x {}",
                range.x, range.y, range.z, at.x, at.y, at.z, s.width, s.height, slices);
  return {};
}

struct Side {
  char* at;
  size_t row, slice;
};
void copy_rows(Side to, Side from, size_t width, const hsa_dim3_t& range) {
  for (uint32_t z = 0; z < range.z; ++z)
    for (uint32_t y = 0; y < range.y; ++y)
      std::memmove(to.at + z * to.slice + y * to.row, from.at + z * from.slice + y * from.row, width);
}

Side side_of(const Images::Image& i, const hsa_dim3_t& at) {
  return {i.at(at), i.shape.row_pitch, i.shape.slice_pitch};
}

/// Memory of the program beside an image's region.
Side side_of(const void* memory, size_t row, size_t slice, const Images::Image& i, const hsa_dim3_t& range) {
  if (row == 0) row = range.x * i.shape.format.bytes;
  if (slice == 0) slice = row * range.y;
  return {static_cast<char*>(const_cast<void*>(memory)), row, slice};
}

} // namespace

Outcome hsa_ext_image_get_capability_with_layout(Runtime& runtime, hsa_agent_t agent, hsa_ext_image_geometry_t geometry,
                                                 const hsa_ext_image_format_t* format,
                                                 hsa_ext_image_data_layout_t layout, uint32_t* mask) {
  if (!format) return null_argument("image_format");
  if (!mask) return null_argument("capability_mask");
  if (geometry < HSA_EXT_IMAGE_GEOMETRY_1D || geometry > HSA_EXT_IMAGE_GEOMETRY_2DADEPTH)
    return fail(HSA_STATUS_ERROR_INVALID_ARGUMENT, "image geometry {} doesn't exist", int(geometry));
  ROCR_TRY(check_layout(layout));
  ROCR_TRY_ASSIGN(const Agent* a, runtime.gpu(agent));
  *mask = HSA_EXT_IMAGE_CAPABILITY_NOT_SUPPORTED;
  const auto f = image_format(*format);
  if (!ImageLimits::of(*a).images || !f) return {};
  *mask = HSA_EXT_IMAGE_CAPABILITY_READ_ONLY | HSA_EXT_IMAGE_CAPABILITY_ACCESS_INVARIANT_DATA_LAYOUT;
  if (f->writable) *mask |= HSA_EXT_IMAGE_CAPABILITY_WRITE_ONLY | HSA_EXT_IMAGE_CAPABILITY_READ_WRITE;
  return {};
}

Outcome hsa_ext_image_get_capability(Runtime& runtime, hsa_agent_t agent, hsa_ext_image_geometry_t geometry,
                                     const hsa_ext_image_format_t* format, uint32_t* mask) {
  return hsa_ext_image_get_capability_with_layout(runtime, agent, geometry, format, HSA_EXT_IMAGE_DATA_LAYOUT_OPAQUE,
                                                  mask);
}

Outcome hsa_ext_image_data_get_info(Runtime& runtime, hsa_agent_t agent, const hsa_ext_image_descriptor_t* d,
                                    hsa_access_permission_t permission, hsa_ext_image_data_info_t* info) {
  return data_info(runtime, agent, d, permission, 0, 0, info);
}

Outcome hsa_ext_image_data_get_info_with_layout(Runtime& runtime, hsa_agent_t agent,
                                                const hsa_ext_image_descriptor_t* d, hsa_access_permission_t permission,
                                                hsa_ext_image_data_layout_t layout, size_t row_pitch,
                                                size_t slice_pitch, hsa_ext_image_data_info_t* info) {
  ROCR_TRY(check_layout(layout));
  return data_info(runtime, agent, d, permission, row_pitch, slice_pitch, info);
}

Outcome hsa_ext_image_create(Runtime& runtime, hsa_agent_t agent, const hsa_ext_image_descriptor_t* d, const void* data,
                             hsa_access_permission_t permission, hsa_ext_image_t* image) {
  return make_image(runtime, agent, d, data, permission, 0, 0, image);
}

Outcome hsa_ext_image_create_with_layout(Runtime& runtime, hsa_agent_t agent, const hsa_ext_image_descriptor_t* d,
                                         const void* data, hsa_access_permission_t permission,
                                         hsa_ext_image_data_layout_t layout, size_t row_pitch, size_t slice_pitch,
                                         hsa_ext_image_t* image) {
  ROCR_TRY(check_layout(layout));
  return make_image(runtime, agent, d, data, permission, row_pitch, slice_pitch, image);
}

Outcome hsa_ext_image_destroy(Runtime& runtime, hsa_agent_t agent, hsa_ext_image_t image) {
  ROCR_TRY(runtime.gpu(agent));
  return runtime.images().destroy(image.handle);
}

Outcome hsa_ext_image_import(Runtime& runtime, hsa_agent_t agent, const void* src, size_t row, size_t slice,
                             hsa_ext_image_t dst, const hsa_ext_image_region_t* region) {
  if (!src) return null_argument("src_memory");
  if (!region) return null_argument("image_region");
  ROCR_TRY(runtime.gpu(agent));
  ROCR_TRY_ASSIGN(const auto image, runtime.images().find(dst.handle));
  ROCR_TRY(check_region(image, region->offset, region->range));
  copy_rows(side_of(image, region->offset), side_of(src, row, slice, image, region->range),
            region->range.x * image.shape.format.bytes, region->range);
  return {};
}

Outcome hsa_ext_image_export(Runtime& runtime, hsa_agent_t agent, hsa_ext_image_t src, void* dst, size_t row,
                             size_t slice, const hsa_ext_image_region_t* region) {
  if (!dst) return null_argument("dst_memory");
  if (!region) return null_argument("image_region");
  ROCR_TRY(runtime.gpu(agent));
  ROCR_TRY_ASSIGN(const auto image, runtime.images().find(src.handle));
  ROCR_TRY(check_region(image, region->offset, region->range));
  copy_rows(side_of(dst, row, slice, image, region->range), side_of(image, region->offset),
            region->range.x * image.shape.format.bytes, region->range);
  return {};
}

Outcome hsa_ext_image_copy(Runtime& runtime, hsa_agent_t agent, hsa_ext_image_t src, const hsa_dim3_t* src_offset,
                           hsa_ext_image_t dst, const hsa_dim3_t* dst_offset, const hsa_dim3_t* range) {
  if (!src_offset || !dst_offset || !range)
    return null_argument(!src_offset ? "src_offset" : !dst_offset ? "dst_offset" : "range");
  ROCR_TRY(runtime.gpu(agent));
  ROCR_TRY_ASSIGN(const auto from, runtime.images().find(src.handle));
  ROCR_TRY_ASSIGN(const auto to, runtime.images().find(dst.handle));
  if (from.shape.format.data != to.shape.format.data || from.shape.format.number != to.shape.format.number)
    return fail(HSA_STATUS_ERROR_INVALID_ARGUMENT, "the images have different formats");
  ROCR_TRY(check_region(from, *src_offset, *range));
  ROCR_TRY(check_region(to, *dst_offset, *range));
  copy_rows(side_of(to, *dst_offset), side_of(from, *src_offset), range->x * from.shape.format.bytes, *range);
  return {};
}

Outcome hsa_ext_image_clear(Runtime& runtime, hsa_agent_t agent, hsa_ext_image_t dst, const void* data,
                            const hsa_ext_image_region_t* region) {
  if (!data) return null_argument("data");
  if (!region) return null_argument("image_region");
  ROCR_TRY(runtime.gpu(agent));
  ROCR_TRY_ASSIGN(const auto image, runtime.images().find(dst.handle));
  if (!image.shape.format.writable) return fail(HSA_STATUS_ERROR_INVALID_ARGUMENT, "an sRGB image can only be read");
  ROCR_TRY(check_region(image, region->offset, region->range));
  const auto one = texel(image.shape.format, data);
  const Side side = side_of(image, region->offset);
  for (uint32_t z = 0; z < region->range.z; ++z)
    for (uint32_t y = 0; y < region->range.y; ++y)
      for (uint32_t x = 0; x < region->range.x; ++x)
        std::memcpy(side.at + z * side.slice + y * side.row + x * image.shape.format.bytes, one.data(),
                    image.shape.format.bytes);
  return {};
}

// ---- Samplers -------------------------------------------------------------------------------------------------------

Outcome hsa_ext_sampler_create_v2(Runtime& runtime, hsa_agent_t agent, const hsa_ext_sampler_descriptor_v2_t* d,
                                  hsa_ext_sampler_t* sampler) {
  if (!d) return null_argument("sampler_descriptor");
  if (!sampler) return null_argument("sampler");
  ROCR_TRY_ASSIGN(Agent * a, runtime.gpu(agent));
  ROCR_TRY_ASSIGN(sampler->handle, runtime.images().create_sampler(*a, *d));
  return {};
}

Outcome hsa_ext_sampler_create(Runtime& runtime, hsa_agent_t agent, const hsa_ext_sampler_descriptor_t* d,
                               hsa_ext_sampler_t* sampler) {
  if (!d) return null_argument("sampler_descriptor");
  const hsa_ext_sampler_descriptor_v2_t all{
      d->coordinate_mode, d->filter_mode, {d->address_mode, d->address_mode, d->address_mode}};
  return hsa_ext_sampler_create_v2(runtime, agent, &all, sampler);
}

Outcome hsa_ext_sampler_destroy(Runtime& runtime, hsa_agent_t agent, hsa_ext_sampler_t sampler) {
  ROCR_TRY(runtime.gpu(agent));
  return runtime.images().destroy_sampler(sampler.handle);
}

} // namespace bz::rocr::impl
