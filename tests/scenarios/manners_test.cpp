// SPDX-License-Identifier: Apache-2.0
// How the tools treat who types: misspelt words, numbers of things, a short look at many files, man pages, completion.
#include <catch2/catch.hpp>
#include <filesystem>
#include <regex>
#include <set>

#include "fixture.h"
#include "json.h"
#include "skip.h"

using namespace scenario;

namespace {

// As `rondo --help` lists them.
Words subcommands() {
  Words names;
  const std::regex row("  ([a-z-]+) +[^ ].*");
  std::smatch match;
  for (const std::string& line : lines(rondo({"--help"}).out))
    if (std::regex_match(line, match, row)) names.push_back(match[1]);
  return names;
}

// With its last two different neighbours exchanged.
std::string with_a_slip(std::string word) {
  for (std::size_t i = word.size() - 1; i > 0; --i)
    if (word[i] != word[i - 1]) {
      std::swap(word[i], word[i - 1]);
      break;
    }
  return word;
}

const Recording& manners_capture() {
  const Recording& capture = captured({program("triangle")}, {.checkpoints = "submit"});
  INFO(capture.run.both());
  REQUIRE(capture.run.status == 0);
  return capture;
}

bool mentions(const std::string& text, const std::string& part) { return text.find(part) != std::string::npos; }

}  // namespace

SCENARIO("every option of every tool is named where it is misspelt, and so is every word of a choice", "[manners]") {
  int options = 0, words = 0;
  const std::regex option("  (?:-[a-z],)?(--[a-z-]+)(?: ([a-z0-9-]+(?:\\|[a-z0-9-]+)+))?(?:[ =].*)?");
  for (const std::string& name : subcommands()) {
    std::smatch match;
    for (const std::string& line : lines(rondo({name, "--help"}).out)) {
      if (!std::regex_match(line, match, option) || match[1] == "--help") continue;
      const std::string known = match[1];
      // --by is one letter from nothing else; --version and --verify are not one letter apart either.
      const Outcome outcome = rondo({name, with_a_slip(known)});
      INFO("rondo " << name << ", " << line << "\n" << outcome.both());
      CHECK(outcome.status == (name == "capture" ? 125 : kUsage));
      CHECK(mentions(outcome.err, with_a_slip(known) + " is no option of "));
      CHECK(mentions(outcome.err, "; the closest is " + known));
      ++options;
      const std::string choices = match[2];
      const std::regex each("[a-z][a-z0-9-]+");
      for (std::sregex_iterator one(choices.begin(), choices.end(), each), end; one != end; ++one) {
        const std::string word = one->str();
        const Outcome wrong = rondo({name, known, with_a_slip(word)});
        INFO(wrong.both());
        CHECK(wrong.status == (name == "capture" ? 125 : kUsage));
        CHECK(mentions(wrong.err, known + ": '" + with_a_slip(word) + "' is none of "));
        CHECK(mentions(wrong.err, "; the closest is " + word));
        ++words;
      }
    }
  }
  CHECK(options > 150);
  CHECK(words > 50);
}

SCENARIO("other misspelt words are named with the closest", "[manners]") {
  const std::string& capture = manners_capture().path;
  const auto says = [](const Outcome& outcome, const std::string& sentence) {
    INFO(outcome.both());
    CHECK(outcome.status == kUsage);
    CHECK(mentions(outcome.err, sentence));
    CHECK(lines(outcome.err).size() == 1);
  };
  says(rondo({"help", "trmi"}), "'trmi' is no help topic; the closest is trim (see rondo --help)");
  says(rondo({"version", "--vrebose"}), "--vrebose is no option of rondo version");
  says(rondo({"info", "--draws", "--by", "pipelin", capture}), "--by: 'pipelin' is none of command, kind, pipeline, ");
  says(rondo({"diff", "--ignore", "handles,tmies", capture, capture}),
       "--ignore: 'tmies' is none of handles, names, times; the closest is times");
  says(rondo({"redact", "--keep", "lables", capture, "-o", capture + ".new"}), "; the closest is labels");
  says(rondo({"compare-runs", "--metric", "secnods", capture, capture}), "--metric: 'secnods' is none of seconds, ");
  says(player({"--benchmark", "--benchmark_fromat=json", capture}),
       "--benchmark_fromat=json: google-benchmark has no such option; the closest is --benchmark_format");
  says(player({"--benchmark", "--benchmark_format=jsno", capture}),
       "--benchmark_format: 'jsno' is none of console, json, csv; the closest is json");
  // Without a FILE it is still the option that is wrong.
  says(rondo({"trim", "--frmaes", "0:1"}), "--frmaes is no option of rondo trim; the closest is --frames");
}

