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

bool g_some = false;  // such objects were loaded

struct Work {
  link_map* any;               // of the namespace to look at
  unsigned long long* loaded;  // how many objects had been loaded when it was looked at last
};

// Inside dl_iterate_phdr, which keeps others from loading and unloading, of any namespace.
int patch_all(dl_phdr_info* info, size_t, void* data) {
  const Work& work = *static_cast<const Work*>(data);
  if (*work.loaded == info->dlpi_adds) return 1;
  *work.loaded = info->dlpi_adds;
  link_map* first = work.any;
  while (first != nullptr && first->l_prev != nullptr) first = first->l_prev;
  const struct {
    const char* name;
    void* to;
  } calls[] = {{"dlsym", reinterpret_cast<void*>(&dlsym)},
               {"dlvsym", reinterpret_cast<void*>(&dlvsym)},
               {"dlopen", reinterpret_cast<void*>(&dlopen)},
               {"dlmopen", reinterpret_cast<void*>(&dlmopen)},
               {"dlerror", real_function("dlerror")}};  // of what these say
  for (const auto& call : calls) {
    void* theirs = nullptr;  // of that namespace
    for (link_map* one = first; one != nullptr && theirs == nullptr; one = one->l_next) {
      const ElfTables object(one->l_ld, one->l_addr);
      if (object.defined("dl_iterate_phdr") != nullptr || object.defined("__libc_start_main") != nullptr) theirs = object.defined(call.name);
    }
    if (theirs == nullptr || theirs == call.to) continue;
    for (link_map* one = first; one != nullptr; one = one->l_next) {
      const ElfTables object(one->l_ld, one->l_addr);
      if (object.defined("__libc_start_main") == nullptr && object.defined("rondo_scope_begin") == nullptr) patch(object, call.name, theirs, call.to);
    }
  }
  return 1;
}

}  // namespace

void note_open(int mode) {
  if ((mode & RTLD_DEEPBIND) != 0) __atomic_store_n(&g_some, true, __ATOMIC_RELEASE);
}
void note_namespace() { __atomic_store_n(&g_some, true, __ATOMIC_RELEASE); }

void patch_objects(void* library) {
  if (!__atomic_load_n(&g_some, __ATOMIC_ACQUIRE)) return;
  static unsigned long long here = 0, apart = 0;
  Work work{_r_debug.r_map, &here};
  dl_iterate_phdr(patch_all, &work);
  if (library == RTLD_DEFAULT || library == RTLD_NEXT) return;
  const auto information = reinterpret_cast<int (*)(void*, int, void*)>(real_function("dlinfo"));
  Lmid_t where = LM_ID_BASE;
  link_map* map = nullptr;
  if (information(library, RTLD_DI_LMID, &where) != 0 || where == LM_ID_BASE || information(library, RTLD_DI_LINKMAP, &map) != 0) return;
  // Several namespaces share the count: it is begun anew for another one.
  static Lmid_t last = LM_ID_BASE;
  if (__atomic_exchange_n(&last, where, __ATOMIC_ACQ_REL) != where) __atomic_store_n(&apart, 0, __ATOMIC_RELEASE);
  work = {map, &apart};
  dl_iterate_phdr(patch_all, &work);
}

void patch_linked_driver() {
  for (const char* name : {"vk_icdGetInstanceProcAddr", "vk_icdGetPhysicalDeviceProcAddr"}) {
    void* const to = instead_of(RTLD_DEFAULT, name);
    if (to == nullptr) continue;
    void* const from = reinterpret_cast<void* (*)(void*, const char*)>(real_function("dlsym"))(RTLD_DEFAULT, name);
    for (link_map* one = _r_debug.r_map; one != nullptr; one = one->l_next) patch({one->l_ld, one->l_addr}, name, from, to);
  }
}

}  // namespace rondo::preload
