// SPDX-License-Identifier: Apache-2.0
#include "player/plan/swapchain_images.h"

#include "player/run/run.h"

namespace rondo::player {

// Where a buffer has its opaque address, which no image has: the swapchain, and the index below it.
MadeOfSwapchain made_of_swapchain(const Plan& plan, ObjectId image) {
  const std::uint32_t place = plan.place_of(image);
  if (place >= plan.resources.size()) return {};
  const CapturedResource& resource = plan.resources[place];
  if (resource.id != image || !resource.image || resource.opaque == 0) return {};
  const std::uint64_t both = resource.opaque;
  return {static_cast<ObjectId>(both >> 32), static_cast<std::uint32_t>(both)};
}

void note_made_of_swapchain(Plan& plan, ObjectId image, const MadeOfSwapchain& made) {
  const std::uint32_t place = plan.place_of(image);
  if (place < plan.resources.size() && plan.resources[place].id == image)
    plan.resources[place].opaque = std::uint64_t{index_of(made.swapchain)} << 32 | made.index;
}

ObjectId swapchain_of(const Plan& plan, ObjectId image) {
  const ByObject<Object>& objects = plan.objects.objects();
  if (objects[image].type != HandleType::VkImage) return ObjectId::null;
  const ObjectId parent = objects[image].parent;
  return objects[parent].type == HandleType::VkSwapchainKHR ? parent : made_of_swapchain(plan, image).swapchain;
}

bool outlives_its_swapchain(const Plan& plan, ObjectId image) {
  const ObjectId swapchain = made_of_swapchain(plan, image).swapchain;
  return swapchain != ObjectId::null && !plan.objects.objects()[swapchain].alive;
}

Result<VkImage> image_of_swapchain(Run& run, const Op& op, const MadeOfSwapchain& made) {
  const std::uint32_t index = made.index == kNone ? 0 : made.index;  // nothing uses one that was never bound
  const std::uint32_t place = run.plan().place_of(made.swapchain);
  if (place >= run.swapchains().size() || run.swapchains()[place] == nullptr ||
      index >= run.swapchains()[place]->images.size())
    return tl::unexpected<Error>(
        run.refuse(op, Status::unreadable, "the swapchain of the image does not exist when the image is made"));
  return run.swapchains()[place]->images[index];
}

}  // namespace rondo::player
