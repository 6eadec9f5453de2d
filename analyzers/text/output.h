// SPDX-License-Identifier: Apache-2.0
// Buffered standard output whose failures are seen.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <utility>

#include "format/printable.h"
#include "format/result.h"

namespace rondo::analyzers {

// One thread. What is written goes through format/printable.h: no text of a capture gets to a terminal as it is.
// A reader that goes away (`rondo dump | head`) is no error: the
// rest is dropped, and `closed()` tells a long job to stop.
class Output {
 public:
  explicit Output(int fd = 1) : fd_(fd) {}
  Output(const Output&) = delete;
  Output& operator=(const Output&) = delete;

  // Whole lines, with their line feeds; the names in them went through printable() one by one.
  void write(std::string_view lines);
  // Each line that is written after this is a JSON object, and gets these members at its end: `"device":"x","job":"y"`.
  void add_to_rows(std::string members) { row_members_ = std::move(members); }
  // One line, whatever is in it; its line feed is added.
  void line(std::string_view text) { add(printable(text) += '\n'); }
  // One line of fields with tabs between. printable() leaves no tab within one.
  void row(std::span<const std::string> fields) {
    for (const std::string& field : fields) add((&field == &fields.front() ? "" : "\t") + printable(field));
    add("\n");
  }
  bool closed() const { return closed_; }
  // Writes what is left. Fails where the text could not be written (disk full).
  Result<void> finish();

 private:
  static constexpr std::size_t kBufferBytes = 64 * 1024;
  void add(std::string_view text) {
    buffer_ += text;
    if (buffer_.size() >= kBufferBytes) flush();
  }
  void flush();

  int fd_;
  std::string row_members_;  // empty: lines are written as they are
  bool closed_ = false;
  int error_ = 0;  // errno of the first failure other than EPIPE
  std::string buffer_;
};

// `rondo: message` on standard error: one line, whatever names of files and objects stand in it.
void say(const std::string& message);
// The same for an error; a list (what a device lacks, what the validation layer says) keeps its lines.
void say(const Error& error);

}  // namespace rondo::analyzers
