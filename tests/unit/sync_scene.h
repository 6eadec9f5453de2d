// SPDX-License-Identifier: Apache-2.0
// Captures written by hand for `rondo sync`, and what it finds in them.
#pragma once

#include <algorithm>
#include <string>
#include <vector>

#include "analyzers/analysis/graph_rows.h"
#include "analyzers/analysis/sync_findings.h"
#include "analyzers/analysis/sync_rows.h"
#include "analyzers/text/access_rows.h"
#include "tests/unit/graph_scene.h"

namespace rondo::test {

namespace scene {

constexpr VkPipelineStageFlags2 kCopy = VK_PIPELINE_STAGE_2_COPY_BIT, kClear = VK_PIPELINE_STAGE_2_CLEAR_BIT;
constexpr VkPipelineStageFlags2 kTransfer = VK_PIPELINE_STAGE_2_ALL_TRANSFER_BIT;
constexpr VkPipelineStageFlags2 kCompute = VK_PIPELINE_STAGE_2_COMPUTE_SHADER_BIT;
constexpr VkPipelineStageFlags2 kAllStages = VK_PIPELINE_STAGE_2_ALL_COMMANDS_BIT;
constexpr VkAccessFlags2 kRead = VK_ACCESS_2_TRANSFER_READ_BIT, kWrite = VK_ACCESS_2_TRANSFER_WRITE_BIT;
constexpr VkAccessFlags2 kAny = VK_ACCESS_2_MEMORY_READ_BIT | VK_ACCESS_2_MEMORY_WRITE_BIT;

}  // namespace scene

// Commands are named by the order in which they are recorded: "c0" is the first one that a SyncScene records.
struct SyncScene : GraphScene {
  struct Scopes {
    VkPipelineStageFlags2 from = 0;
    VkAccessFlags2 from_access = 0;
    VkPipelineStageFlags2 to = 0;
    VkAccessFlags2 to_access = 0;
  };
  const Call kOk{.result = VK_SUCCESS};
  VkDeviceMemory mem = memory(0x200, 4096);
  VkBuffer a = bound(0x301, 0), b = bound(0x302, 256), c = bound(0x303, 512);

