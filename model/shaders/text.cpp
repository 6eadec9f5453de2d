// SPDX-License-Identifier: Apache-2.0
// Reflections as text: what a mismatch prints of each side, and what lists of shaders say.
#include "model/shaders/compare.h"
#include "model/shaders/names.h"
#include "model/shaders/reflect.h"

namespace rondo::shaders {

std::string text_of(const std::vector<Member>& members) {
  std::string text = "{";
  for (const Member& member : members)
    text += (text.size() == 1 ? "" : ", ") + std::to_string(member.offset) + ": " + member.type;
  return text + "}";
}

std::string text_of(const Binding& binding) {
  std::string text = binding.kind + binding.array;
  if (binding.read_only) text += ", read only";
  if (!binding.type.empty()) text += " " + binding.type;
  if (!binding.members.empty()) text += " " + text_of(binding.members);
  return text;
}

std::string text_of(const PushConstants& push) {
  return "bytes " + std::to_string(push.begin) + " to " + std::to_string(push.end) + " " + text_of(push.members);
}

std::string text_of(const Location& location) {
  std::string text = location.kind + " " + std::to_string(location.location);
  if (location.component != 0) text += " component " + std::to_string(location.component);
  if (location.index != 0) text += " index " + std::to_string(location.index);
  return text + " " + location.type;
}

std::string text_of(const SpecConstant& constant) {
  return std::to_string(constant.id) + " " + constant.type + " " + constant.default_value;
}

std::string text_of(const EntryPoint& entry) {
  std::string text = entry.name + " (" + model_name(entry.model) + ")";
  if (!entry.local_size.empty()) text += ", local size " + entry.local_size;
  for (const std::string& mode : entry.modes) text += ", " + mode;
  for (const Binding& binding : entry.bindings)
    text += "; set " + std::to_string(binding.set) + " binding " + std::to_string(binding.binding) + " " +
            text_of(binding) + (binding.used ? "" : " (unused)");
  if (entry.push_constants)
    text += "; push constants " + text_of(*entry.push_constants) + (entry.push_constants->used ? "" : " (unused)");
  for (const Location& location : entry.locations)
    text += "; " + text_of(location) + (location.used ? "" : " (unused)");
  return text;
}

std::string version_text(std::uint32_t version) {
  return "SPIR-V " + std::to_string(version >> 16 & 0xff) + "." + std::to_string(version >> 8 & 0xff);
}

std::string entry_points_text(const Reflection& reflection) {
  std::string text;
  for (const EntryPoint& entry : reflection.entry_points)
    text += (text.empty() ? "" : ", ") + entry.name + " (" + model_name(entry.model) + ")";
  return text;
}

}  // namespace rondo::shaders
