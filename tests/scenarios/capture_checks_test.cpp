// SPDX-License-Identifier: Apache-2.0
// What rondo capture looks at before a program runs, what it puts under it, and what it does when it has ended.
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include <catch2/catch.hpp>
#include <filesystem>

#include "fixture.h"
#include "json.h"
#include "skip.h"

using namespace scenario;

namespace fs = std::filesystem;

namespace {

std::string static_program(const std::string& how) { return build_root() + "/tests/static/" + how; }

std::string plant(const TemporaryDirectory& directory, const std::string& name, const std::string& bytes) {
  write_file(directory.file(name), bytes);
  fs::permissions(directory.file(name), fs::perms::owner_all);
  return directory.file(name);
}

// `rondo capture OPTIONS -- WORDS`, with captures %p.rondo in the directory.
Command command_for(const TemporaryDirectory& directory, const Words& options, const Words& words) {
  Command command;
  command.arguments = {build_root() + "/analyzers/rondo", "capture", "--output", directory.file("%p.rondo")};
  command.arguments.insert(command.arguments.end(), options.begin(), options.end());
  command.arguments.push_back("--");
  command.arguments.insert(command.arguments.end(), words.begin(), words.end());
  return command;
}

// A sanitized build preloads the shim only behind the runtime. Not for shells.
Command with_runtime(Command command) {
#ifdef RONDO_SANITIZER_RUNTIME
  command.environment["LD_PRELOAD"] = RONDO_SANITIZER_RUNTIME;
#endif
  return command;
}

Outcome capture(const TemporaryDirectory& directory, const Words& options, const Words& words) {
  return run(command_for(directory, options, words));
}

// Ends with this status before anything ran, and one line says all of this.
void refuses(const Words& words, int status, const Words& said) {
  const TemporaryDirectory directory;
  const Outcome outcome = capture(directory, {}, words);
  INFO(outcome.both());
  CHECK(outcome.status == status);
  CHECK(is_one_line(outcome, "rondo"));
  CHECK(outcome.out.empty());
  for (const std::string& part : said) {
    INFO(part);
    CHECK(outcome.err.find(part) != std::string::npos);
  }
}

std::string submits_of(const std::string& path) {
  return Json::parse(rondo({"info", "--json", path}).out).at("/submits");
}

constexpr int kOwnError = 125, kCannotExecute = 126, kNotFound = 127;

}  // namespace

SCENARIO("a program that nothing can be put under is refused before it runs", "[capture-checks]") {
  const TemporaryDirectory directory;
  const std::string name = static_program(GENERATE("static", "static-pie"));
  WHEN("it is named") { refuses({name}, kOwnError, {name, "static program", "link it dynamically"}); }
  WHEN("a script's interpreter is one") {
    const std::string script = plant(directory, "one.sh", "#!" + name + "\n");
    refuses({script}, kOwnError, {script, name, "static program"});
    const std::string outer = plant(directory, "two.sh", "#!" + script + " -x\n");
    refuses({outer}, kOwnError, {outer, script, name, "static program"});
  }
  WHEN("it only starts others, behind env") {
    const Outcome outcome = capture(directory, {}, {"env", name, program("vulkan14")});
    INFO(outcome.both());
    CHECK(outcome.status == 0);
    REQUIRE(files_in(directory.path()).size() == 1);
    CHECK(player({directory.file(files_in(directory.path())[0])}).status == 0);
  }
}

SCENARIO("a program with another user's rights is refused before it runs", "[capture-checks]") {
  const TemporaryDirectory directory;
  const std::string copy = directory.file("set-user-id");
  fs::copy_file("/bin/true", copy);
  struct statvfs place {};
  REQUIRE(::statvfs(copy.c_str(), &place) == 0);
  if (::geteuid() != 0) SKIP_SCENARIO("only root makes a program another user's");
  if ((place.f_flag & ST_NOSUID) != 0) SKIP_SCENARIO("set-user-ID bits have no effect here (nosuid)");
  constexpr uid_t kNobody = 65534;
  REQUIRE(::chown(copy.c_str(), kNobody, kNobody) == 0);
  REQUIRE(::chmod(copy.c_str(), 04755) == 0);
  refuses({copy}, kOwnError, {copy, "set-user-ID", "65534", "run a copy"});
  REQUIRE(::chmod(copy.c_str(), 0755) == 0);
  CHECK(capture(directory, {}, {copy}).status == 0);
}

