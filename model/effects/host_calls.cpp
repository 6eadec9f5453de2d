// SPDX-License-Identifier: Apache-2.0
// Calls that touch memory by themselves: host writes, host image copies, presents.
#include "model/effects/all.h"
#include "model/effects/transfers.h"

namespace rondo::model {

namespace {

template <class Args>
void memory_write(Effects& e, const Call& c) {
  const auto& a = c.as<Args>();
  for (const RondoRange& range : std::span(a.pRanges, a.rangeCount)) {
    Touch touch;
    touch.object = c.id(&a.memory);
    touch.offset = range.offset;
    touch.size = range.size;
    touch.stages = VK_PIPELINE_STAGE_2_HOST_BIT;
    touch.access = VK_ACCESS_2_HOST_WRITE_BIT;
    touch.overwrites = true;
    e.touch(touch);
  }
}

void image_contents(Effects& e, const Call& c) {
  const auto& a = c.as<args_rondoImageContents>();
  for (const RondoSubresource& part : std::span(a.pParts, a.partCount)) {
    Touch touch;
    touch.object = c.id(&a.image);
    touch.part = e.views.part_of(touch.object, {part.aspect, part.mipLevel, 1, part.arrayLayer, 1});
    touch.stages = VK_PIPELINE_STAGE_2_COPY_BIT;
    touch.access = VK_ACCESS_2_TRANSFER_WRITE_BIT;
    touch.overwrites = true;
    e.touch(touch);
  }
}

void mips(Effects& e, const Call& c) {
  const auto& a = c.as<args_rondoMips>();
  for (const bool writes : {false, true}) {
    Touch touch;
    touch.object = c.id(&a.image);
    const std::uint32_t skip = writes ? 1 : 0;
    if (a.levelCount < 2) return;
    touch.part = e.views.part_of(touch.object,
                                 {VK_IMAGE_ASPECT_COLOR_BIT, a.baseMipLevel + skip, a.levelCount - 1, a.arrayLayer, 1});
    touch.stages = VK_PIPELINE_STAGE_2_BLIT_BIT;
    touch.access = writes ? VK_ACCESS_2_TRANSFER_WRITE_BIT : VK_ACCESS_2_TRANSFER_READ_BIT;
    touch.overwrites = writes;
    e.touch(touch);
  }
}

void queries(Effects& e, const Call& c) {
  const auto& a = c.as<args_rondoQueries>();
  Touch touch;
  touch.object = c.id(&a.queryPool);
  touch.offset = a.firstQuery;
  touch.size = a.queryCount;
  touch.stages = VK_PIPELINE_STAGE_2_ALL_COMMANDS_BIT;
  touch.access = VK_ACCESS_2_TRANSFER_WRITE_BIT;
  touch.overwrites = true;
  e.touch(touch);
}

void present(Effects& e, const Call& c) {
  const VkPresentInfoKHR& info = *c.as<args_vkQueuePresentKHR>().pPresentInfo;
  for (std::uint32_t i = 0; i < info.swapchainCount; ++i) {
    const Swapchain* swapchain = e.swapchains.find(c.id(&info.pSwapchains[i]));
    if (swapchain == nullptr || info.pImageIndices[i] >= swapchain->images.size()) continue;
    Touch touch;
    touch.object = swapchain->images[info.pImageIndices[i]];
    touch.part = e.views.part_of(touch.object,
                                 {VK_IMAGE_ASPECT_COLOR_BIT, 0, VK_REMAINING_MIP_LEVELS, 0, VK_REMAINING_ARRAY_LAYERS});
    touch.stages = VK_PIPELINE_STAGE_2_ALL_COMMANDS_BIT;
    touch.access = VK_ACCESS_2_MEMORY_READ_BIT;
    e.touch(touch);
  }
}

#ifdef VK_EXT_host_image_copy

Touch of_layers(Effects& e, ObjectId image, const VkImageSubresourceLayers& layers, VkAccessFlags2 access,
                bool overwrites) {
  Touch touch;
  touch.object = image;
  touch.part = e.views.part_of(image, range_of(layers));
  touch.stages = VK_PIPELINE_STAGE_2_HOST_BIT;
  touch.access = access;
  touch.overwrites = overwrites;
  return touch;
}

void to_image(Effects& e, const Call& c) {
  const auto& info = *c.as<args_vkCopyMemoryToImage>().pCopyMemoryToImageInfo;
  const ObjectId image = c.id(&info.dstImage);
  for (const auto& r : std::span(info.pRegions, info.regionCount))
    e.touch(of_layers(e, image, r.imageSubresource, VK_ACCESS_2_HOST_WRITE_BIT,
                      covers_all(e.views.images.find(image), r.imageSubresource, r.imageOffset, r.imageExtent)));
}

void to_memory(Effects& e, const Call& c) {
  const auto& info = *c.as<args_vkCopyImageToMemory>().pCopyImageToMemoryInfo;
  for (const auto& r : std::span(info.pRegions, info.regionCount))
    e.touch(of_layers(e, c.id(&info.srcImage), r.imageSubresource, VK_ACCESS_2_HOST_READ_BIT, false));
}

void image_to_image(Effects& e, const Call& c) {
  const auto& info = *c.as<args_vkCopyImageToImage>().pCopyImageToImageInfo;
  const ObjectId to = c.id(&info.dstImage);
  for (const auto& r : std::span(info.pRegions, info.regionCount)) {
    e.touch(of_layers(e, c.id(&info.srcImage), r.srcSubresource, VK_ACCESS_2_HOST_READ_BIT, false));
    e.touch(of_layers(e, to, r.dstSubresource, VK_ACCESS_2_HOST_WRITE_BIT,
                      covers_all(e.views.images.find(to), r.dstSubresource, r.dstOffset, r.extent)));
  }
}

#endif

}  // namespace

void add_host_calls(Handlers& handlers) {
  add(handlers, CommandId::rondoHostWrite, memory_write<args_rondoHostWrite>, kTouches);
  add(handlers, CommandId::rondoMemoryContents, memory_write<args_rondoMemoryContents>, kTouches);
  add(handlers, CommandId::rondoImageContents, image_contents, kTouches);
  add(handlers, CommandId::rondoMips, mips, kTouches);
  add(handlers, CommandId::rondoQueries, queries, kTouches);
  add(handlers, CommandId::vkQueuePresentKHR, present, kTouches);
#ifdef VK_EXT_host_image_copy
  add(handlers, CommandId::vkCopyMemoryToImage, to_image, kTouches);
  add(handlers, CommandId::vkCopyImageToMemory, to_memory, kTouches);
  add(handlers, CommandId::vkCopyImageToImage, image_to_image, kTouches);
#endif
}

}  // namespace rondo::model
