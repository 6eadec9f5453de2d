// SPDX-License-Identifier: Apache-2.0
// Catch's main, in a file of its own because it compiles slowly. With
// RONDO_TEST_RESULTS=FILE every test case adds a line to FILE:
// passed|failed|skipped, a tab, its name, a tab, why it was skipped.
#define CATCH_CONFIG_RUNNER
#include <catch2/catch.hpp>
#include <cstdio>
#include <cstdlib>

#include "sanitizers.h"
#include "skip.h"

namespace scenario {

std::string& skip_reason() {
  static std::string reason;
  return reason;
}

}  // namespace scenario

namespace {

#ifdef TEST_CATCH_3
using Listener = Catch::EventListenerBase;
const std::string& name_of(const Catch::TestCaseStats& stats) { return stats.testInfo->name; }
#else
using Listener = Catch::TestEventListenerBase;
const std::string& name_of(const Catch::TestCaseStats& stats) { return stats.testInfo.name; }
#endif

struct Results : Listener {
  using Listener::Listener;

  void testCaseStarting(const Catch::TestCaseInfo& info) override {
    Listener::testCaseStarting(info);
    scenario::skip_reason().clear();
  }
  void testCaseEnded(const Catch::TestCaseStats& stats) override {
    const std::string& reason = scenario::skip_reason();
    const bool failed = stats.totals.assertions.failed != 0;
    const char* what = failed ? "failed" : reason.empty() ? "passed" : "skipped";
    ++(failed ? failed_ : reason.empty() ? passed_ : skipped_);
    if (const char* path = std::getenv("RONDO_TEST_RESULTS"))
      if (std::FILE* file = std::fopen(path, "a")) {
        std::fprintf(file, "%s\t%s\t%s\n", what, name_of(stats).c_str(), reason.c_str());
        std::fclose(file);
      }
    if (!reason.empty()) std::printf("skipped: %s: %s\n", name_of(stats).c_str(), reason.c_str());
  }
  void testRunEnded(const Catch::TestRunStats&) override {
    std::printf("%d passed, %d failed, %d skipped\n", passed_, failed_, skipped_);
  }

 private:
  int passed_ = 0;
  int failed_ = 0;
  int skipped_ = 0;
};

CATCH_REGISTER_LISTENER(Results)

}  // namespace

int main(int argc, char** argv) {
  scenario::collect_sanitizer_reports();
  const int failed = Catch::Session().run(argc, argv);
  // Of processes that nobody waited for.
  const std::string late = scenario::take_sanitizer_reports();
  std::fputs(late.c_str(), stderr);
  return failed != 0 || !late.empty() ? 1 : 0;
}
