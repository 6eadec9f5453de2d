// SPDX-License-Identifier: Apache-2.0
// Flags that are wider than their members, which are ignored then; shader code without a module;
// a size of what is indices; and questions about images that are not made.
#include "constants.comp.h"
#include "picture.h"

#ifdef VK_KHR_maintenance5

using namespace program;

namespace {

constexpr std::uint32_t kExtent = 16, kTexels = kExtent * kExtent;

// What the member says is not what it is for.
MappedBuffer create_wide(Session& s, VkDeviceSize bytes, VkBufferUsageFlags2KHR usage) {
  const VkBufferUsageFlags2CreateInfoKHR wide{VK_STRUCTURE_TYPE_BUFFER_USAGE_FLAGS_2_CREATE_INFO_KHR, nullptr, usage};
  const VkBufferCreateInfo info{.sType = VK_STRUCTURE_TYPE_BUFFER_CREATE_INFO,
                                .pNext = &wide,
                                .size = bytes,
                                .usage = VK_BUFFER_USAGE_TRANSFER_SRC_BIT};
  MappedBuffer b;
  b.bytes = bytes;
  CHECK(vkCreateBuffer(s.device, &info, nullptr, &b.buffer));
  const VkDeviceBufferMemoryRequirements asked{VK_STRUCTURE_TYPE_DEVICE_BUFFER_MEMORY_REQUIREMENTS, nullptr, &info};
  VkMemoryRequirements2 needs{.sType = VK_STRUCTURE_TYPE_MEMORY_REQUIREMENTS_2};
  vkGetDeviceBufferMemoryRequirements(s.device, &asked, &needs);
  VkMemoryRequirements same;
  vkGetBufferMemoryRequirements(s.device, b.buffer, &same);
  EXPECT(s, same.size == needs.memoryRequirements.size);
  b.memory = allocate(s, same, VK_MEMORY_PROPERTY_HOST_VISIBLE_BIT | VK_MEMORY_PROPERTY_HOST_COHERENT_BIT);
  CHECK(vkBindBufferMemory(s.device, b.buffer, b.memory, 0));
  void* mapped = nullptr;
  CHECK(vkMapMemory(s.device, b.memory, 0, VK_WHOLE_SIZE, 0, &mapped));
  b.words = static_cast<std::uint32_t*>(mapped);
  std::memset(mapped, 0, static_cast<std::size_t>(bytes));
  s.at_end.push_back([b, c = static_cast<const Context&>(s)]() mutable { destroy(c, b); });
  return b;
}

VkPipeline create_wide_compute(Session& s, VkPipelineLayout layout, const std::uint32_t* code, std::size_t bytes,
                               VkPipelineCreateFlags2KHR flags, VkPipeline base) {
  const VkShaderModuleCreateInfo chained{VK_STRUCTURE_TYPE_SHADER_MODULE_CREATE_INFO, nullptr, 0, bytes, code};
  const VkPipelineCreateFlags2CreateInfoKHR wide{VK_STRUCTURE_TYPE_PIPELINE_CREATE_FLAGS_2_CREATE_INFO_KHR, nullptr,
                                                 flags};
  const std::uint32_t one = 1;
  const VkSpecializationMapEntry entry{6, 0, 4};
  const VkSpecializationInfo constants{1, &entry, 4, &one};
  const VkComputePipelineCreateInfo info{.sType = VK_STRUCTURE_TYPE_COMPUTE_PIPELINE_CREATE_INFO,
                                         .pNext = &wide,
                                         .flags = VK_PIPELINE_CREATE_LIBRARY_BIT_KHR,  // ignored
                                         .stage = {VK_STRUCTURE_TYPE_PIPELINE_SHADER_STAGE_CREATE_INFO, &chained, 0,
                                                   VK_SHADER_STAGE_COMPUTE_BIT, VK_NULL_HANDLE, "main", &constants},
                                         .layout = layout,
                                         .basePipelineHandle = base,
                                         .basePipelineIndex = -1};
  VkPipeline pipeline;
  CHECK(vkCreateComputePipelines(s.device, VK_NULL_HANDLE, 1, &info, nullptr, &pipeline));
  return keep(s, vkDestroyPipeline, pipeline);
}

// A pipeline, one derived from it, and another base group than 0: by the wider flags alone.
void compute(Session& s) {
  const MappedBuffer out = create_wide(s, 64, VK_BUFFER_USAGE_2_STORAGE_BUFFER_BIT_KHR);
  const VkDescriptorSetLayout set_layout =
      create_set_layout(s, {{0, VK_DESCRIPTOR_TYPE_STORAGE_BUFFER, 1, VK_SHADER_STAGE_COMPUTE_BIT, nullptr}});
  const VkPipelineLayout layout = create_layout(s, {set_layout});
  const VkDescriptorSet set = create_set(s, set_layout, {VK_DESCRIPTOR_TYPE_STORAGE_BUFFER});
  write_buffer(s, set, 0, out);
  const VkPipeline base = create_wide_compute(s, layout, constants_comp_spv, sizeof constants_comp_spv,
                                              VK_PIPELINE_CREATE_2_ALLOW_DERIVATIVES_BIT_KHR, VK_NULL_HANDLE);
  const VkPipeline derived =
      create_wide_compute(s, layout, constants_comp_spv, sizeof constants_comp_spv,
                          VK_PIPELINE_CREATE_2_DERIVATIVE_BIT_KHR | VK_PIPELINE_CREATE_2_DISPATCH_BASE_BIT_KHR, base);
  vkCmdBindDescriptorSets(s.cmd, VK_PIPELINE_BIND_POINT_COMPUTE, layout, 0, 1, &set, 0, nullptr);
  vkCmdBindPipeline(s.cmd, VK_PIPELINE_BIND_POINT_COMPUTE, base);
  vkCmdDispatch(s.cmd, 3, 1, 1);
  barrier(s.cmd);
  vkCmdBindPipeline(s.cmd, VK_PIPELINE_BIND_POINT_COMPUTE, derived);
  vkCmdDispatchBase(s.cmd, 2, 0, 0, 2, 1, 1);
  run(s);
  EXPECT(s, out.words[0] == 5);
  EXPECT(s, out.words[7] == 99);
  add(s, out);
}

// A view whose usage is less than its buffer's, read and written as texels.
void view(Session& s) {
  const MappedBuffer from = create_wide(
      s, 64, VK_BUFFER_USAGE_2_UNIFORM_TEXEL_BUFFER_BIT_KHR | VK_BUFFER_USAGE_2_STORAGE_TEXEL_BUFFER_BIT_KHR);
  const VkBufferUsageFlags2CreateInfoKHR only{VK_STRUCTURE_TYPE_BUFFER_USAGE_FLAGS_2_CREATE_INFO_KHR, nullptr,
                                              VK_BUFFER_USAGE_2_STORAGE_TEXEL_BUFFER_BIT_KHR};
  const VkBufferViewCreateInfo info{
      VK_STRUCTURE_TYPE_BUFFER_VIEW_CREATE_INFO, &only, 0, from.buffer, VK_FORMAT_R32_UINT, 0, 64};
  VkBufferView made;
  CHECK(vkCreateBufferView(s.device, &info, nullptr, &made));
  keep(s, vkDestroyBufferView, made);
}

// Indices within a size of their own.
void draw_indices(Session& s, const Image& canvas, const MappedBuffer& out) {
  constexpr std::uint16_t all[8] = {9, 9, 0, 1, 2, 3, 9, 9};
  const MappedBuffer indices = create_wide(s, sizeof all, VK_BUFFER_USAGE_2_INDEX_BUFFER_BIT_KHR);
  std::memcpy(indices.words, all, sizeof all);
  Drawing d = shapes(s);
  const VkPipeline pipeline = build(s, d);
  LOAD(s, vkCmdBindIndexBuffer2KHR);
  begin_rendering(s.cmd, canvas);
  vkCmdBindPipeline(s.cmd, VK_PIPELINE_BIND_POINT_GRAPHICS, pipeline);
  set_area(s.cmd, kExtent);
  vkCmdBindIndexBuffer2KHR(s.cmd, indices.buffer, 4, 8, VK_INDEX_TYPE_UINT16);
  const Shape shape{-1, -1, 0, 1, {0, 1, 0, 1}};
  vkCmdPushConstants(s.cmd, d.layout, kShapeRange.stageFlags, 0, sizeof shape, &shape);
  vkCmdDrawIndexed(s.cmd, 4, 1, 0, 0, 0);
  vkCmdBindIndexBuffer2KHR(s.cmd, indices.buffer, 4, VK_WHOLE_SIZE, VK_INDEX_TYPE_UINT16);
  const Shape other{0, -1, 1, 1, {0, 0, 1, 1}};
  vkCmdPushConstants(s.cmd, d.layout, kShapeRange.stageFlags, 0, sizeof other, &other);
  vkCmdDrawIndexed(s.cmd, 4, 1, 0, 0, 0);
  vkCmdEndRendering(s.cmd);
  copy_out(s.cmd, canvas, VK_IMAGE_LAYOUT_GENERAL, out);
  run(s);
  EXPECT(s, count(out.words, kTexels, kGreen) == kTexels / 2);
  EXPECT(s, count(out.words, kTexels, kBlue) == kTexels / 2);
}

// Of an image that is not made yet, and of that image.
void ask(Session& s) {
  LOAD(s, vkGetRenderingAreaGranularityKHR);
  LOAD(s, vkGetDeviceImageSubresourceLayoutKHR);
  LOAD(s, vkGetImageSubresourceLayout2KHR);
  const VkFormat format = VK_FORMAT_R8G8B8A8_UNORM;
  const VkRenderingAreaInfoKHR area{.sType = VK_STRUCTURE_TYPE_RENDERING_AREA_INFO_KHR,
                                    .colorAttachmentCount = 1,
                                    .pColorAttachmentFormats = &format};
  VkExtent2D granularity{};
  vkGetRenderingAreaGranularityKHR(s.device, &area, &granularity);
  EXPECT(s, granularity.width != 0 && granularity.height != 0);
  for (const VkImageTiling tiling : {VK_IMAGE_TILING_LINEAR, VK_IMAGE_TILING_OPTIMAL}) {
    VkImageCreateInfo info = image_info(format, kExtent, VK_IMAGE_USAGE_TRANSFER_DST_BIT);
    info.tiling = tiling;
    const VkImageSubresource2KHR part{
        VK_STRUCTURE_TYPE_IMAGE_SUBRESOURCE_2_KHR, nullptr, {VK_IMAGE_ASPECT_COLOR_BIT, 0, 0}};
    const VkDeviceImageSubresourceInfoKHR asked{VK_STRUCTURE_TYPE_DEVICE_IMAGE_SUBRESOURCE_INFO_KHR, nullptr, &info,
                                                &part};
    VkSubresourceLayout2KHR before{.sType = VK_STRUCTURE_TYPE_SUBRESOURCE_LAYOUT_2_KHR}, after = before;
    vkGetDeviceImageSubresourceLayoutKHR(s.device, &asked, &before);
    const Image image = create_image(s, info);
    vkGetImageSubresourceLayout2KHR(s.device, image.image, &part, &after);
    EXPECT(s, std::memcmp(&before.subresourceLayout, &after.subresourceLayout, sizeof after.subresourceLayout) == 0);
  }
}

// Of three layers, all from the second on: to a buffer and from one, to another image, scaled.
void copy_layers(Session& s) {
  constexpr VkImageUsageFlags kUsage = VK_IMAGE_USAGE_TRANSFER_DST_BIT | VK_IMAGE_USAGE_TRANSFER_SRC_BIT;
  VkImageCreateInfo info = image_info(VK_FORMAT_R8G8B8A8_UNORM, kExtent, kUsage);
  info.arrayLayers = 3;
  const Image from = create_image(s, info, VK_IMAGE_VIEW_TYPE_2D_ARRAY);
  const Image to = create_image(s, info, VK_IMAGE_VIEW_TYPE_2D_ARRAY);
  const MappedBuffer words =
      create_wide(s, 2 * kTexels * 4, VK_BUFFER_USAGE_2_TRANSFER_SRC_BIT_KHR | VK_BUFFER_USAGE_2_TRANSFER_DST_BIT_KHR);
  for (std::uint32_t i = 0; i < 2 * kTexels; ++i) words.words[i] = i < kTexels ? kGreen : kBlue;
  constexpr VkImageSubresourceLayers rest{VK_IMAGE_ASPECT_COLOR_BIT, 0, 1, VK_REMAINING_ARRAY_LAYERS};
  constexpr VkExtent3D extent{kExtent, kExtent, 1};
  constexpr VkImageLayout layout = VK_IMAGE_LAYOUT_GENERAL;
  for (const Image* image : {&from, &to}) {
    transition(s.cmd, *image, VK_IMAGE_LAYOUT_UNDEFINED, layout);
    const VkClearColorValue red{.float32 = {1, 0, 0, 1}};
    vkCmdClearColorImage(s.cmd, image->image, layout, &red, 1, &image->range);
  }
  barrier(s.cmd);
  const VkBufferImageCopy all{.imageSubresource = rest, .imageExtent = extent};
  vkCmdCopyBufferToImage(s.cmd, words.buffer, from.image, layout, 1, &all);
  barrier(s.cmd);
  const VkImageCopy copy{rest, {}, rest, {}, extent};
  vkCmdCopyImage(s.cmd, from.image, layout, to.image, layout, 1, &copy);
  barrier(s.cmd);
  // The first two layers from the last two.
  const VkImageBlit blit{rest,
                         {{0, 0, 0}, {kExtent, kExtent, 1}},
                         {VK_IMAGE_ASPECT_COLOR_BIT, 0, 0, 2},
                         {{0, 0, 0}, {kExtent, kExtent, 1}}};
  vkCmdBlitImage(s.cmd, to.image, layout, from.image, layout, 1, &blit, VK_FILTER_NEAREST);
  barrier(s.cmd);
  const VkBufferImageCopy out{.imageSubresource = rest, .imageExtent = extent};
  vkCmdCopyImageToBuffer(s.cmd, from.image, layout, words.buffer, 1, &out);
  run(s);
  EXPECT(s, count(words.words, 2 * kTexels, kBlue) == 2 * kTexels);
  add(s, words);
}

// A format that only this extension has.
void clear_alpha(Session& s, const MappedBuffer& out) {
  VkFormatProperties has;
  vkGetPhysicalDeviceFormatProperties(s.physical, VK_FORMAT_A8_UNORM_KHR, &has);
  if ((has.optimalTilingFeatures & VK_FORMAT_FEATURE_TRANSFER_DST_BIT) == 0) return;
  const Image image = create_image(s, image_info(VK_FORMAT_A8_UNORM_KHR, kExtent,
                                                 VK_IMAGE_USAGE_TRANSFER_DST_BIT | VK_IMAGE_USAGE_TRANSFER_SRC_BIT));
  transition(s.cmd, image, VK_IMAGE_LAYOUT_UNDEFINED, VK_IMAGE_LAYOUT_GENERAL);
  const VkClearColorValue value{.float32 = {0, 0, 0, 1}};
  vkCmdClearColorImage(s.cmd, image.image, VK_IMAGE_LAYOUT_GENERAL, &value, 1, &image.range);
  copy_out(s.cmd, image, VK_IMAGE_LAYOUT_GENERAL, out, kTexels * 4);
  run(s);
  EXPECT(s, count(out.words + kTexels, kTexels / 4, 0xffffffff) == kTexels / 4);
}

}  // namespace

