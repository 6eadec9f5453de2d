// SPDX-License-Identifier: Apache-2.0
// scripts/classification.py says who replays a command. This holds it against the executors that there are.
#include <gtest/gtest.h>

#include "format/codec/schema.h"
#include "generated/thunks.h"
#include "player/plan/plan_builder.h"
#include "player/run/run.h"

namespace rondo::player {
namespace {

// The plan leaves every successful call of it out.
bool is_left_out(const codec::CommandInfo& command) {
  Record record;
  record.has_return = command.returns != codec::Returns::nothing;
  record.return_value = command.canonical == CommandId::vkGetEventStatus ? VK_EVENT_SET : VK_SUCCESS;
  std::string why;
  return action_for(command, record, why) == Action::drop;
}

TEST(Executors, AreTheOnesThatTheTableOfCommandsNames) {
  std::size_t by_hand = 0;
  for (const codec::CommandInfo& command : codec::commands()) {
    if (command.id == CommandId::none || command.canonical != command.id) continue;
    const bool exists = executors()[static_cast<std::size_t>(command.id)] != nullptr;
    by_hand += exists ? 1 : 0;
    switch (player_executor(command.id)) {
      case rondo::Executor::hand:
        EXPECT_TRUE(exists || is_left_out(command)) << command.name << ": listed, but there is no executor";
        EXPECT_STRNE(command.player_reason, "") << command.name;
        break;
      case rondo::Executor::generated:
        EXPECT_FALSE(exists) << command.name << ": has an executor that PLAYER_HAND does not name";
        EXPECT_TRUE(command.query || !is_left_out(command))
            << command.name << ": is left out, and PLAYER_HAND lacks it";
        EXPECT_STREQ(command.player_reason, "") << command.name;
        break;
      case rondo::Executor::none:
        break;
    }
  }
  EXPECT_GT(by_hand, 80u);
}

}  // namespace
}  // namespace rondo::player
