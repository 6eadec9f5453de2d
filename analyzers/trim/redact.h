// SPDX-License-Identifier: Apache-2.0
// A capture without what identifies a person or a place: for sending it to somebody.
#pragma once

#include <cstdint>
#include <functional>
#include <string>

#include "format/digest.h"
#include "format/result.h"

namespace rondo::trim {

struct RedactOptions {
  std::string file, output;  // output: there whole, or not at all
  // What is not touched.
  bool keeps_application = false;  // names of program and engine: drivers have workarounds by them
  bool keeps_names = false;        // of objects, and their tags
  bool keeps_labels = false;       // labels, scopes, messages
  bool keeps_shaders = false;      // names, paths and sources in SPIR-V
  // The new session texts (JSON), of the old ones in turn.
  std::function<std::string(const std::string& session)> session;
};

// How many were left out, or replaced.
struct Redacted {
  std::uint64_t before = 0, after = 0;  // bytes of the files
  std::uint64_t texts = 0;              // names, labels, scopes, messages, paths
  std::uint64_t tags = 0;
  std::uint64_t shaders = 0;  // whose texts were blanked: they have other digests
  std::uint64_t missing = 0;  // numbers that the source lacks: the process died
};

// Writes all records of a complete capture again, in their order, with other texts:
//   application and object names    ""
//   labels, scopes, messages        "label 1", …: the same text becomes the same, so that groups stay
//   paths, build-ids of modules     none
//   paths in the recorder's notes   "(path)"
//   tags                            zero bytes
//   texts in SPIR-V                 as many x
// Everything that a device is given stays as it is, but for shaders' debug texts. Needs no device.
// Status::unreadable: the capture is cut or damaged, or has records that this build cannot read. Status::usage: it
// needs files, whose paths it names (rondo pack makes one that does not). Status::failed: the output cannot be written.
Result<Redacted> redact(const RedactOptions& options);

// Each word that begins like a path (/home, ~/x, "/tmp) becomes "(path)".
std::string without_paths(const std::string& text);

// True if redact() would leave this text as it is: it is empty, or the pseudonym of a label, scope or message.
bool is_redacted(const std::string& text);

}  // namespace rondo::trim
