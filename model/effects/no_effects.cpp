// SPDX-License-Identifier: Apache-2.0
// Commands in command buffers that have no effect in the model's sense.
#include <algorithm>
#include <iterator>
#include <set>
#include <span>

#include "model/effects/all.h"

namespace rondo::model {

namespace {

// Whether parameters name an object or an address, as far as the structures say that they hold.
bool names_something(StructId id, bool is_args, std::set<StructId>& seen) {
  if (!seen.insert(id).second) return false;
  std::span<const codec::Field> fields = codec::info(id).fields;
  if (is_args) fields = fields.subspan(1);  // the command buffer
  return std::any_of(fields.begin(), fields.end(), [&](const codec::Field& field) {
    if (field.element == codec::Element::handle || field.element == codec::Element::untyped_handle) return true;
    if (field.semantic == codec::Semantic::device_address) return true;
    const bool is_structure = field.element == codec::Element::structure || field.element == codec::Element::union_type;
    return is_structure && names_something(static_cast<StructId>(field.type), false, seen);
  });
}

// Commands of state that name objects, and do nothing to them.
constexpr struct {
  CommandId command;
  const char* why;
} kNoEffect[] = {
    {CommandId::vkCmdPushConstants, "the layout says which shaders see them"},
    {CommandId::vkCmdBindDescriptorBufferEmbeddedSamplersEXT, "samplers are no memory"},
#ifdef VK_KHR_maintenance6
    {CommandId::vkCmdPushConstants2, "the layout says which shaders see them"},
    {CommandId::vkCmdBindDescriptorBufferEmbeddedSamplers2EXT, "samplers are no memory"},
#endif
};

}  // namespace

const char* Effects::no_effect_because(const codec::CommandInfo& command) {
  if ((command.recording.tasks & (codec::kAction | codec::kIndirection)) != 0) return nullptr;
  for (const auto& one : kNoEffect)
    if (one.command == command.canonical) return one.why;
  std::set<StructId> seen;
  return names_something(command.args, true, seen) ? nullptr : "it sets state, and names no object";
}

}  // namespace rondo::model
