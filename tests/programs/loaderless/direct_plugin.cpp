// SPDX-License-Identifier: Apache-2.0
// A plugin that renders: opens a driver or a loader itself, as its host does not.
#include <dlfcn.h>

#include "fill.h"

extern "C" __attribute__((visibility("default"))) int direct_run(const char* path) {
  void* const library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
  if (library == nullptr) {
    std::fprintf(stderr, "%s\n", dlerror());
    return 77;
  }
  auto get = reinterpret_cast<PFN_vkGetInstanceProcAddr>(dlsym(library, "vk_icdGetInstanceProcAddr"));
  if (get == nullptr) get = reinterpret_cast<PFN_vkGetInstanceProcAddr>(dlsym(library, "vkGetInstanceProcAddr"));
  return get == nullptr ? 1 : program::fill_directly(get);
}
