// SPDX-License-Identifier: Apache-2.0
#include "tests/icd/execute.h"

#include <algorithm>
#include <bit>

#include "tests/icd/order_gather.h"

namespace fake {
namespace {

// Says nothing of what a draw gets: a player may leave out labels, and may add
// timestamps of its own.
bool is_folded(CommandId id) {
  switch (id) {
    case CommandId::vkCmdBeginDebugUtilsLabelEXT:
    case CommandId::vkCmdEndDebugUtilsLabelEXT:
    case CommandId::vkCmdInsertDebugUtilsLabelEXT:
    case CommandId::vkCmdDebugMarkerBeginEXT:
    case CommandId::vkCmdDebugMarkerEndEXT:
    case CommandId::vkCmdDebugMarkerInsertEXT:
    case CommandId::vkCmdBeginQuery:
    case CommandId::vkCmdBeginQueryIndexedEXT:
    case CommandId::vkCmdEndQuery:
    case CommandId::vkCmdEndQueryIndexedEXT:
    case CommandId::vkCmdResetQueryPool:
    case CommandId::vkCmdWriteTimestamp:
    case CommandId::vkCmdWriteTimestamp2:
      return false;
    default:
      return true;
  }
}

}  // namespace

VkDeviceSize BoundBuffer::end() const {
  if (buffer == nullptr || offset > buffer->size) return 0;
  return size > buffer->size - offset ? buffer->size : offset + size;
}

void record_call(Call& call, Run run) {
  auto arguments = std::make_shared<const Arguments>(call.canonical, call.args);
  const std::uint64_t digest = is_folded(call.canonical) ? digest_of(*arguments) : 0;
  record(call, [run, arguments](Execution& execution) {
    if (run != nullptr) run(execution, *arguments);
  });
  call.command_buffer->steps.back().digest = digest;
  call.command_buffer->steps.back().arguments = std::move(arguments);
}

std::uint32_t Execution::views() const {
  return target_ && target_->view_mask != 0 ? static_cast<std::uint32_t>(std::popcount(target_->view_mask)) : 1;
}

void Execution::run(CommandBuffer& buffer) { run_steps(buffer); }

void Execution::run_secondary(CommandBuffer& buffer) {
  // It inherits no state, but for the render pass instance and the condition.
  CommandState outer = std::exchange(state_, CommandState{});
  state_.predicate = outer.predicate;
  run_steps(buffer);
  outer.chain.value(state_.chain.digest());
  state_ = std::move(outer);
}

void Execution::run_steps(CommandBuffer& buffer) {
  for (const Step& step : buffer.steps) {
    if (step.digest != 0) state_.chain.value(step.digest);
    if (gatherer != nullptr)
      gatherer->step(*this, step);
    else
      step.run(*this);
  }
}

BindPoint& Execution::bind_point(VkPipelineBindPoint point) {
  switch (point) {
    case VK_PIPELINE_BIND_POINT_GRAPHICS:
      return state_.graphics;
    case VK_PIPELINE_BIND_POINT_COMPUTE:
      return state_.compute;
    default:
      return state_.ray_tracing;
  }
}

void install_execution(Table& table) {
  // Every command that a command buffer takes is a step, and counts for what follows.
  for (const rondo::codec::CommandInfo& command : rondo::codec::commands())
    if (command.records_into_command_buffer && command.canonical == command.id)
      table.set(command.id, [](Call& call) -> std::int64_t {
        record_call(call, nullptr);
        return 0;
      });
  install_copies(table);
  install_blits(table);
  install_clears(table);
  install_rendering(table);
  install_bindings(table);
  install_draws(table);
  install_queries(table);
  install_events(table);
  install_host_sync(table);
  install_sync_files(table);
  install_submits(table);
  install_presentation(table);
}

}  // namespace fake
