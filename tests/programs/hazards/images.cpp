// SPDX-License-Identifier: Apache-2.0
// Images: other mips than those that are used, and changes of layout.
#include "plants.h"

namespace hazards {

namespace {

constexpr VkImageLayout kFilled = VK_IMAGE_LAYOUT_TRANSFER_DST_OPTIMAL, kRead = VK_IMAGE_LAYOUT_TRANSFER_SRC_OPTIMAL;
constexpr VkImageUsageFlags kBoth = VK_IMAGE_USAGE_TRANSFER_SRC_BIT | VK_IMAGE_USAGE_TRANSFER_DST_BIT;

// All levels of an image, one after the other in a buffer.
std::vector<VkBufferImageCopy> levels(const Image& image) {
  std::vector<VkBufferImageCopy> all;
  VkDeviceSize offset = 0;
  for (std::uint32_t level = 0; level < image.info.mipLevels; ++level) {
    const std::uint32_t extent = kExtent >> level;
    all.push_back({.bufferOffset = offset,
                   .imageSubresource = {VK_IMAGE_ASPECT_COLOR_BIT, level, 0, 1},
                   .imageExtent = {extent, extent, 1}});
    offset += extent * extent * 4;
  }
  return all;
}

void fill(Bench& b, const char* label, const MappedBuffer& from, const Image& to, VkImageLayout layout) {
  const std::vector<VkBufferImageCopy> all = levels(to);
  labelled(b, label, [&] {
    vkCmdCopyBufferToImage(b.cmd, from.buffer, to.image, layout, static_cast<std::uint32_t>(all.size()), all.data());
  });
}

void read(Bench& b, const char* label, const Image& from, VkImageLayout layout, const MappedBuffer& to) {
  const std::vector<VkBufferImageCopy> all = levels(from);
  labelled(b, label, [&] {
    vkCmdCopyImageToBuffer(b.cmd, from.image, layout, to.buffer, static_cast<std::uint32_t>(all.size()), all.data());
  });
}

Dependency change(const Image& image, const Scope& from, const Scope& to, VkImageLayout before, VkImageLayout after) {
  return {.from = from, .to = to, .image = image.image, .range = image.range, .before = before, .after = after};
}

// Both mips are written and read; the barrier is of one.
void other_mip(Bench& b) {
  constexpr VkImageLayout layout = VK_IMAGE_LAYOUT_GENERAL;
  const MappedBuffer x = make_buffer(b), y = make_buffer(b);
  const Image image = make_image(b, kBoth, 2);
  barrier(b, "start", {change(image, kNoSource, kCopyWrites, VK_IMAGE_LAYOUT_UNDEFINED, layout)});
  fill(b, "A", x, image, layout);
  Dependency d = change(image, kCopyWrites, kCopyReads, layout, layout);
  if (!b.clean) d.range.baseMipLevel = 1, d.range.levelCount = 1;
  barrier(b, "barrier1", {d});
  read(b, "B", image, layout, y);
}

// An image is filled, changes its layout by a barrier from `wrong`, and is read.
void filled_then_read(Bench& b, const Scope& wrong) {
  const MappedBuffer x = make_buffer(b), y = make_buffer(b);
  const Image image = make_image(b, kBoth);
  barrier(b, "start", {change(image, kNoSource, kCopyWrites, VK_IMAGE_LAYOUT_UNDEFINED, kFilled)});
  fill(b, "A", x, image, kFilled);
  barrier(b, "barrier1", {change(image, b.clean ? kCopyWrites : wrong, kCopyReads, kFilled, kRead)});
  read(b, "B", image, kRead, y);
}

void transition_wrong_source(Bench& b) { filled_then_read(b, stages_of(kComputeReads)); }
void transition_unavailable(Bench& b) { filled_then_read(b, stages_of(kCopyWrites)); }

// The change of layout makes the image ready for another stage than the one that reads.
void transition_wrong_destination(Bench& b) {
  const MappedBuffer x = make_buffer(b), y = make_buffer(b);
  const Image image = make_image(b, kBoth);
  barrier(b, "start", {change(image, kNoSource, kCopyWrites, VK_IMAGE_LAYOUT_UNDEFINED, kFilled)});
  fill(b, "A", x, image, kFilled);
  barrier(b, "barrier1", {change(image, kCopyWrites, b.clean ? kCopyReads : kFragmentSamples, kFilled, kRead)});
  read(b, "B", image, kRead, y);
}

// The layout changes while a copy may still read.
void transition_too_early(Bench& b) {
  const MappedBuffer x = make_buffer(b), y = make_buffer(b), z = make_buffer(b, 7);
  const Image image = make_image(b, kBoth);
  barrier(b, "start", {change(image, kNoSource, kCopyWrites, VK_IMAGE_LAYOUT_UNDEFINED, kFilled)});
  fill(b, "C", x, image, kFilled);
  barrier(b, "barrier0", {change(image, kCopyWrites, kCopyReads, kFilled, kRead)});
  read(b, "A", image, kRead, y);
  barrier(b, "barrier1", {change(image, b.clean ? stages_of(kCopyReads) : kNoSource, kCopyWrites, kRead, kFilled)});
  fill(b, "B", z, image, kFilled);
}

}  // namespace

std::vector<Plant> image_plants() {
  return {
      {"other-mip", Form::first, {"race RAW A B"}, other_mip},
      {"transition-wrong-source",
       Form::second,
       {"race WAW A barrier1", "allow race RAW A B", "allow too-wide barrier1"},
       transition_wrong_source},
      {"transition-unavailable", Form::first, {"race WAW A barrier1", "allow race RAW A B"}, transition_unavailable},
      {"transition-wrong-destination",
       Form::second,
       {"race RAW barrier1 B", "allow race RAW A B", "allow too-wide barrier1"},
       transition_wrong_destination},
      {"transition-too-early", Form::first, {"race WAR A barrier1", "allow race WAR A B"}, transition_too_early}};
}

}  // namespace hazards
