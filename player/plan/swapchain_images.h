// SPDX-License-Identifier: Apache-2.0
// Images that the program made itself of a swapchain (VkImageSwapchainCreateInfoKHR). Here such an image is
// the swapchain's own of the same index: it is neither made nor bound nor destroyed.
#pragma once

#include "player/plan/plan.h"

namespace rondo::player {

class Run;

struct MadeOfSwapchain {
  ObjectId swapchain = ObjectId::null;  // null: the image was made of none
  std::uint32_t index = kNone;          // kNone: it was never bound
};
MadeOfSwapchain made_of_swapchain(const Plan& plan, ObjectId image);
void note_made_of_swapchain(Plan& plan, ObjectId image, const MadeOfSwapchain& made);
// The swapchain that this image is of, told by it or made of it; 0: it is of none.
ObjectId swapchain_of(const Plan& plan, ObjectId image);
// It was made of a swapchain that was destroyed.
bool outlives_its_swapchain(const Plan& plan, ObjectId image);
// What the call that makes the image returns in the replay.
Result<VkImage> image_of_swapchain(Run& run, const Op& op, const MadeOfSwapchain& made);

}  // namespace rondo::player
