// SPDX-License-Identifier: Apache-2.0
#include "tests/icd/driver.h"

#include <array>
#include <cstring>
#include <mutex>

#include "format/codec/shapes.h"
#include "tests/icd/digest.h"
#include "tests/icd/entry.h"
#include "tests/icd/physical_device.h"
#include "tests/icd/recording.h"
#include "tests/icd/state.h"
#include "tests/icd/tables.h"
#include "tests/icd/walker.h"

namespace fake {

namespace {

using namespace rondo::codec;
using rondo::StructId;

struct Row {
  Behaviour behaviour = nullptr;
  std::vector<Check> checks;
};
using Rows = std::array<Row, rondo::kCommandIds>;

Rows& rows() {
  static Rows& all = *new Rows;
  return all;
}

Row& row(CommandId id) { return rows()[static_cast<std::size_t>(info(id).canonical)]; }

// The handles that a command makes, each with its type. `visit(slot, type)`.
template <class Visit>
void each_created(const Call& call, Visit visit) {
  auto* base = static_cast<std::byte*>(call.args);
  for (const Field& f : info(info(call.id).args).fields) {
    if (f.element != Element::handle || (f.flags & kCreated) == 0) continue;
    auto* target = load<std::byte*>(base + f.offset);
    if (target == nullptr) continue;
    std::uint64_t n = 1;
    if (f.shape == Shape::many && f.count.kind == CountKind::member)
      n = load_unsigned(base + f.count.a, f.count.a_size);
    else if (f.shape == Shape::many && f.count.kind == CountKind::path)
      n = load_unsigned(load<const std::byte*>(base + f.count.a) + f.count.b, f.count.b_size);
    else if (f.shape == Shape::many)
      n = 0;  // enumerations have behaviours
    for (std::uint64_t i = 0; i < n; ++i)
      visit(reinterpret_cast<std::uint64_t*>(target + i * sizeof(std::uint64_t)), static_cast<HandleType>(f.type));
  }
}

void clear_created(const Call& call) {
  each_created(call, [](std::uint64_t* slot, HandleType) { *slot = 0; });
}

std::shared_ptr<Object> dispatched(const Call& call) {
  const CommandInfo& command = info(call.id);
  return command.dispatch == HandleType::none ? nullptr : find(command.dispatch, load<std::uint64_t>(call.args));
}

// What a command without a behaviour of its own does.
std::int64_t generic(Call& call) {
  const auto owner = dispatched(call);
  each_created(call, [&](std::uint64_t* slot, HandleType type) {
    const bool of_device = call.device != nullptr;
    *slot = publish(std::make_shared<PlainObject>(), type, of_device ? std::shared_ptr<Object>(call.device) : owner);
  });
  auto* base = static_cast<std::byte*>(call.args);
  for (const Field& f : info(info(call.id).args).fields) {
    if (f.element == Element::handle && (f.flags & kDestroyed) != 0) {
      if (f.shape == Shape::value) retire(static_cast<HandleType>(f.type), load<std::uint64_t>(base + f.offset));
    } else if ((f.flags & kOutput) != 0 && f.shape == Shape::many && f.count.kind == CountKind::dereferenced) {
      auto* counter = load<std::byte*>(base + f.count.a);
      if (counter != nullptr) std::memset(counter, 0, f.count.a_size);
    }
  }
  return 0;
}

void find_owners(Call& call) {
  const auto object = dispatched(call);
  if (object == nullptr) return;
  switch (object->type) {
    case HandleType::VkDevice:
      call.device = std::static_pointer_cast<Device>(object);
      break;
    case HandleType::VkCommandBuffer:
      call.command_buffer = std::static_pointer_cast<CommandBuffer>(object);
      [[fallthrough]];
    case HandleType::VkQueue:
      call.device = std::static_pointer_cast<Device>(object->parent);
      break;
    default:
      break;
  }
}

const Instance* instance_of(const Call& call) {
  if (call.device != nullptr) return static_cast<const Instance*>(call.device->physical->parent.get());
  const auto object = dispatched(call);
  if (object == nullptr) return nullptr;
  if (object->type == HandleType::VkInstance) return static_cast<const Instance*>(object.get());
  return static_cast<const Instance*>(object->parent.get());
}

// What pending work uses must stay.
void check_destroyed(const Call& call) {
  const auto* base = static_cast<const std::byte*>(call.args);
  for (const Field& f : info(info(call.id).args).fields) {
    if (f.element != Element::handle || (f.flags & kDestroyed) == 0) continue;
    const bool many = f.shape == Shape::many;
    const auto* list = many ? load<const std::byte*>(base + f.offset) : base + f.offset;
    const std::uint64_t n = many ? load_unsigned(base + f.count.a, f.count.a_size) : 1;
    for (std::uint64_t i = 0; list != nullptr && i < n; ++i) {
      const auto object = find(static_cast<HandleType>(f.type), load<std::uint64_t>(list + i * 8));
      if (object != nullptr && object->pending != 0)
        violation(std::string("ends a ") + info(object->type).name + " in use by work that is not finished");
    }
  }
}

std::int64_t refused(const Call& call) {
  clear_created(call);
  return info(call.id).returns == Returns::result ? VK_ERROR_VALIDATION_FAILED_EXT : 0;
}

void install_once() {
  static std::once_flag once;
  std::call_once(once, [] {
    Table table;
    install_all(table);
  });
}

class Scope {
 public:
  explicit Scope(CommandId id) : outer_(current_call()) { current_call() = {id, false}; }
  ~Scope() { current_call() = outer_; }

