// SPDX-License-Identifier: Apache-2.0
#include "player/legal/validity.h"

#include <algorithm>

#include "format/codec/shapes.h"
#include "generated/args.h"

namespace rondo::player::validity {

namespace {

// Versions before the first are the first, as drivers see it.
Wrong create_instance(Validity& v, const Call& c) {
  const VkInstanceCreateInfo* info = c.as<args_vkCreateInstance>().pCreateInfo;
  const VkApplicationInfo* app = info != nullptr ? info->pApplicationInfo : nullptr;
  if (app != nullptr && app->apiVersion != 0 && app->apiVersion < VK_API_VERSION_1_0)
    v.change(c, app->apiVersion, VK_API_VERSION_1_0);
  return {};
}

const std::vector<Handler>& handlers() {
  static const std::vector<Handler> table = [] {
    std::vector<Handler> t(codec::commands().size(), nullptr);
    t[static_cast<std::size_t>(CommandId::vkCreateInstance)] = create_instance;
    add_memory_checks(t);
    add_image_checks(t);
    add_descriptor_checks(t);
    add_descriptor_write_checks(t);
    add_pass_checks(t);
    add_rendering_checks(t);
    add_pipeline_checks(t);
    add_command_buffer_checks(t);
    add_copy_checks(t);
    add_host_copy_checks(t);
    add_draw_checks(t);
    add_query_checks(t);
    add_shader_checks(t);
    add_ray_checks(t);
    add_descriptor_buffer_checks(t);
    add_generated_command_checks(t);
    add_sync_checks(t);
    add_sync_fd_checks(t);
    add_dynamic_state_checks(t);
    add_checkpoint_checks(t);
    add_content_checks(t);
    add_poll_checks(t);
    return t;
  }();
  return table;
}

}  // namespace

ObjectId Call::created(std::size_t i) const {
  for (std::size_t h = 0; h < lowered.handles.size(); ++h)
    if ((lowered.handles[h].flags & codec::kCreated) != 0 && i-- == 0) return resolution.ids[h];
  return ObjectId::null;
}

std::string span_text(std::uint64_t offset, std::uint64_t size) {
  return size == VK_WHOLE_SIZE ? "bytes from " + std::to_string(offset)
                               : std::to_string(size) + " bytes at " + std::to_string(offset);
}

// Everything that a call names belongs to one device.
Wrong Validity::check_devices(const Call& call) const {
  if (call.command.level != codec::Level::device) return {};
  const ByObject<Object>& objects = plan_.objects.objects();
  const auto device_of = [&](ObjectId id) {
    return objects[id].type == HandleType::VkDevice ? id : objects[id].device;
  };
  const ObjectId own = device_of(call.dispatch());
  if (own == ObjectId::null) return {};
  for (const ObjectId id : call.resolution.ids)
    if (id != ObjectId::null)
      if (const ObjectId other = device_of(id);
          other != own && other != ObjectId::null && objects[other].type == HandleType::VkDevice)
        return "names " + name(id) + ", which belongs to " + name(other);
  return {};
}

// Objects that have a state of their own; of others a driver may give out one twice.
bool is_one_of_its_own(HandleType type) {
  switch (type) {
    case HandleType::VkInstance:
    case HandleType::VkDevice:
    case HandleType::VkDeviceMemory:
    case HandleType::VkBuffer:
    case HandleType::VkCommandPool:
    case HandleType::VkCommandBuffer:
    case HandleType::VkDescriptorPool:
    case HandleType::VkDescriptorSet:
    case HandleType::VkFence:
    case HandleType::VkSemaphore:
    case HandleType::VkEvent:
    case HandleType::VkQueryPool:
    case HandleType::VkSwapchainKHR:
      return true;
    default:
      return false;
  }
}

// What is still there cannot be made again.
Wrong Validity::check_new(const Call& call) const {
  if (call.command.verb != codec::Verb::creates && call.command.verb != codec::Verb::allocates) return {};
  const std::vector<ObjectId>& made = call.resolution.created;
  for (std::size_t i = 0; i < call.lowered.handles.size(); ++i) {
    const codec::HandleRef& ref = call.lowered.handles[i];
    const ObjectId id = call.resolution.ids[i];
    if ((ref.flags & codec::kCreated) == 0 || id == ObjectId::null) continue;
    if (!is_one_of_its_own(ref.type) && call.command.canonical != CommandId::vkCreateImage) continue;
    if (std::find(made.begin(), made.end(), id) == made.end()) return "makes " + this->name(id) + ", which is alive";
  }
  return {};
}

Image* Validity::image(ObjectId id) {
  if (Image* known = images.find(id); known != nullptr || id == ObjectId::null) return known;
  const Image* like = swapchains.find(plan_.objects.objects()[id].parent);
  if (like == nullptr) return nullptr;
  return &(images.make(id) = *like);
}

void Validity::set_event(ObjectId event, bool to) {
  if (Event* state = events.find(event); state != nullptr) state->set = to;
  if (to) std::erase_if(waiting_, [&](const Waiting& one) { return one.event == event; });
}

Wrong Validity::never_ends(Place place) const {
  for (const Waiting& one : waiting_)
    if (one.place.queue == place.queue && one.place.number <= place.number && work.running(one.place))
      return "waits for work that waits for " + name(one.event) + ", which nothing sets before";
  return {};
}

void Validity::hold(ObjectId object, ObjectId holder) {
  if (object == ObjectId::null || holder == ObjectId::null) return;
  std::vector<ObjectId>* all = holders.find(object);
  if (all == nullptr) all = &holders.make(object);
  if (!all->empty() && all->back() == holder) return;
  if (all->size() >= 64 && (all->size() & (all->size() - 1)) == 0) {  // rewritten again and again
    const std::size_t before = all->size();
    std::sort(all->begin(), all->end());
    all->erase(std::unique(all->begin(), all->end()), all->end());
    std::erase_if(*all, [&](ObjectId id) { return !alive(id); });
    held_ -= before - all->size();
  }
  all->push_back(holder);
  ++held_;
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
    if (late_.empty()) late_ = never_ends({queue, UINT64_MAX});
    settles_.push_back({op(), queue, ObjectId::null, ObjectId::null});
    work.finish_queue(queue);
  }
}

