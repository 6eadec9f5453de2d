// SPDX-License-Identifier: Apache-2.0
// Commands of Vulkan 1.0 to 1.3 by their core names, which the other programs do
// not call or call by an extension's name: questions, newer copies, and a
// render pass 2 of two subpasses that is cleared in its middle.
#include <cstddef>

#include "flat.frag.h"
#include "groups.comp.h"
#include "picture.h"
#include "vertices.vert.h"

using namespace program;

namespace {

constexpr std::uint32_t kExtent = 8;
constexpr std::uint32_t kTexels = kExtent * kExtent;
constexpr VkFormat kFormat = VK_FORMAT_R8G8B8A8_UNORM;
constexpr VkImageUsageFlags kCopies = VK_IMAGE_USAGE_TRANSFER_SRC_BIT | VK_IMAGE_USAGE_TRANSFER_DST_BIT;
constexpr VkImageLayout kFrom = VK_IMAGE_LAYOUT_TRANSFER_SRC_OPTIMAL, kTo = VK_IMAGE_LAYOUT_TRANSFER_DST_OPTIMAL;
constexpr VkImageSubresourceLayers kLayer{VK_IMAGE_ASPECT_COLOR_BIT, 0, 0, 1};

// Both versions of a question have one answer.
void ask_physical(Session& s) {
  VkPhysicalDeviceFeatures features;
  vkGetPhysicalDeviceFeatures(s.physical, &features);
  EXPECT(s, features.robustBufferAccess == VK_TRUE);
  VkFormatProperties format;
  VkFormatProperties2 format2{VK_STRUCTURE_TYPE_FORMAT_PROPERTIES_2};
  vkGetPhysicalDeviceFormatProperties(s.physical, kFormat, &format);
  vkGetPhysicalDeviceFormatProperties2(s.physical, kFormat, &format2);
  EXPECT(s, std::memcmp(&format, &format2.formatProperties, sizeof format) == 0);
  VkImageFormatProperties image;
  VkImageFormatProperties2 image2{VK_STRUCTURE_TYPE_IMAGE_FORMAT_PROPERTIES_2};
  const VkPhysicalDeviceImageFormatInfo2 shape{.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_IMAGE_FORMAT_INFO_2,
                                               .format = kFormat,
                                               .type = VK_IMAGE_TYPE_2D,
                                               .tiling = VK_IMAGE_TILING_OPTIMAL,
                                               .usage = kCopies};
  CHECK(vkGetPhysicalDeviceImageFormatProperties(s.physical, kFormat, VK_IMAGE_TYPE_2D, VK_IMAGE_TILING_OPTIMAL,
                                                 kCopies, 0, &image));
  CHECK(vkGetPhysicalDeviceImageFormatProperties2(s.physical, &shape, &image2));
  EXPECT(s, image.maxMipLevels == image2.imageFormatProperties.maxMipLevels);
  std::uint32_t families = 0;
  vkGetPhysicalDeviceQueueFamilyProperties2(s.physical, &families, nullptr);
  EXPECT(s, families == queue_families(s.physical).size());
  VkPhysicalDeviceMemoryProperties2 memory{VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_MEMORY_PROPERTIES_2};
  vkGetPhysicalDeviceMemoryProperties2(s.physical, &memory);
  EXPECT(s, memory.memoryProperties.memoryTypeCount > 0);
  const VkPhysicalDeviceSparseImageFormatInfo2 sparse{VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_SPARSE_IMAGE_FORMAT_INFO_2,
                                                      nullptr,
                                                      kFormat,
                                                      VK_IMAGE_TYPE_2D,
                                                      VK_SAMPLE_COUNT_1_BIT,
                                                      kCopies,
                                                      VK_IMAGE_TILING_OPTIMAL};
  std::uint32_t one = 1, two = 1;
  vkGetPhysicalDeviceSparseImageFormatProperties(s.physical, sparse.format, sparse.type, sparse.samples, sparse.usage,
                                                 sparse.tiling, &one, nullptr);
  vkGetPhysicalDeviceSparseImageFormatProperties2(s.physical, &sparse, &two, nullptr);
  EXPECT(s, one == two);
  // Handles of other processes are hidden while captured: no expectation but that there is an answer.
  const VkPhysicalDeviceExternalBufferInfo buffer{VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_EXTERNAL_BUFFER_INFO, nullptr, 0,
                                                  VK_BUFFER_USAGE_TRANSFER_DST_BIT,
                                                  VK_EXTERNAL_MEMORY_HANDLE_TYPE_OPAQUE_FD_BIT};
  VkExternalBufferProperties buffers{VK_STRUCTURE_TYPE_EXTERNAL_BUFFER_PROPERTIES};
  vkGetPhysicalDeviceExternalBufferProperties(s.physical, &buffer, &buffers);
  const VkPhysicalDeviceExternalFenceInfo fence{VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_EXTERNAL_FENCE_INFO, nullptr,
                                                VK_EXTERNAL_FENCE_HANDLE_TYPE_OPAQUE_FD_BIT};
  VkExternalFenceProperties fences{VK_STRUCTURE_TYPE_EXTERNAL_FENCE_PROPERTIES};
  vkGetPhysicalDeviceExternalFenceProperties(s.physical, &fence, &fences);
  const VkPhysicalDeviceExternalSemaphoreInfo semaphore{VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_EXTERNAL_SEMAPHORE_INFO,
                                                        nullptr, VK_EXTERNAL_SEMAPHORE_HANDLE_TYPE_OPAQUE_FD_BIT};
  VkExternalSemaphoreProperties semaphores{VK_STRUCTURE_TYPE_EXTERNAL_SEMAPHORE_PROPERTIES};
  vkGetPhysicalDeviceExternalSemaphoreProperties(s.physical, &semaphore, &semaphores);
}

// What an image needs, before and after it is there; it is bound by the newer command.
Image create(Session& s, VkImageUsageFlags usage, VkSampleCountFlagBits samples = VK_SAMPLE_COUNT_1_BIT) {
  Image i;
  i.info = image_info(kFormat, kExtent, usage);
  i.info.samples = samples;
  i.range = kColor;
  CHECK(vkCreateImage(s.device, &i.info, nullptr, &i.image));
  const VkImageMemoryRequirementsInfo2 which{VK_STRUCTURE_TYPE_IMAGE_MEMORY_REQUIREMENTS_INFO_2, nullptr, i.image};
  const VkDeviceImageMemoryRequirements unborn{VK_STRUCTURE_TYPE_DEVICE_IMAGE_MEMORY_REQUIREMENTS, nullptr, &i.info,
                                               VK_IMAGE_ASPECT_COLOR_BIT};
  VkMemoryRequirements2 needs{VK_STRUCTURE_TYPE_MEMORY_REQUIREMENTS_2}, before = needs;
  vkGetImageMemoryRequirements2(s.device, &which, &needs);
  vkGetDeviceImageMemoryRequirements(s.device, &unborn, &before);
  EXPECT(s, needs.memoryRequirements.size == before.memoryRequirements.size);
  i.memory = keep(s, vkFreeMemory, allocate(s, needs.memoryRequirements, VK_MEMORY_PROPERTY_DEVICE_LOCAL_BIT));
  keep(s, vkDestroyImage, i.image);
  const VkBindImageMemoryInfo binding{VK_STRUCTURE_TYPE_BIND_IMAGE_MEMORY_INFO, nullptr, i.image, i.memory, 0};
  CHECK(vkBindImageMemory2(s.device, 1, &binding));
  if ((usage & VK_IMAGE_USAGE_COLOR_ATTACHMENT_BIT) != 0)
    i.view = create_view(s, i.image, VK_IMAGE_VIEW_TYPE_2D, kFormat, kColor);
  return i;
}

// What of it would be sparse: nothing, since it was not created so. lavapipe 22 leaves the counts alone.
void ask_sparse(Session& s, const Image& i) {
  const VkImageSparseMemoryRequirementsInfo2 which{VK_STRUCTURE_TYPE_IMAGE_SPARSE_MEMORY_REQUIREMENTS_INFO_2, nullptr,
                                                   i.image};
  const VkDeviceImageMemoryRequirements unborn{VK_STRUCTURE_TYPE_DEVICE_IMAGE_MEMORY_REQUIREMENTS, nullptr, &i.info,
                                               VK_IMAGE_ASPECT_COLOR_BIT};
  std::uint32_t parts[3] = {};
  vkGetImageSparseMemoryRequirements(s.device, i.image, &parts[0], nullptr);
  vkGetImageSparseMemoryRequirements2(s.device, &which, &parts[1], nullptr);
  vkGetDeviceImageSparseMemoryRequirements(s.device, &unborn, &parts[2], nullptr);
  EXPECT(s, parts[0] == 0 && parts[1] == 0 && parts[2] == 0);
}

void change(Session& s, const Image& i, VkImageLayout from, VkImageLayout to) {
  const VkImageMemoryBarrier2 all{.sType = VK_STRUCTURE_TYPE_IMAGE_MEMORY_BARRIER_2,
                                  .srcStageMask = VK_PIPELINE_STAGE_2_ALL_COMMANDS_BIT,
                                  .srcAccessMask = VK_ACCESS_2_MEMORY_WRITE_BIT,
                                  .dstStageMask = VK_PIPELINE_STAGE_2_ALL_COMMANDS_BIT,
                                  .dstAccessMask = VK_ACCESS_2_MEMORY_READ_BIT | VK_ACCESS_2_MEMORY_WRITE_BIT,
                                  .oldLayout = from,
                                  .newLayout = to,
                                  .srcQueueFamilyIndex = VK_QUEUE_FAMILY_IGNORED,
                                  .dstQueueFamilyIndex = VK_QUEUE_FAMILY_IGNORED,
                                  .image = i.image,
                                  .subresourceRange = i.range};
  const VkDependencyInfo info{
      .sType = VK_STRUCTURE_TYPE_DEPENDENCY_INFO, .imageMemoryBarrierCount = 1, .pImageMemoryBarriers = &all};
  vkCmdPipelineBarrier2(s.cmd, &info);
}

// Words from the command buffer itself into a buffer, an image, another, a third
// by a blit that turns it around, and out again.
void copy(Session& s, const MappedBuffer& from, const MappedBuffer& out) {
  std::uint32_t words[kTexels];
  for (std::uint32_t i = 0; i < kTexels; ++i) words[i] = 0x01020304 * (i + 1);
  vkCmdUpdateBuffer(s.cmd, from.buffer, 0, sizeof words, words);
  barrier(s.cmd);
  const VkBufferCopy2 part{VK_STRUCTURE_TYPE_BUFFER_COPY_2, nullptr, 0, sizeof words, sizeof words};
  const VkCopyBufferInfo2 copies{VK_STRUCTURE_TYPE_COPY_BUFFER_INFO_2, nullptr, from.buffer, from.buffer, 1, &part};
  vkCmdCopyBuffer2(s.cmd, &copies);
  barrier(s.cmd);
  const Image first = create(s, kCopies), second = create(s, kCopies), third = create(s, kCopies);
  ask_sparse(s, first);
  for (const Image* i : {&first, &second, &third}) change(s, *i, VK_IMAGE_LAYOUT_UNDEFINED, kTo);
  VkBufferImageCopy2 picture{.sType = VK_STRUCTURE_TYPE_BUFFER_IMAGE_COPY_2,
                             .bufferOffset = sizeof words,
                             .imageSubresource = kLayer,
                             .imageExtent = {kExtent, kExtent, 1}};
  const VkCopyBufferToImageInfo2 in{
      VK_STRUCTURE_TYPE_COPY_BUFFER_TO_IMAGE_INFO_2, nullptr, from.buffer, first.image, kTo, 1, &picture};
  vkCmdCopyBufferToImage2(s.cmd, &in);
  change(s, first, kTo, kFrom);
  const VkImageCopy2 whole{VK_STRUCTURE_TYPE_IMAGE_COPY_2, nullptr, kLayer, {}, kLayer, {}, {kExtent, kExtent, 1}};
  const VkCopyImageInfo2 across{
      VK_STRUCTURE_TYPE_COPY_IMAGE_INFO_2, nullptr, first.image, kFrom, second.image, kTo, 1, &whole};
  vkCmdCopyImage2(s.cmd, &across);
  change(s, second, kTo, kFrom);
  constexpr std::int32_t edge = kExtent;
  const VkImageBlit2 mirrored{VK_STRUCTURE_TYPE_IMAGE_BLIT_2, nullptr, kLayer,
                              {{0, 0, 0}, {edge, edge, 1}},   kLayer,  {{edge, edge, 0}, {0, 0, 1}}};
  const VkBlitImageInfo2 blit{VK_STRUCTURE_TYPE_BLIT_IMAGE_INFO_2,
                              nullptr,
                              second.image,
                              kFrom,
                              third.image,
                              kTo,
                              1,
                              &mirrored,
                              VK_FILTER_NEAREST};
  vkCmdBlitImage2(s.cmd, &blit);
  change(s, third, kTo, kFrom);
  picture.bufferOffset = 0;
  const VkCopyImageToBufferInfo2 back{
      VK_STRUCTURE_TYPE_COPY_IMAGE_TO_BUFFER_INFO_2, nullptr, third.image, kFrom, out.buffer, 1, &picture};
  vkCmdCopyImageToBuffer2(s.cmd, &back);
}

// Four samples, cleared, resolved into the buffer's second picture.
void resolve(Session& s, const MappedBuffer& out) {
  const Image many = create(s, kCopies | VK_IMAGE_USAGE_COLOR_ATTACHMENT_BIT, VK_SAMPLE_COUNT_4_BIT);
  const Image one = create(s, kCopies | VK_IMAGE_USAGE_COLOR_ATTACHMENT_BIT);
  change(s, many, VK_IMAGE_LAYOUT_UNDEFINED, kTo);
  change(s, one, VK_IMAGE_LAYOUT_UNDEFINED, kTo);
  const VkClearColorValue red{{1, 0, 0, 1}};
  vkCmdClearColorImage(s.cmd, many.image, kTo, &red, 1, &kColor);
  change(s, many, kTo, kFrom);
  const VkImageResolve2 whole{
      VK_STRUCTURE_TYPE_IMAGE_RESOLVE_2, nullptr, kLayer, {}, kLayer, {}, {kExtent, kExtent, 1}};
  const VkResolveImageInfo2 info{
      VK_STRUCTURE_TYPE_RESOLVE_IMAGE_INFO_2, nullptr, many.image, kFrom, one.image, kTo, 1, &whole};
  vkCmdResolveImage2(s.cmd, &info);
  copy_out(s.cmd, one, kTo, out, kTexels * 4);
}

VkRenderPass create_pass(Session& s) {
  const VkAttachmentDescription2 attachment{.sType = VK_STRUCTURE_TYPE_ATTACHMENT_DESCRIPTION_2,
                                            .format = kFormat,
                                            .samples = VK_SAMPLE_COUNT_1_BIT,
                                            .loadOp = VK_ATTACHMENT_LOAD_OP_CLEAR,
                                            .storeOp = VK_ATTACHMENT_STORE_OP_STORE,
                                            .finalLayout = VK_IMAGE_LAYOUT_GENERAL};
  const VkAttachmentReference2 color{VK_STRUCTURE_TYPE_ATTACHMENT_REFERENCE_2, nullptr, 0, VK_IMAGE_LAYOUT_GENERAL,
                                     VK_IMAGE_ASPECT_COLOR_BIT};
  VkSubpassDescription2 subpasses[2];
  for (VkSubpassDescription2& one : subpasses)
    one = {.sType = VK_STRUCTURE_TYPE_SUBPASS_DESCRIPTION_2, .colorAttachmentCount = 1, .pColorAttachments = &color};
  constexpr VkPipelineStageFlags output = VK_PIPELINE_STAGE_COLOR_ATTACHMENT_OUTPUT_BIT;
  const VkSubpassDependency2 between{VK_STRUCTURE_TYPE_SUBPASS_DEPENDENCY_2,
                                     nullptr,
                                     0,
                                     1,
                                     output,
                                     output,
                                     VK_ACCESS_COLOR_ATTACHMENT_WRITE_BIT,
                                     VK_ACCESS_COLOR_ATTACHMENT_WRITE_BIT,
                                     VK_DEPENDENCY_BY_REGION_BIT,
                                     0};
  const VkRenderPassCreateInfo2 info{.sType = VK_STRUCTURE_TYPE_RENDER_PASS_CREATE_INFO_2,
                                     .attachmentCount = 1,
                                     .pAttachments = &attachment,
                                     .subpassCount = 2,
                                     .pSubpasses = subpasses,
                                     .dependencyCount = 1,
                                     .pDependencies = &between};
  VkRenderPass pass;
  CHECK(vkCreateRenderPass2(s.device, &info, nullptr, &pass));
  return keep(s, vkDestroyRenderPass, pass);
}

struct Arguments {
  VkDrawIndirectCommand draws[2] = {{3, 1, 0, 0}, {4, 1, 4, 0}};
  VkDrawIndexedIndirectCommand indexed[1] = {{4, 1, 0, 0, 0}};
  std::uint32_t counts[2] = {2, 1};
};

// First subpass: a blue square at the left by an attachment's clear, the right
// half white by an indirect draw; second: the lower right quarter, indexed.
void draw_pass(Session& s, const MappedBuffer& out) {
  const Image target = create(s, kCopies | VK_IMAGE_USAGE_COLOR_ATTACHMENT_BIT);
  Drawing d = shapes(s);
  d.pass = create_pass(s);
  d.stages = {stage(VK_SHADER_STAGE_VERTEX_BIT, shader(s, vertices_vert_spv)),
              stage(VK_SHADER_STAGE_FRAGMENT_BIT, shader(s, flat_frag_spv))};
  const VkVertexInputBindingDescription binding{0, 8, VK_VERTEX_INPUT_RATE_VERTEX};
  const VkVertexInputAttributeDescription attribute{0, 0, VK_FORMAT_R32G32_SFLOAT, 0};
  d.input.vertexBindingDescriptionCount = d.input.vertexAttributeDescriptionCount = 1;
  d.input.pVertexBindingDescriptions = &binding;
  d.input.pVertexAttributeDescriptions = &attribute;
  for (const VkDynamicState state : {VK_DYNAMIC_STATE_VERTEX_INPUT_BINDING_STRIDE, VK_DYNAMIC_STATE_DEPTH_BOUNDS,
                                     VK_DYNAMIC_STATE_DEPTH_BOUNDS_TEST_ENABLE})
    d.dynamic.push_back(state);
  const VkPipeline first = build(s, d);
  d.subpass = 1;
  const VkPipeline second = build(s, d);
  const VkFramebufferCreateInfo info{
      VK_STRUCTURE_TYPE_FRAMEBUFFER_CREATE_INFO, nullptr, 0, d.pass, 1, &target.view, kExtent, kExtent, 1};
  VkFramebuffer framebuffer;
  CHECK(vkCreateFramebuffer(s.device, &info, nullptr, &framebuffer));
  keep(s, vkDestroyFramebuffer, framebuffer);
  // Every second corner: the stride is 16.
  const float corners[16][2] = {{0, -1}, {}, {1, -1}, {}, {0, 1}, {}, {1, 1}, {},
                                {0, -1}, {}, {1, -1}, {}, {0, 1}, {}, {1, 1}, {}};
  const MappedBuffer vertices = buffer_of(s, VK_BUFFER_USAGE_VERTEX_BUFFER_BIT, corners);
  const std::uint32_t order[4] = {0, 1, 2, 3};
  const MappedBuffer indices = buffer_of(s, VK_BUFFER_USAGE_INDEX_BUFFER_BIT, order);
  const Arguments arguments[1];
  const MappedBuffer args = buffer_of(s, VK_BUFFER_USAGE_INDIRECT_BUFFER_BIT, arguments);

  const VkClearValue black{};
  const VkRenderPassBeginInfo begins{
      VK_STRUCTURE_TYPE_RENDER_PASS_BEGIN_INFO, nullptr, d.pass, framebuffer, {{0, 0}, {kExtent, kExtent}}, 1, &black};
  const VkSubpassBeginInfo contents{VK_STRUCTURE_TYPE_SUBPASS_BEGIN_INFO, nullptr, VK_SUBPASS_CONTENTS_INLINE};
  const VkSubpassEndInfo ends{VK_STRUCTURE_TYPE_SUBPASS_END_INFO};
  const Shape white{0, 0, 0, 0, {1, 1, 1, 1}, 0.5f}, green{0, 0, 0, 0, {0, 1, 0, 1}, 0.5f};
  const VkDeviceSize zero = 0, stride = 16, size = sizeof corners;
  vkCmdBeginRenderPass2(s.cmd, &begins, &contents);
  set_area(s.cmd, kExtent);
  vkCmdSetDepthBounds(s.cmd, 0.25f, 0.75f);
  vkCmdSetDepthBoundsTestEnable(s.cmd, VK_FALSE);
  vkCmdBindVertexBuffers2(s.cmd, 0, 1, &vertices.buffer, &zero, &size, &stride);
  vkCmdBindIndexBuffer(s.cmd, indices.buffer, 0, VK_INDEX_TYPE_UINT32);
  const VkClearAttachment blue{VK_IMAGE_ASPECT_COLOR_BIT, 0, {.color = {{0, 0, 1, 1}}}};
  const VkClearRect square{{{0, 0}, {4, 4}}, 0, 1};
  vkCmdClearAttachments(s.cmd, 1, &blue, 1, &square);
  vkCmdBindPipeline(s.cmd, VK_PIPELINE_BIND_POINT_GRAPHICS, first);
  vkCmdPushConstants(s.cmd, d.layout, kShapeRange.stageFlags, 0, sizeof white, &white);
  vkCmdDrawIndirectCount(s.cmd, args.buffer, offsetof(Arguments, draws), args.buffer, offsetof(Arguments, counts), 2,
                         sizeof(VkDrawIndirectCommand));
  vkCmdNextSubpass2(s.cmd, &contents, &ends);
  vkCmdBindPipeline(s.cmd, VK_PIPELINE_BIND_POINT_GRAPHICS, second);
  const VkRect2D lower{{0, 4}, {kExtent, 4}};
  vkCmdSetScissor(s.cmd, 0, 1, &lower);
  vkCmdPushConstants(s.cmd, d.layout, kShapeRange.stageFlags, 0, sizeof green, &green);
  vkCmdDrawIndexedIndirectCount(s.cmd, args.buffer, offsetof(Arguments, indexed), args.buffer,
                                offsetof(Arguments, counts) + 4, 1, sizeof(VkDrawIndexedIndirectCommand));
  vkCmdEndRenderPass2(s.cmd, &ends);
  barrier(s.cmd);
  copy_out(s.cmd, target, VK_IMAGE_LAYOUT_GENERAL, out, 2 * kTexels * 4);
}

}  // namespace

