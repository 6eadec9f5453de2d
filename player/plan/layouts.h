// SPDX-License-Identifier: Apache-2.0
// In which layout every image is, part by part, and which queue family owns it:
// from the plan alone, behind any of its ops, without a device. Submits count
// in the order in which they run.
#pragma once

#include <cstdint>
#include <unordered_map>
#include <vector>

#include "format/check.h"
#include "player/plan/plan.h"
#include "player/plan/recordings.h"
#include "player/plan/submit_order.h"

namespace rondo::player {

// Of one part: an aspect of a layer of a mip.
struct PartLayout {
  VkImageLayout layout = VK_IMAGE_LAYOUT_UNDEFINED;
  // That used it last; IGNORED: none yet, only the host, or all that share it.
  std::uint32_t family = VK_QUEUE_FAMILY_IGNORED;
  friend bool operator==(const PartLayout&, const PartLayout&) = default;
};

struct ImageLayouts {
  std::uint32_t mips = 1, layers = 1;  // slices of a 3D image are no layers
  bool shared = false;                 // by families
  bool planar = false, volume = false;
  std::vector<VkImageAspectFlagBits> aspects;  // the planes of planar ones
  PartLayout whole;                            // where all parts have the same
  std::vector<PartLayout> parts;               // else: by aspect, mip and layer
  std::size_t part_count() const { return aspects.size() * mips * layers; }
  const PartLayout& at(std::size_t part) const { return parts.empty() ? whole : parts[part]; }
};

// A barrier by which one family gave something up, and that no other has answered yet.
using Transfer = model::Transition;

struct Layouts {
  std::unordered_map<ObjectId, ImageLayouts> images;
  std::vector<Transfer> transfers;  // in their order
};

class LayoutTracker {
 public:
  explicit LayoutTracker(const Plan& plan) : plan_(plan), recordings_(plan, model::kTransitions), order_(plan) {}
  // The next op of the plan.
  void take(std::uint32_t op);
  const Layouts& now() const { return now_; }
  // Images that end from here on stay as they were then.
  void keep_ended() { keeps_ended_ = true; }
  const std::vector<PreinitializedUse>& preinitialized() const { return recordings_.preinitialized(); }
  // More than can be followed, of a hostile file: what is said is wrong then.
  bool too_many() const { return too_many_ || recordings_.too_many(); }

 private:
  friend struct test::Tamper;
  void lose_parts(std::size_t count);
  void add_image(ObjectId id, const VkImageCreateInfo& info);
  void add_swapchain(const Op& op);
  void apply(const model::Transition& effect, std::uint32_t family);

  const Plan& plan_;
  Recordings recordings_;
  SubmitOrder order_;
  OpView view_;
  Layouts now_;
  std::unordered_map<ObjectId, std::uint32_t> families_;  // of queues
  std::vector<std::uint32_t> run_;                        // reused
  static constexpr std::size_t kMostParts = 1 << 24, kMostTransfers = 1 << 16;
  std::size_t parts_ = 0;  // of all images that are not whole
  bool keeps_ended_ = false;
  bool too_many_ = false;
};

// The parts of an image that a range names, as indexes; whether it names all.
struct PartRange {
  std::vector<std::size_t> aspects;
  std::uint32_t first_mip = 0, end_mip = 0, first_layer = 0, end_layer = 0;
  bool all = false;
  template <class Visit>
  void each(const ImageLayouts& image, Visit&& visit) const {
    for (const std::size_t aspect : aspects)
      for (std::uint32_t mip = first_mip; mip < end_mip; ++mip)
        for (std::uint32_t layer = first_layer; layer < end_layer; ++layer)
          visit((aspect * image.mips + mip) * image.layers + layer);
  }
};
PartRange parts_of(const ImageLayouts& image, const VkImageSubresourceRange& range);

}  // namespace rondo::player
