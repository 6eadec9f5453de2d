// SPDX-License-Identifier: Apache-2.0
// The regular files that the program has open or mapped, and which blobs lie in them (RONDO_FILES). Looked for in
// /proc/self when a large blob comes, and every 20 ms, and not so often that it took much of the time. A file that was
// seen once stays open here, so that the program may close or delete it; one that comes and goes between two looks is
// missed. It is read once a blob is in none of those that were.
#pragma once

#include <cstdint>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "format/blob_places.h"
#include "format/file_matcher.h"

namespace rondo::layer {

class OpenFiles final : public BlobPlaces {
 public:
  static constexpr std::uint64_t kSmallest = 64 * 1024;  // smaller ones hold no blob that is looked for
  static constexpr std::size_t kMost = 256;              // that are kept open
  // of these that the program has closed before any blob was looked for in them
  static constexpr std::size_t kMostClosed = 64;

  std::vector<FilePiece> look(std::span<const std::byte> blob) override;
  void glance() override;
  ExternalFile describe(std::uint32_t number) const override;
  bool read(std::uint32_t number, std::uint64_t offset, std::span<std::byte> out) override;
  void close() override;

 private:
  using Key = std::pair<std::uint64_t, std::uint64_t>;  // device, inode

  struct Noticed {
    std::string path;
    OpenedFile file;
    FileIdentity identity;
  };
  struct Pace {  // of looks for blobs, or of those between
    std::uint64_t looked_ns = 0;
    std::uint64_t took_ns = 0;
  };

  std::size_t files() const { return matcher_.files() + noticed_.size(); }
  // Notices what is new, unless the last look was just now (`pause`: in times that it took, and at least `least_ns`).
  void scan(Pace& pace, std::uint64_t pause, std::uint64_t least_ns);
  // So many, the newest first. False: there was nothing.
  bool read_noticed(std::size_t most);
  bool forget_closed();  // false: there were none too many
  static void forget_if_not_own(Noticed& one);
  static Key key_of(const Noticed& one) { return {one.identity.device, one.identity.inode}; }
  void scan_mappings();
  void scan_descriptors();
  void note(const std::string& path, const std::string& open_by);

  FileMatcher matcher_;
  std::vector<std::string> paths_;  // by the matcher's numbers
  std::set<Key> seen_;              // also those that are of no use
  std::set<Key> in_question_;       // of the last look: programs and libraries
  std::vector<Key> open_now_;       // at the last look, of all files
  std::vector<Noticed> noticed_;    // and not read yet, by age
  Pace looks_, glances_;
};

}  // namespace rondo::layer
