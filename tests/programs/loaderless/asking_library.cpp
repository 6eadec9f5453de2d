// SPDX-License-Identifier: Apache-2.0
// Looks up a driver's entry point where what is found depends on who asks (ASKS: RTLD_NEXT, RTLD_DEFAULT), and renders
// with it.
#include <dlfcn.h>

#include "fill.h"

extern "C" VkResult vk_icdNegotiateLoaderICDInterfaceVersion(std::uint32_t* version);

extern "C" __attribute__((visibility("default"))) int direct_run(const char*) {
  std::uint32_t version = 5;
  if (vk_icdNegotiateLoaderICDInterfaceVersion(&version) != VK_SUCCESS) return 1;
  const auto get = reinterpret_cast<PFN_vkGetInstanceProcAddr>(dlsym(ASKS, "vk_icdGetInstanceProcAddr"));
  if (get == nullptr) std::fprintf(stderr, "%s\n", dlerror());
  return get == nullptr ? 1 : program::fill_directly(get);
}
