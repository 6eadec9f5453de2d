// SPDX-License-Identifier: Apache-2.0
// The oracle against programs of which the specification says whether they race.
#include "tests/unit/sync_oracle.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <set>
#include <string>
#include <vector>

namespace rondo::test {
namespace {

using Races = std::set<OracleRace>;
using Record = std::uint64_t;

using namespace sync;

SyncBarrier global(VkAccessFlags2 from, VkAccessFlags2 to) { return {0, 0, from, to}; }

// Two queues and three buffers of 64 bytes. The last buffer shares 32 bytes with each of the others. One command buffer
// is open.
class SyncOracle : public ::testing::Test {
 protected:
  SyncOracle() {
    for (const std::uint64_t offset : {0, 64, 32}) p_.buffer(memory_, offset, 64);
  }
  Record fill(int buffer = 0) { return p_.fill(c_, buffer, 0, 32); }
  Record copy(int from, int into) { return p_.copy(c_, from, into, {{0, 32, 32}}); }
  void barrier(VkPipelineStageFlags from, VkPipelineStageFlags to, VkAccessFlags2 available, VkAccessFlags2 visible) {
    p_.barrier(c_, from, to, {global(available, visible)});
  }
  Record transition(VkPipelineStageFlags2 from, VkPipelineStageFlags2 to, VkAccessFlags2 available,
                    VkAccessFlags2 visible) {
    return p_.barrier2(c_, {{from, to, available, visible, SyncBarrier::image, image_, 0, 1, VK_IMAGE_LAYOUT_UNDEFINED,
                             VK_IMAGE_LAYOUT_GENERAL}});
  }
  // Ends the command buffer, submits it to the queue, and opens another one.
  void submit(int queue = 0, SyncBatch batch = {}, int fence = -1, SyncForm form = SyncForm::first) {
    p_.end(c_);
    batch.commands = {c_};
    p_.submit(queue, {batch}, fence, form);
    c_ = p_.commands();
  }
  Races races() {
    submit();
    return p_.races();
  }
  // Two commands with something in between.
  template <class Between>
  bool waw(const Between& between) {
    const Record a = fill();
    between();
    const Record b = fill();
    const Races all = races();
    EXPECT_TRUE(all.empty() || all == (Races{{a, b, OracleRace::waw}}));
    return !all.empty();
  }
  template <class Between>
  bool raw(const Between& between) {
    const Record a = fill();
    between();
    const Record b = copy(0, 1);
    const Races all = races();
    EXPECT_TRUE(all.empty() || all == (Races{{a, b, OracleRace::raw}}));
    return !all.empty();
  }
  template <class Between>
  bool war(const Between& between) {
    const Record a = copy(0, 1);
    between();
    const Record b = fill();
    const Races all = races();
    EXPECT_TRUE(all.empty() || all == (Races{{a, b, OracleRace::war}}));
    return !all.empty();
  }

