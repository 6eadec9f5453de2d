// SPDX-License-Identifier: Apache-2.0
// What a capture says about work that was given to queues, and about waits and signals of the host. Which batch can run
// when: submit_order.h. No device. One thread.
// Specification: "Command Buffer Submission", "Semaphores", "Fences", "Events", "Sparse Resources" ("Queue Binding"),
// "Window System Integration" (acquire and present).
#pragma once

#include <cstdint>
#include <optional>
#include <unordered_set>
#include <vector>

#include "format/check.h"
#include "generated/args.h"
#include "model/call.h"
#include "model/second_form.h"

namespace rondo::model {

// A semaphore that is waited for, signalled or read.
struct SemaphoreUse {
  ObjectId semaphore = ObjectId::null;  // null: nothing in the capture made the handle
  bool timeline = false;                // as vkCreateSemaphore says
  std::uint64_t value = 0;              // of a timeline semaphore; 0: a binary one, or the value is not in the file
  // Of a batch. Its wait: the stages that begin after the wait. Its signal: the stages that end before the signal.
  // Sparse binds and presents name no stages; they have ALL_COMMANDS.
  VkPipelineStageFlags2 stages = 0;
};

// An image that a present shows by a swapchain.
struct PresentedImage {
  static constexpr std::uint32_t kUnknown = UINT32_MAX;
  ObjectId swapchain = ObjectId::null;
  std::uint32_t image = kUnknown;  // index into the images of the swapchain
  // Of this swapchain. None: it is not known. The layer records the result of the call only, which is that of the
  // swapchain where there is one.
  std::optional<VkResult> result;
  ObjectId fence = ObjectId::null;  // signalled when the present is done (VkSwapchainPresentFenceInfoEXT)
  std::uint64_t present_id = 0;     // VkPresentIdKHR; 0: none
};

// Work that a queue begins and ends as a whole.
struct Batch {
  enum class Kind : std::uint8_t {
    commands,     // a VkSubmitInfo or VkSubmitInfo2
    sparse_bind,  // a VkBindSparseInfo
    present,      // a vkQueuePresentKHR
  } kind{};
  static constexpr std::uint64_t kNoSubmit = UINT64_MAX;

  std::uint64_t record = 0;          // sequence number of the call
  std::uint32_t index = 0;           // of the batch, in its call
  std::uint64_t number = 0;          // of the batch, in the capture: counts batches of all kinds from 0
  std::uint64_t submit = kNoSubmit;  // as model::Stream counts submits; kNoSubmit: it is no submit
  ObjectId queue = ObjectId::null, device = ObjectId::null;
  // All of the batch, in the order of the call. Handles that nothing in the capture made are there, too, as null.
  std::vector<SemaphoreUse> waits, signals;
  std::vector<ObjectId> command_buffers;
  std::vector<PresentedImage> images;
  // Signalled when this batch and all batches before it on its queue have ended. It belongs to the last batch of the
  // call. A call with a fence and without batches has a batch that does nothing else: of the call's kind, no submit.
  ObjectId fence = ObjectId::null;
};

// What the host does: it waits for work, asks whether work has ended, signals or resets something.
struct HostSync {
  enum class Kind : std::uint8_t {
    wait_fences,       // vkWaitForFences
    poll_fence,        // vkGetFenceStatus
    reset_fences,      // vkResetFences
    export_fence,      // vkGetFenceFdKHR
    import_fence,      // vkImportFenceFdKHR
    make_semaphore,    // vkCreateSemaphore of a timeline semaphore; `semaphores` has its first value
    wait_semaphores,   // vkWaitSemaphores
    poll_semaphore,    // vkGetSemaphoreCounterValue; `semaphores` has the value that the program read
    signal_semaphore,  // vkSignalSemaphore
    export_semaphore,  // vkGetSemaphoreFdKHR
    import_semaphore,  // vkImportSemaphoreFdKHR
    wait_queue,        // vkQueueWaitIdle
    wait_device,       // vkDeviceWaitIdle
    set_event,         // vkSetEvent
    reset_event,       // vkResetEvent
    poll_event,        // vkGetEventStatus
    query_results,     // vkGetQueryPoolResults
    acquire_image,     // vkAcquireNextImageKHR, vkAcquireNextImage2KHR; `semaphores` has at most one
    wait_present,      // vkWaitForPresentKHR
    // Rondo's own records. The program did not wait or ask.
    found_device_idle,  // rondoDeviceIdle
    found_work_ended,   // rondoWorkEnded
    found_event_set,    // rondoEventSet: in a cut, before rondoCut: the event is set, by work of this queue
  } kind{};

