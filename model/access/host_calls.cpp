// SPDX-License-Identifier: Apache-2.0
// Calls that touch memory by themselves: host writes, host image copies, presents.
#include "generated/args.h"
#include "model/access/transfers.h"

namespace rondo::access {

namespace {

template <class Args>
void memory_write(Tracker& t, const Call& c) {
  const auto& a = c.as<Args>();
  std::vector<Touch> all;
  for (const RondoRange& range : std::span(a.pRanges, a.rangeCount)) {
    Touch touch;
    touch.object = c.id(&a.memory);
    touch.offset = range.offset;
    touch.size = range.size;
    touch.stages = VK_PIPELINE_STAGE_2_HOST_BIT;
    touch.access = VK_ACCESS_2_HOST_WRITE_BIT;
    touch.overwrites = true;
    all.push_back(touch);
  }
  t.emit_now(c, all);
}

void image_contents(Tracker& t, const Call& c) {
  const auto& a = c.as<args_rondoImageContents>();
  std::vector<Touch> all;
  for (const RondoSubresource& part : std::span(a.pParts, a.partCount)) {
    Touch touch;
    touch.object = c.id(&a.image);
    touch.part = t.part_of(touch.object, {part.aspect, part.mipLevel, 1, part.arrayLayer, 1});
    touch.stages = VK_PIPELINE_STAGE_2_COPY_BIT;
    touch.access = VK_ACCESS_2_TRANSFER_WRITE_BIT;
    touch.overwrites = true;
    all.push_back(touch);
  }
  t.emit_now(c, all);
}

void mips(Tracker& t, const Call& c) {
  const auto& a = c.as<args_rondoMips>();
  std::vector<Touch> all;
  for (const bool writes : {false, true}) {
    Touch touch;
    touch.object = c.id(&a.image);
    const std::uint32_t skip = writes ? 1 : 0;
    if (a.levelCount < 2) return;
    touch.part =
        t.part_of(touch.object, {VK_IMAGE_ASPECT_COLOR_BIT, a.baseMipLevel + skip, a.levelCount - 1, a.arrayLayer, 1});
    touch.stages = VK_PIPELINE_STAGE_2_BLIT_BIT;
    touch.access = writes ? VK_ACCESS_2_TRANSFER_WRITE_BIT : VK_ACCESS_2_TRANSFER_READ_BIT;
    touch.overwrites = writes;
    all.push_back(touch);
  }
  t.emit_now(c, all);
}

void queries(Tracker& t, const Call& c) {
  const auto& a = c.as<args_rondoQueries>();
  Touch touch;
  touch.object = c.id(&a.queryPool);
  touch.offset = a.firstQuery;
  touch.size = a.queryCount;
  touch.stages = VK_PIPELINE_STAGE_2_ALL_COMMANDS_BIT;
  touch.access = VK_ACCESS_2_TRANSFER_WRITE_BIT;
  touch.overwrites = true;
  t.emit_now(c, {touch});
}

void present(Tracker& t, const Call& c) {
  const VkPresentInfoKHR& info = *c.as<args_vkQueuePresentKHR>().pPresentInfo;
  std::vector<Touch> all;
  for (std::uint32_t i = 0; i < info.swapchainCount; ++i) {
    const Swapchain* swapchain = t.swapchains.find(c.id(&info.pSwapchains[i]));
    if (swapchain == nullptr || info.pImageIndices[i] >= swapchain->images.size()) continue;
    Touch touch;
    touch.object = swapchain->images[info.pImageIndices[i]];
    touch.part =
        t.part_of(touch.object, {VK_IMAGE_ASPECT_COLOR_BIT, 0, VK_REMAINING_MIP_LEVELS, 0, VK_REMAINING_ARRAY_LAYERS});
    touch.stages = VK_PIPELINE_STAGE_2_ALL_COMMANDS_BIT;
    touch.access = VK_ACCESS_2_MEMORY_READ_BIT;
    if (touch.object != ObjectId::null) all.push_back(touch);
  }
  t.emit_now(c, all);
}

#ifdef VK_EXT_host_image_copy

Touch of_layers(Tracker& t, ObjectId image, const VkImageSubresourceLayers& layers, VkAccessFlags2 access,
                bool overwrites) {
  Touch touch;
  touch.object = image;
  touch.part = t.part_of(image, range_of(layers));
  touch.stages = VK_PIPELINE_STAGE_2_HOST_BIT;
  touch.access = access;
  touch.overwrites = overwrites;
  return touch;
}

void to_image(Tracker& t, const Call& c) {
  const auto& info = *c.as<args_vkCopyMemoryToImage>().pCopyMemoryToImageInfo;
  const ObjectId image = c.id(&info.dstImage);
  std::vector<Touch> all;
  for (const auto& r : std::span(info.pRegions, info.regionCount))
    all.push_back(of_layers(t, image, r.imageSubresource, VK_ACCESS_2_HOST_WRITE_BIT,
                            covers_all(t, image, r.imageSubresource, r.imageOffset, r.imageExtent)));
  t.emit_now(c, all);
}

void to_memory(Tracker& t, const Call& c) {
  const auto& info = *c.as<args_vkCopyImageToMemory>().pCopyImageToMemoryInfo;
  std::vector<Touch> all;
  for (const auto& r : std::span(info.pRegions, info.regionCount))
    all.push_back(of_layers(t, c.id(&info.srcImage), r.imageSubresource, VK_ACCESS_2_HOST_READ_BIT, false));
  t.emit_now(c, all);
}

void image_to_image(Tracker& t, const Call& c) {
  const auto& info = *c.as<args_vkCopyImageToImage>().pCopyImageToImageInfo;
  const ObjectId to = c.id(&info.dstImage);
  std::vector<Touch> all;
  for (const auto& r : std::span(info.pRegions, info.regionCount)) {
    all.push_back(of_layers(t, c.id(&info.srcImage), r.srcSubresource, VK_ACCESS_2_HOST_READ_BIT, false));
    all.push_back(of_layers(t, to, r.dstSubresource, VK_ACCESS_2_HOST_WRITE_BIT,
                            covers_all(t, to, r.dstSubresource, r.dstOffset, r.extent)));
  }
  t.emit_now(c, all);
}

void transition(Tracker& t, const Call& c) {
  const auto& a = c.as<args_vkTransitionImageLayout>();
  std::vector<Touch> all;
  for (const auto& one : std::span(a.pTransitions, a.transitionCount)) {
    if (one.oldLayout != VK_IMAGE_LAYOUT_UNDEFINED) continue;
    Touch touch;
    touch.object = c.id(&one.image);
    touch.part = t.part_of(touch.object, one.subresourceRange);
    touch.stages = VK_PIPELINE_STAGE_2_HOST_BIT;
    touch.access = VK_ACCESS_2_HOST_WRITE_BIT;
    touch.overwrites = touch.forgets = true;
    all.push_back(touch);
  }
  t.emit_now(c, all);
}

#endif

}  // namespace

void add_host_calls(Handlers& handlers) {
  const auto add = [&](CommandId id, Handler handler) { handlers[static_cast<std::size_t>(id)] = handler; };
  add(CommandId::rondoHostWrite, memory_write<args_rondoHostWrite>);
  add(CommandId::rondoMemoryContents, memory_write<args_rondoMemoryContents>);
  add(CommandId::rondoImageContents, image_contents);
  add(CommandId::rondoMips, mips);
  add(CommandId::rondoQueries, queries);
  add(CommandId::rondoCut, [](Tracker& t, const Call&) { t.submits = 0; });
  add(CommandId::vkQueuePresentKHR, present);
#ifdef VK_EXT_host_image_copy
  add(CommandId::vkCopyMemoryToImage, to_image);
  add(CommandId::vkCopyImageToMemory, to_memory);
  add(CommandId::vkCopyImageToImage, image_to_image);
  add(CommandId::vkTransitionImageLayout, transition);
#endif
}

}  // namespace rondo::access
