// SPDX-License-Identifier: Apache-2.0
// Which buffers and images there are behind an op of a plan, and what of them can be read there: from the plan
// alone, without a device.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "format/result.h"
#include "player/plan/plan.h"

namespace rondo::player {

// One aspect, or plane, of a layer of a mip. Slices of a 3D image are no layers.
struct SnapshotPart {
  VkImageAspectFlagBits aspect = VK_IMAGE_ASPECT_COLOR_BIT;
  VkImageAspectFlags together = VK_IMAGE_ASPECT_COLOR_BIT;  // what changes its layout with it
  std::uint32_t mip = 0, layer = 0;
  VkExtent3D extent{};  // of the mip, and of the plane
  VkImageLayout layout = VK_IMAGE_LAYOUT_UNDEFINED;
  std::uint32_t family = VK_QUEUE_FAMILY_IGNORED;  // that it belongs to; IGNORED: any may read it
  std::string unreadable;                          // why it cannot be read; empty: it can
};

struct SnapshotImage {
  ObjectId id = ObjectId::null;
  std::uint32_t device = kNone;         // index into Plan::devices
  std::uint32_t create_op = kNone;      // of a swapchain's image: the swapchain's
  ObjectId swapchain = ObjectId::null;  // that it is of; null: none
  std::uint32_t index = 0;              // among the images of the swapchain
  bool presented = false;               // by the last present before
  VkImageType type{};
  VkFormat format{};
  VkExtent3D extent{};
  std::uint32_t mips = 1, layers = 1;
  VkSampleCountFlagBits samples = VK_SAMPLE_COUNT_1_BIT;
  VkImageTiling tiling{};
  VkImageUsageFlags usage = 0;          // as the program asked for it
  ObjectId memory = ObjectId::null;     // null: none, or several, or the swapchain's own
  VkDeviceSize offset = 0;              // in it
  std::vector<std::uint32_t> families;  // that share it; empty: nobody does
  std::vector<SnapshotPart> parts;      // by aspect, mip and layer
  std::string unreadable;               // why none of them can be read
};

struct SnapshotBuffer {
  ObjectId id = ObjectId::null;
  std::uint32_t device = kNone;
  std::uint32_t create_op = kNone;
  VkDeviceSize bytes = 0;
  VkFlags64 usage = 0;               // as the program asked for it
  ObjectId memory = ObjectId::null;  // null: none
  VkDeviceSize offset = 0;
  std::vector<std::uint32_t> families;
  std::string unreadable;
};

// In the order of their creation.
struct SnapshotList {
  std::vector<SnapshotImage> images;
  std::vector<SnapshotBuffer> buffers;
};

// Alive in front of the op of this index, which may be the end of the plan.
Result<SnapshotList> list_alive(const Plan& plan, std::uint32_t op);

}  // namespace rondo::player
