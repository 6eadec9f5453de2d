// SPDX-License-Identifier: Apache-2.0
// Plans built from small captures: no device is touched.
#include <gtest/gtest.h>

#include <cstring>
#include <fstream>
#include <random>

#include "player/run/polls.h"
#include "tests/unit/player_scene.h"

namespace rondo::player {
namespace {

using test::Call;
using test::handle;
using test::kDevice;
using test::kPhysical;
using test::kQueue;
using test::of_type;
using test::ok;

Call result(VkResult r) { return {.result = r}; }

class PlayerPlan : public test::PlayerScene {
 protected:
  void submit() { PlayerScene::submit(); }
  static std::size_t count(const Plan& plan, CommandId command) {
    std::size_t n = 0;
    for (const Op& op : plan.ops) n += op.command == command;
    return n;
  }
};

TEST_F(PlayerPlan, KeepsWhatChangesSomethingOnly) {
  create_fence();
  VkPhysicalDeviceProperties properties{};
  properties.vendorID = 7;
  capture.call(CommandId::vkGetPhysicalDeviceProperties, args_vkGetPhysicalDeviceProperties{kPhysical, &properties});
  capture.finish();
  const auto plan = build();
  ASSERT_TRUE(plan) << plan.error().message;
  EXPECT_EQ(count(**plan, CommandId::vkCreateFence), 1u);
  EXPECT_EQ(count(**plan, CommandId::vkGetPhysicalDeviceProperties), 0u);
  ASSERT_EQ((*plan)->devices.size(), 1u);
  const CapturedPhysicalDevice& physical = (*plan)->physical_devices[(*plan)->devices[0].physical];
  EXPECT_TRUE(physical.has_properties);
  EXPECT_EQ(physical.properties.vendorID, 7u);
}

TEST_F(PlayerPlan, WaitsForWhatWasReadyAndForNothingElse) {
  const VkFence fence = create_fence(VK_FENCE_CREATE_SIGNALED_BIT);
  const args_vkGetFenceStatus status{kDevice, fence};
  capture.call(CommandId::vkGetFenceStatus, status, result(VK_NOT_READY));
  capture.call(CommandId::vkGetFenceStatus, status, result(VK_NOT_READY));
  capture.call(CommandId::vkGetFenceStatus, status, ok());
  capture.call(CommandId::vkWaitForFences, args_vkWaitForFences{kDevice, 1, &fence, VK_TRUE, 5}, result(VK_TIMEOUT));
  capture.call(CommandId::vkWaitForFences, args_vkWaitForFences{kDevice, 1, &fence, VK_TRUE, 5}, ok());
  capture.finish();
  const auto plan = build();
  ASSERT_TRUE(plan) << plan.error().message;
  EXPECT_EQ(count(**plan, CommandId::vkGetFenceStatus), 1u);
  EXPECT_EQ(count(**plan, CommandId::vkWaitForFences), 1u);
}

TEST_F(PlayerPlan, SaysOfAWaitHowOftenTheProgramPolled) {
  const VkFence fence = create_fence(VK_FENCE_CREATE_SIGNALED_BIT);
  const args_vkGetFenceStatus status{kDevice, fence};
  const auto poll = [&](VkResult answer, std::uint64_t at) {
    capture.call(CommandId::vkGetFenceStatus, status, {.result = answer, .start_ns = at, .end_ns = at + 300});
  };
  poll(VK_NOT_READY, 1'000);
  poll(VK_NOT_READY, 2'000);
  poll(VK_SUCCESS, 900'000);
  capture.finish();
  const auto plan = build();
  ASSERT_TRUE(plan) << plan.error().message;
  const auto is_poll = [](const Op& op) { return op.command == CommandId::vkGetFenceStatus; };
  const auto found = std::ranges::find_if((*plan)->ops, is_poll);
  ASSERT_NE(found, (*plan)->ops.end());
  EXPECT_EQ(found->poll_ns, 700);
}

TEST_F(PlayerPlan, KnowsWhichWaitsAreBehindTheEndOfAllSubmits) {
  const VkFence first = create_fence(), second = create_fence();
  const auto wait = [&](const VkFence& fence) {
    capture.call(CommandId::vkWaitForFences, args_vkWaitForFences{kDevice, 1, &fence, VK_TRUE, UINT64_MAX}, ok());
  };
  PlayerScene::submit({}, first);
  PlayerScene::submit({}, second);
  wait(first);
  wait(second);
  submit();
  wait(second);
  capture.call(CommandId::vkDeviceWaitIdle, args_vkDeviceWaitIdle{kDevice}, ok());
  capture.finish();
  const auto plan = build();
  ASSERT_TRUE(plan) << plan.error().message;
  std::vector<bool> ends;
  for (const Op& op : (*plan)->ops)
    if (op.command == CommandId::vkWaitForFences || op.command == CommandId::vkDeviceWaitIdle)
      ends.push_back(op.ends_submits);
  EXPECT_EQ(ends, (std::vector<bool>{false, true, false, true}));
}

TEST(PlayerPolls, AreOfOneCallOfOneThreadAndNotFarApart) {
  std::uint64_t now = 1'000'000;
  Polls polls;
  const std::byte fences[2]{};
  const auto answer = [&](VkResult result, std::uint64_t apart, std::uint32_t thread = 1, std::size_t fence = 1) {
    Record record;
    record.thread = thread;
    record.has_return = record.has_times = true;
    record.return_value = result;
    record.start_ns = now += apart;
    record.end_ns = now += 300;
    record.payload = std::span(fences).first(fence);
    return polls.take(record, codec::info(CommandId::vkGetFenceStatus));
  };
  const auto asked_before = [&](std::uint64_t apart, std::uint32_t thread = 1, std::size_t fence = 1) {
    EXPECT_EQ(answer(VK_NOT_READY, apart, thread, fence), 0);
  };
  for (int i = 0; i < 2; ++i) {
    asked_before(9'000);
    asked_before(2'000);
    EXPECT_EQ(answer(VK_SUCCESS, 400'000), 2'000);  // those between are not recorded
    EXPECT_EQ(answer(VK_SUCCESS, 1'000), 0);
  }
  asked_before(9'000);
  asked_before(70'000);
  EXPECT_EQ(answer(VK_SUCCESS, 1'000), 0) << "slept";
  asked_before(1'000);
  EXPECT_EQ(answer(VK_SUCCESS, 1'000), 0) << "asked once";
  asked_before(1'000, 1);
  asked_before(1'000, 2);
  EXPECT_EQ(answer(VK_SUCCESS, 1'000, 1), 0) << "the other thread asked";
  EXPECT_EQ(answer(VK_SUCCESS, 1'000, 2), 0) << "and here, once";
  asked_before(1'000, 1, 1);
  asked_before(1'000, 1, 2);
  EXPECT_EQ(answer(VK_SUCCESS, 1'000, 1, 2), 0) << "of two fences";
}

TEST_F(PlayerPlan, DoesNotRepeatCallsThatFailed) {
  VkMemoryAllocateInfo info{};
  info.sType = VK_STRUCTURE_TYPE_MEMORY_ALLOCATE_INFO;
  info.allocationSize = VkDeviceSize{1} << 60;
  VkDeviceMemory memory = VK_NULL_HANDLE;
  capture.call(CommandId::vkAllocateMemory, args_vkAllocateMemory{kDevice, &info, nullptr, &memory},
               result(VK_ERROR_OUT_OF_DEVICE_MEMORY));
  capture.finish();
  const auto plan = build();
  ASSERT_TRUE(plan) << plan.error().message;
  EXPECT_EQ(count(**plan, CommandId::vkAllocateMemory), 0u);
}

TEST_F(PlayerPlan, RefusesAnObjectThatNothingMade) {
  capture.call(CommandId::vkGetFenceStatus, args_vkGetFenceStatus{kDevice, handle<VkFence>(0x50)}, ok());
  capture.finish();
  fails(build(), Status::unreadable, "VkFence 0x50");
}

TEST_F(PlayerPlan, RefusesUnsupportedCommandsByName) {
  const VkBufferDeviceAddressInfo about{VK_STRUCTURE_TYPE_BUFFER_DEVICE_ADDRESS_INFO, nullptr, handle<VkBuffer>(0x90)};
  capture.call(CommandId::vkGetBufferOpaqueCaptureAddress, args_vkGetBufferOpaqueCaptureAddress{kDevice, &about},
               {.result = 1});
  capture.finish();
  fails(build(), Status::failed, "vkGetBufferOpaqueCaptureAddress is not supported");
}

// No layer of Rondo's writes one: the queue flag and the features are hidden.
TEST_F(PlayerPlan, RefusesCommandsThatAreEncodedOtherwise) {
  const test::TemporaryFile other("other.rondo");
  test::SyntheticCapture written(other.path(), CommandId::vkDeviceWaitIdle);
  written.call(CommandId::vkDeviceWaitIdle, args_vkDeviceWaitIdle{kDevice}, ok());
  written.finish();
  auto reader = Reader::open(other.path(), {});
  ASSERT_TRUE(reader);
  fails(build_plan(**reader, {}), Status::unreadable,
        "record 1: vkDeviceWaitIdle is unknown to this build, or encoded otherwise");
}

TEST_F(PlayerPlan, RefusesImportedMemory) {
  auto import = of_type<VkImportMemoryFdInfoKHR>(VK_STRUCTURE_TYPE_IMPORT_MEMORY_FD_INFO_KHR);
  import.handleType = VK_EXTERNAL_MEMORY_HANDLE_TYPE_OPAQUE_FD_BIT;
  auto info = of_type<VkMemoryAllocateInfo>(VK_STRUCTURE_TYPE_MEMORY_ALLOCATE_INFO);
  info.pNext = &import;
  info.allocationSize = 64;
  create<VkDeviceMemory, args_vkAllocateMemory>(CommandId::vkAllocateMemory, info);
  capture.finish();
  fails(build(), Status::failed, "VkImportMemoryFdInfoKHR");
}

TEST_F(PlayerPlan, RefusesMissingParameters) {
  capture.call(CommandId::vkQueueSubmit, args_vkQueueSubmit{kQueue, 3, nullptr, VK_NULL_HANDLE}, ok());
  capture.finish();
  fails(build(), Status::unreadable, "vkQueueSubmit.pSubmits at payload offset 16: is null");
}

TEST_F(PlayerPlan, RefusesHostWritesBehindTheMemory) {
  const VkDeviceMemory memory = allocate(64);
  write(memory, 60, std::vector<std::byte>(8));
  capture.finish();
  fails(build(), Status::unreadable, "VkDeviceMemory#0, which has 64 bytes");
}

// Some allocators always chain the structure.
TEST_F(PlayerPlan, MemoryIsDedicatedToSomethingOrNot) {
  for (const bool to_a_buffer : {false, true}) {
    VkMemoryDedicatedAllocateInfo dedicated{};
    dedicated.sType = VK_STRUCTURE_TYPE_MEMORY_DEDICATED_ALLOCATE_INFO;
    auto buffer = handle<VkBuffer>(0x80);
    if (to_a_buffer) {
      VkBufferCreateInfo info{};
      info.sType = VK_STRUCTURE_TYPE_BUFFER_CREATE_INFO;
      info.size = 64;
      capture.call(CommandId::vkCreateBuffer, args_vkCreateBuffer{kDevice, &info, nullptr, &buffer}, ok());
      dedicated.buffer = buffer;
    }
    VkMemoryAllocateInfo info{};
    info.sType = VK_STRUCTURE_TYPE_MEMORY_ALLOCATE_INFO;
    info.pNext = &dedicated;
    info.allocationSize = 64;
    auto memory = handle<VkDeviceMemory>(to_a_buffer ? 0x90 : 0xa0);
    capture.call(CommandId::vkAllocateMemory, args_vkAllocateMemory{kDevice, &info, nullptr, &memory}, ok());
  }
  capture.finish();
  const auto plan = build();
  ASSERT_TRUE(plan) << plan.error().message;
  ASSERT_EQ((*plan)->memories.size(), 2u);
  EXPECT_FALSE((*plan)->memories[0].dedicated);
  EXPECT_TRUE((*plan)->memories[1].dedicated);
}

TEST_F(PlayerPlan, PresentsFromTheGeneralLayout) {
  VkAttachmentDescription attachment{};
  attachment.format = VK_FORMAT_R8G8B8A8_UNORM;
  attachment.samples = VK_SAMPLE_COUNT_1_BIT;
  attachment.initialLayout = VK_IMAGE_LAYOUT_UNDEFINED;
  attachment.finalLayout = VK_IMAGE_LAYOUT_PRESENT_SRC_KHR;
  VkSubpassDescription subpass{};
  VkRenderPassCreateInfo info{};
  info.sType = VK_STRUCTURE_TYPE_RENDER_PASS_CREATE_INFO;
  info.attachmentCount = 1;
  info.pAttachments = &attachment;
  info.subpassCount = 1;
  info.pSubpasses = &subpass;
  VkRenderPass pass = handle<VkRenderPass>(0x70);
  capture.call(CommandId::vkCreateRenderPass, args_vkCreateRenderPass{kDevice, &info, nullptr, &pass}, ok());
  capture.finish();
  const auto plan = build();
  ASSERT_TRUE(plan) << plan.error().message;
  const Op& op = (*plan)->ops.back();
  ASSERT_EQ(op.command, CommandId::vkCreateRenderPass);
  const std::byte* block = (*plan)->arena.at(op.block);
  bool general = false;
  for (std::size_t at = 0; at + 4 <= op.block_bytes; at += 4) {
    std::uint32_t word;
    std::memcpy(&word, block + at, 4);
    EXPECT_NE(word, static_cast<std::uint32_t>(VK_IMAGE_LAYOUT_PRESENT_SRC_KHR));
    general |= word == VK_IMAGE_LAYOUT_GENERAL;
  }
  EXPECT_TRUE(general);
}

TEST_F(PlayerPlan, StopsAfterTheSequenceNumberAskedFor) {
  create_fence();
  submit();
  capture.finish();
  PlanOptions options;
  options.until = 5;
  const auto plan = build(options);
  ASSERT_TRUE(plan) << plan.error().message;
  EXPECT_EQ((*plan)->ops.back().sequence, 5u);
  EXPECT_EQ((*plan)->counts.submits, 0u);
}

TEST_F(PlayerPlan, RefusesACutCaptureAndNamesBothRemedies) {
  submit();
  const auto plan = build();
  fails(plan, Status::unreadable, "--salvage");
  fails(plan, Status::unreadable, "rondo finish " + file.path());
}

class PlayerSalvage : public PlayerPlan {
 protected:
  PlayerSalvage() { options_.salvage = true; }
  void submit_without_end() {
    VkSubmitInfo info{};
    info.sType = VK_STRUCTURE_TYPE_SUBMIT_INFO;
    capture.call_without_end(CommandId::vkQueueSubmit, args_vkQueueSubmit{kQueue, 1, &info, VK_NULL_HANDLE});
  }
  void ends(CommandId last, std::uint64_t submits, std::uint64_t dropped) {
    const auto plan = build(options_);
    ASSERT_TRUE(plan) << plan.error().message;
    EXPECT_TRUE((*plan)->salvaged);
    EXPECT_EQ((*plan)->ops.back().command, last);
    EXPECT_EQ((*plan)->counts.submits, submits);
    EXPECT_EQ((*plan)->counts.dropped_after_cut, dropped);
  }

 private:
  PlanOptions options_;
};

TEST_F(PlayerSalvage, EndsWithTheLastWholeSubmit) {
  submit();
  create_fence();
  submit_without_end();
  ends(CommandId::vkQueueSubmit, 1, 2);
}

TEST_F(PlayerSalvage, HasAllWithoutASubmit) {
  create_fence();
  ends(CommandId::vkCreateFence, 0, 0);
}

TEST_F(PlayerSalvage, HasWhatIsInFrontOfTheOnlySubmitThatDidNotReturn) {
  create_fence();
  submit_without_end();
  ends(CommandId::vkCreateFence, 0, 1);
}

// The records behind it are not for a newer Rondo: nobody can name them.
TEST_F(PlayerPlan, SalvagesWithoutPartsOfTheDictionary) {
  submit();
  create_fence();
  capture.finish();
  const std::string good = [&] {
    std::ifstream in(file.path(), std::ios::binary);
    return std::string{std::istreambuf_iterator<char>(in), {}};
  }();
  int damaged = 0;
  ChunkHeader header{};
  for (std::size_t at = sizeof(FileHeader); at + sizeof header <= good.size() - sizeof(Footer);) {
    std::memcpy(&header, good.data() + at, sizeof header);
    at += sizeof header + static_cast<std::size_t>(header.stored_bytes);
    if (header.type != static_cast<std::uint16_t>(ChunkType::dictionary)) continue;
    ++damaged;
    std::string bytes = good;
    bytes[at - 1] ^= 1;
    std::ofstream(file.path(), std::ios::binary | std::ios::trunc) << bytes;
    PlanOptions options;
    fails(build(options), Status::unreadable, "--salvage");
    options.salvage = true;
    const auto plan = build(options);
    if (plan) {
      EXPECT_TRUE((*plan)->salvaged);
      EXPECT_NE((*plan)->salvage_reason.find("corrupt"), std::string::npos) << (*plan)->salvage_reason;
    } else {
      fails(plan, Status::unreadable, "nothing to salvage");
    }
  }
  EXPECT_GT(damaged, 0);
}

TEST_F(PlayerPlan, NamesTheBlobThatWasCorrupted) {
  const VkDeviceMemory memory = allocate(4096);
  write(memory, 0, std::vector<std::byte>(4096, std::byte{3}));
  capture.finish();
  ASSERT_TRUE(build());
  PlanOptions options;
  options.damage = *parse_damage("corrupt-blob:0");
  fails(build(options), Status::unreadable, to_string(digest_of(std::vector<std::byte>(4096, std::byte{3}))));
}

TEST_F(PlayerPlan, DropsTheHostWriteThatATestAskedFor) {
  const VkDeviceMemory memory = allocate(64);
  write(memory, 0, std::vector<std::byte>(8));
  write(memory, 8, std::vector<std::byte>(8));
  capture.finish();
  PlanOptions options;
  options.damage = *parse_damage("drop:rondoHostWrite#1");
  const auto plan = build(options);
  ASSERT_TRUE(plan) << plan.error().message;
  EXPECT_EQ(count(**plan, CommandId::rondoHostWrite), 1u);
  options.damage = *parse_damage("drop:rondoHostWrite#2");
  fails(build(options), Status::usage, "plays no rondoHostWrite#2");
}

// Cut anywhere, a capture is refused with a sentence, or it is whole.
TEST_F(PlayerPlan, RefusesEveryPrefixOfACapture) {
  const VkDeviceMemory memory = allocate(64);
  write(memory, 0, std::vector<std::byte>(8, std::byte{9}));
  submit();
  capture.finish();
  std::ifstream in(file.path(), std::ios::binary);
  const std::string whole((std::istreambuf_iterator<char>(in)), std::istreambuf_iterator<char>());
  for (std::size_t cut = 0; cut < whole.size(); cut += 1 + cut / 64) {
    std::ofstream(file.path(), std::ios::binary | std::ios::trunc)
        .write(whole.data(), static_cast<std::streamsize>(cut));
    const auto plan = build();
    ASSERT_FALSE(plan) << "cut at " << cut;
    EXPECT_EQ(plan.error().status, Status::unreadable) << "cut at " << cut;
    EXPECT_NE(plan.error().message.find(file.path()), std::string::npos) << plan.error().message;
  }
}

TEST_F(PlayerPlan, SaysToFinishOnlyWhatCanBeFinished) {
  submit();
  capture.finish();
  std::fstream out(file.path(), std::ios::binary | std::ios::in | std::ios::out);
  out.seekp(sizeof(FileHeader) + offsetof(ChunkHeader, stored_bytes));
  out.put('\x7f');
  out.close();
  const auto plan = build();
  ASSERT_FALSE(plan);
  EXPECT_EQ(plan.error().status, Status::unreadable);
  EXPECT_NE(plan.error().message.find("player --salvage"), std::string::npos) << plan.error().message;
  EXPECT_EQ(plan.error().message.find("rondo finish"), std::string::npos) << plan.error().message;
}

// Any change of a byte gives an error or a plan, never a crash: run under the
// sanitizers (scripts/test --all).
TEST_F(PlayerPlan, SurvivesChangedBytes) {
  const VkDeviceMemory memory = allocate(4096);
  write(memory, 0, std::vector<std::byte>(600, std::byte{9}));
  create_fence();
  submit();
  capture.finish();
  std::ifstream in(file.path(), std::ios::binary);
  const std::string whole((std::istreambuf_iterator<char>(in)), std::istreambuf_iterator<char>());
  std::mt19937 random(1);
  std::size_t refused = 0;
  for (int round = 0; round < 400; ++round) {
    std::string bytes = whole;
    bytes[random() % bytes.size()] = static_cast<char>(random());
    std::ofstream(file.path(), std::ios::binary | std::ios::trunc) << bytes;
    PlanOptions options;
    options.salvage = round % 2 == 1;
    const auto plan = build(options);
    refused += plan.has_value() ? 0 : 1;
    if (plan) continue;
    EXPECT_EQ(plan.error().status, Status::unreadable) << plan.error().message;
  }
  EXPECT_GT(refused, 100u);
}

}  // namespace
}  // namespace rondo::player
