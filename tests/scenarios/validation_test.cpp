// SPDX-License-Identifier: Apache-2.0
// What the layer itself asks of the driver is valid: with the validation layer
// beneath Rondo's, a captured program draws no message that it does not draw alone.
#include <catch2/catch.hpp>
#include <filesystem>
#include <set>

#include "fixture.h"
#include "replays.h"
#include "skip.h"

using namespace scenario;

namespace {

// Explicit layers sit beneath implicit ones: the validation layer sees what
// Rondo's passes down. All kinds of message are printed.
void validate(Command& command, const TemporaryDirectory& directory, const std::string& more = {}) {
  const std::string settings = directory.file("settings" + std::to_string(more.size()));
  write_file(settings,
             "khronos_validation.debug_action = VK_DBG_LAYER_ACTION_LOG_MSG\n"
             "khronos_validation.report_flags = error,warn,perf\n" +
                 more);
  command.environment["VK_INSTANCE_LAYERS"] = "VK_LAYER_KHRONOS_validation";
  command.environment["VK_LAYER_SETTINGS_PATH"] = settings;
  command.environment.insert_or_assign("XDG_DATA_DIRS", build_root() + "/share:/usr/local/share:/usr/share");
}

// Each message's identifier, as often as it appears.
std::multiset<std::string> messages(const Outcome& outcome) {
  std::multiset<std::string> found;
  for (const std::string& line : lines(outcome.both())) {
    const std::size_t at = line.find("[ ");
    if (line.find("Validation") == std::string::npos || at == std::string::npos) continue;
    found.insert(line.substr(at + 2, line.find(" ]", at) - at - 2));
  }
  return found;
}

// These end with an error on lavapipe, which lacks what they need: the fake driver's.
const std::set<std::string> kForAnotherDriver = {"descriptor_buffers",
                                                 "discards",
                                                 "displays",
                                                 "dynamic_rest",
                                                 "generated_dispatches",
                                                 "generated_draws",
                                                 "generated_meshes",
                                                 "generated_rays",
                                                 "headless",
                                                 "indexing",
                                                 "lost",
                                                 "maintenance5",
                                                 "meshes",
                                                 "planes",
                                                 "presenters",
                                                 "presents",
                                                 "ray_pipelines",
                                                 "rays",
                                                 "shader_objects",
                                                 "sparse_binds",
                                                 "sundry",
                                                 "sync_fds",
                                                 "three_queues",
                                                 "two_devices"};

// Every test program that ends as it should on lavapipe.
std::vector<std::string> all_programs() {
  std::vector<std::string> names = programs();
  // The validation layer of Debian 12 crashes in null_states: it does not know that dynamic states may be null.
  std::erase_if(names, [](const std::string& n) {
    return n == "crash" || n == "null_states" || kForAnotherDriver.count(n) != 0;
  });
  return names;
}

}  // namespace

SCENARIO("the validation layer has nothing to say of what the layer does", "[validation]") {
  REQUIRE(all_programs().size() > 10);
  for (const std::string& name : kForAnotherDriver) CHECK(std::filesystem::exists(program(name)));
  const TemporaryDirectory directory;
  for (const std::string& name : all_programs()) {
    Command alone;
    alone.arguments = {program(name)};
    validate(alone, directory);
    const Outcome expected = run(alone);
    INFO(name << "\n" << expected.both());
    REQUIRE(expected.status == 0);
    for (const std::string checkpoints : {"none", "readback"}) {
      Command command = capture_command({program(name)}, directory.file("%p.rondo"),
                                        {.checkpoints = checkpoints, .with_launcher = false});
      validate(command, directory);
      const Outcome outcome = run(command);
      INFO(name << " with checkpoints " << checkpoints << "\n" << outcome.both());
      CHECK(outcome.status == 0);
      CHECK(messages(outcome) == messages(expected));
    }
  }
}

SCENARIO("what is said beneath the layer is seen", "[validation]") {
  // Else silence would say nothing: the layer's best practices always have something to say.
  const TemporaryDirectory directory;
  Command command = capture_command({program("leak")}, directory.file("x.rondo"), {.with_launcher = false});
  validate(command, directory, "khronos_validation.enables = VK_VALIDATION_FEATURE_ENABLE_BEST_PRACTICES_EXT\n");
  const Outcome outcome = run(command);
  INFO(outcome.both());
  CHECK(!messages(outcome).empty());
}

SCENARIO("buffers and images that share blocks of memory replay bit for bit", "[validation]") {
  replays_bit_for_bit({program("suballocate")},
                      {.submits = 1,
                       .not_compared = 1,
                       .not_compared_because = "an image that cannot be imported memory makes its block the "
                                               "driver's, where nothing tells the host's writes apart"});
}

// Mesa's zink makes more of Vulkan dynamic than any program here, and some of
// what it does is invalid: a replay of it is no more so.
SCENARIO("OpenGL programs on Vulkan replay under the validation layer", "[long]") {
  const TemporaryDirectory directory;
  for (const char* benchmark : {"shadow", "buffer:update-method=map", "jellyfish", "terrain"}) {
    INFO(benchmark);
    Command alone = capture_command(glmark2(benchmark, 5), "", {.with_launcher = false});
    alone.environment["RONDO_CAPTURE"] = "0";
    validate(alone, directory);
    const Outcome native = run_to_the_end([&] { return run(alone); });
    INFO(native.both());
    const std::multiset<std::string> known = messages(native);

    const Recording& capture = captured(glmark2(benchmark, 5));
    REQUIRE(capture.run.status == 0);
    CHECK(capture.run.out.find("zink") != std::string::npos);
    const Outcome outcome = player({"--validate", capture.path});
    CHECK(outcome.signal == 0);
    const std::multiset<std::string> said = messages(outcome);
    CHECK(outcome.status == (said.empty() ? 0 : 1));
    for (const std::string& message : std::set<std::string>(said.begin(), said.end())) {
      INFO(message);
      CHECK(known.count(message) != 0);
    }
  }
}
