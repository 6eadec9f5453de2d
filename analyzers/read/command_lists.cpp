// SPDX-License-Identifier: Apache-2.0
#include "analyzers/read/command_lists.h"

#include "generated/args.h"
#include "model/access/work.h"

namespace rondo::analyzers {

CommandLists::Primary CommandLists::primary_of(const Walk& walk, const void* command_buffer) const {
  const auto value = reinterpret_cast<std::uint64_t>(command_buffer);
  Primary primary;
  const auto& handles = walk.decoded().handles;
  for (std::size_t i = 0; i < handles.size() && i < walk.resolution().ids.size(); ++i)
    if (handles[i].captured == value && handles[i].type == HandleType::VkCommandBuffer) {
      primary.command_buffer = walk.resolution().ids[i];
      break;
    }
  if (const auto found = lists_.find(value); found != lists_.end()) primary.list = found->second;
  return primary;
}

void CommandLists::record(const Walk& walk, const Step& step) {
  const auto& handles = walk.decoded().handles;
  std::shared_ptr<CommandList>& list = lists_[handles[0].captured];
  if (list == nullptr) list = std::make_shared<CommandList>(CommandList{begun_++, step.record.sequence, 0, 0, {}});
  current_ = list.get();
  secondaries_before_ = list->secondaries.size();
  if (access::is_draw(step.command->canonical)) draws_before_ = list->draws++;
  list->commands += 1;
  if (step.command->canonical != CommandId::vkCmdExecuteCommands) return;
  for (std::size_t i = 1; i < handles.size(); ++i)
    if (const auto found = lists_.find(handles[i].captured); found != lists_.end() && found->second != list) {
      const CommandList& inner = *found->second;
      list->secondaries.push_back({found->second, list->commands, list->draws});
      list->commands += inner.commands;
      list->draws += inner.draws;
    }
}

const std::vector<CommandLists::Batch>& CommandLists::take(Walk& walk, const Step& step) {
  batches_.clear();
  current_ = nullptr;
  draws_before_.reset();
  if (step.command == nullptr) return batches_;
  const auto& handles = walk.decoded().handles;
  if (step.command->records_into_command_buffer && !handles.empty()) {
    record(walk, step);
    return batches_;
  }
  switch (step.command->canonical) {
    case CommandId::vkBeginCommandBuffer:
      if (!handles.empty())
        lists_[handles[0].captured] =
            std::make_shared<CommandList>(CommandList{begun_++, step.record.sequence, 0, 0, {}});
      break;
    case CommandId::vkQueueSubmit: {
      const auto& args = walk.args<args_vkQueueSubmit>();
      for (std::uint32_t i = 0; args.pSubmits != nullptr && i < args.submitCount; ++i) {
        Batch& batch = batches_.emplace_back();
        const VkSubmitInfo& submit = args.pSubmits[i];
        for (std::uint32_t k = 0; submit.pCommandBuffers != nullptr && k < submit.commandBufferCount; ++k)
          batch.push_back(primary_of(walk, submit.pCommandBuffers[k]));
      }
      break;
    }
    case CommandId::vkQueueSubmit2: {
      const auto& args = walk.args<args_vkQueueSubmit2>();
      for (std::uint32_t i = 0; args.pSubmits != nullptr && i < args.submitCount; ++i) {
        Batch& batch = batches_.emplace_back();
        const VkSubmitInfo2& submit = args.pSubmits[i];
        for (std::uint32_t k = 0; submit.pCommandBufferInfos != nullptr && k < submit.commandBufferInfoCount; ++k)
          batch.push_back(primary_of(walk, submit.pCommandBufferInfos[k].commandBuffer));
      }
      break;
    }
    default:
      break;
  }
  return batches_;
}

}  // namespace rondo::analyzers
