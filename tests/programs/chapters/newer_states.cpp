// SPDX-License-Identifier: Apache-2.0
// States and structures that newer extensions bring: stippled lines, indices of a byte,
// divisors, attachments that are neither loaded nor stored, or not there, feedback loops
// switched in commands, slices of volumes, priorities of memory, flags of barriers.
#include "chapter.h"
#include "flat.frag.h"
#include "vertices.vert.h"

#ifdef VK_KHR_maintenance8

using namespace program;

namespace program {
FEATURES_OF(AttachmentFeedbackLoopLayoutFeaturesEXT, ATTACHMENT_FEEDBACK_LOOP_LAYOUT_FEATURES_EXT);
FEATURES_OF(AttachmentFeedbackLoopDynamicStateFeaturesEXT, ATTACHMENT_FEEDBACK_LOOP_DYNAMIC_STATE_FEATURES_EXT);
FEATURES_OF(DynamicRenderingUnusedAttachmentsFeaturesEXT, DYNAMIC_RENDERING_UNUSED_ATTACHMENTS_FEATURES_EXT);
FEATURES_OF(ImageSlicedViewOf3DFeaturesEXT, IMAGE_SLICED_VIEW_OF_3D_FEATURES_EXT);
FEATURES_OF(LegacyVertexAttributesFeaturesEXT, LEGACY_VERTEX_ATTRIBUTES_FEATURES_EXT);
FEATURES_OF(PipelineProtectedAccessFeaturesEXT, PIPELINE_PROTECTED_ACCESS_FEATURES_EXT);
FEATURES_OF(Maintenance7FeaturesKHR, MAINTENANCE_7_FEATURES_KHR);
FEATURES_OF(Maintenance8FeaturesKHR, MAINTENANCE_8_FEATURES_KHR);
}  // namespace program

