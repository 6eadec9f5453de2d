// SPDX-License-Identifier: Apache-2.0
// The one loop over the records of a capture.
#include <gtest/gtest.h>

#include "model/stream.h"
#include "tests/unit/format_support.h"
#include "tests/unit/handles.h"
#include "tests/unit/synthetic_capture.h"

namespace rondo::model {
namespace {

using test::handle;
using test::SyntheticCapture;

const auto kQueue = handle<VkQueue>(0x20);
const auto kFence = handle<VkFence>(0x30);

Record record_of(bool two_part, bool has_return, std::int64_t value = 0) {
  Record record;
  record.flags = two_part ? kRecordTwoPart : 0;
  record.has_return = has_return;
  record.return_value = value;
  return record;
}

TEST(StreamSucceeded, IsSaidByTheResult) {
  const codec::CommandInfo& create = codec::info(CommandId::vkCreateBuffer);
  EXPECT_TRUE(succeeded(create, record_of(false, true, VK_SUCCESS)));
  EXPECT_TRUE(succeeded(create, record_of(false, true, VK_INCOMPLETE)));
  EXPECT_FALSE(succeeded(create, record_of(false, true, VK_ERROR_OUT_OF_HOST_MEMORY)));
  EXPECT_TRUE(succeeded(codec::info(CommandId::vkCmdDraw), record_of(false, false)));
  // A result that is no VkResult says nothing of success.
  EXPECT_TRUE(succeeded(codec::info(CommandId::vkGetBufferDeviceAddress), record_of(false, true, -5)));
}

TEST(StreamSucceeded, OfAnUnfinishedCallHoldsForWhatGivesWorkToAQueue) {
  for (const CommandId id : {CommandId::vkQueueSubmit, CommandId::vkQueueSubmit2, CommandId::vkQueuePresentKHR}) {
    EXPECT_TRUE(succeeded(codec::info(id), record_of(true, false))) << codec::info(id).name;
    EXPECT_FALSE(succeeded(codec::info(id), record_of(true, true, VK_ERROR_DEVICE_LOST))) << codec::info(id).name;
  }
  for (const CommandId id : {CommandId::vkBeginCommandBuffer, CommandId::vkResetFences, CommandId::vkFreeDescriptorSets,
                             CommandId::vkQueueBindSparse, CommandId::vkSignalSemaphore})
    EXPECT_FALSE(succeeded(codec::info(id), record_of(true, false))) << codec::info(id).name;
}

class StreamTest : public ::testing::Test {
 protected:
  void submit(std::uint32_t batches, bool ends = true) {
    VkSubmitInfo info{};
    info.sType = VK_STRUCTURE_TYPE_SUBMIT_INFO;
    const std::vector<VkSubmitInfo> infos(batches, info);
    const args_vkQueueSubmit args{kQueue, batches, infos.data(), VK_NULL_HANDLE};
    if (ends)
      capture_.call(CommandId::vkQueueSubmit, args, {.result = VK_SUCCESS});
    else
      capture_.call_without_end(CommandId::vkQueueSubmit, args);
  }
  void present() {
    VkPresentInfoKHR info{};
    info.sType = VK_STRUCTURE_TYPE_PRESENT_INFO_KHR;
    capture_.call(CommandId::vkQueuePresentKHR, args_vkQueuePresentKHR{kQueue, &info}, {.result = VK_SUCCESS});
  }
  std::unique_ptr<Reader> open() {
    capture_.finish();
    auto reader = Reader::open(file_.path());
    EXPECT_TRUE(reader) << (reader ? "" : reader.error().message);
    return std::move(*reader);
  }

