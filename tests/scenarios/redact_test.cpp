// SPDX-License-Identifier: Apache-2.0
// rondo redact: what it leaves out, and that the capture plays as before.
#include <unistd.h>

#include <catch2/catch.hpp>
#include <filesystem>
#include <fstream>
#include <iterator>

#include "fixture.h"
#include "json.h"

using namespace scenario;

namespace {

Outcome redacted(const std::string& path, const std::string& output, const Words& more = {}) {
  Words words{"redact", path, "-o", output};
  words.insert(words.end(), more.begin(), more.end());
  return rondo(words);
}

// All that the tools tell of a capture.
std::string told(const std::string& path) {
  return rondo({"info", "--json", "--shaders", "--scopes", path}).out + rondo({"dump", path}).out +
         rondo({"info", "--privacy", path}).out;
}

int gate(const std::string& path) { return rondo({"info", "--privacy", "--gate", path}).status; }

}  // namespace

SCENARIO("a redacted capture of every test program has nothing left to redact, and verifies", "[redact]") {
  const TemporaryDirectory directory;
  int verified = 0;
  std::vector<std::string> names = programs();
  for (const std::string& name : programs("chapters")) names.push_back("chapters/" + name);
  for (const std::string& name : names) {
    if (name == "chapters/early_ends") continue;  // it crashes lavapipe 22, now and then
    // no whole capture of their own
    if (name == "crash" || name == "lost" || name == "forks" || name == "hostile" || name == "churn") continue;
    const Words words{program(name)};
    if (!cannot_run(words, lavapipe).empty()) continue;
    const Recording& capture = captured(words, {.checkpoints = "submit"});
    if (capture.run.status != 0) continue;  // natively neither: other scenarios say why
    const Outcome before = player({"--verify", capture.path});
    const std::string path = directory.file("redacted.rondo");
    const Outcome outcome = redacted(capture.path, path);
    INFO(name << "\n" << outcome.both());
    REQUIRE(outcome.status == 0);
    CHECK(gate(path) == 0);
    CHECK(told(path).find("rondo-tests") == std::string::npos);  // the engine of all of them
    const Outcome after = player({"--verify", path});
    INFO(before.both() << after.both());
    CHECK(after.status == before.status);
    for (const char* what : {"memory ranges", "parts of buffers and images"}) {
      CHECK(compared(after, what).equal == compared(before, what).equal);
      CHECK(compared(after, what).all == compared(before, what).all);
    }
    verified += after.status == 0 ? 1 : 0;
  }
  CHECK(verified > 50);
}

SCENARIO("a redacted capture has no text of the program, and keeps what --keep names", "[redact]") {
  const TemporaryDirectory directory;
  const std::string path = directory.file("secret-name.rondo");
  Command command = capture_command({program("states"), "--state", "told"}, path, {.checkpoints = "submit"});
  REQUIRE(run(command).status == 0);
  CHECK(gate(path) == kDifferent);
  struct Text {
    const char *part, *text;
  };
  const Text texts[] = {{"session", "\"--state\""},
                        {"session", "RONDO_CHECKPOINTS"},
                        {"application", "\"rondo-tests\""},
                        {"names", "the output"},
                        {"labels", "middle"},
                        {"shaders", "gl_LocalInvocationIndex"}};
  const std::string all = told(path);
  for (const Text& one : texts) {
    INFO(one.part << ": " << one.text);
    CHECK(all.find(one.text) != std::string::npos);
  }
  const std::string whole = directory.file("whole.rondo");
  REQUIRE(redacted(path, whole).status == 0);
  const std::string left = told(whole);
  for (const Text& one : texts) {
    INFO(one.part << ": " << one.text);
    CHECK(left.find(one.text) == std::string::npos);
  }
  CHECK(left.find("label 1") != std::string::npos);
  CHECK(left.find("label 2") != std::string::npos);
  CHECK(gate(whole) == 0);
  // Nothing of it stands in the bytes of the file either, which compression may have left as they were.
  const std::string loose = directory.file("loose.rondo");
  REQUIRE(rondo({"recompress", "--codec", "none", whole, "-o", loose}).status == 0);
  std::ifstream in(loose, std::ios::binary);
  const std::string bytes{std::istreambuf_iterator<char>(in), {}};
  REQUIRE(bytes.find("vkCreateInstance") != std::string::npos);
  for (const char* text : {"rondo-tests", "the output", "something", "middle", "around", "gl_LocalInvocationIndex",
                           "--state", "secret-name"})
    CHECK(bytes.find(text) == std::string::npos);

  for (const char* part : {"session", "application", "names", "labels", "shaders"}) {
    const std::string kept = directory.file(std::string(part) + ".rondo");
    REQUIRE(redacted(path, kept, {"--keep", part}).status == 0);
    const std::string there = told(kept);
    for (const Text& one : texts) {
      INFO("--keep " << part << ": " << one.text);
      CHECK((there.find(one.text) != std::string::npos) == (std::string(one.part) == part));
    }
    CHECK(gate(kept) == kDifferent);
  }

  THEN("a second time changes nothing more") {
    const std::string again = directory.file("again.rondo");
    const Outcome outcome = redacted(whole, again);
    CHECK(outcome.out.find("0 texts, 0 tags, the texts of 0 shaders") != std::string::npos);
    CHECK(rondo({"diff", whole, again}).status == 0);
  }
  THEN("in place it takes the capture's place") {
    REQUIRE(rondo({"redact", "--in-place", path}).status == 0);
    CHECK(gate(path) == 0);
    CHECK(player({"--verify", path}).status == 0);
  }
}

