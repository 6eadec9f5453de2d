// SPDX-License-Identifier: Apache-2.0
// Other people's layers in the same program, above and below Rondo's: the program runs
// as it does with them alone, they do their work, and what is captured plays without them.
#include <unistd.h>

#include <algorithm>
#include <catch2/catch.hpp>
#include <csignal>
#include <filesystem>

#include "fixture.h"
#include "screen.h"
#include "skip.h"

using namespace scenario;

namespace {

constexpr char kRondo[] = "VK_LAYER_RONDO_capture";

enum class Draws { nothing, over };  // on the program's image

struct Neighbour {
  std::string package;
  std::string layer;
  std::string manifest;  // of /usr/share/vulkan
  Draws draws = Draws::nothing;
  bool implicit() const { return manifest.rfind("implicit", 0) == 0; }
};

const Neighbour kMangoHud{"mangohud", "VK_LAYER_MANGOHUD_overlay", "implicit_layer.d/MangoHud.json", Draws::over};
const Neighbour kVkBasalt{"vkbasalt", "VK_LAYER_VKBASALT_post_processing", "implicit_layer.d/vkBasalt.json",
                          Draws::over};
const Neighbour kRenderDoc{"renderdoc", "VK_LAYER_RENDERDOC_Capture", "implicit_layer.d/renderdoc_capture.json",
                           Draws::over};
const Neighbour kValidation{"vulkan-validationlayers", "VK_LAYER_KHRONOS_validation",
                            "explicit_layer.d/VkLayer_khronos_validation.json"};
const Neighbour kGfxreconstruct{"gfxreconstruct", "VK_LAYER_LUNARG_gfxreconstruct",
                                "explicit_layer.d/VkLayer_gfxreconstruct.json"};

std::string not_here(const Neighbour& neighbour) {
#ifdef RONDO_SANITIZER_RUNTIME
  return "other people's layers are not built for a sanitizer's runtime";
#endif
  return std::filesystem::exists("/usr/share/vulkan/" + neighbour.manifest)
             ? ""
             : neighbour.package + " is not here: scripts/setup installs it";
}

// What wakes it up, and has it do what can be seen.
void wake(Environment& environment, const Neighbour& neighbour, const TemporaryDirectory& directory) {
  environment["MANGOHUD"] = neighbour.package == kMangoHud.package ? "1" : "0";
  if (neighbour.package == kRenderDoc.package) environment["ENABLE_VULKAN_RENDERDOC_CAPTURE"] = "1";
  if (neighbour.package == kVkBasalt.package) {
    std::string red = "LUT_3D_SIZE 2\n";
    for (int i = 0; i < 8; ++i) red += "1 0 0\n";
    write_file(directory.file("red.CUBE"), red);
    write_file(directory.file("vkBasalt.conf"),
               "effects = lut\nlutFile = " + directory.file("red.CUBE") + "\nenableOnLaunch = True\n");
    environment["ENABLE_VKBASALT"] = "1";
    environment["VKBASALT_CONFIG_FILE"] = directory.file("vkBasalt.conf");
  }
  if (neighbour.package == kGfxreconstruct.package) {
    environment["GFXRECON_CAPTURE_FILE"] = directory.file("capture.gfxr");
    environment["GFXRECON_CAPTURE_FILE_TIMESTAMP"] = "false";
  }
  if (!neighbour.implicit()) environment["VK_INSTANCE_LAYERS"] = neighbour.layer;
}

// The loader puts implicit layers above explicit ones, and takes implicit ones as it finds
// their manifests: the directory that is named first is nearest the program.
void put_below(Environment& environment, const Neighbour& neighbour) {
  const std::string ours = build_root() + "/share";
  if (neighbour.implicit()) {
    environment["XDG_DATA_DIRS"] = "/usr/share:" + ours;
    return;
  }
  // As an explicit layer itself, Rondo's may stand anywhere among them: below those of the
  // directories before its own, whatever VK_INSTANCE_LAYERS has first.
  const std::string directory = build_root() + "/test-results/explicit";
  std::filesystem::create_directories(directory);
  write_file(directory + "/rondo.json",
             R"({"file_format_version": "1.2.0", "layer": {"name": ")" + std::string(kRondo) +
                 R"(", "type": "GLOBAL", "library_path": ")" + build_root() +
                 R"(/layer/librondo_layer.so", "api_version": "1.3.0", "implementation_version": "1",)"
                 R"( "description": "Rondo", "functions": {"vkNegotiateLoaderLayerInterfaceVersion":)"
                 R"( "vkNegotiateLoaderLayerInterfaceVersion"}}})");
  environment.erase("RONDO_CAPTURE");
  const auto added = environment.find("VK_ADD_LAYER_PATH");  // which counts for nothing beside VK_LAYER_PATH
  environment["VK_LAYER_PATH"] =
      (added != environment.end() ? added->second + ":" : "") + "/usr/share/vulkan/explicit_layer.d:" + directory;
  environment["VK_INSTANCE_LAYERS"] = neighbour.layer + ":" + kRondo;
}

