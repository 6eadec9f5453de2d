// SPDX-License-Identifier: Apache-2.0
// What the tests of programs that bend the specification share.
#pragma once

#include <gtest/gtest.h>

#include "generated/args.h"
#include "tests/unit/player_hostile.h"

namespace rondo::test {

class Sloppy : public PlayerHostile {
 protected:
  using PlayerHostile::PlayerHostile;

  VkCommandBuffer recorded(VkBuffer used = VK_NULL_HANDLE, VkCommandBufferUsageFlags flags = 0) {
    const VkCommandBuffer made = commands(command_pool());
    auto info = of_type<VkCommandBufferBeginInfo>(VK_STRUCTURE_TYPE_COMMAND_BUFFER_BEGIN_INFO);
    info.flags = flags;
    capture.call(CommandId::vkBeginCommandBuffer, args_vkBeginCommandBuffer{made, &info}, ok());
    if (used != VK_NULL_HANDLE) capture.call(CommandId::vkCmdFillBuffer, args_vkCmdFillBuffer{made, used, 0, 4, 0});
    end(made);
    return made;
  }
  void wait(VkFence fence) {
    capture.call(CommandId::vkWaitForFences, args_vkWaitForFences{kDevice, 1, &fence, VK_TRUE, 1}, ok());
  }
  void destroy(VkBuffer buffer) {
    capture.call(CommandId::vkDestroyBuffer, args_vkDestroyBuffer{kDevice, buffer, nullptr});
  }
  std::unique_ptr<player::Plan> plan() {
    capture.finish();
    auto built = build();
    EXPECT_TRUE(built) << built.error().message;
    return built ? std::move(*built) : std::make_unique<player::Plan>();
  }
  // The parameters of the last op of this command; pointers in it are offsets.
  template <class Args>
  static const Args* last(const player::Plan& plan, CommandId id) {
    const Args* found = nullptr;
    for (const player::Op& op : plan.ops)
      if (op.command == id) found = reinterpret_cast<const Args*>(plan.arena.at(op.block));
    return found;
  }
  template <class T, class Args>
  static const T& behind(const Args* args, const T* member) {
    return *reinterpret_cast<const T*>(reinterpret_cast<const std::byte*>(args) +
                                       reinterpret_cast<std::uintptr_t>(member));
  }
};

}  // namespace rondo::test
