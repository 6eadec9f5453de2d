// SPDX-License-Identifier: Apache-2.0
// What `rondo sync` finds in a capture, for the page of `rondo report`. No device. One thread.
#pragma once

#include <cstdint>
#include <string>

namespace rondo::analyzers {

struct ReportSync {
  static constexpr std::size_t kMostFindings = 500;

  // Rows for the page, a JSON object each: the first findings as rows of `rondo sync` ("sync"), each with a "sync_more"
  // of the same identifier, and a "sync_summary".
  std::string lines;
  std::string sentence;  // the most important of it
  std::string error;     // why there is nothing; empty: there is something
};

// `shown_file`: the capture as a word of a command line.
ReportSync gather_sync(const std::string& file, const std::string& shown_file);

}  // namespace rondo::analyzers
