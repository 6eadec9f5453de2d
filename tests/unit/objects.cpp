// SPDX-License-Identifier: Apache-2.0
// Objects out of captured handle values, and the sequence rule (docs/architecture.md).
#include "format/objects.h"

#include <gtest/gtest.h>

#include <cstring>
#include <initializer_list>

#include "generated/args.h"

namespace rondo {
namespace {

struct Ref {
  HandleType type;
  std::uint64_t value;
  int flags = 0;
};

class Objects : public testing::Test {
 protected:
  const ObjectTable::Resolution& call(CommandId command, std::initializer_list<Ref> refs, bool succeeded = true) {
    codec::Lowered lowered;
    for (const Ref& r : refs) lowered.handles.push_back({0, r.type, static_cast<std::uint8_t>(r.flags), r.value});
    table.apply(codec::info(command), ++sequence, succeeded, lowered, out);
    return out;
  }
  void make_device(std::uint64_t instance, std::uint64_t physical, std::uint64_t device) {
    call(CommandId::vkCreateInstance, {{HandleType::VkInstance, instance, codec::kCreated}});
    call(CommandId::vkEnumeratePhysicalDevices,
         {{HandleType::VkInstance, instance}, {HandleType::VkPhysicalDevice, physical, codec::kCreated}});
    call(CommandId::vkCreateDevice,
         {{HandleType::VkPhysicalDevice, physical}, {HandleType::VkDevice, device, codec::kCreated}});
  }
  ObjectId create_buffer(std::uint64_t device, std::uint64_t value) {
    return call(CommandId::vkCreateBuffer,
                {{HandleType::VkDevice, device}, {HandleType::VkBuffer, value, codec::kCreated}})
        .ids[1];
  }
  void destroy_buffer(std::uint64_t device, std::uint64_t value) {
    call(CommandId::vkDestroyBuffer,
         {{HandleType::VkDevice, device}, {HandleType::VkBuffer, value, codec::kDestroyed}});
  }

