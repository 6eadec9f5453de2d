// SPDX-License-Identifier: Apache-2.0
// What shaders do with memory, by their code alone.
#include <algorithm>
#include <random>

#include "model/shaders/static_use.h"
#include "tests/unit/shaders_support.h"

namespace rondo::shaders {
namespace {

using test::Code;
using test::shader_code;

// "set.binding reads writes", of the only entry point.
std::string bindings_of(const std::string& name) {
  const std::vector<StaticUse> all = static_uses(shader_code(name));
  EXPECT_EQ(all.size(), 1u);
  std::string text;
  for (const BindingUse& b : all.empty() ? std::vector<BindingUse>() : all[0].bindings)
    text += (text.empty() ? "" : ", ") + std::to_string(b.set) + "." + std::to_string(b.binding) +
            (b.reads ? " reads" : "") + (b.writes ? " writes" : "");
  return text;
}

TEST(StaticUse, TellsReadsFromWrites) {
  EXPECT_EQ(bindings_of("work"), "0.0 reads, 0.1 reads writes");
  EXPECT_EQ(bindings_of("less"), "0.1 reads writes");
  EXPECT_EQ(bindings_of("unused-more"), "0.0 reads, 0.1 reads writes");
  EXPECT_EQ(bindings_of("special"), "0.0 writes");
}

TEST(StaticUse, KnowsEveryKindOfDescriptor) {
  EXPECT_EQ(bindings_of("kinds"), "0.0 reads, 0.1 reads, 0.2, 0.3 reads, 0.4 reads, 0.5 writes, 0.6 reads, 1.0 reads");
}

TEST(StaticUse, FollowsChainsFunctionsAndAtomics) {
  EXPECT_EQ(bindings_of("touches"),
            "0.0 writes, 0.1 reads writes, 0.2 reads, 0.3, 0.4 reads writes, 0.5 reads writes, 0.6 reads, 0.7 writes");
}

TEST(StaticUse, FollowsPointersThatVary) {
  EXPECT_EQ(bindings_of("kept-pointer"), "0.0 reads writes");
  EXPECT_EQ(bindings_of("looping-pointer"), "0.0 reads writes, 0.1 reads writes");
}

TEST(StaticUse, KnowsWhereAddressesAreFollowed) {
  const auto reads = static_uses(shader_code("addressed-reads")), writes = static_uses(shader_code("addressed-writes"));
  ASSERT_EQ(reads.size(), 1u);
  ASSERT_EQ(writes.size(), 1u);
  EXPECT_TRUE(reads[0].reads_addresses);
  EXPECT_FALSE(reads[0].writes_addresses);
  EXPECT_TRUE(writes[0].writes_addresses);
  EXPECT_FALSE(static_uses(shader_code("work"))[0].reads_addresses);
}

TEST(StaticUse, NamesWhatNoEntryPointCalls) {
  const std::uint32_t code[] = {0x07230203,   0, 0,  8,  0,  // the header
                                4 << 16 | 71, 5, 34, 1,      // %5 is of set 1
                                4 << 16 | 71, 5, 33, 2,      // … and binding 2
                                4 << 16 | 59, 2, 5,  12,     // %5 is a variable
                                5 << 16 | 54, 1, 6,  0,  3,  // a function
                                4 << 16 | 61, 4, 7,  5};     // that loads it
  EXPECT_TRUE(static_uses(std::as_bytes(std::span(code))).empty());
  EXPECT_EQ(bindings_named(std::as_bytes(std::span(code))), (std::vector<BindingUse>{{1, 2, true, false}}));
}

TEST(StaticUse, OfWhatIsNoShaderIsNothing) {
  EXPECT_TRUE(static_uses({}).empty());
  const Code good = shader_code("work");
  EXPECT_TRUE(static_uses(std::span(good).first(19)).empty());
  EXPECT_TRUE(static_uses(std::span(good).subspan(4)).empty());
}

// Whatever the bytes are, it ends; what it says of a damaged shader nobody relies on.
TEST(StaticUse, EndsOnDamagedShaders) {
  std::mt19937 random(7);
  for (const std::string& name : test::shader_names()) {
    const Code good = shader_code(name);
    for (int i = 0; i < 200; ++i) {
      Code bad = good;
      for (int k = 0; k < 4; ++k) bad[20 + random() % (bad.size() - 20)] = static_cast<std::byte>(random());
      static_cast<void>(static_uses(bad));
    }
    for (std::size_t n = 0; n < good.size(); n += 12) static_cast<void>(static_uses(std::span(good).first(n)));
  }
}

}  // namespace
}  // namespace rondo::shaders
