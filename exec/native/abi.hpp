// What the engine and native code of kernels agree on: the context that native code gets, why it returns, and what a compiled
// image says about itself. Plain data, shared with the compiler module (jit/), which knows nothing else of exec/ but the
// layout of a wave block (op.hpp, wave.hpp). A change here changes kNativeAbi, so that images on disk are not taken for new ones.
#pragma once
#include "exec/wave.hpp"

#include <cstdint>
#include <string>
#include <vector>

namespace bz::exec {

inline constexpr uint32_t kNativeAbi = 3;

/// Why native code asks for another wave's turn.
enum class YieldReason : uint32_t { back_edge, barrier, sleep };

/// Why native code returned. The wave's registers are in its block then, also its EXEC, SCC, VCC and M0.
enum class NativeExit : uint32_t {
  ended,        ///< the wave is done
  jump,         ///< it goes on at Wave::jump_target, with the MODE in Wave::mode
  interpret,    ///< the instruction at Wave::jump_target is the interpreter's: it ends the wave or its code (s_trap, s_sethalt,
                ///< s_icache_inv, an illegal word). If the wave goes on behind it, it does so by a jump
};

struct NativeContext;

/// The only host functions that native code calls. Images hold no address: calls go through this table. MXCSR is that of the
/// wave's single precision (Wave::mxcsr32) when native code is entered, calls and returns, and when helpers return. A helper may
/// not come back: the wave is abandoned then.
struct NativeHelpers {
  /// Other waves of the workgroup, or the worker, get their turn; comes back when this wave may go on (after s_barrier: when all
  /// have arrived). The wave's registers are NOT in its block: they live on the stack of its fiber.
  void (*yield)(NativeContext* context, Wave* wave, YieldReason why, uint32_t argument);
  /// The same at a back edge, when the budget is used up. Keeps all registers, also those that functions may change: it is called
  /// on a way that is rarely gone.
  void (*turn)(NativeContext* context, Wave* wave);
  /// Runs instruction NativeImage::outcalls[index] by the interpreter's operations on the wave block, which holds what the
  /// instruction reads (EXEC always); native code then takes what it writes from there. Not for branches, barriers, s_endpgm.
  /// Keeps all registers.
  void (*outcall)(NativeContext* context, Wave* wave, uint32_t index);
  /// Scalar functions that need the host: a clock of 100 MHz.
  uint64_t (*clock_100mhz)();
  /// Runs a MatrixProgram: sums are registers in the wave block, factors lie in `rows`.
  void (*matrix)(Wave* wave, uint8_t* rows, const uint32_t* program);
};

/// Matrix multiply-accumulates that native code has queued, as words: the number of conversions and of groups; for each
/// conversion of a factor
///   MatrixFactor, side, depth, blocks, from, to     (bytes from `rows`)
/// and for each group, which adds `links` products to one sum, or to two that have the first factors in common,
///   MatrixSum, side, steps, links, sum, sum         (bytes from the wave block; the second 0 if there is none)
///   first and second factor, second factor of the second sum (0 if there is none), `links` times     (bytes from `rows`)
/// A sum has its elements where the ISA manual's tables say for tiles of 16 x 16 or 32 x 32, one block. A factor has `side`
/// dwords for each step: an f32, or two i16. Each step is one rounding, or none for integers.
enum class MatrixFactor : uint32_t { f32, bf16, f16, i8 };
enum class MatrixSum : uint32_t { f32, i32 };

/// One per workgroup in flight; native code keeps its address in a register.
struct NativeContext {
  int64_t budget = 0;               ///< back edges left: native code counts down, and below 0 asks for a yield
  uint64_t code = 0;                ///< guest address of NativeRequest::words[0] in this process; read when native code is entered
  uint8_t* lds = nullptr;
  uint64_t lds_bytes = 0;
  uint64_t instructions = 0;        ///< wave-instructions executed, in images that count (NativeRequest::count)
  const NativeHelpers* helpers = nullptr;
  Group* group = nullptr;
  void* runner = nullptr;           ///< the engine's
};

/// Runs one wave from an entry on. `entry` is an index into NativeImage::entries.
using NativeFn = NativeExit (*)(NativeContext* context, Wave* wave, uint32_t entry);

/// What is compiled: code from `entry` on, under assumptions that are part of its identity.
struct NativeRequest {
  isa::Target target = isa::Target::gfx942;
  uint32_t accum_offset = 256;
  uint32_t mode = 0;                 ///< MODE at entry, assumed until a jump
  uint64_t begin = 0;                ///< guest address of words[0]; an image must not depend on it (NativeContext::code has it)
  const uint32_t* words = nullptr;   ///< the machine code, readable from begin to begin + 4 * dwords
  uint64_t dwords = 0;
  std::vector<uint64_t> entries;     ///< guest addresses at which execution may begin; [0] is the kernel's or function's start
  bool kernel_start = false;         ///< entries[0] is a kernel's entry: what `ids` says holds there
  /// Of the work-item registers at a kernel's start: v0 (v1, v2) of whole workgroups as Launch::ids has them. For addresses:
  /// native code reads the registers from the wave block, but may assume these differences between lanes. Empty: nothing is known.
  std::vector<uint32_t> ids;
  uint32_t id_rows = 1;
  uint32_t waves = 1;
  bool full_waves = false;           ///< at a kernel's start EXEC is all ones
  uint32_t lds_bytes = 0;            ///< of the workgroup; a kernel that is given more runs other code
  std::string cpu;                   ///< LLVM's name of the processor, "" for this one
  std::string features;              ///< and its feature string
  bool fast_numerics = false;        ///< BZ_NUMERICS=fast
  bool count = false;                ///< code adds to NativeContext::instructions
  int level = 2;                     ///< 0: compile fast, 2: code runs fast
  std::string off;                   ///< optimisations that are switched off, by name, comma separated
};

/// Host code to guest code.
struct NativePlace {
  uint32_t host;    ///< offset in `text` where the range begins
  uint32_t guest;   ///< dword index from NativeRequest::begin
};

/// Position-independent code and read-only data, no relocations left, no external symbols.
struct NativeImage {
  std::vector<uint8_t> text;             ///< code and constants, to be mapped read-execute at any 64-byte aligned address
  uint32_t start = 0;                    ///< offset of the NativeFn
  std::vector<NativePlace> places;       ///< sorted by host
  std::vector<uint32_t> entries;         ///< where it can be entered, in dwords from begin: the request's, then what lies behind calls
  std::vector<uint32_t> outcalls;        ///< instructions that the interpreter runs, in dwords from begin
  uint32_t stack_bytes = 0;              ///< frame of the function, without helpers and signals
  bool switches = false;                 ///< has barriers, back edges or sleeps: runs on a fiber
  uint32_t instructions = 0;             ///< guest instructions compiled
};

/// The one entry of the compiler module (libbz-jit.so), found by dlsym. Returns null and fills `image`, or why it failed; the text
/// stays valid until the thread's next call.
using NativeCompileFn = const char* (*)(const NativeRequest* request, NativeImage* image);
inline constexpr const char* kNativeCompileSymbol = "bz_jit_compile";

} // namespace bz::exec
