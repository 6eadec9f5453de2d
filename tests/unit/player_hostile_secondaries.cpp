// SPDX-License-Identifier: Apache-2.0
// Secondaries that execute one another; attachments of dynamic rendering in other places than
// the pass has, also where it is inherited.
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
    const auto inherited = of_type<VkCommandBufferInheritanceInfo>(VK_STRUCTURE_TYPE_COMMAND_BUFFER_INHERITANCE_INFO);
    auto info = of_type<VkCommandBufferBeginInfo>(VK_STRUCTURE_TYPE_COMMAND_BUFFER_BEGIN_INFO);
    info.pInheritanceInfo = &inherited;
    info.flags = VK_COMMAND_BUFFER_USAGE_SIMULTANEOUS_USE_BIT;
    capture.secondaries = true;
    capture.call(CommandId::vkBeginCommandBuffer, args_vkBeginCommandBuffer{made, &info}, ok());
    capture.secondaries = false;
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

#ifdef VK_KHR_dynamic_rendering_local_read

class HostilePlaces : public test::Descriptors {
 protected:
  HostilePlaces() : Descriptors(VK_API_VERSION_1_3) {}

  void render(VkCommandBuffer into, std::uint32_t colors, VkRenderingFlags flags = 0) {
    const std::vector<VkRenderingAttachmentInfo> none(
        colors, of_type<VkRenderingAttachmentInfo>(VK_STRUCTURE_TYPE_RENDERING_ATTACHMENT_INFO));
    auto info = of_type<VkRenderingInfo>(VK_STRUCTURE_TYPE_RENDERING_INFO);
    info.flags = flags;
    info.renderArea = {{0, 0}, {16, 16}};
    info.layerCount = 1;
    info.colorAttachmentCount = colors;
    info.pColorAttachments = none.data();
    capture.call(CommandId::vkCmdBeginRendering, args_vkCmdBeginRendering{into, &info});
  }
  void locate(VkCommandBuffer into, std::uint32_t colors) {
    const std::uint32_t places[8] = {0, 1, 2, 3, 4, 5, 6, 7};
    auto info = of_type<VkRenderingAttachmentLocationInfoKHR>(VK_STRUCTURE_TYPE_RENDERING_ATTACHMENT_LOCATION_INFO_KHR);
    info.colorAttachmentCount = colors;
    info.pColorAttachmentLocations = places;
    capture.call(CommandId::vkCmdSetRenderingAttachmentLocationsKHR,
                 args_vkCmdSetRenderingAttachmentLocations{into, &info});
  }
  void index(VkCommandBuffer into, std::uint32_t colors) {
    auto info =
        of_type<VkRenderingInputAttachmentIndexInfoKHR>(VK_STRUCTURE_TYPE_RENDERING_INPUT_ATTACHMENT_INDEX_INFO_KHR);
    info.colorAttachmentCount = colors;
    capture.call(CommandId::vkCmdSetRenderingInputAttachmentIndicesKHR,
                 args_vkCmdSetRenderingInputAttachmentIndices{into, &info});
  }
  VkCommandBuffer inheriting(const VkCommandBufferInheritanceInfo& inherited) {
    const VkCommandBuffer made = commands(pool_, VK_COMMAND_BUFFER_LEVEL_SECONDARY);
    auto info = of_type<VkCommandBufferBeginInfo>(VK_STRUCTURE_TYPE_COMMAND_BUFFER_BEGIN_INFO);
    info.flags = VK_COMMAND_BUFFER_USAGE_RENDER_PASS_CONTINUE_BIT;
    info.pInheritanceInfo = &inherited;
    capture.secondaries = true;
    capture.call(CommandId::vkBeginCommandBuffer, args_vkBeginCommandBuffer{made, &info}, ok());
    capture.secondaries = false;
    return made;
  }
  VkCommandBuffer inheriting(std::uint32_t colors) {
    const std::vector<VkFormat> formats(colors, VK_FORMAT_R8G8B8A8_UNORM);
    auto rendering =
        of_type<VkCommandBufferInheritanceRenderingInfo>(VK_STRUCTURE_TYPE_COMMAND_BUFFER_INHERITANCE_RENDERING_INFO);
    rendering.colorAttachmentCount = colors;
    rendering.pColorAttachmentFormats = formats.data();
    rendering.rasterizationSamples = VK_SAMPLE_COUNT_1_BIT;
    auto inherited = of_type<VkCommandBufferInheritanceInfo>(VK_STRUCTURE_TYPE_COMMAND_BUFFER_INHERITANCE_INFO);
    inherited.pNext = &rendering;
    return inheriting(inherited);
  }
  void execute(VkCommandBuffer secondary, std::uint32_t colors) {
    const VkCommandBuffer into = recording();
    render(into, colors, VK_RENDERING_CONTENTS_SECONDARY_COMMAND_BUFFERS_BIT);
    capture.call(CommandId::vkCmdExecuteCommands, args_vkCmdExecuteCommands{into, 1, &secondary});
  }

 private:
  const VkCommandPool pool_ = command_pool();
};

TEST_F(HostilePlaces, AreOfTheAttachmentsThatThePassHas) {
  const VkCommandBuffer into = recording(), inner = inheriting(2);
  render(into, 3);
  locate(into, 3);
  index(into, 3);
  locate(inner, 2);
  index(inner, 2);
  end(inner);
  execute(inner, 2);
  accepts();
}
TEST_F(HostilePlaces, AreOfNoMoreAttachments) {
  const VkCommandBuffer into = recording();
  render(into, 2);
  locate(into, 3);
  refuses("places 3 color attachments, and there are 2");
}
TEST_F(HostilePlaces, OfInputsAreAsMany) {
  const VkCommandBuffer into = recording();
  render(into, 2);
  index(into, 8);
  refuses("places 8 color attachments, and there are 2");
}
TEST_F(HostilePlaces, InSecondariesAreOfWhatTheyInherit) {
  locate(inheriting(1), 2);
  refuses("places 2 color attachments, and there are 1");
}
TEST_F(HostilePlaces, InSecondariesAreOfThePassThatExecutesThem) {
  const VkCommandBuffer inner = inheriting(4);
  locate(inner, 4);
  end(inner);
  execute(inner, 1);
  refuses("places attachments of other rendering than it is executed in");
}
TEST_F(HostilePlaces, AreNotInRenderPasses) {
  const VkSubpassDescription subpass{};
  auto pass = of_type<VkRenderPassCreateInfo>(VK_STRUCTURE_TYPE_RENDER_PASS_CREATE_INFO);
  pass.subpassCount = 1;
  pass.pSubpasses = &subpass;
  auto inherited = of_type<VkCommandBufferInheritanceInfo>(VK_STRUCTURE_TYPE_COMMAND_BUFFER_INHERITANCE_INFO);
  inherited.renderPass = create<VkRenderPass, args_vkCreateRenderPass>(CommandId::vkCreateRenderPass, pass);
  index(inheriting(inherited), 0);
  refuses("is in a render pass that says itself where its attachments are");
}

#endif

}  // namespace
}  // namespace rondo::player
