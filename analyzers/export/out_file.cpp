// SPDX-License-Identifier: Apache-2.0
#include "analyzers/export/out_file.h"

#include <unistd.h>

#include <cerrno>

namespace rondo::analyzers {

Result<OutFile> OutFile::create(const std::string& path, const std::string& capture) {
  auto made = NewFile::create(path, capture);
  if (!made) return tl::unexpected(made.error());
  return OutFile(std::move(*made));
}

void OutFile::flush() {
  std::size_t done = 0;
  while (done < buffer_.size() && error_ == 0) {
    const ssize_t written = ::write(file_.file().descriptor(), buffer_.data() + done, buffer_.size() - done);
    if (written < 0 && errno != EINTR) error_ = errno;
    if (written > 0) done += static_cast<std::size_t>(written);
  }
  flushed_ += buffer_.size();
  buffer_.clear();
}

Result<void> OutFile::keep() {
  flush();
  if (error_ != 0) return file_.failure(error_);
  return file_.keep();
}

}  // namespace rondo::analyzers
