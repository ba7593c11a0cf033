#include "gpu/product.hpp"

#include <gtest/gtest.h>

namespace {
using namespace bz;
using namespace bz::gpu;

const Machine kLaptop{.threads = 8, .memory_bytes = 16ull << 30};
const Machine kServer{.threads = 128, .memory_bytes = 1024ull << 30};

TEST(Product, DefaultIsOneGfx942SizedToTheMachine) {
  auto gpus = parse_gpus("", kLaptop);
  ASSERT_TRUE(gpus.ok()) << gpus.status().message();
  ASSERT_EQ(gpus->size(), 1u);
  const Product& p = (*gpus)[0];
  EXPECT_EQ(p.target, isa::Target::gfx942);
  EXPECT_EQ(p.cus, 8u);
  EXPECT_EQ(p.memory_bytes, 8ull << 30);
  EXPECT_EQ(p.gfx_target_version(), 90402u);
  EXPECT_EQ(p.cus % p.xccs, 0u);
}

TEST(Product, ProductsKeepTheirSizes) {
  auto gpus = parse_gpus("mi300x", kServer);
  ASSERT_TRUE(gpus.ok());
  EXPECT_EQ((*gpus)[0].cus, 304u);
  EXPECT_EQ((*gpus)[0].xccs, 8u);
  EXPECT_EQ((*gpus)[0].memory_bytes, 192ull << 30);
  EXPECT_EQ((*gpus)[0].caches.size(), 5u);
  auto mi50 = parse_gpus("MI50", kServer);
  ASSERT_TRUE(mi50.ok());
  EXPECT_EQ((*mi50)[0].cus, 60u);
  EXPECT_EQ((*mi50)[0].gfx_target_version(), 90006u);
  auto vega64 = parse_gpus("vega64", kServer);
  ASSERT_TRUE(vega64.ok());
  EXPECT_EQ((*vega64)[0].cus, 64u);
  EXPECT_EQ((*vega64)[0].memory_bytes, 8ull << 30);
  EXPECT_EQ((*vega64)[0].gfx_target_version(), 90000u);
  auto mi250x = parse_gpus("mi250x", kServer);
  ASSERT_TRUE(mi250x.ok());
  EXPECT_EQ(mi250x->size(), 2u) << "one device per GCD";
  EXPECT_EQ((*mi250x)[0].gfx_target_version(), 90010u);
}

TEST(Product, MemoryIsCappedByTheMachineUnlessAsked) {
  auto capped = parse_gpus("mi300x", kLaptop);
  ASSERT_TRUE(capped.ok());
  EXPECT_EQ((*capped)[0].memory_bytes, 12ull << 30);
  auto asked = parse_gpus("mi300x,memory=192G", kLaptop);
  ASSERT_TRUE(asked.ok());
  EXPECT_EQ((*asked)[0].memory_bytes, 192ull << 30);
}

TEST(Product, CountsListsAndOptions) {
  auto two = parse_gpus("2x mi300x", kServer);
  ASSERT_TRUE(two.ok());
  EXPECT_EQ(two->size(), 2u);
  auto mixed = parse_gpus("gfx942,cus=304 ; 3xgfx906,cus=5,memory=1G, gfx90a", kLaptop);
  ASSERT_TRUE(mixed.ok()) << mixed.status().message();
  ASSERT_EQ(mixed->size(), 5u);
  EXPECT_EQ((*mixed)[0].cus, 304u);
  EXPECT_EQ((*mixed)[0].xccs, 8u) << "an override to the full count restores the XCCs";
  EXPECT_EQ((*mixed)[1].cus, 5u);
  EXPECT_EQ((*mixed)[3].memory_bytes, 1ull << 30);
  EXPECT_EQ((*mixed)[4].target, isa::Target::gfx90a);
  EXPECT_EQ((*mixed)[4].cus, 8u);
}

TEST(Product, BadTextNamesTheThing) {
  for (const char* text : {"rtx4090", "mi300x,cus=0", "mi300x,cus=2000", "mi300x,foo=1", "cus=2", "mi300x;",
                           "0x mi300x", "65x mi300x", "mi300x,memory=10X", ",", "mi300x,memory=99999999T"}) {
    auto gpus = parse_gpus(text, kServer);
    EXPECT_FALSE(gpus.ok()) << text;
    EXPECT_NE(gpus.status().message().find("BZ_GPUS"), std::string::npos) << gpus.status().message();
  }
}

TEST(Product, EveryFileReads) {
  auto names = product_names();
  EXPECT_GE(names.size(), 7u);
  for (const auto& name : names) {
    auto p = find_product(name, kServer);
    ASSERT_TRUE(p.ok()) << p.status().message();
    EXPECT_FALSE(p->title.empty());
    EXPECT_GT(p->memory_bytes, 0u);
    EXPECT_GT(p->device_id, 0u);
    EXPECT_FALSE(p->caches.empty());
  }
}

} // namespace
