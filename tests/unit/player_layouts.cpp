// SPDX-License-Identifier: Apache-2.0
// Layouts and owners of images, followed through the ops of plans.
#include <gtest/gtest.h>

#include <cstring>

#include "player/loop/layout_changes.h"
#include "player/plan/layouts.h"
#include "player/plan/op_view.h"
#include "tests/unit/player_scene.h"

namespace rondo::player {
namespace {

using test::handle;
using test::kDevice;
using test::kQueue;
using test::of_type;
using test::ok;

constexpr VkImageLayout kUndefined = VK_IMAGE_LAYOUT_UNDEFINED, kGeneral = VK_IMAGE_LAYOUT_GENERAL,
                        kRead = VK_IMAGE_LAYOUT_TRANSFER_SRC_OPTIMAL, kWrite = VK_IMAGE_LAYOUT_TRANSFER_DST_OPTIMAL,
                        kSampled = VK_IMAGE_LAYOUT_SHADER_READ_ONLY_OPTIMAL;
constexpr VkImageSubresourceRange kAll{VK_IMAGE_ASPECT_COLOR_BIT, 0, VK_REMAINING_MIP_LEVELS, 0,
                                       VK_REMAINING_ARRAY_LAYERS};
constexpr VkImageAspectFlags kDepth = VK_IMAGE_ASPECT_DEPTH_BIT, kStencil = VK_IMAGE_ASPECT_STENCIL_BIT;

VkPhysicalDeviceVulkan12Features features() {
  auto wanted = of_type<VkPhysicalDeviceVulkan12Features>(VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_2_FEATURES);
  wanted.timelineSemaphore = wanted.imagelessFramebuffer = wanted.separateDepthStencilLayouts = VK_TRUE;
  return wanted;
}
const VkPhysicalDeviceVulkan12Features kFeatures = features();

class PlayerLayouts : public test::PlayerScene {
 protected:
  PlayerLayouts() : PlayerScene(VK_API_VERSION_1_2, &kFeatures, {VK_KHR_SWAPCHAIN_EXTENSION_NAME}, {2}) {
    capture.call(CommandId::vkGetDeviceQueue, args_vkGetDeviceQueue{kDevice, 1, 0, &other_});
    for (const std::uint32_t family : {0u, 1u}) {
      auto info = of_type<VkCommandPoolCreateInfo>(VK_STRUCTURE_TYPE_COMMAND_POOL_CREATE_INFO);
      info.queueFamilyIndex = family;
      pools_[family] = create<VkCommandPool, args_vkCreateCommandPool>(CommandId::vkCreateCommandPool, info);
    }
  }

