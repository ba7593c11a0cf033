#include "kfd/files.hpp"

#include <gtest/gtest.h>
#include <set>
#include <sstream>

namespace {
using namespace bz;
using namespace bz::kfd;

Files make(const char* gpus) {
  gpu::Machine machine{.threads = 4, .memory_bytes = 64ull << 30};
  auto products = gpu::parse_gpus(gpus, machine);
  EXPECT_TRUE(products.ok());
  return Files(*products, machine);
}

struct Line {
  char kind;
  std::string path, rest;
};
std::vector<Line> lines(const Files& f) {
  std::vector<Line> out;
  std::istringstream in(f.list());
  for (std::string line; std::getline(in, line);) {
    std::istringstream words(line);
    Line l;
    words >> l.kind >> l.path >> l.rest;
    out.push_back(l);
  }
  return out;
}

TEST(Files, EveryListedFileHasAText) {
  Files f = make("mi60;mi300x");
  std::set<std::string> seen;
  size_t files = 0;
  for (const Line& l : lines(f)) {
    EXPECT_TRUE(seen.insert(l.path).second) << l.path << " is listed twice";
    EXPECT_EQ(l.kind == 'f', f.file(l.path).has_value()) << l.path;
    files += l.kind == 'f';
    EXPECT_NE(std::string("dfcl").find(l.kind), std::string::npos);
    EXPECT_EQ(l.kind == 'c' || l.kind == 'l', !l.rest.empty()) << l.path;
  }
  EXPECT_GT(files, 600u) << "a file for each cache";
  EXPECT_TRUE(seen.contains("/sys/devices/virtual/kfd/kfd/topology/nodes/2/io_links/1/properties"));
  EXPECT_FALSE(f.file("/sys/devices/virtual/kfd/kfd/topology"));
  EXPECT_FALSE(f.file("/sys/dev/char/226:130/dev"));
}

TEST(Files, EachGpuHasARenderNode) {
  Files f = make("2x mi60");
  std::string nodes;
  for (const Line& l : lines(f))
    if (l.kind == 'c') nodes += l.path + "=" + l.rest + " ";
  EXPECT_EQ(nodes, "/dev/kfd=241:0 /dev/dri/renderD128=226:128 /dev/dri/renderD129=226:129 ");
  EXPECT_EQ(f.file("/sys/dev/char/226:129/dev"), "226:129\n");
  EXPECT_EQ(f.file("/sys/dev/char/226:129/device/vendor"), "0x1002\n");
  EXPECT_NE(f.file("/sys/dev/char/226:129/device/uevent")->find("PCI_SLOT_NAME=0000:02:00.0\n"), std::string::npos);
}

} // namespace
