#include "exec/trace.hpp"
#include "base/environment.hpp"
#include "base/log.hpp"
#include "exec/fault.hpp"
#include "exec/wave.hpp"
#include "isa/decode.hpp"

#include <atomic>
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fmt/format.h>
#include <iterator>
#include <mutex>
#include <string>
#include <vector>

namespace bz::exec {
namespace {

std::string path() { return environment("BZ_TRACE"); }

struct Choice {
  unsigned group[3] = {}, wave = 0;
  int lane = 0;   ///< -1: all

  bool operator()(const Wave* w) const {
    return w->index == wave && w->group->id[0] == group[0] && w->group->id[1] == group[1] && w->group->id[2] == group[2];
  }
};

constexpr const char* kGrammar = "x[,y[,z]][:wave[:lane]] with a lane of 0 to 63 or \"all\", as in 2,0,0:1:22";

/// False if the text is not of the form that kGrammar describes.
bool parse(const char* text, Choice& c) {
  auto number = [&](unsigned& n) {
    char* end;
    errno = 0;
    unsigned long value = std::strtoul(text, &end, 10);
    bool good = end != text && *text >= '0' && *text <= '9' && !errno && value <= ~0u;
    text = end;
    n = static_cast<unsigned>(value);
    return good;
  };
  for (int i = 0; i < 3; ++i) {
    if (i && *text != ',') break;
    if (i) ++text;
    if (!number(c.group[i])) return false;
  }
  if (!*text) return true;
  if (*text++ != ':' || !number(c.wave)) return false;
  if (!*text) return true;
  if (*text++ != ':') return false;
  if (std::strcmp(text, "all") == 0) return c.lane = -1, true;
  unsigned lane;
  if (!number(lane) || *text || lane > 63) return false;
  c.lane = static_cast<int>(lane);
  return true;
}

std::string sgpr_name(unsigned n) {
  switch (n) {
  case layout::kFlatScratch: case layout::kFlatScratch + 1: return n & 1 ? "flat_scratch_hi" : "flat_scratch_lo";
  case layout::kXnackMask: case layout::kXnackMask + 1: return n & 1 ? "xnack_mask_hi" : "xnack_mask_lo";
  case layout::kVcc: case layout::kVcc + 1: return n & 1 ? "vcc_hi" : "vcc_lo";
  case layout::kM0: return "m0";
  case layout::kExec: case layout::kExec + 1: return n & 1 ? "exec_hi" : "exec_lo";
  default: return n >= layout::kTtmp && n < layout::kTtmp + 16 ? fmt::format("ttmp{}", n - layout::kTtmp) : fmt::format("s{}", n);
  }
}

/// The file, and the registers as they were at the last line. One for the process: with several dispatches at a time their
/// lines mix.
class Tracer {
public:
  explicit Tracer(const std::string& file) {
    if (const std::string text = environment("BZ_TRACE_WAVE"); !text.empty() && !parse(text.c_str(), choice_))
      log("exec", bz::Level::error, "BZ_TRACE_WAVE={}: not of the form {}; nothing is traced", text, kGrammar);
    else if (!(out_ = std::fopen(file.c_str(), "ae")))
      log("exec", bz::Level::error, "BZ_TRACE={}: {}", file, std::strerror(errno));
    if (out_) std::setvbuf(out_, nullptr, _IOLBF, 0);   // whatever ends the process, the last instruction can be read
  }

  /// At the end of the process: an empty trace should not be taken for a kernel that does nothing.
  void tell_if_empty() const {
    if (out_ && !found_)
      log("exec", bz::Level::warn, "BZ_TRACE: nothing is traced: no workgroup {},{},{} with a wave {} has run", choice_.group[0], choice_.group[1],
          choice_.group[2], choice_.wave);
  }

  void line(Wave* w, uint64_t pc, bool begins) {
    if (!out_ || !choice_(w)) return;
    found_ = true;
    std::lock_guard lock(mutex_);
    if (begins) fmt::print(out_, "-- code at 0x{:x}\n", pc);
    changes(w);
    uint32_t words[5] = {};
    size_t count = 0;
    while (count < 5 && read_guest(words + count, pc + 4 * count, 4)) ++count;
    auto inst = isa::decode(w->group->target, words, count);
    fmt::print(out_, "0x{:x}  {}\n", pc, inst ? isa::disassemble(w->group->target, *inst) : "?");
  }

private:
  void changes(Wave* w) {
    auto scalar = [&](const std::string& name, uint32_t now, uint32_t& before) {
      if (now != before) fmt::print(out_, "    {} = 0x{:x}\n", name, now);
      before = now;
    };
    for (unsigned n = 0; n < std::size(sgprs_); ++n) scalar(sgpr_name(n), w->sgpr[n], sgprs_[n]);
    scalar("scc", w->scc, scc_);
    scalar("mode", w->mode, mode_);
    unsigned first = choice_.lane < 0 ? 0 : static_cast<unsigned>(choice_.lane), last = choice_.lane < 0 ? 63 : first;
    for (unsigned n = 0; n < layout::kVgprCount; ++n)
      for (unsigned l = first; l <= last; ++l) {
        uint32_t now = w->row(n)[l], &before = rows_[64 * n + l];
        if (now == before) continue;
        if (n < w->accum_offset) fmt::print(out_, "    v{}[{}] = 0x{:x}\n", n, l, now);
        else fmt::print(out_, "    a{}[{}] = 0x{:x}\n", n - w->accum_offset, l, now);
        before = now;
      }
  }

  std::mutex mutex_;
  Choice choice_;
  FILE* out_ = nullptr;
  std::atomic<bool> found_ = false;   ///< the wave has run
  uint32_t sgprs_[128] = {}, scc_ = 0, mode_ = 0;
  std::vector<uint32_t> rows_ = std::vector<uint32_t>(size_t{64} * layout::kVgprCount);
};

/// Never destroyed: waves may run until the process is gone.
Tracer* the_tracer() {
  static auto* tracer = [] {
    std::atexit([] { the_tracer()->tell_if_empty(); });
    return new Tracer(path());
  }();
  return tracer;
}

} // namespace

bool trace_wanted() { return !path().empty(); }

BZ_PN void control_trace(const Op* o, char* w) {
  Tracer* tracer = the_tracer();
  for (char *wv = w, *end = w + reinterpret_cast<Wave*>(w)->span; wv != end; wv += layout::kStride)
    tracer->line(reinterpret_cast<Wave*>(wv), o->lit, o->aux);
  [[clang::musttail]] return o[1].fn(o + 1, w);
}

} // namespace bz::exec