namespace {

constexpr std::uint32_t kExtent = 16, kTexels = kExtent * kExtent;
constexpr VkImageLayout kGeneral = VK_IMAGE_LAYOUT_GENERAL;

void begin_drawing(Session& s, const Image& canvas, VkPipeline pipeline) {
  begin_rendering(s.cmd, canvas);
  set_area(s.cmd, kExtent);
  vkCmdBindPipeline(s.cmd, VK_PIPELINE_BIND_POINT_GRAPHICS, pipeline);
}

// Every fourth texel twice, then each of them.
void lines(Session& s, Pictures& p, const Image& canvas) {
  LOAD(s, vkCmdSetLineStippleKHR);
  Drawing d = shapes(s);
  const VkPipelineRasterizationLineStateCreateInfoKHR stippled{
      VK_STRUCTURE_TYPE_PIPELINE_RASTERIZATION_LINE_STATE_CREATE_INFO_KHR,
      nullptr,
      VK_LINE_RASTERIZATION_MODE_BRESENHAM_KHR,
      VK_TRUE,
      1,
      0};
  d.raster.pNext = &stippled;
  d.assembly.topology = VK_PRIMITIVE_TOPOLOGY_LINE_LIST;
  d.dynamic.push_back(VK_DYNAMIC_STATE_LINE_STIPPLE_KHR);
  begin_drawing(s, canvas, build(s, d));
  const Shape line{-1, -0.5f, 1, -0.5f};
  vkCmdPushConstants(s.cmd, d.layout, kShapeRange.stageFlags, 0, sizeof line, &line);
  vkCmdSetLineStippleKHR(s.cmd, 2, 0x5555);
  vkCmdDraw(s.cmd, 2, 1, 0, 0);
  const Shape below{-1, 0.5f, 1, 0.5f};
  vkCmdPushConstants(s.cmd, d.layout, kShapeRange.stageFlags, 0, sizeof below, &below);
  vkCmdSetLineStippleKHR(s.cmd, 1, 0xffff);
  vkCmdDraw(s.cmd, 2, 1, 0, 0);
  vkCmdEndRendering(s.cmd);
  const std::uint32_t* seen = take(s, p, canvas);
  run(s);
  const std::size_t set = count(seen, kTexels, kWhite);
  EXPECT(s, set >= 22 && set <= 26);
}

void indices(Session& s, Pictures& p, const Image& canvas, VkPipelineCreateFlags flags) {
  const std::uint8_t order[8] = {9, 9, 0, 1, 2, 3, 9, 9};
  const MappedBuffer bytes = buffer_of(s, VK_BUFFER_USAGE_INDEX_BUFFER_BIT, order);
  Drawing d = shapes(s);
  d.flags = flags;
  begin_drawing(s, canvas, build(s, d));
  const Shape half{-1, -1, 0, 1, {0, 1, 0, 1}};
  vkCmdPushConstants(s.cmd, d.layout, kShapeRange.stageFlags, 0, sizeof half, &half);
  vkCmdBindIndexBuffer(s.cmd, bytes.buffer, 1, VK_INDEX_TYPE_UINT8_KHR);
  vkCmdDrawIndexed(s.cmd, 4, 1, 1, 0, 0);
  vkCmdEndRendering(s.cmd);
  const std::uint32_t* seen = take(s, p, canvas);
  run(s);
  EXPECT(s, count(seen, kTexels, kGreen) == kTexels / 2);
}

// Two instances for each place, and one place for all.
void divisors(Session& s, Pictures& p, const Image& canvas) {
  const float corners[8][2] = {{-1, -1}, {-0.5f, -1}, {-1, 1}, {-0.5f, 1}, {0, -1}, {0.5f, -1}, {0, 1}, {0.5f, 1}};
  const MappedBuffer places = buffer_of(s, VK_BUFFER_USAGE_VERTEX_BUFFER_BIT, corners);
  Drawing d = shapes(s);
  d.stages[0] = stage(VK_SHADER_STAGE_VERTEX_BIT, shader(s, vertices_vert_spv));
  d.stages[1] = stage(VK_SHADER_STAGE_FRAGMENT_BIT, shader(s, flat_frag_spv));
  d.assembly.topology = VK_PRIMITIVE_TOPOLOGY_POINT_LIST;
  const VkVertexInputBindingDescription binding{0, 8, VK_VERTEX_INPUT_RATE_INSTANCE};
  const VkVertexInputAttributeDescription attribute{0, 0, VK_FORMAT_R32G32_SFLOAT, 0};
  const VkVertexInputBindingDivisorDescriptionKHR divisor{0, 2};
  const VkPipelineVertexInputDivisorStateCreateInfoKHR divided{
      VK_STRUCTURE_TYPE_PIPELINE_VERTEX_INPUT_DIVISOR_STATE_CREATE_INFO_KHR, nullptr, 1, &divisor};
  d.input.pNext = &divided;
  d.input.vertexBindingDescriptionCount = d.input.vertexAttributeDescriptionCount = 1;
  d.input.pVertexBindingDescriptions = &binding;
  d.input.pVertexAttributeDescriptions = &attribute;
  begin_drawing(s, canvas, build(s, d));
  const VkDeviceSize none = 0;
  vkCmdBindVertexBuffers(s.cmd, 0, 1, &places.buffer, &none);
  const Shape white{};
  vkCmdPushConstants(s.cmd, d.layout, kShapeRange.stageFlags, 0, sizeof white, &white);
  vkCmdDraw(s.cmd, 1, 16, 0, 0);
  vkCmdEndRendering(s.cmd);
  take(s, p, canvas);
  run(s);
}

// What is neither loaded nor stored keeps what it holds where nothing is drawn; a second
// attachment of the pipeline is not there at all.
void attachments(Session& s, Pictures& p, const Image& canvas) {
  LOAD(s, vkCmdSetAttachmentFeedbackLoopEnableEXT);
  clear(s.cmd, canvas, {{1, 0, 0, 1}});
  Drawing d = shapes(s);
  d.formats.assign(2, VK_FORMAT_R8G8B8A8_UNORM);
  d.attachments.assign(2, {.colorWriteMask = 0});
  d.dynamic.push_back(VK_DYNAMIC_STATE_ATTACHMENT_FEEDBACK_LOOP_ENABLE_EXT);
  const VkPipeline pipeline = build(s, d);
  VkRenderingAttachmentInfo colors[2] = {attachment(canvas.view, kGeneral, VK_ATTACHMENT_LOAD_OP_NONE_KHR),
                                         attachment(VK_NULL_HANDLE, kGeneral, VK_ATTACHMENT_LOAD_OP_CLEAR)};
  colors[0].storeOp = VK_ATTACHMENT_STORE_OP_NONE;
  VkRenderingInfo info = rendering_info(kExtent, {});
  info.colorAttachmentCount = 2;
  info.pColorAttachments = colors;
  vkCmdBeginRendering(s.cmd, &info);
  set_area(s.cmd, kExtent);
  vkCmdBindPipeline(s.cmd, VK_PIPELINE_BIND_POINT_GRAPHICS, pipeline);
  vkCmdSetAttachmentFeedbackLoopEnableEXT(s.cmd, 0);
  draw(s.cmd, d.layout, {});
  vkCmdEndRendering(s.cmd);
  const std::uint32_t* seen = take(s, p, canvas);
  run(s);
  EXPECT(s, count(seen, kTexels, kRed) == kTexels);
}

// A view of two slices, memory that matters less, and a barrier of flags that are all there will be.
void structures(Session& s, Pictures& p) {
  LOAD(s, vkSetDeviceMemoryPriorityEXT);
  VkImageCreateInfo info =
      image_info(VK_FORMAT_R8G8B8A8_UNORM, VkExtent3D{8, 8, 4},
                 VK_IMAGE_USAGE_STORAGE_BIT | VK_IMAGE_USAGE_TRANSFER_DST_BIT | VK_IMAGE_USAGE_TRANSFER_SRC_BIT);
  info.imageType = VK_IMAGE_TYPE_3D;
  const Image volume = create_general(s, info, VK_IMAGE_VIEW_TYPE_3D);
  const VkImageViewSlicedCreateInfoEXT slices{VK_STRUCTURE_TYPE_IMAGE_VIEW_SLICED_CREATE_INFO_EXT, nullptr, 1, 2};
  create_view(s, volume.image, VK_IMAGE_VIEW_TYPE_3D, info.format, volume.range, &slices);
  vkSetDeviceMemoryPriorityEXT(s.device, volume.memory, 0.25f);
  clear(s.cmd, volume, {{0, 1, 0, 1}});
  const VkMemoryBarrierAccessFlags3KHR more{VK_STRUCTURE_TYPE_MEMORY_BARRIER_ACCESS_FLAGS_3_KHR, nullptr, 0, 0};
  // Of an image: the registries differ in whether it also extends a barrier of all memory.
  VkImageMemoryBarrier2 all{VK_STRUCTURE_TYPE_IMAGE_MEMORY_BARRIER_2, &more};
  all.srcStageMask = all.dstStageMask = VK_PIPELINE_STAGE_2_ALL_COMMANDS_BIT;
  all.srcAccessMask = VK_ACCESS_2_MEMORY_WRITE_BIT;
  all.dstAccessMask = VK_ACCESS_2_MEMORY_READ_BIT;
  all.oldLayout = all.newLayout = VK_IMAGE_LAYOUT_GENERAL;
  all.srcQueueFamilyIndex = all.dstQueueFamilyIndex = VK_QUEUE_FAMILY_IGNORED;
  all.image = volume.image;
  all.subresourceRange = volume.range;
  const VkDependencyInfo dependency{
      .sType = VK_STRUCTURE_TYPE_DEPENDENCY_INFO, .imageMemoryBarrierCount = 1, .pImageMemoryBarriers = &all};
  vkCmdPipelineBarrier2(s.cmd, &dependency);
  const std::uint32_t* seen = take(s, p, volume);
  run(s);
  EXPECT(s, count(seen, 256, kGreen) == 256);
}

}  // namespace

