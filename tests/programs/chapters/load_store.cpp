// SPDX-License-Identifier: Apache-2.0
// Attachments' operations mixed in one pass: loaded, cleared and left as they are,
// depth apart from stencil, on a part of the framebuffer; passes in a chain that
// hand their images from layout to layout; clears whose values nobody uses.
#include "chapter.h"

using namespace program;

namespace {

constexpr std::uint32_t kExtent = 16, kTexels = kExtent * kExtent;
constexpr VkFormat kBehind = VK_FORMAT_D32_SFLOAT_S8_UINT;
constexpr VkAttachmentLoadOp kLoad = VK_ATTACHMENT_LOAD_OP_LOAD, kClear = VK_ATTACHMENT_LOAD_OP_CLEAR;
constexpr VkAttachmentStoreOp kStore = VK_ATTACHMENT_STORE_OP_STORE;

struct Ops {
  VkAttachmentLoadOp colors[3], depth, stencil;
  VkImageLayout before, behind;
};

VkRenderPass create(Session& s, const Ops& ops) {
  VkAttachmentDescription attachments[4];
  VkAttachmentReference colors[3];
  for (std::uint32_t i = 0; i < 3; ++i) {
    attachments[i] = {0,
                      VK_FORMAT_R8G8B8A8_UNORM,
                      VK_SAMPLE_COUNT_1_BIT,
                      ops.colors[i],
                      kStore,
                      kClear,
                      VK_ATTACHMENT_STORE_OP_DONT_CARE,  // not used by colours
                      ops.before,
                      ops.behind};
    colors[i] = {i, VK_IMAGE_LAYOUT_COLOR_ATTACHMENT_OPTIMAL};
  }
  attachments[3] = {0,
                    kBehind,
                    VK_SAMPLE_COUNT_1_BIT,
                    ops.depth,
                    kStore,
                    ops.stencil,
                    kStore,
                    VK_IMAGE_LAYOUT_GENERAL,
                    VK_IMAGE_LAYOUT_GENERAL};
  const VkAttachmentReference depth{3, VK_IMAGE_LAYOUT_DEPTH_STENCIL_ATTACHMENT_OPTIMAL};
  const VkSubpassDescription subpass{
      .colorAttachmentCount = 3, .pColorAttachments = colors, .pDepthStencilAttachment = &depth};
  const VkSubpassDependency dependencies[2] = {everything(VK_SUBPASS_EXTERNAL, 0), everything(0, VK_SUBPASS_EXTERNAL)};
  return create_pass(s, {.sType = VK_STRUCTURE_TYPE_RENDER_PASS_CREATE_INFO,
                         .attachmentCount = 4,
                         .pAttachments = attachments,
                         .subpassCount = 1,
                         .pSubpasses = &subpass,
                         .dependencyCount = 2,
                         .pDependencies = dependencies});
}

}  // namespace

int main() {
  Needs needs;
  NEED_CORE(needs, independentBlend);
  Session s = open("load_store", needs);
  Image colors[3];
  for (Image& i : colors) {
    i = create_canvas(s, kExtent);
    clear(s.cmd, i, {.float32 = {0, 0, 0.5f, 0}});
  }
  const Image behind = create_general(s,
                                      image_info(kBehind, kExtent,
                                                 VK_IMAGE_USAGE_DEPTH_STENCIL_ATTACHMENT_BIT |
                                                     VK_IMAGE_USAGE_TRANSFER_SRC_BIT | VK_IMAGE_USAGE_TRANSFER_DST_BIT),
                                      VK_IMAGE_VIEW_TYPE_2D, kDepthAndStencil);
  const VkClearDepthStencilValue half{0.5f, 0x55};
  vkCmdClearDepthStencilImage(s.cmd, behind.image, VK_IMAGE_LAYOUT_GENERAL, &half, 1, &behind.range);
  barrier(s.cmd);
  constexpr VkImageLayout general = VK_IMAGE_LAYOUT_GENERAL, source = VK_IMAGE_LAYOUT_TRANSFER_SRC_OPTIMAL;
  const Ops all[3] = {{{kLoad, kClear, kLoad}, kLoad, kClear, general, source},
                      {{kClear, kLoad, kLoad}, kClear, kLoad, source, VK_IMAGE_LAYOUT_COLOR_ATTACHMENT_OPTIMAL},
                      {{kLoad, kLoad, kClear}, kLoad, kLoad, VK_IMAGE_LAYOUT_COLOR_ATTACHMENT_OPTIMAL, general}};
  const VkRect2D areas[3] = {{{2, 3}, {9, 8}}, {{0, 0}, {16, 5}}, {{8, 8}, {8, 8}}};

  Drawing d = shapes(s);
  d.attachments = {{.colorWriteMask = 0x3}, {.colorWriteMask = 0}, {.colorWriteMask = 0}};
  d.depth.depthTestEnable = d.depth.depthWriteEnable = d.depth.stencilTestEnable = VK_TRUE;
  d.depth.depthCompareOp = VK_COMPARE_OP_LESS;
  d.depth.front = {VK_STENCIL_OP_INCREMENT_AND_WRAP,
                   VK_STENCIL_OP_INVERT,
                   VK_STENCIL_OP_DECREMENT_AND_CLAMP,
                   VK_COMPARE_OP_GREATER,
                   0xff,
                   0xff,
                   0x80};
  d.depth.back = d.depth.front;
  Pictures p = create_pictures(s, std::size_t{5} * kTexels * 4);
  for (int i = 0; i < 3; ++i) {
    d.pass = create(s, all[i]);
    const VkPipeline pipeline = build(s, d);
    const VkFramebuffer framebuffer =
        create_framebuffer(s, d.pass, {colors[0].view, colors[1].view, colors[2].view, behind.view}, kExtent);
    VkClearValue clears[4]{};
    for (VkClearValue& c : clears) c.color.float32[i] = 1;
    clears[3].depthStencil = {1, 0x90u + static_cast<std::uint32_t>(i)};
    const VkRenderPassBeginInfo pass{
        VK_STRUCTURE_TYPE_RENDER_PASS_BEGIN_INFO, nullptr, d.pass, framebuffer, areas[i], 4, clears};
    vkCmdBeginRenderPass(s.cmd, &pass, VK_SUBPASS_CONTENTS_INLINE);
    set_area(s.cmd, kExtent);
    vkCmdSetScissor(s.cmd, 0, 1, &areas[i]);
    vkCmdBindPipeline(s.cmd, VK_PIPELINE_BIND_POINT_GRAPHICS, pipeline);
    draw(s.cmd, d.layout, {-0.75f, -0.75f, 0.5f, 0.5f, {1, 0.5f, 0.25f, 1}, 0.25f});
    draw(s.cmd, d.layout, {-0.25f, -0.5f, 1, 1, {0, 1, 1, 1}, 0.375f});
    vkCmdEndRenderPass(s.cmd);
  }
  for (const Image& i : colors) take(s, p, i);
  const std::uint32_t* depths = take(s, p, behind, 4, VK_IMAGE_ASPECT_DEPTH_BIT);
  take(s, p, behind, 1, VK_IMAGE_ASPECT_STENCIL_BIT);
  run(s);
  EXPECT(s, count(p.out.words, kTexels, 0x00800000) > 0);  // outside of all areas
  EXPECT(s, count(depths, kTexels, 0x3f000000) > 0 && count(depths, kTexels, 0x3f800000) > 0);
  add(s, p.out);
  return finish(s);
}