SCENARIO("a program for another machine is refused before it runs", "[capture-checks]") {
  const TemporaryDirectory directory;
  // ELF, 32 bits, little-endian; an executable (2) for the Intel 80386 (3). No more than the header.
  const std::string header = std::string("\177ELF\1\1\1\0\0\0\0\0\0\0\0\0\2\0\3\0\1\0\0\0", 24) + std::string(28, '\0');
  const std::string old = plant(directory, "old", header);
  refuses({old}, kOwnError, {old, "32-bit x86", "64-bit"});
}

SCENARIO("what the kernel would not execute is said in words", "[capture-checks]") {
  const TemporaryDirectory directory;
  WHEN("the interpreter is missing") {
    const std::string script = plant(directory, "script", "#!/no/such/interpreter\n");
    refuses({script}, kNotFound, {script, "/no/such/interpreter", "does not exist"});
    const std::string by_env = plant(directory, "by-env", "#!/usr/bin/env no-such-interpreter\n");
    refuses({by_env}, kNotFound, {by_env, "no-such-interpreter", "PATH"});
  }
  WHEN("the dynamic linker is missing") {
    std::string bytes = read_file("/bin/true");
    const std::size_t linker = bytes.find("/ld-linux");
    REQUIRE(linker != std::string::npos);
    bytes[linker + 1] = 'x';
    const std::string lost = plant(directory, "lost", bytes);
    refuses({lost}, kNotFound, {lost, "/xd-linux", "does not exist"});
  }
  WHEN("it is cut off, empty, or none") {
    refuses({plant(directory, "cut", read_file("/bin/true").substr(0, 5000))}, kCannotExecute, {"cut off"});
    refuses({build_root() + "/layer/scope/librondo-scope.so.0"}, kCannotExecute, {"librondo-scope.so"});
    refuses({plant(directory, "empty", "")}, kCannotExecute, {"empty"});
    refuses({plant(directory, "bytes", std::string("\1\2\0\3", 4))}, kCannotExecute, {"bytes", "neither a program"});
  }
  WHEN("it may not be executed, or is not there") {
    const std::string plain = plant(directory, "plain", "#!/bin/sh\n");
    fs::permissions(plain, fs::perms::owner_read);
    refuses({plain}, kCannotExecute, {plain, "may not be executed"});
    refuses({"no-such-program"}, kNotFound, {"no-such-program", "PATH"});
  }
  WHEN("a shell takes it") {
    const Outcome outcome = capture(directory, {}, {plant(directory, "text", "echo here; exit 7\n")});
    CHECK(outcome.status == 7);
    CHECK(outcome.out == "here\n");
  }
}

SCENARIO("layer and shim each record a program, and both together record it once", "[capture-checks]") {
  const Words how = GENERATE(Words{}, Words{"--layer-only"}, Words{"--shim-only"});
  const std::string& none = no_readback();
  if (!none.empty()) SKIP_SCENARIO(none);
  const TemporaryDirectory directory;
  Words options{"--checkpoints", "readback"};
  options.insert(options.end(), how.begin(), how.end());
  const Outcome outcome = run(with_runtime(command_for(directory, options, {program("compute")})));
  INFO(outcome.both());
  REQUIRE(outcome.status == 0);
  REQUIRE(files_in(directory.path()).size() == 1);
  const std::string path = directory.file(files_in(directory.path())[0]);
  CHECK(submits_of(path) == "64");  // as compute says
  const Outcome replay = player({"--verify", path});
  INFO(replay.both());
  CHECK(replay.status == 0);
  CHECK(compared(replay, "memory ranges").equal > 0);
}

SCENARIO("a loader that is told to load no layers is recorded by the shim", "[capture-checks]") {
  const TemporaryDirectory directory;
  Command command = with_runtime(command_for(directory, {}, {program("compute")}));
  command.environment["VK_LOADER_LAYERS_DISABLE"] = "~implicit~";
  CHECK(run(command).status == 0);
  REQUIRE(files_in(directory.path()).size() == 1);
  CHECK(submits_of(directory.file(files_in(directory.path())[0])) == "64");
  command.arguments.insert(command.arguments.begin() + 2, "--layer-only");
  const Outcome without = run(command);
  CHECK(without.err.find("no capture was written") != std::string::npos);
  CHECK(files_in(directory.path()).size() == 1);
}

SCENARIO("programs with sanitizers of their own start, and are captured", "[capture-checks]") {
#ifdef RONDO_SANITIZER_RUNTIME
  SKIP_SCENARIO("this build is sanitized itself");
#endif
  const TemporaryDirectory directory;
  const std::string name = static_program(GENERATE("with-address", "with-thread"));
  const Outcome outcome = capture(directory, {}, {name, program("vulkan14")});
  INFO(outcome.both());
  CHECK(outcome.status == 0);
  CHECK(files_in(directory.path()).size() == 1);
  CHECK(capture(directory, {"--shim-only"}, {static_program("with-address")}).status == kOwnError);
}

