// SPDX-License-Identifier: Apache-2.0
// Secondaries that execute one another, and that inherit what they do not keep to.
#include "tests/unit/player_descriptors.h"

namespace rondo::player {
namespace {

using test::kDevice;
using test::of_type;
using test::ok;

#ifdef VK_EXT_nested_command_buffer

class HostileNesting : public test::Descriptors {
 protected:
  HostileNesting() : Descriptors(VK_API_VERSION_1_3, nullptr, {VK_EXT_NESTED_COMMAND_BUFFER_EXTENSION_NAME}) {}

  VkCommandBuffer secondary() {
    const VkCommandBuffer made = commands(pool_, VK_COMMAND_BUFFER_LEVEL_SECONDARY);
    const auto inherited =
        of_type<VkCommandBufferInheritanceInfo>(VK_STRUCTURE_TYPE_COMMAND_BUFFER_INHERITANCE_INFO);
    auto info = of_type<VkCommandBufferBeginInfo>(VK_STRUCTURE_TYPE_COMMAND_BUFFER_BEGIN_INFO);
    info.pInheritanceInfo = &inherited;
    info.flags = VK_COMMAND_BUFFER_USAGE_SIMULTANEOUS_USE_BIT;
    capture.call(CommandId::vkBeginCommandBuffer, args_vkBeginCommandBuffer{made, &info}, ok());
    return made;
  }
  // So deep, each executing the one within it so often.
  VkCommandBuffer nest(std::uint32_t depth, std::uint32_t times) {
    VkCommandBuffer inner = secondary();
    end(inner);
    for (std::uint32_t i = 0; i < depth; ++i) {
      const VkCommandBuffer outer = secondary();
      const std::vector<VkCommandBuffer> all(times, inner);
      capture.call(CommandId::vkCmdExecuteCommands, args_vkCmdExecuteCommands{outer, times, all.data()});
      end(outer);
      inner = outer;
    }
    return inner;
  }

 private:
  const VkCommandPool pool_ = command_pool();
};

TEST_F(HostileNesting, SecondariesAreExecutedInSecondaries) {
  const VkCommandBuffer outer = nest(8, 2), primary = recording();
  capture.call(CommandId::vkCmdExecuteCommands, args_vkCmdExecuteCommands{primary, 1, &outer});
  end(primary);
  submit({primary});
  accepts();
}
TEST_F(HostileNesting, SecondariesAreNotDeeperThanDriversBear) {
  nest(33, 1);
  refuses("executes secondaries within secondaries, 33 deep");
}
TEST_F(HostileNesting, SecondariesAreExecutedAsOftenAsAnybodyWaitsFor) {
  nest(31, 2);
  refuses("executes secondaries more than 1048576 times, with those within them");
}

#endif

}  // namespace
}  // namespace rondo::player
