// SPDX-License-Identifier: Apache-2.0
// Captures that say who made each call (RONDO_BACKTRACES), and what `rondo dump` and the other tools make of that.
#include <catch2/catch.hpp>
#include <filesystem>
#include <set>

#include "fixture.h"
#include "json.h"
#include "sanitizers.h"

using namespace scenario;

namespace {

std::string callers_program() { return build_root() + "/tests/programs/callers/callers"; }

Outcome capture(const Words& options, const Words& words, const std::string& output) {
  Command command;
  use_driver(command.environment, lavapipe);
#ifdef RONDO_SANITIZER_RUNTIME
  command.environment["LD_PRELOAD"] = RONDO_SANITIZER_RUNTIME;
#endif
  command.arguments = {build_root() + "/analyzers/rondo", "capture", "--output", output};
  command.arguments.insert(command.arguments.end(), options.begin(), options.end());
  command.arguments.push_back("--");
  command.arguments.insert(command.arguments.end(), words.begin(), words.end());
  return run(command);
}

struct Frame {
  std::string module, function;  // the module's file name
};
struct Call {
  std::string command, text;  // the whole row
  std::vector<Frame> frames;  // of the program's own code, from the inside out
  std::size_t all = 0;        // frames
};

std::string unquoted(const std::string& json) { return json.size() < 2 ? json : json.substr(1, json.size() - 2); }

std::vector<Call> calls_of(const std::string& file, const Words& options = {"--symbols"}) {
  Words words = {"dump", "--format", "jsonl"};
  words.insert(words.end(), options.begin(), options.end());
  words.push_back(file);
  const Outcome dumped = rondo(words);
  INFO(dumped.err);
  REQUIRE(dumped.status == 0);
  std::vector<Call> calls;
  for (const std::string& line : lines(dumped.out)) {
    const Json row = Json::parse(line);
    if (row.at("/row") != "\"record\"" || row.at("/by_layer") == "true") continue;
    Call call{unquoted(row.at("/command")), line, {}, row.size("/callers")};
    for (std::size_t i = 0; i < call.all; ++i) {
      const std::string at = "/callers/" + std::to_string(i);
      const std::string module = std::filesystem::path(unquoted(row.at(at + "/module"))).filename();
      std::string function = unquoted(row.at(at + "/function"));
      constexpr std::string_view nameless = "(anonymous namespace)::";
      if (function.starts_with(nameless)) function.erase(0, nameless.size());
      function = function.substr(0, function.find('('));
      if (const std::size_t space = function.rfind("::"); space != std::string::npos)
        function = function.substr(space + 2);
      if (module == "callers" || module.starts_with("called_")) call.frames.push_back({module, function});
    }
    calls.push_back(std::move(call));
  }
  return calls;
}

// Who reset the fence of this name, as "function < function", each once.
std::set<std::string> resetters(const std::vector<Call>& calls, const std::string& name) {
  std::string fence;
  std::set<std::string> found;
  for (const Call& call : calls) {
    if (call.command == "vkSetDebugUtilsObjectNameEXT" && call.text.find("\"" + name + "\"") != std::string::npos) {
      const std::size_t at = call.text.find("VkFence#");
      REQUIRE(at != std::string::npos);
      fence = call.text.substr(at, call.text.find('"', at) - at);
    }
    if (call.command != "vkResetFences" || fence.empty() || call.text.find("\"" + fence + "\"") == std::string::npos)
      continue;
    std::string text;
    for (const Frame& frame : call.frames) text += (text.empty() ? "" : " < ") + frame.function;
    found.insert(text);
  }
  return found;
}

bool begins(const std::set<std::string>& texts, const std::string& with) {
  return !texts.empty() &&
         std::all_of(texts.begin(), texts.end(), [&](const std::string& one) { return one.starts_with(with); });
}

}  // namespace

