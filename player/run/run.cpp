// SPDX-License-Identifier: Apache-2.0
#include "player/run/run.h"

#include <algorithm>
#include <chrono>
#include <cstring>
#include <exception>

#include "format/codec/schema.h"
#include "format/unverified.h"
#include "generated/thunks.h"
#include "model/gpu/zero_fill.h"
#include "player/devices/hints.h"
#include "player/measure/command_times.h"
#include "player/measure/label_times.h"
#include "player/run/blobs_ahead.h"
#include "player/run/idle.h"
#include "player/run/jobs.h"
#include "player/show/presenter.h"

namespace rondo::player {

namespace {

constexpr VkQueueFlags kFills = VK_QUEUE_GRAPHICS_BIT | VK_QUEUE_COMPUTE_BIT | VK_QUEUE_TRANSFER_BIT;

}  // namespace

std::uint64_t now_ns() {
  return static_cast<std::uint64_t>(
      std::chrono::duration_cast<std::chrono::nanoseconds>(std::chrono::steady_clock::now().time_since_epoch())
          .count());
}

const std::vector<Executor>& executors() {
  static const std::vector<Executor> table = [] {
    std::vector<Executor> t(codec::commands().size(), nullptr);
    add_device_executors(t);
    add_memory_executors(t);
    add_swapchain_executors(t);
    add_sync_executors(t);
    add_payload_executors(t);
    add_pool_executors(t);
    add_pipeline_executors(t);
    add_debug_executors(t);
    add_host_copy_executors(t);
    add_checkpoint_executors(t);
    add_address_executors(t);
    add_descriptor_buffer_executors(t);
    add_generated_command_executors(t);
    add_content_executors(t);
    for (const codec::CommandInfo& command : codec::commands())
      t[static_cast<std::size_t>(command.id)] = t[static_cast<std::size_t>(command.canonical)];
    return t;
  }();
  return table;
}

Run::Run(const Plan& plan, const Loader& loader, const Targets& targets, const RunOptions& options, Deadline& deadline,
         Observer& observer, PlacementCache& placements)
    : plan_(plan),
      loader_(loader),
      targets_(targets),
      options_(options),
      deadline_(deadline),
      observer_(observer),
      placements_(placements),
      scratch_(plan.max_block_bytes / sizeof(Unit) + 1),
      slots_(plan.objects.objects().size(), 0),
      instances_(plan.instances.size()),
      devices_(plan.devices.size()),
      memories_(plan.memories.size()),
      shared_pages_(plan.shared_pages.size()),
      captured_contents_(plan.path, plan.files),
      swapchains_(plan.swapchains.size()),
      presenter_(options.windows != nullptr && options.windows->desktop != nullptr
                     ? std::make_unique<Presenter>(*this, *options.windows)
                     : nullptr),
      payloads_(plan.payloads.size()),
      sync_(plan),
      executors_(executors().data()),
      has_events_(std::any_of(plan.objects.objects().begin(), plan.objects.objects().end(),
                              [](const Object& object) { return object.type == HandleType::VkEvent; })) {
  if (options.blobs != nullptr) options.blobs->go_to(0);
  if (options.jobs > 1) jobs_ = std::make_unique<Jobs>(*this, options.jobs - 1);
}

Run::~Run() {
  // An exception is on its way: there is no memory, or a layer that found none threw it out of a call.
  // Whoever catches it ends the process: the driver is left alone.
  if (std::uncaught_exceptions() != 0) abandoned_ = true;
  try {
    static_cast<void>(finish());
  } catch (const std::exception&) {
  }
}

Result<void> Run::finish() {
  if (finished_) return {};
  finished_ = true;
  jobs_.reset();
  Result<void> ended;
  if (abandoned_) ended = fail(Status::timeout, plan_.path + ": a wait did not end");
  for (std::uint32_t i = 0; ended && i < devices_.size(); ++i) ended = release_device(i, true);
  for (std::size_t i = 0; ended && i < plan_.instances.size(); ++i) ended = release_instance(plan_.instances[i], true);
  if (!ended) {
    for (MemoryState& memory : memories_) {
      memory.placed.leave();
      memory.pages.leave();
    }
    if (presenter_ != nullptr) {
      options_.windows->leave();
      static_cast<void>(presenter_.release());  // its chains are still worked on
    }
  }
  return ended;
}

void Run::patch(const Op& op, std::byte* block) const {
  std::memcpy(block, plan_.arena.at(op.block), op.block_bytes);
  const std::uint32_t* pointer = plan_.pointers.data() + op.first_pointer;
  for (std::uint32_t i = 0; i < op.pointers; ++i) {
    std::uint64_t value;
    std::memcpy(&value, block + pointer[i], sizeof value);
    value += reinterpret_cast<std::uint64_t>(block);
    std::memcpy(block + pointer[i], &value, sizeof value);
  }
  const Patch* patch = plan_.patches.data() + op.first_patch;
  for (std::uint32_t i = 0; i < op.patches; ++i)
    std::memcpy(block + patch[i].offset, &slots_[index_of(patch[i].id)], sizeof(std::uint64_t));
}

std::byte* Run::prepare(const Op& op) {
  auto* block = reinterpret_cast<std::byte*>(scratch_.data());
  patch(op, block);
  return block;
}

std::vector<std::byte> Run::prepared_copy(const Op& op) const {
  std::vector<std::byte> block(op.block_bytes);  // the heap aligns to 16
  patch(op, block.data());
  return block;
}

ObjectId Run::patched_id(const Op& op, std::uint32_t offset) const {
  const Patch* patch = plan_.patches.data() + op.first_patch;
  for (std::uint32_t i = 0; i < op.patches; ++i)
    if (patch[i].offset == offset) return patch[i].id;
  return ObjectId::null;
}

PFN_vkVoidFunction Run::function(const Op& op) const {
  if (op.device != kNone && devices_[op.device] != nullptr) return devices_[op.device]->dispatch.at(op.command);
  ObjectId id = op.dispatch;
  const auto& objects = plan_.objects.objects();
  while (id != ObjectId::null && objects[id].type != HandleType::VkInstance) id = objects[id].parent;
  return id == ObjectId::null ? nullptr : instances_[plan_.place_of(id)].dispatch.at(op.command);
}

std::int64_t Run::call(const Op& op, std::byte* args) { return invoke(op.command, function(op), args); }

Result<void> Run::call_checked(const Op& op, std::byte* args) {
  const PFN_vkVoidFunction pfn = function(op);
  if (pfn == nullptr) [[unlikely]]
    return tl::unexpected<Error>(refuse(op, Status::device, "the device does not have this command"));
  const std::int64_t result = invoke(op.command, pfn, args);
  if (op.checked && result < 0) [[unlikely]]
    return tl::unexpected<Error>(failure(op, result));
  return {};
}

Result<void> Run::publish(const Op& op, const std::byte* block) {
  const Patch* created = plan_.created.data() + op.first_created;
  for (std::uint32_t i = 0; i < op.created; ++i) {
    std::uint64_t handle;
    std::memcpy(&handle, block + created[i].offset, sizeof handle);
    std::uint64_t& slot = slots_[index_of(created[i].id)];
    if (handle == 0) [[unlikely]]
      return tl::unexpected<Error>(refuse(op, Status::failed, plan_.name(created[i].id) + " was not created"));
    if (slot != 0 && slot != handle) [[unlikely]]
      shared_.emplace_back(created[i].id, slot);
    slot = handle;
  }
  if (!shared_.empty()) [[unlikely]]
    settle_shared(op);
  const ObjectId* ended = plan_.ended.data() + op.first_ended;
  for (std::uint32_t i = 0; i < op.ended; ++i) slots_[index_of(ended[i])] = 0;
  return {};
}

// Two creates gave one value in the capture and two here: a destroy that did
// not end the object took the handle of one, the other one stays.
void Run::settle_shared(const Op& op) {
  const codec::CommandInfo& command = codec::info(op.command);
  const Patch* patch = plan_.patches.data() + op.first_patch;
  for (std::uint32_t i = 0; i < op.patches; ++i) {
    const ObjectId id = patch[i].id;
    if (id == ObjectId::null || codec::info(plan_.objects.objects()[id].type).destroy != command.canonical) continue;
    for (auto s = shared_.begin(); s != shared_.end(); ++s) {
      if (s->first != id) continue;
      slots_[index_of(id)] = s->second;
      shared_.erase(s);
      break;
    }
  }
}

void Run::submitted(const Op& op, std::uint64_t batches) {
  counts_.submits += batches;
  last_submit_sequence_ = op.sequence;
  last_submit_frame_ = counts_.frames;
  deadline_.submitted(counts_.submits - 1, last_submit_frame_, last_submit_sequence_);
  submit_pending_ = true;
}

void Run::waited(const Op& op) {
  if (op.ends_submits) submit_pending_ = false;
  note_end();
}

void Run::note_end() {
  ended_ns_ = now_ns();
  paused_until_end_ns_ = paused_ns_;
}

void Run::begin_timing() {
  started_ns_ = ended_ns_ = paused_ns_ = 0;
  paused_cpu_ = 0;
  submit_pending_ = false;
}

Result<void> Run::finish_timing() {
  if (started_ns_ == 0) return {};
  if (submit_pending_) {
    for (std::uint32_t i = 0; i < devices_.size(); ++i) RONDO_TRY(finish_work(i));
    submit_pending_ = false;
    note_end();
  }
  counts_.seconds = static_cast<double>(ended_ns_ - started_ns_ - (paused_until_end_ns_ - paused_before_ns_)) * 1e-9;
  return {};
}

bool Run::is_timed(std::uint32_t op) const {
  return (label_times_ != nullptr && label_times_->has(op)) || (command_times_ != nullptr && command_times_->has(op));
}

Result<void> Run::play_op(const Op& op) {
  const bool is_among_timed = command_times_ != nullptr && command_times_->has(op_index(op));
  if (is_among_timed) [[unlikely]]
    RONDO_TRY(command_times_->before(op_index(op)));
  std::byte* args = prepare(op);
  if (const Executor executor = executors_[static_cast<std::size_t>(op.command)]; executor != nullptr)
    RONDO_TRY(executor(*this, op, args));
  else
    RONDO_TRY(call_checked(op, args));
  if (label_times_ != nullptr) [[unlikely]]
    RONDO_TRY(label_times_->played(op_index(op)));
  if (is_among_timed) [[unlikely]] {
    // The device that the op made has its handle from here on.
    RONDO_TRY(publish(op, args));
    return command_times_->after(op_index(op));
  }
  return publish(op, args);
}

Result<void> Run::play_again(std::uint32_t op) { return play_op(plan_.ops[op]); }

// As far as they are calls and nothing else.
Result<void> Run::play_steps(std::uint32_t last) {
  const Step* const begin = steps_->at(at_);
  const Step* const end = steps_->at(std::min(last, steps_->last()));
  const std::uint64_t* const slots = slots_.data();
  const Step* step = begin;
  bool failed = false;
  std::int64_t result = 0;
  for (; step != end && step->thunk != nullptr; ++step) {
    deadline_.at(step->sequence);
    for (const Patch *patch = step->patches, *last_patch = patch + step->count; patch != last_patch; ++patch)
      std::memcpy(step->args + patch->offset, slots + index_of(patch->id), sizeof(std::uint64_t));
    result = step->thunk(step->function, step->args);
    failed = result < 0 && step->checked;
    if (failed) [[unlikely]]
      break;
  }
  at_ += static_cast<std::uint32_t>(step - begin);
  counts_.calls += static_cast<std::uint64_t>(step - begin);
  if (failed) return tl::unexpected<Error>(failure(plan_.ops[at_], result));
  return {};
}

Result<void> Run::play_to(std::uint32_t last) {
  for (; at_ < last; ++at_) {
    if (steps_ != nullptr && steps_->holds(at_) && steps_->at(at_)->thunk != nullptr) {
      RONDO_TRY(play_steps(last));
      if (at_ == last) break;
    }
    const Op& op = plan_.ops[at_];
    deadline_.at(op.sequence);
    if (op.device != kNone && devices_[op.device] == nullptr) [[unlikely]]
      return tl::unexpected<Error>(refuse(op, Status::unreadable, "its device does not exist here"));
    for (; next_settle_ < plan_.settles.size() && plan_.settles[next_settle_].op == at_; ++next_settle_)
      RONDO_TRY(settle(op, plan_.settles[next_settle_]));
    if (jobs_ != nullptr) [[unlikely]] {
      if (at_ >= plan_.span.first) {
        RONDO_TRY(end_jobs());
      } else {
        const auto taken = jobs_->take(op);
        if (!taken) return tl::unexpected<Error>(taken.error());
        if (*taken) {
          ++counts_.calls;
          continue;
        }
      }
    }
    RONDO_TRY(play_op(op));
    ++counts_.calls;
  }
  // What comes next may be a loop's, which looks at what there is.
  return jobs_ != nullptr && at_ >= plan_.span.first ? end_jobs() : Result<void>();
}

Result<void> Run::end_jobs() {
  const Result<void> done = jobs_->wait();
  jobs_.reset();
  return done;
}

Result<void> Run::play() {
  RONDO_TRY(play_to(static_cast<std::uint32_t>(plan_.ops.size())));
  skip_image_checks();
  return finish_timing();
}

void Run::skip_image_checks() {
  for (const ImageCheck& check : image_checks_)
    observer_.skip(observer_.verification.images, "record " + std::to_string(check.op->sequence),
                   text_of(Unverified::not_presented));
  image_checks_.clear();
}

Run::Position Run::position() const {
  return {at_, next_settle_, sync_, counts_, last_submit_sequence_, last_submit_frame_};
}

void Run::go_back(const Position& position) {
  at_ = position.at;
  if (options_.blobs != nullptr) options_.blobs->go_to(at_);
  next_settle_ = position.next_settle;
  sync_ = position.sync;
  counts_ = position.counts;
  last_submit_sequence_ = position.last_submit_sequence;
  last_submit_frame_ = position.last_submit_frame;
}

Result<void> Run::begin_cut() {
  RONDO_TRY(idle());
  const std::uint64_t calls = counts_.calls;
  counts_ = {};
  counts_.calls = calls;
  last_submit_sequence_ = last_submit_frame_ = 0;
  started_ns_ = ended_ns_ = 0;
  submit_pending_ = false;
  return {};
}

Result<void> Run::idle() {
  for (const auto& device : devices_) {
    if (device == nullptr) continue;
    const VkResult r = IdleProbe(*device).wait(deadline_.left_ns());
    if (r == VK_TIMEOUT) {
      abandoned_ = true;
      return fail(Status::timeout, plan_.path + ": " + time_is_over("the submitted work"));
    }
    if (r < 0)
      return fail(Status::failed, plan_.path + ": waiting for the submitted work returned " + result_name(r) +
                                      behind_last_submit() + memory_hint(r));
  }
  return {};
}

gpu::Readback& Run::readback(DeviceState& device, std::uint32_t family) {
  auto& readback = device.readbacks[family];
  if (readback == nullptr) readback = std::make_unique<gpu::Readback>(device.access, family);
  return *readback;
}

bool Run::blocked(const DeviceState& device) { return blocked(device, VK_NULL_HANDLE, true); }

bool Run::blocked(const DeviceState& device, VkQueue queue, bool any) {
  sync_.advance(at_);
  return sync_.blocked() && std::any_of(device.queues.begin(), device.queues.end(), [&](const LiveQueue& one) {
           return (any || one.handle == queue) && sync_.blocked(one.id);
         });
}

bool Run::comes(ObjectId fence) {
  sync_.advance(at_);
  if (!sync_.blocked()) return true;
  for (std::uint32_t i = at_; i-- > 0;) {
    const Op& op = plan_.ops[i];
    const CommandId id = codec::info(op.command).canonical;
    const bool acquires = id == CommandId::vkAcquireNextImageKHR || id == CommandId::vkAcquireNextImage2KHR;
    const bool resets = id == CommandId::vkResetFences;
    const bool gives = id == CommandId::vkQueueSubmit || id == CommandId::vkQueueSubmit2 ||
                       id == CommandId::vkQueueBindSparse || id == CommandId::vkQueuePresentKHR;
    if (!acquires && !resets && !gives) continue;
    const auto patches = std::span(plan_.patches).subspan(op.first_patch, op.patches);
    if (std::none_of(patches.begin(), patches.end(), [&](const Patch& p) { return p.id == fence; })) continue;
    if (resets) return false;
    if (!acquires) return !sync_.blocked(op.dispatch, i);
    const auto chain = std::find_if(patches.begin(), patches.end(), [&](const Patch& p) {
      return plan_.objects.objects()[p.id].type == HandleType::VkSwapchainKHR;
    });
    return chain == patches.end() || !sync_.blocked(plan_.queue_of_presents(chain->id), i);
  }
  const auto& device = devices_[plan_.place_of(plan_.objects.objects()[fence].device)];
  return device->dispatch.vkGetFenceStatus(device->handle, reinterpret_cast<VkFence>(slots_[index_of(fence)])) ==
         VK_SUCCESS;
}

bool Run::comes(ObjectId timeline, std::uint64_t value) {
  sync_.advance(at_);
  return sync_.reaches(timeline, value);
}

// A software driver of Mesa's signals a batch's fence first and then, on a thread of its own, the
// batch's timelines: one that is destroyed right behind the wait for the fence takes the driver
// down. No program is as fast as a replay.
void Run::await_timeline(DeviceState& device, ObjectId semaphore) {
  constexpr std::uint64_t kAtMostNs = 1'000'000'000;
  sync_.advance(at_);
  const std::uint64_t value = sync_.given(semaphore);
  const auto handle = reinterpret_cast<VkSemaphore>(slots_[index_of(semaphore)]);
  // A file may have a timeline on a device that was made without them.
  if (value == 0 || handle == VK_NULL_HANDLE || device.dispatch.vkWaitSemaphores == nullptr) return;
  VkSemaphoreWaitInfo info{};
  info.sType = VK_STRUCTURE_TYPE_SEMAPHORE_WAIT_INFO;
  info.semaphoreCount = 1;
  info.pSemaphores = &handle;
  info.pValues = &value;
  device.dispatch.vkWaitSemaphores(device.handle, &info, std::min(kAtMostNs, deadline_.left_ns()));
}

Result<void> Run::zero(DeviceState& device, const MemoryState& memory, std::uint32_t type) {
  LiveQueue queue{ObjectId::null, device.service_queue, device.service_family};
  if (blocked(device)) [[unlikely]] {
    const auto& families = targets_[device.index].families;
    for (const LiveQueue& other : device.queues)
      if (other.handle == queue.handle) queue.id = other.id;
    if (sync_.blocked(queue.id)) queue.handle = VK_NULL_HANDLE;
    for (const LiveQueue& other : device.queues)
      if (queue.handle == VK_NULL_HANDLE && !sync_.blocked(other.id) &&
          (families[other.family].queueFlags & kFills) != 0)
        queue = other;
  }
  const bool by_host =
      (device.access.memory.memoryTypes[type].propertyFlags & VK_MEMORY_PROPERTY_HOST_VISIBLE_BIT) != 0;
  if (!by_host && queue.handle == VK_NULL_HANDLE) return {};
  auto done =
      gpu::zero_fill(device.access, memory.handle, memory.bytes, type, queue.handle, &device.one_shot(queue.family));
  // A type that holds no buffers could not be zeroed in a capture either.
  if (!done && done.error().status == Status::device) return {};
  return done;
}

}  // namespace rondo::player
