// SPDX-License-Identifier: Apache-2.0
// Images of several planes: one of three in one piece of memory, one of two that
// are bound apart. Written and read a plane at a time, one plane copied from
// image to image, and sampled: each through a conversion that view and immutable
// sampler share, one plane also through a view of its own. Lavapipe has none.
//   planes [--unseen 1]   a last write, at the end of an image, which nothing reads
#include "kernel.h"
#include "picture.h"
#include "planes.comp.h"

using namespace program;

namespace {

constexpr VkFormat kThree = VK_FORMAT_G8_B8_R8_3PLANE_420_UNORM;
constexpr VkFormat kTwo = VK_FORMAT_G8_B8R8_2PLANE_420_UNORM;
constexpr std::uint32_t kExtent = 48, kHalf = kExtent / 2;
constexpr VkDeviceSize kLuma = kExtent * kExtent, kChroma = kHalf * kHalf;  // texels
constexpr VkDeviceSize kBytes = kLuma + 2 * kChroma;                        // of either image
constexpr VkImageUsageFlags kUsage =
    VK_IMAGE_USAGE_TRANSFER_SRC_BIT | VK_IMAGE_USAGE_TRANSFER_DST_BIT | VK_IMAGE_USAGE_SAMPLED_BIT;
constexpr VkDescriptorType kSampled = VK_DESCRIPTOR_TYPE_COMBINED_IMAGE_SAMPLER;

VkImageAspectFlags plane(std::uint32_t i) { return VkImageAspectFlags{VK_IMAGE_ASPECT_PLANE_0_BIT} << i; }

// How an image is looked at: view and sampler know the same conversion.
struct Look {
  VkSamplerYcbcrConversionInfo by{VK_STRUCTURE_TYPE_SAMPLER_YCBCR_CONVERSION_INFO};
  VkSampler sampler = VK_NULL_HANDLE;
};

VkSampler create_sampler(Session& s, const void* next) {
  const VkSamplerCreateInfo info{.sType = VK_STRUCTURE_TYPE_SAMPLER_CREATE_INFO,
                                 .pNext = next,
                                 .addressModeU = VK_SAMPLER_ADDRESS_MODE_CLAMP_TO_EDGE,
                                 .addressModeV = VK_SAMPLER_ADDRESS_MODE_CLAMP_TO_EDGE,
                                 .addressModeW = VK_SAMPLER_ADDRESS_MODE_CLAMP_TO_EDGE};
  VkSampler sampler;
  CHECK(vkCreateSampler(s.device, &info, nullptr, &sampler));
  return keep(s, vkDestroySampler, sampler);
}

Look create_look(Session& s, VkFormat format, VkSamplerYcbcrModelConversion model, VkSamplerYcbcrRange range) {
  const VkSamplerYcbcrConversionCreateInfo info{.sType = VK_STRUCTURE_TYPE_SAMPLER_YCBCR_CONVERSION_CREATE_INFO,
                                                .format = format,
                                                .ycbcrModel = model,
                                                .ycbcrRange = range,
                                                .xChromaOffset = VK_CHROMA_LOCATION_MIDPOINT,
                                                .yChromaOffset = VK_CHROMA_LOCATION_MIDPOINT};
  Look look;
  CHECK(vkCreateSamplerYcbcrConversion(s.device, &info, nullptr, &look.by.conversion));
  keep(s, vkDestroySamplerYcbcrConversion, look.by.conversion);
  look.sampler = create_sampler(s, &look.by);
  return look;
}

// Descriptors that one combined image sampler of the format takes from a pool.
std::uint32_t descriptors(const Session& s, VkFormat format, VkImageCreateFlags flags) {
  const VkPhysicalDeviceImageFormatInfo2 info{VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_IMAGE_FORMAT_INFO_2,
                                              nullptr,
                                              format,
                                              VK_IMAGE_TYPE_2D,
                                              VK_IMAGE_TILING_OPTIMAL,
                                              kUsage,
                                              flags};
  VkSamplerYcbcrConversionImageFormatProperties ycbcr{
      VK_STRUCTURE_TYPE_SAMPLER_YCBCR_CONVERSION_IMAGE_FORMAT_PROPERTIES};
  VkImageFormatProperties2 properties{VK_STRUCTURE_TYPE_IMAGE_FORMAT_PROPERTIES_2, &ycbcr};
  CHECK(vkGetPhysicalDeviceImageFormatProperties2(s.physical, &info, &properties));
  return ycbcr.combinedImageSamplerDescriptorCount;
}

constexpr VkImageCreateFlags kApart = VK_IMAGE_CREATE_DISJOINT_BIT | VK_IMAGE_CREATE_MUTABLE_FORMAT_BIT;

VkImage create_planes(Session& s, VkFormat format, VkImageCreateFlags flags) {
  VkImageCreateInfo info = image_info(format, kExtent, kUsage);
  info.flags = flags;
  return create_unbound_image(s, info);
}

VkMemoryRequirements needs_of(const Session& s, VkImage image, std::uint32_t p) {
  const VkImagePlaneMemoryRequirementsInfo which{VK_STRUCTURE_TYPE_IMAGE_PLANE_MEMORY_REQUIREMENTS_INFO, nullptr,
                                                 static_cast<VkImageAspectFlagBits>(plane(p))};
  const VkImageMemoryRequirementsInfo2 info{VK_STRUCTURE_TYPE_IMAGE_MEMORY_REQUIREMENTS_INFO_2, &which, image};
  VkMemoryRequirements2 answer{VK_STRUCTURE_TYPE_MEMORY_REQUIREMENTS_2};
  vkGetImageMemoryRequirements2(s.device, &info, &answer);
  return answer.memoryRequirements;
}

// Three planes, one binding.
VkImage create_three(Session& s) {
  const VkImage image = create_planes(s, kThree, 0);
  keep(s, vkFreeMemory, bind_to_memory_of_its_own(s, image, VK_MEMORY_PROPERTY_DEVICE_LOCAL_BIT));
  return keep(s, vkDestroyImage, image);
}

// Two planes, each bound by itself; the second one lies before the first.
VkImage create_two(Session& s) {
  const VkImage image = create_planes(s, kTwo, kApart);
  const VkMemoryRequirements first = needs_of(s, image, 0), second = needs_of(s, image, 1);
  const VkDeviceSize at = (second.size + first.alignment - 1) / first.alignment * first.alignment;
  const VkMemoryRequirements both{at + first.size, 0, first.memoryTypeBits & second.memoryTypeBits};
  const VkDeviceMemory memory = keep(s, vkFreeMemory, allocate(s, both, VK_MEMORY_PROPERTY_DEVICE_LOCAL_BIT));
  const VkBindImagePlaneMemoryInfo planes[2] = {
      {VK_STRUCTURE_TYPE_BIND_IMAGE_PLANE_MEMORY_INFO, nullptr, VK_IMAGE_ASPECT_PLANE_0_BIT},
      {VK_STRUCTURE_TYPE_BIND_IMAGE_PLANE_MEMORY_INFO, nullptr, VK_IMAGE_ASPECT_PLANE_1_BIT}};
  const VkBindImageMemoryInfo binds[2] = {{VK_STRUCTURE_TYPE_BIND_IMAGE_MEMORY_INFO, &planes[0], image, memory, at},
                                          {VK_STRUCTURE_TYPE_BIND_IMAGE_MEMORY_INFO, &planes[1], image, memory, 0}};
  CHECK(vkBindImageMemory2(s.device, 2, binds));
  return keep(s, vkDestroyImage, image);
}

std::uint32_t extent_of(std::uint32_t p) { return p == 0 ? kExtent : kHalf; }

VkBufferImageCopy region(std::uint32_t p, VkDeviceSize offset) {
  return {
      .bufferOffset = offset, .imageSubresource = {plane(p), 0, 0, 1}, .imageExtent = {extent_of(p), extent_of(p), 1}};
}

// A set of everything that planes.comp declares, bound with its pipeline.
void bind_sampling(Session& s, VkImage three, VkImage two, const MappedBuffer& words) {
  const Look of_three =
      create_look(s, kThree, VK_SAMPLER_YCBCR_MODEL_CONVERSION_YCBCR_601, VK_SAMPLER_YCBCR_RANGE_ITU_FULL);
  const Look of_two =
      create_look(s, kTwo, VK_SAMPLER_YCBCR_MODEL_CONVERSION_YCBCR_709, VK_SAMPLER_YCBCR_RANGE_ITU_NARROW);
  const VkImageView views[3] = {
      create_view(s, three, VK_IMAGE_VIEW_TYPE_2D, kThree, kColor, &of_three.by),
      create_view(s, two, VK_IMAGE_VIEW_TYPE_2D, kTwo, kColor, &of_two.by),
      create_view(s, two, VK_IMAGE_VIEW_TYPE_2D, VK_FORMAT_R8_UNORM, {VK_IMAGE_ASPECT_PLANE_0_BIT, 0, 1, 0, 1})};
  const VkSampler plain = create_sampler(s, nullptr);
  constexpr VkShaderStageFlags compute = VK_SHADER_STAGE_COMPUTE_BIT;
  const VkDescriptorSetLayout set_layout =
      create_set_layout(s, {{0, kSampled, 1, compute, &of_three.sampler},
                            {1, kSampled, 1, compute, &of_two.sampler},
                            {2, kSampled, 1, compute, nullptr},
                            {3, VK_DESCRIPTOR_TYPE_STORAGE_BUFFER, 1, compute, nullptr}});
  const std::uint32_t sampled = descriptors(s, kThree, 0) + descriptors(s, kTwo, kApart) + 1;
  const VkDescriptorPool pool = create_pool(s, 1, {{kSampled, sampled}, {VK_DESCRIPTOR_TYPE_STORAGE_BUFFER, 1}});
  const VkDescriptorSet set = allocate_set(s, pool, set_layout);
  for (std::uint32_t i = 0; i < 3; ++i)  // the first two have immutable samplers
    write_image(s, set, i, views[i], VK_IMAGE_LAYOUT_SHADER_READ_ONLY_OPTIMAL, i == 2 ? plain : VK_NULL_HANDLE,
                kSampled);
  write_buffer(s, set, 3, words);
  const VkPipelineLayout layout = create_layout(s, {set_layout});
  vkCmdBindPipeline(s.cmd, VK_PIPELINE_BIND_POINT_COMPUTE, create_compute(s, layout, shader(s, planes_comp_spv)));
  vkCmdBindDescriptorSets(s.cmd, VK_PIPELINE_BIND_POINT_COMPUTE, layout, 0, 1, &set, 0, nullptr);
}

}  // namespace

