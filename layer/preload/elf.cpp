// SPDX-License-Identifier: Apache-2.0
// Symbols and relocations of loaded objects, as the dynamic linker has mapped them: also of files that are gone or that no
// path leads to ("System V ABI", "ELF gABI", chapters "Symbol Table" and "Relocation"; the hash table is GNU's).
#include <elf.h>
#include <fcntl.h>
#include <link.h>
#include <stdint.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "layer/preload/shim.h"

namespace rondo::preload {

namespace {

#if defined(__x86_64__)
constexpr uint32_t kSlot = R_X86_64_JUMP_SLOT, kData = R_X86_64_GLOB_DAT, kWord = R_X86_64_64;
#elif defined(__aarch64__)
constexpr uint32_t kSlot = R_AARCH64_JUMP_SLOT, kData = R_AARCH64_GLOB_DAT, kWord = R_AARCH64_ABS64;
#else
#error "relocations of this architecture are not known here"
#endif

struct Tables {
  const ElfW(Sym)* symbols = nullptr;
  const char* names = nullptr;
  const uint32_t* hash = nullptr;      // GNU's
  const uint32_t* old_hash = nullptr;  // System V's
  const ElfW(Half)* versions = nullptr;
  const ElfW(Rela)* calls = nullptr;
  const ElfW(Rela)* data = nullptr;
  size_t call_bytes = 0, data_bytes = 0;
};

Tables tables_of(const ElfW(Dyn)* dynamic, ElfW(Addr) base) {
  Tables t;
  const ElfW(Rela)* calls = nullptr;
  bool with_addends = false;
  for (; dynamic != nullptr && dynamic->d_tag != DT_NULL; ++dynamic) {
    // Some objects' are relative still (the kernel's).
    const ElfW(Addr) at = dynamic->d_un.d_ptr < base ? dynamic->d_un.d_ptr + base : dynamic->d_un.d_ptr;
    switch (dynamic->d_tag) {
      case DT_SYMTAB: t.symbols = reinterpret_cast<const ElfW(Sym)*>(at); break;
      case DT_STRTAB: t.names = reinterpret_cast<const char*>(at); break;
      case DT_GNU_HASH: t.hash = reinterpret_cast<const uint32_t*>(at); break;
      case DT_HASH: t.old_hash = reinterpret_cast<const uint32_t*>(at); break;
      case DT_VERSYM: t.versions = reinterpret_cast<const ElfW(Half)*>(at); break;
      case DT_JMPREL: calls = reinterpret_cast<const ElfW(Rela)*>(at); break;
      case DT_PLTRELSZ: t.call_bytes = dynamic->d_un.d_val; break;
      case DT_PLTREL: with_addends = dynamic->d_un.d_val == DT_RELA; break;
      case DT_RELA: t.data = reinterpret_cast<const ElfW(Rela)*>(at); break;
      case DT_RELASZ: t.data_bytes = dynamic->d_un.d_val; break;
      default: break;
    }
  }
  if (with_addends) t.calls = calls;
  return t;
}

uint32_t gnu_hash(const char* name) {
  uint32_t hash = 5381;
  for (; *name != '\0'; ++name) hash = hash * 33 + static_cast<unsigned char>(*name);
  return hash;
}

// A default version's, where there are several.
void* value_of(const Tables& t, ElfW(Addr) base, size_t index, const char* name) {
  const ElfW(Sym)& symbol = t.symbols[index];
  const unsigned type = symbol.st_info & 15;
  constexpr ElfW(Half) hidden = 0x8000;
  if (symbol.st_shndx == SHN_UNDEF || symbol.st_value == 0 || (type != STT_FUNC && type != STT_NOTYPE && type != STT_OBJECT)) return nullptr;
  if (t.versions != nullptr && (t.versions[index] & hidden) != 0) return nullptr;
  return strcmp(t.names + symbol.st_name, name) == 0 ? reinterpret_cast<void*>(base + symbol.st_value) : nullptr;
}

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

void* defined_in(const ElfW(Dyn)* dynamic, ElfW(Addr) base, const char* name) {
  const Tables t = tables_of(dynamic, base);
  if (t.symbols == nullptr || t.names == nullptr) return nullptr;
  if (t.hash != nullptr) {
    const uint32_t buckets = t.hash[0], first = t.hash[1], words = t.hash[2];
    const auto* const bucket = reinterpret_cast<const uint32_t*>(reinterpret_cast<const ElfW(Addr)*>(t.hash + 4) + words);
    const uint32_t* const chain = bucket + buckets;
    const uint32_t hash = gnu_hash(name);
    if (buckets == 0) return nullptr;
    uint32_t index = bucket[hash % buckets];
    if (index < first) return nullptr;
    for (;; ++index) {
      const uint32_t one = chain[index - first];
      if ((one | 1) == (hash | 1))
        if (void* const value = value_of(t, base, index, name); value != nullptr) return value;
      if ((one & 1) != 0) return nullptr;
    }
  }
  for (uint32_t i = 0; t.old_hash != nullptr && i < t.old_hash[1]; ++i)
    if (void* const value = value_of(t, base, i, name); value != nullptr) return value;
  return nullptr;
}

size_t patch(const ElfW(Dyn)* dynamic, ElfW(Addr) base, const char* name, void* to) {
  const Tables t = tables_of(dynamic, base);
  if (t.symbols == nullptr || t.names == nullptr) return 0;
  size_t patched = 0;
  const auto take = [&](const ElfW(Rela)* all, size_t bytes) {
    for (size_t i = 0; all != nullptr && i < bytes / sizeof *all; ++i) {
      const auto type = static_cast<uint32_t>(ELF64_R_TYPE(all[i].r_info));
      const auto symbol = ELF64_R_SYM(all[i].r_info);
      if (symbol == 0 || (type != kSlot && type != kData && type != kWord) || all[i].r_addend != 0) continue;
      if (strcmp(t.names + t.symbols[symbol].st_name, name) != 0) continue;
      void** const slot = reinterpret_cast<void**>(base + all[i].r_offset);
      if (__atomic_load_n(slot, __ATOMIC_ACQUIRE) != to && store(slot, to)) ++patched;
    }
  };
  take(t.calls, t.call_bytes);
  take(t.data, t.data_bytes);
  return patched;
}

}  // namespace rondo::preload
