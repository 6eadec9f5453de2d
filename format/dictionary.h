// SPDX-License-Identifier: Apache-2.0
// Dictionary chunks: rows to payload bytes and back.
#pragma once

#include <span>
#include <vector>

#include "format/chunk_io.h"
#include "format/reader.h"
#include "format/writer.h"

namespace rondo {

std::vector<std::byte> dictionary_payload(std::span<const DictionaryEntry* const> rows);
// Appends the rows of a payload that `rows` does not have yet.
Result<void> parse_dictionary(const File& file, const ChunkInfo& chunk, std::span<const std::byte> payload,
                              std::vector<DictionaryRow>& rows);

}  // namespace rondo
