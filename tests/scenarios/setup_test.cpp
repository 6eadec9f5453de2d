// SPDX-License-Identifier: Apache-2.0
// scripts/setup and scripts/build on machines of our making: apt, dpkg, sudo, meson and ninja are scripts
// that write down how they were called.
#include <catch2/catch.hpp>
#include <chrono>
#include <filesystem>

#include "fixture.h"

using namespace scenario;

namespace {

void write_program(const std::string& path, const std::string& text) {
  write_file(path, "#!/bin/sh\n" + text);
  std::filesystem::permissions(path, std::filesystem::perms::owner_all);
}

bool has(const std::string& text, const std::string& what) { return text.find(what) != std::string::npos; }

// A Debian machine on which nothing is installed yet and whose archives have every package but those of
// `lacking`.
class Machine {
 public:
  explicit Machine(const std::string& user = "0", bool has_lists = true) {
    for (const char* name : {"bin", "scripts", "lists", "tmp"}) std::filesystem::create_directory(place_.file(name));
    for (const char* name : {"awk", "bash", "cat", "dirname", "env", "find", "grep", "mkdir", "mktemp", "paste", "rm",
                             "sed", "touch", "true"})
      std::filesystem::create_symlink(std::filesystem::canonical(std::string("/usr/bin/") + name), tool(name));
    if (has_lists) write_file(place_.file("lists/main_Packages"), "");
    lacks("");
    breaks("");
    write_file(place_.file("installed"), "");
    write_file(place_.file("calls"), "");
    std::filesystem::copy(RONDO_DOCS "/../scripts/setup", place_.file("scripts"));
    write_program(tool("id"), "echo " + user + "\n");
    write_program(tool("dpkg-query"), "cat " + place_.file("installed") + "\n");
    write_program(tool("apt-config"), "echo \"lists='" + place_.file("lists/") + "'\"\n");
    write_program(tool("apt-cache"),
                  "shift\nfor name; do\n  grep -qx -- \"$name\" " + place_.file("lacking") +
                      " || printf '%s:\\n  Installed: (none)\\n  Candidate: 1\\n' \"$name\"\ndone\n");
    write_program(tool("apt-get"),
                  "echo \"$*\" >>" + place_.file("calls") + "\ncase \"$*\" in *update*) echo >" +
                      place_.file("lists/main_Packages") + "; mkdir -p " + place_.file("lists/partial") + "; touch " +
                      place_.file("lists/partial") +
                      "; exit ;; esac\nwhile [ \"$1\" != --no-install-recommends ]; do shift; done\nshift\n"
                      "for name; do\n  ! grep -qx -- \"$name\" " +
                      place_.file("lacking") + " " + place_.file("broken") +
                      " || exit 100\ndone\nfor name; do echo \"$name installed\" >>" + place_.file("installed") +
                      "; done\n");
  }

  void lacks(const std::string& lines) const { write_file(place_.file("lacking"), lines); }
  void breaks(const std::string& lines) const { write_file(place_.file("broken"), lines); }
  void allows_sudo() const {
    write_program(tool("sudo"), "[ \"$1\" != -n ] || exit 0\necho sudo >>" + place_.file("calls") + "\nexec \"$@\"\n");
  }
  void forbids_sudo() const { std::filesystem::remove(tool("sudo")); }
  // As after an update of this minute that brought lists of last month.
  void has_lists_of_last_month() const {
    std::filesystem::create_directory(place_.file("lists/partial"));
    std::filesystem::last_write_time(place_.file("lists/main_Packages"),
                                     std::filesystem::file_time_type::clock::now() - std::chrono::hours(24 * 30));
  }
  std::string calls() const { return read_file(place_.file("calls")); }
  std::string script() const { return place_.file("scripts/setup"); }
  bool is_clean() const { return files_in(place_.file("tmp")).empty(); }

  Outcome setup(const std::string& set) const {
    Command command;
    command.arguments = {script(), set};
    command.environment["PATH"] = place_.file("bin");
    command.environment["TMPDIR"] = place_.file("tmp");
    return run(command);
  }

 private:
  std::string tool(const std::string& name) const { return place_.file("bin/" + name); }

