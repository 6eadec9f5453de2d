// SPDX-License-Identifier: Apache-2.0
// What a call asks of the plan so far: flags of earlier calls, alignments of the device.
#include <cstring>

#include "format/flags2.h"
#include "generated/args.h"
#include "player/plan/plan_builder.h"
#include "player/plan/plan_edit.h"

namespace rondo::player {

namespace {

// An offset into the block, where a pointer will be; 0: it is null, for that is where the parameters are.
std::uint64_t offset_at(const void* pointer) {
  std::uint64_t offset = 0;
  std::memcpy(&offset, pointer, sizeof offset);
  return offset;
}

// Each structure of a chain, in an op's block.
template <class Visit>
void each_chained(std::byte* block, const void* const& first, Visit&& visit) {
  for (std::uint64_t next = offset_at(&first); next != 0;) {
    auto& chained = *reinterpret_cast<VkBaseOutStructure*>(block + next);
    visit(chained);
    next = offset_at(&chained.pNext);
  }
}

}  // namespace

// What a buffer can be used for stands in its chain, or in the structure itself.
void add_buffer_usage(Plan& plan, std::uint32_t op, VkBufferUsageFlags bits) {
  std::byte* block = plan.arena.at(plan.ops[op].block);
  auto& info = *reinterpret_cast<VkBufferCreateInfo*>(
      block + offset_at(&reinterpret_cast<args_vkCreateBuffer*>(block)->pCreateInfo));
  info.usage |= bits;
  each_chained(block, info.pNext, [&](VkBaseOutStructure& chained) {
    if (chained.sType == kBufferUsage2) reinterpret_cast<BufferUsage2&>(chained).usage |= bits;
  });
}

// What its stencil aspect can be used for may stand apart.
void add_image_usage(Plan& plan, std::uint32_t op, VkImageUsageFlags bits) {
  std::byte* block = plan.arena.at(plan.ops[op].block);
  auto& info = *reinterpret_cast<VkImageCreateInfo*>(
      block + offset_at(&reinterpret_cast<args_vkCreateImage*>(block)->pCreateInfo));
  info.usage |= bits;
  each_chained(block, info.pNext, [&](VkBaseOutStructure& chained) {
    if (chained.sType == VK_STRUCTURE_TYPE_IMAGE_STENCIL_USAGE_CREATE_INFO)
      reinterpret_cast<VkImageStencilUsageCreateInfo&>(chained).stencilUsage |= bits;
  });
}

void PlanBuilder::change_begin(const validity::Validity::Begin& begin) {
  auto& flags = flags_of(*plan_, begin.op, &args_vkBeginCommandBuffer::pBeginInfo, &VkCommandBufferBeginInfo::flags);
  flags = (flags | begin.add) & ~begin.remove;
}

void PlanBuilder::widen(const validity::Validity::Widen& widened) {
  using Widen = validity::Validity::Widen;
  const auto add = [&](auto parameter, auto member) {
    flags_of(*plan_, widened.op, parameter, member) |= widened.bits;
  };
  switch (widened.which) {
    case Widen::pool_flags:
      return add(&args_vkCreateCommandPool::pCreateInfo, &VkCommandPoolCreateInfo::flags);
    case Widen::set_pool_flags:
      return add(&args_vkCreateDescriptorPool::pCreateInfo, &VkDescriptorPoolCreateInfo::flags);
    case Widen::buffer_usage:
      return add_buffer_usage(*plan_, widened.op, widened.bits);
    case Widen::image_usage:
      return add(&args_vkCreateImage::pCreateInfo, &VkImageCreateInfo::usage);
    case Widen::image_flags:
      return add(&args_vkCreateImage::pCreateInfo, &VkImageCreateInfo::flags);
    case Widen::swapchain_usage:
      return add(&args_vkCreateSwapchainKHR::pCreateInfo, &VkSwapchainCreateInfoKHR::imageUsage);
    case Widen::swapchain_flags:
      return add(&args_vkCreateSwapchainKHR::pCreateInfo, &VkSwapchainCreateInfoKHR::flags);
  }
}

void PlanBuilder::note_offsets(const Record& record) {
  const auto& offsets = validity_.descriptor_offsets();
  if (offsets.empty()) return;
  const std::uint32_t index = device_of(resolution_.ids[0]);
  if (index == kNone) return;
  CapturedDevice& device = plan_->devices[index];
  for (const auto& [uniform, offset] : offsets)
    (uniform ? device.uniform_offset : device.storage_offset).add(offset, record.sequence);
}

}  // namespace rondo::player
