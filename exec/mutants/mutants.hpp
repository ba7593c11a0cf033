// Which call of a primitive is altered, and how: the state that the altering builder asks and the driver sets. A site is a
// call in a row's evaluation; it is named by the path of calls that leads to it, so that the same site is meant whatever a
// decode-time `if` in the row has chosen before. Must not know rows, values or engines.
#pragma once
#include <cstdint>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace bz::exec {
struct Level;
struct Op;
} // namespace bz::exec

namespace bz::exec::mutants {

/// What is done to a call. Which of them a site has follows from the types of the primitive.
enum class Kind : uint8_t {
  none,
  drop,      ///< not made at all (results, stores, requests)
  low,       ///< lowest bit of the value inverted
  rest,      ///< integers: every other bit inverted; floats: the sign
  plus,      ///< constants and decode-time numbers: one more
  negate,    ///< masks, conditions, decode-time flags
  swap,      ///< the first two arguments exchanged
  other,     ///< an operator's sibling: - for +, | for &, >> for <<, <= for < ...
  number,    ///< another source, dword or count
  number2,   ///< the same for a second number
  arg0, arg1, arg2, arg3,   ///< template argument replaced by a neighbour: u8 by i8, add by sub, four dwords by two ...
  offset,    ///< primitives that take the instruction's operands by themselves: immediate + 4
  dest,      ///< next register as destination
  source0, source1, source2,   ///< next register as source
  result,    ///< lowest bit of the first destination register, in the first active lane
  count_,
};
using Kinds = uint32_t;
constexpr Kinds bit(Kind k) { return 1u << static_cast<unsigned>(k); }
std::string_view name_of(Kind k);

struct Site {
  uint64_t id = 0;           ///< hash of the path
  unsigned depth = 0;        ///< calls before it
  std::string_view call;     ///< name of the primitive, or the operator
  Kinds kinds = 0;
  uint64_t last_run = 0;     ///< run that came by last
};

/// The row and call to be altered; `trace` collects the sites of `row`.
struct State {
  uint32_t row = ~0u;
  uint64_t site = 0;
  Kind kind = Kind::none;
  Kinds allowed = ~0u;   ///< what can matter to this row: one without a destination has no wrong one
  bool trace = false;
  std::vector<Site> sites;
  std::unordered_map<uint64_t, size_t> known;
  uint64_t run = 0;

};
extern State state;

/// The evaluation of a row that a thread is in the middle of.
struct Evaluation {
  bool inside = false;
  uint64_t path = 0;
  unsigned depth = 0;
  /// An operation that was altered in place; put right by restore() if a fault came in between.
  Op* altered = nullptr;
  Op* original = nullptr;
};
inline thread_local Evaluation evaluation;

/// Forgets the row, its sites and what is altered.
void forget();
/// After a run that may have ended in a fault.
void restore();

inline void begin(uint32_t row) {
  Evaluation& e = evaluation;
  e.inside = row == state.row, e.path = row + 1, e.depth = 0;
}
void note(const Evaluation& e, std::string_view call, Kinds kinds);

constexpr uint64_t hash(std::string_view text) {
  uint64_t h = 0xcbf29ce484222325;
  for (char c : text) h = (h ^ static_cast<unsigned char>(c)) * 0x100000001b3;
  return h;
}

/// Passes a call of the evaluation; what is to be done to it.
inline Kind enter(uint64_t name, std::string_view call, Kinds kinds) {
  Evaluation& e = evaluation;
  if (!e.inside || (kinds &= state.allowed) == 0) return Kind::none;
  e.path = (e.path ^ name) * 0x9e3779b97f4a7c15;
  e.path ^= e.path >> 29;
  if (state.trace) note(e, call, kinds);
  ++e.depth;
  return e.path == state.site ? state.kind : Kind::none;
}

/// The instance of the interpreter in which all this happens.
const Level& level();

} // namespace bz::exec::mutants
