// SPDX-License-Identifier: Apache-2.0
// The arrays and the code that the model looks at and that the capture keeps as blobs.
#pragma once

#include <cstddef>
#include <vector>

#include "format/codec/decoder.h"
#include "format/reader.h"

namespace rondo::access {

// Of one record: `pointers` is what NativeView::load takes, parallel to the blobs; `kept` keeps alive what it points to.
struct Data {
  std::vector<const std::byte*> pointers;
  std::vector<Reader::Bytes> kept;
};

// Loads them. What the model does not look at, as the bytes of host writes, is left null; so is shader code that is
// not in the file. Fails (unreadable) where another array is not.
Result<void> load_data(Reader& reader, const codec::CommandInfo& command, const codec::Lowered& lowered, Data& out);

}  // namespace rondo::access
