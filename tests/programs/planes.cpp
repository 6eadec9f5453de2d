// SPDX-License-Identifier: Apache-2.0
// An image of three planes: written and read a plane at a time, and looked at
// through a conversion that sampler and view share. Lavapipe has none.
#include "picture.h"

using namespace program;

int main() {
  VkPhysicalDeviceSamplerYcbcrConversionFeatures feature{
      VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_SAMPLER_YCBCR_CONVERSION_FEATURES, nullptr, VK_TRUE};
  Wanted wanted;
  wanted.features = &feature;
  wanted.extensions = {VK_KHR_SAMPLER_YCBCR_CONVERSION_EXTENSION_NAME};
  Session s = open("planes", wanted);
  constexpr VkFormat format = VK_FORMAT_G8_B8_R8_3PLANE_420_UNORM;
  const VkSamplerYcbcrConversionCreateInfo how{
      .sType = VK_STRUCTURE_TYPE_SAMPLER_YCBCR_CONVERSION_CREATE_INFO,
      .format = format,
      .ycbcrModel = VK_SAMPLER_YCBCR_MODEL_CONVERSION_YCBCR_601,
      .ycbcrRange = VK_SAMPLER_YCBCR_RANGE_ITU_FULL};
  VkSamplerYcbcrConversion conversion;
  CHECK(vkCreateSamplerYcbcrConversion(s.device, &how, nullptr, &conversion));
  keep(s, vkDestroySamplerYcbcrConversion, conversion);
  const VkSamplerYcbcrConversionInfo by{VK_STRUCTURE_TYPE_SAMPLER_YCBCR_CONVERSION_INFO, nullptr, conversion};
  const VkSamplerCreateInfo sampling{.sType = VK_STRUCTURE_TYPE_SAMPLER_CREATE_INFO,
                                     .pNext = &by,
                                     .addressModeU = VK_SAMPLER_ADDRESS_MODE_CLAMP_TO_EDGE,
                                     .addressModeV = VK_SAMPLER_ADDRESS_MODE_CLAMP_TO_EDGE,
                                     .addressModeW = VK_SAMPLER_ADDRESS_MODE_CLAMP_TO_EDGE};
  VkSampler sampler;
  CHECK(vkCreateSampler(s.device, &sampling, nullptr, &sampler));
  keep(s, vkDestroySampler, sampler);
  create_set_layout(
      s, {{0, VK_DESCRIPTOR_TYPE_COMBINED_IMAGE_SAMPLER, 1, VK_SHADER_STAGE_FRAGMENT_BIT, &sampler}});

  const Image image = create_image(
      s, image_info(format, 8, VK_IMAGE_USAGE_TRANSFER_SRC_BIT | VK_IMAGE_USAGE_TRANSFER_DST_BIT));
  std::uint32_t words[24];
  for (std::uint32_t i = 0; i < 24; ++i) words[i] = 0x01020304 * (i + 1);
  const MappedBuffer in = buffer_of(s, VK_BUFFER_USAGE_TRANSFER_SRC_BIT, words);
  const MappedBuffer out = create_readback(s, sizeof words);
  transition(s.cmd, image, VK_IMAGE_LAYOUT_UNDEFINED, VK_IMAGE_LAYOUT_TRANSFER_DST_OPTIMAL);
  VkBufferImageCopy planes[3];  // 64 bytes of luma, twice 16 of the others
  const VkDeviceSize offsets[3] = {0, 64, 80};
  for (std::uint32_t i = 0; i < 3; ++i)
    planes[i] = {offsets[i], 0,
                 0,          {VkImageAspectFlags{VK_IMAGE_ASPECT_PLANE_0_BIT} << i, 0, 0, 1},
                 {0, 0, 0},  {i == 0 ? 8u : 4u, i == 0 ? 8u : 4u, 1}};
  vkCmdCopyBufferToImage(s.cmd, in.buffer, image.image, VK_IMAGE_LAYOUT_TRANSFER_DST_OPTIMAL, 3, planes);
  transition(s.cmd, image, VK_IMAGE_LAYOUT_TRANSFER_DST_OPTIMAL, VK_IMAGE_LAYOUT_TRANSFER_SRC_OPTIMAL);
  vkCmdCopyImageToBuffer(s.cmd, image.image, VK_IMAGE_LAYOUT_TRANSFER_SRC_OPTIMAL, out.buffer, 3, planes);
  run(s);
  EXPECT(s, std::memcmp(out.words, words, sizeof words) == 0);
  add(s, out);
  return finish(s);
}
