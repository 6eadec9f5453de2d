// SPDX-License-Identifier: Apache-2.0
// A file that comes to be there whole, or not at all: written under another name beside it, and renamed.
#pragma once

#include <string>

#include "format/file.h"
#include "format/outputs.h"
#include "format/result.h"
#include "format/temporary_path.h"

namespace rondo {

class NewFile {
 public:
  // `path` may exist, or be a link to what does: that stays as it is until keep(). The new file has its owner, group
  // and permissions, or those of `like` where it does not exist (of any new file, where `like` is empty); where they
  // cannot be given, nobody but the user may read it. Errors (Status::failed) name it.
  static Result<NewFile> create(const std::string& path, const std::string& like);
  // Without keep() nothing is left.
  NewFile(NewFile&&) noexcept = default;
  NewFile& operator=(NewFile&&) = delete;

  const File& file() const { return file_; }
  const std::string& temporary_path() const { return temporary_.get(); }  // until keep()
  // Puts it where it belongs, durable.
  Result<void> keep();
  tl::unexpected<Error> failure(int error) const;  // "out.rondo: cannot be written: …"

 private:
  NewFile() = default;
  File file_;
  std::string path_;
  TemporaryPath temporary_;
  Attributes attributes_;
};

}  // namespace rondo
