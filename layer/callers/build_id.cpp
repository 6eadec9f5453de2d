// SPDX-License-Identifier: Apache-2.0
#include "layer/callers/build_id.h"

#include <elf.h>

#include <cstdint>
#include <cstring>

namespace rondo::layer {

std::span<const std::byte> build_id_of(const dl_phdr_info& module) {
  for (int i = 0; i < module.dlpi_phnum; ++i) {
    const ElfW(Phdr)& segment = module.dlpi_phdr[i];
    if (segment.p_type != PT_NOTE) continue;
    const auto* at = reinterpret_cast<const std::byte*>(module.dlpi_addr + segment.p_vaddr);
    const auto* end = at + segment.p_memsz;
    while (at + sizeof(ElfW(Nhdr)) <= end) {
      ElfW(Nhdr) note;
      std::memcpy(&note, at, sizeof note);
      const auto* name = at + sizeof note;
      const auto* content = name + ((note.n_namesz + 3u) & ~3u);
      at = content + ((note.n_descsz + 3u) & ~3u);
      if (at > end) break;
      if (note.n_type == NT_GNU_BUILD_ID && note.n_namesz == 4 && std::memcmp(name, "GNU", 4) == 0)
        return {content, note.n_descsz};
    }
  }
  return {};
}

}  // namespace rondo::layer
