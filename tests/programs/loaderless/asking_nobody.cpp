// SPDX-License-Identifier: Apache-2.0
// Libraries look up a driver's entry point where none is for them: one that the program began with, a plugin, and one
// that only the plugin needs; then also behind a driver that the program has opened for itself.
#include <dlfcn.h>
#include <unistd.h>

#include <cstdio>
#include <string>

#include "driver_path.h"

extern "C" void asks_first();

int main() {
  asks_first();
  char self[4096];
  const ssize_t bytes = readlink("/proc/self/exe", self, sizeof self);
  const std::string path(self, static_cast<std::size_t>(bytes > 0 ? bytes : 0));
  void* const plugin = dlopen((path.substr(0, path.rfind('/')) + "/libasks_itself.so").c_str(), RTLD_NOW | RTLD_LOCAL);
  const auto ask = reinterpret_cast<void (*)()>(plugin != nullptr ? dlsym(plugin, "asks_itself") : nullptr);
  if (ask == nullptr) return 1;
  ask();
  if (dlopen(program::driver().c_str(), RTLD_NOW | RTLD_LOCAL) == nullptr) return 77;
  ask();
  std::printf("closed: %d\n", dlclose(plugin));
  return 0;
}
