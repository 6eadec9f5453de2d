// SPDX-License-Identifier: Apache-2.0
#include <cstring>
#include <memory>
#include <string_view>

#include "format/codec/schema.h"
#include "player/devices/preflight.h"

namespace rondo::player {

namespace {

// The bits of a features structure, also those in structures inside it.
template <class Visit>
void visit_bits(const codec::StructInfo& structure, std::size_t base, const Visit& visit) {
  for (const codec::Field& field : structure.fields) {
    if (field.shape == codec::Shape::stype || field.shape == codec::Shape::pnext) continue;
    if (field.element == codec::Element::structure && field.shape == codec::Shape::value)
      visit_bits(codec::info(static_cast<StructId>(field.type)), base + field.offset, visit);
    else if (field.element == codec::Element::bool32 && field.shape == codec::Shape::value)
      visit(field.name, base + field.offset);
  }
}

bool bit_at(const std::byte* structure, std::size_t offset) {
  VkBool32 value;
  std::memcpy(&value, structure + offset, sizeof value);
  return value != VK_FALSE;
}

}  // namespace

void check_features(const CapturedDevice& captured, const LiveDevices& devices, const LiveDevice& target,
                    std::vector<std::string>& shortfalls) {
  if (captured.features.empty()) return;
  // One chain of the same structures, headed by VkPhysicalDeviceFeatures2.
  struct Answer {
    const codec::StructInfo* structure;
    const FeatureUse* use;
    std::vector<std::byte> bytes;
  };
  VkPhysicalDeviceFeatures2 head{};
  head.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_FEATURES_2;
  std::vector<std::unique_ptr<Answer>> answers;
  for (const FeatureUse& use : captured.features) {
    if (use.structure == StructId::VkPhysicalDeviceFeatures2) continue;
    const codec::StructInfo& structure = codec::info(use.structure);
    auto answer = std::make_unique<Answer>(Answer{&structure, &use, std::vector<std::byte>(structure.size)});
    auto* out = reinterpret_cast<VkBaseOutStructure*>(answer->bytes.data());
    out->sType = static_cast<VkStructureType>(structure.stype);
    out->pNext = static_cast<VkBaseOutStructure*>(head.pNext);
    head.pNext = out;
    answers.push_back(std::move(answer));
  }
  auto get2 = reinterpret_cast<PFN_vkGetPhysicalDeviceFeatures2>(devices.get("vkGetPhysicalDeviceFeatures2"));
  auto get = reinterpret_cast<PFN_vkGetPhysicalDeviceFeatures>(devices.get("vkGetPhysicalDeviceFeatures"));
  if (target.properties.apiVersion >= VK_API_VERSION_1_1 && get2 != nullptr)
    get2(target.handle, &head);
  else
    get(target.handle, &head.features);

  const auto compare = [&](const codec::StructInfo& structure, const std::byte* wanted, const std::byte* has) {
    visit_bits(structure, 0, [&](const char* name, std::size_t offset) {
      const bool unused = structure.id == StructId::VkPhysicalDeviceFeatures2 && !captured.has_sparse &&
                          std::string_view(name).starts_with("sparse");
      if (bit_at(wanted, offset) && !bit_at(has, offset) && !unused)
        shortfalls.push_back(std::string("feature ") + structure.name + "::" + name);
    });
  };
  for (const FeatureUse& use : captured.features)
    if (use.structure == StructId::VkPhysicalDeviceFeatures2)
      compare(codec::info(use.structure), use.bytes.data(), reinterpret_cast<const std::byte*>(&head));
  for (const auto& answer : answers) compare(*answer->structure, answer->use->bytes.data(), answer->bytes.data());
}

}  // namespace rondo::player
