// SPDX-License-Identifier: Apache-2.0
// The ways to write descriptors: plain writes with garbage in the members that
// the type says to ignore, copies, update templates with a stride that is
// larger than the item, pushed descriptors, and templates that push. The data of
// the templates is not aligned: the specification asks for no alignment.
// Templates are destroyed as soon as they were used.
#include <array>
#include <cstddef>
#include <cstring>
#include <utility>

#include "kernel.h"
#include "template.comp.h"

using namespace program;

namespace {

template <class T>
T* garbage() {
  return reinterpret_cast<T*>(std::uintptr_t{0x10});
}

// What the templates read; the descriptors of binding 1 lie 64 bytes apart.
struct Data {
  std::uint64_t unused = ~0ull;
  VkDescriptorBufferInfo uniform;
  struct alignas(64) Spaced {
    VkDescriptorBufferInfo info;
  } storage[2];
  VkBufferView texels;
  VkDescriptorBufferInfo output;
};

Data data(const MappedBuffer* in, VkBufferView texels, const MappedBuffer& out) {
  Data d;
  d.uniform = {in[0].buffer, 0, 4};
  d.storage[0].info = {in[1].buffer, 0, VK_WHOLE_SIZE};
  d.storage[1].info = {in[2].buffer, 0, VK_WHOLE_SIZE};
  d.texels = texels;
  d.output = {out.buffer, 0, VK_WHOLE_SIZE};
  return d;
}

// What the templates are given: the data at an address that is a multiple of 4 only.
constexpr std::size_t kShift = 4;
struct Shifted {
  explicit Shifted(const Data& d) { std::memcpy(bytes.data() + kShift, &d, sizeof d); }
  alignas(64) std::array<std::byte, kShift + sizeof(Data)> bytes{};
};

VkDescriptorUpdateTemplate create_template(Session& s, VkDescriptorSetLayout set_layout,
                                           VkDescriptorUpdateTemplateType type, VkPipelineLayout layout) {
  const VkDescriptorUpdateTemplateEntry entries[4] = {
      {0, 0, 1, VK_DESCRIPTOR_TYPE_UNIFORM_BUFFER, kShift + offsetof(Data, uniform), 0},
      {1, 0, 2, VK_DESCRIPTOR_TYPE_STORAGE_BUFFER, kShift + offsetof(Data, storage), sizeof(Data::Spaced)},
      {2, 0, 1, VK_DESCRIPTOR_TYPE_UNIFORM_TEXEL_BUFFER, kShift + offsetof(Data, texels), 4096},
      {3, 0, 1, VK_DESCRIPTOR_TYPE_STORAGE_BUFFER, kShift + offsetof(Data, output), 0}};
  const bool pushes = type == VK_DESCRIPTOR_UPDATE_TEMPLATE_TYPE_PUSH_DESCRIPTORS_KHR;
  const VkDescriptorUpdateTemplateCreateInfo info{VK_STRUCTURE_TYPE_DESCRIPTOR_UPDATE_TEMPLATE_CREATE_INFO,
                                                  nullptr,
                                                  0,
                                                  4,
                                                  entries,
                                                  type,
                                                  pushes ? VK_NULL_HANDLE : set_layout,
                                                  VK_PIPELINE_BIND_POINT_COMPUTE,
                                                  pushes ? layout : VK_NULL_HANDLE,
                                                  0};
  LOAD(s, vkCreateDescriptorUpdateTemplateKHR);
  VkDescriptorUpdateTemplate made;
  CHECK(vkCreateDescriptorUpdateTemplateKHR(s.device, &info, nullptr, &made));
  return made;
}

// The four bindings as writes. Every pointer that its type ignores is garbage.
std::vector<VkWriteDescriptorSet> writes(const Data& d, VkDescriptorSet set) {
  std::vector<VkWriteDescriptorSet> w(
      4, {VK_STRUCTURE_TYPE_WRITE_DESCRIPTOR_SET, nullptr, set, 0, 0, 1, VK_DESCRIPTOR_TYPE_STORAGE_BUFFER,
          garbage<VkDescriptorImageInfo>(), nullptr, garbage<VkBufferView>()});
  static VkDescriptorBufferInfo packed[2];
  packed[0] = d.storage[0].info;
  packed[1] = d.storage[1].info;
  w[0].descriptorType = VK_DESCRIPTOR_TYPE_UNIFORM_BUFFER;
  w[0].pBufferInfo = &d.uniform;
  w[1].dstBinding = 1;
  w[1].descriptorCount = 2;
  w[1].pBufferInfo = packed;
  w[2].dstBinding = 2;
  w[2].descriptorType = VK_DESCRIPTOR_TYPE_UNIFORM_TEXEL_BUFFER;
  w[2].pBufferInfo = garbage<VkDescriptorBufferInfo>();
  w[2].pTexelBufferView = &d.texels;
  w[3].dstBinding = 3;
  w[3].pBufferInfo = &d.output;
  return w;
}

void dispatch(VkCommandBuffer cmd, VkPipelineLayout layout, std::uint32_t at) {
  vkCmdPushConstants(cmd, layout, VK_SHADER_STAGE_COMPUTE_BIT, 0, 4, &at);
  vkCmdDispatch(cmd, 1, 1, 1);
}

}  // namespace