  VkBuffer bound(std::uint64_t value, VkDeviceSize offset) {
    const VkBuffer made = buffer(value, 256);
    bind(made, mem, offset);
    return made;
  }
  VkEvent created_event(std::uint64_t value) {
    const VkEventCreateInfo info{VK_STRUCTURE_TYPE_EVENT_CREATE_INFO, nullptr, 0};
    VkEvent made = handle<VkEvent>(value);
    capture.call(CommandId::vkCreateEvent, args_vkCreateEvent{device, &info, nullptr, &made}, kOk);
    return made;
  }
  template <class Args>
  void record(CommandId id, const Args& args) {
    capture.call(id, args);
    names.push_back(capture.last_number());
  }
  void fill(VkBuffer target, VkDeviceSize offset = 0, VkDeviceSize size = 256) {
    record(CommandId::vkCmdFillBuffer, args_vkCmdFillBuffer{to, target, offset, size, 7});
  }
  void copy(VkBuffer from, VkBuffer into) {
    const VkBufferCopy region{0, 0, 256};
    record(CommandId::vkCmdCopyBuffer, args_vkCmdCopyBuffer{to, from, into, 1, &region});
  }
  void dependency(CommandId id, const VkDependencyInfo& info) {
    if (id == CommandId::vkCmdPipelineBarrier2) record(id, args_vkCmdPipelineBarrier2{to, &info});
    if (id == CommandId::vkCmdSetEvent2) record(id, args_vkCmdSetEvent2{to, event, &info});
    if (id == CommandId::vkCmdWaitEvents2) record(id, args_vkCmdWaitEvents2{to, 1, &event, &info});
  }
  void barrier(const Scopes& s, CommandId id = CommandId::vkCmdPipelineBarrier2) {
    const VkMemoryBarrier2 one{VK_STRUCTURE_TYPE_MEMORY_BARRIER_2, nullptr, s.from, s.from_access, s.to, s.to_access};
    VkDependencyInfo info{};
    info.sType = VK_STRUCTURE_TYPE_DEPENDENCY_INFO;
    info.memoryBarrierCount = 1;
    info.pMemoryBarriers = &one;
    dependency(id, info);
  }
  void first_form(VkPipelineStageFlags from, VkAccessFlags from_access, VkPipelineStageFlags into,
                  VkAccessFlags to_access) {
    const VkMemoryBarrier one{VK_STRUCTURE_TYPE_MEMORY_BARRIER, nullptr, from_access, to_access};
    record(CommandId::vkCmdPipelineBarrier,
           args_vkCmdPipelineBarrier{to, from, into, 0, 1, &one, 0, nullptr, 0, nullptr});
  }
  void barrier(const std::vector<std::pair<VkBuffer, Scopes>>& buffers, VkDeviceSize offset = 0,
               VkDeviceSize size = VK_WHOLE_SIZE) {
    std::vector<VkBufferMemoryBarrier2> all;
    for (const auto& [one, s] : buffers)
      all.push_back({VK_STRUCTURE_TYPE_BUFFER_MEMORY_BARRIER_2, nullptr, s.from, s.from_access, s.to, s.to_access,
                     VK_QUEUE_FAMILY_IGNORED, VK_QUEUE_FAMILY_IGNORED, one, offset, size});
    VkDependencyInfo info{};
    info.sType = VK_STRUCTURE_TYPE_DEPENDENCY_INFO;
    info.bufferMemoryBarrierCount = static_cast<std::uint32_t>(all.size());
    info.pBufferMemoryBarriers = all.data();
    dependency(CommandId::vkCmdPipelineBarrier2, info);
  }
  void barrier(VkImage one, const Scopes& s, VkImageLayout from, VkImageLayout into, std::uint32_t mip = 0,
               std::uint32_t mips = 1) {
    const VkImageMemoryBarrier2 all{VK_STRUCTURE_TYPE_IMAGE_MEMORY_BARRIER_2,
                                    nullptr,
                                    s.from,
                                    s.from_access,
                                    s.to,
                                    s.to_access,
                                    from,
                                    into,
                                    VK_QUEUE_FAMILY_IGNORED,
                                    VK_QUEUE_FAMILY_IGNORED,
                                    one,
                                    {VK_IMAGE_ASPECT_COLOR_BIT, mip, mips, 0, 1}};
    VkDependencyInfo info{};
    info.sType = VK_STRUCTURE_TYPE_DEPENDENCY_INFO;
    info.imageMemoryBarrierCount = 1;
    info.pImageMemoryBarriers = &all;
    dependency(CommandId::vkCmdPipelineBarrier2, info);
  }
  void clear(VkImage one, std::uint32_t mip = 0) {
    const VkClearColorValue color{};
    const VkImageSubresourceRange range{VK_IMAGE_ASPECT_COLOR_BIT, mip, 1, 0, 1};
    record(CommandId::vkCmdClearColorImage,
           args_vkCmdClearColorImage{to, one, VK_IMAGE_LAYOUT_GENERAL, &color, 1, &range});
  }
  VkQueue other_queue(std::uint64_t value, std::uint32_t family = 0) {
    VkQueue made = handle<VkQueue>(value);
    capture.call(CommandId::vkGetDeviceQueue, args_vkGetDeviceQueue{device, family, 1, &made});
    return made;
  }
  void wait_idle(VkQueue on) { capture.call(CommandId::vkQueueWaitIdle, args_vkQueueWaitIdle{on}, kOk); }
  void go(VkCommandBuffer into) {
    to = into;
    begin(into);
  }
  struct Given {
    VkSemaphore wait = VK_NULL_HANDLE, signal = VK_NULL_HANDLE;
    VkPipelineStageFlags2 wait_stages = scene::kAllStages, signal_stages = scene::kAllStages;
    std::uint64_t wait_value = 0, signal_value = 0;
  };
  void submit(VkQueue on, VkCommandBuffer what, const Given& given) {
    const VkSemaphoreSubmitInfo wait{
        VK_STRUCTURE_TYPE_SEMAPHORE_SUBMIT_INFO, nullptr, given.wait, given.wait_value, given.wait_stages, 0};
    const VkSemaphoreSubmitInfo signal{
        VK_STRUCTURE_TYPE_SEMAPHORE_SUBMIT_INFO, nullptr, given.signal, given.signal_value, given.signal_stages, 0};
    const VkCommandBufferSubmitInfo commands{VK_STRUCTURE_TYPE_COMMAND_BUFFER_SUBMIT_INFO, nullptr, what, 0};
    VkSubmitInfo2 info{};
    info.sType = VK_STRUCTURE_TYPE_SUBMIT_INFO_2;
    info.waitSemaphoreInfoCount = given.wait != VK_NULL_HANDLE ? 1 : 0;
    info.pWaitSemaphoreInfos = &wait;
    info.commandBufferInfoCount = 1;
    info.pCommandBufferInfos = &commands;
    info.signalSemaphoreInfoCount = given.signal != VK_NULL_HANDLE ? 1 : 0;
    info.pSignalSemaphoreInfos = &signal;
    capture.call(CommandId::vkQueueSubmit2, args_vkQueueSubmit2{on, 1, &info, VK_NULL_HANDLE}, kOk);
    submits.push_back(capture.last_number());
  }
  VkSemaphore semaphore(std::uint64_t value, bool timeline = false) {
    VkSemaphoreTypeCreateInfo type{};
    type.sType = VK_STRUCTURE_TYPE_SEMAPHORE_TYPE_CREATE_INFO;
    type.semaphoreType = VK_SEMAPHORE_TYPE_TIMELINE;
    const VkSemaphoreCreateInfo make{VK_STRUCTURE_TYPE_SEMAPHORE_CREATE_INFO, timeline ? &type : nullptr, 0};
    VkSemaphore made = handle<VkSemaphore>(value);
    capture.call(CommandId::vkCreateSemaphore, args_vkCreateSemaphore{device, &make, nullptr, &made}, kOk);
    return made;
  }

