// SPDX-License-Identifier: Apache-2.0
#include "player/loop/query_uses.h"

namespace rondo::player {

std::string QueryUses::use(const Plan& plan, const model::QueryUse& use) {
  std::map<std::uint32_t, model::QueryUse::Kind>& first = first_[use.pool];
  constexpr std::size_t kMostQueries = 1 << 22;
  if (use.count > kMostQueries || queries_ > kMostQueries)
    return "is of a span that uses more queries than can be followed";
  for (std::uint32_t q = use.first; q - use.first < use.count; ++q) {
    const auto [found, fresh] = first.emplace(q, use.kind);
    queries_ += fresh ? 1 : 0;
    if (!fresh && found->second == model::QueryUse::Kind::read && use.kind != model::QueryUse::Kind::read)
      return "changes query " + std::to_string(q) + " of " + plan.name(use.pool) +
             ", whose value of before the span it reads";
  }
  return {};
}

std::vector<LoopPlan::Queries> QueryUses::to_reset() const {
  std::vector<LoopPlan::Queries> all;
  for (const auto& [pool, queries] : first_)
    for (const auto& [query, kind] : queries) {
      if (kind != model::QueryUse::Kind::write) continue;
      if (!all.empty() && all.back().pool == pool && all.back().first + all.back().count == query)
        ++all.back().count;
      else
        all.push_back({pool, query, 1});
    }
  return all;
}

}  // namespace rondo::player
