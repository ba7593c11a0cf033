#include "rocr/debug_map.hpp"

#include <link.h>

#include <mutex>

// Debuggers set a breakpoint here: it is called before and after the list changes.
extern "C" __attribute__((noinline, used, visibility("hidden"))) void bz_amdgpu_debug_state() { asm volatile(""); }

// The version says how the fields are to be understood; 9 and later have l_name as URI.
extern "C" __attribute__((visibility("default"))) r_debug _amdgpu_r_debug = {
    10, nullptr, reinterpret_cast<ElfW(Addr)>(&bz_amdgpu_debug_state), r_debug::RT_CONSISTENT, 0};

namespace bz::rocr {

struct DebugMapEntry {
  link_map map{};
  std::string uri;
};

namespace {

std::mutex mutex;

/// Tells a debugger that the list is about to change, and afterwards that it is whole again.
class Change {
public:
  explicit Change(decltype(r_debug::RT_ADD) how) {
    _amdgpu_r_debug.r_state = how;
    bz_amdgpu_debug_state();
  }
  ~Change() {
    _amdgpu_r_debug.r_state = r_debug::RT_CONSISTENT;
    bz_amdgpu_debug_state();
  }
  Change(const Change&) = delete;
};

} // namespace

DebugMapEntry* debug_map_add(const std::string& uri, int64_t delta) {
  auto* e = new DebugMapEntry;
  e->uri = uri;
  e->map.l_addr = static_cast<ElfW(Addr)>(delta);
  e->map.l_name = e->uri.data();
  std::lock_guard lock(mutex);
  const Change change(r_debug::RT_ADD);
  link_map* last = _amdgpu_r_debug.r_map;
  while (last && last->l_next) last = last->l_next;
  e->map.l_prev = last;
  (last ? last->l_next : _amdgpu_r_debug.r_map) = &e->map;
  return e;
}

void debug_map_remove(DebugMapEntry* e) {
  if (!e) return;
  {
    std::lock_guard lock(mutex);
    const Change change(r_debug::RT_DELETE);
    (e->map.l_prev ? e->map.l_prev->l_next : _amdgpu_r_debug.r_map) = e->map.l_next;
    if (e->map.l_next) e->map.l_next->l_prev = e->map.l_prev;
  }
  delete e;
}

void* debug_map_root() { return &_amdgpu_r_debug; }

} // namespace bz::rocr
