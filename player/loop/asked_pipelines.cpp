// SPDX-License-Identifier: Apache-2.0
#include "player/loop/asked_pipelines.h"

#include <algorithm>
#include <span>
#include <unordered_set>

#include "format/codec/schema.h"
#include "player/plan/plan_edit.h"

namespace rondo::player {

// Backwards: a pipeline is made before it is asked, and its libraries are made before it.
std::vector<std::uint32_t> find_asked_pipelines(const Plan& plan) {
  std::vector<std::uint32_t> makers;
  std::unordered_set<ObjectId> asked;
  for (std::uint32_t i = plan.span.last; i-- > plan.span.first;) {
    const Op& op = plan.ops[i];
    const CommandId canonical = codec::info(op.command).canonical;
    if (canonical == CommandId::vkGetRayTracingShaderGroupHandlesKHR)
      asked.insert(named(plan, op, HandleType::VkPipeline));
    if (canonical != CommandId::vkCreateRayTracingPipelinesKHR) continue;
    const auto made = std::span(plan.created).subspan(op.first_created, op.created);
    if (std::none_of(made.begin(), made.end(), [&](const Patch& one) { return asked.count(one.id) != 0; })) continue;
    makers.push_back(i);
    for (const Patch& used : std::span(plan.patches).subspan(op.first_patch, op.patches))
      if (plan.objects.objects()[used.id].type == HandleType::VkPipeline) asked.insert(used.id);
  }
  return makers;
}

}  // namespace rondo::player
