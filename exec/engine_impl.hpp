// The Engine: code cache, workgroup contexts, workers. Private to exec/ and its tests.
#pragma once
#include "exec/coverage.hpp"
#include "exec/engine.hpp"
#include "exec/interp/global_share.hpp"
#include "exec/launch.hpp"
#include "exec/native/compiler.hpp"
#include "exec/native/group.hpp"
#include "exec/native/stats.hpp"
#include "exec/program.hpp"
#include "exec/spin.hpp"

#include <map>
#include <mutex>
#include <vector>

namespace bz::exec {

struct DispatchImpl final : Dispatch {
  Launch launch;
  std::shared_ptr<const Code> code;
  std::shared_ptr<NativeUnit> native[2];   ///< for workgroups whose work-items are not numbered as in Launch::ids, and for the others; null: interpreted
  uint32_t per_cu = 1;
  uint64_t group_count() const override { return launch.group_count(); }
  uint32_t groups_per_cu() const override { return per_cu; }
};

/// Back edges until a group is looked at for the first time.
inline constexpr int64_t kFirstQuota = 64;

// A group is looked at every kLook; one that is seen to wait is parked at once, one that sleeps without standing still
// after a short time, one that works after a while. TSC ticks; a rate of some GHz is near enough.
inline constexpr uint64_t kLook = 50'000, kSleepSlice = 100'000, kWorkSlice = 4'000'000;

/// Memory of one resident workgroup: wave blocks, LDS, private memory. Reused for group after group.
class GroupContext {
public:
  GroupContext();
  ~GroupContext();
  GroupContext(const GroupContext&) = delete;
  GroupContext& operator=(const GroupContext&) = delete;

  Group group;
  std::shared_ptr<DispatchImpl> dispatch;
  std::vector<std::shared_ptr<const Code>> codes;   ///< all that waves of this group may point into
  bool whole_ids = true;                            ///< work-items are numbered as Launch::ids says
  NativeGroup native;
  SpinWatch spin;
  bool waited = false;                              ///< parked because it only waited, and not seen to move since
  int64_t quota = kFirstQuota;                      ///< back edges until the engine looks at the group again

  Wave* wave(uint32_t i) { return reinterpret_cast<Wave*>(blocks_ + size_t{i} * layout::kStride); }
  /// Makes group `index` of the dispatch ready to run.
  void start(const std::shared_ptr<DispatchImpl>& d, uint64_t index, uint64_t* coverage);
  void use_coverage(uint64_t* coverage);
  void add_code(const std::shared_ptr<const Code>& code);
  const Code* code_of(const Op* o) const;

private:
  void place(const std::shared_ptr<DispatchImpl>& d, uint64_t* coverage);
  void need_constants(uint32_t waves, const Code& code);
  char* blocks_ = nullptr;
  struct alignas(64) Line { uint8_t bytes[64]; };
  std::vector<Line> lds_;
  char* scratch_ = nullptr;
  size_t scratch_size_ = 0;
  uint64_t index_ = 0;                                           ///< of the group that `start` made ready last
  uint32_t scalars_ready_ = 0;                                   ///< waves whose scalar constants are in place
  std::bitset<layout::kConstCount> rows_ready_;                  ///< constant rows in place ...
  uint32_t rows_waves_ = 0;                                      ///< ... in this many waves
};

class EngineImpl final : public Engine {
public:
  EngineImpl(EngineConfig config, const Level& level, ExecMode mode = ExecMode::interpreter, std::shared_ptr<const NativeSettings> settings = nullptr);
  ~EngineImpl() override;
  Expected<std::shared_ptr<Dispatch>> prepare(const DispatchInfo& info) override;
  std::unique_ptr<Worker> make_worker() override;
  void forget_code(uint64_t begin, uint64_t end) override;
  std::string description() const override;
  InstructionCounts instructions() const override { return stats_.counts(); }

