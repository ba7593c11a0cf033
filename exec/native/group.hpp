// A workgroup whose waves run by native code: which wave is where, whose turn it is, and what native code asks for. Owns the
// waves' stacks. What happens when it stops (the clock, parking, halts, other code) is the worker's: run.cpp.
#pragma once
#include "exec/fault.hpp"
#include "exec/interp/tables.hpp"
#include "exec/native/fiber.hpp"
#include "exec/native/unit.hpp"
#include "exec/spin.hpp"
#include "exec/wave.hpp"

#include <array>
#include <memory>
#include <vector>

namespace bz::exec {

struct NativeWave {
  const NativeCode* native = nullptr;       ///< null: it is interpreted, from Wave::pc on
  uint64_t code = 0;                        ///< NativeContext::code of it
  uint32_t entry = 0;
  std::unique_ptr<FiberStack> stack;        ///< it has begun there and is suspended at `point`; null: it begins at `entry`
  FiberPoint point;
  const char* live = nullptr;               ///< suspended: what native code holds lies from here to the stack's top
};

class NativeGroup final : public Standing {
public:
  /// Why `run` came back. But for the first two the wave Group::current is concerned.
  enum class Stop : uint32_t {
    turn,        ///< not a reason: somebody else's turn
    finished,    ///< all waves have ended
    look,        ///< time to look at the clock, and whether anybody moves
    jump,        ///< the wave needs code for Wave::jump_target
    interpret,   ///< the wave is at an instruction that is the interpreter's
    interpreted, ///< it is the turn of a wave that has no native code
    halt,        ///< Group::halt_* say why; the group can't go on
  };

  NativeGroup() = default;
  NativeGroup(const NativeGroup&) = delete;
  NativeGroup& operator=(const NativeGroup&) = delete;

  /// Takes over a group that is set up for its start: all waves begin at the unit's first entry.
  void begin(Group& group, const std::shared_ptr<const NativeUnit>& unit, uint64_t code_begin);
  /// Takes over a group that is in the middle of its work, as single waves: each that has not ended is to be sent somewhere next.
  void take_over(Group& group);
  /// The wave goes on at an entry of a unit, which is kept for as long as the group runs.
  void send(Wave* w, const std::shared_ptr<const NativeUnit>& unit, uint64_t code_begin, uint32_t entry);
  /// The wave, whose pc is set, goes on in the interpreter, alone, until it comes to native code.
  void send_to_interpreter(Wave* w);
  bool interpreted(const Wave* w) const { return !waves_[w->index].native; }
  /// Runs waves until something stops them; a fault comes back instead.
  GuestFault run();
  Stop stopped() const { return stop_; }
  bool active() const { return active_; }
  /// All waves have ended. The unit stays at hand: the next group is likely to be of the same kernel.
  void finish() { active_ = false; }
  /// The group is given up, or no other is expected: stacks are free, units are let go.
  void end();
  /// Code may have been rewritten.
  void forget_jumps() { jumps_ = {}; }
  /// A wave has ended: false if it was the last one. Otherwise it is somebody else's turn.
  bool ended(Wave* w);

  NativeContext context;
  const Level* level = nullptr;   ///< of the engine, before anything begins
  const NativeWave& wave(uint32_t i) const { return waves_[i]; }
  const NativeCode* code_at(uint64_t host_pc) const;   ///< that the address is in; null: in none of this group
  /// Between two turns: time for a look.
  bool due() { return due(__builtin_ia32_rdtsc()); }
  bool due(uint64_t now);
  /// It was seen to wait: it is looked at soon when it has its turn again.
  void calm() { quota_ = kFirstTurn; }
  bool runs(uint32_t wave) const override;
  uint64_t place(uint32_t wave) const override;
  uint64_t all(uint32_t wave) const override;
  bool on_guard_page(uint64_t address) const;
  const Steps* steps_with(const Op* o) const;
  /// Operations of one instruction of `code`, kept for as long as the group runs.
  const Steps& step(const Code& code, uint32_t dword);

private:
  friend struct NativeCalls;
  void turns();
  void fiber();
  NativeExit enter(Wave* w);
  bool jumps(Wave* w);
  void take_stack(NativeWave& n);
  void drop_stack(NativeWave& n);
  void pass(Wave* from, Wave* to);
  void to_worker(Wave* from, Stop why);
  [[noreturn]] void leave_to(Wave* next, Stop why);

  Group* group_ = nullptr;
  bool active_ = false;
  Stop stop_ = Stop::turn;
  static constexpr int64_t kFirstTurn = 64;
  int64_t quota_ = kFirstTurn;              ///< back edges of a turn
  uint32_t turns_ = 0;                      ///< since the last look
  uint64_t looked_ = 0, turned_ = 0;        ///< TSC: at the last look, at the last yield; 0: not yet
  size_t stack_bytes_ = 0;                 ///< what the units of this group need
  std::array<NativeWave, kMaxWaves> waves_;
  std::vector<std::unique_ptr<FiberStack>> free_;
  std::shared_ptr<const NativeUnit> first_;                  ///< where groups begin
  std::vector<std::shared_ptr<const NativeUnit>> others_;    ///< where they went then
  std::vector<std::unique_ptr<Steps>> steps_;
  void need_stack(const NativeCode& native);
  struct Jump { uint64_t pc; uint32_t mode; uint32_t entry; const NativeCode* native; uint64_t code; };
  std::array<Jump, 32> jumps_{};            ///< where waves were sent
  FiberPoint worker_;
  bool on_fiber_ = false;                   ///< the worker waits at `worker_`
  Guard guard_;
};

} // namespace bz::exec
