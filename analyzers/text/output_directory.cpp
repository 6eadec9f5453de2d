// SPDX-License-Identifier: Apache-2.0
#include "analyzers/text/output_directory.h"

#include <sys/file.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <filesystem>
#include <utility>
#include <vector>

#include "analyzers/text/text.h"
#include "format/abandoned.h"
#include "format/digest.h"
#include "format/file.h"
#include "format/output_names.h"
#include "format/outputs.h"

namespace rondo::analyzers {

namespace {

bool holds(const std::string& path, std::span<const std::byte> bytes) {
  const auto file = rondo::File::open(path, /*writable=*/false);
  if (!file || file->bytes() != bytes.size()) return false;
  std::vector<std::byte> has(bytes.size());
  return file->read(0, has) && digest_of(has) == digest_of(bytes);
}

}  // namespace

Result<OutputDirectory> OutputDirectory::open(const std::string& path) {
  const std::error_code made = make_output_directory(path);
  std::error_code error;
  if (std::filesystem::is_directory(path, error)) {
    remove_abandoned(path + "/", ".part");
    return OutputDirectory(path);
  }
  const bool there = std::filesystem::exists(path, error);
  if (there) return fail(Status::usage, text("{}: is no directory: -o takes one", printable(path)));
  return fail(Status::failed, text("{}: no directory can be made there{}{}: choose another place with -o",
                                   printable(path), made ? ": " : "", made ? made.message() : ""));
}

bool OutputDirectory::has_other(const std::string& name, std::span<const std::byte> bytes) const {
  const std::string path = path_ + "/" + name;
  std::error_code error;
  if (!std::filesystem::is_regular_file(std::filesystem::symlink_status(path, error))) return false;
  const auto size = std::filesystem::file_size(path, error);
  return !error && !holds(path, bytes.first(std::min<std::size_t>(size, bytes.size())));
}

Result<void> OutputDirectory::write(const std::string& name, std::span<const std::byte> bytes) const {
  if (holds(path_ + "/" + name, bytes)) return {};
  auto file = begin(name);
  if (!file) return tl::unexpected(file.error());
  RONDO_TRY(file->append(bytes));
  return file->keep();
}

Result<OutputDirectory::File> OutputDirectory::begin(const std::string& name) const {
  File file;
  file.path_ = path_ + "/" + name;
  RONDO_TRY(spare_other_kinds(file.path_, Links::refused));
  file.temporary_ = TemporaryPath::beside(file.path_, ".part");
  file.fd_ = open_output(file.temporary_.get(), Opening::temporary);
  if (file.fd_ < 0) {
    const int error = errno;
    file.temporary_.forget();
    return file.failure(error);
  }
  static_cast<void>(::flock(file.fd_, LOCK_EX | LOCK_NB));  // remove_abandoned() sees by it that somebody is at work
  return file;
}

OutputDirectory::File::File(File&& other) noexcept
    : path_(std::move(other.path_)), temporary_(std::move(other.temporary_)), fd_(std::exchange(other.fd_, -1)) {}

OutputDirectory::File::~File() {
  if (fd_ >= 0) ::close(fd_);
}

tl::unexpected<Error> OutputDirectory::File::failure(int error) const {
  return fail(Status::failed, text("{}: cannot be written: {}", printable(path_), errno_text(error)));
}

Result<void> OutputDirectory::File::append(std::span<const std::byte> bytes) {
  while (!bytes.empty()) {
    const ssize_t written = ::write(fd_, bytes.data(), bytes.size());
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) return failure(errno);
    bytes = bytes.subspan(static_cast<std::size_t>(written));
  }
  return {};
}

Result<void> OutputDirectory::File::keep() {
  // As any other new file, not as a temporary one.
  if (keep_output(fd_, temporary_.get(), path_, attributes_for({}, {})) != 0) return failure(errno);
  temporary_.forget();
  if (::close(std::exchange(fd_, -1)) != 0) return failure(errno);
  return {};
}

}  // namespace rondo::analyzers
