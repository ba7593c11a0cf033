// From a seed to the text of a program: kernels for the device and the same kernels for the host. Must not know how
// programs are compiled or run.
#pragma once

#include <cstdint>
#include <set>
#include <string>
#include <vector>

namespace bz::random {

/// A statement has an id, so that the reducer can leave it out; what others need (declarations) has the id 0.
struct Statement {
  struct Piece {
    std::string text;           // a line, or
    std::vector<Statement> one; // one statement
  };
  int id = 0;
  std::vector<Piece> pieces;

  void line(std::string text) { pieces.push_back({std::move(text), {}}); }
  void child(Statement s) { pieces.push_back({"", {std::move(s)}}); }
};

struct Kernel {
  std::string name;
  uint32_t groups, size;
  bool meets;               // has operations between lanes
  Statement text;           // everything in the namespace of the kernel
  std::vector<int> ids;     // of the statements that can be left out
};

struct Program {
  uint64_t seed;
  std::vector<Kernel> kernels;
  std::vector<std::string> flags; // for the device compiler: chosen by the seed
};

Program generate(uint64_t seed, int kernels);

/// The translation unit, for both sides. `only`: one kernel (-1: all); `dropped`: statements to leave out.
std::string print(const Program& program, int only = -1, const std::set<int>& dropped = {});

} // namespace bz::random
