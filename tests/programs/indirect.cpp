// SPDX-License-Identifier: Apache-2.0
// Draws and dispatches whose numbers come from buffers, with and without a
// count, many draws in one call, indices of 8, 16 and 32 bits with restart,
// attributes that advance every other instance or never, and a base group. A
// row of the picture is one way to draw, points that say which draw they are of;
// those whose first instance is 1 are a row lower.
#include <cstddef>

#include "indirect.frag.h"
#include "indirect.vert.h"
#include "picture.h"

using namespace program;

namespace {

constexpr std::uint32_t kExtent = 16;
constexpr std::uint32_t kTexels = kExtent * kExtent;

struct Arguments {
  VkDrawIndirectCommand draws[3] = {{3, 1, 0, 0}, {2, 1, 4, 0}, {4, 1, 8, 1}};
  VkDrawIndexedIndirectCommand indexed[2] = {{2, 1, 0, 1, 0}, {3, 1, 1, 4, 1}};
  std::uint32_t count = 2;
  VkDispatchIndirectCommand groups{3, 1, 1};
};

}  // namespace

int main() {
  VkPhysicalDeviceMultiDrawFeaturesEXT multi{VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_MULTI_DRAW_FEATURES_EXT, nullptr,
                                             VK_TRUE};
  VkPhysicalDeviceIndexTypeUint8FeaturesEXT bytes{VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_INDEX_TYPE_UINT8_FEATURES_EXT,
                                                  &multi, VK_TRUE};
  VkPhysicalDeviceVertexAttributeDivisorFeaturesEXT divisor{
      VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VERTEX_ATTRIBUTE_DIVISOR_FEATURES_EXT, &bytes, VK_TRUE, VK_TRUE};
  VkPhysicalDevicePrimitiveTopologyListRestartFeaturesEXT restart{
      VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_PRIMITIVE_TOPOLOGY_LIST_RESTART_FEATURES_EXT, &divisor, VK_TRUE, VK_FALSE};
  VkPhysicalDeviceVulkan13Features v13{
      .sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_3_FEATURES, .pNext = &restart, .dynamicRendering = VK_TRUE};
  VkPhysicalDeviceVulkan12Features v12{
      .sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_2_FEATURES, .pNext = &v13, .drawIndirectCount = VK_TRUE};
  VkPhysicalDeviceVulkan11Features v11{
      .sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_1_FEATURES, .pNext = &v12, .shaderDrawParameters = VK_TRUE};
  VkPhysicalDeviceFeatures2 core{VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_FEATURES_2, &v11};
  core.features.multiDrawIndirect = core.features.drawIndirectFirstInstance = VK_TRUE;
  Wanted wanted;
  wanted.features = &core;
  wanted.extensions = {VK_KHR_DRAW_INDIRECT_COUNT_EXTENSION_NAME,
                       VK_EXT_MULTI_DRAW_EXTENSION_NAME,
                       VK_EXT_INDEX_TYPE_UINT8_EXTENSION_NAME,
                       VK_EXT_VERTEX_ATTRIBUTE_DIVISOR_EXTENSION_NAME,
                       VK_EXT_PRIMITIVE_TOPOLOGY_LIST_RESTART_EXTENSION_NAME,
                       VK_KHR_SHADER_DRAW_PARAMETERS_EXTENSION_NAME};
  Session s = open("indirect", wanted);
  LOAD(s, vkCmdDrawIndirectCountKHR);
  LOAD(s, vkCmdDrawIndexedIndirectCountKHR);
  LOAD(s, vkCmdDrawMultiEXT);
  LOAD(s, vkCmdDrawMultiIndexedEXT);

  const Arguments arguments[1];
  const MappedBuffer args =
      buffer_of(s, VK_BUFFER_USAGE_INDIRECT_BUFFER_BIT | VK_BUFFER_USAGE_STORAGE_BUFFER_BIT, arguments);
  std::uint32_t columns[kExtent], rows[kExtent];
  for (std::uint32_t i = 0; i < kExtent; ++i) columns[i] = rows[i] = i;
  const MappedBuffer across = buffer_of(s, VK_BUFFER_USAGE_VERTEX_BUFFER_BIT, columns);
  const MappedBuffer down = buffer_of(s, VK_BUFFER_USAGE_VERTEX_BUFFER_BIT, rows);
  const std::uint8_t indices8[8] = {1, 0xff, 3, 5, 0, 0, 0, 0};
  const std::uint16_t indices16[4] = {1, 0xffff, 3, 5};
  const std::uint32_t indices32[4] = {1, ~0u, 3, 5}, plain[4] = {1, 2, 3, 5};
  constexpr VkBufferUsageFlags index = VK_BUFFER_USAGE_INDEX_BUFFER_BIT;
  const MappedBuffer by8 = buffer_of(s, index, indices8), by16 = buffer_of(s, index, indices16),
                     by32 = buffer_of(s, index, indices32), unbroken = buffer_of(s, index, plain);
  const Image canvas = create_image(
      s,
      image_info(VK_FORMAT_R32_UINT, kExtent, VK_IMAGE_USAGE_COLOR_ATTACHMENT_BIT | VK_IMAGE_USAGE_TRANSFER_SRC_BIT));
  transition(s.cmd, canvas, VK_IMAGE_LAYOUT_UNDEFINED, VK_IMAGE_LAYOUT_GENERAL);
  const MappedBuffer out = create_readback(s, kTexels * 4);

  Drawing d;
  d.stages = {stage(VK_SHADER_STAGE_VERTEX_BIT, shader(s, indirect_vert_spv)),
              stage(VK_SHADER_STAGE_FRAGMENT_BIT, shader(s, indirect_frag_spv))};
  d.layout = create_layout(s, {});
  d.formats = {VK_FORMAT_R32_UINT};
  d.assembly.topology = VK_PRIMITIVE_TOPOLOGY_POINT_LIST;
  const VkVertexInputBindingDescription bindings[2] = {{0, 4, VK_VERTEX_INPUT_RATE_VERTEX},
                                                       {1, 4, VK_VERTEX_INPUT_RATE_INSTANCE}};
  const VkVertexInputAttributeDescription attributes[2] = {{0, 0, VK_FORMAT_R32_UINT, 0},
                                                           {1, 1, VK_FORMAT_R32_UINT, 0}};
  VkVertexInputBindingDivisorDescriptionEXT every{1, 0};
  const VkPipelineVertexInputDivisorStateCreateInfoEXT divisors{
      VK_STRUCTURE_TYPE_PIPELINE_VERTEX_INPUT_DIVISOR_STATE_CREATE_INFO_EXT, nullptr, 1, &every};
  d.input.pNext = &divisors;
  d.input.vertexBindingDescriptionCount = d.input.vertexAttributeDescriptionCount = 2;
  d.input.pVertexBindingDescriptions = bindings;
  d.input.pVertexAttributeDescriptions = attributes;
  const VkPipeline once = build(s, d);  // every instance in the bound row
  every.divisor = 2;
  d.assembly.primitiveRestartEnable = VK_TRUE;
  const VkPipeline stepping = build(s, d);  // a row for two instances

  const auto row = [&](std::uint32_t which) {
    const VkBuffer buffers[2] = {across.buffer, down.buffer};
    const VkDeviceSize offsets[2] = {0, which * 4};
    vkCmdBindVertexBuffers(s.cmd, 0, 2, buffers, offsets);
  };
  begin_rendering(s.cmd, canvas);
  set_area(s.cmd, kExtent);
  vkCmdBindPipeline(s.cmd, VK_PIPELINE_BIND_POINT_GRAPHICS, once);
  row(0);
  vkCmdDrawIndirect(s.cmd, args.buffer, offsetof(Arguments, draws), 3, sizeof(VkDrawIndirectCommand));
  row(1);
  vkCmdDrawIndirectCountKHR(s.cmd, args.buffer, offsetof(Arguments, draws), args.buffer, offsetof(Arguments, count), 3,
                            sizeof(VkDrawIndirectCommand));
  vkCmdBindIndexBuffer(s.cmd, unbroken.buffer, 0, VK_INDEX_TYPE_UINT32);
  row(2);
  vkCmdDrawIndexedIndirect(s.cmd, args.buffer, offsetof(Arguments, indexed), 2, sizeof(VkDrawIndexedIndirectCommand));
  row(3);
  vkCmdDrawIndexedIndirectCountKHR(s.cmd, args.buffer, offsetof(Arguments, indexed), args.buffer,
                                   offsetof(Arguments, count), 1, sizeof(VkDrawIndexedIndirectCommand));
  row(4);
  // The stride is larger than the item.
  const struct {
    VkMultiDrawInfoEXT draw;
    std::uint64_t gap;
  } draws[2] = {{{0, 2}, ~0ull}, {{5, 3}, ~0ull}};
  vkCmdDrawMultiEXT(s.cmd, 2, &draws[0].draw, 1, 0, sizeof draws[0]);
  row(5);
  const VkMultiDrawIndexedInfoEXT indexed[2] = {{0, 1, 2}, {1, 2, 6}};
  const std::int32_t moved = 7;
  vkCmdDrawMultiIndexedEXT(s.cmd, 2, indexed, 1, 0, sizeof indexed[0], nullptr);
  row(6);
  vkCmdDrawMultiIndexedEXT(s.cmd, 2, indexed, 1, 0, sizeof indexed[0], &moved);

  vkCmdBindPipeline(s.cmd, VK_PIPELINE_BIND_POINT_GRAPHICS, stepping);
  const VkBuffer indices[3] = {by8.buffer, by16.buffer, by32.buffer};
  const VkIndexType types[3] = {VK_INDEX_TYPE_UINT8_EXT, VK_INDEX_TYPE_UINT16, VK_INDEX_TYPE_UINT32};
  for (std::uint32_t i = 0; i < 3; ++i) {
    row(8 + 2 * i);
    vkCmdBindIndexBuffer(s.cmd, indices[i], 0, types[i]);
    vkCmdDrawIndexed(s.cmd, 4, 3, 0, 0, 0);
  }
  vkCmdEndRendering(s.cmd);
  copy_out(s.cmd, canvas, VK_IMAGE_LAYOUT_GENERAL, out);
  run(s);

  const auto at = [&](std::uint32_t y, std::uint32_t x) { return out.words[y * kExtent + x]; };
  const auto drawn = [&](std::uint32_t y) { return kExtent - count(out.words + y * kExtent, kExtent, 0); };
  const std::size_t points[14] = {5, 9, 2, 5, 5, 3, 3, 0, 3, 3, 3, 3, 3, 3};
  for (std::uint32_t y = 0; y < 14; ++y) EXPECT(s, drawn(y) == points[y]);
  EXPECT(s, at(0, 0) == 1 && at(0, 4) == 1 + 1 + 64 && at(1, 8) == 1 + 2 + 128 + 256 + 4096);
  EXPECT(s, at(3, 7) == 1 + 1 + 64 + 256 + 4096);
  EXPECT(s, at(4, 5) == 1 + 1 + 80);
  EXPECT(s, at(6, 8) == 1 + 112 && at(6, 10) == 1 + 1 + 112);
  EXPECT(s, at(8, 3) == 1 + 4096 && at(9, 3) == 1 + 2 * 4096);
  add(s, out);
  return finish(s);
}
