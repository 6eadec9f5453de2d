// SPDX-License-Identifier: Apache-2.0
// The list: eight bytes of magic, then entries of 40 bytes, little-endian, the oldest first. flock() keeps
// those who add to it apart from each other and from those who read it.
#include "player/trust.h"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <optional>
#include <type_traits>
#include <vector>

#include "format/file.h"
#include "player/user_directory.h"

namespace rondo::player {

namespace {

constexpr char kMagic[8] = {'R', 'O', 'N', 'D', 'O', 'T', 'R', '1'};

using Entry = FileState;
static_assert(sizeof(Entry) == 40 && std::is_trivially_copyable_v<Entry>);

std::int64_t nanoseconds(const timespec& time) { return std::int64_t{time.tv_sec} * 1'000'000'000 + time.tv_nsec; }

class OpenList {
 public:
  OpenList(const std::string& path, int flags)
      : fd_(::open(path.c_str(), flags | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK, 0600)) {}
  OpenList(const OpenList&) = delete;
  OpenList& operator=(const OpenList&) = delete;
  ~OpenList() {
    if (fd_ >= 0) ::close(fd_);
  }
  bool is_open() const { return fd_ >= 0; }
  // Nobody else can have written it. `bytes`: its size.
  bool is_private(std::uint64_t& bytes) const {
    struct stat file {};
    if (::fstat(fd_, &file) != 0) return false;
    bytes = static_cast<std::uint64_t>(file.st_size);
    return S_ISREG(file.st_mode) && file.st_uid == ::geteuid() && (file.st_mode & 077) == 0 && file.st_nlink == 1;
  }
  bool lock(int how) const {
    while (::flock(fd_, how) != 0)
      if (errno != EINTR) return false;
    return true;
  }
  std::vector<Entry> read(std::uint64_t bytes) const;
  // Status of the system; 0: it was written.
  int write(const std::vector<Entry>& entries) const;

 private:
  const int fd_;
};

// None where it is no list, or longer than one.
std::vector<Entry> OpenList::read(std::uint64_t bytes) const {
  char magic[sizeof kMagic];
  if (bytes < sizeof kMagic || bytes > sizeof kMagic + kMostTrusted * sizeof(Entry)) return {};
  if (::pread(fd_, magic, sizeof magic, 0) != static_cast<ssize_t>(sizeof magic) ||
      std::memcmp(magic, kMagic, sizeof magic) != 0)
    return {};
  std::vector<Entry> entries(static_cast<std::size_t>(bytes - sizeof kMagic) / sizeof(Entry));
  const ssize_t want = static_cast<ssize_t>(entries.size() * sizeof(Entry));
  if (::pread(fd_, entries.data(), entries.size() * sizeof(Entry), sizeof kMagic) != want) return {};
  return entries;
}

// In place: what is there when the process dies in the middle are entries of files, old ones and new ones.
int OpenList::write(const std::vector<Entry>& entries) const {
  std::vector<std::byte> bytes(sizeof kMagic + entries.size() * sizeof(Entry));
  std::memcpy(bytes.data(), kMagic, sizeof kMagic);
  if (!entries.empty()) std::memcpy(bytes.data() + sizeof kMagic, entries.data(), entries.size() * sizeof(Entry));
  for (std::size_t at = 0; at < bytes.size();) {
    const ssize_t n = ::pwrite(fd_, bytes.data() + at, bytes.size() - at, static_cast<off_t>(at));
    if (n < 0 && errno == EINTR) continue;
    if (n <= 0) return n < 0 ? errno : ENOSPC;
    at += static_cast<std::size_t>(n);
  }
  return ::ftruncate(fd_, static_cast<off_t>(bytes.size())) == 0 ? 0 : errno;
}

}  // namespace

std::optional<FileState> state_of(const std::string& path) {
  struct stat file {};
  if (::stat(path.c_str(), &file) != 0 || !S_ISREG(file.st_mode)) return std::nullopt;
  return FileState{file.st_dev, file.st_ino, static_cast<std::uint64_t>(file.st_size), nanoseconds(file.st_mtim),
                   nanoseconds(file.st_ctim)};
}

std::string trust_list_path() {
  const std::string state = user_directory("XDG_STATE_HOME", ".local/state");
  return state.empty() ? state : state + "/rondo/trusted";
}

Trust trust_of(const std::string& capture_path, bool trust_option) {
  if (trust_option) return Trust::trusted;
  const std::string path = trust_list_path();
  const auto wanted = state_of(capture_path);
  if (path.empty() || !wanted) return Trust::foreign;
  const OpenList list(path, O_RDONLY);
  std::uint64_t bytes = 0;
  if (!list.is_open() || !list.lock(LOCK_SH) || !list.is_private(bytes)) return Trust::foreign;
  const std::vector<Entry> entries = list.read(bytes);
  return std::find(entries.begin(), entries.end(), *wanted) != entries.end() ? Trust::trusted : Trust::foreign;
}

Result<void> add_trusted(const std::string& capture_path) {
  const std::string path = trust_list_path();
  if (path.empty())
    return fail(Status::failed,
                "there is no list of trusted captures: neither XDG_STATE_HOME nor HOME names a directory");
  const auto cannot = [&](const std::string& why) {
    return fail(Status::failed, path + ": the list of trusted captures cannot be written: " + why);
  };
  std::error_code error;
  const std::filesystem::path directory = std::filesystem::path(path).parent_path();
  std::filesystem::create_directories(directory.parent_path(), error);
  if (::mkdir(directory.c_str(), 0700) != 0 && errno != EEXIST) return cannot(errno_text(errno));
  const OpenList list(path, O_RDWR | O_CREAT);
  if (!list.is_open() || !list.lock(LOCK_EX)) return cannot(errno_text(errno));
  std::uint64_t bytes = 0;
  if (!list.is_private(bytes)) return cannot("others can write it, or it is no regular file: remove it");
  const auto added = state_of(capture_path);
  if (!added) return fail(Status::failed, capture_path + ": is no file that can be trusted");
  std::vector<Entry> entries = list.read(bytes);
  // What a file was before it was changed is no file any more.
  std::erase_if(entries, [&](const Entry& one) { return one.device == added->device && one.inode == added->inode; });
  if (entries.size() >= kMostTrusted)
    entries.erase(entries.begin(), entries.begin() + static_cast<std::ptrdiff_t>(entries.size() - kMostTrusted + 1));
  entries.push_back(*added);
  const int written = list.write(entries);
  return written == 0 ? Result<void>() : cannot(errno_text(written));
}

}  // namespace rondo::player