SCENARIO("one of a thing has no plural", "[manners]") {
  const Outcome played = player({"--verify", manners_capture().path});
  INFO(played.both());
  CHECK(played.status == 0);
  CHECK(mentions(played.out, "0 frames, 1 submit, "));
  const Recording& cube = captured(vkcube(1), {.checkpoints = "present"});
  REQUIRE(cube.run.status == 0);
  const TemporaryDirectory directory;
  const Outcome drawn = player({"--verify", "--screenshot", directory.path(), cube.path});
  INFO(drawn.both());
  CHECK(mentions(drawn.out, "1 frame, "));
  CHECK(mentions(drawn.out, "; 1 picture\n"));
  CHECK(mentions(drawn.out, "1 of 1 images compared and equal"));  // its words are for scripts, and stay
  const Outcome many = player({captured({program("draws"), "--calls", "1000", "--repeat", "1"}).path});
  INFO(many.both());
  CHECK(std::regex_search(many.out, std::regex("0 frames, [0-9]+ submits?, [1-9],[0-9]{3} calls")));
}

SCENARIO("a benchmark does not warn of how google-benchmark's library was built", "[manners]") {
  for (const char* format : {"console", "csv"}) {
    CAPTURE(format);
    const Outcome outcome = player({"--benchmark", "--benchmark_min_time=0.001",
                                    std::string("--benchmark_format=") + format, manners_capture().path});
    INFO(outcome.both());
    CHECK(outcome.status == 0);
    CHECK(mentions(outcome.out, "replay/whole/manual_time"));
    CHECK_FALSE(mentions(outcome.both(), "DEBUG"));
    // The rest of what it says of the machine stays.
    CHECK(mentions(outcome.err, "Run on ("));
    CHECK(mentions(outcome.err, "capture_digest: "));
  }
}

