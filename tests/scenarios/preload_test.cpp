// SPDX-License-Identifier: Apache-2.0
// The preload shim: what no layer is shown is recorded at the driver's door.
#include <dlfcn.h>
#include <gnu/libc-version.h>

#include <algorithm>
#include <catch2/catch.hpp>
#include <csignal>
#include <filesystem>

#include "fixture.h"
#include "json.h"
#include "preloads.h"
#include "sanitizers.h"
#include "skip.h"

using namespace scenario;

namespace {

std::string installed_loader() {
  for (const char* path : {"/usr/lib/x86_64-linux-gnu/libvulkan.so.1", "/usr/lib/aarch64-linux-gnu/libvulkan.so.1"})
    if (std::filesystem::exists(path)) return path;
  return {};
}

}  // namespace

SCENARIO("programs that open a driver themselves are captured", "[preload]") {
  for (const char* how : {"open", "deep", "registered", "namespace"}) {
    if (kSanitized && std::string(how) != "open") continue;  // kNotSanitized
    INFO(how);
    is_captured({loaderless("direct"), "--how", how});
    is_captured({loaderless("direct"), "--how", how, "--begin", "clearenv"});
  }
  for (const char* end : {"_exit", "quick"}) is_captured({loaderless("direct"), "--end", end});
}

SCENARIO("programs that bring a loader of their own are captured", "[preload]") {
  const TemporaryDirectory directory;
  const std::string own = directory.file("libtheirs.so");
  std::filesystem::copy_file(installed_loader(), own);
  is_captured({loaderless("direct"), "--how", "loader", "--loader", own});
  is_captured({loaderless("direct"), "--how", "loader", "--loader", own, "--begin", "clearenv"});
}

SCENARIO("programs that are linked against a driver are captured, also where relocations are read-only", "[preload]") {
  for (const char* name : {"linked", "linked_pointer", "linked_fixed"}) {
    is_captured({loaderless(name)}, fake);
    is_captured({loaderless(name), "call"}, fake);
  }
  is_captured({loaderless("direct"), "--how", "linked"}, fake);
}

SCENARIO("drivers are captured that are looked up where it depends on who asks", "[preload]") {
  is_captured({loaderless("asking")}, fake);
  is_captured({loaderless("direct"), "--how", "asking"}, fake);
}

SCENARIO("who looks up a driver where none is for them finds none", "[preload]") {
  if (kSanitized) SKIP_SCENARIO(kNotSanitized);
  const TemporaryDirectory directory;
  const Outcome outcome = run(shimmed({loaderless("asking_nobody")}, directory.file("c.rondo"), fake));
  INFO(outcome.both());
  CHECK(outcome.status == 0);
  std::string none;
  for (int i = 0; i < 5; ++i) none += "default: 0\nnext: 0\n";
  CHECK(outcome.out == none + "closed: 0\n");
}

SCENARIO("an instance that is not recorded is none that was at its address", "[preload]") {
  const TemporaryDirectory directory;
  Words words{loaderless("other_instances")};
  SECTION("of a forked child") {}
#ifndef __SANITIZE_THREAD__  // its runtime has not seen it either: what the parent's threads did is a race to it
  SECTION("of a child that no fork handler has seen") { words.push_back("clone"); }
#endif
  const Outcome outcome = run(shimmed(words, directory.file("c.rondo")));
  INFO(outcome.both());
  CHECK(outcome.status == 0);
  CHECK(count(rondo({"dump", directory.file("c.rondo")}).out, " vkCreateInstance(") == 1);
}

