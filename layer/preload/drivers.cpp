// SPDX-License-Identifier: Apache-2.0
// Where drivers are found: what is looked up in them, and objects that look it up past the shim.
#include <dlfcn.h>
#include <errno.h>
#include <link.h>
#include <string.h>

#include <initializer_list>

#include "layer/driver/door_words.h"
#include "layer/preload/shim.h"

namespace rondo::preload {

namespace {

using Symbol = void* (*)(void*, const char*);

Symbol real_dlsym() { return reinterpret_cast<Symbol>(real_function("dlsym")); }

// Whether a path's last part begins so. (By no function that a sanitizer has: is_same.)
bool is_file(const char* path, const char* begin) {
  const char* name = path;
  for (const char* at = path; *at != '\0'; ++at)
    if (*at == '/') name = at + 1;
  while (*begin != '\0' && *begin == *name) ++begin, ++name;
  return *begin == '\0';
}

// Of objects that the process began with, in front of all that come and go. (Not by dl_iterate_phdr, which sanitizers
// have, too.) The C library may be the program itself, which has no name here.
void* find_dlsym() {
  for (const link_map* one = _r_debug.r_map; one != nullptr; one = one->l_next) {
    const ElfTables object(one->l_ld, one->l_addr);
    if (!is_file(one->l_name, "libc.so") && !is_file(one->l_name, "libdl.so") &&
        (*one->l_name != '\0' || object.defined("gnu_get_libc_version") == nullptr))
      continue;
    if (void* const found = object.defined("dlsym"); found != nullptr) return found;
  }
  return nullptr;
}

link_map* object_of(const void* code) {
  Dl_info info;
  link_map* map = nullptr;
  return dladdr1(code, &info, reinterpret_cast<void**>(&map), RTLD_DL_LINKMAP) != 0 ? map : nullptr;
}

const link_map* g_last = nullptr;  // of the objects that the process began with

bool is_from_the_beginning(const link_map* object) {
  for (const link_map* one = _r_debug.r_map; one != nullptr; one = one != g_last ? one->l_next : nullptr)
    if (one == object) return true;
  return false;
}

// In an object that came later, and what it needs: the scope that it has once it was opened itself, as it is here. (The
// C library makes none for what only others need, and takes their link maps for handles all the same: it reads at no
// address then.)
void* found_in_own_scope(link_map* own, const char* name) {
  const auto information = reinterpret_cast<int (*)(void*, int, void*)>(real_function("dlinfo"));
  const auto open = reinterpret_cast<void* (*)(Lmid_t, const char*, int)>(real_function("dlmopen"));
  const auto close = reinterpret_cast<int (*)(void*)>(real_function("dlclose"));
  Lmid_t where = LM_ID_BASE;
  if (information(own, RTLD_DI_LMID, &where) != 0) return nullptr;
  void* const opened = open(where, own->l_name, RTLD_LAZY | RTLD_NOLOAD);
  void* const found = opened == own ? real_dlsym()(opened, name) : nullptr;
  if (opened != nullptr) close(opened);
  return found;
}

// As the dynamic linker finds it for RTLD_NEXT: behind the object that asks, among those that the process began with,
// or in its scope.
void* next_of(const void* asker, const char* name) {
  link_map* const own = object_of(asker);
  if (own == nullptr) return nullptr;
  if (!is_from_the_beginning(own)) {
    void* const found = found_in_own_scope(own, name);
    return found != ElfTables(own->l_ld, own->l_addr).defined(name) ? found : nullptr;
  }
  void* found = nullptr;
  for (const link_map* one = own; one != nullptr && one != g_last && found == nullptr;) {
    one = one->l_next;
    if (one != nullptr) found = ElfTables(one->l_ld, one->l_addr).defined(name);
  }
  return found;
}

// For whoever asks: RTLD_NEXT and RTLD_DEFAULT mean other objects to each, and to the shim.
void* found_for(const Lookup& who, const char* name) {
  if (who.library == RTLD_NEXT) return next_of(who.asker, name);
  void* const found = real_dlsym()(who.library, name);
  if (found != nullptr || who.library != RTLD_DEFAULT) return found;
  link_map* const own = object_of(who.asker);
  return own != nullptr && !is_from_the_beginning(own) ? found_in_own_scope(own, name) : nullptr;
}

// A driver's entry points. Not where what was asked for is not there.
bool driver_of(const Lookup& who, const char* name, const char* version, RondoDriver& driver) {
  const int before = errno;
  if (version != nullptr) {
    const auto real = reinterpret_cast<void* (*)(void*, const char*, const char*)>(real_function("dlvsym"));
    if (real(who.library, name, version) == nullptr) return false;
  }
  void* const get = found_for(who, "vk_icdGetInstanceProcAddr");
  if (get == nullptr) return false;
  driver.get_instance = reinterpret_cast<PFN_vkGetInstanceProcAddr>(get);
  driver.get_physical =
      reinterpret_cast<PFN_GetPhysicalDeviceProcAddr>(found_for(who, "vk_icdGetPhysicalDeviceProcAddr"));
  errno = before;
  return true;
}

}  // namespace

namespace {

struct Real {
  const char* name;
  void* function;
} g_real[] = {{"dlsym", nullptr},    {"dlvsym", nullptr},  {"dlopen", nullptr},      {"dlmopen", nullptr},
              {"dlinfo", nullptr},   {"dlerror", nullptr}, {"_exit", nullptr},       {"execve", nullptr},
              {"execvpe", nullptr},  {"fexecve", nullptr}, {"posix_spawn", nullptr}, {"posix_spawnp", nullptr},
              {"execveat", nullptr}, {"system", nullptr},  {"popen", nullptr}};

void* look_up(const char* name) {
  void* const symbol = find_dlsym();
  return is_same(name, "dlsym") ? symbol : reinterpret_cast<Symbol>(symbol)(RTLD_NEXT, name);
}

template <class Function>
Function function_of(void* library, const char* name) {
  return reinterpret_cast<Function>(real_dlsym()(library, name));
}

// On how many layers' doors this thread makes an instance, of all copies.
__attribute__((tls_model("initial-exec"))) thread_local int t_at_layers_doors = 0;
int at_layers_doors(int change) { return t_at_layers_doors += change; }
const RondoShared g_shared{at_layers_doors};

// A copy of the layer's library, or another layer.
void meet(void* library) {
  const auto meeting = function_of<RondoMeet>(library, RONDO_MEET);
  const auto close = function_of<RondoClose>(library, RONDO_CLOSE);
  if (meeting == nullptr || close == nullptr) return;
  meeting(&g_shared);
  for (LayerFunctions& one : g_layers) {
    RondoClose nobodys = nullptr;
    if (!__atomic_compare_exchange_n(&one.close, &nobodys, close, false, __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE)) {
      if (nobodys == close) return;
      continue;
    }
    __atomic_store_n(&one.scope_begin, function_of<void (*)(const char*)>(library, "rondo_layer_scope_begin"),
                     __ATOMIC_RELEASE);
    __atomic_store_n(&one.scope_end, function_of<void (*)()>(library, "rondo_layer_scope_end"), __ATOMIC_RELEASE);
    __atomic_store_n(&one.advise, function_of<RondoAdvise>(library, RONDO_ADVISE), __ATOMIC_RELEASE);
    return;
  }
}

}  // namespace

void* real_function(const char* name) {
  for (const Real& one : g_real)
    if (one.function != nullptr && is_same(one.name, name)) return one.function;
  return look_up(name);
}

void find_real_functions() {
  for (Real& one : g_real) one.function = look_up(one.name);
  for (const link_map* one = _r_debug.r_map; one != nullptr; one = one->l_next) g_last = one;
}

bool door_of(const RondoDriver& driver, RondoDriver& instead) {
  void* const layer = layer_library();
  if (layer == nullptr) return false;
  meet(layer);
  const auto open = function_of<RondoOpenDoor>(layer, RONDO_OPEN_DOOR);
  return open != nullptr && open(&driver, first_environment(), &instead) != 0;
}

void* instead_of(const Lookup& who, const char* name, const char* version) {
  void* const library = who.library;
  patch_objects(library);
  // What loaders ask every layer for first.
  if (name != nullptr && is_same(name, "vkNegotiateLoaderLayerInterfaceVersion") && library != RTLD_NEXT &&
      library != RTLD_DEFAULT)
    meet(library);
  if (name == nullptr || strncmp(name, "vk_icdGet", 9) != 0) return nullptr;
  RondoDriver driver{}, instead{};
  if (!driver_of(who, name, version, driver) || !door_of(driver, instead)) return nullptr;
  if (strcmp(name, "vk_icdGetInstanceProcAddr") == 0) return reinterpret_cast<void*>(instead.get_instance);
  if (strcmp(name, "vk_icdGetPhysicalDeviceProcAddr") == 0) return reinterpret_cast<void*>(instead.get_physical);
  return nullptr;
}

}  // namespace rondo::preload
