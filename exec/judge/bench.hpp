// Runs one instruction on an engine level and on the reference machine and compares all that can be seen. Owns the copying
// of state between the two forms; must not know instructions beyond their operands.
#pragma once
#include "exec/judge/prepare.hpp"
#include "exec/testing/machine.hpp"

#include <memory>
#include <string>
#include <vector>

namespace bz::exec::judge {

/// What a row's result may differ in; see tolerances.inc.
struct Tolerance {
  std::string_view rows;   ///< Meta::name, or a prefix followed by *
  isa::Type type;          ///< element type of the result
  unsigned ulps;           ///< allowed distance in units of the last place
  bool any_quiet_nan;      ///< every quiet NaN is as good as another
  std::string_view why;    ///< line of docs/fidelity.md
};
const Tolerance* tolerance(std::string_view name);

class Bench {
public:
  /// On all engine levels of this machine, or on a given one.
  explicit Bench(isa::Target target);
  Bench(isa::Target target, const Level& level);

  const std::vector<std::string>& levels() const { return levels_; }
  /// Prepares inputs for a draw; false: its operands can't be used, draw again.
  bool pose(Random& r, const Draw& draw);
  /// Runs what was posed on one level and compares with the reference. Empty: they agree. Otherwise the report.
  std::string answer(size_t level);
  /// The same on every level, up to the first difference; the levels must also agree with each other.
  std::string judge();
  /// How often the row has run on the level.
  uint64_t executions(size_t level, isa::RowId row) const { return machines_[level]->executions(row); }

private:
  using RefMachine = isa::ref::Machine;
  struct Question {
    Draw draw;
    Touches touches;
    bool control = false;              ///< changes or reads the PC: stands amid places to land
    std::vector<uint32_t> words;       ///< the program around the instruction
    size_t at = 0, target_index = 0;   ///< the instruction; where a jump through registers goes
    bool answered = false;             ///< the reference has, for code at this address
    uint64_t code = 0;
  };
  void start();
  std::string heading() const;
  void load(testing::Machine& m, const RefMachine& s, const Touches& t);
  void store(testing::Machine& m, RefMachine& s, const Touches& t);
  std::string difference(const Draw& draw, const RefMachine& before, const RefMachine& want, const RefMachine& got, const Touches& t,
                         const std::vector<uint8_t>& arena_before, const std::vector<uint8_t>& arena_want, const std::string& level);

  isa::Target target_;
  Question q_;
  std::vector<std::string> levels_;
  std::vector<std::unique_ptr<testing::Machine>> machines_;
  RefMachine state_, want_, got_;   ///< before, and after on either side; kept to spare allocations
  std::vector<uint8_t> arena_before_, arena_want_;
  Arena arena_;
  bool agprs_;
};

} // namespace bz::exec::judge
