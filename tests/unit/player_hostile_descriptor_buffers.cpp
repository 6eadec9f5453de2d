// SPDX-License-Identifier: Apache-2.0
// Descriptors in buffers of what is not there.
#include "tests/unit/player_descriptors.h"

namespace rondo::player {
namespace {

using test::kDevice;
using test::of_type;

class HostileDescriptorBuffers : public test::Descriptors {
 protected:
  void get(VkDescriptorType type, VkDescriptorDataEXT data = {}) {
    auto info = of_type<VkDescriptorGetInfoEXT>(VK_STRUCTURE_TYPE_DESCRIPTOR_GET_INFO_EXT);
    info.type = type;
    info.data = data;
    std::byte bytes[32]{};
    capture.call(CommandId::vkGetDescriptorEXT, args_vkGetDescriptorEXT{kDevice, &info, sizeof bytes, bytes});
  }
  void ask_for_offset(std::uint32_t binding) {
    VkDeviceSize offset = 0;
    capture.call(CommandId::vkGetDescriptorSetLayoutBindingOffsetEXT,
                 args_vkGetDescriptorSetLayoutBindingOffsetEXT{kDevice, set_layout(VK_DESCRIPTOR_TYPE_STORAGE_BUFFER),
                                                               binding, &offset});
  }
  // Set `set` in buffer `index` of one that is bound.
  void set_offset(std::uint32_t set, std::uint32_t index) {
    const VkPipelineLayout with = layout(set_layout(VK_DESCRIPTOR_TYPE_STORAGE_BUFFER));
    const VkCommandBuffer into = recording();
    auto binding = of_type<VkDescriptorBufferBindingInfoEXT>(VK_STRUCTURE_TYPE_DESCRIPTOR_BUFFER_BINDING_INFO_EXT);
    binding.address = 0x1000;
    capture.call(CommandId::vkCmdBindDescriptorBuffersEXT, args_vkCmdBindDescriptorBuffersEXT{into, 1, &binding});
    const VkDeviceSize offset = 0;
    capture.call(
        CommandId::vkCmdSetDescriptorBufferOffsetsEXT,
        args_vkCmdSetDescriptorBufferOffsetsEXT{into, VK_PIPELINE_BIND_POINT_COMPUTE, with, set, 1, &index, &offset});
  }
};

TEST_F(HostileDescriptorBuffers, AreOfWhatIsThere) {
  auto range = of_type<VkDescriptorAddressInfoEXT>(VK_STRUCTURE_TYPE_DESCRIPTOR_ADDRESS_INFO_EXT);
  range.address = 0x1000;
  range.range = 64;
  get(VK_DESCRIPTOR_TYPE_STORAGE_BUFFER, {.pStorageBuffer = &range});
  get(VK_DESCRIPTOR_TYPE_UNIFORM_TEXEL_BUFFER, {.pUniformTexelBuffer = &range});
  ask_for_offset(0);
  set_offset(0, 0);
  accepts();
}
TEST_F(HostileDescriptorBuffers, OfSamplersHaveOne) {
  get(VK_DESCRIPTOR_TYPE_SAMPLER);
  refuses("vkGetDescriptorEXT: the descriptor has no sampler");
}
TEST_F(HostileDescriptorBuffers, OfCombinedSamplersHaveOne) {
  const VkDescriptorImageInfo none{};
  get(VK_DESCRIPTOR_TYPE_COMBINED_IMAGE_SAMPLER, {.pCombinedImageSampler = &none});
  refuses("the descriptor has no sampler");
}
TEST_F(HostileDescriptorBuffers, OfImagesHaveAView) {
  const VkDescriptorImageInfo none{};
  get(VK_DESCRIPTOR_TYPE_SAMPLED_IMAGE, {.pSampledImage = &none});
  refuses("the descriptor has no view");
}
TEST_F(HostileDescriptorBuffers, OfStorageImagesHaveAView) {
  get(VK_DESCRIPTOR_TYPE_STORAGE_IMAGE);
  refuses("the descriptor has no view");
}
TEST_F(HostileDescriptorBuffers, OfBuffersHaveAnAddress) {
  get(VK_DESCRIPTOR_TYPE_UNIFORM_BUFFER);
  refuses("the descriptor has no address");
}
TEST_F(HostileDescriptorBuffers, OfTexelsHaveAnAddress) {
  const auto none = of_type<VkDescriptorAddressInfoEXT>(VK_STRUCTURE_TYPE_DESCRIPTOR_ADDRESS_INFO_EXT);
  get(VK_DESCRIPTOR_TYPE_STORAGE_TEXEL_BUFFER, {.pStorageTexelBuffer = &none});
  refuses("the descriptor has no address");
}
TEST_F(HostileDescriptorBuffers, AreOfTheirTypes) {
  get(VK_DESCRIPTOR_TYPE_UNIFORM_BUFFER_DYNAMIC);
  refuses("there are no such descriptors in buffers");
}
TEST_F(HostileDescriptorBuffers, BindingsOfALayoutHaveOffsets) {
  ask_for_offset(3);
  refuses("VkDescriptorSetLayout#0 has no binding 3");
}
TEST_F(HostileDescriptorBuffers, SetsAreInBuffersThatAreBound) {
  set_offset(0, 1);
  refuses("set 0 is in descriptor buffer 1, and 1 are bound");
}
TEST_F(HostileDescriptorBuffers, SetsAreOfTheirLayout) {
  set_offset(1, 0);
  refuses("binds sets 1 to 2 of VkPipelineLayout#0, which has 1");
}
TEST_F(HostileDescriptorBuffers, EmbeddedSamplersAreInLayoutsOfTheirs) {
  const VkPipelineLayout with = layout(set_layout(VK_DESCRIPTOR_TYPE_SAMPLER));
  capture.call(CommandId::vkCmdBindDescriptorBufferEmbeddedSamplersEXT,
               args_vkCmdBindDescriptorBufferEmbeddedSamplersEXT{recording(), VK_PIPELINE_BIND_POINT_COMPUTE, with, 0});
  refuses("set 0 has no embedded samplers");
}

}  // namespace
}  // namespace rondo::player
