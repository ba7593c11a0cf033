// Layouts: clang offload bundler document, "Bundled Code Object Layout" and "Compressed Bundle".
#include "codeobj/bundle.hpp"

#include "codeobj/code_object.hpp"

#include <algorithm>
#include <elf.h>
#include <iterator>
#include <zstd.h>
#ifdef BZ_HAVE_ZLIB
#include <zlib.h>
#endif

namespace bz::codeobj {
namespace {

constexpr std::string_view kBundleMagic = "__CLANG_OFFLOAD_BUNDLE__";
constexpr std::string_view kCompressedMagic = "CCOB";
constexpr std::string_view kElfMagic = "\177ELF";
constexpr std::string_view kTriplePrefix = "amdgcn-amd-amdhsa-";
constexpr uint64_t kBundleHeader = 24 + 8;                 // magic, count
constexpr uint64_t kEntryHeader = 3 * 8;                   // offset, size, id size
constexpr uint64_t kMostEntries = 4096, kLongestId = 4096; // for headers read without knowing the image's size
constexpr uint64_t kLargestBundle = uint64_t{8} << 30;
// Nothing real compresses better than this; a small file that claims to is after our memory.
constexpr uint64_t kAlwaysInflated = uint64_t{16} << 20, kLargestRatio = 2048;
constexpr size_t kIdsInMessage = 32;

template <class... Args> Status bad(FormatAt format, const Args&... args) {
  return error(Code::invalid_image, format, args...);
}

struct RawEntry {
  uint64_t offset, size, id_size;
};

/// Calls f(index, entry, id_offset) for every entry of the table at the start of `image`, bounds checked.
template <class F> Status for_each_entry(Bytes image, F&& f) {
  std::optional<uint64_t> count = read<uint64_t>(image, kBundleMagic.size());
  if (!count) return bad("bundle: {} bytes hold no header", image.size());
  if (*count > (image.size() - kBundleHeader) / kEntryHeader)
    return bad("bundle: {} entries in {} bytes", *count, image.size());
  uint64_t at = kBundleHeader;
  for (uint64_t i = 0; i < *count; ++i) {
    std::optional<RawEntry> entry = read<RawEntry>(image, at);
    if (!entry) return bad("bundle: the header of entry {} is truncated", i);
    at += kEntryHeader;
    if (!in_range(at, entry->id_size, image.size()))
      return bad("bundle: the id of entry {} has {} bytes, {} are left", i, entry->id_size, image.size() - at);
    BZ_TRY(f(i, *entry, at));
    at += entry->id_size;
  }
  return {};
}

BundleEntry describe(std::string_view id) {
  BundleEntry entry;
  entry.id = id;
  size_t dash = id.find('-');
  entry.kind = id.substr(0, dash);
  if (dash == id.npos || entry.is_host()) return entry;
  std::string_view rest = id.substr(dash + 1);
  if (!rest.starts_with(kTriplePrefix)) return entry; // SPIR-V, nvptx: not ours to run
  if (Expected<TargetId> target = TargetId::parse(rest)) entry.target = *target;
  return entry;
}

struct CompressedHeader {
  uint16_t version = 0;
  uint16_t method = 0;
  std::optional<uint64_t> total_size; // v1 doesn't state it
  uint64_t uncompressed_size = 0;
  uint64_t hash = 0;
  uint64_t payload = 0; // offset
};

enum Method : uint16_t { kZlib = 0, kZstd = 1 };

struct CompressedLayout {
  uint16_t version;
  uint8_t width;                                        // of the two sizes
  uint8_t total_size, uncompressed_size, hash, payload; // offsets; 0 = not there
};
constexpr CompressedLayout kCompressedLayouts[] = {{1, 4, 0, 8, 12, 20}, {2, 4, 8, 12, 16, 24}, {3, 8, 8, 16, 24, 32}};

Expected<CompressedHeader> read_compressed_header(Bytes image) {
  std::optional<uint16_t> version = read<uint16_t>(image, 4), method = read<uint16_t>(image, 6);
  if (!version || !method) return bad("compressed bundle: {} bytes hold no header", image.size());
  auto layout = std::ranges::find(kCompressedLayouts, *version, &CompressedLayout::version);
  if (layout == std::end(kCompressedLayouts))
    return error(Code::unsupported, "compressed bundle: version {} (1 to 3 are known)", *version);
  if (image.size() < layout->payload) return bad("compressed bundle: {} bytes hold no header", image.size());
  auto size_at = [&](uint8_t offset) -> uint64_t {
    return layout->width == 4 ? *read<uint32_t>(image, offset) : *read<uint64_t>(image, offset);
  };
  CompressedHeader h;
  h.version = *version;
  h.method = *method;
  h.payload = layout->payload;
  h.uncompressed_size = size_at(layout->uncompressed_size);
  h.hash = *read<uint64_t>(image, layout->hash);
  if (layout->total_size) h.total_size = size_at(layout->total_size);
  if (h.method != kZlib && h.method != kZstd)
    return error(Code::unsupported, "compressed bundle: method {} (0 zlib and 1 zstd are known)", h.method);
  if (h.uncompressed_size > kLargestBundle)
    return bad("compressed bundle: states {} bytes of content", h.uncompressed_size);
  if (h.total_size && (*h.total_size <= h.payload || *h.total_size > kLargestBundle))
    return bad("compressed bundle: states a total size of {} bytes", *h.total_size);
  return h;
}

Status check_inflated(uint64_t got, uint64_t stated) {
  if (got == stated) return {};
  return bad("compressed bundle: {} bytes of content instead of {}", got, stated);
}

/// `payload` may be followed by bytes that aren't ours: a version 1 header doesn't state its end.
Status inflate_zstd(Bytes payload, std::span<std::byte> out) {
  size_t frame = ZSTD_findFrameCompressedSize(payload.data(), payload.size());
  if (ZSTD_isError(frame)) return bad("compressed bundle: zstd: {}", ZSTD_getErrorName(frame));
  size_t got = ZSTD_decompress(out.data(), out.size(), payload.data(), frame);
  if (ZSTD_isError(got)) return bad("compressed bundle: zstd: {}", ZSTD_getErrorName(got));
  return check_inflated(got, out.size());
}

Status inflate_zlib([[maybe_unused]] Bytes payload, [[maybe_unused]] std::span<std::byte> out) {
#ifdef BZ_HAVE_ZLIB
  uLongf got = out.size();
  uLong used = payload.size();
  int result =
      uncompress2(reinterpret_cast<Bytef*>(out.data()), &got, reinterpret_cast<const Bytef*>(payload.data()), &used);
  if (result == Z_MEM_ERROR) return error(Code::out_of_memory, "compressed bundle: no memory for zlib");
  if (result != Z_OK) return bad("compressed bundle: the zlib data are damaged, truncated or longer than stated");
  return check_inflated(got, out.size());
#else
  return error(Code::unsupported,
               "compressed bundle: method zlib, and this build has no zlib: rebuild the program with "
               "a compiler that compresses with zstd, or with -no-offload-compress");
#endif
}

} // namespace

ImageKind identify(Bytes image) {
  std::string_view text = as_text(image);
  if (text.starts_with(kElfMagic)) return ImageKind::elf;
  if (text.starts_with(kBundleMagic)) return ImageKind::bundle;
  if (text.starts_with(kCompressedMagic)) return ImageKind::compressed_bundle;
  return ImageKind::unknown;
}

Expected<std::vector<std::byte>> decompress_bundle(Bytes image) {
  if (identify(image) != ImageKind::compressed_bundle) return bad("compressed bundle: wrong magic number");
  BZ_TRY_ASSIGN(const CompressedHeader h, read_compressed_header(image));
  uint64_t total = h.total_size.value_or(image.size());
  std::optional<Bytes> payload = total < h.payload ? std::nullopt : slice(image, h.payload, total - h.payload);
  if (!payload) return bad("compressed bundle: states {} bytes in all, {} are there", total, image.size());
  if (h.uncompressed_size > std::max(kAlwaysInflated, kLargestRatio * payload->size()))
    return bad("compressed bundle: states {} bytes of content in {} compressed ones", h.uncompressed_size,
               payload->size());
  std::vector<std::byte> content(h.uncompressed_size);
  BZ_TRY(h.method == kZstd ? inflate_zstd(*payload, content) : inflate_zlib(*payload, content));
  return content;
}

Expected<Bundle> Bundle::parse(Bytes image) {
  Bundle b;
  b.bytes_ = image;
  if (identify(image) == ImageKind::compressed_bundle) {
    BZ_TRY_ASSIGN(std::vector<std::byte> content, decompress_bundle(image));
    b.storage_ = std::make_shared<const std::vector<std::byte>>(std::move(content));
    b.bytes_ = *b.storage_;
  }
  if (identify(b.bytes_) != ImageKind::bundle) return bad("bundle: wrong magic number");
  BZ_TRY(for_each_entry(b.bytes_, [&](uint64_t i, const RawEntry& raw, uint64_t id_offset) -> Status {
    BundleEntry entry = describe(as_text(*slice(b.bytes_, id_offset, raw.id_size)));
    std::optional<Bytes> bytes = slice(b.bytes_, raw.offset, raw.size);
    if (!bytes)
      return bad("bundle: entry {} '{}': range [{}, +{}) leaves the bundle of {} bytes", i, entry.id, raw.offset,
                 raw.size, b.bytes_.size());
    entry.offset = raw.offset;
    entry.bytes = *bytes;
    b.entries_.push_back(entry);
    return {};
  }));
  return b;
}

Expected<const BundleEntry*> Bundle::select(const TargetId& device) const {
  const BundleEntry* best = nullptr;
  int best_fitness = 0;
  for (const BundleEntry& e : entries_) {
    int f = e.target && !e.bytes.empty() ? fitness(*e.target, device) : 0;
    if (f > best_fitness) best = &e, best_fitness = f;
  }
  if (best) return best;
  std::string ids;
  size_t named = 0, device_entries = 0;
  for (const BundleEntry& e : entries_) {
    if (e.is_host()) continue;
    ++device_entries;
    if (named == kIdsInMessage) continue;
    ids += fmt::format("{}{}", named++ ? ", " : "", e.id);
  }
  if (device_entries > named) ids += fmt::format(" and {} more", device_entries - named);
  if (ids.empty()) ids = "no device code at all";
  return error(Code::wrong_target,
               "no code for this device, which is {}: the binary has {} (build with "
               "--offload-arch={})",
               device.str(), ids, device.processor ? device.processor->name : "...");
}

Expected<PickedCodeObject> pick_code_object(Bytes image, const TargetId& device) {
  switch (identify(image)) {
  case ImageKind::elf: {
    BZ_TRY_ASSIGN(const ElfIdentity identity, read_elf_identity(image));
    BZ_TRY(check_compatible(identity.target, device));
    return PickedCodeObject(image, nullptr);
  }
  case ImageKind::bundle:
  case ImageKind::compressed_bundle: {
    BZ_TRY_ASSIGN(Bundle bundle, Bundle::parse(image));
    BZ_TRY_ASSIGN(const BundleEntry* entry, bundle.select(device));
    Expected<ElfIdentity> identity = read_elf_identity(entry->bytes);
    if (!identity)
      return error(identity.status().code(), "bundle entry '{}': {}", entry->id, identity.status().message());
    if (Status s = check_compatible(identity->target, device); !s)
      return error(s.code(), "bundle entry '{}': {}", entry->id, s.message());
    return PickedCodeObject(entry->bytes, bundle.storage());
  }
  case ImageKind::unknown:
    break;
  }
  return bad("neither an ELF code object nor an offload bundle ({} bytes)", image.size());
}

Expected<uint64_t> image_size(const void* data, uint64_t readable) {
  if (!data) return error(Code::invalid_argument, "image: null pointer");
  Bytes all = as_bytes(data, std::min(readable, uint64_t{kLargestBundle}));
  switch (identify(all)) {
  case ImageKind::elf: {
    auto start = read<Elf64_Ehdr>(all, 0);
    if (!start) return bad("ELF image: {} readable bytes", all.size());
    const Elf64_Ehdr& header = *start;
    BZ_TRY(read_elf_identity(all));
    uint64_t end = sizeof(Elf64_Ehdr);
    auto cover = [&](uint64_t offset, uint64_t size) -> Status {
      if (!in_range(offset, size, all.size())) return bad("ELF image: part at {} of {} bytes", offset, size);
      end = std::max(end, offset + size);
      return {};
    };
    if (header.e_phentsize != sizeof(Elf64_Phdr) || (header.e_shnum && header.e_shentsize != sizeof(Elf64_Shdr)))
      return bad("ELF image: program headers of {}, section headers of {} bytes", header.e_phentsize,
                 header.e_shentsize);
    BZ_TRY(cover(header.e_phoff, uint64_t{header.e_phnum} * sizeof(Elf64_Phdr)));
    BZ_TRY(cover(header.e_shoff, uint64_t{header.e_shnum} * sizeof(Elf64_Shdr)));
    for (uint64_t i = 0; i < header.e_phnum; ++i) {
      auto p = *read<Elf64_Phdr>(all, header.e_phoff + i * sizeof(Elf64_Phdr));
      BZ_TRY(cover(p.p_offset, p.p_filesz));
    }
    for (uint64_t i = 0; i < header.e_shnum; ++i) {
      auto s = *read<Elf64_Shdr>(all, header.e_shoff + i * sizeof(Elf64_Shdr));
      if (s.sh_type != SHT_NULL && s.sh_type != SHT_NOBITS) BZ_TRY(cover(s.sh_offset, s.sh_size));
    }
    return end;
  }
  case ImageKind::bundle: {
    uint64_t end = kBundleHeader;
    if (auto count = read<uint64_t>(all, kBundleMagic.size()); !count || *count > kMostEntries)
      return bad("bundle: {} entries", count.value_or(0));
    BZ_TRY(for_each_entry(all, [&](uint64_t i, const RawEntry& e, uint64_t id_offset) -> Status {
      if (e.id_size > kLongestId || !in_range(e.offset, e.size, all.size()))
        return bad("bundle: entry {}: id of {} bytes, content [{}, +{})", i, e.id_size, e.offset, e.size);
      end = std::max({end, id_offset + e.id_size, e.offset + e.size});
      return {};
    }));
    return end;
  }
  case ImageKind::compressed_bundle: {
    BZ_TRY_ASSIGN(const CompressedHeader h, read_compressed_header(all));
    if (h.total_size) {
      if (*h.total_size > all.size()) return bad("compressed bundle: {} bytes, {} are readable", *h.total_size, all.size());
      return *h.total_size;
    }
    if (h.method != kZstd)
      return error(Code::unsupported, "compressed bundle: version 1 with zlib does not tell its size");
    // Version 1 doesn't state the size; a zstd frame can be walked to its end.
    size_t bound = std::min<size_t>(ZSTD_compressBound(h.uncompressed_size) + 1024, all.size() - h.payload);
    size_t payload = ZSTD_findFrameCompressedSize(all.data() + h.payload, bound);
    if (ZSTD_isError(payload)) return bad("compressed bundle: zstd: {}", ZSTD_getErrorName(payload));
    return h.payload + payload;
  }
  case ImageKind::unknown:
    break;
  }
  return bad("neither an ELF code object nor an offload bundle: wrong magic number");
}

Expected<Bytes> fat_binary_image(const void* wrapper) {
  if (!wrapper) return error(Code::invalid_argument, "fat binary wrapper: null pointer");
  FatBinaryWrapper w;
  std::memcpy(&w, wrapper, sizeof w);
  if (w.magic != kFatBinaryMagic)
    return bad("fat binary wrapper: magic 0x{:08x} instead of 0x{:08x} (\"HIPF\")", w.magic, kFatBinaryMagic);
  if (w.version != 1) return bad("fat binary wrapper: version {} (1 is known)", w.version);
  if (!w.binary) return bad("fat binary wrapper: no binary");
  BZ_TRY_ASSIGN(uint64_t size, image_size(w.binary));
  return as_bytes(w.binary, size);
}

} // namespace bz::codeobj
