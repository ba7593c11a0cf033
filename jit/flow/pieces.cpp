#include "jit/flow/pieces.hpp"

#include <algorithm>
#include <bit>
#include <map>

namespace bz::jit {
namespace {

constexpr unsigned kMostWords = 16;
constexpr int64_t kPage = 4096;

/// Pieces that cover the sorted dword addresses. `gaps`: a piece may hold dwords that nobody wants, but none before the first or
/// behind the last one.
std::vector<Piece> cover(const std::vector<int64_t>& words, bool gaps) {
  std::vector<Piece> list;
  for (size_t i = 0; i < words.size();) {
    const int64_t from = words[i];
    unsigned best = 1;
    size_t held = 1;
    for (unsigned n = 2; n <= kMostWords; n *= 2) {
      if (from + n - 1 > words.back()) break;
      size_t inside = 0;
      while (i + inside < words.size() && words[i + inside] < from + n) ++inside;
      if (!gaps && inside != n) break;
      if (inside > held) best = n, held = inside;
    }
    list.push_back({0, 4 * from, best});
    i += held;
  }
  return list;
}

} // namespace

std::optional<Pieces> pieces_of(const Pattern& p, const Pattern& steps, unsigned dwords, bool is_load) {
  static_assert(4 * kMostWords < kPage, "dwords between two wanted ones lie on the page of one of them");
  std::map<int64_t, std::vector<int64_t>> wanted;   // by step
  for (unsigned l = 0; l < kLanes; ++l) {
    if (p.delta[l] % 4) return std::nullopt;
    for (unsigned j = 0; j < dwords; ++j) wanted[steps.delta[l]].push_back(p.delta[l] / 4 + j);
  }
  Pieces r;
  for (auto& [step, words] : wanted) {
    std::sort(words.begin(), words.end());
    const auto last = std::unique(words.begin(), words.end());
    if (!is_load && last != words.end()) return std::nullopt;
    words.erase(last, words.end());
    for (Piece piece : cover(words, is_load)) {
      piece.step = step;
      r.list.push_back(piece);
    }
  }
  if (r.list.size() > (dwords == 1 ? 8 : 16)) return std::nullopt;
  for (size_t n = 1; n < r.list.size(); ++n)   // few: no buffer of std::stable_sort's
    for (size_t k = n; k > 0 && r.list[k - 1].words < r.list[k].words; --k) std::swap(r.list[k - 1], r.list[k]);
  std::map<std::pair<int64_t, int64_t>, unsigned> place;
  unsigned at = 0;
  for (const Piece& piece : r.list)
    for (unsigned k = 0; k < piece.words; ++k) place.emplace(std::pair{piece.step, piece.offset / 4 + k}, at++);
  r.width = std::max(kMostWords, std::bit_ceil(at));
  if (!is_load && wanted.size() > 1) {
    // Rows may turn out to overlap: the last lane's store must come last.
    std::map<std::pair<int64_t, int64_t>, unsigned> writer;
    for (unsigned l = 0; l < kLanes; ++l)
      for (unsigned j = 0; j < dwords; ++j) writer[{steps.delta[l], p.delta[l] / 4 + j}] = l;
    unsigned before = 0;
    for (const Piece& piece : r.list) {
      unsigned first = kLanes, end = 0;
      for (unsigned k = 0; k < piece.words; ++k) {
        const unsigned l = writer.at({piece.step, piece.offset / 4 + k});
        first = std::min(first, l), end = std::max(end, l + 1);
      }
      if (first < before) return std::nullopt;
      before = end;
    }
  }
  for (unsigned l = 0; l < kLanes; ++l)
    for (unsigned j = 0; j < dwords; ++j) r.where.push_back(static_cast<uint8_t>(place.at({steps.delta[l], p.delta[l] / 4 + j})));
  return r;
}

} // namespace bz::jit
