// SPDX-License-Identifier: Apache-2.0
// What a capture says about work given to queues and about the host's waits, and the order in which batches can run.
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <random>
#include <sstream>

#include "generated/traits.h"
#include "model/stream.h"
#include "model/submit_order.h"
#include "model/submits.h"
#include "tests/unit/handles.h"
#include "tests/unit/synthetic_capture.h"

namespace rondo::model {
namespace {

using test::handle;
using Kind = HostSync::Kind;
using Lines = std::vector<std::string>;
using Numbers = std::vector<std::uint64_t>;

constexpr auto kAllStages = VK_PIPELINE_STAGE_2_ALL_COMMANDS_BIT;
constexpr auto kValues = VK_STRUCTURE_TYPE_TIMELINE_SEMAPHORE_SUBMIT_INFO;
constexpr VkPipelineStageFlags kCopies = VK_PIPELINE_STAGE_TRANSFER_BIT;

class SubmitsTest : public ::testing::Test, protected SubmitSink {
 protected:
  SubmitsTest() {
    const VkDeviceCreateInfo info{};
    VkDevice device = device_;
    call<CommandId::vkCreateDevice>({handle<VkPhysicalDevice>(8), &info, nullptr, &device});
    VkQueue queue = queue_;
    call<CommandId::vkGetDeviceQueue>({device_, 0, 0, &queue});
    const VkCommandBufferAllocateInfo allocate{{}, nullptr, handle<VkCommandPool>(9), {}, 1};
    VkCommandBuffer commands = commands_;
    call<CommandId::vkAllocateCommandBuffers>({device_, &allocate, &commands});
  }

  void batch(const Batch& one) override { batches_.push_back(one); }
  void host(const HostSync& one) override { hosts_.push_back(one); }
  void ended(ObjectId one) override { ended_.push_back(one); }

  template <CommandId kCommand>
  using Args = typename CommandTraits<kCommand>::Args;
  template <CommandId kCommand>
  void call(const Args<kCommand>& args, std::int64_t result = VK_SUCCESS) {
    const bool returns = codec::info(kCommand).returns == codec::Returns::result;
    capture_.call(kCommand, args, returns ? test::Call{result} : test::Call{});
  }
  template <CommandId kCommand, class Handle>
  Handle create(const void* chain = nullptr) {
    std::remove_cvref_t<decltype(*Args<kCommand>::pCreateInfo)> info{};
    info.pNext = chain;
    if constexpr (requires { info.surface; }) info.surface = handle<VkSurfaceKHR>(7);
    Handle made = handle<Handle>(next_++);
    call<kCommand>({device_, &info, nullptr, &made});
    return made;
  }
  VkSemaphore semaphore() { return create<CommandId::vkCreateSemaphore, VkSemaphore>(); }
  VkSemaphore timeline(std::uint64_t first) {
    const VkSemaphoreTypeCreateInfo type{VK_STRUCTURE_TYPE_SEMAPHORE_TYPE_CREATE_INFO, nullptr,
                                         VK_SEMAPHORE_TYPE_TIMELINE, first};
    return create<CommandId::vkCreateSemaphore, VkSemaphore>(&type);
  }
  VkFence fence() { return create<CommandId::vkCreateFence, VkFence>(); }
  VkSwapchainKHR swapchain() { return create<CommandId::vkCreateSwapchainKHR, VkSwapchainKHR>(); }
  void submit_empty(std::uint32_t batches, VkFence fence = {}, std::int64_t result = VK_SUCCESS) {
    const std::vector<VkSubmitInfo> infos(batches);
    call<CommandId::vkQueueSubmit>({queue_, batches, infos.data(), fence}, result);
  }
  // Takes what Submits says of the capture. Arrays that the file has as blobs are left out.
  void read(bool expects_cut = false, bool gives_second_form = false) {
    capture_.finish();
    const auto reader = Reader::open(file_.path());
    ASSERT_TRUE(reader);
    Stream stream(**reader, &objects_);
    if (expects_cut) submits_.expect_cut();
    Step step;
    NativeView view;
    SecondForm second;
    for (;;) {
      const auto more = stream.next(step);
      ASSERT_TRUE(more) << more.error().message;
      if (!*more) return;
      const codec::Lowered& lowered = stream.lowered();
      view.load(lowered, stream.resolution().ids, std::vector<const std::byte*>(lowered.blobs.size()));
      Call call(*step.command, view, stream.resolution(), stream.objects(), step.record.sequence, step.succeeded(),
                static_cast<std::uint64_t>(step.record.return_value));
      if (gives_second_form && second.take(call.command.canonical, call.args)) call.second = &second;
      submits_.take(call);
    }
  }

