// SPDX-License-Identifier: Apache-2.0
// Checks of what Rondo's own code relies on.
#include <gtest/gtest.h>

#include <string>

#include "format/check.h"

namespace rondo {
namespace {

std::string g_failure;

TEST(Check, HoldsInSilence) {
  int evaluated = 0;
  RONDO_CHECK(++evaluated == 1);
  EXPECT_EQ(evaluated, 1);
}

TEST(Check, NamesFileLineAndConditionAndAborts) {
  const int two = 2;
  EXPECT_EXIT(RONDO_CHECK(two == 3), ::testing::KilledBySignal(SIGABRT),
              "^rondo: a mistake of Rondo's own: tests/unit/format_check\\.cpp:[0-9]+: two == 3 does not hold; please "
              "report this line together with the capture\n$");
}

TEST(Check, AbortsWhereAHandlerReturns) {
  const CheckHandler before = set_check_handler([](const std::string&) {});
  EXPECT_EXIT(RONDO_CHECK(false), ::testing::KilledBySignal(SIGABRT), "false does not hold");
  set_check_handler(before);
}

TEST(Check, IsAnExceptionWhereTheHandlerThrowsIt) {
  const CheckHandler before = set_check_handler([](const std::string& failure) {
    g_failure = failure;
    throw CheckFailure(failure);
  });
  EXPECT_THROW(RONDO_CHECK(1 > 2), std::bad_alloc);
  EXPECT_TRUE(g_failure.ends_with(": 1 > 2 does not hold")) << g_failure;
  set_check_handler(before);
}

}  // namespace
}  // namespace rondo
