// SPDX-License-Identifier: Apache-2.0
// Libraries for lookups.cpp, by what they are built as (LOOKUPS_NAME): each tells its name and that of the next one
// behind it; one finds a library by a path that it alone has. The last is a driver of a single function, which makes
// nothing.
#include <dlfcn.h>
#include <link.h>

#include <cstdio>
#include <cstring>
#include <string>

#include "relro.h"

#define LOOKUPS_SEEN extern "C" __attribute__((visibility("default")))

LOOKUPS_SEEN const char* lookups_names() {
  static const std::string names = [] {
    const auto next = reinterpret_cast<const char* (*)()>(dlsym(RTLD_NEXT, "lookups_names"));
    return std::string(LOOKUPS_NAME) + (next != nullptr ? std::string(", then ") + next() : "");
  }();
  return names.c_str();
}

LOOKUPS_SEEN void* vk_icdGetInstanceProcAddr(void*, const char*) { return nullptr; }

LOOKUPS_SEEN int LOOKUPS_MARK() { return 1; }

// Of this library alone, and of no scope of others.
LOOKUPS_SEEN int lookups_own() { return 1; }

namespace {

// The last part: the rest is where the tree was built.
const char* last_part(const char* path) {
  const char* const slash = std::strrchr(path, '/');
  return slash != nullptr ? slash + 1 : path;
}

Lmid_t namespace_of(void* library) {
  Lmid_t id = -2;
  return dlinfo(library, RTLD_DI_LMID, &id) == 0 ? id : -2;
}

void* self() {
  Dl_info info{};
  return dladdr(reinterpret_cast<void*>(&lookups_own), &info) != 0 ? dlopen(info.dli_fname, RTLD_NOW | RTLD_NOLOAD)
                                                                   : nullptr;
}

}  // namespace

LOOKUPS_SEEN int lookups_run() {
  void* const own = self();
  std::printf("  I am %s\n", own == nullptr ? dlerror() : "here");
  for (const char* path : {"liblookups_beneath.so", "$ORIGIN/beneath/liblookups_beneath.so", "liblookups_nowhere.so"}) {
    void* const library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
    if (library == nullptr) {
      std::printf("  %s: %s\n", path, dlerror());
      continue;
    }
    char origin[4096] = "";
    dlinfo(library, RTLD_DI_ORIGIN, origin);
    Dl_serinfo size{};
    dlinfo(own, RTLD_DI_SERINFOSIZE, &size);
    std::printf("  %s: in %s, my namespace %d, directories searched %d, its names %s\n", path, last_part(origin),
                namespace_of(library) == namespace_of(own), size.dls_cnt > 1,
                reinterpret_cast<const char* (*)()>(dlsym(library, "lookups_names"))());
    std::printf("  closed %d\n", dlclose(library));
  }
  for (const char* name : {"lookups_own", "lookups_of_program", "lookups_nobodys"}) {
    const bool found = dlsym(RTLD_DEFAULT, name) != nullptr;
    const char* const said = dlerror();
    std::printf("  %s by default: %d, %s\n", name, found, said == nullptr ? "nothing is said" : last_part(said));
  }
  std::printf("  read-only pages that can be written: %d\n", program::writable_relro_pages());
  std::fflush(stdout);
  return 0;
}
