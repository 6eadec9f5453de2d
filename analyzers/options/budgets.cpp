// SPDX-License-Identifier: Apache-2.0
#include "analyzers/options/budgets.h"

#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <fstream>
#include <new>
#include <string_view>

#include "analyzers/text/text.h"
#include "format/address_space.h"
#include "format/reader.h"
#include "format/temporary_path.h"
#include "player/quantities.h"

namespace rondo::analyzers {

namespace {

std::string g_over_budget;  // the message where memory is exhausted: there is none to make it with then

[[noreturn]] void end(const std::string& message, Status status) {
  if (::isatty(STDERR_FILENO) != 0) [[maybe_unused]]
    const auto cleared = ::write(STDERR_FILENO, "\r\033[K", 4);  // progress
  [[maybe_unused]] const auto written = ::write(STDERR_FILENO, message.data(), message.size());
  remove_temporary_files();
  ::_exit(static_cast<int>(status));
}

void end_over_budget() { end(g_over_budget, Status::unreadable); }

// Private writable memory of this process, which is what RLIMIT_DATA counts.
std::uint64_t data_bytes() {
  std::uint64_t pages = 0, skipped = 0;
  std::ifstream statm("/proc/self/statm");
  for (int i = 0; i < 5; ++i) statm >> skipped;
  statm >> pages;
  return pages * static_cast<std::uint64_t>(::sysconf(_SC_PAGESIZE));
}

// Sanitizers map many times what a program asks for.
void limit_memory([[maybe_unused]] std::uint64_t bytes) {
#ifndef RONDO_SANITIZED
  rlimit limit{};
  if (::getrlimit(RLIMIT_DATA, &limit) != 0) return;
  limit.rlim_cur = std::min<rlim_t>(limit.rlim_max, data_bytes() + bytes);
  if (::setrlimit(RLIMIT_DATA, &limit) == 0) std::set_new_handler(end_over_budget);
#endif
}

}  // namespace

void Budgets::add_to(Cli& cli) {
  limits_memory_ = true;
  cli.value("--memory-budget", "MIB", "memory for what is read of the capture; half of the machine's", memory_);
  add_timeout_to(cli);
}

void Budgets::add_timeout_to(Cli& cli) {
  cli.value("--timeout", "S", "give up after S seconds, with status 7", timeout_);
}

Result<void> Budgets::start(const std::string& file) {
  std::optional<std::size_t> bytes;
  if (limits_memory_) {
    const Result<std::size_t> given = memory_ ? player::parse_mebibytes(*memory_) : machine_memory() / 2;
    if (!given) return fail(Status::usage, "--memory-budget: " + given.error().message);
    bytes = *given;
  }
  if (timeout_) {
    const Result<double> seconds = player::parse_seconds(*timeout_);
    if (!seconds) return fail(Status::usage, "--timeout: " + seconds.error().message);
    late_ = printable(text("rondo: {}: no end within {} s (--timeout)", file, *timeout_)) + "\n";
    // Before memory is limited: the stack of the thread is nothing that is read of the capture.
    thread_ = std::thread([this, s = *seconds] { watch(s); });
  }
  if (!bytes) return {};
  g_over_budget =
      printable(text("rondo: {}: needs more memory than the budget of {} MiB: raise it with --memory-budget{}", file,
                     *bytes >> 20, address_space_hint())) +
      "\n";
  limit_memory(*bytes);
  return {};
}

void Budgets::watch(double seconds) {
  std::unique_lock lock(mutex_);
  if (!condition_.wait_for(lock, std::chrono::duration<double>(seconds), [this] { return done_; }))
    end(late_, Status::timeout);
}

Budgets::~Budgets() {
  if (!thread_.joinable()) return;
  {
    const std::lock_guard lock(mutex_);
    done_ = true;
  }
  condition_.notify_all();
  thread_.join();
}

}  // namespace rondo::analyzers
