// SPDX-License-Identifier: Apache-2.0
// A write that fails costs the thread of a program no signal.
#pragma once

#include <cerrno>
#include <csignal>
#include <ctime>

namespace rondo {

// While it lives, a write beyond RLIMIT_FSIZE is only EFBIG in this thread, one that nobody
// reads only EPIPE, and one to a terminal that is another job's goes through.
class WriteSignalBlock {
 public:
  WriteSignalBlock() {
    sigemptyset(&set_);
    for (const int signal : {SIGXFSZ, SIGPIPE, SIGTTOU}) sigaddset(&set_, signal);
    pthread_sigmask(SIG_BLOCK, &set_, &before_);
  }
  ~WriteSignalBlock() { pthread_sigmask(SIG_SETMASK, &before_, nullptr); }
  WriteSignalBlock(const WriteSignalBlock&) = delete;
  WriteSignalBlock& operator=(const WriteSignalBlock&) = delete;

  // Takes the signal that came with `error`, unless the program holds its own.
  int take(int error) const {
    const int signal = error == EFBIG ? SIGXFSZ : error == EPIPE ? SIGPIPE : 0;
    if (signal == 0 || sigismember(&before_, signal) != 0) return error;
    sigset_t one;
    sigemptyset(&one);
    sigaddset(&one, signal);
    const timespec none{};
    while (sigtimedwait(&one, nullptr, &none) < 0 && errno == EINTR) {
    }
    return error;
  }

 private:
  sigset_t set_{}, before_{};
};

}  // namespace rondo
