// SPDX-License-Identifier: Apache-2.0
#include "analyzers/analysis/graph/spaces.h"

#include <algorithm>
#include <bit>

#include "model/gpu/texels.h"
#include "model/views.h"

namespace rondo::graph {

namespace {

constexpr VkImageAspectFlags kPlanes =
    VK_IMAGE_ASPECT_PLANE_0_BIT | VK_IMAGE_ASPECT_PLANE_1_BIT | VK_IMAGE_ASPECT_PLANE_2_BIT;

std::uint64_t end_of(std::uint64_t begin, std::uint64_t size) {
  return size <= UINT64_MAX - begin ? begin + size : UINT64_MAX;
}

void add_part(std::vector<SubresourceGrid::Part>& out, std::size_t first, std::uint64_t begin, std::uint64_t end) {
  if (out.size() > first && out.back().end == begin)
    out.back().end = end;
  else
    out.push_back({begin, end});
}

}  // namespace

// --- SubresourceGrid ---

SubresourceGrid SubresourceGrid::of(const model::Image& image) {
  SubresourceGrid grid;
  grid.aspects = gpu::aspects_of(image.format);
  if ((grid.aspects & kPlanes) != 0) grid.aspects &= kPlanes;
  if (grid.aspects == 0) grid.aspects = VK_IMAGE_ASPECT_COLOR_BIT;  // an external format
  grid.mips = std::max(image.mips, 1u);
  grid.layers = std::max(image.layers, 1u);
  return grid;
}

std::uint64_t SubresourceGrid::size() const {
  return std::uint64_t{mips} * layers * static_cast<unsigned>(std::popcount(aspects));
}

void SubresourceGrid::parts(const VkImageSubresourceRange& range, std::vector<Part>& out) const {
  const std::size_t first = out.size();
  VkImageAspectFlags wanted = range.aspectMask & aspects;
  if ((aspects & kPlanes) != 0 && (range.aspectMask & VK_IMAGE_ASPECT_COLOR_BIT) != 0) wanted = aspects;
  // Aspects that no format has, as those of memory planes: all.
  if (wanted == 0) wanted = aspects;
  const std::uint64_t first_mip = std::min(range.baseMipLevel, mips);
  const std::uint64_t last_mip = std::min<std::uint64_t>(end_of(range.baseMipLevel, range.levelCount), mips);
  const std::uint64_t first_layer = std::min(range.baseArrayLayer, layers);
  const std::uint64_t last_layer = std::min<std::uint64_t>(end_of(range.baseArrayLayer, range.layerCount), layers);
  if (first_layer >= last_layer) return;
  std::uint64_t plane = 0;
  for (VkImageAspectFlags rest = aspects; rest != 0; rest &= rest - 1, ++plane) {
    if ((wanted & rest & ~(rest - 1)) == 0) continue;
    for (std::uint64_t mip = first_mip; mip < last_mip; ++mip) {
      const std::uint64_t row = (plane * mips + mip) * layers;
      add_part(out, first, row + first_layer, row + last_layer);
    }
  }
}

std::vector<VkImageSubresourceRange> SubresourceGrid::ranges(std::uint64_t begin, std::uint64_t end) const {
  std::vector<VkImageSubresourceRange> all;
  for (std::uint64_t at = begin; at < std::min(end, size());) {
    const std::uint64_t row = at / layers, layer = at % layers;
    VkImageAspectFlags aspect = aspects;
    for (std::uint64_t plane = row / mips; plane != 0; --plane) aspect &= aspect - 1;
    aspect &= ~(aspect - 1);
    const auto mip = static_cast<std::uint32_t>(row % mips);
    const std::uint64_t stop = std::min(end, (row + 1) * layers);
    VkImageSubresourceRange one{aspect, mip, 1, static_cast<std::uint32_t>(layer),
                                static_cast<std::uint32_t>(stop - at)};
    // It goes on the range before: the next mip of the same layers.
    if (!all.empty() && all.back().aspectMask == aspect && all.back().baseMipLevel + all.back().levelCount == mip &&
        all.back().baseArrayLayer == one.baseArrayLayer && all.back().layerCount == one.layerCount)
      all.back().levelCount += 1;
    else
      all.push_back(one);
    at = stop;
  }
  return all;
}

// --- Spaces ---

std::size_t Spaces::HashRange::operator()(const model::Placement::Range& range) const {
  std::size_t hash = index_of(range.memory);
  for (const std::uint64_t value : {range.offset, range.size})
    hash = (hash ^ value) * 0x9e3779b97f4a7c15 + (hash >> 31);
  return hash;
}

std::uint32_t Spaces::space(SpaceInfo::Kind kind, ObjectId object) {
  const auto [found, fresh] = at_.try_emplace(object, static_cast<std::uint32_t>(infos_.size()));
  if (fresh) infos_.push_back({kind, object, {}});
  return found->second;
}

void Spaces::refresh() {
  if (changes_ == placement_.changes() && reached_ == model_.reached()) return;
  under_.clear();
  changes_ = placement_.changes();
  reached_ = model_.reached();
}

const Spaces::Under& Spaces::under(const model::Placement::Range& range) {
  const auto [found, fresh] = under_.try_emplace(range);
  if (fresh)
    for (const ObjectId object : placement_.on(range.memory, range.offset, range.size)) {
      if (model_.image(object) != nullptr && has_own_space(object)) found->second.images.push_back(object);
      found->second.is_reachable = found->second.is_reachable || model_.is_reachable(object);
      found->second.objects += 1;
    }
  return found->second;
}

// All of a buffer or image.
access::Touch Spaces::whole(ObjectId id) const {
  access::Touch all;
  all.object = id;
  all.size = UINT64_MAX;
  if (const model::Image* const image = model_.image(id); image != nullptr)
    all.part = {gpu::aspects_of(image->format), 0, image->mips, 0, image->layers};
  return all;
}

bool Spaces::has_own_space(ObjectId id) {
  if (images_.count(id) != 0) return true;
  if (in_bytes_.count(id) != 0) return false;
  const model::Image* const image = model_.image(id);
  const model::Placement::Bytes bytes = placement_.bytes_of(whole(id));
  if (!bytes.whole && !bytes.ranges.empty()) {
    in_bytes_.insert(id);
    return false;
  }
  const std::uint32_t number = space(SpaceInfo::Kind::image, id);
  infos_[number].grid =
      image != nullptr ? SubresourceGrid::of(*image) : SubresourceGrid{VK_IMAGE_ASPECT_COLOR_BIT, 1, 1};
  images_[id] = {number, false};
  return true;
}

ObjectId Spaces::only_on(std::uint32_t space, std::uint64_t begin, std::uint64_t end) const {
  const SpaceInfo& info = infos_[space];
  if (info.kind == SpaceInfo::Kind::image || info.kind == SpaceInfo::Kind::buffer) return info.object;
  if (info.kind != SpaceInfo::Kind::memory) return ObjectId::null;
  const std::vector<ObjectId> all = placement_.on(info.object, begin, end - begin);
  return all.size() == 1 ? all.front() : ObjectId::null;
}

void Spaces::touch(const access::Touch& touch, HandleType type) {
  refresh();
  const Toucher by{needs_.number_of({touch.stages, touch.access, false, false, 0, touch.is_loaded_later, touch.box}),
                   touch.reads(), touch.writes()};
  switch (type) {
    case HandleType::VkImage:
      return touch_image(touch.object, touch.part, by);
    case HandleType::VkBuffer:
    case HandleType::VkDeviceMemory: {
      if (!touch.is_open || touch.size <= 1) return touch_bytes(touch.object, touch.offset, touch.size, by);
      Toucher rest = by;
      rest.way = needs_.number_of({touch.stages, touch.access, false, true, 0});
      touch_bytes(touch.object, touch.offset, 1, by);
      return touch_bytes(touch.object, touch.offset + 1, touch.size - 1, rest);
    }
    case HandleType::VkQueryPool:
      return needs_.touch(space(SpaceInfo::Kind::queries, touch.object), touch.offset, end_of(touch.offset, touch.size),
                          by.way, by.reads, by.writes);
    default:
      return;  // an acceleration structure lies in a buffer that is touched with it
  }
}

void Spaces::transition(const model::Transition& transition, std::uint32_t part) {
  refresh();
  const Toucher by{needs_.number_of({0, 0, true, false, part}), true, true};
  if (transition.is_image)
    return touch_image(transition.resource, model::part_of(model_.image(transition.resource), transition.range), by);
  touch_bytes(transition.resource, transition.offset, transition.size, by);
}

void Spaces::mark(const model::Barrier& barrier, const std::function<std::uint32_t(std::uint32_t)>& next) {
  refresh();
  access::Touch touch;
  touch.object = barrier.resource;
  if (barrier.kind == model::Barrier::Kind::image) {
    touch.part = model::part_of(model_.image(barrier.resource), barrier.range);
    if (has_own_space(barrier.resource)) {
      const std::uint32_t number = images_.at(barrier.resource).space;
      parts_.clear();
      infos_[number].grid.parts(touch.part, parts_);
      for (const SubresourceGrid::Part& one : parts_) needs_.mark(number, one.begin, one.end, next);
      return;
    }
  } else {
    touch.offset = barrier.offset;
    touch.size = barrier.size;
  }
  placement_.bytes_of(touch, bytes_);
  for (const model::Placement::Range& range : bytes_.ranges)
    needs_.mark(space(SpaceInfo::Kind::memory, range.memory), range.offset, end_of(range.offset, range.size), next);
  if (bytes_.ranges.empty() && barrier.kind == model::Barrier::Kind::buffer)
    needs_.mark(space(SpaceInfo::Kind::buffer, barrier.resource), barrier.offset, end_of(barrier.offset, barrier.size),
                next);
}

void Spaces::touch_bytes(ObjectId object, std::uint64_t offset, std::uint64_t size, const Toucher& by) {
  access::Touch touch;
  touch.object = object;
  touch.offset = offset;
  touch.size = size;
  placement_.bytes_of(touch, bytes_);
  if (bytes_.ranges.empty()) {
    needs_.touch(space(SpaceInfo::Kind::buffer, object), offset, end_of(offset, size), by.way, by.reads, by.writes);
    if (has_reached_ && model_.is_reachable(object)) meet_reachable(by);
    return;
  }
  touch_ranges(bytes_, ObjectId::null, by);
}

void Spaces::touch_image(ObjectId object, const VkImageSubresourceRange& part, const Toucher& by) {
  access::Touch touch;
  touch.object = object;
  touch.part = part;
  placement_.bytes_of(touch, bytes_);
  if (!has_own_space(object)) return touch_ranges(bytes_, ObjectId::null, by);
  const Image& image = images_.at(object);
  parts_.clear();
  infos_[image.space].grid.parts(part, parts_);
  for (const SubresourceGrid::Part& one : parts_)
    needs_.touch(image.space, one.begin, one.end, by.way, by.reads, by.writes);
  touch_ranges(bytes_, object, by);
  if (has_reached_ && bytes_.ranges.empty() && model_.is_reachable(object)) meet_reachable(by);
}

// Bytes of memories; `image`: they are the image's, which has a space of its own, and are not touched themselves.
void Spaces::touch_ranges(const model::Placement::Bytes& bytes, ObjectId image, const Toucher& by) {
  bool reachable = false, shared = false;
  for (const model::Placement::Range& range : bytes.ranges) {
    if (image == ObjectId::null)
      needs_.touch(space(SpaceInfo::Kind::memory, range.memory), range.offset, end_of(range.offset, range.size), by.way,
                   by.reads, by.writes);
    const Under& found = under(range);
    reachable = reachable || found.is_reachable;
    shared = shared || found.objects > 1;
    for (const ObjectId other : found.images)
      if (other != image) meet(other, Needs::Side::other, by);
  }
  // What lies there is no other resource where the host has written it.
  if (image != ObjectId::null && (shared || images_.at(image).is_met)) meet(image, Needs::Side::one, by);
  if (has_reached_ && reachable) meet_reachable(by);
}

// The cell of an image has its own touches on side `one`, and those of whatever else lies there on the other one.
void Spaces::meet(ObjectId id, Needs::Side side, const Toucher& by) {
  Image& image = images_.at(id);
  if (!image.is_met) {
    image.is_met = true;
    needs_.seed(image.space, Needs::Side::one, image.space, 0, UINT64_MAX);
    const model::Placement::Bytes all = placement_.bytes_of(whole(id));
    for (const model::Placement::Range& range : all.ranges) {
      if (const auto memory = at_.find(range.memory); memory != at_.end())
        needs_.seed(image.space, Needs::Side::other, memory->second, range.offset, end_of(range.offset, range.size));
      for (const ObjectId other : under(range).images)
        if (other != id) needs_.seed(image.space, Needs::Side::other, images_.at(other).space, 0, UINT64_MAX);
    }
  }
  needs_.meet(image.space, side, image.space, by.way, by.reads, by.writes);
}

// --- What is reachable ---

void Spaces::meet_reachable(const Toucher& by) {
  const std::uint32_t number = space(SpaceInfo::Kind::reachable, ObjectId::null);
  needs_.meet(number, Needs::Side::one, number, by.way, by.reads, by.writes);
}

void Spaces::reach(const access::Reach& reach) {
  if (reach.unknown == 0 || (!reach.reads && !reach.writes)) return;
  refresh();
  find_reached();
  const std::uint32_t number = space(SpaceInfo::Kind::reachable, ObjectId::null);
  VkAccessFlags2 access = 0;
  if (reach.reads) access |= VK_ACCESS_2_SHADER_READ_BIT;
  if (reach.writes) access |= VK_ACCESS_2_SHADER_WRITE_BIT;
  const std::uint32_t way = needs_.number_of({reach.stages, access, false, false, 0});
  needs_.touch(number, 0, 1, way, reach.reads, reach.writes, true);
  needs_.meet(number, Needs::Side::other, number, way, reach.reads, reach.writes, true);
}

// What was touched before it could be reached, or before anything reached it.
void Spaces::find_reached() {
  if (has_reached_ && seen_reached_ == model_.reached()) return;
  has_reached_ = true;
  seen_reached_ = model_.reached();
  const std::uint32_t cell = space(SpaceInfo::Kind::reachable, ObjectId::null);
  for (const ObjectId object : model_.reachable()) {
    if (!reached_objects_.insert(object).second) continue;
    if (const auto own = at_.find(object); own != at_.end())
      needs_.seed(cell, Needs::Side::one, own->second, 0, UINT64_MAX);
    const model::Placement::Bytes all = placement_.bytes_of(whole(object));
    for (const model::Placement::Range& range : all.ranges)
      if (const auto memory = at_.find(range.memory); memory != at_.end())
        needs_.seed(cell, Needs::Side::one, memory->second, range.offset, end_of(range.offset, range.size));
  }
}

void Spaces::ended(ObjectId id) {
  images_.erase(id);
  in_bytes_.erase(id);
  reached_objects_.erase(id);
  const auto found = at_.find(id);
  if (found == at_.end()) return;
  needs_.forget(found->second);
  needs_.forget_cell(found->second);
  at_.erase(found);
}

}  // namespace rondo::graph
