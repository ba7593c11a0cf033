#include "jit/flow/loops.hpp"

#include <algorithm>
#include <utility>

namespace bz::jit {

std::map<uint32_t, Loop> find_loops(const Unit& unit) {
  std::map<uint32_t, Loop> loops;
  const auto n = static_cast<uint32_t>(unit.blocks.size());
  std::vector<std::vector<uint32_t>> before(n), after(n);
  auto way = [&](uint32_t from, uint32_t to) {
    if (to != Block::kNone) after[from].push_back(to), before[to].push_back(from);
  };
  for (uint32_t g = 0; g < n; ++g) {
    const Block& b = unit.blocks[g];
    if (b.end == Block::End::branches || b.end == Block::End::condition) way(g, b.taken);
    if (b.end == Block::End::falls || b.end == Block::End::condition) way(g, b.next);
  }
  // Who must be passed on the way to a block (Cooper, Harvey and Kennedy, "A Simple, Fast Dominance Algorithm"): the number n is
  // where all entries come from.
  std::vector<uint32_t> order, rank(n + 1, 0), over(n + 1, Block::kNone);
  std::vector<uint8_t> seen(n);
  std::vector<std::pair<uint32_t, size_t>> stack;
  for (uint32_t e : unit.entries) {
    if (e == Block::kNone || seen[e]) continue;
    stack.emplace_back(e, 0), seen[e] = 1;
    while (!stack.empty()) {
      auto& [g, i] = stack.back();
      if (i == after[g].size()) {
        order.push_back(g), stack.pop_back();
        continue;
      }
      const uint32_t to = after[g][i++];
      if (!seen[to]) seen[to] = 1, stack.emplace_back(to, 0);
    }
  }
  for (uint32_t i = 0; i < order.size(); ++i) rank[order[i]] = i;
  rank[n] = static_cast<uint32_t>(order.size());
  over[n] = n;
  for (uint32_t e : unit.entries)
    if (e != Block::kNone) over[e] = n;
  auto common = [&](uint32_t x, uint32_t y) {
    while (x != y) {
      while (rank[x] < rank[y]) x = over[x];
      while (rank[y] < rank[x]) y = over[y];
    }
    return x;
  };
  for (bool changed = true; changed;) {
    changed = false;
    for (size_t i = order.size(); i-- > 0;) {
      const uint32_t g = order[i];
      if (std::find(unit.entries.begin(), unit.entries.end(), g) != unit.entries.end()) continue;
      uint32_t top = Block::kNone;
      for (uint32_t p : before[g])
        if (over[p] != Block::kNone) top = top == Block::kNone ? p : common(top, p);
      if (over[g] != top) over[g] = top, changed = true;
    }
  }
  auto passes = [&](uint32_t g, uint32_t head) {   // all ways to g lead through head
    while (g != head && g != n && rank[g] < rank[head]) g = over[g];
    return g == head;
  };
  for (uint32_t head : order) {
    Loop loop;
    loop.body.assign(n, false);
    std::vector<uint32_t> work;
    bool any = false;
    loop.body[head] = true;
    for (uint32_t p : before[head]) {
      if (!seen[p] || !passes(p, head)) continue;
      any = true;
      if (!loop.body[p]) loop.body[p] = true, work.push_back(p);
    }
    if (!any) continue;
    while (!work.empty()) {
      const uint32_t g = work.back();
      work.pop_back();
      for (uint32_t p : before[g])
        if (seen[p] && !loop.body[p]) loop.body[p] = true, work.push_back(p);
    }
    for (uint32_t g = 0; g < n; ++g) {
      if (!loop.body[g]) continue;
      ++loop.size;
      const Block& b = unit.blocks[g];
      for (uint32_t i = 0; i < b.count; ++i) {
        const Instruction& x = unit.instructions[b.first + i];
        loop.writes |= x.all_registers ? unit.used : x.writes;
        loop.to_full |= x.exec == ExecChange::grows || x.exec == ExecChange::full || x.exec == ExecChange::unknown;
        loop.to_some |= x.exec == ExecChange::shrinks || x.exec == ExecChange::unknown;
      }
    }
    loops[head] = std::move(loop);
  }
  return loops;
}

} // namespace bz::jit
