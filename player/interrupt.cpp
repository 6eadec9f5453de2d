// SPDX-License-Identifier: Apache-2.0
#include "player/interrupt.h"

#include <csignal>

namespace rondo::player {

namespace {

constexpr int kSignals[] = {SIGINT, SIGTERM};
volatile std::sig_atomic_t g_signal = 0;

void note(int signal) {
  g_signal = signal;
  std::signal(signal, SIG_DFL);
}

}  // namespace

Interrupt::Interrupt() {
  for (const int signal : kSignals)
    if (std::signal(signal, note) == SIG_IGN) std::signal(signal, SIG_IGN);
}

Interrupt::~Interrupt() {
  for (const int signal : kSignals)
    if (std::signal(signal, SIG_DFL) == SIG_IGN) std::signal(signal, SIG_IGN);
}

int Interrupt::signal() { return g_signal; }

}  // namespace rondo::player
