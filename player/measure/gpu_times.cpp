// SPDX-License-Identifier: Apache-2.0
#include "player/measure/gpu_times.h"

#include <algorithm>

#include "generated/args.h"
#include "model/gpu/one_shot.h"
#include "player/plan/op_view.h"

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
  bool may_be_surrounded = false;
  std::size_t commands = 0;  // command buffers of its first or its last batch, at most
};

Asked asked_of(const args_vkQueueSubmit& a) {
  if (a.submitCount == 0) return {};
  const VkSubmitInfo &first = a.pSubmits[0], &last = a.pSubmits[a.submitCount - 1];
  return {takes_more_commands(first.pNext) && takes_more_commands(last.pNext),
          std::max(first.commandBufferCount, last.commandBufferCount)};
}

Asked asked_of(const args_vkQueueSubmit2& a) {
  if (a.submitCount == 0) return {};
  const VkSubmitInfo2 &first = a.pSubmits[0], &last = a.pSubmits[a.submitCount - 1];
  const bool is_protected = ((first.flags | last.flags) & VK_SUBMIT_PROTECTED_BIT) != 0;
  return {!is_protected && takes_more_commands(first.pNext) && takes_more_commands(last.pNext),
          std::max(first.commandBufferInfoCount, last.commandBufferInfoCount)};
}

// One more before or after the others.
template <class Commands>
const Commands* with_before(std::vector<Commands>& list, const Commands& before, const Commands* all,
                            std::uint32_t count) {
  list.clear();
  list.push_back(before);
  list.insert(list.end(), all, all + count);
  return list.data();
}

template <class Commands>
const Commands* with_after(std::vector<Commands>& list, const Commands& after, const Commands* all,
                           std::uint32_t count) {
  list.clear();
  list.insert(list.end(), all, all + count);
  list.push_back(after);
  return list.data();
}

}  // namespace

Error GpuTimes::failure(const char* command, VkResult result) const {
  return {Status::failed, run_.plan().path + ": measuring the device's time: " + gpu::describe(command, result)};
}

Result<void> GpuTimes::prepare(OpRange span) {
  const auto can_reset_queries = [&](const DeviceState& device) {
    return (run_.targets()[device.index].families[device.service_family].queueFlags &
            (VK_QUEUE_GRAPHICS_BIT | VK_QUEUE_COMPUTE_BIT)) != 0;
  };
  const Plan& plan = run_.plan();
  devices_.resize(plan.devices.size());
  std::vector<std::uint32_t> submits(plan.devices.size(), 0);
  std::size_t most_commands = 0;
  OpView view;
  for (std::uint32_t i = span.first; i < span.last; ++i) {
    const Op& op = plan.ops[i];
    const CommandId id = codec::info(op.command).canonical;
    if (id != CommandId::vkQueueSubmit && id != CommandId::vkQueueSubmit2) continue;
    view.load(plan, op);
    const Asked asked = id == CommandId::vkQueueSubmit ? asked_of(view.as<args_vkQueueSubmit>())
                                                       : asked_of(view.as<args_vkQueueSubmit2>());
    const auto& device = run_.device_at(op.device);
    if (!asked.may_be_surrounded || device == nullptr || !can_reset_queries(*device)) continue;
    for (const LiveQueue& queue : device->queues) {
      if (queue.id != op.dispatch) continue;
      const std::uint32_t bits = run_.targets()[op.device].families[queue.family].timestampValidBits;
      if (bits == 0) continue;
      if (bits < 64) devices_[op.device].mask &= (std::uint64_t{1} << bits) - 1;
      auto lane = std::find_if(lanes_.begin(), lanes_.end(),
                               [&](const Lane& one) { return one.device == op.device && one.family == queue.family; });
      if (lane == lanes_.end()) {
        lane = lanes_.emplace(lanes_.end());
        lane->device = op.device;
        lane->family = queue.family;
      }
      ++lane->submits;
      most_commands = std::max(most_commands, asked.commands);
      ++submits[op.device];
      lane_of_[i] = static_cast<std::uint32_t>(lane - lanes_.begin());
    }
  }
  for (std::uint32_t i = 0; i < devices_.size(); ++i) {
    if (submits[i] == 0) continue;
    devices_[i].period = static_cast<double>(run_.targets()[i].properties.limits.timestampPeriod);
    devices_[i].busy.reserve(submits[i]);
  }
  // A batch gets two more; of a single one the second list is made of the first.
  first_.reserve(most_commands + 2);
  last_.reserve(most_commands + 2);
  first2_.reserve(most_commands + 2);
  last2_.reserve(most_commands + 2);
  const std::uint32_t most = may_be_idle(span) ? kPairs : UINT32_MAX;
  for (Lane& lane : lanes_) RONDO_TRY(make_pairs(lane, std::min(lane.submits, most)));
  return {};
}

