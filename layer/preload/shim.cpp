// SPDX-License-Identifier: Apache-2.0
// librondo_preload.so (LD_PRELOAD): the capture side of what a layer cannot see. It finds drivers where loaders and
// programs look their entry points up, and opens the recorder's other door for them (layer/driver/door.h).
//
// Its rules, since it is in every process below the launcher:
// - Nothing but the C library is linked; no C++ run time, no exceptions, no allocation at start.
// - No symbol is seen but those that it interposes and the scope functions (shim.map).
// - A function that it does not want is the C library's, called in tail position: dlopen and dlsym look at who called
// them
//   (RPATH, RTLD_NEXT, the namespace), and that must be the program. This file is always compiled with sibling calls.
// - Where capturing is off all of them do nothing else. The layer's library is loaded when the first driver is found,
// never before.
// - errno is the program's.
// - It locks nothing over a call of anybody else's.
#include "layer/preload/shim.h"

#include <dlfcn.h>
#include <elf.h>
#include <errno.h>
#include <stdint.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <initializer_list>

extern char** environ;

namespace rondo::preload {

namespace {

constexpr size_t kMostVariables = 512;
constexpr size_t kVariableBytes = 48 << 10;

// What was of use of the environment when the process began, copied: programs write over theirs.
char* g_variables[kMostVariables + 1];
char g_bytes[kVariableBytes];
bool g_active = false;
char g_own_path[4096];

bool is_kept(const char* variable) {
  if (strchr(variable, '=') == nullptr) return false;
  for (const char* begin : {"RONDO_", "LD_PRELOAD=", "XDG_DATA_DIRS=", "VK_ADD_IMPLICIT_LAYER_PATH="})
    if (strncmp(variable, begin, strlen(begin)) == 0) return true;
  return false;
}

void keep_variables() {
  size_t count = 0, used = 0;
  for (char** all = environ; all != nullptr && *all != nullptr && count < kMostVariables; ++all) {
    if (!is_kept(*all)) continue;
    const size_t bytes = strlen(*all) + 1;
    if (bytes > sizeof g_bytes - used) continue;
    memcpy(g_bytes + used, *all, bytes);
    g_variables[count++] = g_bytes + used;
    used += bytes;
  }
}

bool is(const char* variable, const char* value) {
  const char* const text = first_variable(variable);
  return text != nullptr && strcmp(text, value) == 0;
}

// The object that holds this function.
int note_own_path(dl_phdr_info* info, size_t, void*) {
  const auto here = reinterpret_cast<uintptr_t>(&note_own_path);
  for (size_t i = 0; i < info->dlpi_phnum; ++i) {
    const ElfW(Phdr)& part = info->dlpi_phdr[i];
    const uintptr_t begin = info->dlpi_addr + part.p_vaddr;
    if (part.p_type != PT_LOAD || here < begin || here - begin >= part.p_memsz) continue;
    // Absolute: the program may go to another directory.
    const size_t length = strlen(info->dlpi_name);
    size_t in_front = 0;
    if (info->dlpi_name[0] != '/' && getcwd(g_own_path, sizeof g_own_path - 1) != nullptr) {
      in_front = strlen(g_own_path);
      g_own_path[in_front++] = '/';
    }
    if (in_front + length < sizeof g_own_path) memcpy(g_own_path + in_front, info->dlpi_name, length + 1);
    return 1;
  }
  return 0;
}

void say(const char* first, const char* second) {
  const char* const parts[] = {"rondo: ", first, second, "\n"};
  for (const char* part : parts)
    if (write(STDERR_FILENO, part, strlen(part)) < 0) return;
}

}  // namespace

bool active() { return g_active; }
char* const* first_environment() { return g_variables; }
const char* own_path() { return g_own_path; }

const char* first_variable(const char* name) {
  const size_t length = strlen(name);
  for (char* const* all = g_variables; *all != nullptr; ++all)
    if (strncmp(*all, name, length) == 0 && (*all)[length] == '=') return *all + length + 1;
  return nullptr;
}

LayerFunctions g_layers[4];

// One that the loader has loaded already, or the one that lies beside the shim.
void* layer_library() {
  static bool told = false;
  constexpr char file[] = "librondo_layer.so";
  char path[sizeof g_own_path + sizeof file];
  strcpy(path, g_own_path);
  char* const slash = strrchr(path, '/');
  strcpy(slash != nullptr ? slash + 1 : path, file);
  const auto open = reinterpret_cast<void* (*)(const char*, int)>(real_function("dlopen"));
  void* loaded = open(file, RTLD_NOW | RTLD_LOCAL | RTLD_NOLOAD);
  if (loaded == nullptr) loaded = open(path, RTLD_NOW | RTLD_LOCAL);
  if (loaded == nullptr) {
    if (!__atomic_exchange_n(&told, true, __ATOMIC_RELAXED))
      say("not recording what the loader shows no layer: there is no library that can be loaded at ", path);
  }
  return loaded;
}

__attribute__((constructor)) static void begin() {
  if (getauxval(AT_SECURE) != 0) return;
  const int before = errno;
  find_real_functions();
  keep_variables();
  g_active = (is("RONDO_CAPTURE", "1") || is("RONDO_SHIM", "1")) && first_variable("RONDO_DISABLE") == nullptr;
  if (g_active) {
    dl_iterate_phdr(note_own_path, nullptr);
    // A program that is linked against a driver looks nothing up.
    patch_linked_drivers();
  }
  errno = before;
}

}  // namespace rondo::preload

