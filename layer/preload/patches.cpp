// SPDX-License-Identifier: Apache-2.0
// Objects that call past the shim's functions. Those that come with RTLD_DEEPBIND see the C library's first, those of
// another namespace have one of their own: their calls are led here once they are loaded, or else before anybody looks
// up a function in them. (What their constructors do before that is not seen.)
#include <dlfcn.h>
#include <link.h>
#include <string.h>

#include <initializer_list>

#include "layer/preload/shim.h"

extern "C" {
void* dlsym(void*, const char*) noexcept;
void* dlvsym(void*, const char*, const char*) noexcept;
}

namespace rondo::preload {

namespace {

bool g_opened = false;  // objects were loaded since the process began
bool g_some = false;    // such objects as these were

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
      if (object.defined("dl_iterate_phdr") != nullptr || object.defined("__libc_start_main") != nullptr)
        theirs = object.defined(call.name);
    }
    if (theirs == nullptr || theirs == call.to) continue;
    for (link_map* one = first; one != nullptr; one = one->l_next) {
      const ElfTables object(one->l_ld, one->l_addr);
      if (object.defined("__libc_start_main") == nullptr && object.defined("rondo_scope_begin") == nullptr)
        patch(object, call.name, theirs, call.to);
    }
  }
  return 1;
}

}  // namespace

void note_open(int mode) {
  __atomic_store_n(&g_opened, true, __ATOMIC_RELEASE);
  if ((mode & RTLD_DEEPBIND) != 0) __atomic_store_n(&g_some, true, __ATOMIC_RELEASE);
}
void note_namespace() { __atomic_store_n(&g_some, true, __ATOMIC_RELEASE); }

namespace {

// Of the objects of this namespace.
int has_address(dl_phdr_info* info, size_t, void* address) {
  const auto at = reinterpret_cast<ElfW(Addr)>(address);
  for (size_t i = 0; i < info->dlpi_phnum; ++i) {
    const ElfW(Phdr)& part = info->dlpi_phdr[i];
    const ElfW(Addr) begin = info->dlpi_addr + part.p_vaddr;
    if (part.p_type == PT_LOAD && at >= begin && at - begin < part.p_memsz) return 1;
  }
  return 0;
}

}  // namespace

bool is_anybodys(const char* path, const void* caller) {
  return path != nullptr && strchr(path, '/') != nullptr && strchr(path, '$') == nullptr &&
         dl_iterate_phdr(has_address, const_cast<void*>(caller)) != 0;
}

void* open_deeply(const char* path, int mode) {
  void* const library = reinterpret_cast<void* (*)(const char*, int)>(real_function("dlopen"))(path, mode);
  if (library != nullptr) patch_objects(RTLD_DEFAULT);
  return library;
}

void patch_objects(void* library) {
  if (__atomic_load_n(&g_opened, __ATOMIC_ACQUIRE)) patch_linked_drivers();
  if (!__atomic_load_n(&g_some, __ATOMIC_ACQUIRE)) return;
  static unsigned long long here = 0, apart = 0;
  Work work{_r_debug.r_map, &here};
  dl_iterate_phdr(patch_all, &work);
  if (library == RTLD_DEFAULT || library == RTLD_NEXT) return;
  const auto information = reinterpret_cast<int (*)(void*, int, void*)>(real_function("dlinfo"));
  Lmid_t where = LM_ID_BASE;
  link_map* map = nullptr;
  if (information(library, RTLD_DI_LMID, &where) != 0 || where == LM_ID_BASE ||
      information(library, RTLD_DI_LINKMAP, &map) != 0)
    return;
  // Several namespaces share the count: it is begun anew for another one.
  static Lmid_t last = LM_ID_BASE;
  if (__atomic_exchange_n(&last, where, __ATOMIC_ACQ_REL) != where) __atomic_store_n(&apart, 0, __ATOMIC_RELEASE);
  work = {map, &apart};
  dl_iterate_phdr(patch_all, &work);
}

