// SPDX-License-Identifier: Apache-2.0
// Versions of what items write, as tensors: each is written once, and has a name of its own. `VkBuffer#7@v3` is what
// the third item wrote that wrote to the buffer; `VkBuffer#7@v0` is what was there before all. One thread.
#pragma once

#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <vector>

#include "analyzers/analysis/graph/segments.h"
#include "analyzers/analysis/graph_walk.h"

namespace rondo::analyzers {

struct Tensor {
  // A buffer or an image; of bytes on which several resources lie, or none, the memory. Null: all that is reachable.
  ObjectId object = ObjectId::null;
  bool is_image = false;
  std::uint32_t version = 0;
  std::uint64_t bytes = 0;  // that were written; of version 0 those that the first reader reads
  std::string name(const GraphWalk& walk) const;
};

class Tensors {
 public:
  // What an item reads and writes. Indexes into all(); each once, ascending.
  struct Use {
    std::vector<std::uint32_t> reads, writes;
    std::uint64_t bytes = 0;  // that it touches, at most
  };
  // Items in the order in which they are told. Valid until the next call.
  const Use& take(const GraphWalk& walk, std::span<const graph::Piece> pieces);
  const Tensor& operator[](std::uint32_t index) const { return all_[index]; }

 private:
  static constexpr std::uint32_t kNone = UINT32_MAX;
  struct Version {
    std::uint32_t tensor = kNone;
    friend bool operator==(const Version&, const Version&) = default;
  };
  std::uint32_t unwritten(ObjectId object, bool is_image, std::uint64_t bytes);
  void read(const GraphWalk& walk, const graph::Piece& piece);
  void write(const GraphWalk& walk, const graph::Piece& piece);
  ObjectId object_of(const GraphWalk& walk, std::uint32_t space, std::uint64_t begin, std::uint64_t end) const;

  std::vector<Tensor> all_;
  std::map<std::uint32_t, graph::Segments<Version>> spaces_;
  std::map<ObjectId, std::uint32_t> versions_;         // the last one of each object
  std::map<ObjectId, std::uint32_t> unwritten_;        // index into all_
  std::map<ObjectId, std::uint32_t> written_by_item_;  // likewise: what the item makes
  Use use_;
};

}  // namespace rondo::analyzers
