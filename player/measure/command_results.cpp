// SPDX-License-Identifier: Apache-2.0
// What the queries of CommandTimes hold after an iteration.
#include <algorithm>
#include <cmath>
#include <cstring>
#include <optional>

#include "player/measure/command_times.h"
#include "player/measure/times.h"

namespace rondo::player {

namespace {

constexpr std::uint32_t kPart = 4096;  // queries that are read at once

}  // namespace

class CommandTimes::Results {
 public:
  Results(CommandTimes& times, std::uint32_t pool) : times_(times), pool_(times.pools_[pool]) {}

  // Of `count` queries from `first` on, one after the other: their values, and whether they are there (0:
  // they are not).
  Result<std::span<const std::uint64_t>> read(std::uint32_t first, std::uint32_t count) {
    if (first < first_ || first - first_ + count > count_) {
      first_ = first;
      count_ = std::min(std::max(kPart, count), pool_.queries - first);
      values_.resize(std::size_t{count_} * stride());
      RONDO_TRY(is_counted() ? read_counters() : get(first_, count_, kFlags, values_));
    }
    return std::span<const std::uint64_t>(values_).subspan(std::size_t{first - first_} * stride(),
                                                           std::size_t{count} * stride());
  }
  std::uint32_t stride() const { return pool_.values + 1; }

 private:
  static constexpr VkQueryResultFlags kFlags = VK_QUERY_RESULT_64_BIT | VK_QUERY_RESULT_WITH_AVAILABILITY_BIT;

  bool is_counted() const { return pool_.kind.counters != kNone; }

  // VK_NOT_READY: not all of them are there.
  Result<void> get(std::uint32_t first, std::uint32_t count, VkQueryResultFlags flags, std::span<std::uint64_t> values,
                   VkResult* result = nullptr) {
    const DeviceState& device = *times_.run_.device_at(pool_.device);
    const VkResult r =
        device.dispatch.vkGetQueryPoolResults(device.handle, pool_.handle, first, count, values.size_bytes(),
                                              values.data(), values.size_bytes() / count, flags);
    if (r < 0) return tl::unexpected<Error>(times_.failure("vkGetQueryPoolResults", r));
    if (result != nullptr) *result = r;
    return {};
  }

  // The driver does not say which performance queries have a result (VUID-vkGetQueryPoolResults-queryType-09440). Where
  // one of them has none, the queries are read one by one.
  Result<void> read_counters() {
    const std::uint32_t each = pool_.values;
    std::vector<std::uint64_t> values(std::size_t{count_} * each);
    VkResult all = VK_SUCCESS;
    RONDO_TRY(get(first_, count_, 0, values, &all));
    for (std::uint32_t q = 0; q < count_; ++q) {
      const auto one = std::span(values).subspan(std::size_t{q} * each, each);
      VkResult result = all;
      if (all != VK_SUCCESS) RONDO_TRY(get(first_ + q, 1, 0, one, &result));
      std::copy(one.begin(), one.end(), values_.begin() + static_cast<std::ptrdiff_t>(std::size_t{q} * stride()));
      values_[std::size_t{q} * stride() + each] = result == VK_SUCCESS ? 1 : 0;
    }
    return {};
  }

