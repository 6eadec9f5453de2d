// SPDX-License-Identifier: Apache-2.0
// Whether a command buffer is being recorded or can be executed, and whether
// all that it uses is still there when it is.
#include <algorithm>
#include <bit>

#include "generated/args.h"
#include "player/legal/validity.h"

namespace rondo::player::validity {

namespace {

using State = CommandBuffer::State;
using Pass = CommandBuffer::Pass;

// Secondaries within secondaries: drivers execute them one in the other.
constexpr int kDeepest = 32;
// … one by one: twice at each depth is more than anybody waits for.
constexpr std::uint32_t kMostExecutions = 1u << 20;

// Read while recording only: they may go before the commands are executed.
bool may_go(HandleType type) {
  switch (type) {
    case HandleType::VkPipelineLayout:
    case HandleType::VkDescriptorSetLayout:
    case HandleType::VkDescriptorUpdateTemplate:
    case HandleType::VkCommandBuffer:  // looked at with its recording
      return true;
    default:
      return false;
  }
}

// Binds come in turns; what is left twice goes when the recording ends.
bool recently(const std::vector<ObjectId>& uses, ObjectId id) {
  const std::size_t from = uses.size() > 8 ? uses.size() - 8 : 0;
  return std::find(uses.begin() + static_cast<std::ptrdiff_t>(from), uses.end(), id) != uses.end();
}

// One that stands there more than once; 0: none.
ObjectId twice(std::vector<ObjectId> ids) {
  std::sort(ids.begin(), ids.end());
  const auto at = std::adjacent_find(ids.begin(), ids.end());
  return at != ids.end() ? *at : ObjectId::null;
}

Wrong create_pool(Validity& v, const Call& c) {
  const VkCommandPoolCreateInfo& info = *c.as<args_vkCreateCommandPool>().pCreateInfo;
  const std::uint32_t place = v.plan().place_of(c.dispatch());
  if (place == kNone || place >= v.plan().devices.size()) return {};
  const std::vector<QueueUse>& queues = v.plan().devices[place].queues;
  if (std::none_of(queues.begin(), queues.end(),
                   [&](const QueueUse& queue) { return queue.family == info.queueFamilyIndex; }))
    return v.name(c.dispatch()) + " has no queue of family " + std::to_string(info.queueFamilyIndex);
  if (const ObjectId id = c.created(); id != ObjectId::null) {
    CommandPool& pool = v.command_pools.make(id);
    pool.create_op = v.op();
    pool.resets_single = (info.flags & VK_COMMAND_POOL_CREATE_RESET_COMMAND_BUFFER_BIT) != 0;
    pool.family = info.queueFamilyIndex;
    const std::uint32_t physical = v.plan().devices[place].physical;
    if (physical < v.plan().physical_devices.size())
      if (const auto& families = v.plan().physical_devices[physical].families; pool.family < families.size())
        pool.can = families[pool.family].queueFlags;
  }
  return {};
}

Wrong allocate(Validity& v, const Call& c) {
  const VkCommandBufferAllocateInfo& info = *c.as<args_vkAllocateCommandBuffers>().pAllocateInfo;
  CommandPool* pool = v.command_pools.find(c.id(&info.commandPool));
  for (std::uint32_t i = 0; i < info.commandBufferCount; ++i) {
    const ObjectId id = c.created(i);
    if (id == ObjectId::null) continue;
    CommandBuffer& commands = v.command_buffers.make(id);
    commands.secondary = info.level == VK_COMMAND_BUFFER_LEVEL_SECONDARY;
    if (pool == nullptr) continue;
    pool->buffers.push_back(id);
    commands.family = pool->family;
    commands.can = pool->can;
  }
  return {};
}

Wrong free_buffers(Validity& v, const Call& c) {
  const auto& a = c.as<args_vkFreeCommandBuffers>();
  const ObjectId pool = c.id(&a.commandPool);
  std::vector<ObjectId> seen;
  for (std::uint32_t i = 0; i < a.commandBufferCount; ++i)
    if (const ObjectId id = c.id(&a.pCommandBuffers[i]); id != ObjectId::null) seen.push_back(id);
  if (const ObjectId id = twice(seen); id != ObjectId::null) return "frees " + v.name(id) + " twice";
  for (std::uint32_t i = 0; i < a.commandBufferCount; ++i)
    if (const ObjectId id = c.id(&a.pCommandBuffers[i]);
        id != ObjectId::null && v.plan().objects.objects()[id].parent != pool)
      return v.name(id) + " is not of " + v.name(pool);
  return {};
}

void reset(CommandBuffer& commands) {
  CommandBuffer fresh;
  fresh.secondary = commands.secondary;
  fresh.family = commands.family;
  fresh.can = commands.can;
  fresh.recording = commands.recording + 1;
  fresh.uses = std::move(commands.uses);
  fresh.executes = std::move(commands.executes);
  fresh.uses.clear();
  fresh.executes.clear();
  commands = std::move(fresh);
}

Wrong reset_pool(Validity& v, const Call& c) {
  CommandPool* pool = v.command_pools.find(c.id(&c.as<args_vkResetCommandPool>().commandPool));
  if (pool == nullptr) return {};
  std::erase_if(pool->buffers, [&](ObjectId id) { return !v.alive(id); });
  for (const ObjectId id : pool->buffers) {
    v.needs_end_of_use(id);
    reset(*v.command_buffers.find(id));
  }
  return {};
}

Wrong reset_buffer(Validity& v, const Call& c) {
  v.needs_end_of_use(c.dispatch());
  v.let_reset_single_buffers(v.plan().objects.objects()[c.dispatch()].parent);
  if (CommandBuffer* commands = v.command_buffers.find(c.dispatch()); commands != nullptr) reset(*commands);
  return {};
}

Wrong begin(Validity& v, const Call& c) {
  const VkCommandBufferBeginInfo& info = *c.as<args_vkBeginCommandBuffer>().pBeginInfo;
  CommandBuffer* commands = v.command_buffers.find(c.dispatch());
  if (commands == nullptr) return {};
  if (commands->secondary && info.pInheritanceInfo == nullptr)
    return "pInheritanceInfo of a secondary command buffer is null";
  v.needs_end_of_use(c.dispatch());
  if (commands->state != State::initial) v.let_reset_single_buffers(v.plan().objects.objects()[c.dispatch()].parent);
  // Drivers begin anew; what was recorded is gone.
  if (commands->state == State::recording) v.needs_reset_of(c.dispatch());
  reset(*commands);
  commands->state = State::recording;
  commands->begin_op = v.op();
  commands->usage = info.flags;
  if (!commands->secondary || (info.flags & VK_COMMAND_BUFFER_USAGE_RENDER_PASS_CONTINUE_BIT) == 0) return {};
  commands->pass = Pass::inherited;
  const VkCommandBufferInheritanceInfo& inherited = *info.pInheritanceInfo;
  const RenderPass* pass = v.passes.find(c.id(&inherited.renderPass));
  if (pass != nullptr && inherited.subpass >= pass->subpasses.size())
    return "inherits subpass " + std::to_string(inherited.subpass) + " of " + std::to_string(pass->subpasses.size());
  if (inherited.renderPass == VK_NULL_HANDLE) {
    const auto* rendering = find_chained<VkCommandBufferInheritanceRenderingInfo>(
        inherited.pNext, VK_STRUCTURE_TYPE_COMMAND_BUFFER_INHERITANCE_RENDERING_INFO);
    if (rendering == nullptr) return "continues a render pass, and names none";
    if (rendering->colorAttachmentCount != 0 && rendering->pColorAttachmentFormats == nullptr)
      return "pColorAttachmentFormats of what it inherits is null";
    commands->colors.assign(1, rendering->colorAttachmentCount);
    commands->views = static_cast<std::uint32_t>(std::popcount(rendering->viewMask));
  } else {
    commands->views = pass != nullptr ? pass->views : 0;
  }
  if (Wrong w = check_rendering_places(inherited.pNext); !w.empty()) return w;
  commands->takes_secondaries = true;
  commands->in_render_pass = inherited.renderPass != VK_NULL_HANDLE;
  commands->attachments = pass != nullptr ? pass->attachments : 0;
  commands->subpass = inherited.subpass;
  commands->framebuffer = c.id(&inherited.framebuffer);
  return {};
}

Wrong end(Validity& v, const Call& c) {
  CommandBuffer* commands = v.command_buffers.find(c.dispatch());
  if (commands == nullptr) return {};
  if (commands->state != State::recording) return v.name(c.dispatch()) + " is not being recorded";
  if (commands->pass == Pass::render_pass || commands->pass == Pass::rendering) return "within a render pass";
  if (commands->feedback || commands->conditional) return "transform feedback or a condition is not ended";
  for (const CommandBuffer::ActiveQuery& query : commands->queries) v.needs_query_end(c.dispatch(), query);
  commands->queries.clear();
  commands->state = State::executable;
  std::sort(commands->uses.begin(), commands->uses.end());
  commands->uses.erase(std::unique(commands->uses.begin(), commands->uses.end()), commands->uses.end());
  return {};
}

// Once more than its begin allowed, perhaps while it runs. That was a promise to
// the driver; it is not given.
void give_again(Validity& v, CommandBuffer& commands, bool runs) {
  VkCommandBufferUsageFlags add = 0, remove = 0;
  if (commands.given) remove = commands.usage & VK_COMMAND_BUFFER_USAGE_ONE_TIME_SUBMIT_BIT;
  if (runs) add = ~commands.usage & VK_COMMAND_BUFFER_USAGE_SIMULTANEOUS_USE_BIT;
  if (runs) remove = commands.usage & VK_COMMAND_BUFFER_USAGE_ONE_TIME_SUBMIT_BIT;
  commands.given = true;
  if ((add | remove) == 0) return;
  v.change_begin(commands, add, remove);
  commands.usage = (commands.usage | add) & ~remove;
}

// A driver looks into the pass of the one with what it knows of the other.
Wrong check_inherited(CommandBuffer& primary, const CommandBuffer& secondary) {
  if (primary.secondary && primary.framebuffer == ObjectId::null) primary.framebuffer = secondary.framebuffer;
  if (primary.in_render_pass != secondary.in_render_pass ||
      (primary.in_render_pass && primary.subpass != secondary.subpass))
    return "continues another subpass";
  if (secondary.framebuffer != ObjectId::null && secondary.framebuffer != primary.framebuffer)
    return "inherits another framebuffer";
  if (primary.in_render_pass && primary.attachments != secondary.attachments)
    return "inherits a render pass of other attachments";
  if (secondary.places && primary.colors != secondary.colors)
    return "places attachments of other rendering than it is executed in";
  primary.places = primary.places || secondary.places;
  return {};
}

Wrong execute(Validity& v, const Call& c) {
  const auto& a = c.as<args_vkCmdExecuteCommands>();
  CommandBuffer* commands = v.command_buffers.find(c.dispatch());
  if (commands != nullptr && commands->secondary && !v.allows(c.dispatch(), Relaxation::nested_command_buffers))
    return "is in a secondary command buffer";
  if (commands != nullptr && commands->feedback) return "transform feedback is not ended";
  if (commands != nullptr && commands->pass != Pass::none && !commands->takes_secondaries)
    return "the subpass takes no secondary command buffers";
  for (std::uint32_t i = 0; i < a.commandBufferCount; ++i) {
    const ObjectId id = c.id(&a.pCommandBuffers[i]);
    if (Wrong w = check_execution(v, id, true); !w.empty()) return w;
    CommandBuffer* secondary = v.command_buffers.find(id);
    if (commands == nullptr || secondary == nullptr) continue;
    give_again(v, *secondary, v.work.uses(id) || secondary->given);
    const bool inside = commands->pass != Pass::none;
    if (inside != (secondary->pass == Pass::inherited))
      return v.name(id) + (inside ? " does not continue a render pass" : " continues a render pass");
    if (secondary->family != commands->family) return v.name(id) + " is of another queue family";
    if (inside)
      if (Wrong w = check_inherited(*commands, *secondary); !w.empty()) return v.name(id) + ' ' + w;
    if (inside)
      if (Wrong w = check_clears(*commands, secondary->clears); !w.empty()) return v.name(id) + ' ' + w;
    commands->executes.push_back({id, secondary->recording, commands->events.size(), commands->query_changes.size()});
    commands->nesting = std::max(commands->nesting, secondary->nesting + 1);
    if (commands->nesting > kDeepest)
      return "executes secondaries within secondaries, " + std::to_string(commands->nesting) + " deep";
    // Both are within the bound, so it cannot overflow.
    commands->executions += 1 + secondary->executions;
    if (commands->executions > kMostExecutions)
      return "executes secondaries more than " + std::to_string(kMostExecutions) + " times, with those within them";
    // What was bound is undefined behind secondaries; a draw with nothing ends drivers.
    commands->graphics = commands->compute = false;
    commands->bound_graphics = commands->bound_compute = commands->bound_rays = ObjectId::null;
    commands->bound_shaders.clear();
    commands->bound_sets.clear();
    commands->descriptor_buffers = 0;
    commands->index_bytes = 0;
  }
  return {};
}

void mark_uses(Validity& v, ObjectId id, bool again, Place place, int depth) {
  CommandBuffer* commands = v.command_buffers.find(id);
  if (commands == nullptr || depth > kDeepest) return;
  const bool runs = v.work.uses(id);
  if (depth == 0 || runs) give_again(v, *commands, runs || again);
  v.work.use(id, place);
  for (const ObjectId use : commands->uses) v.work.use(use, place);
  std::size_t event = 0, query = 0;
  const auto follow_to = [&](std::size_t events, std::size_t queries) {
    for (; event < events; ++event) follow_event(v, commands->events[event], place);
    for (; query < queries; ++query) follow_queries(v, commands->query_changes[query], place);
  };
  for (const CommandBuffer::Executed& executed : commands->executes) {
    follow_to(executed.events, executed.queries);
    mark_uses(v, executed.commands, again || runs, place, depth + 1);
  }
  follow_to(commands->events.size(), commands->query_changes.size());
}

Wrong check_uses(Validity& v, ObjectId id, int depth) {
  const CommandBuffer* commands = v.command_buffers.find(id);
  if (commands == nullptr || depth > kDeepest) return {};
  for (const ObjectId use : commands->uses)
    if (!v.alive(use)) {
      return v.name(id) + " uses " + v.name(use) + ", which is destroyed";
    } else if (const Buffer* buffer = v.buffers.find(use); buffer != nullptr && v.was_freed(buffer->memory)) {
      return v.name(id) + " uses " + v.name(use) + ", whose memory was freed";
    } else if (const Image* image = v.images.find(use); image != nullptr && v.was_freed(image->memory)) {
      return v.name(id) + " uses " + v.name(use) + ", whose memory was freed";
    }
  if (Wrong w = check_reach(v, *commands); !w.empty()) return v.name(id) + ": " + w;
  for (const CommandBuffer::Executed& executed : commands->executes) {
    const CommandBuffer* secondary = v.command_buffers.find(executed.commands);
    if (!v.alive(executed.commands) || secondary == nullptr || secondary->recording != executed.recording)
      return v.name(id) + " executes " + v.name(executed.commands) + ", which was recorded again or freed since";
    if (Wrong w = check_uses(v, executed.commands, depth + 1); !w.empty()) return w;
  }
  return {};
}

// As the device comes to them: a driver follows what it finds there.
Wrong follow_generated(Validity& v, const CommandBuffer& commands) {
  for (const CommandBuffer::Generated& one : commands.generated) {
    if (!one.executes) v.preprocessed.insert(one.what);
    if (v.preprocessed.count(one.what) == 0) return "executes what nothing preprocessed";
  }
  return {};
}

}  // namespace

// Commands of its own beside secondaries.
bool may_mix(const Validity& v, const Call& c) { return v.allows(c.dispatch(), Relaxation::nested_or_maintenance7); }
bool takes_secondaries(const Validity& v, const Call& c, VkSubpassContents contents) {
  if (contents == VK_SUBPASS_CONTENTS_INLINE) return false;
  return contents == VK_SUBPASS_CONTENTS_SECONDARY_COMMAND_BUFFERS || may_mix(v, c);
}

Wrong check_execution(Validity& v, ObjectId id, bool secondary) {
  const CommandBuffer* commands = v.command_buffers.find(id);
  if (commands == nullptr) return {};
  if (commands->secondary != secondary)
    return v.name(id) + (secondary ? " is not a secondary command buffer" : " is a secondary command buffer");
  if (commands->state != State::executable) return v.name(id) + " is not recorded";
  return check_uses(v, id, 0);
}

Wrong submit_commands(Validity& v, ObjectId id, Place place) {
  if (Wrong w = check_execution(v, id, false); !w.empty()) return w;
  const CommandBuffer* commands = v.command_buffers.find(id);
  const std::uint32_t* family = v.queues.find(place.queue);
  if (commands != nullptr && family != nullptr && commands->family != *family)
    return v.name(id) + " is of another queue family than " + v.name(place.queue);
  if (commands != nullptr)
    if (Wrong w = follow_generated(v, *commands); !w.empty()) return v.name(id) + ' ' + w;
  mark_uses(v, id, false, place, 0);
  return {};
}

Wrong record_command(Validity& v, const Call& c) {
  CommandBuffer* commands = v.command_buffers.find(c.dispatch());
  if (commands == nullptr) return {};
  if (commands->state != State::recording) return v.name(c.dispatch()) + " is not being recorded";
  if (Wrong w = check_place(*commands, c.command.canonical); !w.empty()) return w;
  const ByObject<Object>& objects = v.plan().objects.objects();
  const std::size_t first = c.lowered.handles.empty() ? 0 : 1;
  for (std::size_t i = first; i < c.resolution.ids.size(); ++i) {
    const ObjectId id = c.resolution.ids[i];
    if (id == ObjectId::null || may_go(objects[id].type)) continue;
    if (!recently(commands->uses, id)) commands->uses.push_back(id);
    if (const ImageView* view = v.image_views.find(id); view != nullptr && view->image != ObjectId::null)
      commands->uses.push_back(view->image);
  }
  return {};
}

namespace {

void note_queue(Validity& v, const Call& c, std::uint32_t family) {
  if (const ObjectId id = c.created(); id != ObjectId::null) v.queues.make(id) = family;
}
Wrong get_queue(Validity& v, const Call& c) {
  note_queue(v, c, c.as<args_vkGetDeviceQueue>().queueFamilyIndex);
  return {};
}
Wrong get_queue_2(Validity& v, const Call& c) {
  note_queue(v, c, c.as<args_vkGetDeviceQueue2>().pQueueInfo->queueFamilyIndex);
  return {};
}

}  // namespace

void add_command_buffer_checks(std::vector<Handler>& table) {
  const auto add = [&](CommandId id, Handler handler) { table[static_cast<std::size_t>(id)] = handler; };
  add(CommandId::vkGetDeviceQueue, get_queue);
  add(CommandId::vkGetDeviceQueue2, get_queue_2);
  add(CommandId::vkCreateCommandPool, create_pool);
  add(CommandId::vkAllocateCommandBuffers, allocate);
  add(CommandId::vkFreeCommandBuffers, free_buffers);
  add(CommandId::vkResetCommandPool, reset_pool);
  add(CommandId::vkResetCommandBuffer, reset_buffer);
  add(CommandId::vkBeginCommandBuffer, begin);
  add(CommandId::vkEndCommandBuffer, end);
  add(CommandId::vkCmdExecuteCommands, execute);
  add(CommandId::vkQueueSubmit, follow_submit);
  add(CommandId::vkQueueSubmit2, follow_submit);
}

}  // namespace rondo::player::validity
