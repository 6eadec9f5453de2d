// SPDX-License-Identifier: Apache-2.0
// What a span may read before it writes it: bytes of memories and parts of images from before the span.
#pragma once

#include <map>
#include <set>
#include <vector>

#include "analyzers/trim/states.h"
#include "format/byte_ranges.h"
#include "model/access/model.h"
#include "player/plan/layouts.h"
#include "player/plan/plan.h"

namespace rondo::trim {

class Needs {
 public:
  // `states`: where the span begins, with its first record.
  Needs(const player::Plan& plan, const States& states, std::uint64_t begin);

  // Of the span, in order.
  void take(const access::Executed& executed);
  // Anything that addresses may lead to.
  void reach(const std::vector<ObjectId>& reachable, bool reads);
  void read_memory(ObjectId memory, std::uint64_t offset, std::uint64_t size);
  void read_buffer(ObjectId buffer, std::uint64_t offset, std::uint64_t size);
  void read_image(ObjectId image, const VkImageSubresourceRange& part);

  // From now on images() has the parts, too, that are forgotten (Touch::forgets) before they are used. A
  // program that uses them all the same sees what was there before, on a driver that keeps it.
  void add_forgotten() { with_forgotten_ = true; }
  // The images of which that adds parts that have a layout where the span begins.
  std::uint64_t images_with_forgotten() const;

  // By memory (index into Plan::memories).
  const std::map<std::uint32_t, Ranges>& memory() const { return memory_; }
  // Parts as Layouts counts them.
  using Parts = std::vector<bool>;
  const std::map<ObjectId, Parts>& images() const { return with_forgotten_ ? images_or_forgotten_ : images_; }
  // What the span names by address alone, if at all.
  const std::set<ObjectId>& reached() const { return reached_; }

 private:
  struct Written {
    std::map<std::uint32_t, Ranges> memory;
    std::map<ObjectId, Parts> images;
    std::map<ObjectId, Parts> filled;  // those of `images` that hold what was written
  };
  bool is_old(ObjectId id) const;
  // False: it lies nowhere where something from before the span could be.
  bool place(ObjectId buffer, std::uint64_t& memory_offset, std::uint32_t& memory) const;
  void read(std::uint32_t memory, std::uint64_t begin, std::uint64_t end);
  void read_pages(ObjectId resource);
  void touch_image(const access::Touch& touch, const player::ImageLayouts& image);

  const player::Plan& plan_;
  const player::Layouts& layouts_;
  const std::map<ObjectId, std::set<std::uint32_t>>& sparse_;
  const std::uint64_t begin_;
  Written written_;
  std::map<std::uint32_t, Ranges> memory_;
  std::map<ObjectId, Parts> images_, images_or_forgotten_;
  bool with_forgotten_ = false;
  std::set<ObjectId> reached_;
};

}  // namespace rondo::trim