SCENARIO("info --short has a line for each file, whatever is wrong with another", "[manners]") {
  const TemporaryDirectory directory;
  const std::string wrong = directory.file("text.rondo"), cut = directory.file("cut.rondo");
  write_file(wrong, "no capture");
  const std::string whole = read_file(manners_capture().path);
  write_file(cut, whole.substr(0, whole.size() - 20));
  const Recording& cube = captured(vkcube(10), {.checkpoints = "present"});
  const Outcome outcome = rondo({"info", "--short", wrong, manners_capture().path, cut, cube.path});
  INFO(outcome.both());
  CHECK(outcome.status == kUnreadable);
  CHECK(is_one_line(outcome, "rondo"));
  CHECK(mentions(outcome.err, wrong + ": is "));
  const Words rows = lines(outcome.out);
  REQUIRE(rows.size() == 3);
  Words fields;
  for (std::size_t from = 0; from <= rows[2].size();) {
    const std::size_t to = std::min(rows[2].find('\t', from), rows[2].size());
    fields.push_back(rows[2].substr(from, to - from));
    from = to + 1;
  }
  REQUIRE(fields.size() == 9);
  CHECK(fields[0] == cube.path);
  CHECK(mentions(fields[1], " KiB"));
  CHECK(fields[2] == "complete");
  CHECK(fields[3] == "vkcube");
  CHECK(mentions(fields[4], "llvmpipe"));
  CHECK(fields[5] == "10 frames");
  CHECK(mentions(fields[6], " submits"));
  CHECK(mentions(fields[7], " calls"));
  CHECK(std::regex_match(fields[8], std::regex("[0-9.]+ (ms|s)")));
  CHECK(mentions(rows[0], "\tcomplete\ttriangle\t"));
  CHECK(mentions(rows[1], "\tcut\ttriangle\t"));
  THEN("as JSON it has the numbers of info --json") {
    const Outcome json = rondo({"info", "--short", "--json", manners_capture().path, wrong});
    INFO(json.both());
    CHECK(json.status == kUnreadable);
    const Words objects = lines(json.out);
    REQUIRE(objects.size() == 2);
    const Json one = Json::parse(objects[0]), all = Json::parse(rondo({"info", "--json", manners_capture().path}).out);
    for (const char* member : {"/path", "/bytes", "/complete", "/ending", "/frames", "/submits", "/calls"}) {
      CAPTURE(member);
      CHECK(one.at(member) == all.at(member));
    }
    CHECK(one.at("/devices/0") == all.at("/devices/0/name"));
    CHECK(mentions(Json::parse(objects[1]).at("/error"), "is not a Rondo capture"));
  }
  THEN("a cut counts from where it begins") {
    const std::string part = directory.file("part.rondo");
    REQUIRE(rondo({"trim", "--frames", "5:8", cube.path, "-o", part}).status == 0);
    CHECK(mentions(rondo({"info", "--short", part}).out, "\t3 frames\t3 submits\t"));
  }
  THEN("contents are not read, and so are not checked") {
    CHECK(rondo({"info", "--short"}).status == kUsage);
    CHECK(rondo({"info", "--short", "--privacy", manners_capture().path}).status == kUsage);
    CHECK(rondo({"info", manners_capture().path, cube.path}).status == kUsage);
  }
}

SCENARIO("rondo finish says what it cannot help, and what can", "[manners]") {
  const TemporaryDirectory directory;
  const std::string whole = read_file(manners_capture().path);
  const auto refuses = [&](const std::string& name, const std::string& bytes, const std::string& what) {
    const std::string path = directory.file(name);
    write_file(path, bytes);
    const Outcome outcome = rondo({"finish", path});
    INFO(outcome.both());
    CHECK(outcome.status == kUnreadable);
    CHECK(is_one_line(outcome, "rondo"));
    CHECK(mentions(outcome.err, path + ": " + what));
    CHECK(read_file(path) == bytes);
    return outcome.err;
  };
  refuses("text.rondo", "This is a text, and no capture.\n", "is not a Rondo capture");
  refuses("empty.rondo", "", "is ");
  const std::string part =
      refuses("part.rondo", whole.substr(0, whole.size() / 2), "is not whole, and is left as it is: ");
  CHECK(mentions(part, "copy it again"));
  CHECK(mentions(part, "`player --salvage` plays what is there"));
  std::string damaged = whole;
  damaged[damaged.size() - 10] ^= 1;  // the footer's checksum
  damaged[damaged.size() / 2] ^= 1;
  CHECK(mentions(refuses("damaged.rondo", damaged, "is damaged, not just cut ("),
                 "`player --salvage` plays what can be read"));
  const std::string complete = directory.file("complete.rondo");
  write_file(complete, whole);
  const Outcome outcome = rondo({"finish", complete});
  INFO(outcome.both());
  CHECK(outcome.status == 0);
  CHECK(mentions(outcome.out,
                 "(was complete already: nothing to do; its contents were not checked, which rondo info does)"));
  CHECK(read_file(complete) == whole);
}

