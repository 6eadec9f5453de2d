// SPDX-License-Identifier: Apache-2.0
// A device group of one: made from the group that the instance lists, with
// masks wherever there can be one, memory bound by device indices, dispatches
// from a base and from a buffer.
#include "groups.comp.h"
#include "kernel.h"

using namespace program;

namespace {

VkPhysicalDeviceGroupProperties first_group(VkInstance instance) {
  const auto enumerate = reinterpret_cast<PFN_vkEnumeratePhysicalDeviceGroupsKHR>(
      vkGetInstanceProcAddr(instance, "vkEnumeratePhysicalDeviceGroupsKHR"));
  std::uint32_t count = 1;
  VkPhysicalDeviceGroupProperties group{VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_GROUP_PROPERTIES};
  if (enumerate(instance, &count, &group) < 0 || count == 0) die("no device groups", 0);
  return group;
}

}  // namespace

int main() {
  // The device is made of the first group, which has the first device.
  Wanted wanted;
  wanted.api_version = VK_API_VERSION_1_3;
  wanted.instance_extensions = {VK_KHR_DEVICE_GROUP_CREATION_EXTENSION_NAME};
  wanted.extensions = {VK_KHR_DEVICE_GROUP_EXTENSION_NAME, VK_KHR_BIND_MEMORY_2_EXTENSION_NAME};
  const VkInstance instance = create_instance("groups", wanted.api_version, wanted.instance_extensions);
  const VkPhysicalDeviceGroupProperties group = first_group(instance);
  const VkDeviceGroupDeviceCreateInfo devices{VK_STRUCTURE_TYPE_DEVICE_GROUP_DEVICE_CREATE_INFO, nullptr,
                                              group.physicalDeviceCount, group.physicalDevices};
  wanted.features = &devices;
  Session s;
  static_cast<Context&>(s) = create_device(instance, wanted);
  s.name = "groups";
  s.commands = create_commands(s);
  s.cmd = s.commands.buffer;
  LOAD(s, vkCmdSetDeviceMaskKHR);
  LOAD(s, vkCmdDispatchBaseKHR);
  LOAD(s, vkBindBufferMemory2KHR);
  EXPECT(s, group.physicalDeviceCount >= 1 && group.physicalDevices[0] == s.physical);

  const VkDeviceGroupCommandBufferBeginInfo mask{VK_STRUCTURE_TYPE_DEVICE_GROUP_COMMAND_BUFFER_BEGIN_INFO, nullptr, 1};
  const VkCommandBufferBeginInfo begins{VK_STRUCTURE_TYPE_COMMAND_BUFFER_BEGIN_INFO, &mask, 0, nullptr};
  CHECK(vkBeginCommandBuffer(s.cmd, &begins));

  // A buffer bound as the group's device 0 sees it.
  MappedBuffer out;
  out.bytes = 64;
  const VkBufferCreateInfo info{.sType = VK_STRUCTURE_TYPE_BUFFER_CREATE_INFO,
                                .size = out.bytes,
                                .usage = VK_BUFFER_USAGE_STORAGE_BUFFER_BIT | VK_BUFFER_USAGE_TRANSFER_SRC_BIT};
  CHECK(vkCreateBuffer(s.device, &info, nullptr, &out.buffer));
  VkMemoryRequirements needs;
  vkGetBufferMemoryRequirements(s.device, out.buffer, &needs);
  const VkMemoryAllocateFlagsInfo flags{VK_STRUCTURE_TYPE_MEMORY_ALLOCATE_FLAGS_INFO, nullptr,
                                        VK_MEMORY_ALLOCATE_DEVICE_MASK_BIT, 1};
  const VkMemoryAllocateInfo allocate{
      VK_STRUCTURE_TYPE_MEMORY_ALLOCATE_INFO, &flags, needs.size,
      memory_type(s, needs.memoryTypeBits, VK_MEMORY_PROPERTY_HOST_VISIBLE_BIT | VK_MEMORY_PROPERTY_HOST_COHERENT_BIT)};
  CHECK(vkAllocateMemory(s.device, &allocate, nullptr, &out.memory));
  const std::uint32_t index = 0;
  const VkBindBufferMemoryDeviceGroupInfo where{VK_STRUCTURE_TYPE_BIND_BUFFER_MEMORY_DEVICE_GROUP_INFO, nullptr, 1,
                                                &index};
  const VkBindBufferMemoryInfo binding{VK_STRUCTURE_TYPE_BIND_BUFFER_MEMORY_INFO, &where, out.buffer, out.memory, 0};
  CHECK(vkBindBufferMemory2KHR(s.device, 1, &binding));
  void* mapped = nullptr;
  CHECK(vkMapMemory(s.device, out.memory, 0, VK_WHOLE_SIZE, 0, &mapped));
  std::memset(mapped, 0, 64);
  out.words = static_cast<std::uint32_t*>(mapped);
  s.at_end.push_back([&] { destroy(s, out); });

  const VkDispatchIndirectCommand sizes[1] = {{3, 1, 1}};
  const MappedBuffer args = buffer_of(s, VK_BUFFER_USAGE_INDIRECT_BUFFER_BIT, sizes);
  const MappedBuffer plain = buffer(s, 64, VK_BUFFER_USAGE_TRANSFER_DST_BIT);
  const Kernel k = create_kernel(s, shader(s, groups_comp_spv), {out}, nullptr, VK_PIPELINE_CREATE_DISPATCH_BASE_BIT);
  bind(s.cmd, k);
  vkCmdSetDeviceMaskKHR(s.cmd, 1);
  // In this order: lavapipe's indirect dispatches keep the base of those before.
  vkCmdDispatchIndirect(s.cmd, args.buffer, 0);
  barrier(s.cmd);
  vkCmdDispatchBaseKHR(s.cmd, 4, 1, 0, 3, 1, 1);
  barrier(s.cmd);
  const VkBufferCopy whole{0, 0, 64};
  vkCmdCopyBuffer(s.cmd, out.buffer, plain.buffer, 1, &whole);
  CHECK(vkEndCommandBuffer(s.cmd));
  const std::uint32_t one = 1;
  const VkDeviceGroupSubmitInfo masks{
      VK_STRUCTURE_TYPE_DEVICE_GROUP_SUBMIT_INFO, nullptr, 0, nullptr, 1, &one, 0, nullptr};
  const VkSubmitInfo batch{
      .sType = VK_STRUCTURE_TYPE_SUBMIT_INFO, .pNext = &masks, .commandBufferCount = 1, .pCommandBuffers = &s.cmd};
  CHECK(vkQueueSubmit(s.queues[0], 1, &batch, s.commands.done));
  wait(s, s.commands);
  EXPECT(s, out.words[4] == 2 && out.words[6] == 2 && out.words[7] == 0);
  EXPECT(s, out.words[0] == 1 && out.words[2] == 1 && out.words[3] == 0);
  EXPECT(s, std::memcmp(out.words, plain.words, 64) == 0);
  add(s, plain);
  return finish(s);
}
