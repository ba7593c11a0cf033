// The families of rows, listed once: every user of the tables (decoder, engines, coverage, tests) walks this list, and
// the order fixes each row's RowId. Includes all row headers.
#pragma once
#include "isa/row.hpp"
#include "isa/rows/buffer.hpp"
#include "isa/rows/cross.hpp"
#include "isa/rows/cvt_scale.hpp"
#include "isa/rows/ds.hpp"
#include "isa/rows/export.hpp"
#include "isa/rows/flat.hpp"
#include "isa/rows/image.hpp"
#include "isa/rows/mai.hpp"
#include "isa/rows/smem.hpp"
#include "isa/rows/sop1.hpp"
#include "isa/rows/sop2.hpp"
#include "isa/rows/sopc.hpp"
#include "isa/rows/sopp.hpp"
#include "isa/rows/vop1.hpp"
#include "isa/rows/vop2.hpp"
#include "isa/rows/vop3.hpp"
#include "isa/rows/vop3p.hpp"
#include "isa/rows/vopc.hpp"

#include <cstddef>
#include <iterator>

/// X(name, array, class)
#define BZ_ISA_FAMILIES(X)                                                                                             \
  X(sop2, kSop2, scalar)                                                                                               \
  X(sop1, kSop1, scalar)                                                                                               \
  X(sopc, kSopc, scalar)                                                                                               \
  X(sopk, kSopk, scalar)                                                                                               \
  X(sopp, kSopp, scalar)                                                                                               \
  X(smem, kSmem, scalar)                                                                                               \
  X(vop1, kVop1, lane)                                                                                                 \
  X(vop2, kVop2, lane)                                                                                                 \
  X(vopc, kVopc, lane)                                                                                                 \
  X(vop3, kVop3, lane)                                                                                                 \
  X(vop3p, kVop3p, lane)                                                                                               \
  X(cvt_scale, kCvtScale, lane)                                                                                        \
  X(cross, kCross, wave)                                                                                               \
  X(mai, kMai, wave)                                                                                                   \
  X(flat, kFlat, wave)                                                                                                 \
  X(ds, kDs, wave)                                                                                                     \
  X(mubuf, kMubuf, wave)                                                                                               \
  X(mtbuf, kMtbuf, wave)                                                                                               \
  X(mimg, kMimg, wave)                                                                                                 \
  X(exports, kExport, wave)

namespace bz::isa {

enum class Family : uint8_t {
#define X(name, array, cls) name,
  BZ_ISA_FAMILIES(X)
#undef X
};

inline constexpr int kFamilyCount = 0
#define X(name, array, cls) +1
    BZ_ISA_FAMILIES(X)
#undef X
    ;

struct FamilyInfo {
  const char* name;
  FamilyClass cls;
  const Row<NoSem>* rows;
  size_t count;
  RowId base;  ///< RowId of rows[0]
};

/// kFamilies[int(Family::x)]
inline constexpr auto kFamilies = [] {
  std::array<FamilyInfo, kFamilyCount> f{{
#define X(name, array, cls) {#name, FamilyClass::cls, array<NoSem>, std::size(array<NoSem>), 0},
      BZ_ISA_FAMILIES(X)
#undef X
  }};
  size_t base = 0;
  for (auto& x : f) x.base = static_cast<RowId>(base), base += x.count;
  return f;
}();

inline constexpr size_t kRowCount = kFamilies.back().base + kFamilies.back().count;
static_assert(kRowCount < kNoRow);

} // namespace bz::isa
