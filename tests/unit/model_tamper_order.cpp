// SPDX-License-Identifier: Apache-2.0
// Checks of the order of records and batches, and of what lies where in memory.
#include "tests/unit/model_tamper.h"
#include "tests/unit/tamper.h"

namespace rondo::model {
namespace {

using test::handle;
using test::Seed;
using test::Tamper;

// --- Records ---

struct Records : test::Played {
  std::vector<std::string> lines;
  std::unique_ptr<Reader> reader;
  std::unique_ptr<Stream> stream;
  Step step;

  void open() {
    mark_here();
    mark_here();
    capture.finish();
    auto opened = Reader::open(file.path());
    ASSERT_TRUE(opened);
    reader = std::move(*opened);
    stream = std::make_unique<Stream>(*reader);
    ASSERT_TRUE(stream->fetch(step));
    ASSERT_TRUE(stream->decode(step));
  }
  void resolve() {
    stream->resolve(step);
    lines.push_back(std::to_string(step.record.sequence));
  }
};
// Has no mark of a capture that is played.
struct Steps {
  Records records;
  std::vector<std::string>& lines = records.lines;
};
const Seed<Steps> kSteps[] = {
    {"ParametersAreOfAnotherRecord", [](Steps& s) { s.records.open(); },
     [](Steps& s) { Tamper::decoded(*s.records.stream) = 2; }, [](Steps& s) { s.records.resolve(); },
     "step.record.sequence == decoded_"},
    {"ARecordComesAfterALaterOne", [](Steps& s) { s.records.open(); },
     [](Steps& s) { Tamper::resolved(*s.records.stream) = 2; }, [](Steps& s) { s.records.resolve(); },
     "step.record.sequence >= resolved_"},
};
class TamperedStream : public ::testing::TestWithParam<Seed<Steps>> {};
TEST_P(TamperedStream, FailsACheck) { test::expect_check_fails(GetParam()); }
INSTANTIATE_TEST_SUITE_P(Seeds, TamperedStream, ::testing::ValuesIn(kSteps), test::NameOfSeed());

// --- Batches as they are submitted ---

struct Submitted : test::Played, SubmitSink {
  std::vector<std::string> lines;
  Submits submits{*this};
  bool breaks_batch = false;

  void batch(const Batch& one) override {
    lines.push_back("batch " + std::to_string(one.number) + "." + std::to_string(one.index));
    if (breaks_batch) Tamper::batch(submits).index += 1;
  }
  template <class Violate>
  void play(const Violate& violate) {
    play_to(violate, [&](const Call& call) { submits.take(call); });
  }
  void submit() {
    const VkSubmitInfo infos[2]{};
    call(CommandId::vkQueueSubmit, args_vkQueueSubmit{handle<VkQueue>(0x30), 2, infos, VK_NULL_HANDLE});
  }
};
const Seed<Submitted> kSubmitted[] = {
    {"ACallComesAfterALaterOne", [](Submitted&) {}, [](Submitted& s) { Tamper::last_record(s.submits) = 1000; },
     [](Submitted& s) { s.submit(); }, "c.sequence > last_record_"},
    {"ABatchOfACallIsLeftOut", [](Submitted&) {}, [](Submitted& s) { s.breaks_batch = true; },
     [](Submitted& s) { s.submit(); }, "batch_.index + 1 == index"},
};
class TamperedSubmits : public ::testing::TestWithParam<Seed<Submitted>> {};
TEST_P(TamperedSubmits, FailACheck) { test::expect_check_fails(GetParam()); }
INSTANTIATE_TEST_SUITE_P(Seeds, TamperedSubmits, ::testing::ValuesIn(kSubmitted), test::NameOfSeed());

// --- Batches as they run ---

struct Ordered {
  static constexpr ObjectId kQueue = object_at(1), kOther = object_at(2), kSemaphore = object_at(3),
                            kSecond = object_at(4);
  std::vector<std::string> lines;
  ExecutionOrder order{[this](const Batch& one) { lines.push_back(std::to_string(one.number)); }};
  std::uint64_t number = 0;

