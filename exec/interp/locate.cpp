#include "exec/interp/locate.hpp"
#include "exec/interp/address.hpp"

namespace bz::exec {
namespace {

bool canonical_address(uint64_t a) { return static_cast<uint64_t>(static_cast<int64_t>(a << 16) >> 16) == a; }

/// pointer(lane): where the lane's bytes are.
template <class F> std::optional<LaneAccess> search(uint64_t exec, std::optional<uint64_t> address, F pointer) {
  std::optional<LaneAccess> best;
  uint32_t distance = ~0u;
  for (; exec; exec &= exec - 1) {
    int lane = __builtin_ctzll(exec);
    BZ_LEVEL_NS::LanePtr p = pointer(lane);
    if (p.bytes == 0) continue;   // out of bounds of a buffer; an address of 0 is one
    LaneAccess here{lane, reinterpret_cast<uint64_t>(p.at(0))};
    if (!address && !canonical_address(here.address)) return here;
    for (uint32_t i = 0; address && i < p.bytes && i < distance; ++i)
      if (reinterpret_cast<uint64_t>(p.at(i)) == *address) best = here, distance = i;
  }
  return best;
}

template <bool Saddr> std::optional<LaneAccess> search_flat(const Op* o, Wave* wave, uint32_t bytes, std::optional<uint64_t> address) {
  BZ_LEVEL_NS::AddressB<false, Saddr> form(o, wave->base());
  return search(wave->exec(), address, [&](int lane) { return BZ_LEVEL_NS::LanePtr{reinterpret_cast<char*>(form.address64(lane)), 0, 0, bytes}; });
}

} // namespace

std::optional<LaneAccess> locate_lane(const Op* o, Wave* wave, isa::Formats formats, uint32_t bytes, std::optional<uint64_t> address) {
  if (formats & (isa::GLOBAL | isa::FLAT))
    return o->mods & mods::kSaddr ? search_flat<true>(o, wave, bytes, address) : search_flat<false>(o, wave, bytes, address);
  BZ_LEVEL_NS::AddressB<false, false> form(o, wave->base());
  form.open_buffer();
  if (form.buffer.own) return {};   // private memory can be accessed wherever it is in bounds
  return search(wave->exec(), address, [&](int lane) { return form.buffer_ptr(lane, bytes); });
}

} // namespace bz::exec
