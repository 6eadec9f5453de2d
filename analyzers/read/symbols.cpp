// SPDX-License-Identifier: Apache-2.0
#include "analyzers/read/symbols.h"

#include <cxxabi.h>
#include <dwarf.h>
#include <elfutils/libdwfl.h>
#include <sys/stat.h>

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <span>
#include <string_view>

#include "analyzers/text/text.h"
#include "format/hex.h"

namespace rondo::analyzers {

namespace {

// Names of C are no types ("f" is none of float).
std::string demangled(const char* name) {
  if (name == nullptr) return {};
  if (std::string_view(name).substr(0, 2) != "_Z") return name;
  int status = 0;
  const std::unique_ptr<char, decltype(&std::free)> text(abi::__cxa_demangle(name, nullptr, nullptr, &status),
                                                         &std::free);
  return status == 0 ? text.get() : name;
}

// Its name with those of what it is in, where it has one of the linker's.
std::string name_of(Dwarf_Die& die) {
  Dwarf_Attribute attribute;
  for (const unsigned at : {DW_AT_linkage_name, DW_AT_MIPS_linkage_name})
    if (dwarf_attr_integrate(&die, at, &attribute) != nullptr) return demangled(dwarf_formstring(&attribute));
  const char* const plain = dwarf_diename(&die);
  return plain != nullptr ? plain : "";
}

// What happens in a call that was inlined: where it was made.
void take_call_site(Dwarf_Die& unit, Dwarf_Die& inlined, SourcePlace& place) {
  Dwarf_Attribute attribute;
  Dwarf_Word number = 0;
  place.file.clear();
  place.line = 0;
  if (dwarf_attr(&inlined, DW_AT_call_file, &attribute) != nullptr && dwarf_formudata(&attribute, &number) == 0) {
    Dwarf_Files* files = nullptr;
    if (dwarf_getsrcfiles(&unit, &files, nullptr) == 0)
      if (const char* const name = dwarf_filesrc(files, number, nullptr, nullptr); name != nullptr) place.file = name;
  }
  if (dwarf_attr(&inlined, DW_AT_call_line, &attribute) != nullptr && dwarf_formudata(&attribute, &number) == 0)
    place.line = static_cast<std::uint32_t>(number);
}

}  // namespace

struct Symbols::File {
  struct EndSession {
    void operator()(Dwfl* session) const { dwfl_end(session); }
  };
  std::unique_ptr<Dwfl, EndSession> session;
  Dwfl_Module* module = nullptr;  // null: no symbols, and why
  std::string why;
  std::map<std::uint64_t, std::vector<SourcePlace>> places;

  explicit File(const CallModule& named) {
    open(named.path, named);
    if (module != nullptr || named.build_id.size() < 2) return;
    const std::string first = why, id = hex_text(named.build_id);
    open("/usr/lib/debug/.build-id/" + id.substr(0, 2) + "/" + id.substr(2) + ".debug", named);
    why = module != nullptr ? "" : first;
  }

  // One session for each, in which the file lies at the addresses of its own.
  void open(const std::string& path, const CallModule& named) {
    struct stat info {};
    if (path.empty()) return void(why = "the capture does not name its file");
    if (::stat(path.c_str(), &info) != 0) return void(why = std::strerror(errno));
    if (!S_ISREG(info.st_mode)) return void(why = "is no regular file");
    static char* usual = nullptr;  // where debug information is looked for
    static const Dwfl_Callbacks callbacks{dwfl_build_id_find_elf, dwfl_standard_find_debuginfo,
                                          dwfl_offline_section_address, &usual};
    session.reset(dwfl_begin(&callbacks));
    if (session == nullptr) return void(why = dwfl_errmsg(-1));
    dwfl_report_begin(session.get());
    Dwfl_Module* const found = dwfl_report_elf(session.get(), path.c_str(), path.c_str(), -1, 0, true);
    if (found == nullptr) return void(why = dwfl_errmsg(-1));
    dwfl_report_end(session.get(), nullptr, nullptr);
    const unsigned char* id = nullptr;
    GElf_Addr ignored = 0;
    const int bytes = dwfl_module_build_id(found, &id, &ignored);
    const std::span<const std::byte> has(reinterpret_cast<const std::byte*>(id),
                                         bytes > 0 ? static_cast<std::size_t>(bytes) : 0);
    if (!std::equal(has.begin(), has.end(), named.build_id.begin(), named.build_id.end()))
      return void(why = has.empty() ? "has no build-id now, and had one"
                                    : "is of another build now: build-id " + hex_text(has));
    module = found;
  }

  std::vector<SourcePlace> look(std::uint64_t place) const {
    SourcePlace inner;
    if (Dwfl_Line* const line = dwfl_module_getsrc(module, place); line != nullptr) {
      int number = 0;
      if (const char* const file = dwfl_lineinfo(line, nullptr, &number, nullptr, nullptr, nullptr); file != nullptr) {
        inner.file = file;
        inner.line = static_cast<std::uint32_t>(number);
      }
    }
    std::vector<SourcePlace> out;
    Dwarf_Addr bias = 0;
    Dwarf_Die* const unit = dwfl_module_addrdie(module, place, &bias);
    if (unit != nullptr) {
      // What it is in, innermost first; what that one is in as it lies, and not as its source does.
      Dwarf_Die* innermost = nullptr;
      Dwarf_Die* scopes = nullptr;
      const int any = dwarf_getscopes(unit, place - bias, &innermost);
      const int count = any > 0 ? dwarf_getscopes_die(&innermost[0], &scopes) : 0;
      for (int i = 0; i < count && dwarf_tag(&scopes[i]) != DW_TAG_subprogram; ++i) {
        if (dwarf_tag(&scopes[i]) != DW_TAG_inlined_subroutine) continue;
        out.push_back(inner);
        out.back().function = name_of(scopes[i]);
        take_call_site(*unit, scopes[i], inner);
      }
      std::free(scopes);
      std::free(innermost);
    }
    out.push_back(inner);
    out.back().function = demangled(dwfl_module_addrname(module, place));
    return out;
  }
};

Symbols::Symbols() = default;
Symbols::~Symbols() = default;

Symbols::File& Symbols::file_of(const CallModule& module) {
  auto& file = files_[{module.path, module.build_id}];
  if (file == nullptr) file = std::make_unique<File>(module);
  return *file;
}

const std::vector<SourcePlace>& Symbols::at(const CallModule& module, std::uint64_t returns_to) {
  File& file = file_of(module);
  const auto [found, fresh] = file.places.try_emplace(returns_to);
  if (fresh) found->second = file.module != nullptr ? file.look(returns_to - 1) : std::vector<SourcePlace>(1);
  return found->second;
}

std::vector<std::string> Symbols::missing() const {
  std::vector<std::string> out;
  for (const auto& [key, file] : files_)
    if (file->module == nullptr)
      out.push_back(
          text("{}: {}", key.first.empty() ? "build-id " + hex_text(key.second) : printable(key.first), file->why));
  return out;
}

}  // namespace rondo::analyzers
