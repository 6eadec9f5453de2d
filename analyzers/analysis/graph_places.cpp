// SPDX-License-Identifier: Apache-2.0
#include "analyzers/analysis/graph_places.h"

#include "analyzers/text/access_rows.h"
#include "analyzers/text/text.h"

namespace rondo::analyzers {

namespace {

using graph::SpaceInfo;
using Kind = graph::SpaceInfo::Kind;

bool is_structure(const GraphWalk& walk, ObjectId id) {
  return walk.objects().objects()[id].type == HandleType::VkAccelerationStructureKHR;
}

}  // namespace

std::string part_text(const VkImageSubresourceRange& part) {
  std::string aspects;
  for (const std::string& name : aspect_names(part.aspectMask))
    append(aspects, "{}{}", aspects.empty() ? "" : "|", name);
  return text("{} mips {}:{} layers {}:{}", aspects, part.baseMipLevel,
              std::uint64_t{part.baseMipLevel} + part.levelCount, part.baseArrayLayer,
              std::uint64_t{part.baseArrayLayer} + part.layerCount);
}

GraphPlace place_of(const GraphWalk& walk, std::uint32_t space, std::uint64_t begin, std::uint64_t end) {
  const SpaceInfo& info = walk.spaces().info(space);
  GraphPlace place;
  place.object = info.object;
  place.begin = begin;
  place.end = end;
  if (info.kind == Kind::image) {
    place.is_image = true;
    if (begin != end) place.parts = info.grid.ranges(begin, end);
    place.begin = place.end = 0;
  } else if (info.kind == Kind::reachable) {
    place.begin = place.end = 0;
  } else if (info.kind == Kind::memory) {
    for (const ObjectId id : walk.placement().on(info.object, begin, end - begin))
      if (!is_structure(walk, id)) place.on.push_back(id);
    if (place.on.size() != 1 || walk.placement().kind_of(place.on.front()) != model::Placement::Kind::memory)
      return place;
    const auto where = walk.placement().of(place.on.front());
    if (!where || where->memory != info.object || begin < where->offset || end - where->offset > where->size)
      return place;
    place.object = place.on.front();
    place.begin = begin - where->offset;
    place.end = end - where->offset;
    place.on.clear();
  }
  return place;
}

GraphPlace place_of(const GraphWalk& walk, const graph::ItemNeed& need) {
  if (need.object == ObjectId::null) return place_of(walk, need.space, need.begin, need.end);
  GraphPlace place;
  place.object = need.object;
  return place;
}

std::string place_text(const GraphWalk& walk, const GraphPlace& place) {
  if (place.object == ObjectId::null) return "anything reachable";
  std::string out = printable(walk.name(place.object));
  if (place.is_image) {
    const char* between = " ";
    for (const VkImageSubresourceRange& part : place.parts) {
      append(out, "{}{}", between, part_text(part));
      between = ", ";
    }
    if (place.parts.empty()) out += ", or what shares its memory";
    return out;
  }
  const char* const unit = walk.objects().objects()[place.object].type == HandleType::VkQueryPool ? "queries " : "";
  if (place.begin != place.end) append(out, " {}{}:{}", unit, place.begin, place.end);
  for (const ObjectId& id : place.on)
    append(out, "{}{}", &id == &place.on.front() ? " (" : ", ", printable(walk.name(id)));
  if (!place.on.empty()) out += ')';
  return out;
}

void write_place(JsonWriter& json, const GraphWalk& walk, const GraphPlace& place) {
  json.key("object");
  if (place.object == ObjectId::null)
    json.null();
  else
    json.string(walk.objects().name(place.object));
  if (place.is_image) {
    json.key("parts");
    json.begin_array();
    for (const VkImageSubresourceRange& part : place.parts) {
      json.begin_object();
      json.key("aspects");
      json.begin_array();
      for (const std::string& name : aspect_names(part.aspectMask)) json.string(name);
      json.end_array();
      json.field("mip", part.baseMipLevel);
      json.field("mips", part.levelCount);
      json.field("layer", part.baseArrayLayer);
      json.field("layers", part.layerCount);
      json.end_object();
    }
    json.end_array();
    return;
  }
  if (place.begin != place.end) {
    json.field("begin", place.begin);
    json.field("end", place.end);
  }
  if (place.on.empty()) return;
  json.key("on");
  json.begin_array();
  for (const ObjectId id : place.on) json.string(walk.objects().name(id));
  json.end_array();
}

std::string slice_text(const GraphWalk& walk, std::uint32_t space, std::uint64_t begin, std::uint64_t end) {
  const SpaceInfo& info = walk.spaces().info(space);
  if (info.kind == Kind::memory) return text("{} {}:{}", walk.objects().name(info.object), begin, end);
  return place_text(walk, place_of(walk, space, begin, end));
}

}  // namespace rondo::analyzers
