// SPDX-License-Identifier: Apache-2.0
// What functions and lines addresses of programs and libraries belong to, from their symbol tables and DWARF.
// symbols.cpp is the only file that includes libdw.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "format/call_chains.h"

namespace rondo::analyzers {

struct SourcePlace {
  std::string function;    // empty: unknown
  std::string file;        // likewise
  std::uint32_t line = 0;  // 0: unknown
};

// Opens the files that modules name, and separate debug information where the system has it (/usr/lib/debug, by
// build-id); debuginfod where DEBUGINFOD_URLS names one. A file of another build counts as none.
class Symbols {
 public:
  Symbols();
  ~Symbols();

  // `returns_to`: the address behind a call. From the inside out: functions that were inlined there, and the one that
  // they are in, which is always there. What is returned holds as long as this does.
  const std::vector<SourcePlace>& at(const CallModule& module, std::uint64_t returns_to);
  // A sentence for each module that was asked for and has no symbols.
  std::vector<std::string> missing() const;

 private:
  struct File;
  File& file_of(const CallModule& module);
  std::map<std::pair<std::string, std::vector<std::byte>>, std::unique_ptr<File>> files_;
};

}  // namespace rondo::analyzers
