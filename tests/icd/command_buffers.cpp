// SPDX-License-Identifier: Apache-2.0
// Command pools and buffers, and the states of a buffer.
#include <set>

#include "tests/icd/chain.h"
#include "tests/icd/install.h"
#include "tests/icd/physical_device.h"
#include "tests/icd/recorded.h"
#include "tests/icd/recording.h"
#include "tests/icd/state.h"
#include "tests/icd/tables.h"

namespace fake {

namespace {

using State = CommandBuffer::State;

// --- pools --------------------------------------------------------------

bool has_family(const Device& device, std::uint32_t family) {
  for (const auto& queue : device.queues)
    if (queue->family == family) return true;
  return false;
}

void check_create_pool(Call& call, const args_vkCreateCommandPool& a) {
  if (!has_family(*call.device, a.pCreateInfo->queueFamilyIndex))
    violation("the device was created without queues of this family");
}

VkResult create_pool(Call& call, args_vkCreateCommandPool& a) {
  auto pool = std::make_shared<CommandPool>();
  pool->flags = a.pCreateInfo->flags;
  pool->family = a.pCreateInfo->queueFamilyIndex;
  *a.pCommandPool = as_handle<VkCommandPool>(publish(pool, call.device));
  return VK_SUCCESS;
}

std::shared_ptr<CommandBuffer> buffer_of(std::uint64_t handle) {
  return std::static_pointer_cast<CommandBuffer>(find(CommandBuffer::kType, handle));
}

void check_members_idle(const CommandPool& pool) {
  for (const std::uint64_t handle : pool.members)
    if (const auto buffer = buffer_of(handle); buffer != nullptr && buffer->state == State::pending)
      return violation("a command buffer of the pool is pending");
}

void check_reset_pool(Call&, const args_vkResetCommandPool& a) { check_members_idle(*get<CommandPool>(a.commandPool)); }

VkResult reset_pool(Call&, args_vkResetCommandPool& a) {
  for (const std::uint64_t handle : get<CommandPool>(a.commandPool)->members) buffer_of(handle)->clear();
  return VK_SUCCESS;
}

void check_destroy_pool(Call&, const args_vkDestroyCommandPool& a) {
  if (const auto pool = get<CommandPool>(a.commandPool); pool != nullptr) check_members_idle(*pool);
}

void destroy_pool(Call&, args_vkDestroyCommandPool& a) {
  const auto pool = get<CommandPool>(a.commandPool);
  if (pool == nullptr) return;
  for (const std::uint64_t handle : pool->members) {
    const auto buffer = buffer_of(handle);
    buffer->clear();
    retire(CommandBuffer::kType, handle);
  }
  retire(CommandPool::kType, pool->handle);
}

// --- buffers ------------------------------------------------------------

VkResult allocate(Call& call, args_vkAllocateCommandBuffers& a) {
  const auto pool = get<CommandPool>(a.pAllocateInfo->commandPool);
  for (std::uint32_t i = 0; i < a.pAllocateInfo->commandBufferCount; ++i) {
    auto buffer = std::make_shared<CommandBuffer>();
    buffer->level = a.pAllocateInfo->level;
    buffer->pool = pool->handle;
    buffer->capabilities = queue_families()[pool->family].queueFlags;
    const std::uint64_t handle = publish(buffer, call.device);
    pool->members.insert(handle);
    a.pCommandBuffers[i] = as_handle<VkCommandBuffer>(handle);
  }
  return VK_SUCCESS;
}

void check_allocate(Call&, const args_vkAllocateCommandBuffers& a) {
  if (a.pAllocateInfo->commandBufferCount == 0) violation("commandBufferCount is 0");
}

void check_free(Call&, const args_vkFreeCommandBuffers& a) {
  const auto pool = get<CommandPool>(a.commandPool);
  std::set<std::uint64_t> seen;
  for (std::uint32_t i = 0; i < a.commandBufferCount; ++i) {
    const std::uint64_t handle = number(a.pCommandBuffers[i]);
    if (handle == 0) continue;
    const auto buffer = buffer_of(handle);
    if (buffer->pool != pool->handle) violation("a command buffer is of another pool");
    if (buffer->state == State::pending) violation("a command buffer is pending");
    if (!seen.insert(handle).second) violation("a command buffer is freed twice");
  }
}

void free_buffers(Call&, args_vkFreeCommandBuffers& a) {
  const auto pool = get<CommandPool>(a.commandPool);
  for (std::uint32_t i = 0; i < a.commandBufferCount; ++i) {
    const std::uint64_t handle = number(a.pCommandBuffers[i]);
    if (handle == 0) continue;
    buffer_of(handle)->clear();
    pool->members.erase(handle);
    retire(CommandBuffer::kType, handle);
  }
}

void check_begin_buffer(Call& call, const args_vkBeginCommandBuffer& a) {
  const CommandBuffer& buffer = *call.command_buffer;
  const auto pool = std::static_pointer_cast<CommandPool>(find(CommandPool::kType, buffer.pool));
  if (buffer.state == State::recording) return violation("the command buffer is already recording");
  if (buffer.state == State::pending) return violation("the command buffer is pending");
  if (buffer.state != State::initial && (pool->flags & VK_COMMAND_POOL_CREATE_RESET_COMMAND_BUFFER_BIT) == 0)
    return violation("its pool resets no single buffers, and it is not in the initial state");
  const bool continues = (a.pBeginInfo->flags & VK_COMMAND_BUFFER_USAGE_RENDER_PASS_CONTINUE_BIT) != 0;
  if (buffer.level != VK_COMMAND_BUFFER_LEVEL_SECONDARY || !continues) return;
  const VkCommandBufferInheritanceInfo& inherited = *a.pBeginInfo->pInheritanceInfo;
  const auto pass = get<RenderPass>(inherited.renderPass);
  if (pass == nullptr && chained<VkCommandBufferInheritanceRenderingInfo>(inherited) == nullptr)
    return violation("it continues a render pass and inherits none");
  if (pass != nullptr && inherited.subpass >= pass->subpasses.size())
    return violation("it inherits a subpass that its render pass lacks");
}

VkResult begin(Call& call, args_vkBeginCommandBuffer& a) {
  CommandBuffer& buffer = *call.command_buffer;
  buffer.clear();
  buffer.state = State::recording;
  buffer.locked = call.device->holds_profiling_lock;
  buffer.usage = a.pBeginInfo->flags;
  if (buffer.level == VK_COMMAND_BUFFER_LEVEL_SECONDARY &&
      (buffer.usage & VK_COMMAND_BUFFER_USAGE_RENDER_PASS_CONTINUE_BIT) != 0) {
    const VkCommandBufferInheritanceInfo& inherited = *a.pBeginInfo->pInheritanceInfo;
    buffer.in_render_pass = buffer.continues = true;
    buffer.render_pass = get<RenderPass>(inherited.renderPass);
    buffer.framebuffer = get<Framebuffer>(inherited.framebuffer);
    buffer.in_rendering = buffer.render_pass == nullptr;
    buffer.subpass = inherited.subpass;
    if (buffer.render_pass != nullptr) buffer.uses.push_back(buffer.render_pass);
    if (buffer.framebuffer != nullptr) buffer.uses.push_back(buffer.framebuffer);
  }
  return VK_SUCCESS;
}

void check_end_buffer(Call& call, const args_vkEndCommandBuffer&) {
  const CommandBuffer& buffer = *call.command_buffer;
  if (buffer.state != State::recording)
    violation("the command buffer is not recording");
  else if (buffer.in_render_pass && !buffer.continues)
    violation("a render pass is not ended");
  else if (!buffer.active_queries.empty())
    violation("a query is not ended");
  else if (buffer.bound.feedback || buffer.bound.conditional)
    violation("transform feedback or conditional rendering is not ended");
}

VkResult end(Call& call, args_vkEndCommandBuffer&) {
  call.command_buffer->state = State::executable;
  return VK_SUCCESS;
}

void check_reset_buffer(Call& call, const args_vkResetCommandBuffer&) {
  const auto pool = std::static_pointer_cast<CommandPool>(find(CommandPool::kType, call.command_buffer->pool));
  if (call.command_buffer->state == State::pending) violation("the command buffer is pending");
  if ((pool->flags & VK_COMMAND_POOL_CREATE_RESET_COMMAND_BUFFER_BIT) == 0)
    violation("its pool resets no single buffers");
}

VkResult reset_buffer(Call& call, args_vkResetCommandBuffer&) {
  call.command_buffer->clear();
  return VK_SUCCESS;
}

// --- while recording ------------------------------------------------------

void begin_pass(CommandBuffer& buffer, const VkRenderPassBeginInfo& info) {
  buffer.in_render_pass = true;
  buffer.in_rendering = false;
  buffer.render_pass = get<RenderPass>(info.renderPass);
  buffer.framebuffer = get<Framebuffer>(info.framebuffer);
  buffer.subpass = 0;
}

void end_pass(CommandBuffer& buffer) {
  buffer.in_render_pass = buffer.in_rendering = false;
  buffer.render_pass = nullptr;
  buffer.framebuffer = nullptr;
}

bool stands_beside_secondaries(CommandId id) {
  switch (id) {
    case CommandId::vkCmdExecuteCommands:
    case CommandId::vkCmdNextSubpass:
    case CommandId::vkCmdNextSubpass2:
    case CommandId::vkCmdEndRenderPass:
    case CommandId::vkCmdEndRenderPass2:
    case CommandId::vkCmdEndRendering:
#ifdef VK_KHR_maintenance10
    case CommandId::vkCmdEndRendering2KHR:
#endif
      return true;
    default:
      return false;
  }
}

}  // namespace

void check_recording(const Call& call) {
  const CommandBuffer& buffer = *call.command_buffer;
  if (buffer.state != State::recording) return violation("the command buffer is not recording");
  const tables::Entry* entry = tables::find_entry(call.id);
  if (entry == nullptr) return;
  if (entry->queues != 0 && (entry->queues & buffer.capabilities) == 0)
    violation("the command buffer's queue family cannot do this");
  if (entry->primary_only && buffer.level != VK_COMMAND_BUFFER_LEVEL_PRIMARY)
    violation("is recorded into a secondary command buffer");
  if (entry->place == tables::Place::inside && !buffer.in_render_pass) violation("is outside a render pass");
  const bool fills = call.canonical == CommandId::vkCmdFillBuffer || call.canonical == CommandId::vkCmdUpdateBuffer;
  if (entry->place == tables::Place::outside && buffer.in_render_pass)
    fills ? sloppy("is inside a render pass") : violation("is inside a render pass");
  if (buffer.bound.secondaries_only && !stands_beside_secondaries(call.canonical))
    violation("is in a subpass that takes only secondary command buffers");
}

namespace {

void note_state(const Call& call) {
  CommandBuffer& buffer = *call.command_buffer;
  switch (call.canonical) {
    case CommandId::vkCmdBeginRenderPass:
      return begin_pass(buffer, *static_cast<args_vkCmdBeginRenderPass*>(call.args)->pRenderPassBegin);
    case CommandId::vkCmdBeginRenderPass2:
      return begin_pass(buffer, *static_cast<args_vkCmdBeginRenderPass2*>(call.args)->pRenderPassBegin);
    case CommandId::vkCmdBeginRendering:
      buffer.in_render_pass = buffer.in_rendering = true;
      return;
    case CommandId::vkCmdNextSubpass:
    case CommandId::vkCmdNextSubpass2:
      ++buffer.subpass;
      return;
    case CommandId::vkCmdEndRenderPass:
    case CommandId::vkCmdEndRenderPass2:
    case CommandId::vkCmdEndRendering:
#ifdef VK_KHR_maintenance10
    case CommandId::vkCmdEndRendering2KHR:
#endif
      return end_pass(buffer);
    case CommandId::vkCmdBindPipeline: {
      const auto& a = *static_cast<args_vkCmdBindPipeline*>(call.args);
      buffer.bound_pipelines[a.pipelineBindPoint] = get<Pipeline>(a.pipeline);
      return;
    }
    case CommandId::vkCmdBeginQuery: {
      const auto& a = *static_cast<args_vkCmdBeginQuery*>(call.args);
      buffer.active_queries[{number(a.queryPool), a.query}] = a.flags;
      const VkQueryType type = get<QueryPool>(a.queryPool)->query_type;
      buffer.begins_statistics = buffer.begins_statistics || type == VK_QUERY_TYPE_PIPELINE_STATISTICS;
      if (type == VK_QUERY_TYPE_PERFORMANCE_QUERY_KHR) buffer.counter_pools.insert(number(a.queryPool));
      return;
    }
    case CommandId::vkCmdResetQueryPool:
      buffer.reset_pools.insert(number(static_cast<args_vkCmdResetQueryPool*>(call.args)->queryPool));
      return;
    case CommandId::vkCmdBeginQueryIndexedEXT: {
      const auto& a = *static_cast<args_vkCmdBeginQueryIndexedEXT*>(call.args);
      buffer.active_queries[{number(a.queryPool), a.query}] = a.flags;
      return;
    }
    case CommandId::vkCmdEndQuery: {
      const auto& a = *static_cast<args_vkCmdEndQuery*>(call.args);
      buffer.active_queries.erase({number(a.queryPool), a.query});
      return;
    }
    case CommandId::vkCmdEndQueryIndexedEXT: {
      const auto& a = *static_cast<args_vkCmdEndQueryIndexedEXT*>(call.args);
      buffer.active_queries.erase({number(a.queryPool), a.query});
      return;
    }
    case CommandId::vkCmdExecuteCommands: {
      const auto& a = *static_cast<args_vkCmdExecuteCommands*>(call.args);
      for (std::uint32_t i = 0; i < a.commandBufferCount; ++i) {
        const auto secondary = get<CommandBuffer>(a.pCommandBuffers[i]);
        buffer.secondaries.push_back({secondary, secondary->recording});
      }
      return;
    }
    default:
      return;
  }
}

}  // namespace

void note_recorded(const Call& call) {
  note_state(call);
  note_bound(call);
}

void CommandBuffer::clear() {
  state = State::initial;
  usage = 0;
  continues = in_render_pass = in_rendering = false;
  render_pass = nullptr;
  framebuffer = nullptr;
  subpass = 0;
  active_queries.clear();
  begins_statistics = locked = false;
  counter_pools.clear();
  reset_pools.clear();
  bound_pipelines.clear();
  pushed.clear();
  bound = {};
  reaches.clear();
  ++recording;
  steps.clear();
  uses.clear();
  secondaries.clear();
}

void CommandBuffer::begin_pending() {
  ++pending;
  state = State::pending;
  for (const Executed& secondary : secondaries) secondary.buffer->begin_pending();
}

void CommandBuffer::end_pending() {
  for (const Executed& secondary : secondaries) secondary.buffer->end_pending();
  if (--pending == 0)
    state = (usage & VK_COMMAND_BUFFER_USAGE_ONE_TIME_SUBMIT_BIT) != 0 ? State::invalid : State::executable;
}

void install_command_buffers(Table& table) {
  table.check<check_create_pool>(CommandId::vkCreateCommandPool);
  table.behave<create_pool>(CommandId::vkCreateCommandPool);
  table.check<check_reset_pool>(CommandId::vkResetCommandPool);
  table.behave<reset_pool>(CommandId::vkResetCommandPool);
  table.check<check_destroy_pool>(CommandId::vkDestroyCommandPool);
  table.behave<destroy_pool>(CommandId::vkDestroyCommandPool);
  table.check<check_allocate>(CommandId::vkAllocateCommandBuffers);
  table.behave<allocate>(CommandId::vkAllocateCommandBuffers);
  table.check<check_free>(CommandId::vkFreeCommandBuffers);
  table.behave<free_buffers>(CommandId::vkFreeCommandBuffers);
  table.check<check_begin_buffer>(CommandId::vkBeginCommandBuffer);
  table.behave<begin>(CommandId::vkBeginCommandBuffer);
  table.check<check_end_buffer>(CommandId::vkEndCommandBuffer);
  table.behave<end>(CommandId::vkEndCommandBuffer);
  table.check<check_reset_buffer>(CommandId::vkResetCommandBuffer);
  table.behave<reset_buffer>(CommandId::vkResetCommandBuffer);
}

}  // namespace fake
