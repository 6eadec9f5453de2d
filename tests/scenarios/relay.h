// SPDX-License-Identifier: Apache-2.0
// Stands between a program and its X server, and ends the program's connections
// at a place of the test's choice, as a server may at any.
#pragma once

#include <atomic>
#include <string>
#include <thread>
#include <vector>

namespace scenario {

class Relay {
 public:
  enum class Ends { first, all };
  // … behind the first so many parts of what the X server `display` says to all of them.
  Relay(const std::string& display, int parts, Ends ends);
  ~Relay();
  Relay(const Relay&) = delete;
  Relay& operator=(const Relay&) = delete;

  const std::string& display() const { return display_; }
  bool has_cut() const { return parts_ <= 0; }

 private:
  struct Pair {
    int client = -1, server = -1;  // -1: ended
  };

  void serve();
  void accept_one();
  // False: one side has ended.
  static bool pass(int from, int to);
  static void end(Pair& pair);

  std::string display_;
  const int server_;  // the number of its display
  std::atomic<int> parts_;
  const Ends ends_;
  int listening_ = -1;
  int stop_[2] = {-1, -1};
  std::vector<Pair> pairs_;
  std::thread thread_;
};

}  // namespace scenario
