// SPDX-License-Identifier: Apache-2.0
// Where everything in a capture file lies, complete or cut: what the reader
// reads and finish_capture() closes.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "format/chunk_io.h"
#include "format/container.h"
#include "format/file.h"
#include "format/reader.h"

namespace rondo {

struct CaptureLayout {
  FileHeader header{};
  std::uint64_t file_bytes = 0;
  bool complete = false;
  Footer footer{};                // if complete
  std::vector<ChunkInfo> chunks;  // the data region, in file order, without the index
  std::uint64_t data_end = 0;     // where the next chunk would go
  std::vector<ChunkInfo> spool;   // a cut file's segments and spooled chunks, by offset
  std::string cut_reason;         // if not complete
  bool damaged = false;           // not complete because something was destroyed, not just missing
  bool cut_short = false;         // not complete because the file's end is missing, which no writer leaves out
};

Result<FileHeader> read_file_header(const File& file);
Result<CaptureLayout> read_layout(const File& file);

}  // namespace rondo
