// The judge's questions about a row: which targets, how many, and the same ones every time. Owns their number and order;
// must not know engines beyond the bench that they are posed to.
#pragma once
#include "exec/judge/bench.hpp"

#include <string>
#include <vector>

namespace bz::exec::judge {

/// Numbers that the environment may change: BZ_JUDGE_SEED (1), BZ_JUDGE_CASES (200).
uint64_t seed();
uint64_t cases_per_row();

/// A row is judged in full on the first target that has it, and with a tenth of the cases on the rest.
struct Share {
  isa::Target target;
  uint64_t cases;
};
std::vector<Share> shares(isa::RowId row);

/// Poses one case after the other to a bench. Every encoding gets its share.
class Cases {
public:
  Cases(Bench& bench, isa::Target target, isa::RowId row, uint64_t count);
  /// False at the end, and if no more cases could be made: then why() says so.
  bool next();
  const std::string& why() const { return why_; }
  uint64_t posed() const { return posed_; }

private:
  Bench& bench_;
  isa::Target target_;
  isa::RowId row_;
  uint64_t count_, posed_ = 0, tries_ = 0;
  Random random_;
  std::vector<Encoding> usable_;
  std::string why_;
};

} // namespace bz::exec::judge
