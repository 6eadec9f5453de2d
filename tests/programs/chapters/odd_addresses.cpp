// SPDX-License-Identifier: Apache-2.0
// Chapter "Shaders", references to buffers: addresses kept where programs may keep
// them: in specialization constants, in a uniform buffer's middle, in the texels of
// an image, in updates that a command buffer holds, filled word by word, and
// computed by one shader for the next.
#include "by_address.comp.h"
#include "chapter.h"
#include "words.h"

using namespace program;

namespace {

struct Place {
  MappedBuffer b;
  std::uint32_t address[2] = {};  // low, high
};

Place create_place(Session& s) {
  Place p;
  p.b.bytes = 256;
  const VkBufferCreateInfo info{.sType = VK_STRUCTURE_TYPE_BUFFER_CREATE_INFO,
                                .size = 256,
                                .usage = kStorage | VK_BUFFER_USAGE_SHADER_DEVICE_ADDRESS_BIT};
  CHECK(vkCreateBuffer(s.device, &info, nullptr, &p.b.buffer));
  VkMemoryRequirements needs;
  vkGetBufferMemoryRequirements(s.device, p.b.buffer, &needs);
  const VkMemoryAllocateFlagsInfo flags{VK_STRUCTURE_TYPE_MEMORY_ALLOCATE_FLAGS_INFO, nullptr,
                                        VK_MEMORY_ALLOCATE_DEVICE_ADDRESS_BIT, 0};
  const VkMemoryAllocateInfo allocation{
      VK_STRUCTURE_TYPE_MEMORY_ALLOCATE_INFO, &flags, needs.size,
      memory_type(s, needs.memoryTypeBits, VK_MEMORY_PROPERTY_HOST_VISIBLE_BIT | VK_MEMORY_PROPERTY_HOST_COHERENT_BIT)};
  CHECK(vkAllocateMemory(s.device, &allocation, nullptr, &p.b.memory));
  CHECK(vkBindBufferMemory(s.device, p.b.buffer, p.b.memory, 0));
  void* mapped = nullptr;
  CHECK(vkMapMemory(s.device, p.b.memory, 0, VK_WHOLE_SIZE, 0, &mapped));
  p.b.words = static_cast<std::uint32_t*>(mapped);
  const VkBufferDeviceAddressInfo which{VK_STRUCTURE_TYPE_BUFFER_DEVICE_ADDRESS_INFO, nullptr, p.b.buffer};
  const VkDeviceAddress address = vkGetBufferDeviceAddress(s.device, &which);
  std::memcpy(p.address, &address, 8);
  s.at_end.push_back([&s, p]() mutable { destroy(s, p.b); });
  return p;
}

}  // namespace

int main() {
  Needs needs;
  NEED(needs, Vulkan12Features, bufferDeviceAddress);
  Session s = open("odd_addresses", needs);
  Place places[6];
  for (std::uint32_t i = 0; i < 6; ++i) {
    places[i] = create_place(s);
    std::memset(places[i].b.words, 0, 256);
    places[i].b.words[0] = 1000 + i;
  }
  const MappedBuffer uniform = buffer(s, 256, VK_BUFFER_USAGE_UNIFORM_BUFFER_BIT), held = buffer(s, 256, kStorage),
                     out = buffer(s, 256, kStorage), texels = buffer(s, 256, kCopies);
  std::memcpy(uniform.words + 9, places[1].address, 8);
  std::memcpy(texels.words + 6, places[2].address, 8);
  const Image image = create_general(
      s, image_info(VK_FORMAT_R32G32_UINT, {4, 1, 1}, VK_IMAGE_USAGE_STORAGE_BIT | VK_IMAGE_USAGE_TRANSFER_DST_BIT));
  const VkBufferImageCopy all{.imageSubresource = {VK_IMAGE_ASPECT_COLOR_BIT, 0, 0, 1}, .imageExtent = {4, 1, 1}};
  vkCmdCopyBufferToImage(s.cmd, texels.buffer, image.image, VK_IMAGE_LAYOUT_GENERAL, 1, &all);
  vkCmdUpdateBuffer(s.cmd, held.buffer, 8, 8, places[3].address);
  vkCmdFillBuffer(s.cmd, held.buffer, 16, 4, places[4].address[0]);
  vkCmdFillBuffer(s.cmd, held.buffer, 20, 4, places[4].address[1]);
  barrier(s.cmd);

  const VkDescriptorSetLayout set_layout =
      create_set_layout(s, {{0, VK_DESCRIPTOR_TYPE_UNIFORM_BUFFER, 1, kCompute, nullptr},
                            {1, VK_DESCRIPTOR_TYPE_STORAGE_IMAGE, 1, kCompute, nullptr},
                            {2, VK_DESCRIPTOR_TYPE_STORAGE_BUFFER, 1, kCompute, nullptr},
                            {3, VK_DESCRIPTOR_TYPE_STORAGE_BUFFER, 1, kCompute, nullptr}});
  const VkDescriptorSet set = allocate_set(s,
                                           create_pool(s, 1,
                                                       {{VK_DESCRIPTOR_TYPE_UNIFORM_BUFFER, 1},
                                                        {VK_DESCRIPTOR_TYPE_STORAGE_IMAGE, 1},
                                                        {VK_DESCRIPTOR_TYPE_STORAGE_BUFFER, 2}}),
                                           set_layout);
  write_buffer(s, set, 0, uniform, VK_DESCRIPTOR_TYPE_UNIFORM_BUFFER);
  write_image(s, set, 1, image.view, VK_IMAGE_LAYOUT_GENERAL, VK_NULL_HANDLE, VK_DESCRIPTOR_TYPE_STORAGE_IMAGE);
  write_buffer(s, set, 2, held);
  write_buffer(s, set, 3, out);
  const VkPipelineLayout layout = create_layout(s, {set_layout}, {{kCompute, 0, 12}});
  const VkSpecializationMapEntry entries[2] = {{0, 0, 4}, {1, 4, 4}};
  const VkSpecializationInfo constants{2, entries, 8, places[0].address};
  vkCmdBindPipeline(s.cmd, VK_PIPELINE_BIND_POINT_COMPUTE,
                    create_compute(s, layout, shader(s, by_address_comp_spv), &constants));
  vkCmdBindDescriptorSets(s.cmd, VK_PIPELINE_BIND_POINT_COMPUTE, layout, 0, 1, &set, 0, nullptr);
  for (std::uint32_t at : {0u, 8u}) {
    const std::uint32_t push[3] = {places[5].address[0], places[5].address[1], at};
    vkCmdPushConstants(s.cmd, layout, kCompute, 0, 12, push);
    vkCmdDispatch(s.cmd, 1, 1, 1);
    barrier(s.cmd);
  }
  run(s);
  for (std::uint32_t i = 0; i < 6; ++i) {
    EXPECT(s, out.words[i] == 1000 + i && out.words[8 + i] == 1000 + i && places[i].b.words[1] == 2 * (i + 1));
    add(s, places[i].b);
  }
  // What the first dispatch left of its address, the second one has followed.
  EXPECT(s, out.words[6] == 0 && out.words[14] == 1005);
  add(s, out);
  return finish(s);
}
