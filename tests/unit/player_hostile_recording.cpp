// SPDX-License-Identifier: Apache-2.0
// Commands in the wrong place, for the wrong objects, or beyond them; and those
// that drivers get along with, which are played in a form that Vulkan has.
#include "player/legal/validity.h"
#include "tests/unit/player_descriptors.h"

namespace rondo::player {
namespace {

using test::kDevice;
using test::of_type;
using test::ok;

class HostileRecording : public test::Descriptors {
 protected:
  void draw_indirect(std::uint32_t count, std::uint32_t stride, VkDeviceSize offset = 0) {
    const VkBuffer parameters = buffer(64);
    capture.call(CommandId::vkCmdDrawIndirect, args_vkCmdDrawIndirect{drawing(), parameters, offset, count, stride});
  }
  // In a pass, with a pipeline.
  VkCommandBuffer drawing() {
    const VkPipeline made = pipeline();
    const VkCommandBuffer into = recording();
    auto info = of_type<VkRenderingInfo>(VK_STRUCTURE_TYPE_RENDERING_INFO);
    info.renderArea = {{0, 0}, {16, 16}};
    info.layerCount = 1;
    capture.call(CommandId::vkCmdBeginRendering, args_vkCmdBeginRendering{into, &info});
    capture.call(CommandId::vkCmdBindPipeline, args_vkCmdBindPipeline{into, VK_PIPELINE_BIND_POINT_GRAPHICS, made});
    return into;
  }
  VkPipeline pipeline(VkPipelineCreateFlags flags = 0) {
    const auto vertex = stage(VK_SHADER_STAGE_VERTEX_BIT, module({0x07230203, 0, 0, 0, 0}));
    const auto input =
        of_type<VkPipelineVertexInputStateCreateInfo>(VK_STRUCTURE_TYPE_PIPELINE_VERTEX_INPUT_STATE_CREATE_INFO);
    const auto assembly =
        of_type<VkPipelineInputAssemblyStateCreateInfo>(VK_STRUCTURE_TYPE_PIPELINE_INPUT_ASSEMBLY_STATE_CREATE_INFO);
    auto rasterization =
        of_type<VkPipelineRasterizationStateCreateInfo>(VK_STRUCTURE_TYPE_PIPELINE_RASTERIZATION_STATE_CREATE_INFO);
    rasterization.rasterizerDiscardEnable = VK_TRUE;
    auto info = of_type<VkGraphicsPipelineCreateInfo>(VK_STRUCTURE_TYPE_GRAPHICS_PIPELINE_CREATE_INFO);
    info.flags = flags;
    info.basePipelineIndex = 7;
    info.stageCount = 1;
    info.pStages = &vertex;
    info.pVertexInputState = &input;
    info.pInputAssemblyState = &assembly;
    info.pRasterizationState = &rasterization;
    info.layout = layout();
    auto made = fresh<VkPipeline>();
    capture.call(CommandId::vkCreateGraphicsPipelines,
                 args_vkCreateGraphicsPipelines{kDevice, VK_NULL_HANDLE, 1, &info, nullptr, &made}, ok());
    return made;
  }
  void copy(VkDeviceSize bytes, VkBuffer from, VkBuffer to) {
    const VkBufferCopy region{0, 0, bytes};
    capture.call(CommandId::vkCmdCopyBuffer, args_vkCmdCopyBuffer{recording(), from, to, 1, &region});
  }
};

TEST(Queues, OfTransfersTakeLabels) {
  validity::CommandBuffer commands;
  commands.can = VK_QUEUE_TRANSFER_BIT;
  for (const CommandId id : {CommandId::vkCmdBeginDebugUtilsLabelEXT, CommandId::vkCmdEndDebugUtilsLabelEXT,
                             CommandId::vkCmdInsertDebugUtilsLabelEXT, CommandId::vkCmdDebugMarkerBeginEXT})
    EXPECT_EQ(validity::check_place(commands, id), "");
  EXPECT_NE(validity::check_place(commands, CommandId::vkCmdDispatch), "");
}

TEST_F(HostileRecording, IndirectDrawsStepOverTheirParameters) {
  draw_indirect(2, 8);
  refuses("vkCmdDrawIndirect: stride is no multiple of 4, or less than the parameters");
}
TEST_F(HostileRecording, OneIndirectDrawNeedsNoStride) {
  draw_indirect(1, 3);
  accepts();
}
TEST_F(HostileRecording, IndirectDrawsStayInTheirBuffer) {
  draw_indirect(5, 16);
  refuses("VkBuffer#0, which has 64");
}
TEST_F(HostileRecording, IndirectDrawsAreAligned) {
  draw_indirect(1, 0, 2);
  refuses("vkCmdDrawIndirect: offset is no multiple of 4");
}
TEST_F(HostileRecording, BuffersAreMadeForWhatIsDoneWithThem) {
  const VkBuffer from = buffer(64), to = buffer(64);
  copy(64, from, to);
  const auto built = plan();
  std::vector<VkBufferUsageFlags> usages;
  for (const Op& op : built->ops)
    if (op.command == CommandId::vkCreateBuffer) {
      const auto* args = reinterpret_cast<const args_vkCreateBuffer*>(built->arena.at(op.block));
      usages.push_back(behind(args, args->pCreateInfo).usage);
    }
  EXPECT_EQ(usages,
            (std::vector<VkBufferUsageFlags>{VK_BUFFER_USAGE_TRANSFER_SRC_BIT, VK_BUFFER_USAGE_TRANSFER_DST_BIT}));
}
TEST_F(HostileRecording, CopiesHaveASize) {
  const VkBuffer from = buffer(64), to = buffer(32);
  copy(VK_WHOLE_SIZE, from, to);
  refuses("vkCmdCopyBuffer: a region's size is VK_WHOLE_SIZE");
}
TEST_F(HostileRecording, CopiesOfNoRegionsAreLeftOut) {
  const VkBuffer from = buffer(64), to = buffer(64);
  capture.call(CommandId::vkCmdCopyBuffer, args_vkCmdCopyBuffer{recording(), from, to, 0, nullptr});
  EXPECT_EQ(last<args_vkCmdCopyBuffer>(*plan(), CommandId::vkCmdCopyBuffer), nullptr);
}
TEST_F(HostileRecording, FillsAreOfWords) {
  const VkBuffer made = buffer(64);
  capture.call(CommandId::vkCmdFillBuffer, args_vkCmdFillBuffer{recording(), made, 2, 4, 0});
  refuses("vkCmdFillBuffer: dstOffset or size is no multiple of 4");
}
TEST_F(HostileRecording, ImagesAreCopiedBetweenTexelsOfOneSize) {
  const VkImage from = image(16, 16), to = image(16, 16, 1, true, VK_FORMAT_R16G16B16A16_SFLOAT);
  const VkImageSubresourceLayers color{VK_IMAGE_ASPECT_COLOR_BIT, 0, 0, 1};
  const VkImageCopy region{color, {}, color, {}, {16, 16, 1}};
  capture.call(CommandId::vkCmdCopyImage, args_vkCmdCopyImage{recording(), from, VK_IMAGE_LAYOUT_GENERAL, to,
                                                              VK_IMAGE_LAYOUT_GENERAL, 1, &region});
  refuses("vkCmdCopyImage: the images' texels are of different sizes");
}
TEST_F(HostileRecording, PlanesAreSmallerThanTheirImage) {
  const VkImage planes = image(16, 16, 1, true, VK_FORMAT_G8_B8_R8_3PLANE_420_UNORM);
  VkBufferImageCopy region{};
  region.imageSubresource = {VK_IMAGE_ASPECT_PLANE_1_BIT, 0, 0, 1};
  region.imageExtent = {16, 8, 1};
  const VkBuffer from = buffer(4096);
  capture.call(CommandId::vkCmdCopyBufferToImage,
               args_vkCmdCopyBufferToImage{recording(), from, planes, VK_IMAGE_LAYOUT_GENERAL, 1, &region});
  refuses("a region has texels outside mip 0 of VkImage#0, which is 8x8x1");
}
TEST_F(HostileRecording, ClearsNameAspectsThatAreThere) {
  const VkImage made = image(16, 16);
  const VkClearColorValue color{};
  const VkImageSubresourceRange range{VK_IMAGE_ASPECT_DEPTH_BIT, 0, 1, 0, 1};
  capture.call(CommandId::vkCmdClearColorImage,
               args_vkCmdClearColorImage{recording(), made, VK_IMAGE_LAYOUT_GENERAL, &color, 1, &range});
  refuses("pRanges names aspects that VkImage#0 lacks");
}
TEST_F(HostileRecording, ResolvesAreOfSeveralSamples) {
  const VkImage from = image(16, 16), to = image(16, 16);
  const VkImageSubresourceLayers color{VK_IMAGE_ASPECT_COLOR_BIT, 0, 0, 1};
  const VkImageResolve region{color, {}, color, {}, {16, 16, 1}};
  capture.call(CommandId::vkCmdResolveImage, args_vkCmdResolveImage{recording(), from, VK_IMAGE_LAYOUT_GENERAL, to,
                                                                    VK_IMAGE_LAYOUT_GENERAL, 1, &region});
  refuses("vkCmdResolveImage: resolves from one sample, or into several");
}
TEST_F(HostileRecording, ViewportsAreNoMoreThanDriversKeep) {
  const std::vector<VkViewport> many(4);
  capture.call(CommandId::vkCmdSetViewport, args_vkCmdSetViewport{recording(), 14, 4, many.data()});
  refuses("vkCmdSetViewport: viewports 14 to 18, and there are 16 at most");
}
TEST_F(HostileRecording, DrawsWithinSubpassesOfSecondariesAreNone) {
  const VkPipeline made = pipeline();
  const VkCommandBuffer into = recording();
  auto info = of_type<VkRenderingInfo>(VK_STRUCTURE_TYPE_RENDERING_INFO);
  info.flags = VK_RENDERING_CONTENTS_SECONDARY_COMMAND_BUFFERS_BIT;
  info.layerCount = 1;
  capture.call(CommandId::vkCmdBeginRendering, args_vkCmdBeginRendering{into, &info});
  capture.call(CommandId::vkCmdBindPipeline, args_vkCmdBindPipeline{into, VK_PIPELINE_BIND_POINT_GRAPHICS, made});
  refuses("vkCmdBindPipeline: is in a subpass that takes secondary command buffers only");
}
TEST_F(HostileRecording, DrawsBehindSecondariesBindAnew) {
  const VkCommandPool pool = command_pool();
  const VkCommandBuffer second = commands(pool, VK_COMMAND_BUFFER_LEVEL_SECONDARY);
  auto inherited = of_type<VkCommandBufferInheritanceInfo>(VK_STRUCTURE_TYPE_COMMAND_BUFFER_INHERITANCE_INFO);
  auto info = of_type<VkCommandBufferBeginInfo>(VK_STRUCTURE_TYPE_COMMAND_BUFFER_BEGIN_INFO);
  info.pInheritanceInfo = &inherited;
  capture.secondaries = true;
  capture.call(CommandId::vkBeginCommandBuffer, args_vkBeginCommandBuffer{second, &info}, ok());
  capture.secondaries = false;
  end(second);
  const VkPipeline made = pipeline();
  const VkCommandBuffer into = recording();
  capture.call(CommandId::vkCmdBindPipeline, args_vkCmdBindPipeline{into, VK_PIPELINE_BIND_POINT_GRAPHICS, made});
  capture.call(CommandId::vkCmdExecuteCommands, args_vkCmdExecuteCommands{into, 1, &second});
  auto pass = of_type<VkRenderingInfo>(VK_STRUCTURE_TYPE_RENDERING_INFO);
  pass.layerCount = 1;
  capture.call(CommandId::vkCmdBeginRendering, args_vkCmdBeginRendering{into, &pass});
  capture.call(CommandId::vkCmdDraw, args_vkCmdDraw{into, 3, 1, 0, 0});
  refuses("vkCmdDraw: no graphics pipeline is bound");
}
TEST_F(HostileRecording, DerivativesWithoutABaseAreNone) {
  pipeline(VK_PIPELINE_CREATE_DERIVATIVE_BIT);
  const auto built = plan();
  const auto* args = last<args_vkCreateGraphicsPipelines>(*built, CommandId::vkCreateGraphicsPipelines);
  ASSERT_NE(args, nullptr);
  EXPECT_EQ(behind(args, args->pCreateInfos).flags, 0u);
}
TEST_F(HostileRecording, ConditionsEnd) {
  const VkCommandBuffer into = recording();
  auto info = of_type<VkConditionalRenderingBeginInfoEXT>(VK_STRUCTURE_TYPE_CONDITIONAL_RENDERING_BEGIN_INFO_EXT);
  info.buffer = buffer(64);
  capture.call(CommandId::vkCmdBeginConditionalRenderingEXT, args_vkCmdBeginConditionalRenderingEXT{into, &info});
  end(into);
  refuses("vkEndCommandBuffer: transform feedback or a condition is not ended");
}
TEST_F(HostileRecording, TransformFeedbackIsBegunBeforeItEnds) {
  capture.call(CommandId::vkCmdEndTransformFeedbackEXT,
               args_vkCmdEndTransformFeedbackEXT{drawing(), 0, 0, nullptr, nullptr});
  refuses("vkCmdEndTransformFeedbackEXT: transform feedback was not begun");
}
TEST_F(HostileRecording, QueriesOfExtensionsNeedThem) {
  auto info = of_type<VkQueryPoolCreateInfo>(VK_STRUCTURE_TYPE_QUERY_POOL_CREATE_INFO);
  info.queryType = VK_QUERY_TYPE_TRANSFORM_FEEDBACK_STREAM_EXT;
  info.queryCount = 1;
  create<VkQueryPool, args_vkCreateQueryPool>(CommandId::vkCreateQueryPool, info);
  refuses("vkCreateQueryPool: queryType is of an extension that is not enabled");
}
TEST_F(HostileRecording, PoolsHaveNoMoreQueriesThanDriversCount) {
  auto info = of_type<VkQueryPoolCreateInfo>(VK_STRUCTURE_TYPE_QUERY_POOL_CREATE_INFO);
  info.queryType = VK_QUERY_TYPE_OCCLUSION;
  info.queryCount = (1u << 30) + 1;
  create<VkQueryPool, args_vkCreateQueryPool>(CommandId::vkCreateQueryPool, info);
  refuses("vkCreateQueryPool: makes a pool of 1073741825 queries, more than 16777216");
}
TEST_F(HostileRecording, ActiveQueriesAreNotReset) {
  auto info = of_type<VkQueryPoolCreateInfo>(VK_STRUCTURE_TYPE_QUERY_POOL_CREATE_INFO);
  info.queryType = VK_QUERY_TYPE_OCCLUSION;
  info.queryCount = 2;
  const auto pool = create<VkQueryPool, args_vkCreateQueryPool>(CommandId::vkCreateQueryPool, info);
  const VkCommandBuffer into = recording();
  capture.call(CommandId::vkCmdBeginQuery, args_vkCmdBeginQuery{into, pool, 1, 0});
  capture.call(CommandId::vkCmdResetQueryPool, args_vkCmdResetQueryPool{into, pool, 0, 2});
  refuses("vkCmdResetQueryPool: query 1 of VkQueryPool#0 is begun");
}
TEST_F(HostileRecording, EventsAreSetBeforeTheyAreSeenSo) {
  const auto info = of_type<VkEventCreateInfo>(VK_STRUCTURE_TYPE_EVENT_CREATE_INFO);
  const auto event = create<VkEvent, args_vkCreateEvent>(CommandId::vkCreateEvent, info);
  capture.call(CommandId::vkGetEventStatus, args_vkGetEventStatus{kDevice, event}, {.result = VK_EVENT_SET});
  refuses("vkGetEventStatus: was set, and nothing sets it before: VkEvent#0");
}
TEST_F(HostileRecording, EventsThatAreWaitedForAreNotNull) {
  const VkEvent none = VK_NULL_HANDLE;
  capture.call(CommandId::vkCmdWaitEvents,
               args_vkCmdWaitEvents{recording(), 1, &none, VK_PIPELINE_STAGE_ALL_COMMANDS_BIT,
                                    VK_PIPELINE_STAGE_ALL_COMMANDS_BIT, 0, nullptr, 0, nullptr, 0, nullptr});
  refuses("event 0 is null");
}
TEST_F(HostileRecording, BarriersEndInALayout) {
  auto barrier = of_type<VkImageMemoryBarrier>(VK_STRUCTURE_TYPE_IMAGE_MEMORY_BARRIER);
  barrier.oldLayout = VK_IMAGE_LAYOUT_GENERAL;
  barrier.newLayout = VK_IMAGE_LAYOUT_UNDEFINED;
  barrier.image = image(16, 16);
  barrier.subresourceRange = {VK_IMAGE_ASPECT_COLOR_BIT, 0, 1, 0, 1};
  constexpr auto kAll = VK_PIPELINE_STAGE_ALL_COMMANDS_BIT;
  capture.call(CommandId::vkCmdPipelineBarrier,
               args_vkCmdPipelineBarrier{recording(), kAll, kAll, 0, 0, nullptr, 0, nullptr, 1, &barrier});
  refuses("a barrier's newLayout is undefined or preinitialized");
}
TEST_F(HostileRecording, DynamicOffsetsStayInTheirBuffer) {
  constexpr auto kType = VK_DESCRIPTOR_TYPE_UNIFORM_BUFFER_DYNAMIC;
  const VkDescriptorSetLayout of = set_layout(kType);
  const VkDescriptorSet made = set(set_pool(kType), of);
  write_set(made, kType, buffer(256), 128);
  bind_set(recording(), layout(of), made, VK_PIPELINE_BIND_POINT_COMPUTE, {192});
  refuses("a dynamic offset of 192 moves binding 0 of VkDescriptorSet#0 outside VkBuffer#0");
}
TEST_F(HostileRecording, DynamicOffsetsMayReachTheEndOfTheirBuffer) {
  constexpr auto kType = VK_DESCRIPTOR_TYPE_UNIFORM_BUFFER_DYNAMIC;
  const VkDescriptorSetLayout of = set_layout(kType);
  const VkDescriptorSet made = set(set_pool(kType), of);
  write_set(made, kType, buffer(256), 128);
  bind_set(recording(), layout(of), made, VK_PIPELINE_BIND_POINT_COMPUTE, {128});
  accepts();
}
TEST_F(HostileRecording, SetsFreedOneByOneHaveAPoolForThat) {
  constexpr auto kType = VK_DESCRIPTOR_TYPE_STORAGE_BUFFER;
  const VkDescriptorPool pool = set_pool(kType);
  const VkDescriptorSet made = set(pool, set_layout(kType));
  capture.call(CommandId::vkFreeDescriptorSets, args_vkFreeDescriptorSets{kDevice, pool, 1, &made}, ok());
  const auto built = plan();
  const auto* args = last<args_vkCreateDescriptorPool>(*built, CommandId::vkCreateDescriptorPool);
  ASSERT_NE(args, nullptr);
  EXPECT_EQ(behind(args, args->pCreateInfo).flags, VkFlags{VK_DESCRIPTOR_POOL_CREATE_FREE_DESCRIPTOR_SET_BIT});
}

// A compute shader that declares (0, 0), and perhaps uses it.
class HostileShaders : public HostileRecording {
 protected:
  void dispatch_after_the_buffer_is_destroyed(bool uses) {
    constexpr auto kType = VK_DESCRIPTOR_TYPE_STORAGE_BUFFER;
    std::vector<std::uint32_t> code = {0x07230203,   0, 0,  8,  0,   // the header
                                       4 << 16 | 71, 5, 34, 0,       // %5 is of set 0
                                       4 << 16 | 71, 5, 33, 0,       // … and binding 0
                                       4 << 16 | 59, 2, 5,  12,      // %5 is a variable
                                       5 << 16 | 54, 1, 6,  0,  3};  // a function
    if (uses) code.insert(code.end(), {4 << 16 | 61, 4, 7, 5});      // that loads it
    const VkDescriptorSetLayout of = set_layout(kType);
    const VkPipelineLayout with = layout(of);
    auto info = of_type<VkComputePipelineCreateInfo>(VK_STRUCTURE_TYPE_COMPUTE_PIPELINE_CREATE_INFO);
    info.stage = stage(VK_SHADER_STAGE_COMPUTE_BIT, module(code));
    info.layout = with;
    auto made = fresh<VkPipeline>();
    capture.call(CommandId::vkCreateComputePipelines,
                 args_vkCreateComputePipelines{kDevice, VK_NULL_HANDLE, 1, &info, nullptr, &made}, ok());
    const VkDescriptorSet bound = set(set_pool(kType), of);
    const VkBuffer what = buffer(64);
    write_set(bound, kType, what, 64);
    const VkCommandBuffer into = recording();
    capture.call(CommandId::vkCmdBindPipeline, args_vkCmdBindPipeline{into, VK_PIPELINE_BIND_POINT_COMPUTE, made});
    bind_set(into, with, bound, VK_PIPELINE_BIND_POINT_COMPUTE);
    capture.call(CommandId::vkCmdDispatch, args_vkCmdDispatch{into, 1, 1, 1});
    end(into);
    destroy(what);
    submit({into});
  }
};

TEST_F(HostileShaders, UseWhatIsAlive) {
  dispatch_after_the_buffer_is_destroyed(true);
  refuses("its shaders use VkBuffer#0 through VkDescriptorSet#0, which is destroyed");
}
TEST_F(HostileShaders, MayDeclareWhatTheyDoNotUse) {
  dispatch_after_the_buffer_is_destroyed(false);
  accepts();
}

TEST_F(HostileRecording, SetsHaveLayouts) {
  set(set_pool(VK_DESCRIPTOR_TYPE_STORAGE_BUFFER), VK_NULL_HANDLE);
  refuses("vkAllocateDescriptorSets: the layout of set 0 is null");
}
TEST_F(HostileRecording, ObjectsOfAStateAreMadeOnce) {
  const VkBuffer made = buffer(64, false);
  auto info = of_type<VkBufferCreateInfo>(VK_STRUCTURE_TYPE_BUFFER_CREATE_INFO);
  info.size = 64;
  auto again = made;
  capture.call(CommandId::vkCreateBuffer, args_vkCreateBuffer{kDevice, &info, nullptr, &again}, ok());
  refuses("vkCreateBuffer: makes VkBuffer#0, which is alive");
}
TEST_F(HostileRecording, ViewsHaveTheTexelsOfTheirImage) {
  auto view = of_type<VkImageViewCreateInfo>(VK_STRUCTURE_TYPE_IMAGE_VIEW_CREATE_INFO);
  view.image = image(16, 16);
  view.viewType = VK_IMAGE_VIEW_TYPE_2D;
  view.format = VK_FORMAT_R32G32B32A32_SFLOAT;
  view.subresourceRange = {VK_IMAGE_ASPECT_COLOR_BIT, 0, 1, 0, 1};
  create<VkImageView, args_vkCreateImageView>(CommandId::vkCreateImageView, view);
  refuses("vkCreateImageView: format is not one that VkImage#0 can be seen in");
}
TEST_F(HostileRecording, ImagesSeenInOtherFormatsAreMutable) {
  auto view = of_type<VkImageViewCreateInfo>(VK_STRUCTURE_TYPE_IMAGE_VIEW_CREATE_INFO);
  view.image = image(16, 16);
  view.viewType = VK_IMAGE_VIEW_TYPE_2D;
  view.format = VK_FORMAT_R32_UINT;
  view.subresourceRange = {VK_IMAGE_ASPECT_COLOR_BIT, 0, 1, 0, 1};
  create<VkImageView, args_vkCreateImageView>(CommandId::vkCreateImageView, view);
  const auto built = plan();
  const auto* args = last<args_vkCreateImage>(*built, CommandId::vkCreateImage);
  ASSERT_NE(args, nullptr);
  EXPECT_EQ(behind(args, args->pCreateInfo).flags, VkFlags{VK_IMAGE_CREATE_MUTABLE_FORMAT_BIT});
}
TEST_F(HostileRecording, MoreDrawsThanThereAreParametersForAreNotAskedFor) {
  const VkBuffer parameters = buffer(64), count = buffer(4);
  capture.call(CommandId::vkCmdDrawIndirectCount,
               args_vkCmdDrawIndirectCount{drawing(), parameters, 0, count, 0, 1000, 16});
  const auto built = plan();
  const auto* args = last<args_vkCmdDrawIndirectCount>(*built, CommandId::vkCmdDrawIndirectCount);
  ASSERT_NE(args, nullptr);
  EXPECT_EQ(args->maxDrawCount, 4u);
}

#ifdef VK_KHR_maintenance6
// What would make one up needs an extension that no program is shown.
TEST_F(HostileRecording, ConstantsArePushedWithALayout) {
  const auto told = of_type<VkPipelineLayoutCreateInfo>(VK_STRUCTURE_TYPE_PIPELINE_LAYOUT_CREATE_INFO);
  const std::uint32_t value = 1;
  auto info = of_type<VkPushConstantsInfoKHR>(VK_STRUCTURE_TYPE_PUSH_CONSTANTS_INFO_KHR);
  info.pNext = &told;
  info.stageFlags = VK_SHADER_STAGE_COMPUTE_BIT;
  info.size = sizeof value;
  info.pValues = &value;
  capture.call(CommandId::vkCmdPushConstants2KHR, args_vkCmdPushConstants2{recording(), &info});
  refuses("there is no pipeline layout");
}
TEST_F(HostileRecording, SetsAreBoundWithALayout) {
  constexpr auto kType = VK_DESCRIPTOR_TYPE_STORAGE_BUFFER;
  const VkDescriptorSetLayout of = set_layout(kType);
  const VkDescriptorSet made = set(set_pool(kType), of);
  auto told = of_type<VkPipelineLayoutCreateInfo>(VK_STRUCTURE_TYPE_PIPELINE_LAYOUT_CREATE_INFO);
  told.setLayoutCount = 1;
  told.pSetLayouts = &of;
  auto info = of_type<VkBindDescriptorSetsInfoKHR>(VK_STRUCTURE_TYPE_BIND_DESCRIPTOR_SETS_INFO_KHR);
  info.pNext = &told;
  info.stageFlags = VK_SHADER_STAGE_COMPUTE_BIT;
  info.descriptorSetCount = 1;
  info.pDescriptorSets = &made;
  capture.call(CommandId::vkCmdBindDescriptorSets2KHR, args_vkCmdBindDescriptorSets2{recording(), &info});
  refuses("there is no pipeline layout");
}
// A null unbinds, with VK_KHR_maintenance6: drivers are not shown it.
TEST_F(HostileRecording, NoIndicesMayBeBound) {
  capture.call(CommandId::vkCmdBindIndexBuffer,
               args_vkCmdBindIndexBuffer{recording(), VK_NULL_HANDLE, 0, VK_INDEX_TYPE_UINT16});
  EXPECT_EQ(last<args_vkCmdBindIndexBuffer>(*plan(), CommandId::vkCmdBindIndexBuffer), nullptr);
}
TEST_F(HostileRecording, NoIndicesAreNotDrawnWith) {
  const VkBuffer indices = buffer(64);
  const VkCommandBuffer into = drawing();
  for (const VkBuffer one : {indices, VkBuffer{VK_NULL_HANDLE}})
    capture.call(CommandId::vkCmdBindIndexBuffer, args_vkCmdBindIndexBuffer{into, one, 0, VK_INDEX_TYPE_UINT16});
  capture.call(CommandId::vkCmdDrawIndexed, args_vkCmdDrawIndexed{into, 3, 1, 0, 0, 0});
  refuses("vkCmdDrawIndexed: no index buffer is bound");
}
#endif

}  // namespace
}  // namespace rondo::player
