#include "gpu/memory.hpp"

#include "base/log.hpp"
#include "base/mappings.hpp"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <sys/mman.h>
#include <unistd.h>

namespace bz::gpu {
namespace {

constexpr uint64_t kPage = 4096;
constexpr uint64_t kHugePage = 2ull << 20;
constexpr uint64_t kAddressLimit = 1ull << 47; // user half of a 48-bit host
constexpr size_t kFreedKept = 256;

void* pointer(uint64_t address) { return reinterpret_cast<void*>(address); }

/// The reservation (PROT_NONE, private, anonymous) of this process around `address`, if that is what is there.
bool find_reservation(uint64_t address, uint64_t& begin, uint64_t& end) {
  Mappings maps;
  for (Mapping m; maps.next(m) && m.begin <= address;) {
    if (address >= m.end) continue;
    begin = m.begin;
    end = m.end;
    return m.reserved();
  }
  return false;
}

bool is_mapped(uint64_t va, uint64_t size) {
  std::vector<unsigned char> resident(std::min<uint64_t>(size / kPage, 65536));
  for (uint64_t at = va; at < va + size;) {
    uint64_t bytes = std::min<uint64_t>(va + size - at, resident.size() * kPage);
    if (mincore(pointer(at), bytes, resident.data()) != 0) return false;
    at += bytes;
  }
  return true;
}

std::string human(uint64_t bytes) {
  if (bytes >= 1ull << 30 && bytes % (1ull << 30) == 0) return fmt::format("{} GiB", bytes >> 30);
  if (bytes >= 1ull << 20 && bytes % (1ull << 20) == 0) return fmt::format("{} MiB", bytes >> 20);
  if (bytes >= 1ull << 10 && bytes % (1ull << 10) == 0) return fmt::format("{} KiB", bytes >> 10);
  return fmt::format("{} bytes", bytes);
}

std::string name_of(const Allocation& a) {
  return fmt::format("{} of {} at {:#x}..{:#x}", human(a.size), memory_kind_name(a.kind), a.va, a.end());
}

} // namespace

const char* memory_kind_name(MemoryKind kind) {
  switch (kind) {
  case MemoryKind::vram:
    return "device memory";
  case MemoryKind::gtt:
    return "host memory";
  case MemoryKind::userptr:
    return "registered host memory";
  case MemoryKind::doorbell:
    return "doorbells";
  }
  return "memory";
}

Memory::Memory(std::vector<uint64_t> vram_bytes, uint64_t host_bytes) {
  for (uint64_t bytes : vram_bytes) vram_.push_back({bytes, 0});
  host_.total = host_bytes;
}

Memory::~Memory() { free_all(); }

Memory::Budget* Memory::budget(const Allocation& a) {
  switch (a.kind) {
  case MemoryKind::vram:
    return &vram_[a.device];
  case MemoryKind::gtt:
    return &host_;
  case MemoryKind::userptr:
  case MemoryKind::doorbell:
    return nullptr;
  }
  return nullptr;
}

/// The client owns its address space: it either left the range free or reserved it PROT_NONE. Anything else there is in
/// use by the host program and must not be replaced.
Status Memory::claim(uint64_t va, uint64_t size) {
  for (uint64_t at = va; at < va + size;) {
    auto after = reservations_.upper_bound(at);
    if (after != reservations_.begin() && std::prev(after)->second > at) {
      at = std::prev(after)->second;
      continue;
    }
    uint64_t begin = 0, end = 0;
    if (find_reservation(at, begin, end)) {
      reservations_[begin] = std::max(reservations_[begin], end);
      at = end;
      continue;
    }
    uint64_t stop = after == reservations_.end() ? va + size : std::min(va + size, after->first);
    void* p = mmap(pointer(at), stop - at, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED_NOREPLACE,
                   -1, 0);
    if (p == MAP_FAILED)
      return error(Code::invalid_argument, "{:#x}..{:#x} can't be a GPU address: the host program uses it ({})", at,
                   stop, std::strerror(errno));
    if (p != pointer(at)) { // a kernel before 4.17 takes NOREPLACE for a hint
      munmap(p, stop - at);
      return error(Code::invalid_argument, "{:#x}..{:#x} can't be a GPU address: the host program uses it", at, stop);
    }
    reservations_[at] = stop;
    at = stop;
  }
  return {};
}

Expected<uint64_t> Memory::allocate(uint32_t device, MemoryKind kind, uint64_t va, uint64_t size, uint32_t flags) {
  if (device >= vram_.size()) return error(Code::invalid_argument, "there is no device {}", device);
  if (size == 0 || va == 0 || va % kPage != 0 || va >= kAddressLimit || size > kAddressLimit - va)
    return error(Code::invalid_argument, "{} bytes at {:#x} is no page-aligned range of GPU addresses", size, va);
  Allocation a;
  a.va = va;
  a.size = (size + kPage - 1) / kPage * kPage;
  if (a.size > kAddressLimit - va)
    return error(Code::invalid_argument, "{} bytes at {:#x} go beyond the address space", size, va);
  a.kind = kind;
  a.device = device;
  a.flags = flags;

  std::lock_guard lock(mutex_);
  if (Budget* b = budget(a); b && a.size > b->total - b->used)
    return error(Code::out_of_memory, "{} of {} wanted, {} of {} free", human(a.size), memory_kind_name(kind),
                 human(b->total - b->used), human(b->total));
  if (kind == MemoryKind::userptr) {
    if (!is_mapped(va, a.size))
      return error(Code::fault, "{:#x}..{:#x} is to be registered, but isn't mapped", va, a.end());
    a.backed = true;
    a.id = next_id_++;
    return user_.emplace(a.id, a).first->first;
  }
  return place(std::move(a));
}

Expected<uint64_t> Memory::allocate_alias(uint32_t device, uint64_t va, uint64_t host, uint64_t size, uint32_t flags) {
  if (device >= vram_.size()) return error(Code::invalid_argument, "there is no device {}", device);
  const uint64_t bytes = (size + kPage - 1) / kPage * kPage;
  for (uint64_t at : {va, host})
    if (size == 0 || bytes < size || at == 0 || at % kPage != 0 || at >= kAddressLimit || bytes > kAddressLimit - at)
      return error(Code::invalid_argument, "{} bytes at {:#x} are no pages", size, at);
  Allocation a;
  a.va = va;
  a.size = bytes;
  a.kind = MemoryKind::userptr;
  a.device = device;
  a.flags = flags;
  a.alias_of = host;
  std::lock_guard lock(mutex_);
  BZ_TRY_ASSIGN(uint64_t id, place(std::move(a)));
  if (Status aliased = aliases_.add(va, host, bytes); !aliased.ok()) {
    va_of_.erase(id);
    by_va_.erase(va);
    return aliased;
  }
  by_va_.at(va).backed = true;
  return id;
}

/// Enters an allocation whose range must be free.
Expected<uint64_t> Memory::place(Allocation&& a) {
  auto next = by_va_.lower_bound(a.va);
  if ((next != by_va_.end() && next->first < a.end()) ||
      (next != by_va_.begin() && std::prev(next)->second.end() > a.va))
    return error(Code::invalid_argument, "{:#x}..{:#x} overlaps another allocation", a.va, a.end());
  if (a.kind != MemoryKind::doorbell) BZ_TRY(claim(a.va, a.size));
  a.backed = a.kind == MemoryKind::doorbell;
  if (Budget* b = budget(a); b && a.paid) b->used += a.size;
  uint64_t id = a.id = next_id_++;
  va_of_[id] = a.va;
  by_va_.emplace(a.va, std::move(a));
  return id;
}

Expected<std::shared_ptr<Backing>> Memory::share(uint64_t id) {
  std::lock_guard lock(mutex_);
  Allocation* a = get(id);
  if (!a) return error(Code::invalid_handle, "there is no allocation {}", id);
  return share(a);
}

Expected<std::shared_ptr<Backing>> Memory::share(Allocation* a) {
  if (a->kind != MemoryKind::vram && a->kind != MemoryKind::gtt)
    return error(Code::invalid_argument, "{} can't be shared: its pages are the program's", name_of(*a));
  if (a->backing) return a->backing;
  SharedFacts facts;
  facts.vram = a->kind == MemoryKind::vram;
  facts.device = a->device;
  facts.flags = a->flags;
  facts.size = a->size;
  BZ_TRY_ASSIGN(auto backing, Backing::create(facts));
  if (a->backed) BZ_TRY(share_in_place(pointer(a->va), *backing, PROT_READ | PROT_WRITE));
  a->backing = backing;
  return backing;
}

Expected<uint64_t> Memory::attach(std::shared_ptr<Backing> backing, uint64_t va) {
  const SharedFacts& facts = backing->facts();
  if (facts.device >= vram_.size())
    return error(Code::invalid_argument, "the memory is on device {}, which this process hasn't", facts.device);
  if (va == 0 || va % kPage != 0 || va >= kAddressLimit || facts.size > kAddressLimit - va)
    return error(Code::invalid_argument, "{} bytes at {:#x} is no page-aligned range of GPU addresses", facts.size, va);
  Allocation a;
  a.va = va;
  a.size = facts.size;
  a.kind = facts.vram ? MemoryKind::vram : MemoryKind::gtt;
  a.device = facts.device;
  a.flags = facts.flags;
  a.paid = false;
  a.backing = std::move(backing);
  std::lock_guard lock(mutex_);
  return place(std::move(a));
}

Allocation* Memory::get(uint64_t id) {
  if (auto it = va_of_.find(id); it != va_of_.end()) return &by_va_.at(it->second);
  auto user = user_.find(id);
  return user == user_.end() ? nullptr : &user->second;
}

Status Memory::back(Allocation& a, int protection) {
  if (a.backed) return {};
  void* p = a.backing ? mmap(pointer(a.va), a.size, protection, MAP_SHARED | MAP_NORESERVE | MAP_FIXED, a.backing->fd(), 0)
                      : mmap(pointer(a.va), a.size, protection, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED, -1, 0);
  if (p == MAP_FAILED) return error(Code::out_of_memory, "mmap of {}: {}", name_of(a), std::strerror(errno));
  if (a.size >= kHugePage) madvise(p, a.size, MADV_HUGEPAGE);
  a.backed = true;
  return {};
}

/// Back to a reservation: pages are dropped, accesses fault, the address space stays the client's.
void Memory::give_back(Allocation& a) {
  if (a.alias_of && a.backed) aliases_.remove(a.va, a.alias_of, a.size);
  if (!a.backed || a.kind == MemoryKind::userptr || a.kind == MemoryKind::doorbell) return;
  void* p = mmap(pointer(a.va), a.size, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED, -1, 0);
  // The map count of the process can be used up by the hole that this makes: then only the pages are dropped.
  if (p == MAP_FAILED) madvise(pointer(a.va), a.size, MADV_DONTNEED);
  a.backed = false;
}

void Memory::release(Allocation& a) {
  give_back(a);
  if (Budget* b = budget(a); b && a.paid) {
    // Shared memory that is in this process a second time isn't gone: that place pays from now on.
    auto other = std::find_if(by_va_.begin(), by_va_.end(), [&](auto& entry) {
      const Allocation& o = entry.second;
      return a.backing && o.id != a.id && o.backing && !o.paid && o.backing->facts().key == a.backing->facts().key;
    });
    if (other != by_va_.end()) other->second.paid = true;
    else b->used -= a.size;
  }
  va_of_.erase(a.id);
  if (freed_order_.size() >= kFreedKept) {
    freed_.erase(freed_order_.front());
    freed_order_.erase(freed_order_.begin());
  }
  Allocation gone = a;
  gone.backing.reset(); // kept for reports alone
  if (freed_.insert_or_assign(a.va, std::move(gone)).second) freed_order_.push_back(a.va);
}

Status Memory::free(uint64_t id) {
  std::unique_lock lock(mutex_);
  Allocation* found = get(id);
  if (!found) return error(Code::invalid_handle, "there is no allocation {}", id);
  Allocation& a = *found;
  if (!a.mapped.empty()) return error(Code::busy, "{} is still mapped to {} device(s)", name_of(a), a.mapped.size());
  if (on_release_) on_release_(a.va, a.end());
  if (a.kind == MemoryKind::userptr && !a.alias_of) {
    user_.erase(id);
    return {};
  }
  uint64_t va = a.va;
  release(a);
  by_va_.erase(va);
  return {};
}

Status Memory::map(uint64_t id, uint32_t device) {
  std::lock_guard lock(mutex_);
  auto* found = get(id);
  if (!found) return error(Code::invalid_handle, "there is no allocation {}", id);
  if (device >= vram_.size()) return error(Code::invalid_argument, "there is no device {}", device);
  Allocation& a = *found;
  BZ_TRY(back(a, PROT_READ | PROT_WRITE));
  if (std::find(a.mapped.begin(), a.mapped.end(), device) == a.mapped.end()) a.mapped.push_back(device);
  return {};
}

Status Memory::unmap(uint64_t id, uint32_t device) {
  std::lock_guard lock(mutex_);
  auto* found = get(id);
  if (!found) return error(Code::invalid_handle, "there is no allocation {}", id);
  Allocation& a = *found;
  // The host may still use it at the same address, and so the pages stay until they are freed. Only shared memory keeps
  // its content without pages here: it goes with its last user.
  std::erase(a.mapped, device);
  if (a.backing && a.mapped.empty() && !a.host) give_back(a);
  return {};
}

Expected<void*> Memory::host_map(uint64_t id, void* address, uint64_t length, int protection, bool fixed) {
  std::lock_guard lock(mutex_);
  auto* found = get(id);
  if (!found) return error(Code::invalid_handle, "there is no allocation {}", id);
  Allocation& a = *found;
  if (length == 0 || length > a.size)
    return error(Code::invalid_argument, "{} bytes of {} are to be mapped", length, name_of(a));
  if (a.kind != MemoryKind::vram && a.kind != MemoryKind::gtt)
    return error(Code::invalid_argument, "{} has no mapping of its own", name_of(a));
  if (!fixed || reinterpret_cast<uint64_t>(address) != a.va) {
    // A place of the client's own, which it may unmap without us: the same pages a second time.
    BZ_TRY_ASSIGN(auto backing, share(&a));
    void* p = mmap(address, length, protection, MAP_SHARED | (fixed ? MAP_FIXED : 0), backing->fd(), 0);
    if (p == MAP_FAILED) return error(Code::out_of_memory, "mapping {} at {}: {}", name_of(a), address, std::strerror(errno));
    return p;
  }
  BZ_TRY(back_for_host(a));
  // PROT_NONE takes the host's access away, which with VA = VA would take the GPU's too: it keeps both.
  return pointer(a.va);
}

Status Memory::back_for_host(Allocation& a) {
  BZ_TRY(back(a, PROT_READ | PROT_WRITE));
  a.host = true;
  return {};
}

Status Memory::host_map(uint64_t id) {
  std::lock_guard lock(mutex_);
  auto* found = get(id);
  if (!found) return error(Code::invalid_handle, "there is no allocation {}", id);
  return back_for_host(*found);
}

void Memory::free_all(uint64_t kept) {
  std::lock_guard lock(mutex_);
  for (auto it = by_va_.begin(); it != by_va_.end();) {
    Allocation& a = it->second;
    a.mapped.clear();
    if (a.id == kept) {
      ++it;
      continue;
    }
    if (on_release_) on_release_(a.va, a.end());
    release(a);
    it = by_va_.erase(it);
  }
  user_.clear();
  reservations_.clear();
}

Expected<Allocation> Memory::find(uint64_t id) const {
  std::lock_guard lock(mutex_);
  auto* found = get(id);
  if (!found) return error(Code::invalid_handle, "there is no allocation {}", id);
  return *found;
}

bool Memory::containing(uint64_t address, Allocation& out) const {
  std::lock_guard lock(mutex_);
  auto it = by_va_.upper_bound(address);
  if (it != by_va_.begin() && std::prev(it)->second.end() > address) {
    out = std::prev(it)->second;
    return true;
  }
  for (auto& [id, a] : user_)
    if (address >= a.va && address < a.end()) {
      out = a;
      return true;
    }
  return false;
}

std::string Memory::describe(uint64_t address) const {
  std::lock_guard lock(mutex_);
  auto after = by_va_.upper_bound(address);
  const Allocation* above = after == by_va_.end() ? nullptr : &after->second;
  const Allocation* below = after == by_va_.begin() ? nullptr : &std::prev(after)->second;
  for (const auto& [id, a] : user_) {
    if (a.va > address && (!above || a.va < above->va)) above = &a;
    if (a.va <= address && (!below || a.end() > below->end())) below = &a;
  }
  if (below && below->end() > address)
    return fmt::format("inside {}, at offset {}{}", name_of(*below), address - below->va,
                       below->backed ? "" : ", which no device has mapped");
  auto gone = freed_.upper_bound(address);
  if (gone != freed_.begin() && std::prev(gone)->second.end() > address) {
    const Allocation& a = std::prev(gone)->second;
    return fmt::format("inside {}, at offset {}, which was FREED before", name_of(a), address - a.va);
  }
  uint64_t up = above ? above->va - address : UINT64_MAX;
  uint64_t down = below ? address - below->end() : UINT64_MAX;
  if (!above && !below) return "no allocation exists";
  // A null or overwritten pointer has no neighbour that explains it.
  constexpr uint64_t kNear = uint64_t{1} << 30;
  if (down > kNear && up > kNear) return "no allocation is within 1 GiB";
  if (down <= up) return fmt::format("{} bytes after the end of {}", down, name_of(*below));
  return fmt::format("{} bytes before {}", up, name_of(*above));
}

uint64_t Memory::host_available() const {
  std::lock_guard lock(mutex_);
  return host_.total - host_.used;
}

uint64_t Memory::vram_available(uint32_t device) const {
  std::lock_guard lock(mutex_);
  return vram_[device].total - vram_[device].used;
}

size_t Memory::count() const {
  std::lock_guard lock(mutex_);
  return by_va_.size() + user_.size();
}

} // namespace bz::gpu
