// SPDX-License-Identifier: Apache-2.0
// For asking_nobody.cpp: ASKS is its function, ASKS_NEEDED that of a library that it needs.
#include <dlfcn.h>

#include <cstdio>

#ifdef ASKS_NEEDED
extern "C" void ASKS_NEEDED();
#endif

extern "C" __attribute__((visibility("default"))) void ASKS() {
  std::printf("default: %d\n", dlsym(RTLD_DEFAULT, "vk_icdGetInstanceProcAddr") != nullptr);
  std::printf("next: %d\n", dlsym(RTLD_NEXT, "vk_icdGetInstanceProcAddr") != nullptr);
  std::fflush(stdout);
#ifdef ASKS_NEEDED
  ASKS_NEEDED();
#endif
}