  std::string name(std::uint64_t record) const {
    const auto found = std::find(names.begin(), names.end(), record);
    if (found != names.end()) return "c" + std::to_string(found - names.begin());
    const auto submit = std::find(submits.begin(), submits.end(), record);
    return submit != submits.end() ? "submit" + std::to_string(submit - submits.begin()) : "host";
  }
  // Of what the program could leave out.
  std::string name(const graph::SyncOp& sync) const {
    if (sync.kind == graph::SyncOp::Kind::host_wait) return codec::info(sync.command).name;
    return name(sync.record);
  }
  // "RAW c1 c3", "superfluous c2", "ineffective c2 RAW c1 c3", "too-wide c2: COPY(TRANSFER_WRITE)->NONE()".
  std::vector<std::string> findings() {
    capture.finish();
    const auto analysis = analyzers::SyncAnalysis::of(file.path());
    if (!analysis) return {analysis.error().message};
    const auto race_text = [&](const analyzers::SyncRace& race) {
      return analyzers::kinds_text(race.hazards) + " " + name(race.from.executed.record) + " " +
             name(race.to.executed.record);
    };
    const auto words = [](const std::vector<std::string>& all) {
      std::string out;
      for (const std::string& one : all) out += (out.empty() ? "" : "|") + one;
      return out;
    };
    std::vector<std::string> all;
    for (const analyzers::SyncFinding& one : analysis->findings().all) {
      if (one.rule >= analyzers::SyncRule::needed) continue;
      if (one.rule == analyzers::SyncRule::replaceable && !with_replaceable) continue;
      std::string said = one.rule == analyzers::SyncRule::race
                             ? race_text(one.race)
                             : std::string(word_of(one.rule)) + " " + name(analysis->sync(one.sync));
      if (one.rule == analyzers::SyncRule::ineffective) said += " " + race_text(one.race);
      for (const analyzers::SyncNarrow& narrow : one.narrow) {
        const model::Barrier& enough = narrow.enough;
        said += ": ";
        said += narrow.is_unused ? "unused"
                                 : words(analyzers::stage_names(enough.src_stages)) + "(" +
                                       words(analyzers::access_names(enough.src_access)) + ")->" +
                                       words(analyzers::stage_names(enough.dst_stages)) + "(" +
                                       words(analyzers::access_names(enough.dst_access)) + ")";
      }
      if (one.occurrences != 1) said += " x" + std::to_string(one.occurrences);
      all.push_back(std::move(said));
    }
    return all;
  }

  VkCommandBuffer to = commands;
  VkEvent event = created_event(0x700);
  std::vector<std::uint64_t> names, submits;  // records
  bool with_replaceable = false;              // findings() has these, too
};

}  // namespace rondo::test
