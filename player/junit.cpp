// SPDX-License-Identifier: Apache-2.0
#include "player/junit.h"

#include <algorithm>
#include <array>
#include <cstdio>

#include "format/printable.h"
#include "player/play.h"

namespace rondo::player {

namespace {

// In an attribute's quotation marks or between tags.
std::string escaped(std::string_view text) {
  std::string out;
  for (const char c : printable(text)) switch (c) {
      case '&':
        out += "&amp;";
        break;
      case '<':
        out += "&lt;";
        break;
      case '>':
        out += "&gt;";
        break;
      case '"':
        out += "&quot;";
        break;
      default:
        out += c;
    }
  return out;
}

std::string seconds_text(double seconds) {
  std::array<char, 64> text{};
  std::snprintf(text.data(), text.size(), "%.6f", seconds);
  return text.data();
}

std::string attribute(const char* name, std::string_view value) {
  return std::string(" ") + name + "=\"" + escaped(value) + "\"";
}

const char* element_of(Verdict::Kind kind) {
  switch (kind) {
    case Verdict::Kind::failed:
      return "failure";
    case Verdict::Kind::error:
      return "error";
    case Verdict::Kind::skipped:
      return "skipped";
    case Verdict::Kind::passed:
      break;
  }
  return nullptr;
}

std::string count_of(const std::vector<Verdict>& verdicts, Verdict::Kind kind) {
  return std::to_string(
      std::count_if(verdicts.begin(), verdicts.end(), [&](const Verdict& one) { return one.kind == kind; }));
}

// Nothing where the capture has no such checkpoints in what was played.
void add_comparison(std::vector<Verdict>& verdicts, const char* name, const Comparison& c, const Verification& all) {
  if (c.compared + c.unverified == 0) return;
  Verdict verdict{name, Verdict::Kind::passed, {}, 0};
  const std::string counts =
      std::to_string(c.equal) + " of " + std::to_string(c.compared + c.unverified) + " are equal";
  if (c.equal != c.compared) {
    verdict.kind = Verdict::Kind::failed;
    verdict.message = counts + "; the first difference of the replay: " + all.first_difference;
  } else if (c.compared == 0) {
    verdict.kind = Verdict::Kind::skipped;
    verdict.message = "none could be compared: " + all.first_unverified;
  }
  verdicts.push_back(std::move(verdict));
}

}  // namespace

Verdict::Kind kind_of(Status status) {
  if (status == Status::ok) return Verdict::Kind::passed;
  return status == Status::different ? Verdict::Kind::failed : Verdict::Kind::error;
}

std::string as_junit(std::string_view suite, std::string_view subject, const std::vector<Verdict>& verdicts) {
  double seconds = 0;
  for (const Verdict& one : verdicts) seconds += one.seconds;
  std::string out = "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites>\n  <testsuite";
  out += attribute("name", suite) + attribute("tests", std::to_string(verdicts.size()));
  out += attribute("failures", count_of(verdicts, Verdict::Kind::failed));
  out += attribute("errors", count_of(verdicts, Verdict::Kind::error));
  out += attribute("skipped", count_of(verdicts, Verdict::Kind::skipped)) + attribute("time", seconds_text(seconds));
  out += ">\n";
  for (const Verdict& one : verdicts) {
    out += "    <testcase" + attribute("classname", subject) + attribute("name", one.name) +
           attribute("time", seconds_text(one.seconds));
    if (const char* const element = element_of(one.kind); element != nullptr)
      out += std::string("><") + element + attribute("message", one.message) + "/></testcase>\n";
    else
      out += "/>\n";
  }
  return out + "  </testsuite>\n</testsuites>\n";
}

std::string as_junit(std::string_view suite, std::string_view subject, std::string_view name, const Error& error) {
  return as_junit(suite, subject, {{std::string(name), Verdict::Kind::error, error.message, 0}});
}

std::vector<Verdict> verdicts_of(const Outcome& outcome) {
  std::vector<Verdict> verdicts;
  const Verification& v = outcome.verification;
  if (outcome.verified) {
    add_comparison(verdicts, "images", v.images, v);
    add_comparison(verdicts, "memory ranges", v.memory_ranges, v);
    add_comparison(verdicts, "parts of buffers and images", v.contents, v);
  }
  const bool told = std::any_of(verdicts.begin(), verdicts.end(),
                                [](const Verdict& one) { return one.kind == Verdict::Kind::failed; });
  Verdict replay{"replay", kind_of(outcome.status), {}, 0};
  for (const IterationTimes& times : outcome.iterations) replay.seconds += times.work;
  // it played; the result is another
  if (replay.kind == Verdict::Kind::failed && told) replay.kind = Verdict::Kind::passed;
  if (replay.kind != Verdict::Kind::passed) replay.message = printable(outcome.as_error());
  verdicts.insert(verdicts.begin(), std::move(replay));
  return verdicts;
}

}  // namespace rondo::player
