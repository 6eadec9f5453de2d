// SPDX-License-Identifier: Apache-2.0
#include "player/loop/open_labels.h"

#include <algorithm>
#include <map>

#include "format/codec/schema.h"

namespace rondo::player {

std::vector<OpenLabels> find_open_labels(const Plan& plan) {
  std::map<ObjectId, std::vector<std::uint32_t>> open, before;  // by queue
  for (std::uint32_t i = 0; i < plan.span.last; ++i) {
    if (i == plan.span.first) before = open;
    const CommandId id = codec::info(plan.ops[i].command).canonical;
    if (id == CommandId::vkQueueBeginDebugUtilsLabelEXT) open[plan.ops[i].dispatch].push_back(i);
    if (id != CommandId::vkQueueEndDebugUtilsLabelEXT) continue;
    // Programs end labels that they did not begin.
    if (auto& labels = open[plan.ops[i].dispatch]; !labels.empty()) labels.pop_back();
  }
  std::vector<OpenLabels> changed;
  for (const auto& [queue, labels] : open) {
    const auto found = before.find(queue);
    const std::vector<std::uint32_t> old = found == before.end() ? std::vector<std::uint32_t>() : found->second;
    const auto common = std::mismatch(labels.begin(), labels.end(), old.begin(), old.end());
    OpenLabels one;
    one.queue = queue;
    one.ends = static_cast<std::uint32_t>(labels.end() - common.first);
    one.begins.assign(common.second, old.end());
    if (one.ends != 0 || !one.begins.empty()) changed.push_back(std::move(one));
  }
  return changed;
}

}  // namespace rondo::player
