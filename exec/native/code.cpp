#include "exec/native/code.hpp"
#include "exec/interp/control_ops.hpp"
#include "exec/trace.hpp"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <sys/mman.h>

namespace bz::exec {

Steps::Steps(const Code& code, std::span<const uint32_t> dwords) {
  // First the lengths: operations may not move once their twins know each other.
  auto belongs = [&](uint32_t op, uint32_t dword) { return op < code.count && code.dword_of[op] == dword; };
  for (uint32_t dword : dwords) {
    uint32_t at = code.op_at[dword];
    const size_t begin = ops_.size();
    full_.push_back(static_cast<uint32_t>(begin));
    std::vector<uint32_t> from;
    for (; belongs(at, dword); ++at) {
      Fn fn = code.full[at].fn;
      if (fn != control_count && fn != control_trace) from.push_back(at);   // native code counts for itself
    }
    const auto length = static_cast<uint32_t>(from.size()) + 1;
    lengths_.push_back(length);
    for (bool in_full : {true, false}) {
      const Op* stream = in_full ? code.full : code.masked;
      for (uint32_t i : from) {
        Op o = stream[i];
        o.twin = in_full ? static_cast<int32_t>(length) : -static_cast<int32_t>(length);
        ops_.push_back(o);
        originals_.push_back(stream + i);
      }
      ops_.push_back(kReturnOp);
      originals_.push_back(stream + (from.empty() ? code.op_at[dword] : from.back()));
    }
  }
}

namespace {

/// What the worker must be able to tell from the compiler's mistakes.
Status check(const NativeImage& image, const Code& code) {
  auto broken = [](const char* what) { return error(bz::Code::invalid_image, "native image: {}", what); };
  if (image.text.empty() || image.start >= image.text.size()) return broken("no code at its start");
  if (image.entries.empty()) return broken("no entry");
  for (auto* list : {&image.entries, &image.outcalls})
    for (uint32_t dword : *list)
      if (dword >= code.op_at.size() || code.op_at[dword] == Code::kNone) return broken("an entry or outcall is not at an instruction");
  for (uint32_t dword : image.outcalls) {
    auto inst = isa::decode(code.traits.target, code.words.data() + dword, code.words.size() - dword);
    if (!inst) return broken("an outcall is not an instruction");
    if (has(isa::row_meta(inst->row).flags, isa::Branch | isa::EndProgram | isa::Barrier)) return broken("an outcall that moves the wave");
  }
  for (size_t i = 0; i < image.places.size(); ++i)
    if (image.places[i].host > image.text.size() || image.places[i].guest >= code.op_at.size() || (i && image.places[i].host < image.places[i - 1].host))
      return broken("its map of places is wrong");
  return {};
}

/// True if the interpreter's operation may have to wait: for global wave sync.
bool waits(const Code& code, uint32_t dword) {
  auto inst = isa::decode(code.traits.target, code.words.data() + dword, code.words.size() - dword);
  return inst && has(isa::row_meta(inst->row).flags, isa::GdsOnly);
}

} // namespace

Expected<std::unique_ptr<const NativeCode>> NativeCode::map(NativeImage image, const Code& code) {
  BZ_TRY(check(image, code));
  std::unique_ptr<NativeCode> c(new NativeCode);
  c->bytes_ = image.text.size();
  // Written while nobody can execute it, executable when nobody can write it.
  void* p = mmap(nullptr, c->bytes_, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (p == MAP_FAILED) return error(bz::Code::out_of_resources, "no memory for {} bytes of native code", c->bytes_);
  c->text_ = static_cast<char*>(p);
  std::memcpy(p, image.text.data(), c->bytes_);
  if (mprotect(p, c->bytes_, PROT_READ | PROT_EXEC) != 0)
    return error(bz::Code::unsupported, "memory can't be made executable: {}", std::strerror(errno));
  image.text = {};
  c->image_ = std::move(image);
  c->switches_ = c->image_.switches || std::any_of(c->image_.outcalls.begin(), c->image_.outcalls.end(), [&](uint32_t d) { return waits(code, d); });
  c->outcalls_ = Steps(code, c->image_.outcalls);
  return std::unique_ptr<const NativeCode>(std::move(c));
}

NativeCode::~NativeCode() {
  if (text_) munmap(text_, bytes_);
}

int NativeCode::entry_at(uint32_t dword) const {
  auto& e = image_.entries;
  auto it = std::find(e.begin(), e.end(), dword);
  return it == e.end() ? -1 : static_cast<int>(it - e.begin());
}

int64_t NativeCode::guest_of(uint64_t host_pc) const {
  auto offset = static_cast<uint32_t>(host_pc - reinterpret_cast<uint64_t>(text_));
  auto& p = image_.places;
  auto it = std::upper_bound(p.begin(), p.end(), offset, [](uint32_t x, const NativePlace& place) { return x < place.host; });
  return it == p.begin() ? -1 : int64_t{it[-1].guest};
}

} // namespace bz::exec
