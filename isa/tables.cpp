// Row look-up: arrays from (target, format, opcode) to row, built from the families when first asked for.
#include "isa/absent.hpp"
#include "isa/decode.hpp"
#include "isa/families.hpp"

#include <array>
#include <bit>
#include <vector>

namespace bz::isa {
namespace {

constexpr size_t kOpcodes = 1024;

struct Tables {
  std::array<const Meta*, kRowCount> metas{};
  std::array<uint8_t, kRowCount> families{};
  std::array<const char*, kRowCount> absent{};
  std::array<std::array<std::vector<RowId>, kFormatCount>, kTargetCount> rows;

  Tables() {
    for (int f = 0; f < kFamilyCount; ++f) {
      auto& family = kFamilies[static_cast<size_t>(f)];
      for (size_t i = 0; i < family.count; ++i) {
        auto id = static_cast<RowId>(family.base + i);
        metas[id] = &family.rows[i].meta;
        families[id] = static_cast<uint8_t>(f);
        absent[id] = absent_why(metas[id]->name);
        add(id);
      }
    }
  }

  void add(RowId id) {
    const Meta& m = *metas[id];
    for (int t = 0; t < kTargetCount; ++t) {
      auto target = static_cast<Target>(t);
      int op = m.op.of(target);
      if (!(m.targets & bit(target)) || op < 0) continue;
      for (Formats rest = m.formats; rest; rest &= rest - 1) {
        auto format = static_cast<Format>(rest & ~(rest - 1));
        unsigned code = static_cast<unsigned>(op);
        if (format == VOP3 && (m.formats & VOP2)) code += 0x100;
        if (format == VOP3 && (m.formats & VOP1)) code += 0x140;
        if (format == VOP3 && (m.formats & VINTRP)) code += 0x270;
        auto& column = rows[static_cast<size_t>(t)][static_cast<size_t>(std::countr_zero(static_cast<uint32_t>(format)))];
        if (column.empty()) column.assign(kOpcodes, kNoRow);
        column[code] = id;
      }
    }
  }
};

const Tables& tables() {
  static const Tables t;
  return t;
}

} // namespace

size_t row_count() { return kRowCount; }
const Meta& row_meta(RowId row) { return *tables().metas[row]; }
FamilyClass row_class(RowId row) { return kFamilies[tables().families[row]].cls; }
const char* row_absent(RowId row) { return tables().absent[row]; }
bool row_has_semantics(RowId row) {
  auto& f = kFamilies[tables().families[row]];
  return f.rows[row - f.base].sem.present;
}

RowId find_row(Target target, Format format, unsigned opcode) {
  auto& column =
      tables().rows[static_cast<size_t>(target)][static_cast<size_t>(std::countr_zero(static_cast<uint32_t>(format)))];
  return opcode < column.size() ? column[opcode] : kNoRow;
}

} // namespace bz::isa
