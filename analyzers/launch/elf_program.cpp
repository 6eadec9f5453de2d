// SPDX-License-Identifier: Apache-2.0
#include "analyzers/launch/elf_program.h"

#include <fcntl.h>
#include <gelf.h>
#include <libelf.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <climits>
#include <cstring>
#include <memory>
#include <string_view>
#include <vector>

#include "analyzers/text/text.h"

namespace rondo::analyzers {

namespace {

constexpr std::size_t kDynamicEntries = 4096;

struct Closes {
  void operator()(Elf* elf) const { ::elf_end(elf); }
};
using Opened = std::unique_ptr<Elf, Closes>;

std::string bytes_at(int file, std::uint64_t at, std::size_t count) {
  std::string bytes(count, '\0');
  const ssize_t got = ::pread(file, bytes.data(), count, static_cast<off_t>(at));
  bytes.resize(got < 0 ? 0 : static_cast<std::size_t>(got));
  return bytes;
}

// What the ident and the two words behind it say: also of files that end there.
Machine machine_of(const std::string& head) {
  const auto byte = [&](std::size_t i) { return static_cast<std::uint8_t>(i < head.size() ? head[i] : 0); };
  Machine machine{byte(EI_CLASS), byte(EI_DATA), 0};
  constexpr std::size_t kNumber = EI_NIDENT + sizeof(Elf64_Half);
  const std::size_t low = machine.order == ELFDATA2MSB ? 1 : 0;
  machine.number = static_cast<std::uint16_t>(byte(kNumber + low) | byte(kNumber + 1 - low) << 8);
  return machine;
}

// Such files are made to start what lies inside them, which is not seen from here.
bool starts_others(const std::string& head) {
  return head.find("UPX!") != std::string::npos || head.find("AI", EI_ABIVERSION) == EI_ABIVERSION;
}

struct Dynamic {
  bool is_program = false;            // DF_1_PIE
  std::vector<std::uint64_t> needed;  // names of libraries, …
  std::uint64_t strings = 0;          // … behind this address
};

Dynamic read_dynamic(Elf* elf, const GElf_Phdr& segment) {
  Dynamic found;
  const std::size_t one = ::gelf_fsize(elf, ELF_T_DYN, 1, EV_CURRENT);
  const std::size_t count = one == 0 ? 0 : std::min<std::size_t>(segment.p_filesz / one, kDynamicEntries);
  Elf_Data* const data =
      count == 0 ? nullptr
                 : ::elf_getdata_rawchunk(elf, static_cast<std::int64_t>(segment.p_offset), count * one, ELF_T_DYN);
  GElf_Dyn entry;
  for (std::size_t i = 0; data != nullptr && i < count && ::gelf_getdyn(data, static_cast<int>(i), &entry) != nullptr;
       ++i) {
    if (entry.d_tag == DT_NULL) break;
    if (entry.d_tag == DT_NEEDED) found.needed.push_back(entry.d_un.d_val);
    if (entry.d_tag == DT_STRTAB) found.strings = entry.d_un.d_ptr;
    if (entry.d_tag == DT_FLAGS_1) found.is_program = (entry.d_un.d_val & DF_1_PIE) != 0;
  }
  return found;
}

std::vector<std::string> names_of(int file, const Dynamic& dynamic, const std::vector<GElf_Phdr>& loaded) {
  std::vector<std::string> names;
  for (const GElf_Phdr& one : loaded) {
    if (dynamic.strings < one.p_vaddr || dynamic.strings - one.p_vaddr >= one.p_filesz) continue;
    for (const std::uint64_t name : dynamic.needed) {
      const std::string bytes = bytes_at(file, one.p_offset + (dynamic.strings - one.p_vaddr) + name, NAME_MAX);
      names.push_back(bytes.substr(0, bytes.find('\0')));
    }
    break;
  }
  return names;
}

// All but the machine. False: the file is not whole.
bool read_segments(int file, Elf* elf, std::uint64_t bytes, ElfProgram& program) {
  GElf_Ehdr header;
  if (::gelf_getehdr(elf, &header) == nullptr) return false;
  // Libraries have no entry point; the dynamic linker, which is a program, too, has one.
  program.executable = (header.e_type == ET_EXEC || header.e_type == ET_DYN) && header.e_entry != 0;
  program.has_segments = header.e_phnum != 0;
  const auto page = static_cast<std::uint64_t>(::sysconf(_SC_PAGESIZE));
  Dynamic dynamic;
  bool has_dynamic = false;
  std::vector<GElf_Phdr> loaded;
  for (int i = 0; i < header.e_phnum; ++i) {
    GElf_Phdr segment;
    if (::gelf_getphdr(elf, i, &segment) == nullptr) return false;
    const std::uint64_t end = segment.p_offset + segment.p_filesz;
    if (segment.p_type == PT_LOAD && (end < segment.p_offset || end > (bytes + page - 1) / page * page)) return false;
    if (segment.p_type == PT_LOAD) loaded.push_back(segment);
    if (segment.p_type == PT_INTERP) {
      if (segment.p_filesz > PATH_MAX || end > bytes) return false;
      const std::string name = bytes_at(file, segment.p_offset, segment.p_filesz);
      program.interpreter = name.substr(0, name.find('\0'));
    }
    if (segment.p_type == PT_DYNAMIC) {
      has_dynamic = true;
      dynamic = read_dynamic(elf, segment);
    }
  }
  program.is_static = program.executable && program.interpreter.empty() && dynamic.needed.empty() &&
                      (header.e_type == ET_EXEC || !has_dynamic || dynamic.is_program);
  program.libraries = names_of(file, dynamic, loaded);
  return true;
}

}  // namespace

std::string machine_text(const Machine& machine) {
  static constexpr struct {
    std::uint16_t number;
    std::string_view name;
  } kNames[] = {{EM_386, "x86"},
                {EM_X86_64, "x86-64"},
                {EM_ARM, "Arm"},
                {EM_AARCH64, "Arm (AArch64)"},
                {EM_RISCV, "RISC-V"},
                {EM_PPC, "PowerPC"},
                {EM_PPC64, "PowerPC"},
                {EM_S390, "IBM Z"},
                {EM_MIPS, "MIPS"},
                {EM_SPARCV9, "SPARC"},
                {EM_LOONGARCH, "LoongArch"}};
  const auto* const known =
      std::find_if(std::begin(kNames), std::end(kNames), [&](const auto& row) { return row.number == machine.number; });
  std::string words = machine.file_class == ELFCLASS32 ? "32-bit " : machine.file_class == ELFCLASS64 ? "64-bit " : "";
  words += known != std::end(kNames) ? std::string(known->name) : text("machine {}", machine.number);
  if (machine.order == ELFDATA2MSB) words += " (big-endian)";
  return words;
}

Machine own_machine() {
  const int file = ::open("/proc/self/exe", O_RDONLY | O_CLOEXEC);
  const Machine machine = machine_of(bytes_at(file, 0, EI_NIDENT + 2 * sizeof(Elf64_Half)));
  if (file >= 0) ::close(file);
  return machine;
}

std::optional<ElfProgram> read_elf_program(int file) {
  const std::string head = bytes_at(file, 0, 512);
  if (head.compare(0, SELFMAG, ELFMAG) != 0) return std::nullopt;
  ElfProgram program;
  program.machine = machine_of(head);
  struct stat info {};
  if (::elf_version(EV_CURRENT) == EV_NONE || ::fstat(file, &info) != 0) return program;
  const Opened elf(::elf_begin(file, ELF_C_READ, nullptr));
  program.whole = elf != nullptr && ::elf_kind(elf.get()) == ELF_K_ELF &&
                  read_segments(file, elf.get(), static_cast<std::uint64_t>(info.st_size), program);
  if (starts_others(head)) program.is_static = false;
  return program;
}

}  // namespace rondo::analyzers
