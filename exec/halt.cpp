// From the state of a stopped group to a Halt that gpu/ can report: address of the instruction, lane, text.
#include "exec/engine_impl.hpp"
#include "exec/fault.hpp"
#include "exec/interp/locate.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace bz::exec {
namespace {

/// Bytes that one lane of a memory row touches, from its data operand.
uint32_t access_bytes(const isa::Meta& m) {
  using isa::Field;
  uint32_t dwords = 1;
  for (int i = 0; i < m.operands.count; ++i) {
    auto& s = m.operands.spec[static_cast<size_t>(i)];
    switch (s.field) {
    case Field::vdst: case Field::data: case Field::vdata: case Field::sdata: case Field::data0:
      dwords = std::max<uint32_t>(dwords, s.dwords);
      break;
    default: break;
    }
  }
  return 4 * dwords;
}

} // namespace

std::unique_ptr<Halt> make_halt(GroupContext& c) {
  auto h = std::make_unique<Halt>();
  Group& g = c.group;
  h->reason = g.halt_reason;
  h->lane = g.halt_lane;
  h->group = g.id;
  h->trap_id = g.trap_id;
  h->wave = g.current ? g.current->index : 0;
  const Op* o = g.halt_op;
  if (!o) {
    h->text = "the engine stopped without a reason";
    return h;
  }
  const Code* code = c.code_of(o);
  if (!code) {
    h->pc = h->address = g.current->jump_target;
    h->text = fmt::format("instruction fetch from 0x{:x}", h->pc);
    return h;
  }
  h->pc = code->pc(o);
  if (g.halt_reason == Halt::Reason::memory_fault && g.halt_text) {
    // A jump to code that can't be read, or code that ends.
    h->address = o->row == isa::kNoRow ? o->lit : g.current->jump_target;
    h->text = fmt::format("instruction fetch from 0x{:x}", h->address);
    return h;
  }
  const char* name = o->row == isa::kNoRow ? "" : isa::row_meta(o->row).name_on(code->traits.target);
  switch (g.halt_reason) {
  case Halt::Reason::illegal_instruction: {
    size_t at = (h->pc - code->begin) / 4;
    size_t count = code->words.size() - std::min(at, code->words.size());
    auto inst = isa::decode(code->traits.target, code->words.data() + at, count);
    size_t shown = std::min(count, inst ? inst->size / size_t{4} : size_t{2});
    h->text = "illegal instruction:";
    for (size_t i = at; i < at + shown; ++i) h->text += fmt::format(" {:08x}", code->words[i]);
    h->text += fmt::format(" at 0x{:x}: {}", h->pc,
                           g.halt_text ? g.halt_text : isa::why_illegal(code->traits.target, code->words.data() + at, count));
    break;
  }
  case Halt::Reason::not_implemented:
    h->text = g.halt_text ? fmt::format("not implemented: {} ({}) at 0x{:x}", name, g.halt_text, h->pc)
                          : fmt::format("not implemented: {} at 0x{:x}", name, h->pc);
    break;
  case Halt::Reason::trap: h->text = fmt::format("s_trap {} at 0x{:x}", g.trap_id, h->pc); break;
  default: h->text = fmt::format("{} at 0x{:x}: {}", name, h->pc, g.halt_text ? g.halt_text : ""); break;
  }
  return h;
}

void locate_fault(GroupContext& c, uint64_t address, bool known, bool is_write, Halt& h) {
  Group& g = c.group;
  h.reason = Halt::Reason::memory_fault;
  h.address = address;
  h.is_write = is_write;
  h.lane = -1;
  Wave* w = g.memory_wave;
  if (!w || !w->cur) {
    h.text = "a fault outside of memory instructions";
    return;
  }
  const Op* o = w->cur;
  const Code* code = c.code_of(o);
  h.wave = w->index;
  h.pc = code ? code->pc(o) : 0;
  const isa::Meta& m = isa::row_meta(o->row);
  if (!known) h.is_write = has(m.flags, isa::Store) && !has(m.flags, isa::Load);
  const char* base = w->base();
  auto word = [&](uint32_t off) { uint32_t x; __builtin_memcpy(&x, base + off, 4); return x; };
  auto word64 = [&](uint32_t off) { uint64_t x; __builtin_memcpy(&x, base + off, 8); return x; };
  if (m.formats & (isa::GLOBAL | isa::FLAT | isa::MUBUF | isa::MTBUF)) {
    if (auto found = locate_lane(o, w, m.formats, access_bytes(m), known ? std::optional(address) : std::nullopt)) {
      h.lane = found->lane;
      if (!known) h.address = found->address;
    }
  } else if (m.formats & isa::MIMG) {
    h.lane = g.halt_lane;   // lane by lane, and each is noted before it begins
  } else if (m.formats & isa::SMEM) {
    uint64_t a = word64(o->s[0]) + static_cast<uint64_t>(static_cast<int64_t>(o->imm));
    if (o->mods & mods::kSoffset) a += word(o->s[1]);
    if (!known) h.address = a & ~uint64_t{3};
  }
  std::string lane = h.lane >= 0 ? fmt::format(", lane {}", h.lane) : std::string();
  h.text = fmt::format("{} {} 0x{:x} at 0x{:x} (workgroup {},{},{}, wave {}{})", m.name_on(g.target), h.is_write ? "writes" : "reads", h.address, h.pc,
                       h.group[0], h.group[1], h.group[2], h.wave, lane);
}

} // namespace bz::exec
