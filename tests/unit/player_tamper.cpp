// SPDX-License-Identifier: Apache-2.0
// Checks of what the player knows of a plan: recordings, layouts, the order of submits.
#include "player/plan/layouts.h"
#include "tests/unit/player_scene.h"
#include "tests/unit/tamper.h"

namespace rondo::test {

// The debug hook (format/check.h) into the classes of the plan.
struct Tamper {
  static std::size_t& kept(player::LayoutTracker& tracker) { return tracker.recordings_.kept_; }
  static std::size_t& parts(player::LayoutTracker& tracker) { return tracker.parts_; }
  static player::Layouts& now(player::LayoutTracker& tracker) { return tracker.now_; }
  static player::Recording& recording(player::LayoutTracker& tracker, ObjectId id) {
    return *tracker.recordings_.buffers_.find(id);
  }
};

}  // namespace rondo::test

namespace rondo::player {
namespace {

using test::kDevice;
using test::kQueue;
using test::of_type;
using test::ok;
using test::Seed;
using test::Tamper;

// Two submits change the layout of a part of an image. The second one waits for the first.
struct PlanScene : test::PlayerScene {
  void TestBody() override {}
  std::unique_ptr<Plan> plan;
  std::unique_ptr<LayoutTracker> tracker;
  std::vector<std::string> lines;
  std::uint32_t at = 0;
  VkImage image = VK_NULL_HANDLE;
  VkCommandPool pool = VK_NULL_HANDLE;

