// SPDX-License-Identifier: Apache-2.0
// Checkpoints of submits: what they may have written, digested behind each.
#include <algorithm>
#include <set>
#include <tuple>

#include "layer/checkpoint.h"
#include "layer/resources.h"
#include "layer/state.h"

namespace rondo::layer {

namespace {

constexpr int kReads = 4;  // against a host that writes what is being read

bool is_watched_apart(const Memory& memory) {
  return memory.mapped && memory.tracked != nullptr && memory.tracked->tells_devices_apart();
}

}  // namespace

struct Checkpointer::Content {
  Resources::Part part;
  VkQueue queue = VK_NULL_HANDLE;  // that reads it
  std::uint32_t family = 0;        // its family
  std::size_t logged = 0;          // host writes to its memory that came before it was read
  Digest digest;
};

// Keeps which host writes are recorded while something is read, by other threads, too.
class Checkpointer::WriteLog {
 public:
  WriteLog(DeviceState& device, ThreadState& state) : device_(device), state_(state) {
    const auto lock = host_memory().enter();
    for (auto& [handle, memory] : device_.memories.memories) {
      memory->logs = true;
      memory->logged.clear();
    }
  }
  ~WriteLog() {
    const auto lock = host_memory().enter();
    for (auto& [handle, memory] : device_.memories.memories) {
      memory->logs = false;
      memory->logged = {};
    }
  }
  WriteLog(const WriteLog&) = delete;
  WriteLog& operator=(const WriteLog&) = delete;

  // --- In the critical section.
  // Pending host writes come before what is read now.
  void record() {
    for (auto& [handle, memory] : device_.memories.memories)
      if (is_watched_apart(*memory) && memory->coherent) host_memory().record(&state_, *memory);
  }
  std::size_t length(VkDeviceMemory handle) const {
    const Memory* const memory = HostMemory::find(device_, handle);
    return memory == nullptr ? 0 : memory->logged.size();
  }
  // Whether the host wrote to it since.
  bool wrote(const Content& content) const {
    const Memory* const memory = HostMemory::find(device_, content.part.memory);
    if (memory == nullptr || !content.part.unreadable.empty()) return false;
    if (content.logged > memory->logged.size()) return true;  // another memory by now
    return std::any_of(memory->logged.begin() + static_cast<std::ptrdiff_t>(content.logged), memory->logged.end(),
                       [&](const Memory::Written& range) {
                         return range.from < content.part.to && content.part.from < range.to;
                       });
  }

 private:
  DeviceState& device_;
  ThreadState& state_;
};

// Whether a queue of `family` may read it. What only shaders wrote is of a family
// that nobody named: of one that was given work.
bool may_read(const Resources::Part& part, std::uint32_t family, bool worked) {
  if (!part.families.empty()) return std::find(part.families.begin(), part.families.end(), family) != part.families.end();
  return part.family == VK_QUEUE_FAMILY_IGNORED ? worked : part.family == family;
}

// Gives each content a queue of the family that it belongs to.
void Checkpointer::choose_queues(std::vector<Content>& contents) const {
  const auto lock = host_memory().enter();
  std::set<std::uint32_t> worked;  // families
  for (const Queue& queue : device_.queues)
    if (const auto progress = device_.memories.queues.find(queue.handle);
        progress != device_.memories.queues.end() && progress->second.submitted != 0)
      worked.insert(queue.family);
  for (Content& content : contents) {
    if (!content.part.unreadable.empty()) continue;
    // What the device wrote would be recorded as the host's, and be played before the device has written it.
    if (const Memory* const memory = HostMemory::find(device_, content.part.memory);
        memory != nullptr && memory->mapped && !is_watched_apart(*memory)) {
      content.part.unreadable =
          "host writes to this memory are found by a means that cannot tell them from the device's";
      continue;
    }
    for (const Queue& queue : device_.queues)
      if (may_read(content.part, queue.family, worked.count(queue.family) != 0) &&
          copying_family(device_, queue.handle)) {
        content.queue = queue.handle;
        content.family = queue.family;
        break;
      }
    if (content.queue == VK_NULL_HANDLE) content.part.unreadable = "no queue of its family can copy";
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
    const auto done = readback(read.front()->family)
                          .read_all(queue, sources, [&](std::size_t i, std::span<const std::byte> bytes) {
                            read[i]->digest = digest_of(bytes);
                            state.add_blob(read[i]->digest, bytes);
                          });
    if (done) continue;
    // One of them alone may be what cannot be read.
    for (Content* content : read) {
      content->digest = {};
      const auto alone = readback(content->family)
                             .read_all(queue, {&content->part.source, 1},
                                       [&](std::size_t, std::span<const std::byte> bytes) {
                                         content->digest = digest_of(bytes);
                                         state.add_blob(content->digest, bytes);
                                       });
      if (!alone) content->part.unreadable = alone.error().message;
    }
  }
}

void Checkpointer::contents(ThreadState& state) {
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
    HostMemory::finished(device_);
    read_ = device_.memories.epoch;
  }
  std::vector<Content> open;
  for (Resources::Part& part : device_.resources->written()) open.push_back({std::move(part), {}, 0, 0, {}});
  choose_queues(open);
  WriteLog log(device_, state);
  std::vector<Content> done;
  for (int attempt = 0; attempt < kReads && !open.empty(); ++attempt) {
    {
      const auto lock = host_memory().enter();
      log.record();
      for (Content& content : open) content.logged = log.length(content.part.memory);
    }
    digest(state, open);
    const auto lock = host_memory().enter();
    log.record();
    const auto quiet =
        std::stable_partition(open.begin(), open.end(), [&](const Content& content) { return !log.wrote(content); });
    done.insert(done.end(), std::make_move_iterator(open.begin()), std::make_move_iterator(quiet));
    open.erase(open.begin(), quiet);
  }
  device_.resources->clear_written();

  // A host write that is recorded before the checkpoint is played before it, too.
  const auto lock = host_memory().enter();
  log.record();
  done.insert(done.end(), std::make_move_iterator(open.begin()), std::make_move_iterator(open.end()));
  for (Content& content : done)
    if (log.wrote(content)) {
      content.digest = {};
      content.part.unreadable = "the host wrote to it while it was read";
    }
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
    const args_rondoCheckpointBuffers args{queue,         count,          buffers.data(),
                                           ranges.data(), digests.data(), unverified};
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
  const args_rondoCheckpointSubresources args{queue,        count,          images.data(),
                                              parts.data(), digests.data(), unverified};
  commit(CommandId::rondoCheckpointSubresources, &args);
}

}  // namespace rondo::layer
