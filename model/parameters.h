// SPDX-License-Identifier: Apache-2.0
// A record as the model takes it: parameters, and the arrays and the code that the capture keeps as blobs. Blobs that
// no reader of the model looks at, as the bytes of host writes, are never read.
#pragma once

#include <cstddef>
#include <vector>

#include "format/codec/decoder.h"
#include "format/native_view.h"
#include "format/objects.h"
#include "format/reader.h"
#include "model/call.h"
#include "model/stream.h"

namespace rondo::model {

// Reused from record to record.
struct Parameters {
  NativeView view;
  std::vector<const std::byte*> pointers;  // parallel to the record's blobs
  std::vector<Reader::Bytes> kept;         // what they point to
};

// Loads one. What the model does not look at, as the bytes of host writes, is left null; so is shader code that is not
// in the file. Enumerants that no enumeration has become the last of them: C++ says nothing of others. Fails
// (unreadable) where an array is not in the file.
Result<void> load(Reader& reader, const codec::CommandInfo& command, const codec::Lowered& lowered,
                  const std::vector<ObjectId>& ids, Parameters& out);
// Of the step that the stream decoded last. Its command is known.
Result<void> load(const Stream& stream, const Step& step, Parameters& out);
// The resolved step as the model takes it, with its loaded parameters. Holds until the stream goes on.
Call call_of(const Stream& stream, const Step& step, const Parameters& parameters);

}  // namespace rondo::model
