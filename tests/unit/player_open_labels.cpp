// SPDX-License-Identifier: Apache-2.0
// Labels of queues across the ends of a span.
#include <gtest/gtest.h>

#include "player/loop/open_labels.h"
#include "tests/unit/player_scene.h"

namespace rondo::player {
namespace {

using test::kQueue;

class PlayerOpenLabels : public test::PlayerScene {
 protected:
  void begin(const char* name) {
    auto label = test::of_type<VkDebugUtilsLabelEXT>(VK_STRUCTURE_TYPE_DEBUG_UTILS_LABEL_EXT);
    label.pLabelName = name;
    capture.call(CommandId::vkQueueBeginDebugUtilsLabelEXT, args_vkQueueBeginDebugUtilsLabelEXT{kQueue, &label});
  }
  void end() { capture.call(CommandId::vkQueueEndDebugUtilsLabelEXT, args_vkQueueEndDebugUtilsLabelEXT{kQueue}); }
  // Of the span from the first submit to the second, as counts of ends and begins.
  std::vector<OpenLabels> open() {
    capture.finish();
    const auto plan = build();
    if (!plan) ADD_FAILURE() << plan.error().message;
    if (!plan) return {};
    std::vector<std::uint32_t> submits;
    for (std::uint32_t i = 0; i < (*plan)->ops.size(); ++i)
      if ((*plan)->ops[i].command == CommandId::vkQueueSubmit) submits.push_back(i);
    (*plan)->span = {submits.at(0), submits.at(1)};
    first_label_ = 0;
    while ((*plan)->ops[first_label_].command != CommandId::vkQueueBeginDebugUtilsLabelEXT) ++first_label_;
    return find_open_labels(**plan);
  }
  std::uint32_t first_label_ = 0;
};

TEST_F(PlayerOpenLabels, AreThoseThatASpanEndsAndThoseThatItLeaves) {
  begin("outer");
  begin("ended in it");
  submit();
  end();
  begin("left");
  begin("left, too");
  submit();
  const std::vector<OpenLabels> labels = open();
  ASSERT_EQ(labels.size(), 1u);
  EXPECT_EQ(labels[0].ends, 2u);
  EXPECT_EQ(labels[0].begins, std::vector<std::uint32_t>{first_label_ + 1});
}

TEST_F(PlayerOpenLabels, AreNoneWhereALabelIsOpenAllTheWayAndWhereOneIsWithin) {
  begin("around");
  submit();
  begin("within");
  end();
  submit();
  end();
  EXPECT_TRUE(open().empty());
}

TEST_F(PlayerOpenLabels, AreNoneOfThoseThatAProgramEndsAndNeverBegan) {
  end();
  submit();
  end();
  begin("within");
  end();
  submit();
  EXPECT_TRUE(open().empty());
}

}  // namespace
}  // namespace rondo::player
