// SPDX-License-Identifier: Apache-2.0
// The rows of a dump, as text for people or as JSON lines.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "analyzers/read/symbols.h"
#include "analyzers/read/walk.h"

namespace rondo::analyzers {

struct DumpSummary {
  std::uint64_t records = 0;      // all of them, the layer's own too
  std::uint64_t calls = 0;        // of the program
  std::uint64_t hermetic = 0;     // calls that need nothing from outside the file
  std::uint64_t replayable = 0;   // of these, commands that this build supports
  std::uint64_t unsupported = 0;  // records that this build cannot decode, or has no support for
  std::uint64_t frames = 0;
  std::uint64_t submits = 0;
  std::uint64_t last_sequence = 0;
  std::uint64_t first_ns = 0;  // CLOCK_MONOTONIC; 0: nothing was timed
  std::string damage;          // why the records end early; empty: they do not
};

// The number of a draw, as `rondo trim --draws` takes it, where it is executed first.
struct DrawNumber {
  std::uint64_t submit = 0, draw = 0;
  std::uint64_t executions = 0;  // of its command buffer, in the whole capture
};

// That a submit executes a command buffer.
struct ExecutesRow {
  std::uint64_t submit = 0;
  std::uint32_t batch = 0;         // of the call, from 0
  std::string command_buffer;      // "VkCommandBuffer#3"
  std::uint64_t first_record = 0;  // vkBeginCommandBuffer; 0: it is not in the capture
  std::uint64_t commands = 0;      // secondaries' included
  bool recorded_before = false;    // before the span: rows of its commands follow
};

class DumpRows {
 public:
  virtual ~DumpRows() = default;
  // Each appends one line, with its newline, to `out`; records of text have lines for their callers, too.
  virtual void file(std::string& out, Reader& reader) = 0;
  virtual void summary(std::string& out, const DumpSummary& summary) = 0;
  // `number`: null: it has none.
  virtual Result<void> record(std::string& out, Walk& walk, const Step& step, const DrawNumber* number) = 0;
  virtual void executes(std::string& out, const ExecutesRow& row) = 0;
  // The rows of commands that were recorded before the span are made when their records are read, by command(), and
  // appended where they are executed, by executed(). `draw`: its number in the submit.
  virtual Result<std::string> command(Walk& walk, const Step& step) = 0;
  virtual void executed(std::string& out, std::uint64_t submit, std::optional<std::uint64_t> draw,
                        const std::string& command) = 0;
};

// `symbols` outlives the rows; null: callers are told as modules and offsets.
std::unique_ptr<DumpRows> text_rows(Symbols* symbols);
std::unique_ptr<DumpRows> json_rows(Symbols* symbols);

// The frames of who made this call, from the inside out; none where that is unknown, or it is no call.
struct CallerFrame {
  const CallModule* module = nullptr;  // null: none, or not in the capture
  std::uint64_t offset = 0;            // there; without a module where the program had it
  std::vector<SourcePlace> places;     // what was inlined there and the function; empty without symbols
};
struct CallerFrames {
  std::vector<CallerFrame> frames;
  bool truncated = false;
};
CallerFrames callers_of(const Walk& walk, const Step& step, Symbols* symbols);

// "vkFoo(a=1, b=VkBuffer#2) = VK_SUCCESS": what --grep looks at.
Result<void> append_call(std::string& out, Walk& walk, const Step& step);

// "VkBuffer#12"; a value that no call made known: "VkBuffer@0x5571"; "null".
std::string object_text(const Walk& walk, HandleType type, std::uint64_t captured, std::uint32_t index);

}  // namespace rondo::analyzers
