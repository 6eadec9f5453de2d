// SPDX-License-Identifier: Apache-2.0
#include "analyzers/trim/prefix.h"

#include <algorithm>

#include "analyzers/trim/edit.h"
#include "player/plan/plan_builder.h"

namespace rondo::trim {

namespace {

constexpr std::size_t kMostNumbers = 32;  // in one record: more would be kept apart from it

bool is_bind(CommandId canonical) {
  return canonical == CommandId::vkBindBufferMemory || canonical == CommandId::vkBindImageMemory ||
         canonical == CommandId::vkBindBufferMemory2 || canonical == CommandId::vkBindImageMemory2;
}

bool is_resource(HandleType type) { return type == HandleType::VkBuffer || type == HandleType::VkImage; }

}  // namespace

bool writes_execution_set([[maybe_unused]] CommandId canonical) {
#ifdef VK_EXT_device_generated_commands
  return canonical == CommandId::vkUpdateIndirectExecutionSetPipelineEXT ||
         canonical == CommandId::vkUpdateIndirectExecutionSetShaderEXT;
#else
  return false;
#endif
}

CutRecords::CutRecords(Reader& source, OfflineWriter& out, RecordEncoder& encoder, const player::Plan& plan,
                       const Keep& keep, const States& states, const Survey& survey, const std::string& leave_out)
    : source_(source),
      out_(out),
      encoder_(encoder),
      plan_(plan),
      keep_(keep),
      states_(states),
      survey_(survey),
      leave_out_(leave_out),
      stream_(source),
      lowered_(stream_.lowered()),
      objects_table_(stream_.objects()),
      resolution_(stream_.resolution()) {
  for (const auto& [memory, sequence] : survey.maps)
    if (keep.has(memory) && puts_back("maps")) wanted_.insert(sequence);
  for (const auto& [image, sequence] : survey.acquired)
    if (keep.has(image.first) && puts_back("acquired")) wanted_.insert(sequence);
  if (puts_back("labels")) wanted_.insert(survey.open_labels.begin(), survey.open_labels.end());
  const auto& objects = plan.objects.objects();
  for (const ObjectId id : all_ids(objects.size())) {
    if (objects[id].created >= plan.span_records.first) break;
    if (objects[id].type == HandleType::VkDescriptorSet && keep.has(id))
      if (const std::uint64_t last = survey.sets.last_written(id); last != 0) set_writes_[last].push_back(id);
  }
  for (const BlobInfo& blob : source.blobs()) source_blobs_.insert(blob.digest);
  find_passed();
}

// In the cut the work of before the span has ended, and put back is what it left.
void CutRecords::find_passed() {
  const player::OpRange span = plan_.span;
  auto one = plan_.observations.begin();
  for (std::uint32_t i = span.first; i < span.last; ++i) {
    if (!plan_.ops[i].may_pass) continue;
    while (one != plan_.observations.end() && one->op < i) ++one;
    bool passed = one == plan_.observations.end() || one->op != i;  // it passed before the program asked
    for (auto by = one; by != plan_.observations.end() && by->op == i; ++by) passed = passed || by->submit < span.first;
    if (passed) passed_.insert(plan_.ops[i].sequence);
  }
}

Result<model::Step> CutRecords::decode(const Record& record) {
  model::Step step = stream_.step_of(record);
  if (const auto decoded = stream_.decode(step); !decoded)
    return tl::unexpected<Error>(stream_.at(step, decoded.error()));
  if (step.command != nullptr) encoder_.follow(record, step.command->id, lowered_);
  return step;
}

bool CutRecords::all_kept() const {
  for (std::size_t i = 0; i < resolution_.ids.size(); ++i)
    if (lowered_.handles[i].captured != 0 && !keep_.has(resolution_.ids[i])) return false;
  return true;
}

// What it makes is kept, at least some of it.
CutRecords::Fate CutRecords::fate_of_creation(const codec::CommandInfo& command) {
  bool any = false, all = true;
  for (std::size_t i = 0; i < lowered_.handles.size(); ++i) {
    const codec::HandleRef& ref = lowered_.handles[i];
    if (ref.captured == 0) continue;
    if ((ref.flags & codec::kCreated) == 0) {
      all = all && !does_without(command.canonical, ref.type);
      continue;
    }
    const bool kept = keep_.has(resolution_.ids[i]);
    any = any || kept;
    all = all && kept;
  }
  if (!any) return Fate::drop;
  return all || !can_edit(command.canonical) ? Fate::keep : Fate::edit;
}

CutRecords::Fate CutRecords::fate_of_destruction() {
  bool any =
      std::any_of(resolution_.ended.begin(), resolution_.ended.end(), [&](ObjectId id) { return keep_.has(id); });
  bool all = true;
  for (std::size_t i = 0; i < lowered_.handles.size(); ++i)
    if ((lowered_.handles[i].flags & codec::kDestroyed) != 0 && resolution_.ids[i] != ObjectId::null) {
      any = any || keep_.has(resolution_.ids[i]);
      all = all && keep_.has(resolution_.ids[i]);
    }
  return !any ? Fate::drop : all ? Fate::keep : Fate::edit;
}

// The first answer of its kind about these objects.
bool CutRecords::is_news(const codec::CommandInfo& command, const Record& record) {
  std::vector<std::byte> said(record.payload.begin(), record.payload.end());
  const auto add = [&](const auto& value) {
    const auto* bytes = reinterpret_cast<const std::byte*>(&value);
    said.insert(said.end(), bytes, bytes + sizeof value);
  };
  add(command.id);
  add(record.return_value);
  for (const ObjectId id : resolution_.ids) add(id);
  return told_.insert(digest_of(said)).second;
}

CutRecords::Fate CutRecords::fate_of(const codec::CommandInfo& command, const Record& record) {
  const CommandId canonical = command.canonical;
  if (wanted_.count(record.sequence) != 0) return Fate::keep;
  if (survey_.last.count(record.sequence) != 0)
    return all_kept() && puts_back(canonical == CommandId::vkSetPrivateData ? "private-data" : "names") ? Fate::keep
                                                                                                        : Fate::drop;
  if (command.records_into_command_buffer || canonical == CommandId::vkBeginCommandBuffer ||
      canonical == CommandId::vkEndCommandBuffer) {
    const auto begun = states_.recordings.find(resolution_.ids.empty() ? ObjectId::null : resolution_.ids[0]);
    return puts_back("recordings") && begun != states_.recordings.end() && record.sequence >= begun->second
               ? Fate::keep
               : Fate::drop;
  }
  if (canonical == CommandId::vkResetCommandBuffer || canonical == CommandId::vkResetCommandPool) return Fate::drop;
  if (is_bind(canonical)) {
    bool any = false, all = true;
    for (std::size_t i = 0; i < resolution_.ids.size(); ++i)
      if (is_resource(lowered_.handles[i].type)) {
        any = any || keep_.has(resolution_.ids[i]);
        all = all && keep_.has(resolution_.ids[i]);
      }
    return !any ? Fate::drop : all ? Fate::keep : Fate::edit;
  }
  if (canonical == CommandId::vkQueueBindSparse) {
    for (std::size_t i = 0; i < resolution_.ids.size(); ++i)
      if (is_resource(lowered_.handles[i].type) && keep_.has(resolution_.ids[i]) && puts_back("sparse"))
        return Fate::edit;
    return Fate::drop;
  }
  const auto has = [&](std::uint8_t flag) {
    return std::any_of(lowered_.handles.begin(), lowered_.handles.end(),
                       [&](const codec::HandleRef& ref) { return (ref.flags & flag) != 0 && ref.captured != 0; });
  };
  const bool getter = command.query || command.verb == codec::Verb::gets;
  if (has(codec::kCreated) && (!getter || !resolution_.created.empty())) return fate_of_creation(command);
  if (has(codec::kDestroyed) || !resolution_.ended.empty()) return fate_of_destruction();
  if (command.kept_answer) return all_kept() && is_news(command, record) ? Fate::keep : Fate::drop;
  if (writes_execution_set(canonical)) return all_kept() && puts_back("execution-sets") ? Fate::keep : Fate::drop;
  return Fate::drop;
}

Result<void> CutRecords::flush_numbers() {
  if (numbers_.empty()) return {};
  const args_rondoObjectNumbers args{static_cast<std::uint32_t>(numbers_.size()),
                                     reinterpret_cast<const VkObjectType*>(number_types_.data()), numbers_.data()};
  RONDO_TRY(encoder_.write(CommandId::rondoObjectNumbers, args));
  numbers_.clear();
  number_types_.clear();
  return {};
}

Result<void> CutRecords::give_number(HandleType type, std::uint32_t number) {
  if (!puts_back("numbers")) return {};
  number_types_.push_back(codec::info(type).object_type);
  numbers_.push_back(number);
  return numbers_.size() == kMostNumbers ? flush_numbers() : Result<void>();
}

// In front of a record: what it makes is numbered as it was.
Result<void> CutRecords::number_created() {
  std::map<HandleType, std::vector<std::uint32_t>> made;
  const auto& objects = objects_table_.objects();
  for (const ObjectId id : resolution_.created)
    if (keep_.has(id)) made[objects[id].type].push_back(objects[id].number);
  for (const auto& [type, numbers] : made) {
    std::uint32_t& next = next_number_[type];
    bool differs = false;
    for (std::size_t i = 0; i < numbers.size(); ++i) differs = differs || numbers[i] != next + i;
    if (differs)
      for (const std::uint32_t number : numbers) RONDO_TRY(give_number(type, number));
    next = numbers.back() + 1;
    objects_ += numbers.size();
  }
  return flush_numbers();
}

Result<void> CutRecords::write_numbers() {
  // Also those that a cut gives: its own next objects may be of numbers that it has no objects before.
  for (const auto& [type, number] : objects_table_.next_numbers())
    if (next_number_[type] != number) RONDO_TRY(give_number(type, number));
  return flush_numbers();
}

Result<void> CutRecords::copy_blobs() {
  for (const codec::BlobRef& ref : lowered_.blobs) {
    if (out_.has_blob(ref.digest)) continue;
    auto bytes = source_.blob(ref.digest);
    if (!bytes) return tl::unexpected<Error>(std::move(bytes).error());
    RONDO_TRY(out_.add_blob(ref.digest, **bytes));
  }
  return {};
}

Result<void> CutRecords::load_view(const std::vector<ObjectId>& ids) {
  pointers_.assign(lowered_.blobs.size(), nullptr);
  blobs_.clear();
  for (std::size_t i = 0; i < lowered_.blobs.size(); ++i) {
    auto bytes = source_.blob(lowered_.blobs[i].digest);
    if (!bytes) return tl::unexpected<Error>(std::move(bytes).error());
    pointers_[i] = (*bytes)->data();
    blobs_.push_back(std::move(*bytes));
  }
  view_.load(lowered_, ids, pointers_);
  return {};
}

Result<void> CutRecords::write_edited(const codec::CommandInfo& command, const Record& record) {
  RONDO_TRY(load_view(resolution_.ids));
  const auto& objects = plan_.objects.objects();
  edit(command.canonical, view_, [&](ObjectId id) {
    // Pages of memory that is gone are no pages any more.
    const bool gone = objects[id].type == HandleType::VkDeviceMemory && objects[id].destroyed != 0 &&
                      objects[id].destroyed < plan_.span_records.first;
    return keep_.has(id) && !gone;
  });
  return encoder_.write(record, command.id, &view_.as<std::byte>(), encoder_.caller_of(record.thread));
}

// In the places where they were written last: what they name was there.
Result<void> CutRecords::write_sets(std::uint64_t sequence) {
  const auto found = set_writes_.find(sequence);
  if (found == set_writes_.end() || !puts_back("sets")) return {};
  const auto& objects = plan_.objects.objects();
  const std::uint64_t begin = plan_.span_records.first;
  const auto alive = [&](ObjectId id) {
    return keep_.has(id) && (objects[id].destroyed == 0 || objects[id].destroyed >= begin);
  };
  std::map<ObjectId, std::vector<ObjectId>> by_device;
  for (const ObjectId set : found->second) by_device[objects[set].device].push_back(set);
  for (const auto& [device, sets] : by_device) {
    std::vector<std::uint64_t> handles;
    for (const ObjectId set : sets) handles.push_back(objects[set].captured);
    RONDO_TRY(survey_.sets.write(encoder_, reinterpret_cast<VkDevice>(objects[device].captured), sets, handles, alive));
  }
  return {};
}

Result<void> CutRecords::take(const Record& record) {
  auto step = decode(record);
  if (!step) return tl::unexpected<Error>(std::move(step).error());
  if (step->command == nullptr) return {};
  const codec::CommandInfo& command = *step->command;
  stream_.resolve(*step);
  const bool published = !resolution_.created.empty();
  const Fate fate = step->succeeded() || published ? fate_of(command, record) : Fate::drop;
  if (fate != Fate::drop) RONDO_TRY(number_created());
  if (fate == Fate::keep) {
    RONDO_TRY(copy_blobs());
    RONDO_TRY(encoder_.copy(record, command.id, encoder_.caller_of(record.thread)));
  } else if (fate == Fate::edit) {
    RONDO_TRY(write_edited(command, record));
  }
  return write_sets(record.sequence);
}

Result<void> CutRecords::write_prefix() {
  for (;;) {
    auto record = source_.next();
    if (!record) return tl::unexpected<Error>(record.error());
    if (!record->has_value()) return {};
    if ((*record)->sequence >= plan_.span_records.first) {
      first_of_span_ = **record;
      return {};
    }
    RONDO_TRY(take(**record));
  }
}

// Checkpoints may keep what they digest.
Result<void> CutRecords::copy_contents(const Digest& digest) {
  if (source_blobs_.count(digest) == 0 || out_.has_blob(digest)) return {};
  auto bytes = source_.blob(digest);
  if (!bytes) return tl::unexpected<Error>(std::move(bytes).error());
  return out_.add_blob(digest, **bytes);
}

Result<void> CutRecords::write_checkpoint(const codec::CommandInfo& command, const Record& record,
                                          const std::vector<Recomputed>& recomputed) {
  const std::vector<ObjectId> unresolved(lowered_.handles.size());
  RONDO_TRY(load_view(unresolved));
  RondoDigest* digests = nullptr;
  std::uint32_t count = 0;
  switch (command.canonical) {
    case CommandId::rondoCheckpointBuffers: {
      const auto& a = view_.as<args_rondoCheckpointBuffers>();
      digests = const_cast<RondoDigest*>(a.pDigests);
      count = a.count;
      break;
    }
    case CommandId::rondoCheckpointSubresources: {
      const auto& a = view_.as<args_rondoCheckpointSubresources>();
      digests = const_cast<RondoDigest*>(a.pDigests);
      count = a.count;
      break;
    }
    case CommandId::rondoCheckpointMemory: {
      const auto& a = view_.as<args_rondoCheckpointMemory>();
      digests = const_cast<RondoDigest*>(a.pDigests);
      count = a.rangeCount;
      break;
    }
    case CommandId::rondoCheckpointImage:
      digests = &const_cast<args_rondoCheckpointImage&>(view_.as<args_rondoCheckpointImage>()).digest;
      count = 1;
      break;
    default:
      break;
  }
  std::size_t next = 0;
  for (std::uint32_t i = 0; digests != nullptr && i < count; ++i) {
    const Digest captured{digests[i].low, digests[i].high};
    if (next < recomputed.size() && recomputed[next].captured == captured) {
      digests[i] = {recomputed[next].replayed.low, recomputed[next].replayed.high};
      ++next;
    } else {
      RONDO_TRY(copy_contents(captured));
    }
  }
  if (next != 0) return encoder_.write(record, command.id, &view_.as<std::byte>(), encoder_.caller_of(record.thread));
  RONDO_TRY(copy_blobs());
  return out_.add(record);
}

Result<void> CutRecords::write_span(const RecomputedCheckpoints& recomputed, const args_rondoCut* begin,
                                    const std::function<void(std::uint64_t)>& progress) {
  static const std::vector<Recomputed> none;
  for (std::optional<Record> record = first_of_span_; record && record->sequence <= plan_.span_records.last;) {
    auto step = decode(*record);
    if (!step) return tl::unexpected<Error>(std::move(step).error());
    const codec::CommandInfo* const command = step->command;
    if (record->sequence % 4096 == 0) progress(record->sequence);
    if (begin != nullptr && record->sequence >= begin->record) {
      RONDO_TRY(encoder_.write(CommandId::rondoCut, *begin));
      begin = nullptr;
    }
    const bool checks = command != nullptr && command->verb == codec::Verb::checks;
    const CommandId canonical = command != nullptr ? command->canonical : CommandId::none;
    const bool counts = canonical == CommandId::rondoPrelude || canonical == CommandId::rondoCut;
    if (counts || (checks && begin != nullptr) || passed_.count(record->sequence) != 0) {
      // It counts from where this one says. Or the poll would never be answered so.
    } else if (checks) {
      const auto found = recomputed.find(record->sequence);
      RONDO_TRY(write_checkpoint(*command, *record, found != recomputed.end() ? found->second : none));
    } else {
      if (command != nullptr) RONDO_TRY(copy_blobs());
      RONDO_TRY(encoder_.copy(*record, command != nullptr ? command->id : CommandId::none,
                              encoder_.caller_of(record->thread)));
    }
    auto next = source_.next();
    if (!next) return tl::unexpected<Error>(next.error());
    record = *next;
  }
  return {};
}

}  // namespace rondo::trim
