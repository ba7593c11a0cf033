// Test kit: kernels as assembly text, assembled by clang-22, run as dispatches on the engine without gpu/. Owns the
// assembler call and a small in-memory loader; must not know queues.
//
// A case is data:
//   KernelCase{.target = gfx942, .text = "v_add_u32 v1, v0, v0\n global_store_dword v2, v1, s[0:1]\n s_endpgm", ...}
// or a whole compiled kernel: compile_hip(...) gives the code object's kernels.
#pragma once
#include "abi/kernel_descriptor.hpp"
#include "base/status.hpp"
#include "exec/engine.hpp"

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace bz::exec::testing {

/// Machine words of assembly text (a .text section without relocations).
Expected<std::vector<uint32_t>> assemble(isa::Target target, std::string_view text);

/// An AMDGPU ELF image mapped as a loader would, relocations of symbols inside it done. For tests only: codeobj/ is the
/// product's reader.
class Image {
public:
  static Expected<std::unique_ptr<Image>> load(const std::vector<uint8_t>& elf);
  ~Image();
  /// Address of a symbol ("kernel.kd", a variable), or 0.
  uint64_t symbol(std::string_view name) const;

private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
  Image();
};

/// Compiles device code (C++ with AMDGPU builtins, -nogpulib -nogpuinc) to a code object. Kernels are written as
/// `extern "C" __attribute__((amdgpu_kernel, visibility("default"))) void name(args)` in plain C++ or with HIP attributes.
Expected<std::vector<uint8_t>> compile_device(isa::Target target, std::string_view source, std::string_view flags = "-O3");

/// Machine words behind a kernel descriptor of the test's choice; the code starts 256 bytes after the descriptor.
class RawKernel {
public:
  RawKernel(const abi::kernel_descriptor_t& descriptor, std::span<const uint32_t> words);
  RawKernel(isa::Target target, std::span<const uint32_t> words) : RawKernel(plain_descriptor(target), words) {}
  ~RawKernel();
  RawKernel(const RawKernel&) = delete;
  RawKernel& operator=(const RawKernel&) = delete;
  uint64_t object() const;   ///< address of the descriptor
  uint64_t code() const;     ///< address of the first word

  /// Kernarg pointer in s[0:1], workgroup ids in s2, s3, s4, scratch as the target does it, work-item ids x, y, z, all
  /// registers.
  static abi::kernel_descriptor_t plain_descriptor(isa::Target target);

private:
  void* memory_ = nullptr;
  size_t bytes_ = 0;
};

/// Runs dispatches together, all their workgroups resident at once, resuming parked groups in turn; the first halt ends it.
struct RunOptions {
  unsigned workers = 1;   ///< threads; one runs in the caller's
  double seconds = 60;    ///< then it is an error: something waits for ever
};
struct Outcome {
  std::unique_ptr<Halt> halt;
  uint64_t instructions = 0;
  uint64_t parked = 0;
};
Expected<Outcome> run_dispatches(Engine& engine, std::span<const DispatchInfo> infos, const RunOptions& options = {});
inline Expected<Outcome> run_dispatch(Engine& engine, const DispatchInfo& info, const RunOptions& options = {}) {
  return run_dispatches(engine, {&info, 1}, options);
}

/// An engine of a level for tests; installs the signal handlers.
Expected<std::unique_ptr<Engine>> make_engine(isa::Target target, const std::string& level);

} // namespace bz::exec::testing
