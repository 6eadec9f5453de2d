// SPDX-License-Identifier: Apache-2.0
#include "tests/icd/order_history.h"

#include <algorithm>
#include <cstring>

#include "tests/icd/queue.h"
#include "tests/icd/state.h"

namespace fake::order {

std::uint64_t Chance::below(std::uint64_t count) {
  // splitmix64.
  std::uint64_t word = state_ += 0x9e3779b97f4a7c15u;
  word = (word ^ (word >> 30)) * 0xbf58476d1ce4e5b9u;
  word = (word ^ (word >> 27)) * 0x94d049bb133111ebu;
  return (word ^ (word >> 31)) % count;
}

std::vector<std::byte> copy_of(const Ranges& ranges) {
  std::vector<std::byte> copy;
  for (const Bytes& b : ranges) copy.insert(copy.end(), b.begin, b.end);
  return copy;
}

Ranges WriteHistory::select(const Ranges& ranges, const Test& test) const {
  Ranges selected;
  if (ranges.empty()) return selected;
  // All bytes of a stretch are covered by the same memory dependencies.
  const auto& cuts = graph_.cuts();
  auto cut = cuts.upper_bound(ranges.front().begin);
  const auto end_of_stretch = [&] {
    return cut == cuts.end() ? ranges.back().end : std::min(cut->first, ranges.back().end);
  };
  bool known = false, chosen = false;
  for (Bytes rest : ranges) {
    while (rest.begin < rest.end) {
      while (cut != cuts.end() && cut->first <= rest.begin) ++cut, known = false;
      const Bytes part{rest.begin, std::min(rest.end, end_of_stretch())};
      if (!known) chosen = test(part);
      known = true;
      if (chosen) selected.push_back(part);
      rest.begin = part.end;
    }
  }
  return normalized(std::move(selected));
}

// The bytes that were there before the write.
void WriteHistory::put_back(const Write& write, const Bytes& bytes) {
  std::size_t offset = 0;
  for (const Bytes& b : write.touch.bytes) {
    const Bytes both{std::max(b.begin, bytes.begin), std::min(b.end, bytes.end)};
    if (both.begin < both.end)
      std::memcpy(both.begin, write.before.data() + offset + (both.begin - b.begin), both.size());
    offset += b.size();
  }
}

namespace {

bool holds_all(const std::byte* data, VkDeviceSize size, const Bytes& bytes) {
  return data != nullptr && data <= bytes.begin && bytes.end <= data + size;
}

// True if they lie in a buffer or image that queue families need not pass to one another.
bool are_concurrent(const Device& device, const Bytes& bytes) {
  for (const auto& object : objects_of(device)) {
    if (object->type == Buffer::kType) {
      const auto& buffer = static_cast<const Buffer&>(*object);
      if (buffer.is_concurrent && holds_all(buffer.data(), buffer.size, bytes)) return true;
    } else if (object->type == Image::kType) {
      const auto& image = static_cast<const Image&>(*object);
      if (!image.is_concurrent) continue;
      if (holds_all(image.binding.data(), image.needs.size, bytes)) return true;
      for (std::size_t i = 0; i < image.plane_bindings.size(); ++i)
        if (holds_all(image.plane_bindings[i].data(), image.plane_needs[i].size, bytes)) return true;
    }
  }
  return false;
}

// Families of other instances and devices: their halves of a transfer are not seen here.
bool is_elsewhere(std::uint32_t family) {
  return family == VK_QUEUE_FAMILY_EXTERNAL || family == VK_QUEUE_FAMILY_FOREIGN_EXT;
}

}  // namespace

// "If memory dependencies are correctly expressed between uses of such a resource between two queues in different
// families, but no ownership transfer is defined, the contents of that resource are undefined for any read accesses
// performed by the second queue family."
bool WriteHistory::owns(const Node& reader, const Write& write, const Bytes& bytes) {
  const std::uint32_t family = reader.line->family;
  const auto owned = write.owners.find({family, family});
  return (owned != write.owners.end() && holds(owned->second, bytes)) ||
         are_concurrent(reader.line->queue->device, bytes);
}

void WriteHistory::transfer(const Node& node) {
  for (const Node::Transfer& t : node.transfers) {
    const bool releases = node.line->family == t.from;
    const std::pair first{t.from, t.from}, between{t.from, t.to}, second{t.to, t.to};
    const auto& from = releases || is_elsewhere(t.from) ? first : between;
    const auto& to = releases && !is_elsewhere(t.to) ? between : second;
    for (Write& write : writes_) {
      const auto owned = write.owners.find(from);
      if (owned == write.owners.end()) continue;
      Ranges moved = intersection(owned->second, t.bytes);
      owned->second = difference(owned->second, moved);
      Ranges& gets = write.owners[to];
      moved.insert(moved.end(), gets.begin(), gets.end());
      gets = normalized(std::move(moved));
    }
  }
}

void WriteHistory::make_stale(const Node& node, const Touch& touch) {
  // What a shader may write it may also only write: then nothing is lost without a transfer of ownership.
  const bool may_only_write = (touch.access & single_accesses(VK_ACCESS_2_MEMORY_WRITE_BIT)) != 0;
  Ranges open = touch.bytes;
  for (std::size_t i = writes_.size(); i-- > 0 && !open.empty();) {
    const Write& write = writes_[i];
    if (lie_apart(open, write.touch.bytes)) continue;
    const Ranges common = intersection(open, write.touch.bytes);
    if (common.empty()) continue;
    const Ranges hidden = select(common, [&](const Bytes& bytes) {
      return !graph_.is_visible(*write.node, write.touch, node, touch, bytes) ||
             (!may_only_write && !owns(node, write, bytes));
    });
    open = difference(open, common);
    if (hidden.empty()) continue;
    if (!chance_.is_reverse() && chance_.one_in(2)) continue;  // it happens to be seen
    for (const Bytes& bytes : hidden) {
      patches_.push_back({bytes, copy_of({bytes})});
      put_back(write, bytes);
    }
    // The write before may not be visible either.
    Ranges all = open;
    all.insert(all.end(), hidden.begin(), hidden.end());
    open = normalized(std::move(all));
  }
}

void WriteHistory::before(const Node& node, std::vector<Touch> touches) {
  patches_.clear();
  made_.clear();
  for (Touch& touch : touches) touch.bytes = normalized(std::move(touch.bytes));
  for (const Touch& touch : touches)
    if (touch.writes && !touch.bytes.empty()) made_.push_back({&node, touch, copy_of(touch.bytes)});
  for (const Touch& touch : touches)
    if (!touch.writes && !touch.bytes.empty()) make_stale(node, touch);
}

// Of two writes without an availability operation between them, the first may come last to memory.
void WriteHistory::lose_writes(const Node& node, const Write& made) {
  if (chance_.is_reverse()) return;
  Ranges open = made.touch.bytes;  // only the last write before is there to come last
  for (std::size_t i = writes_.size(); i-- > 0 && !open.empty();) {
    const Write& write = writes_[i];
    if (lie_apart(open, write.touch.bytes)) continue;
    const Ranges common = intersection(open, write.touch.bytes);
    if (common.empty()) continue;
    open = difference(open, common);
    const Ranges unordered = select(common, [&](const Bytes& bytes) {
      return !graph_.is_available(*write.node, write.touch, node, made.touch, bytes);
    });
    if (unordered.empty() || !chance_.one_in(4)) continue;
    for (const Bytes& bytes : unordered) put_back(made, bytes);
  }
}

void WriteHistory::after(const Node& node) {
  Ranges written;
  for (const Write& made : made_) written.insert(written.end(), made.touch.bytes.begin(), made.touch.bytes.end());
  written = normalized(std::move(written));
  // The last one first: several may lie above one another.
  for (auto patch = patches_.rbegin(); patch != patches_.rend(); ++patch)
    for (const Bytes& b : difference({patch->bytes}, written))
      std::memcpy(b.begin, patch->kept.data() + (b.begin - patch->bytes.begin), b.size());
  for (const Write& made : made_) lose_writes(node, made);
  const std::uint32_t family = node.line->family;
  for (Write& made : made_) {
    made.owners[{family, family}] = made.touch.bytes;
    writes_.push_back(std::move(made));
  }
  patches_.clear();
  made_.clear();
}

void WriteHistory::forget(const Node& node) {
  std::erase_if(writes_, [&](const Write& write) { return write.node == &node; });
}

void WriteHistory::forget(std::byte* begin, std::size_t size) {
  const Ranges freed{{begin, begin + size}};
  std::erase_if(writes_, [&](const Write& write) { return !intersection(write.touch.bytes, freed).empty(); });
}

}  // namespace fake::order
