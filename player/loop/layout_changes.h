// SPDX-License-Identifier: Apache-2.0
// What a span leaves otherwise than it found it, of the layouts of images and
// of which queue family owns what: what a loop puts back.
#pragma once

#include <functional>
#include <vector>

#include "player/plan/layouts.h"

namespace rondo::player {

struct LayoutChange {
  ObjectId image = ObjectId::null;
  VkImageSubresourceRange range{};
  PartLayout before, after;
};

struct LayoutChanges {
  std::vector<LayoutChange> images;
  // Given up in the span and not answered in it; given up before it, and answered.
  std::vector<Transfer> unanswered, answered;
  // PREINITIALIZED where the span begins and not where it ends: there is no way back, so they are
  // GENERAL there, and what says otherwise in the plan is changed to that.
  std::vector<LayoutChange> preinitialized;
  bool too_many = false;  // to be followed
};

// Between two moments, of the images and buffers that `counts` wants.
LayoutChanges compare(const Layouts& before, const Layouts& after, const std::function<bool(ObjectId)>& counts);

// Of the plan's span. Changes where ops of the plan say PREINITIALIZED.
LayoutChanges find_layout_changes(Plan& plan, const std::function<bool(ObjectId)>& counts);

}  // namespace rondo::player