namespace {

// Drivers that objects are linked against, and their doors.
struct Linked {
  static constexpr size_t kMost = 8;
  RondoDriver drivers[kMost]{};
  RondoDriver doors[kMost]{};
  size_t count = 0;
};

// Objects up to this one were looked at. It may be gone, and another one in its place: its name tells.
const link_map* g_seen = nullptr;
const char* g_seen_name = nullptr;

const link_map* first_unseen() {
  for (const link_map* one = _r_debug.r_map; one != nullptr; one = one->l_next)
    if (one == g_seen && one->l_name == g_seen_name) return one->l_next;
  return _r_debug.r_map;
}

// How many places of new objects call this function of a driver (`to` null), or are led to its door. The driver's own
// stay.
template <class Function>
size_t patch_callers(const ElfTables& driver, const char* name, Function from, Function to) {
  size_t places = 0;
  for (const link_map* one = from != nullptr ? first_unseen() : nullptr; one != nullptr; one = one->l_next)
    if (const ElfTables object(one->l_ld, one->l_addr); object.base != driver.base)
      places += patch(object, name, reinterpret_cast<void*>(from), reinterpret_cast<void*>(to));
  return places;
}

// Both inside dl_iterate_phdr, as patch_all.
int find_linked(dl_phdr_info* info, size_t, void* data) {
  static unsigned long long loaded = 0;
  Linked& work = *static_cast<Linked*>(data);
  if (loaded == info->dlpi_adds) return 1;
  loaded = info->dlpi_adds;
  for (const link_map* one = _r_debug.r_map; one != nullptr && work.count < Linked::kMost; one = one->l_next) {
    const ElfTables object(one->l_ld, one->l_addr);
    const auto get = reinterpret_cast<PFN_vkGetInstanceProcAddr>(object.defined("vk_icdGetInstanceProcAddr"));
    const auto get_physical =
        reinterpret_cast<PFN_GetPhysicalDeviceProcAddr>(object.defined("vk_icdGetPhysicalDeviceProcAddr"));
    if (patch_callers<PFN_vkGetInstanceProcAddr>(object, "vk_icdGetInstanceProcAddr", get, nullptr) != 0)
      work.drivers[work.count++] = {get, get_physical};
  }
  if (work.count != 0) return 1;
  for (const link_map* one = _r_debug.r_map; one != nullptr; one = one->l_next) g_seen = one, g_seen_name = one->l_name;
  return 1;
}

int patch_linked(dl_phdr_info*, size_t, void* data) {
  const Linked& work = *static_cast<const Linked*>(data);
  for (const link_map* one = _r_debug.r_map; one != nullptr; one = one->l_next) {
    const ElfTables object(one->l_ld, one->l_addr);
    for (size_t i = 0; i < work.count; ++i) {
      if (work.doors[i].get_instance == nullptr ||
          object.defined("vk_icdGetInstanceProcAddr") != reinterpret_cast<void*>(work.drivers[i].get_instance))
        continue;
      patch_callers(object, "vk_icdGetInstanceProcAddr", work.drivers[i].get_instance, work.doors[i].get_instance);
      patch_callers(object, "vk_icdGetPhysicalDeviceProcAddr", work.drivers[i].get_physical,
                    work.doors[i].get_physical);
    }
  }
  for (const link_map* one = _r_debug.r_map; one != nullptr; one = one->l_next) g_seen = one, g_seen_name = one->l_name;
  return 1;
}

}  // namespace

void patch_linked_drivers() {
  Linked work;
  dl_iterate_phdr(find_linked, &work);
  if (work.count == 0) return;
  // Not while others wait for the dynamic linker: the layer may be loaded.
  for (size_t i = 0; i < work.count; ++i)
    if (!door_of(work.drivers[i], work.doors[i])) work.doors[i] = {};
  dl_iterate_phdr(patch_linked, &work);
}

}  // namespace rondo::preload
