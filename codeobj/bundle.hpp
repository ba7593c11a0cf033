// How code objects come packed: clang offload bundles, compressed bundles (CCOB) and the host binary's fat-binary
// wrapper; and the choice of the best code object for a device. Must not know what is inside a code object but its
// flags.
#pragma once
#include "base/status.hpp"
#include "codeobj/bytes.hpp"
#include "codeobj/target_id.hpp"

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace bz::codeobj {

enum class ImageKind : uint8_t { unknown, elf, bundle, compressed_bundle };
/// By the first bytes only.
ImageKind identify(Bytes image);

/// How many bytes the image at `data` has, for interfaces that pass a pointer without a size (hipModuleLoadData,
/// __hipRegisterFatBinary). `readable` bounds what is read (base/readable.hpp tells it of foreign memory); without it the
/// headers are believed: only for memory that the caller vouches for. The result is never more than `readable`.
Expected<uint64_t> image_size(const void* data, uint64_t readable = UINT64_MAX);

struct BundleEntry {
  std::string_view id;            ///< "hipv4-amdgcn-amd-amdhsa--gfx942"
  std::string_view kind;          ///< "hip", "hipv4", "openmp", "host"
  std::optional<TargetId> target; ///< nothing for host entries and for triples or processors we don't know
  uint64_t offset = 0;            ///< from the start of the (uncompressed) bundle
  Bytes bytes;
  bool is_host() const { return kind == "host"; }
};

/// Owns the decompressed bytes if it had to decompress; otherwise views the image, which must outlive it.
class Bundle {
public:
  /// A plain or a compressed bundle. invalid_image: what is wrong; unsupported: a compression we can't undo.
  static Expected<Bundle> parse(Bytes image);

  const std::vector<BundleEntry>& entries() const { return entries_; }
  bool was_compressed() const { return storage_ != nullptr; }
  /// All bytes of the uncompressed bundle.
  Bytes bytes() const { return bytes_; }
  /// Keeps decompressed bytes alive; null for a plain bundle.
  const std::shared_ptr<const std::vector<std::byte>>& storage() const { return storage_; }

  /// The best entry for the device; wrong_target names the device and every id in the bundle.
  Expected<const BundleEntry*> select(const TargetId& device) const;

private:
  Bundle() = default;
  std::shared_ptr<const std::vector<std::byte>> storage_;
  Bytes bytes_;
  std::vector<BundleEntry> entries_;
};

/// Decompresses a CCOB image (versions 1 to 3) to the plain bundle inside.
Expected<std::vector<std::byte>> decompress_bundle(Bytes image);

/// A code object picked out of an image, with what keeps its bytes alive.
class PickedCodeObject {
public:
  PickedCodeObject(Bytes elf, std::shared_ptr<const std::vector<std::byte>> storage)
      : elf_(elf), storage_(std::move(storage)) {}
  Bytes elf() const { return elf_; }
  const std::shared_ptr<const std::vector<std::byte>>& storage() const { return storage_; }

private:
  Bytes elf_;
  std::shared_ptr<const std::vector<std::byte>> storage_;
};

/// Whatever the image is (ELF, bundle, compressed bundle): the one ELF to load on `device`, its e_flags checked.
/// wrong_target: the message names the device and what the image has; invalid_image: neither of the three.
Expected<PickedCodeObject> pick_code_object(Bytes image, const TargetId& device);

/// The wrapper that clang puts into .hipFatBinSegment and hands to __hipRegisterFatBinary.
struct FatBinaryWrapper {
  uint32_t magic;   ///< "HIPF"
  uint32_t version; ///< 1
  const void* binary;
  const void* reserved;
};
inline constexpr uint32_t kFatBinaryMagic = 0x48495046;
/// The bundle (or ELF) behind the wrapper, its size found by image_size. invalid_argument for null,
/// invalid_image for a wrong magic or version.
Expected<Bytes> fat_binary_image(const void* wrapper);

} // namespace bz::codeobj
