// SPDX-License-Identifier: Apache-2.0
// Render passes: those of vkCreateRenderPass and vkCreateRenderPass2, and dynamic rendering, which is a pass of one
// subpass. Specification: "Render Pass". No device. One thread.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "format/vulkan.h"

namespace rondo::model {

struct RenderPass {
  struct Attachment {
    VkAttachmentLoadOp load{}, stencil_load{};
    VkAttachmentStoreOp store{}, stencil_store{};
    // Its layouts before the pass and after it. Of dynamic rendering they are the same: it changes none.
    VkImageLayout from{}, to{}, stencil_from{}, stencil_to{};
    // Of dynamic rendering, where depth and stencil are attachments of their own; 0: all that its view has, and of
    // depth and stencil both.
    VkImageAspectFlags aspects = 0;
    bool used = false;                // by a subpass, …
    std::uint32_t first_subpass = 0;  // … first by this one, which loads it
  };
  // An attachment as a subpass uses it.
  struct Reference {
    std::uint32_t attachment = VK_ATTACHMENT_UNUSED;  // index into `attachments`, which may be out of its range
    VkImageLayout layout{}, stencil_layout{};
  };
  struct Subpass {
    std::vector<Reference> colors, inputs;
    std::vector<Reference> depths;    // depth and stencil: at most one, of dynamic rendering two
    std::vector<Reference> resolves;  // of colors, by their index; of dynamic rendering by that of the attachment
    Reference depth_resolve, rate;    // rate: the fragment shading rate
    std::uint32_t view_mask = 0;      // 0: no multiview
  };
  // VkSubpassDependency2 with what is chained to it.
  struct Dependency {
    std::uint32_t from = 0, to = 0;  // subpasses; VK_SUBPASS_EXTERNAL: before the pass, or after it
    VkPipelineStageFlags2 src_stages = 0, dst_stages = 0;
    VkAccessFlags2 src_access = 0, dst_access = 0;
    VkDependencyFlags flags = 0;
    bool implicit = false;  // the program does not say it
  };
  std::vector<Attachment> attachments;
  std::vector<Subpass> subpasses;
  std::vector<Dependency> dependencies;
  bool dynamic = false;

  bool has_views() const;  // any subpass has multiview
};

// With the implicit dependencies from what is before the pass and to what is after it.
std::shared_ptr<const RenderPass> render_pass_of(const VkRenderPassCreateInfo2& info);

// The pass that dynamic rendering is. Its attachments: colors, depth, stencil; then the resolve target of each of
// these, in the same order; then the fragment shading rate. views_of() has their views.
std::shared_ptr<const RenderPass> render_pass_of(const VkRenderingInfo& info);
// Parallel to the attachments of that pass: where the call has the handle of each view; null: there is none.
std::vector<const VkImageView*> views_of(const VkRenderingInfo& info);

// How many views a mask is of.
std::uint32_t views_in(std::uint32_t view_mask);

}  // namespace rondo::model
