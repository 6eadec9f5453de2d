// SPDX-License-Identifier: Apache-2.0
// A driver that crashes is an error like another: one line on standard error and status 1.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>

namespace rondo::player {

// From now on a SIGSEGV, SIGBUS, SIGILL, SIGFPE or SIGABRT of a driver ends the process with one line that
// begins with `program`, names the record and the driver's library, and Status::failed. A crash of Rondo's
// own code stays a crash. The innermost stack frame decides that is not in a library which was loaded before
// this call: frames of the C library are passed over, those of the executable are Rondo's, all others are a
// driver's, or code that it generated. Call it once, on the main thread, before a driver is loaded.
void end_where_drivers_crash(const char* program);

// What the line names from now on: the file that is played, and the number of the record (0: none yet), which
// is read at the crash. Until tell_crashes_no_more_of() is called with the same number.
void tell_crashes_of(const std::string& file, const std::atomic<std::uint64_t>& record);
void tell_crashes_no_more_of(const std::atomic<std::uint64_t>& record);

// For each thread of Rondo's that calls a driver: a stack on which a crash is handled when the thread's own
// is used up. The thread that called end_where_drivers_crash() has one already.
class CrashStack {
 public:
  CrashStack();
  CrashStack(const CrashStack&) = delete;
  CrashStack& operator=(const CrashStack&) = delete;
  ~CrashStack();

 private:
  std::unique_ptr<std::byte[]> bytes_;
};

}  // namespace rondo::player