  void make_image() {
    auto info = of_type<VkImageCreateInfo>(VK_STRUCTURE_TYPE_IMAGE_CREATE_INFO);
    info.imageType = VK_IMAGE_TYPE_2D;
    info.format = VK_FORMAT_R8G8B8A8_UNORM;
    info.extent = {16, 16, 1};
    info.mipLevels = 2;
    info.arrayLayers = 1;
    info.samples = VK_SAMPLE_COUNT_1_BIT;
    info.usage = VK_IMAGE_USAGE_TRANSFER_SRC_BIT;
    image = create<VkImage, args_vkCreateImage>(CommandId::vkCreateImage, info);
    const VkDeviceMemory memory = allocate(65536);
    capture.call(CommandId::vkBindImageMemory, args_vkBindImageMemory{kDevice, image, memory, 0}, ok());
  }
  VkCommandBuffer record(VkImageLayout from, VkImageLayout to) {
    auto info = of_type<VkCommandBufferAllocateInfo>(VK_STRUCTURE_TYPE_COMMAND_BUFFER_ALLOCATE_INFO);
    info.commandPool = pool;
    info.commandBufferCount = 1;
    auto made = fresh<VkCommandBuffer>();
    capture.call(CommandId::vkAllocateCommandBuffers, args_vkAllocateCommandBuffers{kDevice, &info, &made}, ok());
    const auto begins = of_type<VkCommandBufferBeginInfo>(VK_STRUCTURE_TYPE_COMMAND_BUFFER_BEGIN_INFO);
    capture.call(CommandId::vkBeginCommandBuffer, args_vkBeginCommandBuffer{made, &begins}, ok());
    auto barrier = of_type<VkImageMemoryBarrier>(VK_STRUCTURE_TYPE_IMAGE_MEMORY_BARRIER);
    barrier.oldLayout = from;
    barrier.newLayout = to;
    barrier.srcQueueFamilyIndex = barrier.dstQueueFamilyIndex = VK_QUEUE_FAMILY_IGNORED;
    barrier.image = image;
    barrier.subresourceRange = {VK_IMAGE_ASPECT_COLOR_BIT, 0, 1, 0, 1};
    capture.call(CommandId::vkCmdPipelineBarrier,
                 args_vkCmdPipelineBarrier{made, VK_PIPELINE_STAGE_ALL_COMMANDS_BIT, VK_PIPELINE_STAGE_ALL_COMMANDS_BIT,
                                           0, 0, nullptr, 0, nullptr, 1, &barrier});
    capture.call(CommandId::vkEndCommandBuffer, args_vkEndCommandBuffer{made}, ok());
    return made;
  }
  void submit_one(VkCommandBuffer one, VkSemaphore waits, VkSemaphore signals) {
    const VkPipelineStageFlags stage = VK_PIPELINE_STAGE_ALL_COMMANDS_BIT;
    auto info = of_type<VkSubmitInfo>(VK_STRUCTURE_TYPE_SUBMIT_INFO);
    info.waitSemaphoreCount = waits != VK_NULL_HANDLE;
    info.pWaitSemaphores = &waits;
    info.pWaitDstStageMask = &stage;
    info.commandBufferCount = 1;
    info.pCommandBuffers = &one;
    info.signalSemaphoreCount = signals != VK_NULL_HANDLE;
    info.pSignalSemaphores = &signals;
    capture.call(CommandId::vkQueueSubmit, args_vkQueueSubmit{kQueue, 1, &info, VK_NULL_HANDLE}, ok());
  }
  void build_plan() {
    make_image();
    const auto of = of_type<VkCommandPoolCreateInfo>(VK_STRUCTURE_TYPE_COMMAND_POOL_CREATE_INFO);
    pool = create<VkCommandPool, args_vkCreateCommandPool>(CommandId::vkCreateCommandPool, of);
    const auto info = of_type<VkSemaphoreCreateInfo>(VK_STRUCTURE_TYPE_SEMAPHORE_CREATE_INFO);
    const auto semaphore = create<VkSemaphore, args_vkCreateSemaphore>(CommandId::vkCreateSemaphore, info);
    const VkCommandBuffer first = record(VK_IMAGE_LAYOUT_UNDEFINED, VK_IMAGE_LAYOUT_GENERAL);
    const VkCommandBuffer second = record(VK_IMAGE_LAYOUT_GENERAL, VK_IMAGE_LAYOUT_TRANSFER_SRC_OPTIMAL);
    submit_one(first, VK_NULL_HANDLE, semaphore);
    submit_one(second, semaphore, VK_NULL_HANDLE);
    capture.call(CommandId::vkDeviceWaitIdle, args_vkDeviceWaitIdle{kDevice}, ok());
    capture.call(CommandId::vkResetCommandPool, args_vkResetCommandPool{kDevice, pool, 0}, ok());
    capture.call(CommandId::vkDestroyImage, args_vkDestroyImage{kDevice, image, nullptr});
    capture.finish();
    auto built = build();
    ASSERT_TRUE(built) << built.error().message;
    plan = std::move(*built);
    tracker = std::make_unique<LayoutTracker>(*plan);
  }
  void take() {
    tracker->take(at++);
    std::string line = std::to_string(at);
    for (const auto& [id, one] : tracker->now().images)
      for (std::size_t part = 0; part < one.part_count(); ++part) line += " " + std::to_string(one.at(part).layout);
    lines.push_back(line);
  }
  std::uint32_t op_of(CommandId command) const {
    std::uint32_t found = 0;
    while (plan->ops.at(found).command != command) ++found;
    return found;
  }
  // Up to, not with, the first call of this command.
  void prepare(CommandId command) {
    build_plan();
    ASSERT_NE(plan, nullptr);
    while (at < op_of(command)) take();
  }
  void take_rest() {
    while (at < plan->ops.size()) take();
  }
};
constexpr auto kRest = [](PlanScene& s) { s.take_rest(); };
constexpr auto kBuilt = [](PlanScene& s) { s.prepare(CommandId::vkCreateImage); };
constexpr auto kWaited = [](PlanScene& s) { s.prepare(CommandId::vkDeviceWaitIdle); };
const Seed<PlanScene> kPlans[] = {
    {"TransitionsOfARecordingAreNotCounted", kWaited, [](PlanScene& s) { Tamper::kept(*s.tracker) = 0; }, kRest,
     "one.transitions.size() <= kept_"},
    {"AnOpEndsObjectsThatThePlanHasNot", kBuilt,
     [](PlanScene& s) { s.plan->ops[s.op_of(CommandId::vkDestroyImage)].ended += 1000; }, kRest,
     "op().ended <= plan_.ended.size()"},
    {"AnOpOfARecordingIsLaterThanTheNext", [](PlanScene& s) { s.prepare(CommandId::vkEndCommandBuffer); },
     [](PlanScene& s) { Tamper::recording(*s.tracker, s.plan->ops[s.at].dispatch).ops.back() = 10000; }, kRest,
     "to->ops.back() < index"},
    {"PartsOfImagesAreNotCounted", kWaited, [](PlanScene& s) { Tamper::parts(*s.tracker) = 0; }, kRest,
     "count <= parts_"},
    {"AnImageHasFewerPartsThanItsKindHas",
     [](PlanScene& s) {
       s.prepare(CommandId::vkQueueSubmit);
       s.take();
     },
     [](PlanScene& s) { Tamper::now(*s.tracker).images.begin()->second.parts.pop_back(); }, kRest,
     "layouts.parts.size() == layouts.part_count()"},
    {"StepsOfSemaphoresAreOutOfOrder", kBuilt, [](PlanScene& s) { s.plan->sync.back().op = 0; }, kRest,
     "plan_.sync[next_ - 1].op <= step.op"},
    {"AWaitIsOfASemaphoreThatThePlanHasNot", kBuilt, [](PlanScene& s) { s.plan->sync.back().waits += 1000; }, kRest,
     "step.waits <= plan_.sync_points.size()"},
    {"ASignalIsOfASemaphoreThatThePlanHasNot", kBuilt, [](PlanScene& s) { s.plan->sync.front().signals += 1000; },
     kRest, "step.signals <= plan_.sync_points.size()"},
    {"ASubmitHasCommandBuffersThatThePlanHasNot", kBuilt,
     [](PlanScene& s) { s.plan->ops[s.op_of(CommandId::vkQueueSubmit)].patches += 1000; }, kRest,
     "op.patches <= plan.patches.size()"},
};
class TamperedPlans : public ::testing::TestWithParam<Seed<PlanScene>> {};
TEST_P(TamperedPlans, FailACheck) { test::expect_check_fails(GetParam()); }
INSTANTIATE_TEST_SUITE_P(Seeds, TamperedPlans, ::testing::ValuesIn(kPlans), test::NameOfSeed());

}  // namespace
}  // namespace rondo::player
