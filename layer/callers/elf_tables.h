// SPDX-License-Identifier: Apache-2.0
// Symbols of loaded objects, as the dynamic linker has mapped them: also of files that are gone or that no path leads
// to ("System V ABI", gABI, chapter "Symbol Table"; the hash table is GNU's). For the shim, too: the C library alone,
// no exceptions.
#pragma once

#include <link.h>
#include <stddef.h>
#include <stdint.h>

namespace rondo {

// As strcmp: a sanitizer's is not to be called before its runtime is set up, and that looks functions up.
inline bool is_same(const char* one, const char* other) {
  for (; *one == *other; ++one, ++other)
    if (*one == '\0') return true;
  return false;
}

// What an object's dynamic section tells. Null: it has none.
struct ElfTables {
  // `base`: where it was loaded (dlpi_addr, l_addr).
  ElfTables(const ElfW(Dyn) * dynamic, ElfW(Addr) base);
  // A symbol that it defines itself, in its default version; null: it does not.
  void* defined(const char* name) const;

  ElfW(Addr) base = 0;
  const ElfW(Sym) * symbols = nullptr;
  const char* names = nullptr;
  const uint32_t* hash = nullptr;      // GNU's
  const uint32_t* old_hash = nullptr;  // System V's
  const ElfW(Half) * versions = nullptr;
  const ElfW(Rela) * calls = nullptr;
  const ElfW(Rela) * data = nullptr;
  size_t call_bytes = 0, data_bytes = 0;
};

// The same of what dl_iterate_phdr tells of an object.
ElfTables elf_tables_of(const dl_phdr_info& object);

}  // namespace rondo