SCENARIO("every subcommand has a man page without a warning", "[manners]") {
  const std::string pages = build_root() + "/analyzers/man1/";
  Words wanted{"rondo", "player", "rondo-player"};
  for (const std::string& name : subcommands()) wanted.push_back("rondo-" + name);
  Words there;
  for (const auto& entry : std::filesystem::directory_iterator(pages)) there.push_back(entry.path().stem());
  CHECK(std::set<std::string>(there.begin(), there.end()) == std::set<std::string>(wanted.begin(), wanted.end()));
  const std::string page = read_file(pages + "rondo-trim.1");
  CHECK(mentions(page, "\\fB\\-o\\fR, \\fB\\-\\-output\\fR OUT\n"));
  CHECK(mentions(page, "\\fB\\-\\-frames\\fR A:B\n"));
  if (!std::filesystem::exists("/usr/bin/groff")) SKIP_SCENARIO("no groff, which reads man pages (groff-base)");
  for (const std::string& name : wanted) {
    Command command;
    command.arguments = {"groff", "-man", "-Tutf8", "-ww", "-Kutf8", "-P-cbou", pages + name + ".1"};
    const Outcome outcome = run(command);
    INFO(name << ": " << outcome.both());
    CHECK(outcome.status == 0);
    CHECK(outcome.err.empty());
    CHECK(mentions(outcome.out, "\nNAME\n"));
  }
}

SCENARIO("bash completes subcommands, options, words of a choice and files", "[manners]") {
  const TemporaryDirectory directory;
  for (const char* name : {"one.rondo", "other file.rondo"}) write_file(directory.file(name), "");
  // The words of a command line, the last of which is completed.
  const auto completed = [&](const Words& words) {
    Command command;
    command.directory = directory.path();
    command.arguments = {"bash",
                         "--norc",
                         "-c",
                         "source \"$1\"; shift; COMP_WORDS=(\"$@\"); COMP_CWORD=$(($# - 1))\n"
                         "function_of() { complete -p \"$1\" | sed 's/.*-F \\([^ ]*\\) .*/\\1/'; }\n"
                         "$(function_of \"$1\"); printf '%s\\n' \"${COMPREPLY[@]}\"",
                         "bash",
                         build_root() + "/analyzers/" + words[0] + ".bash"};
    command.arguments.insert(command.arguments.end(), words.begin(), words.end());
    const Outcome outcome = run(command);
    INFO(outcome.both());
    CHECK(outcome.status == 0);
    CHECK(outcome.err.empty());
    const Words found = lines(outcome.out);
    return std::set<std::string>(found.begin(), found.end());
  };
  using Found = std::set<std::string>;
  CHECK(completed({"rondo", "tr"}) == Found{"trigger", "trim"});
  Found all = completed({"rondo", ""});
  for (const std::string& name : subcommands()) CHECK(all.contains(name));
  CHECK(completed({"rondo", "trim", "--f"}) == Found{"--file-remap", "--frames"});
  CHECK(completed({"rondo", "dump", "--format", "js"}) == Found{"jsonl"});
  CHECK(completed({"rondo", "dump", "--format", "=", ""}) == Found{"jsonl", "text"});
  CHECK(completed({"rondo", "info", "o"}) == Found{"one.rondo", "other file.rondo"});
  CHECK(completed({"rondo", "help", "rec"}) == Found{"recompress"});
  CHECK(completed({"rondo", "help", "ag"}) == Found{"agents"});
  CHECK(completed({"rondo", "trim", "--frames", "o"}) == Found{""});  // a range is no file
  CHECK(completed({"rondo", "verify", "--screens"}) == Found{"--screenshot"});
  CHECK(completed({"player", "--sandbox", "r"}) == Found{"require"});
  CHECK(completed({"rondo-player", "--report", "on"}) == Found{"one.rondo"});
  CHECK(completed({"rondo", "capture", "--", "vkcub"}).contains("vkcube"));
  CHECK_FALSE(completed({"player", "--"}).contains("--damage"));  // for tests alone
}
