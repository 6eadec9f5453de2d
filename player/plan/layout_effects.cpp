// SPDX-License-Identifier: Apache-2.0
#include "player/plan/layout_effects.h"

#include <algorithm>
#include <span>

#include "format/codec/schema.h"
#include "format/native_view.h"
#include "generated/args.h"
#include "player/plan/plan_edit.h"

namespace rondo::player {

std::uint32_t LayoutEffects::offset_of(const void* member) const {
  return static_cast<std::uint32_t>(static_cast<const std::byte*>(member) - &view_.as<std::byte>());
}

void LayoutEffects::add(Effects& to, const LayoutEffect& effect, std::uint32_t op, const VkImageLayout* says) {
  if (effects_ >= kMostEffects) {
    too_many_ = true;
    return;
  }
  if (effect.from == VK_IMAGE_LAYOUT_PREINITIALIZED)
    preinitialized_.push_back({effect.resource, effect.range, op, says != nullptr ? offset_of(says) : kNone});
  to.push_back(effect);
  if (&to != &at_once_) ++effects_;
}

template <class Barrier>
void LayoutEffects::add_images(Effects& to, std::uint32_t op, const Barrier* barriers, std::uint32_t count) {
  for (const Barrier& b : std::span(barriers, count)) {
    LayoutEffect effect;
    effect.resource = view_.id(&b.image);
    effect.range = b.subresourceRange;
    effect.from = b.oldLayout;
    effect.to = b.newLayout;
    effect.source = b.srcQueueFamilyIndex;
    effect.target = b.dstQueueFamilyIndex;
    add(to, effect, op, &b.oldLayout);
  }
}

// Of buffers only who owns them.
template <class Barrier>
void LayoutEffects::add_buffers(Effects& to, std::uint32_t op, const Barrier* barriers, std::uint32_t count) {
  for (const Barrier& b : std::span(barriers, count)) {
    if (b.srcQueueFamilyIndex == b.dstQueueFamilyIndex) continue;
    LayoutEffect effect;
    effect.resource = view_.id(&b.buffer);
    effect.is_image = false;
    effect.offset = b.offset;
    effect.size = b.size;
    effect.source = b.srcQueueFamilyIndex;
    effect.target = b.dstQueueFamilyIndex;
    add(to, effect, op, nullptr);
  }
}

void LayoutEffects::add_dependencies(Effects& to, std::uint32_t op, const VkDependencyInfo* infos,
                                     std::uint32_t count) {
  for (const VkDependencyInfo& info : std::span(infos, count)) {
    add_images(to, op, info.pImageMemoryBarriers, info.imageMemoryBarrierCount);
    add_buffers(to, op, info.pBufferMemoryBarriers, info.bufferMemoryBarrierCount);
  }
}

namespace {

std::pair<VkImageLayout, VkImageLayout> stencil_layouts(const VkAttachmentDescription& a) {
  return {a.initialLayout, a.finalLayout};
}
std::pair<VkImageLayout, VkImageLayout> stencil_layouts(const VkAttachmentDescription2& a) {
  const auto* stencil = find_chained<VkAttachmentDescriptionStencilLayout>(
      a.pNext, VK_STRUCTURE_TYPE_ATTACHMENT_DESCRIPTION_STENCIL_LAYOUT);
  if (stencil == nullptr) return {a.initialLayout, a.finalLayout};
  return {stencil->stencilInitialLayout, stencil->stencilFinalLayout};
}

}  // namespace

template <class Info>
void LayoutEffects::make_pass(ObjectId id, const Info& info) {
  std::vector<Attachment> attachments;
  for (const auto& a : std::span(info.pAttachments, info.attachmentCount)) {
    const auto [from, to] = stencil_layouts(a);
    attachments.push_back({a.initialLayout, a.finalLayout, from, to});
  }
  passes_[id] = std::move(attachments);
}

void LayoutEffects::make_framebuffer(ObjectId id, const VkFramebufferCreateInfo& info) {
  std::vector<View> attachments;
  if ((info.flags & VK_FRAMEBUFFER_CREATE_IMAGELESS_BIT) == 0)
    for (const VkImageView& view : std::span(info.pAttachments, info.attachmentCount)) {
      const auto found = views_.find(view_.id(&view));
      attachments.push_back(found != views_.end() ? found->second : View());
    }
  framebuffers_[id] = std::move(attachments);
}

// Nothing else can change its attachments' layouts before it ends. A view of one aspect of a
// depth/stencil image changes the layouts of both.
void LayoutEffects::begin_pass(Effects& to, std::uint32_t op, const VkRenderPassBeginInfo& info) {
  const auto pass = passes_.find(view_.id(&info.renderPass));
  if (pass == passes_.end()) return;
  std::vector<View> views;
  if (const auto found = framebuffers_.find(view_.id(&info.framebuffer)); found != framebuffers_.end())
    views = found->second;
  if (const auto* given = find_chained<VkRenderPassAttachmentBeginInfo>(
          info.pNext, VK_STRUCTURE_TYPE_RENDER_PASS_ATTACHMENT_BEGIN_INFO);
      given != nullptr && given->attachmentCount != 0) {
    views.clear();
    for (const VkImageView& view : std::span(given->pAttachments, given->attachmentCount)) {
      const auto found = views_.find(view_.id(&view));
      views.push_back(found != views_.end() ? found->second : View());
    }
  }
  constexpr VkImageAspectFlags both = VK_IMAGE_ASPECT_DEPTH_BIT | VK_IMAGE_ASPECT_STENCIL_BIT;
  for (std::size_t i = 0; i < std::min(views.size(), pass->second.size()); ++i) {
    const Attachment& a = pass->second[i];
    LayoutEffect effect;
    effect.resource = views[i].image;
    effect.range = views[i].range;
    effect.from = a.from;
    effect.to = a.to;
    if ((effect.range.aspectMask & both) != 0) {
      effect.range.aspectMask = VK_IMAGE_ASPECT_STENCIL_BIT;
      effect.from = a.stencil_from;
      effect.to = a.stencil_to;
      add(to, effect, op, nullptr);
      effect.range.aspectMask = VK_IMAGE_ASPECT_DEPTH_BIT;
      effect.from = a.from;
      effect.to = a.to;
    }
    add(to, effect, op, nullptr);
  }
}

void LayoutEffects::execute(Effects& to, const Op& op) {
  for (std::uint32_t i = 0; i < op.patches; ++i) {
    const ObjectId id = plan_.patches[op.first_patch + i].id;
    const auto inner = recorded_.find(id);
    if (id == op.dispatch || inner == recorded_.end()) continue;
    if (effects_ + inner->second.size() > kMostEffects) {
      too_many_ = true;
      return;
    }
    to.insert(to.end(), inner->second.begin(), inner->second.end());
    effects_ += inner->second.size();
  }
}

void LayoutEffects::record(std::uint32_t index, CommandId canonical) {
  const Op& op = plan_.ops[index];
  switch (canonical) {
    case CommandId::vkCmdPipelineBarrier: {
      view_.load(plan_, op);
      const auto& a = view_.as<args_vkCmdPipelineBarrier>();
      Effects& to = recorded_[op.dispatch];
      add_images(to, index, a.pImageMemoryBarriers, a.imageMemoryBarrierCount);
      return add_buffers(to, index, a.pBufferMemoryBarriers, a.bufferMemoryBarrierCount);
    }
    case CommandId::vkCmdWaitEvents: {
      view_.load(plan_, op);
      const auto& a = view_.as<args_vkCmdWaitEvents>();
      Effects& to = recorded_[op.dispatch];
      add_images(to, index, a.pImageMemoryBarriers, a.imageMemoryBarrierCount);
      return add_buffers(to, index, a.pBufferMemoryBarriers, a.bufferMemoryBarrierCount);
    }
    case CommandId::vkCmdPipelineBarrier2: {
      view_.load(plan_, op);
      return add_dependencies(recorded_[op.dispatch], index, view_.as<args_vkCmdPipelineBarrier2>().pDependencyInfo, 1);
    }
    case CommandId::vkCmdWaitEvents2: {
      view_.load(plan_, op);
      const auto& a = view_.as<args_vkCmdWaitEvents2>();
      return add_dependencies(recorded_[op.dispatch], index, a.pDependencyInfos, a.eventCount);
    }
    case CommandId::vkCmdBeginRenderPass: {
      view_.load(plan_, op);
      return begin_pass(recorded_[op.dispatch], index, *view_.as<args_vkCmdBeginRenderPass>().pRenderPassBegin);
    }
    case CommandId::vkCmdBeginRenderPass2: {
      view_.load(plan_, op);
      return begin_pass(recorded_[op.dispatch], index, *view_.as<args_vkCmdBeginRenderPass2>().pRenderPassBegin);
    }
    case CommandId::vkCmdExecuteCommands:
      return execute(recorded_[op.dispatch], op);
    default:
      return;
  }
}

void LayoutEffects::clear(ObjectId command_buffer) {
  const auto found = recorded_.find(command_buffer);
  if (found == recorded_.end()) return;
  effects_ -= found->second.size();
  recorded_.erase(found);
}

void LayoutEffects::forget(ObjectId id) {
  switch (plan_.objects.objects()[id].type) {
    case HandleType::VkCommandBuffer:
      return clear(id);
    case HandleType::VkImageView:
      views_.erase(id);
      return;
    case HandleType::VkFramebuffer:
      framebuffers_.erase(id);
      return;
    case HandleType::VkRenderPass:
      passes_.erase(id);
      return;
    default:
      return;
  }
}

void LayoutEffects::take(std::uint32_t index) {
  at_once_.clear();
  const Op& op = plan_.ops[index];
  const codec::CommandInfo& command = codec::info(op.command);
  if (command.records_into_command_buffer) return record(index, command.canonical);
  switch (command.canonical) {
    case CommandId::vkCreateImageView: {
      view_.load(plan_, op);
      const VkImageViewCreateInfo& info = *view_.as<args_vkCreateImageView>().pCreateInfo;
      views_[op.subject] = {view_.id(&info.image), info.subresourceRange};
      break;
    }
    case CommandId::vkCreateFramebuffer:
      view_.load(plan_, op);
      make_framebuffer(op.subject, *view_.as<args_vkCreateFramebuffer>().pCreateInfo);
      break;
    case CommandId::vkCreateRenderPass:
      view_.load(plan_, op);
      make_pass(op.subject, *view_.as<args_vkCreateRenderPass>().pCreateInfo);
      break;
    case CommandId::vkCreateRenderPass2:
      view_.load(plan_, op);
      make_pass(op.subject, *view_.as<args_vkCreateRenderPass2>().pCreateInfo);
      break;
    case CommandId::vkBeginCommandBuffer:
    case CommandId::vkResetCommandBuffer:
      clear(op.dispatch);
      break;
    case CommandId::vkResetCommandPool: {
      const ObjectId pool = named(plan_, op, HandleType::VkCommandPool);
      for (auto it = recorded_.begin(); it != recorded_.end();)
        if (plan_.objects.objects()[it->first].parent == pool) {
          effects_ -= it->second.size();
          it = recorded_.erase(it);
        } else {
          ++it;
        }
      break;
    }
    case CommandId::rondoBarriers: {
      view_.load(plan_, op);
      const auto& a = view_.as<args_rondoBarriers>();
      add_images(at_once_, index, a.pImages, a.imageCount);
      add_buffers(at_once_, index, a.pBuffers, a.bufferCount);
      break;
    }
#ifdef VK_EXT_host_image_copy
    case CommandId::vkTransitionImageLayout: {
      view_.load(plan_, op);
      const auto& a = view_.as<args_vkTransitionImageLayout>();
      for (const auto& t : std::span(a.pTransitions, a.transitionCount)) {
        LayoutEffect effect;
        effect.resource = view_.id(&t.image);
        effect.range = t.subresourceRange;
        effect.from = t.oldLayout;
        effect.to = t.newLayout;
        add(at_once_, effect, index, &t.oldLayout);
      }
      break;
    }
#endif
    default:
      break;
  }
  for (std::uint32_t i = 0; i < op.ended; ++i) forget(plan_.ended[op.first_ended + i]);
}

}  // namespace rondo::player
