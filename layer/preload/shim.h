// SPDX-License-Identifier: Apache-2.0
// Parts of the preload shim (rules at the top of shim.cpp).
#pragma once

#include <stddef.h>

#include "layer/elf_tables.h"

namespace rondo::preload {

// Whether this process is captured: RONDO_CAPTURE is exactly 1 (or the launcher wants the shim alone), RONDO_DISABLE is not
// set, the process has no other user's rights. Told once, when the shim is loaded.
bool active();

// Of the process when it began, null-terminated; kept.
char* const* first_environment();
const char* first_variable(const char* name);

// The shim's own file, and that of the layer's library beside it; empty: not to be had.
const char* own_path();
// A function of the layer's library, which is loaded now if it was not; null: it cannot be, which is said once.
void* layer_function(const char* name);
void* layer_function_if_loaded(const char* name);

// The C library's own, whatever stands in front of it.
void* real_function(const char* name);

// What a program gets that looks `name` up in `library` (of dlopen, or RTLD_DEFAULT): null: what is there.
void* instead_of(void* library, const char* name);

// relocations.cpp. Puts `to` where the object calls what is now at another address under this name. Pages that the dynamic linker
// protected are writable meanwhile, and as they were then. How many places.
size_t patch(const ElfTables& object, const char* name, void* to);

// patches.cpp. Objects that do not see the shim's functions: loaded with RTLD_DEEPBIND, or into a namespace of their own.
void note_open(int mode);
void note_namespace();
// Leads their calls to the shim, where such objects came since. `library`: whose namespace is looked at, too.
void patch_objects(void* library);
void patch_linked_driver();

// exec.cpp. What a program's child is started with: `asked`, and of first_environment() what is needed to capture it and is
// not there, unless RONDO_CHILDREN=0 or `asked` says that it is not to be. In `room`, which has kRoom more pointers than
// `asked`, and `text` (kText bytes).
constexpr size_t kRoom = 520, kText = 16 << 10;
char* const* environment_for(char* const* asked, char** room, char* text);
size_t count_of(char* const* all);

}  // namespace rondo::preload
