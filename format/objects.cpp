// SPDX-License-Identifier: Apache-2.0
#include "format/objects.h"

#include <algorithm>
#include <array>
#include <deque>
#include <string_view>
#include <unordered_map>

#include "format/codec/shapes.h"
#include "generated/args.h"

namespace rondo {

namespace {

// Who holds a non-dispatchable value apart from another of the same value:
// its instance or device. Dispatchable values are pointers, alone in the process.
struct Key {
  ObjectId scope;
  HandleType type;
  std::uint64_t value;
  friend bool operator==(const Key&, const Key&) = default;
};
struct KeyHash {
  std::size_t operator()(const Key& k) const noexcept {
    std::uint64_t h = k.value * 0x9e3779b97f4a7c15u;
    h ^= (std::uint64_t{index_of(k.scope)} << 16 | static_cast<std::uint64_t>(k.type)) * 0xc2b2ae3d27d4eb4fu;
    return static_cast<std::size_t>(h ^ h >> 29);
  }
};

// Handles that a getter returns are the same each time: nothing is counted.
// vkCreate*Pipelines and vkCreateShadersEXT may fail and still publish some.
bool may_outlive_failure(HandleType type) {
#ifdef VK_EXT_shader_object
  if (type == HandleType::VkShaderEXT) return true;
#endif
  return type == HandleType::VkPipeline;
}

bool belongs_to_instance(HandleType type) {
  for (; type != HandleType::none; type = codec::info(type).parent)
    if (type == HandleType::VkDevice) return false;
  return true;
}

}  // namespace

struct ObjectTable::Impl {
  ByObject<Object> objects;
  ByObject<std::vector<ObjectId>> children;  // live ones
  ByObject<std::uint32_t> place;             // index in the parent's children
  ByObject<ObjectId> scopes;                 // under which `live` has them
  std::unordered_map<Key, ObjectId, KeyHash> live;
  std::unordered_map<HandleType, std::uint32_t> next_number;
  std::unordered_map<HandleType, std::deque<std::uint32_t>> given_numbers;  // of the next objects, by a cut

  std::uint32_t number_of_next(HandleType type) {
    std::uint32_t& next = next_number[type];
    if (const auto given = given_numbers.find(type); given != given_numbers.end() && !given->second.empty()) {
      next = given->second.front();
      given->second.pop_front();
    }
    return next++;
  }
  void give_numbers(const codec::Lowered& lowered);

  // The instance or device in whose name space a value of `type` stands, when
  // named by a command whose first parameter is `dispatch`.
  ObjectId scope(HandleType type, ObjectId dispatch) const {
    if (codec::info(type).dispatchable || dispatch == ObjectId::null) return ObjectId::null;
    ObjectId id = dispatch;
    const bool instance = belongs_to_instance(type);
    while (id != ObjectId::null) {
      const HandleType at = objects[id].type;
      if (at == HandleType::VkInstance || (!instance && at == HandleType::VkDevice)) return id;
      id = objects[id].parent;
    }
    return ObjectId::null;
  }

  ObjectId find(HandleType type, std::uint64_t value, ObjectId dispatch) const {
    const auto found = live.find(Key{scope(type, dispatch), type, value});
    return found == live.end() ? ObjectId::null : found->second;
  }

  ObjectId create(HandleType type, std::uint64_t value, ObjectId parent, ObjectId dispatch, std::uint64_t sequence) {
    const ObjectId id = object_at(objects.size());
    Object object;
    object.type = type;
    object.number = number_of_next(type);
    object.parent = parent;
    object.captured = value;
    object.created = sequence;
    objects.push_back(object);
    children.push_back({});
    place.push_back(0);
    scopes.push_back(scope(type, dispatch));
    if (parent != ObjectId::null) {
      place[id] = static_cast<std::uint32_t>(children[parent].size());
      children[parent].push_back(id);
    }
    for (ObjectId up = parent; up != ObjectId::null; up = objects[up].parent) {
      objects[id].device = up;
      if (objects[up].type == HandleType::VkDevice) break;
    }
    live[Key{scopes[id], type, value}] = id;
    if (is_of_swapchain(id)) live[Key{parent, type, value}] = id;
    return id;
  }

