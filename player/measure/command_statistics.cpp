// SPDX-License-Identifier: Apache-2.0
// Where CommandTimes may count, and which statistics and counters.
#include <algorithm>
#include <unordered_map>
#include <unordered_set>

#include "generated/args.h"
#include "player/measure/command_times.h"
#include "player/plan/enabled.h"
#include "player/plan/op_view.h"

namespace rondo::player {

namespace {

constexpr VkQueryPipelineStatisticFlags kOfCompute = VK_QUERY_PIPELINE_STATISTIC_COMPUTE_SHADER_INVOCATIONS_BIT;
constexpr VkQueryPipelineStatisticFlags kOfMeshes = VK_QUERY_PIPELINE_STATISTIC_TASK_SHADER_INVOCATIONS_BIT_EXT |
                                                    VK_QUERY_PIPELINE_STATISTIC_MESH_SHADER_INVOCATIONS_BIT_EXT;
constexpr VkQueryPipelineStatisticFlags kOfGraphics = VK_QUERY_PIPELINE_STATISTIC_COMPUTE_SHADER_INVOCATIONS_BIT - 1;

}  // namespace

// A query counts nothing that its queue family cannot do (VUID-vkCmdBeginQuery-queryType-00804, -00805).
VkQueryPipelineStatisticFlags CommandTimes::statistics_of(std::uint32_t device,
                                                          const VkQueueFamilyProperties& family) const {
  if (!run_.targets()[device].counts_statistics) return 0;
  VkQueryPipelineStatisticFlags counts = 0;
  if ((family.queueFlags & VK_QUEUE_COMPUTE_BIT) != 0) counts |= kOfCompute;
  if ((family.queueFlags & VK_QUEUE_GRAPHICS_BIT) != 0) {
    counts |= kOfGraphics;
    if (enables(run_.plan().devices[device], "meshShaderQueries")) counts |= kOfMeshes;
  }
  return counts;
}

std::uint32_t CommandTimes::counters_of(std::uint32_t device, std::uint32_t family) {
  const LiveDevice& live = run_.targets()[device];
  const auto is_it = [&](const CounterSet& set) { return set.device == device && set.family == family; };
  auto found = std::find_if(counter_sets_.begin(), counter_sets_.end(), is_it);
  if (found == counter_sets_.end()) {
    CounterSet set{device, family, {}, {}};
    const std::vector<std::uint32_t> places = family < live.counters.size()
                                                  ? places_of(wanted_.counters, live.counters[family])
                                                  : std::vector<std::uint32_t>();
    for (std::uint32_t w = 0; w < places.size(); ++w) {
      if (places[w] == kNone) continue;
      set.indexes.push_back(places[w]);
      set.wanted.push_back(w);
    }
    found = counter_sets_.insert(counter_sets_.end(), std::move(set));
  }
  return found->indexes.empty() ? kNone : static_cast<std::uint32_t>(found - counter_sets_.begin());
}

// One query of a type is active at a time (VUID-vkCmdBeginQuery-queryPool-01922), and a secondary begins none
// of a type that is active where it is executed (VUID-vkCmdExecuteCommands-pCommandBuffers-00105): that may
// be so where it inherits statistics. In protected command buffers no query begins
// (VUID-vkCmdBeginQuery-commandBuffer-01885).
std::vector<bool> CommandTimes::closed_to_queries() const {
  const Plan& plan = run_.plan();
  const bool counts_statistics = wanted_.what == Measured::statistics;
  std::vector<bool> closed(plan.span.last, false);
  std::unordered_set<ObjectId> statistics, is_protected;  // query pools, command pools
  std::unordered_map<ObjectId, int> active;               // by command buffer: how many; none are not there
  OpView view;
  const auto queries = [&](const Op& op, int change, const auto* args) {
    if (statistics.contains(view.id(&args->queryPool))) active[op.dispatch] += change;
  };
  for (std::uint32_t i = 0; i < plan.span.last; ++i) {
    const Op& op = plan.ops[i];
    switch (codec::info(op.command).canonical) {
      case CommandId::vkCreateQueryPool:
        view.load(plan, op);
        if (counts_statistics && op.created != 0 &&
            view.as<args_vkCreateQueryPool>().pCreateInfo->queryType == VK_QUERY_TYPE_PIPELINE_STATISTICS)
          statistics.insert(plan.created[op.first_created].id);
        break;
      case CommandId::vkCreateCommandPool:
        view.load(plan, op);
        if (op.created != 0 &&
            (view.as<args_vkCreateCommandPool>().pCreateInfo->flags & VK_COMMAND_POOL_CREATE_PROTECTED_BIT) != 0)
          is_protected.insert(plan.created[op.first_created].id);
        break;
      case CommandId::vkBeginCommandBuffer: {
        view.load(plan, op);
        const auto* inherited = view.as<args_vkBeginCommandBuffer>().pBeginInfo->pInheritanceInfo;
        active.erase(op.dispatch);
        if ((counts_statistics && inherited != nullptr && inherited->pipelineStatistics != 0) ||
            is_protected.contains(plan.objects.objects()[op.dispatch].parent))
          active[op.dispatch] = 1;
        break;
      }
      case CommandId::vkCmdBeginQuery:
        view.load(plan, op);
        queries(op, 1, &view.as<args_vkCmdBeginQuery>());
        break;
      case CommandId::vkCmdBeginQueryIndexedEXT:
        view.load(plan, op);
        queries(op, 1, &view.as<args_vkCmdBeginQueryIndexedEXT>());
        break;
      case CommandId::vkCmdEndQuery:
        view.load(plan, op);
        queries(op, -1, &view.as<args_vkCmdEndQuery>());
        break;
      case CommandId::vkCmdEndQueryIndexedEXT:
        view.load(plan, op);
        queries(op, -1, &view.as<args_vkCmdEndQueryIndexedEXT>());
        break;
      default:
        if (active.empty() || !codec::info(op.command).records_into_command_buffer) break;
        if (const auto found = active.find(op.dispatch); found != active.end()) closed[i] = found->second > 0;
    }
  }
  return closed;
}

}  // namespace rondo::player
