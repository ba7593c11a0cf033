// What the rooms' tests of bad input share: what stands for a callback, and what becomes of an object that several threads
// use and destroy. Knows no interface; handles are 64 bits of any kind. Test-only.
#pragma once
#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <cstdint>
#include <functional>
#include <thread>
#include <vector>

namespace bz::bad_input {

/// A function of a pointer's type that does nothing.
template <class T> struct Callback;
template <class R, class... A> struct Callback<R (*)(A...)> {
  static R call(A...) { return R(); }
};

/// A kind of object: how it is made, used and destroyed. Status 0 is success; a use of a destroyed one must be refused.
struct Kind {
  const char* name;
  std::function<uint64_t()> make;
  std::function<int(uint64_t)> destroy, use;
};
/// For gtest's lists of parameters.
inline void PrintTo(const Kind& kind, std::ostream* out) { *out << kind.name; }

/// Gone for one thread is gone for all, with the same status.
inline void expect_gone_for_all(const Kind& kind) {
  uint64_t object = kind.make();
  ASSERT_EQ(kind.use(object), 0) << kind.name;
  ASSERT_EQ(kind.destroy(object), 0) << kind.name;
  const int after_destroy = kind.use(object), twice = kind.destroy(object);
  EXPECT_NE(after_destroy, 0) << kind.name;
  EXPECT_NE(twice, 0) << kind.name;
  object = kind.make();
  ASSERT_EQ(kind.use(object), 0) << kind.name;
  std::thread([&] { EXPECT_EQ(kind.destroy(object), 0) << kind.name; }).join();
  EXPECT_EQ(kind.use(object), after_destroy) << kind.name << ": destroyed by another thread";
  EXPECT_EQ(kind.destroy(object), twice) << kind.name << ": destroyed by another thread";
}

/// Of several threads that destroy it at once one succeeds.
inline void expect_one_destroyer(const Kind& kind) {
  constexpr int kThreads = 3, kRounds = 30;
  for (int round = 0; round < kRounds; ++round) {
    const uint64_t object = kind.make();
    std::atomic<int> ready{0}, destroyed{0};
    std::vector<std::thread> threads;
    for (int t = 0; t < kThreads; ++t)
      threads.emplace_back([&] {
        ++ready;
        while (ready < kThreads) std::this_thread::yield();
        destroyed += kind.destroy(object) == 0;
      });
    for (auto& t : threads) t.join();
    ASSERT_EQ(destroyed, 1) << kind.name << ", round " << round;
  }
}

/// Threads that use it while another destroys it are served or refused, whatever they are in the middle of.
inline void expect_uses_outlived(const Kind& kind) {
  constexpr int kThreads = 2, kRounds = 10;
  for (int round = 0; round < kRounds; ++round) {
    const uint64_t object = kind.make();
    std::atomic<int> used{0}, ended{0};
    std::vector<std::thread> threads;
    for (int t = 0; t < kThreads; ++t)
      threads.emplace_back([&] {
        const auto end = std::chrono::steady_clock::now() + std::chrono::seconds(20);
        while (kind.use(object) == 0 && std::chrono::steady_clock::now() < end) ++used;
        EXPECT_LT(std::chrono::steady_clock::now(), end) << kind.name << " can be used for ever";
        ++ended;
      });
    while (used < 2 * kThreads && ended < kThreads) std::this_thread::yield();
    EXPECT_EQ(ended, 0) << kind.name << " can't be used";
    EXPECT_EQ(kind.destroy(object), 0) << kind.name;
    for (auto& t : threads) t.join();
  }
}

} // namespace bz::bad_input
