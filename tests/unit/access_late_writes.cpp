// SPDX-License-Identifier: Apache-2.0
// Which host writes came after the end of work that touches their bytes, by captures written by hand.
#include <gtest/gtest.h>

#include <algorithm>
#include <set>
#include <string>
#include <vector>

#include "model/access/late_writes.h"
#include "tests/unit/access_scene.h"

namespace rondo {
namespace {

using access::LateWrites;
using test::handle;

// One memory, whose bytes are those of one buffer.
struct Scene : test::AccessScene {
  Scene() : memory(handle<VkDeviceMemory>(0x200)) {
    VkMemoryAllocateInfo info{};
    info.sType = VK_STRUCTURE_TYPE_MEMORY_ALLOCATE_INFO;
    info.allocationSize = 64;
    capture.call(CommandId::vkAllocateMemory, args_vkAllocateMemory{device, &info, nullptr, &memory},
                 {.result = VK_SUCCESS});
    target = buffer(0x100, 64);
  }
  // Work that fills these bytes.
  void work(VkDeviceSize offset, VkDeviceSize size) {
    const VkCommandBuffer one = command_buffer(next++);
    begin(one);
    fill(one, target, offset, size);
    submit(one);
  }
  void ended(std::uint32_t count, std::uint32_t pending, bool unsure = false) {
    capture.call(CommandId::rondoWorkEnded, args_rondoWorkEnded{queue, count, pending, unsure ? VK_TRUE : VK_FALSE});
  }
  void write(VkDeviceSize offset, VkDeviceSize size) {
    const RondoRange range{offset, size};
    const std::vector<std::byte> bytes(static_cast<std::size_t>(size), std::byte{1});
    capture.call(CommandId::rondoHostWrite, args_rondoHostWrite{device, memory, 1, &range, bytes.size(), bytes.data()});
  }
  // A text for each host write: "after N" (submit N had ended, counted from 0), "unsure", both, or empty.
  std::vector<std::string> found(const std::set<int>& over = {}) {
    capture.finish();
    auto walk = analyzers::Walk::open(file.path());
    if (!walk) return {walk.error().message};
    ObjectId memory_id = ObjectId::null;
    std::vector<std::uint64_t> submits;  // records
    const auto number = [&](std::uint64_t record) {
      return static_cast<int>(std::find(submits.begin(), submits.end(), record) - submits.begin());
    };
    LateWrites writes({.place =
                           [&](ObjectId) {
                             return LateWrites::Place{memory_id, 0, 64};
                           },
                       .is_over = [&](std::uint64_t record) { return over.count(number(record)) != 0; }});
    std::vector<std::string> all;
    model::Parameters parameters;
    for (analyzers::Step step;;) {
      const auto more = walk->next(step);
      if (!more || !*more) return all;
      EXPECT_TRUE(model::load(walk->stream(), step, parameters));
      if (step.command->id == CommandId::vkAllocateMemory) memory_id = walk->resolution().created[0];
      if (step.submits != 0) submits.push_back(step.record.sequence);
      writes.take(model::call_of(walk->stream(), step, parameters));
      if (step.command->id != CommandId::rondoHostWrite) continue;
      std::string& text = all.emplace_back();
      for (const std::uint64_t record : writes.after()) text += "after " + std::to_string(number(record));
      if (writes.is_unsure()) text += "unsure";
    }
  }

  VkDeviceMemory memory;
  VkBuffer target;
};

TEST(LateWrites, AreAfterTheLastEndedSubmitThatTouchesTheirBytes) {
  Scene scene;
  scene.work(0, 16);
  scene.work(0, 16);
  scene.work(16, 16);
  scene.write(0, 4);
  scene.ended(3, 0);
  scene.write(0, 4);
  scene.write(12, 8);
  scene.write(32, 8);
  EXPECT_EQ(scene.found(), (std::vector<std::string>{"", "after 1", "after 2", ""}));
}

TEST(LateWrites, AreNotAfterWhatIsPendingOrOver) {
  Scene scene;
  scene.work(0, 16);
  scene.work(0, 16);
  scene.work(0, 16);
  scene.ended(2, 1);
  scene.write(0, 4);
  EXPECT_EQ(scene.found({0, 1}), std::vector<std::string>{""});
}

TEST(LateWrites, NameASubmitBeforeOneThatIsPending) {
  Scene scene;
  scene.work(0, 16);
  scene.work(0, 16);
  scene.ended(1, 1);
  scene.work(0, 16);
  scene.write(0, 4);
  EXPECT_EQ(scene.found(), std::vector<std::string>{"after 0"});
}

TEST(LateWrites, AreUnsureWhereTheyMeetWhatMayHaveEnded) {
  Scene scene;
  scene.work(0, 16);
  scene.work(16, 16);
  scene.ended(1, 0, true);
  scene.write(0, 4);
  scene.write(16, 4);
  scene.work(32, 4);
  scene.write(16, 4);
  EXPECT_EQ(scene.found(), (std::vector<std::string>{"", "unsure", ""}));
}

TEST(LateWrites, KnowOfVeryManySubmitsWhatAllOfThemTouch) {
  Scene scene;
  scene.work(0, 4);
  for (int i = 0; i < 300; ++i) scene.work(32, 4);
  scene.ended(301, 0);
  scene.write(0, 4);
  const std::vector<std::string> found = scene.found();
  ASSERT_EQ(found.size(), 1u);
  EXPECT_TRUE(found[0].starts_with("after ")) << found[0];
}

TEST(LateWrites, IgnoreAnEndOfMoreSubmitsThanThereWere) {
  Scene scene;
  scene.work(0, 16);
  scene.ended(1, 7);
  scene.write(0, 4);
  scene.ended(UINT32_MAX, 0);
  scene.write(0, 4);
  EXPECT_EQ(scene.found(), (std::vector<std::string>{"", "after 0"}));
}

}  // namespace
}  // namespace rondo
