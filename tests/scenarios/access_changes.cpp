// SPDX-License-Identifier: Apache-2.0
// What submits changed, by the contents that a capture with RONDO_CHECKPOINTS=submit keeps, held against what the
// access model says that they write: no byte may change that nothing wrote.
//   access-changes CAPTURE...
// A line for each capture: how often a buffer or a part of an image was seen, how often it had changed; and a line for
// each change that nothing wrote. Status 1 where there is one, or a capture cannot be read.
#include <algorithm>
#include <cstdio>
#include <functional>
#include <map>
#include <string>
#include <tuple>
#include <vector>

#include "analyzers/read/access_walk.h"
#include "generated/args.h"
#include "model/parameters.h"

namespace {

using namespace rondo;
using access::Executed;
using access::Touch;
using analyzers::Step;
using analyzers::Walk;

constexpr std::uint64_t kEnd = ~std::uint64_t{0} >> 1;
constexpr std::uint64_t kNone = ~std::uint64_t{0};

// Half-open ranges of bytes, each written by a record.
struct Ranges {
  struct Range {
    std::uint64_t first, last, record;
  };
  std::vector<Range> all;
  bool holds(std::uint64_t byte, std::uint64_t since) const {
    return std::any_of(all.begin(), all.end(),
                       [&](const Range& r) { return byte >= r.first && byte < r.last && r.record > since; });
  }
};

// What was seen last, and by which record.
struct Seen {
  Reader::Bytes bytes;
  std::uint64_t record = 0;
};

struct Changes {
  std::string error;                // the capture could not be read; empty: it was
  std::uint64_t compared = 0;       // buffers and subresources, each time that one was seen
  std::uint64_t changed = 0;        // of which the contents had changed
  std::vector<std::string> missed;  // "VkBuffer#3 at byte 17, seen by record 40"
};

struct Place {
  ObjectId memory = ObjectId::null;
  std::uint64_t offset = 0;
};

using Part = std::tuple<ObjectId, VkImageAspectFlags, std::uint32_t, std::uint32_t>;

class Watch {
 public:
  explicit Watch(Walk& walk) : walk_(walk), model_([this](const Executed& executed) { take(executed); }) {}

  Changes run() {
    model::Parameters parameters;
    Step step;
    for (;;) {
      const auto more = walk_.next(step);
      if (!more) found_.error = more.error().message;
      if (!more || !*more) return std::move(found_);
      if (step.command == nullptr || step.by_layer()) continue;
      if (const auto loaded = model::load(walk_.stream(), step, parameters); !loaded) {
        found_.error = loaded.error().message;
        return std::move(found_);
      }
      const model::Call call = model::call_of(walk_.stream(), step, parameters);
      watch(call);
      model_.take(call);
    }
  }

 private:
  void watch(const model::Call& c) {
    switch (c.command.canonical) {
      case CommandId::vkBindBufferMemory: {
        const auto& a = c.as<args_vkBindBufferMemory>();
        places_[c.id(&a.buffer)] = {c.id(&a.memory), a.memoryOffset};
        return;
      }
      case CommandId::vkBindImageMemory: {
        const auto& a = c.as<args_vkBindImageMemory>();
        places_[c.id(&a.image)] = {c.id(&a.memory), a.memoryOffset};
        return;
      }
      case CommandId::vkBindBufferMemory2: {
        const auto& a = c.as<args_vkBindBufferMemory2>();
        for (std::uint32_t i = 0; i < a.bindInfoCount; ++i)
          places_[c.id(&a.pBindInfos[i].buffer)] = {c.id(&a.pBindInfos[i].memory), a.pBindInfos[i].memoryOffset};
        return;
      }
      case CommandId::vkBindImageMemory2: {
        const auto& a = c.as<args_vkBindImageMemory2>();
        for (std::uint32_t i = 0; i < a.bindInfoCount; ++i)
          places_[c.id(&a.pBindInfos[i].image)] = {c.id(&a.pBindInfos[i].memory), a.pBindInfos[i].memoryOffset};
        return;
      }
      case CommandId::rondoCheckpointBuffers: {
        const auto& a = c.as<args_rondoCheckpointBuffers>();
        for (std::uint32_t i = 0; a.unverified == nullptr && i < a.count; ++i)
          check_buffer(c, c.id(&a.pBuffers[i]), a.pRanges[i], a.pDigests[i]);
        return;
      }
      case CommandId::rondoCheckpointSubresources: {
        const auto& a = c.as<args_rondoCheckpointSubresources>();
        for (std::uint32_t i = 0; a.unverified == nullptr && i < a.count; ++i)
          check_part(c, c.id(&a.pImages[i]), a.pParts[i], a.pDigests[i]);
        return;
      }
      default:
        return;
    }
  }