void Validity::needs_end(Place place) {
  if (!work.running(place)) return;
  if (late_.empty()) late_ = never_ends({place.queue, UINT64_MAX});
  settles_.push_back({op(), place.queue, ObjectId::null, ObjectId::null});
  work.finish_queue(place.queue);
}

void Validity::change_begin(const CommandBuffer& commands, VkCommandBufferUsageFlags add,
                            VkCommandBufferUsageFlags remove) {
  begins_.push_back({commands.begin_op, add, remove});
}

void Validity::needs_reset_of(ObjectId commands) {
  settles_.push_back({op(), ObjectId::null, ObjectId::null, ObjectId::null, commands, ObjectId::null, 0, 0});
}

void Validity::needs_query_end(ObjectId commands, const CommandBuffer::ActiveQuery& query) {
  settles_.push_back(
      {op(), ObjectId::null, ObjectId::null, ObjectId::null, commands, query.pool, query.query, query.index});
}

void Validity::let_reset_single_buffers(ObjectId id) {
  CommandPool* pool = command_pools.find(id);
  if (pool == nullptr || pool->resets_single) return;
  pool->resets_single = true;
  widened_.push_back({Widen::pool_flags, pool->create_op, VK_COMMAND_POOL_CREATE_RESET_COMMAND_BUFFER_BIT});
}

void Validity::let_free_single_sets(ObjectId id) {
  constexpr VkDescriptorPoolCreateFlags kFrees = VK_DESCRIPTOR_POOL_CREATE_FREE_DESCRIPTOR_SET_BIT;
  DescriptorPool* pool = descriptor_pools.find(id);
  if (pool == nullptr || (pool->flags & kFrees) != 0) return;
  pool->flags |= kFrees;
  widened_.push_back({Widen::set_pool_flags, pool->create_op, kFrees});
}

