// SPDX-License-Identifier: Apache-2.0
// Multiview: subpasses with masks of their own that have holes, dependencies by the view
// with offsets, hints of what goes together, inputs of the same view, queries that count a
// result for each view, clears of attachments in all views; and masks of dynamic rendering.
#include "chapter.h"
#include "varying.frag.h"
#include "viewed.vert.h"
#include "viewed_input.frag.h"

using namespace program;

namespace {

constexpr std::uint32_t kExtent = 8, kTexels = kExtent * kExtent, kLayers = 4;
constexpr VkImageLayout kGeneral = VK_IMAGE_LAYOUT_GENERAL;

VkRenderPass create(Session& s, VkFormat format) {
  VkAttachmentDescription attachments[2];
  for (VkAttachmentDescription& a : attachments)
    a = {0,
         format,
         VK_SAMPLE_COUNT_1_BIT,
         VK_ATTACHMENT_LOAD_OP_CLEAR,
         VK_ATTACHMENT_STORE_OP_STORE,
         VK_ATTACHMENT_LOAD_OP_DONT_CARE,
         VK_ATTACHMENT_STORE_OP_DONT_CARE,
         kGeneral,
         kGeneral};
  const VkAttachmentReference drawn{0, kGeneral}, read{0, kGeneral}, sum{1, kGeneral};
  const VkSubpassDescription subpasses[2] = {
      {.colorAttachmentCount = 1, .pColorAttachments = &drawn},
      {.inputAttachmentCount = 1, .pInputAttachments = &read, .colorAttachmentCount = 1, .pColorAttachments = &sum}};
  VkSubpassDependency dependencies[3] = {everything(VK_SUBPASS_EXTERNAL, 0),
                                         everything(0, 1, VK_DEPENDENCY_BY_REGION_BIT | VK_DEPENDENCY_VIEW_LOCAL_BIT),
                                         everything(1, VK_SUBPASS_EXTERNAL)};
  const std::uint32_t masks[2] = {0b1011, 0b1001}, together[2] = {0b0011, 0b1000};
  const std::int32_t offsets[3] = {0, 0, 0};
  const VkRenderPassMultiviewCreateInfo views{
      VK_STRUCTURE_TYPE_RENDER_PASS_MULTIVIEW_CREATE_INFO, nullptr, 2, masks, 3, offsets, 2, together};
  return create_pass(s, {.sType = VK_STRUCTURE_TYPE_RENDER_PASS_CREATE_INFO,
                         .pNext = &views,
                         .attachmentCount = 2,
                         .pAttachments = attachments,
                         .subpassCount = 2,
                         .pSubpasses = subpasses,
                         .dependencyCount = 3,
                         .pDependencies = dependencies});
}

}  // namespace

