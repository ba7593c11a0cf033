#include "exec/judge/images.hpp"

#include "abi/image.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>
#include <string_view>

namespace bz::exec::judge {
namespace {

using namespace isa;
namespace image = abi::image;
namespace sampler = abi::sampler;
using image::Type;

enum class Content : uint8_t { bits, floats, halves };
struct Format { uint8_t data, num, bytes; Content content; };
/// BUF/IMG_DATA_FORMAT and number format; what a filter or a comparison can take (no NaNs in memory) comes first.
constexpr Format kFormats[] = {
    {4, 7, 4, Content::floats},  {10, 0, 4, Content::bits},   {12, 7, 8, Content::halves}, {14, 7, 16, Content::floats}, {2, 0, 2, Content::bits},
    {1, 1, 1, Content::bits},    {9, 0, 4, Content::bits},    {16, 0, 2, Content::bits},   {19, 0, 2, Content::bits},    {34, 7, 4, Content::bits},
    {10, 9, 4, Content::bits},   {5, 1, 4, Content::bits},    {3, 2, 2, Content::bits},    {11, 7, 8, Content::floats},
    {10, 4, 4, Content::bits},   {5, 5, 4, Content::bits},    {14, 4, 16, Content::bits},  {1, 5, 1, Content::bits},     {13, 4, 12, Content::bits},
    {4, 7, 4, Content::bits},    {12, 7, 8, Content::bits},   {6, 7, 4, Content::bits},    {20, 0, 4, Content::bits},    {9, 4, 4, Content::bits}};
constexpr size_t kFilterable = 14, kComparable = 2;

class Preparation {
public:
  Preparation(Random& r, const Inst& i, ref::Machine& m, Arena& arena) : r_(r), i_(i), m_(m), arena_(arena), name_(row_meta(i.row).name) {
    atomic_ = has("atomic");
    gather_ = has("gather4");
    sampled_ = gather_ || has("sample") || has("get_lod");
  }
  bool run() {
    const Operand *data = find(Field::vdata), *address = find(Field::vaddr), *resource = find(Field::srsrc), *sampler = find(Field::ssamp);
    if (!data || !address || !resource || address->number > 240) return false;
    if (!in_registers(*resource, 8) || (sampler && (!in_registers(*sampler, 4) || overlap(*resource, *sampler)))) return false;
    dwords_ = static_cast<unsigned>(std::popcount(i_.dmask));
    if (atomic_ && !atomic_size()) return false;
    if (!shape() || !texels()) return false;
    std::copy(resource_.word.begin(), resource_.word.end(), m_.sgpr.begin() + resource->number);
    if (sampler) {
      choose_sampler();
      std::copy(sampler_.word.begin(), sampler_.word.end(), m_.sgpr.begin() + sampler->number);
    }
    if (atomic_) small_data(*data);
    write_addresses(address->number);
    return true;
  }

private:
  bool has(std::string_view s) const { return name_.find(s) != name_.npos; }
  /// One of the suffixes of a sample's name.
  bool suffix(std::string_view s) const {
    for (size_t at = name_.find(s); at != name_.npos; at = name_.find(s, at + 1))
      if (at + s.size() == name_.size() || name_[at + s.size()] == '_') return true;
    return false;
  }
  const Operand* find(Field f) const {
    for (unsigned k = 0; k < i_.operand_count; ++k)
      if (i_.operands[k].field == f) return &i_.operands[k];
    return nullptr;
  }
  static bool in_registers(const Operand& o, unsigned dwords) { return o.kind == Operand::Kind::sgpr && o.number + dwords <= 102; }
  static bool overlap(const Operand& a, const Operand& b) { return a.number < b.number + b.dwords && b.number < a.number + a.dwords; }

  bool atomic_size() {
    if (has("cmpswap")) dwords_ = dwords_ % 2 ? 0 : dwords_ / 2;
    return dwords_ == 1 || dwords_ == 2;
  }

  // ------------------------------------------------------------ resource

