// SPDX-License-Identifier: Apache-2.0
// Query commands: those that name the same query are in order ("Queries": the execution dependencies of
// vkCmdBeginQuery, vkCmdEndQuery, vkCmdWriteTimestamp, vkCmdResetQueryPool and vkCmdCopyQueryPoolResults).
#include "tests/icd/order_gather.h"

using namespace rondo;  // args_vk…

namespace fake::order {
namespace {

std::shared_ptr<QueryPool> pool_of(VkQueryPool handle) { return get<QueryPool>(handle); }

struct Named {
  std::shared_ptr<QueryPool> pool;
  std::uint32_t first = 0, count = 1;
  enum class What { none, begin, end, timestamp, reset, copy } what = What::none;
  Stages stages = kAllStages;
  bool waits = false;
};

Named named_by(const Arguments& arguments) {
  using What = Named::What;
  switch (arguments.command()) {
    case CommandId::vkCmdBeginQuery: {
      const auto& a = arguments.as<args_vkCmdBeginQuery>();
      return {pool_of(a.queryPool), a.query, 1, What::begin};
    }
    case CommandId::vkCmdBeginQueryIndexedEXT: {
      const auto& a = arguments.as<args_vkCmdBeginQueryIndexedEXT>();
      return {pool_of(a.queryPool), a.query, 1, What::begin};
    }
    case CommandId::vkCmdEndQuery: {
      const auto& a = arguments.as<args_vkCmdEndQuery>();
      return {pool_of(a.queryPool), a.query, 1, What::end};
    }
    case CommandId::vkCmdEndQueryIndexedEXT: {
      const auto& a = arguments.as<args_vkCmdEndQueryIndexedEXT>();
      return {pool_of(a.queryPool), a.query, 1, What::end};
    }
    case CommandId::vkCmdWriteTimestamp: {
      const auto& a = arguments.as<args_vkCmdWriteTimestamp>();
      return {pool_of(a.queryPool), a.query, 1, What::timestamp, first_scope(a.pipelineStage)};
    }
    case CommandId::vkCmdWriteTimestamp2: {
      const auto& a = arguments.as<args_vkCmdWriteTimestamp2>();
      return {pool_of(a.queryPool), a.query, 1, What::timestamp, first_scope(a.stage)};
    }
    case CommandId::vkCmdResetQueryPool: {
      const auto& a = arguments.as<args_vkCmdResetQueryPool>();
      return {pool_of(a.queryPool), a.firstQuery, a.queryCount, What::reset};
    }
    case CommandId::vkCmdCopyQueryPoolResults: {
      const auto& a = arguments.as<args_vkCmdCopyQueryPoolResults>();
      return {pool_of(a.queryPool),
              a.firstQuery,
              a.queryCount,
              What::copy,
              VK_PIPELINE_STAGE_2_COPY_BIT,
              (a.flags & VK_QUERY_RESULT_WAIT_BIT) != 0};
    }
    default:
      return {};
  }
}

}  // namespace

void Gatherer::order_queries(Node& node) {
  const Node::QueryUse& uses = *node.queries;
  for (const auto* all : {&line_.items, &line_.syncs})
    for (Node* earlier : *all) {
      if (!earlier->queries || earlier->queries->pool != uses.pool) continue;
      const Node::QueryUse& used = *earlier->queries;
      // Timestamps of one pool count up (execute_queries.cpp): one order serves.
      const bool both_stamp = used.makes_available && uses.makes_available;
      const bool same = used.first < uses.first + uses.count && uses.first < used.first + used.count;
      if (both_stamp || (same && !(uses.passes_over && used.makes_available))) Graph::order(*earlier, node);
    }
}

bool Gatherer::add_query(Execution& execution, const Step& step) {
  using What = Named::What;
  const Named named = named_by(*step.arguments);
  if (named.what == What::none) return false;
  if (named.pool == nullptr) return true;
  const std::uint32_t count = named.count == 1 ? execution.views() : named.count;
  const State state = copy(execution);
  state->queries.clear();
  Node& node = make(named.stages);
  if (named.what == What::timestamp) {
    // After the stages of all commands before it; nothing waits for it.
    node.is_sync = true;
    node.stages = 0;
    node.first = named.stages;
    node.first_positions = {0, node.position};
  }
  node.queries =
      Node::QueryUse{named.pool.get(), named.first, count, named.what == What::end || named.what == What::timestamp,
                     named.what == What::copy && !named.waits};
  node.run = [state, &step] { step.run(*state); };
  const auto key = std::pair(named.pool, named.first);
  if (named.what == What::copy) node.touches = [&step] { return touches_of_transfer(*step.arguments); };
  if (named.what == What::begin) {
    execution.queries[key] = {};
    counted_[key] = {};
  }
  if (named.what == What::end) {
    const auto counted = counted_.find(key);
    std::vector<State> all;
    if (counted != counted_.end()) {
      for (const auto& [item, node_of] : counted->second) {
        all.push_back(item);
        Graph::order(*node_of, node);
      }
      counted_.erase(counted);
      execution.queries.erase(key);
    }
    // What its items counted, each for itself, in the order of their commands.
    node.run = [state, &step, key, all] {
      Execution::Counter& sum = state->queries[key];
      for (const State& item : all) {
        const Execution::Counter& one = item->queries[key];
        sum.draws += one.draws;
        if (one.draws != 0) sum.digest = one.digest;
        sum.vertices += one.vertices;
        sum.groups += one.groups;
        sum.meshes += one.meshes;
      }
      step.run(*state);
    };
  }
  order_queries(node);
  graph_.add(node);
  return true;
}

}  // namespace fake::order