 private:
  CurrentCall outer_;
};

// The image is acquired or presented; the semaphores of a rejected present are waited for.
bool is_made_all_the_same(CommandId id, VkResult injected) {
  return injected == VK_SUBOPTIMAL_KHR ||
         (id == CommandId::vkQueuePresentKHR &&
          (injected == VK_ERROR_OUT_OF_DATE_KHR || injected == VK_ERROR_SURFACE_LOST_KHR));
}

// The last of the swapchains is the cause.
void say_of_one(const rondo::args_vkQueuePresentKHR& a, VkResult result) {
  const VkPresentInfoKHR& info = *a.pPresentInfo;
  if (info.pResults != nullptr && info.swapchainCount != 0) info.pResults[info.swapchainCount - 1] = result;
}

}  // namespace

void Table::set(CommandId id, Behaviour behaviour) { row(id).behaviour = behaviour; }
void Table::add(CommandId id, Check check) { row(id).checks.push_back(check); }

std::int64_t enter(CommandId id, void* args) {
  install_once();
  const Scope scope(id);
  const VkResult injected = history().note(id);
  Call call{id, info(id).canonical, args, nullptr, nullptr};
  find_owners(call);
  std::vector<std::shared_ptr<Object>> named;
  check_validity(call, named);
  if (!current_call().violated && info(id).level != Level::global && !is_enabled(call, instance_of(call)))
    violation("belongs to no version or extension that is enabled");
  if (call.command_buffer != nullptr && info(id).records_into_command_buffer) check_recording(call);
  check_destroyed(call);
  if (current_call().violated) return refused(call);
  for (const Check check : row(id).checks) {
    check(call);
    // What later checks build on.
    if (current_call().violated) return refused(call);
  }
  if (injected != VK_SUCCESS && !is_made_all_the_same(id, injected)) {
    clear_created(call);
    return injected;
  }
  if (call.command_buffer != nullptr && info(id).records_into_command_buffer) {
    auto& uses = call.command_buffer->uses;
    for (auto& object : named)
      if (object != call.command_buffer) uses.push_back(std::move(object));
  }
  const Behaviour behaviour = row(id).behaviour;
  const std::int64_t result = behaviour != nullptr ? behaviour(call) : generic(call);
  if (call.command_buffer != nullptr && info(id).records_into_command_buffer) note_recorded(call);
  // A failed creation may have made some of several objects.
  if (info(id).returns != Returns::result || result >= 0 || id == CommandId::vkCreateGraphicsPipelines)
    note_created(call);
  if (injected == VK_SUCCESS || result != VK_SUCCESS) return result;
  if (id == CommandId::vkQueuePresentKHR) say_of_one(*static_cast<rondo::args_vkQueuePresentKHR*>(args), injected);
  return injected;
}

void record(Call& call, std::function<void(Execution&)> run) {
  call.command_buffer->steps.push_back({std::move(run), call.canonical});
}

std::shared_ptr<Object> shared_by_identity(HandleType type, const std::string& identity);

std::shared_ptr<Object> share(const Call& call, HandleType type, std::string& identity) {
  if (settings().handles != Handles::duplicate) return nullptr;
  rondo::codec::Buffer bytes;
  Context context;
  if (!encode(bytes, context, call.id, call.args, false).error.empty()) return nullptr;
  identity.assign(reinterpret_cast<const char*>(bytes.bytes().data()), bytes.bytes().size());
  identity.append(reinterpret_cast<const char*>(context.blobs.data()), context.blobs.size());
  return shared_by_identity(type, identity);
}

bool Device::enabled(const char* extension) const {
  for (const std::string& e : extensions)
    if (e == extension) return true;
  return false;
}

bool is_enabled(const Call& call, const Instance* instance) {
  const tables::Entry* entry = tables::find_entry(call.id);
  if (entry == nullptr || instance == nullptr) return true;
  const auto has = [&](const char* feature) {
    unsigned major = 0, minor = 0;
    if (std::sscanf(feature, "VK_VERSION_%u_%u", &major, &minor) == 2)
      return VK_MAKE_API_VERSION(0, major, minor, 0) <= instance->api_version;
    for (const std::string& e : instance->extensions)
      if (e == feature) return true;
    // Physical devices answer for their devices' extensions.
    if (info(call.id).level == Level::physical_device) return has_extension(feature, true);
    return call.device != nullptr && call.device->enabled(feature);
  };
  for (const tables::Origin& origin : entry->origins)
    if (has(origin.feature)) return true;
  return false;
}

}  // namespace fake