void Validity::note_offset(VkDescriptorType type, VkDeviceSize offset) {
  if (offset == 0) return;
  const bool uniform = type == VK_DESCRIPTOR_TYPE_UNIFORM_BUFFER || type == VK_DESCRIPTOR_TYPE_UNIFORM_BUFFER_DYNAMIC;
  descriptor_offsets_.push_back({uniform, offset});
}

void Validity::note_address(ObjectId id, VkDeviceAddress address) {
  Buffer* buffer = buffers.find(id);
  if (buffer == nullptr || buffer->address == address) return;
  const auto [first, last] = addresses_.equal_range(buffer->address);
  for (auto at = first; at != last; ++at)
    if (at->second == id) {
      addresses_.erase(at);
      break;
    }
  buffer->address = address;
  if (address != 0) addresses_.emplace(address, id);
}

ObjectId Validity::buffer_at(ObjectId of, VkDeviceAddress address, VkDeviceSize bytes) const {
  const ByObject<Object>& objects = plan_.objects.objects();
  for (auto at = addresses_.upper_bound(address); at != addresses_.begin();) {
    --at;
    const Buffer* buffer = buffers.find(at->second);
    if (buffer != nullptr && objects[at->second].device == objects[of].device &&
        within(address - at->first, bytes, buffer->bytes))
      return at->second;
  }
  return ObjectId::null;
}

void Validity::needs_usage(ObjectId id, VkBufferUsageFlags usage) {
  Buffer* buffer = buffers.find(id);
  if (buffer == nullptr || (usage & ~buffer->usage) == 0) return;
  widened_.push_back({Widen::buffer_usage, buffer->create_op, static_cast<VkFlags>(usage & ~buffer->usage)});
  buffer->usage |= usage;
}

Wrong Validity::needs_image_usage(const char* member, ObjectId id, VkImageUsageFlags usage) {
  Image* found = image(id);
  if (found == nullptr || (usage & ~found->usage) == 0) return {};
  // What every format that is presented can be used for.
  constexpr VkImageUsageFlags kOfSwapchains = VK_IMAGE_USAGE_TRANSFER_SRC_BIT | VK_IMAGE_USAGE_TRANSFER_DST_BIT |
                                              VK_IMAGE_USAGE_SAMPLED_BIT | VK_IMAGE_USAGE_COLOR_ATTACHMENT_BIT |
                                              VK_IMAGE_USAGE_INPUT_ATTACHMENT_BIT;
  if (found->of_swapchain && (usage & ~found->usage & ~kOfSwapchains) != 0)
    return std::string(member) + " is " + name(id) + ", which was not made for such a use";
  widened_.push_back(
      {found->of_swapchain ? Widen::swapchain_usage : Widen::image_usage, found->create_op, usage & ~found->usage});
  found->usage |= usage;
  return {};
}

void Validity::needs_mutable_format(ObjectId id) {
  Image* found = image(id);
  if (found == nullptr || (found->flags & VK_IMAGE_CREATE_MUTABLE_FORMAT_BIT) != 0) return;
  found->flags |= VK_IMAGE_CREATE_MUTABLE_FORMAT_BIT;
  if (found->of_swapchain)
    widened_.push_back({Widen::swapchain_flags, found->create_op, VK_SWAPCHAIN_CREATE_MUTABLE_FORMAT_BIT_KHR});
  else
    widened_.push_back({Widen::image_flags, found->create_op, VK_IMAGE_CREATE_MUTABLE_FORMAT_BIT});
}

std::uint32_t Validity::device_of(ObjectId of) const {
  const ByObject<Object>& objects = plan_.objects.objects();
  const std::uint32_t place = plan_.place_of(objects[of].type == HandleType::VkDevice ? of : objects[of].device);
  return place < plan_.devices.size() ? place : kNone;
}