  void end(ObjectId id, std::uint64_t sequence, std::vector<ObjectId>& ended) {
    end_children(id, sequence, ended);
    Object& object = objects[id];
    object.alive = false;
    object.destroyed = sequence;
    // A value that was got again by a later create stays that object's.
    const auto found = live.find(Key{scopes[id], object.type, object.captured});
    if (found != live.end() && found->second == id) live.erase(found);
    if (is_of_swapchain(id)) live.erase(Key{object.parent, object.type, object.captured});
    if (object.parent != ObjectId::null) {
      std::vector<ObjectId>& siblings = children[object.parent];
      const ObjectId last = siblings.back();
      siblings[place[id]] = last;
      place[last] = place[id];
      siblings.pop_back();
    }
    ended.push_back(id);
  }

  void end_children(ObjectId id, std::uint64_t sequence, std::vector<ObjectId>& ended) {
    while (!children[id].empty()) end(children[id].back(), sequence, ended);
    std::vector<ObjectId>().swap(children[id]);
  }

  // The image of `swapchain` that has the value of `known`, or 0. A retired swapchain
  // may lend the values of its images to its successor's before it is destroyed.
  ObjectId image_of(ObjectId known, ObjectId swapchain) const {
    if (objects[swapchain].type != HandleType::VkSwapchainKHR) return known;
    const auto found = live.find(Key{swapchain, HandleType::VkImage, objects[known].captured});
    return found == live.end() ? ObjectId::null : found->second;
  }
  bool is_of_swapchain(ObjectId id) const {
    return objects[id].type == HandleType::VkImage && objects[objects[id].parent].type == HandleType::VkSwapchainKHR;
  }

