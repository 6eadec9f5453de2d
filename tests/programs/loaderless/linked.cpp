// SPDX-License-Identifier: Apache-2.0
// Is linked against a driver, and looks nothing up: with all relocations done at start, in pages that are read-only
// then. Built with LINKED_POINTER, it has the function's address in a table in such a page; linked to one address
// (linked_fixed), it finds out what it calls at its first call.
#include "fill.h"

extern "C" PFN_vkVoidFunction vk_icdGetInstanceProcAddr(VkInstance instance, const char* name);

#ifdef LINKED_POINTER
static const volatile PFN_vkGetInstanceProcAddr drivers[] = {vk_icdGetInstanceProcAddr};

int main() { return program::fill_directly(drivers[0]); }
#else
PFN_vkVoidFunction VKAPI_CALL call(VkInstance instance, const char* name) {
  return vk_icdGetInstanceProcAddr(instance, name);
}

int main(int argc, char**) { return program::fill_directly(argc > 1 ? call : vk_icdGetInstanceProcAddr); }
#endif
