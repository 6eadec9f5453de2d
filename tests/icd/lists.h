// SPDX-License-Identifier: Apache-2.0
// Lists that are asked for twice: first how many, then which. Private to tests/icd.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "format/vulkan.h"

namespace fake {

template <class T>
VkResult fill_list(const std::vector<T>& all, std::uint32_t* count, T* out) {
  const auto total = static_cast<std::uint32_t>(all.size());
  if (out == nullptr) {
    *count = total;
    return VK_SUCCESS;
  }
  *count = std::min(*count, total);
  std::copy_n(all.begin(), *count, out);
  return *count < total ? VK_INCOMPLETE : VK_SUCCESS;
}

// Structures with a chain: `assign(element, out)` leaves sType and pNext alone.
template <class T, class Out, class Assign>
VkResult fill_chained(const std::vector<T>& all, std::uint32_t* count, Out* out, Assign assign) {
  const auto total = static_cast<std::uint32_t>(all.size());
  if (out == nullptr) {
    *count = total;
    return VK_SUCCESS;
  }
  *count = std::min(*count, total);
  for (std::uint32_t i = 0; i < *count; ++i) assign(all[i], out[i]);
  return *count < total ? VK_INCOMPLETE : VK_SUCCESS;
}

}  // namespace fake
