// SPDX-License-Identifier: Apache-2.0
// What the driver is asked for, in place of the program's buffers and images.
#pragma once

#include "format/flags2.h"
#include "layer/checkpoints/resources.h"
#include "layer/driver/alias_types.h"
#include "layer/driver/imports.h"
#include "layer/driver/state.h"
#include "layer/recorder/chain_copy.h"
#include "model/gpu/samples.h"

namespace rondo::layer {

// A copy of the program's request: one that may live in imported memory, and,
// where checkpoints of submits read it, one that can be copied from. The same when the
// recording has stopped: memory from before stays what it is.
struct BufferRequest {
  BufferRequest(DeviceState& device, const VkBufferCreateInfo& asked) : chain(asked.pNext), info(asked) {
    if (device.resources != nullptr) add_usage(VK_BUFFER_USAGE_TRANSFER_SRC_BIT);
    if (recording() && device.address_replay && (usage_of(asked) & VK_BUFFER_USAGE_SHADER_DEVICE_ADDRESS_BIT) != 0) {
      info.flags |= VK_BUFFER_CREATE_DEVICE_ADDRESS_CAPTURE_REPLAY_BIT;
      return;  // its memory is the driver's own
    }
    if (!extend_for_alias(device, info)) return;
    external.pNext = info.pNext;
    info.pNext = &external;
    extended = true;
  }
  BufferRequest(const BufferRequest&) = delete;
  BufferRequest& operator=(const BufferRequest&) = delete;
  void add_usage(VkBufferUsageFlags usage) {
    if ((usage_of(info) & usage) == usage) return;
    info.usage |= usage;
    if (auto* wide = chain.change<BufferUsage2>(kBufferUsage2); wide != nullptr) wide->usage |= usage;
    info.pNext = chain.first();
  }
  ChainCopy chain;
  VkExternalMemoryBufferCreateInfo external{VK_STRUCTURE_TYPE_EXTERNAL_MEMORY_BUFFER_CREATE_INFO, nullptr,
                                            kHostPointer};
  VkBufferCreateInfo info;
  bool extended = false;  // may live in imported memory
};

struct ImageRequest {
  ImageRequest(DeviceState& device, const VkImageCreateInfo& asked, bool to_read) : info(asked) {
    constexpr VkFlags kSparse = VK_IMAGE_CREATE_SPARSE_BINDING_BIT;
    if (to_read && asked.samples != VK_SAMPLE_COUNT_1_BIT) {
      add_samples(device, asked);
    } else if (to_read && (asked.flags & kSparse) == 0 && (asked.usage & VK_IMAGE_USAGE_TRANSFER_SRC_BIT) == 0) {
      info.usage |= VK_IMAGE_USAGE_TRANSFER_SRC_BIT;
      readable = (asked.usage & VK_IMAGE_USAGE_TRANSIENT_ATTACHMENT_BIT) == 0 && image_can_be(device, info);
      if (!readable) info.usage = asked.usage;
    }
    if (!extend_for_alias(device, info)) return;
    external.pNext = asked.pNext;
    info.pNext = &external;
    extended = true;
  }
  ImageRequest(const ImageRequest&) = delete;
  ImageRequest& operator=(const ImageRequest&) = delete;
  // Shaders read several samples, those of color through a view that shows their bits.
  void add_samples(DeviceState& device, const VkImageCreateInfo& asked) {
    const VkFormat format = gpu::samples_view_format(asked.format);
    if ((asked.usage & VK_IMAGE_USAGE_TRANSIENT_ATTACHMENT_BIT) != 0 || !gpu::why_no_samples(asked).empty()) return;
    info.usage |= VK_IMAGE_USAGE_SAMPLED_BIT;
    info.flags |= gpu::samples_flags(asked.format);
    VkImageCreateInfo view = info;
    view.format = format;
    readable = image_can_be(device, info) && image_can_be(device, view);
    if (readable) return;
    info.usage = asked.usage;
    info.flags = asked.flags;
  }
  VkExternalMemoryImageCreateInfo external{VK_STRUCTURE_TYPE_EXTERNAL_MEMORY_IMAGE_CREATE_INFO, nullptr, kHostPointer};
  VkImageCreateInfo info;
  bool extended = false;  // may live in imported memory
  bool readable = false;  // made so
};

}  // namespace rondo::layer