SCENARIO("each call is known with its callers", "[backtraces]") {
  const TemporaryDirectory directory;
  const std::string file = directory.file("a.rondo");
  const Words how = GENERATE(Words{}, Words{"--layer-only"}, Words{"--shim-only"});
  Words options = {"--backtraces", "--checkpoints", "readback"};
  options.insert(options.end(), how.begin(), how.end());
  Words words{callers_program()};
#ifndef RONDO_SANITIZER_RUNTIME  // whose unwinder is a library of its own (layer/callers/unwinding.cpp)
  words.insert(words.end(), {"--fiber", "1", "--lost-register", "1"});
#endif
  const Outcome ran = capture(options, words, file);
  INFO(ran.both());
  REQUIRE(ran.status == 0);
  const std::vector<Call> calls = calls_of(file);
  std::size_t known = 0;
  for (const Call& call : calls) known += call.command.starts_with("vk") && !call.frames.empty() ? 1 : 0;
  CHECK(known > 200);
  for (const Call& call : calls)
    if (call.command.starts_with("vk") && call.frames.empty()) FAIL_CHECK(call.text);
  // The chain, and a shorter one between.
  CHECK(resetters(calls, "chain") ==
        std::set<std::string>{"innermost < middle < outermost < main < _start", "innermost < main < _start"});
  std::string deep = "innermost";
  for (int i = 0; i <= 10; ++i) deep += " < recursion";
  CHECK(resetters(calls, "deep") == std::set<std::string>{deep + " < main < _start"});
  CHECK(resetters(calls, "letter") == std::set<std::string>{"f < main < _start"});
  CHECK(begins(resetters(calls, "one"), "one_thread"));
  CHECK(begins(resetters(calls, "other"), "other_thread"));
  CHECK(begins(resetters(calls, "heard"), "callback"));
  CHECK(begins(resetters(calls, "above"), "plugin_call < from_library < main"));
  if (words.size() > 1) {
    CHECK(begins(resetters(calls, "fiber"), "on_fiber"));
    CHECK(begins(resetters(calls, "lost"), "innermost < by_lost_register"));
  }
  for (const Call& call : calls)
    if (call.command == "vkDestroyDebugUtilsMessengerEXT") {
      REQUIRE(!call.frames.empty());
      CHECK(call.frames[0].function == "says_something");
    }
  THEN("a library is not taken for one that lay there before") {
    std::set<std::string> modules;
    for (const Call& call : calls)
      if (!call.frames.empty() && call.frames[0].function == "plugin_call") modules.insert(call.frames[0].module);
    CHECK(modules == std::set<std::string>{"called_above.so", "called_first.so", "called_second.so"});
  }
  THEN("chains and modules are stored once") {
    std::set<std::string> chains, modules;
    std::size_t chain_records = 0, module_records = 0;
    for (const Call& call : calls) {
      const std::size_t at = call.text.find("\"truncated\"");
      if (call.command == "rondoCallChain") chains.insert(call.text.substr(at)), ++chain_records;
      const std::size_t id = call.text.find("\"buildIdSize\"");
      if (call.command == "rondoModule") modules.insert(call.text.substr(id)), ++module_records;
    }
    CHECK(chain_records > 20);
    CHECK(chains.size() == chain_records);
    CHECK(module_records >= 4);
    CHECK(modules.size() == module_records);
  }
  THEN("it plays as any other") {
    CHECK(player({file}).status == 0);
    CHECK(player({"--validate", file}).status == 0);
    CHECK(rondo({"accesses", file}).status == 0);
  }
}

SCENARIO("a child of fork may load libraries while other threads' callers are looked for", "[backtraces]") {
  const TemporaryDirectory directory;
  const std::string file = directory.file("a.rondo");
  const Outcome ran = capture({"--backtraces"}, {callers_program(), "--forks", "200"}, file);
  INFO(ran.both());
  CHECK(ran.status == 0);
}

