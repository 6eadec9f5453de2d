// SPDX-License-Identifier: Apache-2.0
#include "tests/barriers/oracle_races.h"

#include <algorithm>
#include <bit>
#include <map>
#include <stdexcept>
#include <utility>
#include <variant>

#include "analyzers/read/access_walk.h"
#include "model/gpu/texels.h"

namespace rondo::barriers {

namespace {

using test::SyncBarrier;
using test::SyncBatch;
using test::SyncFacts;
using test::SyncPlace;
using test::SyncTouch;

// The oracle looks at each access of each piece of memory with all that comes after it.
constexpr std::size_t kMostCommands = 2000;

int number_in(std::map<ObjectId, int>& numbers, ObjectId id) {
  return numbers.try_emplace(id, static_cast<int>(numbers.size())).first->second;
}

class FactsReader final : public SyncFacts, public analyzers::AccessReader {
 public:
  FactsReader(analyzers::Walk& walk, const model::Placement& placement) : walk_(walk), placement_(placement) {}
  std::string why;  // the oracle cannot look at it; empty: it can

  void starts(const access::Model& model) override { model_ = &model; }

  bool batch(const model::Batch& batch) override {
    if (batch.kind != model::Batch::Kind::commands) return refuse("presents, or binds sparse memory");
    SyncBatch made;
    for (const auto& [uses, into] : {std::pair(&batch.waits, &made.waits), {&batch.signals, &made.signals}})
      for (const model::SemaphoreUse& use : *uses) into->push_back(semaphore(use));
    const bool has_work = batch.submit != model::Batch::kNoSubmit;
    if (has_work) {
      commands_of_[{batch.record, batch.index}] = static_cast<int>(recorded_.size());
      made.commands.push_back(static_cast<int>(recorded_.size()));
      recorded_.emplace_back();
    }
    if (host_calls_.empty() || host_calls_.back().record != batch.record) {
      host_calls_.push_back({.kind = HostCall::submit, .record = batch.record, .queue = queue(batch.queue)});
    }
    if (has_work) host_calls_.back().batches.push_back(std::move(made));
    if (batch.fence != ObjectId::null) host_calls_.back().fences = {number_in(fences_, batch.fence)};
    return true;
  }

  bool host(const model::HostSync& sync) override {
    using Kind = model::HostSync::Kind;
    HostCall call{.record = sync.record};
    switch (sync.kind) {
      case Kind::wait_fences:
      case Kind::poll_fence:
        if (!sync.succeeded || sync.result != VK_SUCCESS) return true;
        if (!sync.all && sync.fences.size() > 1) return refuse("waits for one of several fences");
        call.kind = HostCall::wait_fences;
        for (const ObjectId fence : sync.fences) call.fences.push_back(number_in(fences_, fence));
        break;
      case Kind::wait_semaphores:
      case Kind::poll_semaphore:
        if (!sync.succeeded) return true;
        if (!sync.all && sync.semaphores.size() > 1) return refuse("waits for one of several semaphores");
        call.kind = HostCall::wait_semaphores;
        for (const model::SemaphoreUse& use : sync.semaphores)
          if (use.value != 0) call.semaphores.push_back(semaphore(use));
        break;
      case Kind::wait_queue:
        call.kind = HostCall::queue_idle;
        call.queue = queue(sync.queue);
        break;
      case Kind::wait_device:
        call.kind = HostCall::device_idle;
        break;
      case Kind::signal_semaphore:
      case Kind::set_event:
      case Kind::reset_event:
        return refuse("the host signals a semaphore, or sets an event");
      case Kind::export_fence:
      case Kind::import_fence:
      case Kind::export_semaphore:
      case Kind::import_semaphore:
        return refuse("exports or imports a fence or a semaphore");
      case Kind::acquire_image:
      case Kind::wait_present:
        return refuse("acquires images");
      case Kind::found_device_idle:
      case Kind::found_work_ended:
      case Kind::found_event_set:
        return refuse("the layer found that work had ended");
      case Kind::make_semaphore:
      case Kind::reset_fences:
      case Kind::poll_event:
      case Kind::query_results:
        return true;
    }
    host_calls_.push_back(std::move(call));
    return true;
  }

