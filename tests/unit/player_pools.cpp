// SPDX-License-Identifier: Apache-2.0
// Sets from pools that have no room for them, which some drivers give all the same, on one that does not.
#include "player/run/deadline.h"
#include "player/run/run.h"
#include "tests/icd/fake.h"
#include "tests/icd/stage.h"
#include "tests/unit/player_descriptors.h"

namespace rondo::test {
namespace {

class Pools : public Descriptors {
 protected:
  void plays() {
    fake::Settings settings;
    settings.unified = true;  // the captures choose type 0
    fake::reset(settings);
    const auto built = plan();
    const auto stage = fake::set_stage(*built);
    ASSERT_TRUE(stage) << stage.error().message;
    player::Deadline deadline(30);
    player::Observer observer;
    player::PlacementCache placements;
    player::Run run(*built, (*stage)->loader, (*stage)->targets, {}, deadline, observer, placements);
    const Result<void> played = run.play();
    EXPECT_TRUE(played) << played.error().message;
    const Result<void> ended = run.finish();
    EXPECT_TRUE(ended) << ended.error().message;
    for (const fake::Violation& v : fake::violations()) ADD_FAILURE() << v.command << ": " << v.what;
  }
};

TEST_F(Pools, ThatLackAType) {
  set(set_pool(VK_DESCRIPTOR_TYPE_UNIFORM_BUFFER), set_layout(VK_DESCRIPTOR_TYPE_STORAGE_BUFFER));
  plays();
}

TEST_F(Pools, ThatHaveTooFewOfIt) {
  constexpr auto kType = VK_DESCRIPTOR_TYPE_STORAGE_BUFFER;
  const VkDescriptorSetLayoutBinding bindings[] = {{0, kType, 3, VK_SHADER_STAGE_ALL, nullptr},
                                                   {1, kType, 4, VK_SHADER_STAGE_ALL, nullptr}};
  auto info = of_type<VkDescriptorSetLayoutCreateInfo>(VK_STRUCTURE_TYPE_DESCRIPTOR_SET_LAYOUT_CREATE_INFO);
  info.bindingCount = 2;
  info.pBindings = bindings;
  const auto large =
      create<VkDescriptorSetLayout, args_vkCreateDescriptorSetLayout>(CommandId::vkCreateDescriptorSetLayout, info);
  const VkDescriptorPool pool = set_pool(kType);
  set(pool, large);
  set(pool, large);
  plays();
}

}  // namespace
}  // namespace rondo::test
