// SPDX-License-Identifier: Apache-2.0
// pNext chains in a run's own scratch, which may be changed.
#pragma once

#include "format/vulkan.h"

namespace rondo::player {

// Takes the structures out that `wrong(VkBaseInStructure&)` says so of.
template <class Wrong>
void unchain(const void*& chain, Wrong wrong) {
  const void** link = &chain;
  while (*link != nullptr) {
    auto* s = const_cast<VkBaseInStructure*>(static_cast<const VkBaseInStructure*>(*link));
    if (wrong(*s))
      *link = s->pNext;
    else
      link = reinterpret_cast<const void**>(&s->pNext);
  }
}

}  // namespace rondo::player
