// SPDX-License-Identifier: Apache-2.0
// What rondo graph, who, why and sync have in common: their first rows, what each row carries, and what they say of a
// capture that could be read only in part.
#include <catch2/catch.hpp>

#include "fixture.h"
#include "json.h"
#include "profiles.h"

using namespace scenario;

namespace {

// Two dispatches with a barrier between them.
const std::string& two_dispatches() {
  const Recording& capture = captured({program("hazards/hazards"), "dispatch-raw-clean"});
  INFO(capture.run.both());
  REQUIRE(capture.run.status == 0);
  return capture.path;
}

// The commands that look at `path`. `records`: of two items of it.
std::vector<Words> analyses(const std::string& path, const std::vector<std::string>& records) {
  return {{"graph", path},
          {"graph", "--has", path},
          {"graph", "--both", path},
          {"who", path, "VkBuffer#1"},
          {"why", path, records.at(0), records.at(1)},
          {"sync", path},
          {"waves", "--partition", path},
          {"export", path, "--sqlite", path + ".db", "--chakra", path, "--perfetto", path + ".pftrace", "--order"}};
}

Words as_rows(Words words) {
  words.push_back("--format=jsonl");
  return words;
}

std::vector<std::string> dispatches(const std::string& path) {
  std::vector<std::string> records;
  for (const Json& row : graph_of(path))
    if (row.at("/command") == "\"vkCmdDispatch\"") records.push_back(row.at("/record"));
  return records;
}

}  // namespace

SCENARIO("the first row of each analysis names the devices of the capture", "[graph]") {
  const std::string& path = two_dispatches();
  const std::string device = Json::parse(rondo({"info", "--json", path}).out).at("/devices/0/name");
  REQUIRE(device.size() > 2);
  std::vector<Words> all = analyses(path, dispatches(path));
  for (Words& words : all) words = as_rows(words);
  all.push_back({"info", "--draws", "--json", path});
  all.push_back({"info", "--draws", "--json", "--submits", "0", path});
  for (const Words& words : all) {
    const std::vector<Json> rows = rows_of(rondo(words));
    INFO(words.front());
    REQUIRE(rows.front().size("/captured_devices") == 1);
    CHECK(rows.front().at("/captured_devices/0/name") == device);
    CHECK(rows.front().at("/captured_devices/0/object") == "\"VkPhysicalDevice#0\"");
  }
}

SCENARIO("each row says of which capture, device, build and job it is", "[graph]") {
  const std::string& path = two_dispatches();
  const Json info = Json::parse(rondo({"info", "--json", path}).out);
  const std::string device = unquoted(info.at("/devices/0/name")) + " (" + unquoted(info.at("/devices/0/driver")) + ")";
  std::string build;
  for (std::size_t i = 0; i < info.size("/session/modules"); ++i)
    if (const std::string at = "/session/modules/" + std::to_string(i); info.at(at + "/path") == "\"(program)\"")
      build = info.at(at + "/build_id");
  REQUIRE(build.size() > 2);
  std::vector<Words> all = analyses(path, dispatches(path));
  for (Words& words : all) words = as_rows(words);
  all.push_back({"info", "--draws", "--json", path});
  all.push_back({"info", "--draws", "--json", "--by", "kind", path});
  const auto check = [&](const std::vector<Json>& rows, const std::string& used, const std::string& job) {
    const std::string digest = rows.front().at("/capture_digest");
    CHECK(digest.size() == 34);
    for (const Json& row : rows) {
      CHECK(row.at("/capture_digest") == digest);
      CHECK(unquoted(row.at("/device")) == used);
      CHECK(row.at("/build") == build);
      CHECK(row.at("/job") == job);
    }
  };
  for (Words words : all) {
    INFO(words.front());
    check(rows_of(rondo(words)), device, "");
    words.insert(words.end(), {"--job", "nightly \"7\""});
    check(rows_of(rondo(words)), device, R"("nightly \"7\"")");
  }
  const std::vector<Json> played = profile_of(path, {"--job", "nightly"});
  const std::string other = unquoted(played.front().at("/devices/0"));
  CHECK(other.rfind("Fake GPU", 0) == 0);
  check(played, other, "\"nightly\"");

  WHEN("the variable names the job") {
    Command command;
    command.arguments = {build_root() + "/analyzers/rondo", "graph", "--format=jsonl", path};
    command.environment["RONDO_JOB"] = "ci 12";
    check(rows_of(run(command)), device, "\"ci 12\"");
    command.arguments.insert(command.arguments.end(), {"--job", "mine"});
    check(rows_of(run(command)), device, "\"mine\"");
    command.arguments.resize(4);
    command.environment["RONDO_JOB"] = std::string(257, 'x');
    const Outcome refused = run(command);
    CHECK(refused.status == kUsage);
    CHECK(refused.err == "rondo: RONDO_JOB has 257 bytes: a name has at most 256\n");
  }
  WHEN("the option names none") {
    for (const Words& words : {Words{"graph", "--job", "", path}, Words{"profile", "--job", "", path},
                               Words{"info", "--draws", "--job", "", path}}) {
      const Outcome refused = rondo(words);
      CHECK(refused.status == kUsage);
      CHECK(refused.err == "rondo: --job is empty: leave it out, or name the run\n");
    }
    const Outcome refused = rondo({"info", "--job", "x", path});
    CHECK(refused.status == kUsage);
    CHECK(refused.err.find("--scope, --by, --top and --job go with --draws") != std::string::npos);
  }
  WHEN("the capture is redacted") {
    const TemporaryDirectory directory;
    const std::string redacted = directory.file("redacted.rondo");
    REQUIRE(rondo({"redact", path, "-o", redacted}).status == 0);
    for (const Json& row : graph_of(redacted)) CHECK(row.at("/build").empty());
  }
}

