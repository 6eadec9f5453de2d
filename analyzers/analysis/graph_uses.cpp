// SPDX-License-Identifier: Apache-2.0
#include "analyzers/analysis/graph_uses.h"

#include <algorithm>
#include <iterator>

#include "analyzers/text/text.h"

namespace rondo::analyzers {

namespace {

using graph::Piece;
using graph::SpaceInfo;

// "mips 0:1 layers 2:4", in this order, one of both or both.
bool parse_parts(std::string_view in, ResourceWanted& wanted) {
  for (const auto& [word, into] :
       {std::pair(std::string_view("mips "), &wanted.mips), std::pair(std::string_view("layers "), &wanted.layers)}) {
    if (!in.starts_with(word)) continue;
    in.remove_prefix(word.size());
    const std::string_view numbers = in.substr(0, in.find(' '));
    const auto span = parse_span(numbers);
    if (!span) return false;
    *into = *span;
    in.remove_prefix(std::min(in.size(), numbers.size() + 1));
  }
  return in.empty() && (wanted.mips || wanted.layers);
}

bool contains(const std::optional<Span>& wanted, std::uint64_t begin, std::uint64_t end) {
  return !wanted || wanted->overlaps(begin, end);
}

}  // namespace

Result<ResourceWanted> ResourceWanted::parse(const std::string& in) {
  ResourceWanted made;
  made.name = in;
  if (!in.ends_with(']') || in.find('[') == std::string::npos) return made;
  const std::size_t at = in.rfind('[');
  const std::string_view inside = std::string_view(in).substr(at + 1, in.size() - at - 2);
  made.name = in.substr(0, at);
  if (const auto span = parse_span(inside)) {
    made.range = *span;
    return made;
  }
  if (parse_parts(inside, made)) return made;
  return fail(Status::usage,
              text("'{}' is no part of a resource: VkBuffer#7[0:64] has bytes 0 to 63, VkImage#3[mips 0:1 layers 2:4] "
                   "subresources",
                   printable(in)));
}

bool ResourceUses::is_wanted(ObjectId id) const {
  if (id == ObjectId::null) return false;
  if (walk_.objects().name(id) == wanted_.name) return true;
  const std::string* const given = walk_.given_name(id);
  return given != nullptr && *given == wanted_.name;
}

std::vector<Piece> ResourceUse::parts(bool of_writes) const {
  std::vector<Piece> all;
  std::copy_if(pieces.begin(), pieces.end(), std::back_inserter(all),
               [&](const Piece& one) { return of_writes ? one.writes : one.reads; });
  std::sort(all.begin(), all.end(), [](const Piece& a, const Piece& b) { return a.begin < b.begin; });
  std::vector<Piece> parts;
  for (const Piece& one : all)
    if (!parts.empty() && one.begin <= parts.back().end)
      parts.back().end = std::max(parts.back().end, one.end);
    else
      parts.push_back(one);
  return parts;
}

void ResourceUses::find(std::span<const Piece> pieces) {
  for (const Piece& piece : pieces) {
    const SpaceInfo& info = walk_.spaces().info(piece.space);
    if (is_wanted(info.object)) resource_ = info.object;
    if (resource_ == ObjectId::null && info.kind == SpaceInfo::Kind::memory)
      for (const ObjectId id : walk_.placement().on(info.object, piece.begin, piece.end - piece.begin))
        if (is_wanted(id)) resource_ = id;
    if (resource_ != ObjectId::null) return;
  }
}

model::Placement::Bytes ResourceUses::places() const {
  access::Touch whole;
  whole.object = resource_;
  whole.size = UINT64_MAX;
  if (has_grid_)
    whole.part = {grid_.aspects, 0, grid_.mips, 0, grid_.layers};
  else
    whole.part = {VK_IMAGE_ASPECT_COLOR_BIT, 0, 1, 0, 1};
  return walk_.placement().bytes_of(whole);
}

void ResourceUses::add_own(const Piece& piece, std::uint64_t begin, std::uint64_t end, ResourceUse& use) const {
  if (wanted_.range) {
    begin = std::max(begin, wanted_.range->begin);
    end = std::min(end, wanted_.range->end);
    if (begin >= end) return;
  }
  use.pieces.push_back({piece.space, begin, end, piece.reads, piece.writes});
}

void ResourceUses::add(const Piece& piece, ResourceUse& use) {
  const SpaceInfo& info = walk_.spaces().info(piece.space);
  if (info.object == resource_) {
    if (info.kind == SpaceInfo::Kind::image && !has_grid_) {
      has_grid_ = true;
      grid_ = info.grid;
    }
    if (!has_grid_) return add_own(piece, piece.begin, piece.end, use);
    for (const VkImageSubresourceRange& part : grid_.ranges(piece.begin, piece.end))
      if (contains(wanted_.mips, part.baseMipLevel, part.baseMipLevel + part.levelCount) &&
          contains(wanted_.layers, part.baseArrayLayer, part.baseArrayLayer + part.layerCount)) {
        std::vector<graph::SubresourceGrid::Part> numbers;
        grid_.parts(part, numbers);
        for (const auto& one : numbers) add_own(piece, one.begin, one.end, use);
      }
    return;
  }
  if (info.kind != SpaceInfo::Kind::memory) return;
  // Where the resource lies: its first byte there is the sum of what lies before.
  std::uint64_t before = 0;
  for (const model::Placement::Range& range : places().ranges) {
    const std::uint64_t begin = std::max(range.offset, piece.begin);
    const std::uint64_t end = std::min(range.offset + range.size, piece.end);
    if (range.memory == info.object && begin < end) {
      if (has_grid_)
        use.possible = true;
      else
        add_own(piece, before + begin - range.offset, before + end - range.offset, use);
    }
    before += range.size;
  }
}

bool ResourceUses::item(const graph::Item& item, std::span<const graph::ItemNeed>, std::span<const Piece> pieces) {
  if (resource_ == ObjectId::null) find(pieces);
  if (resource_ == ObjectId::null) return true;
  ResourceUse use;
  for (const Piece& piece : pieces) add(piece, use);
  if (use.pieces.empty() && !use.possible) return true;
  for (const Piece& piece : use.pieces) {
    use.reads = use.reads || piece.reads;
    use.writes = use.writes || piece.writes;
    if (!piece.reads) continue;
    std::uint64_t at = piece.begin;
    version_of_.each(piece.begin, piece.end, [&](std::uint64_t begin, std::uint64_t end, std::uint32_t version) {
      if (begin > at) use.versions.push_back(0);
      use.versions.push_back(version);
      at = end;
    });
    if (at < piece.end) use.versions.push_back(0);
  }
  std::sort(use.versions.begin(), use.versions.end());
  use.versions.erase(std::unique(use.versions.begin(), use.versions.end()), use.versions.end());
  if (use.writes) use.version = ++version_;
  const auto nothing = [](std::uint32_t) {};
  for (const Piece& piece : use.pieces)
    if (piece.writes)
      version_of_.change(
          piece.begin, piece.end, [&](std::uint32_t& version) { version = version_; }, nothing, nothing);
  return visit_(*this, item, use);
}

std::string ResourceUses::piece_text(const Piece& piece) const {
  if (!has_grid_) return text("{}:{}", piece.begin, piece.end);
  std::string out;
  for (const VkImageSubresourceRange& part : grid_.ranges(piece.begin, piece.end))
    append(out, "{}{}", out.empty() ? "" : ", ", part_text(part));
  return out;
}

void ResourceUses::write_piece(JsonWriter& json, const Piece& piece) const {
  GraphPlace place;
  place.object = resource_;
  place.is_image = has_grid_;
  if (has_grid_)
    place.parts = grid_.ranges(piece.begin, piece.end);
  else
    place.begin = piece.begin, place.end = piece.end;
  write_place(json, walk_, place);
}

}  // namespace rondo::analyzers
