// SPDX-License-Identifier: Apache-2.0
#include "analyzers/read/summary.h"

#include <algorithm>
#include <map>
#include <set>

#include "analyzers/text/text.h"
#include "format/codec/decoder.h"
#include "format/codec/shapes.h"
#include "format/printable.h"
#include "generated/args.h"

namespace rondo::analyzers {

namespace {

bool is_unsure(const codec::IdMap& ids, const Record& record) {
  codec::Lowered lowered;
  if (ids.command(record.command) != CommandId::rondoWorkEnded ||
      !codec::decode(lowered, ids, CommandId::rondoWorkEnded, record.payload))
    return false;
  return codec::load<args_rondoWorkEnded>(lowered.bytes.data()).unsure != VK_FALSE;
}

// The batches of a submit.
std::uint64_t batches_of(const codec::IdMap& ids, const Record& record) {
  codec::Lowered lowered;
  const CommandId id = ids.command(record.command);
  if (id == CommandId::none || !codec::decode(lowered, ids, id, record.payload)) return 0;
  if (codec::info(id).canonical == CommandId::vkQueueSubmit)
    return codec::load<args_vkQueueSubmit>(lowered.bytes.data()).submitCount;
  return codec::load<args_vkQueueSubmit2>(lowered.bytes.data()).submitCount;
}

// Physical devices by their captured handles, and of which of them logical devices were made.
class DeviceNames {
 public:
  static bool takes(CommandId canonical) {
    return canonical == CommandId::vkCreateDevice || canonical == CommandId::vkGetPhysicalDeviceProperties ||
           canonical == CommandId::vkGetPhysicalDeviceProperties2;
  }
  void take(const codec::IdMap& ids, const Record& record) {
    codec::Lowered lowered;
    const CommandId id = ids.command(record.command);
    if (id == CommandId::none || !codec::decode(lowered, ids, id, record.payload)) return;
    const std::byte* const bytes = lowered.bytes.data();
    // A pointer in `bytes` is an offset there; 0 is null.
    const auto at = [&](const auto* pointer) {
      const auto offset = reinterpret_cast<std::uintptr_t>(pointer);
      return offset == 0 ? nullptr : reinterpret_cast<decltype(pointer)>(bytes + offset);
    };
    switch (codec::info(id).canonical) {
      case CommandId::vkCreateDevice:
        if (record.has_return && record.return_value == VK_SUCCESS)
          used_.push_back(codec::load<args_vkCreateDevice>(bytes).physicalDevice);
        break;
      case CommandId::vkGetPhysicalDeviceProperties: {
        const auto args = codec::load<args_vkGetPhysicalDeviceProperties>(bytes);
        if (const auto* p = at(args.pProperties)) names_[args.physicalDevice] = fixed_text(p->deviceName);
        break;
      }
      case CommandId::vkGetPhysicalDeviceProperties2: {
        const auto args = codec::load<args_vkGetPhysicalDeviceProperties2>(bytes);
        if (const auto* p = at(args.pProperties)) names_[args.physicalDevice] = fixed_text(p->properties.deviceName);
        break;
      }
      default:
        break;
    }
  }

  std::vector<std::string> used() const {
    std::vector<std::string> all;
    for (const VkPhysicalDevice device : used_)
      if (const auto found = names_.find(device);
          found != names_.end() && std::find(all.begin(), all.end(), found->second) == all.end())
        all.push_back(found->second);
    return all;
  }

 private:
  std::map<VkPhysicalDevice, std::string> names_;
  std::vector<VkPhysicalDevice> used_;
};

}  // namespace

Result<Summary> summarize(const std::string& path) {
  auto reader = Reader::open(path);
  if (!reader) return tl::unexpected(reader.error());
  return summarize(**reader);
}

Result<Summary> summarize(Reader& reader) {
  Summary summary;
  DeviceNames names;
  std::set<std::uint16_t> presents;
  std::set<std::uint16_t> submits;
  std::set<std::uint16_t> events;       // Rondo's own records
  std::set<std::uint16_t> checkpoints;  // of these
  std::set<std::uint16_t> ends;         // likewise: of work
  std::set<std::uint16_t> devices;      // vkCreateDevice
  std::set<std::uint16_t> told;         // what DeviceNames takes
  std::set<std::uint16_t> cuts;         // rondoCut
  for (const DictionaryRow& row : reader.dictionary()) {
    if (row.kind != DictionaryKind::command) continue;
    if (row.name == "vkQueuePresentKHR") presents.insert(row.id);
    if (row.name == "vkCreateDevice") devices.insert(row.id);
    const codec::CommandInfo& command = codec::info(codec::command_by_name(row.name));
    if (DeviceNames::takes(command.canonical)) told.insert(row.id);
    if (row.name == "rondoCut") cuts.insert(row.id);
    if (command.verb == codec::Verb::submits) submits.insert(row.id);
    if (codec::is_event(row.name)) events.insert(row.id);
    if (row.name == "rondoWorkEnded") ends.insert(row.id);
    if (command.verb == codec::Verb::checks) checkpoints.insert(row.id);
  }

  const codec::IdMap ids = codec::IdMap::match(reader.dictionary());
  summary.file_bytes = reader.file_bytes();
  summary.hidden = hidden_things(JsonText::merge(reader.sessions()));
  const auto footer = reader.footer();
  summary.stopped = footer && footer->ending == static_cast<std::uint32_t>(Ending::stopped);
  for (;;) {
    auto next = reader.next();
    if (!next) return tl::unexpected(next.error());
    if (!*next) break;
    const Record& record = **next;
    if (ends.contains(record.command) && !summary.unsure_ends) summary.unsure_ends = is_unsure(ids, record);
    summary.last_record = record.sequence;
    if (checkpoints.contains(record.command)) summary.checkpoints += 1;
    if (told.contains(record.command)) names.take(ids, record);
    // What comes before only puts back, or makes again, what the part needs.
    if (cuts.contains(record.command)) summary.frames = summary.submits = 0;
    if ((record.flags & kRecordKindMask) != kRecordCall || (record.flags & kRecordByLayer) != 0) continue;
    if (events.contains(record.command)) continue;
    summary.calls += 1;
    if (submits.contains(record.command)) summary.submits += batches_of(ids, record);
    if (devices.contains(record.command) && record.has_return && record.return_value == VK_SUCCESS)
      summary.made_device = true;
    if (presents.contains(record.command)) summary.frames += 1;
    if (!record.has_times) continue;
    if (summary.first_ns == 0) summary.first_ns = record.start_ns;
    summary.first_ns = std::min(summary.first_ns, record.start_ns);
    summary.last_ns = std::max(summary.last_ns, record.end_ns);
  }
  summary.devices = names.used();
  return summary;
}

std::string summary_line(const std::string& path, const Summary& summary) {
  return text("{}: {}, {}, {}, {}, {}{}", printable(path), size_text(summary.file_bytes), plural(summary.calls, "call"),
              plural(summary.submits, "submit"), plural(summary.frames, "frame"),
              duration_text(summary.last_ns - summary.first_ns),
              summary.stopped ? " (stopped before the program did: rondo info says why)" : "");
}

}  // namespace rondo::analyzers
