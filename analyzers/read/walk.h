// SPDX-License-Identifier: Apache-2.0
// A capture, record by record: decoded, its objects resolved, frames and
// submits counted. Holds one record at a time, and the call chains that there were. No device is touched.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>

#include "format/call_chains.h"
#include "format/codec/decoder.h"
#include "format/objects.h"
#include "format/reader.h"
#include "format/result.h"
#include "format/spans.h"

namespace rondo::analyzers {

// Frame: from one present to the next, the present being its last record;
// frame 0 begins at the first record. Submit: one VkSubmitInfo batch.
struct Step {
  Record record;
  const codec::CommandInfo* command = nullptr;  // null: unknown to this build or of another encoding
  std::uint64_t frame = 0;
  std::uint64_t submit = 0;   // of the record's first batch, or of the next one to come
  std::uint64_t submits = 0;  // batches in this record
  bool present = false;
  bool event = false;  // Rondo's own record: a host write, a checkpoint, a note

  bool by_layer() const { return (record.flags & kRecordByLayer) != 0; }
  bool is_call() const { return !by_layer() && !event; }  // the program's own
  // The process died before the call returned.
  bool unfinished() const { return (record.flags & kRecordTwoPart) != 0 && !record.has_return; }
  bool succeeded() const;  // its result is no error code; true where it has none
};

class Walk {
 public:
  // Opens a capture whose names or session are damaged, too: see damage().
  static Result<Walk> open(const std::string& path);

  // False at the end. What is returned, and decoded() and resolution(), hold until the next call.
  Result<bool> next(Step& step);
  Result<void> rewind();

  Reader& reader() { return *reader_; }
  // What of the names and the session could not be read. Commands may then have no names.
  const std::optional<Error>& damage() const { return damage_; }
  // That, or else the first damaged chunk: what a tool that read a capture to its end says last. Reads the
  // file again.
  Result<void> intact() const;
  const codec::IdMap& ids() const { return ids_; }
  const ObjectTable& objects() const { return objects_; }
  // Of the current record, if it has a command.
  const codec::Lowered& decoded() const { return lowered_; }
  const ObjectTable::Resolution& resolution() const { return resolution_; }
  // The parameters of the current record as args_<command>, pointers set (to
  // data kept as a blob: null). Handles are captured values.
  template <class Args>
  const Args& args() {
    return *static_cast<const Args*>(native());
  }
  // The name that the file's dictionary has for the record's command.
  const std::string& name(const Step& step) const;
  // Who made the calls so far; of the current one: number_of() its thread.
  const CallChains& callers() const { return callers_; }
  // What is read puts back, or makes again, what there was where a capture was cut: its rondoCut comes later.
  bool in_front() const { return in_front_; }

 private:
  explicit Walk(std::unique_ptr<Reader> reader);
  const void* native();
  void count(Step& step);

  std::unique_ptr<Reader> reader_;
  std::optional<Error> damage_;
  codec::IdMap ids_;
  ObjectTable objects_;
  CallChains callers_;
  codec::Lowered lowered_;
  bool relocated_ = false;
  ObjectTable::Resolution resolution_;
  std::uint64_t frames_ = 0;
  std::uint64_t submits_ = 0;
  bool is_cut_;    // its sessions say so, …
  bool in_front_;  // … and its rondoCut comes later
};

// The current record of a walk, for the finder of spans. It must have a command.
SpanFinder::Call call_of(Walk& walk, const Step& step);

}  // namespace rondo::analyzers
