// SPDX-License-Identifier: Apache-2.0
// Programs that have nothing to do with Vulkan, or only in the end, behave under the shim as without it.
#include <unistd.h>

#include <algorithm>
#include <catch2/catch.hpp>
#include <filesystem>

#include "fixture.h"
#include "sanitizers.h"
#include "skip.h"

using namespace scenario;

namespace {

const std::string kNotSanitized = "a sanitizer's runtime has to be the first library of a process";

std::string script(const std::string& name) { return RONDO_SCENARIOS "/../everyday/" + name; }

enum class How { alone, preloaded, launched };

// With captures, if there are any, in the directory. Scripts may write into another.
Outcome run_script(const Words& words, How how, const TemporaryDirectory& captures) {
  const TemporaryDirectory room;
  Command command;
  if (how == How::launched) command.arguments = {build_root() + "/analyzers/rondo", "capture", "--"};
  command.arguments.insert(command.arguments.end(), words.begin(), words.end());
  command.arguments.push_back(room.path());
  command.environment["LC_ALL"] = "C";
  if (how == How::preloaded)
    command.environment.insert({{"LD_PRELOAD", build_root() + "/layer/librondo_preload.so"}, {"RONDO_CAPTURE", "1"}});
  if (how != How::alone) command.environment["RONDO_OUTPUT"] = captures.file("%e-%p.rondo");
  return run(command);
}

// Without what the launcher says.
std::string errors(const Outcome& outcome) {
  std::string text;
  for (const std::string& line : lines(outcome.err))
    if (line.rfind("rondo: ", 0) != 0) text += line + "\n";
  return text;
}

// Status, both outputs; and nothing is left behind.
void behaves_the_same(const Words& words) {
  const TemporaryDirectory captures;
  const Outcome alone = run_script(words, How::alone, captures);
  INFO(alone.both());
  REQUIRE(count(alone.err, "to the errors\n") == 1);  // it came to its end
  for (const How how : {How::preloaded, How::launched}) {
    const Outcome outcome = run_script(words, how, captures);
    INFO((how == How::preloaded ? "preloaded" : "launched") << "\n" << outcome.both());
    CHECK(outcome.status == alone.status);
    CHECK(outcome.out == alone.out);
    CHECK(errors(outcome) == errors(alone));
    CHECK(files_in(captures.path()).empty());
  }
}

struct Browser {
  std::string driver;  // that the loader finds
  Words options;
  std::string captured;  // the driver that its GPU process works with
};

struct Page {
  Outcome outcome;
  std::string picture;
};

// A page, as headless chromium draws it.
Page draw_page(const Browser& browser, How how, const TemporaryDirectory& captures) {
  const TemporaryDirectory home;
  Command command;
  if (how == How::launched) command.arguments = {build_root() + "/analyzers/rondo", "capture", "--"};
  const Words always{"chromium",
                     "--headless",
                     "--hide-scrollbars",
                     "--window-size=800,600",
                     "--enable-unsafe-swiftshader",
                     "--ignore-gpu-blocklist",
                     "--virtual-time-budget=3000",
                     "--user-data-dir=" + home.file("profile"),
                     "--screenshot=" + home.file("page.png")};
  command.arguments.insert(command.arguments.end(), always.begin(), always.end());
  command.arguments.insert(command.arguments.end(), browser.options.begin(), browser.options.end());
  if (::geteuid() == 0) command.arguments.push_back("--no-sandbox");  // it refuses to start, else
  command.arguments.push_back("file://" + std::filesystem::canonical(script("page.html")).string());
  use_driver(command.environment, browser.driver);
  command.environment["HOME"] = home.path();
  if (how == How::preloaded)
    command.environment.insert({{"LD_PRELOAD", build_root() + "/layer/librondo_preload.so"}, {"RONDO_CAPTURE", "1"}});
  if (how != How::alone) command.environment["RONDO_OUTPUT"] = captures.file("%p.rondo");
  Page page{run(command), {}};
  if (std::filesystem::exists(home.file("page.png"))) page.picture = read_file(home.file("page.png"));
  return page;
}

bool found(const std::string& name) {
  Command which;
  which.arguments = {"sh", "-c", "command -v " + name};
  return run(which).status == 0;
}

}  // namespace

SCENARIO("python behaves the same under the shim", "[everyday]") {
  if (kSanitized) SKIP_SCENARIO(kNotSanitized);
  behaves_the_same({"/usr/bin/python3", script("everyday.py")});
}

SCENARIO("bash behaves the same under the shim", "[everyday]") {
  if (kSanitized) SKIP_SCENARIO(kNotSanitized);
  behaves_the_same({"/bin/bash", script("everyday.sh")});
}

SCENARIO("perl behaves the same under the shim", "[everyday]") {
  if (kSanitized) SKIP_SCENARIO(kNotSanitized);
  if (!found("/usr/bin/perl")) SKIP_SCENARIO("perl is not here");
  behaves_the_same({"/usr/bin/perl", script("everyday.pl")});
}

SCENARIO("node behaves the same under the shim", "[everyday]") {
  if (kSanitized) SKIP_SCENARIO(kNotSanitized);
  if (!found("node")) SKIP_SCENARIO("node is not here (Debian: nodejs)");
  behaves_the_same({"node", script("everyday.js")});
}

SCENARIO("chromium draws a page under the shim bit for bit, and its GPU process is captured", "[everyday]") {
  if (kSanitized) SKIP_SCENARIO(kNotSanitized);
  if (!found("chromium")) SKIP_SCENARIO("chromium is not here: scripts/setup installs it");
  const Browser own_driver{lavapipe, {"--use-angle=swiftshader"}, swiftshader};
  const Browser webgl_on_vulkan{lavapipe, {"--use-angle=vulkan"}, lavapipe};
  // It draws all of the page with Vulkan and presents it; for that it needs surfaces without a window.
  const Browser all_on_vulkan{
      lavapipe25,
      {"--use-angle=vulkan", "--enable-features=Vulkan", "--use-vulkan=native", "--use-gl=angle"},
      lavapipe25};
  const Browser browser = GENERATE_COPY(own_driver, webgl_on_vulkan, all_on_vulkan);
  for (const std::string& driver : {browser.driver, browser.captured})
    if (const std::string& none = no_driver(driver); !none.empty()) SKIP_SCENARIO(none);
  const TemporaryDirectory nowhere;
  const Page alone = draw_page(browser, How::alone, nowhere);
  INFO(alone.outcome.both());
  if (alone.picture.empty())
    SKIP_SCENARIO("chromium draws nothing here, with status " + std::to_string(alone.outcome.status));
  for (const How how : {How::preloaded, How::launched}) {
    const TemporaryDirectory captures;
    const Page page = draw_page(browser, how, captures);
    INFO(browser.options[0] << (how == How::preloaded ? " preloaded" : " launched") << "\n" << page.outcome.both());
    CHECK(page.outcome.status == alone.outcome.status);
    CHECK(page.outcome.out == alone.outcome.out);
    if (page.picture != alone.picture && draw_page(browser, How::alone, nowhere).picture != alone.picture)
      SKIP_SCENARIO("chromium draws the page otherwise each time here");
    CHECK((page.picture == alone.picture));
    REQUIRE(files_in(captures.path()).size() == 1);
    Words words{captures.file(files_in(captures.path())[0])};
    if (how == How::preloaded) words.insert(words.begin(), "--salvage");  // it is killed in the end
    const Outcome replay = player(words, browser.captured);
    INFO(replay.both());
    CHECK(replay.status == 0);
  }
}
