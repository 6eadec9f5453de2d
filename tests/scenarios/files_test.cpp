// SPDX-License-Identifier: Apache-2.0
// Captures of programs that upload files: what becomes of the bytes, and who may read the files when they are played.
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <catch2/catch.hpp>
#include <filesystem>

#include "fixture.h"
#include "json.h"
#include "replays.h"

using namespace scenario;

namespace {

constexpr std::size_t kModelBytes = 4'000'004;

// A model, and a capture of its upload; in directories of their own.
struct Uploaded {
  TemporaryDirectory directory;
  std::string models = directory.file("models");
  std::string model = models + "/model";
  std::string capture = directory.file("a.rondo");
  std::string bytes;
  Outcome run;

  explicit Uploaded(const Words& options, const Words& program_options = {}) {
    std::uint64_t x = 1;
    for (std::size_t i = 0; i < kModelBytes; ++i) {
      x = x * 6364136223846793005u + 1442695040888963407u;
      bytes += static_cast<char>(x >> 56);
    }
    std::filesystem::create_directory(models);
    write_file(model, bytes);
    Command command;
    use_driver(command.environment, lavapipe);
    command.arguments = {
        build_root() + "/analyzers/rondo", "capture", "--output", capture, "--checkpoints", "readback"};
    command.arguments.insert(command.arguments.end(), options.begin(), options.end());
    command.arguments.insert(command.arguments.end(), {"--", program("file_uploads"), model});
    command.arguments.insert(command.arguments.end(), program_options.begin(), program_options.end());
    run = scenario::run(command);
  }
  std::uint64_t size() const { return std::filesystem::file_size(capture); }
  Json info() const { return Json::parse(rondo({"info", "--json", capture}).out); }
  void expect_plays(const Words& options, const std::string& file = {}) const {
    Words words = {"--verify"};
    words.insert(words.end(), options.begin(), options.end());
    words.push_back(file.empty() ? capture : file);
    const Outcome played = player(words);
    INFO(played.both());
    CHECK(played.status == 0);
    if (no_readback().empty()) CHECK(compared(played, "memory ranges").equal > 0);
  }
  void expect_refused(const Words& options, const std::string& why) const {
    Words words = {"--quiet"};
    words.insert(words.end(), options.begin(), options.end());
    words.push_back(capture);
    const Outcome played = player(words);
    INFO(played.both());
    CHECK(played.status == kExternalFile);
    CHECK(is_one_line(played, "player"));
    CHECK(played.err.find(why) != std::string::npos);
    CHECK(played.err.find("the file " + model) != std::string::npos);
  }
  void change_byte(std::size_t at) const {
    struct stat before {};
    REQUIRE(::stat(model.c_str(), &before) == 0);
    std::string other = bytes;
    other[at] = static_cast<char>(other[at] ^ 1);
    write_file(model, other);
    set_time(before.st_mtim);
  }
  void set_time(const timespec& time) const {
    const timespec times[2] = {time, time};
    REQUIRE(::utimensat(AT_FDCWD, model.c_str(), times, 0) == 0);
  }
};

}  // namespace

SCENARIO("a program that uploads a file replays bit for bit", "[files]") {
  replays_bit_for_bit({program("file_uploads")}, {});
}

SCENARIO("what is uploaded of a file is in the capture unless it is asked otherwise", "[files]") {
  const Uploaded upload({});
  INFO(upload.run.both());
  REQUIRE(upload.run.status == 0);
  CHECK(upload.size() > kModelBytes);
  CHECK(upload.info().at("/hermetic") == "true");
  CHECK(upload.info().size("/files") == 0);
  upload.expect_plays({});
}

SCENARIO("a replay right after the capture may read what it refers to", "[files]") {
  const std::string check = GENERATE("identity", "digest");
  const Uploaded upload({"--files", "reference", "--file-check", check, "--verify"});
  INFO(upload.run.both());
  CHECK(upload.run.status == 0);
  CHECK(upload.size() < kModelBytes / 20);
  if (no_readback().empty()) CHECK(compared(upload.run, "memory ranges").equal > 0);
}

SCENARIO("a file that was closed before anything of it was uploaded is known all the same", "[files]") {
  const Uploaded upload({"--files", "reference"}, {"--closed", "1000"});
  INFO(upload.run.both());
  REQUIRE(upload.run.status == 0);
  CHECK(upload.size() < kModelBytes / 20);
  upload.expect_plays({"--allow-files", upload.models});
}

