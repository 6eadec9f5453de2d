// SPDX-License-Identifier: Apache-2.0
// rondo extract --png: pictures of what PNG has not the bits for.
#include <catch2/catch.hpp>
#include <filesystem>

#include "extracts.h"
#include "fixture.h"
#include "json.h"
#include "pictures.h"

using namespace scenario;

namespace {

const Recording& recorded(const Words& words) {
  const Recording& capture = captured(words, {.checkpoints = "submit"});
  INFO(capture.run.both());
  REQUIRE(capture.run.status == 0);
  return capture;
}

bool says(const Outcome& outcome, const std::string& line) {
  for (const std::string& one : lines(outcome.out))
    if (one == line) return true;
  return false;
}

using Rgb = std::array<int, 3>;

}  // namespace

// The program sampled each image, and stored what it saw: the device decodes the same for the picture.
SCENARIO("pictures of compressed images show what the program sampled", "[extract-pictures]") {
  const Recording& capture = recorded({program("compressed")});
  const TemporaryDirectory directory;
  const Outcome outcome =
      extract({"--images", "--buffers", "--png", "--validate", capture.path, "-o", directory.path()});
  INFO(outcome.both());
  REQUIRE(outcome.status == 0);
  const std::string sampled = read_file(directory.file("VkBuffer-2.bin"));  // 16 texels of each of eight formats
  REQUIRE(sampled.size() == 8 * 16 * 4);
  int compared = 0;
  for (std::size_t format = 0; format < 8; ++format) {
    if (format == 6) continue;  // BC6H: stretched
    const std::size_t image = 2 * format + 1, colors = format == 4 ? 1 : format == 5 ? 2 : 3;
    const std::string name = "VkImage-" + std::to_string(image) + "-mip0-layer0-view.png";
    const PngPicture picture = read_png(directory.file(name));
    INFO(name);
    REQUIRE(picture.width == 4);
    REQUIRE(picture.height == 4);
    CHECK(says(outcome, "  " + name + ": decoded by the device"));
    for (std::size_t i = 0; i < 16; ++i) {
      Rgb expected{0, 0, 0};
      for (std::size_t c = 0; c < colors; ++c)
        expected[c] = static_cast<unsigned char>(sampled[(format * 16 + i) * 4 + c]);
      if (colors == 1) expected = {expected[0], expected[0], expected[0]};
      CHECK(picture.at(i % 4, i / 4) == expected);
      ++compared;
    }
  }
  CHECK(compared == 7 * 16);
}

SCENARIO("pictures of depth, stencil, slices and packed colors are beside the exact files", "[extract-pictures]") {
  const Recording& capture = recorded({program("images")});
  const TemporaryDirectory directory;
  const Words words{"--images", "--png", capture.path, "-o", directory.path(), "VkImage#4", "VkImage#5", "VkImage#6"};
  const Outcome outcome = extract(words);
  INFO(outcome.both());
  REQUIRE(outcome.status == 0);
  CHECK(files_in(directory.path()) ==
        Words{"VkImage-4-mip0-layer0-view.png", "VkImage-4-mip0-layer0.ktx2", "VkImage-5-mip0-layer0-depth-view.png",
              "VkImage-5-mip0-layer0-depth.ktx2", "VkImage-5-mip0-layer0-stencil-view.png",
              "VkImage-5-mip0-layer0-stencil.png", "VkImage-6-mip0-layer0.png", "images.json"});
  CHECK(says(outcome, "  VkImage-5-mip0-layer0-depth-view.png: depth 1 everywhere"));
  CHECK(read_png(directory.file("VkImage-5-mip0-layer0-depth-view.png")).at(1, 1) == Rgb{255, 255, 255});
  CHECK(says(outcome, "  VkImage-5-mip0-layer0-stencil-view.png: stencil 90 everywhere"));
  const PngPicture slices = read_png(directory.file("VkImage-4-mip0-layer0-view.png"));
  CHECK(slices.width == 2 * 2);
  CHECK(slices.height == 2 * 2);
  const Json index = Json::parse(read_file(directory.file("images.json")));
  CHECK(index.at("/images/0/parts/0/picture/file") == "\"VkImage-4-mip0-layer0-view.png\"");
  CHECK(index.at("/images/0/parts/0/picture/slices_in_row") == "2");
  CHECK(index.at("/images/1/parts/0/picture/shows") == "\"depth 1 everywhere\"");
  CHECK(index.at("/images/2/parts/0/picture").find("file") == std::string::npos);
}

