#include "gpu/alias.hpp"

#include "base/log.hpp"
#include "base/mappings.hpp"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <sys/mman.h>

namespace bz::gpu {
namespace {

void* pointer(uint64_t address) { return reinterpret_cast<void*>(address); }

int protection_of(const Mapping& m) {
  return (m.readable ? PROT_READ : 0) | (m.writable ? PROT_WRITE : 0) | (m.executable ? PROT_EXEC : 0);
}

/// The mappings of [begin, end), cut to it. Empty if there is a hole.
std::vector<Mapping> pieces(uint64_t begin, uint64_t end) {
  std::vector<Mapping> out;
  Mappings all;
  uint64_t at = begin;
  for (Mapping m; all.next(m) && m.begin < end;) {
    if (m.end <= at) continue;
    if (m.begin > at) return {};
    m.begin = at;
    m.end = std::min(m.end, end);
    at = m.end;
    out.push_back(m);
  }
  return at == end ? out : std::vector<Mapping>{};
}

} // namespace

Status HostAliases::add(uint64_t va, uint64_t host, uint64_t size) {
  std::vector<Mapping> source = pieces(host, host + size);
  if (source.empty()) return error(Code::fault, "{:#x}..{:#x} is to be registered, but isn't mapped", host, host + size);
  for (const Mapping& m : source) // while code is moved, nobody could run it
    if (!m.shared && (m.executable || !m.readable))
      return error(Code::fault, "{:#x}..{:#x} is to be registered, but is {}", m.begin, m.end,
                   m.executable ? "code" : "not to be read");
  for (const Mapping& m : source) {
    if (m.shared) continue;
    SharedFacts facts;
    facts.vram = false;
    facts.size = m.end - m.begin;
    BZ_TRY_ASSIGN(auto backing, Backing::create(facts));
    moved_.reserve(moved_.size() + 1);
    BZ_TRY(share_in_place(pointer(m.begin), *backing, protection_of(m)));
    moved_.push_back({m.begin, m.end, 0, std::move(backing)});
  }
  for (Moved& m : moved_)
    if (m.begin < host + size && host < m.end) ++m.uses;
  for (const Mapping& m : source) {
    uint64_t to = va + (m.begin - host), bytes = m.end - m.begin;
    if (mremap(pointer(m.begin), 0, bytes, MREMAP_MAYMOVE | MREMAP_FIXED, pointer(to)) != MAP_FAILED) continue;
    Status failed = error(Code::unsupported, "the host's {:#x}..{:#x} can't be mapped a second time: {}", m.begin, m.end,
                          std::strerror(errno));
    remove(va, host, size);
    return failed;
  }
  return {};
}

void HostAliases::remove(uint64_t va, uint64_t host, uint64_t size) {
  (void)mmap(pointer(va), size, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED, -1, 0);
  drop(host, size);
}

void HostAliases::drop(uint64_t host, uint64_t size) {
  for (size_t i = 0; i < moved_.size();) {
    Moved& m = moved_[i];
    if (m.begin >= host + size || host >= m.end || --m.uses != 0) {
      ++i;
      continue;
    }
    // The program may have unmapped or replaced it meanwhile: only what is still the file's is touched.
    for (const Mapping& now : pieces(m.begin, m.end))
      if (now.shared && now.inode == m.backing->inode())
        if (Status s = keep_to_oneself(pointer(now.begin), now.end - now.begin, protection_of(now)); !s.ok())
          log("gpu", Level::warn, "memory at {:#x} stays shared with forked children: {}", now.begin, s.message());
    moved_.erase(moved_.begin() + static_cast<long>(i));
  }
}

} // namespace bz::gpu