SCENARIO("callers are told as text, with and without symbols", "[backtraces]") {
  const TemporaryDirectory directory;
  const std::string file = directory.file("a.rondo");
  REQUIRE(capture({"--backtraces"}, {callers_program(), "--depth", "400"}, file).status == 0);
  const Outcome plain = rondo({"dump", "--grep", "vkResetFences", file});
  CHECK(plain.status == 0);
  CHECK(plain.err.empty());
  CHECK(plain.out.find(" from callers+0x") != std::string::npos);
  CHECK(plain.out.find("innermost") == std::string::npos);
  const Outcome symbols = rondo({"dump", "--symbols", "--grep", "vkResetFences", file});
  CHECK(symbols.out.find("innermost(VkDevice_T*, VkFence_T*) at ") != std::string::npos);
  CHECK(symbols.out.find("callers.cpp:") != std::string::npos);
  THEN("long chains say that they are cut off") {
    CHECK(plain.out.find(" …\n") != std::string::npos);
    std::size_t longest = 0;
    bool truncated = false;
    for (const Call& call : calls_of(file)) {
      longest = std::max(longest, call.all);
      truncated = truncated || call.text.find("\"callers_truncated\":true") != std::string::npos;
    }
    CHECK(longest == 256);
    CHECK(truncated);
  }
  THEN("info and --privacy tell of them") {
    CHECK(rondo({"info", file}).out.find("call chains through") != std::string::npos);
    const Json info = Json::parse(rondo({"info", "--json", file}).out);
    CHECK(std::stoul(info.at("/call_chains")) > 20);
    CHECK(info.size("/call_modules") >= 4);
    CHECK(rondo({"info", "--privacy", file}).out.find(callers_program()) != std::string::npos);
  }
}

SCENARIO("symbols come only from the file that was mapped", "[backtraces]") {
  const TemporaryDirectory directory;
  const std::string file = directory.file("a.rondo"), copy = directory.file("callers");
  for (const char* name : {"callers", "called_first.so", "called_second.so", "called_above.so"})
    std::filesystem::copy(build_root() + "/tests/programs/callers/" + name, directory.file(name));
  REQUIRE(capture({"--backtraces"}, {copy}, file).status == 0);
  CHECK(resetters(calls_of(file), "chain").count("innermost < main < _start") == 1);
  const auto expect_complaint = [&](const std::string& why) {
    const Outcome dumped = rondo({"dump", "--symbols", file});
    INFO(dumped.err);
    CHECK(dumped.status == 0);
    CHECK(dumped.err.find("rondo: " + copy + ": " + why) != std::string::npos);
    CHECK(count(dumped.err, copy + ":") == 1);
    CHECK(dumped.out.find("? (callers+0x") != std::string::npos);
  };
  WHEN("another build lies there") {
    std::filesystem::copy_file(program("compute"), copy, std::filesystem::copy_options::overwrite_existing);
    expect_complaint("is of another build now");
  }
  WHEN("it is gone") {
    std::filesystem::remove(copy);
    expect_complaint("No such file");
  }
  WHEN("it is no file, or none that can be read") {
    std::filesystem::remove(copy);
    std::filesystem::create_directory(copy);
    expect_complaint("is no regular file");
    std::filesystem::remove(copy);
    write_file(copy, "no ELF file");
    expect_complaint("");
  }
}

SCENARIO("a capture that names nothing names no modules", "[backtraces]") {
  const TemporaryDirectory directory;
  const std::string file = directory.file("a.rondo");
  REQUIRE(capture({"--backtraces", "--session", "minimal"}, {callers_program()}, file).status == 0);
  const std::string dumped = rondo({"dump", "--format", "jsonl", file}).out;
  CHECK(dumped.find("rondoCallChain") != std::string::npos);
  CHECK(dumped.find("called_first") == std::string::npos);
  CHECK(dumped.find(build_root()) == std::string::npos);
  CHECK(rondo({"dump", file}).out.find(" from [") != std::string::npos);
}

