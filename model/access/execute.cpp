// SPDX-License-Identifier: Apache-2.0
// Command buffers begun, executed in others and submitted: what is recorded becomes what is touched.
#include <algorithm>
#include <set>

#include "format/codec/template_data.h"
#include "generated/args.h"
#include "model/access/tracker.h"

namespace rondo::access {

namespace {

// A hostile file's secondaries in secondaries: not followed any further.
constexpr std::size_t kMostDepth = 64;

void clear(Tracker& t, CommandBuffer& commands) {
  t.recorded -= commands.size();
  const std::uint32_t recording = commands.recording + 1;
  commands = CommandBuffer{};
  commands.recording = recording;
}

void begin(Tracker& t, const Call& c) {
  const VkCommandBufferBeginInfo& info = *c.as<args_vkBeginCommandBuffer>().pBeginInfo;
  CommandBuffer& commands = t.recording(c);
  clear(t, commands);
  commands.inherits = (info.flags & VK_COMMAND_BUFFER_USAGE_RENDER_PASS_CONTINUE_BIT) != 0;
  commands.in_pass = commands.inherits;
  if (commands.inherits && info.pInheritanceInfo != nullptr) inherit_views(t, c, *info.pInheritanceInfo);
}

void reset(Tracker& t, const Call& c) { clear(t, t.recording(c)); }

void reset_pool(Tracker& t, const Call& c) {
  const ObjectId pool = c.id(&c.as<args_vkResetCommandPool>().commandPool);
  t.commands.each([&](ObjectId id, CommandBuffer& commands) {
    if (c.objects.objects()[id].parent == pool) clear(t, commands);
  });
}

// Bindings are undefined behind it.
void execute_secondaries(Tracker& t, const Call& c) {
  const auto& a = c.as<args_vkCmdExecuteCommands>();
  CommandBuffer& to = t.recording(c);
  auto drawn_to = std::make_shared<Bound>();
  if (!t.remember(c, to.attachments.size())) return;
  drawn_to->touches = to.attachments;
  for (const VkCommandBuffer& one : std::span(a.pCommandBuffers, a.commandBufferCount)) {
    if (++t.recorded > t.limits.recorded) {
      --t.recorded;
      t.too_many = true;
      return;
    }
    Item item;
    item.record = c.sequence;
    item.command = c.command.canonical;
    item.first = static_cast<std::uint32_t>(to.touches.size());
    item.secondary = c.id(&one);
    const CommandBuffer* inner = t.commands.find(item.secondary);
    item.recording = inner != nullptr ? inner->recording : 0;
    item.bound = drawn_to;
    to.items.push_back(std::move(item));
  }
  to.points = {};
  to.shaders.clear();
  to.vertices.clear();
  to.indices = {};
}

void submit(Tracker& t, const Call& c) {
  const auto& a = c.as<args_vkQueueSubmit2>();
  t.batch = 0;
  for (const VkSubmitInfo2& batch : std::span(a.pSubmits, a.submitCount)) {
    t.draws = 0;
    t.primary = 0;
    if (c.succeeded)  // else it has a number, and did nothing
      for (const VkCommandBufferSubmitInfo& one : std::span(batch.pCommandBufferInfos, batch.commandBufferInfoCount))
        t.execute(c, c.id(&one.commandBuffer), {}), ++t.primary;
    t.submits += 1;
    t.batch += 1;
  }
}

// How a descriptor of this type is used where a shader reads or writes it. 0: it is no memory, as of samplers.
VkAccessFlags2 access_of(VkDescriptorType type, bool reads, bool writes) {
  const auto either = [&](VkAccessFlags2 read, VkAccessFlags2 write) {
    return (reads ? read : 0) | (writes ? write : 0);
  };
  switch (type) {
    case VK_DESCRIPTOR_TYPE_SAMPLER:
    case VK_DESCRIPTOR_TYPE_INLINE_UNIFORM_BLOCK:
      return 0;
    case VK_DESCRIPTOR_TYPE_COMBINED_IMAGE_SAMPLER:
    case VK_DESCRIPTOR_TYPE_SAMPLED_IMAGE:
    case VK_DESCRIPTOR_TYPE_UNIFORM_TEXEL_BUFFER:
      return either(VK_ACCESS_2_SHADER_SAMPLED_READ_BIT, 0);
    case VK_DESCRIPTOR_TYPE_UNIFORM_BUFFER:
    case VK_DESCRIPTOR_TYPE_UNIFORM_BUFFER_DYNAMIC:
      return either(VK_ACCESS_2_UNIFORM_READ_BIT, 0);
    case VK_DESCRIPTOR_TYPE_INPUT_ATTACHMENT:
      return either(VK_ACCESS_2_INPUT_ATTACHMENT_READ_BIT, 0);
    case VK_DESCRIPTOR_TYPE_ACCELERATION_STRUCTURE_KHR:
      return either(VK_ACCESS_2_ACCELERATION_STRUCTURE_READ_BIT_KHR, 0);
    default:
      return either(VK_ACCESS_2_SHADER_STORAGE_READ_BIT, VK_ACCESS_2_SHADER_STORAGE_WRITE_BIT);
  }
}

struct Resolver {
  Tracker& t;
  std::vector<Touch>& out;
  Reach& reach;

