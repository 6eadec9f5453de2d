// SPDX-License-Identifier: Apache-2.0
#include "format/file.h"

#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <string.h>
#include <sys/file.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <filesystem>
#include <mutex>
#include <utility>
#include <vector>

#include "format/write_signals.h"

namespace rondo {
namespace {

int write_all(int fd, std::uint64_t offset, std::span<const std::byte> bytes) {
  while (!bytes.empty()) {
    const ssize_t n = ::pwrite(fd, bytes.data(), bytes.size(), static_cast<off_t>(offset));
    if (n < 0 && errno == EINTR) continue;
    if (n < 0) return errno;
    if (n == 0) return ENOSPC;
    bytes = bytes.subspan(static_cast<std::size_t>(n));
    offset += static_cast<std::uint64_t>(n);
  }
  return 0;
}

int write_zeros(int fd, std::uint64_t offset, std::uint64_t bytes) {
  const std::vector<std::byte> zeros(static_cast<std::size_t>(std::min<std::uint64_t>(bytes, 64 * 1024)));
  while (bytes != 0) {
    const auto n = static_cast<std::size_t>(std::min<std::uint64_t>(bytes, zeros.size()));
    if (const int error = write_all(fd, offset, std::span(zeros).first(n))) return error;
    offset += n;
    bytes -= n;
  }
  return 0;
}

// Programs expect the small numbers for their own files, and select() dies on
// numbers from 1024: between the two if the limit allows.
int move_high(int fd) {
  for (const int lowest : {512, 128}) {
    const int high = ::fcntl(fd, F_DUPFD_CLOEXEC, lowest);
    if (high < 0) continue;
    ::close(fd);
    return high;
  }
  return fd;
}

tl::unexpected<Error> not_readable(const std::string& path, const std::string& why) {
  return fail(Status::unreadable, path + ": " + why);
}

// The thread's own descriptor of a file: File::keep_private().
struct Private {
  const File* file = nullptr;
  int number = -1;
};
thread_local Private t_private;

std::atomic<int (*)(const std::string&)> g_open_otherwise{nullptr};

constexpr unsigned kCloseRangeUnshare = 1u << 1;  // linux/close_range.h, which older systems lack

}  // namespace

std::string errno_text(int error) {
  // Where a limit of this process is the reason, it is named.
  const char* text = ::strerrordesc_np(error);
  rlimit limit{};
  if (error == EFBIG && ::getrlimit(RLIMIT_FSIZE, &limit) == 0 && limit.rlim_cur != RLIM_INFINITY)
    return "File too large: no file may have more than " + std::to_string(limit.rlim_cur) + " bytes here (ulimit -f)";
  if (error == EMFILE && ::getrlimit(RLIMIT_NOFILE, &limit) == 0)
    return "Too many open files: no more than " + std::to_string(limit.rlim_cur) + " may be open here (ulimit -n)";
  return text != nullptr ? text : "error " + std::to_string(error);
}

File& File::operator=(File&& other) noexcept {
  if (this == &other) return *this;
  close();
  path_ = std::move(other.path_);
  fd_ = other.fd_.exchange(-1);
  reopened_ = other.reopened_.load();
  locked_ = other.locked_.load();
  again_ = std::move(other.again_);
  device_ = other.device_;
  inode_ = other.inode_;
  return *this;
}

int File::number() const { return t_private.file == this ? t_private.number : fd_.load(); }

void File::keep_private() const {
  const int fd = fd_;
  if (!is_this(fd) || ::syscall(SYS_close_range, fd + 1, ~0U, kCloseRangeUnshare) != 0) return;
  if (fd > 0) ::syscall(SYS_close_range, 0, fd - 1, 0);
  // The program may have been closing it meanwhile. Without one, the first use opens it again.
  const bool kept = is_this(fd);
  if (!kept) ::close(fd);
  t_private = {this, kept ? fd : -1};
}

void File::close() {
  // A program that closes every descriptor may have got this number for its own file.
  if (is_this(fd_)) ::close(fd_);
  fd_ = -1;
}

Result<File> File::create(const std::string& path) {
  const int fd = ::open(path.c_str(), O_CREAT | O_EXCL | O_RDWR | O_CLOEXEC | O_NOFOLLOW, 0600);
  if (fd < 0) return fail(Status::failed, "cannot create " + path + ": " + errno_text(errno));
  return created(fd, path);
}

Result<File> File::created(int descriptor, const std::string& path) {
  File file;
  file.path_ = path;
  std::error_code unknown;
  file.again_ = std::filesystem::absolute(path, unknown).string();
  file.fd_ = move_high(descriptor);
  struct stat status {};
  if (::fstat(file.fd_, &status) != 0) return fail(Status::failed, "cannot create " + path + ": " + errno_text(errno));
  file.device_ = status.st_dev;
  file.inode_ = status.st_ino;
  // Some network file systems have no locks: then finish_capture() cannot tell.
  static_cast<void>(file.lock_exclusive());
  return file;
}

void File::open_otherwise(int (*open)(const std::string& path)) { g_open_otherwise = open; }

Result<File> File::open(const std::string& path, bool writable) {
  // O_NONBLOCK: a FIFO must not hang us.
  int fd = ::open(path.c_str(), (writable ? O_RDWR : O_RDONLY) | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
  const auto otherwise = g_open_otherwise.load();
  if (fd < 0 && errno == EACCES && !writable && otherwise != nullptr) fd = otherwise(path);
  struct stat status {};
  if (fd < 0) {
    const int error = errno;
    if (error == EISDIR || (::stat(path.c_str(), &status) == 0 && S_ISDIR(status.st_mode)))
      return not_readable(path, "is a directory, not a capture");
    return not_readable(path, "cannot be opened: " + errno_text(error));
  }
  File file;
  file.path_ = path;
  file.fd_ = fd;
  if (::fstat(fd, &status) != 0) return not_readable(path, errno_text(errno));
  file.device_ = status.st_dev;
  file.inode_ = status.st_ino;
  if (S_ISDIR(status.st_mode)) return not_readable(path, "is a directory, not a capture");
  if (!S_ISREG(status.st_mode)) return not_readable(path, "is not a regular file, so not a capture");
  return file;
}

std::uint64_t File::bytes() const {
  struct stat status {};
  return ::fstat(number(), &status) == 0 ? static_cast<std::uint64_t>(status.st_size) : 0;
}

bool File::lock_exclusive() const { return ::flock(number(), LOCK_EX | LOCK_NB) == 0; }

bool File::locked_by_other() const {
  if (::flock(number(), LOCK_SH | LOCK_NB) != 0) return errno == EWOULDBLOCK;
  ::flock(number(), LOCK_UN);
  return false;
}

bool File::is_this(int descriptor) const {
  struct stat status {};
  return descriptor >= 0 && ::fstat(descriptor, &status) == 0 && status.st_dev == device_ && status.st_ino == inode_;
}

int File::check() const {
  const bool is_private = t_private.file == this;
  if (is_this(number())) {
    // The thread's own may have the lock still: that says nothing of the program's.
    if (!is_private && !locked_) locked_ = lock_exclusive();
    return 0;
  }
  // A program that closes everything does so once or twice, not for ever.
  constexpr int most = 4;
  if (again_.empty() || reopened_ >= most) return EBADF;
  static std::mutex one;
  const std::lock_guard guard(one);
  if (is_this(number())) return 0;
  ++reopened_;
  const int again = ::open(again_.c_str(), O_RDWR | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
  if (!is_this(again)) {
    if (again >= 0) ::close(again);
    return EBADF;
  }
  if (is_private) {
    t_private.number = again;
    static_cast<void>(lock_exclusive());
    return 0;
  }
  fd_ = move_high(again);
  locked_ = lock_exclusive();
  return 0;
}

bool File::read(std::uint64_t offset, std::span<std::byte> out) const {
  while (!out.empty()) {
    const ssize_t n = ::pread(number(), out.data(), out.size(), static_cast<off_t>(offset));
    if (n < 0 && errno == EINTR) continue;
    if (n <= 0) return false;
    out = out.subspan(static_cast<std::size_t>(n));
    offset += static_cast<std::uint64_t>(n);
  }
  return true;
}

int File::write(std::uint64_t offset, std::span<const std::byte> bytes) const {
  if (const int error = check()) return error;
  const WriteSignalBlock block;
  return block.take(write_all(number(), offset, bytes));
}

int File::allocate(std::uint64_t offset, std::uint64_t bytes) const {
  if (const int error = check()) return error;
  const WriteSignalBlock block;
  int error = 0;
  do {
    error = ::fallocate(number(), 0, static_cast<off_t>(offset), static_cast<off_t>(bytes)) == 0 ? 0 : errno;
  } while (error == EINTR);
  if (error == EOPNOTSUPP || error == ENOSYS) error = write_zeros(number(), offset, bytes);
  return block.take(error);
}

int File::clear(std::uint64_t offset, std::uint64_t bytes) const {
  if (const int error = check()) return error;
  if (::fallocate(number(), FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE, static_cast<off_t>(offset),
                  static_cast<off_t>(bytes)) == 0)
    return 0;
  const WriteSignalBlock block;
  return block.take(write_zeros(number(), offset, bytes));
}

int File::truncate(std::uint64_t bytes) const {
  if (const int error = check()) return error;
  const WriteSignalBlock block;
  return block.take(::ftruncate(number(), static_cast<off_t>(bytes)) == 0 ? 0 : errno);
}

std::optional<std::uint64_t> File::next_data(std::uint64_t offset) const {
  const off_t found = ::lseek(number(), static_cast<off_t>(offset), SEEK_DATA);
  if (found >= 0) return static_cast<std::uint64_t>(found);
  if (errno == ENXIO) return std::nullopt;
  return offset;  // no holes known here
}

}  // namespace rondo
