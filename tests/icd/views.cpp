// SPDX-License-Identifier: Apache-2.0
// Views, samplers, shader modules and caches: what is made from other objects
// and never changes.
#include <cstring>

#include "tests/icd/chain.h"
#include "tests/icd/install.h"
#include "tests/icd/state.h"

namespace fake {

namespace {

void check_image_view(Call&, const args_vkCreateImageView& a) {
  const VkImageViewCreateInfo& info = *a.pCreateInfo;
  const auto image = get<Image>(info.image);
  const VkImageSubresourceRange& r = info.subresourceRange;
  const bool slices = image->image_type == VK_IMAGE_TYPE_3D && info.viewType != VK_IMAGE_VIEW_TYPE_3D;
  const std::uint32_t layers = slices ? image->extent.depth : image->layers;
  const bool disjoint = (image->flags & VK_IMAGE_CREATE_DISJOINT_BIT) != 0;
  bool bound = image->binding.memory != nullptr;
  if (disjoint) {
    bound = true;
    for (const Binding& b : image->plane_bindings) bound = bound && b.memory != nullptr;
  }
  if (!bound) return violation("image is not bound to memory");
  if (planes_of(info.format).empty()) return violation("format is one that the device does not have");
  if (r.baseMipLevel >= image->levels || r.levelCount == 0 ||
      (r.levelCount != VK_REMAINING_MIP_LEVELS && r.levelCount > image->levels - r.baseMipLevel))
    return violation("subresourceRange has levels that the image lacks");
  if (r.baseArrayLayer >= layers || r.layerCount == 0 ||
      (r.layerCount != VK_REMAINING_ARRAY_LAYERS && r.layerCount > layers - r.baseArrayLayer))
    return violation("subresourceRange has layers that the image lacks");
  if (r.aspectMask == 0) return violation("aspectMask is 0");
  if (info.format != image->format && (image->flags & VK_IMAGE_CREATE_MUTABLE_FORMAT_BIT) == 0 &&
      planes_of(image->format).size() < 2)
    violation("format is not the image's, which is not mutable");
}

VkResult create_image_view(Call& call, args_vkCreateImageView& a) {
  auto view = std::make_shared<ImageView>();
  view->image = get<Image>(a.pCreateInfo->image);
  view->view_type = a.pCreateInfo->viewType;
  view->format = a.pCreateInfo->format;
  view->components = a.pCreateInfo->components;
  view->range = a.pCreateInfo->subresourceRange;
  if (view->range.levelCount == VK_REMAINING_MIP_LEVELS)
    view->range.levelCount = view->image->levels - view->range.baseMipLevel;
  if (view->range.layerCount == VK_REMAINING_ARRAY_LAYERS)
    view->range.layerCount = (view->image->image_type == VK_IMAGE_TYPE_3D && view->view_type != VK_IMAGE_VIEW_TYPE_3D
                                  ? view->image->extent.depth
                                  : view->image->layers) -
                             view->range.baseArrayLayer;
  *a.pView = as_handle<VkImageView>(publish(view, call.device));
  return VK_SUCCESS;
}

void check_buffer_view(Call&, const args_vkCreateBufferView& a) {
  const VkBufferViewCreateInfo& info = *a.pCreateInfo;
  const auto buffer = get<Buffer>(info.buffer);
  if ((buffer->usage & (VK_BUFFER_USAGE_UNIFORM_TEXEL_BUFFER_BIT | VK_BUFFER_USAGE_STORAGE_TEXEL_BUFFER_BIT)) == 0)
    return violation("the buffer's usage has no texel buffers");
  if (buffer->binding.memory == nullptr) return violation("buffer is not bound to memory");
  if (planes_of(info.format).empty()) return violation("format is one that the device does not have");
  if (info.offset >= buffer->size ||
      (info.range != VK_WHOLE_SIZE && (info.range == 0 || info.range > buffer->size - info.offset)))
    violation("offset + range reaches outside the buffer");
}

VkResult create_buffer_view(Call& call, args_vkCreateBufferView& a) {
  auto view = std::make_shared<BufferView>();
  view->buffer = get<Buffer>(a.pCreateInfo->buffer);
  view->format = a.pCreateInfo->format;
  view->offset = a.pCreateInfo->offset;
  view->range = a.pCreateInfo->range == VK_WHOLE_SIZE ? view->buffer->size - view->offset : a.pCreateInfo->range;
  *a.pView = as_handle<VkBufferView>(publish(view, call.device));
  return VK_SUCCESS;
}

VkResult create_sampler(Call& call, args_vkCreateSampler& a) {
  std::string identity;
  if (a.pCreateInfo->pNext == nullptr)
    if (const auto same = share(call, Sampler::kType, identity)) {
      *a.pSampler = as_handle<VkSampler>(same->handle);
      return VK_SUCCESS;
    }
  auto sampler = std::make_shared<Sampler>();
  sampler->create = *a.pCreateInfo;
  sampler->create.pNext = nullptr;
  sampler->identity = identity;
  *a.pSampler = as_handle<VkSampler>(publish(sampler, call.device));
  return VK_SUCCESS;
}

void check_shader(Call&, const args_vkCreateShaderModule& a) {
  const VkShaderModuleCreateInfo& info = *a.pCreateInfo;
  constexpr std::uint32_t magic = 0x07230203;
  if (info.codeSize == 0 || info.codeSize % 4 != 0) return violation("codeSize is 0 or no multiple of 4");
  if (info.codeSize < 20 || info.pCode[0] != magic) violation("pCode is not SPIR-V");
}

VkResult create_shader(Call& call, args_vkCreateShaderModule& a) {
  std::string identity;
  if (const auto same = share(call, ShaderModule::kType, identity)) {
    *a.pShaderModule = as_handle<VkShaderModule>(same->handle);
    return VK_SUCCESS;
  }
  auto module = std::make_shared<ShaderModule>();
  module->code.assign(a.pCreateInfo->pCode, a.pCreateInfo->pCode + a.pCreateInfo->codeSize / 4);
  module->identity = identity;
  *a.pShaderModule = as_handle<VkShaderModule>(publish(module, call.device));
  return VK_SUCCESS;
}

VkResult create_cache(Call& call, args_vkCreatePipelineCache& a) {
  auto cache = std::make_shared<PipelineCache>();
  const auto* data = static_cast<const std::byte*>(a.pCreateInfo->pInitialData);
  if (a.pCreateInfo->initialDataSize != 0) cache->data.assign(data, data + a.pCreateInfo->initialDataSize);
  *a.pPipelineCache = as_handle<VkPipelineCache>(publish(cache, call.device));
  return VK_SUCCESS;
}

// The header that the specification asks for, and nothing else.
VkResult cache_data(Call&, args_vkGetPipelineCacheData& a) {
  VkPipelineCacheHeaderVersionOne header{};
  header.headerSize = sizeof header;
  header.headerVersion = VK_PIPELINE_CACHE_HEADER_VERSION_ONE;
  if (a.pData == nullptr) {
    *a.pDataSize = sizeof header;
    return VK_SUCCESS;
  }
  if (*a.pDataSize < sizeof header) {
    *a.pDataSize = 0;
    return VK_INCOMPLETE;
  }
  std::memcpy(a.pData, &header, sizeof header);
  *a.pDataSize = sizeof header;
  return VK_SUCCESS;
}

}  // namespace

void install_views(Table& table) {
  table.check<check_image_view>(CommandId::vkCreateImageView);
  table.behave<create_image_view>(CommandId::vkCreateImageView);
  table.check<check_buffer_view>(CommandId::vkCreateBufferView);
  table.behave<create_buffer_view>(CommandId::vkCreateBufferView);
  table.behave<create_sampler>(CommandId::vkCreateSampler);
  table.check<check_shader>(CommandId::vkCreateShaderModule);
  table.behave<create_shader>(CommandId::vkCreateShaderModule);
  table.behave<create_cache>(CommandId::vkCreatePipelineCache);
  table.behave<cache_data>(CommandId::vkGetPipelineCacheData);
}

}  // namespace fake
