// SPDX-License-Identifier: Apache-2.0
// Which command buffers a queue may be given, and a command buffer its secondaries.
#include <algorithm>
#include <set>

#include "tests/icd/install.h"
#include "tests/icd/recorded.h"

namespace fake {
namespace {

using State = CommandBuffer::State;
using Seen = std::set<const CommandBuffer*>;

bool is_simultaneous(const CommandBuffer& buffer) {
  return (buffer.usage & VK_COMMAND_BUFFER_USAGE_SIMULTANEOUS_USE_BIT) != 0;
}

// `seen`: those of the same call, which are as good as pending.
bool check_ready(const CommandBuffer& buffer, Seen& seen) {
  const bool again = !seen.insert(&buffer).second;
  if ((buffer.state == State::pending || again) && !is_simultaneous(buffer))
    violation("submits a command buffer that is still pending");
  else if (buffer.state != State::pending && buffer.state != State::executable)
    violation("submits a command buffer that is not ended, or invalid");
  else
    return true;
  return false;
}

bool check_secondaries(const CommandBuffer& buffer, Seen& seen) {
  for (const Executed& executed : buffer.secondaries) {
    if (!executed.buffer->alive || executed.buffer->recording != executed.recording) {
      violation("submits a command buffer whose secondary was freed, reset or recorded again");
      return false;
    }
    if (!check_ready(*executed.buffer, seen) || !check_secondaries(*executed.buffer, seen)) return false;
  }
  return true;
}

void check_buffer(VkQueue queue_handle, VkCommandBuffer handle, Seen& seen) {
  const auto buffer = get<CommandBuffer>(handle);
  const auto pool = std::static_pointer_cast<CommandPool>(find(CommandPool::kType, buffer->pool));
  if (buffer->level != VK_COMMAND_BUFFER_LEVEL_PRIMARY) return violation("submits a secondary command buffer");
  if (pool == nullptr || pool->family != get<Queue>(queue_handle)->family)
    return violation("submits a command buffer of another queue family");
  if (!check_ready(*buffer, seen) || !check_secondaries(*buffer, seen)) return;
  for (const auto& object : needed_by(*buffer))
    if (!object->alive)
      return violation(std::string("submits a command buffer that needs a ") + rondo::codec::info(object->type).name +
                       " which was destroyed");
}

void check_submit(Call&, const args_vkQueueSubmit& a) {
  Seen seen;
  for (std::uint32_t i = 0; i < a.submitCount; ++i)
    for (std::uint32_t k = 0; k < a.pSubmits[i].commandBufferCount; ++k)
      check_buffer(a.queue, a.pSubmits[i].pCommandBuffers[k], seen);
}

void check_submit2(Call&, const args_vkQueueSubmit2& a) {
  Seen seen;
  for (std::uint32_t i = 0; i < a.submitCount; ++i)
    for (std::uint32_t k = 0; k < a.pSubmits[i].commandBufferInfoCount; ++k)
      check_buffer(a.queue, a.pSubmits[i].pCommandBufferInfos[k].commandBuffer, seen);
}

void check_present(Call&, const args_vkQueuePresentKHR& a) {
  const VkPresentInfoKHR& info = *a.pPresentInfo;
  for (std::uint32_t i = 0; i < info.waitSemaphoreCount; ++i)
    if (get<Semaphore>(info.pWaitSemaphores[i])->timeline) return violation("a present waits for a timeline semaphore");
  if (info.swapchainCount == 0) violation("swapchainCount is 0");
}

bool counts_statistics(const CommandBuffer& buffer) {
  return std::any_of(buffer.active_queries.begin(), buffer.active_queries.end(), [](const auto& active) {
    const auto pool = std::static_pointer_cast<QueryPool>(find(QueryPool::kType, active.first.first));
    return pool != nullptr && pool->query_type == VK_QUERY_TYPE_PIPELINE_STATISTICS;
  });
}

void check_execute(Call& call, const args_vkCmdExecuteCommands& a) {
  const CommandBuffer& primary = *call.command_buffer;
  if (a.commandBufferCount == 0) return violation("commandBufferCount is 0");
  if (primary.in_render_pass && !primary.continues && !primary.bound.secondaries_only)
    return violation("the subpass takes no secondary command buffers");
  if (primary.bound.feedback) return violation("transform feedback is active");
  for (std::uint32_t i = 0; i < a.commandBufferCount; ++i) {
    const auto secondary = get<CommandBuffer>(a.pCommandBuffers[i]);
    if (secondary->level != VK_COMMAND_BUFFER_LEVEL_SECONDARY)
      return violation("executes a command buffer that is no secondary");
    if (secondary->begins_statistics && counts_statistics(primary))
      return harmless("executes a command buffer that begins a query of a type that is active");
    if (secondary->pool != 0 && secondary->capabilities != primary.capabilities)
      return violation("executes a command buffer of another queue family");
    if (secondary->state != State::executable && !(secondary->state == State::pending && is_simultaneous(*secondary)))
      return violation("executes a command buffer that is not ended, or pending");
    if (secondary->continues != primary.in_render_pass)
      return violation("executes a command buffer that does not continue a render pass, or outside of one");
    if (!primary.in_render_pass) continue;
    const bool same_kind = (secondary->render_pass == nullptr) == (primary.render_pass == nullptr);
    if (!same_kind || (primary.render_pass != nullptr && secondary->subpass != primary.subpass))
      return violation("executes a command buffer that continues another subpass");
    if (secondary->framebuffer != nullptr && secondary->framebuffer != primary.framebuffer)
      return violation("executes a command buffer that inherits another framebuffer");
    if (primary.render_pass != nullptr &&
        secondary->render_pass->attachments.size() != primary.render_pass->attachments.size())
      return violation("executes a command buffer that inherits an incompatible render pass");
  }
}

}  // namespace

void install_submit_checks(Table& table) {
  table.check<check_submit>(CommandId::vkQueueSubmit);
  table.check<check_submit2>(CommandId::vkQueueSubmit2);
  table.check<check_present>(CommandId::vkQueuePresentKHR);
  table.check<check_execute>(CommandId::vkCmdExecuteCommands);
}

}  // namespace fake
