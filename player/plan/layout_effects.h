// SPDX-License-Identifier: Apache-2.0
// What the commands in each command buffer do to the layouts of images, and to
// which queue family owns what. Says nothing of when they run: layouts.h.
#pragma once

#include <cstdint>
#include <unordered_map>
#include <vector>

#include "player/plan/op_view.h"
#include "player/plan/plan.h"

namespace rondo::player {

// A barrier, or what a render pass does to an attachment.
struct LayoutEffect {
  ObjectId resource = ObjectId::null;  // image, or buffer
  bool is_image = true;
  VkImageSubresourceRange range{};    // of an image …
  VkDeviceSize offset = 0, size = 0;  // … or of a buffer
  VkImageLayout from = VK_IMAGE_LAYOUT_UNDEFINED, to = VK_IMAGE_LAYOUT_UNDEFINED;
  std::uint32_t source = VK_QUEUE_FAMILY_IGNORED, target = VK_QUEUE_FAMILY_IGNORED;  // families
};

// Where an op says that an image is PREINITIALIZED.
struct PreinitializedUse {
  ObjectId image = ObjectId::null;
  VkImageSubresourceRange range{};
  std::uint32_t op = kNone;
  std::uint32_t offset = kNone;  // in its block; none: a render pass says it
};

class LayoutEffects {
 public:
  explicit LayoutEffects(const Plan& plan) : plan_(plan) {}
  // The next op of the plan.
  void take(std::uint32_t op);
  // Of a command buffer, in their order; null: none.
  const std::vector<LayoutEffect>* of(ObjectId command_buffer) const {
    const auto found = recorded_.find(command_buffer);
    return found == recorded_.end() ? nullptr : &found->second;
  }
  // What the op that was taken last did by itself, on the host.
  const std::vector<LayoutEffect>& at_once() const { return at_once_; }
  const std::vector<PreinitializedUse>& preinitialized() const { return preinitialized_; }
  // A hostile file's secondaries in secondaries: not followed any further.
  bool too_many() const { return too_many_; }

 private:
  struct View {
    ObjectId image = ObjectId::null;
    VkImageSubresourceRange range{};
  };
  struct Attachment {
    VkImageLayout from{}, to{}, stencil_from{}, stencil_to{};
  };
  using Effects = std::vector<LayoutEffect>;

  void add(Effects& to, const LayoutEffect& effect, std::uint32_t op, const VkImageLayout* says);
  template <class Barrier>
  void add_images(Effects& to, std::uint32_t op, const Barrier* barriers, std::uint32_t count);
  template <class Barrier>
  void add_buffers(Effects& to, std::uint32_t op, const Barrier* barriers, std::uint32_t count);
  void add_dependencies(Effects& to, std::uint32_t op, const VkDependencyInfo* infos, std::uint32_t count);
  template <class Info>
  void make_pass(ObjectId id, const Info& info);
  void make_framebuffer(ObjectId id, const VkFramebufferCreateInfo& info);
  void begin_pass(Effects& to, std::uint32_t op, const VkRenderPassBeginInfo& info);
  void execute(Effects& to, const Op& op);
  void record(std::uint32_t index, CommandId canonical);
  void clear(ObjectId command_buffer);
  void forget(ObjectId id);
  std::uint32_t offset_of(const void* member) const;

  const Plan& plan_;
  OpView view_;
  std::unordered_map<ObjectId, View> views_;
  std::unordered_map<ObjectId, std::vector<View>> framebuffers_;
  std::unordered_map<ObjectId, std::vector<Attachment>> passes_;
  std::unordered_map<ObjectId, Effects> recorded_;
  Effects at_once_;
  std::vector<PreinitializedUse> preinitialized_;
  static constexpr std::size_t kMostEffects = 1 << 22;
  std::size_t effects_ = 0;  // in recorded_
  bool too_many_ = false;
};

}  // namespace rondo::player