int main() {
  Needs needs = drawing_needs(
      {VK_KHR_LINE_RASTERIZATION_EXTENSION_NAME, VK_KHR_INDEX_TYPE_UINT8_EXTENSION_NAME,
       VK_KHR_VERTEX_ATTRIBUTE_DIVISOR_EXTENSION_NAME, VK_KHR_LOAD_STORE_OP_NONE_EXTENSION_NAME,
       VK_EXT_ATTACHMENT_FEEDBACK_LOOP_LAYOUT_EXTENSION_NAME,
       VK_EXT_ATTACHMENT_FEEDBACK_LOOP_DYNAMIC_STATE_EXTENSION_NAME,
       VK_EXT_DYNAMIC_RENDERING_UNUSED_ATTACHMENTS_EXTENSION_NAME, VK_EXT_IMAGE_SLICED_VIEW_OF_3D_EXTENSION_NAME,
       VK_EXT_LEGACY_VERTEX_ATTRIBUTES_EXTENSION_NAME, VK_EXT_VERTEX_INPUT_DYNAMIC_STATE_EXTENSION_NAME,
       VK_EXT_MEMORY_PRIORITY_EXTENSION_NAME, VK_EXT_PAGEABLE_DEVICE_LOCAL_MEMORY_EXTENSION_NAME,
       VK_KHR_MAINTENANCE_7_EXTENSION_NAME, VK_KHR_MAINTENANCE_8_EXTENSION_NAME});
  needs.wished = {VK_EXT_PIPELINE_PROTECTED_ACCESS_EXTENSION_NAME};
  needs.enable(needs.of<VkPhysicalDevicePipelineProtectedAccessFeaturesEXT>().pipelineProtectedAccess, nullptr);
  NEED(needs, LineRasterizationFeaturesKHR, stippledBresenhamLines);
  NEED(needs, LineRasterizationFeaturesKHR, bresenhamLines);
  NEED(needs, IndexTypeUint8FeaturesKHR, indexTypeUint8);
  NEED(needs, VertexAttributeDivisorFeaturesKHR, vertexAttributeInstanceRateDivisor);
  NEED(needs, AttachmentFeedbackLoopLayoutFeaturesEXT, attachmentFeedbackLoopLayout);
  NEED(needs, AttachmentFeedbackLoopDynamicStateFeaturesEXT, attachmentFeedbackLoopDynamicState);
  NEED(needs, DynamicRenderingUnusedAttachmentsFeaturesEXT, dynamicRenderingUnusedAttachments);
  NEED(needs, ImageSlicedViewOf3DFeaturesEXT, imageSlicedViewOf3D);
  NEED(needs, LegacyVertexAttributesFeaturesEXT, legacyVertexAttributes);
  NEED(needs, MemoryPriorityFeaturesEXT, memoryPriority);
  NEED(needs, PageableDeviceLocalMemoryFeaturesEXT, pageableDeviceLocalMemory);
  NEED(needs, Maintenance7FeaturesKHR, maintenance7);
  NEED(needs, Maintenance8FeaturesKHR, maintenance8);
  NEED(needs, Vulkan13Features, synchronization2);
  Session s = open("newer_states", needs);
  const Image canvas = create_canvas(s, kExtent);
  Pictures p = create_pictures(s, 8 * kTexels * 4);
  lines(s, p, canvas);
  const bool says = needs.of<VkPhysicalDevicePipelineProtectedAccessFeaturesEXT>().pipelineProtectedAccess == VK_TRUE;
  indices(s, p, canvas, says ? VK_PIPELINE_CREATE_NO_PROTECTED_ACCESS_BIT_EXT : 0);
  divisors(s, p, canvas);
  attachments(s, p, canvas);
  structures(s, p);
  add(s, p.out);
  return finish(s);
}

#else

int main() { return program::cannot_run("the headers that it was built with do not have VK_KHR_maintenance8"); }

#endif
