// The shim as a program meets it: this program runs with it preloaded (see CMakeLists.txt).
#include <atomic>
#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <dirent.h>
#include <fcntl.h>
#include <filesystem>
#include <fstream>
#include <gtest/gtest.h>
#include <set>
#include <string>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>

namespace {

// <linux/kfd_ioctl.h>: AMDKFD_IOC_GET_VERSION.
constexpr unsigned long kGetVersion = 0x80084b01;
struct Version {
  uint32_t major, minor;
};

/// Before main, and before the constructors of most libraries' users.
int early = -1;
__attribute__((constructor(101))) void open_early() { early = open("/dev/kfd", O_RDWR | O_CLOEXEC); }

bool answers(int fd) {
  Version v{};
  return ioctl(fd, kGetVersion, &v) == 0 && v.major == 1;
}

std::set<std::string> names_in(const char* folder) {
  std::set<std::string> out;
  if (DIR* d = opendir(folder)) {
    while (dirent* e = readdir(d))
      if (e->d_name[0] != '.') out.insert(e->d_name);
    closedir(d);
  }
  return out;
}

std::string text_of(const char* path) {
  std::ifstream in(path);
  return {std::istreambuf_iterator<char>(in), {}};
}

/// The shim's folders of processes that live or were killed.
std::set<std::string> trees() {
  std::set<std::string> out;
  for (const std::string& name : names_in("/dev/shm"))
    if (name.starts_with("boltzmann-shim.")) out.insert(name);
  return out;
}

TEST(Shim, WorksBeforeMain) { EXPECT_TRUE(answers(early)); }

TEST(Shim, NodesAreCharacterDevices) {
  for (auto [path, minor_number] : {std::pair{"/dev/kfd", 0u}, {"/dev/dri/renderD129", 129u}}) {
    struct stat by_path{}, by_fd{};
    ASSERT_EQ(stat(path, &by_path), 0);
    EXPECT_TRUE(S_ISCHR(by_path.st_mode));
    EXPECT_EQ(minor(by_path.st_rdev), minor_number);
    int fd = open(path, O_RDWR);
    ASSERT_GE(fd, 0);
    ASSERT_EQ(fstat(fd, &by_fd), 0);
    EXPECT_EQ(by_fd.st_rdev, by_path.st_rdev);
    EXPECT_EQ(access(path, R_OK | W_OK), 0);
    EXPECT_TRUE(std::filesystem::is_character_file(path));
    close(fd);
  }
  errno = 0;
  EXPECT_EQ(open("/dev/dri/renderD130", O_RDWR), -1) << "there are two GPUs";
  EXPECT_EQ(errno, ENOENT);
}

TEST(Shim, FoldersAndFilesOfTheDriver) {
  EXPECT_EQ(names_in("/dev/dri"), (std::set<std::string>{"renderD128", "renderD129"}));
  EXPECT_EQ(names_in("/sys/class/kfd/kfd/topology/nodes"), (std::set<std::string>{"0", "1", "2"}));
  EXPECT_EQ(text_of("/sys/class/kfd/kfd/topology/nodes/0/gpu_id"), "0\n");
  EXPECT_EQ(text_of("/sys/class/kfd/../kfd/./kfd//topology/nodes/0/gpu_id"), "0\n");
  EXPECT_NE(text_of("/proc/modules").find("amdgpu "), std::string::npos);
  struct stat up{}, dev{};
  EXPECT_EQ(stat("/dev/dri/..", &up) | stat("/dev", &dev), 0);
  EXPECT_EQ(up.st_ino, dev.st_ino);
  int folder = open("/sys/devices/virtual/kfd/kfd/topology", O_RDONLY | O_DIRECTORY);
  int file = openat(folder, "nodes/1/gpu_id", O_RDONLY);
  char digits[16] = {};
  EXPECT_GT(read(file, digits, sizeof digits - 1), 1);
  EXPECT_EQ(digits, text_of("/sys/class/kfd/kfd/topology/nodes/1/gpu_id"));
  int dri = open("/dev/dri", O_RDONLY | O_DIRECTORY), node = openat(dri, "renderD128", O_RDWR);
  struct stat s{};
  EXPECT_EQ(fstat(node, &s), 0);
  EXPECT_EQ(s.st_rdev, makedev(226, 128));
  for (int fd : {folder, file, dri, node}) close(fd);
  char* real = realpath("/sys/class/kfd/kfd", nullptr);
  ASSERT_NE(real, nullptr);
  EXPECT_STREQ(real, "/sys/devices/virtual/kfd/kfd");
  std::free(real);
}

TEST(Shim, OtherPathsAreTheMachines) {
  EXPECT_EQ(open("/dev/null", O_RDWR) >= 0, true);
  struct stat s{};
  EXPECT_EQ(stat("/dev/null", &s), 0);
  EXPECT_EQ(major(s.st_rdev), 1u);
  EXPECT_EQ(stat("/sys/class/no-such-class", &s), -1);
  EXPECT_FALSE(text_of("/proc/self/maps").empty());
  EXPECT_EQ(open(nullptr, O_RDONLY), -1);
  EXPECT_EQ(errno, EFAULT);
}

TEST(Shim, LsmodNamesTheModule) {
  std::FILE* f = popen("lsmod | grep amdgpu", "r");
  ASSERT_NE(f, nullptr);
  char line[256] = {};
  EXPECT_NE(std::fgets(line, sizeof line, f), nullptr);
  EXPECT_EQ(pclose(f), 0);
  EXPECT_NE(std::strstr(line, "amdgpu"), nullptr);
  f = popen("echo lsmod", "r");
  EXPECT_NE(std::fgets(line, sizeof line, f), nullptr);
  pclose(f);
  EXPECT_STREQ(line, "lsmod\n");
}

TEST(Shim, DuplicatesAndReusedNumbers) {
  int first = open("/dev/kfd", O_RDWR), second = dup(first), third = fcntl(second, F_DUPFD_CLOEXEC, 100);
  close(first);
  EXPECT_TRUE(answers(second));
  close(second);
  EXPECT_TRUE(answers(third));
  int other = open("/dev/null", O_RDWR);
  ASSERT_EQ(dup2(other, third), third); // closes it past every wrapper
  EXPECT_FALSE(answers(third));
  EXPECT_EQ(errno, ENOTTY);
  void* p = mmap(nullptr, 4096, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS, third, 0);
  EXPECT_NE(p, MAP_FAILED);
  munmap(p, 4096);
  close(third);
  close(other);
}

TEST(Shim, ErrorsComeByErrno) {
  int fd = open("/dev/kfd", O_RDWR);
  errno = 0;
  EXPECT_EQ(ioctl(fd, kGetVersion, nullptr), -1);
  EXPECT_EQ(errno, EFAULT);
  EXPECT_EQ(ioctl(fd, 0x4bff), -1);
  EXPECT_EQ(errno, ENOTTY);
  EXPECT_EQ(mmap(nullptr, 4096, PROT_READ, MAP_SHARED, fd, 1ull << 62), MAP_FAILED);
  EXPECT_EQ(errno, EINVAL);
  close(fd);
  EXPECT_EQ(ioctl(fd, kGetVersion, nullptr), -1);
  EXPECT_EQ(errno, EBADF);
}

TEST(Shim, ThreadsOpenAndCloseAtOnce) {
  std::atomic<int> bad{0};
  std::vector<std::thread> threads;
  for (int t = 0; t < 4; ++t)
    threads.emplace_back([&, t] {
      for (int i = 0; i < 100; ++i) {
        int fd = t % 2 ? open("/dev/kfd", O_RDWR) : open("/dev/dri/renderD128", O_RDWR);
        if (fd < 0 || (t % 2 && !answers(fd)) || text_of("/sys/class/kfd/kfd/topology/nodes/0/gpu_id") != "0\n") ++bad;
        close(fd);
      }
    });
  for (auto& t : threads) t.join();
  EXPECT_EQ(bad, 0);
  EXPECT_TRUE(answers(early)) << "the first descriptor is as it was";
}

TEST(Shim, AForkedChildHasNoDeviceAndKeepsItsFiles) {
  pid_t child = fork();
  if (child == 0) {
    bool refused = !answers(early) && errno == EBADF;
    bool reads = text_of("/sys/class/kfd/kfd/topology/nodes/0/gpu_id").empty(); // no device, so no tree
    close(early);
    _exit(refused && reads ? 0 : 1);
  }
  int status = 0;
  waitpid(child, &status, 0);
  EXPECT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) == 0);
  EXPECT_TRUE(answers(early));
}

