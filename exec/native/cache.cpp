#include "exec/native/cache.hpp"
#include "base/environment.hpp"
#include "base/log.hpp"

#include <algorithm>
#include <array>
#include <cerrno>
#include <cpuid.h>
#include <cstring>
#include <dirent.h>
#include <elf.h>
#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <sys/time.h>
#include <type_traits>
#include <unistd.h>

namespace bz::exec {
namespace {

// ---------------------------------------------------------------- bytes

struct Writer {
  std::vector<uint8_t> bytes;
  template <class T> void value(const T& x) {
    static_assert(std::is_trivially_copyable_v<T>);
    auto* p = reinterpret_cast<const uint8_t*>(&x);
    bytes.insert(bytes.end(), p, p + sizeof x);
  }
  template <class T> void array(const T* data, size_t count) {
    static_assert(std::is_trivially_copyable_v<T>);
    value(uint64_t{count});
    auto* p = reinterpret_cast<const uint8_t*>(data);
    bytes.insert(bytes.end(), p, p + count * sizeof(T));
  }
  template <class C> void array(const C& c) { array(c.data(), c.size()); }
};

struct Reader {
  const uint8_t* at;
  const uint8_t* end;
  bool good = true;
  template <class T> void value(T& x) {
    if (static_cast<size_t>(end - at) < sizeof x) return void(good = false);
    std::memcpy(&x, at, sizeof x);
    at += sizeof x;
  }
  template <class C> void array(C& c) {
    uint64_t count = 0;
    value(count);
    constexpr size_t kEach = sizeof(typename C::value_type);
    if (!good || static_cast<size_t>(end - at) / kEach < count) return void(good = false);
    c.resize(count);
    if (count) std::memcpy(c.data(), at, count * kEach);
    at += count * kEach;
  }
};

/// Every field of an image, by whoever reads or writes.
template <class Io, class Image> void fields(Io& io, Image& i) {
  io.array(i.text);
  io.value(i.start);
  io.array(i.places);
  io.array(i.entries);
  io.array(i.outcalls);
  io.value(i.stack_bytes);
  io.value(i.switches);
  io.value(i.instructions);
}

uint64_t hash(const uint8_t* p, size_t n, uint64_t h) {
  constexpr uint64_t kOdd = 0x9e3779b97f4a7c15;
  auto step = [&](uint64_t x) {
    h = (h ^ x) * kOdd;
    h ^= h >> 32;
  };
  for (; n >= 8; p += 8, n -= 8) {
    uint64_t x;
    std::memcpy(&x, p, 8);
    step(x);
  }
  uint64_t x = 0;
  std::memcpy(&x, p, n);
  step(x + (uint64_t{n} << 56));
  return h;
}

/// At the beginning of a file: identity and image follow.
struct Header {
  char magic[8];
  uint32_t format, abi;
  uint64_t identity_bytes, image_bytes;
  uint64_t sum;   ///< hash of all that follows
};
constexpr char kMagic[8] = {'b', 'z', '-', 'k', 'e', 'r', 'n', '\n'};
constexpr uint32_t kFormat = 1;
constexpr const char* kEnding = ".image";
/// A writer that takes longer than this is gone.
constexpr time_t kStale = 3600;

/// What of the processor decides over the code: family and model, features, which registers the system saves.
void processor(Writer& w) {
  auto leaf = [&](unsigned number, unsigned sub, std::array<uint32_t, 4> mask) {
    std::array<uint32_t, 4> r{};
    __get_cpuid_count(number, sub, &r[0], &r[1], &r[2], &r[3]);
    for (size_t i = 0; i < 4; ++i) w.value(r[i] & mask[i]);
  };
  leaf(0, 0, {0, ~0u, ~0u, ~0u});              // vendor
  leaf(1, 0, {0x0fff0ff0, 0, ~0u, ~0u});       // without stepping and the number of the core
  leaf(7, 0, {0, ~0u, ~0u, ~0u});
  leaf(7, 1, {~0u, ~0u, ~0u, ~0u});
  leaf(0x80000001, 0, {0, 0, ~0u, ~0u});
  uint32_t low = 0, high = 0;
  asm("xgetbv" : "=a"(low), "=d"(high) : "c"(0));
  w.value(low);
}

struct File {
  int fd;
  explicit File(int f) : fd(f) {}
  ~File() { if (fd >= 0) ::close(fd); }
  File(const File&) = delete;
  File& operator=(const File&) = delete;
};

std::vector<uint8_t> read_all(int fd) {
  struct stat s{};
  if (fstat(fd, &s) != 0 || s.st_size <= 0) return {};
  std::vector<uint8_t> bytes(static_cast<size_t>(s.st_size));
  size_t at = 0;
  for (ssize_t n; at < bytes.size() && (n = ::pread(fd, bytes.data() + at, bytes.size() - at, static_cast<off_t>(at))) > 0;) at += static_cast<size_t>(n);
  bytes.resize(at);
  return bytes;
}

} // namespace

// ---------------------------------------------------------------- identity

ImageIdentity image_identity(const NativeRequest& r, const std::string& build) {
  Writer w;
  w.value(kNativeAbi);
  w.array(build);
  processor(w);
  w.value(r.target);
  w.value(r.accum_offset);
  w.value(r.mode);
  w.array(r.words, r.dwords);
  std::vector<uint64_t> entries = r.entries;
  for (auto& e : entries) e -= r.begin;
  w.array(entries);
  w.value(r.kernel_start);
  w.array(r.ids);
  w.value(r.id_rows);
  w.value(r.waves);
  w.value(r.full_waves);
  w.value(r.lds_bytes);
  w.array(r.cpu);
  w.array(r.features);
  w.value(r.fast_numerics);
  w.value(r.count);
  w.value(r.level);
  w.array(r.off);
  return std::move(w.bytes);
}

std::string build_of(const std::string& path) {
  File file(::open(path.c_str(), O_RDONLY | O_CLOEXEC));
  struct stat s{};
  if (file.fd < 0 || fstat(file.fd, &s) != 0) return {};
  Elf64_Ehdr head{};
  auto read = [&](void* to, size_t n, uint64_t at) { return ::pread(file.fd, to, n, static_cast<off_t>(at)) == static_cast<ssize_t>(n); };
  if (read(&head, sizeof head, 0) && std::memcmp(head.e_ident, ELFMAG, SELFMAG) == 0 && head.e_phentsize == sizeof(Elf64_Phdr)) {
    for (unsigned i = 0; i < head.e_phnum; ++i) {
      Elf64_Phdr p{};
      if (!read(&p, sizeof p, head.e_phoff + i * sizeof p) || p.p_type != PT_NOTE || p.p_filesz > 65536) continue;
      std::vector<uint8_t> notes(p.p_filesz);
      if (!read(notes.data(), notes.size(), p.p_offset)) continue;
      for (size_t at = 0; at + sizeof(Elf64_Nhdr) <= notes.size();) {
        Elf64_Nhdr n{};
        std::memcpy(&n, notes.data() + at, sizeof n);
        const size_t name = at + sizeof n, desc = name + (n.n_namesz + 3) / 4 * size_t{4};
        if (desc + n.n_descsz > notes.size()) break;
        if (n.n_type == NT_GNU_BUILD_ID && n.n_namesz == 4 && std::memcmp(notes.data() + name, "GNU", 4) == 0)
          return std::string(reinterpret_cast<char*>(notes.data() + desc), n.n_descsz);
        at = desc + (n.n_descsz + 3) / 4 * size_t{4};
      }
    }
  }
  return fmt::format("{} bytes, {}.{}", s.st_size, s.st_mtim.tv_sec, s.st_mtim.tv_nsec);
}

// ---------------------------------------------------------------- folder

namespace {

/// Makes the folders of a path, for this user alone.
bool make_folders(const std::string& path) {
  for (size_t at = 1; at != std::string::npos;) {
    at = path.find('/', at + 1);
    if (::mkdir(path.substr(0, at).c_str(), 0700) != 0 && errno != EEXIST) return false;
  }
  return true;
}

std::string folder_from_environment() {
  if (std::string named = environment("BZ_CACHE_DIR"); !named.empty()) return named;
  std::string home = environment("XDG_CACHE_HOME");
  if (home.empty() || home[0] != '/') {
    home = environment("HOME");
    if (home.empty()) return {};
    home += "/.cache";
  }
  return home + "/boltzmann/kernels";
}

} // namespace

KernelCache KernelCache::from_environment() {
  if (environment_number("exec", "BZ_CACHE", 1, 0, 1) == 0) return KernelCache("", 0);
  const std::string folder = folder_from_environment();
  if (folder.empty()) return KernelCache("", 0);
  auto refuse = [&](const std::string& why) {
    log("exec", bz::Level::warn, "native code of kernels is not kept: {}: {}", folder, why);
    return KernelCache("", 0);
  };
  struct stat s{};
  if (!make_folders(folder) || ::stat(folder.c_str(), &s) != 0) return refuse(std::strerror(errno));
  if (!S_ISDIR(s.st_mode)) return refuse("not a folder");
  // What lies there is executed.
  if (s.st_uid != ::geteuid()) return refuse("it belongs to another user");
  if (s.st_mode & 022) return refuse("others may write there (chmod 700 is what it needs)");
  return KernelCache(folder, static_cast<uint64_t>(environment_number("exec", "BZ_CACHE_MB", 512, 1, 1 << 20)) << 20);
}

std::string KernelCache::file_of(const ImageIdentity& identity) const {
  return fmt::format("{}/{:016x}{:016x}{}", folder_, hash(identity.data(), identity.size(), 1), hash(identity.data(), identity.size(), 2), kEnding);
}

std::optional<NativeImage> KernelCache::load(const ImageIdentity& identity) const {
  if (!on()) return {};
  const std::string path = file_of(identity);
  File file(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NOFOLLOW));
  if (file.fd < 0) return {};
  const auto bytes = read_all(file.fd);
  Header h{};
  auto damaged = [&](const char* what) -> std::optional<NativeImage> {
    log("exec", bz::Level::warn, "{}: {}; it is removed", path, what);
    ::unlink(path.c_str());
    return {};
  };
  if (bytes.size() < sizeof h) return damaged("too short");
  std::memcpy(&h, bytes.data(), sizeof h);
  if (std::memcmp(h.magic, kMagic, sizeof kMagic) != 0) return damaged("no kernel image");
  if (h.format != kFormat || h.abi != kNativeAbi) return {};   // of another version: its own hash should differ, and the next store replaces it
  const size_t rest = bytes.size() - sizeof h;
  if (h.identity_bytes > rest || h.image_bytes != rest - h.identity_bytes) return damaged("of another length than it says");
  const uint8_t* body = bytes.data() + sizeof h;
  if (hash(body, rest, kFormat) != h.sum) return damaged("its sum is wrong");
  if (h.identity_bytes != identity.size() || std::memcmp(body, identity.data(), identity.size()) != 0) return {};
  Reader r{body + h.identity_bytes, body + rest};
  NativeImage image;
  fields(r, image);
  if (!r.good || r.at != r.end) return damaged("no kernel image behind its header");
  ::futimens(file.fd, nullptr);   // used now
  return image;
}