  SyncProgram p_;
  const int q0_ = p_.queue(), q1_ = p_.queue();
  const int memory_ = p_.memory(256);
  const int image_ = p_.image(2);
  int c_ = p_.commands();
};

TEST_F(SyncOracle, FindsAWriteAfterAWrite) {
  EXPECT_TRUE(waw([] {}));
}
TEST_F(SyncOracle, FindsAReadAfterAWrite) {
  EXPECT_TRUE(raw([] {}));
}
TEST_F(SyncOracle, FindsAWriteAfterARead) {
  EXPECT_TRUE(war([] {}));
}

TEST_F(SyncOracle, AWriteMustBeAvailableAndVisible) {
  EXPECT_FALSE(raw([&] { barrier(kTransfer, kTransfer, kWrite, kRead); }));
}
TEST_F(SyncOracle, AWriteThatIsNotAvailableRaces) {
  EXPECT_TRUE(raw([&] { barrier(kTransfer, kTransfer, kRead, kRead); }));
}
TEST_F(SyncOracle, AWriteThatIsVisibleToOthersRaces) {
  EXPECT_TRUE(raw([&] { barrier(kTransfer, kTransfer, kWrite, kWrite); }));
}
TEST_F(SyncOracle, ExecutionIsEnoughAfterARead) {
  EXPECT_FALSE(war([&] { p_.barrier(c_, kTransfer, kTransfer, {}); }));
}
TEST_F(SyncOracle, ExecutionIsNotEnoughAfterAWrite) {
  EXPECT_TRUE(waw([&] { p_.barrier(c_, kTransfer, kTransfer, {}); }));
}
TEST_F(SyncOracle, AFillIsNoCopy) {
  EXPECT_TRUE(raw([&] { p_.barrier2(c_, {{kCopy, kCopy, kWrite, kRead}}); }));
}
TEST_F(SyncOracle, AFillIsAClear) {
  EXPECT_FALSE(raw([&] { p_.barrier2(c_, {{kClear, kCopy, kWrite, kRead}}); }));
}

TEST_F(SyncOracle, BarriersChainByStages) {
  EXPECT_FALSE(raw([&] {
    barrier(kTransfer, kCompute, kWrite, 0);
    barrier(kCompute, kTransfer, 0, kRead);
  }));
  for (const Record one : p_.removable()) EXPECT_EQ(p_.races({one}).size(), 1u);
  EXPECT_EQ(p_.removable().size(), 2u);
}
TEST_F(SyncOracle, AChainFromAnEarlierStageMeetsALaterOne) {
  EXPECT_FALSE(raw([&] {
    barrier(kTransfer, kVertex, kWrite, 0);
    barrier(kFragment, kTransfer, 0, kRead);
  }));
}
TEST_F(SyncOracle, AChainFromALaterStageMissesAnEarlierOne) {
  EXPECT_TRUE(raw([&] {
    barrier(kTransfer, kFragment, kWrite, 0);
    barrier(kVertex, kTransfer, 0, kRead);
  }));
}
TEST_F(SyncOracle, BarriersOfOneCommandDoNotChain) {
  EXPECT_TRUE(raw([&] { p_.barrier2(c_, {{kClear, kCompute, kWrite, 0}, {kCompute, kCopy, 0, kRead}}); }));
}
TEST_F(SyncOracle, TheSecondDependencyMayMakeNothingAvailable) {
  // It names a write, but of copies.
  EXPECT_TRUE(raw([&] {
    barrier(kTransfer, kCompute, 0, 0);
    barrier(kCompute, kTransfer, kWrite, kRead);
  }));
}
TEST_F(SyncOracle, TopOfPipeIsEverythingInTheSecondScope) {
  EXPECT_FALSE(raw([&] {
    barrier(kTransfer, kTop, kWrite, 0);
    barrier(kAll, kTransfer, 0, kRead);
  }));
}
TEST_F(SyncOracle, TopOfPipeIsNothingInTheFirstScope) {
  EXPECT_TRUE(war([&] { barrier(kTop, kTransfer, kWrite, kRead | kWrite); }));
}
TEST_F(SyncOracle, BottomOfPipeIsEverythingInTheFirstScopeButHasNoAccess) {
  EXPECT_FALSE(war([&] { barrier(kBottom, kTransfer, 0, 0); }));
  const Record a = fill(1);
  barrier(kBottom, kTransfer, kWrite, kWrite);
  const Record b = fill(1);
  EXPECT_TRUE(races().count({a, b, OracleRace::waw}) != 0);
}
TEST_F(SyncOracle, BottomOfPipeIsNothingInTheSecondScope) {
  EXPECT_TRUE(war([&] {
    barrier(kTransfer, kBottom, 0, 0);
    barrier(kCompute, kTransfer, 0, 0);
  }));
}

TEST_F(SyncOracle, ABufferBarrierIsForItsBytes) {
  const Record a = fill(0);                 // 0:32
  const Record b = p_.fill(c_, 0, 32, 32);  // 32:64, by another name 0:32 of buffer 2
  p_.barrier(c_, kTransfer, kTransfer, {{0, 0, kWrite, kRead, SyncBarrier::buffer, 2, 0, 32}});
  const Record c = p_.copy(c_, 0, 1, {{0, 32, 32}});
  p_.copy(c_, 2, 1, {{0, 0, 4}});
  EXPECT_EQ(races(), (Races{{a, c, OracleRace::raw}}));
  EXPECT_LT(a, b);
}
TEST_F(SyncOracle, ABufferBarrierOrdersTheExecutionOfAll) {
  EXPECT_FALSE(war([&] { p_.barrier(c_, kTransfer, kTransfer, {{0, 0, 0, 0, SyncBarrier::buffer, 1, 0, 4}}); }));
}
TEST_F(SyncOracle, AnOverwriteHidesWhatWasBefore) {
  const Record a = fill(), b = fill(), c = copy(0, 1);
  EXPECT_EQ(races(), (Races{{a, b, OracleRace::waw}, {b, c, OracleRace::raw}}));
}
TEST_F(SyncOracle, ACommandBufferRacesWithItself) {
  const Record a = fill();
  p_.submit(q0_, {{{}, {}, {c_, c_}}});
  EXPECT_EQ(p_.races(), (Races{{a, a, OracleRace::waw}}));
}

TEST_F(SyncOracle, ALayoutTransitionWrites) {
  const Record a = p_.clear(c_, image_, 0, 1);
  const Record b = transition(kClear, kCopy, 0, 0);  // executes in time, but the clear is not available
  const Record c = p_.read_image(c_, image_, 0, 1, 0);
  EXPECT_EQ(races(), (Races{{a, b, OracleRace::waw}, {b, c, OracleRace::raw}}));
}
TEST_F(SyncOracle, ALayoutTransitionIsVisibleToItsSecondScope) {
  p_.clear(c_, image_, 0, 2);
  transition(kClear, kCopy, kWrite, kRead);
  p_.read_image(c_, image_, 0, 1, 0);
  const Record b = p_.read_image(c_, image_, 1, 1, 8);
  const Record c = transition(kCopy, kCompute, 0, 0);
  p_.barrier2(c_, {{kCompute, kClear, 0, kWrite}});
  p_.clear(c_, image_, 0, 1);
  const Races all = races();
  ASSERT_EQ(all.size(), 1u);  // mip 1: the transition is not of it
  EXPECT_EQ(all.begin()->to, b);
  EXPECT_LT(b, c);
}
TEST_F(SyncOracle, AllCommandsHasTransitions) {
  transition(kClear, 0, 0, 0);
  p_.barrier2(c_, {{kAll, kClear, 0, kWrite}});
  p_.clear(c_, image_, 0, 1);
  EXPECT_TRUE(races().empty());
}
TEST_F(SyncOracle, TransfersHaveNoTransitions) {
  const Record a = transition(kClear, 0, 0, 0);
  p_.barrier2(c_, {{kClear, kClear, kWrite, kWrite}});
  const Record b = p_.clear(c_, image_, 0, 1);
  EXPECT_EQ(races(), (Races{{a, b, OracleRace::waw}}));
}

TEST_F(SyncOracle, TransitionsOfOneQueueAreInOrder) {
  transition(kClear, kCopy, 0, 0);
  transition(0, kClear, 0, kWrite);
  p_.clear(c_, image_, 0, 1);
  EXPECT_TRUE(races().empty());
  const Record a = transition(kClear, kCopy, 0, 0);
  submit(q0_);
  const Record b = transition(0, kClear, 0, kWrite);
  submit(q1_);
  EXPECT_EQ(p_.races().count({a, b, OracleRace::waw}), 1u);
}
TEST_F(SyncOracle, TransitionsOrderNothingElse) {
  EXPECT_TRUE(waw([&] {
    transition(kClear, kCopy, kWrite, 0);
    transition(0, kClear, 0, kWrite);
  }));
}

TEST_F(SyncOracle, ATransitionIsAfterWhatTheHostKnew) {
  const Record a = p_.clear(c_, image_, 0, 1);
  submit(q0_);
  const Record b = transition(0, kClear, 0, kWrite);
  submit(q1_);
  EXPECT_EQ(p_.races(), (Races{{a, b, OracleRace::waw}}));
  p_.device_idle();
  transition(0, kClear, 0, kWrite);
  p_.clear(c_, image_, 0, 1);
  submit(q0_);
  EXPECT_EQ(p_.races(), (Races{{a, b, OracleRace::waw}}));
}

TEST_F(SyncOracle, ASemaphoreOrdersQueues) {
  const int s = p_.semaphore();
  const Record a = fill();
  submit(q0_, {{}, {{s}}, {}});
  const Record b = copy(0, 1);
  submit(q1_, {{{s, 0, kCompute}}, {}, {}});
  EXPECT_EQ(p_.races(), (Races{{a, b, OracleRace::raw}}));
}
TEST_F(SyncOracle, AWaitChainsToABarrier) {
  const int s = p_.semaphore();
  fill();
  submit(q0_, {{}, {{s}}, {}});
  barrier(kCompute, kTransfer, 0, kRead);
  copy(0, 1);
  submit(q1_, {{{s, 0, kCompute}}, {}, {}});
  EXPECT_TRUE(p_.races().empty());
}
TEST_F(SyncOracle, ASignalHasItsStages) {
  const int s = p_.semaphore();
  const Record a = fill();
  submit(q0_, {{}, {{s, 0, kCopy}}, {}}, -1, SyncForm::second);
  const Record b = fill();
  submit(q1_, {{{s, 0, kAll}}, {}, {}});
  EXPECT_EQ(p_.races(), (Races{{a, b, OracleRace::waw}}));
}
TEST_F(SyncOracle, ASignalIsAfterEarlierSignals) {
  const int early = p_.semaphore(), late = p_.semaphore();
  fill();
  submit(q0_, {{}, {{early, 0, kClear}}, {}}, -1, SyncForm::second);
  submit(q0_, {{}, {{late, 0, kCopy}}, {}}, -1, SyncForm::second);
  fill();
  submit(q1_, {{{late, 0, kAll}}, {}, {}});
  EXPECT_TRUE(p_.races().empty());
}
TEST_F(SyncOracle, ATimelineWaitHasLowerSignals) {
  const int t = p_.timeline();
  fill();
  submit(q0_, {{}, {{t, 2}}, {}});
  const Record a = fill(1);
  submit(q0_, {{}, {{t, 5}}, {}});
  fill();
  const Record b = fill(1);
  submit(q1_, {{{t, 2, kAll}}, {}, {}});
  EXPECT_EQ(p_.races(), (Races{{a, b, OracleRace::waw}}));
}
TEST_F(SyncOracle, ABatchMayWaitForALaterSubmit) {
  const int t = p_.timeline();
  copy(0, 1);
  submit(q1_, {{{t, 1, kAll}}, {}, {}});
  p_.host_write(memory_, 0, 4);
  fill();
  submit(q0_, {{}, {{t, 1}}, {}});
  EXPECT_TRUE(p_.races().empty());
}

TEST_F(SyncOracle, TheHostWaitsForAFence) {
  const int fence = p_.fence();
  const Record a = fill();
  submit(q0_, {}, fence);
  const Record b = p_.host_write(memory_, 0, 4);
  EXPECT_EQ(p_.races(), (Races{{a, b, OracleRace::waw}}));
  p_.wait_fences({fence});
  const Record c = copy(0, 1);
  submit(q1_);
  EXPECT_EQ(p_.races(), (Races{{a, b, OracleRace::waw}}));
  const Record d = p_.host_write(memory_, 8, 4);
  EXPECT_EQ(p_.races(), (Races{{a, b, OracleRace::waw}, {c, d, OracleRace::war}}));
  p_.queue_idle(q1_);
  p_.host_write(memory_, 12, 4);
  copy(0, 1);
  submit(q0_);
  EXPECT_EQ(p_.races().size(), 2u);
}
TEST_F(SyncOracle, AWaitOfTheHostHasWhatTheQueueWaitedFor) {
  const int s = p_.semaphore();
  fill();
  submit(q0_, {{}, {{s}}, {}});
  submit(q1_, {{{s, 0, kCompute}}, {}, {}});
  p_.queue_idle(q1_);
  p_.host_write(memory_, 0, 4);
  EXPECT_TRUE(p_.races().empty());
}

TEST_F(SyncOracle, AnEventHasWhatWasBeforeItsSet) {
  const int event = p_.event();
  fill();
  p_.set_event(c_, event, kTransfer);
  const Record a = fill(1);
  p_.wait_events(c_, {event}, kTransfer, kTransfer, {global(kWrite, kWrite)});
  fill();
  const Record b = fill(1);
  EXPECT_EQ(races(), (Races{{a, b, OracleRace::waw}}));
}
TEST_F(SyncOracle, ASecondSetHasNoEffect) {
  const int event = p_.event();
  const std::vector<SyncBarrier> barriers = {{kClear, kClear, kWrite, kWrite}};
  p_.set_event2(c_, event, barriers);
  const Record a = fill();
  p_.set_event2(c_, event, barriers);
  p_.wait_events2(c_, {event}, {barriers});
  const Record b = fill();
  p_.reset_event(c_, event, kTransfer);
  p_.set_event2(c_, event, barriers);
  p_.wait_events2(c_, {event}, {barriers});
  fill();
  EXPECT_EQ(races(), (Races{{a, b, OracleRace::waw}}));
}

// The name of each record's command, as the capture has it.
std::map<Record, std::string> names(SyncWorld& world) {
  std::map<Record, std::string> all;
  world.scene().capture.finish();
  auto walk = analyzers::Walk::open(world.scene().file.path());
  if (!walk) return all;
  analyzers::Step step;
  while (walk->next(step).value_or(false)) all[step.record.sequence] = step.command->name;
  return all;
}

bool has(const std::string& name, const char* part) { return name.find(part) != std::string::npos; }

// The records that the oracle names are those of the calls.
void expect_records(const SyncWorld& world, const std::map<Record, std::string>& name_of) {
  using Program = SyncProgram;
  const std::map<Program::Command::Kind, const char*> parts = {{Program::Command::transfer, "vkCmd"},
                                                               {Program::Command::barrier, "vkCmdPipelineBarrier"},
                                                               {Program::Command::set_event, "vkCmdSetEvent"},
                                                               {Program::Command::reset_event, "vkCmdResetEvent"},
                                                               {Program::Command::wait_events, "vkCmdWaitEvents"}};
  const std::map<Program::HostCall::Kind, const char*> calls = {{Program::HostCall::submit, "vkQueueSubmit"},
                                                                {Program::HostCall::wait_fences, "vkWaitForFences"},
                                                                {Program::HostCall::queue_idle, "vkQueueWaitIdle"},
                                                                {Program::HostCall::device_idle, "vkDeviceWaitIdle"},
                                                                {Program::HostCall::host_write, "rondoHostWrite"}};
  for (const auto& call : world.program().host_calls()) {
    EXPECT_TRUE(has(name_of.at(call.record), calls.at(call.kind))) << name_of.at(call.record);
    for (const SyncBatch& batch : call.batches)
      for (const int commands : batch.commands)
        for (const auto& command : world.program().recorded(commands)) {
          const std::string& name = name_of.at(command.record);
          EXPECT_TRUE(has(name, parts.at(command.kind))) << name;
          const bool is_transfer = has(name, "Fill") || has(name, "Update") || has(name, "Copy") || has(name, "Clear");
          EXPECT_EQ(is_transfer, command.kind == Program::Command::transfer) << name;
        }
  }
}

TEST(SyncWorlds, AreVariedAndMostlySensible) {
  std::size_t clean = 0, needed = 0, removable = 0, of_host = 0, of_transitions = 0;
  std::map<int, std::size_t> hazards;
  constexpr unsigned kWorlds = 500;
  for (unsigned seed = 0; seed < kWorlds; ++seed) {
    SyncWorld world(seed);
    const Races all = world.races();
    clean += all.empty() ? 1 : 0;
    for (const OracleRace& one : all) hazards[one.hazard] += 1;
    for (const Record one : world.removable()) {
      const Races more = world.races({one});
      ASSERT_TRUE(std::includes(more.begin(), more.end(), all.begin(), all.end())) << "seed " << seed;
      removable += 1;
      needed += more != all ? 1 : 0;
    }
    if (seed % 5 != 0) continue;
    const auto name_of = names(world);
    expect_records(world, name_of);
    for (const OracleRace& race : all)
      for (const Record one : {race.from, race.to}) {
        const std::string& name = name_of.at(one);
        of_host += name == "rondoHostWrite" ? 1 : 0;
        of_transitions += has(name, "Barrier") || has(name, "WaitEvents") ? 1 : 0;
      }
  }
  EXPECT_GT(clean, kWorlds / 4);
  EXPECT_LT(clean, kWorlds / 2);
  for (const int hazard : {OracleRace::raw, OracleRace::war, OracleRace::waw}) EXPECT_GT(hazards[hazard], kWorlds / 4);
  EXPECT_GT(needed, removable / 10);
  EXPECT_LT(needed, removable * 9 / 10);
  EXPECT_GT(of_host, 0u);
  EXPECT_GT(of_transitions, 0u);
  RecordProperty("clean", static_cast<int>(clean));
  RecordProperty("removable", static_cast<int>(removable));
  RecordProperty("needed", static_cast<int>(needed));
}

}  // namespace
}  // namespace rondo::test
