// SPDX-License-Identifier: Apache-2.0
#include "model/access/work.h"

#include <algorithm>
#include <vector>

#include "format/codec/schema.h"
#include "format/codec/shapes.h"
#include "generated/args.h"
#include "model/call.h"

namespace rondo::access {

namespace {

struct Draw {
  std::size_t count = 0;  // of names
  std::array<const char*, 3> names{};
  Counts (*counts)(const model::Call&) = nullptr;
  bool is_draw = false;
};

template <class Args>
Counts groups(const model::Call& c) {
  const auto& a = c.as<Args>();
  return {a.groupCountX, a.groupCountY, a.groupCountZ};
}

template <class Args>
Counts draw_count(const model::Call& c) {
  return {c.as<Args>().drawCount};
}

template <class Args>
Counts most_draws(const model::Call& c) {
  return {c.as<Args>().maxDrawCount};
}

// Of all draws of a call; saturates.
template <class Info>
std::uint32_t sum_of(const Info* infos, std::uint32_t count, std::uint32_t stride, std::uint32_t Info::*member) {
  std::uint64_t sum = 0;
  const auto* at = reinterpret_cast<const std::byte*>(infos);
  for (std::uint32_t i = 0; at != nullptr && i < count; ++i, at += stride) sum += codec::load<Info>(at).*member;
  return static_cast<std::uint32_t>(std::min<std::uint64_t>(sum, UINT32_MAX));
}

// By canonical CommandId.
const std::vector<Draw>& draws() {
  static const std::vector<Draw> all = [] {
    std::vector<Draw> table(codec::commands().size());
    const auto add = [&](CommandId id, std::initializer_list<const char*> names, Counts (*counts)(const model::Call&)) {
      Draw& draw = table[static_cast<std::size_t>(id)];
      draw.is_draw = true;
      draw.counts = counts;
      for (const char* name : names) draw.names[draw.count++] = name;
    };
    add(CommandId::vkCmdDraw, {"vertices", "instances"}, [](const model::Call& c) {
      const auto& a = c.as<args_vkCmdDraw>();
      return Counts{a.vertexCount, a.instanceCount};
    });
    add(CommandId::vkCmdDrawIndexed, {"indices", "instances"}, [](const model::Call& c) {
      const auto& a = c.as<args_vkCmdDrawIndexed>();
      return Counts{a.indexCount, a.instanceCount};
    });
    add(CommandId::vkCmdDrawMultiEXT, {"draws", "vertices", "instances"}, [](const model::Call& c) {
      const auto& a = c.as<args_vkCmdDrawMultiEXT>();
      return Counts{a.drawCount, sum_of(a.pVertexInfo, a.drawCount, a.stride, &VkMultiDrawInfoEXT::vertexCount),
                    a.instanceCount};
    });
    add(CommandId::vkCmdDrawMultiIndexedEXT, {"draws", "indices", "instances"}, [](const model::Call& c) {
      const auto& a = c.as<args_vkCmdDrawMultiIndexedEXT>();
      return Counts{a.drawCount, sum_of(a.pIndexInfo, a.drawCount, a.stride, &VkMultiDrawIndexedInfoEXT::indexCount),
                    a.instanceCount};
    });
    add(CommandId::vkCmdDrawIndirect, {"draws"}, draw_count<args_vkCmdDrawIndirect>);
    add(CommandId::vkCmdDrawIndexedIndirect, {"draws"}, draw_count<args_vkCmdDrawIndexedIndirect>);
    add(CommandId::vkCmdDrawMeshTasksIndirectEXT, {"draws"}, draw_count<args_vkCmdDrawMeshTasksIndirectEXT>);
    add(CommandId::vkCmdDrawIndirectCount, {"most_draws"}, most_draws<args_vkCmdDrawIndirectCount>);
    add(CommandId::vkCmdDrawIndexedIndirectCount, {"most_draws"}, most_draws<args_vkCmdDrawIndexedIndirectCount>);
    add(CommandId::vkCmdDrawMeshTasksIndirectCountEXT, {"most_draws"},
        most_draws<args_vkCmdDrawMeshTasksIndirectCountEXT>);
    add(CommandId::vkCmdDrawIndirectByteCountEXT, {"instances"},
        [](const model::Call& c) { return Counts{c.as<args_vkCmdDrawIndirectByteCountEXT>().instanceCount}; });
    add(CommandId::vkCmdDrawMeshTasksEXT, {"groups_x", "groups_y", "groups_z"}, groups<args_vkCmdDrawMeshTasksEXT>);
    add(CommandId::vkCmdDispatch, {"groups_x", "groups_y", "groups_z"}, groups<args_vkCmdDispatch>);
    add(CommandId::vkCmdDispatchBase, {"groups_x", "groups_y", "groups_z"}, groups<args_vkCmdDispatchBase>);
    add(CommandId::vkCmdDispatchIndirect, {}, nullptr);
    add(CommandId::vkCmdTraceRaysKHR, {"width", "height", "depth"}, [](const model::Call& c) {
      const auto& a = c.as<args_vkCmdTraceRaysKHR>();
      return Counts{a.width, a.height, a.depth};
    });
    add(CommandId::vkCmdTraceRaysIndirectKHR, {}, nullptr);
    add(CommandId::vkCmdTraceRaysIndirect2KHR, {}, nullptr);
#ifdef VK_EXT_device_generated_commands
    add(CommandId::vkCmdExecuteGeneratedCommandsEXT, {"most_sequences"}, [](const model::Call& c) {
      return Counts{c.as<args_vkCmdExecuteGeneratedCommandsEXT>().pGeneratedCommandsInfo->maxSequenceCount};
    });
#endif
    return table;
  }();
  return all;
}

const Draw& draw_of(CommandId canonical) { return draws()[static_cast<std::size_t>(canonical)]; }

}  // namespace

bool is_draw(CommandId canonical) { return draw_of(canonical).is_draw; }

std::span<const char* const> count_names(CommandId canonical) {
  const Draw& draw = draw_of(canonical);
  return std::span(draw.names).first(draw.count);
}

Counts counts_of(const model::Call& call) {
  const Draw& draw = draw_of(call.command.canonical);
  return draw.counts != nullptr ? draw.counts(call) : Counts{};
}

}  // namespace rondo::access
