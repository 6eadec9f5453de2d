// SPDX-License-Identifier: Apache-2.0
// Descriptors that the program itself puts into buffers: straight from the driver
// into mapped memory, by way of its own memory, by a copy on the device and by an
// update in a command buffer; some replaced in part, others by ones of new objects.
#include <functional>

#include "addressed.h"
#include "described.comp.h"
#include "picture.h"

using namespace program;

namespace {

constexpr VkImageLayout kGeneral = VK_IMAGE_LAYOUT_GENERAL;
constexpr VkBufferUsageFlags kDescriptors =
    VK_BUFFER_USAGE_RESOURCE_DESCRIPTOR_BUFFER_BIT_EXT | VK_BUFFER_USAGE_SAMPLER_DESCRIPTOR_BUFFER_BIT_EXT;

struct Functions {
  PFN_vkGetDescriptorEXT get = nullptr;
  PFN_vkGetDescriptorSetLayoutSizeEXT size = nullptr;
  PFN_vkGetDescriptorSetLayoutBindingOffsetEXT offset = nullptr;
  PFN_vkCmdBindDescriptorBuffersEXT bind = nullptr;
  PFN_vkCmdSetDescriptorBufferOffsetsEXT set_offsets = nullptr;
  PFN_vkCmdBindDescriptorBufferEmbeddedSamplersEXT embed = nullptr;
};

struct Scene {
  Functions f;
  VkPhysicalDeviceDescriptorBufferPropertiesEXT limits{
      .sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_DESCRIPTOR_BUFFER_PROPERTIES_EXT};
  VkDescriptorSetLayout set = VK_NULL_HANDLE;
  VkPipelineLayout layout = VK_NULL_HANDLE;
  VkPipeline pipeline = VK_NULL_HANDLE;
  VkDeviceSize bytes = 0;  // of a set
  VkSampler border = VK_NULL_HANDLE, edge = VK_NULL_HANDLE;
  Image red, green, target;
  Addressed values, many, texels, written, output;
};

VkSampler create_sampler(Session& s, VkSamplerAddressMode mode) {
  const VkSamplerCreateInfo info{.sType = VK_STRUCTURE_TYPE_SAMPLER_CREATE_INFO,
                                 .addressModeU = mode,
                                 .addressModeV = mode,
                                 .addressModeW = mode,
                                 .borderColor = VK_BORDER_COLOR_FLOAT_OPAQUE_WHITE};
  VkSampler sampler;
  CHECK(vkCreateSampler(s.device, &info, nullptr, &sampler));
  return keep(s, vkDestroySampler, sampler);
}

Image create_filled(Session& s, float r, float g, VkImageUsageFlags usage) {
  const Image i = create_image(s, image_info(VK_FORMAT_R8G8B8A8_UNORM, 4, usage | VK_IMAGE_USAGE_TRANSFER_DST_BIT));
  const VkClearColorValue color{{r, g, 0, 1}};
  transition(s.cmd, i, VK_IMAGE_LAYOUT_UNDEFINED, kGeneral);
  vkCmdClearColorImage(s.cmd, i.image, kGeneral, &color, 1, &kColor);
  return i;
}

void create_layouts(Session& s, Scene& scene) {
  constexpr VkDescriptorType types[9] = {VK_DESCRIPTOR_TYPE_UNIFORM_BUFFER,
                                         VK_DESCRIPTOR_TYPE_STORAGE_BUFFER,
                                         VK_DESCRIPTOR_TYPE_COMBINED_IMAGE_SAMPLER,
                                         VK_DESCRIPTOR_TYPE_SAMPLED_IMAGE,
                                         VK_DESCRIPTOR_TYPE_SAMPLER,
                                         VK_DESCRIPTOR_TYPE_STORAGE_IMAGE,
                                         VK_DESCRIPTOR_TYPE_UNIFORM_TEXEL_BUFFER,
                                         VK_DESCRIPTOR_TYPE_STORAGE_TEXEL_BUFFER,
                                         VK_DESCRIPTOR_TYPE_STORAGE_BUFFER};
  std::vector<VkDescriptorSetLayoutBinding> bindings;
  for (std::uint32_t i = 0; i < 9; ++i)
    bindings.push_back({i, types[i], i == 8 ? 3u : 1u, VK_SHADER_STAGE_COMPUTE_BIT, nullptr});
  scene.set = create_set_layout(s, bindings, VK_DESCRIPTOR_SET_LAYOUT_CREATE_DESCRIPTOR_BUFFER_BIT_EXT);
  // Bound, and used by no shader: lavapipe 25.0.7 crashes where one is.
  const VkDescriptorSetLayout embedded =
      create_set_layout(s, {{0, VK_DESCRIPTOR_TYPE_SAMPLER, 1, VK_SHADER_STAGE_COMPUTE_BIT, &scene.border}},
                        VK_DESCRIPTOR_SET_LAYOUT_CREATE_DESCRIPTOR_BUFFER_BIT_EXT |
                            VK_DESCRIPTOR_SET_LAYOUT_CREATE_EMBEDDED_IMMUTABLE_SAMPLERS_BIT_EXT);
  scene.layout = create_layout(s, {scene.set, embedded});
  scene.pipeline = create_compute(s, scene.layout, shader(s, described_comp_spv), nullptr,
                                  VK_PIPELINE_CREATE_DESCRIPTOR_BUFFER_BIT_EXT);
  scene.f.size(s.device, scene.set, &scene.bytes);
  const VkDeviceSize alignment = scene.limits.descriptorBufferOffsetAlignment;
  scene.bytes = (scene.bytes + alignment - 1) / alignment * alignment;
}

std::size_t size_of(const Scene& scene, VkDescriptorType type) {
  const auto& limits = scene.limits;
  switch (type) {
    case VK_DESCRIPTOR_TYPE_UNIFORM_BUFFER:
      return limits.uniformBufferDescriptorSize;
    case VK_DESCRIPTOR_TYPE_STORAGE_BUFFER:
      return limits.storageBufferDescriptorSize;
    case VK_DESCRIPTOR_TYPE_COMBINED_IMAGE_SAMPLER:
      return limits.combinedImageSamplerDescriptorSize;
    case VK_DESCRIPTOR_TYPE_SAMPLED_IMAGE:
      return limits.sampledImageDescriptorSize;
    case VK_DESCRIPTOR_TYPE_SAMPLER:
      return limits.samplerDescriptorSize;
    case VK_DESCRIPTOR_TYPE_STORAGE_IMAGE:
      return limits.storageImageDescriptorSize;
    case VK_DESCRIPTOR_TYPE_UNIFORM_TEXEL_BUFFER:
      return limits.uniformTexelBufferDescriptorSize;
    default:
      return limits.storageTexelBufferDescriptorSize;
  }
}

// Descriptors, put at `to` as a set would lie there.
struct Writer {
  Session& s;
  const Scene& scene;
  std::byte* to;

