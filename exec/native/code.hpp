// Native code in this process: an image mapped for execution, with the interpreter's operations for what it leaves out. Immutable.
#pragma once
#include "base/status.hpp"
#include "exec/native/abi.hpp"
#include "exec/program.hpp"

#include <memory>
#include <span>
#include <vector>

namespace bz::exec {

/// Operations of single instructions, each with a return behind it, so that they can be run one at a time on one wave.
class Steps {
public:
  Steps() = default;
  Steps(const Code& code, std::span<const uint32_t> dwords);
  /// The first operation of the k-th instruction.
  const Op* op(uint32_t k, bool in_full) const { return ops_.data() + (in_full ? full_[k] : full_[k] + lengths_[k]); }
  bool contains(const Op* o) const { return o >= ops_.data() && o < ops_.data() + ops_.size(); }
  /// Where an operation was copied from.
  const Op* original(const Op* o) const { return originals_[static_cast<size_t>(o - ops_.data())]; }

private:
  std::vector<Op> ops_;
  std::vector<const Op*> originals_;
  std::vector<uint32_t> full_, lengths_;
};

class NativeCode {
public:
  /// Maps the image's text; the rest of it is kept. Fails if it can't be what the compiler made of this code.
  static Expected<std::unique_ptr<const NativeCode>> map(NativeImage image, const Code& code);
  ~NativeCode();
  NativeCode(const NativeCode&) = delete;
  NativeCode& operator=(const NativeCode&) = delete;

  NativeFn fn() const { return reinterpret_cast<NativeFn>(text_ + image_.start); }
  bool switches() const { return switches_; }
  const NativeImage& image() const { return image_; }   ///< without its text
  const Steps& outcalls() const { return outcalls_; }
  /// Index of the entry at a guest dword, or -1.
  int entry_at(uint32_t dword) const;
  bool contains(uint64_t host_pc) const { return host_pc - reinterpret_cast<uint64_t>(text_) < bytes_; }
  /// The guest instruction (in dwords from the beginning of the code) that a host address belongs to, or -1.
  int64_t guest_of(uint64_t host_pc) const;

private:
  NativeCode() = default;
  char* text_ = nullptr;
  size_t bytes_ = 0;
  bool switches_ = false;
  NativeImage image_;
  Steps outcalls_;
};

} // namespace bz::exec
