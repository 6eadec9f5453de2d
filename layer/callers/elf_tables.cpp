// SPDX-License-Identifier: Apache-2.0
#include "layer/callers/elf_tables.h"

#include <elf.h>

namespace rondo {

namespace {

uint32_t gnu_hash(const char* name) {
  uint32_t hash = 5381;
  for (; *name != '\0'; ++name) hash = hash * 33 + static_cast<unsigned char>(*name);
  return hash;
}

// A default version's, where there are several.
void* value_of(const ElfTables& t, size_t index, const char* name) {
  const ElfW(Sym)& symbol = t.symbols[index];
  const unsigned type = symbol.st_info & 15;
  constexpr ElfW(Half) hidden = 0x8000;
  if (symbol.st_shndx == SHN_UNDEF || symbol.st_value == 0 ||
      (type != STT_FUNC && type != STT_NOTYPE && type != STT_OBJECT))
    return nullptr;
  if (t.versions != nullptr && (t.versions[index] & hidden) != 0) return nullptr;
  return is_same(t.names + symbol.st_name, name) ? reinterpret_cast<void*>(t.base + symbol.st_value) : nullptr;
}

}  // namespace

ElfTables::ElfTables(const ElfW(Dyn) * dynamic, ElfW(Addr) at_base) : base(at_base) {
  const ElfW(Rela)* of_calls = nullptr;
  bool with_addends = false;
  for (; dynamic != nullptr && dynamic->d_tag != DT_NULL; ++dynamic) {
    // Some objects' are relative still (the kernel's).
    const ElfW(Addr) at = dynamic->d_un.d_ptr < base ? dynamic->d_un.d_ptr + base : dynamic->d_un.d_ptr;
    switch (dynamic->d_tag) {
      case DT_SYMTAB:
        symbols = reinterpret_cast<const ElfW(Sym)*>(at);
        break;
      case DT_STRTAB:
        names = reinterpret_cast<const char*>(at);
        break;
      case DT_GNU_HASH:
        hash = reinterpret_cast<const uint32_t*>(at);
        break;
      case DT_HASH:
        old_hash = reinterpret_cast<const uint32_t*>(at);
        break;
      case DT_VERSYM:
        versions = reinterpret_cast<const ElfW(Half)*>(at);
        break;
      case DT_JMPREL:
        of_calls = reinterpret_cast<const ElfW(Rela)*>(at);
        break;
      case DT_PLTRELSZ:
        call_bytes = dynamic->d_un.d_val;
        break;
      case DT_PLTREL:
        with_addends = dynamic->d_un.d_val == DT_RELA;
        break;
      case DT_RELA:
        data = reinterpret_cast<const ElfW(Rela)*>(at);
        break;
      case DT_RELASZ:
        data_bytes = dynamic->d_un.d_val;
        break;
      default:
        break;
    }
  }
  if (with_addends) calls = of_calls;
}

void* ElfTables::defined(const char* name) const {
  if (symbols == nullptr || names == nullptr) return nullptr;
  if (hash != nullptr) {
    const uint32_t buckets = hash[0], first = hash[1], words = hash[2];
    const auto* const bucket = reinterpret_cast<const uint32_t*>(reinterpret_cast<const ElfW(Addr)*>(hash + 4) + words);
    const uint32_t* const chain = bucket + buckets;
    const uint32_t wanted = gnu_hash(name);
    if (buckets == 0) return nullptr;
    uint32_t index = bucket[wanted % buckets];
    if (index < first) return nullptr;
    for (;; ++index) {
      const uint32_t one = chain[index - first];
      if ((one | 1) == (wanted | 1))
        if (void* const value = value_of(*this, index, name); value != nullptr) return value;
      if ((one & 1) != 0) return nullptr;
    }
  }
  for (uint32_t i = 0; old_hash != nullptr && i < old_hash[1]; ++i)
    if (void* const value = value_of(*this, i, name); value != nullptr) return value;
  return nullptr;
}

ElfTables elf_tables_of(const dl_phdr_info& object) {
  const ElfW(Dyn)* dynamic = nullptr;
  for (size_t i = 0; i < object.dlpi_phnum; ++i)
    if (object.dlpi_phdr[i].p_type == PT_DYNAMIC)
      dynamic = reinterpret_cast<const ElfW(Dyn)*>(object.dlpi_addr + object.dlpi_phdr[i].p_vaddr);
  return {dynamic, object.dlpi_addr};
}

}  // namespace rondo