  void write_memory(ObjectId resource, std::uint64_t first, std::uint64_t last, std::uint64_t record) {
    if (const auto place = places_.find(resource); place != places_.end())
      memories_[place->second.memory].all.push_back(
          {place->second.offset + first, place->second.offset + last, record});
  }

  void write_buffer(ObjectId id, std::uint64_t first, std::uint64_t last, std::uint64_t record) {
    buffers_[id].all.push_back({first, last, record});
    write_memory(id, first, last, record);
  }

  // How far an image reaches in its memory is not in the capture: to what lies behind it at most.
  std::uint64_t reach_of(ObjectId image) const {
    const auto own = places_.find(image);
    std::uint64_t end = kEnd;
    for (const auto& [id, place] : places_)
      if (own != places_.end() && place.memory == own->second.memory && place.offset > own->second.offset)
        end = std::min(end, place.offset - own->second.offset);
    return end;
  }

  void write_image(ObjectId id, const VkImageSubresourceRange& part, std::uint64_t record) {
    for (std::uint32_t mip = part.baseMipLevel; mip < part.baseMipLevel + part.levelCount; ++mip)
      for (std::uint32_t layer = part.baseArrayLayer; layer < part.baseArrayLayer + part.layerCount; ++layer)
        parts_[{id, part.aspectMask, mip, layer}] = record;
    write_memory(id, 0, reach_of(id), record);
  }

  // Barriers forget what an image held, which is a write to the model; here, only what puts something there is.
  static bool only_forgets(CommandId id) {
    return id == CommandId::vkCmdPipelineBarrier || id == CommandId::vkCmdPipelineBarrier2 ||
           id == CommandId::vkCmdWaitEvents || id == CommandId::vkCmdWaitEvents2;
  }

  void take(const Executed& executed) {
    if (only_forgets(executed.command)) return;
    const auto& objects = walk_.objects().objects();
    for (const Touch& touch : executed.touches) {
      if (!touch.writes()) continue;
      const std::uint64_t last = touch.offset + touch.size;
      if (objects[touch.object].type == HandleType::VkImage) write_image(touch.object, touch.part, executed.at);
      if (objects[touch.object].type == HandleType::VkBuffer)
        write_buffer(touch.object, touch.offset, last, executed.at);
      if (objects[touch.object].type == HandleType::VkDeviceMemory)
        memories_[touch.object].all.push_back({touch.offset, last, executed.at});
    }
    if (!executed.reach.writes) return;
    for (const ObjectId id : model_.reachable())
      if (objects[id].type == HandleType::VkBuffer)
        write_buffer(id, 0, kEnd, executed.at);
      else
        anything_[id] = executed.at;
  }

  Reader::Bytes contents(const RondoDigest& digest) {
    auto read = walk_.reader().blob(Digest{digest.low, digest.high});
    return read ? *read : nullptr;
  }

