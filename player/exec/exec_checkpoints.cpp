// SPDX-License-Identifier: Apache-2.0
// Compares what the replay made with what the capture saw.
#include <algorithm>
#include <cstring>
#include <optional>
#include <utility>

#include "format/unverified.h"
#include "generated/args.h"
#include "model/gpu/texels.h"
#include "player/run/idle.h"
#include "player/run/run.h"
#include "player/snapshot/part_names.h"
#include "player/verify/difference.h"
#include "player/verify/psnr.h"

namespace rondo::player {

namespace {

std::string where(const Run& run, const Op& op) {
  return "record " + std::to_string(op.sequence) + " (frame " + std::to_string(run.frame()) + ", " +
         (run.counts().submits == 0 ? "before the first submit"
                                    : "after submit " + std::to_string(run.counts().submits - 1) + ", record " +
                                          std::to_string(run.last_submit())) +
         ")";
}

std::string image_name(const Run& run, const Op& op, std::uint32_t image) {
  return where(run, op) + ": image " + std::to_string(image) + " of " + run.plan().name(op.subject);
}

// Why it is not compared: what the recorder says, or null.
const char* unverified(const Op& op, const char* said) {
  return said == nullptr && op.lost ? text_of(Unverified::lost) : said;
}

Result<void> check_image(Run& run, const Op& op, std::byte* args) {
  if (!run.options().verify) return {};
  const TimingPause pause(run);
  const auto& a = as<args_rondoCheckpointImage>(args);
  Comparison& counts = run.observer().verification.images;
  const auto* swapchain = reinterpret_cast<const VirtualSwapchain*>(a.swapchain);
  const std::string what = image_name(run, op, a.imageIndex);
  if (const char* why = unverified(op, a.unverified); why != nullptr) {
    run.observer().skip(counts, what, why);
    return {};
  }
  if (swapchain == nullptr || a.imageIndex >= swapchain->images.size())
    return tl::unexpected<Error>(run.refuse(op, Status::unreadable, "the image does not exist here"));
  const VkImageCreateInfo& made = swapchain->info;
  if (made.format != a.format || made.extent.width != a.extent.width || made.extent.height != a.extent.height ||
      made.extent.depth != a.extent.depth)
    return tl::unexpected<Error>(run.refuse(op, Status::unreadable, "the image has another format or size"));
  run.image_checks().push_back({&op, swapchain, a.imageIndex, Digest{a.digest.low, a.digest.high}});
  return {};
}

// Where the work may wait for the host, which only the driver knows.
constexpr std::uint64_t kMayHangNs = 2'000'000'000;

bool makes_events(const Plan& plan) {
  const ByObject<Object>& all = plan.objects.objects();
  return std::any_of(all.begin(), all.end(), [](const Object& o) { return o.type == HandleType::VkEvent; });
}

// Idles the device, as the recorder did. False: it cannot be, and `count`
// comparisons are skipped for it. A wait leads to a checkpoint for each mapped
// memory: only the first of such a row asks the device.
Result<bool> idle(Run& run, const Op& op, Comparison& counts, std::uint32_t count, const std::string& what) {
  DeviceState& device = run.device(op);
  const auto skip = [&](Unverified why) {
    for (std::uint32_t i = 0; i < count; ++i) run.observer().skip(counts, what, text_of(why));
    return false;
  };
  const Op* const before = std::exchange(device.idle_after, nullptr);
  if (before != nullptr && before + 1 == &op) {
    device.idle_after = &op;
    return true;
  }
  // The recorder digested with all queues idle: submits of other threads too.
  // One that was numbered since may wait for a record that is still to come.
  if (run.blocked(device)) return skip(Unverified::waits_for_later);
  VkResult result = IdleProbe(device).wait(kMayHangNs);
  if (result == VK_TIMEOUT && makes_events(run.plan())) return skip(Unverified::event_set_later);
  if (result == VK_TIMEOUT) result = device.dispatch.vkDeviceWaitIdle(device.handle);
  if (result < 0) return tl::unexpected<Error>(run.failure(op, result, "the wait before a comparison"));
  device.idle_after = &op;
  return true;
}

// Bytes of what is compared, from its begin.
struct Part {
  std::size_t from = 0, to = 0;
};

// Where memory holds the device's times, between these places of it.
std::vector<Part> times_in(const Plan& plan, std::uint32_t memory, VkDeviceSize from, VkDeviceSize to) {
  std::vector<Part> parts;
  plan.memories[memory].times.each(from, to, [&](VkDeviceSize a, VkDeviceSize b) {
    parts.push_back({static_cast<std::size_t>(a - from), static_cast<std::size_t>(b - from)});
    return true;
  });
  return parts;
}

// Compares one digest; the first difference is told with what the capture kept
// of the contents, if anything. `describe(captured)` says it of bytes. `times` may differ, and
// texels of images (null: of something else) by as much as --verify=psnr allows.
// `picture`: its name among the pictures of differences.
template <class Describe>
void compare(Run& run, std::uint64_t record, Comparison& counts, const Digest& captured,
             std::span<const std::byte> replayed, const std::vector<Part>& times, const Texels* texels,
             const std::string& picture, const std::string& what, Describe&& describe) {
  Observer& observer = run.observer();
  const Observer::Compared one{record, what, captured};
  const Digest digest = digest_of(replayed);
  std::vector<std::byte> bytes;  // captured, with the replay's times
  const auto fetch = [&] {
    if (!bytes.empty()) return true;
    const auto kept = run.captured_contents().bytes(captured);
    if (!kept || (*kept)->size() != replayed.size()) return false;
    bytes = **kept;
    for (const Part& part : times)
      std::copy(replayed.begin() + static_cast<std::ptrdiff_t>(part.from),
                replayed.begin() + static_cast<std::ptrdiff_t>(part.to),
                bytes.begin() + static_cast<std::ptrdiff_t>(part.from));
    return true;
  };
  if (digest != captured && !times.empty()) {
    if (!fetch())
      return observer.skip(counts, what,
                           "it holds times of the GPU, and the capture keeps its digest alone "
                           "(RONDO_CHECKPOINTS=submit keeps the contents)");
    if (std::equal(bytes.begin(), bytes.end(), replayed.begin())) return observer.apart_from_times(counts, one);
  }
  if (digest != captured && observer.differs) observer.differs(record, captured, digest, replayed);
  std::string how_alike;
  if (digest != captured && texels != nullptr && observer.wanted_psnr && has_psnr(*texels)) {
    if (!fetch())
      return observer.skip(counts, what,
                           "another digest, and no contents in the capture to compare with: --verify=psnr needs "
                           "RONDO_CHECKPOINTS=submit, which keeps them");
    const auto found = psnr(bytes, replayed, *texels);
    if (found && observer.alike(counts, one, *found)) return;
    how_alike = psnr_text(found, *observer.wanted_psnr) + "; ";
  }
  if (digest != captured && texels != nullptr && observer.difference_pictures) {
    const bool kept = fetch();
    observer.difference_pictures->add(record, picture, *texels,
                                      kept ? std::optional(std::span<const std::byte>(bytes)) : std::nullopt, replayed);
  }
  if (!observer.first_to_differ(counts, one, digest)) return;
  observer.verification.first_difference =
      what + ": " + how_alike +
      (fetch() ? describe(std::span<const std::byte>(bytes))
               : "captured " + to_string(captured) + ", replayed " + to_string(digest) +
                     " (digests: RONDO_CHECKPOINTS=submit keeps the contents)");
}

Result<void> check_memory(Run& run, const Op& op, std::byte* args) {
  if (!run.options().verify) return {};
  const TimingPause pause(run);
  const auto& a = as<args_rondoCheckpointMemory>(args);
  Comparison& counts = run.observer().verification.memory_ranges;
  const std::uint32_t place = run.plan().place_of(op.subject);
  const std::string what = where(run, op) + ": " + run.plan().full_name(op.subject);
  if (const char* why = unverified(op, a.unverified); why != nullptr) {
    for (std::uint32_t i = 0; i < a.rangeCount; ++i) run.observer().skip(counts, what, why);
    return {};
  }
  if (place == kNone || run.memory_at(place).mapped == nullptr)
    return tl::unexpected<Error>(run.refuse(op, Status::unreadable, "the memory does not exist here"));
  DeviceState& device = run.device(op);
  const auto idled = idle(run, op, counts, a.rangeCount, what);
  if (!idled) return tl::unexpected<Error>(idled.error());
  if (!*idled) return {};
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
    if (range.offset > run.plan().memories[place].bytes || range.size > run.plan().memories[place].bytes - range.offset)
      return tl::unexpected<Error>(run.refuse(op, Status::unreadable, "the range ends behind the memory"));
    const Placement& placement = run.placements().of[place];
    pieces_of(placement, range.offset, range.size, pieces);
    VkDeviceSize covered = 0;
    for (const Piece& piece : pieces) covered += piece.bytes;
    if (covered < range.size && placement.bytes < run.plan().memories[place].bytes) {
      run.observer().skip(counts, what, text_of(Unverified::smaller));
      continue;
    }
    std::vector<std::byte>& bytes = run.output_buffer();
    if (bytes.size() < range.size) bytes.resize(range.size);
    // Between rows that are shorter here: as nobody wrote it.
    if (covered < range.size) std::memset(bytes.data(), 0, range.size);
    for (const Piece& piece : pieces)
      read_captured(run, place, piece.to, std::span(bytes).subspan(piece.from, piece.bytes));
    const std::span<const std::byte> replayed = std::span(bytes).first(range.size);
    compare(run, op.sequence, counts, Digest{a.pDigests[i].low, a.pDigests[i].high}, replayed,
            times_in(run.plan(), place, range.offset, range.offset + range.size), nullptr, {},
            what + " bytes " + std::to_string(range.offset) + " to " + std::to_string(range.offset + range.size),
            [&](std::span<const std::byte> captured) { return describe_bytes(captured, replayed, range.offset); });
  }
  return {};
}

// --- Contents of buffers and images.

struct Content {
  ObjectId id;
  Digest digest;
  gpu::Source source;
};

// The objects of an array of handles, in one go through the op's patches.
std::vector<ObjectId> ids_of(const Run& run, const Op& op, std::uint32_t first, std::uint32_t count) {
  std::vector<ObjectId> ids(count);
  for (const Patch& patch : std::span(run.plan().patches).subspan(op.first_patch, op.patches))
    if (patch.offset >= first && (patch.offset - first) / sizeof(std::uint64_t) < count)
      ids[(patch.offset - first) / sizeof(std::uint64_t)] = patch.id;
  return ids;
}

std::vector<Part> times_in(const Plan& plan, const Content& content) {
  const auto* const source = std::get_if<gpu::BufferSource>(&content.source);
  const std::uint32_t buffer = plan.place_of(content.id);
  if (source == nullptr || buffer == kNone || !plan.resources[buffer].bound) return {};
  const VkDeviceSize from = plan.resources[buffer].offset + source->offset;
  return times_in(plan, plan.resources[buffer].memory, from, from + source->size);
}

std::string content_name(const Run& run, const Content& content) {
  std::string text = run.plan().full_name(content.id);
  if (const auto* buffer = std::get_if<gpu::BufferSource>(&content.source))
    return text + " bytes " + std::to_string(buffer->offset) + " to " + std::to_string(buffer->offset + buffer->size);
  const auto& image = std::get<gpu::ImageSource>(content.source);
  if (image.aspect == VK_IMAGE_ASPECT_DEPTH_BIT) text += " depth";
  if (image.aspect == VK_IMAGE_ASPECT_STENCIL_BIT) text += " stencil";
  return text + " mip " + std::to_string(image.mip) + " layer " + std::to_string(image.layer);
}

// Of a part of an image. Empty: it is none.
std::string picture_name(const Run& run, const Content& content) {
  const auto* const image = std::get_if<gpu::ImageSource>(&content.source);
  if (image == nullptr) return {};
  return part_file_name(run.plan().name(content.id), image->mip, image->layer, image->aspect);
}

// An error: a picture of a difference could not be written.
Result<void> pictures_written(Run& run) {
  const auto& pictures = run.observer().difference_pictures;
  return pictures ? pictures->result() : Result<void>();
}

Result<void> compare_contents(Run& run, const Op& op, std::uint32_t count, const char* why,
                              const std::vector<Content>& contents) {
  Comparison& counts = run.observer().verification.contents;
  const std::string place = where(run, op);
  if (why != nullptr) {
    const std::string what = contents.empty() ? place : place + ": " + run.plan().full_name(contents.front().id);
    for (std::uint32_t i = 0; i < std::max(count, 1u); ++i) run.observer().skip(counts, what, why);
    return {};
  }
  DeviceState& device = run.device(op);
  const auto queue = std::find_if(device.queues.begin(), device.queues.end(),
                                  [&](const LiveQueue& one) { return one.id == op.subject; });
  if (queue == device.queues.end())
    return tl::unexpected<Error>(run.refuse(op, Status::unreadable, "the queue does not exist here"));
  constexpr VkFlags copies = VK_QUEUE_GRAPHICS_BIT | VK_QUEUE_COMPUTE_BIT | VK_QUEUE_TRANSFER_BIT;
  if ((run.targets()[device.index].families[queue->family].queueFlags & copies) == 0)
    return tl::unexpected<Error>(run.refuse(op, Status::unreadable, "its queue cannot copy"));
  const auto idled = idle(run, op, counts, count, place);
  if (!idled) return tl::unexpected<Error>(idled.error());
  if (!*idled) return {};
  std::vector<gpu::Source> sources;
  for (const Content& content : contents) sources.push_back(content.source);
  const auto read =
      run.readback(device, queue->family)
          .read_all(queue->handle, sources, [&](std::size_t i, std::span<const std::byte> read) {
            const Content& content = contents[i];
            const auto* const buffer = std::get_if<gpu::BufferSource>(&content.source);
            const std::span<const std::byte> bytes =
                buffer == nullptr ? read : as_captured(run, content.id, buffer->offset, read);
            const auto* const image = std::get_if<gpu::ImageSource>(&content.source);
            const Texels texels =
                image != nullptr ? Texels{image->format, image->aspect, image->extent, image->samples} : Texels{};
            compare(run, op.sequence, counts, content.digest, bytes, times_in(run.plan(), content),
                    image != nullptr ? &texels : nullptr, picture_name(run, content),
                    place + ": " + content_name(run, content), [&](std::span<const std::byte> captured) {
                      return image != nullptr
                                 ? describe_texels(captured, bytes, texels)
                                 : describe_bytes(captured, bytes, std::get<gpu::BufferSource>(content.source).offset);
                    });
          });
  if (!read)
    return tl::unexpected<Error>(run.refuse(
        op, read.error().status, "reading contents back: " + read.error().message + run.behind_last_submit()));
  return pictures_written(run);
}

Result<void> check_buffers(Run& run, const Op& op, std::byte* args) {
  if (!run.options().verify) return {};
  const TimingPause pause(run);
  const auto& a = as<args_rondoCheckpointBuffers>(args);
  const std::vector<ObjectId> ids = ids_of(run, op, offset_in(args, a.pBuffers), a.count);
  std::vector<Content> contents;
  for (std::uint32_t i = 0; i < a.count; ++i)
    contents.push_back({ids[i],
                        {a.pDigests[i].low, a.pDigests[i].high},
                        gpu::BufferSource{a.pBuffers[i], a.pRanges[i].offset, a.pRanges[i].size}});
  return compare_contents(run, op, a.count, unverified(op, a.unverified), contents);
}

// Of an image that was made, or of a swapchain's.
struct ComparedImage {
  VkFormat format{};
  VkExtent3D extent{};
  VkSampleCountFlagBits samples = VK_SAMPLE_COUNT_1_BIT;
};
std::optional<ComparedImage> compared_image(Run& run, ObjectId id) {
  const Plan& plan = run.plan();
  if (const std::uint32_t place = plan.place_of(id); place < plan.resources.size() && plan.resources[place].id == id)
    return ComparedImage{plan.resources[place].format, plan.resources[place].extent, plan.resources[place].samples};
  const std::uint32_t chain = plan.place_of(plan.objects.objects()[id].parent);
  if (chain >= run.swapchains().size() || run.swapchains()[chain] == nullptr) return std::nullopt;
  return ComparedImage{run.swapchains()[chain]->info.format, run.swapchains()[chain]->info.extent,
                       VK_SAMPLE_COUNT_1_BIT};
}

// Why the samples of an image cannot be read here; null: they can.
const char* why_no_samples(Run& run, const Op& op, ObjectId image) {
  if (run.plan().samples_read.count(image) == 0) return text_of(Unverified::samples_here);
  DeviceState& device = run.device(op);
  for (const LiveQueue& queue : device.queues)
    if (queue.id == op.subject &&
        (run.targets()[device.index].families[queue.family].queueFlags & VK_QUEUE_COMPUTE_BIT) == 0)
      return text_of(Unverified::no_family_computes);
  return nullptr;
}

Result<void> check_subresources(Run& run, const Op& op, std::byte* args) {
  if (!run.options().verify) return {};
  const TimingPause pause(run);
  const auto& a = as<args_rondoCheckpointSubresources>(args);
  const std::vector<ObjectId> ids = ids_of(run, op, offset_in(args, a.pImages), a.count);
  std::vector<Content> contents;
  for (std::uint32_t i = 0; i < a.count; ++i) {
    const RondoSubresource& part = a.pParts[i];
    if (a.unverified != nullptr) {
      contents.push_back({ids[i], {}, {}});
      continue;
    }
    const auto kind = compared_image(run, ids[i]);
    if (!kind) return tl::unexpected<Error>(run.refuse(op, Status::unreadable, "the image does not exist here"));
    gpu::ImageSource source;
    source.image = a.pImages[i];
    source.format = kind->format;
    source.extent = gpu::part_extent(kind->format, part.aspect, kind->extent, part.mipLevel);
    source.layout = part.layout;
    source.aspect = part.aspect;
    source.together = part.together;
    source.mip = part.mipLevel;
    source.layer = part.arrayLayer;
    source.samples = kind->samples;
    if (const char* why = gpu::has_samples(source) ? why_no_samples(run, op, ids[i]) : nullptr; why != nullptr) {
      run.observer().skip(run.observer().verification.contents, where(run, op) + ": " + run.plan().full_name(ids[i]),
                          why);
      continue;
    }
    contents.push_back({ids[i], {a.pDigests[i].low, a.pDigests[i].high}, source});
  }
  if (contents.empty() && a.count != 0) return {};  // all left out
  return compare_contents(run, op, static_cast<std::uint32_t>(contents.size()), unverified(op, a.unverified), contents);
}

}  // namespace