int main() {
  VkPhysicalDeviceVulkan13Features v13{.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_3_FEATURES,
                                       .synchronization2 = VK_TRUE,
                                       .maintenance4 = VK_TRUE};
  VkPhysicalDeviceVulkan12Features v12{
      .sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_2_FEATURES, .pNext = &v13, .drawIndirectCount = VK_TRUE};
  VkPhysicalDeviceFeatures2 core{VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_FEATURES_2, &v12};
  core.features.multiDrawIndirect = VK_TRUE;
  Wanted wanted;
  wanted.features = &core;
  Session s = open("core", wanted);
  ask_physical(s);
  const VkDeviceQueueInfo2 which{VK_STRUCTURE_TYPE_DEVICE_QUEUE_INFO_2, nullptr, 0, s.family, 0};
  VkQueue again;
  vkGetDeviceQueue2(s.device, &which, &again);
  EXPECT(s, again == s.queues[0]);

  const MappedBuffer from =
      buffer(s, 2 * kTexels * 4, VK_BUFFER_USAGE_TRANSFER_SRC_BIT | VK_BUFFER_USAGE_TRANSFER_DST_BIT);
  const VkBufferMemoryRequirementsInfo2 about{VK_STRUCTURE_TYPE_BUFFER_MEMORY_REQUIREMENTS_INFO_2, nullptr,
                                              from.buffer};
  VkMemoryRequirements2 needs{VK_STRUCTURE_TYPE_MEMORY_REQUIREMENTS_2}, before = needs;
  vkGetBufferMemoryRequirements2(s.device, &about, &needs);
  const VkBufferCreateInfo like{.sType = VK_STRUCTURE_TYPE_BUFFER_CREATE_INFO,
                                .size = from.bytes,
                                .usage = VK_BUFFER_USAGE_TRANSFER_SRC_BIT | VK_BUFFER_USAGE_TRANSFER_DST_BIT};
  const VkDeviceBufferMemoryRequirements unborn{VK_STRUCTURE_TYPE_DEVICE_BUFFER_MEMORY_REQUIREMENTS, nullptr, &like};
  vkGetDeviceBufferMemoryRequirements(s.device, &unborn, &before);
  EXPECT(s, needs.memoryRequirements.size == before.memoryRequirements.size);

  const VkQueryPoolCreateInfo times{
      VK_STRUCTURE_TYPE_QUERY_POOL_CREATE_INFO, nullptr, 0, VK_QUERY_TYPE_TIMESTAMP, 1, 0};
  VkQueryPool pool;
  CHECK(vkCreateQueryPool(s.device, &times, nullptr, &pool));
  keep(s, vkDestroyQueryPool, pool);
  vkCmdResetQueryPool(s.cmd, pool, 0, 1);
  const MappedBuffer out = create_readback(s, 3 * kTexels * 4);
  const MappedBuffer counted = buffer(s, 64, VK_BUFFER_USAGE_STORAGE_BUFFER_BIT);
  copy(s, from, out);
  resolve(s, out);
  draw_pass(s, out);
  const Kernel k =
      create_kernel(s, shader(s, groups_comp_spv), {counted}, nullptr, VK_PIPELINE_CREATE_DISPATCH_BASE_BIT);
  bind(s.cmd, k);
  vkCmdDispatchBase(s.cmd, 4, 1, 0, 3, 1, 1);
  vkCmdWriteTimestamp2(s.cmd, VK_PIPELINE_STAGE_2_ALL_COMMANDS_BIT, pool, 0);
  run(s);

  EXPECT(s, out.words[0] == 0x01020304 * kTexels && out.words[kTexels - 1] == 0x01020304);
  EXPECT(s, count(out.words + kTexels, kTexels, kRed) == kTexels);
  const std::uint32_t* picture = out.words + 2 * kTexels;
  EXPECT(s, picture[0] == kBlue && picture[kExtent - 1] == kWhite && picture[kTexels - kExtent] == kBlack);
  EXPECT(s, count(picture, kTexels, kGreen) == 16 && count(picture, kTexels, kBlue) == 16);
  EXPECT(s, counted.words[3] == 0 && counted.words[4] == 2 && counted.words[6] == 2);
  add(s, out);
  add(s, counted);
  return finish(s);
}