  const EngineConfig& config() const { return config_; }
  const Level& level() const { return level_; }
  /// Code that starts at an address (kernels: checked against memory), or contains it.
  Expected<std::shared_ptr<const Code>> code_at(uint64_t entry, const CodeTraits& traits);
  Expected<std::shared_ptr<const Code>> code_with(uint64_t pc, const CodeTraits& traits);
  std::unique_ptr<GroupContext> take_context();
  void give_context(std::unique_ptr<GroupContext> c);
  RowRecord& rows() { return rows_; }
  ExecMode mode() const { return mode_; }
  /// The unit of `code` with this key; null if the engine only interprets, or has compiled it for too many others.
  std::shared_ptr<NativeUnit> unit(const UnitKey& key, const std::shared_ptr<const Code>& code);
  ExecutionStats& stats() { return stats_; }

private:
  Status prepare_native(DispatchImpl& d);
  /// Decoded code that begins at pc or, if it need not begin there, contains it; what memory no longer holds is forgotten.
  std::shared_ptr<const Code> known_code(uint64_t pc, const CodeTraits& traits, bool begins_there);

  EngineConfig config_;
  const Level& level_;
  const ExecMode mode_;
  const std::shared_ptr<const NativeSettings> settings_;
  ExecutionStats stats_;
  std::mutex mutex_;
  std::multimap<uint64_t, std::shared_ptr<const Code>> codes_;
  std::vector<std::unique_ptr<GroupContext>> contexts_;
  GlobalShare share_;
  RowRecord rows_;
};

/// One host thread's runner.
class WorkerImpl final : public Worker {
public:
  explicit WorkerImpl(EngineImpl& engine);
  ~WorkerImpl() override;
  RunResult run(const std::shared_ptr<Dispatch>& dispatch, uint64_t first, uint64_t count) override;
  RunResult resume(std::unique_ptr<ParkedGroup> group) override;
  /// Runs a group whose registers are set up; afterwards they can be read (also for tests).
  RunResult run_context(std::unique_ptr<GroupContext>& context);
  uint64_t* coverage() { return coverage_.data(); }

private:
  uint64_t executed() const;
  bool execute(GroupContext& c, RunResult& r);
  bool halted(GroupContext& c, RunResult& r);
  bool park(GroupContext& c, RunResult& r);
  void account(RunResult& r, uint64_t before);
  bool look_up(GroupContext& c);
  bool split_mode(GroupContext& c);

  // native/run.cpp
  /// Time has gone by in the interpreter since the last call: a reason to compile, some day.
  void interpreted(GroupContext& c);
  /// The group, set up for its start, begins at the unit's entry; false if the unit can't be compiled: r says halted.
  bool begin_native(GroupContext& c, const std::shared_ptr<NativeUnit>& unit, RunResult& r);
  bool execute_native(GroupContext& c, RunResult& r);
  /// An interpreted group has stopped at a back edge: true if its waves go on natively from where they are. Otherwise code for
  /// that may be in the making.
  bool hand_over(GroupContext& c);
  bool halted(GroupContext& c, RunResult& r, std::unique_ptr<Halt> halt);
  std::unique_ptr<Halt> native_jump(GroupContext& c);
  std::unique_ptr<Halt> native_interpret(GroupContext& c);
  std::unique_ptr<Halt> interpreted_turn(GroupContext& c);
  std::unique_ptr<Halt> native_halt(GroupContext& c);
  std::unique_ptr<Halt> native_fault(GroupContext& c, const GuestFault& fault);

  EngineImpl& engine_;
  std::unique_ptr<GroupContext> context_;
  std::vector<uint64_t> coverage_;
  uint64_t ticked_ = 0;             ///< TSC up to which the interpreter's time is accounted for
  uint64_t native_executed_ = 0;    ///< in this call
};

/// What the interpreter says about a group that stopped for good.
std::unique_ptr<Halt> make_halt(GroupContext& context);
/// The operation, wave and lane behind a host fault; fills the group's halt fields.
void locate_fault(GroupContext& context, uint64_t address, bool known, bool is_write, Halt& halt);


} // namespace bz::exec
