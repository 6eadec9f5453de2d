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

// What a dependency of the pass has of its own; both halves of it where layouts change in between.
Node& Gatherer::begin_dependency(Stages first, Stages second, bool ends) {
  Node& node = make(0);
  node.is_sync = true;
  node.first = first;
  node.second = second;
  node.second_positions = {node.position, UINT64_MAX};
  if (!ends) open_.push_back(&node);
  return node;
}

// A transition happens after the availability operations of the dependencies from where the attachment was used last,
// and before the visibility operations of those to where it is used next. A dependency from elsewhere does not come
// before it, so what that one makes available is not visible by the others.
void Gatherer::add_dependencies(const RenderPass& pass, const std::vector<RenderPass::Dependency>& dependencies,
                                const AttachmentChanges& transitions, bool ends) {
  std::vector<Node*> firsts;
  for (const RenderPass::Dependency& d : dependencies) {
    Node& node =
        begin_dependency(first_scope(d.first_stages), transitions.empty() ? second_scope(d.second_stages) : 0, ends);
    node.first_positions = positions_of(d.first);
    node.memory = {{access_scope(d.first_stages), single_accesses(d.first_accesses), access_scope(d.second_stages),
                    transitions.empty() ? single_accesses(d.second_accesses) : Accesses{0}}};
    graph_.add(node);
    firsts.push_back(&node);
    left_by_.emplace(d.first, &node);
  }
  if (transitions.empty()) return;
  std::vector<std::pair<const AttachmentChange*, Node*>> changes;
  for (const auto& [source, transition] : transitions) {
    Node& node = begin_dependency(0, 0, ends);
    const auto [begin, end] = left_by_.equal_range(source);
    for (auto left = begin; left != end; ++left) node.chain.push_back(left->second);
    node.changes = normalized(transition.changed);
    node.touches = transition_touches(transition.changed);
    if (!transition.discarded.empty() && !settings().keeps)
      node.run = [bytes = normalized(transition.discarded)] { order::discard(bytes); };
    graph_.add(node);
    changes.emplace_back(&transition, &node);
  }
  for (std::size_t i = 0; i < dependencies.size(); ++i) {
    const RenderPass::Dependency& d = dependencies[i];
    Node& node = begin_dependency(0, second_scope(d.second_stages), ends);
    node.chain = {firsts[i]};
    for (const auto& [transition, change] : changes)
      if (!ends || std::any_of(transition->attachments.begin(), transition->attachments.end(),
                               [&](std::uint32_t a) { return use_of(pass.subpasses[d.first], a) != nullptr; }))
        node.chain.push_back(change);
    node.memory = {{0, 0, access_scope(d.second_stages), single_accesses(d.second_accesses)}};
    graph_.add(node);
  }
}

void Gatherer::enter_subpass(const Execution& execution) {
  const RenderPassInstance& instance = execution.instance;
  const RenderPass& pass = *instance.pass;
  const std::uint32_t index = entered_ = instance.subpass;
  if (index == 0) {
    subpasses_.assign(pass.subpasses.size(), {0, 0});
    left_by_.clear();
  }
  subpass_id_ = ++line_.rendering;
  subpass_begin_ = line_.positions;
  subpasses_[index] = {line_.positions, UINT64_MAX};
  last_attached_.clear();
  loads_.clear();

  AttachmentChanges transitions;
  for (std::uint32_t i = 0; i < pass.attachments.size() && i < instance.views.size(); ++i) {
    const VkAttachmentReference2* use = use_of(pass.subpasses[index], i);
    if (use == nullptr) continue;
    const std::uint32_t last = last_use(pass, i, index);
    const VkImageLayout before =
        last == VK_SUBPASS_EXTERNAL ? pass.attachments[i].initialLayout : use_of(pass.subpasses[last], i)->layout;
    if (before == use->layout) continue;
    AttachmentChange& transition = transitions[last];
    transition.attachments.push_back(i);
    add_view(transition.changed, instance, i);
    if (before == VK_IMAGE_LAYOUT_UNDEFINED) add_view(transition.discarded, instance, i);
  }
  std::vector<RenderPass::Dependency> dependencies;
  bool has_external = false;
  for (const RenderPass::Dependency& d : pass.dependencies) {
    if (d.second != index || d.first == index) continue;
    dependencies.push_back(d);
    has_external = has_external || d.first == VK_SUBPASS_EXTERNAL;
  }
  if (transitions.count(VK_SUBPASS_EXTERNAL) != 0 && !has_external) dependencies.push_back(implicit_before(index));
  add_dependencies(pass, dependencies, transitions, false);
}

void Gatherer::leave_pass(const RenderPassInstance& instance) {
  if (instance.pass == nullptr || subpasses_.empty()) return;
  const RenderPass& pass = *instance.pass;
  const auto count = static_cast<std::uint32_t>(pass.subpasses.size());
  AttachmentChanges transitions;
  for (std::uint32_t i = 0; i < pass.attachments.size() && i < instance.views.size(); ++i) {
    const std::uint32_t last = last_use(pass, i, count);
    if (last == VK_SUBPASS_EXTERNAL) continue;
    if (use_of(pass.subpasses[last], i)->layout == pass.attachments[i].finalLayout) continue;
    transitions[last].attachments.push_back(i);
    add_view(transitions[last].changed, instance, i);
  }
  std::vector<RenderPass::Dependency> dependencies;
  for (const RenderPass::Dependency& d : pass.dependencies)
    if (d.second == VK_SUBPASS_EXTERNAL && d.first != VK_SUBPASS_EXTERNAL) dependencies.push_back(d);
  for (const auto& entry : transitions) {
    const std::uint32_t last = entry.first;
    if (std::none_of(dependencies.begin(), dependencies.end(), [&](const auto& d) { return d.first == last; }))
      dependencies.push_back(implicit_after(last));
  }
  add_dependencies(pass, dependencies, transitions, true);
  subpasses_.clear();
}

}  // namespace fake::order
