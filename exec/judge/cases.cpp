#include "exec/judge/cases.hpp"

#include <cstdlib>
#include <string_view>

namespace bz::exec::judge {
namespace {

constexpr isa::Target kTargets[] = {isa::Target::gfx942, isa::Target::gfx90a, isa::Target::gfx908, isa::Target::gfx906,
                                    isa::Target::gfx900, isa::Target::gfx950};

uint64_t number(const char* name, uint64_t otherwise) {
  const char* v = std::getenv(name);
  return v && *v ? std::strtoull(v, nullptr, 0) : otherwise;
}
/// By the row's name, so that a new row leaves the others' cases as they are.
uint64_t seed_of(isa::Target target, isa::RowId row) {
  uint64_t h = 0xcbf29ce484222325 + seed();
  for (char c : std::string_view(isa::row_meta(row).name)) h = (h ^ static_cast<unsigned char>(c)) * 0x100000001b3;
  return h + static_cast<unsigned>(target);
}

} // namespace

uint64_t seed() {
  static const uint64_t value = number("BZ_JUDGE_SEED", 1);
  return value;
}
uint64_t cases_per_row() {
  static const uint64_t value = number("BZ_JUDGE_CASES", 200);
  return value;
}

std::vector<Share> shares(isa::RowId row) {
  std::vector<Share> all;
  for (isa::Target t : kTargets)
    if (!encodings(t, row).empty()) all.push_back({t, all.empty() ? cases_per_row() : cases_per_row() / 10});
  return all;
}

Cases::Cases(Bench& bench, isa::Target target, isa::RowId row, uint64_t count)
    : bench_(bench), target_(target), row_(row), count_(count), random_(seed_of(target, row)) {
  for (auto& f : encodings(target, row))
    if (Random probe(seed_of(target, row)); draw(probe, target, row, f)) usable_.push_back(f);
  if (usable_.empty()) why_ = "no instruction of this row could be made\n";
}

bool Cases::next() {
  if (!why_.empty() || posed_ == count_) return false;
  for (;; ++tries_) {
    if (tries_ > 50 * count_ + 1000) {
      why_ = "hardly any instruction of this row gets sensible operands\n";
      return false;
    }
    auto d = draw(random_, target_, row_, usable_[tries_ % usable_.size()]);
    if (!d || !bench_.pose(random_, *d)) continue;
    ++tries_, ++posed_;
    return true;
  }
}

} // namespace bz::exec::judge
