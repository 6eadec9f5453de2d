// SPDX-License-Identifier: Apache-2.0
#include "analyzers/command_counts.h"

#include "generated/args.h"

namespace rondo::analyzers {

void CommandCounts::add(BatchCount& batch, const void* command_buffer) const {
  batch.command_buffers += 1;
  const auto found = recorded_.find(reinterpret_cast<std::uint64_t>(command_buffer));
  if (found != recorded_.end()) batch.commands += found->second;
}

const std::vector<BatchCount>& CommandCounts::take(Walk& walk, const Step& step) {
  batches_.clear();
  const auto& handles = walk.decoded().handles;
  if (step.command->records_into_command_buffer && !handles.empty()) {
    std::uint64_t& count = recorded_[handles[0].captured];
    count += 1;
    if (step.command->id == CommandId::vkCmdExecuteCommands)
      for (std::size_t i = 1; i < handles.size(); ++i)
        if (const auto found = recorded_.find(handles[i].captured); found != recorded_.end()) count += found->second;
    return batches_;
  }
  switch (step.command->canonical) {
    case CommandId::vkBeginCommandBuffer:
      if (!handles.empty()) recorded_[handles[0].captured] = 0;
      break;
    case CommandId::vkQueueSubmit: {
      const auto& args = walk.args<args_vkQueueSubmit>();
      for (std::uint32_t i = 0; args.pSubmits != nullptr && i < args.submitCount; ++i) {
        BatchCount& batch = batches_.emplace_back();
        const VkSubmitInfo& submit = args.pSubmits[i];
        for (std::uint32_t k = 0; submit.pCommandBuffers != nullptr && k < submit.commandBufferCount; ++k)
          add(batch, submit.pCommandBuffers[k]);
      }
      break;
    }
    case CommandId::vkQueueSubmit2: {
      const auto& args = walk.args<args_vkQueueSubmit2>();
      for (std::uint32_t i = 0; args.pSubmits != nullptr && i < args.submitCount; ++i) {
        BatchCount& batch = batches_.emplace_back();
        const VkSubmitInfo2& submit = args.pSubmits[i];
        for (std::uint32_t k = 0; submit.pCommandBufferInfos != nullptr && k < submit.commandBufferInfoCount; ++k)
          add(batch, submit.pCommandBufferInfos[k].commandBuffer);
      }
      break;
    }
    default:
      break;
  }
  return batches_;
}

}  // namespace rondo::analyzers
