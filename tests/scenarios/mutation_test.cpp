// SPDX-License-Identifier: Apache-2.0
// For each class of record: what happens to a replay in which such a record was
// dropped, exchanged, changed, or given another object. A verification names
// the place, or the call is refused before the driver sees it. What nothing can
// see is in the table, too, and docs/mutations.md says why.
#include <catch2/catch.hpp>

#include "fixture.h"
#include "json.h"
#include "skip.h"

using namespace scenario;

namespace {

enum Found {
  differs,  // status 5: a comparison names the record
  refused,  // status 3: the plan names the record that cannot be played so
  failed,   // status 1: the driver's answer is another one
  unseen,   // status 0
};

struct Mutation {
  const char* damage;
  Found found;
};

struct Class {
  const char* name;
  const char* program;
  std::vector<Mutation> mutations;
};

const std::vector<Class>& classes() {
  static const std::vector<Class> all = {
      {"host writes",
       "compute",
       {{"drop:rondoHostWrite#0", differs},
        {"swap:rondoHostWrite#0:rondoHostWrite#1", differs},
        {"corrupt:rondoHostWrite#0:pData", differs},
        {"corrupt:rondoHostWrite#0:offset=999999", refused},
        {"handle:rondoHostWrite#0:1", differs}}},
      {"checkpoints",
       "compute",
       {{"corrupt:rondoCheckpointMemory#0:low", differs},
        {"corrupt:rondoCheckpointMemory#0:size", differs},
        {"handle:rondoCheckpointMemory#0:1", differs},
        {"drop:rondoCheckpointMemory#0", unseen}}},
      {"instances and devices",
       "compute",
       {{"drop:vkCreateInstance#0", refused},
        {"drop:vkCreateDevice#0", refused},
        {"drop:vkGetDeviceQueue#0", refused},
        {"corrupt:vkGetDeviceQueue#0:queueIndex", refused}}},
      {"memory",
       "triangle",
       {{"drop:vkAllocateMemory#0", refused},
        {"corrupt:vkAllocateMemory#0:allocationSize", refused},
        {"swap:vkAllocateMemory#0:vkAllocateMemory#1", refused},
        {"corrupt:vkBindImageMemory#0:memoryOffset=1000000000", refused},
        {"corrupt:vkBindBufferMemory#0:memoryOffset", refused},
        {"drop:vkBindBufferMemory#0", refused},
        {"drop:vkBindImageMemory#0", refused}}},
      {"buffers",
       "triangle",
       {{"drop:vkCreateBuffer#0", refused},
        {"swap:vkCreateBuffer#0:vkCreateBuffer#1", refused},
        {"corrupt:vkCreateBuffer#1:size=4096", refused},
        {"drop:vkDestroyBuffer#0", unseen}}},
      {"images, views, framebuffers and passes",
       "triangle",
       {{"drop:vkCreateImage#0", refused},
        {"corrupt:vkCreateImage#0:width=16", refused},
        {"corrupt:vkCreateImage#0:arrayLayers=0", refused},
        {"corrupt:vkCreateImage#0:format=12345", refused},
        {"drop:vkCreateImageView#0", refused},
        {"corrupt:vkCreateImageView#0:baseArrayLayer=7", refused},
        {"drop:vkCreateRenderPass#0", refused},
        {"corrupt:vkCreateRenderPass#0:attachment=9", refused},
        {"drop:vkCreateFramebuffer#0", refused},
        {"corrupt:vkCreateFramebuffer#0:width=16", refused},
        {"drop:vkDestroyImage#0", unseen}}},
      {"shaders and pipelines",
       "triangle",
       {{"drop:vkCreateShaderModule#0", refused},
        {"swap:vkCreateShaderModule#0:vkCreateShaderModule#1", unseen},
        {"corrupt:vkCreateShaderModule#0:pCode", refused},
        {"handle:vkCreateGraphicsPipelines#0:1", failed},
        {"drop:vkCreatePipelineLayout#0", refused},
        {"drop:vkCreateGraphicsPipelines#0", refused},
        {"corrupt:vkCreateGraphicsPipelines#0:topology=99", refused},
        {"corrupt:vkCreateGraphicsPipelines#0:subpass=3", refused}}},
      {"descriptors",
       "compute",
       {{"drop:vkCreateDescriptorSetLayout#0", refused},
        {"drop:vkCreateDescriptorPool#0", refused},
        {"drop:vkAllocateDescriptorSets#0", refused},
        {"drop:vkUpdateDescriptorSets#0", differs},
        {"corrupt:vkUpdateDescriptorSets#0:dstBinding=7", refused},
        {"corrupt:vkUpdateDescriptorSets#0:dstArrayElement", refused},
        {"corrupt:vkUpdateDescriptorSets#0:range=64", differs},
        {"handle:vkUpdateDescriptorSets#0:2", differs},
        {"drop:vkCmdBindDescriptorSets#*", differs},
        {"corrupt:vkCmdBindDescriptorSets#0:firstSet", refused}}},
      {"descriptors by template, pushed or copied",
       "templates",
       {{"drop:vkCreateDescriptorUpdateTemplateKHR#0", refused},
        {"corrupt:vkCreateDescriptorUpdateTemplateKHR#0:dstBinding=9", refused},
        {"corrupt:vkCreateDescriptorUpdateTemplateKHR#0:offset=68", differs},
        {"drop:vkCmdPushDescriptorSetWithTemplateKHR#0", differs},
        {"corrupt:vkCmdPushDescriptorSetKHR#0:dstBinding=9", refused},
        {"drop:vkCmdPushConstants#*", differs}}},
      {"push constants",
       "triangle",
       {{"drop:vkCmdPushConstants#0", differs}, {"corrupt:vkCmdPushConstants#0:offset=4", differs}}},
      {"push constants of a dispatch",
       "compute",
       {{"drop:vkCmdPushConstants#*", differs},
        {"corrupt:vkCmdPushConstants#1:pValues", differs},
        {"swap:vkCmdPushConstants#0:vkCmdPushConstants#1", differs}}},
      {"dynamic state",
       "triangle",
       {{"drop:vkCmdSetViewport#0", differs},
        {"corrupt:vkCmdSetViewport#0:width", differs},
        {"drop:vkCmdSetScissor#0", differs},
        {"corrupt:vkCmdSetScissor#0:width=32", differs}}},
      {"binds",
       "triangle",
       {{"drop:vkCmdBindPipeline#0", refused},
        {"corrupt:vkCmdBindPipeline#0:pipelineBindPoint", refused},
        {"drop:vkCmdBindVertexBuffers#0", differs},
        {"handle:vkCmdBindVertexBuffers#0:1", differs},
        {"corrupt:vkCmdBindVertexBuffers#0:pOffsets=4096", refused}}},
      {"draws",
       "triangle",
       {{"drop:vkCmdDraw#0", differs},
        {"corrupt:vkCmdDraw#0:vertexCount", differs},
        {"corrupt:vkCmdDraw#0:firstVertex", differs},
        {"drop:vkCmdBeginRenderPass#0", refused},
        {"corrupt:vkCmdBeginRenderPass#0:width=9999", refused},
        {"drop:vkCmdEndRenderPass#0", refused}}},
      {"dispatches",
       "compute",
       {{"drop:vkCmdDispatch#0", differs},
        {"corrupt:vkCmdDispatch#0:groupCountX", differs},
        {"drop:vkCmdBindPipeline#0", refused}}},
      {"copies",
       "rewrite",
       {{"drop:vkCmdCopyBuffer#0", differs},
        {"handle:vkCmdCopyBuffer#0:1", differs},
        {"corrupt:vkCmdCopyBuffer#0:size=99999999", refused},
        {"corrupt:vkCmdCopyBuffer#0:srcOffset=99999999", refused}}},
      {"copies of images",
       "triangle",
       {{"drop:vkCmdCopyImageToBuffer#0", differs},
        {"corrupt:vkCmdCopyImageToBuffer#0:bufferOffset", refused},
        {"corrupt:vkCmdCopyImageToBuffer#0:mipLevel=3", refused},
        {"corrupt:vkCmdCopyImageToBuffer#0:height=64", differs}}},
      {"barriers",
       "triangle",
       {{"corrupt:vkCmdPipelineBarrier#0:srcStageMask", unseen}, {"drop:vkCmdPipelineBarrier#*", unseen}}},
      {"command buffers",
       "triangle",
       {{"drop:vkCreateCommandPool#0", refused},
        {"corrupt:vkCreateCommandPool#0:queueFamilyIndex", refused},
        {"drop:vkAllocateCommandBuffers#0", refused},
        {"corrupt:vkAllocateCommandBuffers#0:level", refused},
        {"drop:vkBeginCommandBuffer#0", refused},
        {"drop:vkEndCommandBuffer#0", refused}}},
      {"secondary command buffers",
       "secondary",
       {{"drop:vkCmdExecuteCommands#0", differs},
        {"handle:vkCmdExecuteCommands#0:1", refused},
        {"corrupt:vkAllocateCommandBuffers#1:level", refused}}},
      {"submits",
       "triangle",
       {{"drop:vkQueueSubmit#0", refused},
        {"swap:vkQueueSubmit#0:vkQueueSubmit#1", refused},
        {"handle:vkQueueSubmit#0:1", differs},
        {"swap-submits:0:1", differs}}},
      {"fences and waits",
       "triangle",
       {{"drop:vkCreateFence#0", refused},
        {"handle:vkWaitForFences#0:1", refused},
        {"swap:vkWaitForFences#0:vkWaitForFences#1", refused},
        {"drop:vkWaitForFences#0", unseen}}},
      {"timelines",
       "timeline",
       {{"corrupt:vkWaitSemaphores#1:pValues=99", refused},
        {"drop:vkQueueSubmit#0", refused},
        {"drop:vkCreateSemaphore#0", refused}}},
      {"events",
       "events",
       {{"drop:vkCreateEvent#0", refused},
        {"handle:vkGetEventStatus#0:1", refused},
        {"drop:vkCmdSetEvent#0", refused},
        {"drop:vkResetEvent#*", unseen}}},
      {"queries",
       "queries",
       {{"drop:vkCreateQueryPool#0", refused},
        {"corrupt:vkCreateQueryPool#0:queryCount", refused},
        {"drop:vkCmdBeginQuery#0", refused},
        {"drop:vkCmdEndQuery#0", differs},
        {"drop:vkCmdWriteTimestamp#0", failed},
        {"drop:vkCmdCopyQueryPoolResults#0", differs},
        {"drop:vkGetQueryPoolResults#0", unseen}}},
      {"destroys",
       "compute",
       {{"drop:vkDestroyPipeline#0", unseen},
        {"handle:vkDestroyBuffer#0:1", refused},
        {"handle:vkFreeMemory#0:1", refused},
        {"drop:vkDestroyDevice#0", unseen}}},
  };
  return all;
}

Words words_of(const std::string& name) {
  if (name == "triangle") return {program(name), "--frames", "3"};
  return {program(name)};
}

// The number of the first record that the damage is about: NAME#K of "what:NAME#K…".
long damaged_record(const std::string& damage, const Recording& capture) {
  const std::size_t name = damage.find(':') + 1, hash = damage.find('#', name);
  const std::string command = damage.substr(name, hash - name);
  const std::string which = damage.substr(hash + 1, damage.find(':', hash) - hash - 1);
  int left = which == "*" ? 0 : std::atoi(which.c_str());
  for (const std::string& line : lines(rondo({"dump", "--format=jsonl", "--grep", command, capture.path}).out)) {
    const Json row = Json::parse(line);
    if (row.at("/command") == '"' + command + '"' && left-- == 0) return std::stol(row.at("/sequence"));
  }
  return -1;
}

// A record is named, and it is the damaged one or one behind it, which misses it.
bool names_a_record(const Outcome& outcome, const Mutation& mutation, const Recording& capture) {
  const std::size_t at = outcome.err.find("record ");
  if (at == std::string::npos) return false;
  if (std::string(mutation.damage).find('#') == std::string::npos) return true;  // of submits, by their order
  const long damaged = damaged_record(mutation.damage, capture);
  return damaged >= 0 && std::atol(outcome.err.c_str() + at + 7) >= damaged;
}

// Empty: found as the table says.
std::string wrong_about(const Mutation& mutation, const Recording& capture) {
  const Outcome outcome = player({"--verify", "--quiet", "--timeout", "20", "--damage", mutation.damage, capture.path});
  constexpr int statuses[] = {5, 3, 1, 0};
  const bool named = mutation.found == unseen || names_a_record(outcome, mutation, capture);
  if (outcome.status == statuses[mutation.found] && named) return {};
  return std::string(mutation.damage) + ": status " + std::to_string(outcome.status) + ", not " +
         std::to_string(statuses[mutation.found]) + ": " + outcome.both() + "\n";
}

}  // namespace

SCENARIO("a damaged replay is named, for each class of record", "[mutation]") {
  if (!no_readback().empty()) SKIP_SCENARIO(no_readback());
  for (const Class& c : classes()) {
    DYNAMIC_SECTION(c.name) {
      const Recording& capture = captured(words_of(c.program), {.checkpoints = "readback"});
      REQUIRE(capture.run.status == 0);
      std::string wrong;
      for (const Mutation& mutation : c.mutations) wrong += wrong_about(mutation, capture);
      CHECK(wrong == "");
    }
  }
}
