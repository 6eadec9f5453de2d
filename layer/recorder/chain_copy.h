// SPDX-License-Identifier: Apache-2.0
// A pNext chain of the program's, a part of it copied so that it can be
// changed: what the program passed may lie in memory that cannot be written.
#pragma once

#include <cstddef>
#include <memory>
#include <vector>

#include "format/vulkan.h"

namespace rondo::layer {

class ChainCopy {
 public:
  explicit ChainCopy(const void* chain) : first_(chain) {}

  const void* first() const { return first_; }
  // A copy of the first structure of this type, in its place; null if the chain
  // has none, or something before it whose size is not known.
  template <class T>
  T* change(VkStructureType type) {
    return static_cast<T*>(own(type));
  }
  // Takes it out. False as above.
  bool remove(VkStructureType type);

 private:
  void* own(VkStructureType type);

  const void* first_;
  std::size_t owned_ = 0;  // structures that are copies, from the first on
  std::vector<std::unique_ptr<std::max_align_t[]>> copies_;
};

}  // namespace rondo::layer