void KernelCache::store(const ImageIdentity& identity, const NativeImage& image) {
  if (!on()) return;
  Writer w;
  w.bytes.resize(sizeof(Header));
  w.bytes.insert(w.bytes.end(), identity.begin(), identity.end());
  fields(w, image);
  Header h{};
  std::memcpy(h.magic, kMagic, sizeof kMagic);
  h.format = kFormat;
  h.abi = kNativeAbi;
  h.identity_bytes = identity.size();
  h.image_bytes = w.bytes.size() - sizeof h - identity.size();
  h.sum = hash(w.bytes.data() + sizeof h, w.bytes.size() - sizeof h, kFormat);
  std::memcpy(w.bytes.data(), &h, sizeof h);
  const uint32_t number = stored_++;
  const std::string path = file_of(identity), aside = fmt::format("{}.{}.{}", path, ::getpid(), number);
  bool written = false;
  {
    File file(::open(aside.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0600));
    size_t at = 0;
    for (ssize_t n; file.fd >= 0 && at < w.bytes.size() && (n = ::write(file.fd, w.bytes.data() + at, w.bytes.size() - at)) > 0;) at += static_cast<size_t>(n);
    written = at == w.bytes.size();
  }
  if (!written || ::rename(aside.c_str(), path.c_str()) != 0) {
    log("exec", bz::Level::debug, "{}: {}", path, std::strerror(errno));   // a full disk: nothing is kept
    ::unlink(aside.c_str());
    return;
  }
  if (number % 32 == 0) trim();
}

