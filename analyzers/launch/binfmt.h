// SPDX-License-Identifier: Apache-2.0
// What an administrator had the kernel told of files of other kinds (binfmt_misc): emulators, Wine, Java.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace rondo::analyzers {

struct Handler {
  std::string path;
  bool kept_open = false;  // the kernel opened it when it was told (flag F): it need not be seen here
};

// What the kernel starts for a file of this name that begins with `head`, as far as `directory` shows it
// (/proc/sys/fs/binfmt_misc; in containers it seldom does). Where several would do, any of them.
std::optional<Handler> binfmt_handler(const std::string& directory, std::string_view name, std::string_view head);

}  // namespace rondo::analyzers