SCENARIO("a program is told of layer and shim as was asked for", "[capture-checks]") {
  const TemporaryDirectory directory;
  const auto told = [&](const Words& options) {
    Command command = with_runtime(command_for(directory, options, {"env"}));
    std::string& preload = command.environment["LD_PRELOAD"];
    preload += preload.empty() ? "libm.so.6" : ":libm.so.6";
    command.environment["XDG_DATA_DIRS"] = "/somewhere";
    const Outcome outcome = run(command);
    INFO(outcome.both());
    CHECK(outcome.status == 0);
    return "\n" + outcome.out;
  };
  const auto has = [](const std::string& all, const std::string& line) {
    return all.find("\n" + line + "\n") != std::string::npos;
  };
  const std::string shim = build_root() + "/layer/librondo_preload.so";
#ifdef RONDO_SANITIZER_RUNTIME
  const std::string alone = "LD_PRELOAD=" RONDO_SANITIZER_RUNTIME ":libm.so.6", with_shim = alone + ":" + shim;
#else
  const std::string alone = "LD_PRELOAD=libm.so.6", with_shim = "LD_PRELOAD=" + shim + ":libm.so.6";
#endif
  const std::string both = told({});
  CHECK(has(both, with_shim));
  CHECK(has(both, "RONDO_CAPTURE=1"));
  CHECK(has(both, "XDG_DATA_DIRS=" + build_root() + "/share:/somewhere"));
  const std::string layer = told({"--layer-only"});
  CHECK(has(layer, alone));
  CHECK(has(layer, "RONDO_CAPTURE=1"));
  CHECK(layer.find("RONDO_SHIM") == std::string::npos);
  const std::string shim_alone = told({"--shim-only"});
  CHECK(has(shim_alone, with_shim));
  CHECK(has(shim_alone, "RONDO_SHIM=1"));
  CHECK(has(shim_alone, "XDG_DATA_DIRS=/somewhere"));
  CHECK(shim_alone.find("RONDO_CAPTURE") == std::string::npos);
  CHECK(capture(directory, {"--layer-only", "--shim-only"}, {"true"}).status == kOwnError);
}

SCENARIO("a tree without the shim captures by the layer, and says so when asked", "[capture-checks]") {
  const TemporaryDirectory tree, captures;
  for (const char* part : {"analyzers", "layer", "share/vulkan/implicit_layer.d"})
    fs::create_directories(tree.file(part));
  fs::copy_file(build_root() + "/analyzers/rondo", tree.file("analyzers/rondo"));
  fs::copy_file(build_root() + "/layer/librondo_layer.so", tree.file("layer/librondo_layer.so"));
  const std::string manifest = "share/vulkan/implicit_layer.d/VkLayer_RONDO_capture.json";
  std::string json = read_file(build_root() + "/" + manifest);
  const std::string library = build_root() + "/layer/librondo_layer.so";
  if (const std::size_t at = json.find(library); at != std::string::npos)  // else it is named relative to the manifest
    json.replace(at, library.size(), tree.file("layer/librondo_layer.so"));
  write_file(tree.file(manifest), json);

  Command command = command_for(captures, {"--log", "info"}, {program("vulkan14")});
  command.arguments[0] = tree.file("analyzers/rondo");
  const Outcome outcome = run(command);
  INFO(outcome.both());
  CHECK(outcome.status == 0);
  CHECK(outcome.err.find("the layer alone records: no preload shim " + tree.file("layer/")) != std::string::npos);
  CHECK(files_in(captures.path()).size() == 1);

  command.arguments = {tree.file("analyzers/rondo"), "doctor"};
  CHECK(run(command).out.find("warn  shim      no preload shim") != std::string::npos);
  CHECK(rondo({"doctor"}).out.find("ok    shim      " + build_root() + "/layer/librondo_preload.so") !=
        std::string::npos);

  command = command_for(captures, {"--shim-only"}, {program("vulkan14")});
  command.arguments[0] = tree.file("analyzers/rondo");
  const Outcome refused = run(command);
  INFO(refused.both());
  CHECK(refused.status == kOwnError);
  CHECK(is_one_line(refused, "rondo"));
  CHECK(files_in(captures.path()).size() == 1);
}

