// SPDX-License-Identifier: Apache-2.0
// The name of a file that its writer does not leave behind. It goes with this, and where a signal ends the process, if
// the program asks for that in a handler of its own: nothing here takes signals.
#pragma once

#include <string>
#include <string_view>

namespace rondo {

class TemporaryPath {
 public:
  TemporaryPath() = default;  // of no file
  // A new name, `ending` behind it, in the directory of `path`: nothing is there yet. It has the first bytes of a long
  // name only: where `path` can be, it can be.
  static TemporaryPath beside(const std::string& path, std::string_view ending);
  TemporaryPath(TemporaryPath&& other) noexcept;
  TemporaryPath& operator=(TemporaryPath&& other) noexcept;
  ~TemporaryPath();  // with the file, if there is one

  const std::string& get() const { return path_; }
  void forget();  // what is there stays

 private:
  std::string path_;
  int place_ = -1;  // where remove_temporary_files() finds it; -1: it does not
};

// For handlers of signals that end the process. Async-signal-safe. What calls it ends the process then: threads that go
// on to make a file, or call this too, wait for that.
void remove_temporary_files();

}  // namespace rondo