  void submit(std::vector<SemaphoreUse> waits, ObjectId queue = kQueue) {
    Batch one;
    one.number = number++;
    one.queue = queue;
    one.waits = std::move(waits);
    order.batch(one);
  }
  static SemaphoreUse use(ObjectId semaphore, std::uint64_t value) {
    return {.semaphore = semaphore, .timeline = true, .value = value};
  }
  void wait(std::uint64_t value = 2) { submit({use(kSemaphore, value)}); }
  void signal(std::uint64_t value = 2) {
    HostSync sync;
    sync.kind = HostSync::Kind::signal_semaphore;
    sync.succeeded = true;
    sync.semaphores.push_back(use(kSemaphore, value));
    order.host(sync);
  }
  auto& semaphore() { return Tamper::semaphore(order, kSemaphore); }
};
constexpr auto kWaits = [](Ordered& s) { s.wait(); };
constexpr auto kSignals = [](Ordered& s) { s.signal(); };
const Seed<Ordered> kOrdered[] = {
    {"ABatchHasTheNumberOfOneBefore", kWaits, [](Ordered& s) { Tamper::next_number(s.order) = 100; }, kWaits,
     "batch.number >= next_number_"},
    {"WhoTakesBatchesCallsTheOrder", kWaits, [](Ordered& s) { Tamper::is_busy(s.order) = true; }, kSignals,
     "!is_busy_"},
    {"ABatchIsHeldAndNotCounted", kWaits, [](Ordered& s) { Tamper::held(s.order) = 0; }, kSignals, "held_ >= size"},
    {"AWaitIsNotCounted", kWaits, [](Ordered& s) { s.semaphore().uses = 0; }, kSignals, "semaphore.uses != 0"},
    {"AWaiterIsOfAQueueWithoutBatches",
     [](Ordered& s) {
       s.submit({}, Ordered::kOther);
       s.wait();
     },
     [](Ordered& s) { s.semaphore().waiters.front().queue = &Tamper::queue(s.order, Ordered::kOther); }, kSignals,
     "!waiter.queue->batches.empty()"},
    {"AQueueWaitsForAnotherSemaphore",
     [](Ordered& s) {
       s.submit({Ordered::use(Ordered::kSecond, 1)}, Ordered::kOther);
       s.wait();
     },
     [](Ordered& s) { s.semaphore().waiters.front().queue = &Tamper::queue(s.order, Ordered::kOther); }, kSignals,
     "waits[step.next].semaphore == &semaphore"},
    {"ABatchHasPassedItsWait", kWaits,
     [](Ordered& s) { Tamper::queue(s.order, Ordered::kQueue).batches.front().step.next = 1; }, kSignals,
     "step.next < step.waits.size()"},
    {"ASemaphoreThatIsWaitedForIsForgotten", kWaits, [](Ordered& s) { s.semaphore().uses = 0; },
     [](Ordered& s) { s.order.ended(Ordered::kSemaphore); }, "waiters.empty()"},
    {"AValueIsReachedAndItsWaiterWaits", kWaits, [](Ordered& s) { s.semaphore().value = 3; }, kSignals,
     "semaphore.value < semaphore.waiters.front().value"},
    {"ABatchIsHeldBehindALaterOne", kWaits,
     [](Ordered& s) { Tamper::queue(s.order, Ordered::kQueue).batches.back().batch.number = 1000; }, kWaits,
     "queue.batches.back().batch.number < batch.number"},
};
class TamperedOrder : public ::testing::TestWithParam<Seed<Ordered>> {};
TEST_P(TamperedOrder, FailsACheck) { test::expect_check_fails(GetParam()); }
INSTANTIATE_TEST_SUITE_P(Seeds, TamperedOrder, ::testing::ValuesIn(kOrdered), test::NameOfSeed());

// --- Places in memory ---

struct Placed : test::Played {
  static constexpr VkDeviceSize kPage = 65536;
  std::vector<std::string> lines;
  Placement placement;
  VkDeviceMemory memory = VK_NULL_HANDLE;
  VkBuffer buffer = VK_NULL_HANDLE;
  VkAccelerationStructureKHR structure = VK_NULL_HANDLE;

  // After each call but the mark: what lies in the memory, and where the buffer lies.
  template <class Violate>
  void play(const Violate& violate) {
    play_to(violate, [&](const Call& call) {
      placement.take(call);
      if (call.command.id == CommandId::vkDeviceWaitIdle) return;
      std::string line;
      for (const ObjectId one : placement.on(id(memory), 0, 8 * kPage)) line += std::to_string(index_of(one)) + " ";
      Touch touch;
      touch.object = id(buffer);
      touch.size = VK_WHOLE_SIZE;
      for (const Placement::Range& one : placement.bytes_of(touch).ranges)
        line += std::to_string(one.offset) + ":" + std::to_string(one.size) + " ";
      line += std::to_string(placement.pieces_of(id(buffer)).size());
      lines.push_back(line);
    });
  }
  void make_buffer(VkBufferCreateFlags flags = 0) {
    VkMemoryAllocateInfo allocate{};
    allocate.allocationSize = 4 * kPage;
    memory = make<VkDeviceMemory, args_vkAllocateMemory>(CommandId::vkAllocateMemory, allocate);
    VkBufferCreateInfo info{};
    info.size = 4 * kPage;
    info.flags = flags;
    buffer = make<VkBuffer, args_vkCreateBuffer>(CommandId::vkCreateBuffer, info);
  }
  void bind() {
    make_buffer();
    call(CommandId::vkBindBufferMemory, args_vkBindBufferMemory{device, buffer, memory, 0});
    VkAccelerationStructureCreateInfoKHR info{};
    info.buffer = buffer;
    info.size = 256;
    structure = make<VkAccelerationStructureKHR, args_vkCreateAccelerationStructureKHR>(
        CommandId::vkCreateAccelerationStructureKHR, info);
  }
  void bind_page(VkDeviceSize at, VkDeviceMemory to) {
    const VkSparseMemoryBind page{at * kPage, kPage, to, at * kPage, 0};
    const VkSparseBufferMemoryBindInfo info{buffer, 1, &page};
    VkBindSparseInfo batch{};
    batch.bufferBindCount = 1;
    batch.pBufferBinds = &info;
    call(CommandId::vkQueueBindSparse, args_vkQueueBindSparse{handle<VkQueue>(0x30), 1, &batch, VK_NULL_HANDLE});
  }
  void bind_pages() {
    make_buffer(VK_BUFFER_CREATE_SPARSE_BINDING_BIT);
    bind_page(0, memory);
    bind_page(1, memory);
  }
  void destroy() { call(CommandId::vkDestroyBuffer, args_vkDestroyBuffer{device, buffer, nullptr}); }
  void unbind_page() { bind_page(0, VK_NULL_HANDLE); }