SCENARIO("who looks up a library or a function gets what they get without the shim, and is told the same",
         "[preload]") {
  if (kSanitized) SKIP_SCENARIO(kNotSanitized);
  const TemporaryDirectory directory;
  Command alone;
  alone.arguments = {loaderless("lookups")};
  const Outcome native = run(alone);
  INFO(native.both());
  REQUIRE(native.status == 0);
  // What it is for: who asks matters.
  CHECK(count(native.out, "2 libraries: first, then second\n") == 1);
  CHECK(count(native.out, "beneath, from here: not found, ") == 1);
  CHECK(count(native.out, " in beneath, my namespace 1, ") == 6);
  CHECK(count(native.out, "  lookups_own by default: 1, nothing is said\n") == 3);
  CHECK(count(native.out, "  lookups_of_program by default: 1, nothing is said\n") == 2);
  CHECK(count(native.out, "  read-only pages that can be written: 0\n") == 3);
  const Outcome outcome = run(shimmed({loaderless("lookups")}, directory.file("c.rondo"), fake));
  INFO(outcome.both());
  CHECK(outcome.status == 0);
  CHECK(outcome.out == native.out);
  CHECK(outcome.err == native.err);
}

SCENARIO("programs of the tree are captured under a loader that loads no layer", "[preload]") {
  is_captured({program("compute")}, lavapipe, 64);
  for (const char* name : {"images", "two_devices", "submits", "twoqueues_threads", "secondary", "two_instances"}) {
    const Words words{program(name)};
    if (!cannot_run(words, lavapipe).empty()) continue;
    const TemporaryDirectory directory;
    const Outcome outcome = run(shimmed(words, directory.file("c.rondo")));
    INFO(name << "\n" << outcome.both());
    CHECK(outcome.status == 0);
    const Outcome verified = player({"--verify", directory.file("c.rondo")});
    INFO(verified.both());
    CHECK(verified.status == 0);
  }
}

SCENARIO("the validation layer above the driver's door has nothing to say that it has not without", "[preload]") {
  for (const Words& words :
       {Words{loaderless("direct"), "--how", "loader", "--loader", installed_loader()}, Words{program("compute")},
        Words{program("images")}, Words{program("submits")}, Words{program("two_instances")}}) {
    const TemporaryDirectory directory;
    Command command = shimmed(words, directory.file("c.rondo"));
    command.environment["VK_INSTANCE_LAYERS"] = "VK_LAYER_KHRONOS_validation";
    const Outcome outcome = run(command);
    INFO(words[0] << "\n" << outcome.both());
    CHECK(outcome.status == 0);
    CHECK(count(outcome.both(), "Validation") == 0);
    const Outcome validated = player({"--validate", directory.file("c.rondo")});
    INFO(validated.both());
    CHECK(validated.status == 0);
    // It was there.
    CHECK(count(rondo({"info", directory.file("c.rondo")}).out, "libVkLayer_khronos_validation.so") == 1);
  }
}

SCENARIO("layer and shim record once", "[preload]") {
  const TemporaryDirectory directory;
  Command command = capture_command({program("compute")}, directory.file("c.rondo"), {.checkpoints = "readback"});
  command.environment["LD_PRELOAD"] = with_shim();
  const Outcome outcome = run(command);
  INFO(outcome.both());
  CHECK(outcome.status == 0);
  CHECK(files_in(directory.path()).size() == 1);
  const Outcome dump = rondo({"dump", directory.file("c.rondo")});
  CHECK(count(dump.out, " vkCreateInstance(") == 1);
  CHECK(count(dump.out, " vkQueueSubmit(") == 64);
  CHECK(player({"--verify", directory.file("c.rondo")}).status == 0);
}

namespace {

// A copy of the layer, with a manifest: what XDG_DATA_DIRS is to name.
std::string copied_layer(const TemporaryDirectory& directory) {
  const std::string library = directory.file("librondo_layer.so"),
                    manifests = directory.file("vulkan/implicit_layer.d");
  std::filesystem::copy_file(build_root() + "/layer/librondo_layer.so", library);
  std::filesystem::create_directories(manifests);
  std::string text = read_file(build_root() + "/share/vulkan/implicit_layer.d/VkLayer_RONDO_capture.json");
  const std::string before = build_root() + "/layer/librondo_layer.so";
  text.replace(text.find(before), before.size(), library);
  write_file(manifests + "/VkLayer_RONDO_capture.json", text);
  return directory.path();
}

Command layer_and_shim(const Words& words, const std::string& output) {
  Command command = capture_command(words, output, {.checkpoints = "readback", .with_launcher = false});
  command.environment["LD_PRELOAD"] = with_shim();
  return command;
}

}  // namespace