  bool shape() {
    static constexpr Type flat[] = {Type::d1, Type::d2, Type::d3, Type::d2, Type::d2}, layered[] = {Type::d1_array, Type::d2_array, Type::cube, Type::d2_array};
    bool mismatch = !atomic_ && r_.chance(10);
    type_ = i_.da != mismatch ? r_.pick(layered) : r_.pick(flat);
    if (gather_ && (type_ == Type::d1 || type_ == Type::d1_array || type_ == Type::d3)) type_ = i_.da ? Type::d2_array : Type::d2;
    layered_ = type_ == Type::d1_array || type_ == Type::d2_array || type_ == Type::cube;
    dims_ = type_ == Type::d1 || type_ == Type::d1_array ? 1 : type_ == Type::d3 ? 3 : 2;
    if (atomic_) {   // 64 texels at least, one for each lane
      static constexpr uint32_t edge[] = {64, 8, 4};
      for (unsigned k = 0; k < 3; ++k) size_[k] = k < dims_ ? edge[dims_ - 1] : 1;
      layers_ = type_ == Type::cube ? 6 : layered_ ? 2 : 1;
      format_ = {static_cast<uint8_t>(dwords_ == 2 ? 11 : 4), 4, static_cast<uint8_t>(4 * dwords_), Content::bits};
    } else {
      size_[0] = 1 + r_.below(16);
      size_[1] = type_ == Type::cube ? size_[0] = 1 + r_.below(8) : dims_ >= 2 ? 1 + r_.below(8) : 1;
      size_[2] = dims_ == 3 ? 1 + r_.below(4) : 1;
      layers_ = type_ == Type::cube ? 6 * (1 + r_.below(2)) : layered_ ? 1 + r_.below(5) : 1;
      if (suffix("_c")) format_ = kFormats[r_.below(kComparable)];
      else if (sampled_ && r_.chance(85)) format_ = kFormats[r_.below(kFilterable)];
      else format_ = r_.pick(kFormats);
      // A filter meets no NaNs.
      if (sampled_ && format_.content == Content::bits && format_.num == 7 && format_.data != 34) format_ = kFormats[0];
    }
    uint32_t levels = 1;
    if (!atomic_ && r_.chance(60)) levels += r_.below(static_cast<uint32_t>(std::bit_width(std::max({size_[0], size_[1], size_[2]}))));
    linear_ = {size_[0], size_[1], size_[2], levels, size_[0] + (r_.chance(50) ? 0 : r_.below(9)), format_.bytes};
    base_level_ = r_.chance(70) ? 0 : r_.below(levels);
    last_level_ = base_level_ + (r_.chance(70) ? levels - 1 - base_level_ : r_.below(levels - base_level_));
    first_layer_ = layered_ && type_ != Type::cube && r_.chance(30) ? r_.below(layers_) : 0;
    if (linear_.layer_bytes() * layers_ > Arena::kBytes - Arena::kMiddle - 256) return false;
    auto set = [&](abi::BitField f, uint64_t x) { resource_.set(f, x); };
    set(image::kBase, base() >> 8);
    set(image::kDataFormat, format_.data), set(image::kNumFormat, format_.num);
    set(image::kWidth, size_[0] - 1), set(image::kHeight, size_[1] - 1), set(image::kDepth, (dims_ == 3 ? size_[2] : layers_) - 1);
    set(image::kPitch, linear_.pitch - 1), set(image::kType, static_cast<uint64_t>(type_));
    set(image::kBaseLevel, base_level_), set(image::kLastLevel, last_level_), set(image::kMaxMip, levels - 1);
    set(image::kBaseArray, first_layer_);
    if (sampled_ && r_.chance(15)) set(image::kMinLod, r_.below(levels * 256));
    static constexpr uint32_t selects[][4] = {{4, 5, 6, 7}, {6, 5, 4, 7}, {4, 0, 0, 1}, {7, 4, 5, 6}, {4, 4, 4, 1}, {1, 0, 5, 4}};
    uint32_t choice = r_.chance(60) ? 0 : r_.below(6);
    for (unsigned k = 0; k < 4; ++k) set(image::kDstSel[k], selects[choice][k]);
    return true;
  }
  uint64_t base() const { return (arena_.middle() + 255) & ~uint64_t{255}; }

