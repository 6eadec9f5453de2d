// SPDX-License-Identifier: Apache-2.0
// What the states of states.cpp are made of.
#pragma once

#include "accumulate.h"
#include "objects.h"

namespace program {

constexpr std::uint32_t kSlots = 8;

struct States {
  Context& c;
  Commands commands;
  Accumulate a;
  PFN_vkQueueBeginDebugUtilsLabelEXT begin_label;
  PFN_vkQueueEndDebugUtilsLabelEXT end_label;

  void dispatch(VkCommandBuffer into, VkDescriptorSet set, std::uint32_t slot, std::uint32_t previous) {
    begin(into, 0);
    record_dispatch(a, into, set, slot, previous);
    CHECK(vkEndCommandBuffer(into));
  }
  void run(VkCommandBuffer buffer) {
    submit(c.queues[0], buffer, commands.done);
    wait(c, commands);
  }
  void enter() {
    VkDebugUtilsLabelEXT label{};
    label.sType = VK_STRUCTURE_TYPE_DEBUG_UTILS_LABEL_EXT;
    label.pLabelName = "middle";
    begin_label(c.queues[0], &label);
  }
  void leave() { end_label(c.queues[0]); }
};

inline VkCommandBuffer another(States& s) { return allocate_command_buffer(s.c, s.commands.pool); }

}  // namespace program
