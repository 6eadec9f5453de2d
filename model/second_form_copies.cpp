// SPDX-License-Identifier: Apache-2.0
// Copies, blits and resolves (specification, "Copy Commands").
#include "model/second_form_maker.h"

namespace rondo::model {

namespace {

template <class Args, class Info>
Info* transfer(Maker& m, const VkCommandBuffer& commands, const Info* Args::*info, VkStructureType type, Args*& args) {
  args = m.make<Args>();
  m.link(args->commandBuffer, commands);
  Info* const made = m.make<Info>();
  made->sType = type;
  args->*info = made;
  return made;
}

const void* copy_buffer(Maker& m, const args_vkCmdCopyBuffer& a) {
  args_vkCmdCopyBuffer2* args = nullptr;
  VkCopyBufferInfo2& info = *transfer(m, a.commandBuffer, &args_vkCmdCopyBuffer2::pCopyBufferInfo,
                                      VK_STRUCTURE_TYPE_COPY_BUFFER_INFO_2, args);
  m.link(info.srcBuffer, a.srcBuffer);
  m.link(info.dstBuffer, a.dstBuffer);
  auto* const regions = m.make<VkBufferCopy2>(a.regionCount);
  for (std::uint32_t i = 0; i < a.regionCount; ++i) {
    const VkBufferCopy& r = a.pRegions[i];
    regions[i] = {VK_STRUCTURE_TYPE_BUFFER_COPY_2, nullptr, r.srcOffset, r.dstOffset, r.size};
  }
  info.regionCount = a.regionCount;
  info.pRegions = regions;
  return args;
}

// Copies and resolves between images, whose regions are alike. Region: of the second form.
template <class Region, class Args, class Info>
void between_images(Maker& m, Info& info, const Args& a, VkStructureType type) {
  m.link(info.srcImage, a.srcImage);
  m.link(info.dstImage, a.dstImage);
  info.srcImageLayout = a.srcImageLayout;
  info.dstImageLayout = a.dstImageLayout;
  auto* const regions = m.make<Region>(a.regionCount);
  for (std::uint32_t i = 0; i < a.regionCount; ++i) {
    const auto& r = a.pRegions[i];
    regions[i].sType = type;
    regions[i].srcSubresource = r.srcSubresource;
    regions[i].dstSubresource = r.dstSubresource;
    if constexpr (requires { r.extent; }) {
      regions[i].srcOffset = r.srcOffset;
      regions[i].dstOffset = r.dstOffset;
      regions[i].extent = r.extent;
    } else {
      for (int end = 0; end < 2; ++end) {
        regions[i].srcOffsets[end] = r.srcOffsets[end];
        regions[i].dstOffsets[end] = r.dstOffsets[end];
      }
    }
  }
  info.regionCount = a.regionCount;
  info.pRegions = regions;
}

const void* copy_image(Maker& m, const args_vkCmdCopyImage& a) {
  args_vkCmdCopyImage2* args = nullptr;
  between_images<VkImageCopy2>(
      m,
      *transfer(m, a.commandBuffer, &args_vkCmdCopyImage2::pCopyImageInfo, VK_STRUCTURE_TYPE_COPY_IMAGE_INFO_2, args),
      a, VK_STRUCTURE_TYPE_IMAGE_COPY_2);
  return args;
}

const void* resolve_image(Maker& m, const args_vkCmdResolveImage& a) {
  args_vkCmdResolveImage2* args = nullptr;
  between_images<VkImageResolve2>(m,
                                  *transfer(m, a.commandBuffer, &args_vkCmdResolveImage2::pResolveImageInfo,
                                            VK_STRUCTURE_TYPE_RESOLVE_IMAGE_INFO_2, args),
                                  a, VK_STRUCTURE_TYPE_IMAGE_RESOLVE_2);
  return args;
}

const void* blit_image(Maker& m, const args_vkCmdBlitImage& a) {
  args_vkCmdBlitImage2* args = nullptr;
  VkBlitImageInfo2& info =
      *transfer(m, a.commandBuffer, &args_vkCmdBlitImage2::pBlitImageInfo, VK_STRUCTURE_TYPE_BLIT_IMAGE_INFO_2, args);
  between_images<VkImageBlit2>(m, info, a, VK_STRUCTURE_TYPE_IMAGE_BLIT_2);
  info.filter = a.filter;
  return args;
}

const VkBufferImageCopy2* regions_of(Maker& m, std::uint32_t count, const VkBufferImageCopy* from) {
  auto* const regions = m.make<VkBufferImageCopy2>(count);
  for (std::uint32_t i = 0; i < count; ++i)
    regions[i] = {VK_STRUCTURE_TYPE_BUFFER_IMAGE_COPY_2,
                  nullptr,
                  from[i].bufferOffset,
                  from[i].bufferRowLength,
                  from[i].bufferImageHeight,
                  from[i].imageSubresource,
                  from[i].imageOffset,
                  from[i].imageExtent};
  return regions;
}

const void* copy_to_image(Maker& m, const args_vkCmdCopyBufferToImage& a) {
  args_vkCmdCopyBufferToImage2* args = nullptr;
  VkCopyBufferToImageInfo2& info = *transfer(m, a.commandBuffer, &args_vkCmdCopyBufferToImage2::pCopyBufferToImageInfo,
                                             VK_STRUCTURE_TYPE_COPY_BUFFER_TO_IMAGE_INFO_2, args);
  m.link(info.srcBuffer, a.srcBuffer);
  m.link(info.dstImage, a.dstImage);
  info.dstImageLayout = a.dstImageLayout;
  info.regionCount = a.regionCount;
  info.pRegions = regions_of(m, a.regionCount, a.pRegions);
  return args;
}

const void* copy_to_buffer(Maker& m, const args_vkCmdCopyImageToBuffer& a) {
  args_vkCmdCopyImageToBuffer2* args = nullptr;
  VkCopyImageToBufferInfo2& info = *transfer(m, a.commandBuffer, &args_vkCmdCopyImageToBuffer2::pCopyImageToBufferInfo,
                                             VK_STRUCTURE_TYPE_COPY_IMAGE_TO_BUFFER_INFO_2, args);
  m.link(info.srcImage, a.srcImage);
  m.link(info.dstBuffer, a.dstBuffer);
  info.srcImageLayout = a.srcImageLayout;
  info.regionCount = a.regionCount;
  info.pRegions = regions_of(m, a.regionCount, a.pRegions);
  return args;
}

constexpr Pair kCopyPairs[] = {
    pair<args_vkCmdCopyBuffer, copy_buffer>(CommandId::vkCmdCopyBuffer, CommandId::vkCmdCopyBuffer2),
    pair<args_vkCmdCopyImage, copy_image>(CommandId::vkCmdCopyImage, CommandId::vkCmdCopyImage2),
    pair<args_vkCmdBlitImage, blit_image>(CommandId::vkCmdBlitImage, CommandId::vkCmdBlitImage2),
    pair<args_vkCmdResolveImage, resolve_image>(CommandId::vkCmdResolveImage, CommandId::vkCmdResolveImage2),
    pair<args_vkCmdCopyBufferToImage, copy_to_image>(CommandId::vkCmdCopyBufferToImage,
                                                     CommandId::vkCmdCopyBufferToImage2),
    pair<args_vkCmdCopyImageToBuffer, copy_to_buffer>(CommandId::vkCmdCopyImageToBuffer,
                                                      CommandId::vkCmdCopyImageToBuffer2),
};

}  // namespace

std::span<const Pair> pairs_of_copies() { return kCopyPairs; }

}  // namespace rondo::model