  bool texels() {
    auto* p = reinterpret_cast<uint8_t*>(base());
    size_t bytes = linear_.layer_bytes() * layers_;
    for (size_t at = 0; at < bytes; at += 4) {
      uint32_t x = r_.word();
      float small = static_cast<float>(static_cast<int>(r_.below(2049)) - 1024) / 128;
      if (format_.content == Content::floats) x = std::bit_cast<uint32_t>(small);
      if (format_.content == Content::halves) x = (x & 0x83ff83ff) | (0x3000 + (x >> 14 & 0x0c00)) | (0x3000 + (x >> 12 & 0x0c00)) << 16;
      if (atomic_ && r_.chance(50)) x &= 0x03030303;
      std::memcpy(p + at, &x, std::min<size_t>(4, bytes - at));
    }
    return true;
  }
  void small_data(const Operand& data) {
    auto& file = data.kind == Operand::Kind::agpr ? m_.agpr : m_.vgpr;
    for (unsigned n = 0; n < data.dwords; ++n)
      for (auto& x : file[(data.number + n) & 255])
        if (r_.chance(50)) x &= 0x03030303;
  }

  // ------------------------------------------------------------ sampler

  void choose_sampler() {
    auto set = [&](abi::BitField f, uint64_t x) { sampler_.set(f, x); };
    uint32_t clamp = r_.below(8);
    for (auto f : sampler::kClamp) set(f, r_.chance(70) ? clamp : r_.below(8));
    set(sampler::kCompare, r_.below(8));
    bool linear = r_.chance(60), aniso = r_.chance(15);
    set(sampler::kMagFilter, (linear ^ r_.chance(20)) | aniso << 1), set(sampler::kMinFilter, linear | aniso << 1);
    if (aniso) set(sampler::kMaxAniso, r_.below(5));
    set(sampler::kZFilter, r_.chance(60) ? 0 : r_.below(3));
    set(sampler::kMipFilter, r_.below(3)), set(sampler::kMipPreclamp, r_.chance(20));
    set(sampler::kMinLod, r_.chance(70) ? 0 : r_.below(1024)), set(sampler::kMaxLod, r_.chance(70) ? 0xfff : r_.below(1024));
    set(sampler::kLodBias, r_.chance(70) ? 0 : r_.below(1024) - 512);
    set(sampler::kUnnormalized, r_.chance(15)), set(sampler::kTruncate, r_.below(2)), set(sampler::kNoCubeWrap, r_.chance(25));
    set(sampler::kForceDegamma, r_.chance(8)), set(sampler::kReduction, r_.chance(85) ? 0 : 1 + r_.below(2)), set(sampler::kBorderType, r_.below(3));
  }

  // ------------------------------------------------------------ addresses

  /// Address registers of one lane, in order.
  struct Stream {
    std::array<uint32_t, 16> dword{};
    unsigned at = 0, upper = 0;
    bool a16;
    void align() { at += upper, upper = 0; }
    void whole(uint32_t x) { align(), dword[at++] = x; }
    void half(uint32_t x) {
      dword[at] = upper ? (dword[at] & 0xffff) | x << 16 : x & 0xffff;
      at += upper, upper ^= 1;
    }
    void integer(uint32_t x) { a16 ? half(x) : whole(x); }
    void number(float x) { a16 ? half(std::bit_cast<uint16_t>(static_cast<_Float16>(x))) : whole(std::bit_cast<uint32_t>(x)); }
  };

  uint32_t layers_seen() const { return layers_ - first_layer_; }
  /// The coordinate of a layer, a cube's with its face.
  uint32_t layer_number(uint32_t layer) const { return type_ == Type::cube ? layer / 6 * 8 + layer % 6 : layer; }
  uint32_t level_size(unsigned k) const { return k < dims_ ? abi::LinearImage::shrink(size_[k], base_level_) : 1; }