  bool executed(const access::Executed& executed) override {
    if (++executed_ > kMostCommands) return refuse("has more commands than the oracle can look at");
    if (executed.reach.unknown != 0) return refuse("shaders follow addresses");
    if (executed.queue == ObjectId::null) return host_touches(executed);
    if (executed.recorded->in_pass || executed.recorded->mark == access::Mark::begins_pass ||
        executed.recorded->mark == access::Mark::ends_pass)
      return refuse("has render passes");
    const auto found = commands_of_.find({executed.at, executed.batch});
    if (found == commands_of_.end()) return refuse("executes commands that are in no batch");
    Command command{.record = executed.record};
    for (const model::Effect& effect : executed.effects) {
      if (const auto* const event = std::get_if<model::EventUse>(&effect)) add_event(*event, command);
      if (const auto* const barrier = std::get_if<model::Barrier>(&effect))
        if (!add_barrier(*barrier, command)) return false;
    }
    if (command.kind == Command::wait_events)
      for (Dependency& one : command.dependencies)
        if (one.events.empty()) one.events = command.events;
    // What a barrier forgets is part of its transition.
    if (command.dependencies.empty())
      for (const access::Touch& touch : executed.touches)
        if (!add_touch(touch, command)) return false;
    if (command.touches.empty() && command.kind == Command::transfer) return true;
    recorded_[static_cast<std::size_t>(found->second)].push_back(std::move(command));
    return true;
  }

 private:
  bool refuse(const char* reason) {
    why = reason;
    return false;
  }
  int queue(ObjectId id) {
    const int number = number_in(queues_, id);
    queue_count_ = static_cast<int>(queues_.size());
    return number;
  }
  test::SyncSemaphore semaphore(const model::SemaphoreUse& use) {
    const int number = number_in(semaphores_, use.semaphore);
    timelines_.resize(semaphores_.size());
    timelines_[static_cast<std::size_t>(number)] = use.timeline;
    return {number, use.value, use.stages != 0 ? use.stages : test::sync::kAll};
  }

  // The places of a touch: bytes of memories; or subresources of an image of which only the driver knows the bytes.
  std::vector<SyncPlace> places(const access::Touch& touch) {
    std::vector<SyncPlace> all;
    const model::Placement::Bytes bytes = placement_.bytes_of(touch);
    const model::Image* const image = model_->image(touch.object);
    if (image == nullptr || (!bytes.whole && !bytes.ranges.empty())) {
      for (const model::Placement::Range& one : bytes.ranges)
        all.push_back({number_in(spaces_, one.memory), one.offset, one.offset + one.size});
      return all;
    }
    const VkImageSubresourceRange part = model::part_of(image, touch.part);
    const VkImageAspectFlags aspects = gpu::aspects_of(image->format);
    for (VkImageAspectFlags rest = part.aspectMask & aspects; rest != 0; rest &= rest - 1)
      for (std::uint32_t mip = part.baseMipLevel; mip < part.baseMipLevel + part.levelCount; ++mip) {
        const std::uint64_t row = (std::uint64_t(std::countr_zero(rest)) * image->mips + mip) * image->layers;
        all.push_back(
            {number_in(spaces_, touch.object), row + part.baseArrayLayer, row + part.baseArrayLayer + part.layerCount});
      }
    return all;
  }

  bool add_touch(const access::Touch& touch, Command& command) {
    const HandleType type = walk_.objects().objects()[touch.object].type;
    if (type != HandleType::VkBuffer && type != HandleType::VkImage && type != HandleType::VkDeviceMemory) return true;
    for (const SyncPlace& place : places(touch))
      for (VkPipelineStageFlags2 stages = touch.stages; stages != 0; stages &= stages - 1)
        for (VkAccessFlags2 rest = touch.access; rest != 0; rest &= rest - 1) {
          const VkAccessFlags2 access = rest & ~(rest - 1);
          command.touches.push_back({place, stages & ~(stages - 1), (access & model::kWrites) != 0, access});
        }
    return true;
  }