  // The captured value of the handle; null: 0.
  std::string name(ObjectId id) const { return std::to_string(objects_.objects()[id].captured); }
  std::string text(const SemaphoreUse& use) const {
    return " " + name(use.semaphore) + (use.timeline ? "=" : "") +
           (use.timeline || use.value != 0 ? std::to_string(use.value) : "") + (use.stages == kCopies ? "/copies" : "");
  }
  // "KIND SUBMIT.INDEX …"
  Lines batches() const {
    const char* const kinds[] = {"commands ", "sparse ", "present "};
    Lines lines;
    for (const Batch& batch : batches_) {
      EXPECT_EQ(name(batch.queue) + " of " + name(batch.device), "30 of 10");
      EXPECT_EQ(batch.number, lines.size());
      std::string out = kinds[static_cast<std::size_t>(batch.kind)];
      out +=
          (batch.submit == Batch::kNoSubmit ? "-" : std::to_string(batch.submit)) + "." + std::to_string(batch.index);
      for (const SemaphoreUse& one : batch.waits) out += " waits" + text(one);
      for (const ObjectId one : batch.command_buffers) out += " runs " + name(one);
      for (const SemaphoreUse& one : batch.signals)
        out += " signals" + text(one) + (one.stages == kAllStages ? "" : "?");
      for (const PresentedImage& one : batch.images)
        out += " shows " + name(one.swapchain) + "." + std::to_string(one.image) + " result " +
               (one.result ? std::to_string(*one.result) : "?") + " fence " + name(one.fence) + " id " +
               std::to_string(one.present_id);
      if (batch.fence != ObjectId::null) out += " fence " + name(batch.fence);
      lines.push_back(out);
    }
    return lines;
  }
  // All that is said of each. "!": it failed.
  Lines hosts() const {
    Lines lines;
    for (const HostSync& sync : hosts_) {
      EXPECT_EQ(name(sync.device), "10");
      std::string out = (sync.succeeded ? "" : "!") + std::to_string(static_cast<int>(sync.kind));
      for (const ObjectId one : sync.fences) out += " " + name(one);
      for (const SemaphoreUse& one : sync.semaphores) out += text(one);
      for (const ObjectId one : {sync.queue, sync.event, sync.swapchain, sync.query_pool})
        if (one != ObjectId::null) out += " " + name(one);
      const auto say = [&](const char* what, std::uint64_t number) {
        if (number != 0) out += what + (number != 1 ? " " + std::to_string(number) : "");
      };
      say(" image", sync.image != PresentedImage::kUnknown ? sync.image : 0);
      say(" any", !sync.all), say(" set", sync.is_set), say(" shared", sync.is_shared);
      say(" signalled", sync.was_signalled), say(" waits", sync.waits_for_queries), say(" unsure", sync.is_unsure);
      say(" queries", sync.query_count), say(" timeout", sync.timeout), say(" id", sync.present_id);
      say(" ended", sync.ended), say(" pending", sync.pending);
      lines.push_back(out);
    }
    return lines;
  }
  // A call, and what hosts() has of it.
  template <CommandId kCommand>
  void says(Kind kind, const char* rest, const Args<kCommand>& args, std::int64_t result = VK_SUCCESS) {
    const bool failed = rest[0] == '!';
    expected_.push_back((failed ? "!" : "") + std::to_string(static_cast<int>(kind)) + (failed ? rest + 1 : rest));
    call<kCommand>(args, result);
  }
  void read_and_compare() {
    read();
    EXPECT_EQ(hosts(), expected_);
  }

