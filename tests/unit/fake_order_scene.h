// SPDX-License-Identifier: Apache-2.0
// The fake driver's order mode: small programs, run with many seeds.
#pragma once

#include <gtest/gtest.h>

#include <cstdint>
#include <functional>
#include <set>
#include <vector>

#include "fake_execute_support.h"

namespace fake_test {

using Bytes = std::vector<std::uint8_t>;

class FakeOrder : public FakeDevice {
 protected:
  // Runs on a device that was just made, and waits for all that it submits.
  using Program = std::function<Bytes()>;

  static constexpr std::uint64_t kSeedsOfRace = 50, kSeedsOfOrder = 200;

  std::size_t outcomes(const Program& program, std::uint64_t seeds) {
    std::set<Bytes> seen;
    for (std::uint64_t seed = 0; seed < seeds; ++seed) {
      fake::Settings settings;
      settings.order = seed;
      start(settings);
      seen.insert(program());
    }
    return seen.size();
  }
  void expect_race(const Program& program) { EXPECT_GT(outcomes(program, kSeedsOfRace), 1u); }
  void expect_order(const Program& program) { EXPECT_EQ(outcomes(program, kSeedsOfOrder), 1u); }

  void barrier(VkCommandBuffer c, VkPipelineStageFlags first, VkPipelineStageFlags second, VkAccessFlags writes,
               VkAccessFlags reads) {
    const VkMemoryBarrier memory{VK_STRUCTURE_TYPE_MEMORY_BARRIER, nullptr, writes, reads};
    vk.vkCmdPipelineBarrier(c, first, second, 0, 1, &memory, 0, nullptr, 0, nullptr);
  }
  void transfer_barrier(VkCommandBuffer c) {
    barrier(c, VK_PIPELINE_STAGE_TRANSFER_BIT, VK_PIPELINE_STAGE_TRANSFER_BIT, VK_ACCESS_TRANSFER_WRITE_BIT,
            VK_ACCESS_TRANSFER_READ_BIT | VK_ACCESS_TRANSFER_WRITE_BIT);
  }
  void compute_barrier(VkCommandBuffer c) {
    barrier(c, VK_PIPELINE_STAGE_COMPUTE_SHADER_BIT, VK_PIPELINE_STAGE_COMPUTE_SHADER_BIT, VK_ACCESS_SHADER_WRITE_BIT,
            VK_ACCESS_SHADER_READ_BIT | VK_ACCESS_SHADER_WRITE_BIT);
  }
  void copy(VkCommandBuffer c, const MappedBuffer& from, const MappedBuffer& to) {
    const VkBufferCopy region{0, 0, from.size};
    vk.vkCmdCopyBuffer(c, from.buffer, to.buffer, 1, &region);
  }
  void fill(VkCommandBuffer c, const MappedBuffer& buffer, std::uint32_t value) {
    vk.vkCmdFillBuffer(c, buffer.buffer, 0, VK_WHOLE_SIZE, value);
  }
  void image_barrier(VkCommandBuffer c, VkImage image, VkPipelineStageFlags first, VkPipelineStageFlags second,
                     VkAccessFlags writes, VkAccessFlags reads, VkImageLayout before, VkImageLayout after) {
    const VkImageMemoryBarrier one{VK_STRUCTURE_TYPE_IMAGE_MEMORY_BARRIER,
                                   nullptr,
                                   writes,
                                   reads,
                                   before,
                                   after,
                                   VK_QUEUE_FAMILY_IGNORED,
                                   VK_QUEUE_FAMILY_IGNORED,
                                   image,
                                   {VK_IMAGE_ASPECT_COLOR_BIT, 0, 1, 0, 1}};
    vk.vkCmdPipelineBarrier(c, first, second, 0, 0, nullptr, 0, nullptr, 1, &one);
  }

  MappedBuffer make_storage() { return make_buffer(64, VK_BUFFER_USAGE_STORAGE_BUFFER_BIT | kTransfers); }
  void wait_idle() { EXPECT_EQ(vk.vkDeviceWaitIdle(device), VK_SUCCESS); }
  void wait(VkFence fence) { EXPECT_EQ(vk.vkWaitForFences(device, 1, &fence, VK_TRUE, UINT64_MAX), VK_SUCCESS); }