  // The pool, swapchain or whatever else in the record a new object hangs on:
  // the registry's parent where the record names one, else the device.
  ObjectId parent_of(HandleType type, const codec::CommandInfo& command, const codec::Lowered& lowered,
                     const std::vector<ObjectId>& ids) const {
    const HandleType wanted =
        command.id == CommandId::vkGetSwapchainImagesKHR ? HandleType::VkSwapchainKHR : codec::info(type).parent;
    for (std::size_t i = 0; i < lowered.handles.size(); ++i)
      if (lowered.handles[i].type == wanted && (lowered.handles[i].flags & codec::kCreated) == 0 &&
          ids[i] != ObjectId::null)
        return ids[i];
    return ids.empty() ? ObjectId::null : ids[0];
  }
};

void ObjectTable::Impl::give_numbers(const codec::Lowered& lowered) {
  if (lowered.bytes.size() < sizeof(args_rondoObjectNumbers)) return;
  const auto& args = *reinterpret_cast<const args_rondoObjectNumbers*>(lowered.bytes.data());
  const auto* const types = lowered.bytes.data() + reinterpret_cast<std::uint64_t>(args.pTypes);
  const auto* const numbers = lowered.bytes.data() + reinterpret_cast<std::uint64_t>(args.pNumbers);
  if (args.pTypes == nullptr || args.pNumbers == nullptr) return;  // more than are written inline
  const auto fits = [&](const auto* array) {
    const auto at = reinterpret_cast<std::uint64_t>(array);
    return at <= lowered.bytes.size() && args.count <= (lowered.bytes.size() - at) / sizeof(std::uint32_t);
  };
  if (!fits(args.pTypes) || !fits(args.pNumbers)) return;
  for (std::uint32_t i = 0; i < args.count; ++i) {
    const HandleType type = codec::handle_by_object_type(codec::load<std::uint32_t>(types + i * sizeof(VkObjectType)));
    if (type != HandleType::none)
      given_numbers[type].push_back(codec::load<std::uint32_t>(numbers + i * sizeof(std::uint32_t)));
  }
}

ObjectTable::ObjectTable() : impl_(new Impl) {
  Object none;  // what the null handle stands for
  none.alive = false;
  impl_->objects.push_back(none);
  impl_->children.push_back({});
  impl_->place.push_back(0);
  impl_->scopes.push_back(ObjectId::null);
}
ObjectTable::~ObjectTable() { delete impl_; }
ObjectTable::ObjectTable(ObjectTable&& other) noexcept : impl_(std::exchange(other.impl_, nullptr)) {}
ObjectTable& ObjectTable::operator=(ObjectTable&& other) noexcept {
  std::swap(impl_, other.impl_);
  return *this;
}

void ObjectTable::apply(const codec::CommandInfo& command, std::uint64_t sequence, bool succeeded,
                        const codec::Lowered& lowered, Resolution& out) {
  Impl& m = *impl_;
  out.ids.resize(lowered.handles.size());
  std::fill(out.ids.begin(), out.ids.end(), ObjectId::null);
  out.unknown.clear();
  out.created.clear();
  out.ended.clear();
  const auto refs = std::span(lowered.handles);

  // The first parameter of every command but the global ones is a dispatchable
  // handle, and it is the first in the payload.
  ObjectId dispatch = ObjectId::null;
  for (std::size_t i = 0; i < refs.size(); ++i) {
    const codec::HandleRef& ref = refs[i];
    if (ref.captured == 0 || ref.type == HandleType::none || (ref.flags & codec::kCreated) != 0) continue;
    out.ids[i] = m.find(ref.type, ref.captured, dispatch);
    if (out.ids[i] == ObjectId::null && (ref.flags & codec::kPerhapsIgnored) == 0)
      out.unknown.push_back(static_cast<std::uint32_t>(i));
    if (i == 0 && codec::info(ref.type).dispatchable) dispatch = out.ids[0];
  }

  if (command.id == CommandId::rondoObjectNumbers) m.give_numbers(lowered);
  const bool getter = command.verb == codec::Verb::gets;
  for (std::size_t i = 0; i < refs.size(); ++i) {
    const codec::HandleRef& ref = refs[i];
    if (ref.captured == 0 || ref.type == HandleType::none || (ref.flags & codec::kCreated) == 0) continue;
    if (!succeeded && !may_outlive_failure(ref.type)) continue;
    ObjectId known = m.find(ref.type, ref.captured, dispatch);
    if (known != ObjectId::null && ref.type == HandleType::VkImage && command.id == CommandId::vkGetSwapchainImagesKHR)
      known = m.image_of(known, m.parent_of(ref.type, command, lowered, out.ids));
    // Likewise an image that the program makes itself.
    if (known != ObjectId::null && !getter && m.is_of_swapchain(known)) known = ObjectId::null;
    if (known != ObjectId::null) {
      out.ids[i] = known;
      if (!getter) ++m.objects[known].shared;
      continue;
    }
    out.ids[i] = m.create(ref.type, ref.captured, m.parent_of(ref.type, command, lowered, out.ids), dispatch, sequence);
    out.created.push_back(out.ids[i]);
  }

  for (std::size_t i = 0; i < refs.size(); ++i) {
    const ObjectId id = out.ids[i];
    if ((refs[i].flags & codec::kDestroyed) == 0 || id == ObjectId::null || !m.objects[id].alive) continue;
    if (--m.objects[id].shared == 0) m.end(id, sequence, out.ended);
  }
  if (command.canonical == CommandId::vkResetDescriptorPool && succeeded)
    for (std::size_t i = 0; i < refs.size(); ++i)
      if (refs[i].type == HandleType::VkDescriptorPool && out.ids[i] != ObjectId::null)
        m.end_children(out.ids[i], sequence, out.ended);
}

const ByObject<Object>& ObjectTable::objects() const { return impl_->objects; }

std::map<HandleType, std::uint32_t> ObjectTable::next_numbers() const {
  std::map<HandleType, std::uint32_t> next(impl_->next_number.begin(), impl_->next_number.end());
  for (const auto& [type, given] : impl_->given_numbers)
    if (!given.empty()) next[type] = given.front();
  std::erase_if(next, [](const auto& one) { return one.second == 0; });
  return next;
}

std::string ObjectTable::name(ObjectId id) const {
  if (id == ObjectId::null || !impl_->objects.has(id)) return "null";
  const Object& object = impl_->objects[id];
  return std::string(codec::info(object.type).name) + "#" + std::to_string(object.number);
}

}  // namespace rondo
