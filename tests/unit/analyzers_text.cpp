// SPDX-License-Identifier: Apache-2.0
// Numbers, names and JSON as the analyzers write them.
#include <gtest/gtest.h>

#include <limits>
#include <string>
#include <vector>

#include "analyzers/launch/report_file.h"
#include "analyzers/launch/tree.h"
#include "analyzers/options/cli.h"
#include "analyzers/text/json.h"
#include "analyzers/text/text.h"
#include "format/printable.h"

namespace rondo::analyzers {
namespace {

TEST(AnalyzersText, CountsAreGroupedByThousands) {
  EXPECT_EQ(count_text(0), "0");
  EXPECT_EQ(count_text(999), "999");
  EXPECT_EQ(count_text(1000), "1,000");
  EXPECT_EQ(count_text(18446744073709551615u), "18,446,744,073,709,551,615");
}

TEST(AnalyzersText, SizesAndDurationsHaveUnits) {
  EXPECT_EQ(size_text(1023), "1023 B");
  EXPECT_EQ(size_text(55296), "54.0 KiB");
  EXPECT_EQ(size_text(std::uint64_t{3} << 40), "3.0 TiB");
  EXPECT_EQ(duration_text(999), "999 ns");
  EXPECT_EQ(duration_text(1'250'000), "1.25 ms");
  EXPECT_EQ(duration_text(3'210'000'000), "3.21 s");
  EXPECT_EQ(utc_text(1'795'200'611'000'000'000), "2026-11-20 18:50:11 UTC");
  EXPECT_EQ(plural(1, "frame"), "1 frame");
  EXPECT_EQ(plural(0, "frame"), "0 frames");
}

TEST(AnalyzersText, PrintableKeepsCharactersAndEscapesTheRest) {
  EXPECT_EQ(printable("caf\xc3\xa9 \xe2\x82\xac \xf0\x9f\x8e\xa5"), "caf\xc3\xa9 \xe2\x82\xac \xf0\x9f\x8e\xa5");
  EXPECT_EQ(printable(std::string_view("a\nb\x1b[0m\0c", 9)), "a\\x0ab\\x1b[0m\\x00c");
  EXPECT_EQ(printable("\xc3(\xff"), "\\xc3(\\xff");
}

TEST(AnalyzersText, PrintableLetsNoControlThroughInWhateverForm) {
  // DEL, C1 as UTF-8 and as a byte
  EXPECT_EQ(printable("\x7f\xc2\x85\xc2\x9b[m\x9b"), "\\x7f\\xc2\\x85\\xc2\\x9b[m\\x9b");
  for (const char* direction :
       {"\xd8\x9c", "\xe2\x80\x8e", "\xe2\x80\xaa", "\xe2\x80\xae", "\xe2\x81\xa6", "\xe2\x81\xa9", "\xe2\x80\xa8"})
    EXPECT_EQ(printable(direction).find(direction), std::string::npos) << printable(direction);
  EXPECT_EQ(printable("\xc2\xa0\xe2\x80\xa6\xe2\x81\xa5"), "\xc2\xa0\xe2\x80\xa6\xe2\x81\xa5");  // beside those
  const std::string once = printable("\x1b\\\n\xe2\x80\xae");
  EXPECT_EQ(printable(once), once);
  EXPECT_EQ(printable_lines("a\n\tb\r\n"), "a\n\\x09b\\x0d\n");
  char small[6];
  EXPECT_EQ(std::string(small, printable_into(small, "a\x1b\x1b")), "a\\x1b\\");
}

TEST(AnalyzersText, JsonEscapesTheSameCharacters) {
  std::string out;
  append_json_string(out, "\x1b\xc2\x9b\xe2\x80\xae\n\xff\x9b");
  EXPECT_EQ(out, R"("\u001b\u009b\u202e\u000a\ufffd\ufffd")");
  EXPECT_EQ(printable_json("{\n  \"\xc2\x9b\": \"\xe2\x80\xae\x7f\"\n}"), "{\n  \"\\u009b\": \"\\u202e\\u007f\"\n}");
}

TEST(AnalyzersText, FixedArraysEndWhereTheyEnd) {
  const char full[4] = {'a', 'b', 'c', 'd'};
  EXPECT_EQ(fixed_text(full), "abcd");
  EXPECT_EQ(fixed_text("ab\0c"), "ab");
}

TEST(AnalyzersText, ListsKeepTheirOwnLinesAlone) {
  const std::vector<std::string> lines{"one\n  two", "three"};
  EXPECT_EQ(printable(fail_list(Status::device, "a\nb:", lines).value()), "a\\x0ab:\n  one\\x0a  two\n  three");
  // A name that looks like a list makes none.
  EXPECT_EQ(printable(fail(Status::usage, "no file 'a\n  b'").value()), "no file 'a\\x0a  b'");
}

TEST(AnalyzersText, OverlongSurrogateAndCutUtf8IsNoCharacter) {
  EXPECT_EQ(utf8_length("\xc0\x80", 0), 0u);
  EXPECT_EQ(utf8_length("\xe0\x80\x80", 0), 0u);
  EXPECT_EQ(utf8_length("\xed\xa0\x80", 0), 0u);
  EXPECT_EQ(utf8_length("\xf4\x90\x80\x80", 0), 0u);
  EXPECT_EQ(utf8_length("\xe2\x82", 0), 0u);
  EXPECT_EQ(utf8_length("\xf0\x9f\x8e\xa5", 0), 4u);
}

TEST(AnalyzersJson, WriterSeparatesAndEscapes) {
  std::string out;
  JsonWriter json(out);
  json.begin_object();
  json.field("a", std::uint64_t{18446744073709551615u});
  json.field("b", std::int64_t{-5});
  json.field("c", "quote \" back \\ line \n bad \xff");
  json.key("d");
  json.begin_array();
  json.null();
  json.boolean(true);
  json.floating_value(0.1f, true);
  json.floating_value(0.1);
  json.floating_value(std::numeric_limits<double>::quiet_NaN());
  json.floating_value(-std::numeric_limits<double>::infinity());
  json.begin_object();
  json.end_object();
  json.end_array();
  json.end_object();
  EXPECT_EQ(
      out,
      R"({"a":18446744073709551615,"b":-5,"c":"quote \" back \\ line \u000a bad \ufffd","d":[null,true,0.1,0.1,"NaN","-Infinity",{}]})");
}

TEST(AnalyzersJson, IndentedWriterReadsBackTheSame) {
  std::string out;
  JsonWriter json(out, true);
  json.begin_object();
  json.key("list");
  json.begin_array();
  json.unsigned_value(1);
  json.begin_object();
  json.field("x", true);
  json.end_object();
  json.end_array();
  json.end_object();
  EXPECT_EQ(out, "{\n  \"list\": [\n    1,\n    {\n      \"x\": true\n    }\n  ]\n}");
  const auto parsed = JsonText::parse(out);
  ASSERT_TRUE(parsed);
  EXPECT_EQ(parsed->compact(), R"({"list":[1,{"x":true}]})");
}

TEST(AnalyzersJson, SessionsMergeInOrderAndForeignOnesAreLeftOut) {
  std::string deep(1000, '[');
  const std::vector<std::string> texts{R"({"process":{"pid":7,"program":"a"}})", "not json", "[1]", deep,
                                       R"({"process":{"program":"b"},"host":"h"})"};
  const JsonText session = JsonText::merge(texts);
  EXPECT_EQ(session.number("/process/pid"), 7u);
  EXPECT_EQ(session.string("/process/program"), "b");
  EXPECT_EQ(session.shown("/host"), "h");
  EXPECT_EQ(session.string("/process/pid"), std::nullopt);
  EXPECT_EQ(session.shown("/nothing/here"), std::nullopt);
  EXPECT_FALSE(JsonText::parse(deep));
}

TEST(AnalyzersCli, SpansAreHalfOpenAndChecked) {
  const auto span = parse_span("10:12");
  ASSERT_TRUE(span);
  EXPECT_TRUE(span->contains(10));
  EXPECT_TRUE(span->contains(11));
  EXPECT_FALSE(span->contains(12));
  EXPECT_TRUE(span->overlaps(5, 11));
  EXPECT_FALSE(span->overlaps(12, 20));
  for (const char* wrong : {"", ":", "1:", ":1", "2:1", "1:1", "-1:2", "1:2:3", "a:b", "1:99999999999999999999"}) {
    const auto parsed = parse_span(wrong);
    ASSERT_FALSE(parsed) << wrong;
    EXPECT_EQ(parsed.error().status, Status::usage);
    EXPECT_NE(parsed.error().message.find(wrong), std::string::npos) << parsed.error().message;
  }
}

TEST(AnalyzersCli, TheProgramBeginsAtTheDashesOrTheFirstWord) {
  const auto parse = [](std::vector<std::string> words, std::string& output) {
    std::vector<std::string> program;
    Cli cli("rondo capture", "");
    cli.value("--output", "PATH", "", output);
    cli.program(program);
    EXPECT_TRUE(cli.parse(words));
    return program;
  };
  using Words = std::vector<std::string>;
  std::string output;
  EXPECT_EQ(parse({"--output", "x", "--", "prog", "--output", "y"}, output), (Words{"prog", "--output", "y"}));
  EXPECT_EQ(output, "x");
  EXPECT_EQ(parse({"--output=z", "prog", "--", "-a"}, output), (Words{"prog", "--", "-a"}));
  EXPECT_EQ(output, "z");
  EXPECT_EQ(parse({"--", "--odd"}, output), (Words{"--odd"}));
  EXPECT_EQ(parse({}, output), Words{});
}

TEST(AnalyzersReport, EntriesAreTakenWholeAndOthersLeftOut) {
  using namespace std::string_literals;
  const std::string content =
      "12 /a b.rondo\0x /c\0 13 /d\0 \0"s + "14 relative\0"s + "15 /line\nfeed\0"s + "16 \0"s + "17 /cut off"s;
  const auto report = parse_report(content);
  const auto& files = report.files;
  EXPECT_FALSE(report.lacks_entries);
  ASSERT_EQ(files.size(), 3u);
  EXPECT_EQ(files[0].pid, 12);
  EXPECT_EQ(files[0].path, "/a b.rondo");
  EXPECT_EQ(files[1].pid, 15);
  EXPECT_EQ(files[1].path, "/line\nfeed");
  EXPECT_EQ(files[2].pid, 16);
  EXPECT_EQ(files[2].path, "");
  const auto lacking = parse_report("12 /a.rondo\0\0"s);
  EXPECT_EQ(lacking.files.size(), 1u);
  EXPECT_TRUE(lacking.lacks_entries);
}

TEST(AnalyzersTree, DataDirectoriesKeepWhatWasThere) {
  EXPECT_EQ(data_dirs_with("/tree/share", nullptr), "/tree/share:/usr/local/share:/usr/share");
  EXPECT_EQ(data_dirs_with("/tree/share", ""), "/tree/share:/usr/local/share:/usr/share");
  EXPECT_EQ(data_dirs_with("/tree/share", "/opt/share"), "/tree/share:/opt/share");
}

}  // namespace
}  // namespace rondo::analyzers
