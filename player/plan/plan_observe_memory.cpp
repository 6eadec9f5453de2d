// SPDX-License-Identifier: Apache-2.0
// What records say about allocations and what is bound to them.
#include <algorithm>

#include "format/codec/shapes.h"
#include "generated/args.h"
#include "player/plan/places.h"
#include "player/plan/plan_builder.h"

namespace rondo::player {

namespace {

// Contents that change outside the capture: irregular-commands.md, 24.
const char* refused_import(const void* chain) {
  for (auto* s = static_cast<const VkBaseInStructure*>(chain); s != nullptr; s = s->pNext) {
    switch (s->sType) {
      case VK_STRUCTURE_TYPE_IMPORT_MEMORY_FD_INFO_KHR:
        return "VkImportMemoryFdInfoKHR";
      default:
        break;
    }
  }
  return nullptr;
}

}  // namespace

bool enables_addresses(const CapturedDevice& device) {
  for (const FeatureUse& use : device.features) {
    if (use.structure == StructId::VkPhysicalDeviceVulkan12Features &&
        codec::load<VkPhysicalDeviceVulkan12Features>(use.bytes.data()).bufferDeviceAddress != VK_FALSE)
      return true;
    if (use.structure == StructId::VkPhysicalDeviceBufferDeviceAddressFeatures &&
        codec::load<VkPhysicalDeviceBufferDeviceAddressFeatures>(use.bytes.data()).bufferDeviceAddress != VK_FALSE)
      return true;
  }
  return false;
}

// Of bytes that go to a memory, by the host or whatever else.
template <class Args>
Result<void> PlanBuilder::observe_write(const Record& record, const Args& args, bool by_host) {
  const std::uint32_t place = plan_->place_of(view_.id(&args.memory));
  if (place == kNone) return {};
  CapturedMemory& memory = plan_->memories[place];
  memory.written |= by_host;
  const std::string what = by_host ? "a host write" : "contents";
  VkDeviceSize total = 0;
  for (std::uint32_t i = 0; args.pRanges != nullptr && i < args.rangeCount; ++i) {
    const RondoRange& range = args.pRanges[i];
    total += range.size;
    if (range.offset > memory.bytes || range.size > memory.bytes - range.offset)
      return tl::unexpected<Error>(at(record, Status::unreadable,
                                      what + (by_host ? " ends behind " : " end behind ") + plan_->name(memory.id) +
                                          ", which has " + std::to_string(memory.bytes) + " bytes"));
  }
  if (total == args.dataSize && (args.rangeCount == 0 || args.pRanges != nullptr)) return {};
  return tl::unexpected<Error>(
      at(record, Status::unreadable, what + " whose ranges and data do not have the same size"));
}

Result<void> PlanBuilder::observe_memory(const Record& record, const codec::CommandInfo& command) {
  Plan& plan = *plan_;
  const auto note_sparse = [&](ObjectId id) {
    if (const std::uint32_t device = device_of(id); device != kNone) plan.devices[device].has_sparse = true;
  };
  switch (command.canonical) {
    case CommandId::vkAllocateMemory: {
      const auto* info = view_.as<args_vkAllocateMemory>().pAllocateInfo;
      const ObjectId id = subject_of(command);
      if (info == nullptr || id == ObjectId::null) break;
      if (const char* import = refused_import(info->pNext); import != nullptr)
        return tl::unexpected<Error>(at(record, Status::failed,
                                        std::string("vkAllocateMemory with ") + import +
                                            ": imported memory changes outside the capture and cannot be replayed"));
      CapturedMemory memory;
      memory.id = id;
      memory.device = device_of(id);
      memory.bytes = info->allocationSize;
      memory.type = info->memoryTypeIndex;
      if (const auto* import = find_chained<VkImportMemoryHostPointerInfoEXT>(
              info->pNext, VK_STRUCTURE_TYPE_IMPORT_MEMORY_HOST_POINTER_INFO_EXT);
          import != nullptr)
        memory.imported = reinterpret_cast<std::uint64_t>(import->pHostPointer);
      const auto* dedicated =
          find_chained<VkMemoryDedicatedAllocateInfo>(info->pNext, VK_STRUCTURE_TYPE_MEMORY_DEDICATED_ALLOCATE_INFO);
      memory.dedicated =
          dedicated != nullptr && (dedicated->buffer != VK_NULL_HANDLE || dedicated->image != VK_NULL_HANDLE);
      set_place(id, plan.memories.size());
      plan.memories.push_back(std::move(memory));
      break;
    }
    case CommandId::vkCreateBuffer:
      if (const auto* info = view_.as<args_vkCreateBuffer>().pCreateInfo; info != nullptr)
        if (const ObjectId id = subject_of(command); id != ObjectId::null) {
          add_resource(id, false, info->size);
          if ((info->flags & VK_BUFFER_CREATE_SPARSE_BINDING_BIT) != 0) note_sparse(id);
        }
      break;
    case CommandId::vkCreateImage:
      if (const auto* info = view_.as<args_vkCreateImage>().pCreateInfo; info != nullptr)
        if (const ObjectId id = subject_of(command); id != ObjectId::null) {
          CapturedResource& image = plan.resources[add_resource(id, true, 0)];
          image.format = info->format;
          image.extent = info->extent;
          image.samples = info->samples;
          if ((info->flags & VK_IMAGE_CREATE_SPARSE_BINDING_BIT) != 0) note_sparse(id);
        }
      break;
    case CommandId::vkBindBufferMemory: {
      const auto& args = view_.as<args_vkBindBufferMemory>();
      note_bind(view_.id(&args.buffer), view_.id(&args.memory), args.memoryOffset);
      break;
    }
    case CommandId::vkBindImageMemory: {
      const auto& args = view_.as<args_vkBindImageMemory>();
      note_bind(view_.id(&args.image), view_.id(&args.memory), args.memoryOffset);
      break;
    }
    case CommandId::vkBindBufferMemory2: {
      const auto& args = view_.as<args_vkBindBufferMemory2>();
      for (std::uint32_t i = 0; args.pBindInfos != nullptr && i < args.bindInfoCount; ++i)
        note_bind(view_.id(&args.pBindInfos[i].buffer), view_.id(&args.pBindInfos[i].memory),
                  args.pBindInfos[i].memoryOffset);
      break;
    }
    case CommandId::vkBindImageMemory2: {
      const auto& args = view_.as<args_vkBindImageMemory2>();
      for (std::uint32_t i = 0; args.pBindInfos != nullptr && i < args.bindInfoCount; ++i)
        note_bind(view_.id(&args.pBindInfos[i].image), view_.id(&args.pBindInfos[i].memory),
                  args.pBindInfos[i].memoryOffset);
      break;
    }
    case CommandId::vkGetBufferDeviceAddress:
      if (const std::uint32_t device = device_of(resolution_.ids[0]); device != kNone)
        plan.devices[device].asks_for_addresses = true;
      break;
    case CommandId::rondoAddress:
      return observe_address(record);
    case CommandId::rondoHostWrite:
      return observe_write(record, view_.as<args_rondoHostWrite>(), true);
    case CommandId::rondoMemoryContents:
      return observe_write(record, view_.as<args_rondoMemoryContents>(), false);
    case CommandId::rondoCheckpointMemory: {
      const auto& args = view_.as<args_rondoCheckpointMemory>();
      const std::uint32_t place = plan.place_of(view_.id(&args.memory));
      if (place == kNone) break;
      CapturedMemory& memory = plan.memories[place];
      memory.read_back = true;
      for (std::uint32_t i = 0; args.pRanges != nullptr && i < args.rangeCount; ++i)
        if (args.pRanges[i].offset > memory.bytes || args.pRanges[i].size > memory.bytes - args.pRanges[i].offset)
          return tl::unexpected<Error>(
              at(record, Status::unreadable, "a checkpoint ends behind " + plan.name(memory.id)));
      break;
    }
    default:
      break;
  }
  return {};
}

Result<void> PlanBuilder::observe_address(const Record& record) {
  Plan& plan = *plan_;
  const auto& args = view_.as<args_rondoAddress>();
  const std::uint32_t device = device_of(resolution_.ids[0]);
  const ObjectId memory_id = view_.id(&args.memory), buffer_id = view_.id(&args.buffer);
  if (device != kNone && !enables_addresses(plan.devices[device]))
    return tl::unexpected<Error>(at(record, Status::unreadable, "is of a device without bufferDeviceAddress"));
  const auto refuse = [&](ObjectId id, const std::string& what) {
    return tl::unexpected<Error>(at(record, Status::unreadable, plan.name(id) + what));
  };
  if (const std::uint32_t m = plan.place_of(memory_id); memory_id != ObjectId::null && m < plan.memories.size()) {
    CapturedMemory& memory = plan.memories[m];
    if (memory.device != device || device == kNone) return refuse(memory_id, " is of another device");
    if (args.place != 0 &&
        (args.opaque != 0 || args.place % 4096 != 0 || args.place < kPlacesBegin ||
         args.place - kPlacesBegin > kPlacesBytes || memory.bytes > kPlacesBytes - (args.place - kPlacesBegin)))
      return refuse(memory_id, " cannot have been at " + address_text(args.place));
    memory.place = args.place;
    memory.opaque = args.opaque;
    plan.devices[device].places |= args.place != 0;
    plan.devices[device].opaque_addresses |= args.opaque != 0;
  }
  if (const std::uint32_t b = plan.place_of(buffer_id); buffer_id != ObjectId::null && b < plan.resources.size()) {
    if (plan.resources[b].device != device || device == kNone) return refuse(buffer_id, " is of another device");
    plan.resources[b].opaque = args.opaque;
    plan.devices[device].opaque_addresses |= args.opaque != 0;
  }
  return {};
}

Result<void> PlanBuilder::observe_requirements(const codec::CommandInfo& command) {
  const auto note = [&](ObjectId id, const VkMemoryRequirements* needs) {
    const std::uint32_t place = plan_->place_of(id);
    if (id == ObjectId::null || place == kNone || needs == nullptr) return;
    plan_->resources[place].bytes = needs->size;
    plan_->resources[place].alignment = std::max<VkDeviceSize>(needs->alignment, 1);
  };
  const auto note2 = [&](ObjectId id, const VkMemoryRequirements2* needs) {
    note(id, needs != nullptr ? &needs->memoryRequirements : nullptr);
  };
  switch (command.canonical) {
    case CommandId::vkGetBufferMemoryRequirements: {
      const auto& args = view_.as<args_vkGetBufferMemoryRequirements>();
      note(view_.id(&args.buffer), args.pMemoryRequirements);
      break;
    }
    case CommandId::vkGetImageMemoryRequirements: {
      const auto& args = view_.as<args_vkGetImageMemoryRequirements>();
      note(view_.id(&args.image), args.pMemoryRequirements);
      break;
    }
    case CommandId::vkGetBufferMemoryRequirements2: {
      const auto& args = view_.as<args_vkGetBufferMemoryRequirements2>();
      if (args.pInfo != nullptr) note2(view_.id(&args.pInfo->buffer), args.pMemoryRequirements);
      break;
    }
    case CommandId::vkGetImageMemoryRequirements2: {
      const auto& args = view_.as<args_vkGetImageMemoryRequirements2>();
      if (args.pInfo != nullptr) note2(view_.id(&args.pInfo->image), args.pMemoryRequirements);
      break;
    }
    case CommandId::vkGetImageSparseMemoryRequirements: {
      const auto& args = view_.as<args_vkGetImageSparseMemoryRequirements>();
      const ObjectId id = view_.id(&args.image);
      if (id == ObjectId::null || args.pSparseMemoryRequirements == nullptr ||
          args.pSparseMemoryRequirementCount == nullptr)
        break;
      validity_.sparse[id].told.assign(args.pSparseMemoryRequirements,
                                       args.pSparseMemoryRequirements + *args.pSparseMemoryRequirementCount);
      break;
    }
    case CommandId::vkGetImageSparseMemoryRequirements2: {
      const auto& args = view_.as<args_vkGetImageSparseMemoryRequirements2>();
      const ObjectId id = args.pInfo != nullptr ? view_.id(&args.pInfo->image) : ObjectId::null;
      if (id == ObjectId::null || args.pSparseMemoryRequirements == nullptr ||
          args.pSparseMemoryRequirementCount == nullptr)
        break;
      auto& told = validity_.sparse[id].told;
      told.clear();
      for (std::uint32_t i = 0; i < *args.pSparseMemoryRequirementCount; ++i)
        told.push_back(args.pSparseMemoryRequirements[i].memoryRequirements);
      break;
    }
    case CommandId::vkGetImageSubresourceLayout: {
      const auto& args = view_.as<args_vkGetImageSubresourceLayout>();
      const std::uint32_t place = plan_->place_of(view_.id(&args.image));
      if (place == kNone || args.pLayout == nullptr || args.pSubresource == nullptr ||
          args.pSubresource->mipLevel != 0 || args.pSubresource->arrayLayer != 0)
        break;
      plan_->resources[place].linear = *args.pLayout;
      plan_->resources[place].has_linear = true;
      break;
    }
    case CommandId::vkGetImageSubresourceLayout2EXT: {
      const auto& args = view_.as<args_vkGetImageSubresourceLayout2EXT>();
      const std::uint32_t place = plan_->place_of(view_.id(&args.image));
      if (place == kNone || args.pLayout == nullptr || args.pSubresource == nullptr ||
          args.pSubresource->imageSubresource.mipLevel != 0 || args.pSubresource->imageSubresource.arrayLayer != 0)
        break;
      plan_->resources[place].linear = args.pLayout->subresourceLayout;
      plan_->resources[place].has_linear = true;
      break;
    }
    default:
      break;
  }
  return {};
}

}  // namespace rondo::player
