// SPDX-License-Identifier: Apache-2.0
#include "model/effects/all.h"

#include <algorithm>

namespace rondo::model {

const Handlers& other_handlers() {
  static const Handlers all = [] {
    Handlers table(codec::commands().size());
    add_objects(table);
    add_descriptors(table);
    add_binds(table);
    add_draws(table);
    add_rays(table);
    add_generated_commands(table);
    add_host_calls(table);
    add_labels(table);
    add_first_forms(table);
    for (std::size_t i = 0; i < table.size(); ++i)  // one handler a command
      RONDO_CHECK(table[i].handle == nullptr || shared_handlers<ObjectId>()[i].handle == nullptr);
    return table;
  }();
  return all;
}

Effects::Effects(EffectSink<ObjectId>& sink, std::uint32_t wanted, std::size_t most_descriptors)
    : EffectsOf<ObjectId>(sink, wanted), handlers_(other_handlers()), most_descriptors_(most_descriptors) {
  commands.on_drop([this](Recording& one) { lose_descriptors(one.bindings.pushed, true); });
}

std::uint32_t Effects::kinds_of(CommandId canonical) {
  const auto index = static_cast<std::size_t>(canonical);
  return other_handlers()[index].kinds | shared_handlers<ObjectId>()[index].kinds;
}

void Effects::take(const Call& c) {
  RONDO_CHECK(c.sequence >= taken_);
  taken_ = c.sequence;
  if (c.succeeded) {
    commands.take(c);
    if (const Handler& handler = handlers_[static_cast<std::size_t>(c.command.canonical)]; handler.handle != nullptr) {
      if (wants(handler.kinds)) run(handler, c);
    } else if (const SharedHandler<ObjectId>& shared = shared_handler(c.command.canonical);
               shared.handle != nullptr && wants(shared.kinds)) {
      EffectsOf<ObjectId>::run(shared, c);
    }
  }
  for (const ObjectId id : c.ended) forget(id, c.type_of(id));
}

void Effects::run(const Handler& handler, const Call& c) {
  running_ = handler.kinds;
  if (!handler.of_first_form) return handler.handle(*this, c);
  second_.take(c.command.canonical, c.args);
  Call one = c;
  one.second = &second_;
  handler.handle(*this, one);
}

void Effects::forget(ObjectId id, HandleType type) {
  in_memory.erase(id);
  switch (type) {
    case HandleType::VkBuffer:
      if (const Buffer* buffer = views.buffers.find(id); buffer != nullptr) forget_address(id, *buffer);
      return EffectsOf<ObjectId>::forget(id, type);
    case HandleType::VkBufferView:
      return buffer_views.erase(id);
    case HandleType::VkDescriptorSetLayout:
      return set_layouts.erase(id);
    case HandleType::VkDescriptorSet:
      if (const DescriptorSet* set = sets.find(id); set != nullptr) lose_descriptors(set->written.size(), false);
      return sets.erase(id);
    case HandleType::VkPipelineLayout:
      return pipeline_layouts.erase(id);
    case HandleType::VkDescriptorUpdateTemplate:
      return templates.erase(id);
    case HandleType::VkSwapchainKHR:
      return swapchains.erase(id);
    default:
      return EffectsOf<ObjectId>::forget(id, type);
  }
}

// --- Addresses ---

void Effects::forget_address(ObjectId id, const Buffer& buffer) {
  const auto [first, last] = addresses.equal_range(buffer.address);
  const auto own = std::find_if(first, last, [&](const auto& one) { return one.second == id; });
  RONDO_CHECK(own != last || buffer.address == 0);  // 0: nothing was told of it
  if (own != last) addresses.erase(own);
}

void Effects::told_address(ObjectId id, std::uint64_t address) {
  Buffer* buffer = views.buffers.find(id);
  if (buffer == nullptr || address == 0) return;
  forget_address(id, *buffer);
  buffer->address = address;
  addresses.emplace(address, id);
  reached += 1;
  longest_ = std::max(longest_, buffer->bytes);
}

void Effects::reach_in_memory(ObjectId id) {
  if (id != ObjectId::null && in_memory.insert(id).second) reached += 1;
}

bool Effects::at_address(VkDeviceAddress address, std::uint64_t size, BufferRange& out) const {
  std::uint64_t room = 0;
  for (auto at = addresses.upper_bound(address); at != addresses.begin();) {
    --at;
    RONDO_CHECK(at->first <= address);
    const std::uint64_t offset = address - at->first;
    const Buffer* buffer = views.buffers.find(at->second);
    // A file may make a buffer again that is alive. The new buffer has no address until the program asks for it.
    RONDO_CHECK(buffer == nullptr || buffer->address == 0 || buffer->bytes <= longest_);
    if (offset >= longest_) break;
    if (buffer == nullptr || offset >= buffer->bytes || buffer->bytes - offset <= room) continue;
    room = buffer->bytes - offset;
    out = {at->second, offset, size != 0 ? size : room};
  }
  return room != 0 && size <= room;
}

void Effects::touch_address(VkDeviceAddress address, std::uint64_t size, VkPipelineStageFlags2 stages,
                            VkAccessFlags2 access) {
  if (address == 0) return;
  BufferRange range;
  if (at_address(address, size, range)) return touch_buffer(range.buffer, range.offset, range.size, stages, access);
  reach(kMemory, (access & ~kWrites) != 0, (access & kWrites) != 0, stages);
}

void Effects::reach(std::uint8_t why, bool reads, bool writes, VkPipelineStageFlags2 stages) {
  Reach one;
  one.add(why, reads, writes, stages);
  reach(one);
}

// --- Limits ---

bool Effects::keep_descriptors(std::size_t count, bool pushed) {
  const std::size_t most = pushed ? 2 * most_descriptors_ : most_descriptors_;
  std::size_t& kept = pushed ? pushed_ : descriptors_;
  RONDO_CHECK(kept <= most);
  if (count > most - kept) {
    too_many_ = true;
    return false;
  }
  kept += count;
  return true;
}

void Effects::lose_descriptors(std::size_t count, bool pushed) {
  std::size_t& kept = pushed ? pushed_ : descriptors_;
  RONDO_CHECK(count <= kept);
  kept -= count;
}

}  // namespace rondo::model
