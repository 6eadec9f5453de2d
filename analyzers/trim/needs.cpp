// SPDX-License-Identifier: Apache-2.0
#include "analyzers/trim/needs.h"

#include <algorithm>

namespace rondo::trim {

using access::Touch;
using player::kNone;

Needs::Needs(const player::Plan& plan, const States& states, std::uint64_t begin)
    : plan_(plan), layouts_(states.layouts), sparse_(states.sparse), begin_(begin) {}

// Which of its pages lie where is not followed: all of the memories that any were bound to.
void Needs::read_pages(ObjectId resource) {
  const auto found = sparse_.find(resource);
  if (found == sparse_.end()) return;
  for (const std::uint32_t memory : found->second)
    if (is_old(plan_.memories[memory].id)) read(memory, 0, plan_.memories[memory].bytes);
}

bool Needs::is_old(ObjectId id) const {
  const Object& object = plan_.objects.objects()[id];
  return id != ObjectId::null && object.created < begin_ && (object.destroyed == 0 || object.destroyed >= begin_);
}

bool Needs::place(ObjectId id, std::uint64_t& offset, std::uint32_t& memory) const {
  const std::uint32_t resource = plan_.place_of(id);
  if (resource >= plan_.resources.size() || plan_.resources[resource].id != id) return false;
  memory = plan_.resources[resource].memory;
  offset = plan_.resources[resource].offset;
  return memory < plan_.memories.size() && is_old(plan_.memories[memory].id);
}

void Needs::read(std::uint32_t memory, std::uint64_t begin, std::uint64_t end) {
  end = std::min<std::uint64_t>(end, plan_.memories[memory].bytes);
  Ranges& needed = memory_[memory];
  written_.memory[memory].each_outside(begin, end, [&](std::uint64_t from, std::uint64_t to) { needed.add(from, to); });
}

void Needs::read_memory(ObjectId id, std::uint64_t offset, std::uint64_t size) {
  const std::uint32_t memory = plan_.place_of(id);
  if (memory >= plan_.memories.size() || plan_.memories[memory].id != id || !is_old(id)) return;
  read(memory, offset, offset + size);
  // What images hold there is put back with them.
  for (const std::uint32_t resource : plan_.memories[memory].resources) {
    const player::CapturedResource& one = plan_.resources[resource];
    if (one.image && one.offset < offset + size && offset < one.offset + one.bytes)
      read_image(one.id, {~VkImageAspectFlags{0}, 0, UINT32_MAX, 0, UINT32_MAX});
  }
}

void Needs::read_buffer(ObjectId id, std::uint64_t offset, std::uint64_t size) {
  std::uint64_t at = 0;
  std::uint32_t memory = kNone;
  if (place(id, at, memory)) return read(memory, at + offset, at + offset + size);
  read_pages(id);
}

void Needs::read_image(ObjectId id, const VkImageSubresourceRange& part) {
  const auto found = layouts_.images.find(id);
  if (found == layouts_.images.end()) return;
  Touch touch;
  touch.object = id;
  touch.part = part;
  touch.access = VK_ACCESS_2_MEMORY_READ_BIT;
  touch_image(touch, found->second);
}

void Needs::touch_image(const Touch& touch, const player::ImageLayouts& image) {
  if (touch.reads() || !touch.overwrites) read_pages(touch.object);
  Parts& needed = images_[touch.object];
  Parts& needed_or_forgotten = images_or_forgotten_[touch.object];
  Parts& written = written_.images[touch.object];
  Parts& filled = written_.filled[touch.object];
  for (Parts* parts : {&needed, &needed_or_forgotten, &written, &filled}) parts->resize(image.part_count(), false);
  // What is replaced in part only is needed for the rest of it.
  const bool needs = touch.reads() || !touch.overwrites;
  player::parts_of(image, touch.part).each(image, [&](std::size_t part) {
    if (needs && !written[part]) needed[part] = true;
    if (needs && !filled[part]) needed_or_forgotten[part] = true;
    if (!needs) written[part] = true;
    if (!needs && !touch.forgets) filled[part] = true;
  });
}

std::uint64_t Needs::images_with_forgotten() const {
  std::uint64_t count = 0;
  for (const auto& [id, parts] : images_or_forgotten_) {
    const player::ImageLayouts& layouts = layouts_.images.at(id);
    const Parts& needed = images_.at(id);
    bool any = false;
    for (std::size_t i = 0; i < parts.size() && !any; ++i)
      any = parts[i] && !needed[i] && layouts.at(i).layout != VK_IMAGE_LAYOUT_UNDEFINED;
    count += any ? 1 : 0;
  }
  return count;
}

void Needs::take(const access::Executed& executed) {
  // What a command reads is read before it writes.
  for (const bool writes : {false, true})
    for (const Touch& touch : executed.touches) {
      const bool overwrites = touch.overwrites && !touch.reads();
      if (overwrites != writes) continue;
      if (const auto image = layouts_.images.find(touch.object); image != layouts_.images.end()) {
        touch_image(touch, image->second);
        continue;
      }
      const HandleType type = plan_.objects.objects()[touch.object].type;
      std::uint64_t at = 0;
      std::uint32_t memory = kNone;
      if (type == HandleType::VkDeviceMemory) {
        memory = plan_.place_of(touch.object);
        if (memory >= plan_.memories.size() || !is_old(touch.object)) continue;
      } else if (type != HandleType::VkBuffer || !place(touch.object, at, memory)) {
        if (touch.reads() || !touch.overwrites) read_pages(touch.object);
        continue;
      }
      if (overwrites)
        written_.memory[memory].add(at + touch.offset, at + touch.offset + touch.size);
      else if (touch.reads())
        read(memory, at + touch.offset, at + touch.offset + touch.size);
    }
}

void Needs::reach(const std::vector<ObjectId>& reachable, bool reads) {
  for (const ObjectId id : reachable) {
    if (!is_old(id)) continue;
    reached_.insert(id);
    if (!reads) continue;
    const std::uint32_t resource = plan_.place_of(id);
    if (layouts_.images.count(id) != 0)
      read_image(id, {~VkImageAspectFlags{0}, 0, UINT32_MAX, 0, UINT32_MAX});
    else if (resource < plan_.resources.size() && plan_.resources[resource].id == id)
      read_buffer(id, 0, plan_.resources[resource].bytes);
  }
}

}  // namespace rondo::trim
