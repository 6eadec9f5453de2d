// SPDX-License-Identifier: Apache-2.0
// What the fake driver can be set to, and the memory that lavapipe lacks.
#include <unistd.h>

#include <cstdio>
#include <cstring>
#include <fstream>

#include "fake_execute_support.h"

namespace fake_test {
namespace {

class FakeSettings : public FakeDevice {
 protected:
  VkSampler sampler(float bias) {
    VkSamplerCreateInfo info{};
    info.sType = VK_STRUCTURE_TYPE_SAMPLER_CREATE_INFO;
    info.mipLodBias = bias;
    VkSampler made = VK_NULL_HANDLE;
    EXPECT_EQ(vk.vkCreateSampler(device, &info, nullptr, &made), VK_SUCCESS);
    return made;
  }
  VkResult allocate_memory(VkDeviceSize size, VkDeviceMemory& made, std::uint32_t type = 2) {
    VkMemoryAllocateInfo info{VK_STRUCTURE_TYPE_MEMORY_ALLOCATE_INFO, nullptr, size, type};
    return vk.vkAllocateMemory(device, &info, nullptr, &made);
  }
};

TEST_F(FakeSettings, HandlesComeAgainAtOnce) {
  const VkSampler first = sampler(0);
  vk.vkDestroySampler(device, first, nullptr);
  EXPECT_EQ(sampler(1), first);
  fake::Settings unique;
  unique.handles = fake::Handles::unique;
  start(unique);
  const VkSampler once = sampler(0);
  vk.vkDestroySampler(device, once, nullptr);
  EXPECT_NE(sampler(1), once);
}

TEST_F(FakeSettings, EqualObjectsShareAHandle) {
  fake::Settings settings;
  settings.handles = fake::Handles::duplicate;
  start(settings);
  const VkSampler one = sampler(0.5f), two = sampler(0.5f), other = sampler(0.25f);
  EXPECT_EQ(one, two);
  EXPECT_NE(one, other);
  vk.vkDestroySampler(device, one, nullptr);
  vk.vkDestroySampler(device, two, nullptr);
  EXPECT_EQ(take_violation(), "");
  vk.vkDestroySampler(device, one, nullptr);
  EXPECT_NE(take_violation(), "") << "both owners have ended it";
}

TEST_F(FakeSettings, NonCoherentMemoryShowsAMissingFlush) {
  VkBufferCreateInfo info{
      VK_STRUCTURE_TYPE_BUFFER_CREATE_INFO, nullptr, 0, 4096, kTransfers, VK_SHARING_MODE_EXCLUSIVE, 0, nullptr};
  VkBuffer source;
  VkDeviceMemory memory;
  ASSERT_EQ(vk.vkCreateBuffer(device, &info, nullptr, &source), VK_SUCCESS);
  ASSERT_EQ(allocate_memory(4096, memory, 1), VK_SUCCESS);
  ASSERT_EQ(vk.vkBindBufferMemory(device, source, memory, 0), VK_SUCCESS);
  void* at = nullptr;
  ASSERT_EQ(vk.vkMapMemory(device, memory, 0, VK_WHOLE_SIZE, 0, &at), VK_SUCCESS);
  std::memset(at, 0x5a, 4096);
  const MappedBuffer target = make_buffer(4096);
  const auto copy = [&] {
    run([&](VkCommandBuffer c) {
      const VkBufferCopy whole{0, 0, 4096};
      vk.vkCmdCopyBuffer(c, source, target.buffer, 1, &whole);
    });
  };
  copy();
  EXPECT_EQ(target.word(0), 0u) << "the device sees what was not flushed";
  const VkMappedMemoryRange range{VK_STRUCTURE_TYPE_MAPPED_MEMORY_RANGE, nullptr, memory, 0, 256};
  ASSERT_EQ(vk.vkFlushMappedMemoryRanges(device, 1, &range), VK_SUCCESS);
  copy();
  EXPECT_EQ(target.word(63), 0x5a5a5a5au);
  EXPECT_EQ(target.word(64), 0u) << "only the range is flushed";
}

TEST_F(FakeSettings, CallsFailOnDemand) {
  std::string error;
  const auto parsed = fake::parse_settings("fail=vkAllocateMemory:2:VK_ERROR_OUT_OF_DEVICE_MEMORY", error);
  ASSERT_EQ(error, "");
  start(parsed);
  VkDeviceMemory made;
  EXPECT_EQ(allocate_memory(4096, made), VK_SUCCESS);
  EXPECT_EQ(allocate_memory(4096, made), VK_ERROR_OUT_OF_DEVICE_MEMORY);
  EXPECT_EQ(allocate_memory(4096, made), VK_SUCCESS);
}

TEST_F(FakeSettings, AnOrderIsASeedOrSeveral) {
  std::string error;
  const auto one = fake::parse_settings("order=7", error), several = fake::parse_settings("order=3-7", error);
  EXPECT_EQ(error, "");
  EXPECT_EQ(one.order, 7u);
  EXPECT_EQ(one.orders, 1u);
  EXPECT_EQ(several.order, 3u);
  EXPECT_EQ(several.orders, 5u);
}

TEST_F(FakeSettings, MemoryLeavesADigestOfWhatItHeld) {
  fake::Settings settings;
  settings.contents = testing::TempDir() + "fake-contents-" + std::to_string(getpid());
  start(settings);
  for (const std::uint8_t byte : {std::uint8_t{1}, std::uint8_t{2}, std::uint8_t{1}}) {
    VkDeviceMemory memory = VK_NULL_HANDLE;
    ASSERT_EQ(allocate_memory(4096, memory), VK_SUCCESS);
    void* at = nullptr;
    ASSERT_EQ(vk.vkMapMemory(device, memory, 0, VK_WHOLE_SIZE, 0, &at), VK_SUCCESS);
    std::memset(at, byte, 1);
    vk.vkFreeMemory(device, memory, nullptr);
  }
  std::ifstream file(settings.contents);
  std::string word;
  EXPECT_TRUE(file >> word);
  EXPECT_EQ(word, "instance");
  std::vector<std::uint64_t> digests;
  for (std::uint64_t number = 0, size = 0, digest = 0; file >> number >> size >> digest;) {
    digests.push_back(digest);
    EXPECT_EQ(number, digests.size());
    EXPECT_EQ(size, 4096u);
  }
  std::remove(settings.contents.c_str());
  ASSERT_EQ(digests.size(), 3u);
  EXPECT_NE(digests[0], digests[1]);
  EXPECT_EQ(digests[0], digests[2]);
}

TEST_F(FakeSettings, BudgetHolds) {
  fake::Settings settings;
  settings.budget = 8192;
  start(settings);
  VkDeviceMemory first, second;
  EXPECT_EQ(allocate_memory(8192, first), VK_SUCCESS);
  EXPECT_EQ(allocate_memory(1, second), VK_ERROR_OUT_OF_DEVICE_MEMORY);
  vk.vkFreeMemory(device, first, nullptr);
  EXPECT_EQ(allocate_memory(4096, second), VK_SUCCESS);
}

TEST_F(FakeSettings, WhatNoHeapHoldsLeavesTheBudgetAlone) {
  fake::Settings settings;
  settings.budget = 8192;
  start(settings);
  VkDeviceMemory first, second;
  EXPECT_EQ(allocate_memory(8192, first), VK_SUCCESS);
  EXPECT_EQ(allocate_memory(VkDeviceSize{1} << 60, second), VK_ERROR_OUT_OF_DEVICE_MEMORY);
  EXPECT_EQ(allocate_memory(8192, second), VK_ERROR_OUT_OF_DEVICE_MEMORY);
}

TEST_F(FakeSettings, WrongSettingsAreNamed) {
  for (const char* text : {"handles=some", "fail=vkNothing:1:VK_TIMEOUT", "fail=vkCreateBuffer:0:VK_TIMEOUT",
                           "atom=100", "nonsense", "devices=0", "order=7-3", "order=3-", "contents="}) {
    std::string error;
    fake::parse_settings(text, error);
    EXPECT_NE(error.find(text), std::string::npos) << text;
  }
}

TEST_F(FakeSettings, RemembersCalls) {
  sampler(0);
  const auto calls = fake::calls();
  ASSERT_FALSE(calls.empty());
  EXPECT_EQ(calls.back(), "vkCreateSampler");
}

class FakeAddresses : public FakeSettings {
 protected:
  // Another device, with capture-replay addresses.
  void SetUp() override {
    FakeSettings::SetUp();
    const float priority = 1;
    VkDeviceQueueCreateInfo queue{VK_STRUCTURE_TYPE_DEVICE_QUEUE_CREATE_INFO, nullptr, 0, 0, 1, &priority};
    VkPhysicalDeviceBufferDeviceAddressFeatures features{};
    features.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_BUFFER_DEVICE_ADDRESS_FEATURES;
    features.bufferDeviceAddress = features.bufferDeviceAddressCaptureReplay = VK_TRUE;
    VkDeviceCreateInfo info{};
    info.sType = VK_STRUCTURE_TYPE_DEVICE_CREATE_INFO;
    info.pNext = &features;
    info.queueCreateInfoCount = 1;
    info.pQueueCreateInfos = &queue;
    ASSERT_EQ(vk.vkCreateDevice(physical, &info, nullptr, &replaying), VK_SUCCESS);
  }
  void TearDown() override {
    vk.vkDestroyDevice(replaying, nullptr);
    FakeSettings::TearDown();
  }
  VkResult allocate_at(std::uint64_t address, VkDeviceMemory& made) {
    VkMemoryOpaqueCaptureAddressAllocateInfo at{VK_STRUCTURE_TYPE_MEMORY_OPAQUE_CAPTURE_ADDRESS_ALLOCATE_INFO, nullptr,
                                                address};
    VkMemoryAllocateFlagsInfo flags{
        VK_STRUCTURE_TYPE_MEMORY_ALLOCATE_FLAGS_INFO, &at,
        VK_MEMORY_ALLOCATE_DEVICE_ADDRESS_BIT | VK_MEMORY_ALLOCATE_DEVICE_ADDRESS_CAPTURE_REPLAY_BIT, 0};
    VkMemoryAllocateInfo info{VK_STRUCTURE_TYPE_MEMORY_ALLOCATE_INFO, &flags, 65536, 0};
    return vk.vkAllocateMemory(replaying, &info, nullptr, &made);
  }
  std::uint64_t address_of(VkDeviceMemory memory) {
    VkDeviceMemoryOpaqueCaptureAddressInfo info{VK_STRUCTURE_TYPE_DEVICE_MEMORY_OPAQUE_CAPTURE_ADDRESS_INFO, nullptr,
                                                memory};
    return vk.vkGetDeviceMemoryOpaqueCaptureAddress(replaying, &info);
  }
  VkDevice replaying = VK_NULL_HANDLE;
};

TEST_F(FakeAddresses, AreHonouredOrRefused) {
  VkDeviceMemory any, taken, wanted;
  ASSERT_EQ(allocate_at(0, any), VK_SUCCESS);
  const std::uint64_t address = address_of(any);
  EXPECT_NE(address, 0u);
  EXPECT_EQ(allocate_at(address, taken), VK_ERROR_INVALID_OPAQUE_CAPTURE_ADDRESS) << "it is in use";
  ASSERT_EQ(allocate_at(address + 0x100000, wanted), VK_SUCCESS);
  EXPECT_EQ(address_of(wanted), address + 0x100000);
  vk.vkFreeMemory(replaying, any, nullptr);
  EXPECT_EQ(allocate_at(address, taken), VK_SUCCESS) << "it is free again";
}

}  // namespace
}  // namespace fake_test
