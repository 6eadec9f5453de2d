// SPDX-License-Identifier: Apache-2.0
#include "analyzers/analysis/graph_edges.h"

#include <algorithm>
#include <charconv>
#include <unordered_map>
#include <unordered_set>

#include "analyzers/text/text.h"
#include "format/check.h"

namespace rondo::analyzers {

namespace {

bool read_number(std::string_view text, std::uint64_t& out) {
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), out);
  return error == std::errc() && end == text.data() + text.size();
}

}  // namespace

Result<ItemWanted> ItemWanted::parse(const char* option, std::string_view text_given) {
  ItemWanted made;
  const std::size_t at = text_given.find('@');
  std::uint64_t submit = 0;
  const bool good = read_number(text_given.substr(0, at), made.record) &&
                    (at == std::string_view::npos || read_number(text_given.substr(at + 1), submit));
  if (!good)
    return fail(Status::usage,
                rondo::analyzers::text("{} {}: not RECORD@SUBMIT, as in 1234@3, or RECORD; rondo graph prints them",
                                       option, printable(text_given)));
  if (at != std::string_view::npos) made.submit = submit;
  return made;
}

bool ItemWanted::is(const graph::Item& item) const {
  const WorkItem& work = item.work;
  if (submit && *submit != work.submit) return false;
  return record == work.record || (work.is_pass && record > work.record && record <= work.end);
}

std::string ItemWanted::text() const {
  return submit ? rondo::analyzers::text("{}@{}", record, *submit) : rondo::analyzers::text("{}", record);
}

bool GraphEdges::item(const graph::Item& item, std::span<const graph::ItemNeed> needs, std::span<const graph::Piece>) {
  RONDO_CHECK(item.number == items_);
  for (std::size_t i = 0; i < wanted_.size(); ++i) {
    if (!wanted_[i].is(item)) continue;
    if (!found_[i]) found_[i] = item.number;
    executions_[i] += 1;
  }
  std::uint32_t last = item.number;  // an item does not need itself
  for (const graph::ItemNeed& need : needs) {
    if (need.from != last) targets_.push_back(need.from);
    last = need.from;
  }
  first_.push_back(targets_.size());
  items_ += 1;
  return true;
}

void GraphEdges::join(std::uint32_t join, std::span<const std::uint32_t> items) {
  joins_[join].assign(items.begin(), items.end());
}

Result<std::uint32_t> GraphEdges::found(std::size_t i, const std::string& file) const {
  if (found_[i]) return *found_[i];
  return fail(Status::usage,
              rondo::analyzers::text("{}: nothing that works or touches memory is record {}; rondo graph "
                                     "prints what there is",
                                     file, wanted_[i].text()));
}

std::span<const std::uint32_t> GraphEdges::targets(std::uint32_t from) const {
  if (graph::is_join(from)) return joins_.at(from);
  return std::span(targets_).subspan(first_[from], first_[from + 1] - first_[from]);
}

std::vector<std::uint32_t> GraphEdges::path(std::uint32_t from, std::uint32_t to) const {
  std::unordered_map<std::uint32_t, std::uint32_t> reached;  // item or join: from where
  reached.emplace(from, from);
  std::vector<std::uint32_t> front{from};
  while (!front.empty() && reached.count(to) == 0) {
    std::vector<std::uint32_t> next;
    // Through a join is no step of its own: so its members are looked at in the same turn.
    for (std::size_t i = 0; i < front.size(); ++i) {
      const std::uint32_t one = front[i];
      for (const std::uint32_t target : targets(one)) {
        if (!graph::is_join(target) && target < to) continue;
        if (!reached.emplace(target, one).second) continue;
        (graph::is_join(target) ? front : next).push_back(target);
      }
    }
    front = std::move(next);
  }
  if (reached.count(to) == 0) return {};
  std::vector<std::uint32_t> way;
  for (std::uint32_t one = to;; one = reached.at(one)) {
    if (!graph::is_join(one)) way.push_back(one);
    if (one == from) break;
  }
  std::reverse(way.begin(), way.end());
  return way;
}

std::vector<bool> GraphEdges::around(std::uint32_t item, std::uint64_t hops) const {
  // Needs are known from the later item only: so they are turned around.
  std::unordered_map<std::uint32_t, std::vector<std::uint32_t>> users;
  for (std::uint32_t one = 0; one < items_; ++one)
    for (const std::uint32_t target : targets(one)) users[target].push_back(one);
  for (const auto& [join, members] : joins_)
    for (const std::uint32_t member : members) users[member].push_back(join);

  std::vector<bool> marked(items_);
  marked[item] = true;
  std::unordered_set<std::uint32_t> passed[2];  // joins: to what is needed, and to what needs
  std::vector<std::uint32_t> front{item}, open;
  for (std::uint64_t hop = 0; hop < hops && !front.empty(); ++hop) {
    std::vector<std::uint32_t> next;
    for (const std::uint32_t first : front)
      for (const bool later : {false, true}) {
        // Through a join is no hop of its own.
        open.assign(1, first);
        while (!open.empty()) {
          const std::uint32_t one = open.back();
          open.pop_back();
          const auto found = users.find(one);
          const std::span<const std::uint32_t> others = !later ? targets(one)
                                                        : found != users.end()
                                                            ? std::span<const std::uint32_t>(found->second)
                                                            : std::span<const std::uint32_t>();
          for (const std::uint32_t other : others) {
            if (graph::is_join(other)) {
              if (passed[later ? 1 : 0].insert(other).second) open.push_back(other);
            } else if (!marked[other]) {
              marked[other] = true;
              next.push_back(other);
            }
          }
        }
      }
    front = std::move(next);
  }
  return marked;
}

}  // namespace rondo::analyzers