  VkImage image(VkFormat format = VK_FORMAT_R8G8B8A8_UNORM, std::uint32_t mips = 1, std::uint32_t layers = 1,
                VkImageLayout layout = kUndefined, VkImageType type = VK_IMAGE_TYPE_2D) {
    auto info = of_type<VkImageCreateInfo>(VK_STRUCTURE_TYPE_IMAGE_CREATE_INFO);
    info.imageType = type;
    info.format = format;
    info.extent = {16, 16, type == VK_IMAGE_TYPE_3D ? 4u : 1u};
    info.mipLevels = mips;
    info.arrayLayers = layers;
    info.samples = VK_SAMPLE_COUNT_1_BIT;
    info.tiling = layout == kUndefined ? VK_IMAGE_TILING_OPTIMAL : VK_IMAGE_TILING_LINEAR;
    info.usage = VK_IMAGE_USAGE_TRANSFER_SRC_BIT;
    if (gpu_depth(format)) info.usage |= VK_IMAGE_USAGE_DEPTH_STENCIL_ATTACHMENT_BIT;
    if (!gpu_depth(format)) info.usage |= VK_IMAGE_USAGE_COLOR_ATTACHMENT_BIT;
    info.initialLayout = layout;
    return bound(create<VkImage, args_vkCreateImage>(CommandId::vkCreateImage, info));
  }
  static bool gpu_depth(VkFormat format) { return format == VK_FORMAT_D24_UNORM_S8_UINT; }
  VkImage bound(VkImage made) {
    const VkDeviceMemory memory = allocate(65536);
    capture.call(CommandId::vkBindImageMemory, args_vkBindImageMemory{kDevice, made, memory, 0}, ok());
    return made;
  }
  VkImageView view(VkImage of, VkFormat format, VkImageAspectFlags aspects) {
    auto info = of_type<VkImageViewCreateInfo>(VK_STRUCTURE_TYPE_IMAGE_VIEW_CREATE_INFO);
    info.image = of;
    info.viewType = VK_IMAGE_VIEW_TYPE_2D;
    info.format = format;
    info.subresourceRange = {aspects, 0, 1, 0, 1};
    return create<VkImageView, args_vkCreateImageView>(CommandId::vkCreateImageView, info);
  }
  VkCommandBuffer commands(std::uint32_t family = 0, bool secondary = false) {
    auto info = of_type<VkCommandBufferAllocateInfo>(VK_STRUCTURE_TYPE_COMMAND_BUFFER_ALLOCATE_INFO);
    info.commandPool = pools_[family];
    info.commandBufferCount = 1;
    info.level = secondary ? VK_COMMAND_BUFFER_LEVEL_SECONDARY : VK_COMMAND_BUFFER_LEVEL_PRIMARY;
    auto made = fresh<VkCommandBuffer>();
    capture.call(CommandId::vkAllocateCommandBuffers, args_vkAllocateCommandBuffers{kDevice, &info, &made}, ok());
    return made;
  }
  void begin(VkCommandBuffer buffer, bool secondary = false) {
    auto info = of_type<VkCommandBufferBeginInfo>(VK_STRUCTURE_TYPE_COMMAND_BUFFER_BEGIN_INFO);
    const auto none = of_type<VkCommandBufferInheritanceInfo>(VK_STRUCTURE_TYPE_COMMAND_BUFFER_INHERITANCE_INFO);
    if (secondary) info.pInheritanceInfo = &none;
    capture.secondaries = secondary;
    capture.call(CommandId::vkBeginCommandBuffer, args_vkBeginCommandBuffer{buffer, &info}, ok());
    capture.secondaries = false;
  }
  void end(VkCommandBuffer buffer) {
    capture.call(CommandId::vkEndCommandBuffer, args_vkEndCommandBuffer{buffer}, ok());
  }
  static VkImageMemoryBarrier change(VkImage of, VkImageLayout from, VkImageLayout to,
                                     const VkImageSubresourceRange& range = kAll,
                                     std::uint32_t source = VK_QUEUE_FAMILY_IGNORED,
                                     std::uint32_t target = VK_QUEUE_FAMILY_IGNORED) {
    return {VK_STRUCTURE_TYPE_IMAGE_MEMORY_BARRIER, nullptr, 0, 0, from, to, source, target, of, range};
  }
  void barrier(VkCommandBuffer into, const VkImageMemoryBarrier& one) {
    capture.call(CommandId::vkCmdPipelineBarrier,
                 args_vkCmdPipelineBarrier{into, VK_PIPELINE_STAGE_ALL_COMMANDS_BIT, VK_PIPELINE_STAGE_ALL_COMMANDS_BIT,
                                           0, 0, nullptr, 0, nullptr, 1, &one});
  }
  // A command buffer with these barriers.
  VkCommandBuffer recorded(const std::vector<VkImageMemoryBarrier>& all, std::uint32_t family = 0) {
    const VkCommandBuffer buffer = commands(family);
    begin(buffer);
    for (const VkImageMemoryBarrier& one : all) barrier(buffer, one);
    end(buffer);
    return buffer;
  }
  void submit_to(VkQueue queue, VkCommandBuffer buffer, VkSemaphore timeline = VK_NULL_HANDLE, std::uint64_t waits = 0,
                 std::uint64_t signals = 0) {
    auto values = of_type<VkTimelineSemaphoreSubmitInfo>(VK_STRUCTURE_TYPE_TIMELINE_SEMAPHORE_SUBMIT_INFO);
    values.waitSemaphoreValueCount = waits != 0;
    values.pWaitSemaphoreValues = &waits;
    values.signalSemaphoreValueCount = signals != 0;
    values.pSignalSemaphoreValues = &signals;
    const VkPipelineStageFlags stage = VK_PIPELINE_STAGE_ALL_COMMANDS_BIT;
    auto info = of_type<VkSubmitInfo>(VK_STRUCTURE_TYPE_SUBMIT_INFO);
    if (timeline != VK_NULL_HANDLE) info.pNext = &values;
    info.waitSemaphoreCount = values.waitSemaphoreValueCount;
    info.pWaitSemaphores = &timeline;
    info.pWaitDstStageMask = &stage;
    info.signalSemaphoreCount = values.signalSemaphoreValueCount;
    info.pSignalSemaphores = &timeline;
    info.commandBufferCount = 1;
    info.pCommandBuffers = &buffer;
    capture.call(CommandId::vkQueueSubmit, args_vkQueueSubmit{queue, 1, &info, VK_NULL_HANDLE}, ok());
  }

