// SPDX-License-Identifier: Apache-2.0
// The device and its queues.
#include <set>

#include "tests/icd/chain.h"
#include "tests/icd/install.h"
#include "tests/icd/physical_device.h"
#include "tests/icd/queue.h"
#include "tests/icd/state.h"

namespace fake {

namespace {

void check_create(Call&, const args_vkCreateDevice& a) {
  const VkDeviceCreateInfo& info = *a.pCreateInfo;
  const auto families = queue_families();
  std::set<std::uint32_t> seen;
  for (std::uint32_t i = 0; i < info.queueCreateInfoCount; ++i) {
    const VkDeviceQueueCreateInfo& q = info.pQueueCreateInfos[i];
    if (q.queueFamilyIndex >= families.size()) return violation("queueFamilyIndex is none of the device's");
    if (q.queueCount == 0 || q.queueCount > families[q.queueFamilyIndex].queueCount)
      return violation("queueCount is 0 or more than the family has");
    if (!seen.insert(q.queueFamilyIndex).second) return violation("two VkDeviceQueueCreateInfo have the same family");
    for (std::uint32_t k = 0; k < q.queueCount; ++k)
      if (!(q.pQueuePriorities[k] >= 0 && q.pQueuePriorities[k] <= 1))
        return harmless("a queue priority is outside 0 to 1");
  }
  if (chained<VkPhysicalDeviceFeatures2>(info) != nullptr && info.pEnabledFeatures != nullptr)
    violation("pEnabledFeatures is given beside VkPhysicalDeviceFeatures2");
}

VkResult create(Call&, args_vkCreateDevice& a) {
  const VkDeviceCreateInfo& info = *a.pCreateInfo;
  auto device = std::make_shared<Device>();
  device->physical = get<PhysicalDevice>(a.physicalDevice);
  for (std::uint32_t i = 0; i < info.enabledExtensionCount; ++i) {
    if (!has_extension(info.ppEnabledExtensionNames[i], true)) return VK_ERROR_EXTENSION_NOT_PRESENT;
    device->extensions.emplace_back(info.ppEnabledExtensionNames[i]);
  }
  if (info.pEnabledFeatures != nullptr) device->features = *info.pEnabledFeatures;
  if (const auto* all = chained<VkPhysicalDeviceFeatures2>(info)) device->features = all->features;
  if (missing_feature(device->features) != nullptr) return VK_ERROR_FEATURE_NOT_PRESENT;
  for (auto* s = static_cast<const VkBaseInStructure*>(info.pNext); s != nullptr; s = s->pNext)
    if (s->sType != VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_FEATURES_2 && missing_feature(s) != nullptr)
      return VK_ERROR_FEATURE_NOT_PRESENT;
  if (const auto* f = chained<VkPhysicalDeviceVulkan12Features>(info))
    device->capture_replay = f->bufferDeviceAddressCaptureReplay == VK_TRUE;
  if (const auto* f = chained<VkPhysicalDeviceBufferDeviceAddressFeatures>(info))
    device->capture_replay = f->bufferDeviceAddressCaptureReplay == VK_TRUE;
  if (const auto* f = chained<VkPhysicalDevicePerformanceQueryFeaturesKHR>(info)) {
    device->counts = f->performanceCounterQueryPools == VK_TRUE;
    device->counts_in_several_pools = f->performanceCounterMultipleQueryPools == VK_TRUE;
  }
  device->is_first = history().first_device();
  *a.pDevice = as_handle<VkDevice>(publish(device, device->physical->parent));
  const auto families = queue_families();
  for (std::uint32_t i = 0; i < info.queueCreateInfoCount; ++i)
    for (std::uint32_t k = 0; k < info.pQueueCreateInfos[i].queueCount; ++k) {
      auto queue = std::make_shared<Queue>();
      queue->family = info.pQueueCreateInfos[i].queueFamilyIndex;
      queue->index = k;
      queue->capabilities = families[queue->family].queueFlags;
      publish(queue, device);
      device->queues.push_back(std::move(queue));
    }
  return VK_SUCCESS;
}

void check_destroy_device(Call& call, const args_vkDestroyDevice&) {
  if (call.device == nullptr) return;
  for (const auto& object : objects_of(*call.device)) {
    if (object->pending != 0)
      violation(std::string("a ") + rondo::codec::info(object->type).name + " is in use by work that is not finished");
    if (settings().leaks && object->type != HandleType::VkQueue)
      violation(std::string("a ") + rondo::codec::info(object->type).name + " of the device is still alive");
  }
}

void destroy(Call& call, args_vkDestroyDevice&) {
  if (call.device == nullptr) return;
  for (const auto& queue : call.device->queues) stop(*queue);
  for (const auto& object : objects_of(*call.device)) {
    object->references = 1;
    retire(object->type, object->handle);
  }
  call.device->queues.clear();
  retire(Device::kType, call.device->handle);
}

std::shared_ptr<Queue> find_queue(const Device& device, std::uint32_t family, std::uint32_t index) {
  for (const auto& queue : device.queues)
    if (queue->family == family && queue->index == index) return queue;
  return nullptr;
}

void check_queue(Call& call, const args_vkGetDeviceQueue& a) {
  if (find_queue(*call.device, a.queueFamilyIndex, a.queueIndex) == nullptr)
    violation("the device was created without this queue");
}
void get_queue(Call& call, args_vkGetDeviceQueue& a) {
  *a.pQueue = as_handle<VkQueue>(find_queue(*call.device, a.queueFamilyIndex, a.queueIndex)->handle);
}
void check_queue2(Call& call, const args_vkGetDeviceQueue2& a) {
  if (find_queue(*call.device, a.pQueueInfo->queueFamilyIndex, a.pQueueInfo->queueIndex) == nullptr)
    violation("the device was created without this queue");
}
void get_queue2(Call& call, args_vkGetDeviceQueue2& a) {
  *a.pQueue =
      as_handle<VkQueue>(find_queue(*call.device, a.pQueueInfo->queueFamilyIndex, a.pQueueInfo->queueIndex)->handle);
}

void peer_memory(Call&, args_vkGetDeviceGroupPeerMemoryFeatures& a) {
  *a.pPeerMemoryFeatures = VK_PEER_MEMORY_FEATURE_COPY_SRC_BIT | VK_PEER_MEMORY_FEATURE_COPY_DST_BIT |
                           VK_PEER_MEMORY_FEATURE_GENERIC_SRC_BIT | VK_PEER_MEMORY_FEATURE_GENERIC_DST_BIT;
}

VkResult create_slot(Call& call, args_vkCreatePrivateDataSlot& a) {
  *a.pPrivateDataSlot = as_handle<VkPrivateDataSlot>(publish(std::make_shared<PrivateDataSlot>(), call.device));
  return VK_SUCCESS;
}
VkResult set_private_data(Call&, args_vkSetPrivateData& a) {
  const auto slot = get<PrivateDataSlot>(a.privateDataSlot);
  const std::lock_guard lock(slot->mutex);
  slot->values[{a.objectType, a.objectHandle}] = a.data;
  return VK_SUCCESS;
}
void get_private_data(Call&, args_vkGetPrivateData& a) {
  const auto slot = get<PrivateDataSlot>(a.privateDataSlot);
  const std::lock_guard lock(slot->mutex);
  const auto found = slot->values.find({a.objectType, a.objectHandle});
  *a.pData = found == slot->values.end() ? 0 : found->second;
}

}  // namespace

void install_device(Table& table) {
  table.behave<create_slot>(CommandId::vkCreatePrivateDataSlot);
  table.behave<set_private_data>(CommandId::vkSetPrivateData);
  table.behave<get_private_data>(CommandId::vkGetPrivateData);
  table.check<check_create>(CommandId::vkCreateDevice);
  table.behave<create>(CommandId::vkCreateDevice);
  table.check<check_destroy_device>(CommandId::vkDestroyDevice);
  table.behave<destroy>(CommandId::vkDestroyDevice);
  table.check<check_queue>(CommandId::vkGetDeviceQueue);
  table.behave<get_queue>(CommandId::vkGetDeviceQueue);
  table.check<check_queue2>(CommandId::vkGetDeviceQueue2);
  table.behave<get_queue2>(CommandId::vkGetDeviceQueue2);
  table.behave<peer_memory>(CommandId::vkGetDeviceGroupPeerMemoryFeatures);
}

}  // namespace fake
