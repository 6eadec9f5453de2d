// SPDX-License-Identifier: Apache-2.0
// Frames, submits and scopes, found in calls told one after the other.
#include "format/spans.h"

#include <gtest/gtest.h>

#include "generated/args.h"

namespace rondo {
namespace {

VkQueue queue(std::uintptr_t value) { return reinterpret_cast<VkQueue>(value); }
VkCommandBuffer commands(std::uintptr_t value) { return reinterpret_cast<VkCommandBuffer>(value); }

class Told {
 public:
  template <class Args>
  std::uint64_t call(CommandId id, const Args& args, std::uint32_t thread = 0) {
    finder.take({codec::info(id), &args, ++sequence_, thread, true, VK_SUCCESS, sequence_ * 10, sequence_ * 10 + 5});
    return sequence_;
  }
  std::uint64_t submit(std::vector<VkCommandBuffer> buffers, std::uintptr_t to = 1, std::uint32_t batches = 1) {
    VkSubmitInfo info{};
    info.commandBufferCount = static_cast<std::uint32_t>(buffers.size());
    info.pCommandBuffers = buffers.data();
    std::vector<VkSubmitInfo> all(batches);
    all.front() = info;
    return call(CommandId::vkQueueSubmit, args_vkQueueSubmit{queue(to), batches, all.data(), VK_NULL_HANDLE});
  }
  std::uint64_t present() {
    const VkPresentInfoKHR info{};
    return call(CommandId::vkQueuePresentKHR, args_vkQueuePresentKHR{queue(1), &info});
  }
  std::uint64_t wait() { return call(CommandId::vkQueueWaitIdle, args_vkQueueWaitIdle{queue(1)}); }
  void begin_label(std::uintptr_t buffer, const char* name) {
    VkDebugUtilsLabelEXT label{};
    label.pLabelName = name;
    call(CommandId::vkCmdBeginDebugUtilsLabelEXT, args_vkCmdBeginDebugUtilsLabelEXT{commands(buffer), &label});
  }
  void end_label(std::uintptr_t buffer) {
    call(CommandId::vkCmdEndDebugUtilsLabelEXT, args_vkCmdEndDebugUtilsLabelEXT{commands(buffer)});
  }
  std::uint64_t enter(const char* name, std::uint32_t thread = 0) {
    return call(CommandId::rondoScopeBegin, args_rondoScopeBegin{name}, thread);
  }
  std::uint64_t leave(std::uint32_t thread = 0) {
    return call(CommandId::rondoScopeEnd, args_rondoScopeEnd{0}, thread);
  }
  // Once a finder: more may be told to this one.
  SpanFinder finished() const {
    SpanFinder copy = finder;
    copy.finish();
    return copy;
  }
  Span find(const SpanRequest& request) const {
    const auto found = finished().find(request, "x.rondo");
    EXPECT_TRUE(found) << found.error().message;
    return found ? *found : Span{};
  }
  std::string why(const SpanRequest& request) const {
    const auto found = finished().find(request, "x.rondo");
    EXPECT_FALSE(found);
    return found ? "" : found.error().message;
  }
  SpanFinder finder;

