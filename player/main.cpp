// SPDX-License-Identifier: Apache-2.0
#include <unistd.h>

#include <cstdio>

#include "player/options.h"
#include "player/play.h"

int main(int argc, char** argv) {
  using namespace rondo;
  using namespace rondo::player;
  const auto parsed = parse_options(argc, argv);
  if (!parsed) {
    std::fprintf(stderr, "player: %s\n", parsed.error().message.c_str());
    return static_cast<int>(parsed.error().status);
  }
  if (parsed->exit) {
    std::fputs(parsed->exit_text.c_str(), stdout);
    return 0;
  }
  Outcome outcome = play(parsed->options);
  if (!parsed->options.report.empty()) {
    const auto written = write_report(parsed->options.report, parsed->options, outcome);
    if (!written) std::fprintf(stderr, "player: %s\n", written.error().message.c_str());
    if (!written && outcome.status == Status::ok) outcome.status = written.error().status;
  }
  std::fflush(stdout);
  if (!outcome.error.empty()) std::fprintf(stderr, "player: %s\n", outcome.error.c_str());
  // What a timed-out wait left running must not be unloaded under it.
  if (outcome.status == Status::timeout) _exit(static_cast<int>(outcome.status));
  return static_cast<int>(outcome.status);
}
