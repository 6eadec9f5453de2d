// SPDX-License-Identifier: Apache-2.0
// Dynamic rendering: which attachments are drawn to, and what extensions let them be.
#include "tests/unit/player_sloppy.h"

namespace rondo::test {
namespace {

const std::vector<const char*> kSingleSampled = {VK_EXT_MULTISAMPLED_RENDER_TO_SINGLE_SAMPLED_EXTENSION_NAME};

class Rendering : public Sloppy {
 protected:
  explicit Rendering(const std::vector<const char*>& extensions = {})
      : Sloppy(VK_API_VERSION_1_0, nullptr, extensions) {
    info.renderArea = {{0, 0}, {16, 16}};
    info.layerCount = 1;
  }
  VkImageView view(VkSampleCountFlagBits samples = VK_SAMPLE_COUNT_1_BIT, std::uint32_t mips = 1,
                   std::uint32_t view_mips = 1) {
    auto image_info = of_type<VkImageCreateInfo>(VK_STRUCTURE_TYPE_IMAGE_CREATE_INFO);
    image_info.imageType = VK_IMAGE_TYPE_2D;
    image_info.format = VK_FORMAT_R8G8B8A8_UNORM;
    image_info.extent = {16, 16, 1};
    image_info.mipLevels = mips;
    image_info.arrayLayers = 2;
    image_info.samples = samples;
    image_info.usage = VK_IMAGE_USAGE_COLOR_ATTACHMENT_BIT;
    const auto image = create<VkImage, args_vkCreateImage>(CommandId::vkCreateImage, image_info);
    capture.call(CommandId::vkBindImageMemory, args_vkBindImageMemory{kDevice, image, allocate(1 << 20), 0}, ok());
    auto view_info = of_type<VkImageViewCreateInfo>(VK_STRUCTURE_TYPE_IMAGE_VIEW_CREATE_INFO);
    view_info.image = image;
    view_info.viewType = VK_IMAGE_VIEW_TYPE_2D_ARRAY;
    view_info.format = image_info.format;
    view_info.subresourceRange = {VK_IMAGE_ASPECT_COLOR_BIT, 0, view_mips, 0, 2};
    return create<VkImageView, args_vkCreateImageView>(CommandId::vkCreateImageView, view_info);
  }
  VkRenderingAttachmentInfo to(VkImageView view) {
    auto attachment = of_type<VkRenderingAttachmentInfo>(VK_STRUCTURE_TYPE_RENDERING_ATTACHMENT_INFO);
    attachment.imageView = view;
    attachment.imageLayout = VK_IMAGE_LAYOUT_GENERAL;
    return attachment;
  }
  void begin_rendering(const std::vector<VkRenderingAttachmentInfo>& colors) {
    info.colorAttachmentCount = static_cast<std::uint32_t>(colors.size());
    info.pColorAttachments = colors.data();
    capture.call(CommandId::vkCmdBeginRendering, args_vkCmdBeginRendering{recording(), &info});
  }
  // With four samples, whatever the attachments have.
  void draw_with_four_samples() {
    four.multisampledRenderToSingleSampledEnable = VK_TRUE;
    four.rasterizationSamples = VK_SAMPLE_COUNT_4_BIT;
    info.pNext = &four;
  }
  VkRenderingInfo info = of_type<VkRenderingInfo>(VK_STRUCTURE_TYPE_RENDERING_INFO);
  VkMultisampledRenderToSingleSampledInfoEXT four = of_type<VkMultisampledRenderToSingleSampledInfoEXT>(
      VK_STRUCTURE_TYPE_MULTISAMPLED_RENDER_TO_SINGLE_SAMPLED_INFO_EXT);
};

class SingleSampledRendering : public Rendering {
 protected:
  SingleSampledRendering() : Rendering(kSingleSampled) {}
};

class MixedSamples : public Rendering {
 protected:
  MixedSamples() : Rendering({VK_AMD_MIXED_ATTACHMENT_SAMPLES_EXTENSION_NAME}) {}
};

TEST_F(Rendering, IsToTheFirstOfSeveralMips) {
  begin_rendering({to(view(VK_SAMPLE_COUNT_1_BIT, 4, 3)), to(view(VK_SAMPLE_COUNT_1_BIT, 4, VK_REMAINING_MIP_LEVELS))});
  accepts();
}
TEST_F(Rendering, ResolvesToTheFirstOfSeveralMips) {
  auto resolved = to(view(VK_SAMPLE_COUNT_4_BIT));
  resolved.resolveMode = VK_RESOLVE_MODE_AVERAGE_BIT;
  resolved.resolveImageView = view(VK_SAMPLE_COUNT_1_BIT, 4, 4);
  resolved.resolveImageLayout = VK_IMAGE_LAYOUT_GENERAL;
  begin_rendering({resolved});
  accepts();
}
TEST_F(Rendering, HasTheLayersOfItsViews) {
  info.layerCount = 64;
  begin_rendering({to(view())});
  const auto built = plan();
  const auto* args = last<args_vkCmdBeginRendering>(*built, CommandId::vkCmdBeginRendering);
  ASSERT_NE(args, nullptr);
  EXPECT_EQ(behind(args, args->pRenderingInfo).layerCount, 2u);
}
TEST_F(Rendering, HasNoViewsOfLayersThatAreNotThere) {
  info.viewMask = 1u << 2;
  begin_rendering({to(view())});
  refuses("VkImageView#0 has 2 layers of the 3 that are drawn to");
}
TEST_F(Rendering, StaysInItsViews) {
  info.renderArea.extent.width = 17;
  begin_rendering({to(view())});
  refuses("renderArea ends outside VkImageView#0");
}
TEST_F(Rendering, OfDevicesWithAreasOfTheirOwnIgnoresTheCommonArea) {
  const VkRect2D own{{4, 4}, {8, 8}};
  auto group = of_type<VkDeviceGroupRenderPassBeginInfo>(VK_STRUCTURE_TYPE_DEVICE_GROUP_RENDER_PASS_BEGIN_INFO);
  group.deviceMask = 1;
  group.deviceRenderAreaCount = 1;
  group.pDeviceRenderAreas = &own;
  info.pNext = &group;
  info.renderArea = {{-9, 0}, {1000, 1000}};
  begin_rendering({to(view())});
  const auto built = plan();
  const auto* args = last<args_vkCmdBeginRendering>(*built, CommandId::vkCmdBeginRendering);
  ASSERT_NE(args, nullptr);
  EXPECT_EQ(behind(args, args->pRenderingInfo).renderArea.offset.x, 4);
  EXPECT_EQ(behind(args, args->pRenderingInfo).renderArea.extent.width, 8u);
}
TEST_F(Rendering, OfDevicesWithAreasOfTheirOwnStaysInItsViews) {
  const VkRect2D own{{4, 4}, {13, 8}};
  auto group = of_type<VkDeviceGroupRenderPassBeginInfo>(VK_STRUCTURE_TYPE_DEVICE_GROUP_RENDER_PASS_BEGIN_INFO);
  group.deviceMask = 1;
  group.deviceRenderAreaCount = 1;
  group.pDeviceRenderAreas = &own;
  info.pNext = &group;
  begin_rendering({to(view())});
  refuses("renderArea ends outside VkImageView#0");
}

TEST_F(Rendering, HasAttachmentsOfAsManySamples) {
  begin_rendering({to(view()), to(view(VK_SAMPLE_COUNT_4_BIT))});
  refuses("its attachments have different numbers of samples");
}
TEST_F(MixedSamples, AreAllowed) {
  begin_rendering({to(view()), to(view(VK_SAMPLE_COUNT_4_BIT))});
  accepts();
}
TEST_F(SingleSampledRendering, MixesOneSampleAndAsManyAsItDrawsWith) {
  draw_with_four_samples();
  begin_rendering({to(view()), to(view(VK_SAMPLE_COUNT_4_BIT))});
  accepts();
}
TEST_F(SingleSampledRendering, HasNoOtherNumberOfSamples) {
  draw_with_four_samples();
  begin_rendering({to(view()), to(view(VK_SAMPLE_COUNT_2_BIT))});
  refuses("an attachment has neither one sample nor as many as it is drawn with");
}
TEST_F(Rendering, IsOfOneSampleWithoutTheExtensionWhateverIsChained) {
  draw_with_four_samples();
  begin_rendering({to(view()), to(view(VK_SAMPLE_COUNT_4_BIT))});
  refuses("its attachments have different numbers of samples");
}
TEST_F(SingleSampledRendering, ResolvesOneSampleToItself) {
  draw_with_four_samples();
  auto resolved = to(view());
  resolved.resolveMode = VK_RESOLVE_MODE_AVERAGE_BIT;
  begin_rendering({resolved});
  accepts();
}
TEST_F(Rendering, ResolvesNotOneSample) {
  auto resolved = to(view());
  resolved.resolveMode = VK_RESOLVE_MODE_AVERAGE_BIT;
  begin_rendering({resolved});
  refuses("an attachment is resolved from one sample");
}

}  // namespace
}  // namespace rondo::test
