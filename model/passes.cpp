// SPDX-License-Identifier: Apache-2.0
#include "model/passes.h"

#include <algorithm>
#include <bit>
#include <span>
#include <utility>

#include "format/check.h"
#include "format/native_view.h"

namespace rondo::model {

namespace {

using Reference = RenderPass::Reference;

constexpr VkAccessFlags2 kAttachmentAccesses =
    VK_ACCESS_2_INPUT_ATTACHMENT_READ_BIT | VK_ACCESS_2_COLOR_ATTACHMENT_READ_BIT |
    VK_ACCESS_2_COLOR_ATTACHMENT_WRITE_BIT | VK_ACCESS_2_DEPTH_STENCIL_ATTACHMENT_READ_BIT |
    VK_ACCESS_2_DEPTH_STENCIL_ATTACHMENT_WRITE_BIT;

Reference reference_of(const VkAttachmentReference2& from) {
  const auto* stencil = find_chained<VkAttachmentReferenceStencilLayout>(
      from.pNext, VK_STRUCTURE_TYPE_ATTACHMENT_REFERENCE_STENCIL_LAYOUT);
  return {from.attachment, from.layout, stencil != nullptr ? stencil->stencilLayout : from.layout};
}

RenderPass::Attachment attachment_of(const VkAttachmentDescription2& a) {
  RenderPass::Attachment made;
  made.load = a.loadOp;
  made.stencil_load = a.stencilLoadOp;
  made.store = a.storeOp;
  made.stencil_store = a.stencilStoreOp;
  made.from = made.stencil_from = a.initialLayout;
  made.to = made.stencil_to = a.finalLayout;
  if (const auto* stencil = find_chained<VkAttachmentDescriptionStencilLayout>(
          a.pNext, VK_STRUCTURE_TYPE_ATTACHMENT_DESCRIPTION_STENCIL_LAYOUT)) {
    made.stencil_from = stencil->stencilInitialLayout;
    made.stencil_to = stencil->stencilFinalLayout;
  }
  return made;
}

RenderPass::Subpass subpass_of(const VkSubpassDescription2& from) {
  RenderPass::Subpass to;
  for (std::uint32_t i = 0; i < from.colorAttachmentCount; ++i) {
    to.colors.push_back(reference_of(from.pColorAttachments[i]));
    if (from.pResolveAttachments != nullptr) to.resolves.push_back(reference_of(from.pResolveAttachments[i]));
  }
  for (std::uint32_t i = 0; i < from.inputAttachmentCount; ++i)
    to.inputs.push_back(reference_of(from.pInputAttachments[i]));
  if (from.pDepthStencilAttachment != nullptr) to.depths.push_back(reference_of(*from.pDepthStencilAttachment));
  if (const auto* depth = find_chained<VkSubpassDescriptionDepthStencilResolve>(
          from.pNext, VK_STRUCTURE_TYPE_SUBPASS_DESCRIPTION_DEPTH_STENCIL_RESOLVE);
      depth != nullptr && depth->pDepthStencilResolveAttachment != nullptr)
    to.depth_resolve = reference_of(*depth->pDepthStencilResolveAttachment);
  if (const auto* rate = find_chained<VkFragmentShadingRateAttachmentInfoKHR>(
          from.pNext, VK_STRUCTURE_TYPE_FRAGMENT_SHADING_RATE_ATTACHMENT_INFO_KHR);
      rate != nullptr && rate->pFragmentShadingRateAttachment != nullptr)
    to.rate = reference_of(*rate->pFragmentShadingRateAttachment);
  to.view_mask = from.viewMask;
  return to;
}

// All attachments that a subpass uses.
template <class Visit>
void for_each_reference(const RenderPass::Subpass& subpass, const Visit& visit) {
  for (const auto* list : {&subpass.colors, &subpass.inputs, &subpass.depths, &subpass.resolves})
    for (const Reference& one : *list) visit(one);
  visit(subpass.depth_resolve);
  visit(subpass.rate);
}

RenderPass::Dependency dependency_of(const VkSubpassDependency2& from) {
  RenderPass::Dependency to;
  to.from = from.srcSubpass;
  to.to = from.dstSubpass;
  to.src_stages = from.srcStageMask;
  to.dst_stages = from.dstStageMask;
  to.src_access = from.srcAccessMask;
  to.dst_access = from.dstAccessMask;
  to.flags = from.dependencyFlags;
  // A chained barrier says it instead.
  if (const auto* barrier = find_chained<VkMemoryBarrier2>(from.pNext, VK_STRUCTURE_TYPE_MEMORY_BARRIER_2)) {
    to.src_stages = barrier->srcStageMask;
    to.dst_stages = barrier->dstStageMask;
    to.src_access = barrier->srcAccessMask;
    to.dst_access = barrier->dstAccessMask;
  }
  return to;
}

// "If there is no subpass dependency from VK_SUBPASS_EXTERNAL to the first subpass that uses an attachment, then an
// implicit subpass dependency exists", where the attachment's layout changes there; the same for the last subpass.
// The call may name many attachments and many subpasses: each is looked at once.
void add_implicit(RenderPass& pass) {
  const std::size_t subpasses = pass.subpasses.size();
  std::vector<bool> entered(subpasses), left(subpasses);  // a dependency is said
  for (const RenderPass::Dependency& one : pass.dependencies) {
    if (one.from == VK_SUBPASS_EXTERNAL && one.to < subpasses) entered[one.to] = true;
    if (one.to == VK_SUBPASS_EXTERNAL && one.from < subpasses) left[one.from] = true;
  }
  struct Use {
    std::size_t first = ~std::size_t{}, last = 0;
    Reference at_first, at_last;
  };
  std::vector<Use> uses(pass.attachments.size());
  for (std::size_t s = 0; s < subpasses; ++s)
    for_each_reference(pass.subpasses[s], [&](const Reference& one) {
      if (one.attachment >= uses.size()) return;
      Use& use = uses[one.attachment];
      if (use.first == ~std::size_t{}) {
        use.first = s;
        use.at_first = one;
      }
      RONDO_CHECK(use.first <= s && use.last <= s);
      use.last = s;
      use.at_last = one;
    });
  for (std::size_t i = 0; i < uses.size(); ++i) {
    const RenderPass::Attachment& a = pass.attachments[i];
    const Use& use = uses[i];
    if (use.first == ~std::size_t{}) continue;
    const auto changes = [](VkImageLayout x, VkImageLayout y, VkImageLayout stencil_x, VkImageLayout stencil_y) {
      return x != y || stencil_x != stencil_y;
    };
    if (!entered[use.first] && changes(a.from, use.at_first.layout, a.stencil_from, use.at_first.stencil_layout)) {
      entered[use.first] = true;
      pass.dependencies.push_back({VK_SUBPASS_EXTERNAL, static_cast<std::uint32_t>(use.first), VK_PIPELINE_STAGE_2_NONE,
                                   VK_PIPELINE_STAGE_2_ALL_COMMANDS_BIT, 0, kAttachmentAccesses, 0, true});
    }
    if (!left[use.last] && changes(a.to, use.at_last.layout, a.stencil_to, use.at_last.stencil_layout)) {
      left[use.last] = true;
      pass.dependencies.push_back({static_cast<std::uint32_t>(use.last), VK_SUBPASS_EXTERNAL,
                                   VK_PIPELINE_STAGE_2_ALL_COMMANDS_BIT, VK_PIPELINE_STAGE_2_NONE, kAttachmentAccesses,
                                   0, 0, true});
    }
  }
}

}  // namespace

std::uint32_t views_in(std::uint32_t view_mask) { return static_cast<std::uint32_t>(std::popcount(view_mask)); }

bool RenderPass::has_views() const {
  return std::any_of(subpasses.begin(), subpasses.end(), [](const Subpass& one) { return one.view_mask != 0; });
}

std::shared_ptr<const RenderPass> render_pass_of(const VkRenderPassCreateInfo2& info) {
  auto made = std::make_shared<RenderPass>();
  for (const auto& a : std::span(info.pAttachments, info.attachmentCount))
    made->attachments.push_back(attachment_of(a));
  for (const auto& s : std::span(info.pSubpasses, info.subpassCount)) {
    made->subpasses.push_back(subpass_of(s));
    const auto number = static_cast<std::uint32_t>(made->subpasses.size() - 1);
    for_each_reference(made->subpasses.back(), [&](const Reference& one) {
      if (one.attachment >= made->attachments.size()) return;
      RenderPass::Attachment& used = made->attachments[one.attachment];
      if (!std::exchange(used.used, true)) used.first_subpass = number;
    });
  }
  for (const auto& d : std::span(info.pDependencies, info.dependencyCount))
    made->dependencies.push_back(dependency_of(d));
  add_implicit(*made);
  return made;
}

// --- Dynamic rendering ---

namespace {

// The attachments of a VkRenderingInfo that are drawn to, in their order.
template <class Visit>
void for_each_drawn(const VkRenderingInfo& info, const Visit& visit) {
  for (const VkRenderingAttachmentInfo& color : std::span(info.pColorAttachments, info.colorAttachmentCount))
    visit(color, VK_IMAGE_ASPECT_COLOR_BIT);
  if (info.pDepthAttachment != nullptr) visit(*info.pDepthAttachment, VK_IMAGE_ASPECT_DEPTH_BIT);
  if (info.pStencilAttachment != nullptr) visit(*info.pStencilAttachment, VK_IMAGE_ASPECT_STENCIL_BIT);
}

const VkRenderingFragmentShadingRateAttachmentInfoKHR* rate_of(const VkRenderingInfo& info) {
  return find_chained<VkRenderingFragmentShadingRateAttachmentInfoKHR>(
      info.pNext, VK_STRUCTURE_TYPE_RENDERING_FRAGMENT_SHADING_RATE_ATTACHMENT_INFO_KHR);
}

// A part of the rendering that goes on later resolves nothing.
bool resolves(const VkRenderingInfo& info, const VkRenderingAttachmentInfo& a) {
  return a.resolveMode != VK_RESOLVE_MODE_NONE && (info.flags & VK_RENDERING_SUSPENDING_BIT) == 0;
}

}  // namespace

std::shared_ptr<const RenderPass> render_pass_of(const VkRenderingInfo& info) {
  auto made = std::make_shared<RenderPass>();
  made->dynamic = true;
  RenderPass::Subpass& subpass = made->subpasses.emplace_back();
  subpass.view_mask = info.viewMask;
  const bool resumes = (info.flags & VK_RENDERING_RESUMING_BIT) != 0;
  const auto add = [&](VkImageLayout layout, VkImageAspectFlags aspects, VkAttachmentLoadOp load,
                       VkAttachmentStoreOp store) {
    RenderPass::Attachment& a = made->attachments.emplace_back();
    a.load = a.stencil_load = load;
    a.store = a.stencil_store = store;
    a.from = a.to = a.stencil_from = a.stencil_to = layout;
    a.aspects = aspects;
    a.used = true;
    return Reference{static_cast<std::uint32_t>(made->attachments.size() - 1), layout, layout};
  };
  for_each_drawn(info, [&](const VkRenderingAttachmentInfo& a, VkImageAspectFlags aspects) {
    const Reference one = add(a.imageLayout, aspects, resumes ? VK_ATTACHMENT_LOAD_OP_LOAD : a.loadOp, a.storeOp);
    (aspects == VK_IMAGE_ASPECT_COLOR_BIT ? subpass.colors : subpass.depths).push_back(one);
  });
  for_each_drawn(info, [&](const VkRenderingAttachmentInfo& a, VkImageAspectFlags aspects) {
    const Reference target =
        add(a.resolveImageLayout, aspects, VK_ATTACHMENT_LOAD_OP_NONE_EXT, VK_ATTACHMENT_STORE_OP_NONE);
    subpass.resolves.push_back(resolves(info, a) ? target : Reference{});
  });
  if (const auto* rate = rate_of(info))
    subpass.rate = add(rate->imageLayout, 0, VK_ATTACHMENT_LOAD_OP_NONE_EXT, VK_ATTACHMENT_STORE_OP_NONE);
  RONDO_CHECK(subpass.resolves.size() == subpass.colors.size() + subpass.depths.size());
  return made;
}

std::vector<const VkImageView*> views_of(const VkRenderingInfo& info) {
  std::vector<const VkImageView*> views;
  for_each_drawn(info, [&](const VkRenderingAttachmentInfo& a, VkImageAspectFlags) { views.push_back(&a.imageView); });
  for_each_drawn(info,
                 [&](const VkRenderingAttachmentInfo& a, VkImageAspectFlags) { views.push_back(&a.resolveImageView); });
  if (const auto* rate = rate_of(info)) views.push_back(&rate->imageView);
  return views;
}

}  // namespace rondo::model
