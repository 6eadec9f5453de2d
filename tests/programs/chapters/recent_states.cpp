// SPDX-License-Identifier: Apache-2.0
// What the maintenance extensions 9 to 11 and their neighbours bring: queries that are there when their pool
// is made, events that are set without saying for whom, rendering that ends by a newer command, resolves that
// say how, depth bias in a representation of its own, an index of the program's choice that restarts a strip,
// images that stay in the GENERAL layout.
#include "chapter.h"

#if defined VK_KHR_maintenance11 && defined VK_EXT_primitive_restart_index

using namespace program;

namespace program {
FEATURES_OF(Maintenance9FeaturesKHR, MAINTENANCE_9_FEATURES_KHR);
FEATURES_OF(Maintenance10FeaturesKHR, MAINTENANCE_10_FEATURES_KHR);
FEATURES_OF(Maintenance11FeaturesKHR, MAINTENANCE_11_FEATURES_KHR);
FEATURES_OF(UnifiedImageLayoutsFeaturesKHR, UNIFIED_IMAGE_LAYOUTS_FEATURES_KHR);
FEATURES_OF(DepthBiasControlFeaturesEXT, DEPTH_BIAS_CONTROL_FEATURES_EXT);
FEATURES_OF(PrimitiveRestartIndexFeaturesEXT, PRIMITIVE_RESTART_INDEX_FEATURES_EXT);
}  // namespace program

