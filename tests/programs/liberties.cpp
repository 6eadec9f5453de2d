// SPDX-License-Identifier: Apache-2.0
// Liberties that real programs take: names and labels through VK_EXT_debug_utils,
// which was never enabled but which loaders up to Debian 12's give out all the same; memory that
// is mapped only after the wait for what the device wrote to it; more workgroups
// than the limits allow; descriptors of samplers whose layout nobody has set; and an
// image of more samples than the device has for it.
#include "accumulate.comp.h"
#include "kernel.h"

using namespace program;

namespace {

// All of them write the same.
void dispatch_very_many(Session& s) {
  VkPhysicalDeviceProperties properties;
  vkGetPhysicalDeviceProperties(s.physical, &properties);
  const std::uint32_t groups = properties.limits.maxComputeWorkGroupCount[0] + 1;
  const MappedBuffer inputs = buffer(s, 256, VK_BUFFER_USAGE_STORAGE_BUFFER_BIT);
  const MappedBuffer outputs = buffer(s, 256, VK_BUFFER_USAGE_STORAGE_BUFFER_BIT);
  for (std::uint32_t i = 0; i < 64; ++i) inputs.words[i] = i;
  const Kernel kernel = create_kernel(s, shader(s, accumulate_comp_spv), {inputs, outputs});
  bind(s.cmd, kernel);
  push(s.cmd, kernel, 0, 0xffffffff);
  vkCmdDispatch(s.cmd, groups > 1 ? groups : 1, 1, 1);
  run(s);
  EXPECT(s, outputs.words[63] == 3 * 63);
  add(s, outputs);
}

void write_a_sampler(Session& s) {
  const VkDescriptorSetLayout layout =
      create_set_layout(s, {{0, VK_DESCRIPTOR_TYPE_SAMPLER, 1, VK_SHADER_STAGE_ALL, nullptr}});
  const VkSamplerCreateInfo info{.sType = VK_STRUCTURE_TYPE_SAMPLER_CREATE_INFO};
  VkSampler sampler;
  CHECK(vkCreateSampler(s.device, &info, nullptr, &sampler));
  keep(s, vkDestroySampler, sampler);
  write_image(s, create_set(s, layout, {VK_DESCRIPTOR_TYPE_SAMPLER}), 0, VK_NULL_HANDLE,
              static_cast<VkImageLayout>(21845), sampler, VK_DESCRIPTOR_TYPE_SAMPLER);
}

// Wine's Direct3D makes one of 8 samples, wherever it runs.
void make_an_image_of_many_samples(Session& s) {
  VkImageCreateInfo info{.sType = VK_STRUCTURE_TYPE_IMAGE_CREATE_INFO};
  info.imageType = VK_IMAGE_TYPE_2D;
  info.format = VK_FORMAT_R8G8B8A8_UNORM;
  info.extent = {1, 1, 1};
  info.mipLevels = info.arrayLayers = 1;
  info.usage = VK_IMAGE_USAGE_TRANSFER_DST_BIT | VK_IMAGE_USAGE_SAMPLED_BIT;
  VkImageFormatProperties has;
  CHECK(vkGetPhysicalDeviceImageFormatProperties(s.physical, info.format, info.imageType, info.tiling, info.usage,
                                                 info.flags, &has));
  info.samples = (has.sampleCounts & VK_SAMPLE_COUNT_8_BIT) == 0 ? VK_SAMPLE_COUNT_8_BIT : VK_SAMPLE_COUNT_64_BIT;
  VkImage image;
  CHECK(vkCreateImage(s.device, &info, nullptr, &image));
  keep(s, vkDestroyImage, image);
}

}  // namespace

int main() {
  Wanted wanted;
  std::uint32_t loader = VK_API_VERSION_1_0;
  vkEnumerateInstanceVersion(&loader);
  if (loader > VK_MAKE_API_VERSION(0, 1, 3, 239)) wanted.instance_extensions = {VK_EXT_DEBUG_UTILS_EXTENSION_NAME};
  Session s = open("liberties", wanted);
  LOAD(s, vkSetDebugUtilsObjectNameEXT);
  LOAD(s, vkQueueBeginDebugUtilsLabelEXT);
  LOAD(s, vkQueueEndDebugUtilsLabelEXT);
  LOAD(s, vkCmdInsertDebugUtilsLabelEXT);
  const VkDebugUtilsLabelEXT label{VK_STRUCTURE_TYPE_DEBUG_UTILS_LABEL_EXT, nullptr, "not asked for", {}};

  constexpr std::uint32_t kWords = 4096;
  MappedBuffer out = create_mapped_buffer(s, kWords * 4, VK_BUFFER_USAGE_TRANSFER_DST_BIT);
  const VkDebugUtilsObjectNameInfoEXT name{VK_STRUCTURE_TYPE_DEBUG_UTILS_OBJECT_NAME_INFO_EXT, nullptr,
                                           VK_OBJECT_TYPE_BUFFER, reinterpret_cast<std::uint64_t>(out.buffer), "out"};
  CHECK(vkSetDebugUtilsObjectNameEXT(s.device, &name));
  vkUnmapMemory(s.device, out.memory);
  for (std::uint32_t i = 1; i <= 4; ++i) {
    vkCmdInsertDebugUtilsLabelEXT(s.cmd, &label);
    vkCmdFillBuffer(s.cmd, out.buffer, 0, VK_WHOLE_SIZE, i * 0x01010101);
    vkQueueBeginDebugUtilsLabelEXT(s.queues[0], &label);
    run(s);
    vkQueueEndDebugUtilsLabelEXT(s.queues[0]);
    void* mapped = nullptr;
    CHECK(vkMapMemory(s.device, out.memory, 0, VK_WHOLE_SIZE, 0, &mapped));
    out.words = static_cast<std::uint32_t*>(mapped);
    EXPECT(s, out.words[0] == i * 0x01010101 && out.words[kWords - 1] == i * 0x01010101);
    add(s, out);
    if (i < 4) vkUnmapMemory(s.device, out.memory);
  }
  destroy(s, out);
  if (!unchecked()) {  // the fake driver complains
    dispatch_very_many(s);
    make_an_image_of_many_samples(s);
  }
  write_a_sampler(s);
  return finish(s);
}