// Whether nothing that was submitted waits for a later call, whenever a submit of the span is made.
bool GpuTimes::may_be_idle(OpRange span) const {
  const Plan& plan = run_.plan();
  const auto& objects = plan.objects.objects();
  if (std::any_of(objects.begin(), objects.end(),
                  [](const Object& object) { return object.type == HandleType::VkEvent; }))
    return false;
  SyncModel sync = run_.position().sync;
  for (std::uint32_t i = span.first; i < span.last; ++i) {
    if (!lane_of_.contains(i)) continue;
    sync.advance(i);
    if (sync.blocked()) return false;
  }
  return true;
}

Result<void> GpuTimes::make_pairs(Lane& lane, std::uint32_t count) {
  DeviceState& device = *run_.device_at(lane.device);
  const auto commands = command_pool(lane.device, lane.family);
  if (!commands) return tl::unexpected<Error>(commands.error());
  VkQueryPoolCreateInfo info{};
  info.sType = VK_STRUCTURE_TYPE_QUERY_POOL_CREATE_INFO;
  info.queryType = VK_QUERY_TYPE_TIMESTAMP;
  info.queryCount = 2 * count;
  const VkResult r = device.dispatch.vkCreateQueryPool(device.handle, &info, nullptr, &lane.queries);
  if (r < 0) return tl::unexpected<Error>(failure("vkCreateQueryPool", r));
  device.own_query_pools.push_back(lane.queries);
  lane.pairs.reserve(count);
  for (std::uint32_t i = 0; i < count; ++i) {
    const auto before = record(lane, *commands, VK_PIPELINE_STAGE_TOP_OF_PIPE_BIT, 2 * i);
    if (!before) return tl::unexpected<Error>(before.error());
    const auto after = record(lane, *commands, VK_PIPELINE_STAGE_BOTTOM_OF_PIPE_BIT, 2 * i + 1);
    if (!after) return tl::unexpected<Error>(after.error());
    lane.pairs.push_back({*before, *after});
  }
  values_.reserve(std::max<std::size_t>(values_.capacity(), 2 * count));
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

// A command buffer that writes that query.
Result<VkCommandBuffer> GpuTimes::record(const Lane& lane, VkCommandPool commands, VkPipelineStageFlagBits stage,
                                         std::uint32_t query) {
  DeviceState& device = *run_.device_at(lane.device);
  const VkCommandBufferAllocateInfo info{VK_STRUCTURE_TYPE_COMMAND_BUFFER_ALLOCATE_INFO, nullptr, commands,
                                         VK_COMMAND_BUFFER_LEVEL_PRIMARY, 1};
  VkCommandBuffer buffer = VK_NULL_HANDLE;
  VkResult r = device.dispatch.vkAllocateCommandBuffers(device.handle, &info, &buffer);
  if (r < 0) return tl::unexpected<Error>(failure("vkAllocateCommandBuffers", r));
  const VkCommandBufferBeginInfo begin{VK_STRUCTURE_TYPE_COMMAND_BUFFER_BEGIN_INFO, nullptr, 0, nullptr};
  r = device.dispatch.vkBeginCommandBuffer(buffer, &begin);
  if (r < 0) return tl::unexpected<Error>(failure("vkBeginCommandBuffer", r));
  device.dispatch.vkCmdWriteTimestamp(buffer, stage, lane.queries, query);
  r = device.dispatch.vkEndCommandBuffer(buffer);
  if (r < 0) return tl::unexpected<Error>(failure("vkEndCommandBuffer", r));
  return buffer;
}

Result<void> GpuTimes::reset() {
  for (Lane& lane : lanes_) lane.used = 0;
  for (Device& device : devices_) {
    device.zero.reset();
    device.busy.clear();
  }
  return reset_queries();
}

// By commands: the host may reset queries only where that feature is on. Not every family can.
Result<void> GpuTimes::reset_queries() {
  for (std::uint32_t i = 0; i < devices_.size(); ++i) {
    const auto is_of_device = [&](const Lane& lane) { return lane.device == i; };
    if (run_.device_at(i) == nullptr || std::none_of(lanes_.begin(), lanes_.end(), is_of_device)) continue;
    DeviceState& device = *run_.device_at(i);
    gpu::OneShot& commands = device.one_shot(device.service_family);
    auto begun = commands.begin();
    if (!begun) return tl::unexpected<Error>(begun.error());
    for (const Lane& lane : lanes_)
      if (is_of_device(lane))
        device.dispatch.vkCmdResetQueryPool(*begun, lane.queries, 0, static_cast<std::uint32_t>(2 * lane.pairs.size()));
    RONDO_TRY(commands.submit_and_wait(device.service_queue, {}));
  }
  return {};
}

Result<void> GpuTimes::read(Lane& lane) {
  if (lane.used == 0) return {};
  const DeviceState& state = *run_.device_at(lane.device);
  Device& device = devices_[lane.device];
  values_.resize(2 * lane.used);
  const VkResult r = state.dispatch.vkGetQueryPoolResults(state.handle, lane.queries, 0, 2 * lane.used,
                                                          values_.size() * sizeof(std::uint64_t), values_.data(),
                                                          sizeof(std::uint64_t), VK_QUERY_RESULT_64_BIT);
  if (r != VK_SUCCESS) return tl::unexpected<Error>(failure("vkGetQueryPoolResults", r));
  if (!device.zero) device.zero = values_[0];
  for (std::size_t i = 0; i < values_.size(); i += 2)
    device.busy.emplace_back(ticks_since(*device.zero, values_[i], device.mask),
                             ticks_since(*device.zero, values_[i + 1], device.mask));
  lane.used = 0;
  return {};
}

Result<GpuTimes::Pair> GpuTimes::next_pair(Lane& lane) {
  if (lane.used == lane.pairs.size()) {
    const TimingPause pause(run_);
    RONDO_TRY(run_.idle());
    for (Lane& one : lanes_)
      if (run_.device_at(one.device) != nullptr) RONDO_TRY(read(one));
    RONDO_TRY(reset_queries());
  }
  return lane.pairs[lane.used++];
}

Result<void> GpuTimes::surround(std::uint32_t op, VkSubmitInfo* submits, std::uint32_t count) {
  const auto found = lane_of_.find(op);
  if (found == lane_of_.end()) return {};
  const auto own = next_pair(lanes_[found->second]);
  if (!own) return tl::unexpected<Error>(own.error());
  VkSubmitInfo &first = submits[0], &last = submits[count - 1];
  first.pCommandBuffers = with_before(first_, own->before, first.pCommandBuffers, first.commandBufferCount++);
  last.pCommandBuffers = with_after(last_, own->after, last.pCommandBuffers, last.commandBufferCount++);
  return {};
}

Result<void> GpuTimes::surround(std::uint32_t op, VkSubmitInfo2* submits, std::uint32_t count) {
  const auto found = lane_of_.find(op);
  if (found == lane_of_.end()) return {};
  const auto own = next_pair(lanes_[found->second]);
  if (!own) return tl::unexpected<Error>(own.error());
  const auto info = [](VkCommandBuffer commands) {
    return VkCommandBufferSubmitInfo{VK_STRUCTURE_TYPE_COMMAND_BUFFER_SUBMIT_INFO, nullptr, commands, 0};
  };
  VkSubmitInfo2 &first = submits[0], &last = submits[count - 1];
  first.pCommandBufferInfos =
      with_before(first2_, info(own->before), first.pCommandBufferInfos, first.commandBufferInfoCount++);
  last.pCommandBufferInfos =
      with_after(last2_, info(own->after), last.pCommandBufferInfos, last.commandBufferInfoCount++);
  return {};
}

Result<std::optional<double>> GpuTimes::seconds() {
  double sum = 0;
  for (Lane& lane : lanes_) {
    if (run_.device_at(lane.device) == nullptr) return std::optional<double>();  // it ended in the span
    RONDO_TRY(read(lane));
  }
  for (Device& device : devices_)
    if (!device.busy.empty()) sum += static_cast<double>(covered_by(device.busy)) * device.period * 1e-9;
  return lanes_.empty() ? std::optional<double>() : sum;
}

}  // namespace rondo::player
