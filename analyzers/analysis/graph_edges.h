// SPDX-License-Identifier: Apache-2.0
// The needs of a whole capture at once, for those who walk along them: 8 bytes an edge.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "analyzers/analysis/graph_rows.h"
#include "analyzers/analysis/graph_walk.h"
#include "format/result.h"

namespace rondo::analyzers {

// An item as people name it: "1234@3", or "1234" for its first execution. The record may be any of a render pass.
struct ItemWanted {
  std::uint64_t record = 0;
  std::optional<std::uint64_t> submit;
  // Status::usage, with `option` as the name of what was given.
  static Result<ItemWanted> parse(const char* option, std::string_view text);
  bool is(const graph::Item& item) const;
  std::string text() const;
};

class GraphEdges final : public GraphVisitor {
 public:
  // Finds the items that are wanted while it is told of all.
  explicit GraphEdges(std::span<const ItemWanted> wanted) : wanted_(wanted.begin(), wanted.end()) {
    found_.resize(wanted_.size());
    executions_.resize(wanted_.size());
  }

  bool item(const graph::Item& item, std::span<const graph::ItemNeed> needs, std::span<const graph::Piece>) override;
  void join(std::uint32_t join, std::span<const std::uint32_t> items) override;

  // The i-th item that was wanted; fails (usage) where the capture `file` has none.
  Result<std::uint32_t> found(std::size_t i, const std::string& file) const;
  // How often the capture executes it.
  std::uint64_t executions(std::size_t i) const { return executions_[i]; }
  // The shortest way from an item to an earlier one along what each needs: both ends and what is between. Empty: there
  // is none.
  std::vector<std::uint32_t> path(std::uint32_t from, std::uint32_t to) const;
  // Marks items at most that many needs away, on either side.
  std::vector<bool> around(std::uint32_t item, std::uint64_t hops) const;

 private:
  // What an item or join needs: indexes into targets_.
  std::span<const std::uint32_t> targets(std::uint32_t from) const;

  std::vector<ItemWanted> wanted_;
  std::vector<std::optional<std::uint32_t>> found_;
  std::vector<std::uint64_t> executions_;
  std::uint32_t items_ = 0;
  std::vector<std::uint64_t> first_{0};  // by item: where its targets begin; those of the last one end at the end
  std::vector<std::uint32_t> targets_;   // items, and joins
  std::unordered_map<std::uint32_t, std::vector<std::uint32_t>> joins_;
};

}  // namespace rondo::analyzers
