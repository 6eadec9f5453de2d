// SPDX-License-Identifier: Apache-2.0
// A device of the fake driver, in the test's own process.
#pragma once

#include <gtest/gtest.h>

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "generated/dispatch.h"
#include "tests/icd/fake.h"

namespace fake_test {

struct MappedBuffer {
  VkBuffer buffer = VK_NULL_HANDLE;
  VkDeviceSize size = 0;
  std::uint8_t* bytes = nullptr;

  std::vector<std::uint8_t> contents() const { return {bytes, bytes + size}; }
  std::uint32_t word(std::size_t i) const;
};

// The declarations of a shader with one block a binding; `read_only` has bits of bindings.
std::vector<std::uint32_t> shader(std::uint32_t bindings, std::uint32_t read_only, std::uint32_t salt = 0);

// Ends without violations, unless the test took them.
class FakeDevice : public testing::Test {
 protected:
  void SetUp() override { start({}); }
  void TearDown() override;

  // Anew, on a driver with these settings.
  void start(const fake::Settings& settings);
  void end();

  // If not exclusive, all families may use it at the same time.
  MappedBuffer make_buffer(VkDeviceSize size, VkBufferUsageFlags usage = kTransfers,
                           VkSharingMode sharing = VK_SHARING_MODE_EXCLUSIVE);
  VkImage make_image(VkFormat format, VkExtent3D extent, std::uint32_t layers = 1, std::uint32_t levels = 1,
                     VkImageType type = VK_IMAGE_TYPE_2D, VkSampleCountFlagBits samples = VK_SAMPLE_COUNT_1_BIT);
  VkImageView make_view(VkImage image, VkFormat format, VkImageAspectFlags aspects = VK_IMAGE_ASPECT_COLOR_BIT);
  VkShaderModule make_shader(const std::vector<std::uint32_t>& code);
  VkFence make_fence(VkFenceCreateFlags flags = 0);
  VkSemaphore make_semaphore();
  VkSemaphore make_timeline(std::uint64_t value = 0);
  VkEvent make_event();
  VkQueryPool make_queries(VkQueryType type, std::uint32_t count, VkQueryPipelineStatisticFlags statistics = 0);

  VkCommandBuffer allocate(VkCommandBufferLevel level = VK_COMMAND_BUFFER_LEVEL_PRIMARY);
  using Commands = std::function<void(VkCommandBuffer)>;
  VkCommandBuffer record(const Commands& commands, VkCommandBufferUsageFlags usage = 0);
  // One batch.
  struct Batch {
    std::vector<VkCommandBuffer> buffers = {};
    std::vector<VkSemaphore> waits = {}, signals = {};
    std::vector<std::uint64_t> wait_values = {}, signal_values = {};
  };
  void submit(VkQueue queue, const Batch& batch, VkFence fence = VK_NULL_HANDLE);
  void run(const Commands& commands);  // and waits for it

  // The first violation's text, and forgets them all; empty: there is none.
  std::string take_violation();
  void expect_violation(const std::string& part);

  static constexpr VkBufferUsageFlags kTransfers = VK_BUFFER_USAGE_TRANSFER_SRC_BIT | VK_BUFFER_USAGE_TRANSFER_DST_BIT;

  // Of the next start().
  std::vector<const char*> instance_extensions, extensions;

  rondo::Dispatch vk;
  VkInstance instance = VK_NULL_HANDLE;
  VkPhysicalDevice physical = VK_NULL_HANDLE;
  VkDevice device = VK_NULL_HANDLE;
  std::vector<VkQueue> queues;  // two of family 0, two of 1, one of 2
  VkCommandPool pool = VK_NULL_HANDLE;

  VkDeviceMemory allocate(const VkMemoryRequirements& needs);
};

}  // namespace fake_test
