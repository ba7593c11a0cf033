// One engine level: its families and the operations that belong to no row (DPP, SDWA, stream choice).
#include "exec/interp/engine_ops.hpp"
#include "exec/native/matrix.hpp"
#include "isa/families.hpp"

#define BZ_JOIN2(a, b) a##b
#define BZ_JOIN(a, b) BZ_JOIN2(a, b)

namespace bz::exec {
namespace BZ_LEVEL_NS {
#define X(name, array, cls) const RowHandlers* family_##name();
BZ_ISA_FAMILIES(X)
#undef X

namespace {
const RowHandlers* family_of(int family) {
  switch (static_cast<isa::Family>(family)) {
#define X(name, array, cls)                                                                                            \
  case isa::Family::name: return family_##name();
    BZ_ISA_FAMILIES(X)
#undef X
  }
  return nullptr;
}
} // namespace
} // namespace BZ_LEVEL_NS

const Level& BZ_JOIN(level_, BZ_LEVEL_NS)() {
  static constexpr Level level{BZ_LEVEL == 512 ? "AVX-512" : "AVX2", &BZ_LEVEL_NS::family_of, BZ_LEVEL_NS::kEngineOps,
                               BZ_LEVEL == 512 ? run_matrix_512 : run_matrix_256};
  return level;
}
} // namespace bz::exec
