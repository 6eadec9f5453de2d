// SPDX-License-Identifier: Apache-2.0
// Calls made by hand, and the shared effects that they have: as code sees them that knows handle values only.
#pragma once

#include <gtest/gtest.h>

#include <cstring>
#include <deque>
#include <string>
#include <vector>

#include "generated/args.h"
#include "model/effects/shared.h"
#include "tests/unit/handles.h"

namespace rondo::test {

using Value = std::uint64_t;  // of a handle

template <class Handle>
Value value_of(Handle handle) {
  Value value = 0;
  std::memcpy(&value, &handle, sizeof value);
  return value;
}

struct EffectsScene : ::testing::Test, model::EffectSink<Value>, model::Names<Value> {
  // --- What the last call did ---
  std::vector<model::TouchOf<Value>> touches;
  std::vector<model::TransitionOf<Value>> transitions;
  std::vector<model::BarrierOf<Value>> barriers;
  std::vector<model::QueryUseOf<Value>> queries;
  std::vector<model::EventUseOf<Value>> events;
  std::vector<model::MarkingOf<Value>> marks;
  std::vector<Value> executed;
  VkImageAspectFlags cleared = 0;  // in a secondary

  model::SharedEffects<Value> effects{*this, model::kAllEffects};
  const VkCommandBuffer commands = handle<VkCommandBuffer>(0x10);

  // `made`: by a call that makes an object. `ended`: with its type, by one that ends it.
  template <class Args>
  void call(CommandId id, const Args& args, Value made = 0, std::vector<Value> ended = {},
            HandleType type = HandleType::none) {
    clear();
    made_ = made;
    type_ = type;
    Value dispatch = 0;
    std::memcpy(&dispatch, &args, sizeof dispatch);
    const model::CallOf<Value> c{.command = codec::info(id),
                                 .args = &args,
                                 .names = this,
                                 .sequence = ++number_,
                                 .succeeded = succeeds,
                                 .dispatch = dispatch,
                                 .ended = ended};
    effects.take(c);
  }
  bool succeeds = true;

  void begin(VkCommandBuffer to, const VkCommandBufferBeginInfo& info = {VK_STRUCTURE_TYPE_COMMAND_BUFFER_BEGIN_INFO,
                                                                         nullptr, 0, nullptr}) {
    call(CommandId::vkBeginCommandBuffer, args_vkBeginCommandBuffer{to, &info});
  }
  VkBuffer buffer(Value value, VkDeviceSize bytes) {
    VkBufferCreateInfo info{};
    info.size = bytes;
    call(CommandId::vkCreateBuffer, args_vkCreateBuffer{device_, &info, nullptr, nullptr}, value);
    return handle<VkBuffer>(value);
  }
  VkImage image(Value value, VkFormat format, std::uint32_t size = 16, std::uint32_t mips = 1,
                std::uint32_t layers = 1) {
    VkImageCreateInfo info{};
    info.imageType = VK_IMAGE_TYPE_2D;
    info.format = format;
    info.extent = {size, size, 1};
    info.mipLevels = mips;
    info.arrayLayers = layers;
    info.samples = VK_SAMPLE_COUNT_1_BIT;
    call(CommandId::vkCreateImage, args_vkCreateImage{device_, &info, nullptr, nullptr}, value);
    return handle<VkImage>(value);
  }
  VkImageView view(Value value, VkImage of, VkImageAspectFlags aspects) {
    VkImageViewCreateInfo info{};
    info.image = of;
    info.subresourceRange = {aspects, 0, VK_REMAINING_MIP_LEVELS, 0, VK_REMAINING_ARRAY_LAYERS};
    call(CommandId::vkCreateImageView, args_vkCreateImageView{device_, &info, nullptr, nullptr}, value);
    return handle<VkImageView>(value);
  }
  VkFramebuffer framebuffer(Value value, const std::vector<VkImageView>& views) {
    VkFramebufferCreateInfo info{};
    info.attachmentCount = static_cast<std::uint32_t>(views.size());
    info.pAttachments = views.data();
    info.width = info.height = 16;
    info.layers = 1;
    call(CommandId::vkCreateFramebuffer, args_vkCreateFramebuffer{device_, &info, nullptr, nullptr}, value);
    return handle<VkFramebuffer>(value);
  }

 private:
  void clear() {
    touches.clear();
    transitions.clear();
    barriers.clear();
    queries.clear();
    events.clear();
    marks.clear();
    executed.clear();
    cleared = 0;
  }
  void touch(const model::TouchOf<Value>& one) override { touches.push_back(one); }
  void transition(const model::TransitionOf<Value>& one) override { transitions.push_back(one); }
  void barrier(const model::BarrierOf<Value>& one) override { barriers.push_back(one); }
  void query(const model::QueryUseOf<Value>& one) override { queries.push_back(one); }
  void event(const model::EventUseOf<Value>& one) override { events.push_back(one); }
  void mark(const model::MarkingOf<Value>& one) override { marks.push_back(one); }
  void execute(Value secondary) override { executed.push_back(secondary); }
  void clears_inherited(VkImageAspectFlags aspects) override { cleared = aspects; }

  Value find(const void* member) const override {
    Value value = 0;
    std::memcpy(&value, member, sizeof value);
    return value;
  }
  Value above(Value) const override { return pool; }
  HandleType kind_of(Value) const override { return type_; }
  Value first_made() const override { return made_; }

 protected:
  const VkDevice device_ = handle<VkDevice>(0x1);
  Value pool = 0x2;  // of all command buffers

 private:
  Value made_ = 0, number_ = 0;
  HandleType type_ = HandleType::none;
};

}  // namespace rondo::test
