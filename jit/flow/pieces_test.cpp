#include "jit/flow/pieces.hpp"

#include <gtest/gtest.h>

#include <set>

namespace {

using namespace bz::jit;

Pattern by_lane(auto f) {
  Pattern p;
  for (unsigned l = 0; l < kLanes; ++l) p.delta[l] = f(l);
  return p;
}

/// That each dword a lane wants is where the plan says, and that stores write nothing else.
void check(const Pattern& p, const Pattern& steps, unsigned dwords, bool is_load, const Pieces& plan) {
  ASSERT_EQ(plan.where.size(), dwords * kLanes);
  std::vector<std::pair<int64_t, int64_t>> held;   // step and dword address, place by place
  for (const Piece& piece : plan.list) {
    EXPECT_EQ(held.size() % piece.words, 0u) << "a piece begins at a multiple of its size";
    for (unsigned k = 0; k < piece.words; ++k) held.emplace_back(piece.step, piece.offset / 4 + k);
  }
  EXPECT_LE(held.size(), plan.width);
  std::set<std::pair<int64_t, int64_t>> wanted;
  for (unsigned l = 0; l < kLanes; ++l)
    for (unsigned j = 0; j < dwords; ++j) {
      const std::pair<int64_t, int64_t> word{steps.delta[l], p.delta[l] / 4 + j};
      wanted.insert(word);
      ASSERT_LT(plan.where[dwords * l + j], held.size());
      EXPECT_EQ(held[plan.where[dwords * l + j]], word) << "lane " << l << ", dword " << j;
    }
  if (!is_load) EXPECT_EQ(std::set(held.begin(), held.end()), wanted);
  // Never in front of the first or behind the last dword of a row: that may be another page.
  for (auto& [step, word] : held) {
    auto of_row = [&](auto& x) { return x.first == step; };
    auto first = std::find_if(wanted.begin(), wanted.end(), of_row), last = std::find_if(wanted.rbegin(), wanted.rend(), of_row).base();
    EXPECT_GE(word, first->second);
    EXPECT_LE(word, std::prev(last)->second);
  }
}

TEST(Pieces, ContiguousIsOne) {
  const Pattern p = by_lane([](unsigned l) { return 4 * int64_t{l}; });
  for (bool is_load : {true, false}) {
    auto plan = pieces_of(p, {}, 1, is_load);
    ASSERT_TRUE(plan);
    EXPECT_EQ(plan->list.size(), 1u);
    EXPECT_EQ(plan->list[0].words, 16u);
    check(p, {}, 1, is_load, *plan);
  }
}

TEST(Pieces, ATransposedStoreIsARowForEachFourLanes) {
  const Pattern p = by_lane([](unsigned l) { return 4 * int64_t{l / 4} + 272 * int64_t{l % 4}; });
  auto plan = pieces_of(p, {}, 1, false);
  ASSERT_TRUE(plan);
  EXPECT_EQ(plan->list.size(), 4u);
  check(p, {}, 1, false, *plan);
}

TEST(Pieces, LoadsReadOverGapsAndStoresDoNot) {
  const Pattern p = by_lane([](unsigned l) { return 8 * int64_t{l}; });
  auto load = pieces_of(p, {}, 1, true);
  ASSERT_TRUE(load);
  check(p, {}, 1, true, *load);
  EXPECT_LE(load->list.size(), 5u) << "31 dwords from the first to the last lane's";
  EXPECT_FALSE(pieces_of(p, {}, 1, false)) << "sixteen stores of one dword are no better than a scatter";
}

TEST(Pieces, SeveralLanesMayReadOneDwordButNotStoreIt) {
  const Pattern p = by_lane([](unsigned l) { return 4 * int64_t{l / 2}; });
  auto plan = pieces_of(p, {}, 1, true);
  ASSERT_TRUE(plan);
  check(p, {}, 1, true, *plan);
  EXPECT_FALSE(pieces_of(p, {}, 1, false));
}

TEST(Pieces, FourDwordsALane) {
  for (int64_t stride : {16, 32, 64, 1024}) {
    const Pattern p = by_lane([&](unsigned l) { return stride * int64_t{l}; });
    for (bool is_load : {true, false}) {
      auto plan = pieces_of(p, {}, 4, is_load);
      ASSERT_TRUE(plan) << stride;
      EXPECT_LE(plan->list.size(), 16u);
      check(p, {}, 4, is_load, *plan);
    }
  }
}

TEST(Pieces, RowsAtADistanceKnownLaterHaveTheirOwn) {
  const Pattern p = by_lane([](unsigned l) { return 16 * int64_t{l % 4}; }), steps = by_lane([](unsigned l) { return int64_t{l / 4}; });
  for (bool is_load : {true, false}) {
    auto plan = pieces_of(p, steps, 4, is_load);
    ASSERT_TRUE(plan);
    EXPECT_EQ(plan->list.size(), 4u);
    check(p, steps, 4, is_load, *plan);
  }
}

TEST(Pieces, StoresToRowsKeepTheOrderOfLanes) {
  // Rows alternate: should they overlap, lane 15 has to come last in both.
  const Pattern p = by_lane([](unsigned l) { return 4 * int64_t{l / 2}; }), steps = by_lane([](unsigned l) { return int64_t{l % 2}; });
  EXPECT_TRUE(pieces_of(p, steps, 1, true));
  EXPECT_FALSE(pieces_of(p, steps, 1, false));
}

TEST(Pieces, NotForBytesBetweenDwordsNorForTooMany) {
  EXPECT_FALSE(pieces_of(by_lane([](unsigned l) { return 6 * int64_t{l}; }), {}, 1, true));
  EXPECT_FALSE(pieces_of(by_lane([](unsigned l) { return 4096 * int64_t{l}; }), {}, 1, true));
  EXPECT_FALSE(pieces_of(by_lane([](unsigned l) { return 4096 * int64_t{l}; }), by_lane([](unsigned l) { return int64_t{l}; }), 1, true));
}

TEST(Pieces, AnyOrderOfLanes) {
  uint32_t state = 1;
  auto random = [&](uint32_t below) { return ((state = state * 1664525 + 1013904223) >> 8) % below; };
  unsigned found = 0;
  for (int n = 0; n < 2000; ++n) {
    const unsigned dwords = 1 + n % 4;
    const int64_t spread = 1 + random(4);
    const Pattern p = by_lane([&](unsigned l) { return l == 0 ? 0 : 4 * (static_cast<int64_t>(random(32)) - 16) * spread; });
    const Pattern steps = n % 3 ? Pattern{} : by_lane([&](unsigned l) { return int64_t{l / 8}; });
    for (bool is_load : {true, false})
      if (auto plan = pieces_of(p, steps, dwords, is_load)) check(p, steps, dwords, is_load, *plan), ++found;
  }
  EXPECT_GT(found, 200u);
}

} // namespace