bool Validity::enabled(ObjectId of, VkBool32 VkPhysicalDeviceFeatures::*feature) const {
  const std::uint32_t place = device_of(of);
  if (place == kNone) return false;
  for (const FeatureUse& use : plan_.devices[place].features)
    if (use.structure == StructId::VkPhysicalDeviceFeatures2 && use.bytes.size() >= sizeof(VkPhysicalDeviceFeatures2) &&
        codec::load<VkPhysicalDeviceFeatures2>(use.bytes.data()).features.*feature != VK_FALSE)
      return true;
  return false;
}

bool Validity::enabled_addresses(ObjectId of) const {
  const std::uint32_t place = device_of(of);
  return place != kNone && enables_addresses(plan_.devices[place]);
}

bool Validity::has_extension(ObjectId of, std::string_view wanted) const {
  const std::uint32_t place = device_of(of);
  if (place == kNone) return false;
  const std::vector<std::string>& all = plan_.devices[place].extensions;
  return std::find(all.begin(), all.end(), wanted) != all.end();
}

bool Validity::allows(ObjectId of, Relaxation what) const {
  const std::uint32_t place = device_of(of);
  if (place == kNone) return false;
  const CapturedDevice& device = plan_.devices[place];
  const std::uint32_t version =
      std::min(device.api_version, plan_.physical_devices[device.physical].properties.apiVersion);
  return enables(device, version, what);
}

void Validity::wait_for_bind(ObjectId buffer, ObjectId view) {
  waits_for_bind_ = buffer;
  waiting_views_.push_back(view);
}

// What is not made yet can be destroyed only.
Wrong Validity::check_waiting_views(const Call& call) {
  if (waiting_views_.empty()) return {};
  std::erase_if(waiting_views_, [&](ObjectId id) {
    const BufferView* view = buffer_views.find(id);
    const Buffer* buffer = view != nullptr ? buffers.find(view->buffer) : nullptr;
    return view == nullptr || (buffer != nullptr && buffer->bound);
  });
  for (const ObjectId id : call.resolution.ids)
    if (id != ObjectId::null && std::find(waiting_views_.begin(), waiting_views_.end(), id) != waiting_views_.end()) {
      if (call.command.canonical != CommandId::vkDestroyBufferView)
        return "names " + name(id) + ", a view of " + name(buffer_views.find(id)->buffer) +
               ", which no memory is bound to";
      skip();
    }
  return {};
}

// Of the sets that it was written to, as it stands or through what holds it.
void Validity::mark_stale(ObjectId object, int depth) {
  if (depth > 4) return;
  if (Set* set = sets.find(object); set != nullptr) set->stale = true;
  if (const std::vector<ObjectId>* all = holders.find(object); all != nullptr)
    for (const ObjectId holder : *all) mark_stale(holder, depth + 1);
}

