// SPDX-License-Identifier: Apache-2.0
// Each way in which a shader cannot stand in another's place, and those in which it can.
#include <algorithm>

#include "model/shaders/capabilities.h"
#include "model/shaders/compare.h"
#include "tests/unit/shaders_support.h"

namespace rondo::shaders {
namespace {

using test::reflection;
using test::shader_code;

// "what: old -> new" of each.
std::vector<std::string> differences(const std::string& old_name, const std::string& new_name,
                                     const Specialized& specialized = {}) {
  const Reflection old_one = reflection(shader_code(old_name)), new_one = reflection(shader_code(new_name));
  std::vector<Mismatch> found;
  compare_entry_points(old_one.entry_points.at(0), new_one.entry_points.at(0), found);
  compare_constants(old_one, new_one, specialized, found);
  std::vector<std::string> texts;
  for (const Mismatch& m : found) texts.push_back(m.what + ": " + m.old_side + " -> " + m.new_side);
  return texts;
}

using Texts = std::vector<std::string>;
const std::string kInput = "storage buffer, read only {0: uint[stride 4]}";

TEST(CompareShaders, EachIsLikeItself) {
  for (const std::string& name : test::shader_names()) EXPECT_EQ(differences(name, name), Texts{}) << name;
}

TEST(CompareShaders, AnotherComputationIsNoOtherInterface) {
  EXPECT_EQ(differences("work", "fourfold"), Texts{});
  EXPECT_EQ(differences("work", "newer"), Texts{}) << "another version of SPIR-V declares buffers otherwise";
}

TEST(CompareShaders, LessIsHarmless) {
  EXPECT_EQ(differences("work", "less"), Texts{});
  EXPECT_EQ(differences("stage", "unshaded"), Texts{});
  EXPECT_EQ(differences("work", "unused-more"), Texts{}) << "what is declared and not used";
  EXPECT_EQ(differences("writes", "work"), Texts{}) << "read only where it could be written";
  EXPECT_EQ(differences("longer-push", "less"), Texts{});
}

TEST(CompareShaders, MoreIsNot) {
  EXPECT_EQ(differences("less", "work"),
            (Texts{"set 0 binding 0: " + kInput + ", which it does not use -> " + kInput,
                   "push constants: bytes 0 to 4 {0: uint} -> bytes 0 to 8 {0: uint, 4: uint}"}));
  EXPECT_EQ(differences("unshaded", "stage"),
            Texts{"input location 1 component 1: float, which it does not use -> float"});
}

TEST(CompareShaders, LocalSizes) {
  EXPECT_EQ(differences("work", "half-size"), Texts{"local size: 64 x 1 x 1 -> 32 x 1 x 1"});
  EXPECT_EQ(differences("work", "special-size"), Texts{"local size: 64 x 1 x 1 -> constant 6 (64) x 1 x 1"});
  EXPECT_EQ(differences("special-size", "other-special-size"),
            Texts{"local size: constant 6 (64) x 1 x 1 -> constant 7 (64) x 1 x 1"});
}

TEST(CompareShaders, SetsAndBindings) {
  EXPECT_EQ(differences("work", "other-binding"), Texts{"set 0 binding 2: none -> " + kInput});
  EXPECT_EQ(differences("work", "other-set"), Texts{"set 1 binding 0: none -> " + kInput});
  EXPECT_EQ(differences("work", "uniform"),
            Texts{"set 0 binding 0: " + kInput + " -> uniform buffer {0: uint4[64 stride 16]}"});
  EXPECT_EQ(differences("work", "writes"),
            Texts{"set 0 binding 0: " + kInput + " -> storage buffer {0: uint[stride 4]}"});
}

TEST(CompareShaders, SizesOfArrays) {
  EXPECT_EQ(differences("work", "array"),
            Texts{"set 0 binding 0: " + kInput + " -> storage buffer[2], read only {0: uint[stride 4]}"});
  EXPECT_EQ(differences("kinds", "fewer-pictures"),
            Texts{"set 0 binding 1: sampled image[3] 2D of float -> sampled image[2] 2D of float"});
}

TEST(CompareShaders, OffsetsAndTypesOfMembers) {
  EXPECT_EQ(differences("work", "offset"),
            Texts{"set 0 binding 0: " + kInput + " -> storage buffer, read only {16: uint[stride 4]}"});
  EXPECT_EQ(differences("work", "floats"),
            Texts{"set 0 binding 0: " + kInput + " -> storage buffer, read only {0: float[stride 4]}"});
  const Texts moved = differences("kinds", "other-offset");
  ASSERT_EQ(moved.size(), 1u);
  EXPECT_EQ(moved[0].rfind("set 1 binding 0: uniform buffer {0: float4, 32: ", 0), 0u) << moved[0];
}

TEST(CompareShaders, TypesOfImages) {
  EXPECT_EQ(differences("kinds", "other-format"),
            Texts{"set 0 binding 3: storage image 2D of float, format 4 -> storage image 2D of float, format 2"});
  EXPECT_EQ(
      differences("kinds", "other-dimension"),
      Texts{"set 0 binding 0: sampled image and sampler 2D array of float -> sampled image and sampler 3D of float"});
}

TEST(CompareShaders, PushConstants) {
  EXPECT_EQ(differences("work", "longer-push"),
            Texts{"push constants: bytes 0 to 8 {0: uint, 4: uint} -> bytes 0 to 12 {0: uint, 4: uint, 8: uint}"});
  EXPECT_EQ(differences("work", "other-push"),
            Texts{"push constants: bytes 0 to 8 {0: uint, 4: uint} -> bytes 0 to 8 {0: uint, 4: float}"});
  const Texts all = differences("stage", "work");
  EXPECT_EQ(std::count(all.begin(), all.end(), "push constants: none -> bytes 0 to 8 {0: uint, 4: uint}"), 1);
}

TEST(CompareShaders, InputsAndOutputs) {
  EXPECT_EQ(differences("stage", "other-input"), Texts{"input location 3: none -> float2"});
  EXPECT_EQ(differences("stage", "other-component"), Texts{"input location 1 component 2: none -> float"});
  EXPECT_EQ(differences("stage", "wider-input"), Texts{"input location 0: float2 -> float3"});
  EXPECT_EQ(differences("stage", "wide-output"), Texts{"output location 0: float4 -> double4, which it does not use"});
  EXPECT_EQ(differences("stage", "other-output"),
            (Texts{"output location 1: none -> float4", "output location 0: float4 -> none"}));
  EXPECT_EQ(differences("stage", "more-outputs"), Texts{"output location 9: none -> float2"});
}

TEST(CompareShaders, SpecializationConstants) {
  EXPECT_EQ(differences("constant", "long-constant"), Texts{"specialization constant 3: uint -> uint64"});
  EXPECT_EQ(differences("work", "constant", {{3, 4}, {99, 8}}), Texts{}) << "99: nobody has it";
  EXPECT_EQ(differences("work", "constant", {{3, 8}}),
            Texts{"specialization constant 3: is set with 8 bytes -> uint of 4 bytes"});
  EXPECT_EQ(differences("constant", "work", {{3, 4}}), Texts{}) << "what a pipeline sets is ignored";
}

TEST(CompareShaders, EntryPoints) {
  const Reflection work = reflection(shader_code("work"));
  const std::uint32_t compute = work.entry_points.at(0).model;
  EXPECT_NE(find_entry_point(work, "main", compute), nullptr);
  EXPECT_EQ(find_entry_point(work, "other", compute), nullptr);
  EXPECT_EQ(find_entry_point(work, "main", reflection(shader_code("stage")).entry_points.at(0).model), nullptr);
  EXPECT_EQ(entry_points_text(work), "main (compute)");
}

TEST(CompareShaders, CapabilitiesHaveNamesAndFeatures) {
  const Reflection doubles = reflection(shader_code("doubles"));
  const auto has = [&](const char* name) {
    for (const std::uint32_t value : doubles.capabilities)
      if (capability_name(value) == name) return true;
    return false;
  };
  EXPECT_TRUE(has("Shader"));
  EXPECT_TRUE(has("Float64"));
  EXPECT_EQ(text_of(find_capability(10)->enabled_by), "shaderFloat64");
  EXPECT_EQ(text_of(find_capability(1)->enabled_by), "Vulkan 1.0");
  EXPECT_EQ(text_of(find_capability(6)->enabled_by), "");  // Kernel, which no device of Vulkan has
  constexpr std::uint32_t kOfTwoNames = 5291;
  EXPECT_EQ(text_of(find_capability(kOfTwoNames)->enabled_by), "fragmentDensityMap or shadingRateImage");
  EXPECT_EQ(text_of(find_spirv_extension("SPV_KHR_ray_query")->enabled_by), "VK_KHR_ray_query");
  EXPECT_EQ(find_spirv_extension("SPV_KHR_ray"), nullptr);
  EXPECT_EQ(find_capability(123456), nullptr);
  EXPECT_EQ(capability_name(123456), "capability 123456");
}

}  // namespace
}  // namespace rondo::shaders