  CommandTimes& times_;
  const Pool& pool_;
  std::uint32_t first_ = 0, count_ = 0;  // of the part that was read last
  std::vector<std::uint64_t> values_;    // of these, with the availability of each after its values
};

template <class Visit>
Result<void> CommandTimes::each_result(Visit&& visit) {
  for (const Device& device : devices_)
    if (device.results != nullptr) RONDO_TRY(device.results->invalidate());
  std::vector<std::optional<Results>> results(pools_.size());
  for (std::uint32_t p = 0; p < pools_.size(); ++p)
    if (run_.device_at(pools_[p].device) != nullptr && pools_[p].handle != VK_NULL_HANDLE) results[p].emplace(*this, p);
  std::vector<std::uint64_t> values;
  for (std::uint32_t c = 0; c < wanted_.commands.size(); ++c) {
    const TimedCommands& commands = wanted_.commands[c];
    const Copy* copy = copy_of_[c] != kNone ? &copies_[copy_of_[c]] : nullptr;
    std::uint64_t copied = copy != nullptr ? copy->offset : 0;
    for (std::uint32_t i = commands.first; i < commands.first + commands.count; ++i) {
      const Place& place = places_[wanted_.order[i]];
      if (place.pool == kNone || !results[place.pool] || (copy != nullptr && copy->own == VK_NULL_HANDLE)) continue;
      const Pool& pool = pools_[place.pool];
      const std::uint32_t queries = queries_of(wanted_.points[wanted_.order[i]]);
      const std::uint32_t each = pool.values;
      values.resize(std::size_t{queries} * each);
      if (copy != nullptr) {
        const std::byte* const mapped = devices_[pool.device].results->mapped();
        std::memcpy(values.data(), mapped + copied * sizeof values[0], values.size() * sizeof values[0]);
        copied += values.size();
      } else if (place.uses == 1) {
        const auto read = results[place.pool]->read(place.first, queries);
        if (!read) return tl::unexpected<Error>(read.error());
        bool is_there = true;
        for (std::uint32_t q = 0; q < queries; ++q) {
          const auto one = read->subspan(std::size_t{q} * (each + 1), each + 1);
          // In a multiview pass the first one has the time, or the sum of all views; llvmpipe leaves the
          // others alone.
          if (q == 0 || wanted_.points[wanted_.order[i]].probe) is_there = is_there && one.back() != 0;
          for (std::uint32_t v = 0; v < each; ++v) values[std::size_t{q} * each + v] = one.back() != 0 ? one[v] : 0;
        }
        if (!is_there) continue;
      } else {
        continue;
      }
      visit(i, pool, values);
    }
  }
  return {};
}

Result<std::span<const double>> CommandTimes::times() {
  const auto has_probe = [](const TimePoint& point) { return point.probe; };
  times_.assign(wanted_.order.size(), kNoTime);
  probes_.assign(std::any_of(wanted_.points.begin(), wanted_.points.end(), has_probe) ? wanted_.order.size() : 0,
                 kNoTime);
  std::vector<bool> written(wanted_.order.size(), false);
  // Ticks count from the first one of their device, which may not be the earliest: queues work side by side.
  std::vector<std::optional<std::uint64_t>> zeros(devices_.size());
  std::vector<std::int64_t> earliest(devices_.size(), 0);
  RONDO_TRY(each_result([&](std::uint32_t execution, const Pool& pool, std::span<const std::uint64_t> values) {
    const Device& device = devices_[pool.device];
    const bool probe = wanted_.points[wanted_.order[execution]].probe;
    const std::uint64_t ticks = values[probe ? 1 : 0];
    auto& zero = zeros[pool.device];
    if (!zero) zero = ticks;
    const std::int64_t since = ticks_since(*zero, ticks, device.mask);
    earliest[pool.device] = std::min(earliest[pool.device], since);
    times_[execution] = static_cast<double>(since);
    written[execution] = true;
    if (probe) probes_[execution] = static_cast<double>(ticks_since(values[0], ticks, device.mask)) * device.period;
  }));
  for (std::size_t d = 0; d < devices_.size(); ++d) {
    devices_[d].first.reset();
    if (zeros[d]) devices_[d].first = *zeros[d] + static_cast<std::uint64_t>(earliest[d]);
  }
  for (std::size_t i = 0; i < times_.size(); ++i) {
    if (!written[i]) continue;
    const std::uint32_t device = pools_[places_[wanted_.order[i]].pool].device;
    times_[i] = (times_[i] - static_cast<double>(earliest[device])) * devices_[device].period;
  }
  return std::span<const double>(times_);
}

std::optional<double> CommandTimes::until_first(std::uint32_t device, std::uint64_t at) const {
  if (device >= devices_.size() || !devices_[device].first) return std::nullopt;
  const Device& one = devices_[device];
  return static_cast<double>(ticks_since(at & one.mask, *one.first & one.mask, one.mask)) * one.period;
}

std::vector<CommandTimes::WorkedSubmit> CommandTimes::worked_submits() const {
  std::vector<WorkedSubmit> worked;
  for (std::uint32_t c = 0; c < wanted_.commands.size(); ++c) {
    const TimedCommands& commands = wanted_.commands[c];
    WorkedSubmit one;
    for (std::uint32_t i = commands.first; i < commands.first + commands.count; ++i) {
      if (times_[i] == kNoTime) continue;
      if (one.device == kNone) one = {submit_of_[c], device_of(i), times_[i], times_[i]};
      one.begin = std::min(one.begin, times_[i]);
      one.end = std::max(one.end, times_[i]);
    }
    if (one.device != kNone && one.op != kNone) worked.push_back(one);
  }
  return worked;
}

Result<void> CommandTimes::statistics(const TakeStatistics& take) {
  return each_result([&](std::uint32_t execution, const Pool& pool, std::span<const std::uint64_t> values) {
    Statistics sum{};
    for (std::size_t at = 0; at < values.size();)
      for (std::size_t bit = 0; bit < kStatistics; ++bit)
        if ((pool.kind.statistics >> bit & 1) != 0) sum[bit] += values[at++];
    take(execution, sum);
  });
}

Result<void> CommandTimes::counters(const TakeCounters& take) {
  std::vector<double> of(wanted_.counters.size());
  return each_result([&](std::uint32_t execution, const Pool& pool, std::span<const std::uint64_t> values) {
    const CounterSet& set = counter_sets_[pool.kind.counters];
    std::fill(of.begin(), of.end(), std::nan(""));
    for (std::size_t at = 0; at < values.size(); ++at) {
      const std::uint32_t w = set.wanted[at % set.wanted.size()];
      VkPerformanceCounterResultKHR result;
      std::memcpy(&result, &values[at], sizeof result);
      const double value = wanted_.counters[w].value(result);
      const bool is_first = at < set.wanted.size();
      of[w] = is_first ? value : wanted_.counters[w].adds_up() ? of[w] + value : std::max(of[w], value);
    }
    take(execution, of);
  });
}

}  // namespace rondo::player
