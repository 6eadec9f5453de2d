// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <cstring>

#include "format/codec/schema.h"
#include "format/versions.h"
#include "layer/driver/visibility.h"

namespace rondo::layer {
namespace {

VkExtensionProperties extension(const char* name) {
  VkExtensionProperties p{};
  std::strncpy(p.extensionName, name, sizeof p.extensionName - 1);
  return p;
}

TEST(RecorderHidden, ExtensionsOfTheTableAndUnknownOnes) {
  std::vector<VkExtensionProperties> list = {extension("VK_KHR_swapchain"), extension("VK_KHR_video_queue"),
                                             extension("VK_RONDO_from_the_future")};
  hide_extensions(list);
  ASSERT_EQ(list.size(), 1u);
  EXPECT_STREQ(list[0].extensionName, "VK_KHR_swapchain");
  EXPECT_EQ(hidden_reason("VK_KHR_swapchain"), nullptr);
  EXPECT_NE(hidden_reason("VK_RONDO_from_the_future"), nullptr);
}

TEST(RecorderHidden, EveryHiddenExtensionHasAReason) {
  for (const codec::ExtensionInfo& e : codec::extensions()) {
    if (e.supported) continue;
    ASSERT_NE(hidden_reason(e.name), nullptr) << e.name;
    EXPECT_STRNE(hidden_reason(e.name), "") << e.name;
  }
}

// Their payloads are others' too; a sync fd's is a copy.
TEST(RecorderHidden, HandlesOfSemaphoresAndFencesButSyncFds) {
  constexpr VkFlags opaque = VK_EXTERNAL_SEMAPHORE_HANDLE_TYPE_OPAQUE_FD_BIT,
                    sync = VK_EXTERNAL_SEMAPHORE_HANDLE_TYPE_SYNC_FD_BIT, both = opaque | sync;
  VkExternalSemaphoreProperties semaphores{VK_STRUCTURE_TYPE_EXTERNAL_SEMAPHORE_PROPERTIES, nullptr, both, both, 3};
  hide_handle_types(VK_EXTERNAL_SEMAPHORE_HANDLE_TYPE_SYNC_FD_BIT, semaphores);
  EXPECT_EQ(semaphores.externalSemaphoreFeatures, 3u);
  EXPECT_EQ(semaphores.compatibleHandleTypes, sync);
  EXPECT_EQ(semaphores.exportFromImportedHandleTypes, sync);
  hide_handle_types(VK_EXTERNAL_SEMAPHORE_HANDLE_TYPE_OPAQUE_FD_BIT, semaphores);
  EXPECT_EQ(semaphores.externalSemaphoreFeatures, 0u);
  EXPECT_EQ(semaphores.compatibleHandleTypes, 0u);
  EXPECT_EQ(semaphores.exportFromImportedHandleTypes, 0u);
  constexpr VkFlags of_fences = VK_EXTERNAL_FENCE_HANDLE_TYPE_OPAQUE_FD_BIT | VK_EXTERNAL_FENCE_HANDLE_TYPE_SYNC_FD_BIT;
  VkExternalFenceProperties fences{VK_STRUCTURE_TYPE_EXTERNAL_FENCE_PROPERTIES, nullptr, of_fences, of_fences, 3};
  hide_handle_types(VK_EXTERNAL_FENCE_HANDLE_TYPE_SYNC_FD_BIT, fences);
  EXPECT_EQ(fences.externalFenceFeatures, 3u);
  EXPECT_EQ(fences.compatibleHandleTypes, VkFlags{VK_EXTERNAL_FENCE_HANDLE_TYPE_SYNC_FD_BIT});
  hide_handle_types(VK_EXTERNAL_FENCE_HANDLE_TYPE_OPAQUE_FD_BIT, fences);
  EXPECT_EQ(fences.externalFenceFeatures, 0u);
  EXPECT_EQ(fences.exportFromImportedHandleTypes, 0u);
}

TEST(RecorderHidden, FeatureStructuresOfHiddenExtensions) {
  VkPhysicalDeviceRayTracingMotionBlurFeaturesNV blur{};
  blur.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_RAY_TRACING_MOTION_BLUR_FEATURES_NV;
  blur.rayTracingMotionBlur = VK_TRUE;
  VkPhysicalDeviceVulkan11Features v11{};
  v11.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_1_FEATURES;
  v11.pNext = &blur;
  v11.protectedMemory = v11.multiview = VK_TRUE;
  EXPECT_TRUE(hidden_feature(&v11));
  hide_features(&v11);
  EXPECT_EQ(blur.rayTracingMotionBlur, VK_FALSE);
  EXPECT_EQ(v11.protectedMemory, VK_FALSE);
  EXPECT_EQ(v11.multiview, VK_TRUE);
  EXPECT_FALSE(hidden_feature(&v11));
}

TEST(RecorderHidden, AHiddenFeatureThatIsEnabledIsNamed) {
  VkPhysicalDeviceVulkan11Features features{};
  features.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_1_FEATURES;
  EXPECT_FALSE(hidden_feature(&features));
  features.protectedMemory = VK_TRUE;
  ASSERT_TRUE(hidden_feature(&features));
  EXPECT_STREQ(hidden_feature(&features)->member, "protectedMemory");
}

TEST(RecorderHidden, VersionsThatAreNotRecorded) {
  EXPECT_EQ(visible_version(VK_API_VERSION_1_1), VK_API_VERSION_1_1);
  for (const std::uint32_t newer : {VK_MAKE_API_VERSION(0, 1, 5, 5), VK_MAKE_API_VERSION(0, 1, 9, 0)})
    EXPECT_EQ(visible_version(newer), VK_HEADER_VERSION_COMPLETE);
  // 1.4 where the headers have it.
  const std::uint32_t patch = VK_MAKE_API_VERSION(0, 1, 4, 999);
  EXPECT_EQ(visible_version(patch), VK_HEADER_VERSION_COMPLETE < kVulkan14 ? VK_HEADER_VERSION_COMPLETE : patch);
}

TEST(RecorderHidden, QueueFamiliesDoNotOfferProtectedMemory) {
  VkQueueFamilyProperties family{};
  family.queueFlags = VK_QUEUE_GRAPHICS_BIT | VK_QUEUE_SPARSE_BINDING_BIT | VK_QUEUE_PROTECTED_BIT;
  hide_queue_flags(family);
  EXPECT_EQ(family.queueFlags, VkFlags{VK_QUEUE_GRAPHICS_BIT | VK_QUEUE_SPARSE_BINDING_BIT});
}

TEST(Enumerate, AnswersTheTwoCallsAndSaysIncomplete) {
  const std::vector<int> all = {1, 2, 3};
  std::uint32_t count = 0;
  EXPECT_EQ(answer(all, &count, static_cast<int*>(nullptr)), VK_SUCCESS);
  EXPECT_EQ(count, 3u);
  int out[4] = {};
  count = 2;
  EXPECT_EQ(answer(all, &count, out), VK_INCOMPLETE);
  EXPECT_EQ(count, 2u);
  EXPECT_EQ(out[1], 2);
  count = 4;
  EXPECT_EQ(answer(all, &count, out), VK_SUCCESS);
  EXPECT_EQ(count, 3u);
}

TEST(Enumerate, TriesAgainWhenTheListGrows) {
  std::uint32_t size = 1;
  std::vector<int> all;
  const VkResult result = enumerate(all, [&](std::uint32_t* count, int* out) {
    if (out == nullptr) {
      *count = size;
      size = 2;
      return VK_SUCCESS;
    }
    const VkResult r = *count < size ? VK_INCOMPLETE : VK_SUCCESS;
    for (std::uint32_t i = 0; i < *count; ++i) out[i] = static_cast<int>(i);
    return r;
  });
  EXPECT_EQ(result, VK_SUCCESS);
  EXPECT_EQ(all, (std::vector<int>{0, 1}));
}

}  // namespace
}  // namespace rondo::layer