SCENARIO("surfaces that the loader makes itself have others that stand for them at the driver's door", "[preload]") {
  struct Case {
    const char* program;
    const char* interface;
    int headless, most_headless, display;
  };
  for (const Case& one :
       {Case{"headless", "5", 2, 2, 0}, Case{"headless", "2", 2, 2, 0}, Case{"displays", "5", 0, 0, 2},
        // one after the other: the second may have the first one's value
        Case{"displays", "2", 1, 2, 0}}) {
    INFO(one.program << ", interface " << one.interface);
    const TemporaryDirectory directory;
    Command command = shimmed({program(one.program)}, directory.file("c.rondo"), fake);
    command.environment["RONDO_FAKE_ICD"] = std::string("interface=") + one.interface;
    command.environment["RONDO_CHECKPOINTS"] = "present";
    const Outcome outcome = run(command);
    INFO(outcome.both());
    CHECK(outcome.status == 0);
    CHECK(outcome.err.empty());
    const Outcome dump = rondo({"dump", directory.file("c.rondo")});
    const int headless = count(dump.out, " vkCreateHeadlessSurfaceEXT(");
    CHECK(headless >= one.headless);
    CHECK(headless <= one.most_headless);
    CHECK(count(dump.out, " vkCreateDisplayPlaneSurfaceKHR(") == one.display);
    const Outcome verified = player({"--verify", directory.file("c.rondo")}, fake);
    INFO(verified.both());
    CHECK(verified.status == 0);
    CHECK(compared(verified, "images").equal > 0);
    const Outcome trimmed =
        rondo({"trim", "--frames", "2:4", directory.file("c.rondo"), "-o", directory.file("part.rondo")});
    INFO(trimmed.both());
    CHECK(trimmed.status == 0);
    CHECK(player({"--verify", directory.file("part.rondo")}, fake).status == 0);
  }
}

SCENARIO("drivers that are opened again, and many of them, are captured, or it is said of which that they are not",
         "[preload]") {
  const std::string driver = build_root() + "/tests/icd/libfake_icd.so",
                    mute = loaderless("apart/beneath/liblookups_beneath.so");  // a driver that can nothing
  struct Case {
    const char* what;
    int mutes, drivers;
    Words how;
    int submits;
    const char* said;
  };
  for (const Case& one :
       {Case{"twenty copies, all of them at once", 0, 20, {"held", "1"}, 40, ""},
        Case{"one behind a hundred that are closed, five times", 100, 1, {"closed", "5"}, 10, ""},
        Case{"eight on threads of their own, five times", 0, 8, {"threads", "5"}, 80, ""},
        Case{"as many as there are places for", 63, 1, {"held", "1"}, 2, ""},
        Case{"more",
             64,
             1,
             {"held", "2"},
             0,
             "rondo: this process has opened 64 drivers: what it does with further ones is not recorded\n"}}) {
    INFO(one.what);
    const TemporaryDirectory directory, drivers;
    for (int i = 0; i < one.mutes; ++i) std::filesystem::copy_file(mute, drivers.file("a" + std::to_string(i) + ".so"));
    for (int i = 0; i < one.drivers; ++i)
      std::filesystem::copy_file(driver, drivers.file("b" + std::to_string(i) + ".so"));
    Words words{loaderless("many_drivers"), drivers.path()};
    words.insert(words.end(), one.how.begin(), one.how.end());
    const Outcome outcome = run(shimmed(words, directory.file("c.rondo"), fake));
    INFO(outcome.both());
    CHECK(outcome.status == 0);
    CHECK(outcome.err == one.said);
    CHECK(files_in(directory.path()).size() == (one.submits != 0 ? 1 : 0));
    if (one.submits == 0) continue;
    CHECK(Json::parse(rondo({"info", "--json", directory.file("c.rondo")}).out).at("/submits") ==
          std::to_string(one.submits));
    CHECK(player({"--verify", directory.file("c.rondo")}, fake).status == 0);
  }
}

