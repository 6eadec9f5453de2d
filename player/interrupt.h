// SPDX-License-Identifier: Apache-2.0
// SIGINT and SIGTERM while a loop runs: it ends behind the iteration that is being
// played, and says what it has. A second signal ends the process at once.
#pragma once

#include <array>
#include <csignal>

namespace rondo::player {

class Interrupt {
 public:
  // Takes the signals, but what is ignored stays so. One at a time.
  Interrupt();
  Interrupt(const Interrupt&) = delete;
  Interrupt& operator=(const Interrupt&) = delete;
  ~Interrupt();  // whoever had them before has them again

  // The signal that came; 0: none.
  static int signal();

 private:
  static constexpr std::array<int, 2> kSignals{SIGINT, SIGTERM};
  std::array<struct sigaction, kSignals.size()> before_{};  // parallel
};

}  // namespace rondo::player
