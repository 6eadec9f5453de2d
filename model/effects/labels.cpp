// SPDX-License-Identifier: Apache-2.0
// Debug labels of queues and command buffers (specification, "Queue Labels", "Command Buffer Labels").
#include "model/effects/all.h"

namespace rondo::model {

namespace {

// Infos of a program may be null.
template <class Args>
void begin_label(Effects& e, const Call& c) {
  const auto& a = c.as<Args>();
  Marking marking{Mark::begins_label};
  if constexpr (requires { a.pLabelInfo; })
    marking.label = a.pLabelInfo != nullptr ? a.pLabelInfo->pLabelName : nullptr;
  else
    marking.label = a.pMarkerInfo != nullptr ? a.pMarkerInfo->pMarkerName : nullptr;
  e.mark(marking);
}

void end_label(Effects& e, const Call&) { e.mark({Mark::ends_label}); }

}  // namespace

void add_labels(Handlers& handlers) {
  add(handlers, CommandId::vkCmdBeginDebugUtilsLabelEXT, begin_label<args_vkCmdBeginDebugUtilsLabelEXT>, kMarks);
  add(handlers, CommandId::vkCmdEndDebugUtilsLabelEXT, end_label, kMarks);
  add(handlers, CommandId::vkCmdDebugMarkerBeginEXT, begin_label<args_vkCmdDebugMarkerBeginEXT>, kMarks);
  add(handlers, CommandId::vkCmdDebugMarkerEndEXT, end_label, kMarks);
  add(handlers, CommandId::vkQueueBeginDebugUtilsLabelEXT, begin_label<args_vkQueueBeginDebugUtilsLabelEXT>, kMarks);
  add(handlers, CommandId::vkQueueEndDebugUtilsLabelEXT, end_label, kMarks);
}

}  // namespace rondo::model