  void build_plan() {
    capture.finish();
    auto built = build();
    ASSERT_TRUE(built) << built.error().message;
    plan_ = std::move(*built);
    tracker_ = std::make_unique<LayoutTracker>(*plan_);
  }
  // Up to, not with, the submit of this number.
  void follow(std::size_t submits) {
    while (at_ < plan_->ops.size()) {
      if (plan_->ops[at_].command == CommandId::vkQueueSubmit && seen_ == submits) return;
      seen_ += plan_->ops[at_].command == CommandId::vkQueueSubmit;
      tracker_->take(at_++);
    }
  }
  ObjectId number(std::size_t n, HandleType type = HandleType::VkImage) const {
    const auto& objects = plan_->objects.objects();
    for (const ObjectId id : all_ids(objects.size()))
      if (objects[id].type == type && n-- == 0) return id;
    return ObjectId::null;
  }
  PartLayout part(std::size_t image, VkImageAspectFlags aspect = VK_IMAGE_ASPECT_COLOR_BIT, std::uint32_t mip = 0,
                  std::uint32_t layer = 0) const {
    const ImageLayouts& of = tracker_->now().images.at(number(image));
    PartLayout found;
    parts_of(of, {aspect, mip, 1, layer, 1}).each(of, [&](std::size_t p) { found = of.at(p); });
    return found;
  }
  std::size_t op_of(CommandId command, std::size_t n = 0) const {
    for (std::size_t i = 0; i < plan_->ops.size(); ++i)
      if (plan_->ops[i].command == command && n-- == 0) return i;
    return plan_->ops.size();
  }

