// SPDX-License-Identifier: Apache-2.0
#include "model/placement.h"

#include <algorithm>
#include <bit>
#include <utility>

#include "format/check.h"
#include "format/codec/shapes.h"
#include "format/native_view.h"
#include "generated/args.h"
#include "model/gpu/texels.h"

namespace rondo::model {

namespace {

constexpr VkImageAspectFlags kPlanes =
    VK_IMAGE_ASPECT_PLANE_0_BIT | VK_IMAGE_ASPECT_PLANE_1_BIT | VK_IMAGE_ASPECT_PLANE_2_BIT;
constexpr VkImageAspectFlags kMemoryPlanes =
    VK_IMAGE_ASPECT_MEMORY_PLANE_0_BIT_EXT | VK_IMAGE_ASPECT_MEMORY_PLANE_1_BIT_EXT |
    VK_IMAGE_ASPECT_MEMORY_PLANE_2_BIT_EXT | VK_IMAGE_ASPECT_MEMORY_PLANE_3_BIT_EXT;

// Which plane an aspect is; 0 of an aspect that is no plane.
std::uint32_t plane_of(VkImageAspectFlags aspect) {
  if ((aspect & kPlanes) != 0) aspect = (aspect & kPlanes) / VK_IMAGE_ASPECT_PLANE_0_BIT;
  if ((aspect & kMemoryPlanes) != 0) aspect = (aspect & kMemoryPlanes) / VK_IMAGE_ASPECT_MEMORY_PLANE_0_BIT_EXT;
  return std::has_single_bit(aspect) ? static_cast<std::uint32_t>(std::countr_zero(aspect)) % 4 : 0;
}

// A file may have bits there that no enumerant has.
VkFlags bits_of(const void* member) { return codec::load<VkFlags>(member); }

std::uint32_t samples_of(const VkImageCreateInfo& info) {
  const VkFlags bits = bits_of(&info.samples);
  return std::has_single_bit(bits) && bits <= VK_SAMPLE_COUNT_64_BIT ? bits : 1;
}

}  // namespace

void RangeIndex::add(const Entry& entry) {
  RONDO_CHECK(entry.begin < entry.end);
  by_length_[bits_of(entry)].insert(entry);
}

void RangeIndex::remove(const Entry& entry) {
  const auto entries = by_length_.find(bits_of(entry));
  RONDO_CHECK(entries != by_length_.end());
  const auto found = entries->second.find(entry);
  RONDO_CHECK(found != entries->second.end());
  entries->second.erase(found);
  if (entries->second.empty()) by_length_.erase(entries);
}

std::size_t RangeIndex::count(const Entry& entry) const {
  const auto entries = by_length_.find(bits_of(entry));
  return entries != by_length_.end() ? entries->second.count(entry) : 0;
}

std::size_t RangeIndex::size() const {
  std::size_t sum = 0;
  for (const auto& [bits, entries] : by_length_) sum += entries.size();
  return sum;
}

void Placement::take(const Call& c) {
  if (c.command.records_into_command_buffer) return;
  if (c.succeeded) {
    const CommandId command = c.second != nullptr ? second_form_of(c.command.canonical) : c.command.canonical;
    take_made(command, c);
    take_binds(command, c);
    take_answers(command, c);
  }
  for (const ObjectId id : c.ended) forget(id);
}

void Placement::take_made(CommandId command, const Call& c) {
  switch (command) {
    case CommandId::vkAllocateMemory:
      return make_memory(c);
    case CommandId::vkCreateBuffer: {
      const auto* info = c.as<args_vkCreateBuffer>().pCreateInfo;
      const ObjectId id = c.made();
      if (info == nullptr || id == ObjectId::null) return;
      forget_resource(id);
      Resource& buffer = resources_.make(id);
      buffer.size = info->size;
      if ((info->flags & VK_BUFFER_CREATE_SPARSE_BINDING_BIT) != 0) buffer.sparse = std::make_unique<Sparse>();
      return;
    }
    case CommandId::vkCreateImage:
      return make_image(c);
    case CommandId::vkGetSwapchainImagesKHR:
      return make_swapchain_images(c);
    case CommandId::vkCreateAccelerationStructureKHR:
      return make_structure(c);
    default:
      return;
  }
}

void Placement::make_memory(const Call& c) {
  const auto* info = c.as<args_vkAllocateMemory>().pAllocateInfo;
  const ObjectId id = c.made();
  if (info == nullptr || id == ObjectId::null) return;
  MemoryUse* known = memories_.find(id);
  MemoryUse& memory = known != nullptr ? *known : memories_.make(id);
  // A handle that is still known is the same object. What lies there must end in it.
  memory.size = std::max<std::uint64_t>(memory.size, info->allocationSize);
  memory.type = info->memoryTypeIndex;
  if (const auto* dedicated =
          find_chained<VkMemoryDedicatedAllocateInfo>(info->pNext, VK_STRUCTURE_TYPE_MEMORY_DEDICATED_ALLOCATE_INFO);
      dedicated != nullptr) {
    const ObjectId buffer = c.id(&dedicated->buffer);
    memory.dedicated = buffer != ObjectId::null ? buffer : c.id(&dedicated->image);
  }
}

void Placement::make_image(const Call& c) {
  const auto* info = c.as<args_vkCreateImage>().pCreateInfo;
  const ObjectId id = c.made();
  if (info == nullptr || id == ObjectId::null) return;
  forget_resource(id);
  Resource& image = resources_.make(id);
  image.is_image = true;
  image.format = info->format;
  image.extent = info->extent;
  image.mips = info->mipLevels;
  image.layers = info->arrayLayers;
  image.samples = samples_of(*info);
  image.is_linear = bits_of(&info->tiling) == VK_IMAGE_TILING_LINEAR;
  image.aspects = gpu::aspects_of(info->format);
  if ((info->flags & VK_IMAGE_CREATE_SPARSE_BINDING_BIT) != 0) image.sparse = std::make_unique<Sparse>();
  image.has_regions = image.sparse != nullptr && (info->flags & VK_IMAGE_CREATE_SPARSE_RESIDENCY_BIT) != 0;
}

void Placement::make_swapchain_images(const Call& c) {
  const auto& args = c.as<args_vkGetSwapchainImagesKHR>();
  const ObjectId swapchain = c.id(&args.swapchain);
  if (swapchain == ObjectId::null || args.pSwapchainImageCount == nullptr) return;
  std::uint32_t index = 0;
  for (const VkImage& handle : array(args.pSwapchainImages, *args.pSwapchainImageCount)) {
    const ObjectId id = c.id(&handle);
    const SwapchainImage place{swapchain, index++};
    if (id == ObjectId::null || resources_.find(id) != nullptr) continue;
    Resource& image = resources_.make(id);
    image.is_image = true;
    image.swapchain = place;
  }
}

void Placement::make_structure(const Call& c) {
  const auto* info = c.as<args_vkCreateAccelerationStructureKHR>().pCreateInfo;
  const ObjectId id = c.made();
  if (info == nullptr || id == ObjectId::null) return;
  forget_structure(id);
  const ObjectId in = c.id(&info->buffer);
  Resource* const buffer = resources_.find(in);
  if (buffer == nullptr) return;
  const std::uint64_t end = end_of(info->offset, info->size);
  structures_.make(id) = {in, info->offset, end - info->offset};
  if (info->offset < end) buffer->structures.add({info->offset, end, id, 0});
}

void Placement::take_binds(CommandId command, const Call& c) {
  switch (command) {
    case CommandId::vkBindBufferMemory: {
      const auto& args = c.as<args_vkBindBufferMemory>();
      return bind(c.id(&args.buffer), nullptr, c.id(&args.memory), args.memoryOffset);
    }
    case CommandId::vkBindBufferMemory2: {
      const auto& args = c.as<args_vkBindBufferMemory2>();
      for (const VkBindBufferMemoryInfo& info : array(args.pBindInfos, args.bindInfoCount))
        bind(c.id(&info.buffer), nullptr, c.id(&info.memory), info.memoryOffset);
      return;
    }
    case CommandId::vkBindImageMemory: {
      const auto& args = c.as<args_vkBindImageMemory>();
      return bind(c.id(&args.image), nullptr, c.id(&args.memory), args.memoryOffset);
    }
    case CommandId::vkBindImageMemory2: {
      const auto& args = c.as<args_vkBindImageMemory2>();
      for (const VkBindImageMemoryInfo& info : array(args.pBindInfos, args.bindInfoCount)) bind_image(c, info);
      return;
    }
    case CommandId::vkQueueBindSparse:
      return take_sparse_binds(c);
    default:
      return;
  }
}

void Placement::bind_image(const Call& c, const VkBindImageMemoryInfo& info) {
  const ObjectId id = c.id(&info.image);
  const auto* of = find_chained<VkBindImageMemorySwapchainInfoKHR>(
      info.pNext, VK_STRUCTURE_TYPE_BIND_IMAGE_MEMORY_SWAPCHAIN_INFO_KHR);
  const ObjectId swapchain = of != nullptr ? c.id(&of->swapchain) : ObjectId::null;
  if (swapchain == ObjectId::null) return bind(id, info.pNext, c.id(&info.memory), info.memoryOffset);
  Resource* const image = resources_.find(id);
  if (image == nullptr || image->sparse != nullptr) return;
  for (Part& part : image->parts) unbind(id, part);
  image->swapchain = {swapchain, of->imageIndex};
}

void Placement::bind(ObjectId id, const void* chain, ObjectId memory, std::uint64_t offset) {
  Resource* const resource = resources_.find(id);
  // Pages of sparse resources are bound otherwise.
  if (resource == nullptr || resource->sparse != nullptr || memories_.find(memory) == nullptr) return;
  const auto* of = find_chained<VkBindImagePlaneMemoryInfo>(chain, VK_STRUCTURE_TYPE_BIND_IMAGE_PLANE_MEMORY_INFO);
  const VkImageAspectFlags aspect = of != nullptr ? bits_of(&of->planeAspect) : 0;
  if (of == nullptr || !resource->has_planes)
    for (Part& part : resource->parts) unbind(id, part);
  resource->swapchain.reset();
  resource->has_planes = of != nullptr;
  resource->has_memory_planes = (aspect & kMemoryPlanes) != 0;
  Part& part = resource->parts[plane_of(aspect)];
  unbind(id, part);
  part.memory = memory;
  part.offset = offset;
  settle_size(id, *resource, part);
}

void Placement::take_answers(CommandId command, const Call& c) {
  switch (command) {
    case CommandId::vkGetBufferMemoryRequirements: {
      const auto& args = c.as<args_vkGetBufferMemoryRequirements>();
      if (args.pMemoryRequirements != nullptr) take_told(c.id(&args.buffer), 0, *args.pMemoryRequirements);
      return;
    }
    case CommandId::vkGetBufferMemoryRequirements2: {
      const auto& args = c.as<args_vkGetBufferMemoryRequirements2>();
      if (args.pInfo != nullptr && args.pMemoryRequirements != nullptr)
        take_told(c.id(&args.pInfo->buffer), 0, args.pMemoryRequirements->memoryRequirements);
      return;
    }
    case CommandId::vkGetImageMemoryRequirements: {
      const auto& args = c.as<args_vkGetImageMemoryRequirements>();
      if (args.pMemoryRequirements != nullptr) take_told(c.id(&args.image), 0, *args.pMemoryRequirements);
      return;
    }
    case CommandId::vkGetImageMemoryRequirements2: {
      const auto& args = c.as<args_vkGetImageMemoryRequirements2>();
      if (args.pInfo == nullptr || args.pMemoryRequirements == nullptr) return;
      const auto* of = find_chained<VkImagePlaneMemoryRequirementsInfo>(
          args.pInfo->pNext, VK_STRUCTURE_TYPE_IMAGE_PLANE_MEMORY_REQUIREMENTS_INFO);
      const std::uint32_t plane = of != nullptr ? plane_of(bits_of(&of->planeAspect)) : 0;
      return take_told(c.id(&args.pInfo->image), plane, args.pMemoryRequirements->memoryRequirements);
    }
    case CommandId::vkGetImageSubresourceLayout: {
      const auto& args = c.as<args_vkGetImageSubresourceLayout>();
      if (args.pSubresource != nullptr && args.pLayout != nullptr)
        take_layout(c.id(&args.image), *args.pSubresource, *args.pLayout);
      return;
    }
    case CommandId::vkGetImageSubresourceLayout2EXT: {
      const auto& args = c.as<args_vkGetImageSubresourceLayout2EXT>();
      if (args.pSubresource != nullptr && args.pLayout != nullptr)
        take_layout(c.id(&args.image), args.pSubresource->imageSubresource, args.pLayout->subresourceLayout);
      return;
    }
    default:
      return take_grids(command, c);
  }
}

void Placement::take_told(ObjectId id, std::uint32_t plane, const VkMemoryRequirements& told) {
  Resource* const resource = resources_.find(id);
  if (resource == nullptr) return;
  Part& part = resource->parts[plane];
  part.told = told.size;
  if (part.memory != ObjectId::null) settle_size(id, *resource, part);
}

void Placement::take_layout(ObjectId id, const VkImageSubresource& of, const VkSubresourceLayout& layout) {
  Resource* const image = resources_.find(id);
  if (image == nullptr || !image->is_linear || of.mipLevel >= image->mips || of.arrayLayer >= image->layers) return;
  if (!std::has_single_bit(of.aspectMask) || (of.aspectMask & image->aspects) == 0) return;
  image->layouts[{of.aspectMask, of.mipLevel, of.arrayLayer}] = {layout.offset, layout.size};
}

void Placement::forget(ObjectId id) {
  forget_resource(id);
  forget_structure(id);
  MemoryUse* const memory = memories_.find(id);
  if (memory == nullptr) return;
  memory->is_freed = true;
  if (memory->placed.empty()) memories_.erase(id);
}

void Placement::forget_resource(ObjectId id) {
  Resource* const resource = resources_.find(id);
  if (resource == nullptr) return;
  for (Part& part : resource->parts) unbind(id, part);
  if (resource->sparse != nullptr) release_all(id, *resource->sparse);
  resource->structures.each_over(0, UINT64_MAX, [&](const Entry& entry) {
    Structure* const structure = structures_.find(entry.object);
    RONDO_CHECK(structure != nullptr && structure->buffer == id);
    structure->buffer = ObjectId::null;
  });
  resources_.erase(id);
}

void Placement::forget_structure(ObjectId id) {
  const Structure* const structure = structures_.find(id);
  if (structure == nullptr) return;
  Resource* const buffer = resources_.find(structure->buffer);
  if (buffer != nullptr && structure->size != 0)
    buffer->structures.remove({structure->offset, structure->offset + structure->size, id, 0});
  structures_.erase(id);
}

void Placement::link(ObjectId memory, const Entry& entry) {
  MemoryUse* const use = memories_.find(memory);
  RONDO_CHECK(use != nullptr);
  RONDO_CHECK(entry.end <= use->size);
  use->placed.add(entry);
  changes_ += 1;
}

void Placement::unlink(ObjectId memory, const Entry& entry) {
  MemoryUse* const use = memories_.find(memory);
  RONDO_CHECK(use != nullptr);
  use->placed.remove(entry);
  changes_ += 1;
  if (use->is_freed && use->placed.empty()) memories_.erase(memory);
}

void Placement::unbind(ObjectId id, Part& part) {
  if (part.size != 0) unlink(part.memory, {part.offset, part.offset + part.size, id, 0});
  part = {.told = part.told};
}

void Placement::settle_size(ObjectId id, Resource& resource, Part& part) {
  const MemoryUse* const memory = memories_.find(part.memory);
  if (memory == nullptr) return;  // freed, and nothing lies there: not this part either
  const std::uint64_t room = part.offset < memory->size ? memory->size - part.offset : 0;
  const std::uint64_t least = resource.is_image ? 0 : resource.size;
  const std::uint64_t wanted = part.told != 0 ? std::max(part.told, least) : resource.is_image ? room : least;
  const std::uint64_t size = std::min(wanted, room);
  if (size == part.size) return;
  const ObjectId in = part.memory;
  const std::uint64_t before = part.size;
  part.size = size;
  // The new one first: a freed memory on which nothing lies is gone.
  if (size != 0) link(in, {part.offset, part.offset + size, id, 0});
  if (before != 0) unlink(in, {part.offset, part.offset + before, id, 0});
}

Placement::Kind Placement::kind_of(ObjectId id) const {
  if (const Structure* const structure = structures_.find(id); structure != nullptr) id = structure->buffer;
  const Resource* const resource = resources_.find(id);
  if (resource == nullptr) return Kind::none;
  if (resource->sparse != nullptr) return Kind::sparse;
  if (resource->swapchain) return Kind::swapchain;
  if (resource->has_planes) return Kind::planes;
  return resource->parts[0].memory != ObjectId::null ? Kind::memory : Kind::none;
}

std::optional<Placement::Place> Placement::of(ObjectId id, std::uint32_t plane) const {
  const Structure* const structure = structures_.find(id);
  const Resource* const resource = resources_.find(structure != nullptr ? structure->buffer : id);
  if (resource == nullptr || plane >= resource->parts.size()) return std::nullopt;
  const Part& part = resource->parts[plane];
  if (part.memory == ObjectId::null) return std::nullopt;
  if (structure == nullptr) return Place{part.memory, part.offset, part.size, part.told != 0};
  const std::uint64_t begin = std::min(structure->offset, part.size);
  return Place{part.memory, part.offset + begin, std::min(structure->size, part.size - begin), true};
}

std::optional<Placement::SwapchainImage> Placement::swapchain_image(ObjectId id) const {
  const Resource* const image = resources_.find(id);
  return image != nullptr ? image->swapchain : std::nullopt;
}

const Placement::Memory* Placement::memory(ObjectId id) const {
  const MemoryUse* const memory = memories_.find(id);
  return memory != nullptr && !memory->is_freed ? memory : nullptr;
}

std::vector<ObjectId> Placement::on(ObjectId id, std::uint64_t offset, std::uint64_t size) const {
  std::vector<ObjectId> found;
  const MemoryUse* const memory = memories_.find(id);
  if (memory == nullptr) return found;
  const std::uint64_t end = end_of(offset, size);
  memory->placed.each_over(offset, end, [&](const Entry& entry) {
    found.push_back(entry.object);
    const Resource* const resource = resources_.find(entry.object);
    RONDO_CHECK(resource != nullptr);
    const std::uint64_t from = std::max(entry.begin, offset) - entry.begin + entry.at;
    const std::uint64_t to = std::min(entry.end, end) - entry.begin + entry.at;
    resource->structures.each_over(from, to, [&](const Entry& structure) { found.push_back(structure.object); });
  });
  std::sort(found.begin(), found.end());
  found.erase(std::unique(found.begin(), found.end()), found.end());
  return found;
}

void Placement::bytes_of(const Touch& touch, Bytes& bytes) const {
  bytes.ranges.clear();
  bytes.whole = false;
  const Structure* const structure = structures_.find(touch.object);
  const Resource* const resource = resources_.find(structure != nullptr ? structure->buffer : touch.object);
  if (resource != nullptr && resource->is_image) {
    add_image(*resource, touch.part, bytes);
  } else if (resource != nullptr) {
    const std::uint64_t offset = structure != nullptr ? structure->offset : touch.offset;
    const std::uint64_t size = structure != nullptr ? structure->size : touch.size;
    if (!add_bytes(*resource, 0, offset, size, bytes)) add_memories(*resource->sparse, bytes);
  } else if (const MemoryUse* const memory = memories_.find(touch.object);
             memory != nullptr && touch.offset < memory->size) {
    bytes.ranges.push_back({touch.object, touch.offset, std::min(touch.size, memory->size - touch.offset)});
  }
  settle(bytes);
}

bool Placement::add_bytes(const Resource& resource, std::uint32_t plane, std::uint64_t begin, std::uint64_t size,
                          Bytes& bytes) const {
  if (resource.sparse != nullptr) return add_pieces(resource.sparse->pages, begin, size, bytes);
  const Part& part = resource.parts[plane];
  if (begin >= part.size) return true;
  RONDO_CHECK(part.memory != ObjectId::null);
  bytes.ranges.push_back({part.memory, part.offset + begin, std::min(size, part.size - begin)});
  return true;
}

void Placement::add_image(const Resource& image, const VkImageSubresourceRange& part, Bytes& bytes) const {
  if (image.is_linear && add_layouts(image, part, bytes)) return;
  bytes.ranges.clear();
  bytes.whole = true;
  VkImageAspectFlags aspects = part.aspectMask;
  if ((aspects & VK_IMAGE_ASPECT_COLOR_BIT) != 0) aspects |= kPlanes;
  if (image.sparse != nullptr) {
    const Sparse& sparse = *image.sparse;
    if (!add_pieces(sparse.pages, 0, UINT64_MAX, bytes) || !add_pieces(sparse.metadata, 0, UINT64_MAX, bytes) ||
        !add_regions(sparse, part, aspects, bytes))
      add_memories(sparse, bytes);
    return;
  }
  const bool all = !image.has_planes || image.has_memory_planes || (aspects & kPlanes) == 0;
  for (std::uint32_t plane = 0; plane < image.parts.size(); ++plane)
    if (all || (aspects & (VkImageAspectFlags{VK_IMAGE_ASPECT_PLANE_0_BIT} << plane) & kPlanes) != 0)
      add_bytes(image, plane, 0, UINT64_MAX, bytes);
}

bool Placement::add_layouts(const Resource& image, const VkImageSubresourceRange& part, Bytes& bytes) const {
  VkImageAspectFlags aspects = part.aspectMask;
  if ((aspects & VK_IMAGE_ASPECT_COLOR_BIT) != 0 && (image.aspects & kPlanes) != 0)
    aspects = (aspects & ~VkImageAspectFlags{VK_IMAGE_ASPECT_COLOR_BIT}) | (image.aspects & kPlanes);
  if (aspects == 0 || part.layerCount == 0 || image.has_memory_planes) return false;
  for (; aspects != 0; aspects &= aspects - 1) {
    const VkImageAspectFlags aspect = aspects & ~(aspects - 1);
    const std::uint32_t plane = image.has_planes ? plane_of(aspect) : 0;
    for (std::uint64_t mip = part.baseMipLevel; mip < std::uint64_t{part.baseMipLevel} + part.levelCount; ++mip) {
      auto known = image.layouts.lower_bound({aspect, static_cast<std::uint32_t>(mip), part.baseArrayLayer});
      for (std::uint32_t i = 0; i < part.layerCount; ++i, ++known) {
        // Each layer in its turn: where one is not known, the whole image is meant.
        const Subresource wanted{aspect, static_cast<std::uint32_t>(mip), part.baseArrayLayer + i};
        if (known == image.layouts.end() || known->first != wanted) return false;
        if (!add_bytes(image, plane, known->second.offset, known->second.size, bytes)) return false;
      }
    }
  }
  return true;
}

void Placement::settle(Bytes& bytes) {
  std::vector<Range>& ranges = bytes.ranges;
  std::erase_if(ranges, [](const Range& range) { return range.size == 0; });
  bytes.whole = bytes.whole && !ranges.empty();
  if (ranges.size() < 2) return;
  std::sort(ranges.begin(), ranges.end(), [](const Range& a, const Range& b) {
    return a.memory != b.memory ? a.memory < b.memory : a.offset < b.offset;
  });
  std::size_t last = 0;
  for (std::size_t i = 1; i < ranges.size(); ++i) {
    Range& into = ranges[last];
    const Range& next = ranges[i];
    RONDO_CHECK(into.memory <= next.memory);
    if (next.memory == into.memory && next.offset <= into.offset + into.size)
      into.size = std::max(into.size, next.offset - into.offset + next.size);
    else
      ranges[++last] = next;
  }
  ranges.resize(last + 1);
}

}  // namespace rondo::model
