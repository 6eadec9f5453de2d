// SPDX-License-Identifier: Apache-2.0
// Checks of the access model: items of recordings, what is counted, labels, what waits for late writes.
#include "model/access/late_writes.h"
#include "model/access/tracker.h"
#include "tests/unit/tamper.h"

namespace rondo::test {

// The debug hook (format/check.h) into the classes of the access model.
struct Tamper {
  using Paths = access::LabelPaths;
  static std::pair<std::uint32_t, std::uint32_t>& path(Paths& labels, std::uint32_t number) {
    return labels.paths_.at(number);
  }
  static auto& path_numbers(Paths& labels) { return labels.path_at_; }
  static auto& only_queue(access::LateWrites& writes) { return writes.queues_.begin()->second; }
  static std::size_t& ranges(access::LateWrites& writes) { return writes.ranges_; }
  static bool& touches_all(access::LateWrites& writes) { return writes.current_.touches_all; }
};

}  // namespace rondo::test

namespace rondo::access {
namespace {

using test::handle;
using test::Seed;
using test::Tamper;

struct World : test::Played {
  const VkCommandBuffer commands = handle<VkCommandBuffer>(0x20);
  const VkCommandBuffer secondary = handle<VkCommandBuffer>(0x21);
  const VkQueue queue = handle<VkQueue>(0x30);
  VkBuffer buffer = VK_NULL_HANDLE;
  std::vector<std::string> lines;

  void allocate(VkCommandBuffer one) {
    VkCommandBufferAllocateInfo info{};
    info.commandPool = handle<VkCommandPool>(0x40);
    info.commandBufferCount = 1;
    call(CommandId::vkAllocateCommandBuffers, args_vkAllocateCommandBuffers{device, &info, &one});
  }
  void begin(VkCommandBuffer one) {
    VkCommandBufferBeginInfo info{};
    call(CommandId::vkBeginCommandBuffer, args_vkBeginCommandBuffer{one, &info});
  }
  void make_buffer() {
    VkBufferCreateInfo info{};
    info.size = 64;
    buffer = make<VkBuffer, args_vkCreateBuffer>(CommandId::vkCreateBuffer, info);
  }
  void fill(VkCommandBuffer one, VkDeviceSize at) {
    call(CommandId::vkCmdFillBuffer, args_vkCmdFillBuffer{one, buffer, at, 4, 0});
  }
  void barrier() {
    const VkMemoryBarrier one{};
    call(CommandId::vkCmdPipelineBarrier,
         args_vkCmdPipelineBarrier{commands, VK_PIPELINE_STAGE_TRANSFER_BIT, VK_PIPELINE_STAGE_TRANSFER_BIT, 0, 1, &one,
                                   0, nullptr, 0, nullptr});
  }
  void submit() {
    VkSubmitInfo info{};
    info.commandBufferCount = 1;
    info.pCommandBuffers = &commands;
    call(CommandId::vkQueueSubmit, args_vkQueueSubmit{queue, 1, &info, VK_NULL_HANDLE});
  }
  void add(const Executed& one, const std::string& names) {
    std::string line = std::to_string(one.record) + " in " + std::to_string(one.submit) + " label " +
                       std::to_string(one.label_path) + names + " effects " + std::to_string(one.effects.size());
    for (const Touch& touch : one.touches)
      line += " " + std::to_string(index_of(touch.object)) + "@" + std::to_string(touch.offset);
    lines.push_back(line);
  }
};

// --- What is recorded, and executed ---

struct Executions : World {
  bool breaks_executing = false;
  Tracker tracker{[this](const Executed& one) {
                    std::string names;
                    for (const std::string_view name : tracker.labels.names(one.label_path)) names += name;
                    add(one, names);
                    if (breaks_executing) tracker.executing.push_back(object_at(1000));
                  },
                  Limits{}, model::kBarriers};

