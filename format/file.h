// SPDX-License-Identifier: Apache-2.0
// The one descriptor of a capture file. Calls return 0 or an errno value, and
// never raise SIGXFSZ in the calling thread, which belongs to the program.
// Safe to use from any thread; the object itself is moved before it is shared.
#pragma once

#include <sys/types.h>

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>

#include "format/result.h"

namespace rondo {

std::string errno_text(int error);  // "No space left on device", in English whatever the locale

class File {
 public:
  // Creates `path`, which must not exist, mode 0600, at a descriptor out of
  // the program's way, locked against finish_capture(). It is opened again where
  // the program closes it. A relative path is taken from the directory of now.
  static Result<File> create(const std::string& path);
  // The same, of a file that was just created so and is open as `descriptor`, which is closed where this fails.
  static Result<File> created(int descriptor, const std::string& path);
  // An existing regular file; every other kind is an error that says which.
  static Result<File> open(const std::string& path, bool writable);

  // How open() goes on where this process may not read a file (format/outputs.h): a descriptor, or -1 with errno.
  static void open_otherwise(int (*open)(const std::string& path));

  File() = default;
  File(File&& other) noexcept { *this = std::move(other); }
  File& operator=(File&& other) noexcept;
  ~File() { close(); }
  void close();

  const std::string& path() const { return path_; }
  int descriptor() const { return check() == 0 ? number() : -1; }
  std::uint64_t bytes() const;   // as of now
  bool lock_exclusive() const;   // false: another process records or finishes it
  bool locked_by_other() const;  // without keeping a lock

  // On a thread of the recorder's own: gives it a table of descriptors of its own, with
  // nothing but this file in it. What the program closes, and opens at the same number,
  // is not the thread's then, however the two race. Does nothing where the kernel
  // (before 5.9) or a filter does not let it.
  void keep_private() const;

  // False when the range is not all there.
  bool read(std::uint64_t offset, std::span<std::byte> out) const;
  int write(std::uint64_t offset, std::span<const std::byte> bytes) const;
  // Makes sure that storing into a shared mapping of the range cannot fail.
  int allocate(std::uint64_t offset, std::uint64_t bytes) const;
  // Zeros the range and gives its blocks back where the file system can. Slow:
  // some file systems first write to the disk what is then thrown away.
  int clear(std::uint64_t offset, std::uint64_t bytes) const;
  int truncate(std::uint64_t bytes) const;
  // The first offset >= `offset` that is not in a hole; nullopt: only holes follow.
  std::optional<std::uint64_t> next_data(std::uint64_t offset) const;

 private:
  bool is_this(int descriptor) const;
  int number() const;  // of the descriptor, in this thread's table
  int check() const;   // the descriptor still is this file, or is again: programs close what they do not know

  std::string path_;
  mutable std::atomic<int> fd_{-1};
  mutable std::atomic<int> reopened_{0};
  mutable std::atomic<bool> locked_{true};  // but after it was opened again, while mappings keep the old lock
  std::string again_;                       // where to open it again; empty: nowhere
  dev_t device_ = 0;
  ino_t inode_ = 0;
};

}  // namespace rondo
