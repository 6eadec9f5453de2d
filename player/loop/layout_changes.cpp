// SPDX-License-Identifier: Apache-2.0
#include "player/loop/layout_changes.h"

#include <algorithm>
#include <cstring>

#include "format/codec/schema.h"

namespace rondo::player {

namespace {

bool same(const Transfer& a, const Transfer& b) {
  return a.resource == b.resource && a.is_image == b.is_image && a.offset == b.offset && a.size == b.size &&
         a.from == b.from && a.to == b.to && a.source == b.source && a.target == b.target &&
         std::memcmp(&a.range, &b.range, sizeof a.range) == 0;
}

std::vector<Transfer> without(const std::vector<Transfer>& all, const std::vector<Transfer>& those,
                              const std::function<bool(ObjectId)>& counts) {
  std::vector<Transfer> left;
  for (const Transfer& one : all)
    if (counts(one.resource) &&
        std::none_of(those.begin(), those.end(), [&](const Transfer& other) { return same(one, other); }))
      left.push_back(one);
  return left;
}

// Parts that changed alike, as few ranges as they make.
void add_ranges(ObjectId id, const ImageLayouts& before, const ImageLayouts& after,
                std::vector<LayoutChange>& changes) {
  const auto changed = [](const PartLayout& a, const PartLayout& b) { return !(a == b); };
  const bool whole = before.parts.empty() && after.parts.empty();
  if (whole && !changed(before.whole, after.whole)) return;
  std::vector<LayoutChange> ranges;
  const auto add = [&](const LayoutChange& one) {
    for (LayoutChange& other : ranges)
      if (other.range.aspectMask == one.range.aspectMask &&
          other.range.baseMipLevel + other.range.levelCount == one.range.baseMipLevel &&
          other.range.baseArrayLayer == one.range.baseArrayLayer && other.range.layerCount == one.range.layerCount &&
          other.before == one.before && other.after == one.after) {
        ++other.range.levelCount;
        return;
      }
    ranges.push_back(one);
  };
  const std::uint32_t mips = whole ? 1 : before.mips, layers = whole ? 1 : before.layers;
  for (std::size_t aspect = 0; aspect < before.aspects.size(); ++aspect)
    for (std::uint32_t mip = 0; mip < mips; ++mip)
      for (std::uint32_t layer = 0; layer < layers;) {
        const std::size_t row = (aspect * before.mips + mip) * before.layers;
        LayoutChange one{id, {}, before.at(row + layer), after.at(row + layer)};
        const std::uint32_t first = layer++;
        while (layer < layers && before.at(row + layer) == one.before && after.at(row + layer) == one.after) ++layer;
        if (!changed(one.before, one.after)) continue;
        one.range = {static_cast<VkImageAspectFlags>(before.aspects[aspect]), mip, 1, first, layer - first};
        add(one);
      }
  if (whole)
    for (LayoutChange& one : ranges) {
      one.range.levelCount = before.mips;
      one.range.layerCount = before.layers;
    }
  // Depth and stencil together, and planes as the color: who has not enabled more may not name one alone.
  const std::size_t begin = changes.size();
  for (const LayoutChange& one : ranges) {
    const auto found = std::find_if(changes.begin() + static_cast<std::ptrdiff_t>(begin), changes.end(),
                                    [&](const LayoutChange& other) {
                                      VkImageSubresourceRange range = one.range;
                                      range.aspectMask = other.range.aspectMask;
                                      return std::memcmp(&range, &other.range, sizeof range) == 0 &&
                                             other.before == one.before && other.after == one.after;
                                    });
    if (found == changes.end())
      changes.push_back(one);
    else
      found->range.aspectMask |= one.range.aspectMask;
  }
  VkImageAspectFlags all = 0;
  for (const VkImageAspectFlagBits aspect : before.aspects) all |= static_cast<VkImageAspectFlags>(aspect);
  for (std::size_t i = begin; before.planar && i < changes.size(); ++i)
    if (changes[i].range.aspectMask == all) changes[i].range.aspectMask = VK_IMAGE_ASPECT_COLOR_BIT;
}

bool touches(const ImageLayouts& image, const VkImageSubresourceRange& a, const VkImageSubresourceRange& b) {
  const PartRange x = parts_of(image, a), y = parts_of(image, b);
  const bool aspects = std::any_of(x.aspects.begin(), x.aspects.end(), [&](std::size_t aspect) {
    return std::find(y.aspects.begin(), y.aspects.end(), aspect) != y.aspects.end();
  });
  return aspects && x.first_mip < y.end_mip && y.first_mip < x.end_mip && x.first_layer < y.end_layer &&
         y.first_layer < x.end_layer;
}

bool is_bound_in_span(const Plan& plan, ObjectId image) {
  for (std::uint32_t i = plan.span.first; i < plan.span.last; ++i) {
    const Op& op = plan.ops[i];
    const CommandId id = codec::info(op.command).canonical;
    if (id != CommandId::vkBindImageMemory && id != CommandId::vkBindImageMemory2) continue;
    for (std::uint32_t p = 0; p < op.patches; ++p)
      if (plan.patches[op.first_patch + p].id == image) return true;
  }
  return false;
}

// What says PREINITIALIZED of a part that still is where the span begins is executed behind that, since
// there is no way back to it: that part can be GENERAL there, which is the same for what the host wrote.
void leave_preinitialized(Plan& plan, const Layouts& before, const std::vector<PreinitializedUse>& uses,
                          LayoutChanges& changes) {
  for (LayoutChange& change : changes.images) {
    if (change.before.layout != VK_IMAGE_LAYOUT_PREINITIALIZED) continue;
    const ImageLayouts& image = before.images.at(change.image);
    const auto names = [&](ObjectId id, const VkImageSubresourceRange& range) {
      return id == change.image && touches(image, range, change.range);
    };
    const bool given = std::any_of(before.transfers.begin(), before.transfers.end(),
                                   [&](const Transfer& t) { return t.is_image && names(t.resource, t.range); });
    const bool fixed = std::any_of(uses.begin(), uses.end(), [&](const PreinitializedUse& use) {
      return use.offset == kNone && names(use.image, use.range);
    });
    if (given || fixed || is_bound_in_span(plan, change.image)) continue;
    for (const PreinitializedUse& use : uses) {
      if (!names(use.image, use.range)) continue;
      const VkImageLayout general = VK_IMAGE_LAYOUT_GENERAL;
      std::memcpy(plan.arena.at(plan.ops[use.op].block) + use.offset, &general, sizeof general);
    }
    changes.preinitialized.push_back(change);
    change.before.layout = VK_IMAGE_LAYOUT_GENERAL;
  }
}

}  // namespace

LayoutChanges compare(const Layouts& before, const Layouts& after, const std::function<bool(ObjectId)>& counts) {
  LayoutChanges changes;
  changes.unanswered = without(after.transfers, before.transfers, counts);
  changes.answered = without(before.transfers, after.transfers, counts);
  for (const auto& [id, image] : before.images) {
    const auto found = after.images.find(id);
    if (found == after.images.end() || !counts(id)) continue;
    // What nobody answered is answered before anything is put back.
    ImageLayouts now = found->second;
    for (const Transfer& transfer : changes.unanswered) {
      if (!transfer.is_image || transfer.resource != id) continue;
      if (now.parts.empty()) now.parts.assign(now.part_count(), now.whole);
      parts_of(now, transfer.range).each(now, [&](std::size_t part) {
        if (transfer.from != transfer.to) now.parts[part].layout = transfer.to;
        now.parts[part].family = transfer.target;
      });
    }
    add_ranges(id, image, now, changes.images);
  }
  // The images' order is not the same in every process.
  std::stable_sort(changes.images.begin(), changes.images.end(),
                   [](const LayoutChange& a, const LayoutChange& b) { return a.image < b.image; });
  return changes;
}

LayoutChanges find_layout_changes(Plan& plan, const std::function<bool(ObjectId)>& counts) {
  LayoutTracker tracker(plan);
  for (std::uint32_t i = 0; i < plan.span.first; ++i) tracker.take(i);
  const Layouts before = tracker.now();
  tracker.keep_ended();
  for (std::uint32_t i = plan.span.first; i < plan.span.last; ++i) tracker.take(i);
  LayoutChanges changes = compare(before, tracker.now(), counts);
  changes.too_many = tracker.too_many();
  if (!changes.too_many) leave_preinitialized(plan, before, tracker.preinitialized(), changes);
  return changes;
}

}  // namespace rondo::player
