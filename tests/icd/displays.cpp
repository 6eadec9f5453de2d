// SPDX-License-Identifier: Apache-2.0
// One display a physical device, of two planes and one mode of its own, to which
// programs add theirs. Nothing lights up.
#include "tests/icd/install.h"
#include "tests/icd/lists.h"
#include "tests/icd/state.h"

namespace fake {

namespace {

constexpr VkExtent2D kResolution{1920, 1080};
constexpr std::uint32_t kPlanes = 2;
constexpr std::uint32_t kRefreshRate = 60'000;  // mHz

std::shared_ptr<DisplayMode> add_mode(Display& display, const VkDisplayModeParametersKHR& parameters) {
  auto mode = std::make_shared<DisplayMode>();
  mode->parameters = parameters;
  mode->display = display.handle;
  publish(mode, display.parent);
  display.modes.push_back(mode);
  return mode;
}

// It is found when it is first asked for, and stays for the instance's life.
std::shared_ptr<Display> display_of(VkPhysicalDevice handle) {
  const auto physical = get<PhysicalDevice>(handle);
  static std::mutex& found = *new std::mutex;
  const std::lock_guard lock(found);
  if (physical->display == nullptr) {
    auto display = std::make_shared<Display>();
    publish(display, physical->parent);
    add_mode(*display, {kResolution, kRefreshRate});
    physical->display = display;
  }
  return std::static_pointer_cast<Display>(physical->display);
}

std::vector<VkDisplayPropertiesKHR> displays(VkPhysicalDevice physical) {
  VkDisplayPropertiesKHR p{};
  p.display = as_handle<VkDisplayKHR>(display_of(physical)->handle);
  p.displayName = "a display that nobody sees";
  p.physicalDimensions = {520, 290};
  p.physicalResolution = kResolution;
  p.supportedTransforms = VK_SURFACE_TRANSFORM_IDENTITY_BIT_KHR;
  return {p};
}
VkResult properties1(Call&, args_vkGetPhysicalDeviceDisplayPropertiesKHR& a) {
  return fill_list(displays(a.physicalDevice), a.pPropertyCount, a.pProperties);
}
VkResult properties2(Call&, args_vkGetPhysicalDeviceDisplayProperties2KHR& a) {
  return fill_chained(displays(a.physicalDevice), a.pPropertyCount, a.pProperties,
                      [](const VkDisplayPropertiesKHR& p, VkDisplayProperties2KHR& out) { out.displayProperties = p; });
}

// The first plane shows something on the display already, the others nothing.
std::vector<VkDisplayPlanePropertiesKHR> planes(VkPhysicalDevice physical) {
  std::vector<VkDisplayPlanePropertiesKHR> all(kPlanes);
  all[0].currentDisplay = as_handle<VkDisplayKHR>(display_of(physical)->handle);
  for (std::uint32_t i = 0; i < kPlanes; ++i) all[i].currentStackIndex = i;
  return all;
}
VkResult planes1(Call&, args_vkGetPhysicalDeviceDisplayPlanePropertiesKHR& a) {
  return fill_list(planes(a.physicalDevice), a.pPropertyCount, a.pProperties);
}
VkResult planes2(Call&, args_vkGetPhysicalDeviceDisplayPlaneProperties2KHR& a) {
  return fill_chained(
      planes(a.physicalDevice), a.pPropertyCount, a.pProperties,
      [](const VkDisplayPlanePropertiesKHR& p, VkDisplayPlaneProperties2KHR& out) { out.displayPlaneProperties = p; });
}

void check_plane(Call&, const args_vkGetDisplayPlaneSupportedDisplaysKHR& a) {
  if (a.planeIndex >= kPlanes) violation("there is no such plane");
}
VkResult supported(Call&, args_vkGetDisplayPlaneSupportedDisplaysKHR& a) {
  return fill_list(std::vector{as_handle<VkDisplayKHR>(display_of(a.physicalDevice)->handle)}, a.pDisplayCount,
                   a.pDisplays);
}

std::vector<VkDisplayModePropertiesKHR> modes(VkDisplayKHR display) {
  std::vector<VkDisplayModePropertiesKHR> all;
  for (const auto& mode : get<Display>(display)->modes)
    all.push_back({as_handle<VkDisplayModeKHR>(mode->handle), mode->parameters});
  return all;
}
VkResult modes1(Call&, args_vkGetDisplayModePropertiesKHR& a) {
  return fill_list(modes(a.display), a.pPropertyCount, a.pProperties);
}
VkResult modes2(Call&, args_vkGetDisplayModeProperties2KHR& a) {
  return fill_chained(
      modes(a.display), a.pPropertyCount, a.pProperties,
      [](const VkDisplayModePropertiesKHR& p, VkDisplayModeProperties2KHR& out) { out.displayModeProperties = p; });
}

VkResult create_mode(Call&, args_vkCreateDisplayModeKHR& a) {
  const auto mode = add_mode(*get<Display>(a.display), a.pCreateInfo->parameters);
  *a.pMode = as_handle<VkDisplayModeKHR>(mode->handle);
  return VK_SUCCESS;
}

VkDisplayPlaneCapabilitiesKHR capabilities(VkDisplayModeKHR mode) {
  VkDisplayPlaneCapabilitiesKHR c{};
  c.supportedAlpha = VK_DISPLAY_PLANE_ALPHA_OPAQUE_BIT_KHR;
  const VkExtent2D whole = get<DisplayMode>(mode)->parameters.visibleRegion;
  c.minSrcExtent = c.minDstExtent = {1, 1};
  c.maxSrcExtent = c.maxDstExtent = whole;
  c.maxSrcPosition =
      c.maxDstPosition = {static_cast<std::int32_t>(whole.width) - 1, static_cast<std::int32_t>(whole.height) - 1};
  return c;
}
VkResult capabilities1(Call&, args_vkGetDisplayPlaneCapabilitiesKHR& a) {
  *a.pCapabilities = capabilities(a.mode);
  return VK_SUCCESS;
}
VkResult capabilities2(Call&, args_vkGetDisplayPlaneCapabilities2KHR& a) {
  a.pCapabilities->capabilities = capabilities(a.pDisplayPlaneInfo->mode);
  return VK_SUCCESS;
}

void check_surface(Call&, const args_vkCreateDisplayPlaneSurfaceKHR& a) {
  const VkDisplaySurfaceCreateInfoKHR& info = *a.pCreateInfo;
  const VkExtent2D whole = get<DisplayMode>(info.displayMode)->parameters.visibleRegion;
  if (info.planeIndex >= kPlanes)
    violation("there is no such plane");
  else if (info.imageExtent.width > whole.width || info.imageExtent.height > whole.height)
    violation("imageExtent is larger than the mode's");
  else if (info.alphaMode != VK_DISPLAY_PLANE_ALPHA_OPAQUE_BIT_KHR)
    violation("the plane has no such alpha mode");
}

}  // namespace

void install_displays(Table& table) {
  table.behave<properties1>(CommandId::vkGetPhysicalDeviceDisplayPropertiesKHR);
  table.behave<properties2>(CommandId::vkGetPhysicalDeviceDisplayProperties2KHR);
  table.behave<planes1>(CommandId::vkGetPhysicalDeviceDisplayPlanePropertiesKHR);
  table.behave<planes2>(CommandId::vkGetPhysicalDeviceDisplayPlaneProperties2KHR);
  table.check<check_plane>(CommandId::vkGetDisplayPlaneSupportedDisplaysKHR);
  table.behave<supported>(CommandId::vkGetDisplayPlaneSupportedDisplaysKHR);
  table.behave<modes1>(CommandId::vkGetDisplayModePropertiesKHR);
  table.behave<modes2>(CommandId::vkGetDisplayModeProperties2KHR);
  table.behave<create_mode>(CommandId::vkCreateDisplayModeKHR);
  table.behave<capabilities1>(CommandId::vkGetDisplayPlaneCapabilitiesKHR);
  table.behave<capabilities2>(CommandId::vkGetDisplayPlaneCapabilities2KHR);
  table.check<check_surface>(CommandId::vkCreateDisplayPlaneSurfaceKHR);
}

}  // namespace fake
