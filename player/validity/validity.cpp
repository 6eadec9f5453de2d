// SPDX-License-Identifier: Apache-2.0
#include "player/validity/validity.h"

#include <algorithm>

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

// A device or instance that is still there cannot be made again.
Wrong Validity::check_new_parents(const Call& call) const {
  if (call.command.canonical != CommandId::vkCreateDevice &&
      call.command.canonical != CommandId::vkCreateInstance)
    return {};
  const std::vector<ObjectId>& made = call.resolution.created;
  if (const ObjectId id = call.created(); id != 0 && std::find(made.begin(), made.end(), id) == made.end())
    return "makes " + name(id) + ", which is alive";
  return {};
}

void Validity::hold(ObjectId object, ObjectId holder) {
  if (object == 0 || holder == 0) return;
  std::vector<ObjectId>* all = holders.find(object);
  if (all == nullptr) all = &holders.make(object);
  if (!all->empty() && all->back() == holder) return;
  if (all->size() >= 64 && (all->size() & (all->size() - 1)) == 0) {  // rewritten again and again
    std::sort(all->begin(), all->end());
    all->erase(std::unique(all->begin(), all->end()), all->end());
  }
  all->push_back(holder);
}

void Validity::find_users(ObjectId object, int depth, std::vector<ObjectId>& queues) const {
  work.queues_of(object, queues);
  if (depth > 4) return;
  if (const std::vector<ObjectId>* all = holders.find(object); all != nullptr)
    for (const ObjectId holder : *all) find_users(holder, depth + 1, queues);
}

void Validity::needs_end_of_use(ObjectId object) {
  std::vector<ObjectId> queues;
  find_users(object, 0, queues);
  for (const ObjectId queue : queues) {
    settles_.push_back({op(), queue, 0, 0});
    work.finish_queue(queue);
  }
}

void Validity::needs_end(Place place) {
  if (!work.running(place)) return;
  settles_.push_back({op(), place.queue, 0, 0});
  work.finish_queue(place.queue);
}

void Validity::change_begin(const CommandBuffer& commands, VkCommandBufferUsageFlags add,
                            VkCommandBufferUsageFlags remove) {
  begins_.push_back({commands.begin_op, add, remove});
}

Wrong Validity::check(const Call& call) {
  settles_.clear();
  begins_.clear();
  if (Wrong wrong = check_new_parents(call); !wrong.empty()) return wrong;
  if (Wrong wrong = check_devices(call); !wrong.empty()) return wrong;
  if (call.command.records_into_command_buffer)
    if (Wrong wrong = record_command(*this, call); !wrong.empty()) return wrong;
  const Handler handler = handlers()[static_cast<std::size_t>(call.command.canonical)];
  if (handler != nullptr)
    if (Wrong wrong = handler(*this, call); !wrong.empty()) return wrong;
  // All work of a device is waited for before it ends.
  if (call.command.canonical != CommandId::vkDestroyDevice &&
      call.command.canonical != CommandId::vkDestroyInstance)
    for (const ObjectId ended : call.resolution.ended) needs_end_of_use(ended);
  return {};
}

}  // namespace rondo::player::validity