  const VkDevice device_ = handle<VkDevice>(10);
  const VkQueue queue_ = handle<VkQueue>(30);
  const VkCommandBuffer commands_ = handle<VkCommandBuffer>(20);
  std::uint64_t next_ = 50;  // handles of what is made
  test::TemporaryFile file_;
  test::SyntheticCapture capture_{file_.path()};
  ObjectTable objects_;
  std::vector<Batch> batches_;
  std::vector<HostSync> hosts_;
  std::vector<ObjectId> ended_;
  Lines expected_;  // of hosts()
  Submits submits_{*this};
};

class SubmitsForms : public SubmitsTest, public ::testing::WithParamInterface<int> {};

TEST_P(SubmitsForms, GiveTheSameBatches) {
  const VkSemaphore binary = semaphore(), values = timeline(3), both[] = {binary, values};
  const VkFence signalled = fence();
  const VkCommandBuffer twice[] = {commands_, commands_};
  const VkPipelineStageFlags stages[] = {kCopies, kCopies};
  const std::uint64_t nine_four[] = {9, 4}, seven = 7;
  const VkTimelineSemaphoreSubmitInfo chain{kValues, nullptr, 2, nine_four, 1, &seven};
  const VkTimelineSemaphoreSubmitInfo short_chain{kValues, nullptr, 1, &seven, 0, nullptr};
  const VkSubmitInfo infos[] = {{{}, &chain, 2, both, stages, 2, twice, 1, &values},
                                {{}, &short_chain, 1, &values, stages, 0, nullptr, 1, &binary}};
  const VkSemaphoreSubmitInfo waits[] = {{{}, nullptr, binary, 9, kCopies, 0}, {{}, nullptr, values, 4, kCopies, 0}};
  const VkSemaphoreSubmitInfo signals[] = {{{}, nullptr, values, 7, kAllStages, 0},
                                           {{}, nullptr, binary, 9, kAllStages, 0}};
  const VkSemaphoreSubmitInfo wait{{}, nullptr, values, 7, kCopies, 0};
  const VkCommandBufferSubmitInfo commands[] = {{{}, nullptr, commands_, 0}, {{}, nullptr, commands_, 0}};
  const VkSubmitInfo2 infos_2[] = {{{}, nullptr, 0, 2, waits, 2, commands, 1, &signals[0]},
                                   {{}, nullptr, 0, 1, &wait, 0, nullptr, 1, &signals[1]}};
  if (GetParam() == 2)
    call<CommandId::vkQueueSubmit2>({queue_, 2, infos_2, signalled});
  else
    call<CommandId::vkQueueSubmit>({queue_, 2, infos, signalled});
  submit_empty(1);
  read(false, GetParam() == 1);
  EXPECT_EQ(batches(), (Lines{"commands 0.0 waits 50/copies waits 51=4/copies runs 20 runs 20 signals 51=7",
                              "commands 1.1 waits 51=7/copies signals 50 fence 52", "commands 2.0"}));
}
// How the call is made. 0: in the first form. 1: likewise, and the caller converts it. 2: in the second form.
INSTANTIATE_TEST_SUITE_P(Each, SubmitsForms, ::testing::Values(0, 1, 2));

TEST_F(SubmitsTest, AFenceOfACallWithoutBatchesHasABatch) {
  submit_empty(2, fence()), submit_empty(0, fence()), submit_empty(0);
  call<CommandId::vkQueueSubmit2>({queue_, 0, nullptr, fence()});
  call<CommandId::vkQueueBindSparse>({queue_, 0, nullptr, fence()}), submit_empty(1);
  read();
  EXPECT_EQ(batches(), (Lines{"commands 0.0", "commands 1.1 fence 50", "commands -.0 fence 51", "commands -.0 fence 52",
                              "sparse -.0 fence 53", "commands 2.0"}));
}

TEST_F(SubmitsTest, ASubmitThatFailedTakesItsNumbersAndGivesNoWork) {
  submit_empty(2, fence(), VK_ERROR_DEVICE_LOST), submit_empty(0, fence(), VK_ERROR_DEVICE_LOST);
  const VkBindSparseInfo bind{};
  call<CommandId::vkQueueBindSparse>({queue_, 1, &bind, fence()}, VK_ERROR_DEVICE_LOST), submit_empty(1);
  const VkSubmitInfo info{};
  capture_.call_without_end(CommandId::vkQueueSubmit, args_vkQueueSubmit{queue_, 1, &info, {}});
  read();
  EXPECT_EQ(batches(), (Lines{"commands 2.0", "commands 3.0"}));
}

class SubmitsOfACut : public SubmitsTest, public ::testing::WithParamInterface<bool> {};

TEST_P(SubmitsOfACut, AreNumberedFromItOn) {
  submit_empty(2), call<CommandId::rondoCut>({}), submit_empty(2);
  read(GetParam());
  const Lines first = GetParam() ? Lines{"commands -.0", "commands -.1"} : Lines{"commands 0.0", "commands 1.1"};
  EXPECT_EQ(batches(), (Lines{first[0], first[1], "commands 0.0", "commands 1.1"}));
}
INSTANTIATE_TEST_SUITE_P(Expected, SubmitsOfACut, ::testing::Bool());

TEST_F(SubmitsTest, SparseBindsHaveValuesAndFences) {
  const VkSemaphore binary = semaphore(), values = timeline(0);
  const std::uint64_t four = 4, five = 5;
  const VkTimelineSemaphoreSubmitInfo waits{kValues, nullptr, 1, &four, 0, nullptr};
  const VkTimelineSemaphoreSubmitInfo signals{kValues, nullptr, 0, nullptr, 1, &five};
  const VkBindSparseInfo infos[] = {{{}, &waits, 1, &values, 0, {}, 0, {}, 0, {}, 1, &binary},
                                    {{}, &signals, 0, nullptr, 0, {}, 0, {}, 0, {}, 1, &values}};
  call<CommandId::vkQueueBindSparse>({queue_, 2, infos, fence()});
  read();
  EXPECT_EQ(batches(), (Lines{"sparse -.0 waits 51=4 signals 50", "sparse -.1 signals 51=5 fence 52"}));
}

TEST_F(SubmitsTest, PresentsHaveImagesAndWaitThoughRejected) {
  const VkSwapchainKHR chains[] = {swapchain(), swapchain()};
  const VkSemaphore waited = semaphore();
  const VkFence fences[] = {fence(), VK_NULL_HANDLE};
  const std::uint32_t images[] = {1, 2};
  const std::uint64_t ids[] = {7, 8};
  VkPresentIdKHR id{VK_STRUCTURE_TYPE_PRESENT_ID_KHR, nullptr, 2, ids};  // older headers chain what may be changed
  const VkSwapchainPresentFenceInfoEXT done{VK_STRUCTURE_TYPE_SWAPCHAIN_PRESENT_FENCE_INFO_EXT, &id, 2, fences};
  VkPresentInfoKHR info{{}, &done, 1, &waited, 2, chains, images, nullptr};
  call<CommandId::vkQueuePresentKHR>({queue_, &info}, VK_SUBOPTIMAL_KHR);
  info = {{}, nullptr, 1, &waited, 1, chains, images, nullptr};
  for (const VkResult one : {VK_ERROR_OUT_OF_DATE_KHR, VK_ERROR_DEVICE_LOST, VK_ERROR_SURFACE_LOST_KHR})
    call<CommandId::vkQueuePresentKHR>({queue_, &info}, one);
  read();
  const std::string start = "present -.0 waits 52 shows 50.1 result ";
  EXPECT_EQ(batches(), (Lines{start + "? fence 53 id 7 shows 51.2 result ? fence 0 id 8",
                              start + "-1000001004 fence 0 id 0", start + "-1000000000 fence 0 id 0"}));
}

TEST_F(SubmitsTest, WaitsAndPollsOfFences) {
  const VkFence fences[] = {fence(), fence()};
  says<CommandId::vkWaitForFences>(Kind::wait_fences, " 50 51 any timeout 7", {device_, 2, fences, VK_FALSE, 7});
  says<CommandId::vkWaitForFences>(Kind::wait_fences, "! 50 51", {device_, 2, fences, VK_TRUE, 0}, VK_TIMEOUT);
  says<CommandId::vkWaitForFences>(Kind::wait_fences, " 50", {device_, 1, fences, VK_FALSE, 0});
  says<CommandId::vkGetFenceStatus>(Kind::poll_fence, " 51", {device_, fences[1]});
  says<CommandId::vkGetFenceStatus>(Kind::poll_fence, "! 51", {device_, fences[1]}, VK_NOT_READY);
  says<CommandId::vkResetFences>(Kind::reset_fences, " 50 51", {device_, 2, fences});
  const VkImportFenceFdInfoKHR in{{}, nullptr, fences[0], 0, VK_EXTERNAL_FENCE_HANDLE_TYPE_OPAQUE_FD_BIT, 5};
  says<CommandId::vkImportFenceFdKHR>(Kind::import_fence, " 50 shared", {device_, &in});
  read_and_compare();
}

TEST_F(SubmitsTest, WaitsPollsAndSignalsOfSemaphores) {
  expected_ = {std::to_string(static_cast<int>(Kind::make_semaphore)) + " 50=3"};
  const std::vector<VkSemaphore> many(40, timeline(3));
  const VkSemaphore binary = semaphore();
  const std::vector<std::uint64_t> wanted(40, 4);
  std::uint64_t value = 9;
  int fd = -1;
  VkSemaphoreWaitInfo info{{}, nullptr, VK_SEMAPHORE_WAIT_ANY_BIT, 2, many.data(), wanted.data()};
  const VkSemaphoreSignalInfo signal{{}, nullptr, many[0], 6}, wrong{{}, nullptr, binary, 6};
  const VkSemaphoreGetFdInfoKHR out{{}, nullptr, binary, VK_EXTERNAL_SEMAPHORE_HANDLE_TYPE_SYNC_FD_BIT};
  says<CommandId::vkWaitSemaphores>(Kind::wait_semaphores, " 50=4 50=4 any", {device_, &info, 0});
  says<CommandId::vkWaitSemaphores>(Kind::wait_semaphores, "! 50=4 50=4 any timeout 2", {device_, &info, 2},
                                    VK_TIMEOUT);
  says<CommandId::vkGetSemaphoreCounterValue>(Kind::poll_semaphore, " 50=9", {device_, many[0], &value});
  says<CommandId::vkSignalSemaphore>(Kind::signal_semaphore, " 50=6", {device_, &signal});
  says<CommandId::vkSignalSemaphore>(Kind::signal_semaphore, " 51", {device_, &wrong});
  says<CommandId::vkGetSemaphoreFdKHR>(Kind::export_semaphore, " 51 signalled", {device_, &out, &fd});
  // So many values are a blob, which is not loaded. No wait is invented for them.
  info = {{}, nullptr, 0, 40, many.data(), wanted.data()};
  says<CommandId::vkWaitSemaphores>(Kind::wait_semaphores, " 50=0", {device_, &info, 0});
  for (int i = 1; i < 40; ++i) expected_.back() += " 50=0";
  read_and_compare();
}

TEST_F(SubmitsTest, WaitsForQueuesEventsQueriesAndImages) {
  const VkEvent event = create<CommandId::vkCreateEvent, VkEvent>();
  const VkQueryPool pool = create<CommandId::vkCreateQueryPool, VkQueryPool>();
  const VkSwapchainKHR chain = swapchain();
  const VkSemaphore ready = semaphore();
  std::uint32_t image = 2;
  std::uint64_t data[4] = {};
  says<CommandId::vkQueueWaitIdle>(Kind::wait_queue, " 30", {queue_});
  says<CommandId::vkDeviceWaitIdle>(Kind::wait_device, "", {device_});
  says<CommandId::vkSetEvent>(Kind::set_event, " 50 set", {device_, event});
  says<CommandId::vkResetEvent>(Kind::reset_event, " 50", {device_, event});
  says<CommandId::vkGetEventStatus>(Kind::poll_event, " 50 set", {device_, event}, VK_EVENT_SET);
  says<CommandId::vkGetEventStatus>(Kind::poll_event, " 50", {device_, event}, VK_EVENT_RESET);
  args_vkGetQueryPoolResults results{device_, pool, 1, 4, sizeof data, data, 8, VK_QUERY_RESULT_WAIT_BIT};
  says<CommandId::vkGetQueryPoolResults>(Kind::query_results, " 51 waits queries 4", results);
  results.flags = 0;
  says<CommandId::vkGetQueryPoolResults>(Kind::query_results, " 51 queries 4", results);
  says<CommandId::vkGetQueryPoolResults>(Kind::query_results, "! 51 queries 4", results, VK_NOT_READY);
  const args_vkAcquireNextImageKHR acquire{device_, chain, 6, ready, {}, &image};
  says<CommandId::vkAcquireNextImageKHR>(Kind::acquire_image, " 53 52 image 2 timeout 6", acquire, VK_SUBOPTIMAL_KHR);
  says<CommandId::vkAcquireNextImageKHR>(Kind::acquire_image, "! 53 52 timeout 6", acquire, VK_TIMEOUT);
  const VkAcquireNextImageInfoKHR info{{}, nullptr, chain, 6, ready, fence(), 1};
  says<CommandId::vkAcquireNextImage2KHR>(Kind::acquire_image, " 54 53 52 image 2 timeout 6", {device_, &info, &image});
  says<CommandId::vkWaitForPresentKHR>(Kind::wait_present, " 52 timeout 6 id 3", {device_, chain, 3, 6});
  says<CommandId::rondoDeviceIdle>(Kind::found_device_idle, "", {device_});
  says<CommandId::rondoWorkEnded>(Kind::found_work_ended, " 30 unsure ended 2 pending 3", {queue_, 2, 3, VK_TRUE});
  says<CommandId::rondoEventSet>(Kind::found_event_set, " 30 50 set", {queue_, event, 1, nullptr});
  read_and_compare();
}

TEST_F(SubmitsTest, ForgetsWhatEndsAndKnowsNoOtherHandles) {
  const VkSemaphore values = timeline(0), unknown = handle<VkSemaphore>(77);
  call<CommandId::vkDestroySemaphore>({device_, values, nullptr});
  const VkSubmitInfo info{{}, nullptr, 1, &values, &kCopies, 0, nullptr, 1, &unknown};
  call<CommandId::vkQueueSubmit>({queue_, 1, &info, {}});
  read();
  EXPECT_EQ(batches(), (Lines{"commands 0.0 waits 0/copies signals 0"}));
  EXPECT_EQ(name(ended_.at(0)), "50");
  EXPECT_FALSE(submits_.is_timeline(ended_[0]));
}

TEST_F(SubmitsTest, ChecksTheOrderOfCalls) {
  NativeView view;
  codec::Lowered lowered;
  lowered.bytes.resize(sizeof(args_vkDeviceWaitIdle));
  const ObjectTable::Resolution none;
  view.load(lowered, {}, {});
  const Call call(codec::info(CommandId::vkDeviceWaitIdle), view, none, objects_, 4, true, 0);
  submits_.take(call);
  EXPECT_EXIT(submits_.take(call), ::testing::KilledBySignal(SIGABRT), "sequence > last_record_ does not hold");
}

// A script for ExecutionOrder. "a ?1 ?2=5 !3": a batch for queue a waits for semaphore 1 and value 5 of timeline 2, and
// signals 3. Batches are numbered from 0. Of the host: "signal !2=5", "acquire !1", "export !1", "import !1" (of a sync
// fd), "import-1 !1" (of the sync fd -1), "share !1" (by another handle), "end !1".
struct Script {
  Numbers begun;
  ExecutionOrder order;
  std::uint64_t next = 0;
  explicit Script(std::size_t most) : order([this](const Batch& one) { begun.push_back(one.number); }, most) {}

