// SPDX-License-Identifier: Apache-2.0
// What of an ELF file says how it is started. elf_program.cpp is the only file that includes libelf.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace rondo::analyzers {

// For what processors and in which form a file is made.
struct Machine {
  std::uint8_t file_class = 0;  // ELFCLASS32 or ELFCLASS64
  std::uint8_t order = 0;       // ELFDATA2LSB or ELFDATA2MSB
  std::uint16_t number = 0;     // EM_…
  bool operator==(const Machine&) const = default;
};
std::string machine_text(const Machine& machine);  // "64-bit x86-64"
Machine own_machine();                             // what this program is built for

struct ElfProgram {
  Machine machine;
  bool whole = false;       // false: the file ends before its headers, or a page before its segments do
  bool executable = false;  // of a type that can be executed at all; else an object file, a core dump
  bool has_segments = false;
  std::string interpreter;  // the dynamic linker that the kernel starts; empty: there is none
  // That it is linked statically is certain (also static-pie). Not so of dynamic linkers, of what is packed (UPX) and
  // of AppImages, which start dynamic programs.
  bool is_static = false;
  std::vector<std::string> libraries;  // that it asks for itself (DT_NEEDED), in its order
};

// Of an open file; what is behind `whole` is told of whole ones only. Nothing: it does not begin as ELF files do.
std::optional<ElfProgram> read_elf_program(int file);

}  // namespace rondo::analyzers
