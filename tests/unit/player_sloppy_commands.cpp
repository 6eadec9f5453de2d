// SPDX-License-Identifier: Apache-2.0
// Ranges, counts and states that programs got wrong without harm, and what of
// their kind is refused.
#include "tests/unit/player_sloppy.h"

namespace rondo::test {
namespace {

class SloppyCommands : public Sloppy {
 protected:
  VkBufferMemoryBarrier barrier(VkBuffer of, VkDeviceSize offset, VkDeviceSize size) {
    auto barrier = of_type<VkBufferMemoryBarrier>(VK_STRUCTURE_TYPE_BUFFER_MEMORY_BARRIER);
    barrier.buffer = of;
    barrier.offset = offset;
    barrier.size = size;
    return barrier;
  }
  void image_barrier(VkImage of, const VkImageSubresourceRange& range) {
    auto barrier = of_type<VkImageMemoryBarrier>(VK_STRUCTURE_TYPE_IMAGE_MEMORY_BARRIER);
    barrier.image = of;
    barrier.subresourceRange = range;
    constexpr auto kAll = VK_PIPELINE_STAGE_ALL_COMMANDS_BIT;
    capture.call(CommandId::vkCmdPipelineBarrier,
                 args_vkCmdPipelineBarrier{recording(), kAll, kAll, 0, 0, nullptr, 0, nullptr, 1, &barrier});
  }
  VkQueryPool queries() {
    auto info = of_type<VkQueryPoolCreateInfo>(VK_STRUCTURE_TYPE_QUERY_POOL_CREATE_INFO);
    info.queryType = VK_QUERY_TYPE_OCCLUSION;
    info.queryCount = 2;
    return create<VkQueryPool, args_vkCreateQueryPool>(CommandId::vkCreateQueryPool, info);
  }
  VkBufferView view(VkBuffer of) {
    auto info = of_type<VkBufferViewCreateInfo>(VK_STRUCTURE_TYPE_BUFFER_VIEW_CREATE_INFO);
    info.buffer = of;
    info.format = VK_FORMAT_R32_UINT;
    info.range = VK_WHOLE_SIZE;
    return create<VkBufferView, args_vkCreateBufferView>(CommandId::vkCreateBufferView, info);
  }
  VkImageView image_view(std::uint32_t size, VkFormat format = VK_FORMAT_R8G8B8A8_UNORM) {
    auto info = of_type<VkImageViewCreateInfo>(VK_STRUCTURE_TYPE_IMAGE_VIEW_CREATE_INFO);
    const bool color = format == VK_FORMAT_R8G8B8A8_UNORM;
    info.image = image(size, size, 1, true, format);
    info.viewType = VK_IMAGE_VIEW_TYPE_2D;
    info.format = format;
    info.subresourceRange = {VkImageAspectFlags(color ? VK_IMAGE_ASPECT_COLOR_BIT : VK_IMAGE_ASPECT_STENCIL_BIT), 0, 1,
                             0, 1};
    return create<VkImageView, args_vkCreateImageView>(CommandId::vkCreateImageView, info);
  }
  VkRenderPass pass(std::uint32_t attachments, VkAttachmentLoadOp stencil = VK_ATTACHMENT_LOAD_OP_DONT_CARE,
                    VkFormat format = VK_FORMAT_R8G8B8A8_UNORM) {
    std::vector<VkAttachmentDescription> all(attachments);
    std::vector<VkAttachmentReference> references(attachments);
    for (std::uint32_t i = 0; i < attachments; ++i) {
      all[i].format = format;
      all[i].samples = VK_SAMPLE_COUNT_1_BIT;
      all[i].loadOp = VK_ATTACHMENT_LOAD_OP_LOAD;
      all[i].stencilLoadOp = stencil;
      all[i].finalLayout = VK_IMAGE_LAYOUT_GENERAL;
      references[i] = {i, VK_IMAGE_LAYOUT_GENERAL};
    }
    VkSubpassDescription subpass{};
    subpass.colorAttachmentCount = attachments;
    subpass.pColorAttachments = references.data();
    auto info = of_type<VkRenderPassCreateInfo>(VK_STRUCTURE_TYPE_RENDER_PASS_CREATE_INFO);
    info.attachmentCount = attachments;
    info.pAttachments = all.data();
    info.subpassCount = 1;
    info.pSubpasses = &subpass;
    return create<VkRenderPass, args_vkCreateRenderPass>(CommandId::vkCreateRenderPass, info);
  }
  VkFramebuffer framebuffer(VkRenderPass of, const std::vector<VkImageView>& views) {
    auto info = of_type<VkFramebufferCreateInfo>(VK_STRUCTURE_TYPE_FRAMEBUFFER_CREATE_INFO);
    info.renderPass = of;
    info.attachmentCount = static_cast<std::uint32_t>(views.size());
    info.pAttachments = views.data();
    info.width = info.height = 16;
    info.layers = 1;
    return create<VkFramebuffer, args_vkCreateFramebuffer>(CommandId::vkCreateFramebuffer, info);
  }
  VkCommandBuffer in_pass(VkRenderPass pass, VkFramebuffer framebuffer) {
    const VkCommandBuffer made = recording();
    auto info = of_type<VkRenderPassBeginInfo>(VK_STRUCTURE_TYPE_RENDER_PASS_BEGIN_INFO);
    info.renderPass = pass;
    info.framebuffer = framebuffer;
    info.renderArea = {{0, 0}, {16, 16}};
    capture.call(CommandId::vkCmdBeginRenderPass, args_vkCmdBeginRenderPass{made, &info, VK_SUBPASS_CONTENTS_INLINE});
    return made;
  }
  VkCommandBuffer in_pass() {
    const VkRenderPass made = pass(1);
    return in_pass(made, framebuffer(made, {image_view(16)}));
  }
  void clear(VkCommandBuffer commands, std::uint32_t color, std::vector<VkClearRect> rects) {
    const VkClearAttachment attachment{VK_IMAGE_ASPECT_COLOR_BIT, color, {}};
    capture.call(
        CommandId::vkCmdClearAttachments,
        args_vkCmdClearAttachments{commands, 1, &attachment, static_cast<std::uint32_t>(rects.size()), rects.data()});
  }
  static std::size_t count(const player::Plan& plan, CommandId id) {
    std::size_t found = 0;
    for (const player::Op& op : plan.ops) found += op.command == id;
    return found;
  }
};

TEST_F(SloppyCommands, BarriersEndWithTheirBuffer) {
  const auto one = barrier(buffer(64), 32, 64);
  constexpr auto kAll = VK_PIPELINE_STAGE_ALL_COMMANDS_BIT;
  capture.call(CommandId::vkCmdPipelineBarrier,
               args_vkCmdPipelineBarrier{recording(), kAll, kAll, 0, 0, nullptr, 1, &one, 0, nullptr});
  const auto built = plan();
  const auto* args = last<args_vkCmdPipelineBarrier>(*built, CommandId::vkCmdPipelineBarrier);
  ASSERT_NE(args, nullptr);
  EXPECT_EQ(behind(args, args->pBufferMemoryBarriers).offset, 0u);
  EXPECT_EQ(behind(args, args->pBufferMemoryBarriers).size, VK_WHOLE_SIZE);
}
TEST_F(SloppyCommands, BarriersEndWithTheirImage) {
  image_barrier(image(16, 16, 2), {VK_IMAGE_ASPECT_COLOR_BIT, 1, 5, 0, 3});
  const auto built = plan();
  const auto* args = last<args_vkCmdPipelineBarrier>(*built, CommandId::vkCmdPipelineBarrier);
  ASSERT_NE(args, nullptr);
  EXPECT_EQ(behind(args, args->pImageMemoryBarriers).subresourceRange.levelCount, 1u);
  EXPECT_EQ(behind(args, args->pImageMemoryBarriers).subresourceRange.layerCount, 1u);
}
TEST_F(SloppyCommands, BarriersBeginInTheirImage) {
  image_barrier(image(16, 16, 2), {VK_IMAGE_ASPECT_COLOR_BIT, 2, 1, 0, 1});
  refuses("subresourceRange is outside VkImage#0");
}
TEST_F(SloppyCommands, RecordingsBegunTwiceAreReset) {
  const VkCommandBuffer twice = recording();
  begin(twice);
  const auto built = plan();
  ASSERT_EQ(built->settles.size(), 1u);
  EXPECT_EQ(built->name(built->settles[0].commands), "VkCommandBuffer#0");
  EXPECT_EQ(built->settles[0].pool, ObjectId::null);
  const auto* args = last<args_vkCreateCommandPool>(*built, CommandId::vkCreateCommandPool);
  EXPECT_NE(behind(args, args->pCreateInfo).flags & VK_COMMAND_POOL_CREATE_RESET_COMMAND_BUFFER_BIT, 0u);
}
TEST_F(SloppyCommands, QueriesLeftOpenAreEnded) {
  const VkQueryPool pool = queries();
  const VkCommandBuffer made = recording();
  capture.call(CommandId::vkCmdBeginQuery, args_vkCmdBeginQuery{made, pool, 1, 0});
  end(made);
  const auto built = plan();
  ASSERT_EQ(built->settles.size(), 1u);
  EXPECT_EQ(built->name(built->settles[0].pool), "VkQueryPool#0");
  EXPECT_EQ(built->settles[0].query, 1u);
}
TEST_F(SloppyCommands, QueriesOfAPassEndWithIt) {
  const VkQueryPool pool = queries();
  const VkCommandBuffer made = in_pass();
  capture.call(CommandId::vkCmdBeginQuery, args_vkCmdBeginQuery{made, pool, 0, 0});
  capture.call(CommandId::vkCmdEndRenderPass, args_vkCmdEndRenderPass{made});
  end(made);
  const auto built = plan();
  ASSERT_EQ(built->settles.size(), 1u);
  EXPECT_EQ(built->settles[0].op, built->ops.size() - 2);
}
TEST_F(SloppyCommands, BuffersMayBeFilledWithinAPass) {
  const VkBuffer made = buffer(64);
  capture.call(CommandId::vkCmdFillBuffer, args_vkCmdFillBuffer{in_pass(), made, 0, 64, 0});
  accepts();
}
TEST_F(SloppyCommands, ViewsMadeBeforeTheBindAreMadeBehindIt) {
  const VkBuffer made = buffer(64, false);
  view(made);
  capture.call(CommandId::vkBindBufferMemory, args_vkBindBufferMemory{kDevice, made, allocate(64), 0}, ok());
  const auto built = plan();
  EXPECT_EQ(built->ops.back().command, CommandId::vkCreateBufferView);
  EXPECT_EQ(count(*built, CommandId::vkCreateBufferView), 1u);
}
TEST_F(SloppyCommands, ViewsThatWereNeverUsableAreNotMade) {
  const VkBufferView made = view(buffer(64, false));
  capture.call(CommandId::vkDestroyBufferView, args_vkDestroyBufferView{kDevice, made, nullptr});
  const auto built = plan();
  EXPECT_EQ(count(*built, CommandId::vkCreateBufferView), 0u);
  EXPECT_EQ(count(*built, CommandId::vkDestroyBufferView), 0u);
}
TEST_F(SloppyCommands, StencilsOfColorFormatsNeedNoClearValue) {
  const VkRenderPass made = pass(1, VK_ATTACHMENT_LOAD_OP_CLEAR);
  in_pass(made, framebuffer(made, {image_view(16)}));
  accepts();
}
TEST_F(SloppyCommands, StencilsNeedAClearValue) {
  const VkRenderPass made = pass(1, VK_ATTACHMENT_LOAD_OP_CLEAR, VK_FORMAT_D32_SFLOAT_S8_UINT);
  in_pass(made, framebuffer(made, {image_view(16, VK_FORMAT_D32_SFLOAT_S8_UINT)}));
  refuses("has 0 clear values, and VkRenderPass#0 needs 1");
}
TEST_F(SloppyCommands, EveryAttachmentIsAsLargeAsTheFramebuffer) {
  framebuffer(pass(2), {image_view(16), image_view(4)});
  refuses("VkImageView#1 is smaller than the framebuffer");
}
TEST_F(SloppyCommands, AttachmentsMayBeLarger) {
  framebuffer(pass(2), {image_view(16), image_view(32)});
  accepts();
}
TEST_F(SloppyCommands, ClearsStayInTheirPass) {
  clear(in_pass(), 0, {{{{-4, 8}, {4096, 4}}, 0, 9}, {{{0, 0}, {4, 4}}, 50, 1}, {{{0, 0}, {4, 4}}, 0, 1}});
  const auto built = plan();
  const auto* args = last<args_vkCmdClearAttachments>(*built, CommandId::vkCmdClearAttachments);
  ASSERT_NE(args, nullptr);
  ASSERT_EQ(args->rectCount, 2u);
  const VkClearRect* rects = &behind(args, args->pRects);
  EXPECT_EQ(rects[0].rect.offset.x, 0);
  EXPECT_EQ(rects[0].rect.extent.width, 16u);
  EXPECT_EQ(rects[0].layerCount, 1u);
  EXPECT_EQ(rects[1].rect.extent.width, 4u);
}
TEST_F(SloppyCommands, ClearsOutsideOfTheirPassAreLeftOut) {
  clear(in_pass(), 0, {{{{16, 0}, {4, 4}}, 0, 1}});
  EXPECT_EQ(count(*plan(), CommandId::vkCmdClearAttachments), 0u);
}
TEST_F(SloppyCommands, ClearsNameAttachmentsThatAreThere) {
  clear(in_pass(), 7, {{{{0, 0}, {4, 4}}, 0, 1}});
  refuses("clears color attachment 7 of 1");
}

}  // namespace
}  // namespace rondo::test
