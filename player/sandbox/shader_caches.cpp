// SPDX-License-Identifier: Apache-2.0
#include "player/sandbox/shader_caches.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <optional>
#include <span>
#include <vector>

#include "format/digest.h"
#include "player/trust.h"
#include "player/user_directory.h"

namespace rondo::player {

namespace {

namespace fs = std::filesystem;

constexpr std::size_t kMostCaptures = 16;
constexpr std::uintmax_t kMostBytes = std::uintmax_t{512} << 20;  // of one capture; a hostile one may write more

std::string directory_of_all() {
  const std::string caches = user_directory("XDG_CACHE_HOME", ".cache");
  return caches.empty() ? caches : caches + "/rondo/foreign";
}

std::uintmax_t bytes_below(const fs::path& directory) {
  std::uintmax_t bytes = 0;
  std::error_code error;
  for (fs::recursive_directory_iterator entry(directory, error), end; !error && entry != end; entry.increment(error)) {
    std::error_code none;
    if (entry->is_regular_file(none)) bytes += entry->file_size(none);
  }
  return bytes;
}

// Another player may do the same at the same time: what is not there any more is as good.
void remove_old(const std::string& all) {
  struct One {
    fs::path path;
    fs::file_time_type used;
  };
  std::vector<One> found;
  std::error_code error;
  for (fs::directory_iterator entry(all, error), end; !error && entry != end; entry.increment(error)) {
    std::error_code none;
    found.push_back({entry->path(), entry->last_write_time(none)});
  }
  std::sort(found.begin(), found.end(), [](const One& a, const One& b) { return a.used > b.used; });
  for (std::size_t i = 0; i < found.size(); ++i) {
    std::error_code none;
    if (i >= kMostCaptures || bytes_below(found[i].path) > kMostBytes) fs::remove_all(found[i].path, none);
  }
}

bool make(const std::string& directory) {
  struct stat status {};
  return (::mkdir(directory.c_str(), 0700) == 0 || errno == EEXIST) && ::lstat(directory.c_str(), &status) == 0 &&
         S_ISDIR(status.st_mode) && status.st_uid == ::geteuid() && (status.st_mode & 022) == 0;
}

void keep_nothing() {
  ::setenv("MESA_SHADER_CACHE_DISABLE", "true", 1);
  ::setenv("MESA_GLSL_CACHE_DISABLE", "true", 1);  // its name before Mesa 22.1
  ::setenv("__GL_SHADER_DISK_CACHE", "0", 1);      // NVIDIA's
}

}  // namespace

std::string use_private_shader_caches(const std::string& capture) {
  const std::string all = directory_of_all();
  const std::optional<FileState> state = state_of(capture);
  std::error_code error;
  if (!all.empty()) fs::create_directories(fs::path(all).parent_path(), error);
  if (all.empty() || !state || !make(all)) {
    keep_nothing();
    return {};
  }
  const std::string own = all + "/" + to_string(digest_of(std::as_bytes(std::span(&*state, 1))));
  if (!make(own)) {
    keep_nothing();
    return {};
  }
  ::utimensat(AT_FDCWD, own.c_str(), nullptr, 0);  // it is used now
  remove_old(all);
  for (const char* variable : {"MESA_SHADER_CACHE_DIR", "MESA_GLSL_CACHE_DIR", "__GL_SHADER_DISK_CACHE_PATH"})
    ::setenv(variable, own.c_str(), 1);
  return own;
}

}  // namespace rondo::player