SCENARIO("a picture of depth goes from the nearest to the farthest", "[extract-pictures]") {
  const Recording& capture = captured(vkcube(5));
  REQUIRE(capture.run.status == 0);
  const TemporaryDirectory directory;
  const Outcome outcome =
      extract({"--images", "--png", "--at", "draw:3:0", capture.path, "-o", directory.path(), "VkImage#3"});
  INFO(outcome.both());
  REQUIRE(outcome.status == 0);
  const PngPicture depth = read_png(directory.file("VkImage-3-mip0-layer0-depth-view.png"));
  CHECK(depth.at(0, 0) == Rgb{255, 255, 255});  // nothing was drawn there
  CHECK(depth.at(250, 250)[0] < 100);           // the cube
  int black = 0;
  for (std::size_t y = 0; y < depth.height; ++y)
    for (std::size_t x = 0; x < depth.width; ++x) black += depth.at(x, y)[0] == 0 ? 1 : 0;
  CHECK(black > 0);
}

SCENARIO("a sheet shows each image below its number, and the index says where", "[extract-pictures]") {
  const Recording& capture = recorded({program("images")});
  const TemporaryDirectory directory;
  const Outcome outcome = extract({"--images", "--sheet", capture.path, "-o", directory.path()});
  INFO(outcome.both());
  REQUIRE(outcome.status == 0);
  CHECK(says(outcome, "sheet.png: 10 pictures, 8 in a row, each below the number of its VkImage"));
  const PngPicture sheet = read_png(directory.file("sheet.png"));
  CHECK(sheet.width == 8 * 168 + 8);
  CHECK(sheet.height == 2 * 184 + 8);
  const Json index = Json::parse(read_file(directory.file("images.json")));
  // VkImage#6 is plain green. The pixel in the middle of its cell has to be green, too.
  REQUIRE(index.at("/images/6/name") == "\"VkImage#6\"");
  CHECK(index.at("/images/6/parts/0/sheet/row") == "0");
  CHECK(index.at("/images/6/parts/0/sheet/column") == "7");
  CHECK(sheet.at(8 + 7 * 168 + 80, 24 + 80) == Rgb{0, 255, 0});
  CHECK(index.at("/images/2/parts/1").find("sheet") == std::string::npos);  // its next mip or layer
  for (const std::string& file : files_in(directory.path())) CHECK(file.find("-view.png") == std::string::npos);
}

// A copy is foreign.
SCENARIO("pictures and a sheet of a foreign capture are written from the sandbox", "[extract-pictures]") {
  const Recording& capture = recorded({program("images")});
  const TemporaryDirectory directory;
  const std::string copy = directory.file("copy.rondo"), out = directory.file("out");
  std::filesystem::copy_file(capture.path, copy);
  const Outcome outcome = extract({"--images", "--png", "--sheet", copy, "-o", out});
  INFO(outcome.both());
  REQUIRE(outcome.status == 0);
  CHECK(std::filesystem::exists(out + "/sheet.png"));
  CHECK(std::filesystem::exists(out + "/VkImage-0-mip0-layer0-view.png"));
}

SCENARIO("pictures go with images alone", "[extract-pictures]") {
  const Recording& capture = recorded({program("images")});
  const TemporaryDirectory directory;
  for (const std::string option : {"--png", "--sheet"}) {
    const Outcome outcome = extract({"--buffers", option, capture.path, "-o", directory.file("out")});
    CHECK(outcome.status == kUsage);
    CHECK(outcome.err.find("--png and --sheet go with --images") != std::string::npos);
    CHECK_FALSE(std::filesystem::exists(directory.file("out")));
  }
}
