// SPDX-License-Identifier: Apache-2.0
#include "format/new_file.h"

#include <sys/stat.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <cstdio>
#include <utility>

namespace rondo {

Result<NewFile> NewFile::create(const std::string& path) {
  static std::atomic<unsigned> count{0};
  NewFile made;
  made.path_ = path;
  struct stat there {};
  if (::stat(path.c_str(), &there) == 0 && !S_ISREG(there.st_mode))
    return fail(Status::failed, path + ": is no regular file, and is not replaced by one");
  const std::size_t slash = path.rfind('/');
  const std::size_t name = slash == std::string::npos ? 0 : slash + 1;
  if (name == path.size()) return fail(Status::failed, path + ": names no file");
  made.temporary_ = path.substr(0, name) + "." + path.substr(name) + "." + std::to_string(::getpid()) + "-" +
                    std::to_string(count.fetch_add(1)) + ".part";
  auto file = File::create(made.temporary_);
  if (!file) {
    // What stands in the message is not what the user named.
    const int error = errno;
    made.temporary_.clear();
    return made.failure(error);
  }
  made.file_ = std::move(*file);
  return made;
}

NewFile::NewFile(NewFile&& other) noexcept
    : file_(std::move(other.file_)),
      path_(std::move(other.path_)),
      temporary_(std::exchange(other.temporary_, {})) {}

NewFile::~NewFile() {
  if (!temporary_.empty()) ::unlink(temporary_.c_str());
}

Result<void> NewFile::keep() {
  const int fd = file_.descriptor();
  const mode_t mask = ::umask(0);
  ::umask(mask);
  if (::fchmod(fd, 0666 & ~mask) != 0 || ::fsync(fd) != 0) return failure(errno);
  if (::rename(temporary_.c_str(), path_.c_str()) != 0) return failure(errno);
  temporary_.clear();
  file_.close();
  return {};
}

tl::unexpected<Error> NewFile::failure(int error) const {
  return fail(Status::failed, path_ + ": cannot be written: " + errno_text(error));
}

}  // namespace rondo
