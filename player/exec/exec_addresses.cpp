// SPDX-License-Identifier: Apache-2.0
// Device addresses are the captured ones: programs keep them where nobody can
// change them. The driver is asked for them again, or memory of the player's
// own lies where the captured program's lay.
#include <algorithm>
#include <string_view>
#include <utility>

#include "format/native_view.h"
#include "generated/args.h"
#include "player/plan/swapchain_images.h"
#include "player/run/addresses.h"
#include "player/run/chains.h"
#include "player/run/imports.h"
#include "player/run/run.h"

namespace rondo::player {

namespace {

constexpr VkExternalMemoryHandleTypeFlags kHostPointer = VK_EXTERNAL_MEMORY_HANDLE_TYPE_HOST_ALLOCATION_BIT_EXT;

// The structure of this type in a chain of the run's own scratch: the
// program's, or `ours`, which becomes the first.
template <class T>
T& chained(const void*& chain, T& ours) {
  if (auto* there = const_cast<T*>(find_chained<T>(chain, ours.sType)); there != nullptr) return *there;
  ours.pNext = chain;
  chain = &ours;
  return ours;
}

bool imports_host_pointers(Run& run, const Op& op) {
  return run.targets()[run.device(op).index].has_extension(VK_EXT_EXTERNAL_MEMORY_HOST_EXTENSION_NAME);
}

Result<void> create_buffer(Run& run, const Op& op, std::byte* args) {
  auto& a = as<args_vkCreateBuffer>(args);
  auto& info = const_cast<VkBufferCreateInfo&>(*a.pCreateInfo);
  drop_handles(info.pNext, imports_host_pointers(run, op));
  BufferAddresses addresses;
  addresses.apply(run.plan(), op.subject, info);
  return run.call_checked(op, args);
}

Result<void> create_image(Run& run, const Op& op, std::byte* args) {
  auto& a = as<args_vkCreateImage>(args);
  if (const MadeOfSwapchain made = made_of_swapchain(run.plan(), op.subject); made.swapchain != ObjectId::null) {
    const Result<VkImage> own = image_of_swapchain(run, op, made);
    if (!own) return tl::unexpected<Error>(own.error());
    *a.pImage = *own;
    return {};
  }
  auto& info = const_cast<VkImageCreateInfo&>(*a.pCreateInfo);
  drop_handles(info.pNext, imports_host_pointers(run, op));
  ImagePlaces places;
  places.apply(run.plan(), op.subject, info);
  return run.call_checked(op, args);
}

// Those of a swapchain go with it.
Result<void> destroy_image(Run& run, const Op& op, std::byte* args) {
  const ObjectId image = run.patched_id(op, offset_in(args, &as<args_vkDestroyImage>(args).image));
  if (made_of_swapchain(run.plan(), image).swapchain == ObjectId::null) run.call(op, args);
  return {};
}

// `handle`: of the object that is asked for its address.
Result<void> get_address(Run& run, const Op& op, std::byte* args, const void* handle) {
  if (run.function(op) == nullptr)
    return tl::unexpected<Error>(run.refuse(op, Status::device, "the device does not have this command"));
  const auto address = static_cast<std::uint64_t>(run.call(op, args));
  const auto captured = static_cast<std::uint64_t>(op.captured);
  if (address == captured) return {};
  const ObjectId object = run.patched_id(op, offset_in(args, handle));
  return tl::unexpected<Error>(run.refuse(op, Status::device,
                                          run.plan().full_name(object) + " has the device address " +
                                              address_text(address) + " here and " + address_text(captured) +
                                              " in the capture: what the program stored of it would lead elsewhere"));
}

Result<void> get_buffer_address(Run& run, const Op& op, std::byte* args) {
  return get_address(run, op, args, &as<args_vkGetBufferDeviceAddress>(args).pInfo->buffer);
}

Result<void> get_structure_address(Run& run, const Op& op, std::byte* args) {
  return get_address(run, op, args,
                     &as<args_vkGetAccelerationStructureDeviceAddressKHR>(args).pInfo->accelerationStructure);
}

}  // namespace

bool is_placed(const Plan& plan, ObjectId resource) {
  const std::uint32_t place = plan.place_of(resource);
  if (resource == ObjectId::null || place == kNone) return false;
  const std::uint32_t memory = plan.resources[place].memory;
  return memory != kNone && plan.memories[memory].place != 0;
}

void BufferAddresses::apply(const Plan& plan, ObjectId buffer, VkBufferCreateInfo& info) {
  const std::uint32_t place = plan.place_of(buffer);
  if (buffer == ObjectId::null || place == kNone) return;
  if (const std::uint64_t captured = plan.resources[place].opaque; captured != 0) {
    chained(info.pNext, opaque_).opaqueCaptureAddress = captured;
    info.flags |= VK_BUFFER_CREATE_DEVICE_ADDRESS_CAPTURE_REPLAY_BIT;
  }
  if (is_placed(plan, buffer)) chained(info.pNext, external_).handleTypes |= kHostPointer;
}

void ImagePlaces::apply(const Plan& plan, ObjectId image, VkImageCreateInfo& info) {
  if (is_placed(plan, image)) chained(info.pNext, external_).handleTypes |= kHostPointer;
}

Result<void> MemoryAddress::apply(Run& run, const Op& op, VkMemoryAllocateInfo& info, PlacedMemory& placed) {
  const CapturedMemory& captured = run.plan().memories[run.plan().place_of(op.subject)];
  if (captured.opaque != 0) {
    auto* flags = const_cast<VkMemoryAllocateFlagsInfo*>(find_chained<VkMemoryAllocateFlagsInfo>(
        info.pNext, VK_STRUCTURE_TYPE_MEMORY_ALLOCATE_FLAGS_INFO));  // in this run's scratch
    if (flags == nullptr)
      return tl::unexpected<Error>(
          run.refuse(op, Status::unreadable, "has a captured address, and no device addresses"));
    flags->flags |= VK_MEMORY_ALLOCATE_DEVICE_ADDRESS_CAPTURE_REPLAY_BIT;
    chained(info.pNext, opaque_).opaqueCaptureAddress = captured.opaque;
  }
  if (captured.place == 0) return {};
  const DeviceState& device = run.device(op);
  const VkDeviceSize granule = std::max<VkDeviceSize>(run.targets()[device.index].import_alignment, 4096);
  info.allocationSize = (info.allocationSize + granule - 1) / granule * granule;
  if (captured.place % granule != 0)
    return tl::unexpected<Error>(run.refuse(
        op, Status::device, "the device imports memory at multiples of " + std::to_string(granule) + " only"));
  auto mapped = PlacedMemory::map(captured.place, info.allocationSize);
  if (!mapped) return tl::unexpected<Error>(run.refuse(op, mapped.error().status, mapped.error().message));
  RONDO_TRY(check_importable(run, op, mapped->data(), info.memoryTypeIndex));
  // Imported memory is dedicated to nothing.
  unchain(info.pNext, [](const VkBaseInStructure& structure) {
    return structure.sType == VK_STRUCTURE_TYPE_MEMORY_DEDICATED_ALLOCATE_INFO;
  });
  import_.pHostPointer = mapped->data();
  import_.pNext = info.pNext;
  info.pNext = &import_;
  placed = std::move(*mapped);
  return {};
}

void enable_addresses(const CapturedDevice& captured, VkDeviceCreateInfo& info, std::vector<const char*>& extensions) {
  const auto add = [&](const char* name) {
    const auto same = [&](const char* other) { return std::string_view(other) == name; };
    if (std::none_of(extensions.begin(), extensions.end(), same)) extensions.push_back(name);
  };
  if (captured.places) {
    add(VK_EXT_EXTERNAL_MEMORY_HOST_EXTENSION_NAME);
    if (captured.api_version < VK_API_VERSION_1_1) add(VK_KHR_EXTERNAL_MEMORY_EXTENSION_NAME);
  }
  if (!captured.opaque_addresses) return;
  if (auto* all = const_cast<VkPhysicalDeviceVulkan12Features*>(find_chained<VkPhysicalDeviceVulkan12Features>(
          info.pNext, VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_2_FEATURES));
      all != nullptr)
    all->bufferDeviceAddressCaptureReplay = VK_TRUE;
  else if (auto* one = const_cast<VkPhysicalDeviceBufferDeviceAddressFeatures*>(
               find_chained<VkPhysicalDeviceBufferDeviceAddressFeatures>(
                   info.pNext, VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_BUFFER_DEVICE_ADDRESS_FEATURES));
           one != nullptr)
    one->bufferDeviceAddressCaptureReplay = VK_TRUE;
}

void add_address_executors(std::vector<Executor>& table) {
  table[static_cast<std::size_t>(CommandId::vkCreateBuffer)] = create_buffer;
  table[static_cast<std::size_t>(CommandId::vkCreateImage)] = create_image;
  table[static_cast<std::size_t>(CommandId::vkDestroyImage)] = destroy_image;
  table[static_cast<std::size_t>(CommandId::vkGetBufferDeviceAddress)] = get_buffer_address;
  table[static_cast<std::size_t>(CommandId::vkGetAccelerationStructureDeviceAddressKHR)] = get_structure_address;
}

}  // namespace rondo::player
