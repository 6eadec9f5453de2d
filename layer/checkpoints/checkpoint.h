// SPDX-License-Identifier: Apache-2.0
// Digests of contents while the program runs (docs/layer.md, "Checkpoints"), of one device.
//
// Any thread. With checkpoints on, submits, presents and our own submits, of the
// first acquires too, hold the queues' lock: whoever holds it may use any queue of
// the device. It is taken before HostMemory's.
#pragma once

#include <array>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "format/digest.h"
#include "generated/args.h"
#include "layer/driver/allowance.h"
#include "layer/driver/fences.h"
#include "layer/driver/host_memory.h"
#include "layer/recorder/record.h"
#include "model/gpu/one_shot.h"
#include "model/gpu/readback.h"

namespace rondo::layer {

class Checkpointer {
 public:
  explicit Checkpointer(DeviceState& device);
  ~Checkpointer();  // waits for its own submits, as Fences does

  using Lock = std::unique_lock<std::mutex>;
  // A forked child has one thread, and the lock may be one of its parent's.
  Lock enter_queues() { return in_forked_child() ? Lock() : Lock(queues_); }

  // Zeroes a fresh allocation. False, with a note in the capture, where it cannot.
  bool zero(const Memory& memory);

  // After an acquire: an image that nobody acquired before holds what the driver left
  // there, and zeros from here on. `semaphore` is waited for and signalled again; without
  // one, `fence` is waited for.
  void acquired(VkSwapchainKHR swapchain, std::uint32_t index, VkSemaphore semaphore, VkFence fence);

  // --- Everything below: under the queues' lock.

  struct Presented {
    VkSwapchainKHR swapchain = VK_NULL_HANDLE;
    std::uint32_t index = 0;
    VkImage image = VK_NULL_HANDLE;
    VkFormat format = VK_FORMAT_UNDEFINED;
    VkExtent3D extent{};
    Digest digest;
    std::string unverified;  // why there is no digest
  };
  // Waits for the present's semaphores on `queue` and reads the images. `consumed`
  // becomes true when the semaphores are unsignalled thereby.
  std::vector<Presented> read(ThreadState* state, VkQueue queue, const VkPresentInfoKHR& info, bool& consumed);
  void write(ThreadState& state, const std::vector<Presented>& images);  // inside the critical section

  // vkQueueWaitIdle without holding a lock while waiting: a fence behind all work.
  VkResult begin_wait(VkQueue queue, VkFence& fence) { return fences_.submit(queue, fence); }
  void end_wait(VkFence fence) { fences_.give(fence); }

  // --- After a successful wait, under no lock: digests what devices can write of
  // mapped memory, if all that was submitted is finished or soon will be.
  void memory(ThreadState& state);
  // After a map: the same of this memory, where the program has waited for all that
  // was submitted, and was not told of this memory then, which was not mapped.
  void mapped(ThreadState& state, VkDeviceMemory handle);
  // After a submit that the driver took, if all that was submitted is finished, or will be by itself: what
  // devices may have written of pages that the program imported, before those bytes are recorded as its own;
  // with checkpoints of submits what submits may have written of buffers and images, too.
  void submitted(ThreadState& state);
  // What submits may have written of buffers and images. After a wait: what was still pending after its
  // submit.
  enum class After { submit, wait };
  void contents(ThreadState& state, After after);

 private:
  // Graphics and compute queues can copy, whether they say so or not.
  static constexpr VkQueueFlags kCopies = VK_QUEUE_GRAPHICS_BIT | VK_QUEUE_COMPUTE_BIT | VK_QUEUE_TRANSFER_BIT;
  static constexpr VkDeviceSize kPiece = 4u << 20;  // of a buffer that is kept: what did not change is kept once
  struct Work {
    std::uint64_t epoch, signals;  // of DeviceMemory
    bool idle;                     // all that was submitted is known to be finished
    bool waits_for_host;           // it may wait for what the program does next
  };
  Work work() const;
  enum class Settled { yes, no, still_not };  // still_not: and nothing has happened since it was told
  // How long it waits for work that ends by itself: a while, or as long as that takes.
  enum class Patience { some, much };
  Settled settle(Lock& queues, Patience patience, std::string& reason);
  VkResult start_probe();
  void give_probe();
  void check(ThreadState& state, Memory& memory, const char* unsettled);
  // checkpoint_imports.cpp
  void imports(ThreadState& state);
  void digest_import(ThreadState& state, Memory& memory);
  void digest(ThreadState& state, Memory& memory);
  // checkpoint_submit.cpp
  struct Content;
  class WriteLog;
  static const char* why_not_at_once(const Memory& memory, After after);
  void choose_queues(std::vector<Content>& contents, After after) const;
  void digest(ThreadState& state, std::vector<Content>& contents);
  void write(ThreadState& state, VkQueue queue, const std::vector<const Content*>& contents, const char* unverified);
  // Whether the capture gets the contents, too, under their digests.
  static bool keeps_bytes() { return settings().checkpoints >= Checkpoints::submit; }
  // What is zeroed with, of one queue family.
  struct Zeroing {
    VkQueue queue = VK_NULL_HANDLE;
    std::unique_ptr<gpu::OneShot> commands;
  };
  bool says_loss(const std::string& reason) const;
  // Of the first family that the program asked for, that can do one of `can`, and that is
  // one of `families`, if there are any. Null: none.
  Zeroing* zeroing(VkFlags can, const std::vector<std::uint32_t>& families = {});
  std::string zero(Lock& queues, VkImage image, const std::vector<std::uint32_t>& families, VkSemaphore semaphore);
  static std::optional<std::uint32_t> family_that(const DeviceState& device, VkQueue queue, VkQueueFlags can);
  gpu::Access access(std::uint64_t timeout_ns) const;
  gpu::Readback& readback(std::uint32_t family);
  void write(ThreadState& state, const Memory& memory, const std::vector<RondoRange>& ranges,
             const std::vector<Digest>& digests, const char* unverified);

  DeviceState& device_;
  std::mutex queues_;
  std::map<std::uint32_t, std::unique_ptr<gpu::Readback>> readbacks_;  // by queue family
  std::map<std::uint32_t, Zeroing> zeroings_;                          // by queue family
  Fences fences_;

  // Memory checkpoints are made one at a time; what follows is theirs.
  std::mutex checking_;         // before the queues' lock
  std::uint64_t checked_ = 0;   // DeviceMemory::epoch at the last one
  std::uint64_t read_ = 0;      // … at the last one of contents
  std::vector<VkFence> probe_;  // behind all that was submitted up to probed_
  std::uint64_t probed_ = 0;    // DeviceMemory::epoch, or 0
  bool timed_out_ = false;      // they had not signalled in time
  std::uint64_t signals_ = 0;   // DeviceMemory::signals then
  // How often in a row the program was held for nothing, by whether the work may have waited for it.
  std::array<unsigned, 2> in_vain_{};
  Allowance allowance_;
};

}  // namespace rondo::layer