SCENARIO("a capture that was read only in part is named so before the counts", "[graph]") {
  const std::string whole = read_file(two_dispatches());
  const std::vector<std::string> records = dispatches(two_dispatches());
  for (const Words& words : analyses(two_dispatches(), records)) {
    CHECK(rows_of(rondo(as_rows(words))).back().at("/partial") == "false");
    CHECK(rondo(words).out.find("the capture is ") == std::string::npos);
  }
  struct Case {
    const char* field;
    const char* words;
    std::string bytes;
    int status;
  };
  // The footer names the index by its place and checksum. What stands there is destroyed, or gone.
  std::string damaged = whole;
  for (std::size_t i = damaged.size() - 200; i < damaged.size() - 136; ++i) damaged[i] = static_cast<char>(~damaged[i]);
  const std::vector<Case> cases{{"damage", "the capture is damaged (", damaged, kUnreadable},
                                {"cut", "the capture is cut (", whole.substr(0, whole.size() - 40), 0}};
  const TemporaryDirectory directory;
  for (const Case& one : cases) {
    const std::string path = directory.file(std::string(one.field) + ".rondo");
    write_file(path, one.bytes);
    for (const Words& words : analyses(path, records)) {
      const Outcome text = rondo(words), rows = rondo(as_rows(words));
      INFO(words.front() << "\n" << text.both() << rows.both());
      CHECK(text.status == one.status);
      CHECK(rows.status == one.status);
      const std::size_t said = text.out.find(one.words);
      REQUIRE(said != std::string::npos);
      for (const char* counts : {"findings: ", " items, ", " versions in ", "synchronization: "})
        if (const std::size_t at = text.out.find(counts); at != std::string::npos) CHECK(said < at);
      const Json last = Json::parse(lines(rows.out).back());
      CHECK(last.at("/partial") == "true");
      CHECK(last.at(std::string("/") + one.field).size() > 2);
    }
  }
}

SCENARIO("what comes before a damaged chunk is told by each analysis", "[graph]") {
  // Long enough for several chunks.
  const std::string whole = captured(without_checks({program("triangle"), "--frames", "3000"})).path;
  const std::vector<Json> all = graph_of(whole);
  std::string bytes = read_file(whole);
  const TemporaryDirectory directory;
  const std::string path = directory.file("damaged.rondo");
  const std::size_t at = bytes.size() * 9 / 10;
  for (std::size_t i = at; i < at + 4; ++i) bytes[i] = static_cast<char>(~bytes[i]);
  write_file(path, bytes);
  std::vector<std::string> items;
  for (const Json& row : all)
    if (row.at("/row") == "\"item\"") items.push_back(unquoted(row.at("/name")));
  for (Words words : analyses(path, {items[0], items[1]})) {
    if (words[0] == "who") words[2] = "VkBuffer#0";
    const Outcome text = rondo(words), rows = rondo(as_rows(words));
    INFO(words.front() << "\n" << rows.err);
    CHECK(rows.status == kUnreadable);
    CHECK(text.out.find("the capture is damaged (") != std::string::npos);
    const std::vector<std::string> said = lines(rows.out);
    REQUIRE(said.size() > 1);
    const Json last = Json::parse(said.back());
    CHECK(last.at("/row") == "\"summary\"");
    CHECK(last.at("/partial") == "true");
    CHECK(last.at("/damage").size() > 2);
  }
  const std::vector<std::string> part = lines(rondo({"graph", "--format=jsonl", path}).out);
  CHECK(part.size() > all.size() / 4);
  CHECK(part.size() < all.size());
}

SCENARIO("a capture without presents has no frame for any tool", "[graph]") {
  const std::string& path = two_dispatches();
  const TemporaryDirectory directory;
  const std::string why = ": there is no frame 0: it has 0 frames, as a frame ends with a present, and it has none";
  const std::vector<Outcome> outcomes{
      rondo({"graph", "--frames", "0", path}), rondo({"who", "--frames", "0", path, "VkBuffer#1"}),
      rondo({"info", "--draws", "--frames", "0", path}),
      rondo({"trim", "--frames", "0", path, "-o", directory.file("part.rondo")}), player({"--frames", "0", path})};
  for (const Outcome& outcome : outcomes) {
    INFO(outcome.both());
    CHECK(outcome.status == kUsage);
    CHECK(outcome.err.find(path + why) != std::string::npos);
    CHECK(lines(outcome.err).size() == 1);
  }
  // Its work is of frame 0 all the same.
  for (const Json& row : graph_of(path))
    if (row.at("/row") == "\"item\"") CHECK(row.at("/frame") == "0");
}
