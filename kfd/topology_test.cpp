#include "kfd/topology.hpp"

#include <gtest/gtest.h>
#include <map>
#include <sstream>

namespace {
using namespace bz;
using namespace bz::kfd;

std::map<std::string, std::string> parse(const std::string& text) {
  std::map<std::string, std::string> out;
  std::istringstream in(text);
  for (std::string name, value; in >> name >> value;) out[name] = value;
  return out;
}

Topology make(const char* gpus) {
  gpu::Machine machine{.threads = 8, .memory_bytes = 512ull << 30};
  auto products = gpu::parse_gpus(gpus, machine);
  EXPECT_TRUE(products.ok());
  return Topology(*products, machine);
}

TEST(Topology, NodesAreTheHostAndItsGpus) {
  Topology t = make("mi300x;gfx906,cus=60");
  EXPECT_EQ(t.file("nodes/0/gpu_id"), "0\n");
  EXPECT_NE(t.file("nodes/1/gpu_id"), t.file("nodes/2/gpu_id"));
  EXPECT_FALSE(t.file("nodes/3/gpu_id"));
  auto host = parse(*t.file("nodes/0/properties"));
  EXPECT_EQ(host["cpu_cores_count"], "8");
  EXPECT_EQ(host["simd_count"], "0");
  auto gpu = parse(*t.file("nodes/1/properties"));
  EXPECT_EQ(gpu["simd_count"], "1216");
  EXPECT_EQ(gpu["simd_per_cu"], "4");
  EXPECT_EQ(gpu["gfx_target_version"], "90402");
  EXPECT_EQ(gpu["num_xcc"], "8");
  EXPECT_EQ(gpu["device_id"], std::to_string(0x74a1));
  EXPECT_EQ(gpu["drm_render_minor"], "128");
  EXPECT_NE(std::stoul(gpu["capability"]) & 1u << 26, 0u) << "code for gfx942:sramecc+ has to load";
  EXPECT_EQ(parse(*t.file("nodes/2/properties"))["drm_render_minor"], "129");
}

TEST(Topology, CountsMatchTheFiles) {
  Topology t = make("mi300x;mi300x");
  for (int node = 0; node < 3; ++node) {
    std::string base = "nodes/" + std::to_string(node) + "/";
    auto p = parse(*t.file(base + "properties"));
    for (auto [count, folder] :
         {std::pair{"caches_count", "caches/"}, {"io_links_count", "io_links/"}, {"mem_banks_count", "mem_banks/"}}) {
      int n = std::stoi(p[count]);
      for (int i = 0; i < n; ++i)
        EXPECT_TRUE(t.file(base + folder + std::to_string(i) + "/properties")) << base << folder << i;
      EXPECT_FALSE(t.file(base + folder + std::to_string(n) + "/properties")) << base << folder << n;
    }
  }
}

TEST(Topology, LinksNameBothEnds) {
  Topology t = make("2x gfx942");
  auto link = parse(*t.file("nodes/1/io_links/1/properties"));
  EXPECT_EQ(link["node_from"], "1");
  EXPECT_EQ(link["node_to"], "2");
  EXPECT_EQ(link["type"], "11");
}

TEST(Topology, StrangePathsAreNotThere) {
  Topology t = make("gfx942");
  for (const char* path :
       {"", "nodes", "nodes/", "nodes/x/properties", "nodes/-1/gpu_id", "nodes/1", "nodes/1/", "nodes/1/caches/0",
        "nodes/1/mem_banks/1/properties", "nodes/0/caches/0/properties", "nodes/99999999999/gpu_id", "../../x"})
    EXPECT_FALSE(t.file(path)) << path;
}

} // namespace
