// SPDX-License-Identifier: Apache-2.0
#include "format/new_file.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <utility>

#include "format/abandoned.h"
#include "format/output_names.h"

namespace rondo {

Result<NewFile> NewFile::create(const std::string& asked, const std::string& like) {
  NewFile made;
  struct stat there {};
  std::string path = asked;
  RONDO_TRY(spare_other_kinds(asked, Links::followed));
  if (::stat(asked.c_str(), &there) == 0) {
    // What its program goes on to record would be lost.
    if (const auto file = File::open(asked, false); file && file->locked_by_other())
      return fail(Status::failed,
                  asked +
                      ": is still being recorded, and is not replaced: choose another name, or wait until "
                      "its program ends");
    if (char* real = ::realpath(asked.c_str(), nullptr); real != nullptr) {
      path = real;
      std::free(real);
    }
  } else {
    if (!like.empty() && ::stat(like.c_str(), &there) != 0)
      return fail(Status::failed, like + ": " + errno_text(errno));
  }
  made.attributes_ = attributes_for(path, like);
  made.path_ = path;
  if (!names_file(path)) return fail(Status::failed, path + ": names no file");
  remove_abandoned(path, ".part");
  made.temporary_ = TemporaryPath::beside(path, ".part");
  const int descriptor = open_output(made.temporary_.get(), Opening::temporary);
  Result<File> file = descriptor < 0 ? fail(Status::failed, "") : File::created(descriptor, made.temporary_.get());
  if (!file) {
    // What stands in the message is not what the user named.
    const int error = errno;
    made.temporary_.forget();
    return made.failure(error);
  }
  made.file_ = std::move(*file);
  return made;
}

Result<void> NewFile::keep() {
  const int fd = file_.descriptor();
  if (::fsync(fd) != 0 || keep_output(fd, temporary_.get(), path_, attributes_) != 0) return failure(errno);
  temporary_.forget();
  file_.close();
  // Some file systems cannot do this for a directory: then it is as durable as they make it.
  const std::size_t slash = path_.rfind('/');
  const std::string directory = slash == std::string::npos ? "." : path_.substr(0, slash + 1);
  if (const int folder = ::open(directory.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC); folder >= 0) {
    static_cast<void>(::fsync(folder));
    ::close(folder);
  }
  return {};
}

tl::unexpected<Error> NewFile::failure(int error) const {
  return fail(Status::failed, path_ + ": cannot be written: " + errno_text(error));
}

}  // namespace rondo
