// SPDX-License-Identifier: Apache-2.0
#include "analyzers/export/tensors.h"

#include <algorithm>

#include "analyzers/export/each_once.h"
#include "analyzers/text/text.h"

namespace rondo::analyzers {

namespace {

using graph::Piece;
using graph::SpaceInfo;

std::uint64_t sum(std::uint64_t a, std::uint64_t b) {
  std::uint64_t all = 0;
  return __builtin_add_overflow(a, b, &all) ? UINT64_MAX : all;
}

}  // namespace

std::string Tensor::name(const GraphWalk& walk) const {
  return text("{}@v{}", object != ObjectId::null ? walk.objects().name(object) : "reachable", version);
}

ObjectId Tensors::object_of(const GraphWalk& walk, std::uint32_t space, std::uint64_t begin, std::uint64_t end) const {
  const ObjectId only = walk.spaces().only_on(space, begin, end);
  return only != ObjectId::null ? only : walk.spaces().info(space).object;
}

std::uint32_t Tensors::unwritten(ObjectId object, bool is_image, std::uint64_t bytes) {
  const auto [found, fresh] = unwritten_.try_emplace(object, static_cast<std::uint32_t>(all_.size()));
  if (fresh) all_.push_back({object, is_image, 0, bytes});
  return found->second;
}

void Tensors::read(const GraphWalk& walk, const Piece& piece) {
  const bool is_image = walk.spaces().info(piece.space).kind == SpaceInfo::Kind::image;
  const auto take_unwritten = [&](std::uint64_t begin, std::uint64_t end) {
    use_.reads.push_back(
        unwritten(object_of(walk, piece.space, begin, end), is_image, walk.bytes_of(piece.space, begin, end)));
  };
  std::uint64_t at = piece.begin;
  spaces_[piece.space].each(piece.begin, piece.end,
                            [&](std::uint64_t begin, std::uint64_t end, const Version& version) {
                              if (begin > at) take_unwritten(at, begin);
                              use_.reads.push_back(version.tensor);
                              at = end;
                            });
  if (at < piece.end) take_unwritten(at, piece.end);
}

void Tensors::write(const GraphWalk& walk, const Piece& piece) {
  const ObjectId object = object_of(walk, piece.space, piece.begin, piece.end);
  const auto [found, fresh] = written_by_item_.try_emplace(object, static_cast<std::uint32_t>(all_.size()));
  if (fresh) {
    all_.push_back({object, walk.spaces().info(piece.space).kind == SpaceInfo::Kind::image, ++versions_[object], 0});
    use_.writes.push_back(found->second);
  }
  Tensor& made = all_[found->second];
  made.bytes = sum(made.bytes, walk.bytes_of(piece.space, piece.begin, piece.end));
  const auto nothing = [](const Version&) {};
  spaces_[piece.space].change(
      piece.begin, piece.end, [&](Version& version) { version.tensor = found->second; }, nothing, nothing);
}

const Tensors::Use& Tensors::take(const GraphWalk& walk, std::span<const Piece> pieces) {
  use_.reads.clear();
  use_.writes.clear();
  use_.bytes = 0;
  written_by_item_.clear();
  for (const Piece& piece : pieces) {
    use_.bytes = sum(use_.bytes, walk.bytes_of(piece.space, piece.begin, piece.end));
    if (piece.reads) read(walk, piece);
  }
  for (const Piece& piece : pieces)
    if (piece.writes) write(walk, piece);
  sort_each_once(use_.reads);
  return use_;
}

}  // namespace rondo::analyzers
