// SPDX-License-Identifier: Apache-2.0
// Is linked against a driver, and looks nothing up: with all relocations done at start, in pages that are read-only then.
#include "fill.h"

extern "C" PFN_vkVoidFunction vk_icdGetInstanceProcAddr(VkInstance instance, const char* name);

int main() { return program::fill_directly(vk_icdGetInstanceProcAddr); }
