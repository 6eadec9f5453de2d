// SPDX-License-Identifier: Apache-2.0
#include "layer/recorder/lost_pages.h"

#include <signal.h>

#include <atomic>
#include <cerrno>
#include <cstdint>

#include "format/writer.h"
#include "layer/memory/pass_on.h"

namespace rondo::layer {

namespace {

// Written before ours is installed, and by whoever resets it while it runs.
constinit struct sigaction g_programs = {};
// Of its own: the fault may be of the writer's thread, which began before anybody could see the writer.
constinit std::atomic<CaptureWriter*> g_writer{nullptr};

void on_bus_error(int signal, siginfo_t* info, void* context) {
  const int before = errno;
  CaptureWriter* const writer = g_writer.load(std::memory_order_acquire);
  const bool ours =
      info->si_code > 0 && writer != nullptr && writer->replace_lost(reinterpret_cast<std::uintptr_t>(info->si_addr));
  errno = before;
  if (!ours)
    memory::pass_on(g_programs, signal, info, context, [](const struct sigaction& next) { g_programs = next; });
}

}  // namespace

void survive_lost_pages(CaptureWriter& writer) noexcept {
  g_writer.store(&writer, std::memory_order_release);
  if (::sigaction(SIGBUS, nullptr, &g_programs) != 0) return;
  struct sigaction ours {};
  ours.sa_sigaction = on_bus_error;
  ours.sa_flags = SA_SIGINFO | SA_ONSTACK;
  sigfillset(&ours.sa_mask);  // nothing of the program's runs within it
  ::sigaction(SIGBUS, &ours, nullptr);
}

}  // namespace rondo::layer
