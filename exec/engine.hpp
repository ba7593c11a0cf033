// The seam between gpu/ and exec/: "run this workgroup range of this dispatch". exec/ knows no queue and no signal;
// gpu/ knows no instruction. Addresses are host virtual addresses (VA = VA).
#pragma once
#include "base/status.hpp"
#include "isa/target.hpp"

#include <array>
#include <cstdint>
#include <memory>
#include <string>

namespace bz::exec {

/// What the engine asks of the device while a wave runs. Plain function pointers: called from worker threads.
struct Hooks {
  void* context = nullptr;
  /// s_sendmsg MSG_INTERRUPT: `event` is the event id that the wave put into M0 (bits 23:0).
  void (*interrupt)(void* context, uint32_t event) = nullptr;
};

struct EngineConfig {
  isa::Target target = isa::Target::gfx942;
  bool xnack = false;               ///< HSA_XNACK; kernels are compiled for one of the two or for any
  uint32_t lds_bytes = 64 * 1024;   ///< per compute unit and largest per workgroup
  uint32_t max_waves_per_cu = 32;   ///< residency limit, from the product description
  Hooks hooks;
  /// "avx512", "avx2" or "" for the best that the machine has. BZ_SIMD overrides it.
  std::string simd;
  /// "interp", "jit" (natively or not at all) or "auto"; "" is auto. BZ_EXEC overrides it.
  std::string exec;
  /// Count how often each row is executed (exec/coverage.hpp). It costs as much as the plainest row itself, so only tests and
  /// BZ_COVERAGE=file turn it on.
  bool count_rows = false;
};

/// A kernel dispatch as the command processor hands it over. Everything is copied.
struct DispatchInfo {
  // From the AQL packet (HSA runtime specification 1.2, section 2.9.6).
  std::array<uint16_t, 3> group_size{1, 1, 1};      ///< work-items, each >= 1
  std::array<uint32_t, 3> grid_size{1, 1, 1};       ///< work-items, each >= 1; groups at the edge may be partial
  uint32_t private_bytes = 0;                       ///< scratch per work-item
  uint32_t group_bytes = 0;                         ///< LDS per workgroup, static and dynamic
  uint64_t kernel_object = 0;                       ///< address of the 64-byte kernel descriptor
  uint64_t kernarg = 0;                             ///< address of the kernel arguments
  // Initial wave state that descriptors ask for.
  uint64_t packet_address = 0;                      ///< dispatch_ptr: the packet in the ring (or a copy that outlives the run)
  uint64_t queue_address = 0;                       ///< queue_ptr: the amd_queue_t
  uint64_t dispatch_id = 0;
};

/// Why a wave stopped for good. Delivered by gpu/ as the queue error, signal or event that the ABI promises.
struct Halt {
  enum class Reason {
    memory_fault,         ///< an address that can't be read or written
    illegal_instruction,  ///< an encoding that this target does not have
    not_implemented,      ///< a known instruction without semantics here: `text` has its name
    trap,                 ///< s_trap with `trap_id`
    lds_out_of_range,     ///< reserved for checking modes; plain LDS accesses out of range read 0 and drop writes
    stack_overflow,       ///< scratch beyond what the dispatch asked for
  };
  Reason reason = Reason::memory_fault;
  uint64_t pc = 0;             ///< address of the instruction
  uint64_t address = 0;        ///< memory_fault: the address
  bool is_write = false;
  int lane = -1;               ///< first lane concerned, -1 if the whole wave
  uint32_t wave = 0;           ///< wave number in its workgroup
  std::array<uint32_t, 3> group{};  ///< workgroup id
  uint32_t trap_id = 0;
  std::string text;            ///< for people: instruction name or disassembly, and what happened
};

/// One dispatch made ready: kernel decoded for the engine (cached by content), descriptor read, sizes checked.
class Dispatch {
public:
  virtual ~Dispatch() = default;
  virtual uint64_t group_count() const = 0;
  /// How many workgroups fit on one compute unit at once (registers, LDS, wave slots), >= 1.
  virtual uint32_t groups_per_cu() const = 0;
};

/// A workgroup in mid-flight: registers, LDS, barrier state. Any worker of the same engine may resume it.
class ParkedGroup {
public:
  virtual ~ParkedGroup() = default;
  virtual const std::shared_ptr<Dispatch>& dispatch() const = 0;
};

struct RunResult {
  enum class State { finished, parked, halted };
  State state = State::finished;
  uint64_t next = 0;                        ///< first group of the range that was not started
  std::unique_ptr<ParkedGroup> parked;      ///< state == parked: this group yielded (spinning, s_sleep, quantum used up)
  std::unique_ptr<Halt> halt;               ///< state == halted
  uint64_t instructions = 0;                ///< wave-instructions executed in this call; 0 unless rows are counted
};

/// Wave-instructions executed by an engine; 0 unless rows are counted or BZ_JIT_STATS is set.
struct InstructionCounts {
  uint64_t native = 0, interpreted = 0;
};

/// Registers and LDS of the groups that one host thread runs. Not thread-safe; one per worker thread.
class Worker {
public:
  virtual ~Worker() = default;
  /// Runs groups [first, first + count) in x-fastest order, one after another, until the range is done, one yields or
  /// one halts. A group yields when all its waves wait for something outside the group for a quantum; a group that makes
  /// progress is parked only after a longer quantum, so that other dispatches get their turn on a single worker.
  virtual RunResult run(const std::shared_ptr<Dispatch>& dispatch, uint64_t first, uint64_t count) = 0;
  virtual RunResult resume(std::unique_ptr<ParkedGroup> group) = 0;
};

class Engine {
public:
  virtual ~Engine() = default;
  /// Fails with invalid_argument if the CPU lacks x86-64-v3, or `simd` or `exec` can't be had; unsupported for an unknown target,
  /// and without the compiler of kernels if `exec` is "jit".
  static Expected<std::unique_ptr<Engine>> create(const EngineConfig& config);

  /// Decodes (or finds) the kernel behind the descriptor and checks the packet against the limits.
  /// invalid_image: no readable descriptor; out_of_resources: LDS or scratch beyond the limits; unsupported: registers, or a kernel
  /// that can't be compiled though it must; invalid_argument: sizes.
  virtual Expected<std::shared_ptr<Dispatch>> prepare(const DispatchInfo& info) = 0;
  virtual std::unique_ptr<Worker> make_worker() = 0;
  /// Forget decoded kernels whose code lies in [begin, end): the memory was freed or rewritten.
  virtual void forget_code(uint64_t begin, uint64_t end) = 0;
  /// "interpreter, AVX-512" and the like, for logs and `bz doctor`.
  virtual std::string description() const = 0;
  /// How much ran natively so far, in calls that have come back.
  virtual InstructionCounts instructions() const { return {}; }
};

} // namespace bz::exec
