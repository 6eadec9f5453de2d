// SPDX-License-Identifier: Apache-2.0
#include "layer/memory/pass_on.h"

#include <pthread.h>
#include <sys/syscall.h>
#include <ucontext.h>
#include <unistd.h>

namespace rondo::memory {
namespace {

bool is_function(const struct sigaction& action) noexcept {
  return (action.sa_flags & SA_SIGINFO) != 0 || (action.sa_handler != SIG_DFL && action.sa_handler != SIG_IGN);
}

}  // namespace

void pass_on(const struct sigaction& action, int signal, siginfo_t* info, void* context,
             void (*again)(const struct sigaction&)) noexcept {
  const bool sent = info->si_code <= 0;  // by kill, raise, sigqueue
  struct sigaction plain {};
  plain.sa_handler = SIG_DFL;
  if (!is_function(action)) {
    if (action.sa_handler == SIG_IGN && sent) return;
    sigaction(signal, &plain, nullptr);
    // A fault comes again at once, and ends the process now. What was sent does not.
    if (sent) syscall(SYS_tgkill, getpid(), syscall(SYS_gettid), signal);
    return;
  }
  if ((action.sa_flags & static_cast<int>(SA_RESETHAND)) != 0) again(plain);
  sigset_t blocked = static_cast<ucontext_t*>(context)->uc_sigmask;
  for (int i = 1; i < NSIG; ++i)
    if (sigismember(&action.sa_mask, i) == 1) sigaddset(&blocked, i);
  if ((action.sa_flags & SA_NODEFER) == 0) sigaddset(&blocked, signal);
  pthread_sigmask(SIG_SETMASK, &blocked, nullptr);
  if ((action.sa_flags & SA_SIGINFO) != 0)
    action.sa_sigaction(signal, info, context);
  else
    action.sa_handler(signal);
}

}  // namespace rondo::memory
