// SPDX-License-Identifier: Apache-2.0
// A capture of a path, record by record (model/stream.h), and the call chains that there were. Opens damaged captures,
// too. No device is touched.
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
#include "model/stream.h"

namespace rondo::analyzers {

using model::Step;

class Walk {
 public:
  // Opens a capture whose names or session are damaged, too: see damage().
  static Result<Walk> open(const std::string& path);

  // False at the end. What is returned, and decoded() and resolution(), hold until the next call.
  Result<bool> next(Step& step);
  Result<void> rewind();

  Reader& reader() { return *reader_; }
  const model::Stream& stream() const { return stream_; }
  // What of the names and the session could not be read. Commands may then have no names.
  const std::optional<Error>& damage() const { return damage_; }
  // That, or else the first damaged chunk: what a tool that read a capture to its end says last. Reads the
  // file again.
  Result<void> intact() const;
  const codec::IdMap& ids() const { return stream_.ids(); }
  const ObjectTable& objects() const { return stream_.objects(); }
  // Of the current record, if it has a command.
  const codec::Lowered& decoded() const { return stream_.lowered(); }
  const ObjectTable::Resolution& resolution() const { return stream_.resolution(); }
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
  bool in_front() const { return stream_.in_front(); }

 private:
  explicit Walk(std::unique_ptr<Reader> reader);
  const void* native();

  std::unique_ptr<Reader> reader_;
  model::Stream stream_;
  std::optional<Error> damage_;
  CallChains callers_;
  bool relocated_ = false;
};

// The current record of a walk, for the finder of spans. It must have a command.
SpanFinder::Call call_of(Walk& walk, const Step& step);

}  // namespace rondo::analyzers
