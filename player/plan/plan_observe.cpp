// SPDX-License-Identifier: Apache-2.0
// What records say about the captured devices and their memory.
#include <algorithm>
#include <string_view>

#include "generated/args.h"
#include "player/plan/plan_builder.h"
#include "player/plan/swapchain_images.h"

namespace rondo::player {

void PlanBuilder::set_place(ObjectId id, std::size_t index) {
  if (plan_->place.size() <= index_of(id)) plan_->place.resize(index_of(id) + 1, kNone);
  plan_->place[index_of(id)] = static_cast<std::uint32_t>(index);
}

std::uint32_t PlanBuilder::device_of(ObjectId id) const {
  const auto& objects = plan_->objects.objects();
  while (id != ObjectId::null && objects[id].type != HandleType::VkDevice) id = objects[id].parent;
  return id == ObjectId::null ? kNone : plan_->place_of(id);
}

CapturedPhysicalDevice& PlanBuilder::physical(ObjectId id) {
  if (plan_->place_of(id) == kNone) {
    set_place(id, plan_->physical_devices.size());
    plan_->physical_devices.emplace_back().id = id;
  }
  return plan_->physical_devices[plan_->place_of(id)];
}

std::uint32_t PlanBuilder::add_resource(ObjectId id, bool image, VkDeviceSize bytes) {
  if (plan_->place_of(id) != kNone) return plan_->place_of(id);
  CapturedResource resource;
  resource.id = id;
  resource.device = device_of(id);
  resource.image = image;
  resource.bytes = bytes;
  resource.create_op = static_cast<std::uint32_t>(plan_->ops.size());
  set_place(id, plan_->resources.size());
  plan_->resources.push_back(resource);
  return plan_->place_of(id);
}

void PlanBuilder::note_bind(ObjectId resource, ObjectId memory, VkDeviceSize offset) {
  const std::uint32_t r = plan_->place_of(resource), m = plan_->place_of(memory);
  if (resource == ObjectId::null || memory == ObjectId::null || r == kNone || m == kNone) return;
  plan_->resources[r].memory = m;
  plan_->resources[r].offset = offset;
  plan_->resources[r].bound = true;
  plan_->memories[m].resources.push_back(r);
}

ObjectId PlanBuilder::subject_of(const codec::CommandInfo& command) const {
  switch (command.canonical) {
    case CommandId::rondoHostWrite:
      return view_.id(&view_.as<args_rondoHostWrite>().memory);
    case CommandId::rondoMemoryContents:
      return view_.id(&view_.as<args_rondoMemoryContents>().memory);
    case CommandId::rondoCheckpointMemory:
      return view_.id(&view_.as<args_rondoCheckpointMemory>().memory);
    case CommandId::rondoCheckpointImage:
      return view_.id(&view_.as<args_rondoCheckpointImage>().swapchain);
    case CommandId::rondoCheckpointBuffers:
      return view_.id(&view_.as<args_rondoCheckpointBuffers>().queue);
    case CommandId::rondoCheckpointSubresources:
      return view_.id(&view_.as<args_rondoCheckpointSubresources>().queue);
    case CommandId::vkFreeMemory:
      return view_.id(&view_.as<args_vkFreeMemory>().memory);
    case CommandId::vkBindBufferMemory:
      return view_.id(&view_.as<args_vkBindBufferMemory>().buffer);
    case CommandId::vkBindImageMemory:
      return view_.id(&view_.as<args_vkBindImageMemory>().image);
    case CommandId::vkAcquireNextImageKHR:
      return view_.id(&view_.as<args_vkAcquireNextImageKHR>().swapchain);
    case CommandId::vkDestroySwapchainKHR:
      return view_.id(&view_.as<args_vkDestroySwapchainKHR>().swapchain);
    case CommandId::vkAllocateDescriptorSets: {
      const auto* info = view_.as<args_vkAllocateDescriptorSets>().pAllocateInfo;
      return info == nullptr ? ObjectId::null : view_.id(&info->descriptorPool);
    }
    case CommandId::vkFreeDescriptorSets:
      return view_.id(&view_.as<args_vkFreeDescriptorSets>().descriptorPool);
    case CommandId::vkResetDescriptorPool:
      return view_.id(&view_.as<args_vkResetDescriptorPool>().descriptorPool);
    case CommandId::vkDestroyDescriptorPool:
      return view_.id(&view_.as<args_vkDestroyDescriptorPool>().descriptorPool);
    default:
      break;
  }
  // Creates are about what they make, also where the value was known before.
  for (std::size_t i = 0; i < lowered_.handles.size(); ++i)
    if ((lowered_.handles[i].flags & codec::kCreated) != 0 && resolution_.ids[i] != ObjectId::null)
      return resolution_.ids[i];
  return ObjectId::null;
}

Result<void> PlanBuilder::observe(const Record& record, const codec::CommandInfo& command) {
  // Failed, or the process died in it: it says nothing, and nothing is played.
  if (!model::succeeded(command, record)) return {};
  if (command.returns == codec::Returns::result && !record.has_return) return {};
  observe_name(command);
  RONDO_TRY(observe_device(record, command));
  RONDO_TRY(observe_memory(record, command));
  RONDO_TRY(observe_requirements(command));
  RONDO_TRY(observe_limits(record, command));
  observe_times(command);
  return observe_swapchain(record, command);
}

void PlanBuilder::observe_name(const codec::CommandInfo& command) { take_name(plan_->debug_names, command, view_); }

namespace {

void note_families(CapturedPhysicalDevice& device, std::uint32_t count, const VkQueueFamilyProperties* families) {
  if (families == nullptr || count <= device.families.size()) return;
  device.families.assign(families, families + count);
}

}  // namespace

Result<void> PlanBuilder::observe_device(const Record& record, const codec::CommandInfo& command) {
  Plan& plan = *plan_;
  // Every other command here names a physical device first.
  if (command.level == codec::Level::physical_device &&
      (resolution_.ids.empty() || resolution_.ids[0] == ObjectId::null))
    return {};
  switch (command.canonical) {
    case CommandId::vkCreateInstance: {
      const auto* info = view_.as<args_vkCreateInstance>().pCreateInfo;
      const ObjectId id = subject_of(command);
      if (info == nullptr || id == ObjectId::null) break;
      set_place(id, plan.instances.size());
      plan.instances.push_back(id);
      const auto* app = info->pApplicationInfo;
      api_versions_[id] = app != nullptr && app->apiVersion != 0 ? app->apiVersion : VK_API_VERSION_1_0;
      break;
    }
    case CommandId::vkGetPhysicalDeviceProperties: {
      const auto& args = view_.as<args_vkGetPhysicalDeviceProperties>();
      if (args.pProperties == nullptr) break;
      CapturedPhysicalDevice& device = physical(resolution_.ids[0]);
      device.properties = *args.pProperties;
      device.has_properties = true;
      break;
    }
    case CommandId::vkGetPhysicalDeviceProperties2: {
      const auto& args = view_.as<args_vkGetPhysicalDeviceProperties2>();
      if (args.pProperties == nullptr) break;
      CapturedPhysicalDevice& device = physical(resolution_.ids[0]);
      device.properties = args.pProperties->properties;
      if (const auto* meshes = find_chained<VkPhysicalDeviceMeshShaderPropertiesEXT>(
              args.pProperties->pNext, VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_MESH_SHADER_PROPERTIES_EXT))
        device.meshes = *meshes;
#ifdef VK_EXT_host_image_copy
      if (const auto* layout = find_chained<VkPhysicalDeviceHostImageCopyPropertiesEXT>(
              args.pProperties->pNext, VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_HOST_IMAGE_COPY_PROPERTIES_EXT))
        std::copy(std::begin(layout->optimalTilingLayoutUUID), std::end(layout->optimalTilingLayoutUUID),
                  device.image_layout.begin());
#endif
      device.has_properties = true;
      break;
    }
    case CommandId::vkGetPhysicalDeviceMemoryProperties: {
      const auto& args = view_.as<args_vkGetPhysicalDeviceMemoryProperties>();
      if (args.pMemoryProperties == nullptr) break;
      CapturedPhysicalDevice& device = physical(resolution_.ids[0]);
      device.memory = *args.pMemoryProperties;
      device.has_memory = true;
      break;
    }
    case CommandId::vkGetPhysicalDeviceMemoryProperties2: {
      const auto& args = view_.as<args_vkGetPhysicalDeviceMemoryProperties2>();
      if (args.pMemoryProperties == nullptr) break;
      CapturedPhysicalDevice& device = physical(resolution_.ids[0]);
      device.memory = args.pMemoryProperties->memoryProperties;
      device.has_memory = true;
      break;
    }
    case CommandId::vkGetPhysicalDeviceQueueFamilyProperties: {
      const auto& args = view_.as<args_vkGetPhysicalDeviceQueueFamilyProperties>();
      if (args.pQueueFamilyPropertyCount != nullptr)
        note_families(physical(resolution_.ids[0]), *args.pQueueFamilyPropertyCount, args.pQueueFamilyProperties);
      break;
    }
    case CommandId::vkGetPhysicalDeviceQueueFamilyProperties2: {
      const auto& args = view_.as<args_vkGetPhysicalDeviceQueueFamilyProperties2>();
      if (args.pQueueFamilyPropertyCount == nullptr || args.pQueueFamilyProperties == nullptr) break;
      std::vector<VkQueueFamilyProperties> families;
      for (std::uint32_t i = 0; i < *args.pQueueFamilyPropertyCount; ++i)
        families.push_back(args.pQueueFamilyProperties[i].queueFamilyProperties);
      note_families(physical(resolution_.ids[0]), static_cast<std::uint32_t>(families.size()), families.data());
      break;
    }
    case CommandId::vkCreateDevice: {
      const auto* info = view_.as<args_vkCreateDevice>().pCreateInfo;
      const ObjectId id = subject_of(command);
      if (info == nullptr || id == ObjectId::null)
        return tl::unexpected<Error>(at(record, Status::unreadable, "vkCreateDevice without its parameters"));
      const auto* group =
          find_chained<VkDeviceGroupDeviceCreateInfo>(info->pNext, VK_STRUCTURE_TYPE_DEVICE_GROUP_DEVICE_CREATE_INFO);
      if (group != nullptr && group->physicalDeviceCount > 1)
        return tl::unexpected<Error>(at(record, Status::failed,
                                        "vkCreateDevice of several physical devices (VkDeviceGroupDeviceCreateInfo) "
                                        "is not replayed"));
      physical(resolution_.ids[0]);
      CapturedDevice device;
      device.id = id;
      device.physical = plan.place_of(resolution_.ids[0]);
      device.instance = plan.objects.objects()[resolution_.ids[0]].parent;
      if (const auto version = api_versions_.find(device.instance); version != api_versions_.end())
        device.api_version = version->second;
      for (std::uint32_t i = 0; i < info->enabledExtensionCount; ++i)
        device.extensions.emplace_back(info->ppEnabledExtensionNames[i]);
      for (std::uint32_t i = 0; i < info->queueCreateInfoCount; ++i) {
        const VkDeviceQueueCreateInfo& queue = info->pQueueCreateInfos[i];
        device.queues.push_back({queue.queueFamilyIndex, queue.queueCount, queue.flags});
      }
      if (info->pEnabledFeatures != nullptr) {
        VkPhysicalDeviceFeatures2 features{};
        features.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_FEATURES_2;
        features.features = *info->pEnabledFeatures;
        const auto* first = reinterpret_cast<const std::byte*>(&features);
        device.features.push_back({StructId::VkPhysicalDeviceFeatures2, {first, first + sizeof features}});
      }
      for (const codec::StructRef& chained : lowered_.chained) {
        const codec::StructInfo& structure = codec::info(chained.id);
        if (!structure.features && chained.id != StructId::VkPhysicalDeviceFeatures2) continue;
        const std::byte* first = view_.at(chained.offset);
        device.features.push_back({chained.id, {first, first + structure.size}});
      }
      set_place(id, plan.devices.size());
      plan.devices.push_back(std::move(device));
      device_commands_.emplace_back();
      break;
    }
    default:
      break;
  }
  return {};
}

Result<void> PlanBuilder::observe_swapchain(const Record& record, const codec::CommandInfo& command) {
  Plan& plan = *plan_;
  const auto use = [&](ObjectId swapchain, std::uint32_t index) -> Result<void> {
    const std::uint32_t place = plan.place_of(swapchain);
    if (place == kNone) return {};
    if (index >= 64)
      return tl::unexpected<Error>(
          at(record, Status::unreadable, "swapchain image " + std::to_string(index) + " cannot be"));
    auto& images = plan.swapchains[place].images;
    if (images.size() <= index) images.resize(index + 1);
    return {};
  };
  switch (command.canonical) {
    case CommandId::vkCreateSwapchainKHR: {
      const ObjectId id = subject_of(command);
      if (id == ObjectId::null) break;
      CapturedSwapchain swapchain;
      swapchain.id = id;
      swapchain.device = device_of(id);
      swapchain.create_op = static_cast<std::uint32_t>(plan.ops.size());
      set_place(id, plan.swapchains.size());
      plan.swapchains.push_back(std::move(swapchain));
      if (const auto* info = view_.as<args_vkCreateSwapchainKHR>().pCreateInfo; info != nullptr) {
        plan.swapchains.back().surface = view_.id(&info->surface);
        RONDO_TRY(use(id, std::max(info->minImageCount, 1u) - 1));
      }
      break;
    }
    case CommandId::vkGetSwapchainImagesKHR: {
      const auto& args = view_.as<args_vkGetSwapchainImagesKHR>();
      const ObjectId id = view_.id(&args.swapchain);
      if (args.pSwapchainImages == nullptr || args.pSwapchainImageCount == nullptr) break;
      for (std::uint32_t i = 0; i < *args.pSwapchainImageCount; ++i) {
        RONDO_TRY(use(id, i));
        if (plan.place_of(id) != kNone)
          plan.swapchains[plan.place_of(id)].images[i] = view_.id(&args.pSwapchainImages[i]);
      }
      break;
    }
    case CommandId::vkCreateImage: {
      const auto* info = view_.as<args_vkCreateImage>().pCreateInfo;
      const auto* of = info == nullptr ? nullptr
                                       : find_chained<VkImageSwapchainCreateInfoKHR>(
                                             info->pNext, VK_STRUCTURE_TYPE_IMAGE_SWAPCHAIN_CREATE_INFO_KHR);
      if (const ObjectId swapchain = of != nullptr ? view_.id(&of->swapchain) : ObjectId::null;
          swapchain != ObjectId::null)
        note_made_of_swapchain(plan, subject_of(command), {swapchain, kNone});
      break;
    }
    case CommandId::vkBindImageMemory2: {
      const auto& args = view_.as<args_vkBindImageMemory2>();
      for (std::uint32_t i = 0; args.pBindInfos != nullptr && i < args.bindInfoCount; ++i) {
        const auto* of = find_chained<VkBindImageMemorySwapchainInfoKHR>(
            args.pBindInfos[i].pNext, VK_STRUCTURE_TYPE_BIND_IMAGE_MEMORY_SWAPCHAIN_INFO_KHR);
        const ObjectId image = view_.id(&args.pBindInfos[i].image);
        MadeOfSwapchain made = made_of_swapchain(plan, image);
        if (of == nullptr || made.swapchain == ObjectId::null) continue;
        RONDO_TRY(use(made.swapchain, of->imageIndex));
        made.index = of->imageIndex;
        note_made_of_swapchain(plan, image, made);
      }
      break;
    }
    case CommandId::vkAcquireNextImageKHR: {
      const auto& args = view_.as<args_vkAcquireNextImageKHR>();
      const bool got_one = record.return_value == VK_SUCCESS || record.return_value == VK_SUBOPTIMAL_KHR;
      if (got_one && args.pImageIndex != nullptr) return use(view_.id(&args.swapchain), *args.pImageIndex);
      break;
    }
    case CommandId::vkQueuePresentKHR: {
      const auto* info = view_.as<args_vkQueuePresentKHR>().pPresentInfo;
      if (info == nullptr || info->pSwapchains == nullptr || info->pImageIndices == nullptr) break;
      for (std::uint32_t i = 0; i < info->swapchainCount; ++i) {
        const ObjectId id = view_.id(&info->pSwapchains[i]);
        RONDO_TRY(use(id, info->pImageIndices[i]));
        if (const std::uint32_t place = plan.place_of(id);
            place != kNone && plan.swapchains[place].present_queue == ObjectId::null)
          plan.swapchains[place].present_queue = resolution_.ids[0];
      }
      break;
    }
    default:
      break;
  }
  return {};
}

}  // namespace rondo::player