  void put(std::uint32_t binding, std::uint32_t element, VkDescriptorType type, VkDescriptorDataEXT data) const {
    VkDeviceSize offset = 0;
    scene.f.offset(s.device, scene.set, binding, &offset);
    const VkDescriptorGetInfoEXT info{VK_STRUCTURE_TYPE_DESCRIPTOR_GET_INFO_EXT, nullptr, type, data};
    const std::size_t size = size_of(scene, type);
    scene.f.get(s.device, &info, size, to + offset + element * size);
  }
  void buffer(std::uint32_t binding, std::uint32_t element, VkDescriptorType type, VkDeviceAddress address,
              VkDeviceSize range, VkFormat format = VK_FORMAT_UNDEFINED) const {
    const VkDescriptorAddressInfoEXT info{VK_STRUCTURE_TYPE_DESCRIPTOR_ADDRESS_INFO_EXT, nullptr, address, range,
                                          format};
    put(binding, element, type, {.pStorageBuffer = &info});
  }
  void image(std::uint32_t binding, VkDescriptorType type, VkImageView view, VkSampler sampler) const {
    const VkDescriptorImageInfo info{sampler, view, kGeneral};
    put(binding, 0, type, {.pSampledImage = &info});
  }
  void sampler(VkSampler sampler) const { put(4, 0, VK_DESCRIPTOR_TYPE_SAMPLER, {.pSampler = &sampler}); }
  void all() const {
    const auto garbage = reinterpret_cast<VkSampler>(std::uintptr_t{0x5a5a5a5a5a5a5a5a});  // to be ignored
    buffer(0, 0, VK_DESCRIPTOR_TYPE_UNIFORM_BUFFER, scene.values.address, 16);
    buffer(1, 0, VK_DESCRIPTOR_TYPE_STORAGE_BUFFER, scene.output.address, scene.output.bytes);
    image(2, VK_DESCRIPTOR_TYPE_COMBINED_IMAGE_SAMPLER, scene.red.view, scene.border);
    image(3, VK_DESCRIPTOR_TYPE_SAMPLED_IMAGE, scene.green.view, garbage);
    sampler(scene.edge);
    image(5, VK_DESCRIPTOR_TYPE_STORAGE_IMAGE, scene.target.view, garbage);
    buffer(6, 0, VK_DESCRIPTOR_TYPE_UNIFORM_TEXEL_BUFFER, scene.texels.address, 16, VK_FORMAT_R8G8B8A8_UNORM);
    buffer(7, 0, VK_DESCRIPTOR_TYPE_STORAGE_TEXEL_BUFFER, scene.written.address, 16, VK_FORMAT_R8G8B8A8_UNORM);
    for (std::uint32_t i = 0; i < 3; ++i)
      buffer(8, i, VK_DESCRIPTOR_TYPE_STORAGE_BUFFER, scene.many.address + 256 * i, 4);
  }
};

// The set lies at `offset` of the second of two bound buffers.
void dispatch(Session& s, const Scene& scene, VkDeviceAddress other, VkDeviceAddress sets, VkDeviceSize offset) {
  const VkDescriptorBufferBindingInfoEXT buffers[2] = {
      {VK_STRUCTURE_TYPE_DESCRIPTOR_BUFFER_BINDING_INFO_EXT, nullptr, other, kDescriptors},
      {VK_STRUCTURE_TYPE_DESCRIPTOR_BUFFER_BINDING_INFO_EXT, nullptr, sets, kDescriptors}};
  constexpr std::uint32_t second = 1;
  scene.f.bind(s.cmd, 2, buffers);
  vkCmdBindPipeline(s.cmd, VK_PIPELINE_BIND_POINT_COMPUTE, scene.pipeline);
  scene.f.embed(s.cmd, VK_PIPELINE_BIND_POINT_COMPUTE, scene.layout, 1);
  scene.f.set_offsets(s.cmd, VK_PIPELINE_BIND_POINT_COMPUTE, scene.layout, 0, 1, &second, &offset);
  vkCmdDispatch(s.cmd, 1, 1, 1);
  run(s);
  add(s, scene.output);
}

void expect(Session& s, const Scene& scene, std::uint32_t both, std::uint32_t separate, std::uint32_t many) {
  const std::uint32_t* words = scene.output.words;
  EXPECT(s, words[0] == 42);
  EXPECT(s, words[1] == both);
  EXPECT(s, words[2] == separate);
  EXPECT(s, words[5] == kGreen);
  EXPECT(s, words[6] == many);
  EXPECT(s, scene.written.words[1] == kRed);
}

Scene create_scene(Session& s) {
  Scene scene;
  scene.f = {load<PFN_vkGetDescriptorEXT>(s, "vkGetDescriptorEXT"),
             load<PFN_vkGetDescriptorSetLayoutSizeEXT>(s, "vkGetDescriptorSetLayoutSizeEXT"),
             load<PFN_vkGetDescriptorSetLayoutBindingOffsetEXT>(s, "vkGetDescriptorSetLayoutBindingOffsetEXT"),
             load<PFN_vkCmdBindDescriptorBuffersEXT>(s, "vkCmdBindDescriptorBuffersEXT"),
             load<PFN_vkCmdSetDescriptorBufferOffsetsEXT>(s, "vkCmdSetDescriptorBufferOffsetsEXT"),
             load<PFN_vkCmdBindDescriptorBufferEmbeddedSamplersEXT>(s, "vkCmdBindDescriptorBufferEmbeddedSamplersEXT")};
  VkPhysicalDeviceProperties2 all{VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_PROPERTIES_2, &scene.limits, {}};
  vkGetPhysicalDeviceProperties2(s.physical, &all);
  scene.border = create_sampler(s, VK_SAMPLER_ADDRESS_MODE_CLAMP_TO_BORDER);
  scene.edge = create_sampler(s, VK_SAMPLER_ADDRESS_MODE_CLAMP_TO_EDGE);
  scene.red = create_filled(s, 1, 0, VK_IMAGE_USAGE_SAMPLED_BIT);
  scene.green = create_filled(s, 0, 1, VK_IMAGE_USAGE_SAMPLED_BIT);
  scene.target = create_filled(s, 0, 0, VK_IMAGE_USAGE_STORAGE_BIT);
  const std::uint32_t values[4] = {42}, texels[4] = {kRed, kGreen};
  std::uint32_t many[256] = {};
  for (std::uint32_t i = 0; i < 4; ++i) many[64 * i] = 1u << (4 * i);
  constexpr VkBufferUsageFlags storage = VK_BUFFER_USAGE_STORAGE_BUFFER_BIT;
  scene.values = addressed_of(s, VK_BUFFER_USAGE_UNIFORM_BUFFER_BIT, values);
  scene.many = addressed_of(s, storage, many);
  scene.texels = addressed_of(s, VK_BUFFER_USAGE_UNIFORM_TEXEL_BUFFER_BIT, texels);
  scene.written = create_addressed(s, 64, VK_BUFFER_USAGE_STORAGE_TEXEL_BUFFER_BIT);
  scene.output = create_addressed(s, 64, storage);
  create_layouts(s, scene);
  return scene;
}

}  // namespace

