// SPDX-License-Identifier: Apache-2.0
// Dependencies of subpasses of captures written by hand. The right answers come from the specification ("Render Pass").
#include "tests/unit/sync_scene.h"

namespace rondo {
namespace {

using namespace test;
using namespace test::scene;
constexpr VkImageLayout kGeneral = VK_IMAGE_LAYOUT_GENERAL;
constexpr VkPipelineStageFlags kOutput = VK_PIPELINE_STAGE_COLOR_ATTACHMENT_OUTPUT_BIT;

// A pass that clears one attachment where it begins. Its subpasses draw to the attachment, or leave it alone.
struct PassScene : SyncScene {
  void make(const std::vector<bool>& uses, const std::vector<VkSubpassDependency>& dependencies) {
    drawn = image(0x401, VK_FORMAT_R8G8B8A8_UNORM, 1);
    bind(drawn, memory(0x201, 65536), 0);
    VkImageViewCreateInfo view_info{};
    view_info.sType = VK_STRUCTURE_TYPE_IMAGE_VIEW_CREATE_INFO;
    view_info.image = drawn;
    view_info.viewType = VK_IMAGE_VIEW_TYPE_2D;
    view_info.format = VK_FORMAT_R8G8B8A8_UNORM;
    view_info.subresourceRange = {VK_IMAGE_ASPECT_COLOR_BIT, 0, 1, 0, 1};
    VkImageView view = handle<VkImageView>(0x501);
    capture.call(CommandId::vkCreateImageView, args_vkCreateImageView{device, &view_info, nullptr, &view}, kOk);

    const VkAttachmentDescription attachment{0,
                                             VK_FORMAT_R8G8B8A8_UNORM,
                                             VK_SAMPLE_COUNT_1_BIT,
                                             VK_ATTACHMENT_LOAD_OP_CLEAR,
                                             VK_ATTACHMENT_STORE_OP_STORE,
                                             VK_ATTACHMENT_LOAD_OP_DONT_CARE,
                                             VK_ATTACHMENT_STORE_OP_DONT_CARE,
                                             kGeneral,
                                             kGeneral};
    const VkAttachmentReference color{0, kGeneral};
    std::vector<VkSubpassDescription> subpasses;
    for (const bool used : uses) {
      subpasses.emplace_back();
      subpasses.back().colorAttachmentCount = used ? 1 : 0;
      subpasses.back().pColorAttachments = &color;
    }
    VkRenderPassCreateInfo info{};
    info.sType = VK_STRUCTURE_TYPE_RENDER_PASS_CREATE_INFO;
    info.attachmentCount = 1;
    info.pAttachments = &attachment;
    info.subpassCount = static_cast<std::uint32_t>(subpasses.size());
    info.pSubpasses = subpasses.data();
    info.dependencyCount = static_cast<std::uint32_t>(dependencies.size());
    info.pDependencies = dependencies.data();
    capture.call(CommandId::vkCreateRenderPass, args_vkCreateRenderPass{device, &info, nullptr, &pass}, kOk);
    VkFramebufferCreateInfo framebuffer_info{};
    framebuffer_info.sType = VK_STRUCTURE_TYPE_FRAMEBUFFER_CREATE_INFO;
    framebuffer_info.renderPass = pass;
    framebuffer_info.attachmentCount = 1;
    framebuffer_info.pAttachments = &view;
    framebuffer_info.width = framebuffer_info.height = framebuffer_info.layers = 1;
    capture.call(CommandId::vkCreateFramebuffer,
                 args_vkCreateFramebuffer{device, &framebuffer_info, nullptr, &framebuffer}, kOk);
  }
  void begin_pass() {
    const VkClearValue clear{};
    VkRenderPassBeginInfo info{};
    info.sType = VK_STRUCTURE_TYPE_RENDER_PASS_BEGIN_INFO;
    info.renderPass = pass;
    info.framebuffer = framebuffer;
    info.renderArea = {{0, 0}, {1, 1}};
    info.clearValueCount = 1;
    info.pClearValues = &clear;
    record(CommandId::vkCmdBeginRenderPass, args_vkCmdBeginRenderPass{to, &info, VK_SUBPASS_CONTENTS_INLINE});
  }
  void end_pass() { record(CommandId::vkCmdEndRenderPass, args_vkCmdEndRenderPass{to}); }

  VkImage drawn = VK_NULL_HANDLE;
  VkRenderPass pass = handle<VkRenderPass>(0x502);
  VkFramebuffer framebuffer = handle<VkFramebuffer>(0x503);
};

// VkSubpassDependency has the stages of the first form: CLEAR is none of these.
TEST(SyncPasses, NarrowDependenciesByWordsThatTheyHave) {
  PassScene s;
  s.make({true}, {{VK_SUBPASS_EXTERNAL, 0, VK_PIPELINE_STAGE_ALL_COMMANDS_BIT, kOutput, VK_ACCESS_MEMORY_WRITE_BIT,
                   VK_ACCESS_COLOR_ATTACHMENT_WRITE_BIT, 0}});
  s.go(s.commands);
  s.SyncScene::clear(s.drawn);
  s.begin_pass();
  s.end_pass();
  s.GraphScene::submit(s.commands);
  s.capture.finish();
  const auto analysis = analyzers::SyncAnalysis::of(s.file.path());
  ASSERT_TRUE(analysis);
  ASSERT_EQ(analysis->findings().all.size(), 1u);
  const analyzers::SyncFinding& found = analysis->findings().all[0];
  EXPECT_EQ(found.rule, analyzers::SyncRule::too_wide);
  ASSERT_EQ(found.narrow.size(), 1u);
  EXPECT_EQ(found.narrow[0].enough.src_stages, VK_PIPELINE_STAGE_2_ALL_TRANSFER_BIT);
  EXPECT_EQ(found.narrow[0].enough.src_access, VK_ACCESS_2_TRANSFER_WRITE_BIT);
}

}  // namespace
}  // namespace rondo
