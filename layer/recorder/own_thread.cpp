// SPDX-License-Identifier: Apache-2.0
#include "layer/recorder/own_thread.h"

#include <pthread.h>
#include <signal.h>

#include <cstddef>

namespace rondo::layer {

namespace {

constexpr std::size_t kStack = 1u << 20;  // it may compress

void* run(void* work) {
  reinterpret_cast<void (*)() noexcept>(work)();
  return nullptr;
}

}  // namespace

int start_own_thread(void (*work)() noexcept) noexcept {
  sigset_t all, before;
  sigfillset(&all);
  sigdelset(&all, SIGBUS);  // lost_pages.h
  sigdelset(&all, SIGSYS);  // of a program that forbids itself system calls, and has its handler answer them
  pthread_attr_t attributes;
  ::pthread_attr_init(&attributes);
  ::pthread_attr_setstacksize(&attributes, kStack);
  ::pthread_attr_setdetachstate(&attributes, PTHREAD_CREATE_DETACHED);
  ::pthread_sigmask(SIG_SETMASK, &all, &before);
  pthread_t thread{};
  const int error = ::pthread_create(&thread, &attributes, run, reinterpret_cast<void*>(work));
  ::pthread_sigmask(SIG_SETMASK, &before, nullptr);
  ::pthread_attr_destroy(&attributes);
  return error;
}

}  // namespace rondo::layer
