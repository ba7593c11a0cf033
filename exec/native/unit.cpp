#include "exec/native/unit.hpp"
#include "exec/interp/control.hpp"
#include "exec/launch.hpp"

#include <algorithm>
#include <string_view>

namespace bz::exec {

std::shared_ptr<NativeUnit> NativeUnits::get(const UnitKey& key, const std::shared_ptr<const Code>& code, const std::shared_ptr<const NativeSettings>& settings,
                                             size_t most) {
  std::lock_guard lock(mutex_);
  for (auto& u : units_)
    if (u->key == key) return u;
  if (units_.size() >= most) return nullptr;
  return units_.emplace_back(std::make_shared<NativeUnit>(key, code, settings));
}

std::shared_ptr<NativeUnit> NativeUnits::entered(const UnitKey& key, uint64_t begin, uint32_t& at) {
  std::lock_guard lock(mutex_);
  for (auto& u : units_) {
    const UnitKey& k = u->key;
    // What is known of the work-items held at the kernel's start; whoever is behind it has no use for it.
    if (!u->ready() || k.mode != key.mode || k.waves != key.waves || k.lds_bytes != key.lds_bytes) continue;
    int i = u->native().entry_at(static_cast<uint32_t>((key.entry - begin) / 4));
    if (i < 0 || (i == 0 && k.kernel_start != key.kernel_start)) continue;
    at = static_cast<uint32_t>(i);
    return u;
  }
  return nullptr;
}

UnitKey kernel_key(const Launch& l, bool whole) {
  UnitKey k;
  k.entry = l.entry;
  k.mode = l.flags.mode;
  k.kernel_start = true;
  k.waves = l.waves;
  k.lds_bytes = l.info.group_bytes;
  k.id_rows = l.packed_ids ? 1u : static_cast<uint32_t>(l.id_vgprs);
  if (whole) k.ids = l.ids, k.full_waves = l.lanes % 64 == 0;
  return k;
}

bool only_interpreted(const Code& code, uint32_t dword) {
  auto inst = isa::decode(code.traits.target, code.words.data() + dword, code.words.size() - dword);
  if (!inst || !inst->legal || !isa::row_has_semantics(inst->row)) return true;
  const isa::Meta& m = isa::row_meta(inst->row);
  return has(m.flags, isa::Trap) || std::string_view(m.name) == "s_icache_inv";
}

bool too_large(const Code& code) {
  constexpr size_t kMostDwords = 150'000;
  return code.words.size() > kMostDwords;
}

NativeRequest native_request(const NativeUnit& unit, const Code& code) {
  const UnitKey& k = unit.key;
  const NativeSettings& s = *unit.settings;
  NativeRequest r;
  r.target = code.traits.target;
  r.accum_offset = code.traits.accum_offset;
  r.mode = k.mode;
  r.begin = code.begin;
  r.words = code.words.data();
  r.dwords = std::min<uint64_t>((code.end - code.begin) / 4, code.words.size());
  r.entries = {k.entry};
  r.kernel_start = k.kernel_start;
  r.ids = k.ids;
  r.id_rows = k.id_rows;
  r.waves = k.waves;
  r.full_waves = k.full_waves;
  r.lds_bytes = k.lds_bytes;
  r.cpu = s.cpu;
  r.features = s.features;
  r.fast_numerics = s.fast_numerics;
  r.count = s.count;
  r.level = s.level;
  r.off = s.off;
  return r;
}

bool splits(uint32_t m) { return mxcsr_of_mode(m, false) != mxcsr_of_mode(m, true) || (m & (mode::kVskip | mode::kGprIndex)); }

} // namespace bz::exec
