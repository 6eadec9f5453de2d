// SPDX-License-Identifier: Apache-2.0
// Where the n-th descriptor of a write, a copy or a template goes, and where it stands in the parameters.
#include <gtest/gtest.h>

#include <cstring>

#include "model/descriptors.h"

namespace rondo::model {
namespace {

constexpr VkDescriptorType kStorage = VK_DESCRIPTOR_TYPE_STORAGE_BUFFER;
using Keys = std::vector<DescriptorKey>;

// Bindings 1 (two), 4 (none), 7 (three), by number; the last one may vary.
SetLayoutRef layout(bool varies) {
  const VkDescriptorSetLayoutBinding bindings[] = {{7, kStorage, 3, VK_SHADER_STAGE_ALL, nullptr},
                                                   {1, kStorage, 2, VK_SHADER_STAGE_ALL, nullptr},
                                                   {4, kStorage, 0, VK_SHADER_STAGE_ALL, nullptr}};
  const VkDescriptorBindingFlags flags[] = {VK_DESCRIPTOR_BINDING_VARIABLE_DESCRIPTOR_COUNT_BIT, 0, 0};
  VkDescriptorSetLayoutBindingFlagsCreateInfo chained{};
  chained.sType = VK_STRUCTURE_TYPE_DESCRIPTOR_SET_LAYOUT_BINDING_FLAGS_CREATE_INFO;
  chained.bindingCount = 3;
  chained.pBindingFlags = flags;
  VkDescriptorSetLayoutCreateInfo info{};
  info.pNext = varies ? &chained : nullptr;
  info.bindingCount = 3;
  info.pBindings = bindings;
  return set_layout_of(info);
}

Keys keys_from(DescriptorPlace place) {
  Keys keys;
  for (; place.there(); place.next()) keys.push_back(place.key());
  return keys;
}

TEST(ModelDescriptors, GoOnInTheNextBindingThatHasAny) {
  const SetLayoutRef fixed = layout(false);
  EXPECT_EQ(keys_from({*fixed, UINT32_MAX, 1, 1}), (Keys{{1, 1}, {7, 0}, {7, 1}, {7, 2}}));
  EXPECT_EQ(keys_from({*fixed, UINT32_MAX, 1, 3}), (Keys{{7, 1}, {7, 2}}));
  EXPECT_EQ(keys_from({*fixed, UINT32_MAX, 1, 5}), Keys{});
  EXPECT_EQ(keys_from({*fixed, UINT32_MAX, 2, 0}), Keys{});  // there is no such binding
}

TEST(ModelDescriptors, OfALastBindingThatVariesAreAsManyAsTheSetHas) {
  const SetLayoutRef varying = layout(true);
  EXPECT_EQ(keys_from({*varying, 1, 1, 0}), (Keys{{1, 0}, {1, 1}, {7, 0}}));
  EXPECT_EQ(keys_from({*varying, 0, 7, 0}), Keys{});
}

TEST(ModelDescriptors, CountsAreThoseOfLayoutsThatVary) {
  const std::uint32_t counts[] = {2, 1};
  VkDescriptorSetVariableDescriptorCountAllocateInfo chained{};
  chained.sType = VK_STRUCTURE_TYPE_DESCRIPTOR_SET_VARIABLE_DESCRIPTOR_COUNT_ALLOCATE_INFO;
  chained.descriptorSetCount = 2;
  chained.pDescriptorCounts = counts;
  VkDescriptorSetAllocateInfo info{};
  EXPECT_EQ(last_count_of(*layout(false), info, 0), UINT32_MAX);
  EXPECT_EQ(last_count_of(*layout(true), info, 0), 0u);  // "the lengths are zero"
  info.pNext = &chained;
  EXPECT_EQ(last_count_of(*layout(true), info, 1), 1u);
  EXPECT_EQ(last_count_of(*layout(true), info, 2), 0u);
  EXPECT_EQ(last_count_of(*layout(false), info, 1), UINT32_MAX);  // it does not vary
}

TEST(ModelDescriptors, OfCopiesEndWithTheShorterSide) {
  const SetLayoutRef from = layout(true), to = layout(false);
  VkCopyDescriptorSet copy{};
  copy.descriptorCount = 9;
  std::vector<std::pair<DescriptorKey, DescriptorKey>> all;
  for_each_copied(copy, {*from, 1, 1, 1}, {*to, UINT32_MAX, 7, 1},
                  [&](const DescriptorKey& source, const DescriptorKey& target) { all.emplace_back(source, target); });
  ASSERT_EQ(all.size(), 2u);
  EXPECT_EQ(all[1].first, DescriptorKey(7, 0));
  EXPECT_EQ(all[1].second, DescriptorKey(7, 2));
}

TEST(ModelDescriptors, OfWritesStandWhereTheirTypeSays) {
  const VkDescriptorBufferInfo buffers[3] = {};
  const VkDescriptorImageInfo images[3] = {};
  const VkBufferView views[3] = {};
  const VkAccelerationStructureKHR all[2] = {};
  VkWriteDescriptorSetAccelerationStructureKHR structures{};
  structures.sType = VK_STRUCTURE_TYPE_WRITE_DESCRIPTOR_SET_ACCELERATION_STRUCTURE_KHR;
  structures.accelerationStructureCount = 2;
  structures.pAccelerationStructures = all;
  VkWriteDescriptorSet w{};
  w.pNext = &structures;
  w.descriptorCount = 3;
  w.pBufferInfo = buffers;
  w.pImageInfo = images;
  w.pTexelBufferView = views;
  const auto is = [&](VkDescriptorType type, const void* first, std::size_t stride, std::uint32_t count) {
    w.descriptorType = type;
    const WrittenDescriptors written = written_descriptors(w);
    EXPECT_EQ(static_cast<const void*>(written.first), first) << type;
    EXPECT_EQ(written.stride, stride) << type;
    EXPECT_EQ(written.count, count) << type;
  };
  is(kStorage, buffers, sizeof *buffers, 3);
  is(VK_DESCRIPTOR_TYPE_SAMPLED_IMAGE, images, sizeof *images, 3);
  is(VK_DESCRIPTOR_TYPE_UNIFORM_TEXEL_BUFFER, views, sizeof *views, 3);
  is(VK_DESCRIPTOR_TYPE_ACCELERATION_STRUCTURE_KHR, all, sizeof *all, 2);
  is(VK_DESCRIPTOR_TYPE_INLINE_UNIFORM_BLOCK, nullptr, 0, 0);
  w.pBufferInfo = nullptr;
  EXPECT_EQ((w.descriptorType = kStorage, written_descriptors(w).count), 0u);
}

TEST(ModelDescriptors, OfTemplatesStayWithinTheData) {
  std::byte data[100] = {};
  VkDescriptorUpdateTemplateEntry entry{};
  entry.descriptorType = kStorage;  // 24 bytes each
  entry.descriptorCount = 3;
  entry.offset = 4;
  entry.stride = 30;
  std::vector<std::ptrdiff_t> at;
  const auto visit = [&](const std::byte* one) {
    at.push_back(one - data);
    return true;
  };
  EXPECT_TRUE(for_each_of_template(entry, data, 88, visit));
  EXPECT_EQ(at, (std::vector<std::ptrdiff_t>{4, 34, 64}));
  at.clear();
  EXPECT_FALSE(for_each_of_template(entry, data, 87, visit));  // the last one is not all there
  EXPECT_EQ(at.size(), 2u);
  entry.stride = ~std::size_t{};
  EXPECT_FALSE(for_each_of_template(entry, data, 88, visit));
}

}  // namespace
}  // namespace rondo::model
