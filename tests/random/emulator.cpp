#include "emulator.hpp"

#include <algorithm>
#include <cstring>
#include <memory>
#include <sys/mman.h>
#include <ucontext.h>
#include <vector>

namespace bz::random {
namespace {

constexpr size_t kStack = 256 << 10, kLds = 64 << 10, kMaxLanes = 256;

bool before(const Place& a, const Place& b) { return std::lexicographical_compare(a.at, a.at + Place::kDepth, b.at, b.at + Place::kDepth); }
bool same(const Place& a, const Place& b) { return std::equal(a.at, a.at + Place::kDepth, b.at); }

struct Fiber {
  ucontext_t context;
  Lanes lanes;
  bool waits = false, ended = false;
  Request request;
  u64 answer = 0;
};

struct Group {
  const HostKernel* kernel;
  const Args* args;
  ucontext_t scheduler;
  Fiber* running = nullptr;
  std::vector<Fiber> fibers;
};

Group* current = nullptr; // of the one thread that emulates

u64 meet(Lanes&, const Request& request) {
  Fiber& fiber = *current->running;
  fiber.request = request;
  fiber.waits = true;
  swapcontext(&fiber.context, &current->scheduler);
  return fiber.answer;
}

void fiber_main() {
  Fiber& fiber = *current->running;
  current->kernel->body(*current->args, fiber.lanes);
  fiber.ended = true;
  swapcontext(&fiber.context, &current->scheduler);
}

/// The lane that a DPP control reads, or -1 for none. Rows are 16 lanes.
int dpp_source(u32 control, int lane) {
  const int row = lane & ~15, in_row = lane & 15, n = control & 15;
  auto inside = [&](int from) { return (from & ~15) == row && from >= 0 ? from : -1; };
  if (control <= 0xff) return (lane & ~3) | ((control >> (2 * (lane & 3))) & 3);
  if (control >= 0x101 && control <= 0x10f) return inside(lane + n);           // row_shl
  if (control >= 0x111 && control <= 0x11f) return inside(lane - n);           // row_shr
  if (control >= 0x121 && control <= 0x12f) return row | ((in_row - n) & 15);  // row_ror
  switch (control) {
  case 0x130: return lane == 63 ? -1 : lane + 1; // wave_shl
  case 0x134: return (lane + 1) & 63;            // wave_rol
  case 0x138: return lane - 1;                   // wave_shr
  case 0x13c: return (lane - 1) & 63;            // wave_ror
  case 0x140: return row | (15 - in_row);        // row_mirror
  case 0x141: return row | (in_row ^ 7);         // row_half_mirror
  case 0x142: return row ? row - 1 : -1;         // row_bcast15
  case 0x143: return lane >= 32 ? 31 : -1;       // row_bcast31
  }
  return -1;
}

int swizzle_source(u32 control, int lane) {
  if (control & 0x8000) return (lane & ~3) | ((control >> (2 * (lane & 3))) & 3);
  const int and_mask = control & 31, or_mask = (control >> 5) & 31, xor_mask = (control >> 10) & 31;
  return (lane & ~31) | ((((lane & 31) & and_mask) | or_mask) ^ xor_mask);
}

/// All active lanes of one wave have arrived: what does each get?
void resolve(std::vector<Fiber*>& active) {
  Fiber* at[64] = {};
  for (Fiber* f : active) at[f->lanes.lane] = f;
  const Request& any = active.front()->request;
  u64 common = 0;
  switch (any.kind) {
  case Between::Ballot:
    for (Fiber* f : active) common |= u64(f->request.value != 0) << f->lanes.lane;
    break;
  case Between::First: common = active.front()->request.value; break;
  case Between::Sum:
    for (Fiber* f : active) common = u32(common + f->request.value);
    break;
  case Between::Highest:
    for (Fiber* f : active) common = std::max<u64>(common, f->request.value);
    break;
  default: break;
  }
  for (Fiber* f : active) {
    const int lane = int(f->lanes.lane);
    const Request& r = f->request;
    switch (r.kind) {
    case Between::Barrier: break;
    case Between::Ballot:
    case Between::First:
    case Between::Sum:
    case Between::Highest: f->answer = common; break;
    case Between::Read: f->answer = (at[r.extra & 63] ? at[r.extra & 63] : active.front())->request.value; break;
    case Between::Shuffle: f->answer = at[r.extra & 63] ? at[r.extra & 63]->request.value : 0; break;
    case Between::Push:
      f->answer = 0;
      for (Fiber* from : active)
        if (int(from->request.extra & 63) == lane) f->answer = from->request.value;
      break;
    case Between::Dpp: {
      f->answer = r.extra;
      if (!((r.row_mask >> (lane / 16)) & 1) || !((r.bank_mask >> (lane % 16 / 4)) & 1)) break;
      const int from = dpp_source(r.control, lane);
      if (from >= 0 && at[from]) f->answer = at[from]->request.value;
      else if (r.bound) f->answer = 0;
      break;
    }
    case Between::Swizzle: {
      const int from = swizzle_source(r.control, lane);
      f->answer = at[from] ? at[from]->request.value : 0;
      break;
    }
    }
    f->waits = false;
  }
}

/// Lanes of each wave that wait at the wave's lowest place go on; a barrier only when the whole group is there.
std::string release(Group& group) {
  bool moved = false;
  std::vector<Fiber*> at_barrier;
  size_t left = 0;
  for (size_t first = 0; first < group.fibers.size(); first += 64) {
    std::vector<Fiber*> active;
    for (size_t i = first; i < std::min(first + 64, group.fibers.size()); ++i) {
      Fiber& f = group.fibers[i];
      if (f.ended) continue;
      ++left;
      if (!active.empty() && before(f.request.place, active.front()->request.place)) active.clear();
      if (active.empty() || same(f.request.place, active.front()->request.place)) active.push_back(&f);
    }
    if (active.empty()) continue;
    if (active.front()->request.kind == Between::Barrier) at_barrier.insert(at_barrier.end(), active.begin(), active.end());
    else resolve(active), moved = true;
  }
  if (moved || left == 0) return "";
  if (at_barrier.size() != left) return "not all lanes are at the barrier";
  for (Fiber* f : at_barrier) f->waits = false;
  return "";
}

std::string run_fibers(Group& group, unsigned char* stacks) {
  for (size_t i = 0; i < group.fibers.size(); ++i) {
    Fiber& f = group.fibers[i];
    getcontext(&f.context);
    f.context.uc_stack = {stacks + i * kStack, 0, kStack};
    f.context.uc_link = nullptr;
    makecontext(&f.context, fiber_main, 0);
  }
  for (;;) {
    bool all_ended = true;
    for (Fiber& f : group.fibers) {
      if (!f.ended && !f.waits) {
        group.running = &f;
        swapcontext(&group.scheduler, &f.context);
      }
      all_ended &= f.ended;
    }
    if (all_ended) return "";
    if (std::string wrong = release(group); !wrong.empty()) return wrong;
  }
}

} // namespace

std::string emulate(const HostKernel& kernel, const Args& args) {
  static unsigned char* stacks = static_cast<unsigned char*>(
      mmap(nullptr, kStack * kMaxLanes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0));
  if (stacks == MAP_FAILED) return "no memory for stacks";
  if (kernel.size > kMaxLanes) return "too many lanes";
  auto lds = std::make_unique<unsigned char[]>(kLds);
  for (u32 g = 0; g < kernel.groups; ++g) {
    Group group{&kernel, &args, {}, nullptr, std::vector<Fiber>(kernel.size)};
    current = &group;
    for (u32 t = 0; t < kernel.size; ++t)
      group.fibers[t].lanes = {t, g, kernel.size, t % 64, t / 64, g * kernel.size + t, lds.get(), meet};
    if (kernel.meets) {
      if (std::string wrong = run_fibers(group, stacks); !wrong.empty()) return wrong;
    } else {
      for (Fiber& f : group.fibers) kernel.body(args, f.lanes);
    }
  }
  return "";
}

} // namespace bz::random
