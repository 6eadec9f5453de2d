// SPDX-License-Identifier: Apache-2.0
// Checkpoints of pages that the program imported from a host pointer. Nothing tells there what a device wrote
// from what the host writes: it is all recorded as the host's, at the next scan. So they are looked at as
// soon as a submit has returned from the driver and its work is finished: the thread that submits has written
// nothing since, and in a replay the pages hold what the device made there, not yet what is recorded.
#include <algorithm>

#include "format/unverified.h"
#include "layer/checkpoints/checkpoint.h"
#include "layer/driver/state.h"
#include "layer/memory/compare.h"
#include "layer/memory/kernel.h"
#include "layer/memory/own_pages.h"

namespace rondo::layer {

namespace {

bool is_import(const Memory& memory) {
  return memory.pages != nullptr && memory.tracked != nullptr && memory.device_writable;
}

// Whether all pages that hold a part of the range can be read. A program imports whole pages.
bool can_read(const Memory& memory, const RondoRange& range) {
  const VkDeviceSize from = range.offset / memory::page_bytes * memory::page_bytes;
  const VkDeviceSize to =
      (range.offset + range.size + memory::page_bytes - 1) / memory::page_bytes * memory::page_bytes;
  return memory::readable(memory.tracked->contents() + from, static_cast<std::size_t>(to - from));
}

}  // namespace

void Checkpointer::imports(ThreadState& state) {
  const std::lock_guard one(checking_);
  Lock queues = enter_queues();
  {
    const auto lock = host_memory().enter();
    const auto& all = device_.memories.memories;
    if (std::none_of(all.begin(), all.end(), [](const auto& known) { return is_import(*known.second); })) return;
  }
  std::string reason;
  const Patience patience = device_.resources != nullptr ? Patience::much : Patience::some;
  const Settled settled = settle(queues, patience, reason);
  const auto lock = host_memory().enter();
  if (settled == Settled::still_not) return;
  if (settled == Settled::yes) HostMemory::settled(device_);
  for (auto& [handle, known] : device_.memories.memories) {
    if (!is_import(*known)) continue;
    if (settled == Settled::yes)
      digest_import(state, *known);
    else
      write(state, *known, {{0, known->size}}, {Digest{}}, reason.c_str());
  }
}

// Whole buffers, changed or not; outside of them, images: what has changed.
void Checkpointer::digest_import(ThreadState& state, Memory& memory) {
  std::vector<RondoRange> wanted;
  const auto want = [&](VkDeviceSize from, VkDeviceSize to) {
    const VkDeviceSize most = keeps_bytes() ? kPiece : memory.size;
    memory.outside_drivers_own(Memory::Own::all, from, std::min(to, memory.size),
                               [&](VkDeviceSize at, VkDeviceSize end) {
                                 for (; at < end; at += std::min(most, end - at))
                                   wanted.push_back({at, std::min(most, end - at)});
                               });
  };
  for (const BoundBuffer& buffer : memory.buffers) want(buffer.offset, buffer.offset + buffer.size);
  for (const memory::Range& range : memory.tracked->refresh(0, memory::whole, memory::Refresh::everything)) {
    const bool in_buffer = std::any_of(memory.buffers.begin(), memory.buffers.end(), [&](const BoundBuffer& buffer) {
      return buffer.offset <= range.offset && range.offset + range.size <= buffer.offset + buffer.size;
    });
    if (!in_buffer) want(range.offset, range.offset + range.size);
  }
  memory.refreshed = memory.checked = device_.memories.epoch;
  std::vector<RondoRange> ranges, unreadable, busy;
  std::vector<Digest> digests;
  for (const RondoRange& range : wanted) {
    if (!can_read(memory, range)) {
      unreadable.push_back(range);
      continue;
    }
    // A copy: the host may write at any time, and a blob is what its digest says.
    const std::byte* const bytes = memory.tracked->contents() + range.offset;
    std::vector<std::byte> copy(static_cast<std::size_t>(range.size));
    memory::copy_live(bytes, copy.data(), copy.size());
    const Digest digest = digest_of(copy);
    if (digest != digest_of({bytes, copy.size()})) {
      busy.push_back(range);
      continue;
    }
    if (keeps_bytes()) state.add_blob(digest, copy);
    ranges.push_back(range);
    digests.push_back(digest);
  }
  const auto leave_out = [&](const std::vector<RondoRange>& left, Unverified why) {
    if (!left.empty()) write(state, memory, left, std::vector<Digest>(left.size()), text_of(why));
  };
  if (!ranges.empty()) write(state, memory, ranges, digests, nullptr);
  leave_out(unreadable, Unverified::pages_unreadable);
  leave_out(busy, Unverified::written_while_read);
}

}  // namespace rondo::layer
