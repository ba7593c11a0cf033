#include "gpu/doorbell.hpp"

#include "base/segv.hpp"

#include <csignal>
#include <gtest/gtest.h>
#include <thread>

namespace {
using namespace bz;
using namespace bz::gpu;

TEST(Doorbell, HotStoresArePlain) {
  ASSERT_TRUE(segv::install().ok());
  Bell bell;
  auto page = DoorbellPage::create(bell);
  ASSERT_TRUE(page.ok());
  auto slot = (*page)->take_slot();
  ASSERT_TRUE(slot.ok());
  EXPECT_EQ((*page)->read(*slot), DoorbellPage::kNeverRung);
  auto view = (*page)->map(nullptr, DoorbellPage::kBytes, false);
  ASSERT_TRUE(view.ok());
  uint32_t before = bell.value();
  static_cast<volatile uint64_t*>(*view)[*slot] = 17;
  EXPECT_EQ((*page)->read(*slot), 17u);
  EXPECT_EQ(bell.value(), before) << "no fault, no wake-up";
}

TEST(Doorbell, FirstStoreIntoACoolPageWakes) {
  ASSERT_TRUE(segv::install().ok());
  Bell bell;
  auto page = DoorbellPage::create(bell);
  ASSERT_TRUE(page.ok());
  auto* view = static_cast<volatile uint64_t*>(*(*page)->map(nullptr, 4096, false));
  (*page)->cool();
  EXPECT_FALSE((*page)->hot());
  EXPECT_EQ(view[3], DoorbellPage::kNeverRung) << "reading needs no fault";
  uint32_t before = bell.value();
  view[3] = 5;
  EXPECT_TRUE((*page)->hot());
  EXPECT_EQ((*page)->read(3), 5u);
  EXPECT_EQ(bell.value(), before + 1);
  view[4] = 6;
  EXPECT_EQ(bell.value(), before + 1) << "the second store is plain again";
}

TEST(Doorbell, AClientThatAsksFirstNeedsNoFault) {
  ASSERT_TRUE(segv::install().ok());
  Bell bell;
  auto page = DoorbellPage::create(bell);
  ASSERT_TRUE(page.ok());
  auto* view = static_cast<volatile uint64_t*>(*(*page)->map(nullptr, 4096, false));
  EXPECT_EQ((*page)->wake(reinterpret_cast<uintptr_t>(&bell)), nullptr) << "no doorbell";
  const auto* awake = static_cast<const volatile uint8_t*>((*page)->wake(reinterpret_cast<uintptr_t>(view + 3)));
  ASSERT_NE(awake, nullptr);
  EXPECT_EQ(*awake, 1);
  (*page)->cool();
  EXPECT_EQ(*awake, 0);
  uint32_t before = bell.value();
  EXPECT_EQ((*page)->wake(reinterpret_cast<uintptr_t>(view + 3)), awake);
  EXPECT_EQ(*awake, 1);
  EXPECT_EQ(bell.value(), before + 1);
  // Nobody would take a fault now.
  struct sigaction ours{}, none{};
  none.sa_handler = SIG_DFL;
  sigaction(SIGSEGV, &none, &ours);
  view[3] = 5;
  sigaction(SIGSEGV, &ours, nullptr);
  EXPECT_EQ((*page)->read(3), 5u);
}

TEST(Doorbell, NoStoreIsLostBetweenCoolingAndSleeping) {
  ASSERT_TRUE(segv::install().ok());
  Bell bell;
  auto page = DoorbellPage::create(bell);
  ASSERT_TRUE(page.ok());
  auto* view = static_cast<volatile uint64_t*>(*(*page)->map(nullptr, 4096, false));
  constexpr uint64_t kStores = 300;
  std::atomic<uint64_t> seen{0};
  std::thread sleeper([&] {
    while (seen < kStores) {
      uint32_t value = bell.value();
      (*page)->cool();
      uint64_t now = (*page)->read(0);
      if (now != DoorbellPage::kNeverRung && now > seen) {
        seen = now;
        continue;
      }
      bell.wait(value, 0); // would hang for ever on a lost store
    }
  });
  for (uint64_t i = 1; i <= kStores; ++i) {
    view[0] = i;
    while (seen < i) std::this_thread::yield();
  }
  sleeper.join();
  EXPECT_EQ(seen, kStores);
}

TEST(Doorbell, SlotsRunOutAndComeBack) {
  ASSERT_TRUE(segv::install().ok());
  Bell bell;
  auto page = DoorbellPage::create(bell);
  ASSERT_TRUE(page.ok());
  for (uint32_t i = 0; i < DoorbellPage::kSlots; ++i) ASSERT_TRUE((*page)->take_slot().ok());
  EXPECT_EQ((*page)->take_slot().status().code(), Code::out_of_resources);
  (*page)->release_slot(9);
  auto slot = (*page)->take_slot();
  ASSERT_TRUE(slot.ok());
  EXPECT_EQ(*slot, 9u);
  EXPECT_FALSE((*page)->map(nullptr, DoorbellPage::kBytes + 1, false).ok());
}

} // namespace
