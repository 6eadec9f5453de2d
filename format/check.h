// SPDX-License-Identifier: Apache-2.0
// RONDO_CHECK(condition): what Rondo's own code relies on, such as the order of numbers or the range of an index.
// Checks are on in every build. What input, environment or a driver can make false is an error (result.h), not a check.
//
// A check that fails is a mistake of Rondo's. A tool prints it and aborts. In the layer the recording stops, the
// capture says so, and the program goes on (layer/recorder/recorder.h). In code of the layer a check may only stand
// where exceptions are caught (layer/recorder/guard.h), which the hot path of a vkCmd* is not.
#pragma once

#include <new>
#include <string>

namespace rondo {

// What a handler may throw. It is caught where missing memory is: both end what was being done, without a result.
class CheckFailure : public std::bad_alloc {
 public:
  explicit CheckFailure(std::string text) : text_(std::move(text)) {}
  const char* what() const noexcept override { return text_.c_str(); }

 private:
  std::string text_;
};

// Takes "FILE:LINE: CONDITION does not hold". It throws or ends the process; where it returns, the process is aborted.
using CheckHandler = void (*)(const std::string& failure);

// Replaces the handler and returns the one before. Without one (null, the default) the failure is printed and the
// process aborted. Any thread.
CheckHandler set_check_handler(CheckHandler handler) noexcept;

[[noreturn]] void check_failed(const char* file, int line, const char* condition);

// The debug hook of the checks. Tests define it: its functions break one relation of an object's private state, and the
// test shows that a check finds that before anything wrong is told. A class whose private state checks rely on names it
// as a friend. Programs have no definition of it, and it costs them nothing.
namespace test {
struct Tamper;
}

}  // namespace rondo

#define RONDO_CHECK(condition)                                              \
  (__builtin_expect(static_cast<bool>(condition), 1) ? static_cast<void>(0) \
                                                     : ::rondo::check_failed(__FILE__, __LINE__, #condition))