namespace {

constexpr std::uint32_t kExtent = 16, kTexels = kExtent * kExtent;
constexpr VkImageLayout kGeneral = VK_IMAGE_LAYOUT_GENERAL;

void begin_drawing(Session& s, const Image& canvas, VkPipeline pipeline) {
  begin_rendering(s.cmd, canvas);
  set_area(s.cmd, kExtent);
  vkCmdBindPipeline(s.cmd, VK_PIPELINE_BIND_POINT_GRAPHICS, pipeline);
}

void end_drawing(Session& s) {
  LOAD(s, vkCmdEndRendering2KHR);
  const VkRenderingEndInfoKHR info{VK_STRUCTURE_TYPE_RENDERING_END_INFO_KHR};
  vkCmdEndRendering2KHR(s.cmd, &info);
}

// The pool's queries need no reset before their first use.
void queries(Session& s, Pictures& p, const Image& canvas) {
  const VkQueryPoolCreateInfo info{.sType = VK_STRUCTURE_TYPE_QUERY_POOL_CREATE_INFO,
                                   .flags = VK_QUERY_POOL_CREATE_RESET_BIT_KHR,
                                   .queryType = VK_QUERY_TYPE_OCCLUSION,
                                   .queryCount = 2};
  VkQueryPool pool;
  CHECK(vkCreateQueryPool(s.device, &info, nullptr, &pool));
  keep(s, vkDestroyQueryPool, pool);
  Drawing d = shapes(s);
  begin_drawing(s, canvas, build(s, d));
  vkCmdBeginQuery(s.cmd, pool, 1, 0);
  draw(s.cmd, d.layout, {-1, -1, 0, 1, {0, 0, 1, 1}});
  vkCmdEndQuery(s.cmd, pool, 1);
  end_drawing(s);
  const MappedBuffer out = create_readback(s, 4);
  vkCmdCopyQueryPoolResults(s.cmd, pool, 1, 1, out.buffer, 0, 4, VK_QUERY_RESULT_WAIT_BIT);
  const std::uint32_t* seen = take(s, p, canvas);
  run(s);
  EXPECT(s, count(seen, kTexels, kBlue) == kTexels / 2);
  EXPECT(s, out.words[0] != 0);
  add(s, out);
  std::uint32_t first[2] = {7, 7};
  // The other one was never begun: it is not available.
  CHECK(std::min(VK_SUCCESS, vkGetQueryPoolResults(s.device, pool, 0, 1, sizeof first, first, 8,
                                                   VK_QUERY_RESULT_WITH_AVAILABILITY_BIT)));
  EXPECT(s, first[1] == 0);
}

// The event is set with the stages before it alone; those after it are the wait's to say.
void events(Session& s, const MappedBuffer& from, const MappedBuffer& to) {
  const VkEventCreateInfo info{VK_STRUCTURE_TYPE_EVENT_CREATE_INFO, nullptr, VK_EVENT_CREATE_DEVICE_ONLY_BIT};
  VkEvent event;
  CHECK(vkCreateEvent(s.device, &info, nullptr, &event));
  keep(s, vkDestroyEvent, event);
  vkCmdFillBuffer(s.cmd, from.buffer, 0, VK_WHOLE_SIZE, 0x5eed);
  VkMemoryBarrier2 copied{.sType = VK_STRUCTURE_TYPE_MEMORY_BARRIER_2,
                          .srcStageMask = VK_PIPELINE_STAGE_2_ALL_TRANSFER_BIT};
  VkDependencyInfo dependency{.sType = VK_STRUCTURE_TYPE_DEPENDENCY_INFO,
                              .dependencyFlags = VK_DEPENDENCY_ASYMMETRIC_EVENT_BIT_KHR,
                              .memoryBarrierCount = 1,
                              .pMemoryBarriers = &copied};
  vkCmdSetEvent2(s.cmd, event, &dependency);
  copied.srcAccessMask = VK_ACCESS_2_TRANSFER_WRITE_BIT;
  copied.dstStageMask = VK_PIPELINE_STAGE_2_ALL_TRANSFER_BIT;
  copied.dstAccessMask = VK_ACCESS_2_TRANSFER_READ_BIT;
  vkCmdWaitEvents2(s.cmd, 1, &event, &dependency);
  const VkBufferCopy region{0, 0, from.bytes};
  vkCmdCopyBuffer(s.cmd, from.buffer, to.buffer, 1, &region);
  run(s);
  EXPECT(s, count(to.words, to.bytes / 4, 0x5eed) == to.bytes / 4);
  add(s, to);
}

// Depths of several samples become one: only a newer device resolves them outside of a pass.
void resolves(Session& s, Pictures& p) {
  constexpr VkImageUsageFlags kUsage =
      VK_IMAGE_USAGE_DEPTH_STENCIL_ATTACHMENT_BIT | VK_IMAGE_USAGE_TRANSFER_SRC_BIT | VK_IMAGE_USAGE_TRANSFER_DST_BIT;
  VkImageCreateInfo info = image_info(VK_FORMAT_D32_SFLOAT, kExtent, kUsage);
  const Image depth = create_general(s, info, VK_IMAGE_VIEW_TYPE_2D, VK_IMAGE_ASPECT_DEPTH_BIT);
  info.samples = VK_SAMPLE_COUNT_4_BIT;
  const Image samples = create_general(s, info, VK_IMAGE_VIEW_TYPE_2D, VK_IMAGE_ASPECT_DEPTH_BIT);
  const VkClearDepthStencilValue quarter{0.25f, 0};
  vkCmdClearDepthStencilImage(s.cmd, samples.image, kGeneral, &quarter, 1, &samples.range);
  barrier(s.cmd);
  const VkResolveImageModeInfoKHR mode{VK_STRUCTURE_TYPE_RESOLVE_IMAGE_MODE_INFO_KHR, nullptr, 0,
                                       VK_RESOLVE_MODE_SAMPLE_ZERO_BIT, VK_RESOLVE_MODE_NONE};
  const VkImageResolve2 region{.sType = VK_STRUCTURE_TYPE_IMAGE_RESOLVE_2,
                               .srcSubresource = {VK_IMAGE_ASPECT_DEPTH_BIT, 0, 0, 1},
                               .dstSubresource = {VK_IMAGE_ASPECT_DEPTH_BIT, 0, 0, 1},
                               .extent = info.extent};
  const VkResolveImageInfo2 resolve{
      VK_STRUCTURE_TYPE_RESOLVE_IMAGE_INFO_2, &mode, samples.image, kGeneral, depth.image, kGeneral, 1, &region};
  vkCmdResolveImage2(s.cmd, &resolve);
  barrier(s.cmd);
  const std::uint32_t* seen = take(s, p, depth, 4, VK_IMAGE_ASPECT_DEPTH_BIT);
  run(s);
  EXPECT(s, count(seen, kTexels, 0x3e800000) == kTexels);
}

// Two strips of the same indices: what ends the first of them is the program's to say.
void restarts(Session& s, Pictures& p, const Image& canvas) {
  LOAD(s, vkCmdSetPrimitiveRestartIndexEXT);
  const std::uint16_t order[9] = {0, 1, 2, 3, 77, 0, 1, 2, 3};
  const MappedBuffer indices = buffer_of(s, VK_BUFFER_USAGE_INDEX_BUFFER_BIT, order);
  Drawing d = shapes(s);
  d.assembly.primitiveRestartEnable = VK_TRUE;
  begin_drawing(s, canvas, build(s, d));
  const Shape half{-1, -1, 0, 1, {1, 0, 0, 1}};
  vkCmdPushConstants(s.cmd, d.layout, kShapeRange.stageFlags, 0, sizeof half, &half);
  vkCmdBindIndexBuffer(s.cmd, indices.buffer, 0, VK_INDEX_TYPE_UINT16);
  vkCmdSetPrimitiveRestartIndexEXT(s.cmd, 77);
  vkCmdDrawIndexed(s.cmd, 9, 1, 0, 0, 0);
  end_drawing(s);
  const std::uint32_t* seen = take(s, p, canvas);
  run(s);
  EXPECT(s, count(seen, kTexels, kRed) == kTexels / 2);
}

// What is nearer by its bias alone is seen.
void biases(Session& s, Pictures& p, const Image& canvas) {
  LOAD(s, vkCmdSetDepthBias2EXT);
  const Image depth =
      create_general(s, image_info(VK_FORMAT_D32_SFLOAT, kExtent, VK_IMAGE_USAGE_DEPTH_STENCIL_ATTACHMENT_BIT),
                     VK_IMAGE_VIEW_TYPE_2D, VK_IMAGE_ASPECT_DEPTH_BIT);
  Drawing d = shapes(s);
  const VkDepthBiasRepresentationInfoEXT least{VK_STRUCTURE_TYPE_DEPTH_BIAS_REPRESENTATION_INFO_EXT, nullptr,
                                               VK_DEPTH_BIAS_REPRESENTATION_LEAST_REPRESENTABLE_VALUE_FORMAT_EXT,
                                               VK_FALSE};
  d.raster.pNext = &least;
  d.raster.depthBiasEnable = VK_TRUE;
  d.depth.depthTestEnable = d.depth.depthWriteEnable = VK_TRUE;
  d.depth.depthCompareOp = VK_COMPARE_OP_LESS;
  d.rendering.depthAttachmentFormat = VK_FORMAT_D32_SFLOAT;
  d.dynamic.push_back(VK_DYNAMIC_STATE_DEPTH_BIAS);
  const VkPipeline pipeline = build(s, d);
  const VkRenderingAttachmentInfo color = attachment(canvas.view, kGeneral, VK_ATTACHMENT_LOAD_OP_CLEAR);
  VkRenderingAttachmentInfo nearest = attachment(depth.view, kGeneral, VK_ATTACHMENT_LOAD_OP_CLEAR);
  nearest.clearValue.depthStencil.depth = 1;
  const VkRenderingInfo info{.sType = VK_STRUCTURE_TYPE_RENDERING_INFO,
                             .renderArea = {{0, 0}, {kExtent, kExtent}},
                             .layerCount = 1,
                             .colorAttachmentCount = 1,
                             .pColorAttachments = &color,
                             .pDepthAttachment = &nearest};
  vkCmdBeginRendering(s.cmd, &info);
  set_area(s.cmd, kExtent);
  vkCmdBindPipeline(s.cmd, VK_PIPELINE_BIND_POINT_GRAPHICS, pipeline);
  const auto biased = [&](float constant, const Shape& shape) {
    const VkDepthBiasInfoEXT bias{VK_STRUCTURE_TYPE_DEPTH_BIAS_INFO_EXT, &least, constant, 0, 0};
    vkCmdSetDepthBias2EXT(s.cmd, &bias);
    draw(s.cmd, d.layout, shape);
  };
  biased(0, {-1, -1, 1, 1, {1, 0, 0, 1}});
  biased(-1000, {-1, -1, 0, 1, {0, 1, 0, 1}});
  biased(1000, {0, -1, 1, 1, {0, 0, 1, 1}});
  end_drawing(s);
  const std::uint32_t* seen = take(s, p, canvas);
  run(s);
  EXPECT(s, count(seen, kTexels, kGreen) == kTexels / 2 && count(seen, kTexels, kRed) == kTexels / 2);
}

}  // namespace

