// SPDX-License-Identifier: Apache-2.0
// Draws, dispatches and traces.
#include <algorithm>
#include <cstring>
#include <type_traits>

#include "tests/icd/access.h"
#include "tests/icd/queue.h"
#include "tests/icd/sensitive.h"

using namespace rondo;  // args_vk…

namespace fake {
namespace {

// Begins with all that the command buffer has done, the draw itself included.
Hash begin(Execution& execution, const BindPoint& point) {
  Hash hash(execution.state().chain.digest());
  fold_descriptors(execution, point, hash);
  return hash;
}

void finish_draw(Execution& execution, const Hash& hash, std::uint64_t vertices, std::uint64_t meshes = 0) {
  execution.queue().worked_ns += 100 * vertices;
  const std::uint64_t digest = hash.digest();
  write_descriptors(execution, execution.state().graphics, digest);
  write_feedback(execution, vertices, digest);
  for (auto& [query, counter] : execution.queries) {
    ++counter.draws;
    counter.digest = digest;
    counter.vertices += meshes == 0 ? vertices : 0;
    counter.meshes += meshes;
  }
  if (RenderTarget* target = execution.target()) {
    Hash drawn(target->digest);
    drawn.value(digest);
    target->digest = drawn.digest();
    target->drawn = true;
  }
  execution.state().chain.value(digest);
}

template <class Groups>
std::uint64_t groups_of(const Groups& a) {
  if constexpr (requires { a.groupCountX; })
    return std::uint64_t{a.groupCountX} * a.groupCountY * a.groupCountZ;
  else if constexpr (requires { a.x; })
    return std::uint64_t{a.x} * a.y * a.z;
  else
    return 0;
}

// A dispatch or trace. `groups`: that are counted; those of indirect dispatches take no time.
template <class Args, BindPoint CommandState::*point>
void compute_groups(Execution& execution, const Args& a, std::uint64_t groups) {
  CommandState& state = execution.state();
  if (!state.predicate) return;
  execution.queue().worked_ns += 1000 * groups_of(a);
  const Hash hash = begin(execution, state.*point);
  write_descriptors(execution, state.*point, hash.digest());
  for (auto& [query, counter] : execution.queries) {
    ++counter.draws;
    counter.digest = hash.digest();
    counter.groups += groups;
  }
  state.chain.value(hash.digest());
}
template <class Args, BindPoint CommandState::*point>
void compute(Execution& execution, const Args& a) {
  compute_groups<Args, point>(execution, a, groups_of(a));
}

// The parameters lie in a buffer. False: they do not, and nothing is drawn.
bool fold_parameters(VkBuffer handle, VkDeviceSize offset, void* parameters, std::size_t bytes, Hash& hash) {
  const auto buffer = get<Buffer>(handle);
  if (buffer == nullptr) return false;
  const auto at = bytes_of(*buffer, offset, bytes);
  if (at.empty()) return false;
  std::memcpy(parameters, at.data(), bytes);
  hash.bytes(parameters, bytes);
  return true;
}

void dispatch_indirect(Execution& execution, const args_vkCmdDispatchIndirect& a) {
  VkDispatchIndirectCommand groups{};
  Hash hash;
  if (fold_parameters(a.buffer, a.offset, &groups, sizeof groups, hash)) execution.state().chain.value(hash.digest());
  compute_groups<args_vkCmdDispatchIndirect, &CommandState::compute>(execution, a, groups_of(groups));
}

void draw(Execution& execution, const args_vkCmdDraw& a) {
  if (!execution.state().predicate) return;
  Hash hash = begin(execution, execution.state().graphics);
  fold_vertices(execution, {a.firstVertex, a.vertexCount, a.firstInstance, a.instanceCount}, hash);
  finish_draw(execution, hash, std::uint64_t{a.vertexCount} * a.instanceCount);
}

void draw_indexed(Execution& execution, const args_vkCmdDrawIndexed& a) {
  if (!execution.state().predicate) return;
  Hash hash = begin(execution, execution.state().graphics);
  fold_indexed(execution, {a.firstIndex, a.indexCount, a.vertexOffset, a.firstInstance, a.instanceCount}, hash);
  finish_draw(execution, hash, std::uint64_t{a.indexCount} * a.instanceCount);
}

void draw_multi(Execution& execution, const args_vkCmdDrawMultiEXT& a) {
  if (!execution.state().predicate) return;
  Hash hash = begin(execution, execution.state().graphics);
  std::uint64_t vertices = 0;
  for (std::uint32_t i = 0; i < a.drawCount; ++i) {
    VkMultiDrawInfoEXT one;
    std::memcpy(&one, reinterpret_cast<const std::byte*>(a.pVertexInfo) + std::size_t{i} * a.stride, sizeof one);
    fold_vertices(execution, {one.firstVertex, one.vertexCount, a.firstInstance, a.instanceCount}, hash);
    vertices += std::uint64_t{one.vertexCount} * a.instanceCount;
  }
  finish_draw(execution, hash, vertices);
}

void draw_multi_indexed(Execution& execution, const args_vkCmdDrawMultiIndexedEXT& a) {
  if (!execution.state().predicate) return;
  Hash hash = begin(execution, execution.state().graphics);
  std::uint64_t vertices = 0;
  for (std::uint32_t i = 0; i < a.drawCount; ++i) {
    VkMultiDrawIndexedInfoEXT one;
    std::memcpy(&one, reinterpret_cast<const std::byte*>(a.pIndexInfo) + std::size_t{i} * a.stride, sizeof one);
    const std::int32_t offset = a.pVertexOffset != nullptr ? *a.pVertexOffset : one.vertexOffset;
    fold_indexed(execution, {one.firstIndex, one.indexCount, offset, a.firstInstance, a.instanceCount}, hash);
    vertices += std::uint64_t{one.indexCount} * a.instanceCount;
  }
  finish_draw(execution, hash, vertices);
}

// What each kind of indirect parameters fetches, and how many vertices it draws.
std::uint64_t fetch(Execution& execution, const VkDrawIndirectCommand& c, Hash& hash) {
  fold_vertices(execution, {c.firstVertex, c.vertexCount, c.firstInstance, c.instanceCount}, hash);
  return std::uint64_t{c.vertexCount} * c.instanceCount;
}
std::uint64_t fetch(Execution& execution, const VkDrawIndexedIndirectCommand& c, Hash& hash) {
  fold_indexed(execution, {c.firstIndex, c.indexCount, c.vertexOffset, c.firstInstance, c.instanceCount}, hash);
  return std::uint64_t{c.indexCount} * c.instanceCount;
}
std::uint64_t fetch(Execution&, const VkDrawMeshTasksIndirectCommandEXT& c, Hash&) { return c.groupCountX; }
// Of mesh shaders: workgroups, which are counted in place of vertices.
template <class Parameters>
constexpr bool kDrawsMeshes = std::is_same_v<Parameters, VkDrawMeshTasksIndirectCommandEXT>;

template <class Parameters>
void indirect(Execution& execution, VkBuffer buffer, VkDeviceSize offset, std::uint32_t draws, std::uint32_t stride,
              Hash hash) {
  std::uint64_t vertices = 0, meshes = 0;
  for (std::uint32_t i = 0; i < draws; ++i) {
    Parameters one;
    if (!fold_parameters(buffer, offset + VkDeviceSize{i} * stride, &one, sizeof one, hash)) break;
    vertices += fetch(execution, one, hash);
    if constexpr (kDrawsMeshes<Parameters>) meshes += groups_of(one);
  }
  finish_draw(execution, hash, vertices, meshes);
}

template <class Parameters, class Args>
void draw_indirect(Execution& execution, const Args& a) {
  if (!execution.state().predicate) return;
  indirect<Parameters>(execution, a.buffer, a.offset, a.drawCount, a.stride,
                       begin(execution, execution.state().graphics));
}

template <class Parameters, class Args>
void draw_counted(Execution& execution, const Args& a) {
  if (!execution.state().predicate) return;
  Hash hash = begin(execution, execution.state().graphics);
  std::uint32_t count = 0;
  if (!fold_parameters(a.countBuffer, a.countBufferOffset, &count, sizeof count, hash)) return;
  indirect<Parameters>(execution, a.buffer, a.offset, std::min(count, a.maxDrawCount), a.stride, hash);
}

void draw_byte_count(Execution& execution, const args_vkCmdDrawIndirectByteCountEXT& a) {
  if (!execution.state().predicate) return;
  Hash hash = begin(execution, execution.state().graphics);
  std::uint32_t bytes = 0;
  if (!fold_parameters(a.counterBuffer, a.counterBufferOffset, &bytes, sizeof bytes, hash)) return;
  const std::uint32_t vertices =
      a.vertexStride == 0 || bytes < a.counterOffset ? 0 : (bytes - a.counterOffset) / a.vertexStride;
  fold_vertices(execution, {0, vertices, a.firstInstance, a.instanceCount}, hash);
  finish_draw(execution, hash, std::uint64_t{vertices} * a.instanceCount);
}

template <class Args>
void draw_meshes(Execution& execution, const Args& a) {
  if (!execution.state().predicate) return;
  finish_draw(execution, begin(execution, execution.state().graphics), 0, groups_of(a));
}

}  // namespace

void install_draws(Table& table) {
  execute<draw>(table, CommandId::vkCmdDraw);
  execute<draw_indexed>(table, CommandId::vkCmdDrawIndexed);
  execute<draw_multi>(table, CommandId::vkCmdDrawMultiEXT);
  execute<draw_multi_indexed>(table, CommandId::vkCmdDrawMultiIndexedEXT);
  execute<draw_indirect<VkDrawIndirectCommand, args_vkCmdDrawIndirect>>(table, CommandId::vkCmdDrawIndirect);
  execute<draw_indirect<VkDrawIndexedIndirectCommand, args_vkCmdDrawIndexedIndirect>>(
      table, CommandId::vkCmdDrawIndexedIndirect);
  execute<draw_counted<VkDrawIndirectCommand, args_vkCmdDrawIndirectCount>>(table, CommandId::vkCmdDrawIndirectCount);
  execute<draw_counted<VkDrawIndexedIndirectCommand, args_vkCmdDrawIndexedIndirectCount>>(
      table, CommandId::vkCmdDrawIndexedIndirectCount);
  execute<draw_byte_count>(table, CommandId::vkCmdDrawIndirectByteCountEXT);
  execute<draw_meshes<args_vkCmdDrawMeshTasksEXT>>(table, CommandId::vkCmdDrawMeshTasksEXT);
  execute<draw_indirect<VkDrawMeshTasksIndirectCommandEXT, args_vkCmdDrawMeshTasksIndirectEXT>>(
      table, CommandId::vkCmdDrawMeshTasksIndirectEXT);
  execute<draw_counted<VkDrawMeshTasksIndirectCommandEXT, args_vkCmdDrawMeshTasksIndirectCountEXT>>(
      table, CommandId::vkCmdDrawMeshTasksIndirectCountEXT);
  execute<compute<args_vkCmdDispatch, &CommandState::compute>>(table, CommandId::vkCmdDispatch);
  execute<compute<args_vkCmdDispatchBase, &CommandState::compute>>(table, CommandId::vkCmdDispatchBase);
  execute<dispatch_indirect>(table, CommandId::vkCmdDispatchIndirect);
  execute<compute<args_vkCmdTraceRaysKHR, &CommandState::ray_tracing>>(table, CommandId::vkCmdTraceRaysKHR);
}

}  // namespace fake
