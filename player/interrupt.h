// SPDX-License-Identifier: Apache-2.0
// SIGINT and SIGTERM while a loop runs: it ends behind the iteration that is being
// played, and says what it has. A second signal ends the process at once.
#pragma once

namespace rondo::player {

class Interrupt {
 public:
  // Takes the signals, but what is ignored stays so. One at a time.
  Interrupt();
  Interrupt(const Interrupt&) = delete;
  Interrupt& operator=(const Interrupt&) = delete;
  ~Interrupt();  // gives them back

  // The signal that came; 0: none.
  static int signal();
};

}  // namespace rondo::player