int main() {
  Needs needs = drawing_needs();
  NEED(needs, Vulkan11Features, multiview);
  NEED_CORE(needs, occlusionQueryPrecise);
  Session s = open("views", needs);
  VkImageCreateInfo info =
      image_info(VK_FORMAT_R8G8B8A8_UNORM, kExtent,
                 kDrawnAndRead | VK_IMAGE_USAGE_INPUT_ATTACHMENT_BIT | VK_IMAGE_USAGE_TRANSFER_DST_BIT);
  info.arrayLayers = kLayers;
  const Image images[2] = {create_general(s, info, VK_IMAGE_VIEW_TYPE_2D_ARRAY),
                           create_general(s, info, VK_IMAGE_VIEW_TYPE_2D_ARRAY)};
  for (const Image& i : images) clear(s.cmd, i, {.float32 = {1, 1, 1, 1}});
  Pictures p = create_pictures(s, std::size_t{12} * kTexels * 4);
  const MappedBuffer counted = create_readback(s, 64);
  const VkQueryPool queries = create_queries(s, VK_QUERY_TYPE_OCCLUSION, 8);
  constexpr VkDescriptorType type = VK_DESCRIPTOR_TYPE_INPUT_ATTACHMENT;
  const VkDescriptorSetLayout set_layout = create_set_layout(s, {{0, type, 1, VK_SHADER_STAGE_FRAGMENT_BIT, nullptr}});
  const VkDescriptorSet set = create_set(s, set_layout, {type});
  write_image(s, set, 0, images[0].view, kGeneral, VK_NULL_HANDLE, type);

  Drawing d = shapes(s, {set_layout});
  d.stages = {stage(VK_SHADER_STAGE_VERTEX_BIT, shader(s, viewed_vert_spv)),
              stage(VK_SHADER_STAGE_FRAGMENT_BIT, shader(s, varying_frag_spv))};
  d.rendering.viewMask = 0b0101;
  const VkPipeline dynamic = build(s, d);
  d.pass = create(s, VK_FORMAT_R8G8B8A8_UNORM);
  const VkPipeline first = build(s, d);
  d.subpass = 1;
  d.stages[1].module = shader(s, viewed_input_frag_spv);
  const VkPipeline second = build(s, d);
  const VkFramebuffer framebuffer = create_framebuffer(s, d.pass, {images[0].view, images[1].view}, kExtent);

  vkCmdResetQueryPool(s.cmd, queries, 0, 8);
  VkClearValue clears[2]{};
  clears[0].color.float32[1] = clears[1].color.float32[2] = 0.5f;
  const VkRenderPassBeginInfo pass{
      VK_STRUCTURE_TYPE_RENDER_PASS_BEGIN_INFO, nullptr, d.pass, framebuffer, {{0, 0}, {kExtent, kExtent}}, 2, clears};
  const auto draws = [&](VkPipeline pipeline, const Shape& shape) {
    vkCmdBindPipeline(s.cmd, VK_PIPELINE_BIND_POINT_GRAPHICS, pipeline);
    draw(s.cmd, d.layout, shape);
  };
  vkCmdBeginRenderPass(s.cmd, &pass, VK_SUBPASS_CONTENTS_INLINE);
  set_area(s.cmd, kExtent);
  vkCmdBeginQuery(s.cmd, queries, 0, VK_QUERY_CONTROL_PRECISE_BIT);  // three of them
  draws(first, {-1, -1, 0, 0.5f, {1, 0, 0, 1}});
  vkCmdEndQuery(s.cmd, queries, 0);
  const VkClearAttachment blue{VK_IMAGE_ASPECT_COLOR_BIT, 0, {.color = {.float32 = {0, 0, 1, 1}}}};
  const VkClearRect corner{{{6, 6}, {2, 2}}, 0, 1};
  vkCmdClearAttachments(s.cmd, 1, &blue, 1, &corner);
  vkCmdNextSubpass(s.cmd, VK_SUBPASS_CONTENTS_INLINE);
  vkCmdBindDescriptorSets(s.cmd, VK_PIPELINE_BIND_POINT_GRAPHICS, d.layout, 0, 1, &set, 0, nullptr);
  draws(second, {-1, -1, 0.75f, 1, {0, 0, 0, 1}});
  vkCmdEndRenderPass(s.cmd);
  barrier(s.cmd);
  for (const Image& i : images)
    for (std::uint32_t layer = 0; layer < kLayers; ++layer) take(s, p, i, 4, VK_IMAGE_ASPECT_COLOR_BIT, 0, layer);

  const std::vector<VkRenderingAttachmentInfo> colors{attachment(images[0].view, kGeneral, VK_ATTACHMENT_LOAD_OP_LOAD)};
  VkRenderingInfo rendering = rendering_info(kExtent, colors, 0);  // layers are not used
  rendering.viewMask = 0b0101;
  vkCmdBeginRendering(s.cmd, &rendering);
  draws(dynamic, {-0.5f, -0.5f, 0, 0, {0, 1, 0, 1}});
  vkCmdEndRendering(s.cmd);
  for (std::uint32_t layer = 0; layer < kLayers; ++layer) take(s, p, images[0], 4, VK_IMAGE_ASPECT_COLOR_BIT, 0, layer);
  vkCmdCopyQueryPoolResults(s.cmd, queries, 0, 3, counted.buffer, 0, 8,
                            VK_QUERY_RESULT_WAIT_BIT | VK_QUERY_RESULT_WITH_AVAILABILITY_BIT);
  run(s);
  // The third layer of both, and the second of the sum, nobody touches.
  for (const std::size_t untouched : {2, 5, 6})
    EXPECT(s, count(p.out.words + untouched * kTexels, kTexels, kWhite) == kTexels);
  // What the three queries say is another on each driver here.
  add(s, p.out);
  add(s, counted);
  return finish(s);
}
