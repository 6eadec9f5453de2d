// SPDX-License-Identifier: Apache-2.0
// The records of a capture, one after the other: decoded, their objects resolved, frames and submits counted. Whoever
// reads the calls of a capture reads them here. Holds one record at a time. No device is touched. One thread.
#pragma once

#include <cstdint>
#include <memory>

#include "format/check.h"
#include "format/codec/decoder.h"
#include "format/objects.h"
#include "format/reader.h"
#include "format/result.h"

namespace rondo::model {

// True if the call did what it is for: it returned no error code. Of a call that the process died in, only what gives
// work to a queue counts as done: the device may have run it, so it is replayed and shown.
bool succeeded(const codec::CommandInfo& command, const Record& record);

// One record. Frame: from one present to the next, the present being its last record; frame 0 begins at the first
// record. Submit: one VkSubmitInfo batch.
struct Step {
  Record record;
  const codec::CommandInfo* command = nullptr;  // null: unknown to this build, or of another encoding
  std::uint64_t frame = 0;
  std::uint64_t submit = 0;   // of the record's first batch, or of the next one to come
  std::uint64_t submits = 0;  // batches in this record
  bool present = false;
  bool event = false;  // Rondo's own record: a host write, a checkpoint, a note

  bool by_layer() const { return (record.flags & kRecordByLayer) != 0; }
  bool is_call() const { return !by_layer() && !event; }  // the program's own
  // The process died before the call returned.
  bool unfinished() const { return (record.flags & kRecordTwoPart) != 0 && !record.has_return; }
  bool succeeded() const { return command == nullptr || model::succeeded(*command, record); }
};

// next() gives a record with all that is known of it. Those who look at a record, or change it, before that is known
// call what next() is made of: fetch() or step_of(), decode(), resolve().
class Stream {
 public:
  // The reader lives longer, and so does `objects`, which resolve() then fills. Null: a table of the stream's own.
  explicit Stream(Reader& reader, ObjectTable* objects = nullptr);

  // False at the end.
  Result<bool> next(Step& step);

  // The next record and its command. False at the end.
  Result<bool> fetch(Step& step);
  Step step_of(const Record& record) const;
  // Fails (unreadable) where the record is not what its command takes; the error names neither file nor record (at()
  // does). A command that this build does not know has no parameters.
  Result<void> decode(const Step& step, const codec::DecodeLimits& limits = {});
  Error at(const Step& step, const Error& error) const;  // "FILE: record N: …"
  // Resolves the objects of the step that was decoded last, and counts it. Steps are resolved in their order; a step
  // that is left out changes nothing.
  void resolve(Step& step);

  // The reader begins again, with it the stream.
  Result<void> rewind();
  // The capture is a cut: records count from its rondoCut on. Those before it put back, or make again, what there was.
  void expect_cut() { is_cut_ = in_front_ = true; }
  bool in_front() const { return in_front_; }

  Reader& reader() const { return *reader_; }
  const codec::IdMap& ids() const { return ids_; }
  const ObjectTable& objects() const { return *objects_; }
  // Of the step that was decoded last.
  const codec::Lowered& lowered() const { return lowered_; }
  codec::Lowered& lowered() { return lowered_; }  // may be changed between decode() and resolve()
  const ObjectTable::Resolution& resolution() const { return resolution_; }

 private:
  friend struct test::Tamper;
  void begin(Step& step, const Record& record) const;
  void count(Step& step);

  Reader* reader_;
  codec::IdMap ids_;
  std::unique_ptr<ObjectTable> own_objects_;
  ObjectTable* objects_;
  codec::Lowered lowered_;
  ObjectTable::Resolution resolution_;
  std::uint64_t decoded_ = 0;   // the record that lowered_ is of; 0: none
  std::uint64_t resolved_ = 0;  // the last record that was resolved
  std::uint64_t frames_ = 0, submits_ = 0;
  bool is_cut_ = false, in_front_ = false;
};

}  // namespace rondo::model
