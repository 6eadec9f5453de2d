// SPDX-License-Identifier: Apache-2.0
// Prints the names of all extensions that this process sees, a line each.
#include "support.h"

using namespace program;

int main() {
  std::uint32_t count = 0;
  CHECK(vkEnumerateInstanceExtensionProperties(nullptr, &count, nullptr));
  std::vector<VkExtensionProperties> properties(count);
  CHECK(vkEnumerateInstanceExtensionProperties(nullptr, &count, properties.data()));
  for (const VkExtensionProperties& one : properties) std::printf("%s\n", one.extensionName);
  Context c = create_context("extensions");
  CHECK(vkEnumerateDeviceExtensionProperties(c.physical, nullptr, &count, nullptr));
  properties.resize(count);
  CHECK(vkEnumerateDeviceExtensionProperties(c.physical, nullptr, &count, properties.data()));
  for (const VkExtensionProperties& one : properties) std::printf("%s\n", one.extensionName);
  destroy(c);
  return 0;
}
