// SPDX-License-Identifier: Apache-2.0
// Render passes: subpass dependencies and layout transitions as synchronization nodes ("Render Pass Creation": the
// implicit dependencies and the automatic layout transitions).
#include <algorithm>

#include "tests/icd/order_gather.h"

namespace fake::order {
namespace {

constexpr Accesses kAttachmentWrites =
    VK_ACCESS_2_COLOR_ATTACHMENT_WRITE_BIT | VK_ACCESS_2_DEPTH_STENCIL_ATTACHMENT_WRITE_BIT;
constexpr Accesses kAttachmentReads = VK_ACCESS_2_INPUT_ATTACHMENT_READ_BIT | VK_ACCESS_2_COLOR_ATTACHMENT_READ_BIT |
                                      VK_ACCESS_2_DEPTH_STENCIL_ATTACHMENT_READ_BIT;

// The layout that a subpass uses an attachment in. Null: it does not use it.
const VkAttachmentReference2* use_of(const RenderPass::Subpass& subpass, std::uint32_t attachment) {
  const auto in = [&](const std::vector<VkAttachmentReference2>& all) -> const VkAttachmentReference2* {
    const auto found =
        std::find_if(all.begin(), all.end(), [&](const auto& reference) { return reference.attachment == attachment; });
    return found == all.end() ? nullptr : &*found;
  };
  if (subpass.has_depth_stencil && subpass.depth_stencil.attachment == attachment) return &subpass.depth_stencil;
  for (const auto* all : {&subpass.colors, &subpass.resolves, &subpass.inputs})
    if (const auto* found = in(*all)) return found;
  return nullptr;
}

// The last subpass before `end` that uses the attachment; VK_SUBPASS_EXTERNAL: none does.
std::uint32_t last_use(const RenderPass& pass, std::uint32_t attachment, std::uint32_t end) {
  for (std::uint32_t i = end; i-- > 0;)
    if (use_of(pass.subpasses[i], attachment) != nullptr) return i;
  return VK_SUBPASS_EXTERNAL;
}

void add_view(Ranges& to, const RenderPassInstance& instance, std::uint32_t attachment) {
  const auto& view = instance.views[attachment];
  if (view != nullptr && view->image != nullptr) add_subresources(to, *view->image, view->range);
}

// With VK_SUBPASS_EXTERNAL on one side, where the program gave none and there are transitions.
RenderPass::Dependency implicit_before(std::uint32_t subpass) {
  return {VK_SUBPASS_EXTERNAL,
          subpass,
          VK_PIPELINE_STAGE_2_TOP_OF_PIPE_BIT,
          VK_PIPELINE_STAGE_2_ALL_COMMANDS_BIT,
          0,
          kAttachmentReads | kAttachmentWrites};
}
RenderPass::Dependency implicit_after(std::uint32_t subpass) {
  return {subpass,
          VK_SUBPASS_EXTERNAL,
          VK_PIPELINE_STAGE_2_ALL_COMMANDS_BIT,
          VK_PIPELINE_STAGE_2_BOTTOM_OF_PIPE_BIT,
          kAttachmentReads | kAttachmentWrites,
          0};
}

}  // namespace

Positions Gatherer::positions_of(std::uint32_t subpass) const {
  if (subpass == VK_SUBPASS_EXTERNAL) return {0, pass_begin_};
  return subpass < subpasses_.size() ? subpasses_[subpass] : Positions{0, 0};
}

// Transitions happen after all first scopes and before all second ones.
void Gatherer::add_dependencies(const RenderPassInstance&, const std::vector<RenderPass::Dependency>& dependencies,
                                Ranges transitions, Ranges discarded, bool ends) {
  std::vector<Node*> firsts;
  std::vector<MemoryDependency> seconds;
  Stages second = 0;
  const bool apart = !transitions.empty();
  const auto begin = [&](Stages first_stages, Stages second_stages) -> Node& {
    Node& node = make(0);
    node.is_sync = true;
    node.first = first_stages;
    node.second = second_stages;
    node.second_positions = {node.position, UINT64_MAX};
    if (!ends) open_.push_back(&node);
    return node;
  };
  for (const RenderPass::Dependency& d : dependencies) {
    const MemoryDependency memory{access_scope(d.first_stages), single_accesses(d.first_accesses),
                                  access_scope(d.second_stages), single_accesses(d.second_accesses)};
    Node& node = begin(first_scope(d.first_stages), apart ? 0 : second_scope(d.second_stages));
    node.first_positions = positions_of(d.first);
    node.memory = {memory};
    graph_.add(node);
    if (!apart) continue;
    second |= second_scope(d.second_stages);
    node.memory.front().second = 0;
    seconds.push_back({0, 0, memory.second_stages, memory.second});
    firsts.push_back(&node);
  }
  if (!apart) return;
  Node& node = begin(0, second);
  node.chain = firsts;
  node.memory = std::move(seconds);
  node.touches = transition_touches(std::move(transitions));
  if (!discarded.empty() && !settings().keeps)
    node.run = [bytes = normalized(std::move(discarded))] { order::discard(bytes); };
  graph_.add(node);
}

void Gatherer::enter_subpass(const Execution& execution) {
  const RenderPassInstance& instance = execution.instance;
  const RenderPass& pass = *instance.pass;
  const std::uint32_t index = entered_ = instance.subpass;
  if (index == 0) subpasses_.assign(pass.subpasses.size(), {0, 0});
  subpass_id_ = ++line_.rendering;
  subpass_begin_ = line_.positions;
  subpasses_[index] = {line_.positions, UINT64_MAX};
  last_attached_.clear();
  loads_.clear();

  Ranges transitions, discarded;
  bool first_use = false;
  for (std::uint32_t i = 0; i < pass.attachments.size() && i < instance.views.size(); ++i) {
    const VkAttachmentReference2* use = use_of(pass.subpasses[index], i);
    if (use == nullptr) continue;
    const std::uint32_t last = last_use(pass, i, index);
    const VkImageLayout before =
        last == VK_SUBPASS_EXTERNAL ? pass.attachments[i].initialLayout : use_of(pass.subpasses[last], i)->layout;
    if (before == use->layout) continue;
    first_use = first_use || last == VK_SUBPASS_EXTERNAL;
    add_view(transitions, instance, i);
    if (before == VK_IMAGE_LAYOUT_UNDEFINED) add_view(discarded, instance, i);
  }
  std::vector<RenderPass::Dependency> dependencies;
  bool has_external = false;
  for (const RenderPass::Dependency& d : pass.dependencies) {
    if (d.second != index || d.first == index) continue;
    dependencies.push_back(d);
    has_external = has_external || d.first == VK_SUBPASS_EXTERNAL;
  }
  if (first_use && !has_external) dependencies.push_back(implicit_before(index));
  add_dependencies(instance, dependencies, std::move(transitions), std::move(discarded), false);
}

void Gatherer::leave_pass(const RenderPassInstance& instance) {
  if (instance.pass == nullptr || subpasses_.empty()) return;
  const RenderPass& pass = *instance.pass;
  const auto count = static_cast<std::uint32_t>(pass.subpasses.size());
  Ranges transitions;
  std::vector<std::uint32_t> last_uses;
  for (std::uint32_t i = 0; i < pass.attachments.size() && i < instance.views.size(); ++i) {
    const std::uint32_t last = last_use(pass, i, count);
    if (last == VK_SUBPASS_EXTERNAL) continue;
    if (use_of(pass.subpasses[last], i)->layout == pass.attachments[i].finalLayout) continue;
    add_view(transitions, instance, i);
    last_uses.push_back(last);
  }
  std::vector<RenderPass::Dependency> dependencies;
  for (const RenderPass::Dependency& d : pass.dependencies)
    if (d.second == VK_SUBPASS_EXTERNAL && d.first != VK_SUBPASS_EXTERNAL) dependencies.push_back(d);
  for (const std::uint32_t last : last_uses)
    if (std::none_of(dependencies.begin(), dependencies.end(), [&](const auto& d) { return d.first == last; }))
      dependencies.push_back(implicit_after(last));
  add_dependencies(instance, dependencies, std::move(transitions), {}, true);
  subpasses_.clear();
}

}  // namespace fake::order
