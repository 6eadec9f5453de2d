// SPDX-License-Identifier: Apache-2.0
// --memory-budget and --timeout: a capture from elsewhere may ask for any
// amount of memory and of time, so that a tool that reads it has limits.
#pragma once

#include <condition_variable>
#include <mutex>
#include <optional>
#include <string>
#include <thread>

#include "analyzers/options/cli.h"
#include "format/result.h"

namespace rondo::analyzers {

// One at a time, on the main thread; it limits the whole process until it goes away.
class Budgets {
 public:
  Budgets() = default;
  Budgets(const Budgets&) = delete;
  Budgets& operator=(const Budgets&) = delete;
  ~Budgets();

  // Of a subcommand that reads a capture and touches no device. Must outlive the parse of `cli`.
  void add_to(Cli& cli);
  // Only --timeout: drivers take memory that nobody budgets.
  void add_timeout_to(Cli& cli);

  // After the parse. `file` is the capture, for messages. From here on the process ends with status 3 where
  // it asks for more memory (half of the machine's where none is given), and with status 7 where its time is
  // over; nothing unfinished is left in the file system. Status::usage: what was given is no amount.
  Result<void> start(const std::string& file);

 private:
  void watch(double seconds);

  std::optional<std::string> memory_, timeout_;
  bool limits_memory_ = false;
  std::string late_;  // the message of the end of its time
  std::mutex mutex_;
  std::condition_variable condition_;
  bool done_ = false;  // guarded by mutex_
  std::thread thread_;
};

}  // namespace rondo::analyzers
