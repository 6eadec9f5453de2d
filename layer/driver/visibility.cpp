// SPDX-License-Identifier: Apache-2.0
#include "layer/driver/visibility.h"

#include <algorithm>
#include <atomic>
#include <cctype>
#include <cstring>
#include <string>
#include <unordered_map>

#include "format/codec/extensions.h"
#include "format/versions.h"
#include "layer/driver/hidden.h"
#include "layer/recorder/recorder.h"

namespace rondo::layer {

namespace {

// "KHR" + "raytracingpipeline": of VK_KHR_ray_tracing_pipeline and of
// VkPhysicalDeviceRayTracingPipelineFeaturesKHR, so that the features of a
// hidden extension are found by their names.
std::string extension_key(std::string_view name) {
  name.remove_prefix(std::min<std::size_t>(3, name.size()));
  const std::size_t end = std::min(name.find('_'), name.size());
  std::string key(name.substr(0, end));
  for (char c : name.substr(end))
    if (c != '_') key += static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  return key;
}

std::string features_key(std::string_view name) {
  static constexpr std::string_view prefix = "VkPhysicalDevice", word = "Features";
  const std::size_t at = name.rfind(word);
  if (!name.starts_with(prefix) || at == std::string_view::npos) return {};
  std::string_view vendor = name.substr(at + word.size());  // "2KHR": a second version
  std::string_view stem = name.substr(prefix.size(), at - prefix.size());
  std::string version;
  while (!vendor.empty() && std::isdigit(static_cast<unsigned char>(vendor[0])) != 0) {
    version += vendor[0];
    vendor.remove_prefix(1);
  }
  std::string key(vendor);
  for (char c : stem) key += static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  return key + version;
}

// Of hidden extensions, by extension_key.
const codec::ExtensionInfo* hidden_by_key(const std::string& key) {
  static const auto* const by_key = [] {
    auto* built = new std::unordered_map<std::string, const codec::ExtensionInfo*>;
    for (const codec::ExtensionInfo& extension : codec::extensions())
      if (!extension.supported) built->emplace(extension_key(extension.name), &extension);
    return built;
  }();
  const auto found = by_key->find(key);
  return found == by_key->end() ? nullptr : found->second;
}

// The hidden extension that brings it, or null.
const codec::ExtensionInfo* hidden_structure(const codec::StructInfo& structure) {
  return hidden_by_key(features_key(structure.name));
}

bool is_set(const void* structure, const codec::HiddenFeature& feature) {
  VkBool32 bit = VK_FALSE;
  std::memcpy(&bit, static_cast<const std::byte*>(structure) + feature.offset, sizeof bit);
  return bit != VK_FALSE;
}

// Clears a hidden bit. If the structure belongs to a hidden extension, the program asked for that extension. Core
// structures are in many programs' chains, so their bits do not count as asked for.
void clear(void* structure, const codec::HiddenFeature& feature) {
  if (!is_set(structure, feature)) return;
  hidden(feature.member, feature.reason);
  if (const codec::ExtensionInfo* extension = hidden_structure(codec::info(feature.structure)); extension != nullptr)
    ask(extension->name, extension->reason, "it asked whether the device has its features");
  const VkBool32 bit = VK_FALSE;
  std::memcpy(static_cast<std::byte*>(structure) + feature.offset, &bit, sizeof bit);
}

// Calls visit(structure, feature) for every hidden feature of the features
// structures in a chain.
template <class Base, class Visit>
void hidden_in_chain(Base* chain, Visit&& visit) {
  for (Base* s = chain; s != nullptr; s = s->pNext) {
    const StructId id = codec::structure_by_stype(static_cast<std::uint32_t>(s->sType));
    if (id == StructId::none) continue;
    const codec::StructInfo& structure = codec::info(id);
    if (!structure.features) continue;
    if (const codec::ExtensionInfo* extension = hidden_structure(structure); extension != nullptr)
      for (const codec::Field& field : structure.fields)
        if (field.element == codec::Element::bool32)
          visit(s, codec::HiddenFeature{id, field.offset, field.name, extension->reason});
    for (const codec::HiddenFeature& feature : codec::hidden_features())
      if (feature.structure == id) visit(s, feature);
  }
}

}  // namespace

bool hiding() { return wanted(); }

namespace {

constexpr char kNewer[] = "newer than what this build of Rondo records";

bool is_visible(std::uint32_t version) { return !hiding() || is_recorded_version(version); }

std::string release_text(std::uint32_t version) {
  return "Vulkan " + std::to_string(VK_API_VERSION_MAJOR(version)) + "." +
         std::to_string(VK_API_VERSION_MINOR(version));
}

std::atomic<std::uint32_t> g_asked_version{0};  // the newest that an instance of the program was made for

}  // namespace

std::uint32_t visible_version(std::uint32_t version) {
  if (is_visible(version)) return version;
  hidden(release_text(version), kNewer);
  return kNewestVersion;
}

std::uint32_t visible_device_version(std::uint32_t version) {
  if (is_visible(version)) return version;
  const std::string name = release_text(version);
  if (!is_recorded_version(g_asked_version.load()))
    ask(name, kNewer, "its VkApplicationInfo asks for it");
  else
    hide(name, kNewer);
  write_hidden();
  return kNewestVersion;
}

void ask_for_version(std::uint32_t version) {
  std::uint32_t before = g_asked_version.load();
  while (before < version && !g_asked_version.compare_exchange_weak(before, version)) {
  }
}

const char* hidden_reason(std::string_view extension) {
  const codec::ExtensionInfo* const known = codec::extension_by_name(extension);
  if (known == nullptr) return kUnknownToBuild;
  return known->supported ? nullptr : known->reason;
}

const char* hidden_extension(std::span<const char* const> enabled) {
  const auto found =
      std::find_if(enabled.begin(), enabled.end(), [](const char* name) { return hidden_reason(name) != nullptr; });
  return found == enabled.end() ? nullptr : *found;
}

std::string enabled_though_hidden(const char* extension) {
  const char* reason = hidden_reason(extension);
  ask(extension, reason, "it enabled it");
  return "the program enabled " + std::string(extension) + ", which was hidden from it: " + reason;
}

std::string enabled_though_hidden(const codec::HiddenFeature& feature) {
  ask(feature.member, feature.reason, "it enabled it");
  return "the program enabled the feature " + std::string(feature.member) + ", which was hidden from it";
}

void hide_extensions(std::vector<VkExtensionProperties>& properties) {
  if (!hiding()) return;
  std::erase_if(properties, [](const VkExtensionProperties& p) {
    const char* reason = hidden_reason(p.extensionName);
    if (reason != nullptr) hide(p.extensionName, reason);
    return reason != nullptr;
  });
  write_hidden();
}

void hide_features(void* chain) {
  if (!hiding()) return;
  hidden_in_chain(static_cast<VkBaseOutStructure*>(chain),
                  [](void* structure, const codec::HiddenFeature& feature) { clear(structure, feature); });
  write_hidden();
}

const VkBaseInStructure* unknown_structure(const void* chain) {
  const auto* s = static_cast<const VkBaseInStructure*>(chain);
  while (s != nullptr && codec::structure_by_stype(static_cast<std::uint32_t>(s->sType)) != StructId::none)
    s = s->pNext;
  return s;
}

void ask_for_unknown(const VkBaseInStructure& structure, std::span<const VkExtensionProperties> of_device) {
  const bool newer = std::any_of(of_device.begin(), of_device.end(), [](const VkExtensionProperties& p) {
    return codec::extension_by_name(p.extensionName) == nullptr;
  });
  if (!hiding() || !newer) return;
  ask("structure type " + std::to_string(static_cast<std::uint32_t>(structure.sType)), kUnknownToBuild,
      "it asked whether the device has these features");
  write_hidden();
}

std::optional<codec::HiddenFeature> hidden_feature(const void* chain) {
  std::optional<codec::HiddenFeature> found;
  hidden_in_chain(static_cast<const VkBaseInStructure*>(chain),
                  [&](const void* structure, const codec::HiddenFeature& feature) {
                    if (is_set(structure, feature)) found = feature;
                  });
  return found;
}

void hide_queue_flags(VkQueueFamilyProperties& family) {
  if (!hiding()) return;
  family.queueFlags &= ~VkFlags{VK_QUEUE_PROTECTED_BIT};
}

void hide_handle_types(VkExternalSemaphoreHandleTypeFlagBits asked, VkExternalSemaphoreProperties& properties) {
  constexpr VkFlags kSync = VK_EXTERNAL_SEMAPHORE_HANDLE_TYPE_SYNC_FD_BIT;
  if (!hiding()) return;
  if (asked != VK_EXTERNAL_SEMAPHORE_HANDLE_TYPE_SYNC_FD_BIT) {
    if (properties.externalSemaphoreFeatures != 0)
      hidden("semaphores by handles that are no sync fds", "others may signal them, which a capture cannot know");
    properties.externalSemaphoreFeatures = 0;
    properties.exportFromImportedHandleTypes = properties.compatibleHandleTypes = 0;
  }
  properties.exportFromImportedHandleTypes &= kSync;
  properties.compatibleHandleTypes &= kSync;
}

void hide_handle_types(VkExternalFenceHandleTypeFlagBits asked, VkExternalFenceProperties& properties) {
  constexpr VkFlags kSync = VK_EXTERNAL_FENCE_HANDLE_TYPE_SYNC_FD_BIT;
  if (!hiding()) return;
  if (asked != VK_EXTERNAL_FENCE_HANDLE_TYPE_SYNC_FD_BIT) {
    if (properties.externalFenceFeatures != 0)
      hidden("fences by handles that are no sync fds", "others may signal them, which a capture cannot know");
    properties.externalFenceFeatures = 0;
    properties.exportFromImportedHandleTypes = properties.compatibleHandleTypes = 0;
  }
  properties.exportFromImportedHandleTypes &= kSync;
  properties.compatibleHandleTypes &= kSync;
}

}  // namespace rondo::layer
