// SPDX-License-Identifier: Apache-2.0
// Where the captured device's times went.
#include <utility>

#include "generated/args.h"
#include "player/plan/plan_builder.h"

namespace rondo::player {

namespace {

constexpr std::uint32_t kMostApart = 64;  // of more, the bytes between them are not compared, either

// Saturates: a file may say anything.
VkDeviceSize plus(VkDeviceSize a, VkDeviceSize b) { return a > ~VkDeviceSize{} - b ? ~VkDeviceSize{} : a + b; }

}  // namespace

const CapturedResource* PlanBuilder::bound_buffer(const VkBuffer* member) const {
  const std::uint32_t place = plan_->place_of(view_.id(member));
  if (place == kNone || !plan_->resources[place].bound) return nullptr;
  return &plan_->resources[place];
}

void PlanBuilder::note_times(const VkBuffer* buffer, VkDeviceSize offset, VkDeviceSize size) {
  const CapturedResource* const to = bound_buffer(buffer);
  if (to == nullptr) return;
  const VkDeviceSize from = plus(to->offset, offset);
  plan_->memories[to->memory].times.add(from, plus(from, size));
  any_times_ = true;
}

// A copy of what holds times holds them, too. Followed in the order of recording.
template <class Region>
void PlanBuilder::copy_times(const VkBuffer* source, const VkBuffer* destination, std::uint32_t count,
                             const Region* regions) {
  const CapturedResource* const from = bound_buffer(source);
  if (!any_times_ || from == nullptr || regions == nullptr) return;
  for (std::uint32_t i = 0; i < count; ++i) {
    const VkDeviceSize begin = plus(from->offset, regions[i].srcOffset);
    const VkDeviceSize end = plus(begin, regions[i].size);
    std::vector<std::pair<VkDeviceSize, VkDeviceSize>> found;  // from the region's begin
    plan_->memories[from->memory].times.each(begin, end, [&](VkDeviceSize a, VkDeviceSize b) {
      found.emplace_back(a - begin, b - begin);
      return found.size() <= kMostApart;
    });
    if (found.size() > kMostApart) found.assign({{found.front().first, end - begin}});
    for (const auto& [a, b] : found) note_times(destination, plus(regions[i].dstOffset, a), b - a);
  }
}

void PlanBuilder::observe_times(const codec::CommandInfo& command) {
  if (damaging_) return;  // what is damaged on purpose does not say what is compared
  switch (command.canonical) {
    case CommandId::vkCreateQueryPool:
      if (const auto* info = view_.as<args_vkCreateQueryPool>().pCreateInfo;
          info != nullptr && info->queryType == VK_QUERY_TYPE_TIMESTAMP)
        if (const ObjectId id = subject_of(command); id != ObjectId::null) time_pools_.insert(id);
      break;
    case CommandId::vkCmdCopyQueryPoolResults: {
      const auto& a = view_.as<args_vkCmdCopyQueryPoolResults>();
      if (a.queryCount == 0 || time_pools_.count(view_.id(&a.queryPool)) == 0) break;
      // The time alone: whether there is one can be repeated.
      const VkDeviceSize one = (a.flags & VK_QUERY_RESULT_64_BIT) != 0 ? sizeof(std::uint64_t) : sizeof(std::uint32_t);
      if (a.stride <= 2 * one || a.queryCount > kMostApart) {
        const VkDeviceSize count = a.queryCount - 1;
        const VkDeviceSize more = count != 0 && a.stride > ~VkDeviceSize{} / count ? ~VkDeviceSize{} : count * a.stride;
        note_times(&a.dstBuffer, a.dstOffset, plus(more, one));
        break;
      }
      VkDeviceSize at = a.dstOffset;
      for (std::uint32_t i = 0; i < a.queryCount; ++i, at = plus(at, a.stride)) note_times(&a.dstBuffer, at, one);
      break;
    }
    case CommandId::vkCmdCopyBuffer: {
      const auto& a = view_.as<args_vkCmdCopyBuffer>();
      copy_times(&a.srcBuffer, &a.dstBuffer, a.regionCount, a.pRegions);
      break;
    }
    case CommandId::vkCmdCopyBuffer2: {
      const auto* info = view_.as<args_vkCmdCopyBuffer2>().pCopyBufferInfo;
      if (info != nullptr) copy_times(&info->srcBuffer, &info->dstBuffer, info->regionCount, info->pRegions);
      break;
    }
    default:
      break;
  }
}

}  // namespace rondo::player
