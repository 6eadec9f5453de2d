// SPDX-License-Identifier: Apache-2.0
// What a cut puts back in front of its span: contents, layouts, events, queries. Each record is done when its
// executor returns.
#include <algorithm>
#include <span>

#include "generated/args.h"
#include "model/gpu/one_shot.h"
#include "model/gpu/texels.h"
#include "model/gpu/upload.h"
#include "player/devices/preflight.h"
#include "player/run/memory_bytes.h"
#include "player/run/mips.h"
#include "player/run/sampled_contents.h"

namespace rondo::player {

namespace {

// The program's calls follow: what put back is done.
Result<void> prelude(Run& run, const Op&, std::byte*) { return run.idle(); }

Result<void> cut(Run& run, const Op&, std::byte*) { return run.begin_cut(); }

// Of images as a driver lays them out only that driver knows anything.
Result<void> check_layout(Run& run, const Op& op, std::uint32_t place) {
  const CapturedDevice& device = run.plan().devices[op.device];
  if (!run.placements().of[place].moved &&
      is_the_captured_device(run.plan().physical_devices[device.physical], run.targets()[op.device]))
    return {};
  return tl::unexpected<Error>(run.refuse(
      op, Status::device,
      run.plan().full_name(op.subject) + " has contents that only the device and driver of the cut can lay out (images "
                                         "of several samples, and others that cannot be copied)"));
}

Result<void> memory_contents(Run& run, const Op& op, std::byte* args) {
  const auto& a = as<args_rondoMemoryContents>(args);
  const std::uint32_t place = run.plan().place_of(op.subject);
  if (place == kNone || run.memory_at(place).handle == VK_NULL_HANDLE)
    return tl::unexpected<Error>(
        run.refuse(op, Status::unreadable, run.plan().name(op.subject) + " is not allocated here"));
  if (a.asItLies != VK_FALSE) RONDO_TRY(check_layout(run, op, place));
  CapturedData data;
  RONDO_TRY(data.load(run, op, a.pData, a.dataSize));
  MemoryBytes bytes(run, "putting contents back");
  auto memory = bytes.open(place);
  if (!memory) return tl::unexpected<Error>(memory.error());
  const std::span<const RondoRange> ranges(a.pRanges, a.rangeCount);
  if (memory->mapped != nullptr) return write_ranges(run, op, place, ranges, data.bytes());
  const std::byte* from = data.bytes();
  for (const RondoRange& range : ranges) {
    std::vector<Piece>& pieces = run.pieces();
    pieces.clear();
    pieces_of(run.placements().of[place], range.offset, range.size, pieces);
    for (const Piece& piece : pieces)
      RONDO_TRY(bytes.write(*memory, piece.to, {from + piece.from, static_cast<std::size_t>(piece.bytes)}));
    from += range.size;
  }
  return {};
}

// The queue that a record names first; null: it is not there.
const LiveQueue* queue_of(Run& run, const Op& op) {
  const std::vector<LiveQueue>& queues = run.device(op).queues;
  const auto found =
      std::find_if(queues.begin(), queues.end(), [&](const LiveQueue& one) { return one.id == op.dispatch; });
  return found == queues.end() ? nullptr : &*found;
}
tl::unexpected<Error> no_queue(Run& run, const Op& op) {
  return tl::unexpected<Error>(run.refuse(op, Status::unreadable, "the queue does not exist here"));
}

// Where an image of this device comes from: made, or a swapchain's.
struct ImageKind {
  VkFormat format = VK_FORMAT_UNDEFINED;
  VkExtent3D extent{};
};
ImageKind kind_of(Run& run, ObjectId image) {
  const Plan& plan = run.plan();
  if (const std::uint32_t place = plan.place_of(image);
      place < plan.resources.size() && plan.resources[place].id == image)
    return {plan.resources[place].format, plan.resources[place].extent};
  const std::uint32_t chain = plan.place_of(plan.objects.objects()[image].parent);
  if (chain >= run.swapchains().size() || run.swapchains()[chain] == nullptr) return {};
  return {run.swapchains()[chain]->info.format, run.swapchains()[chain]->info.extent};
}

Result<void> image_contents(Run& run, const Op& op, std::byte* args) {
  const auto& a = as<args_rondoImageContents>(args);
  const LiveQueue* const queue = queue_of(run, op);
  if (queue == nullptr) return no_queue(run, op);
  DeviceState& device = run.device(op);
  const VkQueueFamilyProperties& family = run.targets()[device.index].families[queue->family];
  constexpr VkQueueFlags copies = VK_QUEUE_GRAPHICS_BIT | VK_QUEUE_COMPUTE_BIT | VK_QUEUE_TRANSFER_BIT;
  if ((family.queueFlags & copies) == 0)
    return tl::unexpected<Error>(run.refuse(op, Status::device, "its queue cannot copy"));
  const ObjectId image = run.patched_id(op, offset_in(args, &a.image));
  std::vector<std::byte> storage;
  if (const VkImageCreateInfo* info = info_of_image(run.plan(), image, storage);
      info != nullptr && info->samples != VK_SAMPLE_COUNT_1_BIT)
    return write_sampled_contents(run, op, args, *info, *queue);
  const ImageKind kind = kind_of(run, image);
  CapturedData data;
  RONDO_TRY(data.load(run, op, a.pData, a.dataSize));
  gpu::Upload upload(device.access, queue->family, family.minImageTransferGranularity);
  std::span<const std::byte> rest(data.bytes(), a.dataSize);
  for (const RondoSubresource& part : std::span(a.pParts, a.partCount)) {
    gpu::ImageSource to;
    to.image = a.image;
    to.format = kind.format;
    to.extent = gpu::part_extent(kind.format, part.aspect, kind.extent, part.mipLevel);
    to.layout = part.layout;
    to.aspect = part.aspect;
    to.together = part.together;
    to.mip = part.mipLevel;
    to.layer = part.arrayLayer;
    const auto bytes = static_cast<std::size_t>(gpu::bytes_of(gpu::Source(to)));
    if (bytes == 0 || bytes > rest.size())
      return tl::unexpected<Error>(run.refuse(op, Status::unreadable, "it does not have the bytes of its parts"));
    if (const auto written = upload.write(queue->handle, to, rest.first(bytes)); !written)
      return tl::unexpected<Error>(run.refuse(
          op, written.error().status, "writing " + run.plan().full_name(image) + ": " + written.error().message));
    rest = rest.subspan(bytes);
  }
  return {};
}

// Commands of ours on the record's queue.
template <class Record>
Result<void> by_commands(Run& run, const Op& op, const Record& record) {
  const LiveQueue* const queue = queue_of(run, op);
  if (queue == nullptr) return no_queue(run, op);
  gpu::OneShot& commands = run.device(op).one_shot(queue->family);
  auto begun = commands.begin();
  if (!begun) return tl::unexpected<Error>(begun.error());
  record(run.device(op).dispatch, *begun);
  return commands.submit_and_wait(queue->handle, {});
}

Result<void> mips(Run& run, const Op& op, std::byte* args) {
  const auto& a = as<args_rondoMips>(args);
  const ImageKind kind = kind_of(run, run.patched_id(op, offset_in(args, &a.image)));
  if (!can_make_mips(run, op.device, kind.format))
    return tl::unexpected<Error>(run.refuse(op, Status::device, "the device cannot make mips of this format by blits"));
  return by_commands(run, op, [&](const Dispatch& vk, VkCommandBuffer commands) {
    record_mips(vk, commands, {a.image, kind.extent, a.baseMipLevel, a.levelCount, a.arrayLayer, a.layout});
  });
}

Result<void> barriers(Run& run, const Op& op, std::byte* args) {
  const auto& a = as<args_rondoBarriers>(args);
  constexpr VkAccessFlags any = VK_ACCESS_MEMORY_READ_BIT | VK_ACCESS_MEMORY_WRITE_BIT;
  // In this run's scratch.
  for (std::uint32_t i = 0; i < a.bufferCount; ++i) {
    auto& barrier = const_cast<VkBufferMemoryBarrier&>(a.pBuffers[i]);
    barrier.srcAccessMask = barrier.dstAccessMask = any;
  }
  for (std::uint32_t i = 0; i < a.imageCount; ++i) {
    auto& barrier = const_cast<VkImageMemoryBarrier&>(a.pImages[i]);
    barrier.srcAccessMask = barrier.dstAccessMask = any;
  }
  return by_commands(run, op, [&](const Dispatch& vk, VkCommandBuffer commands) {
    vk.vkCmdPipelineBarrier(commands, VK_PIPELINE_STAGE_ALL_COMMANDS_BIT, VK_PIPELINE_STAGE_ALL_COMMANDS_BIT, 0, 0,
                            nullptr, a.bufferCount, a.pBuffers, a.imageCount, a.pImages);
  });
}

Result<void> set_event(Run& run, const Op& op, std::byte* args) {
  const auto& a = as<args_rondoEventSet>(args);
  const Dispatch& vk = run.device(op).dispatch;
  if (a.pDependencyInfo != nullptr && vk.vkCmdSetEvent2 == nullptr)
    return tl::unexpected<Error>(run.refuse(op, Status::device, "the device does not have vkCmdSetEvent2"));
  return by_commands(run, op, [&](const Dispatch&, VkCommandBuffer commands) {
    if (a.pDependencyInfo != nullptr)
      vk.vkCmdSetEvent2(commands, a.event, a.pDependencyInfo);
    else
      vk.vkCmdSetEvent(commands, a.event, a.stageMask);
  });
}

Result<void> queries(Run& run, const Op& op, std::byte* args) {
  const auto& a = as<args_rondoQueries>(args);
  return by_commands(run, op, [&](const Dispatch& vk, VkCommandBuffer commands) {
    vk.vkCmdResetQueryPool(commands, a.queryPool, a.firstQuery, a.queryCount);
    for (std::uint32_t i = 0; a.available != VK_FALSE && i < a.queryCount; ++i) {
      const std::uint32_t query = a.firstQuery + i;
      if (a.queryType == VK_QUERY_TYPE_TIMESTAMP) {
        vk.vkCmdWriteTimestamp(commands, VK_PIPELINE_STAGE_BOTTOM_OF_PIPE_BIT, a.queryPool, query);
        continue;
      }
      vk.vkCmdBeginQuery(commands, a.queryPool, query, 0);
      vk.vkCmdEndQuery(commands, a.queryPool, query);
    }
  });
}

}  // namespace

void add_content_executors(std::vector<Executor>& table) {
  const auto add = [&](CommandId id, Executor executor) { table[static_cast<std::size_t>(id)] = executor; };
  add(CommandId::rondoPrelude, prelude);
  add(CommandId::rondoCut, cut);
  add(CommandId::rondoMemoryContents, memory_contents);
  add(CommandId::rondoImageContents, image_contents);
  add(CommandId::rondoMips, mips);
  add(CommandId::rondoBarriers, barriers);
  add(CommandId::rondoEventSet, set_event);
  add(CommandId::rondoQueries, queries);
}

}  // namespace rondo::player
