// SPDX-License-Identifier: Apache-2.0
// What --damage does to a plan, and where it refuses to.
#include <gtest/gtest.h>

#include "tests/unit/player_scene.h"

namespace rondo::player {
namespace {

class PlayerDamage : public test::PlayerScene {
 protected:
  PlayerDamage() {
    memory = allocate(64);
    other = allocate(64);
    write(memory, 0, {std::byte{1}});
    write(memory, 8, {std::byte{2}});
    capture.finish();
  }
  std::unique_ptr<Plan> damaged(const std::string& text) {
    PlanOptions options;
    options.damage = *parse_damage(text);
    auto plan = build(options);
    EXPECT_TRUE(plan) << plan.error().message;
    return plan ? std::move(*plan) : nullptr;
  }
  void refuses(const std::string& text, const std::string& mentions) {
    PlanOptions options;
    options.damage = *parse_damage(text);
    fails(build(options), Status::usage, mentions);
  }
  static const Op& nth(const Plan& plan, CommandId command, std::size_t n) {
    for (const Op& op : plan.ops)
      if (op.command == command && n-- == 0) return op;
    return plan.ops.front();
  }
  VkDeviceMemory memory = VK_NULL_HANDLE, other = VK_NULL_HANDLE;
};

TEST_F(PlayerDamage, ExchangesRecords) {
  const auto plan = damaged("swap:rondoHostWrite#0:rondoHostWrite#1");
  const Op& first = nth(*plan, CommandId::rondoHostWrite, 0);
  const Op& second = nth(*plan, CommandId::rondoHostWrite, 1);
  EXPECT_LT(first.sequence, second.sequence);
  const auto offset = [&](const Op& op) {
    const auto& args = *reinterpret_cast<const args_rondoHostWrite*>(plan->arena.at(op.block));
    return reinterpret_cast<const RondoRange*>(plan->arena.at(op.block) +
                                               reinterpret_cast<std::uintptr_t>(args.pRanges))
        ->offset;
  };
  EXPECT_EQ(offset(first), 8u);
  EXPECT_EQ(offset(second), 0u);
}

TEST_F(PlayerDamage, ChangesAScalarOfARecord) {
  const auto plan = damaged("corrupt:rondoHostWrite#1:offset=32");
  const Op& op = nth(*plan, CommandId::rondoHostWrite, 1);
  const auto& args = *reinterpret_cast<const args_rondoHostWrite*>(plan->arena.at(op.block));
  const auto* range =
      reinterpret_cast<const RondoRange*>(plan->arena.at(op.block) + reinterpret_cast<std::uintptr_t>(args.pRanges));
  EXPECT_EQ(range->offset, 32u);
}

TEST_F(PlayerDamage, TakesAnotherObjectOfTheType) {
  const auto whole = build();
  ASSERT_TRUE(whole);
  const ObjectId own = nth(**whole, CommandId::rondoHostWrite, 0).subject;
  const auto plan = damaged("handle:rondoHostWrite#0:1");
  EXPECT_NE(nth(*plan, CommandId::rondoHostWrite, 0).subject, own);
  EXPECT_EQ(plan->objects.objects()[nth(*plan, CommandId::rondoHostWrite, 0).subject].type, HandleType::VkDeviceMemory);
}

TEST_F(PlayerDamage, IsRefusedWhereThereIsNothingToDamage) {
  refuses("drop:rondoHostWrite#2", "plays no rondoHostWrite#2");
  refuses("drop:9999", "plays no record 9999");
  refuses("drop:2", "record 2 is not played");  // an enumeration
  refuses("handle:rondoHostWrite#0:0", "no other VkDevice");
  refuses("handle:rondoHostWrite#0:7", "names no handle 7");
  refuses("corrupt:vkGetDeviceQueue#0:pQueue", "'pQueue'");
  refuses("corrupt:rondoHostWrite#0:99", "'99'");
  refuses("swap:rondoHostWrite#0:rondoHostWrite#9", "plays no rondoHostWrite#9");
  refuses("swap:rondoHostWrite#0:rondoHostWrite#0", "itself");
}

}  // namespace
}  // namespace rondo::player
