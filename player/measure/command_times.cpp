// SPDX-License-Identifier: Apache-2.0
#include "player/measure/command_times.h"

#include <algorithm>
#include <bit>
#include <cstring>
#include <optional>
#include <utility>

#include "generated/args.h"
#include "model/gpu/one_shot.h"
#include "player/measure/gpu_times.h"
#include "player/measure/times.h"
#include "player/plan/op_view.h"

namespace rondo::player {

namespace {

constexpr std::uint32_t kMostQueries = 1 << 18;  // of a pool; more, where one command buffer has more
constexpr VkAccessFlags kAll = VK_ACCESS_MEMORY_READ_BIT | VK_ACCESS_MEMORY_WRITE_BIT;

}  // namespace

CommandTimes::CommandTimes(Run& run, const TimesWanted& wanted)
    : run_(run),
      wanted_(wanted),
      places_(wanted.points.size()),
      devices_(run.plan().devices.size()),
      grows_(wanted.commands.size(), false),
      submit_of_(wanted.commands.size(), kNone),
      copy_of_(wanted.commands.size(), kNone) {
  for (const std::uint32_t point : wanted.order) places_[point].uses += 1;
  find_ops();
  find_growing();
  find_resets();
  find_places();
  choose_copies();
}

// An op that waited for a later record has an older number than those around it: they are not sorted.
void CommandTimes::find_ops() {
  const Plan& plan = run_.plan();
  std::unordered_map<std::uint64_t, std::uint32_t> ops;
  for (const TimePoint& point : wanted_.points) ops.emplace(point.record, kNone);
  for (std::uint32_t i = 0; i < plan.span.last; ++i)
    if (const auto found = ops.find(plan.ops[i].sequence);
        found != ops.end() && codec::info(plan.ops[i].command).records_into_command_buffer)
      found->second = i;
  for (const TimePoint& point : wanted_.points) op_of_point_.push_back(ops.at(point.record));
}

// Which command buffer each point is recorded into, and its queries.
void CommandTimes::find_places() {
  const Plan& plan = run_.plan();
  actions_.assign(plan.span.last, kNone);
  const auto at = [&](std::uint32_t op) -> At& {
    if (actions_[op] == kNone) {
      actions_[op] = static_cast<std::uint32_t>(points_at_.size());
      points_at_.emplace_back();
    }
    return points_at_[actions_[op]];
  };
  std::unordered_map<ObjectId, std::uint32_t> families;  // of command pools
  OpView view;
  for (std::uint32_t i = 0; i < plan.span.last; ++i) {
    const Op& op = plan.ops[i];
    const CommandId id = codec::info(op.command).canonical;
    if (id == CommandId::vkCreateCommandPool && op.created != 0) {
      view.load(plan, op);
      families[plan.created[op.first_created].id] = view.as<args_vkCreateCommandPool>().pCreateInfo->queueFamilyIndex;
    } else if (id == CommandId::vkCreateDevice) {
      const std::uint32_t device = plan.place_of(op.subject);
      if (device < devices_.size() && i < plan.span.first) devices_[device].create_op = i;
    }
  }
  Kind kind;
  const bool is_around = wanted_.what != Measured::times;
  const auto can_be_timed = [&](const Op& op) {
    const auto family = families.find(plan.objects.objects()[op.dispatch].parent);
    if (op.device >= devices_.size() || devices_[op.device].create_op == kNone || family == families.end())
      return false;
    const LiveDevice& live = run_.targets()[op.device];
    if (family->second >= live.families.size()) return false;
    const VkQueueFamilyProperties& properties = live.families[family->second];
    const auto found = kind_of(op.device, family->second);
    if (!found) return false;
    kind = *found;
    Device& device = devices_[op.device];
    device.period = static_cast<double>(live.properties.limits.timestampPeriod);
    if (properties.timestampValidBits < 64) device.mask &= (std::uint64_t{1} << properties.timestampValidBits) - 1;
    return true;
  };
  const std::vector<bool> closed = is_around ? closed_to_queries() : std::vector<bool>();
  // In the order of execution, so that what one command buffer writes lies together.
  std::map<std::pair<std::uint32_t, Kind>, std::uint32_t> open;  // pools that have room, by device
  for (const std::uint32_t index : wanted_.order) {
    Place& place = places_[index];
    if (place.commands != ObjectId::null) continue;
    const TimePoint& point = wanted_.points[index];
    const std::uint32_t op = op_of_point_[index];
    const bool is_closed = op != kNone && is_around && closed[op];
    if (op == kNone || place.is_lost || is_closed || !can_be_timed(plan.ops[op])) {
      left_out_ += place.uses;
      in_own_queries_ += is_closed ? place.uses : 0;
      place.commands = op == kNone ? ObjectId{~0u} : plan.ops[op].dispatch;
      continue;
    }
    place.commands = plan.ops[op].dispatch;
    const std::uint32_t device = plan.ops[op].device;
    const auto [pool, fresh] = open.try_emplace({device, kind}, kNone);
    // Performance queries of one command buffer come from one pool, unless performanceCounterMultipleQueryPools is on
    // (VUID-vkCmdBeginQuery-queryPool-03226).
    const bool may_be_full = kind.counters == kNone || run_.targets()[device].counts_in_several_pools;
    const bool is_full = !fresh && may_be_full && pools_[pool->second].queries + queries_of(point) > kMostQueries;
    if (fresh || is_full) {
      pool->second = static_cast<std::uint32_t>(pools_.size());
      pools_.push_back({device, 0, kind, values_of(kind), VK_NULL_HANDLE});
    }
    place.pool = pool->second;
    place.first = pools_[place.pool].queries;
    pools_[place.pool].queries += queries_of(point);
    if (is_around || !point.after) at(op).before = index;
    if (is_around || point.after) at(op).after = index;
  }
  for (const auto& [key, pool] : open) at(devices_[key.first].create_op).makes = key.first;
}

std::optional<CommandTimes::Kind> CommandTimes::kind_of(std::uint32_t device, std::uint32_t family) {
  const VkQueueFamilyProperties& properties = run_.targets()[device].families[family];
  Kind kind;
  switch (wanted_.what) {
    case Measured::times:
      if (properties.timestampValidBits == 0 ||
          (properties.queueFlags & (VK_QUEUE_GRAPHICS_BIT | VK_QUEUE_COMPUTE_BIT)) == 0)
        return std::nullopt;
      return kind;
    case Measured::statistics:
      kind.statistics = statistics_of(device, properties);
      break;
    case Measured::counters:
      kind.counters = counters_of(device, family);
      break;
  }
  return kind.is_around() ? std::optional(kind) : std::nullopt;
}

std::uint32_t CommandTimes::values_of(const Kind& kind) const {
  if (kind.counters != kNone) return static_cast<std::uint32_t>(counter_sets_[kind.counters].indexes.size());
  return kind.statistics != 0 ? static_cast<std::uint32_t>(std::popcount(kind.statistics)) : 1;
}

// Which command buffers a command buffer of the player's own can follow in their submit.
void CommandTimes::find_growing() {
  const Plan& plan = run_.plan();
  std::unordered_map<std::uint64_t, std::uint32_t> ops;  // of submits, by record
  for (std::uint32_t i = plan.span.first; i < plan.span.last; ++i) {
    const CommandId id = codec::info(plan.ops[i].command).canonical;
    if (id == CommandId::vkQueueSubmit || id == CommandId::vkQueueSubmit2) ops[plan.ops[i].sequence] = i;
  }
  OpView view;
  std::uint32_t last = kNone;
  for (std::uint32_t c = 0; c < wanted_.commands.size(); ++c) {
    const auto found = ops.find(wanted_.commands[c].at);
    if (found == ops.end()) continue;
    submit_of_[c] = found->second;
    if (std::exchange(last, found->second) != found->second) view.load(plan, plan.ops[last]);
    const std::uint32_t batch = wanted_.commands[c].batch;
    if (codec::info(plan.ops[last].command).canonical == CommandId::vkQueueSubmit) {
      const auto& a = view.as<args_vkQueueSubmit>();
      grows_[c] = batch < a.submitCount && takes_more_commands(a.pSubmits[batch].pNext);
    } else {
      const auto& a = view.as<args_vkQueueSubmit2>();
      grows_[c] = batch < a.submitCount && takes_more_commands(a.pSubmits[batch].pNext) &&
                  (a.pSubmits[batch].flags & VK_SUBMIT_PROTECTED_BIT) == 0;
    }
  }
  // What is written again without a copy in between says nothing. Nor do queries of which queues work side by side:
  // their order is that of one queue.
  std::vector<ObjectId> queues(places_.size());
  for (std::uint32_t c = 0; c < wanted_.commands.size(); ++c) {
    const ObjectId queue = submit_of_[c] != kNone ? plan.ops[submit_of_[c]].dispatch : ObjectId::null;
    for (const std::uint32_t point : points_of(wanted_.commands[c])) {
      // Performance queries are copied by commands only where a device allows that, and few do.
      const bool is_copied = grows_[c] && !wanted_.commands[c].leaves_pass_open && wanted_.what != Measured::counters;
      if (places_[point].uses > 1 && !is_copied) places_[point].is_lost = true;
      if (queues[point] != ObjectId::null && queues[point] != queue) places_[point].is_lost = true;
      queues[point] = queue;
    }
  }
}

void CommandTimes::add_range(std::vector<Range>& ranges, std::uint32_t point) const {
  const Place& place = places_[point];
  if (place.pool == kNone) return;
  const std::uint32_t queries = queries_of(wanted_.points[point]);
  if (!ranges.empty() && ranges.back().pool == place.pool && ranges.back().first + ranges.back().count == place.first)
    ranges.back().count += queries;
  else
    ranges.push_back({place.pool, place.first, queries});
}

// Queries that are written more than once in the span are copied in between.
void CommandTimes::choose_copies() {
  for (std::uint32_t c = 0; c < wanted_.commands.size(); ++c) {
    const auto points = points_of(wanted_.commands[c]);
    const auto is_again = [&](std::uint32_t point) { return places_[point].pool != kNone && places_[point].uses > 1; };
    if (std::none_of(points.begin(), points.end(), is_again)) continue;
    Copy copy;
    copy.commands = c;
    for (const std::uint32_t point : points) add_range(copy.ranges, point);
    Device& device = devices_[device_of(copy)];
    copy.offset = device.copied;
    for (const Range& range : copy.ranges) device.copied += std::uint64_t{range.count} * pools_[range.pool].values;
    copy_of_[c] = static_cast<std::uint32_t>(copies_.size());
    submits_[submit_of_[c]].copies.push_back(copy_of_[c]);
    copies_.push_back(std::move(copy));
  }
}

Error CommandTimes::failure(const char* command, VkResult result) const {
  return {Status::failed, run_.plan().path + ": measuring the times of commands: " + gpu::describe(command, result)};
}

// The device was just made, so nothing works on it.
Result<void> CommandTimes::make_ready(std::uint32_t index) {
  DeviceState& device = *run_.device_at(index);
  Device& own = devices_[index];
  // Queries are reset by commands: the host may do it only where that feature is on.
  if ((run_.targets()[index].families[device.service_family].queueFlags &
       (VK_QUEUE_GRAPHICS_BIT | VK_QUEUE_COMPUTE_BIT)) == 0)
    return {};
  for (Pool& pool : pools_) {
    if (pool.device != index) continue;
    RONDO_TRY(make_pool(device, pool));
    device.own_query_pools.push_back(pool.handle);
  }
  own.is_ready = true;
  RONDO_TRY(reset_queries(index));
  if (own.copied == 0) return {};
  own.results = std::make_unique<gpu::Staging>(device.access, VK_BUFFER_USAGE_TRANSFER_DST_BIT,
                                               VK_MEMORY_PROPERTY_HOST_CACHED_BIT, "the times of commands");
  return own.results->grow(own.copied * sizeof(std::uint64_t));
}

Result<void> CommandTimes::make_pool(const DeviceState& device, Pool& pool) {
  VkQueryPoolCreateInfo info{};
  info.sType = VK_STRUCTURE_TYPE_QUERY_POOL_CREATE_INFO;
  info.queryType = VK_QUERY_TYPE_TIMESTAMP;
  info.queryCount = pool.queries;
  VkQueryPoolPerformanceCreateInfoKHR counted{};
  if (pool.kind.statistics != 0) {
    info.queryType = VK_QUERY_TYPE_PIPELINE_STATISTICS;
    info.pipelineStatistics = pool.kind.statistics;
  } else if (pool.kind.counters != kNone) {
    const CounterSet& set = counter_sets_[pool.kind.counters];
    counted.sType = VK_STRUCTURE_TYPE_QUERY_POOL_PERFORMANCE_CREATE_INFO_KHR;
    counted.queueFamilyIndex = set.family;
    counted.counterIndexCount = static_cast<std::uint32_t>(set.indexes.size());
    counted.pCounterIndices = set.indexes.data();
    info.queryType = VK_QUERY_TYPE_PERFORMANCE_QUERY_KHR;
    info.pNext = &counted;
  }
  const VkResult r = device.dispatch.vkCreateQueryPool(device.handle, &info, nullptr, &pool.handle);
  if (r < 0) return tl::unexpected<Error>(failure("vkCreateQueryPool", r));
  return {};
}

Result<void> CommandTimes::record(Copy& copy, VkCommandPool pool) {
  const std::uint32_t device = device_of(copy);
  const Dispatch& vk = run_.device_at(device)->dispatch;
  return record_own(device, pool, 0, copy.own, [&](VkCommandBuffer commands) {
    VkDeviceSize offset = copy.offset * sizeof(std::uint64_t);
    // These three order themselves with the commands that write the same queries ("vkCmdResetQueryPool").
    for (const Range& range : copy.ranges) {
      const Pool& queries = pools_[range.pool];
      const VkDeviceSize stride = queries.values * sizeof(std::uint64_t);
      vk.vkCmdCopyQueryPoolResults(commands, queries.handle, range.first, range.count,
                                   devices_[device].results->buffer(), offset, stride,
                                   VK_QUERY_RESULT_64_BIT | VK_QUERY_RESULT_WAIT_BIT);
      vk.vkCmdResetQueryPool(commands, queries.handle, range.first, range.count);
      offset += range.count * stride;
    }
    const VkMemoryBarrier visible{VK_STRUCTURE_TYPE_MEMORY_BARRIER, nullptr, VK_ACCESS_TRANSFER_WRITE_BIT,
                                  VK_ACCESS_HOST_READ_BIT};
    vk.vkCmdPipelineBarrier(commands, VK_PIPELINE_STAGE_TRANSFER_BIT, VK_PIPELINE_STAGE_HOST_BIT, 0, 1, &visible, 0,
                            nullptr, 0, nullptr);
  });
}

// Of command buffers of the player's own.
Result<VkCommandPool> CommandTimes::own_pool(std::uint32_t device, std::uint32_t family) {
  DeviceState& state = *run_.device_at(device);
  auto& pool = devices_[device].pools[family];
  if (pool != VK_NULL_HANDLE) return pool;
  const VkCommandPoolCreateInfo info{VK_STRUCTURE_TYPE_COMMAND_POOL_CREATE_INFO, nullptr, 0, family};
  const VkResult r = state.dispatch.vkCreateCommandPool(state.handle, &info, nullptr, &pool);
  if (r < 0) return tl::unexpected<Error>(failure("vkCreateCommandPool", r));
  state.own_command_pools.push_back(pool);
  return pool;
}

Result<void> CommandTimes::write(const TimePoint& point, const Place& place, bool ends) {
  const Pool& pool = pools_[place.pool];
  if (pool.handle == VK_NULL_HANDLE) return {};
  const Dispatch& vk = run_.device_at(pool.device)->dispatch;
  const auto commands = reinterpret_cast<VkCommandBuffer>(run_.slot(place.commands));
  if (pool.kind.is_around()) {
    ends ? vk.vkCmdEndQuery(commands, pool.handle, place.first)
         : vk.vkCmdBeginQuery(commands, pool.handle, place.first, 0);
    return {};
  }
  const bool at_end = point.after || point.barrier || point.settled;
  for (std::uint32_t i = 0; i < (point.probe ? 2 : 1); ++i) {
    const VkMemoryBarrier all{VK_STRUCTURE_TYPE_MEMORY_BARRIER, nullptr, kAll, kAll};
    if (point.barrier)
      vk.vkCmdPipelineBarrier(commands, VK_PIPELINE_STAGE_ALL_COMMANDS_BIT, VK_PIPELINE_STAGE_ALL_COMMANDS_BIT, 0, 1,
                              &all, 0, nullptr, 0, nullptr);
    vk.vkCmdWriteTimestamp(commands, at_end ? VK_PIPELINE_STAGE_BOTTOM_OF_PIPE_BIT : VK_PIPELINE_STAGE_TOP_OF_PIPE_BIT,
                           pool.handle, place.first + i);
  }
  return {};
}

Result<void> CommandTimes::before(std::uint32_t op) {
  const std::uint32_t point = points_at_[actions_[op]].before;
  return point != kNone ? write(wanted_.points[point], places_[point], false) : Result<void>();
}

Result<void> CommandTimes::after(std::uint32_t op) {
  const At& at = points_at_[actions_[op]];
  if (at.makes != kNone) return make_ready(at.makes);
  return at.after != kNone ? write(wanted_.points[at.after], places_[at.after], true) : Result<void>();
}

Result<void> CommandTimes::reset() {
  RONDO_TRY(failed_);
  for (Copy& copy : copies_) {
    if (copy.own != VK_NULL_HANDLE) continue;
    const std::uint32_t device = device_of(copy);
    if (!devices_[device].is_ready) continue;
    for (const LiveQueue& queue : run_.device_at(device)->queues)
      if (queue.id == run_.plan().ops[submit_of_[copy.commands]].dispatch) copy.family = queue.family;
    const auto pool = own_pool(device, copy.family);
    if (!pool) return tl::unexpected<Error>(pool.error());
    RONDO_TRY(record(copy, *pool));
  }
  for (std::uint32_t d = 0; d < devices_.size(); ++d)
    if (devices_[d].is_ready && run_.device_at(d) != nullptr) RONDO_TRY(reset_queries(d));
  return {};
}

Result<void> CommandTimes::reset_queries(std::uint32_t index) {
  DeviceState& device = *run_.device_at(index);
  gpu::OneShot& commands = device.one_shot(device.service_family);
  auto begun = commands.begin();
  if (!begun) return tl::unexpected<Error>(begun.error());
  for (const Pool& pool : pools_)
    if (pool.device == index) device.dispatch.vkCmdResetQueryPool(*begun, pool.handle, 0, pool.queries);
  return commands.submit_and_wait(device.service_queue, {});
}

namespace {

VkCommandBuffer as_listed(VkCommandBuffer commands, const VkCommandBuffer*) { return commands; }
VkCommandBufferSubmitInfo as_listed(VkCommandBuffer commands, const VkCommandBufferSubmitInfo*) {
  return {VK_STRUCTURE_TYPE_COMMAND_BUFFER_SUBMIT_INFO, nullptr, commands, 0};
}
std::span<const VkCommandBuffer> list_of(const VkSubmitInfo& batch) {
  return {batch.pCommandBuffers, batch.commandBufferCount};
}
std::span<const VkCommandBufferSubmitInfo> list_of(const VkSubmitInfo2& batch) {
  return {batch.pCommandBufferInfos, batch.commandBufferInfoCount};
}
void set_list(VkSubmitInfo& batch, const std::vector<VkCommandBuffer>& list) {
  batch.pCommandBuffers = list.data();
  batch.commandBufferCount = static_cast<std::uint32_t>(list.size());
}
void set_list(VkSubmitInfo2& batch, const std::vector<VkCommandBufferSubmitInfo>& list) {
  batch.pCommandBufferInfos = list.data();
  batch.commandBufferInfoCount = static_cast<std::uint32_t>(list.size());
}

}  // namespace

template <class Commands, class Batch>
void CommandTimes::insert(std::uint32_t op, std::vector<std::vector<Commands>>& lists, const Submit& submit,
                          Batch* submits, std::uint32_t count) {
  lists.resize(count);
  std::size_t next = 0, next_reset = 0;
  for (std::uint32_t b = 0; b < count; ++b) {
    std::vector<Commands>& list = lists[b];
    list.clear();
    const auto all = list_of(submits[b]);
    for (std::uint32_t i = 0; i < all.size(); ++i) {
      list.push_back(all[i]);
      if (next == submit.copies.size()) continue;
      const Copy& copy = copies_[submit.copies[next]];
      const TimedCommands& commands = wanted_.commands[copy.commands];
      if (commands.batch != b || commands.primary != i) continue;
      if (copy.own != VK_NULL_HANDLE) list.push_back(as_listed(copy.own, static_cast<const Commands*>(nullptr)));
      ++next;
    }
    if (next_reset < submit.resets.size() && submit.resets[next_reset].batch == b)
      if (const VkCommandBuffer own = reset_commands(op, submit.resets[next_reset++]); own != VK_NULL_HANDLE)
        list.push_back(as_listed(own, static_cast<const Commands*>(nullptr)));
    set_list(submits[b], list);
  }
}

void CommandTimes::insert(std::uint32_t op, VkSubmitInfo* submits, std::uint32_t count) {
  const auto found = submits_.find(op);
  if (found != submits_.end()) insert(op, found->second.lists, found->second, submits, count);
}

void CommandTimes::insert(std::uint32_t op, VkSubmitInfo2* submits, std::uint32_t count) {
  const auto found = submits_.find(op);
  if (found != submits_.end()) insert(op, found->second.lists2, found->second, submits, count);
}

double CommandTimes::timestamp_ns() const {
  double longest = 0;
  for (const Pool& pool : pools_) longest = std::max(longest, devices_[pool.device].period);
  return longest;
}

}  // namespace rondo::player
