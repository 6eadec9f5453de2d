// SPDX-License-Identifier: Apache-2.0
// What each row of an analysis carries: the build of the captured program, and members at the end of each line.
#include <gtest/gtest.h>
#include <unistd.h>

#include <array>
#include <string>

#include "analyzers/read/session_modules.h"
#include "analyzers/text/output.h"

namespace rondo::analyzers {
namespace {

std::string build_of(const std::string& modules) {
  const auto session = JsonText::parse(R"({"modules":[)" + modules + "]}");
  EXPECT_TRUE(session.has_value());
  return session ? program_build(*session) : "";
}

TEST(RowOrigin, TheBuildIsThatOfTheProgramAlone) {
  const std::string library = R"({"path":"/lib/libx.so","build_id":"11"})";
  EXPECT_EQ(build_of(library + R"-(,{"path":"(program)","build_id":"ab12"})-"), "ab12");
  EXPECT_EQ(build_of(library + R"-(,{"path":"","role":"program","build_id":"cd"})-"), "cd");
  EXPECT_EQ(build_of(library + R"-(,{"path":"(program)"})-"), "");
  EXPECT_EQ(build_of(library), "");
  EXPECT_EQ(program_build(*JsonText::parse("{}")), "");
}

TEST(RowOrigin, ABuildThatIsTooLongForABuildIdIsNone) {
  const auto of_digits = [](std::size_t digits) {
    return build_of(R"-({"path":"(program)","build_id":")-" + std::string(digits, 'a') + "\"}");
  };
  EXPECT_EQ(of_digits(128), std::string(128, 'a'));
  EXPECT_EQ(of_digits(129), "");
}

TEST(RowOrigin, EachLineAfterTheHeadGetsTheMembers) {
  std::array<int, 2> ends{};
  ASSERT_EQ(::pipe(ends.data()), 0);
  Output out(ends[1]);
  out.write("{\"row\":\"analysis\"}\n");
  out.add_to_rows(R"("device":"a } b","job":"x")");
  out.write("{\"row\":\"item\",\"text\":\"}\"}\n{}\n");
  out.write("");
  out.write("{\"row\":\"summary\"}\n");
  ASSERT_TRUE(out.finish().has_value());
  ::close(ends[1]);
  std::string text(4096, '\0');
  text.resize(static_cast<std::size_t>(::read(ends[0], text.data(), text.size())));
  ::close(ends[0]);
  EXPECT_EQ(text, R"({"row":"analysis"}
{"row":"item","text":"}","device":"a } b","job":"x"}
{"device":"a } b","job":"x"}
{"row":"summary","device":"a } b","job":"x"}
)");
}

}  // namespace
}  // namespace rondo::analyzers
