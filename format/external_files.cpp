// SPDX-License-Identifier: Apache-2.0
#include "format/external_files.h"

#include <fcntl.h>
#include <limits.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <optional>

#include "format/file.h"
#include "format/file_place.h"

namespace rondo {
namespace {

std::optional<std::string> real_path(const std::string& path) {
  char* const real = ::realpath(path.c_str(), nullptr);
  if (real == nullptr) return std::nullopt;
  std::string text(real);
  std::free(real);
  return text;
}

std::string path_of(int descriptor) {
  char path[PATH_MAX];
  const ssize_t length = ::readlink(("/proc/self/fd/" + std::to_string(descriptor)).c_str(), path, sizeof path);
  return length > 0 ? std::string(path, static_cast<std::size_t>(length)) : std::string();
}

std::string directory_of(const std::string& path) {
  const std::size_t slash = path.rfind('/');
  return slash == std::string::npos || slash == 0 ? "/" : path.substr(0, slash);
}

const char* kind_of(mode_t mode) {
  if (S_ISDIR(mode)) return "a directory";
  if (S_ISFIFO(mode)) return "a pipe";
  if (S_ISSOCK(mode)) return "a socket";
  return "a device";
}

std::string difference(const FileIdentity& now, const FileIdentity& then) {
  const auto differs = [](const char* what, auto is, auto was) {
    return std::string("its ") + what + " is " + std::to_string(is) + ", and was " + std::to_string(was);
  };
  if (now.bytes != then.bytes) return differs("length", now.bytes, then.bytes);
  if (now.mtime_ns != then.mtime_ns)
    return differs("time of modification (ns since 1970)", now.mtime_ns, then.mtime_ns);
  if (now.inode != then.inode) return differs("inode", now.inode, then.inode);
  return differs("device number", now.device, then.device);
}

}  // namespace

FileIdentity identity_of(const struct stat& status) {
  return {static_cast<std::uint64_t>(status.st_size), static_cast<std::uint64_t>(status.st_dev),
          static_cast<std::uint64_t>(status.st_ino),
          std::int64_t{status.st_mtim.tv_sec} * 1'000'000'000 + status.st_mtim.tv_nsec};
}

OpenedFile::~OpenedFile() {
  if (descriptor_ >= 0) ::close(descriptor_);
}

FileIdentity OpenedFile::identity() const {
  struct stat status {};
  return ::fstat(descriptor_, &status) == 0 ? identity_of(status) : FileIdentity{};
}

bool OpenedFile::read(std::uint64_t offset, std::span<std::byte> out) const {
  while (!out.empty()) {
    const ssize_t got = ::pread(descriptor_, out.data(), out.size(), static_cast<off_t>(offset));
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0) return false;
    offset += static_cast<std::uint64_t>(got);
    out = out.subspan(static_cast<std::size_t>(got));
  }
  return true;
}

Result<FileAccess> parse_file_access(std::span<const std::string> remaps, std::span<const std::string> allowed) {
  FileAccess access;
  for (const std::string& text : remaps) {
    const std::size_t sign = text.find('=');
    if (sign == std::string::npos || sign == 0 || sign + 1 == text.size())
      return fail(Status::usage,
                  "--file-remap: '" + text + "' is not OLD=NEW, a path in the capture and where it lies now");
    FileAccess::Remap remap{text.substr(0, sign), text.substr(sign + 1)};
    if (remap.from[0] != '/')
      return fail(Status::usage, "--file-remap: '" + remap.from +
                                     "' is not absolute, as the paths in a capture are (rondo info lists them)");
    while (remap.from.size() > 1 && remap.from.ends_with('/')) remap.from.pop_back();
    access.remaps.push_back(std::move(remap));
  }
  for (const std::string& directory : allowed) {
    struct stat status {};
    if (directory.empty() || ::stat(directory.c_str(), &status) != 0 || !S_ISDIR(status.st_mode))
      return fail(Status::usage, "--allow-files: '" + directory + "' is not a directory");
    access.allowed.push_back(directory);
  }
  return access;
}

Error file_error(const std::string& capture, const ExternalFile& file, const std::string& why) {
  return {Status::external_file, capture + ": the file " + file.path + " that it needs " + why};
}

Result<OpenedFile> open_external(const FileAccess& access, const ExternalFile& file, const std::string& capture) {
  const auto refuse = [&](const std::string& why) { return tl::unexpected<Error>(file_error(capture, file, why)); };
  const FileAccess::Remap* const remap = remap_of(access, file.path);
  const std::string elsewhere = "--file-remap " + file.path + "=NEW says where it lies now";
  if (remap == nullptr && access.allowed.empty())
    return refuse(
        "may not be read: `player`, `rondo trim`, `rondo extract` and `rondo pack` read it with --allow-files " +
        directory_of(file.path) + "; " + elsewhere + "; `rondo pack` makes a capture that needs no files");
  const FilePlace place = place_of(access, remap, file.path);
  const std::string at = remap == nullptr ? "" : "(" + place.path + ") ";
  // Nothing happens to what is opened so: a device is not asked, nobody waits for a pipe.
  const OpenedFile found(::open(place.path.c_str(), O_PATH | O_CLOEXEC));
  if (found.descriptor() < 0) return refuse(at + "cannot be opened: " + errno_text(errno) + ": " + elsewhere);
  struct stat status {};
  if (::fstat(found.descriptor(), &status) != 0) return refuse(at + "cannot be looked at: " + errno_text(errno));
  if (!place.named) {
    const std::string real = path_of(found.descriptor());
    bool inside = false;
    for (const std::string& root : place.roots) {
      const auto real_root = real_path(root);
      inside = inside || (real_root && !real.empty() && within(real, *real_root));
    }
    if (!inside)
      return refuse(at +
                    (real == place.path ? "lies in no directory that is allowed: --allow-files "
                                        : "leads to " + real + ", out of what is allowed: --allow-files ") +
                    directory_of(real) + " allows it; " + elsewhere);
  }
  if (!S_ISREG(status.st_mode))
    return refuse(at + "is " + kind_of(status.st_mode) + ", not a regular file: " + elsewhere);
  OpenedFile opened(
      ::open(("/proc/self/fd/" + std::to_string(found.descriptor())).c_str(), O_RDONLY | O_CLOEXEC | O_NOCTTY),
      remap != nullptr);
  if (opened.descriptor() < 0) return refuse(at + "cannot be read: " + errno_text(errno) + ": " + elsewhere);
  const FileIdentity now = opened.identity();
  if (now.bytes != file.identity.bytes)
    return refuse(at + "has changed since: " + difference(now, file.identity) + ": bring the old one back; " +
                  elsewhere);
  if (remap == nullptr && file.check == FileCheck::identity && now != file.identity)
    return refuse("has changed since: " + difference(now, file.identity) + "; " + elsewhere + ", and --file-remap " +
                  file.path + "=" + file.path + " compares its bytes instead");
  return opened;
}

}  // namespace rondo
