// SPDX-License-Identifier: Apache-2.0
#include "player/show/desktop/desktop.h"

#include <dlfcn.h>

#include <cstdlib>

namespace rondo::player {

namespace {

bool is_set(const char* variable) {
  const char* value = std::getenv(variable);
  return value != nullptr && *value != '\0';
}

}  // namespace

DesktopLibrary::DesktopLibrary(const char* file, const char* package)
    : file_(file), package_(package), handle_(dlopen(file, RTLD_NOW | RTLD_LOCAL)) {}

void* DesktopLibrary::symbol(const char* name) {
  void* found = handle_ != nullptr ? dlsym(handle_, name) : nullptr;
  if (found == nullptr) missing_ += (missing_.empty() ? "" : ", ") + std::string(name);
  return found;
}

Result<void> DesktopLibrary::check() const {
  if (handle_ == nullptr) return fail(Status::device, "--window: " + file_ + " is not here (Debian: " + package_ + ")");
  if (!missing_.empty()) return fail(Status::device, "--window: " + file_ + " is too old: it lacks " + missing_);
  return {};
}

Result<std::unique_ptr<Desktop>> Desktop::open() {
  if (is_set("DISPLAY")) return open_xcb();
  if (is_set("WAYLAND_DISPLAY")) return open_wayland();
  return fail(Status::usage, "--window: no window system is here: neither DISPLAY nor WAYLAND_DISPLAY is set");
}

}  // namespace rondo::player
