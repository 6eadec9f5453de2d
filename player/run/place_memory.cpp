// SPDX-License-Identifier: Apache-2.0
// Asks the target what the captured buffers and images need, and lays the
// captured allocations out for it: before anything is submitted.
#include <algorithm>
#include <cstring>
#include <string_view>
#include <unordered_map>

#include "format/printable.h"
#include "generated/args.h"
#include "model/gpu/texels.h"
#include "player/devices/preflight.h"
#include "player/run/addresses.h"
#include "player/run/imports.h"
#include "player/run/run.h"

namespace rondo::player {

namespace {

struct Requirements {
  VkMemoryRequirements needs{};
  bool linear = true;
  Rows rows;
  std::vector<VkSparseImageMemoryRequirements> kinds;  // of sparse images
};

class Measurer {
 public:
  Measurer(Run& run, DeviceState& device)
      : run_(run),
        device_(device),
        imports_(run.targets()[device.index].has_extension(VK_EXT_EXTERNAL_MEMORY_HOST_EXTENSION_NAME)) {}

  // Creates the resource as the replay will, asks, destroys it.
  Result<Requirements> measure(const CapturedResource& resource) {
    const Op& op = run_.plan().ops[resource.create_op];
    const std::string_view key(reinterpret_cast<const char*>(run_.plan().arena.at(op.block)), op.block_bytes);
    auto& known_here = known_[is_placed(run_.plan(), resource.id) ? 1 : 0];
    if (const auto known = known_here.find(key); known != known_here.end()) return known->second;
    std::vector<std::byte> args = run_.prepared_copy(op);
    const Dispatch& vk = device_.dispatch;
    Requirements measured;
    if (resource.image) {
      auto& info = const_cast<VkImageCreateInfo&>(*as<args_vkCreateImage>(args.data()).pCreateInfo);
      drop_handles(info.pNext, imports_);
      ImagePlaces places;
      places.apply(run_.plan(), resource.id, info);
      VkImage image = VK_NULL_HANDLE;
      if (VkResult r = vk.vkCreateImage(device_.handle, &info, nullptr, &image); r < 0)
        return tl::unexpected<Error>(run_.failure(op, r));
      vk.vkGetImageMemoryRequirements(device_.handle, image, &measured.needs);
      measured.linear = info.tiling == VK_IMAGE_TILING_LINEAR;
      if (measured.linear) {
        const VkImageSubresource first{
            static_cast<VkImageAspectFlags>(gpu::is_planar(info.format) ? VK_IMAGE_ASPECT_PLANE_0_BIT
                                                                        : VK_IMAGE_ASPECT_COLOR_BIT),
            0, 0};
        VkSubresourceLayout layout{};
        vk.vkGetImageSubresourceLayout(device_.handle, image, &first, &layout);
        measured.rows = {layout.rowPitch, layout.offset};
      }
      if ((info.flags & VK_IMAGE_CREATE_SPARSE_RESIDENCY_BIT) != 0) {
        std::uint32_t count = 0;
        vk.vkGetImageSparseMemoryRequirements(device_.handle, image, &count, nullptr);
        measured.kinds.resize(count);
        vk.vkGetImageSparseMemoryRequirements(device_.handle, image, &count, measured.kinds.data());
      }
      vk.vkDestroyImage(device_.handle, image, nullptr);
    } else {
      auto& info = const_cast<VkBufferCreateInfo&>(*as<args_vkCreateBuffer>(args.data()).pCreateInfo);
      drop_handles(info.pNext, imports_);
      BufferAddresses addresses;
      addresses.apply(run_.plan(), resource.id, info);
      VkBuffer buffer = VK_NULL_HANDLE;
      if (VkResult r = vk.vkCreateBuffer(device_.handle, &info, nullptr, &buffer); r < 0)
        return tl::unexpected<Error>(run_.failure(op, r));
      vk.vkGetBufferMemoryRequirements(device_.handle, buffer, &measured.needs);
      vk.vkDestroyBuffer(device_.handle, buffer, nullptr);
    }
    known_here.emplace(key, measured);
    return measured;
  }