// The layers of the last device that the loader told of, from the program down.
Words order(const Outcome& outcome) {
  Words names;
  for (const std::string& line : lines(outcome.err)) {
    if (line.find("vkCreateDevice layer callstack") != std::string::npos) names.clear();
    const std::size_t at = line.find(" VK_LAYER_");
    if (line.find("LAYER:") < at && at != std::string::npos) names.push_back(line.substr(at + 1));
  }
  return names;
}

int validation_messages(const Outcome& outcome) {
  return count(outcome.both(), "Validation Error: [") + count(outcome.both(), "Validation Warning: [");
}

int frames_of(const std::string& gfxr) {
  Command info;
  info.arguments = {"gfxrecon-info", gfxr};
  const Outcome outcome = run(info);
  INFO(outcome.both());
  CHECK(outcome.status == 0);
  const std::size_t at = outcome.out.find("Total frames: ");
  return at == std::string::npos ? -1 : std::stoi(outcome.out.substr(at + 14));
}

// The pictures that a replay presents, as files.
Words pictures(const std::string& capture) {
  const TemporaryDirectory directory;
  const Outcome outcome = player({"--screenshot", directory.path(), capture});
  INFO(outcome.both());
  REQUIRE(outcome.status == 0);
  Words all;
  for (const std::string& name : files_in(directory.path())) all.push_back(read_file(directory.file(name)));
  return all;
}

constexpr int kFrames = 6;

struct Run {
  Outcome outcome;
  bool drawn_over = false;  // something stood on the screen where vkcube draws nothing
};

// On a screen of its own.
Run run_seen(Command command) {
  Screen screen;
  command.environment["DISPLAY"] = screen.display();
  Process process(command);
  Run run;
  // vkcube's window is at 100, 100; its cube turns around the middle.
  while (process.running()) {
    run.drawn_over = run.drawn_over || screen.has_other_than({0x000000, 0x333333}, 102, 102, 60, 24);
    ::usleep(1000);
  }
  run.outcome = process.wait();
  return run;
}

Outcome run_anew(const Command& command, const std::string& file) {
  return run_to_the_end([&] {
    std::filesystem::remove(file);
    return run(command);
  });
}