  TemporaryDirectory place_;
};

// A checkout with scripts/build, whose other scripts and tools only write down how they were called.
class Checkout {
 public:
  Checkout() {
    for (const char* name : {"bin", "scripts"}) std::filesystem::create_directory(place_.file(name));
    std::filesystem::copy(RONDO_DOCS "/../scripts/build", place_.file("scripts"));
    write_program(place_.file("scripts/setup"),
                  "echo setup \"$@\" >>" + place_.file("calls") + "\nexit ${SETUP_STATUS:-0}\n");
    write_program(place_.file("scripts/drivers"), "exit 1\n");
    write_program(place_.file("bin/meson"), "echo meson \"$@\" >>" + place_.file("calls") +
                                                "\nmkdir -p \"$2/meson-private\"\ntouch \"$2/build.ninja\"\n"
                                                "case \"$*\" in *-Dtests=false*) echo 'tests = false' ;; esac "
                                                ">\"$2/meson-private/cmd_line.txt\"\n");
    write_program(place_.file("bin/dpkg-architecture"), "exit 1\n");  // else scripts/build says where libraries go
    write_program(place_.file("bin/ninja"), "echo ninja \"$@\" >>" + place_.file("calls") + "\n");
  }

  // What was called, a line each.
  std::string build(Words arguments, int status = 0, const std::string& status_of_setup = "0") const {
    write_file(place_.file("calls"), "");
    Command command;
    command.arguments = {place_.file("scripts/build")};
    command.arguments.insert(command.arguments.end(), arguments.begin(), arguments.end());
    command.environment["PATH"] = place_.file("bin") + ":" + command.environment["PATH"];
    command.environment["SETUP_STATUS"] = status_of_setup;
    const Outcome outcome = run(command);
    INFO(outcome.both());
    CHECK(outcome.status == status);
    return read_file(place_.file("calls"));
  }

 private:
  TemporaryDirectory place_;
};

}  // namespace

SCENARIO("scripts/setup installs the packages of a set and no others", "[setup]") {
  const Machine machine;
  const Outcome outcome = machine.setup("demo");
  INFO(outcome.both());
  CHECK(outcome.status == 0);
  const std::string calls = machine.calls();
  INFO(calls);
  CHECK(has(calls, " install -y --no-install-recommends g++ "));
  CHECK(has(calls, " vulkan-tools"));
  CHECK_FALSE(has(calls, " catch2"));
  CHECK_FALSE(has(calls, " chromium"));
  CHECK_FALSE(has(calls, " valgrind"));
  CHECK_FALSE(has(calls, "update"));
  CHECK(machine.is_clean());
  WHEN("it runs again") {
    CHECK(machine.setup("demo").status == 0);
    CHECK(machine.calls() == calls);
  }
  WHEN("another set is asked for") {
    CHECK(machine.setup("measure").status == 0);
    CHECK(has(machine.calls(), " valgrind"));
    CHECK_FALSE(has(machine.calls(), " catch2"));
  }
  WHEN("there is no such set") {
    const Outcome wrong = machine.setup("everything");
    CHECK(wrong.status == 2);
    CHECK(is_one_line(wrong, "setup"));
  }
}

SCENARIO("scripts/setup goes without what the archives lack, and says what that costs", "[setup]") {
  const Machine machine;
  GIVEN("archives that have some packages under other names, and one under none") {
    machine.lacks("libclang-rt-14-dev\nllvm-14\ngfxreconstruct\n");
    const Outcome outcome = machine.setup("test");
    INFO(outcome.both());
    CHECK(outcome.status == 0);
    CHECK(has(outcome.err,
              "setup: gfxreconstruct is in no archive of this machine: captures beside its layer are not "
              "tested\n"));
    const std::string calls = machine.calls();
    CHECK(has(calls, " libclang-rt-dev "));
    CHECK(has(calls, " llvm "));
    CHECK_FALSE(has(calls, " gfxreconstruct"));
    THEN("the next time only says it") {
      const Outcome again = machine.setup("test");
      CHECK(again.status == 0);
      CHECK(is_one_line(again, "setup"));
      CHECK(machine.calls() == calls);
    }
  }
  GIVEN("archives without a compiler") {
    machine.lacks("g++\n");
    const Outcome outcome = machine.setup("demo");
    INFO(outcome.both());
    CHECK(outcome.status == 1);
    CHECK(has(outcome.err, "setup: g++ is in no archive of this machine: Rondo does not build without"));
  }
  GIVEN("archives in which a package does not fit the others") {
    machine.breaks("chromium\n");
    const Outcome outcome = machine.setup("test");
    INFO(outcome.both());
    CHECK(outcome.status == 3);
    CHECK(has(outcome.err, "setup: chromium cannot be installed: a capture of its GPU process is not tested\n"));
    CHECK(has(machine.calls(), "update"));
    machine.lacks("chromium\n");  // now no archive has chromium, and nothing else is missing
    CHECK(is_one_line(machine.setup("test"), "setup"));
  }
  CHECK(machine.is_clean());
}

