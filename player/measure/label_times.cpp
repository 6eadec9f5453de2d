// SPDX-License-Identifier: Apache-2.0
#include "player/measure/label_times.h"

#include <algorithm>

#include "generated/args.h"
#include "model/gpu/one_shot.h"
#include "player/plan/op_view.h"

namespace rondo::player {

namespace {

const char* label_name(const OpView& view, CommandId canonical) {
  if (canonical == CommandId::vkCmdBeginDebugUtilsLabelEXT) {
    const auto* info = view.as<args_vkCmdBeginDebugUtilsLabelEXT>().pLabelInfo;
    return info == nullptr || info->pLabelName == nullptr ? "" : info->pLabelName;
  }
  const auto* info = view.as<args_vkCmdDebugMarkerBeginEXT>().pMarkerInfo;
  return info == nullptr || info->pMarkerName == nullptr ? "" : info->pMarkerName;
}

// What is being recorded into a command buffer.
struct LabelledBuffer {
  std::uint32_t begin = kNone;
  std::vector<std::uint32_t> open;  // labels: their op; kNone: of another name
  std::vector<std::pair<std::uint32_t, std::uint32_t>> labels;
};

}  // namespace

LabelTimes::LabelTimes(Run& run, const std::string& name) : run_(run), pools_(run.plan().devices.size()) {
  const Plan& plan = run.plan();
  std::unordered_map<ObjectId, LabelledBuffer> recordings;
  std::unordered_map<ObjectId, std::uint32_t> families;  // of command pools
  OpView view;
  const auto finish = [&](ObjectId buffer, LabelledBuffer& recording) {
    if (recording.labels.empty()) return;
    const std::uint32_t device = plan.ops[recording.begin].device;
    const auto family = families.find(plan.objects.objects()[buffer].parent);
    if (device == kNone || family == families.end()) return;
    const VkQueueFamilyProperties& properties = run_.targets()[device].families[family->second];
    if (properties.timestampValidBits == 0 ||
        (properties.queueFlags & (VK_QUEUE_GRAPHICS_BIT | VK_QUEUE_COMPUTE_BIT)) == 0)
      return;
    Pool& pool = pools_[device];
    if (properties.timestampValidBits < 64) pool.mask &= (std::uint64_t{1} << properties.timestampValidBits) - 1;
    const auto count = static_cast<std::uint32_t>(2 * kQueries * recording.labels.size());
    actions_[recording.begin] = {buffer, pool.queries, count, VK_PIPELINE_STAGE_TOP_OF_PIPE_BIT};
    for (const auto& [begin, end] : recording.labels) {
      actions_[begin] = {buffer, pool.queries, 0, VK_PIPELINE_STAGE_TOP_OF_PIPE_BIT};
      actions_[end] = {buffer, pool.queries + kQueries, 0, VK_PIPELINE_STAGE_BOTTOM_OF_PIPE_BIT};
      pool.queries += 2 * kQueries;
    }
  };
  for (std::uint32_t i = 0; i < plan.span.last; ++i) {
    const Op& op = plan.ops[i];
    switch (const CommandId id = codec::info(op.command).canonical; id) {
      case CommandId::vkCreateCommandPool:
        view.load(plan, op);
        if (op.created != 0)
          families[plan.created[op.first_created].id] =
              view.as<args_vkCreateCommandPool>().pCreateInfo->queueFamilyIndex;
        break;
      case CommandId::vkBeginCommandBuffer: {
        view.load(plan, op);
        const auto* info = view.as<args_vkBeginCommandBuffer>().pBeginInfo;
        recordings[op.dispatch] = {};
        if (info != nullptr && (info->flags & VK_COMMAND_BUFFER_USAGE_RENDER_PASS_CONTINUE_BIT) == 0)
          recordings[op.dispatch].begin = i;
        break;
      }
      case CommandId::vkCmdBeginDebugUtilsLabelEXT:
      case CommandId::vkCmdDebugMarkerBeginEXT:
        view.load(plan, op);
        recordings[op.dispatch].open.push_back(label_name(view, id) == name ? i : kNone);
        break;
      case CommandId::vkCmdEndDebugUtilsLabelEXT:
      case CommandId::vkCmdDebugMarkerEndEXT: {
        LabelledBuffer& recording = recordings[op.dispatch];
        if (recording.open.empty()) break;
        if (recording.open.back() != kNone) recording.labels.emplace_back(recording.open.back(), i);
        recording.open.pop_back();
        break;
      }
      case CommandId::vkEndCommandBuffer:
        if (LabelledBuffer& recording = recordings[op.dispatch]; recording.begin != kNone)
          finish(op.dispatch, recording);
        recordings[op.dispatch] = {};
        break;
      default:
        break;
    }
  }
}

Error LabelTimes::failure(const char* command, VkResult result) const {
  return {Status::failed, run_.plan().path + ": measuring a label's time: " + gpu::describe(command, result)};
}

Result<VkQueryPool> LabelTimes::pool(std::uint32_t index) {
  Pool& pool = pools_[index];
  if (pool.handle != VK_NULL_HANDLE) return pool.handle;
  DeviceState& device = *run_.device_at(index);
  VkQueryPoolCreateInfo info{};
  info.sType = VK_STRUCTURE_TYPE_QUERY_POOL_CREATE_INFO;
  info.queryType = VK_QUERY_TYPE_TIMESTAMP;
  info.queryCount = pool.queries;
  const VkResult r = device.dispatch.vkCreateQueryPool(device.handle, &info, nullptr, &pool.handle);
  if (r < 0) return tl::unexpected<Error>(failure("vkCreateQueryPool", r));
  device.own_query_pools.push_back(pool.handle);
  return pool.handle;
}

VkQueryPool LabelTimes::live_pool(std::uint32_t index) {
  VkQueryPool& handle = pools_[index].handle;
  if (run_.device_at(index) == nullptr) handle = VK_NULL_HANDLE;
  return handle;
}

Result<void> LabelTimes::played(std::uint32_t op) {
  const auto found = actions_.find(op);
  if (found == actions_.end()) return {};
  const Action& action = found->second;
  const std::uint32_t index = run_.plan().ops[op].device;
  const auto queries = pool(index);
  if (!queries) return tl::unexpected<Error>(queries.error());
  const Dispatch& vk = run_.device_at(index)->dispatch;
  const auto commands = reinterpret_cast<VkCommandBuffer>(run_.slot(action.buffer));
  if (action.count != 0)
    vk.vkCmdResetQueryPool(commands, *queries, action.first, action.count);
  else
    vk.vkCmdWriteTimestamp(commands, action.stage, *queries, action.first);
  return {};
}

Result<void> LabelTimes::reset() {
  for (std::uint32_t d = 0; d < pools_.size(); ++d) {
    if (live_pool(d) == VK_NULL_HANDLE) continue;
    DeviceState& device = *run_.device_at(d);
    gpu::OneShot& commands = device.one_shot(device.service_family);
    auto begun = commands.begin();
    if (!begun) return tl::unexpected<Error>(begun.error());
    device.dispatch.vkCmdResetQueryPool(*begun, pools_[d].handle, 0, pools_[d].queries);
    RONDO_TRY(commands.submit_and_wait(device.service_queue, {}));
  }
  return {};
}

Result<std::optional<double>> LabelTimes::seconds() {
  std::optional<double> sum;
  for (std::uint32_t d = 0; d < pools_.size(); ++d) {
    if (live_pool(d) == VK_NULL_HANDLE) continue;
    const Pool& pool = pools_[d];
    const DeviceState& device = *run_.device_at(d);
    busy_.clear();
    std::uint64_t zero = 0;
    for (std::uint32_t first = 0; first < pool.queries; first += 2 * kQueries) {
      std::uint64_t ticks[2] = {};
      bool executed = true;
      for (std::uint32_t i = 0; executed && i < 2; ++i) {
        const VkResult r =
            device.dispatch.vkGetQueryPoolResults(device.handle, pool.handle, first + i * kQueries, 1, sizeof ticks[i],
                                                  &ticks[i], sizeof ticks[i], VK_QUERY_RESULT_64_BIT);
        if (r < 0) return tl::unexpected<Error>(failure("vkGetQueryPoolResults", r));
        executed = r == VK_SUCCESS;
      }
      if (!executed) continue;
      if (busy_.empty()) zero = ticks[0];
      busy_.emplace_back(ticks_since(zero, ticks[0], pool.mask), ticks_since(zero, ticks[1], pool.mask));
    }
    if (busy_.empty()) continue;
    const double period = static_cast<double>(run_.targets()[d].properties.limits.timestampPeriod);
    sum = sum.value_or(0) + static_cast<double>(covered_by(busy_)) * period * 1e-9;
  }
  return sum;
}

}  // namespace rondo::player
