// SPDX-License-Identifier: Apache-2.0
#include "analyzers/analysis/wave_groups.h"

#include <algorithm>
#include <variant>

#include "analyzers/analysis/open_pass.h"
#include "analyzers/read/access_walk.h"

namespace rondo::analyzers {

class WaveGroups::Finder final : public AccessReader {
 public:
  explicit Finder(WaveGroups& groups) : groups_(groups) {}

  bool executed(const access::Executed& one) override {
    if (one.recorded == nullptr) return true;
    const auto where = std::tuple(one.at, one.batch, one.primary);
    const bool orders = std::any_of(one.effects.begin(), one.effects.end(), [](const model::Effect& effect) {
      return std::holds_alternative<model::Barrier>(effect);
    });
    // A barrier within a pass is between its draws, and the pass is one item.
    if (one.submit != submit_) pass_.end();
    submit_ = one.submit;
    const OpenPass::Where place = pass_.take(one.recorded->mark, one.recorded->suspends, one.recorded->resumes);
    const bool is_inside = place == OpenPass::Where::inside || place == OpenPass::Where::resumes;
    if (where != where_ || (orders && !is_inside)) number_ += 1;
    where_ = where;
    const bool may_be_item =
        one.recorded->mark == access::Mark::begins_pass || one.recorded->mark == access::Mark::none;
    if (may_be_item && !is_inside) groups_.group_of_.try_emplace({one.record, one.submit, one.primary}, number_);
    return true;
  }

 private:
  WaveGroups& groups_;
  OpenPass pass_;
  std::tuple<std::uint64_t, std::uint32_t, std::uint32_t> where_;
  std::uint64_t submit_ = access::Executed::kNoSubmit;
  std::uint32_t number_ = 0;
};

Result<WaveGroups> WaveGroups::of(const std::string& path) {
  auto walk = Walk::open(path);
  if (!walk) return tl::unexpected(walk.error());
  WaveGroups made;
  Finder finder(made);
  AccessWanted wanted;
  wanted.synchronization = true;
  const auto walked = walk_accesses(*walk, wanted, finder);
  if (!walked) return tl::unexpected(walked.error());
  return made;
}

std::optional<std::uint32_t> WaveGroups::of(const WorkItem& item) const {
  const auto found = group_of_.find({item.record, item.submit, item.primary});
  if (found == group_of_.end()) return std::nullopt;
  return found->second;
}

}  // namespace rondo::analyzers
