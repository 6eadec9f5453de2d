// SPDX-License-Identifier: Apache-2.0
// What the tests of plans and replays share: a capture that begins with an
// instance, a device and its queue, and the calls that most of them make.
#pragma once

#include <gtest/gtest.h>

#include <cstring>
#include <string>
#include <vector>

#include "player/plan/plan.h"
#include "tests/unit/handles.h"
#include "tests/unit/synthetic_capture.h"

namespace rondo::test {

inline const auto kInstance = handle<VkInstance>(0x10);
inline const auto kPhysical = handle<VkPhysicalDevice>(0x20);
inline const auto kDevice = handle<VkDevice>(0x30);
inline const auto kQueue = handle<VkQueue>(0x40);

inline Call ok() { return {.result = VK_SUCCESS}; }

// A zeroed structure with its type.
template <class T>
T of_type(VkStructureType type) {
  T structure{};
  structure.sType = type;
  return structure;
}

class PlayerScene : public ::testing::Test {
 protected:
  // The device has one queue of family 0, and as many of the further families as `more_queues` says.
  explicit PlayerScene(std::uint32_t api_version = VK_API_VERSION_1_0, const void* device_chain = nullptr,
                       const std::vector<const char*>& extensions = {},
                       const std::vector<std::uint32_t>& more_queues = {});

  template <class Handle>
  Handle fresh() {
    return handle<Handle>(next_ += 0x10);
  }
  // A call of a device that makes one object.
  template <class Handle, class Args, class Info>
  Handle create(CommandId command, const Info& info) {
    Handle made = fresh<Handle>();
    capture.call(command, Args{kDevice, &info, nullptr, &made}, ok());
    return made;
  }
  VkFence create_fence(VkFenceCreateFlags flags = 0);
  VkDeviceMemory allocate(VkDeviceSize bytes);
  void write(VkDeviceMemory memory, VkDeviceSize offset, const std::vector<std::byte>& bytes);
  void submit(const std::vector<VkCommandBuffer>& commands = {}, VkFence fence = VK_NULL_HANDLE);

  Result<std::unique_ptr<player::Plan>> build(const player::PlanOptions& options = {});
  static void fails(const Result<std::unique_ptr<player::Plan>>& plan, Status status, const std::string& mentions);

  TemporaryFile file;
  SyntheticCapture capture;

 private:
  std::uint64_t next_ = 0x1000;
};

}  // namespace rondo::test
