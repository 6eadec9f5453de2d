// SPDX-License-Identifier: Apache-2.0
#include "layer/memory/redirect.h"

#include <dlfcn.h>
#include <elf.h>
#include <link.h>
#include <sys/mman.h>

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <initializer_list>

namespace rondo::memory {
namespace {

#if defined(__x86_64__)
constexpr std::uint32_t kSlots[] = {R_X86_64_JUMP_SLOT, R_X86_64_GLOB_DAT};
#define RONDO_REDIRECTS 1
#elif defined(__aarch64__)
constexpr std::uint32_t kSlots[] = {R_AARCH64_JUMP_SLOT, R_AARCH64_GLOB_DAT};
#define RONDO_REDIRECTS 1
#endif

#ifdef RONDO_REDIRECTS

constexpr std::uintptr_t kPage = 4096;

struct Request {
  const Redirection* all;
  unsigned count;
  const void* own;  // our object's base: it keeps the real functions
};

struct Imports {
  const char* strings = nullptr;
  const ElfW(Sym) * symbols = nullptr;
  struct Relocations {
    const ElfW(Rela) * first = nullptr;
    std::size_t bytes = 0;
  } plt, others;
};

// The dynamic linker has made most addresses absolute; some objects keep offsets.
template <class T>
const T* pointer(ElfW(Addr) base, ElfW(Addr) value) {
  return reinterpret_cast<const T*>(value < base ? base + value : value);
}

Imports imports_of(ElfW(Addr) base, const ElfW(Dyn) * dynamic) {
  Imports imports;
  for (; dynamic->d_tag != DT_NULL; ++dynamic) {
    const ElfW(Addr) value = dynamic->d_un.d_ptr;
    switch (dynamic->d_tag) {
      case DT_STRTAB:
        imports.strings = pointer<char>(base, value);
        break;
      case DT_SYMTAB:
        imports.symbols = pointer<ElfW(Sym)>(base, value);
        break;
      case DT_JMPREL:
        imports.plt.first = pointer<ElfW(Rela)>(base, value);
        break;
      case DT_PLTRELSZ:
        imports.plt.bytes = value;
        break;
      case DT_RELA:
        imports.others.first = pointer<ElfW(Rela)>(base, value);
        break;
      case DT_RELASZ:
        imports.others.bytes = value;
        break;
      default:
        break;
    }
  }
  return imports;
}

// Tables are read-only once an object is loaded ("RELRO"): `relro` says where.
void store(std::uintptr_t at, void* value, std::uintptr_t relro_begin, std::uintptr_t relro_end) {
  void** const slot = reinterpret_cast<void**>(at);
  if (__atomic_load_n(slot, __ATOMIC_RELAXED) == value) return;
  void* const first = reinterpret_cast<void*>(at / kPage * kPage);
  const bool closed = at >= relro_begin && at < relro_end;
  if (closed && mprotect(first, kPage, PROT_READ | PROT_WRITE) != 0) return;
  __atomic_store_n(slot, value, __ATOMIC_RELEASE);
  if (closed) mprotect(first, kPage, PROT_READ);
}

int visit(dl_phdr_info* object, std::size_t, void* passed) {
  const Request& request = *static_cast<const Request*>(passed);
  if (reinterpret_cast<const void*>(object->dlpi_addr) == request.own) return 0;
  const ElfW(Dyn)* dynamic = nullptr;
  std::uintptr_t relro_begin = 0, relro_end = 0;
  for (int i = 0; i < object->dlpi_phnum; ++i) {
    const ElfW(Phdr)& part = object->dlpi_phdr[i];
    if (part.p_type == PT_DYNAMIC) dynamic = reinterpret_cast<const ElfW(Dyn)*>(object->dlpi_addr + part.p_vaddr);
    if (part.p_type == PT_GNU_RELRO) {
      relro_begin = (object->dlpi_addr + part.p_vaddr) / kPage * kPage;
      relro_end = (object->dlpi_addr + part.p_vaddr + part.p_memsz) / kPage * kPage;
    }
  }
  if (dynamic == nullptr) return 0;
  const Imports imports = imports_of(object->dlpi_addr, dynamic);
  if (imports.strings == nullptr || imports.symbols == nullptr) return 0;
  for (const Imports::Relocations& part : {imports.plt, imports.others}) {
    for (std::size_t i = 0; part.first != nullptr && i < part.bytes / sizeof(ElfW(Rela)); ++i) {
      const ElfW(Rela)& relocation = part.first[i];
      const auto kind = static_cast<std::uint32_t>(ELF64_R_TYPE(relocation.r_info));
      if (kind != kSlots[0] && kind != kSlots[1]) continue;
      const char* const name = imports.strings + imports.symbols[ELF64_R_SYM(relocation.r_info)].st_name;
      for (unsigned k = 0; k < request.count; ++k)
        if (std::strcmp(name, request.all[k].name) == 0)
          store(object->dlpi_addr + relocation.r_offset, request.all[k].replacement, relro_begin, relro_end);
    }
  }
  return 0;
}

#endif

}  // namespace

void redirect(const Redirection* all, unsigned count) noexcept {
#ifdef RONDO_REDIRECTS
  Dl_info about{};
  if (count == 0 || dladdr(all[0].replacement, &about) == 0) return;
  link_map* map = nullptr;
  if (dladdr1(all[0].replacement, &about, reinterpret_cast<void**>(&map), RTLD_DL_LINKMAP) == 0 || map == nullptr)
    return;
  Request request{all, count, reinterpret_cast<const void*>(map->l_addr)};
  dl_iterate_phdr(visit, &request);
#else
  static_cast<void>(all);
  static_cast<void>(count);
#endif
}

}  // namespace rondo::memory
