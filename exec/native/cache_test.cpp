// Native code on disk: what is found again and what isn't, damage, limits, several processes, and that a hit needs no compiler.
#include "exec/native/cache.hpp"
#include "exec/testing/kernel.hpp"

#include <cstdio>
#include <cstdlib>
#include <dlfcn.h>
#include <filesystem>
#include <fstream>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

namespace {
using namespace bz::exec;
namespace fs = std::filesystem;

struct Folder {
  fs::path path;
  Folder() {
    std::string name = (fs::temp_directory_path() / "bz-cache-XXXXXX").string();
    EXPECT_NE(mkdtemp(name.data()), nullptr);
    path = name;
  }
  ~Folder() { fs::remove_all(path); }
  std::vector<fs::path> files() const {
    std::vector<fs::path> all;
    for (auto& e : fs::directory_iterator(path)) all.push_back(e.path());
    return all;
  }
};

const std::vector<uint32_t> kWords{0xbf800001, 0xbf810000};

NativeRequest request() {
  NativeRequest r;
  r.begin = 0x1000;
  r.words = kWords.data();
  r.dwords = kWords.size();
  r.entries = {0x1000};
  r.ids = {0, 1, 2};
  return r;
}
NativeImage image() {
  NativeImage i;
  i.text = {1, 2, 3, 4, 5};
  i.start = 2;
  i.places = {{0, 0}, {3, 1}};
  i.entries = {0};
  i.outcalls = {1};
  i.stack_bytes = 77;
  i.switches = true;
  i.instructions = 2;
  return i;
}

TEST(KernelCache, FindsWhatItKept) {
  Folder f;
  KernelCache cache(f.path, 1 << 20);
  auto identity = image_identity(request(), "build");
  EXPECT_FALSE(cache.load(identity));
  cache.store(identity, image());
  auto found = cache.load(identity);
  ASSERT_TRUE(found);
  const NativeImage want = image();
  EXPECT_EQ(found->text, want.text);
  EXPECT_EQ(found->start, want.start);
  ASSERT_EQ(found->places.size(), 2u);
  EXPECT_EQ(found->places[1].host, 3u);
  EXPECT_EQ(found->places[1].guest, 1u);
  EXPECT_EQ(found->entries, want.entries);
  EXPECT_EQ(found->outcalls, want.outcalls);
  EXPECT_EQ(found->stack_bytes, want.stack_bytes);
  EXPECT_TRUE(found->switches);
  EXPECT_EQ(found->instructions, want.instructions);
  ASSERT_EQ(f.files().size(), 1u);
  struct stat s{};
  ASSERT_EQ(stat(f.files()[0].c_str(), &s), 0);
  EXPECT_EQ(s.st_mode & 0777, 0600u);
}

TEST(KernelCache, EveryFieldOfARequestMatters) {
  const auto same = image_identity(request(), "build");
  NativeRequest moved = request();
  moved.begin += 0x100000;
  moved.entries[0] += 0x100000;
  EXPECT_EQ(image_identity(moved, "build"), same) << "where the code lies does not matter";
  EXPECT_NE(image_identity(request(), "another"), same);
  int n = 0;
  auto differs = [&](auto change) {
    NativeRequest r = request();
    change(r);
    EXPECT_NE(image_identity(r, "build"), same) << "change " << n;
    ++n;
  };
  static const std::vector<uint32_t> other{0xbf800002, 0xbf810000};
  differs([](auto& r) { r.target = bz::isa::Target::gfx90a; });
  differs([](auto& r) { r.accum_offset = 4; });
  differs([](auto& r) { r.mode = 1; });
  differs([](auto& r) { r.words = other.data(); });
  differs([](auto& r) { r.dwords = 1; });
  differs([](auto& r) { r.entries = {0x1004}; });
  differs([](auto& r) { r.entries.push_back(0x1004); });
  differs([](auto& r) { r.kernel_start = true; });
  differs([](auto& r) { r.ids[1] = 7; });
  differs([](auto& r) { r.id_rows = 3; });
  differs([](auto& r) { r.waves = 4; });
  differs([](auto& r) { r.full_waves = true; });
  differs([](auto& r) { r.lds_bytes = 64; });
  differs([](auto& r) { r.cpu = "znver4"; });
  differs([](auto& r) { r.features = "-avx512f"; });
  differs([](auto& r) { r.fast_numerics = true; });
  differs([](auto& r) { r.count = true; });
  differs([](auto& r) { r.level = 0; });
  differs([](auto& r) { r.off = "strips"; });
}

TEST(KernelCache, DamageIsRemoved) {
  const auto identity = image_identity(request(), "build");
  auto contents = [](const fs::path& p) {
    std::ifstream in(p, std::ios::binary);
    return std::string(std::istreambuf_iterator<char>(in), {});
  };
  Folder whole;
  KernelCache first(whole.path, 1 << 20);
  first.store(identity, image());
  const fs::path name = whole.files()[0];
  const std::string good = contents(name);
  auto reads = [&](const std::string& bytes) {
    std::ofstream(name, std::ios::binary) << bytes;
    return first.load(identity).has_value();
  };
  for (size_t at = 0; at < good.size(); ++at) {
    std::string bad = good;
    bad[at] = static_cast<char>(bad[at] ^ 0x40);
    ASSERT_FALSE(reads(bad)) << "byte " << at;
    if (at >= 8 && at < 16) continue;   // another version: not damage
    ASSERT_FALSE(fs::exists(name)) << "byte " << at;
  }
  for (size_t n = 0; n < good.size(); ++n) ASSERT_FALSE(reads(good.substr(0, n))) << n << " bytes";
  EXPECT_FALSE(reads(good + "x"));
  EXPECT_TRUE(reads(good));
  // The same hash of something else.
  EXPECT_TRUE(first.load(identity));
  KernelCache other(whole.path, 1 << 20);
  const auto another = image_identity(request(), "another build");
  other.store(another, image());
  for (auto& f : whole.files())
    if (f != name) fs::rename(f, name);
  EXPECT_FALSE(first.load(identity));
  EXPECT_TRUE(fs::exists(name)) << "it may be somebody else's";
}

TEST(KernelCache, WhatWasUsedLongestAgoGoes) {
  Folder f;
  KernelCache cache(f.path, 100'000);
  NativeImage big = image();
  big.text.resize(10'000);
  auto name = [](int i) { return image_identity(request(), "build " + std::to_string(i)); };
  for (int i = 0; i < 9; ++i) {
    cache.store(name(i), big);
    ASSERT_TRUE(cache.load(name(0)));   // used again and again
    usleep(20'000);
  }
  for (int i = 9; i < 14; ++i) cache.store(name(i), big);
  std::ofstream(f.path / "something else") << std::string(200'000, 'x');
  const fs::path left = f.path / "0.image.1.1";
  std::ofstream(left) << "x";
  cache.trim();
  EXPECT_TRUE(cache.load(name(0)));
  EXPECT_FALSE(cache.load(name(1)));
  EXPECT_TRUE(cache.load(name(13)));
  EXPECT_TRUE(fs::exists(left)) << "its writer may be at it";
  EXPECT_TRUE(fs::exists(f.path / "something else"));
  fs::last_write_time(left, fs::file_time_type::clock::now() - std::chrono::hours(2));
  cache.trim();
  EXPECT_FALSE(fs::exists(left));
  uint64_t total = 0;
  for (auto& p : f.files())
    if (p.extension() == ".image") total += fs::file_size(p);
  EXPECT_LE(total, 100'000u);
}

TEST(KernelCache, FoldersOfOthersAreNotUsed) {
  Folder f;
  setenv("BZ_CACHE", "1", 1);
  setenv("BZ_CACHE_DIR", (f.path / "a" / "b").c_str(), 1);
  EXPECT_TRUE(KernelCache::from_environment().on());
  struct stat s{};
  ASSERT_EQ(stat((f.path / "a" / "b").c_str(), &s), 0);
  EXPECT_EQ(s.st_mode & 0777, 0700u);
  chmod((f.path / "a" / "b").c_str(), 0777);
  EXPECT_FALSE(KernelCache::from_environment().on());
  std::ofstream(f.path / "file") << "x";
  setenv("BZ_CACHE_DIR", (f.path / "file").c_str(), 1);
  EXPECT_FALSE(KernelCache::from_environment().on());
  setenv("BZ_CACHE_DIR", "/proc/nowhere", 1);
  EXPECT_FALSE(KernelCache::from_environment().on());
  setenv("BZ_CACHE_DIR", f.path.c_str(), 1);
  EXPECT_TRUE(KernelCache::from_environment().on());
  setenv("BZ_CACHE", "0", 1);
  EXPECT_FALSE(KernelCache::from_environment().on());
}

// ---------------------------------------------------------------- whole processes

/// Runs the one test that a child of this program is for; its exit code.
int child(const fs::path& cache, const char* exec, const char* want, const char* library = nullptr) {
  pid_t pid = fork();
  if (pid == 0) {
    setenv("BZ_CACHE", "1", 1);
    setenv("BZ_CACHE_DIR", cache.c_str(), 1);
    setenv("BZ_TEST_EXEC", exec, 1);
    setenv("BZ_TEST_WANT", want, 1);
    if (library) setenv("BZ_JIT_LIBRARY", library, 1);
    unsetenv("GTEST_OUTPUT");
    if (!freopen("/dev/null", "w", stdout)) _exit(3);
    execl("/proc/self/exe", "exec_native_test", "--gtest_filter=KernelCacheChild.*", "--gtest_also_run_disabled_tests", nullptr);
    _exit(127);
  }
  int status = 0;
  waitpid(pid, &status, 0);
  return WIFEXITED(status) ? WEXITSTATUS(status) : -WTERMSIG(status);
}

/// In a process of its own: runs the fake kernel that counts its waves, once.
TEST(KernelCacheChild, DISABLED_Runs) {
  using namespace bz::exec::testing;
  const char* mode = std::getenv("BZ_TEST_EXEC");
  if (!mode) GTEST_SKIP() << "only for KernelCache.*";
  EngineConfig config;
  config.exec = mode;
  ASSERT_TRUE(make_engine(bz::isa::Target::gfx942, "").ok());   // installs the handlers
  auto e = Engine::create(config);
  const std::string want = std::getenv("BZ_TEST_WANT");
  if (want == "refused") {
    ASSERT_FALSE(e.ok());
    EXPECT_NE(e.status().message().find("BZ_EXEC=jit: the compiler of kernels"), std::string::npos) << e.status().message();
    EXPECT_NE(e.status().message().find(std::getenv("BZ_JIT_LIBRARY")), std::string::npos) << e.status().message();
    return;
  }
  ASSERT_TRUE(e.ok()) << e.status().to_string();
  RawKernel kernel(bz::isa::Target::gfx942, kWords);
  std::vector<uint32_t> mem(64);
  DispatchInfo info;
  info.group_size = {64, 1, 1};
  info.grid_size = {640, 1, 1};
  info.kernel_object = kernel.object();
  info.kernarg = reinterpret_cast<uint64_t>(mem.data());
  auto r = run_dispatch(**e, info);
  ASSERT_TRUE(r.ok()) << r.status().to_string();
  ASSERT_FALSE(r->halt);
  EXPECT_EQ(mem[0], want == "interpreted" ? 0u : 10u);
  EXPECT_EQ(dlopen(std::getenv("BZ_JIT_LIBRARY"), RTLD_NOLOAD | RTLD_NOW) != nullptr, want == "compiled") << "the module is mapped";
  std::ifstream maps("/proc/self/maps");
  const std::string all(std::istreambuf_iterator<char>(maps), {});
  EXPECT_EQ(all.find("libLLVM"), std::string::npos);
  EXPECT_EQ(all.find("bz_fake_jit") != std::string::npos, want == "compiled");
}

TEST(KernelCache, AHitNeedsNoCompiler) {
  if (!std::getenv("BZ_JIT_LIBRARY")) GTEST_SKIP() << "run by ctest, which names the test's module";
  Folder f;
  EXPECT_EQ(child(f.path, "auto", "interpreted"), 0) << "too little to be compiled";
  EXPECT_EQ(child(f.path, "jit", "compiled"), 0);
  ASSERT_EQ(f.files().size(), 1u);
  EXPECT_EQ(child(f.path, "jit", "kept"), 0);
  EXPECT_EQ(child(f.path, "auto", "kept"), 0);
  EXPECT_EQ(child(f.path, "interp", "interpreted"), 0);
  fs::resize_file(f.files()[0], 100);
  EXPECT_EQ(child(f.path, "jit", "compiled"), 0) << "the damaged file is replaced";
  EXPECT_EQ(child(f.path, "jit", "kept"), 0);
}

TEST(KernelCache, WithoutACompiler) {
  Folder f;
  for (const char* library : {"/nowhere/libbz-jit.so", "libbz-nowhere.so", "/bin/true"}) {
    EXPECT_EQ(child(f.path, "auto", "interpreted", library), 0) << library;
    EXPECT_EQ(child(f.path, "interp", "interpreted", library), 0) << library;
  }
  for (const char* library : {"/nowhere/libbz-jit.so", "libbz-nowhere.so"}) EXPECT_EQ(child(f.path, "jit", "refused", library), 0) << library;
}

TEST(KernelCache, ManyProcessesAtOnce) {
  Folder f;
  std::vector<pid_t> pids;
  for (int i = 0; i < 6; ++i) {
    pid_t pid = fork();
    if (pid == 0) {
      KernelCache cache(f.path, 60'000);
      NativeImage big = image();
      big.text.assign(10'000, 9);
      int wrong = 0;
      for (int k = 0; k < 200; ++k) {
        auto identity = image_identity(request(), "build " + std::to_string((k * 7 + i) % 10));
        if (auto found = cache.load(identity)) wrong += found->text != big.text;
        else cache.store(identity, big);
      }
      _exit(wrong ? 1 : 0);
    }
    pids.push_back(pid);
  }
  for (pid_t pid : pids) {
    int status = 0;
    waitpid(pid, &status, 0);
    EXPECT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) == 0);
  }
}

} // namespace