 private:
  Run& run_;
  DeviceState& device_;
  bool imports_;  // host pointers
  // By block: the plan's bytes, alike but for handles; what is at a place apart.
  std::unordered_map<std::string_view, Requirements> known_[2];
};

bool is_played(const Plan& plan, const CapturedResource& resource) {
  // Else made behind the end of what is played.
  return resource.create_op < plan.ops.size() && plan.ops[resource.create_op].subject == resource.id;
}

// The types that memory can have whose pages resources are bound to.
Result<std::uint32_t> sparse_types(const Plan& plan, Measurer& measurer, ObjectId memory, bool& any) {
  std::uint32_t types = UINT32_MAX;
  for (const auto& [id, use] : plan.sparse) {
    const CapturedResource& resource = plan.resources[plan.place_of(id)];
    if (use.memories.count(memory) == 0 || !is_played(plan, resource)) continue;
    const auto measured = measurer.measure(resource);
    if (!measured) return tl::unexpected<Error>(measured.error());
    types &= measured->needs.memoryTypeBits;
    any = true;
  }
  return types;
}

// What of the device's pages is not as the binds ask for. On the captured driver, too: it takes them on trust.
Result<std::vector<std::string>> sparse_shortfalls(const Plan& plan, Measurer& measurer, std::uint32_t device) {
  std::vector<std::string> shortfalls;
  for (const auto& [id, use] : plan.sparse) {
    const CapturedResource& resource = plan.resources[plan.place_of(id)];
    if (resource.device != device || !is_played(plan, resource)) continue;
    const auto measured = measurer.measure(resource);
    if (!measured) return tl::unexpected<Error>(measured.error());
    const std::string why = sparse_shortfall(use, measured->needs, measured->kinds);
    if (!why.empty()) shortfalls.push_back(plan.name(id) + ": " + why);
  }
  return shortfalls;
}

Result<Placement> place_one(Run& run, Measurer& measurer, std::uint32_t device, const CapturedMemory& memory) {
  const Plan& plan = run.plan();
  const LiveDevice& target = run.targets()[device];
  const CapturedPhysicalDevice& captured = plan.physical_devices[plan.devices[device].physical];
  std::vector<Need> needs;
  std::uint32_t type_bits = UINT32_MAX;
  for (const std::uint32_t r : memory.resources) {
    const CapturedResource& resource = plan.resources[r];
    if (!is_played(plan, resource)) continue;
    auto measured = measurer.measure(resource);
    if (!measured) return tl::unexpected<Error>(measured.error());
    const Object& object = plan.objects.objects()[resource.id];
    Need need;
    need.resource = r;
    need.name = plan.name(resource.id);
    need.linear = measured->linear;
    need.captured_offset = resource.offset;
    need.captured_bytes = resource.bytes;
    need.born = object.created;
    need.died = object.destroyed;
    need.bytes = measured->needs.size;
    need.alignment = measured->needs.alignment;
    if (resource.has_linear && measured->linear) {
      need.captured_rows = {resource.linear.rowPitch, resource.linear.offset};
      need.rows = measured->rows;
    }
    type_bits &= measured->needs.memoryTypeBits;
    needs.push_back(std::move(need));
  }
  auto placement =
      lay_out(memory.bytes, memory.dedicated, std::move(needs), target.properties.limits.bufferImageGranularity);
  if (!placement) return placement;
  if (placement->moved && (memory.place != 0 || memory.opaque != 0))
    return fail(Status::device, "device addresses follow from where its buffers lie, and here they do not fit there");
  bool sparse = false;
  const auto types = sparse_types(plan, measurer, memory.id, sparse);
  if (!types) return tl::unexpected<Error>(types.error());
  type_bits &= *types;
  if (placement->moved && sparse)
    return fail(Status::device, "its pages are bound sparsely, and what else is bound to it does not fit there here");
  if (placement->moved && memory.pages != kNone)
    return fail(Status::device, "it shares its pages with another import, and its resources do not fit there here");
  const VkMemoryPropertyFlags* flags = captured.has_memory && memory.type < captured.memory.memoryTypeCount
                                           ? &captured.memory.memoryTypes[memory.type].propertyFlags
                                           : nullptr;
  placement->type = choose_memory_type(target.memory, type_bits, flags, memory.written || memory.read_back);
  if (placement->type == UINT32_MAX)
    return fail(Status::device, std::string("no memory type holds all that is bound to it") +
                                    (memory.written || memory.read_back ? " and can be mapped" : ""));
  return placement;
}

}  // namespace

Result<void> place_memory(Run& run, const Op& op, std::uint32_t device) {
  const Plan& plan = run.plan();
  PlacementCache& cache = run.placements();
  cache.ready.resize(plan.devices.size(), false);
  cache.of.resize(plan.memories.size());
  if (cache.ready[device]) return {};
  const LiveDevice& target = run.targets()[device];
  const bool same =
      !plan.foreign && is_the_captured_device(plan.physical_devices[plan.devices[device].physical], target);
  Measurer measurer(run, *run.device_at(device));
  std::vector<std::string> shortfalls;
  for (std::size_t m = 0; m < plan.memories.size(); ++m) {
    const CapturedMemory& memory = plan.memories[m];
    if (memory.device != device) continue;
    if (memory.pages != kNone && !target.has_extension(VK_EXT_EXTERNAL_MEMORY_HOST_EXTENSION_NAME)) {
      shortfalls.push_back(plan.name(memory.id) +
                           ": it shared its pages with another import, which needs "
                           "extension " VK_EXT_EXTERNAL_MEMORY_HOST_EXTENSION_NAME);
      continue;
    }
    // A program may have got away with an offset that is not aligned.
    const bool aligned = std::all_of(memory.resources.begin(), memory.resources.end(), [&](std::uint32_t r) {
      return plan.resources[r].offset % plan.resources[r].alignment == 0;
    });
    if (same && aligned && memory.type < target.memory.memoryTypeCount) {
      cache.of[m].bytes = memory.bytes;
      cache.of[m].type = memory.type;
      continue;
    }
    auto placement = place_one(run, measurer, device, memory);
    if (placement)
      cache.of[m] = std::move(*placement);
    else if (placement.error().status == Status::device)
      shortfalls.push_back(plan.name(memory.id) + ": " + placement.error().message);
    else
      return tl::unexpected<Error>(placement.error());
  }
  auto sparse = sparse_shortfalls(plan, measurer, device);
  if (!sparse) return tl::unexpected<Error>(sparse.error());
  shortfalls.insert(shortfalls.end(), sparse->begin(), sparse->end());
  if (!shortfalls.empty()) {
    const std::string sentence = "memory does not fit " + std::string(fixed_text(target.properties.deviceName));
    return fail_list(Status::device, run.refuse(op, Status::device, sentence).message, shortfalls);
  }
  cache.ready[device] = true;
  return {};
}

}  // namespace rondo::player
