// SPDX-License-Identifier: Apache-2.0
// What a queue of one family writes, and a queue of another family reads: the ownership of an exclusive resource must
// be released by the first and acquired by the second (Vulkan, "Queue Family Ownership Transfer").
#include "move.comp.h"
#include "ones.comp.h"
#include "plants.h"

namespace hazards {

namespace {

// Which halves of a transfer a plant has. `mismatched`: they do not name the same families.
enum class Transfer { none, released, acquired, mismatched, whole };

bool is_released(Transfer t) { return t != Transfer::none && t != Transfer::acquired; }
bool is_acquired(Transfer t) { return t != Transfer::none && t != Transfer::released; }

// A family that none of the bench's queues has.
std::uint32_t other_family(const Bench& b) {
  std::uint32_t family = 0;
  while (family == b.families[0] || family == b.families[1]) ++family;
  if (family >= queue_families(b.physical).size()) std::exit(cannot_run("the device has only two queue families"));
  return family;
}

MappedBuffer exclusive(Bench& b) { return make_local_buffer(b, Sharing::exclusive); }

// From the family of queue 0 to the family of queue 1; `of` names the resource.
Dependency release_of(const Bench& b, Dependency of, const Scope& from, Transfer t) {
  of.from = from;
  of.to = kNoDestination;
  of.from_family = b.families[0];
  of.to_family = t == Transfer::mismatched ? other_family(b) : b.families[1];
  return of;
}

// The semaphore holds back the stages that come after it, so the acquire begins with these stages.
Dependency acquire_of(const Bench& b, Dependency of, const Scope& to) {
  of.from = stages_of(to);
  of.to = to;
  of.from_family = b.families[0];
  of.to_family = b.families[1];
  return of;
}

Semaphore after_all(VkSemaphore semaphore) { return {semaphore, kAllWrites}; }

// A writes a buffer on queue 0, B reads it on queue 1, after a semaphore.
void buffer_with(Bench& b, const MappedBuffer& x, VkDeviceSize bytes, Transfer t) {
  const MappedBuffer y = exclusive(b);
  const Kernel writes = kernel(b, ones_comp_spv, {x}), reads = kernel(b, move_comp_spv, {x, y});
  const VkSemaphore written = binary(b);
  const Dependency of{.buffer = x.buffer, .bytes = bytes};
  dispatch(b, "A", writes);
  if (is_released(t)) barrier(b, "release", {release_of(b, of, kComputeWrites, t)});
  submit(b, {.signal = after_all(written)});
  begin(b, 1);
  if (is_acquired(t)) barrier(b, "acquire", {acquire_of(b, of, kComputeReads)});
  dispatch(b, "B", reads);
  submit(b, {.wait = {written, kComputeReads}, .queue = 1});
}

template <Transfer wrong>
void buffer_transfer(Bench& b) {
  buffer_with(b, exclusive(b), VK_WHOLE_SIZE, b.clean ? Transfer::whole : wrong);
}

// The transfer is of the first half; all is read.
void half_a_buffer(Bench& b) { buffer_with(b, exclusive(b), b.clean ? kBytes : kBytes / 2, Transfer::whole); }

// A buffer that both families may use at once needs no transfer.
void concurrent(Bench& b) {
  buffer_with(b, make_local_buffer(b, b.clean ? Sharing::concurrent : Sharing::exclusive), VK_WHOLE_SIZE,
              Transfer::none);
}

// The old contents are lost without a transfer. That is no fault where B overwrites all.
void overwritten(Bench& b) {
  const MappedBuffer x = exclusive(b), y = exclusive(b);
  const VkSemaphore written = binary(b);
  dispatch(b, "A", kernel(b, ones_comp_spv, {x}));
  submit(b, {.signal = {written, kComputeWrites}});
  begin(b, 1);
  dispatch(b, "B", b.clean ? kernel(b, ones_comp_spv, {x}) : kernel(b, move_comp_spv, {x, y}));
  submit(b, {.wait = {written, b.clean ? kComputeWrites : kComputeReads}, .queue = 1});
}

// Neither a semaphore nor a transfer.
void unordered(Bench& b) {
  if (b.clean) return buffer_with(b, exclusive(b), VK_WHOLE_SIZE, Transfer::whole);
  const MappedBuffer x = exclusive(b), y = exclusive(b);
  dispatch(b, "A", kernel(b, ones_comp_spv, {x}));
  submit(b);
  begin(b, 1);
  dispatch(b, "B", kernel(b, move_comp_spv, {x, y}));
  submit(b, {.queue = 1});
}

// Queue 1 acquires the buffer and changes it. Queue 0 reads it again, which needs a transfer back.
void back_again(Bench& b) {
  const MappedBuffer x = exclusive(b), y = exclusive(b);
  const Kernel writes = kernel(b, ones_comp_spv, {x}), changes = kernel(b, move_comp_spv, {x, x}),
               reads = kernel(b, move_comp_spv, {x, y});
  const VkSemaphore written = binary(b), changed = binary(b);
  const Dependency of{.buffer = x.buffer};
  Dependency release = release_of(b, of, kComputeWrites, Transfer::whole);
  Dependency acquire = acquire_of(b, of, kComputeReads | kComputeWrites);
  dispatch(b, "A", writes);
  barrier(b, "release", {release});
  submit(b, {.signal = after_all(written)});
  begin(b, 1);
  barrier(b, "acquire", {acquire});
  dispatch(b, "B", changes);
  std::swap(release.from_family, release.to_family);
  acquire = acquire_of(b, of, kComputeReads);
  std::swap(acquire.from_family, acquire.to_family);
  if (b.clean) barrier(b, "release back", {release});
  submit(b, {.wait = {written, kComputeReads}, .signal = after_all(changed), .queue = 1});
  begin(b);
  if (b.clean) barrier(b, "acquire back", {acquire});
  dispatch(b, "C", reads);
  submit(b, {.wait = {changed, kComputeReads}});
}

constexpr VkImageLayout kBothUses = VK_IMAGE_LAYOUT_GENERAL;

void clear(Bench& b, const char* label, const Image& image) {
  const VkClearColorValue black{};
  labelled(b, label, [&] { vkCmdClearColorImage(b.cmd, image.image, kBothUses, &black, 1, &image.range); });
}

// For the first use of an image on the queue of the open command buffer: its contents are not kept.
void begin_image(Bench& b, const char* label, const Image& image, const Scope& after) {
  barrier(b, label,
          {{.from = after, .to = kClearWrites, .image = image.image, .range = image.range, .after = kBothUses}});
}

void read_image(Bench& b, const char* label, const Image& image, const MappedBuffer& to) {
  const VkBufferImageCopy all{.imageSubresource = {VK_IMAGE_ASPECT_COLOR_BIT, 0, 0, 1},
                              .imageExtent = {kExtent, kExtent, 1}};
  labelled(b, label, [&] { vkCmdCopyImageToBuffer(b.cmd, image.image, kBothUses, to.buffer, 1, &all); });
}

Image make_cleared_image(Bench& b) {
  const Image image = make_image(b, VK_IMAGE_USAGE_TRANSFER_SRC_BIT | VK_IMAGE_USAGE_TRANSFER_DST_BIT);
  begin_image(b, "start", image, kNoSource);
  clear(b, "A", image);
  return image;
}

// A clears an image on queue 0, B copies it on queue 1, after a semaphore.
template <Transfer wrong>
void image_transfer(Bench& b) {
  const Transfer t = b.clean ? Transfer::whole : wrong;
  const MappedBuffer y = exclusive(b);
  const VkSemaphore written = binary(b);
  const Image image = make_cleared_image(b);
  const Dependency of{.image = image.image, .range = image.range, .before = kBothUses, .after = kBothUses};
  if (is_released(t)) barrier(b, "release", {release_of(b, of, kClearWrites, t)});
  submit(b, {.signal = after_all(written)});
  begin(b, 1);
  if (is_acquired(t)) barrier(b, "acquire", {acquire_of(b, of, kCopyReads)});
  read_image(b, "B", image, y);
  submit(b, {.wait = {written, kCopyReads}, .queue = 1});
}

void image_overwritten(Bench& b) {
  const MappedBuffer y = exclusive(b);
  const VkSemaphore written = binary(b);
  const Image image = make_cleared_image(b);
  submit(b, {.signal = after_all(written)});
  begin(b, 1);
  if (b.clean) {
    begin_image(b, "start again", image, stages_of(kClearWrites));
    clear(b, "B", image);
  } else {
    read_image(b, "B", image, y);
  }
  submit(b, {.wait = {written, b.clean ? kClearWrites : kCopyReads}, .queue = 1});
}

}  // namespace

std::vector<Plant> owner_plants() {
  constexpr Queues two = Queues::of_two_families;
  const std::vector<const char*> none{"race OWNER A B"}, released{"race OWNER release B"},
      acquired{"race OWNER A acquire"}, mismatched{"race OWNER release acquire"};
  return {{"owner-none", Form::first, none, buffer_transfer<Transfer::none>, two},
          {"owner-released", Form::second, released, buffer_transfer<Transfer::released>, two},
          {"owner-acquired", Form::first, acquired, buffer_transfer<Transfer::acquired>, two},
          {"owner-mismatched", Form::second, mismatched, buffer_transfer<Transfer::mismatched>, two},
          {"owner-half", Form::first, none, half_a_buffer, two},
          {"owner-concurrent", Form::second, none, concurrent, two},
          {"owner-overwritten", Form::first, none, overwritten, two},
          {"owner-unordered", Form::second, {"race RAW OWNER A B"}, unordered, two},
          {"owner-back", Form::first, {"race OWNER B C"}, back_again, two},
          {"owner-image-none", Form::second, none, image_transfer<Transfer::none>, two},
          {"owner-image-released", Form::first, released, image_transfer<Transfer::released>, two},
          {"owner-image-acquired", Form::second, acquired, image_transfer<Transfer::acquired>, two},
          {"owner-image-mismatched", Form::first, mismatched, image_transfer<Transfer::mismatched>, two},
          {"owner-image-overwritten", Form::first, none, image_overwritten, two}};
}

}  // namespace hazards
