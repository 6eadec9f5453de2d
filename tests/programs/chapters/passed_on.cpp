// SPDX-License-Identifier: Apache-2.0
// Secondary command buffers within render passes: of each subpass, with and without a
// framebuffer, executed twice and in several passes at once, mixed with inline subpasses,
// with clears, with nothing in them; state that is bound again behind them.
#include "chapter.h"
#include "depth_input.frag.h"

using namespace program;

namespace {

constexpr std::uint32_t kExtent = 8, kTexels = kExtent * kExtent;
constexpr VkImageLayout kGeneral = VK_IMAGE_LAYOUT_GENERAL;
constexpr VkFormat kFormats[2] = {VK_FORMAT_R8G8B8A8_UNORM, VK_FORMAT_R32G32B32A32_SFLOAT};

VkRenderPass create(Session& s) {
  VkAttachmentDescription attachments[2];
  for (int i = 0; i < 2; ++i)
    attachments[i] = {0,
                      kFormats[i],
                      VK_SAMPLE_COUNT_1_BIT,
                      VK_ATTACHMENT_LOAD_OP_CLEAR,
                      VK_ATTACHMENT_STORE_OP_STORE,
                      VK_ATTACHMENT_LOAD_OP_DONT_CARE,
                      VK_ATTACHMENT_STORE_OP_DONT_CARE,
                      kGeneral,
                      kGeneral};
  const VkAttachmentReference first{0, kGeneral}, second{1, kGeneral};
  const VkSubpassDescription subpasses[3] = {
      {.colorAttachmentCount = 1, .pColorAttachments = &first},
      {.inputAttachmentCount = 1, .pInputAttachments = &first, .colorAttachmentCount = 1, .pColorAttachments = &second},
      {.colorAttachmentCount = 1, .pColorAttachments = &first}};
  const VkSubpassDependency dependencies[4] = {everything(VK_SUBPASS_EXTERNAL, 0), everything(0, 1), everything(1, 2),
                                               everything(2, VK_SUBPASS_EXTERNAL)};
  return create_pass(s, {.sType = VK_STRUCTURE_TYPE_RENDER_PASS_CREATE_INFO,
                         .attachmentCount = 2,
                         .pAttachments = attachments,
                         .subpassCount = 3,
                         .pSubpasses = subpasses,
                         .dependencyCount = 4,
                         .pDependencies = dependencies});
}

template <class Record>
VkCommandBuffer secondary(Session& s, VkRenderPass pass, std::uint32_t subpass, VkFramebuffer framebuffer,
                          const Record& record) {
  const VkCommandBufferAllocateInfo info{VK_STRUCTURE_TYPE_COMMAND_BUFFER_ALLOCATE_INFO, nullptr, s.commands.pool,
                                         VK_COMMAND_BUFFER_LEVEL_SECONDARY, 1};
  VkCommandBuffer buffer;
  CHECK(vkAllocateCommandBuffers(s.device, &info, &buffer));
  const VkCommandBufferInheritanceInfo inherited{VK_STRUCTURE_TYPE_COMMAND_BUFFER_INHERITANCE_INFO, nullptr, pass,
                                                 subpass, framebuffer};
  const VkCommandBufferBeginInfo begins{
      VK_STRUCTURE_TYPE_COMMAND_BUFFER_BEGIN_INFO, nullptr,
      VK_COMMAND_BUFFER_USAGE_RENDER_PASS_CONTINUE_BIT | VK_COMMAND_BUFFER_USAGE_SIMULTANEOUS_USE_BIT, &inherited};
  CHECK(vkBeginCommandBuffer(buffer, &begins));
  record(buffer);
  CHECK(vkEndCommandBuffer(buffer));
  return buffer;
}

}  // namespace

