// SPDX-License-Identifier: Apache-2.0
// Part of SyncLog: takes batches with their semaphores and fences, and the waits of the host.
#include <algorithm>

#include "analyzers/analysis/graph/scopes.h"
#include "analyzers/analysis/graph/sync_log.h"
#include "format/codec/schema.h"
#include "generated/args.h"

namespace rondo::graph {

namespace {

// A timeline semaphore that signals so often without a wait keeps its last signals only.
constexpr std::size_t kMostSignals = 64;

constexpr VkPipelineStageFlags2 kEveryStage = ~VkPipelineStageFlags2{0};

// A signal after all commands is one after all of the batch.
VkPipelineStageFlags2 stages_of_signal(VkPipelineStageFlags2 said) {
  return (said & VK_PIPELINE_STAGE_2_ALL_COMMANDS_BIT) != 0 ? kEveryStage : with_earlier(first_stages(said));
}

}  // namespace

void SyncLog::call(const model::Call& call) {
  command_ = call.command.canonical;
  if (!call.succeeded || call.created() == ObjectId::null) return;
  if (command_ == CommandId::vkGetDeviceQueue)
    family_of_[queue(call.created())] = call.as<args_vkGetDeviceQueue>().queueFamilyIndex;
  else if (const auto* const info =
               command_ == CommandId::vkGetDeviceQueue2 ? call.as<args_vkGetDeviceQueue2>().pQueueInfo : nullptr;
           info != nullptr)
    family_of_[queue(call.created())] = info->queueFamilyIndex;
}

std::uint32_t SyncLog::family_of(std::uint32_t queue) const {
  const auto found = family_of_.find(queue);
  return found != family_of_.end() ? found->second : kNoFamily;
}

void SyncLog::order(const Signal& from, std::uint32_t to_queue, VkPipelineStageFlags2 to_stages, std::uint32_t sync) {
  const auto add_one = [&](VkPipelineStageFlags2 stages, std::uint32_t after) {
    SyncShape shape = SyncShape::between(from.queue, stages, to_queue, to_stages);
    shape.is_named = sync != kNone;
    add(shape, shape, sync, after, 0, 0);
  };
  add_one(from.stages, from.after);
  for (const auto& [stages, after] : from.earlier) add_one(stages, after);
}

// Marks the place of a signal among the ops. Later ops are not in the first scope of the signal. The mark is an op that
// orders nothing.
std::uint32_t SyncLog::signal_now() {
  add({}, {}, kNone, now(), 0, 0);
  return now() - 1;
}

// --- Batches ---

void SyncLog::submitted(const model::Batch& batch) {
  submitted_[{batch.record, batch.index}] = {signal_now(), command_};
}

void SyncLog::begins(const model::Batch& batch) {
  record_ = batch.record;
  call_ = now();
  const std::uint32_t on = queue(batch.queue);
  device_of_[on] = batch.device;
  Submitted submitted{now(), command_};
  if (const auto found = submitted_.find({batch.record, batch.index}); found != submitted_.end()) {
    submitted = found->second;
    submitted_.erase(found);
  }
  binds_ = binds_ || batch.kind == model::Batch::Kind::sparse_bind;
  // The presentation engine is no queue: only semaphores order what it reads.
  const std::uint32_t to = batch.kind == model::Batch::Kind::present ? kPresent : on;
  if (to == on) {
    Signal host;
    host.after = submitted.after;
    host.stages = kEveryStage;
    order(host, on, kEveryStage);
  }
  for (std::uint32_t i = 0; i < batch.waits.size(); ++i) wait(batch, i, to, submitted.command);
}

// The semaphore as something that the program could leave out. kNone: it may be there for more than the capture shows.
std::uint32_t SyncLog::semaphore_of(const model::Batch& batch, std::uint32_t index, const Signal& signal,
                                    CommandId command) {
  const model::SemaphoreUse& use = batch.waits[index];
  if (!signal.is_plain || batch.kind != model::Batch::Kind::commands || shared_.count(use.semaphore) != 0) return kNone;
  const std::uint32_t number = batch.index * 1024 + index;
  const auto [found, fresh] = sync_at_.try_emplace(SyncKey{SyncOp::Kind::semaphore, batch.record, number},
                                                   static_cast<std::uint32_t>(syncs_.size()));
  if (!fresh) return found->second;
  SyncOp one;
  one.kind = SyncOp::Kind::semaphore;
  one.record = one.at = batch.record;
  one.index = number;
  one.command = command;
  one.semaphore = use.semaphore;
  one.signalled_by = signal.record;
  one.is_one_queue = signal.queue == queue(batch.queue);
  one.times = 1;
  one.submit = batch.submit;
  syncs_.push_back(std::move(one));
  return found->second;
}

// A signal comes after all earlier work of its queue. So the last one of a queue is enough, where it has the stages.
void SyncLog::drop_earlier(std::vector<const Signal*>& signals) {
  std::size_t kept = signals.size();
  for (std::size_t i = signals.size(); i-- != 0;) {
    const Signal& one = *signals[i];
    const bool has_later =
        std::any_of(signals.begin() + static_cast<std::ptrdiff_t>(kept), signals.end(), [&](const Signal* later) {
          return later->queue == one.queue && later->after >= one.after && (one.stages & ~later->stages) == 0;
        });
    if (!has_later) signals[--kept] = signals[i];
  }
  signals.erase(signals.begin(), signals.begin() + static_cast<std::ptrdiff_t>(kept));
}

void SyncLog::wait(const model::Batch& batch, std::uint32_t index, std::uint32_t to_queue, CommandId command) {
  const model::SemaphoreUse& use = batch.waits[index];
  const auto found = semaphores_.find(use.semaphore);
  if (found == semaphores_.end()) return;
  const VkPipelineStageFlags2 stages = to_queue == kPresent ? kEveryStage : with_later(second_stages(use.stages));
  std::vector<Signal>& signals = found->second;
  auto end = signals.end();
  // A signal of a value comes after those of lower values.
  if (use.timeline) {
    end = std::find_if(signals.begin(), signals.end(), [&](const Signal& one) { return one.value >= use.value; });
    if (end != signals.end()) ++end;
  }
  if (end == signals.begin()) return;
  const bool is_plain = std::all_of(signals.begin(), end, [](const Signal& one) { return one.is_plain; });
  const std::uint32_t sync = is_plain ? semaphore_of(batch, index, *std::prev(end), command) : kNone;
  std::vector<const Signal*> all;
  for (auto one = signals.begin(); one != end; ++one) all.push_back(&*one);
  drop_earlier(all);
  for (const Signal* const one : all) order(*one, to_queue, stages, sync);
  if (!use.timeline) semaphores_.erase(found);
}

void SyncLog::ends(const model::Batch& batch) {
  const std::uint32_t on = queue(batch.queue);
  ended_[on] = now();
  if (batch.signals.empty() && batch.fence == ObjectId::null) return;
  const std::uint32_t here = signal_now();
  for (const model::SemaphoreUse& one : batch.signals) {
    std::vector<Signal>& signals = semaphores_[one.semaphore];
    if (!one.timeline) signals.clear();
    if (signals.size() >= kMostSignals) signals.erase(signals.begin());
    const VkPipelineStageFlags2 stages = stages_of_signal(one.stages);
    Signal signal{here, on, stages, one.value, batch.record, batch.kind == model::Batch::Kind::commands, {}};
    for (const auto& [others, after] : signalled_[on])
      if ((others & ~stages) != 0) signal.earlier.emplace_back(others, after);
    signals.push_back(std::move(signal));
    std::sort(signals.begin(), signals.end(), [](const Signal& a, const Signal& b) { return a.value < b.value; });
  }
  // No signal of a batch comes after another one of the batch. So they count as earlier ones from here on only.
  for (const model::SemaphoreUse& one : batch.signals) signalled_[on][stages_of_signal(one.stages)] = here;
  if (batch.fence == ObjectId::null) return;
  fences_[batch.fence] = {here, on, kEveryStage, 0, batch.record, true, {}};
  signalled_[on][kEveryStage] = here;
}

bool SyncLog::is_held(const Place& place) const {
  return std::any_of(held_.begin(), held_.end(),
                     [&](const Held& one) { return one.queue == place.queue && place.time >= one.time; });
}

// --- The host ---

// The wait as something that the program could leave out. kNone: it may be there for more than the capture shows.
std::uint32_t SyncLog::wait_of_host(const model::HostSync& sync) {
  if (binds_) return kNone;
  SyncOp one;
  one.kind = SyncOp::Kind::host_wait;
  one.record = one.at = sync.record;
  one.command = command_;
  one.times = 1;
  one.submit = access::Executed::kNoSubmit;
  sync_at_.emplace(SyncKey{SyncOp::Kind::host_wait, sync.record, 0}, static_cast<std::uint32_t>(syncs_.size()));
  syncs_.push_back(std::move(one));
  return static_cast<std::uint32_t>(syncs_.size() - 1);
}

void SyncLog::raise(std::map<std::uint32_t, std::uint32_t>& until, const Signal& signal) {
  std::uint32_t& one = until[signal.queue];
  one = std::max(one, signal.after);
}
bool SyncLog::is_before(const Signal& signal, const std::map<std::uint32_t, std::uint32_t>& until) {
  const auto found = until.find(signal.queue);
  return found != until.end() && signal.after <= found->second;
}

// What was ordered before `from` is ordered before what the host does from now on.
void SyncLog::host_waits(const Signal& from, std::uint32_t sync) {
  order(from, kHost, kEveryStage, sync);
  waited_.push_back({from.queue, from.after});
  if (from.stages == kEveryStage) raise(waited_until_, from);
}

// One of several was reached, and the capture does not say which one. Where only one can have been, it was that one.
// Else it is taken for any of them: then a race may be missed, but none is made up.
void SyncLog::host_waits_for_any(const model::HostSync& sync) {
  std::vector<const Signal*> all;
  for (const ObjectId fence : sync.fences)
    if (const auto found = fences_.find(fence); found != fences_.end()) all.push_back(&found->second);
  for (const model::SemaphoreUse& use : sync.semaphores) {
    const auto found = semaphores_.find(use.semaphore);
    if (found == semaphores_.end()) continue;
    const std::vector<Signal>& signals = found->second;
    const auto reached =
        std::find_if(signals.begin(), signals.end(), [&](const Signal& one) { return one.value >= use.value; });
    if (reached == signals.end()) continue;
    for (auto one = signals.begin(); one <= reached; ++one) all.push_back(&*one);
  }
  for (const Signal* const one : all) {
    raise(perhaps_until_, *one);
    host_waits(*one);
  }
}

// A wait for all of a queue or device. Where the host knows already that all has ended it costs nothing, and programs
// do so before they end.
void SyncLog::host_waits_for_queues(const model::HostSync& sync, std::span<const std::uint32_t> queues) {
  const bool any = std::any_of(queues.begin(), queues.end(), [&](std::uint32_t on) {
    const auto ended = ended_.find(on);
    const auto until = waited_until_.find(on);
    return ended != ended_.end() && (until == waited_until_.end() || until->second < ended->second);
  });
  const std::uint32_t here = now();
  const bool is_named = sync.kind != model::HostSync::Kind::found_device_idle;
  const std::uint32_t number = is_named ? wait_of_host(sync) : kNone;
  if (number != kNone) syncs_[number].costs_nothing = !any;
  for (const std::uint32_t on : queues) {
    Signal all;
    all.after = here;
    all.queue = on;
    all.stages = kEveryStage;
    host_waits(all, number);
  }
  if (queues.empty()) add({}, {}, number, here, 0, 0);
  if (is_named) binds_ = false;
}

void SyncLog::host(const model::HostSync& sync) {
  using Kind = model::HostSync::Kind;
  waited_.clear();
  if (!sync.succeeded) return;
  record_ = sync.record;
  call_ = now();
  std::vector<const Signal*> signals;
  switch (sync.kind) {
    case Kind::wait_fences:
    case Kind::poll_fence:
      if (!sync.all && sync.fences.size() > 1) return host_waits_for_any(sync);
      if (sync.kind == Kind::poll_fence && sync.result != VK_SUCCESS) return;
      for (const ObjectId fence : sync.fences)
        if (const auto found = fences_.find(fence); found != fences_.end()) signals.push_back(&found->second);
      break;
    case Kind::reset_fences:
      for (const ObjectId fence : sync.fences) fences_.erase(fence);
      return;
    case Kind::wait_semaphores:
    case Kind::poll_semaphore:
      if (!sync.all && sync.semaphores.size() > 1) return host_waits_for_any(sync);
      for (const model::SemaphoreUse& use : sync.semaphores) {
        const auto found = semaphores_.find(use.semaphore);
        if (found == semaphores_.end()) continue;
        for (const Signal& one : found->second) {
          // A wait may be for a value between those of two signals; a poll tells a value that was reached.
          if (sync.kind == Kind::poll_semaphore && one.value > use.value) break;
          signals.push_back(&one);
          if (one.value >= use.value) break;
        }
      }
      break;
    case Kind::signal_semaphore:
      for (const model::SemaphoreUse& use : sync.semaphores)
        semaphores_[use.semaphore].push_back({signal_now(), kHost, kEveryStage, use.value, sync.record, true, {}});
      return;
    case Kind::export_semaphore:
    case Kind::import_semaphore:
      for (const model::SemaphoreUse& use : sync.semaphores) shared_.insert(use.semaphore);
      return;
    case Kind::wait_queue: {
      const std::uint32_t on = queue(sync.queue);
      return host_waits_for_queues(sync, std::span(&on, 1));
    }
    case Kind::found_device_idle:
      found_idle_ = true;
      [[fallthrough]];
    case Kind::wait_device: {
      std::vector<std::uint32_t> all;
      for (const auto& [on, device] : device_of_)
        if (device == sync.device) all.push_back(on);
      return host_waits_for_queues(sync, all);
    }
    case Kind::acquire_image:
      // The presentation engine has read the image when it signals.
      for (const model::SemaphoreUse& use : sync.semaphores)
        semaphores_[use.semaphore] = {{signal_now(), kPresent, kEveryStage, 0, sync.record, false, {}}};
      for (const ObjectId fence : sync.fences)
        fences_[fence] = {signal_now(), kPresent, kEveryStage, 0, sync.record, false, {}};
      return;
    default:
      return;
  }
  drop_earlier(signals);
  const bool is_poll = sync.kind == Kind::poll_fence || sync.kind == Kind::poll_semaphore;
  const auto all = [&](const auto& is) {
    return std::all_of(signals.begin(), signals.end(), [&](const Signal* one) { return is(*one); });
  };
  // A poll waits for nothing. After a wait for the same it tells nothing new: without the wait it could say "not yet".
  // What others signal is no work of the capture.
  std::uint32_t number = kNone;
  if (!is_poll && !signals.empty() && all([](const Signal& one) { return one.is_plain; }) &&
      !all([&](const Signal& one) { return is_before(one, perhaps_until_); })) {
    number = wait_of_host(sync);
    if (number != kNone)
      syncs_[number].costs_nothing = all([&](const Signal& one) { return is_before(one, polled_until_); });
  }
  for (const Signal* const one : signals) {
    if (is_poll) raise(polled_until_, *one);
    if (is_poll && is_before(*one, waited_until_))
      waited_.push_back({one->queue, one->after});
    else
      host_waits(*one, number);
  }
}

void SyncLog::ended(ObjectId id) {
  semaphores_.erase(id);
  fences_.erase(id);
  events_.erase(id);
  shared_.erase(id);
}

}  // namespace rondo::graph
