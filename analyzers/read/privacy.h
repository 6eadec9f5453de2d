// SPDX-License-Identifier: Apache-2.0
// What of a capture identifies a person or a place, for who is about to send it to somebody. No device is touched.
#pragma once

#include <string>
#include <vector>

#include "analyzers/read/capture_info.h"
#include "format/result.h"

namespace rondo::analyzers {

struct PrivacyRow {
  std::string what;        // "command line"
  std::string value;       // as it stands in the file; of many the first ones, and how many
  std::string remedy;      // how a capture comes to be without it
  bool redactable = true;  // rondo redact leaves it out
};

// `walk` is read again, from its first record. What cannot be read is not told: the capture says so elsewhere.
std::vector<PrivacyRow> gather_privacy(Walk& walk, const CaptureInfo& info);

// Rows that rondo redact leaves out.
std::size_t count_redactable(const std::vector<PrivacyRow>& rows);

void append_privacy(std::string& out, const std::vector<PrivacyRow>& rows);
void write_privacy(JsonWriter& json, const std::vector<PrivacyRow>& rows);

}  // namespace rondo::analyzers
