// SPDX-License-Identifier: Apache-2.0
// Brings no loader: opens a driver itself, the one that VK_ICD_FILENAMES leads to.
//   direct [--first open] [--how open|deep|registered|namespace|linked|asking|loader] [--loader PATH] [--begin
//   clearenv] [--end return|_exit|quick|abort]
// open: dlopen and dlsym. deep, namespace: a library (direct_plugin) that does that is opened with RTLD_DEEPBIND, or in
// a namespace of its own; with --loader that opens a loader. registered: as deep, and it says itself where its function
// is. linked: one that is linked against a driver is opened; asking: likewise, and it looks the driver up by
// RTLD_DEFAULT. loader: of its own, which it opens by its path. The environment is cleared at the begin. First: the
// same is done twice, and with the driver itself at first.
#include <dlfcn.h>
#include <unistd.h>

#include <cstdlib>
#include <string>
#include <string_view>

#include "driver_path.h"
#include "fill.h"

namespace {

std::string_view option(int argc, char** argv, std::string_view name, std::string_view otherwise) {
  for (int i = 1; i + 1 < argc; i += 2)
    if (argv[i] == name) return argv[i + 1];
  return otherwise;
}

int open_and_fill(const std::string& path) {
  void* const library = dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (library == nullptr) {
    std::fprintf(stderr, "%s\n", dlerror());
    return 77;
  }
  using Negotiate = VkResult (*)(std::uint32_t*);
  std::uint32_t version = 5;
  if (const auto negotiate = reinterpret_cast<Negotiate>(dlsym(library, "vk_icdNegotiateLoaderICDInterfaceVersion"));
      negotiate != nullptr)
    if (negotiate(&version) != VK_SUCCESS) return 1;
  const auto get = reinterpret_cast<PFN_vkGetInstanceProcAddr>(dlsym(library, "vk_icdGetInstanceProcAddr"));
  if (get == nullptr) return 1;
  const int result = program::fill_directly(get);
  dlclose(library);
  return result;
}

int through_loader(const std::string& path) {
  void* const library = dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (library == nullptr) {
    std::fprintf(stderr, "%s\n", dlerror());
    return 77;
  }
  const auto get = reinterpret_cast<PFN_vkGetInstanceProcAddr>(dlsym(library, "vkGetInstanceProcAddr"));
  return get == nullptr ? 1 : program::fill_directly(get);
}

int through_plugin(const std::string& path, std::string_view how) {
  char self[4096];
  const ssize_t bytes = readlink("/proc/self/exe", self, sizeof self);
  const char* const name = how == "linked"   ? "/liblinked_plugin.so"
                           : how == "asking" ? "/libasks_default.so"
                                             : "/libdirect_plugin.so";
  const std::string plugin = std::string(self, static_cast<std::size_t>(bytes > 0 ? bytes : 0))
                                 .substr(0, std::string_view(self, static_cast<std::size_t>(bytes)).rfind('/')) +
                             name;
  static int (*registered)(const char*) = nullptr;
  if (how == "registered") {
    char place[32];
    std::snprintf(place, sizeof place, "%llx",
                  static_cast<unsigned long long>(reinterpret_cast<std::uintptr_t>(&registered)));
    setenv("DIRECT_REGISTER", place, 1);
  }
  const bool deep = how == "deep" || how == "registered";
  void* const library = how == "namespace" ? dlmopen(LM_ID_NEWLM, plugin.c_str(), RTLD_NOW)
                                           : dlopen(plugin.c_str(), RTLD_NOW | (deep ? RTLD_DEEPBIND : RTLD_LOCAL));
  if (library == nullptr) {
    std::fprintf(stderr, "%s\n", dlerror());
    return 77;
  }
  const auto run =
      registered != nullptr ? registered : reinterpret_cast<int (*)(const char*)>(dlsym(library, "direct_run"));
  return run == nullptr ? 1 : run(path.c_str());
}

}  // namespace

int main(int argc, char** argv) {
  const std::string path = program::driver();
  const std::string manifest = std::getenv("VK_ICD_FILENAMES") != nullptr ? std::getenv("VK_ICD_FILENAMES") : "";
  const std::string_view how = option(argc, argv, "--how", "open"), end = option(argc, argv, "--end", "return");
  if (option(argc, argv, "--begin", "") == "clearenv") {
    clearenv();
    setenv("VK_ICD_FILENAMES", manifest.c_str(), 1);
  }
  if (option(argc, argv, "--first", "") == "open")
    if (const int result = open_and_fill(path); result != 0) return result;
  const int result = how == "open"     ? open_and_fill(path)
                     : how == "loader" ? through_loader(std::string(option(argc, argv, "--loader", "")))
                                       : through_plugin(std::string(option(argc, argv, "--loader", path)), how);
  if (end == "_exit") _exit(result);
  if (end == "quick") std::quick_exit(result);
  if (end == "abort") std::abort();
  return result;
}
