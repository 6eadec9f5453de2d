// SPDX-License-Identifier: Apache-2.0
#include "player/measure/device_clocks.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <unordered_map>

namespace rondo::player {

namespace {

constexpr int kReadings = 8;          // the one with the least deviation counts
constexpr double kSlackNs = 100'000;  // of the bounds: clocks of devices drift
constexpr double kNoBound = std::numeric_limits<double>::infinity();

// Host time minus `begin`, which may be the later one.
double since(std::uint64_t begin, std::uint64_t ns) {
  return static_cast<double>(static_cast<std::int64_t>(ns - begin));
}

}  // namespace

bool has_clock(Run& run, std::uint32_t device) {
  const ObjectId id = run.plan().devices[device].instance;
  if (run.plan().place_of(id) == kNone) return false;
  const InstanceState& instance = run.instance(id);
  const auto target = instance.targets.find(device);
  const auto domains_of = instance.dispatch.vkGetPhysicalDeviceCalibrateableTimeDomainsEXT;
  if (domains_of == nullptr || target == instance.targets.end() ||
      !run.targets()[device].has_extension(VK_EXT_CALIBRATED_TIMESTAMPS_EXTENSION_NAME))
    return false;
  std::uint32_t count = 0;
  if (domains_of(target->second, &count, nullptr) < 0) return false;
  std::vector<VkTimeDomainEXT> domains(count);
  if (domains_of(target->second, &count, domains.data()) < 0) return false;
  const auto has = [&](VkTimeDomainEXT one) { return std::find(domains.begin(), domains.end(), one) != domains.end(); };
  return has(VK_TIME_DOMAIN_DEVICE_EXT) && has(VK_TIME_DOMAIN_CLOCK_MONOTONIC_EXT);
}

Result<void> DeviceClocks::read(std::vector<std::optional<Moment>>& moments) {
  for (std::uint32_t d = 0; d < moments.size(); ++d) {
    moments[d].reset();
    const auto& device = run_.device_at(d);
    if (device == nullptr || device->dispatch.vkGetCalibratedTimestampsEXT == nullptr || !has_clock(run_, d)) continue;
    const VkCalibratedTimestampInfoEXT asked[] = {
        {VK_STRUCTURE_TYPE_CALIBRATED_TIMESTAMP_INFO_EXT, nullptr, VK_TIME_DOMAIN_DEVICE_EXT},
        {VK_STRUCTURE_TYPE_CALIBRATED_TIMESTAMP_INFO_EXT, nullptr, VK_TIME_DOMAIN_CLOCK_MONOTONIC_EXT}};
    for (int i = 0; i < kReadings; ++i) {
      std::uint64_t both[2] = {}, deviation = 0;
      const VkResult r = device->dispatch.vkGetCalibratedTimestampsEXT(device->handle, 2, asked, both, &deviation);
      if (r < 0)
        return fail(Status::failed, run_.plan().path + ": measuring the device's clock: " +
                                        gpu::describe("vkGetCalibratedTimestampsEXT", r));
      const Moment moment{both[0], both[1], static_cast<double>(deviation)};
      if (!moments[d] || moment.deviation_ns < moments[d]->deviation_ns) moments[d] = moment;
    }
  }
  return {};
}

DeviceClock DeviceClocks::calibrated(std::uint32_t device, const CommandTimes& commands, std::uint64_t begin_ns) const {
  double least = kNoBound, most = -kNoBound, deviation = 0;
  for (const auto* moments : {&before_, &after_}) {
    const std::optional<Moment>& one = (*moments)[device];
    const auto until_first = one ? commands.until_first(device, one->ticks) : std::nullopt;
    if (!until_first) continue;
    // The host's time of the first timestamp.
    const double offset = since(begin_ns, one->host_ns) + *until_first;
    least = std::min(least, offset);
    most = std::max(most, offset);
    deviation = std::max(deviation, one->deviation_ns);
  }
  if (least > most) return {};
  return {DeviceClock::Kind::calibrated, (least + most) / 2, (most - least) / 2 + deviation};
}

void DeviceClocks::bound(HostRun& run, const CommandTimes& commands) const {
  struct Bounds {
    double least = -kNoBound, most = kNoBound;  // of the offset
    double end = -kNoBound;                     // of all work that was submitted
  };
  const std::vector<Op>& ops = run_.plan().ops;
  std::vector<Bounds> bounds(run.clocks.size());
  const std::vector<CommandTimes::WorkedSubmit> worked = commands.worked_submits();
  std::unordered_map<std::uint32_t, std::vector<std::uint32_t>> of_op;  // indexes into `worked`
  for (std::uint32_t i = 0; i < worked.size(); ++i) of_op[worked[i].op].push_back(i);
  const auto all_ended = [&](std::uint64_t ns) {
    for (Bounds& one : bounds) one.most = std::min(one.most, since(run.begin_ns, ns) - one.end);
  };
  for (const PlayedCall& call : run.calls) {
    if (const auto found = of_op.find(call.op); found != of_op.end())
      for (const std::uint32_t i : found->second) {
        Bounds& one = bounds[worked[i].device];
        one.least = std::max(one.least, since(run.begin_ns, call.begin_ns) - worked[i].begin);
        one.end = std::max(one.end, worked[i].end);
      }
    if (ops[call.op].ends_submits) all_ended(call.end_ns);
  }
  all_ended(run.end_ns);
  for (std::size_t d = 0; d < bounds.size(); ++d) {
    const Bounds& one = bounds[d];
    if (!std::isfinite(one.least) || !std::isfinite(one.most)) continue;
    // A driver whose two clocks do not belong together is not believed.
    const DeviceClock& read = run.clocks[d];
    if (read.kind == DeviceClock::Kind::calibrated && read.offset_ns >= one.least - read.uncertainty_ns - kSlackNs &&
        read.offset_ns <= one.most + read.uncertainty_ns + kSlackNs)
      continue;
    run.clocks[d] = {DeviceClock::Kind::bounded, (one.least + one.most) / 2, std::abs(one.most - one.least) / 2};
  }
}

HostRun DeviceClocks::host_run(const CommandTimes& commands, std::span<const double> times, const HostTimes& host,
                               std::uint64_t begin_ns, std::uint64_t end_ns) const {
  HostRun run;
  run.begin_ns = begin_ns;
  run.end_ns = end_ns;
  run.calls = host.calls();
  run.captured_seconds = host.captured_seconds();
  run.seconds = host.seconds();
  run.clocks.resize(before_.size());
  for (std::uint32_t d = 0; d < run.clocks.size(); ++d) run.clocks[d] = calibrated(d, commands, begin_ns);
  bound(run, commands);
  run.devices.reserve(times.size());
  for (std::uint32_t i = 0; i < times.size(); ++i)
    run.devices.push_back(times[i] != CommandTimes::kNoTime ? commands.device_of(i) : kNone);
  return run;
}

}  // namespace rondo::player
