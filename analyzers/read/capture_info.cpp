// SPDX-License-Identifier: Apache-2.0
#include "analyzers/read/capture_info.h"

#include <algorithm>
#include <set>
#include <unordered_set>

#include "analyzers/read/command_lists.h"
#include "analyzers/read/device_info.h"
#include "analyzers/read/undated_writes.h"
#include "analyzers/read/walk.h"
#include "analyzers/text/text.h"
#include "format/spans.h"
#include "generated/args.h"

namespace rondo::analyzers {

namespace {

void take_container(Reader& reader, CaptureInfo& info) {
  info.path = reader.path();
  info.file_bytes = reader.file_bytes();
  info.header = reader.header();
  info.complete = reader.complete();
  info.can_be_finished = reader.can_be_finished();
  info.footer = reader.footer();
  info.gaps = reader.gaps();
  info.session = JsonText::merge(reader.sessions());
  info.hidden = hidden_things(info.session);
  for (const BlobInfo& blob : reader.blobs()) {
    info.unique_blobs += 1;
    info.unique_blob_bytes += blob.bytes;
  }
  info.files = reader.files();
  for (const ChunkInfo& chunk : reader.chunks()) {
    ChunkTotals& totals = info.chunks[chunk.header.type];
    totals.chunks += 1;
    totals.stored_bytes += chunk.header.stored_bytes;
    totals.raw_bytes += chunk.header.raw_bytes;
  }
}

// Rows for submits and frames, as records come.
class SpanRows {
 public:
  SpanRows(CaptureInfo& info, const InfoWanted& wanted) : info_(info), wanted_(wanted) {}

  void take(Walk& walk, const Step& step) {
    if (!step.is_call()) return;
    if (frame_.first_sequence == 0) frame_.first_sequence = step.record.sequence;
    frame_.calls += 1;
    if (frame_.start_ns == 0 && step.record.has_times) frame_.start_ns = step.record.start_ns;
    take_wait(step);
    const std::vector<CommandLists::Batch>& batches = lists_.take(walk, step);
    if (step.command != nullptr && step.command->canonical == CommandId::rondoCut) frame_ = {};  // it begins here
    std::uint64_t number = step.submit;
    for (const CommandLists::Batch& batch : batches) {
      if (step.submits == 0) break;  // in front of that
      std::uint64_t commands = 0;
      for (const CommandLists::Primary& primary : batch)
        commands += primary.list != nullptr ? primary.list->commands : 0;
      frame_.submits += 1;
      frame_.commands += commands;
      if (wanted_.submits) {
        const auto& ids = walk.resolution().ids;
        info_.submit_rows.push_back({number, step.record.sequence,
                                     walk.objects().name(ids.empty() ? ObjectId::null : ids[0]), batch.size(), commands,
                                     step.record.start_ns, step.record.end_ns, 0});
      }
      number += 1;
    }
    if (step.submits != 0) {
      batches_ = batches.size();
      if (frame_.submitted_ns == 0) frame_.submitted_ns = step.record.start_ns;
    }
    if (!step.present) return;
    batches_ = 0;
    frame_.number = step.frame;
    frame_.last_sequence = step.record.sequence;
    frame_.end_ns = step.record.end_ns;
    if (wanted_.frames) info_.frame_rows.push_back(frame_);
    const std::uint64_t end = frame_.end_ns;
    frame_ = {};
    frame_.start_ns = end;
  }

 private:
  void take_wait(const Step& step) {
    const Record& record = step.record;
    if (step.by_layer() || step.command == nullptr || !record.has_times) return;
    if (!SpanFinder::waited({*step.command, nullptr, record.sequence, record.thread, step.succeeded(),
                             record.return_value, record.start_ns, record.end_ns}))
      return;
    if (frame_.submitted_ns != 0) frame_.waited_ns = record.end_ns;
    auto& rows = info_.submit_rows;
    for (std::size_t i = 0; i < std::min(batches_, rows.size()); ++i)
      rows[rows.size() - 1 - i].waited_ns = record.end_ns;
  }

