// SPDX-License-Identifier: Apache-2.0
// What the fake driver finds invalid: each wrong call once, beside the right one.
#include "fake_execute_support.h"

namespace fake_test {
namespace {

class FakeDriver : public FakeDevice {
 protected:
  VkBuffer unbound(VkDeviceSize size) {
    VkBufferCreateInfo info{
        VK_STRUCTURE_TYPE_BUFFER_CREATE_INFO, nullptr, 0, size, kTransfers, VK_SHARING_MODE_EXCLUSIVE, 0, nullptr};
    VkBuffer buffer = VK_NULL_HANDLE;
    EXPECT_EQ(vk.vkCreateBuffer(device, &info, nullptr, &buffer), VK_SUCCESS);
    return buffer;
  }
  VkDeviceMemory memory(VkDeviceSize size, std::uint32_t type) {
    VkMemoryAllocateInfo info{VK_STRUCTURE_TYPE_MEMORY_ALLOCATE_INFO, nullptr, size, type};
    VkDeviceMemory made = VK_NULL_HANDLE;
    EXPECT_EQ(vk.vkAllocateMemory(device, &info, nullptr, &made), VK_SUCCESS);
    return made;
  }
};

TEST_F(FakeDriver, FindsHandlesThatAreNotAlive) {
  const VkBuffer buffer = unbound(64);
  vk.vkDestroyBuffer(device, buffer, nullptr);
  vk.vkDestroyBuffer(device, buffer, nullptr);
  expect_violation("which is no live VkBuffer");
  VkMemoryRequirements needs;
  vk.vkGetBufferMemoryRequirements(device, reinterpret_cast<VkBuffer>(0xdead), &needs);
  expect_violation("which is no live VkBuffer");
  vk.vkGetBufferMemoryRequirements(device, VK_NULL_HANDLE, &needs);
  expect_violation("must be a VkBuffer");
}

TEST_F(FakeDriver, FindsNullPointersAndWrongTypes) {
  VkBuffer buffer;
  EXPECT_EQ(vk.vkCreateBuffer(device, nullptr, nullptr, &buffer), VK_ERROR_VALIDATION_FAILED_EXT);
  expect_violation("pCreateInfo is null");
  VkBufferCreateInfo info{VK_STRUCTURE_TYPE_IMAGE_CREATE_INFO, nullptr, 0,      64, kTransfers,
                          VK_SHARING_MODE_EXCLUSIVE,           0,       nullptr};
  vk.vkCreateBuffer(device, &info, nullptr, &buffer);
  expect_violation("sType");
  info.sType = VK_STRUCTURE_TYPE_BUFFER_CREATE_INFO;
  info.sharingMode = VK_SHARING_MODE_CONCURRENT;
  info.queueFamilyIndexCount = 2;
  vk.vkCreateBuffer(device, &info, nullptr, &buffer);
  expect_violation("pQueueFamilyIndices is null");
  info.sharingMode = static_cast<VkSharingMode>(77);
  vk.vkCreateBuffer(device, &info, nullptr, &buffer);
  expect_violation("sharingMode is 77");
  info.sharingMode = VK_SHARING_MODE_EXCLUSIVE;
  VkMemoryDedicatedAllocateInfo stranger{VK_STRUCTURE_TYPE_MEMORY_DEDICATED_ALLOCATE_INFO, nullptr, VK_NULL_HANDLE,
                                         VK_NULL_HANDLE};
  info.pNext = &stranger;
  vk.vkCreateBuffer(device, &info, nullptr, &buffer);
  expect_violation("does not extend VkBufferCreateInfo");
  stranger.sType = static_cast<VkStructureType>(123456);
  vk.vkCreateBuffer(device, &info, nullptr, &buffer);
  expect_violation("unknown type 123456");
}

TEST_F(FakeDriver, FindsBindingsOutsideTheMemory) {
  const VkBuffer buffer = unbound(4096);
  const VkDeviceMemory small = memory(2048, 2), enough = memory(8192, 2);
  vk.vkBindBufferMemory(device, buffer, small, 0);
  expect_violation("outside the memory");
  vk.vkBindBufferMemory(device, buffer, enough, 512);
  expect_violation("alignment");
  EXPECT_EQ(vk.vkBindBufferMemory(device, buffer, enough, 1024), VK_SUCCESS);
  vk.vkBindBufferMemory(device, buffer, enough, 0);
  expect_violation("bound already");
}

TEST_F(FakeDriver, FindsMapsOutsideTheMemory) {
  const VkDeviceMemory local = memory(4096, 0), visible = memory(4096, 1);
  void* at = nullptr;
  vk.vkMapMemory(device, local, 0, VK_WHOLE_SIZE, 0, &at);
  expect_violation("not host visible");
  vk.vkMapMemory(device, visible, 4096, VK_WHOLE_SIZE, 0, &at);
  expect_violation("outside the memory");
  vk.vkUnmapMemory(device, visible);
  expect_violation("not mapped");
  EXPECT_EQ(vk.vkMapMemory(device, visible, 0, 4096, 0, &at), VK_SUCCESS);
  vk.vkMapMemory(device, visible, 0, 4096, 0, &at);
  expect_violation("already mapped");
  VkMappedMemoryRange range{VK_STRUCTURE_TYPE_MAPPED_MEMORY_RANGE, nullptr, visible, 128, 256};
  vk.vkFlushMappedMemoryRanges(device, 1, &range);
  expect_violation("nonCoherentAtomSize");
}

TEST_F(FakeDriver, FindsCommandBuffersInTheWrongState) {
  const VkCommandBuffer buffer = allocate();
  vk.vkEndCommandBuffer(buffer);
  expect_violation("not recording");
  vk.vkCmdDispatch(buffer, 1, 1, 1);
  expect_violation("not recording");
  VkCommandBufferBeginInfo begin{VK_STRUCTURE_TYPE_COMMAND_BUFFER_BEGIN_INFO, nullptr, 0, nullptr};
  EXPECT_EQ(vk.vkBeginCommandBuffer(buffer, &begin), VK_SUCCESS);
  vk.vkBeginCommandBuffer(buffer, &begin);
  expect_violation("already recording");
  vk.vkCmdEndRenderPass(buffer);
  expect_violation("outside a render pass");
  vk.vkCmdDispatch(buffer, 1, 1, 1);
  expect_violation("no pipeline is bound");
  const VkCommandBuffer secondary = allocate(VK_COMMAND_BUFFER_LEVEL_SECONDARY);
  vk.vkBeginCommandBuffer(secondary, &begin);
  expect_violation("pInheritanceInfo is null");
}

TEST_F(FakeDriver, FindsWhatTheDeviceDoesNotHave) {
  VkQueue queue;
  vk.vkGetDeviceQueue(device, 2, 1, &queue);
  expect_violation("without this queue");
  VkMemoryAllocateInfo info{VK_STRUCTURE_TYPE_MEMORY_ALLOCATE_INFO, nullptr, 4096, 4};
  VkDeviceMemory made;
  vk.vkAllocateMemory(device, &info, nullptr, &made);
  expect_violation("memoryTypeIndex is 4");
  EXPECT_EQ(vk.vkGetDeviceProcAddr(device, "vkCmdDrawMultiEXT"), nullptr) << "its extension is not enabled";
}

TEST_F(FakeDriver, FindsPendingWorksObjectsDestroyed) {
  fake::Settings slow;
  slow.delay_us = 20000;
  start(slow);
  const MappedBuffer buffer = make_buffer(1024);
  submit(queues[0], {{record([&](VkCommandBuffer c) { vk.vkCmdFillBuffer(c, buffer.buffer, 0, 64, 7); })}});
  vk.vkDestroyBuffer(device, buffer.buffer, nullptr);
  expect_violation("in use by work");
  vk.vkDeviceWaitIdle(device);
}

TEST_F(FakeDriver, FindsDescriptorsOutsideTheLayout) {
  const VkDescriptorSetLayoutBinding binding{1, VK_DESCRIPTOR_TYPE_STORAGE_BUFFER, 2, VK_SHADER_STAGE_COMPUTE_BIT,
                                             nullptr};
  VkDescriptorSetLayoutCreateInfo layout_info{VK_STRUCTURE_TYPE_DESCRIPTOR_SET_LAYOUT_CREATE_INFO, nullptr, 0, 1,
                                              &binding};
  VkDescriptorSetLayout layout;
  ASSERT_EQ(vk.vkCreateDescriptorSetLayout(device, &layout_info, nullptr, &layout), VK_SUCCESS);
  const VkDescriptorPoolSize size{VK_DESCRIPTOR_TYPE_STORAGE_BUFFER, 2};
  VkDescriptorPoolCreateInfo pool_info{VK_STRUCTURE_TYPE_DESCRIPTOR_POOL_CREATE_INFO, nullptr, 0, 2, 1, &size};
  VkDescriptorPool sets;
  ASSERT_EQ(vk.vkCreateDescriptorPool(device, &pool_info, nullptr, &sets), VK_SUCCESS);
  VkDescriptorSetAllocateInfo info{VK_STRUCTURE_TYPE_DESCRIPTOR_SET_ALLOCATE_INFO, nullptr, sets, 1, &layout};
  VkDescriptorSet set, more;
  ASSERT_EQ(vk.vkAllocateDescriptorSets(device, &info, &set), VK_SUCCESS);
  EXPECT_EQ(vk.vkAllocateDescriptorSets(device, &info, &more), VK_ERROR_OUT_OF_POOL_MEMORY);
  const MappedBuffer buffer = make_buffer(1024, VK_BUFFER_USAGE_STORAGE_BUFFER_BIT);
  VkDescriptorBufferInfo written{buffer.buffer, 0, VK_WHOLE_SIZE};
  VkWriteDescriptorSet write{VK_STRUCTURE_TYPE_WRITE_DESCRIPTOR_SET, nullptr, set,      1,      0, 1,
                             VK_DESCRIPTOR_TYPE_STORAGE_BUFFER,      nullptr, &written, nullptr};
  vk.vkUpdateDescriptorSets(device, 1, &write, 0, nullptr);
  EXPECT_EQ(take_violation(), "");
  write.dstBinding = 0;
  vk.vkUpdateDescriptorSets(device, 1, &write, 0, nullptr);
  expect_violation("none of the layout");
  write.dstBinding = 1;
  write.dstArrayElement = 2;
  vk.vkUpdateDescriptorSets(device, 1, &write, 0, nullptr);
  expect_violation("outside the layout");
  write.dstArrayElement = 0;
  write.descriptorType = VK_DESCRIPTOR_TYPE_UNIFORM_BUFFER;
  vk.vkUpdateDescriptorSets(device, 1, &write, 0, nullptr);
  expect_violation("not that of the binding");
  write.descriptorType = VK_DESCRIPTOR_TYPE_STORAGE_BUFFER;
  written.range = 2048;
  vk.vkUpdateDescriptorSets(device, 1, &write, 0, nullptr);
  expect_violation("outside the buffer");
  vk.vkFreeDescriptorSets(device, sets, 1, &set);
  expect_violation("frees no single sets");
}

TEST_F(FakeDriver, NamesLeaksWhenAsked) {
  fake::Settings settings;
  settings.leaks = true;
  start(settings);
  unbound(64);
  vk.vkDestroyCommandPool(device, pool, nullptr);
  end();
  expect_violation("a VkBuffer of the device is still alive");
}

}  // namespace
}  // namespace fake_test
