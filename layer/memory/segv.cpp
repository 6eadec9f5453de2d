// SPDX-License-Identifier: Apache-2.0
#include "layer/memory/segv.h"

#include <pthread.h>
#include <signal.h>

#include <atomic>
#include <cerrno>
#include <iterator>

#include "layer/memory/pass_on.h"
#include "layer/memory/redirect.h"

namespace rondo::memory {
namespace {

using Action = struct sigaction;

// What the program wants done with SIGSEGV. Never changed once it is in use: the
// next one lies in the next place, and a signal handler may ask for it.
constexpr std::size_t kKept = 64;
constinit Action g_actions[kKept] = {};
constinit std::atomic<unsigned> g_action{0};
constinit std::atomic<unsigned> g_taken{0};  // places that were given out
constinit std::atomic<bool (*)(std::uintptr_t)> g_handle{nullptr};

Action programs_action() noexcept { return g_actions[g_action.load() % kKept]; }

void keep(const Action& action) noexcept {
  const unsigned place = g_taken.fetch_add(1) + 1;
  g_actions[place % kKept] = action;
  g_action.store(place);
}

void on_fault(int signal, siginfo_t* info, void* context) {
  const int before = errno;
  const auto handle = g_handle.load();
  const bool done =
      info->si_code == SEGV_ACCERR && handle != nullptr && handle(reinterpret_cast<std::uintptr_t>(info->si_addr));
  errno = before;
  if (!done) pass_on(programs_action(), signal, info, context, keep);
}

bool is_ours(const Action& action) noexcept {
  return (action.sa_flags & SA_SIGINFO) != 0 && action.sa_sigaction == on_fault;
}

// What the program gets in the place of sigaction(2).
int programs_sigaction(int signal, const Action* action, Action* old) {
  if (signal != SIGSEGV) return sigaction(signal, action, old);
  const Action before = programs_action();
  if (action != nullptr && !is_ours(*action)) keep(*action);
  if (old != nullptr) *old = before;
  return 0;
}

sighandler_t programs_signal(int signal, sighandler_t handler) {
  if (signal != SIGSEGV) return ::signal(signal, handler);
  if (handler == SIG_ERR) {
    errno = EINVAL;
    return SIG_ERR;
  }
  Action action{};
  action.sa_handler = handler;
  action.sa_flags = SA_RESTART;
  sigemptyset(&action.sa_mask);
  sigaddset(&action.sa_mask, SIGSEGV);
  Action old;
  programs_sigaction(signal, &action, &old);
  return old.sa_handler;
}

// A fault while SIGSEGV is blocked ends the process: it stays open.
const sigset_t* without_faults(int how, const sigset_t* set, sigset_t& changed) noexcept {
  if (set == nullptr || how == SIG_UNBLOCK) return set;
  changed = *set;
  sigdelset(&changed, SIGSEGV);
  return &changed;
}

int programs_pthread_sigmask(int how, const sigset_t* set, sigset_t* old) {
  sigset_t changed;
  return pthread_sigmask(how, without_faults(how, set, changed), old);
}

int programs_sigprocmask(int how, const sigset_t* set, sigset_t* old) {
  sigset_t changed;
  return sigprocmask(how, without_faults(how, set, changed), old);
}

}  // namespace

FaultsOpen::FaultsOpen() noexcept {
  sigset_t fault;
  sigemptyset(&fault);
  sigaddset(&fault, SIGSEGV);
  pthread_sigmask(SIG_UNBLOCK, &fault, &before_);
}

FaultsOpen::~FaultsOpen() { pthread_sigmask(SIG_SETMASK, &before_, nullptr); }

bool catch_faults(bool (*handle)(std::uintptr_t address)) noexcept {
  Action now;
  if (sigaction(SIGSEGV, nullptr, &now) != 0) return false;
  if (is_ours(now)) return true;
  keep(now);
  const bool first = g_handle.exchange(handle) == nullptr;
  Action ours{};
  ours.sa_sigaction = on_fault;
  ours.sa_flags = SA_SIGINFO | SA_ONSTACK;
  sigfillset(&ours.sa_mask);  // nothing of the program's runs within it
  if (sigaction(SIGSEGV, &ours, nullptr) != 0) return false;
  if (first) {
    const Redirection all[] = {{"sigaction", reinterpret_cast<void*>(programs_sigaction)},
                               {"__sigaction", reinterpret_cast<void*>(programs_sigaction)},
                               {"signal", reinterpret_cast<void*>(programs_signal)},
                               {"bsd_signal", reinterpret_cast<void*>(programs_signal)},
                               {"ssignal", reinterpret_cast<void*>(programs_signal)},
                               {"pthread_sigmask", reinterpret_cast<void*>(programs_pthread_sigmask)},
                               {"sigprocmask", reinterpret_cast<void*>(programs_sigprocmask)}};
    redirect(all, std::size(all));
  }
  return true;
}

}  // namespace rondo::memory