  test::TemporaryFile file_;
  SyntheticCapture capture_{file_.path()};
};

TEST_F(StreamTest, CountsFramesAndSubmits) {
  submit(2);
  present();
  submit(1);
  submit(0);
  present();
  const auto reader = open();
  Stream stream(*reader);
  Step step;
  struct Expected {
    std::uint64_t frame, submit, submits;
    bool present;
  };
  for (const Expected& one :
       {Expected{0, 0, 2, false}, {0, 2, 0, true}, {1, 2, 1, false}, {1, 3, 0, false}, {1, 3, 0, true}}) {
    const auto more = stream.next(step);
    ASSERT_TRUE(more && *more);
    EXPECT_EQ(step.frame, one.frame);
    EXPECT_EQ(step.submit, one.submit);
    EXPECT_EQ(step.submits, one.submits);
    EXPECT_EQ(step.present, one.present);
    EXPECT_TRUE(step.is_call());
  }
  const auto end = stream.next(step);
  EXPECT_TRUE(end && !*end);
  // Again, from the begin.
  ASSERT_TRUE(stream.rewind());
  const auto again = stream.next(step);
  ASSERT_TRUE(again && *again);
  EXPECT_EQ(step.frame, 0u);
  EXPECT_EQ(step.submit, 0u);
  EXPECT_EQ(step.record.sequence, 1u);
}

TEST_F(StreamTest, CountsACutFromItsMarkOn) {
  submit(1);
  present();
  capture_.call(CommandId::rondoCut, args_rondoCut{});
  submit(1);
  present();
  const auto reader = open();
  Stream stream(*reader);
  stream.expect_cut();
  Step step;
  for (int i = 0; i < 3; ++i) {
    const auto more = stream.next(step);
    ASSERT_TRUE(more && *more);
    EXPECT_EQ(step.submits, 0u);
    EXPECT_FALSE(step.present);
    EXPECT_EQ(stream.in_front(), i != 2);
  }
  const auto more = stream.next(step);
  ASSERT_TRUE(more && *more);
  EXPECT_EQ(step.submit, 0u);
  EXPECT_EQ(step.submits, 1u);
  ASSERT_TRUE(stream.rewind());
  EXPECT_TRUE(stream.in_front());
}

TEST_F(StreamTest, ResolvesObjectsOfWhatSucceededOnly) {
  VkFenceCreateInfo info{};
  info.sType = VK_STRUCTURE_TYPE_FENCE_CREATE_INFO;
  VkFence made = kFence;
  const args_vkCreateFence args{handle<VkDevice>(0x40), &info, nullptr, &made};
  capture_.call(CommandId::vkCreateFence, args, {.result = VK_ERROR_OUT_OF_HOST_MEMORY});
  capture_.call(CommandId::vkCreateFence, args, {.result = VK_SUCCESS});
  const auto reader = open();
  ObjectTable table;
  Stream stream(*reader, &table);
  Step step;
  ASSERT_TRUE(*stream.next(step));
  EXPECT_FALSE(step.succeeded());
  EXPECT_TRUE(stream.resolution().created.empty());
  ASSERT_TRUE(*stream.next(step));
  ASSERT_EQ(stream.resolution().created.size(), 1u);
  EXPECT_EQ(table.objects()[stream.resolution().created[0]].type, HandleType::VkFence);
}

TEST_F(StreamTest, NamesTheRecordThatIsNotWhatItsCommandTakes) {
  submit(1);
  const auto reader = open();
  Stream stream(*reader);
  Step step;
  ASSERT_TRUE(*stream.fetch(step));
  step.record.payload = step.record.payload.first(step.record.payload.size() - 1);
  const auto decoded = stream.decode(step);
  ASSERT_FALSE(decoded);
  EXPECT_EQ(stream.at(step, decoded.error()).message.find(file_.path() + ": record 1: "), 0u);
}

TEST_F(StreamTest, ChecksThatStepsAreResolvedInTheirOrder) {
  submit(1);
  submit(1);
  const auto reader = open();
  Stream stream(*reader);
  Step first, second;
  ASSERT_TRUE(*stream.fetch(first));
  EXPECT_EXIT(stream.resolve(first), ::testing::KilledBySignal(SIGABRT), "model/stream.cpp:[0-9]+: .*decoded_");
  ASSERT_TRUE(stream.decode(first));
  stream.resolve(first);
  ASSERT_TRUE(*stream.fetch(second));
  ASSERT_TRUE(stream.decode(second));
  EXPECT_EXIT(stream.resolve(first), ::testing::KilledBySignal(SIGABRT), "does not hold");
  stream.resolve(second);
  ASSERT_TRUE(stream.decode(first));  // read again, but too late
  EXPECT_EXIT(stream.resolve(first), ::testing::KilledBySignal(SIGABRT), "resolved_ does not hold");
}

}  // namespace
}  // namespace rondo::model
