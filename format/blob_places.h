// SPDX-License-Identifier: Apache-2.0
// Where large blobs of a capture come from, as far as that can be told: asked by the writer's background thread.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "format/external_files.h"

namespace rondo {

// What becomes of a blob whose bytes lie in a file.
enum class FilePolicy {
  embed,      // it is a blob like others: nothing is looked for
  embed_all,  // the whole file is in the capture, and the blob a part of that
  reference,  // the capture says where it lies
  fail,       // the capture ends there
};

// One thread, but for making and destroying it: what it opens may be in a table of descriptors of that thread's own.
class BlobPlaces {
 public:
  virtual ~BlobPlaces() = default;
  // The blob in pieces, one behind the other; empty: it is in no file. File numbers are this object's own.
  virtual std::vector<FilePiece> look(std::span<const std::byte> blob) = 0;
  // Now and then while nothing is looked for: what may be gone by then.
  virtual void glance() {}
  // Its path and identity. Fails never: it was in a piece.
  virtual ExternalFile describe(std::uint32_t number) const = 0;
  // False where the range is not there any more, or the file is another one now.
  virtual bool read(std::uint32_t number, std::uint64_t offset, std::span<std::byte> out) = 0;
  // That thread's last call: nothing stays open.
  virtual void close() = 0;
};

}  // namespace rondo