  bool host_touches(const access::Executed& executed) {
    if (executed.command != CommandId::rondoHostWrite)
      return executed.touches.empty() || refuse("the host copies images, or presents");
    for (const access::Touch& touch : executed.touches)
      for (const SyncPlace& place : places(touch))
        host_calls_.push_back({.kind = HostCall::host_write, .record = executed.record, .place = place});
    return true;
  }

  void add_event(const model::EventUse& use, Command& command) {
    const int event = number_in(events_, use.event);
    switch (use.kind) {
      case model::EventUse::Kind::set:
        command.kind = Command::set_event;
        command.event = event;
        return;
      case model::EventUse::Kind::reset:
        command.kind = Command::reset_event;
        command.event = event;
        return;
      case model::EventUse::Kind::wait:
        command.kind = Command::wait_events;
        command.events.push_back(event);
        return;
    }
  }

  bool add_barrier(const model::Barrier& barrier, Command& command) {
    if (barrier.src_family != barrier.dst_family) return refuse("passes resources from one queue family to another");
    if (barrier.of == model::Barrier::Of::subpass_dependency) return refuse("has render passes");
    if (barrier.of == model::Barrier::Of::pipeline_barrier) command.kind = Command::barrier;
    Dependency one;
    one.from = barrier.src_stages;
    one.to = barrier.dst_stages;
    one.from_access = barrier.src_access;
    one.to_access = barrier.dst_access;
    if (barrier.of == model::Barrier::Of::event && barrier.event != ObjectId::null)
      one.events = {number_in(events_, barrier.event)};
    if (barrier.kind == model::Barrier::Kind::memory) {
      command.dependencies.push_back(std::move(one));
      return true;
    }
    access::Touch touch;
    touch.object = barrier.resource;
    touch.offset = barrier.offset;
    touch.size = barrier.size;
    touch.part = barrier.range;
    one.kind = barrier.kind == model::Barrier::Kind::image ? SyncBarrier::image : SyncBarrier::buffer;
    one.is_transition = barrier.kind == model::Barrier::Kind::image && barrier.old_layout != barrier.new_layout;
    for (const SyncPlace& place : places(touch)) {
      one.place = place;
      command.dependencies.push_back(one);
    }
    return true;
  }

  analyzers::Walk& walk_;
  const model::Placement& placement_;
  const access::Model* model_ = nullptr;
  std::map<ObjectId, int> queues_, semaphores_, fences_, events_, spaces_;
  std::map<std::pair<std::uint64_t, std::uint32_t>, int> commands_of_;  // by the call and the batch in it
  std::size_t executed_ = 0;
};

}  // namespace

Result<std::set<test::OracleRace>> oracle_races(const std::string& path, const OldNumbers& numbers) {
  auto walk = analyzers::Walk::open(path);
  if (!walk) return tl::unexpected(walk.error());
  model::Placement placement;
  FactsReader reader(*walk, placement);
  analyzers::AccessWanted wanted;
  wanted.synchronization = true;
  wanted.placement = &placement;
  const auto totals = analyzers::walk_accesses(*walk, wanted, reader);
  if (!totals) return tl::unexpected(totals.error());
  if (!reader.why.empty()) return fail(Status::failed, reader.why);
  std::set<test::OracleRace> all;
  try {
    for (test::OracleRace one : reader.races()) {
      one.from = numbers.of(one.from);
      one.to = numbers.of(one.to);
      all.insert(one);
    }
  } catch (const std::logic_error& error) {
    return fail(Status::failed, error.what());
  }
  return all;
}

std::set<test::OracleRace> as_oracle(const std::set<RacePair>& pairs) {
  std::set<test::OracleRace> all;
  for (const RacePair& one : pairs)
    if (one.kind <= RacePair::waw) all.insert({one.from, one.to, static_cast<test::OracleRace::Hazard>(one.kind)});
  return all;
}

}  // namespace rondo::barriers
