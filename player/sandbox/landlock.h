// SPDX-License-Identifier: Apache-2.0
// Linux' Landlock by its system calls: the C library has no functions for it, and headers may be older than
// the kernel. From here on a process can open what rules name, and nothing else, with all that it starts.
#pragma once

#include <cstdint>
#include <string>

namespace rondo::player {

class Landlock {
 public:
  // The version of the kernel's interface; 0: it has none, or it is switched off.
  static int version();

  Landlock();
  Landlock(const Landlock&) = delete;
  Landlock& operator=(const Landlock&) = delete;
  ~Landlock();

  // A file, or a directory with all below it, wherever the path leads now. What is not there is passed over.
  void allow_reading(const std::string& path) { allow(path, kRead); }
  void allow_overwriting(const std::string& path) { allow(path, kRead | kWrite); }         // of a file
  void allow_all_below(const std::string& path) { allow(path, kRead | kWrite | kNames); }  // but running programs
  void allow_device(const std::string& path) { allow(path, kRead | kWrite | kControl); }

  // False: errno says why. For the calling thread and those that it starts.
  bool enforce() const;

 private:
  static constexpr std::uint64_t kWrite = 1u << 1 | 1u << 14;  // to files, and truncating them
  static constexpr std::uint64_t kRead = 1u << 2 | 1u << 3;    // of files, and of directories
  // Making and removing files and directories, and renaming them there.
  static constexpr std::uint64_t kNames = 1u << 4 | 1u << 5 | 1u << 7 | 1u << 8 | 1u << 13;
  static constexpr std::uint64_t kControl = 1u << 15;  // ioctl() on devices

  void allow(const std::string& path, std::uint64_t rights);

  std::uint64_t handled_ = 0;
  int ruleset_ = -1;
  // errno of what could not be made for want of descriptors: the whole is not enforced then
  int failure_ = 0;
};

}  // namespace rondo::player
