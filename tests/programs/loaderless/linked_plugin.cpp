// SPDX-License-Identifier: Apache-2.0
// A plugin that is linked against a driver, and looks nothing up; in pages that are read-only then.
#include "fill.h"

extern "C" PFN_vkVoidFunction vk_icdGetInstanceProcAddr(VkInstance instance, const char* name);

extern "C" __attribute__((visibility("default"))) int direct_run(const char*) {
  return program::fill_directly(vk_icdGetInstanceProcAddr);
}