  void touch(const Descriptor& d, std::uint64_t dynamic, VkPipelineStageFlags2 stage, bool reads, bool writes) {
    const VkAccessFlags2 access = access_of(d.type, reads, writes);
    if (access == 0 || d.object == ObjectId::null) return;
    Touch one;
    one.stages = stage;
    one.access = access;
    switch (codec::template_item(d.type)) {
      case codec::TemplateItem::buffer:
        one.object = d.object;
        one.offset = d.offset + dynamic;
        one.size = t.bytes_of(d.object, one.offset, d.range);
        break;
      case codec::TemplateItem::texel_view:
        if (const BufferView* view = t.buffer_views.find(d.object))
          one.object = view->buffer, one.offset = view->offset, one.size = view->size;
        break;
      case codec::TemplateItem::image:
        if (const ImageView* view = t.views.find(d.object)) one.object = view->image, one.part = view->part;
        break;
      case codec::TemplateItem::acceleration_structure:
        one.object = d.object;
        out.push_back(one);
        if (const Structure* structure = t.structures.find(d.object))
          one.object = structure->buffer, one.offset = structure->offset, one.size = structure->size;
        break;
      default:
        return;
    }
    const bool empty = t.buffers.find(one.object) != nullptr && one.size == 0;
    if (one.object != ObjectId::null && !empty) out.push_back(one);
  }

  // All elements of a binding: which of them a shader takes, nobody says.
  void binding(const Bound::PlacedSet& placed, std::uint32_t number, const ShaderUse& shader, bool reads, bool writes) {
    if (placed.in_memory) return reach.add(kDescriptors, true, writes, shader.stage);
    const Set* set = t.sets.find(placed.set);
    if (set != nullptr && set->has_many(number)) reach.add(kBindless, reads, writes, shader.stage);
    const Descriptors* all = set != nullptr ? &set->written : placed.pushed.get();
    if (all == nullptr) return;
    std::size_t offset = set != nullptr ? first_offset(*set->layout, number) : 0;
    for (auto at = all->lower_bound({number, 0}); at != all->end() && at->first.first == number; ++at) {
      const bool dynamic = at->second.type == VK_DESCRIPTOR_TYPE_UNIFORM_BUFFER_DYNAMIC ||
                           at->second.type == VK_DESCRIPTOR_TYPE_STORAGE_BUFFER_DYNAMIC;
      t.executed += 1;
      const std::size_t place = offset + at->first.second;
      touch(at->second, dynamic && place < placed.offsets.size() ? placed.offsets[place] : 0, shader.stage, reads,
            writes);
    }
  }

  static std::size_t first_offset(const SetLayout& layout, std::uint32_t number) {
    std::size_t count = 0;
    for (auto at = layout.bindings.begin(); at != layout.bindings.end() && at->first < number; ++at)
      if (at->second.type == VK_DESCRIPTOR_TYPE_UNIFORM_BUFFER_DYNAMIC ||
          at->second.type == VK_DESCRIPTOR_TYPE_STORAGE_BUFFER_DYNAMIC)
        count += at->second.count;
    return count;
  }

  // What is not in the capture may use all that is bound.
  void unknown(const Bound& bound, const ShaderUse& shader) {
    reach.add(kShaders, true, true, shader.stage);
    for (const auto& [number, placed] : bound.sets) {
      const Set* set = t.sets.find(placed.set);
      const Descriptors* all = set != nullptr ? &set->written : placed.pushed.get();
      std::set<std::uint32_t> numbers;
      if (all != nullptr)
        for (const auto& one : *all) numbers.insert(one.first.first);
      if (set != nullptr)
        for (const auto& one : set->layout->bindings)
          if (set->has_many(one.first)) numbers.insert(one.first);
      for (const std::uint32_t one : numbers) binding(placed, one, shader, true, true);
    }
  }

