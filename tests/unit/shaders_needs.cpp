// SPDX-License-Identifier: Apache-2.0
// What shaders ask of their pipeline layout and of the device.
#include <random>

#include "model/shaders/names.h"
#include "model/shaders/needs.h"
#include "tests/unit/shaders_support.h"

namespace rondo::shaders {
namespace {

using test::Code;
using test::shader_code;

Needs needs_of_code(const Code& code, const SpecializedValues& values = {}) {
  const auto module = parse_module(code);
  EXPECT_TRUE(module) << module.error().message;
  return module ? needs_of(*module, module->entries.at(0), values) : Needs{};
}
Needs needs(const std::string& shader, const SpecializedValues& values = {}) {
  return needs_of_code(shader_code(shader), values);
}
std::string places(const Needs& needs) {
  std::string text;
  for (const DescriptorNeed& one : needs.descriptors)
    text += std::to_string(one.set) + "." + std::to_string(one.binding) + "x" + std::to_string(one.count) + " ";
  return text;
}
using Size = std::array<std::uint64_t, 3>;

TEST(Needs, AreTheOutputsAndThePayloadOfMeshes) {
  const Needs outputs = needs("outputs");
  EXPECT_EQ(outputs.local_size, (Size{8, 4, 1}));
  EXPECT_EQ(outputs.output_vertices, 96u);
  EXPECT_EQ(outputs.output_primitives, 32u);
  EXPECT_EQ(outputs.payload_bytes, 20u);
  EXPECT_EQ(outputs.shared_bytes, 64u);
  EXPECT_EQ(needs("work").payload_bytes, 0u);
}
TEST(Needs, AreWhatTheFunctionsName) {
  const Needs work = needs("work");
  EXPECT_EQ(places(work), "0.0x1 0.1x1 ");
  EXPECT_EQ(work.push_begin, 0u);
  EXPECT_EQ(work.push_end, 8u);
  EXPECT_EQ(work.local_size, (Size{64, 1, 1}));
  EXPECT_EQ(work.shared_bytes, 0u);
  EXPECT_EQ(places(needs("unused-more")), places(work));
  EXPECT_EQ(places(needs("other-set")), "0.1x1 1.0x1 ");
  EXPECT_EQ(places(needs("array")), "0.0x2 0.1x1 ");
  EXPECT_EQ(needs("less").push_end, 4u);
  EXPECT_EQ(needs("longer-push").push_end, 12u);
}

TEST(Needs, NameTheTypesOfDescriptorsThatWillDo) {
  const Needs kinds = needs("kinds", {{7, 2}});
  const auto first = [&](std::uint32_t set, std::uint32_t binding) {
    for (const DescriptorNeed& one : kinds.descriptors)
      if (one.set == set && one.binding == binding) return one.types.at(0);
    ADD_FAILURE() << set << "." << binding << " of " << places(kinds);
    return VK_DESCRIPTOR_TYPE_MAX_ENUM;
  };
  EXPECT_EQ(first(0, 0), VK_DESCRIPTOR_TYPE_COMBINED_IMAGE_SAMPLER);
  EXPECT_EQ(first(0, 1), VK_DESCRIPTOR_TYPE_SAMPLED_IMAGE);
  EXPECT_EQ(first(0, 2), VK_DESCRIPTOR_TYPE_SAMPLER);
  EXPECT_EQ(first(0, 3), VK_DESCRIPTOR_TYPE_STORAGE_IMAGE);
  EXPECT_EQ(first(0, 4), VK_DESCRIPTOR_TYPE_UNIFORM_TEXEL_BUFFER);
  EXPECT_EQ(first(0, 5), VK_DESCRIPTOR_TYPE_STORAGE_TEXEL_BUFFER);
  EXPECT_EQ(first(0, 6), VK_DESCRIPTOR_TYPE_INPUT_ATTACHMENT);
  EXPECT_EQ(first(1, 0), VK_DESCRIPTOR_TYPE_UNIFORM_BUFFER);
  EXPECT_EQ(needs("work").descriptors.at(0).types.at(0), VK_DESCRIPTOR_TYPE_STORAGE_BUFFER);
}

TEST(Needs, FollowSpecializationConstants) {
  EXPECT_EQ(needs("special-size").local_size, (Size{64, 1, 1}));
  EXPECT_EQ(needs("special-size", {{6, 128}}).local_size, (Size{128, 1, 1}));
  EXPECT_EQ(needs("local-size-id", {{6, 32}}).local_size, (Size{32, 1, 1}));
  const auto shared_bytes = [](std::uint64_t x, std::uint64_t rows, std::uint64_t twice) {
    return needs("shared", {{0, x}, {1, rows}, {2, twice}}).shared_bytes;
  };
  EXPECT_EQ(shared_bytes(4, 3, 0), (3 * 4 + 1) * 4 + 4 * 16u);
  EXPECT_EQ(shared_bytes(4, 3, 1), (3 * 4 + 1) * 4 + 8 * 16u);
  EXPECT_EQ(shared_bytes(1024, 1000, 0), (1000 * 1024 + 1) * 4 + 4 * 16u);
  EXPECT_FALSE(needs("shared").has_empty_array);
  EXPECT_TRUE(needs("shared", {{0, 1}, {1, 0xffffffff}}).has_empty_array);  // it wraps: -1 * 1 + 1
}

TEST(Needs, AreOfTheMembersOfPushConstantsThatAreNamed) {
  const Needs shared = needs("shared");
  EXPECT_EQ(shared.push_begin, 16u);
  EXPECT_EQ(shared.push_end, 64u);  // not the last member
}

TEST(Needs, CountLocations) {
  EXPECT_EQ(needs("stage").input_locations, 2u);
  EXPECT_EQ(needs("stage").output_locations, 5u);
  EXPECT_EQ(needs("far-output").output_locations, 101u);
  EXPECT_EQ(needs("work").output_locations, 0u);
}

TEST(Needs, CountWhatAnInvocationHasOfItsOwn) {
  EXPECT_LT(needs("work").private_bytes, 64u);
  EXPECT_GE(needs("huge-variable").private_bytes, 1200000u);
}

TEST(Needs, SeeThroughGroupsOfDecorations) {
  EXPECT_EQ(places(needs("grouped")), "1.2x1 ");
  EXPECT_EQ(needs("grouped").descriptors.at(0).types.at(0), VK_DESCRIPTOR_TYPE_STORAGE_BUFFER);
}

// A resource of a type that is not understood has its place all the same.
TEST(Needs, HaveAPlaceForWhatIsNotUnderstood) {
  Code code;
  const auto add = [&](std::initializer_list<std::uint32_t> words) {
    for (const std::uint32_t word : words) test::add_word(code, word);
  };
  add({0x07230203, 0x00010000, 0, 1000, 0, 2 << 16 | 17, 1, 3 << 16 | 14, 0, 1});
  add({5 << 16 | 15, 5, 1, 0x6e69616d, 0});
  add({4 << 16 | 71, 900, 34, 3, 4 << 16 | 71, 900, 33, 4});
  add({2 << 16 | 19, 2, 3 << 16 | 33, 3, 2});
  add({3 << 16 | 6000, 50, 1});  // a type that nobody has
  add({4 << 16 | 32, 51, 0, 50, 4 << 16 | 59, 51, 900, 0});
  add({5 << 16 | 54, 2, 1, 0, 3, 2 << 16 | 248, 901, 4 << 16 | 61, 50, 902, 900, 1 << 16 | 253, 1 << 16 | 56});
  const Needs found = needs_of_code(code);
  EXPECT_EQ(places(found), "3.4x0 ");
  EXPECT_TRUE(found.descriptors.at(0).types.empty());
}

TEST(Needs, SurviveManyWordsChanged) {
  std::mt19937 engine(2);
  const auto random = [&] { return static_cast<std::uint32_t>(engine()); };
  const std::vector<std::string> names = test::shader_names();
  for (int i = 0; i < 20000; ++i) {
    Code code = shader_code(names[random() % names.size()]);
    const std::size_t words = code.size() / 4;
    for (unsigned changes = 1 + random() % 6; changes != 0; --changes) {
      const std::size_t at = 5 + random() % (words - 5);
      const std::uint32_t value = random() % 3 == 0 ? test::word_at(code, 5 + random() % (words - 5)) : random() % 90;
      test::set_word(code, at, random() % 4 == 0 ? (test::word_at(code, at) & 0xffff0000u) | value : value);
    }
    const auto module = parse_module(code);
    if (!module) continue;
    for (const Entry& entry : module->entries)
      static_cast<void>(needs_of(*module, entry, {{0, random()}, {1, random()}}));
  }
}

}  // namespace
}  // namespace rondo::shaders
