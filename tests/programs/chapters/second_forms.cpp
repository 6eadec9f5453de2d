// SPDX-License-Identifier: Apache-2.0
// Descriptors and constants by the commands of VK_KHR_maintenance6: sets bound, descriptors
// pushed (also by a template), constants in parts, descriptors in buffers, for several stages
// at once; and what became of each bind of memory.
#include <cstddef>

#include "addressed.h"
#include "chapter.h"
#include "gather.comp.h"
#include "pushed.comp.h"
#include "words.h"

#ifdef VK_KHR_maintenance6

using namespace program;

namespace program {
FEATURES_OF(Maintenance6FeaturesKHR, MAINTENANCE_6_FEATURES_KHR);
FEATURES_OF(DescriptorBufferFeaturesEXT, DESCRIPTOR_BUFFER_FEATURES_EXT);
}  // namespace program

namespace {

constexpr VkDescriptorType kType = VK_DESCRIPTOR_TYPE_STORAGE_BUFFER;
constexpr VkShaderStageFlags kStages = VK_SHADER_STAGE_COMPUTE_BIT | VK_SHADER_STAGE_FRAGMENT_BIT;

std::vector<VkDescriptorSetLayoutBinding> gathered() {
  return {{0, kType, 3, kStages, nullptr},
          {1, kType, 1, kStages, nullptr},
          {3, kType, 4, kStages, nullptr},
          {4, kType, 1, kStages, nullptr}};
}

struct Scene {
  MappedBuffer slots, out;
  VkDescriptorBufferInfo slot(std::uint32_t i) const { return {slots.buffer, i * 256, 256}; }
  VkDescriptorBufferInfo part(std::uint32_t i) const { return {out.buffer, i * 256, 256}; }
};

VkWriteDescriptorSet write(VkDescriptorSet set, std::uint32_t binding, std::uint32_t count,
                           const VkDescriptorBufferInfo* infos) {
  return {VK_STRUCTURE_TYPE_WRITE_DESCRIPTOR_SET, nullptr, set, binding, 0, count, kType, nullptr, infos, nullptr};
}

void expect(Session& s, const Scene& scene, std::uint32_t at, std::initializer_list<std::uint32_t> slots) {
  std::uint32_t i = 0;
  for (const std::uint32_t slot : slots) {
    EXPECT(s, scene.out.words[at * 64 + i] == 100 + slot);
    ++i;
  }
}

// A set with a dynamic offset (of one stage: for two, lavapipe 25.0.7 forgets it), then a second one beside
// it that no shader looks at.
void bind(Session& s, Scene& scene) {
  LOAD(s, vkCmdBindDescriptorSets2KHR);
  auto bindings = gathered();
  bindings.back().descriptorType = VK_DESCRIPTOR_TYPE_STORAGE_BUFFER_DYNAMIC;
  const VkDescriptorSetLayout set_layout = create_set_layout(s, bindings);
  const VkPipelineLayout layout = create_layout(s, {set_layout, set_layout});
  const VkPipeline pipeline = create_compute(s, layout, shader(s, gather_comp_spv));
  const VkDescriptorPool pool = create_pool(s, 2, {{kType, 8}, {VK_DESCRIPTOR_TYPE_STORAGE_BUFFER_DYNAMIC, 1}});
  const VkDescriptorSet sets[2] = {allocate_set(s, pool, set_layout), allocate_set(s, pool, set_layout)};
  for (std::uint32_t n = 0; n < 2; ++n) {
    std::vector<VkDescriptorBufferInfo> all;
    for (std::uint32_t i = 0; i < 8; ++i) all.push_back(scene.slot(n == 0 ? i : 7 - i));
    const VkDescriptorBufferInfo to = scene.part(0);
    VkWriteDescriptorSet writes[4] = {write(sets[n], 0, 3, &all[0]), write(sets[n], 1, 1, &all[3]),
                                      write(sets[n], 3, 4, &all[4]), write(sets[n], 4, 1, &to)};
    writes[3].descriptorType = VK_DESCRIPTOR_TYPE_STORAGE_BUFFER_DYNAMIC;
    vkUpdateDescriptorSets(s.device, 4, writes, 0, nullptr);
  }
  vkCmdBindPipeline(s.cmd, VK_PIPELINE_BIND_POINT_COMPUTE, pipeline);
  for (std::uint32_t n = 0; n < 2; ++n) {
    const VkDescriptorSet in_turn[2] = {sets[n], sets[1 - n]};
    const std::uint32_t offsets[2] = {n * 256, 0};
    const VkBindDescriptorSetsInfoKHR info{
        VK_STRUCTURE_TYPE_BIND_DESCRIPTOR_SETS_INFO_KHR, nullptr, kCompute, layout, 0, 2, in_turn, 2, offsets};
    vkCmdBindDescriptorSets2KHR(s.cmd, &info);
    vkCmdDispatch(s.cmd, 1, 1, 1);
    barrier(s.cmd);
  }
  run(s);
  expect(s, scene, 0, {0, 1, 2, 3, 4, 5, 6, 7});
  expect(s, scene, 1, {7, 6, 5, 4, 3, 2, 1, 0});
}

struct Records {
  std::uint32_t unused;
  VkDescriptorBufferInfo first[3], single, rest[4], out;
};

void push(Session& s, Scene& scene) {
  LOAD(s, vkCmdPushDescriptorSet2KHR);
  LOAD(s, vkCmdPushDescriptorSetWithTemplate2KHR);
  const VkDescriptorSetLayout set_layout =
      create_set_layout(s, gathered(), VK_DESCRIPTOR_SET_LAYOUT_CREATE_PUSH_DESCRIPTOR_BIT_KHR);
  const VkPipelineLayout layout = create_layout(s, {set_layout});
  const VkPipeline pipeline = create_compute(s, layout, shader(s, gather_comp_spv));
  vkCmdBindPipeline(s.cmd, VK_PIPELINE_BIND_POINT_COMPUTE, pipeline);
  std::vector<VkDescriptorBufferInfo> all;
  for (std::uint32_t i = 0; i < 8; ++i) all.push_back(scene.slot(i));
  const VkDescriptorBufferInfo to = scene.part(2);
  const auto garbage = reinterpret_cast<VkDescriptorSet>(0xdead);  // to be ignored
  const VkWriteDescriptorSet writes[4] = {write(garbage, 0, 3, &all[5]), write(garbage, 1, 1, &all[0]),
                                          write(garbage, 3, 4, &all[1]), write(garbage, 4, 1, &to)};
  const VkPushDescriptorSetInfoKHR info{
      VK_STRUCTURE_TYPE_PUSH_DESCRIPTOR_SET_INFO_KHR, nullptr, kStages, layout, 0, 4, writes};
  vkCmdPushDescriptorSet2KHR(s.cmd, &info);
  vkCmdDispatch(s.cmd, 1, 1, 1);

  constexpr std::size_t each = sizeof(VkDescriptorBufferInfo);
  const VkDescriptorUpdateTemplateEntry entries[4] = {{0, 0, 3, kType, offsetof(Records, first), each},
                                                      {1, 0, 1, kType, offsetof(Records, single), 0},
                                                      {3, 0, 4, kType, offsetof(Records, rest), each},
                                                      {4, 0, 1, kType, offsetof(Records, out), 0}};
  const VkDescriptorUpdateTemplateCreateInfo wanted{VK_STRUCTURE_TYPE_DESCRIPTOR_UPDATE_TEMPLATE_CREATE_INFO,
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
  CHECK(vkCreateDescriptorUpdateTemplate(s.device, &wanted, nullptr, &made));
  keep(s, vkDestroyDescriptorUpdateTemplate, made);
  Records r{};
  for (std::uint32_t i = 0; i < 3; ++i) r.first[i] = all[2 * i];
  r.single = all[7];
  for (std::uint32_t i = 0; i < 4; ++i) r.rest[i] = all[3];
  r.out = scene.part(3);
  const VkPushDescriptorSetWithTemplateInfoKHR by_template{
      VK_STRUCTURE_TYPE_PUSH_DESCRIPTOR_SET_WITH_TEMPLATE_INFO_KHR, nullptr, made, layout, 0, &r};
  vkCmdPushDescriptorSetWithTemplate2KHR(s.cmd, &by_template);
  r = {};
  vkCmdDispatch(s.cmd, 1, 1, 1);
  run(s);
  expect(s, scene, 2, {5, 6, 7, 0, 1, 2, 3, 4});
  expect(s, scene, 3, {0, 2, 4, 7, 3, 3, 3, 3});
}

// All of them, then some in the middle.
void push_constants(Session& s) {
  LOAD(s, vkCmdPushConstants2KHR);
  const MappedBuffer results = buffer(s, 128, kStorage);
  const VkDescriptorSetLayout set_layout = create_set_layout(s, {{0, kType, 1, kCompute, nullptr}});
  const VkPipelineLayout layout = create_layout(s, {set_layout}, {{kCompute, 0, 128}});
  const VkPipeline pipeline = create_compute(s, layout, shader(s, pushed_comp_spv));
  const VkDescriptorSet set = create_set(s, set_layout, {kType});
  write_buffer(s, set, 0, results);
  std::uint32_t values[32];
  for (std::uint32_t i = 0; i < 32; ++i) values[i] = i * i;
  const auto push = [&](std::uint32_t from, std::uint32_t count, const std::uint32_t* some) {
    const VkPushConstantsInfoKHR info{
        VK_STRUCTURE_TYPE_PUSH_CONSTANTS_INFO_KHR, nullptr, layout, kCompute, from * 4, count * 4, some};
    vkCmdPushConstants2KHR(s.cmd, &info);
  };
  push(0, 32, values);
  values[0] = 77;
  push(9, 2, values);
  vkCmdBindPipeline(s.cmd, VK_PIPELINE_BIND_POINT_COMPUTE, pipeline);
  vkCmdBindDescriptorSets(s.cmd, VK_PIPELINE_BIND_POINT_COMPUTE, layout, 0, 1, &set, 0, nullptr);
  vkCmdDispatch(s.cmd, 1, 1, 1);
  run(s);
  EXPECT(s, results.words[8] == 64 && results.words[9] == 77 && results.words[10] == 1 && results.words[31] == 961);
  add(s, results);
}

VkDeviceAddress address_of(const Session& s, VkBuffer buffer) {
  const VkBufferDeviceAddressInfo info{VK_STRUCTURE_TYPE_BUFFER_DEVICE_ADDRESS_INFO, nullptr, buffer};
  return vkGetBufferDeviceAddress(s.device, &info);
}

// Memory with addresses, bound with a word on what became of it.
MappedBuffer addressed(Session& s, VkDeviceSize bytes, VkBufferUsageFlags usage) {
  const VkBufferCreateInfo info{.sType = VK_STRUCTURE_TYPE_BUFFER_CREATE_INFO,
                                .size = bytes,
                                .usage = usage | VK_BUFFER_USAGE_SHADER_DEVICE_ADDRESS_BIT};
  MappedBuffer b;
  b.bytes = bytes;
  CHECK(vkCreateBuffer(s.device, &info, nullptr, &b.buffer));
  VkMemoryRequirements wanted;
  vkGetBufferMemoryRequirements(s.device, b.buffer, &wanted);
  const VkMemoryAllocateFlagsInfo flags{VK_STRUCTURE_TYPE_MEMORY_ALLOCATE_FLAGS_INFO, nullptr,
                                        VK_MEMORY_ALLOCATE_DEVICE_ADDRESS_BIT, 0};
  const VkMemoryAllocateInfo allocation{
      VK_STRUCTURE_TYPE_MEMORY_ALLOCATE_INFO, &flags, wanted.size,
      memory_type(s, wanted.memoryTypeBits,
                  VK_MEMORY_PROPERTY_HOST_VISIBLE_BIT | VK_MEMORY_PROPERTY_HOST_COHERENT_BIT)};
  CHECK(vkAllocateMemory(s.device, &allocation, nullptr, &b.memory));
  VkResult became = VK_ERROR_UNKNOWN;
  const VkBindMemoryStatusKHR status{VK_STRUCTURE_TYPE_BIND_MEMORY_STATUS_KHR, nullptr, &became};
  const VkBindBufferMemoryInfo bound{VK_STRUCTURE_TYPE_BIND_BUFFER_MEMORY_INFO, &status, b.buffer, b.memory, 0};
  CHECK(vkBindBufferMemory2(s.device, 1, &bound));
  EXPECT(s, became == VK_SUCCESS);
  keep(s, vkFreeMemory, b.memory);
  keep(s, vkDestroyBuffer, b.buffer);
  void* pointer;
  CHECK(vkMapMemory(s.device, b.memory, 0, VK_WHOLE_SIZE, 0, &pointer));
  b.words = static_cast<std::uint32_t*>(pointer);
  std::memset(b.words, 0, bytes);
  return b;
}

void in_buffers(Session& s) {
  LOAD(s, vkGetDescriptorEXT);
  LOAD(s, vkGetDescriptorSetLayoutSizeEXT);
  LOAD(s, vkGetDescriptorSetLayoutBindingOffsetEXT);
  LOAD(s, vkCmdBindDescriptorBuffersEXT);
  LOAD(s, vkCmdSetDescriptorBufferOffsets2EXT);
  LOAD(s, vkCmdBindDescriptorBufferEmbeddedSamplers2EXT);
  const auto limits = properties<VkPhysicalDeviceDescriptorBufferPropertiesEXT>(
      s, VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_DESCRIPTOR_BUFFER_PROPERTIES_EXT);
  const VkSampler sampler = create_sampler(s, {.sType = VK_STRUCTURE_TYPE_SAMPLER_CREATE_INFO});
  const VkDescriptorSetLayout set_layout = create_set_layout(s, {{0, kType, 1, kStages, nullptr}},
                                                             VK_DESCRIPTOR_SET_LAYOUT_CREATE_DESCRIPTOR_BUFFER_BIT_EXT);
  const VkDescriptorSetLayout embedded =  // bound, and used by no shader
      create_set_layout(s, {{0, VK_DESCRIPTOR_TYPE_SAMPLER, 1, kStages, &sampler}},
                        VK_DESCRIPTOR_SET_LAYOUT_CREATE_DESCRIPTOR_BUFFER_BIT_EXT |
                            VK_DESCRIPTOR_SET_LAYOUT_CREATE_EMBEDDED_IMMUTABLE_SAMPLERS_BIT_EXT);
  const VkPipelineLayout layout = create_layout(s, {set_layout, embedded}, {{kCompute, 0, 128}});
  const VkPipeline pipeline =
      create_compute(s, layout, shader(s, pushed_comp_spv), nullptr, VK_PIPELINE_CREATE_DESCRIPTOR_BUFFER_BIT_EXT);
  VkDeviceSize size = 0, offset = 0;
  vkGetDescriptorSetLayoutSizeEXT(s.device, set_layout, &size);
  vkGetDescriptorSetLayoutBindingOffsetEXT(s.device, set_layout, 0, &offset);
  const VkDeviceSize alignment = limits.descriptorBufferOffsetAlignment;
  size = (size + alignment - 1) / alignment * alignment;
  constexpr VkBufferUsageFlags usage = VK_BUFFER_USAGE_RESOURCE_DESCRIPTOR_BUFFER_BIT_EXT;
  const MappedBuffer results = addressed(s, 512, kStorage), descriptors = addressed(s, 2 * size, usage);
  for (std::uint32_t i = 0; i < 2; ++i) {
    const VkDescriptorAddressInfoEXT range{VK_STRUCTURE_TYPE_DESCRIPTOR_ADDRESS_INFO_EXT, nullptr,
                                           address_of(s, results.buffer) + 256 * i, 128, VK_FORMAT_UNDEFINED};
    const VkDescriptorGetInfoEXT info{
        VK_STRUCTURE_TYPE_DESCRIPTOR_GET_INFO_EXT, nullptr, kType, {.pStorageBuffer = &range}};
    vkGetDescriptorEXT(s.device, &info, limits.storageBufferDescriptorSize,
                       reinterpret_cast<std::byte*>(descriptors.words) + i * size + offset);
  }
  const VkDescriptorBufferBindingInfoEXT binding{VK_STRUCTURE_TYPE_DESCRIPTOR_BUFFER_BINDING_INFO_EXT, nullptr,
                                                 address_of(s, descriptors.buffer), usage};
  vkCmdBindDescriptorBuffersEXT(s.cmd, 1, &binding);
  vkCmdBindPipeline(s.cmd, VK_PIPELINE_BIND_POINT_COMPUTE, pipeline);
  const VkBindDescriptorBufferEmbeddedSamplersInfoEXT samplers{
      VK_STRUCTURE_TYPE_BIND_DESCRIPTOR_BUFFER_EMBEDDED_SAMPLERS_INFO_EXT, nullptr, kStages, layout, 1};
  vkCmdBindDescriptorBufferEmbeddedSamplers2EXT(s.cmd, &samplers);
  std::uint32_t values[32];
  for (std::uint32_t i = 0; i < 2; ++i) {
    for (std::uint32_t w = 0; w < 32; ++w) values[w] = 1000 * (i + 1) + w;
    vkCmdPushConstants(s.cmd, layout, kCompute, 0, 128, values);
    const std::uint32_t index = 0;
    const VkDeviceSize at = (1 - i) * size;
    const VkSetDescriptorBufferOffsetsInfoEXT offsets{
        VK_STRUCTURE_TYPE_SET_DESCRIPTOR_BUFFER_OFFSETS_INFO_EXT, nullptr, kStages, layout, 0, 1, &index, &at};
    vkCmdSetDescriptorBufferOffsets2EXT(s.cmd, &offsets);
    vkCmdDispatch(s.cmd, 1, 1, 1);
    barrier(s.cmd);
  }
  run(s);
  EXPECT(s, results.words[64] == 1000 && results.words[0] == 2000 && results.words[31] == 2031);
  add(s, results);
}

}  // namespace

int main() {
  Needs needs({VK_KHR_MAINTENANCE_6_EXTENSION_NAME, VK_KHR_PUSH_DESCRIPTOR_EXTENSION_NAME,
               VK_EXT_DESCRIPTOR_BUFFER_EXTENSION_NAME});
  NEED_CORE(needs, shaderStorageBufferArrayDynamicIndexing);
  NEED(needs, Vulkan12Features, bufferDeviceAddress);
  NEED(needs, Maintenance6FeaturesKHR, maintenance6);
  NEED(needs, DescriptorBufferFeaturesEXT, descriptorBuffer);
  Session s = open("second_forms", needs);
  Scene scene{buffer(s, 8 * 256, kStorage), buffer(s, 4 * 256, kStorage)};
  for (std::uint32_t i = 0; i < 8; ++i) scene.slots.words[i * 64] = 100 + i;
  bind(s, scene);
  push(s, scene);
  add(s, scene.out);
  push_constants(s);
  // lavapipe 25.0.7 forgets the offsets where the extension is not enabled by its name.
  if (!by_core_of_1_4()) in_buffers(s);
  return finish(s);
}

#else

int main() { return program::cannot_run("the headers that it was built with do not have VK_KHR_maintenance6"); }

#endif
