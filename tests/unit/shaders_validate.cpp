// SPDX-License-Identifier: Apache-2.0
// What the validator says of modules, by what a device lets its shaders do.
#include "format/vulkan.h"
#include "model/shaders/validate.h"
#include "tests/unit/shaders_support.h"

namespace rondo::shaders {
namespace {

using test::Code;
using test::set_word;
using test::shader_code;
using test::with_extension;
using test::with_first;
using test::word_at;
using Verdict = Validation::Verdict;

DeviceRules of_version(std::uint32_t version) { return {.api_version = version}; }

void expect_invalid(const Code& code, const std::string& says,
                    const DeviceRules& rules = of_version(VK_API_VERSION_1_1)) {
  const Validation validation = validate(code, rules);
  EXPECT_EQ(validation.verdict, Verdict::invalid) << says;
  EXPECT_NE(validation.words.find(says), std::string::npos) << validation.words;
}
void expect_newer(const Code& code, const std::string& says) {
  const Validation validation = validate(code, of_version(VK_API_VERSION_1_1));
  EXPECT_EQ(validation.verdict, Verdict::newer) << validation.words;
  EXPECT_EQ(validation.words, says);
}
bool is_valid(const std::string& shader, const DeviceRules& rules) {
  return validate(shader_code(shader), rules).verdict == Verdict::valid;
}

TEST(Validate, TakesWhatCompilersMake) {
  DeviceRules all = of_version(VK_API_VERSION_1_3);
  all.relaxed_block_layout = all.uniform_buffer_standard_layout = all.scalar_block_layout = all.local_size_id = true;
  for (const std::string& name : test::shader_names()) {
    // Written by hand with an interface of a newer version; and an operation that glslang may not use in
    // SPIR-V 1.0.
    if (name.ends_with("-pointer") || name == "long-constant") continue;
    const Validation validation = validate(shader_code(name), all);
    EXPECT_EQ(validation.verdict, Verdict::valid) << name << ": " << validation.words;
  }
}

TEST(Validate, RefusesWhatIsNoModule) {
  const Code good = shader_code("work");
  expect_invalid({}, "shorter than a header");
  expect_invalid({good.begin(), good.begin() + 16}, "shorter than a header");
  expect_invalid({good.begin(), good.end() - 1}, "no whole number of words");
  Code other = good;
  set_word(other, 0, 0x464c457f);
  expect_invalid(other, "does not begin with SPIR-V's number");
  for (const std::uint32_t version : {0u, 0x00020000u, 0x10010300u, 0xffffffffu}) {
    other = good;
    set_word(other, 1, version);
    EXPECT_EQ(validate(other, of_version(VK_API_VERSION_1_1)).verdict, Verdict::invalid) << version;
  }
  other = good;
  set_word(other, 3, 0xffffffff);  // shared/cases: three drivers take memory by it
  expect_invalid(other, "id bound");
}

TEST(Validate, FindsMostWordsChanged) {
  const Code good = shader_code("work");
  std::size_t found = 0, all = 0;
  for (std::size_t word = 5; word < good.size() / 4; ++word) {
    Code other = good;
    set_word(other, word, 0xffffffff);
    ++all;
    found += validate(other, of_version(VK_API_VERSION_1_1)).verdict == Verdict::valid ? 0 : 1;
  }
  EXPECT_GT(found * 10, all * 7) << found << " of " << all;  // others are in names and constants
}

// A capability that nobody has yet is not wrong; an instruction that needs one, without it, is.
TEST(Validate, DoesNotJudgeWhatIsNewer) {
  const Code good = shader_code("work");
  constexpr std::uint32_t kCapability = 2 << 16 | 17;
  expect_newer(with_first(good, {kCapability, 60000}), "capability 60000");
  expect_newer(with_extension(good, "SPV_RONDO_not_yet"), "extension SPV_RONDO_not_yet");
  Code other = good;
  set_word(other, 1, 0x00010900);
  expect_newer(other, "SPIR-V 1.9");
  EXPECT_EQ(validate(with_extension(good, "SPV_KHR_8bit_storage"), of_version(VK_API_VERSION_1_1)).verdict,
            Verdict::valid);
  constexpr std::uint32_t kVariable = 4 << 16 | 59;
  for (std::size_t word = 5; word < good.size() / 4; word += word_at(good, word) >> 16)
    if (word_at(good, word) == kVariable) {
      other = good;
      set_word(other, word, 4 << 16 | 60000);
      expect_invalid(other, "Invalid opcode");
      return;
    }
  FAIL() << "the shader has no variable";
}

// scripts/build brings a SPIRV-Tools that is newer than Debian 12's, which does not know cooperative matrices.
TEST(Validate, JudgesExtensionsThatAreNewerThanTheSystemsLibrary) {
  if (validator_version() < "SPIRV-Tools v2024")
    GTEST_SKIP() << "this build has " << validator_version() << ": `scripts/drivers build` could not fetch a newer one";
  constexpr std::uint32_t kMain = 1, kVoid = 2, kFunction = 3, kFloat = 4, kInt = 5, kSixteen = 6, kSubgroup = 7,
                          kUseA = 8, kMatrix = 9, kLabel = 10;
  const std::vector<std::uint32_t> words = {0x07230203,
                                            0x00010600,
                                            0,
                                            11,
                                            0,  // the header: version 1.6, ids below 11
                                            2 << 16 | 17,
                                            1,  // capability: Shader
                                            3 << 16 | 14,
                                            0,
                                            3,  // memory model: Logical, Vulkan
                                            5 << 16 | 15,
                                            5,
                                            kMain,
                                            0x6e69616d,
                                            0,  // entry point: GLCompute, "main"
                                            6 << 16 | 16,
                                            kMain,
                                            17,
                                            32,
                                            1,
                                            1,  // local size 32
                                            2 << 16 | 19,
                                            kVoid,
                                            3 << 16 | 33,
                                            kFunction,
                                            kVoid,  // types
                                            3 << 16 | 22,
                                            kFloat,
                                            32,
                                            4 << 16 | 21,
                                            kInt,
                                            32,
                                            0,  //
                                            4 << 16 | 43,
                                            kInt,
                                            kSixteen,
                                            16,
                                            4 << 16 | 43,
                                            kInt,
                                            kSubgroup,
                                            3,
                                            4 << 16 | 43,
                                            kInt,
                                            kUseA,
                                            0,
                                            7 << 16 | 4456,
                                            kMatrix,
                                            kFloat,
                                            kSubgroup,
                                            kSixteen,
                                            kSixteen,
                                            kUseA,
                                            5 << 16 | 54,
                                            kVoid,
                                            kMain,
                                            0,
                                            kFunction,
                                            2 << 16 | 248,
                                            kLabel,
                                            1 << 16 | 253,
                                            1 << 16 | 56};
  Code code;
  for (const std::uint32_t word : words) test::add_word(code, word);
  std::size_t component = 0;
  for (std::size_t i = 0; i + 1 < words.size(); ++i)
    if (words[i] == (7 << 16 | 4456)) component = i + 2;
  ASSERT_EQ(words[component], kFloat);
  Code wrong = code;
  set_word(wrong, component, kVoid);
  const auto declared = [](const Code& module) {  // with VulkanMemoryModel and CooperativeMatrixKHR
    return with_first(with_extension(module, "SPV_KHR_cooperative_matrix"), {2 << 16 | 17, 5345, 2 << 16 | 17, 6022});
  };
  const DeviceRules rules = of_version(VK_API_VERSION_1_3);
  const Validation good = validate(declared(code), rules);
  EXPECT_EQ(good.verdict, Verdict::valid) << good.words;
  expect_invalid(declared(wrong), "Component Type", rules);
}

TEST(Validate, FollowsWhatTheProgramEnabled) {
  DeviceRules rules = of_version(VK_API_VERSION_1_0);
  EXPECT_FALSE(is_valid("relaxed-layout", rules));
  rules.relaxed_block_layout = true;
  EXPECT_TRUE(is_valid("relaxed-layout", rules));
  EXPECT_FALSE(is_valid("scalar-layout", rules));
  rules.scalar_block_layout = true;
  EXPECT_TRUE(is_valid("scalar-layout", rules));
  rules.scalar_block_layout = false;
  EXPECT_FALSE(is_valid("standard-layout", rules));
  rules.uniform_buffer_standard_layout = true;
  EXPECT_TRUE(is_valid("standard-layout", rules));
  rules = of_version(VK_API_VERSION_1_2);
  EXPECT_FALSE(is_valid("local-size-id", rules) && !is_valid("local-size-id", of_version(VK_API_VERSION_1_3)));
  rules.local_size_id = true;
  EXPECT_TRUE(is_valid("local-size-id", rules));
}

// Drivers take modules of a version that their own Vulkan version does not have.
TEST(Validate, TakesANewerVersionThanTheDevices) {
  EXPECT_EQ(word_at(shader_code("newer"), 1), 0x00010500u);
  EXPECT_TRUE(is_valid("newer", of_version(VK_API_VERSION_1_0)));
}

}  // namespace
}  // namespace rondo::shaders
