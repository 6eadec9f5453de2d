// SPDX-License-Identifier: Apache-2.0
// Checkpoints of submits: what they may have written, digested behind each.
#include <algorithm>
#include <iterator>
#include <set>
#include <tuple>

#include "format/unverified.h"
#include "layer/checkpoints/checkpoint.h"
#include "layer/checkpoints/resources.h"
#include "layer/driver/state.h"

namespace rondo::layer {

namespace {

constexpr int kReads = 4;  // against a host that writes what is being read

}  // namespace

struct Checkpointer::Content {
  Resources::Part part;
  VkQueue queue = VK_NULL_HANDLE;  // that reads it
  std::uint32_t family = 0;        // its family
  Digest digest;
};

// Keeps which host writes are recorded while something is read, by other threads, too.
// All of it in the critical section, but for beginning and end, which enter it.
class Checkpointer::WriteLog {
 public:
  WriteLog(DeviceState& device, ThreadState& state) : device_(device), state_(state) {
    const auto lock = host_memory().enter();
    log(true);
  }
  ~WriteLog() {
    const auto lock = host_memory().enter();
    log(false);
  }
  WriteLog(const WriteLog&) = delete;
  WriteLog& operator=(const WriteLog&) = delete;

  // Pending host writes come before what is read now; what is logged is in order, for wrote().
  void record() {
    host_memory().record_told_apart(state_);
    for (auto& [handle, memory] : device_.memories.memories) merge(memory->logged);
  }
  void clear() {
    for (auto& [handle, memory] : device_.memories.memories) memory->logged.clear();
  }
  // Whether the host wrote to it since clear().
  bool wrote(const Content& content) const {
    const Memory* const memory = HostMemory::find(device_, content.part.memory);
    if (memory == nullptr || !content.part.unreadable.empty()) return false;
    const auto first = std::upper_bound(memory->logged.begin(), memory->logged.end(), content.part.from,
                                        [](VkDeviceSize at, const Memory::Written& range) { return at < range.to; });
    return first != memory->logged.end() && first->from < content.part.to;
  }

 private:
  void log(bool may) {
    for (auto& [handle, memory] : device_.memories.memories) HostMemory::log_writes(*memory, may);
  }
  static void merge(std::vector<Memory::Written>& ranges) {
    std::sort(ranges.begin(), ranges.end(),
              [](const Memory::Written& a, const Memory::Written& b) { return a.from < b.from; });
    std::size_t count = 0;
    for (const Memory::Written range : ranges) {
      if (count != 0 && range.from <= ranges[count - 1].to)
        ranges[count - 1].to = std::max(ranges[count - 1].to, range.to);
      else
        ranges[count++] = range;
    }
    ranges.resize(count);
  }

