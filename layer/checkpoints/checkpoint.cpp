// SPDX-License-Identifier: Apache-2.0
#include "layer/checkpoints/checkpoint.h"

#include <algorithm>

#include "format/unverified.h"
#include "layer/driver/state.h"
#include "layer/memory/compare.h"
#include "layer/recorder/log.h"
#include "model/gpu/zero_fill.h"

namespace rondo::layer {

namespace {

// How long the program is held for work that may be waiting for the program, ns;
// half of that after each time in vain.
constexpr std::uint64_t kPatience = 50'000'000;
constexpr std::uint64_t kLeastPatience = 100'000;
// … and where nothing can be: what was submitted ends by itself.
constexpr std::uint64_t kLongPatience = 500'000'000;
// … after a submit whose contents are wanted, however slow the device is. A shader
// that waits for the host to write to memory is not worth more.
constexpr std::uint64_t kMuchPatience = 20'000'000'000;
// All that it is held in vain: so much at once, and then a share of the time that
// passes. What is not in vain costs no more than the work itself takes.
constexpr std::uint64_t kAllowance = 2'000'000'000;
constexpr std::uint64_t kShare = 4;
constexpr int kAttempts = 8;  // against other threads that submit, or write what is being read
constexpr std::uint64_t kImageTimeout = 60'000'000'000;  // ns

// A part of a buffer that is mapped, and its digest.
struct Open {
  RondoRange range;
  Digest digest;
};

bool overlap(const RondoRange& a, std::uint64_t offset, std::uint64_t size) {
  return a.offset < offset + size && offset < a.offset + a.size;
}

}  // namespace

Checkpointer::Checkpointer(DeviceState& device) : device_(device), fences_(device), allowance_(kAllowance, kShare) {}

Checkpointer::~Checkpointer() { give_probe(); }

gpu::Access Checkpointer::access(std::uint64_t timeout_ns) const {
  return {device_.next, device_.device, device_.memory, device_.set_loader_data, timeout_ns};
}

gpu::Readback& Checkpointer::readback(std::uint32_t family) {
  auto& slot = readbacks_[family];
  if (slot == nullptr) slot = std::make_unique<gpu::Readback>(access(kImageTimeout), family);
  return *slot;
}

Checkpointer::Work Checkpointer::work() const {
  const auto lock = host_memory().enter();
  const DeviceMemory& memories = device_.memories;
  return {memories.epoch, memories.signals, HostMemory::idle(device_), memories.host_waits.possible()};
}

Checkpointer::Zeroing* Checkpointer::zeroing(VkFlags can, const std::vector<std::uint32_t>& families) {
  for (const std::uint32_t family : device_.created_families) {
    if (family >= device_.families.size() || (device_.families[family].queueFlags & can) == 0) continue;
    if (!families.empty() && std::find(families.begin(), families.end(), family) == families.end()) continue;
    Zeroing& one = zeroings_[family];
    if (one.commands == nullptr) {
      device_.next->vkGetDeviceQueue(device_.device, family, 0, &one.queue);
      if (device_.set_loader_data != nullptr) device_.set_loader_data(device_.device, one.queue);
      one.commands = std::make_unique<gpu::OneShot>(access(kImageTimeout), family);
    }
    return &one;
  }
  return nullptr;
}

// The program's next call says so too, and is noted.
bool Checkpointer::says_loss(const std::string& reason) const {
  return device_.lost || reason.ends_with("VK_ERROR_DEVICE_LOST");
}

bool Checkpointer::zero(const Memory& memory) {
  const Lock lock = enter_queues();
  constexpr VkFlags fills = VK_QUEUE_GRAPHICS_BIT | VK_QUEUE_COMPUTE_BIT | VK_QUEUE_TRANSFER_BIT;
  const bool visible =
      (device_.memory.memoryTypes[memory.type].propertyFlags & VK_MEMORY_PROPERTY_HOST_VISIBLE_BIT) != 0;
  Zeroing* const by = visible ? nullptr : zeroing(fills);
  const auto done =
      gpu::zero_fill(access(kImageTimeout), memory.handle, memory.size, memory.type,
                     by == nullptr ? VK_NULL_HANDLE : by->queue, by == nullptr ? nullptr : by->commands.get(),
                     device_.software ? gpu::HostPages::give_back : gpu::HostPages::keep);
  if (!done && !says_loss(done.error().message)) note("an allocation could not be zeroed: " + done.error().message);
  return done.has_value();
}

// Behind finished work, so that it neither takes long nor comes late. Why not, or nothing.
std::string Checkpointer::zero(Lock& queues, VkImage image, const std::vector<std::uint32_t>& families,
                               VkSemaphore semaphore) {
  Zeroing* by = zeroing(VK_QUEUE_GRAPHICS_BIT, families);
  if (by == nullptr) by = zeroing(VK_QUEUE_COMPUTE_BIT, families);
  if (by == nullptr) return "no queue that may use it and that the program made can clear images";
  for (int attempt = 0;; ++attempt) {
    const Work before = work();
    if (before.idle) break;
    if (attempt == kAttempts) return "other threads kept submitting";
    VkFence fence = VK_NULL_HANDLE;
    VkResult result = fences_.submit(by->queue, fence);
    if (result != VK_SUCCESS) return gpu::describe("vkQueueSubmit", result);
    queues.unlock();  // what is pending may wait for a submit of another thread
    result = device_.next->vkWaitForFences(device_.device, 1, &fence, VK_TRUE,
                                           before.waits_for_host ? kPatience : kLongPatience);
    queues.lock();
    fences_.give(fence);
    if (result == VK_TIMEOUT) return "work was still pending";
    if (result != VK_SUCCESS) return gpu::describe("vkWaitForFences", result);
    if (work().epoch == before.epoch) break;
  }
  const std::span<const VkSemaphore> there(&semaphore, semaphore != VK_NULL_HANDLE ? 1 : 0);
  const auto done = gpu::zero_swapchain_image(access(kImageTimeout), image, by->queue, *by->commands, there, there);
  return done ? std::string() : done.error().message;
}

void Checkpointer::acquired(VkSwapchainKHR handle, std::uint32_t index, VkSemaphore semaphore, VkFence fence) {
  VkImage image = VK_NULL_HANDLE;
  std::vector<std::uint32_t> families;
  {
    const std::lock_guard guard(device_.swapchain_lock);
    const auto found = device_.swapchains.find(handle);
    if (found == device_.swapchains.end()) return;
    Swapchain& swapchain = found->second;
    if (index >= swapchain.to_zero.size() || !swapchain.to_zero[index]) return;
    swapchain.to_zero[index] = false;
    image = swapchain.images[index];
    families = swapchain.families;
  }
  std::string reason;
  if (semaphore == VK_NULL_HANDLE && fence == VK_NULL_HANDLE)
    reason = "nothing says when it is there";
  else if (semaphore == VK_NULL_HANDLE)
    if (const VkResult result = device_.next->vkWaitForFences(device_.device, 1, &fence, VK_TRUE, kLongPatience);
        result != VK_SUCCESS)
      reason = gpu::describe("vkWaitForFences", result);
  if (reason.empty()) {
    Lock queues = enter_queues();
    reason = zero(queues, image, families, semaphore);
  }
  if (!reason.empty() && !says_loss(reason)) note("a new swapchain's image could not be zeroed: " + reason);
}

// The queue's family, if it can do one of `can`.
std::optional<std::uint32_t> Checkpointer::family_that(const DeviceState& device, VkQueue queue, VkQueueFlags can) {
  for (const Queue& known : device.queues)
    if (known.handle == queue && known.family < device.families.size() &&
        (device.families[known.family].queueFlags & can) != 0)
      return known.family;
  return std::nullopt;
}

std::vector<Checkpointer::Presented> Checkpointer::read(ThreadState* state, VkQueue queue, const VkPresentInfoKHR& info,
                                                        bool& consumed) {
  std::vector<Presented> images(info.swapchainCount);
  std::string reason;
  const auto family = [&] {
    const auto lock = host_memory().enter();
    return family_that(device_, queue, kCopies);
  }();
  if (!family) reason = text_of(Unverified::queue_cannot_copy);
  consumed = false;
  if (reason.empty() && info.waitSemaphoreCount != 0) {
    const std::vector<VkPipelineStageFlags> stages(info.waitSemaphoreCount, VK_PIPELINE_STAGE_ALL_COMMANDS_BIT);
    VkSubmitInfo wait{};
    wait.sType = VK_STRUCTURE_TYPE_SUBMIT_INFO;
    wait.waitSemaphoreCount = info.waitSemaphoreCount;
    wait.pWaitSemaphores = info.pWaitSemaphores;
    wait.pWaitDstStageMask = stages.data();
    const VkResult result = device_.next->vkQueueSubmit(queue, 1, &wait, VK_NULL_HANDLE);
    consumed = result == VK_SUCCESS;
    if (!consumed) reason = gpu::describe("vkQueueSubmit", result);
  }
  for (std::uint32_t i = 0; i < info.swapchainCount; ++i) {
    Presented& image = images[i];
    image.swapchain = info.pSwapchains[i];
    image.index = info.pImageIndices[i];
    image.unverified = reason;
    {
      const std::lock_guard guard(device_.swapchain_lock);
      const auto found = device_.swapchains.find(image.swapchain);
      if (found == device_.swapchains.end() || image.index >= found->second.images.size()) {
        image.unverified = text_of(Unverified::swapchain_unknown);
        continue;
      }
      const Swapchain& swapchain = found->second;
      image.image = swapchain.images[image.index];
      image.format = swapchain.format;
      image.extent = {swapchain.extent.width, swapchain.extent.height, 1};
      if (!swapchain.readable) image.unverified = swapchain.reason;
    }
    if (!image.unverified.empty()) continue;
    gpu::ImageSource source;
    source.image = image.image;
    source.format = image.format;
    source.extent = image.extent;
    source.layout = VK_IMAGE_LAYOUT_PRESENT_SRC_KHR;
    const auto bytes = readback(*family).read(queue, source);
    if (bytes) {
      image.digest = digest_of(*bytes);
      if (state != nullptr && keeps_bytes()) state->add_blob(image.digest, *bytes);
    } else
      image.unverified = bytes.error().message;
  }
  return images;
}

void Checkpointer::write(ThreadState& state, const std::vector<Presented>& images) {
  if (!recording()) return;  // what was read may be of submits that nobody recorded
  for (const Presented& image : images) {
    const args_rondoCheckpointImage args{device_.device,
                                         image.swapchain,
                                         image.index,
                                         image.image,
                                         image.format,
                                         image.extent,
                                         {image.digest.low, image.digest.high},
                                         image.unverified.empty() ? nullptr : image.unverified.c_str()};
    if (!encode_payload(state, state.host_writes, CommandId::rondoCheckpointImage, &args, true)) return;
    write_call(state, CommandId::rondoCheckpointImage, 0, g_hot.writer->take_sequence(), {}, state.host_writes.bytes());
  }
}

void Checkpointer::give_probe() {
  for (VkFence fence : probe_) fences_.give(fence);
  probe_.clear();
}

// A fence behind the work of each queue.
VkResult Checkpointer::start_probe() {
  give_probe();
  std::vector<VkQueue> queues;
  {
    const auto lock = host_memory().enter();
    for (const auto& [queue, progress] : device_.memories.queues) queues.push_back(queue);
    probed_ = device_.memories.epoch;
  }
  timed_out_ = false;
  for (VkQueue queue : queues) {
    VkFence fence = VK_NULL_HANDLE;
    if (const VkResult result = fences_.submit(queue, fence); result != VK_SUCCESS) {
      probed_ = 0;
      return result;
    }
    probe_.push_back(fence);
  }
  return VK_SUCCESS;
}

// Whether everything submitted is finished; then `queues` has been held since
// that was found. It is not held while waiting: what is pending may wait for a
// submit of another thread.
Checkpointer::Settled Checkpointer::settle(Lock& queues, Patience patience, std::string& reason) {
  for (int attempt = 0; attempt < kAttempts; ++attempt) {
    const auto [epoch, signals, idle, waits_for_host] = work();
    if (probed_ != epoch)
      if (const VkResult result = start_probe(); result != VK_SUCCESS) {
        reason = gpu::describe("vkQueueSubmit", result);
        return Settled::no;
      }
    const bool again = timed_out_ && signals_ == signals;
    unsigned& in_vain = in_vain_[waits_for_host ? 1 : 0];
    const auto at_most = [&](std::uint64_t wanted) { return std::max(wanted >> in_vain, kLeastPatience); };
    const std::uint64_t timeout = again                        ? 0
                                  : waits_for_host             ? std::min(at_most(kPatience), allowance_.left())
                                  : patience == Patience::much ? at_most(kMuchPatience)
                                                               : std::min(at_most(kLongPatience), allowance_.left());
    VkResult result = VK_SUCCESS;
    if (!probe_.empty()) {
      queues.unlock();
      result = device_.next->vkWaitForFences(device_.device, static_cast<std::uint32_t>(probe_.size()), probe_.data(),
                                             VK_TRUE, timeout);
      queues.lock();
    }
    if (result == VK_TIMEOUT) {
      timed_out_ = true;
      signals_ = signals;
      if (again) return Settled::still_not;
      allowance_.spend(timeout);
      in_vain = std::min(in_vain + 1, 16u);
      reason = text_of(waits_for_host ? Unverified::work_may_wait : Unverified::work_pending);
      return Settled::no;
    }
    probed_ = 0;  // the fences are used up
    if (result != VK_SUCCESS) {
      reason = gpu::describe("vkWaitForFences", result);
      return Settled::no;
    }
    give_probe();
    if (work().epoch == epoch) {
      in_vain_ = {};
      return Settled::yes;
    }
  }
  reason = text_of(Unverified::others_submit);
  return Settled::no;
}

void Checkpointer::memory(ThreadState& state) {
  const std::lock_guard one(checking_);
  Lock queues = enter_queues();
  {
    const auto lock = host_memory().enter();
    if (checked_ == device_.memories.epoch) return;  // nothing submitted since
  }
  std::string reason;
  const Settled settled = settle(queues, Patience::some, reason);
  const auto lock = host_memory().enter();
  if (settled == Settled::still_not) {
    host_memory().refresh(device_);
    return;
  }
  if (settled == Settled::yes) HostMemory::settled(device_);
  host_memory().record_all(&state);
  if (settled == Settled::yes) {
    checked_ = device_.memories.epoch;
  } else {
    host_memory().refresh(device_);
  }
  for (auto& [handle, known] : device_.memories.memories)
    check(state, *known, settled == Settled::yes ? nullptr : reason.c_str());
}

void Checkpointer::submitted(ThreadState& state) {
  if (device_.resources != nullptr) contents(state, After::submit);
  if (settings().checkpoints >= Checkpoints::readback) imports(state);
}

void Checkpointer::mapped(ThreadState& state, VkDeviceMemory handle) {
  const std::lock_guard one(checking_);
  const Lock queues = enter_queues();
  const auto lock = host_memory().enter();
  Memory* const known = HostMemory::find(device_, handle);
  if (known != nullptr && known->checked != device_.memories.epoch && HostMemory::idle(device_))
    check(state, *known, nullptr);
}

// `unsettled`: why it is not known that devices have finished; null: they have.
void Checkpointer::check(ThreadState& state, Memory& memory, const char* unsettled) {
  if (memory.tracked == nullptr || !memory.device_writable) return;
  const bool settled = unsettled == nullptr;
  if (memory.mapped && settled) memory.checked = device_.memories.epoch;
  if (settled && memory.mapped && memory.tracked->tells_devices_apart()) {
    digest(state, memory);
    return;
  }
  if (settled) {
    memory.tracked->refresh(0, memory::whole, memory::Refresh::everything);
    memory.refreshed = device_.memories.epoch;
  }
  // One range for all of it: what cannot be compared is counted, too. Imported pages had their turn
  // (imports()).
  if (memory.mapped && memory.pages == nullptr)
    write(state, memory, {{0, memory.size}}, {Digest{}}, settled ? why_not_apart(memory) : unsettled);
}

// Whole buffers, changed or not: a write that is missing in the replay may have
// left the bytes as they were. Outside of them, images: what has changed.
void Checkpointer::digest(ThreadState& state, Memory& memory) {
  std::vector<Open> open;
  for (const BoundBuffer& buffer : memory.buffers) {
    const VkDeviceSize from = std::max(buffer.offset, memory.mapped_from);
    const VkDeviceSize to = std::min({buffer.offset + buffer.size, memory.mapped_to, memory.size});
    const VkDeviceSize most = keeps_bytes() ? kPiece : memory.size;
    memory.outside_drivers_own(Memory::Own::all, from, to, [&](VkDeviceSize at, VkDeviceSize end) {
      for (; at < end; at += std::min(most, end - at)) open.push_back({{at, std::min(most, end - at)}, {}});
    });
  }
  const auto bytes = [&](const RondoRange& range) {
    return std::span<const std::byte>(memory.tracked->contents() + (range.offset - memory.map_offset),
                                      static_cast<std::size_t>(range.size));
  };
  const auto place_of = [&](const memory::Range& range) {
    const VkDeviceSize offset = memory.map_offset + range.offset;
    return RondoRange{offset, std::min(range.size, memory.size - std::min(offset, memory.size))};
  };
  const auto in_buffer = [&](const RondoRange& range) {
    return std::any_of(memory.buffers.begin(), memory.buffers.end(),
                       [&](const BoundBuffer& buffer) { return overlap(range, buffer.offset, buffer.size); });
  };
  std::vector<RondoRange> ranges, unclear;
  std::vector<Digest> digests;
  for (int attempt = 0; attempt < kAttempts && (attempt == 0 || !open.empty()); ++attempt) {
    host_memory().record(&state, memory);
    for (const memory::Range& range : memory.tracked->refresh(0, memory::whole, memory::Refresh::everything)) {
      const RondoRange part = place_of(range);
      if (part.size == 0 || in_buffer(part)) continue;
      const VkDeviceSize part_end = part.offset + part.size;
      memory.outside_drivers_own(Memory::Own::all, part.offset, part_end, [&](VkDeviceSize from, VkDeviceSize to) {
        if (range.ambiguous) return unclear.push_back({from, to - from});
        ranges.push_back({from, to - from});
        digests.push_back(digest_of({range.bytes + (from - part.offset), static_cast<std::size_t>(to - from)}));
      });
    }
    memory.refreshed = device_.memories.epoch;
    for (Open& part : open) part.digest = digest_of(bytes(part.range));
    // The same bytes again, and no host write between: these are the bytes that
    // the capture leads to.
    const std::span<const memory::Range> written = host_memory().record(&state, memory);
    std::erase_if(open, [&](const Open& part) {
      for (const memory::Range& range : written)
        if (overlap(part.range, place_of(range).offset, range.size)) return false;
      const std::span<const std::byte> now = bytes(part.range);
      if (!keeps_bytes()) {
        if (digest_of(now) != part.digest) return false;
      } else {
        // A copy: the host may write at any time, and a blob is what its digest says.
        std::vector<std::byte> copy(now.size());
        memory::copy_live(now.data(), copy.data(), now.size());
        if (digest_of(copy) != part.digest) return false;
        state.add_blob(part.digest, copy);
      }
      ranges.push_back(part.range);
      digests.push_back(part.digest);
      return true;
    });
  }
  if (!ranges.empty()) write(state, memory, ranges, digests, nullptr);
  if (!unclear.empty())
    write(state, memory, unclear, std::vector<Digest>(unclear.size()), text_of(Unverified::one_page));
  if (open.empty()) return;
  std::vector<RondoRange> busy;
  for (const Open& part : open) busy.push_back(part.range);
  write(state, memory, busy, std::vector<Digest>(busy.size()), text_of(Unverified::written_while_read));
}

void Checkpointer::write(ThreadState& state, const Memory& memory, const std::vector<RondoRange>& ranges,
                         const std::vector<Digest>& digests, const char* unverified) {
  if (!recording()) return;  // what was digested may be of submits that nobody recorded
  std::vector<RondoDigest> values;
  for (const Digest& digest : digests) values.push_back({digest.low, digest.high});
  const args_rondoCheckpointMemory args{device_.device, memory.handle, static_cast<std::uint32_t>(ranges.size()),
                                        ranges.data(),  values.data(), unverified};
  if (!encode_payload(state, state.host_writes, CommandId::rondoCheckpointMemory, &args, true)) return;
  write_call(state, CommandId::rondoCheckpointMemory, 0, g_hot.writer->take_sequence(), {}, state.host_writes.bytes());
}

}  // namespace rondo::layer