  template <class Violate>
  void play(const Violate& violate) {
    play_to(violate, [&](const model::Call& call) { tracker.take(call); });
  }
  void record() {
    allocate(commands);
    make_buffer();
    begin(commands);
    fill(commands, 0);
    barrier();
    fill(commands, 4);
  }
  void record_secondary() {
    allocate(secondary);
    record();
    begin(secondary);
    fill(secondary, 8);
    call(CommandId::vkCmdExecuteCommands, args_vkCmdExecuteCommands{commands, 1, &secondary});
  }
  void record_draws() {
    record();
    dispatch();
  }
  void dispatch() { call(CommandId::vkCmdDispatch, args_vkCmdDispatch{commands, 1, 1, 1}); }
  void record_label() {
    record();
    VkDebugUtilsLabelEXT info{};
    info.pLabelName = "a label";
    call(CommandId::vkCmdBeginDebugUtilsLabelEXT, args_vkCmdBeginDebugUtilsLabelEXT{commands, &info});
    fill(commands, 8);
  }
  void submit_label() {
    record_label();
    submit();
  }

  Commands& recording() { return tracker.commands.of(id(commands)); }
};
constexpr auto kRecording = [](Executions& s) { s.record(); };
constexpr auto kSubmitting = [](Executions& s) { s.submit(); };
constexpr auto kFilling = [](Executions& s) { s.fill(s.commands, 12); };
const Seed<Executions> kExecutions[] = {
    {"AnItemIsLaterThanTheOneAfterIt", kRecording, [](Executions& s) { s.recording().items.back().record = 1000; },
     kFilling, "to.items.back().record < call_->sequence"},
    {"AnItemHasMoreTouchesThanThereAre", kRecording, [](Executions& s) { s.recording().items.back().count += 1; },
     kSubmitting, "item.count <= from.touches.size()"},
    {"AnItemHasMoreEffectsThanThereAre", kRecording,
     [](Executions& s) { s.recording().items.back().effect_count += 1; }, kSubmitting,
     "item.effect_count <= from.effects.size()"},
    {"AnItemHasTheTouchesOfAnother", kRecording, [](Executions& s) { s.recording().items.back().first = 0; },
     kSubmitting, "item.first == touches"},
    {"AnItemHasTheEffectsOfAnother", kRecording, [](Executions& s) { s.recording().items.back().first_effect = 0; },
     kSubmitting, "item.first_effect == effects_before"},
    {"ATouchIsOfNoItem", kRecording, [](Executions& s) { s.recording().touches.emplace_back(); }, kSubmitting,
     "touches == from.touches.size()"},
    {"WhatExecutesASecondaryHasNoAttachments", [](Executions& s) { s.record_secondary(); },
     [](Executions& s) { s.recording().items.back().bound = nullptr; }, kSubmitting, "item.bound != nullptr"},
    {"MoreIsRecordedThanMayBe", kRecording, [](Executions& s) { s.tracker.recorded = Limits{}.recorded + 1; }, kFilling,
     "recorded <= limits.recorded"},
    {"ARecordingIsNotCounted", kRecording, [](Executions& s) { s.tracker.recorded = 0; },
     [](Executions& s) { s.begin(s.commands); }, "one.size() <= recorded"},
    {"ACommandBufferIsExecutedStill", kRecording,
     [](Executions& s) { s.tracker.executing.push_back(s.id(s.commands)); }, kSubmitting, "executing.empty()"},
    {"ACommandBufferEndsThatIsNotTheLast", kRecording, [](Executions& s) { s.breaks_executing = true; }, kSubmitting,
     "executing.back() == id"},
    {"WhatIsFoundIsNewerThanWhatIsBound", [](Executions& s) { s.record_draws(); },
     [](Executions& s) { s.recording().found[1].version = 1000; }, [](Executions& s) { s.dispatch(); },
     "found.version <= point.version"},
    {"ALabelHasNoName", [](Executions& s) { s.record_label(); },
     [](Executions& s) {
       for (Item& one : s.recording().items) one.recorded.label = 1000;
     },
     kSubmitting, "name < texts_.size()"},
    {"APathOfLabelsIsLongerThanItself", [](Executions& s) { s.submit_label(); },
     [](Executions& s) { Tamper::path(s.tracker.labels, 1).first = 1; },
     [](Executions& s) {
       s.call(CommandId::vkQueueEndDebugUtilsLabelEXT, args_vkQueueEndDebugUtilsLabelEXT{s.queue});
       s.begin(s.commands);
       s.fill(s.commands, 0);
       s.submit();
     },
     "shorter < path"},
    {"APathOfLabelsIsNotKnown", [](Executions& s) { s.submit_label(); },
     [](Executions& s) {
       for (auto& [key, number] : Tamper::path_numbers(s.tracker.labels)) number = 1000;
     },
     kSubmitting, "found->second < paths_.size()"},
};
class TamperedTracker : public ::testing::TestWithParam<Seed<Executions>> {};
TEST_P(TamperedTracker, FailsACheck) { test::expect_check_fails(GetParam()); }
INSTANTIATE_TEST_SUITE_P(Seeds, TamperedTracker, ::testing::ValuesIn(kExecutions), test::NameOfSeed());

TEST(TamperedLabels, APathThatNobodyMadeFailsACheck) {
  const test::ThrowingChecks checks;
  LabelPaths labels;
  EXPECT_TRUE(labels.names(0).empty());
  EXPECT_THROW(labels.names(1), CheckFailure);
}

// --- Writes after the end of work ---

struct Writes : World {
  VkDeviceMemory memory = VK_NULL_HANDLE;
  bool is_over = false;
  LateWrites writes{{.place =
                         [this](ObjectId) {
                           return LateWrites::Place{id(memory), 0, 64};
                         },
                     .is_over = [this](std::uint64_t) { return is_over; }}};

