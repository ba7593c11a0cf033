// One family of rows with the altering builder: like exec/interp/family.cpp, but one handler a row (two for memory), the
// most general one.
#include "exec/interp/handlers.hpp"
#include "exec/mutants/builder.hpp"
#include BZ_FAMILY_HEADER

#define BZ_JOIN2(a, b) a##b
#define BZ_JOIN(a, b) BZ_JOIN2(a, b)

namespace bz::exec::BZ_LEVEL_NS {
namespace {
constexpr size_t kCount = sizeof(isa::BZ_FAMILY_ROWS<isa::NoSem>) / sizeof(isa::BZ_FAMILY_ROWS<isa::NoSem>[0]);

template <class B, size_t R> void evaluate(B& b) {
  mutants::begin(b.o->row);
  Mutant<B> m(b);
  isa::BZ_FAMILY_ROWS<Mutant<B>>[R].sem(m);
}
template <class B, size_t R> constexpr isa::Row<B> row() {
  if constexpr (isa::BZ_FAMILY_ROWS<Mutant<B>>[R].sem == nullptr) return {{nullptr, 0}, nullptr};
  else return {{nullptr, 0}, &evaluate<B, R>};
}

template <class B, size_t... R> constexpr auto rows_of(Indices<R...>) { return std::array<isa::Row<B>, sizeof...(R)>{row<B, R>()...}; }
template <class B> struct Rows {
  static constexpr auto rows = rows_of<B>(__make_integer_seq<IndicesOf, size_t, kCount>{});
};
template <> struct Rows<isa::NoSem> {
  static constexpr auto& rows = isa::BZ_FAMILY_ROWS<isa::NoSem>;
};

/// The masked handler serves both streams.
template <isa::FamilyClass Class, size_t R> consteval RowHandlers handlers() {
  RowHandlers h{};
  if constexpr (Class == isa::FamilyClass::lane) {
    for (Fn& f : h.fn) f = LaneRow<Rows, R, false, kGeneral>::fn();
  } else if constexpr (Class == isa::FamilyClass::scalar) {
    for (Fn& f : h.fn) f = ScalarRow<Rows, R, true, true>::fn();
  } else {
    h.fn[kFullVaddr] = h.fn[kMaskedVaddr] = WaveRow<Rows, R, false, false>::fn();
    if constexpr (has_saddr(Rows<isa::NoSem>::rows[R].meta)) h.fn[kFullSaddr] = h.fn[kMaskedSaddr] = WaveRow<Rows, R, false, true>::fn();
  }
  return h;
}
template <isa::FamilyClass Class, size_t... R> const RowHandlers* table(Indices<R...>) {
  static constexpr RowHandlers all[] = {handlers<Class, R>()...};
  return all;
}
} // namespace

const RowHandlers* BZ_JOIN(family_, BZ_FAMILY)() {
  return table<isa::FamilyClass::BZ_FAMILY_CLASS>(__make_integer_seq<IndicesOf, size_t, kCount>{});
}
} // namespace bz::exec::BZ_LEVEL_NS
