// SPDX-License-Identifier: Apache-2.0
#include "player/gpu_times.h"

#include <algorithm>

#include "generated/args.h"
#include "gpu/one_shot.h"
#include "player/op_view.h"

namespace rondo::player {

bool takes_more_commands(const void* chain) {
  for (const auto* next = static_cast<const VkBaseInStructure*>(chain); next != nullptr; next = next->pNext)
    switch (next->sType) {
      case VK_STRUCTURE_TYPE_DEVICE_GROUP_SUBMIT_INFO:
      case VK_STRUCTURE_TYPE_PROTECTED_SUBMIT_INFO:
      case VK_STRUCTURE_TYPE_PERFORMANCE_QUERY_SUBMIT_INFO_KHR:
        return false;
      default:
        break;
    }
  return true;
}

namespace {

// What a submit asks for; nothing of the handles in it.
struct Asked {
  bool surroundable = false;
  std::uint32_t first = 0, last = 0;  // command buffers of the first batch, and of the last
};

Asked asked_of(const args_vkQueueSubmit& a) {
  if (a.submitCount == 0) return {};
  const VkSubmitInfo &first = a.pSubmits[0], &last = a.pSubmits[a.submitCount - 1];
  return {takes_more_commands(first.pNext) && takes_more_commands(last.pNext), first.commandBufferCount, last.commandBufferCount};
}

Asked asked_of(const args_vkQueueSubmit2& a) {
  if (a.submitCount == 0) return {};
  const VkSubmitInfo2 &first = a.pSubmits[0], &last = a.pSubmits[a.submitCount - 1];
  const bool is_protected = ((first.flags | last.flags) & VK_SUBMIT_PROTECTED_BIT) != 0;
  return {!is_protected && takes_more_commands(first.pNext) && takes_more_commands(last.pNext), first.commandBufferInfoCount,
          last.commandBufferInfoCount};
}

// One more in front, or behind; `list` has room.
template <class Commands>
const Commands* with_before(std::vector<Commands>& list, const Commands& before, const Commands* all, std::uint32_t count) {
  list.clear();
  list.push_back(before);
  list.insert(list.end(), all, all + count);
  return list.data();
}

template <class Commands>
const Commands* with_behind(std::vector<Commands>& list, const Commands& behind, const Commands* all, std::uint32_t count) {
  list.clear();
  list.insert(list.end(), all, all + count);
  list.push_back(behind);
  return list.data();
}

}  // namespace

Error GpuTimes::failure(const char* command, VkResult result) const {
  return {Status::failed, run_.plan().path + ": measuring the device's time: " + gpu::describe(command, result)};
}

Result<void> GpuTimes::prepare(OpRange span) {
  struct Wanted {
    std::uint32_t op, family;
    Asked asked;
  };
  const auto can_reset_queries = [&](const DeviceState& device) {
    return (run_.targets()[device.index].families[device.service_family].queueFlags &
            (VK_QUEUE_GRAPHICS_BIT | VK_QUEUE_COMPUTE_BIT)) != 0;
  };
  const Plan& plan = run_.plan();
  std::vector<std::vector<Wanted>> wanted(plan.devices.size());
  OpView view;
  for (std::uint32_t i = span.first; i < span.last; ++i) {
    const Op& op = plan.ops[i];
    const CommandId id = codec::info(op.command).canonical;
    if (id != CommandId::vkQueueSubmit && id != CommandId::vkQueueSubmit2) continue;
    view.load(plan, op);
    const Asked asked = id == CommandId::vkQueueSubmit ? asked_of(view.as<args_vkQueueSubmit>())
                                                       : asked_of(view.as<args_vkQueueSubmit2>());
    const auto& device = run_.device_at(op.device);
    const LiveQueue* queue = nullptr;
    if (device != nullptr)
      for (const LiveQueue& one : device->queues)
        if (one.id == op.dispatch) queue = &one;
    const std::uint32_t bits = queue == nullptr || !can_reset_queries(*device) ? 0 : run_.targets()[op.device].families[queue->family].timestampValidBits;
    if (asked.surroundable && bits != 0) wanted[op.device].push_back({i, queue->family, asked});
  }
  for (std::uint32_t d = 0; d < wanted.size(); ++d) {
    if (wanted[d].empty()) continue;
    DeviceState& device = *run_.device_at(d);
    const LiveDevice& live = run_.targets()[d];
    Pool pool;
    pool.device = d;
    pool.queries = static_cast<std::uint32_t>(2 * wanted[d].size());
    pool.values.resize(pool.queries);
    pool.busy.reserve(wanted[d].size());
    pool.period = static_cast<double>(live.properties.limits.timestampPeriod);
    pool.mask = UINT64_MAX;
    for (const Wanted& one : wanted[d]) {
      const std::uint32_t bits = live.families[one.family].timestampValidBits;
      if (bits < 64) pool.mask &= (std::uint64_t{1} << bits) - 1;
    }
    VkQueryPoolCreateInfo info{};
    info.sType = VK_STRUCTURE_TYPE_QUERY_POOL_CREATE_INFO;
    info.queryType = VK_QUERY_TYPE_TIMESTAMP;
    info.queryCount = pool.queries;
    const VkResult r = device.dispatch.vkCreateQueryPool(device.handle, &info, nullptr, &pool.handle);
    if (r < 0) return tl::unexpected<Error>(failure("vkCreateQueryPool", r));
    device.own_query_pools.push_back(pool.handle);
    pools_.push_back(std::move(pool));
    for (const Wanted& one : wanted[d]) {
      RONDO_TRY(add(one.op, pools_.back(), one.family));
      Submit& submit = submits_[one.op];
      const bool second = codec::info(plan.ops[one.op].command).canonical == CommandId::vkQueueSubmit2;
      // Of a single batch the second list is made of the first.
      const std::size_t most = std::max(one.asked.first, one.asked.last) + std::size_t{2};
      if (second) {
        submit.first2.reserve(most);
        submit.last2.reserve(most);
      } else {
        submit.first.reserve(most);
        submit.last.reserve(most);
      }
    }
  }
  return {};
}

Result<void> GpuTimes::add(std::uint32_t op, Pool& pool, std::uint32_t family) {
  const auto commands = command_pool(pool.device, family);
  if (!commands) return tl::unexpected<Error>(commands.error());
  const auto before = record(pool, *commands, VK_PIPELINE_STAGE_TOP_OF_PIPE_BIT);
  if (!before) return tl::unexpected<Error>(before.error());
  const auto behind = record(pool, *commands, VK_PIPELINE_STAGE_BOTTOM_OF_PIPE_BIT);
  if (!behind) return tl::unexpected<Error>(behind.error());
  Submit& submit = submits_[op];
  submit.before = *before;
  submit.behind = *behind;
  return {};
}

Result<VkCommandPool> GpuTimes::command_pool(std::uint32_t index, std::uint32_t family) {
  VkCommandPool& pool = command_pools_[std::uint64_t{index} << 32 | family];
  if (pool != VK_NULL_HANDLE) return pool;
  DeviceState& device = *run_.device_at(index);
  const VkCommandPoolCreateInfo info{VK_STRUCTURE_TYPE_COMMAND_POOL_CREATE_INFO, nullptr, 0, family};
  const VkResult r = device.dispatch.vkCreateCommandPool(device.handle, &info, nullptr, &pool);
  if (r < 0) return tl::unexpected<Error>(failure("vkCreateCommandPool", r));
  device.own_command_pools.push_back(pool);
  return pool;
}

// A command buffer that writes the pool's next query.
Result<VkCommandBuffer> GpuTimes::record(Pool& pool, VkCommandPool commands, VkPipelineStageFlagBits stage) {
  DeviceState& device = *run_.device_at(pool.device);
  const VkCommandBufferAllocateInfo info{VK_STRUCTURE_TYPE_COMMAND_BUFFER_ALLOCATE_INFO, nullptr, commands,
                                         VK_COMMAND_BUFFER_LEVEL_PRIMARY, 1};
  VkCommandBuffer buffer = VK_NULL_HANDLE;
  VkResult r = device.dispatch.vkAllocateCommandBuffers(device.handle, &info, &buffer);
  if (r < 0) return tl::unexpected<Error>(failure("vkAllocateCommandBuffers", r));
  const VkCommandBufferBeginInfo begin{VK_STRUCTURE_TYPE_COMMAND_BUFFER_BEGIN_INFO, nullptr, 0, nullptr};
  r = device.dispatch.vkBeginCommandBuffer(buffer, &begin);
  if (r < 0) return tl::unexpected<Error>(failure("vkBeginCommandBuffer", r));
  device.dispatch.vkCmdWriteTimestamp(buffer, stage, pool.handle, pool.used++);
  r = device.dispatch.vkEndCommandBuffer(buffer);
  if (r < 0) return tl::unexpected<Error>(failure("vkEndCommandBuffer", r));
  return buffer;
}

// By commands: the host may reset queries only where that feature is on. Not every family can.
Result<void> GpuTimes::reset() {
  for (const Pool& pool : pools_) {
    DeviceState& device = *run_.device_at(pool.device);
    gpu::OneShot& commands = device.one_shot(device.service_family);
    auto begun = commands.begin();
    if (!begun) return tl::unexpected<Error>(begun.error());
    device.dispatch.vkCmdResetQueryPool(*begun, pool.handle, 0, pool.queries);
    RONDO_TRY(commands.submit_and_wait(device.service_queue, {}));
  }
  return {};
}

void GpuTimes::surround(std::uint32_t op, VkSubmitInfo* submits, std::uint32_t count) {
  const auto found = submits_.find(op);
  if (found == submits_.end()) return;
  Submit& own = found->second;
  VkSubmitInfo &first = submits[0], &last = submits[count - 1];
  first.pCommandBuffers = with_before(own.first, own.before, first.pCommandBuffers, first.commandBufferCount++);
  last.pCommandBuffers = with_behind(own.last, own.behind, last.pCommandBuffers, last.commandBufferCount++);
}

void GpuTimes::surround(std::uint32_t op, VkSubmitInfo2* submits, std::uint32_t count) {
  const auto found = submits_.find(op);
  if (found == submits_.end()) return;
  Submit& own = found->second;
  const auto info = [](VkCommandBuffer commands) {
    return VkCommandBufferSubmitInfo{VK_STRUCTURE_TYPE_COMMAND_BUFFER_SUBMIT_INFO, nullptr, commands, 0};
  };
  VkSubmitInfo2 &first = submits[0], &last = submits[count - 1];
  first.pCommandBufferInfos = with_before(own.first2, info(own.before), first.pCommandBufferInfos, first.commandBufferInfoCount++);
  last.pCommandBufferInfos = with_behind(own.last2, info(own.behind), last.pCommandBufferInfos, last.commandBufferInfoCount++);
}

Result<std::optional<double>> GpuTimes::seconds() {
  double sum = 0;
  for (Pool& pool : pools_) {
    if (run_.device_at(pool.device) == nullptr) return std::optional<double>();  // it ended in the span
    const DeviceState& device = *run_.device_at(pool.device);
    const VkResult r = device.dispatch.vkGetQueryPoolResults(
        device.handle, pool.handle, 0, pool.queries, pool.values.size() * sizeof(std::uint64_t), pool.values.data(),
        sizeof(std::uint64_t), VK_QUERY_RESULT_64_BIT);
    if (r != VK_SUCCESS) return tl::unexpected<Error>(failure("vkGetQueryPoolResults", r));
    pool.busy.clear();
    for (std::uint32_t i = 0; i < pool.queries; i += 2)
      pool.busy.emplace_back(ticks_since(pool.values[0], pool.values[i], pool.mask),
                             ticks_since(pool.values[0], pool.values[i + 1], pool.mask));
    sum += static_cast<double>(covered_by(pool.busy)) * pool.period * 1e-9;
  }
  return pools_.empty() ? std::optional<double>() : sum;
}

}  // namespace rondo::player