std::span<const std::byte> as_captured(Run& run, ObjectId id, VkDeviceSize offset, std::span<const std::byte> read) {
  if (run.substitutes().empty()) return read;
  std::vector<std::byte>& bytes = run.output_buffer();
  bytes.resize(std::max(bytes.size(), read.size()));
  std::copy(read.begin(), read.end(), bytes.begin());
  const std::span<std::byte> copy = std::span(bytes).first(read.size());
  const std::size_t skip = std::min<std::size_t>((0 - offset) % Substitutes::kAlignment, copy.size());
  const std::span<std::byte> aligned = copy.subspan(skip);
  const std::uint32_t buffer = run.plan().place_of(id);
  const CapturedResource* const resource = buffer == kNone ? nullptr : &run.plan().resources[buffer];
  if (resource != nullptr && resource->bound && !run.placements().of[resource->memory].moved)
    run.substitutes().put_captured(aligned, {resource->memory, resource->offset + offset + skip});
  else
    run.substitutes().put_captured(aligned);
  return copy;
}

Result<void> compare_images(Run& run, DeviceState& device, const LiveQueue& queue, const VirtualSwapchain& swapchain,
                            std::uint32_t presented) {
  std::vector<ImageCheck>& checks = run.image_checks();
  if (checks.empty()) return {};
  const TimingPause pause(run);
  for (const ImageCheck& check : checks) {
    if (check.swapchain != &swapchain) continue;
    if (check.image != presented)
      return fail(Status::different, run.plan().path + ": " + image_name(run, *check.op, check.image) + ": image " +
                                         std::to_string(presented) + " is presented in its place");
    gpu::ImageSource source;
    source.image = swapchain.images[check.image];
    source.format = swapchain.info.format;
    source.extent = swapchain.info.extent;
    source.layout = VK_IMAGE_LAYOUT_GENERAL;
    auto texels = run.readback(device, queue.family).read(queue.handle, source);
    if (!texels)
      return tl::unexpected<Error>(
          run.refuse(*check.op, texels.error().status,
                     "reading the image back: " + texels.error().message + run.behind_last_submit()));
    const Texels format{source.format, source.aspect, source.extent};
    compare(run, check.op->sequence, run.observer().verification.images, check.digest, *texels, {}, &format,
            file_name(run.plan().name(check.op->subject)) + "-image" + std::to_string(check.image),
            image_name(run, *check.op, check.image),
            [&](std::span<const std::byte> captured) { return describe_texels(captured, *texels, format); });
  }
  std::erase_if(checks, [&](const ImageCheck& check) { return check.swapchain == &swapchain; });
  return pictures_written(run);
}

void add_checkpoint_executors(std::vector<Executor>& table) {
  // What a loop leaves to the end of the run (loop_plan.cpp).
  table[static_cast<std::size_t>(CommandId::rondoNote)] = [](Run&, const Op&, std::byte*) -> Result<void> {
    return {};
  };
  table[static_cast<std::size_t>(CommandId::rondoCheckpointImage)] = check_image;
  table[static_cast<std::size_t>(CommandId::rondoCheckpointMemory)] = check_memory;
  table[static_cast<std::size_t>(CommandId::rondoCheckpointBuffers)] = check_buffers;
  table[static_cast<std::size_t>(CommandId::rondoCheckpointSubresources)] = check_subresources;
}

}  // namespace rondo::player