int main() {
  VkPhysicalDeviceMaintenance5FeaturesKHR maintenance{VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_MAINTENANCE_5_FEATURES_KHR,
                                                      nullptr, VK_TRUE};
  VkPhysicalDeviceVulkan13Features v13{.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_3_FEATURES,
                                       .pNext = &maintenance,
                                       .dynamicRendering = VK_TRUE,
                                       .maintenance4 = VK_TRUE};
  VkPhysicalDeviceFeatures2 features{VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_FEATURES_2, &v13, {}};
  features.features.shaderFloat64 = features.features.shaderInt64 = features.features.shaderInt16 = VK_TRUE;
  Wanted wanted;
  wanted.features = &features;
  wanted.extensions = {"VK_KHR_maintenance5"};
  Session s = open("maintenance5", wanted);
  const Image canvas = create_canvas(s, kExtent);
  const MappedBuffer out = create_wide(s, 2 * kTexels * 4, VK_BUFFER_USAGE_2_TRANSFER_DST_BIT_KHR);
  compute(s);
  view(s);
  draw_indices(s, canvas, out);
  clear_alpha(s, out);
  copy_layers(s);
  ask(s);
  add(s, out);
  return finish(s);
}

#else

int main() { return program::cannot_run("the headers that it was built with do not have VK_KHR_maintenance5"); }

#endif
