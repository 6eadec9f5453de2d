// SPDX-License-Identifier: Apache-2.0
// Buffers, images, views of both, render passes and framebuffers: what effects need to know of them. Specification:
// "Resource Creation", "Render Pass". Where they lie in memory: placement.h. No device. One thread.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "format/objects.h"
#include "format/vulkan.h"
#include "generated/ids.h"
#include "model/passes.h"
#include "model/table.h"
#include "model/touch.h"

namespace rondo::model {

struct Buffer {
  std::uint64_t bytes = 0;
  std::uint64_t address = 0;  // 0: the program was not told
};

struct Image {
  VkImageType type{};
  VkFormat format{};
  VkExtent3D extent{};
  std::uint32_t mips = 1, layers = 1, samples = 1;
};

template <class Id>
struct ImageViewOf {
  Id image = {};
  VkImageSubresourceRange part{};  // nothing remaining
};
using ImageView = ImageViewOf<ObjectId>;

struct BufferView {
  ObjectId buffer = ObjectId::null;
  std::uint64_t offset = 0, size = 0;  // bytes
};

template <class Id>
struct FramebufferOf {
  std::vector<Id> views;  // empty: it is imageless
  std::uint32_t layers = 1;
};

struct QueryPool {
  VkQueryType type{};
  VkQueryPipelineStatisticFlags statistics = 0;
};
// How many numbers a query of the pool gives, without its availability. 0: nobody knows.
std::uint32_t numbers_of(const QueryPool& pool);

// Bytes of a buffer.
template <class Id>
struct BufferRangeOf {
  Id buffer = {};
  std::uint64_t offset = 0, size = 0;
};
using BufferRange = BufferRangeOf<ObjectId>;

// An acceleration structure lies in a buffer.
template <class Id>
struct AccelerationStructureOf {
  Id buffer = {};
  std::uint64_t offset = 0, size = 0;  // bytes
};

VkImageSubresourceRange range_of(const VkImageSubresourceLayers& layers);
// Nothing remaining, and no more than there is. Null: nobody knows the image, and the part is what the call says.
VkImageSubresourceRange part_of(const Image* image, VkImageSubresourceRange part);
// Of a mip, in texels.
VkExtent3D extent_of(const Image& image, VkImageAspectFlags aspect, std::uint32_t mip);
// An upper bound of the bytes of a part. UINT64_MAX: more than can be counted.
std::uint64_t bytes_of(const Image& image, const VkImageSubresourceRange& part);
// Bytes of a buffer from an offset on that there are; VK_WHOLE_SIZE: to the end. Null: 0.
std::uint64_t bytes_of(const Buffer* buffer, std::uint64_t offset, std::uint64_t size);

template <class Id>
struct ViewsOf {
  Table<Id, Buffer> buffers;
  Table<Id, Image> images;
  Table<Id, ImageViewOf<Id>> views;
  Table<Id, std::shared_ptr<const RenderPass>> passes;
  Table<Id, FramebufferOf<Id>> framebuffers;
  Table<Id, AccelerationStructureOf<Id>> structures;
  Table<Id, QueryPool> query_pools;

  VkImageSubresourceRange part_of(Id image, const VkImageSubresourceRange& part) const {
    return model::part_of(images.find(image), part);
  }
  std::uint64_t bytes_of(Id buffer, std::uint64_t offset, std::uint64_t size) const {
    return model::bytes_of(buffers.find(buffer), offset, size);
  }
  std::shared_ptr<const RenderPass> pass(Id id) const {
    const auto* found = passes.find(id);
    return found != nullptr ? *found : nullptr;
  }
  // The object is no more.
  void forget(Id id, HandleType type) {
    switch (type) {
      case HandleType::VkBuffer:
        return buffers.erase(id);
      case HandleType::VkImage:
        return images.erase(id);
      case HandleType::VkImageView:
        return views.erase(id);
      case HandleType::VkRenderPass:
        return passes.erase(id);
      case HandleType::VkFramebuffer:
        return framebuffers.erase(id);
      case HandleType::VkAccelerationStructureKHR:
        return structures.erase(id);
      case HandleType::VkQueryPool:
        return query_pools.erase(id);
      default:
        return;
    }
  }
};

}  // namespace rondo::model
