// Thousands of damaged copies of real images through everything the room does. Deterministic: a failure repeats.
// fuzz_one aborts when a promise is broken; sanitizer builds add their own checks.
#include "codeobj/fuzz/fuzz_one.hpp"
#include "codeobj/testdata/testdata.hpp"

#include <random>

namespace bz::codeobj {
namespace {

using Image = std::vector<std::byte>;

/// A heap copy of exactly this size, so that a sanitizer sees the first byte read beyond.
bool run(const Image& image) {
  std::unique_ptr<std::byte[]> exact(new std::byte[image.size()]);
  if (!image.empty()) std::memcpy(exact.get(), image.data(), image.size());
  return fuzz_one({exact.get(), image.size()});
}

std::vector<const char*> all_images() {
  std::vector<const char*> names(std::begin(testdata::kCodeObjects), std::end(testdata::kCodeObjects));
  names.insert(names.end(), std::begin(testdata::kBundles), std::end(testdata::kBundles));
  return names;
}

TEST(Mutation, UndamagedImagesAreAccepted) {
  for (const char* name : all_images()) EXPECT_TRUE(run(testdata::read_file(name))) << name;
}

TEST(Mutation, Truncated) {
  std::mt19937 random(1);
  for (const char* name : all_images()) {
    const Image image = testdata::read_file(name);
    for (int i = 0; i < 200; ++i) {
      size_t size = i < 100 ? i * 8 : random() % image.size();
      run(Image(image.begin(), image.begin() + std::min(size, image.size())));
    }
  }
}

TEST(Mutation, FlippedBits) {
  std::mt19937 random(2);
  int refused = 0;
  for (const char* name : all_images()) {
    const Image image = testdata::read_file(name);
    for (int i = 0; i < 400; ++i) {
      Image damaged = image;
      for (unsigned flips = 1 + random() % 4; flips > 0; --flips) {
        // Half of the flips hit the first 4 KiB: headers, symbols and notes live there.
        size_t at = random() % (random() % 2 ? std::min<size_t>(image.size(), 4096) : image.size());
        damaged[at] ^= static_cast<std::byte>(1u << random() % 8);
      }
      refused += !run(damaged);
    }
  }
  EXPECT_GT(refused, 500) << "the damage must reach what is checked";
}

TEST(Mutation, ExtremeNumbers) {
  std::mt19937 random(3);
  const uint64_t extremes[] = {0,
                               1,
                               7,
                               0x7fff,
                               0xffff,
                               0x7fffffff,
                               0xffffffff,
                               0x100000000,
                               INT64_MAX,
                               0x8000000000000000,
                               UINT64_MAX - 7,
                               UINT64_MAX};
  for (const char* name : all_images()) {
    const Image image = testdata::read_file(name);
    for (int i = 0; i < 400; ++i) {
      Image damaged = image;
      size_t width = size_t{1} << random() % 4;
      size_t at = random() % (std::min<size_t>(image.size(), random() % 2 ? 640 : image.size()) / width) * width;
      uint64_t value = extremes[random() % std::size(extremes)];
      std::memcpy(damaged.data() + at, &value, std::min(width, image.size() - at));
      run(damaged);
    }
  }
}

// Every byte of the ELF header, program headers and dynamic table set to both extremes.
TEST(Mutation, HeadersByteByByte) {
  const Image image = testdata::read_file("facts_gfx942.co");
  for (size_t at = 0; at < 64 + 56 * 9; ++at)
    for (int value : {0x00, 0x7f, 0x80, 0xff}) {
      Image damaged = image;
      damaged[at] = static_cast<std::byte>(value);
      run(damaged);
    }
}

} // namespace
} // namespace bz::codeobj