  // Dispatches that read one buffer and write another.
  struct Compute {
    VkPipelineLayout layout = VK_NULL_HANDLE;
    VkDescriptorSetLayout set_layout = VK_NULL_HANDLE;
    VkPipeline pipeline = VK_NULL_HANDLE;
  };
  Compute make_compute() {
    Compute made;
    VkDescriptorSetLayoutBinding bindings[2]{};
    for (std::uint32_t i = 0; i < 2; ++i)
      bindings[i] = {i, VK_DESCRIPTOR_TYPE_STORAGE_BUFFER, 1, VK_SHADER_STAGE_COMPUTE_BIT, nullptr};
    VkDescriptorSetLayoutCreateInfo set_info{};
    set_info.sType = VK_STRUCTURE_TYPE_DESCRIPTOR_SET_LAYOUT_CREATE_INFO;
    set_info.bindingCount = 2;
    set_info.pBindings = bindings;
    EXPECT_EQ(vk.vkCreateDescriptorSetLayout(device, &set_info, nullptr, &made.set_layout), VK_SUCCESS);
    VkPipelineLayoutCreateInfo layout_info{};
    layout_info.sType = VK_STRUCTURE_TYPE_PIPELINE_LAYOUT_CREATE_INFO;
    layout_info.setLayoutCount = 1;
    layout_info.pSetLayouts = &made.set_layout;
    EXPECT_EQ(vk.vkCreatePipelineLayout(device, &layout_info, nullptr, &made.layout), VK_SUCCESS);
    VkComputePipelineCreateInfo info{};
    info.sType = VK_STRUCTURE_TYPE_COMPUTE_PIPELINE_CREATE_INFO;
    info.stage.sType = VK_STRUCTURE_TYPE_PIPELINE_SHADER_STAGE_CREATE_INFO;
    info.stage.stage = VK_SHADER_STAGE_COMPUTE_BIT;
    info.stage.module = make_shader(shader(2, 1));
    info.stage.pName = "main";
    info.layout = made.layout;
    EXPECT_EQ(vk.vkCreateComputePipelines(device, VK_NULL_HANDLE, 1, &info, nullptr, &made.pipeline), VK_SUCCESS);
    return made;
  }
  VkDescriptorSet make_set(const Compute& compute, const MappedBuffer& read, const MappedBuffer& written) {
    const VkDescriptorPoolSize size{VK_DESCRIPTOR_TYPE_STORAGE_BUFFER, 2};
    VkDescriptorPoolCreateInfo pool_info{};
    pool_info.sType = VK_STRUCTURE_TYPE_DESCRIPTOR_POOL_CREATE_INFO;
    pool_info.maxSets = pool_info.poolSizeCount = 1;
    pool_info.pPoolSizes = &size;
    VkDescriptorPool descriptors = VK_NULL_HANDLE;
    EXPECT_EQ(vk.vkCreateDescriptorPool(device, &pool_info, nullptr, &descriptors), VK_SUCCESS);
    VkDescriptorSetAllocateInfo set_info{};
    set_info.sType = VK_STRUCTURE_TYPE_DESCRIPTOR_SET_ALLOCATE_INFO;
    set_info.descriptorPool = descriptors;
    set_info.descriptorSetCount = 1;
    set_info.pSetLayouts = &compute.set_layout;
    VkDescriptorSet set = VK_NULL_HANDLE;
    EXPECT_EQ(vk.vkAllocateDescriptorSets(device, &set_info, &set), VK_SUCCESS);
    const VkDescriptorBufferInfo buffers[2] = {{read.buffer, 0, VK_WHOLE_SIZE}, {written.buffer, 0, VK_WHOLE_SIZE}};
    VkWriteDescriptorSet write{};
    write.sType = VK_STRUCTURE_TYPE_WRITE_DESCRIPTOR_SET;
    write.dstSet = set;
    write.descriptorCount = 2;
    write.descriptorType = VK_DESCRIPTOR_TYPE_STORAGE_BUFFER;
    write.pBufferInfo = buffers;
    vk.vkUpdateDescriptorSets(device, 1, &write, 0, nullptr);
    return set;
  }
  void bind(VkCommandBuffer c, const Compute& compute, VkDescriptorSet set) {
    vk.vkCmdBindPipeline(c, VK_PIPELINE_BIND_POINT_COMPUTE, compute.pipeline);
    vk.vkCmdBindDescriptorSets(c, VK_PIPELINE_BIND_POINT_COMPUTE, compute.layout, 0, 1, &set, 0, nullptr);
  }
  void dispatch(VkCommandBuffer c, const Compute& compute, VkDescriptorSet set) {
    bind(c, compute, set);
    vk.vkCmdDispatch(c, 1, 1, 1);
  }
};

}  // namespace fake_test
