// SPDX-License-Identifier: Apache-2.0
// Chapter "Fundamentals", null handles: everything that may be destroyed, freed or
// named by the null handle is, beside objects that are there.
#include "objects.h"
#include "words.h"

using namespace program;

namespace {

void destroy_nothing(VkDevice device) {
  vkDestroyFence(device, VK_NULL_HANDLE, nullptr);
  vkDestroySemaphore(device, VK_NULL_HANDLE, nullptr);
  vkDestroyEvent(device, VK_NULL_HANDLE, nullptr);
  vkDestroyQueryPool(device, VK_NULL_HANDLE, nullptr);
  vkDestroyBuffer(device, VK_NULL_HANDLE, nullptr);
  vkDestroyBufferView(device, VK_NULL_HANDLE, nullptr);
  vkDestroyImage(device, VK_NULL_HANDLE, nullptr);
  vkDestroyImageView(device, VK_NULL_HANDLE, nullptr);
  vkDestroyShaderModule(device, VK_NULL_HANDLE, nullptr);
  vkDestroyPipelineCache(device, VK_NULL_HANDLE, nullptr);
  vkDestroyPipeline(device, VK_NULL_HANDLE, nullptr);
  vkDestroyPipelineLayout(device, VK_NULL_HANDLE, nullptr);
  vkDestroySampler(device, VK_NULL_HANDLE, nullptr);
  vkDestroySamplerYcbcrConversion(device, VK_NULL_HANDLE, nullptr);
  vkDestroyDescriptorSetLayout(device, VK_NULL_HANDLE, nullptr);
  vkDestroyDescriptorPool(device, VK_NULL_HANDLE, nullptr);
  vkDestroyDescriptorUpdateTemplate(device, VK_NULL_HANDLE, nullptr);
  vkDestroyFramebuffer(device, VK_NULL_HANDLE, nullptr);
  vkDestroyRenderPass(device, VK_NULL_HANDLE, nullptr);
  vkDestroyCommandPool(device, VK_NULL_HANDLE, nullptr);
  vkDestroyPrivateDataSlot(device, VK_NULL_HANDLE, nullptr);
  vkFreeMemory(device, VK_NULL_HANDLE, nullptr);
}

}  // namespace

int main() {
  Needs needs;
  NEED(needs, Vulkan13Features, privateData);
  Session s = open("null_handles", needs);
  const MappedBuffer out = buffer(s, 256, kCopies);
  for (std::uint32_t round = 0; round < 3; ++round) {
    destroy_nothing(s.device);
    vkCmdFillBuffer(s.cmd, out.buffer, round * 64, 64, round + 1);
    run(s);
    Unused unused = create_unused(s);  // one of each, gone before anything used it
    destroy(s, unused);
  }
  vkDestroyDevice(VK_NULL_HANDLE, nullptr);
  vkDestroyInstance(VK_NULL_HANDLE, nullptr);
  const VkCommandBuffer nothing[2] = {VK_NULL_HANDLE, VK_NULL_HANDLE};
  vkFreeCommandBuffers(s.device, s.commands.pool, 2, nothing);

  // Work of nothing, with and without a fence, and waits for it.
  CHECK(vkQueueSubmit(s.queues[0], 0, nullptr, VK_NULL_HANDLE));
  CHECK(vkQueueSubmit(s.queues[0], 0, nullptr, s.commands.done));
  wait(s, s.commands);
  const VkSubmitInfo empty[2] = {{VK_STRUCTURE_TYPE_SUBMIT_INFO}, {VK_STRUCTURE_TYPE_SUBMIT_INFO}};
  CHECK(vkQueueSubmit(s.queues[0], 2, empty, s.commands.done));
  wait(s, s.commands);
  CHECK(vkQueueWaitIdle(s.queues[0]));
  CHECK(vkDeviceWaitIdle(s.device));
  vkUpdateDescriptorSets(s.device, 0, nullptr, 0, nullptr);
  EXPECT(s, out.words[15] == 1 && out.words[31] == 2 && out.words[47] == 3);
  add(s, out);
  return finish(s);
}
