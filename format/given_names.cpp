// SPDX-License-Identifier: Apache-2.0
#include "format/given_names.h"

#include "generated/args.h"

namespace rondo {

void take_name(GivenNames& names, const codec::CommandInfo& command, const NativeView& view) {
  const auto take = [&](ObjectId id, const char* name) {
    if (id == ObjectId::null || name == nullptr) return;
    if (*name != '\0')
      names[id] = name;
    else
      names.erase(id);
  };
  if (command.canonical == CommandId::vkSetDebugUtilsObjectNameEXT) {
    if (const auto* info = view.as<args_vkSetDebugUtilsObjectNameEXT>().pNameInfo; info != nullptr)
      take(view.id(&info->objectHandle), info->pObjectName);
  } else if (command.canonical == CommandId::vkDebugMarkerSetObjectNameEXT) {
    if (const auto* info = view.as<args_vkDebugMarkerSetObjectNameEXT>().pNameInfo; info != nullptr)
      take(view.id(&info->object), info->pObjectName);
  }
}

std::string full_name(const GivenNames& names, const ObjectTable& objects, ObjectId id) {
  const auto given = names.find(id);
  return given == names.end() ? objects.name(id) : objects.name(id) + " \"" + given->second + "\"";
}

}  // namespace rondo