// docs/rondo-capture.md, "Which files": the shim does not see a file that is closed before the first instance.
SCENARIO("a file that is closed before the first instance is recorded as bytes, under --files fail, too", "[files]") {
  const std::string policy = GENERATE("reference", "fail");
  const Uploaded upload({"--files", policy}, {"--first", "1"});
  INFO(upload.run.both());
  REQUIRE(upload.run.status == 0);
  CHECK(upload.run.err.find("stopped") == std::string::npos);
  CHECK(upload.size() > kModelBytes);
  CHECK(upload.info().at("/hermetic") == "true");
  CHECK(upload.info().size("/files") == 0);
  upload.expect_plays({});
}

SCENARIO("a file that is referenced is read where its user allows it", "[files]") {
  const Words program_options = GENERATE(Words{}, Words{"--mapped", "1"});
  const Uploaded upload({"--files", "reference"}, program_options);
  INFO(upload.run.both());
  REQUIRE(upload.run.status == 0);
  CHECK(upload.size() < kModelBytes / 20);
  const Json info = upload.info();
  CHECK(info.at("/hermetic") == "false");
  CHECK(info.at("/files/0/path") == "\"" + upload.model + "\"");
  CHECK(info.at("/files/0/check") == "\"identity\"");
  const std::string text = rondo({"info", upload.capture}).out;
  CHECK(text.find("needs the 1 file") != std::string::npos);
  CHECK(text.find(upload.model) != std::string::npos);
  upload.expect_refused({}, "--allow-files " + upload.models);
  upload.expect_plays({"--allow-files", upload.models});
  upload.expect_plays({"--allow-files", upload.directory.path()});
  upload.expect_refused({"--allow-files", "/usr"}, "no directory that is allowed");
  THEN("it may lie elsewhere") {
    const std::string moved = upload.directory.file("moved");
    std::filesystem::rename(upload.models, moved);
    upload.expect_refused({"--allow-files", upload.directory.path()}, "--file-remap " + upload.model + "=NEW");
    upload.expect_plays({"--file-remap", upload.model + "=" + moved + "/model"});
    upload.expect_plays({"--file-remap", upload.models + "=" + moved});
    upload.expect_plays({"--file-remap", "/=/nowhere", "--file-remap", upload.models + "/=" + moved});
    upload.expect_refused({"--file-remap", upload.models + "=" + moved, "--file-remap", upload.model + "=/nowhere"},
                          "/nowhere");
    CHECK(player({"--file-remap", "model", upload.capture}).status == kUsage);
    CHECK(player({"--allow-files", moved + "/model", upload.capture}).status == kUsage);
  }
  THEN("another time of modification is another file, whose bytes may be compared") {
    upload.set_time({1'000'000'000, 0});
    upload.expect_refused({"--allow-files", upload.models}, "time of modification");
    upload.expect_plays({"--file-remap", upload.model + "=" + upload.model});
    upload.change_byte(2'000'001);
    upload.expect_refused({"--file-remap", upload.model + "=" + upload.model}, "has changed");
  }
  THEN("a byte that is another while nothing else is is found where it is used") {
    upload.change_byte(2'000'001);
    upload.expect_refused({"--allow-files", upload.models}, "has changed");
  }
  THEN("a file that is missing, a pipe or a link out is refused") {
    std::filesystem::rename(upload.model, upload.directory.file("outside"));
    upload.expect_refused({"--allow-files", upload.models}, "No such file");
    REQUIRE(::mkfifo(upload.model.c_str(), 0600) == 0);
    upload.expect_refused({"--allow-files", upload.models}, "a pipe, not a regular file");
    std::filesystem::remove(upload.model);
    std::filesystem::create_symlink(upload.directory.file("outside"), upload.model);
    upload.expect_refused({"--allow-files", upload.models}, "leads to " + upload.directory.file("outside"));
    upload.expect_refused({"--file-remap", upload.models + "=" + upload.models}, "leads to");
    upload.expect_plays({"--allow-files", upload.directory.path()});
  }
}

SCENARIO("a file that is known by its digest may be touched and not changed", "[files]") {
  const Uploaded upload({"--files", "reference", "--file-check", "digest"});
  INFO(upload.run.both());
  REQUIRE(upload.run.status == 0);
  CHECK(upload.size() < kModelBytes / 20);
  upload.set_time({1'000'000'000, 0});
  upload.expect_plays({"--allow-files", upload.models});
  upload.change_byte(2'000'001);
  upload.expect_refused({"--allow-files", upload.models}, "has changed since: the bytes ");
}

SCENARIO("a capture that needs files is packed, or refused by what cannot read them", "[files]") {
  const Uploaded upload({"--files", "reference"});
  INFO(upload.run.both());
  REQUIRE(upload.run.status == 0);
  const std::string packed = upload.directory.file("packed.rondo");
  const auto refused = [&](const Words& words) {
    const Outcome outcome = rondo(words);
    INFO(outcome.both());
    CHECK(outcome.status == kExternalFile);
    CHECK(is_one_line(outcome, "rondo"));
    CHECK(outcome.err.find("rondo pack") != std::string::npos);
    CHECK_FALSE(std::filesystem::exists(packed));
  };
  refused({"pack", upload.capture, "-o", packed});
  refused({"trim", "--submits", "0:1", upload.capture, "-o", packed});
  refused({"extract", "--buffers", "--at", "submit:1", upload.capture, "-o", packed});
  CHECK(rondo({"pack", "--allow-files", upload.models, upload.capture, "-o", upload.capture}).status == kUsage);
  CHECK(rondo({"pack", "--allow-files", upload.models, upload.capture, "-o", upload.model}).status == kUsage);
  CHECK(read_file(upload.model) == upload.bytes);

  THEN("what needs no contents works") {
    CHECK(rondo({"dump", upload.capture}).status == 0);
    CHECK(rondo({"diff", upload.capture, upload.capture}).status == 0);
    CHECK(rondo({"accesses", upload.capture}).status == 0);
    REQUIRE(rondo({"recompress", upload.capture, "-o", upload.directory.file("small.rondo")}).status == 0);
    upload.expect_plays({"--allow-files", upload.models}, upload.directory.file("small.rondo"));
  }
  THEN("the packed one needs none") {
    const Outcome done = rondo({"pack", "--allow-files", upload.models, upload.capture, "-o", packed});
    INFO(done.both());
    REQUIRE(done.status == 0);
    std::filesystem::remove(upload.model);
    CHECK(Json::parse(rondo({"info", "--json", packed}).out).at("/hermetic") == "true");
    CHECK(Json::parse(rondo({"info", "--json", packed}).out).size("/files") == 0);
    upload.expect_plays({}, packed);
    CHECK(rondo({"diff", upload.capture, packed}).status == 0);
    CHECK(rondo({"trim", "--submits", "0:1", packed, "-o", upload.directory.file("cut.rondo")}).status == 0);
  }
}

SCENARIO("no output of a tool overwrites a file that the capture needs", "[files]") {
  const Uploaded upload({"--files", "reference"});
  INFO(upload.run.both());
  REQUIRE(upload.run.status == 0);
  const auto refused = [&](const Outcome& outcome, const std::string& name, const std::string& file) {
    INFO(outcome.both());
    CHECK(outcome.status == kUsage);
    CHECK(is_one_line(outcome, name));
    CHECK(outcome.err.find("is a file that the capture needs: it would be overwritten") != std::string::npos);
    CHECK(read_file(file) == upload.bytes);
  };
  const std::string here = upload.model + "=" + upload.model;
  refused(player({"--file-remap", here, "--report", upload.model, upload.capture}), "player", upload.model);
  refused(player({"--report", upload.model, upload.capture}), "player", upload.model);
  refused(player({"--file-remap", here, "--pipeline-cache", upload.model, upload.capture}), "player", upload.model);
  const Outcome measured =
      player({"--file-remap", here, "--benchmark", "--benchmark_out=" + upload.model, upload.capture});
  refused(measured, "player", upload.model);
  const Outcome wrong =
      player({"--file-remap", here, "--benchmark", "--benchmark_format=xml", "--report", upload.model, upload.capture});
  refused(wrong, "player", upload.model);
  const Outcome trimmed = rondo({"trim", "--file-remap", here, "--submits", "0:1", upload.capture, "-o", upload.model});
  refused(trimmed, "rondo", upload.model);
  refused(rondo({"recompress", upload.capture, "-o", upload.model}), "rondo", upload.model);
  refused(rondo({"pack", upload.capture, "-o", upload.model}), "rondo", upload.model);
  const std::string picture = upload.models + "/frame-000001.png", contents = upload.models + "/images.json";
  std::filesystem::copy_file(upload.model, picture);
  std::filesystem::copy_file(upload.model, contents);
  const std::string to_picture = upload.model + "=" + picture, to_contents = upload.model + "=" + contents;
  refused(player({"--file-remap", to_picture, "--screenshot", upload.models, upload.capture}), "player", picture);
  const Outcome extracted =
      rondo({"extract", "--images", "--file-remap", to_contents, upload.capture, "-o", upload.models});
  refused(extracted, "rondo", contents);
}

SCENARIO("a file that is embedded as a whole is not needed", "[files]") {
  const Uploaded upload({"--files", "embed-all"});
  INFO(upload.run.both());
  REQUIRE(upload.run.status == 0);
  std::filesystem::remove(upload.model);
  CHECK(upload.info().at("/hermetic") == "true");
  CHECK(upload.info().at("/files/0/check") == "\"embedded\"");
  upload.expect_plays({});
  CHECK(rondo({"trim", "--submits", "0:1", upload.capture, "-o", upload.directory.file("cut.rondo")}).status == 0);
}

SCENARIO("a cut and what is extracted of a capture that needs files need none", "[files]") {
  const Uploaded upload({"--files", "reference"});
  INFO(upload.run.both());
  REQUIRE(upload.run.status == 0);
  const std::string cut = upload.directory.file("cut.rondo"), out = upload.directory.file("out");
  const Words trims{"trim", "--submits", "3:9", upload.capture, "-o", cut},
      extracts{"extract", "--buffers", upload.capture, "-o", out};
  const auto with = [](Words words, const Words& more) {
    words.insert(words.end(), more.begin(), more.end());
    return rondo(words);
  };
  for (const Words& words : {trims, extracts}) {
    const Outcome refused = rondo(words);
    INFO(refused.both());
    CHECK(refused.status == kExternalFile);
    CHECK(is_one_line(refused, "rondo"));
    CHECK(refused.err.find("--allow-files " + upload.models) != std::string::npos);
    CHECK(with(words, {"--allow-files", upload.model}).status == kUsage);
  }
  const std::string elsewhere = upload.directory.file("elsewhere");
  std::filesystem::rename(upload.models, elsewhere);
  for (const Words& words : {trims, extracts}) {
    const Outcome done = with(words, {"--file-remap", upload.models + "=" + elsewhere});
    INFO(done.both());
    CHECK(done.status == 0);
  }
  CHECK(read_file(out + "/VkBuffer-1.bin") == upload.bytes);
  std::filesystem::remove_all(elsewhere);
  upload.expect_plays({}, cut);
}

SCENARIO("the cut that a capture asks for reads the files that its program read", "[files]") {
  const Uploaded upload({"--files", "reference"});
  const std::string file = upload.directory.file("frames.rondo");
  Command command;
  use_driver(command.environment, fake);
  command.arguments = {build_root() + "/analyzers/rondo",
                       "capture",
                       "--frames",
                       "4:7",
                       "--files",
                       "reference",
                       "--checkpoints",
                       "present",
                       "--output",
                       file,
                       "--",
                       program("headless"),
                       "--model",
                       upload.model};
  const Outcome captured = run(command);
  INFO(captured.both());
  REQUIRE(captured.status == 0);
  // Where it cannot be done, it is said how it can.
  command.arguments[3] = "4:70";
  command.arguments[9] = upload.directory.file("whole.rondo");
  const Outcome whole = run(command);
  INFO(whole.both());
  CHECK(whole.err.find("`rondo trim --frames 4:12 --allow-files " + upload.models + " " + command.arguments[9]) !=
        std::string::npos);
  std::filesystem::remove(upload.model);
  const Json info = Json::parse(rondo({"info", "--json", file}).out);
  CHECK(info.at("/frames") == "3");
  CHECK(info.at("/hermetic") == "true");
  const Outcome played = player({"--verify", file}, fake);
  INFO(played.both());
  CHECK(played.status == 0);
  CHECK(compared(played, "images").equal == 6);
}

SCENARIO("a capture that may have no file ends where one is found, and the program goes on", "[files]") {
  const Uploaded upload({"--files", "fail"});
  INFO(upload.run.both());
  CHECK(upload.run.status == 0);
  CHECK(upload.run.out.find("checksum") != std::string::npos);
  CHECK(upload.run.err.find(upload.model) != std::string::npos);
  CHECK(upload.run.err.find("(stopped before the program did: rondo info says why)") != std::string::npos);
  const std::string text = rondo({"info", upload.capture}).out;
  INFO(text);
  CHECK(text.find("but the recorder stopped before the program did") != std::string::npos);
  CHECK(text.find("was recognised in what the program gave to Vulkan") != std::string::npos);
  // What was recorded up to there is whole.
  const Outcome played = player({upload.capture});
  INFO(played.both());
  CHECK(played.status == 0);
  CHECK(played.out.find("the recording stopped before the program did") != std::string::npos);
  const Outcome refused = player({"--require-complete", upload.capture});
  INFO(refused.both());
  CHECK(refused.status == kUnreadable);
  CHECK(is_one_line(refused, "player"));
  CHECK(Uploaded({"--files", "fail", "--require-complete"}).run.status == 125);
}
