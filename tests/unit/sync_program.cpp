// SPDX-License-Identifier: Apache-2.0
// Writes the capture of a SyncProgram and keeps what the oracle has to know of it.
#include <algorithm>
#include <cstddef>
#include <limits>
#include <utility>

#include "tests/unit/sync_oracle.h"

namespace rondo::test {
namespace {

constexpr std::uint32_t size32(std::size_t size) { return static_cast<std::uint32_t>(size); }
template <class All>
auto& at(All& all, int index) {
  return all.at(static_cast<std::size_t>(index));
}

}  // namespace

// Barriers of the first form. They live as long as the call is being written.
struct SyncProgram::Natives {
  Natives(const SyncProgram& program, const std::vector<SyncBarrier>& all) {
    for (const SyncBarrier& one : all) {
      const auto from = static_cast<VkAccessFlags>(one.from_access), to = static_cast<VkAccessFlags>(one.to_access);
      constexpr auto none = VK_QUEUE_FAMILY_IGNORED;
      if (one.kind == SyncBarrier::global)
        memory.push_back({VK_STRUCTURE_TYPE_MEMORY_BARRIER, nullptr, from, to});
      else if (one.kind == SyncBarrier::buffer)
        buffers.push_back({VK_STRUCTURE_TYPE_BUFFER_MEMORY_BARRIER, nullptr, from, to, none, none,
                           at(program.buffers_, one.object).handle, one.begin, one.size});
      else
        images.push_back({VK_STRUCTURE_TYPE_IMAGE_MEMORY_BARRIER, nullptr, from, to, one.old_layout, one.new_layout,
                          none, none, at(program.images_, one.object).handle, range(one)});
    }
  }
  static VkImageSubresourceRange range(const SyncBarrier& one) {
    return {VK_IMAGE_ASPECT_COLOR_BIT, static_cast<std::uint32_t>(one.begin),
            one.size == VK_WHOLE_SIZE ? VK_REMAINING_MIP_LEVELS : static_cast<std::uint32_t>(one.size), 0, 1};
  }
  std::vector<VkMemoryBarrier> memory;
  std::vector<VkBufferMemoryBarrier> buffers;
  std::vector<VkImageMemoryBarrier> images;
};

struct SyncProgram::Natives2 {
  Natives2(const SyncProgram& program, const std::vector<SyncBarrier>& all) {
    for (const SyncBarrier& one : all) {
      constexpr auto none = VK_QUEUE_FAMILY_IGNORED;
      if (one.kind == SyncBarrier::global)
        memory.push_back(
            {VK_STRUCTURE_TYPE_MEMORY_BARRIER_2, nullptr, one.from, one.from_access, one.to, one.to_access});
      else if (one.kind == SyncBarrier::buffer)
        buffers.push_back({VK_STRUCTURE_TYPE_BUFFER_MEMORY_BARRIER_2, nullptr, one.from, one.from_access, one.to,
                           one.to_access, none, none, at(program.buffers_, one.object).handle, one.begin, one.size});
      else
        images.push_back({VK_STRUCTURE_TYPE_IMAGE_MEMORY_BARRIER_2, nullptr, one.from, one.from_access, one.to,
                          one.to_access, one.old_layout, one.new_layout, none, none,
                          at(program.images_, one.object).handle, Natives::range(one)});
    }
  }
  VkDependencyInfo info() const {
    return {VK_STRUCTURE_TYPE_DEPENDENCY_INFO,
            nullptr,
            0,
            size32(memory.size()),
            memory.data(),
            size32(buffers.size()),
            buffers.data(),
            size32(images.size()),
            images.data()};
  }
  std::vector<VkMemoryBarrier2> memory;
  std::vector<VkBufferMemoryBarrier2> buffers;
  std::vector<VkImageMemoryBarrier2> images;
};

template <class Args>
std::uint64_t SyncProgram::call(CommandId command, const Args& args, std::optional<std::int64_t> result) {
  scene_.capture.call(command, args, {.result = result});
  return ++records_;
}

SyncProgram::SyncProgram() {
  VkDeviceCreateInfo info{};
  info.sType = VK_STRUCTURE_TYPE_DEVICE_CREATE_INFO;
  VkDevice device = scene_.device;
  call(CommandId::vkCreateDevice, args_vkCreateDevice{handle<VkPhysicalDevice>(8), &info, nullptr, &device}, 0);
}

int SyncProgram::queue() {
  VkQueue made = handle<VkQueue>(0x30 + queues_.size());
  call(CommandId::vkGetDeviceQueue, args_vkGetDeviceQueue{scene_.device, 0, size32(queues_.size()), &made});
  queues_.push_back(made);
  queue_count_ += 1;
  return queues() - 1;
}
int SyncProgram::memory(std::uint64_t size) {
  memories_.emplace_back(scene_.memory(0x200 + memories_.size(), size), spaces_++);
  records_ += 1;
  return static_cast<int>(memories_.size()) - 1;
}
int SyncProgram::buffer(int memory, std::uint64_t offset, std::uint64_t size) {
  const VkBuffer made = scene_.buffer(0x300 + buffers_.size(), size);
  scene_.bind(made, at(memories_, memory).first, offset);
  records_ += 2;
  buffers_.push_back({made, {at(memories_, memory).second, offset, offset + size}});
  return static_cast<int>(buffers_.size()) - 1;
}
int SyncProgram::image(std::uint32_t mips) {
  const VkImage made = scene_.image(0x400 + images_.size(), VK_FORMAT_R8G8B8A8_UNORM, mips);
  scene_.bind(made, scene_.memory(0x280 + images_.size(), 65536), 0);
  records_ += 3;
  images_.push_back({made, spaces_++, mips});
  return static_cast<int>(images_.size()) - 1;
}
int SyncProgram::semaphore() {
  VkSemaphoreCreateInfo info{};
  info.sType = VK_STRUCTURE_TYPE_SEMAPHORE_CREATE_INFO;
  VkSemaphore made = handle<VkSemaphore>(0x600 + semaphores_.size());
  call(CommandId::vkCreateSemaphore, args_vkCreateSemaphore{scene_.device, &info, nullptr, &made}, 0);
  semaphores_.push_back(made);
  timelines_.push_back(false);
  return static_cast<int>(semaphores_.size()) - 1;
}
int SyncProgram::timeline() {
  const VkSemaphoreTypeCreateInfo type{VK_STRUCTURE_TYPE_SEMAPHORE_TYPE_CREATE_INFO, nullptr,
                                       VK_SEMAPHORE_TYPE_TIMELINE, 0};
  const VkSemaphoreCreateInfo info{VK_STRUCTURE_TYPE_SEMAPHORE_CREATE_INFO, &type, 0};
  VkSemaphore made = handle<VkSemaphore>(0x600 + semaphores_.size());
  call(CommandId::vkCreateSemaphore, args_vkCreateSemaphore{scene_.device, &info, nullptr, &made}, 0);
  semaphores_.push_back(made);
  timelines_.push_back(true);
  return static_cast<int>(semaphores_.size()) - 1;
}
int SyncProgram::fence() {
  VkFenceCreateInfo info{};
  info.sType = VK_STRUCTURE_TYPE_FENCE_CREATE_INFO;
  VkFence made = handle<VkFence>(0x700 + fences_.size());
  call(CommandId::vkCreateFence, args_vkCreateFence{scene_.device, &info, nullptr, &made}, 0);
  fences_.push_back(made);
  return static_cast<int>(fences_.size()) - 1;
}
int SyncProgram::event() {
  VkEventCreateInfo info{};
  info.sType = VK_STRUCTURE_TYPE_EVENT_CREATE_INFO;
  VkEvent made = handle<VkEvent>(0x780 + events_.size());
  call(CommandId::vkCreateEvent, args_vkCreateEvent{scene_.device, &info, nullptr, &made}, 0);
  events_.push_back(made);
  return static_cast<int>(events_.size()) - 1;
}
int SyncProgram::commands() {
  commands_.push_back(scene_.command_buffer(0x500 + commands_.size()));
  scene_.begin(commands_.back());
  records_ += 2;
  recorded_.emplace_back();
  return static_cast<int>(commands_.size()) - 1;
}
void SyncProgram::end(int commands) {
  call(CommandId::vkEndCommandBuffer, args_vkEndCommandBuffer{handle_of(commands)}, 0);
}

SyncPlace SyncProgram::place_of_buffer(int buffer, std::uint64_t offset, std::uint64_t size) const {
  const SyncPlace& all = at(buffers_, buffer).place;
  return {all.space, all.begin + offset, size == VK_WHOLE_SIZE ? all.end : all.begin + offset + size};
}
SyncPlace SyncProgram::place_of_image(int image, std::uint64_t mip, std::uint64_t mips) const {
  const Image& all = at(images_, image);
  return {all.space, mip, mips == VK_WHOLE_SIZE ? all.mips : mip + mips};
}

std::uint64_t SyncProgram::add(int commands, Command command) {
  command.record = records_;
  at(recorded_, commands).push_back(std::move(command));
  return records_;
}

std::uint64_t SyncProgram::fill(int commands, int buffer, std::uint64_t offset, std::uint64_t size) {
  call(CommandId::vkCmdFillBuffer,
       args_vkCmdFillBuffer{handle_of(commands), at(buffers_, buffer).handle, offset, size, 7});
  return add(commands, {.touches = {{place_of_buffer(buffer, offset, size), VK_PIPELINE_STAGE_2_CLEAR_BIT, true}}});
}
std::uint64_t SyncProgram::update(int commands, int buffer, std::uint64_t offset, std::uint64_t size) {
  const std::vector<std::byte> bytes(size);
  call(CommandId::vkCmdUpdateBuffer,
       args_vkCmdUpdateBuffer{handle_of(commands), at(buffers_, buffer).handle, offset, size, bytes.data()});
  return add(commands, {.touches = {{place_of_buffer(buffer, offset, size), VK_PIPELINE_STAGE_2_CLEAR_BIT, true}}});
}
std::uint64_t SyncProgram::copy(int commands, int from, int into, const std::vector<VkBufferCopy>& regions) {
  call(CommandId::vkCmdCopyBuffer,
       args_vkCmdCopyBuffer{handle_of(commands), at(buffers_, from).handle, at(buffers_, into).handle,
                            size32(regions.size()), regions.data()});
  Command command;
  for (const VkBufferCopy& one : regions)
    command.touches.push_back({place_of_buffer(from, one.srcOffset, one.size), VK_PIPELINE_STAGE_2_COPY_BIT, false});
  for (const VkBufferCopy& one : regions)
    command.touches.push_back({place_of_buffer(into, one.dstOffset, one.size), VK_PIPELINE_STAGE_2_COPY_BIT, true});
  return add(commands, std::move(command));
}
std::uint64_t SyncProgram::clear(int commands, int image, std::uint32_t mip, std::uint32_t mips) {
  const VkClearColorValue color{};
  const VkImageSubresourceRange range{VK_IMAGE_ASPECT_COLOR_BIT, mip, mips, 0, 1};
  call(CommandId::vkCmdClearColorImage, args_vkCmdClearColorImage{handle_of(commands), at(images_, image).handle,
                                                                  VK_IMAGE_LAYOUT_GENERAL, &color, 1, &range});
  return add(commands, {.touches = {{place_of_image(image, mip, mips), VK_PIPELINE_STAGE_2_CLEAR_BIT, true}}});
}
std::uint64_t SyncProgram::read_image(int commands, int image, std::uint32_t mip, int buffer, std::uint64_t offset) {
  const VkBufferImageCopy region{offset, 0, 0, {VK_IMAGE_ASPECT_COLOR_BIT, mip, 0, 1}, {0, 0, 0}, {1, 1, 1}};
  call(CommandId::vkCmdCopyImageToBuffer,
       args_vkCmdCopyImageToBuffer{handle_of(commands), at(images_, image).handle, VK_IMAGE_LAYOUT_GENERAL,
                                   at(buffers_, buffer).handle, 1, &region});
  return add(commands, {.touches = {{place_of_image(image, mip, 1), VK_PIPELINE_STAGE_2_COPY_BIT, false},
                                    {place_of_buffer(buffer, offset, 4), VK_PIPELINE_STAGE_2_COPY_BIT, true}}});
}

SyncProgram::Dependency SyncProgram::resolved(const SyncBarrier& one) const {
  Dependency made{one.from, one.to, one.from_access, one.to_access, {}, false, {}, one.kind};
  if (one.kind == SyncBarrier::buffer) made.place = place_of_buffer(one.object, one.begin, one.size);
  if (one.kind == SyncBarrier::image) {
    made.place = place_of_image(one.object, one.begin, one.size);
    made.is_transition = one.old_layout != one.new_layout;
  }
  return made;
}
// The stages of the command are those of all its barriers. A command without barriers orders execution.
std::vector<SyncProgram::Dependency> SyncProgram::resolved_first(VkPipelineStageFlags from, VkPipelineStageFlags to,
                                                                 const std::vector<SyncBarrier>& barriers) const {
  std::vector<Dependency> all;
  for (const SyncBarrier& one : barriers) all.push_back(resolved(one));
  if (all.empty()) all.emplace_back();
  for (Dependency& one : all) one.from = from, one.to = to;
  return all;
}

std::uint64_t SyncProgram::barrier(int commands, VkPipelineStageFlags from, VkPipelineStageFlags to,
                                   const std::vector<SyncBarrier>& barriers) {
  const Natives all(*this, barriers);
  call(CommandId::vkCmdPipelineBarrier,
       args_vkCmdPipelineBarrier{handle_of(commands), from, to, 0, size32(all.memory.size()), all.memory.data(),
                                 size32(all.buffers.size()), all.buffers.data(), size32(all.images.size()),
                                 all.images.data()});
  return add(commands, {.kind = Command::barrier, .dependencies = resolved_first(from, to, barriers)});
}
std::uint64_t SyncProgram::barrier2(int commands, const std::vector<SyncBarrier>& barriers) {
  const Natives2 all(*this, barriers);
  const VkDependencyInfo info = all.info();
  call(CommandId::vkCmdPipelineBarrier2, args_vkCmdPipelineBarrier2{handle_of(commands), &info});
  Command command{.kind = Command::barrier};
  for (const SyncBarrier& one : barriers) command.dependencies.push_back(resolved(one));
  return add(commands, std::move(command));
}
std::uint64_t SyncProgram::set_event(int commands, int event, VkPipelineStageFlags stages) {
  call(CommandId::vkCmdSetEvent, args_vkCmdSetEvent{handle_of(commands), at(events_, event), stages});
  return add(commands, {.kind = Command::set_event, .event = event});
}
std::uint64_t SyncProgram::set_event2(int commands, int event, const std::vector<SyncBarrier>& barriers) {
  const Natives2 all(*this, barriers);
  const VkDependencyInfo info = all.info();
  call(CommandId::vkCmdSetEvent2, args_vkCmdSetEvent2{handle_of(commands), at(events_, event), &info});
  return add(commands, {.kind = Command::set_event, .event = event});
}
std::uint64_t SyncProgram::reset_event(int commands, int event, VkPipelineStageFlags stages, SyncForm form) {
  if (form == SyncForm::first)
    call(CommandId::vkCmdResetEvent, args_vkCmdResetEvent{handle_of(commands), at(events_, event), stages});
  else
    call(CommandId::vkCmdResetEvent2, args_vkCmdResetEvent2{handle_of(commands), at(events_, event), stages});
  return add(commands, {.kind = Command::reset_event, .event = event});
}
std::uint64_t SyncProgram::wait_events(int commands, const std::vector<int>& events, VkPipelineStageFlags from,
                                       VkPipelineStageFlags to, const std::vector<SyncBarrier>& barriers) {
  const Natives all(*this, barriers);
  std::vector<VkEvent> handles;
  for (const int one : events) handles.push_back(at(events_, one));
  call(CommandId::vkCmdWaitEvents,
       args_vkCmdWaitEvents{handle_of(commands), size32(handles.size()), handles.data(), from, to,
                            size32(all.memory.size()), all.memory.data(), size32(all.buffers.size()),
                            all.buffers.data(), size32(all.images.size()), all.images.data()});
  Command command{.kind = Command::wait_events, .dependencies = resolved_first(from, to, barriers), .events = events};
  for (Dependency& one : command.dependencies) one.events = events;
  return add(commands, std::move(command));
}
std::uint64_t SyncProgram::wait_events2(int commands, const std::vector<int>& events,
                                        const std::vector<std::vector<SyncBarrier>>& barriers) {
  std::vector<VkEvent> handles;
  std::vector<Natives2> natives;
  std::vector<VkDependencyInfo> infos;
  Command command{.kind = Command::wait_events, .events = events};
  for (std::size_t i = 0; i < events.size(); ++i) {
    handles.push_back(at(events_, events[i]));
    natives.emplace_back(*this, barriers.at(i));
    for (const SyncBarrier& one : barriers[i]) {
      command.dependencies.push_back(resolved(one));
      command.dependencies.back().events = {events[i]};
    }
  }
  for (const Natives2& one : natives) infos.push_back(one.info());
  call(CommandId::vkCmdWaitEvents2,
       args_vkCmdWaitEvents2{handle_of(commands), size32(handles.size()), handles.data(), infos.data()});
  return add(commands, std::move(command));
}

// What the arrays of a VkSubmitInfo point to.
namespace {
struct FirstForm {
  std::vector<VkSemaphore> waits, signals;
  std::vector<VkPipelineStageFlags> stages;
  std::vector<std::uint64_t> wait_values, signal_values;
  std::vector<VkCommandBuffer> commands;
  VkTimelineSemaphoreSubmitInfo values{};
};
struct SecondForm {
  std::vector<VkSemaphoreSubmitInfo> waits, signals;
  std::vector<VkCommandBufferSubmitInfo> commands;
};
}  // namespace

void SyncProgram::submit_first(VkQueue queue, const std::vector<SyncBatch>& batches, VkFence fence) {
  std::vector<FirstForm> kept(batches.size());
  std::vector<VkSubmitInfo> infos;
  for (std::size_t i = 0; i < batches.size(); ++i) {
    FirstForm& to = kept[i];
    bool has_values = false;
    for (const SyncSemaphore& one : batches[i].waits) {
      to.waits.push_back(at(semaphores_, one.semaphore));
      to.stages.push_back(static_cast<VkPipelineStageFlags>(one.stages));
      to.wait_values.push_back(one.value);
      has_values = has_values || is_timeline(one.semaphore);
    }
    for (const SyncSemaphore& one : batches[i].signals) {
      to.signals.push_back(at(semaphores_, one.semaphore));
      to.signal_values.push_back(one.value);
      has_values = has_values || is_timeline(one.semaphore);
    }
    for (const int one : batches[i].commands) to.commands.push_back(handle_of(one));
    to.values = {VK_STRUCTURE_TYPE_TIMELINE_SEMAPHORE_SUBMIT_INFO,
                 nullptr,
                 size32(to.waits.size()),
                 to.wait_values.data(),
                 size32(to.signals.size()),
                 to.signal_values.data()};
    infos.push_back({VK_STRUCTURE_TYPE_SUBMIT_INFO, has_values ? &to.values : nullptr, size32(to.waits.size()),
                     to.waits.data(), to.stages.data(), size32(to.commands.size()), to.commands.data(),
                     size32(to.signals.size()), to.signals.data()});
  }
  call(CommandId::vkQueueSubmit, args_vkQueueSubmit{queue, size32(infos.size()), infos.data(), fence}, VK_SUCCESS);
}

void SyncProgram::submit_second(VkQueue queue, const std::vector<SyncBatch>& batches, VkFence fence) {
  std::vector<SecondForm> kept(batches.size());
  std::vector<VkSubmitInfo2> infos;
  const auto add = [&](const std::vector<SyncSemaphore>& all, std::vector<VkSemaphoreSubmitInfo>& to) {
    for (const SyncSemaphore& one : all)
      to.push_back(
          {VK_STRUCTURE_TYPE_SEMAPHORE_SUBMIT_INFO, nullptr, at(semaphores_, one.semaphore), one.value, one.stages, 0});
  };
  for (std::size_t i = 0; i < batches.size(); ++i) {
    SecondForm& to = kept[i];
    add(batches[i].waits, to.waits);
    add(batches[i].signals, to.signals);
    for (const int one : batches[i].commands)
      to.commands.push_back({VK_STRUCTURE_TYPE_COMMAND_BUFFER_SUBMIT_INFO, nullptr, handle_of(one), 0});
    infos.push_back({VK_STRUCTURE_TYPE_SUBMIT_INFO_2, nullptr, 0, size32(to.waits.size()), to.waits.data(),
                     size32(to.commands.size()), to.commands.data(), size32(to.signals.size()), to.signals.data()});
  }
  call(CommandId::vkQueueSubmit2, args_vkQueueSubmit2{queue, size32(infos.size()), infos.data(), fence}, VK_SUCCESS);
}

std::uint64_t SyncProgram::add(HostCall call) {
  call.record = records_;
  host_calls_.push_back(std::move(call));
  return records_;
}

std::uint64_t SyncProgram::submit(int queue, const std::vector<SyncBatch>& batches, int fence, SyncForm form) {
  const VkFence signalled = fence < 0 ? VK_NULL_HANDLE : at(fences_, fence);
  HostCall made{.kind = HostCall::submit, .queue = queue, .batches = batches};
  if (fence >= 0) made.fences.push_back(fence);
  if (form == SyncForm::first) {
    submit_first(at(queues_, queue), batches, signalled);
    // Such a signal waits for all commands.
    for (SyncBatch& one : made.batches)
      for (SyncSemaphore& signal : one.signals) signal.stages = VK_PIPELINE_STAGE_2_ALL_COMMANDS_BIT;
  } else {
    submit_second(at(queues_, queue), batches, signalled);
  }
  return add(std::move(made));
}
std::uint64_t SyncProgram::wait_fences(const std::vector<int>& fences) {
  std::vector<VkFence> handles;
  for (const int one : fences) handles.push_back(at(fences_, one));
  call(CommandId::vkWaitForFences,
       args_vkWaitForFences{scene_.device, size32(handles.size()), handles.data(), VK_TRUE, UINT64_MAX}, VK_SUCCESS);
  return add({.kind = HostCall::wait_fences, .fences = fences});
}
std::uint64_t SyncProgram::reset_fences(const std::vector<int>& fences) {
  std::vector<VkFence> handles;
  for (const int one : fences) handles.push_back(at(fences_, one));
  return call(CommandId::vkResetFences, args_vkResetFences{scene_.device, size32(handles.size()), handles.data()},
              VK_SUCCESS);
}
std::uint64_t SyncProgram::queue_idle(int queue) {
  call(CommandId::vkQueueWaitIdle, args_vkQueueWaitIdle{at(queues_, queue)}, VK_SUCCESS);
  return add({.kind = HostCall::queue_idle, .queue = queue});
}
std::uint64_t SyncProgram::device_idle() {
  call(CommandId::vkDeviceWaitIdle, args_vkDeviceWaitIdle{scene_.device}, VK_SUCCESS);
  return add({.kind = HostCall::device_idle});
}
std::uint64_t SyncProgram::host_write(int memory, std::uint64_t offset, std::uint64_t size) {
  scene_.host_write(at(memories_, memory).first, offset, size);
  records_ += 1;
  return add({.kind = HostCall::host_write, .place = {at(memories_, memory).second, offset, offset + size}});
}

}  // namespace rondo::test
