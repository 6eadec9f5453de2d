// SPDX-License-Identifier: Apache-2.0
#include "player/interrupt.h"

#include <cstddef>

namespace rondo::player {

namespace {

volatile std::sig_atomic_t g_signal = 0;

void note(int signal) {
  g_signal = signal;
  std::signal(signal, SIG_DFL);
}

}  // namespace

Interrupt::Interrupt() {
  struct sigaction action {};
  action.sa_handler = note;
  for (std::size_t i = 0; i < kSignals.size(); ++i) {
    ::sigaction(kSignals[i], nullptr, &before_[i]);
    if (before_[i].sa_handler != SIG_IGN) ::sigaction(kSignals[i], &action, nullptr);
  }
}

Interrupt::~Interrupt() {
  for (std::size_t i = 0; i < kSignals.size(); ++i) ::sigaction(kSignals[i], &before_[i], nullptr);
}

int Interrupt::signal() { return g_signal; }

}  // namespace rondo::player
