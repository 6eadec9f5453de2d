// SPDX-License-Identifier: Apache-2.0
// Objects that call past the shim's functions. Those that come with RTLD_DEEPBIND see the C library's first, those of another
// namespace have one of their own: their calls are led here once they are loaded, before anybody looks up a function in them. (What
// their constructors do before that is not seen.)
#include <dlfcn.h>
#include <link.h>
#include <initializer_list>

#include "layer/preload/shim.h"

extern "C" {
void* dlsym(void*, const char*) noexcept;
void* dlvsym(void*, const char*, const char*) noexcept;
}

namespace rondo::preload {

namespace {

bool g_deep = false, g_apart = false;  // such objects were loaded, and not looked at yet

void patch_all(link_map* any) {
  while (any != nullptr && any->l_prev != nullptr) any = any->l_prev;
  static const struct {
    const char* name;
    void* to;
  } calls[] = {{"dlsym", reinterpret_cast<void*>(&dlsym)},
               {"dlvsym", reinterpret_cast<void*>(&dlvsym)},
               {"dlopen", reinterpret_cast<void*>(&dlopen)},
               {"dlmopen", reinterpret_cast<void*>(&dlmopen)}};
  for (link_map* one = any; one != nullptr; one = one->l_next) {
    const ElfTables object(one->l_ld, one->l_addr);
    if (object.defined("dl_iterate_phdr") != nullptr) continue;  // the C library
    for (const auto& call : calls) patch(object, call.name, call.to);
  }
}

}  // namespace

void note_open(int mode) {
  if ((mode & RTLD_DEEPBIND) != 0) __atomic_store_n(&g_deep, true, __ATOMIC_RELEASE);
}
void note_namespace() { __atomic_store_n(&g_apart, true, __ATOMIC_RELEASE); }

void patch_objects(void* library) {
  if (__atomic_load_n(&g_deep, __ATOMIC_ACQUIRE) && __atomic_exchange_n(&g_deep, false, __ATOMIC_ACQ_REL)) patch_all(_r_debug.r_map);
  if (!__atomic_load_n(&g_apart, __ATOMIC_ACQUIRE) || library == RTLD_DEFAULT || library == RTLD_NEXT) return;
  link_map* map = nullptr;
  static const auto information = reinterpret_cast<int (*)(void*, int, void*)>(real_function("dlinfo"));
  if (information(library, RTLD_DI_LINKMAP, &map) == 0) patch_all(map);
}

// A program that is linked against a driver looks nothing up.
void patch_linked_driver() {
  for (const char* name : {"vk_icdGetInstanceProcAddr", "vk_icdGetPhysicalDeviceProcAddr"}) {
    void* const to = instead_of(RTLD_DEFAULT, name);
    if (to == nullptr) continue;
    for (link_map* one = _r_debug.r_map; one != nullptr; one = one->l_next)
      patch({one->l_ld, one->l_addr}, name, to);
  }
}

}  // namespace rondo::preload