void Validity::forget(ObjectId id) {
  mark_stale(id, 0);
  if (const std::vector<ObjectId>* all = holders.find(id); all != nullptr) {
    held_ -= all->size();
    if (plan_.objects.objects()[id].type == HandleType::VkSwapchainKHR)  // with the images that are made of it
      for (const ObjectId image : *all) images.erase(image);
  }
  holders.erase(id);
  work.forget(id);
  switch (plan_.objects.objects()[id].type) {
    case HandleType::VkDeviceMemory:
      return memories.erase(id);
    case HandleType::VkBuffer:
      note_address(id, 0);
      return buffers.erase(id);
    case HandleType::VkImage:
      return images.erase(id);
    case HandleType::VkImageView:
      return image_views.erase(id);
    case HandleType::VkBufferView:
      return buffer_views.erase(id);
    case HandleType::VkDescriptorSetLayout:
      return set_layouts.erase(id);
    case HandleType::VkDescriptorSet:
      if (const Set* set = sets.find(id); set != nullptr) written_ -= set->written.size();
      return sets.erase(id);
    case HandleType::VkDescriptorPool:
      return descriptor_pools.erase(id);
    case HandleType::VkShaderModule:
      return modules.erase(id);
    case HandleType::VkPipelineLayout:
      return pipeline_layouts.erase(id);
    case HandleType::VkDescriptorUpdateTemplate:
      return templates.erase(id);
    case HandleType::VkRenderPass:
      return passes.erase(id);
    case HandleType::VkFramebuffer:
      return framebuffers.erase(id);
    case HandleType::VkPipeline:
      return pipelines.erase(id);
#ifdef VK_EXT_shader_object
    case HandleType::VkShaderEXT:
      return shaders.erase(id);
#endif
#ifdef VK_EXT_device_generated_commands
    case HandleType::VkIndirectCommandsLayoutEXT:
      return indirect_layouts.erase(id);
    case HandleType::VkIndirectExecutionSetEXT:
      return execution_sets.erase(id);
#endif
    case HandleType::VkCommandPool:
      return command_pools.erase(id);
    case HandleType::VkCommandBuffer:
      return command_buffers.erase(id);
    case HandleType::VkQueryPool:
      if (const QueryPool* pool = query_pools.find(id); pool != nullptr) followed_queries -= pool->available.size();
      return query_pools.erase(id);
    case HandleType::VkAccelerationStructureKHR:
      return structures.erase(id);
    case HandleType::VkFence:
      return fences.erase(id);
    case HandleType::VkSwapchainKHR:
      presents.erase(id);
      return swapchains.erase(id);
    case HandleType::VkSemaphore:
      return semaphores.erase(id);
    default:
      return;
  }
}

std::size_t Validity::bytes() const {
  return memories.bytes() + buffers.bytes() + images.bytes() + image_views.bytes() + buffer_views.bytes() +
         set_layouts.bytes() + sets.bytes() + pipeline_layouts.bytes() + templates.bytes() + passes.bytes() +
         framebuffers.bytes() + pipelines.bytes() + shaders.bytes() + command_pools.bytes() + command_buffers.bytes() +
         query_pools.bytes() + structures.bytes() + indirect_layouts.bytes() + execution_sets.bytes() +
         (preprocessed.size() + addresses_.size()) * 96 + fences.bytes() + semaphores.bytes() + swapchains.bytes() +
         presents.bytes() + holders.bytes() + descriptor_pools.bytes() + modules.bytes() + held_ * sizeof(ObjectId) +
         written_ * 96 + followed_queries + work.bytes();
}

Wrong Validity::check(const Call& call) {
  settles_.clear();
  begins_.clear();
  widened_.clear();
  descriptor_offsets_.clear();
  edits_.clear();
  skipped_ = false;
  seen = {};
  waits_for_bind_ = ObjectId::null;
  if (Wrong wrong = check_new(call); !wrong.empty()) return wrong;
  if (Wrong wrong = check_devices(call); !wrong.empty()) return wrong;
  if (Wrong wrong = check_waiting_views(call); !wrong.empty()) return wrong;
  if (does_nothing(call)) {
    skip();
    return {};
  }
  if (call.command.records_into_command_buffer)
    if (Wrong wrong = record_command(*this, call); !wrong.empty()) return wrong;
  const Handler handler = handlers()[static_cast<std::size_t>(call.command.canonical)];
  if (handler != nullptr)
    if (Wrong wrong = handler(*this, call); !wrong.empty()) return wrong;
  // All work of a device is waited for before it ends.
  if (call.command.canonical != CommandId::vkDestroyDevice && call.command.canonical != CommandId::vkDestroyInstance)
    for (const ObjectId ended : call.resolution.ended) needs_end_of_use(ended);
  if (!late_.empty()) return late_;
  for (const ObjectId ended : call.resolution.ended) forget(ended);
  return {};
}

}  // namespace rondo::player::validity