int main(int argc, char** argv) {
  constexpr VkImageLayout undefined = VK_IMAGE_LAYOUT_UNDEFINED;
  constexpr VkImageLayout written = VK_IMAGE_LAYOUT_TRANSFER_DST_OPTIMAL;
  constexpr VkImageLayout read = VK_IMAGE_LAYOUT_TRANSFER_SRC_OPTIMAL;
  constexpr VkImageLayout sampled = VK_IMAGE_LAYOUT_SHADER_READ_ONLY_OPTIMAL;
  VkPhysicalDeviceSamplerYcbcrConversionFeatures feature{
      VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_SAMPLER_YCBCR_CONVERSION_FEATURES, nullptr, VK_TRUE};
  Wanted wanted;
  wanted.features = &feature;
  wanted.extensions = {VK_KHR_SAMPLER_YCBCR_CONVERSION_EXTENSION_NAME};
  Session s = open("planes", wanted);
  const VkImage three = create_three(s), two = create_two(s);
  const MappedBuffer in = buffer(s, kBytes + 2 * kChroma, VK_BUFFER_USAGE_TRANSFER_SRC_BIT);
  const MappedBuffer out = create_readback(s, 2 * kBytes);
  const MappedBuffer words = buffer(s, 48, VK_BUFFER_USAGE_STORAGE_BUFFER_BIT);
  for (std::uint32_t i = 0; i < in.bytes / 4; ++i) in.words[i] = mix(i, 3);

  change_layout(s.cmd, three, undefined, written);
  change_layout(s.cmd, two, undefined, written);
  const VkBufferImageCopy into_three[3] = {region(0, 0), region(1, kLuma), region(2, kLuma + kChroma)};
  vkCmdCopyBufferToImage(s.cmd, in.buffer, three, written, 3, into_three);
  change_layout(s.cmd, three, written, read);
  const VkBufferImageCopy into_two = region(1, kBytes);
  vkCmdCopyBufferToImage(s.cmd, in.buffer, two, written, 1, &into_two);
  const VkImageCopy luma{.srcSubresource = {VK_IMAGE_ASPECT_PLANE_0_BIT, 0, 0, 1},
                         .dstSubresource = {VK_IMAGE_ASPECT_PLANE_0_BIT, 0, 0, 1},
                         .extent = {kExtent, kExtent, 1}};
  vkCmdCopyImage(s.cmd, three, read, two, written, 1, &luma);
  change_layout(s.cmd, two, written, read);
  vkCmdCopyImageToBuffer(s.cmd, three, read, out.buffer, 3, into_three);
  const VkBufferImageCopy out_of_two[2] = {region(0, kBytes), region(1, kBytes + kLuma)};
  vkCmdCopyImageToBuffer(s.cmd, two, read, out.buffer, 2, out_of_two);

  change_layout(s.cmd, three, read, sampled);
  change_layout(s.cmd, two, read, sampled);
  bind_sampling(s, three, two, words);
  vkCmdDispatch(s.cmd, 1, 1, 1);
  run(s);
  const auto* in_bytes = reinterpret_cast<const char*>(in.words);
  const auto* out_bytes = reinterpret_cast<const char*>(out.words);
  EXPECT(s, std::memcmp(out_bytes, in_bytes, kBytes) == 0);
  EXPECT(s, std::memcmp(out_bytes + kBytes, in_bytes, kLuma) == 0);
  EXPECT(s, std::memcmp(out_bytes + kBytes + kLuma, in_bytes + kBytes, 2 * kChroma) == 0);
  // A fake driver runs no shader: it writes what depends on all that is bound.
  for (std::uint32_t i = 0; i < 12; ++i) EXPECT(s, words.words[i] != 0);
  add(s, out);
  add(s, words);
  if (option(argc, argv, "--unseen", 0) != 0) {
    change_layout(s.cmd, three, sampled, written);
    VkBufferImageCopy last = region(2, 0);  // the lower half of the last plane
    last.imageOffset.y = kHalf / 2;
    last.imageExtent.height = kHalf / 2;
    vkCmdCopyBufferToImage(s.cmd, in.buffer, three, written, 1, &last);
    run(s);
  }
  return finish(s);
}
