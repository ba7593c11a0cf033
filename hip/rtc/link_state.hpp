// A link in the making: what hiprtcLinkCreate and hipLinkCreate give. Takes the options of both apart and keeps inputs and
// result. Each boundary turns its failures into its own codes. Must not know handles.
#pragma once
#include "base/status.hpp"
#include "hip/rtc/compiler.hpp"

#include <hip/linker_types.h>

#include <cstddef>
#include <mutex>
#include <string>
#include <vector>

namespace bz::rtc {

/// Options as the C functions pass them: `count` numbers and as many values cast to void*.
struct JitOptions {
  unsigned count = 0;
  const hipJitOption* options = nullptr;
  void** values = nullptr;
};

class LinkState {
public:
  /// Options of the whole link. invalid_argument: an unknown option or a value out of range; unsupported: an option that
  /// would change the result and can't be followed. Buffers and the array of values are written to by complete().
  Status set_options(JitOptions options);
  /// invalid_argument: no such kind of input or an option that inputs can't have; unsupported: a kind for CUDA devices.
  Status add(hipJitInputType kind, const void* bytes, size_t size, const char* name, JitOptions options);
  /// The same from a file; not_found: it can't be read.
  Status add_file(hipJitInputType kind, const char* path, JitOptions options);
  /// Links for a target, "gfx942:sramecc+:xnack-". invalid_image, wrong_target: as LinkResult says. A second call gives
  /// the first one's code unless something was added in between.
  Status complete(const std::string& target);
  /// What complete() made. It lives as long as this object and stays where it is until the next complete().
  const std::string& code() const { return code_; }

private:
  /// A log that the caller wants: its buffer, and where its size is read from and the used bytes are written to.
  struct Log {
    char* buffer = nullptr;
    void** size = nullptr;
    void fill(const std::string& text) const;
  };
  Status add_kind(hipJitInputType kind, const std::string& name, JitOptions options, InputKind& out);

  std::mutex mutex_;
  LinkRequest request_;
  std::string notes_; ///< for the info log
  Log info_, error_;
  void** wall_time_ = nullptr;
  bool verbose_ = false;
  bool done_ = false;
  std::string code_;
};

} // namespace bz::rtc