  CaptureInfo& info_;
  const InfoWanted& wanted_;
  CommandLists lists_;
  FrameRow frame_;
  std::size_t batches_ = 0;  // of the last submit, where no present came since
};

void take_times(const Record& record, CaptureInfo& info) {
  if (!record.has_times) return;
  if (info.first_ns == 0 || record.start_ns < info.first_ns) info.first_ns = record.start_ns;
  info.last_ns = std::max(info.last_ns, record.end_ns);
}

using Digests = std::unordered_set<Digest>;

Digests digests_of(const Reader& reader) {
  Digests digests;
  for (const BlobInfo& blob : reader.blobs()) digests.insert(blob.digest);
  return digests;
}

void take_decoded(Walk& walk, const Step& step, const Digests& there, CaptureInfo& info) {
  for (const codec::BlobRef& blob : walk.decoded().blobs) {
    info.blob_references += 1;
    if (!there.contains(blob.digest)) info.missing_blobs += 1;
    info.referenced_blob_bytes += blob.bytes;
  }
  for (const ObjectId id : walk.resolution().created)
    info.objects[codec::info(walk.objects().objects()[id].type).name] += 1;
  if ((step.record.flags & kRecordAmbiguous) != 0) info.ambiguous += 1;
  if (step.unfinished()) info.unfinished += 1;
  if (step.command->id == CommandId::rondoNote)
    if (const char* words = walk.args<args_rondoNote>().text; words != nullptr) info.notes.push_back(printable(words));
}

void take_scopes(Walk& walk, const Step& step, SpanFinder& finder) {
  if (!step.by_layer()) finder.take(call_of(walk, step));
}

const char* kind_text(ScopeOccurrence::Kind kind) {
  switch (kind) {
    case ScopeOccurrence::Kind::queue_label:
      return "queue label";
    case ScopeOccurrence::Kind::command_label:
      return "command label";
    case ScopeOccurrence::Kind::host:
      return "host";
    case ScopeOccurrence::Kind::phase:
      return "phase";
  }
  return "";
}

void add_scope_rows(SpanFinder& finder, CaptureInfo& info) {
  finder.finish();
  for (const Scope& scope : finder.scopes())
    for (std::size_t i = 0; i < scope.occurrences.size(); ++i) {
      const ScopeOccurrence& one = scope.occurrences[i];
      info.scope_rows.push_back({scope.name, i, kind_text(one.kind), one.records.first, one.records.last, one.ended,
                                 finder.submits_in(one.records), one.start_ns, one.end_ns});
    }
}

}  // namespace

std::uint64_t CaptureInfo::files_needed() const {
  return static_cast<std::uint64_t>(
      std::count_if(files.begin(), files.end(), [](const ExternalFile& f) { return !f.embedded() && f.blobs != 0; }));
}

CaptureInfo gather(Walk& walk, const InfoWanted& wanted) {
  CaptureInfo info;
  take_container(walk.reader(), info);
  const Digests there = digests_of(walk.reader());
  SpanRows rows(info, wanted);
  UndatedWrites undated(walk);
  SpanFinder finder;
  ShaderList shaders;
  std::set<std::uint32_t> threads;
  std::set<std::string> unknown;
  Step step;
  for (;;) {
    const auto more = walk.next(step);
    if (!more) info.unreadable = more.error();
    if (!more || !*more) break;
    threads.insert(step.record.thread);
    info.last_sequence = step.record.sequence;
    if (step.by_layer()) {
      info.by_layer += 1;
    } else {
      if (!step.event) info.calls += 1;
      CommandCount& count = info.commands[walk.name(step)];
      count.calls += 1;
      if (!step.succeeded()) count.failed += 1;
      take_times(step.record, info);
    }
    if (step.present) info.frames += 1;
    info.submits += step.submits;
    if (step.command == nullptr) {
      info.unsupported += 1;
      unknown.insert(walk.name(step));
      continue;
    }
    take_decoded(walk, step, there, info);
    if (const auto is_undated = undated.take(step); is_undated && *is_undated) info.undated += 1;
    take_device_facts(walk, step, info);
    rows.take(walk, step);
    if (wanted.scopes) take_scopes(walk, step, finder);
    if (wanted.shaders) shaders.take(walk, step);
  }
  if (wanted.scopes) add_scope_rows(finder, info);
  if (wanted.shaders) info.shader_rows = shaders.finish(walk);
  info.call_chains = walk.callers().chains();
  info.call_modules = walk.callers().modules();
  info.threads = threads.size();
  if (!info.complete) info.cut_reason = walk.reader().cut_reason();
  if (walk.damage()) info.unreadable = walk.damage();
  for (const std::string& reason : walk.ids().refused())
    if (unknown.contains(reason.substr(0, reason.find(':')))) info.refused.push_back(reason);
  return info;
}

// A killed program's file has all that its records need; one that was copied in part, or that
// could not be written any more, may not.
std::string missing_data(const std::string& path) {
  auto walk = Walk::open(path);
  if (!walk) return {};
  const CaptureInfo info = gather(*walk, {});
  if (info.unreadable) return info.unreadable->message;
  if (info.gaps != 0)
    return text("{}: {} missing, for threads died inside the recorder: it plays up to the first", printable(path),
                plural(info.gaps, "record"));
  if (info.missing_blobs == 0) return {};
  return text("{}: {} to data that is not in it: `player --salvage` plays what comes before the first", printable(path),
              plural(info.missing_blobs, "reference"));
}

}  // namespace rondo::analyzers
