// SPDX-License-Identifier: Apache-2.0
// The causes of gaps, of work and times that are written down here.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <vector>

#include "analyzers/analysis/gaps.h"

namespace rondo::analyzers {
namespace {

constexpr double kMs = 1e6;
const ObjectId kFirstQueue = static_cast<ObjectId>(1), kSecondQueue = static_cast<ObjectId>(2);
const ObjectId kSemaphore = static_cast<ObjectId>(3);

// Builds a span: submits of one item each, and what the host did.
class GapScene {
 public:
  GapScene() { times_.tick = 1; }

  // A submit call that takes 10 us, and was made at the same time in the capture.
  std::uint32_t submit(ObjectId queue, double at) { return submit(queue, at, at); }
  std::uint32_t submit(ObjectId queue, double at, double captured) {
    call(CommandId::vkQueueSubmit, at, at + 1e4, captured, captured + 1e4);
    GapBatch batch;
    batch.record = record_;
    batch.queue = queue;
    for (std::uint32_t b = 0; b < work_.batches.size(); ++b)
      if (work_.batches[b].queue == queue) batch.before = b;
    work_.batches.push_back(batch);
    return static_cast<std::uint32_t>(work_.batches.size() - 1);
  }
  std::uint64_t call(CommandId command, double begin, double end, double captured_begin, double captured_end) {
    record_ += 1;
    work_.calls.push_back({record_, kZero + static_cast<std::uint64_t>(captured_begin),
                           kZero + static_cast<std::uint64_t>(captured_end), 1, command});
    times_.calls.push_back({record_, begin, end});
    return record_;
  }
  // A call that the capture has no times of.
  std::uint64_t untimed(CommandId command, double begin, double end) {
    record_ += 1;
    work_.calls.push_back({record_, 0, 0, 1, command});
    times_.calls.push_back({record_, begin, end});
    return record_;
  }
  std::uint32_t item(std::uint32_t batch, double begin, double end, std::uint64_t barrier = 0) {
    GapItem item;
    item.work.queue = work_.batches[batch].queue;
    item.batch = batch;
    item.begin = item.end = 0;
    item.barrier = barrier;
    item.barrier_command = CommandId::vkCmdPipelineBarrier;
    work_.items.push_back(item);
    times_.items.push_back({begin, end});
    times_.clocks.push_back({has_clock, uncertainty});
    return static_cast<std::uint32_t>(work_.items.size() - 1);
  }
  std::uint32_t untimed_item(std::uint32_t batch) {
    const std::uint32_t made = item(batch, GapTimes::kNoTime, GapTimes::kNoTime);
    return made;
  }
  void waits(std::uint32_t batch, std::uint32_t signal) {
    work_.batches[batch].waits.push_back({kSemaphore, signal, 0});
  }
  void waits_for_call(std::uint32_t batch, std::uint64_t record) {
    work_.batches[batch].waits.push_back({kSemaphore, GapWait::kNoBatch, record});
  }

  std::vector<Gap> gaps(bool is_paced = true) {
    times_.is_paced = is_paced;
    const Gaps found = find_gaps(work_, times_);
    double sum = 0, idle = 0;
    for (const Gap& gap : found.all) sum += gap.length;
    for (const GapQueue& queue : found.queues) idle += queue.idle;
    EXPECT_NEAR(sum, idle, 1) << "the parts are all of the gaps";
    return found.all;
  }
  Gaps all(bool is_paced) {
    times_.is_paced = is_paced;
    return find_gaps(work_, times_);
  }

  bool has_clock = true;
  double uncertainty = 1e3;

