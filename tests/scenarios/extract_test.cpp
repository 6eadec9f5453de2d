// SPDX-License-Identifier: Apache-2.0
// rondo extract --images, --buffers: held against the checkpoints of the same captures.
#include <catch2/catch.hpp>
#include <filesystem>
#include <map>

#include "extracts.h"
#include "fixture.h"
#include "json.h"
#include "skip.h"

using namespace scenario;

namespace {

const Recording& checked(const Words& words, const std::string& checkpoints = "submit",
                         const std::string& driver = lavapipe) {
  const Recording& capture = captured(words, {.checkpoints = checkpoints, .driver = driver});
  INFO(capture.run.both());
  REQUIRE(capture.run.status == 0);
  return capture;
}

std::map<int, ContentDigests> checkpoints_of(const std::string& path) {
  std::map<int, ContentDigests> all;
  int submits = 0;
  for (const std::string& line : lines(rondo({"dump", "--format=jsonl", path}).out)) {
    if (line.find("\"vkQueueSubmit") == std::string::npos && line.find("\"rondoCheckpoint") == std::string::npos)
      continue;
    const Json row = Json::parse(line);
    const std::string command = json_text(row.at("/command"));
    if (command.rfind("vkQueueSubmit", 0) == 0) submits += std::stoi(row.at("/parameters/submitCount"));
    const bool images = command == "rondoCheckpointSubresources", buffers = command == "rondoCheckpointBuffers";
    if ((!images && !buffers) || row.at("/parameters/unverified").size() > 4) continue;  // null
    for (std::size_t i = 0; i < row.size("/parameters/pDigests"); ++i) {
      const std::string at = std::to_string(i), part = "/parameters/pParts/" + at, range = "/parameters/pRanges/" + at;
      const std::string digest =
          hex64(row.at("/parameters/pDigests/" + at + "/high")) + hex64(row.at("/parameters/pDigests/" + at + "/low"));
      if (images)
        all[submits - 1][json_text(row.at("/parameters/pImages/" + at)) + " " + row.at(part + "/mipLevel") + " " +
                         row.at(part + "/arrayLayer") + " " + aspect_of(row.at(part + "/aspect/0"))] = digest;
      else if (row.at(range + "/offset") == "0")  // whole buffers, but for those that have several pieces
        all[submits - 1][json_text(row.at("/parameters/pBuffers/" + at)) + " " + row.at(range + "/size")] = digest;
    }
  }
  return all;
}

constexpr const char* kPiece = " 262144";  // of a buffer, in a checkpoint: it may have more

// An image of several samples: checkpoints hold it, and no file does.
bool not_read(const Outcome& outcome, const std::string& image) {
  for (const std::string& line : lines(outcome.out))
    if (line.starts_with(image + ": ") && line.ends_with("not read: it has several samples a texel")) return true;
  return false;
}

void is_what_the_program_had(const Recording& capture, int least, const std::string& driver = lavapipe,
                             bool validate = true) {
  int equal = 0;
  for (const auto& [submit, kept] : checkpoints_of(capture.path)) {
    const TemporaryDirectory directory;
    Words words{"--images",   "--buffers", "--at",          "submit:" + std::to_string(submit),
                capture.path, "-o",        directory.path()};
    if (validate) words.push_back("--validate");
    const Outcome outcome = extract(words, driver);
    INFO("submit " << submit << "\n" << outcome.both());
    REQUIRE(outcome.status == 0);
    const ContentDigests has = extracted(directory.path());
    for (const auto& [part, digest] : kept) {
      INFO(part);
      const auto found = has.find(part);
      if (found == has.end() && part.find(kPiece) != std::string::npos) continue;
      if (found == has.end() && not_read(outcome, part.substr(0, part.find(' ')))) continue;
      REQUIRE(found != has.end());
      CHECK(found->second == digest);
      ++equal;
    }
    for (const std::string& file : files_in(directory.path())) CHECK(file.front() != '.');
  }
  CHECK(equal >= least);
}

const Recording& cube() { return checked(vkcube(6), "present"); }

// Behind the header of a KTX2 file: its only level.
std::string level_of(const std::string& file) {
  const auto u64 = [&](std::size_t at) {
    std::uint64_t value = 0;
    for (std::size_t i = 8; i-- > 0;) value = value << 8 | static_cast<unsigned char>(file.at(at + i));
    return static_cast<std::size_t>(value);
  };
  REQUIRE(file.size() > 104);
  REQUIRE(file.substr(1, 6) == "KTX 20");
  return file.substr(u64(80), u64(88));
}

}  // namespace