TEST(Shim, AProgramThatItStartsIsServedToo) {
  std::FILE* f = popen("cat /sys/class/kfd/kfd/topology/nodes/0/gpu_id; ls /dev/dri", "r");
  std::string all;
  for (char line[64]; std::fgets(line, sizeof line, f);) all += line;
  pclose(f);
  EXPECT_EQ(all, "0\nrenderD128\nrenderD129\n");
}

TEST(Shim, TreesGoWithTheirProcesses) {
  auto before = trees();
  ASSERT_EQ(std::system("cat /sys/class/kfd/kfd/topology/nodes/0/gpu_id >/dev/null"), 0);
  EXPECT_EQ(trees(), before);
  // Killed, it leaves one, which the next process takes away.
  pid_t killed = fork();
  if (killed == 0) {
    execlp("sh", "sh", "-c", "exec tail -f /sys/class/kfd/kfd/topology/nodes/0/gpu_id >/dev/null", nullptr);
    _exit(127);
  }
  for (int i = 0; i < 2000 && trees() == before; ++i) usleep(5000);
  EXPECT_NE(trees(), before);
  kill(killed, SIGKILL);
  waitpid(killed, nullptr, 0);
  EXPECT_NE(trees(), before);
  ASSERT_EQ(std::system("cat /sys/class/kfd/kfd/topology/nodes/0/gpu_id >/dev/null"), 0);
  EXPECT_EQ(trees(), before);
}

TEST(Shim, TheDoorbellPageCanBeUnmapped) {
  std::string id = text_of("/sys/class/kfd/kfd/topology/nodes/1/gpu_id");
  auto offset = static_cast<off_t>(3ull << 62 | std::stoull(id) << 46);
  void* bells = mmap(nullptr, 8192, PROT_READ | PROT_WRITE, MAP_SHARED, early, offset);
  ASSERT_NE(bells, MAP_FAILED);
  ASSERT_EQ(munmap(bells, 8192), 0);
  // What comes to that place is the program's: its protection stays what the program set.
  void* mine = mmap(bells, 8192, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0);
  ASSERT_EQ(mine, bells);
  void* again = mmap(nullptr, 8192, PROT_READ | PROT_WRITE, MAP_SHARED, early, offset);
  EXPECT_NE(again, MAP_FAILED);
  EXPECT_NE(again, bells);
  munmap(again, 8192);
  munmap(mine, 8192);
}

} // namespace
