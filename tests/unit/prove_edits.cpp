// SPDX-License-Identifier: Apache-2.0
// Captures with other synchronization, or in another order. Whether an edit does what it says is asked of the analysis:
// without a barrier that is needed there is a race, without one that is superfluous there is none.
#include "tests/unit/prove_scene.h"

namespace rondo {
namespace {

using namespace test;
using namespace test::scene;
using Found = std::vector<std::string>;

// The edits of all findings that are superfluous or too wide.
prove::Edits edits_of_all(const std::string& path) {
  prove::Edits all;
  const auto analysis = analyzers::SyncAnalysis::of(path);
  EXPECT_TRUE(analysis);
  for (const analyzers::SyncFinding& one : analysis->findings().all) {
    if (one.rule != analyzers::SyncRule::superfluous && one.rule != analyzers::SyncRule::too_wide) continue;
    const auto edits = prove::edits_of(*analysis, one);
    EXPECT_TRUE(edits) << edits.error().message;
    if (edits) all.add(*edits);
  }
  return all;
}

TEST(ProveEdits, LeavesOutWhatIsSuperfluous) {
  ProveScene s;
  s.begin(s.commands);
  s.to = s.commands;
  s.fill(s.a);
  s.barrier({kClear, kWrite, kCopy, kRead});
  s.barrier({kClear, kWrite, kCopy, kRead});
  s.copy(s.a, s.b);
  s.GraphScene::submit(s.commands);
  s.capture.finish();
  ASSERT_EQ(ProveScene::found_in(s.file.path()), Found{"superfluous vkCmdPipelineBarrier2"});
  ASSERT_EQ(s.write(edits_of_all(s.file.path())), "");
  EXPECT_EQ(s.found(), Found{});
  EXPECT_EQ(s.commands_there(),
            (Found{"vkCmdFillBuffer", "vkCmdPipelineBarrier2", "vkCmdCopyBuffer", "vkQueueSubmit"}));
  // Without both there is a race.
  prove::Edits both;
  both.left_out = {s.names[1], s.names[2]};
  ASSERT_EQ(s.write(both), "");
  EXPECT_EQ(s.found(), Found{"race RAW"});
}

TEST(ProveEdits, NarrowsBothForms) {
  for (const bool is_first_form : {false, true}) {
    ProveScene s;
    s.begin(s.commands);
    s.to = s.commands;
    s.fill(s.a);
    if (is_first_form)
      s.first_form(VK_PIPELINE_STAGE_ALL_COMMANDS_BIT, VK_ACCESS_MEMORY_WRITE_BIT, VK_PIPELINE_STAGE_ALL_COMMANDS_BIT,
                   VK_ACCESS_MEMORY_READ_BIT);
    else
      s.barrier({kAllStages, kAny, kAllStages, kAny});
    s.copy(s.a, s.b);
    s.GraphScene::submit(s.commands);
    s.capture.finish();
    const std::string name = is_first_form ? "vkCmdPipelineBarrier" : "vkCmdPipelineBarrier2";
    ASSERT_EQ(ProveScene::found_in(s.file.path()), Found{"too-wide " + name});
    ASSERT_EQ(s.write(edits_of_all(s.file.path())), "");
    EXPECT_EQ(s.found(), Found{});
    // Scopes that are not enough: a race.
    prove::Edits wrong;
    wrong.barriers[s.names[1]] = {{0, false, VK_PIPELINE_STAGE_2_COMPUTE_SHADER_BIT, kAllStages, kAny, kAny}};
    ASSERT_EQ(s.write(wrong), "");
    EXPECT_EQ(s.found().front(), "race RAW");
  }
}

TEST(ProveEdits, LeavesOutOneOfSeveralBarriers) {
  const SyncScene::Scopes right{kClear, kWrite, kCopy, kRead};
  for (const std::uint32_t dropped : {0u, 1u}) {
    ProveScene s;
    s.begin(s.commands);
    s.to = s.commands;
    s.fill(s.a);
    s.barrier({{s.a, right}, {s.c, right}});
    s.copy(s.a, s.b);
    s.GraphScene::submit(s.commands);
    s.capture.finish();
    ASSERT_EQ(ProveScene::found_in(s.file.path()), Found{"too-wide vkCmdPipelineBarrier2"});
    prove::Edits edits;
    edits.barriers[s.names[1]] = {{dropped, true, 0, 0, 0, 0}};
    ASSERT_EQ(s.write(edits), "");
    if (dropped == 1)
      EXPECT_EQ(s.found(), Found{});
    else
      EXPECT_EQ(s.found().front(), "race RAW");  // the other one is needed
    edits.barriers[s.names[1]] = {{2, true, 0, 0, 0, 0}};
    EXPECT_NE(s.write(edits).find("no such barrier"), std::string::npos);
  }
}

TEST(ProveEdits, LeavesOutASemaphoreWithItsSignal) {
  ProveScene s;
  const VkSemaphore one = s.semaphore(0x601);
  s.go(s.commands);
  s.fill(s.a);
  s.submit(s.queue, s.commands, {.signal = one});
  const std::uint64_t signals = s.capture.last_number();
  s.go(s.command_buffer(0x21));
  s.copy(s.a, s.b);
  s.submit(s.queue, s.to, {.wait = one});
  const std::uint64_t waits = s.capture.last_number();
  s.capture.finish();
  const auto analysis = analyzers::SyncAnalysis::of(s.file.path());
  ASSERT_TRUE(analysis);
  for (const analyzers::SyncFinding& found : analysis->findings().all) EXPECT_NE(found.rule, analyzers::SyncRule::race);
  const ObjectId semaphore = ProveScene::object_in(s.file.path(), "VkSemaphore#0");
  ASSERT_NE(semaphore, ObjectId::null);
  prove::Edits edits;
  edits.semaphores = {{signals, semaphore, false}, {waits, semaphore, true}};
  ASSERT_EQ(s.write(edits), "");
  EXPECT_EQ(s.found(), Found{"race RAW"});
  // The other way round there is nothing to leave out.
  edits.semaphores = {{signals, semaphore, true}};
  EXPECT_NE(s.write(edits).find("no such wait"), std::string::npos);
}

// Each semaphore of a batch has a device of the group.
TEST(ProveEdits, LeavesOutTheDeviceOfASemaphoreToo) {
  ProveScene s;
  const VkSemaphore one = s.semaphore(0x601), other = s.semaphore(0x602);
  s.go(s.commands);
  s.fill(s.a);
  const VkSemaphore signals[] = {one, other};
  const std::uint32_t devices[] = {0, 0};
  VkDeviceGroupSubmitInfo group{};
  group.sType = VK_STRUCTURE_TYPE_DEVICE_GROUP_SUBMIT_INFO;
  group.signalSemaphoreCount = 2;
  group.pSignalSemaphoreDeviceIndices = devices;
  VkSubmitInfo info{};
  info.sType = VK_STRUCTURE_TYPE_SUBMIT_INFO;
  info.pNext = &group;
  info.commandBufferCount = 1;
  info.pCommandBuffers = &s.commands;
  info.signalSemaphoreCount = 2;
  info.pSignalSemaphores = signals;
  s.capture.call(CommandId::vkQueueSubmit, args_vkQueueSubmit{s.queue, 1, &info, VK_NULL_HANDLE}, s.kOk);
  prove::Edits edits;
  const std::uint64_t record = s.capture.last_number();
  s.capture.finish();
  edits.semaphores = {{record, ProveScene::object_in(s.file.path(), "VkSemaphore#0"), false}};
  ASSERT_EQ(s.write(edits), "");

  auto walk = analyzers::Walk::open(s.edited.path());
  ASSERT_TRUE(walk);
  analyzers::Step step;
  bool found = false;
  while (walk->next(step).value_or(false)) {
    if (walk->name(step) != "vkQueueSubmit") continue;
    found = true;
    const VkSubmitInfo& batch = walk->args<args_vkQueueSubmit>().pSubmits[0];
    EXPECT_EQ(batch.signalSemaphoreCount, 1u);
    const auto* const chained =
        find_chained<VkDeviceGroupSubmitInfo>(batch.pNext, VK_STRUCTURE_TYPE_DEVICE_GROUP_SUBMIT_INFO);
    ASSERT_NE(chained, nullptr);
    EXPECT_EQ(chained->signalSemaphoreCount, 1u);
  }
  EXPECT_TRUE(found);
}

TEST(ProveEdits, LeavesTheSignalOfATimeline) {
  ProveScene s;
  const VkSemaphore one = s.semaphore(0x601, true);
  s.go(s.commands);
  s.fill(s.a);
  s.submit(s.queue, s.commands, {.signal = one, .signal_value = 1});
  const std::uint64_t signals = s.capture.last_number();
  s.go(s.command_buffer(0x21));
  s.copy(s.c, s.b);
  s.submit(s.queue, s.to, {.wait = one, .wait_value = 1});
  const std::uint64_t waits = s.capture.last_number();
  s.go(s.command_buffer(0x22));
  s.copy(s.a, s.b);
  s.submit(s.queue, s.to, {.wait = one, .wait_value = 1});
  s.capture.finish();
  ASSERT_EQ(ProveScene::races_in(s.file.path()), Found{"race WAW"});  // of both copies
  const ObjectId semaphore = ProveScene::object_in(s.file.path(), "VkSemaphore#0");
  prove::Edits edits;
  edits.semaphores = {{signals, semaphore, false}, {waits, semaphore, true}};
  ASSERT_EQ(s.write(edits), "");
  // The last batch still waits for the value.
  EXPECT_EQ(ProveScene::races_in(s.edited.path()), Found{"race WAW"});
}

// The first command of a race after the second, with what is between both.
prove::Edits orders_of_first_race(const std::string& path, std::string* why = nullptr, std::size_t way = 0) {
  const auto analysis = analyzers::SyncAnalysis::of(path);
  EXPECT_TRUE(analysis);
  const analyzers::SyncRace* const race = &analysis->findings().all.at(0).race;
  const auto orders = prove::orders_of(path, std::span(&race, 1));
  EXPECT_TRUE(orders);
  if (!(*orders)[0]) {
    if (why != nullptr) *why = (*orders)[0].error().message;
    return {};
  }
  return (*orders)[0]->ways.at(way);
}

TEST(ProveEdits, ReordersTheCommandsOfARace) {
  ProveScene s;
  s.begin(s.commands);
  s.to = s.commands;
  s.fill(s.c);
  s.fill(s.a);
  s.copy(s.a, s.b);
  s.GraphScene::submit(s.commands);
  s.capture.finish();
  ASSERT_EQ(ProveScene::found_in(s.file.path()), Found{"race RAW"});
  ASSERT_EQ(s.write(orders_of_first_race(s.file.path())), "");
  EXPECT_EQ(ProveScene::races_in(s.edited.path()), Found{});
  EXPECT_EQ(s.commands_there(), (Found{"vkCmdFillBuffer", "vkCmdCopyBuffer", "vkCmdPipelineBarrier", "vkCmdFillBuffer",
                                       "vkCmdPipelineBarrier", "vkQueueSubmit"}));
  ASSERT_EQ(s.write(orders_of_first_race(s.file.path(), nullptr, 1)), "");
  EXPECT_EQ(ProveScene::races_in(s.edited.path()), Found{});
  EXPECT_EQ(s.commands_there(), (Found{"vkCmdFillBuffer", "vkCmdPipelineBarrier", "vkCmdCopyBuffer",
                                       "vkCmdPipelineBarrier", "vkCmdFillBuffer", "vkQueueSubmit"}));
}

TEST(ProveEdits, SetsTheStatesAgainThatAMovedCommandHad) {
  ProveScene s;
  s.begin(s.commands);
  s.to = s.commands;
  s.record(CommandId::vkCmdSetLineWidth, args_vkCmdSetLineWidth{s.to, 1});
  s.fill(s.a);
  s.record(CommandId::vkCmdSetLineWidth, args_vkCmdSetLineWidth{s.to, 2});
  s.copy(s.a, s.b);
  s.GraphScene::submit(s.commands);
  s.capture.finish();
  ASSERT_EQ(s.write(orders_of_first_race(s.file.path())), "");
  const std::string width = "vkCmdSetLineWidth";
  EXPECT_EQ(s.commands_there(), (Found{width, width, "vkCmdCopyBuffer", "vkCmdPipelineBarrier", width,
                                       "vkCmdFillBuffer", "vkCmdPipelineBarrier", width, width, "vkQueueSubmit"}));
}

// The dependencies of the only render pass: "EXTERNAL 0 400 -> 800", subpasses and stages.
Found dependencies_of(const std::string& path) {
  Found all;
  auto walk = analyzers::Walk::open(path);
  analyzers::Step step;
  while (walk && walk->next(step).value_or(false)) {
    if (step.command == nullptr || step.command->canonical != CommandId::vkCreateRenderPass) continue;
    const VkRenderPassCreateInfo& info = *walk->args<args_vkCreateRenderPass>().pCreateInfo;
    for (const VkSubpassDependency& one : std::span(info.pDependencies, info.dependencyCount))
      all.push_back(std::to_string(static_cast<std::int32_t>(one.srcSubpass)) + " " +
                    std::to_string(static_cast<std::int32_t>(one.dstSubpass)) + " " + std::to_string(one.srcStageMask) +
                    " " + std::to_string(one.dstStageMask));
  }
  return all;
}

TEST(ProveEdits, ChangesDependenciesOfSubpasses) {
  ProveScene s;
  const VkSubpassDescription subpass{};
  constexpr std::uint32_t kOutside = VK_SUBPASS_EXTERNAL;
  const VkSubpassDependency dependencies[] = {
      {kOutside, 0, VK_PIPELINE_STAGE_TRANSFER_BIT, VK_PIPELINE_STAGE_VERTEX_SHADER_BIT, 0, 0, 0},
      {kOutside, 0, VK_PIPELINE_STAGE_HOST_BIT, VK_PIPELINE_STAGE_VERTEX_SHADER_BIT, 0, 0, 0},
      {0, kOutside, VK_PIPELINE_STAGE_ALL_COMMANDS_BIT, VK_PIPELINE_STAGE_ALL_COMMANDS_BIT, 0, 0, 0}};
  VkRenderPassCreateInfo info{};
  info.sType = VK_STRUCTURE_TYPE_RENDER_PASS_CREATE_INFO;
  info.subpassCount = 1;
  info.pSubpasses = &subpass;
  info.dependencyCount = 3;
  info.pDependencies = dependencies;
  auto pass = handle<VkRenderPass>(0x701);
  s.capture.call(CommandId::vkCreateRenderPass, args_vkCreateRenderPass{s.device, &info, nullptr, &pass}, s.kOk);
  s.capture.finish();
  const std::string copy = std::to_string(VK_PIPELINE_STAGE_TRANSFER_BIT);
  const std::string vertex = std::to_string(VK_PIPELINE_STAGE_VERTEX_SHADER_BIT);
  const ObjectId id = ProveScene::object_in(s.file.path(), "VkRenderPass#0");
  ASSERT_NE(id, ObjectId::null);
  prove::Edits edits;
  edits.dependencies = {{id, 0, {1, true, 0, 0, 0, 0}},
                        {id, kOutside, {0, false, VK_PIPELINE_STAGE_2_VERTEX_SHADER_BIT, 0, 0, 0}}};
  ASSERT_EQ(s.write(edits), "");
  // The first form has no stage NONE.
  const std::string nothing = std::to_string(VK_PIPELINE_STAGE_BOTTOM_OF_PIPE_BIT);
  EXPECT_EQ(dependencies_of(s.edited.path()), (Found{"-1 0 " + copy + " " + vertex, "0 -1 " + vertex + " " + nothing}));
  edits.dependencies = {{id, 0, {2, true, 0, 0, 0, 0}}};
  EXPECT_NE(s.write(edits).find("no such dependency"), std::string::npos);
}

TEST(ProveEdits, MovesACommandToTheCommandBufferOfAnotherSubmit) {
  ProveScene s;
  s.go(s.commands);
  s.fill(s.a);
  s.GraphScene::submit(s.commands);
  s.go(s.command_buffer(0x21));
  s.copy(s.a, s.b);
  s.GraphScene::submit(s.to);
  s.capture.finish();
  ASSERT_EQ(ProveScene::found_in(s.file.path()), Found{"race RAW"});
  prove::Edits edits = orders_of_first_race(s.file.path());
  // After the submit, for what waits on another queue. (This capture does not say which device the queue is of.)
  EXPECT_EQ(edits.waits_after, std::set<std::uint64_t>{s.capture.last_number()});
  edits.waits_after.clear();
  ASSERT_EQ(s.write(edits), "");
  EXPECT_EQ(s.commands_there(), (Found{"vkQueueSubmit", "vkCmdCopyBuffer", "vkCmdPipelineBarrier", "vkCmdFillBuffer",
                                       "vkCmdPipelineBarrier", "vkQueueSubmit"}));
  EXPECT_EQ(ProveScene::races_in(s.edited.path()), Found{});
}

TEST(ProveEdits, SaysWhyARaceCannotBeReordered) {
  // What is between both needs the first, and is needed by the second.
  ProveScene s;
  s.begin(s.commands);
  s.to = s.commands;
  s.fill(s.a);
  s.barrier({kClear, kWrite, kCopy, kRead});
  s.copy(s.a, s.b);  // the first
  s.fill(s.c);       // which the second needs
  s.barrier({kClear, kWrite, kCopy, kRead});
  s.barrier({kCopy, kWrite, kClear, kWrite});
  s.fill(s.b);       // needs the first
  s.copy(s.c, s.a);  // the second: the read of the first is not over
  s.GraphScene::submit(s.commands);
  s.capture.finish();
  ASSERT_EQ(ProveScene::races_in(s.file.path()), Found{"race WAR"});
  std::string why;
  orders_of_first_race(s.file.path(), &why);
  EXPECT_NE(why.find("commands between both need the first"), std::string::npos) << why;

  ProveScene only_seen;  // the execution is ordered, and nothing is made visible
  only_seen.begin(only_seen.commands);
  only_seen.to = only_seen.commands;
  only_seen.fill(only_seen.a);
  only_seen.barrier({kClear, 0, kCopy, 0});
  only_seen.copy(only_seen.a, only_seen.b);
  only_seen.GraphScene::submit(only_seen.commands);
  only_seen.capture.finish();
  why.clear();
  orders_of_first_race(only_seen.file.path(), &why);
  EXPECT_NE(why.find("does not make visible"), std::string::npos) << why;
}

TEST(ProveEdits, NamesWhatTheCaptureHasNot) {
  ProveScene s;
  s.begin(s.commands);
  s.to = s.commands;
  s.fill(s.a);
  s.GraphScene::submit(s.commands);
  s.capture.finish();
  prove::Edits edits;
  edits.left_out = {9999};
  EXPECT_NE(s.write(edits).find("has not all"), std::string::npos);
  edits = {};
  edits.move = prove::Move{s.names[0], s.names[0], 9999, false};
  EXPECT_NE(s.write(edits).find("no such commands"), std::string::npos);
  edits = {};
  edits.barriers[s.names[0]] = {{}};
  EXPECT_NE(s.write(edits).find("only barriers of"), std::string::npos);
}

}  // namespace
}  // namespace rondo
