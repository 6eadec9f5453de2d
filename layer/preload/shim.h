// SPDX-License-Identifier: Apache-2.0
// Parts of the preload shim (rules at the top of shim.cpp).
#pragma once

#include <stddef.h>

#include "layer/callers/elf_tables.h"
#include "layer/driver/door_words.h"

namespace rondo::preload {

// Whether this process is captured: RONDO_CAPTURE is exactly 1 (or the launcher wants the shim alone), RONDO_DISABLE is
// not set, the process has no other user's rights. Told once, when the shim is loaded.
bool active();

// Of the process when it began, null-terminated; kept.
char* const* first_environment();
const char* first_variable(const char* name);

// The shim's own file, and that of the layer's library beside it; empty: not to be had.
const char* own_path();
// The layer's library, which is loaded now if it was not; null: it cannot be, which is said once.
void* layer_library();
// What instead_of() found in copies of that library (a process may have several, of other paths or in other
// namespaces), for callers that may look nothing up: null until then. Each is loaded and stored as a whole, `close`
// first.
struct LayerFunctions {
  RondoClose close = nullptr;
  void (*scope_begin)(const char* name) = nullptr;
  void (*scope_end)() = nullptr;
  RondoAdvise advise = nullptr;
};
extern LayerFunctions g_layers[4];

// The next one behind the shim: the C library's own, or another library's that is preloaded, too. Looked up when the
// shim is loaded; before that (in constructors of others) at each call.
void* real_function(const char* name);
void find_real_functions();

struct Lookup {
  void* library;      // of dlopen, or RTLD_DEFAULT, or RTLD_NEXT
  const void* asker;  // code of the object that looks something up
};
// What a program gets that looks `name` up, of this version if it asks for one: null: what is there. What dlerror tells
// of these lookups, later ones that succeed take back.
void* instead_of(const Lookup& who, const char* name, const char* version = nullptr);

// relocations.cpp. Puts `to` where the object calls `from` under this name, or is to find out yet what it calls. Pages
// that the dynamic linker protected are writable meanwhile, and as they were then. How many places; where `to` is null,
// nothing is put there. Others of the process do not load or unload objects meanwhile.
size_t patch(const ElfTables& object, const char* name, void* from, void* to);

// patches.cpp. Objects that do not see the shim's functions: loaded with RTLD_DEEPBIND, or into a namespace of their
// own.
void note_open(int mode);
void note_namespace();
// Whether it is the same whoever opens it, whose code has this address: where a name is looked for, and what $ORIGIN
// is, depends on the caller; so does the namespace.
bool is_anybodys(const char* path, const void* caller);
// Opens what is anybody's with RTLD_DEEPBIND, and leads its calls here before anybody calls it.
void* open_deeply(const char* path, int mode);
// Leads their calls to the shim, where such objects came since. `library`: whose namespace is looked at, too.
void patch_objects(void* library);
// Objects that are linked against a driver look nothing up: their calls are led to its door, those of objects that came
// since.
void patch_linked_drivers();
// What is given out instead of a driver's entry points (layer/driver/door_words.h); false: it is not recorded.
bool door_of(const RondoDriver& driver, RondoDriver& instead);

// programs.cpp. Where LD_PRELOAD has the shim: in front of others; or, for a program of AddressSanitizer's shared
// runtime, which starts only where that is the first library, behind others, and nowhere if there are none. Of the file
// that execve, execvpe (`in_path`), execveat or fexecve is to start.
enum class Place { in_front, behind };
Place place_in(int directory, const char* path, bool in_path);
Place place_in(int program);

// exec.cpp. What a program's child is started with: `asked`, and of first_environment() what is needed to capture it
// and is not there, unless RONDO_CHILDREN=0 or `asked` says that it is not to be.
struct ChildEnvironment {
  explicit ChildEnvironment(char* const* environment, Place place = Place::in_front);
  // What the two below need, in bytes; both 0: `asked` is right as it is.
  size_t pointer_bytes = 0, text_bytes = 0;
  char* const* write(char** pointers, char* text) const;
  // What a shell without it is told to become one that has it, "export NAME='value' …; exec /bin/sh -c 'command' sh";
  // where `text` is null, how long that is, with its zero. 0: the command is right as it is.
  size_t write_command(const char* command, char* text) const;
  char* const* asked;

 private:
  bool is_changed(const char* variable) const;
  char* write_preload(const char* variable, char* text) const;
  Place place_;
  bool wanted_ = false;
};

}  // namespace rondo::preload
