// SPDX-License-Identifier: Apache-2.0
// Chapter "Resource Descriptors", push descriptors: pushed in parts, of which the
// others stay, by templates with odd offsets and strides, beside a set that is
// bound, and pushed again between dispatches after their buffers' ends.
#include <cstddef>

#include "gather.comp.h"
#include "words.h"

using namespace program;

namespace {

constexpr VkDescriptorType kType = VK_DESCRIPTOR_TYPE_STORAGE_BUFFER;

// Descriptors among other things, as programs keep them.
struct Record {
  char name[5];
  VkDescriptorBufferInfo slot;
  std::uint64_t unused;
};
struct Records {
  Record first[3];
  VkDescriptorBufferInfo single;
  Record rest[4];
  VkDescriptorBufferInfo out;
};

VkDescriptorUpdateTemplate create_template(Session& s, VkPipelineLayout layout) {
  const VkDescriptorUpdateTemplateEntry entries[4] = {
      {0, 0, 3, kType, offsetof(Records, first) + offsetof(Record, slot), sizeof(Record)},
      {1, 0, 1, kType, offsetof(Records, single), 0},
      {3, 1, 2, kType, offsetof(Records, rest) + sizeof(Record) + offsetof(Record, slot), 2 * sizeof(Record)},
      {4, 0, 1, kType, offsetof(Records, out), 1}};
  const VkDescriptorUpdateTemplateCreateInfo info{VK_STRUCTURE_TYPE_DESCRIPTOR_UPDATE_TEMPLATE_CREATE_INFO,
                                                  nullptr,
                                                  0,
                                                  4,
                                                  entries,
                                                  VK_DESCRIPTOR_UPDATE_TEMPLATE_TYPE_PUSH_DESCRIPTORS_KHR,
                                                  VK_NULL_HANDLE,
                                                  VK_PIPELINE_BIND_POINT_COMPUTE,
                                                  layout,
                                                  0};
  VkDescriptorUpdateTemplate made;
  CHECK(vkCreateDescriptorUpdateTemplate(s.device, &info, nullptr, &made));
  return keep(s, vkDestroyDescriptorUpdateTemplate, made);
}

}  // namespace

int main() {
  Needs needs({VK_KHR_PUSH_DESCRIPTOR_EXTENSION_NAME});
  NEED_CORE(needs, shaderStorageBufferArrayDynamicIndexing);
  Session s = open("pushed_sets", needs);
  LOAD(s, vkCmdPushDescriptorSetKHR);
  LOAD(s, vkCmdPushDescriptorSetWithTemplateKHR);
  const MappedBuffer slots = buffer(s, 8 * 256, kStorage), out = buffer(s, 4 * 256, kStorage);
  for (std::uint32_t i = 0; i < 8; ++i) slots.words[i * 64] = 100 + i;
  const auto slot = [&](std::uint32_t i) { return VkDescriptorBufferInfo{slots.buffer, i * 256, 256}; };
  const auto part = [&](std::uint32_t i) { return VkDescriptorBufferInfo{out.buffer, i * 256, 256}; };
  const VkDescriptorSetLayout set_layout = create_set_layout(s,
                                                             {{0, kType, 3, kCompute, nullptr},
                                                              {1, kType, 1, kCompute, nullptr},
                                                              {3, kType, 4, kCompute, nullptr},
                                                              {4, kType, 1, kCompute, nullptr}},
                                                             VK_DESCRIPTOR_SET_LAYOUT_CREATE_PUSH_DESCRIPTOR_BIT_KHR);
  const VkPipelineLayout layout = create_layout(s, {set_layout});
  const VkPipeline pipeline = create_compute(s, layout, shader(s, gather_comp_spv));
  const auto push = [&](const std::vector<VkWriteDescriptorSet>& writes) {
    vkCmdPushDescriptorSetKHR(s.cmd, VK_PIPELINE_BIND_POINT_COMPUTE, layout, 0,
                              static_cast<std::uint32_t>(writes.size()), writes.data());
  };
  const auto write = [](std::uint32_t binding, std::uint32_t element, std::uint32_t count,
                        const VkDescriptorBufferInfo* infos) {
    return VkWriteDescriptorSet{VK_STRUCTURE_TYPE_WRITE_DESCRIPTOR_SET,
                                nullptr,
                                reinterpret_cast<VkDescriptorSet>(0xdead),
                                binding,
                                element,
                                count,
                                kType,
                                nullptr,
                                infos,
                                nullptr};
  };
  // All of it, then the output and a part, before and behind the pipeline.
  std::vector<VkDescriptorBufferInfo> all;
  for (std::uint32_t i = 0; i < 8; ++i) all.push_back(slot(i));
  VkDescriptorBufferInfo to = part(0);
  push({write(0, 0, 3, &all[0]), write(1, 0, 1, &all[3]), write(3, 0, 4, &all[4]), write(4, 0, 1, &to)});
  vkCmdBindPipeline(s.cmd, VK_PIPELINE_BIND_POINT_COMPUTE, pipeline);
  vkCmdDispatch(s.cmd, 1, 1, 1);
  to = part(1);
  push({write(4, 0, 1, &to), write(3, 2, 2, &all[0]), write(0, 1, 1, &all[7])});
  vkCmdDispatch(s.cmd, 1, 1, 1);
  // Four of the eight by a template, which is given memory at an odd address.
  std::vector<unsigned char> bytes(sizeof(Records) + 1);
  Records r{};
  for (std::uint32_t i = 0; i < 3; ++i) r.first[i].slot = slot(6 - i);
  for (std::uint32_t i = 0; i < 4; ++i) r.rest[i].slot = slot(i == 1 ? 5 : i == 3 ? 6 : 7);
  r.single = slot(2);
  r.out = part(2);
  std::memcpy(bytes.data(), &r, sizeof r);
  vkCmdPushDescriptorSetWithTemplateKHR(s.cmd, create_template(s, layout), layout, 0, bytes.data());
  std::fill(bytes.begin(), bytes.end(), static_cast<unsigned char>(0xcc));
  vkCmdDispatch(s.cmd, 1, 1, 1);
  run(s);
  constexpr std::uint32_t expected[3][8] = {
      {0, 1, 2, 3, 4, 5, 6, 7}, {0, 7, 2, 3, 4, 5, 0, 1}, {6, 5, 4, 2, 4, 5, 6, 1}};
  for (std::uint32_t n = 0; n < 3; ++n)
    for (std::uint32_t i = 0; i < 8; ++i) EXPECT(s, out.words[n * 64 + i] == 100 + expected[n][i]);
  add(s, out);
  return finish(s);
}