 private:
  static constexpr std::uint64_t kZero = 1'000'000'000'000;
  GapWork work_;
  GapTimes times_;
  std::uint64_t record_ = 0;
};

void expect(const Gap& gap, GapCause cause, double begin, double length) {
  EXPECT_EQ(word_of(gap.cause), word_of(cause));
  EXPECT_NEAR(gap.begin, begin, 2e4);
  EXPECT_NEAR(gap.length, length, 2e4);
}

TEST(Gaps, HostSleepsBetweenSubmits) {
  GapScene scene;
  const auto first = scene.submit(kFirstQueue, 0);
  scene.item(first, 2e4, 1 * kMs);
  const auto second = scene.submit(kFirstQueue, 6 * kMs);
  scene.item(second, 6.0105 * kMs, 7 * kMs);
  const auto gaps = scene.gaps();
  ASSERT_EQ(gaps.size(), 3u);  // before the first item: the submit, and its start
  expect(gaps[2], GapCause::host, 1 * kMs, 5.011 * kMs);
  EXPECT_EQ(gaps[2].call, 0u) << "between calls";
  EXPECT_EQ(gaps[2].submit, 2u);
}

TEST(Gaps, HostIsInACallByTheCapture) {
  // The replay's present returns at once; the program's took 4 ms.
  GapScene scene;
  const auto first = scene.submit(kFirstQueue, 0);
  scene.item(first, 2e4, 1 * kMs);
  const std::uint64_t present = scene.call(CommandId::vkQueuePresentKHR, 1.1 * kMs, 1.12 * kMs, 1.1 * kMs, 5.1 * kMs);
  const auto second = scene.submit(kFirstQueue, 5.5 * kMs);
  scene.item(second, 5.5105 * kMs, 7 * kMs);
  const auto gaps = scene.gaps();
  expect(gaps.back(), GapCause::host, 1 * kMs, 4.5 * kMs);
  EXPECT_EQ(gaps.back().call, present);
  EXPECT_NEAR(gaps.back().in_call, 4 * kMs, 1);
}

TEST(Gaps, HostIsInACallWithoutTimesByTheReplay) {
  GapScene scene;
  const auto first = scene.submit(kFirstQueue, 0);
  scene.item(first, 2e4, 1 * kMs);
  const std::uint64_t pipeline = scene.untimed(CommandId::vkCreateComputePipelines, 1.1 * kMs, 4.9 * kMs);
  const auto second = scene.submit(kFirstQueue, 5 * kMs);
  scene.item(second, 5.0105 * kMs, 7 * kMs);
  const auto gaps = scene.gaps();
  expect(gaps.back(), GapCause::host, 1 * kMs, 4 * kMs);
  EXPECT_EQ(gaps.back().call, pipeline);
}

TEST(Gaps, LateReplayIsThePlayers) {
  // The program submitted at 2 ms, the player at 6 ms.
  GapScene scene;
  const auto first = scene.submit(kFirstQueue, 0);
  scene.item(first, 2e4, 1 * kMs);
  const auto second = scene.submit(kFirstQueue, 6 * kMs, 2 * kMs);
  scene.item(second, 6.0105 * kMs, 7 * kMs);
  const auto gaps = scene.gaps();
  ASSERT_EQ(gaps.size(), 4u);
  expect(gaps[2], GapCause::host, 1 * kMs, 1 * kMs);
  expect(gaps[3], GapCause::player, 2 * kMs, 4 * kMs);
}

TEST(Gaps, LateReplayInAWaitIsTheHosts) {
  GapScene scene;
  const auto first = scene.submit(kFirstQueue, 0);
  scene.item(first, 2e4, 1 * kMs);
  const std::uint64_t wait = scene.call(CommandId::vkWaitForFences, 0.5 * kMs, 5.9 * kMs, 0.5 * kMs, 1.9 * kMs);
  const auto second = scene.submit(kFirstQueue, 6 * kMs, 2 * kMs);
  scene.item(second, 6.0105 * kMs, 7 * kMs);
  const auto gaps = scene.gaps();
  expect(gaps.back(), GapCause::host, 1 * kMs, 5 * kMs);
  EXPECT_EQ(gaps.back().call, wait);
}

TEST(Gaps, WaitsForASemaphoreOfAnotherQueue) {
  GapScene scene;
  const auto long_one = scene.submit(kFirstQueue, 0), before = scene.submit(kSecondQueue, 2e4),
             after = scene.submit(kSecondQueue, 4e4);
  scene.waits(after, long_one);
  const auto signal = scene.item(long_one, 2e4, 10 * kMs);
  scene.item(before, 4e4, 1 * kMs);
  scene.item(after, 10 * kMs, 11 * kMs);
  const auto gaps = scene.gaps();
  expect(gaps.back(), GapCause::semaphore, 1 * kMs, 9 * kMs);
  EXPECT_EQ(gaps.back().signal_batch, long_one);
  EXPECT_EQ(gaps.back().signal_item, signal);
}

TEST(Gaps, HostThenSemaphoreThenStart) {
  GapScene scene;
  const auto long_one = scene.submit(kFirstQueue, 0), before = scene.submit(kSecondQueue, 2e4);
  const auto after = scene.submit(kSecondQueue, 4 * kMs);
  scene.waits(after, long_one);
  scene.item(long_one, 2e4, 10 * kMs);
  scene.item(before, 4e4, 1 * kMs);
  scene.item(after, 12 * kMs, 13 * kMs);
  const auto gaps = scene.gaps();
  ASSERT_GE(gaps.size(), 3u);
  const std::size_t last = gaps.size() - 1;
  expect(gaps[last - 2], GapCause::host, 1 * kMs, 3 * kMs);
  expect(gaps[last - 1], GapCause::semaphore, 4 * kMs, 6 * kMs);
  expect(gaps[last], GapCause::start, 10 * kMs, 2 * kMs);
}

TEST(Gaps, WaitsForABatchWithoutItemsThatWaits) {
  // The batch between executes nothing: it waits for the first queue and passes that on.
  GapScene scene;
  const auto long_one = scene.submit(kFirstQueue, 0), before = scene.submit(kSecondQueue, 2e4),
             between = scene.submit(kSecondQueue, 4e4), after = scene.submit(kSecondQueue, 6e4);
  scene.waits(between, long_one);
  scene.item(long_one, 2e4, 10 * kMs);
  scene.item(before, 4e4, 1 * kMs);
  scene.item(after, 10 * kMs, 11 * kMs);
  const auto gaps = scene.gaps();
  expect(gaps.back(), GapCause::semaphore, 1 * kMs, 9 * kMs);
  EXPECT_EQ(gaps.back().signal_batch, long_one);
}

TEST(Gaps, WaitsForASignalOfTheHost) {
  GapScene scene;
  const auto before = scene.submit(kFirstQueue, 0), after = scene.submit(kFirstQueue, 2e4);
  const std::uint64_t signal = scene.call(CommandId::vkSignalSemaphore, 5 * kMs, 5.001 * kMs, 5 * kMs, 5.001 * kMs);
  scene.waits_for_call(after, signal);
  scene.item(before, 4e4, 1 * kMs);
  scene.item(after, 5.001 * kMs, 6 * kMs);
  const auto gaps = scene.gaps();
  expect(gaps.back(), GapCause::semaphore, 1 * kMs, 4 * kMs);
  EXPECT_EQ(gaps.back().signal_call, signal);
}

TEST(Gaps, BarrierDrainsTheQueue) {
  GapScene scene;
  const auto batch = scene.submit(kFirstQueue, 0);
  scene.item(batch, 2e4, 1 * kMs);
  scene.item(batch, 6 * kMs, 7 * kMs, 77);
  const auto gaps = scene.gaps();
  expect(gaps.back(), GapCause::barrier, 1 * kMs, 5 * kMs);
  EXPECT_EQ(gaps.back().barrier, 77u);
}

TEST(Gaps, NothingExplainsAGapWithinABatch) {
  GapScene scene;
  const auto batch = scene.submit(kFirstQueue, 0);
  scene.item(batch, 2e4, 1 * kMs);
  scene.item(batch, 6 * kMs, 7 * kMs);
  expect(scene.gaps().back(), GapCause::unexplained, 1 * kMs, 5 * kMs);
}

TEST(Gaps, ItemsWithoutTimesExplainNothing) {
  GapScene scene;
  const auto batch = scene.submit(kFirstQueue, 0);
  scene.item(batch, 2e4, 1 * kMs);
  scene.untimed_item(batch);
  scene.item(batch, 6 * kMs, 7 * kMs, 77);
  expect(scene.gaps().back(), GapCause::unexplained, 1 * kMs, 5 * kMs);
}

TEST(Gaps, ShorterThanTenTicks) {
  GapScene scene;
  const auto batch = scene.submit(kFirstQueue, 0);
  scene.item(batch, 2e4, 1 * kMs);
  scene.item(batch, 1 * kMs + 9, 7 * kMs, 77);
  const auto gaps = scene.gaps();
  EXPECT_EQ(word_of(gaps.back().cause), "below timer");
  EXPECT_NEAR(gaps.back().length, 9, 1e-6);
}

TEST(Gaps, ItemsThatOverlapLeaveNoGap) {
  GapScene scene;
  const auto batch = scene.submit(kFirstQueue, 0);
  scene.item(batch, 2e4, 9 * kMs);
  scene.item(batch, 1 * kMs, 2 * kMs);
  scene.item(batch, 3 * kMs, 10 * kMs);
  for (const Gap& gap : scene.gaps()) EXPECT_EQ(gap.after, Gap::kNone);
}

TEST(Gaps, WithoutAClockNothingWaitsForTheHost) {
  GapScene scene;
  scene.has_clock = false;
  const auto first = scene.submit(kFirstQueue, 0);
  scene.item(first, 0, 1 * kMs);
  const auto second = scene.submit(kFirstQueue, 6 * kMs);
  scene.item(second, 6.0105 * kMs, 7 * kMs);
  const auto gaps = scene.gaps();
  ASSERT_EQ(gaps.size(), 1u);
  EXPECT_EQ(word_of(gaps[0].cause), "unexplained");
}

TEST(Gaps, OnlyAnUnpacedReplayHasIt) {
  GapScene paced, unpaced;
  for (GapScene* scene : {&paced, &unpaced}) {
    const double late = scene == &unpaced ? 4 * kMs : 0.9 * kMs;
    const auto first = scene->submit(kFirstQueue, 0);
    scene->item(first, 2e4, 1 * kMs);
    const auto second = scene->submit(kFirstQueue, late, 0.9 * kMs);
    scene->item(second, std::max(late + 1e4, 1 * kMs), 7 * kMs);
  }
  const std::vector<Gap> only = only_unpaced(unpaced.all(false), paced.all(true));
  ASSERT_EQ(only.size(), 1u);
  expect(only[0], GapCause::player, 1 * kMs, 3 * kMs);
  EXPECT_TRUE(only[0].is_unpaced);
}

}  // namespace
}  // namespace rondo::analyzers