  VkQueue other_ = handle<VkQueue>(0x48);  // of family 1
  VkCommandPool pools_[2]{};               // by family
  std::unique_ptr<Plan> plan_;
  std::unique_ptr<LayoutTracker> tracker_;
  std::uint32_t at_ = 0;
  std::size_t seen_ = 0;
};

TEST_F(PlayerLayouts, ChangeWhenTheWorkIsSubmittedAndNotBefore) {
  const VkImage a = image();
  const VkCommandBuffer first = recorded({change(a, kUndefined, kWrite), change(a, kWrite, kRead)}),
                        second = recorded({change(a, kRead, kGeneral)});
  submit({first});
  submit({second});
  submit({});
  build_plan();
  follow(0);
  EXPECT_EQ(part(0), (PartLayout{kUndefined, VK_QUEUE_FAMILY_IGNORED}));
  follow(1);
  EXPECT_EQ(part(0), (PartLayout{kRead, 0}));
  follow(2);
  EXPECT_EQ(part(0), (PartLayout{kGeneral, 0}));
}

TEST_F(PlayerLayouts, AreOfPartsOfAnImage) {
  const VkImage a = image(VK_FORMAT_R8G8B8A8_UNORM, 4, 6);
  submit({recorded({change(a, kUndefined, kWrite)})});
  submit({recorded({change(a, kWrite, kRead, {VK_IMAGE_ASPECT_COLOR_BIT, 1, 2, 3, VK_REMAINING_ARRAY_LAYERS})})});
  submit({});
  build_plan();
  follow(1);
  const Layouts before = tracker_->now();
  follow(2);
  EXPECT_EQ(part(0, VK_IMAGE_ASPECT_COLOR_BIT, 1, 3).layout, kRead);
  EXPECT_EQ(part(0, VK_IMAGE_ASPECT_COLOR_BIT, 2, 5).layout, kRead);
  for (const auto& [mip, layer] : {std::pair{0u, 3u}, {3u, 5u}, {1u, 2u}})
    EXPECT_EQ(part(0, VK_IMAGE_ASPECT_COLOR_BIT, mip, layer).layout, kWrite) << mip << " " << layer;
  const LayoutChanges changes = compare(before, tracker_->now(), [](ObjectId) { return true; });
  ASSERT_EQ(changes.images.size(), 1u);
  const VkImageSubresourceRange& range = changes.images[0].range;
  EXPECT_EQ(range.baseMipLevel, 1u);
  EXPECT_EQ(range.levelCount, 2u);
  EXPECT_EQ(range.baseArrayLayer, 3u);
  EXPECT_EQ(range.layerCount, 3u);
  EXPECT_EQ(changes.images[0].before.layout, kWrite);
  EXPECT_EQ(changes.images[0].after.layout, kRead);
  EXPECT_TRUE(compare(before, tracker_->now(), [](ObjectId) { return false; }).images.empty());
}

TEST_F(PlayerLayouts, AreOfAllSlicesOfA3DImage) {
  const VkImage a = image(VK_FORMAT_R8G8B8A8_UNORM, 1, 1, kUndefined, VK_IMAGE_TYPE_3D);
  submit({recorded({change(a, kUndefined, kGeneral)})});
  build_plan();
  follow(1);
  const ImageLayouts& of = tracker_->now().images.at(number(0));
  EXPECT_EQ(parts_of(of, {VK_IMAGE_ASPECT_COLOR_BIT, 0, 1, 2, 2}).end_layer, 1u);  // of a view of slices
  EXPECT_EQ(part(0).layout, kGeneral);
}

TEST_F(PlayerLayouts, ChangeInSecondariesOnceTheyAreExecuted) {
  const VkImage a = image();
  const VkCommandBuffer inner = commands(0, true);
  begin(inner, true);
  barrier(inner, change(a, kUndefined, kRead));
  end(inner);
  submit({recorded({})});
  const VkCommandBuffer outer = commands();
  begin(outer);
  capture.call(CommandId::vkCmdExecuteCommands, args_vkCmdExecuteCommands{outer, 1, &inner});
  end(outer);
  submit({outer});
  build_plan();
  follow(1);
  EXPECT_EQ(part(0).layout, kUndefined);
  follow(2);
  EXPECT_EQ(part(0).layout, kRead);
}

TEST_F(PlayerLayouts, AreWhatARenderPassEndsWith) {
  constexpr VkFormat format = VK_FORMAT_D24_UNORM_S8_UINT;
  const VkImage a = image(format);
  // Named by the begin, and of one aspect: both change.
  const VkImageView of_depth = view(a, format, kDepth);
  const VkAttachmentDescriptionStencilLayout stencil{VK_STRUCTURE_TYPE_ATTACHMENT_DESCRIPTION_STENCIL_LAYOUT, nullptr,
                                                     kUndefined, kGeneral};
  auto attachment = of_type<VkAttachmentDescription2>(VK_STRUCTURE_TYPE_ATTACHMENT_DESCRIPTION_2);
  attachment.pNext = &stencil;
  attachment.format = format;
  attachment.samples = VK_SAMPLE_COUNT_1_BIT;
  attachment.finalLayout = VK_IMAGE_LAYOUT_DEPTH_READ_ONLY_OPTIMAL;
  auto subpass = of_type<VkSubpassDescription2>(VK_STRUCTURE_TYPE_SUBPASS_DESCRIPTION_2);
  auto info = of_type<VkRenderPassCreateInfo2>(VK_STRUCTURE_TYPE_RENDER_PASS_CREATE_INFO_2);
  info.attachmentCount = info.subpassCount = 1;
  info.pAttachments = &attachment;
  info.pSubpasses = &subpass;
  const auto pass = create<VkRenderPass, args_vkCreateRenderPass2>(CommandId::vkCreateRenderPass2, info);
  auto described = of_type<VkFramebufferAttachmentImageInfo>(VK_STRUCTURE_TYPE_FRAMEBUFFER_ATTACHMENT_IMAGE_INFO);
  described.usage = VK_IMAGE_USAGE_DEPTH_STENCIL_ATTACHMENT_BIT | VK_IMAGE_USAGE_TRANSFER_SRC_BIT;
  described.width = described.height = 16;
  described.layerCount = described.viewFormatCount = 1;
  described.pViewFormats = &format;
  auto images = of_type<VkFramebufferAttachmentsCreateInfo>(VK_STRUCTURE_TYPE_FRAMEBUFFER_ATTACHMENTS_CREATE_INFO);
  images.attachmentImageInfoCount = 1;
  images.pAttachmentImageInfos = &described;
  auto target = of_type<VkFramebufferCreateInfo>(VK_STRUCTURE_TYPE_FRAMEBUFFER_CREATE_INFO);
  target.pNext = &images;
  target.flags = VK_FRAMEBUFFER_CREATE_IMAGELESS_BIT;
  target.renderPass = pass;
  target.attachmentCount = 1;
  target.width = target.height = 16;
  target.layers = 1;
  const auto framebuffer = create<VkFramebuffer, args_vkCreateFramebuffer>(CommandId::vkCreateFramebuffer, target);
  const VkCommandBuffer buffer = commands();
  begin(buffer);
  auto given = of_type<VkRenderPassAttachmentBeginInfo>(VK_STRUCTURE_TYPE_RENDER_PASS_ATTACHMENT_BEGIN_INFO);
  given.attachmentCount = 1;
  given.pAttachments = &of_depth;
  auto begins = of_type<VkRenderPassBeginInfo>(VK_STRUCTURE_TYPE_RENDER_PASS_BEGIN_INFO);
  begins.pNext = &given;
  begins.renderPass = pass;
  begins.framebuffer = framebuffer;
  begins.renderArea.extent = {16, 16};
  capture.call(CommandId::vkCmdBeginRenderPass, args_vkCmdBeginRenderPass{buffer, &begins, VK_SUBPASS_CONTENTS_INLINE});
  capture.call(CommandId::vkCmdEndRenderPass, args_vkCmdEndRenderPass{buffer});
  end(buffer);
  submit({buffer});
  build_plan();
  follow(1);
  EXPECT_EQ(part(0, kDepth).layout, VK_IMAGE_LAYOUT_DEPTH_READ_ONLY_OPTIMAL);
  EXPECT_EQ(part(0, kStencil).layout, kGeneral);
  // Told apart where they differ, together where not.
  const ImageLayouts fresh = [&] {
    ImageLayouts f = tracker_->now().images.at(number(0));
    f.whole = {};
    f.parts.clear();
    return f;
  }();
  const auto since = [&](const ImageLayouts& after) {
    return compare({{{number(0), fresh}}, {}}, {{{number(0), after}}, {}}, [](ObjectId) { return true; }).images;
  };
  EXPECT_EQ(since(tracker_->now().images.at(number(0))).size(), 2u);
  ImageLayouts alike = fresh;
  alike.whole.layout = kGeneral;
  ASSERT_EQ(since(alike).size(), 1u);
  EXPECT_EQ(since(alike)[0].range.aspectMask, kDepth | kStencil);
}

TEST_F(PlayerLayouts, FollowTheOrderInWhichSubmitsRun) {
  const VkImage a = image();
  const VkSemaphoreTypeCreateInfo type{VK_STRUCTURE_TYPE_SEMAPHORE_TYPE_CREATE_INFO, nullptr,
                                       VK_SEMAPHORE_TYPE_TIMELINE, 0};
  auto info = of_type<VkSemaphoreCreateInfo>(VK_STRUCTURE_TYPE_SEMAPHORE_CREATE_INFO);
  info.pNext = &type;
  const auto timeline = create<VkSemaphore, args_vkCreateSemaphore>(CommandId::vkCreateSemaphore, info);
  VkQueue third = handle<VkQueue>(0x4c);
  capture.call(CommandId::vkGetDeviceQueue, args_vkGetDeviceQueue{kDevice, 1, 1, &third});
  submit_to(third, recorded({change(a, kRead, kSampled)}, 1), timeline, 2, 3);
  submit_to(other_, recorded({change(a, kWrite, kRead)}, 1), timeline, 1, 2);
  submit_to(kQueue, recorded({change(a, kUndefined, kWrite)}), timeline, 0, 1);
  build_plan();
  follow(2);
  EXPECT_EQ(part(0).layout, kUndefined);
  follow(3);
  EXPECT_EQ(part(0), (PartLayout{kSampled, 1}));
}

TEST_F(PlayerLayouts, FollowWhatFamiliesGiveAndTake) {
  const VkImage a = image();
  const VkImageMemoryBarrier there = change(a, kWrite, kRead, kAll, 0, 1), back = change(a, kRead, kRead, kAll, 1, 0);
  submit({recorded({change(a, kUndefined, kWrite), there})});
  submit_to(other_, recorded({there, back}, 1));
  submit({recorded({})});
  build_plan();
  follow(1);
  EXPECT_EQ(part(0), (PartLayout{kWrite, 0}));  // until it is taken
  ASSERT_EQ(tracker_->now().transfers.size(), 1u);
  const Layouts before = tracker_->now();
  follow(2);
  EXPECT_EQ(part(0), (PartLayout{kRead, 1}));
  ASSERT_EQ(tracker_->now().transfers.size(), 1u);
  EXPECT_EQ(tracker_->now().transfers[0].source, 1u);
  const LayoutChanges changes = compare(before, tracker_->now(), [](ObjectId) { return true; });
  ASSERT_EQ(changes.unanswered.size(), 1u);
  EXPECT_EQ(changes.unanswered[0].target, 0u);
  ASSERT_EQ(changes.answered.size(), 1u);
  EXPECT_EQ(changes.answered[0].target, 1u);
  ASSERT_EQ(changes.images.size(), 1u);
  EXPECT_EQ(changes.images[0].before, (PartLayout{kWrite, 0}));
  EXPECT_EQ(changes.images[0].after, (PartLayout{kRead, 0}));  // once it is answered
}

TEST_F(PlayerLayouts, OfBuffersKnowWhoGaveThemUp) {
  auto info = of_type<VkBufferCreateInfo>(VK_STRUCTURE_TYPE_BUFFER_CREATE_INFO);
  info.size = 256;
  info.usage = VK_BUFFER_USAGE_TRANSFER_SRC_BIT;
  const auto buffer = create<VkBuffer, args_vkCreateBuffer>(CommandId::vkCreateBuffer, info);
  capture.call(CommandId::vkBindBufferMemory, args_vkBindBufferMemory{kDevice, buffer, allocate(256), 0}, ok());
  const auto half = [&](std::uint32_t family, VkDeviceSize offset, VkDeviceSize size) {
    const VkBufferMemoryBarrier one{VK_STRUCTURE_TYPE_BUFFER_MEMORY_BARRIER, nullptr, 0, 0, 0, 1, buffer, offset, size};
    const VkCommandBuffer made = commands(family);
    begin(made);
    capture.call(CommandId::vkCmdPipelineBarrier,
                 args_vkCmdPipelineBarrier{made, VK_PIPELINE_STAGE_ALL_COMMANDS_BIT, VK_PIPELINE_STAGE_ALL_COMMANDS_BIT,
                                           0, 0, nullptr, 1, &one, 0, nullptr});
    end(made);
    return made;
  };
  submit({half(0, 0, 128)});
  submit({half(0, 128, VK_WHOLE_SIZE)});
  submit_to(other_, half(1, 128, VK_WHOLE_SIZE));
  submit_to(other_, half(1, 0, 128));
  build_plan();
  for (const auto& [submits, given] : {std::pair{1u, 1u}, {2u, 2u}, {3u, 1u}, {4u, 0u}}) {
    follow(submits);
    EXPECT_EQ(tracker_->now().transfers.size(), given) << submits;
    EXPECT_TRUE(submits != 3 || tracker_->now().transfers[0].offset == 0);
  }
}

TEST_F(PlayerLayouts, ForgetImagesThatAreDestroyedUnlessTheyAreToStay) {
  const VkImage a = image(), b = image();
  submit({recorded({change(a, kUndefined, kRead), change(b, kUndefined, kRead)})});
  capture.call(CommandId::vkDestroyImage, args_vkDestroyImage{kDevice, a, nullptr});
  submit({});
  capture.call(CommandId::vkDestroyImage, args_vkDestroyImage{kDevice, b, nullptr});
  submit({});
  build_plan();
  follow(1);
  EXPECT_EQ(tracker_->now().images.size(), 1u);
  tracker_->keep_ended();
  follow(2);
  EXPECT_EQ(part(1).layout, kRead);
}

TEST_F(PlayerLayouts, OfSwapchainsAreThoseOfPlainImages) {
  auto headless = of_type<VkHeadlessSurfaceCreateInfoEXT>(VK_STRUCTURE_TYPE_HEADLESS_SURFACE_CREATE_INFO_EXT);
  auto surface = handle<VkSurfaceKHR>(0xa0);
  capture.call(CommandId::vkCreateHeadlessSurfaceEXT,
               args_vkCreateHeadlessSurfaceEXT{test::kInstance, &headless, nullptr, &surface}, ok());
  auto info = of_type<VkSwapchainCreateInfoKHR>(VK_STRUCTURE_TYPE_SWAPCHAIN_CREATE_INFO_KHR);
  info.surface = surface;
  info.minImageCount = 2;
  info.imageFormat = VK_FORMAT_R8G8B8A8_UNORM;
  info.imageExtent = {16, 16};
  info.imageArrayLayers = 1;
  info.imageUsage = VK_IMAGE_USAGE_TRANSFER_DST_BIT;
  const auto swapchain = create<VkSwapchainKHR, args_vkCreateSwapchainKHR>(CommandId::vkCreateSwapchainKHR, info);
  std::uint32_t count = 2;
  VkImage images[2] = {fresh<VkImage>(), fresh<VkImage>()};
  capture.call(CommandId::vkGetSwapchainImagesKHR, args_vkGetSwapchainImagesKHR{kDevice, swapchain, &count, images},
               ok());
  submit({recorded({change(images[1], kUndefined, VK_IMAGE_LAYOUT_PRESENT_SRC_KHR)})});
  build_plan();
  follow(1);
  EXPECT_EQ(part(0).layout, kUndefined);
  EXPECT_EQ(part(1).layout, kGeneral);  // in a replay
}

// There is no way back to it: it is GENERAL in a loop, and the barriers say so.
TEST_F(PlayerLayouts, OfTheHostBecomeGeneral) {
  const VkImage a = image(VK_FORMAT_R8G8B8A8_UNORM, 1, 1, VK_IMAGE_LAYOUT_PREINITIALIZED),
                b = image(VK_FORMAT_R8G8B8A8_UNORM, 1, 1, VK_IMAGE_LAYOUT_PREINITIALIZED);
  submit({recorded({change(b, VK_IMAGE_LAYOUT_PREINITIALIZED, kRead)})});
  submit({recorded({change(a, VK_IMAGE_LAYOUT_PREINITIALIZED, kRead)})});
  build_plan();
  plan_->span = {static_cast<std::uint32_t>(op_of(CommandId::vkQueueSubmit, 0)) + 1,
                 static_cast<std::uint32_t>(plan_->ops.size())};
  const LayoutChanges changes = find_layout_changes(*plan_, [](ObjectId) { return true; });
  ASSERT_EQ(changes.preinitialized.size(), 1u);
  EXPECT_EQ(changes.preinitialized[0].image, number(0));
  ASSERT_EQ(changes.images.size(), 1u);
  EXPECT_EQ(changes.images[0].before.layout, kGeneral);
  EXPECT_EQ(changes.images[0].after.layout, kRead);
  const auto says = [&](std::size_t n) {
    OpView seen;
    seen.load(*plan_, plan_->ops[op_of(CommandId::vkCmdPipelineBarrier, n)]);
    return seen.as<args_vkCmdPipelineBarrier>().pImageMemoryBarriers->oldLayout;
  };
  EXPECT_EQ(says(0), VK_IMAGE_LAYOUT_PREINITIALIZED);
  EXPECT_EQ(says(1), kGeneral);
}

}  // namespace
}  // namespace rondo::player
