// SPDX-License-Identifier: Apache-2.0
// What a plan keeps of a call's parameters: the data of templates without what lies between the descriptors, and
// equal blocks once.
#include "player/plan/op_view.h"
#include "tests/unit/player_descriptors.h"

namespace rondo::test {
namespace {

using player::Op;
using player::OpView;
using player::Plan;

constexpr auto kType = VK_DESCRIPTOR_TYPE_STORAGE_BUFFER;

class PlanBlocks : public Descriptors {
 protected:
  std::unique_ptr<Plan> plan() {
    capture.finish();
    auto plan = build();
    EXPECT_TRUE(plan) << plan.error().message;
    return plan ? std::move(*plan) : nullptr;
  }
  // The ops of one command, in the order of the plan.
  static std::vector<Op> ops_of(const Plan& plan, CommandId command) {
    std::vector<Op> found;
    for (const Op& op : plan.ops)
      if (codec::info(op.command).canonical == command) found.push_back(op);
    return found;
  }
  VkDescriptorSetLayout set_layout_of(const std::vector<VkDescriptorSetLayoutBinding>& bindings) {
    auto info = of_type<VkDescriptorSetLayoutCreateInfo>(VK_STRUCTURE_TYPE_DESCRIPTOR_SET_LAYOUT_CREATE_INFO);
    info.bindingCount = static_cast<std::uint32_t>(bindings.size());
    info.pBindings = bindings.data();
    return create<VkDescriptorSetLayout, args_vkCreateDescriptorSetLayout>(CommandId::vkCreateDescriptorSetLayout,
                                                                           info);
  }
  // A template for sets of two bindings: of one storage buffer, and of two.
  VkDescriptorUpdateTemplate make_template(VkDescriptorSetLayout of,
                                           const std::vector<VkDescriptorUpdateTemplateEntry>& entries) {
    auto info = of_type<VkDescriptorUpdateTemplateCreateInfo>(VK_STRUCTURE_TYPE_DESCRIPTOR_UPDATE_TEMPLATE_CREATE_INFO);
    info.descriptorUpdateEntryCount = static_cast<std::uint32_t>(entries.size());
    info.pDescriptorUpdateEntries = entries.data();
    info.templateType = VK_DESCRIPTOR_UPDATE_TEMPLATE_TYPE_DESCRIPTOR_SET;
    info.descriptorSetLayout = of;
    std::vector<codec::EncodeContext::TemplateEntry> layout;
    for (const VkDescriptorUpdateTemplateEntry& e : entries)
      layout.push_back({static_cast<std::uint32_t>(e.descriptorType), e.descriptorCount, e.offset, e.stride});
    capture.template_entries =
        std::make_shared<const std::vector<codec::EncodeContext::TemplateEntry>>(std::move(layout));
    return create<VkDescriptorUpdateTemplate, args_vkCreateDescriptorUpdateTemplate>(
        CommandId::vkCreateDescriptorUpdateTemplate, info);
  }
  // The set of two bindings, updated by these entries from this data.
  void update(const std::vector<VkDescriptorUpdateTemplateEntry>& entries, const void* data) {
    const VkDescriptorSetLayout of =
        set_layout_of({{0, kType, 1, VK_SHADER_STAGE_ALL, nullptr}, {1, kType, 2, VK_SHADER_STAGE_ALL, nullptr}});
    const VkDescriptorPoolSize size{kType, 3};
    auto info = of_type<VkDescriptorPoolCreateInfo>(VK_STRUCTURE_TYPE_DESCRIPTOR_POOL_CREATE_INFO);
    info.maxSets = info.poolSizeCount = 1;
    info.pPoolSizes = &size;
    const auto pool = create<VkDescriptorPool, args_vkCreateDescriptorPool>(CommandId::vkCreateDescriptorPool, info);
    const VkDescriptorSet made = set(pool, of);
    const VkDescriptorUpdateTemplate with = make_template(of, entries);
    capture.call(CommandId::vkUpdateDescriptorSetWithTemplate,
                 args_vkUpdateDescriptorSetWithTemplate{kDevice, made, with, data});
  }
  void set_reference(VkCommandBuffer into, std::uint32_t value) {
    capture.call(CommandId::vkCmdSetStencilReference,
                 args_vkCmdSetStencilReference{into, VK_STENCIL_FACE_FRONT_AND_BACK, value});
  }
};

// The descriptors that the driver finds in the data of the only update, by the template that the plan makes.
struct Found {
  ObjectId buffer = ObjectId::null;
  VkDeviceSize offset = 0, range = 0;
  friend bool operator==(const Found&, const Found&) = default;
};

std::vector<Found> found_in(const Plan& plan, const Op& create, const Op& update) {
  OpView made, call;
  made.load(plan, create);
  call.load(plan, update);
  const auto& info = *made.as<args_vkCreateDescriptorUpdateTemplate>().pCreateInfo;
  const auto* data = static_cast<const std::byte*>(call.as<args_vkUpdateDescriptorSetWithTemplate>().pData);
  std::vector<Found> all;
  for (std::uint32_t e = 0; e < info.descriptorUpdateEntryCount; ++e) {
    const VkDescriptorUpdateTemplateEntry& entry = info.pDescriptorUpdateEntries[e];
    for (std::uint32_t i = 0; i < entry.descriptorCount; ++i) {
      const std::byte* at = data + entry.offset + i * entry.stride;
      VkDescriptorBufferInfo one;
      std::memcpy(&one, at, sizeof one);
      all.push_back({call.id(at), one.offset, one.range});
    }
  }
  return all;
}

TEST_F(PlanBlocks, WhatLiesBetweenTheDescriptorsOfATemplateIsLeftOut) {
  struct Data {
    std::byte before[24136];
    VkDescriptorBufferInfo two[2];
    std::byte between[1000];
    struct {
      VkDescriptorBufferInfo info;
      std::byte after[40];
    } spaced[1];
    VkDescriptorBufferInfo one;
  };
  const VkBuffer a = buffer(256), b = buffer(256), c = buffer(256);
  static Data data{};
  data.one = {a, 0, 16};
  data.spaced[0].info = {b, 64, 32};
  data.two[1] = {c, 128, 64};
  // Binding 1 is read backwards in memory: its second descriptor lies where `two[1]` is, its first after it.
  update({{0, 0, 1, kType, offsetof(Data, one), 0},
          {1, 0, 1, kType, offsetof(Data, spaced), 4096},
          {1, 1, 1, kType, offsetof(Data, two) + sizeof(VkDescriptorBufferInfo), 0}},
         &data);
  const auto built = plan();
  ASSERT_NE(built, nullptr);
  const auto updates = ops_of(*built, CommandId::vkUpdateDescriptorSetWithTemplate);
  const auto creates = ops_of(*built, CommandId::vkCreateDescriptorUpdateTemplate);
  ASSERT_EQ(updates.size(), 1u);
  ASSERT_EQ(creates.size(), 1u);
  EXPECT_EQ(updates[0].block_bytes,
            sizeof(args_vkUpdateDescriptorSetWithTemplate) + 3 * sizeof(VkDescriptorBufferInfo));
  const auto found = found_in(*built, creates[0], updates[0]);
  std::vector<ObjectId> buffers;
  for (const Op& op : ops_of(*built, CommandId::vkCreateBuffer)) buffers.push_back(op.subject);
  ASSERT_EQ(buffers.size(), 3u);
  EXPECT_EQ(found, (std::vector<Found>{{buffers[0], 0, 16}, {buffers[1], 64, 32}, {buffers[2], 128, 64}}));
}

TEST_F(PlanBlocks, DescriptorsOfOnePlaceStayOne) {
  const VkBuffer a = buffer(256);
  const VkDescriptorBufferInfo one{a, 64, 32};
  update({{0, 0, 1, kType, 0, 0}, {1, 0, 2, kType, 0, 0}}, &one);
  const auto built = plan();
  ASSERT_NE(built, nullptr);
  const auto updates = ops_of(*built, CommandId::vkUpdateDescriptorSetWithTemplate);
  ASSERT_EQ(updates.size(), 1u);
  EXPECT_EQ(updates[0].block_bytes,
            sizeof(args_vkUpdateDescriptorSetWithTemplate) + 2 * sizeof(VkDescriptorBufferInfo));
  const Found each{ops_of(*built, CommandId::vkCreateBuffer)[0].subject, 64, 32};
  EXPECT_EQ(found_in(*built, ops_of(*built, CommandId::vkCreateDescriptorUpdateTemplate)[0], updates[0]),
            (std::vector<Found>{each, each, each}));
}

// Else a small file could ask for much memory.
TEST_F(PlanBlocks, DataThatManyEntriesReadIsNotCopiedForEach) {
  const VkBuffer a = buffer(256);
  const VkDescriptorBufferInfo one{a, 64, 32};
  const std::vector<VkDescriptorUpdateTemplateEntry> entries(200, {0, 0, 1, kType, 0, 0});
  update(entries, &one);
  const auto built = plan();
  ASSERT_NE(built, nullptr);
  const auto updates = ops_of(*built, CommandId::vkUpdateDescriptorSetWithTemplate);
  ASSERT_EQ(updates.size(), 1u);
  EXPECT_EQ(updates[0].block_bytes, sizeof(args_vkUpdateDescriptorSetWithTemplate) + sizeof(VkDescriptorBufferInfo));
  const Found each{ops_of(*built, CommandId::vkCreateBuffer)[0].subject, 64, 32};
  EXPECT_EQ(found_in(*built, ops_of(*built, CommandId::vkCreateDescriptorUpdateTemplate)[0], updates[0]),
            std::vector<Found>(200, each));
}

TEST_F(PlanBlocks, EqualCommandsAreKeptOnce) {
  const VkCommandBuffer first = recording();
  set_reference(first, 3);
  set_reference(first, 4);
  const VkCommandBuffer second = recording();
  set_reference(second, 3);
  const auto built = plan();
  ASSERT_NE(built, nullptr);
  const auto calls = ops_of(*built, CommandId::vkCmdSetStencilReference);
  ASSERT_EQ(calls.size(), 3u);
  EXPECT_EQ(calls[0].block, calls[2].block);
  EXPECT_NE(calls[0].block, calls[1].block);
  EXPECT_NE(calls[0].dispatch, calls[2].dispatch);  // each its own command buffer
  EXPECT_EQ(built->patches[calls[0].first_patch].id, calls[0].dispatch);
  EXPECT_EQ(built->patches[calls[2].first_patch].id, calls[2].dispatch);
}

// Queue families and layouts are changed in the block, for the device that it is played on.
TEST_F(PlanBlocks, CommandsThatAreChangedLaterAreKeptEach) {
  const VkBuffer what = buffer(64);
  const VkCommandBuffer into = recording();
  auto barrier = of_type<VkBufferMemoryBarrier>(VK_STRUCTURE_TYPE_BUFFER_MEMORY_BARRIER);
  barrier.dstAccessMask = VK_ACCESS_SHADER_READ_BIT;
  barrier.buffer = what;
  barrier.size = VK_WHOLE_SIZE;
  constexpr auto kAll = VK_PIPELINE_STAGE_ALL_COMMANDS_BIT;
  for (int i = 0; i < 2; ++i)
    capture.call(CommandId::vkCmdPipelineBarrier,
                 args_vkCmdPipelineBarrier{into, kAll, kAll, 0, 0, nullptr, 1, &barrier, 0, nullptr});
  const auto built = plan();
  ASSERT_NE(built, nullptr);
  const auto barriers = ops_of(*built, CommandId::vkCmdPipelineBarrier);
  ASSERT_EQ(barriers.size(), 2u);
  EXPECT_NE(barriers[0].block, barriers[1].block);
}

// A frame of 5,000 is like the one before.
TEST_F(PlanBlocks, APlanOfManyFramesGrowsByWhatIsNew) {
  const VkCommandBuffer into = recording();
  for (std::uint32_t frame = 0; frame < 5000; ++frame)
    for (std::uint32_t i = 1; i <= 20; ++i) set_reference(into, 3 * i);
  const auto built = plan();
  ASSERT_NE(built, nullptr);
  EXPECT_EQ(ops_of(*built, CommandId::vkCmdSetStencilReference).size(), 100'000u);
  EXPECT_LT(built->arena.bytes(), 10'000u);
}

}  // namespace
}  // namespace rondo::test
