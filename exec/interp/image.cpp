#include "exec/interp/image_view.hpp"

#include "exec/interp/atomics.hpp"

#include <algorithm>
#include <mutex>
#include <set>

namespace bz::exec {

const char* lasting_text(const std::string& text) {
  static std::mutex mutex;
  static auto* texts = new std::set<std::string>;
  std::lock_guard lock(mutex);
  return texts->insert(text).first->c_str();
}

const char* ImageView::open(const uint32_t* words) {
  namespace f = abi::image;
  abi::ImageResource r;
  std::memcpy(r.word.data(), words, sizeof r.word);
  auto get = [&](abi::BitField field) { return static_cast<uint32_t>(r.get(field)); };
  uint32_t data = get(f::kDataFormat), kind = get(f::kType);
  null = data == 0;
  if (null && kind < 8) {   // nothing bound: a flat image of no texels
    layer_count = 0;
    return nullptr;
  }
  if (kind < 8) return lasting_text("image type " + std::to_string(kind));
  type = static_cast<Type>(kind);
  switch (type) {
  case Type::d1: dims = 1; break;
  case Type::d1_array: dims = 1, layered = true; break;
  case Type::d2: dims = 2; break;
  case Type::d2_array: dims = 2, layered = true; break;
  case Type::d3: dims = 3; break;
  case Type::cube: dims = 2, layered = cube = true; break;
  case Type::d2_msaa: case Type::d2_msaa_array: return "multisampled images";
  }
  if (!texel_format(data, get(f::kNumFormat), format)) return lasting_text(std::string("image format ") + texel_format_name(data, get(f::kNumFormat)));
  if (uint32_t mode = get(f::kSwizzleMode)) return lasting_text("image tiling mode " + std::to_string(mode) + " is not implemented");
  if (get(f::kCompression)) return "compressed images";
  for (int k = 0; k < 4; ++k) select[k] = static_cast<uint8_t>(get(f::kDstSel[k]));
  base = reinterpret_cast<char*>(r.get(f::kBase) << 8);
  uint32_t depth = get(f::kDepth) + 1, last = get(f::kLastLevel);
  image.width = get(f::kWidth) + 1;
  image.height = dims >= 2 ? get(f::kHeight) + 1 : 1;
  image.planes = dims == 3 ? depth : 1;
  image.levels = std::max(get(f::kMaxMip), last) + 1;
  image.pitch = get(f::kPitch) + 1;
  image.texel_bytes = format.bytes;
  base_level = std::min(get(f::kBaseLevel), last);
  level_count = last - base_level + 1;
  if (layered) {
    first_layer = get(f::kBaseArray);
    layer_count = depth > first_layer ? depth - first_layer : 1;
  }
  uint64_t at = 0;
  for (uint32_t l = 0; l < image.levels && !null; ++l) {
    level_at[l] = at, at += image.level_bytes(l);
    plane_bytes[l] = image.plane_bytes(l), row_bytes[l] = image.level_pitch(l) * format.bytes;
  }
  layer_bytes = at;
  min_lod = static_cast<int>(get(f::kMinLod)) - static_cast<int>(base_level) * 256;
  warns = get(f::kMinLodWarn) != 0;
  return nullptr;
}

namespace {

/// Where a lane of an instruction without a sampler goes: null outside of the image.
char* place(const ImageOperands& in, const ImageView& v, int lane) {
  AddressReader a(in, lane);
  uint32_t x = a.integer(), y = v.dims >= 2 ? a.integer() : 0, z = v.dims == 3 ? a.integer() : 0, layer = 0, level = 0;
  bool inside = true;
  if (in.has(image_mods::kArray) && v.dims < 3) {
    uint32_t id = a.integer();
    if (v.cube) inside = cube_layer(id, layer);
    else if (v.layered) layer = id;
  }
  if (in.op.mip) level = a.integer();
  if (!inside || v.null || level >= v.level_count || layer >= v.layer_count || x >= v.width(level) || y >= v.height(level) || z >= v.depth(level))
    return nullptr;
  return v.at(level, layer, x, y, z);
}

void load(const ImageOperands& in, const ImageView& v, int lane) {
  const char* p = place(in, v, lane);
  if (!in.op.packed) return in.put_masked(lane, v.format, v.swizzle(p ? v.read(p) : Texel()));
  // The texel's dwords as they lie in memory.
  Texel t;
  if (p) std::memcpy(t.c, p, v.format.bytes);
  unsigned bits = 8u * v.format.bytes;
  if (in.op.sign_extend && bits < 32 && bits) t.c[0] = static_cast<uint32_t>(static_cast<int32_t>(t.c[0] << (32 - bits)) >> (32 - bits));
  in.put_masked(lane, v.format, t);
}

void store(const ImageOperands& in, const ImageView& v, int lane) {
  char* p = place(in, v, lane);
  if (!p) return;
  Texel t;
  unsigned n = 0;
  if (in.has(image_mods::kD16)) {   // dmask is a number of halves here, whatever its places
    for (; n < static_cast<unsigned>(std::popcount(in.mask())); ++n)
      t.c[n] = component_from_d16(v.format, in.cell(in.o->s[1], n / 2, lane) >> (n % 2 ? 16 : 0));
  } else {
    for (unsigned k = 0; k < 4; ++k)
      if (in.mask() >> k & 1) t.c[k] = in.cell(in.o->s[1], n++, lane);
  }
  if (in.op.packed) std::memcpy(p, t.c, v.format.bytes);
  else write_texel(v.format, v.unswizzle(t).c, p);
}

void atomic(const ImageOperands& in, const ImageView& v, int lane, unsigned dwords) {
  char* p = place(in, v, lane);
  auto value = [&](unsigned from) {
    uint64_t x = in.cell(in.o->s[1], from, lane);
    return dwords == 2 ? x | uint64_t{in.cell(in.o->s[1], from + 1, lane)} << 32 : x;
  };
  bool pair = in.op.atomic == isa::AtomicOp::cmpswap;
  uint64_t data = value(0), compare = pair ? value(dwords) : 0, old = 0;
  if (p) old = BZ_LEVEL_NS::atomic_cell(p, in.op.atomic, dwords == 2 ? isa::AtomicType::b64 : isa::AtomicType::b32, data, compare, true);
  if (in.o->mods & mods::kReturns)
    for (unsigned k = 0; k < dwords; ++k) in.cell(in.o->d, k, lane) = static_cast<uint32_t>(old >> (32 * k));
  if (in.o->imm & (image_mods::kTfe | image_mods::kLwe)) in.cell(in.o->d, pair ? 2 * dwords : dwords, lane) = 0;
}

/// Dwords of an atomic's cell, or 0.
unsigned atomic_dwords(const ImageOperands& in, const ImageView& v) {
  auto values = static_cast<unsigned>(std::popcount(in.mask()));
  if (in.op.atomic == isa::AtomicOp::cmpswap) values = values % 2 ? 0 : values / 2;
  return (values == 1 || values == 2) && (v.null || v.format.bytes == 4 * values) ? values : 0;
}

void resource_info(const ImageOperands& in, const ImageView& v, int lane) {
  uint32_t level = AddressReader(in, lane).integer();
  Texel t;
  t.c[3] = v.null ? 0 : v.level_count;
  if (!v.null && level < v.level_count) {
    t.c[0] = v.width(level);
    t.c[1] = v.height(level);
    t.c[2] = v.layered ? v.layer_count : v.depth(level);
  }
  in.put_masked(lane, {}, t);
}

const char* run(const ImageOperands& in) {
  using Kind = isa::ImageOp::Kind;
  ImageView v;
  if (const char* why = v.open(reinterpret_cast<const uint32_t*>(in.w + in.o->s[2]))) return why;
  if (in.has(image_mods::kLwe) && v.warns) return "a warning about levels of detail";
  auto lanes = [&](auto f) {
    in.for_lanes(f);
    return nullptr;
  };
  switch (in.op.kind) {
  case Kind::load: return lanes([&](int lane) { load(in, v, lane); });
  case Kind::store: return lanes([&](int lane) { store(in, v, lane); });
  case Kind::atomic: {
    unsigned dwords = atomic_dwords(in, v);
    if (!dwords) return "an image atomic whose data are not one 32- or 64-bit texel";
    return lanes([&](int lane) { atomic(in, v, lane, dwords); });
  }
  case Kind::resource_info: return lanes([&](int lane) { resource_info(in, v, lane); });
  case Kind::sample: case Kind::gather: case Kind::gather_row: case Kind::query_lod: return run_sampler(in, v);
  }
  return "this image operation";
}

} // namespace

const char* run_image(const Op* o, char* w, isa::ImageOp op) {
  // Formats, filters and levels of detail do not obey MODE.
  unsigned mxcsr = __builtin_ia32_stmxcsr();
  __builtin_ia32_ldmxcsr(0x1f80);
  const char* why = run({o, w, op});
  __builtin_ia32_ldmxcsr(mxcsr);
  return why;
}

} // namespace bz::exec
