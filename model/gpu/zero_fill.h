// SPDX-License-Identifier: Apache-2.0
// Zeroes fresh memory, so that what a program never wrote reads the same in a
// capture and its replays. Only for what nobody has used yet.
#pragma once

#include <span>

#include "format/result.h"
#include "model/gpu/access.h"
#include "model/gpu/one_shot.h"

namespace rondo::gpu {

// Whether zero_fill may be asked for an allocation of a type with `flags`: it
// is mapped, or a plain buffer is bound to it for a moment, which dedicated
// and exported memory do not allow; imported memory is not the program's alone.
bool can_zero(const VkMemoryAllocateInfo& info, VkMemoryPropertyFlags flags);

// What becomes of the pages of host-visible memory that were cleared.
enum class HostPages {
  keep,
  // The kernel gets them back, and new ones read as zeros: nobody may have used them before, and
  // a program that asks for much and uses little pays for what it uses. Only where the driver
  // works in this process: its memory is ordinary.
  give_back,
};

// Host-visible memory is mapped, cleared and unmapped; other memory is filled
// by a transfer on `queue` (of the family of `commands`; both may be null when
// the memory type is host-visible). Returns when the memory is zero. `bytes`
// is the allocation's size. An allocation that is not host-visible and whose
// type holds no buffers is an error.
Result<void> zero_fill(const Access& access, VkDeviceMemory memory, VkDeviceSize bytes, std::uint32_t memory_type,
                       VkQueue queue, OneShot* commands, HostPages pages = HostPages::keep);

// The same of a color image (a swapchain's) with TRANSFER_DST usage, all of it, whose
// contents nobody needs. Behind `wait`; signals `signal`. `queue` can do graphics or compute.
// The layout is PRESENT_SRC afterwards.
Result<void> zero_swapchain_image(const Access& access, VkImage image, VkQueue queue, OneShot& commands,
                                  std::span<const VkSemaphore> wait, std::span<const VkSemaphore> signal);

}  // namespace rondo::gpu