  std::uint64_t record = 0;  // sequence number of the call
  ObjectId device = ObjectId::null;
  // The call did what it is for: the wait ended, the answer is known, the image was acquired. False: it failed, timed
  // out or was told "not ready", and it orders nothing. A poll of an event succeeds with either answer.
  bool succeeded = false;
  VkResult result = VK_SUCCESS;

  std::vector<ObjectId> fences;
  std::vector<SemaphoreUse> semaphores;
  // Waits: all fences or semaphores are meant. False: one of several is enough; the capture does not say which one.
  bool all = true;
  std::uint64_t timeout = 0;                       // waits and acquires, in nanoseconds; 0: it does not wait
  ObjectId queue = ObjectId::null;                 // wait_queue, found_work_ended, found_event_set
  ObjectId event = ObjectId::null;                 // *_event, found_event_set
  bool is_set = false;                             // the event, after the call
  ObjectId swapchain = ObjectId::null;             // acquire_image, wait_present
  std::uint32_t image = PresentedImage::kUnknown;  // acquire_image: index into the swapchain's images
  std::uint64_t present_id = 0;                    // wait_present: this present, or a later one, is done
  ObjectId query_pool = ObjectId::null;            // query_results
  std::uint32_t first_query = 0, query_count = 0;  // … of which all are available
  bool waits_for_queries = false;                  // … VK_QUERY_RESULT_WAIT_BIT
  // export_*, import_*. Shared: by a handle that is no sync fd. Others may signal the semaphore or fence from then on,
  // and the capture does not say when.
  bool is_shared = false;
  bool was_signalled = false;  // … the sync fd is -1: the payload was signalled already
  // found_work_ended. Of the calls that submitted to the queue before this record, the last `pending` may still run.
  // The `ended` calls before those have ended. Unsure: they may also have ended after this record.
  std::uint32_t ended = 0, pending = 0;
  bool is_unsure = false;
};

// Takes what a capture says, in its order. What it is given is there until the method returns.
class SubmitSink {
 public:
  virtual ~SubmitSink() = default;
  virtual void batch(const Batch&) {}
  virtual void host(const HostSync&) {}
  // The object, of any type, is gone. No later batch and nothing of the host names it.
  virtual void ended(ObjectId) {}
};

class Submits {
 public:
  explicit Submits(SubmitSink& sink) : sink_(sink) {}

  // The capture is a cut: calls before its rondoCut take no submit numbers (Stream::expect_cut()).
  void expect_cut() { is_in_front_ = true; }

  // Every record that is not the layer's own, in order, in its first or second form. A submit that failed has no
  // batches here, but takes its submit numbers. A present that the presentation engine rejected is a batch: it waits
  // for its semaphores all the same.
  void take(const Call& c);

  // Whether take() looks at the parameters of this command: load() must load its arrays and settle its enumerants. An
  // array of numbers that is left out is taken for zeros.
  static bool reads(CommandId canonical);

  bool is_timeline(ObjectId semaphore) const { return timelines_.count(semaphore) != 0; }

 private:
  friend struct test::Tamper;
  void submit(const Call& c);  // of the second form
  void bind_sparse(const Call& c);
  void present(const Call& c);
  void make_semaphore(const Call& c);
  void host(HostSync& sync);

  void begin(const Call& c, Batch::Kind kind, std::uint32_t index);
  void give();
  void give_fence(const Call& c, Batch::Kind kind, ObjectId fence);
  SemaphoreUse use(const Call& c, const VkSemaphore& semaphore, std::uint64_t value,
                   VkPipelineStageFlags2 stages) const;

  SubmitSink& sink_;
  SecondForm second_;
  Batch batch_;  // that is being made
  std::unordered_set<ObjectId> timelines_;
  std::uint64_t last_record_ = 0;  // sequence number of the call that was taken last; 0: none
  std::uint64_t batches_ = 0;
  std::uint64_t submits_ = 0;
  bool is_in_front_ = false;
};

}  // namespace rondo::model
