// Row look-up: one array from (target, format, opcode) to row, built from the families when first asked for.
#include "isa/decode.hpp"
#include "isa/families.hpp"

namespace bz::isa {

size_t row_count() { return kRowCount; }

namespace {
const FamilyInfo& family_of(RowId row) {
  for (auto it = kFamilies.rbegin(); it != kFamilies.rend(); ++it)
    if (row >= it->base && it->count) return *it;
  return kFamilies.front();
}
} // namespace

const Meta& row_meta(RowId row) {
  auto& f = family_of(row);
  return f.rows[row - f.base].meta;
}
FamilyClass row_class(RowId row) { return family_of(row).cls; }
bool row_has_semantics(RowId row) {
  auto& f = family_of(row);
  return f.rows[row - f.base].sem.present;
}

} // namespace bz::isa
