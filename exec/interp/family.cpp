// One family of rows at one engine level: compiled once for each pair (BZ_FAMILY, BZ_FAMILY_ROWS, BZ_FAMILY_CLASS, BZ_LEVEL).
#include "exec/interp/handlers.hpp"
#include BZ_FAMILY_HEADER

#define BZ_JOIN2(a, b) a##b
#define BZ_JOIN(a, b) BZ_JOIN2(a, b)

namespace bz::exec::BZ_LEVEL_NS {
namespace {
template <class B> struct Rows {
  static constexpr auto& rows = isa::BZ_FAMILY_ROWS<B>;
};
constexpr size_t kCount = sizeof(isa::BZ_FAMILY_ROWS<isa::NoSem>) / sizeof(isa::BZ_FAMILY_ROWS<isa::NoSem>[0]);
} // namespace

const RowHandlers* BZ_JOIN(family_, BZ_FAMILY)() {
  return family_table<isa::FamilyClass::BZ_FAMILY_CLASS, Rows>(__make_integer_seq<IndicesOf, size_t, kCount>{});
}
} // namespace bz::exec::BZ_LEVEL_NS