  DeviceState& device_;
  ThreadState& state_;
};

// Whether a queue of `family` may read it. What only shaders wrote is of a family
// that nobody named: of one that was given work.
bool may_read(const Resources::Part& part, std::uint32_t family, bool worked) {
  if (!part.families.empty())
    return std::find(part.families.begin(), part.families.end(), family) != part.families.end();
  return part.family == VK_QUEUE_FAMILY_IGNORED ? worked : part.family == family;
}

// Why what lies in mapped memory cannot be read; null: it can.
const char* Checkpointer::why_not_at_once(const Memory& memory, After after) {
  // Right after a submit the host has written nothing to imported pages, and nothing of them is recorded yet.
  if (memory.pages != nullptr) return after == After::submit ? nullptr : text_of(Unverified::own_pages);
  // What the device wrote would be recorded as the host's, and be played before the device has written it.
  if (const char* why = why_not_apart(memory); why != nullptr) return why;
  return memory.coherent ? nullptr : text_of(Unverified::not_coherent);
}

// Gives each content a queue of the family that it belongs to.
void Checkpointer::choose_queues(std::vector<Content>& contents, After after) const {
  const auto lock = host_memory().enter();
  std::set<std::uint32_t> worked;  // families
  for (const Queue& queue : device_.queues)
    if (const auto progress = device_.memories.queues.find(queue.handle);
        progress != device_.memories.queues.end() && progress->second.submitted != 0)
      worked.insert(queue.family);
  for (Content& content : contents) {
    if (!content.part.unreadable.empty()) continue;
    if (const Memory* const memory = HostMemory::find(device_, content.part.memory);
        memory != nullptr && memory->mapped)
      if (const char* why = why_not_at_once(*memory, after); why != nullptr) {
        content.part.unreadable = why;
        continue;
      }
    const bool samples = gpu::has_samples(content.part.source);
    for (const Queue& queue : device_.queues)
      if (may_read(content.part, queue.family, worked.count(queue.family) != 0) &&
          family_that(device_, queue.handle, samples ? VkQueueFlags{VK_QUEUE_COMPUTE_BIT} : kCopies)) {
        content.queue = queue.handle;
        content.family = queue.family;
        break;
      }
    if (content.queue == VK_NULL_HANDLE)
      content.part.unreadable = text_of(samples ? Unverified::no_family_computes : Unverified::no_family_copies);
  }
}

// The bytes become part of the capture, so that a difference can be shown.
void Checkpointer::digest(ThreadState& state, std::vector<Content>& contents) {
  std::map<VkQueue, std::vector<Content*>> by_queue;
  for (Content& content : contents)
    if (content.part.unreadable.empty()) by_queue[content.queue].push_back(&content);
  for (const auto& entry : by_queue) {
    const VkQueue queue = entry.first;
    const std::vector<Content*>& read = entry.second;
    std::vector<gpu::Source> sources;
    for (const Content* content : read) sources.push_back(content->part.source);
    const auto done =
        readback(read.front()->family).read_all(queue, sources, [&](std::size_t i, std::span<const std::byte> bytes) {
          read[i]->digest = digest_of(bytes);
          state.add_blob(read[i]->digest, bytes);
        });
    if (done) continue;
    // One of them alone may be what cannot be read.
    for (Content* content : read) {
      content->digest = {};
      const auto alone =
          readback(content->family)
              .read_all(queue, {&content->part.source, 1}, [&](std::size_t, std::span<const std::byte> bytes) {
                content->digest = digest_of(bytes);
                state.add_blob(content->digest, bytes);
              });
      if (!alone) content->part.unreadable = alone.error().message;
    }
  }
}

void Checkpointer::contents(ThreadState& state, After after) {
  const std::lock_guard one(checking_);
  Lock queues = enter_queues();
  {
    const auto lock = host_memory().enter();
    if (read_ == device_.memories.epoch) return;  // another thread's did
  }
  std::string reason;
  const Settled settled = settle(queues, Patience::much, reason);
  if (settled == Settled::still_not) return;
  if (settled == Settled::no) {
    const auto lock = host_memory().enter();
    write(state, VK_NULL_HANDLE, std::vector<const Content*>(), reason.c_str());
    return;
  }
  const auto nothing_ends = device_.resources->enter();
  {
    const auto lock = host_memory().enter();
    HostMemory::settled(device_);
    read_ = device_.memories.epoch;
    // What the device wrote is known now: what the host writes from here on is told from it.
    host_memory().record_told_apart(state);
    host_memory().refresh(device_);
  }
  std::vector<Content> open;
  for (Resources::Part& part : device_.resources->written()) open.push_back({std::move(part), {}, 0, {}});
  choose_queues(open, after);
  // A host write that is recorded before the checkpoint is played before it, too: so what is
  // read must not be written any more until the checkpoint is recorded.
  WriteLog log(device_, state);
  std::vector<Content> done;
  Lock writes = host_memory().enter();
  for (int reads = 0;; ++reads) {
    log.record();
    const auto move = [&](std::vector<Content>& from, std::vector<Content>& to, bool written) {
      const auto stays = std::stable_partition(from.begin(), from.end(),
                                               [&](const Content& content) { return log.wrote(content) != written; });
      to.insert(to.end(), std::make_move_iterator(stays), std::make_move_iterator(from.end()));
      from.erase(stays, from.end());
    };
    std::vector<Content> again;
    move(done, again, true);
    if (reads != 0) move(open, done, false);
    std::move(again.begin(), again.end(), std::back_inserter(open));
    if (open.empty() || reads == kReads) break;
    log.clear();
    writes.unlock();
    digest(state, open);
    writes.lock();
  }
  for (Content& content : open) {
    content.digest = {};
    content.part.unreadable = text_of(Unverified::written_while_read);
    done.push_back(std::move(content));
  }
  device_.resources->clear_written();
  // One record of what each queue read, and one for each reason why something could not be read.
  // Images first: a pixel says more than a byte of the buffer that it was copied to.
  std::map<std::tuple<VkQueue, std::string, bool>, std::vector<const Content*>> records;
  for (const Content& content : done)
    records[{content.queue, content.part.unreadable, content.part.source.index() == 0}].push_back(&content);
  for (const auto& [key, group] : records) {
    const std::string& why = std::get<std::string>(key);
    write(state, std::get<VkQueue>(key), group, why.empty() ? nullptr : why.c_str());
  }
}

void Checkpointer::write(ThreadState& state, VkQueue queue, const std::vector<const Content*>& contents,
                         const char* unverified) {
  if (!recording()) return;  // what was read may be of submits that nobody recorded
  std::vector<RondoDigest> digests;
  for (const Content* content : contents) digests.push_back({content->digest.low, content->digest.high});
  // What none could read stands with the first: a record is of some queue.
  if (queue == VK_NULL_HANDLE && !device_.queues.empty()) queue = device_.queues.front().handle;
  const auto count = static_cast<std::uint32_t>(contents.size());
  const auto commit = [&](CommandId id, const void* args) {
    if (!encode_payload(state, state.host_writes, id, args, true)) return;
    write_call(state, id, 0, g_hot.writer->take_sequence(), {}, state.host_writes.bytes());
  };
  if (contents.empty() || contents.front()->part.source.index() == 0) {
    std::vector<VkBuffer> buffers;
    std::vector<RondoRange> ranges;
    for (const Content* content : contents) {
      const auto& source = std::get<gpu::BufferSource>(content->part.source);
      buffers.push_back(source.buffer);
      ranges.push_back({source.offset, source.size});
    }
    const args_rondoCheckpointBuffers args{queue, count, buffers.data(), ranges.data(), digests.data(), unverified};
    commit(CommandId::rondoCheckpointBuffers, &args);
    return;
  }
  std::vector<VkImage> images;
  std::vector<RondoSubresource> parts;
  for (const Content* content : contents) {
    const auto& source = std::get<gpu::ImageSource>(content->part.source);
    images.push_back(source.image);
    parts.push_back({source.aspect, source.together, source.mip, source.layer, source.layout});
  }
  const args_rondoCheckpointSubresources args{queue, count, images.data(), parts.data(), digests.data(), unverified};
  commit(CommandId::rondoCheckpointSubresources, &args);
}

}  // namespace rondo::layer