int main() {
  Wanted wanted;
  wanted.extensions = {VK_KHR_DESCRIPTOR_UPDATE_TEMPLATE_EXTENSION_NAME, VK_KHR_PUSH_DESCRIPTOR_EXTENSION_NAME};
  Session s = open("templates", wanted);
  LOAD(s, vkCmdPushDescriptorSetKHR);
  LOAD(s, vkCmdPushDescriptorSetWithTemplateKHR);
  LOAD(s, vkUpdateDescriptorSetWithTemplateKHR);
  LOAD(s, vkDestroyDescriptorUpdateTemplateKHR);
  constexpr VkBufferUsageFlags usage = VK_BUFFER_USAGE_UNIFORM_BUFFER_BIT | VK_BUFFER_USAGE_STORAGE_BUFFER_BIT |
                                       VK_BUFFER_USAGE_UNIFORM_TEXEL_BUFFER_BIT;
  MappedBuffer in[4];
  for (std::uint32_t i = 0; i < 4; ++i) {
    in[i] = buffer(s, 64, usage);
    in[i].words[0] = i + 1;
  }
  const MappedBuffer out = buffer(s, 256, usage);
  const VkBufferViewCreateInfo view{
      VK_STRUCTURE_TYPE_BUFFER_VIEW_CREATE_INFO, nullptr, 0, in[3].buffer, VK_FORMAT_R32_UINT, 0, VK_WHOLE_SIZE};
  VkBufferView texels;
  CHECK(vkCreateBufferView(s.device, &view, nullptr, &texels));
  keep(s, vkDestroyBufferView, texels);
  const Data d = data(in, texels, out);

  std::vector<VkDescriptorSetLayoutBinding> bindings;
  const VkDescriptorType types[4] = {VK_DESCRIPTOR_TYPE_UNIFORM_BUFFER, VK_DESCRIPTOR_TYPE_STORAGE_BUFFER,
                                     VK_DESCRIPTOR_TYPE_UNIFORM_TEXEL_BUFFER, VK_DESCRIPTOR_TYPE_STORAGE_BUFFER};
  for (std::uint32_t i = 0; i < 4; ++i)
    bindings.push_back({i, types[i], i == 1 ? 2u : 1u, VK_SHADER_STAGE_COMPUTE_BIT, garbage<VkSampler>()});
  const VkPushConstantRange range{VK_SHADER_STAGE_COMPUTE_BIT, 0, 4};
  const VkDescriptorSetLayout plain = create_set_layout(s, bindings);
  const VkDescriptorSetLayout pushed =
      create_set_layout(s, bindings, VK_DESCRIPTOR_SET_LAYOUT_CREATE_PUSH_DESCRIPTOR_BIT_KHR);
  const VkPipelineLayout layout = create_layout(s, {plain}, {range});
  const VkPipelineLayout push_layout = create_layout(s, {pushed}, {range});
  const VkShaderModule module = shader(s, template_comp_spv);
  const VkPipeline pipeline = create_compute(s, layout, module);
  const VkPipeline push_pipeline = create_compute(s, push_layout, module);
  const VkDescriptorPool pool = create_pool(s, 3, {{types[0], 1}, {types[1], 3}, {types[2], 1}});

  VkDescriptorSet sets[3];  // written, copied, by template
  for (VkDescriptorSet& set : sets) set = allocate_set(s, pool, plain);
  const std::vector<VkWriteDescriptorSet> plain_writes = writes(d, sets[0]);
  vkUpdateDescriptorSets(s.device, 4, plain_writes.data(), 0, nullptr);
  VkCopyDescriptorSet copies[4];
  for (std::uint32_t i = 0; i < 4; ++i)
    copies[i] = {VK_STRUCTURE_TYPE_COPY_DESCRIPTOR_SET, nullptr, sets[0], i, 0, sets[1], i, 0, i == 1 ? 2u : 1u};
  vkUpdateDescriptorSets(s.device, 0, nullptr, 4, copies);
  VkDescriptorUpdateTemplate made =
      create_template(s, plain, VK_DESCRIPTOR_UPDATE_TEMPLATE_TYPE_DESCRIPTOR_SET, layout);
  vkUpdateDescriptorSetWithTemplateKHR(s.device, sets[2], made, Shifted(d).bytes.data());
  vkDestroyDescriptorUpdateTemplateKHR(s.device, made, nullptr);

  vkCmdBindPipeline(s.cmd, VK_PIPELINE_BIND_POINT_COMPUTE, pipeline);
  for (std::uint32_t i = 0; i < 3; ++i) {
    vkCmdBindDescriptorSets(s.cmd, VK_PIPELINE_BIND_POINT_COMPUTE, layout, 0, 1, &sets[i], 0, nullptr);
    dispatch(s.cmd, layout, i);
  }
  vkCmdBindPipeline(s.cmd, VK_PIPELINE_BIND_POINT_COMPUTE, push_pipeline);
  // A pushed write's set is ignored.
  const std::vector<VkWriteDescriptorSet> pushes = writes(d, reinterpret_cast<VkDescriptorSet>(0x10));
  vkCmdPushDescriptorSetKHR(s.cmd, VK_PIPELINE_BIND_POINT_COMPUTE, push_layout, 0, 4, pushes.data());
  dispatch(s.cmd, push_layout, 3);
  made = create_template(s, pushed, VK_DESCRIPTOR_UPDATE_TEMPLATE_TYPE_PUSH_DESCRIPTORS_KHR, push_layout);
  Data swapped = d;
  std::swap(swapped.storage[0], swapped.storage[1]);
  vkCmdPushDescriptorSetWithTemplateKHR(s.cmd, made, push_layout, 0, Shifted(swapped).bytes.data());
  dispatch(s.cmd, push_layout, 4);
  vkDestroyDescriptorUpdateTemplateKHR(s.device, made, nullptr);
  run(s);

  for (std::uint32_t i = 0; i < 4; ++i) EXPECT(s, out.words[i] == 4321);
  EXPECT(s, out.words[4] == 4231);
  add(s, out);
  return finish(s);
}