  void take(const std::string& statement) {
    static const std::map<std::string, Kind> kinds = {
        {"signal", Kind::signal_semaphore}, {"acquire", Kind::acquire_image},     {"export", Kind::export_semaphore},
        {"import", Kind::import_semaphore}, {"import-1", Kind::import_semaphore}, {"share", Kind::import_semaphore},
    };
    std::istringstream words(statement);
    std::string what, word;
    Batch batch;
    for (words >> what; words >> word;) {
      const std::size_t at = word.find('=');
      const std::uint64_t value = at != std::string::npos ? std::stoull(word.substr(at + 1)) : 0;
      std::vector<SemaphoreUse>& to = word[0] == '?' ? batch.waits : batch.signals;
      to.push_back({object_at(std::stoul(word.substr(1))), at != std::string::npos, value});
    }
    if (what == "end") return order.ended(batch.signals[0].semaphore);
    if (const auto found = kinds.find(what); found != kinds.end()) {
      HostSync sync;
      sync.kind = found->second, sync.succeeded = true;
      sync.semaphores = batch.signals, sync.is_shared = what == "share", sync.was_signalled = what == "import-1";
      return order.host(sync);
    }
    batch.queue = object_at(std::stoul(what, nullptr, 36) + 1'000'000);
    batch.number = next++;
    order.batch(batch);
  }
  // "BEGUN | PENDING", of all statements so far.
  std::string run(const std::string& script) {
    std::istringstream statements(script);
    std::string out;
    for (std::string one; std::getline(statements, one, ';');) take(one);
    for (const std::uint64_t one : begun) out += std::to_string(one) + " ";
    out += "|";
    for (const Batch* const one : order.pending()) out += " " + std::to_string(one->number);
    return out;
  }
};
std::string run(const std::string& script) { return Script(1000).run(script); }

TEST(ExecutionOrder, QueuesAreInOrderAndWaitForEachOther) {
  EXPECT_EQ(run("signal !7=5; a ?7=5 ?1=5; a ?7=0; b !1=5; b"), "2 0 1 3 |");
  EXPECT_EQ(run("a ?1=5 ?2=1; b !2=1; c !1=4; c !1=5"), "1 2 3 0 |");
  EXPECT_EQ(run("a ?1=5 !2=1; b ?2=1 !3; c ?3; a; signal !1=4; signal !1=3"), "| 0 1 2 3");
  EXPECT_EQ(run("a ?1=5 !2=1; b ?2=1 !3; c ?3; a; signal !1=5; b"), "0 3 1 2 4 |");
}

TEST(ExecutionOrder, BinarySignalsAreTakenOnce) {
  EXPECT_EQ(run("a !1; b ?1; b ?1; a !1; b ?1"), "0 1 3 2 | 4");
  EXPECT_EQ(run("a !1; b ?1 ?1"), "0 1 |");               // twice in one batch
  EXPECT_EQ(run("a !1; a !1; b ?1; b ?1"), "0 1 2 | 3");  // a second signal adds none
  EXPECT_EQ(run("acquire !1; a ?1 !2; b ?2; acquire !1; a ?1"), "0 1 2 |");
  // Batch 1 has the signal of batch 0, though batch 3 is the one that could take it.
  EXPECT_EQ(run("a !1; b ?9=1 ?1 !8=1; a ?8=1 !1; c ?1"), "0 | 1 2 3");
  EXPECT_EQ(run("a !1; b ?9=1 ?1 !8=1; a ?8=1 !1; c ?1; signal !9=1"), "0 1 2 3 |");
}

TEST(ExecutionOrder, PayloadsOfOthersBlockNothing) {
  EXPECT_EQ(run("import !1; a ?1; a ?1"), "0 | 1");
  EXPECT_EQ(run("a ?9=1 !1; export !1; import !2; b ?2; signal !9=1; a ?1"), "0 1 | 2");
  EXPECT_EQ(run("a !1; import !1; export !1; a ?1"), "0 1 |");
  EXPECT_EQ(run("a ?9=1 !1; export !1; import-1 !2; b ?2"), "1 | 0");
  EXPECT_EQ(run("a !1; export !1; a ?9=1; import !2; b ?2"), "0 2 | 1");
  EXPECT_EQ(run("a ?1=7; b ?2; share !1; share !2; b ?2"), "0 1 2 |");
  EXPECT_EQ(run("a ?0 ?0=7 !0; b"), "0 1 |");  // handles that nothing made
}

TEST(ExecutionOrder, ForgetsSemaphoresThatEndOnceNothingNeedsThem) {
  Script script(1000);
  EXPECT_EQ(script.run("a !1 !2=1; b ?1 ?2=1; c ?3=4 !2=2; b ?2=2; c ?2=1; end !1; end !2; end !3"), "0 1 | 2 3 4");
  EXPECT_EQ(script.order.known(), 5u);  // three queues, semaphores 2 and 3
  EXPECT_EQ(script.run("signal !3=4"), "0 1 2 4 3 |");
  EXPECT_EQ(script.order.known(), 3u);
}

TEST(ExecutionOrder, GivesUpWhereTooMuchIsPending) {
  Script script(22);
  EXPECT_EQ(script.run("a ?1=1; b ?2 !3; c ?3; a !3"), "| 0 1 2 3");
  EXPECT_EQ(script.run("b; a ?7; signal !7=1"), "0 1 2 3 4 5 |");
  EXPECT_TRUE(script.order.gave_up() && script.order.known() == 0);
}

TEST(ExecutionOrder, ChecksWhatItIsGiven) {
  bool calls = true;
  ExecutionOrder order([&](const Batch&) { calls ? order.ended(object_at(1)) : void(); });
  EXPECT_EXIT(order.batch({}), ::testing::KilledBySignal(SIGABRT), "!is_busy_ does not hold");
  calls = false;
  order.batch({});
  EXPECT_EXIT(order.batch({}), ::testing::KilledBySignal(SIGABRT), "batch.number >= next_number_ does not hold");
}

// To look at each of the queues for each signal would take minutes.
TEST(ExecutionOrder, LooksOnlyAtQueuesThatCanGoOn) {
  Script script(1 << 20);
  for (int i = 0; i < 50'000; ++i) script.take(std::to_string(i) + " ?1=1000000");
  HostSync sync;
  sync.kind = Kind::signal_semaphore, sync.succeeded = true, sync.semaphores = {{object_at(1), true}};
  while (++sync.semaphores[0].value < 1'000'000) script.order.host(sync);
  EXPECT_TRUE(script.begun.empty());
  script.order.host(sync);
  EXPECT_EQ(script.begun.size(), 50'000u);
}

TEST(ExecutionOrder, IsThatOfAModelThatLooksAtAllBatchesAgain) {
  std::mt19937 random(5);
  for (int round = 0; round < 300; ++round) {
    Script script(1000);
    std::vector<Batch> held;
    std::map<ObjectId, std::uint64_t> values;
    Numbers begun;
    for (std::uint64_t i = 0; i < 60; ++i) {
      Batch batch;
      batch.number = i, batch.queue = object_at(random() % 4);
      for (std::vector<SemaphoreUse>* const to : {&batch.waits, &batch.signals})
        for (std::size_t k = random() % 3; k != 0; --k)
          to->push_back({object_at(1 + random() % 3), true, random() % 9});
      script.order.batch(batch);
      held.push_back(batch);
      const auto can_begin = [&](const Batch& one) {
        for (const Batch& other : held)
          if (other.queue == one.queue && other.number < one.number) return false;
        for (const SemaphoreUse& use : one.waits)
          if (values[use.semaphore] < use.value) return false;
        return true;
      };
      for (auto at = held.begin(); (at = std::find_if(held.begin(), held.end(), can_begin)) != held.end();) {
        for (const SemaphoreUse& use : at->signals) values[use.semaphore] = std::max(values[use.semaphore], use.value);
        begun.push_back(at->number);
        held.erase(at);
      }
      Numbers sorted = script.begun;
      std::sort(sorted.begin(), sorted.end()), std::sort(begun.begin(), begun.end());
      ASSERT_EQ(sorted, begun) << round;
    }
  }
}

}  // namespace
}  // namespace rondo::model
