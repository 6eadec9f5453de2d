// SPDX-License-Identifier: Apache-2.0
// What a program sees of the driver: everything but what cannot be recorded
// (docs/fidelity.md, "Hidden from programs while they are captured"). hidden.h keeps what that was.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "format/codec/schema.h"
#include "format/vulkan.h"

namespace rondo::layer {

inline constexpr char kLayerName[] = "VK_LAYER_RONDO_capture";

// Hiding is for recorded processes: elsewhere the program sees the driver as it is.
bool hiding();

// A newer version is told as kNewestVersion (format/versions.h).
std::uint32_t visible_version(std::uint32_t version);
// The same for a device's version, which the capture then names as hidden.
std::uint32_t visible_device_version(std::uint32_t version);
// Remembers the version of the program's VkApplicationInfo. A device version that is hidden counts as asked for if this
// version is hidden, too.
void ask_for_version(std::uint32_t version);

// Null if programs may use it, else why not.
const char* hidden_reason(std::string_view extension);

// Says that a hidden extension was enabled, and why it was hidden; the capture names it as asked for.
std::string enabled_though_hidden(const char* extension);
// Likewise for a feature bit.
std::string enabled_though_hidden(const codec::HiddenFeature& feature);

// The first hidden one of `enabled`, or null.
const char* hidden_extension(std::span<const char* const> enabled);

// Removes hidden ones.
void hide_extensions(std::vector<VkExtensionProperties>& properties);

// Feature structures chained to VkPhysicalDeviceFeatures2.
void hide_features(void* chain);

// A structure that this build does not know, or null.
const VkBaseInStructure* unknown_structure(const void* chain);
// Call this when a query of features had a structure that this build does not know. It counts as asked for only if the
// device has an extension that this build does not know either.
void ask_for_unknown(const VkBaseInStructure& structure, std::span<const VkExtensionProperties> of_device);

// The last hidden feature that these enable.
std::optional<codec::HiddenFeature> hidden_feature(const void* chain);

// Of semaphores and fences: all handles but sync fds, whose payloads are copies.
void hide_handle_types(VkExternalSemaphoreHandleTypeFlagBits asked, VkExternalSemaphoreProperties& properties);
void hide_handle_types(VkExternalFenceHandleTypeFlagBits asked, VkExternalFenceProperties& properties);

void hide_queue_flags(VkQueueFamilyProperties& family);

// The two calls of an enumeration, over a list that is known whole.
template <class T>
VkResult answer(const std::vector<T>& all, std::uint32_t* count, T* out) {
  const auto available = static_cast<std::uint32_t>(all.size());
  if (out == nullptr) {
    *count = available;
    return VK_SUCCESS;
  }
  const std::uint32_t given = *count < available ? *count : available;
  for (std::uint32_t i = 0; i < given; ++i) out[i] = all[i];
  *count = given;
  return given < available ? VK_INCOMPLETE : VK_SUCCESS;
}

// The whole list behind a two-call enumeration: call(&count, array).
template <class T, class Call>
VkResult enumerate(std::vector<T>& all, Call&& call) {
  VkResult result = VK_INCOMPLETE;
  while (result == VK_INCOMPLETE) {  // it may grow between the calls
    std::uint32_t count = 0;
    if (result = call(&count, nullptr); result != VK_SUCCESS) return result;
    all.assign(count, T{});
    if (count == 0) return VK_SUCCESS;
    result = call(&count, all.data());
    all.resize(count);
  }
  return result;
}

}  // namespace rondo::layer
