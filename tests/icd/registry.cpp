// SPDX-License-Identifier: Apache-2.0
// Live objects by type and handle.
#include <vulkan/vk_icd.h>

#include <array>
#include <shared_mutex>
#include <unordered_map>

#include "tests/icd/queue.h"
#include "tests/icd/state.h"

namespace fake {

namespace {

using rondo::codec::info;

struct TypeTable {
  std::unordered_map<std::uint64_t, std::shared_ptr<Object>> live;
  std::unordered_map<std::string, std::uint64_t> shared;  // identity → handle
  std::vector<std::uint64_t> free;                        // the last one freed goes first
  std::uint64_t next = 1;
};

// What a dispatchable handle points to: the loader writes its table there.
// Never given back to the heap, so that a handle that has died is only unknown.
struct Dispatchable {
  VK_LOADER_DATA loader;
};

struct Registry {
  std::shared_mutex mutex;
  std::array<TypeTable, rondo::kHandleTypes> types;
  std::vector<std::unique_ptr<Dispatchable>> slots;

  TypeTable& of(HandleType type) { return types[static_cast<std::size_t>(type)]; }
};

Registry& registry() {
  static Registry& one = *new Registry;  // never destroyed: objects outlive main()
  return one;
}

std::uint64_t new_handle(Registry& all, TypeTable& table, bool dispatchable) {
  if (!table.free.empty() && settings().handles != Handles::unique) {
    const std::uint64_t handle = table.free.back();
    table.free.pop_back();
    return handle;
  }
  if (!dispatchable) return table.next++;
  all.slots.push_back(std::make_unique<Dispatchable>());
  return reinterpret_cast<std::uint64_t>(all.slots.back().get());
}

}  // namespace

std::shared_ptr<Object> find(HandleType type, std::uint64_t handle) {
  Registry& all = registry();
  const std::shared_lock lock(all.mutex);
  const auto& live = all.of(type).live;
  const auto found = live.find(handle);
  return found == live.end() ? nullptr : found->second;
}

std::uint64_t publish(const std::shared_ptr<Object>& object, HandleType type, const std::shared_ptr<Object>& parent) {
  Registry& all = registry();
  const std::unique_lock lock(all.mutex);
  TypeTable& table = all.of(type);
  const bool dispatchable = info(type).dispatchable;
  object->type = type;
  object->parent = parent;
  object->handle = new_handle(all, table, dispatchable);
  if (dispatchable) reinterpret_cast<Dispatchable*>(object->handle)->loader.loaderMagic = ICD_LOADER_MAGIC;
  table.live[object->handle] = object;
  if (!object->identity.empty()) table.shared[object->identity] = object->handle;
  return object->handle;
}

void retire(HandleType type, std::uint64_t handle) {
  std::shared_ptr<Object> last;  // freed without the lock
  Registry& all = registry();
  const std::unique_lock lock(all.mutex);
  TypeTable& table = all.of(type);
  const auto found = table.live.find(handle);
  if (found == table.live.end()) return;
  if (--found->second->references != 0) return;
  last = std::move(found->second);
  table.live.erase(found);
  if (!last->identity.empty()) table.shared.erase(last->identity);
  last->alive = false;
  table.free.push_back(handle);
}

std::shared_ptr<Object> shared_by_identity(HandleType type, const std::string& identity) {
  Registry& all = registry();
  const std::unique_lock lock(all.mutex);
  TypeTable& table = all.of(type);
  const auto found = table.shared.find(identity);
  if (found == table.shared.end()) return nullptr;
  auto object = table.live.at(found->second);
  ++object->references;
  return object;
}

std::vector<std::shared_ptr<Object>> objects_of(const Object& parent) {
  Registry& all = registry();
  const std::shared_lock lock(all.mutex);
  std::vector<std::shared_ptr<Object>> found;
  for (const TypeTable& table : all.types)
    for (const auto& [handle, object] : table.live)
      if (object->parent.get() == &parent) found.push_back(object);
  return found;
}

std::size_t count_objects() {
  Registry& all = registry();
  const std::shared_lock lock(all.mutex);
  std::size_t count = 0;
  for (std::size_t i = 0; i < all.types.size(); ++i)
    if (const auto type = static_cast<HandleType>(i);
        type != HandleType::VkPhysicalDevice && type != HandleType::VkQueue)
      count += all.types[i].live.size();
  return count;
}

namespace {

void take_all(std::vector<std::shared_ptr<Object>>& dying) {
  Registry& all = registry();
  const std::unique_lock lock(all.mutex);
  for (std::size_t i = 0; i < all.types.size(); ++i) {
    TypeTable& table = all.types[i];
    for (auto& [handle, object] : table.live) {
      object->alive = false;
      dying.push_back(std::move(object));
    }
    // Dispatchable memory stays with its type, for the objects to come.
    std::vector<std::uint64_t> kept;
    if (info(static_cast<HandleType>(i)).dispatchable) {
      kept = std::move(table.free);
      for (const auto& object : dying)
        if (object->type == static_cast<HandleType>(i)) kept.push_back(object->handle);
    }
    table = {};
    table.free = std::move(kept);
  }
}

// Parents and children hold one another until they are destroyed as Vulkan says.
void let_go(Object& object) {
  if (object.type == Device::kType) {
    auto& queues = static_cast<Device&>(object).queues;
    for (const auto& queue : queues) stop(*queue);
    queues.clear();
  }
  if (object.type == Instance::kType) static_cast<Instance&>(object).physical_devices.clear();
}

}  // namespace

void reset_objects() {
  std::vector<std::shared_ptr<Object>> dying;
  take_all(dying);
  for (const auto& object : dying) let_go(*object);
}
}  // namespace fake