SCENARIO("scripts/setup fetches the archives' lists where there are none", "[setup]") {
  const Machine machine("0", false);
  machine.lacks("gfxreconstruct\n");
  CHECK(machine.setup("test").status == 0);
  CHECK(has(machine.calls(), "update"));
}

SCENARIO("scripts/setup does not fetch lists that were fetched today", "[setup]") {
  const Machine machine;
  machine.has_lists_of_last_month();
  machine.lacks("gfxreconstruct\n");
  CHECK(machine.setup("test").status == 0);
  CHECK_FALSE(has(machine.calls(), "update"));
}

SCENARIO("scripts/setup prints the one line to run as root where it cannot be", "[setup]") {
  GIVEN("a user without sudo") {
    const Machine machine("1000");
    const Outcome outcome = machine.setup("demo");
    INFO(outcome.both());
    CHECK(outcome.status == 1);
    CHECK(is_one_line(outcome, "setup"));
    CHECK(has(outcome.err, "Run as root: apt-get install -y --no-install-recommends g++ "));
    CHECK(machine.calls().empty());
  }
  GIVEN("a user without sudo, on a machine without the archives' lists") {
    const Machine machine("1000", false);
    machine.lacks("g++\n");
    const Outcome outcome = machine.setup("demo");
    INFO(outcome.both());
    CHECK(outcome.status == 1);
    CHECK(has(outcome.err, "Run as root: " + machine.script() + " demo\n"));
    CHECK(machine.calls().empty());
  }
  GIVEN("a user with sudo") {
    const Machine machine("1000");
    machine.allows_sudo();
    CHECK(machine.setup("demo").status == 0);
    CHECK(has(machine.calls(), "sudo\n-q "));
    CHECK(machine.setup("demo").status == 0);
  }
  GIVEN("a user without sudo, and a machine that lacks only what some tests need") {
    const Machine machine("1000");
    machine.allows_sudo();
    machine.breaks("chromium\n");
    CHECK(machine.setup("test").status == 3);
    machine.forbids_sudo();
    const std::string calls = machine.calls();
    const Outcome outcome = machine.setup("test");
    INFO(outcome.both());
    CHECK(outcome.status == 3);
    CHECK(has(outcome.err, "Run as root: apt-get install -y --no-install-recommends chromium\n"));
    CHECK(machine.calls() == calls);
  }
}

SCENARIO("scripts/build asks for the packages of what it builds", "[setup]") {
  const Checkout checkout;
  GIVEN("no build directory") {
    CHECK(checkout.build({}) == "setup test\nmeson setup build\nninja -C build\n");
    CHECK(checkout.build({"--product"}) ==
          "setup demo\nmeson setup build-product -Dtests=false -Dbenchmarks=false\nninja -C build-product "
          "product\n");
    CHECK(checkout.build({"build-alone", "-Dtests=false"}) ==
          "setup demo\nmeson setup build-alone -Dtests=false\nninja -C build-alone\n");
    THEN("what was configured without tests stays so") {
      CHECK(checkout.build({"build-alone"}) == "setup demo\nninja -C build-alone\n");
      CHECK(checkout.build({}) == "setup test\nninja -C build\n");
      CHECK(checkout.build({"--product", "build"}) == "setup demo\nninja -C build product\n");
    }
  }
  GIVEN("a machine where packages are missing without which less is tested") {
    CHECK(checkout.build({}, 0, "3") == "setup test\nmeson setup build\nninja -C build\n");
  }
  GIVEN("a machine where packages are missing without which nothing builds") {
    CHECK(checkout.build({}, 1, "1") == "setup test\n");
  }
}
