// SPDX-License-Identifier: Apache-2.0
// Lists of accesses. An access is added at the front only. Two lists may share their ends, so a copy of a list costs
// nothing: there is one where a range of bytes is cut in two. One thread.
#pragma once

#include <cstddef>
#include <cstdint>
#include <unordered_map>
#include <vector>

#include "format/check.h"

namespace rondo::graph {

// A node of the graph that touches something, and how: a number for its stages and accesses (Needs::number_of()).
struct Ref {
  static constexpr std::uint32_t kNone = UINT32_MAX;
  std::uint32_t node = kNone;
  std::uint32_t way = 0;
  friend bool operator==(const Ref&, const Ref&) = default;
};

class AccessLists {
 public:
  using List = std::uint32_t;  // the front; 0: empty
  static constexpr List kEmpty = 0;

  // A list with `one` in front of what `list` has. What was held of `list` is handed over.
  List push(List list, Ref one) {
    List made = free_;
    if (made != kEmpty) {
      free_ = cells_[made].next;
    } else {
      RONDO_CHECK(cells_.size() < UINT32_MAX);
      made = static_cast<List>(cells_.size());
      cells_.emplace_back();
    }
    cells_[made] = {one, list, 1};
    return made;
  }
  void hold(List list) {
    if (list != kEmpty) ++cells_[list].held;
  }
  void release(List list) {
    while (list != kEmpty) {
      Cell& cell = cells_[list];
      RONDO_CHECK(cell.held != 0);
      if (--cell.held != 0) return;
      if (const auto joined = joined_.find(list); joined != joined_.end()) joined_.erase(joined);
      const List next = cell.next;
      cell.next = free_;
      free_ = list;
      list = next;
    }
  }
  Ref front(List list) const { return list != kEmpty ? cells_[list].ref : Ref{}; }
  std::size_t cells() const { return cells_.size(); }

  // `visit(ref)` for each access of the list, but no more than `most` and a few. Where there are more, the rest is
  // `join(list)`, once: it gives a Ref that stands for all accesses of that list, and is visited from then on.
  template <class Visit, class Join>
  void each(List list, std::size_t most, const Visit& visit, const Join& join) {
    for (std::size_t seen = 0; list != kEmpty; ++seen) {
      if (const auto joined = joined_.find(list); !joined_.empty() && joined != joined_.end())
        return visit(joined->second);
      if (seen == most && is_longer(list, most)) {
        const Ref all = join(list);
        joined_.emplace(list, all);
        return visit(all);
      }
      visit(cells_[list].ref);
      list = cells_[list].next;
    }
  }
  // `visit(ref)` for each access of the list. Joins are not used.
  template <class Visit>
  void each(List list, const Visit& visit) const {
    for (; list != kEmpty; list = cells_[list].next) visit(cells_[list].ref);
  }

 private:
  struct Cell {
    Ref ref;
    List next = kEmpty;
    std::uint32_t held = 0;
  };
  bool is_longer(List list, std::size_t than) const {
    for (; list != kEmpty && than != 0; --than) list = cells_[list].next;
    return list != kEmpty;
  }

  std::vector<Cell> cells_ = std::vector<Cell>(1);  // the first is none
  List free_ = kEmpty;
  std::unordered_map<List, Ref> joined_;
};

}  // namespace rondo::graph
