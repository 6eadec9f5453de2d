// SPDX-License-Identifier: Apache-2.0
// Chapter "Resource Descriptors", bindings of any type: descriptors that are a
// storage buffer now and a uniform buffer then, copied from sets of one type, and
// pools that know which types there may be.
#include "any_type.comp.h"
#include "words.h"

using namespace program;

namespace {

constexpr VkDescriptorType kAny = VK_DESCRIPTOR_TYPE_MUTABLE_EXT, kUniform = VK_DESCRIPTOR_TYPE_UNIFORM_BUFFER,
                           kWords = VK_DESCRIPTOR_TYPE_STORAGE_BUFFER;

void write(Session& s, VkDescriptorSet set, std::uint32_t binding, std::uint32_t element, VkDescriptorType type,
           const MappedBuffer& b, VkDeviceSize at) {
  const VkDescriptorBufferInfo info{b.buffer, at, 256};
  const VkWriteDescriptorSet write{
      VK_STRUCTURE_TYPE_WRITE_DESCRIPTOR_SET, nullptr, set, binding, element, 1, type, nullptr, &info, nullptr};
  vkUpdateDescriptorSets(s.device, 1, &write, 0, nullptr);
}

}  // namespace

int main() {
  Needs needs({VK_EXT_MUTABLE_DESCRIPTOR_TYPE_EXTENSION_NAME});
  NEED(needs, MutableDescriptorTypeFeaturesEXT, mutableDescriptorType);
  Session s = open("mutable_types", needs);
  const VkDescriptorType types[2] = {kUniform, kWords};
  const VkMutableDescriptorTypeListEXT lists[3] = {{2, types}, {0, nullptr}, {2, types}};
  const VkMutableDescriptorTypeCreateInfoEXT of_layout{VK_STRUCTURE_TYPE_MUTABLE_DESCRIPTOR_TYPE_CREATE_INFO_EXT,
                                                       nullptr, 3, lists};
  const VkDescriptorSetLayout any = create_set_layout(
      s, {{0, kAny, 1, kCompute, nullptr}, {1, kWords, 1, kCompute, nullptr}, {2, kAny, 2, kCompute, nullptr}}, 0,
      &of_layout);
  const VkMutableDescriptorTypeListEXT of_sizes[3] = {{2, types}, {0, nullptr}, {0, nullptr}};
  const VkMutableDescriptorTypeCreateInfoEXT of_pool{VK_STRUCTURE_TYPE_MUTABLE_DESCRIPTOR_TYPE_CREATE_INFO_EXT, nullptr,
                                                     3, of_sizes};
  const VkDescriptorPool pool = create_pool(s, 4, {{kAny, 3}, {kWords, 2}, {kUniform, 2}}, &of_pool);
  const VkDescriptorSetLayout plain =
      create_set_layout(s, {{0, kUniform, 2, kCompute, nullptr}, {1, kWords, 2, kCompute, nullptr}});
  const VkDescriptorSet sets[2] = {allocate_set(s, pool, any), allocate_set(s, pool, any)},
                        source = allocate_set(s, pool, plain);
  const MappedBuffer in = buffer(s, 2048, kStorage | VK_BUFFER_USAGE_UNIFORM_BUFFER_BIT),
                     out = buffer(s, 1024, kStorage);
  fill(in, 3);
  for (std::uint32_t i = 0; i < 2; ++i) {
    write(s, source, 0, i, kUniform, in, 1024 + i * 256);
    write(s, source, 1, i, kWords, in, 1536 + i * 256);
  }
  // As the shader's second variant takes them, and as its first does.
  write(s, sets[0], 0, 0, kWords, in, 0);
  write(s, sets[0], 0, 0, kUniform, in, 256);
  write(s, sets[0], 2, 0, kWords, in, 512);
  write(s, sets[0], 2, 1, kUniform, in, 768);
  write(s, sets[0], 1, 0, kWords, out, 0);
  write(s, sets[1], 1, 0, kWords, out, 256);
  const VkCopyDescriptorSet copies[3] = {
      {VK_STRUCTURE_TYPE_COPY_DESCRIPTOR_SET, nullptr, source, 0, 1, sets[1], 0, 0, 1},
      {VK_STRUCTURE_TYPE_COPY_DESCRIPTOR_SET, nullptr, source, 1, 0, sets[1], 2, 0, 1},
      {VK_STRUCTURE_TYPE_COPY_DESCRIPTOR_SET, nullptr, sets[0], 2, 1, sets[1], 2, 1, 1}};
  vkUpdateDescriptorSets(s.device, 0, nullptr, 3, copies);
  const VkPipelineLayout layout = create_layout(s, {any});
  vkCmdBindPipeline(s.cmd, VK_PIPELINE_BIND_POINT_COMPUTE, create_compute(s, layout, shader(s, any_type_comp_spv)));
  for (const VkDescriptorSet set : sets) {
    vkCmdBindDescriptorSets(s.cmd, VK_PIPELINE_BIND_POINT_COMPUTE, layout, 0, 1, &set, 0, nullptr);
    vkCmdDispatch(s.cmd, 1, 1, 1);
  }
  run(s);
  EXPECT(s, out.words[0] == mix(3, 64) && out.words[1] == mix(3, 128) && out.words[2] == mix(3, 128));
  EXPECT(s, out.words[64] == mix(3, 320) && out.words[65] == mix(3, 384));
  add(s, out);
  return finish(s);
}