 private:
  std::uint64_t sequence_ = 0;
};

SpanRequest scope(const std::string& text) { return *parse_scope(text); }
SpanRequest range(const std::string& text, SpanRequest::Kind kind) { return *parse_range(text, kind, "--x"); }
bool contains(const std::string& text, const std::string& part) { return text.find(part) != std::string::npos; }

TEST(Spans, FramesGoFromBehindOnePresentToTheNext) {
  Told told;
  told.submit({});
  const auto first = told.present();
  told.submit({});
  const auto second = told.present();
  const Span span = told.find(range("1:2", SpanRequest::Kind::frames));
  EXPECT_EQ(span.records.first, first + 1);
  EXPECT_EQ(span.records.last, second);
  EXPECT_TRUE(
      contains(told.why(range("1:3", SpanRequest::Kind::frames)), "there are no frames 1:3: it has 2 frames, 0:2"));
  EXPECT_TRUE(contains(told.why(range("2:3", SpanRequest::Kind::frames)), "there is no frame 2: it has 2 frames, 0:2"));
  EXPECT_TRUE(
      contains(told.why(range("2:9", SpanRequest::Kind::submits)), "there are no submits 2:9: it has 2 submits, 0:2"));
}

TEST(Spans, WhatACutPutsBackIsNotCounted) {
  Told told;
  told.enter("outer");
  told.submit({});
  told.present();
  told.enter("gone");
  told.leave();
  const auto cut = told.call(CommandId::rondoCut, args_rondoCut{900, 12, 30});
  const auto submit = told.submit({});
  const auto present = told.present();
  told.leave();
  EXPECT_EQ(told.finder.frames(), 1u);
  EXPECT_EQ(told.finder.submits(), 1u);
  EXPECT_EQ(told.find(range("0:1", SpanRequest::Kind::frames)).records.first, cut + 1);
  EXPECT_EQ(told.find(range("0:1", SpanRequest::Kind::frames)).records.last, present);
  EXPECT_EQ(told.find(SpanRequest{}).records.first, submit);
  // A scope that is open there begins with the cut; one that is not is not there.
  EXPECT_EQ(told.find(scope("outer")).records.first, cut);
  EXPECT_TRUE(contains(told.why(scope("gone")), "there is no scope"));
}

TEST(Spans, WhatACutMakesAgainIsNotCounted) {
  Told told;
  told.finder.expect_cut();
  told.submit({});
  told.call(CommandId::rondoPrelude, args_rondoPrelude{700});
  const auto again = told.submit({});
  told.submit({});
  EXPECT_FALSE(told.finder.is_whole(range("0:1", SpanRequest::Kind::submits)));
  told.call(CommandId::rondoCut, args_rondoCut{900, 12, 30});
  const auto submit = told.submit({});
  EXPECT_FALSE(told.finder.is_whole(range("0:1", SpanRequest::Kind::submits)));
  told.submit({});
  EXPECT_TRUE(told.finder.is_whole(range("0:1", SpanRequest::Kind::submits)));
  EXPECT_EQ(told.finder.submits(), 2u);
  EXPECT_EQ(told.find(SpanRequest{}).records.first, submit);
  EXPECT_EQ(told.finder.first_of_program(), again);
}

TEST(Spans, TheFirstSubmitOfAProgramIsNotOneOfACut) {
  Told told;
  told.submit({});
  told.call(CommandId::rondoCut, args_rondoCut{900, 12, 30});
  const auto submit = told.submit({});
  EXPECT_EQ(told.finder.first_of_program(), submit);
}

TEST(Spans, SubmitsGoToWhatWaitedForThem) {
  Told told;
  const auto first = told.submit({});
  const auto waited = told.wait();
  const auto second = told.submit({}, 1, 2);  // two batches
  told.present();
  EXPECT_EQ(told.find(range("0:1", SpanRequest::Kind::submits)).records.first, first);
  EXPECT_EQ(told.find(range("0:1", SpanRequest::Kind::submits)).records.last, waited);
  EXPECT_EQ(told.find(range("1:2", SpanRequest::Kind::submits)).records.last, second);
  EXPECT_EQ(told.find(range("2:3", SpanRequest::Kind::submits)).records.first, second);
  EXPECT_EQ(told.finder.submits(), 3u);
}

TEST(Spans, ATimelineThatHasMovedWasWaitedFor) {
  Told told;
  const auto semaphore = reinterpret_cast<VkSemaphore>(std::uintptr_t{7});
  const auto poll = [&](std::uint64_t value) {
    return told.call(CommandId::vkGetSemaphoreCounterValue,
                     args_vkGetSemaphoreCounterValue{nullptr, semaphore, &value});
  };
  told.submit({});
  poll(0);
  const auto moved = poll(1);
  poll(1);
  const auto second = told.submit({});
  poll(1);
  told.call(CommandId::vkDestroySemaphore, args_vkDestroySemaphore{nullptr, semaphore, nullptr});
  const auto again = poll(1);  // another one
  EXPECT_EQ(told.find(range("0:1", SpanRequest::Kind::submits)).records.last, moved);
  EXPECT_EQ(told.find(range("1:2", SpanRequest::Kind::submits)).records.first, second);
  EXPECT_EQ(told.find(range("1:2", SpanRequest::Kind::submits)).records.last, again);
}

TEST(Spans, LabelsOfCommandBuffersAreWhereTheyAreSubmitted) {
  Told told;
  told.begin_label(7, "outer");
  told.begin_label(7, "inner");
  told.end_label(7);
  told.end_label(7);
  const auto one = told.submit({commands(7)});
  told.wait();
  const auto two = told.submit({commands(7)});
  const Span all = told.find(scope("inner"));
  EXPECT_EQ(all.records.first, one);
  EXPECT_EQ(all.records.last, two);
  EXPECT_EQ(all.intervals.size(), 2u);
  EXPECT_EQ(told.find(scope("outer#1")).records.first, two);
}

TEST(Spans, LabelsGoOnInTheNextCommandBufferOfTheQueue) {
  Told told;
  told.begin_label(7, "long");
  told.end_label(8);
  const auto one = told.submit({commands(7)}, 1);
  told.submit({}, 2);
  const auto two = told.submit({commands(8)}, 1);
  const Span span = told.find(scope("long"));
  EXPECT_EQ(span.records.first, one);
  EXPECT_EQ(span.records.last, two);
  EXPECT_EQ(told.finder.submits_in(span.records), 3u);
}

TEST(Spans, LabelsOfSecondariesAreThoseOfWhatExecutesThem) {
  Told told;
  told.begin_label(9, "inside");
  told.end_label(9);
  const VkCommandBuffer secondary = commands(9);
  told.call(CommandId::vkCmdExecuteCommands, args_vkCmdExecuteCommands{commands(7), 1, &secondary});
  const auto one = told.submit({commands(7)});
  EXPECT_EQ(told.find(scope("inside")).records.first, one);
  // Recorded anew, it has none.
  const VkCommandBufferBeginInfo info{};
  told.call(CommandId::vkBeginCommandBuffer, args_vkBeginCommandBuffer{commands(7), &info});
  told.submit({commands(7)});
  EXPECT_EQ(told.find(scope("inside")).intervals.size(), 1u);
}

TEST(Spans, LabelsInLabelsForEverAreRefused) {
  Told told;
  told.begin_label(1, "bomb");
  told.end_label(1);
  for (std::uintptr_t i = 1; i < 40; ++i) {
    const VkCommandBuffer twice[] = {commands(i), commands(i)};
    told.call(CommandId::vkCmdExecuteCommands, args_vkCmdExecuteCommands{commands(i + 1), 2, twice});
  }
  told.submit({commands(40)});
  EXPECT_TRUE(contains(told.why(scope("bomb")), "more than can be followed"));
  EXPECT_EQ(told.find(range("0:1", SpanRequest::Kind::submits)).intervals.size(), 1u);
}

TEST(Spans, ScopesOfTheHostNestPerThread) {
  Told told;
  const auto outer = told.enter("step", 1);
  const auto other = told.enter("step", 2);
  told.enter("part", 1);
  told.submit({});
  told.leave(1);
  const auto other_end = told.leave(2);
  const auto outer_end = told.leave(1);
  EXPECT_EQ(told.find(scope("step#0")).records.first, outer);
  EXPECT_EQ(told.find(scope("step#0")).records.last, outer_end);
  EXPECT_EQ(told.find(scope("step#1")).records.first, other);
  EXPECT_EQ(told.find(scope("step#1")).records.last, other_end);
}

TEST(Spans, WhatIsWrongWithAScopeIsSaid) {
  Told told;
  told.leave();
  told.enter("prefill");
  told.submit({});
  EXPECT_TRUE(contains(told.why(scope("prefill")), "\"prefill\"#0 began in record 2 and never ended"));
  EXPECT_TRUE(contains(told.why(scope("prefil")), "there is no scope \"prefil\"; the nearest names are \"prefill\""));
  EXPECT_TRUE(contains(told.why(scope("prefil")), "ended before one began, the first in record 1"));
  EXPECT_TRUE(contains(told.why(scope("prefill#4")), "was entered 1 time: there is no #4"));
}

TEST(Spans, EveryCaptureHasItsBeginAndItsEnd) {
  Told told;
  told.call(CommandId::vkDeviceWaitIdle, args_vkDeviceWaitIdle{});
  const auto submitted = told.submit({});
  const auto waited = told.wait();
  const auto last = told.call(CommandId::vkDestroyDevice, args_vkDestroyDevice{});
  EXPECT_EQ(told.find(scope("init")).records.last, submitted - 1);
  EXPECT_EQ(told.find(scope("deinit")).records.first, waited + 1);
  EXPECT_EQ(told.find(scope("deinit")).records.last, last);
  const Span whole = told.find({});
  EXPECT_EQ(whole.records.first, submitted);
  EXPECT_EQ(whole.records.last, waited);
}

TEST(Spans, RequestsAreRead) {
  EXPECT_EQ(scope("a#b#3").name, "a#b");
  EXPECT_EQ(scope("a#b#3").occurrence, 3u);
  EXPECT_EQ(scope("a#b").name, "a#b");
  EXPECT_EQ(scope("#1").name, "#1");
  EXPECT_EQ(parse_range("5", SpanRequest::Kind::frames, "--frames")->first, 5u);
  EXPECT_EQ(parse_range("5", SpanRequest::Kind::frames, "--frames")->last, 6u);
  for (const char* text : {"", "1:", ":1", "18446744073709551615", "1:x", "2:1", "1:1", "-1:2"})
    EXPECT_FALSE(parse_range(text, SpanRequest::Kind::frames, "--frames")) << text;
  EXPECT_TRUE(parse_scope(""));  // scopes may have no name
}

TEST(Spans, TheInnermostScopeIsTheShortestThatHoldsARecord) {
  Told told;
  told.enter("outer");
  told.enter("inner");
  const std::uint64_t within = told.submit({});
  told.leave();
  const std::uint64_t around = told.submit({});
  told.enter("inner");
  const std::uint64_t again = told.submit({});
  told.leave();
  told.leave();
  const std::uint64_t outside = told.submit({});
  told.finder.finish();
  EXPECT_EQ(innermost_scope(told.finder.scopes(), within), "inner#0");
  EXPECT_EQ(innermost_scope(told.finder.scopes(), around), "outer#0");
  EXPECT_EQ(innermost_scope(told.finder.scopes(), again), "inner#1");
  EXPECT_EQ(innermost_scope(told.finder.scopes(), outside), "");
}

}  // namespace
}  // namespace rondo
