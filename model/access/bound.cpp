// SPDX-License-Identifier: Apache-2.0
// What draws and dispatches find bound, and what their shaders touch of it.
#include <algorithm>
#include <set>

#include "format/codec/template_data.h"
#include "model/access/tracker.h"

namespace rondo::access {

namespace {

void add_range(const Tracker& t, Bound& bound, const model::BufferRange& range, VkPipelineStageFlags2 stages,
               VkAccessFlags2 access, bool is_open = false) {
  Touch touch;
  touch.is_open = is_open;
  touch.object = range.buffer;
  touch.offset = range.offset;
  touch.size = t.effects.views.bytes_of(range.buffer, range.offset, range.size);
  touch.stages = stages;
  touch.access = access;
  if (touch.object != ObjectId::null && touch.size != 0) bound.touches.push_back(touch);
}

// What a draw touches besides what its shaders use. How many vertices and instances there are indices and the
// device may say: of each buffer all that is bound.
void add_graphics(const Tracker& t, const model::Recording& from, const Pipeline* pipeline, Bound& bound) {
  const std::uint32_t used = pipeline != nullptr ? pipeline->vertex_bindings : ~0u;
  for (const auto& [binding, range] : from.bindings.vertices)
    if (binding >= 32 || (used >> binding & 1) != 0)
      add_range(t, bound, range, VK_PIPELINE_STAGE_2_VERTEX_ATTRIBUTE_INPUT_BIT, VK_ACCESS_2_VERTEX_ATTRIBUTE_READ_BIT,
                true);
  if (from.bindings.feeding_back)
    for (const auto& [binding, range] : from.bindings.feedback)
      add_range(t, bound, range, VK_PIPELINE_STAGE_2_TRANSFORM_FEEDBACK_BIT_EXT,
                VK_ACCESS_2_TRANSFORM_FEEDBACK_WRITE_BIT_EXT);
  if (pipeline != nullptr) {
    bound.color = pipeline->color;
    bound.depth = pipeline->depth;
  }
  for (Touch touch : from.attachments)
    if (bound.limit_attachment(touch)) bound.touches.push_back(touch);
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
  const model::Effects& world = t.effects;

  void touch(const model::Descriptor& d, std::uint64_t dynamic, VkPipelineStageFlags2 stage, bool reads, bool writes) {
    const VkAccessFlags2 access = access_of(d.type, reads, writes);
    if (access == 0 || d.object == ObjectId::null) return;
    Touch one;
    one.stages = stage;
    one.access = access;
    switch (codec::template_item(d.type)) {
      case codec::TemplateItem::buffer:
        one.object = d.object;
        one.offset = d.offset + dynamic;
        one.size = world.views.bytes_of(d.object, one.offset, d.range);
        break;
      case codec::TemplateItem::texel_view:
        if (const model::BufferView* view = world.buffer_views.find(d.object))
          one.object = view->buffer, one.offset = view->offset, one.size = view->size;
        break;
      case codec::TemplateItem::image:
        if (const model::ImageView* view = world.views.views.find(d.object))
          one.object = view->image, one.part = view->part;
        break;
      case codec::TemplateItem::acceleration_structure:
        one.object = d.object;
        out.push_back(one);
        if (const auto* structure = world.views.structures.find(d.object))
          one.object = structure->buffer, one.offset = structure->offset, one.size = structure->size;
        break;
      default:
        return;
    }
    const bool empty = world.views.buffers.find(one.object) != nullptr && one.size == 0;
    if (one.object != ObjectId::null && !empty) out.push_back(one);
  }

  // All elements of a binding: which of them a shader takes, nobody says.
  void binding(const model::PlacedSet& placed, std::uint32_t number, const ShaderUse& shader, bool reads, bool writes) {
    if (placed.in_memory) return reach.add(kDescriptors, true, writes, shader.stage);
    const model::DescriptorSet* set = world.sets.find(placed.set);
    if (set != nullptr && set->has_many(number)) reach.add(kBindless, reads, writes, shader.stage);
    const model::Descriptors* all = set != nullptr ? &set->written : placed.pushed.get();
    if (all == nullptr) return;
    std::size_t offset = set != nullptr ? first_offset(*set->layout, number) : 0;
    for (auto at = all->lower_bound({number, 0}); at != all->end() && at->first.first == number; ++at) {
      t.executed += 1;
      const std::size_t place = offset + at->first.second;
      touch(at->second, model::is_dynamic(at->second.type) && place < placed.offsets.size() ? placed.offsets[place] : 0,
            shader.stage, reads, writes);
    }
  }

  static std::size_t first_offset(const model::SetLayout& layout, std::uint32_t number) {
    std::size_t count = 0;
    for (auto at = layout.bindings.begin(); at != layout.bindings.end() && at->first < number; ++at)
      if (model::is_dynamic(at->second.type)) count += at->second.count;
    return count;
  }

  // What is not in the capture may use all that is bound.
  void unknown(const Bound& bound, const ShaderUse& shader) {
    reach.add(kShaders, true, true, shader.stage);
    for (const auto& [number, placed] : bound.sets) {
      const model::DescriptorSet* set = world.sets.find(placed.set);
      const model::Descriptors* all = set != nullptr ? &set->written : placed.pushed.get();
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

void Tracker::resolve(const Bound& bound, std::vector<Touch>& out, Reach& reach) {
  Resolver{*this, out, reach}.run(bound);
}

bool Bound::limit_attachment(Touch& touch) const {
  constexpr VkAccessFlags2 kColor = VK_ACCESS_2_COLOR_ATTACHMENT_READ_BIT | VK_ACCESS_2_COLOR_ATTACHMENT_WRITE_BIT;
  constexpr VkAccessFlags2 kDepth =
      VK_ACCESS_2_DEPTH_STENCIL_ATTACHMENT_READ_BIT | VK_ACCESS_2_DEPTH_STENCIL_ATTACHMENT_WRITE_BIT;
  if (color.is_known) touch.access &= color.access | ~kColor;
  if (depth.is_known) touch.access &= depth.access | ~kDepth;
  return touch.access != 0;
}

std::shared_ptr<const Bound> Tracker::bound_at(const model::Recording& from, VkPipelineBindPoint at) {
  const model::Bindings& bindings = from.bindings;
  const model::Bindings::Point& point = bindings.at(at);
  Commands::Found& found = recording().found[model::index_of(at)];
  RONDO_CHECK(found.version <= point.version);
  if (found.bound != nullptr && found.version == point.version) return found.bound;
  auto bound = std::make_shared<Bound>();
  const Pipeline* pipeline = pipelines.find(point.pipeline);
  const std::size_t used = pipeline != nullptr ? pipeline->shaders.size() : bindings.shaders.size();
  const std::size_t size = used + point.sets.size() + bindings.vertices.size() + bindings.feedback.size() +
                           from.attachments.size() + bindings.descriptor_buffers.size() + 1;
  if (!remember(size)) return bound;
  recording().bound += size;
  if (pipeline != nullptr) {
    bound->shaders = pipeline->shaders;
  } else if (point.pipeline != ObjectId::null) {
    bound->shaders.push_back({VK_PIPELINE_STAGE_2_ALL_COMMANDS_BIT, nullptr});  // nobody saw it made
  } else {
    for (const auto& [stage, id] : bindings.shaders)
      if (const ShaderUse* use = shaders.find(id);
          use != nullptr && (stage == VK_SHADER_STAGE_COMPUTE_BIT) == (at == VK_PIPELINE_BIND_POINT_COMPUTE))
        bound->shaders.push_back(*use);
  }
  bound->sets = point.sets;
  if (at == VK_PIPELINE_BIND_POINT_GRAPHICS) add_graphics(*this, from, pipeline, *bound);
  if (from.conditional)
    add_range(*this, *bound, from.condition, VK_PIPELINE_STAGE_2_CONDITIONAL_RENDERING_BIT_EXT,
              VK_ACCESS_2_CONDITIONAL_RENDERING_READ_BIT_EXT);
  // Descriptors in memory are read there.
  if (std::any_of(bound->sets.begin(), bound->sets.end(), [](const auto& set) { return set.second.in_memory; }))
    for (const std::uint64_t address : bindings.descriptor_buffers) {
      model::BufferRange range;
      if (effects.at_address(address, 0, range))
        add_range(*this, *bound, range, VK_PIPELINE_STAGE_2_ALL_COMMANDS_BIT,
                  VK_ACCESS_2_DESCRIPTOR_BUFFER_READ_BIT_EXT);
    }
  found = {point.version, std::move(bound)};
  return found.bound;
}

}  // namespace rondo::access
