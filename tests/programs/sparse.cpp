// SPDX-License-Identifier: Apache-2.0
// Asks for sparse binding as a program does that can do without: features,
// queue families, formats and requirements, then falls back to a plain buffer.
// --enable 1: enables what the device has of it all the same.
#include "session.h"

using namespace program;

int main(int argc, char** argv) {
  VkPhysicalDeviceFeatures2 wished{VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_FEATURES_2};
  Wanted wanted;
  if (option(argc, argv, "--enable", 0) != 0) {
    wished.features.sparseBinding = wished.features.sparseResidencyBuffer = VK_TRUE;
    wanted.features = &wished;
  }
  Session s = open("sparse", wanted);
  VkPhysicalDeviceFeatures2 features{VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_FEATURES_2};
  vkGetPhysicalDeviceFeatures2(s.physical, &features);
  const VkPhysicalDeviceFeatures& f = features.features;
  const bool featured = f.sparseBinding || f.sparseResidencyBuffer || f.sparseResidencyImage2D ||
                        f.sparseResidencyImage3D || f.sparseResidency2Samples || f.sparseResidency4Samples ||
                        f.sparseResidency8Samples || f.sparseResidency16Samples || f.sparseResidencyAliased;
  bool queued = false;
  for (const VkQueueFamilyProperties& family : queue_families(s.physical))
    queued = queued || (family.queueFlags & VK_QUEUE_SPARSE_BINDING_BIT) != 0;
  std::uint32_t formats = 0;
  vkGetPhysicalDeviceSparseImageFormatProperties(s.physical, VK_FORMAT_R8G8B8A8_UNORM, VK_IMAGE_TYPE_2D,
                                                 VK_SAMPLE_COUNT_1_BIT, VK_IMAGE_USAGE_TRANSFER_SRC_BIT,
                                                 VK_IMAGE_TILING_OPTIMAL, &formats, nullptr);
  EXPECT(s, !queued || featured);

  // The fallback: everything bound for good.
  const MappedBuffer b = buffer(s, 4096, VK_BUFFER_USAGE_TRANSFER_DST_BIT);
  vkCmdFillBuffer(s.cmd, b.buffer, 0, VK_WHOLE_SIZE, 0x5ba25e);
  run(s);
  EXPECT(s, b.words[1023] == 0x5ba25e);
  add(s, b);
  return finish(s);
}
