// SPDX-License-Identifier: Apache-2.0
#include "layer/visibility.h"

#include <algorithm>
#include <cctype>
#include <cstring>
#include <mutex>
#include <string>
#include <unordered_map>
#include <unordered_set>

#include "format/codec/schema.h"
#include "layer/log.h"
#include "layer/recorder.h"

namespace rondo::layer {

namespace {

constexpr char kUnknown[] = "unknown to this build of Rondo";

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

struct Names {
  std::unordered_map<std::string_view, const char*> hidden;  // extension -> reason; "" if visible
  std::unordered_map<std::string, const char*> features;     // key of a hidden extension -> reason
};

const Names& names() {
  static const Names* const n = [] {
    auto* built = new Names;
    for (const codec::ExtensionInfo& extension : codec::extensions()) {
      built->hidden.emplace(extension.name, extension.supported ? "" : extension.reason);
      if (!extension.supported) built->features.emplace(extension_key(extension.name), extension.reason);
    }
    return built;
  }();
  return *n;
}

const char* hidden_structure(const codec::StructInfo& structure) {
  const auto found = names().features.find(features_key(structure.name));
  return found == names().features.end() ? nullptr : found->second;
}

bool is_set(const void* structure, const codec::HiddenFeature& feature) {
  VkBool32 bit = VK_FALSE;
  std::memcpy(&bit, static_cast<const std::byte*>(structure) + feature.offset, sizeof bit);
  return bit != VK_FALSE;
}

void clear(void* structure, const codec::HiddenFeature& feature) {
  if (!is_set(structure, feature)) return;
  hidden(feature.member, feature.reason);
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
    if (const char* reason = hidden_structure(structure); reason != nullptr)
      for (const codec::Field& field : structure.fields)
        if (field.element == codec::Element::bool32)
          visit(s, codec::HiddenFeature{id, field.offset, field.name, reason});
    for (const codec::HiddenFeature& feature : codec::hidden_features())
      if (feature.structure == id) visit(s, feature);
  }
}

}  // namespace

bool hiding() { return wanted(); }

void hidden(std::string_view what, std::string_view reason) {
  if (!log_enabled(LogLevel::info)) return;
  static auto* const said = new std::unordered_set<std::string>;
  static std::mutex lock;
  const std::lock_guard guard(lock);
  if (said->emplace(what).second)
    log(LogLevel::info, "hidden: " + std::string(what) + ": " + std::string(reason));
}

std::uint32_t visible_version(std::uint32_t version) {
  if (!hiding() || VK_API_VERSION_VARIANT(version) != 0) return version;
  const auto release = [](std::uint32_t v) {
    return VK_API_VERSION_MAJOR(v) << 10 | VK_API_VERSION_MINOR(v);
  };
  if (release(version) <= release(kNewestVersion)) return version;
  hidden("Vulkan " + std::to_string(VK_API_VERSION_MAJOR(version)) + "." +
             std::to_string(VK_API_VERSION_MINOR(version)),
         "newer than what this build of Rondo records");
  return kNewestVersion;
}

const char* hidden_reason(std::string_view extension) {
  const auto found = names().hidden.find(extension);
  if (found == names().hidden.end()) return kUnknown;
  return *found->second == '\0' ? nullptr : found->second;
}

const char* hidden_extension(std::span<const char* const> enabled) {
  const auto found = std::find_if(enabled.begin(), enabled.end(),
                                  [](const char* name) { return hidden_reason(name) != nullptr; });
  return found == enabled.end() ? nullptr : *found;
}

std::string enabled_though_hidden(const char* extension) {
  return "the program enabled " + std::string(extension) +
         ", which was hidden from it: " + hidden_reason(extension);
}

void hide_extensions(std::vector<VkExtensionProperties>& properties) {
  if (!hiding()) return;
  std::erase_if(properties, [](const VkExtensionProperties& p) {
    const char* reason = hidden_reason(p.extensionName);
    if (reason != nullptr) hidden(p.extensionName, reason);
    return reason != nullptr;
  });
}

void hide_features(void* chain) {
  if (!hiding()) return;
  hidden_in_chain(static_cast<VkBaseOutStructure*>(chain),
                  [](void* structure, const codec::HiddenFeature& feature) { clear(structure, feature); });
}

const char* hidden_feature(const void* chain) {
  const char* found = nullptr;
  hidden_in_chain(static_cast<const VkBaseInStructure*>(chain),
                  [&](const void* structure, const codec::HiddenFeature& feature) {
                    if (is_set(structure, feature)) found = feature.member;
                  });
  return found;
}

void hide_queue_flags(VkQueueFamilyProperties& family) {
  if (!hiding()) return;
  family.queueFlags &= ~VkFlags{VK_QUEUE_PROTECTED_BIT};
}

void hide_handle_types(VkExternalSemaphoreHandleTypeFlagBits asked,
                       VkExternalSemaphoreProperties& properties) {
  constexpr VkFlags kSync = VK_EXTERNAL_SEMAPHORE_HANDLE_TYPE_SYNC_FD_BIT;
  if (!hiding()) return;
  if (asked != VK_EXTERNAL_SEMAPHORE_HANDLE_TYPE_SYNC_FD_BIT) {
    if (properties.externalSemaphoreFeatures != 0)
      hidden("semaphores by handles that are no sync fds",
             "others may signal them, which a capture cannot know");
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
