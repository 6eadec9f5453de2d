// SPDX-License-Identifier: Apache-2.0
#include "player/query_uses.h"

namespace rondo::player {

std::string QueryUses::use(const Plan& plan, const QueryUse& use) {
  std::map<std::uint32_t, bool>& first = first_[use.pool];
  constexpr std::size_t kMostQueries = 1 << 22;
  if (use.count > kMostQueries || queries_ > kMostQueries) return "is of a span that uses more queries than can be followed";
  for (std::uint32_t q = use.first; q - use.first < use.count; ++q) {
    if (use.kind == QueryUse::Kind::read && first.count(q) == 0)
      return "reads query " + std::to_string(q) + " of " + plan.name(use.pool) + ", whose value is from before the span";
    queries_ += first.emplace(q, use.kind == QueryUse::Kind::write).second ? 1 : 0;
  }
  return {};
}

std::vector<LoopPlan::Queries> QueryUses::to_reset() const {
  std::vector<LoopPlan::Queries> all;
  for (const auto& [pool, queries] : first_)
    for (const auto& [query, needs_reset] : queries) {
      if (!needs_reset) continue;
      if (!all.empty() && all.back().pool == pool && all.back().first + all.back().count == query)
        ++all.back().count;
      else
        all.push_back({pool, query, 1});
    }
  return all;
}

}  // namespace rondo::player