  // The first byte that changed unwritten; kNone: there is none, or nothing to compare with.
  std::uint64_t compare(Seen& seen, const RondoDigest& digest, std::uint64_t record,
                        const std::function<bool(std::uint64_t)>& written) {
    const Reader::Bytes now = contents(digest);
    Reader::Bytes before = seen.bytes;
    // Memory is zeroed when it is allocated, where there are checkpoints.
    if (before == nullptr && now != nullptr && seen.record == 0)
      before = std::make_shared<const std::vector<std::byte>>(now->size());
    std::uint64_t missed = kNone;
    if (before != nullptr && now != nullptr && before->size() == now->size()) {
      found_.compared += 1;
      bool changed = false;
      for (std::size_t i = 0; i < now->size() && missed == kNone; ++i) {
        if ((*before)[i] == (*now)[i]) continue;
        changed = true;
        if (!written(i)) missed = i;
      }
      found_.changed += changed ? 1 : 0;
    }
    seen = {now, record};
    return missed;
  }

  void check_buffer(const model::Call& c, ObjectId id, const RondoRange& range, const RondoDigest& digest) {
    Seen& seen = buffer_contents_[{id, range.offset}];
    const std::uint64_t since = seen.record;
    const auto place = places_.find(id);
    const std::uint64_t at = compare(seen, digest, c.sequence, [&](std::uint64_t byte) {
      return buffers_[id].holds(range.offset + byte, since) ||
             (place != places_.end() &&
              memories_[place->second.memory].holds(place->second.offset + range.offset + byte, since));
    });
    if (at != kNone)
      found_.missed.push_back(walk_.objects().name(id) + " at byte " + std::to_string(range.offset + at) +
                              ", seen by record " + std::to_string(c.sequence));
  }

  void check_part(const model::Call& c, ObjectId id, const RondoSubresource& part, const RondoDigest& digest) {
    Seen& seen = part_contents_[{id, part.aspect, part.mipLevel, part.arrayLayer}];
    const std::uint64_t since = seen.record;
    const auto is_written = [&](std::uint64_t) {
      if (const auto place = places_.find(id);
          place != places_.end() && memories_[place->second.memory].holds(place->second.offset, since))
        return true;
      if (const auto any = anything_.find(id); any != anything_.end() && any->second > since) return true;
      return std::any_of(parts_.begin(), parts_.end(), [&](const auto& one) {
        const auto& [image, aspects, mip, layer] = one.first;
        return image == id && (aspects & (part.aspect | part.together | VK_IMAGE_ASPECT_COLOR_BIT)) != 0 &&
               mip == part.mipLevel && layer == part.arrayLayer && one.second > since;
      });
    };
    if (compare(seen, digest, c.sequence, is_written) != kNone)
      found_.missed.push_back(walk_.objects().name(id) + " mip " + std::to_string(part.mipLevel) + " layer " +
                              std::to_string(part.arrayLayer) + ", seen by record " + std::to_string(c.sequence));
  }

  Walk& walk_;
  access::Model model_;
  Changes found_;
  std::map<ObjectId, Place> places_;
  std::map<ObjectId, Ranges> buffers_, memories_;
  std::map<Part, std::uint64_t> parts_;         // the record that wrote it last
  std::map<ObjectId, std::uint64_t> anything_;  // likewise: reached from memory
  std::map<std::pair<ObjectId, std::uint64_t>, Seen> buffer_contents_;
  std::map<Part, Seen> part_contents_;
};

Changes changes_of(const char* capture) {
  auto walk = Walk::open(capture);
  if (walk) return Watch(*walk).run();
  Changes changes;
  changes.error = walk.error().message;
  return changes;
}

}  // namespace

int main(int argc, char** argv) {
  bool good = argc > 1;
  for (int i = 1; i < argc; ++i) {
    const Changes found = changes_of(argv[i]);
    std::printf("%s: seen %llu times, changed %llu times, %zu without a write%s%s\n", argv[i],
                static_cast<unsigned long long>(found.compared), static_cast<unsigned long long>(found.changed),
                found.missed.size(), found.error.empty() ? "" : ": ", found.error.c_str());
    for (const std::string& missed : found.missed) std::printf("    %s\n", missed.c_str());
    good = good && found.missed.empty() && found.error.empty();
  }
  return good ? 0 : 1;
}
