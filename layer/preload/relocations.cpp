// SPDX-License-Identifier: Apache-2.0
// Relocations of loaded objects ("System V ABI", gABI, chapter "Relocation").
#include <elf.h>
#include <fcntl.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/mman.h>
#include <unistd.h>

#include "layer/preload/shim.h"

namespace rondo::preload {

namespace {

#if defined(__x86_64__)
constexpr uint32_t kSlot = R_X86_64_JUMP_SLOT, kData = R_X86_64_GLOB_DAT, kPointer = R_X86_64_64;
#elif defined(__aarch64__)
constexpr uint32_t kSlot = R_AARCH64_JUMP_SLOT, kData = R_AARCH64_GLOB_DAT, kPointer = R_AARCH64_ABS64;
#else
#error "relocations of this architecture are not known here"
#endif

// What a mapping allows (PROT_…); -1: it is not known.
int protection_of(uintptr_t address) {
  const int file = open("/proc/self/maps", O_RDONLY | O_CLOEXEC);
  if (file < 0) return -1;
  char text[4096];
  size_t kept = 0;
  int found = -1;
  for (ssize_t got; found < 0 && (got = read(file, text + kept, sizeof text - 1 - kept)) > 0;) {
    const size_t bytes = kept + static_cast<size_t>(got);
    text[bytes] = '\0';
    char* line = text;
    for (char* end; (end = strchr(line, '\n')) != nullptr; line = end + 1) {
      uintptr_t bounds[2] = {};
      char* at = line;
      for (uintptr_t& bound : bounds) {
        for (; (*at >= '0' && *at <= '9') || (*at >= 'a' && *at <= 'f'); ++at)
          bound = bound * 16 + static_cast<uintptr_t>(*at <= '9' ? *at - '0' : *at - 'a' + 10);
        ++at;
      }
      if (address < bounds[0] || address >= bounds[1]) continue;
      found = (at[0] == 'r' ? PROT_READ : 0) | (at[1] == 'w' ? PROT_WRITE : 0) | (at[2] == 'x' ? PROT_EXEC : 0);
      break;
    }
    kept = static_cast<size_t>(text + bytes - line);
    if (kept == sizeof text - 1) break;  // no line of the kernel's is so long
    memmove(text, line, kept);
  }
  close(file);
  return found;
}

// In the object itself: a stub that finds out what is called. Where its header is mapped, as it is of libraries. What
// is linked to lie where it lies is the program.
bool is_in(const ElfTables& t, const void* address) {
  auto parts = reinterpret_cast<const ElfW(Phdr)*>(getauxval(AT_PHDR));
  size_t count = getauxval(AT_PHNUM);
  if (t.base != 0) {
    const auto* const header = reinterpret_cast<const ElfW(Ehdr)*>(t.base);
    if (memcmp(header->e_ident, ELFMAG, SELFMAG) != 0) return false;
    parts = reinterpret_cast<const ElfW(Phdr)*>(t.base + header->e_phoff);
    count = header->e_phnum;
  }
  for (size_t i = 0; i < count; ++i) {
    const ElfW(Addr) begin = t.base + parts[i].p_vaddr, at = reinterpret_cast<ElfW(Addr)>(address);
    if (parts[i].p_type == PT_LOAD && at >= begin && at - begin < parts[i].p_memsz) return true;
  }
  return false;
}

bool store(void** slot, void* value) {
  const auto address = reinterpret_cast<uintptr_t>(slot);
  const int before = protection_of(address);
  if (before < 0) return false;
  const auto page = static_cast<uintptr_t>(sysconf(_SC_PAGESIZE));
  auto* const first = reinterpret_cast<void*>(address & ~(page - 1));
  if ((before & PROT_WRITE) == 0 && mprotect(first, page, before | PROT_WRITE) != 0) return false;
  __atomic_store_n(slot, value, __ATOMIC_RELEASE);
  if ((before & PROT_WRITE) == 0) mprotect(first, page, before);
  return true;
}

}  // namespace

size_t patch(const ElfTables& t, const char* name, void* from, void* to) {
  if (t.symbols == nullptr || t.names == nullptr) return 0;
  size_t patched = 0;
  const auto take = [&](const ElfW(Rela) * all, size_t bytes) {
    for (size_t i = 0; all != nullptr && i < bytes / sizeof *all; ++i) {
      const auto type = static_cast<uint32_t>(ELF64_R_TYPE(all[i].r_info));
      const auto symbol = ELF64_R_SYM(all[i].r_info);
      if (symbol == 0 || (type != kSlot && type != kData && type != kPointer) || all[i].r_addend != 0) continue;
      void** const slot = reinterpret_cast<void**>(t.base + all[i].r_offset);
      void* const now =
          type == kPointer && all[i].r_offset % sizeof now != 0 ? nullptr : __atomic_load_n(slot, __ATOMIC_ACQUIRE);
      if ((type != kSlot && now != from) || strcmp(t.names + t.symbols[symbol].st_name, name) != 0) continue;
      if ((now == from || is_in(t, now)) && (to == nullptr || store(slot, to))) ++patched;
    }
  };
  take(t.calls, t.call_bytes);
  take(t.data, t.data_bytes);
  return patched;
}

}  // namespace rondo::preload