SCENARIO("a capture whose name is there already gets another one, and says so, or takes its place",
         "[capture-checks]") {
  const TemporaryDirectory directory;
  const auto record = [&](const Words& options) {
    Command command;
    command.arguments = {build_root() + "/analyzers/rondo", "capture"};
    command.arguments.insert(command.arguments.end(), options.begin(), options.end());
    command.arguments.insert(command.arguments.end(), {"-o", "cube.rondo", "--", program("leak")});
    command.directory = directory.path();
    use_driver(command.environment, lavapipe);
    return run(command);
  };
  const Outcome first = record({});
  INFO(first.both());
  REQUIRE(first.status == 0);
  CHECK(first.err.find("cube.rondo: ") != std::string::npos);
  CHECK(first.err.find(" submit") != std::string::npos);
  const std::string bytes = read_file(directory.file("cube.rondo"));
  const Outcome second = record({});
  INFO(second.both());
  CHECK(second.err.find("cube.rondo: existed and stays; this capture is cube-") != std::string::npos);
  CHECK(read_file(directory.file("cube.rondo")) == bytes);
  CHECK(files_in(directory.path()).size() == 2);
  const Outcome third = record({"--force"});
  INFO(third.both());
  CHECK(third.err.find("existed") == std::string::npos);
  CHECK(files_in(directory.path()).size() == 2);
  CHECK(read_file(directory.file("cube.rondo")) != bytes);
  write_file(directory.file("cube.rondo"), "somebody's letter");
  const Outcome fourth = record({"--force"});
  INFO(fourth.both());
  CHECK(fourth.status == kOwnError);
  CHECK(is_one_line(fourth, "rondo"));
  CHECK(read_file(directory.file("cube.rondo")) == "somebody's letter");
}

SCENARIO("the chosen name goes to the process that submits work", "[capture-checks]") {
  const TemporaryDirectory directory;
  const auto record = [&](const std::string& commands) {
    Command command;
    command.arguments = {build_root() + "/analyzers/rondo", "capture", "-o", "work.rondo", "--", "sh", "-c", commands};
    command.directory = directory.path();
    use_driver(command.environment, lavapipe);
    return run(command);
  };
  const auto summary = [&](const std::string& name) { return rondo({"info", "--short", directory.file(name)}).out; };
  const std::string helper = "vulkaninfo --summary >vulkaninfo.txt && ";
  WHEN("a helper that submits nothing began first") {
    const Outcome outcome = record(helper + program("leak"));
    INFO(outcome.both());
    REQUIRE(outcome.status == 0);
    CHECK(outcome.err.find("work.rondo: is of process ") != std::string::npos);
    CHECK(summary("work.rondo").find("\tleak\t") != std::string::npos);
    CHECK(player({directory.file("work.rondo")}).status == 0);
    const std::size_t apart = outcome.err.find("submitted none: work-");
    REQUIRE(apart != std::string::npos);
    const std::size_t begin = outcome.err.find("work-", apart);
    const std::string name = outcome.err.substr(begin, outcome.err.find('\n', begin) - begin);
    CHECK(summary(name).find("\tvulkaninfo\t") != std::string::npos);
    CHECK(files_in(directory.path()).size() == 3);  // with vulkaninfo.txt
  }
  WHEN("the first one has work, too") {
    const Outcome outcome = record(program("leak") + " && " + program("vulkan14"));
    INFO(outcome.both());
    REQUIRE(outcome.status == 0);
    CHECK(outcome.err.find("is of process") == std::string::npos);
    CHECK(summary("work.rondo").find("\tleak\t") != std::string::npos);
  }
  WHEN("none has work") {
    const Outcome outcome = record(helper + "vulkaninfo --summary");
    INFO(outcome.both());
    CHECK(outcome.err.find("is of process") == std::string::npos);
    CHECK(files_in(directory.path()).size() == 3);
  }
}

SCENARIO("captures are played when the program has ended", "[capture-checks]") {
  const TemporaryDirectory directory;
  const std::string two = program("vulkan14") + " && " + program("leak");
  const Outcome outcome = capture(directory, {"--replay"}, {"sh", "-c", two});
  INFO(outcome.both());
  CHECK(outcome.status == 0);
  CHECK(outcome.out.find("submits, checksum") != std::string::npos);
  CHECK(outcome.out.find("the captured device") == std::string::npos);  // standard output is the program's
  CHECK(count(outcome.err, "the captured device and driver") == 2);
  CHECK(count(outcome.err, ".rondo: the replay:") == 2);
  CHECK(count(outcome.err, ", 0 frames, ") == 2);  // the line of each file stays
}

