// SPDX-License-Identifier: Apache-2.0
// scripts/demo: what it removes, and what it says where there is nothing to show. Run from a copy of the
// scripts beside a link to this build, so that nothing is built.
#include <algorithm>
#include <catch2/catch.hpp>
#include <filesystem>

#include "fixture.h"

using namespace scenario;

namespace {

class Demo {
 public:
  Demo() {
    std::filesystem::create_directory(place_.file("scripts"));
    for (const char* name : {"demo", "demo_sheet.py", "demo_table.py"})
      std::filesystem::copy(std::string(RONDO_DOCS "/../scripts/") + name, place_.file("scripts"));
    write_file(place_.file("scripts/build"), "#!/bin/sh\ntouch \"$(dirname \"$0\")/../built\"\n");
    std::filesystem::permissions(place_.file("scripts/build"), std::filesystem::perms::owner_all);
    std::filesystem::create_directory_symlink(build_root(), place_.file("build"));
  }

  // These programs open no window: with the name of a display, the demo starts no X server.
  Outcome run(const std::string& program) const { return run({program}, ":no-server"); }
  Outcome run(const Words& program, const std::string& display) const {
    Command command;
    command.arguments = {place_.file("scripts/demo")};
    command.arguments.insert(command.arguments.end(), program.begin(), program.end());
    command.environment["RONDO_DEMO_OUTPUT"] = output();
    command.environment["DISPLAY"] = display;
    return scenario::run(command);
  }
  std::string output(const std::string& name = {}) const {
    return place_.file("output") + (name.empty() ? "" : "/" + name);
  }
  bool has(const std::string& name) const { return std::filesystem::exists(output(name)); }
  bool has_built() const { return std::filesystem::exists(place_.file("built")); }

 private:
  TemporaryDirectory place_;
};

void refuses(const Outcome& outcome, int status, const std::string& says) {
  INFO(outcome.both());
  CHECK(outcome.status == status);
  CHECK(is_one_line(outcome, "demo"));
  CHECK(outcome.err.find(says) != std::string::npos);
}

}  // namespace

SCENARIO("the demo removes nothing but what an earlier demo made", "[demo]") {
  const Demo demo;
  GIVEN("a directory with a file of the user's") {
    std::filesystem::create_directory(demo.output());
    write_file(demo.output("mine"), "mine");
    refuses(demo.run("true"), 2, demo.output() + ": is no empty directory, and no demo made it");
    CHECK(read_file(demo.output("mine")) == "mine");
    CHECK_FALSE(demo.has_built());
  }
  GIVEN("a file in the place of the directory") {
    write_file(demo.output(), "mine");
    refuses(demo.run("true"), 2, demo.output() + ": is no empty directory");
    CHECK(read_file(demo.output()) == "mine");
  }
  GIVEN("a demo, and files that were put beside what it made") {
    std::filesystem::create_directory(demo.output());  // an empty one is taken
    const Outcome first = demo.run(program("compute"));
    INFO(first.both());
    REQUIRE(first.status == 0);
    REQUIRE(demo.has("compute.rondo"));
    REQUIRE(demo.has("compute-checked.rondo"));
    write_file(demo.output("mine"), "mine");
    write_file(demo.output("png/mine.png"), "mine");
    WHEN("another program is shown") {
      const Outcome second = demo.run(program("triangle"));
      INFO(second.both());
      CHECK(second.status == 0);
      CHECK(demo.has("triangle.rondo"));
      CHECK_FALSE(demo.has("compute.rondo"));
      CHECK_FALSE(demo.has("compute-checked.rondo"));
      CHECK(read_file(demo.output("mine")) == "mine");
      CHECK(read_file(demo.output("png/mine.png")) == "mine");
    }
    WHEN("the next capture's name is taken by the user") {
      write_file(demo.output("triangle.rondo"), "mine");
      refuses(demo.run(program("triangle")), 2, "triangle.rondo: no demo made it");
      CHECK(read_file(demo.output("triangle.rondo")) == "mine");
    }
  }
}

SCENARIO("the demo ends with a sheet of what the replay drew and three lines", "[demo]") {
  const Demo demo;
  const auto last_lines = [](const std::string& text) { return text.substr(text.rfind("\n\n") + 2); };
  GIVEN("a program that presents") {
    const Outcome outcome = demo.run({"vkcube", "--c", "8"}, "");
    INFO(outcome.both());
    REQUIRE(outcome.status == 0);
    CHECK(read_file(demo.output("contact-sheet.png")).substr(1, 3) == "PNG");
    CHECK(outcome.out.find("contact-sheet.png shows ") != std::string::npos);
    const std::string lines = last_lines(outcome.out);
    INFO(lines);
    CHECK(std::count(lines.begin(), lines.end(), '\n') == 3);
    CHECK(lines.find("8 of 8 images that the replay drew are identical to the program's own, bit for bit.\nThe "
                     "replay took ") != std::string::npos);
    CHECK(lines.find("\nNext: `") != std::string::npos);
  }
  GIVEN("a program that draws nothing") {
    const Outcome outcome = demo.run(program("compute"));
    INFO(outcome.both());
    REQUIRE(outcome.status == 0);
    CHECK_FALSE(demo.has("contact-sheet.png"));
    const std::string lines = last_lines(outcome.out);
    CHECK(std::count(lines.begin(), lines.end(), '\n') == 3);
    CHECK(lines.find("images that the replay drew") == std::string::npos);
  }
}

SCENARIO("the demo says why there is nothing to show", "[demo]") {
  const Demo demo;
  GIVEN("a program that makes no Vulkan instance") {
    const Outcome outcome = demo.run("/bin/true");
    INFO(outcome.both());
    CHECK(outcome.status == 1);
    CHECK(outcome.err.find("it made no Vulkan instance") != std::string::npos);
    CHECK(outcome.err.find("demo: there is nothing to replay: no true.rondo was written") != std::string::npos);
    CHECK(outcome.err.find("cannot be opened") == std::string::npos);
  }
  GIVEN("a program that is not there") {
    refuses(demo.run(demo.output("no-such-program")), 127, "no-such-program: there is no such program");
    CHECK_FALSE(demo.has_built());
    CHECK_FALSE(demo.has(""));
  }
}