  template <class Violate>
  void play(const Violate& violate) {
    play_to(violate, [&](const model::Call& call) {
      writes.take(call);
      std::string line = std::to_string(call.sequence);
      for (const std::uint64_t record : writes.after()) line += " after " + std::to_string(record);
      lines.push_back(line);
    });
  }
  void work() {
    VkMemoryAllocateInfo info{};
    info.allocationSize = 64;
    memory = make<VkDeviceMemory, args_vkAllocateMemory>(CommandId::vkAllocateMemory, info);
    allocate(commands);
    make_buffer();
    begin(commands);
    fill(commands, 0);
    submit();
    submit();
    call(CommandId::rondoWorkEnded, args_rondoWorkEnded{queue, 1, 1, VK_FALSE});
  }
  void write() {
    const RondoRange range{0, 4};
    const std::byte bytes[4]{};
    call(CommandId::rondoHostWrite, args_rondoHostWrite{device, memory, 1, &range, sizeof bytes, bytes});
  }
};
constexpr auto kWorkDone = [](Writes& s) { s.work(); };
constexpr auto kWriteNow = [](Writes& s) { s.write(); };
const Seed<Writes> kLate[] = {
    {"MoreSubmitsAreKeptThanWereMade", kWorkDone, [](Writes& s) { Tamper::only_queue(s.writes).submitted = 1; },
     kWriteNow, "queue.submits.size() <= queue.submitted"},
    {"MoreSubmitsHaveEndedThanWereMade", kWorkDone, [](Writes& s) { Tamper::only_queue(s.writes).ended = 3; },
     kWriteNow, "queue.ended <= queue.submitted"},
    {"RangesOfASubmitAreNotCounted", kWorkDone,
     [](Writes& s) {
       Tamper::ranges(s.writes) = 0;
       s.is_over = true;
     },
     [](Writes& s) {
       s.submit();
       s.submit();
     },
     "ranges <= ranges_"},
    {"WhatACallTouchedIsLeftToTheNext", kWorkDone, [](Writes& s) { Tamper::touches_all(s.writes) = true; }, kWriteNow,
     "!current_.touches_all"},
};
class TamperedLateWrites : public ::testing::TestWithParam<Seed<Writes>> {};
TEST_P(TamperedLateWrites, FailACheck) { test::expect_check_fails(GetParam()); }
INSTANTIATE_TEST_SUITE_P(Seeds, TamperedLateWrites, ::testing::ValuesIn(kLate), test::NameOfSeed());

}  // namespace
}  // namespace rondo::access
