// SPDX-License-Identifier: Apache-2.0
// What render passes and dynamic rendering do: attachments, layouts, dependencies of subpasses.
#include "tests/unit/effects_scene.h"

namespace rondo::model {
namespace {

using test::handle;
using test::Value;
using test::value_of;

constexpr VkImageLayout kUndefined = VK_IMAGE_LAYOUT_UNDEFINED, kColor = VK_IMAGE_LAYOUT_COLOR_ATTACHMENT_OPTIMAL,
                        kDepth = VK_IMAGE_LAYOUT_DEPTH_STENCIL_ATTACHMENT_OPTIMAL,
                        kRead = VK_IMAGE_LAYOUT_SHADER_READ_ONLY_OPTIMAL, kGeneral = VK_IMAGE_LAYOUT_GENERAL;

class EffectsOfPasses : public test::EffectsScene {
 protected:
  static VkAttachmentDescription attachment(VkFormat format, VkImageLayout from, VkImageLayout to,
                                            VkAttachmentLoadOp load = VK_ATTACHMENT_LOAD_OP_CLEAR) {
    return {0,    format, VK_SAMPLE_COUNT_1_BIT, load, VK_ATTACHMENT_STORE_OP_STORE, load, VK_ATTACHMENT_STORE_OP_STORE,
            from, to};
  }
  void pass(const std::vector<VkAttachmentDescription>& attachments, const std::vector<VkSubpassDescription>& subpasses,
            const std::vector<VkSubpassDependency>& dependencies = {}, const void* chain = nullptr) {
    VkRenderPassCreateInfo info{};
    info.pNext = chain;
    info.attachmentCount = static_cast<std::uint32_t>(attachments.size());
    info.pAttachments = attachments.data();
    info.subpassCount = static_cast<std::uint32_t>(subpasses.size());
    info.pSubpasses = subpasses.data();
    info.dependencyCount = static_cast<std::uint32_t>(dependencies.size());
    info.pDependencies = dependencies.data();
    call(CommandId::vkCreateRenderPass, args_vkCreateRenderPass{device_, &info, nullptr, nullptr}, 0x500);
  }
  static VkSubpassDescription subpass(const VkAttachmentReference* color, const VkAttachmentReference* depth = nullptr,
                                      const VkAttachmentReference* input = nullptr) {
    VkSubpassDescription one{};
    one.colorAttachmentCount = color != nullptr ? 1 : 0;
    one.pColorAttachments = color;
    one.pDepthStencilAttachment = depth;
    one.inputAttachmentCount = input != nullptr ? 1 : 0;
    one.pInputAttachments = input;
    return one;
  }
  void begin_pass() {
    VkRenderPassBeginInfo info{};
    info.renderPass = handle<VkRenderPass>(0x500);
    info.framebuffer = handle<VkFramebuffer>(0x600);
    info.renderArea = {{0, 0}, {16, 16}};
    call(CommandId::vkCmdBeginRenderPass, args_vkCmdBeginRenderPass{commands, &info, VK_SUBPASS_CONTENTS_INLINE});
  }
  void next_subpass() {
    call(CommandId::vkCmdNextSubpass, args_vkCmdNextSubpass{commands, VK_SUBPASS_CONTENTS_INLINE});
  }
  void end_pass() { call(CommandId::vkCmdEndRenderPass, args_vkCmdEndRenderPass{commands}); }
  // "image: from -> to" of each transition.
  std::vector<std::string> changes() const {
    std::vector<std::string> all;
    for (const auto& one : transitions)
      all.push_back(std::to_string(one.resource) + "/" + std::to_string(one.range.aspectMask) + ": " +
                    std::to_string(one.from) + " -> " + std::to_string(one.to));
    return all;
  }
  static std::string change(Value image, VkImageAspectFlags aspects, VkImageLayout from, VkImageLayout to) {
    return std::to_string(image) + "/" + std::to_string(aspects) + ": " + std::to_string(from) + " -> " +
           std::to_string(to);
  }
};

TEST_F(EffectsOfPasses, ChangeLayoutsWhereSubpassesUseThem) {
  const VkImageView color = view(0x20, image(0x200, VK_FORMAT_R8G8B8A8_UNORM), VK_IMAGE_ASPECT_COLOR_BIT);
  framebuffer(0x600, {color});
  const VkAttachmentReference drawn{0, kColor}, read{0, kRead};
  pass({attachment(VK_FORMAT_R8G8B8A8_UNORM, kUndefined, kGeneral)},
       {subpass(&drawn), subpass(nullptr, nullptr, &read)});
  begin(commands);
  begin_pass();
  EXPECT_EQ(changes(), std::vector{change(0x200, 1, kUndefined, kColor)});
  EXPECT_EQ(transitions[0].says, nullptr);  // no member of the call does
  ASSERT_EQ(touches.size(), 1u);
  EXPECT_EQ(touches[0].access, VK_ACCESS_2_COLOR_ATTACHMENT_WRITE_BIT);
  EXPECT_TRUE(touches[0].overwrites);
  ASSERT_EQ(marks.size(), 1u);
  EXPECT_EQ(marks[0].pass, 0x500u);
  next_subpass();
  EXPECT_EQ(changes(), std::vector{change(0x200, 1, kColor, kRead)});
  end_pass();
  EXPECT_EQ(changes(), std::vector{change(0x200, 1, kRead, kGeneral)});
  ASSERT_EQ(touches.size(), 1u);  // it is stored
  EXPECT_EQ(touches[0].access, VK_ACCESS_2_COLOR_ATTACHMENT_WRITE_BIT);
}

TEST_F(EffectsOfPasses, ChangeDepthAndStencilEachForItself) {
  const VkFormat format = VK_FORMAT_D24_UNORM_S8_UINT;
  // A view of one aspect: the pass changes both.
  const VkImageView depth = view(0x20, image(0x200, format), VK_IMAGE_ASPECT_DEPTH_BIT);
  framebuffer(0x600, {depth});
  const VkAttachmentReference drawn{0, kDepth};
  pass({attachment(format, kGeneral, kDepth, VK_ATTACHMENT_LOAD_OP_LOAD)}, {subpass(nullptr, &drawn)});
  begin(commands);
  begin_pass();
  EXPECT_EQ(changes(), (std::vector{change(0x200, VK_IMAGE_ASPECT_DEPTH_BIT, kGeneral, kDepth),
                                    change(0x200, VK_IMAGE_ASPECT_STENCIL_BIT, kGeneral, kDepth)}));
  end_pass();
  EXPECT_TRUE(transitions.empty());  // they are in the layout already
}

TEST_F(EffectsOfPasses, ChangeLayoutsOfAttachmentsThatNobodyUsesAtTheEnd) {
  const VkImageView color = view(0x20, image(0x200, VK_FORMAT_R8_UNORM), VK_IMAGE_ASPECT_COLOR_BIT);
  framebuffer(0x600, {color});
  pass({attachment(VK_FORMAT_R8_UNORM, kUndefined, kGeneral)}, {subpass(nullptr)});
  begin(commands);
  begin_pass();
  EXPECT_TRUE(transitions.empty());
  end_pass();
  EXPECT_EQ(changes(), std::vector{change(0x200, 1, kUndefined, kGeneral)});
}

TEST_F(EffectsOfPasses, HaveImplicitDependenciesWhereLayoutsChangeAndNoneIsSaid) {
  using Barrier = BarrierOf<Value>;
  framebuffer(0x600, {view(0x20, image(0x200, VK_FORMAT_R8_UNORM), VK_IMAGE_ASPECT_COLOR_BIT)});
  const VkAttachmentReference drawn{0, kColor};
  pass({attachment(VK_FORMAT_R8_UNORM, kUndefined, kGeneral)}, {subpass(&drawn)});
  begin(commands);
  begin_pass();
  ASSERT_EQ(barriers.size(), 1u);
  EXPECT_EQ(barriers[0].of, Barrier::Of::subpass_dependency);
  EXPECT_TRUE(barriers[0].implicit);
  EXPECT_EQ(barriers[0].src_subpass, VK_SUBPASS_EXTERNAL);
  EXPECT_EQ(barriers[0].src_stages, VK_PIPELINE_STAGE_2_NONE);
  EXPECT_EQ(barriers[0].dst_stages, VK_PIPELINE_STAGE_2_ALL_COMMANDS_BIT);
  EXPECT_EQ(barriers[0].src_access, 0u);
  EXPECT_NE(barriers[0].dst_access & VK_ACCESS_2_COLOR_ATTACHMENT_WRITE_BIT, 0u);
  end_pass();
  ASSERT_EQ(barriers.size(), 1u);
  EXPECT_TRUE(barriers[0].implicit);
  EXPECT_EQ(barriers[0].dst_subpass, VK_SUBPASS_EXTERNAL);
  EXPECT_EQ(barriers[0].src_stages, VK_PIPELINE_STAGE_2_ALL_COMMANDS_BIT);
  EXPECT_EQ(barriers[0].dst_access, 0u);

  // Said by the pass: that one. And none where the layout stays as it is.
  const VkSubpassDependency said{VK_SUBPASS_EXTERNAL,
                                 0,
                                 VK_PIPELINE_STAGE_TRANSFER_BIT,
                                 VK_PIPELINE_STAGE_COLOR_ATTACHMENT_OUTPUT_BIT,
                                 VK_ACCESS_TRANSFER_WRITE_BIT,
                                 VK_ACCESS_COLOR_ATTACHMENT_WRITE_BIT,
                                 0};
  pass({attachment(VK_FORMAT_R8_UNORM, kUndefined, kColor)}, {subpass(&drawn)}, {said});
  begin_pass();
  ASSERT_EQ(barriers.size(), 1u);
  EXPECT_FALSE(barriers[0].implicit);
  EXPECT_EQ(barriers[0].src_stages, VK_PIPELINE_STAGE_2_ALL_TRANSFER_BIT);
  end_pass();
  EXPECT_TRUE(barriers.empty());
}

TEST_F(EffectsOfPasses, OrderSubpassesByTheirDependencies) {
  framebuffer(0x600, {view(0x20, image(0x200, VK_FORMAT_R8_UNORM), VK_IMAGE_ASPECT_COLOR_BIT)});
  const VkAttachmentReference drawn{0, kGeneral};
  const VkSubpassDependency between{0,
                                    1,
                                    VK_PIPELINE_STAGE_COLOR_ATTACHMENT_OUTPUT_BIT,
                                    VK_PIPELINE_STAGE_FRAGMENT_SHADER_BIT,
                                    VK_ACCESS_COLOR_ATTACHMENT_WRITE_BIT,
                                    VK_ACCESS_INPUT_ATTACHMENT_READ_BIT,
                                    VK_DEPENDENCY_BY_REGION_BIT};
  pass({attachment(VK_FORMAT_R8_UNORM, kGeneral, kGeneral)}, {subpass(&drawn), subpass(&drawn)}, {between});
  begin(commands);
  begin_pass();
  EXPECT_TRUE(barriers.empty());
  next_subpass();
  ASSERT_EQ(barriers.size(), 1u);
  EXPECT_EQ(barriers[0].src_subpass, 0u);
  EXPECT_EQ(barriers[0].dst_subpass, 1u);
  EXPECT_EQ(barriers[0].flags, VkDependencyFlags{VK_DEPENDENCY_BY_REGION_BIT});
  end_pass();
  EXPECT_TRUE(barriers.empty());
}

TEST_F(EffectsOfPasses, UseAsManyQueriesAsTheyHaveViews) {
  framebuffer(0x600, {view(0x20, image(0x200, VK_FORMAT_R8_UNORM, 16, 1, 2), VK_IMAGE_ASPECT_COLOR_BIT)});
  const VkAttachmentReference drawn{0, kGeneral};
  const std::uint32_t mask = 3;
  VkRenderPassMultiviewCreateInfo views{};
  views.sType = VK_STRUCTURE_TYPE_RENDER_PASS_MULTIVIEW_CREATE_INFO;
  views.subpassCount = 1;
  views.pViewMasks = &mask;
  pass({attachment(VK_FORMAT_R8_UNORM, kGeneral, kGeneral)}, {subpass(&drawn)}, {}, &views);
  begin(commands);
  begin_pass();
  EXPECT_FALSE(touches.at(0).overwrites);  // masks say which layers are cleared
  const args_vkCmdWriteTimestamp stamp{commands, VK_PIPELINE_STAGE_TOP_OF_PIPE_BIT, handle<VkQueryPool>(0x400), 0};
  call(CommandId::vkCmdWriteTimestamp, stamp);
  EXPECT_EQ(queries.at(0).count, 2u);
  end_pass();
  call(CommandId::vkCmdWriteTimestamp, stamp);
  EXPECT_EQ(queries.at(0).count, 1u);
}

TEST_F(EffectsOfPasses, OfDynamicRenderingChangeNoLayout) {
  const VkImageView color = view(0x20, image(0x200, VK_FORMAT_R8_UNORM), VK_IMAGE_ASPECT_COLOR_BIT),
                    target = view(0x21, image(0x201, VK_FORMAT_R8_UNORM), VK_IMAGE_ASPECT_COLOR_BIT);
  VkRenderingAttachmentInfo attachment{};
  attachment.imageView = color;
  attachment.imageLayout = kColor;
  attachment.resolveMode = VK_RESOLVE_MODE_AVERAGE_BIT;
  attachment.resolveImageView = target;
  attachment.loadOp = VK_ATTACHMENT_LOAD_OP_LOAD;
  attachment.storeOp = VK_ATTACHMENT_STORE_OP_STORE;
  VkRenderingInfo info{};
  info.renderArea = {{0, 0}, {16, 16}};
  info.layerCount = 1;
  info.colorAttachmentCount = 1;
  info.pColorAttachments = &attachment;
  begin(commands);
  call(CommandId::vkCmdBeginRendering, args_vkCmdBeginRendering{commands, &info});
  ASSERT_EQ(touches.size(), 1u);
  EXPECT_EQ(touches[0].access, VK_ACCESS_2_COLOR_ATTACHMENT_READ_BIT);
  EXPECT_TRUE(effects.commands.find(value_of(commands))->in_pass);
  // What a clear within it reaches.
  const VkClearAttachment clear{VK_IMAGE_ASPECT_COLOR_BIT, 0, {}};
  call(CommandId::vkCmdClearAttachments, args_vkCmdClearAttachments{commands, 1, &clear, 0, nullptr});
  ASSERT_EQ(touches.size(), 1u);
  EXPECT_EQ(touches[0].access, VK_ACCESS_2_COLOR_ATTACHMENT_WRITE_BIT);
  call(CommandId::vkCmdEndRendering, args_vkCmdEndRendering{commands});
  ASSERT_EQ(touches.size(), 3u);  // stored, and resolved
  EXPECT_EQ(touches[1].object, 0x200u);
  EXPECT_EQ(touches[1].access, VK_ACCESS_2_COLOR_ATTACHMENT_READ_BIT);
  EXPECT_EQ(touches[2].object, 0x201u);
  EXPECT_TRUE(touches[2].overwrites);
  EXPECT_TRUE(transitions.empty());
  EXPECT_TRUE(barriers.empty());
  EXPECT_FALSE(effects.commands.find(value_of(commands))->in_pass);
}

TEST_F(EffectsOfPasses, OfSecondariesThatGoOnWithAPassAreOfTheirPrimary) {
  VkCommandBufferInheritanceRenderingInfo rendering{};
  rendering.sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_INHERITANCE_RENDERING_INFO;
  rendering.viewMask = 7;
  VkCommandBufferInheritanceInfo inherited{};
  inherited.pNext = &rendering;
  VkCommandBufferBeginInfo info{};
  info.flags = VK_COMMAND_BUFFER_USAGE_RENDER_PASS_CONTINUE_BIT;
  info.pInheritanceInfo = &inherited;
  begin(commands, info);
  const auto* recording = effects.commands.find(value_of(commands));
  EXPECT_TRUE(recording->inherits);
  EXPECT_TRUE(recording->in_pass);
  EXPECT_EQ(recording->views_drawn, 3u);
  const VkClearAttachment clear{VK_IMAGE_ASPECT_DEPTH_BIT, 0, {}};
  call(CommandId::vkCmdClearAttachments, args_vkCmdClearAttachments{commands, 1, &clear, 0, nullptr});
  EXPECT_TRUE(touches.empty());
  EXPECT_EQ(cleared, VkImageAspectFlags{VK_IMAGE_ASPECT_DEPTH_BIT});
}

}  // namespace
}  // namespace rondo::model
