// SPDX-License-Identifier: Apache-2.0
// What `rondo info` says of a capture, before it is text.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "analyzers/read/hidden.h"
#include "analyzers/read/shader_list.h"
#include "analyzers/text/json.h"
#include "format/call_chains.h"
#include "format/container.h"
#include "format/external_files.h"
#include "format/result.h"

namespace rondo::analyzers {

class Walk;

struct CommandCount {
  std::uint64_t calls = 0;
  std::uint64_t failed = 0;  // of these: returned an error code
};

// A physical device as the layer or the program asked it. Members that nobody asked for are empty.
struct DeviceRow {
  std::string object;  // "VkPhysicalDevice#0"
  std::string name;
  std::string type;
  std::string api_version;
  std::string driver;  // name, information and number
  std::uint32_t vendor_id = 0;
  std::uint32_t device_id = 0;
  std::vector<std::string> memory_types;    // "heap 0, DEVICE_LOCAL | HOST_VISIBLE", by index
  std::vector<std::string> queue_families;  // "1 queue, GRAPHICS | COMPUTE", by index
};

struct LogicalDeviceRow {
  std::string object;
  std::string physical;
  std::vector<std::string> extensions;
  std::vector<std::string> features;  // enabled ones, by name
};

// Times are CLOCK_MONOTONIC nanoseconds; both 0: the call was not timed.
struct SubmitRow {
  std::uint64_t number = 0;
  std::uint64_t sequence = 0;
  std::string queue;
  std::uint64_t command_buffers = 0;
  std::uint64_t commands = 0;  // vkCmd* in them, secondaries included
  std::uint64_t start_ns = 0;  // of the call; batches of one call share it
  std::uint64_t end_ns = 0;
  std::uint64_t waited_ns = 0;  // end of the last wait before the next submit or present; 0: there is none
};
struct FrameRow {
  std::uint64_t number = 0;
  std::uint64_t first_sequence = 0;
  std::uint64_t last_sequence = 0;  // the present
  std::uint64_t calls = 0;
  std::uint64_t submits = 0;
  std::uint64_t commands = 0;      // in its submits
  std::uint64_t start_ns = 0;      // end of the present before; frame 0: first time in the capture
  std::uint64_t end_ns = 0;        // end of its present
  std::uint64_t submitted_ns = 0;  // start of its first submit; 0: it has none
  std::uint64_t waited_ns = 0;     // end of its last wait behind that; 0: there is none
};

// One time that a scope was entered.
struct ScopeRow {
  std::string name;
  std::uint64_t occurrence = 0;  // of that name
  std::string kind;              // "queue label", "command label", "host", "phase"
  std::uint64_t first_sequence = 0;
  std::uint64_t last_sequence = 0;
  bool ended = false;
  std::uint64_t submits = 0;
  std::uint64_t start_ns = 0;
  std::uint64_t end_ns = 0;
};

struct ChunkTotals {
  std::uint64_t chunks = 0;
  std::uint64_t stored_bytes = 0;
  std::uint64_t raw_bytes = 0;
};

struct CaptureInfo {
  std::string path;
  std::uint64_t file_bytes = 0;
  FileHeader header{};
  bool complete = false;
  std::string cut_reason;
  bool can_be_finished = false;
  std::optional<Footer> footer;
  std::uint64_t gaps = 0;
  JsonText session;
  std::vector<HiddenThing> hidden;

  std::vector<DeviceRow> devices;
  std::vector<LogicalDeviceRow> logical_devices;
  std::vector<std::string> instance_extensions;

  std::uint64_t calls = 0;
  std::uint64_t by_layer = 0;
  std::uint64_t ambiguous = 0;  // host writes that may be the device's
  // host writes that may be older or newer than the end of work that uses their bytes
  std::uint64_t undated = 0;
  std::uint64_t unsupported = 0;  // records that this build does not know
  std::uint64_t unfinished = 0;   // calls in which the process died
  std::uint64_t last_sequence = 0;
  std::uint64_t threads = 0;
  std::uint64_t frames = 0;  // presents
  std::uint64_t submits = 0;
  std::uint64_t first_ns = 0;
  std::uint64_t last_ns = 0;
  std::map<std::string, CommandCount> commands;
  std::map<std::string, std::uint64_t> objects;      // created, by type
  std::vector<std::string> refused;                  // commands met that this build cannot read, and why
  std::vector<std::string> notes;                    // what the recorder said
  std::string not_replayable;                        // replayable.h
  std::size_t call_chains = 0;                       // who called (RONDO_BACKTRACES), …
  std::map<std::uint32_t, CallModule> call_modules;  // … and in what, by its number

  std::uint64_t unique_blobs = 0;
  std::uint64_t unique_blob_bytes = 0;
  std::uint64_t blob_references = 0;
  std::uint64_t missing_blobs = 0;          // of those
  std::uint64_t referenced_blob_bytes = 0;  // each reference counted
  std::map<std::uint16_t, ChunkTotals> chunks;
  std::vector<ExternalFile> files;
  std::uint64_t files_needed() const;  // to read its blobs
  bool hermetic() const { return files_needed() == 0; }
  std::vector<std::string> damaged;  // chunks, and what is wrong with each
  std::optional<Error> unreadable;   // what of it could not be read: what else is said lacks that

  std::vector<SubmitRow> submit_rows;  // where asked for
  std::vector<FrameRow> frame_rows;
  std::vector<ScopeRow> scope_rows;
  std::vector<ShaderRow> shader_rows;
};

struct InfoWanted {
  bool submits = false;
  bool frames = false;
  bool scopes = false;
  bool shaders = false;
};

CaptureInfo gather(Walk& walk, const InfoWanted& wanted);

// What a capture that was closed afterwards lacks, in a line; empty: nothing, or it cannot be read at all.
std::string missing_data(const std::string& path);

}  // namespace rondo::analyzers