int main() {
  VkPhysicalDeviceDescriptorBufferFeaturesEXT descriptors{
      .sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_DESCRIPTOR_BUFFER_FEATURES_EXT, .descriptorBuffer = VK_TRUE};
  VkPhysicalDeviceVulkan12Features v12{.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_2_FEATURES,
                                       .pNext = &descriptors,
                                       .bufferDeviceAddress = VK_TRUE};
  Wanted wanted;
  wanted.features = &v12;
  wanted.extensions = {"VK_EXT_descriptor_buffer"};
  Session s = open("descriptor_buffers", wanted);
  Scene scene = create_scene(s);

  // Straight into mapped memory, and behind it once more by way of the program's own.
  const Addressed sets = create_addressed(
      s, 2 * scene.bytes, kDescriptors | VK_BUFFER_USAGE_TRANSFER_SRC_BIT | VK_BUFFER_USAGE_TRANSFER_DST_BIT);
  auto* const mapped = reinterpret_cast<std::byte*>(sets.words);
  Writer{s, scene, mapped}.all();
  dispatch(s, scene, sets.address, sets.address, 0);
  expect(s, scene, kWhite, kGreen, 0x111);

  std::vector<std::byte> own(static_cast<std::size_t>(scene.bytes));
  const Writer aside{s, scene, own.data()};
  aside.all();
  aside.sampler(scene.border);
  aside.buffer(8, 1, VK_DESCRIPTOR_TYPE_STORAGE_BUFFER, scene.many.address + 768, 4);
  std::memcpy(mapped + scene.bytes, own.data(), own.size());
  dispatch(s, scene, sets.address, sets.address, scene.bytes);
  expect(s, scene, kWhite, kWhite, 0x1101);

  // One descriptor of the first set gives way to another.
  Writer{s, scene, mapped}.image(2, VK_DESCRIPTOR_TYPE_COMBINED_IMAGE_SAMPLER, scene.red.view, scene.edge);
  dispatch(s, scene, sets.address, sets.address, 0);
  expect(s, scene, kRed, kGreen, 0x111);

  // The view is made anew, perhaps as it was.
  const Image fresh = create_filled(s, 0, 1, VK_IMAGE_USAGE_SAMPLED_BIT);
  run(s);
  for (int round = 0; round < 2; ++round) {
    const Context& c = s;
    const VkImageView view = create_view(c, round == 0 ? fresh.image : scene.red.image, VK_IMAGE_VIEW_TYPE_2D,
                                         VK_FORMAT_R8G8B8A8_UNORM, kColor);
    Writer{s, scene, mapped}.image(2, VK_DESCRIPTOR_TYPE_COMBINED_IMAGE_SAMPLER, view, scene.edge);
    dispatch(s, scene, sets.address, sets.address, 0);
    expect(s, scene, round == 0 ? kGreen : kRed, kGreen, 0x111);
    vkDestroyImageView(s.device, view, nullptr);
  }

  // Copied by the device, and one of them replaced by a command.
  const Addressed device = create_addressed(s, scene.bytes, kDescriptors | VK_BUFFER_USAGE_TRANSFER_DST_BIT);
  Writer{s, scene, mapped}.image(2, VK_DESCRIPTOR_TYPE_COMBINED_IMAGE_SAMPLER, scene.green.view, scene.edge);
  const VkBufferCopy whole{0, 0, scene.bytes};
  vkCmdCopyBuffer(s.cmd, sets.buffer, device.buffer, 1, &whole);
  barrier(s.cmd);
  VkDeviceSize offset = 0;
  scene.f.offset(s.device, scene.set, 3, &offset);
  aside.image(3, VK_DESCRIPTOR_TYPE_SAMPLED_IMAGE, scene.red.view, VK_NULL_HANDLE);
  vkCmdUpdateBuffer(s.cmd, device.buffer, offset, scene.limits.sampledImageDescriptorSize, own.data() + offset);
  barrier(s.cmd);
  dispatch(s, scene, sets.address, device.address, 0);
  expect(s, scene, kGreen, kRed, 0x111);
  EXPECT(s, scene.output.words[4] == 0xff050000);
  return finish(s);
}
