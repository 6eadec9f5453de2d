// SPDX-License-Identifier: Apache-2.0
// A plugin that renders: opens a driver or a loader itself, as its host does not. Where DIRECT_REGISTER is the address
// of a pointer, it puts its function there, so that nobody looks it up.
#include <dlfcn.h>

#include <cstdlib>

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

__attribute__((constructor)) static void register_itself() {
  if (const char* const place = std::getenv("DIRECT_REGISTER"); place != nullptr)
    *reinterpret_cast<int (**)(const char*)>(std::strtoull(place, nullptr, 16)) = direct_run;
}
