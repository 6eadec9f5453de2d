// SPDX-License-Identifier: Apache-2.0
// Cuts a span out of a capture: plays the capture to where the span begins, and writes what is there, what the span
// needs of it, and the span. docs/rondo-trim.md.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "format/container.h"
#include "format/external_files.h"
#include "format/result.h"
#include "format/spans.h"
#include "player/devices/devices.h"
#include "player/trust.h"

namespace rondo::trim {

// What is known of a cut when its file is closed.
struct Outcome {
  std::string source_id;                          // of the capture that it was cut from, in hex
  std::string span;                               // as it was asked for
  RecordRange records;                            // of the source
  std::uint64_t frame = 0, submit = 0;            // of the source, where the span begins
  std::vector<std::string> devices;               // that it was played on, a line each
  std::vector<std::string> device_reasons;        // parallel: "the captured device and driver", …
  std::uint64_t objects = 0, objects_before = 0;  // made in front of the span: in the cut, in the source
  std::uint64_t contents_bytes = 0;               // put back
  // calls that submit, before the span: they make what would have been larger to put back
  std::uint64_t submits_again = 0;
  std::uint64_t raw_images = 0;           // as only this driver lays them out
  std::uint64_t commands = 0, known = 0;  // of the span, that touch memory; of which all that they touch is known
  // Images whose texels the span uses on after it let them be forgotten (Touch::forgets); those of which they
  // are put back, for the cut's checkpoints showed that they were used.
  std::uint64_t forgotten_images = 0, kept_images = 0;
  std::uint64_t compared = 0, recomputed = 0;  // checkpoints; those that are others here, and were written anew
  std::uint64_t bytes = 0, bytes_before = 0;   // of the files
  std::vector<std::string> shader_notes;       // lines for people: ShaderReport
  std::uint64_t clamped_shaders = 0;           // while the source was played
};

// Of the capture that a file is only a step from: what is said of the cut.
struct Origin {
  std::string source_id, span;
  RecordRange records;
  std::uint64_t submit = 0, bytes = 0;
};

struct Options {
  std::string file, output;
  FileAccess files = {};  // that may be read where `file` needs them; the cut needs none
  SpanRequest span;
  std::optional<Origin> origin;  // where `file` is such a step
  std::vector<player::DeviceChoice> devices;
  std::size_t memory_budget = 0;  // bytes; 0: half of the machine's
  Compression codec = Compression::zstd;
  bool validate = false;
  bool clamp_shaders = false;  // while `file` is played; the cut has the shaders of the capture
  player::Trust trust = player::Trust::foreign;
  std::string
      leave_out;  // for tests: the one kind of state that is not put back; with any, "calls" too, nothing is made again
  // What the new file says of the program, and of where it is from: JSON objects, given those of the source.
  std::function<std::vector<std::string>(const Outcome&, const std::vector<std::string>& source)> sessions;
  std::function<void(const char* what, double done)> progress;  // 0 to 1 of this step
};

// There is a whole `output`, or none. Status::usage where the span is not there.
Result<Outcome> trim(const Options& options);

}  // namespace rondo::trim
