// SPDX-License-Identifier: Apache-2.0
// Turns blobs that lie in files into references, as a policy says. One thread.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "format/blob_places.h"
#include "format/container.h"
#include "format/data_region.h"

namespace rondo {

class FileReferences {
 public:
  FileReferences(FilePolicy policy, FileCheck check, std::shared_ptr<BlobPlaces> places)
      : policy_(policy), check_(check), places_(std::move(places)) {}

  // Appends a chunk to the capture; errno or 0.
  using Append = std::function<int(const ChunkHeader&, DataRegion::Pieces)>;
  // `payload`: of a blobs chunk of one blob. True: it was appended as a reference, with what that needs, or that failed
  // with `error`. False: it is to be appended as it is.
  bool add(std::span<const std::byte> payload, const Append& append_chunk, int& error);
  // FilePolicy::fail: the first file in which a blob was found.
  const std::string& found() const { return found_; }
  std::string found_session() const;  // the session object that says so

 private:
  std::vector<std::byte> reference(const Digest& digest, std::span<const std::byte> blob,
                                   std::span<const FilePiece> pieces) const;
  std::optional<std::uint32_t> number_of(std::uint32_t place, const Append& append_chunk, int& error);
  std::optional<std::vector<Digest>> embed(std::uint32_t place, std::uint64_t bytes, const Append& append_chunk,
                                           int& error);

  FilePolicy policy_;
  FileCheck check_;
  std::shared_ptr<BlobPlaces> places_;
  std::unordered_map<std::uint32_t, std::uint32_t> numbers_;  // of places_, in the capture
  std::unordered_set<Digest> embedded_;
  std::string found_;
};

}  // namespace rondo