using namespace rondo::preload;

#define RONDO_SEEN extern "C" __attribute__((visibility("default")))

RONDO_SEEN void* dlsym(void* library, const char* name) noexcept {
  if (active())
    if (void* const instead = instead_of({library, __builtin_return_address(0)}, name); instead != nullptr)
      return instead;
  static const auto real = reinterpret_cast<void* (*)(void*, const char*)>(real_function("dlsym"));
  return real(library, name);
}

RONDO_SEEN void* dlvsym(void* library, const char* name, const char* version) noexcept {
  if (active())
    if (void* const instead = instead_of({library, __builtin_return_address(0)}, name, version); instead != nullptr)
      return instead;
  static const auto real = reinterpret_cast<void* (*)(void*, const char*, const char*)>(real_function("dlvsym"));
  return real(library, name, version);
}

RONDO_SEEN void* dlopen(const char* path, int mode) {
  if (active()) {
    note_open(mode);
    if ((mode & RTLD_DEEPBIND) != 0 && is_anybodys(path, __builtin_return_address(0))) return open_deeply(path, mode);
  }
  static const auto real = reinterpret_cast<void* (*)(const char*, int)>(real_function("dlopen"));
  return real(path, mode);
}

RONDO_SEEN void* dlmopen(Lmid_t to, const char* path, int mode) {
  if (active()) note_namespace();
  static const auto real = reinterpret_cast<void* (*)(Lmid_t, const char*, int)>(real_function("dlmopen"));
  return real(to, path, mode);
}

// At the end of a process that runs no exit handlers the capture is closed. Not so of abort and fatal signals: what
// they interrupt may be anything; the file is readable as it is. The caller may be a signal handler: nothing is looked
// up here.
static void close_capture() {
  for (const LayerFunctions& layer : g_layers)
    if (const auto close = __atomic_load_n(&layer.close, __ATOMIC_ACQUIRE); close != nullptr) close(5000);
}

RONDO_SEEN __attribute__((noreturn)) void _exit(int status) {
  close_capture();
  reinterpret_cast<void (*)(int)>(real_function("_exit"))(status);
  __builtin_unreachable();
}

RONDO_SEEN __attribute__((noreturn)) void _Exit(int status) noexcept {
  close_capture();
  reinterpret_cast<void (*)(int)>(real_function("_exit"))(status);
  __builtin_unreachable();
}

// As the scope library has them (layer/scope/rondo_scope.h): for programs that look for these before they load it.
// Nothing is recorded before the first driver was found.
RONDO_SEEN void rondo_scope_begin(const char* name) {
  for (const LayerFunctions& layer : g_layers)
    if (const auto begin = __atomic_load_n(&layer.scope_begin, __ATOMIC_ACQUIRE); begin != nullptr) begin(name);
}
RONDO_SEEN void rondo_scope_end(void) {
  for (const LayerFunctions& layer : g_layers)
    if (const auto end = __atomic_load_n(&layer.scope_end, __ATOMIC_ACQUIRE); end != nullptr) end();
}

// Allocators call it, also before the shim is set up and where nothing may be looked up: so the kernel is asked, and
// not the C library, which does the same.
RONDO_SEEN int madvise(void* start, size_t bytes, int advice) noexcept {
  for (const LayerFunctions& layer : g_layers) {
    const auto ask = __atomic_load_n(&layer.advise, __ATOMIC_ACQUIRE);
    const int answer = ask == nullptr ? -1 : ask(start, bytes, advice);
    if (answer == 0) return 0;
    if (answer > 0) {
      errno = answer;
      return -1;
    }
  }
  return static_cast<int>(syscall(SYS_madvise, start, bytes, advice));
}
