// SPDX-License-Identifier: Apache-2.0
#include "analyzers/signals.h"

#include <unistd.h>

#include <csignal>

#include "analyzers/launch/launch.h"
#include "format/temporary_path.h"

namespace rondo::analyzers {

namespace {

// The first process of a container outlives a signal that has no handler: then its status says the same.
void end(int signal) {
  remove_temporary_files();
  Ended by;
  by.signal = signal;
  ::_exit(end_like(by));
}

}  // namespace

void remove_temporary_files_at_signals() {
  struct sigaction action {};
  action.sa_handler = end;
  sigfillset(&action.sa_mask);  // a second one waits until nothing is left
  for (const int signal : {SIGINT, SIGTERM, SIGHUP}) {
    struct sigaction before {};
    if (::sigaction(signal, nullptr, &before) == 0 && before.sa_handler != SIG_IGN)
      ::sigaction(signal, &action, nullptr);
  }
}

}  // namespace rondo::analyzers