  void run(const Bound& bound) {
    out.insert(out.end(), bound.touches.begin(), bound.touches.end());
    for (const ShaderUse& shader : bound.shaders) {
      if (shader.use == nullptr) {
        unknown(bound, shader);
        continue;
      }
      const shaders::StaticUse& use = *shader.use;
      if (use.reads_addresses || use.writes_addresses)
        reach.add(kAddresses, use.reads_addresses, use.writes_addresses, shader.stage);
      if (use.traces) reach.add(kStructures, true, false, shader.stage);
      for (const shaders::BindingUse& b : use.bindings)
        if (const auto placed = bound.sets.find(b.set); placed != bound.sets.end() && (b.reads || b.writes))
          binding(placed->second, b.binding, shader, b.reads, b.writes);
    }
  }
};

}  // namespace

void Coverage::add(const Executed& executed) {
  if (executed.touches.empty() && executed.reach.unknown == 0) return;
  commands += 1;
  if (executed.reach.unknown == 0) known += 1;
  for (const std::uint8_t why : kUnknowns)
    if ((executed.reach.unknown & why) != 0) because[static_cast<Unknown>(why)] += 1;
}

void Tracker::emit_now(const Call& c, std::vector<Touch> all) {
  std::erase_if(all, [](const Touch& touch) { return touch.object == ObjectId::null; });
  Executed executed;
  executed.record = executed.at = c.sequence;
  executed.command = c.command.canonical;
  executed.touches = all;
  sink(executed);
}

void Tracker::execute(const Call& c, ObjectId id, std::span<const Touch> inherited) {
  const CommandBuffer* commands_of = commands.find(id);
  if (commands_of == nullptr || std::find(executing.begin(), executing.end(), id) != executing.end()) return;
  if (executing.size() >= kMostDepth) too_many = true;
  if (too_many) return;
  executing.push_back(id);
  execute_items(c, *commands_of, inherited);
  executing.pop_back();
}

void Tracker::execute_items(const Call& c, const CommandBuffer& from, std::span<const Touch> inherited) {
  const Bound* last = nullptr;  // draws in a row find the same
  std::vector<Touch> bound;
  Reach reach;
  for (const Item& item : from.items) {
    executed += 1;
    if (too_many || executed > limits.executed) {
      too_many = true;
      return;
    }
    if (item.secondary != ObjectId::null) {
      const CommandBuffer* inner = commands.find(item.secondary);
      if (inner != nullptr && inner->recording == item.recording)
        execute(c, item.secondary,
                item.bound->touches.empty() ? inherited : std::span<const Touch>(item.bound->touches));
      continue;
    }
    if (item.bound != nullptr && item.bound.get() != last) {
      bound.clear();
      reach = {};
      Resolver{*this, bound, reach}.run(*item.bound);
      last = item.bound.get();
    }
    if (item.recorded.mark == Mark::begins_label)
      labels.begin(c.dispatch(), LabelPaths::Of::commands, item.recorded.label);
    touches.assign(from.touches.begin() + item.first, from.touches.begin() + item.first + item.count);
    Executed one;
    one.record = item.record;
    one.at = c.sequence;
    one.submit = submits;
    if (is_draw(item.command)) one.draw = draws++;
    one.queue = c.dispatch();
    one.batch = batch;
    one.primary = primary;
    one.label_path = labels.path(one.queue);
    one.recorded = &item.recorded;
    one.command = item.command;
    one.reach = item.reach;
    if (item.bound != nullptr) {
      touches.insert(touches.end(), bound.begin(), bound.end());
      one.reach.add(reach);
    }
    if (item.draws) touches.insert(touches.end(), inherited.begin(), inherited.end());
    for (Touch touch : inherited) {
      touch.part.aspectMask &= item.clears;
      touch.access &= kWrites;
      if (touch.part.aspectMask != 0 && touch.access != 0) touches.push_back(touch);
    }
    executed += touches.size();
    one.touches = touches;
    sink(one);
    if (item.recorded.mark == Mark::ends_label) labels.end(one.queue, LabelPaths::Of::commands);
  }
}

void add_submits(Handlers& handlers) {
  const auto add = [&](CommandId id, Handler handler) { handlers[static_cast<std::size_t>(id)] = handler; };
  add(CommandId::vkBeginCommandBuffer, begin);
  add(CommandId::vkResetCommandBuffer, reset);
  add(CommandId::vkResetCommandPool, reset_pool);
  add(CommandId::vkCmdExecuteCommands, execute_secondaries);
  add(CommandId::vkQueueSubmit2, submit);
}

}  // namespace rondo::access
