// SPDX-License-Identifier: Apache-2.0
#include "analyzers/trim/split_checks.h"

#include "generated/args.h"
#include "model/gpu/texels.h"

namespace rondo::trim {

namespace {

constexpr std::size_t kMostParts = 4096;
constexpr VkAccessFlags2 kDraws =
    VK_ACCESS_2_COLOR_ATTACHMENT_WRITE_BIT | VK_ACCESS_2_DEPTH_STENCIL_ATTACHMENT_WRITE_BIT;
constexpr VkImageAspectFlags kDepthStencil = VK_IMAGE_ASPECT_DEPTH_BIT | VK_IMAGE_ASPECT_STENCIL_BIT;

bool is_image(const access::Touch& touch) { return touch.part.levelCount != 0; }

}  // namespace

SplitChecks::SplitChecks() : model_([this](const access::Executed& executed) { take(executed); }) {}

void SplitChecks::watch(std::set<std::uint64_t> kept, std::uint64_t last, std::uint64_t pass_end) {
  kept_ = std::move(kept);
  last_ = last;
  pass_end_ = pass_end;
}

void SplitChecks::take(const model::Call& call) {
  model_.take(call);
  for (const ObjectId id : call.resolution.ended) {
    images_.erase(id);
    views_.erase(id);
  }
  if (call.resolution.created.size() != 1) return;
  const ObjectId made = call.resolution.created[0];
  if (call.command.canonical == CommandId::vkCreateImage) {
    const VkImageCreateInfo& info = *call.as<args_vkCreateImage>().pCreateInfo;
    images_[made] = {info.format, info.samples != VK_SAMPLE_COUNT_1_BIT ||
                                      (info.usage & VK_IMAGE_USAGE_TRANSIENT_ATTACHMENT_BIT) != 0 ||
                                      gpu::is_planar(info.format)};
  } else if (call.command.canonical == CommandId::vkCreateImageView) {
    views_[made] = call.id(&call.as<args_vkCreateImageView>().pCreateInfo->image);
  }
}

void SplitChecks::take(const access::Executed& executed) {
  const bool last = executed.record == last_ || (pass_end_ != 0 && executed.record == pass_end_);
  if (!last && kept_.count(executed.record) == 0) return;
  for (const access::Touch& touch : executed.touches) {
    if (!touch.writes()) continue;
    if (is_image(touch)) {
      if (last) add_parts(touch);
    } else if (touch.size != 0 && kept_.count(executed.record) != 0) {
      buffers_[touch.object].add(touch.offset, touch.offset + touch.size);
    }
  }
}

void SplitChecks::add_parts(const access::Touch& touch) {
  const bool drawn = (touch.access & kDraws) != 0;
  for (std::uint32_t mip = 0; mip < touch.part.levelCount; ++mip)
    for (std::uint32_t layer = 0; layer < touch.part.layerCount; ++layer)
      for (const VkImageAspectFlags aspect :
           {VK_IMAGE_ASPECT_COLOR_BIT, VK_IMAGE_ASPECT_DEPTH_BIT, VK_IMAGE_ASPECT_STENCIL_BIT}) {
        if ((touch.part.aspectMask & aspect) == 0 || parts_.size() >= kMostParts) continue;
        bool& is_drawn =
            parts_[{touch.object, touch.part.baseMipLevel + mip, touch.part.baseArrayLayer + layer, aspect}];
        is_drawn = is_drawn || drawn;
      }
}

bool SplitChecks::layout_of(ObjectId image, VkImageAspectFlags aspect, const PassShape& pass,
                            VkImageLayout& layout) const {
  bool found = false;
  for (const PassAttachment& a : pass.attachments) {
    const auto view = views_.find(a.view);
    if (view == views_.end() || view->second != image || (a.aspects & aspect) == 0) continue;
    layout = aspect == VK_IMAGE_ASPECT_STENCIL_BIT ? a.stencil_layout : a.layout;
    found = true;
  }
  return found;
}

Result<std::uint64_t> SplitChecks::write(RecordEncoder& out, VkQueue queue, const PassShape* pass,
                                         const ObjectTable& table) const {
  const auto& objects = table.objects();
  std::vector<VkImage> images;
  std::vector<RondoSubresource> parts;
  for (const auto& [part, drawn] : parts_) {
    const auto& [image, mip, layer, aspect] = part;
    const auto facts = images_.find(image);
    if (facts != images_.end() && facts->second.unreadable) continue;
    VkImageLayout layout = VK_IMAGE_LAYOUT_GENERAL;  // storage images
    VkImageAspectFlags together = aspect;
    if (drawn) {
      if (pass == nullptr || !layout_of(image, aspect, *pass, layout)) continue;
      VkImageLayout other = layout;
      const bool both =
          facts != images_.end() && (gpu::aspects_of(facts->second.format) & kDepthStencil) == kDepthStencil;
      if (both && (!layout_of(image, kDepthStencil & ~aspect, *pass, other) || other == layout))
        together = kDepthStencil;
    }
    images.push_back(reinterpret_cast<VkImage>(objects[image].captured));
    parts.push_back({aspect, together, mip, layer, layout});
  }
  std::vector<VkBuffer> buffers;
  std::vector<RondoRange> ranges;
  for (const auto& [buffer, written] : buffers_)
    for (const auto& [begin, end] : written.all()) {
      if (objects[buffer].type != HandleType::VkBuffer) continue;
      buffers.push_back(reinterpret_cast<VkBuffer>(objects[buffer].captured));
      ranges.push_back({begin, end - begin});
    }
  const std::vector<RondoDigest> digests(std::max(parts.size(), ranges.size()));
  if (!parts.empty()) {
    const args_rondoCheckpointSubresources args{
        queue, static_cast<std::uint32_t>(parts.size()), images.data(), parts.data(), digests.data(), nullptr};
    RONDO_TRY(out.write(CommandId::rondoCheckpointSubresources, args));
  }
  if (!ranges.empty()) {
    const args_rondoCheckpointBuffers args{
        queue, static_cast<std::uint32_t>(ranges.size()), buffers.data(), ranges.data(), digests.data(), nullptr};
    RONDO_TRY(out.write(CommandId::rondoCheckpointBuffers, args));
  }
  return parts.size() + ranges.size();
}

}  // namespace rondo::trim