SCENARIO("an instance is recorded once where a process has two copies of the layer's library", "[preload]") {
  const TemporaryDirectory elsewhere;
  const std::string copy = copied_layer(elsewhere), own = build_root() + "/share";
  const Words apart{loaderless("direct"), "--how", "namespace", "--loader", installed_loader()};
  Words both = apart;
  both.insert(both.end(), {"--first", "open", "--end", "_exit"});
  struct Case {
    const char* what;
    Words program;
    std::string data;
    std::size_t files;  // each with one instance
  };
  for (const Case& one : {Case{"a loader in a namespace loads it again", apart, own, 1},
                          Case{"the loader is led to another copy than the shim's",
                               {loaderless("direct"), "--how", "loader", "--loader", installed_loader()},
                               copy,
                               1},
                          Case{"two manifests name two copies",
                               {loaderless("direct"), "--how", "loader", "--loader", installed_loader()},
                               own + ":" + copy,
                               1},
                          Case{"one at the driver, one in a namespace, closed at _exit", both, own, 2}}) {
    // kNotSanitized
    if (kSanitized && std::find(one.program.begin(), one.program.end(), "namespace") != one.program.end()) continue;
    INFO(one.what);
    const TemporaryDirectory directory;
    Command command = layer_and_shim(one.program, directory.file("c.rondo"));
    command.environment["XDG_DATA_DIRS"] = one.data;
    const Outcome outcome = run(command);
    INFO(outcome.both());
    CHECK(outcome.status == 0);
    // A second recorder finds the range of the first one's memory taken.
    CHECK(outcome.err.empty() == (one.files == 1));
    const auto files = files_in(directory.path());
    CHECK(files.size() == one.files);
    for (const std::string& file : files) {
      INFO(file);
      const Outcome info = rondo({"info", "--json", directory.file(file)});
      CHECK(Json::parse(info.out).at("/complete") == "true");
      CHECK(count(rondo({"dump", directory.file(file)}).out, " vkCreateInstance(") == 1);
      const Outcome played = player({directory.file(file)});
      INFO(played.both());
      CHECK(played.status == 0);
      if (one.files == 1) CHECK(player({"--verify", directory.file(file)}).status == 0);
    }
  }
}

SCENARIO("a program that aborts leaves a capture that can be salvaged", "[preload]") {
  const TemporaryDirectory directory;
  const Outcome outcome = run(shimmed({loaderless("direct"), "--end", "abort"}, directory.file("c.rondo")));
  CHECK(outcome.signal == SIGABRT);
  const Outcome salvaged = player({"--salvage", "--verify", directory.file("c.rondo")});
  INFO(salvaged.both());
  CHECK(salvaged.status == 0);
}

SCENARIO("the C library may be the program", "[preload]") {
  if (kSanitized) SKIP_SCENARIO(kNotSanitized);
  Dl_info library{};
  REQUIRE(::dladdr(reinterpret_cast<void*>(&::gnu_get_libc_version), &library) != 0);
  const TemporaryDirectory directory;
  const Outcome outcome = run(shimmed({std::filesystem::canonical(library.dli_fname)}, directory.file("c.rondo")));
  INFO(outcome.both());
  CHECK(outcome.status == 0);
  CHECK(outcome.out.starts_with("GNU C Library"));
}

SCENARIO("the shim does nothing where nothing is captured", "[preload]") {
  const TemporaryDirectory directory;
  for (const char* off : {"RONDO_SHIM", "RONDO_DISABLE"}) {
    Command command = shimmed({loaderless("direct")}, directory.file("c.rondo"));
    command.environment[off] = "0";
    const Outcome outcome = run(command);
    CHECK(outcome.status == 0);
    CHECK(files_in(directory.path()).empty());
  }
}
