// SPDX-License-Identifier: Apache-2.0
#include "player/validity/validity.h"

namespace rondo::player::validity {

namespace {

const std::vector<Handler>& handlers() {
  static const std::vector<Handler> table = [] {
    std::vector<Handler> t(codec::commands().size(), nullptr);
    add_memory_checks(t);
    add_image_checks(t);
    add_descriptor_checks(t);
    add_pass_checks(t);
    add_pipeline_checks(t);
    add_command_buffer_checks(t);
    add_copy_checks(t);
    add_draw_checks(t);
    add_query_checks(t);
    add_sync_checks(t);
    return t;
  }();
  return table;
}

}  // namespace

ObjectId Call::created(std::size_t i) const {
  for (std::size_t h = 0; h < lowered.handles.size(); ++h)
    if ((lowered.handles[h].flags & codec::kCreated) != 0 && i-- == 0) return resolution.ids[h];
  return 0;
}

std::string span_text(std::uint64_t offset, std::uint64_t size) {
  return size == VK_WHOLE_SIZE ? "bytes from " + std::to_string(offset)
                               : std::to_string(size) + " bytes at " + std::to_string(offset);
}

// Everything that a call names belongs to one device.
Wrong Validity::check_devices(const Call& call) const {
  if (call.command.level != codec::Level::device) return {};
  const std::vector<Object>& objects = plan_.objects.objects();
  const auto device_of = [&](ObjectId id) {
    return objects[id].type == HandleType::VkDevice ? id : objects[id].device;
  };
  const ObjectId own = device_of(call.dispatch());
  if (own == 0) return {};
  for (const ObjectId id : call.resolution.ids)
    if (id != 0)
      if (const ObjectId other = device_of(id);
          other != own && other != 0 && objects[other].type == HandleType::VkDevice)
        return "names " + name(id) + ", which belongs to " + name(other);
  return {};
}

Wrong Validity::check(const Call& call) {
  if (Wrong wrong = check_devices(call); !wrong.empty()) return wrong;
  if (Wrong wrong = check_enumerants(call); !wrong.empty()) return wrong;
  if (call.command.records_into_command_buffer)
    if (Wrong wrong = record_command(*this, call); !wrong.empty()) return wrong;
  const Handler handler = handlers()[static_cast<std::size_t>(call.command.canonical)];
  return handler != nullptr ? handler(*this, call) : Wrong();
}

}  // namespace rondo::player::validity