  ObjectTable table;
  ObjectTable::Resolution out;
  std::uint64_t sequence = 0;
};

// As a cut gives them: to the next ones of the type, in order; then on from there.
TEST_F(Objects, GivenNumbersAreThoseOfTheNextObjects) {
  make_device(1, 2, 3);
  const VkObjectType types[] = {VK_OBJECT_TYPE_BUFFER, VK_OBJECT_TYPE_IMAGE, VK_OBJECT_TYPE_BUFFER};
  const std::uint32_t numbers[] = {7, 40, 3};
  codec::Lowered lowered;
  lowered.bytes.resize(sizeof(args_rondoObjectNumbers) + sizeof types + sizeof numbers);
  args_rondoObjectNumbers args{3, nullptr, nullptr};
  args.pTypes = reinterpret_cast<const VkObjectType*>(sizeof args);
  args.pNumbers = reinterpret_cast<const std::uint32_t*>(sizeof args + sizeof types);
  std::memcpy(lowered.bytes.data(), &args, sizeof args);
  std::memcpy(lowered.bytes.data() + sizeof args, types, sizeof types);
  std::memcpy(lowered.bytes.data() + sizeof args + sizeof types, numbers, sizeof numbers);
  table.apply(codec::info(CommandId::rondoObjectNumbers), ++sequence, true, lowered, out);
  EXPECT_EQ(table.next_numbers()[HandleType::VkBuffer], 7u);
  EXPECT_EQ(table.next_numbers()[HandleType::VkImage], 40u);
  EXPECT_EQ(table.next_numbers().count(HandleType::VkFence), 0u);
  EXPECT_EQ(table.name(create_buffer(3, 100)), "VkBuffer#7");
  EXPECT_EQ(table.name(create_buffer(3, 101)), "VkBuffer#3");
  EXPECT_EQ(table.name(create_buffer(3, 102)), "VkBuffer#4");
  EXPECT_EQ(table.next_numbers()[HandleType::VkBuffer], 5u);
  // Arrays that are not there give nothing.
  lowered.bytes.resize(sizeof args);
  table.apply(codec::info(CommandId::rondoObjectNumbers), ++sequence, true, lowered, out);
  lowered.bytes.clear();
  table.apply(codec::info(CommandId::rondoObjectNumbers), ++sequence, true, lowered, out);
  EXPECT_EQ(table.name(create_buffer(3, 103)), "VkBuffer#5");
}

TEST_F(Objects, RecycledValueIsANewObject) {
  make_device(1, 2, 3);
  const ObjectId first = create_buffer(3, 100);
  destroy_buffer(3, 100);
  EXPECT_EQ(out.ended, std::vector<ObjectId>{first});
  const ObjectId second = create_buffer(3, 100);
  EXPECT_NE(first, second);
  EXPECT_EQ(table.name(first), "VkBuffer#0");
  EXPECT_EQ(table.name(second), "VkBuffer#1");
  EXPECT_FALSE(table.objects()[first].alive);
}

TEST_F(Objects, SharedValueLivesUntilItsLastDestroy) {
  make_device(1, 2, 3);
  const ObjectId first = create_buffer(3, 100);
  EXPECT_EQ(create_buffer(3, 100), first);
  EXPECT_TRUE(out.created.empty());
  destroy_buffer(3, 100);
  EXPECT_TRUE(out.ended.empty());
  destroy_buffer(3, 100);
  EXPECT_EQ(out.ended, std::vector<ObjectId>{first});
}

TEST_F(Objects, SameValueOnTwoDevicesIsTwoObjects) {
  make_device(1, 2, 3);
  call(CommandId::vkCreateDevice, {{HandleType::VkPhysicalDevice, 2}, {HandleType::VkDevice, 4, codec::kCreated}});
  const ObjectId a = create_buffer(3, 100);
  const ObjectId b = create_buffer(4, 100);
  EXPECT_NE(a, b);
  destroy_buffer(4, 100);
  EXPECT_TRUE(table.objects()[a].alive);
  EXPECT_FALSE(table.objects()[b].alive);
}

TEST_F(Objects, GettersAreIdempotent) {
  make_device(1, 2, 3);
  const Ref device{HandleType::VkDevice, 3};
  const ObjectId queue = call(CommandId::vkGetDeviceQueue, {device, {HandleType::VkQueue, 7, codec::kCreated}}).ids[1];
  EXPECT_EQ(call(CommandId::vkGetDeviceQueue, {device, {HandleType::VkQueue, 7, codec::kCreated}}).ids[1], queue);
  EXPECT_EQ(table.objects()[queue].shared, 1u);
}

TEST_F(Objects, EndOfAPoolEndsItsChildren) {
  make_device(1, 2, 3);
  const Ref device{HandleType::VkDevice, 3};
  const ObjectId pool =
      call(CommandId::vkCreateCommandPool, {device, {HandleType::VkCommandPool, 10, codec::kCreated}}).ids[1];
  const ObjectId buffer =
      call(CommandId::vkAllocateCommandBuffers,
           {device, {HandleType::VkCommandPool, 10}, {HandleType::VkCommandBuffer, 11, codec::kCreated}})
          .ids[2];
  EXPECT_EQ(table.objects()[buffer].parent, pool);
  call(CommandId::vkDestroyCommandPool, {device, {HandleType::VkCommandPool, 10, codec::kDestroyed}});
  EXPECT_EQ(out.ended, (std::vector<ObjectId>{buffer, pool}));
}

TEST_F(Objects, ResetOfADescriptorPoolEndsItsSetsOnly) {
  make_device(1, 2, 3);
  const Ref device{HandleType::VkDevice, 3};
  const Ref pool{HandleType::VkDescriptorPool, 20};
  const ObjectId pool_id =
      call(CommandId::vkCreateDescriptorPool, {device, {HandleType::VkDescriptorPool, 20, codec::kCreated}}).ids[1];
  const ObjectId set =
      call(CommandId::vkAllocateDescriptorSets, {device, pool, {HandleType::VkDescriptorSet, 21, codec::kCreated}})
          .ids[2];
  call(CommandId::vkResetDescriptorPool, {device, pool});
  EXPECT_EQ(out.ended, std::vector<ObjectId>{set});
  EXPECT_TRUE(table.objects()[pool_id].alive);
}

TEST_F(Objects, EndOfASwapchainEndsItsImages) {
  make_device(1, 2, 3);
  const Ref device{HandleType::VkDevice, 3};
  call(CommandId::vkCreateSwapchainKHR, {device, {HandleType::VkSwapchainKHR, 30, codec::kCreated}});
  const ObjectId image = call(CommandId::vkGetSwapchainImagesKHR,
                              {device, {HandleType::VkSwapchainKHR, 30}, {HandleType::VkImage, 31, codec::kCreated}})
                             .ids[2];
  call(CommandId::vkDestroySwapchainKHR, {device, {HandleType::VkSwapchainKHR, 30, codec::kDestroyed}});
  EXPECT_FALSE(table.objects()[image].alive);
}

// Some drivers free a retired swapchain's images when its successor is made.
TEST_F(Objects, ASwapchainsSuccessorMayHaveItsImagesValues) {
  make_device(1, 2, 3);
  const Ref device{HandleType::VkDevice, 3};
  const auto create = [&](std::uint64_t value) {
    call(CommandId::vkCreateSwapchainKHR, {device, {HandleType::VkSwapchainKHR, value, codec::kCreated}});
  };
  const auto image_of = [&](std::uint64_t value) {
    return call(CommandId::vkGetSwapchainImagesKHR,
                {device, {HandleType::VkSwapchainKHR, value}, {HandleType::VkImage, 31, codec::kCreated}})
        .ids[2];
  };
  create(30);
  const ObjectId old = image_of(30);
  create(40);
  const ObjectId next = image_of(40);
  EXPECT_NE(old, next);
  EXPECT_EQ(image_of(40), next);
  EXPECT_EQ(image_of(30), old) << "asked again, it names its own";
  call(CommandId::vkDestroySwapchainKHR, {device, {HandleType::VkSwapchainKHR, 30, codec::kDestroyed}});
  EXPECT_FALSE(table.objects()[old].alive);
  EXPECT_TRUE(table.objects()[next].alive);
  EXPECT_EQ(call(CommandId::vkCmdPipelineBarrier, {device, {HandleType::VkImage, 31}}).ids[1], next);
}

TEST_F(Objects, AnImageMayHaveTheValueOfARetiredSwapchains) {
  make_device(1, 2, 3);
  const Ref device{HandleType::VkDevice, 3};
  call(CommandId::vkCreateSwapchainKHR, {device, {HandleType::VkSwapchainKHR, 30, codec::kCreated}});
  const ObjectId old = call(CommandId::vkGetSwapchainImagesKHR,
                            {device, {HandleType::VkSwapchainKHR, 30}, {HandleType::VkImage, 31, codec::kCreated}})
                           .ids[2];
  const ObjectId depth = call(CommandId::vkCreateImage, {device, {HandleType::VkImage, 31, codec::kCreated}}).ids[1];
  EXPECT_NE(old, depth);
  call(CommandId::vkDestroySwapchainKHR, {device, {HandleType::VkSwapchainKHR, 30, codec::kDestroyed}});
  EXPECT_TRUE(table.objects()[depth].alive);
  call(CommandId::vkDestroyImage, {device, {HandleType::VkImage, 31, codec::kDestroyed}});
  EXPECT_FALSE(table.objects()[depth].alive);
}

TEST_F(Objects, EndOfADeviceEndsWhatLeaked) {
  make_device(1, 2, 3);
  const ObjectId buffer = create_buffer(3, 100);
  call(CommandId::vkDestroyDevice, {{HandleType::VkDevice, 3, codec::kDestroyed}});
  ASSERT_EQ(out.ended.size(), 2u);
  EXPECT_EQ(out.ended[0], buffer);
  EXPECT_EQ(table.name(out.ended[1]), "VkDevice#0");
}

TEST_F(Objects, FailedCreateMakesNothingButPipelines) {
  make_device(1, 2, 3);
  const Ref device{HandleType::VkDevice, 3};
  call(CommandId::vkCreateBuffer, {device, {HandleType::VkBuffer, 100, codec::kCreated}}, false);
  EXPECT_TRUE(out.created.empty());
  call(CommandId::vkCreateComputePipelines,
       {device,
        {HandleType::VkPipelineCache, 0},
        {HandleType::VkPipeline, 0, codec::kCreated},
        {HandleType::VkPipeline, 5, codec::kCreated}},
       false);
  ASSERT_EQ(out.created.size(), 1u);
  EXPECT_EQ(out.ids[3], out.created[0]);
}

TEST_F(Objects, UnknownValueIsReportedAndNullIsNot) {
  make_device(1, 2, 3);
  call(CommandId::vkBindBufferMemory,
       {{HandleType::VkDevice, 3}, {HandleType::VkBuffer, 999}, {HandleType::VkDeviceMemory, 0}});
  EXPECT_EQ(out.unknown, std::vector<std::uint32_t>{1});
}

TEST_F(Objects, UnknownValueThatMayBeIgnoredIsNull) {
  make_device(1, 2, 3);
  const auto& got = call(CommandId::vkUpdateDescriptorSets,
                         {{HandleType::VkDevice, 3}, {HandleType::VkSampler, 0xdead, codec::kPerhapsIgnored}});
  EXPECT_TRUE(got.unknown.empty());
  EXPECT_EQ(got.ids[1], ObjectId::null);
}

// No program makes such a call; a damaged file may hold it.
TEST_F(Objects, ValueEndsUnderWhichNameSpaceItWasMade) {
  make_device(1, 2, 3);
  const Ref instance{HandleType::VkInstance, 1};
  call(CommandId::vkCreateBuffer, {instance, {HandleType::VkDevice, 3}, {HandleType::VkBuffer, 100, codec::kCreated}});
  call(CommandId::vkDestroyDevice, {{HandleType::VkDevice, 3, codec::kDestroyed}});
  ASSERT_EQ(out.ended.size(), 2u);
  EXPECT_EQ(call(CommandId::vkDestroyBuffer, {instance, {HandleType::VkBuffer, 100}}).ids[1], ObjectId::null);
}

TEST_F(Objects, SurfacesBelongToTheInstance) {
  make_device(1, 2, 3);
  const ObjectId surface = call(CommandId::vkCreateXcbSurfaceKHR,
                                {{HandleType::VkInstance, 1}, {HandleType::VkSurfaceKHR, 40, codec::kCreated}})
                               .ids[1];
  call(CommandId::vkCreateSwapchainKHR,
       {{HandleType::VkDevice, 3}, {HandleType::VkSurfaceKHR, 40}, {HandleType::VkSwapchainKHR, 41, codec::kCreated}});
  EXPECT_EQ(out.ids[1], surface);
}

TEST(ByObjects, CheckThatTheObjectIsInTheList) {
  ByObject<int> list;
  list.push_back(0);
  list[ObjectId::null] = 1;
  EXPECT_EXIT(list[object_at(1)] = 1, ::testing::KilledBySignal(SIGABRT), "index_of\\(id\\) < all_.size\\(\\)");
}

}  // namespace
}  // namespace rondo
