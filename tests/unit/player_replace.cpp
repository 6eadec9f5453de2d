// SPDX-License-Identifier: Apache-2.0
// Which shaders a selector means, what of a plan is changed then, and what is refused.
#include <filesystem>
#include <fstream>
#include <map>

#include "player/plan/replace.h"
#include "tests/unit/player_shaders_of_pipelines.h"

namespace rondo::player {
namespace {

using test::digest_text;
using test::of_type;
using test::shader_code;
using test::shader_path;
using ReplacedShaders = test::ShadersOfPipelines;
using Texts = test::Texts;

TEST_F(ReplacedShaders, AModuleIsReplacedForAllThatIsMadeOfIt) {
  const auto replaced = replace({"VkShaderModule#0=" + shader_path("fourfold")});
  ASSERT_TRUE(replaced) << replaced.error().message;
  ASSERT_EQ(replaced->size(), 1u);
  EXPECT_EQ(to_string(replaced->at(0).digest), digest_text("work"));
  EXPECT_EQ(to_string(replaced->at(0).new_digest), digest_text("fourfold"));
  EXPECT_EQ(replaced->at(0).objects, (Texts{"VkShaderModule#0", "VkPipeline#0.compute", "VkPipeline#1.compute"}));
  EXPECT_EQ(modules(), (Texts{digest_text("fourfold"), digest_text("work")}));
  EXPECT_TRUE(plan_->stage_codes.empty());
}

TEST_F(ReplacedShaders, AStageIsReplacedAndTheModuleStays) {
  const auto replaced = replace({"VkPipeline#0.compute=" + shader_path("less")});
  ASSERT_TRUE(replaced) << replaced.error().message;
  EXPECT_EQ(replaced->at(0).objects, Texts{"VkPipeline#0.compute"});
  EXPECT_EQ(modules(), (Texts{digest_text("work"), digest_text("work")}));
  ASSERT_EQ(plan_->stage_codes.size(), 1u);
  EXPECT_EQ(to_string(digest_of(*plan_->stage_codes[0].code)), digest_text("less"));
}

TEST_F(ReplacedShaders, CodeInAPipelineIsReplacedThere) {
  ASSERT_TRUE(replace({"VkPipeline#2.compute=" + shader_path("less")}));
  EXPECT_EQ(inlined(), digest_text("less"));
  EXPECT_TRUE(plan_->stage_codes.empty());
}

TEST_F(ReplacedShaders, ADigestMeansAllWithThatCode) {
  const auto replaced = replace({digest_text("work").substr(0, 6) + "=" + shader_path("less")});
  ASSERT_TRUE(replaced) << replaced.error().message;
  EXPECT_EQ(modules(), (Texts{digest_text("less"), digest_text("less")}));
  EXPECT_EQ(inlined(), digest_text("fourfold"));
}

TEST_F(ReplacedShaders, AnEntryPointMeansAllThatRun) {
  const auto replaced = replace({"all@main=" + shader_path("less")});
  ASSERT_TRUE(replaced) << replaced.error().message;
  EXPECT_EQ(replaced->size(), 2u);
  EXPECT_EQ(modules(), (Texts{digest_text("less"), digest_text("work")}));
  EXPECT_EQ(inlined(), digest_text("less"));
}

TEST_F(ReplacedShaders, SeveralSelectorsMeanDifferentShaders) {
  ASSERT_TRUE(
      replace({"VkPipeline#0.compute=" + shader_path("less"), "VkPipeline#1.compute=" + shader_path("fourfold")}));
  EXPECT_EQ(plan_->stage_codes.size(), 2u);
}

TEST_F(ReplacedShaders, TwoSelectorsOfOneShaderAreRefused) {
  const std::string file = "=" + shader_path("work");
  refuses({"VkShaderModule#0" + file, "VkPipeline#1.compute" + file},
          {"VkShaderModule#0 and VkPipeline#1.compute both mean VkPipeline#1.compute"});
  refuses({digest_text("work") + file, "VkShaderModule#1" + file}, {"both mean VkShaderModule#1"});
  refuses({"VkShaderModule#0" + file, "VkShaderModule#0" + file}, {"VkShaderModule#0 is given twice"});
  refuses({"all@main" + file, "VkShaderModule#0" + file}, {"all@main means all shaders: it stands alone"});
}

TEST_F(ReplacedShaders, WhatIsNotThereIsToldFromWhatThereIs) {
  const std::string with = "=" + shader_path("work");
  for (const char* selector :
       {"VkShaderModule#2", "VkPipeline#0.vertex", "VkPipeline#7.compute", "all@other", "VkShaderEXT#0", "0123456789"})
    refuses({selector + with},
            {std::string(selector) + " means no shader of " + file.path(), "there are:",
             digest_text("work") +
                 " VkShaderModule#0 VkPipeline#0.compute (main) VkPipeline#1.compute (main) VkShaderModule#1",
             digest_text("fourfold") + " VkPipeline#2.compute"});
}

// Of more shaders than there are digits, two begin with the same one.
TEST_F(ReplacedShaders, ADigestThatMayBeTwoIsRefused) {
  std::map<char, int> begun;
  for (const std::string& name : test::shader_names()) {
    create_module(name);
    begun[digest_text(name)[0]] += 1;
  }
  for (const auto& [digit, count] : begun)
    if (count > 1)
      return refuses({digit + ("=" + shader_path("work"))},
                     {"is the begin of " + std::to_string(count) + " digests", "there are:"});
  FAIL() << "too few shaders";
}

TEST_F(ReplacedShaders, EachMismatchIsPrintedWithBothSides) {
  const auto differs = [&](const std::string& shader, const std::vector<std::string>& says) {
    std::vector<std::string> all = says;
    all.push_back(shader_path(shader) + " cannot stand in the place of VkPipeline#0.compute (" + digest_text("work") +
                  ")");
    refuses({"VkPipeline#0.compute=" + shader_path(shader)}, all);
  };
  differs("half-size", {"1 thing differs:", "local size: captured 64 x 1 x 1; new 32 x 1 x 1"});
  differs("other-binding", {"set 0 binding 2: captured none; new storage buffer"});
  differs("longer-push", {"push constants: captured bytes 0 to 8 {0: uint, 4: uint}; new bytes 0 to 12"});
  differs("stage", {"entry point main (compute): captured main (compute); new main (vertex)"});
  differs("doubles",
          {"capability Float64: captured not declared, and the program did not enable shaderFloat64; new declared"});
  differs("newer", {"version: captured SPIR-V 1.0, the device takes SPIR-V 1.0; new SPIR-V 1.5"});
}

TEST_F(ReplacedShaders, ConstantsHaveTheSizeThatAPipelineGives) {
  refuses({"VkPipeline#1.compute=" + shader_path("constant")},
          {"specialization constant 3: captured is set with 8 bytes; new uint of 4 bytes"});
  EXPECT_TRUE(replace({"VkPipeline#0.compute=" + shader_path("constant")}));
}

TEST_F(ReplacedShaders, AFileThatIsNoShaderIsRefused) {
  const std::string bad = file.directory() + "/bad.spv";
  const auto refuses_bytes = [&](const test::Code& code, const std::string& says) {
    std::ofstream(bad, std::ios::binary | std::ios::trunc)
        .write(reinterpret_cast<const char*>(code.data()), static_cast<std::streamsize>(code.size()));
    refuses({"VkShaderModule#0=" + bad}, {bad + ": " + says});
  };
  test::Code code = shader_code("work");
  refuses_bytes({}, "is empty");
  refuses_bytes({code.begin(), code.end() - 2}, "is cut, or no SPIR-V");
  refuses_bytes({code.begin(), code.end() - 12}, "is cut or damaged");
  test::set_word(code, 0, 0x03022307);
  refuses_bytes(code, "is SPIR-V of the other byte order");
  test::set_word(code, 0, 7);
  refuses_bytes(code, "is not SPIR-V: it begins with 0x00000007");
  refuses({"VkShaderModule#0=" + file.directory() + "/none.spv"}, {"none.spv"});
  refuses({"VkShaderModule#0=" + file.directory()}, {file.directory()});
}

TEST_F(ReplacedShaders, WhatTheDeviceWasMadeWithIsAllowed) {
  make_plan();
  auto features = of_type<VkPhysicalDeviceFeatures2>(VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_FEATURES_2);
  features.features.shaderFloat64 = VK_TRUE;
  const auto* first = reinterpret_cast<const std::byte*>(&features);
  plan_->devices[0].features = {{StructId::VkPhysicalDeviceFeatures2, {first, first + sizeof features}}};
  EXPECT_TRUE(replace({"VkPipeline#0.compute=" + shader_path("doubles")}));
}

TEST(ReplaceSelectors, HaveTheirForms) {
  const auto refuses = [](const std::string& text, const std::string& says) {
    const auto parsed = parse_replacements({text});
    ASSERT_FALSE(parsed) << text;
    EXPECT_EQ(parsed.error().status, Status::usage);
    EXPECT_NE(parsed.error().message.find(says), std::string::npos) << parsed.error().message;
  };
  for (const char* good : {"VkShaderModule#3=a", "VkPipeline#7.compute=a=b", "VkPipeline#7.miss[1]=a",
                           "VkShaderEXT#2=a", "ABCdef01=a", "all@x y=a"})
    EXPECT_TRUE(parse_replacements({good})) << good;
  EXPECT_EQ(parse_replacements({"ABC=a"})->at(0).selector.value, "abc");
  EXPECT_FALSE(parse_replacements({"ABC=a", "abc=b"}));
  refuses("VkShaderModule#3", "is not SELECTOR=FILE.spv");
  refuses("VkShaderModule#3=", "is not SELECTOR=FILE.spv");
  for (const char* bad : {"=a", "VkShaderModule#=a", "VkShaderModule#x=a", "VkPipeline#3=a", "VkPipeline#3.=a",
                          "VkBuffer#1=a", "all=a", "all@=a", "main=a", "0123456789abcdef0123456789abcdef0=a"})
    refuses(bad, "names no shader");
}

}  // namespace
}  // namespace rondo::player
