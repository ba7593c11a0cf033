#include "shim/tree.hpp"

#include "shim/device.hpp"

#include <atomic>
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <dirent.h>
#include <fcntl.h>
#include <ftw.h>
#include <pthread.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

namespace bz::shim {
namespace {

// What the device serves is served wholly: a file of the machine below these places is not seen.
constexpr const char* kServed[] = {BZ_KFD_SERVED, "/proc/modules"};
constexpr const char* kPrefix = "boltzmann-shim.";

struct Node {
  char path[64];
  unsigned major, minor;
};
constexpr int kMostNodes = 257; // /dev/kfd and the render nodes
Node nodes[kMostNodes];
int node_count = 0;

char root[PATH_MAX];
int lock_fd = -1; ///< locked while the owner of the tree lives
pid_t owner = 0;
enum class State { none, ready, failed };
std::atomic<State> state{State::none};
pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;

bool below(const char* path, const char* folder) {
  size_t n = strlen(folder);
  // "226:" is the beginning of a name.
  return strncmp(path, folder, n) == 0 && (path[n] == 0 || path[n] == '/' || folder[n - 1] == ':');
}

int remove_entry(const char* path, const struct stat*, int, FTW*) { return remove(path); }
void remove_folder(const char* path) { nftw(path, remove_entry, 8, FTW_DEPTH | FTW_PHYS); }

/// Trees whose owner was killed: nobody holds their lock.
void sweep(const char* place) {
  DIR* folder = opendir(place);
  if (!folder) return;
  while (dirent* entry = readdir(folder)) {
    if (strncmp(entry->d_name, kPrefix, strlen(kPrefix)) != 0) continue;
    char path[PATH_MAX], lock[PATH_MAX + 8];
    snprintf(path, sizeof path, "%s/%s", place, entry->d_name);
    snprintf(lock, sizeof lock, "%s/lock", path);
    int fd = open(lock, O_RDONLY | O_CLOEXEC | O_NOFOLLOW);
    struct stat s;
    if (fd < 0) continue;
    if (fstat(fd, &s) == 0 && s.st_uid == geteuid() && flock(fd, LOCK_EX | LOCK_NB) == 0) remove_folder(path);
    close(fd);
  }
  closedir(folder);
}

/// Folders above the last slash too.
void make_folders(char* path) {
  for (char* slash = path + strlen(root) + 1; (slash = strchr(slash, '/')); *slash++ = '/') {
    *slash = 0;
    mkdir(path, 0755);
  }
}

bool copy(int from, const char* to) {
  int fd = open(to, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0444);
  if (fd < 0) return false;
  char part[16384];
  bool good = true;
  for (ssize_t n; (n = read(from, part, sizeof part)) > 0;) good &= write(fd, part, static_cast<size_t>(n)) == n;
  close(fd);
  return good;
}

/// One line of the library's list (kfd/entry.h): kind, path, and what belongs to the kind.
bool make_entry(const Entries& device, const char* line) {
  char kind = 0, path[PATH_MAX], rest[PATH_MAX] = {}, at[PATH_MAX + 64];
  if (sscanf(line, "%c %4095s %4095s", &kind, path, rest) < 2) return false;
  snprintf(at, sizeof at, "%s%s", root, path);
  make_folders(at);
  switch (kind) {
  case 'd':
    return mkdir(at, 0755) == 0 || errno == EEXIST;
  case 'l':
    return symlink(rest, at) == 0;
  case 'c': {
    if (node_count == kMostNodes) return false;
    Node& node = nodes[node_count];
    if (sscanf(rest, "%u:%u", &node.major, &node.minor) != 2) return false;
    snprintf(node.path, sizeof node.path, "%s", path);
    ++node_count;
    int fd = open(at, O_WRONLY | O_CREAT | O_CLOEXEC, 0666);
    if (fd >= 0) close(fd);
    return fd >= 0;
  }
  case 'f': {
    int fd = device.open(path, O_RDONLY);
    bool good = fd >= 0 && copy(fd, at);
    if (fd >= 0) device.close(fd);
    return good;
  }
  default:
    return false;
  }
}

/// The kernel's list of modules, and the driver that this library stands for.
bool make_modules() {
  char at[PATH_MAX + 64];
  snprintf(at, sizeof at, "%s/proc/modules", root);
  make_folders(at);
  int from = open("/proc/modules", O_RDONLY | O_CLOEXEC);
  bool good = from < 0 ? true : copy(from, at);
  if (from >= 0) close(from);
  int fd = open(at, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0444);
  constexpr char kLine[] = "amdgpu 16777216 0 - Live 0x0000000000000000\n";
  good &= fd >= 0 && write(fd, kLine, sizeof kLine - 1) == static_cast<ssize_t>(sizeof kLine - 1);
  if (fd >= 0) close(fd);
  return good;
}

bool fill(const Entries& device) {
  int fd = device.open("/", O_RDONLY | O_DIRECTORY);
  if (fd < 0) return false; // the library said why
  FILE* list = fdopen(fd, "r");
  if (!list) {
    close(fd);
    return false;
  }
  char* line = nullptr;
  size_t space = 0;
  bool good = true;
  while (good && getline(&line, &space, list) > 0) {
    good = make_entry(device, line);
    if (!good) dprintf(STDERR_FILENO, "boltzmann-shim: error: %s can't hold %s", root, line);
  }
  free(line);
  fclose(list);
  return good && make_modules();
}

State make() {
  const Entries* entries = device();
  if (!entries) return State::failed;
  const char* places[] = {"/dev/shm", getenv("XDG_RUNTIME_DIR"), getenv("TMPDIR"), "/tmp"};
  for (const char* place : places) {
    if (!place || !*place) continue;
    sweep(place);
    snprintf(root, sizeof root, "%s/%sXXXXXX", place, kPrefix);
    if (!mkdtemp(root)) continue;
    owner = getpid();
    char lock[PATH_MAX + 8];
    snprintf(lock, sizeof lock, "%s/lock", root);
    lock_fd = open(lock, O_RDWR | O_CREAT | O_CLOEXEC, 0600);
    if (lock_fd >= 0) flock(lock_fd, LOCK_EX);
    node_count = 0;
    if (fill(*entries)) return State::ready;
    remove_folder(root);
    if (lock_fd >= 0) close(lock_fd);
    owner = 0;
    return State::failed;
  }
  dprintf(STDERR_FILENO, "boltzmann-shim: error: no folder can be made in /dev/shm, $XDG_RUNTIME_DIR, $TMPDIR or /tmp\n");
  return State::failed;
}

bool ready() {
  if (state.load(std::memory_order_acquire) == State::none) {
    Inside guard;
    int saved = errno;
    pthread_mutex_lock(&mutex);
    if (state.load() == State::none) state.store(make(), std::memory_order_release);
    pthread_mutex_unlock(&mutex);
    errno = saved;
  }
  return state.load(std::memory_order_acquire) == State::ready;
}

/// Absolute and without "//", "." and "..", by its words alone. False if it is too long.
bool plain(const char* from, char* to) {
  size_t n = 0;
  while (*from) {
    while (*from == '/') ++from;
    size_t word = strcspn(from, "/");
    if (word == 0) break;
    if (word == 2 && from[0] == '.' && from[1] == '.') {
      while (n > 0 && to[--n] != '/') {}
    } else if (word != 1 || from[0] != '.') {
      if (n + word + 2 > PATH_MAX) return false;
      to[n++] = '/';
      memcpy(to + n, from, word);
      n += word;
    }
    from += word;
  }
  if (n == 0) to[n++] = '/';
  to[n] = 0;
  return true;
}

/// Most paths are told to be none of ours by a look at their beginning.
bool worth_looking(const char* path) {
  return strncmp(path, "/dev/", 5) == 0 || strncmp(path, "/sys/", 5) == 0 || strncmp(path, "/proc/m", 7) == 0 ||
         strstr(path, "//") || strstr(path, "/.");
}

bool is_served(const char* name) {
  for (const char* folder : kServed)
    if (below(name, folder)) return true;
  return false;
}

/// "/dev/dri/..": through a folder that only the tree has, back to the machine's.
bool leads_out(const char* path, Place& out) {
  const char* back = path[0] == '/' ? strstr(path, "/..") : nullptr;
  if (!back) return false;
  char before[PATH_MAX], name[PATH_MAX];
  if (snprintf(before, sizeof before, "%.*s", static_cast<int>(back - path), path) >= static_cast<int>(sizeof before) ||
      !plain(before, name) || !is_served(name))
    return false;
  memcpy(out.real, out.name, sizeof out.real);
  out.device = false;
  return true;
}

} // namespace

bool find_place(int dirfd, const char* path, Place& out) {
  if (!path || !*path || Inside::here()) return false;
  if (path[0] == '/') {
    if (!worth_looking(path) || !plain(path, out.name)) return false;
  } else {
    // Relative to a folder of the tree that the program has opened.
    if (dirfd == AT_FDCWD || state.load(std::memory_order_acquire) != State::ready) return false;
    char link[32], folder[PATH_MAX], joined[2 * PATH_MAX];
    snprintf(link, sizeof link, "/proc/self/fd/%d", dirfd);
    ssize_t n = readlink(link, folder, sizeof folder - 1);
    if (n <= 0) return false;
    folder[n] = 0;
    if (!below(folder, root)) return false;
    snprintf(joined, sizeof joined, "%s/%s", folder + strlen(root), path);
    if (!plain(joined, out.name)) return false;
  }
  if (!is_served(out.name)) return leads_out(path, out);
  if (!ready()) return false;
  if (snprintf(out.real, sizeof out.real, "%s%s", root, out.name) >= static_cast<int>(sizeof out.real)) return false;
  out.device = false;
  for (int i = 0; i < node_count; ++i)
    if (strcmp(nodes[i].path, out.name) == 0) {
      out.device = true;
      out.major = nodes[i].major;
      out.minor = nodes[i].minor;
    }
  return true;
}

const char* without_tree(const char* path) {
  if (state.load(std::memory_order_acquire) != State::ready || !below(path, root)) return path;
  return path + strlen(root);
}

void tree_after_fork() { // the parent's tree may go at any time
  pthread_mutex_t fresh = PTHREAD_MUTEX_INITIALIZER;
  memcpy(&mutex, &fresh, sizeof mutex);
  if (lock_fd >= 0) close(lock_fd);
  lock_fd = -1;
  owner = 0;
  if (state.load() == State::ready) state.store(State::none);
}

void remove_tree() {
  if (owner == 0 || owner != getpid()) return;
  Inside guard;
  state.store(State::failed);
  remove_folder(root);
  owner = 0;
}

} // namespace bz::shim
