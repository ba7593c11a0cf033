#include "codeobj/bundle.hpp"

#include "codeobj/code_object.hpp"
#include "codeobj/testdata/testdata.hpp"

#include <zstd.h>
#ifdef BZ_HAVE_ZLIB
#include <zlib.h>
#endif

namespace bz::codeobj {
namespace {

using Image = std::vector<std::byte>;

TargetId device(const char* text) { return *TargetId::parse(text); }

template <class T> void append(std::string& out, T value) {
  out.append(reinterpret_cast<const char*>(&value), sizeof value);
}

/// A bundle written by hand: ids and contents, contents at multiples of 64.
std::string make_bundle(const std::vector<std::pair<std::string, std::string>>& entries) {
  uint64_t header = 32;
  for (const auto& [id, content] : entries) header += 24 + id.size();
  std::string out = "__CLANG_OFFLOAD_BUNDLE__", contents;
  append<uint64_t>(out, entries.size());
  uint64_t base = (header + 63) / 64 * 64;
  for (const auto& [id, content] : entries) {
    append<uint64_t>(out, base + contents.size());
    append<uint64_t>(out, content.size());
    append<uint64_t>(out, id.size());
    out += id;
    contents += content;
    contents.resize((contents.size() + 63) / 64 * 64);
  }
  out.resize(base);
  return out + contents;
}

std::string compressed(int version, int method, std::string_view content, uint64_t stated_size) {
  std::string payload;
  if (method == 1) {
    payload.resize(ZSTD_compressBound(content.size()));
    payload.resize(ZSTD_compress(payload.data(), payload.size(), content.data(), content.size(), 3));
  }
#ifdef BZ_HAVE_ZLIB
  if (method == 0) {
    uLongf size = compressBound(content.size());
    payload.resize(size);
    compress(reinterpret_cast<Bytef*>(payload.data()), &size, reinterpret_cast<const Bytef*>(content.data()),
             content.size());
    payload.resize(size);
  }
#endif
  std::string out = "CCOB";
  append<uint16_t>(out, version);
  append<uint16_t>(out, method);
  if (version == 2) append<uint32_t>(out, 24 + payload.size());
  if (version == 3) append<uint64_t>(out, 32 + payload.size());
  if (version < 3) append<uint32_t>(out, stated_size);
  if (version == 3) append<uint64_t>(out, stated_size);
  append<uint64_t>(out, 0x1122334455667788);
  return out + payload;
}

std::string file_text(const char* name) {
  Image image = testdata::read_file(name);
  return std::string(as_text(image));
}

TEST(Bundle, OfTheCompiler) {
  Image image = testdata::read_file("bundle.bin");
  EXPECT_EQ(identify(image), ImageKind::bundle);
  Expected<Bundle> b = Bundle::parse(image);
  ASSERT_TRUE(b) << b.status().message();
  EXPECT_FALSE(b->was_compressed());
  ASSERT_EQ(b->entries().size(), 6u);
  std::vector<std::string_view> ids;
  for (const BundleEntry& e : b->entries()) {
    ids.push_back(e.id);
    EXPECT_EQ(e.kind, e.is_host() ? "host" : "hipv4");
    EXPECT_EQ(e.target.has_value(), !e.is_host()) << e.id;
    if (e.is_host()) {
      EXPECT_TRUE(e.bytes.empty());
      continue;
    }
    EXPECT_EQ(e.offset % 4096, 0u);
    Expected<CodeObject> object = CodeObject::parse(e.bytes);
    ASSERT_TRUE(object) << e.id << ": " << object.status().message();
    EXPECT_EQ(object->target().str(), e.target->str());
  }
  std::ranges::sort(ids);
  EXPECT_EQ(ids, (std::vector<std::string_view>{
                     "hipv4-amdgcn-amd-amdhsa--gfx9-4-generic", "hipv4-amdgcn-amd-amdhsa--gfx906",
                     "hipv4-amdgcn-amd-amdhsa--gfx90a:xnack+", "hipv4-amdgcn-amd-amdhsa--gfx90a:xnack-",
                     "hipv4-amdgcn-amd-amdhsa--gfx942", "host-x86_64-unknown-linux-gnu-"}));
}

TEST(Bundle, SelectsByTheRules) {
  Image image = testdata::read_file("bundle.bin");
  Bundle b = *Bundle::parse(image);
  auto picked = [&](const char* name) {
    Expected<const BundleEntry*> e = b.select(device(name));
    return e ? std::string((*e)->id.substr((*e)->id.find("--") + 2)) : e.status().message();
  };
  EXPECT_EQ(picked("gfx906"), "gfx906");
  EXPECT_EQ(picked("gfx906:xnack+"), "gfx906");
  EXPECT_EQ(picked("gfx90a:xnack+"), "gfx90a:xnack+");
  EXPECT_EQ(picked("gfx90a:sramecc+:xnack-"), "gfx90a:xnack-");
  EXPECT_EQ(picked("gfx942:sramecc+:xnack-"), "gfx942");
  EXPECT_EQ(picked("gfx950:xnack-"), "gfx9-4-generic");
}

TEST(Bundle, NoCodeForTheDeviceNamesBothSides) {
  Image image = testdata::read_file("bundle.bin");
  Expected<PickedCodeObject> p = pick_code_object(image, device("gfx1100"));
  ASSERT_FALSE(p);
  EXPECT_EQ(p.status().code(), Code::wrong_target);
  for (const char* part : {"gfx1100", "hipv4-amdgcn-amd-amdhsa--gfx906", "hipv4-amdgcn-amd-amdhsa--gfx90a:xnack+",
                           "hipv4-amdgcn-amd-amdhsa--gfx942", "--offload-arch=gfx1100"})
    EXPECT_NE(p.status().message().find(part), std::string::npos) << part << " in " << p.status().message();
  EXPECT_EQ(p.status().message().find("host-"), std::string::npos);
  std::string empty = make_bundle({{"host-x86_64-unknown-linux-gnu-", ""}});
  EXPECT_NE(pick_code_object(as_bytes(empty), device("gfx942")).status().message().find("no device code"),
            std::string::npos);
}

TEST(Bundle, CompressedByTheCompilerAndTheBundler) {
  Image plain = testdata::read_file("bundle.bin"), image = testdata::read_file("bundle_compressed.bin");
  EXPECT_EQ(identify(image), ImageKind::compressed_bundle);
  EXPECT_EQ(*read<uint16_t>(image, 4), 3);
  Expected<Bundle> b = Bundle::parse(image);
  ASSERT_TRUE(b) << b.status().message();
  EXPECT_TRUE(b->was_compressed());
  EXPECT_TRUE(std::ranges::equal(b->bytes(), Bytes(plain))) << "the same sources, so the same bundle";
  Image v2 = testdata::read_file("bundle_v2.bin");
  EXPECT_EQ(*read<uint16_t>(v2, 4), 2);
  Expected<Bundle> second = Bundle::parse(v2);
  ASSERT_TRUE(second) << second.status().message();
  ASSERT_EQ(second->entries().size(), 3u);
  Image gfx906 = testdata::read_file("gfx906.co");
  Expected<const BundleEntry*> e = second->select(device("gfx906"));
  ASSERT_TRUE(e);
  EXPECT_EQ((*e)->kind, "hip");
  EXPECT_TRUE(std::ranges::equal((*e)->bytes, Bytes(gfx906)));
}

TEST(Bundle, EveryVersionAndMethod) {
  std::string content = make_bundle({{"hipv4-amdgcn-amd-amdhsa--gfx942", file_text("gfx942_v6.co")}});
  for (int version : {1, 2, 3})
    for (int method : {0, 1}) {
      std::string image = compressed(version, method, content, content.size());
      Expected<PickedCodeObject> p = pick_code_object(as_bytes(image), device("gfx942:xnack-"));
#ifndef BZ_HAVE_ZLIB
      if (method == 0) {
        EXPECT_EQ(p.status().code(), Code::unsupported);
        EXPECT_NE(p.status().message().find("zlib"), std::string::npos);
        continue;
      }
#endif
      ASSERT_TRUE(p) << version << "/" << method << ": " << p.status().message();
      EXPECT_EQ(as_text(p->elf()), file_text("gfx942_v6.co"));
      EXPECT_NE(p->storage(), nullptr);
      // One byte too few or too many stated, and every cut of the payload.
      EXPECT_EQ(decompress_bundle(as_bytes(compressed(version, method, content, content.size() - 1))).status().code(),
                Code::invalid_image);
      EXPECT_EQ(decompress_bundle(as_bytes(compressed(version, method, content, content.size() + 1))).status().code(),
                Code::invalid_image);
      for (size_t size = 0; size < image.size(); size += 1 + size / 16)
        EXPECT_FALSE(Bundle::parse(as_bytes(std::string_view(image).substr(0, size)))) << size;
      Expected<uint64_t> size = image_size(image.data());
      if (version == 1 && method == 0) {
        EXPECT_EQ(size.status().code(), Code::unsupported);
      } else {
        ASSERT_TRUE(size) << size.status().message();
        EXPECT_EQ(*size, image.size()) << version;
      }
    }
}

TEST(Bundle, CompressedHeaderFaults) {
  std::string content = make_bundle({{"hipv4-amdgcn-amd-amdhsa--gfx942", "x"}});
  std::string good = compressed(3, 1, content, content.size());
  auto broken = [&](size_t offset, auto value) {
    Image image(as_bytes(good).begin(), as_bytes(good).end());
    testdata::poke(image, offset, value);
    return decompress_bundle(image).status();
  };
  EXPECT_EQ(broken(4, uint16_t{9}).code(), Code::unsupported);
  EXPECT_EQ(broken(6, uint16_t{2}).code(), Code::unsupported);
  EXPECT_EQ(broken(8, uint64_t{31}).code(), Code::invalid_image);
  EXPECT_EQ(broken(8, uint64_t{good.size() + 1}).code(), Code::invalid_image);
  EXPECT_EQ(broken(8, UINT64_MAX).code(), Code::invalid_image);
  EXPECT_EQ(broken(16, UINT64_MAX).code(), Code::invalid_image);
  EXPECT_EQ(broken(16, uint64_t{7} << 30).code(), Code::invalid_image) << "and no gigabytes allocated";
  EXPECT_EQ(broken(32, uint32_t{0}).code(), Code::invalid_image);
}

TEST(Bundle, PlainHeaderFaults) {
  std::string good = make_bundle({{"hipv4-amdgcn-amd-amdhsa--gfx942", "abc"}});
  ASSERT_TRUE(Bundle::parse(as_bytes(good)));
  auto broken = [&](size_t offset, uint64_t value) {
    Image image(as_bytes(good).begin(), as_bytes(good).end());
    testdata::poke(image, offset, value);
    Expected<Bundle> b = Bundle::parse(image);
    EXPECT_EQ(b.status().code(), Code::invalid_image);
    return b.status().message();
  };
  EXPECT_NE(broken(24, UINT64_MAX).find("entries in"), std::string::npos);
  EXPECT_NE(broken(24, 3).find("the id of entry 2"), std::string::npos) << "content read as entries";
  EXPECT_NE(broken(32, UINT64_MAX).find("range ["), std::string::npos);
  EXPECT_NE(broken(40, UINT64_MAX).find("range ["), std::string::npos);
  EXPECT_NE(broken(48, UINT64_MAX - 30).find("the id of entry 0"), std::string::npos);
  for (size_t size = 0; size < 128 + 3; ++size)
    EXPECT_FALSE(Bundle::parse(as_bytes(std::string_view(good).substr(0, size)))) << size;
}

TEST(Bundle, ForeignEntriesAreKeptButNeverPicked) {
  std::string text = make_bundle({{"hipv4-spirv64-amd-amdhsa--amdgcnspirv", "spirv"},
                                  {"openmp-nvptx64-nvidia-cuda--sm_70", "ptx"},
                                  {"hipv4-amdgcn-amd-amdhsa--gfx9999", "future"},
                                  {"odd", "odd"},
                                  {"hipv4-amdgcn-amd-amdhsa--gfx942", ""}});
  Expected<Bundle> b = Bundle::parse(as_bytes(text));
  ASSERT_TRUE(b);
  ASSERT_EQ(b->entries().size(), 5u);
  for (size_t i = 0; i < 4; ++i) EXPECT_FALSE(b->entries()[i].target) << b->entries()[i].id;
  EXPECT_EQ(b->select(device("gfx942")).status().code(), Code::wrong_target) << "an empty entry holds no code";
}

TEST(Bundle, WhatAnEntryHoldsIsChecked) {
  std::string lies = make_bundle({{"hipv4-amdgcn-amd-amdhsa--gfx942", file_text("gfx906.co")}});
  EXPECT_EQ(pick_code_object(as_bytes(lies), device("gfx942")).status().code(), Code::wrong_target);
  std::string bitcode = make_bundle({{"hipv4-amdgcn-amd-amdhsa--gfx942", "BC\xc0\xde" + std::string(100, 'x')}});
  Expected<PickedCodeObject> p = pick_code_object(as_bytes(bitcode), device("gfx942"));
  EXPECT_EQ(p.status().code(), Code::invalid_image);
  EXPECT_NE(p.status().message().find("gfx942"), std::string::npos);
}

TEST(PickCodeObject, BareElfAndNonsense) {
  Image image = testdata::read_file("gfx942_v6.co");
  Expected<PickedCodeObject> p = pick_code_object(image, device("gfx942:xnack-"));
  ASSERT_TRUE(p);
  EXPECT_EQ(p->elf().data(), image.data());
  EXPECT_EQ(pick_code_object(image, device("gfx906")).status().code(), Code::wrong_target);
  EXPECT_EQ(pick_code_object(as_bytes("hello"), device("gfx906")).status().code(), Code::invalid_image);
  EXPECT_EQ(pick_code_object({}, device("gfx906")).status().code(), Code::invalid_image);
}

TEST(ImageSize, NeverBeyondWhatIsReadable) {
  // Headers are not believed past `readable`: damaged images of every kind either fail or stay within it.
  std::string elf(file_text("gfx942_v6.co"));
  std::string bundle = make_bundle({{"hipv4-amdgcn-amd-amdhsa--gfx942", elf}});
  for (const std::string& image : {elf, bundle, compressed(2, 1, bundle, bundle.size())}) {
    for (uint64_t n = 0; n < image.size(); n += 1 + n / 8) {
      Expected<uint64_t> size = image_size(image.data(), n);
      if (size) EXPECT_LE(*size, n);
    }
    for (size_t at = 0; at < std::min<size_t>(image.size(), 512); ++at) {
      std::string damaged = image;
      damaged[at] = static_cast<char>(damaged[at] ^ 0x7f);
      Expected<uint64_t> size = image_size(damaged.data(), damaged.size());
      if (size) EXPECT_LE(*size, damaged.size()) << "byte " << at;
    }
  }
}

TEST(ImageSize, OfEveryKind) {
  for (const char* name : testdata::kCodeObjects) {
    Image image = testdata::read_file(name);
    Expected<uint64_t> size = image_size(image.data());
    ASSERT_TRUE(size) << name << ": " << size.status().message();
    EXPECT_EQ(*size, image.size()) << name;
  }
  for (const char* name : testdata::kBundles) {
    Image image = testdata::read_file(name);
    Expected<uint64_t> size = image_size(image.data());
    ASSERT_TRUE(size) << name << ": " << size.status().message();
    EXPECT_LE(*size, image.size()) << name; // the bundler may pad its end
    EXPECT_TRUE(Bundle::parse(Bytes(image).first(*size))) << name;
  }
  EXPECT_EQ(image_size(nullptr).status().code(), Code::invalid_argument);
  char nonsense[64] = "nothing that we know";
  EXPECT_EQ(image_size(nonsense).status().code(), Code::invalid_image);
}

TEST(FatBinary, Wrapper) {
  Image image = testdata::read_file("bundle.bin");
  FatBinaryWrapper wrapper{kFatBinaryMagic, 1, image.data(), nullptr};
  static_assert(sizeof wrapper == 24);
  Expected<Bytes> bytes = fat_binary_image(&wrapper);
  ASSERT_TRUE(bytes) << bytes.status().message();
  EXPECT_EQ(bytes->data(), image.data());
  EXPECT_TRUE(pick_code_object(*bytes, device("gfx942")));
  EXPECT_EQ(fat_binary_image(nullptr).status().code(), Code::invalid_argument);
  FatBinaryWrapper wrong = wrapper;
  wrong.magic = 0x466243b1;
  EXPECT_NE(fat_binary_image(&wrong).status().message().find("0x466243b1"), std::string::npos);
  wrong = wrapper;
  wrong.version = 2;
  EXPECT_EQ(fat_binary_image(&wrong).status().code(), Code::invalid_image);
  wrong = wrapper;
  wrong.binary = nullptr;
  EXPECT_EQ(fat_binary_image(&wrong).status().code(), Code::invalid_image);
}

} // namespace
} // namespace bz::codeobj
