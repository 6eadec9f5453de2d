// SPDX-License-Identifier: Apache-2.0
// Compares what the replay made with what the capture saw.
#include <algorithm>
#include <cstring>

#include "generated/args.h"
#include "player/idle.h"
#include "player/run.h"

namespace rondo::player {

namespace {

std::string where(const Run& run, const Op& op) {
  return "record " + std::to_string(op.sequence) + " (frame " + std::to_string(run.frame()) + ", " +
         (run.counts().submits == 0 ? "before the first submit"
                                    : "after submit " + std::to_string(run.counts().submits - 1)) +
         ")";
}

std::string image_name(const Run& run, const Op& op, std::uint32_t image) {
  return where(run, op) + ": image " + std::to_string(image) + " of " + run.plan().name(op.subject);
}

Result<void> check_image(Run& run, const Op& op, std::byte* args) {
  if (!run.options().verify) return {};
  const auto& a = as<args_rondoCheckpointImage>(args);
  Comparison& counts = run.observer().verification.images;
  const auto* swapchain = reinterpret_cast<const VirtualSwapchain*>(a.swapchain);
  const std::string what = image_name(run, op, a.imageIndex);
  if (a.unverified != nullptr) {
    run.observer().skip(counts, what + ": " + a.unverified);
    return {};
  }
  if (swapchain == nullptr || a.imageIndex >= swapchain->images.size())
    return tl::unexpected<Error>(run.refuse(op, Status::unreadable, "the image does not exist here"));
  const VkImageCreateInfo& made = swapchain->info;
  if (made.format != a.format || made.extent.width != a.extent.width ||
      made.extent.height != a.extent.height || made.extent.depth != a.extent.depth)
    return tl::unexpected<Error>(run.refuse(op, Status::unreadable, "the image has another format or size"));
  run.image_checks().push_back({&op, swapchain, a.imageIndex, Digest{a.digest.low, a.digest.high}});
  return {};
}

// Where the work may wait for the host, which only the driver knows.
constexpr std::uint64_t kMayHangNs = 2'000'000'000;

bool makes_events(const Plan& plan) {
  const std::vector<Object>& all = plan.objects.objects();
  return std::any_of(all.begin(), all.end(), [](const Object& o) { return o.type == HandleType::VkEvent; });
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
  // One that was numbered since may wait for a record that is still to come.
  if (run.blocked(device)) {
    for (std::uint32_t i = 0; i < a.rangeCount; ++i)
      run.observer().skip(counts, what + ": a queue waits for a signal that comes later");
    return {};
  }
  VkResult idle = IdleProbe(device).wait(kMayHangNs);
  if (idle == VK_TIMEOUT && makes_events(run.plan())) {
    for (std::uint32_t i = 0; i < a.rangeCount; ++i)
      run.observer().skip(counts, what + ": a queue does not end, and may wait for an event set later");
    return {};
  }
  if (idle == VK_TIMEOUT) idle = device.dispatch.vkDeviceWaitIdle(device.handle);
  if (idle < 0) return tl::unexpected<Error>(run.failure(op, idle, "the wait before a comparison"));
  const MemoryState& memory = run.memory_at(place);
  if (!memory.coherent) {
    const VkMappedMemoryRange all{VK_STRUCTURE_TYPE_MAPPED_MEMORY_RANGE, nullptr, memory.handle, 0,
                                  VK_WHOLE_SIZE};
    if (VkResult r = device.dispatch.vkInvalidateMappedMemoryRanges(device.handle, 1, &all); r < 0)
      return tl::unexpected<Error>(run.failure(op, r, "vkInvalidateMappedMemoryRanges"));
  }
  for (std::uint32_t i = 0; i < a.rangeCount; ++i) {
    const RondoRange range = a.pRanges[i];
    std::vector<Piece>& pieces = run.pieces();
    pieces.clear();
    if (range.offset > run.plan().memories[place].bytes ||
        range.size > run.plan().memories[place].bytes - range.offset)
      return tl::unexpected<Error>(run.refuse(op, Status::unreadable, "the range ends behind the memory"));
    pieces_of(run.placements().of[place], range.offset, range.size, pieces);
    std::vector<std::byte>& bytes = run.output_buffer();
    if (bytes.size() < range.size) bytes.resize(range.size);
    for (const Piece& piece : pieces)
      std::memcpy(bytes.data() + piece.from, memory.mapped + piece.to, piece.bytes);
    run.observer().compare(
        counts, Digest{a.pDigests[i].low, a.pDigests[i].high}, digest_of(std::span(bytes).first(range.size)),
        what + " bytes " + std::to_string(range.offset) + " to " + std::to_string(range.offset + range.size));
  }
  return {};
}

}  // namespace

Result<void> compare_images(Run& run, DeviceState& device, const LiveQueue& queue,
                            const VirtualSwapchain& swapchain, std::uint32_t presented) {
  std::vector<ImageCheck>& checks = run.image_checks();
  for (const ImageCheck& check : checks) {
    if (check.swapchain != &swapchain) continue;
    if (check.image != presented)
      return fail(Status::different, run.plan().path + ": " + image_name(run, *check.op, check.image) +
                                         ": image " + std::to_string(presented) +
                                         " is presented in its place");
    gpu::ImageSource source;
    source.image = swapchain.images[check.image];
    source.format = swapchain.info.format;
    source.extent = swapchain.info.extent;
    source.layout = VK_IMAGE_LAYOUT_GENERAL;
    auto texels = run.readback(device, queue.family).read(queue.handle, source);
    if (!texels)
      return tl::unexpected<Error>(
          run.refuse(*check.op, texels.error().status, "reading the image back: " + texels.error().message));
    run.observer().compare(run.observer().verification.images, check.digest, digest_of(*texels),
                           image_name(run, *check.op, check.image));
  }
  std::erase_if(checks, [&](const ImageCheck& check) { return check.swapchain == &swapchain; });
  return {};
}

void add_checkpoint_executors(std::vector<Executor>& table) {
  table[static_cast<std::size_t>(CommandId::rondoCheckpointImage)] = check_image;
  table[static_cast<std::size_t>(CommandId::rondoCheckpointMemory)] = check_memory;
}

}  // namespace rondo::player
