// SPDX-License-Identifier: Apache-2.0
// All that touches one resource, or a part of it: which items write it, which read it, and in which version. No device.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "analyzers/analysis/graph/segments.h"
#include "analyzers/analysis/graph_places.h"
#include "analyzers/analysis/graph_walk.h"
#include "analyzers/options/cli.h"
#include "analyzers/text/json.h"

namespace rondo::analyzers {

// "VkBuffer#7", "VkBuffer#7[0:64]", "VkImage#3[mips 0:1 layers 2:4]"; also by the name that the program gave.
struct ResourceWanted {
  std::string name;
  std::optional<Span> range;         // bytes, or queries
  std::optional<Span> mips, layers;  // of an image
  // Status::usage.
  static Result<ResourceWanted> parse(const std::string& text);
};

// How an item touches the resource.
struct ResourceUse {
  bool reads = false, writes = false;
  bool possible = false;  // what it touches shares the memory of the image, and only the driver knows whether they meet
  std::vector<graph::Piece> pieces;     // numbers of the resource's own: bytes, queries, or subresources
  std::vector<std::uint32_t> versions;  // that it reads, ascending; 0: as it was before all writes
  std::uint32_t version = 0;            // that it makes: the writes are counted from 1

  // What it reads, or writes, each part once: pieces that meet are one.
  std::vector<graph::Piece> parts(bool writes) const;
};

class ResourceUses final : public GraphVisitor {
 public:
  using Visit = std::function<bool(const ResourceUses& uses, const graph::Item& item, const ResourceUse& use)>;
  ResourceUses(const GraphWalk& walk, ResourceWanted wanted, Visit visit)
      : walk_(walk), wanted_(std::move(wanted)), visit_(std::move(visit)) {}

  bool item(const graph::Item& item, std::span<const graph::ItemNeed>, std::span<const graph::Piece> pieces) override;

  // Null: nothing that is touched has that name.
  ObjectId resource() const { return resource_; }
  // Words for a piece of a use.
  std::string piece_text(const graph::Piece& piece) const;
  void write_piece(JsonWriter& json, const graph::Piece& piece) const;
  std::uint32_t versions() const { return version_; }

 private:
  bool is_wanted(ObjectId id) const;
  void find(std::span<const graph::Piece> pieces);
  // What of a piece is the resource's, in its own numbers.
  void add(const graph::Piece& piece, ResourceUse& use);
  void add_own(const graph::Piece& piece, std::uint64_t begin, std::uint64_t end, ResourceUse& use) const;
  model::Placement::Bytes places() const;

  const GraphWalk& walk_;
  const ResourceWanted wanted_;
  const Visit visit_;
  ObjectId resource_ = ObjectId::null;
  bool has_grid_ = false;        // it is an image with a space of its own, …
  graph::SubresourceGrid grid_;  // … which this is
  graph::Segments<std::uint32_t> version_of_;
  std::uint32_t version_ = 0;
};

}  // namespace rondo::analyzers
