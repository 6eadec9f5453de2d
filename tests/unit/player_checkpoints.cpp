// SPDX-License-Identifier: Apache-2.0
// What a verification asks of the device, on the fake driver.
#include <algorithm>

#include "player/run/deadline.h"
#include "tests/icd/fake.h"
#include "tests/icd/stage.h"
#include "tests/unit/player_sloppy.h"

namespace rondo::test {
namespace {

class PlayerCheckpoints : public Sloppy {
 protected:
  void checkpoint(VkDeviceMemory memory, const std::vector<std::byte>& bytes) {
    const RondoRange all{0, bytes.size()};
    const Digest expected = digest_of(bytes);
    const RondoDigest digest{expected.low, expected.high};
    capture.call(CommandId::rondoCheckpointMemory,
                 args_rondoCheckpointMemory{kDevice, memory, 1, &all, &digest, nullptr});
  }
  // Verifies the capture; returns how many submits the driver got.
  std::ptrdiff_t submits() {
    const auto built = plan();
    fake::Settings settings;
    settings.unified = true;
    fake::reset(settings);
    const auto stage = fake::set_stage(*built);
    EXPECT_TRUE(stage) << stage.error().message;
    player::Deadline deadline(30);
    player::Observer observer;
    player::PlacementCache placements;
    player::RunOptions options;
    options.verify = true;
    player::Run run(*built, (*stage)->loader, (*stage)->targets, options, deadline, observer, placements);
    const Result<void> played = run.play();
    EXPECT_TRUE(played) << played.error().message;
    const std::vector<std::string> calls = fake::calls();  // the end of the run asks the queues, too
    EXPECT_TRUE(run.finish());
    EXPECT_EQ(observer.verification.memory_ranges.equal, observer.verification.memory_ranges.compared);
    compared = observer.verification.memory_ranges.compared;
    return std::count(calls.begin(), calls.end(), "vkQueueSubmit");
  }

  std::uint64_t compared = 0;
  const std::vector<std::byte> bytes = std::vector<std::byte>(64, std::byte{7});
};

TEST_F(PlayerCheckpoints, OneProbeOfTheQueuesForARowOfThem) {
  const VkDeviceMemory first = allocate(64), second = allocate(64);
  write(first, 0, bytes);
  write(second, 0, bytes);
  for (int n = 0; n < 4; ++n) {
    checkpoint(first, bytes);
    checkpoint(second, bytes);
  }
  EXPECT_EQ(submits(), 1);
  EXPECT_EQ(compared, 8u);
}

TEST_F(PlayerCheckpoints, AProbeAfterEachSubmit) {
  const VkDeviceMemory memory = allocate(64);
  write(memory, 0, bytes);
  for (int n = 0; n < 3; ++n) {
    submit();
    checkpoint(memory, bytes);
    checkpoint(memory, bytes);
  }
  EXPECT_EQ(submits(), 3 + 3 + 1);  // the last one: the end of all work, which the capture did not wait for
  EXPECT_EQ(compared, 6u);
}

}  // namespace
}  // namespace rondo::test
