// SPDX-License-Identifier: Apache-2.0
// Files outside a capture that hold bytes of its blobs (RONDO_FILES=reference): what the capture says of them, and how
// they are opened. A capture may come from anybody: nothing is opened but what the user has allowed, only regular
// files, and no link leads out of what is allowed.
#pragma once

#include <sys/stat.h>

#include <cstdint>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "format/container.h"
#include "format/digest.h"
#include "format/result.h"

namespace rondo {

struct FileIdentity {
  std::uint64_t bytes = 0;
  std::uint64_t device = 0;
  std::uint64_t inode = 0;
  std::int64_t mtime_ns = 0;  // since 1970
  friend bool operator==(const FileIdentity&, const FileIdentity&) = default;
};
FileIdentity identity_of(const struct stat& status);

// A row of a capture's table.
struct ExternalFile {
  std::string path;
  FileIdentity identity;
  FileCheck check = FileCheck::identity;
  std::vector<Digest> blocks;          // where it is embedded as a whole: nothing is opened then
  std::uint64_t referenced_bytes = 0;  // by all pieces together
  std::uint64_t blobs = 0;             // that have a piece in it
  bool embedded() const { return !blocks.empty(); }
};

// A part of a blob.
struct FilePiece {
  std::uint32_t file = kInNoFile;
  std::uint64_t offset = 0;
  std::uint64_t bytes = 0;
  Digest digest{};
};

// What the user allows. Nothing, unless it says so.
struct FileAccess {
  struct Remap {
    std::string from, to;  // a file, or a directory with all below it
  };
  std::vector<Remap> remaps;         // the longest that fits counts
  std::vector<std::string> allowed;  // directories
};
// From what --file-remap (OLD=NEW, divided at the first sign) and --allow-files (DIR) were given. Errors:
// Status::usage.
Result<FileAccess> parse_file_access(std::span<const std::string> remaps, std::span<const std::string> allowed);

// A descriptor of a regular file, open for reading.
class OpenedFile {
 public:
  OpenedFile() = default;
  explicit OpenedFile(int descriptor, bool remapped = false) : descriptor_(descriptor), remapped_(remapped) {}
  OpenedFile(OpenedFile&& other) noexcept
      : descriptor_(std::exchange(other.descriptor_, -1)), remapped_(other.remapped_) {}
  OpenedFile& operator=(OpenedFile&& other) noexcept {
    std::swap(descriptor_, other.descriptor_);
    std::swap(remapped_, other.remapped_);
    return *this;
  }
  ~OpenedFile();
  int descriptor() const { return descriptor_; }
  void forget() { descriptor_ = -1; }          // it is somebody else's now
  bool remapped() const { return remapped_; }  // the user says which one it is: its identity may differ
  FileIdentity identity() const;
  // False where the range is not all there.
  bool read(std::uint64_t offset, std::span<std::byte> out) const;

 private:
  int descriptor_ = -1;
  bool remapped_ = false;
};

// Opens a file that `capture` needs, by its path or where it was remapped to. Errors (Status::external_file) name file
// and remedy. Its length is the captured one; its identity too, unless it was remapped.
Result<OpenedFile> open_external(const FileAccess& access, const ExternalFile& file, const std::string& capture);

// "x.rondo: the file …: WHY; REMEDY", for one that is not what it was.
Error file_error(const std::string& capture, const ExternalFile& file, const std::string& why);

}  // namespace rondo
