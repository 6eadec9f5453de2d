// SPDX-License-Identifier: Apache-2.0
// Compares what the replay made with what the capture saw.
#include <cstring>

#include "generated/args.h"
#include "player/run.h"

namespace rondo::player {

namespace {

std::string where(const Run& run, const Op& op) {
  return "record " + std::to_string(op.sequence) + " (frame " + std::to_string(run.frame()) + ", " +
         (run.counts().submits == 0 ? "before the first submit"
                                    : "after submit " + std::to_string(run.counts().submits - 1)) + ")";
}

Result<void> check_image(Run& run, const Op& op, std::byte* args) {
  if (!run.options().verify) return {};
  const auto& a = as<args_rondoCheckpointImage>(args);
  Comparison& counts = run.observer().verification.images;
  const auto* swapchain = reinterpret_cast<const VirtualSwapchain*>(a.swapchain);
  const std::string what = where(run, op) + ": image " + std::to_string(a.imageIndex) + " of " + run.plan().name(op.subject);
  if (a.unverified != nullptr) {
    run.observer().skip(counts, what + ": " + a.unverified);
    return {};
  }
  if (swapchain == nullptr || a.imageIndex >= swapchain->images.size())
    return tl::unexpected<Error>(run.refuse(op, Status::unreadable, "the image does not exist here"));
  DeviceState& device = run.device(op);
  if (VkResult r = device.dispatch.vkDeviceWaitIdle(device.handle); r < 0)
    return tl::unexpected<Error>(run.failure(op, r, "vkDeviceWaitIdle before a comparison"));
  auto readback = run.readback(device);
  if (!readback) return tl::unexpected<Error>(readback.error());
  gpu::ImageSource source;
  source.image = swapchain->images[a.imageIndex];
  source.format = swapchain->info.format;
  source.extent = swapchain->info.extent;
  source.layout = VK_IMAGE_LAYOUT_GENERAL;
  auto texels = (*readback)->read(device.service_queue, source);
  if (!texels) return tl::unexpected<Error>(texels.error());
  run.observer().compare(counts, Digest{a.digest.low, a.digest.high}, digest_of(*texels), what);
  return {};
}

Result<void> check_memory(Run& run, const Op& op, std::byte* args) {
  if (!run.options().verify) return {};
  const auto& a = as<args_rondoCheckpointMemory>(args);
  Comparison& counts = run.observer().verification.memory_ranges;
  const std::uint32_t place = run.plan().place_of(op.subject);
  const std::string what = where(run, op) + ": " + run.plan().name(op.subject);
  if (a.unverified != nullptr) {
    for (std::uint32_t i = 0; i < a.rangeCount; ++i) run.observer().skip(counts, what + ": " + a.unverified);
    return {};
  }
  if (place == kNone || run.memory_at(place).mapped == nullptr)
    return tl::unexpected<Error>(run.refuse(op, Status::unreadable, "the memory does not exist here"));
  DeviceState& device = run.device(op);
  // The recorder digested with all queues idle: submits of other threads too.
  if (VkResult r = device.dispatch.vkDeviceWaitIdle(device.handle); r < 0)
    return tl::unexpected<Error>(run.failure(op, r, "vkDeviceWaitIdle before a comparison"));
  const MemoryState& memory = run.memory_at(place);
  if (!memory.coherent) {
    const VkMappedMemoryRange all{VK_STRUCTURE_TYPE_MAPPED_MEMORY_RANGE, nullptr, memory.handle, 0, VK_WHOLE_SIZE};
    if (VkResult r = device.dispatch.vkInvalidateMappedMemoryRanges(device.handle, 1, &all); r < 0)
      return tl::unexpected<Error>(run.failure(op, r, "vkInvalidateMappedMemoryRanges"));
  }
  for (std::uint32_t i = 0; i < a.rangeCount; ++i) {
    const RondoRange range = a.pRanges[i];
    std::vector<Piece>& pieces = run.pieces();
    pieces.clear();
    pieces_of(run.placements().of[place], range.offset, range.size, pieces);
    std::vector<std::byte>& bytes = run.output_buffer();
    if (bytes.size() < range.size) bytes.resize(range.size);
    for (const Piece& piece : pieces) std::memcpy(bytes.data() + piece.from, memory.mapped + piece.to, piece.bytes);
    run.observer().compare(counts, Digest{a.pDigests[i].low, a.pDigests[i].high},
                           digest_of(std::span(bytes).first(range.size)),
                           what + " bytes " + std::to_string(range.offset) + " to " +
                               std::to_string(range.offset + range.size));
  }
  return {};
}

}  // namespace

void add_checkpoint_executors(std::vector<Executor>& table) {
  table[static_cast<std::size_t>(CommandId::rondoCheckpointImage)] = check_image;
  table[static_cast<std::size_t>(CommandId::rondoCheckpointMemory)] = check_memory;
}

}  // namespace rondo::player
