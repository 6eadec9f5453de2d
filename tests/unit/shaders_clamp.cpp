// SPDX-License-Identifier: Apache-2.0
// Which modules the robust-access pass clamps, and why it does not clamp the others.
#include "format/vulkan.h"
#include "model/shaders/clamp.h"
#include "tests/unit/shaders_support.h"

namespace rondo::shaders {
namespace {

using test::Code;
using test::declaring;
using test::shader_code;

constexpr std::uint32_t kOpExtInst = 12;

DeviceRules newest() {
  return {.api_version = VK_API_VERSION_1_3,
          .relaxed_block_layout = true,
          .uniform_buffer_standard_layout = true,
          .scalar_block_layout = true,
          .workgroup_scalar_layout = true,
          .local_size_id = true};
}
std::size_t count(const Code& code, std::uint32_t operation) {
  constexpr std::size_t kHeader = 5;  // words
  std::size_t found = 0;
  for (std::size_t at = kHeader; at < code.size() / 4; at += test::word_at(code, at) >> 16)
    found += (test::word_at(code, at) & 0xffff) == operation ? 1 : 0;
  return found;
}
void refuses(const Code& code, const std::string& says) {
  const Clamped clamped = clamp(code, newest());
  EXPECT_TRUE(clamped.code.empty());
  EXPECT_NE(clamped.obstacle.find(says), std::string::npos) << clamped.obstacle;
}

// "far-outside" has four accesses with indexes that are not constants: of shared memory, and of buffers.
TEST(Clamp, ClampsIndexesThatAreNoConstants) {
  const Code code = shader_code("far-outside");
  const Clamped clamped = clamp(code, newest());
  ASSERT_EQ(clamped.obstacle, "");
  EXPECT_GE(count(clamped.code, kOpExtInst), count(code, kOpExtInst) + 4);
  EXPECT_EQ(validate(clamped.code, newest()).verdict, Validation::Verdict::valid);
}
TEST(Clamp, LeavesAloneWhatHasNoIndexes) {
  const Code code = shader_code("grey");
  const Clamped clamped = clamp(code, newest());
  ASSERT_EQ(clamped.obstacle, "");
  EXPECT_EQ(clamped.code, code);
}
TEST(Clamp, TakesWhatCompilersMake) {
  for (const std::string& name : test::shader_names()) {
    const Code code = shader_code(name);
    if (validate(code, newest()).verdict != Validation::Verdict::valid) continue;
    const Clamped clamped = clamp(code, newest());
    EXPECT_EQ(clamped.obstacle.empty(), !name.starts_with("addressed")) << name << ": " << clamped.obstacle;
  }
}
TEST(Clamp, RefusesWhatThePassCannotClamp) {
  constexpr std::uint32_t kVariablePointersStorageBuffer = 4441, kVariablePointers = 4442,
                          kRuntimeDescriptorArray = 5302;
  refuses(shader_code("addressed-reads"), "Addressing model must be Logical");
  const Code code = shader_code("newer");  // of a version that has these without an extension
  refuses(declaring(code, kVariablePointersStorageBuffer), "VariablePointersStorageBuffer");
  refuses(declaring(code, kVariablePointers), "VariablePointers");
  refuses(declaring(code, kRuntimeDescriptorArray), "RuntimeDescriptorArray");
}
TEST(Clamp, RefusesWhatIsNotValidOrNotKnown) {
  refuses({}, "it is not valid SPIR-V");
  refuses(Code(20), "it is not valid SPIR-V");
  Code code = shader_code("work");
  refuses(declaring(code, 60000), validator_version() + " does not know it");
  test::set_word(code, 3, 2);  // the bound of its ids
  refuses(code, "it is not valid SPIR-V");
}

}  // namespace
}  // namespace rondo::shaders