SCENARIO("the gate passes whole files alone", "[redact]") {
  const TemporaryDirectory directory;
  const std::string clean = directory.file("clean.rondo");
  REQUIRE(redacted(captured({program("compute")}).path, clean).status == 0);
  REQUIRE(gate(clean) == 0);
  const std::string bytes = read_file(clean), part = directory.file("part.rondo");
  for (const std::size_t length : {bytes.size() / 4, bytes.size() / 2, bytes.size() - 1}) {
    write_file(part, bytes.substr(0, length));
    INFO(length << " of " << bytes.size());
    CHECK(gate(part) == kUnreadable);
  }
  write_file(part, bytes + "password=secret");
  CHECK(gate(part) == kUnreadable);
}

SCENARIO("callers lose their paths, and stay", "[redact]") {
  const TemporaryDirectory directory;
  const std::string path = directory.file("a.rondo"), whole = directory.file("b.rondo");
  Command command = capture_command({program("compute")}, path);
  command.environment["RONDO_BACKTRACES"] = "1";
  REQUIRE(run(command).status == 0);
  CHECK(rondo({"info", "--privacy", path}).out.find("callers ") != std::string::npos);
  REQUIRE(redacted(path, whole).status == 0);
  CHECK(gate(whole) == 0);
  CHECK(rondo({"info", "--json", path}).out.find("\"build_id\"") != std::string::npos);
  for (const char* module : {"libc.so", "programs/compute"}) CHECK(told(whole).find(module) == std::string::npos);
  const Json before = Json::parse(rondo({"info", "--json", path}).out),
             after = Json::parse(rondo({"info", "--json", whole}).out);
  CHECK(before.at("/call_chains") != "0");
  CHECK(after.at("/call_chains") == before.at("/call_chains"));
}

SCENARIO("what cannot be redacted is refused, with what to do", "[redact]") {
  const TemporaryDirectory directory;
  const std::string path = captured({program("compute")}).path, out = directory.file("out.rondo");
  const auto refused = [&](const Words& words, int status, const char* what) {
    const Outcome outcome = rondo(words);
    INFO(outcome.both());
    CHECK(outcome.status == status);
    CHECK(is_one_line(outcome, "rondo"));
    CHECK(outcome.err.find(what) != std::string::npos);
    CHECK(!std::filesystem::exists(out));
  };
  refused({"redact", path}, kUsage, "-o OUT");
  refused({"redact", path, "-o", out, "--keep", "everything"}, kUsage, "--keep: 'everything'");
  refused({"redact", directory.file("none.rondo"), "-o", out}, kUnreadable, "none.rondo");
  refused({"info", "--gate", path}, kUsage, "--privacy");
  const std::string cut = directory.file("cut.rondo");
  std::filesystem::copy_file(path, cut);
  REQUIRE(::truncate(cut.c_str(), static_cast<off_t>(std::filesystem::file_size(cut) - 10)) == 0);
  refused({"redact", cut, "-o", out}, kUnreadable, "is not complete");
}
