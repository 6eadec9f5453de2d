// SPDX-License-Identifier: Apache-2.0
// Finds the recorder that the Vulkan loader has opened, and hands marks on to
// it. Rules: nothing but the C library, no exceptions, no allocation.
#include "rondo_scope.h"

#include <dlfcn.h>

#include <atomic>

#define RONDO_EXPORT extern "C" __attribute__((visibility("default")))

namespace {

using Begin = void (*)(const char*);
using End = void (*)();

struct Recorder {
  std::atomic<Begin> begin{nullptr};
  std::atomic<End> end{nullptr};
};
constinit Recorder g_recorder;

// The layer stays loaded once it is. The loader may open it at any time: looked for at every mark
// until it is there, which costs about a microsecond.
bool find() {
  if (g_recorder.begin.load(std::memory_order_acquire) != nullptr) return true;
  void* const layer = ::dlopen("librondo_layer.so", RTLD_LAZY | RTLD_NOLOAD);
  if (layer == nullptr) {
    static_cast<void>(::dlerror());  // the program's own calls see none of it
    return false;
  }
  const auto begin = reinterpret_cast<Begin>(::dlsym(layer, "rondo_layer_scope_begin"));
  const auto end = reinterpret_cast<End>(::dlsym(layer, "rondo_layer_scope_end"));
  ::dlclose(layer);
  if (begin == nullptr || end == nullptr) return false;
  g_recorder.end.store(end, std::memory_order_relaxed);
  g_recorder.begin.store(begin, std::memory_order_release);
  return true;
}

}  // namespace

RONDO_EXPORT void rondo_scope_begin(const char* name) {
  if (find()) g_recorder.begin.load(std::memory_order_relaxed)(name == nullptr ? "" : name);
}

RONDO_EXPORT void rondo_scope_end(void) {
  if (find()) g_recorder.end.load(std::memory_order_relaxed)();
}
