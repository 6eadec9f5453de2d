// SPDX-License-Identifier: Apache-2.0
#include "player/plan/enabled.h"

#include <algorithm>
#include <cstring>

#include "format/codec/schema.h"

namespace rondo::player {

bool enables(const CapturedDevice& device, const char* feature) {
  const auto any = [&](const auto& self, const codec::StructInfo& structure, const std::byte* at) -> bool {
    for (const codec::Field& field : structure.fields) {
      if (field.shape != codec::Shape::value) continue;
      if (field.element == codec::Element::structure) {
        if (self(self, codec::info(static_cast<StructId>(field.type)), at + field.offset)) return true;
      } else if (field.element == codec::Element::bool32 && std::strcmp(field.name, feature) == 0) {
        VkBool32 value;
        std::memcpy(&value, at + field.offset, sizeof value);
        if (value != VK_FALSE) return true;
      }
    }
    return false;
  };
  return std::any_of(device.features.begin(), device.features.end(),
                     [&](const FeatureUse& use) { return any(any, codec::info(use.structure), use.bytes.data()); });
}

bool has_extension(const CapturedDevice& device, const char* name) {
  return std::find(device.extensions.begin(), device.extensions.end(), name) != device.extensions.end();
}

Allowed allows(const Plan& plan, const CapturedDevice& device, std::span<const shaders::Requirement> enabled_by) {
  using Kind = shaders::Requirement::Kind;
  Allowed allowed = enabled_by.empty() ? Allowed::unknown : Allowed::no;
  for (const shaders::Requirement& one : enabled_by) {
    const bool met = (one.kind == Kind::version && usable_version(plan, device) >= one.version) ||
                     (one.kind == Kind::extension && has_extension(device, one.name)) ||
                     (one.kind == Kind::feature && enables(device, one.name));
    if (met) return Allowed::yes;
    if (one.kind == Kind::property) allowed = Allowed::unknown;
  }
  return allowed;
}

std::uint32_t usable_version(const Plan& plan, const CapturedDevice& device) {
  if (device.physical >= plan.physical_devices.size() || !plan.physical_devices[device.physical].has_properties)
    return device.api_version;
  return std::min(device.api_version, plan.physical_devices[device.physical].properties.apiVersion);
}

}  // namespace rondo::player
