// SPDX-License-Identifier: Apache-2.0
// The kinds of memory that the fake device has, and what may lie in which.
#pragma once

#include <cstdint>

#include "tests/icd/objects.h"

namespace fake {

// Device local; host visible, not coherent; host visible, coherent, cached; a
// small heap that is both device local and host visible.
VkPhysicalDeviceMemoryProperties memory_properties();

std::uint32_t all_memory_types();     // bits: buffers, linear images
std::uint32_t optimal_image_types();  // not host visible, but for a unified device
std::uint32_t import_types();         // of host pointers

// Of the driver's own: no object of the program's. Null: beyond the budget.
std::shared_ptr<Memory> own_memory(VkDeviceSize size);
// The same without memory, for as long as it is held: what other allocations come to.
std::shared_ptr<const void> reserve(std::uint64_t bytes);

// For the file that the setting `contents` names. An instance is made: the numbers of allocations begin again.
// The file gets "instance" for that, and "NUMBER SIZE DIGEST" for each allocation when its memory ends.
void note_instance();
// The file that the setting `peak` names gets a number for each new peak: the most bytes that vkAllocateMemory gave
// at one time, without the driver's own. The last line is the peak.

std::shared_ptr<Image> make_image(const VkImageCreateInfo& info);  // without a handle
VkDeviceSize plane_size(const Image& image, const Plane& plane);

}  // namespace fake
