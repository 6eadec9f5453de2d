// SPDX-License-Identifier: Apache-2.0
#include "analyzers/analysis/memory_facts.h"

#include <algorithm>
#include <bit>

#include "format/codec/shapes.h"
#include "format/native_view.h"
#include "generated/args.h"
#include "model/gpu/texels.h"

namespace rondo::analyzers {

namespace {

// More bytes than any device has: sums of them stay in 63 bits.
constexpr std::uint64_t kMostTold = std::uint64_t{1} << 48;

// A file may have bits there that no enumerant has.
VkFlags flag_bits(const void* member) { return codec::load<VkFlags>(member); }

template <class T>
const T* chained_in(const void* chain, VkStructureType type) {
  return find_chained<T>(chain, type);
}

model::Touch whole_resource(const MemoryResource& resource) {
  model::Touch all;
  all.object = resource.id;
  all.size = UINT64_MAX;
  if (resource.is_image)
    all.part = {gpu::aspects_of(resource.image.format), 0, resource.image.mips, 0, resource.image.layers};
  return all;
}

}  // namespace

// --- Devices ---

MemoryDevice& MemoryFacts::device(ObjectId physical) {
  for (MemoryDevice& one : devices_)
    if (one.physical == physical) return one;
  devices_.push_back({});
  devices_.back().physical = physical;
  return devices_.back();
}

void MemoryFacts::take_properties(ObjectId physical, const VkPhysicalDeviceProperties& properties) {
  const std::uint64_t told = properties.limits.bufferImageGranularity;
  if (std::has_single_bit(told) && told <= (std::uint64_t{1} << 24)) device(physical).granularity = told;
}

void MemoryFacts::take_memory(ObjectId physical, const VkPhysicalDeviceMemoryProperties& p) {
  MemoryDevice& to = device(physical);
  to.types.assign(p.memoryTypes, p.memoryTypes + std::min(p.memoryTypeCount, std::uint32_t{VK_MAX_MEMORY_TYPES}));
  to.heaps.assign(p.memoryHeaps, p.memoryHeaps + std::min(p.memoryHeapCount, std::uint32_t{VK_MAX_MEMORY_HEAPS}));
}

void MemoryFacts::take_layer(Walk& walk, const Step& step) {
  const auto& ids = walk.resolution().ids;
  const ObjectId first = ids.empty() ? ObjectId::null : ids[0];
  switch (step.command->canonical) {
    case CommandId::vkGetPhysicalDeviceProperties:
      if (const auto* p = walk.args<args_vkGetPhysicalDeviceProperties>().pProperties) take_properties(first, *p);
      return;
    case CommandId::vkGetPhysicalDeviceProperties2:
      if (const auto* p = walk.args<args_vkGetPhysicalDeviceProperties2>().pProperties)
        take_properties(first, p->properties);
      return;
    case CommandId::vkGetPhysicalDeviceMemoryProperties:
      if (const auto* p = walk.args<args_vkGetPhysicalDeviceMemoryProperties>().pMemoryProperties)
        take_memory(first, *p);
      return;
    case CommandId::vkGetPhysicalDeviceMemoryProperties2:
      if (const auto* p = walk.args<args_vkGetPhysicalDeviceMemoryProperties2>().pMemoryProperties)
        take_memory(first, p->memoryProperties);
      return;
    default:
      return;
  }
}

const VkMemoryType* MemoryFacts::type_of(const Allocation& allocation) const {
  const MemoryDevice& device = devices_[allocation.device];
  if (allocation.type >= device.types.size()) return nullptr;
  const VkMemoryType& type = device.types[allocation.type];
  return type.heapIndex < device.heaps.size() ? &type : nullptr;
}

// --- Objects ---

void MemoryFacts::make_memory(const model::Call& call) {
  const auto* info = call.as<args_vkAllocateMemory>().pAllocateInfo;
  const ObjectId id = call.made();
  if (info == nullptr || id == ObjectId::null) return;
  Allocation one;
  one.id = id;
  one.bytes = std::min<std::uint64_t>(info->allocationSize, kMostTold);
  one.type = info->memoryTypeIndex;
  one.record = call.sequence;
  const MemoryDevice& on = device(call.parent_of(call.dispatch));
  one.device = static_cast<std::uint32_t>(&on - devices_.data());
  if (const auto* to =
          chained_in<VkMemoryDedicatedAllocateInfo>(info->pNext, VK_STRUCTURE_TYPE_MEMORY_DEDICATED_ALLOCATE_INFO)) {
    one.dedicated = call.id(&to->buffer);
    if (one.dedicated == ObjectId::null) one.dedicated = call.id(&to->image);
  }
  if (const auto* to =
          chained_in<VkExportMemoryAllocateInfo>(info->pNext, VK_STRUCTURE_TYPE_EXPORT_MEMORY_ALLOCATE_INFO))
    one.is_exported = to->handleTypes != 0;
  if (const auto* to = chained_in<VkImportMemoryFdInfoKHR>(info->pNext, VK_STRUCTURE_TYPE_IMPORT_MEMORY_FD_INFO_KHR))
    one.is_imported = flag_bits(&to->handleType) != 0;
  if (const auto* to = chained_in<VkImportMemoryHostPointerInfoEXT>(
          info->pNext, VK_STRUCTURE_TYPE_IMPORT_MEMORY_HOST_POINTER_INFO_EXT))
    one.is_imported = one.is_imported || flag_bits(&to->handleType) != 0;
  if (const auto* to = chained_in<VkMemoryAllocateFlagsInfo>(info->pNext, VK_STRUCTURE_TYPE_MEMORY_ALLOCATE_FLAGS_INFO))
    one.has_captured_address = (to->flags & VK_MEMORY_ALLOCATE_DEVICE_ADDRESS_CAPTURE_REPLAY_BIT) != 0;
  allocation_at_[id] = static_cast<std::uint32_t>(allocations_.size());
  allocations_.push_back(one);
}

void MemoryFacts::make_buffer(const model::Call& call) {
  const auto* info = call.as<args_vkCreateBuffer>().pCreateInfo;
  if (info == nullptr || call.made() == ObjectId::null) return;
  MemoryResource one;
  one.id = call.made();
  one.record = call.sequence;
  one.bytes = std::min<std::uint64_t>(info->size, kMostTold);
  one.usage = info->usage;
  one.is_sparse = (info->flags & VK_BUFFER_CREATE_SPARSE_BINDING_BIT) != 0;
  one.has_address = (info->flags & VK_BUFFER_CREATE_DEVICE_ADDRESS_CAPTURE_REPLAY_BIT) != 0;
  one.is_concurrent = flag_bits(&info->sharingMode) == VK_SHARING_MODE_CONCURRENT;
  if (const auto* to = chained_in<VkExternalMemoryBufferCreateInfo>(
          info->pNext, VK_STRUCTURE_TYPE_EXTERNAL_MEMORY_BUFFER_CREATE_INFO))
    one.is_external = to->handleTypes != 0;
  resource_at_[one.id] = static_cast<std::uint32_t>(resources_.size());
  resources_.push_back(one);
}

void MemoryFacts::make_image(const model::Call& call) {
  const auto* info = call.as<args_vkCreateImage>().pCreateInfo;
  if (info == nullptr || call.made() == ObjectId::null) return;
  MemoryResource one;
  one.id = call.made();
  one.record = call.sequence;
  one.is_image = true;
  one.is_optimal = flag_bits(&info->tiling) != VK_IMAGE_TILING_LINEAR;
  one.usage = info->usage;
  one.is_sparse = (info->flags & VK_IMAGE_CREATE_SPARSE_BINDING_BIT) != 0;
  one.is_disjoint = (info->flags & VK_IMAGE_CREATE_DISJOINT_BIT) != 0;
  one.may_alias = (info->flags & VK_IMAGE_CREATE_ALIAS_BIT) != 0;
  one.is_concurrent = flag_bits(&info->sharingMode) == VK_SHARING_MODE_CONCURRENT;
  if (const auto* image = effects_.views.images.find(one.id)) one.image = *image;
  if (const auto* to =
          chained_in<VkExternalMemoryImageCreateInfo>(info->pNext, VK_STRUCTURE_TYPE_EXTERNAL_MEMORY_IMAGE_CREATE_INFO))
    one.is_external = to->handleTypes != 0;
  if (const auto* to =
          chained_in<VkImageSwapchainCreateInfoKHR>(info->pNext, VK_STRUCTURE_TYPE_IMAGE_SWAPCHAIN_CREATE_INFO_KHR))
    one.is_of_swapchain = call.id(&to->swapchain) != ObjectId::null;
  resource_at_[one.id] = static_cast<std::uint32_t>(resources_.size());
  resources_.push_back(one);
}

void MemoryFacts::take_told(ObjectId id, const VkMemoryRequirements& told, const void* chain) {
  const std::uint32_t number = resource(id);
  if (number == kNoIndex) return;
  MemoryResource& one = resources_[number];
  one.bytes = std::min<std::uint64_t>(told.size, kMostTold);
  one.alignment = std::has_single_bit(told.alignment) ? told.alignment : 1;
  one.types = told.memoryTypeBits;
  if (const auto* to =
          chained_in<VkMemoryDedicatedRequirements>(chain, VK_STRUCTURE_TYPE_MEMORY_DEDICATED_REQUIREMENTS))
    one.needs_dedicated = to->requiresDedicatedAllocation != VK_FALSE;
}

// --- Binds ---

// What the placement says now, against what it said before.
void MemoryFacts::bind(std::uint32_t number, std::uint64_t record, std::uint32_t item) {
  MemoryResource& one = resources_[number];
  const model::Placement::Bytes bytes = placement_.bytes_of(whole_resource(one));
  std::vector<std::uint32_t>& open = open_[number];
  std::vector<std::uint32_t> kept;
  std::vector<bool> had(bytes.ranges.size());
  for (const std::uint32_t entry : open) {
    BoundBytes& bound = bound_[entry];
    const model::Placement::Range range{allocations_[bound.allocation].id, bound.begin, bound.end - bound.begin};
    const auto same = std::find(bytes.ranges.begin(), bytes.ranges.end(), range);
    if (same == bytes.ranges.end()) {
      bound.until = record;
      continue;
    }
    had[static_cast<std::size_t>(same - bytes.ranges.begin())] = true;
    kept.push_back(entry);
  }
  for (std::size_t i = 0; i < bytes.ranges.size(); ++i) {
    const model::Placement::Range& range = bytes.ranges[i];
    const std::uint32_t on = allocation(range.memory);
    if (had[i] || on == kNoIndex) continue;
    if (one.bound == kNever) one.bound = record, one.bound_item = item;
    one.allocation = on;
    kept.push_back(static_cast<std::uint32_t>(bound_.size()));
    bound_.push_back({number, on, range.offset, range.offset + range.size, record});
    for (const ObjectId other : placement_.on(range.memory, range.offset, range.size)) {
      const std::uint32_t there = resource(other);
      if (there == kNoIndex || there == number) continue;
      MemoryResource& with = resources_[there];
      // Contents of images with optimal tiling are lost where others write on their bytes.
      if (one.is_optimal && with.is_optimal && !(one.may_alias && with.may_alias)) continue;
      if (!one.shares) one.shares_with = other;
      if (!with.shares) with.shares_with = one.id;
      one.shares = with.shares = true;
    }
  }
  open = std::move(kept);
}

void MemoryFacts::end(ObjectId id, std::uint64_t record, std::uint32_t item) {
  if (const std::uint32_t number = resource(id); number != kNoIndex) {
    resources_[number].ended = record;
    if (const auto found = open_.find(number); found != open_.end()) {
      for (const std::uint32_t entry : found->second) bound_[entry].until = record;
      open_.erase(found);
    }
    resource_at_.erase(id);
    ended_.push_back(number);
  } else if (const std::uint32_t on = allocation(id); on != kNoIndex) {
    Allocation& memory = allocations_[on];
    memory.freed = record;
    if (memory.is_mapped) memory.mapped_to = item + 1;
    memory.is_mapped = false;
    allocation_at_.erase(id);
  }
  structure_in_.erase(id);
}

// --- Calls ---

void MemoryFacts::take_passes(const model::Call& call) {
  const CommandId second = model::second_form_of(call.command.canonical);
  if (second != CommandId::vkCmdBeginRenderPass2 && second != CommandId::vkCmdBeginRendering) return;
  const auto& recording = effects_.recording(call);
  if (recording.pass == nullptr) return;
  std::vector<AttachmentUse> uses;
  for (std::size_t i = 0; i < recording.pass->attachments.size() && i < recording.views.size(); ++i) {
    const model::RenderPass::Attachment& a = recording.pass->attachments[i];
    const model::ImageView* view = effects_.views.views.find(recording.views[i]);
    if (view == nullptr || !a.used) continue;
    AttachmentUse use{view->image, view->part};
    if (a.aspects != 0)
      use.part.aspectMask = a.aspects;
    else if (const model::Image* image = effects_.views.images.find(view->image);
             image != nullptr && gpu::is_depth_stencil(image->format))
      use.part.aspectMask = gpu::aspects_of(image->format);
    use.part.levelCount = std::min(use.part.levelCount, 1u);
    const VkImageAspectFlags all = use.part.aspectMask;
    for (const bool stencil : {false, true}) {
      use.part.aspectMask = all & (stencil ? VkImageAspectFlags{VK_IMAGE_ASPECT_STENCIL_BIT}
                                           : ~VkImageAspectFlags{VK_IMAGE_ASPECT_STENCIL_BIT});
      if (use.part.aspectMask == 0) continue;
      use.loads = (stencil ? a.stencil_load : a.load) == VK_ATTACHMENT_LOAD_OP_LOAD;
      use.stores = (stencil ? a.stencil_store : a.store) == VK_ATTACHMENT_STORE_OP_STORE;
      use.forgets = (stencil ? a.stencil_store : a.store) == VK_ATTACHMENT_STORE_OP_DONT_CARE;
      uses.push_back(use);
    }
  }
  if (!uses.empty()) attachments_[call.sequence] = std::move(uses);
}

const std::vector<AttachmentUse>* MemoryFacts::attachments(std::uint64_t record) const {
  const auto found = attachments_.find(record);
  return found != attachments_.end() ? &found->second : nullptr;
}

void MemoryFacts::take(const model::Call& call, std::uint32_t item) {
  ended_.clear();
  effects_.take(call);
  if (call.succeeded) {
    if (call.command.records_into_command_buffer) return take_passes(call);
    take_devices(call);
    take_objects(call);
    take_requirements(call);
    take_places(call, item);
  }
  for (const ObjectId id : call.ended) end(id, call.sequence, item);
}

void MemoryFacts::take_devices(const model::Call& call) {
  switch (call.command.canonical) {
    case CommandId::vkGetPhysicalDeviceProperties:
      if (const auto* p = call.as<args_vkGetPhysicalDeviceProperties>().pProperties) take_properties(call.dispatch, *p);
      return;
    case CommandId::vkGetPhysicalDeviceProperties2:
      if (const auto* p = call.as<args_vkGetPhysicalDeviceProperties2>().pProperties)
        take_properties(call.dispatch, p->properties);
      return;
    case CommandId::vkGetPhysicalDeviceMemoryProperties:
      if (const auto* p = call.as<args_vkGetPhysicalDeviceMemoryProperties>().pMemoryProperties)
        take_memory(call.dispatch, *p);
      return;
    case CommandId::vkGetPhysicalDeviceMemoryProperties2:
      if (const auto* p = call.as<args_vkGetPhysicalDeviceMemoryProperties2>().pMemoryProperties)
        take_memory(call.dispatch, p->memoryProperties);
      return;
    case CommandId::vkGetDeviceQueue:
      family_of_[call.made()] = call.as<args_vkGetDeviceQueue>().queueFamilyIndex;
      return;
    case CommandId::vkGetDeviceQueue2:
      if (const auto* info = call.as<args_vkGetDeviceQueue2>().pQueueInfo)
        family_of_[call.made()] = info->queueFamilyIndex;
      return;
    default:
      return;
  }
}

void MemoryFacts::take_objects(const model::Call& call) {
  switch (call.command.canonical) {
    case CommandId::vkAllocateMemory:
      return make_memory(call);
    case CommandId::vkCreateBuffer:
      return make_buffer(call);
    case CommandId::vkCreateImage:
      return make_image(call);
    case CommandId::vkGetSwapchainImagesKHR:
      for (const ObjectId id : call.resolution.created) {
        MemoryResource one;
        one.id = id;
        one.record = call.sequence;
        one.is_image = one.is_optimal = one.is_of_swapchain = true;
        resource_at_[id] = static_cast<std::uint32_t>(resources_.size());
        resources_.push_back(one);
      }
      return;
    case CommandId::vkCreateAccelerationStructureKHR:
      if (const auto* info = call.as<args_vkCreateAccelerationStructureKHR>().pCreateInfo)
        structure_in_[call.made()] = call.id(&info->buffer);
      return;
    case CommandId::vkGetBufferDeviceAddress:
    case CommandId::vkGetBufferOpaqueCaptureAddress:
    case CommandId::vkGetAccelerationStructureDeviceAddressKHR:
      for (ObjectId id : call.resolution.ids) {
        if (const auto found = structure_in_.find(id); found != structure_in_.end()) id = found->second;
        if (const std::uint32_t number = resource(id); number != kNoIndex) resources_[number].has_address = true;
      }
      return;
    case CommandId::rondoCut:
      is_cut_ = true;
      return;
    default:
      return;
  }
}

void MemoryFacts::take_requirements(const model::Call& call) {
  switch (call.command.canonical) {
    case CommandId::vkGetBufferMemoryRequirements: {
      const auto& a = call.as<args_vkGetBufferMemoryRequirements>();
      if (a.pMemoryRequirements != nullptr) take_told(call.id(&a.buffer), *a.pMemoryRequirements, nullptr);
      return;
    }
    case CommandId::vkGetBufferMemoryRequirements2: {
      const auto& a = call.as<args_vkGetBufferMemoryRequirements2>();
      if (a.pInfo != nullptr && a.pMemoryRequirements != nullptr)
        take_told(call.id(&a.pInfo->buffer), a.pMemoryRequirements->memoryRequirements, a.pMemoryRequirements->pNext);
      return;
    }
    case CommandId::vkGetImageMemoryRequirements: {
      const auto& a = call.as<args_vkGetImageMemoryRequirements>();
      if (a.pMemoryRequirements != nullptr) take_told(call.id(&a.image), *a.pMemoryRequirements, nullptr);
      return;
    }
    case CommandId::vkGetImageMemoryRequirements2: {
      const auto& a = call.as<args_vkGetImageMemoryRequirements2>();
      if (a.pInfo != nullptr && a.pMemoryRequirements != nullptr)
        take_told(call.id(&a.pInfo->image), a.pMemoryRequirements->memoryRequirements, a.pMemoryRequirements->pNext);
      return;
    }
    default:
      return;
  }
}

// Where resources lie, and what is mapped and exported.
void MemoryFacts::take_places(const model::Call& call, std::uint32_t item) {
  const auto each_memory = [&](const auto& visit) {
    for (const ObjectId id : call.resolution.ids)
      if (const std::uint32_t on = allocation(id); on != kNoIndex) visit(allocations_[on]);
  };
  switch (call.command.canonical) {
    case CommandId::vkBindBufferMemory:
    case CommandId::vkBindBufferMemory2:
    case CommandId::vkBindImageMemory:
    case CommandId::vkBindImageMemory2:
    case CommandId::vkQueueBindSparse: {
      std::vector<std::uint32_t> numbers;
      for (const ObjectId id : call.resolution.ids)
        if (const std::uint32_t number = resource(id); number != kNoIndex) numbers.push_back(number);
      std::sort(numbers.begin(), numbers.end());
      numbers.erase(std::unique(numbers.begin(), numbers.end()), numbers.end());
      for (const std::uint32_t number : numbers) bind(number, call.sequence, item);
      return;
    }
    case CommandId::vkMapMemory:
    case CommandId::vkMapMemory2:
      return each_memory([](Allocation& one) { one.is_mapped = true; });
    case CommandId::vkUnmapMemory:
    case CommandId::vkUnmapMemory2:
      return each_memory([&](Allocation& one) {
        one.is_mapped = false;
        one.mapped_to = item + 1;
      });
    case CommandId::vkGetMemoryFdKHR:
      return each_memory([](Allocation& one) { one.is_exported = true; });
    default:
      return;
  }
}

}  // namespace rondo::analyzers
