// SPDX-License-Identifier: Apache-2.0
// Destroys what a replay left alive, in an order that the validation layer
// accepts: programs leak, and replays end early.
#include <unordered_set>

#include "generated/args.h"
#include "generated/thunks.h"
#include "player/plan/swapchain_images.h"
#include "player/run/pipeline_caches.h"
#include "player/show/presenter.h"

namespace rondo::player {

namespace {

// These go with their pools.
bool dies_with_parent(HandleType type) {
  return type == HandleType::VkCommandBuffer || type == HandleType::VkDescriptorSet || type == HandleType::VkQueue ||
         type == HandleType::VkPhysicalDevice || type == HandleType::VkSwapchainKHR ||
         type == HandleType::VkSurfaceKHR || type == HandleType::VkDevice || type == HandleType::VkInstance;
}

void destroy(const Dispatch& dispatch, VkDevice device, HandleType type, std::uint64_t handle) {
  const CommandId id = codec::info(type).destroy;
  if (id == CommandId::none || dispatch.at(id) == nullptr || handle == 0) return;
  // Every vkDestroy* of a device's object has this shape.
  struct {
    VkDevice device;
    std::uint64_t handle;
    const VkAllocationCallbacks* allocator;
  } args{device, handle, nullptr};
  static_assert(sizeof args == sizeof(args_vkDestroyBuffer));
  invoke(id, dispatch.at(id), &args);
}

}  // namespace

Result<void> Run::release_device(std::uint32_t index, bool destroy_device) {
  if (devices_[index] == nullptr) return {};
  RONDO_TRY(finish_work(index));
  DeviceState& device = *devices_[index];
  const Dispatch& vk = device.dispatch;
  device.readbacks.clear();
  device.one_shots.clear();
  if (presenter_ != nullptr) presenter_->release_device(index);

  const auto& objects = plan_.objects.objects();
  const ObjectId own = plan_.devices[index].id;
  const auto is_ours = [&](ObjectId id) { return objects[id].device == own && slots_[index_of(id)] != 0; };
  // Swapchain images are the virtual swapchain's to destroy.
  const auto is_swapchain_image = [&](ObjectId id) { return swapchain_of(plan_, id) != ObjectId::null; };
  for (const auto& [id, handle] : shared_)
    if (objects[id].device == own && !dies_with_parent(objects[id].type))
      rondo::player::destroy(vk, device.handle, objects[id].type, handle);
  std::erase_if(shared_, [&](const auto& s) { return objects[s.first].device == own; });
  for (auto& [pool, overflow] : overflow_) {
    if (objects[pool].device != own) continue;
    for (VkDescriptorPool p : overflow.pools) vk.vkDestroyDescriptorPool(device.handle, p, nullptr);
    overflow.pools.clear();
    overflow.home.clear();
  }
  // Youngest first, memory after what is bound to it.
  for (const bool memory : {false, true}) {
    for (std::size_t i = slots_.size(); i-- > 1;) {
      const ObjectId id = object_at(i);
      if (!is_ours(id) || dies_with_parent(objects[id].type) || is_swapchain_image(id)) continue;
      if ((objects[id].type == HandleType::VkDeviceMemory) != memory) continue;
      if (objects[id].type == HandleType::VkSemaphore) await_timeline(device, id);
      rondo::player::destroy(vk, device.handle, objects[id].type, slots_[index_of(id)]);
      slots_[index_of(id)] = 0;
    }
  }
  for (std::size_t i = 0; i < memories_.size(); ++i)
    if (plan_.memories[i].device == index) memories_[i] = {};
  for (auto& swapchain : swapchains_) {
    if (swapchain == nullptr || plan_.swapchains[swapchain->place].device != index) continue;
    destroy_virtual_swapchain(device, *swapchain);
    swapchain.reset();
  }
  for (VkFence fence : device.pending_fences) vk.vkDestroyFence(device.handle, fence, nullptr);
  device.pending_fences.clear();
  std::erase_if(watches_, [&](const auto& watch) { return plan_.ops[watch.first].device == device.index; });
  for (VkSemaphore semaphore : device.payloads) vk.vkDestroySemaphore(device.handle, semaphore, nullptr);
  device.payloads.clear();
  for (VkCommandPool pool : device.own_command_pools) vk.vkDestroyCommandPool(device.handle, pool, nullptr);
  device.own_command_pools.clear();
  for (VkQueryPool pool : device.own_query_pools) vk.vkDestroyQueryPool(device.handle, pool, nullptr);
  device.own_query_pools.clear();
  if (options_.caches != nullptr) options_.caches->keep(device);
  for (const ObjectId id : all_ids(slots_.size()))
    if (objects[id].device == own) slots_[index_of(id)] = 0;
  if (destroy_device) {
    if (device.holds_profiling_lock) vk.vkReleaseProfilingLockKHR(device.handle);
    vk.vkDestroyDevice(device.handle, nullptr);
    slots_[index_of(own)] = 0;
    devices_[index].reset();
  }
  return {};
}

Result<void> Run::release_objects(const std::vector<ObjectId>& ids) {
  const auto& objects = plan_.objects.objects();
  const std::unordered_set<ObjectId> all(ids.begin(), ids.end());
  const auto is_one = [&](ObjectId id) { return all.count(id) != 0; };
  for (const ObjectId id : ids) {
    const Object& object = objects[id];
    const std::uint64_t handle = slots_[index_of(id)];
    if (handle == 0) continue;
    if (object.type == HandleType::VkInstance) {
      RONDO_TRY(release_instance(id, true));
      continue;
    }
    const std::uint32_t index = plan_.place_of(object.type == HandleType::VkDevice ? id : object.device);
    if (index >= devices_.size() || devices_[index] == nullptr) continue;
    if (object.type == HandleType::VkDevice) {
      RONDO_TRY(release_device(index, true));
      continue;
    }
    DeviceState& device = *devices_[index];
    const Dispatch& vk = device.dispatch;
    const std::uint32_t place = plan_.place_of(id);
    slots_[index_of(id)] = 0;
    switch (object.type) {
      case HandleType::VkCommandBuffer: {
        if (is_one(object.parent)) break;
        const auto commands = reinterpret_cast<VkCommandBuffer>(handle);
        vk.vkFreeCommandBuffers(device.handle, reinterpret_cast<VkCommandPool>(slots_[index_of(object.parent)]), 1,
                                &commands);
        break;
      }
      case HandleType::VkDescriptorSet: {
        if (is_one(object.parent)) break;
        const auto set = reinterpret_cast<VkDescriptorSet>(handle);
        auto pool = reinterpret_cast<VkDescriptorPool>(slots_[index_of(object.parent)]);
        if (OverflowPools* more = overflow(object.parent); more != nullptr)
          if (const auto home = more->home.find(set); home != more->home.end()) {
            pool = home->second;
            more->home.erase(home);
          }
        vk.vkFreeDescriptorSets(device.handle, pool, 1, &set);
        break;
      }
      case HandleType::VkSwapchainKHR:
        if (auto& swapchain = swapchains_[place]; swapchain != nullptr) {
          if (presenter_ != nullptr) presenter_->closing(*swapchain);
          destroy_virtual_swapchain(device, *swapchain);
          swapchain.reset();
        }
        break;
      case HandleType::VkImage:
        if (swapchain_of(plan_, id) != ObjectId::null) break;
        rondo::player::destroy(vk, device.handle, object.type, handle);
        break;
      case HandleType::VkDescriptorPool:
        if (OverflowPools* more = overflow(id); more != nullptr) {
          for (VkDescriptorPool pool : more->pools) vk.vkDestroyDescriptorPool(device.handle, pool, nullptr);
          overflow_.erase(id);
        }
        rondo::player::destroy(vk, device.handle, object.type, handle);
        break;
      case HandleType::VkDeviceMemory: {
        MemoryState gone;  // what lies at a place stays there until the driver has let go of it
        if (place != kNone) {
          std::swap(gone, memories_[place]);
          substitutes_.forget_places(place);
        }
        rondo::player::destroy(vk, device.handle, object.type, handle);
        break;
      }
      case HandleType::VkSemaphore:
        await_timeline(device, id);
        rondo::player::destroy(vk, device.handle, object.type, handle);
        break;
      default:
        rondo::player::destroy(vk, device.handle, object.type, handle);
        break;
    }
  }
  std::erase_if(shared_, [&](const auto& s) { return is_one(s.first); });
  return {};
}

Result<void> Run::release_instance(ObjectId id, bool destroy_instance) {
  InstanceState& instance = instances_[plan_.place_of(id)];
  if (instance.handle == VK_NULL_HANDLE) return {};
  for (std::uint32_t i = 0; i < devices_.size(); ++i)
    if (plan_.devices[i].instance == id) RONDO_TRY(release_device(i, true));
  if (!destroy_instance) return {};
  if (presenter_ != nullptr) presenter_->release_instance(id);
  if (instance.messenger != VK_NULL_HANDLE)
    instance.dispatch.vkDestroyDebugUtilsMessengerEXT(instance.handle, instance.messenger, nullptr);
  instance.dispatch.vkDestroyInstance(instance.handle, nullptr);
  instance = {};
  slots_[index_of(id)] = 0;
  return {};
}

}  // namespace rondo::player
