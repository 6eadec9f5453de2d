// SPDX-License-Identifier: Apache-2.0
// Captures that no program makes, which must not hurt, and corners that no test program has.
#include <memory>

#include "tests/unit/access_scene.h"

namespace rondo {
namespace {

using test::AccessScene;
using test::handle;
using Touches = std::vector<std::string>;

const test::Call kOk{.result = VK_SUCCESS};

// Longer arrays are kept as blobs.
TEST(AccessCorners, LongArraysAreRead) {
  AccessScene scene;
  const VkBuffer vertices = scene.buffer(0x100, 64);
  scene.begin(scene.commands);
  const std::vector<VkBuffer> buffers(33, vertices);
  std::vector<VkDeviceSize> offsets(33);
  for (std::size_t i = 0; i < offsets.size(); ++i) offsets[i] = i;
  scene.capture.call(CommandId::vkCmdBindVertexBuffers,
                     args_vkCmdBindVertexBuffers{scene.commands, 0, 33, buffers.data(), offsets.data()});
  scene.capture.call(CommandId::vkCmdDraw, args_vkCmdDraw{scene.commands, 1, 1, 0, 0});
  const VkDescriptorSet set = scene.set(VK_DESCRIPTOR_TYPE_STORAGE_BUFFER_DYNAMIC, 65);
  const std::vector<std::uint32_t> dynamic(65, 0);
  scene.capture.call(CommandId::vkCmdBindDescriptorSets,
                     args_vkCmdBindDescriptorSets{scene.commands, VK_PIPELINE_BIND_POINT_COMPUTE,
                                                  handle<VkPipelineLayout>(0x98), 0, 1, &set, 65, dynamic.data()});
  scene.submit(scene.commands);
  const Touches touches = scene.touches();
  ASSERT_EQ(touches.size(), 33u);
  EXPECT_EQ(touches.back(), "0 VkBuffer#0 32:64");
}

TEST(AccessCorners, GeometriesMayBeMissing) {
  AccessScene scene;
  scene.begin(scene.commands);
  VkAccelerationStructureBuildGeometryInfoKHR info{};
  info.sType = VK_STRUCTURE_TYPE_ACCELERATION_STRUCTURE_BUILD_GEOMETRY_INFO_KHR;
  info.dstAccelerationStructure = handle<VkAccelerationStructureKHR>(0x77);
  info.geometryCount = 1;
  const VkAccelerationStructureBuildRangeInfoKHR range{};
  const VkAccelerationStructureBuildRangeInfoKHR* ranges = &range;
  scene.capture.call(CommandId::vkCmdBuildAccelerationStructuresKHR,
                     args_vkCmdBuildAccelerationStructuresKHR{scene.commands, 1, &info, &ranges});
  scene.submit(scene.commands);
  EXPECT_EQ(scene.touches(), Touches{});
}

TEST(AccessCorners, CountsWithoutArraysTakeNoMemory) {
  AccessScene scene;
  VkWriteDescriptorSet write{};
  write.sType = VK_STRUCTURE_TYPE_WRITE_DESCRIPTOR_SET;
  write.dstSet = scene.set(VK_DESCRIPTOR_TYPE_ACCELERATION_STRUCTURE_KHR, 1);
  write.descriptorType = VK_DESCRIPTOR_TYPE_ACCELERATION_STRUCTURE_KHR;
  write.descriptorCount = 0xffffffffu;
  scene.capture.call(CommandId::vkUpdateDescriptorSets,
                     args_vkUpdateDescriptorSets{scene.device, 1, &write, 0, nullptr});
  EXPECT_EQ(scene.touches(), Touches{});
}

TEST(AccessCorners, CopiesBetweenHugeLayoutsEnd) {
  AccessScene scene;
  VkCopyDescriptorSet copy{};
  copy.sType = VK_STRUCTURE_TYPE_COPY_DESCRIPTOR_SET;
  copy.srcSet = copy.dstSet = scene.set(VK_DESCRIPTOR_TYPE_STORAGE_BUFFER, 0xffffffffu);
  copy.descriptorCount = 0xffffffffu;
  scene.capture.call(CommandId::vkUpdateDescriptorSets,
                     args_vkUpdateDescriptorSets{scene.device, 0, nullptr, 1, &copy});
  EXPECT_EQ(scene.touches(), Touches{});
}

TEST(AccessCorners, PipelinesOfPipelinesDoNotGrow) {
  AccessScene scene;
  VkPipelineShaderStageCreateInfo stage{};
  stage.sType = VK_STRUCTURE_TYPE_PIPELINE_SHADER_STAGE_CREATE_INFO;
  stage.stage = VK_SHADER_STAGE_VERTEX_BIT;
  stage.module = handle<VkShaderModule>(0x99);
  stage.pName = "main";
  VkGraphicsPipelineLibraryCreateInfoEXT part{};
  part.sType = VK_STRUCTURE_TYPE_GRAPHICS_PIPELINE_LIBRARY_CREATE_INFO_EXT;
  part.flags = VK_GRAPHICS_PIPELINE_LIBRARY_PRE_RASTERIZATION_SHADERS_BIT_EXT;
  VkPipelineLibraryCreateInfoKHR libraries{};
  libraries.sType = VK_STRUCTURE_TYPE_PIPELINE_LIBRARY_CREATE_INFO_KHR;
  for (std::uint64_t i = 0; i < 12; ++i) {
    const std::vector<VkPipeline> before(16, handle<VkPipeline>(0x100 + i));
    libraries.libraryCount = 16;
    libraries.pLibraries = before.data();
    VkGraphicsPipelineCreateInfo info{};
    info.sType = VK_STRUCTURE_TYPE_GRAPHICS_PIPELINE_CREATE_INFO;
    info.pNext = i == 0 ? static_cast<const void*>(&part) : &libraries;
    info.stageCount = i == 0 ? 1 : 0;
    info.pStages = i == 0 ? &stage : nullptr;
    auto made = handle<VkPipeline>(0x101 + i);
    scene.capture.call(CommandId::vkCreateGraphicsPipelines,
                       args_vkCreateGraphicsPipelines{scene.device, VK_NULL_HANDLE, 1, &info, nullptr, &made}, kOk);
  }
  EXPECT_EQ(scene.touches(), Touches{});
}

TEST(AccessCorners, WhatIsBoundAgainAndAgainHasALimit) {
  AccessScene scene;
  const VkBuffer vertices = scene.buffer(0x100, 64);
  scene.begin(scene.commands);
  const std::vector<VkBuffer> buffers(32, vertices);
  const std::vector<VkDeviceSize> offsets(32, 0);
  constexpr std::uint32_t kMany = 4096;
  for (std::uint32_t i = 0; i < kMany; i += 32)
    scene.capture.call(CommandId::vkCmdBindVertexBuffers,
                       args_vkCmdBindVertexBuffers{scene.commands, i, 32, buffers.data(), offsets.data()});
  for (std::uint32_t i = 0; i < kMany; ++i) {
    scene.capture.call(CommandId::vkCmdBindVertexBuffers,
                       args_vkCmdBindVertexBuffers{scene.commands, 0, 1, buffers.data(), offsets.data()});
    scene.capture.call(CommandId::vkCmdDraw, args_vkCmdDraw{scene.commands, 1, 1, 0, 0});
  }
  scene.capture.finish();
  auto walk = analyzers::Walk::open(scene.file.path());
  ASSERT_TRUE(walk);
  const auto walked = analyzers::walk_accesses(*walk, {}, [](const access::Executed&) { return true; });
  ASSERT_TRUE(walked);
  EXPECT_TRUE(walked->too_many);
}

// Whatever a depth view's aspects are, its pass has both.
TEST(AccessCorners, PassesUseDepthAndStencilOfAView) {
  AccessScene scene;
  VkImageCreateInfo image_info{};
  image_info.sType = VK_STRUCTURE_TYPE_IMAGE_CREATE_INFO;
  image_info.imageType = VK_IMAGE_TYPE_2D;
  image_info.format = VK_FORMAT_D24_UNORM_S8_UINT;
  image_info.extent = {16, 16, 1};
  image_info.mipLevels = image_info.arrayLayers = 1;
  auto image = handle<VkImage>(0x200);
  scene.capture.call(CommandId::vkCreateImage, args_vkCreateImage{scene.device, &image_info, nullptr, &image}, kOk);
  VkImageViewCreateInfo view_info{};
  view_info.sType = VK_STRUCTURE_TYPE_IMAGE_VIEW_CREATE_INFO;
  view_info.image = image;
  view_info.viewType = VK_IMAGE_VIEW_TYPE_2D;
  view_info.format = image_info.format;
  view_info.subresourceRange = {VK_IMAGE_ASPECT_DEPTH_BIT, 0, 1, 0, 1};
  auto view = handle<VkImageView>(0x201);
  scene.capture.call(CommandId::vkCreateImageView, args_vkCreateImageView{scene.device, &view_info, nullptr, &view},
                     kOk);
  const VkAttachmentDescription attachment{0,
                                           image_info.format,
                                           VK_SAMPLE_COUNT_1_BIT,
                                           VK_ATTACHMENT_LOAD_OP_CLEAR,
                                           VK_ATTACHMENT_STORE_OP_STORE,
                                           VK_ATTACHMENT_LOAD_OP_LOAD,
                                           VK_ATTACHMENT_STORE_OP_STORE,
                                           VK_IMAGE_LAYOUT_GENERAL,
                                           VK_IMAGE_LAYOUT_GENERAL};
  const VkAttachmentReference reference{0, VK_IMAGE_LAYOUT_GENERAL};
  VkSubpassDescription subpass{};
  subpass.pDepthStencilAttachment = &reference;
  VkRenderPassCreateInfo pass_info{};
  pass_info.sType = VK_STRUCTURE_TYPE_RENDER_PASS_CREATE_INFO;
  pass_info.attachmentCount = 1;
  pass_info.pAttachments = &attachment;
  pass_info.subpassCount = 1;
  pass_info.pSubpasses = &subpass;
  auto pass = handle<VkRenderPass>(0x202);
  scene.capture.call(CommandId::vkCreateRenderPass, args_vkCreateRenderPass{scene.device, &pass_info, nullptr, &pass},
                     kOk);
  VkFramebufferCreateInfo framebuffer_info{};
  framebuffer_info.sType = VK_STRUCTURE_TYPE_FRAMEBUFFER_CREATE_INFO;
  framebuffer_info.renderPass = pass;
  framebuffer_info.attachmentCount = 1;
  framebuffer_info.pAttachments = &view;
  framebuffer_info.width = framebuffer_info.height = 16;
  framebuffer_info.layers = 1;
  auto framebuffer = handle<VkFramebuffer>(0x203);
  scene.capture.call(CommandId::vkCreateFramebuffer,
                     args_vkCreateFramebuffer{scene.device, &framebuffer_info, nullptr, &framebuffer}, kOk);
  const VkClearValue clear{};
  VkRenderPassBeginInfo begin{};
  begin.sType = VK_STRUCTURE_TYPE_RENDER_PASS_BEGIN_INFO;
  begin.renderPass = pass;
  begin.framebuffer = framebuffer;
  begin.clearValueCount = 1;
  begin.pClearValues = &clear;
  VkDeviceGroupRenderPassBeginInfo group{};
  group.sType = VK_STRUCTURE_TYPE_DEVICE_GROUP_RENDER_PASS_BEGIN_INFO;
  const VkRect2D part{{0, 0}, {4, 4}};
  group.deviceRenderAreaCount = 1;
  group.pDeviceRenderAreas = &part;
  scene.begin(scene.commands);
  for (const auto& [area, chain] : {std::pair<VkRect2D, const void*>({{0, 0}, {16, 16}}, nullptr),
                                    {{{0, 0}, {16, 8}}, nullptr},
                                    {{{0, 0}, {16, 16}}, &group}}) {
    begin.renderArea = area;
    begin.pNext = chain;
    scene.capture.call(CommandId::vkCmdBeginRenderPass,
                       args_vkCmdBeginRenderPass{scene.commands, &begin, VK_SUBPASS_CONTENTS_INLINE});
    scene.capture.call(CommandId::vkCmdEndRenderPass, args_vkCmdEndRenderPass{scene.commands});
  }
  scene.submit(scene.commands);
  // Depth is cleared, of which all is replaced where the area is the image's; stencil is loaded; both are stored.
  const Touches whole{"0 VkImage#0 aspects 2, all of it", "0 VkImage#0 aspects 4", "0 VkImage#0 aspects 2",
                      "0 VkImage#0 aspects 4"};
  const Touches partly{"0 VkImage#0 aspects 2", "0 VkImage#0 aspects 4", "0 VkImage#0 aspects 2",
                       "0 VkImage#0 aspects 4"};
  Touches expected = whole;
  expected.insert(expected.end(), partly.begin(), partly.end());
  expected.insert(expected.end(), partly.begin(), partly.end());
  EXPECT_EQ(scene.touches(), expected);
}

// Two buffers in one memory have one address; an address leads to the one that reaches furthest, also when the other is
// gone.
TEST(AccessCorners, AddressesMayBeThoseOfSeveralBuffers) {
  AccessScene scene;
  const VkBuffer longer = scene.buffer(0x100, 4096), shorter = scene.buffer(0x101, 64),
                 storage = scene.buffer(0x102, 256);
  for (const VkBuffer one : {longer, shorter}) {
    VkBufferDeviceAddressInfo info{};
    info.sType = VK_STRUCTURE_TYPE_BUFFER_DEVICE_ADDRESS_INFO;
    info.buffer = one;
    scene.capture.call(CommandId::vkGetBufferDeviceAddress, args_vkGetBufferDeviceAddress{scene.device, &info},
                       {.result = 0x7e8000000000});
  }
  VkAccelerationStructureCreateInfoKHR info{};
  info.sType = VK_STRUCTURE_TYPE_ACCELERATION_STRUCTURE_CREATE_INFO_KHR;
  info.buffer = storage;
  info.size = 256;
  auto structure = handle<VkAccelerationStructureKHR>(0x300);
  scene.capture.call(CommandId::vkCreateAccelerationStructureKHR,
                     args_vkCreateAccelerationStructureKHR{scene.device, &info, nullptr, &structure}, kOk);
  VkAccelerationStructureDeviceAddressInfoKHR asked{};
  asked.sType = VK_STRUCTURE_TYPE_ACCELERATION_STRUCTURE_DEVICE_ADDRESS_INFO_KHR;
  asked.accelerationStructure = structure;
  scene.capture.call(CommandId::vkGetAccelerationStructureDeviceAddressKHR,
                     args_vkGetAccelerationStructureDeviceAddressKHR{scene.device, &asked}, {.result = 0x7e8100000000});
  VkCopyAccelerationStructureToMemoryInfoKHR copy{};
  copy.sType = VK_STRUCTURE_TYPE_COPY_ACCELERATION_STRUCTURE_TO_MEMORY_INFO_KHR;
  copy.src = structure;
  copy.dst.deviceAddress = 0x7e8000000010;
  copy.mode = VK_COPY_ACCELERATION_STRUCTURE_MODE_SERIALIZE_KHR;
  for (const bool gone : {false, true}) {
    if (gone) scene.capture.call(CommandId::vkDestroyBuffer, args_vkDestroyBuffer{scene.device, shorter, nullptr});
    scene.begin(scene.commands);
    scene.capture.call(CommandId::vkCmdCopyAccelerationStructureToMemoryKHR,
                       args_vkCmdCopyAccelerationStructureToMemoryKHR{scene.commands, &copy});
    scene.submit(scene.commands);
  }
  scene.capture.finish();
  auto walk = analyzers::Walk::open(scene.file.path());
  ASSERT_TRUE(walk);
  Touches written;
  access::Model model([&](const access::Executed& executed) {
    for (const access::Touch& touch : executed.touches)
      if (touch.writes())
        written.push_back(walk->objects().name(touch.object) + " " + std::to_string(touch.offset) + ":" +
                          std::to_string(touch.offset + touch.size));
  });
  test::give_all(*walk, model);
  EXPECT_EQ(written, (Touches{"VkBuffer#0 16:4096", "VkBuffer#0 16:4096"}));
  Touches reachable;
  for (const ObjectId id : model.reachable()) reachable.push_back(walk->objects().name(id));
  EXPECT_EQ(reachable, (Touches{"VkBuffer#0", "VkBuffer#2", "VkAccelerationStructureKHR#0"}));
}

}  // namespace
}  // namespace rondo
