// SPDX-License-Identifier: Apache-2.0
#include "player/placement.h"

#include <algorithm>
#include <bit>
#include <map>
#include <numeric>

namespace rondo::player {

namespace {

constexpr std::uint64_t kForEver = UINT64_MAX;

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
const Need* collision(const std::vector<Need>& needs, std::size_t i, std::size_t end,
                      VkDeviceSize granularity) {
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

// Resources that share bytes, and the stretch of the captured allocation that they had; without
// any, one that nothing is ever bound to.
struct Group {
  std::vector<std::size_t> members;  // of the needs
  VkDeviceSize captured_begin = 0, captured_end = 0;
  VkDeviceSize bytes = 0, alignment = 1;  // here
  std::uint64_t born = 0, died = kForEver;
  std::uint64_t from = 0, to = kForEver;  // while its place is its own
};

enum class Sharing { ever, at_once };

// By index: what shares bytes, at any time or while both live. Needs ascend by offset.
std::vector<std::vector<std::size_t>> sharing(const std::vector<Need>& needs, Sharing when) {
  std::vector<std::size_t> root(needs.size());
  std::iota(root.begin(), root.end(), std::size_t{0});
  const auto find = [&](std::size_t i) {
    while (root[i] != i) i = root[i] = root[root[i]];
    return i;
  };
  const auto end_of = [&](std::size_t i) { return needs[i].captured_offset + needs[i].captured_bytes; };
  std::vector<std::size_t> open;  // those that reach to the one looked at
  for (std::size_t i = 0; i < needs.size(); ++i) {
    std::erase_if(open, [&](std::size_t j) { return end_of(j) <= needs[i].captured_offset; });
    for (const std::size_t j : open)
      if (when == Sharing::ever || live_together(needs[i], needs[j])) root[find(i)] = find(j);
    // Of a set that is one anyway, the one that reaches farthest is enough.
    if (when == Sharing::ever && !open.empty() && end_of(open[0]) >= end_of(i)) continue;
    if (when == Sharing::ever) open.clear();
    open.push_back(i);
  }
  std::vector<std::vector<std::size_t>> sets(needs.size());
  for (std::size_t i = 0; i < needs.size(); ++i) sets[find(i)].push_back(i);
  std::erase_if(sets, [](const auto& set) { return set.empty(); });
  std::sort(sets.begin(), sets.end());
  return sets;
}

// What shares bytes keeps its distances: fails where it cannot.
Result<Group> group_of(const std::vector<Need>& needs, std::vector<std::size_t> members,
                       VkDeviceSize captured_bytes, VkDeviceSize granularity) {
  std::vector<Need> part;
  for (const std::size_t i : members) part.push_back(needs[i]);
  Group group;
  group.members = std::move(members);
  const VkDeviceSize begin = group.captured_begin = part[0].captured_offset;
  VkDeviceSize captured_end = begin + 1;
  group.alignment = std::max<VkDeviceSize>(granularity, 1);
  group.born = kForEver;
  group.died = 0;
  for (std::size_t i = 0; i < part.size(); ++i) {
    const Need& n = part[i];
    const VkDeviceSize alignment = std::max<VkDeviceSize>(n.alignment, 1);
    if ((n.captured_offset - begin) % alignment != 0)
      return fail(Status::device, n.name + " shares memory with " + part[0].name +
                                      " at a distance that its alignment of " + std::to_string(alignment) +
                                      " here does not allow");
    if (const Need* other = collision(part, i, part.size(), 1); other != nullptr)
      return fail(Status::device, n.name + " is larger here and would run into " + other->name +
                                      ", and both share memory with others");
    captured_end = std::max(captured_end, n.captured_offset + n.captured_bytes);
    group.bytes = std::max(group.bytes, n.captured_offset - begin + n.bytes);
    group.alignment = std::max(group.alignment, alignment);
    group.born = std::min(group.born, n.born);
    group.died = std::max(group.died, n.died == 0 ? kForEver : n.died);
  }
  group.captured_end = std::min(captured_end, std::max(captured_bytes, begin + 1));
  group.bytes = std::max(group.bytes, group.captured_end - begin);
  return group;
}

Result<std::vector<Group>> groups_of(const std::vector<Need>& needs, Sharing when,
                                     VkDeviceSize captured_bytes, VkDeviceSize granularity) {
  std::vector<Group> groups;
  VkDeviceSize covered = 0;
  const auto add_gap = [&](VkDeviceSize end) {
    if (end > covered) groups.push_back({{}, covered, end, end - covered});
  };
  for (std::vector<std::size_t>& members : sharing(needs, when)) {
    auto group = group_of(needs, std::move(members), captured_bytes, granularity);
    if (!group) return tl::unexpected<Error>(group.error());
    add_gap(group->captured_begin);
    covered = std::max(covered, group->captured_end);
    groups.push_back(std::move(*group));
  }
  add_gap(captured_bytes);
  return groups;
}

// Groups that had the same bytes one after the other may have the same place here. Bytes belong to
// the next one as soon as the one before is gone: what is written there, before anything is
// bound, is for it. The last one keeps them.
void share_in_time(std::vector<Group>& groups) {
  struct Owner {
    std::uint64_t died = 0;
    Group* group = nullptr;
  };
  std::map<VkDeviceSize, Owner> last{{0, {}}};  // of each stretch that begins there
  const auto cut = [&](VkDeviceSize at) {
    const auto next = last.upper_bound(at);
    return last.try_emplace(next, at, std::prev(next)->second);
  };
  std::vector<Group*> order;
  for (Group& group : groups)
    if (!group.members.empty()) order.push_back(&group);
  std::stable_sort(order.begin(), order.end(),
                   [](const Group* a, const Group* b) { return a->born < b->born; });
  for (Group* group : order) {
    const auto end = cut(group->captured_end);
    const auto begin = cut(group->captured_begin);
    group->from = group->born;
    for (auto it = begin; it != end; ++it) {
      group->from = std::min(group->from, it->second.died);
      if (it->second.group != nullptr) it->second.group->to = it->second.group->died;
    }
    last.erase(std::next(begin), end);
    begin->second = {group->died, group};
  }
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
  // All that ever shared bytes stays together if it can: one resource may find what another left.
  auto groups = groups_of(needs, Sharing::ever, captured_bytes, granularity);
  if (!groups) {
    groups = groups_of(needs, Sharing::at_once, captured_bytes, granularity);
    if (!groups) return tl::unexpected<Error>(groups.error());
    share_in_time(*groups);
    placement.in_time = true;
  }
  placement.bytes = 0;
  for (const Group& group : *groups) {
    VkDeviceSize begin = placement.in_time ? 0 : placement.bytes;
    if (placement.in_time)
      for (std::size_t i = 0; i < placement.regions.size(); ++i) {
        const Region& other = placement.regions[i];
        if (group.from < other.to && other.from < group.to)
          begin = std::max(begin, other.begin + (*groups)[i].bytes);
      }
    begin = align_up(begin, group.alignment);
    Region region{group.captured_begin, group.captured_end, begin, {}, {}, group.born, group.from, group.to};
    if (group.members.size() == 1) {
      const Need& only = needs[group.members[0]];
      if (only.captured_rows.pitch != 0 && only.captured_rows != only.rows) {
        region.captured_rows = only.captured_rows;
        region.rows = only.rows;
      }
    }
    placement.regions.push_back(region);
    for (const std::size_t i : group.members)
      placement.offsets[needs[i].resource] = begin + (needs[i].captured_offset - group.captured_begin);
    placement.bytes = std::max(placement.bytes, begin + group.bytes);
  }
  if (dedicated && needs.size() == 1) placement.bytes = needs[0].bytes;
  return placement;
}

namespace {

// The pieces of a range that lie in one region.
template <class Add>
void pieces_in(const Region& region, VkDeviceSize offset, VkDeviceSize end, const Add& add) {
  VkDeviceSize at = std::max(offset, region.captured_begin);
  const VkDeviceSize stop = std::min(end, region.captured_end);
  if (region.rows.pitch == 0) return add(at - offset, region.begin + (at - region.captured_begin), stop - at);
  const Rows &was = region.captured_rows, &is = region.rows;
  at = std::max(at, region.captured_begin + was.first);
  while (at < stop) {
    const VkDeviceSize inside = at - region.captured_begin - was.first;
    const VkDeviceSize row = inside / was.pitch, column = inside % was.pitch;
    const VkDeviceSize length = std::min(stop - at, was.pitch - column);
    if (column < is.pitch)
      add(at - offset, region.begin + is.first + row * is.pitch + column,
          std::min(length, is.pitch - column));
    at += length;
  }
}

}  // namespace

void pieces_of(const Placement& placement, VkDeviceSize offset, VkDeviceSize bytes, Access access,
               std::uint64_t sequence, std::vector<Piece>& out) {
  // A dedicated allocation may be smaller than it was.
  const auto add = [&](VkDeviceSize from, VkDeviceSize to, VkDeviceSize count) {
    if (to < placement.bytes) out.push_back({from, to, std::min(count, placement.bytes - to)});
  };
  if (!placement.moved) return add(0, offset, bytes);
  const VkDeviceSize end = offset + bytes;
  if (!placement.in_time) {
    auto region = std::upper_bound(placement.regions.begin(), placement.regions.end(), offset,
                                   [](VkDeviceSize at, const Region& r) { return at < r.captured_end; });
    for (; region != placement.regions.end() && region->captured_begin < end; ++region)
      pieces_in(*region, offset, end, add);
    return;
  }
  std::vector<const Region*> there;
  for (const Region& region : placement.regions)
    if (region.captured_begin < end && region.captured_end > offset && sequence < region.to &&
        sequence >= (access == Access::write ? region.from : region.born))
      there.push_back(&region);
  std::stable_sort(there.begin(), there.end(),
                   [](const Region* a, const Region* b) { return a->born < b->born; });
  for (const Region* region : there) pieces_in(*region, offset, end, add);
}

VkDeviceSize covered_by(std::span<const Piece> pieces) {
  std::vector<Piece> ascending(pieces.begin(), pieces.end());
  std::sort(ascending.begin(), ascending.end(),
            [](const Piece& a, const Piece& b) { return a.from < b.from; });
  VkDeviceSize covered = 0, end = 0;
  for (const Piece& piece : ascending) {
    const VkDeviceSize begin = std::max(piece.from, end);
    end = std::max(end, piece.from + piece.bytes);
    covered += end > begin ? end - begin : 0;
  }
  return covered;
}

std::uint32_t choose_memory_type(const VkPhysicalDeviceMemoryProperties& target, std::uint32_t type_bits,
                                 const VkMemoryPropertyFlags* captured, bool host_visible) {
  constexpr VkMemoryPropertyFlags special =
      VK_MEMORY_PROPERTY_LAZILY_ALLOCATED_BIT | VK_MEMORY_PROPERTY_PROTECTED_BIT |
      VK_MEMORY_PROPERTY_DEVICE_COHERENT_BIT_AMD | VK_MEMORY_PROPERTY_DEVICE_UNCACHED_BIT_AMD;
  VkMemoryPropertyFlags wanted =
      captured != nullptr ? *captured : VkFlags{VK_MEMORY_PROPERTY_DEVICE_LOCAL_BIT};
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
