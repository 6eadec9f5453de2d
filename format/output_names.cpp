// SPDX-License-Identifier: Apache-2.0
#include "format/output_names.h"

#include <sys/stat.h>

namespace rondo {

bool names_file(const std::string& path) {
  const std::string name = path.substr(path.rfind('/') + 1);
  return !name.empty() && name != "." && name != "..";
}

Result<void> spare_other_kinds(const std::string& path, Links links) {
  struct stat itself {};
  struct stat target {};
  if (::lstat(path.c_str(), &itself) != 0) return {};
  if (S_ISLNK(itself.st_mode) && links == Links::refused)
    return fail(Status::failed, path + ": is a link, and is not replaced by a file");
  if (::stat(path.c_str(), &target) != 0)
    return fail(Status::failed, path + ": is a link to what is not there, and is not replaced");
  if (!S_ISREG(target.st_mode)) return fail(Status::failed, path + ": is no regular file, and is not replaced by one");
  return {};
}

}  // namespace rondo