SCENARIO("images and buffers are extracted as the program had them behind each submit", "[extract]") {
  is_what_the_program_had(checked({program("triangle"), "--frames", "3"}), 3);
  is_what_the_program_had(checked({program("images")}), 28);
  is_what_the_program_had(checked({program("compressed")}), 16);
  is_what_the_program_had(checked({program("passes")}), 6);
  is_what_the_program_had(checked({program("queues")}), 4);
  is_what_the_program_had(checked({program("layouts")}), 6);
}

SCENARIO("planes, sparse neighbours and what a driver makes up are extracted as the program had them", "[extract]") {
  if (!no_driver(lavapipe25).empty()) SKIP_SCENARIO(no_driver(lavapipe25));
  // The validation layer of this machine is older than the driver.
  is_what_the_program_had(checked({program("planes")}, "submit", lavapipe25), 5, lavapipe25, false);
  is_what_the_program_had(checked({program("descriptor_buffers")}, "submit", lavapipe25), 20, lavapipe25, false);
}

SCENARIO("a presented image is extracted as the picture that the player makes of it", "[extract]") {
  const TemporaryDirectory directory;
  REQUIRE(player({"--screenshot", directory.file("shots"), cube().path}).status == 0);
  const Outcome outcome = extract({"--images", "--at", "frame:2", cube().path, "-o", directory.file("out")});
  INFO(outcome.both());
  REQUIRE(outcome.status == 0);
  const Json index = Json::parse(read_file(directory.file("out/images.json")));
  CHECK(index.at("/place") == "\"behind frame 2\"");
  int presented = 0;
  for (std::size_t i = 0; i < index.size("/images"); ++i) {
    const std::string at = "/images/" + std::to_string(i);
    if (index.at(at + "/presented") != "true") continue;
    ++presented;
    CHECK(index.at(at + "/swapchain") == "\"VkSwapchainKHR#0\"");
    CHECK(index.at(at + "/format") == "\"VK_FORMAT_B8G8R8A8_UNORM\"");
    CHECK(index.at(at + "/parts/0/layout") == "\"VK_IMAGE_LAYOUT_GENERAL\"");
    // The checkpoint digests the same texels.
    const std::string digest = json_text(index.at(at + "/parts/0/digest"));
    const std::string checks =
        rondo({"dump", "--format=jsonl", "--frames", "2:3", "--grep", "rondoCheckpointImage", cube().path}).out;
    const Json check = Json::parse(lines(checks).back());
    INFO(checks);
    CHECK(digest == hex64(check.at("/parameters/digest/high")) + hex64(check.at("/parameters/digest/low")));
  }
  CHECK(presented == 1);
  CHECK(std::filesystem::exists(directory.file("shots/frame-000002.png")));
}

SCENARIO("without a place what is alive behind all work is extracted", "[extract]") {
  const Recording& capture = checked({program("triangle"), "--frames", "3"});
  const TemporaryDirectory directory;
  const Outcome at_end = extract({"--images", "--buffers", capture.path, "-o", directory.file("end")});
  const Outcome behind =
      extract({"--images", "--buffers", "--at", "submit:2", capture.path, "-o", directory.file("last")});
  INFO(at_end.both() << behind.both());
  REQUIRE(at_end.status == 0);
  REQUIRE(behind.status == 0);
  CHECK(extracted(directory.file("end")) == extracted(directory.file("last")));
  CHECK(files_in(directory.file("end")) ==
        Words{"VkBuffer-0.bin", "VkBuffer-1.bin", "VkImage-0-mip0-layer0.png", "buffers.json", "images.json"});
  const Outcome earlier =
      extract({"--images", "--buffers", "--at", "submit:0", capture.path, "-o", directory.file("first")});
  REQUIRE(earlier.status == 0);
  CHECK(extracted(directory.file("first")) != extracted(directory.file("last")));
}

SCENARIO("what PNG has not the bits for is a KTX2 file with the same bytes", "[extract]") {
  const Recording& capture = checked({program("images")});
  const TemporaryDirectory directory;
  const Outcome outcome = extract({"--images", capture.path, "-o", directory.path(), "VkImage#1", "VkImage#5"});
  INFO(outcome.both());
  REQUIRE(outcome.status == 0);
  CHECK(files_in(directory.path()) == Words{"VkImage-1-mip0-layer0.ktx2", "VkImage-5-mip0-layer0-depth.ktx2",
                                            "VkImage-5-mip0-layer0-stencil.png", "images.json"});
  // Two blocks that changed their places, and depths of 1.
  CHECK(level_of(read_file(directory.file("VkImage-1-mip0-layer0.ktx2"))) ==
        std::string("\x66\x66\x55\x55\x88\x88\x77\x77\x22\x22\x11\x11\x44\x44\x33\x33"));
  std::string depths;
  for (int i = 0; i < 4; ++i) depths += std::string("\xff\xff\xff\0", 4);
  CHECK(level_of(read_file(directory.file("VkImage-5-mip0-layer0-depth.ktx2"))) == depths);
}

