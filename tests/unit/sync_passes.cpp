// SPDX-License-Identifier: Apache-2.0
// Races of render passes written by hand. The right answers come from the specification ("Render Pass", "Load
// Operations").
#include "tests/unit/sync_scene.h"

namespace rondo {
namespace {

using namespace test;
using namespace test::scene;
using Found = std::vector<std::string>;

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
  void next_subpass() { record(CommandId::vkCmdNextSubpass, args_vkCmdNextSubpass{to, VK_SUBPASS_CONTENTS_INLINE}); }
  void clear_attachment() {
    const VkClearAttachment what{VK_IMAGE_ASPECT_COLOR_BIT, 0, {}};
    const VkClearRect all{{{0, 0}, {1, 1}}, 0, 1};
    record(CommandId::vkCmdClearAttachments, args_vkCmdClearAttachments{to, 1, &what, 1, &all});
  }
  void end_pass() { record(CommandId::vkCmdEndRenderPass, args_vkCmdEndRenderPass{to}); }

  VkImage drawn = VK_NULL_HANDLE;
  VkRenderPass pass = handle<VkRenderPass>(0x502);
  VkFramebuffer framebuffer = handle<VkFramebuffer>(0x503);
};

// Each subpass writes the attachment, if it uses it and is one of `writes`.
Found found_in_pass(const std::vector<bool>& uses, const std::vector<VkSubpassDependency>& dependencies,
                    const std::vector<bool>& writes) {
  PassScene s;
  s.make(uses, dependencies);
  s.go(s.commands);
  s.begin_pass();
  for (std::size_t i = 0; i < uses.size(); ++i) {
    if (i != 0) s.next_subpass();
    if (writes[i]) s.clear_attachment();
  }
  s.end_pass();
  s.GraphScene::submit(s.commands);
  return s.findings();
}

// "The load operation for each sample in an attachment happens-before any recorded command which accesses the sample in
// the first subpass where the attachment is used." It says so of the first subpass alone.
TEST(SyncPasses, OrderTheLoadBeforeTheFirstSubpassThatUsesTheAttachment) {
  const VkSubpassDependency right{
      0, 1, kOutput, kOutput, VK_ACCESS_COLOR_ATTACHMENT_WRITE_BIT, VK_ACCESS_COLOR_ATTACHMENT_WRITE_BIT, 0};
  EXPECT_EQ(found_in_pass({true}, {}, {true}), Found{});
  EXPECT_EQ(found_in_pass({true, true}, {right}, {false, true}), Found{});
  EXPECT_EQ(found_in_pass({true, true}, {}, {false, true}), Found{"WAW c0 c2"});
  EXPECT_EQ(found_in_pass({true, true}, {}, {true, true}), Found{"WAW c1 c3"});
  // The second subpass is the first one that uses it: it is loaded there.
  EXPECT_EQ(found_in_pass({false, true}, {}, {false, true}), Found{});
}

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