int main() {
  Needs needs =
      drawing_needs({VK_KHR_MAINTENANCE_9_EXTENSION_NAME, VK_KHR_MAINTENANCE_10_EXTENSION_NAME,
                     VK_KHR_MAINTENANCE_11_EXTENSION_NAME, VK_KHR_UNIFIED_IMAGE_LAYOUTS_EXTENSION_NAME,
                     VK_EXT_DEPTH_BIAS_CONTROL_EXTENSION_NAME, VK_EXT_PRIMITIVE_RESTART_INDEX_EXTENSION_NAME});
  NEED(needs, Maintenance9FeaturesKHR, maintenance9);
  NEED(needs, Maintenance10FeaturesKHR, maintenance10);
  NEED(needs, Maintenance11FeaturesKHR, maintenance11);
  NEED(needs, UnifiedImageLayoutsFeaturesKHR, unifiedImageLayouts);
  NEED(needs, DepthBiasControlFeaturesEXT, depthBiasControl);
  NEED(needs, DepthBiasControlFeaturesEXT, leastRepresentableValueForceUnormRepresentation);
  NEED(needs, PrimitiveRestartIndexFeaturesEXT, primitiveRestartIndex);
  NEED(needs, Vulkan13Features, synchronization2);
  Session s = open("recent_states", needs);
  const Image canvas = create_canvas(s, kExtent);
  Pictures p = create_pictures(s, 8 * kTexels * 4);
  queries(s, p, canvas);
  events(s, buffer(s, 256, VK_BUFFER_USAGE_TRANSFER_DST_BIT | VK_BUFFER_USAGE_TRANSFER_SRC_BIT),
         create_readback(s, 256));
  resolves(s, p);
  restarts(s, p, canvas);
  biases(s, p, canvas);
  add(s, p.out);
  return finish(s);
}

#else

int main() { return program::cannot_run("the headers that it was built with do not have VK_KHR_maintenance11"); }

#endif
