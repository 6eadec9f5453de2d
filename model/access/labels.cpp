// SPDX-License-Identifier: Apache-2.0
// Debug labels of queues and command buffers (specification, "Queue Labels", "Command Buffer Labels").
#include "generated/args.h"
#include "model/access/tracker.h"

namespace rondo::access {

namespace {

std::string_view text_of(const char* name) { return name == nullptr ? std::string_view() : std::string_view(name); }

void begin_label(Tracker& t, const Call& c, const char* name) {
  const std::uint32_t label = t.labels.name(text_of(name));
  Recorded& recorded = t.record(c).recorded;
  recorded.mark = Mark::begins_label;
  recorded.label = label;
}

void begin_utils_label(Tracker& t, const Call& c) {
  const auto* info = c.as<args_vkCmdBeginDebugUtilsLabelEXT>().pLabelInfo;
  begin_label(t, c, info != nullptr ? info->pLabelName : nullptr);
}

void begin_marker(Tracker& t, const Call& c) {
  const auto* info = c.as<args_vkCmdDebugMarkerBeginEXT>().pMarkerInfo;
  begin_label(t, c, info != nullptr ? info->pMarkerName : nullptr);
}

void end_label(Tracker& t, const Call& c) { t.record(c).recorded.mark = Mark::ends_label; }

void begin_queue_label(Tracker& t, const Call& c) {
  const auto* info = c.as<args_vkQueueBeginDebugUtilsLabelEXT>().pLabelInfo;
  t.labels.begin(c.dispatch(), LabelPaths::Of::queue,
                 t.labels.name(text_of(info != nullptr ? info->pLabelName : nullptr)));
}

void end_queue_label(Tracker& t, const Call& c) { t.labels.end(c.dispatch(), LabelPaths::Of::queue); }

}  // namespace

void add_labels(Handlers& handlers) {
  const auto add = [&](CommandId id, Handler handler) { handlers[static_cast<std::size_t>(id)] = handler; };
  add(CommandId::vkCmdBeginDebugUtilsLabelEXT, begin_utils_label);
  add(CommandId::vkCmdEndDebugUtilsLabelEXT, end_label);
  add(CommandId::vkCmdDebugMarkerBeginEXT, begin_marker);
  add(CommandId::vkCmdDebugMarkerEndEXT, end_label);
  add(CommandId::vkQueueBeginDebugUtilsLabelEXT, begin_queue_label);
  add(CommandId::vkQueueEndDebugUtilsLabelEXT, end_queue_label);
}

}  // namespace rondo::access
