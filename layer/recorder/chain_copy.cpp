// SPDX-License-Identifier: Apache-2.0
#include "layer/recorder/chain_copy.h"

#include <vulkan/vk_layer.h>

#include <cstring>

#include "format/codec/schema.h"

namespace rondo::layer {

namespace {

std::size_t size_of(VkStructureType type) {
  if (type == VK_STRUCTURE_TYPE_LOADER_DEVICE_CREATE_INFO) return sizeof(VkLayerDeviceCreateInfo);
  const StructId id = codec::structure_by_stype(static_cast<std::uint32_t>(type));
  return id == StructId::none ? 0 : codec::info(id).size;
}

}  // namespace

void* ChainCopy::own(VkStructureType type) {
  // Nothing is copied before it is known that all of it can be.
  std::size_t wanted = 0;
  for (auto* s = static_cast<const VkBaseInStructure*>(first_);; s = s->pNext) {
    if (s == nullptr || size_of(s->sType) == 0) return nullptr;
    ++wanted;
    if (s->sType == type) break;
  }
  VkBaseOutStructure* before = nullptr;
  auto* at = static_cast<const VkBaseInStructure*>(first_);
  for (std::size_t i = 0; i < wanted; ++i) {
    if (i >= owned_) {
      const std::size_t bytes = size_of(at->sType);
      copies_.push_back(
          std::make_unique<std::max_align_t[]>((bytes + sizeof(std::max_align_t) - 1) / sizeof(std::max_align_t)));
      std::memcpy(copies_.back().get(), at, bytes);
      at = reinterpret_cast<const VkBaseInStructure*>(copies_.back().get());
      if (before == nullptr)
        first_ = at;
      else
        before->pNext = reinterpret_cast<VkBaseOutStructure*>(copies_.back().get());
      owned_ = i + 1;
    }
    before = const_cast<VkBaseOutStructure*>(reinterpret_cast<const VkBaseOutStructure*>(at));
    at = at->pNext;
  }
  return before;
}

bool ChainCopy::remove(VkStructureType type) {
  auto* const gone = static_cast<VkBaseOutStructure*>(own(type));
  if (gone == nullptr) return false;
  --owned_;
  if (first_ == gone) {
    first_ = gone->pNext;
    return true;
  }
  auto* before = const_cast<VkBaseOutStructure*>(static_cast<const VkBaseOutStructure*>(first_));
  while (before->pNext != gone) before = before->pNext;
  before->pNext = gone->pNext;
  return true;
}

}  // namespace rondo::layer
