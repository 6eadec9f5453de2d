// SPDX-License-Identifier: Apache-2.0
// Which descriptors shaders declare, and whether what was written there is
// still alive when commands are given to a queue.
#include <span>

#include "model/shaders/static_use.h"
#include "player/legal/validity.h"

namespace rondo::player::validity {

namespace {

bool is_gone(Validity& v, ObjectId id, int depth = 0) {
  if (id == ObjectId::null) return false;
  if (!v.alive(id)) return true;
  if (depth > 2) return false;
  if (const Buffer* buffer = v.buffers.find(id)) return v.was_freed(buffer->memory);
  if (const BufferView* view = v.buffer_views.find(id)) return is_gone(v, view->buffer, depth + 1);
  if (const ImageView* view = v.image_views.find(id)) return is_gone(v, view->image, depth + 1);
  if (const Image* image = v.images.find(id)) return v.was_freed(image->memory);
  return false;
}

bool may_be_gone(const SetLayout& layout, std::uint32_t binding) {
  for (const std::uint32_t one : layout.partial)
    if (one == binding) return true;
  return false;
}

const ShaderUses* uses_of_bound(const Validity& v, ObjectId id) {
  if (const Pipeline* pipeline = v.pipelines.find(id)) return &pipeline->uses;
  const Shader* shader = v.shaders.find(id);
  return shader != nullptr ? &shader->uses : nullptr;
}

// One shader, or those of a pipeline.
void note_reach_of(Validity& v, CommandBuffer& commands, VkPipelineBindPoint point, ObjectId shaders) {
  const ShaderUses* uses = uses_of_bound(v, shaders);
  if (uses == nullptr || uses->empty()) return;
  CommandBuffer::Reach reach;
  reach.shaders = shaders;
  for (auto at = commands.bound_sets.lower_bound({point, 0});
       at != commands.bound_sets.end() && at->first.first == point; ++at)
    if (at->second != ObjectId::null) reach.sets.emplace_back(at->first.second, at->second);
  if (reach.sets.empty() || (!commands.reaches.empty() && commands.reaches.back() == reach)) return;
  commands.reaches.push_back(std::move(reach));
}

}  // namespace

ShaderUses uses_of(const std::uint32_t* code, std::size_t words) {
  ShaderUses uses;
  if (code == nullptr) return uses;
  for (const shaders::BindingUse& b : shaders::bindings_named(std::as_bytes(std::span(code, words))))
    uses.insert({b.set, b.binding});
  return uses;
}

void note_reach(Validity& v, CommandBuffer& commands, VkPipelineBindPoint point) {
  const ObjectId pipeline = point == VK_PIPELINE_BIND_POINT_COMPUTE    ? commands.bound_compute
                            : point == VK_PIPELINE_BIND_POINT_GRAPHICS ? commands.bound_graphics
                                                                       : commands.bound_rays;
  note_reach_of(v, commands, point, pipeline);
  for (const auto& [stage, shader] : commands.bound_shaders)
    if ((stage == VK_SHADER_STAGE_COMPUTE_BIT) == (point == VK_PIPELINE_BIND_POINT_COMPUTE))
      note_reach_of(v, commands, point, shader);
}

Wrong check_reach(Validity& v, const CommandBuffer& commands) {
  for (const CommandBuffer::Reach& reach : commands.reaches) {
    const ShaderUses* uses = uses_of_bound(v, reach.shaders);
    if (uses == nullptr) continue;
    for (const auto& [number, id] : reach.sets) {
      const Set* set = v.sets.find(id);
      if (set == nullptr || !set->stale) continue;
      for (auto use = uses->lower_bound({number, 0}); use != uses->end() && use->first == number; ++use) {
        if (may_be_gone(*set->layout, use->second)) continue;
        for (auto one = set->written.lower_bound({use->second, 0});
             one != set->written.end() && one->first.first == use->second; ++one)
          for (const ObjectId object : one->second.objects)
            if (is_gone(v, object))
              return "its shaders use " + v.name(object) + " through " + v.name(id) +
                     ", which is destroyed, or has lost its memory";
      }
    }
  }
  return {};
}

}  // namespace rondo::player::validity
