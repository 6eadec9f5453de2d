// SPDX-License-Identifier: Apache-2.0
// The driver's own bookkeeping, beyond its objects. Private to tests/icd.
#pragma once

#include <atomic>
#include <map>
#include <mutex>
#include <string>
#include <vector>

#include "tests/icd/driver.h"

namespace fake {

// Calls of the tests, counted for injected failures.
class History {
 public:
  void reset(const Settings& settings);
  // Remembers the call; VK_SUCCESS, or what it is to return instead.
  VkResult note(CommandId id);
  bool first_device();  // since the reset: true once
  void violated(const std::string& command, const std::string& what, bool harmless);

  std::vector<Violation> violations() const;
  void clear_violations();
  std::vector<std::string> calls() const;

 private:
  mutable std::mutex mutex_;
  std::vector<Violation> violations_;
  std::vector<CommandId> calls_;
  bool any_device_ = false;
  std::map<std::string, std::uint64_t> counts_;  // of commands with an injected failure
};

History& history();
// Of this thread: the command that it is in, and whether that was found invalid.
struct CurrentCall {
  CommandId id = CommandId::none;
  bool violated = false;
};
CurrentCall& current_call();

void reset_objects();
void reset_memory();  // addresses and what is allocated
std::size_t count_objects();
// Every live object, for leaks and for the end of a device or a pool.
std::vector<std::shared_ptr<Object>> objects_of(const Object& parent);

// The enabled version or extension that brings the command; false: none does.
bool is_enabled(const Call& call, const Instance* instance);

}  // namespace fake