void KernelCache::trim() const {
  struct Entry {
    std::string path;
    uint64_t bytes;
    timespec used;
  };
  std::vector<Entry> entries;
  uint64_t total = 0;
  DIR* dir = ::opendir(folder_.c_str());
  if (!dir) return;
  const time_t now = ::time(nullptr);
  while (dirent* d = ::readdir(dir)) {
    std::string name = d->d_name;
    const size_t ending = name.find(kEnding);
    if (ending == std::string::npos) continue;   // not ours
    std::string path = folder_ + "/" + name;
    struct stat s{};
    if (::lstat(path.c_str(), &s) != 0 || !S_ISREG(s.st_mode)) continue;
    if (ending + std::strlen(kEnding) != name.size()) {
      if (now - s.st_mtim.tv_sec > kStale) ::unlink(path.c_str());
      continue;
    }
    total += static_cast<uint64_t>(s.st_size);
    entries.push_back({std::move(path), static_cast<uint64_t>(s.st_size), s.st_mtim});
  }
  ::closedir(dir);
  if (total <= limit_) return;
  std::sort(entries.begin(), entries.end(), [](const Entry& a, const Entry& b) {
    return a.used.tv_sec != b.used.tv_sec ? a.used.tv_sec < b.used.tv_sec : a.used.tv_nsec < b.used.tv_nsec;
  });
  for (auto& e : entries) {   // a little more than needed, so that it is not to be done at each store
    if (total <= limit_ / 10 * 9) break;
    if (::unlink(e.path.c_str()) == 0) total -= e.bytes;
  }
}

} // namespace bz::exec
