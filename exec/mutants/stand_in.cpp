// Makes the altering instance the engine of a test program that was written for the plain one: it takes the place of the
// AVX2 level. For rows that such a test judges instead of the reference machine; exec_mutants_test starts the programs.
//   BZ_MUTANT_ROW=name      the row
//   BZ_MUTANT_SITES=file    writes its sites at the end: id, depth, kinds, call
//   BZ_MUTANT_SITE=id BZ_MUTANT_KIND=n   what is altered
#include "exec/mutants/mutants.hpp"

#include "isa/decode.hpp"

#include <cstdio>
#include <cstdlib>
#include <stdexcept>
#include <string_view>

namespace bz::exec {
namespace {

const char* g_sites_file = nullptr;
void write_sites() {
  std::FILE* f = std::fopen(g_sites_file, "w");
  if (!f) return;
  for (auto& s : mutants::state.sites)
    std::fprintf(f, "%llu %u %u %.*s\n", static_cast<unsigned long long>(s.id), s.depth, s.kinds, static_cast<int>(s.call.size()), s.call.data());
  std::fclose(f);
}

/// Not before main: the state is a global of another file.
bool set_up() {
  const char *row = std::getenv("BZ_MUTANT_ROW"), *site = std::getenv("BZ_MUTANT_SITE"), *kind = std::getenv("BZ_MUTANT_KIND");
  if (!row) return false;
  auto& state = mutants::state;
  for (isa::RowId id = 0; id < isa::row_count(); ++id)
    if (std::string_view(row) == isa::row_meta(id).name) state.row = id;
  if ((g_sites_file = std::getenv("BZ_MUTANT_SITES"))) state.trace = true, std::atexit(write_sites);
  if (site && kind) state.site = std::strtoull(site, nullptr, 10), state.kind = static_cast<mutants::Kind>(std::atoi(kind));
  return true;
}

} // namespace

const Level& level_avx2();   // exec/interp/tables.hpp, and here instead of exec/interp/level.cpp
const Level& level_avx2() {
  [[maybe_unused]] static const bool once = set_up();
  return mutants::level();
}

} // namespace bz::exec
