// SPDX-License-Identifier: Apache-2.0
// Command buffers are begun, and executed in others (specification, "Command Buffers").
#include "format/native_view.h"
#include "model/effects/shared.h"

namespace rondo::model {

namespace {

// How many views a secondary draws for that goes on with a pass.
template <class Id>
void begin_recording(EffectsOf<Id>& e, const CallOf<Id>& c) {
  const VkCommandBufferBeginInfo* begin = c.template as<args_vkBeginCommandBuffer>().pBeginInfo;
  RecordingOf<Id>& to = e.recording(c);
  to.inherits = begin != nullptr && (begin->flags & VK_COMMAND_BUFFER_USAGE_RENDER_PASS_CONTINUE_BIT) != 0;
  to.in_pass = to.inherits;
  if (!to.inherits || begin->pInheritanceInfo == nullptr) return;
  const VkCommandBufferInheritanceInfo& info = *begin->pInheritanceInfo;
  if (const auto pass = e.views.pass(c.id(&info.renderPass)); pass != nullptr) {
    if (info.subpass < pass->subpasses.size()) to.views_drawn = views_in(pass->subpasses[info.subpass].view_mask);
  } else if (const auto* rendering = find_chained<VkCommandBufferInheritanceRenderingInfo>(
                 info.pNext, VK_STRUCTURE_TYPE_COMMAND_BUFFER_INHERITANCE_RENDERING_INFO);
             rendering != nullptr) {
    to.views_drawn = views_in(rendering->viewMask);
  }
}

// What was bound is undefined after it.
template <class Id>
void execute_secondaries(EffectsOf<Id>& e, const CallOf<Id>& c) {
  const auto& a = c.template as<args_vkCmdExecuteCommands>();
  for (const VkCommandBuffer& one : std::span(a.pCommandBuffers, a.commandBufferCount)) e.execute(c.id(&one));
  if constexpr (requires { e.recording(c).bindings; }) e.recording(c).bindings.forget();
}

}  // namespace

template <class Id>
void add_commands(SharedHandlers<Id>& handlers) {
  add(handlers, CommandId::vkBeginCommandBuffer, begin_recording<Id>, kObjects);
  add(handlers, CommandId::vkCmdExecuteCommands, execute_secondaries<Id>, kExecutes | kBinds);
}

template void add_commands(SharedHandlers<ObjectId>&);
template void add_commands(SharedHandlers<std::uint64_t>&);

}  // namespace rondo::model