  void write_addresses(unsigned first) {
    std::array<uint32_t, 64> shuffled;
    for (uint32_t n = 0; n < 64; ++n) shuffled[n] = n;
    for (uint32_t n = 63; n > 0; --n) std::swap(shuffled[n], shuffled[r_.below(n + 1)]);
    smooth_ = r_.chance(50);
    for (double& x : step_) x = (r_.below(200) / 100.0 - 1) * std::exp2(r_.below(5));
    unnormalized_ = i_.unorm || sampler_.get(sampler::kUnnormalized);
    for (unsigned lane = 0; lane < 64; ++lane) {
      Stream s;
      s.a16 = i_.r128;
      for (auto& x : s.dword) x = r_.word();
      if (sampled_) sampled_address(s, lane);
      else if (has("resinfo")) s.integer(r_.below(linear_.levels + 2));
      else plain_address(s, shuffled[lane]);
      for (unsigned n = 0; n < s.dword.size() && first + n < 256; ++n)
        if (n < s.at + s.upper) m_.vgpr[first + n][lane] = s.dword[n];
    }
  }
  void plain_address(Stream& s, uint32_t cell) {
    uint32_t c[3], layer = r_.below(layers_seen() + 1);
    for (unsigned k = 0; k < 3; ++k) c[k] = r_.chance(2) ? r_.word() : r_.below(level_size(k) + (r_.chance(15) ? 2 : 0));
    if (atomic_) {
      c[0] = cell % size_[0], c[1] = cell / size_[0] % size_[1], c[2] = cell / size_[0] / size_[1] % size_[2];
      layer = r_.below(layers_seen());
      if (r_.chance(5)) c[0] = size_[0] + cell;   // nobody's
    }
    for (unsigned k = 0; k < dims_; ++k) s.integer(c[k]);
    if (i_.da && dims_ < 3) s.integer(r_.chance(3) ? r_.word() : layer_number(layer));
    if (has("_mip")) s.integer(r_.below(last_level_ - base_level_ + (r_.chance(20) ? 3 : 1)));
  }
  float odd_number() {
    static constexpr uint32_t odd[] = {0x7f800000, 0xff800000, 0x7fc00000, 0x7f7fffff, 0x80000000, 0x00000001, 0xcb000000, 0x4b000001};
    return std::bit_cast<float>(r_.pick(odd));
  }
  void sampled_address(Stream& s, unsigned lane) {
    if (suffix("_o")) s.whole(r_.word());
    if (suffix("_b")) s.number(static_cast<float>(r_.below(1024)) / 128 - 4), s.align();
    if (suffix("_c")) s.whole(std::bit_cast<uint32_t>(r_.chance(3) ? odd_number() : static_cast<float>(r_.below(160)) / 128));
    if (suffix("_d") || suffix("_cd"))
      for (int direction = 0; direction < 2; ++direction) {
        for (unsigned k = 0; k < dims_; ++k) s.number(static_cast<float>((r_.below(1024) / 128.0 - 4) / (unnormalized_ ? 1 : level_size(k))));
        s.align();
      }
    for (unsigned k = 0; k < dims_; ++k) {
      double n = level_size(k), texels = r_.below(static_cast<uint32_t>(n * 1024)) / 512.0 - n / 2;
      if (smooth_) texels = n / 3 + step_[k] * (lane & 1) + step_[3 - k] * (lane >> 1 & 1) + lane / 4;
      double x = type_ == Type::cube ? 1 + texels / n : unnormalized_ ? texels : texels / n;
      s.number(r_.chance(2) ? odd_number() : static_cast<float>(x));
    }
    if (i_.da && dims_ < 3) s.number(r_.chance(5) ? static_cast<float>(r_.below(64)) / 4 - 2 : static_cast<float>(layer_number(r_.below(layers_seen()))));
    if (suffix("_l")) s.number(static_cast<float>(r_.below(2048)) / 256 - 2);
    if (suffix("_cl")) s.number(static_cast<float>(r_.below(1024)) / 256);
  }

  Random& r_;
  const Inst& i_;
  ref::Machine& m_;
  Arena& arena_;
  std::string_view name_;
  bool atomic_, gather_, sampled_, layered_ = false, smooth_ = false, unnormalized_ = false;
  unsigned dwords_ = 1, dims_ = 1;
  Type type_ = Type::d2;
  Format format_{};
  uint32_t size_[3] = {1, 1, 1}, layers_ = 1, base_level_ = 0, last_level_ = 0, first_layer_ = 0;
  double step_[4] = {};
  abi::LinearImage linear_;
  abi::ImageResource resource_;
  abi::ImageSampler sampler_;
};

} // namespace

bool prepare_image(Random& r, const Inst& inst, ref::Machine& m, Arena& arena) { return Preparation(r, inst, m, arena).run(); }

} // namespace bz::exec::judge