int main() {
  Needs needs;
  Session s = open("passed_on", needs);
  Image images[2][2];
  for (auto& pair : images)
    for (int i = 0; i < 2; ++i)
      pair[i] =
          create_general(s, image_info(kFormats[i], kExtent, kDrawnAndRead | VK_IMAGE_USAGE_INPUT_ATTACHMENT_BIT));
  Pictures p = create_pictures(s, std::size_t{2} * kTexels * (4 + 16));
  constexpr VkDescriptorType type = VK_DESCRIPTOR_TYPE_INPUT_ATTACHMENT;
  const VkDescriptorSetLayout set_layout = create_set_layout(s, {{0, type, 1, VK_SHADER_STAGE_FRAGMENT_BIT, nullptr}});
  VkDescriptorSet sets[2];
  Drawing d = shapes(s, {set_layout});
  d.pass = create(s);
  const VkPipeline draws = build(s, d);
  d.subpass = 2;
  const VkPipeline draws_again = build(s, d);
  d.subpass = 1;
  d.stages[1] = stage(VK_SHADER_STAGE_FRAGMENT_BIT, shader(s, depth_input_frag_spv));
  const VkPipeline reads = build(s, d);
  VkFramebuffer framebuffers[2];
  for (int i = 0; i < 2; ++i) {
    sets[i] = create_set(s, set_layout, {type});
    write_image(s, sets[i], 0, images[i][0].view, kGeneral, VK_NULL_HANDLE, type);
    framebuffers[i] = create_framebuffer(s, d.pass, {images[i][0].view, images[i][1].view}, kExtent);
  }
  const auto shape = [&](VkCommandBuffer cmd, VkPipeline pipeline, const Shape& what) {
    set_area(cmd, kExtent);
    vkCmdBindPipeline(cmd, VK_PIPELINE_BIND_POINT_GRAPHICS, pipeline);
    draw(cmd, d.layout, what);
  };
  const auto clears = [](VkCommandBuffer cmd, std::int32_t at) {
    const VkClearAttachment green{VK_IMAGE_ASPECT_COLOR_BIT, 0, {.color = {.float32 = {0, 1, 0, 1}}}};
    const VkClearRect rect{{{at, at}, {2, 2}}, 0, 1};
    vkCmdClearAttachments(cmd, 1, &green, 1, &rect);
  };
  // For either framebuffer, for the first alone, and of nothing.
  const VkCommandBuffer any = secondary(s, d.pass, 0, VK_NULL_HANDLE, [&](VkCommandBuffer cmd) {
    shape(cmd, draws, {-1, -1, 0, 0.5f, {1, 0, 0, 1}});
    clears(cmd, 5);
  });
  const VkCommandBuffer only = secondary(s, d.pass, 0, framebuffers[0], [&](VkCommandBuffer cmd) {
    shape(cmd, draws, {0, 0, 0.5f, 0.5f, {0, 0, 1, 1}});
  });
  const VkCommandBuffer nothing = secondary(s, d.pass, 0, VK_NULL_HANDLE, [](VkCommandBuffer) {});
  const VkCommandBuffer last = secondary(s, d.pass, 2, VK_NULL_HANDLE, [&](VkCommandBuffer cmd) {
    shape(cmd, draws_again, {0.25f, -1, 1, 0, {0.5f, 0.5f, 0.5f, 1}});
  });
  VkClearValue values[2]{};
  values[0].color.float32[2] = 0.25f;
  for (int i = 0; i < 2; ++i) {
    const VkRenderPassBeginInfo pass{VK_STRUCTURE_TYPE_RENDER_PASS_BEGIN_INFO,
                                     nullptr,
                                     d.pass,
                                     framebuffers[i],
                                     {{0, 0}, {kExtent, kExtent}},
                                     2,
                                     values};
    vkCmdBeginRenderPass(s.cmd, &pass, VK_SUBPASS_CONTENTS_SECONDARY_COMMAND_BUFFERS);
    const VkCommandBuffer first[3] = {nothing, any, only};
    vkCmdExecuteCommands(s.cmd, i == 0 ? 3 : 2, first);
    if (i == 1) vkCmdExecuteCommands(s.cmd, 1, &any);
    vkCmdNextSubpass(s.cmd, VK_SUBPASS_CONTENTS_INLINE);
    vkCmdBindDescriptorSets(s.cmd, VK_PIPELINE_BIND_POINT_GRAPHICS, d.layout, 0, 1, &sets[i], 0, nullptr);
    shape(s.cmd, reads, {-1, -1, 1, 0.75f, {}, 0.125f});
    clears(s.cmd, 6);
    vkCmdNextSubpass(s.cmd, VK_SUBPASS_CONTENTS_SECONDARY_COMMAND_BUFFERS);
    vkCmdExecuteCommands(s.cmd, 1, &last);
    vkCmdEndRenderPass(s.cmd);
  }
  const std::uint32_t* drawn[2];
  for (int i = 0; i < 2; ++i) {
    drawn[i] = take(s, p, images[i][0]);
    take(s, p, images[i][1], 16);
  }
  run(s);
  for (int i = 0; i < 2; ++i) {
    EXPECT(s, count(drawn[i], kTexels, kRed) == 24 && count(drawn[i], kTexels, kGreen) == 4 - (i == 0 ? 1 : 0));
    EXPECT(s, count(drawn[i], kTexels, kBlue) == (i == 0 ? 4u : 0u));
  }
  add(s, p.out);
  return finish(s);
}
