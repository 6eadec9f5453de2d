// SPDX-License-Identifier: Apache-2.0
// What is said of a shader, and of bytes that are none.
#include <algorithm>
#include <random>

#include "model/shaders/parser.h"
#include "tests/unit/shaders_support.h"

namespace rondo::test {

// The debug hook of format/check.h.
struct Tamper {
  static void take_variable(shaders::Parser& parser, std::span<const std::uint32_t> operands) {
    parser.take_variable(operands);
  }
};

}  // namespace rondo::test

namespace rondo::shaders {
namespace {

using test::Code;
using test::reflection;
using test::shader_code;

std::string all_of(const std::string& name) {
  std::string text;
  const Reflection r = reflection(shader_code(name));
  for (const EntryPoint& entry : r.entry_points) text += text_of(entry);
  for (const SpecConstant& constant : r.constants) text += "; constant " + text_of(constant);
  return text;
}

TEST(Reflect, SaysWhatAComputeShaderAsksFor) {
  EXPECT_EQ(all_of("work"),
            "main (compute), local size 64 x 1 x 1; set 0 binding 0 storage buffer, read only {0: uint[stride 4]}; "
            "set 0 binding 1 storage buffer {0: uint[stride 4]}; push constants bytes 0 to 8 {0: uint, 4: uint}");
  EXPECT_NE(all_of("special-size").find("local size constant 6 (64) x 1 x 1"), std::string::npos);
  EXPECT_NE(all_of("special-size").find("; constant 6 uint 64"), std::string::npos);
  EXPECT_NE(all_of("unused-more").find("set 5 binding 5 storage buffer {0: uint} (unused)"), std::string::npos);
}

TEST(Reflect, SaysWhatAStageTakesAndGives) {
  EXPECT_EQ(
      all_of("stage"),
      "main (vertex); input 0 float2; output 0 float4; input 1 component 1 float; output 2 float2; output 3 float[2]");
}

TEST(Reflect, TellsTheKindsOfDescriptorsApart) {
  const std::string text = all_of("kinds");
  for (const char* part :
       {"set 0 binding 0 sampled image and sampler 2D array of float;", "set 0 binding 1 sampled image[3] 2D of float;",
        "set 0 binding 2 sampler;", "set 0 binding 3 storage image 2D of float, format 4;",
        "set 0 binding 4 uniform texel buffer buffer of float;",
        "set 0 binding 5 storage texel buffer buffer of uint, format 33;",
        "set 0 binding 6 input attachment 1 subpass of float;",
        "set 1 binding 0 uniform buffer {0: float4, 32: float3x2 stride 16 by rows, "
        "80: struct {0: float3, 12: float}[constant 7 (2) stride 16]}",
        "output 0 float4", "output 0 index 1 float4", "constant 7 int 2"})
    EXPECT_NE(text.find(part), std::string::npos) << part << "\nin\n" << text;
}

void expect_refused(const Code& code, const std::string& says) {
  const auto reflected = reflect(code);
  ASSERT_FALSE(reflected) << says;
  EXPECT_NE(reflected.error().message.find(says), std::string::npos) << reflected.error().message;
  EXPECT_EQ(reflected.error().status, Status::unreadable);
}

TEST(Reflect, RefusesWhatIsNoSpirV) {
  const Code good = shader_code("work");
  expect_refused({}, "is empty");
  expect_refused({good.begin(), good.begin() + 3}, "has only 3 bytes");
  expect_refused({good.begin(), good.end() - 1}, "no whole number of words");
  expect_refused({good.begin(), good.begin() + 16}, "is cut: its header");
  expect_refused({good.begin(), good.end() - 4}, "is cut: its last function does not end");
  expect_refused({good.begin(), good.end() - 12}, "is cut or damaged");
  expect_refused({good.begin(), good.begin() + 20}, "has no entry point");
  Code swapped = good;
  for (std::size_t i = 0; i < swapped.size(); i += 4)
    std::reverse(swapped.begin() + static_cast<std::ptrdiff_t>(i),
                 swapped.begin() + static_cast<std::ptrdiff_t>(i) + 4);
  expect_refused(swapped, "of the other byte order");
  Code other = good;
  test::set_word(other, 0, 0x464c457f);
  expect_refused(other, "begins with 0x464c457f and not with 0x07230203");
  for (const std::uint32_t bound : {0u, 0x400000u, 0xffffffffu}) {
    other = good;
    test::set_word(other, 3, bound);
    expect_refused(other, "bound of ids of " + std::to_string(bound));
  }
  other = good;
  test::set_word(other, 3, 2);
  expect_refused(other, "and the bound is 2");
  other = good;
  test::set_word(other, 1, 0x00020000);
  expect_refused(other, "SPIRV-Cross");
  other = good;
  test::set_word(other, 5, 17);
  expect_refused(other, "says it has 0 words");
  other = good;
  test::add_word(other, 2 << 16 | 19);  // OpTypeVoid, of an id that is there
  test::add_word(other, 2);
  expect_refused(other, "makes the id 2 again");
  other = good;
  test::add_word(other, 2 << 16 | 73);
  test::add_word(other, test::word_at(good, 3) - 1);
  EXPECT_FALSE(reflect(other));
}

// Arrays of arrays of structures of themselves: text as long as memory.
TEST(Reflect, HasAnEndWhereTypesHaveNone) {
  Code code;
  const auto add = [&](std::initializer_list<std::uint32_t> words) {
    for (const std::uint32_t word : words) test::add_word(code, word);
  };
  constexpr std::uint32_t kBound = 1000;
  add({0x07230203, 0x00010000, 0, kBound, 0, 2 << 16 | 17, 1, 3 << 16 | 14, 0, 1});
  add({5 << 16 | 15, 5, 1, 0x6e69616d, 0});
  add({4 << 16 | 71, 900, 34, 0, 4 << 16 | 71, 900, 33, 0});
  add({2 << 16 | 19, 2, 3 << 16 | 33, 3, 2, 4 << 16 | 21, 4, 32, 0});
  std::uint32_t last = 4;
  for (std::uint32_t id = 5; id < 65; ++id) {  // 2^60 leaves
    add({4 << 16 | 30, id, last, last});
    last = id;
  }
  add({4 << 16 | 32, 800, 12, last, 4 << 16 | 59, 800, 900, 12});
  add({5 << 16 | 54, 2, 1, 0, 3, 2 << 16 | 248, 901, 4 << 16 | 61, 2, 902, 900, 1 << 16 | 253, 1 << 16 | 56});
  // The variable is left out: nothing can be said of it.
  EXPECT_TRUE(reflection(code).entry_points.at(0).bindings.empty());
}

// SPIRV-Cross must never be able to take the process down.
TEST(Reflect, SurvivesEveryWordChanged) {
  for (const char* name : {"work", "kinds", "stage", "special-size"}) {
    const Code good = shader_code(name);
    for (std::size_t word = 1; word < good.size() / 4; ++word)
      for (const std::uint32_t value :
           {0u, 1u, 0xffffffffu, 0x80000000u, test::word_at(good, word) + 1, test::word_at(good, word) - 1,
            test::word_at(good, word) ^ 0x10000u, test::word_at(good, 3) - 1, 0x10001u}) {
        Code code = good;
        test::set_word(code, word, value);
        static_cast<void>(reflect(code));
      }
  }
}

TEST(Reflect, SurvivesManyWordsChanged) {
  std::mt19937 engine(1);
  const auto random = [&] { return static_cast<std::uint32_t>(engine()); };
  const std::vector<std::string> names = test::shader_names();
  ASSERT_GT(names.size(), 20u);
  for (int i = 0; i < 20000; ++i) {
    Code code = shader_code(names[random() % names.size()]);
    const std::size_t words = code.size() / 4;
    for (unsigned changes = 1 + random() % 6; changes != 0; --changes) {
      const std::size_t at = 5 + random() % (words - 5);
      const std::uint32_t value = random() % 3 == 0 ? test::word_at(code, 5 + random() % (words - 5)) : random() % 90;
      test::set_word(code, at, random() % 4 == 0 ? (test::word_at(code, at) & 0xffff0000u) | value : value);
    }
    static_cast<void>(reflect(code));
  }
}

TEST(Reflect, ReadsEveryTestShader) {
  for (const std::string& name : test::shader_names())
    EXPECT_EQ(reflection(shader_code(name)).entry_points.size(), 1u) << name;
}

TEST(Reflect, ChecksThatAnInstructionHasItsOperands) {
  Parser parser;
  const std::uint32_t operands[] = {1, 2};
  EXPECT_EXIT(test::Tamper::take_variable(parser, operands), ::testing::KilledBySignal(SIGABRT),
              "operands.size\\(\\) >= 3 does not hold");
}

}  // namespace
}  // namespace rondo::shaders