SCENARIO("captures are verified when the program has ended", "[capture-checks]") {
  const TemporaryDirectory directory;
  WHEN("it presents, and nothing else is asked for") {
    Command command = with_runtime(command_for(directory, {"--verify"}, {"vkcube", "--c", "5"}));
    use_window_system(command.environment, {"vkcube"});
    const Outcome outcome = run(command);
    INFO(outcome.both());
    CHECK(outcome.status == 0);
    CHECK(compared(outcome, "images").equal == 5);
  }
  WHEN("it reads back, and nothing else is asked for") {
    if (const std::string& none = no_readback(); !none.empty()) SKIP_SCENARIO(none);
    const Outcome outcome = capture(directory, {"--verify"}, {program("compute")});
    INFO(outcome.both());
    CHECK(outcome.status == 0);
    CHECK(compared(outcome, "memory ranges").equal > 0);
    CHECK(compared(outcome, "memory ranges").all == compared(outcome, "memory ranges").equal);
  }
  WHEN("it reads back, and its presents alone are asked for") {
    for (const bool by_variable : {false, true}) {
      Command command = command_for(directory, {"--verify"}, {program("leak")});
      if (by_variable) command.environment["RONDO_CHECKPOINTS"] = "present";
      if (!by_variable) command.arguments.insert(command.arguments.begin() + 2, {"--checkpoints", "present"});
      const Outcome outcome = run(command);
      INFO(outcome.both());
      CHECK(count(outcome.err,
                  ": nothing to compare: it presented no image (--checkpoints present): --checkpoints submit ") == 1);
      CHECK(lines(outcome.err).size() == 2);  // with the line of the file
      CHECK(outcome.status == 2);             // as the player's
    }
  }
  WHEN("it submits nothing") {
    const Outcome outcome = capture(directory, {"--verify"}, {program("surface")});
    INFO(outcome.both());
    CHECK(count(outcome.err, ": nothing to compare: it submitted nothing; --replay only plays it\n") == 1);
    CHECK(lines(outcome.err).size() == 2);
    CHECK(outcome.status == 2);
  }
  WHEN("it neither presents nor waits for what it could read") {
    const Words words{program("draws"), "--calls", "1000"};
    const Outcome outcome = capture(directory, {"--verify"}, words);
    INFO(outcome.both());
    CHECK(count(outcome.err,
                ": nothing to compare: it presented no image and waited for nothing that it could read ") == 1);
    CHECK(lines(outcome.err).size() == 2);
    CHECK(outcome.status == 2);
    const Outcome with_more = capture(directory, {"--verify", "--checkpoints", "submit"}, words);
    INFO(with_more.both());
    CHECK(with_more.status == 0);
    CHECK(compared(with_more, "parts of buffers and images").equal > 0);
  }
  WHEN("the program fails, too") {
    const Outcome outcome =
        capture(directory, {"--verify", "--checkpoints", "present"}, {"sh", "-c", program("leak") + "; exit 3"});
    INFO(outcome.both());
    CHECK(outcome.err.find("nothing to compare") != std::string::npos);
    CHECK(outcome.status == 3);
  }
  WHEN("there is no capture") {
    const Outcome outcome = capture(directory, {"--verify"}, {"true"});
    INFO(outcome.both());
    CHECK(outcome.status == kOwnError);
    CHECK(is_one_line(outcome, "rondo"));
  }
  WHEN("checkpoints are not wanted") {
    const Outcome outcome = capture(directory, {"--verify", "--checkpoints", "none"}, {program("leak")});
    CHECK(outcome.status == kOwnError);
    CHECK(is_one_line(outcome, "rondo"));
    CHECK(files_in(directory.path()).empty());
  }
}

SCENARIO("a capture that asked for checkpoints and has none says why", "[capture-checks]") {
  for (const auto& [level, why] :
       {std::pair("present", "it presented no image (--checkpoints present): --checkpoints submit"),
        std::pair("readback",
                  "it presented no image and waited for nothing that it could read (--checkpoints readback)")}) {
    const Recording& capture = captured({program("draws")}, {.checkpoints = level});
    REQUIRE(capture.run.status == 0);
    const Outcome outcome = player({"--verify", capture.path});
    INFO(outcome.both());
    CHECK(outcome.status == 2);
    CHECK(is_one_line(outcome, "player"));
    CHECK(outcome.err.find(std::string(": nothing to compare: ") + why) != std::string::npos);
    CHECK(outcome.err.find("capture it with") == std::string::npos);
  }
  const Recording& without = captured({program("draws")});
  const Outcome outcome = player({"--verify", without.path});
  INFO(outcome.both());
  CHECK(outcome.status == 2);
  CHECK(outcome.err.find(": has no checkpoints to verify with: capture it with RONDO_CHECKPOINTS=present") !=
        std::string::npos);
}
