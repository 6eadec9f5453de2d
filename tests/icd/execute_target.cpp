// SPDX-License-Identifier: Apache-2.0
// What a render pass instance does to its attachments: load, the draws'
// patterns, resolve, store.
#include <algorithm>
#include <bit>

#include "tests/icd/clear.h"
#include "tests/icd/execute.h"
#include "tests/icd/order_gather.h"
#include "tests/icd/resolve.h"

namespace fake {
namespace {

std::uint32_t layers_of(const RenderTarget& target, const Attachment& attachment) {
  const auto layers =
      target.view_mask != 0 ? static_cast<std::uint32_t>(std::bit_width(target.view_mask)) : target.layers;
  return std::min(layers, attachment.range.layerCount);
}

// `visit(box, aspect)` for each layer and aspect of the attachment in the area.
template <class Visit>
void each_box(const RenderTarget& target, const Attachment& attachment, const Visit& visit) {
  if (attachment.image == nullptr) return;
  for (const VkImageAspectFlagBits aspect : aspects_of(*attachment.image, attachment.range.aspectMask))
    for (std::uint32_t layer = 0; layer < layers_of(target, attachment); ++layer) {
      if (target.view_mask != 0 && (target.view_mask >> layer & 1) == 0) continue;
      const Box box = box_of_area(*attachment.image, aspect, attachment.range, layer, target.area);
      if (!box.empty()) visit(box, aspect);
    }
}

void load(const RenderTarget& target, const Attachment& attachment) {
  each_box(target, attachment, [&](const Box& box, VkImageAspectFlagBits aspect) {
    const VkAttachmentLoadOp how = aspect == VK_IMAGE_ASPECT_STENCIL_BIT ? attachment.stencil_load : attachment.load;
    if (how == VK_ATTACHMENT_LOAD_OP_CLEAR)
      clear_box(box, *attachment.image, attachment.format, aspect, attachment.clear);
    else if (how == VK_ATTACHMENT_LOAD_OP_DONT_CARE || (attachment.discarded && how == VK_ATTACHMENT_LOAD_OP_LOAD))
      scramble(box);
  });
}

void store(const RenderTarget& target, const Attachment& attachment) {
  each_box(target, attachment, [&](const Box& box, VkImageAspectFlagBits aspect) {
    const VkAttachmentStoreOp how = aspect == VK_IMAGE_ASPECT_STENCIL_BIT ? attachment.stencil_store : attachment.store;
    if (how == VK_ATTACHMENT_STORE_OP_DONT_CARE && !attachment.read_only) scramble(box);
  });
}

void resolve(const RenderTarget& target, const Attachment& attachment) {
  if (attachment.image == nullptr || attachment.resolve == nullptr || attachment.resolve->image == nullptr) return;
  const ImageView& to = *attachment.resolve;
  for (const VkImageAspectFlagBits aspect : aspects_of(*to.image, to.range.aspectMask & attachment.range.aspectMask))
    for (std::uint32_t layer = 0; layer < std::min(layers_of(target, attachment), to.range.layerCount); ++layer)
      resolve_box(box_of_area(*attachment.image, aspect, attachment.range, layer, target.area),
                  box_of_area(*to.image, aspect, to.range, layer, target.area));
}

void fold(Hash& hash, const Box& box) {
  for (std::size_t slice = 0; slice < box.slices.size(); ++slice)
    for (std::uint32_t y = 0; y < box.height; ++y) hash.bytes(box.row(slice, y), box.row_bytes());
}

void draw_over(const Box& box, std::uint64_t seed) {
  for (std::size_t slice = 0; slice < box.slices.size(); ++slice)
    for (std::uint32_t y = 0; y < box.height; ++y) {
      Hash row(seed);
      row.value(slice << 32 | y);
      fill_pattern(box.row(slice, y), box.row_bytes(), row.digest());
    }
}

}  // namespace

void Execution::begin_target(RenderTarget target) {
  target_ = std::move(target);
  if (gatherer != nullptr) return gatherer->begin_target(*this);
  load_attachments(false);
  load_attachments(true);
}

void Execution::load_attachments(bool depth) {
  for (const Attachment& a : depth ? target_->depth_stencil : target_->colors) load(*target_, a);
}

void Execution::finish_attachments(bool depth) {
  for (const Attachment& a : depth ? target_->depth_stencil : target_->colors) resolve(*target_, a);
  for (const Attachment& a : depth ? target_->depth_stencil : target_->colors) store(*target_, a);
}

void Execution::end_target() {
  if (!target_) return;
  if (gatherer != nullptr) {
    gatherer->end_target(*this);
    return target_.reset();
  }
  flush_target();
  for (const Attachment& a : target_->colors) resolve(*target_, a);
  for (const Attachment& a : target_->depth_stencil) resolve(*target_, a);
  for (const Attachment& a : target_->colors) store(*target_, a);
  for (const Attachment& a : target_->depth_stencil) store(*target_, a);
  target_.reset();
}

void Execution::flush_target() {
  if (!target_ || !target_->drawn) return;
  target_->drawn = false;
  Hash hash(target_->digest);
  const auto all = [this](const auto& visit) {
    for (const Attachment& a : target_->colors) visit(a);
    for (const Attachment& a : target_->depth_stencil) visit(a);
  };
  all([&](const Attachment& a) {
    each_box(*target_, a, [&](const Box& box, VkImageAspectFlagBits) { fold(hash, box); });
  });
  std::uint64_t place = 0;
  all([&](const Attachment& a) {
    each_box(*target_, a, [&](const Box& box, VkImageAspectFlagBits) {
      Hash seed(hash.digest());
      seed.value(++place);
      if (!a.read_only) draw_over(box, seed.digest());
    });
  });
}

}  // namespace fake
