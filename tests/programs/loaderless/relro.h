// SPDX-License-Identifier: Apache-2.0
// Whether pages that the dynamic linker made read-only once it had relocated them (RELRO) are so still.
#pragma once

#include <link.h>
#include <unistd.h>

#include <cstdint>
#include <cstdio>
#include <cstring>

namespace program {

// What the kernel says of the mapping that holds it ("rw-p"); false: there is none.
inline bool protection_at(std::uintptr_t address, char* flags) {
  std::FILE* const maps = std::fopen("/proc/self/maps", "re");
  if (maps == nullptr) return false;
  char line[4096];
  bool found = false;
  while (!found && std::fgets(line, sizeof line, maps) != nullptr) {
    unsigned long begin = 0, end = 0;
    found = std::sscanf(line, "%lx-%lx %4s", &begin, &end, flags) == 3 && address >= begin && address < end;
  }
  std::fclose(maps);
  return found;
}

// How many such pages can be written, of all objects of the caller's namespace; each is named on stderr.
inline int writable_relro_pages() {
  int pages = 0;
  dl_iterate_phdr(
      [](dl_phdr_info* object, std::size_t, void* data) {
        for (int i = 0; i < object->dlpi_phnum; ++i) {
          const ElfW(Phdr)& part = object->dlpi_phdr[i];
          if (part.p_type != PT_GNU_RELRO) continue;
          static const auto page = static_cast<std::uintptr_t>(sysconf(_SC_PAGESIZE));
          // As the dynamic linker does it: whole pages alone.
          const std::uintptr_t begin = (object->dlpi_addr + part.p_vaddr) & ~(page - 1);
          const std::uintptr_t end = (object->dlpi_addr + part.p_vaddr + part.p_memsz) & ~(page - 1);
          for (std::uintptr_t at = begin; at < end; at += page) {
            char flags[5] = "";
            if (protection_at(at, flags) && std::strchr(flags, 'w') == nullptr) continue;
            std::fprintf(stderr, "%s: a page of RELRO is %s\n", object->dlpi_name, flags);
            ++*static_cast<int*>(data);
          }
        }
        return 0;
      },
      &pages);
  return pages;
}

}  // namespace program
