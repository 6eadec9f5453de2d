// SPDX-License-Identifier: Apache-2.0
// What `rondo accesses` says beside touches: queues, places in memory, barriers, submits and waits.
#include "analyzers/text/access_rows.h"

#include <algorithm>

#include "analyzers/text/json.h"
#include "tests/unit/access_scene.h"

namespace rondo {
namespace {

using test::AccessScene;
using test::handle;

class Reader final : public analyzers::AccessReader {
 public:
  Reader(analyzers::AccessRows& rows, const model::Placement& placement) : rows_(rows), placement_(placement) {}
  bool executed(const access::Executed& one) override { return rows_.command(text, one, &placement_), true; }
  bool batch(const model::Batch& one) override { return rows_.batch(text, one), true; }
  bool begins(const model::Batch& one, bool later) override { return !later || (rows_.begins(text, one), true); }
  bool never_begins(const model::Batch& one) override { return rows_.never_begins(text, one), true; }
  bool host(const model::HostSync& one) override { return rows_.host(text, one), true; }
  std::string text;

 private:
  analyzers::AccessRows& rows_;
  const model::Placement& placement_;
};

class AccessRowsTest : public ::testing::Test {
 protected:
  AccessRowsTest() {
    VkQueue queue = scene_.queue;
    scene_.capture.call(CommandId::vkGetDeviceQueue, args_vkGetDeviceQueue{scene_.device, 0, 0, &queue});
  }
  std::string said(bool json = false, bool synchronization = true) {
    scene_.capture.finish();
    auto walk = analyzers::Walk::open(scene_.file.path());
    EXPECT_TRUE(walk);
    const auto rows =
        json ? analyzers::access_json_rows(walk->objects()) : analyzers::access_text_rows(walk->objects());
    model::Placement placement;
    analyzers::AccessWanted wanted;
    wanted.synchronization = synchronization;
    wanted.placement = &placement;
    Reader reader(*rows, placement);
    EXPECT_TRUE(analyzers::walk_accesses(*walk, wanted, reader));
    return reader.text;
  }
  VkSemaphore semaphore(std::uint64_t value, bool timeline) {
    VkSemaphoreTypeCreateInfo type{};
    type.sType = VK_STRUCTURE_TYPE_SEMAPHORE_TYPE_CREATE_INFO;
    type.semaphoreType = VK_SEMAPHORE_TYPE_TIMELINE;
    VkSemaphoreCreateInfo info{};
    info.sType = VK_STRUCTURE_TYPE_SEMAPHORE_CREATE_INFO;
    info.pNext = timeline ? &type : nullptr;
    VkSemaphore made = handle<VkSemaphore>(value);
    scene_.capture.call(CommandId::vkCreateSemaphore, args_vkCreateSemaphore{scene_.device, &info, nullptr, &made},
                        {.result = VK_SUCCESS});
    return made;
  }
  AccessScene scene_;
};

TEST_F(AccessRowsTest, NameTheQueueAndWhereTouchedBytesLie) {
  const VkBuffer target = scene_.buffer(0x100, 64);
  VkMemoryAllocateInfo info{};
  info.sType = VK_STRUCTURE_TYPE_MEMORY_ALLOCATE_INFO;
  info.allocationSize = 4096;
  VkDeviceMemory memory = handle<VkDeviceMemory>(0x200);
  scene_.capture.call(CommandId::vkAllocateMemory, args_vkAllocateMemory{scene_.device, &info, nullptr, &memory},
                      {.result = VK_SUCCESS});
  scene_.capture.call(CommandId::vkBindBufferMemory, args_vkBindBufferMemory{scene_.device, target, memory, 256},
                      {.result = VK_SUCCESS});
  scene_.begin(scene_.commands);
  scene_.fill(scene_.commands, target, 8, 16);
  scene_.submit(scene_.commands);
  const std::string text = said(false, false);
  EXPECT_NE(text.find("VkBuffer#0 8:24 TRANSFER_WRITE at CLEAR, all of it; in VkDeviceMemory#0 264:280\n"),
            std::string::npos)
      << text;
  // Submits are told only where synchronization is asked for.
  EXPECT_EQ(text.find("executes VkCommandBuffer"), std::string::npos) << text;
}

TEST_F(AccessRowsTest, SayBarriersWithTheirParameters) {
  scene_.begin(scene_.commands);
  const VkMemoryBarrier all{VK_STRUCTURE_TYPE_MEMORY_BARRIER, nullptr, VK_ACCESS_SHADER_WRITE_BIT,
                            VK_ACCESS_HOST_READ_BIT};
  scene_.capture.call(CommandId::vkCmdPipelineBarrier,
                      args_vkCmdPipelineBarrier{scene_.commands, VK_PIPELINE_STAGE_COMPUTE_SHADER_BIT,
                                                VK_PIPELINE_STAGE_HOST_BIT, 0, 1, &all, 0, nullptr, 0, nullptr});
  scene_.submit(scene_.commands);
  const std::string text = said();
  EXPECT_NE(text.find("    barrier: SHADER_WRITE at COMPUTE_SHADER -> HOST_READ at HOST\n"), std::string::npos) << text;
  EXPECT_NE(text.find("batch on VkQueue#0, submit 0\n    executes VkCommandBuffer#0\n"), std::string::npos) << text;
}

TEST_F(AccessRowsTest, SayWhereADelayedBatchCanBegin) {
  const VkSemaphore one = semaphore(0x300, true);
  const std::uint64_t value = 7;
  VkTimelineSemaphoreSubmitInfo values{};
  values.sType = VK_STRUCTURE_TYPE_TIMELINE_SEMAPHORE_SUBMIT_INFO;
  values.waitSemaphoreValueCount = 1;
  values.pWaitSemaphoreValues = &value;
  const VkPipelineStageFlags stages = VK_PIPELINE_STAGE_TRANSFER_BIT;
  VkSubmitInfo info{};
  info.sType = VK_STRUCTURE_TYPE_SUBMIT_INFO;
  info.pNext = &values;
  info.waitSemaphoreCount = 1;
  info.pWaitSemaphores = &one;
  info.pWaitDstStageMask = &stages;
  const VkFence fence = handle<VkFence>(0x400);
  scene_.capture.call(CommandId::vkQueueSubmit, args_vkQueueSubmit{scene_.queue, 1, &info, fence},
                      {.result = VK_SUCCESS});
  scene_.capture.call(CommandId::vkWaitForFences, args_vkWaitForFences{scene_.device, 1, &fence, VK_TRUE, 5},
                      {.result = VK_TIMEOUT});
  VkSemaphoreSignalInfo signal{VK_STRUCTURE_TYPE_SEMAPHORE_SIGNAL_INFO, nullptr, one, value};
  scene_.capture.call(CommandId::vkSignalSemaphore, args_vkSignalSemaphore{scene_.device, &signal},
                      {.result = VK_SUCCESS});
  const std::string text = said();
  const std::size_t given = text.find("    waits for VkSemaphore#0 >= 7 before ALL_TRANSFER\n"),
                    timed_out = text.find(": not ready, or it failed\n"),
                    signalled = text.find("host signal_semaphore VkSemaphore#0 = 7\n"),
                    begins = text.find("can begin now\n");
  ASSERT_NE(begins, std::string::npos) << text;
  EXPECT_LT(given, timed_out);
  EXPECT_LT(timed_out, signalled);
  EXPECT_LT(signalled, begins);
}

TEST_F(AccessRowsTest, SayWhatAPollOfAnEventFound) {
  VkEventCreateInfo info{};
  info.sType = VK_STRUCTURE_TYPE_EVENT_CREATE_INFO;
  VkEvent event = handle<VkEvent>(0x500);
  scene_.capture.call(CommandId::vkCreateEvent, args_vkCreateEvent{scene_.device, &info, nullptr, &event},
                      {.result = VK_SUCCESS});
  for (const VkResult found : {VK_EVENT_SET, VK_EVENT_RESET})
    scene_.capture.call(CommandId::vkGetEventStatus, args_vkGetEventStatus{scene_.device, event}, {.result = found});
  const std::string text = said();
  EXPECT_NE(text.find("host poll_event VkEvent#0: set\n"), std::string::npos) << text;
  EXPECT_NE(text.find("host poll_event VkEvent#0: not set\n"), std::string::npos) << text;
}

TEST_F(AccessRowsTest, SayWhatRemainsAsTheEnd) {
  scene_.begin(scene_.commands);
  VkImageMemoryBarrier barrier{};
  barrier.sType = VK_STRUCTURE_TYPE_IMAGE_MEMORY_BARRIER;
  barrier.newLayout = VK_IMAGE_LAYOUT_GENERAL;
  barrier.image = scene_.image(0x600, VK_FORMAT_R8G8B8A8_UNORM, 3);
  barrier.subresourceRange = {VK_IMAGE_ASPECT_COLOR_BIT, 1, VK_REMAINING_MIP_LEVELS, 0, VK_REMAINING_ARRAY_LAYERS};
  scene_.capture.call(
      CommandId::vkCmdPipelineBarrier,
      args_vkCmdPipelineBarrier{scene_.commands, VK_PIPELINE_STAGE_TRANSFER_BIT, VK_PIPELINE_STAGE_TRANSFER_BIT, 0, 0,
                                nullptr, 0, nullptr, 1, &barrier});
  scene_.submit(scene_.commands);
  const std::string text = said();
  EXPECT_NE(text.find("COLOR mips 1:end layers 0:end: UNDEFINED -> GENERAL\n"), std::string::npos) << text;
  // The stages of the command order all executions.
  EXPECT_NE(text.find("    barrier of executions: ALL_TRANSFER -> ALL_TRANSFER\n"), std::string::npos) << text;
}

TEST_F(AccessRowsTest, SayThatABatchNeverBegins) {
  const VkSemaphore one = semaphore(0x300, false);
  const VkPipelineStageFlags stages = VK_PIPELINE_STAGE_TRANSFER_BIT;
  VkSubmitInfo info{};
  info.sType = VK_STRUCTURE_TYPE_SUBMIT_INFO;
  info.waitSemaphoreCount = 1;
  info.pWaitSemaphores = &one;
  info.pWaitDstStageMask = &stages;
  scene_.capture.call(CommandId::vkQueueSubmit, args_vkQueueSubmit{scene_.queue, 1, &info, VK_NULL_HANDLE},
                      {.result = VK_SUCCESS});
  EXPECT_NE(said().find("waits for a signal that the capture does not have\n"), std::string::npos);
}

TEST_F(AccessRowsTest, AreObjectsOfJson) {
  scene_.begin(scene_.commands);
  scene_.capture.call(CommandId::vkCmdSetEvent,
                      args_vkCmdSetEvent{scene_.commands, handle<VkEvent>(0x500), VK_PIPELINE_STAGE_TRANSFER_BIT});
  scene_.submit(scene_.commands);
  const std::string text = said(true);
  std::vector<std::string> rows;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t end = text.find('\n', at);
    ASSERT_NE(end, std::string::npos);
    rows.push_back(text.substr(at, end - at));
    EXPECT_TRUE(analyzers::JsonText::parse(rows.back())) << rows.back();
    at = end + 1;
  }
  const auto has = [&](std::string_view part) {
    return std::any_of(rows.begin(), rows.end(),
                       [&](const std::string& row) { return row.find(part) != std::string::npos; });
  };
  EXPECT_TRUE(has(R"({"row":"batch","kind":"commands")")) << text;
  EXPECT_TRUE(has(R"({"effect":"event","kind":"set")")) << text;
  EXPECT_TRUE(has(R"("queue":"VkQueue#0")")) << text;
}

}  // namespace
}  // namespace rondo