SCENARIO("without the option nothing is told, and asked for symbols dump says so", "[backtraces]") {
  const TemporaryDirectory directory;
  const std::string with = directory.file("with.rondo"), without = directory.file("without.rondo");
  REQUIRE(capture({"--backtraces"}, {program("compute")}, with).status == 0);
  REQUIRE(capture({}, {program("compute")}, without).status == 0);
  const Outcome dumped = rondo({"dump", "--symbols", without});
  CHECK(dumped.status == 0);
  CHECK(dumped.err.find("RONDO_BACKTRACES=1") != std::string::npos);
  CHECK(dumped.out.find("rondoCall") == std::string::npos);
  CHECK(rondo({"info", without}).out.find("call chain") == std::string::npos);
  THEN("the two differ in nothing else") {
    const auto commands = [](const std::string& file) {
      std::vector<std::string> out;
      for (const Call& call : calls_of(file, {}))
        if (call.command != "rondoModule" && call.command != "rondoCallChain" && call.command != "rondoCaller")
          out.push_back(call.command);
      return out;
    };
    CHECK(commands(with) == commands(without));
    const Outcome same = rondo({"diff", with, without});
    INFO(same.both());
    CHECK(same.status == 0);
  }
}

SCENARIO("a cut keeps the callers of what it has of the capture", "[backtraces]") {
  const TemporaryDirectory directory;
  const std::string file = directory.file("a.rondo"), part = directory.file("part.rondo");
  REQUIRE(capture({"--backtraces", "--checkpoints", "readback"}, {program("compute")}, file).status == 0);
  const auto told = [](const std::string& capture, const Words& options) {
    std::vector<std::string> out;
    for (const std::string& line :
         lines(rondo({"dump", options[0], options[1], "--format", "jsonl", "--symbols", capture}).out)) {
      const Json row = Json::parse(line);
      if (row.at("/row") != "\"record\"" || row.at("/by_layer") == "true" || row.at("/command").starts_with("\"rondo"))
        continue;
      std::string one = row.at("/command") + " from";
      for (std::size_t i = 0; i < row.size("/callers"); ++i) {
        const std::string at = "/callers/" + std::to_string(i);
        one += " " + row.at(at + "/module") + row.at(at + "/offset") + row.at(at + "/function");
      }
      out.push_back(one);
    }
    return out;
  };
  std::vector<std::string> all = told(file, {"--submits", "20:30"});
  // The part begins behind the wait for the submit before.
  while (!all.empty() && !all.front().starts_with("\"vkBeginCommandBuffer")) all.erase(all.begin());
  REQUIRE(all.size() > 50);
  CHECK(std::all_of(all.begin(), all.end(),
                    [](const std::string& one) { return one.find("main") != std::string::npos; }));
  const Outcome cut = rondo({"trim", "--submits", "20:30", file, "-o", part});
  INFO(cut.both());
  REQUIRE(cut.status == 0);
  CHECK(player({"--verify", part}).status == 0);
  CHECK(rondo({"accesses", file}).status == 0);
  const std::vector<std::string> kept = told(part, {"--submits", "0:10"});
  // What was put back has no callers.
  REQUIRE(kept.size() >= all.size());
  const std::size_t put_back = kept.size() - all.size();
  for (std::size_t i = 0; i < all.size(); ++i) CHECK(kept[put_back + i] == all[i]);
  THEN("a cut of draws, too") {
    const std::string draws = directory.file("draws.rondo");
    const Outcome of_draws = rondo({"trim", "--draws", "20:0:1", file, "-o", draws});
    INFO(of_draws.both());
    REQUIRE(of_draws.status == 0);
    const std::string dumped = rondo({"dump", "--symbols", draws}).out;
    const std::size_t dispatch = dumped.rfind("vkCmdDispatch(");
    REQUIRE(dispatch != std::string::npos);
    CHECK(dumped.find("program::record_dispatch", dispatch) < dumped.find("\n", dumped.find("main", dispatch)));
  }
}

SCENARIO("callers are there up to where a program was killed", "[backtraces]") {
  const TemporaryDirectory directory;
  const std::string file = directory.file("a.rondo");
  Command command = capture_command({program("crash")}, file, {.with_launcher = false});
  command.environment["RONDO_BACKTRACES"] = "1";
  run(command);
  REQUIRE(std::filesystem::exists(file));
  const std::string dumped = rondo({"dump", "--symbols", file}).out;
  CHECK(dumped.find("/crash.cpp:") != std::string::npos);
  const Outcome played = player({"--salvage", file});
  INFO(played.both());
  CHECK(played.status == 0);
}
