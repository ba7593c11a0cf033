#include "writer.hpp"

namespace bz::random {
namespace {

void print(std::string& out, const Statement& s, const std::set<int>& dropped, int indent) {
  if (s.id && dropped.contains(s.id)) return;
  for (const Statement::Piece& p : s.pieces) {
    if (!p.one.empty()) print(out, p.one.front(), dropped, indent + 1);
    else out.append(static_cast<size_t>(indent) * 2, ' ').append(p.text).append("\n");
  }
}

} // namespace

Program generate(uint64_t seed, int kernels) {
  Program program{seed, {}, {}};
  Random random(seed * 0x2545f4914f6cdd1dull + 1);
  program.flags.push_back("-mcode-object-version=" + std::to_string(random.between(4, 6)));
  if (random.chance(40)) program.flags.push_back("-munsafe-fp-atomics");
  for (int i = 0; i < kernels; ++i) program.kernels.push_back(write_kernel(seed, i));
  return program;
}

std::string print(const Program& program, int only, const std::set<int>& dropped) {
  std::string out = "// Seed " + std::to_string(program.seed) + "\n#include \"prelude.hpp\"\n";
  std::string table;
  for (size_t i = 0; i < program.kernels.size(); ++i) {
    const Kernel& k = program.kernels[i];
    if (only >= 0 && static_cast<size_t>(only) != i) continue;
    print(out, k.text, dropped, 0);
    table += "  {\"" + k.name + "\", " + k.name + "_space::" + k.name + ", " + std::to_string(k.groups) + ", " +
             std::to_string(k.size) + ", " + (k.meets ? "true" : "false") + "},\n";
  }
  return out + "#ifndef __AMDGCN__\nextern \"C\" const HostKernel kernels[] = {\n" + table +
         "  {nullptr, nullptr, 0, 0, false}};\n#endif\n";
}

} // namespace bz::random
