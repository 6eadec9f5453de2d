// SPDX-License-Identifier: Apache-2.0
#include "player/run/placement.h"

#include <algorithm>
#include <bit>

namespace rondo::player {

namespace {

VkDeviceSize align_up(VkDeviceSize value, VkDeviceSize alignment) {
  return alignment <= 1 ? value : (value + alignment - 1) / alignment * alignment;
}

bool overlap(VkDeviceSize a, VkDeviceSize a_bytes, VkDeviceSize b, VkDeviceSize b_bytes) {
  return a < b + b_bytes && b < a + a_bytes;
}

bool live_together(const Need& a, const Need& b) {
  return (a.died == 0 || b.born < a.died) && (b.died == 0 || a.born < b.died);
}

bool share_page(VkDeviceSize a, VkDeviceSize a_bytes, VkDeviceSize b, VkDeviceSize granularity) {
  return (a + std::max<VkDeviceSize>(a_bytes, 1) - 1) / granularity >= b / granularity;
}

// Sizes that the program never asked for reach to the next resource.
void guess_sizes(std::vector<Need>& needs, VkDeviceSize captured_bytes) {
  for (std::size_t i = 0; i < needs.size(); ++i) {
    if (needs[i].captured_bytes != 0) continue;
    VkDeviceSize end = captured_bytes;
    for (std::size_t j = i + 1; j < needs.size() && end == captured_bytes; ++j)
      if (needs[j].captured_offset > needs[i].captured_offset) end = needs[j].captured_offset;
    needs[i].captured_bytes = end > needs[i].captured_offset ? end - needs[i].captured_offset : 1;
  }
}

// Two resources that did not share bytes in the capture must not here: `shift`
// is what moves their captured offsets. Needs ascend by offset.
const Need* collision(const std::vector<Need>& needs, std::size_t i, std::size_t end, VkDeviceSize granularity) {
  const Need& a = needs[i];
  const VkDeviceSize reach = std::max(a.bytes, a.captured_bytes) + std::max<VkDeviceSize>(granularity, 1);
  for (std::size_t j = i + 1; j < end; ++j) {
    const Need& b = needs[j];
    if (b.captured_offset - a.captured_offset >= reach) break;  // so do all behind it
    if (!live_together(a, b)) continue;
    if (overlap(a.captured_offset, a.captured_bytes, b.captured_offset, b.captured_bytes)) continue;
    if (overlap(a.captured_offset, a.bytes, b.captured_offset, b.bytes)) return &b;
    if (granularity > 1 && a.linear != b.linear &&
        share_page(a.captured_offset, a.bytes, b.captured_offset, granularity))
      return &b;
  }
  return nullptr;
}

bool fits_as_it_is(const std::vector<Need>& needs, VkDeviceSize captured_bytes, VkDeviceSize granularity) {
  for (std::size_t i = 0; i < needs.size(); ++i) {
    const Need& n = needs[i];
    if (n.captured_offset % std::max<VkDeviceSize>(n.alignment, 1) != 0) return false;
    if (n.bytes > captured_bytes || n.captured_offset > captured_bytes - n.bytes) return false;
    if (n.captured_rows.pitch != 0 && n.captured_rows != n.rows) return false;
    if (collision(needs, i, needs.size(), granularity) != nullptr) return false;
  }
  return true;
}

}  // namespace

Result<Placement> lay_out(VkDeviceSize captured_bytes, bool dedicated, std::vector<Need> needs,
                          VkDeviceSize granularity) {
  std::sort(needs.begin(), needs.end(),
            [](const Need& a, const Need& b) { return a.captured_offset < b.captured_offset; });
  guess_sizes(needs, captured_bytes);
  Placement placement;
  placement.bytes = captured_bytes;
  if (fits_as_it_is(needs, captured_bytes, granularity)) {
    // A dedicated allocation has exactly its resource's size.
    if (dedicated && needs.size() == 1) placement.bytes = needs[0].bytes;
    return placement;
  }
  placement.moved = true;
  VkDeviceSize cursor = 0, covered = 0;
  const auto add_gap = [&](VkDeviceSize end) {
    if (end <= covered) return;
    placement.regions.push_back({covered, end, cursor, {}, {}});
    cursor += end - covered;
    covered = end;
  };
  for (std::size_t first = 0; first < needs.size();) {
    const VkDeviceSize begin = needs[first].captured_offset;
    VkDeviceSize captured_end = begin, bytes = 0, alignment = std::max<VkDeviceSize>(granularity, 1);
    std::size_t end = first;
    while (end < needs.size() && (end == first || needs[end].captured_offset < captured_end)) {
      const Need& n = needs[end];
      captured_end = std::max(captured_end, n.captured_offset + n.captured_bytes);
      bytes = std::max(bytes, n.captured_offset - begin + n.bytes);
      alignment = std::max(alignment, n.alignment);
      ++end;
    }
    captured_end = std::min(std::max(captured_end, begin + 1), std::max(captured_bytes, begin + 1));
    for (std::size_t i = first; i < end; ++i) {
      if ((needs[i].captured_offset - begin) % std::max<VkDeviceSize>(needs[i].alignment, 1) != 0)
        return fail(Status::device, needs[i].name + " shares memory with " + needs[first].name +
                                        " at a distance that its alignment of " + std::to_string(needs[i].alignment) +
                                        " here does not allow");
      if (const Need* other = collision(needs, i, end, 1); other != nullptr)
        return fail(Status::device, needs[i].name + " is larger here and would run into " + other->name +
                                        ", and both share memory with others");
    }
    add_gap(begin);
    cursor = align_up(cursor, alignment);
    Region region{begin, captured_end, cursor, {}, {}};
    if (end - first == 1 && needs[first].captured_rows.pitch != 0 && needs[first].captured_rows != needs[first].rows) {
      region.captured_rows = needs[first].captured_rows;
      region.rows = needs[first].rows;
    }
    placement.regions.push_back(region);
    for (std::size_t i = first; i < end; ++i)
      placement.offsets[needs[i].resource] = cursor + (needs[i].captured_offset - begin);
    cursor += std::max(bytes, captured_end - begin);
    covered = captured_end;
    first = end;
  }
  add_gap(captured_bytes);
  placement.bytes = cursor;
  if (dedicated && needs.size() == 1) placement.bytes = needs[0].bytes;
  return placement;
}

void pieces_of(const Placement& placement, VkDeviceSize offset, VkDeviceSize bytes, std::vector<Piece>& out) {
  // A dedicated allocation may be smaller than it was.
  const auto add = [&](VkDeviceSize from, VkDeviceSize to, VkDeviceSize count) {
    if (to < placement.bytes) out.push_back({from, to, std::min(count, placement.bytes - to)});
  };
  if (!placement.moved) return add(0, offset, bytes);
  const VkDeviceSize end = offset + bytes;
  auto region = std::upper_bound(placement.regions.begin(), placement.regions.end(), offset,
                                 [](VkDeviceSize at, const Region& r) { return at < r.captured_end; });
  for (; region != placement.regions.end() && region->captured_begin < end; ++region) {
    VkDeviceSize at = std::max(offset, region->captured_begin);
    const VkDeviceSize stop = std::min(end, region->captured_end);
    if (region->rows.pitch == 0) {
      add(at - offset, region->begin + (at - region->captured_begin), stop - at);
      continue;
    }
    const Rows &was = region->captured_rows, &is = region->rows;
    at = std::max(at, region->captured_begin + was.first);
    while (at < stop) {
      const VkDeviceSize inside = at - region->captured_begin - was.first;
      const VkDeviceSize row = inside / was.pitch, column = inside % was.pitch;
      const VkDeviceSize length = std::min(stop - at, was.pitch - column);
      if (column < is.pitch)
        add(at - offset, region->begin + is.first + row * is.pitch + column, std::min(length, is.pitch - column));
      at += length;
    }
  }
}

std::uint32_t choose_memory_type(const VkPhysicalDeviceMemoryProperties& target, std::uint32_t type_bits,
                                 const VkMemoryPropertyFlags* captured, bool host_visible) {
  constexpr VkMemoryPropertyFlags special = VK_MEMORY_PROPERTY_LAZILY_ALLOCATED_BIT | VK_MEMORY_PROPERTY_PROTECTED_BIT |
                                            VK_MEMORY_PROPERTY_DEVICE_COHERENT_BIT_AMD |
                                            VK_MEMORY_PROPERTY_DEVICE_UNCACHED_BIT_AMD;
  VkMemoryPropertyFlags wanted = captured != nullptr ? *captured : VkFlags{VK_MEMORY_PROPERTY_DEVICE_LOCAL_BIT};
  const auto is_allowed = [&](std::uint32_t i) { return (type_bits >> i & 1u) != 0; };
  bool has_the_same = false;
  for (std::uint32_t i = 0; i < target.memoryTypeCount; ++i)
    has_the_same |= is_allowed(i) && target.memoryTypes[i].propertyFlags == wanted;
  // What the host does not touch need not be visible because all memory of a software driver is.
  if (!host_visible && !has_the_same)
    wanted &= ~VkFlags{VK_MEMORY_PROPERTY_HOST_VISIBLE_BIT | VK_MEMORY_PROPERTY_HOST_COHERENT_BIT |
                       VK_MEMORY_PROPERTY_HOST_CACHED_BIT};
  std::uint32_t best = UINT32_MAX;
  int best_score = 0;
  for (std::uint32_t i = 0; i < target.memoryTypeCount; ++i) {
    const VkMemoryPropertyFlags flags = target.memoryTypes[i].propertyFlags;
    if (!is_allowed(i)) continue;
    if (host_visible && (flags & VK_MEMORY_PROPERTY_HOST_VISIBLE_BIT) == 0) continue;
    // Kinds of memory that a program must ask for are not given to it unasked.
    if ((flags & special & ~wanted) != 0) continue;
    int score = 1000 - 4 * std::popcount(wanted & ~flags) - std::popcount(flags & ~wanted);
    // A mapping that must be flushed costs more than any other difference.
    if (host_visible && (flags & VK_MEMORY_PROPERTY_HOST_COHERENT_BIT) == 0) score -= 8;
    if (score > best_score) {
      best = i;
      best_score = score;
    }
  }
  return best;
}

}  // namespace rondo::player
