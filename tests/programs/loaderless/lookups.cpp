// SPDX-License-Identifier: Apache-2.0
// Looks up libraries and functions in the ways where it matters who asks, and prints what it got: the same whoever is
// in between.
#include <dlfcn.h>
#include <gnu/lib-names.h>
#include <unistd.h>

#include <cstdio>
#include <cstring>
#include <string>

extern "C" const char* lookups_names();  // of the first of two libraries
extern "C" int lookups_is_first();
extern "C" int lookups_is_second();
extern "C" __attribute__((visibility("default"))) int lookups_of_program() { return 1; }

namespace {

std::string directory() {
  char self[4096];
  const ssize_t bytes = readlink("/proc/self/exe", self, sizeof self);
  const std::string path(self, static_cast<std::size_t>(bytes > 0 ? bytes : 0));
  return path.substr(0, path.rfind('/'));
}

void say(const char* what, const void* found) {
  const char* const said = dlerror();
  std::printf("%s: %s, %s\n", what, found != nullptr ? "found" : "not found",
              said != nullptr ? said : "nothing is said");
  std::fflush(stdout);
}

void run(const char* how, void* library) {
  std::printf("%s:\n", how);
  std::fflush(stdout);
  const auto function = reinterpret_cast<int (*)()>(library != nullptr ? dlsym(library, "lookups_run") : nullptr);
  if (function == nullptr)
    say("  not run", nullptr);
  else
    function();
}

}  // namespace

int main() {
  std::printf("%d libraries: %s\n", lookups_is_first() + lookups_is_second(), lookups_names());
  const std::string apart = directory() + "/apart/liblookups_apart.so",
                    beneath = directory() + "/apart/beneath/liblookups_beneath.so";
  say("beneath, from here", dlopen("liblookups_beneath.so", RTLD_NOW));
  run("as it comes", dlopen(apart.c_str(), RTLD_NOW | RTLD_LOCAL));
  run("deeply bound",
      dlopen((directory() + "/apart/liblookups_deep.so").c_str(), RTLD_NOW | RTLD_LOCAL | RTLD_DEEPBIND));
  run("in a namespace", dlmopen(LM_ID_NEWLM, apart.c_str(), RTLD_NOW));

  void* const library = dlopen(beneath.c_str(), RTLD_NOW | RTLD_LOCAL);
  say("its driver's function", dlsym(library, "vk_icdGetInstanceProcAddr"));
  say("one that it lacks", dlsym(library, "vk_icdGetPhysicalDeviceProcAddr"));
  say("a version that it lacks", dlvsym(library, "vk_icdGetInstanceProcAddr", "LOOKUPS_1.0"));
  say("none that it lacks", dlsym(library, "lookups_nobodys"));
  say("nobody's, of the program", dlsym(RTLD_DEFAULT, "lookups_nobodys"));
  say("nobody's, behind the program", dlsym(RTLD_NEXT, "lookups_nobodys"));
  void* const c = dlopen(LIBC_SO, RTLD_NOW | RTLD_NOLOAD);
  say("a version that there is", dlvsym(c, "qsort", LOOKUPS_VERSION));
  say("a version that there is not", dlvsym(c, "qsort", "GLIBC_1.0"));
  std::printf("closed: %d, %d\n", dlclose(library), dlclose(c));
  std::printf("gone: %d\n", dlopen(beneath.c_str(), RTLD_NOW | RTLD_NOLOAD) == nullptr);
  return 0;
}
