// SPDX-License-Identifier: Apache-2.0
// The process that writes the outputs of one that may not (format/outputs.h), and how it is asked.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "format/outputs.h"

namespace rondo::helper {

enum class Question : std::uint32_t {
  open_temporary = 1,
  open_to_overwrite,
  open_to_read,
  keep,
  remove,
  make_directory
};

// The socket to ask it by; nothing: errno says why.
std::optional<int> start(std::vector<NamedOutput> outputs);

// 0, or an errno value. `opened`: the descriptor that came with the answer. Allocates nothing.
int ask(int socket, Question question, const std::string& first, const std::string& second, int* opened);

// Whether a tool writes files of this name to an output directory of this kind. False: an output of one file.
bool is_name_of(NamedOutput::Kind kind, std::string_view name);

// What the helper lets happen: exactly the outputs, temporary files beside them, and their names. For its
// tests, too.
class Rules {
 public:
  explicit Rules(std::vector<NamedOutput> outputs);

  bool is_output(const std::string& path) const;
  // A name that TemporaryPath makes beside an output.
  bool is_temporary(const std::string& path) const;
  bool is_directory(const std::string& path) const;  // which may be made
  // Links are followed only where the command line names the file itself.
  bool may_follow_links(const std::string& path) const;
  Attributes attributes(const std::string& path) const;

 private:
  struct Rule {
    NamedOutput output;
    std::string real;  // where the path leads, if the file is there
    Attributes attributes;
  };
  const Rule* find(const std::string& path) const;
  std::vector<Rule> rules_;
};

}  // namespace rondo::helper