void stand_together(const Neighbour& neighbour, const Words& words, bool above) {
  const bool is_vkcube = words[0] == "vkcube";
  const TemporaryDirectory directory;
  const std::string file = directory.file(words[0] + ".rondo");

  Command command =
      capture_command(words, directory.file("%e.rondo"), {.checkpoints = "present", .with_launcher = false});
  wake(command.environment, neighbour, directory);
  Command alone = command;
  alone.environment["RONDO_CAPTURE"] = "0";
  const Outcome native = run_anew(alone, directory.file("capture.gfxr"));
  INFO(native.both());
  REQUIRE_FALSE(std::filesystem::exists(file));
  const bool writes = neighbour.package == kGfxreconstruct.package;
  if (writes) {
    REQUIRE(frames_of(directory.file("capture.gfxr")) == kFrames);
    std::filesystem::remove(directory.file("capture.gfxr"));
  }

  command.environment["VK_LOADER_DEBUG"] = "layer";
  if (above) put_below(command.environment, neighbour);
  Run seen = is_vkcube ? run_seen(command) : Run{run_anew(command, file)};
  // vkcube draws six frames in some milliseconds. On a busy machine run_seen() may miss them: it tries again.
  for (int tries = 0; tries < 4 && is_vkcube && neighbour.draws == Draws::over && !seen.drawn_over; ++tries) {
    std::filesystem::remove(file);
    seen = run_seen(command);
  }
  INFO(seen.outcome.both());
  // The program runs as it does with the neighbour alone, and the layers stand as asked for.
  CHECK(seen.outcome.status == native.status);
  CHECK(native.status == 0);
  CHECK(order(seen.outcome) == (above ? Words{neighbour.layer, kRondo} : Words{kRondo, neighbour.layer}));
  // The neighbour does its work.
  if (is_vkcube) CHECK(seen.drawn_over == (neighbour.draws == Draws::over));
  if (writes) CHECK(frames_of(directory.file("capture.gfxr")) == kFrames);
  CHECK(validation_messages(seen.outcome) == validation_messages(native));
  if (is_vkcube) CHECK(validation_messages(native) == 0);
  // The capture is whole and plays without the neighbour.
  const Outcome outcome = player({"--verify", file});
  INFO(outcome.both());
  CHECK(outcome.status == 0);
  CHECK(compared(outcome, "images").equal == kFrames);
  CHECK(compared(outcome, "images").all == kFrames);
  // What a neighbour above draws is in the capture, what one below draws is not.
  if (is_vkcube) {
    const Words plain = pictures(captured(words, {.checkpoints = "present"}).path);
    CHECK((pictures(file) == plain) == !(above && neighbour.draws == Draws::over));
  }
}

void stand_together(const Neighbour& neighbour) {
  for (const Words& words : {vkcube(kFrames), glmark2("build", kFrames)}) {
    WHEN(words[0] + " runs with Rondo above") { stand_together(neighbour, words, false); }
    WHEN(words[0] + " runs with Rondo below") { stand_together(neighbour, words, true); }
  }
}

}  // namespace

SCENARIO("what is drawn over vkcube's image is seen on the screen, and nothing is without a neighbour",
         "[neighbours]") {
#ifdef RONDO_SANITIZER_RUNTIME
  SKIP_SCENARIO("other people's layers are not built for a sanitizer's runtime");
#endif
  Command command;
  command.arguments = vkcube(60);
  const Run seen = run_seen(command);
  INFO(seen.outcome.both());
  CHECK(seen.outcome.status == 0);
  CHECK_FALSE(seen.drawn_over);
}

SCENARIO("MangoHud stands above and below", "[neighbours]") {
  if (const std::string none = not_here(kMangoHud); !none.empty()) SKIP_SCENARIO(none);
  stand_together(kMangoHud);
}

SCENARIO("vkBasalt stands above and below", "[neighbours]") {
  if (const std::string none = not_here(kVkBasalt); !none.empty()) SKIP_SCENARIO(none);
  stand_together(kVkBasalt);
}

SCENARIO("RenderDoc stands above and below", "[neighbours]") {
  if (const std::string none = not_here(kRenderDoc); !none.empty()) SKIP_SCENARIO(none);
  stand_together(kRenderDoc);
}

SCENARIO("the validation layer stands above and below", "[neighbours]") {
  if (const std::string none = not_here(kValidation); !none.empty()) SKIP_SCENARIO(none);
  stand_together(kValidation);
}

SCENARIO("gfxreconstruct stands above and below", "[neighbours]") {
  if (const std::string none = not_here(kGfxreconstruct); !none.empty()) SKIP_SCENARIO(none);
  stand_together(kGfxreconstruct);
}
