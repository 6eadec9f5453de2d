// SPDX-License-Identifier: Apache-2.0
#include "analyzers/trim/split_passes.h"

#include <string_view>

#include "generated/args.h"

namespace rondo::trim {

namespace {

// What a pass may be extended by that does not begin again where it ended.
constexpr std::string_view kUnsplittable[] = {
    "VkRenderPassFragmentDensityMapCreateInfoEXT", "VkMultisampledRenderToSingleSampledInfoEXT",
    "VkRenderPassSampleLocationsBeginInfoEXT", "VkRenderPassTransformBeginInfoQCOM"};

void store(VkAttachmentStoreOp& op) {
  if (op == VK_ATTACHMENT_STORE_OP_DONT_CARE) op = VK_ATTACHMENT_STORE_OP_STORE;
}
void load(VkAttachmentLoadOp& op) {
  if (op == VK_ATTACHMENT_LOAD_OP_CLEAR || op == VK_ATTACHMENT_LOAD_OP_DONT_CARE) op = VK_ATTACHMENT_LOAD_OP_LOAD;
}

VkAttachmentDescriptionStencilLayout* stencil_of(const VkAttachmentDescription&) { return nullptr; }
VkAttachmentDescriptionStencilLayout* stencil_of(const VkAttachmentDescription2& a) {
  return const_cast<VkAttachmentDescriptionStencilLayout*>(find_chained<VkAttachmentDescriptionStencilLayout>(
      a.pNext, VK_STRUCTURE_TYPE_ATTACHMENT_DESCRIPTION_STENCIL_LAYOUT));
}

// In the layouts in which the pass leaves them it goes on, so its parts can be repeated.
template <class Info>
void change_pass(const Info& info, PassChange change) {
  for (std::uint32_t i = 0; i < info.attachmentCount; ++i) {
    auto& a = Loaded::change(info.pAttachments[i]);
    if (change.stores) {
      store(a.storeOp);
      store(a.stencilStoreOp);
    }
    if (!change.loads) continue;
    load(a.loadOp);
    load(a.stencilLoadOp);
    a.initialLayout = a.finalLayout;
    if (auto* stencil = stencil_of(a); stencil != nullptr) stencil->stencilInitialLayout = stencil->stencilFinalLayout;
  }
}

bool resolves(const VkAttachmentReference* refs, std::uint32_t count) {
  for (std::uint32_t i = 0; refs != nullptr && i < count; ++i)
    if (refs[i].attachment != VK_ATTACHMENT_UNUSED) return true;
  return false;
}
bool resolves(const VkAttachmentReference2* refs, std::uint32_t count) {
  for (std::uint32_t i = 0; refs != nullptr && i < count; ++i)
    if (refs[i].attachment != VK_ATTACHMENT_UNUSED) return true;
  return false;
}
bool resolves_depth(const VkSubpassDescription&) { return false; }
bool resolves_depth(const VkSubpassDescription2& s) {
  const auto* depth = find_chained<VkSubpassDescriptionDepthStencilResolve>(
      s.pNext, VK_STRUCTURE_TYPE_SUBPASS_DESCRIPTION_DEPTH_STENCIL_RESOLVE);
  return depth != nullptr && depth->pDepthStencilResolveAttachment != nullptr &&
         depth->pDepthStencilResolveAttachment->attachment != VK_ATTACHMENT_UNUSED;
}

template <class Info>
void shape(const Info& info, PassShape& out) {
  out.attachments.resize(info.attachmentCount);
  for (std::uint32_t i = 0; i < info.attachmentCount; ++i) {
    out.attachments[i].layout = out.attachments[i].stencil_layout = info.pAttachments[i].finalLayout;
    if (const auto* stencil = stencil_of(info.pAttachments[i]); stencil != nullptr)
      out.attachments[i].stencil_layout = stencil->stencilFinalLayout;
  }
  out.subpasses = info.subpassCount;
  for (std::uint32_t i = info.subpassCount; i-- > 0;)
    if (const auto& s = info.pSubpasses[i];
        resolves(s.pResolveAttachments, s.colorAttachmentCount) || resolves_depth(s))
      out.first_resolving = i;
}

template <class Visit>
void each_attachment(const VkRenderingInfo& info, const Visit& visit) {
  for (std::uint32_t i = 0; i < info.colorAttachmentCount; ++i) visit(info.pColorAttachments[i]);
  if (info.pDepthAttachment != nullptr) visit(*info.pDepthAttachment);
  if (info.pStencilAttachment != nullptr) visit(*info.pStencilAttachment);
}

const VkRenderPassBeginInfo* begin_info(Loaded& loaded, CommandId canonical) {
  if (canonical == CommandId::vkCmdBeginRenderPass) return loaded.as<args_vkCmdBeginRenderPass>().pRenderPassBegin;
  if (canonical == CommandId::vkCmdBeginRenderPass2) return loaded.as<args_vkCmdBeginRenderPass2>().pRenderPassBegin;
  return nullptr;
}

}  // namespace

void SplitPasses::take(const codec::CommandInfo& command, const Record& record,
                       const ObjectTable::Resolution& resolution) {
  for (const ObjectId id : resolution.ended) {
    passes_.erase(id);
    framebuffers_.erase(id);
  }
  if (resolution.created.size() != 1) return;
  switch (command.canonical) {
    case CommandId::vkCreateRenderPass:
    case CommandId::vkCreateRenderPass2:
      passes_[resolution.created[0]] = {command.id, {record.payload.begin(), record.payload.end()}, resolution.ids};
      return;
    case CommandId::vkCreateFramebuffer: {
      // The device, the render pass, the views, and what is made.
      auto& views = framebuffers_[resolution.created[0]];
      if (resolution.ids.size() > 3) views.assign(resolution.ids.begin() + 2, resolution.ids.end() - 1);
      return;
    }
    default:
      return;
  }
}

Result<void> SplitPasses::render_pass_shape(ObjectId pass, PassShape& out) {
  const auto found = passes_.find(pass);
  if (found == passes_.end()) return fail(Status::failed, "nothing made its render pass");
  const PassRecord& made = found->second;
  RONDO_TRY(pass_.load(source_, map_, made.command, made.payload, made.ids));
  if (const char* name = pass_.has_chained(kUnsplittable); name != nullptr)
    return fail(Status::failed, std::string("a pass with ") + name + " cannot be split: use --submits");
  if (codec::info(made.command).canonical == CommandId::vkCreateRenderPass)
    shape(*pass_.as<args_vkCreateRenderPass>().pCreateInfo, out);
  else
    shape(*pass_.as<args_vkCreateRenderPass2>().pCreateInfo, out);
  return {};
}

Result<PassShape> SplitPasses::shape_of(CommandId command, std::span<const std::byte> payload,
                                        std::span<const ObjectId> ids) {
  PassShape out;
  RONDO_TRY(begin_.load(source_, map_, command, payload, ids));
  if (const char* name = begin_.has_chained(kUnsplittable); name != nullptr)
    return fail(Status::failed, std::string("a pass with ") + name + " cannot be split: use --submits");
  const VkRenderPassBeginInfo* info = begin_info(begin_, codec::info(command).canonical);
  if (info != nullptr) {
    RONDO_TRY(render_pass_shape(begin_.id(&info->renderPass), out));
    std::vector<ObjectId> views;
    if (const auto found = framebuffers_.find(begin_.id(&info->framebuffer)); found != framebuffers_.end())
      views = found->second;
    if (const auto* given = find_chained<VkRenderPassAttachmentBeginInfo>(
            info->pNext, VK_STRUCTURE_TYPE_RENDER_PASS_ATTACHMENT_BEGIN_INFO);
        given != nullptr && given->attachmentCount != 0) {
      views.clear();
      for (std::uint32_t i = 0; i < given->attachmentCount; ++i) views.push_back(begin_.id(&given->pAttachments[i]));
    }
    for (std::size_t i = 0; i < std::min(views.size(), out.attachments.size()); ++i) out.attachments[i].view = views[i];
    return out;
  }
  const VkRenderingInfo& rendering = *begin_.as<args_vkCmdBeginRendering>().pRenderingInfo;
  each_attachment(rendering, [&](const VkRenderingAttachmentInfo& a) {
    const VkImageAspectFlags aspects = &a == rendering.pStencilAttachment ? VK_IMAGE_ASPECT_STENCIL_BIT
                                       : &a == rendering.pDepthAttachment ? VK_IMAGE_ASPECT_DEPTH_BIT
                                                                          : VK_IMAGE_ASPECT_COLOR_BIT;
    out.attachments.push_back({begin_.id(&a.imageView), a.imageLayout, a.imageLayout, aspects});
    if (a.resolveMode != VK_RESOLVE_MODE_NONE)
      out.attachments.push_back({begin_.id(&a.resolveImageView), a.resolveImageLayout, a.resolveImageLayout, aspects});
  });
  return out;
}

Result<VkRenderingFlags> SplitPasses::flags_of(CommandId command, std::span<const std::byte> payload,
                                               std::span<const ObjectId> ids) {
  if (codec::info(command).canonical != CommandId::vkCmdBeginRendering) return VkRenderingFlags{0};
  RONDO_TRY(begin_.load(source_, map_, command, payload, ids));
  return begin_.as<args_vkCmdBeginRendering>().pRenderingInfo->flags;
}

Result<VkRenderPass> SplitPasses::changed(ObjectId id, PassChange change) {
  VkRenderPass& made = made_[{id, change}];
  if (made != VK_NULL_HANDLE) return made;
  PassShape ignored;
  RONDO_TRY(render_pass_shape(id, ignored));
  auto handle = new_pass_();
  if (!handle) return tl::unexpected<Error>(handle.error());
  const CommandId command = passes_.at(id).command;
  if (codec::info(command).canonical == CommandId::vkCreateRenderPass) {
    auto& args = pass_.as<args_vkCreateRenderPass>();
    change_pass(*args.pCreateInfo, change);
    *args.pRenderPass = *handle;
    RONDO_TRY(out_.write(command, args, VK_SUCCESS));
  } else {
    auto& args = pass_.as<args_vkCreateRenderPass2>();
    change_pass(*args.pCreateInfo, change);
    *args.pRenderPass = *handle;
    RONDO_TRY(out_.write(command, args, VK_SUCCESS));
  }
  made = *handle;
  return made;
}

Result<void> SplitPasses::write_begin(CommandId command, std::span<const std::byte> payload,
                                      std::span<const ObjectId> ids, PassChange change, VkCommandBuffer commands) {
  RONDO_TRY(begin_.load(source_, map_, command, payload, ids));
  const CommandId canonical = codec::info(command).canonical;
  if (const VkRenderPassBeginInfo* info = begin_info(begin_, canonical);
      info != nullptr && (change.stores || change.loads)) {
    auto pass = changed(begin_.id(&info->renderPass), change);
    if (!pass) return tl::unexpected<Error>(pass.error());
    Loaded::change(info->renderPass) = *pass;
  }
  switch (canonical) {
    case CommandId::vkCmdBeginRenderPass: {
      auto& args = begin_.as<args_vkCmdBeginRenderPass>();
      args.commandBuffer = commands;
      args.contents = VK_SUBPASS_CONTENTS_INLINE;
      return out_.write(command, args);
    }
    case CommandId::vkCmdBeginRenderPass2: {
      auto& args = begin_.as<args_vkCmdBeginRenderPass2>();
      args.commandBuffer = commands;
      Loaded::change(args.pSubpassBeginInfo->contents) = VK_SUBPASS_CONTENTS_INLINE;
      return out_.write(command, args);
    }
    default: {
      auto& args = begin_.as<args_vkCmdBeginRendering>();
      args.commandBuffer = commands;
      auto& info = Loaded::change(*args.pRenderingInfo);
      info.flags &= ~VkRenderingFlags{VK_RENDERING_CONTENTS_SECONDARY_COMMAND_BUFFERS_BIT};
      if (change.first) info.flags &= ~VkRenderingFlags{VK_RENDERING_RESUMING_BIT};
      if (change.last) info.flags &= ~VkRenderingFlags{VK_RENDERING_SUSPENDING_BIT};
      each_attachment(info, [&](const VkRenderingAttachmentInfo& a) {
        if (change.stores) store(Loaded::change(a.storeOp));
        if (change.loads) load(Loaded::change(a.loadOp));
      });
      return out_.write(command, args);
    }
  }
}

Result<void> SplitPasses::write_next_subpass(CommandId command, std::span<const std::byte> payload,
                                             VkCommandBuffer commands) {
  RONDO_TRY(begin_.load(source_, map_, command, payload, {}));
  if (codec::info(command).canonical == CommandId::vkCmdNextSubpass) {
    auto& args = begin_.as<args_vkCmdNextSubpass>();
    args.commandBuffer = commands;
    args.contents = VK_SUBPASS_CONTENTS_INLINE;
    return out_.write(command, args);
  }
  auto& args = begin_.as<args_vkCmdNextSubpass2>();
  args.commandBuffer = commands;
  Loaded::change(args.pSubpassBeginInfo->contents) = VK_SUBPASS_CONTENTS_INLINE;
  return out_.write(command, args);
}

}  // namespace rondo::trim
