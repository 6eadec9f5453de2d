// SPDX-License-Identifier: Apache-2.0
// Walking pNext chains.
#pragma once

#include "format/vulkan.h"

namespace rondo::layer {

// The first structure of this type, or null.
template <class T>
const T* find_in_chain(const void* chain, VkStructureType type) {
  for (auto* s = static_cast<const VkBaseInStructure*>(chain); s != nullptr; s = s->pNext)
    if (s->sType == type) return reinterpret_cast<const T*>(s);
  return nullptr;
}

// The loader's own, which it lets layers change.
template <class T, class Function>
T* find_loader_info(const void* chain, VkStructureType type, Function function) {
  for (auto* s = static_cast<const VkBaseInStructure*>(chain); s != nullptr; s = s->pNext) {
    auto* info = const_cast<T*>(reinterpret_cast<const T*>(s));
    if (s->sType == type && info->function == function) return info;
  }
  return nullptr;
}

}  // namespace rondo::layer
