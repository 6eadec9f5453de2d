// SPDX-License-Identifier: Apache-2.0
// Buffers, images and their views: creation, requirements, binding.
#include <algorithm>

#include "tests/icd/chain.h"
#include "tests/icd/install.h"
#include "tests/icd/memory.h"
#include "tests/icd/state.h"

namespace fake {

namespace {

constexpr VkDeviceSize kImageAlignment = 4096;

VkDeviceSize round_up(VkDeviceSize value, VkDeviceSize grain) { return (value + grain - 1) / grain * grain; }

VkMemoryRequirements buffer_needs(const VkBufferCreateInfo& info) {
  const VkDeviceSize alignment = settings().buffer_alignment;
  const bool imported = chained<VkExternalMemoryBufferCreateInfo>(info) != nullptr &&
                        chained<VkExternalMemoryBufferCreateInfo>(info)->handleTypes != 0;
  return {round_up(info.size, alignment), alignment, imported ? import_types() : all_memory_types()};
}

void check_create_buffer(Call&, const args_vkCreateBuffer& a) {
  const VkBufferCreateInfo& info = *a.pCreateInfo;
  constexpr VkDeviceSize limit = 1ull << 40;
  if (info.size == 0 || info.size > limit) violation("size is 0 or beyond maxBufferSize");
  if (info.usage == 0) harmless("usage is 0");
  if ((info.flags & (VK_BUFFER_CREATE_SPARSE_BINDING_BIT | VK_BUFFER_CREATE_SPARSE_RESIDENCY_BIT |
                     VK_BUFFER_CREATE_SPARSE_ALIASED_BIT | VK_BUFFER_CREATE_PROTECTED_BIT)) != 0)
    harmless("flags ask for a feature that the device does not have");
}

VkResult create_buffer(Call& call, args_vkCreateBuffer& a) {
  auto buffer = std::make_shared<Buffer>();
  buffer->size = a.pCreateInfo->size;
  buffer->usage = a.pCreateInfo->usage;
  buffer->flags = a.pCreateInfo->flags;
  buffer->is_concurrent = a.pCreateInfo->sharingMode == VK_SHARING_MODE_CONCURRENT;
  buffer->needs = buffer_needs(*a.pCreateInfo);
  if (const auto* address = chained<VkBufferOpaqueCaptureAddressCreateInfo>(*a.pCreateInfo))
    buffer->captured_address = address->opaqueCaptureAddress;
  *a.pBuffer = as_handle<VkBuffer>(publish(buffer, call.device));
  return VK_SUCCESS;
}

// Of one disjoint plane, or of all.
VkMemoryRequirements image_needs(const Image& image, const Plane* only) {
  VkDeviceSize size = 0;
  for (const Plane& plane : planes_of(image.format))
    if (only == nullptr || only->aspect == plane.aspect) size += plane_size(image, plane);
  const std::uint32_t types = image.tiling == VK_IMAGE_TILING_LINEAR ? all_memory_types() : optimal_image_types();
  return {round_up(size, kImageAlignment), kImageAlignment, types};
}

}  // namespace

std::shared_ptr<Image> make_image(const VkImageCreateInfo& info) {
  auto image = std::make_shared<Image>();
  image->flags = info.flags;
  image->image_type = info.imageType;
  image->format = info.format;
  image->extent = info.extent;
  image->levels = info.mipLevels;
  image->layers = info.arrayLayers;
  image->samples = static_cast<std::uint32_t>(info.samples);
  image->tiling = info.tiling;
  image->usage = info.usage;
  image->is_concurrent = info.sharingMode == VK_SHARING_MODE_CONCURRENT;
  if ((info.flags & VK_IMAGE_CREATE_DISJOINT_BIT) != 0) {
    for (const Plane& plane : planes_of(info.format)) image->plane_needs.push_back(image_needs(*image, &plane));
    image->plane_bindings.resize(image->plane_needs.size());
    if (!image->plane_needs.empty()) image->needs = image->plane_needs[0];
  } else {
    image->needs = image_needs(*image, nullptr);
  }
  return image;
}

namespace {

bool check_image(const VkImageCreateInfo& info) {
  const VkExtent3D e = info.extent;
  const std::uint32_t largest = std::max({e.width, e.height, e.depth});
  const std::uint32_t samples = static_cast<std::uint32_t>(info.samples);
  std::uint32_t whole_chain = 1;
  while (whole_chain < 32 && (largest >> whole_chain) != 0) ++whole_chain;
  if (planes_of(info.format).empty())
    violation("format is one that the device does not have");
  else if (e.width == 0 || e.height == 0 || e.depth == 0)
    violation("extent is empty");
  else if (largest > 16384 || e.depth > 2048)
    violation("extent is beyond the limits");
  else if (info.imageType == VK_IMAGE_TYPE_1D && (e.height != 1 || e.depth != 1))
    violation("a 1D image is higher than 1");
  else if (info.imageType == VK_IMAGE_TYPE_2D && e.depth != 1)
    violation("a 2D image is deeper than 1");
  else if (info.mipLevels == 0 || info.mipLevels > whole_chain)
    violation("mipLevels is 0 or more than the whole chain");
  else if (info.arrayLayers == 0 || info.arrayLayers > 2048)
    violation("arrayLayers is 0 or beyond the limits");
  else if (info.imageType == VK_IMAGE_TYPE_3D && info.arrayLayers != 1)
    violation("a 3D image has layers");
  else if (samples == 0 || (samples & (samples - 1)) != 0 || samples > 8)
    violation("samples is not supported");
  else if (samples > 1 && (info.mipLevels != 1 || info.imageType != VK_IMAGE_TYPE_2D))
    violation("a multisampled image has levels or is not 2D");
  else if (info.usage == 0)
    harmless("usage is 0");
  else if (info.tiling != VK_IMAGE_TILING_OPTIMAL && info.tiling != VK_IMAGE_TILING_LINEAR)
    violation("tiling is not supported");
  else if (info.initialLayout != VK_IMAGE_LAYOUT_UNDEFINED && info.initialLayout != VK_IMAGE_LAYOUT_PREINITIALIZED)
    violation("initialLayout is neither undefined nor preinitialized");
  else if ((info.flags & (VK_IMAGE_CREATE_SPARSE_BINDING_BIT | VK_IMAGE_CREATE_SPARSE_RESIDENCY_BIT |
                          VK_IMAGE_CREATE_SPARSE_ALIASED_BIT | VK_IMAGE_CREATE_PROTECTED_BIT)) != 0)
    harmless("flags ask for a feature that the device does not have");
  else if ((info.flags & VK_IMAGE_CREATE_CUBE_COMPATIBLE_BIT) != 0 && (e.width != e.height || info.arrayLayers < 6))
    violation("a cube is not square or has fewer than 6 layers");
  else
    return true;
  return false;
}

void check_create_image(Call&, const args_vkCreateImage& a) { check_image(*a.pCreateInfo); }

VkResult create_image(Call& call, args_vkCreateImage& a) {
  *a.pImage = as_handle<VkImage>(publish(make_image(*a.pCreateInfo), call.device));
  return VK_SUCCESS;
}

void check_destroy_image(Call&, const args_vkDestroyImage& a) {
  const auto image = get<Image>(a.image);
  if (image != nullptr && image->swapchain != 0) violation("image belongs to a swapchain");
}

// --- requirements ---------------------------------------------------------

void requirements(const VkMemoryRequirements& needs, VkMemoryRequirements2& out) {
  out.memoryRequirements = needs;
  if (auto* dedicated = chained_output<VkMemoryDedicatedRequirements>(out))
    dedicated->prefersDedicatedAllocation = dedicated->requiresDedicatedAllocation = VK_FALSE;
}

void buffer_requirements(Call&, args_vkGetBufferMemoryRequirements& a) {
  *a.pMemoryRequirements = get<Buffer>(a.buffer)->needs;
}
void buffer_requirements2(Call&, args_vkGetBufferMemoryRequirements2& a) {
  requirements(get<Buffer>(a.pInfo->buffer)->needs, *a.pMemoryRequirements);
}
void device_buffer_requirements(Call&, args_vkGetDeviceBufferMemoryRequirements& a) {
  requirements(buffer_needs(*a.pInfo->pCreateInfo), *a.pMemoryRequirements);
}

std::size_t plane_index(VkImageAspectFlagBits aspect) {
  return aspect == VK_IMAGE_ASPECT_PLANE_1_BIT ? 1 : aspect == VK_IMAGE_ASPECT_PLANE_2_BIT ? 2 : 0;
}

void image_requirements(Call&, args_vkGetImageMemoryRequirements& a) {
  *a.pMemoryRequirements = get<Image>(a.image)->needs;
}
void check_image_requirements2(Call&, const args_vkGetImageMemoryRequirements2& a) {
  const auto image = get<Image>(a.pInfo->image);
  const auto* plane = chained<VkImagePlaneMemoryRequirementsInfo>(*a.pInfo);
  const bool disjoint = (image->flags & VK_IMAGE_CREATE_DISJOINT_BIT) != 0;
  if (disjoint != (plane != nullptr))
    violation("VkImagePlaneMemoryRequirementsInfo is for disjoint images");
  else if (disjoint && plane_index(plane->planeAspect) >= image->plane_needs.size())
    violation("the image has no such plane");
}
void image_requirements2(Call&, args_vkGetImageMemoryRequirements2& a) {
  const auto image = get<Image>(a.pInfo->image);
  const auto* plane = chained<VkImagePlaneMemoryRequirementsInfo>(*a.pInfo);
  requirements(plane != nullptr ? image->plane_needs[plane_index(plane->planeAspect)] : image->needs,
               *a.pMemoryRequirements);
}
void check_device_image_requirements(Call&, const args_vkGetDeviceImageMemoryRequirements& a) {
  check_image(*a.pInfo->pCreateInfo);
}
void device_image_requirements(Call&, args_vkGetDeviceImageMemoryRequirements& a) {
  const auto image = make_image(*a.pInfo->pCreateInfo);
  const std::size_t plane = plane_index(a.pInfo->planeAspect);
  requirements(plane < image->plane_needs.size() ? image->plane_needs[plane] : image->needs, *a.pMemoryRequirements);
}

// --- binding ----------------------------------------------------------------

void check_binding(const Binding& before, const VkMemoryRequirements& needs, VkDeviceMemory handle,
                   VkDeviceSize offset) {
  const auto memory = get<Memory>(handle);
  if (before.memory != nullptr)
    violation("it is bound already");
  else if (offset % needs.alignment != 0)
    violation("memoryOffset is not a multiple of the alignment " + std::to_string(needs.alignment));
  else if (offset > memory->size || needs.size > memory->size - offset)
    violation("memoryOffset + size reaches outside the memory");
  else if ((needs.memoryTypeBits & (1u << memory->memory_type)) == 0)
    violation("the memory is of type " + std::to_string(memory->memory_type) + ", which is none of those required");
}

void check_bind_one_buffer(VkBuffer handle, VkDeviceMemory memory, VkDeviceSize offset) {
  const auto buffer = get<Buffer>(handle);
  check_binding(buffer->binding, buffer->needs, memory, offset);
  const auto to = get<Memory>(memory);
  if (to->dedicated_image != 0 || (to->dedicated_buffer != 0 && to->dedicated_buffer != number(handle)))
    violation("the memory is dedicated to another resource");
  if ((buffer->usage & VK_BUFFER_USAGE_SHADER_DEVICE_ADDRESS_BIT) != 0 && !to->has_address)
    violation("the memory was allocated without VK_MEMORY_ALLOCATE_DEVICE_ADDRESS_BIT");
}

VkResult bind_one_buffer(VkBuffer handle, VkDeviceMemory memory, VkDeviceSize offset) {
  const auto buffer = get<Buffer>(handle);
  auto to = get<Memory>(memory);
  if (buffer->captured_address != 0 && buffer->captured_address != to->address + offset)
    return VK_ERROR_INVALID_OPAQUE_CAPTURE_ADDRESS;
  buffer->binding = {std::move(to), offset};
  return VK_SUCCESS;
}

void check_bind_buffer(Call&, const args_vkBindBufferMemory& a) {
  check_bind_one_buffer(a.buffer, a.memory, a.memoryOffset);
}
VkResult bind_buffer(Call&, args_vkBindBufferMemory& a) { return bind_one_buffer(a.buffer, a.memory, a.memoryOffset); }
void check_bind_buffer2(Call&, const args_vkBindBufferMemory2& a) {
  for (std::uint32_t i = 0; i < a.bindInfoCount; ++i)
    check_bind_one_buffer(a.pBindInfos[i].buffer, a.pBindInfos[i].memory, a.pBindInfos[i].memoryOffset);
}
VkResult bind_buffer2(Call&, args_vkBindBufferMemory2& a) {
  for (std::uint32_t i = 0; i < a.bindInfoCount; ++i)
    if (const VkResult r =
            bind_one_buffer(a.pBindInfos[i].buffer, a.pBindInfos[i].memory, a.pBindInfos[i].memoryOffset);
        r != VK_SUCCESS)
      return r;
  return VK_SUCCESS;
}

void check_bind_one_image(const VkBindImageMemoryInfo& bind) {
  const auto image = get<Image>(bind.image);
  if (chained<VkBindImageMemorySwapchainInfoKHR>(bind) != nullptr) return;
  if (bind.memory == VK_NULL_HANDLE) return violation("memory is null");
  if (image->swapchain != 0) return violation("image belongs to a swapchain");
  const auto to = get<Memory>(bind.memory);
  if (to->dedicated_buffer != 0 || (to->dedicated_image != 0 && to->dedicated_image != number(bind.image)))
    violation("the memory is dedicated to another resource");
  if ((image->flags & VK_IMAGE_CREATE_DISJOINT_BIT) == 0)
    return check_binding(image->binding, image->needs, bind.memory, bind.memoryOffset);
  const auto* plane = chained<VkBindImagePlaneMemoryInfo>(bind);
  if (plane == nullptr || plane_index(plane->planeAspect) >= image->plane_needs.size())
    return violation("a disjoint image is bound without one of its planes");
  const std::size_t i = plane_index(plane->planeAspect);
  check_binding(image->plane_bindings[i], image->plane_needs[i], bind.memory, bind.memoryOffset);
}

void bind_one_image(const VkBindImageMemoryInfo& bind) {
  const auto image = get<Image>(bind.image);
  if (const auto* from = chained<VkBindImageMemorySwapchainInfoKHR>(bind)) {
    const auto swapchain = get<Swapchain>(from->swapchain);
    if (swapchain != nullptr && from->imageIndex < swapchain->images.size())
      image->binding = swapchain->images[from->imageIndex]->binding;
    return;
  }
  Binding to{get<Memory>(bind.memory), bind.memoryOffset};
  if (const auto* plane = chained<VkBindImagePlaneMemoryInfo>(bind); plane != nullptr && !image->plane_bindings.empty())
    image->plane_bindings[plane_index(plane->planeAspect)] = std::move(to);
  else
    image->binding = std::move(to);
}

VkBindImageMemoryInfo as_info(const args_vkBindImageMemory& a) {
  return {VK_STRUCTURE_TYPE_BIND_IMAGE_MEMORY_INFO, nullptr, a.image, a.memory, a.memoryOffset};
}
void check_bind_image(Call&, const args_vkBindImageMemory& a) { check_bind_one_image(as_info(a)); }
VkResult bind_image(Call&, args_vkBindImageMemory& a) {
  bind_one_image(as_info(a));
  return VK_SUCCESS;
}
void check_bind_image2(Call&, const args_vkBindImageMemory2& a) {
  for (std::uint32_t i = 0; i < a.bindInfoCount; ++i) check_bind_one_image(a.pBindInfos[i]);
}
VkResult bind_image2(Call&, args_vkBindImageMemory2& a) {
  for (std::uint32_t i = 0; i < a.bindInfoCount; ++i) bind_one_image(a.pBindInfos[i]);
  return VK_SUCCESS;
}

void check_subresource_layout(Call&, const args_vkGetImageSubresourceLayout& a) {
  const auto image = get<Image>(a.image);
  const auto aspect = static_cast<VkImageAspectFlagBits>(a.pSubresource->aspectMask);
  if (image->tiling != VK_IMAGE_TILING_LINEAR)
    violation("the image is not linear");
  else if (image->layout(aspect, a.pSubresource->mipLevel, a.pSubresource->arrayLayer).plane == nullptr)
    violation("the image has no such subresource");
}
void subresource_layout(Call&, args_vkGetImageSubresourceLayout& a) {
  const auto image = get<Image>(a.image);
  const auto at = image->layout(static_cast<VkImageAspectFlagBits>(a.pSubresource->aspectMask),
                                a.pSubresource->mipLevel, a.pSubresource->arrayLayer);
  VkDeviceSize array_pitch = 0;
  if (image->layers > 1) array_pitch = plane_size(*image, *at.plane) / image->layers;
  *a.pLayout = {at.offset, at.size, at.row_pitch, array_pitch,
                image->image_type == VK_IMAGE_TYPE_3D ? at.slice_pitch : 0};
}

// --- addresses ----------------------------------------------------------

void check_address(Call&, const args_vkGetBufferDeviceAddress& a) {
  const auto buffer = get<Buffer>(a.pInfo->buffer);
  if ((buffer->usage & VK_BUFFER_USAGE_SHADER_DEVICE_ADDRESS_BIT) == 0)
    violation("the buffer's usage has no device address");
  else if (buffer->binding.memory == nullptr)
    violation("the buffer is not bound");
}
std::uint64_t device_address(Call&, args_vkGetBufferDeviceAddress& a) {
  return get<Buffer>(a.pInfo->buffer)->address();
}
std::uint64_t opaque_address(Call&, args_vkGetBufferOpaqueCaptureAddress& a) {
  return get<Buffer>(a.pInfo->buffer)->address();
}

}  // namespace

std::uint64_t Buffer::address() const {
  return binding.memory == nullptr || (usage & VK_BUFFER_USAGE_SHADER_DEVICE_ADDRESS_BIT) == 0
             ? 0
             : binding.memory->address + binding.offset;
}

void install_resources(Table& table) {
  table.check<check_create_buffer>(CommandId::vkCreateBuffer);
  table.behave<create_buffer>(CommandId::vkCreateBuffer);
  table.check<check_create_image>(CommandId::vkCreateImage);
  table.behave<create_image>(CommandId::vkCreateImage);
  table.check<check_destroy_image>(CommandId::vkDestroyImage);
  table.behave<buffer_requirements>(CommandId::vkGetBufferMemoryRequirements);
  table.behave<buffer_requirements2>(CommandId::vkGetBufferMemoryRequirements2);
  table.behave<device_buffer_requirements>(CommandId::vkGetDeviceBufferMemoryRequirements);
  table.behave<image_requirements>(CommandId::vkGetImageMemoryRequirements);
  table.check<check_image_requirements2>(CommandId::vkGetImageMemoryRequirements2);
  table.behave<image_requirements2>(CommandId::vkGetImageMemoryRequirements2);
  table.check<check_device_image_requirements>(CommandId::vkGetDeviceImageMemoryRequirements);
  table.behave<device_image_requirements>(CommandId::vkGetDeviceImageMemoryRequirements);
  table.check<check_bind_buffer>(CommandId::vkBindBufferMemory);
  table.behave<bind_buffer>(CommandId::vkBindBufferMemory);
  table.check<check_bind_buffer2>(CommandId::vkBindBufferMemory2);
  table.behave<bind_buffer2>(CommandId::vkBindBufferMemory2);
  table.check<check_bind_image>(CommandId::vkBindImageMemory);
  table.behave<bind_image>(CommandId::vkBindImageMemory);
  table.check<check_bind_image2>(CommandId::vkBindImageMemory2);
  table.behave<bind_image2>(CommandId::vkBindImageMemory2);
  table.check<check_subresource_layout>(CommandId::vkGetImageSubresourceLayout);
  table.behave<subresource_layout>(CommandId::vkGetImageSubresourceLayout);
  table.check<check_address>(CommandId::vkGetBufferDeviceAddress);
  table.behave<device_address>(CommandId::vkGetBufferDeviceAddress);
  table.behave<opaque_address>(CommandId::vkGetBufferOpaqueCaptureAddress);
}

}  // namespace fake