  auto& resource() { return Tamper::resource(placement, id(buffer)); }
  RangeIndex& placed() { return Tamper::placed(placement, id(memory)); }
};
constexpr auto kBound = [](Placed& s) { s.bind(); };
constexpr auto kPages = [](Placed& s) { s.bind_pages(); };
constexpr auto kDestroyed = [](Placed& s) { s.destroy(); };
constexpr auto kUnbound = [](Placed& s) { s.unbind_page(); };
const Seed<Placed> kPlaced[] = {
    {"ABufferIsNotInTheIndexOfItsMemory", kBound,
     [](Placed& s) {
       s.placed().remove({0, 4 * Placed::kPage, s.id(s.buffer), 0});
     },
     kDestroyed, "by_length_.end()"},
    {"ABufferLiesElsewhereThanTheIndexSays", kBound, [](Placed& s) { s.resource().parts[0].offset = 256; },
     [](Placed& s) {
       s.call(CommandId::vkDestroyBuffer, args_vkDestroyBuffer{s.device, s.buffer, nullptr});
     },
     "found != entries->second.end()"},
    {"TheMemoryOfABufferIsLost", kBound, [](Placed& s) { Tamper::lose_memory(s.placement, s.id(s.memory)); },
     kDestroyed, "use != nullptr"},
    {"TheIndexNamesAnObjectThatIsGone", kBound, [](Placed& s) { Tamper::lose_resource(s.placement, s.id(s.buffer)); },
     [](Placed& s) { s.call(CommandId::vkQueueWaitIdle, args_vkQueueWaitIdle{handle<VkQueue>(0x30)}); },
     "resource != nullptr"},
    {"AStructureIsOfAnotherBuffer", kBound,
     [](Placed& s) { Tamper::structure(s.placement, s.id(s.structure)).buffer = object_at(1); }, kDestroyed,
     "structure->buffer == id"},
    {"APartThatHasBytesIsInNoMemory", kBound, [](Placed& s) { s.resource().parts[0].memory = ObjectId::null; },
     [](Placed& s) { s.call(CommandId::vkQueueWaitIdle, args_vkQueueWaitIdle{handle<VkQueue>(0x30)}); },
     "part.memory != ObjectId::null"},
    {"APieceIsNotCountedForItsMemory", kPages, [](Placed& s) { s.resource().sparse->memories.clear(); }, kUnbound,
     "pieces != sparse.memories.end()"},
    {"PiecesAreNotCounted", kPages, [](Placed& s) { Tamper::pieces(s.placement) = 0; }, kUnbound, "pieces_ > 0"},
    {"APieceIsShorterThanTheIndexSays", kPages,
     [](Placed& s) { Tamper::first_piece(s.resource().sparse->pages).end -= 256; }, kUnbound, "by_length_.end()"},
    {"APieceEndsBeforeItBegins", kPages,
     [](Placed& s) {
       auto& piece = Tamper::first_piece(s.resource().sparse->pages);
       piece.begin = piece.end + 1;
     },
     [](Placed& s) { s.call(CommandId::vkQueueWaitIdle, args_vkQueueWaitIdle{handle<VkQueue>(0x30)}); }, "from < to"},
};
class TamperedPlacement : public ::testing::TestWithParam<Seed<Placed>> {};
TEST_P(TamperedPlacement, FailsACheck) { test::expect_check_fails(GetParam()); }
INSTANTIATE_TEST_SUITE_P(Seeds, TamperedPlacement, ::testing::ValuesIn(kPlaced), test::NameOfSeed());

TEST(UnnoticedPlacement, AMemoryThatIsTooSmallIsNotNoticed) {
  test::expect_unnoticed<Placed>(
      {"AMemoryIsTooSmall", kBound, [](Placed& s) { Tamper::size_of_memory(s.placement, s.id(s.memory)) = 16; },
       [](Placed& s) { s.destroy(); }, "it would cost a look-up for each answer; Placement::check() finds it"});
}

}  // namespace
}  // namespace rondo::model