SCENARIO("what cannot be read is said by name", "[extract]") {
  const Recording& capture = checked({program("multisample")});
  const TemporaryDirectory directory;
  const Outcome all = extract({"--images", capture.path, "-o", directory.file("all")});
  INFO(all.both());
  CHECK(all.status == 0);
  CHECK(all.out.find("4 samples: not read: it has several samples a texel") != std::string::npos);
  const Json index = Json::parse(read_file(directory.file("all/images.json")));
  CHECK(index.at("/images/0/unreadable") == "\"it has several samples a texel\"");
  CHECK(index.at("/images/0/samples") == "4");
  WHEN("it was asked for") {
    const Outcome named = extract({"--images", capture.path, "-o", directory.file("named"), "VkImage#0", "VkImage#1"});
    INFO(named.both());
    CHECK(named.status == kFailed);
    CHECK(named.err.find("VkImage#0: it has several samples a texel") != std::string::npos);
    CHECK(files_in(directory.file("named")) == Words{"VkImage-1-mip0-layer0.png", "images.json"});
  }
}

SCENARIO("a shader that was edited where it was extracted stays", "[extract]") {
  const Recording& capture = captured({program("vulkan14")}, {});
  const TemporaryDirectory directory;
  const Words words{"extract", "--shaders", capture.path, "-o", directory.file("shaders")};
  REQUIRE(rondo(words).status == 0);
  const std::vector<std::string> files = files_in(directory.file("shaders"));
  REQUIRE(!files.empty());
  const std::string edited = directory.file("shaders/" + files[0]);
  const std::string captured_bytes = read_file(edited);
  write_file(edited, "edited");
  const Outcome again = rondo(words);
  INFO(again.both());
  CHECK(again.status == 0);
  CHECK(read_file(edited) == "edited");
  CHECK(again.err.find(files[0] + ": is another shader now and stays") != std::string::npos);
  std::filesystem::remove(edited);
  const Outcome third = rondo(words);
  CHECK(third.err.empty());
  CHECK(read_file(edited) == captured_bytes);
}

SCENARIO("an object is found by the name that the program gave it", "[extract]") {
  const Recording& capture = checked({program("labels")});
  const TemporaryDirectory directory;
  const Outcome outcome = extract({"--buffers", capture.path, "-o", directory.path(), "the buffer ü"});
  INFO(outcome.both());
  REQUIRE(outcome.status == 0);
  const Json index = Json::parse(read_file(directory.file("buffers.json")));
  CHECK(index.size("/buffers") == 1);
  CHECK(index.at("/buffers/0/debug_name") == "\"the buffer ü\"");
}

SCENARIO("what the validation layer says is a line each", "[extract]") {
  // It takes liberties, and so does its replay.
  const Recording& capture = checked({program("liberties")}, "none");
  const TemporaryDirectory directory;
  const Outcome outcome = extract({"--buffers", "--validate", capture.path, "-o", directory.path()});
  INFO(outcome.both());
  CHECK(outcome.status == kFailed);
  const std::vector<std::string> said = lines(outcome.err);
  REQUIRE(said.size() > 1);
  CHECK(said[0].find(": the validation layer says:") != std::string::npos);
  CHECK(said[1].rfind("  ", 0) == 0);
  CHECK(outcome.err.find("\\x0a") == std::string::npos);
}

SCENARIO("what is not there is refused, and nothing is written", "[extract]") {
  const TemporaryDirectory directory;
  const std::string out = directory.file("out"), junk = directory.file("junk.rondo");
  write_file(junk, "this is no capture");
  const auto refuses = [&](const Words& words, int status, const std::string& says) {
    Words all = words;
    all.insert(all.end(), {"-o", out});
    const Outcome outcome = extract(all);
    INFO(outcome.both());
    CHECK(outcome.status == status);
    CHECK(is_one_line(outcome, "rondo"));
    CHECK(outcome.err.find(says) != std::string::npos);
    CHECK(!std::filesystem::exists(out));
  };
  refuses({"--images", "--at", "frame:6", cube().path}, kUsage, "there is no frame 6: it has 6 frames, 0:6");
  refuses({"--images", cube().path, "VkImage#99"}, kUsage,
          "there is no image 'VkImage#99'; the images behind the last");
  refuses({"--images", cube().path, "VkBuffer#0"}, kUsage, "VkBuffer#0 is no image");
  refuses({"--buffers", cube().path, "nothing of this name"}, kUsage, "there is no buffer 'nothing of this name'");
  refuses({"--images", junk}, kUnreadable, "is not a Rondo capture");
  refuses({"--images", "--device", "no such device", cube().path}, kDevice, "no device is called 'no such device'");
  refuses({"--images", "--device", "7=0", cube().path}, kUsage, "the capture has 1 device,");
}
